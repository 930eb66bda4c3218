"""Saving a document in its file; a large one is written in the background, and a window closes once that is done.

A document holds all of its numbers, so that it can be opened without the model that it was made of: 0.5 GB of GPT-2,
which take a second.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from explorer.core.errors import ExplorerError
from explorer.document import storage
from explorer.document.manifest import Session
from explorer.document.state import State
from explorer.ui.background import Background
from explorer.words.progress import Progress, Report

MOST_AT_ONCE = 50_000_000
"""A model of up to this many bytes is read or written directly, a larger one in the background."""


def size_of(state: State) -> int:
    """How many bytes the numbers of a document take, each array counted once."""
    arrays = [*state.inputs.values(), *state.beyond.values()]
    return sum({id(array): array.nbytes for array in arrays}.values())


class Saver(QObject):
    """Writes one document after the other.

    A request during a write waits. For each file only the newest one is kept: its state includes all older ones.
    """

    wrote = Signal(object, object)  # Path and State: the file is completely written
    failed = Signal(object)  # ExplorerError: why it was not written

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.background = Background(self)
        self.background.failed.connect(self._fail)
        self._now: tuple[Path, State] | None = None
        self._next: dict[Path, tuple[State, Callable[[], None]]] = {}
        self._at_end: Callable[[], object] | None = None

    @property
    def writes(self) -> bool:
        """Whether something is being written."""
        return self._now is not None

    def holds(self, state: State) -> bool:
        """Whether a document is being written, or waits to be."""
        written = [] if self._now is None else [self._now[1]]
        return any(one is state for one in (*written, *(one for one, _ in self._next.values())))

    def save(self, state: State, title: str, path: Path, session: Session) -> None:
        """Write a document: directly, or in the background if it is large or another one is being written.

        Raises `ExplorerError`: "not-written" or "not-saved", if it is written directly.
        """
        if self._now is None and size_of(state) <= MOST_AT_ONCE:
            storage.save(state, title, path, session)
            self.wrote.emit(path, state)
            return
        self._next[path] = state, partial(self._begin, state, title, path, session)
        if self._now is None:
            self._go_on()

    def at_end(self, act: Callable[[], object]) -> None:
        """Call `act` once everything is written; never, if writing fails or is stopped."""
        self._at_end = act

    def stop(self) -> None:
        """Stop writing the present document; its file keeps its old content."""
        self._at_end = None
        if self._now is not None:
            self._next.pop(self._now[0], None)
        self.background.stop()
        self._go_on()

    def _begin(self, state: State, title: str, path: Path, session: Session) -> None:
        def write(report: Report) -> None:
            storage.save(state, title, path, session, lambda done, total: report(Progress(path.name, done, total)))

        self._now = path, state
        self.background.ask(write, lambda _: self._end(path, state))

    def _end(self, path: Path, state: State) -> None:
        self._now = None
        self.wrote.emit(path, state)
        if self._now is None:
            self._go_on()

    def _fail(self, error: ExplorerError) -> None:
        self._at_end = None
        self.failed.emit(error)
        self._go_on()

    def _go_on(self) -> None:
        """Write the next document, or call what `at_end` was given."""
        self._now = None
        if self._next:
            _, begin = self._next.pop(next(iter(self._next)))
            begin()
        elif self._at_end is not None:
            act, self._at_end = self._at_end, None
            act()
