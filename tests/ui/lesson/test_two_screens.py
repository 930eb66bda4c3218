"""Presenter mode with a second screen: the class has one, the lecturer the other."""

import json
import os
import subprocess
import sys
from pathlib import Path

SCREEN = {"width": 1280, "height": 720, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1, "y": 0}


def test_the_class_and_the_lecturer_have_a_screen_each(file, tmp_path):
    screens = [{"name": name, "x": x, **SCREEN} for name, x in (("laptop", 0), ("projector", 1280))]
    config = tmp_path / "screens.json"
    config.write_text(json.dumps({"screens": screens}))
    root = Path(__file__).parents[3]
    script = Path(__file__).with_name("two_screens.py")
    pictures = os.environ.get("PICTURES", "")
    done = subprocess.run(
        [sys.executable, script, file, pictures],
        env={**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={config}", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["screens"] == 2
    assert said["own"] == "laptop"
    assert said["first"] == ["projector", "laptop"]
    assert said["active"]  # the keys are the lecturer's
    assert "Wait until all have found it." in said["notes"]
    assert said["next"] == "Next: A share"
    assert said["clock"]
    assert said["at"] == 1
    assert said["class"] == "?"  # the class has to guess
    assert said["lecturer"] == "0.665"  # who asks knows the answer
    assert said["next picture"]
    assert "2:00" in said["times"]  # planned for this step
    assert said["swapped"] == ["laptop", "projector"]
    assert said["left"]
    assert said["kept"] == 1
