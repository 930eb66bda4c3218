"""What went wrong is said over the window, and stays until the person goes on; a bug is told and written down."""

import logging
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.ui.errors import LOG, LOGS, Message, Unexpected, least_covering, places, show_done, show_error
from tests.started import started

ERROR = ExplorerError("unknown-word", word="x", vectors="these", near="")


@pytest.fixture
def bare(qtbot):
    bare = QWidget()
    bare.resize(600, 300)
    qtbot.addWidget(bare)
    with qtbot.waitExposed(bare):
        bare.show()
    return bare


def field(bare, x=20, y=20):
    made = QLineEdit(bare)
    made.setGeometry(x, y, 100, 24)
    made.show()
    return made


def messages(bare):
    return bare.findChildren(Message)


def test_it_stands_below_what_it_is_about(bare, said):
    line = field(bare)
    show_error(ERROR, line)
    assert said() == f"⚠ {sentence(ERROR)}"
    (message,) = messages(bare)
    assert (message.x(), message.y()) == (20, line.geometry().bottom() + 3)


def test_it_stands_where_it_covers_no_words(bare, said):
    line = field(bare, y=120)
    below = QLabel("words that somebody reads", bare)
    below.setGeometry(20, 146, 300, 30)
    below.show()
    show_error(ERROR, line)
    said()
    (message,) = messages(bare)
    assert not message.geometry().intersects(below.geometry())
    assert not message.geometry().intersects(line.geometry())


@given(
    st.tuples(*[st.integers(0, 500)] * 2, *[st.integers(1, 300)] * 2),
    st.tuples(*[st.integers(20, 500)] * 2),
    st.lists(st.tuples(*[st.integers(0, 500)] * 2, *[st.integers(1, 100)] * 2), max_size=8),
    st.sampled_from(["message", "done"]),
)
def test_a_message_lies_in_the_window_and_never_covers_more_than_in_another_place(beside, size, words, role):
    bare, beside, words = QRect(0, 0, 600, 600), QRect(*beside), [QRect(*one) for one in words]
    wanted = places(beside, QSize(*size), bare, role)
    place = QRect(least_covering(wanted, words), QSize(*size))
    assert bare.contains(place)
    covered = [sum(one.intersects(word) for word in words) for one in wanted]
    assert sum(place.intersects(word) for word in words) == min(covered)


def test_what_was_done_does_not_look_like_an_error(bare, qtbot):
    show_done("The model is in emma.xlsx", field(bare))
    qtbot.waitUntil(lambda: messages(bare) != [])
    (message,) = messages(bare)
    assert (message.text(), message.property("role")) == ("✓ The model is in emma.xlsx", "done")


def test_it_stays_when_the_focus_moves(bare, said, qtbot):
    """As it does when a file dialog closes, or a page is made anew."""
    first, second = field(bare), field(bare, y=60)
    first.setFocus()
    show_error(ERROR, first)
    said()
    second.setFocus()
    qtbot.waitUntil(second.hasFocus)
    bare.activateWindow()
    assert said() == f"⚠ {sentence(ERROR)}"


@pytest.mark.parametrize("act", ["key", "click", "time"])
def test_it_goes_when_the_person_goes_on_or_after_a_while(bare, said, qtbot, hand, act):
    line = field(bare)
    show_error(ERROR, line)
    said()
    (end,) = messages(bare)[0].findChildren(QTimer)
    assert end.isActive()
    if act == "time":
        end.timeout.emit()
    else:
        end.stop()
        bare.activateWindow()
        qtbot.waitUntil(bare.isActiveWindow)
        hand.key(Qt.Key.Key_A) if act == "key" else hand.click(line)
    qtbot.waitUntil(lambda: not messages(bare))


def test_a_newer_one_takes_its_place(bare, said, qtbot):
    line = field(bare)
    show_error(ERROR, line)
    said()
    other = ExplorerError("unknown-word", word="y", vectors="these", near="")
    show_error(other, line)
    qtbot.waitUntil(lambda: [message.text() for message in messages(bare)] == [f"⚠ {sentence(other)}"])


def test_a_long_one_breaks_into_lines_and_stays_inside(bare):
    message = Message("⚠ " + "many words " * 20, bare, QRect(QPoint(550, 280), QPoint(590, 295)))
    assert message.width() == 300
    assert message.height() > 3 * message.fontMetrics().height()
    assert bare.rect().contains(message.geometry())


def test_nothing_is_said_beside_what_is_gone(bare, qtbot):
    line = field(bare)
    show_error(ERROR, line)
    line.deleteLater()
    timer = QTimer(bare, singleShot=True, interval=0)
    with qtbot.waitSignal(timer.timeout):
        timer.start()
    assert not messages(bare)


@pytest.fixture
def told(window, tmp_path):
    """The window, and what hears of its exceptions; the log of the program is as it was afterwards."""
    logger = logging.getLogger("explorer")
    before = list(logger.handlers)
    yield window, Unexpected(window, tmp_path)
    for handler in set(logger.handlers) - set(before):
        logger.removeHandler(handler)
        handler.close()


def raised(text):
    try:
        raise ZeroDivisionError(text)
    except ZeroDivisionError:
        return sys.exc_info()


def button(box, words):
    return next(one for one in box.buttons() if one.text() == words)


def test_it_is_told_in_plain_words_and_written_down(told, tmp_path, qtbot, hand, caplog, monkeypatch, capsys):
    window, hears = told
    hears.hear(*raised("first"))
    qtbot.waitUntil(lambda: hears.box is not None)
    assert "Your work is still there" in hears.box.text()
    assert "ZeroDivisionError: first" in (tmp_path / LOG).read_text()
    assert "ZeroDivisionError: first" in capsys.readouterr().err
    hand.click(button(hears.box, "Copy details"))
    assert "ZeroDivisionError: first" in QGuiApplication.clipboard().text()
    assert hears.box is not None  # it stays until it is closed
    monkeypatch.setattr(window.files.dialogs, "to_save", lambda _: tmp_path / "mine.explorer")
    hand.click(button(hears.box, "Save my work …"))
    assert (tmp_path / "mine.explorer").exists()
    hears.hear(*raised("second"))
    assert "second" in (tmp_path / LOG).read_text()
    hears.box.close()
    qtbot.waitUntil(lambda: hears.box is None)
    caplog.clear()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_its_buttons_are_whole_in_large_text(told, appearance, qtbot, scale, caplog):
    _, hears = told
    appearance.set_scale(scale)
    hears.hear(*raised("first"))
    qtbot.waitUntil(lambda: hears.box is not None and hears.box.isVisible())
    for one in hears.box.buttons():
        assert one.width() >= one.sizeHint().width(), one.text()
        assert hears.box.rect().contains(one.mapTo(hears.box, one.rect().bottomRight())), one.text()
    hears.box.close()
    caplog.clear()


def test_the_log_does_not_grow_without_end(told, tmp_path, caplog, monkeypatch):
    _, hears = told
    for handler in logging.getLogger("explorer").handlers:
        handler.maxBytes = 2000
    for i in range(50):
        hears.hear(*raised(f"{i}" * 100))
    logs = list(tmp_path.glob(f"{LOG}*"))
    assert len(logs) == LOGS + 1
    assert sum(file.stat().st_size for file in logs) < 12_000
    caplog.clear()


def test_a_painter_that_an_exception_interrupts_leaves_what_it_paints_on(told, caplog):
    _, hears = told
    image = QImage(4, 4, QImage.Format.Format_RGB32)

    def paint():
        painter = QPainter(image)
        return painter.drawLine(0, 0, 1 // 0, 1)

    try:
        paint()
    except ZeroDivisionError:
        heard = sys.exc_info()
    assert image.paintingActive()
    hears.hear(*heard)
    assert not image.paintingActive()
    caplog.clear()


PROGRAM = """
import os, sys, threading
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget
from explorer import app
from explorer.ui.errors import Unexpected

class Inner(QWidget):
    def showEvent(self, event):
        int("no number")  # Python calls Qt, which calls this

class Painted(QWidget):
    times = 0

    def paintEvent(self, event):
        painter = QPainter(self)
        self.times += 1
        {}["no colour"]

def act():
    global painted
    painted = Painted()
    painted.show()
    QTimer.singleShot(0, lambda: 1 / 0)
    if sys.version_info >= (3, 12):  # before, such an error ends the process: see CONTRIBUTING
        inner = Inner()
        QTimer.singleShot(0, lambda: inner.show())
    threading.Thread(target=lambda: [][1]).start()
    end()

def end():
    log = Path(os.environ["EXPLORER_SETTINGS"], "explorer.log").read_text()
    words = "ZeroDivisionError", "IndexError", "KeyError", "no number" if sys.version_info >= (3, 12) else ""
    painted.resize(painted.width() + 50, painted.height() + 50)  # what it is painted on is replaced
    told = app_window.findChild(Unexpected).box is not None and painted.times > 3
    if not told or not all(word in log for word in words):
        QTimer.singleShot(1, end)
        return
    app_window.bench.document.undo()
    app_object.exit(7)

make = app.open_window
def open_window(*args, **others):
    global app_object, app_window
    app_object, app_window = make(*args, **others)
    QTimer.singleShot(0, act)
    return app_object, app_window
app.open_window = open_window
sys.exit(app.run())
"""


def test_the_program_goes_on(tmp_path):
    done = started(PROGRAM, EXPLORER_SETTINGS=str(tmp_path))
    assert done.returncode == 7, done.stderr
