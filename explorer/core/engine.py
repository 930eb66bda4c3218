"""The values of a graph: what an edit makes stale, publishing what was recomputed, and reading.

A forward pass: the nodes that an edit makes stale, and what they feed, executed in order into new arrays.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from explorer.core.cell import Source, Step
from explorer.core.gradients import LOSS, Gradients, Root
from explorer.core.graph import Graph, Node, Place
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
        """About how many multiply-adds it takes at most."""
        return sum(map(self.graph.work.__getitem__, self.most))

    @property
    def most(self) -> Set[str]:
        """The nodes that it runs at most: all that something stale feeds."""
        found: set[str] = set(self.stale)
        for name, node in self.graph.nodes.items():
            if not found.isdisjoint(node.parents):
                found.add(name)
        return found

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


@dataclass(frozen=True)
class Outcome:
    """What one update did."""

    recomputed: tuple[str, ...] = ()  # nodes that were executed, in order, inputs not among them
    # Nodes, inputs among them, whose value is not what it was. Of those that were there before, `Engine.before` has the
    # old value.
    changed: frozenset[str] = frozenset()
    # `added`, `removed`: nodes that the graph gained and lost.
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


_NOTHING = Graph({}, {}, (), {})


@dataclass
class Engine:
    """The values of one graph, kept true to its inputs and pins.

    `update` and its second half `publish` are the only ways in. They never write into an array: views may hold the old
    ones, which also gives the before/after picture; and all new values are published at once, so that a reader never
    sees half of an edit. What is computed is closed against writing, so nobody else can either.
    """

    graph: Graph = _NOTHING
    values: Mapping[str, Array] = field(default_factory=dict)  # of all nodes, in their shapes
    pins: Mapping[str, Pin] = field(default_factory=dict)  # by the names of the nodes that they hold
    # The old values of the nodes that the last update changed, but for those that it added.
    before: Mapping[str, Array] = field(default_factory=dict)
    has_gradients: bool = field(default=False, init=False)
    """Whether those of the loss came with the values; otherwise each is computed when it is asked for."""
    _gradients: dict[Root, Gradients] = field(default_factory=dict, init=False, repr=False)

    def update(self, graph: Graph, inputs: Mapping[str, Array], pins: Mapping[str, Pin]) -> Outcome:
        """Make the values those of the given graph, inputs and pins, recomputing what has to be and nothing else.

        `inputs`: a value for every input node, of the right shape. Arrays are taken as they are and must not be written
        to.

        Returns
        -------
        Outcome

        Notes
        -----
        If an op raises, nothing is published: the engine stays as it was.
        """
        return self.publish(self.begin(graph, inputs, pins).compute())

    def begin(self, graph: Graph, inputs: Mapping[str, Array], pins: Mapping[str, Pin]) -> Pass:
        """The first half of `update`, with its arguments, for a pass that another thread computes, or nobody."""
        if not self.values:
            every = frozenset(graph.nodes)
            return Pass(graph, inputs, pins, self.values, every, every)
        stale = {n for n in pins.keys() | self.pins.keys() if pins.get(n) is not self.pins.get(n)} & graph.nodes.keys()
        for name, array in inputs.items():
            if self.values.get(name) is not array:
                stale.add(name)
        if graph is self.graph:
            return Pass(graph, inputs, pins, self.values, stale)
        old = self.graph.nodes
        added, removed = frozenset(graph.nodes.keys() - old.keys()), frozenset(old.keys() - graph.nodes.keys())
        stale |= added
        for name, was in old.items():
            node = graph.nodes.get(name)
            if node is not None and (was.op != node.op or was.parents != node.parents):
                stale.add(name)
        return Pass(graph, inputs, pins, self.values, stale, added, removed)

    def publish(self, computed: Computed) -> Outcome:
        """The second half of `update`: one swap."""
        begun = computed.begun
        assert begun.values is self.values, "other values have been published since the pass was begun"
        self.graph, self.pins, self.values, self.before = begun.graph, begun.pins, computed.values, computed.before
        self.has_gradients = computed.gradients is not None
        self._gradients = {} if computed.gradients is None else {LOSS: computed.gradients}
        return Outcome(computed.recomputed, begun.added.union(computed.before), begun.added, begun.removed)

    # Reading

    def value(self, place: Place) -> Array:
        """The array of a node or of a head's slice of it."""
        array = self.values[place.node]
        return array if place.head is None else array[place.head]

    def labels(self, axis: str) -> tuple[str, ...]:
        """The labels along an axis: for a sequence its words, else the fixed labels."""
        return self.graph.labels(axis, self.values)

    def gradient(self, place: Place, root: Root = LOSS) -> Array | None:
        """The gradient of a node, or of a head's slice of it, in its shape; None for whole numbers.

        Computed when it is asked for, with what it needs and nothing else, and kept until the next update.

        `root`: the number whose gradient it is.

        Raises `ExplorerError`: "no-loss" where there is no loss, or what is wrong with another root.
        """
        array = self.gradients(root).of(place.node)
        return array if array is None or place.head is None else array[place.head]

    def explain_gradient(self, name: str, cell: tuple[int, ...], root: Root = LOSS) -> Step:
        """The derivation of one cell of a node's gradient by the chain rule; see `Gradients.explain`."""
        return self.gradients(root).explain(name, cell)

    def gradients(self, root: Root = LOSS) -> Gradients:
        """All gradients of one number, as the values are now."""
        if root not in self._gradients:
            self._gradients[root] = Gradients(self.graph, self.values, held_cells(self.graph, self.pins), root)
        return self._gradients[root]

    def explain(self, name: str, cell: tuple[int, ...]) -> Step | None:
        """The derivation of one cell of a node; None for an input or a pinned cell, which are not computed."""
        node = self.graph.nodes[name]
        if node.is_input or self.pinned(name, cell):
            return None
        with np.errstate(all="ignore"):  # as in forward
            return node.op.explain(cell, *(Source(p, self.values[p]) for p in node.parents))

    def pinned(self, name: str, cell: tuple[int, ...]) -> bool:
        """Whether the cell is held at a value typed by hand."""
        pin = self.pins.get(name)
        return pin is not None and bool(pin.cells[cell])

    def what_if(self, inputs: Mapping[str, Array], name: str) -> Array:
        """The value that a node would have if some inputs had other values; nothing is published.

        So a net answers for a whole grid of points, or the loss is had for other weights, by the graph's own ops.

        Parameters
        ----------
        inputs : mapping of str to numpy.ndarray
            Of input nodes. They may have leading batch axes or more rows, as far as the ops in between take them.
        name : str
            The node that is asked for.

        Returns
        -------
        numpy.ndarray
            With the batch axes or rows of `inputs`.
        """
        above, values = self.graph.towards(name), dict(self.values)
        run((node for node in self.graph.nodes.values() if node.name in above), inputs, values, self.pins, inputs)
        return values[name]

    def altered(self, values: Mapping[str, Array], gradients: Mapping[str, Array]) -> "Engine":
        """An engine with other numbers in some nodes; nothing else is recomputed for them.

        `gradients`: other ones of the loss. All that it does not name are what they were.
        """
        other = copy(self)
        other.values = {**self.values, **values}
        if gradients:
            other._gradients = {**self._gradients, LOSS: self.gradients().altered(gradients)}
        return other

    def feeds(self, name: str, cell: tuple[int, ...]) -> dict[str, tuple[int | slice, ...]]:
        """For each child of a node, the index of those of its cells that read the given cell.

        The index may take in cells that happen not to read it: all rows of a look-up, of which only some name the word.
        """
        fed: dict[str, tuple[int | slice, ...]] = {}
        shape = self.values[name].shape
        for child in self.graph.children[name]:
            node = self.graph.nodes[child]
            places = [i for i, parent in enumerate(node.parents) if parent == name]
            each = [node.op.feeds(i, cell, shape, self.values[child].shape) for i in places]
            along = zip(*each, strict=True)
            index = tuple([parts[0] if parts.count(parts[0]) == len(parts) else slice(None) for parts in along])
            if slice(0, 0) not in index:  # a first word is no word's next one
                fed[child] = index
        return fed


def fresh(graph: Graph, inputs: Mapping[str, Array], pins: Mapping[str, Pin]) -> Engine:
    """A new engine with all values computed; arguments as of `Engine.update`."""
    engine = Engine()
    engine.update(graph, inputs, pins)
    return engine
