"""While a question asks for a number, a row or a stack of which nothing may be seen is not there at all."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.document.commands import SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import catalogue, load
from explorer.lessons.mistakes import half_unit
from explorer.lessons.states import StepStates
from explorer.lessons.steps import Predict
from explorer.pages.compose import WHOLE, page, stops
from explorer.pages.covering import WAITS, _rows_with, asked_cell, covered_by, without
from explorer.pages.drawing import Bars, Dot, Image
from explorer.pages.excerpt import leaves
from explorer.pages.matrix import Matrix
from explorer.pages.matrix import matrix as made
from explorer.pages.page import Item, Note, Row, Stack
from explorer.pages.view import Looking, View

LESSONS = {lesson.id: lesson for lesson in catalogue()}
COVERED = {"scores": frozenset({(0, 0)})}
SAID = Note("said", "The largest is <b>2.42</b>.")
QUIET = Note("quiet", "Each row is a word.")
WAITING = Note("waits", WAITS)


def test_a_row_without_items_goes():
    full = Row("both", (Item("", SAID), Item("", QUIET)))
    assert without((Row("row", (Item("", SAID),)), full), COVERED) == (Row("both", (Item("", QUIET),)), WAITING)


def test_a_stack_without_elements_goes():
    assert without((Stack("stack", "", (SAID,)), QUIET), COVERED) == (QUIET, WAITING)


def test_that_something_waits_is_said_only_where_it_does(desk):
    assert without((QUIET,), COVERED) == (QUIET,)
    assert without((SAID,), {}) == (SAID,)
    xor = desk("xor")
    descent = "model.descent"
    assert WAITS not in xor.page(descent).notes
    xor.look(covered={"layer.1.activation": frozenset({(0, 0)})})
    assert WAITS in xor.page(descent).notes


@pytest.mark.parametrize("name", [name for name, lesson in LESSONS.items() if lesson.questions])
def test_no_page_shows_the_number_that_is_asked_for(name):
    lesson = LESSONS[name]
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        question = step.question
        if not isinstance(question, Predict) or question.fresh or question.of != "value":
            continue
        document = Document(states[at])
        view = View.of(document)
        covered = covered_by(view, question)
        view = replace(view, looking=replace(view.looking, covered=covered))
        number = float(view.engine.value(view.graph.place(question.node))[question.cell])
        stage = next((one for one in stops(view.graph) if one.name == step.look.stage), None)
        parts = [part for one in page(view, stage).elements for part in leaves(one)] if stage is not None else []
        asked = view.graph.place(question.node)
        for matrix in (part for part in parts if isinstance(part, Matrix) and part.place.node == asked.node):
            near = np.argwhere(np.abs(matrix.values - number) <= half_unit(question.digits))
            assert {tuple(map(int, cell)) for cell in near} <= matrix.covered, f"{name}: {step.id}"
        document.close()


def test_what_is_asked_for_may_be_gone():
    """A monkey shortened the sentence in the middle of a question."""
    lesson = load("emma")
    at, question = next(
        (at, step.question) for at, step in enumerate(lesson.steps) if isinstance(step.question, Predict)
    )
    document = Document(StepStates(lesson)[at])
    gone = replace(question, cell=(50,) * len(question.cell)), replace(question, node="decoder.9.flux")
    for one in gone:
        assert asked_cell(document.engine.graph, one) is None
        assert covered_by(View.of(document), one) == covered_by(View.of(document), None)
    assert asked_cell(document.engine.graph, question).index[-len(question.cell) :] == question.cell
    document.close()


def test_what_overflowed_is_no_number_that_is_asked_for():
    """A monkey wrote a million into a weight while a question was open."""
    array = np.array([[np.inf, 2.0, np.nan], [2.0, 3.0, np.inf]])
    assert _rows_with(array, {(0, 1)}, 2.0, 0.1) == {(row, column) for row in range(2) for column in range(3)}
    assert _rows_with(array, {(0, 0)}, np.inf, 0.1) == set()


def test_what_a_choice_would_read_off_is_covered():
    lesson = load("emma")
    step = lesson.steps[0]
    document = Document(StepStates(lesson)[0])
    covered = covered_by(View.of(document), step.question)
    assert step.question.covers == ("scores",)
    assert {"scores", "weights"} <= covered.keys()
    assert len(covered["scores"]) == 81
    document.close()


def test_no_cell_is_covered_that_a_shorter_text_does_not_have():
    document = Document(load("you-are-welcome").state())
    covered = {"encoder.1.self.scores": frozenset(np.ndindex(2, 3, 3))}
    document.do(SetTokens("source", ("You", "are")))
    view = replace(View.of(document), looking=Looking(covered=covered))
    assert made(view, "encoder.1.self.head.1.scores").covered == set(np.ndindex(2, 2))
    document.close()


def test_the_whole_row_is_covered_where_an_equal_number_would_tell():
    lesson = load("apple-orange")
    at = next(i for i, step in enumerate(lesson.steps) if step.id == "cosine")
    document = Document(StepStates(lesson)[at])
    covered = covered_by(View.of(document), lesson.steps[at].question)["encoder.1.self.scores"]
    rows = {cell[-2] for cell in covered}
    assert rows == {0, 1, 2}  # Apple meets Orange and Phone at the same angle, and they meet Apple
    assert len(covered) == 3 * 5
    document.close()


def test_the_whole_stays_without_the_numbers_that_are_asked_for(desk):
    xor = desk("xor")
    xor.look(covered={"layer.1.activation": frozenset({(0, 0)})})
    eyes = xor.page(WHOLE.name)
    told = {dot.name: dot.inside for dot in eyes.marks("model", Dot)}
    assert told["h₁"] == told["h₂"] == "?"
    assert told["x₁"] != "?"
    phrase = desk("you-are-welcome")
    phrase.look(covered={"output.probabilities": frozenset({(0, 0)}), "encoder.1.self.weights": frozenset({(0, 0, 0)})})
    eyes = phrase.page(WHOLE.name)
    assert not eyes.marks("model", Bars)
    shown = {image.node.node for image in eyes.marks("model", Image)}
    assert "encoder.1.self.weights" not in shown
    assert "decoder.1.self.weights" in shown


def test_what_tells_sizes_only_stays_as_it_is(desk):
    xor = desk("xor", "printed")
    before = xor.page("model.parameters").texts("block list")
    xor.look(covered={"layer.1.activation": frozenset({(0, 0)})})
    assert xor.page("model.parameters").texts("block list") == before
    assert "1 unit of layer 2 × 2 units of layer 1" in [text for line in before for text in line]
