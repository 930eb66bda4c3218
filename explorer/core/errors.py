"""Errors that a person can cause: an id and fields. `explorer.sentences` puts them into words, where they are shown."""

from collections.abc import Callable
from typing import Any, ClassVar


class ExplorerError(Exception):
    """Something a person asked for that cannot be done.

    Parameters
    ----------
    id : str
        A key of `explorer.sentences.SENTENCES`.
    **fields
        What the sentence names; another error, where that is the reason.
    """

    in_words: ClassVar[Callable[["ExplorerError"], str]] = staticmethod(lambda error: f"{error.id} {error.fields}")
    """What puts it into words where nobody else does: in a traceback."""

    def __init__(self, id: str, **fields: Any) -> None:
        super().__init__(id)
        self.id = id
        self.fields = fields

    def __str__(self) -> str:
        return type(self).in_words(self)


def nearest(name: str, known: list[str]) -> str:
    """The likeliest of the known names; nothing where none is like it."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, known, n=1)), "")
