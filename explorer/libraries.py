"""The libraries that the program uses, with their versions and licences."""

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution

PACKAGE = "transformer-explorer"
"""The program's name among installed packages."""


@dataclass(frozen=True)
class Library:
    """One library, or Python itself."""

    name: str
    version: str
    licence: str  # as short as the library states it; "" if it does not


def libraries() -> list[Library]:
    """Python, and every library that the program needs, by name.

    A bundle contains the metadata of libraries, as an environment does; without them only Python remains.
    """
    needed = {found.name.lower(): found for found in _needed(PACKAGE, set())}
    found = [Library(one.name, one.version, licence_of(one)) for _, one in sorted(needed.items())]
    return [Library("Python", platform.python_version(), "PSF-2.0"), *found]


def _needed(name: str, seen: set[str]) -> Iterator[Distribution]:
    """The libraries that one needs, directly or through others; each once."""
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        return
    for requirement in requirements:
        match = re.match(r"[A-Za-z0-9._-]+", requirement)
        if match is None or "extra ==" in requirement:
            continue
        key = re.sub(r"[-_.]+", "-", match[0]).lower()
        if key in seen:
            continue
        seen.add(key)
        try:
            yield distribution(match[0])
        except PackageNotFoundError:  # for another system
            continue
        yield from _needed(match[0], seen)


def licence_of(found: Distribution) -> str:
    """The licence that a library states: its short form or its name, but not the whole text."""
    for field in ("License-Expression", "License"):
        (told, *_) = found.metadata.get_all(field) or [""]
        if told and "\n" not in told:
            return told
    kinds = [line for line in found.metadata.get_all("Classifier") or [] if line.startswith("License ::")]
    return ", ".join(kind.rpartition(" :: ")[2] for kind in kinds)
