"""Arrays that get their numbers when they are first read, so that an act on a large model need not wait for them."""

from collections.abc import Callable, Iterator, Mapping
from threading import Lock

from explorer.core.ops import Array

MOST_WRITTEN_AT_ONCE = 300_000
"""Numbers of an array that is worth it: 2 ms to draw, less than 1 ms to copy."""


class Deferred:
    """An array that has its place in memory, but not its numbers yet.

    Parameters
    ----------
    array : numpy.ndarray
        Its shape and type are known, and which array it is; what stands in it is not to be read before `write`.
    write : callable
        Writes its numbers.
    """

    def __init__(self, array: Array, write: Callable[[], None]) -> None:
        self.array = array
        self._write: Callable[[], None] | None = write
        self._lock = Lock()

    @property
    def waiting(self) -> bool:
        """Whether its numbers are still to be written."""
        return self._write is not None

    def write(self) -> None:
        """Write its numbers, once, on whatever thread; who comes second waits for the first."""
        with self._lock:
            if self._write is not None:
                self._write()
                self.array.flags.writeable = False
                self._write = None


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


def with_others(arrays: Mapping[str, Array], others: Mapping[str, Array]) -> Mapping[str, Array]:
    """The arrays with some others in place of them or beside them; what is deferred stays so."""
    together = {**unread(arrays), **others}
    waiting = {name: one for name, one in still_waiting(arrays).items() if together[name] is one.array}
    return DeferredArrays(together, waiting) if waiting else together


def still_waiting(arrays: Mapping[str, Array]) -> Mapping[str, Deferred]:
    """Those of the arrays that are still to be written."""
    if not isinstance(arrays, DeferredArrays):
        return {}
    return {name: one for name, one in arrays.deferred.items() if one.waiting}
