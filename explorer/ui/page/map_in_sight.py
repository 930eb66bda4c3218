"""As a page begins, the weights are in sight, and where it is high enough the first heat map that draws them, too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.pages.element import Element
from explorer.pages.matrix import Matrix
from explorer.pages.page import Row
from explorer.pages.word_pictures import HeatMap
from explorer.ui.page.first_matrices import matrices_of, places_of

if TYPE_CHECKING:
    from explorer.ui.page.column import Elements


MANY = 12
"""Words from which on the map may stand for the numbers of the weights."""


class MapInSight:
    """Lets small pictures stand for the matrices before the weights, a row at a time, as far as it takes.

    Parameters
    ----------
    page : Elements

    Attributes
    ----------
    folded : dict of str to int
        How many matrices of a row, by its id, are small pictures.
    """

    def __init__(self, page: "Elements") -> None:
        self._page = page
        self.folded: dict[str, int] = {}
        self._apart: Matrix | None = None  # behind which the line ends
        self._decided: tuple[object, ...] = ()
        self._with_map = True

    def forget(self) -> None:
        """Decide anew: the page was arranged anew."""
        self._decided, self.folded, self._apart = (), {}, None

    def share(self, elements: Sequence[Element], room: int, height: int, with_map: bool = True) -> None:
        """Fold what is in the way of so many pixels across and down; 0 down: nothing.

        `with_map` says whether the map is to be in sight, too, or the weights alone.
        """
        self._with_map = with_map
        rows = [element for element in elements if isinstance(element, Row)]
        at = next((i for i, row in enumerate(rows) if _maps(row) and matrices_of(row)), None)
        if at is None or not (height or self._decided):
            return
        last, rows = rows[at], rows[: at + 1]
        matrices = [matrix for row in rows for matrix in matrices_of(row)]
        boxes = [self._page.box(matrix) for matrix in matrices]
        sizes = ((box.view.width_without_labels(), box.view.height(), box.own_size) for box in boxes)
        maps = (self._page.widgets[one.id].sizeHint().toTuple() for one in _maps(last))
        if self._decided == (decided := (room, height, with_map, *sizes, *maps)):
            return
        self._decided = decided if height and self._below(last, room) else ()
        if height and any(matrix.open is not None for matrix in matrices):
            return  # somebody looks closer: nothing else moves for that
        self._unfold(rows, room, height)
        # The weights are the last matrix before the map.
        items = [item.element for item in last.items]
        before = [one for one in items[: items.index(_maps(last)[0])] if isinstance(one, Matrix)]
        steps = [*((row, len(matrices_of(row))) for row in rows[:-1]), (last, len(before) - 1)]
        if with_map and max(before[-1].array.shape) > MANY:
            steps.append((last, len(before)))
        while height and self._below(last, room) >= height:
            if steps:
                row, count = steps.pop(0)
                self.folded[row.id] = count
            elif with_map and len(before) > 1 and not self._apart:
                self._apart = before[-2]  # small pictures above the weights take less than a map below them
                self._page.end_line(self._apart, True)
            else:
                self._unfold(rows, room, height)  # it would be of no use
                return
            self._page.share_line(row, room, fold=count)
        for row in [row for row in rows[:-1] if self.folded.get(row.id)]:  # the last one may have been enough
            count = self.folded.pop(row.id)
            self._page.share_line(row, room, height, None if row.folds else 0)
            if self._below(last, room) >= height:
                self.folded[row.id] = count
                self._page.share_line(row, room, fold=count)

    def _unfold(self, rows: Sequence[Row], room: int, height: int) -> None:
        self.folded = {}
        if self._apart is not None:
            self._page.end_line(self._apart, False)
            self._apart = None
        for row in rows:
            self._page.share_line(row, room, height or None, None if row.folds else 0)

    def _below(self, row: Row, room: int) -> int:
        """Down to where the weights and their map take the page; 0 while the map is still to come."""
        places = list(places_of(self._page, row, self._page.place_of(row, room)))
        at = next((i for i, (one, _) in enumerate(places) if isinstance(one, HeatMap)), 0)
        return max((rect.bottom() for _, rect in places[at - 1 : at + self._with_map]), default=0) if at else 0


def _maps(row: Row) -> list[HeatMap]:
    return [item.element for item in row.items if isinstance(item.element, HeatMap)]
