"""Arrays whose numbers are written when they are first read, so that an act on a large model need not wait for them."""

from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.ops import Array


class Deferred:
    """An array that already has its place in memory, but not its numbers.

    Parameters
    ----------
    array : numpy.ndarray
        Its shape, type and identity are final; its content must not be read before `write`.
    writer : callable
        Writes the numbers into it; None after they have been written.
    """

    def __init__(self, array: Array, writer: Callable[[Array], None]) -> None:
        self.array = array
        self.writer: Callable[[Array], None] | None = writer
        self._lock = Lock()

    @property
    def waiting(self) -> bool:
        """Whether its numbers have not been written yet."""
        return self.writer is not None

    def write(self) -> None:
        """Write its numbers, once, on any thread; a second caller waits for the first."""
        with self._lock:
            if self.writer is not None:
                self.writer(self.array)
                self.array.flags.writeable = False
                self.writer = None


class Writing(Frozen, eq=False):
    """Numbers that are computed directly into the array that holds them."""

    shape: tuple[int, ...]
    into: Callable[[Array], None]  # writes them into an array of that shape; it may read the old numbers there


Part: TypeAlias = tuple[tuple[int, ...], Array | Writing]
"""One part of an edit: the index of a cell, of a head's slice, or () for the whole array; and the new numbers."""


class Edited(Frozen, eq=False):
    """The writer of an edited array: it copies another array and sets parts of it."""

    base: Array | Deferred
    parts: tuple[Part, ...]  # in order, the newest last

    @staticmethod
    def of(base: Array | Deferred, parts: tuple[Part, ...]) -> "Edited":
        """A writer that sets parts of an array; if the base also only waits for edits, all are merged into one copy."""
        writer = base.writer if isinstance(base, Deferred) else None
        # Edits with computed numbers are not merged: random numbers would be drawn again, and differ.
        if isinstance(writer, Edited) and not any(isinstance(numbers, Writing) for _, numbers in writer.parts):
            return Edited(writer.base, (*writer.parts, *parts))
        return Edited(base, parts)

    def __call__(self, array: Array) -> None:
        """Write the array."""
        if isinstance(self.base, Deferred):
            self.base.write()
        np.copyto(array, self.base.array if isinstance(self.base, Deferred) else self.base)
        with np.errstate(over="ignore"):  # a number too large for float32 becomes infinite
            for index, numbers in self.parts:
                if isinstance(numbers, Writing):
                    at: tuple[Any, ...] = (*index, ...)  # a view, even of a single cell
                    numbers.into(array[at])
                else:
                    array[index] = numbers

    def number(self, cell: tuple[int, ...]) -> Any:
        """The number in a cell; None if it is not known before the array is written."""
        for index, numbers in reversed(self.parts):
            if cell[: len(index)] == index:
                return None if isinstance(numbers, Writing) else numbers[cell[len(index) :]]
        return None if isinstance(self.base, Deferred) else self.base[cell]


class DeferredArrays(Mapping[str, Array]):
    """Arrays by name; reading a deferred one writes it first.

    Parameters
    ----------
    arrays : mapping of str to numpy.ndarray
        All arrays. Their names, shapes and types can be asked for without writing anything.
    deferred : mapping of str to Deferred
        Those of the arrays that may still have to be written.
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
    """The same arrays for their names, shapes and identity; none is written for it."""
    return arrays.arrays if isinstance(arrays, DeferredArrays) else arrays


def with_others(arrays: Mapping[str, Array], others: Mapping[str, Array | Deferred]) -> Mapping[str, Array]:
    """The arrays with some replaced or added; deferred arrays stay deferred."""
    together = {**unread(arrays)}
    waiting = {name: one for name, one in still_waiting(arrays).items() if name not in others}
    for name, other in others.items():
        if isinstance(other, Deferred):
            waiting[name] = other
        together[name] = other.array if isinstance(other, Deferred) else other
    return DeferredArrays(together, waiting) if waiting else together


def still_waiting(arrays: Mapping[str, Array]) -> Mapping[str, Deferred]:
    """Those arrays whose numbers have not been written yet."""
    if not isinstance(arrays, DeferredArrays):
        return {}
    return {name: one for name, one in arrays.deferred.items() if one.waiting}
