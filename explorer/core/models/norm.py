"""The same numbers by layer norm and by batch norm."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.ops import BatchNorm, Input, LayerNorm


def norm(model: Model) -> Graph:
    """Given examples (n, n_features), a row each: each row measured by itself, and each column by itself.

    Axes of the model: "input" (the examples) and "feature".
    """
    g = GraphBuilder()
    features = g.axis("feature", model.axes["feature"])
    axes = g.axis("input", model.axes["input"]), features
    g.stage("input", "examples", "Examples", "Norm")
    X = g.add("input.X", Input(), axes=axes)
    for block, op, kind, title in (
        ("layer", LayerNorm, "norm", "Layer norm"),
        ("batch", BatchNorm, "batch norm", "Batch norm"),
    ):
        g.stage(block, kind, title, "Norm")
        gamma = g.add(f"{block}.gamma", Input("ones"), axes=(features,), symbol=r"\gamma")
        beta = g.add(f"{block}.beta", Input("zeros"), axes=(features,), symbol=r"\beta")
        by = op(float(model.switch(block, "epsilon")), model.switch(block, "epsilon_in") == "root")
        g.add(f"{block}.norm", by, X, gamma, beta, axes=axes, symbol="N")
    return g.build()
