from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.ops.weights import write_weights
from explorer.document import state as state_module
from explorer.document.commands import PinCells, SendWords, SetArray, SetCells, SetSwitch, SetTokens
from explorer.document.continuation import nearest_words, positions
from explorer.document.document import Document
from explorer.document.state import DeferredArrays, State, Writing, read_only

GROWING = (("gpt", "input"), ("encoder-decoder", "source"))


def test_missing_inputs_start_from_the_models_seed(states):
    model = states["encoder-decoder"].model
    tokens = {name: states["encoder-decoder"].inputs[name] for name in ("source.tokens", "target.tokens")}
    again, other = State.of(model, tokens), State.of(replace(model, seed=99), tokens)
    assert again.inputs.keys() == {name for name, node in again.graph.nodes.items() if node.is_input}
    for name, array in again.inputs.items():
        np.testing.assert_array_equal(array, states["encoder-decoder"].inputs[name])
    assert (other.inputs["encoder.1.self.W_Q"] != again.inputs["encoder.1.self.W_Q"]).all()


def test_biases_start_at_0_and_gamma_at_1(states):
    inputs = states["encoder-decoder"].inputs
    assert (inputs["encoder.1.ffn.b_1"] == 0).all()
    assert (inputs["encoder.1.self.gamma"] == 1).all()
    assert inputs["output.temperature"] == 1


def test_given_inputs_get_the_type_and_layout_of_the_model(states):
    model = states["gpt"].model
    table = np.arange(20).reshape(4, 5).T  # integers, column after column
    state = State.of(model, {"input.table": table, "input.tokens": np.array([0.0, 1.0, 2.0])})
    assert state.inputs["input.table"].dtype == model.dtype == "float32"
    assert state.inputs["input.table"].flags.c_contiguous
    assert state.inputs["input.tokens"].dtype == np.int64
    np.testing.assert_array_equal(state.inputs["input.table"], table)


def test_arrays_that_fit_are_shared_between_states(states):
    first = states["gpt"]
    second = State.of(first.model, first.inputs)
    assert all(second.inputs[name] is array for name, array in first.inputs.items())


def test_every_number_of_a_float32_model_is_float32(gpt):
    assert {array.dtype.name for array in gpt.engine.values.values()} == {"float32", "int64"}


def test_a_frozen_array_cannot_be_written_to():
    assert not read_only(np.zeros(2)).flags.writeable


# A sentence that becomes shorter and longer again


def said(document, words, sequence="input"):
    document.do(SetTokens(sequence, words))
    return document


def drawn(document, name):
    """Every cell of an input set to a number of its own."""
    array = document.state.inputs[name]
    document.do(SetArray(name, np.arange(array.size).reshape(array.shape) + 2))
    return document.state.inputs[name]


def test_learned_positions_outlast_a_shorter_sentence(gpt):
    table = drawn(gpt, "input.PE")
    said(gpt, ["a"])
    np.testing.assert_array_equal(gpt.state.inputs["input.PE"], table[:1])
    said(gpt, ["b", "c", "d", "e"])
    np.testing.assert_array_equal(gpt.state.inputs["input.PE"][:3], table)
    start = State.of(gpt.state.model, {}).inputs["input.PE"]
    np.testing.assert_array_equal(gpt.state.inputs["input.PE"][3], start[3])


def test_what_was_typed_while_the_sentence_was_short_counts(gpt):
    table = drawn(gpt, "input.PE")
    said(gpt, ["a", "b"])
    gpt.do(SetCells("input.PE", {(0, 1): 99.0, (1, 0): 98.0}))
    said(gpt, ["a"])
    gpt.do(SetCells("input.PE", {(0, 2): 97.0}))
    said(gpt, ["a", "b", "c"])
    expected = table.copy()
    expected[0, 1], expected[1, 0], expected[0, 2] = 99, 98, 97
    np.testing.assert_array_equal(gpt.state.inputs["input.PE"], expected)


def test_learned_positions_outlast_a_sentence_that_was_shortened_while_they_were_switched_off(gpt):
    table = drawn(gpt, "input.PE")
    gpt.do(SetSwitch("input", "positions", "sinusoidal"))
    said(gpt, ["a"])
    gpt.do(SetSwitch("input", "positions", "learned"))
    said(gpt, ["a", "b", "c"])
    np.testing.assert_array_equal(gpt.state.inputs["input.PE"], table)


def test_a_model_of_others_reads_no_more_words_than_it_has_positions(gpt):
    """A checkpoint has a table of as many positions as it was trained with; a longer text would get random ones."""
    gpt.do(SetSwitch("input", "first", 1))
    gpt.do(SetSwitch("input", "room", 5))
    gpt.do(SetSwitch("input", "positions", "own"))
    table = drawn(gpt, "input.places")
    assert positions(gpt.state, "input") == 4
    with pytest.raises(ExplorerError) as caught:
        said(gpt, ["a"] * 5)
    assert caught.value.id == "no-positions"
    said(gpt, ["a"] * 4)
    said(gpt, ["a"])
    np.testing.assert_array_equal(gpt.state.inputs["input.places"], table)


def test_numbers_of_rows_that_a_table_has_lost_become_its_last_one(gpt):
    gpt.do(SetSwitch("input", "segments", 3))
    gpt.do(SetCells("input.segments", {(1,): 2}))
    gpt.do(SetSwitch("input", "segments", 2))
    assert gpt.state.inputs["input.segments"].tolist() == [0, 1, 0]
    for name, value in (("room", 9), ("skips_padding", True), ("positions", "own")):
        gpt.do(SetSwitch("input", name, value))
    gpt.do(PinCells("input.place", {(0,): 8}))
    gpt.do(SetSwitch("input", "room", 0))
    assert gpt.engine.values["input.place"][0] == gpt.state.graph.shape("input.places")[0] - 1
    while gpt.history.undo_label is not None:
        gpt.undo()


def test_a_mask_drawn_by_hand_outlasts_shorter_sentences(translator):
    name = "decoder.1.cross.mask"
    translator.do(SetSwitch("decoder.1.cross", "mask", "hand"))
    translator.do(SetCells(name, {(1, 2): 0, (1, 0): 0}))
    said(translator, ["<start>"], "target")
    # Now it has columns that it lacked when it had its second row.
    said(translator, ["you", "are", "welcome", "you"], "source")
    translator.do(SetCells(name, {(0, 3): 0}))
    said(translator, ["you"], "source")
    said(translator, ["<start>", "de"], "target")
    said(translator, ["you", "are", "welcome", "you"], "source")
    np.testing.assert_array_equal(translator.state.inputs[name], [[1, 1, 1, 0], [0, 1, 0, 1]])


def test_numbers_kept_by_dropout_outlast_a_shorter_sentence(gpt):
    gpt.do(SetSwitch("input", "dropout", 0.5))
    gpt.do(SetCells("input.kept", {(2, 1): 0}))
    said(said(gpt, ["a"]), ["a", "b", "c"])
    assert gpt.state.inputs["input.kept"][2].tolist() == [1, 0, 1, 1]


def test_typed_targets_are_those_of_the_sentence_they_were_typed_for(gpt):
    gpt.do(SetSwitch("loss", "targets", "typed"))
    gpt.do(SetCells("loss.target", {(2,): 3}))
    said(said(gpt, ["a"]), ["a", "b", "c"])
    # As `SetTokens` says, they have become the next words.
    words = gpt.state.graph.axes["output.words"]
    assert [words[i] for i in gpt.engine.values["loss.target"]] == ["b", "c", "<end>"]


def test_vectors_of_another_width_leave_no_positions_to_come_back(gpt):
    drawn(gpt, "input.PE")
    said(gpt, ["a"])
    gpt.do(SendWords("input", ["a"], np.ones((1, 2))))
    said(gpt, ["a", "b", "c"])
    start = State.of(gpt.state.model, {}).inputs["input.PE"]
    np.testing.assert_array_equal(gpt.state.inputs["input.PE"][1:], start[1:])
    assert not gpt.state.beyond


def test_undo_takes_back_to_the_bit_what_was_kept_of_a_longer_sentence(gpt):
    drawn(gpt, "input.PE")
    states = [gpt.state]
    for words in (["a"], ["a", "b"], ["c"], ["a", "b", "c", "d"]):
        states.append(said(gpt, words).state)
    for state in reversed(states):
        assert gpt.state is state
        gpt.undo()


# Large inputs are written when they are first read


def test_a_large_model_has_the_numbers_of_a_small_one(monkeypatch, states):
    for kind, sequence in GROWING:
        longer = SetTokens(sequence, ["a", "new", "word", "b"])
        expected = longer.apply(states[kind])
        with monkeypatch.context() as patch:
            patch.setattr(state_module, "MOST_WRITTEN_AT_ONCE", 0)
            after = longer.apply(states[kind])
        assert isinstance(after.inputs, DeferredArrays)
        for name, array in expected.inputs.items():
            assert same_bytes(after.inputs[name], array), name
            assert not after.inputs[name].flags.writeable


def test_a_sentence_that_becomes_short_leaves_no_large_array_to_write(monkeypatch, states):
    monkeypatch.setattr(state_module, "MOST_WRITTEN_AT_ONCE", 8)
    long = SetTokens("input", "abcda").apply(states["gpt"])
    assert "input.PE" in long.inputs.deferred
    short = SetTokens("input", "a").apply(long)
    assert isinstance(short.inputs, dict) or "input.PE" not in short.inputs.deferred


def test_what_has_been_written_is_as_any_other_array(monkeypatch, states):
    monkeypatch.setattr(state_module, "MOST_WRITTEN_AT_ONCE", 0)
    state = SetTokens("input", ["a", "new"]).apply(states["gpt"])
    size = sum(state.inputs.arrays[name].size for name in ("input.table", "input.PE", "output.W", "output.b"))
    assert state.numbers_to_write == size
    state.write()
    assert state.numbers_to_write == 0
    assert isinstance(state.with_inputs({"input.PE": np.zeros_like(state.inputs["input.PE"])}).inputs, dict)


def test_an_edit_of_a_growing_model_does_not_wait_for_its_table(monkeypatch, states):
    monkeypatch.setattr(state_module, "MOST_WRITTEN_AT_ONCE", 0)
    state, tables = states["gpt"], []
    for command in (
        SetTokens("input", ["a", "new"]),
        SetTokens("input", ["a", "newer"]),
        SetCells("decoder.1.self.W_Q", {(0, 0, 0): 5.0}),
        SetSwitch("decoder.1.ffn", "activation", "GELU"),
    ):
        state = command.apply(state)
        tables.append(state.inputs.deferred["input.table"])
    assert all(table.waiting for table in tables)
    twin = SetTokens("input", ["a", "newer"]).apply(SetTokens("input", ["a", "new"]).apply(states["gpt"]))
    assert same_bytes(state.inputs["input.table"], twin.inputs["input.table"])
    assert not any(table.waiting for table in tables)  # the second has read the first
    np.testing.assert_array_equal(state.inputs["input.table"][:5], states["gpt"].inputs["input.table"])


# An edit of a large input copies it when it is first read


@pytest.fixture
def large(monkeypatch, states):
    """A state whose arrays are all taken for large ones."""
    monkeypatch.setattr(state_module, "MOST_WRITTEN_AT_ONCE", 0)
    return states["gpt"]


def test_edits_of_a_large_input_are_written_once_and_are_those_of_a_small_one(monkeypatch, large, states):
    commands = (
        SetCells("input.table", {(0, 1): 5.0}),
        SetCells("input.table", {(2, 0): -7.0, (0, 1): 6.0}),
        SetCells("decoder.1.self.head.2.W_Q", {(1, 1): 0.25}),
        SetArray("decoder.1.self.head.1.W_Q", np.full((4, 2), 0.5)),
        SetCells("decoder.1.self.head.1.W_Q", {(0, 0): 1e300}),
    )
    after, waiting = large, []
    for command in commands:
        after = command.apply(after)
        waiting.extend(one for one in after.inputs.deferred.values() if one not in waiting)
    assert all(one.waiting for one in waiting)
    with monkeypatch.context() as patch:
        patch.setattr(state_module, "MOST_WRITTEN_AT_ONCE", 10**9)
        twin = states["gpt"]
        for command in commands:
            twin = command.apply(twin)
    for name in ("input.table", "decoder.1.self.W_Q"):
        assert after.number(name, (0,) * twin.inputs[name].ndim) == twin.inputs[name].flat[0]
        assert same_bytes(after.inputs[name], twin.inputs[name])
        assert not after.inputs[name].flags.writeable
    assert sum(one.waiting for one in waiting) == len(commands) - 2


def test_an_edit_of_a_large_input_to_what_stands_there_changes_nothing(large):
    old = float(large.inputs["input.table"][1, 1])
    assert SetCells("input.table", {(1, 1): old}).apply(large) is large
    edited = SetCells("input.table", {(1, 1): 5.0}).apply(large)
    assert (
        SetCells("input.table", {(1, 1): 5.0, (0, 0): float(large.inputs["input.table"][0, 0])}).apply(edited) is edited
    )
    assert SetCells("input.table", {(1, 1): -5.0}).apply(edited) is not edited
    assert edited.inputs.deferred["input.table"].waiting


def test_what_is_drawn_by_chance_is_drawn_once(large):
    shape, random = large.inputs["input.table"].shape, np.random.default_rng(1)
    drawn = SetArray("input.table", Writing(shape, partial(write_weights, random=random, initialiser="xavier"))).apply(
        large
    )
    edited = SetCells("input.table", {(0, 0): 5.0}).apply(drawn)
    assert edited.number("input.table", (0, 0)) == 5
    after, before = edited.inputs["input.table"], drawn.inputs["input.table"]
    np.testing.assert_array_equal(after.ravel()[1:], before.ravel()[1:])


def test_undo_of_an_edit_of_a_large_input_brings_back_the_array_itself(large):
    document = Document(large)
    table = document.engine.values["input.table"]
    document.do(SetCells("input.table", {(0, 1): 5.0}))
    document.do(SetCells("input.table", {(0, 2): 5.0}))
    assert document.engine.values["input.table"][0, 1:3].tolist() == [5, 5]
    for _ in range(2):
        document.undo()
    assert document.engine.values["input.table"] is table


def test_words_offered_for_another_are_spelt_like_it_or_the_first_of_the_model():
    """For "5" it offered the last words of the alphabet, as similar in spelling."""
    known = ("<end>", "the", "cat", "Tom", "mat", "yellow")
    assert nearest_words("catt", known) == "cat, mat, Tom"
    assert nearest_words("CAT", known).startswith("cat, mat, ")
    assert nearest_words("5", known) == "the, cat, Tom"
