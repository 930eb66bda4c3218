"""The blocks that models are built of. Each adds its nodes in reading order and returns the name of its result.

Shapes are written (n, d_model): n tokens of the sequence, d_model numbers for each.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from explorer.core.errors import ExplorerError
from explorer.core.graph import GraphBuilder, counted
from explorer.core.model import Model
from explorer.core.ops import (
    ACTIVATIONS,
    NORMS,
    Add,
    CausalMask,
    CausalPaddingMask,
    Concat,
    Dropout,
    HeadMean,
    Input,
    LookUp,
    Mask,
    MatMul,
    OneHot,
    Op,
    PaddingMask,
    RelatedMask,
    Rotary,
    RowShares,
    Scale,
    ScaleFactor,
    Scores,
    Sinusoidal,
    Softmax,
    WeightedSum,
)
from explorer.core.tokens import PAD


@lru_cache(64)
def _columns(n_heads: int, d_v: int) -> tuple[str, ...]:
    """Labels of the columns of all heads side by side. All graphs share them."""
    return tuple(f"{h + 1}·{v + 1}" for h in range(n_heads) for v in range(d_v)) if n_heads > 1 else counted(d_v)


@dataclass
class Blocks:
    """Adds the blocks of a model to a graph, as the model's switches say."""

    model: Model
    graph: GraphBuilder  # what the nodes are added to

    def _text(self, block: str, name: str) -> str:
        return str(self.model.switch(block, name))

    def _number(self, block: str, name: str) -> int:
        return int(self.model.switch(block, name))

    def d_model(self) -> None:
        """Declare the dimensions of a token's vector, by their names where the model gives them."""
        names = self.model.axes.get("d_model", ())
        self.graph.axis("d_model", names if len(names) == self.model.d_model else self.model.d_model)

    def embedding(self, sequence: str, title: str) -> str:
        """Tokens to vectors: look up, add positions. Returns (n, d_model).

        How alike two positions are, (n, n), feeds nothing: it is there to be looked at.
        """
        g, m = self.graph, self.model
        words = g.axis(f"{sequence}.words", m.axes[f"{sequence}.words"])
        g.sequence(sequence, m.lengths[sequence], words)
        g.stage(f"{sequence}.embedding", "embedding", "Embeddings", title)
        tokens = g.add(f"{sequence}.tokens", Input("ids"), axes=(sequence,), symbol="t")
        table = g.add(f"{sequence}.table", Input(), axes=(words, "d_model"), symbol="E")
        if m.switch(sequence, "lookup") == "one-hot":
            onehot = OneHot(g.length(words), m.dtype)
            rows = g.add(f"{sequence}.onehot", onehot, tokens, axes=(sequence, words), symbol="OH")
            X = g.add(f"{sequence}.X", MatMul(), rows, table, axes=(sequence, "d_model"))
        else:
            X = g.add(f"{sequence}.X", LookUp(), tokens, table, axes=(sequence, "d_model"))
        positions = self._text(sequence, "positions")
        if positions in ("rotary", "none"):  # rotary ones are where queries meet keys
            return self._dropout(sequence, X, sequence, title)
        g.stage(f"{sequence}.positions", "positions", "Positions", title)
        op: Op
        if positions in ("table", "learned"):
            op = Input()
        else:
            kind = "paper" if positions == "sinusoidal" else positions
            op = Sinusoidal(m.lengths[sequence], m.d_model, kind, m.dtype)
        PE = g.add(f"{sequence}.PE", op, axes=(sequence, "d_model"), symbol="PE")
        g.add(f"{sequence}.likeness", Scores(), PE, PE, axes=(sequence, sequence), symbol="S_{PE}")
        H = g.add(f"{sequence}.H", Add(), X, PE, axes=(sequence, "d_model"))
        return self._dropout(sequence, H, sequence, title)

    def attention(self, block: str, title: str, group: str, x: str, queries: str, memory: str, keys: str) -> str:
        """Multi-head attention with its residual and norm (Vaswani et al. 2017, §3.2). Returns (n_queries, d_model).

        The mean of several heads' weights feeds nothing: it is there to be looked at. Rotary positions turn queries and
        keys of one sequence; between two sequences there is no distance that they could stand for.

        Parameters
        ----------
        block : str
            Path, such as "encoder.1.self".
        title, group : str
            For the map.
        x, memory : str
            Nodes that the queries, and the keys and values, are made from. Self-attention gives the same twice.
        queries, keys : str
            The axes of their rows.
        """
        g, m = self.graph, self.model
        switch = m.switch
        n_heads = self._number(block, "heads")
        d_k = self._number(block, "d_k")
        if not d_k:
            if m.d_model % n_heads:
                *fits, last = (str(h) for h in range(1, m.d_model + 1) if m.d_model % h == 0)
                remedy = f"{', '.join(fits)} or {last} heads" if fits else "1 head"
                raise ExplorerError("heads-do-not-divide", d_model=m.d_model, heads=n_heads, remedy=remedy)
            d_k = m.d_model // n_heads
        d_v = self._number(block, "d_v") or d_k
        heads = g.axis(f"{block}.heads", counted(n_heads, "head "))
        # Without W_O the heads' outputs are the token's new vector as they are, and its dimensions may have names.
        named = () if switch(block, "W_O") else m.axes.get("d_model", ())
        k_axis, v_axis = g.axis(f"{block}.d_k", d_k), g.axis(f"{block}.d_v", named if len(named) == d_v else d_v)

        pre = switch(block, "norm") == "pre"
        if pre:
            g.stage(f"{block}.norm", "norm", "Norm", group)
            normed = self._norm(block, x, queries)
            memory, x_in = (normed if memory == x else memory), normed
        else:
            x_in = x

        kind = "cross" if queries != keys else "masked" if block.startswith("decoder.") else "attention"
        g.stage(f"{block}.attention", kind, title, group)
        transposed = switch(block, "weights") == "W x"
        projected: dict[str, str] = {}
        for letter, read, rows, axis in (
            ("Q", x_in, queries, k_axis),
            ("K", memory, keys, k_axis),
            ("V", memory, keys, v_axis),
        ):
            shape = (heads, axis, "d_model") if transposed else (heads, "d_model", axis)
            W = g.add(f"{block}.W_{letter}", Input(), axes=shape)
            parents = [read, W]
            if switch(block, "bias"):
                parents.append(g.add(f"{block}.b_{letter}", Input("zeros"), axes=(heads, axis)))
            product = MatMul(transposed, heads=True)
            projected[letter] = g.add(f"{block}.{letter}", product, *parents, axes=(heads, rows, axis))
        if queries == keys and m.switch(queries, "positions") == "rotary":
            for letter in "QK":
                name, axes = f"{block}.{letter}_rotated", (heads, queries, k_axis)
                projected[letter] = g.add(name, Rotary(d_k), projected[letter], axes=axes, symbol=f"{letter}_R")
        weights = self.attention_weights(
            f"{block}.", block, projected["Q"], projected["K"], (heads,), queries, keys, d_k
        )
        if n_heads > 1:
            g.add(f"{block}.average", HeadMean(), weights, axes=(queries, keys), symbol=r"\bar{A}")
        output = g.add(
            f"{block}.output", WeightedSum(), weights, projected["V"], axes=(heads, queries, v_axis), symbol="O"
        )

        g.stage(f"{block}.heads", "heads", "Heads & concat", group)
        wide = g.axis(f"{block}.concat", named if len(named) == n_heads * d_v else _columns(n_heads, d_v))
        result = g.add(f"{block}.concat", Concat(), output, axes=(queries, wide), symbol="C")
        if switch(block, "W_O"):
            W_O = g.add(f"{block}.W_O", Input(), axes=("d_model", wide) if transposed else (wide, "d_model"))
            result = g.add(f"{block}.projected", MatMul(transposed), result, W_O, axes=(queries, "d_model"), symbol="P")
        elif n_heads * d_v != m.d_model:
            raise ExplorerError("widths-differ", block=block, width=n_heads * d_v, d_model=m.d_model)
        return self._after(block, result, x, queries, group)

    def attention_weights(
        self,
        prefix: str,
        block: str,
        Q: str,
        K: str,
        batch: tuple[str, ...],
        queries: str,
        keys: str,
        d_k: int,
        columns: bool = False,
    ) -> str:
        """Scores, scaled, masked, weights (Vaswani et al. 2017, equation 1). Returns (…, n_queries, n_keys).

        Without a scale, or without a mask, the nodes of that step are not there.

        Parameters
        ----------
        prefix : str
            What the names of the nodes begin with: "encoder.1.self.", or nothing in a lesson on one head.
        block : str
            Whose switches are followed.
        Q, K : str
            Nodes of the queries (…, n_queries, d_k) and keys (…, n_keys, d_k).
        batch : tuple of str
            Their leading axes: the heads, where there are any.
        queries, keys : str
            The axes of their rows.
        columns : bool
            Whether a token is a column of Q and K, (d_k, n), instead of a row.
        """
        g, m = self.graph, self.model
        axes = (*batch, queries, keys)
        scores = Scores(self._text(block, "similarity"), columns)
        logits = g.add(f"{prefix}scores", scores, Q, K, axes=axes, symbol="S")
        if (kind := self._text(block, "scale")) != "none":
            factor = Input("ones") if kind == "free" else ScaleFactor(kind, d_k, m.dtype)
            scale = g.add(f"{prefix}scale", factor, axes=(), symbol="s" if kind == "free" else factor.formula())
            logits = g.add(f"{prefix}scaled", Scale(), logits, scale, axes=axes, symbol="Z")
        if m.switch(block, "mask") != "none":
            op, parents = self._mask(block, queries, keys, f"{prefix}scores")
            # What is related depends on the scores, and so on the head.
            mask_axes = axes if isinstance(op, RelatedMask) else (queries, keys)
            mask = g.add(f"{prefix}mask", op, *parents, axes=mask_axes, symbol="M")
            masked = Mask(heads=len(mask_axes) < len(axes))
            logits = g.add(f"{prefix}masked", masked, logits, mask, axes=axes, symbol="Z'")
        share = Softmax() if m.switch(block, "normalise") == "softmax" else RowShares()
        return g.add(f"{prefix}weights", share, logits, axes=axes, symbol="A")

    def _mask(self, block: str, queries: str, keys: str, scores: str) -> tuple[Op, tuple[str, ...]]:
        """The op of a mask, and what it reads."""
        g, kind = self.graph, self.model.switch(block, "mask")
        if kind == "hand":
            return Input("ones"), ()
        if kind == "related":
            return RelatedMask(), (scores,)
        if kind != "padding" and queries != keys:
            raise ExplorerError("causal-needs-one-sequence", block=block)
        n, window = g.length(queries), self._number(block, "window")
        if kind == "causal":
            return CausalMask(n, window), ()
        words = self.model.axes[f"{keys}.words"]
        pad = words.index(PAD) if PAD in words else -1
        op = PaddingMask(pad, n) if kind == "padding" else CausalPaddingMask(pad, n, window)
        return op, (f"{keys}.tokens",)

    def feed_forward(self, block: str, group: str, x: str, rows: str) -> str:
        """The feed-forward net with its residual and norm (Vaswani et al. 2017, equation 2). Returns (n, d_model).

        Parameters
        ----------
        block : str
            Path, such as "encoder.1.ffn".
        group : str
            For the map.
        x : str
            The node that it reads, (n, d_model).
        rows : str
            The axis of its rows.
        """
        g, m = self.graph, self.model
        if not m.switch(block, "on"):
            return x
        d_ff = self._number(block, "d_ff") or 4 * m.d_model
        hidden_axis = g.axis(f"{block}.d_ff", d_ff)
        pre = m.switch(block, "norm") == "pre"
        if pre:
            g.stage(f"{block}.norm", "norm", "Norm", group)
        x_in = self._norm(block, x, rows) if pre else x
        g.stage(f"{block}.layers", "ffn", "Feed-forward", group)
        hidden = self._layer(block, "1", x_in, "d_model", hidden_axis, rows, f"{block}.hidden", "h")
        activation = ACTIVATIONS[self._text(block, "activation")]
        active = g.add(f"{block}.activation", activation, hidden, axes=(rows, hidden_axis), symbol="a")
        output = self._layer(block, "2", active, hidden_axis, "d_model", rows, f"{block}.output", "F")
        return self._after(block, output, x, rows, group)

    def _layer(self, block: str, number: str, x: str, into: str, out: str, rows: str, name: str, symbol: str) -> str:
        g, m = self.graph, self.model
        transposed = m.switch(block, "weights") == "W x"
        parents = [x, g.add(f"{block}.W_{number}", Input(), axes=(out, into) if transposed else (into, out))]
        if m.switch(block, "bias"):
            parents.append(g.add(f"{block}.b_{number}", Input("zeros"), axes=(out,)))
        return g.add(name, MatMul(transposed), *parents, axes=(rows, out), symbol=symbol)

    def _after(self, block: str, result: str, x: str, rows: str, group: str) -> str:
        """Dropout, residual and post-norm, where they are switched on."""
        g, m = self.graph, self.model
        result = self._dropout(block, result, rows, group)
        residual, norm = m.switch(block, "residual"), m.switch(block, "norm")
        if residual or norm == "post":
            g.stage(f"{block}.after", "norm", "Add & norm" if norm == "post" else "Residual", group)
        if residual:
            result = g.add(
                f"{block}.residual", Add(), x, result, axes=(rows, "d_model"), symbol=self._of_stack("R", block)
            )
        return self._norm(block, result, rows) if norm == "post" else result

    def _norm(self, block: str, x: str, rows: str) -> str:
        g, m = self.graph, self.model
        inside = m.switch(block, "epsilon_in") == "root"
        norm = replace(NORMS[self._text(block, "norm_by")], epsilon=float(m.switch(block, "epsilon")), inside=inside)
        parents = [x, g.add(f"{block}.gamma", Input(norm.gamma), axes=("d_model",), symbol=r"\gamma")]
        if norm.moves:
            parents.append(g.add(f"{block}.beta", Input("zeros"), axes=("d_model",), symbol=r"\beta"))
        return g.add(f"{block}.norm", norm, *parents, axes=(rows, "d_model"), symbol=self._of_stack("N", block))

    def _of_stack(self, letter: str, block: str) -> str:
        """The symbol of what a block hands on: a stroke for each block of its layer before, and enc or dec.

        A block reads what the one before has handed on, and cross-attention that of both stacks.
        """
        stack, kind = block.partition(".")[0], block.rpartition(".")[2]
        order = ("self", "cross", "ffn") if stack == "decoder" and len(self.model.lengths) > 1 else ("self", "ffn")
        strokes = "'" * order.index(kind) if kind in order else ""
        short = {"encoder": "enc", "decoder": "dec"}.get(stack)
        return f"{letter}{strokes}_{{{short}}}" if short and len(self.model.lengths) > 1 else letter + strokes

    def _dropout(self, block: str, x: str, rows: str, group: str) -> str:
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

    def final_norm(self, x: str, rows: str) -> str:
        """The norm that a pre-norm stack needs at its end (GPT-2)."""
        self.graph.stage("final.norm", "norm", "Final norm", "Output")
        return self._norm("final", x, rows)
