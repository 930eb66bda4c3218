"""On a low page the first two matrices are whole: what would not fit is a small picture, until one looks closer."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast
from weakref import proxy

from PySide6.QtCore import QRect

from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import Row, Stack
from explorer.pages.word_pictures import HeatMap
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.holders import Titled
from explorer.ui.widgets.flow import FlowLayout

if TYPE_CHECKING:
    from explorer.ui.page.column import Elements
    from explorer.ui.page.sharing import Sharing

WHOLE = 2
"""How many matrices are whole."""


class FirstMatrices:
    """Folds the rows of the first matrices of a page as far as it takes, and no further."""

    def __init__(self, sharing: "Sharing") -> None:
        self._page = sharing.page
        self._sharing: Sharing = proxy(sharing)  # whose part this is: nothing would let go of two that hold each other
        self._decided: tuple[object, ...] = ()

    def forget(self) -> None:
        """Decide anew: the page was arranged anew."""
        self._decided = ()

    def share(self, elements: Sequence[Element], room: int, height: int) -> None:
        """Fold what is in the way of so many pixels across and down; 0 down: nothing."""
        if not (height or self._decided):
            return  # there nothing was ever folded
        parts = list(self._first(elements))
        rows = [row for part in parts for row in _rows(part)]
        # Sizes that do not change with what is folded: else it would be decided for ever.
        sizes = ((id, box.view.width_without_labels(), box.view.height(), box.own_size) for id, box in self._all(rows))
        top = self._page.place_of(parts[0], room).top() if parts else 0
        if self._decided == (decided := (room, height, top, *sizes)):
            return
        self._decided = decided if height else ()
        for row in rows:
            self._sharing.share_line(row, room, fold=())
        lacking = WHOLE
        for part in parts if height else ():
            rects: list[QRect] = []
            for depth in range(3):
                for row in _rows(part) if depth else ():
                    self._sharing.share_line(row, room, fold=range(len(matrices_of(row)) - (2 - depth)))
                places = places_of(self._page, part, self._page.place_of(part, room))
                rects = [rect for one, rect in places if isinstance(one, Matrix) and one.values.size > 1]
                if not rects or _whole(rects, lacking, height):  # none: it is still to come
                    break
            lacking -= len(rects)

    def _first(self, elements: Sequence[Element]) -> Iterator[Element]:
        """The parts of the page that hold the first matrices."""
        count = 0
        for element in elements:
            n = sum(isinstance(part, Matrix) and part.values.size > 1 for part in leaves(element))
            if n and count < WHOLE:
                yield element
            count += n

    def _all(self, rows: Sequence[Row]) -> Iterator[tuple[str, MatrixBox]]:
        for row in rows:
            for matrix in matrices_of(row):
                yield matrix.id, self._page.box(matrix)


def places_of(page: "Elements", element: Element, place: QRect) -> Iterator[tuple[Element, QRect]]:
    """Where the matrices and heat maps of a part of the page will stand, in reading order."""
    match element:
        case Matrix() | HeatMap():
            yield element, place
        case Row(items=items):
            layout = cast(FlowLayout, page.holder_of(element).layout())
            rects = {id(one.widget()): rect for one, rect in layout.places(place)[0]}  # but for what is still to come
            for item, widget in zip(items, layout.widgets, strict=True):
                if id(widget) in rects:
                    yield from places_of(page, item.element, rects[id(widget)])
        case Stack(elements=elements):
            holder = cast(Titled, page.holder_of(element))
            for one, inside in zip(elements, holder.places(place), strict=True):
                yield from places_of(page, one, inside)


def _rows(element: Element) -> list[Row]:
    """The rows whose matrices may be folded here: others decide for themselves."""
    return [part for part in leaves(element) if isinstance(part, Row) and matrices_of(part) and not part.folds]


def matrices_of(row: Row) -> list[Matrix]:
    """The matrices that stand in a row by themselves."""
    return [item.element for item in row.items if isinstance(item.element, Matrix)]


def _whole(rects: Sequence[QRect], count: int, height: int) -> bool:
    """Whether the first few, and what stands beside them, are in sight at once.

    That is as the page begins, or where they begin below what is in sight then, when one has come there.
    """
    first = rects[:count]
    if not first:  # none of them is there yet
        return True
    lowest = max(rect.bottom() for rect in first)
    beside = [rect for rect in rects if rect.top() <= lowest] or first  # one without rows ends above its top
    top = min(rect.top() for rect in beside)
    start = top if top >= height else 0
    return all(rect.bottom() - start < height for rect in beside)
