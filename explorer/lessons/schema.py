"""What a lesson is: a model, its numbers, and the settings it can be looked at in.

The states of a lesson's steps: each a pure function of the file, so that to jump is to walk.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import RLock

import numpy as np

from explorer.core.engine import Engine, Pin, fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.core.switches import SwitchValue
from explorer.core.training.data import SHOWN
from explorer.core.training.optimisers import OPTIMISERS
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer
from explorer.document.commands import Replace, SetInputs
from explorer.document.state import State, frozen
from explorer.lessons.steps import Step

WHOLE = "model"
"""What is looked at where it is no stage: the whole model in one picture."""


@dataclass(frozen=True, eq=False)
class Setting:
    """One way to look at a lesson, such as "as printed" or "textbook"."""

    name: str  # as the command line takes it, such as "printed"
    title: str  # as the window writes it
    paragraph: str  # what is special about it
    # "BLOCK.NAME" to the choice made, beside those of the lesson.
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)
    # Values of input nodes, or of heads' slices of them, in place of the lesson's.
    inputs: Mapping[str, Array] = field(default_factory=dict)
    # Values that computed nodes, or heads' slices of them, are held at; NaN in cells that are computed.
    pins: Mapping[str, Array] = field(default_factory=dict)
    # Number of tokens of each sequence that has other words than the lesson's; which words, `inputs` says.
    lengths: Mapping[str, int] = field(default_factory=dict)
    ours: frozenset[str] = frozenset()  # inputs whose values no reference prints, beside those of the lesson
    # What to do first to see something happen, in a sentence or two; empty where the lesson's holds here, too.
    to_try: str = field(default="", kw_only=True)
    # Labels of axes that are other ones than the lesson's: a net with more hidden units.
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True)
    layers: int | None = field(default=None, kw_only=True)  # how many it has; None: as many as the lesson's model
    training: Recipe | None = field(default=None, kw_only=True)  # what training begins with; None: as the lesson says
    # Whether it is there for whoever holds the text beside it: what is printed is told only there.
    printed: bool = field(default=False, kw_only=True)
    # Of a setting that is another example's: its model, and the ids of that example and of its setting.
    model: Model | None = field(default=None, kw_only=True)
    source: tuple[str, str] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class NeededModel:
    """A model that others trained and that does not come along, but that somebody can get."""

    name: str  # as people call it, such as "GPT-2 small"
    kind: str  # the `model_type` of its config
    published: str  # the page that has its files
    licence: str
    files: tuple[str, ...]  # those that are needed of it
    bytes: int  # of its weights, as they are published; 0 where that is not known
    sha256: str  # of its model.safetensors; "" where that is not known
    checked: bool  # whether we have gone through the lesson with the real weights
    sizes: Mapping[str, int]  # its layers, heads, d_model, d_ff and words

    def missing(self, lesson: str) -> ExplorerError:
        """What says how to get it, for the lesson of this title."""
        size = f" ({self.bytes / 1e6:,.0f} MB)" if self.bytes else ""
        *others, last = self.files
        files = f"{', '.join(others)} and {last}" if others else last
        return ExplorerError(
            "model-needed",
            lesson=lesson,
            name=self.name,
            size=size,
            licence=self.licence,
            files=files,
            published=self.published,
        )


@dataclass(frozen=True, eq=False)
class Lesson:
    """A worked example."""

    id: str  # as the command line takes it, such as "you-are-welcome"
    # `title`, `paragraph`: what it is, in a line and in a few sentences.
    title: str
    paragraph: str
    reference: str  # where the numbers are from, such as "004"; empty where they are all ours
    start_stage: str  # the stage of the pipeline to open with, or `WHOLE`
    order: int  # its place among the lessons: easier ones have smaller numbers
    model: Model  # kind, sizes, words and the switches that all settings share
    inputs: Mapping[str, Array]  # values of input nodes, or of heads' slices of them, that all settings share
    # Inputs, or heads' slices of them, whose values no reference prints in any setting: we chose them.
    ours: frozenset[str]
    settings: Mapping[str, Setting]  # by name; the first is the one to begin with
    # What training begins with, and gradient descent by hand; None: what it usually begins with.
    training: Recipe | None = field(default=None, kw_only=True)
    learns: str = field(default="", kw_only=True)  # the setting in which it learns from whatever random start, if any
    to_try: str = field(default="", kw_only=True)  # what to do first to see something happen, in a sentence or two
    # What it leads through; empty where it is only an example.
    steps: tuple[Step, ...] = field(default=(), kw_only=True)
    teaches: str = field(default="", kw_only=True)  # in a line
    needs: tuple[str, ...] = field(default=(), kw_only=True)  # the ids of the lessons that come before it
    minutes: float = field(default=0.0, kw_only=True)  # how long its steps take; 0 where nobody says so
    start_head: int = field(default=1, kw_only=True)  # the head to open with, counted from 1
    # Of a model that was trained for the program: its measured scores by their names.
    card: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    example: str = field(default="", kw_only=True)  # the id of the example whose model it has, often its own
    # Whether it says what a printed example gets wrong: of no use to those who do not hold the text beside it.
    errata: bool = field(default=False, kw_only=True)
    # The model that somebody has to get first; None also where the lesson has it already.
    needed: NeededModel | None = field(default=None, kw_only=True)

    @property
    def questions(self) -> int:
        """How many of its steps ask something."""
        return sum(step.question is not None for step in self.steps)

    @property
    def descent(self) -> tuple[str, float]:
        """The optimiser, a key of `OPTIMISERS`, and the learning rate that gradient descent by hand begins with."""
        return _descent(self.training)

    def descent_in(self, setting: str | None = None) -> tuple[str, float]:
        """The same in the given setting or in the first.

        Raises `ExplorerError`: "unknown-setting".
        """
        return _descent(self.training_in(setting))

    def training_in(self, setting: str | None = None) -> Recipe | None:
        """What training begins with in the given setting or in the first; None: what it usually begins with.

        Raises `ExplorerError`: "unknown-setting".
        """
        return self.setting(setting).training or self.training

    def setting(self, name: str | None = None) -> Setting:
        """The setting of that name, or the first.

        Raises `ExplorerError`: "unknown-setting".
        """
        if name is None:
            return next(iter(self.settings.values()))
        if name not in self.settings:
            raise ExplorerError("unknown-setting", lesson=self.id, name=name, known=", ".join(self.settings))
        return self.settings[name]

    def source_of(self, setting: str) -> tuple[str, str]:
        """The ids of the example and of its setting that a setting of this lesson is: often itself."""
        source = self.settings[setting].source if setting in self.settings else None
        return source or (self.id, setting)

    def ours_in(self, setting: str | None = None) -> frozenset[str]:
        """The inputs, or heads' slices of them, that we chose in the given setting or in the first.

        Raises `ExplorerError`: "unknown-setting".
        """
        return self.ours | self.setting(setting).ours

    def state(self, setting: str | None = None) -> State:
        """What a document of this lesson starts with, in the given setting or in the first.

        Raises `ExplorerError`: "unknown-setting".
        """
        chosen = self.setting(setting)
        own = chosen.model or self.model
        lengths = {**own.lengths, **chosen.lengths}
        axes, switches = {**own.axes, **chosen.axes}, {**own.switches, **chosen.switches}
        model = replace(own, lengths=lengths, axes=axes, switches=switches, layers=chosen.layers or own.layers)
        given = {**self.inputs, **chosen.inputs} if chosen.model is None else chosen.inputs
        whole = {name: array for name, array in given.items() if not is_slice(name)}
        state = State.of(model, whole, setting=chosen.name, lesson=self.id)
        # What the state has taken as it is need not be copied: it may be a large model.
        changed = {name: array for name, array in given.items() if state.inputs.get(name) is not array}
        if chosen.axes:  # the lesson's values do not fit where the setting has axes of its own
            shapes = {name: state.graph.shape(name) for name in state.graph.nodes}
            changed = {name: array for name, array in changed.items() if shapes.get(name) == array.shape}
        inputs = _laid(state.graph, changed, lambda node: state.inputs[node])
        values = _laid(state.graph, chosen.pins, lambda node: np.zeros(state.graph.shape(node)))
        which = {name: ~np.isnan(array) for name, array in chosen.pins.items()}
        cells = _laid(state.graph, which, lambda node: np.zeros(state.graph.shape(node), dtype=bool))
        pins = {node: Pin(cells[node], values[node]) for node in values}
        return replace(state.with_inputs(inputs), pins=pins)


def _descent(training: Recipe | None) -> tuple[str, float]:
    return ("SGD", 0.1) if training is None else (training.optimiser, training.rate)


def _laid(graph: Graph, given: Mapping[str, Array], start: Callable[[str], Array]) -> dict[str, Array]:
    """Arrays of whole nodes, with what is given for a node or for a head's slice of it laid over its start."""
    arrays: dict[str, Array] = {}
    for name in sorted(given, key=is_slice):
        if graph.find(name) is not None:
            place = graph.place(name)
            if place.node not in arrays:
                arrays[place.node] = start(place.node).copy()
            arrays[place.node][place.index] = given[name]
    return {node: frozen(array) for node, array in arrays.items()}


def is_slice(name: str) -> bool:
    """Whether a name means a head's slice of a node, such as "encoder.1.self.head.2.W_Q"."""
    return ".head." in name


_KEPT = 4
_LESSONS = 32
"""How many lessons' states are kept: to come back to one that trains for a moment takes that moment only once."""


class StepStates(Sequence[State]):
    """The state of each step, computed when it is asked for and kept: ``states[k]``; on any thread."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self._known: list[State] = []
        self._turn = RLock()
        self._engines: dict[int, Engine] = {}

    def __len__(self) -> int:
        return len(self.lesson.steps)

    def __getitem__(self, step: int) -> State:  # type: ignore[override]  # nobody asks for a slice
        if not 0 <= step < len(self):
            raise IndexError(step)
        while len(self._known) <= step:
            with self._turn:
                if (at := len(self._known)) <= step:  # else another thread was quicker
                    before = self._known[-1] if self._known else self.lesson.state()
                    self._known.append(after(before, self.lesson, self.lesson.steps[at]))
        return self._known[step]

    def takes_long(self, step: int) -> bool:
        """Whether the state of a step is not known yet and something is trained on the way to it."""
        return any(one.training is not None for one in self.lesson.steps[len(self._known) : step + 1])

    def engine(self, step: int) -> Engine:
        """The values of a step's state; those of the last few that were asked for are kept."""
        if step not in self._engines:
            state = self[step]
            self.take(step, fresh(state.graph, state.used, state.pins))
        return self._engines[step]

    def take(self, step: int, engine: Engine) -> None:
        """Take the values of a step's state from who has computed them."""
        self._engines.pop(step, None)
        while len(self._engines) >= _KEPT:
            del self._engines[next(iter(self._engines))]
        self._engines[step] = engine

    def go(self, step: int) -> Replace:
        """The command that puts a document at a step, wherever it was before."""
        return Replace(self[step], f"Step: {self.lesson.steps[step].title}")


@lru_cache(_LESSONS)
def states_of(lesson: Lesson) -> StepStates:
    """The states of a lesson, the same ones as long as few others are asked for."""
    return StepStates(lesson)


def after(before: State, lesson: Lesson, step: Step) -> State:
    """The state of a step, from that of the step before.

    Raises `ExplorerError` where an edit of it cannot be done there.
    """
    state = edited(before, lesson, step)
    if step.training is None:
        return state
    plan = step.training
    recipe = Recipe(plan.optimiser, plan.rate, weight_decay=OPTIMISERS[plan.optimiser].decay, batch=0, steps=plan.steps)
    trainer = Trainer(state.model, state.used, SHOWN, recipe, state.pins)
    for _ in range(plan.steps):
        trainer.step()
    moved = {name: trainer.weights[name] for name in trainer.moving}
    return SetInputs(moved, step.title).apply(state)


def edited(before: State, lesson: Lesson, step: Step) -> State:
    """The state of a step without its training, which changes no name and no shape."""
    state = lesson.state(step.setting) if step.setting else before
    for command in step.edits:
        state = command.apply(state)
    return state
