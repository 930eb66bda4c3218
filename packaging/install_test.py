"""Install the program as people with Python do, into environments that have nothing else, and start it there.

    python packaging/install_test.py      after build.py, which makes the wheel (`make release`)

Each Python that this machine has, of those that are supported, gets the wheel; this one also gets the source folder by
pip, and by pipx.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import build
from raise_constraints import PYTHONS

CONSTRAINTS = build.ROOT / "packaging/constraints.txt"


def pythons() -> Iterator[str]:
    """The supported Pythons that are here."""
    for version in PYTHONS:
        kept = sorted((Path.home() / ".pyenv/versions").glob(f"{version}.*/bin/python"))
        for python in (shutil.which(f"python{version}"), *map(str, kept)):
            asked = [str(python), "-c", "import sys, ensurepip; print('%d.%d' % sys.version_info[:2])"]
            if python and subprocess.run(asked, capture_output=True, text=True).stdout.strip() == version:
                yield python
                break


def start(program: Path) -> None:
    """Start what was installed, from a folder that has nothing to do with the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        home = {
            "HOME": folder,
            "PATH": "/usr/bin:/bin",
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_DATA_HOME": f"{folder}/share",
        }
        said = ""
        for arguments in (
            ["--version"],
            ["check"],
            ["render", "emma", "attention", "emma.png"],
            ["--register-desktop"],
        ):
            done = subprocess.run([program, *arguments], cwd=folder, env=home, capture_output=True, text=True)
            if done.returncode != 0 or done.stderr:
                raise SystemExit(
                    f"{program} {' '.join(arguments)}: {done.returncode}\n{done.stdout[-500:]}{done.stderr}"
                )
            said = said or done.stdout.strip()
        (entry,) = Path(folder).glob("share/applications/*.desktop")
        if str(program.resolve()) not in entry.read_text("utf-8"):  # pipx links to it
            raise SystemExit(f"The menu entry does not start {program}.")
        if said != f"explorer {build.version()}":
            raise SystemExit(f"{program} says that it is {said}")


def installed(python: str, what: Path, folder: Path) -> Path:
    """Make an empty environment and install something into it; returns the command that it then has."""
    build.run(python, "-m", "venv", folder)
    pip: list[str | Path] = [folder / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build.run(*pip, "install", "--constraint", CONSTRAINTS, what)
    if benchmarks := list(folder.glob("lib/python*/site-packages/**/benchmarks/straight_line.py")):
        raise SystemExit(f"The benchmarks came along: {benchmarks[0]}")
    return folder / "bin/explorer"


def by_pipx(folder: Path) -> Path:
    """Install the source folder with pipx; returns the command."""
    build.run(sys.executable, "-m", "venv", folder / "pipx")
    python = folder / "pipx/bin/python"
    build.run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "pipx")
    os.environ.update(PIPX_HOME=str(folder / "home"), PIPX_BIN_DIR=str(folder / "bin"))
    build.run(python, "-m", "pipx", "install", "--pip-args", f"--constraint {CONSTRAINTS}", build.ROOT)
    return folder / "bin/explorer"


def main() -> None:
    """Install in each way."""
    (wheel,) = build.DIST.glob(f"*-{build.version()}-py3-none-any.whl")
    with tempfile.TemporaryDirectory() as name:
        for number, python in enumerate(pythons()):
            start(installed(python, wheel, Path(name) / str(number)))
            print(f"the wheel, {build.run(python, '--version').strip()}: fine", flush=True)
        start(installed(sys.executable, build.ROOT, Path(name) / "source"))
        print("pip install . : fine", flush=True)
        start(by_pipx(Path(name)))
        print("pipx install . : fine", flush=True)


if __name__ == "__main__":
    main()
