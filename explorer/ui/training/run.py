"""A run as the window goes on with it: in slices of the event loop, or in a process of its own."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.core.errors import ExplorerError
from explorer.core.training.history import History
from explorer.core.training.recipe import Recipe
from explorer.document.document import Document
from explorer.lessons.line import Line, has_line
from explorer.lessons.plan import Material
from explorer.lessons.session import Session, take_words
from explorer.ui.training.process import ProcessRun

FRAME_MS = 16
SLICE_S = 0.008
"""How long training holds the event loop: half of a frame."""
LARGE_STEP = 100_000_000
"""Multiply-adds of a step from which on it takes longer than a slice: such runs go to a process of their own."""

Settings = Callable[[Path], tuple[Material, str, Recipe]]


class LiveRun(QObject):
    """Begins with its first step; another run begins after `end`.

    Somebody may change the model, the example or the settings in mid-run: it goes on with what there is then.

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
    line : Line or None
        The linear regression that learns beside the net, where there is one.
    least : float
        Seconds that a run takes at least, so that one can watch; 0: as fast as it goes.
    speed : float
        Steps a second, lately.
    """

    stepped = Signal()
    failed = Signal(str)
    paused = Signal()

    def __init__(self, document: Document, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._settings = document, settings
        self.session: Session | None = None
        self.process: ProcessRun | None = None
        self.line: Line | None = None
        self.least = self.speed = 0.0
        self._since = self._paced_from = (0.0, 0)  # when, and after how many steps
        self._other_settings = False
        self._from = (
            0  # the step that the recipe's steps are counted from: who goes on after the end takes as many again
        )
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)

    @property
    def history(self) -> History | None:
        """The records of the run that there is; else of the one that the document's weights are from."""
        if self.process is not None:
            return self.process.history
        return self.session.trainer.history if self.session is not None else self._document.state.run

    @property
    def steps(self) -> int:
        """How many steps the run is to have; 0 where there is none."""
        return self.session.trainer.recipe.steps if self.session is not None else 0

    @property
    def in_slices(self) -> bool:
        """Whether it is going on, slice by slice."""
        return self._timer.isActive()

    def play(self) -> None:
        """Take steps until it is paused or over."""
        if self._advance(0.0) and self.process is None:
            self._since = self._paced_from = time.perf_counter(), self._at
            self.speed = 0.0
            self._timer.start()

    def set_least(self, seconds: float) -> None:
        """Let a run take so long at least; 0: as fast as it goes."""
        self.least = seconds
        self._paced_from = time.perf_counter(), self._at
        self._set_interval()

    @property
    def _at(self) -> int:
        return len(self.history.losses) if self.session is not None and self.history is not None else 0

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
        self._end_process()
        self.session, self.line, self._from = None, None, 0

    def start_over(self) -> None:
        """Let go of the run, and give the document the weights that it had before."""
        session = self.session
        self.end()
        if session is not None and session.same_weights:
            session.start_over()

    def use_settings(self) -> None:
        """Take the next steps with the settings as they are now. A process stops; another goes on from its weights."""
        self._other_settings = True
        if self.process is not None:
            self.pause()

    @property
    def over(self) -> bool:
        """Whether all its steps have been taken."""
        if self.process is not None:
            return self.process.finished
        return self.session is not None and self.session.trainer.finished

    def close(self) -> None:
        """Let go of the run and of its files."""
        self.end()
        if self._folder is not None:
            self._folder.cleanup()

    def follow(self) -> None:
        """The document has changed."""
        if self.process is not None and self.process.running and self.session is not None:
            if self.session.fits:
                self.process.follow()
            else:
                self.pause()
                self.failed.emit("The model or what it learns from has changed; Train goes on with it as it is now.")

    def _begin(self) -> Session:
        """The run: a new one where there is none, or it was taken back; or the old one in other circumstances."""
        old = self.session
        if old is not None and not (self.over or self._other_settings or old.undone) and old.fits:
            return old
        folder = self._empty_folder()
        material, text, recipe = self._settings(folder)
        if old is not None and (not old.undone or self._document.wanted is not old.first):
            recipe = replace(recipe, initialiser="")  # it goes on from the weights that there are
        take_words(self._document, material, text)
        goes_on = old is not None and self.process is None and not old.undone and old.same_weights
        self._from = (self._from if not self.over else old.trainer.at) if goes_on and old else 0
        recipe = replace(recipe, steps=self._from + recipe.steps)
        session = Session(self._document, material, recipe, old if goes_on else None)
        self._end_process()
        state = session.beginning.document
        self.line = Line(state, material, recipe, self.line if goes_on else None) if has_line(state) else None
        if session.work >= LARGE_STEP:
            self.process = ProcessRun(self._document, session, material, folder, self)
            self.process.stepped.connect(self.stepped)
            self.process.failed.connect(self.failed)
            self.process.ended.connect(self.paused)
        self.session, self._other_settings = session, False
        self._set_interval()
        return session

    def _end_process(self) -> None:
        if self.process is not None:
            self.process.close()
            self.process.deleteLater()
        self.process = None

    def _empty_folder(self) -> Path:
        """For the files of a run; they go with this object.

        Raises
        ------
        ExplorerError
            "not-written"
        """
        parent = Path(tempfile.gettempdir())
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
            parent = Path(self._folder.name)
            parent.mkdir(parents=True, exist_ok=True)  # it may have been cleared away meanwhile, as temporary files are
            return Path(tempfile.mkdtemp(dir=parent))
        except OSError as error:
            raise ExplorerError("not-written", file=parent, reason=error.strerror or error) from None

    def _slice(self) -> None:
        """As many steps as half a frame has room for; the window paints in the other half."""
        if self.session is not None and self.session.undone:
            self.paused.emit()
            return
        if self.least and (due := self._due()) < 1:
            return
        self._advance(SLICE_S, due if self.least else inf)

    def _due(self) -> int:
        """How many steps it is behind the pace that somebody can watch."""
        now, (began, at), taken = time.perf_counter(), self._paced_from, self._at
        pace = max(self.steps - self._from, 1) / self.least
        due = at + int(pace * (now - began)) - taken
        if due > max(pace, 1):  # it cannot keep up: no burst later
            self._paced_from = now, taken
        return due

    def _set_interval(self) -> None:
        interval = max(FRAME_MS, round(1000 * self.least / max(self.steps - self._from, 1))) if self.least else 0
        if self._timer.interval() != interval:
            self._timer.setInterval(interval)

    def _measure(self) -> None:
        """How fast it goes, twice a second."""
        (since, at), now = self._since, time.perf_counter()
        if now - since > 0.5:
            self.speed = (self._at - at) / (now - since)
            self._since = now, self._at

    def _advance(self, seconds: float, most: float = inf) -> bool:
        """Go on for so long, or so many steps. Returns whether there is more to do."""
        going = False
        try:
            session = self._begin()
            if self.process is not None:
                self.process.start()
                going = self.process.running
            else:
                session.advance(seconds if self.line is None else seconds / 2, most)
                if self.line is not None:
                    # A step of the line is quick: at the end it takes at once those that it is behind.
                    self.line.follow(session.trainer.at, inf if session.trainer.finished else SLICE_S)
                self._measure()
                going = not session.trainer.finished
                self.stepped.emit()
        except ExplorerError as error:
            self.failed.emit(str(error))
        finally:
            if not going:  # or what went wrong would go wrong again, for ever
                self.paused.emit()
        return going
