"""Any stage as its matrices in reading order."""

from explorer.core.graph import Stage
from explorer.pages.element import Element
from explorer.pages.matrix import matrix
from explorer.pages.page import Item, Row, Section
from explorer.pages.view import View


def matrices(view: View, stage: Stage) -> tuple[Element, ...]:
    """Every node of the stage, what it is computed from first."""
    nodes, graph = view.stage(stage.name), view.graph
    own = {node.name for node in nodes}
    above = dict.fromkeys(p for node in nodes for p in node.parents if p not in own and not graph.n_heads(p))
    here = Row("matrices", tuple(Item("", matrix(view, view.of_head(node.name))) for node in nodes))
    if not above:
        return (here,)
    read = Row("matrices before", tuple(Item("", matrix(view, name, name)) for name in above))
    return Section("before", "From the stages before"), read, Section("here", "Here"), here
