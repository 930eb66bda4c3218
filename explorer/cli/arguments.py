"""Values, switches and numbers of words as they are typed."""

from collections.abc import Sequence

from explorer.cli.errors import UsageError
from explorer.core.errors import ExplorerError
from explorer.core.numbers import read_number
from explorer.library.names import Cell, cut, written_cell


def parse_set(text: str) -> tuple[Cell, float]:
    """The cell and value of "NODE[row,column]=VALUE".

    Raises `ExplorerError`: "bad-set-syntax", "bad-number" or "number-too-large".
    """
    left, equals, right = text.partition("=")
    cell = written_cell(left)
    if not equals or cell is None:
        raise ExplorerError("bad-set-syntax", text=cut(text))
    return cell, read_number(right)


def parse_switch(text: str) -> tuple[str, str]:
    """The name and value of "BLOCK.NAME=VALUE".

    Raises `ExplorerError`: "bad-switch-syntax".
    """
    left, _, value = text.partition("=")
    block, _, name = left.strip().rpartition(".")
    if not (block and name and value.strip()):
        raise ExplorerError("bad-switch-syntax", text=cut(text))
    return f"{block}.{name}", value.strip()


def parse_ids(text: str, words: Sequence[str], option: str) -> list[str]:
    """The words with these numbers, as in "5 17 3".

    Raises `UsageError`, which names the option, for what is no number of a word.
    """
    numbers = [int(part) if part.isascii() and part.isdigit() and len(part) < 10 else -1 for part in text.split()]
    if not numbers or not all(0 <= number < len(words) for number in numbers):
        raise UsageError(f"{option} takes whole numbers from 0 to {len(words) - 1}, as in {option} '5 17 3'.")
    return [words[number] for number in numbers]
