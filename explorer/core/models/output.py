"""The end of a language model alone: from given logits to probabilities, a word, and the loss."""

from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.output_layer import probabilities
from explorer.core.ops import Input


def output(model: Model) -> Graph:
    """Given logits (n, n_words); axes "input" (what is to be continued) and "output.words"."""
    g = GraphBuilder()
    rows = g.axis("input", model.axes["input"])
    words = g.axis("output.words", model.axes["output.words"])
    g.stage("output", "output", "Probabilities", "Output")
    logits = g.add("output.logits", Input(), axes=(rows, words), symbol="z")
    probabilities(model, g, logits, rows, words)
    return g.build()
