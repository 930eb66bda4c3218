"""Which inputs the next steps are to move."""

from explorer.core.training.trainer import trainable
from explorer.document.state import State


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

    def unusual(self, state: State, moves: bool) -> tuple[str, ...]:
        """The inputs that usually do not move and are to, or that usually do and are not to."""
        usually = self._usually(state)
        return tuple(name for name, now in self.of(state).items() if now is moves and usually[name] is not moves)

    def _usually(self, state: State) -> dict[str, bool]:
        if self._usual[0] is not state.graph:
            self._usual = state.graph, trainable(state.graph, state.model)
        return self._usual[1]
