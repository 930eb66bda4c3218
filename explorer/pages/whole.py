"""The whole model in one picture: words go in at the left, each block reads from the stream and adds to it, and what
comes next comes out at the right.
"""

from explorer.core.node import Stage
from explorer.pages.chain import chain
from explorer.pages.edges import joined
from explorer.pages.element import Element
from explorer.pages.lanes import Lanes
from explorer.pages.levels import has_stream
from explorer.pages.neurons import example_choice, is_small_net, neurons
from explorer.pages.page import Controls, Picture
from explorer.pages.played import coloured, played
from explorer.pages.view import View

LEAST_WIDTH, LEAST_HEIGHT = 620, 300


def whole(view: View, stage: Stage) -> tuple[Element, ...]:
    """The model as blocks along a stream, each with a picture of what it holds now."""
    choices: tuple[Element, ...] = ()
    if has_stream(view):
        lanes = Lanes(view)
        drawing, due = lanes.drawing(), lanes.due
    elif is_small_net(view):
        (drawing, due), choices = neurons(view), example_choice(view)
    else:
        drawing, due = chain(view)
    word = ", a word to follow it" if has_stream(view) else ""
    invitation = f"Click a block to look into it{word}; the wheel zooms."
    drawing, player = played(view, joined(view, drawing, due), due, invitation)
    controls = (Controls("controls", choices),) if choices else ()
    return (*controls, player, Picture("model", drawing, LEAST_WIDTH, LEAST_HEIGHT, fills=True))


def whole_sentence(view: View, stage: Stage) -> str:
    """What goes in and what comes out, or what the colours say."""
    if said := coloured(view):
        return said
    kind = view.state.model.kind
    if kind == "encoder":
        return "Words go in at the left; each comes out at the right as a vector that knows the words around it."
    if has_stream(view):
        return "Words go in at the left; what comes next comes out at the right."
    if kind == "mlp":
        return "Numbers go in at the left, from neuron to neuron, and the answer comes out at the right."
    return "Each picture is made from those at its left."
