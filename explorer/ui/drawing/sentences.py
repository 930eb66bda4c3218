"""The sentences of a decoder: the words it reads, the right words, its predictions, and its attention to the source.

The sentences stand below each other, word by word. If they are too long, those with lines between them stand side by
side, and others take several lines.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, inf

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.frozen import Frozen
from explorer.core.graph import Cell
from explorer.core.numbers import in_table, written
from explorer.core.ops import Array
from explorer.core.vocabulary import PAD
from explorer.pages.drawing import SentenceRow, Sentences
from explorer.pages.pointing import lines_between, lit_ends
from explorer.pages.stages.attention import MOST_LINES, SAYS, SHOULD
from explorer.ui.drawing.strokes import draw_weights
from explorer.ui.theme import qcolor
from explorer.ui.workbench import Workbench

WORD, LINES, ACROSS, LEAST_ACROSS, MOST, NEAR_TOP = 150, 110, 150, 60, 760, 100
"""Pixels at text scale 1: the widest word; the height of lines between rows; the width of lines between columns, and
their least width; the highest picture; how far down a much shorter sentence stands.
"""


class Word(Frozen):
    """A word with its place."""

    rect: QRectF
    room: int  # pixels for the text
    # `text`, `title`, `axis`: the word, and the title and the axis of its row.
    text: str
    title: str
    axis: str
    place: int  # the index in its row
    # Whether the word above, in the same sentence, is the same; None if there is none, or it is padding.
    right: bool | None


@dataclass
class Layout:
    """The places of all words, titles, lines and numbers."""

    width: int  # the available width for which it was made
    across: QSizeF = field(default_factory=QSizeF)  # the size of the rows below each other, at their full length
    least: int = 0  # the least width that shows everything: that of the rows side by side, or of the widest word
    height: int = 0
    # Of a very long sentence only every n-th word is written: n for the target, and for the source.
    every: tuple[int, int] = (1, 1)
    titles: list[tuple[QRectF, str]] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    # The points at which lines begin, at the words of the target, and end, at the words of the source.
    ends: tuple[list[QPointF], list[QPointF]] = field(default_factory=lambda: ([], []))
    # The places of numbers beside the words of the target, and beside those of the source.
    shares: tuple[list[QRectF], list[QRectF]] = field(default_factory=lambda: ([], []))

    def shows(self, of_source: bool, place: int, here: int | None) -> bool:
        """Whether a word is written; `here`: the index of the word that is pointed at, which is always written."""
        every = self.every[of_source]
        return place == here or (place % every == 0 and (here is None or abs(place - here) >= every))


def laid_out(
    rows: Sequence[SentenceRow], cross: bool, width: int, metrics: QFontMetrics, px: Callable[[float], int]
) -> Layout:
    """The layout of the rows.

    `rows`: the rows; with `cross`, the first one is the source.
    `cross`: whether lines go from the second row to the first.
    `width`: available pixels; 0: no limit.
    `metrics`: the metrics of the font with the widest letters.
    `px`: converts pixels at text scale 1 to this screen.
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
        _lines(layout, rows, of_target, (title, gap, high, pad), px)
        return layout

    y = 0.0
    for number_of_row, row in enumerate(rows):
        sizes = of_target if number_of_row else of_source
        # The shorter sentence stands in the middle of the longer one.
        x = title + (longest - sum(sizes) - gap * (len(sizes) - 1)) / 2
        layout.titles.append((QRectF(0, y, title, high), row.title))
        for place, size in enumerate(sizes):
            rect = QRectF(x, y, size, high)
            _add(layout, rows, number_of_row, place, rect, size - pad)
            if number_of_row < 2:
                beside = rect.translated(0, high if not number_of_row else -number)
                beside.setHeight(number)
                side = 1 - number_of_row
                layout.shares[side].append(beside)
                edge = beside.bottom() if not number_of_row else beside.top()
                layout.ends[side].append(QPointF(rect.center().x(), edge))
            x += size + gap
        y += high + px(2) + (0 if number_of_row else px(LINES) + 2 * number)
    layout.height = round(y)
    return layout


def _lines(
    layout: Layout,
    rows: Sequence[SentenceRow],
    sizes: Sequence[int],
    measures: tuple[int, int, int, int],
    px: Callable[[float], int],
) -> None:
    """Break the rows: first all rows with as many words as fit on a line, then all rows with the next words."""
    title, gap, high, pad = measures
    x, top = 0.0, -float(len(rows) * (high + px(2)) + gap)
    for place, size in enumerate(sizes):
        if not place or x + size > (layout.width or inf):
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
    """Put the source at the left, the target at its right, and the right words and the predictions after the target."""
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
        # A much shorter sentence stands near the top, where it is visible.
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


LEAST = 120  # the least width in pixels at text scale 1
NEAR = 5.0  # the greatest distance in pixels at which the mouse points at a line


class SentencesView(QWidget):
    """Rows of words below each other. If one is too long, they stand side by side, or take several lines.

    Below each word that the decoder reads are the right word and the predicted one. With weights, the source is above,
    with a line from each word of the target to each word of the source; a larger weight is a thicker line.
    """

    def __init__(self, bench: Workbench, element: Sentences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.element = element
        self._cross = element.weights is not None
        self._shares: Array = np.zeros((0, 0))
        self._rows: tuple[SentenceRow, ...] = ()
        self._layout: Layout | None = None
        self._asked = 0
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)
        for signal in (bench.selection.pointed, bench.selection.token_changed):
            signal.connect(self._mark)
        self._draw()

    def tell(self, element: Sentences) -> None:
        """Show other words and weights; whether there are weights stays the same."""
        if element is not self.element:
            self.element = element
            self._draw()

    def _draw(self) -> None:
        weights = self.element.weights
        if self.element.rows != self._rows:
            self._rows = self.element.rows
            self._layout = None
            self.updateGeometry()
        if weights is not None:
            self._shares = np.nan_to_num(weights.values)
        summary = self._summary()
        if summary != self.accessibleName():
            self.setAccessibleName(summary)
        self.update()

    def _summary(self) -> str:
        parts = [f"{row.title}: {' '.join(row.words[:40])}" for row in self._rows]
        if self._cross:
            source, target = self._rows[0].words, self._rows[1].words
            best = self._shares.argmax(-1) if self._shares.size else ()
            looks = [
                f"{target[i]} looks most at {source[j]} ({written(float(self._shares[i, j]), 3)})"
                for i, j in list(enumerate(best))[:12]
            ]
            parts += looks
        return ". ".join(parts)

    # Size

    def _laid(self, width: int) -> Layout:
        if self._layout is None or self._asked != width:
            appearance = self.bench.appearance
            metrics = QFontMetrics(appearance.fonts.bold.ui)
            self._asked = width
            self._layout = laid_out(self._rows, self._cross, width, metrics, appearance.px)
            if 0 < width < self._layout.least:
                self._layout = laid_out(self._rows, self._cross, self._layout.least, metrics, appearance.px)
        return self._layout

    def sizeHint(self) -> QSize:
        return self._laid(0).across.toSize()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.bench.appearance.px(LEAST), 0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(self._laid(width).height * self._scale(width))

    def _scale(self, width: int) -> float:
        """The factor by which everything is drawn smaller, if even the narrowest layout is too wide."""
        return min(width / self._laid(width).width, 1.0) if width else 1.0

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        layout, theme, fonts = self._laid(self.width()), self.bench.appearance.theme, self.bench.appearance.fonts
        query, key = self._lit()
        painter = QPainter(self)
        painter.scale(scale := self._scale(self.width()), scale)
        seen = painter.transform().inverted()[0].mapRect(QRectF(event.rect()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._cross:
            self._paint_lines(painter, layout, query, key)
        painter.setFont(fonts.small)
        painter.setPen(qcolor(theme.muted))
        for rect, title in layout.titles:
            painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        plain, bold = fonts.ui, fonts.bold.ui
        for word in layout.words:
            of_source = word.axis != self._rows[-1].axis
            looked_at = key if of_source else query
            here = word.place == looked_at
            if word.rect.intersects(seen) and layout.shows(of_source, word.place, looked_at):
                painter.setFont(bold if here else plain)
                self._paint_word(painter, word, here)
        if self._cross and (query is None) != (key is None):
            painter.setFont(fonts.small)
            self._paint_shares(painter, layout, query, key)
        painter.end()

    def _paint_word(self, painter: QPainter, word: Word, here: bool) -> None:
        theme = self.bench.appearance.theme
        text, color = word.text, qcolor(theme.here_text if here else theme.text)
        if word.title in (SHOULD, SAYS):
            if word.title == SAYS and self._rows[-2].title == SHOULD and word.right is not None:
                text = f"{text} {'✓' if word.right else '≠'}"
            elif not here:
                color = qcolor(theme.muted)
        else:
            painter.setPen(QPen(qcolor(theme.here if here else theme.line_strong), 1))
            painter.setBrush(qcolor(theme.here_soft if here else theme.surface))
            inside = word.rect.adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(inside, inside.height() / 2.2, inside.height() / 2.2)
        painter.setPen(color)
        metrics = painter.fontMetrics()
        painter.drawText(
            word.rect, Qt.AlignmentFlag.AlignCenter, metrics.elidedText(text, Qt.TextElideMode.ElideRight, word.room)
        )

    def _paint_lines(self, painter: QPainter, layout: Layout, query: int | None, key: int | None) -> None:
        queries, keys = self.shown(query, key)
        starts, ends = layout.ends
        lines = [QLineF(starts[i], ends[j]) for i, j in zip(queries.tolist(), keys.tolist(), strict=True)]
        shares, here = self._shares[queries, keys], (query, key)
        draw_weights(painter, self.bench.appearance.theme, lines, (queries, keys), shares, here, (0.07, 0.0))

    def shown(self, query: int | None = None, key: int | None = None) -> tuple[Array, Array]:
        """The indices of the words of the target and of the source between which lines are drawn."""
        return lines_between(self._shares, self._shares.size > MOST_LINES, query, key)

    def _paint_shares(self, painter: QPainter, layout: Layout, query: int | None, key: int | None) -> None:
        """Paint the weights of the word that is pointed at, each beside a word of the other sentence."""
        painter.setPen(qcolor(self.bench.appearance.theme.here_text))
        line, places = (self._shares[query], layout.shares[1]) if query is not None else (None, layout.shares[0])
        numbers = line if line is not None else self._shares[:, key]
        for place, share in enumerate(numbers.tolist()):
            if layout.shows(query is not None, place, None):
                painter.drawText(places[place], Qt.AlignmentFlag.AlignCenter, in_table(share, 2))

    # Pointing

    def _lit(self) -> tuple[int | None, int | None]:
        """The indices of the lit words of the target and of the source; None for one that is not drawn."""
        selection, source, target = self.bench.selection, self._rows[0], self._rows[-1]
        shape = len(target.words), len(source.words) * self._cross
        axes, lights = (target.axis, source.axis), self.element.lights
        return lit_ends(selection.token, selection.cell, lights, axes, shape)

    def _mark(self, *_: object) -> None:
        self.update()

    def _word_at(self, point: QPointF) -> tuple[str, int] | None:
        words = [word for word in self._laid(self.width()).words if word.rect.contains(point)]
        # The words of a very long sentence overlap, so take the nearest.
        word = min(words, key=lambda word: abs(word.rect.center().y() - point.y()), default=None)
        return (word.axis, word.place) if word is not None else None

    def _line_at(self, point: QPointF) -> Cell | None:
        """The cell of the weight whose line is nearest to a point; None if none is near."""
        queries, keys = self.shown()
        if not len(queries):
            return None
        ends = self._laid(self.width()).ends
        a, b = (np.array([(p.x(), p.y()) for p in side]) for side in ends)
        start, way = a[queries], b[keys] - a[queries]
        to = np.array([point.x(), point.y()]) - start
        along = np.clip((to * way).sum(1) / np.maximum((way * way).sum(1), 1e-9), 0.0, 1.0)
        distances = np.hypot(*(to - along[:, None] * way).T)
        best = int(distances.argmin())
        if distances[best] > NEAR:
            return None
        weights = self.element.weights
        assert weights is not None
        return weights.cell_at(int(queries[best]), int(keys[best]))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        selection, point = self.bench.selection, event.position() / self._scale(self.width())
        token = self._word_at(point)
        line = self._line_at(point) if token is None else None
        self.setCursor(Qt.CursorShape.PointingHandCursor if token or line else Qt.CursorShape.ArrowCursor)
        selection.set_token(token)
        if line is not None:
            selection.point(line)
        elif token is None:
            selection.leave()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        selection, point = self.bench.selection, event.position() / self._scale(self.width())
        token = self._word_at(point)
        if token is not None:
            selection.choose_token(None if token == selection.chosen_token else token)
        elif (line := self._line_at(point)) is not None:
            selection.choose_token(None)
            selection.choose(line)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bench.selection.set_token(None)
        self.bench.selection.leave()
