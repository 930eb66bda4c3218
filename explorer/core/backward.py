"""Back-propagation: one walk from a number back through the nodes that it was computed from.

Reverse mode (Rumelhart, Hinton & Williams 1986; Goodfellow et al. 2016, §6.5): a node's gradient is the sum of what its
children pass on to it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from explorer.core.graph import Graph, Link
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

    Parameters
    ----------
    names : iterable of str
        The nodes whose gradients are wanted.
    held : collection of str
        The nodes that have pinned cells.
    root : str
        The node of the number.
    known : collection of str
        The nodes whose gradients are already computed, the root's among them.
    passed : collection of (str, int)
        The links along which something has already been passed on.
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

    Parameters
    ----------
    values : mapping of str to numpy.ndarray
        Of all nodes that the root depends on.
    held : mapping of str to numpy.ndarray of bool
        The pinned cells of nodes. A pinned cell has a gradient, but it passes nothing on: its value does not depend on
        the parents.
    found : dict of str to numpy.ndarray
        The known gradients, by node; the new ones are added.
    passed : dict of (str, int) to numpy.ndarray or None
        What has been passed on, by link; None if no gradient flows.
    keep : collection of str, optional
        The nodes whose gradients stay; every other array is freed as soon as it has been passed on, because a training
        step is quicker if it reuses the same memory. By default everything stays.
    between : callable, optional
        Called before each node; an exception from it ends the walk.
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

    Parameters
    ----------
    graph, values, held
        As in `walk`.
    loss : str or None
        As in `loss_of_softmax`.
    gradient : numpy.ndarray
        The node's gradient; with a `loss`, the gradient of the loss.
    places : collection of int
        The places of the wanted parents; the entries of other parents may be missing.
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

    Parameters
    ----------
    graph, held
        As in `planned`.
    links : sequence of (str, int)
        The node's links towards the root.
    """
    if not graph.nodes[name].op.softens or len(links) != 1:
        return None
    ((child, _),) = links
    return child if graph.nodes[child].op.of_words and name not in held and child not in held else None
