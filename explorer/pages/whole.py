"""The whole model in one picture: words go in at the left, each block reads from the stream and adds to it, and what
comes next comes out at the right.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.node import Node, Stage
from explorer.core.numbers import significant, written
from explorer.core.ops import Array
from explorer.core.parameters import parameters
from explorer.core.shapes import written_shape
from explorer.pages.drawing import (
    LINE,
    MUTED,
    SHARES,
    SIGNED,
    TEXT,
    Band,
    Bars,
    Box,
    Drawing,
    Image,
    Mark,
    Way,
    Words,
)
from explorer.pages.element import Element
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.page import Check, Controls, Note, Picture
from explorer.pages.view import Cell, View

STREAM = "input.tokens"
LAYERS = re.compile(r"(encoder|decoder)\.(\d+)\.")
OPEN = "whole.open"
"""The key under which it is kept whether all layers are drawn."""
MOST_LAYERS, MOST_HEADS, MOST_BARS, MOST_WORDS = 2, 4, 6, 24
GAP, BOX, RISE = 22.0, 112.0, 46.0
"""Between parts, the height of a block, and how far above the stream it stands."""
WORDS = {
    "embedding": "Each word becomes a vector: its row of a table.",
    "positions": "Numbers that tell the place of a word are added.",
    "attention": "Words exchange something here, and only here: each looks at all others.",
    "masked": "Words exchange something here: each looks at itself and the words before it.",
    "cross": "The words of the target look at those of the source.",
    "heads": "What the heads found is put side by side and mixed by W_O.",
    "norm": "The sum is brought to the same measure in each row.",
    "ffn": "Each word by itself goes through a small net.",
    "output": "The last vectors become a probability for each word.",
    "loss": "How surprised the model is by the right words.",
}


def whole(view: View, stage: Stage) -> tuple[Element, ...]:
    """The model as blocks along a stream, each with a picture of what it holds now."""
    drawing = _Lanes(view).drawing() if _has_stream(view) else _chain(view)
    deepest = max(_layers(view).values(), default=1)
    controls: tuple[Element, ...] = ()
    if deepest > MOST_LAYERS:
        tip = "Draw every layer; else one of each kind stands for all"
        controls = (Controls("layers", (Check("open", "All layers", view.chosen(OPEN, False), Keep(OPEN), tip),)),)
    return (*controls, Note("how to read", _legend(view)), Picture("model", drawing, 720, 380, fills=True))


def _legend(view: View) -> str:
    """What the picture shows, as matrices show values, changes or gradients."""
    match view.looking.showing:
        case "change":
            done = view.last.label or "nothing yet"
            return f"What the last edit (<i>{done}</i>) changed. The deeper a block, the larger the part that moved."
        case "gradient":
            return "How much the loss depends on each block: the deeper, the longer its gradient."
    return "Click a block to see its numbers. Point at a word to see its way; edit anything and watch what it reaches."


def _has_stream(view: View) -> bool:
    return view.state.model.kind in ("encoder-decoder", "gpt", "encoder")


def _layers(view: View) -> dict[str, int]:
    """How many layers each stack has."""
    found: dict[str, int] = {}
    for stage in view.graph.stages:
        if numbered := LAYERS.match(stage.name):
            found[numbered[1]] = max(found.get(numbered[1], 0), int(numbered[2]))
    return found


# What a block holds


def _amount(view: View, name: str) -> tuple[str, float | None]:
    """What stands below a block, and how deep its colour is: its shape, how much of it moved, or how long its gradient.

    Relative changes and gradients are coloured by their powers of ten, from a ten-thousandth up.
    """
    place = Place(name)
    match view.looking.showing:
        case "change":
            was = view.last.before.get(name)
            if view.is_new(name):
                return "new", 1.0
            if was is None:
                return "same", 0.0
            size = _length(was)
            moved = _length(view.change(place)) / size if size else 1.0
            return f"Δ {written(100 * moved, max(0, significant(100 * moved, 2)))} %", _depth(moved)
        case "gradient" if LOSS.node in view.nodes and view.values[name].dtype.kind == "f":
            gradient = view.engine.gradient(place)
            length = 0.0 if gradient is None else _length(gradient)
            return f"|∂L| {written(length, significant(length, 2))}", _depth(length)
    return written_shape(view.values[name].shape), None


def _length(array: Array) -> float:
    finite = array[np.isfinite(array)].astype(float)
    return float(np.sqrt((finite * finite).sum()))


def _depth(number: float) -> float:
    return float(np.clip((np.log10(number) + 4) / 5, 0.0, 1.0)) if number > 0 else 0.0


def _image(view: View, name: str, place: tuple[float, float, float, float], token: bool = True) -> Image:
    """A node, or a head's slice of one, as it is shown now, in a place of the picture."""
    where = view.graph.place(name)
    array = np.atleast_2d(view.shown(where))
    axes = view.graph.axes_of(where)
    shares = view.looking.showing == "values" and name.rpartition(".")[2] in ("weights", "probabilities", "onehot")
    finite = np.abs(array[np.isfinite(array)]) if array.dtype.kind == "f" else np.abs(array).ravel()
    high = 1.0 if shares else float(finite.max(initial=0.0)) or 1.0
    axis = axes[-2] if token and len(axes) > 1 and axes[-2] in view.graph.sequences else ""
    return Image(array, high, 0.0, SHARES if shares else SIGNED, place, where, token=axis)


@dataclass(frozen=True)
class _Size:
    """How large pictures of the stream are: a row a word, a column a dimension."""

    rows: int
    columns: int

    @property
    def height(self) -> float:
        return float(np.clip(self.rows * 15, 34, 96))

    @property
    def width(self) -> float:
        return float(np.clip(self.columns * 7, 24, 60))


class _Lanes:
    """One lane for each sequence, from left to right; a decoder's lies below its encoder's.

    Parameters
    ----------
    view : View
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._marks: list[Mark] = []
        self._back: list[Mark] = []
        self._layers = _layers(view)
        self._open = bool(view.chosen(OPEN, False))
        self._x = 0.0
        self._spine = 0.0
        self._end: tuple[float, float] | None = None
        self._counts = {block.name: block.count for block in parameters(view.graph, view.state.model)}
        self._work = sum(view.graph.work.values()) or 1

    def drawing(self) -> Drawing:
        """All lanes."""
        view = self._view
        sequences = list(view.graph.sequences)
        right = 0.0
        for i, sequence in enumerate(sequences):
            self._spine = i * (BOX + RISE + 150.0)
            self._lane(sequence, i)
            right = max(right, self._x)
        words = "; ".join(" ".join(view.labels(sequence)[:MOST_WORDS]) for sequence in sequences)
        top, bottom = -BOX - RISE - 46.0, self._spine + 78.0
        said = f"The model, from the words {words} to what comes next: {', '.join(s.title for s in view.graph.stages)}"
        return Drawing(
            (*self._back, *self._marks), (-86.0, right + 8.0, top, bottom), said, down=True, square=True, zoom=True
        )

    # A lane

    def _lane(self, sequence: str, number: int) -> None:
        view = self._view
        stages = self._stages_of(sequence, number)
        shape = view.graph.shape(f"{sequence}.X")
        self._size = size = _Size(*shape)
        self._x = 0.0
        self._words(sequence, size)
        self._start_of_layer: tuple[str, float] | None = None
        stream = f"{sequence}.X"
        for stage in stages:
            self._mind_layer(stage)
            stream = self._part(stage, stream, sequence)
        self._mind_layer(None)
        if number + 1 < len(view.graph.sequences):
            self._end = self._x - GAP, self._spine

    def _stages_of(self, sequence: str, number: int) -> list[Stage]:
        """The stages of a lane, without those of layers that are folded."""
        last = number + 1 == len(self._view.graph.sequences)
        stack = ("encoder", "decoder") if last and number == 0 else (("encoder", "decoder")[number],)
        found = []
        for stage in self._view.graph.stages:
            numbered = LAYERS.match(stage.name)
            own = stage.name.startswith(f"{sequence}.") or (numbered is not None and numbered[1] in stack)
            ends = (
                last
                and numbered is None
                and not any(stage.name.startswith(f"{s}.") for s in self._view.graph.sequences)
            )
            folded = numbered is not None and int(numbered[2]) > 1 and self._folds(numbered[1])
            if (own or ends) and not folded:
                found.append(stage)
        return found

    def _folds(self, stack: str) -> bool:
        return self._layers[stack] > MOST_LAYERS and not self._open

    def _words(self, sequence: str, size: _Size) -> None:
        """The words at the left, each beside its row."""
        labels = self._view.labels(sequence)
        each, top = size.height / len(labels), self._spine - size.height / 2
        shown = labels if len(labels) <= MOST_WORDS else ()
        for i, word in enumerate(shown):
            y = top + (i + 0.5) * each
            self._marks.append(Words(-12.0, y, word, TEXT, fixed=True, align=1.0, token=(sequence, i)))
        if not shown:
            self._marks.append(Words(-12.0, self._spine, f"{len(labels)} words", TEXT, fixed=True, align=1.0))
        title = sequence.capitalize()
        self._marks.append(Words(-12.0, top - 14.0, title, MUTED, fixed=True, align=1.0))

    def _mind_layer(self, stage: Stage | None) -> None:
        """Frame the layer that has ended, and begin the one that a stage is in."""
        numbered = LAYERS.match(stage.name) if stage is not None else None
        layer = numbered[0] if numbered else ""
        begun = self._start_of_layer
        if begun is not None and begun[0] != layer:
            stack, _, number = begun[0].rstrip(".").partition(".")
            times = self._layers[stack]
            title = f"{stack.capitalize()} {number}"
            if self._folds(stack):
                title = f"{title}, and {times - 1} more like it  ×{times}"
            place = begun[1] - 9.0, self._spine - BOX - RISE - 22.0, self._x - begun[1] - 4.0, BOX + RISE + 82.0
            self._back.append(Band(place, LINE, filled=False, width=1.0))
            self._back.append(Words(place[0] + 8.0, place[1] + 10.0, title, MUTED, fixed=True, align=0.0))
            self._start_of_layer = None
        if layer and self._start_of_layer is None:
            self._start_of_layer = layer, self._x

    def _part(self, stage: Stage, stream: str, sequence: str) -> str:
        """Draw one stage behind the last; returns the node that the stream carries behind it."""
        nodes = {node.short: node for node in self._view.stage(stage.name)}
        match stage.kind:
            case "embedding":
                block = f"{sequence}."
                result = f"{block}X"
                if f"{block}H" in self._view.nodes and f"{block}positions" not in [
                    s.name for s in self._view.graph.stages
                ]:
                    result = f"{block}H"
                self._strip(stage, result, "Embeddings")
                return result
            case "positions":
                self._block(stage, f"{sequence}.PE", [f"{sequence}.PE"], stream, "Positions", narrow=True)
                return self._onto(stage, f"{sequence}.H")
            case "attention" | "masked" | "cross":
                return self._attention(stage, stream)
            case "norm":
                result = (
                    next((n.name for s, n in nodes.items() if s == "norm"), None) or next(iter(nodes.values())).name
                )
                return self._onto(stage, result, title="+ norm" if "residual" in nodes else "norm")
            case "ffn":
                block = stage.name.rpartition(".")[0]
                self._block(stage, f"{block}.output", [f"{block}.activation"], stream, "Feed-forward")
                return f"{block}.output"
            case "output":
                self._answers(stage)
                return "output.probabilities"
            case "loss":
                self._loss(stage)
        return stream

    def _attention(self, stage: Stage, stream: str) -> str:
        """A block with the weights of each head; below it, the way of what they found back to the stream."""
        view, block = self._view, stage.name.rpartition(".")[0]
        heads = view.graph.n_heads(f"{block}.weights") or 1
        shown = min(heads, MOST_HEADS)
        names = [view.of_head(f"{block}.weights", head) for head in range(shown)]
        result = next(n for n in (f"{block}.projected", f"{block}.concat", f"{block}.output") if n in view.nodes)
        note = f"{heads} heads" if heads > 1 else ""
        place = self._block(stage, result, names, stream, stage.title, beside=note, square=True)
        if stage.kind == "cross" and self._end is not None:
            x, y = self._end
            middle, top = place[0] + place[2] / 2, place[1]
            bend = (y + 62.0 + top - 20.0) / 2
            ways = ((x, y), (x + 14.0, y), (x + 14.0, bend), (middle, bend), (middle, top))
            self._back.append(Way(ways, TEXT, 2.0))
            self._back.append(
                Words(middle + 8.0, (bend + top) / 2, "K and V from the source", MUTED, fixed=True, align=0.0)
            )
        heads_stage = next((s for s in view.graph.stages if s.name == f"{block}.heads"), None)
        if heads_stage is not None:
            left, above, width, height = place
            tip = self._tip(heads_stage, result)
            inside = left + 5.0, above + height - 21.0, width - 10.0, 17.0
            mixed = "concat · W_O" if f"{block}.W_O" in view.nodes else "concat"
            self._marks.append(
                Box(inside, f"{heads_stage.title} of {stage.title}", mixed, tip=tip, leads=GoTo(heads_stage.name))
            )
        return result

    def _block(
        self,
        stage: Stage,
        result: str,
        pictures: Sequence[str],
        stream: str,
        title: str,
        beside: str = "",
        narrow: bool = False,
        square: bool = False,
    ) -> tuple[float, float, float, float]:
        """A block above the stream that reads from it, with pictures of some nodes in it; returns its place."""
        view = self._view
        inner = BOX - 58.0
        width = (inner if square else 44.0 if narrow else 74.0) * len(pictures) + 8.0 * (len(pictures) + 1)
        width = max(width, 64.0 if narrow else 96.0)
        left, top = self._x + 14.0, self._spine - RISE - BOX
        note, share = _amount(view, result)
        place = left, top, width, BOX
        said = f"{title}{f', {beside}' if beside else ''}"
        self._back.append(
            Box(
                place,
                said,
                title,
                f"{beside} · {note}" if beside else note,
                self._tip(stage, result),
                GoTo(stage.name),
                share,
            )
        )
        each = (width - 8.0 * (len(pictures) + 1)) / len(pictures)
        for i, name in enumerate(pictures):
            self._marks.append(_image(view, name, (left + 8.0 + i * (each + 8.0), top + 22.0, each, inner)))
        # It reads from the stream at its left end, and what it makes comes down at its right end.
        for x, down in ((left + 10.0, False), (left + width - 10.0, True)):
            ends = (x, self._spine - 8.0), (x, top + BOX)
            self._back.append(Way(ends[::-1] if down else ends, MUTED, 1.5))
        self._stream(self._x, left + width + 10.0)
        self._x = left + width + 10.0
        return place

    def _stream(self, start: float, end: float) -> None:
        """The stream goes on."""
        self._back.append(Way(((start, self._spine), (end, self._spine)), TEXT, 3.0, head=False))

    def _strip(self, stage: Stage, name: str, title: str) -> None:
        """What the stream carries, as rows, in a frame that leads to a stage."""
        size = self._size
        top = self._spine - size.height / 2
        note, share = _amount(self._view, name)
        place = self._x - 3.0, top - 3.0, size.width + 6.0, size.height + 6.0
        self._marks.append(Box(place, title, "", "", self._tip(stage, name), GoTo(stage.name), share))
        self._marks.append(_image(self._view, name, (self._x, top, size.width, size.height)))
        self._marks.append(Words(self._x + size.width / 2, top + size.height + 14.0, title, MUTED, fixed=True))
        if self._view.looking.showing != "values":
            self._marks.append(Words(self._x + size.width / 2, top - 12.0, note, MUTED, fixed=True))
        self._stream(self._x + size.width, self._x + size.width + GAP)
        self._x += size.width + GAP

    def _onto(self, stage: Stage, name: str, title: str = "+") -> str:
        """What was made is added to the stream, and perhaps normalised."""
        self._back.append(Way(((self._x, self._spine), (self._x + 8.0, self._spine)), TEXT, 3.0, head=False))
        self._x += 8.0
        self._strip(stage, name, title)
        return name

    def _answers(self, stage: Stage) -> None:
        """The likeliest next words behind the last position, as bars."""
        view = self._view
        probabilities = view.values["output.probabilities"]
        row = len(probabilities) - 1
        axis = view.nodes["output.probabilities"].axes[0]
        row = min(view.row(axis, last=True), row)
        words, shares = view.labels(view.nodes["output.probabilities"].axes[1]), probabilities[row]
        best = np.argsort(-shares, kind="stable")[:MOST_BARS].tolist()
        height = 20.0 * len(best) + 46.0
        place = self._x + 6.0, self._spine - height / 2, 178.0, height
        note, share = _amount(view, "output.probabilities")
        after = view.labels(axis)[row]
        title = f"After “{after}”"
        self._marks.append(
            Box(place, "Probabilities", title, note, self._tip(stage, "output.probabilities"), GoTo(stage.name), share)
        )
        cells = tuple(Cell("output.probabilities", (row, j)) for j in best)
        values = tuple(float(shares[j]) for j in best)
        inside = place[0] + 8.0, place[1] + 22.0, place[2] - 16.0, height - 46.0
        self._marks.append(Bars(inside, tuple(words[j] for j in best), values, cells, max(1.0, *values)))
        self._back.append(Way(((self._x - GAP, self._spine), (place[0], self._spine)), TEXT, 3.0))
        self._x = place[0] + place[2] + GAP

    def _loss(self, stage: Stage) -> None:
        loss = float(self._view.values[LOSS.node])
        note, share = _amount(self._view, LOSS.node)
        shown = self._view.looking.showing != "values"
        place = self._x, self._spine - 28.0, 78.0, 56.0
        said = note if shown else written(loss, 3)
        self._marks.append(
            Box(place, "Loss", "Loss", said, self._tip(stage, LOSS.node), GoTo(stage.name), share if shown else None)
        )
        self._back.append(Way(((self._x - GAP, self._spine), (self._x, self._spine)), MUTED, 1.5))
        self._x += 78.0 + GAP

    def _tip(self, stage: Stage, name: str) -> str:
        """What a block does, its shape, and its part of the numbers and of the work."""
        view = self._view
        block = stage.name.rpartition(".")[0] if stage.kind != "output" else "output"
        lines = [f"{stage.group}: {stage.title}", WORDS.get(stage.kind, ""), written_shape(view.values[name].shape)]
        if count := self._counts.get(block, 0):
            lines.append(f"{count:,} parameters")
        work = sum(view.graph.work[node.name] for node in view.stage(stage.name))
        if work:
            lines.append(f"{100 * work / self._work:.0f} % of the multiplications")
        return "\n".join(filter(None, lines))


# Models without a stream


def _chain(view: View) -> Drawing:
    """The stages in a row, each with pictures of its last nodes: a net, or a lesson on one attention."""
    marks: list[Mark] = []
    x = 0.0
    for stage in view.graph.stages:
        nodes = [node for node in view.stage(stage.name) if view.values[node.name].size > 1] or view.stage(stage.name)
        shown = _telling(nodes)
        width = 92.0 * len(shown) + 12.0
        note, share = _amount(view, shown[-1].name)
        place = x, -66.0, width, 132.0
        tip = "\n".join(filter(None, (f"{stage.group}: {stage.title}", WORDS.get(stage.kind, ""))))
        marks.append(Box(place, stage.title, stage.title, note, tip, GoTo(stage.name), share))
        for i, node in enumerate(shown):
            left = x + 12.0 + 92.0 * i
            marks.append(_image(view, view.of_head(node.name), (left, -38.0, 80.0, 64.0)))
            marks.append(Words(left + 40.0, 36.0, node.short, MUTED, fixed=True))
        if x:
            marks.append(Way(((x - 34.0, 0.0), (x, 0.0)), TEXT, 2.0))
        x += width + 34.0
    said = f"The model: {', then '.join(stage.title for stage in view.graph.stages)}"
    return Drawing(tuple(marks), (-12.0, x - 22.0, -90.0, 90.0), said, down=True, square=True, zoom=True)


def _telling(nodes: Sequence[Node]) -> list[Node]:
    """The nodes of a stage that tell most: what comes in, or the weights, and what comes out."""
    return [nodes[0], nodes[-1]] if len(nodes) > 1 else list(nodes)
