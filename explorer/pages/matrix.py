"""A matrix on a page: a node, or a head's slice of one, with its labels, its heading and the texts of its cells.

`strengths` says how much the last edit changed each cell, for a flash that shows the reader where to look.
"""

import re
from dataclasses import replace
from functools import cached_property
from math import floor, inf, log10

import numpy as np

from explorer.core.cell import is_cell_of
from explorer.core.derivation import only_rounding
from explorer.core.graph import Cell, Node, Place
from explorer.core.numbers import (
    NEARLY_ZERO,
    apart,
    decimals_of,
    exact,
    farthest_apart,
    full_of,
    in_table,
    in_tables,
    largest_of,
    with_power,
    written,
)
from explorer.core.ops import Array
from explorer.pages.element import Element
from explorer.pages.view import View

SHARES, SIGNED, PLAIN = "shares", "signed", "plain"
FIGURES = 3
"""The least number of digits of a change or a gradient."""
DECIMALS = 2
"""Columns have room for this many decimals even if fewer are written, so that no column moves when one is added."""
ALONE_PLAIN = 0.05, 1000.0
"""A single change or gradient between these sizes is written without a power of ten."""
LEAST_POWER = -321  # below it, a power of ten is 0 in float64
SURVEYED = 200
"""The width of all columns is computed from this many cells."""
FEW_CELLS, NOISE = 4096, 1e-15
MOST_NOISE = 1e-6
"""In a matrix of at most `FEW_CELLS` cells, numbers smaller than `NOISE` times the largest, and than `MOST_NOISE`, are
rounding errors, and are written as 0. Beside 1e30 a 0.2 is none."""
_LEAST = written(-0.01, DECIMALS)
"""The narrowest text of a number with a sign."""
CALM = 1.3
"""The full colour belongs to this many times `full_of`: it would be too loud on a quiet page."""
ROUNDING = "0, except for rounding: the terms of its sum cancel"
NEW = "new with the last edit: it had no value before"
ALONE = "the other model has no matrix of this name and shape"
FEW = 48
"""A matrix beside the one that a step speaks of shows its numbers if it has at most this many; else a small picture."""
COVERED = "?"
"""The text of a covered cell, whose number a question asks for."""


class Matrix(Element):
    """A matrix. A vector is one row, a single number one cell."""

    name: str  # of the node or slice
    place: Place
    formula: str  # LaTeX above it, which says what the numbers are
    title: str  # words beside the formula
    array: Array  # the numbers that are shown, (rows, columns); the engine's own array where these are the values
    values: Array  # the values, (rows, columns)
    shape: tuple[int, ...]  # of the node or slice
    axes: tuple[str, str]  # the axes of the rows and of the columns; "" if there is none
    # `rows`, `columns`: the labels of the rows and of the columns.
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    bands: tuple[int, int] = (0, 0)  # how many heads are joined in the rows, and in the columns; 0 for none
    colours: str = PLAIN  # `SHARES`, `SIGNED` or `PLAIN`
    showing: str = "values"  # see `Looking.showing`
    # `editable`, `ours`: whether it is an input; whether its values are ours.
    editable: bool = False
    ours: bool = False
    pins: Array | None = None  # which cells are pinned, (rows, columns)
    names: tuple[str, ...] = ()  # words that the whole numbers stand for, by index; () if they are plain numbers
    nothing: str = ""  # why there is no change or difference to show; "" if there is one
    # (rows, columns): the cells that a step speaks of lie where these rows and columns cross.
    spot: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    # Whether a step of a lesson names it, so that its numbers should be in sight together with those of others.
    named: bool = False
    covered: frozenset[tuple[int, int]] = frozenset()  # (row, column): cells whose numbers nobody may read yet
    usual: str = ""  # while changes or gradients are shown: the LaTeX formula of the values
    # True: the reader asked for its numbers; False: for its small picture; None: for neither.
    open: bool | None = None
    # Whether it is shown transposed: its rows are the node's columns. `shape` still is the node's own shape.
    turned: bool = False
    cancels: bool = False  # whether it is a single number that is 0 but for rounding, see `only_rounding`
    # Which rows and columns of the whole table `part_of` has kept; None: all of them.
    kept: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    full: float = 0.0  # the number of the full colour, if several matrices share it; 0: it has its own, see `full_of`

    @property
    def own(self) -> Array:
        """The values in the node's or slice's own shape."""
        return (self.values.T if self.turned else self.values).reshape(self.shape)

    @cached_property
    def decimals(self) -> int:
        """How many decimals all its numbers have."""
        usual = self._usual_decimals
        if self.showing == "values":
            return usual
        size, figures = largest_of(self.array) / 10.0**self.power, max(FIGURES, self._figures(usual))
        decimals = max(figures - len(f"{int(size)}"), 0)
        before, _, _ = f"{size:.{decimals}f}".partition(".")  # rounded, 9.9999 has one more
        return max(figures - len(before), 0)

    @cached_property
    def _usual_decimals(self) -> int:
        return 1 if self.cancels else decimals_of(self.values, self._largest)

    @cached_property
    def _largest(self) -> float:
        return largest_of(self.values)

    @cached_property
    def power(self) -> int:
        """The power of ten in the heading, with which each number is about as long as the values are."""
        # A single number may stand beside its symbol, without a heading for the power.
        largest = 0.0 if self.showing == "values" or self.array.size == 1 else largest_of(self.array)
        if not largest or 0.1 <= largest < 10 ** max(FIGURES, self._figures(self._usual_decimals)):
            return 0
        return max(3 * floor(log10(largest) / 3), LEAST_POWER)

    def _figures(self, decimals: int) -> int:
        return len(f"{int(min(self._largest, 1e6))}") + decimals

    @cached_property
    def limit(self) -> float:
        """The absolute value from which on a signed colour is full."""
        known = self._largest if self.array is self.values else None
        return CALM * (self.full or full_of(self.array, known)) or 1.0

    @cached_property
    def _texts(self) -> dict[tuple[int, int], str]:
        return {}

    def text(self, row: int, column: int) -> str:
        """The number as it is written in the table."""
        if (row, column) in self.covered:
            return COVERED
        if (row, column) not in self._texts:
            value = self.array[row, column].item()
            # By how much the number of a word has changed means nothing: there the word stands that it is now.
            named = self.names and (self.showing == "values" or value)
            word = self.names[int(self.values[row, column])] if named else ""
            text = "–" if self.nothing else word or self._said(value)
            self._texts[row, column] = text
        return self._texts[row, column]

    def texts(self, rows: range, columns: range) -> list[str]:
        """The numbers of some rows and columns as they are written in the table, in reading order."""
        if self.showing != "values" or self.names or self.nothing or self.covered:
            return [self.text(row, column) for row in rows for column in columns]
        numbers, noise = self.array[rows.start : rows.stop, columns.start : columns.stop].ravel().tolist(), self._noise
        return in_tables([0.0 if abs(number) < noise else number for number in numbers], self.decimals)

    @cached_property
    def _noise(self) -> float:
        """The size below which a number is 0 but for rounding; 0.0 for shares, which may truly be that small."""
        if self.cancels:
            return inf
        computed = self.values.dtype == np.float64 and not self.editable and self.colours != SHARES
        return min(NOISE * self._largest, MOST_NOISE) if computed and self.values.size <= FEW_CELLS else 0.0

    def _said(self, value: float) -> str:
        """The text of a number; a change or a gradient always has a sign."""
        if self.showing == "values":
            return in_table(0.0 if abs(value) < self._noise else float(value), self.decimals)
        if not value:
            return "·"
        if not np.isfinite(value):
            return written(float(value), 0)
        if self.array.size == 1 and not ALONE_PLAIN[0] <= abs(value) < ALONE_PLAIN[1]:
            return with_power(f"{value:+.0e}")
        text = f"{value / 10.0**self.power:+.{self.decimals}f}".replace("-", "−")
        return text if text.strip("+−0.") else NEARLY_ZERO

    @cached_property
    def widest(self) -> list[str]:
        """The widest texts of the values, all with a sign; of a large matrix, of its first values and the largest."""
        if self.names:
            return list(self.names[:SURVEYED])
        values = self.values
        real = values.dtype.kind == "f"
        usual = self._usual_decimals
        decimals = max(usual, DECIMALS * real)
        sizes, least = np.abs(values.flat[:SURVEYED]).tolist(), 0.5 * 10.0**-usual
        # Among numbers without a power of ten the largest has the longest text; with a power any may have.
        plain = [size for size in sizes if least < size < 1e6]
        numbers = [*sorted({size for size in sizes if not least < size < 1e6}), max(plain, default=0)]
        if values.size > SURVEYED:
            numbers.append(self._largest)  # its sign is not looked up: finding its cell takes ten times as long
        sign = "−" * real
        return [_LEAST * real, *[sign + text for text in in_tables(numbers, decimals)]]

    @cached_property
    def has_negative(self) -> bool:
        """Whether one of its numbers is negative; of a large matrix, one of the first."""
        return bool((self.array.flat[:SURVEYED] < 0).any())

    @cached_property
    def aligned(self) -> bool:
        """Whether numbers have fewer decimals than there is room for, so that decimal points must be aligned."""
        there = self.showing == "values" and self.values.dtype.kind == "f" and not self.names
        return there and self.decimals < DECIMALS

    def behind(self, text: str) -> int:
        """How many digits a text leaves free at its right where the matrix is `aligned`; 0 with a power of ten."""
        if "×" in text or not text[-1].isdigit():
            return 0
        return max(DECIMALS - len(text.partition(".")[2]), 0)

    def spoken(self, row: int, column: int) -> str:
        """A cell for a screen reader: its matrix, its labels, its number, and whether it can be edited."""
        power = f" times ten to the {self.power}".replace("-", "minus ") if self.power else ""
        labels = (("row", self.rows[row]), ("column", self.columns[column]))
        where = ", ".join(f"{way} {label}" for way, label in labels if label)
        kind = "yours" if self.editable else "held at a value of yours" if self.pinned(row, column) else "computed"
        showing = "" if self.showing == "values" else f"{self.showing} of "
        return ", ".join(
            filter(None, (f"{showing}{self.name.rpartition('.')[2]}", where, f"{self.text(row, column)}{power}", kind))
        )

    def label(self, row: int, column: int) -> str:
        """Both labels of a cell, for use in a sentence."""
        return " → ".join(filter(None, (self.rows[row], self.columns[column])))

    def cell(self, row: int, column: int) -> tuple[int, ...]:
        """The index of a shown cell in the node's or slice's own shape."""
        if self.kept is not None:
            row, column = self.kept[0][row], self.kept[1][column]
        row, column = (column, row) if self.turned else (row, column)
        return ((), (column,), (row, column))[len(self.shape)]

    def at(self, index: tuple[int, ...]) -> tuple[int, int]:
        """The row and column here of an index in the node's whole array; -1 for a row or column that is not shown."""
        row, column = (0, 0, *index[len(self.place.index) :])[-2:]
        row, column = (column, row) if self.turned else (row, column)
        if self.kept is None:
            return row, column
        rows, columns = self.kept
        return rows.index(row) if row in rows else -1, columns.index(column) if column in columns else -1

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The index of a shown cell in the node's whole array, heads included."""
        return self.place.index + self.cell(row, column)

    def cell_at(self, row: int, column: int) -> Cell:
        """A shown cell."""
        return Cell(self.place.node, self.index(row, column))

    def holds(self, cell: Cell | None) -> bool:
        """Whether a cell is one of the node's or slice's own, shown or not."""
        place = self.place
        return cell is not None and cell.node == place.node and cell.index[: len(place.index)] == place.index

    def pinned(self, row: int, column: int) -> bool:
        """Whether the cell is pinned to a typed value."""
        return self.pins is not None and bool(self.pins[row, column])

    def told(self, view: View, row: int, column: int) -> str:
        """The number of a cell in full, and how much the last edit changed it, if the view still has the cell."""
        if (row, column) in self.covered:
            return "Answer the question first."
        now, index = exact(self.values[row, column]), self.index(row, column)
        if self.nothing:
            return f"{now}\n{self.nothing}"
        own, was = view.values.get(self.place.node), view.last.before.get(self.place.node)
        if own is None or not is_cell_of(index, own.shape):
            return now  # the view is newer than this page
        if only_rounding(view.engine, self.place.node, index):
            now += f"\n{ROUNDING}"
        if was is not None and was.shape == own.shape and was[index] != self.values[row, column]:
            change = float(apart(self.values[row, column], was[index]))
            now += f"\nbefore: {self.names[int(was[index])]}" if self.names else f"\nchanged by {exact(change)}"
        return now


def matrix(view: View, name: str, title: str = "", id: str = "") -> Matrix:
    """A node, or a head's slice of one, as a matrix.

    `title`: replaces the node's short name.
    `id`: by default the node's name, so that the matrix keeps its identity when another head is chosen.
    """
    place = view.graph.place(name)
    values, pin = view.values[place.node], view.engine.pins.get(place.node)

    def make() -> Matrix:
        return _matrix(view, name, place, title, id)

    def renew(was: Matrix) -> Matrix:
        """The former matrix with new numbers; the rest changes only if cells are pinned."""
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
    nothing = NEW if showing == "change" and view.is_new(place.node) else ""
    if showing == "difference" and view.other(place) is None:
        nothing = ALONE
    return Matrix(
        id or place.node,
        name,
        place,
        _formula(view, node, showing),
        "" if said == node.symbol else said,  # the formula shows the symbol
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
        nothing,
        spot,
        named,
        _covered(view, place, values.shape),
        _formula(view, node, "values") if showing != "values" else "",
        view.chosen(open_key(id or place.node), True if named else None),
        cancels=values.size == 1 and _cancels(view, place),
    )


def _cancels(view: View, place: Place) -> bool:
    """Whether a single number is 0 but for rounding: a larger matrix shows that by its other numbers."""
    return only_rounding(view.engine, place.node, (*place.index, *(0,) * view.engine.value(place).ndim))


def _spoken(short: str) -> str:
    """The name of a node in words: "codes" for W_1_codes, because the formula names the matrix."""
    return re.sub(r"^W_\w+?_(?=[a-z]{3})", "", short).replace("_", " ")


def transposed(matrix: Matrix) -> Matrix:
    """A matrix shown transposed; an edit of its cells still edits the node's own cells."""
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
    """A matrix of only some rows and columns, given by index. Its heading says how many of all are shown."""
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
    """A matrix with only its symbol as heading, without the formula and the title."""
    return replace(matrix, formula=symbol_of(matrix.formula), usual=symbol_of(matrix.usual), title="")


def symbol_of(formula: str) -> str:
    """The symbol on the left side of a formula."""
    return formula.partition(" = ")[0]


def open_key(id: str) -> str:
    """The key that keeps whether the reader asked for the numbers of a matrix."""
    return f"open.{id}"


def _formula(view: View, node: Node, showing: str) -> str:
    """The LaTeX of what is shown: the node's formula, its gradient, or its change."""
    symbol = f"({node.symbol})" if "/" in node.symbol else node.symbol  # a scale: 1/√d_k
    if showing == "gradient" and view.values[node.name].dtype.kind == "f":
        return rf"\partial L / \partial {symbol}"
    if showing in ("change", "step", "difference"):
        return rf"\Delta {symbol}"
    return view.graph.equation(node.name)


def _spot(view: View, place: Place, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The rows and columns of the table that a step speaks of; None if it does not speak of this matrix."""
    spot = view.looking.spot
    meant = None if spot is None else view.graph.find(spot.node)
    if spot is None or meant is None or meant.node != place.node or meant.head not in (None, place.head):
        return None
    rows, columns = ((), spot.rows) if len(shape) < 2 else (spot.rows, spot.columns)
    n_rows, n_columns = (1, 1, *shape)[-2:]
    cells = (rows or tuple(range(n_rows)), columns or tuple(range(n_columns)))
    return cells if max(cells[0]) < n_rows and max(cells[1]) < n_columns else None


def _wanted_beside(view: View, place: Place, values: Array) -> bool:
    """Whether a step wants the numbers beside those it speaks of, and they are few enough for that."""
    spot = view.looking.spot
    if spot is None:
        return False
    names = (*spot.goals, *(spot.beside if values.size <= FEW else ()))
    return any(one is not None and one.node == place.node for one in map(view.graph.find, names))


def _covered(view: View, place: Place, shape: tuple[int, ...]) -> frozenset[tuple[int, int]]:
    """The covered cells of the table, without those that a text made shorter meanwhile no longer has."""
    cells = view.looking.covered.where(view.looking.showing).get(place.node, ())
    own = (cell[len(place.index) :] for cell in cells if cell[: len(place.index)] == place.index)
    table = ((0, 0, *cell) for cell in own if is_cell_of(cell, shape))
    return frozenset((cell[-2], cell[-1]) for cell in table)


def _heads(view: View, axis: str) -> int:
    """How many heads an axis joins; 0 if it joins none."""
    heads = view.graph.axes.get(f"{axis.removesuffix('.concat')}.heads", ()) if axis.endswith(".concat") else ()
    return len(heads) if len(heads) > 1 else 0


Part = tuple[slice, slice]
"""Which rows and which columns of a matrix."""
LEAST_FLASH = 0.05
"""A weaker flash is invisible and set to 0: that of a change by less than a 400th of the largest number."""


def strengths(view: View, matrix: Matrix, part: Part = (slice(None), slice(None)), most: int = 0) -> Array | None:
    """How strongly each cell flashes, from 0 for no change to 1 for a change as large as the largest number.

    The strength is the root of the change ÷ the largest number, so that small changes are seen. Covered cells get 0.

    `part`: the rows and columns that are wanted.
    `most`: the most rows and columns of the result, 0 for no limit. Cells that share a square of the result count by
    the largest change among them: a large matrix has millions of cells, and nobody sees more.

    Returns (rows, columns), as the matrix is shown; None if no cell flashes, or if no values are shown.
    """
    place = matrix.place
    before = view.last.before.get(place.node)
    if matrix.showing != "values" or before is None or view.given or view.is_new(place.node):
        return None
    if place.head is not None and place.head >= view.graph.n_heads.get(place.node, 0):
        return None  # the matrix is older than the view, which has fewer heads
    value = view.engine.value(place)
    if value.size != matrix.array.size:  # the matrix is older than the view here, too
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
