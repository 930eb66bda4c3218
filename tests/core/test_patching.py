"""Activation patching: where the difference between two texts goes through a model."""

import numpy as np
import pytest
from refusals import refuses

from explorer.core.engine import fresh
from explorer.core.patching import moved, patched, pin_of, sites
from explorer.document.commands import SetTokens
from explorer.lessons.loader import load

LOGITS = "output.logits"


@pytest.fixture(scope="module")
def two():
    """tiny-gpt on two sentences that differ in one word: the graph, both passes, the words asked about."""
    cat = load("tiny-gpt").state()
    dog = SetTokens("input", ["the", "dog", "sat", "on", "the"]).apply(cat)
    here, there = (fresh(state.graph, state.used, {}).values for state in (cat, dog))
    says = cat.graph.axes["output.words"]
    return cat.graph, here, there, says.index("mat"), says.index("rug")


def test_the_stream_at_the_other_word_carries_all_of_it_and_other_places_nothing(two):
    graph, here, there, mat, rug = two
    shares, rival = moved(patched(graph, here, there, {}, 4), here[LOGITS][4], there[LOGITS][4], mat)
    assert rival == rug
    (embedding, *_, last) = shares
    assert embedding == pytest.approx([0, 1, 0, 0, 0], abs=1e-5)  # only “cat” and “dog” differ
    assert last == pytest.approx([0, 0, 0, 0, 1], abs=1e-5)  # the answer is read at the last place


def test_each_cell_is_what_the_graph_computes_with_that_pin(two):
    graph, here, there, _, _ = two
    logits = patched(graph, here, there, {}, 4)
    inputs = {name: here[name] for name in graph.inputs}
    for number, site in enumerate(sites(graph)):
        again = fresh(graph, inputs, {site.node: pin_of(site, 4, there)}).values[LOGITS][4]
        assert logits[number, 4] == pytest.approx(again, rel=1e-6), site.name


def test_the_parts_of_a_block_are_its_heads_or_its_net(two):
    graph = two[0]
    names = [site.name for site in sites(graph)]
    assert len(names) == 1 + 2 * (4 + 1 + 1 + 1)
    assert names[:3] == ["input.H", "decoder.1.self.head.1.output", "decoder.1.self.head.2.output"]
    assert names[-2:] == ["decoder.2.ffn.output", "decoder.2.ffn.residual"]


def test_what_is_held_stays_held(two):
    graph, here, there, mat, _ = two
    held = {"decoder.2.ffn.residual": pin_of(sites(graph)[-1], 4, here)}
    shares, _ = moved(patched(graph, here, there, held, 4), here[LOGITS][4], there[LOGITS][4], mat)
    assert shares[0] == pytest.approx(np.zeros(5), abs=1e-5)  # nothing from below gets past it


def test_two_texts_of_one_answer_have_no_way_between_them(two):
    graph, here, _, mat, _ = two
    shares, _ = moved(patched(graph, here, here, {}, 4), here[LOGITS][4], here[LOGITS][4], mat)
    assert np.isnan(shares).all()


def test_a_longer_text_cannot_be_taken_from(two):
    graph, here, _, _, _ = two
    longer = SetTokens("input", ["the", "dog", "sat", "on", "the", "rug"]).apply(load("tiny-gpt").state())
    other = fresh(longer.graph, longer.used, {}).values
    with refuses("one as long as this"):
        patched(graph, here, other, {}, 4)
