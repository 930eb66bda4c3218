"""Cells, values and switches as they are typed."""

import re
from collections.abc import Sequence

from explorer.cli.errors import UsageError
from explorer.core.errors import ExplorerError
from explorer.core.numbers import read_number

_CELL = re.compile(r"(?P<name>[^\[\]=\s]+)\s*(?:\[(?P<index>[^\[\]]*)\])?")
# As many digits as an index into any array can have.
_INDEX = re.compile(r"\s*[0-9]{1,18}\s*")
_SHOWN = 80

Cell = tuple[str, tuple[int, ...]]


def parse_cell(text: str) -> Cell:
    """The name and index of "NODE[row,column]"; a single number is written "NODE" or "NODE[]".

    Raises `ExplorerError`: "bad-cell-syntax".
    """
    cell = _cell(text)
    if cell is None:
        raise ExplorerError("bad-cell-syntax", text=_cut(text))
    return cell


def parse_set(text: str) -> tuple[Cell, float]:
    """The cell and value of "NODE[row,column]=VALUE".

    Raises `ExplorerError`: "bad-set-syntax", "bad-number" or "number-too-large".
    """
    left, equals, right = text.partition("=")
    cell = _cell(left)
    if not equals or cell is None:
        raise ExplorerError("bad-set-syntax", text=_cut(text))
    return cell, read_number(right)


def parse_switch(text: str) -> tuple[str, str, str]:
    """The block, name and value of "BLOCK.NAME=VALUE".

    Raises `ExplorerError`: "bad-switch-syntax".
    """
    left, _, value = text.partition("=")
    block, _, name = left.strip().rpartition(".")
    if not (block and name and value.strip()):
        raise ExplorerError("bad-switch-syntax", text=_cut(text))
    return block, name, value.strip()


def parse_ids(text: str, words: Sequence[str], option: str) -> list[str]:
    """The words with these numbers, as in "5 17 3".

    Raises `UsageError`, which names the option, for what is no number of a word.
    """
    numbers = [int(part) if part.isascii() and part.isdigit() and len(part) < 10 else -1 for part in text.split()]
    if not numbers or not all(0 <= number < len(words) for number in numbers):
        raise UsageError(f"{option} takes whole numbers from 0 to {len(words) - 1}, as in {option} '5 17 3'.")
    return [words[number] for number in numbers]


def _cell(text: str) -> Cell | None:
    match = _CELL.fullmatch(text.strip())
    if match is None:
        return None
    index = match["index"] or ""
    parts = index.split(",") if index.strip() else []
    if not all(_INDEX.fullmatch(part) for part in parts):
        return None
    return match["name"], tuple(int(part) for part in parts)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
