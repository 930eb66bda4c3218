"""`render` writes pictures, with and without a display, and `ink` says whose the ink on the page of each step is."""

import json
import struct
import sys
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

from explorer.cli import main
from explorer.cli.parser import UsageError
from explorer.cli.render import parse_size
from tests.samples import each
from tests.started import drawn_without_display

LESSON = """
format = 4
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


@pytest.fixture
def run(qapp, monkeypatch, tmp_path, capsys):
    """Runs the command in a folder of its own: what it returns and prints."""
    monkeypatch.chdir(tmp_path)
    return lambda *argv: (main(["render", *argv]), *capsys.readouterr())


def test_pictures_without_a_display(tmp_path):
    done = drawn_without_display(tmp_path, "render", "emma", "attention", "emma.png", "--size", "640x480")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote emma.png\n", "")
    head = (tmp_path / "emma.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:]) == (1280, 960)


def test_what_moves_is_drawn_while_the_model_learns(run, tmp_path):
    done = run("xor", "layer.2", "learn.png", "--frames", "--learn", "2", "--setting", "random")
    assert done == (0, "wrote learn-1.png to learn-3.png\n", "")
    first, last = ((tmp_path / f"learn-{i}.png").read_bytes() for i in (1, 3))
    assert first[:24] == last[:24], "of one size"
    assert first != last


def test_a_cell_is_played_row_by_row(run, tmp_path):
    done = run("emma", "attention", "score.png", "--frames", "--cell", "scores[0,8]")
    assert done == (0, "wrote score-1.png to score-6.png\n", "")
    assert len({path.read_bytes() for path in tmp_path.glob("score-*.png")}) == 6


def test_edits_are_drawn(run, tmp_path):
    edits = ("--setting", "textbook", "--tokens", "You are great", "--set", "source.table[0,1]=2.75")
    done = run("you-are-welcome", "source.embedding", "X.SVG", "--theme", "dark", *edits)
    assert done == (0, "wrote X.SVG\n", "")
    words = [element.text for element in ET.parse(tmp_path / "X.SVG").iter("{http://www.w3.org/2000/svg}text")]
    assert {"great", "2.75"} <= set(words)


@pytest.mark.parametrize(
    ("stage", "out", "said"),
    [
        ("atention", "x.pdf", "There is no stage 'atention' (did you mean 'attention'?); known: model, attention, "),
        ("attention", "no/x.pdf", "x.pdf: cannot be written: there is no such folder."),
    ],
)
def test_what_comes_to_light_late(run, tmp_path, stage, out, said):
    code, out, err = run("emma", stage, out)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert said in line
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def rendered(monkeypatch):
    """What is asked for, without drawing it."""
    calls = []

    def render(lesson, document, stage, ending, size, theme):
        calls.append((lesson.id, document.state.setting, stage, ending, size, theme))
        return b"%PDF of Transformer Explorer"

    monkeypatch.setitem(sys.modules, "explorer.ui.render", SimpleNamespace(render=render))
    return calls


def test_what_is_asked_for(rendered, tmp_path, capsys):
    out = tmp_path / "a.b.Pdf"
    assert main(["render", "emma", "attention", str(out)]) == 0
    options = ("--size", "300×200", "--theme", "dark", "--setting", "textbook")
    assert main(["render", "emma", "attention", str(out), *options]) == 0
    assert rendered == [
        ("emma", "plain", "attention", ".pdf", None, None),
        ("emma", "textbook", "attention", ".pdf", (300, 200), "dark"),
    ]
    assert out.read_bytes() == b"%PDF of Transformer Explorer"
    assert capsys.readouterr().out == f"wrote {out}\n" * 2


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (("emma",), ("STAGE, OUT", "`explorer render --help`")),
        (("emma", "attention"), ("OUT",)),
        (("emm", "attention", "x.png"), ("'emm'", "did you mean 'emma'?")),
        (("emma", "attention", "x.bmp"), ("'x.bmp'", ".png, .svg, .pdf, .gif or .mp4")),
        (("emma", "attention", "png"), ("'png'", ".png, .svg, .pdf, .gif or .mp4")),
        (("emma", "attention", "x.svg", "--frames"), ("with --frames it is a .png",)),
        (("emma", "attention", "x.gif", "--learn", "0"), ("--learn",)),
        (("emma", "attention", "x.svg", "--learn", "2"), ("--learn is for what moves", ".gif")),
        (("emma", "attention", "x.gif", "--size", "300x300"), ("leave out --size and --theme",)),
        (("emma", "attention", "x.png", "--frames", "--theme", "dark"), ("leave out --size and --theme",)),
        (("emma", "attention", "x.png", "--cell", "scores[0,8]"), (".gif or an .mp4", "--frames")),
        (("emma", "attention", "x.gif", "--cell", "scores[0,9]"), ("no cell [0, 9]",)),
        (("emma", "attention", "x.gif", "--cell", "scores[0"), ("scores[0",)),
        (("emma", "attention", "x.png", "--theme", "blue"), ("'blue'", "light or dark")),
        (("emma", "attention", "x.png", "--size", "big"), ("'big'", "1280x720")),
        (("emma", "attention", "x.png", "--size", "99999x720"), ("'99999x720'", "100 to 4096")),
        (("emma", "attention", "x.png", "--set", "Q[9,9]=1"), ("[9, 9]",)),
        (("emma", "attention", "x.png", "--setting", "x"), ("'x'", "plain, textbook, printed")),
    ],
)
def test_wrong_input(rendered, capsys, monkeypatch, tmp_path, argv, names):
    monkeypatch.chdir(tmp_path)
    assert main(["render", *argv]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert all(name in line for name in names), line
    assert rendered == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "size"), [("1280x720", (1280, 720)), (" 100 × 4096 ", (100, 4096))])
def test_sizes(text, size):
    assert parse_size(text) == size


@each("text", ["", "x", "1280", "1280x", "-200x200", "99x200", "200x4097", "200x200x200", "2e2x200"])
def test_what_is_no_size(text):
    with pytest.raises(UsageError):
        parse_size(text)


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
    (tmp_path / "one.toml").write_text("[[step]]".join(LESSON.split("[[step]]")[:2]))
    done = drawn_without_display(tmp_path, "ink", "one.toml", "--size", "1024x640")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("argv", "said"), [(("no-such",), "no-such"), (("emma", "--size", "big"), "'big' is not a size")]
)
def test_what_is_wrong_is_one_line(argv, said, capsys):
    assert main(["ink", *argv]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
