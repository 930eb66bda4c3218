"""Computed cells held at values typed by hand, and released again."""

from dataclasses import dataclass, field, replace

import numpy as np

from explorer.core.engine import Pin, same_bytes
from explorer.core.errors import ExplorerError, require_cell
from explorer.document.commands.base import Command
from explorer.document.commands.cells import Cells, write_cells
from explorer.document.state import State, frozen


@dataclass(frozen=True)
class PinCells(Command):
    """Hold cells of a computed node at values typed by hand."""

    name: str  # a computed node, or a head's slice of one
    cells: Cells  # a cell is counted from 0 in the node's, or the slice's, own shape
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
        write_cells(state, self.name, place, values, self.cells)
        for cell in self.cells:
            held[place.index + cell] = True
        if same_bytes(held, old.cells) and same_bytes(values, old.values):
            return state
        return replace(state, pins={**state.pins, place.node: Pin(frozen(held), frozen(values))})


@dataclass(frozen=True)
class Release(Command):
    """Let pinned cells be computed again."""

    name: str
    cells: tuple[tuple[int, ...], ...] = ()  # empty: all of the node or slice

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
            pins[place.node] = Pin(frozen(held), pin.values)
        return replace(state, pins=pins)
