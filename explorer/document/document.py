"""The model object: one state, the engine that keeps its values true, and the history of what was done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from explorer.core.engine import Engine
from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.document.commands import Command
from explorer.document.history import History
from explorer.document.state import State


@dataclass(frozen=True)
class Change:
    """What one act changed, for those who show it.

    Parameters
    ----------
    changed : frozenset of str
        Nodes whose value is another one now, the added ones among them.
    added, removed : frozenset of str
        Nodes that the graph gained and lost.
    label : str
        What was done.
    structure : bool
        Whether the graph is another one: nodes, shapes or labels may differ.
    """

    changed: frozenset[str]
    added: frozenset[str]
    removed: frozenset[str]
    label: str
    structure: bool

    def followed_by(self, later: "Change") -> "Change":
        """The two as one act."""
        return Change(
            (self.changed - later.removed) | later.changed,
            (self.added - later.removed) | (later.added - self.removed),
            (self.removed - later.added) | (later.removed - self.added),
            later.label,
            self.structure or later.structure,
        )


class Document:
    """A transformer that can be edited.

    Everything that changes it goes through `do`, `undo` and `redo`, and each of them ends in one `Change`.

    Parameters
    ----------
    state : State
        What it starts with.
    """

    def __init__(self, state: State) -> None:
        self.engine = Engine()
        self.history = History(state)
        self._listeners: list[Callable[[Change], None]] = []
        self.recomputed: tuple[str, ...] = ()
        self.before: Mapping[str, Array] = {}
        self._last_stroke: object = None
        self._adopt(state, "")

    @property
    def state(self) -> State:
        """The present state."""
        return self.history.present

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` with every change. Returns a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def do(self, command: Command) -> None:
        """Run a command, then record it.

        Raises
        ------
        ExplorerError
            Where it cannot be done; nothing has happened then.
        """
        state = command.apply(self.state)
        if state is self.state:
            self.recomputed = ()
            return
        change = self._adopt(state, command.label, command.stroke)
        self.history.record(state, command.label, command.stroke)
        self._tell(change)

    def undo(self) -> None:
        """Go back one step, if there is one."""
        self._travel(self.history.undo())

    def redo(self) -> None:
        """Go forward one step, if there is one."""
        self._travel(self.history.redo())

    def difference(self, place: Place) -> Array:
        """What the last act changed in a node or slice: now minus before, 0 where nothing or all of it is new."""
        now, was = self.engine.value(place), self.before.get(place.node)
        if was is None or was.shape != self.engine.values[place.node].shape:
            return np.zeros(now.shape)
        with np.errstate(invalid="ignore"):
            change: Array = np.where(now == was[place.index], 0.0, now - was[place.index])
        return change

    def _travel(self, label: str | None) -> None:
        if label is not None:
            self._tell(self._adopt(self.state, label))

    def _adopt(self, state: State, label: str, stroke: object = None) -> Change:
        structure = state.graph is not self.engine.graph
        outcome = self.engine.update(state.graph, _used(state), state.pins)
        self.recomputed = outcome.recomputed
        # What a drag changed is what it changed since it began.
        earlier = self.before if stroke is not None and stroke == self._last_stroke else {}
        self.before = {**self.engine.before, **earlier}
        self._last_stroke = stroke
        return Change(outcome.changed, outcome.added, outcome.removed, label, structure)

    def _tell(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            listener(change)


def _used(state: State) -> dict[str, Array]:
    """The inputs that the graph has; a state keeps those too that a switch has taken away or made a computed node."""
    nodes = state.graph.nodes
    return {name: array for name, array in state.inputs.items() if name in nodes and nodes[name].is_input}
