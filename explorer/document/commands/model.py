"""What every command is, and acts on a model as a whole: a switch of its blocks, another kind, another state.

A switch of a block, or of all blocks of its kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from explorer.core.engine import run
from explorer.core.errors import ExplorerError
from explorer.core.models.ends import DECODER_READS
from explorer.core.ops import Array
from explorer.document.state import State, frozen


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


@dataclass(frozen=True)
class SetSwitch(Command):
    """Set a switch of a block, such as ("encoder.1.self", "scale", "none").

    Another layout of Q and K is another picture of the same numbers, so they are carried over transposed. "W x" instead
    of "x W" reads the same printed matrices the other way: where all matrices of the block are square they stay as they
    are and the results change; where one is not, it would not fit, so all are transposed and the results stay. Targets
    that follow the words are those of these words when they are typed next, whatever was typed for others before.
    """

    block: str
    name: str
    value: object  # what is chosen, or its text
    everywhere: bool = False  # in all blocks of the same kind

    @property
    def label(self) -> str:
        return f"Set {self.block}.{self.name} to {self.value}{' everywhere' * self.everywhere}"

    def apply(self, state: State) -> State:
        blocks = state.model.blocks()
        state_now = self._set(state, self.block)
        if not self.everywhere:
            return state_now
        for block, kind in blocks.items():
            if kind == blocks[self.block]:
                state_now = self._set(state_now, block)
        return state_now

    def _set(self, state: State, block: str) -> State:
        model = state.model.with_switch(block, self.name, self.value)
        if model.switch(block, self.name) == state.model.switch(block, self.name):
            return state
        if self.name == "loss" and model.kind in DECODER_READS and "loss.target" not in state.inputs:
            model = model.with_switch(block, "targets", "next word")  # nobody has typed any
        changed = replace(state, inputs=self._carried(state, block)).rebuilt(model)
        return changed.with_inputs(taken_over(state, changed))

    def _carried(self, state: State, block: str) -> Mapping[str, Array]:
        """The inputs: without what the switch replaces, those transposed whose rows and columns it exchanges."""
        prefix = f"{block}.W"
        match self.name:
            case "layout":
                names = ["Q", "K"]
            case "weights":
                names = [n for n in state.inputs if n == prefix or n.startswith(f"{prefix}_")]
                if all(state.inputs[n].shape[-1] == state.inputs[n].shape[-2] for n in names):
                    return state.inputs
            case "targets":
                return {name: array for name, array in state.inputs.items() if name != "loss.target"}
            case _:
                return state.inputs
        return {**state.inputs, **{n: frozen(state.inputs[n].swapaxes(-1, -2).copy()) for n in names}}


def taken_over(old: State, new: State) -> dict[str, Array]:
    """Values of nodes that a switch makes editable for the first time: they start with what they were computed as.

    So a mask drawn by hand starts as the causal or the padding one, and a free scale as 1/sqrt(d_k).
    """
    nodes, given = old.graph.nodes, old.inputs
    names = [
        name
        for name, node in new.graph.nodes.items()
        if node.is_input
        and name not in given
        and name in nodes
        and given.keys() >= set(nodes[name].parents)
        # A row of words is no table of numbers.
        and nodes[name].axes == node.axes
    ]
    values = {parent: given[parent] for name in names for parent in nodes[name].parents}
    run((nodes[name] for name in names), {}, values, old.pins, names)
    return {name: frozen(values[name].astype(new.inputs[name].dtype)) for name in names}


@dataclass(frozen=True)
class BecomeKind(Command):
    """Set all switches in which a published model differs from that of 2017: "Llama 3 8B".

    Sizes and words stay, and so do weights that still fit; the others start as random numbers.

    Raises `ExplorerError`: "no-stream" where the model has no layers that could be of another kind.
    """

    name: str  # of a member of `explorer.checkpoints.architectures`

    @property
    def label(self) -> str:
        return f"Make it a {self.name}"

    def apply(self, state: State) -> State:
        from explorer.checkpoints.architectures import as_member, member  # for who wants another kind

        if state.model.kind not in ("gpt", "encoder", "encoder-decoder"):
            raise ExplorerError("no-stream", name=self.name)
        model = as_member(member(self.name), state.model)
        if model == state.model:
            return state
        changed = state.rebuilt(model)
        return changed.with_inputs(taken_over(state, changed))


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
