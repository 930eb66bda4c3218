"""What is seen first: the words run through the model from end to end, and the bars of what comes next grow last."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from explorer.core.gradients import LOSS
from explorer.core.numbers import as_share, in_tables
from explorer.core.vocabulary import END
from explorer.pages.drawing import TEXT, Band, Bars, Box, Drawing, FlowLine, Image, Mark, Segments, Words
from explorer.pages.lanes import ANSWERS, Lanes, answered
from explorer.pages.view import View

LETTERS, LARGE = 1.5, 1.8
"""How many times larger than other words those are that go in and come out; where letters are large."""
SPOKEN, WRITTEN, RUN = 0.15, 0.32, 0.8
"""Until when, of the whole time, the words come; until when the first numbers of each stand behind it; and from when
the bars grow."""
FEW, DECIMALS, SMALLER = 3, 2, 0.85
"""How many numbers of a word are written, with how many decimals; and how much smaller than the word."""
FADE = 0.04
"""The part of the time in which a mark comes."""
MOST_WORDS = 8
"""Of a sentence that is named."""
LEAST = 1e-3
"""The part of its length with which a bar begins."""

Part = tuple[Drawing, tuple[float, ...]]
"""A drawing, and when each of its marks comes: before `SPOKEN` a word that is read, from `WRITTEN` on all others."""


def first_picture(view: View) -> Part:
    """The picture that is seen first: that of the whole, without the loss, with the way of the words along the middle.

    `view`: of a model with a stream that says what comes next.
    """
    made = Lanes(view, LARGE if view.looking.large else LETTERS)
    drawing = made.drawing()
    kept = [(mark, name) for mark, name in zip(drawing.marks, made.due, strict=True) if name != LOSS.node]
    marks = tuple(mark for mark, _ in kept)
    return replace(drawing, marks=marks), _moments(marks, [name for _, name in kept])


def opening(drawing: Drawing, moments: Sequence[float], at: float) -> Drawing:
    """The picture at a moment: its words come one by one, then all that their vectors come to, and then the bars grow.

    Vectors run along their lines from strip to strip, with the numbers of the strip behind them.

    Parameters
    ----------
    moments : sequence of float
        When each mark comes, as `first_picture` says.
    at : float
        From 0, where nothing has come yet, to 1, where the drawing is as it was given.
    """
    if at >= 1.0:
        return drawing
    here = zip(drawing.marks, moments, strict=True)
    # What comes out is not read before it is there.
    marks = [_arrived(mark, at, moment) for mark, moment in here if at >= RUN or not isinstance(mark, Bars)]
    return replace(drawing, marks=(*marks, *_numbers(drawing, moments, at), *_vectors(drawing, moments, at)))


def opening_said(view: View, at: float) -> str:
    """What is seen at a moment, in one sentence."""
    if at < WRITTEN + FADE:
        return "Each word becomes a row of numbers."
    if at < RUN:
        return "The words meet: each takes something from the words before it."
    words = view.labels(view.nodes[ANSWERS].axes[0])[: answered(view) + 1]
    text = " ".join(words if len(words) <= MOST_WORDS else ("…", *words[1 - MOST_WORDS :]))
    return f"After “{text}” the likeliest is {likeliest(view)}."


def likeliest(view: View) -> str:
    """The likeliest next word, and how probable it is: “mat”, with a probability of 0.81."""
    shares = np.nan_to_num(view.values[ANSWERS][answered(view)])
    best = int(shares.argmax())
    word = view.labels(view.nodes[ANSWERS].axes[1])[best]
    named = "that the text ends" if word == END else f"“{word}”"
    return f"{named}, with a probability of {as_share(float(shares[best]), 2)}"


def _moments(marks: Sequence[Mark], due: Sequence[str]) -> tuple[float, ...]:
    """When each mark comes: words in their order, what is behind them by how far to the right it begins.

    `due`: the node that each mark waits for; empty where it waits for none.
    """
    words = [i for i, (mark, name) in enumerate(zip(marks, due, strict=True)) if _is_read(mark, name)]
    far = [_left(mark) for mark in marks]
    first = max((far[i] for i in words), default=min(far, default=0.0))
    last = max((one for one, mark in zip(far, marks, strict=True) if isinstance(mark, Bars)), default=first + 1)
    time = RUN - WRITTEN - FADE
    moments = [WRITTEN + time * min(max((one - first) / (last - first), 0.0), 1.0) for one in far]
    for k, i in enumerate(words):
        moments[i] = (SPOKEN - FADE) * k / len(words)
    return tuple(moments)


def _is_read(mark: Mark, name: str) -> bool:
    """Whether a mark is a word that the model reads."""
    return isinstance(mark, Words) and mark.token is not None and name.endswith(".tokens")


def _left(mark: Mark) -> float:
    """Where a mark begins."""
    match mark:
        case Box() | Image() | Band() | Bars():
            return mark.place[0]
        case Words():
            return mark.x
        case Segments():
            return float(mark.ends[..., 0].min(initial=np.inf))
        case FlowLine():
            return min(x for x, _ in mark.points)
    return -np.inf


def _arrived(mark: Mark, at: float, moment: float) -> Mark:
    """A mark as far as it has come; a bar grows, and the number beside it is what it will be."""
    if isinstance(mark, Bars):
        grown = (at - RUN) / (1.0 - RUN)
        eased = max(1.0 - (1.0 - grown) ** 3, LEAST)
        return replace(mark, full=mark.full / eased)
    there = (at - moment) / FADE
    if isinstance(mark, Box) and mark.around:  # all that stands in it would be painted again with each frame
        there = float(there >= 0.0)
    return mark if there >= 1.0 else replace(mark, faint=min(1.0 - there, 1.0))


def _numbers(drawing: Drawing, moments: Sequence[float], at: float) -> tuple[Words, ...]:
    """The first numbers of each word that has come, where the strip of all of them will stand."""
    strips = _strips(drawing.marks, moments)
    if at >= WRITTEN or not strips:
        return ()
    strip, rows = strips[0][0], strips[0][0].array
    read = [(mark, when) for mark, when in zip(drawing.marks, moments, strict=True) if when < SPOKEN]
    left = max((WRITTEN - at) / FADE, 0.0)
    found = []
    for row, (word, when) in zip(rows, read, strict=False):
        there = min((at - when) / FADE, left, 1.0)
        if there > 0.0 and isinstance(word, Words):
            text = " ".join((*in_tables(row[:FEW].tolist(), DECIMALS), "…"))
            size = SMALLER * word.size
            found.append(Words(strip.place[0], word.y, text, TEXT, True, 0.0, size=size, faint=1.0 - there))
    return tuple(found)


def _vectors(drawing: Drawing, moments: Sequence[float], at: float) -> tuple[Image, ...]:
    """The vectors of the words on their way from one strip to the next; none before the first, or at the end."""
    strips = _strips(drawing.marks, moments)
    for (strip, start), (coming, end) in pairwise(strips):
        if start <= at < end:
            part = (at - start) / (end - start)
            x, y = (a + part * (b - a) for a, b in zip(strip.place[:2], coming.place[:2], strict=True))
            return (replace(strip, place=(x, y, *strip.place[2:])),)
    return ()


def _strips(marks: Sequence[Mark], moments: Sequence[float]) -> list[tuple[Image, float]]:
    """What the stream carries, from strip to strip: the images on the line of the first one, and of its size."""
    images = [(mark, when) for mark, when in zip(marks, moments, strict=True) if isinstance(mark, Image)]
    if not images:
        return []
    along, size = images[0][0].place[1], images[0][0].place[2:]
    return [(one, when) for one, when in images if one.place[1] == along and one.place[2:] == size]
