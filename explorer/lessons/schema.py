"""What a lesson is: a model, its numbers, its settings, and its steps: words, where to look, edits, and a question.

`StepStates`: the state of each step. It depends only on the file, so a jump and a walk lead to the same state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import RLock
from typing import ClassVar, TypeAlias

import numpy as np

from explorer.checkpoints import ENDINGS
from explorer.core.cell import Step as Derived
from explorer.core.engine import Engine, Pin, fresh
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import Graph
from explorer.core.model import Model, SwitchValue
from explorer.core.numbers import quantity
from explorer.core.ops import Array
from explorer.core.training.data import SHOWN
from explorer.core.training.recipe import OPTIMISERS, Recipe
from explorer.core.training.trainer import Trainer
from explorer.document.commands import Command, Replace, SetInputs
from explorer.document.state import State, read_only

Cell: TypeAlias = tuple[int, ...]
ELSEWHERE = ("model", "words", "train")
"""Where a step can look besides the stages of the graph: the whole model, and tabs of the window."""

WRITING = ("generation.next", "generation.why", "generation.heads", "generation.costs", "generation.pieces")
"""Also, for a model that writes, the pages about writing."""

FAMILY = "model.family"
"""Also, for such a model, the page of the family tree."""


class Look(Frozen):
    """Where a step looks."""

    stage: str  # a stage of the graph, one of `ELSEWHERE` or, for a model that writes, one of `WRITING` or `FAMILY`
    node: str = ""  # a node, or a head's slice of one; "": the whole page
    # `rows`, `columns`: the lit indices, from 0; with both, the cells where they cross. A vector has only rows.
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    element: str = ""  # the title of an element of the page that is no matrix, such as "Heat map"
    token: tuple[str, int] | None = None  # (axis, index): the word that stays lit, as in `explorer.pages.view.Looking`
    word: str = ""  # the word that is looked up on the Words tab, or an analogy there: "king - man + woman"
    # The ids of check boxes of the page that are ticked for the reader, such as "patching.show".
    ticked: tuple[str, ...] = ()
    # Nodes of the page whose numbers should be in sight beside the named one; a class sees only these and that.
    beside: tuple[str, ...] = ()


class Training(Frozen):
    """Steps of gradient descent on the lesson's own example."""

    steps: int
    rate: float
    optimiser: str


class Question(Frozen, kw_only=True):
    """The question of a step, answered before the step shows the numbers."""

    ask: str  # markdown, as `Step.words`
    paper: str = ""  # what is asked on paper, where no mouse works; "": `ask`
    hints: tuple[str, ...] = ()  # the smallest hint first; after the last one comes the derivation
    why: str = ""  # the principle, shown after the answer; "" if nothing needs to be said
    # Nodes, or heads' slices of them, that are covered until it is answered, because they would tell the answer. An
    # asked number is always covered, and need not be named.
    covers: tuple[str, ...] = ()
    alone: bool = True  # whether it can be asked without its page, on a sheet of exercises

    made: ClassVar[bool] = False
    """Whether it is answered by edits of the model, with any number of tries."""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The inputs that may be edited for it; () means all of them, or none unless it is `made`."""
        return ()

    @property
    def goals(self) -> tuple[tuple[str, Cell], ...]:
        """The node and cell of each number that has to reach a goal."""
        return ()

    @property
    def derived(self) -> tuple[str, Cell, str] | None:
        """The node and cell whose derivation is the last hint, and which one: that of its "value" or "gradient"."""
        return None


ALL = -1
"""The value of `Predict.fade` that leaves out all terms of a derivation."""


class Predict(Question, kw_only=True):
    """A question that is answered by typing a number."""

    node: str  # a node, or a head's slice of one
    cell: Cell  # the index in the shape of the node or slice
    of: str = "value"  # its "value", or the "gradient" of the loss there
    digits: int = 2  # the decimals to type: see `mistakes.leeway`
    # How many terms of the derivation are left out for the student to fill in, or `ALL`; 0: only the result is asked.
    fade: int = 0
    fresh: bool = False  # whether other numbers are drawn for this student
    # Where one step of plain gradient descent gave the asked number: old − rate × gradient.
    learned: Derived | None = None

    @property
    def derived(self) -> tuple[str, Cell, str]:
        return self.node, self.cell, self.of


class Choice(Frozen):
    """One of the answers to choose from; for a wrong one, `why` says what the mistake is."""

    text: str
    right: bool = False
    why: str = ""


class Choose(Question, kw_only=True):
    """A question that is answered by choosing one of a few answers."""

    choices: tuple[Choice, ...]  # in the order of the file
    mixed: bool = True  # whether they are shown in random order; False for a natural order, such as of numbers


class Point(Question, kw_only=True):
    """A question that is answered by pointing at a token, a cell or a head."""

    at: str  # "token", "cell" or "head"
    node: str = ""  # the node of the cells; "" if the right tokens or heads are named directly
    axis: str = ""  # for "token": the axis of the tokens
    # "largest" or "smallest": the right answer is computed from the node. "": it is one of `right`.
    extreme: str = ""
    row: int | None = None  # the row in which the extreme is searched; None: the whole node
    right: tuple[Cell, ...] = ()  # a token or a head is a cell with one index


class Condition(Frozen):
    """A condition on one number of a node."""

    node: str  # a node, or a head's slice of one
    cell: Cell  # the compared cell; for "argmax" the searched row
    # "argmax" (the largest number of the row is in column `number`), ">", ">=", "<", "<=", or "~" (`number` ±
    # `tolerance`).
    sign: str
    number: float
    tolerance: float = 0.0

    @property
    def compared(self) -> Cell:
        """The compared cell; for "argmax", the cell that should be the largest of its row."""
        return (*self.cell, int(self.number)) if self.sign == "argmax" else self.cell


class MakeSo(Question, kw_only=True):
    """A question that is answered by editing numbers until a goal is reached; any solution counts."""

    made: ClassVar[bool] = True

    goal: str  # as written in the file
    conditions: tuple[Condition, ...]  # the parsed goal: all conditions must hold
    edits: int = 0  # the most cells that may differ from the start of the step; 0: any number
    allowed: tuple[str, ...] = ()  # the inputs that may be edited; (): all of them

    @property
    def goals(self) -> tuple[tuple[str, Cell], ...]:
        return tuple((one.node, one.compared) for one in self.conditions)

    @property
    def derived(self) -> tuple[str, Cell, str]:
        return (*self.goals[0], "value")


class Step(Frozen, eq=False):
    """One step of a lesson."""

    id: str  # its name in the file
    title: str
    words: str  # markdown with ``$…$``; ``{NODE[row, column]}`` is the number of that cell (`explorer.lessons.prose`)
    look: Look
    slide: str = ""  # at most three sentences for a class, markdown as `words`; "": the words themselves
    # The same without the window: on paper, and in quizzes; "": the words themselves.
    paper: str = ""
    notes: str = ""  # notes for the lecturer
    minutes: float = 0.0  # the planned time; 0: none
    setting: str = ""  # the setting of the lesson that it starts from; "": it starts from the step before
    edits: tuple[Command, ...] = ()  # the edits before it is shown, in this order
    training: Training | None = None  # training after the edits
    showing: str = "values"  # what matrices show: "values", "change", "gradient" or "step"
    head: int = 0  # the chosen head, counted from 0
    question: Question | None = None
    shown: Mapping[str, tuple[str, Cell]] = field(default_factory=dict)
    """For each text in braces in its words and its question, the node and the cell that it names."""


WHOLE = "model"
"""The place that is no stage: the whole model in one picture."""


class Setting(Frozen, eq=False):
    """One way to look at a lesson, such as "as printed" or "textbook"."""

    name: str  # the name on the command line, such as "printed"
    title: str  # the title in the window
    paragraph: str  # what is special about it
    # "BLOCK.NAME" to a choice, in addition to those of the lesson.
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)
    # Values of input nodes, or of heads' slices of them, instead of the lesson's.
    inputs: Mapping[str, Array] = field(default_factory=dict)
    # Values that computed nodes, or heads' slices of them, are pinned to; NaN in cells that are computed.
    pins: Mapping[str, Array] = field(default_factory=dict)
    # The number of tokens of each sequence whose words differ from the lesson's; `inputs` has the words.
    lengths: Mapping[str, int] = field(default_factory=dict)
    ours: frozenset[str] = frozenset()  # inputs whose values no reference prints, in addition to those of the lesson
    # What to try first to see something happen, in one or two sentences; "": what the lesson says.
    to_try: str = field(default="", kw_only=True)
    # Labels of axes that differ from the lesson's, such as more hidden units of a net.
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True)
    layers: int | None = field(default=None, kw_only=True)  # the number of layers; None: that of the lesson's model
    training: Recipe | None = field(default=None, kw_only=True)  # the first settings of training; None: the lesson's
    # Whether it is for readers who hold the printed text: only there are printed numbers shown.
    printed: bool = field(default=False, kw_only=True)
    # For a setting taken over from another example: its model, and the ids of that example and of its setting.
    model: Model | None = field(default=None, kw_only=True)
    source: tuple[str, str] | None = field(default=None, kw_only=True)


MODEL_MISSING = ("model-needed", "own-model-needed", "own-file-needed")
"""The ids of the errors for a lesson without its model: the window then asks for that."""


class NeededModel(Frozen):
    """A model that others trained and that does not come with the program, but that can be downloaded."""

    name: str  # its usual name, such as "GPT-2 small"
    kind: str  # the `model_type` of its config
    published: str  # the page that has its files; "" if that is not known, as of a model that one has trained oneself
    licence: str  # "" if that is not known
    files: tuple[str, ...]  # the files that are needed; one with a whole model stands first
    bytes: int  # the size of its weights as published; 0 if that is not known
    sha256: str  # of its model.safetensors, or of its one file; "" if that is not known
    checked: bool  # whether we have gone through the lesson with the real weights
    sizes: Mapping[str, int]  # its layers, heads, d_model, d_ff and words
    key_heads: int = 0  # how many heads of keys and values it has; 0: as usual for its kind
    decoder_layers: int = 0  # how many layers its decoder has, if its encoder has another number of them
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)  # those in which it is not as usual for its kind

    @property
    def file(self) -> str:
        """The name of the one file that has the whole model; "" for a folder of the hub."""
        return self.files[0] if self.files[0].lower().endswith(ENDINGS) else ""

    def missing(self, lesson: str) -> ExplorerError:
        """The error that says how to get the model, for the lesson with this title."""
        size = f" ({self.bytes / 1e6:,.0f} MB)" if self.bytes else ""
        *others, last = self.files
        files = f"{', '.join(others)} and {last}" if others else last
        if not self.published:
            id = "own-file-needed" if self.file else "own-model-needed"
            return ExplorerError(id, lesson=lesson, name=self.name, size=size, files=files)
        return ExplorerError(
            "model-needed",
            lesson=lesson,
            name=self.name,
            size=size,
            licence=self.licence,
            files=files,
            published=self.published,
        )


class Lesson(Frozen, eq=False):
    """A worked example. For an unknown setting its methods raise `ExplorerError`: "unknown-setting"."""

    id: str  # the id, also on the command line, such as "you-are-welcome"
    # `title`, `paragraph`: what it is, in one line and in a few sentences.
    title: str
    paragraph: str
    reference: str  # the text that the numbers are from, such as "004"; "" if all are ours
    start_stage: str  # the stage to open with, or `WHOLE`
    order: int  # its place among the lessons: easier lessons have smaller numbers
    model: Model  # kind, sizes, words and the switches that all settings share
    inputs: Mapping[str, Array]  # values of input nodes, or of heads' slices of them, that all settings share
    # Inputs, or heads' slices of them, whose values no reference prints in any setting: we chose them.
    ours: frozenset[str]
    settings: Mapping[str, Setting]  # by name; the lesson opens in the first
    # The first settings of training and of gradient descent by hand; None: the usual ones.
    training: Recipe | None = field(default=None, kw_only=True)
    learns: str = field(default="", kw_only=True)  # the setting in which it learns from any random start, if any
    to_try: str = field(default="", kw_only=True)  # what to try first to see something happen, in one or two sentences
    # The steps of the lesson; () if it is only an example.
    steps: tuple[Step, ...] = field(default=(), kw_only=True)
    teaches: str = field(default="", kw_only=True)  # what it teaches, in one line
    needs: tuple[str, ...] = field(default=(), kw_only=True)  # the ids of the lessons that come before it
    minutes: float = field(default=0.0, kw_only=True)  # how long its steps take; 0: not stated
    start_head: int = field(default=1, kw_only=True)  # the head to open with, counted from 1
    # For a model that was trained for the program: its measured scores, by name.
    card: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    example: str = field(default="", kw_only=True)  # the id of the example whose model it has, often its own id
    # Whether it is about errors in a printed example: useful only for readers who hold the text.
    errata: bool = field(default=False, kw_only=True)
    # The model that must be downloaded first; None also if the lesson already has it.
    needed: NeededModel | None = field(default=None, kw_only=True)
    # Where the model that others trained is, a folder or a file, if the lesson is on one and has it.
    folder: Path | None = field(default=None, kw_only=True)
    architecture: str = field(default="", kw_only=True)  # of that model: the `model_type` of a config
    # Around a model that others trained: what was noticed when it was opened, such as tensors that are not used.
    notices: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def cited(self) -> str:
        """Its title, with the id that opens it again; that of a document or a model is drawn anew each time."""
        return self.title if " " in self.id else f"{self.title} ({self.id})"

    @property
    def lasts(self) -> str:
        """How long its steps take, as it follows their number: " · about 5 minutes"; "" if it is not stated."""
        return f" · about {quantity(max(round(self.minutes), 1), 'minute')}" if self.minutes else ""

    @property
    def questions(self) -> int:
        """How many of its steps have a question."""
        return sum(step.question is not None for step in self.steps)

    def descent_in(self, setting: str | None = None) -> tuple[str, float]:
        """The first optimiser, a key of `OPTIMISERS`, and learning rate of gradient descent by hand in a setting."""
        training = self.training_in(setting)
        return ("SGD", 0.1) if training is None else (training.optimiser, training.rate)

    def training_in(self, setting: str | None = None) -> Recipe | None:
        """The first settings of training for a setting (None: the first setting); None for the usual ones."""
        return self.setting(setting).training or self.training

    def setting(self, name: str | None = None) -> Setting:
        """The setting with this name; None: the first."""
        if name is None:
            return next(iter(self.settings.values()))
        if name not in self.settings:
            lesson = self.title if " " in self.id else self.id  # that of a document or model has no name that is typed
            raise ExplorerError("unknown-setting", lesson=lesson, name=name, known=", ".join(self.settings))
        return self.settings[name]

    def source_of(self, setting: str) -> tuple[str, str]:
        """The ids of the example and of its setting from which a setting is taken over; else its own ids."""
        source = self.settings[setting].source if setting in self.settings else None
        return source or (self.id, setting)

    def ours_in(self, setting: str | None = None) -> frozenset[str]:
        """The inputs, or heads' slices of them, that we chose in a setting; None: the first."""
        return self.ours | self.setting(setting).ours

    def state(self, setting: str | None = None) -> State:
        """The first state of a document of this lesson in a setting; None: the first setting."""
        chosen = self.setting(setting)
        own = chosen.model or self.model
        lengths = {**own.lengths, **chosen.lengths}
        axes, switches = {**own.axes, **chosen.axes}, {**own.switches, **chosen.switches}
        model = replace(own, lengths=lengths, axes=axes, switches=switches, layers=chosen.layers or own.layers)
        given = {**self.inputs, **chosen.inputs} if chosen.model is None else chosen.inputs
        whole = {name: array for name, array in given.items() if not is_slice(name)}
        state = State.of(model, whole, setting=chosen.name, lesson=self.id)
        # Arrays that the state uses as they are need no copy: the model may be large.
        changed = {name: array for name, array in given.items() if state.inputs.get(name) is not array}
        if chosen.axes:  # the lesson's values do not fit nodes whose axes the setting changes
            shapes = {name: state.graph.shape(name) for name in state.graph.nodes}
            changed = {name: array for name, array in changed.items() if shapes.get(name) == array.shape}
        inputs = _laid(state.graph, changed, lambda node: state.inputs[node])
        values = _laid(state.graph, chosen.pins, lambda node: np.zeros(state.graph.shape(node)))
        which = {name: ~np.isnan(array) for name, array in chosen.pins.items()}
        cells = _laid(state.graph, which, lambda node: np.zeros(state.graph.shape(node), dtype=bool))
        pins = {node: Pin(cells[node], values[node]) for node in values}
        return replace(state.with_inputs(inputs), pins=pins)


def _laid(graph: Graph, given: Mapping[str, Array], start: Callable[[str], Array]) -> dict[str, Array]:
    """Arrays of whole nodes: the start of each, with the given arrays of the node and of its slices written over it."""
    arrays: dict[str, Array] = {}
    for name in sorted(given, key=is_slice):
        if graph.find(name) is not None:
            place = graph.place(name)
            if place.node not in arrays:
                arrays[place.node] = start(place.node).copy()
            arrays[place.node][place.index] = given[name]
    return {node: read_only(array) for node, array in arrays.items()}


def is_slice(name: str) -> bool:
    """Whether a name means a head's slice of a node, such as "encoder.1.self.head.2.W_Q"."""
    return ".head." in name or ".expert." in name


# The states of the steps

_KEPT = 4
_LESSONS = 32
"""How many lessons' states are kept, so that the training in a lesson's steps is computed only once."""


class StepStates(Sequence[State]):
    """The state of each step, ``states[k]``, computed when it is first needed and kept; may be used on any thread."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self._known: list[State] = []
        self._turn = RLock()
        self._engines: dict[int, Engine] = {}

    def __len__(self) -> int:
        return len(self.lesson.steps)

    @cached_property
    def start(self) -> State:
        """The state before the first step: that of the first step itself, unless that step changes something."""
        return self.lesson.state()

    def __getitem__(self, step: int) -> State:  # type: ignore[override]  # slices are never used
        if not 0 <= step < len(self):
            raise IndexError(step)
        while len(self._known) <= step:
            with self._turn:
                if (at := len(self._known)) <= step:  # else another thread has computed it meanwhile
                    before, one = self._known[-1] if at else self.start, self.lesson.steps[at]
                    if not at and one.setting == before.setting:
                        one = replace(one, setting="")
                    self._known.append(after(before, self.lesson, one))
        return self._known[step]

    def takes_long(self, step: int) -> bool:
        """Whether the state of a step is not computed yet, and computing it includes training."""
        return any(one.training is not None for one in self.lesson.steps[len(self._known) : step + 1])

    def engine(self, step: int) -> Engine:
        """The values of a step's state; those of the last few used steps are kept."""
        if step not in self._engines:
            state = self[step]
            self.take(step, fresh(state.graph, state.used, state.pins))
        return self._engines[step]

    def take(self, step: int, engine: Engine) -> None:
        """Keep the values of a step's state that were computed elsewhere."""
        self._engines.pop(step, None)
        while len(self._engines) >= _KEPT:
            del self._engines[next(iter(self._engines))]
        self._engines[step] = engine

    def go(self, step: int) -> Replace:
        """The command that brings a document to a step from any other state."""
        return Replace(self[step], f"Step: {self.lesson.steps[step].title}")


@lru_cache(_LESSONS)
def states_of(lesson: Lesson) -> StepStates:
    """The states of a lesson's steps, kept for the last few lessons."""
    return StepStates(lesson)


def start_of(lesson: Lesson) -> State:
    """The state in which a lesson opens; so its first step is no act that undo would take back without effect."""
    return states_of(lesson).start if lesson.steps else lesson.state()


def after(before: State, lesson: Lesson, step: Step) -> State:
    """The state of a step, computed from the state of the step before.

    Raises `ExplorerError` if an edit of the step is not possible.
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
    """The state of a step without its training. Training changes only numbers, no names and no shapes."""
    state = lesson.state(step.setting) if step.setting else before
    for command in step.edits:
        state = command.apply(state)
    return state
