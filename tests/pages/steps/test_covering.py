"""Which cells a question covers: the number that it asks for and all that carry it."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from explorer.core.engine import Engine
from explorer.core.graph import Cell
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.lessons.schema import Predict, StepStates
from explorer.pages.compose import page
from explorer.pages.drawing import Bars, Dot, Image
from explorer.pages.element import leaves
from explorer.pages.levels import WHOLE
from explorer.pages.matrix import matrix
from explorer.pages.matrix import matrix as made
from explorer.pages.page import BAR, Column, Entry, Header, Item, Line, Listing, Note, Page, Row, Stack
from explorer.pages.steps.covering import WAITS, _others, _same, altered, asked_cell, covered_by, without_covered
from explorer.pages.surfaces.inspector import WAITS as EXPLAINED_LATER
from explorer.pages.surfaces.inspector import inspected
from explorer.pages.view import Covered, Looking, Spot, View


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


QUIET = Note("quiet", "Each row is a word.")
WAITING = Note("waits", WAITS)
HEADER = Header("header", "Scores", "What happens here.")


def covered(node, *cells):
    return Covered({node: frozenset(cells)})


def shown(view, *elements):
    """What is left of elements that are made of the view."""
    return without_covered(view, lambda of: Page("attention", HEADER, tuple(one(of) for one in elements))).elements


def first_score(view):
    return Note("said", f"The first score is <b>{view.values['scores'][0, 0]:.2f}</b>.")


def second_score(view):
    return Note("other", f"The second score is <b>{view.values['scores'][0, 1]:.2f}</b>.")


def quiet(view):
    return QUIET


def looking_at(desk, lesson, what):
    one = desk(lesson)
    one.look(covered=what)
    return one.view


def test_a_sentence_goes_only_if_it_would_be_another_one_with_other_numbers(desk):
    view = looking_at(desk, "emma", covered("scores", (0, 0)))
    assert shown(view, first_score, second_score, quiet) == (second_score(view), QUIET, WAITING)


def test_that_something_waits_is_said_only_where_it_does(desk):
    assert shown(looking_at(desk, "emma", covered("scores", (0, 0))), second_score, quiet)[-1] == QUIET
    assert shown(desk("emma").view, first_score) == (first_score(desk("emma").view),)


def test_a_row_and_a_stack_without_anything_in_them_go(desk):
    view = looking_at(desk, "emma", covered("scores", (0, 0)))

    def row(of):
        return Row("row", (Item("", first_score(of)),))

    def both(of):
        return Row("both", (Item("", first_score(of)), Item("→", QUIET)))

    def stack(of):
        return Stack("stack", "", (first_score(of),))

    assert shown(view, row, both, stack) == (Row("both", (Item("→", QUIET),)), WAITING)


def test_the_choice_of_what_a_picture_draws_goes_with_the_picture(desk):
    """On a slide and on paper two fields, "across" and "up", stood below a title, with nothing that they choose for."""
    for what in (Covered(), covered("source.table", (1, 2))):
        view = looking_at(desk, "you-are-welcome", what)
        found = page(view, next(one for one in view.graph.stages if one.name == "source.embedding"))
        names = [element.title for one in found.elements for element in leaves(one) if isinstance(element, Stack)]
        assert ("The table's rows as arrows" in names) is not bool(what.values)


def test_the_scale_of_a_picture_and_its_words_go_with_the_picture(desk):
    """Where a question covered the plane of XOR, its bar of colours and the words on its lines stood there alone."""
    xor, about = desk("xor"), {"answers", "scale of answers", "legend of answers"}
    for what in (Covered(), covered("layer.1.hidden", (3, 1))):
        xor.look(covered=what)
        for stage in ("input", "model.descent"):
            ids = {part.id for one in xor.page(stage).elements for part in leaves(one)}
            assert about & ids == (set() if what.values else about), stage


def test_of_a_list_only_the_numbers_that_depend_on_it_are_covered(desk):
    view = looking_at(desk, "emma", covered("scores", (0, 0)))
    columns = Column("Word"), Column("Score", "number"), Column("Shape", "number"), Column("")

    def listing(of):
        scores = of.values["scores"]
        first = Line.of("Emma", f"{scores[0, 0]:.2f}", "9×9", "chosen" if scores[0].argmax() == 0 else "")
        return Listing("list", "Scores", columns, (first, Line.of("hates", f"{scores[0, 1]:.2f}", "9×9", "")))

    (left,) = shown(view, listing)
    texts = [[entry.text for entry in line.entries] for line in left.lines]
    assert texts == [["Emma", "?", "9×9", ""], ["hates", "−0.45".replace("−", "-"), "9×9", ""]]


def test_the_number_itself_is_covered_in_words_that_come_to_it_on_another_way(desk):
    view = looking_at(desk, "emma", replace(covered("scores", (0, 0)), number=0.4082, decimals=2))

    def elsewhere(of):
        return Note("elsewhere", "Or 0.41 of it.")

    def percent(of):
        return Listing("list", "Shares", (Column("Share"),), (Line((Entry("40.8 %"),)), Line((Entry("0.4"),))))

    (left, _) = shown(view, elsewhere, percent)
    assert [line.entries[0].text for line in left.lines] == ["?", "0.4"]


def test_other_numbers_differ_in_each_covered_cell_and_nowhere_else(desk):
    one = desk("emma")
    cells = frozenset(np.ndindex(9, 9))
    for name in ("scores", "weights"):
        one.look(covered=Covered({name: cells}))
        other = altered(one.view)
        assert (other.values[name] != one.view.values[name]).all()
        assert (other.values[name].argmax(axis=1) != one.view.values[name].argmax(axis=1)).all()
        same = one.view.values.keys() - {name}
        assert all(other.values[node] is one.view.values[node] for node in same)


def test_a_number_from_the_middle_does_not_stay_in_the_middle(at):
    """The other number was 0.997 where 1.0 was asked for: beside the curve of ReLU the answer stood in sight."""
    view, question = at("xor", "hidden")
    covered = covered_by(view, question)
    view = replace(view, looking=Looking(covered=covered, spot=Spot("layer.1.hidden", (3,), (1,))))
    found = page(view, next(one for one in view.graph.stages if one.name == "layer.1"))
    (units,) = (element for one in found.elements for element in leaves(one) if getattr(element, "id", "") == "units")
    entries = [[entry.text for entry in line.entries] for line in (units.lines[0], units.lines[1])]
    assert entries == [["h₁", "2.0", "2.0", "2.0", "2.0", ""], ["h₂", "?", "?", "?", "?", ""]]
    numbers = np.linspace(-3, 3, 601)[None]
    other = _others(numbers, frozenset(np.ndindex(numbers.shape)))
    assert np.abs(other - numbers).min() > 0.09 * 6


def test_covered_gradients_leave_the_values_in_sight(desk):
    xor = desk("xor", "random")
    xor.look(covered=Covered(gradients={"layer.1.W": frozenset({(0, 0)})}))
    assert not made(xor.view, "layer.1.W").covered
    xor.look(showing="gradient")
    assert made(xor.view, "layer.1.W").covered == {(0, 0)}
    true, other = xor.view.engine.gradients().of("layer.1.W"), altered(xor.view).engine.gradients().of("layer.1.W")
    assert (true != other).tolist() == [[True, False], [False, False]]


def test_no_cell_is_covered_that_a_shorter_text_does_not_have():
    document = Document(load("you-are-welcome").state())
    every = Covered({"encoder.1.self.scores": frozenset(np.ndindex(2, 3, 3))})
    document.do(SetTokens("source", ("You", "are")))
    view = replace(View.of(document), looking=Looking(covered=every))
    assert made(view, "encoder.1.self.head.1.scores").covered == set(np.ndindex(2, 2))
    assert (altered(view).values["encoder.1.self.scores"] != view.values["encoder.1.self.scores"]).all()
    document.close()


def test_the_whole_stays_without_the_numbers_that_are_asked_for(desk):
    xor = desk("xor")
    xor.look(covered=covered("layer.1.activation", (1, 0), (1, 1)))
    eyes = xor.page(WHOLE.name)
    told = {dot.name: dot.inside for dot in eyes.marks("model", Dot)}
    assert told["h₁"] == told["h₂"] == "?"
    assert told["x₁"] != "?"
    phrase = desk("you-are-welcome")
    one = {"output.probabilities": frozenset({(2, 0)}), "encoder.1.self.weights": frozenset({(0, 0, 0)})}
    phrase.look(covered=Covered(one))
    eyes = phrase.page(WHOLE.name)
    assert not eyes.marks("model", Bars)
    images = {(image.node.node, image.node.head) for image in eyes.marks("model", Image)}
    assert ("encoder.1.self.weights", 0) not in images
    assert {("encoder.1.self.weights", 1), ("decoder.1.self.weights", 0)} <= images


def test_an_open_question_hides_no_shape_and_no_count(desk):
    """On Emma's first step the page “What changed” said “Shape ?”."""
    lesson = load("emma")
    emma = desk("emma")
    question = lesson.steps[0].question
    document = Document(StepStates(lesson)[0])
    emma.document = document
    before = {stage: emma.page(stage).texts("given numbers") for stage in ("model.changes", "model.parameters")}
    emma.look(covered=covered_by(emma.view, question))
    for stage, texts in before.items():
        assert emma.page(stage).texts("given numbers") == texts
    assert any(text == "9 × 4" for line in before["model.changes"] for text in line)
    document.close()


def test_a_number_stays_that_is_only_written_with_fewer_decimals(desk):
    """With other logits beside it, −0.36 would be −0.357."""
    cat = desk("cat-sat-on-the")
    lesson = load("cat-sat-on-the")
    at = next(i for i, step in enumerate(lesson.steps) if step.id == "wrong")
    cat.document = Document(StepStates(lesson)[at])
    cat.look(covered=covered_by(cat.view, lesson.steps[at].question))
    logits = {line[0]: line[1] for line in cat.page("output").texts("words")}
    assert logits == {"mat": "?", "hat": "?", "bat": "?", "rat": "−0.36"}
    cat.document.close()


def test_gradient_descent_stays_where_the_loss_is_not_asked_for(desk):
    xor = desk("xor")
    full = [one.id for one in xor.page("model.descent").elements]
    xor.look(covered=covered("layer.1.hidden", (0, 0)))
    assert {"steps", "curve"} <= {one.id for one in xor.page("model.descent").elements} & set(full)
    xor.look(covered=covered("loss.value", ()))
    assert "steps" not in {one.id for one in xor.page("model.descent").elements}


def test_what_a_cell_feeds_and_how_it_comes_about_tell_no_covered_number(desk):
    emma = desk("emma")
    emma.look(covered=covered("scores", (0, 0)))
    view = emma.view

    def about(cell):
        return inspected(view, cell, {child: [at] for child, at in view.engine.feeds(cell.node, cell.index).items()})

    row = about(Cell("weights", (0, 1)))
    assert not row.parts
    assert row.how == EXPLAINED_LATER
    assert about(Cell("weights", (1, 1))).parts


def test_the_scale_of_a_lists_bars_does_not_end_at_a_covered_number(desk):
    """The bars of the other numbers told it: the longest of them was so much shorter than its place."""
    view = looking_at(desk, "emma", covered("scores", (0, 0)))
    largest = float(view.values["scores"][0].max()) + 1.0

    def bars(of):
        numbers = [float(x) for x in of.values["scores"][0]]
        numbers[0] += largest
        columns = (Column("", BAR, reach=(0.0, max(numbers))),)
        return Listing("bars", "Bars", columns, tuple(Line.of(Entry(f"{x:.3f}", x)) for x in numbers))

    (left, *_) = shown(view, bars)
    assert left.columns[0].reach != bars(view).columns[0].reach
