"""Gradient descent in the window: what it is set to, the one run of the document, and going on in slices."""

from collections.abc import Iterator, Mapping
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import WeakSet

import numpy as np
import shiboken6
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.core.training.optimisers import OPTIMISERS
from explorer.document.document import Document
from explorer.document.pending_pass import LARGE
from explorer.document.step import Way
from explorer.document.training import Run, trainable
from explorer.ui.bridge import Bridge
from explorer.ui.later import later
from explorer.ui.selection import Cell

if TYPE_CHECKING:  # a session needs all of training, which the first page does not
    from explorer.lessons.session import Session

SLICE_S = 0.006
"""How long training holds the event loop: a good third of a frame at 60 Hz; the window paints in the rest."""
FIRST_RATE = 0.1
UNSEEN = 10
"""So many slices it plays on with nothing in sight that shows it: a page that is made anew is not yet to be seen."""


class Descent(QObject):
    """All controls and pictures of gradient descent on a document share this one.

    Parameters
    ----------
    document : Document
    bridge : Bridge
        Its changes.

    Attributes
    ----------
    kind : str
        A key of `OPTIMISERS`.
    rate : float
        The learning rate.
    elsewhere : Session or None
        The run of the tab "Train", where that took the last step.
    looked_at : tuple of Cell
        The two weights of the loss surface, once somebody has looked at it.

    Signals
    -------
    changed
        What it is set to, the run, where the document is on it, or whether it goes on.
    failed : ExplorerError
        Why it has stopped.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, document: Document, bridge: Bridge) -> None:
        super().__init__(bridge)
        self._document = document
        self.kind, self.rate = next(iter(OPTIMISERS)), FIRST_RATE
        self.looked_at: tuple[Cell, ...] = ()
        self.elsewhere: Session | None = None
        self._run: Run | None = None
        self._moves: dict[str, bool] = {}
        self._lesson = document.state.lesson
        self._trainable: tuple[object, dict[str, bool]] = (None, {})
        self._left = 0.0
        self._way_back: Iterator[None] | None = None
        self._heading: int | None = None
        self._left_from = document.state
        self._unseen = 0
        self._watchers: WeakSet[QWidget] = WeakSet()
        self._timer = later(self, self._slice)
        bridge.changed.connect(self._follow)

    # What it is

    @property
    def possible(self) -> bool:
        """Whether there is a loss to go down."""
        return LOSS.node in self._document.engine.graph.nodes

    @property
    def quick(self) -> bool:
        """Whether a step takes so little that nobody has to wait for it: of large models less is shown."""
        # The way back takes two products for each one of the way there.
        return 3 * sum(self._document.engine.graph.work.values()) < LARGE

    @property
    def run(self) -> Run | None:
        """The run, if the document has the graph that it began with."""
        return self._run if self._run is not None and self._run.fits else None

    @property
    def stepped(self) -> bool:
        """Whether there is a last step that matrices could show."""
        return self.run is not None or (self.elsewhere is not None and self.elsewhere.stepped)

    @property
    def at(self) -> int:
        """After how many steps the document is, or will be when it has been travelled to."""
        run = self.run
        if run is None:
            return 0
        travels = self._way_back is not None or run.underway
        return run.at if self._heading is None or not travels else self._heading

    @property
    def playing(self) -> bool:
        """Whether it goes on until it is told to stop."""
        return self._left == inf

    @property
    def going(self) -> bool:
        """Whether there are steps left to take, or to compute anew."""
        return self._left > 0 or self._way_back is not None

    @property
    def edited(self) -> bool:
        """Whether the document was edited since the last step."""
        run = self.run
        return run is not None and not run.follow()

    def moves(self) -> dict[str, bool]:
        """The inputs that a gradient can move, in reading order, and whether they are to."""
        graph = self._document.state.graph
        if self._trainable[0] is not graph:
            self._trainable = graph, trainable(self._document)
        return {name: self._moves.get(name, moved) for name, moved in self._trainable[1].items()}

    def change(self, place: Place) -> Array:
        """What the last step changed in a node or slice; 0 where there was none."""
        if self.elsewhere is not None and self.elsewhere.stepped:
            return self.elsewhere.change(place)
        run = self.run
        if run is None:
            return np.zeros(self._document.engine.value(place).shape)
        run.follow()
        return run.change(place)

    def ahead(self) -> Mapping[str, Array]:
        """What the next step would make of the inputs that move; it is not taken.

        Raises
        ------
        ExplorerError
            "diverged" where a gradient is no finite number.
        """
        return (self.run or self._begun()).ahead()

    # Setting it

    def set_rate(self, rate: float) -> None:
        """Take the next steps with another learning rate.

        Raises
        ------
        ExplorerError
            "bad-rate"
        """
        if not 0 < rate < 1e6:
            raise ExplorerError("bad-rate", text=f"{rate:g}")
        self.rate = rate
        self._set_way()

    def set_kind(self, kind: str) -> None:
        """Take the next steps with another optimiser; it begins to remember now."""
        self.kind = kind
        if self._run is not None:
            self._run.use(OPTIMISERS[kind](self.rate))
        self.changed.emit()

    def set_moves(self, name: str, moves: bool) -> None:
        """Let an input move at the next steps, or freeze it."""
        self._moves[name] = moves
        self._set_way()

    def _set_way(self) -> None:
        if self.run is not None:
            self.run.way = self._way()
        self.changed.emit()

    def _way(self) -> Way:
        return Way(self.rate, tuple(name for name, moves in self.moves().items() if moves))

    # Going

    def take(self, steps: int) -> None:
        """Take so many steps: the first at once, the others as the event loop finds time."""
        self._go(steps)
        self._slice()

    def play(self) -> None:
        """Go on until stopped, or until nothing that shows it is in sight."""
        self._go(inf)

    def stop(self) -> None:
        """Stay where it is."""
        self._left, self._way_back = 0, None
        self._timer.stop()
        self._document.show_gradients(False, self)
        self.changed.emit()

    def travel(self, step: int) -> None:
        """Go to where the run was after so many steps. A newer wish overtakes an older one."""
        run = self.run
        if run is None or not 0 <= step < len(run.losses):
            return
        self._left, self._heading, self._way_back = 0, step, run.travelling(step)
        self.elsewhere = None
        self._left_from = self._document.state
        self._timer.start()
        self._slice()

    def watched_by(self, widget: QWidget) -> None:
        """A widget that can stop it: while one of those is in sight, it plays on."""
        self._watchers.add(widget)

    def _go(self, steps: float) -> None:
        try:
            self._run = self.run or self._begun()
        except ExplorerError as error:
            self.failed.emit(error)
            return
        self._way_back, self._heading, self._left, self.elsewhere = None, None, steps, None
        self._timer.start()
        self.changed.emit()

    def _slice(self) -> None:
        """As much as half a frame has room for."""
        until, before = perf_counter() + SLICE_S, self._document.state
        run = self.run
        overtaken = self._way_back is not None and self._document.state is not self._left_from
        self._unseen = 0 if self._in_sight() else self._unseen + 1
        if run is None or overtaken or (self.playing and self._unseen > UNSEEN):
            self.stop()  # meanwhile the model has become another, or nobody looks
            return
        try:
            if self._way_back is not None:
                self._way_back = self._way_back if self._rests(until) else None
            while self._left > 0 and self._ready():
                self._left -= 1
                if not self._left:
                    self._document.show_gradients(False, self)  # nobody needs those of where it ends
                run.begin()
                if perf_counter() >= until:
                    break
        except ExplorerError as error:
            self._left, self._way_back = 0, None
            self.failed.emit(error)
        if not self.going:
            self._document.show_gradients(False, self)
            self.changed.emit()
        elif self._document.state is before and not self._document.computing:
            self._timer.start()  # else when what has changed was shown: one slice a frame

    def _ready(self) -> bool:
        """Whether all is there that a step reads: gradients that take long come from the background."""
        if not (self._document.computing or self.quick or self._document.engine.has_gradients):
            self._document.show_gradients(True, self)
        return not self._document.computing

    def _rests(self, until: float) -> bool:
        """Whether the way back is longer than there is time for."""
        assert self._way_back is not None
        return any(perf_counter() >= until for _ in self._way_back)

    def _in_sight(self) -> bool:
        return any(shiboken6.isValid(widget) and widget.isVisible() for widget in self._watchers)

    def _begun(self) -> Run:
        return Run(self._document, OPTIMISERS[self.kind](self.rate), self._way().weights)

    def _follow(self) -> None:
        """The document has changed: it may be elsewhere on the run, or no longer on it."""
        if self._lesson != self._document.state.lesson:
            self._lesson, self._moves = self._document.state.lesson, {}
        if self.run is not None and self._way_back is None:
            self.run.follow()
        if self.going:
            self._timer.start()  # what was posted to be painted comes before
        self.changed.emit()
