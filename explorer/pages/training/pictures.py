"""Pictures of a run on the page "Train": losses, gradients, a weight, and the answers of the model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from explorer.core.errors import written_shape
from explorer.core.frozen import Frozen
from explorer.core.graph import LOSS, PROBABILITIES, TARGET, Place
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import largest_of, written
from explorer.core.ops import Array
from explorer.core.training.recipe import length
from explorer.core.training.records import Records
from explorer.core.vocabulary import end_mark, typed
from explorer.pages import page as el
from explorer.pages.controls import Check, Choice, Field
from explorer.pages.drawing import TEXT, Axis, Drawing, Image, Words, drawable
from explorer.pages.element import Element
from explorer.pages.gestures import ForTraining
from explorer.pages.levels import block_title, matrix_title
from explorer.pages.matrix import SIGNED
from explorer.pages.stages.net_answers import net_picture, surface_side
from explorer.pages.training.settings import OWN, RunProgress
from explorer.pages.view import View, where

WRITTEN = DECODER_READS["encoder-decoder"]
MOST_PLACES, LIKELIEST, MOST_TYPED = 8, 3, 2000
CALM = 150
"""The least number of points of a line that is drawn as means."""
BETWEEN, ASIDE, NARROWEST, NARROW_NET, THIRD, WIDEST = 26, 16, 400, 270, 370, 1000
"""Pixels at text scale 1: between two columns; more of that at the right of a square; the least width of a picture
beside another, also of one of a net, whose loss should be seen beside its answers, and of one of three beside each
other; and the greatest."""
LOW, HIGH, BESIDES = 220, 430, 360
"""Pixels at text scale 1: the greatest height of a curve in a low window and in a high one; and the height kept for the
parts around two curves, so that both are visible."""
MAP_ROW, MAP_COLUMN, MAP_HEAD, MAP_SIDE = 36, 72, 28, 48
"""Pixels at text scale 1: the greatest height and width of a cell of a weight, the height of the names of its columns,
and the width of those of its rows.
"""
MOST_NUMBERS, MOST_ACROSS = 32, 8
"""With at most this many numbers, and this many in a row, the numbers are written onto their colours."""


@dataclass
class Watch:
    """What the reader has chosen to watch while a model learns."""

    weight: str = ""  # the name of the weight that is drawn
    log: bool = False  # whether the scale of the losses is logarithmic
    words: str | None = None  # words to try that are being typed; None: the words that the model reads
    typed: tuple[str, tuple[str, ...]] = "", ()  # the lesson in which they are typed, and the words its model reads
    example: str = ""  # the lesson in which the reader tries words
    before: tuple[str, ...] = ()  # the words that its model read before

    def type(self, words: str, view: View) -> None:
        """Take over words to try as they are being typed."""
        self.words, self.typed = words, (view.state.lesson, words_read(view))

    def to_try(self, view: View) -> str | None:
        """The typed words; None if there are none, or if the model has read other words since."""
        return self.words if self.typed == (view.state.lesson, words_read(view)) else None

    def keep(self, view: View) -> None:
        """Remember the words that the model read before the reader tried words."""
        if not self.tries(view):
            self.example, self.before = view.state.lesson, words_read(view)
        self.words = None

    def tries(self, view: View) -> bool:
        """Whether the model reads words that the reader tries; its target is then no translation of them."""
        return self.example == view.state.lesson and self.before != words_read(view)


class Room:
    """How pictures share the room of a page, in pixels at text scale 1.

    `width`: that of a curve; `net`: that for the answers of a net; `left`: that of the column that they stand in, which
    leaves the rest to the curves; `weight`: that of a weight, which with much room has a third column; `most`: the most
    height of a picture; `high`: the height of a curve.
    """

    def __init__(self, across: float, down: float, of_net: bool = False, surface: bool = False) -> None:
        half = (across - BETWEEN) / 2
        self.columns = 1 + (half >= (NARROW_NET if of_net else NARROWEST))
        self.net = self.left = self.width = int(min(half if self.columns > 1 else across, WIDEST))
        self.weight = self.net
        if surface and self.columns > 1:  # a square, narrower than half of the page
            self.left = self.weight = min(surface_side(self.net) + ASIDE, self.net)
            rest = across - self.left - BETWEEN
            if rest >= 2 * THIRD + BETWEEN:
                self.columns, self.weight = 3, THIRD
                rest -= THIRD + BETWEEN
            self.width = int(min(rest, WIDEST))
        self.most = int(min(max((down - BESIDES) / 2, LOW), HIGH))
        self.high = min(self.width // 2, self.most)


class Sight(Frozen):
    """The data that the pictures are made from."""

    progress: RunProgress
    view: View
    watch: Watch
    weights: tuple[str, ...]  # the names of the weights that training usually moves
    room: Room


def sequence_of(view: View) -> str | None:
    """The sequence that the model reads first."""
    return next(iter(view.graph.sequences), None)


def words_read(view: View) -> tuple[str, ...]:
    """The words of the sequence that the model reads first."""
    sequence = sequence_of(view)
    return view.engine.labels(sequence) if sequence is not None else ()


def pictures_page(parts: Sequence[el.Stack], room: Room) -> tuple[Element, ...]:
    """The pictures in one column or more; a net's answers are the first of them."""
    net, (loss, norms, weight, says) = parts[:-4], parts[-4:]
    if room.columns == 1:
        return *net, loss, weight, norms, says
    inside: tuple[tuple[el.Stack, ...], ...] = (loss, weight), (norms, says)
    if net:
        inside = (*net, weight), (loss, norms, says)
    if net and room.columns == 3:
        inside = tuple(net), (loss, norms), (weight, says)
    widths = room.left, room.width, room.weight
    columns = [el.Stack(f"{one[0].id} column", "", one, wide) for one, wide in zip(inside, widths, strict=False)]
    return (el.Row.of("pictures", columns),)


# Curves


def _losses(sight: Sight) -> el.Stack:
    progress, watch, room = sight.progress, sight.watch, sight.room
    records, run, line, start = progress.records, progress.run, progress.line, _start(progress)
    lines, here = [], None
    if records is not None:
        lines = [el.Trace("training", records.losses, records.steps - 1)]
        lines += [el.Trace("validation", records.validations, records.judged)] if len(records.judged) else []
    if start is not None:
        lines, here = [el.Trace("training", np.array([start]), np.zeros(1))], (0.0, start)
    if run is not None and records is not None:
        steps, taken = run.curve()
        lines[0] = el.Trace("training", taken, steps)
        here = (run.at, float(np.interp(run.at, steps, taken))) if run.at < records.at else None
        if line is not None:
            pair, calm = (("net", records), ("line", line.run.records)), _stretch(records)
            lines[:1] = [_calm(name, one.losses, one, calm) for name, one in pair]
    drawn = el.Traces("loss curves", tuple(lines), room.width, room.high, here, _until(progress), log=watch.log)
    tip = "Shows a loss that falls over many steps to its end"
    return el.Stack("loss", "Loss", (drawn, Check("log", "Logarithmic scale", watch.log, ForTraining("log"), tip)))


def _norms(sight: Sight) -> el.Stack:
    """The length of the gradient of each block; for a long run as means, because ragged lines hide each other."""
    progress, view, weights, room = sight.progress, sight.view, sight.weights, sight.room
    records, of_block = progress.records, {name.rpartition(".")[0]: None for name in weights}
    lines, mean = [], 1
    if records is not None:
        mean = _stretch(records) * records.every
        measured = records.blocks
        inside = {block: measured[block] for block in (*of_block, *measured) if block in measured}
        titled = ((block_title(view.graph, block), lengths) for block, lengths in inside.items())
        lines = [_calm(title, lengths, records, _stretch(records)) for title, lengths in titled]
    if _start(progress) is not None and progress.quick:
        at_first: dict[str, list[Array]] = {}
        names = [name for name in weights if name in view.values]
        for name, gradient in view.engine.gradients().several(names).items():
            at_first.setdefault(name.rpartition(".")[0], []).append(gradient)
        lines = [
            el.Trace(block_title(view.graph, block), np.array([length(found)]), np.zeros(1))
            for block, found in at_first.items()
        ]
    beside, until = f"mean of {mean:,} steps" if mean > 1 else "length", _until(progress)
    drawn = el.Traces("length curves", tuple(lines), room.width, room.high, None, until, beside=beside, log=True)
    return el.Stack("norms", "Length of the gradient, block by block", (drawn,))


def _start(progress: RunProgress) -> float | None:
    """The loss before the first step; None after it, or if the model does not learn from its own example."""
    records = progress.records
    return None if progress.source != OWN or (records is not None and records.at) else progress.loss


def _until(progress: RunProgress) -> float:
    """The end of the axis of steps: the end of the run once half of it is over, else 0."""
    records = progress.records
    return float(progress.steps) if records and 2 * records.at >= progress.steps else 0.0


def _calm(name: str, numbers: Array, records: Records, n: int) -> el.Trace:
    """A line of means, each of n recorded numbers."""
    whole = len(numbers) // n * n
    return el.Trace(name, numbers[:whole].reshape(-1, n).mean(1), records.steps[n - 1 : whole : n])


def _stretch(records: Records) -> int:
    """How many recorded steps of a long run make one point of a line of means."""
    return max(len(records.losses) // CALM, 1)


# The model


def _net(sight: Sight) -> el.Stack | None:
    """The answers of a net, beside those of the linear regression that learns by the same steps."""
    line = sight.progress.line
    return net_picture(sight.view, line.document.engine if line is not None else None, sight.room.net)


def _weight(sight: Sight) -> el.Stack:
    """A weight as colours; with few rows or columns the picture is smaller, or its cells would be patches of colour."""
    view, watch, weights, room = sight.view, sight.watch, sight.weights, sight.room
    name = watch.weight if watch.weight in weights else next(iter(weights), "")
    array = view.values.get(name)
    rows = 1 if array is None or array.ndim < 2 else array.size // array.shape[-1]
    columns = 1 if array is None or array.ndim < 1 else array.shape[-1]
    larger = max(room.most / LOW, 1.0)
    row, wide = MAP_ROW * larger, min(room.weight, round(MAP_COLUMN * larger * columns + MAP_SIDE))
    high = int(min(round(room.weight * 0.5), max(260, room.most), row * rows + MAP_HEAD))
    place, asks, tip = weights.index(name) if name else 0, (ForTraining("watch"),), "Weight to watch"
    colours = f"Blue with a dash: below 0. Gold: above. Full colour at ±{written(_full(view, name), 3)}"
    titles = tuple([matrix_title(view.graph, one) for one in weights])
    parts = (
        Choice("watched", "", titles, place, asks, tip, listed=True),
        el.Picture("weight map", weight_map(view, name), wide, high),
        el.Note("colours", colours),
    )
    return el.Stack("weight", "A weight as it changes", parts)


def weight_map(view: View, name: str) -> Drawing:
    """An input as colours, with 0 in the middle of the scale and the largest number at its end; heads are stacked.

    `name`: the name of a node; if the graph does not have it, the drawing is empty.
    """
    if name not in view.nodes:
        return Drawing((), (0.0, 1.0, 0.0, 1.0), "no weight", down=True)
    array, axes = view.values[name], view.nodes[name].axes
    flat = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    rows = view.labels(axes[0]) if array.ndim == 2 else tuple(str(i + 1) for i in range(len(flat)))
    limit = _full(view, name)
    height, width = (float(n) for n in flat.shape)
    node = Place(name) if array.ndim == 2 else None
    # Few numbers have room to be written: if they are nearly equal, their colours alone tell nothing.
    numbers = tuple(
        Words(j + 0.5, i + 0.5, written(float(number), 2), TEXT, fixed=True)
        for (i, j), number in np.ndenumerate(flat)
        if flat.size <= MOST_NUMBERS and width <= MOST_ACROSS and drawable(float(number))
    )
    image = Image(flat, limit, colours=SIGNED, place=(0.0, 0.0, width, height), node=node)
    summary = f"{matrix_title(view.graph, name)}, {written_shape(array.shape)}, largest {written(limit, 3)}"
    columns = view.labels(axes[-1])
    sides = Axis("", columns, most=10), Axis("", rows, most=12)
    return Drawing((image, *numbers), (0.0, width, 0.0, height), summary, *sides, down=True)


def _full(view: View, name: str) -> float:
    """The absolute value that has the full colour in `weight_map`."""
    return largest_of(view.values.get(name, np.zeros(0))) or 1.0


def _says(sight: Sight) -> el.Stack:
    view, watch, room = sight.view, sight.watch, sight.room
    found: list[Element] = []
    if (sequence := sequence_of(view)) is not None:
        read = typed(words_read(view), view.graph.vocabulary(sequence))
        words = read if (tried := watch.to_try(view)) is None else tried
        tip, wide = "Type other words for the model to read, then press Enter", room.width - 4
        asks, does, name = ForTraining("words"), ForTraining("try"), "Words to try"
        found.append(Field("tried", name, words, asks, does, MOST_TYPED, tip=tip, width=wide, hint=name))
    alone = _alone(sight.progress, view)
    if alone:
        found.append(el.Note("alone", alone))
    if not (alone and watch.tries(view)):  # for tried words a translator has no right answers to compare with
        if PROBABILITIES in view.nodes:
            found.append(_of_words(view))
        elif TARGET in view.values:
            found.append(_of_cases(view))
    return el.Stack("says", "What it says", tuple(found))


def _of_words(view: View) -> el.Listing:
    shares = view.values[PROBABILITIES]
    rows, columns = view.nodes[PROBABILITIES].axes
    read, words = view.engine.labels(rows), view.engine.labels(columns)
    target, counted = view.values.get(TARGET), np.zeros(len(read), bool)
    if target is not None and target.ndim == 1:
        counted = view.nodes[LOSS].op.counted(target)  # where the right word is <pad>, nothing is right
    lines = []
    for i in range(max(len(read) - MOST_PLACES, 0), len(read)):
        best = [int(k) for k in np.argsort(-shares[i], kind="stable")[:LIKELIEST]]
        right = int(target[i]) if target is not None and counted[i] else -1
        beyond = right >= 0 and right not in best
        best = best[: LIKELIEST - beyond]
        each = {k: f"{words[k]} {written(float(shares[i, k]), 3)}" for k in (*best, *[right] * beyond)}
        said = [el.Entry(f"{each[k]}{' ✓' * (k == right)}", muted=k != right) for k in best]
        if beyond:
            said.append(el.Entry(f"right: {each[right]}"))
        lines.append(el.Line((el.Entry(read[i], muted=True), *said, *[el.Entry("")] * (LIKELIEST - len(said)))))
    says = "it says next" if where(view) == "After" else "it says"
    titles = el.Column(where(view).lower()), el.Column(says), *(el.Column(""),) * (LIKELIEST - 1)
    return el.Listing("predictions", f"What {says}", titles, tuple(lines))


def _of_cases(view: View) -> el.Listing:
    node = view.nodes[LOSS].parents[0]
    said, right = view.values[node], view.values[TARGET]
    labels = view.labels(view.nodes[node].axes[0])
    chosen = np.unique(np.linspace(0, len(labels) - 1, MOST_PLACES).astype(int))
    lines = []
    for i in chosen:
        both = (", ".join(written(float(x), 3) for x in np.ravel(array[i])[:6]) for array in (said, right))
        lines.append(el.Line.of(labels[i], *both))
    columns = tuple(map(el.Column, ("case", "it says", "right")))
    return el.Listing("predictions", "What it says", columns, tuple(lines))


def _alone(progress: RunProgress, view: View) -> str:
    """The sentence that a translator writes word by word, reading its own words, up to the length of its target.

    Only with causal masks in the decoder: without them a position would attend to words that are not written yet.
    """
    model, engine = view.state.model, view.engine
    decoders = [f"decoder.{i + 1}.self" for i in range(model.decoder_layers)]
    if model.kind != "encoder-decoder" or not progress.quick or PROBABILITIES not in view.nodes:
        return ""
    if not all("causal" in str(model.switch(block, "mask")) for block in decoders):
        return ""
    read, words = view.graph.axes[f"{WRITTEN}.words"], view.graph.axes["output.words"]
    end = end_mark(words)
    tokens = view.values[f"{WRITTEN}.tokens"].copy()
    said: list[str] = []
    for place in range(len(tokens)):
        shares = engine.what_if({f"{WRITTEN}.tokens": tokens}, PROBABILITIES)
        said.append(words[int(shares[place].argmax())])
        if said[-1] == end or said[-1] not in read:
            break
        if place + 1 < len(tokens):
            tokens[place + 1] = read.index(said[-1])
    source = escape(" ".join(engine.labels("source")))
    return f"{source} → <b>{escape(' '.join(word for word in said if word != end))}</b>"


PICTURES: dict[str, Callable[[Sight], el.Stack | None]] = {
    "net": _net,
    "loss": _losses,
    "norms": _norms,
    "weight": _weight,
    "says": _says,
}
"""All pictures by name, in the order that `pictures_page` expects; "net" is None unless the model is a small net."""
