"""A matrix on a page: a node, or a head's slice of one, with its labels, its heading and how its cells are written.

How much each cell of a matrix was changed by the last edit, for a flash that says where to look.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, inf, log10

import numpy as np

from explorer.core.derivation import only_rounding
from explorer.core.graph import Node, Place
from explorer.core.numbers import decimals_of, exact, in_table, in_tables, written
from explorer.core.ops import Array
from explorer.core.overview import apart, farthest_apart, largest_of
from explorer.pages.element import Element
from explorer.pages.view import View, equation

SHARES, SIGNED, PLAIN = "shares", "signed", "plain"
FIGURES = 3
"""Figures that a change or a gradient is written with at least."""
DECIMALS = 2
"""Decimals that have their room although a number is written with fewer: with one more none moves."""
ALONE_PLAIN = 0.05, 1000.0
"""The sizes between which the change or gradient of a single number needs no power of ten."""
TINY = "~0"
"""What is not 0 but would be written as 0."""
SURVEYED = 200
"""Cells that the width of all columns is taken from."""
FEW_CELLS, NOISE = 4096, 1e-15
"""Cells of a matrix small enough to be read number by number; in it, what is so small a part of the largest number was
left by rounding, and is written as 0."""
_LEAST = written(-0.01, DECIMALS)
"""A number that takes as little room as one with a sign does."""
CALM = 1.3
"""The largest number stops short of the full colour, which is loud on a quiet page."""
ROUNDING = "0, but for rounding: the terms of its sum cancel"
NEW = "new with the last edit: it had no value before"
ALONE = "the other model has no matrix of this name and shape"
FEW = 48
"""Numbers up to which a matrix is shown beside the one that is spoken of; of more there is a small picture."""
COVERED = "?"
"""Written where a question asks for the number."""


@dataclass(frozen=True, eq=False)
class Matrix(Element):
    """A matrix. A vector is one row, a single number one cell."""

    name: str  # of the node or slice
    place: Place
    formula: str  # LaTeX above it: what the numbers are
    title: str  # words beside the formula
    array: Array  # what is shown, (rows, columns); the engine's own array where values are shown
    values: Array  # the values, (rows, columns)
    shape: tuple[int, ...]  # of the node or slice
    axes: tuple[str, str]  # of the rows and of the columns; empty where there is none
    # `rows`, `columns`: their labels.
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    bands: tuple[int, int] = (0, 0)  # of how many heads the rows and the columns are joined; 0 where of none
    colours: str = PLAIN  # `SHARES`, `SIGNED` or `PLAIN`
    showing: str = "values"  # see `Looking.showing`
    # `editable`, `ours`: whether it is an input; whether its values are ours.
    editable: bool = False
    ours: bool = False
    pins: Array | None = None  # which cells are held at a value typed by hand, (rows, columns)
    names: tuple[str, ...] = ()  # what whole numbers are the names of; empty where they are numbers
    nothing: str = ""  # why there is no change or difference to show; empty where there is one
    # (rows, columns): what is spoken of: the cells where they cross.
    spot: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    # Whether its numbers are wanted in sight at once with those of others that are: a step of a lesson names them.
    named: bool = False
    covered: frozenset[tuple[int, int]] = frozenset()  # (row, column): cells whose numbers nobody may read yet
    usual: str = ""  # LaTeX above it where values are shown
    # Whether someone asked for its numbers, or for the small picture of it; None: nobody asked.
    open: bool | None = None
    # Whether it is shown transposed: its rows are the node's columns. Only `shape` is the node's own then.
    turned: bool = False
    cancels: bool = False  # of a single number: whether it is what rounding left of 0, see `only_rounding`
    # Which rows and columns of the whole table are shown, as `part_of` leaves them; None: all of them.
    kept: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    largest: float = 0.0  # of all matrices of the sum that it stands in, which have one scale; 0: it has its own

    @property
    def own(self) -> Array:
        """The values in the node's or slice's own shape."""
        return (self.values.T if self.turned else self.values).reshape(self.shape)

    @cached_property
    def decimals(self) -> int:
        """How many all numbers are written with."""
        usual = self._usual_decimals
        if self.showing == "values":
            return usual
        before = len(f"{int(largest_of(self.array) / 10.0**self.power)}")
        return max(max(FIGURES, self._figures(usual)) - before, 0)

    @cached_property
    def _usual_decimals(self) -> int:
        """How many the values are written with."""
        return 1 if self.cancels else decimals_of(self.values, self._largest)

    @cached_property
    def _largest(self) -> float:
        """The size of the largest value."""
        return largest_of(self.values)

    @cached_property
    def power(self) -> int:
        """The power of ten that stands in the heading, so that each number is as long as the values are."""
        # A single number may stand beside its symbol, where nobody would read the power.
        largest = 0.0 if self.showing == "values" or self.array.size == 1 else largest_of(self.array)
        if not largest or 0.1 <= largest < 10 ** max(FIGURES, self._figures(self._usual_decimals)):
            return 0
        return 3 * floor(log10(largest) / 3)

    def _figures(self, decimals: int) -> int:
        """How many figures the largest value is written with."""
        return len(f"{int(min(self._largest, 1e6))}") + decimals

    @cached_property
    def limit(self) -> float:
        """The size of number from which on a signed colour is full."""
        return CALM * (self.largest or (self._largest if self.array is self.values else largest_of(self.array))) or 1.0

    @cached_property
    def _texts(self) -> dict[tuple[int, int], str]:
        return {}

    def text(self, row: int, column: int) -> str:
        """The number as it is written in the table."""
        if (row, column) in self.covered:
            return COVERED
        text = self._texts.get((row, column))
        if text is None:
            value = self.array[row, column].item()
            if self.nothing:
                text = "–"
            else:
                text = self.names[value] if self.names and self.showing == "values" else self._said(value)
            self._texts[row, column] = text
        return text

    def texts(self, rows: range, columns: range) -> list[str]:
        """The numbers of some rows and columns as they are written in the table, in reading order."""
        if self.showing != "values" or self.names or self.nothing or self.covered:
            return [self.text(row, column) for row in rows for column in columns]
        numbers, noise = self.array[rows.start : rows.stop, columns.start : columns.stop].ravel().tolist(), self._noise
        return in_tables([0.0 if abs(number) < noise else number for number in numbers], self.decimals)

    @cached_property
    def _noise(self) -> float:
        """The size below which a number is what rounding left of 0; 0 in shares, which may be as small as they like."""
        if self.cancels:
            return inf
        computed = self.values.dtype == np.float64 and not self.editable and self.colours != SHARES
        return NOISE * self._largest if computed and self.values.size <= FEW_CELLS else 0.0

    def _said(self, value: float) -> str:
        """A number as it is written, a change with its sign."""
        if self.showing == "values":
            return in_table(0.0 if abs(value) < self._noise else float(value), self.decimals)
        if not value:
            return "·"
        if not np.isfinite(value):
            return written(float(value), 0)
        if self.array.size == 1 and not ALONE_PLAIN[0] <= abs(value) < ALONE_PLAIN[1]:
            mantissa, exponent = f"{value:+.0e}".split("e")
            return f"{mantissa}e{int(exponent)}".replace("-", "−")
        text = f"{value / 10.0**self.power:+.{self.decimals}f}".replace("-", "−")
        return text if text.strip("+−0.") else TINY

    @cached_property
    def widest(self) -> list[str]:
        """The values that take most room as they are written, all with a sign; of a large matrix some of the first."""
        if self.names:
            return list(self.names[:SURVEYED])
        values = self.values
        real = values.dtype.kind == "f"
        usual = self._usual_decimals
        decimals = max(usual, DECIMALS * real)
        sizes, least = np.abs(values.flat[:SURVEYED]).tolist(), 0.5 * 10.0**-usual
        # Of those written with all their digits the largest is the longest; what has a power of ten may be any.
        plain = [size for size in sizes if least < size < 1e6]
        numbers = [*sorted({size for size in sizes if not least < size < 1e6}), max(plain, default=0)]
        if values.size > SURVEYED:
            numbers.append(self._largest)  # not where it stands: to find that takes ten times as long
        sign = "−" * real
        return [_LEAST * real, *[sign + text for text in in_tables(numbers, decimals)]]

    @cached_property
    def has_negative(self) -> bool:
        """Whether a sign stands before one of its numbers; of a large matrix, before one of the first."""
        return bool((self.array.flat[:SURVEYED] < 0).any())

    @cached_property
    def aligned(self) -> bool:
        """Whether numbers may have fewer decimals than there is room for, so that points stand below each other."""
        there = self.showing == "values" and self.values.dtype.kind == "f" and not self.names
        return there and self.decimals < DECIMALS

    def behind(self, text: str) -> int:
        """Figures that a number leaves free at its right, where it is `aligned`; a power of ten needs all its room."""
        if "e" in text or not text[-1].isdigit():
            return 0
        return max(DECIMALS - len(text.partition(".")[2]), 0)

    def spoken(self, row: int, column: int) -> str:
        """A cell for a screen reader: whose it is, its labels and number, and what one can do with it."""
        power = f" times ten to the {self.power}".replace("-", "minus ") if self.power else ""
        labels = (("row", self.rows[row]), ("column", self.columns[column]))
        where = ", ".join(f"{way} {label}" for way, label in labels if label)
        kind = "yours" if self.editable else "held at a value of yours" if self.pinned(row, column) else "computed"
        showing = "" if self.showing == "values" else f"{self.showing} of "
        return ", ".join(
            filter(None, (f"{showing}{self.name.rpartition('.')[2]}", where, f"{self.text(row, column)}{power}", kind))
        )

    def label(self, row: int, column: int) -> str:
        """Both labels of a cell, for words."""
        return " → ".join(filter(None, (self.rows[row], self.columns[column])))

    def cell(self, row: int, column: int) -> tuple[int, ...]:
        """The index in the node's or slice's own shape."""
        if self.kept is not None:
            row, column = self.kept[0][row], self.kept[1][column]
        row, column = (column, row) if self.turned else (row, column)
        return ((), (column,), (row, column))[len(self.shape)]

    def at(self, index: tuple[int, ...]) -> tuple[int, int]:
        """The row and column of an index in the node's whole array; -1 for one that is not among those shown."""
        row, column = (0, 0, *index[len(self.place.index) :])[-2:]
        row, column = (column, row) if self.turned else (row, column)
        if self.kept is None:
            return row, column
        rows, columns = self.kept
        return rows.index(row) if row in rows else -1, columns.index(column) if column in columns else -1

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The index in the node's whole array, heads included."""
        return self.place.index + self.cell(row, column)

    def pinned(self, row: int, column: int) -> bool:
        """Whether the cell is held at a value typed by hand."""
        return self.pins is not None and bool(self.pins[row, column])

    def told(self, view: View, row: int, column: int) -> str:
        """The number in full, and what the last edit changed it by. A view that has no such cell has nothing to add."""
        if (row, column) in self.covered:
            return "Answer the question first."
        now, index = exact(self.values[row, column]), self.index(row, column)
        if self.nothing:
            return f"{now}\n{self.nothing}"
        own, was = view.values.get(self.place.node), view.last.before.get(self.place.node)
        if own is None or own.ndim != len(index) or any(i >= n for i, n in zip(index, own.shape, strict=True)):
            return now  # of an edit that the page is still to hear of
        change = 0.0
        if was is not None and was.shape == own.shape:
            change = float(apart(self.values[row, column], was[index]))
        if only_rounding(view.engine, self.place.node, index):
            now = f"{now}\n{ROUNDING}"
        return f"{now}\nchanged by {exact(change)}" if change else now


def matrix(view: View, name: str, title: str = "", id: str = "") -> Matrix:
    """A node, or a head's slice of one, as a matrix.

    Parameters
    ----------
    title : str
        Said instead of the node's short name.
    id : str
        By default the node's name: a matrix stays the same one when another head is looked at.
    """
    place = view.graph.place(name)
    values, pin = view.values[place.node], view.engine.pins.get(place.node)

    def make() -> Matrix:
        return _matrix(view, name, place, title, id)

    def renew(was: Matrix) -> Matrix:
        """With other numbers all else is as it was, but for what is held."""
        if pin is not None or was.pins is not None:
            return make()
        array = np.atleast_2d(values[place.index])
        return replace(was, array=array, values=array, cancels=array.size == 1 and _cancels(view, place))

    return view.part((name, title, id), (values, pin), make, renew)


def _matrix(view: View, name: str, place: Place, title: str, id: str) -> Matrix:
    graph = view.graph
    node = graph.nodes[place.node]
    values = view.engine.value(place)
    shown = view.shown(place)
    rows, columns = ("", "", *graph.axes_of(place)[-2:])[-2:]
    colours = SHARES if node.op.shares else SIGNED if node.op.signed else PLAIN
    showing = view.looking.showing
    spot = _spot(view, place, values.shape)
    named = spot is not None or _wanted_beside(view, place, values)
    pin = view.engine.pins.get(place.node)
    pins = None
    if pin is not None and pin.cells.shape == view.values[place.node].shape and pin.cells[place.index].any():
        pins = np.atleast_2d(pin.cells[place.index])
    said = title or (node.short if node.short == node.symbol else _spoken(node.short))
    return Matrix(
        id or place.node,
        name,
        place,
        _formula(view, node, showing),
        "" if said == node.symbol else said,  # which stands before it
        np.atleast_2d(shown),
        np.atleast_2d(values),
        values.shape,
        (rows, columns),
        view.labels(rows) if rows else ("",),
        view.labels(columns) if columns else ("",),
        (_heads(view, rows), _heads(view, columns)),
        colours if showing == "values" else SIGNED,  # a change is signed whatever it is a change of
        showing,
        node.is_input,
        name in view.ours or place.node in view.ours,
        pins,
        view.labels(graph.nodes[node.parents[0]].axes[-1]) if node.op.picks else (),
        _nothing(view, place),
        spot,
        named,
        _covered(view, place, values.shape),
        _formula(view, node, "values") if showing != "values" else "",
        view.chosen(open_key(id or place.node), True if named else None),
        cancels=values.size == 1 and _cancels(view, place),
    )


def _cancels(view: View, place: Place) -> bool:
    """Whether a single number is what rounding left of 0: there is no larger one beside it that would say so."""
    return only_rounding(view.engine, place.node, (*place.index, *(0,) * view.engine.value(place).ndim))


def _spoken(short: str) -> str:
    """The name of a node in words: "codes" of W_1_codes, whose formula names the matrix."""
    return re.sub(r"^W_\w+?_(?=[a-z]{3})", "", short).replace("_", " ")


def transposed(matrix: Matrix) -> Matrix:
    """A matrix with its rows as columns; an edit of a cell is one of the node's own cell."""
    both = symbol_of(matrix.formula), symbol_of(matrix.usual)
    formula, usual = (rf"({f})^\top" if f.startswith(r"\partial") else rf"{f}^\top" * bool(f) for f in both)
    return replace(
        matrix,
        formula=formula,
        usual=usual,
        array=matrix.array.T,
        values=matrix.values.T,
        axes=matrix.axes[::-1],
        rows=matrix.columns,
        columns=matrix.rows,
        bands=matrix.bands[::-1],
        pins=None if matrix.pins is None else matrix.pins.T,
        spot=None if matrix.spot is None else matrix.spot[::-1],
        covered=frozenset((column, row) for row, column in matrix.covered),
        turned=True,
    )


def part_of(matrix: Matrix, rows: tuple[int, ...], columns: tuple[int, ...]) -> Matrix:
    """Some rows and columns of a whole matrix, by their places in it. Its heading says how many are left out."""
    of = len(matrix.rows), len(matrix.columns)
    kept = tuple(
        f"{len(some)} of {every} {name}"
        for some, every, name in zip((rows, columns), of, ("rows", "columns"), strict=True)
        if len(some) < every
    )
    spot = matrix.spot
    if spot is not None:
        spot = (
            tuple(k for k, row in enumerate(rows) if row in spot[0]),
            tuple(k for k, column in enumerate(columns) if column in spot[1]),
        )
    return replace(
        matrix,
        title=", ".join(filter(None, (matrix.title, *kept))),
        array=matrix.array[np.ix_(rows, columns)],
        values=matrix.values[np.ix_(rows, columns)],
        rows=tuple(matrix.rows[row] for row in rows),
        columns=tuple(matrix.columns[column] for column in columns),
        bands=(0, 0),
        pins=None if matrix.pins is None else matrix.pins[np.ix_(rows, columns)],
        spot=spot if spot is not None and all(spot) else None,
        covered=frozenset(
            (r, c) for r, row in enumerate(rows) for c, column in enumerate(columns) if (row, column) in matrix.covered
        ),
        editable=False,
        kept=(rows, columns),
    )


def symbol_only(matrix: Matrix) -> Matrix:
    """A matrix whose heading does not say how it is made."""
    return replace(matrix, formula=symbol_of(matrix.formula), usual=symbol_of(matrix.usual), title="")


def symbol_of(formula: str) -> str:
    """What a formula is of."""
    return formula.partition(" = ")[0]


def open_key(id: str) -> str:
    """The key under which it is kept whether someone asked for the numbers of a matrix."""
    return f"open.{id}"


def _formula(view: View, node: Node, showing: str) -> str:
    """What the numbers are: the node by its formula, its gradient, or a change of it."""
    symbol = f"({node.symbol})" if "/" in node.symbol else node.symbol  # a scale: 1/√d_k
    if showing == "gradient" and view.values[node.name].dtype.kind == "f":
        return rf"\partial L / \partial {symbol}"
    if showing in ("change", "step", "difference"):
        return rf"\Delta {symbol}"
    return equation(view, node)


def _spot(view: View, place: Place, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The rows and columns of the table that are spoken of."""
    spot = view.looking.spot
    meant = None if spot is None else view.graph.find(spot.node)
    if spot is None or meant is None or meant.node != place.node or meant.head not in (None, place.head):
        return None
    rows, columns = ((), spot.rows) if len(shape) < 2 else (spot.rows, spot.columns)
    n_rows, n_columns = (1, 1, *shape)[-2:]
    cells = (rows or tuple(range(n_rows)), columns or tuple(range(n_columns)))
    return cells if max(cells[0]) < n_rows and max(cells[1]) < n_columns else None


def _wanted_beside(view: View, place: Place, values: Array) -> bool:
    """Whether the numbers are wanted beside those that are spoken of, and do not push them out of sight."""
    spot = view.looking.spot
    if spot is None:
        return False
    names = (*spot.goals, *(spot.beside if values.size <= FEW else ()))
    return any(one is not None and one.node == place.node for one in map(view.graph.find, names))


def _covered(view: View, place: Place, shape: tuple[int, ...]) -> frozenset[tuple[int, int]]:
    """The cells of the table that are covered: as far as it has them, in a text that was made shorter meanwhile."""
    cells = view.looking.covered.where(view.looking.showing).get(place.node, ())
    own = (cell[len(place.index) :] for cell in cells if cell[: len(place.index)] == place.index)
    there = (cell for cell in own if len(cell) == len(shape) and all(i < n for i, n in zip(cell, shape, strict=True)))
    table = ((0, 0, *cell) for cell in there)
    return frozenset((cell[-2], cell[-1]) for cell in table)


def _nothing(view: View, place: Place) -> str:
    showing = view.looking.showing
    if showing == "change" and view.is_new(place.node):
        return NEW
    return ALONE if showing == "difference" and view.other(place) is None else ""


def _heads(view: View, axis: str) -> int:
    """Of how many heads an axis is joined."""
    heads = view.graph.axes.get(f"{axis.removesuffix('.concat')}.heads", ()) if axis.endswith(".concat") else ()
    return len(heads) if len(heads) > 1 else 0


Part = tuple[slice, slice]
"""Of a matrix: which rows and columns."""
LEAST_FLASH = 0.05
"""Of the whole strength: what changed by less than a 400th of the largest number is not seen to flash."""


def strengths(view: View, matrix: Matrix, part: Part = (slice(None), slice(None)), most: int = 0) -> Array | None:
    """How strongly each cell flashes: 0 where nothing changed, 1 where it changed by as much as the largest number is.

    Roots of the shares, so that a small change is seen, too. Cells that a question covers stay as they are.

    Parameters
    ----------
    part : tuple of slice
        Of which rows and columns.
    most : int
        How many rows and columns are told of at most, 0 for all: of cells that share a square, the one that changed
        most. Of a large matrix nobody sees more, and it has millions of cells.

    Returns
    -------
    Array or None
        (rows, columns), as the matrix is shown; None where no cell flashes, or where no values are shown.
    """
    place = matrix.place
    before = view.last.before.get(place.node)
    if matrix.showing != "values" or before is None or view.given or view.is_new(place.node):
        return None
    if place.head is not None and place.head >= (view.graph.n_heads(place.node) or 0):
        return None  # it is still to follow the view, which has fewer heads
    value = view.engine.value(place)
    if value.size != matrix.array.size:  # so here
        return None
    now, was = ((one.T if matrix.turned else one).reshape(matrix.array.shape) for one in (value, before[place.index]))
    if matrix.covered:
        was = was.copy()
        for cell in matrix.covered:
            was[cell] = now[cell]
    change = farthest_apart(now[part], was[part], most) if most else np.abs(apart(now[part], was[part]))
    with np.errstate(all="ignore"):
        found = np.sqrt(np.clip(np.nan_to_num(change / (largest_of(matrix.values) or 1.0)), 0.0, 1.0))
    found[found < LEAST_FLASH] = 0.0
    return found if found.any() else None
