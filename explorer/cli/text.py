"""Text in columns."""

from collections.abc import Sequence
from itertools import zip_longest
from unicodedata import combining, east_asian_width


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
