"""Parts of a page that stay the very same while nothing that they are made of has changed."""

from collections.abc import Callable, Hashable
from operator import is_
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Memo:
    """What a page was made of when it was last made. It lives as long as the page, and holds nothing longer than that.

    Arrays are never written into, so one that is the very same has the same numbers.
    """

    def __init__(self) -> None:
        self._of: tuple[tuple[object, ...], ...] = ()
        self._before: dict[Hashable, tuple[tuple[object, ...], object]] = {}
        self._now: dict[Hashable, tuple[tuple[object, ...], object]] = {}

    def begin(self, given: tuple[object, ...], arrays: tuple[np.ndarray | None, ...]) -> None:
        """Make the page once more; `given`, and the very arrays, are what all of its parts may depend on."""
        of = given, arrays
        same = bool(self._of) and self._of[0] == given and _are_the_same(arrays, self._of[1])
        self._before = self._now if same else {}
        self._of, self._now = of, {}

    def part(
        self, key: Hashable, of: tuple[object, ...], make: Callable[[], T], renew: Callable[[T], T] | None = None
    ) -> T:
        """The part of that key: as it was, if `of`, what it alone depends on, are the very same objects.

        `renew`: makes it of the one that was there before, where that is less to do.
        """
        kept = self._before.get(key)
        if kept is None:
            kept = of, make()
        elif not all(map(is_, of, kept[0])):
            kept = of, (make() if renew is None else renew(kept[1]))  # type: ignore[arg-type]
        self._now[key] = kept
        part: T = kept[1]  # type: ignore[assignment]
        return part


def _are_the_same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Whether two tuples hold the very same objects."""
    return len(some) == len(others) and all(map(is_, some, others))
