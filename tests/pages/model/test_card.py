"""The model card: scores and recipe of a model that comes trained, and what is said of one that does not.

The family tree: true by construction, and one click makes the model in front of a kind.
"""

from dataclasses import replace

import pytest
from refusals import refuses

from explorer.checkpoints.architectures import MEMBERS, PARTS, as_member, differing, member, own_switches
from explorer.core.model import SWITCHES
from explorer.document.commands import BecomeKind, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load, models
from explorer.pages.levels import FAMILY
from explorer.pages.model import meanings
from explorer.pages.model.card import WHERE
from explorer.pages.page import Listing
from explorer.training.recipes import names

CARD = "model.card"


@pytest.mark.parametrize("name", [lesson.id for lesson in models() if lesson.card])
def test_a_trained_model_shows_each_score_and_its_recipe(desk, name):
    page = desk(name).page(CARD)
    scores = {row[0] for row in page.texts("all scores")}
    assert scores == load(name).card.keys() - {"weights", "steps"}
    assert {"perplexity", "exact"} & scores
    assert scores <= meanings("scores").keys()  # each is explained
    assert ["steps", f"{load(name).card['steps']:,.0f}"] in page.texts("recipe of training")
    assert f"explorer train {name}" in page.notes
    sizes = {row[0]: row[1] for row in page.texts("model sizes")}
    assert sizes["numbers that are learned"] == f"{load(name).card['weights']:,.0f}"


def test_an_example_says_that_it_was_not_trained(desk):
    page = desk("you-are-welcome").page(CARD)
    assert "It was not trained here: its numbers come with the example" in page.notes
    assert not page.has("all scores")


@pytest.mark.parametrize("setting", ["paper", "rms", "deep"])
def test_an_example_whose_weights_were_learned_says_by_which_recipe(desk, setting):
    """Below "a small GPT learned the same sentences" stood that its numbers were chosen by hand."""
    recipe = {"paper": "small-paper", "rms": "small-rms-norm"}.get(setting)
    page = desk("changed-since-2017", setting).page(CARD)
    assert page.has("trained before") == (recipe is not None)
    assert page.has("untrained") == (recipe is None)
    if recipe:
        assert f"explorer train {recipe} " in page.the("trained before").text
        assert recipe in names()


def test_of_two_vectors_nothing_is_said_of_training(desk):
    assert not desk("words-as-vectors").page(CARD).has("untrained")


def test_of_a_model_from_elsewhere_it_does_not_say_that_it_is_untrained(desk):
    """On a model that others trained stood "It comes untrained"."""
    own = type(desk())(replace(load("you-are-welcome").state(), lesson="llama (llama)"))
    page = own.page(CARD)
    assert "It was not trained here" in page.notes
    assert not page.has("untrained")
    assert "words of a text" not in [row[0] for row in page.texts("model sizes")]
    state = own.document.state
    page = type(desk())(replace(state, model=replace(state.model, room=2048))).page(CARD)
    assert ["words of a text", "2,048"] in [row[:2] for row in page.texts("model sizes")]


def test_of_a_decoder_with_more_layers_than_its_encoder_the_layers_are_told(desk):
    state = load("you-are-welcome").state()
    own = type(desk())(state.rebuilt(replace(state.model, behind=3)))
    own.do(SetSwitch("decoder.2.ffn", "activation", "GELU"))
    rows = own.page(CARD).texts("choices of the model")
    assert ["Activation", "GELU", "ReLU", "feed-forward, layer 2"] in rows


def test_what_a_model_chose_otherwise_is_told_once_for_all_parts_alike(desk):
    """As of Gemma 2: every second layer has a window; the norms of all blocks are of one kind."""
    made = desk("tiny-gpt")
    made.do(SetSwitch("decoder.2.self", "window", 3))
    for block in ("decoder.1.self", "decoder.2.self", "decoder.1.ffn", "decoder.2.ffn"):
        made.do(SetSwitch(block, "norm_by", "RMS norm"))
    rows = made.page(CARD).texts("choices of the model")
    assert ["Context window", "3", "–", "attention, layer 2"] in rows
    assert ["Normalise by", "RMS norm", "layer norm", "attention; feed-forward"] in rows
    assert ["Heads", "4", "8", "attention"] in rows
    assert all("Look-up" not in row[0] and "Mask" not in row[0] for row in rows)
    assert ["Activation", "identity", "ReLU", "layer 2"] in desk("xor").page(CARD).texts("choices of the model")
    assert not desk("jump").page(CARD).has("choices of the model")
    assert not desk("changed-since-2017").page(CARD).has("choices of the model")  # as in 2017
    made.do(SetSwitch("input", "embedding_scale", True), SetSwitch("output", "tied", True))
    assert made.page(CARD).texts("choices of the model") == rows, "the paper of 2017 has both"
    rows = desk("stories260k").page(CARD).texts("choices of the model")
    assert ["d_ff", "172", "256", "feed-forward"] in rows
    assert ["Heads of keys and values", "4", "8", "attention"] in rows
    assert not {"Heads", "d_k", "d_v"} & {row[0] for row in rows}


def test_a_lesson_on_a_model_that_came_trained_says_which_one(desk):
    page, model = desk("what-the-cache-saves").page(CARD), desk("tiny-gpt").page(CARD)
    assert "Its model is <b>tiny-gpt: a GPT that learned a small grammar</b>" in page.notes
    assert page.texts("all scores") == model.texts("all scores")
    assert page.texts("recipe of training") == model.texts("recipe of training")


def test_it_counts_the_words_that_are_read_and_those_that_are_said(desk):
    made = desk("you-are-welcome")
    lines = made.page(CARD).the("model sizes").lines
    told = {line.entries[0].text: line.entries[1].text for line in lines}
    axes = made.view.graph.axes
    assert told["words of the target"] == str(len(axes["target.words"]))
    assert told["words of the output"] == str(len(axes["output.words"]))


NAMES = [one.name for one in MEMBERS]


def listings(eyes):
    return {element.id: element for element in eyes.page.elements if isinstance(element, Listing)}


def test_each_row_says_what_opens_the_models_checkpoints(desk):
    tree = listings(desk("tiny-gpt").page(FAMILY.name))["members"]
    assert [line.entries[0].text for line in tree.lines] == NAMES
    titles = [column.title for column in tree.columns]
    assert len(set(titles)) == len(titles)
    for line, one in zip(tree.lines, MEMBERS, strict=True):
        plan = one.plan(one.sizes)
        for part, name in differing():
            switch = SWITCHES[PARTS[part]][name]
            value = plan.switches.get(f"decoder.1.{part}.{name}", plan.switches.get(f"{part}.{name}", switch.default))
            assert own_switches(one)[f"{part}.{name}"] == value
            where = {WHERE[part], "blocks"} if part in ("self", "ffn") else {WHERE[part]}
            known = [
                i
                for i, title in enumerate(titles)
                if title == switch.title
                or (title.startswith(f"{switch.title}, ") and where & set(title.split(", ")[-1].split(" and ")))
            ]
            assert len(known) == 1, (part, name)
            paper = {"embedding_scale": True, "tied": True}.get(name, switch.default)  # the paper, section 3.4
            assert (line.entries[known[0]].text == "–") == (value == paper)


def test_what_most_models_changed_stands_first_and_what_all_have_alike_stands_once(desk):
    tree = listings(desk("tiny-gpt").page(FAMILY.name))["members"]
    titles = [column.title for column in tree.columns]
    assert titles.count("Norm") == 1  # of attention and of the net: no model has them apart
    changed = [sum(line.entries[i].text != "–" for line in tree.lines) for i in range(2, len(titles))]
    assert changed == sorted(changed, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_click_on_a_row_makes_the_model_of_that_kind_and_undo_takes_it_back(desk, name):
    tree = listings(desk("tiny-gpt").page(FAMILY.name))["members"]
    (entry,) = [line.entries[0] for line in tree.lines if line.entries[0].text == name]
    document = Document(load("tiny-gpt").state())
    before = document.state
    document.do(entry.leads.command())
    document.settle()
    assert document.state.model == as_member(member(name), before.model)
    assert document.state.model.switch("decoder.2.self", "norm") == own_switches(member(name))["self.norm"]
    assert document.state.model.d_model == before.model.d_model
    document.undo()
    assert document.state is before


def test_a_model_without_layers_is_refused_and_says_why():
    with refuses("This model has no layers that could be of another kind"):
        BecomeKind(NAMES[0]).apply(load("two-vectors").state())
