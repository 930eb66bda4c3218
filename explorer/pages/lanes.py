"""Models with a stream: a lane for each sequence, in which a line for each word goes from block to block."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.core.gradients import LOSS
from explorer.core.node import Stage
from explorer.core.numbers import significant, written
from explorer.core.ops import Array
from explorer.core.parameters import parameters
from explorer.core.shapes import written_shape
from explorer.pages.amounts import amount, length
from explorer.pages.drawing import (
    HERE,
    LINE,
    MUTED,
    SHARES,
    SIGNED,
    TEXT,
    Axis,
    Band,
    Bars,
    Box,
    Drawing,
    Image,
    Mark,
    Segments,
    Way,
    Words,
    series,
)
from explorer.pages.gestures import Gesture, GoTo, Keep, Switch
from explorer.pages.turned import is_off, turn
from explorer.pages.view import Cell, View

LAYER, ALL = "whole.layer", 0
"""The key under which it is kept which layer is drawn, and what means all of them."""
MOST_LAYERS = 1
"""Of more, one is drawn unless one asks for all."""
MOST_HEADS, MOST_BARS, MOST_OFFERED = 27, 6, 12
GAP, AROUND, RISE, PAD = 12.0, 42.0, 26.0, 7.0
"""Between parts, what a block is higher than its image, how far above the stream it stands, and beside its image."""
IMAGE, TALL = 50.0, 80.0
"""The height of the images in a block."""
LEAST_BLOCK, WIDEST_HEADS = 100.0, 210.0
"""How wide a block is at least, and about how wide its heads are at most, which are smaller the more there are."""
TRACKS = 48
"""Words; the lines of more of them would be a grey mat, and are a band."""
LEVELS = 6
"""Of thickness, of the lines between words."""
LEAST_SHARE, FEW_WORDS, MORE_THAN_EVEN, MANY_WORDS = 0.04, 6, 1.6, 24
"""Of few words all are joined that look at each other at all; of more, those that do so clearly more than evenly; of
many, each with the one that it looks at most."""
SUBLAYERS = "self", "cross", "ffn"
SAID = {
    "embedding": "Each word becomes a vector: its row of a table.",
    "positions": "Numbers that tell the place of a word are added to its vector.",
    "attention": "Words exchange something here, and only here: each looks at all words.",
    "masked": "Words exchange something here: each looks at itself and the words before it.",
    "cross": "The words of the target look at those of the source.",
    "heads": "What the heads found is put side by side, and mixed by W_O where there is one.",
    "norm": "The numbers of each word are brought to the same measure.",
    "ffn": "Each word by itself goes through a small net.",
    "output": "The last vector of each word becomes a probability for each word that may come next.",
    "loss": "How surprised the model is by the words that should be said.",
}
BELOW = {
    "attention": "words look at each other",
    "masked": "words look back",
    "cross": "look at the source",
    "ffn": "each word by itself",
}


def has_stream(view: View) -> bool:
    """Whether a model has blocks along a stream."""
    return view.state.model.kind in ("encoder-decoder", "gpt", "encoder")


def layers_of(view: View) -> dict[str, int]:
    """How many layers each stack has."""
    model = view.state.model
    stacks = {"encoder": ("encoder",), "gpt": ("decoder",)}.get(model.kind, ("encoder", "decoder"))
    return dict.fromkeys(stacks, model.layers)


def shown_layer(view: View) -> int:
    """The layer that is drawn, counted from 1, or `ALL`."""
    layers = max(layers_of(view).values(), default=0)
    return min(int(view.chosen(LAYER, ALL if layers <= MOST_LAYERS else 1)), layers)


def image_of(view: View, name: str, place: tuple[float, float, float, float], array: Array | None = None) -> Image:
    """A node, or a head's slice of one, as it is shown now, in a place of the picture."""
    where = view.graph.place(name)
    array = np.atleast_2d(view.shown(where))
    axes = view.graph.axes_of(where)
    shares = view.looking.showing == "values" and name.rpartition(".")[2] in ("weights", "probabilities", "onehot")
    finite = np.abs(array[np.isfinite(array)])
    high = 1.0 if shares else float(finite.max(initial=0.0)) or 1.0
    sides = [axis if axis in view.graph.sequences else "" for axis in axes[-2:]]
    token, across = sides if len(sides) > 1 else ("", "")
    return Image(array, high, 0.0, SHARES if shares else SIGNED, place, where, token=token, across=across)


@dataclass
class Lane:
    """One sequence on its way: where its stream lies, and how far it has been drawn."""

    sequence: str
    stack: str
    words: tuple[str, ...]
    spine: float
    height: float
    width: float
    x: float = 0.0

    @property
    def top(self) -> float:
        return self.spine - self.height / 2

    @property
    def bottom(self) -> float:
        return self.spine + self.height / 2

    @property
    def pitch(self) -> float:
        return self.height / len(self.words)

    def row(self, i: int) -> float:
        """Where the line of a word lies."""
        return self.top + (i + 0.5) * self.pitch


class Lanes:
    """Draws all lanes, a decoder's below its encoder's.

    Parameters
    ----------
    view : View
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._marks: list[Mark] = []
        self._waiting: list[tuple[int, str]] = [(0, "")]
        self._stages = {stage.name: stage for stage in view.graph.stages}
        self._counts = {block.name: block.count for block in parameters(view.graph, view.state.model)}
        self._work_of: dict[str, float] = {}
        for name, node in view.nodes.items():
            self._work_of[node.stage] = self._work_of.get(node.stage, 0) + view.graph.work[name]
        self._work = sum(self._work_of.values()) or 1
        self._stack_sizes = layers_of(view)
        self._layer = shown_layer(view)
        self._bridge: tuple[float, float, float] | None = None
        self._right = self._low = 0.0
        # A single lane has more room above it.
        self._image = IMAGE if len(view.graph.sequences) > 1 else TALL
        self._box = self._image + AROUND

    def drawing(self) -> Drawing:
        """The picture."""
        view = self._view
        sequences = list(view.graph.sequences)
        stacks = ("encoder", "decoder") if len(sequences) > 1 else (next(iter(self._stack_sizes), "encoder"),)
        lane, left, top = None, 0.0, 0.0
        for sequence, stack in zip(sequences, stacks, strict=False):
            words = view.labels(sequence)
            high = float(np.clip(15 * len(words), 38, 130 if len(sequences) > 1 else 300))
            columns = view.graph.shape(f"{sequence}.X")[-1]
            above = self._box + RISE + 24.0 + high / 2
            spine = 0.0 if lane is None else lane.bottom + 22.0 + 24.0 + above
            lane = Lane(sequence, stack, words, spine, high, float(np.clip(columns * 7, 24, 56)))
            top = min(top, spine - above - 4.0)
            left = min(left, -24.0 - max(min(7.0 * max(map(len, words)), 110.0), 7.5 * len(_title(sequence, words))))
            self._draw(lane, last=sequence == sequences[-1])
        assert lane is not None
        said = "; ".join(" ".join(view.labels(sequence)[:24]) for sequence in sequences)
        summary = (
            f"The model, from the words {said} to what comes next: {', '.join(s.title for s in self._stages.values())}"
        )
        window = (left, self._right + 8.0, top, max(lane.bottom + 30.0, self._low))
        none = Axis(labels=())
        return Drawing(tuple(self._marks), window, summary, none, none, down=True, square=True, zoom=True)

    @property
    def due(self) -> list[str]:
        """The node that each mark waits for, where a pass is played; empty where it waits for none."""
        ends = [*(start for start, _ in self._waiting[1:]), len(self._marks)]
        return [name for (start, name), end in zip(self._waiting, ends, strict=True) for _ in range(start, end)]

    def _wait_for(self, name: str) -> None:
        """What is drawn from here on waits for a node."""
        self._waiting.append((len(self._marks), name))

    # A lane

    def _draw(self, lane: Lane, last: bool) -> None:
        view = self._view
        sequence = lane.sequence
        self._words(lane)
        stream = f"{sequence}.X"
        self._strip(lane, self._stages[f"{sequence}.embedding"], stream, "embeddings")
        if f"{sequence}.positions" in self._stages:
            stream = f"{sequence}.H"
            self._positions(lane, self._stages[f"{sequence}.positions"], stream)
        if f"{sequence}.dropped" in view.nodes:
            stream = f"{sequence}.dropped"
            self._strip(lane, self._stages[f"{sequence}.dropout"], stream, "dropout")
        layers = self._stack_sizes.get(lane.stack, 0)
        shown = range(1, layers + 1) if self._layer == ALL else (min(self._layer, layers),) if layers else ()
        for k in shown:
            if self._layer != ALL and k > 1:
                stream = self._result(f"{lane.stack}.{k - 1}") or stream
                self._skip(lane, stream, f"after layer {k - 1}")
            stream = self._one_layer(lane, k, stream)
            if self._layer != ALL and k < layers:
                stream = self._result(f"{lane.stack}.{layers}") or stream
                self._skip(lane, stream, f"after layer {layers}")
        if last:
            self._end(lane, stream)
        else:
            self._tracks(lane, lane.x, lane.x + GAP)
            self._bridge = lane.x + GAP, lane.spine, lane.bottom + 22.0 + 8.0

    def _words(self, lane: Lane) -> None:
        """The words at the left, each before its line."""
        self._wait_for(f"{lane.sequence}.tokens")
        size = min(12.0, 0.95 * lane.pitch)
        for i, word in enumerate(lane.words):
            token = (lane.sequence, i)
            self._marks.append(Words(-16.0, lane.row(i), word, TEXT, True, 1.0, token, size))
        title = _title(lane.sequence, lane.words)
        self._marks.append(Words(-16.0, lane.top - 13.0, title, MUTED, True, 1.0, strong=True))
        for i in range(len(lane.words)) if len(lane.words) <= TRACKS else ():
            self._marks.append(Way(((-11.0, lane.row(i)), (-1.0, lane.row(i))), MUTED, 1.0))
        lane.x = 2.0

    def _tracks(self, lane: Lane, start: float, end: float) -> None:
        """The stream goes on: a line for each word."""
        if end <= start:
            return
        rows = np.array([lane.row(i) for i in range(len(lane.words))])
        if len(rows) > TRACKS:
            rows = np.linspace(lane.top, lane.bottom, TRACKS)
        ends = np.stack([np.stack([np.full(len(rows), x), rows], axis=-1) for x in (start, end)], axis=1)
        self._marks.append(Segments(ends, MUTED if len(rows) <= 16 else LINE, 1.3 if len(rows) <= 16 else 1.0))
        chosen = self._chosen(lane)
        if chosen is not None:
            self._marks.append(Way(((start, lane.row(chosen)), (end, lane.row(chosen))), HERE, 2.4, False))

    def _chosen(self, lane: Lane) -> int | None:
        """The word that is followed, if it is in this lane."""
        token = self._view.looking.token
        return token[1] if token is not None and token[0] == lane.sequence and token[1] < len(lane.words) else None

    def _strip(self, lane: Lane, stage: Stage, name: str, caption: str = "", before: float = 0.0) -> None:
        """What the stream carries, a row for each word, in a frame that leads to a stage."""
        self._tracks(lane, lane.x, lane.x + before)
        self._wait_for(name)
        left = lane.x + before
        note, share = amount(self._view, name)
        place = left - 3.0, lane.top - 3.0, lane.width + 6.0, lane.height + 6.0
        said = f"{stage.group}: {caption or stage.title}"
        self._marks.append(Box(place, said, "", "", self._tip(stage, name), GoTo(stage.name), share))
        self._marks.append(image_of(self._view, name, (left, lane.top, lane.width, lane.height)))
        middle = left + lane.width / 2
        if caption and (caption != "norm" or share is None):
            above = lane.top - 10.0 if caption == "norm" else lane.bottom + 12.0
            self._marks.append(Words(middle, above, caption, MUTED, fixed=True, size=10.0))
        if share is not None:
            self._marks.append(Words(middle, lane.top - 10.0, note, MUTED, fixed=True, size=8.0))
        lane.x = left + lane.width + 3.0
        self._right = max(self._right, lane.x)

    def _skip(self, lane: Lane, name: str, caption: str) -> None:
        """Layers that are not drawn, and what the stream carries behind them."""
        ends = [(lane.x + 4.0 + 7.0 * k, lane.spine) for k in range(3)]
        for x, y in ends:
            self._marks.append(Words(x + 4.0, y, "·", MUTED, fixed=True, size=20.0, strong=True))
        lane.x += 32.0
        self._strip(lane, self._stages[self._view.nodes[name].stage], name, caption)
        self._tracks(lane, lane.x, lane.x + GAP)
        lane.x += GAP

    def _positions(self, lane: Lane, stage: Stage, result: str) -> None:
        """A small block whose numbers are added to the stream without reading from it."""
        name = f"{lane.sequence}.PE"
        self._wait_for(name)
        width, height = 66.0, 62.0
        left, bottom = lane.x + GAP, lane.top - RISE
        place = left, bottom - height, width, height
        share = amount(self._view, name)[1]
        self._marks.append(Box(place, "Positions", "Positions", "", self._tip(stage, name), GoTo(stage.name), share))
        wide = min(lane.width, width - 2 * PAD)
        inside = left + (width - wide) / 2, bottom - height + 20.0, wide, height - 20.0 - PAD
        self._marks.append(image_of(self._view, name, inside))
        middle = left + width / 2
        self._tracks(lane, lane.x, left + width + 4.0)
        self._plus(lane, middle, bottom, stage, result, "Positions are added to the stream")
        lane.x = left + width + 4.0
        self._strip(lane, stage, result, before=2.0)

    def _plus(self, lane: Lane, x: float, start: float, stage: Stage, name: str, said: str) -> None:
        """What comes down from a block is added to the stream."""
        size = 15.0
        self._wait_for(name)
        self._gather(lane, x)
        self._marks.append(Way(((x, start), (x, lane.top + 0.5 * lane.pitch)), TEXT, 1.5))
        place = x - size / 2, lane.spine - size / 2, size, size
        share = amount(self._view, name)[1]
        tip = f"{said}: what was there stays in it.\n{written_shape(self._view.values[name].shape)}"
        self._marks.append(Box(place, said, "+", "", tip, GoTo(stage.name), share))

    # A layer

    def _one_layer(self, lane: Lane, k: int, stream: str) -> str:
        """The blocks of a layer in their frame; returns the node that the stream carries behind it."""
        if stream.endswith(".X"):
            self._tracks(lane, lane.x, lane.x + GAP)  # room for what stands below the embeddings
            lane.x += GAP
        self._wait_for("")
        at, start = len(self._marks), lane.x + 2.0
        self._marks.append(Mark())  # its frame, as soon as it is known how wide it is
        self._wait_for(stream)
        self._tracks(lane, lane.x, lane.x + GAP)
        lane.x += GAP
        for part in SUBLAYERS:
            block = f"{lane.stack}.{k}.{part}"
            if f"{block}.output" in self._view.nodes:
                stream = self._sublayer(lane, block, stream)
        self._tracks(lane, lane.x, lane.x + GAP)
        times = self._stack_sizes[lane.stack]
        folded = self._layer != ALL and times > 1
        name = lane.stack.capitalize() if len(self._view.graph.sequences) > 1 else "Layer"
        title = f"{name} {k}" + (f" of {times}, all alike: × {times}" if folded else "")
        above = self._box + RISE + 20.0
        place = start, lane.top - above, lane.x - start + 2.0, above + lane.height + 22.0
        tip = f"Draw all {times} layers" if folded else f"Draw one layer for all {times}" if times > 1 else ""
        leads = Keep(LAYER, ALL if folded else k) if times > 1 else None
        self._marks[at] = Box(place, title, title, "", tip, leads, folded=folded, around=True)
        after = GAP - 4.0 + (6.0 if folded else 0.0)
        self._tracks(lane, lane.x, lane.x + after)
        lane.x += after
        return stream

    def _result(self, layer: str) -> str:
        """The node that a layer makes."""
        found = [name for part in SUBLAYERS if (name := self._made(f"{layer}.{part}"))]
        return found[-1] if found else ""

    def _made(self, block: str) -> str:
        """The last node of a sublayer; empty where there is no such sublayer."""
        for short in ("norm", "residual", "dropped", "projected", "concat", "output"):
            if f"{block}.{short}" in self._view.nodes and not (short == "norm" and self._before(block)):
                return f"{block}.{short}"
        return ""

    def _before(self, block: str) -> bool:
        """Whether a block's norm stands before it."""
        return f"{block}.norm" in self._stages

    def _sublayer(self, lane: Lane, block: str, stream: str) -> str:
        """A block above the stream that reads from it, and what becomes of what it made."""
        nodes = self._view.nodes
        attention = f"{block}.attention" in self._stages
        stage = self._stages[f"{block}.attention" if attention else f"{block}.layers"]
        raw = next(f"{block}.{s}" for s in ("projected", "concat", "output") if f"{block}.{s}" in nodes)
        residual = f"{block}.residual" in nodes
        width = self._width(lane, block, attention)
        left, bottom = lane.x, lane.top - RISE
        up, down = left + 14.0, left + width - 14.0
        self._tracks(lane, left, down + 12.0 if residual else up)
        self._wait_for(f"{block}.weights" if attention else f"{block}.activation")
        if not residual:
            self._tracks(lane, down, down + 12.0)
        if stage.kind in ("attention", "masked"):
            self._exchange(lane, block, up + 2.0, down - 10.0 if residual else down)
        place = left, bottom - self._box, width, self._box
        if self._before(block):
            self._wait_for(f"{block}.norm")
        self._reads(lane, block, up, bottom)
        self._wait_for(f"{block}.weights" if attention else f"{block}.activation")
        self._block(lane, stage, block, raw, place, attention)
        if stage.kind == "cross":
            self._bridge_to(place)
        if residual:
            self._plus(
                lane,
                down,
                bottom,
                self._stages[nodes[f"{block}.residual"].stage],
                f"{block}.residual",
                f"What {stage.title.lower()} made is added to the stream",
            )
        else:
            self._gather(lane, down)
            self._marks.append(Way(((down, bottom), (down, lane.top + 0.5 * lane.pitch)), TEXT, 1.5, head=False))
        self._wait_for(raw)
        below = self._added(lane, raw, stream if residual else "", left, width) or BELOW.get(stage.kind, "")
        self._marks.append(Words(left + width / 2, lane.bottom + 12.0, below, MUTED, fixed=True, size=10.0))
        lane.x = down + 12.0
        result = self._made(block)
        if result.endswith(".norm"):
            self._strip(lane, self._stages[nodes[result].stage], result, "norm", before=6.0)
            self._tracks(lane, lane.x, lane.x + GAP)
        else:
            self._tracks(lane, lane.x, lane.x + GAP)
        lane.x += GAP
        return result

    def _reads(self, lane: Lane, block: str, x: float, bottom: float) -> None:
        """The way from the stream up into a block, through its norm where that stands before it."""
        self._gather(lane, x)
        self._marks.append(Way(((x, lane.top + 0.5 * lane.pitch), (x, bottom)), TEXT, 1.5))
        if self._before(block):
            stage, name = self._stages[f"{block}.norm"], f"{block}.norm"
            place = x - 13.0, bottom + 5.0, 36.0, 14.0
            _, share = amount(self._view, name)
            self._marks.append(
                Box(place, f"{stage.group}: norm", "norm", "", self._tip(stage, name), GoTo(stage.name), share)
            )

    def _added(self, lane: Lane, made: str, stream: str, left: float, width: float) -> str:
        """How long what a block made for the followed word is, as part of the vector that it is added to.

        Drawn as a bar, and returned in words; empty where no word is followed.
        """
        i = self._chosen(lane)
        if i is None:
            return ""
        if not stream:
            return "its vector is a new one"
        before, added = length(self._view.values[stream][i]), length(self._view.values[made][i])
        part = added / before if before else 0.0
        bar = width * part / (1.0 + part)
        self._marks.append(Band((left, lane.bottom + 19.0, width, 3.0), LINE))
        self._marks.append(Way(((left, lane.bottom + 20.5), (left + bar, lane.bottom + 20.5)), HERE, 3.0, head=False))
        return f"adds {100 * part:.0f} % of its length"

    def _gather(self, lane: Lane, x: float) -> None:
        """A bar across the lines of all words: there a block reads from all of them, or adds to each."""
        ends = (x, lane.top + 0.5 * lane.pitch), (x, lane.bottom - 0.5 * lane.pitch)
        self._marks.append(Way(ends, TEXT, 1.5, head=False))

    def _width(self, lane: Lane, block: str, attention: bool) -> float:
        if not attention:
            return LEAST_BLOCK
        across, side, _ = self._grid(block)
        return max(across * (side + 4.0) - 4.0 + 2 * PAD, LEAST_BLOCK)

    def _grid(self, block: str) -> tuple[int, float, int]:
        """How many heads stand beside each other, how large each is, and how many are drawn."""
        heads = min(self._view.graph.n_heads(f"{block}.weights") or 1, MOST_HEADS)
        down = 1
        while heads * self._image / down**2 > WIDEST_HEADS:
            down += 1
        return -(-heads // down), (self._image - 3.0 * (down - 1)) / down, heads

    def _block(
        self, lane: Lane, stage: Stage, block: str, raw: str, place: tuple[float, float, float, float], attention: bool
    ) -> None:
        """The block itself: the weights of each head, or the hidden units."""
        view = self._view
        left, top, width, height = place
        values = view.looking.showing == "values"
        note, share = amount(view, raw)
        title = named = stage.title
        if attention:
            heads = view.graph.n_heads(f"{block}.weights") or 1
            named = f"{title}, {heads} heads" if heads > 1 else title
        else:
            hidden = view.graph.shape(f"{block}.hidden")[-1]
            into, out = (view.graph.shape(f"{lane.sequence}.X")[-1],) * 2
            note = f"{into} → {hidden} → {out}" if values else note
        inside, off = "" if attention and values else note, is_off(view, raw)
        self._marks.append(
            Box(
                place,
                f"{stage.group}: {named}{', switched off' if off else ''}",
                f"✕ {title}" if off else title,
                inside,
                f"{self._tip(stage, raw)}\nA right click turns parts of it off.",
                GoTo(stage.name),
                share,
                menu=self._menu(block, raw, stage.title.lower(), attention),
                off=off,
            )
        )
        if not attention:
            room = left + PAD, top + 20.0, width - 2 * PAD, self._image
            self._marks.append(image_of(view, f"{block}.activation", room))
            return
        across, side, drawn = self._grid(block)
        start = left + (width - across * (side + 4.0) + 4.0) / 2
        for head in range(drawn):
            row, column = divmod(head, across)
            at = start + column * (side + 4.0), top + 20.0 + row * (side + 3.0), side, side
            self._marks.append(image_of(view, view.of_head(f"{block}.weights", head), at))
        heads_stage = self._stages.get(f"{block}.heads")
        if heads_stage is not None and values:
            mixed = "concat · W_O" if f"{block}.W_O" in view.nodes else "concat"
            mixed = f"{heads} heads · {mixed}" if heads > 2 else mixed
            pill = left + PAD, top + height - 18.0, width - 2 * PAD, 14.0
            said = f"{heads_stage.title} of {stage.group}: {stage.title}"
            self._marks.append(Box(pill, said, mixed, "", self._tip(heads_stage, raw), GoTo(heads_stage.name)))

    def _menu(self, block: str, raw: str, title: str, attention: bool) -> tuple[tuple[str, Gesture], ...]:
        """What can be turned off and on in a block, and around it."""
        view = self._view
        offers = [(title, raw)]
        heads = (view.graph.n_heads(f"{block}.output") or 1) if attention else 1
        if 1 < heads <= MOST_OFFERED:
            offers += [(f"head {k + 1}", view.of_head(f"{block}.output", k)) for k in range(heads)]
        found: list[tuple[str, Gesture]] = [
            (f"Turn {what} {'on' if is_off(view, name) else 'off'}", turn(view, name)) for what, name in offers
        ]
        residual, norm = (view.state.model.switch(block, switch) for switch in ("residual", "norm"))
        found.append((f"Turn the residual {'off' if residual else 'on'}", Switch(block, "residual", not residual)))
        if norm == "none":
            found.append(("Turn the norm on", Switch(block, "norm", "post")))
        else:
            found.append(("Turn the norm off", Switch(block, "norm", "none")))
        return tuple(found)

    def _exchange(self, lane: Lane, block: str, start: float, end: float) -> None:
        """Lines from each word to those that look at it, thick by the mean of the heads' weights."""
        weights = np.nan_to_num(self._view.values[f"{block}.weights"])
        mean = weights.mean(0) if weights.ndim == 3 else weights
        seen = np.count_nonzero(mean, axis=-1, keepdims=True)
        least = LEAST_SHARE if len(mean) <= FEW_WORDS else np.minimum(MORE_THAN_EVEN / np.maximum(seen, 1), 0.5)
        wanted = mean >= least
        if len(mean) > MANY_WORDS:
            wanted &= mean >= mean.max(-1, keepdims=True)
        queries, keys = np.nonzero(wanted)
        chosen = self._chosen(lane)
        shares = mean[queries, keys]
        levels = np.ceil(np.clip(shares, 0, 1) * LEVELS).astype(int)
        for lit in (False, True):
            meant = (queries == chosen) if chosen is not None else np.zeros(len(queries), dtype=bool)
            for level in range(1, LEVELS + 1):
                drawn = np.flatnonzero((levels == level) & (meant == lit))
                if not len(drawn):
                    continue
                ends = np.array(
                    [[[start, lane.row(keys[i])], [end, lane.row(queries[i])]] for i in drawn.tolist()], dtype=float
                )
                ink = HERE if lit else LINE if chosen is not None else series(0)
                self._marks.append(Segments(ends, ink, 0.5 + 3.0 * level / LEVELS))

    def _bridge_to(self, place: tuple[float, float, float, float]) -> None:
        """From the end of the encoder down to a block that looks at the source."""
        if self._bridge is None:
            return
        x, y, bend = self._bridge
        middle, top = place[0] + place[2] / 2, place[1]
        ways = (x - 2.0, y), (x + 12.0, y), (x + 12.0, bend), (middle, bend), (middle, top)
        self._marks.append(Way(ways, TEXT, 2.0))
        side = -10.0 if middle < x else 10.0
        align = 0.0 if middle < x else 1.0
        self._marks.append(
            Words(middle - side, bend + 9.0, "the source, as keys and values", MUTED, True, align, size=10.0)
        )
        self._right = max(self._right, x + 14.0)

    # The end

    def _end(self, lane: Lane, stream: str) -> None:
        view = self._view
        if "final.norm" in view.nodes:
            stream = "final.norm"
            self._strip(lane, self._stages["final.norm"], stream, "norm", before=GAP)
        if "output" not in self._stages:
            self._tracks(lane, lane.x, lane.x + GAP)
            for i, word in enumerate(lane.words):
                size = min(12.0, 0.95 * lane.pitch)
                token = (lane.sequence, i)
                self._marks.append(Words(lane.x + GAP + 4.0, lane.row(i), word, TEXT, True, 0.0, token, size))
            said = "Each word in its context"
            self._marks.append(Words(lane.x + 4.0, lane.top - 13.0, said, MUTED, True, 0.0, strong=True))
            longest = max(8.0 * max(map(len, lane.words)), 150.0)
            self._right = max(self._right, lane.x + GAP + longest)
            return
        self._answers(lane)

    def _answers(self, lane: Lane) -> None:
        """The likeliest next words behind the word that is followed, or the last one, as bars; and the loss."""
        view, stage = self._view, self._stages["output"]
        self._wait_for("output.probabilities")
        name = "output.probabilities"
        probabilities = view.values[name]
        axis = view.nodes[name].axes[0]
        row = min(view.row(axis, last=True), len(probabilities) - 1)
        words, shares = view.labels(view.nodes[name].axes[1]), probabilities[row]
        best = np.argsort(-np.nan_to_num(shares), kind="stable")[:MOST_BARS].tolist()
        inner = 16.0 * len(best)
        height, left = inner + 40.0, lane.x + 26.0
        self._tracks(lane, lane.x, lane.x + 6.0)
        start = lane.row(min(row, len(lane.words) - 1))
        top = min(max(lane.spine - height + 34.0, start - height + 14.0), start - 14.0)
        place = left, top, 166.0, height
        self._marks.append(
            Way(((lane.x + 6.0, start), (left, start)), HERE if self._chosen(lane) is not None else TEXT, 2.0)
        )
        note, share = amount(view, name)
        after = view.labels(axis)[row]
        tip = self._tip(stage, name)
        self._marks.append(
            Box(
                place,
                f"What comes after {after}",
                f"After “{after}” comes",
                "" if share is None else note,
                tip,
                GoTo(stage.name),
                share,
            )
        )
        cells = tuple(Cell(name, (row, j)) for j in best)
        values = tuple(float(shares[j]) for j in best)
        inside = place[0] + 6.0, place[1] + 22.0, place[2] - 10.0, inner
        self._marks.append(
            Bars(
                inside,
                tuple(words[j] for j in best),
                values,
                cells,
                max(1.0, *values),
                self._before_edit(name, row, best),
            )
        )
        low = place[1] + height
        if LOSS.node in view.nodes:
            low = self._loss(place[0], low + 16.0, place[2], low)
        self._right, self._low = max(self._right, left + place[2]), max(self._low, low + 8.0)

    def _before_edit(self, name: str, row: int, columns: Sequence[int]) -> tuple[float, ...]:
        """Some numbers of a row before the last edit, if it changed them: opening an example is no edit."""
        was = self._view.last.before.get(name)
        if was is None or was.shape != self._view.values[name].shape or self._view.given:
            return ()
        return tuple(float(was[row, j]) for j in columns)

    def _loss(self, left: float, top: float, width: float, above: float) -> float:
        """The loss below the answers; returns where it ends."""
        view, stage = self._view, self._stages["loss"]
        self._wait_for(LOSS.node)
        loss = float(view.values[LOSS.node])
        note, share = amount(view, LOSS.node)
        number = written(loss, significant(loss, 3))
        title = f"Loss {number}" if share is None else f"Loss {number}, {note}"
        place = left, top, width, 22.0
        self._marks.append(Way(((left + width / 2, above), (left + width / 2, top)), MUTED, 1.5))
        self._marks.append(Box(place, "Loss", title, "", self._tip(stage, LOSS.node), GoTo(stage.name), share))
        return top + 22.0

    # What a tooltip says

    def _tip(self, stage: Stage, name: str) -> str:
        """What a block does, its shape, and its part of the numbers and of the work."""
        view = self._view
        block = stage.name.rpartition(".")[0] if "." in stage.name else stage.name
        lines = [f"{stage.group}: {stage.title}", SAID.get(stage.kind, ""), written_shape(view.values[name].shape)]
        if count := self._counts.get(block, 0):
            lines.append(f"{count:,} parameters")
        work = self._work_of.get(stage.name, 0)
        if work:
            lines.append(f"{100 * work / self._work:.0f} % of the multiplications")
        return "\n".join(filter(None, lines))


def _title(sequence: str, words: Sequence[str]) -> str:
    """What goes in."""
    count = f" · {len(words)}" if len(words) > 12 else ""
    return {"source": "Source", "target": "Target so far"}.get(sequence, "Words in") + count
