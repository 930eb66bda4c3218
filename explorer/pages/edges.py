"""Which boxes of a drawing read from which: the edges that arrow keys follow."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from explorer.pages.drawing import Box, Drawing
from explorer.pages.view import View


def joined(view: View, drawing: Drawing, due: Sequence[str]) -> Drawing:
    """A drawing whose boxes know from which others they read, through nodes that are not drawn.

    Parameters
    ----------
    view : View
    drawing : Drawing
    due : sequence of str
        The node that each mark shows; empty where it shows none.
    """
    numbers: dict[str, list[int]] = {}
    for i, (mark, name) in enumerate(zip(drawing.marks, due, strict=True)):
        if isinstance(mark, Box) and name:
            numbers.setdefault(name, []).append(i)
    # A single box of a stage stands for all nodes of it.
    stages: dict[str, list[int]] = {}
    for name, some in numbers.items():
        stages.setdefault(view.nodes[name].stage, []).extend(some)
    every = {node.name: some for node in view.nodes.values() if len(some := stages.get(node.stage, [])) == 1} | numbers
    marks = list(drawing.marks)
    for name, some in numbers.items():
        # Of several boxes of one node each stands behind the one before.
        for i, before in zip(some, ((), *((k,) for k in some)), strict=False):
            box = marks[i]
            assert isinstance(box, Box)
            marks[i] = replace(box, after=before or _drawn_before(view, name, every))
    return replace(drawing, marks=tuple(marks))


def _drawn_before(view: View, name: str, numbers: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    """The last boxes of the nodes that a node depends on, of each way back the first that is drawn."""
    found: dict[int, None] = {}
    waiting, seen = list(reversed(view.nodes[name].parents)), {name}
    while waiting:
        parent = waiting.pop()
        if parent in seen:
            continue
        seen.add(parent)
        if parent in numbers and numbers[parent] != numbers[name]:
            found[numbers[parent][-1]] = None
        else:
            waiting.extend(reversed(view.nodes[parent].parents))
    return tuple(found)
