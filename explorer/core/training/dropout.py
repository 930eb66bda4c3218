"""Dropout: in each step of training some numbers are left out by chance, so that no unit can rely on another.

Srivastava et al. 2014, in the form that leaves a model in use as it is: in training, what is kept is made larger.
"""

from collections.abc import Iterator

import numpy as np

from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.core.switches import SWITCHES


def with_dropout(model: Model, share: float) -> Model:
    """The model with the same share of dropout in each block that has the switch (Vaswani et al. 2017, §5.4).

    That is after the embeddings, and on what each sublayer makes, before it is added to what came in.

    `share`: how much is left out, 0 to 0.9.
    """
    for block, kind in model.blocks().items():
        if "dropout" in SWITCHES[kind]:
            model = model.with_switch(block, "dropout", share)
    return model


def kept_masks(graph: Graph, model: Model, batch: tuple[int, ...], random: np.random.Generator) -> dict[str, Array]:
    """What each dropout of a graph keeps in one step of training, drawn by chance.

    It is 0 as often as the block's share says, otherwise 1 / (1 − share), so that the mean stays what it would be.

    Parameters
    ----------
    graph : Graph
        Built of the model.
    batch : tuple of int
        The leading axes: each sentence draws its own.
    random : numpy.random.Generator
        Drawn from in reading order of the nodes.

    Returns
    -------
    dict of str to numpy.ndarray
        For each `kept` node, (*batch, n, d_model). Without these inputs, where they are 1, a model is as it is in use.
    """
    masks: dict[str, Array] = {}
    for name in kept_nodes(graph):
        share = float(model.switch(name.rpartition(".")[0], "dropout"))
        drawn = random.random((*batch, *graph.shape(name)), dtype=np.float32)
        masks[name] = (drawn >= share) * np.dtype(model.dtype).type(1 / (1 - share))
    return masks


def kept_nodes(graph: Graph) -> Iterator[str]:
    """The inputs that say what a dropout keeps, in reading order."""
    for node in graph.nodes.values():
        if node.op.drawn is not None:
            yield node.parents[node.op.drawn]
