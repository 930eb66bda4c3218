"""The picture of a whole model with a residual stream: a lane for each sequence, with a line for each word.

At the end of the last lane: the most probable next words and the loss, or each word in its context.

In the opening animation of that picture the words run through the model from left to right, and last the bars of the
answers grow.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from explorer.core.graph import LOSS, PROBABILITIES, Cell, Stage
from explorer.core.model import SUBLAYERS
from explorer.core.numbers import alone, as_share, in_tables, places_of_largest
from explorer.core.vocabulary import end_marks
from explorer.pages import drawing as draw
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.levels import ALL, LAYER, WHOLE, layers_of, shown_layer, unlike
from explorer.pages.view import View, once_a_graph, where_said
from explorer.pages.whole.lane import GAP, LETTER, PAD, RISE, SMALL, Lane, Sheet, amount, from_to, image_of, title_of
from explorer.pages.whole.sublayers import Sublayers

MOST_BARS = 6
WIDTH, EACH, HEAD, BOTTOM, NOTE = 168.0, 17.0, 25.0, 5.0, 19.0
"""Sizes of the bars: the width, the height of one, the room for the title above, and below without or with a note."""
LOW, APART = 22.0, 16.0
"""The height of the loss, and its distance from the answers."""
PAST, BEYOND = 10.0, 26.0
"""The distance of the line up to the answers from the last layer, and how far the answers extend beyond that line."""


def end(sheet: Sheet, lane: Lane, source: Lane | None, ceiling: float) -> None:
    """Draw the output of the model at the right; above the end of the decoder if the encoder is short.

    `lane`: the last lane.
    `source`: the lane above, if there is one.
    `ceiling`: the top (y) of the layers of the last lane.
    """
    if "output" in sheet.stages:
        _answers(sheet, lane, source, ceiling)
        return
    sheet.go_on(lane)
    for i, word in enumerate(lane.words):
        sheet.add(draw.Words(lane.x + 4.0, lane.row(i), word, draw.TEXT, True, 0.0, (lane.sequence, i), SMALL))
    said = "Each word in its context"
    sheet.add(draw.Words(lane.x + 4.0, lane.top - 14.0, said, draw.MUTED, True, 0.0, strong=True))
    longest = max(LETTER * max(map(len, lane.words)), 1.2 * LETTER * len(said))
    sheet.right = max(sheet.right, lane.x + GAP + longest)


def _answers(sheet: Sheet, lane: Lane, source: Lane | None, ceiling: float) -> None:
    """The most probable next words and the loss: to the right of the lane, or above its end, as in `end`."""
    large = sheet.large
    height, width = answers_height(sheet, MOST_BARS), WIDTH * large
    sheet.wait_for(PROBABILITIES)
    sheet.tracks(lane, lane.x, lane.x + 6.0)
    start = lane.x + 6.0, lane.row(min(answered(sheet.view), len(lane.words) - 1))
    up, bottom = lane.x + PAST, ceiling - PAST
    left = up + BEYOND - width
    above = source is not None and not (lane.wrapped or source.wrapped) and source.x + BEYOND <= left
    way: tuple[tuple[float, float], ...] = start, (up, start[1]), (up, bottom)
    top = bottom - height
    if not above:
        left = lane.x + 26.0
        way = start, (left, start[1])
        # No higher than the layers: another row may stand above them.
        top = max(min(max(lane.spine - height + 34.0 * large, start[1] - height + 14.0), start[1] - 14.0), ceiling)
    sheet.add(draw.FlowLine(way, draw.HERE if sheet.chosen(lane.sequence) is not None else draw.TEXT, 2.0))
    answers(sheet, left, top, width, MOST_BARS)
    sheet.right, sheet.low = max(sheet.right, left + width), max(sheet.low, top + height)
    if LOSS in sheet.view.nodes:
        low, middle = LOW * large, left + width / 2
        edge, back = (top - APART, APART) if above else (top + height + APART, -APART)
        top = edge - low if above else edge
        loss(sheet, (left, top, width, low), ((middle, edge + back), (middle, edge)))
        sheet.low = max(sheet.low, top + low + 8.0)
    sheet.high = min(sheet.high, top - 8.0)


def answered(view: View) -> int:
    """The index of the word whose next word is shown: the followed word, or the last one."""
    axis = view.nodes[PROBABILITIES].axes[0]
    return min(view.row(axis, last=True), len(view.values[PROBABILITIES]) - 1)


def answers_height(sheet: Sheet, most: int) -> float:
    """The height of the bars of the most probable next words, at most `most` of them."""
    count = min(most, sheet.view.values[PROBABILITIES].shape[1])
    coloured = amount(sheet.view, PROBABILITIES)[1] is not None
    return (HEAD + EACH * count + (NOTE if coloured else BOTTOM)) * sheet.large


def answers(sheet: Sheet, left: float, top: float, width: float, most: int) -> None:
    """Draw the most probable next words, at most `most` of them, as bars."""
    view, stage, large = sheet.view, sheet.stages["output"], sheet.large
    sheet.wait_for(PROBABILITIES)
    row, (axis, across) = answered(view), view.nodes[PROBABILITIES].axes
    words, shares = view.labels(across), view.values[PROBABILITIES][row]
    best = places_of_largest(np.nan_to_num(shares), most).tolist()
    note, share = amount(view, PROBABILITIES)
    after, said = view.labels(axis)[row], "" if share is None else note
    place = left, top, width, answers_height(sheet, most)
    into, tip = sheet.into(stage), sheet.tip(stage, PROBABILITIES)
    title = where_said(view, after)
    name = f"What comes {title[0].lower()}{title[1:]}"
    sheet.add(draw.Box(place, name, title, said, tip, into, share, letters=large))
    values, was = tuple(float(shares[j]) for j in best), view.last.before.get(PROBABILITIES)
    edited = was is not None and was.shape == view.values[PROBABILITIES].shape and not view.given  # opening is no edit
    before = tuple(float(was[row, j]) for j in best) if was is not None and edited else ()
    inside = left + 6.0, top + HEAD * large, width - 10.0, EACH * len(best) * large
    named, cells = tuple(words[j] for j in best), tuple(Cell(PROBABILITIES, (row, j)) for j in best)
    sheet.add(draw.Bars(inside, named, values, cells, max(1.0, *values), before))


def loss(sheet: Sheet, place: draw.Rect, way: tuple[tuple[float, float], ...]) -> None:
    """Draw the loss, and the line to it."""
    stage = sheet.stages["loss"]
    sheet.wait_for(LOSS)
    value = float(sheet.view.values[LOSS])
    note, share = amount(sheet.view, LOSS)
    number = alone(value)
    title = f"Loss {number}" if share is None else f"Loss {number}, {note}"
    sheet.add(draw.FlowLine(way, draw.MUTED, 1.5))
    tip, into = sheet.tip(stage, LOSS), sheet.into(stage)
    sheet.add(draw.Box(place, "Loss", title, "", tip, into, share, letters=sheet.large))


IMAGE, TALL = 64.0, 120.0
WIDE_HEADS, WIDER_HEADS = 150.0, 210.0
"""The height of the images in a block, with two lanes and with a single one; the most width of all heads, likewise."""
ROW, TALL_ROW = (19.0, 50.0, 92.0), (24.0, 66.0, 300.0)
"""The height of a word's line, and the least and the most height of a lane; the same for a single lane."""
COLUMN, NARROW, BROAD = 5.0, 24.0, 42.0
"""The width of one number of a vector, and the least and the most width of a strip of vectors."""
TITLE, BELOW = 26.0, 24.0
"""The room for the title of a layer above its blocks, and for captions below the stream."""
MANY_LAYERS, SEEN_WIDE, SEEN_HIGH = 4, 640.0, 420.0
"""With this many drawn layers the picture is small; the size in pixels at which its input and output are still read."""
BETWEEN, SHEETS = 28.0, 12.0
"""The distance between two lanes, or two rows of one; the room above the first for the edges of undrawn layers."""
WIDE = 1.9
"""The width of a picture of all layers, divided by its height."""


def lanes(view: View) -> "Lanes":
    """The object that draws all lanes; if many layers are drawn, input and output have large letters."""
    if shown_layer(view) != ALL or sum(layers_of(view).values()) < MANY_LAYERS:
        return Lanes(view)
    return Lanes(view, _letters(view))


@once_a_graph  # an edit of numbers changes no size
def _letters(view: View) -> float:
    """The factor of the letters with which input and output can still be read."""
    left, right, top, bottom = Lanes(view).drawing()[0].window
    return max((right - left) / SEEN_WIDE, (bottom - top) / SEEN_HIGH, 1.0)


class Lanes:
    """Draws all lanes, the decoder's below the encoder's.

    `letters`: a factor for the letters of the input, of the output, and of the titles of layers.
    """

    def __init__(self, view: View, letters: float = 1.0) -> None:
        self._view = view
        self._stack_sizes = layers_of(view)
        self._layer = shown_layer(view)
        self._letters = letters
        self._title = TITLE * max(0.75 * letters, 1.0)
        self._sheet = Sheet(view, letters)
        room = (IMAGE, WIDE_HEADS) if len(view.graph.sequences) > 1 else (TALL, WIDER_HEADS)
        self._sublayers = Sublayers(self._sheet, *room)

    def drawing(self) -> tuple[draw.Drawing, list[str]]:
        """The picture; and for each mark, the node that it waits for while a pass is played, "" if for none."""
        view, sheet = self._view, self._sheet
        sequences = list(view.graph.sequences)
        lane, left, top = None, 0.0, 0.0
        for sequence, stack in zip(sequences, self._stack_sizes, strict=True):
            words = view.labels(sequence)
            each, low, most = ROW if len(sequences) > 1 else TALL_ROW
            high = min(max(each * len(words), low), most)
            columns = view.graph.shape(f"{sequence}.X")[-1]
            above = self._above(high)
            spine = 0.0 if lane is None else lane.bottom + BELOW + BETWEEN + above
            lane = Lane(sequence, stack, words, spine, high, float(np.clip(columns * COLUMN, NARROW, BROAD)))
            top = min(top, spine - above - SHEETS)
            left = min(left, sheet.left(lane, self._name(sequence, words)) - 8.0)
            self._sublayers.bends = None
            self._draw(lane, last=sequence == sequences[-1])
            if self._sublayers.bends is not None:
                left = min(left, self._sublayers.bends[0] - 8.0)
        assert lane is not None
        titles = ", ".join(stage.title for stage in view.graph.stages)
        summary = f"{from_to(view)}: {titles}"
        window = (left, sheet.right + 8.0, min(top, sheet.high), max(lane.bottom + BELOW + 8.0, sheet.low))
        return draw.zoomed(sheet.marks, window, summary), sheet.due

    def _name(self, sequence: str, words: Sequence[str]) -> str:
        """The title of an input sequence, short if its letters are large."""
        if self._letters > 1.0:
            return {"source": "Source", "target": "Target"}.get(sequence, "Words in")
        return title_of(sequence, words)

    def _above(self, height: float) -> float:
        """How far the layers of a lane extend above its middle."""
        return self._sublayers.above + self._title + height / 2

    def _draw(self, lane: Lane, last: bool) -> None:
        view, sheet, sequence = self._view, self._sheet, lane.sequence
        sheet.words(lane, self._name(sequence, lane.words))
        stream = f"{sequence}.X"
        sheet.strip(lane, sheet.stages[f"{sequence}.embedding"], stream, "embeddings")
        if f"{sequence}.positions" in sheet.stages:
            stream = f"{sequence}.H"
            self._positions(lane, sheet.stages[f"{sequence}.positions"], stream)
        for short, part in (("norm", "norm"), ("dropped", "dropout")):  # norm: of the embeddings, as in BERT
            if f"{sequence}.{short}" in view.nodes:
                before = 3 * GAP if stream.endswith(".X") else GAP  # room for the caption below the embeddings
                stream = f"{sequence}.{short}"
                sheet.strip(lane, sheet.stages[f"{sequence}.{part}"], stream, part, before=before)
        stream = self._layers(lane, stream)
        norm = "final.norm" if last else "encoder.final.norm"
        if norm in view.nodes:
            sheet.strip(lane, sheet.stages[norm], norm, "norm", before=GAP)
        if not last:
            sheet.go_on(lane)
            sheet.gather(lane, lane.x)
            self._sublayers.source = lane
            return
        end(sheet, lane, self._sublayers.source, lane.spine - self._above(lane.height))

    def _positions(self, lane: Lane, stage: Stage, result: str) -> None:
        """The block of the positions, whose numbers are added to the stream without reading from it."""
        sheet, name = self._sheet, f"{lane.sequence}.PE"
        sheet.wait_for(name)
        width, height = 92.0, 0.7 * self._sublayers.image + 20.0 + PAD
        left, bottom = lane.x + GAP, lane.top - RISE
        place = left, bottom - height, width, height
        share = amount(self._view, name)[1]
        said = stage.where
        sheet.add(draw.Box(place, said, stage.title, "", sheet.tip(stage, name), sheet.into(stage), share))
        wide = min(lane.width, width - 2 * PAD)
        inside = left + (width - wide) / 2, bottom - height + 20.0, wide, height - 20.0 - PAD
        sheet.add(image_of(self._view, name, inside))
        sheet.tracks(lane, lane.x, left + width + 4.0)
        sheet.plus(lane, left + width / 2, bottom, stage, result, f"{stage.group}: positions are added to the stream")
        lane.x = left + width + 4.0
        sheet.strip(lane, stage, result, before=2.0, said="embeddings with positions")

    # Layers

    def _layers(self, lane: Lane, stream: str) -> str:
        """Draw the layers; returns the node that the stream carries after the last one."""
        layers = self._stack_sizes.get(lane.stack, 0)
        if stream.endswith(".X") and layers:
            self._sheet.go_on(lane, 3 * GAP)  # room for the caption below the embeddings
        if self._layer != ALL:
            return self._folded(lane, stream, min(self._layer, layers), layers)
        row = layers
        for k in range(1, layers + 1):
            start = lane.x
            stream = self._one_layer(lane, k, stream)
            if k == 1:
                wide, high = lane.x - start, self._above(lane.height) + lane.height / 2 + BELOW + BETWEEN
                row = int(np.ceil(max(np.sqrt(WIDE * layers * high / wide), 1)))
            if k % row == 0 and k < layers:
                self._wrap(lane)
        return stream

    def _folded(self, lane: Lane, stream: str, k: int, layers: int) -> str:
        """Draw only layer `k`, and dots for the others."""
        if k > 1:
            stream = self._view.graph.leaving[f"{lane.stack}.{k - 1}.out"]
            self._sheet.skip(lane, stream, f"after layer {k - 1}")
        stream = self._one_layer(lane, k, stream)
        if k < layers:
            stream = self._view.graph.leaving[f"{lane.stack}.{layers}.out"]
            self._sheet.skip(lane, stream, f"after layer {layers}")
        return stream

    def _wrap(self, lane: Lane) -> None:
        """Continue the stream in another row below."""
        sheet = self._sheet
        sheet.go_on(lane)
        x, y, lane.wrapped = lane.x, lane.spine, True
        bend = lane.bottom + BELOW + 0.35 * BETWEEN
        lane.spine += lane.height + BELOW + BETWEEN + self._above(lane.height) - lane.height / 2
        sheet.right = max(sheet.right, x + 12.0)
        start = -6.0 - min(LETTER * max(map(len, lane.words)) + 16.0, 120.0)
        beside = min(start, sheet.left(lane, self._name(lane.sequence, lane.words))) - 10.0
        self._sublayers.bends = beside, bend + 0.4 * BETWEEN
        ways = (x, y), (x + 10.0, y), (x + 10.0, bend), (start, bend), (start, lane.spine), (start + 8.0, lane.spine)
        sheet.add(draw.FlowLine(ways, draw.TEXT, 2.0))
        sheet.words(lane)
        sheet.go_on(lane)

    def _one_layer(self, lane: Lane, k: int, stream: str) -> str:
        """Draw the blocks of a layer in a frame; returns the node that the stream carries after the layer."""
        sheet = self._sheet
        sheet.go_on(lane, 4.0)
        sheet.wait_for("")
        at, start = len(sheet.marks), lane.x + 2.0
        sheet.add(draw.Mark())  # holds the place of the frame, whose width is known only after its blocks
        sheet.wait_for(stream)
        sheet.go_on(lane)
        for part in SUBLAYERS:
            block = f"{lane.stack}.{k}.{part}"
            if f"{block}.output" in self._view.nodes:
                stream = self._sublayers.draw(lane, block, stream)
        times = self._stack_sizes[lane.stack]
        folded = self._layer != ALL and times > 1
        name = lane.stack.capitalize() if len(self._view.graph.sequences) > 1 else "Layer"
        title, note = f"{name} {k}", ""
        if folded:
            title, note = f"{title} of {times}", f"{'not ' * (lane.stack in unlike(self._view))}all alike: × {times}"
        above = self._sublayers.above + self._title - 2.0
        place = start, lane.top - above, lane.x - start + 2.0, above + lane.height + BELOW - 1.0
        tip = f"Draw all {times} layers" if folded else f"Draw one layer for all {times}" if times > 1 else ""
        leads = Keep(LAYER, ALL if folded else k) if times > 1 else None
        letters = self._letters
        said = ", ".join(filter(None, (title, note)))
        sheet.marks[at] = draw.Box(place, said, title, note, tip, leads, folded=folded, around=True, letters=letters)
        sheet.go_on(lane, GAP - 4.0 + (6.0 if folded else 0.0))
        return stream


# The opening


LETTERS, LARGE = 1.5, 1.8
"""The factor of the letters of input and output; the same in large text."""
SPOKEN, WRITTEN, RUN = 0.15, 0.32, 0.8
"""Times, as parts of the whole: all words have appeared; the numbers beside the words disappear and the other marks
begin to appear; the bars begin to grow."""
FEW, DECIMALS, SMALLER = 3, 2, 0.85
"""How many numbers of a word are written, with how many decimals; and their size as a part of the word's."""
FADE = 0.04
"""The part of the whole time in which a mark fades in."""
MOST_WORDS = 8
"""The most words of a sentence that is quoted."""
LEAST = 1e-3
"""The part of its length with which a bar begins."""

Part = tuple[draw.Drawing, tuple[float, ...], tuple[draw.Mark, ...]]
"""A drawing; the time at which each mark appears, before `SPOKEN` for a word that is read, else from `WRITTEN`; and
each mark as it is before, made once: at most moments most marks are one or the other.
"""


def first_picture(view: View) -> Part:
    """The picture of the animation: that of the whole without the loss, and how each mark appears.

    `view`: the view of a model with a residual stream that says a next word.
    """
    drawing, due = Lanes(view, LARGE if view.looking.large else LETTERS).drawing()
    kept = [(mark, name) for mark, name in zip(drawing.marks, due, strict=True) if name != LOSS]
    marks = tuple(_into(mark) for mark, _ in kept)
    before = tuple(replace(mark, faint=1.0) for mark in marks)
    return replace(drawing, marks=marks), _moments(marks, [name for _, name in kept]), before


def _into(mark: draw.Mark) -> draw.Mark:
    """The same mark; if a click on it would unfold the layers, which this page cannot show, it leads into the model."""
    if isinstance(mark, draw.Box) and isinstance(mark.leads, Keep):
        return replace(mark, leads=GoTo(WHOLE.name, Keep(LAYER, ALL)))
    return mark


def opening(drawing: draw.Drawing, moments: Sequence[float], before: Sequence[draw.Mark], at: float) -> draw.Drawing:
    """The picture at a time: the words appear one by one, then the other marks from left to right, then the bars grow.

    Vectors move along the stream from strip to strip; a moving image has the numbers of the strip that it comes from.

    `moments`, `before`: the time at which each mark appears, and how it looks before; from `first_picture`.
    `at`: from 0, where the picture is empty, to 1, where it is the given drawing.
    """
    if at >= 1.0:
        return drawing
    here = zip(drawing.marks, moments, before, strict=True)
    # The bars stay out of the picture until they grow, so that nobody reads the answer before.
    marks = [_arrived(*one, at) for one in here if at >= RUN or not isinstance(one[0], draw.Bars)]
    return replace(drawing, marks=(*marks, *_numbers(drawing, moments, at), *_vectors(drawing, moments, at)))


def opening_said(view: View, at: float) -> str:
    """One sentence on what the picture shows at a time."""
    if at < WRITTEN + FADE:
        return "Each word becomes a row of numbers."
    if at < RUN:
        return "Each word takes something from the words before it."
    words = view.labels(view.nodes[PROBABILITIES].axes[0])[: answered(view) + 1]
    text = " ".join(words if len(words) <= MOST_WORDS else ("…", *words[1 - MOST_WORDS :]))
    found = likeliest(view)
    said = "the most probable next word is" if found.startswith("“") else "it is most probable"
    return f"After “{text}” {said} {found}."


def likeliest(view: View) -> str:
    """The most probable next word and its probability in words: “mat”, with a probability of 0.81."""
    shares = np.nan_to_num(view.values[PROBABILITIES][answered(view)])
    best = int(shares.argmax())
    words = view.graph.axes[view.nodes[PROBABILITIES].axes[1]]
    named = "that the text ends" if words[best] in end_marks(words) else f"“{words[best]}”"
    return f"{named}, with a probability of {as_share(float(shares[best]), 2)}"


def _moments(marks: Sequence[draw.Mark], due: Sequence[str]) -> tuple[float, ...]:
    """The time at which each mark appears: words in their order, other marks by the x of their left end.

    `due`: for each mark, the node that it waits for; "" if it waits for none.
    """
    read = (
        name.endswith(".tokens") and isinstance(mark, draw.Words) and mark.token is not None
        for mark, name in zip(marks, due, strict=True)
    )
    words = [i for i, is_read in enumerate(read) if is_read]
    far = [_left(mark) for mark in marks]
    first = max((far[i] for i in words), default=min(far, default=0.0))
    last = max((one for one, mark in zip(far, marks, strict=True) if isinstance(mark, draw.Bars)), default=first + 1)
    time = RUN - WRITTEN - FADE
    moments = [WRITTEN + time * min(max((one - first) / (last - first), 0.0), 1.0) for one in far]
    for k, i in enumerate(words):
        moments[i] = (SPOKEN - FADE) * k / len(words)
    return tuple(moments)


def _left(mark: draw.Mark) -> float:
    """The x of the left end of a mark."""
    match mark:
        case draw.Box() | draw.Image() | draw.Band() | draw.Bars():
            return mark.place[0]
        case draw.Words():
            return mark.x
        case draw.Segments():
            return float(mark.ends[..., 0].min(initial=np.inf))
        case draw.FlowLine():
            return min(x for x, _ in mark.points)
    return -np.inf


def _arrived(mark: draw.Mark, moment: float, before: draw.Mark, at: float) -> draw.Mark:
    """A mark at a time, partly faded in. A bar grows, and the number beside it is its final number all the time."""
    if isinstance(mark, draw.Bars):
        grown = (at - RUN) / (1.0 - RUN)
        eased = max(1.0 - (1.0 - grown) ** 3, LEAST)
        return replace(mark, full=mark.full / eased)
    there = (at - moment) / FADE
    if isinstance(mark, draw.Box) and mark.around:  # a fading frame would repaint everything inside it each time
        there = float(there >= 0.0)
    return mark if there >= 1.0 else before if there <= 0.0 else replace(mark, faint=1.0 - there)


def _numbers(drawing: draw.Drawing, moments: Sequence[float], at: float) -> tuple[draw.Words, ...]:
    """The first numbers of each word that has appeared, at the place where the first strip will stand."""
    strips = _strips(drawing.marks, moments)
    if at >= WRITTEN or not strips:
        return ()
    strip, rows = strips[0][0], strips[0][0].array
    read = [(mark, when) for mark, when in zip(drawing.marks, moments, strict=True) if when < SPOKEN]
    left = max((WRITTEN - at) / FADE, 0.0)
    found = []
    for row, (word, when) in zip(rows, read, strict=False):
        there = min((at - when) / FADE, left, 1.0)
        if there > 0.0 and isinstance(word, draw.Words):
            text = " ".join((*in_tables(row[:FEW].tolist(), DECIMALS), "…"))
            size = SMALLER * word.size
            found.append(draw.Words(strip.place[0], word.y, text, draw.TEXT, True, 0.0, size=size, faint=1.0 - there))
    return tuple(found)


def _vectors(drawing: draw.Drawing, moments: Sequence[float], at: float) -> tuple[draw.Image, ...]:
    """The vectors of the words as a moving image between two strips; () before the first and after the last strip."""
    strips = _strips(drawing.marks, moments)
    for (strip, start), (coming, end) in pairwise(strips):
        if start <= at < end:
            part = (at - start) / (end - start)
            x, y = (a + part * (b - a) for a, b in zip(strip.place[:2], coming.place[:2], strict=True))
            return (replace(strip, place=(x, y, *strip.place[2:])),)
    return ()


def _strips(marks: Sequence[draw.Mark], moments: Sequence[float]) -> list[tuple[draw.Image, float]]:
    """The strips of the stream and their times: images at the height of the first image and with its size."""
    images = [(mark, when) for mark, when in zip(marks, moments, strict=True) if isinstance(mark, draw.Image)]
    if not images:
        return []
    along, size = images[0][0].place[1], images[0][0].place[2:]
    return [(one, when) for one, when in images if one.place[1] == along and one.place[2:] == size]
