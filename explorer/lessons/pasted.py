"""Numbers as somebody copies them from a text: a matrix, and how many decimals the print vouches for."""

import re
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.numbers import read_number
from explorer.core.ops import Array

MOST_CELLS = 100_000
_ENDS = re.compile(r"\\\\|[;\n\]]")
_BETWEEN = re.compile(r"[\s,&\[\]()|]+")
_COMMAS = re.compile(r"[-−+]?\d+,\d+([eE][-+−]?\d+)?")
_NOTHING = frozenset(("?", "…", "...", "–", "_", "nan", "·"))
_NUMBER = re.compile(r"[-−+]?\d*\.?(?P<behind>\d*)([eE](?P<power>[-−+]?\d+))?")


def read_matrix(given: Any) -> tuple[Array, Array]:
    """Printed numbers, and how many decimals of each are printed.

    Parameters
    ----------
    given : str, or what numpy makes an array of
        Rows on lines of their own, or with ";", "]" or LaTeX's two backslashes behind them; numbers with blanks,
        commas, "&" or tabs between. "?" and "…" stand for what is not printed. Of numbers that are no text, those
        decimals count that are needed to write them.

    Returns
    -------
    values, decimals : numpy.ndarray
        (rows, columns), NaN where nothing is printed; of arrays in their own shape.

    Raises
    ------
    ExplorerError
        "no-prints", "paste-uneven", "paste-too-long" or "bad-number".
    """
    if not isinstance(given, str):
        array = np.asarray(given)
        if array.dtype.kind != "f":
            array = array.astype(float)
        # In float32 0.1 is no 0.10000000149.
        texts = [np.format_float_scientific(number, trim="-") for number in array.ravel()]
        return array.astype(float), np.array([_decimals(text) for text in texts], int).reshape(array.shape)
    lines = [line for line in (_cells(line) for line in _ENDS.split(given)) if line]
    if not lines:
        raise ExplorerError("no-prints")
    if len({len(line) for line in lines}) > 1:
        raise ExplorerError("paste-uneven")
    if len(lines) * len(lines[0]) > MOST_CELLS:
        raise ExplorerError("paste-too-long", limit=f"{MOST_CELLS:,}")
    values = [[np.nan if cell.lower() in _NOTHING else read_number(cell) for cell in line] for line in lines]
    return np.array(values), np.array([[_decimals(cell) for cell in line] for line in lines])


def _cells(line: str) -> list[str]:
    words = line.split()
    if "." not in line and any(map(_COMMAS.fullmatch, words)):
        return words  # commas for points, as in 0,53
    return [cell for cell in _BETWEEN.split(line) if cell]


def _decimals(text: str) -> int:
    """How many decimals a number is written with; negative for one such as 2e3."""
    match = _NUMBER.fullmatch(text.replace(",", "."))
    if match is None:
        return 0
    behind = len(match["behind"]) if "." in text or "," in text else 0
    return behind - int((match["power"] or "0").replace("−", "-"))
