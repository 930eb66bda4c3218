"""Progress of long tasks."""

from collections.abc import Callable
from time import monotonic

from explorer.core.frozen import Frozen


class Progress(Frozen):
    """The progress of a task."""

    # "reading", "counting", "training", "parsing", "waiting", "downloading", "checking", "evaluating", "seeking"
    what: str
    # `done`, `total`: in the task's unit: bytes, rows, epochs. The total is 0 if it is not known.
    done: float
    total: float
    left: float | None = None  # estimated seconds left; None as long as there is no estimate
    loss: float | None = None  # the loss of the last epoch, in training


Report = Callable[[Progress], None]
"""Called now and then during a long task. It stops the task by raising `Cancelled`."""


class Cancelled(Exception):  # noqa: N818
    """Raised by a `Report` to stop the task; what is needed to resume it is kept."""


EVERY = 0.1
"""Seconds between two reports."""


class Meter:
    """Reports the progress of a task and the time left; the first and the last report are always sent.

    `total`: 0 if it is not known.
    `begun`: how much an earlier session had done.
    """

    def __init__(self, what: str, total: float, report: Report | None, begun: float = 0) -> None:
        self.what, self.total, self.report, self.begun = what, total, report, begun
        self.started = monotonic()
        self.last = float("-inf")

    def __call__(self, done: float, loss: float | None = None) -> None:
        """Report how much is done."""
        now = monotonic()
        if self.report is None or (now - self.last < EVERY and done != self.total):
            return
        self.last = now
        new = done - self.begun
        left = (now - self.started) * (self.total - done) / new if self.total and new > 0 else None
        self.report(Progress(self.what, done, self.total, left, loss))
