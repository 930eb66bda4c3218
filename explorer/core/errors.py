"""Errors that a person can cause: an id and fields; `explorer.sentences` words them. Shapes are checked here, too."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar


class ExplorerError(Exception):
    """A person asked for something that cannot be done.

    `id`: a key of `resources/sentences.toml`.
    `**fields`: what the sentence names; may be another error, the reason.
    """

    in_words: ClassVar[Callable[["ExplorerError"], str]] = staticmethod(lambda error: f"{error.id} {error.fields}")
    """Words the error where nothing else does: in a traceback."""

    def __init__(self, id: str, **fields: Any) -> None:
        super().__init__(id)
        self.id = id
        self.fields = fields

    def __str__(self) -> str:
        return type(self).in_words(self)


def nearest(name: str, known: list[str]) -> str:
    """The most similar of the known names; "" if none is similar."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, known, n=1)), "")


def some(names: Sequence[str], most: int = 12) -> str:
    """A list of names for a message: of a large model only the first."""
    return ", ".join(names[:most]) + ", …" * (len(names) > most)


def cut(text: str, most: int = 80) -> str:
    """A typed text, cut so that it fits into a message."""
    return text if len(text) <= most else f"{text[:most]}…"


def written_shape(shape: tuple[int, ...]) -> str:
    """A shape as people read it: "3 × 4"."""
    return " × ".join(map(str, shape)) or "a single number"


def require_cell(name: str, cell: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Check that an array of this name and shape has the cell, counted from 0.

    Raises `ExplorerError`: "bad-cell".
    """
    if len(cell) != len(shape) or not all(0 <= i < size for i, size in zip(cell, shape, strict=True)):
        last = ",".join(str(size - 1) for size in shape)
        remedy = f"name one from [{','.join('0' * len(shape))}] to [{last}]" if shape else "write its name alone"
        found = ", ".join(map(str, cell))
        raise ExplorerError("bad-cell", name=name, cell=found, shape=written_shape(shape), remedy=remedy)


def require_shape(name: str, given: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Check that the values given for an array of this name have its shape.

    Raises `ExplorerError`: "bad-shape".
    """
    if given != shape:
        raise ExplorerError("bad-shape", name=name, shape=written_shape(shape), given=written_shape(given))
