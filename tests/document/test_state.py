from dataclasses import replace

import numpy as np

from explorer.document.state import State, frozen


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
    assert not frozen(np.zeros(2)).flags.writeable
