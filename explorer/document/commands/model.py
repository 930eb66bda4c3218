"""Commands for the whole model: switches, another kind, another state.

A switch can be set in one block or in all blocks of the same kind.
"""

from collections.abc import Mapping
from dataclasses import replace

from explorer.core.engine import run
from explorer.core.errors import ExplorerError
from explorer.core.graph import TARGET
from explorer.core.models.ends import DECODER_READS
from explorer.core.ops import Array
from explorer.document.commands.base import Command
from explorer.document.state import State, read_only


class SetSwitch(Command):
    """Set a switch of a block, such as ("encoder.1.self", "scale", "none").

    Another layout of Q and K shows the same numbers, so they are transposed. "W x" instead of "x W" reads the printed
    matrices in the other orientation: if all matrices of the block are square, they stay and the results change; if one
    is not, it would not fit, so all are transposed and the results stay. If targets follow the words and are then
    typed, they start as the next words, whatever targets were typed before.
    """

    block: str
    name: str
    value: object  # the chosen value, or its text
    everywhere: bool = False  # whether to set it in all blocks of the same kind

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
        if self.name == "loss" and model.kind in DECODER_READS and TARGET not in state.inputs:
            model = model.with_switch(block, "targets", "next word")  # no targets have been typed
        changed = replace(state, inputs=self._carried(state, block)).rebuilt(model)
        return changed.with_inputs(taken_over(state, changed))

    def _carried(self, state: State, block: str) -> Mapping[str, Array]:
        """The inputs without those that the switch replaces; where it exchanges rows and columns, transposed."""
        prefix = f"{block}.W"
        match self.name:
            case "layout":
                names = ["Q", "K"]
            case "weights":
                names = [n for n in state.inputs if n == prefix or n.startswith(f"{prefix}_")]
                names = [n for n in names if not _is_of_experts(state, n)]  # theirs are always x W
                if all(state.inputs[n].shape[-1] == state.inputs[n].shape[-2] for n in names):
                    return state.inputs
            case "targets":
                return {name: array for name, array in state.inputs.items() if name != TARGET}
            case _:
                return state.inputs
        return {**state.inputs, **{n: read_only(state.inputs[n].swapaxes(-1, -2).copy()) for n in names}}


def _is_of_experts(state: State, name: str) -> bool:
    """Whether weights are those of experts, or of the router that chooses among them."""
    node = state.graph.nodes.get(name)
    return node is not None and any(axis.endswith((".experts", ".expert.heads")) for axis in node.axes)


def taken_over(old: State, new: State) -> dict[str, Array]:
    """Values of nodes that a switch makes editable for the first time: they start with their computed values.

    So a mask edited by hand starts as the causal or padding mask, and a free scale as 1/sqrt(d_k).
    """
    nodes, given = old.graph.nodes, old.inputs
    names = [
        name
        for name, node in new.graph.nodes.items()
        if node.is_input
        and name not in given
        and name in nodes
        and given.keys() >= set(nodes[name].parents)
        # computed targets are word numbers, typed ones may be a table of numbers
        and nodes[name].axes == node.axes
    ]
    values = {parent: given[parent] for name in names for parent in nodes[name].parents}
    run((nodes[name] for name in names), {}, values, old.pins, names)
    return {name: read_only(values[name].astype(new.inputs[name].dtype)) for name in names}


class BecomeKind(Command):
    """Set all switches in which a published model, such as "Llama 3 8B", differs from the transformer of 2017.

    Sizes and words stay, and so do weights that still fit; other weights start as random numbers.

    Raises `ExplorerError`: "no-stream" if the model has no layers that could be of another kind.
    """

    name: str  # of a member of `explorer.checkpoints.architectures`

    @property
    def label(self) -> str:
        return f"Make it a {self.name}"

    def apply(self, state: State) -> State:
        from explorer.checkpoints.architectures import as_member, member  # imported only when it is used

        if state.model.kind not in ("gpt", "encoder", "encoder-decoder"):
            raise ExplorerError("no-stream", name=self.name)
        model = as_member(member(self.name), state.model)
        if model == state.model:
            return state
        changed = state.rebuilt(model)
        return changed.with_inputs(taken_over(state, changed))


class Replace(Command, eq=False):
    """Replace the present state by another one: a lesson, one of its settings, a file."""

    state: State
    title: str  # its name for undo
    stroke: object = None  # equal for all steps of one training run, which may go back to an earlier state

    @property
    def label(self) -> str:
        return self.title

    def apply(self, state: State) -> State:
        return self.state
