"""Multi-head attention, and the scores and weights of one head or of several."""

from functools import lru_cache

from explorer.core import ops
from explorer.core.errors import ExplorerError
from explorer.core.graph import counted
from explorer.core.models.blocks import Blocks
from explorer.core.vocabulary import PAD


@lru_cache(64)
def _columns(n_heads: int, d_v: int) -> tuple[str, ...]:
    """Labels of the columns of all heads side by side; all graphs share the tuples."""
    return tuple(f"{h + 1}·{v + 1}" for h in range(n_heads) for v in range(d_v)) if n_heads > 1 else counted(d_v)


def attention(b: Blocks, block: str, title: str, group: str, x: str, queries: str, memory: str, keys: str) -> str:
    """Multi-head attention with its residual and norm (Vaswani et al. 2017, §3.2). Returns (n_queries, d_model).

    The mean of several heads' weights is only shown; no node reads it. Rotary positions rotate queries and keys of one
    sequence only, because two sequences have no common distances. If several heads share a head of keys and values,
    these have an axis of their own (Ainslie et al. 2023).

    Parameters
    ----------
    block : str
        Path, such as "encoder.1.self".
    title, group : str
        For the window's list of stages.
    x, memory : str
        The nodes that queries, and keys and values, are made from; the same node for self-attention.
    queries, keys : str
        The axes of the rows of x and memory.
    """
    g, m = b.graph, b.model
    n_heads = b.number(block, "heads")
    d_k = b.number(block, "d_k")
    if not d_k:
        if m.d_model % n_heads:
            *fits, last = (str(h) for h in range(1, m.d_model + 1) if m.d_model % h == 0)
            remedy = f"{', '.join(fits)} or {last} heads" if fits else "1 head"
            raise ExplorerError("heads-do-not-divide", d_model=m.d_model, heads=n_heads, remedy=remedy)
        d_k = m.d_model // n_heads
    d_v = b.number(block, "d_v") or d_k
    key_heads = b.number(block, "key_heads") or n_heads
    if n_heads % key_heads:
        raise ExplorerError("key-heads-do-not-divide", heads=n_heads, key_heads=key_heads)
    sharing = n_heads // key_heads
    heads = g.axis(f"{block}.heads", counted(n_heads, "head "))
    shared = g.axis(f"{block}.key.heads", counted(key_heads, "head ")) if sharing > 1 else heads
    # Without W_O the heads' outputs themselves are the token's new vector, whose dimensions may have names.
    named = () if b.on(block, "W_O") else m.axes.get("d_model", ())
    k_axis, v_axis = g.axis(f"{block}.d_k", d_k), g.axis(f"{block}.d_v", named if len(named) == d_v else d_v)

    x_in = b.norm_before(block, x, queries, group)
    if memory == x:
        memory = x_in

    kind = "cross" if queries != keys else "masked" if block.startswith("decoder.") else "attention"
    g.stage(f"{block}.attention", kind, title, group)
    projected: dict[str, str] = {}
    for letter, read, rows, axis, own in (
        ("Q", x_in, queries, k_axis, heads),
        ("K", memory, keys, k_axis, shared),
        ("V", memory, keys, v_axis, shared),
    ):
        projected[letter] = b.layer(block, letter, read, "d_model", axis, rows, f"{block}.{letter}", stack=own)
        if most := b.real(block, "clip"):
            name, symbol = f"{block}.{letter}_clipped", f"{letter}_c"
            projected[letter] = g.add(name, ops.Clip(most), projected[letter], axes=(own, rows, axis), symbol=symbol)
    for letter, rows, own in (("Q", queries, heads), ("K", keys, shared)):
        axes = (own, rows, k_axis)
        projected[letter] = _normed(b, block, letter, projected[letter], axes)
        if queries == keys and b.text(queries, "positions") == "rotary":
            name = f"{block}.{letter}_rotated"
            projected[letter] = g.add(
                name, rotary(b, block, queries, d_k), projected[letter], axes=axes, symbol=f"{letter}_R"
            )
    met = projected["Q"], projected["K"]
    weights = attention_weights(b, f"{block}.", block, *met, (heads,), queries, keys, d_k, sharing=sharing)
    if n_heads > 1:
        g.add(f"{block}.average", ops.HeadMean(), weights, axes=(queries, keys), symbol=r"\bar{A}")
    output = g.add(
        f"{block}.output", ops.WeightedSum(sharing), weights, projected["V"], axes=(heads, queries, v_axis), symbol="O"
    )

    g.stage(f"{block}.heads", "heads", "Heads & concat", group)
    wide = g.axis(f"{block}.concat", named if len(named) == n_heads * d_v else _columns(n_heads, d_v))
    result = g.add(f"{block}.concat", ops.Concat(), output, axes=(queries, wide), symbol="C")
    if b.on(block, "W_O"):
        result = b.layer(block, "O", result, wide, "d_model", queries, f"{block}.projected", "P")
    elif n_heads * d_v != m.d_model:
        raise ExplorerError("widths-differ", block=block, width=n_heads * d_v, d_model=m.d_model)
    return b.after(block, result, x, queries, group)


def _normed(b: Blocks, block: str, letter: str, x: str, axes: tuple[str, ...]) -> str:
    """Queries or keys, each normalised before the dot product (QK-norm; Henry et al. 2020)."""
    how = b.text(block, "qk_norm")
    if how == "none":
        return x
    g, norm = b.graph, ops.NORMS[b.text(block, "norm_by")]
    epsilon = b.real(block, "epsilon")
    together = how == "all heads"
    start = "ones" if together else type(norm)(offset=norm.offset).gamma
    own = (axes[0], axes[2]) if together else (axes[2],)
    parents = [x, g.add(f"{block}.gamma_{letter}", ops.Input(start), axes=own, symbol=rf"\gamma_{letter}")]
    op: ops.Op = ops.HeadsNorm(epsilon)
    if not together:
        op = type(norm)(epsilon, True, norm.offset)
        if norm.moves:
            parents.append(g.add(f"{block}.beta_{letter}", ops.Input("zeros"), axes=own, symbol=rf"\beta_{letter}"))
    return g.add(f"{block}.{letter}_normed", op, *parents, axes=axes, symbol=f"{letter}_N")


def rotary(b: Blocks, block: str, sequence: str, d_k: int) -> ops.Rotary:
    """The rotation of queries and keys that a sequence's switches describe.

    A block may have a base of its own, and then turns longer texts as short ones (Gemma 3, 2025, §2.1).
    """
    halves, width = b.text(sequence, "rotary_pairs") == "halves", min(b.number(sequence, "rotary_width"), d_k)
    if base := b.real(block, "rotary_base"):
        return ops.Rotary(d_k, halves, width, base)
    return ops.Rotary(
        d_k,
        halves,
        width,
        b.real(sequence, "rotary_base"),
        b.text(sequence, "rotary_scaling"),
        b.real(sequence, "rotary_factor"),
        b.number(sequence, "rotary_room"),
        b.real(sequence, "rotary_low"),
        b.real(sequence, "rotary_high"),
        b.real(sequence, "rotary_stretch"),
        b.on(sequence, "rotary_rounded"),
    )


def attention_weights(
    b: Blocks,
    prefix: str,
    block: str,
    Q: str,
    K: str,
    batch: tuple[str, ...],
    queries: str,
    keys: str,
    d_k: int,
    columns: bool = False,
    sharing: int = 1,
) -> str:
    """Scores, scaled scores, masked scores, weights (Vaswani et al. 2017, equation 1). Returns (…, n_queries, n_keys).

    A step that is switched off, such as the mask, has no node.

    Parameters
    ----------
    prefix : str
        The beginning of the nodes' names: "encoder.1.self.", or nothing in a lesson on one head.
    block : str
        The block whose switches apply.
    Q, K : str
        Nodes of the queries (…, n_queries, d_k) and keys (…, n_keys, d_k).
    batch : tuple of str
        The leading axes: heads, or none.
    queries, keys : str
        The axes of the rows of Q and K.
    columns : bool
        Whether each token is a column of Q and K, (d_k, n), not a row.
    sharing : int
        How many query heads share one key head.
    """
    g, m = b.graph, b.model
    axes = (*batch, queries, keys)
    scores = ops.Scores(b.text(block, "similarity"), columns, sharing)
    logits = g.add(f"{prefix}scores", scores, Q, K, axes=axes, symbol="S")
    if (kind := b.text(block, "scale")) != "none":
        factor = ops.Input("ones") if kind == "free" else _factor(b, block, kind, d_k)
        scale = g.add(f"{prefix}scale", factor, axes=(), symbol="s" if kind == "free" else factor.formula())
        logits = g.add(f"{prefix}scaled", ops.Scale(), logits, scale, axes=axes, symbol="Z")
    if batch and queries == keys and (bias := _position_bias(b, block, batch[0], queries)):
        logits = g.add(f"{prefix}biased", ops.Add(), logits, bias, axes=axes, symbol="Z_B")
    if m.has_switch(block, "cap") and (cap := b.real(block, "cap")):
        logits = g.add(f"{prefix}capped", ops.Cap(cap), logits, axes=axes, symbol="Z_c")
    if b.text(block, "mask") != "none":
        op, parents = _mask(b, block, queries, keys, f"{prefix}scores")
        # Which words are related depends on the scores, and so on the head.
        mask_axes = axes if isinstance(op, ops.RelatedMask) else (queries, keys)
        mask = g.add(f"{prefix}mask", op, *parents, axes=mask_axes, symbol="M")
        masked = ops.Mask(heads=len(mask_axes) < len(axes))
        logits = g.add(f"{prefix}masked", masked, logits, mask, axes=axes, symbol="Z'")
    if b.on(block, "sink"):
        sink = g.add(f"{prefix}sink", ops.Input("zeros"), axes=batch, symbol="z_0")
        return g.add(f"{prefix}weights", ops.SinkSoftmax(), logits, sink, axes=axes, symbol="A")
    share = ops.Softmax() if b.text(block, "normalise") == "softmax" else ops.RowShares()
    return g.add(f"{prefix}weights", share, logits, axes=axes, symbol="A")


def _factor(b: Blocks, block: str, kind: str, d_k: int) -> ops.ScaleFactor:
    width = b.number(block, "scale_width") if b.model.has_switch(block, "scale_width") else 0
    layer = int(block.split(".")[1]) if b.on(block, "scale_layer") else 1
    letters = "d_k" if width in (0, d_k) else f"{width}"
    return ops.ScaleFactor(kind, width or d_k, b.model.dtype, layer, letters)


def _position_bias(b: Blocks, block: str, heads: str, sequence: str) -> str:
    """The node whose numbers, by distance, are added to the scores; "" if there is none.

    The first layer makes it for all layers with the same number of heads.
    """
    g, positions = b.graph, b.text(sequence, "positions")
    if positions not in ("ALiBi", "relative"):
        return ""
    stack = block.split(".")[0]
    first = f"{stack}.1.self"
    if block != first and g.length(heads) == g.length(f"{first}.heads"):
        return f"{first}.position_bias"
    axes, n = (heads, sequence, sequence), g.length(sequence)
    if positions == "ALiBi":
        op: ops.Op = ops.ALiBi(g.length(heads), n, b.model.dtype)
        return g.add(f"{block}.position_bias", op, axes=axes, symbol="B")
    buckets = b.number(sequence, "buckets")
    places = g.axis(f"{block}.bucket", [str(i) for i in range(buckets)])
    table = g.add(f"{block}.bias_table", ops.Input(), axes=(places, heads), symbol="E_B")
    op = ops.RelativeBias(n, n, buckets, b.number(sequence, "bucket_most"), both=stack == "encoder")
    return g.add(f"{block}.position_bias", op, table, axes=axes, symbol="B")


def _mask(b: Blocks, block: str, queries: str, keys: str, scores: str) -> tuple[ops.Op, tuple[str, ...]]:
    """The op of a mask, and the nodes that it reads."""
    g, kind = b.graph, b.model.switch(block, "mask")
    if kind == "hand":
        return ops.Input("ones"), ()
    if kind == "related":
        return ops.RelatedMask(), (scores,)
    if kind != "padding" and queries != keys:
        raise ExplorerError("causal-needs-one-sequence", block=block)
    n, window = g.length(queries), b.number(block, "window")
    if kind == "causal":
        return ops.CausalMask(n, window), ()
    words = b.model.axes[f"{keys}.words"]
    pad = words.index(PAD) if PAD in words else -1
    op = ops.PaddingMask(pad, n) if kind == "padding" else ops.CausalPaddingMask(pad, n, window)
    return op, (f"{keys}.tokens",)
