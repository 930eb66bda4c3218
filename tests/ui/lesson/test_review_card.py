"""The page of lessons says what comes again, and asks it."""

from datetime import date, timedelta

import pytest
from PySide6.QtCore import QPoint

from explorer.lessons.loader import load
from explorer.lessons.progress import QUESTIONS_AGAIN, ProgressFolder
from explorer.lessons.replay import right_answer
from explorer.settings import Settings
from explorer.ui.lesson.review_card import MOST, AgainCard
from explorer.ui.widgets.labels import SteadyLabel

pytestmark = pytest.mark.usefixtures("no_pictures")
LESSONS = ("softmax", "two-vectors")


@pytest.fixture
def folder(tmp_path):
    """Yesterday a question of softmax was answered wrongly, and one of two vectors after a hint."""
    folder = ProgressFolder(tmp_path / "progress")
    *_, opening = (folder.open(date.today() - timedelta(days)) for days in range(6, 0, -1))
    steps = [next(step.id for step in load(id).steps if step.question) for id in LESSONS]
    folder.save(folder.load("softmax").answered(steps[0], False, opening=opening).at(steps[0]))
    progress = folder.load("two-vectors").answered(steps[1], False, hints=1, opening=opening - 5)
    folder.save(progress.answered(steps[1], True))
    return folder


def test_a_question_of_another_day_is_asked_once_more(open_window, folder, tmp_path, qtbot):
    window = open_window("emma", settings=Settings(tmp_path))
    window.lessons.show_lessons()
    again = window.lessons.page().again
    qtbot.waitUntil(lambda: len(again.buttons) == len(LESSONS), timeout=20_000)  # lessons are read one by one
    titles = [button.accessibleName().rpartition(", of ")[2] for button in again.buttons]
    assert titles == [load(id).title for id in LESSONS]
    again.buttons[0].click()
    guide = window.lessons.guide
    assert guide.lesson.id == "softmax"
    assert guide.question is not None
    step = guide.step.id
    guide.answer(right_answer(guide.question, guide.walk.state(guide.at), guide.walk.engine(guide.at)))
    assert folder.load("softmax").answers[step].again == 1
    assert folder.due(date.today()) == []


def test_a_test_says_how_much_was_right_once_all_is_answered(open_window, tmp_path, qtbot):
    folder, lesson = ProgressFolder(tmp_path / "progress"), load("ten-questions-before")
    progress = folder.load(lesson.id)
    for number, step in enumerate(lesson.steps):
        progress = progress.answered(step.id, number % 2 == 0).at(step.id)
    folder.save(progress)
    window = open_window("emma", settings=Settings(tmp_path))
    window.lessons.show_lessons()
    card = window.lessons.page().cards[lesson.id]
    qtbot.waitUntil(lambda: "right" in card._said.text(), timeout=20_000)
    assert card._said.text() == "10 steps · about 12 minutes · ✓ gone through · 5 of 10 right · 5 to revisit"


@pytest.fixture
def card(open_window, qtbot):
    window = open_window("emma")

    def made(folder):
        card = AgainCard(window.bench, folder)
        qtbot.addWidget(card)
        return card

    return made


def test_nothing_is_said_where_there_is_nothing(card, tmp_path):
    for folder in (ProgressFolder(tmp_path / "none"), None):
        empty = card(folder)
        empty.show_lessons({"softmax": load("softmax")})
        assert empty.isHidden()


def test_a_long_list_is_cut(card, tmp_path):
    lesson, folder = load("two-vectors"), ProgressFolder(tmp_path / "progress")
    progress = folder.load(lesson.id)
    asked = [step.id for step in lesson.steps if step.question]
    for step in asked:
        progress = progress.answered(step, False)
    folder.save(progress)
    long = card(folder)
    long.show_lessons({lesson.id: lesson})
    assert len(long.buttons) == QUESTIONS_AGAIN + MOST
    said = [label.text() for label in long.findChildren(SteadyLabel)]
    assert f"… and {len(asked) - len(long.buttons)} more" in said
    long.show_lessons({})
    assert long.buttons == []


def test_what_comes_again_can_be_read_folded_and_unfolded(open_window, folder, tmp_path, qtbot):
    window = open_window("emma", settings=Settings(tmp_path))
    window.resize(1280, 720)
    window.lessons.show_lessons()
    again = window.lessons.page().again
    qtbot.waitUntil(lambda: len(again.buttons) == len(LESSONS), timeout=20_000)
    qtbot.waitUntil(lambda: again.fold.height() >= again.fold.sizeHint().height())  # it was 10 pixels high: empty
    again.fold.click()

    def lines():
        return [button.parentWidget() for button in again.buttons]

    qtbot.waitUntil(lambda: all(line.isVisible() and line.y() > 0 for line in lines()))
    for line, button in zip(lines(), again.buttons, strict=True):
        assert line.rect().contains(button.geometry()), "a button is cut"
    assert again.fold.mapTo(again, again.fold.rect().bottomLeft()).y() < lines()[0].mapTo(again, QPoint()).y()
