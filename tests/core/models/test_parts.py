import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.models import build

WORDS = Model("attention", axes={"query": ("a", "b", "c"), "feature": ("f1", "f2"), "value feature": ("v",)})
Q = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
K = np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 4.0]])
GIVEN = {"Q": Q, "K": K, "V": [[1], [2], [4]]}


def with_switches(**switches):
    model = WORDS
    for name, value in switches.items():
        model = model.with_switch("attention", name, value)
    return model


def test_either_layout_of_the_matrices_gives_the_same(compute):
    by_rows = compute(WORDS, GIVEN).values
    by_columns = compute(with_switches(layout="(C, T)"), {**GIVEN, "Q": Q.T, "K": K.T}).values
    assert by_columns["Q"].shape == (2, 3)
    for name in ("scores", "scaled", "weights", "output"):
        np.testing.assert_allclose(by_columns[name], by_rows[name], rtol=1e-14)


def test_one_list_of_words_is_self_attention_and_can_be_causal(compute):
    weights = compute(with_switches(mask="causal"), GIVEN).values["weights"]
    assert (weights[np.triu_indices(3, 1)] == 0).all()
    assert weights[0, 0] == 1
    np.testing.assert_allclose(weights.sum(-1), 1)


def test_keys_of_their_own_cannot_be_causal():
    model = Model("attention", axes={**WORDS.axes, "key": ("d", "e", "f")})
    with pytest.raises(ExplorerError) as caught:
        build(model.with_switch("attention", "mask", "causal"))
    assert caught.value.id == "causal-needs-one-sequence"


def test_steps_that_are_switched_off_are_not_there():
    bare = build(with_switches(scale="none", mask="none", V=False))
    assert list(bare.nodes) == ["Q", "K", "scores", "weights"]
    full = build(with_switches(scale="free", mask="hand", nearest=True))
    assert list(full.nodes) == (
        ["Q", "K", "scores", "scale", "scaled", "mask", "masked", "weights", "V", "output", "match", "chosen"]
    )
    assert [name for name, node in full.nodes.items() if node.is_input] == ["Q", "K", "scale", "mask", "V"]


def test_the_scale_is_that_of_the_width_of_a_key(compute):
    assert compute(WORDS).values["scale"] == 1 / np.sqrt(2)
    assert compute(with_switches(scale="1/d_k")).values["scale"] == 1 / 2


def test_the_nearest_row_of_v_is_chosen_by_direction(compute):
    model = Model(
        "attention", axes={"query": ("q",), "key": ("k1", "k2"), "feature": ("f",), "value feature": ("1", "2")}
    )
    given = {"Q": [[1]], "K": [[5], [-5]], "V": [[1, 0], [0, 9]]}
    values = compute(model.with_switch("attention", "nearest", True), given).values
    # The output leans to the first row, though the second is longer.
    assert values["chosen"].tolist() == [0]


MODEL = Model("vectors", axes={"feature": ("1", "2", "3")})
vector = st.tuples(*[st.floats(-10, 10).map(lambda x: round(x, 2))] * 3)


@given(vector, vector)
def test_what_001_says_of_two_vectors(compute, x, y):
    values = compute(MODEL, {"x": [x], "y": [y]}).values
    x, y = np.array(x), np.array(y)
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(values["dot"], [[x @ y]], **close)
    np.testing.assert_allclose(values["scaled"], [[x @ y / np.sqrt(3)]], **close)
    # x_p = c y, <x_o, y> = 0, and together they are x.
    np.testing.assert_allclose(values["x_p"], values["c"] * y, **close)
    np.testing.assert_allclose(values["x_o_y"], 0, atol=1e-9)
    np.testing.assert_allclose(values["x_p"] + values["x_o"], [x], **close)
    # Pythagoras.
    squares = (values["x_p"] ** 2).sum() + (values["x_o"] ** 2).sum()
    np.testing.assert_allclose(squares, values["length_x"][0] ** 2, **close)
    # cos α is the dot product of the vectors brought to length 1.
    if x.any() and y.any():
        unit = x / np.linalg.norm(x) @ (y / np.linalg.norm(y))
        np.testing.assert_allclose(values["cosine"], [[unit]], **close)
        np.testing.assert_allclose(np.cos(np.radians(values["angle"])), values["cosine"], **close)


def test_half_a_right_angle(compute):
    model = Model("vectors", axes={"feature": ("across", "up")})
    values = compute(model, {"x": [[1, 3]], "y": [[4, 2]]}).values
    assert values["dot"] == 10
    assert values["c"] == 0.5
    assert values["x_p"].tolist() == [[2, 1]]
    assert values["x_o"].tolist() == [[-1, 2]]
    assert values["x_o_y"] == 0
    np.testing.assert_allclose(values["angle"], 45)


def test_a_vector_of_length_0_has_no_direction(compute):
    values = compute(MODEL, {"x": [[1, 2, 3]], "y": [[0, 0, 0]]}).values
    assert values["cosine"] == values["c"] == 0
    assert values["x_o"].tolist() == [[1, 2, 3]]


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


ENCODER = Model("encoder", {"input": 3}, {"input.words": ("a", "b", "c")}, seed=1)


def test_an_encoder_is_that_of_an_encoder_decoder(compute):
    """Same weights, other names."""
    whole = Model(
        "encoder-decoder", {"source": 3, "target": 2}, {"source.words": ("a", "b", "c"), "target.words": "xy"}
    )
    values = compute(whole, {"source.tokens": [0, 2, 1]}).values
    graph = build(ENCODER)
    given = {name: values[name.replace("input", "source")] for name in graph.nodes if graph.nodes[name].is_input}
    alone = compute(ENCODER, given).values
    np.testing.assert_array_equal(alone["encoder.1.ffn.norm"], values["encoder.1.ffn.norm"])


def test_an_encoder_looks_both_ways(compute):
    assert (compute(ENCODER).values["encoder.1.self.weights"] > 0).all()


def test_named_dimensions_label_what_stays_in_them(compute):
    names = ("Tech", "Fruitness", "Other", "Rest")
    model = Model("encoder", {"input": 2}, {"input.words": ("a", "b"), "d_model": names})
    engine = compute(model)
    assert engine.labels("d_model") == names
    assert engine.labels("encoder.1.self.concat") == ("1", "2", "3", "4")
    engine = compute(model.with_switch("encoder.1.self", "W_O", False))
    assert engine.labels("encoder.1.self.d_v") == engine.labels("encoder.1.self.concat") == names
    engine = compute(model.with_switch("encoder.1.self", "W_O", False).with_switch("encoder.1.self", "heads", 2))
    assert engine.labels("encoder.1.self.d_v") == ("1", "2")
    assert engine.labels("encoder.1.self.concat") == names


def test_names_for_another_width_are_not_used(compute):
    model = Model("encoder", {"input": 2}, {"input.words": ("a", "b"), "d_model": ("x", "y")})
    assert compute(model).labels("d_model") == ("1", "2", "3", "4")


def test_softmax_among_related_words_only(compute):
    model = ENCODER.with_switch("encoder.1.self", "mask", "related").with_switch(
        "encoder.1.self", "similarity", "cosine"
    )
    model = model.with_switch("encoder.1.self", "heads", 2)
    values = compute(model, {"input.tokens": [0, 1, 2]}).values
    scores, weights = values["encoder.1.self.scores"], values["encoder.1.self.weights"]
    assert ((weights > 0) == (scores > 0)).all()
    assert ((scores > 0).any(axis=0) != (scores > 0).all(axis=0)).any(), "heads differ in what they find related"
    some = (scores > 0).any(-1)
    np.testing.assert_allclose(weights.sum(-1), np.where(some, 1, 0))


def test_a_context_window_of_a_gpt(compute, examples):
    """Two layers would see further back, so look at the weights."""
    model = examples["gpt"].with_switch("decoder.1.self", "window", 1)
    weights = compute(model).values["decoder.1.self.weights"]
    np.testing.assert_array_equal(weights, [np.eye(3)] * 2)


def test_l_1_is_shown_beside_the_loss(compute, examples):
    values = compute(examples["gpt"]).values
    np.testing.assert_allclose(values["loss.L_1"], -3 * values["loss.value"])
    assert "loss.L_1" not in build(examples["gpt"].with_switch("loss", "L_1", False)).nodes


@pytest.mark.parametrize("words", [("<pad>", "a", "b"), ("a", "b", "<pad>")])
def test_neither_the_loss_nor_its_sum_counts_padding(compute, words):
    model = Model("output", axes={"input": ("1", "2"), "output.words": words}).with_switch("loss", "L_1", True)
    target = [words.index("a"), words.index("<pad>")]
    values = compute(model, {"loss.target": target}).values
    right = np.log(values["output.probabilities"][0, target[0]])
    np.testing.assert_allclose([values["loss.value"], values["loss.L_1"]], [-right, right])


def test_given_logits(compute):
    model = Model("output", axes={"input": ("x",), "output.words": ("A", "B", "C")})
    given = {"output.logits": [[2.0, 1.0, 0.2]], "output.temperature": 2.0, "loss.target": [1]}
    values = compute(model, given).values
    e = np.exp([1.0, 0.5, 0.1])
    np.testing.assert_allclose(values["output.probabilities"], [e / e.sum()])
    np.testing.assert_allclose(values["loss.value"], -np.log(e[1] / e.sum()))
    assert values["output.chosen"].tolist() == [0]


def test_layer_norm_beside_batch_norm(compute):
    x = np.array([[0.2, 0.9, 0.1], [0.8, 0.3, 0.5]])
    values = compute(Model("norm", axes={"input": ("1", "2"), "feature": ("a", "b", "c")}), {"input.X": x}).values
    for node, axis in (("layer.norm", 1), ("batch.norm", 0)):
        np.testing.assert_allclose(values[node].mean(axis), 0, atol=1e-12)
        expected = (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-5)
        np.testing.assert_allclose(values[node], expected)


def rotary(model, sequences):
    for sequence in sequences:
        model = model.with_switch(sequence, "positions", "rotary")
    return model


@pytest.mark.parametrize(("kind", "sequences"), [("gpt", ["input"]), ("encoder", ["input"])])
def test_scores_are_of_turned_queries_and_keys(examples, compute, kind, sequences):
    engine = compute(rotary(examples[kind], sequences))
    assert "input.PE" not in engine.graph.nodes
    block = next(name.removesuffix(".Q") for name in engine.graph.nodes if name.endswith(".self.Q"))
    Q, K = engine.values[f"{block}.Q_rotated"], engine.values[f"{block}.K_rotated"]
    np.testing.assert_array_equal(engine.values[f"{block}.scores"], Q @ K.mT)
    np.testing.assert_array_equal(Q[:, 0], engine.values[f"{block}.Q"][:, 0])
    assert np.abs(Q[:, 1:] - engine.values[f"{block}.Q"][:, 1:]).max() > 1e-3


def test_only_attention_within_one_sentence_is_turned(examples, compute):
    nodes = compute(rotary(examples["encoder-decoder"], ["source", "target"])).graph.nodes
    turned = {name.removesuffix(".Q_rotated") for name in nodes if name.endswith("Q_rotated")}
    assert turned == {"encoder.1.self", "decoder.1.self"}
    nodes = compute(rotary(examples["encoder-decoder"], ["source"])).graph.nodes
    assert {name for name in nodes if name.endswith("_rotated")} == {
        "encoder.1.self.Q_rotated",
        "encoder.1.self.K_rotated",
    }
    assert {"target.PE", "source.PE"} & nodes.keys() == {"target.PE"}


def test_moving_all_words_on_leaves_the_scores_of_equal_words(examples, compute):
    # Without positions all rows of equal words are alike; turned, they differ by how far apart the words are.
    engine = compute(rotary(examples["gpt"], ["input"]), {"input.tokens": [1, 1, 1]})
    scores = engine.values["decoder.1.self.scores"]
    np.testing.assert_allclose(np.diagonal(scores, axis1=1, axis2=2), scores[:, :1, 0].repeat(3, axis=1))
    np.testing.assert_allclose(scores[:, 1, 0], scores[:, 2, 1])
    assert np.abs(scores[:, 1, 0] - scores[:, 2, 0]).max() > 1e-4
