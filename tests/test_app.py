"""What the window remembers from one start to the next, in a program of its own each time."""

import json
import subprocess
import sys

import pytest

from explorer.settings import FILE

PROGRAM = """
import sys
from explorer.app import open_window
app, window = open_window(remembers=sys.argv[1] == "remembers")
look = window.bench.appearance
print(look.mode, look.scale)
look.set_mode("dark")
look.zoom(1)
app.processEvents()
"""


def start(remembers="remembers"):
    done = subprocess.run([sys.executable, "-c", PROGRAM, remembers], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_theme_and_text_size_are_those_of_last_time(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_SETTINGS", str(tmp_path))
    assert start() == ["system", "1.0"]
    assert start() == ["dark", "1.1"]
    assert start("does not") == ["system", "1.0"]


@pytest.mark.parametrize("scale", [7, 1e300, "NaN", "large"])
def test_settings_that_cannot_be_are_not_followed(monkeypatch, tmp_path, scale):
    text = json.dumps({"theme": "blue", "text scale": scale}).replace('"NaN"', "NaN")
    (tmp_path / FILE).write_text(text)
    monkeypatch.setenv("EXPLORER_SETTINGS", str(tmp_path))
    assert start() == ["system", "1.0"]
