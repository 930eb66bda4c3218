"""The model card: scores and recipe of a model that comes trained, and what is said of one that does not."""

import pytest

from explorer.lessons.loader import load, models
from explorer.pages.card import SCORES

CARD = "model.card"


@pytest.mark.parametrize("name", [lesson.id for lesson in models() if lesson.card])
def test_a_trained_model_shows_each_score_and_its_recipe(desk, name):
    page = desk(name).page(CARD)
    scores = {row[0] for row in page.texts("all scores")}
    assert scores == load(name).card.keys() - {"weights", "steps"}
    assert {"perplexity", "exact"} & scores
    assert scores <= SCORES.keys()  # each is explained
    assert ["steps", f"{load(name).card['steps']:,.0f}"] in page.texts("recipe of training")
    assert f"explorer train {name}" in page.notes
    sizes = {row[0]: row[1] for row in page.texts("model sizes")}
    assert sizes["numbers that are learned"] == f"{load(name).card['weights']:,.0f}"


def test_an_example_says_that_it_comes_untrained(desk):
    page = desk("you-are-welcome").page(CARD)
    assert "It comes untrained" in page.notes
    assert not page.has("all scores")


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
