"""What a JSON document from outside says, each value asked for with what it has to be."""

import re
from collections.abc import Collection
from typing import Any

from explorer.container import DamagedError
from explorer.core.cost import MOST_LABELS

MOST_LABEL = 120
TOP = "what it says of itself"
"""How messages name the table that all others are in."""


class JsonTable:
    """A table of the document.

    Parameters
    ----------
    data : object
        Refused, if it is not a table.
    way : str
        As messages name it.
    keys : collection of str, optional
        The keys it has to have, no more and no fewer.

    Raises
    ------
    DamagedError
        As each method does where a value is not what it has to be.
    """

    def __init__(self, data: object, way: str, keys: Collection[str] | None = None) -> None:
        if not isinstance(data, dict):
            raise DamagedError(f"{way} is not a table")
        if keys is not None and data.keys() != set(keys):
            odd = min(data.keys() ^ set(keys))
            raise DamagedError(f"{way} {'holds' if odd in data else 'lacks'} {shown(odd)}")
        self.data: dict[str, Any] = data
        self.way = way

    def wrong(self, key: str, what: str) -> DamagedError:
        """What to raise where a value is not what it has to be."""
        return DamagedError(f"{shown(self.data[key])} is not {what}, as {key} of {self.way} has to be")

    def text(self, key: str, most: int = MOST_LABEL) -> str:
        """A text up to a length; it may be empty."""
        text = self.data[key]
        if not is_text(text, most):
            raise self.wrong(key, f"a text of up to {most} characters")
        return str(text)

    def whole(self, key: str, least: int, most: int) -> int:
        """A whole number between two bounds."""
        number = self.data[key]
        if not is_whole(number, least, most):
            raise self.wrong(key, f"a whole number from {least} to {most}")
        return int(number)

    def one_of(self, key: str, known: Collection[str]) -> str:
        """One of the known texts."""
        if not isinstance(self.data[key], str) or self.data[key] not in known:
            raise self.wrong(key, f"one of {', '.join(known)}")
        return str(self.data[key])

    def table(self, key: str, keys: Collection[str] | None = None) -> "JsonTable":
        """A table below this one."""
        return JsonTable(self.data[key], key if self.way == TOP else f"{key} of {self.way}", keys)

    def labels(self, key: str) -> tuple[str, ...]:
        """A list of texts, none of them empty."""
        labels = self.data[key]
        if not isinstance(labels, list) or not 1 <= len(labels) <= MOST_LABELS:
            raise self.wrong(key, f"a list of 1 to {MOST_LABELS:,} texts")
        for label in labels:
            if not label or not is_text(label, MOST_LABEL):
                raise DamagedError(f"{shown(label)} in {key} of {self.way} is not a text of up to {MOST_LABEL} letters")
        return tuple(labels)


def is_text(value: object, most: int) -> bool:
    """Whether it is a text of up to so many characters."""
    # Half a surrogate pair is no text that could be written again.
    return isinstance(value, str) and len(value) <= most and not re.search("[\ud800-\udfff]", value)


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether it is a whole number between two bounds."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def shown(value: object) -> str:
    """A value from a file, short and on one line."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > 10**MOST_LABEL:
        return "a very large number"  # Python refuses to write out numbers of thousands of digits
    text = value if isinstance(value, str) else str(value)
    text = "".join(c if c.isprintable() else "�" for c in text[:MOST_LABEL]) + "…" * (len(text) > MOST_LABEL)
    return f"'{text}'"
