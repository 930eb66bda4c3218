"""A decoder alone, as in GPT (Radford et al. 2018): it reads the words so far and guesses the next."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.attention_block import attention
from explorer.core.models.blocks import Blocks
from explorer.core.models.embedding import embedding
from explorer.core.models.net_block import feed_forward
from explorer.core.models.output_layer import output_layer


def gpt(model: Model) -> Graph:
    """A stack of layers of masked self-attention and feed-forward net."""
    g = GraphBuilder()
    blocks = Blocks(model, g)
    blocks.d_model()
    x = embedding(blocks, "input", "Input")
    g.leave("decoder.0.out", x)
    for k in range(1, model.layers + 1):
        group = f"Layer {k}"
        before = x
        x = attention(blocks, f"decoder.{k}.self", "Masked attention", group, x, "input", x, "input")
        x = feed_forward(blocks, f"decoder.{k}.ffn", group, x, "input", before)
        g.leave(f"decoder.{k}.out", x)
    x = blocks.final_norm("final", "decoder", x, "input", "Output")
    output_layer(model, g, x, "input")
    return g.build()
