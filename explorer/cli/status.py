"""How far a long command is, on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from explorer.core.numbers import percent

PATIENCE = 1.0
"""Seconds of reading, of which nothing is said."""
LEAST = 5e7
"""Fewer numbers are read before anybody wonders, however busy the machine is."""
EVERY, LINE_EVERY = 0.1, 15.0
"""Seconds between two texts on a terminal, where each replaces the one before, and between two lines elsewhere."""


class Status:
    """One line on a terminal, which is written again and again; elsewhere a line now and then.

    `first`: the seconds before the first text; by default as between two.
    `every`: the seconds between two texts, if they are not `EVERY` or `LINE_EVERY`.
    """

    def __init__(self, first: float | None = None, every: float | None = None) -> None:
        self.terminal, self._said = sys.stderr.isatty(), False
        self._every = every or (EVERY if self.terminal else LINE_EVERY)
        self._next = monotonic() + (self._every if first is None else first)

    def due(self) -> bool:
        """Whether it is time for another text."""
        if (now := monotonic()) < self._next:
            return False
        self._next = now + self._every
        return True

    def say(self, text: str) -> None:
        """Write a text. Raises OSError if the terminal is gone."""
        self._said = self.terminal
        print(
            f"\r\x1b[K{text}" if self.terminal else text, end="" if self.terminal else "\n", file=sys.stderr, flush=True
        )

    def clear(self) -> None:
        """Leave the line on the terminal empty."""
        if self._said:
            with suppress(OSError):
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def reading() -> Iterator[Callable[[float, float], None]]:
    """A function to call with the numbers of a model that are read, and their total.

    Most models are read before `PATIENCE` is over; of those nothing is said.
    """
    status = Status(PATIENCE)

    def told(done: float, total: float) -> None:
        if total >= LEAST and status.due():
            with suppress(OSError):
                status.say(f"reading {total / 1e9:.1f} billion numbers, {percent(done / total)}")

    try:
        yield told
    finally:
        status.clear()
