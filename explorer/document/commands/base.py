"""The base class of commands."""

from explorer.core.frozen import Frozen
from explorer.document.state import State


class Command(Frozen, eq=False):
    """One act of a person. `stroke` marks the parts of one drag, which history keeps as one undo step."""

    @property
    def stroke(self) -> object:
        """The drag that it is a part of; None for none."""
        return None

    @property
    def label(self) -> str:
        """The name of the act, for undo."""
        raise NotImplementedError(type(self).__name__)

    def apply(self, state: State) -> State:
        """The state after the act.

        Raises `ExplorerError` if it cannot be done; then nothing has changed.
        """
        raise NotImplementedError(type(self).__name__)
