"""What a step of a lesson is: words, where to look, what is changed before, and a question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from explorer.document.commands import Command

Cell: TypeAlias = tuple[int, ...]
ELSEWHERE = ("model", "words", "train")
"""Where a step can look beside the stages of the graph: the whole model, and the tabs of the window."""

WRITING = ("generation.next", "generation.why", "generation.heads", "generation.costs", "generation.pieces")
"""And, where a model writes, the pages about that."""

FAMILY = "model.family"
"""And the known models, which such a one can become."""


@dataclass(frozen=True)
class Look:
    """Where a step looks."""

    stage: str  # a stage of the graph, one of `ELSEWHERE`, or of a model that writes one of `WRITING`, or `FAMILY`
    node: str = ""  # a node, or a head's slice of one; empty: the whole page
    # `rows`, `columns`: those that are lit; with both, the cells where they cross. Counted from 0. A vector has rows.
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    element: str = ""  # the title of an element of the page that is no matrix, such as "Heat map"
    token: tuple[str, int] | None = None  # (axis, place): the word that stays lit, as in `explorer.pages.view.Looking`
    word: str = ""  # the word that is looked up on the Words tab, or an analogy there: "king - man + woman"
    # Boxes of the page that are ticked for the reader, by their ids, such as "patching.show".
    ticked: tuple[str, ...] = ()
    # Nodes of the page whose numbers are wanted beside the one that is named; a class sees no more of the page.
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Training:
    """Steps of gradient descent on the lesson's own example."""

    steps: int
    rate: float
    optimiser: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked before anything is shown."""

    ask: str  # markdown, as `Step.words`
    hints: tuple[str, ...] = ()  # from the smallest on; behind the last one comes the derivation
    why: str = ""  # the principle, shown afterwards; empty where nothing needs to be said
    # Nodes, or heads' slices of them, that nobody can read before it is answered: the page would tell the answer. A
    # number that is asked for is covered without being named.
    covers: tuple[str, ...] = ()
    alone: bool = True  # whether it can be asked where no page is in sight: on a sheet of exercises

    made: ClassVar[bool] = False
    """Whether it is answered by what is done to the model, as often as it takes."""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The inputs that may be changed for it; empty: all of them, or none where nothing is `made`."""
        return ()

    @property
    def goals(self) -> tuple[tuple[str, Cell], ...]:
        """The node and cell of each number that is to become something."""
        return ()

    @property
    def derived(self) -> tuple[str, Cell, str] | None:
        """The node and cell whose derivation is the last hint, and whether of its "value" or its "gradient"."""
        return None


ALL = -1
"""So many terms are left out of a derivation: all of them."""


@dataclass(frozen=True, kw_only=True)
class Predict(Question):
    """A number is typed."""

    node: str  # a node, or a head's slice of one
    cell: Cell  # counted in the shape of the node or slice
    of: str = "value"  # its "value", or the "gradient" of the loss there
    digits: int = 2  # decimals to be typed; half a unit of the last one may be missed
    # How many terms of the derivation are left out for the student to fill in; `ALL`, or 0: only the result is asked.
    fade: int = 0
    fresh: bool = False  # whether other numbers are drawn for this student

    @property
    def derived(self) -> tuple[str, Cell, str]:
        return self.node, self.cell, self.of


@dataclass(frozen=True)
class Choice:
    """One answer to choose; `why` says of a wrong one what the mistake is."""

    text: str
    right: bool = False
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Choose(Question):
    """One of a few answers is chosen."""

    choices: tuple[Choice, ...]  # as they are written
    mixed: bool = True  # whether they are shown in another order; a natural one, such as that of numbers, stays


@dataclass(frozen=True, kw_only=True)
class Point(Question):
    """A token, a cell or a head is pointed at."""

    at: str  # "token", "cell" or "head"
    node: str = ""  # whose cells are meant; empty where a token or a head is named outright
    axis: str = ""  # of a token: the axis that it stands on
    # "largest" or "smallest": the right answer is computed from the node. Empty: it is one of `right`.
    extreme: str = ""
    row: int | None = None  # the row that is searched for it; None: the whole node
    right: tuple[Cell, ...] = ()  # a token and a head are cells of one number


@dataclass(frozen=True)
class Condition:
    """What has to hold of a node."""

    node: str  # a node, or a head's slice of one
    cell: Cell  # the cell that is compared; of "argmax" the row that is searched
    # "argmax" (the largest of the row stands in column `number`), ">", ">=", "<", "<=", or "~" (`number`, give or take
    # `tolerance`).
    sign: str
    number: float
    tolerance: float = 0.0

    @property
    def compared(self) -> Cell:
        """The cell that is compared, or that is to be the largest of its row."""
        return (*self.cell, int(self.number)) if self.sign == "argmax" else self.cell


@dataclass(frozen=True, kw_only=True)
class MakeSo(Question):
    """Numbers are changed until a goal is reached; any solution counts."""

    made: ClassVar[bool] = True

    goal: str  # as it is written
    conditions: tuple[Condition, ...]  # the same, read: all of them have to hold
    edits: int = 0  # so many cells may differ at most from what the step begins with; 0: any number
    allowed: tuple[str, ...] = ()  # the inputs that may be changed; empty: all of them

    @property
    def goals(self) -> tuple[tuple[str, Cell], ...]:
        return tuple((one.node, one.compared) for one in self.conditions)

    @property
    def derived(self) -> tuple[str, Cell, str]:
        return (*self.goals[0], "value")


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a lesson."""

    id: str  # its name in the file
    title: str
    words: str  # markdown with ``$…$``; ``{NODE[row, column]}`` is the number of that cell (`explorer.lessons.prose`)
    look: Look
    slide: str = ""  # at most three sentences for a class, markdown as `words`; empty: the words themselves
    notes: str = ""  # what a lecturer says or watches for
    minutes: float = 0.0  # planned; 0 where nothing is
    setting: str = ""  # the setting of the lesson that it begins anew from; empty: from the step before
    edits: tuple[Command, ...] = ()  # what is changed before it is shown, in this order
    training: Training | None = None  # taken after the edits
    showing: str = "values"  # what matrices show: "values", "change", "gradient" or "step"
    head: int = 0  # the head that is looked at, counted from 0
    question: Predict | Choose | Point | MakeSo | None = None
    shown: Mapping[str, tuple[str, Cell]] = field(default_factory=dict)
    """For each text in braces, in its words and its question, the node and the cell that it means."""
