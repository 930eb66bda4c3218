"""What all blocks of a model have around them: a norm before or behind, dropout, the residual, weights in few bits.

Shapes are written (n, d_model): n tokens of the sequence, d_model numbers for each.

The feed-forward net of a block: plain or gated, one or several of which a router chooses.
"""

from dataclasses import dataclass, replace

from explorer.core.errors import ExplorerError
from explorer.core.graph import GraphBuilder, counted
from explorer.core.model import Model
from explorer.core.ops import (
    ACTIVATIONS,
    NORMS,
    Add,
    Balance,
    BlockCodes,
    BlockScale,
    Dropout,
    FromCodes,
    Input,
    MatMul,
    Mixture,
    Multiply,
    Route,
    Softmax,
)
from explorer.core.switches import BITS

ENDS_IN_NORM = ("pre", "both", "output")
"""Where a norm may stand so that the residual stream itself is never normed, but once behind the last block."""


@dataclass
class Blocks:
    """Adds the blocks of a model to a graph, as the model's switches say."""

    model: Model
    graph: GraphBuilder  # what the nodes are added to

    def text(self, block: str, name: str) -> str:
        """A switch that is a choice of words."""
        return str(self.model.switch(block, name))

    def number(self, block: str, name: str) -> int:
        """A switch that is a whole number."""
        return int(self.model.switch(block, name))

    def real(self, block: str, name: str) -> float:
        """A switch that is a number."""
        return float(self.model.switch(block, name))

    def on(self, block: str, name: str) -> bool:
        """A switch that is on or off; off where a block of this kind has none."""
        return bool(self.model.has_switch(block, name) and self.model.switch(block, name))

    def d_model(self) -> None:
        """Declare the dimensions of a token's vector, by their names where the model gives them."""
        names = self.model.axes.get("d_model", ())
        self.graph.axis("d_model", names if len(names) == self.model.d_model else self.model.d_model)

    def weights(self, block: str, short: str, axes: tuple[str, ...], symbol: str = "") -> str:
        """A matrix of weights, (…, d_in, d_out) or transposed; what is left of it in few bits, where that is chosen."""
        g = self.graph
        W = g.add(f"{block}.{short}", Input(), axes=axes, symbol=symbol)
        bits = BITS.get(self.text(block, "quantised") if self.model.has_switch(block, "quantised") else "", 0)
        if not bits:
            return W
        size = self.number(block, "quantised_block")
        blocks = g.axis(f"{block}.{short}.blocks", -(-g.length(axes[-2]) // size))
        of_blocks = (*axes[:-2], blocks, axes[-1])
        letter = symbol or short
        scale = g.add(f"{block}.{short}_scale", BlockScale(bits, size), W, axes=of_blocks, symbol=f"s_{{{letter}}}")
        codes = g.add(f"{block}.{short}_codes", BlockCodes(bits, size), W, scale, axes=axes, symbol=f"c_{{{letter}}}")
        left = FromCodes(size)
        return g.add(f"{block}.{short}_left", left, W, codes, scale, axes=axes, symbol=rf"\tilde{{{letter}}}")

    def norm_before(self, block: str, x: str, rows: str, group: str) -> str:
        """What a block reads: normed, where its norm stands before it (or on both sides)."""
        if self.text(block, "norm") not in ("pre", "both"):
            return x
        self.graph.stage(f"{block}.norm", "norm", "Norm", group)
        return self.norm(block, x, rows)

    def after(self, block: str, result: str, x: str, rows: str, group: str) -> str:
        """Dropout, norm of the output, residual and post-norm, where they are switched on. Returns (n, d_model)."""
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
            result = g.add(f"{block}.residual", Add(), x, result, axes=(rows, "d_model"), symbol=symbol)
        return self.norm(block, result, rows) if norm == "post" else result

    def norm(self, block: str, x: str, rows: str, short: str = "norm", ending: str = "") -> str:
        """A norm of the rows of x, (n, d_model), with γ and perhaps β of its own; of the kind that the switch says."""
        g = self.graph
        inside = self.text(block, "epsilon_in") == "root"
        norm = replace(NORMS[self.text(block, "norm_by")], epsilon=self.real(block, "epsilon"), inside=inside)
        gamma = g.add(f"{block}.gamma{ending}", Input(norm.gamma), axes=("d_model",), symbol=r"\gamma")
        parents = [x, gamma]
        if norm.moves:
            parents.append(g.add(f"{block}.beta{ending}", Input("zeros"), axes=("d_model",), symbol=r"\beta"))
        of_output = r"\bar{F}" if block.endswith(".ffn") else r"\bar{P}"
        symbol = of_output if ending else self._of_stack("N", block)
        return g.add(f"{block}.{short}", norm, *parents, axes=(rows, "d_model"), symbol=symbol)

    def _of_stack(self, letter: str, block: str) -> str:
        """The symbol of what a block hands on: a stroke for each block of its layer before, and enc or dec.

        A block reads what the one before has handed on, and cross-attention that of both stacks.
        """
        stack, kind = block.partition(".")[0], block.rpartition(".")[2]
        order = ("self", "cross", "ffn") if stack == "decoder" and len(self.model.lengths) > 1 else ("self", "ffn")
        strokes = "'" * order.index(kind) if kind in order else ""
        short = {"encoder": "enc", "decoder": "dec"}.get(stack)
        return f"{letter}{strokes}_{{{short}}}" if short and len(self.model.lengths) > 1 else letter + strokes

    def dropout(self, block: str, x: str, rows: str, group: str) -> str:
        """What is left of the numbers after dropout (Vaswani et al. 2017, §5.4), where it is switched on.

        `kept` is 1 everywhere, as it is when a model is used. Training puts 0 where a number is left out; see
        `explorer.core.training.trainer`.
        """
        g = self.graph
        if not self.model.switch(block, "dropout"):
            return x
        g.stage(f"{block}.dropout", "dropout", "Dropout", group)
        kept = g.add(f"{block}.kept", Input("ones"), axes=(rows, "d_model"), symbol="D")
        return g.add(f"{block}.dropped", Dropout(), x, kept, axes=(rows, "d_model"), symbol="X_D")

    def final_norm(self, block: str, stack: str, x: str, rows: str, group: str) -> str:
        """The norm that a pre-norm stack needs at its end (Xiong et al. 2020, figure 1b), unless it is switched off.

        Parameters
        ----------
        block : str
            Path: "final", or "encoder.final" for an encoder that a decoder looks at.
        stack : str
            Whose end it is: "encoder" or "decoder".
        x, rows : str
            The node that it reads, (n, d_model), and the axis of its rows.
        group : str
            For the map.
        """
        m = self.model
        last = m.layers if stack == "encoder" else m.decoder_layers
        if m.switch(f"{stack}.{last}.ffn", "norm") not in ENDS_IN_NORM or not m.switch(block, "at_end"):
            return x
        self.graph.stage(f"{block}.norm", "norm", "Final norm", group)
        return self.norm(block, x, rows)


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
