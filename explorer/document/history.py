"""Undo and redo: a list of states with a place in it."""

from dataclasses import dataclass

from explorer.document.state import State

LIMIT = 1000


@dataclass(frozen=True, eq=False)
class _Step:
    state: State
    label: str
    stroke: object


class History:
    """The states a document has been in. Steps of one stroke (a drag, a wheel) are one step.

    Parameters
    ----------
    state : State
        The first.
    """

    def __init__(self, state: State) -> None:
        self._steps = [_Step(state, "", None)]
        self._now = 0
        self._saved: State | None = state

    @property
    def present(self) -> State:
        """The state the document is in."""
        return self._steps[self._now].state

    @property
    def undo_label(self) -> str | None:
        """What undo would take back, or None."""
        return self._steps[self._now].label if self._now else None

    @property
    def redo_label(self) -> str | None:
        """What redo would do again, or None."""
        return self._steps[self._now + 1].label if self._now + 1 < len(self._steps) else None

    @property
    def modified(self) -> bool:
        """Whether the present state is another than the one last marked as saved."""
        return self.present is not self._saved

    def mark_saved(self) -> None:
        """Take the present state as the saved one."""
        self._saved = self.present

    def record(self, state: State, label: str, stroke: object = None) -> None:
        """Add a state behind the present one; what could have been redone is gone."""
        del self._steps[self._now + 1 :]
        if stroke is not None and self._steps[-1].stroke == stroke and self._now:
            self._steps[-1] = _Step(state, label, stroke)
            return
        self._steps.append(_Step(state, label, stroke))
        del self._steps[: -LIMIT - 1]
        self._now = len(self._steps) - 1

    def undo(self) -> str | None:
        """Go back. Returns what was taken back, or None at the beginning."""
        label = self.undo_label
        if label is not None:
            self._now -= 1
        return label and f"Undo: {label}"

    def redo(self) -> str | None:
        """Go forward. Returns what was done again, or None at the end."""
        label = self.redo_label
        if label is not None:
            self._now += 1
        return label and f"Redo: {label}"
