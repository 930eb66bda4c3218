"""Decides from sizes alone which matrices are small pictures, so that the important ones are visible on top of a page.

On a low page the first two matrices are whole. On a higher one the weights, the output and the first heat map are
visible: a page of attention is a few rows (the inputs and the learned weights; Q, K and V) and then the row from the
scores to the attention weights, the output and the heat map. First an arrangement is looked for in which all three are
visible, then one without the map, then one with the weights alone; each time the one that hides least comes first.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from explorer.core.frozen import Frozen
from explorer.pages.drawing import HeatMap
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import Row

Places = frozenset[int]
"""The indices of some matrices of a row."""
NONE: Places = frozenset()
WHOLE = 2
"""How many matrices of a low page are whole."""
MANY, MOST = 12, 0.75
"""With more words than `MANY`, the map may replace the numbers of the weights; `MOST` of it must then be visible."""


class Part(Frozen):
    """A part of a page, and the rows in it whose matrices may be small pictures."""

    element: Element
    rows: tuple[Row, ...]


class Stands(Frozen):
    """How the rows of a page are arranged."""

    small: Mapping[str, Collection[int] | None]
    """The matrices of a row that are small pictures, by the row's id; a row without an entry decides by itself."""
    breaks: bool = False
    """Whether a line ends before the weights: below the scores they take less room than a map below both would."""


class Taken(Frozen):
    """The room that a part of a page takes."""

    height: int
    reach: Mapping[str, tuple[int, int]]
    """The first and the last pixel row of each visible matrix and heat map, from the top of the part, by its id."""
    pictures: frozenset[str] = frozenset()
    """The matrices that are large pictures in place of their numbers; such a picture of the weights is like the map."""


Measure = Callable[[Part, Stands], Taken]


def first_matrices(elements: Sequence[Element]) -> list[Part]:
    """The parts of a page that contain the first `WHOLE` matrices."""
    parts, count = [], 0
    for element in elements:
        n = sum(isinstance(part, Matrix) and part.values.size > 1 for part in leaves(element))
        if n and count < WHOLE:  # rows with `folds` decide for themselves
            rows = (one for one in leaves(element) if isinstance(one, Row) and matrices_of(one) and not one.folds)
            parts.append(Part(element, tuple(rows)))
        count += n
    return parts


def rows_to_map(elements: Sequence[Element]) -> list[Part]:
    """The rows of a page down to the row of the first heat map and its weights; none if there is no such map."""
    rows = [element for element in elements if isinstance(element, Row)]
    at = next((i for i, row in enumerate(rows) if weights_of(row) is not None), -1)
    return [Part(row, (row,)) for row in rows[: at + 1]]


def first_whole(parts: Sequence[Part], gaps: Sequence[int], height: int, measure: Measure) -> Stands:
    """Turn just enough matrices into small pictures for the first matrices to be visible.

    Parameters
    ----------
    gaps : sequence of int
        Pixels before each part: from the top of the page, or the end of the part before.
    height : int
        The visible height in pixels.
    """
    small: dict[str, Collection[int] | None] = {}
    top, lacking = 0, WHOLE
    for part, gap in zip(parts, gaps, strict=True):
        top += gap
        ids = {one.id for one in leaves(part.element) if isinstance(one, Matrix) and one.values.size > 1}
        for stay in (None, 1, 0):  # how many matrices at the end of each row stay numbers
            stands = Stands({row.id: _but_last(row, stay) for row in part.rows})
            taken = measure(part, stands)
            spans = [(top + first, top + last) for id, (first, last) in taken.reach.items() if id in ids]
            if is_whole(spans, lacking, height):
                break
        small |= stands.small
        top += taken.height
        lacking -= len(spans)
    return Stands(small)


def map_in_sight(parts: Sequence[Part], gaps: Sequence[int], height: int, high: bool, measure: Measure) -> Stands:
    """Make weights, output and map visible: see `first_whole`.

    On a page that is not high, the numbers of the last row do not become small pictures for the map.
    """
    *above, last = (part.rows[0] for part in parts)
    plain: dict[str, Places] = {part.rows[0].id: NONE for part in parts if not part.rows[0].folds}
    maps = {one.id for one in _maps(last)}

    def fits(wanted: set[str], stands: Stands, share: float = 1.0) -> bool:
        takes = [measure(part, stands) for part in parts]
        top = sum(gaps) + sum(taken.height for taken in takes[:-1])
        ends = [first + share * (end - first) for id, (first, end) in takes[-1].reach.items() if id in wanted]
        twice = maps & wanted and matrices_of(last)[weights_of(last) or 0].id in takes[-1].pictures
        return not twice and all(top + end < height for end in ends)

    for wanted, small in _ways(last, high):
        # Small pictures preferably stand on a line by themselves; numbers preferably continue the line.
        for breaks in (bool(small), not small):
            folded = {last.id: small} | {row.id: _all(row) for row in above}
            # If the map replaces the weights, it is enough that most of it is visible.
            share = MOST if (weights_of(last) or 0) in small else 1.0
            if not fits(wanted, Stands(plain | folded, breaks), share):
                continue
            for row in reversed(above):  # Q, K and V are more important than the matrices they are made of
                fewer = {id: places for id, places in folded.items() if id != row.id}
                folded = fewer if fits(wanted, Stands(plain | fewer, breaks), share) else folded
            return Stands(plain | folded, breaks)
    # Not even the weights fit: their first rows say more than Q, K and V.
    weights = weights_of(last) or 0
    begin = Stands(plain | {last.id: frozenset(range(weights))} | {row.id: _all(row) for row in above}, True)
    return begin if fits({matrices_of(last)[weights].id}, begin, 0.25) else Stands(plain)


def matrices_of(row: Row) -> list[Matrix]:
    """The matrices that are items of a row, not those in its stacks."""
    return [item.element for item in row.items if isinstance(item.element, Matrix)]


def weights_of(row: Row) -> int | None:
    """The index of the matrix that the first heat map draws; None if the row has no such matrix or no map."""
    drawn = [one.matrix.place.node for one in _maps(row)[:1]]
    return next((i for i, one in enumerate(matrices_of(row)) if one.place.node in drawn), None)


def is_whole(spans: Sequence[tuple[int, int]], count: int, height: int) -> bool:
    """Whether the first `count` spans (first and last pixel row), and those beside them, are visible together.

    Visible at the top of the page or, if they begin below its visible part, after scrolling to them.
    """
    first = spans[:count]
    if not first:  # there is no matrix yet
        return True
    lowest = max(bottom for _, bottom in first)
    beside = [span for span in spans if span[0] <= lowest] or first  # a matrix without rows ends above its top
    top = min(top for top, _ in beside)
    start = top if top >= height else 0
    return all(bottom - start < height for _, bottom in beside)


def _all(row: Row) -> Places:
    return frozenset(range(len(matrices_of(row))))


def _but_last(row: Row, stay: int | None) -> Places:
    return NONE if stay is None else frozenset(range(len(matrices_of(row)) - stay))


def _ways(row: Row, high: bool) -> Iterator[tuple[set[str], Places]]:
    """The ids of the elements that should be visible, and the small matrices of the row; the best ways first."""
    matrices, weights = matrices_of(row), weights_of(row) or 0
    before, behind = frozenset(range(weights)), frozenset(range(weights + 1, len(matrices)))
    numbers = {one.id for one in matrices[weights:]}
    # An output that is wider than the weights would take a line of its own between them and the map.
    wide = any(matrices[i].array.shape[1] > 2 * matrices[weights].array.shape[1] for i in behind)
    folds = [NONE, *([behind] if wide else [before]), before | behind]
    many = max(matrices[weights].array.shape) > MANY
    for small in [*(folds if high else [NONE]), *([before | behind | {weights}] if many else [])]:
        yield numbers | {_maps(row)[0].id}, small
    for small in folds:
        yield numbers, small
    for small in (NONE, before):
        yield {matrices[weights].id}, small


def _maps(row: Row) -> list[HeatMap]:
    return [item.element for item in row.items if isinstance(item.element, HeatMap)]
