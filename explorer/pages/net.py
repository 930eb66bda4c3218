"""A net as a playground: its cases, its answers to them and to all others, its weights and descent, on one page."""

from explorer.core.gradients import LOSS
from explorer.core.graph import Stage
from explorer.pages.element import Element
from explorer.pages.header import switch_bar
from explorer.pages.matrix import matrix
from explorer.pages.net_answers import TARGET, Net, net_picture
from explorer.pages.page import Descent, Item, Row, Section, Stack
from explorer.pages.view import CASES, View

STEPS = 262
"""Pixels of the controls of descent: so narrow that they stand beside the picture in a window of 1024 pixels."""
BESIDE = 310
"""Pixels of a column beside the picture: at twice the text W and b of one layer stand beside each other in it."""


def net(view: View, stage: Stage) -> tuple[Element, ...]:
    """The space that the cases are points of, painted with the answers, beside the weights that make them."""
    elements: list[Element] = []
    picture = net_picture(view)
    if picture is not None:
        columns: list[Element] = [picture]
        if LOSS.node in view.nodes:
            columns.append(Stack("descent", "Gradient descent", (Descent("steps", "steps", width=STEPS),), STEPS))
        # Beside a picture that is less wide a column of weights fits on the same line.
        columns.append(Stack("weights", "Weights", _weights(view), BESIDE if Net(view).features == 2 else 0))
        elements += [
            Row("playground", tuple(Item("", column) for column in columns)),
            Section("cases", "The cases: each row is a case"),
        ]
    items = [
        Item("", matrix(view, CASES, "each case")),
        Item("→", matrix(view, Net(view).output, "what the net answers")),
    ]
    if TARGET in view.nodes:
        items.append(Item("", matrix(view, TARGET, "what would be right")))
    return (*elements, Row("cases and answers", tuple(items)))


def net_sentence(view: View, stage: Stage) -> str:
    """What the picture shows, if there is one."""
    match Net(view).features:
        case 2:
            return "Each case is a point; the colour is what the net answers there."
        case 1:
            return "Each case is a point; the curve is what the net answers."
    return "Each case is a row; beside it stands what the net answers."


def _weights(view: View) -> tuple[Element, ...]:
    """The weights, layer by layer, which can be edited at any time."""
    parts: list[Element] = []
    for block, kind in view.state.model.blocks().items():
        name = {"layer": "activation", "regression": "on"}.get(kind)
        if name is None:
            continue
        title = f"Layer {block.rpartition('.')[2]}" if kind == "layer" else "Beside the net"
        inside: list[Element] = [switch_bar(view, block, (name,), everywhere=False)]
        items = [Item("", matrix(view, one)) for one in (f"{block}.W", f"{block}.b") if one in view.nodes]
        if items:
            inside.append(Row(f"weights of {block}", tuple(items)))
        parts.append(Stack(f"part {block}", title, tuple(inside)))
    return tuple(parts)
