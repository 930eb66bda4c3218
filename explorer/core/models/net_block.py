"""The feed-forward net of a block: plain or gated, one or several of which a router chooses."""

from explorer.core.errors import ExplorerError
from explorer.core.graph import counted
from explorer.core.models.blocks import Blocks
from explorer.core.ops import ACTIVATIONS, Add, Balance, Input, MatMul, Mixture, Multiply, Route, Softmax


def feed_forward(b: Blocks, block: str, group: str, x: str, rows: str, beside: str = "") -> str:
    """The feed-forward net with its residual and norm (Vaswani et al. 2017, equation 2). Returns (n, d_model).

    Parameters
    ----------
    block : str
        Path, such as "encoder.1.ffn".
    group : str
        For the map.
    x : str
        What comes out of the attention in front, (n, d_model): the net's output is added to it.
    rows : str
        The axis of its rows.
    beside : str
        What that attention reads: a net that works beside it reads the same (Wang & Komatsuzaki 2021).
    """
    g = b.graph
    if not b.on(block, "on"):
        return x
    read = x if b.text(block, "reads") == "after attention" else beside or x
    normed = f"{block.rpartition('.')[0]}.self.norm"
    if b.text(block, "reads") == "beside attention, its norm" and normed in g:
        x_in = normed
    else:
        x_in = b.norm_before(block, read, rows, group)
    g.stage(f"{block}.layers", "ffn", "Feed-forward", group)
    output = _experts(b, block, x_in, rows) if b.number(block, "experts") else _net(b, block, x_in, rows)
    return b.after(block, output, x, rows, group)


def _net(b: Blocks, block: str, x: str, rows: str) -> str:
    """One net: out to d_ff hidden units, the activation, and back."""
    g = b.graph
    d_ff = g.axis(f"{block}.d_ff", b.number(block, "d_ff") or 4 * b.model.d_model)
    hidden = _layer(b, block, "1", x, "d_model", d_ff, rows, f"{block}.hidden", "h")
    axes = (rows, d_ff)
    activation = ACTIVATIONS[b.text(block, "activation")]
    if b.on(block, "gated"):
        # One layer lets the other through: activation(x W_g) ⊙ x W₁ (Shazeer 2020, equations 5 and 6).
        gate = _layer(b, block, "g", x, "d_model", d_ff, rows, f"{block}.gate", "g")
        opened = g.add(f"{block}.activation", activation, gate, axes=axes, symbol="a")
        active = g.add(f"{block}.gated", Multiply(), opened, hidden, axes=axes, symbol="a_g")
    else:
        active = g.add(f"{block}.activation", activation, hidden, axes=axes, symbol="a")
    return _layer(b, block, "2", active, d_ff, "d_model", rows, f"{block}.output", "F")


def _layer(b: Blocks, block: str, number: str, x: str, into: str, out: str, rows: str, name: str, symbol: str) -> str:
    transposed = b.text(block, "weights") == "W x"
    parents = [x, b.weights(block, f"W_{number}", (out, into) if transposed else (into, out))]
    if b.on(block, "bias"):
        parents.append(b.graph.add(f"{block}.b_{number}", Input("zeros"), axes=(out,)))
    return b.graph.add(name, MatMul(transposed), *parents, axes=(rows, out), symbol=symbol)


def _experts(b: Blocks, block: str, x: str, rows: str) -> str:
    """Several nets: a router gives each word shares of them, and the largest are taken (Shazeer et al. 2017)."""
    g, n = b.graph, b.number(block, "experts")
    chosen = b.number(block, "chosen")
    if chosen > n:
        raise ExplorerError("too-many-chosen", block=block, chosen=chosen, experts=n)
    experts = g.axis(f"{block}.experts", counted(n, "expert "))
    stacked = g.axis(f"{block}.expert.heads", counted(n, "expert "))
    d_ff = g.axis(f"{block}.d_ff", b.number(block, "d_ff") or 4 * b.model.d_model)
    W_r = g.add(f"{block}.W_r", Input(), axes=("d_model", experts))
    logits = g.add(f"{block}.router", MatMul(), x, W_r, axes=(rows, experts), symbol="r")
    shares = g.add(f"{block}.router_shares", Softmax(), logits, axes=(rows, experts), symbol="p")
    route = Route(chosen, b.on(block, "chosen_again"))
    routed = g.add(f"{block}.routed", route, shares, axes=(rows, experts), symbol=r"\hat{p}")
    stack, k, _ = block.split(".")
    letter = "b" if stack == "decoder" else "e"  # the loss adds up those of all layers
    g.add(f"{block}.balance", Balance(), shares, routed, axes=(), symbol=f"L_{{{letter}{k}}}")
    axes = (stacked, rows, d_ff)

    def layer(number: str, read: str, into: str, out: str, name: str, symbol: str, each: bool) -> str:
        W = b.weights(block, f"W_{number}", (stacked, into, out))
        parents = [read, W]
        if b.on(block, "bias"):
            parents.append(g.add(f"{block}.b_{number}", Input("zeros"), axes=(stacked, out)))
        return g.add(name, MatMul(heads=not each), *parents, axes=(stacked, rows, out), symbol=symbol)

    hidden = layer("1", x, "d_model", d_ff, f"{block}.hidden", "h", each=False)
    activation = ACTIVATIONS[b.text(block, "activation")]
    if b.on(block, "gated"):
        gate = layer("g", x, "d_model", d_ff, f"{block}.gate", "g", each=False)
        opened = g.add(f"{block}.activation", activation, gate, axes=axes, symbol="a")
        active = g.add(f"{block}.gated", Multiply(), opened, hidden, axes=axes, symbol="a_g")
    else:
        active = g.add(f"{block}.activation", activation, hidden, axes=axes, symbol="a")
    said = layer("2", active, d_ff, "d_model", f"{block}.said", "F_e", each=True)
    mixed = g.add(f"{block}.output", Mixture(), said, routed, axes=(rows, "d_model"), symbol="F")
    if not b.number(block, "shared"):
        return mixed
    return _with_shared(b, block, x, mixed, rows)


def _with_shared(b: Blocks, block: str, x: str, mixed: str, rows: str) -> str:
    """One more expert that works on every word (DeepSeekMoE, Dai et al. 2024, §3.2), added to the chosen ones."""
    g = b.graph
    d_shared = g.axis(f"{block}.d_shared", b.number(block, "shared"))
    axes = (rows, d_shared)
    hidden = _layer(b, block, "s1", x, "d_model", d_shared, rows, f"{block}.shared_hidden", "h_s")
    activation = ACTIVATIONS[b.text(block, "activation")]
    if b.on(block, "gated"):
        gate = _layer(b, block, "sg", x, "d_model", d_shared, rows, f"{block}.shared_gate", "g_s")
        opened = g.add(f"{block}.shared_activation", activation, gate, axes=axes, symbol="a_s")
        active = g.add(f"{block}.shared_gated", Multiply(), opened, hidden, axes=axes, symbol="a_{sg}")
    else:
        active = g.add(f"{block}.shared_activation", activation, hidden, axes=axes, symbol="a_s")
    said = _layer(b, block, "s2", active, d_shared, "d_model", rows, f"{block}.shared_output", "F_s")
    return g.add(f"{block}.together", Add(), mixed, said, axes=(rows, "d_model"), symbol="F_t")
