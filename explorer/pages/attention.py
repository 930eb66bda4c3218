"""Attention, one head at a time: from what it reads to queries, keys and values, to shares, and to the output.

A decoder's attention, and the sentence that it reads, which is one place behind what it should say.

Heads: all of them side by side, their outputs joined, and W_O.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np

from explorer.core.graph import Stage
from explorer.core.ops import Array
from explorer.pages.drawing import LONG, AttentionLines, HeatMap, SentenceRow, Sentences, series
from explorer.pages.element import Element
from explorer.pages.feed_forward import product
from explorer.pages.gestures import is_off, turn
from explorer.pages.matrix import SHARES, Matrix, matrix, symbol_only
from explorer.pages.page import Button, Item, Note, Row, Section, Stack
from explorer.pages.vectors import planes
from explorer.pages.view import View

NEARLY_ALL = 0.99
LONG_VECTORS, MANY_VECTORS = 8, 12
"""Numbers of a query, and queries, beyond which three tables of them push all else out of sight."""


def attention(view: View, stage: Stage, sentences: tuple[Element, ...] = ()) -> tuple[Element, ...]:
    """What is read, and the weights beside the Q, K and V that they make; the scores; the shares; the planes.

    Sentences of a decoder stand behind what it reads; long ones, which take many lines, at the end.

    In a decoder the other attention of the same layer stands beside the heat map: one sees at once where a word of the
    target looks in its own sentence and where in the source. Of several heads' mean there are only the pictures and its
    matrix: queries, keys and values are each head's own.
    """
    block = view.block(stage)
    if view.averaged(block):
        return (*_pictures(view, block), *sentences)
    learned = f"{block}W_Q" in view.nodes
    read = (_read(view, block), _projected(view, block))
    shares = _item(view, block, "weights")
    output = (_item(view, block, "output"),) if f"{block}output" in view.nodes else ()
    behind = planes(view, block) if learned else ()
    if max(view.graph.shape(f"{block}weights")[-2:]) > LONG:  # a table shows a small part only
        return (
            *_pictures(view, block),
            *read,
            Row("from scores to weights", (*_scores(view, block), shares, *output)),
            *behind,
            *sentences,
        )
    maps, lines = _drawn(view, block)
    scores = (*_scores(view, block), Item("→", shares.element), *output, *maps, lines)
    return (*[row for row in read if row.items], Row("from scores to weights", scores), *sentences, *behind)


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


def _item(view: View, block: str, short: str, title: str = "", sign: str = "") -> Item:
    return Item(sign, matrix(view, view.of_head(block + short), title))


def _read(view: View, block: str) -> Row:
    """What is read, and the weights that make queries, keys and values of it; small pictures where room is short."""
    items = []
    if f"{block}W_Q" in view.nodes:
        for_queries, for_keys = [view.nodes[block + letter].parents[0] for letter in "QK"]
        if for_queries == for_keys:
            items = [_made_elsewhere(view, for_queries, "what it reads")]
        else:
            items = [
                _made_elsewhere(view, for_queries, "queries are made of it"),
                _made_elsewhere(view, for_keys, "keys and values are made of it"),
            ]
    items += [
        _item(view, block, name, said)
        for letter in "QKV"
        for name, said in (*in_few_bits(f"W_{letter}"), (f"b_{letter}", ""))
        if block + name in view.nodes
    ]
    if items:
        items += _given(view, block)
    return Row("what it reads, and the weights", tuple(items), folds=True)


def _made_elsewhere(view: View, name: str, title: str) -> Item:
    """What is read; how it is made is said where that happens, and would be long here."""
    whole = matrix(view, name)
    return Item("", view.part((name, title), (whole,), lambda: replace(symbol_only(whole), title=title)))


def _projected(view: View, block: str) -> Row:
    """Queries, keys and values, and what their place turns queries and keys into."""
    items = []
    for letter, what in (("Q", "queries"), ("K", "keys"), ("V", "values")):
        if block + letter in view.nodes:
            items.append(_item(view, block, letter, what))
        for ending, said in (("normed", "brought to one size"), ("rotated", "turned by their place")):
            if f"{block}{letter}_{ending}" in view.nodes:
                items.append(_item(view, block, f"{letter}_{ending}", said, "→"))
    if f"{block}W_Q" not in view.nodes:
        items += _given(view, block)
    shapes = [item.element.array.shape for item in items if isinstance(item.element, Matrix)]
    large = any(rows > MANY_VECTORS or columns > LONG_VECTORS for rows, columns in shapes)
    return Row("queries, keys and values", tuple(items), folds=large)


def _given(view: View, block: str) -> list[Item]:
    """What scores are multiplied by, and a mask that does not depend on them: behind the weights, or Q, K and V."""
    names = ("scale",) if _among_scores(view, block) else ("scale", "mask")
    return [_item(view, block, name) for name in (*names, *OF_SCORES) if block + name in view.nodes]


OF_SCORES = "bias_table", "position_bias", "sink", "gamma_Q", "beta_Q", "gamma_K", "beta_K"
"""What else scores may be made with."""


@cache
def in_few_bits(name: str) -> tuple[tuple[str, str], ...]:
    """A matrix of weights and, where it is left in few bits, its scales, codes and what is left: names and titles."""
    more = (("scale", "a scale for each block"), ("codes", "a code for each"), ("left", "what is left"))
    return (name, ""), *((f"{name}_{ending}", said) for ending, said in more)


def _among_scores(view: View, block: str) -> bool:
    """Whether the mask stands between the scores: it is made of them, or a click opens or closes a cell."""
    mask = view.nodes.get(f"{block}mask")
    return mask is not None and (mask.is_input or f"{block}scores" in mask.parents)


def _scores(view: View, block: str) -> tuple[Item, ...]:
    """From queries and keys to the masked scores, of one head."""
    items = [_item(view, block, "scores")]
    for short, said in (("scaled", ""), ("biased", "with the distance of the words"), ("capped", "softly capped")):
        if f"{block}{short}" in view.nodes:
            items.append(_item(view, block, short, said, "→"))
    if _among_scores(view, block):
        by_hand = view.nodes[f"{block}mask"].is_input
        items.append(_item(view, block, "mask", "mask: a click opens or closes a cell" if by_hand else ""))
    if f"{block}masked" in view.nodes:
        items.append(_item(view, block, "masked"))  # no arrow: so it may stand on the next line, with the weights
    return tuple(items)


def _drawn(view: View, block: str) -> tuple[tuple[Item, ...], Item]:
    """The weights as heat map, beside it that of the other attention of a decoder's layer; and as lines."""
    other = _beside(view, block)
    weights = matrix(view, view.shares_of(block), id=f"{block}weights drawn")
    blocks = (block, other) if other else (block,)
    maps = tuple([Item("", heat_map(view, one, _title(view, one, bool(other)))) for one in blocks])
    return maps, Item("", AttentionLines("lines", weights, "Lines", lights=lights(view, block)))


def _pictures(view: View, block: str) -> tuple[Element, ...]:
    """The pictures by themselves: of a long text they come first, of several heads' mean there is little else."""
    maps, lines = _drawn(view, block)
    items = (*maps, lines)
    if view.averaged(block):
        items = (Item("", matrix(view, f"{block}average", "mean of the weights")), *items)
    return Section("pictures", "Who looks at whom"), Row("weights as pictures", items)


def heat_map(view: View, block: str, title: str = "") -> HeatMap:
    """The attention weights of a block as one looks at them."""
    drawn = matrix(view, view.shares_of(block), id=f"{block}heat map: weights")
    return HeatMap(f"{block}heat map", drawn, title, _full(view, drawn))


def heat_maps(view: View, block: str) -> tuple[HeatMap, ...]:
    """The attention weights of each head of a block; the colours of all go equally far."""
    drawn = []
    for head in range(view.graph.n_heads(f"{block}weights") or 1):
        name = view.of_head(f"{block}weights", head)
        drawn.append(matrix(view, name, id=f"{block}heat map of head {head + 1}: weights"))
    full = _full(view, drawn[0])
    return tuple(HeatMap(one.id.removesuffix(": weights"), one, "", full) for one in drawn)


def _full(view: View, drawn: Matrix) -> float:
    """The share at which the colour of a heat map is deepest.

    The colours of shares go from 0 to 1, so that pictures can be compared. Among many words, of which each gets little,
    they go as far as nearly all of all heads' shares do.
    """
    many = max(drawn.array.shape) > LONG
    return _nearly_all(view.values[drawn.place.node]) if many and drawn.colours == SHARES else 1.0


def lights(view: View, block: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The nodes of an attention whose cells light up words in its pictures, with the axes of their rows and columns."""
    path, nodes = block.rstrip("."), view.nodes

    def make() -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((name, node.axes[-2:]) for name, node in nodes.items() if name.rpartition(".")[0] == path)

    return view.part(("lights", path), (), make)


def _nearly_all(shares: Array) -> float:
    """A share that few are larger than."""
    some = shares[np.isfinite(shares) & (shares > 0)]
    return float(np.quantile(some, NEARLY_ALL)) if some.size else 1.0


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


TARGET, CHOSEN, WORDS = "loss.target", "output.chosen", "output.words"
READS, SHOULD, SAYS = "reads", "should say", "says"
MOST_LINES = 1024
"""More lines between words are a grey mat: then each word of the target has its strongest one."""


def masked(view: View, stage: Stage) -> tuple[Element, ...]:
    """Masked self-attention, and what the decoder reads, should say and says (teacher forcing)."""
    block = view.block(stage)
    sentences = (
        Section("teacher forcing", "What it reads, and what it should say"),
        Note("about teacher forcing", _forced(view, block)),
        Sentences("sentences", _rows(view, block), None, lights(view, block)),
    )
    return attention(view, stage, sentences)


def cross(view: View, stage: Stage) -> tuple[Element, ...]:
    """Cross-attention, and the two sentences with lines between them."""
    block = view.block(stage)
    keys = view.nodes[f"{block}weights"].axes[-1]
    source = SentenceRow(keys, keys, view.labels(keys))
    weights = matrix(view, view.shares_of(block), id=f"{block}weights between sentences")
    sentences = (
        Section("two sentences", "Where the target looks in the source"),
        Note("about two sentences", _crossed(view, block)),
        Sentences("sentences", (source, *_rows(view, block)), weights, lights(view, block)),
    )
    return attention(view, stage, sentences)


def _rows(view: View, block: str) -> tuple[SentenceRow, ...]:
    """What the decoder reads and, where there is such a thing, what it should say and what it says."""
    axis = view.nodes[f"{block}weights"].axes[-2]
    rows = [SentenceRow(READS, axis, view.labels(axis))]
    for title, name in ((SHOULD, TARGET), (SAYS, CHOSEN)):
        if name in view.nodes and view.nodes[name].axes == (axis,):
            vocabulary = view.labels(WORDS)
            rows.append(SentenceRow(title, axis, tuple(vocabulary[i] for i in view.values[name])))
    return tuple(rows)


def _forced(view: View, block: str) -> str:
    if TARGET not in view.nodes:
        return "This model has no loss, so there are no right words."
    mask = view.values.get(f"{block}mask")
    if mask is None:
        behind = "There is no mask here, so each word can look at the next word, which is its answer."
    elif np.triu(mask, 1).any():
        behind = "The mask lets some words look at later words, so these words may see their answer."
    else:
        behind = "Without the mask each word could look at the next word, which is its answer."
    says = (
        "The right words are typed on the page of the loss; they do not follow the sentence."
        if view.nodes[TARGET].is_input
        else "What it should say is the same sentence, shifted by one word."
    )
    return f"Teacher forcing: the decoder reads the right words, whatever it would say itself. {says} {behind}"


def _crossed(view: View, block: str) -> str:
    memory = view.nodes[f"{block}K"].parents[0]  # what keys and values are made from
    source, width = view.graph.shape(memory)
    target, layers = view.graph.shape(f"{block}Q")[-2], view.state.model.decoder_layers
    everywhere = f", in all {layers} layers of the decoder" if layers > 1 else ""
    many = source * target > MOST_LINES
    strongest = " Of so many words the strongest line of each is drawn; point at a word for all of its own." * many
    return (
        f"The encoder runs once. What it made of the source, {source} × {width}, gives the keys and values here"
        f"{everywhere}; all {target} positions of the target ask the same ones, and so would the words to come."
        f"{strongest}"
    )


MOST_WORDS, MOST_COLUMNS = 9, 48
"""Words, and columns of all heads' tables together, beyond which a heat map of each head is seen in their place."""
FEW_HEADS = 3
"""Heads whose buttons say more than one word."""


def heads(view: View, stage: Stage) -> tuple[Element, ...]:
    """A column for each head; then the heads' outputs as one matrix, a band of columns for each head, times W_O.

    Of a long sentence, or of many heads, tables of the weights cannot be compared; pictures can, and pointing at one
    gives the number. Beside a single head stands where it looks, as lines.
    """
    block = view.block(stage)
    n = view.graph.n_heads(f"{block}output") or 1
    rows, keys = view.graph.shape(f"{block}weights")[-2:]
    wide = n > 1 and n * (keys + view.graph.shape(f"{block}output")[-1]) > MOST_COLUMNS
    drawn = wide or max(rows, keys) > MOST_WORDS
    columns: Iterable[tuple[Element, ...]]
    if drawn:
        columns = ((picture,) for picture in heat_maps(view, block))
    else:
        columns = ((_numbers(view, block, head),) for head in range(n))
    mixed = f"{block}W_O" in view.nodes
    of_heads = [_head(view, block, head, shown, n > FEW_HEADS) for head, shown in enumerate(columns)]
    lines = (_lines(view, block),) if n == 1 else ()
    elements: list[Element] = [Row("heads", tuple(Item("", one) for one in (*of_heads, *lines)))]
    outputs = tuple(Item("", _numbered(view, f"{block}output", head, n > 1)) for head in range(n * drawn))
    if mixed:
        title, joined = "Side by side, then through W_O", tuple(product(view, f"{block}projected"))
        if drawn:
            about = Section("outputs", "What each head puts out")
            elements += [about, Row("outputs of heads", outputs, folds=wide)]
    else:
        joined = (*outputs, Item("→" * drawn, matrix(view, f"{block}concat")))
        title = "What each head puts out, side by side" if drawn else "Side by side"
    return (*elements, Section("joined", title), Row("joined heads", joined))


def heads_sentence(view: View, stage: Stage) -> str:
    """What happens there: there may be a single head, or no W_O."""
    block = view.block(stage)
    several = (view.graph.n_heads(f"{block}output") or 1) > 1
    mixed = f"{block}W_O" in view.nodes
    if not several:
        return f"There is one head here{', and W_O mixes its columns' * mixed}."
    return f"Several heads look at once; their answers are put side by side{', and W_O mixes them' * mixed}."


def _of(view: View, name: str, head: int, title: str = "") -> Element:
    """A matrix of a head, which stays when another head is looked at."""
    of_head = view.of_head(name, head)
    return matrix(view, of_head, title, id=of_head)


def _numbered(view: View, name: str, head: int, several: bool) -> Element:
    """What a head puts out; beside those of others, which have the same formula, with its number at its symbol."""
    whole = matrix(view, of_head := view.of_head(name, head), f"head {head + 1}", id=of_head)
    if not several:
        return whole

    def make() -> Matrix:
        of, usual = (
            re.sub(r"\b[OAV]\b", lambda one: f"{one[0]}_{{{head + 1}}}", f) for f in (whole.formula, whole.usual)
        )
        return replace(whole, formula=of, usual=usual)

    return view.part((whole.id, "numbered"), (whole,), make)


def _numbers(view: View, block: str, head: int) -> Row:
    """Where a head looks, and what it puts out."""
    parts = (Item("", _of(view, block + short, head)) for short in ("weights", "output"))
    return Row(f"numbers of head {head + 1}", tuple(parts))


def _lines(view: View, block: str) -> AttentionLines:
    weights = matrix(view, view.of_head(f"{block}weights", 0), id=f"{block}weights drawn")
    return AttentionLines("lines", weights, "Where it looks", lights=lights(view, block))


def _head(view: View, block: str, head: int, shown: tuple[Element, ...], many: bool) -> Stack:
    """What is shown of a head, below its name and its button; the button is short where many stand on a line."""
    button = _switch(view, view.of_head(f"{block}output", head), head, many)
    return Stack(f"head {head + 1}", f"Head {head + 1}", shown, ink=series(head), control=button)


def _switch(view: View, name: str, head: int, short: bool) -> Button:
    """Takes a head out, by pinning its output to 0, or lets it work again."""
    if is_off(view, name):
        text, less, tip = "Switch on", "Unmute", "Let the head work again"
    else:
        text, less, tip = "Switch off", "Mute", "Hold what the head puts out at 0 and see what is missed"
    said = less if short else text  # "On" and "Off" would be read as what the head is now
    return Button(f"switch of head {head + 1}", said, turn(view, name), tip, f"{text} head {head + 1}")
