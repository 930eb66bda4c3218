"""The base classes of all parts of a page: frozen data that can be compared with the part that stood there before."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import numpy as np

from explorer.core.frozen import Frozen

SMALL = 2**16
"""Arrays of at most this many bytes are compared number by number. Larger arrays are equal only if they are the same
memory: the engine never writes into an array."""


class Data(Frozen, eq=False):
    """Frozen data whose fields may be arrays. Two are equal if all their fields are; for arrays see `SMALL`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__(eq=False)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.__dict__, other.__dict__
        for name in self.__dataclass_fields__:  # runs for each part of a page after each edit: most are identical
            one, another = mine[name], theirs[name]
            if one is not another and not _same(one, another):
                return False
        return True

    __hash__ = None  # type: ignore[assignment]


T = TypeVar("T")
E = TypeVar("E", bound="Element")


class Made(Data, Generic[T]):
    """A value that is made only when it is looked at: the function that makes it, and its arguments."""

    make: Callable[..., T]
    reads: tuple[object, ...]

    def __call__(self) -> T:
        return self.make(*self.reads)


class Element(Data):
    """A part of a page."""

    # Unique on the page, and the same as long as the part means the same thing, whatever its numbers are. A renderer
    # keeps one widget for each id, and a lesson names the part by its id.
    id: str


class Arrangement(Element):
    """A part of a page that only arranges others."""

    @property
    def inside(self) -> tuple[Element, ...]:
        """The elements that it arranges, in reading order."""
        raise NotImplementedError


def leaves(element: Element) -> list[Element]:
    """The element itself, then all elements inside it at any depth, in reading order."""
    found: list[Element] = []
    waiting = [element]
    while waiting:
        one = waiting.pop()
        found.append(one)
        if isinstance(one, Arrangement):
            waiting += reversed(one.inside)
    return found


def of_kind(elements: Iterable[Element], kind: type[E]) -> list[E]:
    """All elements of a kind among some elements, and inside them at any depth, in reading order."""
    return [part for element in elements for part in leaves(element) if isinstance(part, kind)]


def _same_memory(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays of the same shape are views of the same memory, such as two slices for the same head."""
    if a.base is None or a.base is not b.base or a.strides != b.strides:
        return False
    return bool(a.__array_interface__["data"] == b.__array_interface__["data"])


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        if not both or a.shape != b.shape or a.dtype != b.dtype:
            return False
        return a.tobytes() == b.tobytes() if a.nbytes <= SMALL else _same_memory(a, b)
    if type(a) is tuple:
        if type(b) is not tuple or len(a) != len(b):
            return False
        for one, another in zip(a, b, strict=True):  # noqa: SIM110, a generator costs one more call for each item
            if one is not another and not _same(one, another):
                return False
        return True
    return bool(a == b) or (a != a and b != b)  # NaN counts as equal to NaN
