"""Where an answer comes from: sums that come out, and the output layer read after each block.

Activation patching: where the difference between two texts goes through a model.
"""

import numpy as np
import pytest
from refusals import refuses

from explorer.core.attribution import Ledger, lens, moved, patched, pin_of, rival_of, sites, stream
from explorer.core.engine import Pin, fresh
from explorer.core.graph import after_norm
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Input, Softmax
from explorer.document.commands import SetTokens
from explorer.lessons.loader import load
from tests.samples import each

WORDS = ("a", "b", "c", "d", "e")


def made(kind, switches):
    axes = {"input.words": WORDS} if kind == "gpt" else {"source.words": WORDS, "target.words": WORDS}
    lengths = {"input": 4} if kind == "gpt" else {"source": 3, "target": 4}
    model = Model(kind, lengths, axes, d_model=6, layers=2, seed=2)
    for block, of in model.blocks().items():
        for name, value in switches.items():
            if name == "bias_O" and of != "attention":
                continue
            where = {"positions": "sequence"} | dict.fromkeys(("tied", "logit_cap", "output_scale", "bias"), "output")
            where = where.get(name)
            blocks = ("attention", "ffn", "last norm") if name in ("norm_by", "epsilon_in") else ("attention", "ffn")
            if of == where or (where is None and of in blocks and not (name == "heads" and of == "ffn")):
                model = model.with_switch(block, name, value)
    graph = build(model)
    rng = np.random.default_rng(7)
    inputs = {}
    for name, node in graph.nodes.items():
        if isinstance(node.op, Input):
            shape = graph.shape(name)
            inputs[name] = rng.integers(0, 5, shape) if node.op.whole else rng.normal(size=shape)
    return graph, fresh(graph, inputs, {}).values


CASES = [
    ("gpt", {"norm": "pre", "heads": 2}),
    ("gpt", {"norm": "pre", "heads": 3, "positions": "rotary", "weights": "W x"}),
    ("gpt", {"norm": "pre", "tied": True, "bias": False}),
    ("encoder-decoder", {"norm": "pre", "heads": 2}),
    ("gpt", {"norm": "pre", "heads": 2, "norm_by": "RMS norm"}),
    ("gpt", {"norm": "pre", "norm_by": "RMS norm, 1 + γ", "epsilon_in": "sigma"}),
    ("gpt", {"norm": "both", "norm_by": "RMS norm, 1 + γ", "heads": 2, "logit_cap": 3.0, "tied": True}),
    ("encoder-decoder", {"norm": "pre", "norm_by": "RMS norm", "output_scale": True, "tied": True}),
    ("gpt", {"norm": "pre", "heads": 2, "bias_O": True}),
    ("encoder-decoder", {"norm": "both", "norm_by": "RMS norm", "heads": 2, "bias_O": True}),
]


@each(("kind", "switches"), CASES)
def test_the_parts_add_up_to_the_logit(kind, switches):
    graph, values = made(kind, switches)
    for row in range(4):
        for word in range(3):
            ledger = Ledger(graph, values, row, word)
            logit = values["output.uncapped" if "logit_cap" in switches else "output.logits"][row, word]
            assert ledger.node in ("output.logits", "output.uncapped")
            assert ledger.total == pytest.approx(logit, rel=1e-10)
            assert sum(part.value for part in ledger.parts()) == pytest.approx(logit, rel=1e-10)


@each(("kind", "switches"), CASES)
def test_a_head_is_the_sum_over_its_words_and_a_net_over_its_units(kind, switches):
    graph, values = made(kind, switches)
    ledger = Ledger(graph, values, 2, 1)
    parts = ledger.parts()
    heads, nets = ([part for part in parts if part.kind == kind_] for kind_ in ("head", "net"))
    assert len(heads) == 2 * (2 if kind == "encoder-decoder" else 1) * int(switches.get("heads", 1))
    assert len(nets) == 2
    for part in ledger.parts():
        by, says, rest = ledger.products(part)
        assert by @ says + rest == pytest.approx(part.value, rel=1e-10)


def test_a_row_that_is_too_large_is_taken_apart_without_a_warning():
    graph, values = made("gpt", {"norm": "pre", "heads": 2})
    with np.errstate(all="ignore"):
        values = {name: array * 1e200 if array.dtype.kind == "f" else array for name, array in values.items()}
    ledger = Ledger(graph, values, 2, 1)
    assert not np.isfinite(sum(part.value for part in ledger.parts()))
    for part in ledger.parts():
        ledger.products(part)


def test_a_head_that_moves_nothing_has_no_part():
    graph, values = made("gpt", {"norm": "pre", "heads": 2})
    values = {**values, "decoder.1.self.output": values["decoder.1.self.output"].copy()}
    values["decoder.1.self.output"][1] = 0
    parts = Ledger(graph, values, 3, 0).parts()
    assert next(p for p in parts if p.node.startswith("decoder.1.self") and p.head == 1).value == 0


def test_what_is_the_same_for_all_texts_is_a_part_where_there_is_such():
    """A norm without β and an output without bias add nothing."""
    for bias, kind in ((True, "constant"), (False, "net")):
        graph, values = made("gpt", {"norm": "pre", "norm_by": "RMS norm", "bias": bias})
        assert Ledger(graph, values, 2, 1).parts()[-1].kind == kind


@pytest.mark.parametrize("switches", [{"norm": "pre", "heads": 2}, CASES[6][1]])
def test_the_lens_ends_with_the_models_own_logits(switches):
    graph, values = made("gpt", switches)
    found = lens(graph, values, {}, 2, 3)
    assert found.nodes == ("input.H", *(f"decoder.{k}.{b}.residual" for k in (1, 2) for b in ("self", "ffn")))
    np.testing.assert_allclose(found.logits[-1], values["output.logits"][2], rtol=1e-12)
    assert not np.allclose(found.logits[0], values["output.logits"][2])
    shares = np.exp(found.logits[-1] - found.sums[-1])
    np.testing.assert_allclose(shares, Softmax().forward(values["output.logits"][2]), rtol=1e-10)
    assert found.first.tolist() == [logits.argmax() for logits in found.logits]
    assert list(found.likeliest) == list(found.nodes[-3:])
    np.testing.assert_array_equal(found.likeliest["decoder.2.ffn.residual"], values["output.logits"].argmax(-1))


def test_the_lens_keeps_pins_behind_the_stream(two):
    graph, values, *_ = two
    inputs = {name: values[name] for name, node in graph.nodes.items() if node.is_input}
    pins = {}
    for name in ("final.norm", LOGITS):
        cells = np.zeros(graph.shape(name), dtype=bool)
        cells[1:, 3] = True
        pins[name] = Pin(cells, np.full(graph.shape(name), 50.0))
    pinned = fresh(graph, inputs, pins).values
    found = lens(graph, pinned, pins, 4, 1)
    np.testing.assert_allclose(found.logits[-1], pinned[LOGITS][4], rtol=1e-4)
    assert [int(found.first[-1]), *found.likeliest[found.nodes[-1]]] == [3, *pinned[LOGITS].argmax(-1)]


def test_only_a_stack_with_the_norm_before_its_blocks_is_a_sum():
    assert after_norm(made("gpt", {"norm": "pre"})[0])
    assert not after_norm(made("gpt", {"norm": "post"})[0])
    assert stream(made("gpt", {"norm": "pre", "positions": "none"})[0])[0] == "input.X"


def test_a_block_without_its_residual_begins_the_stream_anew():
    """Its output is no word of the text, and it stands alone in the sum."""
    graph, values = made("gpt", {"norm": "pre", "heads": 2, "residual": False})
    parts = Ledger(graph, values, 2, 1).parts()
    assert [(part.kind, part.node) for part in parts] == [("net", "decoder.2.ffn.output"), ("constant", "final.norm")]
    assert sum(part.value for part in parts) == pytest.approx(values["output.logits"][2, 1], rel=1e-10)


LOGITS = "output.logits"


@pytest.fixture(scope="module")
def two():
    """tiny-gpt on two sentences that differ in one word: the graph, both passes, the words asked about."""
    cat = load("tiny-gpt").state()
    dog = SetTokens("input", ["the", "dog", "sat", "on", "the"]).apply(cat)
    here, there = (fresh(state.graph, state.used, {}).values for state in (cat, dog))
    says = cat.graph.axes["output.words"]
    return cat.graph, here, there, says.index("mat"), says.index("rug")


def shares_of(graph, here, there, held, words):
    both = [values[LOGITS][4, list(words)] for values in (here, there)]
    return moved(patched(graph, here, there, held, 4, range(5), words), *both)


def test_the_stream_at_the_other_word_carries_all_of_it_and_other_places_nothing(two):
    graph, here, there, mat, rug = two
    assert rival_of(there[LOGITS][4], mat) == rug
    shares = shares_of(graph, here, there, {}, (mat, rug))
    (embedding, *_, last) = shares
    assert embedding == pytest.approx([0, 1, 0, 0, 0], abs=1e-5)  # only “cat” and “dog” differ
    assert last == pytest.approx([0, 0, 0, 0, 1], abs=1e-5)  # the answer is read at the last place


def test_each_cell_is_what_the_graph_computes_with_that_pin(two):
    graph, here, there, mat, rug = two
    logits = patched(graph, here, there, {}, 4, [3, 4], (mat, rug))
    inputs = {name: here[name] for name in graph.inputs}
    for number, site in enumerate(sites(graph)):
        again = fresh(graph, inputs, {site.node: pin_of(site, 4, there)}).values[LOGITS][4]
        assert logits[number, 1] == pytest.approx(again[[mat, rug]], rel=1e-5), site.name


def test_the_parts_of_a_block_are_its_heads_or_its_net(two):
    graph = two[0]
    names = [site.name for site in sites(graph)]
    assert len(names) == 1 + 2 * (4 + 1 + 1 + 1)
    assert names[:3] == ["input.H", "decoder.1.self.head.1.output", "decoder.1.self.head.2.output"]
    assert names[-2:] == ["decoder.2.ffn.output", "decoder.2.ffn.residual"]


@pytest.mark.parametrize(("name", "cell"), [("output.logits", (4, None)), ("final.norm", (4, 0))])
def test_what_is_held_after_the_stream_counts_in_a_patched_pass_too(two, name, cell):
    graph, here, _, mat, rug = two
    cells, values = np.zeros(here[name].shape, bool), np.zeros(here[name].shape)
    cell = tuple(mat if i is None else i for i in cell)
    cells[cell], values[cell] = True, 3.0
    pins = {name: Pin(cells, values)}
    pinned = fresh(graph, {n: here[n] for n in graph.inputs}, pins).values
    found = patched(graph, pinned, pinned, pins, 4, range(2), (mat, rug))
    np.testing.assert_allclose(found, np.broadcast_to(pinned[LOGITS][4, [mat, rug]], found.shape), rtol=1e-5)


def test_what_is_held_stays_held(two):
    graph, here, there, mat, rug = two
    held = {"decoder.2.ffn.residual": pin_of(sites(graph)[-1], 4, here)}
    shares = shares_of(graph, here, there, held, (mat, rug))
    assert shares[0] == pytest.approx(np.zeros(5), abs=1e-5)  # nothing from below gets past it


def test_two_texts_of_one_answer_have_no_way_between_them(two):
    graph, here, _, mat, rug = two
    shares = shares_of(graph, here, here, {}, (mat, rug))
    assert np.isnan(shares).all()


def test_a_longer_text_cannot_be_taken_from(two):
    graph, here, _, _, _ = two
    longer = SetTokens("input", ["the", "dog", "sat", "on", "the", "rug"]).apply(load("tiny-gpt").state())
    other = fresh(longer.graph, longer.used, {}).values
    with refuses("one as long as this"):
        patched(graph, here, other, {}, 4, range(5), (0, 1))
