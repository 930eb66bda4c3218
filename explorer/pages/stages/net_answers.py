"""The picture of a net's answers: to its own cases, and at any other point of its input space.

`level_lines` finds the lines of equal height on a surface over a grid.
"""

from html import escape

import numpy as np

from explorer.core.engine import Engine
from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, LOSS, TARGET, Cell, Graph
from explorer.core.numbers import alone, formatted, quantity, written
from explorer.core.ops import Array
from explorer.pages import drawing as draw
from explorer.pages.element import Element
from explorer.pages.gestures import MoveTo, decimals_in
from explorer.pages.matrix import SHARES
from explorer.pages.page import Note, Picture, Stack
from explorer.pages.view import View

BETWEEN = 6
"""Pixels of a picture between two neighbouring points of the grid."""


def level_lines(surface: Array, x: Array, y: Array, level: float, thin: bool = True) -> Array:
    """The pieces of a level line, one or two for each square of the grid that it crosses (marching squares).

    On each side of a square, the crossing is interpolated linearly between the two corners. pyqtgraph's own function
    loops over the squares, which is too slow for a surface that moves.

    `surface`: heights at the points of a grid, (n_y, n_x).
    `x`, `y`: the x of the grid's columns, (n_x,), and the y of its rows, (n_y,).
    `thin`: whether valleys and ridges that are only one grid point wide have lines, too. A narrow diagonal one would
    then have a little ring around each of its points.

    Returns (n_pieces, 2, 2): the two ends of each piece, x and y.
    """
    with np.errstate(all="ignore"):
        across = (level - surface[:, :-1]) / np.diff(surface, axis=1)
        up = (level - surface[:-1]) / np.diff(surface, axis=0)
        above = surface >= level
        if not thin:
            above = _broad(~_broad(~above))
            across, up = np.clip(across, 0.0, 1.0), np.clip(up, 0.0, 1.0)
        crossed_x, crossed_y = above[:, :-1] != above[:, 1:], above[:-1] != above[1:]
        on_rows = np.stack([x[:-1] + across * np.diff(x), np.broadcast_to(y[:, None], across.shape)], axis=-1)
        on_columns = np.stack([np.broadcast_to(x, up.shape), y[:-1, None] + up * np.diff(y)[:, None]], axis=-1)
    # The sides of each square in turn: bottom, right, top, left. Each line enters and leaves: crossings come in pairs.
    sides = np.stack([on_rows[:-1], on_columns[:, 1:], on_rows[1:], on_columns[:, :-1]], axis=2)
    crossed = np.stack([crossed_x[:-1], crossed_y[:, 1:], crossed_x[1:], crossed_y[:, :-1]], axis=2)
    pieces = sides[crossed].reshape(-1, 2, 2)
    return pieces[np.isfinite(pieces).all((1, 2))]


def _broad(wanted: Array) -> Array:
    """Which wanted points belong to a square of four wanted points."""
    four = wanted[:-1, :-1] & wanted[1:, :-1] & wanted[:-1, 1:] & wanted[1:, 1:]
    found = np.zeros_like(wanted)
    for rows in (slice(-1), slice(1, None)):
        for columns in (slice(-1), slice(1, None)):
            found[rows, columns] |= four
    return found


def between_points(n: int) -> Array:
    """The matrix that puts BETWEEN − 1 interpolated points between each two of n: ((n − 1) · BETWEEN + 1, n)."""
    places = np.arange((n - 1) * BETWEEN + 1) / BETWEEN
    weights: Array = np.maximum(0.0, 1 - np.abs(places[:, None] - np.arange(n)))
    return weights


POINTS = 60
"""Grid points of a surface along each side: 3,600 answers for each picture."""
CURVE_POINTS = 301
MOST_CASES, MOST_LINES, MOST_EXAMPLES = 200, 16, 512
LEVEL = 1e-6
"""If all answers differ by less than this part of the range of colours, they count as equal, and there is no border."""
FOOT = 0.025
"""The short mark on the side of a hidden unit's line where its sum is above 0: its length, as a part of the window."""
ROUNDING = 1e-12  # a smaller bias is 0 but for rounding, and is not shown
NAMED = 12  # cases that the summary lists

WIDTH = 640
"""The width of a curve over the examples, in pixels at text scale 1."""
SQUARE, MOST_SQUARE, BESIDE_SQUARE = 370, 560, 360
"""The least and the most side of a surface, and how much narrower than a curve it is, in pixels at text scale 1."""


def net_picture(view: View, trained: Engine | None = None, width: int = WIDTH, line: bool = False) -> Stack | None:
    """The answers of a net as a surface over two inputs or a curve over one; None for any other net.

    `trained`: the engine of a straight line trained on the same examples: ``layer.1.activation`` and ``loss.value`` are
    used.
    `width`: the width of a curve in pixels at text scale 1; a surface is narrower.
    `line`: whether the best straight line stands out, rather than the net.
    """
    net = Net(view)
    match net.features:
        case 2:
            return _surface(net, width)
        case 1:
            drawn = (
                Note("losses", _said_of_fit(net, trained)),
                Picture("answers", _curve(net, trained, line), width, 310),
            )
            beside = "The straight line, beside what the net answers"
            return Stack("net", beside if line else "What the net answers, over the examples", drawn, width)
    return None


def surface_side(width: int) -> int:
    """The side of a surface where a curve would be `width` pixels wide."""
    return min(max(width - BESIDE_SQUARE, SQUARE), MOST_SQUARE, width)


class Net(Frozen):
    """A net with a single output: names and values of a view that are needed to draw its answers."""

    view: View

    @property
    def output(self) -> str:
        """The node of the answers."""
        return f"layer.{self.view.state.model.layers}.activation"

    @property
    def hidden(self) -> str | None:
        """The node of the sums of the first hidden units; None for a net of one layer."""
        return "layer.1.hidden" if self.view.state.model.layers > 1 else None

    @property
    def features(self) -> int:
        """How many numbers a case has; 0 if the model is no net with a single output."""
        graph = self.view.graph
        if self.view.state.model.kind != "mlp" or graph.shape(self.output)[-1] != 1:
            return 0
        return graph.shape(CASES)[-1]

    # The cases

    @property
    def cases(self) -> Array:
        """The cases, (n, n_features)."""
        return self.view.values[CASES]

    @property
    def answers(self) -> Array:
        """The answer of the net to each case, (n,)."""
        answers: Array = self.view.values[self.output][:, 0]
        return answers

    @property
    def targets(self) -> Array | None:
        """The target of each case, (n,); None if there are no targets."""
        targets = self.view.values.get(TARGET)
        return targets[:, 0] if targets is not None and targets.ndim == 2 else None

    @property
    def levels(self) -> tuple[float, float]:
        """The least and the largest target, the ends of the scale of colours; 0 and 1 if these are equal or missing."""
        targets = self.targets
        finite = targets[np.isfinite(targets)] if targets is not None else np.zeros(0)
        if not finite.size or finite.min() == finite.max():
            return 0.0, 1.0
        return float(finite.min()), float(finite.max())

    @property
    def threshold(self) -> float:
        """The number from which on an answer counts as yes: the model's threshold, or half-way between the targets."""
        return float(self.view.state.model.switch("decision", "threshold")) or sum(self.levels) / 2

    @property
    def right(self) -> Array | None:
        """Whether each answer is on its target's side of the threshold, (n,); NaN is on none. None without targets."""
        targets, threshold, answers = self.targets, self.threshold, self.answers
        return None if targets is None else np.where(targets >= threshold, answers >= threshold, answers < threshold)

    @property
    def bends(self) -> bool:
        """Whether the net is not just one matrix product: a hidden layer has an activation other than the identity."""
        nodes, layers = self.view.nodes, self.view.state.model.layers
        return any(nodes[f"layer.{k}.activation"].op.bends for k in range(1, layers))

    def straight(self, what: str) -> str:
        """A sentence with the consequence `what` if the net is only one matrix product; else ""."""
        return "" if self.bends else f" Nothing here bends: whatever the weights, {what}."

    # Anywhere

    def over(self, points: Array, node: str) -> Array:
        """The value of a node for other cases, (n_points, n_units), computed by the graph's own ops.

        Pinned cells belong to the model's own cases and are not used.
        """
        asked = np.asarray(points, dtype=self.view.state.model.dtype)
        return Engine(self.view.graph, self.view.values).what_if({CASES: asked}, node)


# Two inputs: a surface


def _surface(net: Net, width: int) -> Stack:
    """The decision surface, its scale of colours, and how many cases are on the right side of the threshold."""
    side = surface_side(width)
    lines, right, threshold = _hidden_lines(net), net.right, formatted(net.threshold, "g")
    plane, where = _plane(net, lines, threshold)
    legend = {
        "border": f"Thick line: the answer is {threshold}.",
        "everywhere": f"The answer is {threshold} everywhere here.",
        "nowhere": f"The answer is nowhere {threshold} here.",
    }[where]
    if lines:
        legend += " Dashed line: a hidden unit’s sum is 0; its short foot points to where the sum is above 0."
    counted = "There are no right answers to compare with."
    if right is not None:
        count, are = int(right.sum()), "is" if right.sum() == 1 else "are"
        counted = f"<b>{count} of {len(right)}</b> cases {are} on the right side of {threshold}."
    parts: tuple[Element, ...] = (
        Note("right cases", f"{counted}{net.straight('the border is one straight line')}"),
        Picture("answers", plane, side, side),
        Picture("scale of answers", _scale(net), side, 44),
        Note("legend of answers", legend),
    )
    return Stack("net", "What the net answers in the plane", parts, side)


def _window(cases: Array) -> tuple[float, float, float, float]:
    """A square around the cases with a margin: left, right, bottom, top."""
    low, high = draw.extent(cases)
    x, y = ((low + high) / 2).tolist()
    half = 0.75 * float((high - low).max() or 1.0)
    return x - half, x + half, y - half, y + half


def _plane(net: Net, lines: list[draw.Mark], threshold: str) -> tuple[draw.Drawing, str]:
    """The drawing of the plane: colours are answers, a thick line is the threshold, cases are discs to drag.

    Each disc has its target inside and its answer below; a dashed line shows where the sum of a hidden unit is 0. The
    second result says where the answer equals the threshold: at a "border", "everywhere" or "nowhere".
    """
    window = _window(net.cases)
    left, right, bottom, top = window
    x, y = np.linspace(left, right, POINTS), np.linspace(bottom, top, POINTS)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    answers = net.over(grid, net.output).reshape(POINTS, POINTS)
    low, high = net.levels
    half = (x[1] - x[0]) / 2
    place = (left - half, bottom - half, right - left + 2 * half, top - bottom + 2 * half)
    seen = np.nan_to_num(answers, nan=low, posinf=high, neginf=low)
    image = draw.Image(seen, high, low, SHARES, place, smooth=True)
    with np.errstate(invalid="ignore"):
        same = np.ptp(answers) < LEVEL * (high - low)
    border = np.zeros((0, 2, 2)) if same else level_lines(answers, x, y, net.threshold)
    cases = _cases(net)
    level = same and abs(answers.mean() - net.threshold) < LEVEL * (high - low)
    where = "border" if len(border) else "everywhere" if level else "nowhere"
    said = _summary(net, threshold, where)
    a, b = net.view.labels_along(CASES, 1)
    above = net.view.graph.ancestors(net.output)
    needed = tuple((name, net.view.values[name]) for name in net.view.nodes if name in above)
    probe = _Ask("Point anywhere to ask the net.", net.view.graph, needed, net.output, net.cases.dtype.str, a, b)
    marks = (image, draw.Segments(border, draw.HERE, 4.0), *lines, *cases)
    square = not net.view.looking.large  # for a class it fills a wide place: equal scales do not matter here
    return draw.Drawing(marks, window, said, draw.Axis(a), draw.Axis(b), square=square, probe=probe), where


def _cases(net: Net) -> list[draw.Mark]:
    low, high = net.levels
    right, targets, fine = net.right, net.targets, decimals_in(_window(net.cases))
    dots: list[draw.Mark] = []
    for i, (x, y) in enumerate(net.cases[:MOST_CASES].tolist()):
        if not draw.drawable(x, y):
            continue
        target = None if targets is None else float(targets[i])
        share = None if target is None else float(np.clip(np.nan_to_num((target - low) / (high - low)), 0, 1))
        dots.append(
            draw.Dot(
                x,
                y,
                cell=Cell(net.output, (i, 0)),
                also=(Cell(CASES, (i,)), Cell(TARGET, (i,))) if target is not None else (Cell(CASES, (i,)),),
                drag=MoveTo((CASES, (i, 0)), (CASES, (i, 1)), fine),
                inside="" if target is None else formatted(target, "g"),
                below=written(float(net.answers[i]), 2),
                share=share,
                wrong=right is not None and not right[i],
            )
        )
    return dots


def _summary(net: Net, threshold: str, where: str) -> str:
    """The picture in words, for a screen reader."""
    right = net.right
    names = zip(net.view.labels_along(CASES, 0)[:NAMED], net.answers.tolist(), strict=False)
    told = "; ".join(f"{name}: {written(answer, 2)}" for name, answer in names)
    crossed = f" The answer crosses {threshold} nowhere here." if where == "nowhere" else ""
    crossed = f" It is {threshold} everywhere." if where == "everywhere" else crossed
    found = "" if right is None else f" {int(right.sum())} of {len(right)} on the right side of {threshold}."
    return f"Answers in the plane.{found} {told}.{crossed}"


def _hidden_lines(net: Net) -> list[draw.Mark]:
    """For each hidden unit a dashed line where its sum is 0, a short mark on the side above 0, and its name."""
    node = net.hidden
    names = net.view.labels_along(node, 1) if node else ()
    if node is None or len(names) > MOST_LINES:
        return []
    left, right, bottom, top = _window(net.cases)
    # The sum is linear in x and y, so its values at the corners of the window determine where it is 0.
    x, y = np.array([left, right]), np.array([bottom, top])
    corners = net.over(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), node).reshape(2, 2, -1)
    marks: list[draw.Mark] = []
    for unit, name in enumerate(names):
        sums = corners[..., unit]
        if not (np.abs(sums) < draw.DRAWABLE).all():
            continue
        steepest = np.array([sums[0, 1] - sums[0, 0], sums[1, 0] - sums[0, 0]])
        for ends in level_lines(sums, x, y, 0.0):
            side = steepest / (float(np.hypot(*steepest)) or 1.0) * FOOT * (right - left)
            middle = ends.mean(0)
            upper = ends[int(ends[:, 1].argmax())]
            # The name stands near the upper end, on the side where the sum is above 0.
            at = upper + (middle - upper) * 0.12 + 1.6 * side
            marks += [
                draw.Segments(ends[None], draw.TEXT, 1.4, dashed=True),
                draw.Segments(np.array([[middle, middle + side]]), draw.TEXT, 1.4),
                draw.Words(float(at[0]), float(at[1]), name, draw.TEXT),
            ]
    return marks


def _scale(net: Net) -> draw.Drawing:
    """The colours from the least target to the largest, with the threshold marked if it lies between them."""
    (low, high), threshold = net.levels, net.threshold
    wide = high - low
    within = [threshold] * (low <= threshold <= high)
    marks: list[draw.Mark] = [
        draw.Image(np.linspace(low, high, 256)[None], high, low, SHARES, (low, 0.5, wide, 0.5), smooth=True),
        draw.Band((low, 0.5, wide, 0.5), draw.TEXT, filled=False, width=1.0),
        *(draw.Segments(np.array([[(at, 0.42), (at, 1.0)]]), draw.HERE, 3.0) for at in within),
    ]
    numbers = dict.fromkeys((low, *within, high))
    marks += [draw.Words(number, 0.2, formatted(number, "g"), fixed=True) for number in numbers]
    window = (low - 0.12 * wide, high + 0.12 * wide, 0.0, 1.05)
    said = "Colours from {} to {}; the threshold is {}".format(*(formatted(n, "g") for n in (low, high, threshold)))
    return draw.Drawing(tuple(marks), window, said, draw.Axis(labels=()), draw.Axis(labels=()))


class _Ask(draw.Probe):
    """Says the answer of a net at one place of the plane."""

    graph: Graph
    values: tuple[tuple[str, Array], ...]  # of the nodes that the output depends on
    output: str
    dtype: str
    across: str
    up: str

    def said(self, x: float, y: float) -> str:
        point = np.array([[x, y]], dtype=self.dtype)
        answer = float(Engine(self.graph, dict(self.values)).what_if({CASES: point}, self.output)[0, 0])
        return f"At {self.across} = {written(x, 2)}, {self.up} = {written(y, 2)} it answers {written(answer, 3)}"


# One input: a curve


def _said_of_fit(net: Net, trained: Engine | None) -> str:
    values = net.view.values
    said = [f"The net: loss <b>{alone(float(values[LOSS]))}</b>."] if LOSS in values else []
    if "regression.output" in values:
        W, b = (float(np.ravel(values[f"regression.{name}"])[0]) for name in "Wb")
        x, y = (escape(net.view.labels_along(node, 1)[0]) for node in (CASES, net.output))
        start = "" if abs(b) < ROUNDING else f" {'−' if b < 0 else '+'} {alone(abs(b))}"
        line = f"{y} = {alone(W)} × {x}{start}"
        loss = alone(float(values["regression.loss"]))
        if trained is not None:
            learned = alone(float(trained.values[LOSS]))
            said.append(f"The line, trained in the same steps: loss <b>{learned}</b>.")
        best = f"The best line, {line}: loss <b>{loss}</b>; it is known without training."
        said.append(best if np.isfinite(W) else "There is no best line: all examples have the same x.")
    # The output layer's activation bends the curve, though not a border.
    curved = net.view.nodes[net.output].op.bends
    return " ".join(said) + ("" if curved else net.straight("the curve is one straight line"))


def _curve(net: Net, trained: Engine | None, line: bool) -> draw.Drawing:
    """The examples as points, the net's curve and the line of the linear regression.

    Pointing at an example means pointing at the net's answer to it; dragging it up or down edits its target.
    """
    values, targets = net.view.values, net.targets
    x = net.cases[:, 0]
    y = net.answers if targets is None else targets
    left, right, low, high = _around(x, y)
    grid = np.linspace(left, right, CURVE_POINTS)
    answers = net.over(grid[:, None], net.output)[:, 0]
    # The window also holds answers outside the range of the examples, up to half of that range on either side.
    near, most = answers[np.isfinite(answers)], high - low
    low = max(min(low, float(near.min(initial=low))), low - most / 2)
    high = min(max(high, float(near.max(initial=high))), high + most / 2)
    marks: list[draw.Mark] = [draw.Curve(grid, answers, "net", draw.MUTED if line else draw.series(0))]
    said = [f"net {alone(float(values[LOSS]))}"] if LOSS in values else []
    if "regression.output" in values and "regression.output" not in net.view.looking.covered.values:
        # Two points are enough to draw a straight line.
        ends = [int(np.argmin(x)), int(np.argmax(x))]
        best, y_best = "line" if trained is None else "best", values["regression.output"][ends, 0]
        marks.append(draw.Curve(x[ends], y_best, best, draw.series(1), not line, 3.0 if line else 1.8))
        said.append(f"line {written(float(values['regression.loss']), 4)}")
        if trained is not None:
            marks.append(draw.Curve(x[ends], trained.values["layer.1.activation"][ends, 0], "line", draw.series(1)))
            said.append(f"trained line {alone(float(trained.values[LOSS]))}")
    # The names of the curves stand at their right ends.
    window = (left, right + 0.06 * (right - left), low, high)
    movable = targets is not None and net.view.nodes[TARGET].is_input
    for i, (a, b) in enumerate(zip(x[:MOST_EXAMPLES].tolist(), y.tolist(), strict=False)):
        if draw.drawable(a, b):
            drag = MoveTo(None, (TARGET, (i, 0)), decimals_in(window)) if movable else None
            also = (Cell(TARGET, (i,)),) if targets is not None else ()
            marks.append(draw.Dot(a, b, "", draw.series(5), cell=Cell(net.output, (i, 0)), also=also, drag=drag))
    axes = draw.Axis(net.view.labels_along(CASES, 1)[0]), draw.Axis(net.view.labels_along(net.output, 1)[0])
    errors = f" Mean squared error: {', '.join(said)}" if said else ""
    return draw.Drawing(tuple(marks), window, f"{quantity(len(x), 'example')}.{errors}", *axes)


def _around(x: Array, y: Array) -> tuple[float, float, float, float]:
    """A window around the examples with a margin: left, right, bottom, top."""
    (left, low), (right, high) = (ends.tolist() for ends in draw.extent(np.stack([x, y], axis=1)))
    across, up = 0.04 * (right - left) or 1.0, 0.3 * (high - low) or 1.0
    return left - across, right + across, low - up, high + up
