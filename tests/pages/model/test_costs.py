"""The page of what a model costs."""

import re
from dataclasses import replace

import pytest

from explorer.core.decoder import next_word_cost
from explorer.core.stored import Stored
from explorer.document.commands import SetSwitch, SetTokens
from explorer.lessons.loader import load
from explorer.pages.levels import COSTS, is_gpt, stops
from explorer.pages.model.costs import LAYERS, LENGTHS, SHAPE, TIMED, TOKENS
from tests.pages.conftest import Desk


@pytest.fixture
def cat(desk):
    return desk("tiny-gpt")


def counts(page):
    return {row[0]: int(row[2].replace(",", "")) for row in page.texts("parts")}


def test_only_a_gpt_has_the_page():
    for name, there in (("tiny-gpt", True), ("tiny-translator", False), ("emma", False)):
        graph = load(name).state().graph
        assert is_gpt(graph) == there, name
        assert (COSTS in stops(graph)) == there, name


def test_a_table_that_a_file_has_once_and_the_model_twice_is_told(desk):
    """Who knows how many weights a T5 or Marian has found more here, and no reason."""
    page = desk("tiny-translator").page("model.parameters")
    assert "Its file has one table" not in page.notes
    state = load("tiny-translator").state()
    called = dict.fromkeys(("source.table", "target.table"), Stored("shared.weight"))
    shared = Desk(replace(state, model=replace(state.model, called=called)))
    table = f"{state.graph.size('source.table'):,}"
    assert f"Its file has one table of {table} numbers for source and target" in shared.page("model.parameters").notes


def test_the_parts_add_up(cat):
    *parts, together = counts(cat.page(COSTS.name)).values()
    assert sum(parts) == together


def test_of_heads_of_another_width_the_formulas_have_it(cat):
    """Those of Qwen 3 and Gemma had no formula."""
    for layer in (1, 2):
        cat.do(SetSwitch(f"decoder.{layer}.self", "d_k", 8), SetSwitch(f"decoder.{layer}.self", "d_v", 8))
    rows = {row[0]: row[1:3] for row in cat.page(COSTS.name).texts("parts")}
    n, d, d_q = 5, 64, 4 * 8
    assert rows["projections"] == [
        f"layers × 2 n d (d_q + d_kv), d_q = {d_q}, d_kv = {d_q}",
        f"{2 * 4 * n * d * d_q:,}",
    ]
    assert rows["attention"] == [f"layers × 2 n² d_q, d_q = {d_q}", f"{2 * 2 * n * n * d_q:,}"]


def test_without_a_cache_no_column_is_called_cached(cat):
    assert [column.title for column in cat.page(COSTS.name).the("lengths").columns][3] == "one more, cached"
    cat.do(SetSwitch("decoder.1.self", "mask", "none"))
    assert [column.title for column in cat.page(COSTS.name).the("lengths").columns][3] == "one more"


def test_of_experts_all_are_counted_and_that_is_said(cat):
    assert "experts" not in cat.page(COSTS.name).notes
    before = counts(cat.page(COSTS.name))["feed-forward"]
    cat.do(SetSwitch("decoder.1.ffn", "experts", 4), SetSwitch("decoder.1.ffn", "chosen", 1))
    page = cat.page(COSTS.name)
    assert "All experts are computed here, and counted" in page.notes
    assert counts(page)["feed-forward"] > 2 * before
    assert "outside a context window" not in page.notes
    cat.do(SetSwitch("decoder.2.self", "window", 2))
    assert "outside a context window" in cat.page(COSTS.name).notes
    cat.choose(SHAPE, 1)
    assert "experts" not in cat.page(COSTS.name).notes
    assert "outside a context window" not in cat.page(COSTS.name).notes


def test_of_experts_the_formula_counts_the_router_the_nets_and_their_sum(cat):
    """The line of the nets, the longest of all, had none."""
    for name, value in (("experts", 4), ("chosen", 1), ("gated", True), ("d_ff", 24)):
        cat.do(SetSwitch("decoder.1.ffn", name, value, everywhere=True))
    n, d, layers = 5, 64, 2
    line = cat.page(COSTS.name).texts("parts")[2]
    assert line[1] == "layers × n e d (3 d_ff + 2), e = 4 experts, d_ff = 24"
    assert line[2] == f"{layers * (2 * n * d * 4 + 4 * 3 * n * d * 24):,}"


def test_of_weights_in_few_bits_it_is_said_that_all_bytes_are_counted(cat):
    assert "few bits" not in cat.page(COSTS.name).notes
    cat.do(SetSwitch("decoder.1.self", "quantised", "4 bits"))
    assert "Weights in few bits take fewer bytes in other programs" in cat.page(COSTS.name).notes


def test_one_token_is_no_several(cat):
    cat.choose(f"{TOKENS}.0", 1)
    assert cat.page(COSTS.name).the("pass").text == "Reading 1 token at once"


def test_it_follows_the_words(cat):
    before = counts(cat.page(COSTS.name))
    cat.do(SetTokens("input", ["the", "cat"] * 5))
    after = counts(cat.page(COSTS.name))
    assert after["feed-forward"] == 2 * before["feed-forward"]
    assert after["attention"] == 4 * before["attention"]


def test_a_preset_and_what_is_set_by_hand(cat):
    cat.choose(SHAPE, 2)  # GPT-2 small
    page = cat.page(COSTS.name)
    assert "124 million numbers" in page.the("together").text
    assert counts(page)["attention"] == 12 * 2 * 1024**2 * 768
    cat.choose(f"{TOKENS}.2", 512)
    assert counts(cat.page(COSTS.name))["attention"] == 12 * 2 * 512**2 * 768
    assert "as GPT-2 is built" not in cat.page(COSTS.name).the("together").text
    cat.choose(f"{LAYERS}.2", 24)
    assert "as GPT-2 is built" in cat.page(COSTS.name).the("together").text
    assert counts(cat.page(COSTS.name))["attention"] == 24 * 2 * 512**2 * 768
    cat.choose(SHAPE, 0)  # which is as it was
    assert counts(cat.page(COSTS.name))["attention"] == 2 * 2 * 5**2 * 64


@pytest.mark.parametrize("name", ["i-love-ai", "roses-are-red", "stories260k", "tiny-gpt", "changed-since-2017"])
def test_a_formula_comes_to_the_number_beside_it(desk, name):
    own = desk(name)
    page = own.page(COSTS.name)
    said = {row[0]: (row[1], int(row[2].replace(",", ""))) for row in page.texts("parts")[:-1]}
    graph, model = own.document.state.graph, own.document.state.model
    heads, _, each = graph.shape("decoder.1.self.W_K")
    hidden = graph.shape("decoder.1.ffn.W_1")[-1]
    names = {"layers": model.layers, "n": len(graph.axes["input"]), "d": model.d_model, "d_kv": heads * each}
    names |= {"d_ff": hidden, "words": len(graph.axes["output.words"])}
    for part, (formula, count) in said.items():
        formula = formula.partition(",")[0].replace("²", "**2").replace("×", "*")
        factors = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", formula)
        own = {"words": graph.shape("input.table")[0]} if part == "embedding" else {}
        assert eval(factors, names | own) == count, part
    assert ("d_ff" in said["feed-forward"][0]) == (hidden != 4 * model.d_model)


def test_the_formula_of_a_gated_net_names_its_three_matrices(desk):
    """With 8/3 d units, as in a real SmolLM2, it costs as much as a plain net, whose formula stood there."""
    own = desk("tiny-reader")
    for name, value in (("d_ff", 256), ("gated", True)):
        own.do(SetSwitch("decoder.1.ffn", name, value, everywhere=True))
    assert own.page(COSTS.name).texts("parts")[2][1] == "layers × 3 n d d_ff, d_ff = 256"


def test_a_longer_text_is_counted_on_the_model_itself(desk):
    """Its net is gated and its queries share keys: a usual GPT of its sizes would cost more and keep twice as much."""
    own = desk("stories260k")
    own.do(SetTokens("input", own.view.graph.axes["input.words"][300:364]))
    page = own.page(COSTS.name)
    there, said = page.texts("parts"), page.the("together").text
    own.do(SetTokens("input", own.view.graph.axes["input.words"][300:305]))
    assert page.texts("lengths") == own.page(COSTS.name).texts("lengths")
    own.choose(f"{TOKENS}.0", 64)
    assert own.page(COSTS.name).texts("parts") == there
    assert own.page(COSTS.name).the("together").text == said
    assert page.texts("lengths")[0][-1] == next_word_bytes(own, 64)


def next_word_bytes(own, words):
    model = own.document.state.model
    return f"{next_word_cost(model, own.view.graph, words).bytes / 1000:.3g} kB"


def test_the_share_of_attention_grows_with_the_length(cat):
    shares = [line.entries[2].value for line in cat.page(COSTS.name).the("lengths").lines]
    assert len(shares) == len(LENGTHS)
    assert shares == sorted(shares)
    assert shares[-1] > 0.5


def test_it_is_timed_on_request(cat):
    assert not cat.page(COSTS.name).has("times")
    cat.choose(TIMED, True)
    assert [row[2] for row in cat.page(COSTS.name).texts("times")] == ["", "4 ×", "4 ×", "4 ×"]


def test_where_a_word_may_look_ahead_one_more_word_costs_a_whole_pass(cat):
    assert "with a key-value cache of" in cat.page(COSTS.name).the("together").text
    cat.do(SetSwitch("decoder.1.self", "mask", "none"))
    page = cat.page(COSTS.name)
    assert "without a key-value cache: the mask does not keep words" in page.the("together").text
    assert {row[5] for row in page.texts("lengths")} == {"0 bytes"}
    cat.choose(SHAPE, 1)  # GPT-1 has its own mask
    assert "with a key-value cache of" in cat.page(COSTS.name).the("together").text
