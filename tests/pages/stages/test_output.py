"""Output: bars, the chosen word, the temperature."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.graph import Cell
from explorer.core.model import Model
from explorer.document.commands import Replace, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State
from explorer.pages.controls import Slider
from explorer.pages.element import of_kind
from explorer.pages.gestures import ChooseToken
from explorer.pages.page import Section, Stack
from explorer.pages.view import Spot, row_of

PROBABILITIES = "output.probabilities"
SORTED = "output.largest first"


@pytest.fixture
def start(desk):
    return desk()


def shares(page):
    return [line.entries[3].value for line in page.the("words").lines]


def test_the_last_position_comes_first(start):
    page = start.page("output")
    assert shares(page) == start.value(PROBABILITIES)[-1].tolist()
    words = ["<start>", "de", "nada", "<end>", "por", "favor", "gracias", "hola"]
    assert [row[0] for row in page.texts("words")] == words


def test_the_chosen_word_is_marked_and_said(start):
    page = start.page("output")
    chosen = int(start.value("output.chosen")[-1])
    assert [line.here for line in page.the("words").lines] == [i == chosen for i in range(8)]
    assert [row[4] for row in page.texts("words")] == ["chosen" if i == chosen else "" for i in range(8)]
    assert "out of 8 words" in page.notes
    assert f"share of {start.value(PROBABILITIES)[-1, chosen]:.3f}" in page.notes


def test_another_position(start):
    choice = start.page("output").the("row of target")
    assert choice.options[choice.chosen] == "nada"
    assert choice.asks == (ChooseToken("target"),)
    start.choose(row_of("target"), 0)
    page = start.page("output")
    assert shares(page) == start.value(PROBABILITIES)[0].tolist()
    assert "&lt;start&gt;" in page.notes


def test_the_list_is_about_the_row_that_a_step_speaks_of(start):
    start.look(spot=Spot("output.logits", (0,), (1,)))
    assert shares(start.page("output")) == start.value(PROBABILITIES)[0].tolist()
    start.look(spot=Spot("output.W", (1,), (2,)))  # its rows are no positions
    assert shares(start.page("output")) == start.value(PROBABILITIES)[-1].tolist()
    start.look(spot=Spot("output.logits", (7,), (1,)))  # the text is shorter now
    assert shares(start.page("output")) == start.value(PROBABILITIES)[-1].tolist()
    start.look(spot=Spot("output.logits", (0,), (1,)))
    start.choose(row_of("target"), 1)
    assert shares(start.page("output")) == start.value(PROBABILITIES)[1].tolist(), "what the reader chose comes first"


def test_largest_first_and_back(start):
    assert start.page("output").the(SORTED).asks.key == SORTED
    start.choose(SORTED, True)
    page, probabilities = start.page("output"), start.value(PROBABILITIES)[-1]
    assert shares(page) == sorted(probabilities.tolist(), reverse=True)
    assert page.the("words").lines[0].here
    order = np.argsort(-probabilities, kind="stable")
    assert page.the("words").lines[1].cell == Cell(PROBABILITIES, (2, int(order[1])))
    start.choose(SORTED, False)
    assert shares(start.page("output")) == probabilities.tolist()


def test_of_a_long_vocabulary_the_largest_stand_first(desk):
    learned = desk("tiny-gpt")
    assert learned.page("output").the(SORTED).value
    probabilities = learned.value(PROBABILITIES)[-1]
    assert shares(learned.page("output")) == sorted(probabilities.tolist(), reverse=True)
    learned.choose(SORTED, False)
    assert shares(learned.page("output")) == probabilities.tolist()


def test_an_edit_is_followed(start):
    start.do(SetCells("output.b", {(7,): 50.0}))
    page = start.page("output")
    assert page.the("words").lines[7].here
    assert "hola" in page.notes


def test_the_slider_sets_the_cell_and_follows_it(start):
    (slider,) = start.page("output").all(Slider)
    assert slider.value == 1
    for value in (5.0, 10.0):
        start.do(slider.asks.at(value).command("one stroke"))
    assert start.value("output.temperature") == 10
    assert start.page("output").all(Slider)[0].value == 10
    start.document.undo()
    assert start.value("output.temperature") == 1
    assert start.document.history.undo_label is None


def test_what_a_temperature_does_is_said_of_the_one_in_use(start):
    assert "1 changes nothing." in start.page("output").notes
    start.do(SetCells("output.temperature", {(): 3.0}))
    page = start.page("output")
    assert "changes nothing" not in page.notes
    assert "Below 1 the largest grows; above 1 all become more alike. The order stays the same." in page.notes
    start.do(SetSwitch("output", "activation", "identity"))
    assert "the largest grows" not in start.page("output").notes  # a negative one falls
    start.do(SetCells("output.temperature", {(): -2.0}))
    assert "The order stays the same" not in start.page("output").notes


def test_fifty_thousand_words_are_made_when_they_are_asked_for(start):
    many = tuple(f"word{i}" for i in range(50_000))
    model = replace(start.document.state.model, axes={**start.document.state.model.axes, "output.words": many})
    start.do(Replace(State.of(model, start.document.state.inputs), "Many words"))
    start.choose(SORTED, False)
    page = start.page("output")
    lines = page.page.elements
    (listing,) = [part for part in page.elements if part.id == "words"]
    assert len(listing.lines) == 50_000
    assert not isinstance(listing.lines, (tuple, list))
    assert listing.lines[40_000].entries[0].text == "word40000"
    assert listing == start.page("output").the("words"), "the same numbers make the same lines"
    # Of so many words, what comes next stands at the top.
    assert [part.id for part in lines if isinstance(part, Section)] == ["one row", "logits", "all"]
    start.do(SetCells("output.b", {(7,): 50.0}))
    assert listing != start.page("output").the("words")


@pytest.mark.parametrize("activation", ["sigmoid", "identity"])
def test_other_activations(start, activation):
    start.do(SetSwitch("output", "activation", activation))
    page = start.page("output")
    assert page.the("words").columns[2].title == "output"
    assert shares(page) == start.value(PROBABILITIES)[-1].tolist()
    assert "share" not in page.notes + page.page.header.sentence


def test_tied_to_the_table(start):
    model = Model("gpt", {"input": 3}, {"input.words": ("a", "b", "c")}, switches={"output.tied": True})
    start.document = Document(State.of(model, {}))
    page = start.page("output")
    assert "input.table" in page.names
    assert "output.W" not in page.names
    assert page.the("input.table").title == "input.table, transposed: tied"


@pytest.mark.parametrize("lesson", ["softmax", "cat-sat-on-the"])
def test_logits_that_are_given(desk, lesson):
    given = desk(lesson)
    assert shares(given.page("output")) == given.value(PROBABILITIES)[-1].tolist()
    given.do(SetCells("output.logits", {(0, 1): 9.0}))
    assert shares(given.page("output")) == given.value(PROBABILITIES)[-1].tolist()


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(start, count):
    start.do(SetTokens("target", tuple(f"w{i}" for i in range(count))))
    start.choose(SORTED, False)
    page = start.page("output")
    assert page.the("row of target").chosen == count - 1
    assert shares(page) == start.value(PROBABILITIES)[-1].tolist()


def test_what_is_given_need_be_no_words(desk):
    page = desk("softmax").page("output")
    assert "For “x” the largest of 3 is that of" in page.notes
    assert "word" not in page.notes + page.page.header.sentence
    assert [column.title for column in page.the("words").columns][:2] == ["", "logit"]


def test_an_encoder_says_what_stands_at_a_place_and_not_what_comes_next(start):
    words = ("<mask>", "the", "cat")
    model = Model("encoder", {"input": 2}, {"input.words": words}, 4, 1, {"output.on": True, "output.tied": True})
    start.document.do(Replace(State.of(model, {"input.tokens": np.array([1, 0])}), "An encoder"))
    page = start.page("output")
    assert page.the("one row").text == "What stands at this position"
    assert "At “&lt;mask&gt;” the model chooses" in page.the("chosen").text


def test_where_matrices_show_changes_it_is_said_that_lists_do_not(start):
    assert start.page("output").the("one row").text == "What comes next, after this position"
    for showing in ("change", "gradient"):
        start.look(showing=showing)
        assert start.page("output").the("one row").text == "What comes next, after this position (values)"
        titles = [
            one.title
            for one in of_kind(
                start.page(start.document.engine.graph.nodes["decoder.1.ffn.hidden"].stage).page.elements, Stack
            )
            if one.title
        ]
        assert "The units one by one (values)" in titles  # the nearest heading, and no other
        assert not [title for title in titles if title.endswith("(values)") and "one by one" not in title]
