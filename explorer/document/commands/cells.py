"""Setting numbers of input nodes, typed, dragged or computed elsewhere: single cells, whole arrays, or several arrays.

Pinning cells of computed nodes to typed values, and releasing them.
"""

from collections.abc import Mapping
from dataclasses import field, replace

import numpy as np

from explorer.core.engine import Pin, same_bytes
from explorer.core.errors import ExplorerError, require_cell, require_shape
from explorer.core.graph import LOSS, TARGET, Graph, Place
from explorer.core.ops import Array
from explorer.document.commands.base import Command
from explorer.document.deferred import Writing
from explorer.document.state import State, read_only

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
        inputs = ", ".join(state.graph.inputs_of(place.node)) or "none"
        raise ExplorerError("not-editable", name=name, inputs=inputs)
    return place


def checked(state: State, name: str, place: Place, cells: Cells) -> dict[tuple[int, ...], Array]:
    """The numbers of cells in the node's number type, by their index in the node's array.

    Parameters
    ----------
    state : State
        The state that they are for.
    name : str
        The name of the node, or of the head's slice, in messages.
    place : Place
        The place with that name.
    cells : mapping of cell to float
        Indices into the node or the slice.

    Raises
    ------
    ExplorerError
        "bad-cell", or "bad-token-id" for a node of whole numbers.
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
        return len(graph.axes[graph.sequences[node.axes[0]]]) - 1
    return 1  # a mask


class PinCells(Command):
    """Hold cells of a computed node at typed values."""

    name: str  # a computed node, or a head's slice of one
    cells: Cells  # a cell is an index, counted from 0, into the node's or the slice's own shape
    stroke: object = field(default=None, compare=False)  # equal for all steps of one drag

    @property
    def label(self) -> str:
        return f"Pin {len(self.cells)} cell{'s' * (len(self.cells) > 1)} of {self.name}"

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
