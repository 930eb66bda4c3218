"""Gradient descent in the window: the document's one run, by hand or with the settings of the tab "Train"; its pace.

Steps of a small model are taken in slices of the event loop. Steps of a large model are computed on a thread or, in a
run by a recipe that plays, in a process of its own.
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
from explorer.core.graph import LOSS, Cell, Place
from explorer.core.numbers import read_number
from explorer.core.ops import Array
from explorer.core.training.recipe import OPTIMISERS
from explorer.core.training.records import Record
from explorer.core.training.trainer import trainable
from explorer.document.document import LARGE, Document
from explorer.document.state import State
from explorer.ui.background import Background
from explorer.ui.training.process import Handover
from explorer.ui.turns import Bridge, later

if TYPE_CHECKING:
    from explorer.core.training.trainer import Trainer
    from explorer.training.preparation import RunSettings
    from explorer.training.run import Run, TrainedLine
    from explorer.ui.training.process import TrainingProcess

SLICE_S = 0.006
"""Seconds that training may hold the event loop: a third of a frame at 60 Hz; the window paints in the rest."""
LARGE_STEP = 100_000_000
"""A step of this many multiply-adds or more takes longer than a slice: a process takes the steps of such a run."""
FIRST_RATE = 0.1
UNSEEN = 10
"""Steps by hand play on for this many slices while no widget shows the run: a page being rebuilt is hidden briefly."""
FRAME_MS = 16
PACES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, inf)
"""Steps a second of a run by hand; the last one is as fast as possible."""
FIRST_PACE = 10.0
"""Slow enough to see what each step does."""


class Descent(QObject):
    """The training of a document; all controls and pictures of training share this one object.

    The model, the example or the settings may change during a run: the next steps use the new ones.

    `opened`: each state in which the document was opened; opening an example begins a new run.
    """

    changed = Signal()  # the settings, the run, the document's place on the run, or whether steps are being taken
    failed = Signal(object)  # ExplorerError: why the run has stopped

    def __init__(self, document: Document, bridge: Bridge, opened: Collection[State] = ()) -> None:
        super().__init__(bridge)
        self._document, self._opened = document, opened
        # `kind`: the optimiser of steps by hand, a key of `OPTIMISERS`.
        # `rate`: the learning rate of steps by hand.
        self.kind, self.rate = next(iter(OPTIMISERS)), FIRST_RATE
        self.looked_at: tuple[Cell, ...] = ()  # the two weights of the loss surface; empty before it is first shown
        self.line: TrainedLine | None = None  # the linear regression that is trained beside the net, if there is one
        self._handover = Handover(self)
        # `least`: the shortest time in seconds for a run by a recipe, so that one can watch; 0: as fast as possible.
        # `speed`: steps a second, measured over about the last half second.
        self.least = self.speed = 0.0
        self.pace = FIRST_PACE  # the most steps a second of a run by hand, one of `PACES`
        self.at_once = 100  # how many steps by hand a person takes at once
        self._reached: Callable[[State], bool] = lambda _: False
        self._run: Run | None = None
        self._choices: dict[str, bool] = {}  # whether training changes an input, where a person has chosen that
        self._usual: tuple[object, dict[str, bool]] = (None, {})  # a graph, and what training changes in it by default
        self._lesson = document.state.lesson
        self._settings: Callable[[], RunSettings] = self._by_hand
        self._settings_changed = False  # whether the settings have changed since the run last read them
        self._steps_of_recipe = 0
        self._from = 0  # a recipe's steps are counted from this step: continuing a finished run takes them all again
        self._left = 0.0
        self._way_back: Iterator[None] | None = None
        self._heading: int | None = None
        self._left_from, self._unseen = document.state, 0
        self._watchers: WeakSet[QWidget] = WeakSet()
        self._since = (0.0, 0)  # the time and the step from which `speed` is measured
        self._paced_from = (0.0, 0)  # the time and the step from which it is counted how many steps are due
        self._worker = Background(self)
        self._at_work = False
        self._timer = later(self, self._slice)
        bridge.changed.connect(self._follow)

    # Its state

    @property
    def process(self) -> "TrainingProcess | None":
        """The process that takes the steps; None if none does."""
        return self._handover.process

    @property
    def possible(self) -> bool:
        """Whether the model has a loss."""
        return LOSS in self._document.engine.graph.nodes

    @property
    def quick(self) -> bool:
        """Whether a step is too short to wait for; less is shown of models for which it is not."""
        # The backward pass computes two products for each one of the forward pass.
        return 3 * sum(self._document.engine.graph.work.values()) < LARGE

    @property
    def run(self) -> "Run | None":
        """The run, if the document's weights are those of one of its steps, or were edited from there."""
        run, state = self._run, self._document.wanted
        if run is None or run.knows(state):
            return run
        another = (state.lesson, state.setting) != (run.first.lesson, run.first.setting) or state in self._opened
        return None if another or not run.fits else run

    @property
    def stepped(self) -> bool:
        """Whether a step has been taken, so that matrices can show what it changed."""
        return (run := self.run) is not None and run.at > run.begun

    @property
    def at(self) -> int:
        """The step of the run that the document is at, or is travelling to."""
        run = self.run
        if run is None:
            return 0
        return run.at if self._way_back is None or self._heading is None else self._heading

    @property
    def steps(self) -> int:
        """The last step of a run by a recipe; 0 if there is no run, or its steps are taken by hand."""
        return 0 if self.run is None or self._is_by_hand else self._from + self._steps_of_recipe

    @property
    def playing(self) -> bool:
        """Whether steps are taken until `stop` is called."""
        return self._left == inf

    @property
    def going(self) -> bool:
        """Whether there are steps left to take, or to recompute while travelling."""
        return self._left > 0 or self._way_back is not None

    @property
    def edited(self) -> bool:
        """Whether the document was edited since the last step."""
        return (run := self.run) is not None and run.edited

    def moves(self) -> dict[str, bool]:
        """The inputs that gradient descent can change, in reading order; True for those that the next steps change."""
        return {name: self._choices.get(name, usual) for name, usual in self._usually().items()}

    def weights(self) -> dict[str, bool]:
        """The part of `moves` for the inputs that training changes by default."""
        usually = self._usually()
        return {name: moves for name, moves in self.moves().items() if usually[name]}

    @property
    def frozen(self) -> tuple[str, ...]:
        """The inputs that training changes by default and that are frozen."""
        return self._unusual(moves=False)

    @property
    def also(self) -> tuple[str, ...]:
        """The inputs that training leaves alone by default and that the next steps change."""
        return self._unusual(moves=True)

    def _unusual(self, moves: bool) -> tuple[str, ...]:
        usually = self._usually()
        return tuple(name for name, now in self.moves().items() if now is moves and usually[name] is not moves)

    def _usually(self) -> dict[str, bool]:
        state = self._document.state
        if self._usual[0] is not state.graph:
            self._usual = state.graph, trainable(state.graph, state.model)
        return self._usual[1]

    def change(self, place: Place) -> Array:
        """What the last step changed in a node or slice; zeros if there is no run."""
        return np.zeros(self._document.engine.value(place).shape) if (run := self.run) is None else run.change(place)

    def ahead(self) -> Mapping[str, Array]:
        """The inputs as the next step by hand would make them; the step is not taken.

        Raises `ExplorerError`: the same as `Run.ahead`.
        """
        from explorer.training.run import Run

        run = self._begun() if self._is_by_hand and self.run is not None else Run(self._document, self._by_hand())
        return run.ahead()

    @property
    def _is_by_hand(self) -> bool:
        return self._settings == self._by_hand

    def _by_hand(self) -> "RunSettings":
        """The settings of steps by hand: each step uses the whole example that is shown."""
        from explorer.core.training.recipe import Recipe
        from explorer.training.preparation import RunSettings
        from explorer.training.recipes import Material
        from explorer.training.run import MOST_STEPS

        decay = OPTIMISERS[self.kind].decay
        recipe = Recipe(self.kind, self.rate, weight_decay=decay, batch=0, steps=MOST_STEPS)
        return RunSettings(Material("shown"), replace(recipe, frozen=self.frozen, also=self.also))

    # Setting it

    def set_rate(self, rate: float | str) -> None:
        """Take the next steps by hand with another learning rate, or the one that was typed.

        Raises `ExplorerError`: "bad-rate", and the same as `read_number`.
        """
        rate = read_number(rate) if isinstance(rate, str) else rate
        if not 0 < rate < 1000:
            raise ExplorerError("bad-rate", text=f"{rate:g}")
        self.rate = rate
        self.use_settings()

    def set_at_once(self, steps: int) -> None:
        """Set how many steps by hand a person takes at once."""
        self.at_once = steps
        self.changed.emit()

    def set_kind(self, kind: str) -> None:
        """Take the next steps by hand with another optimiser; its moving averages begin anew."""
        self.kind = kind
        self.use_settings()

    def set_moves(self, name: str, moves: bool) -> None:
        """Let the next steps change an input, or freeze it."""
        self._choices[name] = moves
        self.use_settings()

    def use_settings(self) -> None:
        """Take the next steps with the current settings. A running process stops with its weights kept."""
        self._settings_changed = True
        if self.process is not None:
            self.stop()
        self.changed.emit()

    def set_least(self, seconds: float) -> None:
        """Set how many seconds a run by a recipe takes at least; 0: as fast as possible."""
        self.least = seconds
        self._count_anew()

    def set_pace(self, pace: float = FIRST_PACE) -> None:
        """Set the most steps a second for steps by hand that play; `inf`: as fast as possible."""
        self.pace = pace
        self._count_anew()
        self.changed.emit()

    def _count_anew(self) -> None:
        """Measure the new pace from this step on."""
        self._paced_from = perf_counter(), self.run.at if self.run is not None else 0
        if self.going:
            self._timer.start(0)

    def go_faster(self, more: int = 1) -> None:
        """Choose the pace that is `more` places further in `PACES`."""
        at = PACES.index(self.pace) + more
        self.set_pace(PACES[min(max(at, 0), len(PACES) - 1)])

    def stop_where(self, reached: Callable[[State], bool]) -> None:
        """Stop steps by hand that play as soon as `reached` is true of the state, such as for a lesson's goal."""
        self._reached = reached

    # Going

    def take(self, steps: int, settings: "Callable[[], RunSettings] | None" = None) -> None:
        """Take a number of steps: the first at once, the others in later turns of the event loop.

        `settings` gives the settings, and is called again whenever they may have changed; left out: by hand.
        """
        self._go(steps, settings or self._by_hand)

    def play(self, settings: "Callable[[], RunSettings] | None" = None) -> None:
        """Take steps until stopped; by hand, also until no watching widget is visible; else until the recipe's end."""
        self._go(inf, settings or self._by_hand)

    def stop(self) -> None:
        """Take no more steps."""
        self._left, self._way_back = 0, None
        self._timer.stop()
        self._handover.stop()
        self.changed.emit()

    def end(self) -> None:
        """Forget the run; the document keeps its trained weights."""
        self._handover.end()
        self.stop()
        self._run, self.line, self._from, self._at_work = None, None, 0, False
        self._worker.stop()
        self.changed.emit()

    def start_over(self) -> None:
        """Forget the run, and give the document the weights from before it."""
        run = self.run
        self.end()
        if run is not None:
            run.start_over()

    def close(self) -> None:
        """Forget the run and delete its files."""
        self.end()
        self._handover.close()

    def travel(self, step: int) -> None:
        """Give the document the weights after the given step of the run. A newer call replaces an older one."""
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
        """Add a widget that can stop the run: steps by hand play on while one of these widgets is visible."""
        self._watchers.add(widget)

    def go_on(self) -> None:
        """Play on with the same settings, from the document's current weights."""
        self._go(inf, self._settings)

    def _go(self, steps: float, settings: "Callable[[], RunSettings]") -> None:
        if self.process is not None:
            self._handover.stop(partial(self._go, steps, settings))
            return
        self._settings_changed |= settings != self._settings
        self._settings, self._way_back, self._heading, self._left = settings, None, None, steps
        try:
            run = self._begun()
            if run.finished and not self._is_by_hand:
                self._from, self._settings_changed = run.at, True
        except ExplorerError as error:
            self.fail(error)
            return
        self._since, self.speed = (perf_counter(), run.records.at), 0.0
        self.changed.emit()
        self._slice(first=True)
        self._paced_from = perf_counter(), self.run.at if self.run is not None else 0

    def _begun(self) -> "Run":
        """The run with the current settings; a new run if there is none."""
        from explorer.training.run import Run, line_beside

        run = self.run
        if run is not None and not self._settings_changed and run.same_example:
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
        self._settings_changed = False
        return run

    def _slice(self, first: bool = False) -> None:
        """Take or recompute as many steps as fit into one slice, and plan the next slice."""
        if self.process is not None or self._at_work:
            return
        until, before, run = perf_counter() + SLICE_S, self._document.wanted, self.run
        overtaken = self._way_back is not None and before is not self._left_from
        self._unseen = 0 if self._in_sight() else self._unseen + 1
        unseen = self.playing and self._is_by_hand and self._unseen > UNSEEN
        if run is None or overtaken or unseen or (self._taken_back and not first):
            self.stop()  # meanwhile the model was replaced, steps were undone, or no widget shows the run
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
            paced = self._paced
            pause = 0 if paced is None else max(FRAME_MS, round(1000 * paced[0] / max(paced[1], 1)))
            self._timer.start(pause)  # otherwise `_follow` starts it after the change is shown: one slice a frame

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
        """Take as many steps as fit into a slice; one by one when playing by hand, where each may reach the aim."""
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
                return  # another step as long as the last one would end too late
            begun = now

    def after_steps(self, run: "Run") -> None:
        """Let the line beside the net catch up with the steps just taken, and measure their speed."""
        if run.finished:
            self._left = 0
        if self.line is not None:
            # A step of the line is quick: at the end the line takes all its missing steps at once.
            self.line.follow(run.at, SLICE_S if self._left else inf)
        (since, at), now = self._since, perf_counter()
        if now - since > 0.5:
            self.speed, self._since = (run.records.at - at) / (now - since), (now, run.records.at)

    def _take_beside(self, run: "Run", trainer: "Trainer") -> None:
        """Compute a step on a thread; if the document is edited meanwhile, the step is dropped."""
        from explorer.training.run import step_of

        begun_from = self._document.wanted
        self._at_work = True

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

        self._worker.ask(lambda _report: step_of(trainer), then, then)

    def fail(self, error: ExplorerError) -> None:
        """Take no more steps, and report the error."""
        self._left, self._way_back = 0, None
        self.failed.emit(error)
        self.changed.emit()

    @property
    def _taken_back(self) -> bool:
        """Whether something was undone while steps are being taken: another step would make redoing it impossible."""
        return self._left > 0 and self._document.history.redo_label is not None

    def _in_sight(self) -> bool:
        return any(shiboken6.isValid(widget) and widget.isVisible() for widget in self._watchers)

    @property
    def _paced(self) -> tuple[float, int] | None:
        """The pace as seconds and the most steps taken in them; None: as fast as possible."""
        if not self.playing:
            return None
        if self._is_by_hand:
            return (1.0, int(self.pace)) if self.pace < inf else None
        return (self.least, self._steps_of_recipe) if self.least else None

    def _due(self) -> float:
        """How many steps the run is behind its pace; `inf` if it has none."""
        run, paced = self._run, self._paced
        if run is None or paced is None:
            return inf
        (least, steps), now, (began, start) = paced, perf_counter(), self._paced_from
        pace = max(steps, 1) / least
        due = start + int(pace * (now - began)) - run.at
        if due > max(pace, 1):  # more than a second behind: count anew, so that no burst of steps follows
            self._paced_from = now, run.at
        return due

    def _follow(self) -> None:
        """React to a change of the document, which may now be at another step of the run, or have left the run."""
        if self._lesson != self._document.state.lesson:
            self._lesson = self._document.state.lesson
            self._choices = {}  # they are about the inputs of the example before
        if (run := self.run) is not None:
            run.mark_end()
        if self.process is not None:
            self._handover.follow()
        elif self._taken_back:
            self.stop()
        elif self.going:
            self._timer.start(0)  # the paint events posted before are handled first
        self.changed.emit()
