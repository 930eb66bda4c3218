"""The animation from one page to the next: matrices on both pages glide, others fade, or glide into what they feed.

Places are in pixels of the visible part of the page; this module does not use Qt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from explorer.core.cell import Index, is_cell_of, operands
from explorer.core.derivation import rows
from explorer.core.engine import Engine
from explorer.core.frozen import Frozen
from explorer.core.graph import Cell, Place
from explorer.pages.drawing import Rect
from explorer.pages.view import View

TERMS = 6
"""The most products of a sum that appear one by one; the products of a longer sum are not shown."""
THERE, FALLS, FADE = 0.6, 0.75, 0.15
"""Times, as parts of the whole: all products are there and bars are fully grown; products start to fall into their
cell, or bars to fade; and the duration in which one product appears."""
LETTER, AROUND = 0.55, 1.0
"""As parts of the height of a line: the approximate width of a letter, and the room beside the words and the cell."""


class Stands(Frozen):
    """The place of a matrix on a page."""

    of: Place
    place: Rect  # with its heading and labels
    cells: Rect  # only its numbers
    shape: tuple[int, int]  # (rows, columns) as shown
    turned: bool = False  # whether its rows are the node's columns

    def part(self, rows: tuple[int, int], columns: tuple[int, int]) -> Rect:
        """The place of some of its numbers: (first, last) of the node's rows, and of the node's columns."""
        (first, last), (left, right) = (columns, rows) if self.turned else (rows, columns)
        x, y, width, height = self.cells
        down, across = height / self.shape[0], width / self.shape[1]
        return x + left * across, y + first * down, (right - left + 1) * across, (last - first + 1) * down


class Scene(Frozen):
    """The visible part of a page."""

    room: Rect
    matrices: Mapping[str, Stands] = field(default_factory=dict)  # by name, the matrices that are completely in sight


class Flow(Frozen):
    """A part of a page that glides into the matrix or cell that it feeds, and disappears there."""

    start: Rect
    end: Rect
    comes: bool = False  # whether it is a part of the next page, and not of the page before


class Piece(Frozen):
    """A piece of the screen at a time, painted from the pictures of both pages, the page before first."""

    place: Rect
    # `before`, `after`: the part of each page's picture that is painted; None: nothing of that page.
    before: Rect | None
    after: Rect | None
    # `was`, `will`: the opacity of each.
    was: float
    will: float


class Arises(Frozen):
    """How numbers of the next page appear after everything has glided to its place: a sum, or shares as bars."""

    cells: tuple[Rect, ...]  # the places of the numbers, covered at first
    terms: tuple[str, ...] = ()  # the products whose sum is the number of the only cell
    shares: tuple[float, ...] = ()  # the share of each cell, from 0 to 1


class Mark(Frozen):
    """A thing painted over a page while numbers appear."""

    place: Rect
    kind: str  # "cover": the ground of the page; "bar": a share; "words"
    opacity: float
    text: str = ""


def eased(at: float) -> float:
    """The progress of a movement that begins fast and ends slowly; `at`: the time, from 0 to 1."""
    return 1.0 - (1.0 - at) ** 3


def tween(before: Scene, after: Scene, at: float, flows: tuple[Flow, ...] = ()) -> tuple[Piece, ...]:
    """The pieces at a time, later ones above earlier ones: first both whole pages, the next one fading in.

    `at`: from 0, where only the page before is visible, to 1, where only the next page is.
    """
    part = eased(at)
    pieces = [Piece(after.room, before.room, after.room, 1.0, part)]
    for name in staying(before, after):
        start, end = before.matrices[name].place, after.matrices[name].place
        pieces.append(Piece(_between(start, end, part), start, end, 1.0, part))
    for one in flows:
        place = _between(one.start, one.end, part)
        if one.comes:
            pieces.append(Piece(place, None, one.start, 0.0, 4.0 * part * (1.0 - part)))
        else:
            pieces.append(Piece(place, one.start, None, 1.0 - at, 0.0))
    return tuple(pieces)


def staying(before: Scene, after: Scene) -> tuple[str, ...]:
    """The names of the matrices that are on both pages."""
    return tuple(name for name in after.matrices if name in before.matrices)


def _between(start: Rect, end: Rect, part: float) -> Rect:
    x, y, width, height = (a + part * (b - a) for a, b in zip(start, end, strict=True))
    return x, y, width, height


def flows(view: View, before: Scene, after: Scene) -> tuple[Flow, ...]:
    """The parts that glide into the matrices of the next page: their parents, each to the part that it feeds.

    If a step speaks of one cell, the numbers that the cell reads glide to it, such as a row and a column.
    """
    found: list[Flow] = []
    for name, coming in after.matrices.items():
        if coming.of.node not in view.nodes:
            continue
        if cell := _spoken(view, coming):
            found += _into_cell(view.engine, cell, before, coming)
            continue
        if name in before.matrices:
            continue
        new = {name: one for name, one in after.matrices.items() if name not in before.matrices}
        found += [Flow(one.cells, end) for one, end in _into(view.engine, before.matrices, coming)]
        # A parent on the same page glides only into a part of the matrix, as each head does into the joined heads.
        parts = _into(view.engine, new, coming)
        wide, high = coming.cells[2] - 0.5, coming.cells[3] - 0.5
        found += [Flow(one.cells, end, comes=True) for one, end in parts if end[2] < wide or end[3] < high]
    return tuple(found)


def _spoken(view: View, coming: Stands) -> Cell | None:
    """The one cell of a matrix that a step speaks of; None if there is none, or if its number is covered.

    Where somebody has shortened the text, the matrix may have no such cell.
    """
    spot = view.looking.spot
    if spot is None or len(spot.rows) != 1 or len(spot.columns) != 1:
        return None
    at = view.graph.find(spot.node)
    if at != coming.of:
        return None
    cell = Cell(at.node, (*at.index, *spot.rows, *spot.columns))
    return None if view.looking.hides(cell) or not is_cell_of(cell.index, view.values[at.node].shape) else cell


def _into_cell(engine: Engine, cell: Cell, before: Scene, coming: Stands) -> Iterator[Flow]:
    """The flows of the numbers that a cell reads, one for each matrix, to the cell."""
    explained = engine.explain(cell.node, cell.index)
    read: dict[str, list[tuple[int, ...]]] = {}
    for one in operands(explained) if explained is not None else ():
        read.setdefault(one.node, []).extend(_ends(one.index, engine.values[one.node].shape))
    end = _corners(coming, [cell.index])
    for other in before.matrices.values():
        start = _corners(other, read.get(other.of.node, []))
        if start is not None and end is not None:
            yield Flow(start, end)


def _into(engine: Engine, others: Mapping[str, Stands], coming: Stands) -> Iterator[tuple[Stands, Rect]]:
    """The parents of a matrix among some others, each with the part of the matrix that it feeds."""
    for one in others.values():
        if one.shape == (1, 1) or coming.of.node not in engine.graph.children.get(one.of.node, ()):
            continue  # a single number feeds the whole matrix, and would be stretched over it
        shape = engine.values[one.of.node].shape
        last = tuple(size - 1 for size in shape[len(one.of.index) :])
        fed = [
            cell
            for corner in ((0,) * len(last), last)
            if (index := engine.feeds(one.of.node, (*one.of.index, *corner)).get(coming.of.node)) is not None
            for cell in _ends(index, engine.values[coming.of.node].shape)
        ]
        end = _corners(coming, fed)
        if end is not None:
            yield one, end


def _ends(index: Index, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The first and the last cell of an index."""
    along = [range(size)[i] if isinstance(i, slice) else (i,) for i, size in zip(index, shape, strict=True)]
    return [tuple(one[0] for one in along), tuple(one[-1] for one in along)] if all(along) else []


def _corners(stands: Stands, cells: list[tuple[int, ...]]) -> Rect | None:
    """The place of the smallest part of a matrix that contains the given cells; None if it has none of them."""
    head = stands.of.index
    inside = [(0, 0, *cell[len(head) :])[-2:] for cell in cells if cell[: len(head)] == head]
    if not inside:
        return None
    rows, columns = zip(*inside, strict=True)
    return stands.part((min(rows), max(rows)), (min(columns), max(columns)))


# Numbers that arise


def arises(view: View, before: Scene, after: Scene) -> Arises | None:
    """The numbers that appear on the next page: the sum that a step speaks of, or the row of shares.

    None if there are none, or if one of the numbers is covered.
    """
    for coming in after.matrices.values():
        spot = view.looking.spot
        if spot is None or len(spot.rows) != 1 or view.graph.find(spot.node) != coming.of:
            continue
        node = view.nodes[coming.of.node]
        if node.op.shares:
            return _row_of_shares(view, coming, spot.rows[0])
        cell = _spoken(view, coming)
        if cell is None or not any(_into_cell(view.engine, cell, before, coming)):
            return None
        explained = view.engine.explain(cell.node, cell.index)
        written = rows(explained, view.labels_along) if explained else []
        terms = tuple(f"{row.expression} = {row.value}" for row in written if row.noun == "product")
        place = _corners(coming, [cell.index])
        if place is not None and 2 <= len(terms) <= TERMS and len(written) == len(terms) + 1:
            return Arises((place,), terms)
    return None


def _row_of_shares(view: View, coming: Stands, row: int) -> Arises | None:
    head, count = coming.of.index, coming.shape[0 if coming.turned else 1]
    cells = [(*head, row, column) for column in range(count)]
    node, values = coming.of.node, view.values[coming.of.node]
    if not all(is_cell_of(cell, values.shape) and not view.looking.hides(Cell(node, cell)) for cell in cells):
        return None
    places = tuple(place for cell in cells if (place := _corners(coming, [cell])) is not None)
    shares = tuple(min(max(float(values[cell]), 0.0), 1.0) for cell in cells)
    return Arises(places, shares=shares) if len(places) == len(shares) else None


def arising(one: Arises, room: Rect, line: float, at: float) -> tuple[tuple[Mark, ...], tuple[Piece, ...]]:
    """The marks that are painted over the next page at a time, and the pieces of its picture above these.

    `room`: the visible part of the page.
    `line`: the height of a line of words.
    `at`: from 0, where the numbers are covered, to 1, where the page is complete.
    """
    if at >= 1.0:
        return (), ()
    if one.shares:
        left = 1.0 if at <= FALLS else (1.0 - at) / (1.0 - FALLS)
        grown = eased(min(at / THERE, 1.0))

        def bar(cell: Rect, share: float) -> Rect:  # it stands on the lower edge of its cell
            x, y, width, height = cell
            return x + 0.2 * width, y + (1.0 - share * grown) * height, 0.6 * width, share * grown * height

        return (
            *(Mark(cell, "cover", left) for cell in one.cells),
            *(Mark(bar(cell, share), "bar", left) for cell, share in zip(one.cells, one.shares, strict=True)),
        ), ()
    (cell,) = one.cells
    falls = max(at - FALLS, 0.0) / (1.0 - FALLS)
    marks = [Mark(cell, "cover", 1.0)]
    for k, (text, place) in enumerate(zip(one.terms, _beside(one.terms, cell, room, line), strict=True)):
        came = (at - k * (THERE - FADE) / len(one.terms)) / FADE
        opacity = min(max(came, 0.0), 1.0) * (1.0 - falls)
        if opacity > 0.0:
            marks.append(Mark(_between(place, cell, eased(falls)), "words", opacity, text))
    above = cell[0], cell[1] - cell[3] * (1.0 - eased(falls)), *cell[2:]
    return tuple(marks), (Piece(above, None, cell, 0.0, falls),) if falls else ()


def _beside(terms: Sequence[str], cell: Rect, room: Rect, line: float) -> list[Rect]:
    """The places of the products: one below the other, to the right of their cell, or to the left if room is short."""
    width = line * (LETTER * max(map(len, terms)) + AROUND)
    x = cell[0] + cell[2] + AROUND * line
    if x + width > room[0] + room[2]:
        x = max(cell[0] - AROUND * line - width, room[0])
    high = line * len(terms)
    y = min(max(cell[1] + (cell[3] - high) / 2, room[1]), max(room[1] + room[3] - high, room[1]))
    return [(x, y + k * line, width, line) for k in range(len(terms))]
