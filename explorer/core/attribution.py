"""Where an answer comes from: the output layer applied after each block, and a logit as an exact sum of parts.

A pre-norm stack only adds to the vector of a word. So the vector that the output layer reads is a sum: the word, its
position, what each head and each feed-forward net added (Elhage et al. 2021, "the residual stream"). The last norm
divides the whole row by one number; with that number held fixed, each part has its own share of a logit, and the shares
add up to the logit.

Activation patching: the activations of one part, computed for one text, replace those in the pass of another text.

If the answer then moves from the one text's towards the other's, the information that makes the difference passes
through this part at this position (Meng et al. 2022, "causal tracing"; Wang et al. 2022). Both texts have the same
length, so each position of one corresponds to a position of the other.

The measure is the difference of two logits: that of the word asked about, and that of the other text's most probable
word. It is scaled to 0 for the unpatched answer and 1 for the answer of the other text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from explorer.core.engine import Pin, run
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import FINAL, HEAD, Graph, Node, after_norm, name_of_head
from explorer.core.numbers import places_of_largest
from explorer.core.ops import Array


class Part(Frozen):
    """One part of a logit."""

    # "word", "place", "head", "bias" (b_O of an attention), "net", "block" (not taken apart further) or "constant" (β
    # and the bias of the output, the same for all texts).
    kind: str
    node: str  # the node that is added to the residual stream
    value: float  # its share of the logit
    head: int | None = None  # for a head its number, counted from 0


def output_layer(graph: Graph) -> Node:
    """The product with the table of words: its numbers are sums; a soft cap may still follow."""
    return next(node for node in after_norm(graph) if node.op.projects)


def stream(graph: Graph) -> list[str]:
    """The nodes of the residual stream, embedding to last block: each is the one before plus the output of a block."""
    found = [graph.nodes[FINAL].parents[0]]
    while (node := graph.nodes[found[-1]]).op.adds and node.short == "residual":
        found.append(node.parents[0])
    return found[::-1]


def made_by(graph: Graph, node: Node) -> Node:
    """The output of a block, given the node added to the stream: that node, or the one that it normalises (RMSNorm)."""
    return graph.nodes[node.parents[0]] if node.op.normalises and len(node.parents) == 2 else node


class Lens(Frozen, eq=False):
    """The logits that the last norm and the output layer make of the stream after each block (nostalgebraist 2020)."""

    nodes: tuple[str, ...]  # those of `stream`
    logits: Array  # after one word, (n_nodes, n_words); the last row is the model's own
    sums: Array  # log-sum-exp of each row of logits, (n_nodes,): a logit minus it is a log-probability
    first: Array  # the number of the most probable word of each row, (n_nodes,)
    likeliest: Mapping[str, Array]  # for the last nodes: the most probable word after each word, (n_tokens,)


def lens(graph: Graph, values: Mapping[str, Array], pins: Mapping[str, Pin], row: int, last: int) -> Lens:
    """The lens after the word of a row; for the last `last` blocks also the answers after all other words.

    One product serves all blocks: with a large table, each single product would take as long as all together.
    """
    nodes = stream(graph)
    here = _output(graph, values, np.stack([values[name][row] for name in nodes]), held=_of_row(pins, row))
    said = {name: _output(graph, values, values[name], held=pins).argmax(-1) for name in nodes[-last:]}
    sums = np.array([_log_of_sum(logits.astype(np.float64)) for logits in here])
    return Lens(tuple(nodes), here, sums, here.argmax(-1), said)


def _of_row(pins: Mapping[str, Pin], row: int) -> dict[str, Pin]:
    """What pins after the stream hold of a row."""
    return {name: Pin(pin.cells[row], pin.values[row]) for name, pin in pins.items() if name in (FINAL, *HEAD)}


def _log_of_sum(logits: Array) -> float:
    with np.errstate(all="ignore"):
        highest = logits.max()
        return float(highest + np.log(np.exp(logits - highest).sum()))


def _output(
    graph: Graph,
    values: Mapping[str, Array],
    x: Array,
    words: Sequence[int] | None = None,
    *,
    held: Mapping[str, Pin],
) -> Array:
    """The logits of rows of the stream, (…, n_words), by last norm and output layer.

    `words`: only of these words. `held`: pins, which stay; where `words` are given, each of a single row.
    """
    columns: Sequence[int] | slice = slice(None)
    with np.errstate(all="ignore"):  # as in forward
        for node in (graph.nodes[FINAL], *after_norm(graph)):
            weights = [values[name] for name in node.parents[1:]]
            if node.op.projects and words is not None:
                W, *bias = weights
                x = x @ node.op.matrix(W)[:, words]
                x = x + bias[0][list(words)] if bias else x
                columns = list(words)
            else:
                x = node.op.forward(x, *weights)
            if node.name in held:
                pin = held[node.name]
                x = Pin(pin.cells[columns], pin.values[columns]).over(x)
        return x


class Ledger:
    """The logits of one row, taken apart.

    `graph`: a graph that has `after_norm`.
    `row`: the position of the word after which the logits stand.
    `word`: the number of the word whose logit is taken apart.
    """

    @np.errstate(all="ignore")  # as in forward
    def __init__(self, graph: Graph, values: Mapping[str, Array], row: int, word: int) -> None:
        self.graph, self.values, self.row = graph, values, row
        norm, output = graph.nodes[FINAL], output_layer(graph)
        weights = [values[name].astype(np.float64) for name in norm.parents[1:]]
        self.column = output.op.matrix(values[output.parents[1]])[:, word].astype(np.float64)
        if output.parents[0] != FINAL:  # the output layer reads the normed row times a number
            self.column *= float(values[graph.nodes[output.parents[0]].parents[1]])
        op: Any = norm.op
        self.centres: bool = op.centres  # whether the last norm subtracts the mean of a row
        x = values[norm.parents[0]][row].astype(np.float64)
        # `sigma`: the divisor of the last norm. `read`: the vector whose dot product with the row is the logit.
        self.sigma, self.read, self.constant = norm.op.reading(self.column, x, *weights)
        self._has_constant = len(weights) > 1 or len(output.parents) == 3
        self.beta = weights[1] if len(weights) > 1 else np.zeros_like(x)
        if len(output.parents) == 3:
            self.constant += float(values[output.parents[2]][word])
        self.node, self.total = output.name, float(x @ self.read) + self.constant  # the logit, before any cap

    @np.errstate(all="ignore")
    def parts(self) -> list[Part]:
        """The parts of the logit in reading order; their values add up to `total`."""
        graph, found = self.graph, []
        nodes = stream(graph)
        first = graph.nodes[nodes[0]]
        within = first.name.startswith(("encoder.", "decoder."))  # a block without a residual connection restarts it
        found += list(self._block(first) if within else self._embedding(first))
        for name in nodes[1:]:
            found += list(self._block(graph.nodes[graph.nodes[name].parents[1]]))
        constant = [Part("constant", FINAL, self.constant)] if self._has_constant else []
        return [*found, *constant]

    def _embedding(self, node: Node) -> Iterator[Part]:
        if node.op.adds:
            word, place = node.parents
            yield Part("word", word, self._of(self.values[word][self.row]))
            yield Part("place", place, self._of(self.values[place][self.row]))
        else:
            yield Part("word", node.name, self._of(self.values[node.name][self.row]))

    def _block(self, node: Node) -> Iterator[Part]:
        graph, values = self.graph, self.values
        made, read = self._read_of(node)
        concat = graph.nodes[made.parents[0]] if made.parents else made
        if made.op.projects and concat.op.joins_heads:
            n_heads, _, d_v = values[concat.parents[0]].shape
            for head in range(n_heads):
                vector = values[concat.parents[0]][head, self.row].astype(np.float64) @ self._W_O(made, head, d_v)
                yield Part("head", node.name, float(vector @ read), head)
            if len(made.parents) == 3:
                yield Part("bias", node.name, float(values[made.parents[2]].astype(np.float64) @ read))
        else:
            kind = "net" if made.name.endswith(".ffn.output") and made.op.projects else "block"
            yield Part(kind, node.name, self._of(values[node.name][self.row]))

    def _read_of(self, node: Node) -> tuple[Node, Array]:
        """A block's output, and the vector that reads it, (d_model,), through the block's own norm if any (Gemma 2)."""
        made = made_by(self.graph, node)
        if made is node:
            return node, self.read
        x, gamma = (self.values[name].astype(np.float64) for name in node.parents)
        return made, node.op.reading(self.read, x[self.row], gamma)[1]

    def _W_O(self, node: Node, head: int, d_v: int) -> Array:
        """The rows of W_O for one head, (d_v, d_model)."""
        W = node.op.matrix(self.values[node.parents[1]])
        return W[head * d_v : (head + 1) * d_v].astype(np.float64)

    def _of(self, vector: Array) -> float:
        return float(vector.astype(np.float64) @ self.read)

    @np.errstate(all="ignore")
    def products(self, part: Part) -> tuple[Array, Array, float]:
        """A part as a sum of products: two vectors, and a rest that is added to their dot product.

        Of a head: the weight of each word, and what each word's value contributes, (n_keys,). Of a net: the activation
        of each hidden unit, and what the unit contributes, (d_ff,); the rest is the bias. Of all others: the added
        vector, and the vector that reads it, (d_model,).
        """
        graph, values, row = self.graph, self.values, self.row
        of, read = self._read_of(graph.nodes[part.node])
        if part.kind == "head" and part.head is not None:
            output = graph.nodes[graph.nodes[of.parents[0]].parents[0]]
            weights, V = (values[name] for name in output.parents)
            shared = part.head * len(V) // len(weights)  # several heads may share one head of values
            moved = V[shared].astype(np.float64) @ self._W_O(of, part.head, V.shape[-1])
            return weights[part.head, row].astype(np.float64), moved @ read, 0.0
        if part.kind == "net" and of.op.projects:
            active, W = values[of.parents[0]][row].astype(np.float64), values[of.parents[1]]
            bias = float(values[of.parents[2]].astype(np.float64) @ read) if len(of.parents) == 3 else 0.0
            # einsum works in blocks: a copy of millions of weights in float64 would take longer than the products.
            return active, np.einsum("ij,j->i", of.op.matrix(W), read), bias
        if part.kind == "bias":
            return values[of.parents[2]].astype(np.float64), read, 0.0
        if part.kind == "constant":
            return self.beta, self.column, self.constant - float(self.beta @ self.column)
        return values[part.node][row].astype(np.float64), self.read, 0.0


LEAST_WAY = 1e-3
"""Two texts whose differences of logits are closer than this answer alike: the difference is rounding."""


class Site(Frozen):
    """A part of the model whose numbers at one position can replace those of another pass."""

    node: str
    head: int | None  # for a node stacked over heads, counted from 0
    after: str  # the residual node to which the part belongs; for a residual node, itself

    @property
    def name(self) -> str:
        """The node, or the head's slice of it."""
        return self.node if self.head is None else name_of_head(self.node, self.head)


def sites(graph: Graph) -> list[Site]:
    """The embedding; for each block its heads or its net, then the residual stream after it; in reading order."""
    first, *blocks = stream(graph)
    found = [Site(first, None, first)]
    for name in blocks:
        made = made_by(graph, graph.nodes[graph.nodes[name].parents[1]])
        joined = graph.nodes[made.parents[0]] if made.parents else made
        if made.op.projects and joined.op.joins_heads:
            heads = joined.parents[0]
            found += [Site(heads, head, name) for head in range(graph.shape(heads)[0])]
        else:
            found.append(Site(made.name, None, name))
        found.append(Site(name, None, name))
    return found


def pin_of(site: Site, place: int, other: Mapping[str, Array]) -> Pin:
    """A part held, at one position, at its values in the other pass."""
    values = other[site.node]
    cells = np.zeros(values.shape, dtype=bool)
    cells[(place,) if site.head is None else (site.head, place)] = True
    return Pin(cells, values)


MOST_ROWS = 256
"""Rows that are computed in one patched pass: more make no product quicker and need more memory."""


def patched(
    graph: Graph,
    values: Mapping[str, Array],
    other: Mapping[str, Array],
    pins: Mapping[str, Pin],
    row: int,
    places: Sequence[int],
    words: Sequence[int],
    told: Callable[[int, int], None] = lambda done, total: None,
) -> Array:
    """The logits of some words after a row, for each part and each position, (n_sites, n_places, n_words).

    `graph`: a graph that has `after_norm`.
    `values`, `other`: of all nodes: in the pass that is patched, and in the pass that the patches come from.
    `pins`: the pins of the model; they stay.
    `row`: the position of the word after which the logits stand.
    `places`: the positions to patch, one at a time.
    `told`: called with the number of parts done and their total; it may raise to stop.
    Raises `ExplorerError`: "patch-differs" if the two passes have different shapes.
    """
    parts = sites(graph)
    if any(site.node not in other or other[site.node].shape != values[site.node].shape for site in parts):
        raise ExplorerError("patch-differs")
    last = stream(graph)[-1]
    above = graph.ancestors(last) | {last}
    nodes = [node for name, node in graph.nodes.items() if name in above and not node.is_input]
    after = _of_row(pins, row)
    found = np.empty((len(parts), len(places), len(words)))
    side_by_side = max(MOST_ROWS // max(len(values[last]), 1), 1)
    for i, site in enumerate(parts):
        told(i, len(parts))
        for begin in range(0, len(places), side_by_side):
            some = slice(begin, begin + side_by_side)
            cells = np.stack([pin_of(site, place, other).cells for place in places[some]])
            pin = Pin(cells, other[site.node])
            if site.node in pins:  # existing pins stay, except in the patched cells
                held = pins[site.node]
                pin = Pin(cells | held.cells, np.where(cells, pin.values, held.values))
            now = dict(values)
            # One pass for all positions: they are a leading axis.
            run(nodes, {}, now, {**pins, site.node: pin}, {site.node})
            found[i, some] = _output(graph, values, now[last][..., row, :], words, held=after)
    return found


def rival_of(there: Array, word: int) -> int:
    """The most probable word of the other text, of logits (n_words,), apart from the word asked about."""
    first, second = places_of_largest(there, 2).tolist()
    return int(first if first != word else second)


def moved(logits: Array, here: Array, there: Array) -> Array:
    """How far the answer has moved from one text's to the other's: 0 not at all, 1 all the way.

    `logits`: of patched passes, (…, 2): of the word asked about, and of its rival.
    `here`, `there`: of the two texts, (2,).
    Returns (…); NaN where both texts answer alike.
    """

    def ahead(of: Array) -> Array:
        return np.asarray(of[..., 0] - of[..., 1], np.float64)

    way = float(ahead(there) - ahead(here))
    if abs(way) < LEAST_WAY:
        return np.full(logits.shape[:-1], np.nan)
    return (ahead(logits) - float(ahead(here))) / way
