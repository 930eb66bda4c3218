"""A multi-layer perceptron (Goodfellow et al. 2016, chapter 6): XOR, and fitting a curve."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.blocks import ACTIVATIONS, Blocks
from explorer.core.ops import Input, MatMul, Threshold


def mlp(model: Model) -> Graph:
    """Layers of ``activation(x W + b)``; axes "input" (the cases), "layer.0" (the features) to "layer.N"."""
    g = GraphBuilder()
    blocks = Blocks(model, g)
    for axis in ("input", *(f"layer.{k}" for k in range(model.layers + 1))):
        g.axis(axis, model.axes[axis])

    g.stage("input", "layer", "Input", "Net")
    x = g.add("input.X", Input(), axes=("input", "layer.0"))
    for k in range(1, model.layers + 1):
        block, into, out = f"layer.{k}", f"layer.{k - 1}", f"layer.{k}"
        g.stage(block, "layer", f"Layer {k}", "Net")
        transposed = model.switch(block, "weights") == "W x"
        parents = [x, g.add(f"{block}.W", Input(), axes=(out, into) if transposed else (into, out))]
        if model.switch(block, "bias"):
            parents.append(g.add(f"{block}.b", Input("zeros"), axes=(out,)))
        hidden = g.add(f"{block}.hidden", MatMul(transposed), *parents, axes=("input", out), symbol="h")
        activation = ACTIVATIONS[str(model.switch(block, "activation"))]
        x = g.add(f"{block}.activation", activation, hidden, axes=("input", out), symbol="a")
    threshold = float(model.switch("decision", "threshold"))
    if threshold:
        g.stage("decision", "decision", "Decision", "Net")
        g.add("decision.chosen", Threshold(threshold), x, axes=("input", f"layer.{model.layers}"), symbol="y")
    blocks.loss(x, "input", f"layer.{model.layers}")
    return g.build()
