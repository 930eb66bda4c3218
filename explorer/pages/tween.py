"""From one page to the next: what stays glides to its new place, what goes fades, and what it feeds takes it in.

Places are in pixels of what one sees; nothing here knows of Qt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from explorer.core.cell import Index, operands
from explorer.core.derivation import rows
from explorer.core.engine import Engine
from explorer.core.graph import Place
from explorer.pages.view import Cell, View

TERMS = 6
"""Products that appear one by one at most; a longer sum has none."""
THERE, FALLS, FADE = 0.6, 0.75, 0.15
"""Parts of the time: when all products are there and bars are grown; when they fall into their cell, or bars begin to
fade; and in which one of them appears."""
LETTER, AROUND = 0.55, 1.0
"""Of the height of a line of words, how wide a letter is about; and the room beside the words and before the cell."""

Rect = tuple[float, float, float, float]
"""Left, top, width, height."""


@dataclass(frozen=True)
class Stands:
    """Where a matrix stands."""

    of: Place
    place: Rect  # with its heading and labels
    cells: Rect  # its numbers
    shape: tuple[int, int]  # rows and columns as they are shown
    turned: bool = False  # whether its rows are the node's columns

    def part(self, rows: tuple[int, int], columns: tuple[int, int]) -> Rect:
        """Where some of its numbers stand, from the first row and column to the last, by those of the node."""
        (first, last), (left, right) = (columns, rows) if self.turned else (rows, columns)
        x, y, width, height = self.cells
        down, across = height / self.shape[0], width / self.shape[1]
        return x + left * across, y + first * down, (right - left + 1) * across, (last - first + 1) * down


@dataclass(frozen=True)
class Scene:
    """What one sees of a page."""

    room: Rect
    matrices: Mapping[str, Stands] = field(default_factory=dict)  # by their names, those that are whole in sight


@dataclass(frozen=True)
class Flow:
    """A part of a page that glides into what it feeds, and is gone there."""

    start: Rect
    end: Rect
    comes: bool = False  # whether it is a part of the next page, and not of the one before


@dataclass(frozen=True)
class Piece:
    """A piece of the pictures of both pages at a moment: the one of before is painted first."""

    place: Rect
    # `before`, `after`: which part of each picture it is; None where it is not on that page.
    before: Rect | None
    after: Rect | None
    # `was`, `will`: how opaque each is.
    was: float
    will: float


@dataclass(frozen=True)
class Arises:
    """How numbers of the page that comes arise, once all has glided to its place: a sum, or shares as bars."""

    cells: tuple[Rect, ...]  # where they stand, hidden until they are there
    terms: tuple[str, ...] = ()  # the products of which there is the sum, in the one cell
    shares: tuple[float, ...] = ()  # of each cell, from 0 to 1


@dataclass(frozen=True)
class Mark:
    """What is painted over a page while numbers arise."""

    place: Rect
    kind: str  # "cover": the ground of the page; "bar": a share; "words"
    opacity: float
    text: str = ""


def eased(at: float) -> float:
    """How far something has come that begins fast and ends slowly; `at`: from 0 to 1."""
    return 1.0 - (1.0 - at) ** 3


def tween(before: Scene, after: Scene, at: float, flows: tuple[Flow, ...] = ()) -> tuple[Piece, ...]:
    """The pieces of a moment, the later above the earlier: first all that is no matrix of both pages, faded over.

    Parameters
    ----------
    at : float
        From 0, where the page before is to be seen and nothing else, to 1, where the next one is.
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
    """The matrices that are on both pages."""
    return tuple(name for name in after.matrices if name in before.matrices)


def _between(start: Rect, end: Rect, part: float) -> Rect:
    x, y, width, height = (a + part * (b - a) for a, b in zip(start, end, strict=True))
    return x, y, width, height


def flows(view: View, before: Scene, after: Scene) -> tuple[Flow, ...]:
    """What glides into the matrices that come: what they are made of, each onto the part of them that it feeds.

    Of a cell that is spoken of, the numbers that it reads glide to it: a row and a column to their product.
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
        # What comes with it glides only where it is one of several beside each other: heads into what joins them.
        parts = _into(view.engine, new, coming)
        found += [Flow(one.cells, end, comes=True) for one, end in parts if _is_part(end, coming.cells)]
    return tuple(found)


def _is_part(one: Rect, whole: Rect) -> bool:
    """Whether a rectangle is clearly smaller than the one that it is in."""
    return one[2] < whole[2] - 0.5 or one[3] < whole[3] - 0.5


def _spoken(view: View, coming: Stands) -> Cell | None:
    """The cell of a matrix that is spoken of; None where none is, or where its number is covered."""
    spot = view.looking.spot
    if spot is None or len(spot.rows) != 1 or len(spot.columns) != 1:
        return None
    at = view.graph.find(spot.node)
    if at != coming.of:
        return None
    cell = Cell(at.node, (*at.index, *spot.rows, *spot.columns))
    return None if view.looking.hides(cell) or len(cell.index) != view.values[at.node].ndim else cell


def _into_cell(engine: Engine, cell: Cell, before: Scene, coming: Stands) -> Iterator[Flow]:
    """The numbers of each matrix that a cell reads, on their way to it."""
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
    """Those of some matrices that one is made of, and which part of that one each feeds."""
    for one in others.values():
        if one.shape == (1, 1) or coming.of.node not in engine.graph.children.get(one.of.node, ()):
            continue  # a single number that stretches over all that it scales is no picture of anything
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
    """The first and the last of the cells that an index means."""
    along = [range(size)[i] if isinstance(i, slice) else (i,) for i, size in zip(index, shape, strict=True)]
    return [tuple(one[0] for one in along), tuple(one[-1] for one in along)] if all(along) else []


def _corners(stands: Stands, cells: list[tuple[int, ...]]) -> Rect | None:
    """What of a matrix is between some cells of its node; None where none of them is in it."""
    head = stands.of.index
    inside = [(0, 0, *cell[len(head) :])[-2:] for cell in cells if cell[: len(head)] == head]
    if not inside:
        return None
    rows, columns = zip(*inside, strict=True)
    return stands.part((min(rows), max(rows)), (min(columns), max(columns)))


# Numbers that arise


def arises(view: View, before: Scene, after: Scene) -> Arises | None:
    """What arises on the page that comes: the sum that is spoken of, whose row and column glide, or a row of shares.

    None where nothing does, or one of the numbers is covered.
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
        written = rows(explained, lambda name, axis: view.labels(view.nodes[name].axes[axis])) if explained else []
        terms = tuple(f"{row.expression} = {row.value}" for row in written if row.noun == "product")
        place = _corners(coming, [cell.index])
        if place is not None and 2 <= len(terms) <= TERMS and len(written) == len(terms) + 1:
            return Arises((place,), terms)
    return None


def _row_of_shares(view: View, coming: Stands, row: int) -> Arises | None:
    head, count = coming.of.index, coming.shape[0 if coming.turned else 1]
    cells = [(*head, row, column) for column in range(count)]
    values = view.values[coming.of.node]
    if len(cells[0]) != values.ndim or any(view.looking.hides(Cell(coming.of.node, cell)) for cell in cells):
        return None
    places = tuple(place for cell in cells if (place := _corners(coming, [cell])) is not None)
    shares = tuple(min(max(float(values[cell]), 0.0), 1.0) for cell in cells)
    return Arises(places, shares=shares) if len(places) == len(shares) else None


def arising(one: Arises, room: Rect, line: float, at: float) -> tuple[tuple[Mark, ...], tuple[Piece, ...]]:
    """What is painted over the page that comes at a moment, and which pieces of its picture lie above that.

    Parameters
    ----------
    room : Rect
        What one sees.
    line : float
        How high a line of words is.
    at : float
        From 0, where the numbers are hidden, to 1, where the page is as it is.
    """
    if at >= 1.0:
        return (), ()
    if one.shares:
        left = 1.0 if at <= FALLS else (1.0 - at) / (1.0 - FALLS)
        grown = eased(min(at / THERE, 1.0))
        return (
            *(Mark(cell, "cover", left) for cell in one.cells),
            *(Mark(_bar(cell, share * grown), "bar", left) for cell, share in zip(one.cells, one.shares, strict=True)),
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


def _bar(cell: Rect, share: float) -> Rect:
    """A bar that stands on the lower edge of a cell."""
    x, y, width, height = cell
    return x + 0.2 * width, y + (1.0 - share) * height, 0.6 * width, share * height


def _beside(terms: Sequence[str], cell: Rect, room: Rect, line: float) -> list[Rect]:
    """Where the products stand: below each other, right of their cell, or left of it where there is no room."""
    width = line * (LETTER * max(map(len, terms)) + AROUND)
    x = cell[0] + cell[2] + AROUND * line
    if x + width > room[0] + room[2]:
        x = max(cell[0] - AROUND * line - width, room[0])
    high = line * len(terms)
    y = min(max(cell[1] + (cell[3] - high) / 2, room[1]), max(room[1] + room[3] - high, room[1]))
    return [(x, y + k * line, width, line) for k in range(len(terms))]
