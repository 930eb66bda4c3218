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
