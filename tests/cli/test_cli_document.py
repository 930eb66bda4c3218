"""A document is shown, explained and opened as a lesson is."""

import json

import numpy as np
import pytest

from explorer.cli import main
from explorer.document.commands import PinCells, SetCells
from explorer.document.document import Document
from explorer.document.storage import save
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load


@pytest.fixture
def edited(tmp_path):
    """ "Emma", with a cell set and one pinned."""
    document = Document(load("emma").state("textbook"))
    document.do(SetCells("Q", {(0, 0): 2.5}))
    document.do(PinCells("weights", {(0, 1): 0.25}))
    save(document.state, "My Emma", tmp_path / "mine.explorer")
    return str(tmp_path / "mine.explorer")


def out(capsys, *argv):
    assert main(argv) == 0
    return capsys.readouterr().out


def nodes(capsys, *argv):
    shown = json.loads(out(capsys, "show", *argv, "--format", "json"))["nodes"]
    return {name: np.array(node["value"]) for name, node in shown.items()}


def test_show(edited, capsys):
    found = nodes(capsys, edited, "Q", "weights")
    assert found["Q"][0, 0] == 2.5
    assert found["weights"][0, 1] == 0.25
    assert nodes(capsys, edited, "Q", "--set", "Q[0,0]=1")["Q"][0, 0] == 1


def test_a_setting_of_its_lesson(edited, capsys):
    assert nodes(capsys, edited, "Q", "--setting", "textbook")["Q"][0, 0] != 2.5


def test_explain(edited, capsys):
    assert out(capsys, "explain", edited, "Q[0,0]").startswith("Q[0,0] = 2.5")


def test_as_a_script(edited, capsys):
    assert "My Emma (emma), Textbook" in out(capsys, "show", edited, "--format", "python")


def test_a_document_of_no_lesson(tmp_path, capsys):
    lesson = new_lesson("gpt", ["a b c"], d_model=4)
    save(lesson.state(), lesson.title, tmp_path / "a.explorer")
    found = nodes(capsys, str(tmp_path / "a.explorer"), "input.table")
    np.testing.assert_array_equal(found["input.table"], lesson.state().inputs["input.table"])


@pytest.mark.parametrize("argv", [("show",), ("explain", "Q[0,0]"), ()])
def test_a_file_that_cannot_be_opened(tmp_path, capsys, argv, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    command, rest = argv[:1], argv[1:]
    broken = tmp_path / "broken.explorer"
    broken.write_bytes(b"PK\x03\x04")
    assert main([*command, str(broken), *rest]) == 2
    why = "cannot be opened: it was not written by this program. Open another copy of it."
    assert capsys.readouterr().err == f"explorer: {broken}: {why}\n"
    assert main([*command, str(tmp_path / "gone.explorer"), *rest]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "gone.explorer" in line
