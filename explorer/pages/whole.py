"""The whole model in one picture: words go in at the left, each block reads from the stream and adds to it, and what
comes next comes out at the right.
"""

from html import escape

from explorer.core.graph import Stage
from explorer.pages.chain import chain
from explorer.pages.edges import joined
from explorer.pages.element import Element
from explorer.pages.lanes import lanes
from explorer.pages.levels import has_stream
from explorer.pages.neurons import example_choice, is_small_net, neurons
from explorer.pages.page import Controls, Picture
from explorer.pages.played import coloured, played
from explorer.pages.stacks import Stacks
from explorer.pages.view import View

LEAST_WIDTH, LEAST_HEIGHT = 620, 300
LARGE_WIDTH, LARGE_HEIGHT = 330, 240
"""Pixels at text scale 1, which is more where letters are large."""


def whole(view: View, stage: Stage) -> tuple[Element, ...]:
    """The model as blocks along a stream, each with a picture of what it holds now."""
    choices: tuple[Element, ...] = ()
    if has_stream(view):
        made = Stacks(view) if view.looking.large else lanes(view)
        drawing, due = made.drawing(), made.due
    elif is_small_net(view):
        (drawing, due), choices = neurons(view), example_choice(view)
    else:
        drawing, due = chain(view)
    word = ", a word to follow it" if has_stream(view) else ""
    invitation = f"Click a block to look into it{word}; the wheel zooms."
    drawing, player = played(view, joined(view, drawing, due), due, invitation)
    controls = (Controls("controls", choices),) if choices else ()
    wide, high = (LARGE_WIDTH, LARGE_HEIGHT) if view.looking.large else (LEAST_WIDTH, LEAST_HEIGHT)
    return (*controls, player, Picture("model", drawing, wide, high, fills=True))


def whole_sentence(view: View, stage: Stage) -> str:
    """What goes in and what comes out, or what the colours say."""
    if said := coloured(view):
        return said
    kind = view.state.model.kind
    axis, place = view.looking.token or ("", 0)
    if has_stream(view) and axis in view.graph.sequences and place < len(view.labels(axis)):
        word = escape(view.labels(axis)[place])
        return f"The way of “{word}”. Orange lines: where it looks. Blue and dashed: who looks at it."
    into, out = ("at the top", "at the bottom") if view.looking.large else ("at the left", "at the right")
    if kind == "encoder":
        return f"Words go in {into}; each comes out {out} as a vector that knows the words around it."
    if has_stream(view):
        return f"Words go in {into}; what comes next comes out {out}."
    if kind == "mlp":
        return "Numbers go in at the left, from neuron to neuron, and the answer comes out at the right."
    return "Each picture is made from those at its left."
