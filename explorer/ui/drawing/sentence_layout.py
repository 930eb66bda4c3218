"""Where the words of sentences stand that are drawn above each other.

Where they are too long, sentences with lines between them stand beside each other, and others take several lines.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QFontMetrics

from explorer.core.vocabulary import PAD
from explorer.pages.drawing import SentenceRow

WORD, LINES, ACROSS, LEAST_ACROSS, MOST, NEAR_TOP = 150, 110, 150, 60, 760, 100
"""Pixels at text scale 1: the widest word; lines between rows; lines between columns, and at least;
the highest picture; how far down a much shorter sentence stands.
"""


@dataclass(frozen=True)
class Word:
    """A word in its place."""

    rect: QRectF
    room: int  # pixels for the text
    # `text`, `title`, `axis`: the word, and the title and the axis of its row.
    text: str
    title: str
    axis: str
    place: int  # in its row
    # Whether it is the word in the row above, of the same sentence; None where there is none, or nothing to be said.
    right: bool | None


@dataclass
class Layout:
    """All places."""

    width: int  # that it was made for
    across: QSizeF = field(default_factory=QSizeF)  # the size of the rows above each other, at their full length
    least: int = 0  # the least width that shows all: that of the rows beside each other, or of the widest word
    height: int = 0
    # Of a very long sentence each so many-th word is written: of the target, and of the source.
    every: tuple[int, int] = (1, 1)
    titles: list[tuple[QRectF, str]] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    # Where the lines begin at the words of the target, and end at those of the source.
    ends: tuple[list[QPointF], list[QPointF]] = field(default_factory=lambda: ([], []))
    # The places of numbers beside the words of the target, and beside those of the source.
    shares: tuple[list[QRectF], list[QRectF]] = field(default_factory=lambda: ([], []))

    def shows(self, of_source: bool, place: int, here: int | None) -> bool:
        """Whether there is room for the word at a place, beside the one of its sentence that is looked at."""
        every = self.every[of_source]
        return place == here or (place % every == 0 and (here is None or abs(place - here) >= every))


def laid_out(
    rows: Sequence[SentenceRow], cross: bool, width: int, metrics: QFontMetrics, px: Callable[[float], int]
) -> Layout:
    """The layout of the rows.

    Parameters
    ----------
    rows : sequence of SentenceRow
        With `cross`, the first one is the source.
    cross : bool
        Whether lines go from the second row to the first.
    width : int
        Pixels that there are; 0: as many as it takes.
    metrics : QFontMetrics
        Of the widest letters.
    px : callable
        Pixels at the text scale.
    """
    layout = Layout(width)
    pad, gap, high = px(12), px(20), metrics.height() + px(8)
    title = max(metrics.horizontalAdvance(row.title) for row in rows) + px(14)

    def room(texts: Sequence[str]) -> int:
        return min(max(metrics.horizontalAdvance(f"{text} ✓") for text in texts), px(WORD))

    above, below = (rows[:1], rows[1:]) if cross else (rows[:0], rows)
    of_target = [room(texts) + 2 * pad for texts in zip(*(row.words for row in below), strict=True)]
    of_source = [room([word]) + 2 * pad for row in above for word in row.words]
    longest = max(sum(sizes) + gap * (len(sizes) - 1) for sizes in (of_target, of_source))
    number = metrics.height()
    lines = (px(LINES) + 2 * number if cross else 0) + len(rows) * (high + px(2))
    layout.across = QSizeF(title + longest, lines)
    layout.least = title + longest
    if cross:
        # The words of the first two rows are framed.
        frames = (2 * pad, 2 * pad, *(pad for _ in rows[2:]))
        widths = [room((*row.words, row.title)) + frame for row, frame in zip(rows, frames, strict=False)]
        taken = 6 * number + sum(widths) + (len(rows) - 1) * px(4)
        layout.least = min(layout.least, taken + px(LEAST_ACROSS))
        if 0 < width < layout.across.width():
            _columns(layout, rows, widths, (number, high, min(px(ACROSS), max(width - taken, px(LEAST_ACROSS)))), px)
            return layout
    else:
        layout.least = title + max(of_target)
        if 0 < width < layout.across.width():
            _lines(layout, rows, of_target, (title, gap, high, pad), px)
            return layout

    y = 0.0
    for number_of_row, row in enumerate(rows):
        sizes = of_source if cross and not number_of_row else of_target
        # The shorter sentence stands in the middle of the longer one.
        x = title + (longest - sum(sizes) - gap * (len(sizes) - 1)) / 2
        layout.titles.append((QRectF(0, y, title, high), row.title))
        for place, size in enumerate(sizes):
            rect = QRectF(x, y, size, high)
            _add(layout, rows, number_of_row, place, rect, size - pad)
            if cross and number_of_row < 2:
                beside = rect.translated(0, high if not number_of_row else -number)
                beside.setHeight(number)
                side = 1 - number_of_row
                layout.shares[side].append(beside)
                edge = beside.bottom() if not number_of_row else beside.top()
                layout.ends[side].append(QPointF(rect.center().x(), edge))
            x += size + gap
        y += high + px(2) + (px(LINES) + 2 * number if cross and not number_of_row else 0)
    layout.height = round(y)
    return layout


def _lines(
    layout: Layout,
    rows: Sequence[SentenceRow],
    sizes: Sequence[int],
    measures: tuple[int, int, int, int],
    px: Callable[[float], int],
) -> None:
    """All rows of as many words as a line holds, then those of the next ones."""
    title, gap, high, pad = measures
    x, top = layout.width + 1.0, -float(len(rows) * (high + px(2)) + gap)
    for place, size in enumerate(sizes):
        if x + size > layout.width:
            x, top = float(title), top + len(rows) * (high + px(2)) + gap
            layout.titles += [
                (QRectF(0, top + n * (high + px(2)), title, high), row.title) for n, row in enumerate(rows)
            ]
        for number in range(len(rows)):
            _add(layout, rows, number, place, QRectF(x, top + number * (high + px(2)), size, high), size - pad)
        x += size + gap
    layout.height = round(top + len(rows) * (high + px(2)))


def _columns(
    layout: Layout,
    rows: Sequence[SentenceRow],
    widths: Sequence[int],
    measures: tuple[int, int, int],
    px: Callable[[float], int],
) -> None:
    """The source at the left, the target at the right, with what it should say and says behind it."""
    number, high, across = measures
    units = [min(float(high), px(MOST) / len(row.words)) for row in rows]
    target, source = (max(1, ceil((number - 1) / unit)) for unit in (units[1], units[0]))
    layout.every = target, source
    tall = max(unit * len(row.words) for unit, row in zip(units, rows, strict=True))
    shares = 3 * number
    x = 0.0
    for number_of_row, row in enumerate(rows):
        widest, unit = widths[number_of_row], units[number_of_row]
        box = min(float(high), max(unit, number))
        # A much shorter sentence stands near the top, in sight.
        above = min((tall - len(row.words) * unit) / 2, px(NEAR_TOP))
        layout.titles.append((QRectF(x + px(12), above, widest, high), row.title))
        top = high + above
        for place in range(len(row.words)):
            middle = top + (place + 0.5) * unit
            rect = QRectF(x, middle - box / 2, widest, box)
            _add(layout, rows, number_of_row, place, rect, widest - px(12))
            if number_of_row < 2:
                left = rect.right() if not number_of_row else rect.left() - shares
                side = 1 - number_of_row
                layout.shares[side].append(QRectF(left, rect.top(), shares, box))
                layout.ends[side].append(QPointF(left + (shares if not number_of_row else 0), middle))
        x += widest + px(4) + (2 * shares + across if not number_of_row else 0)
    layout.height = round(high * 1.5 + tall)


def _add(layout: Layout, rows: Sequence[SentenceRow], number: int, place: int, rect: QRectF, room: int) -> None:
    row, before = rows[number], rows[number - 1] if number else None
    right = None
    if before is not None and before.axis == row.axis and before.words[place] != PAD:
        right = before.words[place] == row.words[place]
    layout.words.append(Word(rect, room, row.words[place], row.title, row.axis, place, right))
