"""Lessons are gone through in the window, each once: to open it anew for each question is too slow.

Few that have between them all that a step can be, and of these the steps that no other is like; with `-m long` all
that come along. What they ask and answer is replayed for all of them without a window
(`tests/lessons/test_replay.py`).

Each step is shown and each question answered; what is pressed again and again stays where it is: the buttons in each
turn of each step, and a hint comes below what asks for it.
"""

from contextlib import suppress
from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication

from explorer.core.errors import ExplorerError
from explorer.document.commands import Replace, SetTokens
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.mistakes import mistakes
from explorer.lessons.replay import right_answer
from explorer.lessons.schema import Choose, MakeSo, Predict
from tests.samples import few, long, steps, traits, traits_of

pytestmark = pytest.mark.usefixtures("no_pictures", "kept")
GUIDED = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]


def answers(question, walk, at):
    """As many wrong numbers as there are tries, or the wrong choices, and the right answer."""
    state, engine = walk.state(at), walk.engine(at)
    match question:
        case Predict():
            wrong = next(mistakes(engine, question.node, question.cell, question.digits, question.of), None)
            if wrong is not None and at % 2:
                return [wrong.value + 1000, wrong.value + 2000, wrong.value]
        case Choose():
            wrong = [i for i, choice in enumerate(question.choices) if not choice.right]
            return [*wrong, right_answer(question, state, engine)]
    return [right_answer(question, state, engine)]


def show(window):
    """Make the page whole and paint the window; not all parts need have come to rest."""
    window.page()
    QApplication.processEvents()


def place(button):
    return QRect(button.mapTo(button.window(), QPoint()), button.size())


@pytest.fixture
def lesson(anew):
    """Opens a lesson at its first step, in the smallest usual window, and says where its buttons stand."""

    def open_it(name):
        window = anew(lesson=name, step=0, size=(1280, 720))
        panel = window.lessons.panel
        return window, panel, lambda: (place(panel._next), place(panel._head.widgets["back"]))

    return open_it


def turn_by_turn(places, before, said=""):
    """The words, the question and their panel get their heights in turns."""
    for _ in range(4):
        QApplication.processEvents()
        assert places() == before, said


FEW = few(GUIDED, traits, steps)


def telling_steps():
    """Of the few lessons the steps with a trait that none before them has, and of each lesson the first three."""
    seen, found = set(), {}
    for (name,) in (case.values for case in FEW if not case.marks):
        found[name] = set()
        for at, step in enumerate(load(name).steps):
            if at < 3 or not seen.issuperset(traits_of(step)):
                found[name].add(step.id)
                seen.update(traits_of(step))
    return found


TELLING = telling_steps()


@pytest.mark.parametrize("name", FEW)
def test_each_step_is_shown_and_each_question_answered(lesson, eye, hand, qtbot, name):
    window, panel, places = lesson(name)
    guide, document = window.lessons.guide, window.bench.document
    before, hinted = places(), longest_hints(guide.steps)
    for at, step in enumerate(guide.steps):
        if name in TELLING and step is not hinted and step.id not in TELLING[name]:
            continue
        if at:
            panel.go(guide.next if guide.at == at - 1 else partial(guide.go, at))
            turn_by_turn(places, before, step.id)
        show(window)
        assert document.state is guide.walk.state(at)
        assert panel.isVisible()
        if step is hinted:
            look_at_hints(window, eye, hand, qtbot)
        for answer in answers(step.question, guide.walk, at) if step.question is not None else ():
            if isinstance(step.question, MakeSo):
                document.do(Replace(answer, "Make it so"))
                window.bench.bridge.flush()
                guide.look_whether_made()
            else:
                guide.answer(answer)
        show(window)
        assert guide.question is None
    for _ in range(3):
        panel.go(guide.back)
        turn_by_turn(places, before)
    guide.go(0)
    eye.settle(window)
    assert document.state is guide.walk.state(0)


@pytest.mark.parametrize("name", ["jump", *map(long, GUIDED)])
def test_the_buttons_stay_where_no_question_is_answered(lesson, name):
    window, panel, places = lesson(name)
    before = places()
    for step in window.lessons.guide.steps[1:]:
        panel.go(window.lessons.guide.next)
        turn_by_turn(places, before, step.id)


@pytest.mark.long
@pytest.mark.parametrize("name", GUIDED)
def test_all_hints_come_below_what_asks_for_them(lesson, eye, hand, qtbot, name):
    window, *_ = lesson(name)
    for at, step in enumerate(window.lessons.guide.steps):
        if asks_for_hints(step):
            window.lessons.guide.go(at)
            look_at_hints(window, eye, hand, qtbot)


def asks_for_hints(step):
    return step.question is not None and not getattr(step.question, "fresh", False)


def longest_hints(steps):
    """The step whose hints take the most room; in a long test they all are looked at."""
    asking = [step for step in steps if asks_for_hints(step)]
    return max(asking, key=lambda step: sum(map(len, step.question.hints)), default=None)


def look_at_hints(window, eye, hand, qtbot):
    """Ask for all hints of the step that one is at; what asks for one does not move."""
    guide, panel = window.lessons.guide, window.lessons.panel
    more = panel._page.widgets["more"]

    eye.settle(window)
    while more.isVisible():
        hand.hover(more)
        before, asked = place(more), guide.attempt.hints
        hand.click(more)
        eye.settle(window)
        assert guide.attempt.hints == asked + 1
        scrolls = panel._scroll.verticalScrollBar().maximum() > 0  # there is no room for the hint below it
        assert scrolls or not more.isVisible() or place(more).topLeft() == before.topLeft(), guide.step.id


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in GUIDED if load(name).needed is None])
def test_each_step_bears_a_sentence_of_one_word(open_window, eye, name):
    """A question may ask for a number that is gone; taking words out ended in an error in four lessons."""
    window = open_window()
    window.lessons.begin(name, True)
    guide, document = window.lessons.guide, window.bench.document
    for number, step in enumerate(guide.lesson.steps):
        guide.go(number)
        eye.settle(window)
        for sequence in document.wanted.graph.sequences:
            with suppress(ExplorerError):  # a sentence may have its length
                document.do(SetTokens(sequence, document.words(sequence)[:1]))
        document.settle()
        window.bench.bridge.flush()
        eye.settle(window)
        if isinstance(step.question, Predict):
            guide.hint()
            guide.answer(7.7)
            eye.settle(window)
            guide.reveal()
        eye.settle(window)
        assert not window.grab().isNull()
        assert guide.at == number
