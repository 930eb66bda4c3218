"""What the program consists of: its own version and those of the libraries that it uses, with their licences."""

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from explorer import __version__

PROGRAM = "transformer-explorer"


@dataclass(frozen=True)
class Part:
    """One library, or the program itself."""

    name: str
    version: str
    licence: str  # as short as the library states it; "" if it does not


def parts() -> list[Part]:
    """The program, Python, and every library that the program needs, by name.

    A bundle contains the metadata of libraries, as an environment does; without them only program and Python remain.
    """
    own = Part("Transformer Explorer", __version__, "MIT")
    python = Part("Python", platform.python_version(), "PSF-2.0")
    needed = {found.name.lower(): found for found in _needed(PROGRAM, set())}
    libraries = (Part(found.name, found.version, licence_of(found)) for found in needed.values())
    return [own, python, *sorted(libraries, key=lambda part: part.name.lower())]


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
