"""A lane of the picture of the whole model: the residual stream of one sequence, and the marks along it.

`amount` gives the note and the colour of a node: its shape, its relative change, or its gradient.

The functions at the end make the contents of a block: hidden units, a gate, experts, and positions in attention.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.core.cost import parameters
from explorer.core.decoder import multiplications
from explorer.core.errors import written_shape
from explorer.core.frozen import Frozen
from explorer.core.graph import LOGITS, LOSS, Place, Stage
from explorer.core.model import READS
from explorer.core.numbers import full_of, percent, written
from explorer.core.ops import Array
from explorer.pages import drawing as draw
from explorer.pages.gestures import GoTo
from explorer.pages.levels import hides_earlier, into
from explorer.pages.matrix import CALM, SHARES, SIGNED
from explorer.pages.model import meanings
from explorer.pages.view import View, once_a_graph

RELATIVE = {"change": "Δ", "step": "Δ", "difference": "≠"}
LEAST_POWER, POWERS = -4.0, 5.0
"""The scale of colours in powers of ten: 0.0001 has the palest colour, 10 the deepest."""
LARGE = 1e100
"""The squares of larger numbers may overflow."""


def amount(view: View, name: str) -> tuple[str, float | None]:
    """The note at a node, and the depth of its colour from 0 to 1, or None for no colour.

    While values are shown, the note is the shape. Changes and differences are given in percent of the former values,
    gradients as they are; the colour of both depends on the power of ten.
    """
    showing = view.looking.showing
    if showing == "difference" and view.other(Place(name)) is None:
        return "–", 0.0  # the other model has nothing of this name and shape
    if view.values[name].dtype.kind != "f" and showing != "values":
        same = not view.changed(name)[0] and not view.is_new(name)
        return ("", 0.0) if same or showing != "change" else ("changed", 1.0)
    if showing in RELATIVE:
        if showing == "change" and view.is_new(name):
            return "new", 1.0
        part = relative(view, name)
        if not part:
            return "same", 0.0
        return f"{RELATIVE[showing]} {_short(100 * part)}%", depth(part)
    if showing == "gradient" and LOSS in view.nodes:
        size = length(view.shown(Place(name)))
        return f"∂L {_short(size)}", depth(size)
    return written_shape(view.values[name].shape), None


def relative(view: View, name: str) -> float:
    """The length of a node's shown change, divided by the length of the values before it."""
    place = Place(name)
    shown, now = view.shown(place), view.engine.value(place)
    with np.errstate(all="ignore"):
        before = length(now - shown)
    size = length(shown)
    return size / before if before else float(size > 0)


def length(array: Array) -> float:
    """The root of the sum of the squares of the finite numbers, computed so that squares do not overflow."""
    finite = array[np.isfinite(array)].astype(float)
    most = float(np.abs(finite).max(initial=0.0))
    unit = most if most > LARGE else 1.0
    return unit * float(np.sqrt(((finite / unit) ** 2).sum()))


def depth(number: float) -> float:
    """The depth of the colour for a size, from 0 to 1."""
    return float(np.clip((np.log10(number) - LEAST_POWER) / POWERS, 0.0, 1.0)) if number > 0 else 0.0


def _short(number: float) -> str:
    return written(number, 0 if number >= 10 else 1 if number >= 1 else 2, figures=1)


GAP, RISE, PAD = 12.0, 24.0, 7.0
"""The gap between parts; the distance of a block above the stream; the padding beside the image in a block."""
SMALL, LETTER, WIDEST_WORD = 11.7, 9.4, 140.0
"""The height of a line of small words, the most width of one of its letters, and the most width of a word."""
LINE_HEIGHT, MOST_APART = 17.0, 44.0
"""The distance between lines of large words, and the most height of all of them; both times `large`."""
DEEPEST = 4.0
"""With many words, the colour of shares is deepest at this many times their mean."""
OF_SHARES = ("weights", "probabilities", "onehot", "routed")
"""The last part of the names of nodes whose rows are shares."""
ARROW = 6.0
"""Words have arrows to their lines only if the lines are at least so far apart."""
FEW_WORDS = 12
"""The most words whose number is not said above them."""
TRACKS = 48
"""The most words that each have a line: more lines would look like a grey mat, so only this many are drawn."""


@once_a_graph  # each edit draws all boxes anew
def sentences(view: View) -> Mapping[str, str]:
    """What each stage does with its present switches, by its name; "" if there is nothing to say."""
    return {stage.name: meanings("stages").get(_does(view, stage), "") for stage in view.graph.stages}


def _does(view: View, stage: Stage) -> str:
    """The key of the sentence on a stage."""
    match stage.kind:
        case "attention" | "masked":
            how, crosses = looks(view, view.block(stage)), any(one.kind == "cross" for one in view.graph.stages)
            return f"{how} beside cross" if crosses and how in ("attention", "mask") else how
        case "norm" if not any(node.op.normalises for node in view.stage(stage.name)):
            return "sum"
        case "output" if view.nodes[LOGITS].is_input:
            return "given"
        case "output" if view.state.model.kind == "encoder":
            return "place"
        case "loss" if not view.nodes[LOSS].op.of_words:
            return "errors"
    return stage.kind


def looks(view: View, block: str) -> str:
    """How words look at words in self-attention: "attention", at all; "mask", as it lets them; "masked", only back;
    "window", only to the nearest ones back.

    `block`: its path with a dot at its end.
    """
    mask = view.nodes.get(f"{block}mask")
    if mask is None:
        return "attention"
    if mask.op.reach is None:
        return "mask"
    return "window" if hides_earlier(view.graph, mask) else "masked"


def from_to(view: View) -> str:
    """The picture of the whole in words: from which words to what."""
    said = "; ".join(" ".join(view.labels(sequence)[:24]) for sequence in view.graph.sequences)
    goal = "what comes next"
    if view.state.model.kind == "encoder":
        goal = "the words at their places" if LOGITS in view.nodes else "each word in its context"
    return f"The model, from the words {said} to {goal}"


def title_of(sequence: str, words: Sequence[str]) -> str:
    """The title of a sequence that goes in; of many words, with their number."""
    count = f" · {len(words)}" if len(words) > FEW_WORDS else ""
    return {"source": "Source", "target": "Target so far"}.get(sequence, "Words in") + count


def image_of(view: View, name: str, place: draw.Rect) -> draw.Image:
    """The image, at a place of the picture, of what is shown now of a node or of a head's slice of one."""
    where = view.graph.place(name)
    array = np.atleast_2d(view.shown(where))
    axes = view.graph.axes_of(where)
    shares = view.looking.showing == "values" and name.rpartition(".")[2] in OF_SHARES
    high = _full(array) if shares else CALM * full_of(array) or 1.0
    sides = [axis if axis in view.graph.sequences else "" for axis in axes[-2:]]
    token, across = sides if len(sides) > 1 else ("", "")
    return draw.Image(array, high, 0.0, SHARES if shares else SIGNED, place, where, token=token, across=across)


def _full(shares: Array) -> float:
    """The share at which the colour is deepest: 1 as on the pages; less with many words, whose shares are small."""
    if max(shares.shape) <= draw.LONG:
        return 1.0
    some = np.abs(shares[np.isfinite(shares) & (shares != 0)])
    return min(1.0, DEEPEST * float(some.mean())) if some.size else 1.0


@dataclass
class Lane:
    """The stream of one sequence: where it lies, and up to which x it has been drawn."""

    sequence: str
    stack: str
    words: tuple[str, ...]
    spine: float
    height: float
    width: float
    x: float = 0.0
    wrapped: bool = False  # whether it goes on in further rows

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
        """The height (y) of the line of a word."""
        return self.top + (i + 0.5) * self.pitch

    def at(self, x: float) -> Array:
        """The points of all lines at an x, (n_words, 2)."""
        n = len(self.words)
        return np.stack([np.full(n, x), self.top + (np.arange(n) + 0.5) * self.pitch], axis=1)


class _Costs(Frozen):
    """How many parameters each stage has, and its share in the multiplications."""

    parameters: Mapping[str, int]
    shares: Mapping[str, float]


@once_a_graph  # each edit draws the picture anew
def _costs(view: View) -> _Costs:
    counts, work = Counter[str](), Counter[str]()
    for weights in (one for block in parameters(view.graph, view.state.model) for one in block.weights):
        counts[view.nodes[weights.name].stage] += weights.count
    for node in view.nodes.values():
        if node.short != "likeness":  # which is only for looking at
            work[node.stage] += multiplications(view.graph, node)
    every = work.total() or 1
    return _Costs(counts, {stage: some / every for stage, some in work.items()})


class Sheet:
    """The marks drawn so far, and methods that draw what lanes have in common.

    `large`: a factor for the words that go in and come out. In a picture of many layers they are larger than other
    words, because they are read first.
    """

    def __init__(self, view: View, large: float = 1.0) -> None:
        self.view, self.large = view, large
        self.marks: list[draw.Mark] = []
        self.stages = view.stages
        longest = max(len(word) for sequence in view.graph.sequences for word in view.labels(sequence))
        self._room = min(LETTER * (longest + 2), WIDEST_WORD) * large  # for the words at the left
        self.right = self.low = self.high = 0.0
        """How far the drawing extends to the right, down and up."""
        self._waiting: list[tuple[int, str]] = [(0, "")]
        self._costs = _costs(view)

    def add(self, *marks: draw.Mark) -> None:
        """Draw marks above all earlier marks."""
        self.marks += marks

    @property
    def due(self) -> list[str]:
        """For each mark, the node that it waits for while a pass is played; "" if it waits for none."""
        ends = [*(start for start, _ in self._waiting[1:]), len(self.marks)]
        return [name for (start, name), end in zip(self._waiting, ends, strict=True) for _ in range(start, end)]

    def wait_for(self, name: str) -> None:
        """Let all marks that are drawn from now on wait for a node."""
        self._waiting.append((len(self.marks), name))

    def chosen(self, sequence: str) -> int | None:
        """The index of the followed word, if it is in this sequence."""
        axis, place = self.view.looking.token or ("", 0)
        return place if axis == sequence and place < len(self.view.labels(sequence)) else None

    @property
    def follows(self) -> bool:
        """Whether any word is followed."""
        return any(self.chosen(sequence) is not None for sequence in self.view.graph.sequences)

    def caption(self, x: float, y: float, words: str) -> None:
        """Small words around a place."""
        self.add(draw.Words(x, y, words, draw.MUTED, fixed=True, size=SMALL))

    # The stream

    def left(self, lane: Lane, title: str) -> float:
        """The x at which the words of a lane and its title begin; a long title may extend over the first strip."""
        return min(-16.0 - self._room, lane.width - 0.9 * LETTER * len(title) * self.large)

    def words(self, lane: Lane, title: str = "") -> None:
        """The words at the left, each before its line. Without a title: the stream continues in another row."""
        self.wait_for(f"{lane.sequence}.tokens")
        n, large = len(lane.words), self.large if title else 1.0
        each = max(min(LINE_HEIGHT * large, MOST_APART * large / n), lane.pitch) if large > 1.0 else lane.pitch
        for i, word in enumerate(lane.words):
            y = lane.row(n - 1) - (n - 1 - i) * each
            token, room = (lane.sequence, i), self._room if title else 0.0
            self.add(draw.Words(-16.0, y, word, draw.TEXT, True, 1.0, token, SMALL * large, room=room))
            if lane.pitch >= ARROW:
                self.add(draw.FlowLine(((-11.0, y), (-1.0, lane.row(i))), draw.MUTED, 1.0))
        if title:
            x, y, high = self.left(lane, title), lane.top - RISE - 4.0, LINE_HEIGHT * large
            if large > 1.0:  # above the strip and its caption
                y = min(lane.row(n - 1) - (n - 1) * each - high, lane.top - 18.0 - high / 2)
            self.add(draw.Words(x, y, title, draw.MUTED, True, 0.0, size=12.0 * large, strong=True))
        lane.x = 2.0

    def tracks(self, lane: Lane, start: float, end: float) -> None:
        """Continue the stream from `start` to `end`: a line for each word."""
        if end > start:
            self.lines(lane.sequence, np.stack([lane.at(start), lane.at(end)], axis=1))

    def lines(self, sequence: str, ends: Array) -> None:
        """A part of the stream: a line for each word, or for `TRACKS` of them; the followed word's line on top."""
        n, chosen = len(ends), self.chosen(sequence)
        whose = np.arange(n) if n <= TRACKS else np.linspace(0, n - 1, TRACKS).round().astype(int)
        ink, width = (draw.MUTED, 1.3) if len(whose) <= 16 else (draw.LINE, 1.0)
        self.add(draw.Segments(ends[whose], ink, width, token=sequence, whose=whose))
        if chosen is not None:
            start, end = ends[chosen].tolist()
            self.add(draw.FlowLine((tuple(start), tuple(end)), draw.HERE, 2.4, False))

    def go_on(self, lane: Lane, far: float = GAP) -> None:
        """Continue the stream by `far`."""
        self.tracks(lane, lane.x, lane.x + far)
        lane.x += far

    def gather(self, lane: Lane, x: float) -> None:
        """A bar across the lines of all words: here a block reads from all words, or adds to each."""
        ends = (x, lane.row(0)), (x, lane.row(len(lane.words) - 1))
        self.add(draw.FlowLine(ends, draw.TEXT, 1.5, head=False))

    def strip(
        self, lane: Lane, stage: Stage, name: str, caption: str = "", before: float = 0.0, said: str = ""
    ) -> None:
        """The image of the stream's vectors, a row for each word, in a box that leads to its block; `said` names it."""
        self.tracks(lane, lane.x, lane.x + before)
        self.wait_for(name)
        left = lane.x + before
        note, share = amount(self.view, name)
        place = left - 3.0, lane.top - 3.0, lane.width + 6.0, lane.height + 6.0
        said = f"{stage.group}: {said or caption or stage.title}"
        self.add(draw.Box(place, said, "", "", self.tip(stage, name), self.into(stage), share))
        self.add(image_of(self.view, name, (left, lane.top, lane.width, lane.height)))
        middle = left + lane.width / 2
        if caption and (caption != "norm" or share is None):
            self.caption(middle, lane.top - 11.0 if caption == "norm" else lane.bottom + 13.0, caption)
        if share is not None:
            self.caption(middle, lane.top - 11.0, note)
        lane.x = left + lane.width + 3.0
        self.right = max(self.right, lane.x)

    def skip(self, lane: Lane, name: str, caption: str) -> None:
        """Three dots for the layers that are not drawn, and the strip of the stream after them."""
        for x in (8.0, 15.0, 22.0):
            self.add(draw.Words(lane.x + x, lane.spine, "·", draw.MUTED, fixed=True, size=20.0, strong=True))
        lane.x += 32.0
        self.strip(lane, self.stages[self.view.nodes[name].stage], name, caption)
        self.go_on(lane)

    def plus(self, lane: Lane, x: float, start: float, stage: Stage, name: str, said: str) -> None:
        """The plus sign where the output of a block, coming down from it, is added to the stream."""
        size = 15.0
        self.wait_for(name)
        self.gather(lane, x)
        self.add(draw.FlowLine(((x, start), (x, lane.row(0))), draw.TEXT, 1.5))
        place = x - size / 2, lane.spine - size / 2, size, size
        share = amount(self.view, name)[1]
        tip = f"{said}: what was there stays in it.\n{written_shape(self.view.values[name].shape)}"
        self.add(draw.Box(place, said, "+", "", tip, self.into(stage), share))

    def added(self, lane: Lane, made: str, stream: str, left: float, width: float) -> str:
        """The length of a block's output for the followed word, in percent of the vector that it is added to.

        It is drawn as a bar and returned in words; "" if no word is followed.
        """
        i = self.chosen(lane.sequence)
        if i is None:
            return ""
        if not stream:
            return "its vector is a new one"
        before, added = length(self.view.values[stream][i]), length(self.view.values[made][i])
        bar, y = width * added / ((before + added) or 1.0), lane.bottom + 21.5
        self.add(draw.Band((left, y - 1.5, width, 3.0), draw.LINE))
        self.add(draw.FlowLine(((left, y), (left + bar, y)), draw.HERE, 3.0, head=False))
        return f"adds {percent(added / before)} of its length" if before else "adds to a vector of zeros"

    # What a box says, and where it leads

    def into(self, stage: Stage) -> GoTo:
        """The gesture of a box of a stage: go to its block, or to the stage."""
        return into(self.view.graph, stage)

    def tip(self, stage: Stage, name: str) -> str:
        """The tooltip of a stage: what it does, its shape, its parameters and its share of the multiplications."""
        said, shape = sentences(self.view)[stage.name], written_shape(self.view.values[name].shape)
        lines = [stage.where, said, shape]
        if count := self._costs.parameters.get(stage.name, 0):
            lines.append(f"{count:,} parameter{'s' * (count != 1)}")
        if share := self._costs.shares.get(stage.name, 0):
            lines.append(f"{percent(share)} of the multiplications")
        return "\n".join(filter(None, lines))


BETWEEN, SIGN = 13.0, 11.0
"""The room between the images of a gate and of the hidden units, and the height of the sign ⊙ there."""
IN_ATTENTION = {"rotary": "rotary", "ALiBi": "ALiBi", "relative": "distances"}
"""Kinds of positions that are a part of attention, with their names in the picture."""


def net_node(view: View, block: str) -> str:
    """The node that stands for a net: the shares of its experts if it has experts, else its hidden units."""
    routed = f"{block}.routed"
    return routed if routed in view.nodes else f"{block}.activation"


def net_marks(view: View, block: str, place: draw.Rect, on: float | None = None) -> list[draw.Mark]:
    """Pictures of what a net computes, within a place: hidden units; gate ⊙ units; or words by experts.

    `on`: the `share` of the box around them.
    """
    if f"{block}.gated" not in view.nodes or f"{block}.routed" in view.nodes:
        return [image_of(view, net_node(view, block), place)]
    left, top, width, height = place
    wide = (width - BETWEEN) / 2
    middle = left + width / 2, top + height / 2
    return [
        image_of(view, f"{block}.activation", (left, top, wide, height)),
        draw.Words(*middle, "⊙", draw.MUTED, True, size=SIGN, on=on),
        image_of(view, f"{block}.hidden", (left + wide + BETWEEN, top, wide, height)),
    ]


def net_note(view: View, block: str) -> str:
    """The widths of a net, or how many of its experts a word gets."""
    routed = f"{block}.routed"
    if routed in view.nodes:
        model, experts = view.state.model, view.graph.shape(routed)[-1]
        shared = " + 1 shared" if model.switch(block, "shared") else ""
        return f"{model.switch(block, 'chosen')} of {experts} experts{shared}"
    out, hidden = (view.graph.shape(f"{block}.{short}")[-1] for short in ("output", "hidden"))
    twice = "2×" if f"{block}.gated" in view.nodes else ""
    return f"{out}→{twice}{hidden}→{out}"  # without spaces: a block in a small window has no room for them


def net_title(view: View, block: str, title: str) -> str:
    """The title of a net, which says whether it has experts or a gate."""
    if f"{block}.routed" in view.nodes:
        return "Experts"
    return f"Gated {title.lower()}" if f"{block}.gated" in view.nodes else title


def beside(view: View, block: str) -> bool:
    """Whether a net reads the same input as the attention before it, instead of the stream after it."""
    return block.endswith(".ffn") and view.state.model.switch(block, "reads") != READS[0]


def places_in(view: View, block: str) -> str:
    """The kind of positions inside this attention; "" if it has none."""
    if not any(f"{block}.{short}" in view.nodes for short in ("Q_rotated", "biased")):
        return ""
    sequence = view.nodes[f"{block}.scores"].axes[-2]
    return IN_ATTENTION.get(str(view.state.model.switch(sequence, "positions")), "")


def sharing(view: View, block: str) -> int:
    """How many heads share one head of keys and values; 1 if each has its own."""
    heads = view.graph.n_heads.get(f"{block}.weights", 1)
    return heads // (view.graph.n_heads.get(f"{block}.K") or heads)
