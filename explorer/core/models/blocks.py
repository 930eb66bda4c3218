"""The blocks of a model: attention and the feed-forward net, each with what stands around it.

Around every block stand a norm before or after it, dropout, the residual connection, and weights in few bits. The net
is plain or gated, a single one or several experts with a router. Attention has one head or several.

Shapes are written (n, d_model): n tokens of the sequence, d_model numbers for each.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from explorer.core import ops
from explorer.core.errors import ExplorerError
from explorer.core.graph import GraphBuilder, counted
from explorer.core.model import BITS, Model
from explorer.core.vocabulary import PAD

ENDS_IN_NORM = ("pre", "both", "output")
"""The places of a norm that leave the residual stream itself unnormalised, except once after the last block."""


@dataclass
class Blocks:
    """Adds the blocks of a model to a graph, following the model's switches."""

    model: Model
    graph: GraphBuilder  # the nodes are added to it

    def text(self, block: str, name: str) -> str:
        """The value of a switch that is a choice of words."""
        return str(self.model.switch(block, name))

    def number(self, block: str, name: str) -> int:
        """The value of a switch that is a whole number."""
        return int(self.model.switch(block, name))

    def real(self, block: str, name: str) -> float:
        """The value of a switch that is a number."""
        return float(self.model.switch(block, name))

    def on(self, block: str, name: str) -> bool:
        """Whether a switch is on; off if a block of this kind does not have it."""
        return bool(self.model.has_switch(block, name) and self.model.switch(block, name))

    def d_model(self) -> None:
        """Declare the axis of a token's vector, with the names of its dimensions if the model gives them."""
        names = self.model.axes.get("d_model", ())
        self.graph.axis("d_model", names if len(names) == self.model.d_model else self.model.d_model)

    def weights(self, block: str, short: str, axes: tuple[str, ...], symbol: str = "", turned: bool = False) -> str:
        """A weight matrix, (…, d_in, d_out) or, if `turned`, (…, d_out, d_in); in few bits, rounded.

        Blocks with one scale run along the inputs in both.
        """
        g = self.graph
        W = g.add(f"{block}.{short}", ops.Input(turned=turned), axes=axes, symbol=symbol)
        bits = BITS.get(self.text(block, "quantised") if self.model.has_switch(block, "quantised") else "", 0)
        if not bits:
            return W
        size = self.number(block, "quantised_block")
        blocks = g.axis(f"{block}.{short}.blocks", -(-g.length(axes[-1 if turned else -2]) // size))
        of_blocks = (*axes[:-1], blocks) if turned else (*axes[:-2], blocks, axes[-1])
        letter = symbol or short
        scale = g.add(
            f"{block}.{short}_scale", ops.BlockScale(bits, size, turned), W, axes=of_blocks, symbol=f"s_{{{letter}}}"
        )
        codes = g.add(
            f"{block}.{short}_codes", ops.BlockCodes(bits, size, turned), W, scale, axes=axes, symbol=f"c_{{{letter}}}"
        )
        left = ops.FromCodes(size, turned)
        return g.add(f"{block}.{short}_left", left, W, codes, scale, axes=axes, symbol=rf"\tilde{{{letter}}}")

    def layer(
        self, block: str, of: str, x: str, into: str, out: str, rows: str, name: str, symbol: str = "", stack: str = ""
    ) -> str:
        """A linear layer: x, (n, into), times W and, if the switch says so, plus a bias. Returns (n, out).

        `of` ends the names of the weights and of the bias: "1", "Q". `name` and `symbol` are those of the result.

        `stack`: the axis of heads or experts if each has its own weights; the result is (stack, n, out).
        """
        g, lead = self.graph, (stack,) if stack else ()
        turned = self.text(block, "weights") == "W x" and not stack.endswith(".expert.heads")
        axes = (*lead, out, into) if turned else (*lead, into, out)
        parents = [x, self.weights(block, f"W_{of}", axes, turned=turned)]
        if self.on(block, "bias_O" if of == "O" else "bias"):
            parents.append(g.add(f"{block}.b_{of}", ops.Input("zeros"), axes=(*lead, out)))
        op = ops.MatMul(turned, heads=bool(stack) and into == "d_model")  # else each expert reads its own hidden units
        return g.add(name, op, *parents, axes=(*lead, rows, out), symbol=symbol)

    def norm_before(self, block: str, x: str, rows: str, group: str) -> str:
        """The node that a block reads: x, or its norm if the block has a norm before it (or on both sides)."""
        if self.text(block, "norm") not in ("pre", "both"):
            return x
        self.graph.stage(f"{block}.norm", "norm", "Norm", group)
        return self.norm(block, x, rows)

    def after(self, block: str, result: str, x: str, rows: str, group: str) -> str:
        """Dropout, norm of the output, residual and post-norm, as far as they are switched on. Returns (n, d_model)."""
        g = self.graph
        result = self.dropout(block, result, rows, group)
        residual, norm = self.on(block, "residual"), self.text(block, "norm")
        if norm in ("both", "output"):
            g.stage(f"{block}.output_norm", "norm", "Norm of the output", group)
            result = self.norm(block, result, rows, "output_norm", "_out")
        if residual or norm == "post":
            g.stage(f"{block}.after", "norm", "Add & norm" if norm == "post" else "Residual", group)
        if residual:
            symbol = self._of_stack("R", block)
            result = g.add(f"{block}.residual", ops.Add(), x, result, axes=(rows, "d_model"), symbol=symbol)
        return self.norm(block, result, rows) if norm == "post" else result

    def norm(self, block: str, x: str, rows: str, short: str = "norm", ending: str = "") -> str:
        """A norm of the rows of x, (n, d_model), of the kind that the switch says, with its own γ and perhaps β."""
        g = self.graph
        inside = self.text(block, "epsilon_in") == "root"
        norm = replace(ops.NORMS[self.text(block, "norm_by")], epsilon=self.real(block, "epsilon"), inside=inside)
        gamma = g.add(f"{block}.gamma{ending}", ops.Input(norm.gamma), axes=("d_model",), symbol=r"\gamma")
        parents = [x, gamma]
        if norm.moves:
            parents.append(g.add(f"{block}.beta{ending}", ops.Input("zeros"), axes=("d_model",), symbol=r"\beta"))
        of_output = r"\bar{F}" if block.endswith(".ffn") else r"\bar{P}"
        symbol = of_output if ending else self._of_stack("N", block)
        return g.add(f"{block}.{short}", norm, *parents, axes=(rows, "d_model"), symbol=symbol)

    def _of_stack(self, letter: str, block: str) -> str:
        """The symbol of a block's output: one stroke for each earlier block of the layer, and enc or dec.

        These tell the blocks apart: each reads the output of the one before, cross-attention those of both stacks.
        """
        stack, kind = block.partition(".")[0], block.rpartition(".")[2]
        order = ("self", "cross", "ffn") if stack == "decoder" and len(self.model.lengths) > 1 else ("self", "ffn")
        strokes = "'" * order.index(kind) if kind in order else ""
        short = {"encoder": "enc", "decoder": "dec"}.get(stack)
        return f"{letter}{strokes}_{{{short}}}" if short and len(self.model.lengths) > 1 else letter + strokes

    def dropout(self, block: str, x: str, rows: str, group: str) -> str:
        """The numbers after dropout (Vaswani et al. 2017, §5.4), if it is switched on; otherwise x.

        `kept` is 1 everywhere when a model is used. In training it is 0 for each dropped number; see
        `explorer.core.training.trainer`.
        """
        g = self.graph
        if not self.model.switch(block, "dropout"):
            return x
        g.stage(f"{block}.dropout", "dropout", "Dropout", group)
        kept = g.add(f"{block}.kept", ops.Input("ones"), axes=(rows, "d_model"), symbol="D")
        return g.add(f"{block}.dropped", ops.Dropout(), x, kept, axes=(rows, "d_model"), symbol="X_D")

    def final_norm(self, block: str, stack: str, x: str, rows: str, group: str) -> str:
        """The norm that a pre-norm stack needs at its end (Xiong et al. 2020, figure 1b), unless it is switched off.

        `block`: path: "final", or "encoder.final" for an encoder with a decoder.
        `stack`: the stack that it ends: "encoder" or "decoder".
        `x`, `rows`: the node that it reads, (n, d_model), and the axis of its rows.
        `group`: for the window's list of stages.
        """
        if self.text(last_block(self.model, stack), "norm") not in ENDS_IN_NORM or not self.on(block, "at_end"):
            return x
        self.graph.stage(f"{block}.norm", "norm", "Final norm", group)
        return self.norm(block, x, rows)


def last_block(model: Model, stack: str) -> str:
    """The path of the block of a stack ("encoder" or "decoder") that writes last: attention where the net is off."""
    layer = f"{stack}.{model.layers if stack == 'encoder' else model.decoder_layers}"
    if model.switch(f"{layer}.ffn", "on"):
        return f"{layer}.ffn"
    return f"{layer}.cross" if f"{layer}.cross" in model.blocks() else f"{layer}.self"


def feed_forward(b: Blocks, block: str, group: str, x: str, rows: str, beside: str = "") -> str:
    """The feed-forward net with its residual and norm (Vaswani et al. 2017, equation 2). Returns (n, d_model).

    `block`: path, such as "encoder.1.ffn".
    `group`: for the window's list of stages.
    `x`: the output of the attention before it, (n, d_model), to which the net's output is added.
    `rows`: the axis of the rows of x.
    `beside`: the input of that attention, which a net beside the attention reads, too (Wang & Komatsuzaki 2021).
    """
    g = b.graph
    if not b.on(block, "on"):
        return x
    read = x if b.text(block, "reads") == "after attention" else beside or x
    attention = f"{block.rpartition('.')[0]}.self"
    # With "post" the norm of the attention is behind it, and not beside.
    shared = b.text(block, "reads") == "beside attention, its norm" and b.text(attention, "norm") in ("pre", "both")
    x_in = f"{attention}.norm" if shared else b.norm_before(block, read, rows, group)
    g.stage(f"{block}.layers", "ffn", "Feed-forward", group)
    if b.number(block, "experts"):
        return b.after(block, _experts(b, block, x_in, rows), x, rows, group)
    d_ff = g.axis(f"{block}.d_ff", b.number(block, "d_ff") or 4 * b.model.d_model)
    output = b.layer(block, "2", _units(b, block, x_in, d_ff, rows), d_ff, "d_model", rows, f"{block}.output", "F")
    return b.after(block, output, x, rows, group)


def _units(b: Blocks, block: str, x: str, d_ff: str, rows: str, experts: str = "", shared: bool = False) -> str:
    """The hidden units of a net after its activation, (n, d_ff); of each net along the axis `experts`, if it is given.

    Gated, one layer gates the other: activation(x W_g) ⊙ x W₁ (Shazeer 2020, equations 5 and 6).

    `shared`: whether it is the net that all words use beside their experts.
    """
    g, axes = b.graph, (experts, rows, d_ff) if experts else (rows, d_ff)
    name, s, ending = (f"{block}.shared_", "s", "_s") if shared else (f"{block}.", "", "")
    activation = ops.ACTIVATIONS[b.text(block, "activation")]
    hidden = b.layer(block, f"{s}1", x, "d_model", d_ff, rows, f"{name}hidden", f"h{ending}", experts)
    if not b.on(block, "gated"):
        return g.add(f"{name}activation", activation, hidden, axes=axes, symbol=f"a{ending}")
    gate = b.layer(block, f"{s}g", x, "d_model", d_ff, rows, f"{name}gate", f"g{ending}", experts)
    opened = g.add(f"{name}activation", activation, gate, axes=axes, symbol=f"a{ending}")
    return g.add(f"{name}gated", ops.Multiply(), opened, hidden, axes=axes, symbol="a_{sg}" if shared else "a_g")


def _experts(b: Blocks, block: str, x: str, rows: str) -> str:
    """Several nets: a router gives each word shares, and the nets with the largest are used (Shazeer et al. 2017)."""
    g, n = b.graph, b.number(block, "experts")
    chosen = b.number(block, "chosen")
    if chosen > n:
        raise ExplorerError("too-many-chosen", block=block, chosen=chosen, experts=n)
    experts = g.axis(f"{block}.experts", counted(n, "expert "))
    stacked = g.axis(f"{block}.expert.heads", counted(n, "expert "))
    d_ff = g.axis(f"{block}.d_ff", b.number(block, "d_ff") or 4 * b.model.d_model)
    W_r = g.add(f"{block}.W_r", ops.Input(), axes=("d_model", experts))
    logits = g.add(f"{block}.router", ops.MatMul(), x, W_r, axes=(rows, experts), symbol="r")
    shares = g.add(f"{block}.router_shares", ops.Softmax(), logits, axes=(rows, experts), symbol="p")
    route = ops.Route(chosen, b.on(block, "chosen_again"))
    routed = g.add(f"{block}.routed", route, shares, axes=(rows, experts), symbol=r"\hat{p}")
    stack, k, _ = block.split(".")
    letter = "b" if stack == "decoder" else "e"  # a letter for each stack; the loss adds up the balances of all layers
    g.add(f"{block}.balance", ops.Balance(), shares, routed, axes=(), symbol=f"L_{{{letter}{k}}}")
    active = _units(b, block, x, d_ff, rows, stacked)
    said = b.layer(block, "2", active, d_ff, "d_model", rows, f"{block}.said", "F_e", stacked)
    mixed = g.add(f"{block}.output", ops.Mixture(), said, routed, axes=(rows, "d_model"), symbol="F")
    if not b.number(block, "shared"):
        return mixed
    # One more expert that every word uses (DeepSeekMoE, Dai et al. 2024, §3.2), added to the chosen ones.
    d_shared = g.axis(f"{block}.d_shared", b.number(block, "shared"))
    active = _units(b, block, x, d_shared, rows, shared=True)
    said = b.layer(block, "s2", active, d_shared, "d_model", rows, f"{block}.shared_output", "F_s")
    return g.add(f"{block}.together", ops.Add(), mixed, said, axes=(rows, "d_model"), symbol="F_t")


@lru_cache(64)
def _columns(n_heads: int, d_v: int) -> tuple[str, ...]:
    """Labels of the columns of all heads side by side; all graphs share the tuples."""
    return tuple(f"{h + 1}·{v + 1}" for h in range(n_heads) for v in range(d_v)) if n_heads > 1 else counted(d_v)


def attention(b: Blocks, block: str, title: str, group: str, x: str, queries: str, memory: str, keys: str) -> str:
    """Multi-head attention with its residual and norm (Vaswani et al. 2017, §3.2). Returns (n_queries, d_model).

    The mean of several heads' weights is only shown; no node reads it. Rotary positions rotate queries and keys of one
    sequence only, because two sequences have no common distances. If several heads share a head of keys and values,
    these have an axis of their own (Ainslie et al. 2023).

    `block`: path, such as "encoder.1.self".
    `title`, `group`: for the window's list of stages.
    `x`, `memory`: the nodes that queries, and keys and values, are made from; the same node for self-attention.
    `queries`, `keys`: the axes of the rows of x and memory.
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

    `prefix`: the beginning of the nodes' names: "encoder.1.self.", or nothing in a lesson on one head.
    `block`: the block whose switches apply.
    `Q`, `K`: nodes of the queries (…, n_queries, d_k) and keys (…, n_keys, d_k).
    `batch`: the leading axes: heads, or none.
    `queries`, `keys`: the axes of the rows of Q and K.
    `columns`: whether each token is a column of Q and K, (d_k, n), not a row.
    `sharing`: how many query heads share one key head.
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
