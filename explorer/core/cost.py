"""What a model costs: learned numbers, multiplications, and bytes of the cache.

Learned numbers are counted block by block, as products of a few sizes; the cost of a decoder on its graph. No array is
made: a graph knows its shapes, so even GPT-3 can be counted on a laptop.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from math import prod
from time import perf_counter
from weakref import WeakKeyDictionary

import numpy as np

from explorer.core.decoder import products, why_none_kept
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import HEAD, Graph, Node, counted
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Array, Scores, Softmax, WeightedSum

_LEARNED = {"table", "segment_table", "places", "bias_table", "sink", "W", "b"}
_LEARNED_BEGIN = "W_", "b_", "gamma", "beta"


class Size(Frozen):
    """One factor of a product."""

    what: str  # what is counted: "d_model", "heads", "words", "units of layer 1", …
    length: int  # how many there are


class Weights(Frozen):
    """One input node that training changes."""

    name: str  # of the node
    sizes: tuple[Size, ...]  # the factors of its count

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return prod(size.length for size in self.sizes)


class BlockWeights(Frozen):
    """The weights of one block: of an embedding, an attention, a feed-forward net, the output."""

    name: str  # its path, such as "encoder.1.self"
    weights: tuple[Weights, ...]  # in reading order

    @property
    def count(self) -> int:
        """How many numbers the block holds."""
        return sum(weights.count for weights in self.weights)


class Growth(Frozen):
    """How many numbers a model of other sizes would have, and how many scores it would compute."""

    # "layer" (one more), or the size that is doubled: "d_model", "d_ff", "heads", "words", "tokens".
    what: str
    count: int
    scores: int


def parameters(graph: Graph, model: Model) -> tuple[BlockWeights, ...]:
    """The blocks that learn, in reading order.

    Counted are embedding tables, weights, biases, sinks, γ and β, and learned positions, also those by distance. Not
    counted is what a person gives: words, queries, keys and values of attention without a model around it, masks, a
    temperature, targets.
    """
    if graph in _FOUND:
        return _FOUND[graph]
    blocks: dict[str, list[Weights]] = {}
    for node in graph.nodes.values():
        if node.is_input and _learned(node, model):
            block = node.name.rpartition(".")[0]
            blocks.setdefault(block, []).append(Weights(node.name, tuple(_sizes(node, graph))))
    _FOUND[graph] = tuple(BlockWeights(name, tuple(weights)) for name, weights in blocks.items())
    return _FOUND[graph]


_FOUND: WeakKeyDictionary[Graph, tuple[BlockWeights, ...]] = WeakKeyDictionary()
"""A cache; a graph never changes."""


def total(blocks: tuple[BlockWeights, ...]) -> int:
    """How many numbers all blocks hold together."""
    return sum(block.count for block in blocks)


def scores(graph: Graph) -> int:
    """How many pairs of words attention compares in one pass: n² for each head of each layer.

    Each is a dot product of d_k numbers, which makes the cost O(n² d) a layer (Vaswani et al. 2017, table 1).
    """
    return sum(prod(graph.shape(name)) for name, node in graph.nodes.items() if node.short == "scores")


def growth(model: Model, told: Callable[[int, int], None] = lambda done, total: None) -> tuple[Growth, ...]:
    """The totals of models with one layer more, or one size doubled; models that cannot be built are left out.

    `told` is called with the number done and the total; it may raise to stop.
    """
    if model.kind not in ("gpt", "encoder-decoder"):
        return ()
    found: list[Growth] = []
    every = list(_larger(model))
    for done, (what, larger) in enumerate(every):
        told(done, len(every))
        try:
            graph = build(larger)
            found.append(Growth(what, total(parameters(graph, larger)), scores(graph)))
        except ExplorerError:
            continue
    return tuple(found)


def _learned(node: Node, model: Model) -> bool:
    short = node.short
    if short == "PE":
        return model.switch(node.name.rpartition(".")[0], "positions") == "learned"
    return short in _LEARNED or short.startswith(_LEARNED_BEGIN)


def _sizes(node: Node, graph: Graph) -> Iterator[Size]:
    for axis in node.axes:
        length = len(graph.axes[axis])
        block, _, short = axis.rpartition(".")
        if graph.follows_text(axis) or short in ("segment", "bucket", "feature"):
            noun = "position" if graph.follows_text(axis) else short
            yield Size(f"{noun}{'s' * (length != 1)}", length)
        elif short == "concat":
            yield Size("heads", len(graph.axes[f"{block}.heads"]))
            yield Size("d_v", len(graph.axes[f"{block}.d_v"]))
        elif block == "layer":
            noun, of = ("feature", "") if short == "0" else ("unit", f" of layer {short}")
            yield Size(f"{noun}{'s' * (length != 1)}{of}", length)
        else:
            yield Size(short, length)


def _larger(model: Model) -> Iterator[tuple[str, Model]]:
    yield "layer", _with_one_layer_more(model)
    yield "d_model", replace(model, d_model=2 * model.d_model)
    graph = build(model)
    for what, kind, short in (("heads", "attention", "heads"), ("d_ff", "ffn", "d_ff")):
        wider = model
        for block, of in model.blocks().items():
            if of == kind and (axis := graph.axes.get(f"{block}.{short}")):
                wider = replace(wider, switches={**wider.switches, f"{block}.{short}": 2 * len(axis)})
        if wider is not model:
            yield what, wider
    words = {axis: labels for axis, labels in model.axes.items() if axis.endswith(".words")}
    yield "words", replace(model, axes={**model.axes, **{axis: labels * 2 for axis, labels in words.items()}})
    yield "tokens", replace(model, lengths={name: 2 * n for name, n in model.lengths.items()})


def _with_one_layer_more(model: Model) -> Model:
    """The model with a copy of its last layer, with the same switches."""
    switches = dict(model.switches)
    for switch, value in model.switches.items():
        for side, layers in (("encoder", model.layers), ("decoder", model.decoder_layers)):
            last = f"{side}.{layers}."
            if switch.startswith(last):
                switches[f"{side}.{layers + 1}.{switch.removeprefix(last)}"] = value
    behind = model.behind + 1 if model.behind else 0
    return replace(model, layers=model.layers + 1, behind=behind, switches=switches)


MOST_LABELS = 1_000_000
MOST_BYTES = 2_000_000_000
"""The most memory for the numbers of a model. While it is recomputed, changed arrays exist twice."""


def build_within(
    model: Model, given: Mapping[str, Array] | None = None, by_rows: bool = False, most: int | None = None
) -> Graph:
    """The graph of a model, unless it needs too much memory.

    `given`: inputs that already exist and take no more memory.
    `by_rows`: whether one row after the other is computed, as in a decoder: then computed arrays are not held.
    `most`: how many numbers it may have; None: as many as `most_numbers`.
    Raises `ExplorerError`: "too-many-labels", "model-too-large", or those of `build`.
    """
    labels = count_labels(model)
    if labels > MOST_LABELS:
        raise ExplorerError("too-many-labels", labels=f"{labels:,}", limit=f"{MOST_LABELS:,}")
    graph = build(model)
    held = graph.inputs if by_rows else graph.nodes
    there = {name for name, array in (given or {}).items() if name in graph.nodes and graph.size(name) == array.size}
    numbers, most = sum(graph.size(name) for name in held if name not in there), most or most_numbers(model)
    if numbers > most:
        raise ExplorerError("model-too-large", numbers=f"{numbers:,}", limit=f"{most:,}")
    return graph


def most_numbers(model: Model) -> int:
    """How many numbers a model of this precision may have."""
    return MOST_BYTES // np.dtype(model.dtype).itemsize


def count_labels(model: Model) -> int:
    """About how many labels the axes of a model's graph have (at least a fourth of them); a graph lists every label.

    A file may ask for any sizes, so this is counted before a graph is built.
    """
    labels = sum(map(len, model.axes.values())) + sum(model.lengths.values()) + model.d_model
    for block, kind in model.blocks().items():
        if kind == "attention":
            heads, d_k, d_v = (int(model.switch(block, name)) for name in ("heads", "d_k", "d_v"))
            labels += heads * max(d_k, d_v, model.d_model // heads + 1)
        elif kind == "ffn":
            labels += int(model.switch(block, "d_ff")) or 4 * model.d_model
    return labels


PROJECTIONS, ATTENTION, NET, OUTPUT, EMBEDDING = "projections", "attention", "feed-forward", "output", "embedding"


class Shape(Frozen):
    """The sizes of a GPT."""

    name: str
    layers: int
    heads: int
    d_model: int
    words: int
    room: int  # how many tokens it can read
    norm: str = "pre"  # where each block has its norm; a stack with "post" has none at its end
    bytes: int = 2  # per number


SHAPES = (
    Shape("GPT-1", 12, 12, 768, 40_478, 512, norm="post"),
    Shape("GPT-2 small", 12, 12, 768, 50_257, 1024),
    Shape("GPT-2 XL", 48, 25, 1600, 50_257, 1024),
    Shape("GPT-3", 96, 96, 12_288, 50_257, 2048),
)
"""Radford et al. 2018, Radford et al. 2019 and Brown et al. 2020; numbers of 16 bits."""


class Cost(Frozen):
    """What it costs a model to read a text at once, and then one more token."""

    # Of one pass over all tokens, by purpose: "projections" (to Q, K and V, and W_O), "attention" (scores, and weighted
    # sums of values), "feed-forward", "output", "embedding" (one-hot rows times the table).
    multiplications: dict[str, int]
    one_more: int  # multiplications of the next token, with a key-value cache if the model can have one
    parameters: int  # learned numbers
    # Numbers in the largest kind of array that grows with n²: the scores of all heads of one layer.
    scores: int
    cache: int  # numbers in the cache; 0 if nothing can be kept

    @property
    def together(self) -> int:
        """All multiplications of a pass."""
        return sum(self.multiplications.values())


def model_of(shape: Shape, tokens: int) -> Model:
    """A GPT of these sizes: learned positions, the output tied to the table."""
    switches: dict[str, str | bool | int | float] = {
        "input.lookup": "index",
        "input.positions": "own",
        "input.room": max(shape.room, tokens),
        "output.tied": True,
        "output.bias": False,
        "loss.loss": "none",
    }
    for layer in range(1, shape.layers + 1):
        own: dict[str, str | bool | int] = {"heads": shape.heads, "bias": True, "bias_O": True, "norm": shape.norm}
        switches |= {f"decoder.{layer}.self.{name}": value for name, value in own.items()}
        switches[f"decoder.{layer}.ffn.norm"] = shape.norm
    axes = {"input.words": counted(shape.words)}
    return Model("gpt", {"input": tokens}, axes, shape.d_model, shape.layers, switches, dtype="float32")


@lru_cache(64)
def cost_of(shape: Shape, tokens: int) -> Cost:
    """The cost of a model of these sizes, from the graphs of one layer and of two: each further layer adds the same."""
    models = [model_of(replace(shape, layers=layers), tokens) for layers in (1, 2)]
    one, two = (cost(model, build(model)) for model in models)

    def all_layers(first: int, second: int) -> int:
        return first + (shape.layers - 1) * (second - first)

    return Cost(
        {name: all_layers(count, two.multiplications[name]) for name, count in one.multiplications.items()},
        all_layers(one.one_more, two.one_more),
        all_layers(one.parameters, two.parameters),
        one.scores,
        all_layers(one.cache, two.cache),
    )


def cost(model: Model, graph: Graph, tokens: int = 0) -> Cost:
    """The cost of a GPT that reads so many tokens, by default as many as its graph has."""
    tokens = tokens or graph.shape("input.tokens")[0]

    def size(name: str) -> int:
        return prod(tokens if axis == "input" else len(graph.axes[axis]) for axis in graph.nodes[name].axes)

    found = dict.fromkeys((PROJECTIONS, ATTENTION, NET, OUTPUT, EMBEDDING), 0)
    one_more = cache = 0
    keeps = not why_none_kept(model, tokens + 1)
    for name, work, across in products(model, graph):
        found[_kind(graph, name)] += work.of(tokens, tokens)
        one_more += work.of(1 if keeps else tokens + 1, tokens + 1)
        if across and keeps:
            cache += size(across)
    largest = max((size(name) for name, node in graph.nodes.items() if node.short == "scores"), default=0)
    return Cost(found, one_more, total(parameters(graph, model)), largest, cache)


def _kind(graph: Graph, name: str) -> str:
    node = graph.nodes[name]
    if node.op.across is not None:
        return ATTENTION
    if name in HEAD:  # a soft cap may follow
        return OUTPUT
    if ".ffn." in name:
        return NET
    return PROJECTIONS if name.startswith("decoder.") else EMBEDDING


def timed_attention(tokens: int, heads: int, d_k: int, runs: int = 5) -> float:
    """The seconds that all heads of one layer take on this machine, by the graph's own ops: the best run."""
    Q, K, V = np.random.default_rng(0).normal(size=(3, heads, tokens, d_k)).astype(np.float32)
    scores, softmax, values = Scores(), Softmax(), WeightedSum()
    times = []
    for _ in range(runs):
        start = perf_counter()
        values.forward(softmax.forward(scores.forward(Q, K)), V)
        times.append(perf_counter() - start)
    return min(times)
