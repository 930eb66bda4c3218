"""Attention, one head at a time: from what it reads to queries, keys and values, to shares, and to the output."""

import numpy as np

from explorer.core.node import Stage
from explorer.core.ops import Array
from explorer.pages.element import Element
from explorer.pages.matrix import SHARES, Matrix, matrix
from explorer.pages.page import AttentionLines, HeatMap, Item, Row, Section
from explorer.pages.planes import planes
from explorer.pages.view import View

LONG = 24
"""Words beyond which a table shows a small part only, and the pictures come first."""
NEARLY_ALL = 0.99


def attention(view: View, stage: Stage) -> tuple[Element, ...]:
    """From scores to the output as linked matrices, the weights as pictures, and the weights W.

    In a decoder the other attention of the same layer stands beside the heat map: one sees at once where a word of the
    target looks in its own sentence and where in the source. Of several heads' mean there are only the pictures and its
    matrix: queries, keys and values are each head's own.
    """
    block = view.block(stage)
    long = max(view.graph.shape(f"{block}weights")[-2:]) > LONG
    pictures = _pictures(view, block, long)
    if view.averaged(block):
        return pictures
    matrices = (_matrices(view, block),)
    projections = _projections(view, block) if f"{block}W_Q" in view.nodes else ()
    return (*pictures, *matrices, *projections) if long else (*matrices, *pictures, *projections)


def attention_sentence(view: View, stage: Stage) -> str:
    """What happens there: who asks whom, and what for."""
    block = view.block(stage)
    nodes = view.nodes
    others = stage.kind == "cross"
    who, answer = ("Each word of the target", "the words of the source") if others else ("Each word", "all words")
    if f"{block}masked" in nodes:
        answer = f"{answer if others else 'the words'} that the mask lets it see"
    what = "how much of each value (V) it takes" if f"{block}V" in nodes else "how much it looks at each"
    return f"{who} asks (Q), {answer} answer (K): that decides {what}."


def _matrices(view: View, block: str) -> Row:
    """From queries and keys to the output, of one head."""
    nodes = view.nodes

    def of_head(short: str, title: str = "") -> Element:
        return matrix(view, view.of_head(block + short), title)

    items = []
    for sign, letter, what in (("", "Q", "queries"), ("×", "K", "keys")):
        items.append(Item(sign, of_head(letter, what)))
        if f"{block}{letter}_rotated" in nodes:
            items.append(Item("→", of_head(f"{letter}_rotated", "turned by their place")))
    items.append(Item("→", of_head("scores")))
    if f"{block}scaled" in nodes:
        if f"{block}W_Q" not in nodes:  # else it stands with the weights
            items.append(Item("×", of_head("scale")))
        items.append(Item("→", of_head("scaled")))
    if f"{block}masked" in nodes:
        by_hand = nodes[f"{block}mask"].is_input
        mask = of_head("mask", "mask: a click opens or closes a cell" if by_hand else "")
        items += [Item("", mask), Item("→", of_head("masked"))]
    items.append(Item("→", of_head("weights")))
    if f"{block}V" in nodes:
        items += [Item("×", of_head("V", "values")), Item("=", of_head("output"))]
    return Row("from Q and K to the output", tuple(items))


def _pictures(view: View, block: str, long: bool) -> tuple[Element, ...]:
    """The weights as heat map and as lines, and the other attention of a decoder's layer."""
    other = _beside(view, block)
    weights = matrix(view, view.shares_of(block), id=f"{block}weights drawn")
    blocks = (block, other) if other else (block,)
    items = [Item("", heat_map(view, one, _title(view, one, bool(other)))) for one in blocks]
    items.append(Item("", AttentionLines("lines", weights, "Lines", lights=lights(view, block))))
    if view.looking.averaged and f"{block}average" in view.nodes:
        items.insert(0, Item("", matrix(view, f"{block}average", "mean of the weights")))
    return Section("pictures", "Who looks at whom"), Row("weights as pictures", tuple(items))


def heat_map(view: View, block: str, title: str = "") -> HeatMap:
    """The attention weights of a block as one looks at them."""
    drawn = matrix(view, view.shares_of(block), id=f"{block}heat map: weights")
    return HeatMap(f"{block}heat map", drawn, title, _full(view, drawn))


def heat_maps(view: View, block: str, most: int) -> tuple[HeatMap, ...]:
    """The attention weights of each head of a block; the colours of all go equally far."""
    drawn = []
    for head in range(view.graph.n_heads(f"{block}weights") or 1):
        name = view.of_head(f"{block}weights", head)
        drawn.append(matrix(view, name, id=f"{block}heat map of head {head + 1}: weights"))
    full = _full(view, drawn[0])
    return tuple(HeatMap(one.id.removesuffix(": weights"), one, "", full, most) for one in drawn)


def _full(view: View, drawn: Matrix) -> float:
    """The share at which the colour of a heat map is deepest.

    The colours of shares go from 0 to 1, so that pictures can be compared. Among many words, of which each gets little,
    they go as far as nearly all of all heads' shares do.
    """
    many = max(drawn.array.shape) > LONG
    return _nearly_all(view.values[drawn.place.node]) if many and drawn.colours == SHARES else 1.0


def lights(view: View, block: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The nodes of an attention whose cells light up words in its pictures, with the axes of their rows and columns."""
    path = block.rstrip(".")
    return tuple((name, node.axes[-2:]) for name, node in view.nodes.items() if name.rpartition(".")[0] == path)


def _nearly_all(shares: Array) -> float:
    """A share that few are larger than."""
    some = shares[np.isfinite(shares) & (shares > 0)]
    return float(np.quantile(some, NEARLY_ALL)) if some.size else 1.0


def _projections(view: View, block: str) -> tuple[Element, ...]:
    """The weights that make Q, K and V, and what they do to the plane."""
    for_queries, for_keys = (view.nodes[block + letter].parents[0] for letter in "QK")
    given = dict.fromkeys((for_queries, for_keys))
    weights = ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "scale")
    items = [Item("", matrix(view, name)) for name in given]
    items += [Item("", matrix(view, view.of_head(block + w))) for w in weights if block + w in view.nodes]
    return (
        Section("projections", "Where Q, K and V come from"),
        Row("weights of Q, K and V", tuple(items)),
        *planes(view, block),
    )


def _beside(view: View, block: str) -> str:
    """The path of the other attention of a decoder's layer, or nothing."""
    layer, _, kind = block.rstrip(".").rpartition(".")
    other = {"self": f"{layer}.cross.", "cross": f"{layer}.self."}.get(kind, "")
    return other if f"{other}weights" in view.nodes and other else ""


def _title(view: View, block: str, several: bool) -> str:
    """What a heat map is of; in a decoder there are two."""
    if not several:
        return "Heat map"
    node = view.nodes[f"{block}weights"]
    queries, keys = node.axes[-2:]
    stage = next(stage for stage in view.graph.stages if stage.name == node.stage)
    return f"{stage.title}: {queries} → {keys}"
