"""Reading word by word: the same numbers as the whole graph, with and without the cache, and what it costs."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.decoder import Decoder, next_word_cost
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Input

WORDS = ("the", "cat", "sat", "on", "mat", "<end>", "<pad>")
RTOL = {"float64": 1e-12, "float32": 1e-5}  # products are summed in another order


def made(kind, n, dtype, switches):
    """A model, its graph for n words, and inputs drawn by chance."""
    axes = {"input.words": WORDS} if kind == "gpt" else {"source.words": WORDS, "target.words": WORDS}
    lengths = {"input": n} if kind == "gpt" else {"source": 4, "target": n}
    model = Model(kind, lengths, axes, d_model=8, layers=2, seed=3, dtype=dtype)
    for block, of in model.blocks().items():
        for name, value in switches.items():
            placed = name in ("positions", "skips_padding")
            if placed and of == "sequence":
                model = model.with_switch(block, name, value)
            if not placed and of == "attention" and (name != "mask" or block.endswith("self")):
                model = model.with_switch(block, name, value)
    graph = build(model)
    inputs = {}
    for name, node in graph.nodes.items():
        if isinstance(node.op, Input):
            inputs[name] = node.op.start(name, graph.shape(name), dtype, 3)
    for name in graph.sequences:
        inputs[f"{name}.tokens"] = np.random.default_rng(5).integers(0, 6, graph.shape(f"{name}.tokens"))
    return model, graph, inputs


CASES = [
    ("gpt", {"heads": 2}),
    ("gpt", {"heads": 2, "positions": "rotary", "norm": "pre"}),
    ("gpt", {"heads": 1, "positions": "own", "skips_padding": True, "window": 3}),
    ("gpt", {"heads": 4, "mask": "causal + padding", "similarity": "cosine"}),
    ("gpt", {"heads": 2, "mask": "causal + padding", "window": 2, "norm": "pre", "norm_by": "RMS norm"}),
    ("encoder-decoder", {"heads": 2, "norm": "pre"}),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("kind", "switches"), CASES)
def test_each_word_has_the_numbers_of_the_whole_graph(kind, switches, dtype):
    model, graph, inputs = made(kind, 9, dtype, switches)
    values = fresh(graph, inputs, {}).values
    ids = inputs["input.tokens" if kind == "gpt" else "target.tokens"]
    with_cache, without = (Decoder(model, graph, inputs, cache) for cache in (True, False))
    assert with_cache.cached
    for i, word in enumerate(ids.tolist()):
        of_graph = values["output.logits"][i]
        scale = np.abs(of_graph).max()
        for decoder in (with_cache, without):
            logits = decoder.read([word])
            assert logits.dtype == dtype
            np.testing.assert_allclose(logits, of_graph, rtol=RTOL[dtype], atol=RTOL[dtype] * scale)
    assert with_cache.multiplications < without.multiplications


def test_several_words_at_once_are_as_good_as_one_by_one():
    model, graph, inputs = made("gpt", 9, "float64", {"heads": 2})
    ids = inputs["input.tokens"].tolist()
    one, other = Decoder(model, graph, inputs), Decoder(model, graph, inputs)
    for word in ids:
        by_word = one.read([word])
    other.read(ids[:5])
    np.testing.assert_allclose(other.read(ids[5:]), by_word, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("trained", "kept"), [(4, False), (9, True)])
def test_where_a_longer_text_turns_all_words_anew_nothing_is_kept(trained, kept):
    model, graph, inputs = made("gpt", 9, "float64", {"positions": "rotary"})
    for name, value in (("rotary_scaling", "dynamic"), ("rotary_factor", 2.0), ("rotary_room", trained)):
        model = model.with_switch("input", name, value)
    graph = build(model)
    decoder = Decoder(model, graph, inputs)
    assert decoder.cached == kept
    logits = [decoder.read([word]) for word in inputs["input.tokens"].tolist()][-1]
    np.testing.assert_allclose(logits, fresh(graph, inputs, {}).values["output.logits"][-1], rtol=1e-10)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("mask", ["none", "padding", "related", "hand"])
def test_where_a_word_may_look_ahead_nothing_is_kept_and_the_numbers_are_right(mask, at_once):
    model, graph, inputs = made("gpt", 5, "float64", {"mask": mask})
    inputs["input.tokens"][1] = WORDS.index("<pad>")
    decoder = Decoder(model, graph, inputs)
    assert not decoder.cached
    ids = inputs["input.tokens"].tolist()
    logits = decoder.read(ids) if at_once else [decoder.read([word]) for word in ids][-1]
    np.testing.assert_allclose(logits, fresh(graph, inputs, {}).values["output.logits"][-1], rtol=1e-12)
    assert decoder.bytes == 0


def test_the_multiplications_are_those_of_the_products():
    model, graph, inputs = made("gpt", 6, "float64", {"heads": 2})
    model = replace(model, switches={**model.switches, "input.lookup": "index"})
    graph = build(model)
    d, words, ff = 8, len(WORDS), 32
    weights = 2 * (4 * d * d + 2 * d * ff) + d * words  # Q, K, V and W_O, and the feed-forward net; the output layer
    decoder = Decoder(model, graph, inputs)
    for n in range(1, 7):
        before = decoder.multiplications
        decoder.read([0])
        # Behind n words, attention takes n products of keys, and n of values.
        assert decoder.multiplications - before == weights + 2 * 2 * n * d
    # Without the cache all rows are computed anew, each with all columns.
    without = Decoder(model, graph, inputs, cache=False)
    without.read([0] * 5)
    before = without.multiplications
    without.read([0])
    assert without.multiplications - before == 6 * weights + 2 * 2 * 6 * 6 * d


@pytest.mark.parametrize(("kind", "switches"), CASES)
def test_of_words_read_at_once_only_the_last_goes_through_the_output(kind, switches):
    model, graph, inputs = made(kind, 6, "float64", switches)
    one, several = Decoder(model, graph, inputs), Decoder(model, graph, inputs)
    ids = inputs["input.tokens" if kind == "gpt" else "target.tokens"].tolist()
    by_word = [one.read([word]) for word in ids][-1]
    np.testing.assert_allclose(several.read(ids), by_word, rtol=1e-12, atol=1e-12)
    assert several.multiplications < one.multiplications
    assert len(several._rows["output.logits"]) == 1


def test_the_cache_holds_keys_and_values():
    model, graph, inputs = made("gpt", 6, "float32", {"heads": 2})
    decoder = Decoder(model, graph, inputs)
    decoder.read([0, 1, 2])
    assert decoder.bytes == 2 * 2 * 3 * 8 * 4  # layers × (keys, values) × words × d_model × bytes of a number


def test_the_cache_of_a_translator_holds_those_of_the_source_too():
    model, graph, inputs = made("encoder-decoder", 6, "float64", {"heads": 2})
    decoder = Decoder(model, graph, inputs)
    decoder.read([0])
    assert decoder.bytes == 2 * 2 * (1 + 4) * 8 * 8
    # The source is read with the first word: its encoder, its look-up of four words of seven, and its keys and values.
    first, d, words, ff = decoder.multiplications, 8, 4, 32
    decoder.read([0])
    longer = 2 * 2 * d  # what attention takes more behind one word more
    once = 2 * words * (4 * d * d + 2 * d * ff) + 2 * 2 * words * words * d + words * 7 * d + 2 * 2 * words * d * d
    assert first - (decoder.multiplications - first) == once - longer


def test_a_fork_reads_something_else():
    model, graph, inputs = made("gpt", 6, "float64", {"heads": 2})
    one = Decoder(model, graph, inputs)
    one.read([0, 1])
    other = one.fork()
    a, b = one.read([2]), other.read([3])
    assert not np.array_equal(a, b)
    again = Decoder(model, graph, inputs)
    np.testing.assert_allclose(again.read([0, 1, 3]), b, rtol=1e-12)
    np.testing.assert_allclose(one.read([3]), Decoder(model, graph, inputs).read([0, 1, 2, 3]), rtol=1e-12)


def test_more_words_than_there_is_room_for():
    model, graph, inputs = made("gpt", 3, "float64", {})
    decoder = Decoder(model, graph, inputs)
    decoder.read([0, 1])
    with pytest.raises(ExplorerError, check=lambda error: error.id == "no-room"):
        decoder.read([0, 1])


def test_a_model_that_foretells_nothing():
    model = Model("encoder", {"input": 2}, {"input.words": WORDS})
    with pytest.raises(ExplorerError, check=lambda error: error.id == "writes-nothing"):
        Decoder(model, build(model), {})


def test_a_mask_of_padding_keeps_no_rows_in_the_cache():
    plain, padded = (made("gpt", 6, "float64", {"mask": mask})[:2] for mask in ("causal", "causal + padding"))
    assert next_word_cost(*padded, 6) == next_word_cost(*plain, 6)
    assert not any(name.endswith("tokens") for name in next_word_cost(*padded, 6).kept)


@pytest.mark.parametrize("mask", ["none", "padding", "related", "hand", "causal"])
def test_the_cost_of_the_next_word_is_what_the_decoder_computes_with_any_mask(mask):
    model, graph, inputs = made("gpt", 5, "float64", {"mask": mask})
    cost, decoder = next_word_cost(model, graph, 5), Decoder(model, graph, inputs)
    ids = inputs["input.tokens"].tolist()
    decoder.read(ids[:4])
    before = decoder.multiplications
    decoder.read(ids[4:])
    assert decoder.multiplications - before == cost.with_cache
    assert decoder.bytes == cost.bytes
    assert bool(cost.kept) == (mask == "causal")
