"""Dropout: off and in use it changes nothing; in training it leaves out its share, and the mean stays."""

import numpy as np
import pytest

from explorer.core.graph import GraphBuilder
from explorer.core.models import build
from explorer.core.ops import Input, Multiply
from explorer.core.training.dropout import kept_masks, kept_nodes, with_dropout

SHARE = 0.25


@pytest.fixture
def model(examples):
    return with_dropout(examples["encoder-decoder"], SHARE)


def test_a_model_has_no_dropout_unless_it_is_switched_on(examples):
    for example in examples.values():
        assert not list(kept_nodes(build(example)))


def test_it_stands_behind_the_embeddings_and_each_sublayer_before_the_residual(model):
    graph = build(model)
    blocks = [
        "source",
        "encoder.1.self",
        "encoder.1.ffn",
        "target",
        "decoder.1.self",
        "decoder.1.cross",
        "decoder.1.ffn",
    ]
    assert list(kept_nodes(graph)) == [f"{block}.kept" for block in blocks]
    assert graph.nodes["source.dropped"].parents == ("source.H", "source.kept")
    assert graph.nodes["encoder.1.self.Q"].parents[0] == "source.dropped"
    assert graph.nodes["encoder.1.self.residual"].parents == ("source.dropped", "encoder.1.self.dropped")


def test_a_gate_is_no_dropout():
    """A product of two matrices of a model is kept whole in training."""
    g = GraphBuilder()
    g.axis("n", ("a", "b"))
    g.stage("gate", "gate", "Gate", "Gate")
    for name in ("x", "gate"):
        g.add(name, Input(), axes=("n",))
    g.add("gated", Multiply(), "x", "gate", axes=("n",))
    assert not list(kept_nodes(g.build()))


@pytest.mark.parametrize("positions", ["sinusoidal", "none"])
def test_in_use_a_model_with_dropout_is_the_one_without(examples, compute, positions):
    model = examples["gpt"].with_switch("input", "positions", positions)
    without, values = compute(model).values, compute(with_dropout(model, SHARE)).values
    np.testing.assert_array_equal(values["output.probabilities"], without["output.probabilities"])
    assert values["input.kept"].all()


def test_what_is_drawn_is_0_or_so_much_larger_that_the_mean_stays(model):
    graph = build(model)
    masks = kept_masks(graph, model, (500,), np.random.default_rng(0))
    for name, mask in masks.items():
        assert mask.shape == (500, *graph.shape(name))
        assert mask.dtype == model.dtype
        np.testing.assert_allclose(np.unique(mask), [0, 1 / (1 - SHARE)])
        np.testing.assert_allclose(mask.mean(), 1, atol=0.05)
    # No two alike: neither two sentences nor two places.
    assert (masks["source.kept"][0] != masks["source.kept"][1]).any()
    assert (masks["encoder.1.self.kept"] != masks["encoder.1.ffn.kept"]).any()


def test_the_same_seed_draws_the_same(model):
    graph = build(model)
    one, other = (kept_masks(graph, model, (2,), np.random.default_rng(7)) for _ in range(2))
    assert one.keys() == other.keys()
    assert all((one[name] == other[name]).all() for name in one)


def test_each_block_has_a_share_of_its_own(examples):
    model = examples["gpt"].with_switch("input", "dropout", 0.9).with_switch("decoder.2.ffn", "dropout", 0.1)
    masks = kept_masks(build(model), model, (300,), np.random.default_rng(0))
    shares = {name: round(float((mask == 0).mean()), 1) for name, mask in masks.items()}
    assert shares == {"input.kept": 0.9, "decoder.2.ffn.kept": 0.1}


def test_what_is_left_out_gets_no_gradient(model, compute):
    engine = compute(model)
    kept = np.ones(engine.values["encoder.1.ffn.kept"].shape)
    kept[1, 2] = 0
    inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
    engine.update(engine.graph, {**inputs, "encoder.1.ffn.kept": kept}, {})
    gradient = engine.gradients().of("encoder.1.ffn.output")
    assert gradient[1, 2] == 0
    assert np.count_nonzero(gradient) == gradient.size - 1
