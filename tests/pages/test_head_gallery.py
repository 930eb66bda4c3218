"""The page of what heads do."""

from explorer.lessons.loader import load
from explorer.pages.compose import stops
from explorer.pages.head_gallery import COSTS, HEADS, has_heads


def test_only_a_gpt_with_heads_has_the_page():
    for name, there in (("tiny-gpt", True), ("tiny-translator", False), ("emma", False)):
        graph = load(name).state().graph
        assert has_heads(graph) == there, name
        assert (HEADS in stops(graph)) == there, name


def test_each_head_has_a_line_and_can_be_switched_off(desk):
    of = desk("tiny-gpt")
    lines = of.page(HEADS.name).the("heads").lines
    assert [line.entries[0].text for line in lines] == [f"layer {k}, head {h}" for k in (1, 2) for h in (1, 2, 3, 4)]
    switch = next(entry for entry in lines[2].entries if entry.text == "switch off")
    of.do(switch.leads.command())
    assert not of.value("decoder.1.self.head.3.output").any()
    assert "switch on" in [entry.text for entry in of.page(HEADS.name).the("heads").lines[2].entries]


def test_a_head_that_is_named_shows_its_share_and_an_example(desk):
    lines = desk("tiny-gpt").page(HEADS.name).the("heads").lines
    named = [line for line in lines if "who is meant" in line.entries[1].text]
    assert named
    assert all(line.entries[3].value >= 0.5 and "→" in line.entries[-1].text for line in named)


def test_without_a_grammar_that_is_said(desk):
    page = desk("roses-are-red").page(HEADS.name)
    assert "No grammar of these words is known" in page.the("source").text
    assert len(page.the("heads").lines) == 1


def test_costs_come_on_request(desk):
    of = desk("roses-are-red")
    before = len(of.page(HEADS.name).the("heads").columns)
    of.choose(COSTS, True)
    page = of.page(HEADS.name)
    assert len(page.the("heads").columns) == before + 3
    assert page.has("about the costs")
