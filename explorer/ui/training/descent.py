"""Gradient descent in the window: the one run of the document, by hand or as the page "Train" is set, and its pace.

Small steps are taken in slices of the event loop. A large one is computed on a thread where they are counted, and in a
process of its own where they are to go on.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
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
from explorer.core.training.records import Record
from explorer.document.document import LARGE, Document
from explorer.document.state import State
from explorer.ui.background import Background
from explorer.ui.selection import Cell
from explorer.ui.training.pace import FIRST_PACE, PACES, Movable, Pace
from explorer.ui.training.process import Handover
from explorer.ui.turns import Bridge, later
from explorer.words.progress import Report

if TYPE_CHECKING:  # all of training, which the first page does not need
    from explorer.core.training.trainer import Trainer
    from explorer.training.run import Run
    from explorer.training.stretch import Settings
    from explorer.training.trained_line import TrainedLine
    from explorer.ui.training.process import TrainingProcess

SLICE_S = 0.006
"""How long training holds the event loop: a good third of a frame at 60 Hz; the window paints in the rest."""
LARGE_STEP = 100_000_000
"""Multiply-adds of a step from which on it takes longer than a slice: a run of such steps goes to a process."""
FIRST_RATE = 0.1
UNSEEN = 10
"""So many slices it plays on with nothing in sight that shows it: a page that is made anew is not yet to be seen."""


class Descent(QObject):
    """All controls and pictures of training on a document share this one.

    Somebody may change the model, the example or the settings in mid-run: it goes on with what there is then.

    `opened`: the document as it was opened, each time: who opens an example begins another run.
    """

    changed = Signal()  # what it is set to, the run, where the document is on it, or whether it goes on
    failed = Signal(object)  # ExplorerError: why it has stopped

    def __init__(self, document: Document, bridge: Bridge, opened: Collection[State] = ()) -> None:
        super().__init__(bridge)
        self._document, self._opened = document, opened
        # `kind`: a key of `OPTIMISERS`: how steps by hand are taken.
        # `rate`: the learning rate of steps by hand.
        self.kind, self.rate = next(iter(OPTIMISERS)), FIRST_RATE
        self.looked_at: tuple[Cell, ...] = ()  # the two weights of the loss surface, once somebody has looked at it
        self.line: TrainedLine | None = None  # the linear regression that learns beside the net, where there is one
        self._handover = Handover(self)
        # `least`: seconds that a run by a recipe takes at least, so that one can watch; 0: as fast as it goes.
        # `speed`: steps a second, lately.
        self.least = self.speed = 0.0
        self.pace = FIRST_PACE  # steps a second at most of a run by hand, one of `PACES`
        self._reached: Callable[[State], bool] = lambda _: False
        self._run: Run | None = None
        self._movable = Movable()
        self._lesson = document.state.lesson
        self._settings: Callable[[], Settings] = self._by_hand
        self._others = False  # whether the settings have changed since they were asked for
        self._steps_of_recipe = 0
        self._from = 0  # the step that a recipe's steps are counted from: who goes on at the end takes as many again
        self._left = 0.0
        self._way_back: Iterator[None] | None = None
        self._heading: int | None = None
        self._left_from, self._unseen = document.state, 0
        self._watchers: WeakSet[QWidget] = WeakSet()
        self._since = (0.0, 0)  # when, and after how many steps
        self._pace, self._worker = Pace(), Background(self)
        self._at_work = False
        self._timer = later(self, self._slice)
        bridge.changed.connect(self._follow)

    # What it is

    @property
    def process(self) -> "TrainingProcess | None":
        """While a process takes the steps."""
        return self._handover.process

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
    def run(self) -> "Run | None":
        """The run, if the document is on it, or has been edited there."""
        run, state = self._run, self._document.wanted
        if run is None or run.knows(state):
            return run
        another = (state.lesson, state.setting) != (run.first.lesson, run.first.setting) or state in self._opened
        return None if another or not run.fits else run

    @property
    def stepped(self) -> bool:
        """Whether there is a last step that matrices could show."""
        return (run := self.run) is not None and run.at > run.begun

    @property
    def at(self) -> int:
        """After how many steps the document is, or will be when it has been travelled to."""
        run = self.run
        if run is None:
            return 0
        return run.at if self._way_back is None or self._heading is None else self._heading

    @property
    def steps(self) -> int:
        """After how many steps a run that goes by a recipe ends; 0 where there is none, or steps are taken by hand."""
        return 0 if self.run is None or self._is_by_hand else self._from + self._steps_of_recipe

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
        return (run := self.run) is not None and run.edited

    def moves(self) -> dict[str, bool]:
        """The inputs that a gradient can move, in reading order, and whether they are to."""
        return self._movable.of(self._document.state)

    def weights(self) -> dict[str, bool]:
        """Those of them that training usually moves."""
        return self._movable.weights(self._document.state)

    @property
    def frozen(self) -> tuple[str, ...]:
        """The weights that usually move and are not to."""
        return self._movable.unusual(self._document.state, moves=False)

    @property
    def also(self) -> tuple[str, ...]:
        """The inputs that usually do not move and are to."""
        return self._movable.unusual(self._document.state, moves=True)

    def change(self, place: Place) -> Array:
        """What the last step changed in a node or slice; 0 where there was none."""
        return np.zeros(self._document.engine.value(place).shape) if (run := self.run) is None else run.change(place)

    def ahead(self) -> Mapping[str, Array]:
        """What the next step by hand would make of the inputs that move; it is not taken.

        Raises `ExplorerError`: those of `Run.ahead`.
        """
        from explorer.training.run import Run

        run = self._begun() if self._is_by_hand and self.run is not None else Run(self._document, self._by_hand())
        return run.ahead()

    @property
    def _is_by_hand(self) -> bool:
        return self._settings == self._by_hand

    def _by_hand(self) -> "Settings":
        """All of the document's own example in each step, just as it is shown."""
        from explorer.core.training.recipe import Recipe
        from explorer.training.recipes import Material
        from explorer.training.run import MOST_STEPS
        from explorer.training.stretch import Settings

        decay = OPTIMISERS[self.kind].decay
        recipe = Recipe(self.kind, self.rate, weight_decay=decay, batch=0, steps=MOST_STEPS)
        return Settings(Material("shown"), replace(recipe, frozen=self.frozen, also=self.also))

    # Setting it

    def set_rate(self, rate: float) -> None:
        """Take the next steps by hand with another learning rate.

        Raises `ExplorerError`: "bad-rate".
        """
        if not 0 < rate < 1000:
            raise ExplorerError("bad-rate", text=f"{rate:g}")
        self.rate = rate
        self.use_settings()

    def set_kind(self, kind: str) -> None:
        """Take the next steps by hand with another optimiser; it begins to remember now."""
        self.kind = kind
        self.use_settings()

    def set_moves(self, name: str, moves: bool) -> None:
        """Let an input move at the next steps, or freeze it."""
        self._movable.choose(name, moves)
        self.use_settings()

    def use_settings(self) -> None:
        """Take the next steps with the settings as they are now. A process stops; another goes on from its weights."""
        self._others = True
        if self.process is not None:
            self.stop()
        self.changed.emit()

    def set_least(self, seconds: float) -> None:
        """Let a run that goes by a recipe take so long at least; 0: as fast as it goes."""
        self.least = seconds
        self._count_anew()

    def set_pace(self, pace: float = FIRST_PACE) -> None:
        """Go so many steps a second at most where steps by hand go on by themselves; `inf`: as fast as it goes."""
        self.pace = pace
        self._count_anew()
        self.changed.emit()

    def _count_anew(self) -> None:
        """The pace is another one from here on."""
        self._pace.begin(self.run.at if self.run is not None else 0)
        if self.going:
            self._timer.start(0)

    def go_faster(self, more: int = 1) -> None:
        """Another one of `PACES`, so many places further."""
        at = PACES.index(self.pace) + more
        self.set_pace(PACES[min(max(at, 0), len(PACES) - 1)])

    def stop_where(self, reached: Callable[[State], bool]) -> None:
        """Steps by hand that go on by themselves stop where a state is what is learned for, such as a lesson's goal."""
        self._reached = reached

    # Going

    def take(self, steps: int, settings: "Callable[[], Settings] | None" = None) -> None:
        """Take so many steps: the first at once, the others as the event loop finds time.

        `settings`: how they are taken, asked for whenever that may have changed; by hand, if left out.
        """
        self._go(steps, settings or self._by_hand)

    def play(self, settings: "Callable[[], Settings] | None" = None) -> None:
        """Go on until stopped; by hand, until nothing that shows it is in sight; else until the recipe's end."""
        self._go(inf, settings or self._by_hand)

    def stop(self) -> None:
        """Stay where it is."""
        self._left, self._way_back = 0, None
        self._timer.stop()
        self._handover.stop()
        self.changed.emit()

    def end(self) -> None:
        """Let go of the run; the document keeps what it has learned."""
        self._handover.end()
        self.stop()
        self._run, self.line, self._from, self._at_work = None, None, 0, False
        self._worker.stop()
        self.changed.emit()

    def start_over(self) -> None:
        """Let go of the run, and give the document the weights that it had before."""
        run = self.run
        self.end()
        if run is not None:
            run.start_over()

    def close(self) -> None:
        """Let go of the run and of its files."""
        self.end()
        self._handover.close()

    def travel(self, step: int) -> None:
        """Go to where the run was after so many steps. A newer wish overtakes an older one."""
        run = self.run
        if run is None or not run.begun <= step <= run.records.at:
            return
        if self.process is not None:
            self._handover.stop(partial(self.travel, step))
            self.stop()
            return
        self._left, self._heading, self._way_back = 0, step, run.travelling(step)
        self._left_from = self._document.wanted
        self._slice()

    def watched_by(self, widget: QWidget) -> None:
        """A widget that can stop it: while one of those is in sight, steps by hand go on."""
        self._watchers.add(widget)

    def go_on(self) -> None:
        """Go on with the settings of before, from where the document is now."""
        self._go(inf, self._settings)

    def _go(self, steps: float, settings: "Callable[[], Settings]") -> None:
        if self.process is not None:
            self._handover.stop(partial(self._go, steps, settings))
            return
        self._others |= settings != self._settings
        self._settings, self._way_back, self._heading, self._left = settings, None, None, steps
        try:
            run = self._begun()
            if run.finished and not self._is_by_hand:
                self._from, self._others = run.at, True
        except ExplorerError as error:
            self.fail(error)
            return
        self._since, self.speed = (perf_counter(), run.records.at), 0.0
        self.changed.emit()
        self._slice(first=True)
        self._pace.begin(self.run.at if self.run is not None else 0)

    def _begun(self) -> "Run":
        """The run with the settings as they are now; a new one where there is none."""
        from explorer.training.run import Run
        from explorer.training.trained_line import line_beside

        run = self.run
        if run is not None and not self._others and run.same_example:
            return run
        if run is None:
            self._from, self.line = 0, None
        settings = self._settings()
        if not self._is_by_hand:
            self._steps_of_recipe = settings.recipe.steps
            settings = replace(settings, recipe=replace(settings.recipe, steps=self._from + settings.recipe.steps))
        if run is None:
            self._run = run = Run(self._document, settings)
        else:
            run.use(settings)
        self.line = line_beside(self._document.wanted, settings, self.line)
        self._others = False
        return run

    def _slice(self, first: bool = False) -> None:
        """As much as a part of a frame has room for."""
        if self.process is not None or self._at_work:
            return
        until, before, run = perf_counter() + SLICE_S, self._document.wanted, self.run
        overtaken = self._way_back is not None and before is not self._left_from
        self._unseen = 0 if self._in_sight() else self._unseen + 1
        unseen = self.playing and self._is_by_hand and self._unseen > UNSEEN
        if run is None or overtaken or unseen or (self._taken_back and not first):
            self.stop()  # meanwhile the model has become another, somebody has undone steps, or nobody looks
            return
        try:
            if self._way_back is not None:
                if all(perf_counter() < until for _ in self._way_back):
                    self._way_back = None
                if self._way_back is None and self.line is not None:
                    self.line.follow(run.at, SLICE_S)
            elif self._left > 0 and not self._document.computing:
                self._step(1 if first else self._due())
        except ExplorerError as error:
            self.fail(error)
        if not self.going:
            self.changed.emit()
        elif self._document.wanted is before and not self._document.computing and not self._at_work:
            pause = self._pace.pause_ms(*self._paced) if self._paced else 0
            self._timer.start(pause)  # else when what has changed was shown: one slice a frame

    def _step(self, most: float) -> None:
        """Take steps, or let a thread or a process take them."""
        run = self._begun()
        if run.finished:
            self._left = 0
            return
        trainer = run.begin()
        if self.playing and not self._is_by_hand and run.prepared.work >= LARGE_STEP:
            self._handover.start(run)
        elif most < 1:
            return
        elif not self.quick:
            self._take_beside(run, trainer)
        else:
            at = run.at
            try:
                self._take(run, min(most, self._left))
            finally:
                self._left = max(self._left - (run.at - at), 0)
            self.after_steps(run)

    def _take(self, run: "Run", most: float) -> None:
        """As many steps as a slice has room for; one by one where each of them may be the one that is looked for."""
        seconds = SLICE_S if self.line is None else SLICE_S / 2
        if not (self.playing and self._is_by_hand):
            run.take(seconds, most)
            return
        end, begun = run.at + most, perf_counter()
        until = begun + seconds
        while run.at < end and not run.finished:
            run.take()
            if self._reached(self._document.wanted):
                self._left = 0
            now = perf_counter()
            if not self._left or now + (now - begun) > until:
                return  # one more as long as the last would not be over in time
            begun = now

    def after_steps(self, run: "Run") -> None:
        """Some steps have been taken: the line beside the net follows, and their speed is measured."""
        if run.finished:
            self._left = 0
        if self.line is not None:
            # A step of the line is quick: at the end it takes at once those that it is behind.
            self.line.follow(run.at, SLICE_S if self._left else inf)
        (since, at), now = self._since, perf_counter()
        if now - since > 0.5:
            self.speed, self._since = (run.records.at - at) / (now - since), (now, run.records.at)

    def _take_beside(self, run: "Run", trainer: "Trainer") -> None:
        """Compute a step on a thread; what is edited meanwhile overtakes it."""
        from explorer.training.run import step_of

        begun_from = self._document.wanted
        self._at_work = True

        def work(_report: Report) -> "tuple[Trainer, Record] | ExplorerError":
            try:
                return step_of(trainer)
            except ExplorerError as error:
                return error

        def then(found: "tuple[Trainer, Record] | ExplorerError") -> None:
            self._at_work = False
            if isinstance(found, ExplorerError):
                self.fail(found)
            elif self.run is run and self._document.wanted is begun_from and self._left:
                self._left -= 1
                run.add(*found)
                self.after_steps(run)
                run.show()
            else:
                self._left = self._left if self.playing else 0
            if self.going:
                self._timer.start(0)
            self.changed.emit()

        self._worker.ask(work, then)

    def fail(self, error: ExplorerError) -> None:
        """Stay where it is, and say why."""
        self._left, self._way_back = 0, None
        self.failed.emit(error)
        self.changed.emit()

    @property
    def _taken_back(self) -> bool:
        """Whether somebody has undone something while it goes on: one step more would make that impossible to redo."""
        return self._left > 0 and self._document.history.redo_label is not None

    def _in_sight(self) -> bool:
        return any(shiboken6.isValid(widget) and widget.isVisible() for widget in self._watchers)

    @property
    def _paced(self) -> tuple[float, int] | None:
        """In how many seconds it takes how many steps at most; None: as fast as it goes."""
        if not self.playing:
            return None
        if self._is_by_hand:
            return (1.0, int(self.pace)) if self.pace < inf else None
        return (self.least, self._steps_of_recipe) if self.least else None

    def _due(self) -> float:
        """How many steps it is behind the pace that somebody can watch."""
        run, paced = self._run, self._paced
        return inf if run is None or paced is None else self._pace.due(run.at, *paced)

    def _follow(self) -> None:
        """The document has changed: it may be elsewhere on the run, or no longer on it."""
        if self._lesson != self._document.state.lesson:
            self._lesson = self._document.state.lesson
            self._movable.forget()
        if (run := self.run) is not None:
            run.mark_end()
        if self.process is not None:
            self._handover.follow()
        elif self._taken_back:
            self.stop()
        elif self.going:
            self._timer.start(0)  # what was posted to be painted comes before
        self.changed.emit()
