"""An encoder alone, the end of a language model alone, two ways to normalise."""

import numpy as np
import pytest

from explorer.core.model import Model
from explorer.core.models import build

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
