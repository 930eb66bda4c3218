"""The values of a graph: which nodes an edit makes stale, how new values are published, and how values are read.

A forward pass computes the stale nodes and the nodes that depend on them, in order, into new arrays.

The other way to a gradient stands here, too: change one cell a little, down and up, and see how the loss changes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import floor, isnan, log10
from typing import Any

import numpy as np

from explorer.core.cell import Source, Step
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.gradients import Gradients
from explorer.core.graph import OF_LOSS, Graph, Node, Place, Root
from explorer.core.ops import Array


class Pin(Frozen, eq=False):
    """Cells of a computed node that a person holds at typed values."""

    cells: Array  # which cells, in the node's shape
    values: Array  # their values, in the node's shape; the values of all other cells are ignored

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
    """The forward pass: compute the stale nodes and the nodes that depend on them.

    `nodes`: the nodes to go through, in reading order.
    `inputs`: the given values; all other values are computed.
    `values`: the present values. The new ones replace them: new arrays, closed against writing. If a result has the
    same bytes as the old value, the old array stays and the nodes that depend on it are not recomputed.
    `stale`: the nodes that must be recomputed even if no parent changes.
    `between`: called before each node; an exception from it ends the pass.
    Returns the old values of the nodes that changed, and the nodes that were computed, in order.
    """
    before: dict[str, Array] = {}
    changed: set[str] = set()
    recomputed: list[str] = []
    first = not values  # nothing to compare with: of the time of a small model that is a twentieth
    # A masked row, an overflow and a NaN typed by hand are shown to the reader, so numpy does not warn about them.
    with np.errstate(all="ignore"):
        for node in nodes:
            name = node.name
            if not first and name not in stale and changed.isdisjoint(node.parents):
                continue
            if between is not None:
                between()
            if name in inputs:
                new = inputs[name]
            else:
                new = node.op.forward(*[values[parent] for parent in node.parents])
                if name in pins:
                    new = pins[name].over(new)
                new.setflags(False)  # type: ignore[call-arg]  # `write`, which takes twice as long by keyword
                recomputed.append(name)
            if first:
                values[name] = new
                continue
            if name in values:
                was = values[name]
                if was is new or same_bytes(was, new):
                    if name in inputs:
                        values[name] = new
                    continue
                before[name] = was
            values[name] = new
            changed.add(name)
    return before, recomputed


class Pass(Frozen, eq=False):
    """A forward pass that has begun but is not yet computed: what to compute, and from which values.

    It holds everything that it reads, and no array is ever written to, so any thread may compute it.
    """

    # `graph`, `inputs`, `pins`: the arguments of `Engine.begin`.
    graph: Graph
    inputs: Mapping[str, Array]
    pins: Mapping[str, Pin]
    values: Mapping[str, Array]  # the engine's values when the pass began
    stale: Set[str]  # the nodes that must be recomputed anyway; the nodes that depend on them follow while computing
    # `added`, `removed`: the nodes that the graph gained and lost.
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    @property
    def work(self) -> int:
        """About how many multiply-adds it takes at most."""
        return sum(map(self.graph.work.__getitem__, self.most))

    @property
    def most(self) -> Set[str]:
        """The nodes that it computes at most: the stale ones and all that depend on them."""
        return self.graph.with_dependents(self.stale)

    def compute(self, between: Callable[[], None] | None = None) -> "Computed":
        """Compute all nodes; `between` as in `run`."""
        values = dict(self.values)
        for name in self.removed:
            del values[name]
        before, recomputed = run(self.graph.nodes.values(), self.inputs, values, self.pins, self.stale, between)
        return Computed(self, values, before, tuple(recomputed))


class Computed(Frozen, eq=False):
    """The result of a pass; nothing of it is visible before it is published."""

    begun: Pass
    # `values`, `before`: all values; the old ones of those nodes that changed and were there before.
    values: Mapping[str, Array]
    before: Mapping[str, Array]
    recomputed: tuple[str, ...]  # the nodes that were computed, in order
    gradients: Gradients | None = None  # of the loss, if somebody asked for them

    def with_gradients(self, between: Callable[[], None] | None = None) -> "Computed":
        """The same result with all gradients of the loss computed; `between` as in `Pass.compute`."""
        graph = self.begun.graph
        gradients = Gradients(graph, self.values, held_cells(graph, self.begun.pins))
        gradients.several(graph.nodes, between)
        return replace(self, gradients=gradients)


def held_cells(graph: Graph, pins: Mapping[str, Pin]) -> dict[str, Array]:
    """The pinned cells of each pinned node."""
    return {name: pin.cells for name, pin in pins.items() if name in graph.nodes}


def same_bytes(a: Array, b: Array) -> bool:
    """Whether two arrays are equal bit for bit; NaN equals itself, 0 and −0 differ."""
    if a.size <= _PROBE:
        return a.tobytes() == b.tobytes() and a.shape == b.shape and a.dtype == b.dtype
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    one, other = a.ravel(), b.ravel()
    # Almost every edit changes some of the first cells; arrays with equal beginnings are compared whole.
    if one[:_PROBE].tobytes() != other[:_PROBE].tobytes():
        return False
    # Compared as integers of the same width: to copy whole matrices into bytes on a worker thread would hold the
    # interpreter, and so the window, for milliseconds.
    bits = f"u{a.itemsize}"
    one, other = one.view(bits), other.view(bits)
    ends = (_PROBE, *range(_BLOCK, a.size + _BLOCK, _BLOCK))
    return all(np.array_equal(one[i:j], other[i:j]) for i, j in pairwise(ends))


_PROBE, _BLOCK = 256, 2**16


class Outcome(Frozen):
    """What one update changed."""

    recomputed: tuple[str, ...] = ()  # computed nodes, in order; inputs are not among them
    # Nodes and inputs whose value changed. For those that existed before, `Engine.before` has the old value.
    changed: frozenset[str] = frozenset()
    # `added`, `removed`: nodes that the graph gained and lost.
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


_NOTHING = Graph({}, {}, (), {})


@dataclass
class Engine:
    """The values of one graph, always consistent with its inputs and pins.

    `update`, and its second half `publish`, are the only ways to change them. They never write into an array, so a view
    may keep old arrays (they also give the picture of before and after). All new values are published at once, so no
    reader sees half of an edit. Computed arrays are closed against writing for everybody.
    """

    graph: Graph = _NOTHING
    values: Mapping[str, Array] = field(default_factory=dict)  # of all nodes, in their shapes
    pins: Mapping[str, Pin] = field(default_factory=dict)  # by the name of the pinned node
    # The old values of the nodes that the last update changed; nodes that it added have none.
    before: Mapping[str, Array] = field(default_factory=dict)
    has_gradients: bool = field(default=False, init=False)
    """Whether the gradients of the loss came with the values; otherwise each is computed on demand."""
    _gradients: dict[Root, Gradients] = field(default_factory=dict, init=False, repr=False)

    def update(self, graph: Graph, inputs: Mapping[str, Array], pins: Mapping[str, Pin]) -> Outcome:
        """Take over this graph, these inputs and pins, and recompute the values that depend on what changed.

        `inputs`: a value for every input node, of the right shape. Arrays are taken as they are and must not be written
        to. If an op raises, nothing is published: the engine stays as it was.
        """
        return self.publish(self.begin(graph, inputs, pins).compute())

    def begin(self, graph: Graph, inputs: Mapping[str, Array], pins: Mapping[str, Pin]) -> Pass:
        """The first half of `update`, with the same arguments; another thread may compute the pass, or nobody."""
        if not self.values:
            return Pass(graph, inputs, pins, self.values, graph.node_names, graph.node_names)
        stale = {n for n in pins.keys() | self.pins.keys() if pins.get(n) is not self.pins.get(n)} & graph.nodes.keys()
        for name, array in inputs.items():
            if self.values.get(name) is not array:
                stale.add(name)
        if graph is self.graph:
            return Pass(graph, inputs, pins, self.values, stale)
        old = self.graph.nodes
        added, removed = graph.node_names - self.graph.node_names, self.graph.node_names - graph.node_names
        stale |= added
        for name, was in old.items():
            node = graph.nodes.get(name)
            if node is not None and (was.op != node.op or was.parents != node.parents):
                stale.add(name)
        return Pass(graph, inputs, pins, self.values, stale, added, removed)

    def publish(self, computed: Computed) -> Outcome:
        """The second half of `update`: replace all values in one swap."""
        begun = computed.begun
        assert begun.values is self.values, "other values have been published since the pass was begun"
        self.graph, self.pins, self.values, self.before = begun.graph, begun.pins, computed.values, computed.before
        self.has_gradients = computed.gradients is not None
        self._gradients = {} if computed.gradients is None else {OF_LOSS: computed.gradients}
        return Outcome(computed.recomputed, begun.added.union(computed.before), begun.added, begun.removed)

    # Reading

    def value(self, place: Place) -> Array:
        """The array of a node or of a head's slice of it."""
        array = self.values[place.node]
        return array if place.head is None else array[place.head]

    def labels(self, axis: str) -> tuple[str, ...]:
        """The labels of an axis: for a sequence its words, for other axes the fixed labels."""
        return self.graph.labels(axis, self.values)

    def labels_along(self, node: str, axis: int) -> tuple[str, ...]:
        """The labels along an axis of a node, by its number."""
        return self.labels(self.graph.nodes[node].axes[axis])

    def gradient(self, place: Place, root: Root = OF_LOSS) -> Array | None:
        """The gradient of a node, or of a head's slice of it, in its shape; None for whole numbers.

        It is computed on demand, with only the gradients that it needs, and kept until the next update.

        `root`: the number that is differentiated.
        Raises `ExplorerError`: "no-loss" if the model has no loss; for another root see `Gradients`.
        """
        array = self.gradients(root).of(place.node)
        return array if array is None or place.head is None else array[place.head]

    def explain_gradient(self, name: str, cell: tuple[int, ...], root: Root = OF_LOSS) -> Step:
        """The derivation of one cell of a node's gradient by the chain rule; see `Gradients.explain`."""
        return self.gradients(root).explain(name, cell)

    def gradients(self, root: Root = OF_LOSS) -> Gradients:
        """All gradients of one number, for the present values."""
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

        So a net answers for a whole grid of points, or the loss is computed for other weights, by the graph's own ops.

        `inputs`: values of input nodes. They may have leading batch axes or more rows, if the ops in between accept
        them.
        `name`: the node to compute.
        Returns the value, with the batch axes or rows of `inputs`.
        """
        above, values = self.graph.towards(name), dict(self.values)
        run((node for node in self.graph.nodes.values() if node.name in above), inputs, values, self.pins, inputs)
        return values[name]

    def what_ifs(self, inputs: Sequence[Mapping[str, Array]], name: str) -> Array:
        """What `what_if` says for each of several alternatives, nearly all of it in one pass.

        Ops repeat over leading axes, and the alternatives are one. A node is computed for each alternative by itself
        where that axis would not lead: if it reads one of `inputs`, or if it is one number, as a loss is, which would
        be that of all alternatives together.

        `inputs`: for each alternative the values of the same input nodes, in their usual shapes.
        Returns the values of the node, (alternatives, …). Their last digits may differ from those of `what_if`.
        """
        given, above = inputs[0].keys(), self.graph.towards(name)
        several: dict[str, Any] = {one: [alternative[one] for alternative in inputs] for one in given}
        with np.errstate(all="ignore"):
            for node in self.graph.nodes.values():
                if node.name not in above or node.name in given or several.keys().isdisjoint(node.parents):
                    continue
                shape = (len(inputs), *self.values[node.name].shape)
                new = None
                if given.isdisjoint(node.parents) and self._repeats(node, several):
                    new = node.op.forward(*[several.get(parent, self.values[parent]) for parent in node.parents])
                if new is None or new.shape != shape:
                    each = [several.get(parent, [self.values[parent]] * len(inputs)) for parent in node.parents]
                    new = np.stack([node.op.forward(*parents) for parents in zip(*each, strict=True)])
                pin = self.pins.get(node.name)
                several[node.name] = pin.over(new) if pin is not None else new
        found = several.get(name)
        return np.stack(found if found is not None else [self.values[name]] * len(inputs))

    def _repeats(self, node: Node, several: Mapping[str, Any]) -> bool:
        """Whether numpy would align a further axis of `several` as the first one, before the axes of all parents."""
        axes = {parent: self.values[parent].ndim for parent in node.parents}
        most = max(axes.values())
        aligned = "h" in node.op.subscripts or all(axes[parent] == most for parent in axes if parent in several)
        if node.op.picked is not None:  # numbers of columns have an axis less than the numbers in these columns
            aligned &= node.parents[node.op.picked] in several
        return aligned and self.values[node.name].ndim > 0

    def altered(self, values: Mapping[str, Array], gradients: Mapping[str, Array]) -> "Engine":
        """A copy of this engine with other numbers in some nodes; nothing is recomputed from them.

        `gradients`: other gradients of the loss for some nodes. All other gradients stay.
        """
        other = copy(self)
        other.values = {**self.values, **values}
        if gradients:
            other._gradients = {**self._gradients, OF_LOSS: self.gradients().altered(gradients)}
        return other

    def feeds(self, name: str, cell: tuple[int, ...]) -> dict[str, tuple[int | slice, ...]]:
        """For each child of a node, the index of those cells of the child that read the given cell.

        The index may include cells that do not read it: all rows of a look-up, though only some rows name the word.
        """
        fed: dict[str, tuple[int | slice, ...]] = {}
        shape = self.values[name].shape
        for child in self.graph.children[name]:
            node = self.graph.nodes[child]
            places = [i for i, parent in enumerate(node.parents) if parent == name]
            each = [node.op.feeds(i, cell, shape, self.values[child].shape) for i in places]
            along = zip(*each, strict=True)
            index = tuple([parts[0] if parts.count(parts[0]) == len(parts) else slice(None) for parts in along])
            if slice(0, 0) not in index:  # an empty slice: no cell of the child reads it
                fed[child] = index
        return fed


def fresh(graph: Graph, inputs: Mapping[str, Array], pins: Mapping[str, Pin]) -> Engine:
    """A new engine with all values computed; arguments as in `Engine.update`."""
    engine = Engine()
    engine.update(graph, inputs, pins)
    return engine


# A gradient found by changing a cell

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

    `h`: the nudge. 0 means the cube root of the rounding error, about 6e-6 in float64: there the errors by curvature
    and by rounding are equally small. If the two do not agree then, a thousandth of it is tried: a probability of 1e-5
    is hardly larger than 6e-6, and its log is strongly curved.
    `root`: the number whose change is measured.
    Raises `ExplorerError`: "no-gradient" for a node of whole numbers; the errors of `Engine.gradient` for an invalid
    root.
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
