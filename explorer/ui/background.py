"""Work on a thread: a timer of the window checks whether it is done."""

from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from explorer.core.errors import ExplorerError
from explorer.core.progress import Cancelled, Progress, Report

LOOK_MS = 5
"""Milliseconds between two checks: short beside the work, and hardly any load for the event loop."""


class Background(QObject):
    """Runs one piece of work at a time on a thread; newer work replaces older work, whose result is dropped.

    The thread uses no Qt object unless the work does: it stores its progress and its result, and a timer reads them. So
    closing the window in the middle deletes nothing that the thread uses.
    """

    # Whether a result is waited for. Emitted immediately.
    busy = Signal(bool)
    progressed = Signal(object)  # Progress
    failed = Signal(object)  # ExplorerError: why there is no result

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: list[_Task] = []  # at most one: the task whose result is waited for
        self._then: Callable[[Any], None] | None = None
        self._failed: Callable[[ExplorerError], None] | None = None
        self._told: Progress | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        # This object may be deleted, or the program end, before the task is done: the thread would run on for ever.
        self.destroyed.connect(partial(_overtake, self._tasks))
        if (app := QCoreApplication.instance()) is not None:
            app.aboutToQuit.connect(self.stop)

    @property
    def at_work(self) -> bool:
        """Whether a result is waited for."""
        return bool(self._tasks)

    def run(self, work: Callable[[], Any], then: Callable[[], None]) -> None:
        """Call `work` on a thread of its own and, once it has returned, `then` on the window's thread."""
        self.ask(lambda _report: work(), lambda _result: then())

    def ask(
        self,
        work: Callable[[Report], Any],
        then: Callable[[Any], None],
        failed: Callable[[ExplorerError], None] | None = None,
    ) -> None:
        """Call `work` on a thread of its own, and pass its result to `then` on the window's thread.

        `work`: gets a `Report` to call now and then, which ends work that has been replaced. It may raise an
        `ExplorerError`. It must hold no widget: the thread could be the last to release it.
        `then`: gets the result; it may raise an `ExplorerError`, too.
        `failed`: gets the error of this work, in place of the signal.
        """
        _overtake(self._tasks)
        task = _Task(work)
        self._tasks.append(task)
        self._then, self._failed, self._told = then, failed, None
        # Not a daemon thread: a process that ends inside a matrix product may hang for ever.
        Thread(target=task.run, name="background").start()
        self._timer.start()
        self.busy.emit(True)

    def stop(self) -> None:
        """Drop the result of the present work.

        The thread ends at its next report. That may take a while: nothing interrupts it while it waits at a silent
        connection.
        """
        if self._tasks:
            _overtake(self._tasks)
            self._then = self._failed = None
            self._timer.stop()
            self.busy.emit(False)

    def _look(self) -> None:
        task, then, failed = self._tasks[0], self._then, self._failed
        assert then is not None
        if task.progress is not self._told:
            self._told = task.progress
            self.progressed.emit(task.progress)
        if not task.done.is_set() or task not in self._tasks:  # a slot of `progressed` may have started other work
            return
        self.stop()
        if failed is not None and isinstance(task.error, ExplorerError):
            failed(task.error)
            return
        try:
            if task.error is not None:
                raise task.error
            then(task.result)
        except Cancelled:
            pass
        except ExplorerError as error:
            self.failed.emit(error)
            if error.__cause__ is not None and not isinstance(error.__cause__, MemoryError):
                raise  # a bug in the program must be reported


class Aside(QObject):
    """Computes what pages wait for: one task after another, each once for the objects that it is computed from.

    `explorer.pages.view.Aside` says what a page may ask.
    """

    changed = Signal()  # a result has come, or a task was stopped or restarted: waiting pages are built again
    progressed = Signal(str, float)  # the key of a task, and the share of it that is done

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background(self)
        self._background.progressed.connect(self._tell)
        self._found: dict[str, tuple[tuple[object, ...], Any]] = {}
        self._waiting: dict[str, tuple[tuple[object, ...], Callable[[Callable[[int, int], None]], Any]]] = {}
        self._stopped: set[str] = set()
        self._running = ""

    def ask(self, key: str, of: tuple[object, ...], work: Callable[[Callable[[int, int], None]], Any]) -> Any:
        """The result of `work` for exactly these objects; None while it is not computed yet.

        Raises `ExplorerError`: the error that the work has raised.
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
        """Whether this task was stopped by the person."""
        return key in self._stopped

    def stop(self, key: str) -> None:
        self._stopped.add(key)
        if self._running == key:
            self._end()
        self._go_on()
        self.changed.emit()

    def begin(self, key: str) -> None:
        """Restart a task that was stopped."""
        self._stopped.discard(key)
        self._go_on()
        self.changed.emit()

    def forget(self) -> None:
        """Drop all tasks and results: the values of the model have changed."""
        self._found, self._waiting, self._stopped = {}, {}, set()
        if self._running:
            self._end()

    def leave(self, key: str) -> None:
        """Drop the task of a page that is hidden now; the page asks again when it is shown again."""
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
        keep = partial(self._keep, key, of)
        self._background.ask(lambda report: work(lambda done, total: report(Progress(key, done, total))), keep, keep)

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
    """Whether two tuples hold identical objects; integers need only be equal."""
    return len(some) == len(others) and all(
        one is other or (isinstance(one, int) and isinstance(other, int) and one == other)
        for one, other in zip(some, others, strict=True)
    )


class _Task:
    """A piece of work and its state, which the window and the thread share."""

    def __init__(self, work: Callable[[Report], Any]) -> None:
        self._work = work
        self.overtaken, self.done = Event(), Event()
        self.progress: Progress | None = None
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work(self._report)
        except BaseException as error:  # raised again in the window's thread
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
