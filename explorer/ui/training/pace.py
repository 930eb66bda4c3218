"""How the next steps go: how fast, and which inputs they move."""

from math import inf
from time import perf_counter

from explorer.core.training.trainer import trainable
from explorer.document.state import State

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


class Movable:
    """What usually moves, and what somebody has frozen or let go."""

    def __init__(self) -> None:
        self._chosen: dict[str, bool] = {}
        self._usual: tuple[object, dict[str, bool]] = (None, {})

    def choose(self, name: str, moves: bool) -> None:
        """Let an input move, or freeze it."""
        self._chosen[name] = moves

    def forget(self) -> None:
        """Another example: what was chosen is about other inputs."""
        self._chosen = {}

    def of(self, state: State) -> dict[str, bool]:
        """The inputs that a gradient can move, in reading order, and whether they are to."""
        return {name: self._chosen.get(name, usual) for name, usual in self._usually(state).items()}

    def weights(self, state: State) -> dict[str, bool]:
        """Those of them that usually move."""
        usually = self._usually(state)
        return {name: moves for name, moves in self.of(state).items() if usually[name]}

    def unusual(self, state: State, moves: bool) -> tuple[str, ...]:
        """The inputs that usually do not move and are to, or that usually do and are not to."""
        usually = self._usually(state)
        return tuple(name for name, now in self.of(state).items() if now is moves and usually[name] is not moves)

    def _usually(self, state: State) -> dict[str, bool]:
        if self._usual[0] is not state.graph:
            self._usual = state.graph, trainable(state.graph, state.model)
        return self._usual[1]
