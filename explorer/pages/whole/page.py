"""The page of the whole model in one picture: words enter at the left, blocks read the stream and add to it, and the
next word leaves at the right.

`joined` finds out which boxes of a drawing read from which: the arrow keys follow these edges.

`played` plays one pass step by step: marks that the pass has not reached are faint.

The page of one block, a level between the whole and the stages: its matrices as pictures with formula and shape.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TypeAlias
from weakref import WeakKeyDictionary

from explorer.core.graph import LOGITS, Graph, Stage
from explorer.pages.drawing import Box, Drawing
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.levels import has_stream, stages_of, to_whole
from explorer.pages.page import Controls, Picture, Player
from explorer.pages.view import View
from explorer.pages.whole.chain import boxes, chain, counts, example_choice, is_small_net, neurons
from explorer.pages.whole.lanes import lanes
from explorer.pages.whole.stacks import Stacks

PLAYED = "whole.played"
"""The beginning of the key that keeps how many steps of a pass have been taken; without that key, all steps."""
Boxes: TypeAlias = tuple[tuple[int, str], ...]
"""The boxes of a drawing: for each its index among the marks, and the node that it shows."""


def joined(view: View, drawing: Drawing, due: Sequence[str]) -> Drawing:
    """The drawing with `Box.after` set: the boxes that each box reads from, also through nodes that are not drawn.

    `due`: for each mark, the node that it shows; "" if it shows none.
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
"""The edges of the last drawing of each graph, kept because an edit of numbers changes no edge."""


def _edges(graph: Graph, boxes: Boxes) -> dict[int, tuple[int, ...]]:
    """For each box the boxes that it reads from, all as indices among the marks."""
    numbers: dict[str, list[int]] = {}
    for i, name in boxes:
        numbers.setdefault(name, []).append(i)
    # The only box of a stage stands for all nodes of the stage.
    stages: dict[str, list[int]] = {}
    for name, some in numbers.items():
        stages.setdefault(graph.nodes[name].stage, []).extend(some)
    every = {node.name: some for node in graph.nodes.values() if len(some := stages.get(node.stage, [])) == 1} | numbers
    found: dict[int, tuple[int, ...]] = {}
    for name, some in numbers.items():
        # Several boxes of one node form a chain: each comes after the one before.
        for i, before in zip(some, ((), *((k,) for k in some)), strict=False):
            found[i] = before or _drawn_before(graph, name, every)
    return found


def _drawn_before(graph: Graph, name: str, numbers: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    """The nearest boxes that a node depends on: on each path back through the graph, the first drawn node."""
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


LEAST_WIDTH, LEAST_HEIGHT, LEAST_BELOW = 620, 300, 200


def block(view: View, stage: Stage) -> tuple[Element, ...]:
    """The matrices of a block as a diagram in reading order; a click on a matrix goes to its numbers."""
    names = {one.name for one in stages_of(view.graph, stage.name)}
    nodes = {node.name: node for node in view.nodes.values() if node.stage in names and counts(view, node)}
    read = dict.fromkeys(parent for node in nodes.values() for parent in node.parents if parent not in nodes)
    outside = [view.nodes[name] for name in read if counts(view, view.nodes[name])]
    said = f"{stage.where}, from {', '.join(one.short for one in outside) or 'its inputs'}"
    drawing, due = boxes(view, list(nodes.values()), outside, said)
    drawing = replace(joined(view, drawing, due), out=to_whole(view, stage))
    drawing, player = played(view, drawing, due, "Click a matrix to see its numbers; the wheel zooms.", stage.name)
    return player, Picture("model", drawing, LEAST_WIDTH, _readable(drawing, LEAST_HEIGHT), fills=True)


def _readable(drawing: Drawing, least: int) -> int:
    """The least height of a picture, so that titles are not cut: with less room the page scrolls."""
    _, _, top, bottom = drawing.window
    return max(least, round(READABLE * abs(bottom - top)))


def block_sentence(view: View, stage: Stage) -> str:
    """One sentence on how to read the diagram, or on what its colours mean."""
    return coloured(view) or "Each matrix is made from those at its left, by the formula above it. Teal ones are given."


READABLE = 0.68
"""The least scale, in pixels for each unit of the drawing's window, with which a block's title fits into its box."""
LARGE_WIDTH, LARGE_HEIGHT = 330, 240
"""The least size of the picture in large text; in pixels at text scale 1, so on the screen it is larger."""


def whole(view: View, stage: Stage) -> tuple[Element, ...]:
    """The model as blocks along a stream, each with a picture of its present contents."""
    drawing, due = _drawn(view)
    choices = () if has_stream(view) or not is_small_net(view) else example_choice(view)
    word = ", a word to follow it" if has_stream(view) else ""
    invitation = f"Click a block to look into it{word}; the wheel zooms."
    drawing, player = played(view, joined(view, drawing, due), due, invitation)
    controls = (Controls("controls", choices),) if choices else ()
    wide, high = (LARGE_WIDTH, LARGE_HEIGHT) if view.looking.large else (LEAST_WIDTH, LEAST_HEIGHT)
    if not has_stream(view) if view.looking.large else view.state.model.called:
        high = _readable(drawing, high)
    return (*controls, player, Picture("model", drawing, wide, high, fills=True))


def whole_below(view: View) -> Picture:
    """The picture of the model at the end of a page about the model, if the page has room for it."""
    drawing, due = _drawn(view)
    high = _readable(drawing, LEAST_BELOW)
    return Picture("model", joined(view, drawing, due), LEAST_WIDTH, high, fills=True, spare=True)


def _drawn(view: View) -> tuple[Drawing, Sequence[str]]:
    """The drawing of the model, and for each mark the node that it shows."""
    if has_stream(view):
        return (Stacks(view) if view.looking.large else lanes(view)).drawing()
    return neurons(view) if is_small_net(view) else chain(view)


def whole_sentence(view: View, stage: Stage) -> str:
    """One sentence on what goes in and what comes out, or on what the colours mean."""
    if said := coloured(view):
        return said
    kind = view.state.model.kind
    axis, place = view.looking.token or ("", 0)
    if has_stream(view) and axis in view.graph.sequences and place < len(view.labels(axis)):
        word = escape(view.labels(axis)[place])
        return f"The way of “{word}”. Orange lines: where it looks. Blue and dashed: who looks at it."
    into, out = ("at the top", "at the bottom") if view.looking.large else ("at the left", "at the right")
    if kind == "encoder" and LOGITS in view.nodes:
        return f"Words go in {into}; for each place, the words that may stand there come out {out}."
    if kind == "encoder":
        return f"Words go in {into}; each comes out {out} as a vector that knows the words around it."
    if has_stream(view):
        return f"Words go in {into}; what comes next comes out {out}."
    if kind == "mlp":
        return "Numbers go in at the left, from neuron to neuron, and the answer comes out at the right."
    return "Each picture is made from those at its left."


def played(
    view: View, drawing: Drawing, due: Sequence[str], invitation: str, block: str = ""
) -> tuple[Drawing, Player]:
    """A drawing with the marks that the pass has not reached made faint, and the player of the pass.

    Gradients are computed from the loss back to the inputs, so while they are shown the pass goes backward.

    Parameters
    ----------
    due : sequence of str
        For each mark, the node that it waits for; "" if it waits for none.
    invitation : str
        The text that is shown while no pass is played.
    block : str
        The block that is drawn, if it is not the whole: a block is played by itself.
    """
    key = f"{PLAYED}.{block}" if block else PLAYED
    wanted = set(due)
    steps = [name for name in view.nodes if name in wanted]
    backward = view.looking.showing == "gradient"
    if backward:
        steps.reverse()
    taken = view.number(key, len(steps), 0, len(steps))
    titles = {stage.name: stage.where for stage in view.graph.stages}
    names = tuple(f"{titles[view.nodes[name].stage]}, {view.nodes[name].short}" for name in steps)
    player = Player("player", taken, names, Keep(key), _said(names, taken, backward) or invitation)
    if taken == len(steps):
        return drawing, player
    missing = set(steps[taken:])
    marks = tuple(
        replace(mark, faint=1.0) if name in missing else mark for mark, name in zip(drawing.marks, due, strict=True)
    )
    return replace(drawing, marks=marks), player


def _said(steps: Sequence[str], taken: int, backward: bool) -> str:
    """A sentence on the step that a played pass has reached; "" at its end."""
    if taken == len(steps):
        return ""
    if not taken:
        return "One pass, from the loss back to the words" if backward else "One pass, from the beginning"
    return f"Step {taken} of {len(steps)}: <b>{escape(steps[taken - 1])}</b>"


def coloured(view: View) -> str:
    """A sentence on what the colours mean, unless values are shown."""
    match view.looking.showing:
        case "change" if not view.last.label:
            return "Nothing has changed yet. Edit a number, a word or a switch, and see which blocks change."
        case "change" | "step" as showing:
            act = "edit" if showing == "change" else "step"
            return f"What the last {act} changed: the stronger the colour of a block, the more its numbers changed."
        case "gradient":
            return (
                "How much the loss depends on each block: a stronger colour is a longer gradient. A pass goes backward."
            )
        case "difference":
            return "The stronger the colour of a block, the more it differs from the other model."
    return ""
