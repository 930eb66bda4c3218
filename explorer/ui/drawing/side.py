"""The sides of a picture, each with numbers, or as many labels of rows or columns as can be read, and a title."""

from collections.abc import Sequence
from math import ceil, floor, inf, log10
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetrics, QPainter, QStaticText, QTransform

from explorer.core.numbers import with_power
from explorer.ui.theme import qcolor
from explorer.ui.widgets.names import draw_named
from explorer.ui.workbench import Workbench

GAP = 5  # pixels between a label and the picture
APART = 3  # pixels next to the picture outside of the side's bounds: Qt repaints two more pixels around an item
BEYOND = 15  # pixels by which the first and the last label may go beyond the side
CLOSEST, WELL_APART = 0.86, 1.1  # least distances in line heights: if all labels are written, and if some are left out
LEAST = 8  # the least height of letters, in pixels at text scale 1, to give all words room
TINY = 6  # their least height where the side may be no wider: then words are cut
LONGEST = 116  # pixels; a longer word is cut
BESIDE = 8  # pixels between labels side by side
ROOM = {True: 24, False: 46}
"""Least pixels between two numbers: one above the other, and side by side."""
PLAIN, FINE = 5, 4
"""Numbers from 10^-`FINE` to 10^`PLAIN` are written without an exponent."""
Flag = Qt.AlignmentFlag
UNCUT = Qt.TextFlag.TextDontClip  # on a slide letters are higher than any box


class Side(pg.AxisItem):
    """A side of a picture. If labels are too close, only every second, third, … is written.

    `side`: "left", "right", "top" or "bottom".
    """

    range = (0.0, 0.0)  # read by pyqtgraph's constructor
    beside = False
    """Whether it stands at the left or the right."""
    _before = False
    """Whether it stands at the left or at the top."""

    def __init__(self, bench: Workbench, side: str) -> None:
        super().__init__(side)
        self.beside = side in ("left", "right")
        self._before = side in ("left", "top")
        self._bench = bench
        self._words: tuple[str, ...] | None = None
        self._shown: tuple[object, ...] = ()
        self.marked: tuple[int, ...] = ()
        """The indices of the labels that are always written."""
        self._laid: dict[tuple[str, bool], tuple[QStaticText, float, float]] = {}
        self._most = 0
        self._fonts = self._usual
        """The fonts of the labels, and of marked ones."""
        self.title = ""
        self._short = ""
        self.log = False
        """Whether the scale is logarithmic; its range is then given in exponents of ten."""
        self.upright = False
        """Whether the labels are turned by 90°, because side by side they would overlap."""
        # The first and the last label may go a little beyond the picture.
        self.setStyle(hideOverlappingLabels=False, tickLength=0)

    @property
    def words(self) -> tuple[str, ...]:
        """All labels, written or not."""
        return self._words or ()

    def show_words(
        self, words: Sequence[str], room: float, most: int = 0, title: str = "", across: float = inf
    ) -> None:
        """Show other labels, and a title that says what they are.

        `room`: the side's length in pixels when the whole picture is visible; `most`: the most labels that are written,
        0 for as many as fit; `across`: the greatest width of a side with labels in smaller letters.
        """
        shown = (tuple(words), room, most, title, across)
        if shown == self._shown:
            return  # after most edits the words are the same, and measuring them takes longer than the picture
        self._shown = shown
        self._laid.clear()
        self.title, self._short, self._most, self._fonts = title, "", most, self._usual
        metrics, px = QFontMetrics(self._fonts[1]), self._bench.appearance.px
        self._words = tuple(metrics.elidedText(word, Qt.TextElideMode.ElideRight, px(LONGEST)) for word in words)
        longest = max((metrics.horizontalAdvance(word) for word in self._words), default=0)
        # If only some labels are written, they need not be turned.
        crowded = (longest + 6) * len(self._words) > room
        self.upright = not self.beside and crowded and not 0 < most < len(self._words)
        if self.beside or self.upright:
            unit, inside = room / max(len(self._words), 1), across - GAP - 3 * self.beside
            if not most:
                self._fonts = self._fitting(unit, 1.0 if longest <= inside else inside / longest)
            metrics = QFontMetrics(self._fonts[1])
            longest = max(map(metrics.horizontalAdvance, self._words), default=0)
            if longest > inside:
                self._words = tuple(
                    metrics.elidedText(word, Qt.TextElideMode.ElideRight, int(inside)) for word in words
                )
                longest = max(map(metrics.horizontalAdvance, self._words))
            self._take(longest + GAP + 3 * self.beside)
        else:
            self._take(metrics.height() + GAP)

    @property
    def _usual(self) -> tuple[QFont, QFont]:
        fonts = self._bench.appearance.fonts
        return fonts.small, fonts.bold.small

    def _fitting(self, unit: float, part: float) -> tuple[QFont, QFont]:
        """The fonts in which labels `unit` pixels apart fit; the largest ones if these fit, or if no smaller font does.

        `part`: the greatest size of the fonts, relative to the usual ones.
        """
        (plain, bold), px = self._usual, self._bench.appearance.px
        usual = QFontInfo(plain).pixelSize()

        def sized(size: int) -> tuple[QFont, QFont]:
            smaller = QFont(plain), QFont(bold)
            for font in smaller:
                font.setPixelSize(size)
            return smaller if size < usual else (plain, bold)

        most = max(int(usual * part), min(px(TINY), usual))
        sizes = map(sized, range(most, px(LEAST) - 1, -1))
        return next((fonts for fonts in sizes if QFontMetrics(fonts[0]).height() * CLOSEST <= unit), sized(most))

    def show_numbers(self, low: float, high: float, room: float, title: str = "", short: str = "") -> None:
        """Show numbers from `low` to `high` along `room` pixels, and a title that says what they are.

        `short`: the same in fewer words, where the title is longer than the picture.
        """
        shown = (low, high, room, title, short, self.log)
        if shown == self._shown:
            return
        self._shown, self._words, self.title, self._short, self._fonts = shown, None, title, short, self._usual
        metrics = QFontMetrics(self._fonts[0])
        if self.beside:
            texts = ["−0.0", *(text for _, text in self.ticks(low, high, room))]
            self._take(max(map(metrics.horizontalAdvance, texts)) + GAP)
        else:
            self._take(metrics.height() + GAP)

    def restyle(self) -> None:
        """Measure again at the next `show_words` or `show_numbers`."""
        self._shown = ()
        self._laid.clear()
        self._paint_anew()

    def _take(self, room: float) -> None:
        """Set the needed width or height; pyqtgraph would set it while painting, and lay out everything again."""
        title = QFontMetrics(self._bench.appearance.fonts.ui).height() + GAP * self.beside
        room = ceil(room + (title if self.title else 0))
        if self.beside and room != self.fixedWidth:
            self.setWidth(room)
        elif not self.beside and room != self.fixedHeight:
            self.setHeight(room)
        self._paint_anew()

    def mark(self, places: Sequence[int]) -> None:
        """Always write these labels, in the colour of the present place; of those without room, the first ones."""
        if tuple(places) != self.marked:
            self.marked = tuple(places)
            self._paint_anew()

    def setRange(self, mn: float, mx: float) -> None:
        # pyqtgraph's own method would compute a prefix of the unit at each move.
        if (mn, mx) != tuple(self.range):
            self.range = (mn, mx)
            self._paint_anew()

    def _paint_anew(self) -> None:
        self.update()
        if self.scene() is not None and (view := self.getViewWidget()) is not None:
            view.paint_anew()  # see `Plot.says_when_to_paint`

    def boundingRect(self) -> QRectF:
        """Some pixels away from the picture, whose repainting must not repaint the side; labels go beyond the ends."""
        near, far = (0, -APART) if self._before else (APART, 0)
        inner = (near, -BEYOND, far, BEYOND) if self.beside else (-BEYOND, near, BEYOND, far)
        return self.rect().adjusted(*inner)

    # Numbers and labels

    def ticks(self, low: float, high: float, length: float) -> list[tuple[float, str]]:
        """The round numbers, with their texts."""
        low, high = sorted((low, high))
        if not (high > low and length > 0):
            return []
        if self.log:
            return _powers_of_ten(low, high)
        apart = self._bench.appearance.px(ROOM[self.beside])
        found = _round_numbers(low, high, length / apart)
        if not self.beside and len(found) > 1:
            metrics = QFontMetrics(self._bench.appearance.fonts.small)
            widest = max(map(metrics.horizontalAdvance, (text for _, text in found))) + BESIDE
            if widest > (found[1][0] - found[0][0]) / (high - low) * length:
                found = _round_numbers(low, high, length / widest)
        return found

    def numbers(self) -> list[tuple[float, str]]:
        """The numbers that are written now."""
        rect = self.geometry()
        return self.ticks(*self.range, rect.height() if self.beside else rect.width())

    def grid_lines(self, to_pixels: QTransform, bounds: QRectF) -> list[QLineF]:
        """A line through each number that is written, across the picture in these bounds in pixels."""
        places = [to_pixels.map(QPointF(number, number)) for number, _ in self.numbers()]
        if self.beside:
            return [QLineF(bounds.left(), at.y(), bounds.right(), at.y()) for at in places]
        return [QLineF(at.x(), bounds.top(), at.x(), bounds.bottom()) for at in places]

    def written(self) -> list[tuple[int, float]]:
        """The labels that are written now, the marked ones first: index, and middle in pixels."""
        low, high = sorted(self.range)
        rect = self.mapRectFromParent(self.geometry())
        length = rect.height() if self.beside else rect.width()
        if not length or high <= low or not self._words:
            return []
        unit = length / (high - low)
        metrics = QFontMetrics(self._fonts[0])
        if self.beside or self.upright:
            height: float = metrics.height()
            all_fit = unit >= height * CLOSEST
            apart = height * (CLOSEST if all_fit else WELL_APART)
        else:
            longest = max(map(metrics.horizontalAdvance, self._words)) if self._most else 0
            apart = longest + BESIDE if self._most else 0.0
            all_fit = unit >= apart
        start = rect.top() if self.beside else rect.left()
        up = self.beside and self.range[0] < self.range[1]  # whether labels count from below

        zero, step = start + (high - 0.5 if up else 0.5 - low) * unit, -unit if up else unit
        found: list[tuple[int, float]] = []
        for i in self.marked:
            middle = zero + i * step
            if low <= i + 0.5 <= high and not [other for _, other in found if abs(middle - other) < apart]:
                found.append((i, middle))
        marked = [middle for _, middle in found]
        every = 1 if all_fit else ceil(apart / unit)
        if self._most:
            every = max(every, ceil(len(self._words) / self._most))
        first = max(int(low) // every * every, 0)
        for i in range(first, min(len(self._words), int(high) + 1), every):
            middle, is_in = zero + i * step, low <= i + 0.5 <= high
            if is_in and i not in self.marked and not [m for m in marked if abs(middle - m) < apart]:
                found.append((i, middle))
        return found

    def title_written(self) -> str:
        """The title; if it is longer than the picture, in fewer words, or only its end, such as the index of a cell."""
        metrics, middle = QFontMetrics(self._bench.appearance.fonts.ui), self.geometry().center()
        whole = self.mapRectToParent(self._whole)
        if self.beside:
            room = 2 * min(middle.y() - whole.top(), whole.bottom() - middle.y())
        else:
            room = 2 * min(middle.x() - whole.left(), whole.right() - middle.x())
        said = self._short if self._short and metrics.horizontalAdvance(self.title) > room else self.title
        return metrics.elidedText(said, Qt.TextElideMode.ElideLeft, int(room))

    # Painting

    @property
    def _whole(self) -> QRectF:
        """The visible part of the whole picture, with its sides."""
        view = self.getViewWidget()
        return self.mapRectFromScene(view.mapToScene(view.rect()).boundingRect())

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        appearance, rect = self._bench.appearance, self.mapRectFromParent(self.geometry())
        theme = appearance.theme
        if self._words is None:
            self._paint_numbers(painter, rect)
        else:
            fonts = self._fonts
            colours = qcolor(theme.muted), qcolor(theme.here_text)
            marked = set(self.marked)
            end = self._whole.right()
            painter.save()
            if self.upright:
                painter.rotate(-90)
            before = None
            for i, at in self.written():
                here = i in marked and i < len(self._words)
                if here is not before:
                    painter.setFont(fonts[here])
                    painter.setPen(colours[here])
                    before = here
                laid, wide, high = self._laid.get((word := self._words[i], here)) or self._lay(word, here, fonts[here])
                painter.drawStaticText(self._corner(rect, at, wide, high, end), laid)
            painter.restore()
        if self.title:
            painter.setFont(appearance.fonts.ui)
            painter.setPen(qcolor(theme.muted))
            self._write_title(painter, rect)

    def _paint_numbers(self, painter: QPainter, rect: QRectF) -> None:
        start, end = self.range
        length = rect.height() if self.beside else rect.width()
        theme = self._bench.appearance.theme
        painter.setPen(qcolor(theme.line_strong))
        if self.beside:
            x = rect.right() if self._before else rect.left()
            painter.drawLine(QLineF(x, rect.top(), x, rect.bottom()))
        else:
            y = rect.bottom() if self._before else rect.top()
            painter.drawLine(QLineF(rect.left(), y, rect.right(), y))
        painter.setFont(self._bench.appearance.fonts.small)
        painter.setPen(qcolor(theme.muted))
        metrics = painter.fontMetrics()
        edge = rect.bottom() if self.beside else rect.left()
        # At the sides numbers grow upwards (if `end` is the larger one), below and above to the right.
        unit = (-length if self.beside else length) / (end - start) if end != start else 0.0
        for number, text in self.numbers():
            at = edge + (number - start) * unit
            if self.beside:  # the highest number stays inside the widget
                at = max(at, self.mapFromScene(QPointF()).y() + metrics.height() / 2)
            self._write(painter, rect, at, text)

    def _lay(self, word: str, bold: bool, font: QFont) -> tuple[QStaticText, float, float]:
        """Lay out a label, and measure it; the result is cached, because this takes as long as painting it."""
        laid = QStaticText(word)
        laid.setTextFormat(Qt.TextFormat.PlainText)
        laid.prepare(QTransform(), font)
        self._laid[word, bold] = found = laid, laid.size().width(), laid.size().height()
        return found

    def _corner(self, rect: QRectF, at: float, wide: float, high: float, end: float) -> QPointF:
        """The top left corner of a label or a number; if it is turned, in turned pixels. The last one ends at `end`."""
        if self.beside:
            return QPointF(rect.right() - GAP - wide if self._before else rect.left() + GAP, at - high / 2)
        if self.upright:
            return QPointF(GAP - rect.bottom() if self._before else -rect.top() - GAP - wide, at - high / 2)
        down = rect.bottom() - GAP - high if self._before else rect.top() + GAP
        return QPointF(min(at, end - wide / 2) - wide / 2, down)

    def _write(self, painter: QPainter, rect: QRectF, at: float, number: str) -> None:
        """Write a number; the last one below or above stays inside the picture."""
        metrics = painter.fontMetrics()
        size = QSizeF(metrics.horizontalAdvance(number), metrics.height())
        corner = self._corner(rect, at, size.width(), size.height(), rect.right())
        painter.drawText(QRectF(corner, size), UNCUT, number)

    def _write_title(self, painter: QPainter, rect: QRectF) -> None:
        metrics, middle, title = painter.fontMetrics(), rect.center(), self.title_written()
        if not self.beside:
            at_edge = Flag.AlignTop if self._before else Flag.AlignBottom
            box = QRectF(middle.x() - 400, rect.top(), 800, rect.height())
            draw_named(painter, box, Flag.AlignHCenter | at_edge | UNCUT, title)
            return
        painter.save()
        high = metrics.height()
        painter.translate(rect.left() if self._before else rect.right() - high, rect.center().y())
        painter.rotate(-90)
        draw_named(painter, QRectF(-400, 0, 800, high), Flag.AlignCenter | UNCUT, title)
        painter.restore()


def _round_numbers(low: float, high: float, most: float) -> list[tuple[float, str]]:
    """At most `most` round numbers, with their texts."""
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough * 0.999)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    if last - first > most + 1:
        return []  # far from 0, floating-point numbers are farther apart than the step
    decimals = -floor(log10(step) + 1e-9)
    size = floor(log10(max(abs(low), abs(high))) + 1e-9)
    found = []
    for k in range(first, last + 1):
        number = k * step
        if not k:
            text = "0"
        elif -FINE <= size <= PLAIN:
            text = f"{number:.{max(decimals, 0)}f}"
        else:
            text = with_power(f"{number:.{max(size + decimals, 0)}e}")
        found.append((number, text.replace("-", "−")))
    return found


def _powers_of_ten(low: float, high: float) -> list[tuple[float, str]]:
    """The places of powers of ten, with their texts; if there are few, also of 2 and 5 times these powers."""
    digits = (1, 2, 5) if high - low <= 2.5 else (1,)
    powers = range(floor(low), ceil(high) + 1)
    every = max(1, len(powers) // 6)
    ticks = [(power + log10(digit), f"{digit * 10.0**power:g}") for power in powers[::every] for digit in digits]
    return [(place, with_power(text)) for place, text in ticks if low <= place <= high]
