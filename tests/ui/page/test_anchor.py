"""What is under the pointer stays where it is, whatever comes and goes above it on the page."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest

from explorer.lessons.document_lesson import opened
from explorer.lessons.schema import WHOLE
from explorer.pages import compose
from explorer.pages.page import Note
from explorer.ui.page.pictures import Filling
from explorer.ui.training.parts import Stepper
from tests.checkpoints.small import write
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures")
NOTE = "comes and goes"
SAID = "This paragraph stands on the page only as long as no step has been taken. " * 6


@pytest.fixture
def learning(open_window, eye, monkeypatch):
    """The page of the cat's loss with a paragraph that goes with the first step; its controls, and their place."""
    loss = compose.KINDS["loss"]

    def elements(view, stage):
        return *((Note(NOTE, SAID),) if view.given else ()), *loss.elements(view, stage)

    monkeypatch.setitem(compose.KINDS, "loss", replace(loss, elements=elements))

    def open_it(height):
        window = open_window("cat-sat-on-the")
        window.resize(1280, height)
        page = eye.go_to(window, "loss")
        (stepper,) = [one for one in page.findChildren(Stepper) if one.isVisible()]
        assert NOTE in page.elements.widgets
        return page, stepper

    return open_it


def place(button):
    return QRect(button.mapTo(button.window(), QPoint()), button.size())


@pytest.mark.parametrize(("height", "scrolled"), [(720, 100_000), long(720, 440), (500, 600), (1500, 0)])
def test_a_button_is_hit_again_where_a_paragraph_above_it_goes_and_comes(learning, hand, eye, height, scrolled):
    page, stepper = learning(height)
    window = page.window()
    # Where a new part of a page has its place at first: it is not what the pointer is at.
    QCursor.setPos(page.elements.mapToGlobal(QPoint(5, 5)))
    page.verticalScrollBar().setValue(scrolled)
    for button, there in (
        (stepper.widgets["one"], False),
        (stepper.widgets["one"], False),
        (stepper.widgets["back"], False),
        (stepper.widgets["back"], True),
    ):
        page.ensureWidgetVisible(button)
        hand.hover(button)
        eye.settle(window)
        before = place(button)
        hand.click(button)
        eye.settle(window)
        assert place(button) == before
        assert (NOTE in page.elements.widgets) == there


def test_who_scrolls_takes_the_page_along(learning, hand, eye):
    page, stepper = learning(1500)
    hand.hover(stepper.widgets["one"])
    hand.click(stepper.widgets["one"])
    eye.settle(page.window())
    assert page.elements.contentsMargins().top() > page.bench.appearance.px(10)  # there is nothing to scroll
    hand.wheel(page.elements.widgets["about the terms"], notches=-1)
    eye.settle(page.window())
    assert page.elements.contentsMargins().top() == page.bench.appearance.px(10)


def test_a_key_leaves_no_empty_room_wherever_the_pointer_rests(learning, hand, eye):
    """After Ctrl+Z a page began with an empty strip, because the pointer rested on one of its parts."""
    page, stepper = learning(1500)
    hand.hover(stepper.widgets["one"])
    usual = page.bench.appearance.px(10)
    hand.click(stepper.widgets["one"])
    eye.settle(page.window())
    assert page.elements.contentsMargins().top() > usual
    for key in (Qt.Key.Key_Z, Qt.Key.Key_Y):
        hand.key(key, Qt.KeyboardModifier.ControlModifier)
        eye.settle(page.window())
        assert (NOTE in page.elements.widgets) == (key == Qt.Key.Key_Z)
        assert page.elements.contentsMargins().top() == usual


def test_a_page_that_is_left_gives_its_room_back(learning, hand, eye):
    page, stepper = learning(1500)
    hand.click(stepper.widgets["one"])
    eye.settle(page.window())
    eye.go_to(page.window(), "output")
    assert page.elements.contentsMargins().top() == page.bench.appearance.px(10)


def test_a_picture_that_fills_the_page_does_so_wherever_the_pointer_is(open_window, eye, tmp_path):
    """It got less room with each turn, and its words were cut."""
    window = open_window("you-are-welcome", stage=WHOLE)
    window.resize(1280, 720)
    eye.settle(window)
    (place,) = window.page().findChildren(Filling)
    QTest.mouseMove(window.windowHandle(), place.mapTo(window, place.rect().center()))
    assert place.underMouse()
    window.bench.open_state(*opened(write(tmp_path)))
    window.bench.document.settle()
    window.bench.bridge.flush()
    page = eye.go_to(window, WHOLE)
    (place,) = page.findChildren(Filling)
    assert page.verticalScrollBar().maximum() == 0
    assert place.mapTo(page, place.rect().bottomLeft()).y() > page.height() - 40
