"""What a bundle is made of: a small one, made of the metadata of three libraries."""

import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

PACKAGING = Path(__file__).parents[1] / "packaging"
NAMES = ("numpy", "PySide6_Essentials", "latex2mathml")


@pytest.fixture
def inventory(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGING))
    import inventory

    monkeypatch.setattr(inventory.shutil, "which", lambda program: None)  # no system's packages
    yield inventory
    for name in ("inventory", "build"):
        del sys.modules[name]


@pytest.fixture
def bundle(tmp_path):
    for name in NAMES:
        found = distribution(name)
        (place,) = {
            Path(str(found.locate_file(file))).parents[len(file.parts) - 2]
            for file in found.files
            if file.parts[0].endswith(".dist-info")
        }
        shutil.copytree(place, tmp_path / "_internal" / place.name)
    return tmp_path


def test_every_part_brings_its_licence(inventory, bundle):
    inventory.write_licences(bundle)
    folders = {folder.name.rpartition("-")[0]: folder for folder in (bundle / "licences").iterdir() if folder.is_dir()}
    assert set(folders) == {*NAMES, "Python"}
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in (folders["PySide6_Essentials"] / "LGPL-3.0.txt").read_text("utf-8")
    assert "OpenBLAS" in "".join(file.read_text("utf-8") for file in folders["numpy"].iterdir())
    assert "PYTHON SOFTWARE FOUNDATION" in (folders["Python"] / "LICENSE.txt").read_text("utf-8")
    # Its wheel has no text of the licence: what it says of itself must do.
    assert "License: MIT" in (folders["latex2mathml"] / "METADATA").read_text("utf-8")
    assert f"numpy {distribution('numpy').version}" in (bundle / "licences/PARTS.txt").read_text("utf-8")


def test_bill_of_materials(inventory, bundle):
    bill = inventory.bill_of_materials(bundle)
    assert bill["bomFormat"] == "CycloneDX"
    parts = {part["name"]: part for part in bill["components"]}
    assert set(parts) == {*NAMES, "Python"}
    version = distribution("numpy").version
    assert parts["numpy"]["purl"] == f"pkg:pypi/numpy@{version}"
    assert parts["numpy"]["version"] == version
    assert all(part["licenses"][0]["license"]["name"] for part in parts.values())
