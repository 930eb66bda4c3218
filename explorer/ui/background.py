"""The document's long work beside the window: a thread computes, the window asks whether it is done."""

from collections.abc import Callable
from threading import Event, Thread

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.core.errors import ExplorerError

LOOK_MS = 5
"""Between two looks: a hundredth of what the work takes, and nothing for the event loop."""


class Background(QObject):
    """Runs one piece of work at a time; a newer one takes the place of an older one, whose outcome nobody hears of.

    The thread touches no Qt object: it sets a flag, and a timer looks for it. So nothing is taken away from under it
    when the window is closed in the middle.

    Signals
    -------
    busy : bool
        Whether there is work that is waited for. Told at once.
    failed : ExplorerError
        Why there is no outcome.
    """

    busy = Signal(bool)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._then: Callable[[], None] | None = None
        self._done = Event()
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    def run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        """Call `work` on a thread of its own, and `then` on the window's when it has returned."""
        self._then, self._done = then, Event()
        # No daemon: a process that ends within a matrix product may hang there for ever.
        Thread(target=_run, args=(work, self._done), name="background").start()
        self._timer.start()
        self.busy.emit(True)

    def stop(self) -> None:
        """Wait for nothing any more."""
        if self._then is not None:
            self._then = None
            self._timer.stop()
            self.busy.emit(False)

    def _look(self) -> None:
        then, done = self._then, self._done
        if then is None or not done.is_set():
            return
        try:
            then()
        except ExplorerError as error:
            self.failed.emit(error)
            if not isinstance(error.__cause__, MemoryError):
                raise  # a mistake of ours is heard of
        finally:
            if self._done is done:  # and no new work has been asked for
                self.stop()


def _run(work: Callable[[], None], done: Event) -> None:
    try:
        work()
    finally:
        done.set()
