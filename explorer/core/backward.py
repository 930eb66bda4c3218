"""Back-propagation: one walk from a number against the direction in which it was computed.

Reverse mode (Rumelhart, Hinton & Williams 1986; Goodfellow et al. 2016, §6.5): a node's gradient is the sum of what its
children pass on to it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from explorer.core.graph import Graph, Link
from explorer.core.ops import Array, CrossEntropy


class Stop(NamedTuple):
    """A node on the way."""

    name: str
    takes: tuple[Link, ...] | None  # the links whose gradients add up to its own; None where it is known, or not needed
    passes: Collection[int]  # its places to which it passes something on
    # For a softmax, the cross-entropy whose gradient is passed on through both in one step, (P − y) / n; its own is not
    # needed then.
    loss: str | None


def planned(
    graph: Graph,
    names: Iterable[str],
    held: Collection[str],
    root: str,
    known: Collection[str],
    passed: Collection[Link],
) -> list[Stop]:
    """The way from a number back to some nodes, and to no others.

    Parameters
    ----------
    names : iterable of str
        The nodes whose gradients are wanted.
    held : collection of str
        The nodes of which cells are pinned.
    root : str
        The node of the number.
    known : collection of str
        The nodes whose gradients are there already, the root's among them.
    passed : collection of (str, int)
        The links along which something has been passed on already.
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
    """The backward pass: go the way that was planned.

    Parameters
    ----------
    values : mapping of str to numpy.ndarray
        Of all nodes that the root depends on.
    held : mapping of str to numpy.ndarray of bool
        The pinned cells of nodes. A pinned cell has a gradient, but it passes nothing on: it does not depend on what
        stands above it.
    found : dict of str to numpy.ndarray
        The gradients that are known, by node; the new ones are put here.
    passed : dict of (str, int) to numpy.ndarray or None
        What has been passed on, by link; None where no gradient flows.
    keep : collection of str, optional
        The nodes whose gradients are to stay: every other array is freed as soon as it has been passed on. A step of
        training is quicker in memory that is used again and again. Without it everything stays.
    between : callable, optional
        Called before each stop; what it raises ends the walk.
    """
    if keep is not None:  # what a softmax passes on comes from its loss
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
    places: Collection[int],
) -> tuple[Array | None, ...]:
    """What a node passes on to its parents: the one step of which back-propagation is made.

    Parameters
    ----------
    graph, values, held
        As of `walk`.
    loss : str or None
        As of `loss_of_softmax`.
    gradient : numpy.ndarray
        The node's; that of the loss, where there is one.
    places : collection of int
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
    wanted = [place in places for place in range(len(parents))]
    return node.op.backward_to(wanted, gradient, computed(graph, values, held, name), *parents)


def computed(graph: Graph, values: Mapping[str, Array], held: Collection[str], name: str) -> Array:
    """A node's value as its op computes it, without pins: the slopes in the other cells depend on that."""
    if name not in held:
        return values[name]
    node = graph.nodes[name]
    with np.errstate(all="ignore"):
        return node.op.forward(*(values[parent] for parent in node.parents))


def loss_of_softmax(graph: Graph, held: Collection[str], name: str, links: Sequence[Link]) -> str | None:
    """The cross-entropy that is all the root reads of a softmax: the two are gone through in one step.

    Parameters
    ----------
    graph, held
        As of `planned`.
    links : sequence of (str, int)
        Those towards the root.
    """
    if not graph.nodes[name].op.softens or len(links) != 1:
        return None
    ((child, _),) = links
    return child if graph.nodes[child].op.of_words and name not in held and child not in held else None
