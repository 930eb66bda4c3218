"""Numbers that are typed."""

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.document.commands import PinCells, SetArray, SetCells, SetSwitch


def test_a_cell_of_an_input(translator, values):
    translator.do(SetCells("encoder.1.self.W_O", {(1, 2): 0.5, (0, 0): -3}))
    assert values(translator, "encoder.1.self.W_O")[1, 2] == 0.5
    assert values(translator, "encoder.1.self.W_O")[0, 0] == -3


def test_a_cell_of_a_heads_slice_is_a_cell_of_the_whole(translator, values):
    translator.do(SetCells("encoder.1.self.head.2.W_Q", {(3, 1): 0.5}))
    assert values(translator, "encoder.1.self.W_Q")[1, 3, 1] == 0.5
    assert values(translator, "encoder.1.self.head.2.W_Q")[3, 1] == 0.5


def test_an_edit_leaves_the_arrays_that_were_there_alone(translator):
    before = translator.state
    copies = {name: array.copy() for name, array in before.inputs.items()}
    translator.do(SetCells("encoder.1.self.W_O", {(1, 2): 0.5}))
    assert all((array == copies[name]).all() for name, array in before.inputs.items())
    unchanged = [n for n, array in translator.state.inputs.items() if array is before.inputs[n]]
    assert set(before.inputs) - set(unchanged) == {"encoder.1.self.W_O"}


def test_no_array_of_a_state_can_be_written_to(translator, values):
    translator.do(SetCells("encoder.1.self.W_O", {(1, 2): 0.5}))
    translator.do(PinCells("encoder.1.self.weights", {(0, 0, 0): 1}))
    pin = translator.state.pins["encoder.1.self.weights"]
    for array in (*translator.state.inputs.values(), pin.cells, pin.values):
        assert not array.flags.writeable


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308, -0.0])
def test_any_number_may_be_typed(gpt, value, values):
    # In float32 1e308 is infinity; no warning is given.
    gpt.do(SetCells("output.W", {(0, 0): value}))
    with np.errstate(over="ignore"):
        np.testing.assert_equal(values(gpt, "output.W")[0, 0], np.float32(value))


@pytest.mark.parametrize("lookup", ["one-hot", "index"])
def test_a_token_number(translator, lookup):
    translator.do(SetSwitch("source", "lookup", lookup))
    translator.do(SetCells("source.tokens", {(0,): 3}))
    assert translator.engine.labels("source") == ("<pad>", "are", "welcome")
    with pytest.raises(ExplorerError, check=lambda error: error.fields["last"] == 3):
        translator.do(SetCells("source.tokens", {(0,): 4}))


def test_the_right_answer_of_an_mlp(mlp):
    mlp.do(SetSwitch("loss", "loss", "cross-entropy"))
    mlp.do(SetCells("loss.target", {(0,): 0}))
    with pytest.raises(ExplorerError) as caught:
        mlp.do(SetCells("loss.target", {(0,): 1}))
    assert caught.value.fields == {"name": "loss.target", "first": 0, "last": 0, "value": 1}


def test_the_same_numbers_once_more_are_no_step(translator, values):
    for name in ("encoder.1.self.W_O", "encoder.1.self.head.2.W_Q"):
        translator.do(SetArray(name, values(translator, name).copy()))
    assert translator.history.undo_label is None
    translator.do(SetArray("encoder.1.self.head.2.W_Q", np.zeros((4, 2))))
    assert translator.history.undo_label == "Set encoder.1.self.head.2.W_Q"


def test_two_commands_with_other_arrays_are_not_equal():
    """A part of a page is shown anew only if its gesture differs."""
    assert SetArray("a", np.zeros(2)) != SetArray("b", np.ones(3))
