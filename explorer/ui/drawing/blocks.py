"""Paints boxes, flow lines, bars and fixed words: the parts of a drawing with zoom, in pixels."""

from collections.abc import Sequence
from math import hypot

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from explorer.core.frozen import Frozen
from explorer.core.graph import Cell
from explorer.core.numbers import as_share
from explorer.pages.drawing import Bars, Box, Dot, FlowLine, Words, drawable, lines_of
from explorer.ui.drawing.strokes import Formulas, line_ink, word_ink
from explorer.ui.theme import qcolor
from explorer.ui.widgets.names import draw_named, wide
from explorer.ui.workbench import Workbench

TITLE, NOTE = 12.5, 11.7
"""Heights of a box's title and note, in units of the window."""
NARROWER = 0.7
"""Words without room are made smaller by at most this factor before they are cut."""
UNREADABLE, TINY, TIGHT, LEAST, MOST = 5.4, 7.0, 9.0, 11.0, 19.0
"""Heights of letters in pixels: words smaller than `UNREADABLE` are left out; others are from `LEAST` to `MOST` high.
Without room, letters may be as low as `TIGHT`; those of a short word, of a number in a circle, and of words that others
or an image would cover, as low as `TINY`."""
SHORT = 5
"""The most letters of a short word: it is made smaller before it is cut, because "no…" may be anything."""
CROWDED = 7.8
"""Words outside boxes whose letters would be lower than this, in pixels, are left out, since they would overlap."""
CLOSE = 0.85
"""The least distance, in line heights, between two words of a sentence that are both written."""
CORNER, SHEET, BEND, DISC = 6.0, 4.0, 8.0, 16.0
"""Units of the window: the corner radius of a box, how far each sheet behind it stands out, the corner radius of a flow
line, and the radius of a disc."""
PAD, LINE = 6.0, 17.0
"""Units of the window: the padding of a box, and the height of a line of its head."""
HEAD = 1.3
"""The height of a line of a box's head, in heights of its letters."""
EDGE, EDGE_PART = 3.5, 0.06
"""Pixels between the edge of a low box and its one line of words; the most part of the width of a small box."""
NAMED, NUMBERED, BAR = 0.41, 0.26, 17.0
"""The shares of the width of bars for the words and for the numbers; the height of a bar in units of the window."""
LEAST_BAR = 0.14
"""The least share of the width for the bars, if words need more."""

_ALIGN = Qt.AlignmentFlag
_MIDDLE, _UNCUT = _ALIGN.AlignVCenter | Qt.TextFlag.TextDontClip, _ALIGN.AlignHCenter | Qt.TextFlag.TextDontClip
LEFT, RIGHT, CENTRE = int(_MIDDLE | _ALIGN.AlignLeft), int(_MIDDLE | _ALIGN.AlignRight), int(_MIDDLE | _UNCUT)
TOP, BOTTOM = int(_UNCUT | _ALIGN.AlignTop), int(_UNCUT | _ALIGN.AlignBottom)
TOP_LEFT, TOP_RIGHT = (
    int(Qt.TextFlag.TextDontClip | _ALIGN.AlignTop | side) for side in (_ALIGN.AlignLeft, _ALIGN.AlignRight)
)
"""Alignments of words, computed once: combining Python's enumerations takes longer than painting."""


class _Last(Frozen):
    """The position of a sentence's last word (x and y), and the y position of its last written word."""

    across: float
    down: float
    written: float


class Blocks:
    """Paints the parts of a drawing, and stores the places of the words of sentences."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._fonts: dict[tuple[int, bool], QFont] = {}
        self._wide: dict[tuple[int, bool, str, bool], float] = {}
        self._unit = 1.0
        self.exposed: Sequence[QRectF] = ()
        """The rectangles to repaint, in pixels; empty: everything."""
        self.formulas = Formulas()
        # (rectangle in pixels, (axis, index)) of the words of sentences as last painted.
        self.spots: list[tuple[QRectF, tuple[str, int]]] = []
        self._last: dict[str, _Last] = {}

    def begin(self, unit: float) -> None:
        """Begin to paint a drawing; `unit`: pixels of one unit of its window."""
        self._unit = unit
        self.spots = []
        self._last = {}

    # Boxes

    def box(self, painter: QPainter, box: Box, rect: QRectF, under: bool, here: bool) -> None:
        """Paint a block: raised if it is under the mouse, with a ring if it has the focus."""
        theme, unit = self._bench.appearance.theme, self._unit
        corner = min(CORNER * unit, rect.width() / 2, rect.height() / 2)
        ground, ink, quiet = qcolor(theme.surface), qcolor(theme.text), qcolor(theme.muted)
        if box.share is not None:
            ground, ink = theme.sequential_ramp.shade(box.share)
            quiet = ink
        elif under:
            ground = qcolor(theme.raised)
        elif box.around:
            ground = qcolor(theme.sunken)
        line = QPen(qcolor(theme.line_strong), 1.0)
        painter.setPen(line)
        for sheet in (2, 1) if box.folded else ():
            painter.setBrush(qcolor(theme.sunken if box.around else theme.surface))
            by = sheet * SHEET * unit
            self._sheet(painter, rect.translated(by, -by), corner)
        if under and not box.around:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.text, 0.1))
            painter.drawRoundedRect(rect.translated(0.0, 2.0), corner, corner)
        if box.off:
            line = QPen(qcolor(theme.error), 1.5, Qt.PenStyle.DashLine)
        painter.setPen(QPen(qcolor(theme.focus), 2.0) if here else QPen(qcolor(theme.text), 1.2) if under else line)
        painter.setBrush(ground)
        self._sheet(painter, rect, corner)
        pad = min(PAD * unit, rect.width() / 8)
        inside = rect.adjusted(pad, 0.4 * pad, -pad, -0.4 * pad)
        if box.formula is not None:
            if box.share is None:
                ink = qcolor(word_ink(theme, box.ink))
            self._head(painter, inside, box, ink, quiet)
            return
        if box.around:
            self._around(painter, inside, box, quiet)
            return
        size = TITLE * box.letters
        middle = not box.note and rect.height() < 2.2 * size * unit
        place = CENTRE if middle else TOP
        edge = min(EDGE, EDGE_PART * rect.width())
        across = QRectF(rect.left() + edge, inside.top(), rect.width() - 2 * edge, inside.height())
        # In a small picture letters are low, too: else the images below the title would cover it.
        high = rect.height() if middle else HEAD * size * unit
        least = min(max(high / HEAD, TINY), LEAST)
        self._write(painter, across, box.title, size, ink, place, not middle, least=least, briefly=box.briefly)
        self._write(painter, across, box.note, NOTE * box.letters, quiet, BOTTOM)

    def _sheet(self, painter: QPainter, rect: QRectF, corner: float) -> None:
        """Paint a rounded rectangle; if only parts of its inside are exposed, fill these, in a tenth of the time."""
        around, inner = rect.adjusted(-2, -2, 2, 2), rect.adjusted(corner + 2, corner + 2, -corner - 2, -corner - 2)
        parts = [part & around for part in self.exposed if part.intersects(around)]
        if self.exposed and painter.opacity() == 1.0 and all(inner.contains(part) for part in parts):
            for part in parts:
                painter.fillRect(part, painter.brush())
        else:
            painter.drawRoundedRect(rect, corner, corner)

    def _around(self, painter: QPainter, inside: QRectF, box: Box, quiet: QColor) -> None:
        """Write the title of a frame at its left, and the note at its right, if all of it fits."""
        size = NOTE * box.letters
        self._write(painter, inside, box.title, size, quiet, TOP_LEFT)
        font = self.font(size)
        if font is not None and box.note:
            fits = self._advance(font, False, f"{box.title}  {box.note}") <= inside.width()
            self._write(painter, inside, box.note * fits, size, quiet, TOP_RIGHT)

    def _head(self, painter: QPainter, inside: QRectF, box: Box, ink: QColor, quiet: QColor) -> None:
        """Write the title and, on the same line, the note, if all of it fits; and the formula below."""
        line = QRectF(inside.left(), inside.top(), inside.width(), LINE * self._unit)
        # In low lines letters are low, too; otherwise title, formula and picture would overlap.
        least = min(max(line.height() / HEAD, TIGHT), LEAST)
        font = self.font(TITLE, True, least)
        if font is None:
            return
        across = self._advance(font, True, box.title)
        self._write(painter, line, box.title, TITLE, ink, LEFT, strong=True, least=least, briefly=box.briefly)
        room = line.adjusted(across + 0.4 * font.pixelSize(), 0, 0, 0)
        small = self.font(NOTE, least=least) if room.width() > font.pixelSize() else None
        if small is not None and self._fitted(small, False, box.note, room.width())[1] == box.note:
            self._write(painter, room, box.note, NOTE, quiet, RIGHT, least=least)
        if box.formula:
            below = line.translated(0, 0.92 * line.height())
            below.setHeight(lines_of(box.formula) * line.height())
            self.formulas.paint(painter, box.formula, below, font.pixelSize(), quiet)

    def _write(
        self,
        painter: QPainter,
        rect: QRectF,
        text: str,
        size: float,
        ink: QColor,
        place: int,
        strong: bool = False,
        whole: bool = False,
        names: bool = True,
        least: float = LEAST,
        briefly: str = "",
    ) -> None:
        """Write words in a rectangle; words that are too long are cut, unless they are a number (`whole`).

        `names`: whether the words may contain names, which are typeset; words that the model reads may not.
        `least`: the least height of the letters in pixels. `briefly`: the words to write instead if they would be cut.
        """
        font = self.font(size, strong, least)
        if not text or font is None:
            return
        font, written = self._fitted(font, strong, text, rect.width(), whole, names)
        if briefly and written != text:
            # As low as the whole words would be: where they are too wide, lines are low, too.
            font, written = self._fitted(self._sized(font.pixelSize(), strong), strong, briefly, rect.width())
        painter.setFont(font)
        painter.setPen(ink)
        (draw_named if names else QPainter.drawText)(painter, rect, place, written)

    def _fitted(
        self, font: QFont, strong: bool, text: str, room: float, whole: bool = False, names: bool = True
    ) -> tuple[QFont, str]:
        """A font and words that fit: first in smaller letters, then in lighter ones, then cut (unless `whole`)."""
        across = self._advance(font, strong, text, names)
        if across > room:
            # A number is never cut, and must not be wider than its circle; of "norm", cut, nothing is left to read.
            small = whole or len(text) <= SHORT
            least = int(TINY if small else TIGHT)
            smaller = int(font.pixelSize() * max(room / across, 0 if small else NARROWER))
            font = self._sized(min(max(smaller, least), font.pixelSize()), strong)
            if strong and self._advance(font, True, text, names) > room:
                font, strong = self._sized(font.pixelSize(), False), False
            if self._advance(font, strong, text, names) > room and not whole:
                # Keep a number at the end: it is the only difference between "example 3" and "example 4".
                cut = Qt.TextElideMode.ElideMiddle if text[-1:].isdigit() else Qt.TextElideMode.ElideRight
                text = QFontMetricsF(font).elidedText(text, cut, room)
        return font, text

    def font(self, size: float, strong: bool = False, least: float = LEAST) -> QFont | None:
        """The font of a size in units of the window, at least `least` pixels high; None if it could not be read."""
        pixels = size * self._unit
        if pixels < UNREADABLE:
            return None
        appearance = self._bench.appearance
        return self._sized(round(min(max(pixels, least), MOST * max(appearance.scale, 1.0))), strong)

    def _sized(self, high: int, strong: bool) -> QFont:
        if (high, strong) not in self._fonts:
            font = QFont(self._bench.appearance.fonts.ui)
            font.setPixelSize(high)
            if strong:
                font.setWeight(QFont.Weight.DemiBold)
            self._fonts[high, strong] = font
        return self._fonts[high, strong]

    def _advance(self, font: QFont, strong: bool, text: str, names: bool = True) -> float:
        """The width of words in pixels; of names, which are typeset, unless the words are those that a model reads."""
        key = font.pixelSize(), strong, text, names
        if key not in self._wide:
            self._wide[key] = wide(font, text) if names else QFontMetricsF(font).horizontalAdvance(text)
        return self._wide[key]

    def disc(self, painter: QPainter, dot: Dot, at: QPointF, lit: bool) -> None:
        """Paint a neuron with its number."""
        theme, radius = self._bench.appearance.theme, DISC * self._unit
        ground, ink = qcolor(theme.surface), qcolor(theme.text)
        if dot.share is not None:
            signed, shares = theme.diverging_ramp, theme.sequential_ramp
            ground, ink = signed.shade(dot.share, -1.0) if dot.signed else shares.shade(dot.share)
        painter.setPen(QPen(qcolor(theme.here if lit else theme.line_strong), 2.5 if lit else 1.2))
        painter.setBrush(ground)
        painter.drawEllipse(at, radius, radius)
        rect = QRectF(at.x() - 0.9 * radius, at.y() - radius, 1.8 * radius, 2 * radius)
        self._write(painter, rect, dot.inside, NOTE, ink, CENTRE, whole=True)

    # Flow lines

    def way(self, painter: QPainter, way: FlowLine, points: list[QPointF]) -> None:
        """Paint a line with round corners."""
        if len(points) < 2:
            return
        theme, unit = self._bench.appearance.theme, self._unit
        width = way.width * min(max(unit, 0.5), 1.5)
        color = qcolor(line_ink(theme, way.ink))
        head = (3.5 + 2.2 * way.width) * min(max(unit, 0.5), 1.5) if way.head else 0.0
        last = points[-1] - points[-2]
        length = hypot(last.x(), last.y())
        along = last / length if length else QPointF(1, 0)
        ends = [*points[:-1], points[-1] - along * min(0.8 * head, length)]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, width, c=Qt.PenCapStyle.FlatCap))
        if len(ends) == 2:
            painter.drawLine(*ends)
        else:
            painter.drawPath(_rounded(ends, BEND * unit))
        if way.head:
            across = QPointF(-along.y(), along.x()) * head * 0.5
            back = points[-1] - along * head
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(QPolygonF([points[-1], back + across, back - across]))

    # Bars

    def bars(self, painter: QPainter, bars: Bars, rect: QRectF, cell: Cell | None) -> None:
        """Paint words, a bar for each, and its number."""
        theme = self._bench.appearance.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.surface))
        painter.drawRoundedRect(rect, CORNER * self._unit, CORNER * self._unit)
        each = rect.height() / max(len(bars.words), 1)
        letters = each / (BAR * self._unit)
        told = [as_share(value, 2) for value in bars.values]
        # In low lines letters are low, too; otherwise they would overlap.
        least = min(max(each, TINY), LEAST)
        gap, font = 5.0 * letters * self._unit, self.font(NOTE * letters, least=least)
        needed = max((self._advance(font, False, one) for one in told), default=0.0) + 1.5 * gap if font else 0.0
        number = min(max(NUMBERED * rect.width(), needed), NAMED * rect.width())
        bold = self.font(TITLE * letters, True, least)
        wide = (self._advance(bold, True, word, names=False) for word in bars.words) if bold else ()
        longest = max(wide, default=0.0) + gap
        # Bars become shorter if a word would be cut.
        name = max(NAMED * rect.width(), min(longest, (1 - LEAST_BAR) * rect.width() - number))
        room = rect.width() - name - number
        for k, (word, value) in enumerate(zip(bars.words, bars.values, strict=True)):
            lit = k < len(bars.cells) and bars.cells[k] == cell
            line = QRectF(rect.left(), rect.top() + k * each, rect.width(), each)
            bar = line.adjusted(name, 0.2 * each, -number, -0.2 * each)
            painter.fillRect(bar, qcolor(theme.line))
            if drawable(value):
                long = QRectF(bar.topLeft(), bar.size())
                long.setWidth(room * min(max(value / (bars.full or 1.0), 0.0), 1.0))
                painter.fillRect(long, qcolor(theme.here if lit else theme.series[0]))
            if k < len(bars.before) and drawable(bars.before[k]):
                x = bar.left() + room * min(max(bars.before[k] / (bars.full or 1.0), 0.0), 1.0)
                painter.setPen(QPen(qcolor(theme.text), 2.0, c=Qt.PenCapStyle.FlatCap))
                painter.drawLine(QPointF(x, bar.top() - 0.1 * each), QPointF(x, bar.bottom() + 0.1 * each))
            ink = qcolor(theme.here_text if lit else theme.text)
            left = QRectF(line.left(), line.top(), name - gap, each)
            right = QRectF(bar.right() + gap, line.top(), number - gap, each)
            self._write(painter, left, word, TITLE * letters, ink, RIGHT, k == 0, names=False, least=least)
            self._write(painter, right, told[k], NOTE * letters, ink, LEFT, whole=True, least=least)

    # Words

    def words(self, painter: QPainter, words: Words, at: QPointF, lit: bool) -> None:
        """Paint words that have a fixed place."""
        font = self.font(words.size, words.strong or lit, TIGHT)
        if font is None or (words.token is None and words.size * self._unit < CROWDED):
            return
        theme, strong = self._bench.appearance.theme, words.strong or lit
        names, room = words.token is None, words.room * self._unit or np.inf
        across, high = min(self._advance(font, strong, words.text, names), room), 1.25 * font.pixelSize()
        rect = QRectF(at.x() - words.align * across, at.y() - high / 2, across, high)
        if words.token is not None:
            if not self._has_room(words.token, rect, at) and not lit:
                return
            if lit:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(qcolor(theme.here_soft))
                painter.drawRoundedRect(rect.adjusted(-4, 0, 4, 0), 4, 4)
        ink = qcolor(word_ink(theme, words.ink)) if words.on is None else theme.sequential_ramp.shade(words.on)[1]
        ink, place = qcolor(theme.here_text) if lit else ink, RIGHT if words.align == 1.0 else CENTRE
        self._write(painter, rect, words.text, words.size, ink, place, strong, names=names, least=TIGHT)

    def _has_room(self, token: tuple[str, int], rect: QRectF, at: QPointF) -> bool:
        """Whether a word is far enough below the last written one to be written; it can be pointed at in any case."""
        spot, high = rect.adjusted(-4, 0, 4, 0), rect.height()
        last = self._last.get(token[0])
        if last is None or abs(at.x() - last.across) >= 1 or at.y() <= last.down:
            written = at.y()
        else:
            half = min(at.y() - last.down, high) / 2
            spot.setTop(at.y() - half)
            spot.setBottom(at.y() + half)
            written = at.y() if at.y() - last.written >= CLOSE * high else last.written
        self.spots.append((spot, token))
        self._last[token[0]] = _Last(at.x(), at.y(), written)
        return written == at.y()


def _rounded(points: Sequence[QPointF], bend: float) -> QPainterPath:
    """The path through some points, with round corners."""
    path = QPainterPath(points[0])
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        path.lineTo(_towards(corner, before, bend))
        path.quadTo(corner, _towards(corner, after, bend))
    path.lineTo(points[-1])
    return path


def _towards(start: QPointF, end: QPointF, far: float) -> QPointF:
    """The point at a distance from the start, but no farther than halfway to the end."""
    way = end - start
    length = hypot(way.x(), way.y())
    return start + way * (min(far, length / 2) / length) if length else start
