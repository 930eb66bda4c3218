"""What a step of a lesson is: words, where to look, what is changed before, and a question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from explorer.document.commands import Command

Cell: TypeAlias = tuple[int, ...]
ELSEWHERE = ("model", "words", "train")
"""Where a step can look beside the stages of the graph: the whole model, and the tabs of the window."""

WRITING = ("generation.next", "generation.why", "generation.heads", "generation.costs", "generation.pieces")
"""And, where a model writes, the pages about that."""


@dataclass(frozen=True)
class Look:
    """Where a step looks.

    Parameters
    ----------
    stage : str
        A stage of the graph, one of `ELSEWHERE`, or of a model that writes one of `WRITING`.
    node : str
        A node, or a head's slice of one; empty: the whole page.
    rows, columns : tuple of int
        Those that are lit; with both, the cells where they cross. Counted from 0. A vector has rows.
    element : str
        The title of an element of the page that is no matrix, such as "Heat map".
    token : (axis, place) or None
        The word that stays lit, as in `explorer.pages.view.Looking`.
    word : str
        The word that is looked up on the Words tab, or an analogy there: "king - man + woman".
    ticked : tuple of str
        Boxes of the page that are ticked for the reader, by their ids, such as "patching.show".
    beside : tuple of str
        Nodes of the page whose numbers are wanted beside the one that is named; a class sees no more of the page.
    """

    stage: str
    node: str = ""
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    element: str = ""
    token: tuple[str, int] | None = None
    word: str = ""
    ticked: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Training:
    """Steps of gradient descent on the lesson's own example."""

    steps: int
    rate: float
    optimiser: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked before anything is shown.

    Parameters
    ----------
    ask : str
        Markdown, as `Step.words`.
    hints : tuple of str
        From the smallest on; behind the last one comes the derivation.
    why : str
        The principle, shown afterwards; empty where nothing needs to be said.
    covers : tuple of str
        Nodes, or heads' slices of them, that nobody can read before it is answered: the page would tell the answer. A
        number that is asked for is covered without being named.
    """

    ask: str
    hints: tuple[str, ...] = ()
    why: str = ""
    covers: tuple[str, ...] = ()


ALL = -1
"""So many terms are left out of a derivation: all of them."""


@dataclass(frozen=True, kw_only=True)
class Predict(Question):
    """A number is typed.

    Parameters
    ----------
    node : str
        A node, or a head's slice of one.
    cell : tuple of int
        Counted in the shape of the node or slice.
    of : str
        Its "value", or the "gradient" of the loss there.
    digits : int
        Decimals to be typed; half a unit of the last one may be missed.
    fade : int
        How many terms of the derivation are left out for the student to fill in; `ALL`, or 0: only the result is asked.
    fresh : bool
        Whether other numbers are drawn for this student.
    """

    node: str
    cell: Cell
    of: str = "value"
    digits: int = 2
    fade: int = 0
    fresh: bool = False


@dataclass(frozen=True)
class Choice:
    """One answer to choose; `why` says of a wrong one what the mistake is."""

    text: str
    right: bool = False
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Choose(Question):
    """One of a few answers is chosen."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, kw_only=True)
class Point(Question):
    """A token, a cell or a head is pointed at.

    Parameters
    ----------
    at : str
        "token", "cell" or "head".
    node : str
        Whose cells are meant; empty where a token or a head is named outright.
    axis : str
        Of a token: the axis that it stands on.
    extreme : str
        "largest" or "smallest": the right answer is computed from the node. Empty: it is one of `right`.
    row : int or None
        The row that is searched for it; None: the whole node.
    right : tuple of cells
        A token and a head are cells of one number.
    """

    at: str
    node: str = ""
    axis: str = ""
    extreme: str = ""
    row: int | None = None
    right: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Condition:
    """What has to hold of a node.

    Parameters
    ----------
    node : str
        A node, or a head's slice of one.
    cell : tuple of int
        The cell that is compared; of "argmax" the row that is searched.
    sign : str
        "argmax" (the largest of the row stands in column `number`), ">", ">=", "<", "<=", or "~" (`number`, give or
        take `tolerance`).
    number, tolerance : float
    """

    node: str
    cell: Cell
    sign: str
    number: float
    tolerance: float = 0.0


@dataclass(frozen=True, kw_only=True)
class MakeSo(Question):
    """Numbers are changed until a goal is reached; any solution counts.

    Parameters
    ----------
    goal : str
        As it is written.
    conditions : tuple of Condition
        The same, read: all of them have to hold.
    edits : int
        So many cells may differ at most from what the step begins with; 0: any number.
    allowed : tuple of str
        The inputs that may be changed; empty: all of them.
    """

    goal: str
    conditions: tuple[Condition, ...]
    edits: int = 0
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a lesson.

    Parameters
    ----------
    id : str
        Its name in the file.
    title : str
    words : str
        Markdown with ``$…$``; ``{NODE[row, column]}`` is the number of that cell (`explorer.lessons.prose`).
    look : Look
    notes : str
        What a lecturer says or watches for.
    minutes : float
        Planned; 0 where nothing is.
    setting : str
        The setting of the lesson that it begins anew from; empty: from the step before.
    edits : tuple of Command
        What is changed before it is shown, in this order.
    training : Training or None
        Taken after the edits.
    showing : str
        What matrices show: "values", "change", "gradient" or "step".
    head : int
        The head that is looked at, counted from 0.
    question : Question or None
    """

    id: str
    title: str
    words: str
    look: Look
    notes: str = ""
    minutes: float = 0.0
    setting: str = ""
    edits: tuple[Command, ...] = ()
    training: Training | None = None
    showing: str = "values"
    head: int = 0
    question: Predict | Choose | Point | MakeSo | None = None
    shown: Mapping[str, tuple[str, Cell]] = field(default_factory=dict)
    """For each text in braces, in its words and its question, the node and the cell that it means."""
