"""An encoder alone (Vaswani et al. 2017, figure 1, left): each word looks at all words, before and after it."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.blocks import Blocks


def encoder(model: Model) -> Graph:
    """A stack of layers of self-attention and feed-forward net; what comes out are the words' new vectors."""
    g = GraphBuilder()
    blocks = Blocks(model, g)
    blocks.d_model()
    x = blocks.embedding("input", "Input")
    for k in range(1, model.layers + 1):
        group = f"Layer {k}"
        x = blocks.attention(f"encoder.{k}.self", "Self-attention", group, x, "input", x, "input")
        x = blocks.feed_forward(f"encoder.{k}.ffn", group, x, "input")
    if model.switch(f"encoder.{model.layers}.ffn", "norm") == "pre":
        blocks.final_norm(x, "input")
    return g.build()
