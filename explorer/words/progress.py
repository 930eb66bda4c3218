"""How far a long work has come."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic


@dataclass(frozen=True)
class Progress:
    """How far a work has come."""

    # "reading", "counting", "training", "parsing", "waiting", "downloading", "checking", "evaluating", "seeking"
    what: str
    # `done`, `total`: in the work's own unit: bytes, rows, epochs. The total is 0 where it is not known.
    done: float
    total: float
    left: float | None = None  # seconds it will still take at this pace; None as long as that cannot be said
    loss: float | None = None  # that of the last epoch, while training


Report = Callable[[Progress], None]
"""Called now and then during a long work. It stops the work by raising `Cancelled`."""


class Cancelled(Exception):  # noqa: N818
    """Raised by a `Report` to stop the work; what is needed to go on later is kept."""


EVERY = 0.1
"""Seconds between two reports."""


class Meter:
    """Reports how far one work has come and how long it will still take; the first and the last time always.

    Parameters
    ----------
    total : float
        0 where it is not known.
    begun : float
        What had been done before, in an earlier session.
    """

    def __init__(self, what: str, total: float, report: Report | None, begun: float = 0) -> None:
        self.what, self.total, self.report, self.begun = what, total, report, begun
        self.started = monotonic()
        self.last = float("-inf")

    def __call__(self, done: float, loss: float | None = None) -> None:
        """Say how much is done."""
        now = monotonic()
        if self.report is None or (now - self.last < EVERY and done != self.total):
            return
        self.last = now
        new = done - self.begun
        left = (now - self.started) * (self.total - done) / new if self.total and new > 0 else None
        self.report(Progress(self.what, done, self.total, left, loss))
