"""Word vectors as pictures: strips of bars, one below the other; and a map in two dimensions, with arrows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QTransform
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.core.numbers import exact, percent, point, quantity, written
from explorer.pages.drawing import VectorStrips, WordMap
from explorer.ui.drawing.names import Room, around
from explorer.ui.drawing.plot import Layer
from explorer.ui.drawing.strokes import draw_arrow
from explorer.ui.drawing.word_picture import ZoomPlot
from explorer.ui.page.gestures import perform
from explorer.ui.theme import qcolor
from explorer.ui.widgets.labels import as_tip
from explorer.ui.workbench import Workbench

BARS, LEAST, WORD = 240, 40, 50  # pixels at text scale 1: the width of the bars, their least, and that of the words


class VectorStripsView(QWidget):
    """Strips of bars; the mouse points at a dimension, and so do the arrow keys."""

    def __init__(self, bench: Workbench, strips: VectorStrips, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.strips = strips
        self._row: int | None = None  # the row whose word the keys have followed last
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Point at a bar, or use the arrow keys; click a word for its neighbours")
        self.tell(strips)

    def tell(self, strips: VectorStrips) -> None:
        """Show other words, or another dimension."""
        if (strips.words, strips.here) != (self.strips.words, self.strips.here):
            self._row = None
        self.strips = strips
        said = "; ".join(f"{word}, {note}" for word, note in zip(strips.words, strips.notes, strict=True))
        self.setAccessibleName(f"Vectors as bars: {said}")
        fonts, px = self._bench.appearance.fonts, self._bench.appearance.px
        ui, small = QFontMetrics(fonts.ui), QFontMetrics(fonts.small)
        self._words = min(max((ui.horizontalAdvance(f"{w} ") for w in strips.words), default=0) + px(16), px(190))
        self._right = max((small.horizontalAdvance(note) for note in strips.notes), default=0) + px(18)
        self._height = px(strips.row)
        self.setFixedHeight(max(len(strips.words), 1) * self._height)
        self.setMinimumWidth(min(self._words, px(WORD)) + self._right + px(LEAST))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._words + self._right + self._bench.appearance.px(BARS), self.height())

    @property
    def _left(self) -> int:
        """Pixels of the words; long ones are cut where the bars would have no room."""
        return min(self._words, self.width() - self._right - self._bench.appearance.px(LEAST))

    def _bars(self) -> tuple[float, float]:
        """The left end of the bars, and the width of one bar, in pixels."""
        room = self.width() - self._left - self._right
        return float(self._left), room / self.strips.array.shape[1]

    def paintEvent(self, event: Any) -> None:
        appearance = self._bench.appearance
        theme, fonts = appearance.theme, appearance.fonts
        painter = QPainter(self)
        left, step = self._bars()
        low, high = float(self.strips.array.min(initial=0.0)), float(self.strips.array.max(initial=0.0))
        spread = (high - low) or 1.0
        up, down = theme.diverging_ramp.colors[230], theme.diverging_ramp.colors[25]
        gap = 2.0 if step > 12 else 1.0 if step > 3 else 0.0
        middle_left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for i, word in enumerate(self.strips.words):
            top = i * self._height
            here = word == self.strips.here
            if here:
                painter.fillRect(0, top + 1, self._left - 6, self._height - 2, qcolor(theme.here_soft))
            painter.setFont(fonts.bold.ui if here else fonts.ui)
            painter.setPen(qcolor(theme.here_text if here else theme.text))
            words = painter.fontMetrics().elidedText(word, Qt.TextElideMode.ElideRight, self._left - 14)
            painter.drawText(QRectF(4, top, self._left - 10, self._height), middle_left, words)
            reach = self._height - 8
            zero = top + 4 + high / spread * reach
            if self.strips.dimension >= 0:
                spot = QRectF(left + self.strips.dimension * step - 1, top, step + 2 - gap, self._height)
                painter.fillRect(spot, qcolor(theme.here_soft))
            for d, value in enumerate(self.strips.array[i].tolist()):
                size = value / spread * reach
                bar = QRectF(left + d * step, zero - max(size, 0), step - gap, abs(size))
                painter.fillRect(bar, qcolor(theme.here) if d == self.strips.dimension else up if value >= 0 else down)
            painter.setPen(QPen(qcolor(theme.line_strong), 1))
            painter.drawLine(round(left), round(zero), round(left + step * self.strips.array.shape[1]), round(zero))
            painter.setFont(fonts.small)
            painter.setPen(qcolor(theme.muted))
            place = QRectF(self.width() - self._right + 12, top, self._right - 12, self._height)
            painter.drawText(place, middle_left, self.strips.notes[i])
        if self.hasFocus():
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    # Pointing

    def _point(self, dimension: int) -> None:
        if dimension != self.strips.dimension:
            perform(self._bench, self.strips.points.at(dimension), self)

    def _follow(self, row: int) -> None:
        if (gesture := self.strips.follows[row]) is not None:
            perform(self._bench, gesture, self)

    def _at(self, x: float) -> int:
        left, step = self._bars()
        dimension = int((x - left) // step)
        return dimension if 0 <= dimension < self.strips.array.shape[1] and self.strips.words else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._at(event.position().x()))
        over = event.position().x() < self._left
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self._point(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        row = int(event.position().y() // self._height)
        if event.position().x() < self._left and 0 <= row < len(self.strips.words):
            self._follow(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        dims = self.strips.array.shape[1]
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is not None and self.strips.words:
            self._point(min(max(self.strips.dimension + step, 0), dims - 1))
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.strips.words:
            words, by = self.strips.words, 1 if event.key() == Qt.Key.Key_Down else -1
            at = words.index(self.strips.here) if self.strips.here in words else 0
            at = at if self._row is None else self._row
            rows = [(at + by * k) % len(words) for k in range(1, len(words) + 1)]
            self._row = next((row for row in rows if self.strips.follows[row] is not None), at)
            self._follow(self._row)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self._point(-1)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            dimension, row = self._at(event.pos().x()), event.pos().y() // self._height
            if dimension >= 0 and row < len(self.strips.words):
                value = exact(self.strips.array[row, dimension])
                told = f"{self.strips.words[row]}, dimension {dimension + 1}: {value}"
                QToolTip.showText(event.globalPos(), as_tip(told), self)
                return True
        return super().event(event)


RINGS = (7.0, 20.0, 34.0)
"""Pixels between a point and its word, tried in order. Beyond the first distance, a line leads to the point."""


def lead(spot: QPointF, place: QRectF) -> QPointF | None:
    """The end of the line from a point to its word; None if the word is beside the point and needs no line."""
    x = min(max(spot.x(), place.left()), place.right())
    y = min(max(spot.y(), place.top()), place.bottom())
    far = max(abs(x - spot.x()), abs(y - spot.y()))
    return QPointF(x, y) if far > RINGS[0] + 1 else None


STEPS = 24  # the number of points on an arrow that words keep clear of
ALONG = 0.4, 0.65, 0.9  # the points on a line from a point to its word that other words keep clear of
GRIP = 12  # the greatest distance in pixels at which the mouse points at a point


class WordMapView(ZoomPlot):
    """Points with their words: a click on a point, or Enter, asks for its neighbours; arrows go from point to point."""

    def __init__(self, bench: Workbench, element: WordMap, parent: QWidget | None = None) -> None:
        self.shown = element
        self.here: int | None = None  # the point that is pointed at
        super().__init__(bench)
        self.setParent(parent)
        self.layer = Layer(self)
        self.add(self.layer)
        self.getViewBox().setAspectLocked(True)
        self.getViewBox().sigRangeChanged.connect(self._show_sides)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.restyle()
        self.setBackground(bench.appearance.theme.surface)
        self.tell(element, anew=True)

    def tell(self, element: WordMap, anew: bool = False) -> None:
        """Show another map; if points, arrows and height are the same, the visible part stays."""
        was, self.shown = self.shown, element
        self.setFixedHeight(self.bench.appearance.px(element.height))
        if anew or was.points is not element.points:
            self.here = None
            self.describe("")
            self.stand(*("left", "bottom") if element.shares else ())
            shown = list(zip(element.words, element.points.tolist(), strict=True))
            each = "; ".join(f"{word} {point(*place)}" for word, place in shown[: element.chosen])
            self.say(f"Map of words: {each}; and {quantity(len(shown) - element.chosen, 'neighbour')}")
        elif (was.arrows, was.height) == (element.arrows, element.height):
            self.layer.update()
            return
        self.look(self.whole)

    def _show_sides(self) -> None:
        """Write the numbers of the two directions, and the share of the variance in each."""
        if self.shown.shares:
            first, second = (f"{percent(share)} of the variance" for share in self.shown.shares)
            (left, right), (low, high) = self.getViewBox().viewRange()
            self.side("bottom").show_numbers(left, right, self.width(), f"first direction, {first}")
            self.side("left").show_numbers(low, high, self.height(), f"second direction, {second}")

    def is_here(self, i: int) -> bool:
        """Whether a point is pointed at, or its word is the chosen one."""
        return i == self.here or self.shown.words[i] == self.shown.here

    @property
    def whole(self) -> QRectF:
        points = self.shown.points
        if self.shown.arrows and self.shown.origin is not None:
            points = np.vstack([points, self.shown.origin])
        low, high = points.min(0), points.max(0)
        room = max(float((high - low).max()) * 0.1, 0.1)
        return QRectF(low[0] - room, low[1] - room, high[0] - low[0] + 2 * room, high[1] - low[1] + 2 * room)

    def look(self, part: QRectF) -> None:
        self.layer.cover(self.whole)
        self.getViewBox().setRange(part, padding=0)

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        theme = self.bench.appearance.theme
        view = to_pixels.mapRect(self.getViewBox().viewRect())
        painter.setPen(QPen(qcolor(theme.line, 0.47), 1))
        for name in self.sides:
            painter.drawLines(self.side(name).grid_lines(to_pixels, view))
        spots = [to_pixels.map(QPointF(x, y)) for x, y in self.shown.points.tolist()]
        lines: list[QLineF] = []
        if self.shown.arrows and self.shown.origin is not None:
            start = to_pixels.map(QPointF(*self.shown.origin))
            lines = [QLineF(start, spots[i]) for i in range(self.shown.chosen)]
            self._arrows(painter, start, lines)
        for i in reversed(range(len(spots))):
            here, strong = self.is_here(i), i < self.shown.chosen
            ring = i == self.here and self.hasFocus()
            painter.setPen(QPen(qcolor(theme.focus), 2) if ring else Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.here if here else theme.text if strong else theme.series[0]))
            size = 5.5 if here or strong else 3.5
            painter.drawEllipse(spots[i], size, size)
        self._words(painter, view, spots, lines)

    def _arrows(self, painter: QPainter, start: QPointF, lines: list[QLineF]) -> None:
        theme, fonts = self.bench.appearance.theme, self.bench.appearance.fonts
        for line in lines:
            draw_arrow(painter, start, line.p2(), qcolor(theme.text))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.muted))
        painter.drawEllipse(start, 3.5, 3.5)
        painter.setFont(fonts.small)
        painter.setPen(qcolor(theme.muted))
        painter.drawText(start + QPointF(6, 14), "origin")

    def _words(self, painter: QPainter, view: QRectF, spots: list[QPointF], lines: list[QLineF]) -> None:
        """Write each word beside or near its point; without room only the chosen words, on a pale ground."""
        theme, fonts = self.bench.appearance.theme, self.bench.appearance.fonts
        along = [line.pointAt(k / STEPS) for line in lines for k in range(STEPS)]
        points = np.array([(spot.x(), spot.y()) for spot in (*spots, *along)]).reshape(-1, 2)
        room = Room(view, points[: len(spots)], 4, points[len(spots) :])
        found: list[tuple[int, QRectF, bool]] = []
        for i in range(len(spots)):
            strong = i < self.shown.chosen
            if not (strong or view.contains(spots[i])):
                continue
            metrics = QFontMetrics(fonts.ui if strong else fonts.small)
            wide, high = metrics.horizontalAdvance(self.shown.words[i]) + 2, metrics.height()
            wanted = [place for ring in RINGS for place in around(spots[i], wide, high, ring)]
            place = room.find(wanted)
            if place is not None and (end := lead(spots[i], place)) is not None:
                way = [spots[i] + (end - spots[i]) * k for k in ALONG]
                room.add(np.empty((0, 2)), np.array([(spot.x(), spot.y()) for spot in way]))
            if place is not None or strong or self.is_here(i):
                found.append((i, place or room.within(wanted[0]), place is None))
        ground = qcolor(theme.surface, 0.84)
        # The word that is pointed at comes last, on top of the others.
        for i, place, clashes in sorted(found, key=lambda one: self.is_here(one[0])):
            if (end := lead(spots[i], place)) is not None:
                painter.setPen(QPen(qcolor(theme.line_strong), 1))
                painter.drawLine(spots[i], end)
            if clashes:
                painter.fillRect(place, ground)
            strong = i < self.shown.chosen
            painter.setFont(fonts.ui if strong else fonts.small)
            painter.setPen(qcolor(theme.here_text if self.is_here(i) else theme.text if strong else theme.muted))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self.shown.words[i])

    # Pointing

    def _near(self, point: QPointF) -> int | None:
        """The index of the word near a point of the map."""
        if not len(self.shown.points):
            return None
        places = (point, *(QPointF(x, y) for x, y in self.shown.points.tolist()))
        position, *spots = map(self.getViewBox().mapViewToScene, places)
        far = [(spot - position).manhattanLength() for spot in spots]
        near = int(np.argmin(far))
        return near if far[near] <= GRIP else None

    def _point(self, at: int | None, spot: QPointF | None = None) -> None:
        if at == self.here:
            return
        self.here = at
        self.setCursor(Qt.CursorShape.ArrowCursor if at is None else Qt.CursorShape.PointingHandCursor)
        if at is None:
            self.describe("")
        else:
            x, y = self.shown.points[at].tolist()
            place = self.getViewBox().mapViewToScene(spot or QPointF(x, y))
            told = (
                f"{self.shown.words[at]} ({written(x, 2)}, {written(y, 2)}): click, or press Enter, for its neighbours"
            )
            self.describe(told)
            QToolTip.showText(self.mapToGlobal(self.mapFromScene(place)), as_tip(told), self)
        self.layer.update()

    def point_at(self, point: QPointF) -> None:
        self._point(self._near(point), point)

    def choose_at(self, point: QPointF) -> None:
        if (near := self._near(point)) is not None:
            self._follow(near)

    def _follow(self, i: int) -> None:
        if self.shown.follows is not None:
            perform(self.bench, self.shown.follows.at(self.shown.words[i]), self)

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self._point(None)

    def walk(self, down: int, across: int) -> None:
        if len(self.shown.points):
            self._point(self._next(np.array((across, -down))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.here is not None:
            self._follow(self.here)
        else:
            super().keyPressEvent(event)

    def _next(self, way: NDArray[np.int_]) -> int:
        """The nearest point in a direction; the first point if none is pointed at."""
        if self.here is None:
            return 0
        steps = self.shown.points - self.shown.points[self.here]
        ahead = steps @ way
        # A distance to the side counts twice, because the user asks for a point ahead.
        cost = np.where(ahead > 0, np.abs(steps).sum(1) + np.abs(steps - np.outer(ahead, way)).sum(1), np.inf)
        return int(cost.argmin()) if np.isfinite(cost).any() else self.here

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point(None)
