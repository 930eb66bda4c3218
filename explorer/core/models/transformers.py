"""Transformers: an encoder alone, an encoder with a decoder, and a decoder alone.

An encoder alone (Vaswani et al. 2017, figure 1, left): each word looks at all words, before and after it.

The encoder-decoder of "Attention Is All You Need" (Vaswani et al. 2017, figure 1).

A decoder alone, as in GPT (Radford et al. 2018): it reads the words so far and guesses the next.
"""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.attention_block import attention
from explorer.core.models.blocks import Blocks, feed_forward
from explorer.core.models.ends import embedding, output_layer


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


def encoder_decoder(model: Model) -> Graph:
    """An encoder reads the source, a decoder reads the target and looks at what the encoder made of the source."""
    g = GraphBuilder()
    blocks = Blocks(model, g)
    blocks.d_model()

    x = embedding(blocks, "source", "Source")
    g.leave("encoder.0.out", x)
    for k in range(1, model.layers + 1):
        group = f"Encoder {k}"
        before = x
        x = attention(blocks, f"encoder.{k}.self", "Self-attention", group, x, "source", x, "source")
        x = feed_forward(blocks, f"encoder.{k}.ffn", group, x, "source", before)
        g.leave(f"encoder.{k}.out", x)
    memory = blocks.final_norm("encoder.final", "encoder", x, "source", f"Encoder {model.layers}")

    y = embedding(blocks, "target", "Target")
    g.leave("decoder.0.out", y)
    for k in range(1, model.decoder_layers + 1):
        group = f"Decoder {k}"
        before = y
        y = attention(blocks, f"decoder.{k}.self", "Self-attention", group, y, "target", y, "target")
        y = attention(blocks, f"decoder.{k}.cross", "Cross-attention", group, y, "target", memory, "source")
        y = feed_forward(blocks, f"decoder.{k}.ffn", group, y, "target", before)
        g.leave(f"decoder.{k}.out", y)
    y = blocks.final_norm("final", "decoder", y, "target", "Output")
    output_layer(model, g, y, "target")
    return g.build()


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
