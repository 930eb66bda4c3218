"""Build the packages for the system that this runs on, into dist/.

    python packaging/build.py                     all of it (`make package`)
    python packaging/build.py --only bundle       no further than the folder that can be started

First the wheel; then an empty environment with it and the versions of constraints.txt; from that the bundle, one folder
that explorer.spec describes; from the bundle what is handed on: a .tar.xz and a .deb on Linux, an installer on Windows,
a .dmg on macOS. The same commit gives the same files, see `packed` and README.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME, TITLE = "transformer-explorer", "Transformer Explorer"
BUILD, DIST = ROOT / "build", ROOT / "dist"
BUNDLE = DIST / NAME
FLOOR = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30)}
"""What the oldest system that is supported has: Ubuntu 22.04. Debian 12 is newer."""


def version() -> str:
    """The version of the program; it is written down in `explorer/__init__.py` alone."""
    found = re.search(r'^__version__ = "([^"]+)"', (ROOT / "explorer/__init__.py").read_text("utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def built_at() -> int:
    """Seconds since 1970 that all files are dated with: those of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run("git", "log", "-1", "--format=%ct", cwd=ROOT))


def run(*command: str | Path, **options: object) -> str:
    """Run a command to its end and return what it printed; end with its own words where it fails."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
    environment.pop("PYTHONPATH", None)  # a checkout on it would be found before the wheel, without its resources
    if "SOURCE_DATE_EPOCH" not in environment and command[0] != "git":
        environment["SOURCE_DATE_EPOCH"] = str(built_at())
    done = subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def environment() -> Path:
    """An environment that has the program's wheel, what it needs, and PyInstaller; returns its Python."""
    place = BUILD / "venv"
    venv.create(place, clear=True, with_pip=True)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    shutil.rmtree(BUILD / "wheel", ignore_errors=True)
    run(*pip, "wheel", "--no-deps", "--wheel-dir", BUILD / "wheel", ROOT)
    (wheel,) = (BUILD / "wheel").glob("*.whl")
    run(*pip, "install", "--constraint", ROOT / "packaging/constraints.txt", wheel, "pyinstaller")
    shutil.copy(wheel, DIST)
    return python


ICONS = """
import sys
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

app = QGuiApplication([])
source, *files = sys.argv[1:]
for file, size in zip(files, (256, 512)):
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(source).render(painter)
    painter.end()
    assert image.save(file), file
"""


def draw_icons(python: Path) -> None:
    """The icon in the forms that Windows and macOS want."""
    place = BUILD / "icons"
    place.mkdir(exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    run(python, "-c", ICONS, ROOT / "resources/icons/app.svg", place / "explorer.ico", place / "explorer.icns")


def freeze(python: Path) -> None:
    """Make the bundle."""
    spec = ROOT / "packaging/explorer.spec"
    options: list[str | Path] = [
        "--noconfirm",
        "--clean",
        "--log-level",
        "WARN",
        "--distpath",
        DIST,
        "--workpath",
        BUILD / "work",
    ]
    # The modules as they are, some 20 MB more: to unpack those of the window took a twentieth of its start.
    os.environ["PYINSTALLER_ZLIB_COMPRESSION_LEVEL"] = "0"
    # Not from the checkout's folder: it would be found before the wheel.
    run(python, "-m", "PyInstaller", *options, spec, cwd=BUILD)


# Linux


def programs(folder: Path) -> Iterator[Path]:
    """Everything below a folder that Linux loads as machine code."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink() and file.open("rb").read(4) == b"\x7fELF":
            yield file


def strip(folder: Path) -> None:
    """Take out of machine code what only a debugger reads."""
    # OpenBLAS, in numpy.libs and scipy.libs, does not work afterwards; PyInstaller keeps the program's modules in the
    # starter.
    files = [f for f in programs(folder) if not f.parent.name.endswith(".libs") and f.parent != folder]
    for file in files:
        # Wheels have files that are not writable.
        file.chmod(file.stat().st_mode | 0o200)
    run("strip", "--strip-unneeded", *files)


def needed(folder: Path) -> dict[str, set[str]]:
    """The libraries that a bundle does not have itself, and which of its files ask for each."""
    own = {file.name for file in folder.rglob("*.so*")}
    found: dict[str, set[str]] = {}
    for file in programs(folder):
        for library in re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", file)):
            if library not in own:
                found.setdefault(library, set()).add(file.name)
    return found


def check_floor(folder: Path) -> None:
    """End where something in a bundle needs a newer system than the oldest that is supported."""
    too_new = []
    for file in programs(folder):
        for family, number in re.findall(r"\((?:0x)?(GLIBC|GLIBCXX)_([0-9.]+)\)", run("objdump", "-T", file)):
            if tuple(map(int, number.split("."))) > FLOOR[family]:
                too_new.append(f"{file.relative_to(folder)}: {family} {number}")
    if too_new:
        raise SystemExit("\n".join(["These need a newer Linux than Ubuntu 22.04:", *sorted(set(too_new))]))


def packed(folder: Path, file: Path, inside: str) -> None:
    """Pack a folder as .tar.xz: names in order, one date, one owner, so that the same content gives the same bytes."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = built_at(), 0, 0, "", ""
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    part = file.with_suffix(".part")
    with part.open("wb") as stream:
        # Two threads on every machine: their number decides where a block ends.
        compressor = subprocess.Popen(["xz", "-4", "--threads=2"], stdin=subprocess.PIPE, stdout=stream)
        with tarfile.open(fileobj=compressor.stdin, mode="w|") as archive:
            archive.add(folder, inside, filter=plain)
        assert compressor.stdin is not None
        compressor.stdin.close()
    if compressor.wait() != 0:
        raise SystemExit(f"xz could not pack {folder}")
    part.replace(file)


def main(arguments: list[str]) -> None:
    """Build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["bundle", "packages"], help="only the folder; or only what is made of it")
    only = parser.parse_args(arguments).only
    BUILD.mkdir(exist_ok=True)
    DIST.mkdir(exist_ok=True)
    if only != "packages":
        python = environment()
        draw_icons(python)
        freeze(python)
        if sys.platform == "linux":
            strip(BUNDLE)
            check_floor(BUNDLE)
        import inventory

        inventory.write_licences(BUNDLE)
        print(f"{BUNDLE.relative_to(ROOT)}: {size(BUNDLE)} MB")
    if only != "bundle":
        for file in packages():
            print(f"{file.relative_to(ROOT)}: {size(file)} MB")


def packages() -> list[Path]:
    """What is handed on of the bundle on this system."""
    if sys.platform == "linux":
        import debian

        machine = platform.machine()
        archive = DIST / f"{NAME}-{version()}-linux-{machine}.tar.xz"
        packed(BUNDLE, archive, f"{NAME}-{version()}")
        return [archive, debian.package(BUNDLE, DIST)]
    if sys.platform == "win32":
        compiler = shutil.which("iscc") or r"C:\Program Files (x86)\Inno Setup 6\ISCC.exe"
        run(compiler, f"/DVersion={version()}", f"/DBundle={BUNDLE}", f"/O{DIST}", ROOT / "packaging/windows/setup.iss")
        return [DIST / f"{NAME}-{version()}-windows.exe"]
    image = DIST / f"{NAME}-{version()}-macos-{platform.machine()}.dmg"
    run("hdiutil", "create", "-ov", "-format", "UDZO", "-volname", TITLE, "-srcfolder", DIST / f"{TITLE}.app", image)
    return [image]


def size(path: Path) -> int:
    """Of a file, or of all in a folder, in MB of a million bytes."""
    files = path.rglob("*") if path.is_dir() else [path]
    return round(sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink()) / 1e6)


if __name__ == "__main__":
    main(sys.argv[1:])
