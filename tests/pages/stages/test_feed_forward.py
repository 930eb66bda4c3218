"""Feed-forward: which units are off, said, hatched and drawn."""

import numpy as np
import pytest

from explorer.core.graph import Cell
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.pages.drawing import Curve, Dot
from explorer.pages.gestures import ChooseToken
from explorer.pages.view import row_of

STAGE, BLOCK = "encoder.1.ffn.layers", "encoder.1.ffn"


@pytest.fixture
def start(desk):
    """With two units of the first word off."""
    found = desk()
    found.do(PinCells(f"{BLOCK}.hidden", {(0, 1): -1.0, (0, 4): -2.0, (0, 0): 3.0}))
    return found


def bars(page, column):
    return [line.entries[column].value for line in page.the("units").lines]


def dots(page):
    return page.marks("curve", Dot)


def test_all_steps_stand_there_in_order(start):
    page = start.page(STAGE)
    names = [f"{BLOCK}.{short}" for short in ("W_1", "b_1", "hidden", "activation", "W_2", "b_2", "output")]
    assert [name for name in dict.fromkeys(page.names) if name in names] == names
    assert page.sections[1] == "Activation: numbers below 0 are switched off"


def test_units_before_and_after(start):
    page, hidden, activation = start.page(STAGE), start.value(f"{BLOCK}.hidden"), start.value(f"{BLOCK}.activation")
    assert bars(page, 2) == hidden[0].tolist()
    assert bars(page, 4) == activation[0].tolist()
    assert [(dot.x, dot.y) for dot in dots(page)] == list(zip(hidden[0], activation[0], strict=True))
    (curve,) = page.marks("curve", Curve)
    np.testing.assert_array_equal(curve.y, np.maximum(curve.x, 0))


def test_units_that_are_off_are_said_hatched_and_hollow(start):
    page = start.page(STAGE)
    assert [row[5] for row in page.texts("units")] == ["", "off", "", "", "off", ""]
    off = [False, True, False, False, True, False]
    assert [line.entries[2].off for line in page.the("units").lines] == off
    assert [dot.hollow for dot in dots(page)] == off
    assert "2 of 6 off: units 2, 5 are 0 after ReLU. Every other sum stays as it is." in page.notes
    assert "<mark>You</mark>" in page.notes


def test_of_an_activation_that_alters_all_sums_it_is_not_said_that_they_stay(start):
    start.do(SetSwitch(BLOCK, "activation", "GELU"), PinCells(f"{BLOCK}.hidden", {(0, 1): 0.0}))
    said = start.page(STAGE).notes
    assert "1 of 6 off: unit 2 is 0 after GELU. GELU changes every other sum." in said
    start.do(PinCells(f"{BLOCK}.activation", {(0, 2): 3.0}))
    said = start.page(STAGE).notes
    assert "units are held at typed values" in said
    assert "every other" not in said


def test_with_a_gate_another_width_is_usual(desk):
    assert (
        "105 hidden units (usual with a gate are ⅔ of 4 × 32, 85)"
        in desk("changed-since-2017", "llama").page("decoder.1.ffn.layers").notes
    )


def test_the_width_is_stated(start):
    assert "6 hidden units (usual are 4 × 4 = 16)" in start.page(STAGE).notes
    start.do(SetSwitch(BLOCK, "d_ff", 0))
    page = start.page(STAGE)
    assert "16 hidden units (as usual)" in page.notes
    assert len(page.the("units").lines) == 16


def test_the_units_add_their_lines_of_the_weights(start):
    assert start.page(STAGE).the("back").text.endswith("their rows of W_2")
    start.do(SetSwitch(BLOCK, "weights", "W x"))
    assert start.page(STAGE).the("back").text.endswith("their columns of W_2")


def test_one_unit_is_no_several(start):
    start.do(SetSwitch(BLOCK, "d_ff", 1))
    notes = start.page(STAGE).notes
    assert "1 hidden unit (usual are" in notes
    assert "the only unit is on; no sum is below zero" in notes


def test_another_position(start):
    assert start.page(STAGE).the("row of source").asks == (ChooseToken("source"),)
    start.choose(row_of("source"), 2)
    page, activation = start.page(STAGE), start.value(f"{BLOCK}.activation")
    assert bars(page, 4) == activation[2].tolist()
    assert dots(page)[0].y == activation[2, 0]
    assert "welcome" in page.notes


def test_an_edit_is_followed(start):
    start.do(SetCells(f"{BLOCK}.b_1", {(2,): -1000.0}))
    page = start.page(STAGE)
    assert page.texts("units")[2][5] == "off"
    assert dots(page)[2].x == start.value(f"{BLOCK}.hidden")[0, 2]


@pytest.mark.parametrize(
    ("activation", "said"),
    [("GELU", "GELU makes no sum exactly 0"), ("sigmoid", "nearer to 1: "), ("identity", "no more than one")],
)
def test_other_activations(start, activation, said):
    start.do(SetSwitch(BLOCK, "activation", activation))
    page = start.page(STAGE)
    assert said in page.notes
    assert "switched off" not in " ".join(page.sections)
    assert [dot.y for dot in dots(page)] == start.value(f"{BLOCK}.activation")[0].tolist()


def test_behind_the_last_layer_there_is_none_that_it_is_one_with(desk):
    net = desk("xor", "textbook")
    assert "the identity changes nothing: the sums are the answer" in net.page("layer.2").notes


def test_what_a_sigmoid_leaves_in_the_middle_is_nearer_to_neither(desk):
    assert "in the middle: h₁, h₂" in desk("xor", "zeros").page("layer.1").notes


def test_a_unit_is_one_cell_of_the_activation(start):
    page = start.page(STAGE)
    assert page.the("units").lines[3].cell == dots(page)[3].cell == Cell(f"{BLOCK}.activation", (0, 3))
    assert dots(page)[3].also == (Cell(f"{BLOCK}.hidden", (0, 3)),)


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(start, count):
    start.do(SetTokens("source", tuple(f"<w{i}>" for i in range(count))))
    start.choose(row_of("source"), count - 1)
    page = start.page(STAGE)
    assert f"&lt;w{count - 1}&gt;" in page.notes
    assert bars(page, 4) == start.value(f"{BLOCK}.activation")[-1].tolist()


def test_of_very_many_units_some_are_drawn_and_all_are_listed(start):
    start.do(SetSwitch(BLOCK, "d_ff", 3000))
    page = start.page(STAGE)
    assert len(page.the("units").lines) == 3000
    assert len(dots(page)) == 512
    assert "Of 3,000 units the first 512 are drawn." in page.notes


@pytest.mark.parametrize("case", range(4))
def test_a_net_has_the_same_picture_for_each_case(desk, case):
    xor = desk("xor")
    xor.choose(row_of("input"), case)
    hidden = xor.value("layer.1.hidden")[case]
    np.testing.assert_array_equal([dot.x for dot in dots(xor.page("layer.1"))], hidden)


def test_other_way_of_writing_weights(start):
    start.do(SetSwitch(BLOCK, "weights", "W x"))
    assert start.value(f"{BLOCK}.W_1").shape == (6, 4)
    page = start.page(STAGE)
    assert page.the(f"{BLOCK}.W_1").title == "transposed in the product"
    assert bars(page, 2) == start.value(f"{BLOCK}.hidden")[0].tolist()


def test_where_all_units_are_off_no_other_passes(desk):
    xor = desk("xor", "textbook")
    assert "For “<mark>0, 1</mark>”" in xor.page("layer.1").notes, "of zeros there is nothing to see"
    xor.choose(row_of("input"), 0)
    assert "2 of 2 off: units h₁, h₂ are 0 after ReLU. Nothing passes." in xor.page("layer.1").notes


def test_a_straight_line_switches_no_unit_off(desk):
    """A sum of 0 was called off beside "the identity changes nothing"."""
    xor = desk("xor", "textbook")
    xor.choose(row_of("input"), 0)
    page = xor.page("layer.2")
    assert "the identity changes nothing" in page.notes
    assert 0 in bars(page, 4)
    assert not any(entry.off or entry.text == "off" for line in page.the("units").lines for entry in line.entries)
    assert not any(dot.hollow for dot in dots(page))


def test_bars_of_units_have_the_colours_of_signs_and_those_behind_a_sigmoid_of_shares(desk):
    """Positive units were blue, as negative ones are, where none was below 0."""
    columns = desk("sin").page("layer.3").the("units").columns
    assert [columns[i].signed for i in (2, 4)] == [True, True]
    columns = desk("xor", "random").page("layer.1").the("units").columns
    assert [columns[i].signed for i in (2, 4)] == [True, False]
