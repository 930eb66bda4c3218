"""Activation patching: what one part of a model computed for one text, put into its pass over another text.

Where the answer then moves from that of the one text to that of the other, what makes the difference had come through
this part, at this place (Meng et al. 2022, "causal tracing"; Wang et al. 2022). Both texts have the same length, so
each place of the one has its counterpart in the other.

How far it moves is told by the difference of two logits, of the word that is asked about and of the one that the other
text makes likeliest: 0 where it is as it was, 1 where it is as in the other text.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from explorer.core.attribution import LOGITS, stream
from explorer.core.errors import ExplorerError
from explorer.core.forward import Pin, run
from explorer.core.graph import Graph
from explorer.core.ops import Array

LEAST_WAY = 1e-3
"""Below this difference two texts are said to answer alike: what is left is rounding."""


@dataclass(frozen=True)
class Site:
    """A part of the model whose numbers at one place can be put into another pass."""

    node: str
    head: int | None  # of a node that is stacked over heads, counted from 0
    after: str  # the node of the residual stream that it is a part of; the node itself where it is that

    @property
    def name(self) -> str:
        """The node, or the head's slice of it."""
        block, _, short = self.node.rpartition(".")
        return self.node if self.head is None else f"{block}.head.{self.head + 1}.{short}"


def sites(graph: Graph) -> list[Site]:
    """The embedding, and of each block its heads or its net, and the residual stream behind it; in reading order."""
    first, *blocks = stream(graph)
    found = [Site(first, None, first)]
    for name in blocks:
        made = graph.nodes[graph.nodes[name].parents[1]]
        joined = graph.nodes[made.parents[0]] if made.parents else made
        if made.op.projects and joined.op.joins_heads:
            heads = joined.parents[0]
            found += [Site(heads, head, name) for head in range(graph.shape(heads)[0])]
        else:
            found.append(Site(made.name, None, name))
        found.append(Site(name, None, name))
    return found


def pin_of(site: Site, place: int, other: Mapping[str, Array]) -> Pin:
    """A part held at one place at what it was in the other pass."""
    values = other[site.node]
    cells = np.zeros(values.shape, dtype=bool)
    cells[(place,) if site.head is None else (site.head, place)] = True
    return Pin(cells, values)


def patched(
    graph: Graph, values: Mapping[str, Array], other: Mapping[str, Array], pins: Mapping[str, Pin], row: int
) -> Array:
    """The logits behind a word for each part and each place up to it, (n_sites, row + 1, n_words).

    Parameters
    ----------
    graph : Graph
        One that `can_be_parted`.
    values, other : mapping of str to numpy.ndarray
        Of all nodes, in the pass that is changed and in the one that is taken from.
    pins : mapping of str to Pin
        What is held already; it stays so.
    row : int
        The place of the word behind which the logits are.

    Raises
    ------
    ExplorerError
        "patch-differs" where the two passes have other shapes.
    """
    parts = sites(graph)
    if any(site.node not in other or other[site.node].shape != values[site.node].shape for site in parts):
        raise ExplorerError("patch-differs")
    above = graph.ancestors(LOGITS) | {LOGITS}
    nodes = [node for name, node in graph.nodes.items() if name in above and not node.is_input]
    found = np.empty((len(parts), row + 1, values[LOGITS].shape[-1]))
    for i, site in enumerate(parts):
        for place in range(row + 1):
            now, pin = dict(values), pin_of(site, place, other)
            if site.node in pins:  # what is held there already stays, but for the part's own cells
                held = pins[site.node]
                pin = Pin(pin.cells | held.cells, np.where(pin.cells, pin.values, held.values))
            run(nodes, {}, now, {**pins, site.node: pin}, {site.node})
            found[i, place] = now[LOGITS][row]
    return found


def moved(logits: Array, here: Array, there: Array, word: int) -> tuple[Array, int]:
    """How far the answer has come from one text's to the other's: 0 as it was, 1 as in the other text.

    Parameters
    ----------
    logits : numpy.ndarray
        (…, n_words), of patched passes.
    here, there : numpy.ndarray
        (n_words,), of the two texts.
    word : int
        The word that is asked about.

    Returns
    -------
    numpy.ndarray
        (…); NaN where both texts answer alike.
    int
        The word that the other text makes likeliest, beside the one that is asked about.
    """
    order = np.argsort(-there, kind="stable")
    rival = int(order[0] if order[0] != word else order[1])

    def ahead(of: Array) -> Array:
        return np.asarray(of[..., word] - of[..., rival], np.float64)

    way = float(ahead(there) - ahead(here))
    if abs(way) < LEAST_WAY:
        return np.full(logits.shape[:-1], np.nan), rival
    return (ahead(logits) - float(ahead(here))) / way, rival
