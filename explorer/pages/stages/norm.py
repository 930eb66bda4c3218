"""The page of add & norm: the residual sum, and each row brought to mean 0 and variance 1, then times γ, plus β.

The page of the examples: each example as a point in the plane, and the point that each norm makes of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.graph import Cell, Node, Stage
from explorer.core.numbers import NEARLY_ZERO, decimals_of, exact, in_table, with_power, written
from explorer.core.ops import Array
from explorer.pages.drawing import ACCENT, DRAWABLE, Axis, Dot, Drawing, Strips, drawable, extent, series
from explorer.pages.element import Element
from explorer.pages.gestures import MoveTo, decimals_in
from explorer.pages.matrix import COVERED, matrix
from explorer.pages.page import NUMBER, Column, Entry, Item, Line, Lines, Listing, Note, Picture, Row, Section, Stack
from explorer.pages.view import View

MOST_ACROSS = 60
"""With more examples, points could not be told apart."""
SPARE = 0.25
"""The margin around the points, as a part of the distance between the outermost ones."""


def examples(view: View, stage: Stage) -> tuple[Element, ...]:
    """The examples as numbers and, if they have two features, as points before and after each norm."""
    (own,) = view.stage(stage.name)
    numbers = Row.of("examples", (matrix(view, own.name),))
    rows, features = view.graph.shape(own.name)
    if features != 2 or rows > MOST_ACROSS:
        return (numbers,)
    made = [node for node in view.nodes.values() if own.name in node.parents and node.axes == own.axes]
    planes = [_plane(view, own.name, "As they are: drag one", True)]
    planes += [_plane(view, node.name, f"After {view.stages[node.stage].title.lower()}", False) for node in made]
    return numbers, Row.of("planes", planes)


def _plane(view: View, name: str, title: str, drags: bool) -> Stack:
    """The rows of a node as points in a plane; with `drags`, dragging a point edits its row."""
    array, node = view.values[name], view.nodes[name]
    labels, features = (view.labels(axis) for axis in node.axes)
    window, dots, ink = _window(array), [], ACCENT if drags else series(0)
    for i, (x, y) in enumerate(array.tolist()):
        if drawable(x, y):
            cells = Cell(name, (i, 0)), Cell(name, (i, 1))
            drag = MoveTo((name, (i, 0)), (name, (i, 1)), decimals_in(window)) if drags else None
            dots.append(Dot(x, y, labels[i], ink, cell=cells[0], also=cells[1:], drag=drag))
    told = "; ".join(f"{dot.name} ({written(dot.x, 2)}, {written(dot.y, 2)})" for dot in dots)
    across, up = (Axis(feature, grid=True) for feature in features)
    drawing = Drawing(tuple(dots), window, f"{title}: {told}", across, up)
    return Stack(f"plane of {name}", title, (Picture(f"points of {name}", drawing, 236, 245),))


def _window(points: Array) -> tuple[float, float, float, float]:
    """A window around the points with a margin: left, right, bottom, top."""
    low, high = extent(points)
    room = np.where(high > low, high - low, 2.0) * SPARE
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    return left, right, bottom, top


AFTER = 4
STRIP, LEAST, MOST = 28, 120, 760  # pixels
NAMED = 12  # strips that the summary lists


def norm(view: View, stage: Stage) -> tuple[Element, ...]:
    """The sum x + sublayer = R; the norm of R with γ and β, N; the numbers of each row before and after."""
    added, measured = _parts(view, stage)
    elements: list[Element] = []
    if added is not None:
        before, block = added.parents
        made = Item("+", matrix(view, block, f"made of it: {view.nodes[block].short}"))
        terms = _came_in(view, before), made, Item("=", matrix(view, added.name))
        elements += [Section("add", "Add: what came in, and the output of the block"), Row("sum", terms)]
    if measured is not None:
        elements += _norm(view, measured, added)
    return tuple(elements)


def norm_sentence(view: View, stage: Stage) -> str:
    """One sentence on the stage: switches may leave only the sum, or only the norm."""
    added, measured = _parts(view, stage)
    if measured is None:
        return "The output of the block is added, row by row, to what came in."
    op: Any = measured.op
    which = "Each column, over all examples," if op.axis == -2 else "Each row"
    then = f"{which} is brought to {op.aim}, then {'stretched and moved' if op.moves else 'stretched'}."
    return f"The output of the block is added to what came in. {then}" if added is not None else then


def _parts(view: View, stage: Stage) -> tuple[Node | None, Node | None]:
    """The nodes of the residual sum and of the norm of a stage; None for one that is missing."""
    mine = view.stage(stage.name)
    added = next((node for node in mine if node.short == "residual"), None)
    return added, next((node for node in mine if node.op.normalises), None)


def _norm(view: View, node: Node, added: Node | None) -> tuple[Element, ...]:
    x, gamma, *beta = node.parents
    given = () if added is not None and x == added.name else (_came_in(view, x),)
    weights = [Item("," if given else "", matrix(view, gamma, "stretches"))]
    weights += [Item(",", matrix(view, b, "moves")) for b in beta]
    found = measured(view, node.name)
    strips = [
        Stack(f"{title.lower()} the norm", title, (_picture(view, found, title, after),))
        for title, after in (("Before", False), ("After", True))
    ]
    listing, what = _listing(found), "column" if found.axis else "row"
    strips.append(Stack("measured", listing.name, (listing,)))
    of_row, scales = f"Dots: the numbers of a {what}. Line: ", "Each picture has its own scale."
    said = f"{of_row}0. Band: 0 ± RMS. {scales}"
    if found.op.centres:
        zero = f" {NEARLY_ZERO}: the mean is 0, except for rounding." if found.rounded.any() else ""
        said = f"{of_row}their mean. Band: the mean ± σ. {scales}{zero}"
    return (
        Section("norm", f"Norm: {found.op.aim}"),
        Row("normed", (*given, *weights, Item("→" if given else "", matrix(view, node.name)))),
        Note("how", _how(found.op)),
        Section("before and after", "Before and after"),
        Row.of("distributions", strips),
        Note("legend", said),
    )


class Measured(Frozen):
    """Moments before and after a norm, measured by the op of the norm."""

    op: Any
    names: tuple[str, str]  # the nodes before and after
    arrays: tuple[Array, Array]  # their values
    moments: tuple[Any, Any]  # their moments, from `op.moments`
    axis: int  # 0: each row is measured; 1: each column
    labels: tuple[str, ...]  # of these rows or columns
    rounded: Array  # which means after the norm are 0 but for rounding
    # The rows (or columns) of which an open question asks a number: their moments, steps on the way to it, stay hidden.
    asked: frozenset[int] = frozenset()


def measured(view: View, name: str) -> Measured:
    """The moments before and after the norm with this name."""
    node = view.nodes[name]
    op: Any = node.op
    axis = 1 if op.axis == -2 else 0
    names = node.parents[0], name
    arrays = view.values[names[0]], view.values[name]
    with np.errstate(all="ignore"):  # as in the engine
        moments = op.moments(arrays[0]), op.moments(arrays[1])
        rounded = _rounded(*arrays, *moments, view.values[node.parents[1]], 1 - axis)
    asked = frozenset(index[axis] for index in view.looking.covered.values.get(name, ()))
    return Measured(op, names, arrays, moments, axis, view.labels(node.axes[axis]), rounded, asked)


def _rounded(x: Array, array: Array, before: Any, after: Any, gamma: Array, along: int) -> Array:
    """Which means after the norm are 0 but for rounding.

    The mean before has a rounding error in its last digit. After it is subtracted, the division by σ and the factor γ
    also scale that error.
    """
    stretched = np.abs(x).max(along, initial=0) / np.ravel(before.sigma) * np.abs(gamma).max(initial=0)
    sizes = stretched + np.abs(array).max(along, initial=0)
    mean = np.ravel(after.mean)
    small: Array = (mean != 0) & (np.abs(mean) <= array.shape[along] * np.finfo(array.dtype).eps * sizes)
    return small


def _how(op: Any) -> str:
    epsilon = with_power(f"{op.epsilon:g}")
    named = f"ε\u00a0=\u00a0{epsilon}"  # no line ends within it
    size = "σ" if op.centres else "RMS"
    divisor = f"√({size}² + {epsilon})" if op.inside else f"{size} + {epsilon}"
    which = "column" if op.axis == -2 else "row"
    minus = "minus its mean μ, " if op.centres else ""
    stretch = f"times ({op.offset:g} + γ)" if op.offset else "times γ"
    steps = f"Each {which}: {minus}divided by {divisor}, {stretch}{', plus β' if op.moves else ''}."
    if not op.centres:
        steps += " RMS is the root of the mean of the squares."
    if not op.epsilon:
        equal = "equal numbers" if op.centres else "zeros"
        return f"{steps} With ε = 0 nothing keeps a {which} of {equal} from a division by 0."
    place = "inside the root" if op.inside else f"added to {size}"
    equal, left = ("equal numbers", "variance") if op.centres else ("zeros", "mean square")
    return (
        f"{steps} {named}, {place}, keeps a {which} of {equal} from a division by 0; where {size} is small, it "
        f"leaves the {left}, before γ stretches it, below 1."
    )


def _picture(view: View, found: Measured, title: str, after: bool) -> Picture:
    """A strip for each row, or column; all strips of a picture share one scale, which covers all finite numbers."""
    name, array, moments = found.names[after], found.arrays[after], found.moments[after]
    with np.errstate(all="ignore"):
        mean, sigma = np.ravel(moments.mean), np.sqrt(np.ravel(moments.variance))
        seen = np.concatenate([array.ravel(), mean - sigma, mean + sigma])
        near = seen[np.abs(seen) < DRAWABLE]
    low, high = (float(near.min()), float(near.max())) if near.size else (-1.0, 1.0)
    room = (high - low) * 0.06 or 1.0
    n = len(found.labels)
    size = "σ" if found.op.centres else "RMS"
    means = [NEARLY_ZERO if after and zero else written(m, 3) for m, zero in zip(mean, found.rounded, strict=True)]
    each = [
        (f"{label}: mean {m}, " if found.op.centres else f"{label}: ") + f"{size} {written(s, 3)}"
        for row, (label, m, s) in enumerate(zip(found.labels[:NAMED], means, sigma.tolist(), strict=False))
        if row not in found.asked
    ]
    token = view.nodes[name].axes[found.axis]
    drawing = Drawing(
        (Strips(name, array, mean, sigma, found.axis, token),),
        (low - room, high + room, 0.0, float(n)),
        f"Distribution of {name}. {'; '.join(each)}",
        Axis(grid=True),
        Axis(labels=found.labels, most=40, token=token),
        down=True,
    )
    return Picture(f"strips {title.lower()}", drawing, 330, min(max(40 + n * STRIP, LEAST), MOST))


def _line(
    name: str,
    labels: Sequence[str],
    numbers: Array,
    rounded: Array,
    asked: frozenset[int],
    axis: int,
    decimals: Sequence[int],
    row: int,
) -> Line:
    """The mean and variance of a row, or column, before and after."""
    cell = Cell(name, (0, row) if axis else (row, 0))
    if row in asked:
        return Line((Entry(labels[row]), *(Entry(COVERED) for _ in decimals)), cell)
    entries = [Entry(labels[row], tip=labels[row])]
    for column, number in enumerate(numbers[row].tolist(), 1):
        zero = column == AFTER and rounded[row]
        entries.append(Entry(NEARLY_ZERO if zero else in_table(number, decimals[column - 1]), tip=exact(number)))
    return Line(tuple(entries), cell)


def _listing(found: Measured) -> Listing:
    before, after = found.moments
    # ε stands inside or outside the root, as the switch says.
    if found.op.centres:
        divisor = "divided by √(σ² + ε)" if found.op.inside else "divided by σ + ε"
        what, titles = "Mean and variance", ["mean μ before", "σ² before", divisor, "mean after", "σ² after"]
        parts = [before.mean, before.variance, before.sigma, after.mean, after.variance]
    else:
        divisor = "divided by √(RMS² + ε)" if found.op.inside else "divided by RMS + ε"
        what, titles = "Mean square", ["mean square before", divisor, "mean square after"]
        parts = [before.variance, before.sigma, after.variance]
    numbers = np.stack([np.ravel(part) for part in parts], axis=-1)
    columns = Column("column" if found.axis else "row"), *(Column(title, NUMBER) for title in titles)
    decimals = tuple(map(decimals_of, numbers.T))
    reads = found.names[1], found.labels, numbers, found.rounded, found.asked, found.axis, decimals
    return Listing("moments", f"{what} before and after", columns, Lines(len(numbers), _line, reads))


def _came_in(view: View, name: str) -> Item:
    return Item("", matrix(view, name, f"came in: {view.nodes[name].short}"))
