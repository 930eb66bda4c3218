"""Computed cells held by hand."""

import numpy as np

from explorer.document.commands import PinCells, Release, SetSwitch, SetTokens
from explorer.document.storage import load, save


def test_pins_add_up_and_are_released_one_by_one(translator, values):
    name, before = "source.X", values(translator, "source.X")
    translator.do(PinCells(name, {(0, 0): 7.0}))
    translator.do(PinCells(name, {(1, 1): 8.0, (0, 0): 9.0}))
    pinned = before.copy()
    pinned[0, 0], pinned[1, 1] = 9, 8
    np.testing.assert_array_equal(values(translator, name), pinned)
    assert translator.engine.pinned(name, (1, 1))
    assert not translator.engine.pinned(name, (1, 0))
    translator.do(Release(name, ((0, 0),)))
    pinned[0, 0] = before[0, 0]
    np.testing.assert_array_equal(values(translator, name), pinned)
    translator.do(Release(name))
    np.testing.assert_array_equal(values(translator, name), before)
    assert translator.state.pins == {}


def test_a_pin_of_whole_numbers(translator, values):
    translator.do(PinCells("output.chosen", {(1,): 2}))
    assert values(translator, "output.chosen")[1] == 2
    translator.do(PinCells("decoder.1.self.mask", {(0, 1): 1}))
    assert values(translator, "decoder.1.self.mask").tolist() == [[1, 1], [1, 1]]


def test_a_pin_of_a_code_may_be_any_code_and_is_saved(translator, values, tmp_path):
    name = "encoder.1.self.W_Q_codes"
    translator.do(SetSwitch("encoder.1.self", "quantised", "8 bits"))
    translator.do(PinCells(name, {(0, 0, 0): -90, (0, 1, 0): 3}))
    assert values(translator, name)[0, :2, 0].tolist() == [-90, 3]
    translator.do(SetSwitch("encoder.1.self", "quantised", "4 bits"))
    save(translator.state, "", tmp_path / "pinned.explorer")
    state, _ = load(tmp_path / "pinned.explorer")
    assert state.pins[name].values[0, :2, 0].tolist() == [-90, 3]


def test_a_pin_of_a_single_number(translator, values):
    translator.do(PinCells("encoder.1.self.scale", {(): 2.0}))
    np.testing.assert_array_equal(
        values(translator, "encoder.1.self.scaled"), 2 * values(translator, "encoder.1.self.scores")
    )


def test_a_pin_goes_where_its_node_becomes_editable_or_has_other_heads(translator, values):
    translator.do(PinCells("source.PE", {(0, 0): 7.0}))
    translator.do(PinCells("output.logits", {(0, 0): 7.0}))
    translator.do(PinCells("encoder.1.self.weights", {(1, 0, 0): 0.5}))
    translator.do(SetSwitch("source", "positions", "table"))
    assert translator.state.pins.keys() == {"output.logits", "encoder.1.self.weights"}
    assert not translator.engine.pinned("source.PE", (0, 0))
    translator.do(SetSwitch("encoder.1.self", "heads", 4))
    assert translator.state.pins.keys() == {"output.logits"}
    translator.undo()
    assert values(translator, "encoder.1.self.weights")[1, 0, 0] == 0.5


def test_a_pin_keeps_the_cells_that_another_sentence_has_too(translator, values):
    translator.do(PinCells("encoder.1.self.weights", {(0, 0, 1): 0.25, (1, 2, 2): 0.75}))
    translator.do(PinCells("decoder.1.cross.scores", {(1, 1, 0): 3.0}))
    translator.do(SetTokens("source", ("you", "are")))
    assert values(translator, "encoder.1.self.weights")[0, 0, 1] == 0.25
    assert translator.state.pins["encoder.1.self.weights"].cells.sum() == 1
    translator.do(SetTokens("source", ("you", "are", "very", "welcome")))
    assert np.argwhere(translator.state.pins["encoder.1.self.weights"].cells).tolist() == [[0, 0, 1]]
    assert values(translator, "decoder.1.cross.scores")[1, 1, 0] == 3
    # Nothing remains of it, so nothing is held.
    translator.do(SetTokens("target", ("de",)))
    assert "decoder.1.cross.scores" not in translator.state.pins
    translator.undo()
    assert values(translator, "decoder.1.cross.scores")[1, 1, 0] == 3


def test_a_pin_keeps_its_words_when_the_vocabulary_grows(translator, values):
    translator.do(PinCells("output.logits", {(1, 2): 7.0}))
    translator.do(SetTokens("target", ("<start>", "gracias")))
    assert values(translator, "output.logits")[1, 2] == 7
    assert translator.state.pins["output.logits"].cells.sum() == 1
