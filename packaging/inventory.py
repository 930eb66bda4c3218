"""What a bundle is made of: every part with its version and licence, and the licences themselves.

    python packaging/inventory.py       after build.py and smoke_test.py (`make release` does all three)

It lists what was built: SHA256SUMS of the files of dist/, which `sha256sum --check` reads, and a software bill of
materials (CycloneDX).
"""

import hashlib
import json
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

import build

sys.path.insert(0, str(build.ROOT))
from explorer.libraries import licence_of

TEXTS = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)
LGPL = ("LGPL-3.0.txt", "GPL-3.0.txt")


@dataclass(frozen=True)
class Component:
    """One part of a bundle.

    Parameters
    ----------
    name, version : str
    licence : str
        As it says it itself; "" where it does not.
    purl : str
        What it is called in the world: a package URL.
    texts : tuple of Path
        The files with its licence.
    """

    name: str
    version: str
    licence: str
    purl: str
    texts: tuple[Path, ...]


def components(bundle: Path) -> list[Component]:
    """All parts of a bundle by name: the program, its libraries, Python, and what is from the system."""
    found = [*_python(), *_distributions(bundle), *_system(bundle)]
    return sorted(found, key=lambda part: (part.name.lower(), part.version))


def _python() -> Iterator[Component]:
    version = platform.python_version()
    texts = [Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"]
    yield Component(
        "Python", version, "PSF-2.0", f"pkg:generic/python@{version}", tuple(file for file in texts if file.exists())
    )


def _distributions(bundle: Path) -> Iterator[Component]:
    for found in distributions(path=[str(bundle / "_internal")]):
        (place,) = (bundle / "_internal").glob(f"{found.name.replace('-', '_').lower()}-{found.version}.dist-info")
        texts = [file for file in sorted(place.rglob("*")) if file.is_file() and TEXTS.search(file.name)]
        if "LGPL-3.0" in licence_of(found) and not texts:
            texts = [build.ROOT / "packaging/licences" / name for name in LGPL]
        # One without a text of its own at least says what its licence is, and who wrote it.
        name = found.name.lower().replace("_", "-")
        purl = f"pkg:pypi/{name}@{found.version}"
        yield Component(found.name, found.version, licence_of(found), purl, tuple(texts or [place / "METADATA"]))


def _system(bundle: Path) -> Iterator[Component]:
    """Debian's packages of the libraries that were taken from the system."""
    if not shutil.which("dpkg-query"):
        return
    libraries = (bundle / "_internal").glob("lib*.so*")
    # Python is there as itself.
    names = {f.name for f in libraries if not f.is_symlink() and not f.name.startswith("libpython")}
    searched = subprocess.run(
        ["dpkg-query", "--search", *(f"*/{name}" for name in sorted(names))], capture_output=True, text=True
    )
    packages = {line.split(":")[0] for line in searched.stdout.splitlines() if line.rpartition("/")[2] in names}
    for package in sorted(packages):
        version = build.run("dpkg-query", "--show", "--showformat", "${Version}\n", package).split()[0]
        text = Path(f"/usr/share/doc/{package}/copyright")
        purl = f"pkg:deb/debian/{package}@{version}"
        yield Component(package, version, "", purl, (text,) if text.exists() else ())


def write_licences(bundle: Path) -> None:
    """Put the licences of all parts into the folder `licences` of a bundle, and a list of the parts."""
    folder = bundle / "licences"
    shutil.rmtree(folder, ignore_errors=True)
    lines = []
    for part in components(bundle):
        place = folder / f"{part.name}-{part.version}".replace(":", "_")
        place.mkdir(parents=True)
        for number, text in enumerate(part.texts):
            same = any(other.name == text.name for other in part.texts[:number])
            shutil.copy(text, place / (f"{number} {text.name}" if same else text.name))
        lines.append(f"{part.name} {part.version}  {part.licence or 'see its folder'}")
    (folder / "PARTS.txt").write_text("\n".join(lines) + "\n", "utf-8")


def bill_of_materials(bundle: Path) -> dict[str, object]:
    """The parts of a bundle as CycloneDX writes them."""
    parts = [
        {
            "type": "library",
            "name": part.name,
            "version": part.version,
            "purl": part.purl,
            **({"licenses": [{"license": {"name": part.licence}}]} if part.licence else {}),
        }
        for part in components(bundle)
        if part.name != build.NAME
    ]
    program = {"type": "application", "name": build.NAME, "version": build.version()}
    metadata = {"component": program}
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": metadata, "components": parts}


def main() -> None:
    """Write the two lists and print the sums."""
    parts = build.DIST / f"{build.NAME}-{build.version()}-{sys.platform}.cdx.json"
    parts.write_text(json.dumps(bill_of_materials(build.BUNDLE), indent=1) + "\n", "utf-8")
    names = (build.NAME, build.NAME.replace("-", "_"))
    files = [
        file
        for file in sorted(build.DIST.iterdir())
        if file.is_file() and file.name.startswith(names) and build.version() in file.name
    ]
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (build.DIST / "SHA256SUMS").write_text(sums, "utf-8")
    print(sums, end="")


if __name__ == "__main__":
    main()
