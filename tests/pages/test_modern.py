"""Pages of the models since 2017, and of one that others trained: each node stands on the page of its stage."""

import pytest

from explorer.core.graph import Place
from explorer.document.commands import SetSwitch
from explorer.document.state import State
from explorer.pages.compose import page
from explorer.pages.levels import matrix_title, places, stops
from explorer.pages.page import Row, Section
from tests.core.models.test_modern import CASES, made
from tests.pages.conftest import Desk, Eyes


def desk_of(name):
    model, _, inputs = made(CASES[name], n=4)
    return Desk(State.of(model, inputs))


@pytest.mark.parametrize("name", CASES)
def test_each_page_shows_all_nodes_of_its_stage_in_a_place_of_their_own(name):
    desk = desk_of(name)
    view = desk.view
    for stage in dict.fromkeys((*places(view.graph), *stops(view.graph))):
        made_page = page(view, stage)
        assert made_page.header.title
        if stage not in view.graph.stages:
            continue
        others = {
            i.element.place.node
            for e in made_page.elements
            if isinstance(e, Row) and e.id == "other matrices"
            for i in e.items
        }
        # These stand at the end of their page; what a page is about has a place of its own.
        ends = ["places", "W_O", "shared", "W_s", "b_s", "together", "output."]
        ends += ["W_1", "W_g", "W_2"] if "bits" in name else []
        assert all(any(part in node for part in ends) for node in others), others
        shown = Eyes(made_page).names
        for node in view.stage(stage.name):
            assert any(one == node.name or one.endswith(node.short) for one in shown) or node.short == "average", (
                node.name
            )


def test_a_head_that_shares_its_keys_is_shown_with_those():
    desk = desk_of("Llama")
    desk.look(head=3)
    eyes = desk.page("decoder.1.self.attention")
    assert "decoder.1.self.head.4.Q" in eyes.names
    assert "decoder.1.self.head.2.K" in eyes.names


def test_the_router_says_which_words_an_expert_gets():
    desk = desk_of("Mixtral")
    routed = desk.value("decoder.1.ffn.routed")
    words = desk.view.labels("input")
    text = desk.page("decoder.1.ffn.layers").notes
    for expert in range(4):
        mine = ", ".join(words[i] for i in range(4) if routed[i, expert]) or "no word"
        assert f"expert {expert + 1}: {mine}" in text
    desk.choose("decoder.1.ffn.expert", 3)
    assert any(isinstance(e, Section) and "Expert 3" in e.text for e in desk.page("decoder.1.ffn.layers").page.elements)
    name = "decoder.1.ffn.expert.3.W_1"  # it was called a head
    assert name in desk.page("decoder.1.ffn.layers").names
    assert matrix_title(desk.view.graph, name) == "W_1 of expert 3 in Layer 1: Feed-forward"
    earlier = desk.view.graph.place("decoder.1.ffn.head.3.W_1")
    assert earlier == desk.view.graph.place(name) == Place("decoder.1.ffn.W_1", 2)


def test_each_page_of_a_model_of_others_opens(desk):
    opened = desk("stories260k")
    for stage in places(opened.view.graph):
        assert opened.page(stage.name).elements, stage.name


def test_the_card_does_not_call_it_untrained(desk):
    page = desk("stories260k").page("model.card")
    assert page.has("others")
    assert not page.has("untrained")


def test_the_loss_names_its_own_end_mark(desk):
    own = desk("stories260k")
    own.do(SetSwitch("loss", "loss", "cross-entropy"))
    assert "and <i>&lt;/s&gt;</i> after the last" in own.page("loss").notes


def test_its_tokenizer_is_taken_apart(desk):
    assert desk("stories260k").page("generation.pieces").texts("own pieces") == [
        ["␣Once␣upon␣a␣time", "␣Once · ␣upon · ␣a · ␣time", "403 407 261 378"]
    ]


def test_a_sign_that_may_come_next_stands_in_quotes(desk):
    (first, *_) = desk("stories260k").page("generation.next").the("next words").lines
    assert first.entries[0].text == "“,”"
