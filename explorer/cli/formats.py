"""Writes nodes as tables, JSON, CSV and LaTeX."""

import csv
import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, TextIO, TypeAlias

import numpy as np

from explorer.core.ops import Array
from explorer.core.switches import SwitchValue
from explorer.export.matrix import AMSMATH, pmatrix, wide
from explorer.library.matrix import Matrix, table

Printed: TypeAlias = tuple[Matrix, Matrix | None]
"""A node, or a head's slice of one, and its gradient; None if it has none, or none is wanted."""

# Tables


def write_tables(shown: Sequence[Printed], ours: Collection[str], out: TextIO) -> None:
    """Write each node below a line with its name, symbol, shape and stage; on a terminal, wide matrices are folded.

    Parameters
    ----------
    ours : collection of str
        The inputs whose lines say that no text prints them.
    out : file
    """
    most = shutil.get_terminal_size().columns if out.isatty() else 0
    for i, (one, gradient) in enumerate(shown):
        shape = " × ".join(map(str, one.shape)) or "a number"
        symbol = "" if one.node.symbol == one.name else _plain(one.node.symbol)
        about = [one.name, symbol, f"({shape})", one.stage, one.held, "not printed" if _is_ours(one, ours) else ""]
        print("" if i == 0 else "\n", "  ".join(filter(None, about)), sep="", file=out)
        for line in table(one.value, one.rows, one.columns, one.words, most):
            print(line, file=out)
        if gradient is not None:
            print("  gradient", *table(gradient.value, one.rows, one.columns, most=most), sep="\n", file=out)


def _is_ours(one: Matrix, ours: Collection[str]) -> bool:
    return one.name in ours or one.node.name in ours


def _plain(symbol: str) -> str:
    """A symbol without LaTeX; "" if it is a formula."""
    text = {r"\gamma": "γ", r"\beta": "β"}.get(symbol, symbol)
    return "" if "\\" in text else text


# JSON


def as_json(lesson: str, switches: Mapping[str, SwitchValue], shown: Sequence[Printed]) -> str:
    """Nodes and switches as JSON; floats with all digits that are needed to read back the same number.

    `lesson`: the id of the lesson.
    """
    nodes = {one.name: _entry(one, gradient) for one, gradient in shown}
    return json.dumps({"lesson": lesson, "switches": switches, "nodes": nodes}, allow_nan=False)


def _entry(one: Matrix, gradient: Matrix | None) -> dict[str, Any]:
    return {
        "symbol": one.node.symbol,
        "stage": one.node.stage,
        "rows": one.rows,
        "columns": one.columns,
        "value": nested(one.value),
        **({} if gradient is None else {"grad": nested(gradient.value)}),
    }


def nested(array: Array) -> Any:
    """An array as nested lists; "inf", "-inf" and "nan", which are no numbers in JSON, become texts."""
    value = array.tolist()
    return value if np.isfinite(array).all() else _finite(value)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return value if isfinite(value) else str(value)


# CSV


def write_csv(shown: Sequence[Printed], out: TextIO, with_gradient: bool = False) -> None:
    """Write one line for each number, with all digits."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("node", "row", "column", "row_label", "column_label", "value", *["grad"] * with_gradient))
    for one, gradient in shown:
        for cell, value in np.ndenumerate(one.value):
            labels = [axis[i] for axis, i in zip(one.labels, cell, strict=True)]
            change = [] if not with_gradient else [""] if gradient is None else [gradient.value[cell].item()]
            writer.writerow((one.name, *_two(cell), *_two(labels), value.item(), *change))


def _two(given: Sequence[Any]) -> tuple[Any, Any]:
    """The row and the column; "" if there is none."""
    return (*given, "", "")[0], (*given, "", "")[1]


# LaTeX


def write_latex(shown: Sequence[Printed], out: TextIO) -> None:
    """Write each node as a pmatrix with its symbol, its row labels before it and its column labels in a comment."""
    most = max((one.shape[-1] for one, _ in shown if one.ndim > 1), default=0)
    print(AMSMATH, *wide(most), sep="\n", file=out)
    for one, gradient in shown:
        for part in one.parts():
            print(f"\n% {one.name}, {one.stage}", *pmatrix(part.symbol, part), sep="\n", file=out)
        for part in [] if gradient is None else gradient.parts():
            print(*pmatrix(part.symbol, replace(part, columns=())), sep="\n", file=out)
