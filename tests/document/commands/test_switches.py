"""Switches of one block or of all."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.document.commands import PinCells, SetCells, SetSwitch
from explorer.document.document import Document
from explorer.document.state import State


@pytest.mark.parametrize(
    ("block", "name", "by_hand", "computed", "node"),
    [
        ("encoder.1.self", "scale", "free", "1/d_k", "encoder.1.self.scale"),
        ("decoder.1.self", "mask", "hand", "causal", "decoder.1.self.mask"),
        ("decoder.1.self", "mask", "hand", "causal + padding", "decoder.1.self.mask"),
        ("source", "positions", "table", "004", "source.PE"),
    ],
)
def test_a_node_that_can_be_computed_or_typed(translator, block, name, by_hand, computed, node, values):
    translator.do(SetSwitch(block, name, computed))
    as_computed = values(translator, node)
    # By hand it starts with what was computed…
    translator.do(SetSwitch(block, name, by_hand))
    np.testing.assert_array_equal(values(translator, node), as_computed)
    cell = (0, 1)[: as_computed.ndim] if as_computed.ndim else ()
    translator.do(SetCells(node, {cell: 0.75}))
    typed = values(translator, node)
    # …computed, it is computed, and by hand again it is what was typed.
    translator.do(SetSwitch(block, name, computed))
    np.testing.assert_array_equal(values(translator, node), as_computed)
    translator.do(SetSwitch(block, name, by_hand))
    np.testing.assert_array_equal(values(translator, node), typed)


def test_by_hand_it_starts_with_what_was_pinned_too(translator, values):
    translator.do(PinCells("decoder.1.self.mask", {(0, 1): 1}))
    translator.do(SetSwitch("decoder.1.self", "mask", "hand"))
    assert values(translator, "decoder.1.self.mask").tolist() == [[1, 1], [1, 1]]
    assert not translator.state.pins


def test_positions_that_overflow_can_be_taken_over(gpt, values):
    wide = replace(gpt.state.model, d_model=160, switches={})  # 10000^158 is no number
    document = Document(State.of(wide, {"input.tokens": np.array([0, 1, 2])}))
    document.do(SetSwitch("input", "positions", "004-script"))
    computed = values(document, "input.PE")
    document.do(SetSwitch("input", "positions", "table"))
    np.testing.assert_array_equal(values(document, "input.PE"), computed)
    assert np.isfinite(computed).all()


def test_inputs_come_back_with_the_nodes_a_switch_took_away(translator, values):
    translator.do(SetCells("encoder.1.ffn.W_1", {(0, 0): 9.0}))
    translator.do(SetCells("encoder.1.ffn.gamma", {(0,): 9.0}))
    probabilities = values(translator, "output.probabilities")
    translator.do(SetSwitch("encoder.1.ffn", "on", False))
    assert "encoder.1.ffn.W_1" not in translator.engine.values
    translator.do(SetSwitch("encoder.1.ffn", "on", True))
    np.testing.assert_array_equal(values(translator, "output.probabilities"), probabilities)


def test_another_layout_is_another_picture_of_the_same_numbers(lesson, values):
    Q, weights = values(lesson, "Q"), values(lesson, "weights")
    lesson.do(SetSwitch("attention", "layout", "(C, T)"))
    np.testing.assert_array_equal(values(lesson, "Q"), Q.T)
    np.testing.assert_allclose(values(lesson, "weights"), weights, rtol=1e-12)
    lesson.do(SetSwitch("attention", "layout", "(T, C)"))
    np.testing.assert_array_equal(values(lesson, "Q"), Q)


def test_square_matrices_are_read_the_other_way_round(translator, values):
    names = [f"decoder.1.self.W_{letter}" for letter in "QKVO"]
    before, Q = [values(translator, name) for name in names], values(translator, "decoder.1.self.Q")
    translator.do(SetSwitch("decoder.1.self", "weights", "W x"))
    assert all(values(translator, name) is array for name, array in zip(names, before, strict=True))
    assert (values(translator, "decoder.1.self.Q") != Q).all()


def test_matrices_that_are_not_square_are_transposed(translator, values):
    W, Q = values(translator, "encoder.1.self.W_Q"), values(translator, "encoder.1.self.Q")
    translator.do(SetSwitch("encoder.1.self", "weights", "W x"))
    np.testing.assert_array_equal(values(translator, "encoder.1.self.W_Q"), W.swapaxes(-1, -2))
    np.testing.assert_allclose(values(translator, "encoder.1.self.Q"), Q, rtol=1e-12)


@pytest.mark.parametrize(("block", "result"), [("ffn", "output"), ("self", "projected")])
def test_transposed_matrices_in_few_bits_have_the_same_blocks(gpt, values, block, result):
    """Their blocks ran along the outputs, so that other weights shared a scale, and the results changed."""
    block = f"decoder.1.{block}"
    gpt.do(SetSwitch(block, "quantised", "4 bits"))
    gpt.do(SetSwitch(block, "quantised_block", 3))
    before = values(gpt, f"{block}.{result}")
    gpt.do(SetSwitch(block, "weights", "W x"))
    np.testing.assert_allclose(values(gpt, f"{block}.{result}"), before, rtol=1e-5)


def test_weights_of_experts_are_not_transposed_only_those_of_the_one_that_all_share(gpt, values):
    gpt.do(SetSwitch("decoder.1.ffn", "experts", 3))
    gpt.do(SetSwitch("decoder.1.ffn", "shared", 5))
    names = [f"decoder.1.ffn.{short}" for short in ("W_r", "W_1", "W_2", "W_s1", "together")]
    *before, shared, together = [values(gpt, name) for name in names]
    gpt.do(SetSwitch("decoder.1.ffn", "weights", "W x"))
    assert all(values(gpt, name) is array for name, array in zip(names, before, strict=False))
    np.testing.assert_array_equal(values(gpt, "decoder.1.ffn.W_s1"), shared.T)
    np.testing.assert_allclose(values(gpt, "decoder.1.ffn.together"), together, rtol=1e-5)


def test_a_switch_set_everywhere_is_one_step(translator):
    translator.do(SetSwitch("encoder.1.self", "scale", "none", everywhere=True))
    blocks = ("encoder.1.self", "decoder.1.self", "decoder.1.cross")
    assert [translator.state.model.switch(block, "scale") for block in blocks] == ["none"] * 3
    assert not any(name.endswith((".self.scaled", ".cross.scaled")) for name in translator.engine.values)
    translator.undo()
    assert translator.history.undo_label is None
