"""How the matrices of a row stand together: which are small pictures, and which name their rows.

`explorer/pages/equation.py` decides this from their sizes; this file measures them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from explorer.pages import equation
from explorer.pages.arrange import ANY, asked
from explorer.pages.matrix import Matrix
from explorer.pages.page import Item, Row
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.sizes import TIGHT_WAYS

if TYPE_CHECKING:
    from explorer.ui.page.column import Elements

THUMB = 132
"""The greatest width of a small picture in an equation, in pixels at text scale 1."""


def boxes(page: "Elements", row: Row) -> list[MatrixBox]:
    """The widgets of the matrices that are items of a row."""
    return [page.box(one) for one in row.inside if isinstance(one, Matrix)]


def parts(page: "Elements", row: Row, part_of: Callable[[Item], equation.Part]) -> list[equation.Part]:
    """The parts of a row: the result of `part_of` for each item, with the facts that the row knows."""
    found: list[equation.Part] = []
    before: MatrixBox | None = None
    begins = page.begins.get(row.id, ())
    for place, item in enumerate(row.items):
        box = page.box(item.element) if isinstance(item.element, Matrix) else None
        alike = box is not None and same_rows(before, box)
        keeps = box is not None and box.matrix.values.size == 1 and before is not None and before.small
        part, sign = part_of(item), item.sign if place else ""
        loses = part.loses * (not item.yields)
        found.append(part._replace(sign=sign, alike=alike, keeps=keeps, begins=place in begins, loses=loses))
        before = box
    return found


def let_stand(page: "Elements", row: Row, room: equation.Room, thumb: int) -> None:
    """Make the matrices of a row as large as its room allows.

    `thumb`: the greatest width of a small picture in an equation, in pixels.
    """
    there = parts(page, row, lambda item: _part(page, item, room.width, thumb))
    if not all(part.picture for part in there):  # beside numbers, small pictures keep the formulas in their headings
        there = [part._replace(widths=part.widths[:TIGHT_WAYS]) if part.tight else part for part in there]
    found = equation.stand(there, room)
    across_small = equation.widened(there, found)
    for line, spare in zip(found.lines, found.spare, strict=True):
        for i, place in enumerate(line):
            one = row.items[place].element
            if isinstance(one, Matrix):
                box, small = page.box(one), place in found.small
                labels = equation.is_labelled(there, line, i, found.small)
                way = min(found.way, len(there[place].widths) - 1)
                box.form = box.sizes.in_row(box.form, way, labels, across_small[place] if small else 0, spare)
                spare = 0 if small and box.matrix.open else spare


def width_of(page: "Elements", row: Row, room: equation.Room) -> tuple[int, int]:
    """The width of a row on one line, and that of its widest part with row labels, both with unlimited room."""
    there = parts(page, row, lambda item: _part(page, item, ANY, 0))
    return equation.across(there, list(range(len(there))), room, 0), max(one.widths[0] + one.labels[0] for one in there)


def least_of(page: "Elements", row: Row, room: equation.Room) -> int:
    """The least width in which a row breaks only before its "=" or an arrow, and all parts show their numbers."""
    return equation.least_unbroken(parts(page, row, lambda item: _part(page, item, ANY, 0)), room)


def halves_of(page: "Elements", row: Row, room: equation.Room) -> equation.Line:
    """Where a row that does not fit on one line, with all parts at full size, breaks: before its "=" or an arrow."""
    return equation.halves(parts(page, row, lambda item: _part(page, item, ANY, 0)), room)


def _part(page: "Elements", item: Item, room: int, thumb: int) -> equation.Part:
    if isinstance(item.element, Matrix):
        box = page.box(item.element)
        return box.sizes.part(box.form, room, thumb)
    ask = asked(item.element, page)
    return equation.Part((0 if ask is None else max(min(ask.likes, room), ask.least),), matrix=False)


def same_rows(before: QWidget | None, box: MatrixBox) -> bool:
    """Whether the matrix before, if it stands on the same line, already names the same rows."""
    if not isinstance(before, MatrixBox) or before.folded != box.folded:
        return False
    a, b = before.matrix, box.matrix
    if box.folded and a.array.shape != b.array.shape:  # small pictures of different widths have different row heights
        return False
    return before.form.times == box.form.times and (a.axes[0], a.rows) == (b.axes[0], b.rows)
