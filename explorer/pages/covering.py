"""A page while a question asks for one of its numbers: whatever would show it stands back until it is answered.

Matrices cover their own cells (`Matrix.covered`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.core.explain import cells_of
from explorer.core.graph import Graph
from explorer.core.ops import Array
from explorer.lessons.mistakes import array_of, half_unit
from explorer.lessons.steps import Predict, Question
from explorer.pages.by_hand import Scheme
from explorer.pages.drawing import Bars, Dot, Image, Mark, Words
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import COVERED, Matrix
from explorer.pages.page import BAR, HEAT, NUMBER, Descent, Item, Line, Lines, Listing, Note, Picture, Row, Stack
from explorer.pages.view import Cell, View

Covered = Mapping[str, frozenset[tuple[int, ...]]]
WAITS = "More of this page comes back when the question is answered: it would show the number."
_DECIMAL = re.compile(r"\d[.,]\d|\d ?%")


def covered_by(view: View, question: Question | None) -> Covered:
    """The cells that a question covers while it is open.

    What it names in ``covers``, the number that it asks for, and what its stage computes from these. Where that number
    stands in other cells as well, their whole rows: a mirror image, or the equal share beside it, would tell.
    """
    covered: dict[str, set[tuple[int, ...]]] = {}
    for name in () if question is None else question.covers:
        place = view.graph.find(name)
        if place is None:
            continue  # a switch has taken it away
        inside = np.ndindex(view.engine.value(place).shape)
        _spread(view, place.node, [place.index + cell for cell in inside], covered)
    asked = asked_cell(view.graph, question) if isinstance(question, Predict) else None
    if isinstance(question, Predict) and asked is not None:
        if question.of == "value":
            _spread(view, asked.node, [asked.index], covered)
        else:
            covered.setdefault(asked.node, set()).add(asked.index)
        number = float(array_of(view.engine, asked.node, question.of)[asked.index])
        for name, cells in covered.items():
            array = array_of(view.engine, name, question.of)
            if name not in question.covers:
                cells |= _rows_with(array, cells, number, half_unit(question.digits))
    return {name: frozenset(cells) for name, cells in covered.items()}


def asked_cell(graph: Graph, question: Predict) -> Cell | None:
    """The cell that a question asks for; None while a switch or a shorter sentence has taken it away."""
    place = graph.find(question.node)
    if place is None:
        return None
    index = place.index + question.cell
    there = all(i < n for i, n in zip(index, graph.shape(place.node), strict=True))
    return Cell(place.node, index) if there else None


def _spread(view: View, node: str, cells: list[tuple[int, ...]], covered: dict[str, set[tuple[int, ...]]]) -> None:
    """Cover cells, and those of their stage that are computed from them."""
    stage = view.nodes[node].stage
    covered.setdefault(node, set()).update(cells)
    front = [(node, cell) for cell in cells]
    while front:
        name, index = front.pop()
        for child, pattern in view.engine.feeds(name, index).items():
            if view.nodes[child].stage != stage:
                continue
            known = covered.setdefault(child, set())
            fresh = [one for one in cells_of(pattern, view.values[child].shape) if one not in known]
            known.update(fresh)
            front += [(child, one) for one in fresh]


def _rows_with(array: Array, cells: set[tuple[int, ...]], number: float, tolerance: float) -> set[tuple[int, ...]]:
    """All cells of the rows in which a number stands, where it is among those cells and stands elsewhere, too."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞: a model may have overflowed
        same = np.abs(array - number) <= tolerance
    if not array.ndim or same.sum() < 2 or not any(same[cell] for cell in cells):
        return set()
    rows = np.broadcast_to(same.any(axis=-1, keepdims=True), array.shape)
    return {tuple(map(int, cell)) for cell in np.argwhere(rows)}


def without(elements: Sequence[Element], covered: Covered) -> tuple[Element, ...]:
    """The elements without what would show a covered number, and that it is so; lists stay, with signs for numbers."""
    if not covered:
        return tuple(elements)
    shown = _all_kept(elements, covered)
    before, left = (sum(1 for element in some for _ in leaves(element)) for some in (elements, shown))
    return shown if left == before else (*shown, Note("waits", WAITS))


def _all_kept(elements: Sequence[Element], covered: Covered) -> tuple[Element, ...]:
    return tuple(kept for element in elements if (kept := _kept(element, covered)) is not None)


def _kept(element: Element, covered: Covered) -> Element | None:
    match element:
        case Matrix() | Scheme():
            return element
        case Row(items=items):
            parts = ((item.sign, _kept(item.element, covered)) for item in items)
            left = tuple(Item(sign, part) for sign, part in parts if part is not None)
            return replace(element, items=left) if left else None
        case Stack(elements=inside):
            kept = _all_kept(inside, covered)
            return replace(element, elements=kept) if kept else None
        case Note(text=text):
            return None if _DECIMAL.search(text) else element
        case Listing(lines=lines, columns=columns):
            signs = {i: COVERED for i, column in enumerate(columns) if column.kind in (NUMBER, BAR, HEAT)}
            # A column without a title may say which word is chosen.
            signs |= {i: "" for i, column in enumerate(columns) if i and not column.title and i not in signs}
            return replace(element, lines=_Unread(lines, signs))
        case Descent():
            return None  # it tells the loss
        case Picture(drawing=drawing) if drawing.zoom:
            # Of a whole model only the numbers that are asked for are missing.
            return replace(element, made=replace(drawing, marks=tuple(_unread(m, covered) for m in drawing.marks)))
        case _:
            return None if any(cell.node in covered for cell in _cells(element)) else element


def _cells(data: Any) -> Iterator[Cell]:
    """All cells that an element shows something of."""
    if isinstance(data, Cell):
        yield data
    elif isinstance(data, Matrix):
        yield Cell(data.place.node, data.place.index)
    elif isinstance(data, tuple):
        for part in data:
            yield from _cells(part)
    elif hasattr(data, "__dataclass_fields__"):
        for name in data.__dataclass_fields__:
            yield from _cells(getattr(data, name))


def _unread(mark: Mark, covered: Covered) -> Mark:
    """A mark of a whole that tells no covered number."""
    match mark:
        case Dot(cell=Cell(node=node)) if node in covered:
            return replace(mark, inside=COVERED, share=None, cell=None)
        case Bars(place=room) if any(cell.node in covered for cell in mark.cells):
            return _asked(room)
        case Image(place=room, node=place) if place is not None and place.node in covered:
            return _asked(room)
    return mark


def _asked(room: tuple[float, float, float, float]) -> Words:
    """The sign of what is asked for, in the middle of where that stood."""
    left, top, width, height = room
    return Words(left + width / 2, top + height / 2, COVERED, fixed=True, size=20.0)


@dataclass(frozen=True, eq=False)
class _Unread(Lines):
    """Lines whose numbers nobody may read."""

    lines: Sequence[Line]
    signs: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, row: int) -> Line:
        line = self.lines[row]
        entries = (
            replace(entry, text=self.signs[i], value=0.0, tip="") if i in self.signs else entry
            for i, entry in enumerate(line.entries)
        )
        return replace(line, entries=tuple(entries), here=False)
