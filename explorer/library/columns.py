"""Text in columns, and matrices as such."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from unicodedata import combining, east_asian_width

from explorer.core.ops import Array
from explorer.export.matrix import written


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def left(text: str, size: int) -> str:
    """The text with blanks behind it."""
    return text + " " * (size - width(text))


def right(text: str, size: int) -> str:
    """The text with blanks before it."""
    return " " * (size - width(text)) + text


def columns(rows: Sequence[Sequence[str]], alignment: str, indent: str = "") -> list[str]:
    """Lines of cells, each column as wide as it needs to be.

    Parameters
    ----------
    rows : sequence of rows
    alignment : str
        "<" or ">" for each column; the last one holds for all that follow.
    indent : str
        What stands before a line.
    """
    sizes = [max(map(width, column)) for column in zip_longest(*rows, fillvalue="")]
    ways = alignment + alignment[-1] * (len(sizes) - len(alignment))
    lines = []
    for row in rows:
        cells = (left(c, s) if way == "<" else right(c, s) for c, s, way in zip(row, sizes, ways, strict=False))
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def table(
    value: Array, rows: Sequence[str] | None, heads: Sequence[str] | None, words: Sequence[str] = (), most: int = 0
) -> Iterator[str]:
    """The lines of a matrix, (rows, columns), a vector, (rows,), or a single number.

    Parameters
    ----------
    rows, heads : sequence of str or None
        Labels of rows and columns; None for a number, and for a vector's columns.
    words : sequence of str
        Of a vector of numbers of words: the words.
    most : int
        How many columns of a terminal a line may take, beyond which the matrix is folded; 0: any number.
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
    """Columns in parts that are not wider than a line; all together where there is no limit."""
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
    """Numbers with blanks behind them, so that they stand decimal point below decimal point when set to the right."""
    numbers = [written(value) for value in values]
    tails = [len(re.sub(r"^-?(\d+|inf|nan)", "", number)) for number in numbers]
    return [number + " " * (max(tails) - tail) for number, tail in zip(numbers, tails, strict=True)]
