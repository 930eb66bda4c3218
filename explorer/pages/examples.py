"""Examples: the features of each as a point in the plane, and where each norm takes it."""

import numpy as np

from explorer.core.graph import Stage
from explorer.core.numbers import written
from explorer.pages.drawing import ACCENT, Axis, Dot, Drawing, drawable, series
from explorer.pages.element import Element
from explorer.pages.gestures import MoveTo
from explorer.pages.matrix import matrix
from explorer.pages.page import Item, Picture, Row, Stack
from explorer.pages.view import Cell, View

MOST = 60
"""Examples that can be told apart."""
SPARE = 0.25
"""Of the distance between the outermost points, the room around them."""


def examples(view: View, stage: Stage) -> tuple[Element, ...]:
    """The examples as numbers and, of two features, as points; beside them, what each norm makes of them."""
    (own,) = view.stage(stage.name)
    numbers = Item("", matrix(view, own.name))
    rows, features = view.graph.shape(own.name)
    if features != 2 or rows > MOST:
        return (Row("examples", (numbers,)),)
    titles = {one.name: one.title for one in view.graph.stages}
    made = [node for node in view.nodes.values() if own.name in node.parents and node.axes == own.axes]
    planes = [_plane(view, own.name, "As they are: drag one", True)]
    planes += [_plane(view, node.name, f"After {titles[node.stage].lower()}", False) for node in made]
    return (Row("examples", (numbers, *(Item("", plane) for plane in planes))),)


def _plane(view: View, name: str, title: str, drags: bool) -> Stack:
    """The rows of a node as points."""
    array, node = view.values[name], view.nodes[name]
    labels, features = (view.labels(axis) for axis in node.axes)
    dots = []
    for i, (x, y) in enumerate(array.tolist()):
        if drawable(x, y):
            cells = (name, (i, 0)), (name, (i, 1))
            drag = MoveTo(*cells) if drags else None
            also = (Cell(*cells[1]),)
            dots.append(
                Dot(x, y, labels[i], ACCENT if drags else series(0), cell=Cell(*cells[0]), also=also, drag=drag)
            )
    told = "; ".join(f"{dot.name} ({written(dot.x, 2)}, {written(dot.y, 2)})" for dot in dots)
    across, up = (Axis(feature, grid=True) for feature in features)
    drawing = Drawing(tuple(dots), _window(np.array([(dot.x, dot.y) for dot in dots])), f"{title}: {told}", across, up)
    return Stack(f"plane of {name}", title, (Picture(f"points of {name}", drawing, 265, 260),))


def _window(points: np.ndarray) -> tuple[float, float, float, float]:
    """Around the points, with some room on each side."""
    if not len(points):
        return -1.0, 1.0, -1.0, 1.0
    low, high = points.min(0), points.max(0)
    room = np.where(high > low, high - low, 2.0) * SPARE
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    return left, right, bottom, top
