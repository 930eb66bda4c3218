"""Work beside the window: reading, evaluating, searching. The window asks how far it has come; nothing calls it."""

import sys
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.core.errors import ExplorerError
from explorer.words.progress import Cancelled, Progress, Report
from explorer.words.vectors import Vectors

ASK_MS = 40
SWITCH_S = 0.0005
"""While a job runs the threads take turns so often: at Python's own 5 ms a repaint would wait for many of them."""
AT_ONCE = 4_000_000
"""Numbers in a table up to which one search takes some milliseconds, less than a thread would add to it."""
ANSWER_MS = 5


class Job(QObject):
    """One piece of work in a thread of its own.

    The thread touches no Qt object: it leaves its progress and its outcome here, and a timer looks for them. So a tab
    that is closed in the middle takes nothing away from under it.

    Parameters
    ----------
    work : callable
        Given a `Report`; its result is told by `done`.
    every : int
        Milliseconds between two looks.

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

    def __init__(self, work: Callable[[Report], Any], parent: QObject, every: int = ASK_MS) -> None:
        super().__init__(parent)
        self._desk = _Desk(work)
        self._told: Progress | None = None
        self._timer = QTimer(self, interval=every)
        self._timer.timeout.connect(self._look)
        # The object is gone by then; its desk tells the thread to stop.
        self.destroyed.connect(self._desk.stop.set)
        Thread(target=self._desk.run, daemon=True).start()
        self._timer.start()

    def forget(self) -> None:
        """Tell nothing any more, and stop at the next place where that is possible.

        That may be a while: a thread cannot be called out of a connection that is silent.
        """
        self.blockSignals(True)
        self._desk.stop.set()

    def _look(self) -> None:
        desk = self._desk
        if desk.progress is not self._told:
            self._told = desk.progress
            self.progressed.emit(desk.progress)
        if not desk.finished.is_set():
            return
        self._timer.stop()
        self.deleteLater()
        try:
            if desk.error is None:
                self.done.emit(desk.result)
            elif isinstance(desk.error, ExplorerError):
                self.failed.emit(desk.error)
            elif not isinstance(desk.error, Cancelled):
                raise desk.error
        finally:
            self.ended.emit()


class _Desk:
    """What the window and the thread share."""

    _lock = Lock()
    _running = 0
    _usual_s = 0.0

    def __init__(self, work: Callable[[Report], Any]) -> None:
        self._work = work
        self.stop, self.finished = Event(), Event()
        self.progress: Progress | None = None
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        self._take_turns(1)
        try:
            self.result = self._work(self._report)
        except BaseException as error:  # told in the window's thread
            self.error = error
        self._take_turns(-1)
        self.finished.set()

    @classmethod
    def _take_turns(cls, more: int) -> None:
        """Quick turns from the first job that begins to the last one that ends."""
        with cls._lock:
            if not cls._running:
                cls._usual_s = sys.getswitchinterval()
            cls._running += more
            sys.setswitchinterval(SWITCH_S if cls._running else cls._usual_s)

    def _report(self, progress: Progress) -> None:
        self.progress = progress
        if self.stop.is_set():
            raise Cancelled


class Search(QObject):
    """Questions to the vectors that one card asks; the newest overtakes those before it.

    A small table is searched at once. A large one is searched beside the window: of a million words, each search would
    hold it up for a frame or more.

    Signals
    -------
    busy : bool
        Whether a question is being worked on beside the window.
    """

    busy = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: Job | None = None

    def ask(
        self, vectors: Vectors, work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool = False
    ) -> None:
        """Do the work, which raises no error that a person can cause, and give its result to `then`.

        Parameters
        ----------
        vectors : Vectors
            What is searched.
        work : callable
            Given a `Report`, to call between two searches.
        then : callable
            Given the result, in the window's thread.
        slow : bool
            Beside the window in any case.
        """
        self.cancel()
        if vectors.array.size <= AT_ONCE and not slow:
            then(work(_heed_nothing))
            return
        self._job = job = Job(work, self, ANSWER_MS)
        job.done.connect(lambda result: self._answer(then, result))
        self.busy.emit(True)

    def cancel(self) -> None:
        """Forget what was asked last: its thread stops at the next search, and nobody waits for its answer."""
        if self._job is not None:
            self._job.forget()
            self._job = None
            self.busy.emit(False)

    def _answer(self, then: Callable[[Any], None], result: Any) -> None:
        self._job = None
        self.busy.emit(False)
        then(result)


def _heed_nothing(progress: Progress) -> None:
    """A report that nobody reads."""
