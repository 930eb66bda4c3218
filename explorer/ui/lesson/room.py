"""Places for the parts of a slide (what the step names, its words, its question and a derivation), so that nothing
scrolls and what the step names is as large as possible.

The needs of each part are measured; a few arrangements are tried, and the one with the least cost is taken.
"""

from collections.abc import Callable, Iterator
from functools import cache
from math import log2

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from explorer.core.frozen import Frozen

WORDS = 0.385, 0.36, 0.33, 0.3, 0.42, 0.45, 0.5, 0.55
"""Shares of the width for the words beside what the step names, the preferred share first."""
NUMBERS = 0.5, 0.4, 0.6
"""Shares of the width for what the step names, if the derivation stands beside it."""
TERMS = 0, 9, 7, 5, 4, 3
"""The most terms of a sum that are written out; 0: all."""
SCROLLS, BEYOND, LEFT_OUT, HALF, FAINT = 400.0, 8.0, 7.0, 100.0, 260.0
"""Costs: a part scrolls; each pixel that is hidden then; each term left out; what the step names is half as large as it
could be; it is half as large as the last row needs to read it."""
UNUSUAL, MOVED = 30.0, 300.0
"""Costs: a part is not where it is on most slides; the words have not their preferred width."""
LEAST_SCALE = 0.05
"""The scale that is assumed for matrices that do not fit at any scale."""


class Needs(Frozen):
    """What the parts of a slide need, in pixels."""

    # Heights of the words, and of the question, at a width; 0 if there is none.
    words: Callable[[int], int]
    asked: Callable[[int], int]
    way: Callable[[int, int], int]  # height of the derivation, given its width and the most terms of a sum
    longest: int  # number of terms of its longest sum; 0 if no derivation is shown
    scale: Callable[[int, int], float]  # the scale at which all that the step names fits into a width and height
    read: float = 1.0  # the scale at which the last row can read it


class Places(Frozen):
    """An arrangement: the places of the parts, the most terms of a sum, and the cost."""

    words: QRect
    numbers: QRect
    asked: QRect
    way: QRect
    terms: int
    cost: float


def placed(width: int, height: int, gap: int, needs: Needs, words: bool, numbers: bool, way: bool) -> Places:
    """The best places for the parts of a slide.

    Parameters
    ----------
    width, height : int
        Pixels of the whole slide.
    gap : int
        Pixels between two parts.
    words, numbers, way : bool
        Which parts there are; there is a question only with words.
    """
    best: Places | None = None
    said, asked, led, scale = cache(needs.words), cache(needs.asked), cache(needs.way), cache(needs.scale)
    largest = max(scale(width, height), LEAST_SCALE) if numbers else 0.0
    none = QRect()

    def judge(left: QRect, right: QRect, foot: QRect, below: QRect, terms: int, unusual: float) -> Places:
        """An arrangement, with its cost."""
        cost = unusual
        if words:
            cost += _hidden(said(left.width()) - left.height()) + _hidden(asked(foot.width()) - foot.height())
        if numbers:
            found = max(scale(right.width(), max(right.height(), 1)), LEAST_SCALE)
            cost += HALF * log2(largest / found) + FAINT * max(log2(needs.read / found), 0)
        if way:
            cost += _hidden(led(below.width(), terms) - below.height())
            cost += LEFT_OUT * max(needs.longest - terms, 0) if terms else 0
        return Places(left, right, foot, below, terms, cost)

    def arrangements(terms: int) -> Iterator[Places]:
        def shown(at: QRect) -> Iterator[tuple[QRect, QRect, float]]:
            """Places for what the step names, and for the derivation below it or beside it."""
            if not way or not numbers:
                yield (none, at, 0) if way else (at, none, 0)
                return
            rest = max(at.height() - led(at.width(), terms) - gap, 0)
            yield (
                QRect(at.x(), at.y(), at.width(), rest),
                QRect(at.x(), at.y() + rest + gap, at.width(), at.height() - rest - gap),
                1,  # slightly worse than below the words, where the derivation only takes free room
            )
            for part in NUMBERS:
                across = round(at.width() * part)
                other = QRect(at.x() + across + gap, at.y(), at.width() - across - gap, at.height())
                yield QRect(at.x(), at.y(), across, at.height()), other, UNUSUAL

        if not words:
            for at, below, unusual in shown(QRect(0, 0, width, height)):
                yield judge(none, at, none, below, terms, unusual)
            return
        high = min(asked(width), height)
        middle = max(height - high - gap, 0) if high else height
        foot = QRect(0, height - high, width, high)
        if not numbers and not way:
            yield judge(QRect(0, 0, width, middle), none, foot, none, terms, 0)
            return
        for part in WORDS:
            left, moved = round(width * part), MOVED * abs(part - WORDS[0])
            beside = QRect(left + gap, 0, width - left - gap, middle)
            for at, below, unusual in shown(beside):
                yield judge(QRect(0, 0, left, middle), at, foot, below, terms, moved + unusual)
            top = min(said(left) + gap, middle)
            if way and numbers:
                under = QRect(0, top, left, middle - top)
                yield judge(QRect(0, 0, left, top - gap), beside, foot, under, terms, moved)
                strip = led(width, terms)
                upper = max(middle - strip - gap, 0)
                at = QRect(beside.x(), 0, beside.width(), upper)
                below = QRect(0, upper + gap, width, min(strip, middle - upper - gap))
                yield judge(QRect(0, 0, left, upper), at, foot, below, terms, moved + UNUSUAL / 3)
            if high:  # the question below the words, for a long question
                under = QRect(0, max(height - asked(left), 0), left, min(asked(left), height))
                whole = QRect(beside.x(), 0, beside.width(), height)
                for at, below, unusual in shown(whole):
                    words_ = QRect(0, 0, left, max(under.y() - gap, 0))
                    yield judge(words_, at, under, below, terms, moved + unusual + 3 * UNUSUAL)
        top = min(said(width) + gap, middle)
        for at, below, unusual in shown(QRect(0, top, width, middle - top)):
            yield judge(QRect(0, 0, width, top - gap), at, foot, below, terms, 3 * UNUSUAL + unusual)

    for terms in TERMS:
        if terms and (not way or needs.longest <= terms):
            continue
        for one in arrangements(terms):
            if best is None or one.cost < best.cost:
                best = one
    assert best is not None
    return best


def _hidden(pixels: int) -> float:
    """The cost of a part that needs this many pixels more than it has."""
    return SCROLLS + BEYOND * pixels if pixels > 0 else 0.0


def height_at(widget: QWidget, width: int) -> int:
    """The height of a widget in pixels at a width; 0 if it is hidden."""
    if widget.isHidden():
        return 0
    own = getattr(widget, "height_at", None)
    if own is not None:
        return int(own(width))
    height = widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
    return min(height, widget.maximumHeight())


def column_height(widgets: list[QWidget], width: int, spacing: int) -> int:
    """The height in pixels of widgets below each other, at a width."""
    heights = [height_at(widget, width) for widget in widgets if not widget.isHidden()]
    return sum(heights) + spacing * max(len(heights) - 1, 0)
