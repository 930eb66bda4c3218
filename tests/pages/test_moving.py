"""The list of what moves."""

from explorer.core.numbers import written
from explorer.core.training.recipe import length
from explorer.core.training.trainer import trainable
from explorer.pages.model.changes import OPENED, moving
from explorer.pages.view import Steps

BLOCK = "encoder.1.self"
TITLE = "Encoder 1: Self-attention"


def moves_of(here):
    return {name: usual for name, usual in trainable(here.view.graph, here.view.state.model).items() if usual}


def lines_of(here, moves, measured=False):
    return {line.entries[0].text: line.entries for line in moving(here.view, moves, measured).lines}


def test_few_weights_stand_below_each_other(desk):
    here = desk("xor")
    lines = lines_of(here, moves_of(here))
    assert list(lines) == ["W in Layer 1", "b in Layer 1", "W in Layer 2", "b in Layer 2"]
    box, opens = lines["W in Layer 1"]
    assert (box.tick, box.leads.names, box.leads.value, opens.text) == (1, ("layer.1.W",), False, "")


def test_of_many_each_block_is_a_line_that_opens(desk):
    here = desk()
    moves = moves_of(here) | {f"{BLOCK}.W_Q": False}
    box, opens = lines_of(here, moves)[TITLE]
    inside = tuple(name for name in moves if name.startswith(f"{BLOCK}."))
    assert 0 < box.tick < 1
    assert (box.leads.names, box.leads.value) == (inside, True), "of some that move all do"
    assert opens.text == f"show {len(inside)}"
    here.choose(OPENED, opens.leads.value)
    lines = lines_of(here, moves)
    assert [lines[f"    {name}"][0].tick for name in ("W_Q", "W_K")] == [0, 1]
    assert lines["    W_Q"][0].leads.names == (f"{BLOCK}.W_Q",)
    assert lines[TITLE][1].text == "hide"
    here.choose(OPENED, lines[TITLE][1].leads.value)
    assert lines_of(here, moves).keys().isdisjoint(lines.keys() - {*lines_of(desk(), moves)})


def test_beside_it_stands_how_long_the_gradient_is(desk):
    here = desk()
    moves = moves_of(here)
    inside = [name for name in moves if name.startswith(f"{BLOCK}.")]
    gradients = here.view.engine.gradients().several(inside)
    assert lines_of(here, moves, measured=True)[TITLE][1].text == written(length(gradients.values()), 4)
    here.others = {"steps": Steps(0.1, moves, False, False, dict)}
    assert {entries[1].text for entries in lines_of(here, moves, measured=True).values()} == {"…"}
