"""What went wrong is said over the window, and stays until the person goes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.ui.errors import Message, least_covering, places, show_done, show_error

ERROR = ExplorerError("unknown-word", word="x", vectors="these", near="")


@pytest.fixture
def window(qtbot):
    window = QWidget()
    window.resize(600, 300)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    return window


def field(window, x=20, y=20):
    made = QLineEdit(window)
    made.setGeometry(x, y, 100, 24)
    made.show()
    return made


def messages(window):
    return window.findChildren(Message)


def test_it_stands_below_what_it_is_about(window, said):
    line = field(window)
    show_error(ERROR, line)
    assert said() == f"⚠ {sentence(ERROR)}"
    (message,) = messages(window)
    assert (message.x(), message.y()) == (20, line.geometry().bottom() + 3)


def test_it_stands_where_it_covers_no_words(window, said):
    line = field(window, y=120)
    below = QLabel("words that somebody reads", window)
    below.setGeometry(20, 146, 300, 30)
    below.show()
    show_error(ERROR, line)
    said()
    (message,) = messages(window)
    assert not message.geometry().intersects(below.geometry())
    assert not message.geometry().intersects(line.geometry())


@given(
    st.tuples(*[st.integers(0, 500)] * 2, *[st.integers(1, 300)] * 2),
    st.tuples(*[st.integers(20, 500)] * 2),
    st.lists(st.tuples(*[st.integers(0, 500)] * 2, *[st.integers(1, 100)] * 2), max_size=8),
    st.sampled_from(["message", "done"]),
)
def test_a_message_lies_in_the_window_and_never_covers_more_than_in_another_place(beside, size, words, role):
    window, beside, words = QRect(0, 0, 600, 600), QRect(*beside), [QRect(*one) for one in words]
    wanted = places(beside, QSize(*size), window, role)
    place = QRect(least_covering(wanted, words), QSize(*size))
    assert window.contains(place)
    covered = [sum(one.intersects(word) for word in words) for one in wanted]
    assert sum(place.intersects(word) for word in words) == min(covered)


def test_what_was_done_does_not_look_like_an_error(window, qtbot):
    show_done("The model is in emma.xlsx", field(window))
    qtbot.waitUntil(lambda: messages(window) != [])
    (message,) = messages(window)
    assert (message.text(), message.property("role")) == ("✓ The model is in emma.xlsx", "done")


def test_it_stays_when_the_focus_moves(window, said, qtbot):
    """As it does when a file dialog closes, or a page is made anew."""
    first, second = field(window), field(window, y=60)
    first.setFocus()
    show_error(ERROR, first)
    said()
    second.setFocus()
    qtbot.waitUntil(second.hasFocus)
    window.activateWindow()
    assert said() == f"⚠ {sentence(ERROR)}"


@pytest.mark.parametrize("act", ["key", "click", "time"])
def test_it_goes_when_the_person_goes_on_or_after_a_while(window, said, qtbot, hand, act):
    line = field(window)
    show_error(ERROR, line)
    said()
    (end,) = messages(window)[0].findChildren(QTimer)
    assert end.isActive()
    if act == "time":
        end.timeout.emit()
    else:
        end.stop()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        hand.key(Qt.Key.Key_A) if act == "key" else hand.click(line)
    qtbot.waitUntil(lambda: not messages(window))


def test_a_newer_one_takes_its_place(window, said, qtbot):
    line = field(window)
    show_error(ERROR, line)
    said()
    other = ExplorerError("unknown-word", word="y", vectors="these", near="")
    show_error(other, line)
    qtbot.waitUntil(lambda: [message.text() for message in messages(window)] == [f"⚠ {sentence(other)}"])


def test_a_long_one_breaks_into_lines_and_stays_inside(window):
    message = Message("⚠ " + "many words " * 20, window, QRect(QPoint(550, 280), QPoint(590, 295)))
    assert message.width() == 300
    assert message.height() > 3 * message.fontMetrics().height()
    assert window.rect().contains(message.geometry())


def test_nothing_is_said_beside_what_is_gone(window, qtbot):
    line = field(window)
    show_error(ERROR, line)
    line.deleteLater()
    timer = QTimer(window, singleShot=True, interval=0)
    with qtbot.waitSignal(timer.timeout):
        timer.start()
    assert not messages(window)
