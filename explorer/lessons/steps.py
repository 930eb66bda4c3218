"""What a step of a lesson is: words, where to look, edits of the model, and a question."""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, TypeAlias

from explorer.core.frozen import Frozen
from explorer.document.commands import Command

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
    digits: int = 2  # the decimals to type, with a tolerance of half a unit of the last one
    # How many terms of the derivation are left out for the student to fill in, or `ALL`; 0: only the result is asked.
    fade: int = 0
    fresh: bool = False  # whether other numbers are drawn for this student

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
