"""A matrix as text to paste or to save: tab- or comma-separated, numpy, LaTeX, Markdown.

`html_table` gives a coloured HTML table for notebooks and learning platforms; of a large matrix only the beginning.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from io import BytesIO, StringIO
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.numbers import decimals_of, in_python, in_table, largest_of
from explorer.core.ops import Array
from explorer.export.colours import diverging, sequential, text_on
from explorer.files import write_file

DIGITS = 8
"""The significant digits of numbers that are only read, and not used for computing."""


class LabelledMatrix(Frozen, eq=False):
    """A matrix with its labels."""

    name: str  # of the node, or of the head's slice of one
    symbol: str  # LaTeX
    value: Array  # (rows, columns)
    # `rows`, `columns`: the labels of the rows and of the columns; () for no labels.
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def tsv(table: LabelledMatrix) -> str:
    """The matrix with all digits, separated by tabs, as spreadsheets take it from the clipboard."""
    return separated(_grid(table, _plain), "\t")


def as_csv(table: LabelledMatrix) -> str:
    """The matrix with all digits, separated by commas."""
    return separated(_grid(table, _plain), ",")


def separated(lines: Iterable[Iterable[str]], by: str) -> str:
    """Lines of cells; a cell in which `by` or a quotation mark stands is quoted, as spreadsheets do it."""
    out = StringIO()
    csv.writer(out, delimiter=by, lineterminator="\n").writerows(lines)
    return out.getvalue()


def numpy(table: LabelledMatrix) -> str:
    """A Python assignment that gives an array with the same bits; the labels are in comments."""
    name = re.sub(r"\W", "_", table.name.rpartition(".")[2], flags=re.ASCII)
    dtype = "" if table.value.dtype.name == "float64" else f", dtype=np.{table.value.dtype}"
    rows = (f"    [{', '.join(map(in_python, row))}]," for row in table.value)
    labels = "".join(
        f"# {what}: {_on_a_line(words)}\n"
        for what, words in (("rows", table.rows), ("columns", table.columns))
        if words
    )
    return "\n".join([f"{labels}{name} = np.array([", *rows, f"]{dtype})\n"])


def markdown(table: LabelledMatrix) -> str:
    """A Markdown table, as most chats and wikis take it, with eight digits."""
    head, *lines = ([_cell(text) for text in line] for line in _grid(table, written))
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *lines))


def latex(table: LabelledMatrix) -> str:
    """A pmatrix with its symbol, its row labels before it and its column labels in a comment, with eight digits."""
    return "\n".join([AMSMATH, *wide(table.value.shape[1]), *pmatrix(table.symbol, table)]) + "\n"


FORMATS: Mapping[str, Callable[[LabelledMatrix], str]] = {
    "TSV": tsv,
    "CSV": as_csv,
    "NumPy": numpy,
    "LaTeX": latex,
    "Markdown": markdown,
}
ENDINGS = {".tsv": "TSV", ".csv": "CSV", ".npy": "NumPy", ".py": "NumPy", ".tex": "LaTeX", ".md": "Markdown"}
"""The format for the ending of a file's name; a .npy holds the array itself."""


def save(table: LabelledMatrix, path: Path) -> tuple[Path, ...]:
    """Write a matrix into a file; the ending of its name decides the format.

    Raises `ExplorerError`: "unknown-format" or "not-written".
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ExplorerError("unknown-format", name=ending, known=", ".join(ENDINGS))
    if ending == ".npy":
        array = BytesIO()
        np.save(array, table.value, allow_pickle=False)
        content = array.getvalue()
    else:
        before = "import numpy as np\n\n" if ending == ".py" else ""
        content = f"{before}{FORMATS[ENDINGS[ending]](table)}".encode()
    return write_file(path, content)


def written(value: Any) -> str:
    """A number with up to eight significant digits, without zeros at the end."""
    return f"{value or abs(value):.{DIGITS}g}"


def _plain(value: Any) -> str:
    """A number with all digits; −0 becomes 0."""
    return str(value or abs(value))


def _grid(table: LabelledMatrix, number: Callable[[Any], str]) -> Iterator[list[str]]:
    """Lines of cells: the name in the corner, the labels of columns beside it, the labels of rows below it."""
    rows, columns = table.value.shape
    yield [table.name, *(table.columns or [str(j + 1) for j in range(columns)])]
    for label, row in zip(table.rows or [""] * rows, table.value, strict=True):
        yield [label, *map(number, row)]


def _on_a_line(labels: Sequence[str]) -> str:
    """Labels in a comment: a line that a document has in its words would no longer be a part of it."""
    return " ".join(", ".join(labels).split())


def _cell(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return re.sub(r"([\\`*_|~$])", r"\\\1", escape(text, quote=False))


# LaTeX

AMSMATH = r"% needs \usepackage{amsmath}"


def wide(columns: int) -> list[str]:
    """The line that amsmath needs before a matrix of more than ten columns."""
    return [rf"\setcounter{{MaxMatrixCols}}{{{columns}}}"] if columns > 10 else []


def pmatrix(left: str, table: LabelledMatrix) -> Iterator[str]:
    """The lines of an equation with a matrix on the right, and a comment with the labels of the columns before it."""
    if table.columns:
        yield f"% columns: {_on_a_line(table.columns)}"
    first, *others = equation(left, table)
    yield from (rf"\[ {first}", *others, r"\]")


def equation(left: str, table: LabelledMatrix) -> Iterator[str]:
    """The lines of an equation with a matrix on the right; a single number without labels stands by itself."""
    yield f"{left} ="
    if not table.rows and table.value.size == 1:
        yield _latex_number(table.value[0, 0])
        return
    if table.rows:
        labels = r" \\ ".join(map(latex_text, table.rows))
        yield rf"\; \begin{{matrix}} {labels} \end{{matrix}}"
    yield r"\begin{pmatrix}"
    for row in table.value:
        yield " & ".join(map(_latex_number, row)) + r" \\"
    yield r"\end{pmatrix}"


def _latex_number(value: Any) -> str:
    if not np.isfinite(value):
        return r"\mathrm{NaN}" if np.isnan(value) else r"\infty" if value > 0 else r"-\infty"
    mantissa, e, exponent = written(value).partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if e else mantissa


_SPECIAL = {
    **{c: f"\\{c}" for c in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    # LaTeX knows these in formulas alone.
    **{digit: f"$_{i}$" for i, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **dict(zip("βγεμσ", (r"$\beta$", r"$\gamma$", r"$\epsilon$", r"$\mu$", r"$\sigma$"), strict=True)),
    **{"−": "$-$", "√": r"$\surd$", "ₖ": "$_k$", "␣": r"$\sqcup$", "⏎": r"$\hookleftarrow$"},
}


def latex_text(label: str) -> str:
    """Words as text within a LaTeX formula."""
    return rf"\text{{{''.join(_SPECIAL.get(c, c) for c in label)}}}"


MOST_ROWS, MOST_COLUMNS = 24, 16
_PAPER, _INK = "#ffffff", "#1b2430"
FULL = 1.3  # the full colour belongs to this many times the largest number, so that text on the colours is readable
_CELL = "text-align:right;padding:.15em .5em;font-variant-numeric:tabular-nums"


def html_table(one: LabelledMatrix, shares: bool = False, words: tuple[str, ...] = ()) -> str:
    """An HTML table: blue and ochre for the sign and size of numbers, deepening blue for shares of 1.

    `words`: a text after each row.
    """
    label = f"background:{_PAPER};color:{_INK};font-weight:normal;{_CELL}"
    block, _, corner = one.name.rpartition(".")
    if block.rpartition(".")[0].endswith(".head"):
        corner = f"head {block.rpartition('.')[2]} {corner}"
    heads = [corner if one.rows else one.name, *(one.columns[:MOST_COLUMNS] or [""])]
    lines = ["".join(f'<th style="{label}">{escape(head)}</th>' for head in heads)]
    styles = _styles(shares)
    for i, row in enumerate(cells_of(one, shares)):
        cells = [f'<th style="{label}">{escape(one.rows[i]) if one.rows else ""}</th>']
        cells += [f'<td style="{styles[tone(part, shares)]}">{text}</td>' for text, part in row]
        cells += [f'<td style="{label}">{escape(word)}</td>' for word in words[i : i + 1]]
        lines.append("".join(cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div><table>{body}</table>{''.join(f'<p>{said}</p>' for said in left_out(one))}</div>"


def cells_of(one: LabelledMatrix, shares: bool) -> list[list[tuple[str, float]]]:
    """Each visible number as text, and as its part of the full colour, from −1 (for shares, 0) to 1."""
    full, decimals = 1.0 if shares else FULL * largest_of(one.value) or 1.0, decimals_of(one.value)
    low = 0.0 if shares else -1.0

    def part(number: float) -> float:
        # Divided first: twice a number of 1e308 would be infinite.
        return min(max(number / full, low), 1.0) if isfinite(number) else 0.0

    rows = one.value[:MOST_ROWS, :MOST_COLUMNS].tolist()
    return [[(in_table(number, decimals), part(number)) for number in row] for row in rows]


def tone(part: float, shares: bool) -> int:
    """The place of a part of the full colour among the 256 colours of a map."""
    return round((part if shares else (part + 1) / 2) * 255)


@cache
def _styles(shares: bool) -> tuple[str, ...]:
    """The style of a cell for each of 256 colours."""
    colours = sequential(_PAPER) if shares else diverging(_PAPER)
    return tuple(f"background:rgb({','.join(map(str, rgb))});color:{text_on(rgb)};{_CELL}" for rgb in colours.tolist())


def left_out(one: LabelledMatrix) -> list[str]:
    """Sentences on how many rows and columns are not shown."""
    rows, across = one.value.shape
    counts = ((rows - MOST_ROWS, "row"), (across - MOST_COLUMNS, "column"))
    return [f"… and {n:,} more {what}{'s' * (n > 1)}" for n, what in counts if n > 0]
