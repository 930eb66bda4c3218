"""Find what Qt needs from the system and lacks, install it, or name the one command that does.

    python packaging/system_libraries.py          what the window needs
    python packaging/system_libraries.py --test   what `make test` needs too: a virtual screen
    python packaging/system_libraries.py --venv   what `python -m venv` needs

Standard library only: it runs before anything is installed. It ends with 1 if something is still missing.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

# Debian's package for each library that Qt's wheel does not bring.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
    # Not libraries, but wanted in the same way.
    "a font": "fonts-dejavu-core",
    "Xvfb": "xvfb",
    "xauth": "xauth",
    "openbox": "openbox",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def not_found(ldd_output: str) -> set[str]:
    """Libraries that ldd did not find."""
    return set(re.findall(r"^\s*(\S+) => not found", ldd_output, re.MULTILINE))


def missing_libraries() -> set[str]:
    """Libraries that Qt's window, its X11 plugin and SVG ask for and the system lacks."""
    spec = importlib.util.find_spec("PySide6")
    if spec is None or spec.origin is None:
        raise SystemExit("PySide6 is not installed in this Python; `make setup` installs it.")
    pyside = Path(spec.origin).parent
    files = [pyside / "Qt/plugins/platforms/libqxcb.so"]
    files += [file for part in ("QtGui", "QtWidgets", "QtSvg") for file in pyside.glob(f"{part}.*.so")]
    # In the C locale, so that "not found" is not translated.
    ldd = subprocess.run(["ldd", *files], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return not_found(ldd.stdout)


def has_font(folders: Iterable[str] = FONT_FOLDERS) -> bool:
    """Whether there is any font to draw with: Qt brings none."""
    return any(
        file.suffix.lower() in {".ttf", ".otf", ".ttc", ".pfb"}
        for folder in folders
        for file in Path(folder).expanduser().rglob("*")
    )


def missing(for_tests: bool = False) -> set[str]:
    """Everything the window (and the tests) need from the system and do not find."""
    lacking = missing_libraries()
    if not has_font():
        lacking.add("a font")
    if for_tests:
        lacking |= {program for program in ("Xvfb", "xauth", "openbox") if shutil.which(program) is None}
    return lacking


def privilege() -> list[str] | None:
    """What to put before a command so that it may install packages, or None if nothing gives that right."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def install(packages: list[str], prefix: list[str]) -> None:
    """Install Debian packages; if that fails, once more with a fresh list of packages."""
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    get = [*apt, "install", "-y", "--no-install-recommends", *packages]
    print("Installing with apt-get:", *packages, flush=True)
    if subprocess.run(get, capture_output=True).returncode != 0:
        subprocess.run([*apt, "update"], capture_output=True)
        again = subprocess.run(get, capture_output=True, text=True)
        if again.returncode != 0:
            print(again.stderr, file=sys.stderr)


def command(packages: list[str]) -> str:
    """Spell the one command a person types to install Debian packages."""
    become = "sudo sh -c" if shutil.which("sudo") else "su -c"
    return f"{become} 'apt-get update && apt-get install -y {' '.join(packages)}'"


def provide(lacking: set[str], packages: list[str]) -> bool:
    """Install what is lacking if that is allowed, otherwise say what to do. True if it was tried."""
    print("Missing on this system:", ", ".join(sorted(lacking)), file=sys.stderr)
    if not packages or shutil.which("apt-get") is None:
        print("Install them with the system's package manager, then run make again.", file=sys.stderr)
        return False
    prefix = privilege()
    if prefix is None:
        print(f"Type this, then run make again:\n\n    {command(packages)}\n", file=sys.stderr)
        return False
    install(packages, prefix)
    return True


def main(arguments: list[str]) -> int:
    """Check, install or name; return the exit status."""
    if sys.platform != "linux":
        return 0
    if "--venv" in arguments:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return 0 if provide({f"{version}'s venv"}, [f"{version}-venv"]) else 1
    for_tests = "--test" in arguments
    lacking = missing(for_tests)
    if not lacking:
        return 0
    if not provide(lacking, sorted({PACKAGES[thing] for thing in lacking if thing in PACKAGES})):
        return 1
    lacking = missing(for_tests)
    if lacking:
        print("Still missing:", ", ".join(sorted(lacking)), file=sys.stderr)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
