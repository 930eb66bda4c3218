"""The whole model in one picture: words go in at the left, each block reads from the stream and adds to it, and what
comes next comes out at the right.
"""

from explorer.core.node import Stage
from explorer.pages.chain import chain
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.lanes import ALL, LAYER, Lanes, has_stream, layers_of, shown_layer
from explorer.pages.page import Choice, Controls, Note, Picture
from explorer.pages.view import View

LEAST_WIDTH, LEAST_HEIGHT = 620, 330


def whole(view: View, stage: Stage) -> tuple[Element, ...]:
    """The model as blocks along a stream, each with a picture of what it holds now."""
    streams = has_stream(view)
    drawing = Lanes(view).drawing() if streams else chain(view)
    controls = _layer_choice(view) if streams else ()
    note = Note("how to read", _legend(view))
    return (*controls, note, Picture("model", drawing, LEAST_WIDTH, LEAST_HEIGHT, fills=True))


def _layer_choice(view: View) -> tuple[Element, ...]:
    """Which layer stands for all, where there are many."""
    layers = max(layers_of(view).values(), default=1)
    if layers < 2:
        return ()
    options = (*(str(k) for k in range(1, layers + 1)), "all")
    asks = (*(Keep(LAYER, k) for k in range(1, layers + 1)), Keep(LAYER, ALL))
    layer = shown_layer(view)
    chosen = layers if layer == ALL else layer - 1
    tip = "The layer that is drawn; the others have the same blocks"
    return (Controls("layers", (Choice("layer", "Layer drawn", options, chosen, asks, tip),)),)


def _legend(view: View) -> str:
    """What the picture shows, as matrices show values, changes or gradients."""
    match view.looking.showing:
        case "change" if not view.last.label:
            return "Nothing has changed yet. Edit a number, a word or a switch, and see how far it reaches."
        case "change" | "step":
            return "What the last edit moved: the deeper a block, the larger the part of it that is different."
        case "gradient":
            return "How much the loss depends on each block: the deeper, the longer its gradient."
        case "difference":
            return "The deeper a block, the more it differs from the model beside."
    return "Click a block to see its numbers, a word to follow it through the model. The wheel looks closer."
