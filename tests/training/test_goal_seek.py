"""A wished number is found by gradient descent, or it is said why not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.cli import main
from explorer.core.graph import Root
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.training.goal_seek import command, seek
from tests.refusals import refuses

WEIGHT = Root("encoder.1.self.weights", (0, 0, 2))
STATE = load("you-are-welcome").state("textbook")


@given(st.floats(0.001, 0.999))
@settings(max_examples=40, deadline=None)
def test_every_share_can_be_had(wished):
    found = seek(STATE, WEIGHT, wished, [("encoder.1.self.W_Q", ())])
    assert found.reached
    document = Document(STATE)
    document.do(command(found, "A"))
    assert document.engine.values[WEIGHT.node][WEIGHT.cell] == pytest.approx(wished, abs=1e-8)
    assert set(found.inputs) == {"encoder.1.self.W_Q"}
    document.undo()
    assert document.state is STATE


def test_each_step_comes_nearer():
    found = seek(STATE, Root("loss.value"), 0.01, [("output.W", ())])
    values = [found.began, *(move.value for move in found.moves)]
    away = [abs(value - 0.01) for value in values]
    assert away == sorted(away, reverse=True)
    assert len(set(away)) == len(away)


def test_only_what_may_change_changes():
    change = [("encoder.1.self.head.2.W_Q", (1, 2)), ("source.table", (0, 0))]
    found = seek(STATE, Root("loss.value"), 0.0636, change)
    assert found.reached
    moved = {
        (name, *map(int, cell))
        for name, array in found.inputs.items()
        for cell in np.argwhere(array != STATE.used[name])
    }
    assert moved == {("encoder.1.self.W_Q", 1, 1, 2), ("source.table", 0, 0)}


@pytest.mark.parametrize(
    ("root", "wished", "change", "least", "most", "said"),
    [
        (WEIGHT, 1.5, "encoder.1.self.W_Q", 0.99, 1.0, "nothing that may change moves it any more"),
        (WEIGHT, 0.9, "target.table", 0.53, 0.54, "^nothing that may change moves it$"),
        # ReLU gives nothing below 0; a number among four is measured at most √3.
        (Root("encoder.1.ffn.activation", (0, 0)), -3.0, "encoder.1.ffn.W_1", 0.0, 0.0, "any more"),
        (Root("encoder.1.self.norm", (0, 0)), 2.5, "source.table", 1.732, 1.7321, "nearer than 1.73205"),
    ],
)
def test_what_cannot_be_had_is_said_to_be_so(root, wished, change, least, most, said):
    import re

    found = seek(STATE, root, wished, [(change, ())])
    assert not found.reached
    assert least <= found.value <= most
    assert re.search(said, found.reason)
    assert str(found).endswith(f"{wished:g} is not reached: {found.reason}.")


def test_a_number_that_is_there_takes_no_step():
    now = float(Document(STATE).engine.values["loss.value"])
    found = seek(STATE, Root("loss.value"), now, [("output.W", ())])
    assert found.reached
    assert found.moves == ()


def test_from_python_it_is_one_step_of_undo_and_nothing_where_it_fails():
    m = explorer.open("you-are-welcome", "textbook")
    found = m.seek("encoder.1.self.weights[0,0,2]", 0.9, change="encoder.1.self.W_Q")
    assert found.reached
    assert m["encoder.1.self.weights"][0, 0, 2] == pytest.approx(0.9)
    assert m.undo() == "Undo: Seek encoder.1.self.weights[0,0,2] = 0.9"
    assert not m.seek("encoder.1.self.weights[0,0,2]", 2, change=["encoder.1.self.W_Q"]).reached
    assert not m.document.history.modified
    for cell, change, said in (
        ("loss.value[3]", "output.W", "has no cell"),
        ("loss.value", "encoder.1.self.Q", "is computed"),
        ("loss.value", "source.tokens", "whole numbers"),
        ("loss.value", "output.W[99,0]", "has no cell"),
    ):
        with refuses(said):
            m.seek(cell, 0, change=change)


def test_a_number_that_is_not_finite_reaches_nothing():
    """NaN was said to be any wished number in 0 steps."""
    m = explorer.open("two-vectors")
    for value in (np.nan, np.inf):
        m.set("x", {(0, 0): value})
        found = m.seek("dot[0,0]", 4, change="y")
        assert found.reason == "it is not a finite number"
        assert not found.reached


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_what_is_no_number_is_not_reached(capsys, value):
    """No number is nearer to NaN than another: it was said to be reached in 0 steps."""
    assert main(["seek", "two-vectors", f"dot[0,0]={value}", "--change", "x"]) == 2
    assert f"'{value}' is not a number" in capsys.readouterr().err


def test_the_command(capsys, tmp_path):
    out = tmp_path / "sought.explorer"
    assert main(["seek", "two-vectors", "dot[0,0]=4", "--change", "x", "--out", str(out)]) == 0
    assert "4 is reached in 1 step." in capsys.readouterr().out
    assert explorer.open(out)["dot"][0, 0] == pytest.approx(4)
    assert main(["seek", "two-vectors", "cosine[0,0]=2", "--change", "x"]) == 1
    assert "not reached" in capsys.readouterr().out
    assert main(["seek", "two-vectors", "cosine[0,0]=2"]) == 2
    assert "--change" in capsys.readouterr().err
