"""Commands for the numbers and for the whole model: setting and pinning cells, switches, another kind, another state.

Numbers of input nodes are typed, dragged or computed elsewhere: single cells, whole arrays, or several arrays. Cells of
computed nodes are pinned to typed values, and released. A switch can be set in one block or in all blocks of the same
kind.
"""

from collections.abc import Mapping
from dataclasses import field, replace

import numpy as np

from explorer.core.engine import Pin, run, same_bytes
from explorer.core.errors import ExplorerError, require_cell, require_shape, some
from explorer.core.frozen import Frozen
from explorer.core.graph import LOSS, TARGET, Graph, Place
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import quantity
from explorer.core.ops import Array
from explorer.document.state import State, Writing, read_only


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


Cells = Mapping[tuple[int, ...], float]


class SetCells(Command):
    """Set cells of an input node, or of a head's slice of one."""

    name: str  # such as "encoder.1.self.head.1.W_Q"
    cells: Cells  # a cell is an index, counted from 0, into the node's or the slice's own shape
    stroke: object = field(default=None, compare=False)  # equal for all steps of one drag

    @property
    def label(self) -> str:
        if len(self.cells) == 1:
            ((cell, _),) = self.cells.items()
            return f"Set {self.name}[{', '.join(map(str, cell))}]" if cell else f"Set {self.name}"
        return f"Set {len(self.cells)} cells of {self.name}"

    def apply(self, state: State) -> State:
        place = input_place(state, self.name)
        cells = checked(state, self.name, place, self.cells)
        return state.edited(place.node, *cells.items())


class SetArray(Command, eq=False):
    """Set all numbers of an input node, or of a head's slice of one."""

    name: str
    values: Array | Writing  # in the node's or slice's shape
    what: str = "Set"  # the verb for undo, such as "Randomise"

    @property
    def label(self) -> str:
        return f"{self.what} {self.name}"

    def apply(self, state: State) -> State:
        place = input_place(state, self.name)
        require_shape(self.name, self.values.shape, state.graph.shape(place.node)[len(place.index) :])
        return state.edited(place.node, (place.index, self.values))


class SetInputs(Command, eq=False):
    """Set several input nodes at once, such as all weights after a training step."""

    arrays: Mapping[str, Array]  # in the nodes' shapes
    title: str  # its name for undo
    stroke: object = None  # equal for all steps of one run

    @property
    def label(self) -> str:
        return self.title

    def apply(self, state: State) -> State:
        for name, array in self.arrays.items():
            require_shape(name, array.shape, state.inputs[input_place(state, name).node].shape)
        return state.with_inputs(self.arrays)


def input_place(state: State, name: str) -> Place:
    """The place of an input node or of a head's slice of one; refuses computed nodes."""
    place = state.graph.place(name)
    if not state.graph.nodes[place.node].is_input:
        inputs = some(state.graph.inputs_of(place.node)) or "none"
        raise ExplorerError("not-editable", name=name, inputs=inputs)
    return place


def checked(state: State, name: str, place: Place, cells: Cells) -> dict[tuple[int, ...], Array]:
    """The numbers of cells in the node's number type, by their index in the node's array.

    `name`: the name of the node, or of the head's slice, in messages.
    `cells`: indices into the node or the slice.
    Raises `ExplorerError`: "bad-cell", or "bad-token-id" for a node of whole numbers.
    """
    shape = state.graph.shape(place.node)[len(place.index) :]
    whole = state.graph.nodes[place.node].op.whole
    for cell, value in cells.items():
        require_cell(name, cell, shape)
        if whole:
            first, last = first_number(state.graph, place.node), last_number(state.graph, place.node)
            if not (float(value).is_integer() and first <= value <= last):
                raise ExplorerError("bad-token-id", name=name, first=first, last=last, value=value)
    with np.errstate(over="ignore"):  # a number too large for float32 becomes infinite
        dtype = np.int64 if whole else state.model.dtype
        return {place.index + cell: np.asarray(value, dtype) for cell, value in cells.items()}


def first_number(graph: Graph, name: str) -> int:
    """The smallest number that a node of whole numbers may hold."""
    return -graph.nodes[name].op.codes


def last_number(graph: Graph, name: str) -> int:
    """The largest number that a node of whole numbers may hold."""
    node = graph.nodes[name]
    if node.op.codes:
        return node.op.codes
    if node.op.picks:
        return len(graph.axes[graph.nodes[node.parents[0]].axes[-1]]) - 1
    if name == TARGET:
        return len(graph.axes[graph.nodes[graph.nodes[LOSS].parents[0]].axes[-1]]) - 1
    for child in (graph.nodes[child] for child in graph.children[name]):
        if child.op.looks_up is not None and child.parents[0] == name:
            return graph.shape(child.parents[child.op.looks_up])[0] - 1
    if len(node.axes) == 1:
        return len(graph.vocabulary(node.axes[0])) - 1
    return 1  # a mask


class PinCells(Command):
    """Hold cells of a computed node at typed values."""

    name: str  # a computed node, or a head's slice of one
    cells: Cells  # a cell is an index, counted from 0, into the node's or the slice's own shape
    stroke: object = field(default=None, compare=False)  # equal for all steps of one drag

    @property
    def label(self) -> str:
        return f"Pin {quantity(len(self.cells), 'cell')} of {self.name}"

    def apply(self, state: State) -> State:
        place = state.graph.place(self.name)
        node = state.graph.nodes[place.node]
        if node.is_input:
            raise ExplorerError("pin-of-input", name=self.name)
        shape, dtype = state.graph.shape(place.node), np.int64 if node.op.whole else state.model.dtype
        old = state.pins.get(place.node) or Pin(np.zeros(shape, dtype=bool), np.zeros(shape, dtype=dtype))
        held, values = old.cells.copy(), old.values.copy()
        for cell, number in checked(state, self.name, place, self.cells).items():
            held[cell], values[cell] = True, number
        if same_bytes(held, old.cells) and same_bytes(values, old.values):
            return state
        return replace(state, pins={**state.pins, place.node: Pin(read_only(held), read_only(values))})


class Release(Command):
    """Release pinned cells, so that they are computed again."""

    name: str
    cells: tuple[tuple[int, ...], ...] = ()  # empty: all cells of the node or slice

    @property
    def label(self) -> str:
        return f"Release {self.name}"

    def apply(self, state: State) -> State:
        place = state.graph.place(self.name)
        shape = state.graph.shape(place.node)[len(place.index) :]
        for cell in self.cells:
            require_cell(self.name, cell, shape)
        if place.node not in state.pins:
            return state
        pin = state.pins[place.node]
        held = pin.cells.copy()
        for cell in self.cells or ((),):
            held[place.index + cell] = False
        if same_bytes(held, pin.cells):
            return state
        pins = {n: p for n, p in state.pins.items() if n != place.node}
        if held.any():
            pins[place.node] = Pin(read_only(held), pin.values)
        return replace(state, pins=pins)


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
