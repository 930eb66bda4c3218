"""A model becomes one of a known kind."""

from dataclasses import dataclass

from explorer.core.errors import ExplorerError
from explorer.document.commands.base import Command
from explorer.document.commands.switches import taken_over
from explorer.document.state import State


@dataclass(frozen=True)
class BecomeKind(Command):
    """Set all switches in which a published model differs from that of 2017: "Llama 3 8B".

    Sizes and words stay, and so do weights that still fit; the others start as random numbers.

    Raises `ExplorerError`: "no-stream" where the model has no layers that could be of another kind.
    """

    name: str  # of a member of `explorer.checkpoints.members`

    @property
    def label(self) -> str:
        return f"Make it a {self.name}"

    def apply(self, state: State) -> State:
        from explorer.checkpoints.members import as_member, member  # for who wants another kind

        if state.model.kind not in ("gpt", "encoder", "encoder-decoder"):
            raise ExplorerError("no-stream", name=self.name)
        model = as_member(member(self.name), state.model)
        if model == state.model:
            return state
        changed = state.rebuilt(model)
        return changed.with_inputs(taken_over(state, changed))
