"""Which numbers nobody may read while a question is open: the one that it asks for, and all that carry it.

Matrices cover their own cells (`Matrix.covered`); what else would show a covered number, `without_covered` leaves out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from explorer.core.cell import cells_of, operands
from explorer.core.gradients import LOSS
from explorer.core.graph import Graph
from explorer.core.ops import Array
from explorer.lessons.mistakes import array_of
from explorer.lessons.steps import Predict, Question
from explorer.pages.view import Cell, Covered, View

Index = tuple[int, ...]
SAME = 1e-9
"""As a part of a number: what differs by less is the same number, come to on another way; of float64."""
PARTS = 1200
"""A number that is a whole number of such parts may stand anywhere by chance: 0.5, 1, 0.25, a third."""


def covered_by(view: View, question: Question | None) -> Covered:
    """The cells that a question covers while it is open.

    What it names in ``covers``, the number that it asks for, what its stage computes from these, and wherever in the
    model the number that is asked for stands once more: handed on, copied, turned, scaled by one, summed with zero.
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
    if view.nodes[asked.node].op.shares:  # the others of a row leave it over from 1
        columns = range(view.values[asked.node].shape[-1])
        values.add(asked.node, {(*cell.index[:-1], column) for cell in alike for column in columns})
    for cell in _come_to_elsewhere(view, asked):
        values.add(cell.node, {cell.index})
    return Covered(values.frozen(), number=said, decimals=question.digits)


def asked_cell(graph: Graph, question: Predict) -> Cell | None:
    """The cell that a question asks for; None while a switch or a shorter sentence has taken it away."""
    place = graph.find(question.node)
    if place is None or (question.of == "gradient" and LOSS.node not in graph.nodes):
        return None
    index = place.index + question.cell
    there = all(i < n for i, n in zip(index, graph.shape(place.node), strict=True))
    return Cell(place.node, index) if there else None


@dataclass
class _Cells:
    """Cells of nodes, while they are gathered."""

    of: dict[str, set[Index]] = field(default_factory=dict)

    def add(self, node: str, cells: set[Index]) -> set[Index]:
        """Take cells in; returns those that were not yet there."""
        known = self.of.setdefault(node, set())
        fresh = cells - known
        known |= fresh
        return fresh

    def frozen(self) -> dict[str, frozenset[Index]]:
        return {node: frozenset(cells) for node, cells in self.of.items() if cells}


def _spread(view: View, node: str, cells: list[Index], covered: _Cells) -> None:
    """Cover cells, and those of their stage that are computed from them."""
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
    """The cells that a number is handed on to, or comes from, unchanged but for its sign.

    From a cell to those that read it, where the number is the same; and to a computed matrix that this one is a copy
    of as a whole. A single number that it comes from is what it is to be computed from, and stays: ReLU of 0.7, or the
    one value that all of the attention goes to.

    `asked`: the cells to begin with, all of one number, which are among those that are `found`.
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
        if self._of == "gradient":  # it is handed on from what reads a cell to the cell
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
        """Of each cell of a node, the cells of a parent that it reads and that have the number.

        Made once for all cells: where all shares of a table are equal, hundreds of them have the number.
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
        """Whether a computed node has all the numbers of another one and no more."""
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
    """The cells of its matrix that are computed from the same numbers: a mirror image, an equal share beside it."""
    array, read = view.values[asked.node], _read(view, asked)
    for one in np.argwhere(_same(array, abs(float(array[asked.index])))) if read else ():
        cell = Cell(asked.node, tuple(map(int, one)))
        if _read(view, cell) == read:
            yield cell


def _come_to_elsewhere(view: View, asked: Cell) -> Iterator[Cell]:
    """Cells anywhere with the number that is asked for, where it is too peculiar for chance.

    Not those that it is computed from: they have to be read.
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
    """The numbers that a cell is computed from, in order of size."""
    last = view.engine.explain(cell.node, cell.index)
    read = () if last is None else (np.ravel(one.value) for one in operands(last))
    return sorted(float(f"{number:.9g}") for numbers in read for number in numbers.tolist())


def _same(numbers: Array, size: float | Array) -> Array:
    """Where numbers, whatever their sign, have a size, or these sizes."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞: a model may have overflowed
        near = np.abs(np.abs(numbers) - size) <= _tolerance(numbers) * np.maximum(np.abs(numbers), size)
    same: Array = near & np.isfinite(numbers)
    return same


def _tolerance(numbers: Array) -> float:
    return 1e-5 if numbers.dtype == np.float32 else SAME


def _is_peculiar(number: float) -> bool:
    """Whether a number is no whole number of parts of one."""
    return bool(np.isfinite(number)) and abs(number * PARTS - round(number * PARTS)) > 1e-6 * PARTS


def _is_said_by_itself(number: float, question: Predict) -> bool:
    """Whether words that say a number, rounded as they may be, can mean no other one."""
    if not np.isfinite(number) or round(number, max(question.digits, 2)).is_integer():
        return False
    return question.of == "gradient" or _is_peculiar(number)
