"""``explorer --register-desktop``."""

import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.cli.window import _quoted

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are Linux's")


@pytest.fixture
def share(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "Jörg Müller"))
    return tmp_path / "Jörg Müller"


def read(file):
    entry = ConfigParser(interpolation=None)
    entry.optionxform = str
    entry.read_string(file.read_text("utf-8"))
    return entry["Desktop Entry"]


@on_linux
def test_writes_a_menu_entry_that_starts_this_program(share, capsys):
    assert main(["--register-desktop"]) == 0
    entry = read(share / "applications/transformer-explorer.desktop")
    program, *rest = shlex.split(entry["Exec"])
    assert rest[-1] == "%f"
    done = subprocess.run([program, *rest[:-1], "--help"], capture_output=True, text=True, check=True)
    assert "--register-desktop" in done.stdout
    assert (share / "icons/hicolor/scalable/apps/transformer-explorer.svg").read_text("utf-8").startswith("<svg")
    wrote = [line.removeprefix("wrote ") for line in capsys.readouterr().out.splitlines()[:-1]]
    assert len(wrote) == 3
    assert all(Path(file).is_file() for file in wrote)


@on_linux
@pytest.mark.skipif(not shutil.which("update-mime-database"), reason="shared-mime-info is part of a desktop")
def test_documents_have_their_type(share):
    for _ in range(2):  # a second time does no harm
        assert main(["--register-desktop"]) == 0
    types = (share / "mime/globs2").read_text("utf-8")
    assert ":application/x-transformer-explorer:*.explorer\n" in types
    assert ":application/x-transformer-explorer-lesson:*.lesson.toml\n" in types
    assert ":application/x-transformer-explorer-lesson:*.sheet.toml\n" in types
    assert ":application/x-transformer-explorer-lessons:*.lessons\n" in types
    assert "*.zip" not in types


def test_other_systems_are_told(monkeypatch, share, capsys):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert main(["--register-desktop"]) == 2
    assert "Linux" in capsys.readouterr().err
    assert not share.exists()


def test_a_path_of_any_letters_is_quoted():
    assert _quoted("/opt/my $100%/explorer") == r'"/opt/my \\$100%%/explorer"'
    assert _quoted(r"/opt/a\b", "-m") == r'"/opt/a\\\\b" "-m"'
