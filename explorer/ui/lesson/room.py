"""How the words of a step, what it names, and how a number comes about share a screen, so that nothing scrolls.

What each part needs is measured; a few arrangements are tried, and the one that hides least is taken.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

WORDS = 0.39, 0.365, 0.34, 0.315, 0.29, 0.415, 0.44, 0.47, 0.5, 0.53, 0.56
"""Of the width: the words beside what the step names, the one that is liked most first."""
NUMBERS = 0.5, 0.4, 0.6
"""Of the width: what the step names, where the way to a number stands beside it."""
TERMS = 0, 9, 7, 5, 4, 3
"""Terms of a sum that are written out at most; 0: all."""
SCROLLS, BEYOND, SIDEWAYS, LEFT_OUT, FEW, ROWS, COLUMNS, SMALLER = 200.0, 10.0, 3.0, 40.0, 1.5, 0.3, 0.5, 300.0
"""What it costs: that a part scrolls, a pixel to be scrolled to, one across, a term left out, a pixel of the rows of a
matrix with few, of one with many, or of columns that is not in sight, and a picture that is half as large as it could
be, twice."""
CUT = 30.0
"""What it costs that a matrix is not whole, be it for a pixel."""
UNUSUAL, MOVED = 10.0, 100.0
"""What it costs that the way to a number does not stand below the matrix, and that words have another width."""


@dataclass(frozen=True)
class Needs:
    """What the parts of a sheet need, in pixels."""

    words: Callable[[int], int]  # how high the words and the question are in a width
    words_across: int  # how wide they are at least
    # How high what the step names is in a width: at most, in full, with all rows of matrices that have few, and at
    # least.
    numbers: Callable[[int], tuple[int, int, int, int]]
    # `across`, `least_across`: how wide what the step names is in full, and at least.
    across: int
    least_across: int
    way: Callable[[int, int], int]  # how high the way to a number is in a width, with so many terms at most
    longest: int  # terms of the longest sum in it; 0 where no way is shown
    scale: Callable[[int, int], float]  # how large a picture is in a width and height; 0 where there is none


@dataclass(frozen=True)
class Places:
    """Where the parts stand, and what that costs."""

    words: QRect
    numbers: QRect
    way: QRect
    terms: int
    cost: float


def shared(width: int, height: int, gap: int, needs: Needs, words: bool, numbers: bool, way: bool) -> Places:
    """The best places for the parts of a sheet.

    Parameters
    ----------
    width, height : int
        Of all of it.
    gap : int
        Between two parts.
    words, numbers, way : bool
        Which parts there are.
    """
    best: Places | None = None
    said, shown, led = cache(needs.words), cache(needs.numbers), cache(needs.way)
    scale = cache(needs.scale)
    largest = scale(width, height) if numbers else 0.0

    def judge(left: QRect, right: QRect, below: QRect, terms: int, unusual: float) -> Places:
        """What a place for each part costs."""
        cost = unusual
        if words:
            cost += _hidden(said(left.width()) - left.height()) + _hidden(needs.words_across - left.width())
        if numbers:
            _, full, liked, least = shown(right.width())
            high = right.height()
            cost += _hidden(least - high)
            cost += _cut(FEW, liked - max(high, least)) + _cut(ROWS, full - max(high, liked))
            cost += SIDEWAYS * max(needs.least_across - right.width(), 0)
            cost += _cut(COLUMNS, needs.across - right.width())
            if largest:
                cost += SMALLER * (1 - scale(right.width(), max(right.height(), 1)) / largest)
        if way:
            cost += _hidden(led(below.width(), terms) - below.height())
            cost += LEFT_OUT * max(needs.longest - terms, 0) if terms else 0
        return Places(left, right, below, terms, cost)

    def arrangements(terms: int) -> Iterator[Places]:
        none = QRect()

        def stacked(at: QRect) -> tuple[QRect, QRect]:
            """What the step names, and the way to a number below it."""
            if not way:
                return at, none
            if not numbers:
                return none, at
            most, _, _, least = shown(at.width())
            high = led(at.width(), terms)
            first = min(most, max(at.height() - high - gap, min(least, at.height())))
            if largest:
                first = max(at.height() - high - gap, least)
            rest = max(at.height() - first - gap, 0)
            return QRect(at.x(), at.y(), at.width(), first), QRect(at.x(), at.y() + first + gap, at.width(), rest)

        def abreast(at: QRect) -> Iterator[tuple[QRect, QRect]]:
            """What the step names, and the way to a number beside it."""
            for part in NUMBERS:
                across = round(at.width() * part)
                other = QRect(at.x() + across + gap, at.y(), at.width() - across - gap, at.height())
                yield QRect(at.x(), at.y(), across, at.height()), other

        whole = QRect(0, 0, width, height)
        if not words:
            yield judge(none, *stacked(whole), terms, 0)
            if way and numbers:
                for pair in abreast(whole):
                    yield judge(none, *pair, terms, UNUSUAL)
            return
        if not numbers and not way:
            yield judge(whole, none, none, terms, 0)
            return
        for part in WORDS:
            left = round(width * part)
            moved = MOVED * abs(part - WORDS[0])
            beside = QRect(left + gap, 0, width - left - gap, height)
            yield judge(QRect(0, 0, left, height), *stacked(beside), terms, moved)
            if way and numbers:
                high = said(left)
                under = QRect(0, high + gap, left, max(height - high - gap, 0))
                yield judge(QRect(0, 0, left, high), beside, under, terms, moved + UNUSUAL)
                foot = led(width, terms)
                upper = max(height - foot - gap, 0)
                yield judge(
                    QRect(0, 0, left, upper),
                    QRect(beside.x(), 0, beside.width(), upper),
                    QRect(0, upper + gap, width, foot),
                    terms,
                    moved + UNUSUAL,
                )
        high = said(width)
        top, rest = QRect(0, 0, width, high), QRect(0, high + gap, width, max(height - high - gap, 0))
        yield judge(top, *stacked(rest), terms, UNUSUAL)
        if way and numbers:
            for pair in abreast(rest):
                yield judge(top, *pair, terms, UNUSUAL)

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


def _cut(each: float, pixels: int) -> float:
    """What it costs that so many pixels of a matrix are not in sight: with the first one a row or column is gone."""
    return CUT + each * pixels if pixels > 0 else 0.0


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
