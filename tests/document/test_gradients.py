"""Gradients follow every act on a document, as values do."""

import numpy as np
import pytest

from explorer.core.engine import fresh, same_bytes
from explorer.core.graph import Place
from explorer.document.commands import PinCells, Release, SetCells, SetSwitch, SetTokens

ACTS = [
    SetCells("encoder.1.self.head.2.W_Q", {(0, 0): 5.0}),
    PinCells("encoder.1.self.head.1.weights", {(0, 0): 0.25, (2, 1): 0.5}),
    SetSwitch("encoder.1.ffn", "activation", "GELU"),
    Release("encoder.1.self.weights"),
    SetTokens("source", ("you", "are", "so", "late")),
    SetSwitch("decoder.1.cross", "heads", 1),
    SetSwitch("loss", "loss", "mean squared error"),
    SetCells("loss.target", {(0, 0): 1.0}),
]


def gradients(engine):
    return {name: engine.gradient(Place(name)) for name in engine.graph.nodes}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        assert (found[name] is None) == (gradient is None), name
        assert gradient is None or same_bytes(found[name], gradient), name


def test_after_any_act_gradients_have_the_bits_of_a_fresh_computation_and_undo_brings_them_back(translator):
    seen = [gradients(translator.engine)]
    for act in ACTS:
        translator.do(act)
        engine = translator.engine
        inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
        found = gradients(engine)
        assert_same(found, gradients(fresh(engine.graph, inputs, engine.pins)))
        seen.append(found)
    for earlier in reversed(seen[:-1]):
        translator.undo()
        assert_same(gradients(translator.engine), earlier)
    for later in seen[1:]:
        translator.redo()
        assert_same(gradients(translator.engine), later)


@pytest.mark.parametrize("first", ["encoder.1.self.W_V", "output.W", "decoder.1.cross.K"])
def test_which_gradient_is_asked_for_first_does_not_change_a_bit(translator, first):
    engine = translator.engine
    alone = engine.gradient(Place(first))
    inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
    assert_same({first: alone}, {first: gradients(fresh(engine.graph, inputs, {}))[first]})


def test_a_large_model_keeps_its_type(gpt):
    for name, gradient in gradients(gpt.engine).items():
        value = gpt.engine.values[name]
        if gradient is not None:
            assert (gradient.dtype, gradient.shape) == (np.float32, value.shape)
