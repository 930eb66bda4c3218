"""Unsaved work after a crash: one window is killed in a process of its own, the next one finds what it left."""

import os
import shutil
import signal
from pathlib import Path
from threading import Event, Timer

import pytest
from PySide6.QtCore import Qt

from explorer.core.engine import same_bytes
from explorer.document import storage
from explorer.document.commands import SetCells
from explorer.document.storage import load
from explorer.settings import Settings
from explorer.ui import saving
from tests.started import started
from tests.ui.conftest import PATIENCE_S

pytestmark = pytest.mark.usefixtures("no_pictures", "page_rests")

CELL = "encoder.1.self.W_O"
LEFT = 0.123456789
"""The number that was put into the cell before the window was killed."""
PROGRAM = f"""
import os
import signal
from pathlib import Path
from PySide6.QtCore import QTimer
from explorer.app import open_window
from explorer.document.commands import SetCells
from explorer.ui import saving
saving.PAUSE_MS = 1
app, window = open_window("you-are-welcome")
window.bench.document.do(SetCells({CELL!r}, {{(0, 0): {LEFT}}}))
folder = Path(os.environ["EXPLORER_SETTINGS"], saving.UNSAVED)
timer = QTimer(interval=5)
timer.timeout.connect(
    lambda: any(folder.glob("*.explorer")) and os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
)
timer.start()
app.exec()
"""


@pytest.fixture
def quick(monkeypatch):
    """Unsaved work is written at once, not after two seconds."""
    monkeypatch.setattr("explorer.ui.saving.PAUSE_MS", 1)
    monkeypatch.setattr("explorer.ui.saving.MOST_SHARE", 1e9)  # also where a busy machine takes long to write


def documents(folder):
    return sorted((folder / saving.UNSAVED).glob("*.explorer"))


def edit(window, value):
    window.bench.document.do(SetCells(CELL, {(0, 0): value}))
    window.bench.bridge.flush()


def number(state):
    return state.inputs[CELL][0, 0]


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The settings of a window in which a number was edited, and which was killed once that was on the disk."""
    folder = tmp_path_factory.mktemp("killed")
    ended = started(PROGRAM, EXPLORER_SETTINGS=str(folder))
    assert ended.returncode == (-signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    assert len(documents(folder)) == 1
    return folder


@pytest.fixture
def left(killed, tmp_path):
    """What a killed window left in the settings, with its lock."""
    shutil.copytree(killed, tmp_path, dirs_exist_ok=True)
    (document,) = documents(tmp_path)
    return document


def test_work_of_a_killed_window_is_offered_and_opened_to_the_last_bit(left, open_window, tmp_path, hand):
    window = open_window(settings=Settings(tmp_path))
    window.recovery.offer()
    assert "before your changes to “You are welcome → de nada” were saved" in window.notice.text
    hand.click(window.notice.buttons["Open them"])
    assert window.notice.text == ""
    assert number(window.bench.document.state) == LEFT
    assert same_bytes(window.bench.document.state.inputs[CELL], load(left)[0].inputs[CELL])
    assert window.files.modified  # it is not saved yet
    window.close()
    assert documents(tmp_path) == []


def test_it_is_still_there_if_the_next_window_is_killed_too(left, open_window, tmp_path, hand, quick, qtbot):
    window = open_window(settings=Settings(tmp_path))
    window.recovery.offer()
    hand.click(window.notice.buttons["Open them"])
    edit(window, 0.75)
    qtbot.waitUntil(lambda: number(load(left)[0]) == 0.75)
    assert documents(tmp_path) == [left]


def test_what_is_still_being_written_then_does_not_come_back(
    left, open_window, tmp_path, hand, quick, qtbot, monkeypatch
):
    """Its file was deleted before it was there, so the next start offered what had been given up."""
    window, begun, goes_on, save = open_window(settings=Settings(tmp_path)), Event(), Event(), storage.save

    def slow(*given):
        begun.set()
        assert goes_on.wait(PATIENCE_S)
        save(*given)

    monkeypatch.setattr(storage, "save", slow)
    edit(window, 0.25)
    qtbot.waitUntil(begun.is_set)
    window.recovery.offer()
    timer = Timer(0.2, goes_on.set)
    timer.start()
    hand.click(window.notice.buttons["Open them"])
    timer.join()
    qtbot.waitUntil(lambda: not window.recovery._writer.at_work)
    assert documents(tmp_path) == [left]


def test_it_can_be_left_for_later_or_discarded(left, open_window, tmp_path, hand):
    older = Path(shutil.copy(left, left.with_name("older.explorer")))
    os.utime(older, (1, 1))
    window = open_window(settings=Settings(tmp_path))
    window.recovery.offer()
    hand.click(window.notice.buttons["Later"])
    assert "1 January" in window.notice.text  # the other one
    hand.click(window.notice.buttons["Discard them"])
    assert window.notice.text == ""
    assert documents(tmp_path) == [left]


def test_what_two_windows_left_is_offered_one_after_the_other_and_none_is_lost(
    left, open_window, tmp_path, hand, monkeypatch
):
    second = Path(shutil.copy(left, left.with_name("second.explorer")))
    damaged = left.with_name("damaged.explorer")
    damaged.write_bytes(left.read_bytes()[:500])
    for at, file in enumerate((second, left, damaged)):
        os.utime(file, (at + 10**10, at + 10**10))  # from the future, where the clock was set back
    window, told, asked = open_window(settings=Settings(tmp_path)), [], []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: asked.append(name) or "cancel")
    window.recovery.offer()
    hand.click(window.notice.buttons["Open them"])
    assert "not whole" in told[0]
    assert damaged.exists()
    hand.click(window.notice.buttons["Open them"])
    assert number(window.bench.document.state) == LEFT
    hand.click(window.notice.buttons["Open them"])
    assert asked == [window.bench.lesson.title]  # else the first would be lost
    assert documents(tmp_path) == sorted((damaged, left, second))


def test_a_day_that_no_calendar_has_is_not_named(left, open_window, tmp_path, monkeypatch):
    window = open_window(settings=Settings(tmp_path))
    monkeypatch.setattr("explorer.ui.saving.datetime", NoDay)
    window.recovery.offer()
    assert window.notice.text == "The program ended before your changes to “You are welcome → de nada” were saved."


class NoDay:
    """The clock of a file that says the year 30,000."""

    @staticmethod
    def fromtimestamp(seconds):
        raise ValueError(f"year is out of range: {seconds}")


def test_work_of_a_window_that_is_open_is_not_offered(open_window, tmp_path, quick, qtbot):
    window = open_window(settings=Settings(tmp_path))
    edit(window, 0.25)
    qtbot.waitUntil(lambda: len(documents(tmp_path)) == 1)
    other = open_window(settings=Settings(tmp_path))
    other.recovery.offer()
    assert other.notice.text == ""


def test_what_is_saved_or_taken_back_is_not_kept_beside(open_window, tmp_path, quick, qtbot, monkeypatch):
    window = open_window(settings=Settings(tmp_path))
    edit(window, 0.25)
    qtbot.waitUntil(lambda: len(documents(tmp_path)) == 1)
    window.bench.document.undo()
    qtbot.waitUntil(lambda: documents(tmp_path) == [])
    edit(window, 0.5)
    qtbot.waitUntil(lambda: len(documents(tmp_path)) == 1)
    monkeypatch.setattr(window.files.dialogs, "to_save", lambda _: tmp_path / "mine.explorer")
    assert window.files.save()
    qtbot.waitUntil(lambda: documents(tmp_path) == [])


def test_a_damaged_file_is_told_and_stays(open_window, tmp_path, hand, monkeypatch):
    (tmp_path / saving.UNSAVED).mkdir()
    file = tmp_path / saving.UNSAVED / "a.explorer"
    file.write_bytes(b"PK\x03\x04 and no more")
    told = []
    window = open_window(settings=Settings(tmp_path))
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    before = window.bench.document.state
    window.recovery.offer()
    hand.click(window.notice.buttons["Open them"])
    assert len(told) == 1
    assert "damaged" in told[0]
    assert window.bench.document.state is before
    assert file.exists()


def test_where_nothing_can_be_written_nobody_is_disturbed(open_window, tmp_path, quick, qtbot):
    (tmp_path / "file").write_text("")
    window = open_window(settings=Settings(tmp_path / "file"))
    edit(window, 0.25)
    qtbot.waitUntil(lambda: not window.recovery._timer.isActive())
    assert window.notice.text == ""
    window.recovery.offer()
    assert window.notice.text == ""


def test_the_notice_is_reached_by_keys(open_window, hand, qtbot):
    window = open_window()
    pressed = []
    window.notice.ask("There is something.", {"Do it": lambda: pressed.append(1), "Later": lambda: None})
    window.notice.buttons["Do it"].setFocus()
    hand.key(Qt.Key.Key_Space)
    assert pressed == [1]
    assert window.notice.isHidden()


def test_after_the_clock_was_set_back_work_is_offered_and_opened_all_the_same(left, open_window, tmp_path, hand):
    (tmp_path / saving.UNSAVED / ".explorer-half.part").touch()
    for one in (left, tmp_path / saving.UNSAVED / ".explorer-half.part"):
        os.utime(one, (4e9, 4e9))  # of October 2096
    window = open_window(settings=Settings(tmp_path))
    window.recovery.offer()
    assert "The program ended on 2 October" in window.notice.text
    assert not list((tmp_path / saving.UNSAVED).glob(".*.part"))
    hand.click(window.notice.buttons["Open them"])
    assert number(window.bench.document.state) == LEFT
