"""The controls of steps by hand, as data."""

from dataclasses import replace
from math import inf

from explorer.pages.controls import Button, Choice, Field, Number
from explorer.pages.element import leaves
from explorer.pages.gestures import Descend
from explorer.pages.page import Note, Passage
from explorer.pages.training.steps import StepsByHand, steps_page

PACES = (1.0, 10.0, inf)
BEFORE = StepsByHand(0.35667, None, False, "SGD", 0.1, 100, False, 10.0, PACES)


def parts(steps):
    return {one.id: one for element in steps_page(steps) for one in leaves(element)}


def disabled(steps):
    return {id for id, one in parts(steps).items() if not getattr(one, "on", True)}


def test_before_the_first_step_there_is_no_way_back():
    shown = parts(BEFORE)
    assert shown["loss"] == Passage("loss", "Loss 0.35667", "strong", plain=True)
    assert disabled(BEFORE) == {"back", "way", "over"}
    assert isinstance(shown["optimiser"], Choice)
    assert shown["optimiser"].options[shown["optimiser"].chosen] == "SGD"
    assert isinstance(shown["rate"], Field)
    assert (shown["rate"].value, shown["rate"].enters.at("0,2")) == ("0.1", Descend("set_rate", "0,2"))
    assert isinstance(shown["many"], Number)
    assert shown["many"].does.asks == Descend("take", 100)
    assert shown["play"].asks == Descend("play")


def test_of_a_run_it_says_where_the_document_is():
    run = replace(BEFORE, way=(0, 4, 9), edited=True, going=True)
    shown = parts(run)
    assert shown["loss"].text == "Loss 0.35667 after 4 steps, then edited"
    assert isinstance(shown["way"], Number)
    assert (shown["way"].least, shown["way"].value, shown["way"].most) == (0, 4, 9)
    assert disabled(run) == set()
    assert isinstance(shown["play"], Button)
    assert (shown["play"].text, shown["play"].asks, shown["back"].asks) == (
        "Pause",
        Descend("stop"),
        Descend("travel", 3),
    )
    assert "back" in disabled(replace(run, way=(4, 4, 9)))


def test_the_pace_is_said_and_has_ends():
    said = {pace: (parts(replace(BEFORE, pace=pace))["pace"], disabled(replace(BEFORE, pace=pace))) for pace in PACES}
    assert [note.text for note, _ in said.values()] == ["1 step a second", "10 steps a second", "as fast as it goes"]
    assert all(isinstance(note, Note) for note, _ in said.values())
    assert "slower" in said[1.0][1]
    assert "faster" in said[inf][1]
    assert not {"slower", "faster"} & said[10.0][1]
