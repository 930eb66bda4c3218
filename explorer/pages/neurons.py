"""A small net as neurons and the weights between them, for one example that goes through it."""

from collections.abc import Sequence

import numpy as np

from explorer.core.errors import written_shape
from explorer.core.gradients import LOSS
from explorer.core.numbers import alone, formatted, in_table
from explorer.core.ops import Array
from explorer.pages.amounts import amount
from explorer.pages.drawing import MUTED, TEXT, Axis, Box, Dot, Drawing, FlowLine, Mark, Segments, Words, series
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.levels import into
from explorer.pages.page import Choice, Number
from explorer.pages.view import Cell, View, row_of

ACROSS, DOWN, DISC, HALF = 136.0, 46.0, 16.0, 50.0
"""Between layers and between neurons, the radius of a neuron as the renderer draws it, and half a layer's width."""
MOST_UNITS, MOST_LEVELS, MOST_OPTIONS = 16, 6, 6
POSITIVE, NEGATIVE = series(1), series(0)


def is_small_net(view: View) -> bool:
    """Whether a model is a net whose neurons can be drawn one by one."""
    model = view.state.model
    return model.kind == "mlp" and all(_units(view, k) <= MOST_UNITS for k in range(model.layers + 1))


def _units(view: View, layer: int) -> int:
    return len(view.graph.axes[f"layer.{layer}"])


def example_choice(view: View) -> tuple[Element, ...]:
    """The example that goes through the net."""
    labels, row, key = view.labels("input"), view.row("input"), row_of("input")
    if len(labels) <= MOST_OPTIONS:
        asks = tuple(Keep(key, i) for i in range(len(labels)))
        return (Choice("example", "Example", labels, row, asks),)
    asks_one = _KeepFromOne(key)
    return (Number("example", "Example", row + 1, 1, len(labels), asks_one, "Example to follow"),)


class _KeepFromOne(Keep):
    """A place that is counted from 1 on the screen."""

    def at(self, value: int) -> Keep:
        return Keep(self.key, value - 1)


def neurons(view: View) -> tuple[Drawing, list[str]]:
    """The net, a column for each layer; and the node that each mark waits for."""
    layers, row = view.state.model.layers, view.row("input")
    names = ["input.X", *(f"layer.{k}.activation" for k in range(1, layers + 1))]
    most = max(_units(view, k) for k in range(layers + 1))
    high = most * DOWN
    marks: list[Mark] = []
    due: list[str] = []

    def add(some: Sequence[Mark], name: str) -> None:
        marks.extend(some)
        due.extend([name] * len(some))

    top, height = -high / 2 - 26.0, high + 52.0
    stages = {stage.name: stage for stage in view.graph.stages}
    for k, name in enumerate(names):
        stage = stages[view.nodes[name].stage]
        note, share = amount(view, name)
        title = "What goes in" if k == 0 else stage.title
        below = str(view.state.model.switch(f"layer.{k}", "activation")) if k else ""
        place = k * ACROSS - HALF, top, 2 * HALF, height
        tip = f"{stage.group}: {stage.title}\n{written_shape(view.values[name].shape)}, an example a row"
        said = f"{title}: {below}" if below else title
        add([Box(place, said, title, below if share is None else note, tip, into(view.graph, stage), share)], name)
    for k in range(1, layers + 1):
        add(_edges(view, k), names[k])
    for k, name in enumerate(names):
        add(_column(view, k, name, row), name)
    right = layers * ACROSS + HALF
    for name in ("decision.chosen", LOSS.node):
        if name in view.nodes:
            add(_after(view, name, right, row), name)
            right += 112.0
    summary = f"The net, with {', '.join(str(_units(view, k)) for k in range(layers + 1))} neurons from layer to layer"
    none = Axis(labels=())
    window = (-HALF - 56.0, right + 10.0, top - 6.0, top + height + 26.0)
    key = "ochre adds, blue and dashed takes away; the thicker, the more"
    add([Words(layers * ACROSS / 2, top + height + 14.0, key, MUTED, fixed=True, size=11.7)], "")
    return Drawing(tuple(marks), window, summary, none, none, down=True, square=True, zoom=True), due


def _y(units: int, j: int) -> float:
    return (j - (units - 1) / 2) * DOWN


def _edges(view: View, k: int) -> list[Mark]:
    """The weights into a layer, those of one sign and about one size together."""
    weights = view.shown(view.graph.place(f"layer.{k}.W"))
    if view.state.model.switch(f"layer.{k}", "weights") == "W x":
        weights = weights.T
    weights = np.nan_to_num(weights)
    size = float(np.abs(weights).max(initial=0.0)) or 1.0
    levels = np.ceil(np.abs(weights) / size * MOST_LEVELS).astype(int)
    into, out = weights.shape
    found: list[Mark] = []
    for sign, ink in ((1, POSITIVE), (-1, NEGATIVE)):
        for level in range(1, MOST_LEVELS + 1):
            starts, ends = np.nonzero((levels == level) & (np.sign(weights) == sign))
            if len(starts):
                lines: Array = np.array(
                    [
                        [[(k - 1) * ACROSS, _y(into, i)], [k * ACROSS, _y(out, j)]]
                        for i, j in zip(starts.tolist(), ends.tolist(), strict=True)
                    ]
                )
                width = (0.6 + 3.6 * level / MOST_LEVELS) * min(1.0, 5.0 / max(into, out))
                found.append(Segments(lines, ink, width, dashed=sign < 0))
    return found


def _column(view: View, k: int, name: str, row: int) -> list[Mark]:
    """The neurons of a layer, with the numbers of one example in them."""
    every, labels = view.shown(view.graph.place(name)), view.labels(f"layer.{k}")
    shown, size = every[row], float(np.abs(np.nan_to_num(every)).max(initial=0.0))
    found: list[Mark] = []
    for j, number in enumerate(np.asarray(shown, dtype=float).tolist()):
        y = _y(len(labels), j)
        share = min(abs(number) / size, 1.0) if size and np.isfinite(number) else 0.0
        told = in_table(number, 2)
        found.append(Dot(k * ACROSS, y, labels[j], cell=Cell(name, (row, j)), inside=told, share=share))
        if k == 0 or len(labels) == 1:
            found.append(Words(k * ACROSS, y + DISC + 7.5, labels[j], MUTED, fixed=True, size=11.7))
    if k == 0:
        label = view.labels("input")[row]
        found.append(Words(-HALF - 8.0, 0.0, label, TEXT, True, 1.0, size=12.0, strong=True))
    return found


def _after(view: View, name: str, left: float, row: int) -> list[Mark]:
    """A box behind the net: what was decided, or the loss."""
    stage = next(stage for stage in view.graph.stages if stage.name == view.nodes[name].stage)
    value, (note, share) = view.values[name], amount(view, name)
    number = float(value) if value.ndim == 0 else float(value[row, 0])
    told = alone(number) if value.ndim == 0 else formatted(number, "g")
    place = left + 24.0, -26.0, 84.0, 52.0
    return [
        FlowLine(((left, 0.0), (left + 24.0, 0.0)), TEXT, 1.8),
        Box(
            place,
            stage.title,
            stage.title,
            told if share is None else note,
            stage.title,
            into(view.graph, stage),
            share,
        ),
    ]
