"""A pass that is computed beside the event loop: what it is, and who runs it."""

from collections.abc import Callable
from threading import Lock
from typing import Protocol

from explorer.core.engine import Computed, Pass
from explorer.document.state import State

LARGE = 1_000_000_000
"""Multiply-adds of a pass that is worth a thread: 20 ms in float32 on one core. Smaller ones are computed at once: one
can hardly see that, and a thread of many small numpy calls would starve the window (measured: a repaint of 8.5 ms
became 480 to 615 ms)."""


class Worker(Protocol):
    """What can compute beside the event loop; the window has one."""

    def run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        """Call `work` on another thread, and `then` on this one when it has returned."""

    def stop(self) -> None:
        """What was asked for last is not waited for any more: its `then` need not be called."""


class Overtaken(Exception):  # noqa: N818
    """Raised in the midst of a pass to end it, where a newer act has made it useless."""


class PendingPass:
    """A pass on its way to be published.

    Parameters
    ----------
    state : State
        What the values will be those of.
    label : str
        What was done, as undo names it.
    stroke : object
        Of the act that began it.
    gradients : bool
        Whether the gradients of the loss are wanted, too.
    turn : Lock
        Shared by all of a document: an overtaken one may still be within an op.
    """

    def __init__(self, begun: Pass, state: State, label: str, stroke: object, gradients: bool, turn: Lock) -> None:
        self.state, self.label, self.stroke = state, label, stroke
        self._begun, self._gradients, self._turn = begun, gradients, turn
        self.overtaken = False  # set where nobody waits for it any more: it ends before the next node
        self.computed: Computed | None = None
        self.error: Exception | None = None  # what came out of it

    def work(self) -> None:
        """Compute it, on whatever thread; who comes second waits for the first."""
        with self._turn:
            if self.computed is not None or self.error is not None:
                return
            try:
                self.state.write()
                computed = self._begun.compute(self._between)
                self.computed = computed.with_gradients(self._between) if self._gradients else computed
            except Overtaken:
                pass
            except Exception as error:  # told where it is waited for
                self.error = error

    def _between(self) -> None:
        if self.overtaken:
            raise Overtaken
