"""How many numbers a model learns, block by block, and why so many: each is the product of a few sizes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from weakref import WeakKeyDictionary

from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.node import Node

_LEARNED = {"table", "W", "b", "gamma", "beta"}


@dataclass(frozen=True)
class Size:
    """One factor of a product."""

    what: str  # what is counted: "d_model", "heads", "words", "units of layer 1", …
    length: int  # how many there are


@dataclass(frozen=True)
class Weights:
    """One input node that training would change."""

    name: str  # of the node
    sizes: tuple[Size, ...]  # the factors of its number of numbers

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return prod(size.length for size in self.sizes)


@dataclass(frozen=True)
class BlockWeights:
    """The weights of one block: of an embedding, an attention, a feed-forward net, the output."""

    name: str  # its path, such as "encoder.1.self"
    weights: tuple[Weights, ...]  # in reading order

    @property
    def count(self) -> int:
        """How many numbers the block holds."""
        return sum(weights.count for weights in self.weights)


@dataclass(frozen=True)
class Growth:
    """How many numbers a model of other sizes would have, and how many scores it would compute."""

    # "layer" (one more), or what there would be twice as much of: "d_model", "d_ff", "heads", "words", "tokens".
    what: str
    count: int
    scores: int


def parameters(graph: Graph, model: Model) -> tuple[BlockWeights, ...]:
    """The blocks that learn, in reading order.

    Counted are embedding tables, weights, biases, γ and β, and positions where they are learned. Not counted is what
    a person gives: words, queries, keys and values of an attention by itself, masks, a temperature, targets.
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
"""A graph never changes."""


def total(blocks: tuple[BlockWeights, ...]) -> int:
    """How many numbers all blocks hold together."""
    return sum(block.count for block in blocks)


def scores(graph: Graph) -> int:
    """How many pairs of words attention compares in one pass: n² for each head of each layer.

    Each is a dot product of d_k numbers, which makes the cost O(n² d) a layer (Vaswani et al. 2017, table 1).
    """
    return sum(prod(graph.shape(name)) for name, node in graph.nodes.items() if node.short == "scores")


def growth(model: Model) -> tuple[Growth, ...]:
    """The totals of models with one layer more, or with one size doubled; those that cannot be built are left out."""
    if model.kind not in ("gpt", "encoder-decoder"):
        return ()
    found = []
    for what, larger in _larger(model):
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
    return short in _LEARNED or short.startswith(("W_", "b_"))


def _sizes(node: Node, graph: Graph) -> Iterator[Size]:
    for axis in node.axes:
        length = len(graph.axes[axis])
        block, _, short = axis.rpartition(".")
        if axis in graph.sequences:
            yield Size("positions", length)
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
    """The last layer once more, with its switches."""
    switches = dict(model.switches)
    for switch, value in model.switches.items():
        for side, layers in (("encoder", model.layers), ("decoder", model.decoder_layers)):
            last = f"{side}.{layers}."
            if switch.startswith(last):
                switches[f"{side}.{layers + 1}.{switch.removeprefix(last)}"] = value
    behind = model.behind + 1 if model.behind else 0
    return replace(model, layers=model.layers + 1, behind=behind, switches=switches)
