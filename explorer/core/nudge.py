"""The other way to a gradient: change one cell a little, down and up, and see how the loss changes."""

from math import floor, isnan, log10

import numpy as np

from explorer.core.engine import Engine, Pin
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.gradients import OF_LOSS, Root
from explorer.core.graph import Graph
from explorer.core.ops import Array

CLOSE = 1e-2
"""The largest relative difference between a slope and a gradient that counts as the same."""


class Check(Frozen):
    """A gradient beside the slope measured by nudging."""

    h: float  # how far the cell is nudged down and up
    # `below`, `above`: the value of the root with the cell nudged down, and up.
    below: float
    above: float
    slope: float  # the central difference, (above − below) / 2h
    gradient: float  # by back-propagation
    rounded: bool = False  # whether the root depends on the cell through rounding, which the gradient ignores

    @property
    def error(self) -> float:
        """The difference of slope and gradient relative to the larger of them; 0 where both are 0."""
        largest = max(abs(self.slope), abs(self.gradient))
        return abs(self.slope - self.gradient) / largest if largest else 0.0

    @property
    def agrees(self) -> bool:
        """Whether slope and gradient are the same within the limits of rounding."""
        return self.error < CLOSE

    def agreement(self, root: str = "the loss") -> str:
        """A text that says how far slope and gradient agree, or why they do not; `root`: the name of the number."""
        if isnan(self.error):
            return f"on one side {root} is not a finite number"
        if not self.error:
            return "the same"
        if self.agrees:
            return f"the same to {floor(-log10(self.error))} digits"
        if self.rounded:
            return (
                "≠ the gradient goes straight through the rounding, as if it were not there; the slope is 0 or a jump"
            )
        return f"≠ within ±h {root} has a corner, or is too flat for its digits"


def check_cell(engine: Engine, name: str, cell: tuple[int, ...], h: float = 0, root: Root = OF_LOSS) -> Check:
    """Nudge one cell, recompute everything that depends on it, and compare; the engine stays as it is.

    An input gets the new value; a computed cell is pinned, so that its parents do not matter.

    Parameters
    ----------
    name : str
        A node.
    cell : tuple of int
        One of its cells.
    h : float
        The nudge. 0 means the cube root of the rounding error, about 6e-6 in float64: there the errors by curvature and
        by rounding are equally small. If the two do not agree then, a thousandth of it is tried: a probability of 1e-5
        is hardly larger than 6e-6, and its log is strongly curved.
    root : Root
        The number whose change is measured.

    Raises
    ------
    ExplorerError
        "no-gradient" for a node of whole numbers; the errors of `Engine.gradient` for an invalid root.
    """
    gradient, value = engine.gradients(root).of(name), engine.values[name]
    if gradient is None:
        raise ExplorerError("no-gradient", name=name)
    usual = float(np.cbrt(np.finfo(value.dtype).eps))
    check = _check(engine, name, cell, h or usual, root, float(gradient[cell]))
    if h or check.agrees:
        return check
    return min(check, _check(engine, name, cell, usual / 1000, root, check.gradient), key=lambda one: one.error)


def _check(engine: Engine, name: str, cell: tuple[int, ...], h: float, root: Root, gradient: float) -> Check:
    value = engine.values[name]
    at: list[float] = []
    results: list[float] = []
    for way in (-h, h):
        nudged = value.copy()
        with np.errstate(all="ignore"):
            nudged[cell] += way
        at.append(float(nudged[cell]))
        results.append(_nudged(engine, name, cell, nudged, root))
    below, above = results
    with np.errstate(all="ignore"):
        # The real distance of the two points: x + h is rounded, too. An infinite cell does not move, nor does the loss.
        unmoved = at[0] == at[1] and above == below
        slope = 0.0 if unmoved else np.divide(above - below, at[1] - at[0])
    return Check(h, below, above, float(slope), gradient, _is_rounded(engine.graph, name, root.node))


def _is_rounded(graph: Graph, name: str, root: str) -> bool:
    """Whether a number between the two nodes is rounded and its gradient goes straight through."""
    way = {root} | graph.ancestors(root)
    rounded = [node.parents for node in graph.nodes.values() if node.name in way and node.op.straight_through]
    return any(name == parent or name in graph.ancestors(parent) for parents in rounded for parent in parents)


def _nudged(engine: Engine, name: str, cell: tuple[int, ...], value: Array, root: Root) -> float:
    """The root, if one cell of a node has another value."""
    graph = engine.graph
    inputs = {n: engine.values[n] for n, node in graph.nodes.items() if node.is_input}
    pins = dict(engine.pins)
    if name in inputs:
        inputs[name] = value
    else:
        held = np.zeros(value.shape, dtype=bool)
        if name in pins:
            held |= pins[name].cells
        held[cell] = True
        pins[name] = Pin(held, value)
    other = Engine(graph, engine.values, engine.pins)
    other.update(graph, inputs, pins)
    return float(other.values[root.node][root.cell])
