"""The wheel, and the look-out for system libraries."""

import importlib.util
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel as `pip install .` does, and unpack it."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def test_wheel_has_every_module_and_resource(wheel):
    wanted = {file.relative_to(ROOT) for file in (ROOT / "explorer").rglob("*.py")}
    wanted |= {
        "explorer" / file.relative_to(ROOT)
        for file in (ROOT / "resources").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert {file.relative_to(wheel) for file in (wheel / "explorer").rglob("*") if file.is_file()} == wanted
    assert {folder.name.split("-")[0] for folder in wheel.iterdir()} == {"explorer", "transformer_explorer"}
    assert [file for file in wheel.rglob("*") if "benchmark" in file.name] == []


def test_wheel_finds_its_resources(wheel):
    ask = "from explorer.paths import resources; print(resources())"
    answer = subprocess.run([sys.executable, "-c", ask], cwd=wheel, capture_output=True, text=True, check=True)
    assert Path(answer.stdout.strip()) == wheel / "explorer" / "resources"


def test_command():
    (command,) = entry_points(group="console_scripts", name="explorer")
    assert command.value == "explorer.__main__:main"


def test_repainting_drops_no_reference_to_none(qtbot):
    # PySide6 6.12.0 on Python 3.11 does, and a few thousand paints end the process.
    from PySide6.QtWidgets import QWidget

    class Painted(QWidget):
        paints = 0

        def paintEvent(self, event):
            self.paints += 1

    widget = Painted()
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    before, painted = sys.getrefcount(None), widget.paints
    for _ in range(200):
        widget.repaint()
    assert widget.paints - painted == 200
    assert sys.getrefcount(None) > before - 100


class TestSystemLibraries:
    @pytest.fixture
    def system(self):
        spec = importlib.util.spec_from_file_location("system_libraries", ROOT / "packaging" / "system_libraries.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @pytest.fixture
    def bare(self, system, monkeypatch):
        """A Debian without two libraries, which apt-get provides; returns what was installed."""
        lacking = {"libxcb-icccm.so.4", "libxcb-keysyms.so.1"}
        installed = []

        def install(packages, prefix):
            installed.extend(packages)
            lacking.clear()

        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(system, "missing_libraries", lambda: set(lacking))
        monkeypatch.setattr(system, "has_font", lambda: True)
        monkeypatch.setattr(system.shutil, "which", lambda program: f"/usr/bin/{program}")
        monkeypatch.setattr(system, "install", install)
        return installed

    def test_reads_ldd(self, system):
        output = """
	linux-vdso.so.1 (0x00007ffd)
	libxcb-icccm.so.4 => not found
	libxcb.so.1 => /lib/x86_64-linux-gnu/libxcb.so.1 (0x00007f00)
	libxcb-keysyms.so.1 => not found
	libxcb-icccm.so.4 => not found
"""
        assert system.not_found(output) == {"libxcb-icccm.so.4", "libxcb-keysyms.so.1"}

    def test_finds_a_font(self, system, tmp_path):
        assert not system.has_font([tmp_path, tmp_path / "absent"])
        (tmp_path / "dejavu").mkdir()
        (tmp_path / "dejavu" / "DejaVuSans.ttf").touch()
        assert system.has_font([tmp_path])

    def test_installs_when_it_may(self, system, bare, monkeypatch):
        monkeypatch.setattr(system, "privilege", lambda: [])
        assert system.main([]) == 0
        assert bare == ["libxcb-icccm4", "libxcb-keysyms1"]

    def test_names_one_command_otherwise(self, system, bare, monkeypatch, capsys):
        monkeypatch.setattr(system, "privilege", lambda: None)
        assert system.main([]) == 1
        assert bare == []
        assert (
            "\n    sudo sh -c 'apt-get update && apt-get install -y libxcb-icccm4 libxcb-keysyms1'\n"
            in capsys.readouterr().err
        )

    def test_says_what_is_missing_where_there_is_no_apt(self, system, bare, monkeypatch, capsys):
        monkeypatch.setattr(system.shutil, "which", lambda program: None)
        assert system.main([]) == 1
        assert "libxcb-icccm.so.4, libxcb-keysyms.so.1" in capsys.readouterr().err

    def test_says_what_is_still_missing(self, system, bare, monkeypatch, capsys):
        monkeypatch.setattr(system, "privilege", lambda: [])
        monkeypatch.setattr(system, "install", lambda packages, prefix: None)
        assert system.main([]) == 1
        assert "Still missing: libxcb-icccm.so.4" in capsys.readouterr().err

    def test_nothing_is_missing_after_make_setup(self, system):
        if sys.platform != "linux":
            pytest.skip("ldd is Linux's")
        assert system.missing_libraries() == set()

    def test_mac_needs_nothing(self, system, monkeypatch):
        monkeypatch.setattr(sys, "platform", "darwin")
        assert system.main(["--test"]) == 0
