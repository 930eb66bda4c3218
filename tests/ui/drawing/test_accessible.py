"""A screen reader meets each block of a whole as a child of the drawing, with its name and summary."""

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from explorer.document.commands import SetCells
from explorer.pages.drawing import Box
from explorer.pages.levels import WHOLE
from explorer.ui.drawing.view import DrawingView

Text = QAccessible.Text


@pytest.fixture
def picture(open_window, eye):
    window = open_window("you-are-welcome")
    page = eye.go_to(window, WHOLE.name)
    (found,) = page.findChildren(DrawingView)
    return found


def met(picture):
    return QAccessible.queryAccessibleInterface(picture)


def children(picture):
    whole = met(picture)
    return [whole.child(k) for k in range(whole.childCount())]


def test_each_block_is_a_child_with_name_summary_and_place(picture):
    boxes = [mark for mark in picture.drawing.marks if isinstance(mark, Box) and mark.leads is not None]
    found = children(picture)
    assert [one.text(Text.Name) for one in found] == [box.name for box in boxes]
    assert [one.text(Text.Description) for one in found] == [box.tip.replace("\n", ", ") for box in boxes]
    attention = next(one for one in found if one.text(Text.Name).startswith("Encoder 1: Self-attention"))
    assert "96 parameters" in attention.text(Text.Description)
    assert met(picture).text(Text.Name) == picture.drawing.summary
    for one in found:
        assert picture.window().geometry().contains(one.rect())
        middle = one.rect().center()
        assert met(picture).childAt(middle.x(), middle.y()).rect().contains(middle)


def test_the_keys_are_seen_at_one_of_them(picture):
    assert not any(one.state().focused for one in children(picture))
    picture.setFocus()
    for _ in range(3):
        QTest.keyClick(picture, Qt.Key.Key_Right)
    (focused,) = [one for one in children(picture) if one.state().focused]
    assert focused.text(Text.Name) == picture.drawing.marks[picture._marks.here].name
    assert met(picture).focusChild() is focused


def test_a_drawing_that_is_gone_has_none(picture):
    first = children(picture)[0]
    assert first.isValid()
    shiboken6.delete(picture)
    assert not first.isValid()
    assert first.text(Text.Name) == ""
    assert first.state().invalid


def test_a_picture_that_nobody_sees_is_made_for_a_screen_reader(open_window, eye):
    window = open_window("you-are-welcome")
    page = eye.go_to(window, "encoder.1.self.attention")
    plane = page.elements.widgets["plane of encoder.1.self.moved"]
    assert plane.visibleRegion().isEmpty()
    before, said = plane.picture.drawing, met(plane.picture).text(Text.Name)
    window.bench.document.do(SetCells("encoder.1.self.head.1.W_V", {(0, 0): 2.5}))
    window.bench.bridge.flush()
    assert plane.picture.drawing is before
    assert met(plane.picture).text(Text.Name) != said
    assert met(plane.picture).text(Text.Name) == plane.data.drawing.summary
    assert plane.picture.drawing != before


def test_a_picture_that_nobody_sees_is_made_when_one_scrolls_to_it(open_window, eye, qtbot):
    window = open_window("you-are-welcome")
    page = eye.go_to(window, "encoder.1.self.attention")
    plane = page.elements.widgets["plane of encoder.1.self.Q"]
    window.bench.document.do(SetCells("encoder.1.self.head.1.W_Q", {(0, 0): 2.5}))
    window.bench.bridge.flush()
    assert "drawing" not in vars(plane.data)
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: plane.picture.drawing == plane.data.drawing)
    seen = plane.data
    window.bench.document.do(SetCells("encoder.1.self.head.1.W_Q", {(0, 0): -1.5}))
    window.bench.bridge.flush()
    assert plane.data is not seen
    assert plane.picture.drawing == plane.data.drawing
