"""Which boxes of a drawing read from which: the edges that arrow keys follow."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias
from weakref import WeakKeyDictionary

from explorer.core.graph import Graph
from explorer.pages.drawing import Box, Drawing
from explorer.pages.view import View

Boxes: TypeAlias = tuple[tuple[int, str], ...]
"""Each with its number among the marks, and the node that it shows."""


def joined(view: View, drawing: Drawing, due: Sequence[str]) -> Drawing:
    """A drawing whose boxes know from which others they read, through nodes that are not drawn.

    `due`: the node that each mark shows; empty where it shows none.
    """
    boxes = tuple((i, name) for i, name in enumerate(due) if name and isinstance(drawing.marks[i], Box))
    known = _FOUND.get(view.graph)
    if known is None or known[0] != boxes:
        _FOUND[view.graph] = known = boxes, _edges(view.graph, boxes)
    marks = list(drawing.marks)
    for i, after in known[1].items():
        box = marks[i]
        assert isinstance(box, Box)
        marks[i] = replace(box, after=after)
    return replace(drawing, marks=tuple(marks))


_FOUND: WeakKeyDictionary[Graph, tuple[Boxes, Mapping[int, tuple[int, ...]]]] = WeakKeyDictionary()
"""The edges of the drawing that was made last of a graph: an edit of numbers changes none."""


def _edges(graph: Graph, boxes: Boxes) -> dict[int, tuple[int, ...]]:
    """For each box, by its number among the marks, those that it reads from."""
    numbers: dict[str, list[int]] = {}
    for i, name in boxes:
        numbers.setdefault(name, []).append(i)
    # A single box of a stage stands for all nodes of it.
    stages: dict[str, list[int]] = {}
    for name, some in numbers.items():
        stages.setdefault(graph.nodes[name].stage, []).extend(some)
    every = {node.name: some for node in graph.nodes.values() if len(some := stages.get(node.stage, [])) == 1} | numbers
    found: dict[int, tuple[int, ...]] = {}
    for name, some in numbers.items():
        # Of several boxes of one node each stands behind the one before.
        for i, before in zip(some, ((), *((k,) for k in some)), strict=False):
            found[i] = before or _drawn_before(graph, name, every)
    return found


def _drawn_before(graph: Graph, name: str, numbers: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    """The last boxes of the nodes that a node depends on, of each way back the first that is drawn."""
    found: dict[int, None] = {}
    waiting, seen = list(reversed(graph.nodes[name].parents)), {name}
    while waiting:
        parent = waiting.pop()
        if parent in seen:
            continue
        seen.add(parent)
        if parent in numbers and numbers[parent] != numbers[name]:
            found[numbers[parent][-1]] = None
        else:
            waiting.extend(reversed(graph.nodes[parent].parents))
    return tuple(found)
