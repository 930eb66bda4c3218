from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.decoder import Decoder, Decoding, drawn, kept, next_word_cost, search, write
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Input
from tests.samples import each

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


@each("dtype", ["float64", "float32"])
@each(("kind", "switches"), CASES)
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


@each("at_once", [True, False])
@each("mask", ["none", "padding", "related", "hand"])
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


LOGITS = np.log(np.array([0.5, 0.3, 0.15, 0.05]))


class Chain:
    """A decoder whose next word depends on the last one alone: rows of probabilities."""

    room = 10

    def __init__(self, rows, n=0, reads=range(9)):
        self.rows, self.n, self.reads = np.asarray(rows, np.float64), n, reads

    def read(self, ids):
        self.n += len(ids)
        with np.errstate(divide="ignore"):
            return np.log(self.rows[ids[-1]])

    def fork(self):
        return Chain(self.rows, self.n, self.reads)


def test_the_temperature_divides_the_logits():
    np.testing.assert_allclose(Decoding().probabilities(LOGITS), [0.5, 0.3, 0.15, 0.05])
    squared = np.array([0.5, 0.3, 0.15, 0.05]) ** 2
    np.testing.assert_allclose(Decoding(temperature=0.5).probabilities(LOGITS), squared / squared.sum())


def test_top_k_and_top_p_cut_and_weigh_anew():
    np.testing.assert_allclose(Decoding(top_k=2).probabilities(LOGITS), [0.625, 0.375, 0, 0])
    np.testing.assert_allclose(Decoding(top_p=0.8).probabilities(LOGITS), [0.625, 0.375, 0, 0])
    np.testing.assert_allclose(Decoding(top_p=0.81).probabilities(LOGITS), np.array([0.5, 0.3, 0.15, 0]) / 0.95)
    np.testing.assert_allclose(Decoding(top_p=0.0).probabilities(LOGITS), [1, 0, 0, 0])
    np.testing.assert_allclose(Decoding(greedy=True).probabilities(LOGITS), [0.5, 0.3, 0.15, 0.05])
    assert Decoding(greedy=True).word(np.array([0.2, 0.5, 0.3]), 0) == 1


@given(
    st.lists(st.floats(-30, 30), min_size=1, max_size=30),
    st.floats(0.01, 100),
    st.integers(0, 40),
    st.floats(0, 1),
)
def test_what_is_left_is_the_likeliest_and_sums_to_1(logits, temperature, top_k, top_p):
    shares = Decoding(False, temperature, top_k, top_p).probabilities(np.array(logits))
    assert shares.sum() == pytest.approx(1)
    left = shares > 0
    assert left.any()
    assert not top_k or left.sum() <= top_k
    if not left.all():
        assert np.array(logits)[left].min() >= np.array(logits)[~left].max() - 1e-9 or shares.min() == 0


def test_of_equal_words_the_earlier_stays():
    assert kept(np.full(4, 0.25), 2, 1.0).tolist() == [True, True, False, False]


@pytest.mark.parametrize("bad", [{"temperature": 0}, {"top_p": 1.1}, {"top_k": -1}, {"temperature": float("nan")}])
def test_numbers_out_of_their_bounds(bad):
    with pytest.raises(ExplorerError, check=lambda error: error.id == "bad-training-setting"):
        Decoding(**bad)


def test_a_number_falls_on_a_word():
    shares = np.array([0.2, 0.0, 0.5, 0.3])
    assert [drawn(shares, x) for x in (0.0, 0.19, 0.2, 0.69, 0.71, 1.0)] == [0, 0, 2, 2, 3, 3]


def test_what_is_never_written_gives_its_probability_to_the_others():
    np.testing.assert_allclose(Decoding(never=(0,)).probabilities(LOGITS), [0, 0.6, 0.3, 0.1])
    chain = Chain([[0.9, 0.1], [0.8, 0.2]])
    assert [step.chosen for step in write(chain, [0], 2, Decoding(greedy=True, never=(0,)), ends=())] == [1, 1]
    assert search(Chain(chain.rows), [0], 2, 2, ends=(), never=(0,))[-1][0].words == (1, 1)


def test_writing_stops_behind_end():
    chain = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    assert [step.chosen for step in write(Chain(chain), [0], 9, Decoding(greedy=True), ends={3})] == [1, 2, 3]
    assert [step.chosen for step in write(Chain(chain), [0], 2, Decoding(greedy=True), ends={3})] == [1, 2]
    assert [step.chosen for step in write(Chain(chain), [0], 9, Decoding(greedy=True), ends={2, 3})] == [1, 2]


# Says the words b, c, a by the numbers 0, 1, 2, and reads a, b, c by these: behind a comes b, then c, then a.
RING, READS = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 2, 0]


def test_a_word_that_is_said_is_read_by_its_own_number():
    steps = write(Chain(RING, reads=READS), [0], 5, Decoding(greedy=True), ends=())
    assert [step.chosen for step in steps] == [0, 1, 2, 0, 1]
    assert search(Chain(RING, reads=READS), [0], 5, 1, ends=())[-1][0].words == (0, 1, 2, 0, 1)


def test_nothing_is_written_behind_a_word_that_is_not_read():
    reads = [1, 2, -1]
    steps = write(Chain(RING, reads=reads), [0], 5, Decoding(greedy=True), ends=())
    assert [step.chosen for step in steps] == [0, 1, 2]
    best = search(Chain(RING, reads=reads), [0], 5, 1, ends=())[-1][0]
    assert (best.words, best.done) == ((0, 1, 2), True)


def test_writing_stops_where_there_is_no_room():
    steps = list(write(Chain([[1.0]]), [0] * 8, 9, Decoding(), ends=()))
    assert len(steps) == 3  # behind 8, 9 and 10 words


def test_the_same_seed_draws_the_same_words():
    rows = np.full((5, 5), 0.2)

    def words(seed):
        return [step.chosen for step in write(Chain(rows), [0], 9, Decoding(seed=seed), ends=())]

    assert words(1) == words(1)
    assert words(1) != words(2)


def test_words_come_as_often_as_their_probabilities_say():
    counts = np.bincount(
        [next(write(Chain([[0.7, 0.2, 0.1]]), [0], 1, Decoding(seed=s), -1)).chosen for s in range(2000)]
    )
    np.testing.assert_allclose(counts / 2000, [0.7, 0.2, 0.1], atol=0.03)


def test_candidates_hold_the_chosen_word():
    steps = [next(write(Chain([[0.9, 0.06, 0.04]]), [0], 1, Decoding(seed=seed), -1)) for seed in range(300)]
    rare = next(step for step in steps if step.chosen == 2)
    assert rare.candidates(2) == [(0, pytest.approx(0.9)), (2, pytest.approx(0.04))]
    assert [i for i, _ in rare.candidates(9)] == [0, 1, 2]


GARDEN = [
    [0.0, 0.6, 0.4, 0.0],  # 1 is likelier at first …
    [0.35, 0.35, 0.0, 0.3],
    [0.0, 0.0, 0.1, 0.9],  # … but 2 then ends almost surely
    [1.0, 0.0, 0.0, 0.0],
]


def test_beam_search_finds_what_greedy_misses():
    greedy = [step.chosen for step in write(Chain(GARDEN), [0], 2, Decoding(greedy=True), ends={3})]
    assert greedy[0] == 1
    levels = search(Chain(GARDEN), [0], 2, 2, ends={3})
    best = levels[-1][0]
    assert best.words == (2, 3)
    assert best.done
    assert best.score == pytest.approx(np.log(0.4 * 0.9))
    assert [step.chosen for step in best.steps] == [2, 3]
    assert levels[0][best.parent].words == (2,)


def test_one_beam_is_greedy():
    levels = search(Chain(GARDEN), [0], 4, 1, ends={3})
    greedy = [step.chosen for step in write(Chain(GARDEN), [0], 4, Decoding(greedy=True), ends={3})]
    assert list(levels[-1][0].words) == greedy


@pytest.mark.parametrize("prompt", [1, 5, 9])
def test_beams_fill_the_room_behind_a_prompt_of_any_length(prompt):
    rows, ids = np.full((2, 2), 0.5), [0] * prompt
    levels = search(Chain(rows), ids, 20, 2, ends=())
    written = list(write(Chain(rows), ids, 20, Decoding(greedy=True), ends=()))
    assert len(levels[-1][0].words) == len(written) == len(levels) == Chain.room - prompt + 1


def test_with_enough_beams_the_best_of_all_is_found():
    """Against all texts of up to three words."""
    rng = np.random.default_rng(4)
    rows = rng.dirichlet(np.ones(4), 4)
    best = -np.inf
    stack = [((0,), 0.0)]
    while stack:
        words, score = stack.pop()
        if len(words) == 4 or (len(words) > 1 and words[-1] == 3):
            best = max(best, score)
            continue
        stack += [((*words, i), score + np.log(rows[words[-1], i])) for i in range(4)]
    assert search(Chain(rows), [0], 3, 64, ends={3})[-1][0].score == pytest.approx(best)


@pytest.mark.parametrize("beams", [0, 65])
def test_too_few_or_too_many_beams(beams):
    with pytest.raises(ExplorerError, check=lambda error: error.fields["name"] == "beams"):
        search(Chain(GARDEN), [0], 2, beams, ends={3})


@pytest.mark.parametrize("probabilities", [np.zeros(3), np.full(3, np.nan)])
def test_where_no_word_has_a_probability_the_first_is_drawn(probabilities):
    assert drawn(probabilities, 0.5) == 0
