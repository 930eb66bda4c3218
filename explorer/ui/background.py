"""Work beside the window: a thread computes, the window looks whether it is done."""

from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from explorer.core.errors import ExplorerError
from explorer.words.progress import Cancelled, Progress, Report

LOOK_MS = 5
"""Between two looks: a hundredth of what the work takes, and nothing for the event loop."""


class Background(QObject):
    """Runs one piece of work at a time; a newer one takes the place of an older one, whose outcome nobody hears of.

    The thread touches no Qt object and holds none, if the work does not: it leaves its progress and its outcome, and a
    timer looks for them. So nothing is taken away from under it when the window is closed in the middle.
    """

    # Whether there is work that is waited for. Told at once.
    busy = Signal(bool)
    progressed = Signal(object)  # Progress
    failed = Signal(object)  # ExplorerError: why there is no outcome

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: list[_Task] = []  # the one that is waited for, if any
        self._then: Callable[[Any], None] | None = None
        self._told: Progress | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        # It may be deleted, or the program end, in the middle: a thread that nobody waits for would go on for ever.
        self.destroyed.connect(partial(_overtake, self._tasks))
        if (app := QCoreApplication.instance()) is not None:
            app.aboutToQuit.connect(self.stop)

    @property
    def at_work(self) -> bool:
        """Whether there is work that is waited for."""
        return bool(self._tasks)

    def run(self, work: Callable[[], Any], then: Callable[[], None]) -> None:
        """Call `work` on a thread of its own, and `then` on the window's when it has returned."""
        self.ask(lambda _report: work(), lambda _result: then())

    def ask(self, work: Callable[[Report], Any], then: Callable[[Any], None]) -> None:
        """Do some work on a thread of its own, and give its result to `then` on the window's.

        Parameters
        ----------
        work : callable
            Given a `Report`, to call now and then: it stops work that has been overtaken. It may raise an
            `ExplorerError`. It holds no widget, or the thread could be the last to let go of it.
        then : callable
            Given the result; it may raise an `ExplorerError`, too.
        """
        _overtake(self._tasks)
        task = _Task(work)
        self._tasks.append(task)
        self._then, self._told = then, None
        # No daemon: a process that ends within a matrix product may hang there for ever.
        Thread(target=task.run, name="background").start()
        self._timer.start()
        self.busy.emit(True)

    def stop(self) -> None:
        """Wait for nothing any more.

        The thread ends at the next place where that is possible. That may be a while: it cannot be called out of a
        connection that is silent.
        """
        if self._tasks:
            _overtake(self._tasks)
            self._then = None
            self._timer.stop()
            self.busy.emit(False)

    def _look(self) -> None:
        task, then = self._tasks[0], self._then
        assert then is not None
        if task.progress is not self._told:
            self._told = task.progress
            self.progressed.emit(task.progress)
        if not task.done.is_set() or task not in self._tasks:  # who was told may have asked for other work
            return
        self.stop()
        try:
            if task.error is not None:
                raise task.error
            then(task.result)
        except Cancelled:
            pass
        except ExplorerError as error:
            self.failed.emit(error)
            if error.__cause__ is not None and not isinstance(error.__cause__, MemoryError):
                raise  # a mistake of ours is heard of


class Aside(QObject):
    """Computes what pages wait for: one work after the other, each once for what it is made of.

    `explorer.pages.view.Aside` says what a page asks.
    """

    changed = Signal()  # something is there, or was stopped or begun anew: pages that wait are made anew
    progressed = Signal(str, float)  # the key of a work, and which share of it is done

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background(self)
        self._background.progressed.connect(self._tell)
        self._found: dict[str, tuple[tuple[object, ...], Any]] = {}
        self._waiting: dict[str, tuple[tuple[object, ...], Callable[[Callable[[int, int], None]], Any]]] = {}
        self._stopped: set[str] = set()
        self._running = ""

    def ask(self, key: str, of: tuple[object, ...], work: Callable[[Callable[[int, int], None]], Any]) -> Any:
        """What the work has made of these very objects; None while it is not there.

        Raises `ExplorerError`: what the work has raised.
        """
        if key in self._found and _are_those(self._found[key][0], of):
            found = self._found[key][1]
            if isinstance(found, ExplorerError):
                raise found
            return found
        waits = self._waiting.get(key)
        if waits is None or not _are_those(waits[0], of):
            self._found.pop(key, None)
            self._stopped.discard(key)
            self._waiting[key] = of, work
            if self._running == key:
                self._end()
            self._go_on()
        return None

    def stopped(self, key: str) -> bool:
        """Whether somebody has stopped it."""
        return key in self._stopped

    def stop(self, key: str) -> None:
        """Compute it no further."""
        self._stopped.add(key)
        if self._running == key:
            self._end()
        self._go_on()
        self.changed.emit()

    def begin(self, key: str) -> None:
        """Compute anew what was stopped."""
        self._stopped.discard(key)
        self._go_on()
        self.changed.emit()

    def forget(self) -> None:
        """Nobody waits any more, and what was found is of other values."""
        self._found, self._waiting, self._stopped = {}, {}, set()
        if self._running:
            self._end()

    def leave(self, key: str) -> None:
        """Nobody looks any more: it is asked for anew where somebody comes back."""
        self._waiting.pop(key, None)
        self._stopped.discard(key)
        if self._running == key:
            self._end()
            self._go_on()

    def _end(self) -> None:
        self._running = ""
        self._background.stop()

    def _go_on(self) -> None:
        key = next((key for key in self._waiting if key not in self._stopped), "")
        if self._running or not key:
            return
        self._running = key
        of, work = self._waiting[key]

        def watched(report: Report) -> Any:
            try:
                return work(lambda done, total: report(Progress(key, done, total)))
            except ExplorerError as error:
                return error

        self._background.ask(watched, partial(self._keep, key, of))

    def _keep(self, key: str, of: tuple[object, ...], found: Any) -> None:
        self._running = ""
        del self._waiting[key]
        self._found[key] = of, found
        self._go_on()
        self.changed.emit()

    def _tell(self, progress: Progress) -> None:
        if progress.total:
            self.progressed.emit(progress.what, progress.done / progress.total)


def _are_those(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Whether two tuples hold the very same objects, and equal numbers."""
    return len(some) == len(others) and all(
        one is other or (isinstance(one, int) and isinstance(other, int) and one == other)
        for one, other in zip(some, others, strict=True)
    )


class _Task:
    """What the window and the thread share."""

    def __init__(self, work: Callable[[Report], Any]) -> None:
        self._work = work
        self.overtaken, self.done = Event(), Event()
        self.progress: Progress | None = None
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work(self._report)
        except BaseException as error:  # told in the window's thread
            self.error = error
        self.done.set()

    def _report(self, progress: Progress) -> None:
        self.progress = progress
        if self.overtaken.is_set():
            raise Cancelled


def _overtake(tasks: list[_Task]) -> None:
    for task in tasks:
        task.overtaken.set()
    tasks.clear()
