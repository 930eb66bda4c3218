"""Which marks of a drawing are lit (orange): those of the cell that is pointed at, or of the lit word.

Also the words about a place in a drawing, and which of its dots and arrows stand for a cell or a word.
"""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from explorer.core.graph import Cell
from explorer.core.numbers import exact
from explorer.core.ops import Array
from explorer.pages.drawing import Arrow, Bars, Dot, Drawing, Image, Mark, Strips, Words, drawable


def cells_of(mark: Mark) -> tuple[Cell, ...]:
    """The cells that light a mark; pointing at the mark points at the first of them."""
    if isinstance(mark, Dot):
        return mark.also if mark.cell is None else (mark.cell, *mark.also)
    return mark.cells if isinstance(mark, Arrow | Bars) else ()


def tokens_of(mark: Mark) -> tuple[tuple[str, int], ...]:
    """The words that light a mark; pointing at the mark lights the first of them."""
    if not isinstance(mark, Dot | Arrow | Words):
        return ()
    others = mark.also if isinstance(mark, Arrow) else ()
    return others if mark.token is None else (mark.token, *others)


class Found:
    """What is looked up in a drawing, computed when it is first asked for."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing

    @cached_property
    def targets(self) -> tuple[list[int], Array]:
        """The dots and arrow tips for which `leads` is true: the numbers of their marks, and their places, (n, 2)."""
        dots = [
            (i, mark) for i, mark in enumerate(self._drawing.marks) if isinstance(mark, Dot | Arrow) and leads(mark)
        ]
        there = {i: place_of(mark) for i, mark in dots if drawable(*place_of(mark))}
        return list(there), np.array(list(there.values()), dtype=float).reshape(-1, 2)

    @cached_property
    def _lights(self) -> dict[object, list[int]]:
        """The numbers of the marks that each cell and each word lights."""
        found: dict[object, list[int]] = {}
        for i, mark in enumerate(self._drawing.marks):
            for light in (*((cell.node, cell.index) for cell in cells_of(mark)), *tokens_of(mark)):
                found.setdefault(light, []).append(i)
        return found

    def lit(self, cell: Cell | None, token: tuple[str, int] | None) -> frozenset[int]:
        """The numbers of the lit marks. A lit word has priority over the cell that was pointed at last."""
        if token is not None and token in self._lights:
            return frozenset(self._lights[token])
        if cell is None:
            return frozenset()
        # A mark that stands for a whole row has a cell with only the row's index.
        beginnings = [(cell.node, cell.index[:n]) for n in range(len(cell.index) + 1)]
        return frozenset([i for part in beginnings for i in self._lights.get(part, ())])


def square_of(mark: Image | Strips, cell: Cell | None) -> tuple[int, int] | None:
    """The row and column of a cell in an image or in strips; None if it is not in them."""
    node, head = node_of(mark)
    if cell is None or cell.node != node or cell.index[: len(head)] != head:
        return None
    index = cell.index[len(head) :]
    if len(index) != 2:
        return None
    rows, columns = shape_of(mark)
    row, column = index
    return (row, column) if row < rows and column < columns else None


def cell_of(mark: Image | Strips, row: int, column: int) -> Cell:
    """The cell of a number in an image or in strips."""
    node, head = node_of(mark)
    return Cell(node, (*head, row, column))


def node_of(mark: Image | Strips) -> tuple[str, tuple[int, ...]]:
    """The node that an image or strips show, and the index of the shown part of its array."""
    if isinstance(mark, Strips):
        return mark.node, ()
    return (mark.node.node, mark.node.index) if mark.node is not None else ("", ())


def shape_of(mark: Image | Strips) -> tuple[int, int]:
    """How many rows and columns of an image or strips belong to the node."""
    rows, columns = mark.array.shape
    if isinstance(mark, Image) and any(mark.own):
        return min(rows, mark.own[0]), min(columns, mark.own[1])
    return rows, columns


def strip_of(mark: Strips, token: tuple[str, int] | None, cell: Cell | None) -> int | None:
    """The index of the strip whose word is lit, or that has the cell pointed at."""
    if token is not None and token[0] == mark.token:
        return token[1]
    square = square_of(mark, cell)
    return None if square is None else square[mark.axis]


def points_of(mark: Strips) -> tuple[Array, Array]:
    """The coordinates at which the numbers of strips are drawn, each in the array's own shape."""
    strips = np.arange(mark.array.shape[mark.axis]) + 0.5
    return mark.array, np.broadcast_to(strips if mark.axis else strips[:, None], mark.array.shape)


def beside(drawing: Drawing, cell: Cell | None, down: int, across: int) -> tuple[Cell | None, bool]:
    """The cell `down` rows and `across` columns from another cell; the first cell, if the drawing lacks that one.

    None outside of the drawing; and whether there are cells at all. If rows count upwards, up is the next row.
    """
    squares = [one for one in drawing.grids if all(shape_of(one))]
    for one in squares:
        here = square_of(one, cell)
        if here is not None:
            up = isinstance(one, Image) and not drawing.down
            row, column = here[0] + (-down if up else down), here[1] + across
            rows, columns = shape_of(one)
            return cell_of(one, row, column) if 0 <= row < rows and 0 <= column < columns else None, True
    return cell_of(squares[0], 0, 0) if squares else None, bool(squares)


def ends_of(
    lights: Iterable[tuple[str, tuple[str, ...]]], axes: tuple[str, str], cell: Cell
) -> tuple[int | None, int | None]:
    """The indices of the query and of the key that a cell of an attention belongs to.

    `lights`: names of nodes with axes, see `AttentionLines`.
    `axes`: the axes of the queries and of the keys; in self-attention they are the same.
    `cell`: a cell of any node.
    """
    query = key = None
    for axis, i in zip(dict(lights).get(cell.node, ()), cell.index[-2:], strict=False):
        if axis == axes[0] and query is None:
            query = i
        elif axis == axes[1]:
            key = i
    return query, key


def lit_ends(
    token: tuple[str, int] | None,
    cell: Cell | None,
    lights: Iterable[tuple[str, tuple[str, ...]]],
    axes: tuple[str, str],
    shape: tuple[int, int],
    at_right: bool = False,
) -> tuple[int | None, int | None]:
    """The indices of the query and of the key that are pointed at; None for one that is not drawn.

    `token`, `cell`: the word that is lit, and the cell that is pointed at.
    `lights`, `axes`: as for `ends_of`.
    `shape`: how many queries and keys are drawn.
    `at_right`: whether a word of self-attention, which is both, is lit as a key.
    """
    query = key = None
    if token is not None:
        axis, i = token
        if axis == axes[1] and (at_right or axis != axes[0]):
            key = i
        elif axis == axes[0]:
            query = i
    elif cell is not None:
        query, key = ends_of(lights, axes, cell)
    queries, keys = shape
    return query if query is None or query < queries else None, key if key is None or key < keys else None


LEAST_SHARE = 0.01
MOST_OF_ONE, CLEAR_SHARE = 24, 0.05
"""Of one word among many words, so many lines are drawn, and all lines of at least this share."""


def lines_between(shares: Array, many: bool, query: int | None, key: int | None) -> tuple[Array, Array]:
    """The indices of the queries and of the keys between which lines are drawn.

    `shares`: the weights, (n_queries, n_keys). `many`: whether there are too many words for all lines, which would be a
    grey area: then each query has only its strongest line, and a word that is pointed at its strongest lines, with all
    of at least `CLEAR_SHARE`, of which a key may have very many.
    """
    if not many:
        queries, keys = np.nonzero(shares >= LEAST_SHARE)
        return queries, keys
    if query is None and key is None:
        return np.arange(len(shares)), shares.argmax(-1)
    own = shares[query] if query is not None else shares[:, key]
    ends = strongest(own, max(MOST_OF_ONE, int((own >= CLEAR_SHARE).sum())))
    if query is not None and key is not None and key not in ends:
        ends.append(key)
    others, same = np.array(ends, dtype=np.intp), np.full(len(ends), query if query is not None else key)
    return (same, others) if query is not None else (others, same)


def strongest(shares: Array, most: int) -> list[int]:
    """The indices of the largest shares, the largest first; shares of 0 are left out."""
    found: list[int] = np.argsort(-shares, kind="stable")[:most].tolist()
    return [k for k in found if shares[k] > 0]


DRAGGED = "Drag to move it"


def labels_at(drawing: Drawing, image: Image, row: int, column: int) -> tuple[int | None, int | None]:
    """The indices of the labels at the left and below (or above) that a square of an image has."""
    left, bottom, width, height = image.place
    up = bottom + (row + 0.5) * height / image.array.shape[0]
    across = left + (column + 0.5) * width / image.array.shape[1]

    def stands(labels: tuple[str, ...] | None, place: float) -> int | None:
        return int(place) if labels and 0 <= place < len(labels) else None

    return stands(drawing.y.labels, up), stands(drawing.x.labels, across)


def of_square(drawing: Drawing, one: Image | Strips, row: int, column: int) -> str:
    """The labels of a number, and the number in full."""
    if isinstance(one, Strips):
        labels, strip = drawing.y.labels or (), (row, column)[one.axis]
        return "\n".join((*labels[strip : strip + 1], exact(one.array[row, column])))
    places = zip((drawing.y, drawing.x), labels_at(drawing, one, row, column), strict=True)
    names = [axis.labels[place] for axis, place in places if axis.labels and place is not None]
    return "\n".join(filter(None, (" → ".join(names), exact(one.array[row, column]))))


def of_mark(drawing: Drawing, mark: Mark) -> str:
    """The name of a dot or an arrow, and its numbers in full."""
    if not isinstance(mark, Dot | Arrow):
        return ""
    name = mark.name or (f"{mark.inside}, {mark.below}" if isinstance(mark, Dot) and mark.inside else "")
    numbers = [
        f"{axis.title or way}: {exact(number)}"
        for way, axis, number in zip("xy", (drawing.x, drawing.y), place_of(mark), strict=True)
    ]
    return "\n".join(filter(None, (name, *numbers, DRAGGED if mark.drag is not None else "")))


def place_of(mark: Dot | Arrow) -> tuple[float, float]:
    """The point of a dot or an arrow at which the mouse points at it."""
    return (mark.x, mark.y) if isinstance(mark, Dot) else mark.tip


def means(mark: Mark) -> tuple[Cell | None, tuple[str, int] | None]:
    """The cell and the word that a mark stands for, each None if there is none."""
    return next(iter(cells_of(mark)), None), next(iter(tokens_of(mark)), None)


def leads(mark: Mark) -> bool:
    """Whether a dot or an arrow means a cell or a word, or can be dragged."""
    return isinstance(mark, Dot | Arrow) and (mark.drag is not None or means(mark) != (None, None))
