"""A page while a question asks for one of its numbers: whatever would show it stands back until it is answered.

Matrices cover their own cells (`Matrix.covered`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from explorer.pages.element import Element
from explorer.pages.matrix import COVERED, Matrix
from explorer.pages.page import BAR, HEAT, NUMBER, Descent, Item, Line, Lines, Listing, Note, Row, Stack
from explorer.pages.view import Cell

Covered = Mapping[str, frozenset[tuple[int, ...]]]
_DECIMAL = re.compile(r"\d[.,]\d|\d ?%")


def without(elements: Sequence[Element], covered: Covered) -> tuple[Element, ...]:
    """The elements without what would show a covered number; lists stay, with signs in place of their numbers."""
    if not covered:
        return tuple(elements)
    return tuple(kept for element in elements if (kept := _kept(element, covered)) is not None)


def _kept(element: Element, covered: Covered) -> Element | None:
    match element:
        case Matrix():
            return element
        case Row(items=items):
            parts = ((item.sign, _kept(item.element, covered)) for item in items)
            left = tuple(Item(sign, part) for sign, part in parts if part is not None)
            return replace(element, items=left) if left else None
        case Stack(elements=inside):
            kept = without(inside, covered)
            return replace(element, elements=kept) if kept else None
        case Note(text=text):
            return None if _DECIMAL.search(text) else element
        case Listing(lines=lines, columns=columns):
            which = tuple(i for i, column in enumerate(columns) if column.kind in (NUMBER, BAR, HEAT))
            return replace(element, lines=_Unread(lines, which))
        case Descent():
            return None  # it tells the loss
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


@dataclass(frozen=True, eq=False)
class _Unread(Lines):
    """Lines whose numbers nobody may read."""

    lines: Sequence[Line]
    which: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, row: int) -> Line:
        line = self.lines[row]
        entries = (
            replace(entry, text=COVERED, value=0.0, tip="") if i in self.which else entry
            for i, entry in enumerate(line.entries)
        )
        return replace(line, entries=tuple(entries), here=False)
