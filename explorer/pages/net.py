"""A net as a playground: its cases, its answers to them and to all others, its weights and descent, on one page.

A weight that is watched while a model learns, as colours.

Gradient descent by hand: a step, many steps, or left to run; and back.
"""

import numpy as np

from explorer.core.errors import written_shape
from explorer.core.gradients import LOSS
from explorer.core.graph import Place, Stage
from explorer.core.numbers import written
from explorer.core.switches import SWITCHES
from explorer.document.commands import SetSwitch
from explorer.pages.changes import given
from explorer.pages.compose import matrices
from explorer.pages.drawing import SIGNED, TEXT, Axis, Drawing, Image, Words, drawable
from explorer.pages.element import Element
from explorer.pages.gestures import Do
from explorer.pages.header import switch_bar
from explorer.pages.matrix import matrix
from explorer.pages.net_answers import TARGET, Net, net_picture
from explorer.pages.page import Button, Controls, Descent, Item, Note, Row, Section, Stack
from explorer.pages.view import CASES, View
from explorer.pages.whole import whole_below

MOST_NUMBERS, MOST_ACROSS = 32, 8
"""Up to so many numbers, and so many in a row, are written into their colours."""


def weight_map(view: View, name: str) -> Drawing:
    """An input as colours centred on 0 and full at its largest number; stacked heads stand below each other.

    `name`: of a node; of one that the graph does not have there is an empty drawing.
    """
    if name not in view.nodes:
        return Drawing((), (0.0, 1.0, 0.0, 1.0), "no weight", down=True)
    array, axes = view.values[name], view.nodes[name].axes
    flat = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    rows = view.labels(axes[0]) if array.ndim == 2 else tuple(str(i + 1) for i in range(len(flat)))
    limit = full(view, name)
    height, width = (float(n) for n in flat.shape)
    node = Place(name) if array.ndim == 2 else None
    # Few numbers have room to be read: of numbers that are alike, the colour alone tells nothing.
    numbers = tuple(
        Words(j + 0.5, i + 0.5, written(float(number), 2), TEXT, fixed=True)
        for (i, j), number in np.ndenumerate(flat)
        if flat.size <= MOST_NUMBERS and width <= MOST_ACROSS and drawable(float(number))
    )
    image = Image(flat, limit, colours=SIGNED, place=(0.0, 0.0, width, height), node=node)
    summary = f"{name}, {written_shape(array.shape)}, largest {written(limit, 3)}"
    columns = view.labels(axes[-1])
    return Drawing(
        (image, *numbers),
        (0.0, width, 0.0, height),
        summary,
        Axis("", columns, most=10),
        Axis("", rows, most=12),
        down=True,
    )


def full(view: View, name: str) -> float:
    """The size of number at which the colour of `weight_map` is full."""
    array = view.values.get(name)
    finite = array[np.isfinite(array)] if array is not None else np.zeros(0)
    return float(np.abs(finite).max(initial=0.0)) or 1.0


SLOW = (
    "A step takes some time in a model of this size, and the loss over two weights takes longer; you can go on "
    "working. The page “Train” trains the model in a process of its own."
)
FIRST = "The gradients are being computed."
SWITCHED_OFF = "The loss of this model is switched off, so there is no loss to make smaller."
NONE = (
    "This model has no loss to make smaller: it computes, but learns nothing. To see a model learn, open “XOR” "
    "on the page “Lessons”."
)


CELLS, ONE_LINE, WITH_NET, MANY = 680, 1030, 1400, 12
"""Pixels of the weights that the two of the surface are chosen from: they stand below the curve and the surface, and
across a page of so many, in which all pictures share one line: those of a net are one more. Beside a list of more than
so many blocks that move there is room for them below the pictures.
"""


def descent(view: View, stage: Stage) -> tuple[Element, ...]:
    """The controls, the loss on the way, the surface that it goes down, what a net answers, and what moves."""
    if LOSS.node not in view.nodes:
        return _nothing(view)
    steps = view.steps
    moves = tuple(steps.moves) if steps is not None else ()
    quick, ready = (steps.quick, steps.ready) if steps is not None else (True, True)
    example = view.state.lesson
    slow = () if quick else (Note("slow", SLOW if ready else f"{SLOW} {FIRST}"),)
    pictures: list[Element] = [Stack("loss", "Loss", (Descent("curve", "curve", (example,), 340, 260),))]
    cells: list[Element] = []
    net = net_picture(view)
    if ready and sum(np.size(view.values[name]) for name in moves) > 1:
        shapes = view.part(("shapes", moves), (), lambda: tuple((name, view.values[name].shape) for name in moves))
        surface = Descent("surface", "surface", (example, shapes), 330, 310)
        pictures.append(Stack("loss over two weights", "Loss over two weights", (surface,)))
        long = len({name.rpartition(".")[0] for name in moves}) > MANY
        all_from = WITH_NET if long or net is not None else ONE_LINE
        cells = [Descent("cells", "cells", (example, shapes), CELLS, 60, all_from)]
    if net is not None:
        pictures.append(net)
    weights = Stack("what moves", "What moves", (Descent("weights", "weights", (example, moves), 340),))
    return (
        Descent("steps", "steps"),
        *slow,
        Row("pictures", tuple(Item("", picture) for picture in (*pictures, weights, *cells))),
    )


def _nothing(view: View) -> tuple[Element, ...]:
    """Why there is nothing to go down, and the way to where there is."""
    if "loss" not in view.state.model.blocks():
        return Note("no loss", NONE), *given(view), whole_below(view)
    on = Do(SetSwitch("loss", "loss", SWITCHES["loss"]["loss"].default))
    button = Button("loss on", "Switch the loss on", on, "For a model that writes, of the next words")
    return Note("no loss", SWITCHED_OFF), Controls("way to a loss", (button,)), *given(view), whole_below(view)


def regression(view: View, stage: Stage) -> tuple[Element, ...]:
    """The line beside the examples that it is for, and the numbers that it is computed from."""
    *read, title, here = matrices(view, stage)
    picture = net_picture(view, line=True)
    if picture is None:
        return (*read, title, here)
    found = Stack("found", "From the examples", (here,))
    return Row("line", (Item("", picture), Item("", found))), *read


STEPS = 262
"""Pixels of the controls of descent: so narrow that they stand beside the picture in a window of 1024 pixels."""
WIDE = 920
"""Pixels of a curve, which has the width of the page."""
BESIDE = 310
"""Pixels of a column beside the picture: at twice the text W and b of one layer stand beside each other in it."""


def net(view: View, stage: Stage) -> tuple[Element, ...]:
    """The space that the cases are points of, painted with the answers, beside the weights that make them."""
    elements: list[Element] = []
    # A curve is as wide as the page: the controls stand below it. Beside a surface a column of weights fits, too.
    beside = Net(view).features == 2
    picture = net_picture(view) if beside else net_picture(view, width=WIDE)
    if picture is not None:
        learns = LOSS.node in view.nodes
        steps = Stack("descent", "Gradient descent", (Descent("steps", "steps", width=STEPS * beside),), STEPS * beside)
        weights = Stack("weights", "Weights", _weights(view), BESIDE * beside)
        columns = (picture, steps, weights) if learns else (picture, weights)
        elements += [Row("playground", tuple(Item("", column) for column in columns))] if beside else columns
        elements.append(Section("cases", "The cases: each row is a case"))
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
