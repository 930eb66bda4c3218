"""One training run of an open document, started by hand or by a recipe, and how to go back in it.

::

    RunSettings ──► Trainer ──► Trainer ──► …   a step makes the next trainer; the old one stays as it is
         │             │
      document ◄───────┘        its weights, put into the document: all steps of a run are one step to undo

A trainer (`explorer.core.training.trainer`) is everything that the next step depends on: weights, the optimiser's
memory, examples, settings, and the number of steps taken. So to go back is to return to an earlier trainer; a trainer
that was not kept is computed again from an earlier one; and a separate process needs only a trainer, which it returns
through a saved run. Continuing after going back, or after an edit, begins a new branch.

Other settings, another example, or another structure with the same weights need another trainer during the run; a
`Stretch` is the steps with one trainer's settings.

Beside a net, a linear regression can be trained: the same examples, the same steps, but no activation.
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
from explorer.core.graph import CASES, LOSS, TARGET, Place
from explorer.core.model import Model
from explorer.core.numbers import quantity
from explorer.core.ops import Array
from explorer.core.training.recipe import MOST_STEPS
from explorer.core.training.records import Record, Records
from explorer.core.training.trainer import Trainer, load_run
from explorer.document.commands import Replace, SetInputs
from explorer.document.document import Document
from explorer.document.state import State, unread
from explorer.training.preparation import (
    Point,
    Prepared,
    RunSettings,
    Stretch,
    prepare_document,
    same_material,
    shaped,
    take_words,
    trained,
    with_weights,
)

BUDGET = 64 * 2**20
"""The most bytes of earlier trainers that a run keeps."""


class Run:
    """A training run on the weights of a document.

    For a small model all trainers are kept. If they need more than the budget, every second one is dropped, repeatedly;
    a dropped one that is needed later is computed again from the kept one before it, with the same bits.

    `settings`: the settings of the first steps; with an `initialiser` the steps begin from newly drawn weights.
    `budget`: the most bytes of earlier trainers to keep.
    Raises `ExplorerError`: the errors of `take_words`, `prepare_document` and `Trainer`.
    """

    def __init__(self, document: Document, settings: RunSettings, budget: int = BUDGET) -> None:
        take_words(document, settings.material, settings.recipe)
        self.first = document.wanted  # the document before all steps
        self.records = Records()  # of all steps so far
        self.settings = settings  # of the next steps
        self._document, self._budget = document, budget
        self._stroke = object()
        prepared = prepare_document(self.first, settings.material, settings.recipe)
        trainer = prepared.trainer()
        if self.first.optimiser is not None and self.first.records is not None:
            trainer.resume(self.first.optimiser, self.first.records.at)
        # The number of steps at the start: a training saved with the document is continued.
        self.begun = trainer.at
        if self.begun and self.first.records is not None:
            self.records = self.first.records
        self._here = Point(trainer, Stretch(settings, prepared), self.first)
        self._state_here = self.first
        self._before: Point | None = None
        self.kept = {self.begun: self._here}  # the points that are kept, by number of steps
        self._never_let_go = {self.begun}
        self._every = 1
        # States to which a person may return, also by undo.
        self._known: WeakKeyDictionary[State, Point] = WeakKeyDictionary()
        self._known[self.first] = self._here
        self._values: tuple[Mapping[str, Array], Mapping[str, Array]] | None = None
        self._values_before: Mapping[str, Array] | None = None
        self._furthest = self.begun
        self._end: tuple[int, float] = -1, float("nan")
        self.mark_end()

    # The document's place on the run

    @property
    def at(self) -> int:
        """How many steps led to the document's weights, or to those about to be shown, apart from edits."""
        return self.here.trainer.at

    @property
    def weights_edited(self) -> bool:
        """Whether weights were edited since the last step.

        Raises `ExplorerError`: "model-changed".
        """
        return bool(self._edits())

    @property
    def edited(self) -> bool:
        """Whether the document was edited since the last step."""
        self._follow()
        return self._document.wanted is not self._state_here

    @property
    def trainer(self) -> Trainer:
        """The trainer at the document's point."""
        return self.here.trainer

    @property
    def prepared(self) -> Prepared:
        """The examples and settings at the document's point."""
        return self.here.stretch.prepared

    @property
    def finished(self) -> bool:
        """Whether all steps of the settings have been taken."""
        return self.at >= self.settings.recipe.steps

    @property
    def same_example(self) -> bool:
        """Whether the document still has the model and the example of the last step."""
        point = self.here
        return point.stretch.fits(self._document.wanted, point.trainer.weights)

    @property
    def fits(self) -> bool:
        """Whether the document still has the same weights, in the same shapes, with any values."""
        try:
            self._edits()
        except ExplorerError:
            return False
        return True

    def knows(self, state: State) -> bool:
        """Whether the run made this state, or began with it."""
        return state in self._known

    def curve(self) -> tuple[Array, Array]:
        """The losses, and the number of steps before each; the last loss only if the document shows it."""
        steps, losses = self.records.steps - 1, self.records.losses
        if self.mark_end() == self.records.at:
            return np.append(steps, self._end[0]), np.append(losses, self._end[1])
        return steps, losses

    @property
    def here(self) -> Point:
        """The document's point, or its point before it was edited."""
        self._follow()
        return self._here

    def _follow(self) -> None:
        """Go to the document's point: undo and redo may have moved it within the run."""
        known = self._known.get(self._document.wanted)
        if known is not None and self._document.wanted is not self._state_here:
            self._be(known, self._document.wanted)

    def _be(self, point: Point, state: State) -> None:
        self._here, self._state_here, self._before = point, state, None
        self._values = self._values_before = None

    def mark_end(self) -> int:
        """Remember the loss after the last step, if the document shows it. Returns the step of the remembered loss."""
        point, document = self.here, self._document
        if point.trainer.at == self.records.at and document.state is self._state_here and point.stretch.as_shown:
            self._end = self.records.at, float(document.engine.values[LOSS])
        return self._end[0]

    def _edits(self) -> dict[str, Array]:
        """The weights of the document that are other arrays than those that the run put there.

        Raises `ExplorerError`: "model-changed" if the document has other weights, or weights of other shapes.
        """
        trainer, state = self.here.trainer, self._document.wanted
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
            if now.ndim != left[name].ndim or not all(map(state.graph.follows_text, differing)):
                raise ExplorerError("model-changed")
            found[name] = now
        return {name: state.inputs[name] for name in found}

    # Continuing

    def use(self, settings: RunSettings) -> None:
        """Set the settings of the next steps.

        Raises `ExplorerError`: the errors of `take_words`.
        """
        take_words(self._document, settings.material, settings.recipe)
        self.settings = settings

    def take(self, seconds: float = 0.0, most: float = 1) -> None:
        """Take steps for a time, or up to a number, but at least one, and put the weights into the document.

        Raises `ExplorerError`: those of `begin` and of `Trainer.step`. The steps before the error are taken.
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
        """The trainer for the next step, from where the document is now.

        Raises `ExplorerError`: "run-too-long"; "model-changed" if the document now has other weights; the errors of
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
        """Record a step that was taken from the run's point."""
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
        """Put the weights of the run's point into the document."""
        point, document = self._here, self._document
        if point.state is not None or self._known.get(document.wanted) is point:
            return  # no step was taken
        one_step = self._before is not None and self._known.get(document.state) is self._before
        self._values, self._values_before = None, document.engine.values if one_step else None
        state = self._with_weights(document.wanted, point)
        self._state_here = self._place(state, point)
        self.mark_end()

    def _start(self) -> Point:
        """The point from which the next step starts: the run's point, or a new one after an edit."""
        edits, here, state, settings = self._edits(), self._here, self._document.wanted, self.settings
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
            # The initialiser drew new weights when the run began, and must not do so again.
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
        """The moving weights after the next step, which is not taken.

        Raises `ExplorerError`: those of `begin` and of `Trainer.step`.
        """
        return shaped(self._document.wanted, self._start().trainer.ahead())

    def receive(self, file: Path) -> None:
        """Take over the saved run of a process that continued from here; weights edited meanwhile keep their edits.

        Raises `ExplorerError`: the errors of `load_run`.
        """
        edits, start = self._edits(), self._here
        trainer = copy(start.trainer)
        records = load_run(trainer, file)
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
        """Record a step that a process has taken; its weights come later."""
        if record.step == self.records.at + 1:
            self.records = self.records.with_record(record)

    def hand_over(self) -> Point:
        """The point from which a process continues."""
        self.begin()
        self._forget_after(self._here.trainer.at)
        if self._here.state is not None:
            self._keep_start(self._here)
        return self._here

    def forget_unseen(self) -> None:
        """Drop the records of steps whose weights a process has not handed over."""
        self.records = self.records.up_to(self._furthest)

    # Going back

    def travel(self, step: int) -> None:
        """Go to the point after `step` steps."""
        for _ in self.travelling(step):
            pass

    def travelling(self, step: int) -> Iterator[None]:
        """The same as a generator that pauses after each recomputed step; the document changes at the end."""
        if step == self.at and not self.edited:
            return
        self.mark_end()
        for point in self._points(step):  # noqa: B007
            yield
        self._be(point, self._place(self._state_of(point), point))

    def start_over(self) -> None:
        """Restore the weights from before all steps; weights that a switch has added start again."""
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
        there = arrays.keys() & state.graph.nodes.keys()  # a switch may have removed the others
        if added or any(arrays[name].shape != state.graph.shape(name) for name in there):
            # The model or the sentence has changed since the run began.
            before = before.rebuilt(state.model)
        before = replace(before, records=self.first.records, optimiser=self.first.optimiser)
        self._document.do(Replace(before, "Start over"))

    def change(self, place: Place) -> Array:
        """The change of a node or slice of the document by the last step, after minus before; 0 before the first step.

        It is also 0 if the shape has changed since that step, because the text has another number of words.
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
        """The values of some input cells along the run, at the kept points.

        `most`: the most points; of more, an even selection.
        Returns the steps, (n,) of int, and the values, (n, number of cells).
        """
        steps = sorted(self.kept)
        values, kept = array("d"), []
        for step in sorted({*steps[:: max(1, -(-len(steps) // most))], steps[-1]}):
            point = self.kept[step]
            weights, others = point.trainer.weights, point.stretch.prepared.document.inputs
            try:
                values.extend([float((weights if name in weights else others)[name][cell]) for name, cell in cells])
            except (KeyError, IndexError, TypeError):  # with fewer words, or another switch, no such cell was there
                continue
            kept.append(step)
        return np.array(kept, dtype=np.intp), np.array(values).reshape(len(kept), len(cells))

    def _with_weights(self, state: State, point: Point) -> State:
        trainer = point.trainer
        weights = {name: trainer.weights[name] for name in trainer.moving}
        return replace(
            with_weights(state, weights), records=self.records.up_to(trainer.at), optimiser=trainer.optimiser
        )

    def _state_of(self, point: Point) -> State:
        """The document at a point. If the model learns from a text, the document keeps its present sentence."""
        if point.state is not None:
            return point.state
        stretch, trainer, wanted = point.stretch, point.trainer, self._document.wanted
        base = stretch.prepared.document
        if not stretch.from_document and stretch.fits(wanted, trainer.weights):
            base = wanted
        return trained(base, trainer, self.records.up_to(trainer.at))

    def _place(self, state: State, point: Point) -> State:
        """Put a state into the document."""
        self._known[state] = point
        title = f"Gradient descent, {quantity(point.trainer.at, 'step')}"
        self._document.do(Replace(state, title, self._stroke))
        return state

    def _keep_start(self, start: Point) -> None:
        """Keep a point that does not follow from the step before it, so that it could not be computed again."""
        self.kept[start.trainer.at] = start
        self._never_let_go.add(start.trainer.at)

    def _forget_after(self, step: int) -> None:
        """Drop everything after a step: continuing from an earlier point begins a new branch."""
        if self.records.at <= step:
            return
        self.records, self._furthest = self.records.up_to(step), step
        self.kept = {k: point for k, point in self.kept.items() if k <= step}
        self._never_let_go = {k for k in self._never_let_go if k <= step}
        for state in [state for state, point in self._known.items() if point.trainer.at > step]:
            del self._known[state]

    def _let_go(self) -> None:
        """Drop every second kept point, repeatedly, until the rest fits into the budget."""
        while len(self.kept) * self._here.bytes > self._budget and self.kept.keys() > self._never_let_go:
            self._every *= 2
            for step in sorted(self.kept.keys() - self._never_let_go)[::2]:
                del self.kept[step]

    def _points(self, step: int) -> Iterator[Point]:
        """The points from the last kept one to the one after `step` steps, each computed from the one before."""
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
    """The trainer after its next step, and the record of the step; the given trainer stays unchanged.

    `shown`: as in `Trainer.step`.
    Raises `ExplorerError`: those of `Trainer.step`.
    """
    after = copy(trainer)
    return after, after.step(shown)


# A line beside a net


class TrainedLine:
    """A net of one layer without an activation, y = x W + b, trained with the settings of a document's net."""

    def __init__(self, state: State, settings: RunSettings) -> None:
        axes = state.model.axes
        sides = {"layer.0": axes["layer.0"], "layer.1": axes[f"layer.{state.model.layers}"]}
        switches = {"layer.1.activation": "identity", "loss.loss": "mean squared error"}
        seed, dtype = settings.recipe.seed, state.model.dtype
        model = Model("mlp", axes={"input": axes["input"], **sides}, switches=switches, seed=seed, dtype=dtype)
        # The line's own nodes: ``layer.1.W``, ``layer.1.b``, the answers ``layer.1.activation`` and ``loss.value``.
        self.document = Document(State.of(model, _examples(state)))
        self.run = Run(self.document, _of_line(settings))
        self.failed = False  # whether a step failed because steps were too large; the line then keeps its last weights

    def use(self, state: State, settings: RunSettings) -> None:
        """Continue with other settings, or examples."""
        self.document.do(SetInputs(_examples(state), "Examples"))
        self.run.use(_of_line(settings))
        self.failed = False

    def follow(self, step: int, seconds: float) -> None:
        """Take steps until the line is at the net's step or the time is up; or go back to the net's step."""
        try:
            if step < self.run.at:
                self.run.travel(step)
            elif step > self.run.at and not self.failed:
                self.run.take(seconds, step - self.run.at)
        except ExplorerError:
            self.failed = True


def line_beside(state: State, settings: RunSettings, before: TrainedLine | None) -> TrainedLine | None:
    """The linear regression for a net with a node for it, else None: `before` with new settings, or a new one."""
    if "regression.output" not in state.graph.nodes:
        return None
    if before is None:
        return TrainedLine(state, settings)
    before.use(state, settings)
    return before


def _examples(state: State) -> dict[str, Array]:
    return {name: state.inputs[name] for name in (CASES, TARGET)}


def _of_line(settings: RunSettings) -> RunSettings:
    return replace(settings, recipe=replace(settings.recipe, frozen=(), also=(), dropout=0.0, initialiser=""))
