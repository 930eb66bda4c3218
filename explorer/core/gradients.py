"""How much one number changes with each number that it depends on, and the derivation of that."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from itertools import product

import numpy as np

from explorer.core.backward import computed, loss_of_softmax, planned, walk
from explorer.core.cell import Constant, Index, Operand, Source, Step, cells_of, step
from explorer.core.errors import ExplorerError, require_cell
from explorer.core.frozen import Frozen
from explorer.core.graph import LOSS, Graph, Link
from explorer.core.ops import Array, CrossEntropy


class Root(Frozen):
    """The one number that is differentiated."""

    node: str  # name of its node
    cell: tuple[int, ...] = ()  # which of the node's cells; empty for a node that is a single number


OF_LOSS = Root(LOSS)


class Gradients:
    """The gradient of one number with respect to any node, for one state of the values.

    Each is computed on demand, with only the gradients that it needs, and kept.

    Parameters
    ----------
    values : mapping of str to numpy.ndarray
        Of all nodes.
    held : mapping of str to numpy.ndarray of bool
        The pinned cells of nodes. A pinned cell has a gradient, but it passes nothing on: its value does not depend on
        the parents.

    Raises
    ------
    ExplorerError
        "no-loss" for the loss of a graph that has none; "unknown-node", "bad-cell" or "no-gradient" for another root
        that cannot be one.
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
