"""Where the answer comes from: the lens and the ledger."""

import numpy as np
import pytest

from explorer.core.numbers import read_number
from explorer.document.commands import PinCells, SetArray, SetCells, SetSwitch, SetTokens
from explorer.lessons.loader import load
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.levels import WHY, explains, stops
from explorer.pages.model.why import OTHER, PART, PLACE, SHOW, WORD
from explorer.pages.view import row_of


@pytest.fixture
def emma(desk):
    """tiny-gpt, behind "Emma hates games but": who comes next?"""
    of = desk("tiny-gpt", "emma")
    of.choose(row_of("input"), 3)
    return of


def test_only_a_stack_of_sums_has_the_page():
    for name, there in (("tiny-gpt", True), ("tiny-translator", True), ("you-are-welcome", False), ("xor", False)):
        graph = load(name).state().graph
        assert explains(graph) == there, name
        assert (WHY in stops(graph)) == there, name


def test_the_word_asked_about_is_the_likeliest(emma):
    page = emma.page(WHY.name)
    assert page.the("word").options[page.the("word").chosen] == "she"
    emma.choose(WORD, emma.view.labels("output.words").index("he"))
    page = emma.page(WHY.name)
    assert page.the("word").options[page.the("word").chosen] == "he"


def test_the_last_line_of_the_lens_is_what_the_model_says(emma):
    page = emma.page(WHY.name)
    lines = page.the("lens here").lines
    assert len(lines) == 5  # the embedding, and two blocks in each of two layers
    words = emma.view.labels("output.words")
    said = [words[i] for i in emma.value("output.logits").argmax(-1)]
    assert lines[-1].entries[1].text == said[3]
    share = emma.value("output.probabilities")[3, words.index("she")]
    assert lines[-1].entries[3].value == pytest.approx(float(share), rel=1e-4)
    assert lines[-1].entries[4].text == "1"
    everywhere = page.the("lens words").lines
    assert [line.entries[-1].text for line in everywhere] == said


def test_small_numbers_are_written_as_elsewhere(emma):
    """A share of 0.0002 was 2×10⁻⁴ here, < 0.001 among the next words, and a product of it 0.0002 in a matrix."""
    emma.choose(WORD, emma.view.labels("output.words").index("the"))
    page = emma.page(WHY.name)
    shares = [line.entries[2].text for line in page.the("lens here").lines]
    assert "< 0.001" in shares
    assert not [text for text in shares if "×" in text]
    written = {}
    for part in (2, 3, 4, 5):  # the heads of a layer
        emma.choose(PART, part)
        lines = emma.page(WHY.name).the("parts of the part").lines
        written |= {one.text: read_number(one.tip) for line in lines for one in line.entries[1:4] if one.tip}
    assert any(abs(value) < 0.0005 for value in written.values())
    assert [text for text, value in written.items() if "×" in text and abs(value) >= 0.0001] == []


def test_the_ledger_adds_up_and_each_part_leads_on(emma):
    lines = emma.page(WHY.name).the("parts").lines
    *parts, total = lines
    word = emma.view.labels("output.words").index("she")
    logit = float(emma.value("output.logits")[3, word])
    assert total.entries[2].value == pytest.approx(logit, rel=1e-4)
    assert sum(line.entries[2].value for line in parts) == pytest.approx(logit, rel=1e-4)
    assert len(parts) == 2 + 2 * (4 + 1) + 1
    assert all(isinstance(line.entries[0].leads, Keep) for line in parts)


def test_a_part_opens_by_words_or_by_units(emma):
    emma.choose(PART, 2)  # the first head
    page = emma.page(WHY.name)
    *words, together = page.the("parts of the part").lines
    assert [line.entries[0].text for line in words] == list(emma.view.labels("input"))
    assert sum(line.entries[4].value for line in words) == pytest.approx(together.entries[4].value, rel=1e-4)
    for line in words:
        by, says, share = (read_number(entry.text) for entry in line.entries[1:4])
        assert by * says == pytest.approx(share, abs=0.002)
    assert isinstance(page.the("there").controls[0].asks, GoTo)
    emma.choose(PART, 6)  # the first net
    page = emma.page(WHY.name)
    *units, together = page.the("parts of the part").lines
    assert page.the("parts of the part").columns[1].title == "activation"
    assert units[0].entries[0].text.startswith("unit ")
    assert sum(line.entries[4].value for line in units) == pytest.approx(together.entries[4].value)
    sizes = [abs(line.entries[4].value) for line in units[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    emma.do(SetSwitch("decoder.1.ffn", "gated", True))  # a SiLU of −15, as it was called, there cannot be
    assert emma.page(WHY.name).the("parts of the part").columns[1].title == "what passes"


def test_cross_attention_opens_by_the_words_of_the_source(desk):
    of = desk("tiny-translator", "red")
    lines = of.page(WHY.name).the("parts").lines
    (at,) = [i for i, line in enumerate(lines) if line.entries[0].text == "layer 2, cross-attention: head 3"]
    of.choose(PART, at)
    names = [line.entries[0].text for line in of.page(WHY.name).the("parts of the part").lines]
    assert names == ["the", "red", "house", "together"]


def test_numbers_that_are_none_are_no_error(emma):
    table = emma.document.state.inputs["input.table"].copy()
    table[:] = np.nan
    from explorer.document.commands import SetArray

    emma.do(SetArray("input.table", table))
    assert emma.page(WHY.name).the("parts").lines


def test_without_the_last_residual_the_last_net_is_all_there_is(emma):
    emma.do(SetSwitch("decoder.2.ffn", "residual", False))
    assert [line[0] for line in emma.page(WHY.name).texts("parts")] == [
        *("layer 2, feed-forward", "β of the norm, and the bias", "logit"),
    ]


def test_without_the_residual_before_it_the_heads_are_the_first_parts(emma):
    emma.do(SetSwitch("decoder.2.self", "residual", False))
    assert [line[0] for line in emma.page(WHY.name).texts("parts")] == [
        *(f"layer 2, attention: head {k}" for k in (1, 2, 3, 4)),
        *("layer 2, feed-forward", "β of the norm, and the bias", "logit"),
    ]


@pytest.mark.parametrize("node", ["decoder.1.self.residual", "decoder.2.self.projected", "final.norm", "output.logits"])
def test_what_is_pinned_on_the_way_has_a_line_so_that_the_sum_is_the_logit(emma, node):
    """A click on a cell of the patching below pins the stream: the parts before it no longer gave the logit."""
    assert "what is pinned on the way" not in [line[0] for line in emma.page(WHY.name).texts("parts")]
    emma.do(PinCells("decoder.1.ffn.output", {(0, 0): 3.0}))
    assert "what is pinned on the way" not in [line[0] for line in emma.page(WHY.name).texts("parts")]
    emma.do(PinCells(node, {(3, k): 50.0 + k for k in range(8)}))
    *parts, logit = emma.page(WHY.name).the("parts").lines
    assert parts[-1].entries[0].text == "what is pinned on the way"
    values = [line.entries[2].value for line in (*parts, logit)]
    assert sum(values[:-1]) == pytest.approx(values[-1], abs=1e-3)
    row, word = logit.cell.index
    assert values[-1] == pytest.approx(float(emma.value("output.logits")[row, word]))


def test_the_divisor_of_the_last_norm_has_its_name(desk):
    assert "the σ of this row" in desk("tiny-gpt").page(WHY.name).notes
    assert "the RMS of this row" in desk("stories260k").page(WHY.name).notes


def test_patching_finds_the_word_that_makes_the_difference_and_a_click_puts_it_in(desk):
    of = desk("tiny-gpt")
    assert not of.page(WHY.name).has("patches")
    of.choose(SHOW, True)
    page = of.page(WHY.name)
    where, what = page.the("patched place"), page.the("other word")
    assert where.options[where.chosen] == "“cat” (1)"
    assert what.options[what.chosen] != "“cat”"
    lines = page.the("patches").lines
    embedding, last = lines[0], lines[-1]
    of_layer = ("layer 1, feed-forward", "after layer 1")  # it was “net” here, and “feed-forward” in the list below
    assert page.the("patches").labels[6:8] == of_layer
    assert [entry.value for entry in embedding.entries] == pytest.approx([0, 1, 0, 0, 0], abs=1e-4)
    before = of.value("output.logits").copy()
    of.do(last.entries[4].leads.command())  # the last block at the last place: all of the answer
    rug = of.view.labels("output.words").index(page.notes.split("to <b>")[1].split("<")[0])
    assert int(of.value("output.logits")[4].argmax()) == rug
    page = of.page(WHY.name)
    for id, was in (("patched place", where), ("other word", what)):  # it silently became “sled” in place of “the”
        now = page.the(id)
        assert now.options[now.chosen] == was.options[was.chosen]
    assert "the same answer, <b>rug</b>, so" in page.notes  # all of the way has been gone
    of.document.undo()
    assert np.array_equal(of.value("output.logits"), before)


def test_patching_begins_with_a_word_and_not_with_the_mark_before_it(desk):
    """Another word in the place of <s> changes most, and says nothing: all texts begin with <s>."""
    of = desk("stories260k")
    assert of.view.labels("input")[0] == "<s>"
    of.choose(SHOW, True)
    where = of.page(WHY.name).the("patched place")
    assert where.chosen > 0


@pytest.mark.parametrize(
    ("place", "columns", "said"),
    [
        (20, [20, 21, 22], "Before “␣” (20)"),
        (2, [2, *range(14, 23)], "Of the places after it, the last 9 are shown."),
        (0, [0, *range(14, 23)], "the last 9 are shown."),
    ],
)
def test_of_a_long_text_the_places_that_can_move_the_answer_have_columns(desk, place, columns, said):
    """Ten columns of zeros, before the word that differs, stood where those of that word and of the next should be."""
    of = desk("stories260k")
    text = "def add(a, b): return a + b"
    of.do(SetTokens("input", of.view.graph.axes["input.words"].pieces_of(text)))
    words = of.view.labels("input")
    of.choose(SHOW, True)
    of.choose(PLACE, place)
    of.choose(OTHER, 400)
    page = of.page(WHY.name)
    assert [column.title for column in page.the("patches").columns] == [f"“{words[i]}”" for i in columns]
    assert page.the("patches").lines[0].entries[0].value == pytest.approx(1, abs=1e-4)
    assert said in page.notes


def test_a_click_puts_in_the_numbers_of_the_chosen_word_where_no_word_changes_the_answer(desk):
    """The cells looked alike for all words, and a click pinned the numbers of the word that was chosen first."""
    of = desk("tiny-gpt")
    for layer in (1, 2):
        name = f"decoder.{layer}.self.W_O"
        of.do(SetArray(name, np.zeros_like(of.value(name))))
    of.choose(SHOW, True)
    of.choose(PLACE, 1)
    shown = []
    for word in (0, 1):
        of.choose(OTHER, word)
        page = of.page(WHY.name)
        assert "the same answer" in page.notes
        shown.append(page.the("patches"))
    first, second = shown
    assert first != second


def test_the_model_beside_is_what_is_taken_from(desk):
    of, other = desk("tiny-gpt"), desk("tiny-gpt")
    other.do(SetTokens("input", ["the", "dog", "sat", "on", "the"]))
    of.others = {"beside": other.view}
    of.choose(SHOW, True)
    page = of.page(WHY.name)
    assert not page.has("other word")
    assert "<i>the dog sat on the</i>" in page.notes
    assert "to <b>rug</b>" in page.notes


@pytest.mark.parametrize("norm", ["pre", "both"])
def test_under_a_soft_cap_the_logit_before_it_is_the_sum(emma, norm):
    """As of Gemma 2: the cap bends what is a sum, and what a block adds is normed by one number more."""
    emma.do(SetSwitch("output", "logit_cap", 8.0))
    for block in ("self", "ffn"):
        for layer in (1, 2):
            emma.do(SetSwitch(f"decoder.{layer}.{block}", "norm", norm))
            emma.do(SetSwitch(f"decoder.{layer}.{block}", "norm_by", "RMS norm"))
    page = emma.page(WHY.name)
    *parts, total = page.the("parts").lines
    assert total.entries[0].text == "logit before its cap"
    assert ", before its cap, is the sum" in page.the("about the ledger").text
    assert sum(line.entries[2].value for line in parts) == pytest.approx(total.entries[2].value, abs=2e-3)
    assert sum("head" in line.entries[0].text for line in parts) == 2 * 4
    *_, last = page.the("lens here").lines
    assert last.entries[4].text == "1"


def test_in_a_long_text_the_word_that_is_asked_about_has_the_first_line(desk):
    """The list was cut before it: its row stood behind "12 of 14 · more"."""
    tiny = desk("tiny-reader")
    lines = tiny.page(WHY.name).the("lens words").lines
    words = tiny.view.labels("input")
    assert [line.entries[0].text for line in lines] == [f"{word} →" for word in (words[-1], *words[:-1])]


def test_the_lens_says_that_it_does_not_use_a_temperature(emma):
    assert "temperature" not in emma.page(WHY.name).the("about the lens").text
    emma.do(SetCells("output.temperature", {(): 0.5}))
    assert "The temperature is not used here." in emma.page(WHY.name).the("about the lens").text


def test_experts_open_by_dimensions(emma):
    """Their part was said to be opened by hidden units, with activations, and had a line for each dimension."""
    emma.do(SetSwitch("decoder.2.ffn", "experts", 2))
    parts = emma.page(WHY.name).texts("parts")
    emma.choose(PART, [line[0] for line in parts].index("layer 2, feed-forward"))
    page = emma.page(WHY.name)
    assert page.the("opened").text == "Layer 2, feed-forward, dimension by dimension"
    assert page.the("parts of the part").columns[1].title == "number"


def test_where_the_place_cannot_be_parted_from_the_word_both_are_named(emma):
    names = [line[0] for line in emma.page(WHY.name).texts("parts")]
    assert names[:2] == ["the word “but” itself", "its place"]
    emma.do(SetSwitch("input", "embedding_norm", True))
    names = [line[0] for line in emma.page(WHY.name).texts("parts")]
    assert names[0] == "the word “but” with its place"
    assert "its place" not in names


def test_a_segment_is_not_called_a_place(emma):
    emma.do(SetSwitch("input", "segments", 2))
    names = [line[0] for line in emma.page(WHY.name).texts("parts")]
    assert names[:2] == ["the word “but” with its segment", "its place"]
    emma.do(SetSwitch("input", "positions", "none"))
    names = [line[0] for line in emma.page(WHY.name).texts("parts")]
    assert names[:2] == ["the word “but” itself", "its segment"]
