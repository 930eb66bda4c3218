"""Where an answer comes from: the output layer read after each block, and a logit as an exact sum.

A pre-norm stack only ever adds to the vector of a word, so the vector that the output layer reads is a sum: the word,
its place, what each head moved there, what each feed-forward net made (Elhage et al. 2021, "the residual stream"). The
last norm divides by one number for the whole row; with that number as it is, each part has its own share of a logit,
and these add up to it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from explorer.core.graph import Graph
from explorer.core.node import Node
from explorer.core.ops import Array

LOGITS, FINAL = "output.logits", "final.norm"


@dataclass(frozen=True)
class Part:
    """One part of a logit."""

    # "word", "place", "head", "net", "block" (what is not taken apart further) or "constant" (β and the bias, which are
    # the same for all texts).
    kind: str
    node: str  # the node that is added to the residual stream
    value: float  # how much of the logit it makes
    head: int | None = None  # of a head, counted from 0


def can_be_parted(graph: Graph) -> bool:
    """Whether the output layer reads a sum: a norm stands before the blocks and once more at the end."""
    return FINAL in graph.nodes and LOGITS in graph.nodes and graph.nodes[LOGITS].parents[0] == FINAL


def stream(graph: Graph) -> list[str]:
    """The nodes of the residual stream, from the embedding to the last block: each is the one before plus a block."""
    found = [graph.nodes[FINAL].parents[0]]
    while _is_residual(graph.nodes[found[-1]]):
        found.append(graph.nodes[found[-1]].parents[0])
    return found[::-1]


def _is_residual(node: Node) -> bool:
    return node.op.adds and node.short == "residual"


def lens(graph: Graph, values: Mapping[str, Array]) -> dict[str, Array]:
    """The logits that the last norm and the output layer make of the stream after each block (nostalgebraist 2020).

    Returns
    -------
    dict of str to numpy.ndarray
        By the nodes of `stream`, (n_tokens, n_words) each. The last are the model's own logits.
    """
    norm, output = graph.nodes[FINAL], graph.nodes[LOGITS]
    weights = [values[name] for name in output.parents[1:]]
    found = {}
    for name in stream(graph):
        with np.errstate(all="ignore"):  # as in forward
            normed = norm.op.forward(values[name], *(values[p] for p in norm.parents[1:]))
            found[name] = output.op.forward(normed, *weights)
    return found


class Ledger:
    """The logits of one row, taken apart.

    Parameters
    ----------
    graph : Graph
        One that `can_be_parted`.
    row : int
        The place of the word behind which the logits are.
    word : int
        The number of the word whose logit it is.
    """

    def __init__(self, graph: Graph, values: Mapping[str, Array], row: int, word: int) -> None:
        self.graph, self.values, self.row = graph, values, row
        norm, output = graph.nodes[FINAL], graph.nodes[LOGITS]
        weights = [values[name].astype(np.float64) for name in norm.parents[1:]]
        self.column = output.op.matrix(values[output.parents[1]])[:, word].astype(np.float64)
        x = values[norm.parents[0]][row].astype(np.float64)
        # `sigma`: what the last norm divides the row by. `read`: what reads the row.
        self.sigma, self.read, self.constant = norm.op.reading(self.column, x, *weights)
        self.beta = weights[1] if len(weights) > 1 else np.zeros_like(x)
        if len(output.parents) == 3:
            self.constant += float(values[output.parents[2]][word])
        self.total = float(x @ self.read) + self.constant  # the logit

    def parts(self) -> list[Part]:
        """The parts of the logit in reading order; their values add up to `total`."""
        graph, found = self.graph, []
        nodes = stream(graph)
        first = graph.nodes[nodes[0]]
        within = first.name.startswith(("encoder.", "decoder."))  # without its residual a block begins the stream anew
        found += list(self._block(first) if within else self._embedding(first))
        for name in nodes[1:]:
            found += list(self._block(graph.nodes[graph.nodes[name].parents[1]]))
        return [*found, Part("constant", FINAL, self.constant)]

    def _embedding(self, node: Node) -> Iterator[Part]:
        if node.op.adds:
            word, place = node.parents
            yield Part("word", word, self._of(self.values[word][self.row]))
            yield Part("place", place, self._of(self.values[place][self.row]))
        else:
            yield Part("word", node.name, self._of(self.values[node.name][self.row]))

    def _block(self, node: Node) -> Iterator[Part]:
        graph, values = self.graph, self.values
        concat = graph.nodes[node.parents[0]] if node.parents else node
        if node.op.projects and concat.op.joins_heads:
            n_heads, _, d_v = values[concat.parents[0]].shape
            for head in range(n_heads):
                vector = values[concat.parents[0]][head, self.row].astype(np.float64) @ self._W_O(node, head, d_v)
                yield Part("head", node.name, self._of(vector), head)
        else:
            kind = "net" if node.name.endswith(".ffn.output") else "block"
            yield Part(kind, node.name, self._of(values[node.name][self.row]))

    def _W_O(self, node: Node, head: int, d_v: int) -> Array:
        """The rows of W_O that read a head, (d_v, d_model)."""
        W = node.op.matrix(self.values[node.parents[1]])
        return W[head * d_v : (head + 1) * d_v].astype(np.float64)

    def _of(self, vector: Array) -> float:
        return float(vector.astype(np.float64) @ self.read)

    def products(self, part: Part) -> tuple[Array, Array, float]:
        """A part as a sum of products: two vectors, and a rest that adds to their dot product.

        Of a head: how much it looks at each word, and what each word then says, (n_keys,). Of a net: how active each
        hidden unit is, and what it says, (d_ff,); the rest is its bias. Of all others: each number of the vector that
        is added, and what reads it, (d_model,).
        """
        graph, values, row = self.graph, self.values, self.row
        of = graph.nodes[part.node]
        if part.kind == "head" and part.head is not None:
            output = graph.nodes[graph.nodes[of.parents[0]].parents[0]]
            weights, V = (values[name] for name in output.parents)
            shared = part.head * len(V) // len(weights)  # heads may share a head of values
            moved = V[shared].astype(np.float64) @ self._W_O(of, part.head, V.shape[-1])
            return weights[part.head, row].astype(np.float64), moved @ self.read, 0.0
        if part.kind == "net" and of.op.projects:
            active, W = values[of.parents[0]][row].astype(np.float64), values[of.parents[1]]
            bias = self._of(values[of.parents[2]]) if len(of.parents) == 3 else 0.0
            return active, of.op.matrix(W).astype(np.float64) @ self.read, bias
        if part.kind == "constant":
            return self.beta, self.column, self.constant - float(self.beta @ self.column)
        return values[part.node][row].astype(np.float64), self.read, 0.0
