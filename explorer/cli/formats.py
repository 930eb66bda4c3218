"""Nodes as tables, JSON, CSV, and as the window copies a matrix."""

import csv
import json
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, TextIO

import numpy as np

from explorer.cli.nodes import Shown
from explorer.cli.text import columns, width
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.core.switches import SWITCHES
from explorer.export.matrix import AMSMATH, LabelledMatrix, pmatrix, wide, written

# Tables


def write_tables(shown: Sequence[Shown], ours: Collection[str], out: TextIO) -> None:
    """Each node below a line with its name, symbol, shape and stage; on a terminal, wide matrices are folded.

    Parameters
    ----------
    ours : collection of str
        The inputs that no text prints, where that is told: their lines say so.
    out : file
    """
    most = shutil.get_terminal_size().columns if out.isatty() else 0
    for i, one in enumerate(shown):
        shape = " × ".join(map(str, one.value.shape)) or "a number"
        symbol = "" if one.node.symbol == one.name else _plain(one.node.symbol)
        about = [one.name, symbol, f"({shape})", one.stage, one.held, "not printed" if _is_ours(one, ours) else ""]
        print("" if i == 0 else "\n", "  ".join(filter(None, about)), sep="", file=out)
        for line in _table(one, one.value, most):
            print(line, file=out)
        if one.gradient is not None:
            print("  gradient", *_table(replace(one, words=()), one.gradient, most), sep="\n", file=out)


def _is_ours(one: Shown, ours: Collection[str]) -> bool:
    return one.name in ours or one.node.name in ours


def _plain(symbol: str) -> str:
    """A symbol without LaTeX; none, where it is a formula."""
    text = {r"\gamma": "γ", r"\beta": "β"}.get(symbol, symbol)
    return "" if "\\" in text else text


def _table(one: Shown, value: Array, most: int) -> Iterator[str]:
    if one.rows is None:
        yield f"  {written(value[()])}"
    elif one.columns is None:
        numbers = zip(one.rows, _aligned(value), *([one.words] if one.words else []), strict=True)
        yield from columns(list(numbers), "<><", indent="  ")
    else:
        room = most - 2 - max(map(width, one.rows)) if most else 0
        grid = [[label, *_aligned(column)] for label, column in zip(one.columns, value.T, strict=True)]
        for part in _folded(grid, room):
            yield from columns(list(zip(("", *one.rows), *part, strict=True)), "<>", indent="  ")


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


# JSON


def as_json(lesson: str, model: Model, shown: Sequence[Shown]) -> str:
    """Nodes and switches; floats with all digits that make them what they are.

    Parameters
    ----------
    lesson : str
        Its id.
    model : Model
        Whose switches are written.
    """
    blocks = model.blocks().items()
    switches = {f"{block}.{name}": model.switch(block, name) for block, kind in blocks for name in SWITCHES[kind]}
    nodes = {one.name: _entry(one) for one in shown}
    return json.dumps({"lesson": lesson, "switches": switches, "nodes": nodes}, allow_nan=False)


def _entry(one: Shown) -> dict[str, Any]:
    return {
        "symbol": one.node.symbol,
        "stage": one.node.stage,
        "rows": one.rows,
        "columns": one.columns,
        "value": nested(one.value),
        **({} if one.gradient is None else {"grad": nested(one.gradient)}),
    }


def nested(array: Array) -> Any:
    """An array as nested lists, with "inf", "-inf" and "nan", which JSON has no numbers for, as texts."""
    value = array.tolist()
    return value if np.isfinite(array).all() else _finite(value)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return value if isfinite(value) else str(value)


# CSV


def write_csv(shown: Sequence[Shown], out: TextIO, with_gradient: bool = False) -> None:
    """One line a number, exact."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("node", "row", "column", "row_label", "column_label", "value", *["grad"] * with_gradient))
    for one in shown:
        for cell, value in np.ndenumerate(one.value):
            labels = [axis[i] for axis, i in zip(one.labels, cell, strict=True)]
            gradient = [] if not with_gradient else [""] if one.gradient is None else [one.gradient[cell].item()]
            writer.writerow((one.name, *_two(cell), *_two(labels), value.item(), *gradient))


def _two(given: Sequence[Any]) -> tuple[Any, Any]:
    """Row and column; empty where there is none."""
    return (*given, "", "")[0], (*given, "", "")[1]


# Matrices as the window copies them


def table_of(one: Shown, value: Array | None = None) -> LabelledMatrix:
    """A node as a matrix with labels: a vector is a column."""
    value = one.value if value is None else value
    flat = value.reshape(len(one.rows) if one.rows is not None else 1, -1)
    symbol = one.node.symbol if one.head is None else rf"{{{one.node.symbol}}}^{{({one.head + 1})}}"
    return LabelledMatrix(one.name, symbol, flat, one.rows or (), one.columns or ())


def write_latex(shown: Sequence[Shown], out: TextIO, root: str = "L") -> None:
    """Each node as a pmatrix with its symbol, its row labels before it and its column labels in a comment.

    Parameters
    ----------
    out : file
    root : str
        Symbol of what the gradients are of.
    """
    most = max((one.value.shape[-1] for one in shown if one.value.ndim > 1), default=0)
    print(AMSMATH, *wide(most), sep="\n", file=out)
    for one in shown:
        table = table_of(one)
        print(f"\n% {one.name}, {one.stage}", *pmatrix(table.symbol, table), sep="\n", file=out)
        if one.gradient is not None:
            left = rf"\frac{{\partial {root}}}{{\partial {table.symbol}}}"
            print(*pmatrix(left, replace(table_of(one, one.gradient), columns=())), sep="\n", file=out)
