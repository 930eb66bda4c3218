"""Undo and redo: a list of states, and the place of the present one."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.document.deferred import unread
from explorer.document.state import State

LIMIT = 1000
MOST_BYTES = 2**30
"""The most bytes that only undo steps still hold: a hundred edits of the largest matrix of GPT-2 small."""
MOST_KEPT, MOST_KEPT_BYTES = 200, 50_000_000
"""The most steps in each direction that a file keeps, and the most bytes that only they hold."""
NODE_BYTES, LABEL_BYTES = 1000, 64
"""About how many bytes a node of a graph takes, including its share of the graph's caches, and a label of an axis."""


class _Step(Frozen, eq=False):
    state: State
    label: str
    stroke: object
    bytes: int
    """Of everything that the steps since the first state have replaced."""


class Mark(NamedTuple):
    """A snapshot of a history: its steps, and the place of the present one."""

    steps: tuple[_Step, ...]
    now: int


class UndoHistory:
    """The states of a document in order. All steps of one stroke (a drag, a wheel, a training run) count as one.

    `state`: the first.
    """

    def __init__(self, state: State) -> None:
        self._steps: tuple[_Step, ...] = (_Step(state, "", None, 0),)
        self._now = 0
        self._saved: State | None = state

    @property
    def present(self) -> State:
        """The state of the document, or the one that is being computed for it."""
        return self._steps[self._now].state

    @property
    def states(self) -> tuple[State, ...]:
        """All states that undo and redo can reach, and the present one."""
        return tuple(step.state for step in self._steps)

    @property
    def undone(self) -> tuple[State, ...]:
        """The states that redo can reach."""
        return self.states[self._now + 1 :]

    @property
    def undo_label(self) -> str | None:
        """The name of the act that undo would take back, or None."""
        return self._steps[self._now].label if self._now else None

    @property
    def redo_label(self) -> str | None:
        """The name of the act that redo would repeat, or None."""
        return self._steps[self._now + 1].label if self._now + 1 < len(self._steps) else None

    @property
    def stroke(self) -> object:
        """The stroke of the act that undo would take back, or None."""
        return self._steps[self._now].stroke

    @property
    def modified(self) -> bool:
        """Whether the present state differs from the one last marked as saved."""
        return self.present is not self._saved

    def mark_saved(self, state: State | None = None) -> None:
        """Mark a state, by default the present one, as saved."""
        self._saved = self.present if state is None else state

    def record(self, state: State, label: str, stroke: object = None) -> None:
        """Add a state after the present one; redo steps are dropped.

        A continued stroke absorbs acts in between: a weight edited during a training run is part of the run.
        """
        kept = self._steps[: self._now + 1]
        if stroke is not None:
            begun = [step.stroke == stroke for step in kept[1:]]
            kept = kept[: begun.index(True) + 1] if True in begun else kept
        last = kept[-1]
        step = _Step(state, label, stroke, last.bytes + _only_in(last.state, state))
        # The oldest steps are dropped, but one step can always be undone.
        first = max(len(kept) - LIMIT, 0)
        while first < len(kept) - 1 and step.bytes - kept[first].bytes > MOST_BYTES:
            first += 1
        self._steps = (*kept[first:], step)
        self._now = len(self._steps) - 1

    def around(self, lesson: str) -> tuple[tuple[tuple[State, str], ...], int]:
        """What a file keeps: the states of a lesson around the present one, and the place of the present one there."""
        first = last = self._now
        while first and self._is_kept(first - 1, lesson):
            first -= 1
        while last + 1 < len(self._steps) and self._is_kept(last + 1, lesson):
            last += 1
        return tuple((step.state, step.label) for step in self._steps[first : last + 1]), self._now - first

    def _is_kept(self, place: int, lesson: str) -> bool:
        step, now = self._steps[place], self._steps[self._now]
        near = abs(place - self._now) <= MOST_KEPT and abs(step.bytes - now.bytes) <= MOST_KEPT_BYTES
        return near and step.state.lesson == lesson

    def surround(self, steps: Sequence[tuple[State, str]], now: int) -> None:
        """Put steps that a file kept around the present state, which is one of them; earlier steps stay before them."""
        made, opened = list(self._steps[: self._now]), self.undo_label or ""
        for k, (state, label) in enumerate(steps):
            held = made[-1].bytes + _only_in(made[-1].state, state) if made else 0
            made.append(_Step(state, label if k else opened, None, held))
        self._steps, self._now = tuple(made), self._now + now

    def undo(self) -> str | None:
        """Go back one step. Returns what was taken back, or None at the beginning."""
        label = self.undo_label
        if label is not None:
            self._now -= 1
        return label and f"Undo: {label}"

    def redo(self) -> str | None:
        """Go forward one step. Returns what was repeated, or None at the end."""
        label = self.redo_label
        if label is not None:
            self._now += 1
        return label and f"Redo: {label}"

    def mark(self) -> Mark:
        """A snapshot to return to."""
        return Mark(self._steps, self._now)

    def return_to(self, mark: Mark) -> None:
        """Return to a snapshot, as if nothing had been done since."""
        self._steps, self._now = mark


def _only_in(old: State, new: State) -> int:
    """How many bytes one state holds that the next one does not."""
    shared = set(map(id, _arrays(new)))
    found = sum(array.nbytes for array in _arrays(old) if id(array) not in shared)
    if old.graph is not new.graph:
        labels = set(map(id, new.graph.axes.values()))
        found += NODE_BYTES * len(old.graph.nodes)
        found += LABEL_BYTES * sum(len(axis) for axis in old.graph.axes.values() if id(axis) not in labels)
    return found


def _arrays(state: State) -> Iterator[Array]:
    pinned = (part for pin in state.pins.values() for part in (pin.cells, pin.values))
    remembered = () if state.optimiser is None else state.optimiser.remembered()
    return chain(unread(state.inputs).values(), state.beyond.values(), pinned, remembered)
