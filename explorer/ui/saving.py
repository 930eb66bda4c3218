"""Writing a document into its file: a large one beside the window, which goes on working and closes once it is there.

A document holds all of its numbers, so that it can be opened where the model that it was made of is not: 0.5 GB of
GPT-2, which take a second.
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
"""Bytes of a model that are read or written at once; those of a larger one are read or written beside the window."""


def size_of(state: State) -> int:
    """How many bytes the numbers of a document take, each array counted once."""
    arrays = [*state.inputs.values(), *state.beyond.values()]
    return sum({id(array): array.nbytes for array in arrays}.values())


class Saver(QObject):
    """Writes one document after the other.

    What is asked for while one is written comes next: of each file only the newest, since it holds all that is older.
    """

    wrote = Signal(object, object)  # Path and State: the file is whole, and has its name
    failed = Signal(object)  # ExplorerError: why there is none

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
        """Whether a document is being written, or comes next."""
        written = [] if self._now is None else [self._now[1]]
        return any(one is state for one in (*written, *(one for one, _ in self._next.values())))

    def save(self, state: State, title: str, path: Path, session: Session) -> None:
        """Write a document: at once, or beside the window where it is large or another is being written.

        Raises `ExplorerError`: "not-written" or "not-saved", where it is written at once.
        """
        if self._now is None and size_of(state) <= MOST_AT_ONCE:
            storage.save(state, title, path, session)
            self.wrote.emit(path, state)
            return
        self._next[path] = state, partial(self._begin, state, title, path, session)
        if self._now is None:
            self._go_on()

    def at_end(self, act: Callable[[], object]) -> None:
        """Do something once all is written; never, where it cannot be, or where somebody stops it."""
        self._at_end = act

    def stop(self) -> None:
        """Write this document no more: what stood in its file before stays there."""
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
        """Write what comes next, or be at the end."""
        self._now = None
        if self._next:
            _, begin = self._next.pop(next(iter(self._next)))
            begin()
        elif self._at_end is not None:
            act, self._at_end = self._at_end, None
            act()
