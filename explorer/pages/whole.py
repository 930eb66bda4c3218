"""The whole model in one picture: words go in at the left, each block reads from the stream and adds to it, and what
comes next comes out at the right.
"""

from html import escape

from explorer.core.node import Stage
from explorer.pages.chain import chain
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.lanes import ALL, LAYER, Lanes, has_stream, layers_of, shown_layer
from explorer.pages.neurons import example_choice, is_small_net, neurons
from explorer.pages.page import Choice, Controls, Note, Picture, Player
from explorer.pages.played import played
from explorer.pages.view import View

LEAST_WIDTH, LEAST_HEIGHT = 620, 330


def whole(view: View, stage: Stage) -> tuple[Element, ...]:
    """The model as blocks along a stream, each with a picture of what it holds now."""
    choices: tuple[Element, ...] = ()
    if has_stream(view):
        lanes = Lanes(view)
        drawing, due, choices = lanes.drawing(), lanes.due, _layer_choice(view)
    elif is_small_net(view):
        (drawing, due), choices = neurons(view), example_choice(view)
    else:
        drawing, due = chain(view)
    drawing, player = played(view, drawing, due)
    note = Note("how to read", _step(player) or _legend(view))
    return (
        Controls("controls", (*choices, player)),
        note,
        Picture("model", drawing, LEAST_WIDTH, LEAST_HEIGHT, fills=True),
    )


def whole_sentence(view: View, stage: Stage) -> str:
    """What goes in and what comes out."""
    kind = view.state.model.kind
    if kind == "encoder":
        return "Words go in at the left; each comes out at the right as a vector that knows the words around it."
    if has_stream(view):
        return "Words go in at the left; what comes next comes out at the right."
    if kind == "mlp":
        return "Numbers go in at the left, from neuron to neuron, and the answer comes out at the right."
    return "Each picture is made from those at its left."


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
    return (Choice("layer", "Layer drawn", options, chosen, asks, tip),)


def _step(player: Player) -> str:
    """What a pass that is played has come to; empty at its end."""
    if player.value == len(player.steps):
        return ""
    if not player.value:
        return "One pass, from the loss back to the words" if player.backward else "One pass, from the beginning"
    return f"Step {player.value} of {len(player.steps)}: <b>{escape(player.steps[player.value - 1])}</b>"


def _legend(view: View) -> str:
    """What the picture shows, as matrices show values, changes or gradients."""
    match view.looking.showing:
        case "change" if not view.last.label:
            return "Nothing has changed yet. Edit a number, a word or a switch, and see how far it reaches."
        case "change" | "step":
            return "What the last edit moved: the deeper a block, the larger the part of it that is different."
        case "gradient":
            return "How much the loss depends on each block: the deeper, the longer its gradient. A pass goes backward."
        case "difference":
            return "The deeper a block, the more it differs from the model beside."
    word = ", a word to follow it through the model" if has_stream(view) else ""
    return f"Click a block to see its numbers{word}. The wheel looks closer."
