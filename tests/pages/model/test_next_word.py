"""The next word: bars, cuts, appending, the tree of beams, and what a word costs."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.decoder import Decoding, next_word_cost
from explorer.core.model import Model
from explorer.core.models.ends import TEMPERATURE
from explorer.core.numbers import read_number
from explorer.document.commands import SetCells, SetSwitch, SetTokens, WriteOn
from explorer.document.continuation import decoder_of
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.loader import load
from explorer.pages.drawing import HERE, MUTED, FlowLine
from explorer.pages.element import leaves
from explorer.pages.gestures import Do
from explorer.pages.levels import NEXT_WORD, stops, writes
from explorer.pages.model.next_word import (
    BEAMED,
    CACHED,
    HOW,
    SEED,
    TOP_K,
    TOP_P,
    TREE,
    _kept_names,
    next_word,
)
from explorer.pages.page import BAR, Waiting
from explorer.pages.view import Covered, Spot, row_of
from tests.pages.conftest import Elsewhere

PROBABILITIES = "output.probabilities"


@pytest.fixture
def cat(desk):
    """tiny-gpt, behind "the cat sat on the"."""
    return desk("tiny-gpt")


def lines(page):
    return list(page.the("next words").lines)


def word(line):
    return line.entries[0].text


def test_only_models_that_write_have_the_page():
    for name, there in (("tiny-gpt", True), ("you-are-welcome", True), ("emma", False), ("xor", False)):
        graph = load(name).state().graph
        assert writes(graph) == there, name
        assert (NEXT_WORD in stops(graph)) == there, name


def test_the_likeliest_word_comes_first(cat):
    found = lines(cat.page(NEXT_WORD.name))
    shares = [line.entries[2].value for line in found]
    assert word(found[0]) == "mat"
    assert shares == sorted(shares, reverse=True)
    np.testing.assert_allclose(sorted(shares), np.sort(cat.value(PROBABILITIES)[-1].astype(float)))


def test_probabilities_that_are_no_numbers_are_no_zeros_and_choose_nothing(cat):
    """Each word had 0.000, and the first was drawn."""
    assert not cat.page(NEXT_WORD.name).has("no numbers")
    cat.do(SetCells("input.table", {(int(cat.value("input.tokens")[-1]), 0): np.nan}))
    page = cat.page(NEXT_WORD.name)
    assert "no numbers (NaN), so no word can be chosen" in page.the("no numbers").text
    assert not any(page.has(id) for id in ("next words", "append", "run"))
    assert page.has("temperature slider"), "what made them so may be undone here"
    assert "is rounding" not in page.notes


def test_a_word_that_is_said_and_not_read_cannot_be_appended(cat):
    """Its number may be that of another word, or of none."""
    model = Model("gpt", {"input": 1}, {"input.words": ("a",), "output.words": ("x",)}, 4, 1, {"loss.loss": "none"})
    cat.document = Document(State.of(model, {}))
    page = cat.page(NEXT_WORD.name)
    assert [button(page, id).on for id in ("append", "run")] == [False, False]
    assert page.the("stops").text == (
        "The model says “x”, which is none of the words that it reads: nothing can follow it."
    )
    (line,) = lines(page)
    assert word(line) == "x"
    assert line.entries[0].leads is None
    assert line.entries[0].tip.endswith("no word that the model reads")


def test_top_k_cuts_and_weighs_anew(cat):
    cat.choose(TOP_K, 2)
    found = lines(cat.page(NEXT_WORD.name))
    assert [line.entries[2].off for line in found[:4]] == [False, False, True, True]
    first, second = (line.entries[2].value for line in found[:2])
    assert found[0].entries[4].value == pytest.approx(first / (first + second))
    assert found[2].entries[4].value == 0
    assert "leave <b>2</b> of" in cat.page(NEXT_WORD.name).the("what is left").text
    cat.choose(TOP_K, 1)
    assert "leave <b>1</b> of 245 words, with a probability of" in cat.page(NEXT_WORD.name).the("what is left").text
    cat.choose(TOP_K, 100)
    assert "that add up to nearly 1. These" in cat.page(NEXT_WORD.name).the("what is left").text
    cat.choose(TOP_K, 0)
    assert "cut nothing off" in cat.page(NEXT_WORD.name).the("what is left").text
    cat.do(SetCells(TEMPERATURE, {(): 0.1}))  # most shares are too small for a float32
    page = cat.page(NEXT_WORD.name)
    assert "cut nothing off: one of all <b>245</b> words" in page.the("what is left").text
    assert not any(line.entries[2].off for line in lines(page))


def test_top_p_leaves_the_likeliest_that_have_it_together(cat):
    cat.choose(TOP_P, 85)
    found = lines(cat.page(NEXT_WORD.name))
    left = [line.entries[2].value for line in found if not line.entries[2].off]
    assert sum(left) >= 0.85 > sum(left[:-1])


def test_the_temperature_is_that_of_the_model(cat):
    before = lines(cat.page(NEXT_WORD.name))[0].entries[2].value
    cat.do(SetCells(TEMPERATURE, {(): 5.0}))
    after = lines(cat.page(NEXT_WORD.name))[0].entries[2].value
    assert after < before


def test_what_a_step_speaks_of_is_marked_in_place_of_the_word_that_is_drawn(cat):
    """Else a step that says how likely a word is would show another one."""
    marked = [word(line) for line in lines(cat.page(NEXT_WORD.name)) if line.here]
    assert len(marked) == 1
    others = [word(line) for line in lines(cat.page(NEXT_WORD.name)) if word(line) not in marked][:2]
    columns = tuple(cat.view.labels("output.words").index(one) for one in others)
    cat.look(spot=Spot(PROBABILITIES, (4,), columns))
    page = cat.page(NEXT_WORD.name)
    assert [word(line) for line in lines(page) if line.here] == others
    assert [word(line) for line in lines(page) if "drawn" in line.entries[-1].text] == marked
    cat.choose(row_of("input"), 4)
    cat.look(spot=Spot(PROBABILITIES, (2,), columns))  # behind another word
    assert [word(line) for line in lines(cat.page(NEXT_WORD.name)) if line.here] == marked


def test_greedy_chooses_one_word_alone(cat):
    cat.choose(HOW, 0)
    found = lines(cat.page(NEXT_WORD.name))
    assert [line.entries[4].value for line in found[:3]] == [1, 0, 0]
    assert found[0].entries[5].text == "likeliest"


def button(page, id):
    return next(one for one in page.the("go on").controls if one.id == id)


def test_appending_reads_the_word_that_was_announced(cat):
    cat.choose(SEED, 3)
    for _ in range(3):
        append = button(cat.page(NEXT_WORD.name), "append")
        if not append.on:
            break
        cat.do(append.asks.command())
        assert f"“{cat.view.labels('input')[-1]}”" in append.text
    assert cat.view.labels("input")[:5] == ("the", "cat", "sat", "on", "the")
    assert len(cat.view.labels("input")) > 5


def test_word_by_word_comes_to_what_one_run_comes_to(desk):
    one, other = desk("tiny-gpt"), desk("tiny-gpt")
    choice = Decoding(seed=5)
    for desk_ in (one, other):
        desk_.do(SetTokens("input", ["Emma"]))
    one.do(WriteOn(1, 6, choice))
    for n in range(1, 7):
        other.do(WriteOn(n, 1, choice))
    assert one.view.labels("input") == other.view.labels("input")


def test_behind_the_last_word_nothing_can_be_appended(cat):
    cat.do(SetTokens("input", ["the", "cat", "sat", "on", "the", "mat"]))
    cat.choose(HOW, 0)
    page = cat.page(NEXT_WORD.name)
    assert [button(page, id).on for id in ("append", "run")] == [False, False]
    assert "complete" in page.the("stops").text


def test_behind_the_last_learned_position_nothing_can_be_appended(cat):
    """A new row of learned positions would be random."""
    switches = {"input.positions": "learned"}
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b")}, 4, 1, switches=switches)
    inputs = {"input.PE": np.ones((2, 4)), "output.b": np.array([9.0, 0, 0])}
    cat.document = Document(State.of(model, inputs))
    page = cat.page(NEXT_WORD.name)
    assert [button(page, id).on for id in ("append", "run")] == [False, False]
    assert page.the("stops").text == "The model has positions for 2 words only: it can read none after this one."
    assert lines(page)[0].entries[0].leads is None
    cat.choose(row_of("input"), 0)
    page = cat.page(NEXT_WORD.name)
    assert [button(page, id).on for id in ("append", "run")] == [True, True]
    assert lines(page)[0].entries[0].leads is not None


def test_a_text_that_goes_on_says_nothing_of_an_end(cat):
    page = cat.page(NEXT_WORD.name)
    assert [button(page, id).on for id in ("append", "run")] == [True, True]
    assert not page.has("stops")


def test_a_click_on_a_word_appends_it(cat):
    line = next(line for line in lines(cat.page(NEXT_WORD.name)) if word(line) == "sofa")
    assert isinstance(line.entries[0].leads, Do)
    cat.do(line.entries[0].leads.command())
    assert cat.view.labels("input")[-1] == "sofa"


def test_a_word_inside_the_text_can_be_stood_at(cat):
    cat.choose(row_of("input"), 0)
    page = cat.page(NEXT_WORD.name)
    assert "What comes after it now: <i>cat sat on the</i>" in page.the("text").text
    assert next(line for line in lines(page) if "stands there" in line.entries[5].text).entries[0].text == "cat"
    cat.do(button(page, "append").asks.command())
    assert len(cat.view.labels("input")) == 2  # what stood behind it has made way


def test_the_tree_leads_to_the_best(cat):
    assert not cat.page(NEXT_WORD.name).has("tree")
    cat.choose(TREE, True)
    page = cat.page(NEXT_WORD.name)
    assert "The best: <b>mat &lt;end&gt;</b>" in page.the("about the beams").text
    drawing = page.the("tree").drawing
    assert drawing.zoom  # boxes are painted in no other drawing
    names = [mark.name for mark in drawing.marks if hasattr(mark, "name")]
    assert any(name.startswith("mat <end>") for name in names)
    assert {mark.ink for mark in drawing.marks if isinstance(mark, FlowLine)} == {HERE, MUTED}, (
        "orange as the chosen word"
    )


def test_rows_that_are_not_needed_are_grey_and_the_cost_is_their_sum(cat):
    page = cat.page(NEXT_WORD.name)
    lines = page.the("computed rows").lines
    cost = next_word_cost(cat.view.state.model, cat.view.graph, 5)
    assert total(lines) == cost.with_cache
    kept = {line.entries[0].text for line in lines if line.entries[1].text == "kept"}
    assert kept == {f"layer {k}, attention {name}" for k in (1, 2) for name in "KV"}
    others = [line for line in lines if line.entries[0].text not in kept]
    assert all(entry.muted for line in others for entry in line.entries[1:5])
    difference = read_number(page.notes.split("largest difference, ")[1].split(",")[0])
    assert difference < 1e-4
    cat.choose(CACHED, False)
    lines = cat.page(NEXT_WORD.name).the("computed rows").lines
    assert total(lines) == cost.without
    assert not any(entry.muted for line in lines for entry in line.entries)
    cat.choose(row_of("input"), 0)  # a single word is read in the same way with the cache and without
    assert "Both give the same logits, to the last bit." in cat.page(NEXT_WORD.name).notes
    assert "again for <b>1 word</b>" in cat.page(NEXT_WORD.name).notes


def total(lines):
    return sum(int(line.entries[-1].text.replace(",", "")) for line in lines)


def test_the_cost_is_what_a_decoder_counts(cat):
    first = page = cat.page(NEXT_WORD.name).the("costs").lines[0]
    _, without, with_cache, _, held = (int(e.text.replace(",", "").rstrip(" ×").split(".")[0]) for e in page.entries)
    state = cat.document.state
    for cache, expected in ((True, with_cache), (False, without)):
        decoder = decoder_of(state, 6, cache=cache)
        decoder.read([2, 3, 4, 5])
        before = decoder.multiplications
        decoder.read([2])
        assert decoder.multiplications - before == expected
        if cache:
            assert decoder.bytes == held
    assert first.here


def test_a_translator_goes_on_from_es(desk):
    of = desk("tiny-translator", "welcome")
    of.do(SetTokens("target", ["<es>"]))
    of.choose(HOW, 0)
    of.do(button(of.page(NEXT_WORD.name), "run").asks.command())
    assert of.view.labels("target") == ("<es>", "de", "nada")


def test_what_a_translator_has_read_begins_with_the_source(desk):
    text = desk("tiny-translator", "welcome").page(NEXT_WORD.name).the("text").text
    assert "read <mark>you are welcome</mark>, then <mark>&lt;es&gt; de nada</mark>, and says" in text


def test_the_beams_of_a_large_model_are_searched_beside_the_window(cat, monkeypatch):
    monkeypatch.setattr("explorer.pages.view.AT_ONCE", 1)
    cat.choose(TREE, True)
    elsewhere = Elsewhere()
    view = replace(cat.view, aside=elsewhere)
    waits = next(one for part in next_word(view, NEXT_WORD) for one in leaves(part) if isinstance(one, Waiting))
    assert waits.id == BEAMED
    told = elsewhere.compute(BEAMED)
    assert told == sorted(told)
    assert told[0] == (0, 18)
    notes = [one.text for part in next_word(view, NEXT_WORD) for one in leaves(part) if one.id == "about the beams"]
    assert "The best: <b>mat &lt;end&gt;</b>" in notes[0]


def test_what_is_kept_of_many_layers_is_said_once():
    """Sixty names took a third of the page, and of two layers stood addresses: decoder.1.self.K."""
    kept = [f"decoder.{k}.self.{short}" for k in range(1, 31) for short in ("K_rotated", "V")]
    assert _kept_names(kept) == "<b>attention K</b> and <b>attention V</b> of the layers 1 to 30"
    assert _kept_names(kept[:2]) == "<b>attention K</b> and <b>attention V</b> of layer 1"
    assert _kept_names([*kept[:4], *kept[6:8]]) == "<b>attention K</b> and <b>attention V</b> of the layers 1, 2 and 4"
    assert _kept_names([]) == "<b>nothing</b>"


def test_the_word_that_is_drawn_is_in_sight_and_each_word_stands_there_once(desk):
    """The button said "Append" of a word that no line had."""
    of = desk("tiny-reader")
    seen = 0
    for seed in range(30):
        of.choose(SEED, seed)
        listing = of.page(NEXT_WORD.name).the("next words")
        at = next(i for i, line in enumerate(listing.lines) if "drawn" in line.entries[-1].text)
        assert at < listing.most
        if "number" in listing.lines[at].entries[-1].text:
            seen += 1
            assert at == listing.most - 1
            shares = [line.entries[2].value for line in listing.lines]
            drawn = shares.pop(at)
            assert shares == sorted(shares, reverse=True)
            rank = int(listing.lines[at].entries[-1].text.split("number ")[1].split(",")[0])
            assert sum(share > drawn for share in shares) == rank - 1
            assert len({line.cell for line in listing.lines}) == len(listing.lines)
    assert seen


def test_bars_of_small_shares_go_as_far_as_the_largest(desk):
    def ends(name):
        bars = [one.reach for one in desk(name).page(NEXT_WORD.name).the("next words").columns if one.kind == BAR]
        return [high for _, high in bars]

    small, other = ends("tiny-reader")
    assert 0 < small < 0.25
    assert other == pytest.approx(small)
    assert ends("tiny-gpt") == [1.0, 1.0]


def test_with_the_cache_k_is_kept_as_turned_and_no_column_says_twice_what_one_row_costs(desk):
    of = desk("tiny-reader")
    listing = of.page(NEXT_WORD.name).the("computed rows")
    kept = {line.entries[0].text for line in listing.lines if "kept" in [one.text for one in line.entries]}
    assert {"layer 1, attention K", "layer 1, attention V"} <= kept
    assert "together" not in [column.title for column in listing.columns]
    of.choose(CACHED, False)
    assert of.page(NEXT_WORD.name).the("computed rows").columns[-1].title == "together"


def test_what_is_kept_of_the_source_is_said_to_have_no_line_in_the_table(desk):
    page = desk("you-are-welcome").page(NEXT_WORD.name)
    own, of_source = page.the("about the cache").text.split("Kept are also")
    named = {line.entries[0].text for line in page.the("computed rows").lines}
    for letter in "KV":
        assert f"<b>attention {letter}</b>" in own
        assert f"layer 1, attention {letter}" in named
        assert f"<b>cross-attention {letter}</b>" in of_source
        assert f"layer 1, cross-attention {letter}" not in named
    assert "Kept are also" not in desk("tiny-gpt").page(NEXT_WORD.name).the("about the cache").text


def test_where_a_word_may_look_ahead_the_page_keeps_nothing(cat):
    for layer in (1, 2):
        cat.do(SetSwitch(f"decoder.{layer}.self", "mask", "none"))
    page = cat.page(NEXT_WORD.name)
    assert not page.the(CACHED).on
    assert not page.the(CACHED).value
    assert "No keys and values can be kept here: the mask" in page.the("about the rows").text
    assert not page.has("about the cache")
    assert all(row[1] == row[2] and row[4] == "0" for row in page.texts("costs"))


def test_the_beams_do_not_tell_a_probability_that_is_asked_for(cat):
    """Their scores are logarithms of it, computed anew, so no veil saw that they told it."""
    cat.choose(TREE, True)
    assert cat.page(NEXT_WORD.name).has("tree")
    cat.look(covered=Covered({PROBABILITIES: frozenset({(4, 0)})}))
    page = cat.page(NEXT_WORD.name)
    assert not page.has("tree")
    assert "when the question is answered" in page.the("asked").text
