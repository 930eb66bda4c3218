"""How fast the next steps are taken, and which inputs they change."""

from math import inf
from time import perf_counter

from explorer.core.training.trainer import trainable
from explorer.document.state import State

FRAME_MS = 16
PACES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, inf)
"""Steps a second of a run by hand; the last one is as fast as possible."""
FIRST_PACE = 10.0
"""Slow enough to see what each step does."""


class Pace:
    """Limits the speed of a run: counts how many steps are due."""

    def __init__(self) -> None:
        self._from = (0.0, 0)

    def begin(self, at: int) -> None:
        """Count from now and from a step on."""
        self._from = perf_counter(), at

    def due(self, at: int, least: float, steps: int) -> float:
        """How many steps a run at step `at` is behind a pace of `steps` in `least` seconds."""
        now, (began, start) = perf_counter(), self._from
        pace = max(steps, 1) / least
        due = start + int(pace * (now - began)) - at
        if due > max(pace, 1):  # more than a second behind: count anew, so that no burst of steps follows
            self._from = now, at
        return due

    def pause_ms(self, least: float, steps: int) -> int:
        """Milliseconds until the next step is due."""
        return max(FRAME_MS, round(1000 * least / max(steps, 1)))


class Movable:
    """Which inputs training changes: the default of each, and what the user has chosen instead."""

    def __init__(self) -> None:
        self._chosen: dict[str, bool] = {}
        self._usual: tuple[object, dict[str, bool]] = (None, {})

    def choose(self, name: str, moves: bool) -> None:
        """Let training change an input, or freeze it."""
        self._chosen[name] = moves

    def forget(self) -> None:
        """Forget the choices, which are about the inputs of the example before."""
        self._chosen = {}

    def of(self, state: State) -> dict[str, bool]:
        """The inputs that gradient descent can change, in reading order; True for those that the next steps change."""
        return {name: self._chosen.get(name, usual) for name, usual in self._usually(state).items()}

    def weights(self, state: State) -> dict[str, bool]:
        """The part of `of` for the inputs that training changes by default."""
        usually = self._usually(state)
        return {name: moves for name, moves in self.of(state).items() if usually[name]}

    def unusual(self, state: State, moves: bool) -> tuple[str, ...]:
        """The inputs whose choice differs from their default and is `moves`."""
        usually = self._usually(state)
        return tuple(name for name, now in self.of(state).items() if now is moves and usually[name] is not moves)

    def _usually(self, state: State) -> dict[str, bool]:
        if self._usual[0] is not state.graph:
            self._usual = state.graph, trainable(state.graph, state.model)
        return self._usual[1]
