"""How large a model would be, before anything of it is made."""

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.models import build

MOST_LABELS = 1_000_000
MOST_BYTES = 2_000_000_000
"""Of all numbers of a model. While it is recomputed, those that change are there twice."""


def build_within(model: Model) -> Graph:
    """The graph of a model, unless it could not be held.

    Raises `ExplorerError`: "too-many-labels", "model-too-large", or those of `build`.
    """
    labels = count_labels(model)
    if labels > MOST_LABELS:
        raise ExplorerError("too-many-labels", labels=f"{labels:,}", limit=f"{MOST_LABELS:,}")
    graph = build(model)
    numbers, most = sum(map(graph.size, graph.nodes)), most_numbers(model)
    if numbers > most:
        raise ExplorerError("model-too-large", numbers=f"{numbers:,}", limit=f"{most:,}")
    return graph


def most_numbers(model: Model) -> int:
    """How many numbers a model of its precision may have."""
    return MOST_BYTES // np.dtype(model.dtype).itemsize


def count_labels(model: Model) -> int:
    """About how many labels all axes of a model's graph have, at least a fourth of them: the graph writes each one out.

    A file may ask for any sizes; to know this takes no memory.
    """
    labels = sum(map(len, model.axes.values())) + sum(model.lengths.values()) + model.d_model
    for block, kind in model.blocks().items():
        if kind == "attention":
            heads, d_k, d_v = (int(model.switch(block, name)) for name in ("heads", "d_k", "d_v"))
            labels += heads * max(d_k, d_v, model.d_model // heads + 1)
        elif kind == "ffn":
            labels += int(model.switch(block, "d_ff")) or 4 * model.d_model
    return labels
