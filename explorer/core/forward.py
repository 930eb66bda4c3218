"""A forward pass: the nodes that an edit makes stale, and what they feed, executed in order into new arrays."""

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from explorer.core.gradients import Gradients
from explorer.core.graph import Graph
from explorer.core.node import Node
from explorer.core.ops import Array


@dataclass(frozen=True, eq=False)
class Pin:
    """Cells of a computed node that are held at values typed by hand."""

    cells: Array  # which cells, in the node's shape
    values: Array  # their values, in the node's shape; what stands in the other cells is not read

    def over(self, computed: Array) -> Array:
        """The computed array with the pinned cells laid over it."""
        return np.where(self.cells, self.values, computed).astype(computed.dtype, copy=False)


def run(
    nodes: Iterable[Node],
    inputs: Mapping[str, Array],
    values: dict[str, Array],
    pins: Mapping[str, Pin],
    stale: Collection[str],
    between: Callable[[], None] | None = None,
) -> tuple[dict[str, Array], list[str]]:
    """The forward pass: give the stale nodes, and what they feed, their values.

    Parameters
    ----------
    nodes : iterable of Node
        Those to go through, in reading order.
    inputs : mapping of str to numpy.ndarray
        Values that are given; all others are computed.
    values : dict of str to numpy.ndarray
        The values there are, into which the new ones go: new arrays, closed against writing. A result with the same
        bytes as the old one leaves that where it is and goes no further.
    stale : collection of str
        The nodes that cannot be kept for reasons of their own.
    between : callable, optional
        Called before each node; what it raises ends the pass.

    Returns
    -------
    before : dict of str to numpy.ndarray
        The old values of the nodes that changed.
    recomputed : list of str
        The executed nodes, in order.
    """
    before: dict[str, Array] = {}
    changed: set[str] = set()
    recomputed: list[str] = []
    # A masked row, an overflow or a NaN typed by hand are things to look at, not to warn about.
    with np.errstate(all="ignore"):
        for node in nodes:
            name, parents = node.name, node.parents
            if name not in stale and changed.isdisjoint(parents):
                continue
            if between is not None:
                between()
            given = name in inputs
            if given:
                new = inputs[name]
            else:
                new = node.op.forward(*[values[parent] for parent in parents])
                if name in pins:
                    new = pins[name].over(new)
                new.setflags(False)  # type: ignore[call-arg]  # `write`: by its name it takes twice as long
                recomputed.append(name)
            if name in values:
                was = values[name]
                if was is new or same_bytes(was, new):
                    if given:
                        values[name] = new
                    continue
                before[name] = was
            values[name] = new
            changed.add(name)
    return before, recomputed


@dataclass(frozen=True, eq=False)
class Pass:
    """A forward pass that has been begun: what is to be computed, and from which values.

    It holds all that it reads, and nobody writes into an array, so any thread may compute it.
    """

    # `graph`, `inputs`, `pins`: as given to `Engine.begin`.
    graph: Graph
    inputs: Mapping[str, Array]
    pins: Mapping[str, Pin]
    values: Mapping[str, Array]  # those that the engine had when it was begun
    stale: Set[str]  # the nodes that cannot be kept for reasons of their own; what they feed follows while computing
    # `added`, `removed`: the nodes that the graph gained and lost.
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    @property
    def work(self) -> int:
        """About how many multiply-adds it takes at most: those of all nodes that something stale feeds."""
        found: set[str] = set(self.stale)
        for name, node in self.graph.nodes.items():
            if not found.isdisjoint(node.parents):
                found.add(name)
        return sum(map(self.graph.work.__getitem__, found))

    def compute(self, between: Callable[[], None] | None = None) -> "Computed":
        """Run it; `between` as of `run`."""
        values = dict(self.values)
        for name in self.removed:
            del values[name]
        before, recomputed = run(self.graph.nodes.values(), self.inputs, values, self.pins, self.stale, between)
        return Computed(self, values, before, tuple(recomputed))


@dataclass(frozen=True, eq=False)
class Computed:
    """What a pass came to; nobody sees it before it is published."""

    begun: Pass
    # `values`, `before`: all values; the old ones of those nodes that changed and were there before.
    values: Mapping[str, Array]
    before: Mapping[str, Array]
    recomputed: tuple[str, ...]  # the executed nodes, in order
    gradients: Gradients | None = None  # of the loss, where somebody has asked for them

    def with_gradients(self, between: Callable[[], None] | None = None) -> "Computed":
        """The same with the gradients of the loss, all computed; `between` as in `Pass.compute`."""
        graph = self.begun.graph
        gradients = Gradients(graph, self.values, held_cells(graph, self.begun.pins))
        gradients.several(graph.nodes, between)
        return replace(self, gradients=gradients)


def held_cells(graph: Graph, pins: Mapping[str, Pin]) -> dict[str, Array]:
    """Which cells of which nodes are held."""
    return {name: pin.cells for name, pin in pins.items() if name in graph.nodes}


def same_bytes(a: Array, b: Array) -> bool:
    """Whether two arrays are equal bit for bit; NaN equals itself, 0 and −0 differ."""
    if a.size <= _PROBE:
        return a.tobytes() == b.tobytes() and a.shape == b.shape and a.dtype == b.dtype
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    one, other = a.ravel(), b.ravel()
    # Almost every edit shows in the first cells; only equal beginnings are worth comparing whole.
    if one[:_PROBE].tobytes() != other[:_PROBE].tobytes():
        return False
    # In numbers of as many bits: a worker that copies whole matrices into bytes would hold the interpreter, and so the
    # window, for milliseconds.
    bits = f"u{a.itemsize}"
    one, other = one.view(bits), other.view(bits)
    ends = (_PROBE, *range(_BLOCK, a.size + _BLOCK, _BLOCK))
    return all(np.array_equal(one[i:j], other[i:j]) for i, j in pairwise(ends))


_PROBE, _BLOCK = 256, 2**16
