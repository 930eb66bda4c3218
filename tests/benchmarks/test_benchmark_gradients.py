"""What is measured walks back through everything. Nothing here is timed."""

import numpy as np

from benchmarks import core, gradients
from explorer.core.engine import fresh


def test_every_weight_of_the_lesson_has_a_gradient():
    graph, inputs = core.lesson()
    found = gradients.backward(fresh(graph, inputs, {}), inputs)
    assert found.keys() == {name for name, array in inputs.items() if array.dtype.kind == "f"}
    assert all(gradient.any() for gradient in found.values())


def test_every_weight_of_the_large_model_has_a_gradient_in_its_type():
    state = gradients.large_state(layers=2, heads=2, d_model=8, tokens=5, words=11)
    inputs = state.used
    found = gradients.backward(fresh(state.graph, inputs, {}), inputs)
    assert found.keys() == {name for name, array in inputs.items() if array.dtype.kind == "f"}
    assert {gradient.dtype for gradient in found.values()} == {np.dtype("float32")}
    # Softmax does not notice what is added to all scores of a query, so the keys' bias has none.
    without = {name for name, gradient in found.items() if np.abs(gradient).max() < 1e-6}
    assert without == {"decoder.1.self.b_K", "decoder.2.self.b_K"}
