"""What all blocks of a model have around them: a norm before or behind, dropout, the residual, weights in few bits.

Shapes are written (n, d_model): n tokens of the sequence, d_model numbers for each.
"""

from dataclasses import dataclass, replace

from explorer.core.graph import GraphBuilder
from explorer.core.model import Model
from explorer.core.ops import NORMS, Add, BlockCodes, BlockScale, Dropout, FromCodes, Input
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
        `explorer.core.training.dropout`.
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
