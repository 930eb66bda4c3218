"""Raise the versions of constraints.txt to the newest that fit together, and run the tests with them.

    python packaging/raise_constraints.py             write the file and run `make test`; keep the old one if that fails
    python packaging/raise_constraints.py --no-test   write the file only

pip works out the versions for each Python that is supported; what differs between them gets a condition. Other Pythons
than this one are worked out from wheels alone.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "packaging/constraints.txt"
PYTHONS = ("3.11", "3.12", "3.13")
HEADER = """\
# The exact versions that the tests have passed with: make_venv.sh and build.py install these and no others, so that a
# new release of one of them cannot break a fresh clone. packaging/raise_constraints.py writes this file.
"""
BUILDER = "pyinstaller"


def requirements() -> list[str]:
    """What the program, its tests and its packages ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["dev"], BUILDER]


def resolved(python: str) -> dict[str, str]:
    """The newest versions that fit together on one Python, by name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"]
        command += ["--ignore-installed", "--report", str(report)]
        if python != f"{sys.version_info.major}.{sys.version_info.minor}":
            command += ["--python-version", python, "--only-binary", ":all:", "--target", folder]
        subprocess.run([*command, *requirements()], check=True)
        found = [one["metadata"] for one in json.loads(report.read_text("utf-8"))["install"]]
    return {one["name"].lower().replace("_", "-"): one["version"] for one in found}


def written(versions: dict[str, dict[str, str]]) -> str:
    """The lines of the file, of the versions by Python and name."""
    lines = []
    for name in sorted({name for found in versions.values() for name in found}):
        by_version: dict[str, list[str]] = {}
        for python, found in versions.items():
            if name in found:
                by_version.setdefault(found[name], []).append(python)
        for version, pythons in by_version.items():
            first, last = pythons[0], pythons[-1]
            conditions = [f'python_version >= "{first}"'] if first != PYTHONS[0] and len(by_version) > 1 else []
            conditions += [f'python_version <= "{last}"'] if last != PYTHONS[-1] and len(by_version) > 1 else []
            lines.append(f"{name}=={version}{' ; ' * bool(conditions)}{' and '.join(conditions)}")
    return HEADER + "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Raise the versions; return the exit status."""
    text = written({python: resolved(python) for python in PYTHONS})
    before = FILE.read_text("utf-8") if FILE.exists() else ""
    if text == before:
        print("All versions are the newest already.")
        return 0
    old = FILE.with_suffix(".old")
    if before:
        shutil.copy(FILE, old)
    FILE.write_text(text, "utf-8")
    if "--no-test" in arguments:
        old.unlink(missing_ok=True)
        return 0
    status = subprocess.run(["make", "test"], cwd=ROOT).returncode
    if status != 0 and before:
        old.replace(FILE)
        print("The tests fail with the newer versions; the old ones stay.", file=sys.stderr)
    old.unlink(missing_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
