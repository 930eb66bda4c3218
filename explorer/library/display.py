"""How a matrix stands in a notebook: as text, and as a table with colours. Of a large one the beginning is shown."""

from collections.abc import Iterator
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import numpy as np

from explorer.export.html import MOST_COLUMNS, MOST_ROWS, html_table, left_out
from explorer.export.matrix import LabelledMatrix
from explorer.library.columns import table

if TYPE_CHECKING:
    from explorer.library.matrix import Matrix

MOST_PARTS = 6


def as_text(matrix: "Matrix") -> str:
    """Name, shape and numbers, as wide as the terminal."""
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
    """Tables with colours: blue and ochre for the sign and size of numbers, deepening blue for shares of 1."""
    parts = [html_table(one, matrix.node.op.shares, matrix.words) for one in _shown(matrix)]
    parts += [f"<p>{said}</p>" for said in _parts_left_out(matrix)]
    return f'<div style="display:flex;flex-wrap:wrap;gap:1.5em">{"".join(parts)}</div>'


def _shown(matrix: "Matrix") -> Iterator[LabelledMatrix]:
    return (one for _, one in zip(range(MOST_PARTS), matrix.parts(), strict=False))


def _parts_left_out(matrix: "Matrix") -> list[str]:
    n = int(np.prod(matrix.shape[:-2])) - MOST_PARTS
    return [f"… and {n:,} more" for _ in range(n > 0)]
