"""Models without a stream as a chain of their stages: a net, a lesson on one attention, on vectors, on norms."""

from collections.abc import Sequence

from explorer.core.node import Node
from explorer.pages.amounts import amount
from explorer.pages.drawing import MUTED, TEXT, Axis, Box, Drawing, Mark, Way, Words
from explorer.pages.gestures import GoTo
from explorer.pages.lanes import SAID, image_of
from explorer.pages.view import View


def chain(view: View) -> Drawing:
    """The stages in a row, each with pictures of its last nodes."""
    marks: list[Mark] = []
    x = 0.0
    for stage in view.graph.stages:
        nodes = [node for node in view.stage(stage.name) if view.values[node.name].size > 1] or view.stage(stage.name)
        shown = _telling(nodes)
        width = 92.0 * len(shown) + 12.0
        note, share = amount(view, shown[-1].name)
        place = x, -66.0, width, 132.0
        tip = "\n".join(filter(None, (f"{stage.group}: {stage.title}", SAID.get(stage.kind, ""))))
        marks.append(Box(place, stage.title, stage.title, note, tip, GoTo(stage.name), share))
        for i, node in enumerate(shown):
            left = x + 12.0 + 92.0 * i
            marks.append(image_of(view, view.of_head(node.name), (left, -38.0, 80.0, 64.0)))
            marks.append(Words(left + 40.0, 36.0, node.short, MUTED, fixed=True))
        if x:
            marks.append(Way(((x - 34.0, 0.0), (x, 0.0)), TEXT, 2.0))
        x += width + 34.0
    said = f"The model: {', then '.join(stage.title for stage in view.graph.stages)}"
    none = Axis(labels=())
    window = (-12.0, x - 22.0, -90.0, 90.0)
    return Drawing(tuple(marks), window, said, none, none, down=True, square=True, zoom=True)


def _telling(nodes: Sequence[Node]) -> list[Node]:
    """The nodes of a stage that tell most: what comes in, or the weights, and what comes out."""
    return [nodes[0], nodes[-1]] if len(nodes) > 1 else list(nodes)
