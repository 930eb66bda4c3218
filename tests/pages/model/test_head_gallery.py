"""The page of what heads do."""

import numpy as np

from explorer.document.commands import SetCells, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.element import leaves
from explorer.pages.levels import HEADS, has_heads, stops
from explorer.pages.model import head_gallery
from explorer.pages.model.head_gallery import COSTS
from explorer.pages.page import Waiting
from explorer.training.head_gallery import gallery


def test_only_a_gpt_with_heads_has_the_page():
    for name, there in (("tiny-gpt", True), ("tiny-translator", False), ("emma", False)):
        graph = load(name).state().graph
        assert has_heads(graph) == there, name
        assert (HEADS in stops(graph)) == there, name


def test_a_share_that_is_no_number_is_not_called_small(desk):
    of = desk("tiny-gpt")
    of.do(SetCells("decoder.1.self.head.2.W_Q", {(0, 0): np.nan}))
    said = of.page(HEADS.name).texts("all scores")
    assert said[1][1:] == ["NaN"] * (len(said[1]) - 1)
    assert "NaN" not in said[0]


def test_each_head_has_a_line_and_can_be_switched_off(desk):
    of = desk("tiny-gpt")
    lines = of.page(HEADS.name).the("heads").lines
    assert [line.entries[0].text for line in lines] == [f"layer {k}, head {h}" for k in (1, 2) for h in (1, 2, 3, 4)]
    switch = next(entry for entry in lines[2].entries if entry.text == "switch off")
    of.do(switch.leads.command())
    assert not of.value("decoder.1.self.head.3.output").any()
    assert "switch on" in [entry.text for entry in of.page(HEADS.name).the("heads").lines[2].entries]


def test_what_a_head_is_now_and_what_a_click_does_are_told_apart(desk):
    of = desk("tiny-gpt")

    def line():
        listing = of.page(HEADS.name).the("heads")
        at = [column.title for column in listing.columns].index("switch")
        state, switch, hold = listing.lines[2].entries[at : at + 3]
        assert state.leads is None, "what it is now is no button"
        return state.text, switch, hold

    now, switch, _ = line()
    assert (now, switch.text) == ("on", "switch off")
    of.do(switch.leads.command())
    now, switch, hold = line()
    assert (now, switch.text) == ("off", "switch on")
    of.do(hold.leads.command())
    now, switch, hold = line()
    assert (now, switch.text, hold.text) == ("at its mean", "switch off", "compute it again")
    of.do(hold.leads.command())
    assert line()[0] == "on"


def test_a_head_is_held_at_its_mean_and_let_go(desk):
    of = desk("tiny-gpt")
    name, line = "decoder.1.self.head.3.output", 2

    def entry(text):
        (found,) = [e for e in of.page(HEADS.name).the("heads").lines[line].entries if e.text == text]
        return found.leads.command()

    before, logits = of.value(name), of.value("output.logits")
    of.do(entry("hold at its mean"))
    held = of.value(name)
    assert held.any()
    assert not np.array_equal(of.value("output.logits"), logits)
    np.testing.assert_array_equal(held, np.broadcast_to(held[0], held.shape))
    of.do(entry("switch off"))
    assert not of.value(name).any()
    of.do(entry("hold at its mean"))
    np.testing.assert_array_equal(of.value(name), held)
    of.do(entry("compute it again"))
    np.testing.assert_array_equal(of.value(name), before)
    of.document.undo()
    np.testing.assert_array_equal(of.value(name), held)


def test_a_head_that_is_named_shows_its_share_and_an_example(desk):
    lines = desk("tiny-gpt").page(HEADS.name).the("heads").lines
    named = [line for line in lines if "who is meant" in line.entries[1].text]
    assert named
    assert all(float(line.entries[2].text) >= 0.5 and "→" in line.entries[1].text for line in named)


def test_without_a_grammar_that_is_said(desk):
    page = desk("roses-are-red").page(HEADS.name)
    assert "the program has no grammar of its words" in page.the("source").text
    assert len(page.the("heads").lines) == 1


def test_of_a_single_word_there_is_nothing_to_measure(desk):
    of = desk("roses-are-red")
    of.do(SetTokens("input", of.view.labels("input")[:1]))
    assert of.page(HEADS.name).the("rules").text.startswith("A head cannot be measured on so few words")


def test_costs_come_on_request(desk):
    of = desk("roses-are-red")
    assert not of.page(HEADS.name).has("costs")
    of.choose(COSTS, True)
    page = of.page(HEADS.name)
    assert len(page.the("costs").lines) == len(page.the("heads").lines)
    assert page.has("about the costs")


def test_words_that_a_head_costs_are_told_apart_from_commas(desk):
    """A line said "was, ,, Field"."""
    of = desk("tiny-gpt")
    of.choose(COSTS, True)
    said = [row[3] for row in of.page(HEADS.name).texts("costs")]
    assert any("“,”" in words for words in said)
    assert not any(", " in words for words in said)


def test_it_is_said_that_heads_which_are_off_are_on_for_the_measures(desk):
    """The numbers of a head that was off stayed, and of all behind it, and nothing said why."""
    of = desk("tiny-gpt")
    assert head_gallery.ALL_ON not in of.page(HEADS.name).the("source").text
    before = of.page(HEADS.name).texts("all scores")
    of.do(of.page(HEADS.name).the("heads").lines[1].entries[-2].leads.command())
    assert of.page(HEADS.name).the("source").text.endswith(head_gallery.ALL_ON)
    assert of.page(HEADS.name).texts("all scores") == before


def test_two_models_that_are_compared_are_each_measured_once(desk, monkeypatch):
    measured = []
    head_gallery._KEPT.clear()
    monkeypatch.setattr(head_gallery, "gallery", lambda *of: measured.append(of) or gallery(*of))
    one, other = desk("tiny-gpt"), desk("tiny-gpt")
    other.do(SetCells("decoder.1.self.W_O", {(0, 0): 0.5}))
    for _ in range(2):
        assert one.page(HEADS.name).the("heads").lines
        assert other.page(HEADS.name).the("heads").lines
    assert len(measured) == 2


def test_the_page_can_be_made_of_infinite_logits(desk):
    of = desk("tiny-gpt")
    of.do(SetCells("final.gamma", {(0,): 3e38}))
    assert np.isposinf(of.value("output.logits")).any()
    of.choose(COSTS, True)
    page = of.page(HEADS.name)
    assert len(page.the("heads").lines) == len(page.the("costs").lines) == 8


def test_a_head_that_looks_at_a_place_by_chance_does_not_look_at_no_named_place(desk):
    """At "no named place", and 0.71 for the word itself just below: of three words chance gives 0.61."""
    page = desk("i-love-ai").page(HEADS.name)
    (line,) = page.the("heads").lines
    share = max(float(row[1]) for row in page.texts("all scores"))
    assert line.entries[1].text == "at the word itself, but less than twice the chance"
    assert float(line.entries[2].text) == share < 2 * float(line.entries[3].text)
    assert "and twice what chance gives" in page.notes


def test_the_measures_come_first_and_stay_while_it_is_found_out_what_each_head_costs(desk, monkeypatch):
    of = desk("tiny-gpt")
    ids = [one.id for one in leaves(of.page(HEADS.name).the("from measures"))]
    assert ids.index("all scores") < ids.index("heads")
    measure = head_gallery._measured
    monkeypatch.setattr(head_gallery, "_measured", lambda *of, costs: None if costs else measure(*of, costs=costs))
    of.choose(COSTS, True)
    page = of.page(HEADS.name)
    assert page.has("all scores")
    assert [one.id for one in page.all(Waiting)] == [head_gallery.TO_WEIGH]
    monkeypatch.setattr(head_gallery, "_measured", lambda *of, costs: None)
    assert of.page(HEADS.name).has("model"), "meanwhile one sees the model"


def test_a_measure_for_which_there_is_no_place_has_no_column(desk):
    listing = desk("i-love-ai").page(HEADS.name).the("all scores")
    assert [column.title for column in listing.columns] == ["head", "itself", "first", "previous"]


def test_the_words_below_explain_the_measures_that_have_a_column(desk):
    rules = desk("i-love-ai").page(HEADS.name).the("rules").text
    assert "<b>previous</b>" in rules
    assert "<b>induction</b>" not in rules


def test_of_many_heads_those_that_look_most_at_a_chosen_place_come_first(desk):
    of = type(desk())(new_lesson("gpt", ["a b c a b c a b"], d_model=8, layers=5, heads=4).state())
    page = of.page(HEADS.name)
    names = [row[0] for row in page.texts("all scores")]
    assert names[0] == "layer 1, head 1"
    choice = page.the(head_gallery.SORTED)
    of.choose(head_gallery.SORTED, choice.options.index("induction"))
    of.choose(COSTS, True)
    page = of.page(HEADS.name)
    at = [column.title for column in page.the("all scores").columns].index("induction")
    shares = [line.entries[at].value for line in page.the("all scores").lines]
    assert shares == sorted(shares, reverse=True)
    ordered = [row[0] for row in page.texts("all scores")]
    assert sorted(ordered) == sorted(names)
    assert ordered != names
    assert [row[0] for row in page.texts("heads")] == [row[0] for row in page.texts("costs")] == ordered
    assert not desk("tiny-gpt").page(HEADS.name).has(head_gallery.SORTED)
