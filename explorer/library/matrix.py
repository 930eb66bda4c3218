"""A matrix of a model with its labels: a notebook shows it, and numpy, pandas and matplotlib take it.

`columns` and `table` write text and matrices in columns.

`as_text` and `as_html` show a matrix in a notebook, as text and as a coloured table; of a large one the beginning.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isfinite
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import combining, east_asian_width

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from explorer.core.errors import ExplorerError, nearest, require_shape, some
from explorer.core.graph import Node, name_of_head, written_index
from explorer.core.ops import Array
from explorer.export.matrix import (
    MOST_COLUMNS,
    MOST_ROWS,
    LabelledMatrix,
    equation,
    html_table,
    latex,
    left_out,
    written,
)

if TYPE_CHECKING:
    from explorer.library.transformer import Transformer


def width(text: str) -> int:
    """The width of a text in columns of a terminal."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def columns(rows: Sequence[Sequence[str]], alignment: str, indent: str = "") -> list[str]:
    """Lines of cells, each column as wide as it needs to be.

    `alignment`: "<" or ">" for each column; the last one also applies to all further columns.
    `indent`: the beginning of each line.
    """
    sizes = [max(map(width, column)) for column in zip_longest(*rows, fillvalue="")]
    ways = alignment + alignment[-1] * (len(sizes) - len(alignment))
    lines = []
    for row in rows:
        cells = []
        for text, size, way in zip(row, sizes, ways, strict=False):
            blanks = " " * (size - width(text))
            cells.append(text + blanks if way == "<" else blanks + text)
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def table(
    value: Array, rows: Sequence[str] | None, heads: Sequence[str] | None, words: Sequence[str] = (), most: int = 0
) -> Iterator[str]:
    """The lines of a matrix, (rows, columns), a vector, (rows,), or a single number.

    `rows`, `heads`: labels of rows and columns; None for a number, and for a vector's columns.
    `words`: for a vector of numbers of words: the words.
    `most`: the most columns of a terminal that a line may take; a wider matrix is folded. 0: no limit.
    """
    if rows is None:
        yield f"  {written(value[()])}"
    elif heads is None:
        numbers = zip(rows, _aligned(value), *([words] if words else []), strict=True)
        yield from columns(list(numbers), "<><", indent="  ")
    else:
        room = most - 2 - max(map(width, rows)) if most else 0
        grid = [[label, *_aligned(column)] for label, column in zip(heads, value.T, strict=True)]
        for part in _folded(grid, room):
            yield from columns(list(zip(("", *rows), *part, strict=True)), "<>", indent="  ")


def _folded(grid: list[list[str]], most: int) -> Iterator[list[list[str]]]:
    """Columns in parts that are at most as wide as a line; all columns in one part if there is no limit."""
    part: list[list[str]] = []
    used = 0
    for column in grid:
        size = max(map(width, column)) + 2
        if part and most and used + size > most:
            yield part
            part, used = [], 0
        part.append(column)
        used += size
    yield part


def _aligned(values: Array) -> list[str]:
    """Numbers with blanks after them, so that right-aligned numbers have their decimal points in line."""
    numbers = [written(value) for value in values]
    tails = [len(re.sub(r"^-?(\d+|inf|nan)", "", number)) for number in numbers]
    return [number + " " * (max(tails) - tail) for number, tail in zip(numbers, tails, strict=True)]


def nested(array: Array) -> Any:
    """An array as nested lists; "inf", "-inf" and "nan", which are no numbers in JSON, become texts."""
    value = array.tolist()
    return value if np.isfinite(array).all() else _finite(value)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return value if isfinite(value) else str(value)


At: TypeAlias = Any
"""An index in brackets, as in numpy: whole numbers, slices, lists, "…" or a bool array; and also words."""


@dataclass(eq=False, repr=False)
class Matrix(NDArrayOperatorsMixin):
    """The numbers of a node, or of a head's slice of one, with their labels.

    It keeps the numbers of the time when it was made; later edits of the model do not change it. numpy, pandas and
    matplotlib take it as an array (``A @ B``, ``A - B``, ``np.max(A)``: the results are plain arrays).

    >>> import explorer
    >>> m = explorer.open("you-are-welcome")
    >>> A = m["encoder.1.self.head.1.weights"]
    >>> A.shape, A.rows
    ((3, 3), ('You', 'are', 'welcome'))
    >>> round(A["You", "welcome"], 3), round(A[0, 2], 3)
    (0.53, 0.53)
    >>> A["You"]
    encoder.1.self.head.1.weights[0,:]  (3)
      You      0.14585454
      are      0.32376892
      welcome  0.53037654

    An index is a number, from 0, or a word. In a node that is stacked over heads, (heads, rows, columns), words name
    rows and columns of each head. Assigning to an index is an edit of the model, see `Transformer.set`.
    """

    name: str  # such as "encoder.1.self.weights"
    symbol: str  # LaTeX
    value: Array  # read-only; (rows, columns), (heads, rows, columns), (rows,) or ()
    labels: tuple[tuple[str, ...], ...]  # along each axis
    node: Node  # the node that it shows
    stage: str = ""  # the stage that shows it, such as "Encoder 1 › Self-attention"
    words: tuple[str, ...] = ()  # for a vector of numbers of words: the words
    pins: Array | None = None  # which cells are pinned
    home: "Transformer | None" = None  # the model that an edit changes; None if it cannot be edited

    @property
    def rows(self) -> tuple[str, ...] | None:
        """The labels of the second-last axis, or of the only axis of a vector; None for a single number."""
        return self.labels[-2:][0] if self.labels else None

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The labels of the last axis; None for a vector and a single number."""
        return self.labels[-1] if len(self.labels) > 1 else None

    @property
    def held(self) -> str:
        """In words: "pinned" or "partly pinned"; "" if no cell is pinned."""
        if self.pins is None or not self.pins.any():
            return ""
        return "pinned" if self.pins.all() else "partly pinned"

    # As an array

    @property
    def shape(self) -> tuple[int, ...]:
        """Its size along each axis."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return self.value.ndim

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its numbers."""
        return self.value.dtype

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.value, dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", ())
        if any(isinstance(one, Matrix) for one in out):
            if out[0] is not inputs[0]:
                return NotImplemented
            out = ()  # `A += 1` gives a plain array, too, and `m[NAME] += 1` assigns it
        if out:
            options["out"] = out
        given = [one.value if isinstance(one, Matrix) else one for one in inputs]
        return getattr(ufunc, method)(*given, **options)

    # Cells

    def __getitem__(self, at: At) -> Any:
        """Cells: one cell as a number, rows and columns as a `Matrix`, cells from a list or bool array as an array.

        Raises `ExplorerError`: "no-label" or "label-twice" for a word; `IndexError`, as numpy does, for a number.
        """
        index = self._index(at)
        found = self.value[index]
        if not np.ndim(found):
            return found.item()
        if not all(isinstance(part, int | slice) for part in index):
            return found
        name = self._name_of(index)
        whole = (*index, *[slice(None)] * (self.ndim - len(index)))
        kept = [names[part] for names, part in zip(self.labels, whole, strict=True) if isinstance(part, slice)]
        words = tuple(np.array(self.words)[index].tolist()) if self.words else ()
        pins = None if self.pins is None else self.pins[index]
        part = replace(self, value=found, labels=tuple(kept), words=words, pins=pins)
        if "[" in name:
            return replace(part, name=self._name_of(whole), home=None)
        return replace(part, name=name, symbol=rf"{{{self.symbol}}}^{{({index[0] % len(self) + 1})}}")

    def __setitem__(self, at: At, value: Any) -> None:
        """Edit cells of the model; this matrix gets the new numbers, other matrices keep the old ones.

        Raises
        ------
        ExplorerError
            As `Transformer.set`; "bad-shape" if the numbers do not fit.
        TypeError
            For a part of a matrix, or a gradient, which cannot be edited.
        """
        if self.home is None:
            raise TypeError(
                f"{self.name} is a copy; write into the matrix of the model: m[NAME][row, column] = number."
            )
        cells = np.arange(self.value.size).reshape(self.shape)[self._index(at)]
        numbers = fitting(self.name, value, cells.shape)
        places = zip(cells.ravel().tolist(), numbers.ravel().tolist(), strict=True)
        self.home.set(self.name, {_cell(place, self.shape): number for place, number in places})
        vars(self).update(vars(self.home[self.name]))

    def _index(self, at: At) -> tuple[Any, ...]:
        """The index for the numpy array."""
        parts = list(at) if isinstance(at, tuple) else [at]
        if parts and _has_words(parts[0]) and self.ndim > 2:
            parts = [*[slice(None)] * (self.ndim - 2), *parts]
        if any(part is ... for part in parts):
            place = next(i for i, part in enumerate(parts) if part is ...)
            parts[place : place + 1] = [slice(None)] * (self.ndim - len(parts) + 1)
        return tuple(self._numbers(axis, part) for axis, part in enumerate(parts))

    def _numbers(self, axis: int, part: Any) -> Any:
        if isinstance(part, str):
            return self._number(axis, part)
        if isinstance(part, list) and _has_words(part):
            return [self._numbers(axis, one) for one in part]
        return int(part) if isinstance(part, np.integer) else part

    def _number(self, axis: int, word: str) -> int:
        names = self.labels[axis] if axis < len(self.labels) else ()
        if names.count(word) == 1:
            return names.index(word)
        if word in names:
            numbers = some([str(i) for i, name in enumerate(names) if name == word])
            raise ExplorerError("label-twice", name=self.name, label=word, numbers=numbers)
        known = list(dict.fromkeys(names))  # a word may stand in a text more than once
        raise ExplorerError("no-label", name=self.name, label=word, near=nearest(word, known), known=some(known))

    # Other forms

    def to_frame(self) -> Any:
        """A `pandas.DataFrame` with these rows and columns; for a stacked node, heads are a further level of rows.

        Raises `ImportError` if pandas is not installed.
        """
        import pandas

        if self.ndim < 2:
            return pandas.DataFrame(self.value.reshape(-1, 1), index=self.labels[-1] if self.labels else None)
        rows: Any = self.rows if self.ndim == 2 else pandas.MultiIndex.from_product(self.labels[:-1])
        return pandas.DataFrame(self.value.reshape(-1, self.shape[-1]), index=rows, columns=self.columns)

    def parts(self) -> Iterator[LabelledMatrix]:
        """Its matrices with two axes, one for each head; a vector becomes a column."""
        if self.ndim > 2:
            for i in np.ndindex(self.shape[:-2]):
                symbol = rf"{{{self.symbol}}}^{{({','.join(str(k + 1) for k in i)})}}"
                yield LabelledMatrix(self._name_of(i), symbol, self.value[i], self.labels[-2], self.labels[-1])
            return
        flat = self.value.reshape(len(self.rows) if self.rows is not None else 1, -1)
        yield LabelledMatrix(self.name, self.symbol, flat, self.rows or (), self.columns or ())

    def _name_of(self, index: tuple[int | slice, ...]) -> str:
        """The name of a part of the matrix, as one types it."""
        axes = self.node.axes
        heads = self.name == self.node.name and self.ndim == len(axes) > 1 and axes[0].endswith(".heads")
        if heads and len(index) == 1 and isinstance(index[0], int):
            return name_of_head(self.name, index[0] % len(self))
        return f"{self.name}[{written_index(index)}]"

    def latex(self) -> str:
        """LaTeX equations, a pmatrix for each head, with eight digits; they need the package amsmath."""
        return "\n".join(latex(one) for one in self.parts())

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def _repr_latex_(self) -> str | None:
        if self.value.size > MOST_ROWS * MOST_COLUMNS:
            return None  # a notebook keeps every form that there is; HTML shows the beginning
        return r"$\displaystyle " + r",\quad ".join(" ".join(equation(one.symbol, one)) for one in self.parts()) + "$"


def fitting(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Numbers broadcast to a shape, as in numpy.

    Raises `ExplorerError`: "bad-shape"; `ValueError` if `value` has no numbers.
    """
    numbers = np.asarray(value, dtype=float)
    if np.isnan(numbers).any() and any(one is None for one in np.asarray(value, dtype=object).flat):
        raise ValueError("None is not a number")  # numpy takes it for NaN
    try:
        return np.broadcast_to(numbers, shape)
    except ValueError:
        require_shape(name, numbers.shape, shape)
        raise


def _has_words(part: Any) -> bool:
    return any(isinstance(one, str) for one in (part if isinstance(part, list) else [part]))


def _cell(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(place, shape)))


MOST_PARTS = 6


def as_text(matrix: "Matrix") -> str:
    """Name, shape and numbers as text, at most as wide as the terminal."""
    size = " × ".join(map(str, matrix.shape)) or "a number"
    lines = ["  ".join(filter(None, (matrix.name, f"({size})", matrix.held)))]
    most = get_terminal_size().columns
    for one in _shown(matrix):
        if matrix.ndim > 2:
            lines.append(one.name)
        shown, rows = one.value[:MOST_ROWS, :MOST_COLUMNS], one.rows[:MOST_ROWS] or None
        if one.columns:
            lines += table(shown, rows, one.columns[:MOST_COLUMNS], most=most)
        else:
            lines += table(shown[:, 0] if rows else shown[0, 0], rows, None, matrix.words[:MOST_ROWS])
        lines += [f"  {said}" for said in left_out(one)]
    return "\n".join([*lines, *_parts_left_out(matrix)])


def as_html(matrix: "Matrix") -> str:
    """HTML tables with colours: blue and ochre for the sign and size of numbers, deepening blue for shares of 1."""
    parts = [html_table(one, matrix.node.op.shares, matrix.words) for one in _shown(matrix)]
    parts += [f"<p>{said}</p>" for said in _parts_left_out(matrix)]
    return f'<div style="display:flex;flex-wrap:wrap;gap:1.5em">{"".join(parts)}</div>'


def _shown(matrix: "Matrix") -> Iterator[LabelledMatrix]:
    return (one for _, one in zip(range(MOST_PARTS), matrix.parts(), strict=False))


def _parts_left_out(matrix: "Matrix") -> list[str]:
    n = int(np.prod(matrix.shape[:-2])) - MOST_PARTS
    return [f"… and {n:,} more" for _ in range(n > 0)]
