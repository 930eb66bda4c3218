"""The page of a net as a playground: its cases, its answers to these and to other inputs, its weights, and descent.

The page of gradient descent by hand: one step, many steps, or a run, and back; and the loss over two weights, with all
else unchanged: on a coarse grid first, then finer, with its round levels.
"""

from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter

import numpy as np

from explorer.core.engine import Engine, same_bytes
from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, LOSS, TARGET, Stage
from explorer.core.model import SWITCHES
from explorer.core.ops import Array
from explorer.document.commands import SetSwitch
from explorer.document.document import Document
from explorer.pages.compose import matrices, switch_bar
from explorer.pages.controls import Button, Controls
from explorer.pages.drawing import extent
from explorer.pages.element import Element
from explorer.pages.gestures import Do
from explorer.pages.matrix import matrix
from explorer.pages.model.changes import WIDE as WIDE_LIST
from explorer.pages.model.changes import given, moving
from explorer.pages.page import DescentPart, Item, Note, Row, Section, Stack
from explorer.pages.stages.net_answers import Net, net_picture
from explorer.pages.view import Cell, View
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
)
SWITCHED_OFF = "The loss of this model is switched off, so there is no loss to make smaller."
NONE = (
    "This model has no loss to make smaller: it computes, but learns nothing. To see a model learn, open “XOR” "
    "on the page “Lessons”."
)


CELLS, ONE_LINE, WITH_NET, MANY = 680, 1030, 1400, 12
"""The width of the cells from which the surface's two weights are chosen, below the curve and the surface; the page
width from which on they take all of it, because all pictures share one line, without and with the picture of a net (or
with a list of more than `MANY` moving blocks).
"""


def descent(view: View, stage: Stage) -> tuple[Element, ...]:
    """The controls, the curve of the loss, the loss surface, the answers of a net, and the weights that move."""
    if LOSS not in view.nodes:
        off = "loss" in view.state.model.blocks()
        way = (
            (Note("no loss", SWITCHED_OFF), Controls("way to a loss", (LOSS_ON,))) if off else (Note("no loss", NONE),)
        )
        return *way, *given(view), whole_below(view)
    steps = view.steps
    moves = tuple(steps.moves) if steps is not None else ()
    quick, ready = (steps.quick, steps.ready) if steps is not None else (True, True)
    example = view.state.lesson
    slow = () if quick else (Note("slow", SLOW if ready else f"{SLOW} {COMPUTING}"),)
    pictures: list[Element] = [Stack("loss", "Loss", (DescentPart("curve", "curve", (example,), 340, 260),))]
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


# The loss over two weights


FINEST = 65
"""Points along each side of the finest grid."""
TOGETHER, AT_ONCE = 8_000_000, 81
"""Multiply-adds of the passes that are computed together, a millisecond or two; and the most points of them."""
NEAR, FAR = 4, 16
"""The coarsest grid has every fourth point of the finest one if passes go together, otherwise every sixteenth."""
TOO_LARGE = 20
"""A window so many times larger than the points need gives way: in it a run that is mended cannot be seen."""


class Window(Frozen):
    """The part of the plane of two weights that the picture shows."""

    left: float
    right: float
    bottom: float
    top: float

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies in the window."""
        return self.left <= x <= self.right and self.bottom <= y <= self.top


class LossGrid:
    """Losses at the points of a grid, computed from the engine's values at the time when the grid was made.

    `cells`: cells of inputs: that of the horizontal axis and that of the vertical one.
    """

    def __init__(self, document: Document, cells: Sequence[Cell], window: Window) -> None:
        self.cells, self.window = tuple(cells), window
        self._document, self._state = document, document.state
        now = document.engine
        self._engine = Engine(now.graph, now.values, now.pins)
        self._all = np.full((FINEST, FINEST), np.nan)
        self._across = np.linspace(window.left, window.right, FINEST)
        self._up = np.linspace(window.bottom, window.top, FINEST)
        # `x`, `y`: where the points of `surface` are, (n,) and (n,).
        # `surface`: the losses of the finest complete grid, (n, n), lowest row first; (0, 0) before there is one.
        self.x, self.y, self.surface = self._across[:0], self._up[:0], self._all[:0, :0]
        self._points = self._go()
        self.whole = False

    def at(self, x: float, y: float) -> float:
        """The loss at one point."""
        return float(self._engine.what_if(moved(self._engine.values, self.cells, (x, y)), LOSS))

    def more(self, until: float, coarse: bool = False) -> bool:
        """Compute more points until a time (`time.perf_counter`).

        `coarse`: stop after the coarsest grid.
        Returns whether `surface` has become finer.
        """
        before = len(self.x)
        while not (self.whole or (coarse and len(self.x))):
            self.whole = next(self._points, None) is None
            if perf_counter() >= until:
                break
        return len(self.x) != before

    def fits(self) -> bool:
        """Whether nothing of the document but the two cells has changed since the grid was made."""
        then, now = self._state, self._document.state
        if then is now:
            return True
        if then.graph is not now.graph or dict(then.pins) != dict(now.pins):
            return False
        return all(self._same(name, then.inputs[name], array) for name, array in now.inputs.items())

    def _same(self, name: str, then: Array, now: Array) -> bool:
        if then is now:
            return True
        chosen = [cell.index for cell in self.cells if cell.node == name]
        now = now.copy() if chosen else now
        for index in chosen:
            now[index] = then[index]
        return same_bytes(then, now)

    def _go(self) -> Iterator[bool]:
        graph = self._engine.graph
        work = sum(graph.work[name] for name in graph.towards(LOSS))
        together = min(max(TOGETHER // max(work, 1), 1), AT_ONCE)
        every = NEAR if together > 1 else FAR
        while every:
            wanted = [(i, j) for i in range(0, FINEST, every) for j in range(0, FINEST, every)]
            missing = [(i, j) for i, j in wanted if np.isnan(self._all[i, j])]
            for start in range(0, len(missing), together):
                some = missing[start : start + together]
                to = [(float(self._across[j]), float(self._up[i])) for i, j in some]
                found = self._engine.what_ifs([moved(self._engine.values, self.cells, point) for point in to], LOSS)
                self._all[tuple(zip(*some, strict=True))] = np.where(np.isnan(found), np.inf, found)
                yield True
            self.x, self.y = self._across[::every], self._up[::every]
            self.surface = self._all[::every, ::every].copy()
            every //= 2


def moved(values: Mapping[str, Array], cells: Sequence[Cell], to: Sequence[float]) -> dict[str, Array]:
    """Copies of the arrays that contain the given cells, with new numbers in those cells."""
    arrays: dict[str, Array] = {}
    for cell, number in zip(cells, to, strict=True):
        if cell.node not in arrays:
            arrays[cell.node] = values[cell.node].copy()
        with np.errstate(over="ignore"):
            arrays[cell.node][cell.index] = number
    return arrays


def steepest(document: Document, weights: Sequence[str]) -> tuple[Cell, ...]:
    """The two cells with the largest gradients; fewer if there are fewer."""
    gradients = document.engine.gradients().several(weights)
    found: list[tuple[float, int, Cell]] = []
    for order, (name, gradient) in enumerate(gradients.items()):
        sizes = np.nan_to_num(np.abs(gradient), nan=0.0).ravel()
        for _ in range(min(2, sizes.size)):
            place = int(sizes.argmax())
            index = tuple(int(i) for i in np.unravel_index(place, gradient.shape))
            found.append((-float(sizes[place]), order, Cell(name, index)))
            sizes[place] = -1
    return tuple(cell for _, _, cell in sorted(found, key=lambda one: one[:2])[:2])


def around(points: Array, before: Window | None) -> Window:
    """The window that shows all points with a margin. The window before stays while they are in it and not tiny there.

    `points`: (n, 2).
    """
    low, high = extent(points)
    middle = (low + high) / 2
    # Equally wide and high, so that the same slope looks the same in both directions.
    half = max(float((high - low).max()) * 0.8, 0.15 * float(np.abs(middle).max()), 1.0)
    shows_all = before is not None and before.contains(*low.tolist()) and before.contains(*high.tolist())
    if before is not None and shows_all and before.right - before.left < 2 * TOO_LARGE * half:
        return before
    return Window(middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half)


def levels(surface: Array, most: int = 9) -> list[float]:
    """Round numbers between the lowest and the highest of a surface."""
    finite = surface[np.isfinite(surface)]
    if not finite.size:
        return []
    low, high = float(finite.min()), float(finite.max())
    if not high > low:
        return []
    if low > 0 and high / low > 8:
        powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        series = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        series = [level for level in series if low < level < high]
        series = series if len(series) <= most else series[:: 3 * (-(-len(series) // (3 * most)))]
    else:
        rough = (high - low) / most
        power = 10.0 ** np.floor(np.log10(rough))
        step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough)
        series = [k * step for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
    return [float(f"{level:.6g}") for level in series if low < level < high]
