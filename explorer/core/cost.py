"""What a decoder costs: multiplications, numbers to hold and bytes of the cache, counted on its graph.

No array is made: a graph knows its shapes, so that GPT-3 can be counted on a laptop.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from time import perf_counter

import numpy as np

from explorer.core.decoder import LOGITS, products
from explorer.core.graph import Graph, counted
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Scores, Softmax, WeightedSum
from explorer.core.parameters import parameters, total

PROJECTIONS, ATTENTION, NET, OUTPUT, EMBEDDING = "projections", "attention", "feed-forward", "output", "embedding"


@dataclass(frozen=True)
class Shape:
    """The sizes of a GPT."""

    name: str
    layers: int
    heads: int
    d_model: int
    words: int
    room: int  # how many tokens it was made to read
    bytes: int = 2  # of a number


SHAPES = (
    Shape("GPT-1", 12, 12, 768, 40_478, 512),
    Shape("GPT-2 small", 12, 12, 768, 50_257, 1024),
    Shape("GPT-2 XL", 48, 25, 1600, 50_257, 1024),
    Shape("GPT-3", 96, 96, 12_288, 50_257, 2048),
)
"""Radford et al. 2018, Radford et al. 2019 and Brown et al. 2020; numbers of 16 bits."""


@dataclass(frozen=True)
class Cost:
    """What a model costs that reads so many tokens at once, and then one more."""

    # Of one pass over all tokens, by what they are for: "projections" (to Q, K and V, and W_O), "attention" (scores,
    # and values in shares), "feed-forward", "output", "embedding" (one-hot rows times the table).
    multiplications: dict[str, int]
    one_more: int  # multiplications of the next token with a key-value cache
    parameters: int  # numbers that are learned
    # Numbers of the largest kind of array that grows with n²: one head's scores, for all heads of one layer.
    scores: int
    cache: int  # numbers of the cache

    @property
    def together(self) -> int:
        """All multiplications of a pass."""
        return sum(self.multiplications.values())


def model_of(shape: Shape, tokens: int) -> Model:
    """A GPT of a shape: norm before each block, learned positions, the output tied to the table."""
    switches: dict[str, str | bool | int | float] = {
        "input.lookup": "index",
        "input.positions": "learned",
        "output.tied": True,
        "output.bias": False,
        "loss.loss": "none",
    }
    for layer in range(1, shape.layers + 1):
        switches |= {f"decoder.{layer}.self.heads": shape.heads, f"decoder.{layer}.self.bias": True}
        switches |= {f"decoder.{layer}.self.norm": "pre", f"decoder.{layer}.ffn.norm": "pre"}
    axes = {"input.words": counted(shape.words)}
    return Model("gpt", {"input": tokens}, axes, shape.d_model, shape.layers, switches, dtype="float32")


@lru_cache(64)
def cost_of(shape: Shape, tokens: int) -> Cost:
    """What a model of a shape costs, counted on its graph."""
    model = model_of(shape, tokens)
    return cost(model, build(model))


def cost(model: Model, graph: Graph) -> Cost:
    """What a GPT costs that reads as many tokens as its graph has."""
    tokens = graph.shape("input.tokens")[0]
    found = dict.fromkeys((PROJECTIONS, ATTENTION, NET, OUTPUT, EMBEDDING), 0)
    one_more = cache = 0
    for name, work, across in products(model, graph):
        found[_kind(graph, name)] += work.of(tokens, tokens)
        one_more += work.of(1, tokens + 1)
        if across:
            cache += prod(graph.shape(across))
    largest = max((prod(graph.shape(n)) for n, node in graph.nodes.items() if node.short == "scores"), default=0)
    return Cost(found, one_more, total(parameters(graph, model)), largest, cache)


def _kind(graph: Graph, name: str) -> str:
    node = graph.nodes[name]
    if node.op.across is not None:
        return ATTENTION
    if name == LOGITS:
        return OUTPUT
    if ".ffn." in name:
        return NET
    return PROJECTIONS if name.startswith("decoder.") else EMBEDDING


def timed_attention(tokens: int, heads: int, d_k: int, runs: int = 5) -> float:
    """The seconds that the heads of one layer take here, by the graph's own ops: the best run."""
    Q, K, V = np.random.default_rng(0).normal(size=(3, heads, tokens, d_k)).astype(np.float32)
    scores, softmax, values = Scores(), Softmax(), WeightedSum()
    times = []
    for _ in range(runs):
        start = perf_counter()
        values.forward(softmax.forward(scores.forward(Q, K)), V)
        times.append(perf_counter() - start)
    return min(times)
