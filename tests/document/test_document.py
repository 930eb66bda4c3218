from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from explorer.core import cost
from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.document import document as documents
from explorer.document.commands import PinCells, Replace, SetCells, SetSwitch, SetTokens
from explorer.document.document import Change, UndoHistory

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


GRAPH = Graph({}, {}, (), {})


class Moment:
    """Stands for a state: a history only tells them apart, and counts the bytes of their arrays."""

    def __init__(self, *arrays):
        self.inputs = {str(i): array for i, array in enumerate(arrays)}
        self.pins = self.beyond = {}
        self.optimiser = None
        self.graph = GRAPH


@pytest.fixture
def moments():
    return [Moment() for _ in range(6)]


@pytest.fixture
def three_steps(moments):
    """A history that has gone from moment 0 to moment 3."""
    steps = UndoHistory(moments[0])
    for i in (1, 2, 3):
        steps.record(moments[i], f"act {i}")
    return steps


def walk(step):
    """What `undo` or `redo` says until there is no more."""
    return list(iter(step, None))


def test_there_and_back_again(three_steps, moments):
    assert walk(three_steps.undo) == ["Undo: act 3", "Undo: act 2", "Undo: act 1"]
    assert three_steps.present is moments[0]
    assert walk(three_steps.redo) == ["Redo: act 1", "Redo: act 2", "Redo: act 3"]
    assert three_steps.present is moments[3]


def test_labels_name_what_would_be_undone_and_redone(three_steps):
    assert (three_steps.undo_label, three_steps.redo_label) == ("act 3", None)
    three_steps.undo()
    assert (three_steps.undo_label, three_steps.redo_label) == ("act 2", "act 3")
    walk(three_steps.undo)
    assert (three_steps.undo_label, three_steps.redo_label) == (None, "act 1")


def test_a_new_act_clears_what_could_be_redone(three_steps, moments):
    three_steps.undo()
    three_steps.undo()
    three_steps.record(moments[5], "another")
    assert three_steps.redo_label is None
    assert walk(three_steps.undo) == ["Undo: another", "Undo: act 1"]


def test_the_parts_of_a_stroke_are_one_step(moments):
    steps = UndoHistory(moments[0])
    steps.record(moments[1], "before")
    for i in (2, 3, 4):
        steps.record(moments[i], f"drag to {i}", stroke="drag 1")
    steps.record(moments[5], "drag again", stroke="drag 2")
    assert walk(steps.undo) == ["Undo: drag again", "Undo: drag to 4", "Undo: before"]
    steps.redo()
    steps.redo()
    assert steps.present is moments[4]


def test_a_stroke_that_goes_on_takes_in_what_was_done_in_between(moments):
    steps = UndoHistory(moments[0])
    steps.record(moments[1], "before")
    steps.record(moments[2], "run", stroke="run")
    steps.record(moments[3], "edit")
    steps.record(moments[4], "run on", stroke="run")
    assert walk(steps.undo) == ["Undo: run on", "Undo: before"]


def test_acts_without_a_stroke_never_merge(moments):
    steps = UndoHistory(moments[0])
    for i in (1, 2):
        steps.record(moments[i], f"act {i}", stroke=None)
    assert len(walk(steps.undo)) == 2


def test_the_first_state_is_never_merged_into(moments):
    steps = UndoHistory(moments[0])
    steps.record(moments[1], "drag", stroke="drag")
    steps.undo()
    steps.record(moments[2], "drag", stroke="drag")
    steps.undo()
    assert steps.present is moments[0]


def test_the_oldest_state_that_is_remembered_is_never_merged_into(monkeypatch, moments):
    monkeypatch.setattr(documents, "MOST_UNDO_STEPS", 1)
    steps = UndoHistory(moments[0])
    steps.record(moments[1], "drag 1", stroke="drag 1")
    steps.record(moments[2], "drag 2", stroke="drag 2")
    steps.undo()
    steps.record(moments[3], "drag 1 again", stroke="drag 1")
    steps.undo()
    assert steps.present is moments[1]


def test_modified_is_being_elsewhere_than_what_was_saved(three_steps):
    assert three_steps.modified
    three_steps.mark_saved()
    assert not three_steps.modified
    three_steps.undo()
    assert three_steps.modified
    three_steps.redo()
    assert not three_steps.modified


def test_a_new_history_is_not_modified(moments):
    assert not UndoHistory(moments[0]).modified


def test_a_save_in_the_middle_of_a_stroke_counts_only_for_that_state(moments):
    steps = UndoHistory(moments[0])
    steps.record(moments[1], "drag", stroke="drag")
    steps.mark_saved()
    steps.record(moments[2], "drag", stroke="drag")
    assert steps.modified


def test_the_oldest_steps_are_forgotten(monkeypatch, moments):
    monkeypatch.setattr(documents, "MOST_UNDO_STEPS", 3)
    steps = UndoHistory(moments[0])
    for i in (1, 2, 3, 4, 5):
        steps.record(moments[i], f"act {i}")
    assert steps.present is moments[5]
    assert walk(steps.undo) == ["Undo: act 5", "Undo: act 4", "Undo: act 3"]
    assert steps.present is moments[2]


def test_steps_that_take_too_much_memory_are_forgotten_but_one(monkeypatch):
    monkeypatch.setattr(documents, "MOST_UNDO_BYTES", 250)
    shared, edited = np.zeros(10_000, np.int8), [np.zeros(100, np.int8) for _ in range(4)]
    moments = [Moment(shared, array) for array in edited]
    steps = UndoHistory(moments[0])
    for i in (1, 2, 3):
        steps.record(moments[i], f"act {i}")
    # What the states share counts nothing.
    assert walk(steps.undo) == ["Undo: act 3", "Undo: act 2"]
    walk(steps.redo)
    steps.record(Moment(np.zeros(1000, np.int8), edited[3]), "large")
    assert walk(steps.undo) == ["Undo: large"]
    assert steps.present is moments[3]


def test_what_an_act_replaces_counts_not_what_it_brings(monkeypatch):
    monkeypatch.setattr(documents, "MOST_UNDO_BYTES", 250)
    large, small = Moment(np.zeros(1000, np.int8)), [Moment(np.zeros(100, np.int8)) for _ in range(2)]
    steps = UndoHistory(small[0])
    steps.record(small[1], "another")
    steps.record(large, "large")
    assert walk(steps.undo) == ["Undo: large", "Undo: another"]
    walk(steps.redo)
    steps.record(small[0], "small")
    assert walk(steps.undo) == ["Undo: small"]


def test_graphs_and_their_labels_count(monkeypatch, states):
    state, steps = states["gpt"], UndoHistory(states["gpt"])
    monkeypatch.setattr(documents, "MOST_UNDO_BYTES", 2 * documents.NODE_BYTES * len(state.graph.nodes) + 3000)
    for n in (1, 2, 4, 5):
        state = SetTokens("input", "abcde"[:n]).apply(state)
        steps.record(state, f"{n} words")
    assert walk(steps.undo) == ["Undo: 5 words", "Undo: 4 words"]


def test_a_sentence_one_token_longer_shares_its_labels(states):
    first = SetTokens("input", "abcd").apply(states["gpt"])
    second = SetTokens("input", "abcda").apply(first)
    assert {name for name in first.graph.axes if first.graph.axes[name] is not second.graph.axes[name]} == {"input"}


def test_the_parts_of_a_stroke_count_once(monkeypatch):
    monkeypatch.setattr(documents, "MOST_UNDO_BYTES", 250)
    steps = UndoHistory(Moment(np.zeros(100, np.int8)))
    steps.record(Moment(np.zeros(100, np.int8)), "before")
    for _ in range(5):
        steps.record(Moment(np.zeros(100, np.int8)), "drag", stroke="drag")
    assert walk(steps.undo) == ["Undo: drag", "Undo: before"]


def test_a_history_can_be_what_it_was(three_steps, moments):
    three_steps.undo()
    mark = three_steps.mark()
    three_steps.undo()
    three_steps.record(moments[5], "another")
    three_steps.return_to(mark)
    assert (three_steps.undo_label, three_steps.redo_label) == ("act 2", "act 3")
    assert three_steps.present is moments[2]


# The labels that acts give their steps


@pytest.mark.parametrize(
    ("command", "label"),
    [
        (SetCells("Q", {(0, 1): 2.0}), "Set Q[0, 1]"),
        (SetCells("Q", {(0, 1): 2.0, (0, 0): 1.0}), "Set 2 cells of Q"),
        (SetCells("output.temperature", {(): 2.0}), "Set output.temperature"),
        (SetTokens("source", ("de", "nada")), "Set source to “de nada”"),
        (SetTokens("input", ("<s>", "␣Lily", "␣r", "ed")), "Set input to “<s> Lily red”"),
        (SetSwitch("loss", "loss", "none"), "Set loss.loss to none"),
    ],
)
def test_a_label_says_what_was_done(command, label):
    assert command.label == label
