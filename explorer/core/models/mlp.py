"""A multi-layer perceptron (Goodfellow et al. 2016, chapter 6): XOR, and fitting a curve."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.output_layer import loss
from explorer.core.ops import ACTIVATIONS, Input, Intercept, MatMul, MeanSquaredError, Slope, Threshold


def mlp(model: Model) -> Graph:
    """Layers of ``activation(x W + b)``; axes "input" (the cases), "layer.0" (the features) to "layer.N".

    Beside a net over one feature there can be a linear regression on the same examples.
    """
    g = GraphBuilder()
    for axis in ("input", *(f"layer.{k}" for k in range(model.layers + 1))):
        g.axis(axis, model.axes[axis])

    g.stage("input", "net", "Input and answer", "Net")
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
    loss(model, g, x, "input", f"layer.{model.layers}")
    if "regression" in model.blocks() and model.switch("regression", "on"):
        _regression(model, g)
    return g.build()


def _regression(model: Model, g: GraphBuilder) -> None:
    """The straight line through the examples with the least squared error, where they have numbers for targets."""
    if model.switch("loss", "loss") != "mean squared error":
        return
    x, y, last = "input.X", "loss.target", f"layer.{model.layers}"
    g.stage("regression", "regression", "Linear regression", "Beside the net")
    W = g.add("regression.W", Slope(), x, y, axes=("layer.0", last))
    b = g.add("regression.b", Intercept(), x, y, W, axes=(last,))
    output = g.add("regression.output", MatMul(), x, W, b, axes=("input", last), symbol=r"\hat{y}")
    g.add("regression.loss", MeanSquaredError(), output, y, axes=(), symbol="L")
