"""The pages of attention: one head at a time, from its inputs to queries, keys, values, weights and the output.

The page of a decoder's attention adds the sentence that it reads, which is one place behind what it should say.

The page of the heads: all heads side by side, their outputs joined, and W_O.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np

from explorer.core.graph import CHOSEN, TARGET, Stage
from explorer.core.numbers import full_of
from explorer.pages.controls import Button
from explorer.pages.drawing import LONG, AttentionLines, HeatMap, SentenceRow, Sentences
from explorer.pages.element import Element
from explorer.pages.gestures import hold, is_held
from explorer.pages.levels import says_next
from explorer.pages.matrix import SHARES, Matrix, matrix, symbol_only
from explorer.pages.page import Item, Note, Row, Section, Stack
from explorer.pages.stages.feed_forward import product
from explorer.pages.stages.vectors import planes
from explorer.pages.view import View

NEARLY_ALL = 0.99
LONG_VECTORS, MANY_VECTORS = 8, 12
"""Numbers in a query, and queries: with more, the tables of Q, K and V push everything else out of sight."""


def attention(view: View, stage: Stage, sentences: tuple[Element, ...] = ()) -> tuple[Element, ...]:
    """The inputs and weights, Q, K and V, the scores, the attention weights, and the planes of vectors.

    The `sentences` of a decoder stand after the scores; where a text is long, at the end of the page.

    In a decoder the heat map of the same layer's other attention stands beside this one, so that the reader sees where
    a word of the target looks in its own sentence and where in the source. The mean of several heads has only the
    pictures and its matrix, because queries, keys and values belong to a single head.
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
    scores = (*_scores(view, block), Item("→", shares.element), *output, *_drawn(view, block))
    return (*[row for row in read if row.items], Row("from scores to weights", scores), *sentences, *behind)


def attention_sentence(view: View, stage: Stage) -> str:
    """One sentence on the stage: which words ask, which answer, and what the answer decides."""
    block = view.block(stage)
    nodes = view.nodes
    others = stage.kind == "cross"
    who, answer = ("Each word of the target", "the words of the source") if others else ("Each word", "all words")
    if f"{block}masked" in nodes:
        answer = f"{answer if others else 'the words'} that it may see (M)"
    what = "how much of each value (V) it takes" if f"{block}V" in nodes else "how much it looks at each"
    return f"{who} asks (Q), {answer} answer (K): that decides {what}."


def _item(view: View, block: str, short: str, title: str = "", sign: str = "") -> Item:
    return Item(sign, matrix(view, view.of_head(block + short), title))


def _read(view: View, block: str) -> Row:
    """The inputs, and the weights that turn them into queries, keys and values; small pictures if there is no room."""
    items = []
    if f"{block}W_Q" in view.nodes:
        for_queries, for_keys = [view.nodes[block + letter].parents[0] for letter in "QK"]
        read = {for_queries: "queries are made of it", for_keys: "keys and values are made of it"}
        if len(read) == 1:
            read = {for_queries: "what it reads"}
        items = [_made_elsewhere(view, name, title) for name, title in read.items()]
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
    """A matrix that attention reads, with its symbol only: its own stage shows the long formula."""
    whole = matrix(view, name)
    return Item("", view.part((name, title), (whole,), lambda: replace(symbol_only(whole), title=title)))


def _projected(view: View, block: str) -> Row:
    """Queries, keys and values, and the normed and rotated queries and keys."""
    items = []
    shared = _shared(view, block)
    for letter, what in (("Q", "queries"), ("K", f"keys{shared}"), ("V", f"values{shared}")):
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


def _shared(view: View, block: str) -> str:
    """Which heads share the keys and values of the chosen head; "" if each head has its own.

    Also "" where a step of a lesson speaks: it may ask for that.
    """
    of = view.graph.n_heads
    heads, own = of.get(f"{block}Q", 1), of.get(f"{block}K", 1)
    if heads == own or view.looking.spot is not None:
        return ""
    each = heads // own
    first = view.graph.place(view.of_head(f"{block}K")).index[0] * each + 1
    return f", shared by heads {first} {'and' if each == 2 else 'to'} {first + each - 1}"


def _given(view: View, block: str) -> list[Item]:
    """The scale, a mask that does not depend on the scores, and `OF_SCORES`; after the weights, or after Q, K, V."""
    names = ("scale",) if _among_scores(view, block) else ("scale", "mask")
    return [_item(view, block, name) for name in (*names, *OF_SCORES) if block + name in view.nodes]


OF_SCORES = "bias_table", "position_bias", "sink", "gamma_Q", "beta_Q", "gamma_K", "beta_K"
"""Other inputs that the scores may be computed with."""


@cache
def in_few_bits(name: str) -> tuple[tuple[str, str], ...]:
    """Names and titles of a weight matrix and of its parts if it is quantised: scales, codes, rounded weights."""
    more = (("scale", "a scale for each block"), ("codes", "a code for each"), ("left", "what is left"))
    return (name, ""), *((f"{name}_{ending}", said) for ending, said in more)


def _among_scores(view: View, block: str) -> bool:
    """Whether the mask stands among the scores: it is computed from them, or it is an input, edited by clicks."""
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
        items.append(_item(view, block, "masked", sign="→"))
    return tuple(items)


def _drawn(view: View, block: str) -> list[Item]:
    """The weights as a heat map, with that of the other attention of a decoder's layer; and the weights as lines."""
    other = _beside(view, block)
    weights = matrix(view, view.shares_of(block), id=f"{block}weights drawn")
    blocks = (block, other) if other else (block,)
    maps = [Item("", heat_map(view, one, _title(view, one, bool(other)))) for one in blocks]
    return [*maps, Item("", AttentionLines("lines", weights, "Lines", lights=lights(view, block)))]


def _pictures(view: View, block: str) -> tuple[Element, ...]:
    """The pictures in a section of their own: first on the page of a long text, or of the mean of several heads."""
    mean = [Item("", matrix(view, f"{block}average", "mean of the weights"))] if view.averaged(block) else []
    return Section("pictures", "Who looks at whom"), Row("weights as pictures", (*mean, *_drawn(view, block)))


def heat_map(view: View, block: str, title: str = "") -> HeatMap:
    """The heat map of a block's attention weights, of the head (or the mean) that the reader looks at."""
    drawn = matrix(view, view.shares_of(block), id=f"{block}heat map: weights")
    return HeatMap(f"{block}heat map", drawn, title, _full(view, drawn))


def heat_maps(view: View, block: str) -> tuple[HeatMap, ...]:
    """The heat maps of all heads of a block; all have the same scale of colours."""
    drawn = []
    for head in range(view.graph.n_heads.get(f"{block}weights", 1)):
        name = view.of_head(f"{block}weights", head)
        drawn.append(matrix(view, name, id=f"{block}heat map of head {head + 1}: weights"))
    full = _full(view, drawn[0])
    if drawn[0].colours != SHARES:
        most = max(full_of(one.array) for one in drawn)
        drawn = [replace(one, full=most) for one in drawn]
    return tuple(HeatMap(one.id.removesuffix(": weights"), one, "", full) for one in drawn)


def _full(view: View, drawn: Matrix) -> float:
    """The share at which the colour of a heat map is deepest.

    The colours of shares go from 0 to 1, so that pictures can be compared. With many words each share is small: then
    the scale ends at the `NEARLY_ALL` quantile of the positive shares of all heads.
    """
    if drawn.colours != SHARES or max(drawn.array.shape) <= LONG:
        return 1.0
    shares = view.values[drawn.place.node]
    some = shares[np.isfinite(shares) & (shares > 0)]
    return float(np.quantile(some, NEARLY_ALL)) if some.size else 1.0


def lights(view: View, block: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The nodes of an attention block, each with the axes of its rows and columns: their cells light up words."""
    path, nodes = block.rstrip("."), view.nodes

    def make() -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((name, node.axes[-2:]) for name, node in nodes.items() if name.rpartition(".")[0] == path)

    return view.part(("lights", path), (), make)


def _beside(view: View, block: str) -> str:
    """The path of the other attention in the same decoder layer; "" if there is none."""
    layer, _, kind = block.rstrip(".").rpartition(".")
    other = {"self": f"{layer}.cross.", "cross": f"{layer}.self."}.get(kind, "")
    return other if f"{other}weights" in view.nodes and other else ""


def _title(view: View, block: str, several: bool) -> str:
    """The title of a heat map; a decoder has two heat maps, so each names its stage and axes."""
    if not several:
        return "Heat map"
    node = view.nodes[f"{block}weights"]
    return f"{view.stages[node.stage].title}: {' → '.join(node.axes[-2:])}"


WORDS = "output.words"
READS, SHOULD, SAYS = "reads", "should say", "says"
MOST_LINES = 1024
"""More lines between words than this look like a grey mat: then each target word shows only its strongest line."""


def masked(view: View, stage: Stage) -> tuple[Element, ...]:
    """Masked self-attention, and what the decoder reads, should say and says (teacher forcing)."""
    block = view.block(stage)
    and_what = "what it should say" if TARGET in view.nodes else "what it says"
    sentences = (
        Section("teacher forcing", f"What it reads, and {and_what}"),
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
    """The sentence that the decoder reads and, if the model has them, what it should say and what it says."""
    axis = view.nodes[f"{block}weights"].axes[-2]
    rows = [SentenceRow(READS, axis, view.labels(axis))]
    for title, name in ((SHOULD, TARGET), (SAYS, CHOSEN)):
        if name in view.nodes and view.nodes[name].axes == (axis,):
            vocabulary = view.labels(WORDS)
            rows.append(SentenceRow(title, axis, tuple(vocabulary[i] for i in view.values[name])))
    return tuple(rows)


def _forced(view: View, block: str) -> str:
    if TARGET not in view.nodes:
        return "The most probable word after each word. This model has no loss, so there are no right words."
    if not says_next(view):
        typed = "What it should say is typed on the page of the loss; these are not the next words of the sentence."
        return f"The decoder reads this sentence, whatever it would say itself. {typed}"
    mask = view.values.get(f"{block}mask")
    if mask is None:
        behind = "There is no mask here, so each word can look at the next word, which is its answer."
    elif np.triu(mask, 1).any():
        behind = "The mask lets some words look at later words, so these words may see their answer."
    else:
        behind = "Without the mask each word could look at the next word, which is its answer."
    says = "What it should say is the same sentence, shifted by one word."
    if view.nodes[TARGET].is_input:
        says += " These words are typed on the page of the loss, and stay if the sentence changes."
    return f"Teacher forcing: the decoder reads the right words, whatever it would say itself. {says} {behind}"


def _crossed(view: View, block: str) -> str:
    memory = view.nodes[f"{block}K"].parents[0]  # what keys and values are made from
    source, width = view.graph.shape(memory)
    target, layers = view.graph.shape(f"{block}Q")[-2], view.state.model.decoder_layers
    everywhere = f", in {'both' if layers == 2 else f'all {layers}'} layers of the decoder" if layers > 1 else ""
    many = source * target > MOST_LINES
    strongest = " Only the strongest line of each word is drawn; point at a word to see all its lines." * many
    return (
        f"The encoder runs once. What it made of the source, {source} × {width}, gives the keys and values here"
        f"{everywhere}; each position of the target uses the same keys and values, and so would later words."
        f"{strongest}"
    )


MOST_WORDS, MOST_COLUMNS = 9, 48
"""Words, and columns of all heads' tables together: with more, heat maps replace the tables."""
FEW_HEADS = 3
"""With more heads than this, the buttons of heads have short texts."""


def heads(view: View, stage: Stage) -> tuple[Element, ...]:
    """A column for each head; then the heads' outputs as one matrix, a band of columns for each head, times W_O.

    With a long sentence or many heads, tables of the weights cannot be compared, but pictures can; pointing at a
    picture gives the number. Beside a single head its weights also stand as lines.
    """
    block = view.block(stage)
    n = view.graph.n_heads.get(f"{block}output", 1)
    rows, keys = view.graph.shape(f"{block}weights")[-2:]
    wide = n > 1 and n * (keys + view.graph.shape(f"{block}output")[-1]) > MOST_COLUMNS
    drawn = wide or max(rows, keys) > MOST_WORDS
    columns: Iterable[Element] = heat_maps(view, block) if drawn else (_numbers(view, block, i) for i in range(n))
    mixed = f"{block}W_O" in view.nodes
    short = n > FEW_HEADS
    parts: list[Element] = [
        Stack(f"head {i + 1}", _headed(view, block, i), (one,), head=i, control=_switch(view, block, i, short))
        for i, one in enumerate(columns)
    ]
    if n == 1:
        weights = matrix(view, view.of_head(f"{block}weights", 0), id=f"{block}weights drawn")
        parts.append(AttentionLines("lines", weights, "Where it looks", lights=lights(view, block)))
    elements: list[Element] = [Row.of("heads", parts)]
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


def _headed(view: View, block: str, head: int) -> str:
    """The title of a head's column; its picture is of the weights, which are the same if the head is switched off."""
    return f"Head {head + 1}{', off' if is_held(view, view.of_head(f'{block}output', head)) else ''}"


def heads_sentence(view: View, stage: Stage) -> str:
    """One sentence on the stage: there may be a single head, or no W_O."""
    block = view.block(stage)
    several = view.graph.n_heads.get(f"{block}output", 1) > 1
    mixed = f"{block}W_O" in view.nodes
    if not several:
        return f"There is one head here{', and W_O mixes its columns' * mixed}."
    return f"Several heads look at once; their answers are put side by side{', and W_O mixes them' * mixed}."


def _numbered(view: View, name: str, head: int, several: bool) -> Element:
    """The output of a head. The formulas of several heads are the same, so their symbols get the head's number."""
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
    # Matrices of one given head stay the same when the reader looks at another head.
    names = (view.of_head(block + short, head) for short in ("weights", "output"))
    return Row.of(f"numbers of head {head + 1}", [matrix(view, name, id=name) for name in names])


def _switch(view: View, block: str, head: int, short: bool) -> Button:
    """The button that switches a head off, by pinning its output to 0, or on again."""
    name = view.of_head(f"{block}output", head)
    if is_held(view, name):
        text, less, tip = "Switch on", "Unmute", "Let the head work again"
    else:
        text, less, tip = "Switch off", "Mute", "Hold the output of the head at 0, and see what changes"
    said = less if short else text  # "On" and "Off" would be read as what the head is now
    return Button(f"switch of head {head + 1}", said, hold(view, name), tip, f"{text} head {head + 1}")
