"""Back-propagation: how much one number changes with every other number that it depends on.

The graph is walked once against the direction in which it is computed (reverse mode: Rumelhart, Hinton & Williams 1986;
Goodfellow et al. 2016, §6.5): a node's gradient is the sum of what its children pass on to it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.explain import Constant, Index, Operand, Source, Step, cells_of, step
from explorer.core.graph import Graph
from explorer.core.ops import Array, CrossEntropy, Softmax
from explorer.core.shapes import require_cell


@dataclass(frozen=True)
class Root:
    """The one number whose gradient is taken.

    Parameters
    ----------
    node : str
        Name of its node.
    cell : tuple of int
        Which of the node's cells; none for a node that is a single number.
    """

    node: str
    cell: tuple[int, ...] = ()


LOSS = Root("loss.value")


class Gradients:
    """The gradient of one number with respect to any node, for one state of the values.

    Each is computed when it is first asked for, with what it needs and nothing else, and kept.

    Parameters
    ----------
    graph : Graph
    values : mapping of str to numpy.ndarray
        Of all nodes.
    held : mapping of str to numpy.ndarray of bool
        The pinned cells of nodes. A pinned cell has a gradient, but it passes nothing on: it does not depend on what
        stands above it.
    root : Root

    Raises
    ------
    ExplorerError
        "no-loss" where the loss is asked for and there is none; "unknown-node", "bad-cell" or "no-gradient" where
        another root is none.
    """

    def __init__(self, graph: Graph, values: Mapping[str, Array], held: Mapping[str, Array], root: Root = LOSS) -> None:
        if root == LOSS and root.node not in graph.nodes:
            raise ExplorerError("no-loss")
        graph.place(root.node)  # raises where there is no such node
        require_cell(root.node, root.cell, values[root.node].shape)
        self.graph, self.values, self.held, self.root = graph, values, held, root
        self._check_flows(root.node)
        self._children = graph.towards(root.node)
        seed = np.zeros_like(values[root.node])
        seed[root.cell] = 1
        self._found: dict[str, Array] = {root.node: seed}
        self._passed: dict[str, dict[int, Array | None]] = {}

    def of(self, name: str) -> Array | None:
        """The gradient of a node, in its shape; 0 where the root does not depend on it, None for whole numbers."""
        return self.several([name]).get(name)

    def several(self, names: Iterable[str], between: Callable[[], None] = lambda: None) -> dict[str, Array]:
        """The gradients of those of some nodes that have one, by name: a single walk.

        Parameters
        ----------
        names : iterable of str
        between : callable
            Called before each node on the way; what it raises ends the walk.
        """
        names = dict.fromkeys(name for name in names if self._flows(name))
        missing = self._missing(names)
        with np.errstate(all="ignore"):  # as in forward
            for name in sorted(missing, key=self.graph.position.__getitem__, reverse=True):
                between()
                self._found[name] = self._sum(name, missing)
        return {name: self._found[name] for name in names}

    def _flows(self, name: str) -> bool:
        return self.values[name].dtype.kind == "f"

    def _check_flows(self, name: str) -> None:
        if not self._flows(name):
            raise ExplorerError("no-gradient", name=name)

    def _missing(self, names: Collection[str]) -> set[str]:
        """The nodes between some nodes and the root, they among them, that have no gradient yet and need one."""
        missing: set[str] = set()
        queue = list(names)
        while queue:
            name = queue.pop()
            if name not in missing and name not in self._found:
                missing.add(name)
                queue.extend(self._children.get(name, ()))
        # What a softmax passes on comes from the loss itself.
        return {name for name in missing if name in names or not self._loss_of_softmax(name)}

    def _sum(self, name: str, wanted: Collection[str]) -> Array:
        """What the children pass on to a node, added up in the graph's order; `wanted` as in `_pass_on`."""
        parts = [
            passed
            for child in self._children.get(name, ())
            for place, passed in self._pass_on(child, wanted).items()
            if self.graph.nodes[child].parents[place] == name and passed is not None
        ]
        return added_up(parts) if parts else np.zeros_like(self.values[name])

    def _pass_on(self, name: str, wanted: Collection[str]) -> Mapping[int, Array | None]:
        """What a node whose gradient is known passes on: to those of its parents that are wanted, perhaps to others."""
        known, parents = self._passed.setdefault(name, {}), self.graph.nodes[name].parents
        if len(known) == len(parents):
            return known
        missing = [place not in known and parent in wanted for place, parent in enumerate(parents)]
        if any(missing):
            loss = self._loss_of_softmax(name)
            gradient = self._found[loss or name]
            passed = passed_on(self.graph, self.values, self.held, name, loss, gradient, missing)
            known |= {i: one for i, one in enumerate(passed) if missing[i] or one is not None}
        return known

    def _loss_of_softmax(self, name: str) -> str | None:
        return loss_of_softmax(self.graph, self.held, name, self._children.get(name, ()))

    # Derivations

    def explain(self, name: str, cell: tuple[int, ...]) -> Step:
        """The derivation of one cell of a gradient by the chain rule.

        One term for each child of the node, "through" it: the sum over those of its cells that the cell goes into, of
        the cell's gradient × how much it changes with the explained cell.

        Raises
        ------
        ExplorerError
            "no-gradient" for a node of whole numbers.
        """
        self._check_flows(name)
        self.of(name)
        if name == self.root.node:
            its_own = cell == self.root.cell
            return step("value", Constant(int(its_own), "1" if its_own else "0"), label=f"{name} with itself")
        with np.errstate(all="ignore"):
            terms = [term for child in self._children.get(name, ()) for term in self._through(child, name, cell)]
        if not terms:
            return step("value", Constant(0, "0"), label=f"nothing passes on to {self.root.node}")
        return terms[0] if len(terms) == 1 else step("sum_of", *terms, label="sum over what it goes into")

    def _through(self, child: str, name: str, cell: tuple[int, ...]) -> Iterator[Step]:
        """The term of one child; none, where nothing of it flows back to the cell."""
        node = self.graph.nodes[child]
        value = Source(child, computed(self.graph, self.values, self.held, child))
        if loss := self._loss_of_softmax(child):
            yield self._through_softmax(child, loss, cell)
            return
        lines: list[Step] = []
        for place, passed in self._pass_on(child, [name]).items():
            if passed is not None and node.parents[place] == name:
                lines.extend(self._products(child, value, place, cell))
        if len(lines) == 1:
            (only,) = lines
            yield Step(only.function, only.arguments, only.value, f"through {child}")
        elif lines:
            yield step("sum_of", *lines, label=f"through {child}")

    def _products(self, child: str, value: Source, place: int, cell: tuple[int, ...]) -> Iterator[Step]:
        """Gradient × slope of the cells that a cell of a parent goes into, line by line or one by one."""
        node, gradient = self.graph.nodes[child], self._found[child]
        parents = [Source(parent, self.values[parent]) for parent in node.parents]
        shape = value.value.shape
        fed = node.op.feeds(place, cell, parents[place].value.shape, shape)
        # An axis that has only one cell is named by it.
        fed = tuple(0 if size == 1 else part for part, size in zip(fed, shape, strict=True))
        for line in _lines(fed, shape):
            held = child in self.held and self.held[child][line].any()
            one_by_one = held or not np.isfinite(gradient[line]).all()
            for at in cells_of(line, shape) if one_by_one else [line]:
                if one_by_one and self._is_held(child, at):
                    yield step("value", Constant(0, "pinned: nothing passes on"), label=self._label(child, fed, at))
                    continue
                slope = node.op.derivative(place, cell, at, value, *parents)
                # Through a slope of 0 nothing passes, not even an infinite gradient.
                if one_by_one and slope.value == 0:
                    continue
                function = "dot" if any(isinstance(part, slice) for part in at) else "multiply"
                operand = Operand(child, at, gradient[at], "gradient")
                yield step(function, operand, slope, label=self._label(child, fed, at))

    def _is_held(self, name: str, cell: Index) -> bool:
        return name in self.held and bool(self.held[name][cell])

    def _through_softmax(self, shares: str, loss: str, cell: tuple[int, ...]) -> Step:
        """The term of a softmax with its cross-entropy: (P − y) / n."""
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
        """Which of the fed lines or cells this is."""
        names: list[str] = []
        for axis, whole, part in zip(self.graph.nodes[child].axes, fed, at, strict=True):
            if isinstance(whole, slice) and not isinstance(part, slice):
                names.append(self.graph.labels(axis, self.values)[part])
        if names and any(isinstance(part, slice) for part in at):
            names.append("together")
        return ", ".join(names)


def _lines(fed: Index, shape: tuple[int, ...]) -> Iterator[Index]:
    """The cells of an index as lines along the last of the axes that it takes whole."""
    whole = [axis for axis, part in enumerate(fed) if isinstance(part, slice)]
    for chosen in product(*(range(shape[axis]) for axis in whole[:-1])):
        line = list(fed)
        for axis, i in zip(whole, chosen, strict=False):
            line[axis] = i
        yield tuple(line)


def added_up(parts: Sequence[Array]) -> Array:
    """The sum of what several children pass on, one of them at least; a new array where there are more."""
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
    wanted: Sequence[bool],
) -> tuple[Array | None, ...]:
    """What a node passes on to its parents: the one step of which back-propagation is made.

    Parameters
    ----------
    graph, values, held
        As of `Gradients`.
    name : str
    loss : str or None
        As of `loss_of_softmax`.
    gradient : numpy.ndarray
        The node's; that of the loss, where there is one.
    wanted : sequence of bool
        To which of the parents; what is passed on to another may be missing.
    """
    node = graph.nodes[name]
    if loss is not None:
        op, target = graph.nodes[loss].op, graph.nodes[loss].parents[1]
        assert isinstance(op, CrossEntropy)
        return (op.through_softmax(gradient, values[name], values[target]),)
    if name in held:
        gradient = np.where(held[name], 0, gradient)
    parents = [values[parent] for parent in node.parents]
    return node.op.backward_to(wanted, gradient, computed(graph, values, held, name), *parents)


def computed(graph: Graph, values: Mapping[str, Array], held: Mapping[str, Array], name: str) -> Array:
    """A node's value as its op computes it, without pins: the slopes in the other cells depend on that."""
    if name not in held:
        return values[name]
    node = graph.nodes[name]
    with np.errstate(all="ignore"):
        return node.op.forward(*(values[parent] for parent in node.parents))


def loss_of_softmax(graph: Graph, held: Collection[str], name: str, children: Sequence[str]) -> str | None:
    """The cross-entropy that is all the root reads of a softmax: the two are gone through in one step.

    Parameters
    ----------
    graph, held
        As of `Gradients`.
    name : str
    children : sequence of str
        Those that the root depends on.
    """
    if len(children) != 1 or not isinstance(graph.nodes[name].op, Softmax) or name in held or children[0] in held:
        return None
    return children[0] if isinstance(graph.nodes[children[0]].op, CrossEntropy) else None
