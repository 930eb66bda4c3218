"""Counting against arithmetic done by hand, and against the arrays that there are.

What a GPT costs, against the formulas that the papers give.
"""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core import cost
from explorer.core.cost import (
    ATTENTION,
    EMBEDDING,
    NET,
    OUTPUT,
    PROJECTIONS,
    SHAPES,
    Shape,
    build_within,
    cost_of,
    count_labels,
    growth,
    parameters,
    scores,
    timed_attention,
    total,
)
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.training.trainer import trainable
from explorer.document.state import State

WORDS = ("a", "b", "c", "d", "e")


def gpt(**changes):
    sizes = {"lengths": {"input": 3}, "axes": {"input.words": WORDS}, "d_model": 8, "layers": 2}
    return Model("gpt", **{**sizes, **changes})


def state_of(model):
    return State.of(model, {})


def counted(model):
    return parameters(state_of(model).graph, model)


def test_a_gpt_block_by_block():
    d, words, d_ff = 8, 5, 32
    by_name = {block.name: block.count for block in counted(gpt())}
    attention, ffn = 4 * d * d + 2 * d, d * d_ff + d_ff + d_ff * d + d + 2 * d
    assert by_name == {
        "input": words * d,
        "decoder.1.self": attention,
        "decoder.1.ffn": ffn,
        "decoder.2.self": attention,
        "decoder.2.ffn": ffn,
        "output": d * words + words,
    }


def test_a_number_is_the_product_of_its_sizes():
    model = gpt().with_switch("decoder.1.self", "heads", 2)
    weights = {w.name: w for block in counted(model) for w in block.weights}
    query, mixing = weights["decoder.1.self.W_Q"], weights["decoder.1.self.W_O"]
    assert [(size.what, size.length) for size in query.sizes] == [("heads", 2), ("d_model", 8), ("d_k", 4)]
    assert [(size.what, size.length) for size in mixing.sizes] == [("heads", 2), ("d_v", 4), ("d_model", 8)]
    assert query.count == mixing.count == 64


@pytest.mark.parametrize("switch", [("final", "epsilon", 1e-3), ("decoder.1.self", "bias", True)])
def test_the_total_is_what_the_arrays_hold(switch):
    model = gpt().with_switch(*switch)
    state = state_of(model)
    blocks = parameters(state.graph, model)
    arrays = [state.inputs[weights.name] for block in blocks for weights in block.weights]
    assert total(blocks) == sum(array.size for array in arrays)


def test_what_is_given_is_not_counted():
    attention = Model("attention", axes={"query": ("x", "y"), "feature": ("1", "2")})
    assert counted(attention) == ()
    net = Model("mlp", axes={"input": ("1", "2", "3"), "layer.0": ("x", "y"), "layer.1": ("z",)})
    ((layer,),) = [counted(net)]
    assert [w.name for w in layer.weights] == ["layer.1.W", "layer.1.b"]
    assert layer.count == 3


@pytest.mark.parametrize(("positions", "learned"), [("sinusoidal", 0), ("table", 0), ("learned", 24), ("none", 0)])
def test_positions_count_where_they_are_learned(positions, learned):
    model = gpt().with_switch("input", "positions", positions)
    block = counted(model)[0]
    assert block.count == 40 + learned


def test_all_that_published_models_learn_is_counted_and_trained():
    """Positions of a checkpoint and by distance, segments, sinks, and the norms of queries, keys and outputs."""
    of_input = {"positions": "own", "room": 7, "segments": 2}
    of_attention = {"norm": "both", "qk_norm": "each head", "sink": True, "scale": "free", "mask": "hand"}
    switches = {f"input.{name}": value for name, value in of_input.items()}
    switches |= {f"decoder.1.self.{name}": value for name, value in of_attention.items()}
    given = {"input.tokens", "input.segments", "decoder.1.self.scale", "decoder.1.self.mask", "output.temperature"}
    for model, sizes in (
        (gpt(layers=1, switches=switches), ("input.places", ("positions", 7))),
        (gpt(layers=1, switches={"input.positions": "relative"}), ("decoder.1.self.bias_table", ("buckets", 32))),
    ):
        graph = state_of(model).graph
        weights = {w.name: w for block in parameters(graph, model) for w in block.weights}
        assert graph.inputs - weights.keys() - given == {"loss.target"}
        name, (what, length) = sizes
        assert next((size.what, size.length) for size in weights[name].sizes) == (what, length)
        assert {n for n, usual in trainable(graph, model).items() if usual} == set(weights)


def test_a_tied_output_adds_its_bias_only():
    block = counted(gpt().with_switch("output", "tied", True))[-1]
    assert [(w.name, w.count) for w in block.weights] == [("output.b", 5)]


def test_growth_is_the_count_of_the_larger_model():
    grown = {g.what: g.count for g in growth(gpt())}
    now = total(counted(gpt()))
    layer = sum(block.count for block in counted(gpt()) if block.name.startswith("decoder.2."))
    assert grown["layer"] == now + layer
    assert grown["tokens"] == now
    assert grown["words"] == now + 5 * 8 + 5 * 8 + 5
    assert grown["heads"] == now  # they share d_model
    assert grown["d_model"] == total(counted(gpt(d_model=16)))


def test_scores_grow_with_the_square_of_the_text():
    model = gpt()
    n, now = model.lengths["input"], scores(State.of(model, {}).graph)
    heads = sum(model.switch(f"decoder.{k}.self", "heads") for k in range(1, model.layers + 1))
    assert now == n * n * heads
    grown = {g.what: g.scores for g in growth(model)}
    assert grown["tokens"] == 4 * now
    assert grown["heads"] == 2 * now
    assert grown["d_model"] == grown["words"] == now


def test_another_layer_is_like_the_last():
    model = gpt().with_switch("decoder.2.ffn", "d_ff", 3)
    blocks = {block.name: block.count for block in counted(model)}
    assert {g.what: g.count for g in growth(model)}["layer"] == sum(blocks.values()) + sum(
        blocks[f"decoder.2.{part}"] for part in ("self", "ffn")
    )


def test_what_cannot_be_built_is_left_out():
    model = gpt(d_model=1)  # two heads cannot share one number
    assert "heads" not in {g.what for g in growth(model)}


def test_a_net_does_not_grow_by_itself():
    assert growth(Model("mlp", axes={"input": ("1",), "layer.0": ("x",), "layer.1": ("z",)})) == ()


def test_a_graph_has_no_more_than_four_times_the_labels_that_are_counted(switched):
    for said, model in switched.items():
        labels = sum(map(len, build(model).axes.values()))
        assert labels <= 4 * count_labels(model), said


def test_sizes_that_no_memory_could_hold_are_counted():
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b")}, d_model=10**9, layers=100)
    model = model.with_switch("decoder.7.self", "d_k", 16384).with_switch("decoder.7.self", "heads", 128)
    assert count_labels(model) > 4 * 100 * 10**9


@pytest.mark.parametrize(
    ("changed", "id"),
    [
        ({"lengths": {"input": 512}, "layers": 48}, "model-too-large"),
        ({"d_model": 128 * 10**4}, "too-many-labels"),
    ],
)
def test_what_no_memory_could_hold_is_refused_before_it_is_made(changed, id):
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b")}, d_model=128, layers=1)
    model = replace(model, **changed)
    switches = {f"decoder.{k}.self.heads": 128 for k in range(1, model.layers + 1)}
    with pytest.raises(ExplorerError) as caught:
        build_within(replace(model, switches=switches))
    assert caught.value.id == id


@pytest.mark.parametrize("shape", SHAPES[:3], ids=lambda shape: shape.name)
@pytest.mark.parametrize("n", [64, 512])
def test_the_counts_are_those_of_the_formulas(shape, n):
    found = cost_of(shape, n)
    d, layers = shape.d_model, shape.layers
    assert found.multiplications == {
        PROJECTIONS: layers * 4 * n * d * d,
        ATTENTION: layers * 2 * n * n * d,
        NET: layers * 8 * n * d * d,
        OUTPUT: n * d * shape.words,
        EMBEDDING: 0,
    }
    assert found.cache == 2 * layers * n * d
    assert found.scores == shape.heads * n * n
    assert found.one_more == layers * (12 * d * d + 2 * (n + 1) * d) + d * shape.words


def test_capped_logits_are_made_by_the_output_layer_like_others():
    """Gemma 2's output layer was counted as a look-up of one-hot rows."""
    plain, capped = gpt(), gpt(switches={"output.logit_cap": 30.0})
    found = [cost.cost(model, build(model)).multiplications for model in (plain, capped)]
    assert found[0] == found[1]
    assert found[1][OUTPUT] == 3 * 8 * len(WORDS)


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_a_shape_costs_what_all_of_its_layers_do(layers):
    shape = Shape("small", layers, 2, 8, 20, 64)
    model = cost.model_of(shape, 7)
    assert cost_of(shape, 7) == cost.cost(model, cost.build(model))


def test_the_shapes_have_as_many_parameters_as_published_whatever_they_read():
    """Rows of positions were counted for the words of the text only, and W_O had no bias."""
    for n in (64, 512):
        found = {shape.name: cost_of(shape, n).parameters for shape in SHAPES}
        assert found["GPT-1"] == 116_534_784  # its norms stand after the blocks, and none at the end
        assert found["GPT-2 small"] == 124_439_808
        assert found["GPT-2 XL"] == 1_557_611_200
        assert found["GPT-3"] == pytest.approx(175e9, rel=0.01)


def test_attention_grows_with_the_square():
    shape = Shape("small", 2, 2, 8, 20, 64)
    once, twice = cost_of(shape, 16), cost_of(shape, 32)
    assert twice.multiplications[ATTENTION] == 4 * once.multiplications[ATTENTION]
    assert twice.multiplications[NET] == 2 * once.multiplications[NET]
    assert twice.cache == 2 * once.cache


def test_attention_can_be_timed():
    assert timed_attention(8, 2, 4, runs=1) > 0


def test_what_is_given_takes_no_more_memory(monkeypatch):
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b")}, d_model=64, layers=1)
    graph = build(model)
    of_weights = {name: np.zeros(graph.shape(name)) for name, node in graph.nodes.items() if node.is_input}
    others = sum(graph.size(name) for name in graph.nodes if name not in of_weights)
    monkeypatch.setattr(cost, "MOST_BYTES", 8 * others)
    with pytest.raises(ExplorerError) as refused:
        build_within(model)
    assert refused.value.id == "model-too-large"
    assert build_within(model, of_weights).nodes == graph.nodes
    monkeypatch.setattr(cost, "MOST_BYTES", 8)
    assert build_within(model, of_weights, by_rows=True).nodes == graph.nodes
    wrong_size = {**of_weights, "input.table": np.zeros((3, 64))}
    with pytest.raises(ExplorerError) as refused:
        build_within(model, wrong_size)
    assert refused.value.id == "model-too-large"
