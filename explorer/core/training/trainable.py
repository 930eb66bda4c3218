"""Which inputs of a model training can move."""

from explorer.core.gradients import LOSS
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.parameters import parameters


def trainable(graph: Graph, model: Model) -> dict[str, bool]:
    """The inputs that a gradient can move, in reading order, and whether training moves them if nobody says otherwise.

    That is the model's weights; where a lesson has none, such as the logits of one word, all of them.

    `graph`: built of the model.
    """
    above = set(graph.inputs_of(LOSS.node)) if LOSS.node in graph.nodes else set()
    names = [n for n, node in graph.nodes.items() if n in above and not node.op.whole and n != "loss.target"]
    weights = {one.name for block in parameters(graph, model) for one in block.weights}
    # A lesson without weights, such as the logits of one word, moves what it has; a temperature or a scale is a choice.
    none = weights.isdisjoint(names)
    return {name: name in weights or (none and bool(graph.shape(name))) for name in names}
