"""The opening animation: the words run through the model from left to right, and last the bars of the answers grow."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from explorer.core.graph import LOSS, PROBABILITIES
from explorer.core.numbers import as_share, in_tables
from explorer.core.vocabulary import end_marks
from explorer.pages.drawing import TEXT, Band, Bars, Box, Drawing, FlowLine, Image, Mark, Segments, Words
from explorer.pages.view import View
from explorer.pages.whole.lanes import Lanes, answered

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

Part = tuple[Drawing, tuple[float, ...]]
"""A drawing, and the time at which each mark appears: before `SPOKEN` for a word that is read, else from `WRITTEN`."""


def first_picture(view: View) -> Part:
    """The picture of the animation: that of the whole without the loss, and the time at which each mark appears.

    `view`: the view of a model with a residual stream that says a next word.
    """
    drawing, due = Lanes(view, LARGE if view.looking.large else LETTERS).drawing()
    kept = [(mark, name) for mark, name in zip(drawing.marks, due, strict=True) if name != LOSS]
    marks = tuple(mark for mark, _ in kept)
    return replace(drawing, marks=marks), _moments(marks, [name for _, name in kept])


def opening(drawing: Drawing, moments: Sequence[float], at: float) -> Drawing:
    """The picture at a time: the words appear one by one, then the other marks from left to right, then the bars grow.

    Vectors move along the stream from strip to strip; a moving image has the numbers of the strip that it comes from.

    Parameters
    ----------
    moments : sequence of float
        The time at which each mark appears, from `first_picture`.
    at : float
        From 0, where the picture is empty, to 1, where it is the given drawing.
    """
    if at >= 1.0:
        return drawing
    here = zip(drawing.marks, moments, strict=True)
    # The bars stay out of the picture until they grow, so that nobody reads the answer before.
    marks = [_arrived(mark, at, moment) for mark, moment in here if at >= RUN or not isinstance(mark, Bars)]
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


def _moments(marks: Sequence[Mark], due: Sequence[str]) -> tuple[float, ...]:
    """The time at which each mark appears: words in their order, other marks by the x of their left end.

    `due`: for each mark, the node that it waits for; "" if it waits for none.
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
    """The x of the left end of a mark."""
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
    """A mark at a time, partly faded in. A bar grows, and the number beside it is its final number all the time."""
    if isinstance(mark, Bars):
        grown = (at - RUN) / (1.0 - RUN)
        eased = max(1.0 - (1.0 - grown) ** 3, LEAST)
        return replace(mark, full=mark.full / eased)
    there = (at - moment) / FADE
    if isinstance(mark, Box) and mark.around:  # a fading frame would repaint everything inside it each time
        there = float(there >= 0.0)
    return mark if there >= 1.0 else replace(mark, faint=min(1.0 - there, 1.0))


def _numbers(drawing: Drawing, moments: Sequence[float], at: float) -> tuple[Words, ...]:
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
        if there > 0.0 and isinstance(word, Words):
            text = " ".join((*in_tables(row[:FEW].tolist(), DECIMALS), "…"))
            size = SMALLER * word.size
            found.append(Words(strip.place[0], word.y, text, TEXT, True, 0.0, size=size, faint=1.0 - there))
    return tuple(found)


def _vectors(drawing: Drawing, moments: Sequence[float], at: float) -> tuple[Image, ...]:
    """The vectors of the words as a moving image between two strips; () before the first and after the last strip."""
    strips = _strips(drawing.marks, moments)
    for (strip, start), (coming, end) in pairwise(strips):
        if start <= at < end:
            part = (at - start) / (end - start)
            x, y = (a + part * (b - a) for a, b in zip(strip.place[:2], coming.place[:2], strict=True))
            return (replace(strip, place=(x, y, *strip.place[2:])),)
    return ()


def _strips(marks: Sequence[Mark], moments: Sequence[float]) -> list[tuple[Image, float]]:
    """The strips of the stream and their times: images at the height of the first image and with its size."""
    images = [(mark, when) for mark, when in zip(marks, moments, strict=True) if isinstance(mark, Image)]
    if not images:
        return []
    along, size = images[0][0].place[1], images[0][0].place[2:]
    return [(one, when) for one, when in images if one.place[1] == along and one.place[2:] == size]
