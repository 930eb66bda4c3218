from dataclasses import replace

import pytest
from refusals import refuses

from explorer.core import cost
from explorer.core.errors import ExplorerError
from explorer.document.commands import PinCells, Replace, SetCells, SetSwitch, SetTokens
from explorer.document.document import Change

EDIT = SetCells("output.temperature", {(): 2.0})


@pytest.fixture
def changes(translator):
    """What the document tells those who listen."""
    told = []
    translator.subscribe(told.append)
    return told


def test_an_act_tells_one_change(translator, changes):
    translator.do(EDIT)
    assert changes == [
        Change(
            changed=frozenset({"output.temperature", "output.scaled", "output.probabilities", "loss.value"}),
            added=frozenset(),
            removed=frozenset(),
            label="Set output.temperature",
            structure=False,
        )
    ]


def test_of_another_example_nothing_has_changed(translator, states):
    """Nodes of both have the same names by chance."""
    translator.do(Replace(replace(states["gpt"], lesson="another"), "Open “another”"))
    assert (translator.before, translator.added, translator.removed) == ({}, frozenset(), frozenset())
    translator.undo()
    assert (translator.before, translator.added, translator.removed) == ({}, frozenset(), frozenset())


def test_undo_and_redo_tell_what_they_change(translator, changes):
    translator.do(EDIT)
    translator.undo()
    translator.redo()
    assert [change.label for change in changes] == [
        *("Set output.temperature", "Undo: Set output.temperature", "Redo: Set output.temperature")
    ]
    assert changes[0].changed == changes[1].changed == changes[2].changed


def test_undo_at_the_beginning_and_redo_at_the_end_tell_nothing(translator, changes):
    translator.undo()
    translator.redo()
    assert changes == []


def test_a_switch_tells_what_came_and_went(translator, changes):
    translator.do(SetSwitch("encoder.1.self", "residual", False))
    translator.undo()
    away, back = changes
    assert away.structure
    assert away.removed == back.added == {"encoder.1.self.residual"}
    assert away.added == back.removed == set()
    assert "encoder.1.self.norm" in away.changed
    assert "encoder.1.self.residual" in back.changed
    assert "encoder.1.self.projected" not in away.changed | back.changed


def test_a_known_word_is_no_change_of_structure_but_a_new_length_is(translator, changes):
    translator.do(SetTokens("source", ("you", "you", "you")))
    translator.do(SetTokens("source", ("you", "you")))
    assert [change.structure for change in changes] == [False, True]
    assert (changes[1].added, changes[1].removed) == (frozenset(), frozenset())


def test_listeners_see_the_document_as_it_is_after_the_act(translator):
    seen = []

    def look(change):
        seen.append((translator.history.undo_label, float(translator.engine.values["output.temperature"])))

    translator.subscribe(look)
    translator.do(EDIT)
    assert seen == [("Set output.temperature", 2.0)]


def test_a_listener_can_leave_even_while_it_is_told(translator):
    told = []

    def once(change):
        told.append(change)
        leave()

    leave = translator.subscribe(once)
    translator.subscribe(told.append)
    translator.do(EDIT)
    translator.undo()
    assert len(told) == 3


def test_a_refused_act_is_no_step(translator, changes):
    translator.do(EDIT)
    with pytest.raises(ExplorerError):
        translator.do(SetSwitch("encoder.1.self", "heads", 3))
    assert len(changes) == 1
    assert translator.history.undo_label == "Set output.temperature"


def test_a_drag_is_one_step_and_every_part_of_it_is_told(translator, changes):
    for value in (2.0, 3.0, 4.0):
        translator.do(SetCells("output.temperature", {(): value}, stroke=("temperature", 1)))
    assert len(changes) == 3
    translator.undo()
    assert translator.engine.values["output.temperature"] == 1
    translator.redo()
    assert translator.engine.values["output.temperature"] == 4


def test_a_drag_of_a_pin_is_one_step(translator):
    for value in (2.0, 3.0):
        translator.do(PinCells("source.X", {(0, 0): value}, stroke="pin"))
    translator.undo()
    assert translator.history.undo_label is None
    assert translator.state.pins == {}


def change(changed="", added="", removed="", label="", structure=False):
    return Change(frozenset(changed), frozenset(added), frozenset(removed), label, structure)


@pytest.mark.parametrize(
    ("first", "then", "both"),
    [
        (change("ab", label="1"), change("bc", label="2"), change("abc", label="2")),
        (change("a", structure=True), change("a"), change("a", structure=True)),
        # Came and went: nobody need know. Went and came back: it was there all the time, with another value.
        (change("xa", added="x"), change("b", removed="x"), change("ab")),
        (change("a", removed="x"), change("xb", added="x"), change("xab")),
        (change("xy", added="x"), change("z", removed="y"), change("xz", added="x", removed="y")),
    ],
)
def test_two_changes_as_one(first, then, both):
    assert first.followed_by(then) == both


def test_a_model_that_memory_could_not_hold_is_refused(translator, monkeypatch):
    state = translator.state
    monkeypatch.setattr(cost, "MOST_BYTES", 100_000)
    with refuses("choose sizes that give up to 12,500"):
        translator.do(SetSwitch("encoder.1.self", "d_k", 16384))
    assert (translator.state, translator.history.undo_label) == (state, None)
