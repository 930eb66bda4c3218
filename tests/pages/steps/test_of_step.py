"""What a class sees of a step: what it names, what its question asks for, and what that is computed from."""

import re
from contextlib import suppress
from dataclasses import replace
from functools import cache, reduce
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.document.commands import SetCells, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import catalogue, load
from explorer.lessons.schema import Look, MakeSo, Point, Predict
from explorer.lessons.walk import Walk
from explorer.pages import compose
from explorer.pages.controls import Choice
from explorer.pages.drawing import AttentionLines
from explorer.pages.element import leaves
from explorer.pages.levels import places, stops
from explorer.pages.matrix import Matrix, matrix, part_of, transposed
from explorer.pages.page import DescentPart, Listing, Picture, Row
from explorer.pages.steps.of_step import (
    ELSEWHERE,
    MOST_COLUMNS,
    _before,
    asked_cells,
    elements_of,
    excerpt,
    first_cell,
    lit_by_cell,
    lit_by_step,
    right_cells,
)
from explorer.pages.surfaces.inspector import inspected
from explorer.pages.view import Covered, Looking, Spot, View

LESSONS = ("start-here", "softmax", "two-vectors", "jump", "xor", "emma")
walk_of = cache(lambda name: Walk(load(name)))


def seen(name, id):
    """A view of the state of a step, and the step."""
    walk = walk_of(name)
    at = next(k for k, step in enumerate(walk.lesson.steps) if step.id == id)
    return View.of(Document(walk.state(at))), walk.lesson.steps[at]


def matrices(view, step):
    return [part.name for one in elements_of(view, step) for part in leaves(one) if isinstance(part, Matrix)]


def steps_with(kind):
    """Lesson and step of each question of a kind."""
    found = [(name, step) for name in LESSONS for step in walk_of(name).lesson.steps]
    return [pytest.param(name, one.id, id=f"{name}-{one.id}") for name, one in found if isinstance(one.question, kind)]


@pytest.mark.parametrize(
    ("name", "id", "spoken"),
    [
        ("translation-lookup", "guess", {"Q", "K", "V"}),
        ("translation-lookup", "zero", {"Q", "scaled"}),
        ("translation-lookup", "make", {"Q", "K"}),
        ("i-want-to-buy", "one-product", {"X", "W_Q"}),
    ],
)
def test_a_class_sees_the_tables_that_the_words_speak_of(name, id, spoken):
    assert spoken <= {one.rpartition(".")[2] for one in matrices(*seen(name, id))}


@pytest.mark.parametrize(("name", "id"), steps_with(Predict))
def test_the_table_of_the_number_that_is_asked_for_is_there(name, id):
    view, step = seen(name, id)
    assert step.question.node in matrices(view, step)


@pytest.mark.parametrize(("name", "id"), steps_with(Point))
def test_so_is_the_table_to_point_at(name, id):
    view, step = seen(name, id)
    if step.question.at == "cell":
        assert step.question.node in matrices(view, step)
        places = {cell.node for cell in right_cells(view, step.question)}
        assert places == {view.graph.place(step.question.node).node}
    else:
        assert right_cells(view, step.question) == ()


@pytest.mark.parametrize(("name", "id"), steps_with(MakeSo))
def test_so_is_something_that_may_be_changed(name, id):
    view, step = seen(name, id)
    shown = elements_of(view, step)
    there = [part.name for one in shown for part in leaves(one) if isinstance(part, Matrix) and part.editable]
    assert set(there) & set(step.question.allowed) or not all(isinstance(one, Matrix | Row) for one in shown)


def test_what_a_sum_adds_up_stands_before_it():
    view, step = seen("start-here", "place")
    assert matrices(view, step) == ["source.X", "source.PE", "source.H"]


def test_a_matrix_of_one_of_several_heads_says_of_which():
    """On its page the head stands at the top, which no slide shows: a class asked which of the three it saw."""
    for name, id, said in (("jane", "three", "weights, head 1"), ("jane", "guess", "weights")):
        (one,) = (part for one in elements_of(*seen(name, id)) for part in leaves(one) if isinstance(part, Matrix))
        assert one.title == said


def test_so_does_what_a_derivation_that_is_shown_reads():
    view, step = seen("start-here", "mixture")
    head = "encoder.1.self.head.1"
    assert matrices(view, step) == [f"{head}.weights", f"{head}.V", f"{head}.output"]


def test_a_single_cell_that_is_named_is_pointed_at_and_a_whole_row_is_not():
    assert first_cell(*seen("start-here", "mixture")) == Cell("encoder.1.self.output", (0, 0, 0))
    assert first_cell(*seen("start-here", "keep")) is None
    assert first_cell(*seen("inside-a-storyteller", "blue")) is None  # a line of a list


@pytest.mark.parametrize("name", ["inside-a-storyteller", "one-word-at-a-time"])
def test_where_a_step_shows_the_next_words_it_marks_those_that_its_numbers_are_of(name):
    """What is spoken of is what one sees, and on a slide it is in sight."""
    for step in load(name).steps:
        if step.look.element != "next words":
            continue
        view, _ = seen(name, step.id)
        spot = Spot(step.look.node, step.look.rows, step.look.columns)
        view = replace(view, looking=replace(view.looking, spot=spot, large=True))
        (shown,) = elements_of(view, step)
        marked = {line.entries[0].text for line in shown.lines[: shown.most] if line.here}
        spoken = set(re.findall(r"{output\.probabilities\[\d+, ([^\]]+)\]", step.slide or step.words))
        assert spoken == marked != set(), step.id


@pytest.mark.parametrize(("name", "id", "words"), [("start-here", "shares", 3), ("emma", "softmax", 9)])
def test_lines_stand_beside_the_weights_on_a_slide_only_where_both_can_be_read(name, id, words):
    view, step = seen(name, id)
    for large in (False, True):
        shown = elements_of(replace(view, looking=replace(view.looking, large=large)), step)
        lines = [part for one in shown for part in leaves(one) if isinstance(part, AttentionLines)]
        assert len(lines) == (words == 3 or not large)


def test_a_step_that_names_a_whole_page_has_no_signs_between_its_tables_on_a_slide_which_cut_a_column():
    view, step = seen("start-here", "place")
    step = replace(step, look=Look("source.positions"), question=None)
    for large in (False, True):
        (row,) = elements_of(replace(view, looking=replace(view.looking, large=large)), step)
        assert [item.sign for item in row.items] == (["", "", ""] if large else ["", "+", "="])
    heads = replace(step, look=Look("encoder.1.self.heads"))
    view = replace(view, looking=replace(view.looking, large=True, head=1))
    assert matrices(view, heads) == ["encoder.1.self.head.2.weights"]  # side by side they were small, and cut


def test_what_stands_beside_comes_in_the_order_of_the_page():
    view, step = seen("softmax", "equal")
    assert step.look.beside == ("output.logits",)
    assert matrices(view, step) == ["output.logits", "output.scaled", "output.probabilities"]


@pytest.mark.parametrize(("has_all_room", "most"), [(False, 7), (True, 15)])
def test_a_class_sees_a_few_lines_of_a_long_list_and_more_where_it_has_all_the_room(has_all_room, most):
    view, step = seen("one-word-at-a-time", "next")
    view = replace(view, looking=replace(view.looking, large=True))
    (listing,) = (part for one in elements_of(view, step, None, has_all_room) for part in leaves(one))
    assert len(listing.lines) > 200
    assert (listing.most, listing.key) == (most, "M")


@pytest.mark.parametrize(
    ("name", "id", "picture"), [("xor", "watch", "answers"), ("cat-sat-on-the", "walk-down", "cost curve")]
)
def test_gradient_descent_stands_below_the_picture_that_its_steps_change(name, id, picture):
    elements = elements_of(*seen(name, id))
    assert [(type(one), one.id) for one in elements] == [(Picture, picture), (DescentPart, "steps")]
    assert elements[0].fills


@pytest.mark.parametrize(
    ("name", "id", "tables"),
    [
        ("apple-orange", "phone-all-missing", ["weights", "V", "output"]),
        ("emma", "all-missing", ["Q", "K", "scores"]),
        ("xor-linear", "line-all-missing", ["X", "W", "b", "hidden"]),
    ],
)
def test_where_no_factors_are_given_a_class_sees_the_tables_that_they_stand_in(name, id, tables):
    assert [matrix.rpartition(".")[2] for matrix in matrices(*seen(name, id))] == tables


def test_a_model_without_what_the_step_names_shows_what_its_page_shows_first():
    """A switch takes a node away, or the model of the next step comes a moment before the step."""
    _, step = seen("emma", "score")
    question = next(one.question for one in walk_of("emma").lesson.steps if isinstance(one.question, Predict))
    other = View.of(Document(load("tiny-gpt").state()))
    stage = "decoder.1.self.attention"
    for node in ("decoder.1.ffn.W_1_codes", step.look.node):
        look = replace(step.look, stage=stage, node=node)
        lacking = replace(step, look=look, question=replace(question, node="decoder.9.self.scores"))
        assert elements_of(other, lacking)
    pointed = next(one for one in walk_of("emma").lesson.steps if getattr(one.question, "at", "") == "cell").question
    assert right_cells(other, replace(pointed, node="decoder.9.self.scores")) == ()
    assert not lit_by_step(page_of(other, lacking), other, lacking)


@pytest.mark.parametrize("id", ["second-head", "wave"])
def test_a_step_of_a_text_that_somebody_has_shortened_still_has_its_elements(id):
    walk = walk_of("you-are-welcome")
    step = next(one for one in walk.lesson.steps if one.id == id)
    state = walk.state(walk.lesson.steps.index(step))
    view = View.of(Document(SetTokens("source", ("you",)).apply(state)))
    assert first_cell(view, step) is None or id == "second-head"
    assert right_cells(view, step.question) == ()
    assert elements_of(view, step)


def test_a_right_cell_that_a_shortened_text_no_longer_has_is_none():
    walk = Walk(load("what-a-trained-head-does"))
    at = next(at for at, step in enumerate(walk.lesson.steps) if step.id == "who")
    question, state = walk.lesson.steps[at].question, walk.state(at)
    assert right_cells(View.of(Document(state)), question)
    (sequence,) = state.graph.sequences
    one = SetTokens(sequence, state.graph.labels(sequence, state.inputs)[:1]).apply(state)
    assert right_cells(View.of(Document(one)), question) == ()


# What stands in the light of a step


def page_of(view, step):
    name = ELSEWHERE.get(step.look.stage, step.look.stage)
    stage = next((one for one in stops(view.graph) if one.name == name), None)
    return None if stage is None else compose.page(view, stage)


def lit(name, id):
    """The names of the matrices that stand in the light, and of those that do not."""
    view, step = seen(name, id)
    page = page_of(view, step)
    light = lit_by_step(page, view, step)
    assert not light or page.header.id in light.heads
    ids = light.named | light.beside
    found = [part for one in page.elements for part in leaves(one) if isinstance(part, Matrix)]
    return [one.name for one in found if one.id in ids], [one.name for one in found if one.id not in ids]


def test_what_a_step_names_and_what_that_is_made_of_stands_in_the_light():
    assert lit("emma", "key") == (["K"], ["Q", "scores", "weights"])
    light, dark = lit("start-here", "mixture")
    head = "encoder.1.self.head.1"
    assert light == [f"{head}.V", f"{head}.weights", f"{head}.output"]
    assert f"{head}.Q" in dark


@pytest.mark.parametrize("id", ["dot-one-missing", "dot-two-missing", "dot-all-missing"])
def test_what_a_number_is_worked_out_from_by_hand_is_named(id):
    view, step = seen("two-vectors", id)
    page = page_of(view, step)
    ids = lit_by_step(page, view, step).named
    assert {part.name for one in page.elements for part in leaves(one) if part.id in ids} == {"x", "y", "dot"}


@pytest.mark.parametrize("name", ["apple-orange", "i-want-to-buy", "positions-cat-mat", "i-love-ai"])
def test_a_number_that_went_with_the_end_of_the_sentence_is_worked_out_from_nothing(name):
    """A monkey that made a sentence one word long met an IndexError, after 8,582 acts."""
    seen_at_all = 0
    for step in walk_of(name).lesson.steps:
        if isinstance(step.question, Predict) and step.question.fade:
            view, _ = seen(name, step.id)
            state = view.state
            for sequence in view.graph.sequences:
                state = SetTokens(sequence, view.labels(sequence)[:1]).apply(state)
            fewer = View.of(Document(state))
            lit_by_step(page_of(fewer, step), fewer, step)
            seen_at_all += 1
    assert seen_at_all


@pytest.mark.parametrize("id", ["likelihood", "price", "rule"])
def test_the_sum_that_is_spoken_of_is_shown_with_what_it_is_of(id):
    """The loss was shown, whose number stands nowhere in these words."""
    made_of = ["output.probabilities", "loss.likelihood"]
    assert matrices(*seen("roses-are-red", id)) == [*made_of, "loss.L_1"]


def test_which_word_counts_is_shown_in_the_list_of_probabilities_and_targets():
    (shown,) = elements_of(*seen("cat-sat-on-the", "one-hot"))
    (listing,) = [part for part in leaves(shown) if isinstance(part, Listing)]
    assert {"P", "y"} <= {column.title for column in listing.columns}
    said = {line.entries[0].text: line.entries[1].text for line in listing.lines}
    assert (said["mat"], said["hat"], len(said)) == ("1", "0", 4)


def test_what_the_words_tell_a_reader_to_use_is_on_the_page_and_in_the_light():
    """A step had "rug" chosen where it could not be; a box to tick, its table and the temperature were faint."""
    view, step = seen("where-the-answer-comes-from", "why-bed")
    (word, title), page = re.search(r"Choose \*(\w+)\* beside \*\*(\w+)\*\*", step.words).groups(), page_of(view, step)
    parts = [part for one in page.elements for part in leaves(one)]
    (choice,) = [part for part in parts if isinstance(part, Choice) and part.title == title]
    assert word in choice.options
    assert choice.id in lit_by_step(page, view, step).named
    view, step = seen("what-a-trained-head-does", "gallery")
    assert "Tick" in step.words
    assert not lit_by_step(page_of(view, step), view, step)
    assert "output.temperature" in lit("softmax", "hot")[0]


def test_the_picture_of_the_whole_has_nothing_beside_it():
    view, step = seen("start-here", "whole")
    assert step.look.stage == "model"
    assert not lit_by_step(page_of(view, step), view, step)


@pytest.mark.parametrize("name", [*LESSONS, "i-want-to-buy"])
def test_what_may_be_edited_for_a_question_and_what_is_asked_for_is_never_faint(name):
    for step in walk_of(name).lesson.steps:
        view, step = seen(name, step.id)
        page = page_of(view, step)
        if page is None:
            continue
        light, question = lit_by_step(page, view, step), step.question
        there = {part.id for one in (page.header, *page.elements) for part in leaves(one)}
        assert light.named | light.beside | light.heads <= there
        assert light.named.isdisjoint(light.beside)
        if not light:
            continue
        on_page = {part.name: part.id for one in page.elements for part in leaves(one) if isinstance(part, Matrix)}
        wanted = []
        if isinstance(question, MakeSo):
            wanted = [*question.allowed, *(one.node for one in question.conditions)]
        elif isinstance(question, Predict) or (isinstance(question, Point) and question.at == "cell"):
            wanted = [question.node]
        assert {on_page[one] for one in wanted if one in on_page} <= light.named, step.id
        said = {node for node, _ in step.shown.values()} & on_page.keys()
        assert {on_page[one] for one in said} <= light.named | light.beside, f"{step.id}: a number said is faint"
        # The words spoke of X, which was faint.
        bold = re.findall(r"\*\*(.+?)\*\*", step.words + (question.ask if question else ""))
        spoken = {name for name in on_page if view.nodes[view.graph.place(name).node].symbol in bold}
        assert {on_page[one] for one in spoken} <= light.named | light.beside, step.id


@pytest.mark.parametrize(("id", "note"), [("sum", "about the ledger"), ("lens", "about the lens")])
def test_what_is_said_right_before_a_named_list_can_be_read(id, note):
    """It says what the list shows now, and was faint."""
    view, step = seen("where-the-answer-comes-from", id)
    light = lit_by_step(page_of(view, step), view, step)
    assert {"about the ledger", "about the lens"} & light.beside == {note}


def test_the_page_of_the_model_before_is_lit_without_its_missing_nodes():
    """A matrix that the model of the next step does not have ended in a KeyError."""
    before, _ = seen("apple-orange", "phone-all-missing")
    after, step = seen("i-want-to-buy", "likeness")
    assert "encoder.1.self.mask" in before.nodes.keys() - after.nodes.keys()
    assert lit_by_step(page_of(before, step), after, step)


def test_both_summands_of_a_sum_are_readable():
    assert lit("start-here", "keep")[1] == []


def test_a_cell_lights_what_it_is_made_of_and_what_it_goes_into(desk):
    view = desk("start-here").view
    stage = next(one for one in stops(view.graph) if one.name == "encoder.1.self.attention")
    page = compose.page(view, stage)
    names = {part.id: part.name for one in page.elements for part in leaves(one) if isinstance(part, Matrix)}
    head = "encoder.1.self.head.1."

    def line(node):
        return {
            names[id].removeprefix(head) for id in lit_by_cell(page, view, Cell(node, (0, 0, 0))).named if id in names
        }

    of_query, of_value = line("encoder.1.self.Q"), line("encoder.1.self.V")
    assert {"W_Q", "Q", "scores", "weights", "output"} <= of_query
    assert of_query.isdisjoint({"W_K", "K", "W_V", "V"})
    assert {"W_V", "V", "output"} <= of_value
    assert of_value.isdisjoint({"Q", "scores", "weights"})
    assert not lit_by_cell(page, view, Cell("decoder.1.self.Q", (0, 0, 0))), "it stands on another page"


def test_a_class_sees_as_many_columns_of_a_list_as_it_can_read_and_all_where_they_have_all_the_room():
    view, step = seen("changed-since-2017", "paper")
    large = replace(view, looking=replace(view.looking, large=24))
    (few,), (whole,) = elements_of(large, step), elements_of(large, step, has_all_room=True)
    assert isinstance(few, Listing)
    assert isinstance(whole, Listing)
    assert [one.title for one in few.columns[:3]] == ["Model", "Year", "Positions"]
    assert len(few.columns) == MOST_COLUMNS < len(whole.columns)
    assert [len(line.entries) for line in few.lines] == [MOST_COLUMNS] * len(whole.lines)


def only(view, step):
    """The matrices that a class sees, by their names."""
    return {one.name: one for all_ in elements_of(view, step) for one in leaves(all_) if isinstance(one, Matrix)}


def test_of_a_table_that_is_too_large_a_class_sees_the_part_that_is_named():
    view, step = seen("changed-since-2017", "gate")
    shown = only(view, step)
    assert {len(one.columns) for one in shown.values()} == {4}
    assert len({one.columns for one in shown.values()}) == 1, "what is multiplied stands in the same columns"
    gated = shown["decoder.1.ffn.gated"]
    whole = view.values["decoder.1.ffn.gated"]
    assert "4 of 89 columns" in gated.title
    (rows, columns) = gated.kept
    np.testing.assert_array_equal(gated.values, whole[np.ix_(rows, columns)])
    assert step.look.columns[0] in columns


def test_the_part_is_around_what_is_named_and_what_is_asked_for_is_in_it():
    view, step = seen("one-word-at-a-time", "temperature")
    (cell,) = [step.question.cell]
    shown = only(view, step)["output.scaled"]
    mat = view.labels(shown.axes[1]).index("mat")
    assert shown.at((cell[0], mat))[1] >= 0
    (near, far) = (replace(step, question=replace(step.question, cell=(4, at))) for at in (mat, 200))
    assert only(view, near)["output.scaled"].columns != only(view, far)["output.scaled"].columns


@given(st.data())
def test_a_part_of_a_table_knows_the_places_of_its_cells(data):
    view, _ = seen("changed-since-2017", "gate")
    whole = matrix(view, "decoder.1.ffn.gated")
    if data.draw(st.booleans()):
        whole = transposed(whole)
    rows, columns = (
        tuple(sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=9))))
        for size in whole.array.shape
    )
    part = part_of(whole, rows, columns)
    assert part.array.shape == (len(part.rows), len(part.columns)) == (len(rows), len(columns))
    for r, row in enumerate(rows):
        for c, column in enumerate(columns):
            assert part.index(r, c) == whole.index(row, column)
            assert part.at(part.index(r, c)) == (r, c)
            assert part.values[r, c] == view.values[whole.place.node][part.index(r, c)]
    left_out = set(range(whole.array.shape[1])) - set(columns)
    for column in left_out:
        assert part.at(whole.index(rows[0], column)) == (0, -1)


def test_where_numbers_are_to_be_changed_no_table_is_shown_in_part():
    view, step = seen("sin", "corners")
    made = next(one for name in LESSONS for one in walk_of(name).lesson.steps if isinstance(one.question, MakeSo))
    assert any(one.kept for one in only(view, step).values())
    assert not any(one.kept for one in only(view, replace(step, question=made.question)).values())


def test_of_columns_of_a_page_the_first_list_is_shown(desk):
    """Both beside each other could not be read on a slide."""
    made = desk("tiny-gpt")
    (shown,) = excerpt(made.page("generation.heads").page, made.view.graph)
    assert isinstance(shown, Listing)
    assert shown.id == "all scores"


def test_the_former_numbers_do_not_tell_one_that_is_asked_for():
    """A step changes one row and asks for a number of another: its former matrix showed that number."""
    document = Document(load("translation-lookup").state())
    before = View.of(document)
    document.do(SetCells("Q", {(1, 0): 7.0}))
    view = View.of(document)
    asked, changed = (0, 0), (1, 0)
    looking = replace(view.looking, covered=Covered({"scores": frozenset({asked, changed})}))
    view, before = (replace(one, looking=looking) for one in (view, before))
    was = _before(matrix(view, "scores"), before)
    assert was.covered == {asked}


def odd(state):
    """A state, and what a person may make of it: with texts that are shorter and longer, and numbers out of hand."""
    yield state
    for most in (1, 2, 9):
        words = {sequence: list(state.graph.labels(sequence, state.inputs)) for sequence in state.graph.sequences}
        with suppress(ExplorerError):
            yield reduce(lambda now, one: SetTokens(one, tuple((9 * words[one])[:most])).apply(now), words, state)
    node = next(name for name, one in state.graph.nodes.items() if one.is_input and not one.op.whole)
    for number in (np.nan, 1e200):
        with suppress(ExplorerError):
            yield SetCells(node, {(0,) * len(state.graph.shape(node)): number}).apply(state)


def told(act, *of):
    """What a function gives; None where a person is told why there is nothing."""
    with suppress(ExplorerError):
        return act(*of)


@pytest.mark.long
@pytest.mark.parametrize("name", [one.id for one in catalogue() if one.steps])
def test_every_step_and_page_is_made_of_every_text_and_number(name):
    walk, before = Walk(load(name)), None
    for at, step in enumerate(walk.lesson.steps):
        for state in odd(walk.state(at)):
            spot = Spot(step.look.node, step.look.rows, step.look.columns) if step.look.node else None
            view = told(lambda state=state, spot=spot: View.of(Document(state), Looking(spot=spot)))
            if view is None:
                continue
            told(elements_of, view, step)
            asked = [told(cells, view, step.question) for cells in (right_cells, asked_cells)]
            for cell in {told(first_cell, view, step), *chain.from_iterable(filter(None, asked))} - {None}:
                told(inspected, view, cell, {})
            for stage in places(state.graph) if walk.state(at) is not before else ():
                told(compose.page, view, stage)
        before = walk.state(at)
