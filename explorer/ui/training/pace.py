"""How fast a run goes that somebody wants to watch."""

from math import inf
from time import perf_counter

FRAME_MS = 16
PACES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, inf)
"""Steps a second of a run by hand; the last one is as fast as it goes."""
FIRST_PACE = 10.0
"""Slow enough that one sees what each step does."""


class Pace:
    """So many steps in so many seconds at most."""

    def __init__(self) -> None:
        self._from = (0.0, 0)

    def begin(self, at: int) -> None:
        """Count from now and from a step on."""
        self._from = perf_counter(), at

    def due(self, at: int, least: float, steps: int) -> float:
        """How many steps a run is behind; it goes through `steps` in `least` seconds."""
        now, (began, start) = perf_counter(), self._from
        pace = max(steps, 1) / least
        due = start + int(pace * (now - began)) - at
        if due > max(pace, 1):  # it cannot keep up: no burst later
            self._from = now, at
        return due

    def pause_ms(self, least: float, steps: int) -> int:
        """Milliseconds until the next step is due."""
        return max(FRAME_MS, round(1000 * least / max(steps, 1)))
