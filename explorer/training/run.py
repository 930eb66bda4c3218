"""One run of training on an open document, by hand or as a recipe says, and the way back.

::

    Settings ──► Trainer ──► Trainer ──► …      a step makes the next trainer; the old one stays as it is
       │            │
    document ◄──────┘        its weights, put into the document: all steps of a run are one step to undo

A trainer (`explorer.core.training.trainer`) is everything that the next step depends on: weights, what the optimiser
remembers, examples, settings, and how many steps were taken. So going back is to take up an earlier trainer, a step
that was not kept is computed anew from one before it, and a process of its own needs nothing but a trainer, which it
hands back through a checkpoint. Who has gone back, or has edited, and goes on from there begins a new branch.

Other settings, another example or another structure with the same weights make another trainer in the midst of the run:
a `Stretch` of steps has one.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from weakref import WeakKeyDictionary

import numpy as np

from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.core.training import checkpoint
from explorer.core.training.recipe import BOUNDS
from explorer.core.training.records import Record, Records
from explorer.core.training.trainer import Trainer
from explorer.document.commands import Replace
from explorer.document.deferred import unread
from explorer.document.document import Document
from explorer.document.state import State
from explorer.training.preparation import Prepared, prepare_document, shaped, take_words, with_weights
from explorer.training.stretch import Point, Settings, Stretch, same_material

MOST_STEPS = int(BOUNDS["steps"][1])
BUDGET = 64 * 2**20
"""Bytes of earlier trainers that a run keeps."""


class Run:
    """Steps of training on the weights of a document.

    Of a small model all trainers on the way are kept. Where they take more than the budget, every second one is let go,
    again and again; one that is asked for later is computed anew from the kept one before it, to the same bits.

    Parameters
    ----------
    settings : Settings
        Of the first steps; with an `initialiser`, these begin from weights that are drawn anew.
    budget : int
        Bytes of earlier trainers that may be kept.

    Raises
    ------
    ExplorerError
        Those of `take_words`, `prepare_document` and `Trainer`.
    """

    def __init__(self, document: Document, settings: Settings, budget: int = BUDGET) -> None:
        take_words(document, settings.material)
        self.first = document.wanted  # the document as it was before all steps
        self.records = Records()  # of all steps taken
        self._document, self._settings, self._budget = document, settings, budget
        self._stroke = object()
        prepared = prepare_document(self.first, settings.material, settings.recipe)
        trainer = prepared.trainer()
        if self.first.optimiser is not None and self.first.records is not None:
            trainer.resume(self.first.optimiser, self.first.records.at)
        # After how many steps it begins: those whose training the document was saved with are gone on with.
        self.begun = trainer.at
        if self.begun and self.first.records is not None:
            self.records = self.first.records
        self._here = Point(trainer, Stretch(settings, prepared), self.first)
        self._state_here = self.first
        self._before: Point | None = None
        self.kept = {self.begun: self._here}  # the points at hand, by the number of steps
        self._never_let_go = {self.begun}
        self._every = 1
        # States that somebody may come back to, by undo too.
        self._known: WeakKeyDictionary[State, Point] = WeakKeyDictionary()
        self._known[self.first] = self._here
        self._values: tuple[Mapping[str, Array], Mapping[str, Array]] | None = None
        self._values_before: Mapping[str, Array] | None = None
        self._furthest = self.begun
        self._end: tuple[int, float] = -1, float("nan")
        self.mark_end()

    # Where it is

    @property
    def at(self) -> int:
        """After how many steps the document is, will be when that is computed, or was before it was edited."""
        return self._now().trainer.at

    @property
    def here(self) -> Point:
        """Where the document is, or was before it was edited."""
        return self._now()

    @property
    def weights_edited(self) -> bool:
        """Whether weights were edited since the last step.

        Raises `ExplorerError`: "model-changed".
        """
        return bool(self._edits())

    @property
    def edited(self) -> bool:
        """Whether the document was edited since the last step."""
        self._now()
        return self._document.wanted is not self._state_here

    @property
    def settings(self) -> Settings:
        """Those of the next steps."""
        return self._settings

    @property
    def trainer(self) -> Trainer:
        """The one that has come to where the document is, or was before it was edited."""
        return self._now().trainer

    @property
    def prepared(self) -> Prepared:
        """What is learned from there."""
        return self._now().stretch.prepared

    @property
    def finished(self) -> bool:
        """Whether all steps of the settings have been taken."""
        return self.at >= self._settings.recipe.steps

    @property
    def same_example(self) -> bool:
        """Whether the document still has the model and the example that were learned last."""
        point = self._now()
        return point.stretch.fits(self._document.wanted, point.trainer.weights)

    @property
    def fits(self) -> bool:
        """Whether the document still has the same weights, in the same shapes, whatever their values."""
        try:
            self._edits()
        except ExplorerError:
            return False
        return True

    def knows(self, state: State) -> bool:
        """Whether the run has brought a document there, or began with it."""
        return state in self._known

    def curve(self) -> tuple[Array, Array]:
        """The losses, and after how many steps each was; the last one only where the document itself shows it."""
        steps, losses = self.records.steps - 1, self.records.losses
        if self.mark_end() == self.records.at:
            return np.append(steps, self._end[0]), np.append(losses, self._end[1])
        return steps, losses

    def _now(self) -> Point:
        """Where the document is: undo and redo go to states of the run, too."""
        known = self._known.get(self._document.wanted)
        if known is not None and self._document.wanted is not self._state_here:
            self._be(known, self._document.wanted)
        return self._here

    def _be(self, point: Point, state: State) -> None:
        self._here, self._state_here, self._before = point, state, None
        self._values = self._values_before = None

    def mark_end(self) -> int:
        """Remember the loss behind the last step, if the document shows it. Returns of which step it is known."""
        point, document = self._now(), self._document
        if point.trainer.at == self.records.at and document.state is self._state_here and point.stretch.as_shown:
            self._end = self.records.at, float(document.engine.values[LOSS.node])
        return self._end[0]

    def _edits(self) -> dict[str, Array]:
        """The weights of the document that are other arrays than the run has left there.

        Raises `ExplorerError`: "model-changed" where the document has other weights altogether, or of other shapes.
        """
        trainer, state = self._now().trainer, self._document.wanted
        nodes, inputs, left = state.graph.nodes, unread(state.inputs), unread(self._state_here.inputs)
        found: dict[str, Array] = {}
        for name in trainer.weights:
            if name not in nodes or not nodes[name].is_input:
                raise ExplorerError("model-changed")
            now = inputs[name]
            if now is left[name]:
                continue
            axes = zip(nodes[name].axes, now.shape, left[name].shape, strict=False)
            differing = {axis for axis, n, m in axes if n != m}
            if now.ndim != left[name].ndim or not differing <= state.graph.sequences.keys():
                raise ExplorerError("model-changed")
            found[name] = now
        return {name: state.inputs[name] for name in found}

    # Going on

    def use(self, settings: Settings) -> None:
        """Take the next steps with other settings.

        Raises `ExplorerError`: those of `take_words`.
        """
        take_words(self._document, settings.material)
        self._settings = settings

    def take(self, seconds: float = 0.0, most: float = 1) -> None:
        """Take steps for so long, or so many, but one at least, and show the document the weights.

        Raises `ExplorerError`: those of `begin` and of `Trainer.step`. The steps before are taken.
        """
        end, before = perf_counter() + seconds, self.begin()
        try:
            for _ in range(int(min(most, before.recipe.steps - before.at))):
                self.add(*step_of(self._here.trainer, self._document.engine))
                if perf_counter() >= end:
                    break
        finally:
            self.show()

    def begin(self) -> Trainer:
        """The trainer that is to take the next step, from where the document is now.

        Raises `ExplorerError`: "run-too-long"; "model-changed" where the document has other weights by now; those of
        `prepare_document` and `Trainer`.
        """
        if self.at >= MOST_STEPS:
            raise ExplorerError("run-too-long", limit=f"{MOST_STEPS:,}")
        point = self._start()
        if point is not self._here:
            self._be(point, self._document.wanted)
            self._known[self._document.wanted] = point
        return point.trainer

    def add(self, trainer: Trainer, record: Record) -> None:
        """A step has been taken from where the run is."""
        start = self._here
        self._forget_after(start.trainer.at)
        if self.kept.get(start.trainer.at) is not start and start.state is not None:
            self._keep_start(start)
        self.records, self._furthest = self.records.with_record(record), trainer.at
        self._before, self._here = start, Point(trainer, start.stretch)
        if trainer.at % self._every == 0:
            self.kept[trainer.at] = self._here
            self._let_go()

    def show(self) -> None:
        """Put the weights where the run is into the document."""
        point, document = self._here, self._document
        if point.state is not None or self._known.get(document.wanted) is point:
            return  # no step was taken
        one_step = self._before is not None and self._known.get(document.state) is self._before
        self._values, self._values_before = None, document.engine.values if one_step else None
        state = self._with_weights(document.wanted, point)
        self._state_here = self._place(state, point)
        self.mark_end()

    def _start(self) -> Point:
        """The point that the next step is taken from: where the run is, or another one after an edit."""
        edits, here, state, settings = self._edits(), self._here, self._document.wanted, self._settings
        stretch = here.stretch
        trainer: Trainer | None = here.trainer
        if not stretch.fits(state, here.trainer.weights):
            trainer = None
        elif stretch.settings is not settings:
            same = same_material(stretch.settings.material, settings.material)
            recipe = replace(settings.recipe, initialiser=here.trainer.recipe.initialiser)
            trainer = here.trainer.under(recipe) if same else None
            stretch = replace(stretch, settings=settings)
        if trainer is None:
            # New weights were drawn when the run began.
            prepared = prepare_document(state, settings.material, replace(settings.recipe, initialiser=""))
            trainer = prepared.trainer()
            trainer.go_on_from(here.trainer)
            stretch = Stretch(settings, prepared)
        if trainer is here.trainer and not edits:
            return here
        if edits:
            trainer = copy(trainer)
            trainer.set(edits)
        return Point(trainer, stretch, state)

    def ahead(self) -> Mapping[str, Array]:
        """What the next step would make of the weights that move; it is not taken.

        Raises `ExplorerError`: those of `begin` and of `Trainer.step`.
        """
        return shaped(self._document.wanted, self._start().trainer.ahead())

    def receive(self, file: Path) -> None:
        """Be where a process has come to that went on from here, as it wrote down; weights that were edited stay so.

        Raises `ExplorerError`: those of `checkpoint.load`.
        """
        edits, start = self._edits(), self._here
        trainer = copy(start.trainer)
        records = checkpoint.load(trainer, file)
        if trainer.at == start.trainer.at:
            return
        if self.records.at < records.at:
            self.records = records
        trainer.set(edits)
        self._before, self._here = None, Point(trainer, start.stretch)
        self.kept[trainer.at], self._furthest = self._here, trainer.at
        if edits:
            self._never_let_go.add(trainer.at)
        self._let_go()
        self.show()

    def hear(self, record: Record) -> None:
        """A process has taken a step; its weights come later."""
        if record.step == self.records.at + 1:
            self.records = self.records.with_record(record)

    def hand_over(self) -> Point:
        """The point that a process is to go on from."""
        self.begin()
        self._forget_after(self._here.trainer.at)
        if self._here.state is not None:
            self._keep_start(self._here)
        return self._here

    def forget_unseen(self) -> None:
        """Let go of the records of steps that a process has not kept."""
        self.records = self.records.up_to(self._furthest)

    # Going back

    def travel(self, step: int) -> None:
        """Go to where the run was after so many steps."""
        for _ in self.travelling(step):
            pass

    def travelling(self, step: int) -> Iterator[None]:
        """The same, with a rest after each step that has to be computed anew; the document moves at the end."""
        if step == self.at and not self.edited:
            return
        self.mark_end()
        for point in self._points(step):  # noqa: B007
            yield
        self._be(point, self._place(self._state_of(point), point))

    def start_over(self) -> None:
        """Give the document the weights that it had before all steps; those that a switch has added begin anew."""
        state, weights = self._document.wanted, self.trainer.weights
        if state is self.first:
            return
        arrays = {name: self.first.inputs[name] for name in weights if name in self.first.inputs}
        others = {name: array for name, array in state.beyond.items() if name not in weights}
        beyond = others | {name: array for name, array in self.first.beyond.items() if name in arrays}
        before = replace(state.with_inputs(arrays), beyond=beyond)
        added = weights.keys() - arrays.keys()
        if added:
            before = replace(before, inputs={name: a for name, a in before.inputs.items() if name not in added})
        if added or any(array.shape != state.graph.shape(name) for name, array in arrays.items()):
            # The model, or the sentence, is another one than before all steps.
            before = before.rebuilt(state.model)
        before = replace(before, records=self.first.records, optimiser=self.first.optimiser)
        self._document.do(Replace(before, "Start over"))

    def change(self, place: Place) -> Array:
        """What the last step changed in a node or slice of the document: after it minus before; 0 before the first.

        Also 0 where the node has another shape by now: the text has other words than in that step.
        """
        before, after = (values.get(place.node) for values in self._around_last_step())
        shape = self._document.engine.values[place.node].shape
        if before is None or after is None or not before.shape == after.shape == shape:
            return np.zeros(self._document.engine.value(place).shape)
        with np.errstate(invalid="ignore"):
            now, was = after[place.index], before[place.index]
            change: Array = np.where(now == was, 0.0, now - was)
        return change

    def path(self, cells: Sequence[tuple[str, tuple[int, ...]]], most: int = 500) -> tuple[Array, Array]:
        """Where some cells of inputs were on the way, as far as it is at hand.

        Parameters
        ----------
        cells : sequence of (name of an input, cell)
        most : int
            Of more places, so many.

        Returns
        -------
        steps : numpy.ndarray of int
            (n,)
        values : numpy.ndarray
            (n, number of cells)
        """
        steps = sorted(self.kept)
        steps = sorted({*steps[:: max(1, -(-len(steps) // most))], steps[-1]})
        values = array("d")
        for step in steps:
            point = self.kept[step]
            weights, others = point.trainer.weights, point.stretch.prepared.document.inputs
            values.extend([(weights if name in weights else others)[name].item(cell) for name, cell in cells])
        return np.array(steps), np.array(values).reshape(len(steps), len(cells))

    def _with_weights(self, state: State, point: Point) -> State:
        trainer = point.trainer
        weights = {name: trainer.weights[name] for name in trainer.moving}
        return replace(
            with_weights(state, weights), records=self.records.up_to(trainer.at), optimiser=trainer.optimiser
        )

    def _state_of(self, point: Point) -> State:
        """The document at a point. Where it learns from a text, its own sentence stays the one that there is."""
        if point.state is not None:
            return point.state
        stretch, trainer, wanted = point.stretch, point.trainer, self._document.wanted
        base = stretch.prepared.document
        if not stretch.from_document and stretch.fits(wanted, trainer.weights):
            base = wanted
        records = self.records.up_to(trainer.at)
        return replace(with_weights(base, trainer.weights), records=records, optimiser=trainer.optimiser)

    def _place(self, state: State, point: Point) -> State:
        """Put a state into the document."""
        self._known[state] = point
        steps = point.trainer.at
        title = f"Gradient descent, {steps:,} step{'s' * (steps != 1)}"
        self._document.do(Replace(state, title, self._stroke))
        return state

    def _keep_start(self, start: Point) -> None:
        """The place does not follow from the step before, so it cannot be computed anew."""
        self.kept[start.trainer.at] = start
        self._never_let_go.add(start.trainer.at)

    def _forget_after(self, step: int) -> None:
        """Who has gone back and goes on from there begins a new branch."""
        if self.records.at <= step:
            return
        self.records, self._furthest = self.records.up_to(step), step
        self.kept = {k: point for k, point in self.kept.items() if k <= step}
        self._never_let_go = {k for k in self._never_let_go if k <= step}
        for state in [state for state, point in self._known.items() if point.trainer.at > step]:
            del self._known[state]

    def _let_go(self) -> None:
        """Keep within the budget."""
        while len(self.kept) * self._here.bytes > self._budget and self.kept.keys() > self._never_let_go:
            self._every *= 2
            for step in sorted(self.kept.keys() - self._never_let_go)[::2]:
                del self.kept[step]

    def _points(self, step: int) -> Iterator[Point]:
        """The points from the last one kept to where the run was after so many steps, each computed from the other."""
        point = self.kept[max(k for k in self.kept if k <= step)]
        yield point
        while point.trainer.at < step:
            point = Point(step_of(point.trainer)[0], point.stretch)
            yield point

    def _around_last_step(self) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
        """The document's values before and after the last step."""
        if self.at <= self.begun:
            return {}, {}
        if self._values is None:
            before = self._before
            if before is None:
                *_, before = self._points(self.at - 1)
            was = self._values_before
            if was is None:
                was = Document(self._with_weights(self._state_here, before)).engine.values
            shown = self._document.state is self._state_here
            now = self._document.engine.values if shown else Document(self._state_here).engine.values
            self._values = was, now
        return self._values


def step_of(trainer: Trainer, shown: Engine | None = None) -> tuple[Trainer, Record]:
    """The trainer behind its next step, and what that was; the given one stays as it is.

    `shown`: as of `Trainer.step`.

    Raises `ExplorerError`: those of `Trainer.step`.
    """
    after = copy(trainer)
    return after, after.step(shown)
