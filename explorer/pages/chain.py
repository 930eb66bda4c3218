"""Models without a stream as a chain of nodes: a lesson on one attention, on vectors, on norms, on an output."""

from collections.abc import Mapping, Sequence

import numpy as np

from explorer.core.node import Node
from explorer.core.numbers import significant, written
from explorer.core.shapes import written_shape
from explorer.pages.amounts import amount
from explorer.pages.drawing import MUTED, TEXT, Axis, Bars, Box, Drawing, Mark, Way, Words
from explorer.pages.gestures import GoTo
from explorer.pages.lanes import SAID, image_of
from explorer.pages.view import Cell, View

WIDTH, HEIGHT, ACROSS, DOWN = 96.0, 92.0, 46.0, 22.0
"""Of a box, and between boxes."""
MOST_ROWS, MOST_LETTERS, MOST_BARS = 9, 9, 8
"""Rows of a picture that have their words beside them, how long these may be, and bars of an output."""


def chain(view: View) -> tuple[Drawing, list[str]]:
    """Each node in a box, those that it is made from at its left; and the node that each mark waits for."""
    nodes = [node for node in view.nodes.values() if _counts(view, node)]
    columns = _columns(nodes, view)
    places: dict[str, tuple[float, float, float, float]] = {}
    across = WIDTH + ACROSS
    for k, column in enumerate(columns):
        high = len(column) * (HEIGHT + DOWN) - DOWN
        for i, node in enumerate(column):
            places[node.name] = k * across, i * (HEIGHT + DOWN) - high / 2, WIDTH, HEIGHT
    marks: list[Mark] = []
    due: list[str] = []
    for drawn in (lambda node: _ways(node, places), lambda node: _box(view, node, places[node.name])):
        for node in nodes:
            marks += drawn(node)
            due += [node.name] * (len(marks) - len(due))
    high = max((len(column) for column in columns), default=1) * (HEIGHT + DOWN)
    said = f"The model: {', then '.join(stage.title for stage in view.graph.stages)}"
    none = Axis(labels=())
    window = (-14.0, len(columns) * across - ACROSS + 14.0, -high / 2 - 4.0, high / 2 + 4.0)
    return Drawing(tuple(marks), window, said, none, none, down=True, square=True, zoom=True), due


def _counts(view: View, node: Node) -> bool:
    """Whether a node is drawn: a factor, a temperature or a mask that is the same everywhere is not."""
    return bool(node.axes) or not view.graph.children.get(node.name)


def _columns(nodes: Sequence[Node], view: View) -> list[list[Node]]:
    """Each node behind those that it reads; what is given stands right before what reads it."""
    depths: dict[str, int] = {}
    for node in nodes:
        depths[node.name] = 1 + max((depths[p] for p in node.parents if p in depths), default=-1)
    for node in nodes:
        after = [depths[child] for child in view.graph.children.get(node.name, ()) if child in depths]
        if node.is_input and after:
            depths[node.name] = min(after) - 1
    columns: list[list[Node]] = [[] for _ in range(max(depths.values(), default=0) + 1)]
    for node in nodes:
        columns[depths[node.name]].append(node)
    return [column for column in columns if column]


def _ways(node: Node, places: Mapping[str, tuple[float, float, float, float]]) -> list[Mark]:
    left, top, _, height = places[node.name]
    found: list[Mark] = []
    for parent in dict.fromkeys(node.parents):
        if parent in places:
            x, y = places[parent][0] + WIDTH, places[parent][1] + height / 2
            bend, middle = left - ACROSS / 2, top + height / 2
            ways = ((x, y), (left, middle)) if y == middle else ((x, y), (bend, y), (bend, middle), (left, middle))
            found.append(Way(ways, TEXT, 1.8))
    return found


def _box(view: View, node: Node, place: tuple[float, float, float, float]) -> list[Mark]:
    """The box of a node with what it holds: a picture, bars, or its one number."""
    left, top, width, height = place
    stage = next(stage for stage in view.graph.stages if stage.name == node.stage)
    value = view.values[node.name]
    note, share = amount(view, node.name)
    tip = "\n".join(
        filter(None, (f"{stage.group}: {stage.title}", SAID.get(stage.kind, ""), written_shape(value.shape)))
    )
    title = stage.title if node.short in ("value", "norm") else node.short
    room = left + 8.0, top + 20.0, width - 16.0, height - 38.0
    if value.dtype.kind in "iub" and value.ndim == 1:
        labels = _words_of(view, node)
        box = Box(place, title, title, note if share is not None else "", tip, GoTo(node.stage), share)
        each = room[3] / max(len(labels), 1)
        return [
            box,
            *(
                Words(left + width / 2, room[1] + (i + 0.5) * each, word, TEXT, fixed=True, size=min(13.0, each))
                for i, word in enumerate(labels[:12])
            ),
        ]
    if value.size == 1:
        number = value.item()
        told = written(float(number), significant(float(number), 3)) if value.dtype.kind == "f" else str(number)
        box = Box(place, title, title, note if share is not None else "", tip, GoTo(node.stage), share)
        return [box, Words(left + width / 2, top + height / 2, told, TEXT, fixed=True, size=15.0)]
    marks: list[Mark] = [Box(place, title, title, note, tip, GoTo(node.stage), share)]
    if node.short == "probabilities" and view.looking.showing == "values" and len(value) == 1:
        labels, best = view.labels(node.axes[1]), np.argsort(-np.nan_to_num(value[0]), kind="stable")[:MOST_BARS]
        words = tuple(labels[j] for j in best)
        cells = tuple(Cell(node.name, (0, int(j))) for j in best)
        shares = tuple(float(value[0, j]) for j in best)
        return [*marks, Bars((left + 4.0, room[1], width - 8.0, room[3]), words, shares, cells, max(1.0, *shares))]
    name = view.of_head(node.name)
    rows = view.labels(view.graph.axes_of(view.graph.place(name))[0])
    if 1 < len(rows) <= MOST_ROWS and value.ndim > 1 and max(map(len, rows)) <= MOST_LETTERS:
        each = room[3] / len(rows)
        beside = min(5.2 * max(map(len, rows)) + 3.0, 46.0)
        for i, word in enumerate(rows):
            at = room[0] + beside - 2.0, room[1] + (i + 0.5) * each
            marks.append(Words(*at, word, MUTED, True, 1.0, size=min(8.5, each)))
        room = room[0] + beside, room[1], room[2] - beside, room[3]
    return [*marks, image_of(view, name, room)]


def _words_of(view: View, node: Node) -> tuple[str, ...]:
    """What chosen numbers mean, if they are numbers of words."""
    parent = view.nodes[node.parents[0] if node.parents else "output.probabilities"]
    labels = view.labels(parent.axes[-1])
    return tuple(labels[int(i)] if int(i) < len(labels) else str(int(i)) for i in np.ravel(view.values[node.name]))
