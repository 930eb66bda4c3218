"""A run as the window goes on with it: in slices of the event loop, or in a process of its own."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.core.errors import ExplorerError
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import History
from explorer.document.document import Document
from explorer.lessons.plan import Material
from explorer.lessons.session import Session, take_words
from explorer.ui.training.process import ProcessRun

SLICE_S = 0.008
"""How long training holds the event loop: half of a frame."""
LARGE_STEP = 100_000_000
"""Multiply-adds of a step from which on it takes longer than a slice: such runs go to a process of their own."""

Settings = Callable[[Path], tuple[Material, str, Recipe]]


class LiveRun(QObject):
    """Begins with its first step; another run begins after `end`.

    Parameters
    ----------
    document : Document
    settings : callable
        What is learned from, the text of it, and how, as they are set now; given an empty folder for its files.

    Signals
    -------
    stepped
        There is something new to show.
    failed : str
        Why it cannot go on.
    paused
        It goes on no more by itself: it is over, was taken back, or has failed.

    Attributes
    ----------
    session : Session or None
    process : ProcessRun or None
        Of a run with large steps.
    speed : float
        Steps a second in the slice before.
    """

    stepped = Signal()
    failed = Signal(str)
    paused = Signal()

    def __init__(self, document: Document, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._settings = document, settings
        self.session: Session | None = None
        self.process: ProcessRun | None = None
        self.speed = 0.0
        # Ends with this object, and takes the files of its runs with it.
        self._folder = tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)

    @property
    def history(self) -> History | None:
        """The records of the run that there is."""
        if self.process is not None:
            return self.process.history
        return self.session.trainer.history if self.session is not None else None

    @property
    def in_slices(self) -> bool:
        """Whether it is going on, slice by slice."""
        return self._timer.isActive()

    def play(self) -> None:
        """Take steps until it is paused or over."""
        # At least one step: who has taken steps back and presses this wants to go on from there.
        if self._advance(0.0) and self.process is None:
            self._timer.start()

    def pause(self) -> None:
        """Take no more steps for now."""
        self._timer.stop()
        if self.process is not None:
            self.process.stop()

    def step(self) -> None:
        """Take one step."""
        self._advance(0.0)

    def end(self) -> None:
        """Let go of the run; the document keeps what it has learned."""
        if self.process is not None:
            self.process.close()
            self.process.deleteLater()
        self.session = self.process = None

    def close(self) -> None:
        """Let go of the run and of its files."""
        self.end()
        self._folder.cleanup()

    def follow(self) -> None:
        """The document has changed."""
        if self.process is not None:
            try:
                self.process.follow()
            except ExplorerError as error:
                self.paused.emit()
                self.failed.emit(str(error))

    def _begin(self) -> Session:
        """The run: a new one, where there is none."""
        if self.session is None:
            folder = _folder_in(Path(self._folder.name))
            material, text, recipe = self._settings(folder)
            take_words(self._document, material, text)
            session = Session(self._document, material, recipe)
            if session.work >= LARGE_STEP:
                self.process = ProcessRun(self._document, session, material, folder, self)
                self.process.stepped.connect(self.stepped)
                self.process.failed.connect(self.failed)
                self.process.ended.connect(self.paused)
            self.session = session
        return self.session

    def _slice(self) -> None:
        """As many steps as half a frame has room for; the window paints in the other half."""
        if self.session is not None and self.session.undone:
            self.paused.emit()
            return
        self._advance(SLICE_S)
        self.stepped.emit()

    def _advance(self, seconds: float) -> bool:
        """Go on for so long. Returns whether there is more to do."""
        going = False
        try:
            session = self._begin()
            if self.process is not None:
                self.process.start()
                going = self.process.running
            else:
                start = time.perf_counter()
                records = session.advance(seconds)
                self.speed = len(records) / max(time.perf_counter() - start, 1e-9)
                going = not session.trainer.finished
        except ExplorerError as error:
            self.failed.emit(str(error))
        finally:
            if not going:  # or what went wrong would go wrong again, for ever
                self.paused.emit()
        return going


def _folder_in(parent: Path) -> Path:
    """An empty folder; its parent may have been cleared away meanwhile, as temporary files are.

    Raises
    ------
    ExplorerError
        "not-written"
    """
    try:
        parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=parent))
    except OSError as error:
        raise ExplorerError("not-written", file=parent, reason=error.strerror) from None
