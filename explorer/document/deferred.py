"""Arrays that get their numbers when they are first read, so that an act on a large model need not wait for them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from explorer.core.ops import Array


class Deferred:
    """An array that has its place in memory, but not its numbers yet.

    Parameters
    ----------
    array : numpy.ndarray
        Its shape and type are known, and which array it is; what stands in it is not to be read before `write`.
    writer : callable
        Writes its numbers into it; None where they have been written.
    """

    def __init__(self, array: Array, writer: Callable[[Array], None]) -> None:
        self.array = array
        self.writer: Callable[[Array], None] | None = writer
        self._lock = Lock()

    @property
    def waiting(self) -> bool:
        """Whether its numbers are still to be written."""
        return self.writer is not None

    def write(self) -> None:
        """Write its numbers, once, on whatever thread; who comes second waits for the first."""
        with self._lock:
            if self.writer is not None:
                self.writer(self.array)
                self.array.flags.writeable = False
                self.writer = None


@dataclass(frozen=True, eq=False)
class Writing:
    """Numbers that are worked out where they are written."""

    shape: tuple[int, ...]
    into: Callable[[Array], None]  # writes them into an array of the shape, whose old numbers it may read


Part: TypeAlias = tuple[tuple[int, ...], Array | Writing]
"""What an edit sets: the index of a cell, of a head's slice, or () for all; and its numbers."""


@dataclass(frozen=True, eq=False)
class Edited:
    """What writes an edited array: a copy of another one, with parts of it set anew."""

    base: Array | Deferred
    parts: tuple[Part, ...]  # the newest last

    @staticmethod
    def of(base: Array | Deferred, parts: tuple[Part, ...]) -> "Edited":
        """What writes an array with parts set anew; one that only edits have to be written into is copied once."""
        writer = base.writer if isinstance(base, Deferred) else None
        # What is drawn by chance is not drawn twice: it would be something else.
        if isinstance(writer, Edited) and not any(isinstance(numbers, Writing) for _, numbers in writer.parts):
            return Edited(writer.base, (*writer.parts, *parts))
        return Edited(base, parts)

    def __call__(self, array: Array) -> None:
        """Write the array."""
        if isinstance(self.base, Deferred):
            self.base.write()
        np.copyto(array, self.base.array if isinstance(self.base, Deferred) else self.base)
        with np.errstate(over="ignore"):  # float32 has no number as large: infinity
            for index, numbers in self.parts:
                if isinstance(numbers, Writing):
                    at: tuple[Any, ...] = (*index, ...)  # a view, of a single number too
                    numbers.into(array[at])
                else:
                    array[index] = numbers

    def number(self, cell: tuple[int, ...]) -> Any:
        """What stands in a cell; None where that is not known before the array is written."""
        for index, numbers in reversed(self.parts):
            if cell[: len(index)] == index:
                return None if isinstance(numbers, Writing) else numbers[cell[len(index) :]]
        return None if isinstance(self.base, Deferred) else self.base[cell]


class DeferredArrays(Mapping[str, Array]):
    """Arrays by name; to read one that is deferred writes it first.

    Parameters
    ----------
    arrays : mapping of str to numpy.ndarray
        All of them. To know which ones they are, and of what shapes, nothing has to be written.
    deferred : mapping of str to Deferred
        Those of them that have to be written.
    """

    def __init__(self, arrays: Mapping[str, Array], deferred: Mapping[str, Deferred]) -> None:
        self.arrays, self.deferred = arrays, deferred

    def __getitem__(self, name: str) -> Array:
        if name in self.deferred:
            self.deferred[name].write()
        return self.arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)


def unread(arrays: Mapping[str, Array]) -> Mapping[str, Array]:
    """The same arrays, to be told apart and asked for their shapes: none is written for it."""
    return arrays.arrays if isinstance(arrays, DeferredArrays) else arrays


def with_others(arrays: Mapping[str, Array], others: Mapping[str, Array | Deferred]) -> Mapping[str, Array]:
    """The arrays with some others in place of them or beside them; what is deferred stays so."""
    together = {**unread(arrays)}
    waiting = {name: one for name, one in still_waiting(arrays).items() if name not in others}
    for name, other in others.items():
        if isinstance(other, Deferred):
            waiting[name] = other
        together[name] = other.array if isinstance(other, Deferred) else other
    return DeferredArrays(together, waiting) if waiting else together


def still_waiting(arrays: Mapping[str, Array]) -> Mapping[str, Deferred]:
    """Those of the arrays that are still to be written."""
    if not isinstance(arrays, DeferredArrays):
        return {}
    return {name: one for name, one in arrays.deferred.items() if one.waiting}
