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

    What is asked for while one is written comes next: only the newest of that, since it holds all that is older.
    """

    wrote = Signal(object, object)  # Path and State: the file is whole, and has its name
    failed = Signal(object)  # ExplorerError: why there is none

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.background = Background(self)
        self.background.failed.connect(self._fail)
        self.background.busy.connect(self._follow)
        self._next: Callable[[], None] | None = None
        self._at_end: Callable[[], object] | None = None
        self.state: State | None = None
        """The one that is written now, or comes next; None where none is."""

    def save(self, state: State, title: str, path: Path, session: Session) -> None:
        """Write a document: at once, or beside the window where it is large or another is being written.

        Raises `ExplorerError`: "not-written" or "not-saved", where it is written at once.
        """
        if self.state is None and size_of(state) <= MOST_AT_ONCE:
            storage.save(state, title, path, session)
            self.wrote.emit(path, state)
            return
        begin = partial(self._begin, state, title, path, session)
        if self.state is None:
            begin()
        else:
            self.state, self._next = state, begin

    def at_end(self, act: Callable[[], object]) -> None:
        """Do something once all is written; never, where it cannot be, or where somebody stops it."""
        self._at_end = act

    def _begin(self, state: State, title: str, path: Path, session: Session) -> None:
        def write(report: Report) -> None:
            storage.save(state, title, path, session, lambda done, total: report(Progress(path.name, done, total)))

        self.state = state
        self.background.ask(write, lambda _: self._end(path, state))

    def _end(self, path: Path, state: State) -> None:
        (begin, self._next), (act, self._at_end) = (self._next, None), (self._at_end, None)
        self.wrote.emit(path, state)
        if begin is not None:
            self._at_end = act
            begin()
        elif act is not None:
            act()

    def _follow(self, busy: bool) -> None:
        if not busy:
            self.state = None

    def stop(self) -> None:
        """Write no more: what stood in the file before stays there."""
        self._next = self._at_end = None
        self.background.stop()

    def _fail(self, error: ExplorerError) -> None:
        self._next = self._at_end = None
        self.failed.emit(error)
