"""Helpers for painting marks: arrows, weights, inks, formulas, very many discs, pixels, and what is visible.

All arrows look alike. Formulas are typeset once and painted at any size. A drawing names inks by their meaning; this
file has their colours. Marks of a drawing with zoom that are not visible are not painted.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import chain, repeat, zip_longest
from math import ceil, floor, hypot, inf, isinf
from operator import attrgetter

import numpy as np
from PySide6.QtCore import QByteArray, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen, QPolygonF, QRegion, QTransform
from PySide6.QtSvg import QSvgRenderer

from explorer.core.ops import Array
from explorer.pages import drawing as draw
from explorer.ui.theme import Theme, qcolor
from explorer.ui.widgets.formula import UNIT, can_typeset_now, typeset

SLIM = 0.45  # half the width of an arrow's head, relative to its length


def draw_arrow(
    painter: QPainter,
    start: QPointF,
    tip: QPointF,
    color: QColor,
    width: float = 2,
    head: float = 9,
    shaft: Qt.PenStyle = Qt.PenStyle.SolidLine,
) -> None:
    """Draw an arrow in pixels.

    `width`, `head`: the width of the shaft, and the length of the head, in pixels.
    `shaft`: the style of the shaft; with `NoPen` there is none.
    """
    way = tip - start
    length = hypot(way.x(), way.y())
    painter.setPen(QPen(color, width, shaft))
    painter.drawLine(start, tip)
    if length <= 1:
        return
    along = way / length
    across = QPointF(-along.y(), along.x()) * head * SLIM
    back = tip - along * head
    painter.setPen(QPen(color, 1))
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([tip, back + across, back - across]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


SMALL = 8
"""A square with a smaller side, in pixels, is hard to find."""


def paint_square(painter: QPainter, theme: Theme, square: QRectF, whole: QRectF) -> None:
    """Frame the square of an image that is pointed at; lines across `whole` lead to a small one."""
    middle = square.center()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if min(square.width(), square.height()) < SMALL:
        painter.setPen(QPen(qcolor(theme.here_line), 1))
        painter.drawLine(QPointF(whole.left(), middle.y()), QPointF(whole.right(), middle.y()))
        painter.drawLine(QPointF(middle.x(), whole.top()), QPointF(middle.x(), whole.bottom()))
    frame(painter, square, theme.here)


def frame(painter: QPainter, rect: QRectF, color: str, width: float = 2.0) -> None:
    """Draw a rectangle with sharp corners."""
    painter.setPen(QPen(qcolor(color), width, j=Qt.PenJoinStyle.MiterJoin))
    painter.drawRect(rect)


LEAST = 0.7
"""The least size of a formula, relative to words; a formula that does not fit in this size is left out."""
LEAST_PIXELS, MOST_PIXELS = 0.5, 9.0
OF_ROOM = 0.6
"""Most of the height of a word that lines are thick, where they would cover each other."""
LEVELS = 20  # levels of thickness; the thinnest is below one pixel, which Qt draws ten times faster


def draw_weights(
    painter: QPainter,
    theme: Theme,
    lines: Sequence[QLineF],
    ends: tuple[Array, Array],
    shares: Array,
    here: tuple[int | None, int | None],
    pale: tuple[float, float],
    room: float = inf,
) -> None:
    """Draw lines between words, each as thick as its weight, and those of a word that is pointed at on top.

    `ends`: the indices of the query and of the key of each line, each (n,).
    `shares`: the weights, (n,).
    `here`: the query and the key that are pointed at, or None.
    `pale`: the opacity of the lines of other words at a weight of 0, and how much more it is at 1.
    `room`: how many pixels a word is high: where words stand close together, thick lines would be one blue area.
    """
    meant = np.ones(len(lines), dtype=bool)
    for places, place in zip(ends, here, strict=True):
        if place is not None:
            meant &= places == place
    plain, chosen = theme.series[0], theme.series[0] if here == (None, None) else theme.here
    # Lines of about the same weight are drawn together.
    levels = np.maximum(np.ceil(np.clip(shares, 0.0, 1.0) * LEVELS), 1).astype(int)
    for lit in (False, True):
        alone = lit and here != (None, None)
        most = MOST_PIXELS if alone else min(MOST_PIXELS, max(OF_ROOM * room - LEAST_PIXELS, LEAST_PIXELS))
        for level in np.flatnonzero(np.bincount(levels[meant == lit])).tolist():  # np.unique imports numpy.ma first
            share = level / LEVELS
            color = qcolor(chosen, 0.25 + 0.65 * share) if lit else qcolor(plain, pale[0] + pale[1] * share)
            painter.setPen(QPen(color, LEAST_PIXELS + share * most, c=Qt.PenCapStyle.FlatCap))
            painter.drawLines([lines[k] for k in np.flatnonzero((levels == level) & (meant == lit)).tolist()])


class Formulas:
    """Paints formulas. Until the typesetter is loaded, formulas are left out."""

    def __init__(self) -> None:
        self.missing = False  # whether a formula was left out because the typesetter is not loaded (`is_loaded`)
        self._outlines: dict[tuple[bytes, str], QSvgRenderer] = {}

    def paint(self, painter: QPainter, latex: str, rect: QRectF, pixels: float, ink: QColor) -> None:
        """Paint a formula in a rectangle, at its left and vertically centred."""
        if not can_typeset_now():
            self.missing = True
            return
        found = typeset(latex)
        if found is None:
            return
        scale = pixels / UNIT
        high = found.above + found.below
        scale *= min(1.0, rect.width() / (found.width * scale), rect.height() / (high * scale))
        if scale < LEAST * pixels / UNIT:
            return
        wide, high = found.width * scale, high * scale
        place = QRectF(rect.left(), rect.center().y() - high / 2, wide, high)
        key = found.svg, ink.name()
        if key not in self._outlines:
            self._outlines[key] = QSvgRenderer(QByteArray(found.svg.replace(b"currentColor", ink.name().encode())))
        self._outlines[key].render(painter, place)


_LINES = {
    draw.TEXT: "text",
    draw.MUTED: "muted",
    draw.LINE: "line",
    draw.ACCENT: "accent_line",
    draw.HERE: "here",
    draw.ERROR: "error",
}
_WORDS = {**_LINES, draw.LINE: "muted", draw.ACCENT: "accent_text", draw.HERE: "here_text"}


def line_ink(theme: Theme, ink: str) -> str:
    """The colour of an ink for lines and dots, as ``"#rrggbb"``."""
    return _colour(theme, _LINES, ink)


def word_ink(theme: Theme, ink: str) -> str:
    """The colour of an ink for words, with enough contrast to be read, as ``"#rrggbb"``."""
    return _colour(theme, _WORDS, ink)


def _colour(theme: Theme, roles: dict[str, str], ink: str) -> str:
    if ink in roles:
        colour: str = getattr(theme, roles[ink])
        return colour
    kind, _, number = ink.partition(" ")
    if kind != "series":
        raise ValueError(f"no ink is called {ink!r}")
    return theme.series[int(number) % len(theme.series)]


FAR = 1e6
"""Coordinates beyond this many pixels are drawn at this distance."""


class Pixels:
    """Converts the numbers of a drawing to pixels.

    `transform`: from the numbers to pixels, without turning or shearing.
    """

    def __init__(self, transform: QTransform) -> None:
        self.key = transform.m11(), transform.m22(), transform.dx(), transform.dy()
        self.across, self.up, self.left, self.top = self.key

    def xy(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Convert arrays of coordinates."""
        with np.errstate(all="ignore"):
            across = np.clip(x * self.across + self.left, -FAR, FAR)
            return across, np.clip(y * self.up + self.top, -FAR, FAR)

    def point(self, x: float, y: float) -> QPointF:
        """Convert one point."""
        across, up = x * self.across + self.left, y * self.up + self.top
        return QPointF(min(max(across, -FAR), FAR), min(max(up, -FAR), FAR))

    def rect(self, left: float, bottom: float, width: float, height: float) -> QRectF:
        """Convert a rectangle."""
        return QRectF(self.point(left, bottom), self.point(left + width, bottom + height)).normalized()


AROUND, CLOSE = 20.0, 4.0
"""How far a mark may reach beyond its place, in units of the window: a box with sheets behind it, a flow line with its
head, or a disc; and any other mark.
"""
WIDEST = 20.0
"""The greatest width of a letter in pixels."""
BESIDES = tuple(one.name for one in fields(draw.Drawing) if one.name not in ("marks", "summary"))
"""The fields of a drawing besides its marks and its summary."""


class Sight:
    """The places of the marks of a drawing.

    `before`: the `Sight` of the drawing before; a mark that has not moved keeps its place from there.
    """

    def __init__(self, drawing: draw.Drawing, before: "Sight | None" = None) -> None:
        self.marks = drawing.marks
        known = () if before is None else zip(before.marks, before._rows, strict=True)
        self._rows: list[tuple[float, ...]] = [
            row if one is mark or (one is not None and _stands_where(one, mark)) else _row(mark)
            for mark, (one, row) in zip(self.marks, chain(known, repeat((None, ()))), strict=False)
        ]
        rows = np.array(self._rows, dtype=float).reshape(-1, 6)
        self._places, self._words = rows[:, :4], rows[:, 4:]

    def numbers(self, pixels: Pixels, parts: Sequence[QRectF]) -> list[int]:
        """The numbers of the marks that are visible in some rectangles in pixels, in ascending order."""
        left, right = (pixels.across * self._places[:, k] + pixels.left for k in (0, 1))
        top, bottom = (pixels.up * self._places[:, k] + pixels.top for k in (2, 3))
        before, behind = self._words.T
        high = np.where(before + behind > 0, WIDEST, 0.0)
        right, left = right + behind, left - before
        low, top = np.maximum(top, bottom) + high, np.minimum(top, bottom) - high
        ends = [(part.left(), part.right(), part.top(), part.bottom()) for part in parts]
        first, last, above, below = np.array(ends, dtype=float).reshape(-1, 4).T[:, :, None]
        seen = (right >= first) & (left <= last) & (low >= above) & (top <= below)
        found: list[int] = np.flatnonzero(seen.any(0)).tolist()
        return found


def kept(before: draw.Drawing, after: draw.Drawing) -> draw.Drawing:
    """The new drawing, in which marks equal to those before are the same objects; `before` itself if all are equal."""
    both = zip(before.marks, after.marks, strict=False)
    marks = *[one if one == other else other for one, other in both], *after.marks[len(before.marks) :]
    found = replace(after, marks=marks)
    return before if found == before else found


def changed(before: draw.Drawing, after: draw.Drawing, pixels: Pixels) -> QRegion | None:
    """The region in which a drawing with zoom looks different, in pixels; None if it cannot be computed from marks.

    `after`: a drawing that `kept` has returned.
    """
    if not after.zoom or any(getattr(before, name) != getattr(after, name) for name in BESIDES):
        return None
    marks = [
        mark
        for one, other in zip_longest(before.marks, after.marks)
        if one is not other
        for mark in (one, other)
        if mark is not None and not (mark is one and _stands_where(one, other))
    ]
    region = QRegion()
    for mark in marks:
        left, right, top, bottom = (mark.x, mark.x, mark.y, mark.y) if isinstance(mark, draw.Words) else _extent(mark)
        if left > right:
            continue
        if isinf(left):
            return None
        wide, wider = _reach(mark) if isinstance(mark, draw.Words) else (0.0, 0.0)
        high = WIDEST if isinstance(mark, draw.Words) else 0.0
        place = pixels.rect(left, top, right - left, bottom - top)
        region += place.adjusted(-wide, -high, wider, high).toAlignedRect()
    return region


_OF_WORDS = attrgetter("x", "y", "text", "align", "token")


def _stands_where(one: draw.Mark, other: draw.Mark | None) -> bool:
    """Whether two marks have the same place, so that the place of a mark that only fades is not computed again."""
    if type(one) is not type(other):
        return False
    if isinstance(one, draw.Words) and isinstance(other, draw.Words):
        return bool(_OF_WORDS(one) == _OF_WORDS(other))
    if isinstance(one, draw.Segments):
        return isinstance(other, draw.Segments) and one.ends is other.ends
    name = "points" if isinstance(one, draw.FlowLine) else "place"
    place: object = getattr(one, name, None)
    return place is not None and place == getattr(other, name)


def _row(mark: draw.Mark) -> tuple[float, ...]:
    """The place of a mark, and the pixels that words take to the left and to the right of it."""
    return *_extent(mark), *(_reach(mark) if isinstance(mark, draw.Words) else (0.0, 0.0))


def _reach(words: draw.Words) -> tuple[float, float]:
    """The most pixels that words take to the left and to the right of their place."""
    wide = len(words.text) * WIDEST
    return wide * words.align + CLOSE, wide * (1.0 - words.align) + CLOSE


def _extent(mark: draw.Mark) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of a mark; the whole plane where it is always painted, nothing where it is empty."""
    match mark:
        case draw.Box(place=place) | draw.Bars(place=place) | draw.Image(place=place) | draw.Band(place=place):
            left, top, wide, high = place
            around = AROUND if isinstance(mark, draw.Box) else CLOSE
            return left - around, left + wide + around, top - around, top + high + around
        case draw.FlowLine(points=points) if points:
            across, up = zip(*points, strict=True)
            return min(across) - AROUND, max(across) + AROUND, min(up) - AROUND, max(up) + AROUND
        case draw.Segments(ends=ends):
            if not len(ends):
                return np.inf, -np.inf, np.inf, -np.inf  # nowhere
            every = ends.reshape(-1, 2)
            (left, top), (right, bottom) = every.min(0).tolist(), every.max(0).tolist()
            return left - CLOSE, right + CLOSE, top - CLOSE, bottom + CLOSE
        case draw.Words(token=None):
            return mark.x, mark.x, mark.y, mark.y
    return -np.inf, np.inf, -np.inf, np.inf  # also for words of a sentence, whose visibility depends on each other


PARTS = 4
"""Each row of pixels is divided into this many parts, to compute how much of it a disc covers."""


def shade(middles: Array, up: float, wide: int, high: int, size: float, opacity: float) -> Array:
    """The opacity of each pixel, from 0 to 1, (`high`, `wide`): drawing 25,000 discs one by one would take 0.1 s.

    `middles`: (n_discs,): the middles of the discs, in pixels from the left; discs outside are not visible.
    `up`: the middle of all discs, in pixels from the top.
    `size`: the diameter of a disc in pixels.
    `opacity`: the opacity of one disc; n discs on top of each other have 1 − (1 − opacity)ⁿ.
    """
    edges = np.arange(wide + 1)
    counts, _ = np.histogram(middles, edges)
    before = np.concatenate([[0], np.cumsum(counts)])  # the number of discs at the left of each edge
    down = (np.arange(high * PARTS) + 0.5).reshape(high, PARTS) / PARTS - up
    half = np.sqrt(np.maximum(size**2 / 4 - down**2, 0.0))  # half the width that a disc covers in a row of pixels
    covered = (half > 0).mean(1, keepdims=True)
    half = half.sum(1, keepdims=True) / np.maximum(PARTS * covered, 1)
    pixels = edges[:-1] + 0.5
    over = np.interp(pixels + half, edges, before) - np.interp(pixels - half, edges, before)
    return np.asarray(covered * (1.0 - (1.0 - opacity) ** over))


def paint_discs(painter: QPainter, middles: Array, up: float, size: float, color: QColor) -> None:
    """Paint discs whose middles, in pixels, are on one horizontal line at `up`; the colour has their opacity."""
    raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
    fine = painter.device().devicePixelRatio() if raster else 3.0  # on paper a pixel is larger than a dot of ink
    left, top = floor(middles.min() - size), floor(up - size)
    wide, high = ceil(fine * (middles.max() + size - left)), ceil(fine * (up + size - top))
    opaque = shade(fine * (middles - left), fine * (up - top), wide, high, fine * size, color.alphaF())
    pixels = np.empty((high, wide, 4), np.uint8)
    pixels[..., :3] = color.red(), color.green(), color.blue()
    pixels[..., 3] = np.round(255 * opaque)
    image = QImage(pixels.data, wide, high, 4 * wide, QImage.Format.Format_RGBA8888)
    image.setDevicePixelRatio(fine)
    painter.drawImage(QPointF(left, top), image)
