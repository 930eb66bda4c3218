"""What every command is."""

from explorer.document.state import State


class Command:
    """An act. `stroke` marks the parts of one drag, which history keeps as one undo step."""

    stroke: object = None

    @property
    def label(self) -> str:
        """What was done, as undo names it."""
        raise NotImplementedError(type(self).__name__)

    def apply(self, state: State) -> State:
        """The state afterwards.

        Raises `ExplorerError` where it cannot be done; nothing has happened then.
        """
        raise NotImplementedError(type(self).__name__)
