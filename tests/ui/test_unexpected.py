"""A mistake of the program itself: told in plain words, written down, and the program goes on."""

import logging
import os
import subprocess
import sys

import pytest
from PySide6.QtGui import QGuiApplication

from explorer.ui import unexpected
from explorer.ui.unexpected import LOG, Unexpected


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
    assert len(logs) == unexpected.LOGS + 1
    assert sum(file.stat().st_size for file in logs) < 12_000
    caplog.clear()


PROGRAM = """
import os, sys, threading
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from explorer import app
from explorer.ui.unexpected import Unexpected

class Inner(QWidget):
    def showEvent(self, event):
        int("no number")  # Python calls Qt, which calls this

def act():
    QTimer.singleShot(0, lambda: 1 / 0)
    if sys.version_info >= (3, 12):  # before, such an error ends the process: see CONTRIBUTING
        inner = Inner()
        QTimer.singleShot(0, lambda: inner.show())
    threading.Thread(target=lambda: [][1]).start()
    end()

def end():
    log = Path(os.environ["EXPLORER_SETTINGS"], "explorer.log").read_text()
    words = "ZeroDivisionError", "IndexError", "no number" if sys.version_info >= (3, 12) else ""
    if app_window.findChild(Unexpected).box is None or not all(word in log for word in words):
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
    environment = {**os.environ, "EXPLORER_SETTINGS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 7, done.stderr
