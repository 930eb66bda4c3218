"""The page of a model's costs: multiplications and bytes, depending on its sizes and the length of a text.

The page of the parameters: how many numbers each block learns, and what they are for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from weakref import WeakKeyDictionary

import numpy as np

from explorer.core.cost import (
    ATTENTION,
    SHAPES,
    BlockWeights,
    Cost,
    Growth,
    Shape,
    cost,
    cost_of,
    growth,
    scores,
    timed_attention,
    total,
)
from explorer.core.cost import parameters as blocks_of
from explorer.core.decoder import why_none_kept
from explorer.core.graph import Graph, Stage
from explorer.core.numbers import alone, percent, quantity
from explorer.lessons.symbols import name_of
from explorer.pages import page as el
from explorer.pages.controls import Check, Choice, Controls, Number
from explorer.pages.drawing import Axis, Curve, Drawing, series
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.levels import block_title
from explorer.pages.model import meanings
from explorer.pages.model.changes import given
from explorer.pages.view import AT_ONCE, View
from explorer.pages.whole.page import whole_below

LONGER = (
    "A longer text needs no new parameters, except where positions are learned. But it takes more time: "
    "attention has a score for each pair of words, in each head of each layer, so twice as many words have "
    "four times as many scores."
)


def parameters(view: View, stage: Stage) -> tuple[Element, ...]:
    """The total of the parameters, a line for each block and each of its matrices, and how the total grows."""
    counted = blocks_of(view.graph, view.state.model)
    if not counted:
        said = "This model learns nothing: its numbers are given. To see one learn, open “XOR” on the page “Lessons”."
        return el.Note("total", said), *given(view), whole_below(view)
    said = (
        f"<b>{total(counted):,}</b> numbers that training would change. "
        "Words, masks, the temperature and targets are given, so they are not counted."
    )
    shared = view.state.model.in_file("source.table")
    if shared and shared == view.state.model.in_file("target.table"):
        n = view.graph.size("source.table")
        said += f" Its file has one table of {n:,} numbers for source and target; here they are two, and both count."
    blocks = el.Section("blocks", "Block by block"), _blocks(counted, view.graph)
    larger, title = _larger(view), el.Section("growth", "How it grows")
    if larger is None:
        grows: tuple[Element, ...] = title, el.waiting(view, LARGER, "Counting larger models")
    elif larger:
        grows = title, _growth_of_weights(total(counted), scores(view.graph), larger), el.Note("about growth", LONGER)
    else:
        return el.Note("total", said), *blocks, whole_below(view)
    return el.Note("total", said), el.beside((el.COLUMN, blocks), (el.COLUMN, grows))


LARGER, FEW_LAYERS = "larger models", 8
"""The key of the work that builds larger models; and the most layers with which that is done at once."""
_LARGER: WeakKeyDictionary[Graph, tuple[Growth, ...]] = WeakKeyDictionary()


def _larger(view: View) -> tuple[Growth, ...] | None:
    """The counts of larger models, built to be counted; with many layers on a thread, and None until that is done."""
    graph, model = view.graph, view.state.model
    if graph not in _LARGER:
        size = AT_ONCE if model.layers > FEW_LAYERS else 0.0
        found = view.awaited(LARGER, size, (graph,), lambda told: growth(model, told))
        if found is None:
            return None
        _LARGER[graph] = found
    return _LARGER[graph]


def _blocks(counted: tuple[BlockWeights, ...], graph: Graph) -> el.Listing:
    """A bold line for each block with its sum, and a line for each of its matrices; the largest block fills its bar."""
    n = total(counted)
    largest = max((block.count for block in counted), default=1) / max(n, 1)
    columns = (
        el.Column("block", names=True),
        el.Column("what for"),
        el.Column("sizes", width=440, names=True),
        el.Column("numbers", el.NUMBER),
        el.Column("beside the largest", el.BAR, 300, (0.0, largest)),
    )

    def line(name: str, why: str, sizes: str, count: int, strong: bool) -> el.Line:
        share = count / max(n, 1)
        part = el.Entry(percent(share, 1), share if count < n or len(counted) == 1 else 0.0)
        return el.Line.of(name, el.Entry(why, muted=True), sizes, f"{count:,}", part, strong=strong)

    lines = []
    for block in counted:
        lines.append(line(block_title(graph, block.name), "", "", block.count, True))
        for weights in block.weights:
            short, sizes = weights.name.rpartition(".")[2], weights.sizes
            # Without the factor of a single head: "4 d_model × 6 d_ff".
            each = (f"{one.length} {one.what}" for one in sizes if (one.what, one.length) != ("heads", 1))
            why = meanings("weights").get(short, "")
            lines.append(line(f"    {name_of(short)}", why, " × ".join(each), weights.count, False))
    lines.append(line("All", "", "", n, True))
    return el.Listing("block list", "Parameters of each block", columns, tuple(lines), most=60)


def _growth_of_weights(own: int, pairs: int, larger: tuple[Growth, ...]) -> el.Listing:
    titles = el.Column("if there were", names=True), *el.numeric("numbers", "times")
    columns = *titles, el.Column("", el.BAR, 300), *el.numeric("scores", "times")
    said = meanings("growth")
    rows = [("the model as it is", own, pairs), *((said[one.what], one.count, one.scores) for one in larger)]
    most = max(count for _, count, _ in rows)
    lines = []
    for i, (words, count, n) in enumerate(rows):
        times, more = f"{count / max(own, 1):.2f}", f"{n / max(pairs, 1):.2f}"
        bar = el.Entry(f"{count:,}", count / max(most, 1))
        lines.append(el.Line.of(words, f"{count:,}", times, bar, f"{n:,}", more, strong=not i))
    return el.Listing("growth list", "How the numbers of parameters and of scores grow", columns, tuple(lines))


SHAPE, TOKENS, TIMED = "costs.shape", "costs.tokens", "costs.timed"
LAYERS, WIDTH, HEADS = "costs.layers", "costs.width", "costs.heads"
MOST_TOKENS, MOST_LAYERS, MOST_WIDTH, MOST_HEADS = 8192, 128, 16_384, 128
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
TIMES = (64, 128, 256, 512)
OWN = "this model"
HERE = {
    ".routed": " All experts are computed here, and counted; other programs compute only those that a word has chosen.",
    "_codes": " Weights in few bits take fewer bytes in other programs; here they stand beside the exact ones.",
}
"""What is said of a model with a node whose name ends so."""
BEYOND = " Words outside a context window are counted, too; other programs leave them out, and keep less in the cache."
PASS, LONGER_TEXT = 460, 560
"""The widths of the two parts of the page, in pixels at text scale 1: they fit side by side in 1600 pixels."""


def costs(view: View, stage: Stage) -> tuple[Element, ...]:
    """The sizes, the costs of a pass by parts, their growth with the text, and attention timed on this machine."""
    shape = _shape(view)
    tokens = view.number(_of(TOKENS, _preset(view)), shape.room, 1, MOST_TOKENS)
    found = _cost(view, shape, tokens)
    none_kept = why_none_kept(view.state.model, tokens + 1) if shape.name == OWN else ""
    remarks = ""
    if shape.name == OWN:
        remarks = "".join(said for end, said in HERE.items() if any(name.endswith(end) for name in view.nodes))
        remarks += BEYOND * any(getattr(node.op, "window", 0) for node in view.nodes.values())
    said = el.Note("together", _said(shape, tokens, found, none_kept) + remarks)
    title = el.Section("pass", f"Reading {quantity(tokens, 'token')} at once")
    one = title, said, _parts(found, _formulas(view, shape, tokens))
    longer = el.Section("growth", "How it grows with the text"), _growth(view, shape), _curves(view, shape)
    return (
        *_controls(view, shape, tokens),
        el.beside((PASS, (*one, *_timed(view, shape))), (LONGER_TEXT, longer)),
    )


def _preset(view: View) -> int:
    return view.number(SHAPE, 0, 0, len(SHAPES))


def _of(key: str, shape: int) -> str:
    """The key under which a number set by hand is kept: each preset has its own."""
    return f"{key}.{shape}"


def _cost(view: View, shape: Shape, tokens: int) -> Cost:
    """The cost of this model as it is, whatever its blocks are, or of a usual GPT of the given sizes."""
    return cost(view.state.model, view.graph, tokens) if shape.name == OWN else cost_of(shape, tokens)


def _shape(view: View) -> Shape:
    """The sizes of the preset or of this model, with the numbers that were set by hand."""
    model = view.state.model
    heads = view.graph.n_heads.get("decoder.1.self.scores", 1)
    words = len(view.graph.axes["output.words"])
    bytes_ = np.dtype(model.dtype).itemsize
    own = Shape(OWN, model.layers, heads, model.d_model, words, len(view.labels("input")), bytes=bytes_)
    chosen = _preset(view)
    base = (own, *SHAPES)[chosen]
    layers, width, heads = (
        view.number(_of(key, chosen), usual, 1, most)
        for key, usual, most in (
            (LAYERS, base.layers, MOST_LAYERS),
            (WIDTH, base.d_model, MOST_WIDTH),
            (HEADS, base.heads, MOST_HEADS),
        )
    )
    if (layers, width, heads) == (base.layers, base.d_model, base.heads):
        return base
    width = max(width // heads, 1) * heads
    return replace(base, name=f"{base.name}, changed", layers=layers, heads=heads, d_model=width)


def _controls(view: View, shape: Shape, tokens: int) -> tuple[Element, ...]:
    names = (OWN, *(one.name for one in SHAPES))
    chosen = _preset(view)
    presets = Choice("shape", "Sizes of", names, chosen, (Keep(SHAPE),), "The sizes to count with")
    numbers = (
        Number("tokens", "n", tokens, 1, MOST_TOKENS, Keep(_of(TOKENS, chosen)), "Tokens that are read"),
        Number("layers", "layers", shape.layers, 1, MOST_LAYERS, Keep(_of(LAYERS, chosen)), "Layers"),
        Number("width", "d_model", shape.d_model, 1, MOST_WIDTH, Keep(_of(WIDTH, chosen)), "Numbers of a vector"),
        Number("heads", "heads", shape.heads, 1, MOST_HEADS, Keep(_of(HEADS, chosen)), "Heads of a layer"),
    )
    return Controls("shapes", (presets,)), Controls("sizes", numbers)


def _said(shape: Shape, tokens: int, found: Cost, none_kept: str) -> str:
    cache = f"with a key-value cache of <b>{_bytes(found.cache * shape.bytes)}</b>"
    if none_kept:
        cache = f"without a key-value cache: {none_kept}"
    like = "GPT-2" if shape.norm == "pre" else "GPT-1"
    plain = f"Other sizes are counted as {like} is built: a net without a gate, keys and values for each head. "
    return (
        f"{plain if shape.name not in (OWN, *(one.name for one in SHAPES)) else ''}"
        f"<b>{_short(found.together)}</b> multiplications for {quantity(tokens, 'token')} at once, and "
        f"<b>{_short(found.one_more)}</b> for one more {cache}. "
        f"The model itself has {_short(found.parameters)} numbers, "
        f"{_bytes(found.parameters * shape.bytes)}; the scores of one layer, n² for each head, are "
        f"{_short(found.scores)} numbers, {_bytes(found.scores * shape.bytes)}. A number has {shape.bytes} bytes here."
    )


def _formulas(view: View, shape: Shape, n: int) -> dict[str, tuple[tuple[str, int], ...]]:
    """For each part, formulas of its multiplications with their results, the usual one first.

    A formula is shown only if its result is the true count.
    """
    layers, d, words, read = shape.layers, shape.d_model, shape.words, shape.words
    nets = [("layers × 8 n d²", layers * 8 * n * d * d)]
    projections = [("layers × 4 n d²", layers * 4 * n * d * d)]
    attention = [("layers × 2 n² d", layers * 2 * n * n * d)]
    if shape.name == OWN:
        read = view.graph.shape("input.table")[0]
        if "decoder.1.ffn.W_1" in view.nodes:
            times, d_ff = 2 + ("decoder.1.ffn.W_g" in view.nodes), view.graph.shape("decoder.1.ffn.W_1")[-1]
            of_its_own = f"layers × {times} n d d_ff, d_ff = {d_ff:,}", layers * times * n * d * d_ff
            nets = [of_its_own] if times > 2 else [*nets, of_its_own]  # a gated net of 8/3 d units has 8 n d², too
            if "decoder.1.ffn.W_r" in view.nodes:  # the router, the nets, and their sum by its shares
                n_experts = view.graph.shape("decoder.1.ffn.W_r")[-1]
                said = f"layers × n e d ({times} d_ff + 2), e = {n_experts} experts, d_ff = {d_ff:,}"
                nets = [(said, layers * n * n_experts * d * (times * d_ff + 2))]
        if "decoder.1.self.K" in view.nodes:
            *heads, _, d_k = view.graph.shape("decoder.1.self.K")
            d_kv = prod(heads) * d_k
            d_q = view.graph.n_heads.get("decoder.1.self.Q", 1) * d_k
            if d_q == d:
                projections.append((f"layers × 2 n d (d + d_kv), d_kv = {d_kv:,}", layers * 2 * n * d * (d + d_kv)))
            else:  # the heads are not d_model / heads wide
                said = f"layers × 2 n d (d_q + d_kv), d_q = {d_q:,}, d_kv = {d_kv:,}"
                projections = [(said, layers * 2 * n * d * (d_q + d_kv))]
                attention = [(f"layers × 2 n² d_q, d_q = {d_q:,}", layers * 2 * n * n * d_q)]
    return {
        "projections": tuple(projections),
        ATTENTION: tuple(attention),
        "feed-forward": tuple(nets),
        "output": (("n d × words", n * d * words),),
        "embedding": (("n d × words, with one-hot rows", n * d * read),),
    }


def _parts(found: Cost, formulas: Mapping[str, Sequence[tuple[str, int]]]) -> el.Listing:
    lines = []
    for name, count in found.multiplications.items():
        if not count and name == "embedding":
            continue
        share = count / max(found.together, 1)
        said = next((formula for formula, product in formulas[name] if product == count), "")
        lines.append(el.Line.of(name, el.Entry(said, muted=True), f"{count:,}", el.Entry(percent(share, 1), share)))
    lines.append(el.Line.of("together", "", f"{found.together:,}", el.Entry("100%", 1.0), strong=True))
    share_of = el.Column("share", el.BAR, 160)
    columns = el.Column("for"), el.Column("formula", names=True), *el.numeric("multiplications"), share_of
    return el.Listing("parts", "Multiplications, by purpose", columns, tuple(lines))


def _growth(view: View, shape: Shape) -> el.Listing:
    lines, kept = [], []
    for n in LENGTHS:
        found = _cost(view, shape, n)
        of_attention = found.multiplications[ATTENTION] / max(found.together, 1)
        attention = el.Entry(percent(of_attention, 1), of_attention)
        held = _bytes(found.scores * shape.bytes), _bytes(found.cache * shape.bytes)
        lines.append(el.Line.of(f"{n:,}", _short(found.together), attention, _short(found.one_more), *held))
        kept.append(found.cache)
    share, one_more = el.Column("attention's share", el.BAR, 120), "one more, cached" if all(kept) else "one more"
    columns = *el.numeric("n", "all at once"), share, *el.numeric(one_more, "scores of a layer", "cache")
    return el.Listing("lengths", "Multiplications and bytes by the length of a text", columns, tuple(lines))


def _curves(view: View, shape: Shape) -> el.Picture:
    """Curves of the multiplications per token, by purpose, over the text's length: only that of attention rises."""
    x = np.array(LENGTHS, np.float64)
    names = ("projections", ATTENTION, "feed-forward", "output")
    each = [_cost(view, shape, n).multiplications for n in LENGTHS]
    per_token = {name: np.array([one[name] / n for one, n in zip(each, LENGTHS, strict=True)]) / 1e6 for name in names}
    top = max(float(y.max()) for y in per_token.values()) * 1.08
    marks = tuple(Curve(x, y, name, series(k)) for k, (name, y) in enumerate(per_token.items()))
    said = "; ".join(f"{name} {alone(float(y[0]))} to {alone(float(y[-1]))}" for name, y in per_token.items())
    drawing = Drawing(
        marks,
        (0.0, float(x[-1]) * 1.15, 0.0, top),
        f"Millions of multiplications a token, from {LENGTHS[0]} to {LENGTHS[-1]:,} tokens: {said}.",
        Axis("tokens, n"),
        Axis("million multiplications a token", short="millions a token"),
    )
    return el.Picture("per token", drawing, 560, 260)


_seconds = lru_cache(8)(timed_attention)


def _timed(view: View, shape: Shape) -> tuple[Element, ...]:
    """The section that times the attention of one layer on this machine, on request."""
    on = view.chosen(TIMED, False)
    tip = "Run the attention of one layer on this computer, on texts of several lengths"
    head = (
        el.Section("measured", "Attention, timed here"),
        Controls("measure", (Check(TIMED, "Measure it on this machine", on, Keep(TIMED), tip),)),
    )
    if not on:
        return head
    d_k = min(max(shape.d_model // shape.heads, 1), 128)
    heads = min(shape.heads, 12)
    seconds = [_seconds(n, heads, d_k) for n in TIMES]
    lines = []
    for i, (n, taken) in enumerate(zip(TIMES, seconds, strict=True)):
        foretold, timed = ("4 ×", f"{taken / seconds[i - 1]:.1f} ×") if i else ("", "")
        lines.append(el.Line.of(f"{n:,}", f"{2 * n * n * d_k * heads:,}", foretold, f"{taken * 1e3:.2f} ms", timed))
    said = f"{heads} heads of {d_k} numbers, in float32: the scores, their softmax, and the values in these shares."
    columns = el.numeric("n", "2 n² d", "", "taken", "")
    return *head, el.Note("what is timed", said), el.Listing("times", "Attention as timed here", columns, tuple(lines))


def _short(count: float) -> str:
    """A large number with three digits: "124 million"."""
    for size, name in ((1e15, " quadrillion"), (1e12, " trillion"), (1e9, " billion"), (1e6, " million")):
        if count >= size:
            return f"{count / size:.3g}{name}"
    return f"{count:,.0f}"


def _bytes(count: float) -> str:
    for size, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= size:
            return f"{count / size:.3g} {name}"
    return f"{count:,.0f} bytes"
