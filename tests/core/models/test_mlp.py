import numpy as np
import pytest

from explorer.core.model import Model
from explorer.core.models import build

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


LINE = Model(
    "mlp",
    axes={"input": tuple("abcd"), "layer.0": ("x",), "layer.1": ("y",)},
    switches={"loss.loss": "mean squared error", "regression.on": True, "layer.1.activation": "identity"},
)
EXAMPLES = {"input.X": [[0.0], [1.0], [2.0], [4.0]], "loss.target": [[1.0], [2.0], [2.0], [5.0]]}


def test_a_linear_regression_beside_the_net(compute):
    values = compute(LINE, EXAMPLES).values
    slope, start = np.polyfit([0, 1, 2, 4], [1, 2, 2, 5], 1)
    np.testing.assert_allclose(values["regression.W"], [[slope]])
    np.testing.assert_allclose(values["regression.b"], [start])
    np.testing.assert_allclose(values["regression.output"][:, 0], slope * np.array([0, 1, 2, 4]) + start)
    difference = values["regression.output"] - EXAMPLES["loss.target"]
    np.testing.assert_allclose(values["regression.loss"], np.square(difference).mean())


def test_at_the_line_a_net_of_one_layer_has_nowhere_to_go(compute):
    """So the least squares in closed form and gradient descent agree on what is best."""
    best = compute(LINE, EXAMPLES).values
    engine = compute(LINE, {**EXAMPLES, "layer.1.W": best["regression.W"], "layer.1.b": best["regression.b"]})
    np.testing.assert_allclose(engine.values["loss.value"], best["regression.loss"])
    for gradient in engine.gradients().several(["layer.1.W", "layer.1.b"]).values():
        np.testing.assert_allclose(gradient, 0, atol=1e-13)


@pytest.mark.parametrize("value", ["cross-entropy", "none"])
def test_without_numbers_for_targets_there_is_no_regression(value):
    graph = build(LINE.with_switch("loss", "loss", value))
    assert not any(name.startswith("regression") for name in graph.nodes)


def test_over_two_features_no_line_is_drawn():
    assert "regression" not in XOR.blocks()
    assert "regression" in LINE.blocks()
