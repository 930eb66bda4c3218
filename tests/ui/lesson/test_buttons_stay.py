"""What is pressed again and again stays where it is: over all steps of all lessons."""

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication

from explorer.lessons.loader import lesson_files, load

pytestmark = pytest.mark.usefixtures("no_pictures")
GUIDED = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]


def place(button):
    return QRect(button.mapTo(button.window(), QPoint()), button.size())


@pytest.mark.parametrize("name", GUIDED)
def test_next_and_back_stand_where_they_were_in_each_turn_of_each_step(open_window, eye, name):
    window = open_window(load(name))
    window.resize(1280, 720)
    window.lessons.guide.go(0)
    eye.settle(window)
    panel = window.lessons.panel
    buttons = panel._next, panel._back
    before = [place(button) for button in buttons]
    for at in range(1, len(window.lessons.guide.steps)):
        panel.go(window.lessons.guide.next)
        for _ in range(4):  # the words, the question and their panel get their heights in turns
            QApplication.processEvents()
            assert [place(button) for button in buttons] == before, at + 1
    for _ in range(3):
        panel.go(window.lessons.guide.back)
        QApplication.processEvents()
        assert [place(button) for button in buttons] == before


@pytest.mark.parametrize("name", GUIDED)
def test_a_hint_comes_below_what_asks_for_it(open_window, eye, hand, qtbot, name):
    window = open_window(load(name))
    window.resize(1280, 720)
    guide, panel = window.lessons.guide, window.lessons.panel
    more = panel._question._more

    def settle():
        eye.settle(window)
        qtbot.waitUntil(lambda: not (panel._turns or panel._fitted.isActive() or panel._seek.isActive()))

    for at, step in enumerate(guide.steps):
        if step.question is None or getattr(step.question, "fresh", False):
            continue
        guide.go(at)
        settle()
        while more.isVisible():
            hand.hover(more)
            before, asked = place(more), guide.attempt.hints
            hand.click(more)
            settle()
            assert guide.attempt.hints == asked + 1
            scrolls = panel._scroll.verticalScrollBar().maximum() > 0  # there is no room for the hint below it
            assert scrolls or not more.isVisible() or place(more).topLeft() == before.topLeft(), step.id
