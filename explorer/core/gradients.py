"""How much one number changes with each number that it depends on, and the derivation of that.

Back-propagation is one walk from a number back through the nodes that it was computed from. Reverse mode (Rumelhart,
Hinton & Williams 1986; Goodfellow et al. 2016, §6.5): a node's gradient is the sum of what its children pass on to it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import product
from typing import NamedTuple

import numpy as np

from explorer.core.cell import Constant, Index, Operand, Source, Step, cells_of, step
from explorer.core.errors import ExplorerError, require_cell
from explorer.core.graph import OF_LOSS, Graph, Link, Root
from explorer.core.ops import Array, CrossEntropy


class Stop(NamedTuple):
    """One node of the walk."""

    name: str
    takes: tuple[Link, ...] | None  # the links whose gradients add up to its own; None if that is known, or not needed
    passes: Collection[int]  # the places of the parents to which it passes something on
    # For a softmax, the cross-entropy whose gradient goes through both ops in one step, (P − y) / n; the gradient of
    # the softmax itself is then not needed.
    loss: str | None


def planned(
    graph: Graph,
    names: Iterable[str],
    held: Collection[str],
    root: str,
    known: Collection[str],
    passed: Collection[Link],
) -> list[Stop]:
    """The nodes to visit from a number back to the wanted nodes, and no others.

    `names`: the nodes whose gradients are wanted.
    `held`: the nodes that have pinned cells.
    `root`: the node of the number.
    `known`: the nodes whose gradients are already computed, the root's among them.
    `passed`: the links along which something has already been passed on.
    """
    links, names = graph.towards(root), set(names)
    losses: dict[str, str | None] = {}
    takes: dict[str, tuple[Link, ...]] = {}
    passes: dict[str, set[int]] = {}
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in losses:
            continue
        own = links.get(name, ())
        losses[name] = loss_of_softmax(graph, held, name, own)
        if name in known:
            continue
        takes_its_own = name in names or losses[name] is None
        if takes_its_own:
            takes[name] = own
        for link in own:
            child, place = link
            queue.append(child)
            if takes_its_own and link not in passed:
                passes.setdefault(child, set()).add(place)
    order = sorted(losses, key=graph.position.__getitem__, reverse=True)
    return [Stop(name, takes.get(name), passes.get(name, ()), losses[name]) for name in order]


def walk(
    graph: Graph,
    values: Mapping[str, Array],
    held: Mapping[str, Array],
    stops: Sequence[Stop],
    found: dict[str, Array],
    passed: dict[Link, Array | None],
    keep: Collection[str] | None = None,
    between: Callable[[], None] | None = None,
) -> None:
    """The backward pass: visit the planned nodes.

    `values`: of all nodes that the root depends on.
    `held`: the pinned cells of nodes. A pinned cell has a gradient, but it passes nothing on: its value does not depend
    on the parents.
    `found`: the known gradients, by node; the new ones are added.
    `passed`: what has been passed on, by link; None if no gradient flows.
    `keep`: the nodes whose gradients stay; every other array is freed as soon as it has been passed on, because a
    training step is quicker if it reuses the same memory. By default everything stays.
    `between`: called before each node; an exception from it ends the walk.
    """
    if keep is not None:  # what a softmax passes on is computed from its loss
        keep = {*keep, *(stop.loss for stop in stops if stop.loss is not None)}
    with np.errstate(all="ignore"):  # as in forward
        for stop in stops:
            if between is not None:
                between()
            name = stop.name
            if stop.takes is not None:
                parts = [part for link in stop.takes if (part := passed[link]) is not None]
                found[name] = added_up(parts) if parts else np.zeros_like(values[name])
                if keep is not None:
                    for link in stop.takes:
                        del passed[link]
            if stop.passes:
                source = stop.loss or name
                each = passed_on(graph, values, held, name, stop.loss, found[source], stop.passes)
                for place in stop.passes:
                    passed[name, place] = each[place]
                if keep is not None and source not in keep:
                    del found[source]


def added_up(parts: Sequence[Array]) -> Array:
    """The sum of the arrays that the children pass on (at least one); a new array if there are several."""
    if len(parts) == 1:
        return parts[0]
    total: Array = np.add(parts[0], parts[1])
    for part in parts[2:]:
        total += part
    return total


def passed_on(
    graph: Graph,
    values: Mapping[str, Array],
    held: Mapping[str, Array],
    name: str,
    loss: str | None,
    gradient: Array,
    places: Collection[int],
) -> tuple[Array | None, ...]:
    """What a node passes on to its parents: the single step of back-propagation.

    `graph`, `values`, `held`: as in `walk`.
    `loss`: as in `loss_of_softmax`.
    `gradient`: the node's gradient; with a `loss`, the gradient of the loss.
    `places`: the places of the wanted parents; the entries of other parents may be missing.
    """
    node = graph.nodes[name]
    if loss is not None:
        op, target = graph.nodes[loss].op, graph.nodes[loss].parents[1]
        assert isinstance(op, CrossEntropy)
        return (op.through_softmax(gradient, values[name], values[target]),)
    if name in held:
        gradient = np.where(held[name], 0, gradient)
    parents = [values[parent] for parent in node.parents]
    wanted = [place in places for place in range(len(parents))]
    return node.op.backward_to(wanted, gradient, computed(graph, values, held, name), *parents)


def computed(graph: Graph, values: Mapping[str, Array], held: Collection[str], name: str) -> Array:
    """A node's value as its op computes it, without pins: the slopes of the unpinned cells depend on it."""
    if name not in held:
        return values[name]
    node = graph.nodes[name]
    with np.errstate(all="ignore"):
        return node.op.forward(*(values[parent] for parent in node.parents))


def loss_of_softmax(graph: Graph, held: Collection[str], name: str, links: Sequence[Link]) -> str | None:
    """The cross-entropy, if it is all that the root reads of a softmax: the walk passes both in one step.

    `graph`, `held`: as in `planned`.
    `links`: the node's links towards the root.
    """
    if not graph.nodes[name].op.softens or len(links) != 1:
        return None
    ((child, _),) = links
    return child if graph.nodes[child].op.of_words and name not in held and child not in held else None


class Gradients:
    """The gradient of one number with respect to any node, for one state of the values.

    Each is computed on demand, with only the gradients that it needs, and kept.

    `values`: of all nodes.
    `held`: the pinned cells of nodes, as in `walk`.
    Raises `ExplorerError`: "no-loss" for the loss of a graph that has none; "unknown-node", "bad-cell" or "no-gradient"
    for another root that cannot be one.
    """

    def __init__(
        self, graph: Graph, values: Mapping[str, Array], held: Mapping[str, Array], root: Root = OF_LOSS
    ) -> None:
        if root == OF_LOSS and root.node not in graph.nodes:
            raise ExplorerError("no-loss")
        graph.place(root.node)  # raises where there is no such node
        require_cell(root.node, root.cell, values[root.node].shape)
        self.graph, self.values, self.held, self.root = graph, values, held, root
        self._check_flows(root.node)
        self._links = graph.towards(root.node)
        seed = np.zeros_like(values[root.node])
        seed[root.cell] = 1
        self._found: dict[str, Array] = {root.node: seed}
        self._passed: dict[Link, Array | None] = {}

    def of(self, name: str) -> Array | None:
        """The gradient of a node, in its shape; 0 where the root does not depend on it, None for whole numbers."""
        return self.several([name]).get(name)

    def several(self, names: Iterable[str], between: Callable[[], None] | None = None) -> dict[str, Array]:
        """The gradients of those of some nodes that have one, by name, computed in a single walk.

        `between`: called before each node of the walk; an exception from it ends the walk.
        """
        names = [name for name in names if self._flows(name)]
        if not self._found.keys() >= set(names):
            stops = planned(self.graph, names, self.held, self.root.node, self._found, self._passed)
            walk(self.graph, self.values, self.held, stops, self._found, self._passed, between=between)
        return {name: self._found[name] for name in names}

    def altered(self, found: Mapping[str, Array]) -> "Gradients":
        """The same object with other gradients of some nodes, in their shapes."""
        other = copy(self)
        other._found = {**self._found, **found}
        return other

    def _flows(self, name: str) -> bool:
        return self.values[name].dtype.kind == "f"

    def _check_flows(self, name: str) -> None:
        if not self._flows(name):
            raise ExplorerError("no-gradient", name=name)

    # Derivations

    def explain(self, name: str, cell: tuple[int, ...]) -> Step:
        """The derivation of one cell of a gradient by the chain rule.

        One term for each child of the node, "through" it: the sum, over the child's cells that read the explained cell,
        of their gradient × how much they change with the explained cell.

        Raises `ExplorerError`: "no-gradient" for a node of whole numbers.
        """
        self._check_flows(name)
        self.of(name)
        if name == self.root.node:
            its_own = cell == self.root.cell
            return step("value", Constant(int(its_own), "1" if its_own else "0"), label=f"{name} with itself")
        with np.errstate(all="ignore"):
            children = dict.fromkeys(child for child, _ in self._links.get(name, ()))
            terms = [term for child in children for term in self._through(child, name, cell)]
        if not terms:
            return step("value", Constant(0, "0"), label=f"nothing passes on to {self.root.node}")
        return terms[0] if len(terms) == 1 else step("sum_of", *terms, label="sum over what it goes into")

    def _through(self, child: str, name: str, cell: tuple[int, ...]) -> Iterator[Step]:
        """The term of one child; nothing if no gradient flows back to the cell."""
        node = self.graph.nodes[child]
        value = Source(child, computed(self.graph, self.values, self.held, child))
        if loss := loss_of_softmax(self.graph, self.held, child, self._links[child]):
            yield self._through_softmax(child, loss, cell)
            return
        lines: list[Step] = []
        for place, parent in enumerate(node.parents):
            if parent == name and self._passed[child, place] is not None:
                lines.extend(self._products(child, value, place, cell))
        if len(lines) == 1:
            (only,) = lines
            yield Step(only.function, only.arguments, only.value, f"through {child}")
        elif lines:
            yield step("sum_of", *lines, label=f"through {child}")

    def _products(self, child: str, value: Source, place: int, cell: tuple[int, ...]) -> Iterator[Step]:
        """Gradient × slope of the child's cells that read a cell, line by line or cell by cell."""
        node, gradient = self.graph.nodes[child], self._found[child]
        parents = [Source(parent, self.values[parent]) for parent in node.parents]
        shape = value.value.shape
        fed = node.op.feeds(place, cell, parents[place].value.shape, shape)
        # On an axis with only one cell, index that cell.
        fed = tuple(0 if size == 1 else part for part, size in zip(fed, shape, strict=True))
        for line in _lines(fed, shape):
            held = child in self.held and self.held[child][line].any()
            one_by_one = held or not np.isfinite(gradient[line]).all()
            for at in cells_of(line, shape) if one_by_one else [line]:
                if held and self.held[child][at]:
                    yield step("value", Constant(0, "pinned: nothing passes on"), label=self._label(child, fed, at))
                    continue
                slope = node.op.derivative(place, cell, at, value, *parents)
                # Nothing passes through a slope of 0, not even an infinite gradient.
                if one_by_one and slope.value == 0:
                    continue
                function = "dot" if any(isinstance(part, slice) for part in at) else "multiply"
                operand = Operand(child, at, gradient[at], "gradient")
                yield step(function, operand, slope, label=self._label(child, fed, at))

    def _through_softmax(self, shares: str, loss: str, cell: tuple[int, ...]) -> Step:
        """The term of a softmax together with its cross-entropy: (P − y) / n."""
        target, op = self.values[self.graph.nodes[loss].parents[1]], self.graph.nodes[loss].op
        assert isinstance(op, CrossEntropy)
        if target[cell[:-1]] == op.pad:
            return step("value", Constant(0, "0"), label=f"{loss} does not count <pad>")
        y, n = int(target[cell[:-1]] == cell[-1]), op.count(target)
        away = step("subtract", Operand(shares, cell, self.values[shares][cell]), Constant(y, str(y)), label="P − y")
        slope = step("divide", away, Constant(n, str(n)))
        gradient = Operand(loss, (), self._found[loss][()], "gradient")
        return step("multiply", gradient, slope, label=f"through {shares} and {loss} in one")

    def _label(self, child: str, fed: Index, at: Index) -> str:
        """The labels that tell this line or cell from the others that read the cell."""
        names: list[str] = []
        for axis, whole, part in zip(self.graph.nodes[child].axes, fed, at, strict=True):
            if isinstance(whole, slice) and not isinstance(part, slice):
                names.append(self.graph.labels(axis, self.values)[part])
        if names and any(isinstance(part, slice) for part in at):
            names.append("together")
        return ", ".join(names)


def _lines(fed: Index, shape: tuple[int, ...]) -> Iterator[Index]:
    """The cells of an index as lines: each runs along the last axis on which the index takes several cells."""
    several = {axis: range(shape[axis])[part] for axis, part in enumerate(fed) if isinstance(part, slice)}
    *others, _ = several or [-1]
    for chosen in product(*(several[axis] for axis in others)):
        line = list(fed)
        for axis, i in zip(others, chosen, strict=True):
            line[axis] = i
        yield tuple(line)
