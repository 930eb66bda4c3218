"""The conventions that give printed numbers; each can be opened as a model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons import conventions as search
from explorer.lessons.conventions import SECONDS, Convention, read_matrix
from explorer.lessons.document_lesson import lesson_of
from explorer.lessons.schema import Lesson
from explorer.library.transformer import Transformer


class Way(Frozen, eq=False):
    """One way to compute the printed numbers."""

    convention: Convention
    node: str  # the node that has the printed numbers; "" if nodes were given by name
    lesson: Lesson | None = None  # the lesson of the model; None for a model that was made for a matrix

    @property
    def changed(self) -> dict[str, Any]:
        """The switches to change and their values, as `Transformer.switch` takes them."""
        return dict(self.convention.changed)

    def open(self) -> Transformer:
        """The model with these choices; a deviation that has no switch is pinned."""
        state = self.convention.state
        lesson, state = (self.lesson, state) if self.lesson else lesson_of(state, "A matrix")
        assert lesson is not None
        return Transformer(lesson, Document(state))

    def __str__(self) -> str:
        return f"{self.node}: {self.convention}" if self.node else str(self.convention)

    __repr__ = __str__


class Ways(Frozen, eq=False):
    """All ways that were found, the likeliest first."""

    ways: tuple[Way, ...]
    unexplained: tuple[str, ...] = ()  # nodes whose printed numbers no way gives
    undecided: Mapping[str, tuple[Any, ...]] | None = None  # switches with other values that give the same digits
    nearest: Way | None = None  # the way that comes nearest, if no way gives the numbers
    other_shapes: tuple[str, ...] = ()  # sentences on nodes that have another shape than their printed numbers

    def __len__(self) -> int:
        return len(self.ways)

    def __getitem__(self, number: int) -> Way:
        return self.ways[number]

    def __str__(self) -> str:
        lines = [f"{number}  {way}" for number, way in enumerate(self.ways, 1)]
        if not lines:
            what = f" of {', '.join(self.unexplained)}" if self.unexplained else ""
            lines = [f"No setting that was tried gives the printed numbers{what}."]
            lines += self.other_shapes
            lines += [f"Nearest: {self.nearest}"] if self.nearest and self.nearest.changed else []
        for name, values in (self.undecided or {}).items():
            lines.append(f"The digits do not decide {name}: {', '.join(map(str, values))} would do as well.")
        return "\n".join(lines)

    __repr__ = __str__


def of_model(lesson: Lesson, state: State, printed: Mapping[str, Any], seconds: float = SECONDS) -> Ways:
    """The ways in which a model gives printed numbers; parameters as in `Transformer.conventions`."""
    prints = [search.print_of(state, name, given) for name, given in printed.items()]
    answer = search.conventions(state, prints, seconds)
    ways = tuple(Way(one, "", lesson) for one in answer.found)
    shapes = [(one, state.graph.shape(one.node)) for one in prints if one.node in state.graph.nodes]
    others = (
        f"{one.node} is {_shape(shape)}, its printed numbers are {_shape(one.values.shape)}."
        for one, shape in shapes
        if one.cell is None and sorted(shape) != sorted(one.values.shape)  # a switch may exchange rows and columns
    )
    nearest = Way(answer.nearest, "", lesson)
    return Ways(ways, answer.unexplained, answer.undecided, nearest, tuple(others))


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "a number"


def conventions(given: Any, printed: Any, seconds: float = SECONDS) -> Ways:
    """Find the conventions that turn a matrix into printed numbers, if a text does not state them.

    It tries softmax and other outputs, layer and batch norm, attention of the rows to each other, and positions, with
    their switches, other axes and logarithms, and rounded intermediate results.

    Parameters
    ----------
    given, printed : str or array
        As copied from a text: see `explorer.lessons.conventions.read_matrix`. All printed digits must agree. A list
        of numbers is a row.
    seconds : float
        The longest time that the search may take.

    Raises
    ------
    ExplorerError
        "no-prints", "paste-uneven", "paste-too-long" or "bad-number".

    >>> import explorer
    >>> explorer.conventions("1 0; 3 4", "-1.00 1.00; -1.41 1.41")
    No setting that was tried gives the printed numbers.
    >>> explorer.conventions("2 1 0.2", "0.6522 0.2399 0.1078")
    1  output.probabilities: as it stands
    """
    matrix = np.atleast_2d(read_matrix(given)[0])
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ExplorerError("not-a-matrix")
    values, decimals = read_matrix(printed)
    found = search.of_matrix(matrix, np.atleast_2d(values), np.atleast_2d(decimals), seconds)
    return Ways(tuple(Way(one, name) for name, one in found))
