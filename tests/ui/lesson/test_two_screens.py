"""Presenter mode with a second screen: the class has one, the lecturer the other."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.started import started

SCREEN = {"width": 1280, "height": 720, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1, "y": 0}


def test_the_class_and_the_lecturer_have_a_screen_each(file, tmp_path):
    screens = [{"name": name, "x": x, **SCREEN} for name, x in (("laptop", 0), ("projector", 1280))]
    config = tmp_path / "screens.json"
    config.write_text(json.dumps({"screens": screens}))
    script = Path(__file__).with_name("two_screens.py").read_text("utf-8")
    pictures = os.environ.get("PICTURES", "")
    done = started(script, file, pictures, QT_QPA_PLATFORM=f"offscreen:configfile={config}")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["screens"] == 2
    assert said["own"] == "laptop"
    assert said["first"] == ["projector", "laptop"]
    assert said["active"]  # the keys are the lecturer's
    assert said["focus"]  # else the first cell of the lecturer's matrix took the focus, and the wall framed it
    assert "Wait until all have found it: 1.0." in said["notes"]
    assert said["next"] == "Next: A share"
    assert said["no poll"] == [False, True]  # the lecturer is told, and not the class
    assert said["clock"]
    assert said["at"] == 1
    assert said["class"] == "?"  # the class has to guess
    assert said["lecturer"] == "0.665"  # who asks knows the answer
    assert said["typed"] == ["0.5"]  # typed in the lecturer's window, it answers what the class is asked
    assert not said["blank"]  # which a point would be without a number before it
    assert said["chosen"] == 2  # of all steps, the one behind the one that it is at
    assert said["next picture"]
    assert "What is the share of A?" in said["asked"]
    assert "<br>✓ 0.67<br>" in said["asked"]
    assert "V: the class votes." in said["asked"]
    assert "What is the share of A?" in said["voted"]
    assert "<td align='right'>2</td>" in said["voted"]  # which the class does not see yet
    assert said["voted"].count("✓") == 1
    assert "→ shows the votes" in said["voted"]
    assert said["larger"]  # in the size that the lecturer has chosen, however large the wall is
    assert said["slide as large"]
    assert said["votes in sight"]  # below notes that are now higher than the window
    assert said["across"] == 0
    assert said["files"]  # are asked for on the lecturer's screen
    assert said["asked again"]
    assert "2:00" in said["times"]  # planned for this step
    assert said["swapped"] == ["laptop", "projector"]
    assert said["left"]
    assert said["kept"] == 1


NEEDED = ("Xvfb", "openbox", "xrandr", "xdotool")


@pytest.fixture
def display(tmp_path):
    """An X server as wide as two screens, with a window manager that is ready; it chooses a number that is free."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    reading, writing = os.pipe()
    # Else it would forget its monitors as soon as the program that names them has gone.
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "2560x720x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as said:
        number = said.readline().strip()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    os.mkfifo(ready := tmp_path / "ready")
    manager = subprocess.Popen(
        ["openbox", "--startup", f"cp /dev/null {ready}"], env={**os.environ, "DISPLAY": f":{number}"}, **quiet
    )
    ready.read_bytes()  # waits until the manager has run what it runs at its start
    yield f":{number}"
    for process in (manager, server):
        process.terminate()
        process.wait()


def test_a_projector_is_plugged_in_and_unplugged_under_real_keys(file, display):
    script = Path(__file__).with_name("plugged_screen.py").read_text("utf-8")
    done = started(script, file, os.environ.get("PICTURES", ""), QT_QPA_PLATFORM="xcb", DISPLAY=display)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said.pop("alone") == said.pop("left alone") == ["laptop"]
    assert said.pop("both") == ["beamer", "laptop"]
    assert all(said.values()), said
