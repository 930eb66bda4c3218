"""A matrix as a table of HTML with colours, for notebooks and learning platforms; of a large one the beginning."""

from functools import cache
from html import escape
from math import isfinite

from explorer.core.numbers import decimals_of, in_table, largest_of
from explorer.export.colours import diverging, sequential, text_on
from explorer.export.matrix import LabelledMatrix

MOST_ROWS, MOST_COLUMNS = 24, 16
_PAPER, _INK = "#ffffff", "#1b2430"
_FULL = 1.3  # a colour is full at so many times the largest number, so that writing on it can be read
_CELL = "text-align:right;padding:.15em .5em;font-variant-numeric:tabular-nums"


def html_table(one: LabelledMatrix, shares: bool = False, words: tuple[str, ...] = ()) -> str:
    """The table: blue and ochre for the sign and size of numbers, deepening blue for shares of 1.

    `words`: what stands behind each row.
    """
    label = f"background:{_PAPER};color:{_INK};font-weight:normal;{_CELL}"
    block, _, corner = one.name.rpartition(".")
    if block.rpartition(".")[0].endswith(".head"):
        corner = f"head {block.rpartition('.')[2]} {corner}"
    heads = [corner if one.rows else one.name, *(one.columns[:MOST_COLUMNS] or [""])]
    lines = ["".join(f'<th style="{label}">{escape(head)}</th>' for head in heads)]
    full, decimals = _FULL * largest_of(one.value) or 1.0, decimals_of(one.value)
    low, high = (0.0, 1.0) if shares else (-full, full)
    styles = _styles(shares)
    for i, row in enumerate(one.value[:MOST_ROWS, :MOST_COLUMNS].tolist()):
        cells = [f'<th style="{label}">{escape(one.rows[i]) if one.rows else ""}</th>']
        for number in row:
            share = (min(max(number, low), high) - low) / (high - low) if isfinite(number) else 0.0 if shares else 0.5
            cells.append(f'<td style="{styles[round(share * 255)]}">{in_table(number, decimals)}</td>')
        cells += [f'<td style="{label}">{escape(word)}</td>' for word in words[i : i + 1]]
        lines.append("".join(cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div><table>{body}</table>{''.join(f'<p>{said}</p>' for said in left_out(one))}</div>"


@cache
def _styles(shares: bool) -> tuple[str, ...]:
    """The style of a cell for each of 256 colours."""
    colours = sequential(_PAPER) if shares else diverging(_PAPER)
    return tuple(f"background:rgb({','.join(map(str, rgb))});color:{text_on(rgb)};{_CELL}" for rgb in colours.tolist())


def left_out(one: LabelledMatrix) -> list[str]:
    """What is said of rows and columns that are not shown."""
    rows, across = one.value.shape
    counts = ((rows - MOST_ROWS, "row"), (across - MOST_COLUMNS, "column"))
    return [f"… and {n:,} more {what}{'s' * (n > 1)}" for n, what in counts if n > 0]
