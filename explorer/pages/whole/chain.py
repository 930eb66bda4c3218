"""A small model, or one block, as a diagram: a box with picture, formula and shape for each node, and lines between.

A small net as neurons and the weights between them, for one example that goes through it.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.core.errors import written_shape
from explorer.core.graph import CASES, LOSS, TARGET, Cell, Node, Stage
from explorer.core.numbers import NEARLY_ZERO, alone, formatted, in_table, places_of_largest
from explorer.core.ops import Array
from explorer.lessons.symbols import IN_SIGNS, name_of
from explorer.pages import drawing as draw
from explorer.pages.controls import Choice, Number
from explorer.pages.element import Element
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.levels import into
from explorer.pages.view import View, row_of
from explorer.pages.whole.columns import PAGE, PAGE_OF_LARGE, laid
from explorer.pages.whole.lane import amount, image_of, sentences

LINE, PAD = 17.0, 7.0
"""The height of a line of words; the padding inside a box."""
IMAGE, TALL, TALLEST, LOW, NUMBER_ROW = 34.0, 62.0, 126.0, 12.0, 14.0
"""Heights: a matrix's picture among many; among few (and the most among many); the most among few, with room for
words and numbers; a vector's picture; one row of numbers."""
LEAST, VECTOR, NUMBER, ROOMY, WIDEST, BROADEST = 84.0, 44.0, 30.0, 48.0, 150.0, 340.0
"""Widths: at least of a box with a matrix; at least of a box with a vector; of one number; of one number of a matrix
with a single row; at most of a box without numbers; at most of a box with numbers."""
LETTER, STRONG, TITLE, EM, BARS = 6.0, 7.5, 7.6, 12.5, 14.0
"""Approximate widths: a letter; a letter of a row's label; a letter of a title; an em of a formula; a letter of a
bar's label, its bar included."""
FEW = 6
"""With at most this many matrices, all are drawn larger."""
LEAST_ROW, MOST_LETTERS, MOST_BARS = 9.0, 10, 6
"""The least height of a row with its word beside it; the most letters of such words; the most bars of an output."""
ASIDE = "average", "likeness"
"""Names of nodes that are only for looking at: no other node reads them."""


def chain(view: View) -> tuple[draw.Drawing, list[str]]:
    """The diagram of the model, each node after its parents; and the node that each mark waits for in a played pass."""
    nodes = [node for node in view.nodes.values() if counts(view, node)]
    said = f"The model: {', then '.join(stage.title for stage in view.graph.stages)}"
    return boxes(view, nodes, (), said)


def boxes(view: View, nodes: Sequence[Node], outside: Sequence[Node], summary: str) -> tuple[draw.Drawing, list[str]]:
    """The diagram of `nodes` and the `outside` nodes that they read; and the node that each mark waits for."""
    every = [*outside, *nodes]
    names = {node.name for node in every}
    stages = view.stages
    matrices = sum(view.values[node.name].ndim > 1 for node in every)
    least, most = (TALL, TALLEST) if matrices <= FEW else (IMAGE, TALL)
    # High enough for words and numbers beside the rows of the largest matrix that can have them.
    rows = [view.values[node.name].shape[-2] for node in every if _rank(view, node) == 2]
    named = max((count for count in rows if LEAST_ROW * count <= most), default=0)
    high = min(max(least, NUMBER_ROW * named), most)
    computed = [node for node in nodes if not node.is_input]
    titles = Counter(name_of(node.name) for node in computed)
    alike = [node for node in computed if titles[name_of(node.name)] > 1]
    of_stages = Counter(node.stage for node in alike)
    # Several nodes with one name: a node that is the only one of these in its stage takes the title of the stage.
    called = {node.name: stages[node.stage].title for node in alike if of_stages[node.stage] == 1}
    # Inputs with the same name add the title of their stage: two norms both have a γ.
    inputs = [node for node in nodes if node.is_input]
    times = Counter(name_of(node.name) for node in inputs)
    for node in inputs:
        if times[name := name_of(node.name)] > 1:
            title = stages[node.stage].title
            called[node.name] = f"{name} of {title[0].lower()}{title[1:]}"
    here, drawn = {stages[node.stage].group for node in nodes}, dict[str, _Boxed]()
    for node in every:
        of = stages[node.stage]
        origin = "" if node not in outside else of.title if of.group in here else of.group
        drawn[node.name] = _Boxed(view, node, of, high, origin, called.get(node.name, ""), matrices <= FEW)
    times = Counter(one.name for one in drawn.values())
    for one in drawn.values():
        one.name = one.told if times[one.name] > 1 else one.name
    reads = {
        node.name: [] if node in outside else [parent for parent in dict.fromkeys(node.parents) if parent in names]
        for node in every
    }
    given = [node.name for node in nodes if node.is_input or not node.parents]
    sizes, page = {name: one.size for name, one in drawn.items()}, PAGE_OF_LARGE if view.looking.large else PAGE
    layout = laid(sizes, reads, given, [node.name for node in outside], page)
    marks: list[draw.Mark] = []
    due: list[str] = []
    for name, points in layout.ways:
        marks.append(draw.FlowLine(points, draw.TEXT, 1.5))
        due.append(name)
    for name, one in drawn.items():
        marks += one.marks(layout.places[name])
        due += [name] * (len(marks) - len(due))
    return draw.zoomed(marks, layout.window, summary), due


def counts(view: View, node: Node) -> bool:
    """Whether a node is drawn: not a scalar that others read, such as a temperature, nor a node in `ASIDE`."""
    return node.short not in ASIDE and (bool(node.axes) or not view.graph.children.get(node.name))


def _rank(view: View, node: Node) -> int:
    """How many axes a node has, without the axis of heads."""
    return view.values[node.name].ndim - (node.name in view.graph.n_heads)


class _Boxed:
    """One node: the contents of its box, and the size of the box.

    `origin`: where a node from outside comes from; `few`: whether there is room for the numbers of a short vector.
    """

    def __init__(self, view: View, node: Node, stage: Stage, high: float, origin: str, title: str, few: bool) -> None:
        self._view, self._node, self._stage = view, node, stage
        self._value = view.values[node.name]
        self._origin = origin
        self._small = _rank(view, node) == 1 and node.is_input and self._value.dtype.kind == "f"
        self._note, self._share = amount(view, node.name)
        self._title = title or (stage.title if node.short == "value" else name_of(node.name))
        self._briefly = name_of(node.name) if title and node.is_input else ""  # whose it is, the arrow tells
        formula = "" if node.is_input or origin else view.graph.equation(node.name)
        self._formula = "" if node.name in IN_SIGNS and formula == node.symbol else formula
        self.told = f"{self._title}, from {stage.where}"
        self.name = self.told if origin else self._title
        across = NUMBER * self._value.size + 2 * PAD
        self._short = self._small and few and across <= WIDEST
        """Whether it is a short vector with its numbers: without them no matrix beside it would show any, either."""
        self._picture = NUMBER_ROW if self._short else LOW if self._small else high
        self._whose = self._rows()
        self._beside = min(STRONG * max(map(len, self._whose)) + 5.0, 74.0) if self._whose else 0.0
        wide = max(
            across if self._short else VECTOR if self._small else LEAST + self._beside,
            TITLE * len(self._title) + (0.0 if self._small else LETTER * len(self._note) + 10.0) + 2 * PAD,
            EM * draw.ems_of(self._formula) + 2 * PAD,
            BARS * max(map(len, view.labels(node.axes[-1]))) + 2 * PAD if self._has_bars else 0.0,
            LETTER * len(f"from {origin}") if origin else 0.0,
        )
        self._lines = 1 + bool(self._formula) * draw.lines_of(self._formula)
        high = LINE * self._lines + self._picture + PAD + 3.0
        self.size = float(round(max(min(wide, WIDEST), self._numbered))), high

    @property
    def _numbered(self) -> float:
        """The width of the box with numbers in its picture; 0.0 if that is too wide, and the picture has only signs."""
        if self._value.ndim != 2 or self._has_bars or self._small:
            return 0.0
        rows, columns = self._value.shape
        # A single row gets more width for each number, up to that of other boxes.
        inside = max(NUMBER * columns, min(ROOMY * columns, WIDEST) if rows == 1 else 0.0)
        wide = inside + self._beside + 2 * PAD
        return wide if wide <= BROADEST else 0.0

    @property
    def _has_bars(self) -> bool:
        """Whether the node is a single row of probabilities, which is drawn as bars."""
        return self._node.short == "probabilities" and len(self._value) == 1

    def _rows(self) -> tuple[str, ...]:
        """The labels beside the rows of the picture; () if they have no room or are only numbers."""
        if self._value.ndim < 2 or self._node.short == "probabilities":
            return ()
        rows = self._view.labels(self._node.axes[-2])
        fits = LEAST_ROW * len(rows) <= self._picture and max(map(len, rows)) <= MOST_LETTERS
        return rows if fits and len(rows) > 1 and not all(row.isdecimal() for row in rows) else ()

    def marks(self, place: draw.Rect) -> list[draw.Mark]:
        """The box and its contents: a picture, bars, words, or a single number."""
        view, node, value = self._view, self._node, self._value
        left, top, width, height = place
        head = LINE * self._lines
        room = left + PAD, top + head + 2.0, width - 2 * PAD, height - head - PAD - 2.0
        said = sentences(view)[self._stage.name]
        tip = "\n".join(filter(None, (self._stage.where, said, written_shape(value.shape))))
        note, leads = "" if self._small and self._share is None else self._note, GoTo(self._stage.name)
        ink = draw.ACCENT if node.is_input and self._share is None else draw.MUTED if self._origin else draw.TEXT
        texts = self.name, self._title, note, tip
        box = draw.Box(place, *texts, leads, self._share, formula=self._formula, ink=ink, briefly=self._briefly)
        if value.dtype.kind in "iub" and value.ndim == 1:
            return [box, *self._words(room)]
        if value.size == 1:
            number = value.item()
            told = alone(float(number)) if value.dtype.kind == "f" else str(number)
            middle = room[0] + room[2] / 2, room[1] + room[3] / 2
            return [box, draw.Words(*middle, told, draw.TEXT, fixed=True, size=15.0, on=self._share)]
        if self._has_bars and view.looking.showing == "values":
            return [box, self._bars(room)]
        marks: list[draw.Mark] = [box]
        if self._origin:
            told = f"from {self._origin}"
            marks.append(draw.Words(left + width / 2, top + height + 8.0, told, draw.MUTED, True, size=11.7))
        each = room[3] / max(len(self._whose), 1)
        for i, word in enumerate(self._whose):
            at = room[0] + self._beside - 3.0, room[1] + (i + 0.5) * each
            size, across = min(11.0, each), self._beside - 3.0
            marks.append(draw.Words(*at, word, draw.MUTED, True, 1.0, size=size, room=across, on=self._share))
        inside = room[0] + self._beside, room[1], room[2] - self._beside, room[3]
        return [*marks, image_of(view, view.of_head(node.name), inside)]

    def _words(self, room: draw.Rect) -> list[draw.Words]:
        """What the integers of a node stand for: words, or only numbers, such as those of places."""
        node, view, labels = self._node, self._view, tuple[str, ...]()
        if node.op.picks:
            labels = view.labels(view.nodes[node.parents[0]].axes[-1])
        elif node.name == TARGET:
            labels = view.labels(view.nodes[view.nodes[LOSS].parents[0]].axes[-1])
        words = [labels[i] if i < len(labels) else str(i) for i in map(int, np.ravel(self._value))]
        if node.short == "tokens":
            words = list(view.labels(node.axes[0]))
        most = max(int(room[3] / LEAST_ROW), 1)
        shown = words if len(words) <= most else [*words[: most - 1], "…"]
        each, x = room[3] / len(shown), room[0] + room[2] / 2
        return [
            draw.Words(x, room[1] + (i + 0.5) * each, word, draw.TEXT, True, size=min(13.0, each), on=self._share)
            for i, word in enumerate(shown)
        ]

    def _bars(self, room: draw.Rect) -> draw.Bars:
        labels, shares = self._view.labels(self._node.axes[1]), self._value[0]
        most = max(min(MOST_BARS, int(room[3] / LEAST_ROW)), 1)
        best = places_of_largest(np.nan_to_num(shares), most).tolist()
        values = tuple(float(shares[j]) for j in best)
        cells = tuple(Cell(self._node.name, (0, j)) for j in best)
        return draw.Bars(room, tuple(labels[j] for j in best), values, cells, max(1.0, *values))


ACROSS, DOWN, DISC, HALF = 136.0, 46.0, 16.0, 50.0
"""The least distance between layers; the distance between neurons; the radius of a neuron, as the renderer draws it;
the least half width of a layer."""
ASPECT, BESIDE, MOST_APART, BROADER = 1.7, 290.0, 220.0, 1.4
"""Width of a net ÷ its height; its width outside the layers; the most distance between layers; the most by which a
layer is widened. A page is wide, and words would have no room in a net that is high and narrow."""
MOST_NAMED, MOST_LEVELS, MOST_OPTIONS = 4, 6, 6
POSITIVE, NEGATIVE = draw.series(1), draw.series(0)


def _units(view: View, layer: int) -> int:
    return len(view.graph.axes[f"layer.{layer}"])


def example_choice(view: View) -> tuple[Element, ...]:
    """The choice of the example that goes through the net."""
    labels, row, key = view.labels("input"), view.row("input"), row_of("input")
    if len(labels) <= MOST_OPTIONS:
        asks = tuple(Keep(key, i) for i in range(len(labels)))
        return (Choice("example", "Example", labels, row, asks),)
    asks_one = _KeepFromOne(key)
    return (Number("example", "Example", row + 1, 1, len(labels), asks_one, "Example to follow"),)


class _KeepFromOne(Keep):
    """A `Keep` for an index that the screen counts from 1."""

    def at(self, value: int) -> Keep:
        return Keep(self.key, value - 1)


def _apart(view: View) -> tuple[float, float]:
    """The distance between layers, and half the width of a layer."""
    layers = view.state.model.layers
    high = max(_units(view, k) for k in range(layers + 1)) * DOWN + 84.0
    across = min(max((ASPECT * high - BESIDE) / layers, ACROSS), MOST_APART)
    return across, HALF * min(across / ACROSS, BROADER)


def neurons(view: View) -> tuple[draw.Drawing, list[str]]:
    """The drawing of the net, a column for each layer; and the node that each mark waits for in a played pass."""
    layers, row = view.state.model.layers, view.row("input")
    apart, half = _apart(view)
    names = [CASES, *(f"layer.{k}.activation" for k in range(1, layers + 1))]
    most = max(_units(view, k) for k in range(layers + 1))
    high = most * DOWN
    marks: list[draw.Mark] = []
    due: list[str] = []

    def add(some: Sequence[draw.Mark], name: str) -> None:
        marks.extend(some)
        due.extend([name] * len(some))

    top, height = -high / 2 - 26.0, high + 52.0
    for k, name in enumerate(names):
        stage = view.stages[view.nodes[name].stage]
        note, share = amount(view, name)
        title = "What goes in" if k == 0 else stage.title
        below = str(view.state.model.switch(f"layer.{k}", "activation")) if k else ""
        place = k * apart - half, top, 2 * half, height
        tip = f"{stage.where}\n{written_shape(view.values[name].shape)}, an example a row"
        said = f"{title}: {below}" if below else title
        add([draw.Box(place, said, title, below if share is None else note, tip, into(view.graph, stage), share)], name)
    into_layers = [_weights(view, k) for k in range(1, layers + 1)]
    # All layers share one scale: a weight of 2 is thicker than a weight of 1 in any layer.
    largest = max(float(np.abs(weights).max(initial=0.0)) for weights in into_layers) or 1.0
    for k, weights in enumerate(into_layers, 1):
        add(_edges(view, k, weights, largest), names[k])
    for k, name in enumerate(names):
        add(_column(view, k, name, row), name)
    right = layers * apart + half
    for name in ("decision.chosen", LOSS):
        if name in view.nodes:
            add(_after(view, name, right, row), name)
            right += 112.0
    summary = f"The net, with {', '.join(str(_units(view, k)) for k in range(layers + 1))} neurons from layer to layer"
    window = (-half - 56.0, right + 10.0, top - 6.0, top + height + 26.0)
    key = "gold adds, blue and dashed takes away; the thicker, the more"
    if view.looking.showing != "values":  # a change or a gradient of a weight
        key = "gold: above 0, blue and dashed: below 0; the thicker, the farther from 0"
    add([draw.Words((window[0] + window[1]) / 2, top + height + 14.0, key, draw.MUTED, fixed=True, size=11.7)], "")
    return draw.zoomed(marks, window, summary), due


MOST_FIGURES = 5
"""The most characters of a number, its sign included, that fit into a circle in a small picture of the net."""


def _y(units: int, j: Array | int) -> Any:
    """The y of the j-th of so many neurons, or of several of them."""
    return (j - (units - 1) / 2) * DOWN


def _weights(view: View, k: int) -> Array:
    """The weights into a layer, a row for each neuron before it."""
    weights = np.nan_to_num(view.shown(view.graph.place(f"layer.{k}.W")))
    return weights.T if view.state.model.switch(f"layer.{k}", "weights") == "W x" else weights


def _edges(view: View, k: int, weights: Array, largest: float) -> list[draw.Mark]:
    """The lines of the weights into a layer: one mark for all weights of the same sign and about the same size."""
    across = _apart(view)[0]
    levels = np.ceil(np.abs(weights) / largest * MOST_LEVELS).astype(int)
    into, out = weights.shape
    found: list[draw.Mark] = []
    for sign, ink in ((1, POSITIVE), (-1, NEGATIVE)):
        for level in range(1, MOST_LEVELS + 1):
            starts, ends = np.nonzero((levels == level) & (np.sign(weights) == sign))
            if len(starts):
                lines: Array = np.empty((len(starts), 2, 2))
                lines[..., 0] = (k - 1) * across, k * across
                lines[..., 1] = np.stack([_y(into, starts), _y(out, ends)], axis=1)
                width = (0.6 + 3.6 * level / MOST_LEVELS) * min(1.0, 5.0 / max(into, out))
                found.append(draw.Segments(lines, ink, width, dashed=sign < 0))
    return found


def _column(view: View, k: int, name: str, row: int) -> list[draw.Mark]:
    """The neurons of a layer, with the numbers of one example in them."""
    every, labels = view.shown(view.graph.place(name)), view.labels(f"layer.{k}")
    shown, size = every[row], float(np.abs(np.nan_to_num(every)).max(initial=0.0))
    found: list[draw.Mark] = []
    across, half = _apart(view)
    for j, number in enumerate(np.asarray(shown, dtype=float).tolist()):
        y = _y(len(labels), j)
        share = min(max(number / size, -1.0), 1.0) if size and np.isfinite(number) else 0.0
        told = next((text for text in (in_table(number, n) for n in (2, 1)) if len(text) <= MOST_FIGURES), "")
        told = told or (NEARLY_ZERO if abs(number) < 1 else in_table(number, 0))
        cell = Cell(name, (row, j))
        found.append(draw.Dot(k * across, y, labels[j], cell=cell, inside=told, share=share, signed=True))
        if len(labels) <= MOST_NAMED:  # with more neurons the lines would cross the names
            found.append(draw.Words(k * across, y + DISC + 7.5, labels[j], draw.MUTED, fixed=True, size=11.7))
    if k == 0:
        label = view.labels("input")[row]
        found.append(draw.Words(-half - 8.0, 0.0, label, draw.TEXT, True, 1.0, size=12.0, strong=True))
    return found


def _after(view: View, name: str, left: float, row: int) -> list[draw.Mark]:
    """A box at the right of the net: the decision, or the loss."""
    stage = view.stages[view.nodes[name].stage]
    value, (note, share) = view.values[name], amount(view, name)
    number = float(value) if value.ndim == 0 else float(value[row, 0])
    told = alone(number) if value.ndim == 0 else formatted(number, "g")
    place = left + 24.0, -26.0, 84.0, 52.0
    said, leads = told if share is None else note, into(view.graph, stage)
    return [
        draw.FlowLine(((left, 0.0), (left + 24.0, 0.0)), draw.TEXT, 1.8),
        draw.Box(place, stage.title, stage.title, said, stage.title, leads, share),
    ]
