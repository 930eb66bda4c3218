"""Boxes on a page that scrolls.

Message boxes: no picture of the system's stands in them.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QMessageBox, QScrollArea, QStylePainter, QVBoxLayout, QWidget

from explorer.ui.appearance import SCALES
from explorer.ui.widgets.inputs import ComboBox, PushButton, Segments, SpinBox, message_box


@pytest.fixture
def page(qtbot):
    """A page that is higher than its window, with a box of each kind on top."""
    area, content = QScrollArea(), QWidget()
    layout = QVBoxLayout(content)
    area.choice, area.number = ComboBox(), SpinBox(minimum=0, maximum=9, value=5)
    area.choice.addItems(["a", "b", "c"])
    for box in (area.choice, area.number):
        layout.addWidget(box)
    layout.addStretch()
    content.setMinimumHeight(900)
    area.setWidget(content)
    area.resize(300, 200)
    qtbot.addWidget(area)
    with qtbot.waitExposed(area):
        area.show()
    return area


def test_a_wheel_over_a_box_scrolls_the_page(page, hand):
    for box in (page.choice, page.number):
        page.verticalScrollBar().setValue(0)
        page.setFocus()
        hand.wheel(box, notches=-1)
        assert page.verticalScrollBar().value() > 0
        assert not box.hasFocus()
    assert page.choice.currentText() == "a"
    assert page.number.value() == 5


def test_a_choice_that_one_has_gone_to_stays_as_it_is(page, hand):
    page.choice.setFocus()
    hand.wheel(page.choice, notches=-1)
    assert page.choice.currentText() == "a"
    hand.key(Qt.Key.Key_Down)
    assert page.choice.currentText() == "b"


def test_the_wheel_turns_a_number_that_one_has_gone_to(page, hand):
    page.number.setFocus()
    hand.wheel(page.number, notches=-1)
    assert page.number.value() == 4


@pytest.mark.parametrize("scale", SCALES)
def test_each_word_fits_into_a_box_as_wide_as_it_likes(qtbot, appearance, scale, monkeypatch):
    """In large letters "neighbours" ended in dots, in a box that had room beside it."""
    appearance.set_scale(scale)
    painted = []
    monkeypatch.setattr(QStylePainter, "drawControl", lambda self, what, how: painted.append(how.currentText))
    for word in ("neighbours", "1/√dₖ", "halves", "sinusoidal"):
        box = ComboBox()
        qtbot.addWidget(box)
        box.addItem(word)
        box.resize(box.sizeHint())
        box.grab()
        assert painted[-1] == word


@pytest.mark.parametrize(("width", "same"), [(300, True), (110, False)])
def test_words_that_do_not_fit_end_in_dots_where_qt_cuts_them(qtbot, width, same):
    pictures = []
    for kind in (ComboBox, QComboBox):
        box = kind()
        qtbot.addWidget(box)
        box.addItem("ten seconds a run")
        box.resize(width, 30)
        pictures.append(box.grab().toImage())
    assert (pictures[0] == pictures[1]) is same


def test_neither_the_box_nor_its_buttons_have_a_stock_picture(appearance, qtbot):
    box = message_box("Replace a.explorer?")
    qtbot.addWidget(box)
    box.setStandardButtons(QMessageBox.StandardButton.Save | QMessageBox.StandardButton.Cancel)
    box.show()
    assert box.icon() == QMessageBox.Icon.NoIcon
    assert box.iconPixmap().isNull()
    assert [button.icon().isNull() for button in box.buttons()] == [True, True]


def test_the_margins_of_a_box_are_as_large_as_its_words(appearance, qtbot):
    """They were so many pixels in any size of text."""
    found = []
    for scale in (1.0, 2.0):
        appearance.set_scale(scale)
        box = message_box("Replace a.explorer?")
        qtbot.addWidget(box)
        found.append(box.layout().contentsMargins().right())
    assert found[1] >= 1.9 * found[0] > 0


def test_words_stay_whole_on_buttons_in_a_row(qtbot):
    """The & of "R&D" underlined the D, and the mark <s> struck out its tip."""
    row = Segments(["R&D", "<s>"], "Word")
    qtbot.addWidget(row)
    assert [button.text() for button in row.group.buttons()] == ["R&&D", "<s>"]
    assert [button.toolTip() for button in row.group.buttons()] == ["Word R&D", "Word &lt;s&gt;"]


def test_enter_presses_a_button_as_space_does(qtbot, hand):
    """In a window, Qt's buttons take Space only: "Choose a lesson" and "Begin", looking alike, took different keys."""
    pressed = []
    button = PushButton("Begin", lambda: pressed.append(True))
    qtbot.addWidget(button)
    with qtbot.waitExposed(button):
        button.show()
    button.setFocus()
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
        hand.key(key)
    assert len(pressed) == 3
