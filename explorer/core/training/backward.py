"""Back-propagation for training: planned once, and carried out with other values at each step."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from explorer.core.gradients import LOSS, added_up, loss_of_softmax, passed_on
from explorer.core.graph import Graph
from explorer.core.ops import Array


@dataclass(frozen=True)
class _Stop:
    """A node on the way.

    Parameters
    ----------
    name : str
    takes : tuple of (child, place)
        What is passed on to it: by which child, and as which of the child's parents.
    wanted : tuple of bool
        Which of its parents lie on the way.
    loss : str or None
        For a softmax, the cross-entropy whose gradient is passed on through both in one step, (P − y) / n; its own is
        not needed then.
    frees : tuple of str
        The children of which no later stop takes anything.
    """

    name: str
    takes: tuple[tuple[str, int], ...]
    wanted: tuple[bool, ...]
    loss: str | None
    frees: tuple[str, ...]


class BackwardPass:
    """The gradients of some nodes and no others, to the same bits as `Gradients` has them.

    Each array on the way is freed as soon as it has been passed on: a step of training is quicker in memory that is
    used again and again.

    Parameters
    ----------
    graph : Graph
    names : iterable of str
        Nodes that the root depends on.
    held : mapping of str to numpy.ndarray of bool
        The pinned cells of nodes, as of `Gradients`.
    root : str
        A node that is a single number.
    """

    def __init__(self, graph: Graph, names: Iterable[str], held: Mapping[str, Array], root: str = LOSS.node) -> None:
        self._graph, self._held, self._root = graph, held, root
        self._names = tuple(names)
        children = graph.towards(root)
        on_the_way = _between(self._names, children)
        order = sorted(on_the_way, key=graph.position.__getitem__, reverse=True)
        losses = {name: loss_of_softmax(graph, held, name, children[name]) for name in order}
        takes = {
            name: tuple(
                (child, place)
                for child in children[name]
                for place, parent in enumerate(graph.nodes[child].parents)
                if parent == name and (losses[name] is None or name in self._names)
            )
            for name in order
        }
        # The last to take something from a node is the first in reading order.
        last = {child: name for name in order for child, _ in takes[name]}
        taken = {one for name in order for one in takes[name]}
        self._stops = [
            _Stop(
                name,
                takes[name],
                tuple((name, place) in taken for place in range(len(graph.nodes[name].parents))),
                losses[name],
                tuple(child for child in dict(takes[name]) if last[child] == name),
            )
            for name in order
        ]

    def gradients(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Carry it out.

        Parameters
        ----------
        values : mapping of str to numpy.ndarray
            Of all nodes that the root depends on.
        """
        graph, held = self._graph, self._held
        found: dict[str, Array] = {self._root: np.ones_like(values[self._root])}
        passed: dict[str, tuple[Array | None, ...]] = {}
        with np.errstate(all="ignore"):  # as in forward
            for stop in self._stops:
                name = stop.name
                if name != self._root and stop.takes:
                    parts = [part for child, place in stop.takes if (part := passed[child][place]) is not None]
                    found[name] = added_up(parts) if parts else np.zeros_like(values[name])
                if any(stop.wanted):
                    gradient = found[stop.loss or name]
                    passed[name] = passed_on(graph, values, held, name, stop.loss, gradient, stop.wanted)
                for child in stop.frees:
                    del passed[child]
                    if child != self._root and child not in self._names:
                        found.pop(child, None)
        return {name: found[name] for name in self._names}


def _between(names: Collection[str], children: Mapping[str, Collection[str]]) -> set[str]:
    """Some nodes, and those between them and the root."""
    found: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue.extend(children[name])
    return found
