"""As a page begins, weights, output and first heat map are in sight: what is in the way of that is small pictures.

A page of attention is a few rows (what is read and the learned weights; Q, K and V) and then the row from the scores to
the attention weights, the output and the heat map. What is wanted in sight is tried in order: all three, then without
the map, then the weights by themselves. For each, arrangements are tried, from that which hides least on; the first
that brings it into sight stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import proxy

from explorer.pages.element import Element
from explorer.pages.page import Row
from explorer.pages.word_pictures import HeatMap
from explorer.ui.page.first_matrices import matrices_of, places_of

if TYPE_CHECKING:
    from explorer.ui.page.sharing import Sharing

Places = frozenset[int]
"""Which matrices of a row, counted from 0."""
NONE: Places = frozenset()
MANY = 12
"""Words from which on the map may stand for the numbers of the weights."""


class MapInSight:
    """Arranges the rows down to the first heat map."""

    def __init__(self, sharing: "Sharing") -> None:
        self._page = sharing.page
        self._sharing: Sharing = proxy(sharing)  # whose part this is: nothing would let go of two that hold each other
        self.folded: Mapping[str, Places] = {}  # which matrices of a row, by its id, are small pictures
        self._decided: tuple[object, ...] = ()
        self._stands: dict[str, tuple[Places | None, bool]] = {}
        """How each row stands while arrangements are tried: the next one changes few of them."""
        self._tried: dict[object, dict[str, int]] = {}
        """Down to where each element of the last row took the page: the same is tried for less that is wanted."""

    def forget(self) -> None:
        """Decide anew: the page was arranged anew."""
        self._decided, self.folded = (), {}

    def share(self, elements: Sequence[Element], room: int, height: int, high: bool = True) -> None:
        """Bring the map into sight within so many pixels across and down; 0 down: all matrices are numbers.

        On a page that is not high the numbers of the last row are not folded for the map.
        """
        rows = [element for element in elements if isinstance(element, Row)]
        at = next((i for i, row in enumerate(rows) if _weights(row) is not None), None)
        if at is None or not (height or self._decided):
            return
        rows = rows[: at + 1]
        matrices = [matrix for row in rows for matrix in matrices_of(row)]
        boxes = [self._page.box(matrix) for matrix in matrices]
        sizes = ((box.view.width_without_labels(), box.view.height(), box.own_size) for box in boxes)
        maps = (self._page.widgets[one.id].sizeHint().toTuple() for one in _maps(rows[-1]))
        if self._decided == (decided := (room, height, high, *sizes, *maps)):
            return
        self._decided = decided if height and self._is_whole(rows[-1], room) else ()
        self._stands, self._tried = {}, {}
        if height and any(matrix.open is not None for matrix in matrices):
            return  # somebody looks closer: nothing else moves for that
        for wanted, small in _ways(rows[-1], high) if height else ():
            # Small pictures stand on a line by themselves, if that is in sight, too; numbers follow each other.
            for breaks in (bool(small), not small):
                if self._brings(wanted, rows, small, breaks, room, height):
                    return
        self._arrange(rows, {}, False, room, height or None)

    def _brings(
        self, wanted: set[str], rows: Sequence[Row], small: Places, breaks: bool, room: int, height: int
    ) -> bool:
        """Arrange the last row so, and fold as few of the rows above as brings what is wanted into sight, if it does.

        `breaks` says whether the line ends before the weights: they take less room below the scores than a map below
        both.
        """

        def fits(folded: Mapping[str, Places]) -> bool:
            way = breaks, frozenset(folded.items())
            if way not in self._tried:
                self._arrange(rows, folded, breaks, room, height)
                self._tried[way] = self._bottoms(rows[-1], room)
            return max((y for id, y in self._tried[way].items() if id in wanted), default=0) < height

        *above, last = rows
        folded = {last.id: small} | {row.id: frozenset(range(len(matrices_of(row)))) for row in above}
        if not fits(folded):
            return False
        for row in reversed(above):  # Q, K and V are worth more than what they are made of
            fewer = {id: places for id, places in folded.items() if id != row.id}
            folded = fewer if fits(fewer) else folded
        self._arrange(rows, folded, breaks, room, height)
        return True

    def _arrange(
        self, rows: Sequence[Row], folded: Mapping[str, Places], breaks: bool, room: int, height: int | None
    ) -> None:
        self.folded = folded
        last, weights = matrices_of(rows[-1]), _weights(rows[-1])
        if weights:
            self._sharing.end_line(last[weights - 1], breaks)
        for row in rows:
            stands = folded.get(row.id, None if row.folds else NONE), breaks and row is rows[-1]
            if self._stands.get(row.id) != stands:
                self._stands[row.id] = stands
                self._sharing.share_line(row, room, height, stands[0])

    def _bottoms(self, row: Row, room: int) -> dict[str, int]:
        """Down to where the elements of a row take the page, by their ids."""
        places = places_of(self._page, row, self._page.place_of(row, room))
        return {one.id: rect.bottom() for one, rect in places}

    def _is_whole(self, row: Row, room: int) -> bool:
        """Whether all of it is there."""
        there = {one.id for one, _ in places_of(self._page, row, self._page.place_of(row, room))}
        return there.issuperset(one.id for one in (*matrices_of(row), *_maps(row)))


def _ways(row: Row, high: bool) -> Iterator[tuple[set[str], Places]]:
    """What is wanted in sight, by its ids, and which matrices of the row are small for it; the best ways first."""
    matrices, weights = matrices_of(row), _weights(row) or 0
    before, behind = frozenset(range(weights)), frozenset(range(weights + 1, len(matrices)))
    numbers = {one.id for one in matrices[weights:]}
    # An output that is wider than the weights would take a line of its own between them and the map.
    wide = any(matrices[i].array.shape[1] > 2 * matrices[weights].array.shape[1] for i in behind)
    folds = [NONE, *([behind] if wide else [before]), before | behind]
    many = max(matrices[weights].array.shape) > MANY
    for small in [*folds, *([before | behind | {weights}] if many else [])] if high else [NONE]:
        yield numbers | {_maps(row)[0].id}, small
    for small in folds:
        yield numbers, small
    for small in (NONE, before):
        yield {matrices[weights].id}, small


def _weights(row: Row) -> int | None:
    """Which of its matrices the first heat map draws; a question may have covered it, or it is laid out by hand."""
    drawn = [one.matrix.place.node for one in _maps(row)[:1]]
    return next((i for i, one in enumerate(matrices_of(row)) if one.place.node in drawn), None)


def _maps(row: Row) -> list[HeatMap]:
    return [item.element for item in row.items if isinstance(item.element, HeatMap)]
