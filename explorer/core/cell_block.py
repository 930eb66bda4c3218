"""Where the numbers of a node stand in a spreadsheet, and how the formulas of other cells refer to them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

MINUS_INFINITY = "-1E+300"
"""What stands for −∞ in a spreadsheet, which has no infinity: e to the power of it is 0 all the same."""


@dataclass(frozen=True)
class CellBlock:
    """A parent of a node, as a formula refers to it: ``block[i, :]`` is the reference to that line, such as $B5:$E5.

    What a formula takes from its own row or column is relative, and what it reads whole is fixed by dollars: so it can
    be copied to the cells beside it, as if somebody had written it by hand.
    """

    # Of the node. Stacked over heads, their matrices stand one below the other.
    shape: tuple[int, ...]
    # `row`, `column`: of its first number on the sheet, counted from 0.
    row: int = 0
    column: int = 0
    apart: int = 0  # how many rows below the first number of one head that of the next stands
    upright: bool = False  # whether a vector stands in a column, not in a row
    sheet: str = ""  # such as "'Embedding'!"; empty for formulas on its own sheet
    name: str = ""  # what the workbook calls the whole of it; empty where it has no name
    masked: bool = False  # whether some of the numbers may be −∞

    @property
    def ndim(self) -> int:
        """How many axes the node has."""
        return len(self.shape)

    @property
    def table(self) -> tuple[int, int]:
        """How many rows and columns the numbers take, those of one head where they are stacked."""
        if self.ndim > 1:
            return self.shape[-2], self.shape[-1]
        return (prod(self.shape), 1) if self.upright else (1, prod(self.shape))

    def __getitem__(self, index: Any) -> str:
        index = index if isinstance(index, tuple) else (index,)
        assert len(index) == self.ndim, (index, self.shape)
        if self.name and all(part == slice(None) for part in index):
            return self.name
        whole = slice(None)
        *lead, row, column = (whole, whole, *index) if not index else index if self.ndim > 1 else self._line(index[0])
        sizes = self.shape[: len(lead)] if self.ndim > 1 else ()
        parts = (range(n)[part] if isinstance(part, slice) else (part,) for part, n in zip(lead, sizes, strict=True))
        return ",".join(self._area(number, row, column) for number in _numbers(list(parts), sizes))

    def _line(self, part: int | slice) -> tuple[int | slice, int | slice]:
        return (part, slice(None)) if self.upright else (slice(None), part)

    def _area(self, head: int, row: int | slice, column: int | slice) -> str:
        """The reference to a row, a column, a cell or all of the matrix of a head."""
        (top, bottom, fixed_row), (left, right, fixed) = map(_ends, (row, column), self.table)
        above = self.row + head * self.apart + 1
        ends = [f"{fixed}{letters(self.column + j)}{fixed_row}{above + i}" for i, j in ((top, left), (bottom, right))]
        return self.sheet + (ends[0] if ends[0] == ends[1] else ":".join(ends))


def _ends(part: int | slice, size: int) -> tuple[int, int, str]:
    """The first and the last place that an index means, and the dollar before those that are read whole."""
    if isinstance(part, slice):
        return range(size)[part][0], range(size)[part][-1], "$"
    return part, part, ""


def _numbers(lead: list[Any], sizes: tuple[int, ...]) -> Iterator[int]:
    """Which matrices of a stack are meant, counted from 0."""
    for place in product(*lead):
        number = 0
        for i, size in zip(place, sizes, strict=True):
            number = number * size + i
        yield number


def letters(column: int) -> str:
    """What a spreadsheet calls a column counted from 0: A to Z, then AA."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
