"""The numbers that are covered while a question is open: the number that it asks for, and all cells that give it away.

Matrices cover their own cells (`Matrix.covered`); `without_covered` leaves out other elements with covered numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from explorer.core.cell import cells_of, is_cell_of, operands
from explorer.core.graph import LOSS, Graph
from explorer.core.ops import Array
from explorer.lessons.mistakes import array_of
from explorer.lessons.steps import Predict, Question
from explorer.pages.view import Cell, Covered, View

Index = tuple[int, ...]
SAME = 1e-9
"""A relative difference: float64 numbers that differ by less count as one number, computed in two ways."""
PARTS = 1200
"""Multiples of 1 ÷ PARTS, such as 0.5, 1, 0.25 or a third, may stand anywhere by chance."""


def covered_by(view: View, question: Question | None) -> Covered:
    """The cells that a question covers while it is open.

    These are the cells that it names in ``covers``, the cell that it asks for, what the same stage computes from these,
    and other cells of the model with the asked number: copied, transposed, multiplied by 1, or added to 0.
    """
    if question is None:
        return Covered()
    values = _Cells()
    for name in question.covers:
        place = view.graph.find(name)
        if place is None:
            continue  # a switch has taken it away
        inside = np.ndindex(view.engine.value(place).shape)
        _spread(view, place.node, [place.index + cell for cell in inside], values)
    asked = asked_cell(view.graph, question) if isinstance(question, Predict) else None
    if asked is None or not isinstance(question, Predict):
        return Covered(values.frozen())
    number = float(array_of(view.engine, asked.node, question.of)[asked.index])
    said = number if _is_said_by_itself(number, question) else None
    if question.of == "gradient":
        carriers = _Carriers(view, "gradient", {asked}).found
        return Covered(values.frozen(), carriers.frozen(), said, question.digits)
    _spread(view, asked.node, [asked.index], values)
    alike = {asked, *_mirrored(view, asked)}
    for node, cells in _Carriers(view, "value", alike).found.of.items():
        values.add(node, cells)
    if view.nodes[asked.node].op.shares:  # a row of shares adds up to 1, so the others give the asked one away
        columns = range(view.values[asked.node].shape[-1])
        values.add(asked.node, {(*cell.index[:-1], column) for cell in alike for column in columns})
    for cell in _come_to_elsewhere(view, asked):
        values.add(cell.node, {cell.index})
    return Covered(values.frozen(), number=said, decimals=question.digits)


def asked_cell(graph: Graph, question: Predict) -> Cell | None:
    """The cell that a question asks for; None while a switch or a shorter sentence has taken it away."""
    place = graph.find(question.node)
    if place is None or (question.of == "gradient" and LOSS not in graph.nodes):
        return None
    index = place.index + question.cell
    return Cell(place.node, index) if is_cell_of(index, graph.shape(place.node)) else None


@dataclass
class _Cells:
    """Cells of nodes, for gathering them step by step."""

    of: dict[str, set[Index]] = field(default_factory=dict)

    def add(self, node: str, cells: set[Index]) -> set[Index]:
        """Add cells of a node; returns those that are new."""
        known = self.of.setdefault(node, set())
        fresh = cells - known
        known |= fresh
        return fresh

    def frozen(self) -> dict[str, frozenset[Index]]:
        return {node: frozenset(cells) for node, cells in self.of.items() if cells}


def _spread(view: View, node: str, cells: list[Index], covered: _Cells) -> None:
    """Cover cells, and the cells of the same stage that are computed from them."""
    stage = view.nodes[node].stage
    covered.add(node, set(cells))
    front = [(node, cell) for cell in cells]
    while front:
        name, index = front.pop()
        for child, pattern in view.engine.feeds(name, index).items():
            if view.nodes[child].stage == stage:
                fresh = covered.add(child, set(cells_of(pattern, view.values[child].shape)))
                front += [(child, one) for one in fresh]


class _Carriers:
    """The cells that a number is passed on to, or is copied from, with at most its sign changed.

    The search goes from a cell to those of its readers with the same number, and back to a computed matrix only if the
    whole matrix is copied. A single number that the asked one is computed from stays readable: the student needs the
    0.7 of ReLU(0.7), or the one value that gets all of the attention.

    `asked`: the cells at which the search begins, all with one number; `found` contains them.
    """

    def __init__(self, view: View, of: Literal["value", "gradient"], asked: set[Cell]) -> None:
        self._view, self._of = view, of
        self._above: dict[tuple[str, str], dict[Index, set[Index]]] = {}
        self.found = _Cells()
        front = [*asked]
        for cell in front:
            self.found.add(cell.node, {cell.index})
        self._number = abs(float(array_of(view.engine, front[0].node, of)[front[0].index]))
        while front:
            cell = front.pop()
            for node, cells in self._near(cell):
                front += [Cell(node, index) for index in self.found.add(node, cells)]

    def _near(self, cell: Cell) -> Iterator[tuple[str, set[Index]]]:
        onward, back = self._readers, self._sources
        if self._of == "gradient":  # a gradient is passed from the readers of a cell to the cell
            onward, back = back, onward
        for node, cells in onward(cell):
            yield node, cells
        for node, cells in back(cell):
            if self._is_copy(node, cell.node):
                yield node, cells

    def _readers(self, cell: Cell) -> Iterator[tuple[str, set[Index]]]:
        for child, pattern in self._view.engine.feeds(cell.node, cell.index).items():
            array = self._array(child)
            if array is not None:
                yield child, {one for one in cells_of(pattern, array.shape) if _same(array[one], self._number)}

    def _sources(self, cell: Cell) -> Iterator[tuple[str, set[Index]]]:
        for parent in self._view.nodes[cell.node].parents:
            yield parent, self._alike_above(parent, cell.node).get(cell.index, set())

    def _alike_above(self, parent: str, node: str) -> dict[Index, set[Index]]:
        """For each cell of a node, those cells of a parent that it reads and that have the number.

        This is computed once for all cells: where all shares of a table are equal, hundreds of cells have the number.
        """
        if (parent, node) not in self._above:
            found: dict[Index, set[Index]] = {}
            array, shape = self._array(parent), self._view.values[node].shape
            for place in () if array is None else np.argwhere(_same(array, self._number)):
                one = tuple(map(int, place))
                pattern = self._view.engine.feeds(parent, one).get(node)
                for cell in () if pattern is None else cells_of(pattern, shape):
                    found.setdefault(cell, set()).add(one)
            self._above[parent, node] = found
        return self._above[parent, node]

    def _is_copy(self, node: str, of: str) -> bool:
        """Whether a computed node has the same numbers as another node, in any order and with any signs."""
        one, other = self._array(node), self._array(of)
        if one is None or other is None or one.size != other.size:
            return False
        if self._of == "value" and self._view.nodes[node].is_input:
            return False
        return bool(np.all(_same(np.sort(np.abs(one), axis=None), np.sort(np.abs(other), axis=None))))

    def _array(self, node: str) -> Array | None:
        if self._view.values[node].dtype.kind != "f":
            return None
        return array_of(self._view.engine, node, self._of)


def _mirrored(view: View, asked: Cell) -> Iterator[Cell]:
    """Cells of the asked matrix computed from the same numbers, such as the mirror cell of a symmetric matrix."""
    array, read = view.values[asked.node], _read(view, asked)
    for one in np.argwhere(_same(array, abs(float(array[asked.index])))) if read else ():
        cell = Cell(asked.node, tuple(map(int, one)))
        if _read(view, cell) == read:
            yield cell


def _come_to_elsewhere(view: View, asked: Cell) -> Iterator[Cell]:
    """All cells of the model with the asked number, if that is too peculiar to occur by chance.

    The cells that it is computed from are left out, because the student has to read them.
    """
    number = float(view.values[asked.node][asked.index])
    if not _is_peculiar(number):
        return
    last = view.engine.explain(asked.node, asked.index)
    read = {
        Cell(one.node, at)
        for one in (operands(last) if last else ())
        for at in cells_of(one.index, view.values[one.node].shape)
    }
    for name, array in view.values.items():
        if array.dtype.kind == "f":
            alike = (Cell(name, tuple(map(int, one))) for one in np.argwhere(_same(array, abs(number))))
            yield from (cell for cell in alike if cell not in read)


def _read(view: View, cell: Cell) -> list[float]:
    """The numbers that a cell is computed from, sorted."""
    last = view.engine.explain(cell.node, cell.index)
    read = () if last is None else (np.ravel(one.value) for one in operands(last))
    return sorted(float(f"{number:.9g}") for numbers in read for number in numbers.tolist())


def _same(numbers: Array, size: float | Array) -> Array:
    """Which numbers have the given absolute value, or the given absolute values element by element."""
    tolerance = 1e-5 if numbers.dtype == np.float32 else SAME
    with np.errstate(invalid="ignore"):  # ∞ − ∞: a model may have overflowed
        near = np.abs(np.abs(numbers) - size) <= tolerance * np.maximum(np.abs(numbers), size)
    same: Array = near & np.isfinite(numbers)
    return same


def _is_peculiar(number: float) -> bool:
    """Whether a number is no multiple of 1 ÷ `PARTS`."""
    return bool(np.isfinite(number)) and abs(number * PARTS - round(number * PARTS)) > 1e-6 * PARTS


def _is_said_by_itself(number: float, question: Predict) -> bool:
    """Whether a text with this number, rounded, can only mean the asked number."""
    if not np.isfinite(number) or round(number, max(question.digits, 2)).is_integer():
        return False
    return question.of == "gradient" or _is_peculiar(number)
