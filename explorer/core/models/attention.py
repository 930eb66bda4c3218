"""Attention alone, on queries, keys and values that a lesson gives: the short names Q, K, V, scores, …, output."""

from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph, GraphBuilder
from explorer.core.model import Model
from explorer.core.models.attention_block import attention_weights
from explorer.core.models.blocks import Blocks
from explorer.core.ops import Argmax, Input, Scores, WeightedSum


def attention_lesson(model: Model) -> Graph:
    """Given Q (n_queries, d_k), K (n_keys, d_k) and V (n_keys, d_v): scores to output, and the row of V nearest to it.

    Axes of the model: "query", "key" (without it the queries are the keys: self-attention), "feature" (the dimensions
    of a key), "value" (what a row of V stands for) and "value feature".
    """
    g = GraphBuilder()
    block, group = "attention", "Attention"
    queries = g.axis("query", model.axes["query"])
    keys = g.axis("key", model.axes["key"]) if "key" in model.axes else queries
    features = g.axis("feature", model.axes["feature"])
    columns = model.switch(block, "layout") == "(C, T)"

    g.stage("attention", "attention", "Attention", group)
    Q = g.add("Q", Input(), axes=(features, queries) if columns else (queries, features))
    K = g.add("K", Input(), axes=(features, keys) if columns else (keys, features))
    weights = attention_weights(
        Blocks(model, g), "", block, Q, K, (), queries, keys, g.length(features), columns=columns
    )
    if not model.switch(block, "V"):
        return g.build()
    values = g.axis("value", model.axes.get("value", model.axes.get("key", model.axes["query"])))
    if g.length(values) != g.length(keys):
        raise ExplorerError("values-and-keys", values=g.length(values), keys=g.length(keys))
    value_features = g.axis("value feature", model.axes.get("value feature", model.axes["feature"]))
    V = g.add("V", Input(), axes=(values, value_features))
    output = g.add("output", WeightedSum(), weights, V, axes=(queries, value_features), symbol="O")
    if model.switch(block, "nearest"):
        g.stage("attention.nearest", "nearest", "Nearest word", group)
        match = g.add("match", Scores("cosine"), output, V, axes=(queries, values), symbol="C")
        g.add("chosen", Argmax(), match, axes=(queries,), symbol="w")
    return g.build()
