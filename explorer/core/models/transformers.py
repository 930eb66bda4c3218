"""Transformers: an encoder alone, an encoder with a decoder, and a decoder alone.

An encoder alone (Vaswani et al. 2017, figure 1, left): each word attends to all words, before and after it.

The encoder-decoder of "Attention Is All You Need" (Vaswani et al. 2017, figure 1).

A decoder alone, as in GPT (Radford et al. 2018): it reads the words so far and predicts the next one.
"""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.attention_block import attention
from explorer.core.models.blocks import Blocks, feed_forward
from explorer.core.models.ends import embedding, output_layer


def encoder(model: Model) -> Graph:
    """A stack of layers of self-attention and feed-forward net; its output is a new vector for each word.

    With an output layer it predicts the word at each place, as BERT does at masked places (Devlin et al. 2019).
    """
    blocks = Blocks(model, GraphBuilder())
    blocks.d_model()
    x = _stack(blocks, "encoder", "input", "Input", "Layer", model.layers)
    x = blocks.final_norm("final", "encoder", x, "input", "Output")
    if model.switch("output", "on"):
        output_layer(model, blocks.graph, x, "input")
    return blocks.graph.build()


def encoder_decoder(model: Model) -> Graph:
    """An encoder reads the source; a decoder reads the target and attends to the encoder's output."""
    blocks = Blocks(model, GraphBuilder())
    blocks.d_model()
    x = _stack(blocks, "encoder", "source", "Source", "Encoder", model.layers)
    memory = blocks.final_norm("encoder.final", "encoder", x, "source", f"Encoder {model.layers}")
    y = _stack(blocks, "decoder", "target", "Target", "Decoder", model.decoder_layers, memory=memory)
    y = blocks.final_norm("final", "decoder", y, "target", "Output")
    output_layer(model, blocks.graph, y, "target")
    return blocks.graph.build()


def gpt(model: Model) -> Graph:
    """A stack of layers of masked self-attention and feed-forward net."""
    blocks = Blocks(model, GraphBuilder())
    blocks.d_model()
    x = _stack(blocks, "decoder", "input", "Input", "Layer", model.layers, attends="Masked attention")
    x = blocks.final_norm("final", "decoder", x, "input", "Output")
    output_layer(model, blocks.graph, x, "input")
    return blocks.graph.build()


def _stack(
    b: Blocks,
    side: str,
    sequence: str,
    title: str,
    group: str,
    layers: int,
    attends: str = "Self-attention",
    memory: str = "",
) -> str:
    """A sequence's word vectors and layers on them: self-attention, cross-attention if there is a memory, and a net.

    Returns the name of the last node. `title`: for the words' stages; `group`: for the layers', without the number.
    """
    x = embedding(b, sequence, title)
    b.graph.leave(f"{side}.0.out", x)
    for k in range(1, layers + 1):
        before, heading = x, f"{group} {k}"
        x = attention(b, f"{side}.{k}.self", attends, heading, x, sequence, x, sequence)
        if memory:
            x = attention(b, f"{side}.{k}.cross", "Cross-attention", heading, x, sequence, memory, "source")
        x = feed_forward(b, f"{side}.{k}.ffn", heading, x, sequence, before)
        b.graph.leave(f"{side}.{k}.out", x)
    return x
