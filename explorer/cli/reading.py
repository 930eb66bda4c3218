"""How far the reading of a large model is, on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from explorer.core.numbers import percent

PATIENCE = 1.0
"""Seconds of reading, of which nothing is said."""
LINE_EVERY = 15.0
"""Seconds between two lines, where they do not replace each other."""


@contextmanager
def reading() -> Iterator[Callable[[float, float], None]]:
    """A function to call with the numbers read and their total: it changes one line on a terminal, elsewhere adds some.

    Most models are read before `PATIENCE` is over; of those nothing is said.
    """
    terminal = sys.stderr.isatty()
    begun = monotonic()
    said = begun if terminal else begun + PATIENCE - LINE_EVERY
    line = False

    def told(done: float, total: float) -> None:
        nonlocal said, line
        now = monotonic()
        if now - begun < PATIENCE or now - said < (0.1 if terminal else LINE_EVERY):
            return
        said, line = now, terminal
        text = f"reading {total / 1e9:.1f} billion numbers, {percent(done / total)}"
        with suppress(OSError):  # the terminal is gone
            print(f"\r\x1b[K{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)

    try:
        yield told
    finally:
        if line:
            with suppress(OSError):
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
