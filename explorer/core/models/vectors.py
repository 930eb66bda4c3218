"""Two vectors: how alike they are, and the shadow of one on the other."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.ops import (
    Angle,
    Cosine,
    Input,
    Length,
    Scale,
    ScaleFactor,
    Scores,
    ShadowFactor,
    Subtract,
    WeightedSum,
)


def vectors(model: Model) -> Graph:
    """Dot product, cosine and angle of x and y, each (1, d), and x taken apart into x_p = c y and a rest x_o.

    Axis of the model: "feature" (the dimensions).
    """
    g = GraphBuilder()
    feature, of_x, of_y = g.axis("feature", model.axes["feature"]), g.axis("x", ("x",)), g.axis("y", ("y",))
    pair = (of_x, of_y)
    g.stage("vectors", "vectors", "Two vectors", "Vectors")
    x = g.add("x", Input(), axes=(of_x, feature))
    y = g.add("y", Input(), axes=(of_y, feature))
    dot = g.add("dot", Scores(), x, y, axes=pair, symbol=r"\langle x, y \rangle")
    factor = ScaleFactor("1/sqrt(d_k)", g.length(feature), model.dtype)
    scale = g.add("scale", factor, axes=(), symbol=factor.formula())
    g.add("scaled", Scale(), dot, scale, axes=pair, symbol="s")
    length_x = g.add("length_x", Length(), x, axes=(of_x,), symbol=r"\| x \|")
    length_y = g.add("length_y", Length(), y, axes=(of_y,), symbol=r"\| y \|")
    cosine = g.add("cosine", Cosine(), dot, length_x, length_y, axes=pair, symbol=r"\cos \alpha")
    g.add("angle", Angle(), cosine, axes=pair, symbol=r"\alpha")
    c = g.add("c", ShadowFactor(), dot, y, axes=pair)
    x_p = g.add("x_p", WeightedSum(), c, y, axes=(of_x, feature))
    x_o = g.add("x_o", Subtract(), x, x_p, axes=(of_x, feature))
    g.add("x_o_y", Scores(), x_o, y, axes=pair, symbol=r"\langle x_o, y \rangle")
    return g.build()
