"""The encoder-decoder of "Attention Is All You Need" (Vaswani et al. 2017, figure 1)."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.blocks import Blocks
from explorer.core.models.output_layer import output_layer


def encoder_decoder(model: Model) -> Graph:
    """An encoder reads the source, a decoder reads the target and looks at what the encoder made of the source."""
    g = GraphBuilder()
    blocks = Blocks(model, g)
    blocks.d_model()

    x = blocks.embedding("source", "Source")
    for k in range(1, model.layers + 1):
        group = f"Encoder {k}"
        x = blocks.attention(f"encoder.{k}.self", "Self-attention", group, x, "source", x, "source")
        x = blocks.feed_forward(f"encoder.{k}.ffn", group, x, "source")
    memory = x

    y = blocks.embedding("target", "Target")
    for k in range(1, model.layers + 1):
        group = f"Decoder {k}"
        y = blocks.attention(f"decoder.{k}.self", "Self-attention", group, y, "target", y, "target")
        y = blocks.attention(f"decoder.{k}.cross", "Cross-attention", group, y, "target", memory, "source")
        y = blocks.feed_forward(f"decoder.{k}.ffn", group, y, "target")
    if model.switch(f"decoder.{model.layers}.ffn", "norm") == "pre":
        y = blocks.final_norm(y, "target")
    output_layer(model, g, y, "target")
    return g.build()
