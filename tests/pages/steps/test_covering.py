"""Which cells a question covers: the number that it asks for and all that carry it."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from explorer.core.engine import Engine
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.lessons.schema import StepStates
from explorer.lessons.steps import Predict
from explorer.pages.matrix import matrix
from explorer.pages.steps.covering import _same, asked_cell, covered_by
from explorer.pages.steps.veil import altered
from explorer.pages.view import Covered, View


@pytest.fixture
def at():
    """The view at a step of a lesson, and the question there."""
    opened = []

    def open_it(name, id):
        lesson = load(name)
        number = next(i for i, step in enumerate(lesson.steps) if step.id == id)
        document = Document(StepStates(lesson)[number])
        opened.append(document)
        return View.of(document), lesson.steps[number].question

    yield open_it
    for document in opened:
        document.close()


def test_what_is_asked_for_may_be_gone(at):
    """A monkey shortened the sentence in the middle of a question."""
    view, question = at("emma", "one-missing")
    assert asked_cell(view.graph, question).index[-len(question.cell) :] == question.cell
    gone = replace(question, cell=(50,) * len(question.cell)), replace(question, node="decoder.9.flux")
    for one in gone:
        assert asked_cell(view.graph, one) is None
        assert covered_by(view, one) == Covered()
    assert covered_by(view, None) == Covered()


def test_a_gradient_that_is_asked_for_may_be_gone_with_the_loss():
    """A monkey switched the loss off in the middle of a question, and all that followed the model failed."""
    lesson = load("cat-sat-on-the")
    number = next(i for i, step in enumerate(lesson.steps) if getattr(step.question, "of", "") == "gradient")
    document, question = Document(StepStates(lesson)[number]), lesson.steps[number].question
    covered = covered_by(View.of(document), question)
    assert covered.gradients
    document.do(SetSwitch("loss", "loss", "none"))
    view = View.of(document)
    assert covered_by(view, question) == Covered()
    before = replace(view, looking=replace(view.looking, covered=covered))  # the page may be made before that is known
    assert altered(before).engine.graph is view.engine.graph
    document.close()


def test_what_overflowed_is_no_number_that_is_asked_for():
    """A monkey wrote a million into a weight while a question was open."""
    array = np.array([[np.inf, 2.0, np.nan], [-2.0, 3.0, -np.inf]])
    assert np.argwhere(_same(array, 2.0)).tolist() == [[0, 1], [1, 0]]
    assert not _same(array[:, 1:2] * np.inf, 2.0).any()


def test_what_a_choice_would_read_off_is_covered(at):
    view, question = at("emma", load("emma").steps[0].id)
    covered = covered_by(view, question)
    assert question.covers == ("scores",)
    assert {"scores", "weights"} <= covered.values.keys()
    assert len(covered.values["scores"]) == 81
    assert not covered.gradients


def test_a_mirror_image_is_covered_and_what_merely_looks_alike_is_not(at):
    view, question = at("apple-orange", "cosine")
    covered = covered_by(view, question).values["encoder.1.self.scores"]
    # Apple meets Orange and Phone at the same angle, and they meet Apple.
    assert covered == {(0, 2, 0), (0, 2, 1), (0, 0, 2), (0, 1, 2)}
    view, question = at("i-love-ai", "mask")
    asked = asked_cell(view.graph, question)
    covered = covered_by(view, question).values
    assert asked.index in covered[asked.node]
    assert "input.onehot" not in covered  # it is full of zeros, too


def test_a_copy_on_another_page_is_covered(at):
    """The gradient at the logit stood in the table beside: it had been divided by a temperature of 1."""
    view, question = at("cat-sat-on-the", "gradient")
    covered = covered_by(view, question)
    assert not covered.values
    assert covered.gradients["output.logits"] == covered.gradients["output.scaled"] == {(0, 0)}
    assert covered.number == pytest.approx(-0.9)
    view, question = at("cat-sat-on-the", "wrong")
    covered = covered_by(view, question).values
    assert (0, 0) in covered["output.logits"]  # −2.30, where 2.30 is asked for
    assert covered["loss.value"] == {()}


def test_numbers_that_it_is_computed_from_stay():
    """With an attention of 1, or a ReLU, what comes out is a number that goes in: it has to be read."""
    for name, id in (("start-here", "numbers"), ("you-are-welcome", "relu")):
        lesson = load(name)
        number = next(i for i, step in enumerate(lesson.steps) if step.id == id)
        document = Document(StepStates(lesson)[number])
        view, question = View.of(document), lesson.steps[number].question
        last = view.engine.explain(question.node, question.cell)
        assert last is not None
        inputs = [node.name for node in view.nodes.values() if node.is_input]
        assert not covered_by(view, question).values.keys() & set(inputs)
        document.close()


def test_a_number_of_a_few_decimals_is_not_looked_for_in_words(at):
    view, question = at("start-here", "numbers")
    assert covered_by(view, question).number is None  # 0.5
    view, question = at("softmax", "powers")
    assert covered_by(view, question).number == pytest.approx(0.1078, abs=1e-4)


def test_the_cover_follows_an_edit(at):
    view, question = at("emma", "one-missing")
    assert isinstance(question, Predict)
    document = Document(view.state)
    before = covered_by(View.of(document), question).values["scores"]
    document.do(SetCells("K", {(7, 0): 0.31}))
    assert asked_cell(view.graph, question).index in before & covered_by(View.of(document), question).values["scores"]
    document.close()


def test_where_all_shares_are_equal_each_cell_is_asked_for_its_readers_once_or_twice(at, monkeypatch):
    """For each of the shares all others were gone through: that took seconds."""
    view, question = at("jane", "idle")
    asked, feeds = Counter(), Engine.feeds
    monkeypatch.setattr(Engine, "feeds", lambda *given: asked.update([given[1:]]) or feeds(*given))
    covered = covered_by(view, question)
    assert sum(map(len, covered.values.values())) > 500
    assert max(asked.values()) <= 3


def test_whoever_shows_gradients_is_not_told_the_value_that_is_asked_for(at):
    """The tip and the inspector name the value of a cell beside its gradient, and they were open there."""
    view, question = at("roses-are-red", "loss")
    cell = asked_cell(view.graph, question)
    looking = replace(view.looking, covered=covered_by(view, question), showing="gradient")
    view = replace(view, looking=looking)
    assert view.looking.hides(cell)
    shown = matrix(view, question.node)
    assert shown.told(view, *shown.at(cell.index)) == "Answer the question first."
