import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer import paths


def place(monkeypatch, package: Path) -> None:
    """Let the package lie in a folder of the test."""
    package.mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))


def test_checkout():
    root = Path(__file__).parents[1]
    assert paths.resources() == root / "resources"


def test_wheel_carries_the_resources_inside(monkeypatch, tmp_path):
    place(monkeypatch, tmp_path / "site-packages" / "explorer")
    inside = tmp_path / "site-packages" / "explorer" / "resources"
    inside.mkdir()
    # A folder of the same name that belongs to somebody else.
    (tmp_path / "site-packages" / "resources").mkdir()
    assert paths.resources() == inside


@pytest.mark.parametrize("folder", ["_MEIPASS", "checkout"])
def test_bundle_and_checkout_have_them_beside_the_package(monkeypatch, tmp_path, folder):
    place(monkeypatch, tmp_path / folder / "explorer")
    (tmp_path / folder / "resources").mkdir()
    assert paths.resources() == tmp_path / folder / "resources"


@pytest.mark.skipif(os.name != "posix", reason="elsewhere everybody has a home")
def test_without_a_home_things_last_until_the_program_ends(tmp_path):
    """As for a user whom the system does not know: a container, a web server."""
    code = """
import os, pwd
for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "EXPLORER_SETTINGS"):
    os.environ.pop(name, None)
def unknown(*_):
    raise KeyError("uid not found")
pwd.getpwuid = pwd.getpwnam = unknown
from explorer.cli import main
from explorer.settings import Settings, own_folder
assert main(["list"]) == main(["words", "list"]) == main(["words", "similar", "king", "-n", "1"]) == 0
Settings(own_folder()).set("theme", "dark")
assert Settings(own_folder()).get("theme", "light") == "dark"
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []
