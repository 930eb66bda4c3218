"""From one page to the next: what stays glides to its new place, what goes fades, and what it feeds takes it in.

Places are in pixels of what one sees; nothing here knows of Qt.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from explorer.core.cell import Index, operands
from explorer.core.engine import Engine
from explorer.core.graph import Place
from explorer.pages.view import Cell, View

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
