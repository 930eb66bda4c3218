import numpy as np
import pytest

from explorer.core.model import Model

XOR = Model(
    "mlp",
    axes={
        "input": ("0 0", "0 1", "1 0", "1 1"),
        "layer.0": ("x1", "x2"),
        "layer.1": ("h1", "h2"),
        "layer.2": ("y",),
    },
    layers=2,
    switches={
        "layer.1.weights": "W x",
        "layer.2.weights": "W x",
        "decision.threshold": 0.5,
        "loss.loss": "mean squared error",
    },
)
CASES = {"input.X": [[0, 0], [0, 1], [1, 0], [1, 1]], "loss.target": [[0], [1], [1], [0]]}


@pytest.fixture
def by_sigmoid(compute):
    """004, "XOR Example"."""
    model = XOR.with_switch("layer.1", "activation", "sigmoid").with_switch("layer.2", "activation", "sigmoid")
    weights = {"layer.1.W": [[20, 20], [-20, -20]], "layer.1.b": [-10, 30], "layer.2.W": [[20, 20]], "layer.2.b": [-30]}
    return compute(model, CASES | weights)


@pytest.fixture
def by_relu(compute):
    """004, "Using Rectified Linear Units (ReLU)"."""
    weights = {"layer.1.W": [[1, -1], [-1, 1]], "layer.1.b": [0, 0], "layer.2.W": [[1, 1]], "layer.2.b": [-0.5]}
    return compute(XOR, CASES | weights)


@pytest.mark.parametrize("net", ["by_sigmoid", "by_relu"])
def test_xor(net, request):
    values = request.getfixturevalue(net).values
    assert values["decision.chosen"].tolist() == [[0], [1], [1], [0]]


def test_xor_by_sigmoid_as_worked_in_004(by_sigmoid):
    values = by_sigmoid.values
    np.testing.assert_allclose(values["layer.1.hidden"][0], [-10, 30])
    np.testing.assert_allclose(values["layer.1.activation"], [[0, 1], [1, 1], [1, 1], [1, 0]], atol=1e-4)
    np.testing.assert_allclose(values["layer.2.activation"], [[0], [1], [1], [0]], atol=1e-4)
    assert values["loss.value"] < 1e-8


def test_xor_by_relu_as_worked_in_004(by_relu):
    np.testing.assert_array_equal(by_relu.values["layer.1.activation"], [[0, 0], [0, 1], [1, 0], [0, 0]])
    np.testing.assert_array_equal(by_relu.values["layer.2.activation"], [[0], [0.5], [0.5], [0]])
    assert by_relu.values["loss.value"] == (0 + 0.25 + 0.25 + 0) / 4


def test_without_a_threshold_there_is_no_decision(compute):
    assert "decision.chosen" not in compute(XOR.with_switch("decision", "threshold", 0)).graph.nodes
