"""The page of a net as a playground: its cases, its answers to these and to other inputs, its weights, and descent.

The page of gradient descent by hand: one step, many steps, or a run, and back.
"""

import numpy as np

from explorer.core.graph import CASES, LOSS, TARGET, Stage
from explorer.core.model import SWITCHES
from explorer.document.commands import SetSwitch
from explorer.pages.compose import matrices, switch_bar
from explorer.pages.controls import Button, Check, Controls
from explorer.pages.element import Element
from explorer.pages.gestures import Do, Keep
from explorer.pages.matrix import matrix
from explorer.pages.model.changes import WIDE as WIDE_LIST
from explorer.pages.model.changes import given, moving
from explorer.pages.page import DescentPart, Item, Note, Row, Section, Stack
from explorer.pages.stages.net_answers import Net, net_picture
from explorer.pages.view import View
from explorer.pages.whole.page import whole_below

SLOW = (
    "A step takes some time in a model of this size, and the loss over two weights takes longer; you can go on "
    "working. The page “Train” trains the model in a process of its own."
)
COMPUTING = "The gradients are being computed."
LOSS_ON = Button(
    "loss on",
    "Switch the loss on",
    Do(SetSwitch("loss", "loss", SWITCHES["loss"]["loss"].default)),
    "For a model that writes, of the next words",
    primary=True,
    wraps=True,
)
SWITCHED_OFF = "The loss of this model is switched off, so there is no loss to make smaller."
NONE = (
    "This model has no loss to make smaller: it computes, but learns nothing. To see a model learn, open “XOR” "
    "on the page “Lessons”."
)

LOG = "Logarithmic scale"
TENTHS = "A logarithmic scale: 1, 0.1 and 0.01 have equal distances, so that small losses can be read"

CELLS, ONE_LINE, WITH_NET, MANY = 680, 1030, 1400, 12
"""The width of the cells from which the surface's two weights are chosen, below the curve and the surface; the page
width from which on they take all of it, because all pictures share one line, without and with the picture of a net (or
with a list of more than `MANY` moving blocks).
"""


def descent(view: View, stage: Stage) -> tuple[Element, ...]:
    """The controls, the curve of the loss, the loss surface, the answers of a net, and the weights that move."""
    if LOSS not in view.nodes:
        way: tuple[Element, ...] = (Note("no loss", NONE),)
        if "loss" in view.state.model.blocks():
            way = Note("no loss", SWITCHED_OFF), Controls("way to a loss", (LOSS_ON,))
        return *way, *given(view), whole_below(view)
    steps = view.steps
    moves = tuple(steps.moves) if steps is not None else ()
    quick, ready = (steps.quick, steps.ready) if steps is not None else (True, True)
    example = view.state.lesson
    slow = () if quick else (Note("slow", SLOW if ready else f"{SLOW} {COMPUTING}"),)
    log = view.chosen(LOG, False)
    curve = DescentPart("curve", "curve", (example,), 340, 230, log=log), Check(LOG, LOG, log, Keep(LOG), TENTHS)
    pictures: list[Element] = [Stack("loss", "Loss", curve)]
    cells: list[Element] = []
    net = net_picture(view)
    if ready and sum(np.size(view.values[name]) for name in moves) > 1:
        shapes = view.part(("shapes", moves), (), lambda: tuple((name, view.values[name].shape) for name in moves))
        surface = DescentPart("surface", "surface", (example, shapes), 330, 310)
        pictures.append(Stack("loss over two weights", "Loss over two weights", (surface,)))
        long = len({name.rpartition(".")[0] for name in moves}) > MANY
        all_from = WITH_NET if long or net is not None else ONE_LINE
        cells = [DescentPart("cells", "cells", (example, shapes), CELLS, 60, all_from)]
    if net is not None:
        pictures.append(net)
    list_of_all = moving(view, steps.moves if steps is not None else {}, measured=True)
    weights = Stack("what moves", "What moves", (list_of_all,), WIDE_LIST)
    return (
        DescentPart("steps", "steps"),
        *slow,
        Row.of("pictures", (*pictures, weights, *cells)),
    )


def regression(view: View, stage: Stage) -> tuple[Element, ...]:
    """The picture of the straight line and the examples, and the numbers that the line is computed from."""
    *read, title, here = matrices(view, stage)
    picture = net_picture(view, line=True)
    if picture is None:
        return (*read, title, here)
    found = Stack("found", "From the examples", (here,))
    return Row.of("line", (picture, found)), *read


STEPS = 262
"""The width of the controls of descent: narrow enough for a place beside the picture in a window of 1024 pixels."""
WIDE = 920
"""The width of a curve: that of the page."""
BESIDE = 310
"""The width of a column beside the picture: even in double text size it holds W and b of a layer side by side."""


def net(view: View, stage: Stage) -> tuple[Element, ...]:
    """The picture of the cases as points, painted with the net's answers, beside the weights; then the matrices."""
    elements: list[Element] = []
    # A curve is as wide as the page, so the controls stand below it. A surface leaves room beside it.
    beside = Net(view).features == 2
    picture = net_picture(view) if beside else net_picture(view, width=WIDE)
    if picture is not None:
        learns, controls = LOSS in view.nodes, DescentPart("steps", "steps", width=STEPS * beside)
        steps = Stack("descent", "Gradient descent", (controls,), STEPS * beside)
        weights = Stack("weights", "Weights", _weights(view), BESIDE * beside)
        columns = (picture, steps, weights) if learns else (picture, weights)
        elements += [Row.of("playground", columns)] if beside else columns
        elements.append(Section("cases", "The cases: each row is a case"))
    items = [
        Item("", matrix(view, CASES, "each case")),
        Item("→", matrix(view, Net(view).output, "what the net answers")),
    ]
    if TARGET in view.nodes:
        items.append(Item("", matrix(view, TARGET, "what would be right")))
    return (*elements, Row("cases and answers", tuple(items)))


def net_sentence(view: View, stage: Stage) -> str:
    """One sentence on what the picture or the rows show."""
    match Net(view).features:
        case 2:
            return "Each case is a point; the colour is what the net answers there."
        case 1:
            return "Each case is a point; the curve is what the net answers."
    return "Each case is a row; beside it stands what the net answers."


def _weights(view: View) -> tuple[Element, ...]:
    parts: list[Element] = []
    for block, kind in view.state.model.blocks().items():
        name = {"layer": "activation", "regression": "on"}.get(kind)
        if name is None:
            continue
        title = f"Layer {block.rpartition('.')[2]}" if kind == "layer" else "Beside the net"
        inside: list[Element] = [switch_bar(view, block, (name,), everywhere=False)]
        weights = [matrix(view, one) for one in (f"{block}.W", f"{block}.b") if one in view.nodes]
        if weights:
            inside.append(Row.of(f"weights of {block}", weights))
        parts.append(Stack(f"part {block}", title, tuple(inside)))
    return tuple(parts)
