"""As a page begins, the weights and the output are in sight, and where it is high enough the first heat map, too."""

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
    """Lets small pictures stand for the matrices around the weights, a row at a time, as far as it takes.

    Parameters
    ----------
    page : Elements

    Attributes
    ----------
    folded : dict of str to frozenset of int
        Which matrices of a row, by its id, are small pictures.
    """

    def __init__(self, page: "Elements") -> None:
        self._page = page
        self.folded: dict[str, frozenset[int]] = {}
        self._apart: Matrix | None = None  # behind which the line ends
        self._decided: tuple[object, ...] = ()

    def forget(self) -> None:
        """Decide anew: the page was arranged anew."""
        self._decided, self.folded, self._apart = (), {}, None

    def share(self, elements: Sequence[Element], room: int, height: int, with_map: bool = True) -> None:
        """Fold what is in the way of so many pixels across and down; 0 down: nothing.

        `with_map` says whether the map is to be in sight, too, or only the numbers before it. Where there is no room
        for all of that, there may be some for the weights by themselves.
        """
        rows = [element for element in elements if isinstance(element, Row)]
        at = next((i for i, row in enumerate(rows) if _weights(row) is not None), None)
        if at is None or not (height or self._decided):
            return
        last, rows = rows[at], rows[: at + 1]
        matrices = [matrix for row in rows for matrix in matrices_of(row)]
        boxes = [self._page.box(matrix) for matrix in matrices]
        sizes = ((box.view.width_without_labels(), box.view.height(), box.own_size) for box in boxes)
        maps = (self._page.widgets[one.id].sizeHint().toTuple() for one in _maps(last))
        if self._decided == (decided := (room, height, with_map, *sizes, *maps)):
            return
        map, numbers, weights = _maps(last)[0], matrices_of(last), _weights(last) or 0
        shown = [one.id for one in numbers[weights:]]
        goals = [{*shown, map.id}, set(shown), {numbers[weights].id}][not with_map :]
        self._decided = decided if height and self._below(last, goals[0], room) else ()
        if height and any(matrix.open is not None for matrix in matrices):
            return  # somebody looks closer: nothing else moves for that
        self._unfold(rows, room, height)
        for goal in goals if height else ():
            if self._reach(goal, rows, weights, room, height):
                if not goal.issuperset(shown):
                    self._add_output(last, set(shown), weights, room, height)
                return
            self._unfold(rows, room, height)  # it would be of no use

    def _reach(self, goal: set[str], rows: Sequence[Row], weights: int, room: int, height: int) -> bool:
        """Fold as little as it takes to have the goal in sight; returns whether it is."""
        last = rows[-1]
        numbers = matrices_of(last)
        before, behind = frozenset(range(weights)), frozenset(range(weights + 1, len(numbers)))
        steps = [(row, frozenset(range(len(matrices_of(row))))) for row in rows[:-1]]
        # An output that is wider than the weights takes a line of its own between them and the map.
        wide = any(numbers[i].array.shape[1] > 2 * numbers[weights].array.shape[1] for i in behind)
        with_map = any(map.id in goal for map in _maps(last))
        steps += [(last, behind)] * wide + [(last, before | behind if wide else before)]
        # For a small picture of the output alone nothing else is folded.
        steps += [(last, before | behind)] * (not wide and bool(behind) and with_map)
        if max(numbers[weights].array.shape) > MANY and with_map:
            steps.append((last, before | behind | {weights}))
        row, fold = last, self.folded.get(last.id, frozenset())
        while self._below(last, goal, room) >= height:
            if steps:
                row, fold = steps.pop(0)
                self.folded[row.id] = fold
            elif with_map and weights > 0 and not self._apart:
                self._apart = numbers[weights - 1]  # small pictures above the weights take less than a map below them
                self._page.end_line(self._apart, True)
            else:
                return False
            self._page.share_line(row, room, fold=fold)
        for row in [row for row in rows[:-1] if self.folded.get(row.id)]:  # the last one may have been enough
            fold = self.folded.pop(row.id)
            self._page.share_line(row, room, height, None if row.folds else frozenset())
            if self._below(last, goal, room) >= height:
                self.folded[row.id] = fold
                self._page.share_line(row, room, fold=fold)
        return True

    def _add_output(self, row: Row, goal: set[str], weights: int, room: int, height: int) -> None:
        """Let the output be a small picture, if then it is in sight with the weights."""
        before = self.folded.get(row.id)
        fold = (before or frozenset()) | frozenset(range(weights + 1, len(matrices_of(row))))
        self._page.share_line(row, room, fold=fold)
        if self._below(row, goal, room) < height:
            self.folded[row.id] = fold
        else:
            self._page.share_line(row, room, height, before if before is not None else frozenset())

    def _unfold(self, rows: Sequence[Row], room: int, height: int) -> None:
        self.folded = {}
        if self._apart is not None:
            self._page.end_line(self._apart, False)
            self._apart = None
        for row in rows:
            self._page.share_line(row, room, height or None, None if row.folds else frozenset())

    def _below(self, row: Row, goal: set[str], room: int) -> int:
        """Down to where the goal takes the page; 0 while some of it is still to come."""
        places = [rect for one, rect in places_of(self._page, row, self._page.place_of(row, room)) if one.id in goal]
        return max(rect.bottom() for rect in places) if len(places) == len(goal) else 0


def _weights(row: Row) -> int | None:
    """Which of its matrices the first heat map draws; a question may have covered it, or it is laid out by hand."""
    drawn = [one.matrix.place.node for one in _maps(row)[:1]]
    return next((i for i, one in enumerate(matrices_of(row)) if one.place.node in drawn), None)


def _maps(row: Row) -> list[HeatMap]:
    return [item.element for item in row.items if isinstance(item.element, HeatMap)]
