"""Long work beside the window: reading a file, evaluating. The window asks how far it has come; nothing calls it."""

import sys
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.core.errors import ExplorerError
from explorer.words.progress import Cancelled, Progress, Report

ASK_MS = 40
SWITCH_S = 0.0005
"""While a job runs the threads take turns so often: at Python's own 5 ms a repaint would wait for many of them."""


class Job(QObject):
    """One piece of work in a thread of its own.

    The thread touches no Qt object: it leaves its progress and its outcome here, and a timer looks for them. So a tab
    that is closed in the middle takes nothing away from under it.

    Parameters
    ----------
    work : callable
        Given a `Report`; its result is told by `done`.

    Signals
    -------
    progressed : Progress
    done : object
    failed : ExplorerError
    ended : whatever came out of it
    """

    progressed = Signal(object)
    done = Signal(object)
    failed = Signal(object)
    ended = Signal()

    def __init__(self, work: Callable[[Report], Any], parent: QObject) -> None:
        super().__init__(parent)
        self._desk = _Desk(work)
        self._told: Progress | None = None
        self._timer = QTimer(self, interval=ASK_MS)
        self._timer.timeout.connect(self._look)
        # The object is gone by then; its desk tells the thread to stop.
        self.destroyed.connect(self._desk.stop.set)
        Thread(target=self._desk.run, daemon=True).start()
        self._timer.start()

    def cancel(self) -> None:
        """Stop at the next place where that is possible."""
        self._desk.stop.set()

    def _look(self) -> None:
        desk = self._desk
        if desk.progress is not self._told:
            self._told = desk.progress
            self.progressed.emit(desk.progress)
        if not desk.finished.is_set():
            return
        self._timer.stop()
        if desk.error is None:
            self.done.emit(desk.result)
        elif isinstance(desk.error, ExplorerError):
            self.failed.emit(desk.error)
        elif not isinstance(desk.error, Cancelled):
            raise desk.error
        self.ended.emit()
        self.deleteLater()


class _Desk:
    """What the window and the thread share."""

    def __init__(self, work: Callable[[Report], Any]) -> None:
        self._work = work
        self.stop, self.finished = Event(), Event()
        self.progress: Progress | None = None
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        try:
            self.result = self._work(self._report)
        except BaseException as error:  # told in the window's thread
            self.error = error
        sys.setswitchinterval(before)
        self.finished.set()

    def _report(self, progress: Progress) -> None:
        self.progress = progress
        if self.stop.is_set():
            raise Cancelled
