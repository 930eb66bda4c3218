"""How a matrix stands in a notebook: as text, and as a table with colours. Of a large one the beginning is shown."""

from collections.abc import Iterator
from html import escape
from math import isfinite
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.numbers import decimals_of, in_table, largest_of
from explorer.export.colours import diverging, sequential, text_on
from explorer.export.matrix import LabelledMatrix
from explorer.library.columns import table

if TYPE_CHECKING:
    from explorer.library.matrix import Matrix

MOST_ROWS, MOST_COLUMNS, MOST_PARTS = 24, 16, 6
_PAPER, _INK = "#ffffff", "#1b2430"
_FULL = 1.3  # a colour is full at so many times the largest number, so that writing on it can be read
_CELL = "text-align:right;padding:.15em .5em;font-variant-numeric:tabular-nums"


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
        lines += [f"  {said}" for said in _left_out(one)]
    return "\n".join([*lines, *_parts_left_out(matrix)])


def as_html(matrix: "Matrix") -> str:
    """Tables with colours: blue and ochre for the sign and size of numbers, deepening blue for shares of 1."""
    parts = [_table(one, matrix.node.op.shares, matrix.words) for one in _shown(matrix)]
    parts += [f"<p>{said}</p>" for said in _parts_left_out(matrix)]
    return f'<div style="display:flex;flex-wrap:wrap;gap:1.5em">{"".join(parts)}</div>'


def _shown(matrix: "Matrix") -> Iterator[LabelledMatrix]:
    return (one for _, one in zip(range(MOST_PARTS), matrix.parts(), strict=False))


def _table(one: LabelledMatrix, shares: bool, words: tuple[str, ...]) -> str:
    label = f"background:{_PAPER};color:{_INK};font-weight:normal;{_CELL}"
    heads = [one.name.rpartition(".")[2], *(one.columns[:MOST_COLUMNS] or [""])]
    lines = ["".join(f'<th style="{label}">{escape(head)}</th>' for head in heads)]
    full, decimals = _FULL * largest_of(one.value) or 1.0, decimals_of(one.value)
    low, high = (0.0, 1.0) if shares else (-full, full)
    colours = sequential(_PAPER) if shares else diverging(_PAPER)
    for i, row in enumerate(one.value[:MOST_ROWS, :MOST_COLUMNS].tolist()):
        cells = [f'<th style="{label}">{escape(one.rows[i]) if one.rows else ""}</th>']
        for number in row:
            share = (min(max(number, low), high) - low) / (high - low) if isfinite(number) else 0.0 if shares else 0.5
            rgb = colours[round(share * 255)].tolist()
            style = f"background:rgb({','.join(map(str, rgb))});color:{text_on(rgb)};{_CELL}"
            cells.append(f'<td style="{style}">{in_table(number, decimals)}</td>')
        cells += [f'<td style="{label}">{escape(word)}</td>' for word in words[i : i + 1]]
        lines.append("".join(cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div><table>{body}</table>{''.join(f'<p>{said}</p>' for said in _left_out(one))}</div>"


def _left_out(one: LabelledMatrix) -> list[str]:
    """What is said of rows and columns that are not shown."""
    rows, across = one.value.shape
    counts = ((rows - MOST_ROWS, "row"), (across - MOST_COLUMNS, "column"))
    return [f"… and {n:,} more {what}{'s' * (n > 1)}" for n, what in counts if n > 0]


def _parts_left_out(matrix: "Matrix") -> list[str]:
    n = int(np.prod(matrix.shape[:-2])) - MOST_PARTS
    return [f"… and {n:,} more" for _ in range(n > 0)]
