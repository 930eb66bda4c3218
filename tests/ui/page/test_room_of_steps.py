"""What the steps of all lessons name is never cut where it would fit: as large as there is room for, and no larger."""

from contextlib import contextmanager
from functools import lru_cache

import pytest
from PySide6.QtWidgets import QWidget

from explorer.document.document import Document
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.schema import states_of
from explorer.pages import compose
from explorer.pages.levels import stops
from explorer.pages.steps.covering import covered_by
from explorer.pages.steps.of_step import ELSEWHERE, lit_by_step
from explorer.pages.view import Spot
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.form import SIZES
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page.column import Elements
from explorer.ui.page.emphasis import Trials
from explorer.ui.selection import Selection
from explorer.ui.turns import Bridge
from explorer.ui.widgets.formula import typeset
from explorer.ui.workbench import Workbench
from tests.samples import long

GUIDED = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]
SHORT = "jane", "softmax"
ROOMS = (934, 635), (1094, 815)
"""Of the page of a step in a window of 1280 × 720 and of 1600 × 900."""
FEW = 6
"""Columns that fit into any of these rooms: to lay out what has no more would be in vain."""


@pytest.fixture
def laid_out(appearance, qtbot):
    """Lays out the page of a step, without a window, in some room; gives the boxes of what it names."""
    typeset("x")  # else headings are measured otherwise later

    @contextmanager
    def lay_out(lesson, state, step):
        document, parent = Document(state), QWidget()
        selection = Selection(document, parent)
        bench = Workbench(document, Bridge(document, parent), selection, appearance, lesson)
        selection.set_head(step.head)
        selection.choose_token(step.look.token)
        look = step.look
        question = step.question
        goals = () if question is None else tuple(node for node, _ in question.goals)
        beside = look.beside + (() if question is None else question.allowed)
        spot = Spot(look.node, look.rows, look.columns, beside, goals) if look.node else None
        selection.speak_of(spot, covered_by(bench.view, step.question))
        try:
            yield bench, parent
        finally:
            bench.bridge.close()
            document.close()
            parent.deleteLater()

    return lay_out


@lru_cache
def lesson_of(name):
    lesson = load(name)
    return lesson, states_of(lesson)


def boxes_of(bench, parent, step, rooms, few=FEW):
    """The boxes of what a step names, in each room; none where all of it is narrow."""
    name = ELSEWHERE.get(step.look.stage, step.look.stage)
    stage = next((one for one in stops(bench.view.graph) if one.name == name), None)
    page = None if stage is None else compose.page(bench.view, stage)
    lit = None if page is None else lit_by_step(page, bench.view, step)
    if not lit:
        return
    elements = Elements(bench, bench.appearance.px(12))
    elements.setParent(parent)
    elements.setContentsMargins(20, 10, 12, 16)
    elements.tell((page.header, *page.elements))
    named = [one for id, one in elements.widgets.items() if id in lit.named and isinstance(one, MatrixBox)]
    if all(len(box.matrix.columns) <= few for box in named):
        return
    elements.enlarge(lit)
    for room in rooms:
        elements.share_room(*room)
        yield room, named, lit


def is_cut(box, hero):
    """Whether not all of it is in sight, though it would be if it were no larger than usual.

    Where an equation has no room for all that is named in it, another one than that which is asked is a small picture.
    """
    if box.view.extent.whole and not box.small:
        return False
    box.be(times=1.0)
    fits = any(box.view.fits(size, box.form) for size in SIZES)
    return fits and (not box.small or hero == {box.matrix.id})


@pytest.mark.parametrize("name", [name if name in SHORT else long(name) for name in GUIDED])
def test_nothing_that_a_step_names_is_cut_where_it_would_fit(laid_out, name):
    lesson, states = lesson_of(name)
    for at, step in enumerate(lesson.steps):
        with laid_out(lesson, states[at], step) as (bench, parent):
            for room, boxes, lit in boxes_of(bench, parent, step, ROOMS):
                for box in boxes:
                    assert not is_cut(box, lit.hero), (step.id, box.matrix.name, room)


def test_long_labels_are_read_upwards_where_only_so_all_columns_are_in_sight_or_more_of_them(laid_out):
    lesson, states = lesson_of("jane")
    seen = []
    with laid_out(lesson, states[0], lesson.steps[0]) as (bench, parent):
        for _, (box,), _ in boxes_of(bench, parent, lesson.steps[0], (*ROOMS, (1900, 1100), (640, 520))):
            seen.append((box.view.extent.whole, box.view.letters.upright))
    assert seen == [(True, True), (True, True), (True, False), (False, True)]


@pytest.mark.parametrize(
    ("name", "id", "larger"),
    [
        ("emma", "score", {"Q": 1.0, "K": 1.0, "scores": 1.2}),
        # The patterns of places and their dot products, with two pictures between them: 1,158 pixels of 635.
        ("positions-cat-mat", "distance-all-missing", {"input.PE": 1.0, "input.likeness": 1.4}),
    ],
)
def test_where_there_is_no_room_for_all_to_be_larger_the_asked_one_is(laid_out, name, id, larger):
    lesson, states = lesson_of(name)
    at = next(i for i, step in enumerate(lesson.steps) if step.id == id)
    with laid_out(lesson, states[at], lesson.steps[at]) as (bench, parent):
        ((_, boxes, _),) = boxes_of(bench, parent, lesson.steps[at], ROOMS[:1], few=0)
        times = {box.matrix.name: box.form.times for box in boxes}
    assert times == larger


def test_numbers_do_not_outweigh_the_picture_that_a_step_is_about(laid_out):
    """Beside the arrows of *Two vectors* the formula of the angle was the largest thing on the page."""
    lesson, states = lesson_of("two-vectors")
    with laid_out(lesson, states[0], lesson.steps[0]) as (bench, parent):
        ((_, boxes, _),) = boxes_of(bench, parent, lesson.steps[0], ROOMS[:1], few=0)
        assert {box.matrix.name: box.form.times for box in boxes} == {"x": 1.0, "angle": 1.0}


def test_all_numbers_that_a_step_lets_one_change_are_in_sight(laid_out):
    """Of the bias, two of eight numbers were in sight, and the word that was spoken of was not."""
    lesson, states = lesson_of("you-are-welcome")
    at = next(i for i, step in enumerate(lesson.steps) if step.id == "choose")
    with laid_out(lesson, states[at], lesson.steps[at]) as (bench, parent):
        for room, boxes, _ in boxes_of(bench, parent, lesson.steps[at], [*ROOMS, (700, 500)], few=0):
            seen = {box.matrix.name: (box.small, box.view.extent.columns) for box in boxes}
            assert seen["output.b"] == seen["output.W"] == (False, 8), room


def test_a_named_matrix_that_is_wider_than_a_line_has_a_line(laid_out):
    """Of 32 columns three were in sight, beside two small pictures."""
    lesson, states = lesson_of("changed-since-2017")
    at = next(i for i, step in enumerate(lesson.steps) if step.id == "rms")
    with laid_out(lesson, states[at], lesson.steps[at]) as (bench, parent):
        for room, boxes, _ in boxes_of(bench, parent, lesson.steps[at], ROOMS, few=0):
            (norm,) = [box for box in boxes if box.matrix.name == "decoder.1.self.norm"]
            assert norm.view.extent.width > 0.8 * room[0], room


def test_long_words_above_the_columns_of_a_named_matrix_do_not_push_columns_out_of_sight(laid_out):
    """Troy, the seventh of eleven words, was out of sight where the step compares Marcus with him."""
    lesson, states = lesson_of("what-a-trained-head-does")
    with laid_out(lesson, states[1], lesson.steps[1]) as (bench, parent):
        for _, boxes, _ in boxes_of(bench, parent, lesson.steps[1], [(690, 480)], few=0):
            (weights,) = [box for box in boxes if box.matrix.spot is not None]
            assert weights.view.extent.columns >= 7


def test_ways_to_stand_are_tried_without_moving_a_widget(laid_out, monkeypatch):
    """Each try laid out the page: up to fifteen of them held the window for half a second."""
    tried, stood = [], []
    for of, name, calls in ((Trials, "stand", tried), (MatrixView, "_stand", stood)):
        done = getattr(of, name)
        monkeypatch.setattr(of, name, lambda self, *how, done=done, calls=calls: calls.append(self) or done(self, *how))
    lesson, states = lesson_of("emma")
    at = next(i for i, step in enumerate(lesson.steps) if step.id == "make")
    with laid_out(lesson, states[at], lesson.steps[at]) as (bench, parent):
        for _ in boxes_of(bench, parent, lesson.steps[at], ROOMS[:1], few=0):
            assert len(tried) > 10
            assert len(stood) <= 2 * len(set(stood)), "each stands as it is made, and once as it is decided"


def test_in_large_text_what_a_step_names_is_smaller_where_it_would_not_be_in_sight_at_once(laid_out, appearance):
    """At 200 %, the weights and what they make took 551 of 486 pixels; letters stay larger than those of 100 %."""
    appearance.set_scale(2.0)
    lesson, states = lesson_of("you-are-welcome")
    at = next(i for i, step in enumerate(lesson.steps) if step.id == "concat")
    with laid_out(lesson, states[at], lesson.steps[at]) as (bench, parent):
        for (width, height), boxes, _ in boxes_of(bench, parent, lesson.steps[at], [(640, 486)], few=0):
            elements = parent.findChild(Elements)
            sharing = elements._sharing
            found = {
                one.id: rect.translated(place.topLeft())
                for element, place in elements.places(width)
                for one, rect in sharing.places(element, width)
                if one.id in {box.matrix.id for box in boxes}
            }
            assert len(found) == 2
            assert max(rect.bottom() for rect in found.values()) - min(rect.top() for rect in found.values()) < height
            assert all(0.5 < box.form.times < 1 for box in boxes)
