"""Parameters: how many numbers each block learns, and why so many."""

from dataclasses import dataclass, field
from functools import lru_cache

from explorer.core.cost import BlockWeights, Growth, Size, growth, scores, total
from explorer.core.cost import parameters as blocks_of
from explorer.core.graph import Graph, Stage
from explorer.core.model import Model
from explorer.pages.element import Element
from explorer.pages.given import given
from explorer.pages.page import BAR, NUMBER, Column, Entry, Line, Listing, Note, Section
from explorer.pages.view import View

WHY = {
    "table": "a vector for each word",
    "PE": "a vector for each position",
    "W_Q": "make the queries",
    "W_K": "make the keys",
    "W_V": "make the values",
    "b_Q": "added to the queries",
    "b_K": "added to the keys",
    "b_V": "added to the values",
    "W_O": "mixes the heads",
    "W_1": "make the hidden units",
    "b_1": "one for each unit",
    "W_2": "and back",
    "b_2": "one for each dimension",
    "gamma": "stretches dimensions",
    "beta": "moves dimensions",
    "W": "a column for each result",
    "b": "one for each result",
}
SYMBOLS = {"gamma": "γ", "beta": "β"}
GROWTH = {
    "layer": "one layer more",
    "d_model": "d_model twice as wide",
    "d_ff": "d_ff twice as wide",
    "heads": "twice as many heads",
    "words": "a vocabulary twice as large",
    "tokens": "a text twice as long",
}
LONGER = (
    "A longer text needs no new parameters, except where positions are learned. But it takes more time: "
    "attention has a score for each pair of words, in each head of each layer, so twice as many words have "
    "four times as many scores."
)


def parameters(view: View, stage: Stage) -> tuple[Element, ...]:
    """The whole in one number, a line for each block and each of its matrices, and how it grows."""
    counted = _counted(_Structure(view.graph, view.state.model))
    if not counted.blocks:
        said = "This model learns nothing: its numbers are given. To see one learn, open “XOR” on the page “Lessons”."
        return Note("total", said), *given(view)
    said = (
        f"<b>{total(counted.blocks):,}</b> numbers that training would change. "
        "Words, masks, the temperature and targets are given, so they are not counted."
    )
    elements = [Note("total", said), Section("blocks", "Block by block"), _blocks(counted)]
    if counted.growth:
        elements += [Section("growth", "How it grows"), _growth(counted), Note("about growth", LONGER)]
    return tuple(elements)


@dataclass(frozen=True)
class _Structure:
    """A model and its graph; a graph is another one wherever its model is."""

    graph: Graph
    model: Model = field(compare=False)


@dataclass(frozen=True)
class _Counts:
    blocks: tuple[BlockWeights, ...]
    scores: int
    growth: tuple[Growth, ...]


@lru_cache(maxsize=1)
def _counted(of: _Structure) -> _Counts:
    """The counts of a model: edited numbers change none, and larger models have to be built for them."""
    return _Counts(blocks_of(of.graph, of.model), scores(of.graph), growth(of.model))


def _blocks(counted: _Counts) -> Listing:
    """A bold line for each block with its sum, and a line for each of its matrices."""
    columns = (
        Column("Block"),
        Column("what for"),
        Column("sizes", width=440),
        Column("numbers", NUMBER),
        Column("share of all", BAR, 300),
    )
    n = total(counted.blocks)

    def line(name: str, why: str, sizes: str, count: int, strong: bool) -> Line:
        share = count / max(n, 1)
        part = Entry(f"{share:.1%}", share)
        return Line.of(name, Entry(why, muted=True), sizes, f"{count:,}", part, strong=strong)

    lines = []
    for block in counted.blocks:
        lines.append(line(block.name, "", "", block.count, True))
        for weights in block.weights:
            short = weights.name.rpartition(".")[2]
            symbol = f"    {SYMBOLS.get(short, short)}"
            lines.append(line(symbol, WHY.get(short, ""), _product(weights.sizes), weights.count, False))
    lines.append(line("All", "", "", n, True))
    return Listing("block list", "Parameters of each block", columns, tuple(lines), most=60)


def _growth(counted: _Counts) -> Listing:
    """A line for each way to make the model larger."""
    columns = (
        Column("If there were"),
        Column("numbers", NUMBER),
        Column("times", NUMBER),
        Column("", BAR, 300),
        Column("scores", NUMBER),
        Column("times", NUMBER),
    )
    now = "the model as it is", total(counted.blocks), counted.scores
    rows = [now, *((GROWTH[grown.what], grown.count, grown.scores) for grown in counted.growth)]
    most = max(count for _, count, _ in rows)
    lines = []
    for i, (words, count, n) in enumerate(rows):
        times, more = f"{count / max(now[1], 1):.2f}", f"{n / max(now[2], 1):.2f}"
        bar = Entry(f"{count:,}", count / max(most, 1))
        lines.append(Line.of(words, f"{count:,}", times, bar, f"{n:,}", more, strong=not i))
    return Listing("growth list", "How the numbers of parameters and of scores grow", columns, tuple(lines))


def _product(sizes: tuple[Size, ...]) -> str:
    """The factors, each with what it counts, but for a single head: "4 d_model × 6 d_ff"."""
    counted = [size for size in sizes if (size.what, size.length) != ("heads", 1)]
    return " × ".join(f"{size.length} {size.what}" for size in counted)
