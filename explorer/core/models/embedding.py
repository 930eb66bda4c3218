"""Tokens to vectors: look up, and say where each stands."""

from explorer.core.models.blocks import Blocks
from explorer.core.ops import Add, FirstRows, Input, LookUp, MatMul, OneHot, Op, Scale, ScaleFactor, Scores, Sinusoidal

AMONG_SCORES = ("rotary", "ALiBi", "relative", "none")
"""Kinds of positions that are not added to the vectors: they are where queries meet keys, or nowhere."""


def embedding(b: Blocks, sequence: str, title: str) -> str:
    """Look up the words, add segments and positions. Returns (n, d_model).

    How alike two positions are, (n, n), feeds nothing: it is there to be looked at.
    """
    g, m = b.graph, b.model
    words = g.axis(f"{sequence}.words", m.axes[f"{sequence}.words"])
    g.sequence(sequence, m.lengths[sequence], words)
    g.stage(f"{sequence}.embedding", "embedding", "Embeddings", title)
    axes = (sequence, "d_model")
    tokens = g.add(f"{sequence}.tokens", Input("ids"), axes=(sequence,), symbol="t")
    table = g.add(f"{sequence}.table", Input(), axes=(words, "d_model"), symbol="E")
    if m.switch(sequence, "lookup") == "one-hot":
        onehot = OneHot(g.length(words), m.dtype)
        rows = g.add(f"{sequence}.onehot", onehot, tokens, axes=(sequence, words), symbol="OH")
        X = g.add(f"{sequence}.X", MatMul(), rows, table, axes=axes)
    else:
        X = g.add(f"{sequence}.X", LookUp(), tokens, table, axes=axes)
    if b.on(sequence, "embedding_scale"):
        factor = ScaleFactor("sqrt(d_k)", m.d_model, m.dtype, letters="d_{model}")
        scale = g.add(f"{sequence}.scale", factor, axes=(), symbol=factor.formula())
        X = g.add(f"{sequence}.scaled", Scale(), X, scale, axes=axes, symbol="X_s")
    if segments := b.number(sequence, "segments"):
        kinds = g.axis(f"{sequence}.segment", segments)
        which = g.add(f"{sequence}.segments", Input("ids"), axes=(sequence,), symbol="s")
        own = g.add(f"{sequence}.segment_table", Input(), axes=(kinds, "d_model"), symbol="E_s")
        rows = g.add(f"{sequence}.segment_rows", LookUp(), which, own, axes=axes, symbol="X_s")
        X = g.add(f"{sequence}.with_segments", Add(), X, rows, axes=axes, symbol="X'")
    H = _placed(b, sequence, X, title)
    if b.on(sequence, "embedding_norm"):
        g.stage(f"{sequence}.norm", "norm", "Norm", title)
        H = b.norm(sequence, H, sequence)
    return b.dropout(sequence, H, sequence, title)


def _placed(b: Blocks, sequence: str, X: str, title: str) -> str:
    """The vectors with their positions added, where they are."""
    g, m = b.graph, b.model
    positions = b.text(sequence, "positions")
    if positions in AMONG_SCORES:
        return X
    axes, n = (sequence, "d_model"), m.lengths[sequence]
    g.stage(f"{sequence}.positions", "positions", "Positions", title)
    op: Op
    parents: tuple[str, ...] = ()
    if positions in ("table", "learned"):
        op = Input()
    elif positions == "own":
        first = b.number(sequence, "first")
        room = g.axis(f"{sequence}.room", max(b.number(sequence, "room"), first + n))
        parents = (g.add(f"{sequence}.places", Input(), axes=(room, "d_model"), symbol="E_P"),)
        op = FirstRows(n, first)
    else:
        kind = "paper" if positions == "sinusoidal" else positions
        op = Sinusoidal(n, m.d_model, kind, m.dtype)
    PE = g.add(f"{sequence}.PE", op, *parents, axes=axes, symbol="PE")
    g.add(f"{sequence}.likeness", Scores(), PE, PE, axes=(sequence, sequence), symbol="S_{PE}")
    return g.add(f"{sequence}.H", Add(), X, PE, axes=axes)
