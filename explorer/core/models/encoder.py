"""An encoder alone (Vaswani et al. 2017, figure 1, left): each word looks at all words, before and after it."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.attention_block import attention
from explorer.core.models.blocks import Blocks
from explorer.core.models.embedding import embedding
from explorer.core.models.net_block import feed_forward
from explorer.core.models.output_layer import output_layer


def encoder(model: Model) -> Graph:
    """A stack of layers of self-attention and feed-forward net; what comes out are the words' new vectors.

    With an output it says which word belongs at each place, as BERT does where one is masked (Devlin et al. 2019).
    """
    g = GraphBuilder()
    blocks = Blocks(model, g)
    blocks.d_model()
    x = embedding(blocks, "input", "Input")
    g.leave("encoder.0.out", x)
    for k in range(1, model.layers + 1):
        group = f"Layer {k}"
        before = x
        x = attention(blocks, f"encoder.{k}.self", "Self-attention", group, x, "input", x, "input")
        x = feed_forward(blocks, f"encoder.{k}.ffn", group, x, "input", before)
        g.leave(f"encoder.{k}.out", x)
    x = blocks.final_norm("final", "encoder", x, "input", "Output")
    if model.switch("output", "on"):
        output_layer(model, g, x, "input")
    return g.build()
