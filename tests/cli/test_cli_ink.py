"""`ink` says whose the ink on the page of each step is."""

import json
import os
import subprocess
import sys

import pytest

from explorer.cli import main

LESSON = """
format = 2
id = "one"
title = "One score"
paragraph = "One score."
example = "translation-lookup"
[[step]]
id = "score"
title = "A score"
words = "Row times row."
[step.look]
stage = "attention"
node = "scores"
[[step]]
id = "whole"
title = "The page"
words = "All of it."
[step.look]
stage = "attention"
[[step]]
id = "make"
title = "A question about other tables"
words = "A picture."
[step.look]
stage = "attention"
element = "heat map"
[step.question]
kind = "make"
ask = "Let *with* look at *above*."
goal = "scores[with, above] > 5"
allowed = ["Q"]
"""


def test_the_light_lets_what_a_step_names_have_more_of_the_ink(tmp_path, capsys):
    (tmp_path / "one.toml").write_text(LESSON)
    assert main(["ink", str(tmp_path / "one.toml"), "--size", "1024x640", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    named, whole, asked = found["steps"]
    assert 0 < named["plain"] < named["lit"] < 1
    assert whole["plain"] is None
    assert found["mean"] == (named["lit"] + asked["lit"]) / 2
    assert asked["lit"] > 0.6, "what its question is about counts, too"
    assert named["cut"] == []
    assert 0 < named["empty"] < 1


def test_without_a_display_it_prints_nothing_but_its_table(tmp_path):
    """Qt's plugin for no display printed a line for each size of a window."""
    (tmp_path / "one.toml").write_text(LESSON)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("QT_", "DISPLAY", "WAYLAND"))}
    command = [sys.executable, "-m", "explorer", "ink", "one.toml", "--size", "1024x640"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("argv", "said"), [(("no-such",), "no-such"), (("emma", "--size", "big"), "'big' is not a size")]
)
def test_what_is_wrong_is_one_line(argv, said, capsys):
    assert main(["ink", *argv]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
