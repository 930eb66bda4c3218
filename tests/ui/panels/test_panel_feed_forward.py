"""Feed-forward: which units are off, said, hatched and drawn."""

import numpy as np
import pytest
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.row_choice import RowChoice

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.ui.page.listing import Listing
from explorer.ui.selection import Cell

STAGE, BLOCK = "encoder.1.ffn.layers", "encoder.1.ffn"


@pytest.fixture
def document(window):
    """With two units of the first word off."""
    window.bench.document.do(PinCells(f"{BLOCK}.hidden", {(0, 1): -1.0, (0, 4): -2.0, (0, 0): 3.0}))
    return window.bench.document


@pytest.fixture
def panel(window, document, eye):
    return eye.go_to(window, STAGE)


def units(panel):
    (listing,) = panel.findChildren(Listing)
    return listing.rows


def texts(panel):
    rows = units(panel)
    return [[rows.text(i, j) for j in range(rows.columnCount())] for i in range(rows.rowCount())]


def dots(panel):
    from explorer.ui.widgets.curves import Curves

    (picture,) = panel.findChildren(Curves)
    return picture.drawing.dots


def notes(panel):
    return " ".join(note.text() for note in panel.findChildren(Note))


def test_all_steps_stand_there_in_order(window, panel, eye):
    names = [f"{BLOCK}.{short}" for short in ("W_1", "b_1", "hidden", "activation", "W_2", "b_2", "output")]
    assert set(names) <= eye.views(window).keys()


def test_units_before_and_after(window, panel, eye):
    hidden, activation = eye.value(window, f"{BLOCK}.hidden"), eye.value(window, f"{BLOCK}.activation")
    rows = units(panel)
    assert [rows.value(j, 2) for j in range(6)] == hidden[0].tolist()
    assert [rows.value(j, 4) for j in range(6)] == activation[0].tolist()
    assert [(dot.x, dot.y) for dot in dots(panel)] == list(zip(hidden[0], activation[0], strict=True))


def test_units_that_are_off_are_said_hatched_and_hollow(panel):
    assert [row[5] for row in texts(panel)] == ["", "off", "", "", "off", ""]
    assert [units(panel).off(j, 2) for j in range(6)] == [False, True, False, False, True, False]
    assert [dot.hollow for dot in dots(panel)] == [False, True, False, False, True, False]
    assert "2 of 6 off: units 2, 5 are 0 after ReLU" in notes(panel)
    assert "You" in notes(panel)


def test_the_width_is_stated(window, document, panel, eye):
    assert "6 hidden units (usual are 4 × 4 = 16)" in notes(panel)
    document.do(SetSwitch(BLOCK, "d_ff", 0))
    eye.settle(window)
    assert "16 hidden units (as usual)" in notes(panel)
    assert len(texts(panel)) == 16


def test_another_position_by_button_and_by_chip(window, panel, eye, hand):
    activation = eye.value(window, f"{BLOCK}.activation")
    hand.click(eye.by_name(panel, "Position welcome"))
    assert [units(panel).value(j, 4) for j in range(6)] == activation[2].tolist()
    assert window.bench.selection.chosen_token == ("source", 2)
    window.bench.selection.choose_token(("source", 1))
    assert [units(panel).value(j, 4) for j in range(6)] == activation[1].tolist()
    assert panel.findChildren(RowChoice)[0].label == "are"
    assert "are" in notes(panel)
    assert dots(panel)[0].y == activation[1, 0]


def test_a_token_lit_while_the_mouse_is_on_it_moves_nothing(window, panel):
    window.bench.selection.set_token(("source", 2))
    assert panel.findChildren(RowChoice)[0].row == 0


def test_an_edit_is_followed(window, document, panel, eye):
    document.do(SetCells(f"{BLOCK}.b_1", {(2,): -1000.0}))
    eye.settle(window)
    assert texts(panel)[2][5] == "off"
    assert dots(panel)[2].x == eye.value(window, f"{BLOCK}.hidden")[0, 2]


@pytest.mark.parametrize(
    ("activation", "said"),
    [("GELU", "GELU makes none"), ("sigmoid", "nearer to 1: "), ("identity", "no more than one")],
)
def test_other_activations(window, document, panel, eye, activation, said):
    document.do(SetSwitch(BLOCK, "activation", activation))
    eye.settle(window)
    assert said in notes(panel)
    assert [dot.y for dot in dots(panel)] == eye.value(window, f"{BLOCK}.activation")[0].tolist()


def test_pointing_and_choosing_a_unit(window, panel, eye, hand):
    (listing,) = panel.findChildren(Listing)
    hand.click(listing.viewport(), listing.visualRect(listing.rows.index(3, 0)).center())
    assert window.bench.selection.cell == Cell(f"{BLOCK}.activation", (0, 3))
    assert [dot.here for dot in dots(panel)] == [j == 3 for j in range(6)]


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(window, document, panel, eye, count):
    document.do(SetTokens("source", tuple(f"<w{i}>" for i in range(count))))
    eye.settle(window)
    window.bench.selection.choose_token(("source", count - 1))
    assert f"&lt;w{count - 1}&gt;" in notes(panel)
    activation = eye.value(window, f"{BLOCK}.activation")
    assert [units(panel).value(j, 4) for j in range(6)] == activation[-1].tolist()
    assert not window.grab().isNull()


def test_a_net_has_the_same_picture_for_each_case(open_window, eye):
    window = open_window("xor")
    panel = eye.go_to(window, "layer.1")
    document = window.bench.document
    choice = panel.findChildren(RowChoice)[0]
    for case in range(len(document.engine.labels("input"))):
        window.bench.selection.choose_token(("input", case))
        assert choice.row == case
        hidden = document.engine.values["layer.1.hidden"][case]
        np.testing.assert_array_equal([dot.x for dot in dots(panel)], hidden)


def test_other_way_of_writing_weights(window, document, panel, eye):
    document.do(SetSwitch(BLOCK, "weights", "W x"))
    eye.settle(window)
    assert eye.value(window, f"{BLOCK}.W_1").shape == (6, 4)
    assert [units(panel).value(j, 2) for j in range(6)] == eye.value(window, f"{BLOCK}.hidden")[0].tolist()
