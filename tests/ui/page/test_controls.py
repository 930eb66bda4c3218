"""Controls of a page: what is done looks like a button, what leads elsewhere like a link."""

from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from explorer.lessons.document_lesson import new_lesson
from explorer.pages.controls import Button, Check, Choice, Field, Form, Number
from explorer.pages.gestures import GoTo, Keep, Switch
from explorer.ui.page.column import Elements
from explorer.ui.page.controls import ButtonView, NumberView


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


def test_the_controls_of_a_form_begin_and_end_in_one_line_also_if_it_gets_wider(bench, show):
    options = ("short", "an option of several words that is longer than the page is wide")
    controls = (
        Choice("how", "How", options, 0, (Keep("how"),), listed=True),
        Field("rate", "Learning rate", "0.1", Keep("rate"), Keep("rate"), 9, width=60),
        Number("steps", "Steps", 5, 0, 9, Keep("steps")),
    )
    page = show(Elements(bench, 4))
    page.tell((Form("form", controls),))
    for width in (320, 460):
        page.setFixedWidth(width)
        page.share_room(width - 8)  # as with room for a scroll bar that is not there
        QApplication.processEvents()
        inside = [page.widgets["how"].control, page.widgets["rate"].edit, page.widgets["steps"].box]
        ends = [(one.mapTo(page, QPoint(0, 0)).x(), one.mapTo(page, QPoint(one.width(), 0)).x()) for one in inside]
        assert len(set(ends)) == 1, ends
        assert ends[0][1] <= width


def test_what_has_no_room_behind_its_words_stands_below_them(bench, show):
    """In large text beside a step, the slider of top-p ended outside the page, and a switch's words were cut."""
    controls = (
        Number("top-p", "Top-p", 90, 1, 100, Keep("p"), "Top-p in per cent", "%", drags=True),
        Choice("after", "After the word", ("<start>", "nada"), 1, (Keep("after"),), listed=True),
        Check("shrinks", "Shrinks from one whole pair to another", True, Keep("shrinks")),
        Field("base", "Base of its own", "10000", Keep("base"), Keep("base"), 9, width=80),
    )
    page, heights = show(Elements(bench, 4)), []
    page.tell(controls)
    for width in (600, 240, 160):
        page.setFixedWidth(width)
        page.share_room(width)
        QApplication.processEvents()
        heights.append([page.widgets[one.id].height() for one in controls])
        for one in controls:
            widget = page.widgets[one.id]
            parts = [part.geometry() for part in widget.children() if isinstance(part, QWidget) and part.isVisible()]
            assert widget.geometry().right() < width, (width, one.id)
            assert all(widget.rect().contains(part) for part in parts), (width, one.id)
            assert not any(a.intersects(b) for a, b in combinations(parts, 2)), (width, one.id)
    assert all(wide < narrow for wide, narrow in zip(heights[0], heights[2], strict=True))


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_digits_of_a_form_end_in_one_line(bench, appearance, show, scale):
    """A typed 0.1 stood at the left, above the 500 of a box at the right."""
    appearance.set_scale(scale)
    controls = (
        Field("rate", "Learning rate", "500", Keep("rate"), Keep("rate"), 9, width=60, number=True),
        Number("steps", "Steps", 500, 0, 900, Keep("steps")),
    )
    page = show(Elements(bench, 4))
    page.tell((Form("form", controls),))
    page.setFixedWidth(320)
    QApplication.processEvents()
    ends = []
    for one in (page.widgets["rate"].edit, page.widgets["steps"].box):
        ink = one.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        lines = range(ink.height() // 4, ink.height() * 3 // 4)
        room = range(ink.width() // 3, ink.width() - appearance.px(20))  # without the arrows of the box
        ends.append(max(x for x in room for y in lines if ink.pixelColor(x, y).lightness() < 128))
    assert abs(ends[0] - ends[1]) <= 1


def test_a_word_stays_whole_on_a_button(bench, qtbot):
    view = ButtonView(bench, Button("append", "Append “R&D”", Keep("x", 1)))
    qtbot.addWidget(view)
    assert view.text() == "Append “R&&D”"
    assert view.accessibleName() == "Append “R&D”"


def test_tab_reaches_what_was_made_later_where_it_stands(bench, show):
    """The box of a text on the page "Train" came after all that stands below it."""
    page = show(Elements(bench, 4))
    above, below, later = (Button(id, id, Keep(id)) for id in ("above", "below", "later"))
    page.tell((above, below))
    page.tell((above, Form("form", (later,)), below))
    page.share_room(page.width())
    reached, widget = [], page.widgets["above"]
    for _ in range(3):
        reached.append(widget)
        widget = widget.nextInFocusChain()
        while not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            widget = widget.nextInFocusChain()
    assert reached == [page.widgets[id] for id in ("above", "later", "below")]


def test_what_is_refused_goes_back(bench, show):
    """A choice that the model refused, on a page that stayed as it was, showed what it had not become."""
    page = show(Elements(bench, 4))
    refused = Switch("encoder.1.self", "no such switch")
    page.tell(
        (
            Choice("choice", "Heads", ("2", "3"), 0, (refused,), listed=True),
            Number("number", "Heads", 2, 1, 9, refused),
            Check("check", "Bias", False, refused),
        )
    )
    choice, box = page.widgets["choice"], page.widgets["number"]
    choice.control.setCurrentIndex(1)
    choice.control.activated.emit(1)
    assert choice.control.currentIndex() == 0
    box.box.setValue(3)
    assert box.box.value() == 2
    page.widgets["check"].click()
    assert not page.widgets["check"].isChecked()


def test_the_two_fields_below_a_plane_stand_beside_each_other(open_window):
    """With a dimension of two figures the second field stood below the first, and moved the next plane aside."""
    lesson = new_lesson("gpt", ["the cat sat on the mat"], d_model=32, heads=8)
    page = open_window(lesson, stage="decoder.1.self.attention").page()
    fields = [one for one in page.findChildren(NumberView) if one._number.id.endswith((".across", ".up"))]
    assert len(fields) == 10
    for across, up in zip(fields[::2], fields[1::2], strict=True):
        assert (across.y(), across.geometry().right() < up.x()) == (up.y(), True), up._number.id
