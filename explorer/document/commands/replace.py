"""A whole state in place of another."""

from dataclasses import dataclass

from explorer.document.commands.base import Command
from explorer.document.state import State


@dataclass(frozen=True, eq=False)
class Replace(Command):
    """Put a whole state in place of the present one: a lesson, one of its settings, a file."""

    state: State
    title: str  # as undo names it
    stroke: object = None  # equal for all steps of one run of training, which may go back to an earlier state

    @property
    def label(self) -> str:
        return self.title

    def apply(self, state: State) -> State:
        return self.state
