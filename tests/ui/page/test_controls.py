"""Controls of a page: what is done looks like a button, what leads elsewhere like a link."""

import pytest
from PySide6.QtCore import Qt

from explorer.pages.gestures import GoTo, Keep
from explorer.pages.page import Button
from explorer.ui.page.controls import ButtonView


@pytest.mark.parametrize(("asks", "link"), [(Keep("x", 1), None), (GoTo("model"), "true")])
def test_what_is_done_looks_like_a_button(bench, qtbot, asks, link):
    view = ButtonView(bench, Button("go", "Go", asks))
    qtbot.addWidget(view)
    assert view.property("link") == link


def test_a_button_that_cannot_be_used_now_says_so(bench, qtbot):
    view = ButtonView(bench, Button("go", "Go", Keep("x", 1), on=False))
    qtbot.addWidget(view)
    assert not view.isEnabled()
    view.tell(Button("go", "Go", Keep("x", 1)))
    assert view.isEnabled()


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_a_button_is_pressed_by_keys(bench, qtbot, key):
    view = ButtonView(bench, Button("go", "Go", Keep("x", 3)))
    qtbot.addWidget(view)
    qtbot.keyClick(view, key)
    assert bench.view.looking.choices["x"] == 3
