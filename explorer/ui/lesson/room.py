"""Where the parts of a slide stand: what the step names as large as it fits, its words, its question, and the way to a
number, so that nothing scrolls.

What each part needs is measured; a few arrangements are tried, and the one that costs least is taken.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import log2

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

WORDS = 0.385, 0.36, 0.33, 0.3, 0.42, 0.45, 0.5, 0.55
"""Of the width: the words beside what the step names, the one that is liked most first."""
NUMBERS = 0.5, 0.4, 0.6
"""Of the width: what the step names, where the way to a number stands beside it."""
TERMS = 0, 9, 7, 5, 4, 3
"""Terms of a sum that are written out at most; 0: all."""
SCROLLS, BEYOND, LEFT_OUT, HALF, FAINT = 400.0, 8.0, 7.0, 100.0, 260.0
"""What it costs: that a part scrolls, a pixel to be scrolled to, a term left out, that what the step names is half as
large as it could be, and once more where the last row can no longer read it."""
UNUSUAL, MOVED = 30.0, 300.0
"""What it costs that a part does not stand where it stands on most slides, and that words have another width."""
LEAST_SCALE = 0.05
"""What does not fit at all counts as so small."""


@dataclass(frozen=True)
class Needs:
    """What the parts of a slide need, in pixels."""

    # How high the words, and the question, are in a width; 0 where there is none.
    words: Callable[[int], int]
    asked: Callable[[int], int]
    way: Callable[[int, int], int]  # how high the way to a number is in a width, with so many terms at most
    longest: int  # terms of the longest sum in it; 0 where no way is shown
    scale: Callable[[int, int], float]  # the scale at which all that the step names fits into a width and height
    read: float = 1.0  # the scale at which the last row can read it


@dataclass(frozen=True)
class Places:
    """Where the parts stand, and what that costs."""

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
        Of all of it.
    gap : int
        Between two parts.
    words, numbers, way : bool
        Which parts there are; the question goes with the words.
    """
    best: Places | None = None
    said, asked, led, scale = cache(needs.words), cache(needs.asked), cache(needs.way), cache(needs.scale)
    largest = max(scale(width, height), LEAST_SCALE) if numbers else 0.0
    none = QRect()

    def judge(left: QRect, right: QRect, foot: QRect, below: QRect, terms: int, unusual: float) -> Places:
        """What a place for each part costs."""
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
            """What the step names, and the way to a number below it or beside it."""
            if not way or not numbers:
                yield (none, at, 0) if way else (at, none, 0)
                return
            rest = max(at.height() - led(at.width(), terms) - gap, 0)
            yield (
                QRect(at.x(), at.y(), at.width(), rest),
                QRect(at.x(), at.y() + rest + gap, at.width(), at.height() - rest - gap),
                1,  # below the words, where it fits, it takes no room that something else fills
            )
            for part in NUMBERS:
                across = round(at.width() * part)
                other = QRect(at.x() + across + gap, at.y(), at.width() - across - gap, at.height())
                yield QRect(at.x(), at.y(), across, at.height()), other, UNUSUAL

        if not words:
            for at, below, unusual in shown(QRect(0, 0, width, height)):
                yield judge(none, at, none, below, terms, unusual)
            return
        high = asked(width)
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
                below = QRect(0, upper + gap, width, strip)
                yield judge(QRect(0, 0, left, upper), at, foot, below, terms, moved + UNUSUAL / 3)
            if high:  # a long question under the words
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
    """What it costs that so many pixels have to be scrolled to."""
    return SCROLLS + BEYOND * pixels if pixels > 0 else 0.0


def height_at(widget: QWidget, width: int) -> int:
    """Pixels that a widget is high in a width; 0 where it is hidden."""
    if widget.isHidden():
        return 0
    own = getattr(widget, "height_at", None)
    if own is not None:
        return int(own(width))
    height = widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
    return min(height, widget.maximumHeight())


def column_height(widgets: list[QWidget], width: int, spacing: int) -> int:
    """Pixels that widgets below each other are high in a width."""
    heights = [height_at(widget, width) for widget in widgets if not widget.isHidden()]
    return sum(heights) + spacing * max(len(heights) - 1, 0)
