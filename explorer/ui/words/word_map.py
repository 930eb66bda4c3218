"""A map of words in two dimensions: points, their words, arrows.

Where the words of a map stand: beside their points, and not on each other.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QKeyEvent, QPen
from PySide6.QtWidgets import QToolTip

from explorer.core.numbers import point, written
from explorer.ui.drawing.plot import Plot
from explorer.ui.drawing.strokes import draw_arrow
from explorer.ui.theme import qcolor
from explorer.ui.workbench import Workbench

RINGS = (7.0, 20.0, 34.0)
"""Pixels between a point and its word: the first that has room. Beyond the first ring, a line leads to the point."""
_ALONG = (0.4, 0.65, 0.9)
"""Places on such a line that are looked at."""
_SLANT = 0.7
_WAYS = np.array([(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)], float)
_REACH = np.where(np.abs(_WAYS).sum(1) > 1, _SLANT, 1.0)[:, None] * _WAYS


class LabelPlacement:
    """Rectangles of a picture that are taken.

    Parameters
    ----------
    view : QRectF
        The picture; a word is to lie inside.
    spots : sequence of QPointF
        Points that are to stay free, with `around` pixels on each side.
    words : int
        How many will be placed at most.
    """

    def __init__(self, view: QRectF, spots: Sequence[QPointF], around: float, words: int) -> None:
        self._low, self._high = np.array([view.left(), view.top()]), np.array([view.right(), view.bottom()])
        self._n = len(spots)
        # Left, top, right and bottom, a column for each.
        self._taken = np.empty((4, self._n + words * (1 + len(_ALONG))))
        centres = np.array([(spot.x(), spot.y()) for spot in spots], float).reshape(-1, 2).T
        self._taken[:2, : self._n], self._taken[2:, : self._n] = centres - around, centres + around

    def take(self, spot: QPointF, place: QRectF) -> None:
        """Let nothing else stand where a word does, nor on the line to its point."""
        self._add(place.left(), place.top(), place.right(), place.bottom())
        if (end := lead(spot, place)) is not None:
            for along in _ALONG:
                on = spot + (end - spot) * along
                self._add(on.x(), on.y(), on.x(), on.y())

    def _add(self, *sides: float) -> None:
        self._taken[:, self._n] = sides
        self._n += 1

    def freest(self, spot: QPointF, wide: float, high: float) -> tuple[QRectF, int]:
        """The nearest place for a word where nothing is in its way, else one with the least; and how much that is."""
        size, at = np.array([wide, high]), np.array([spot.x(), spot.y()])
        best, fewest = QRectF(), 10 * self._n
        for ring in RINGS:
            # The middle of the word is as far from the point as half of its size and the ring.
            first = at + _WAYS * (size / 2) + _REACH * ring - size / 2
            last = first + size
            clashes = self._meets(first, last)
            clashes += ((first < self._low) | (last > self._high)).any(1)
            if ring > RINGS[0]:
                end = np.clip(at, first, last)
                for along in _ALONG:
                    on = at + (end - at) * along
                    clashes += self._meets(on, on)
            i = int(clashes.argmin())
            if clashes[i] < fewest:
                best, fewest = QRectF(first[i, 0], first[i, 1], wide, high), int(clashes[i])
            if not fewest:
                break
        return best, fewest

    def _meets(self, first: NDArray[np.float64], last: NDArray[np.float64]) -> NDArray[np.int_]:
        """How many taken places each of some rectangles overlaps, (n,)."""
        left, top, right, bottom = self._taken[:, : self._n]
        x, y, x_end, y_end = first[:, :1], first[:, 1:], last[:, :1], last[:, 1:]
        return np.asarray(((x < right) & (x_end > left) & (y < bottom) & (y_end > top)).sum(1))


def lead(spot: QPointF, place: QRectF) -> QPointF | None:
    """Where a line from a point to its word ends; None where the word stands beside the point."""
    x = min(max(spot.x(), place.left()), place.right())
    y = min(max(spot.y(), place.top()), place.bottom())
    far = max(abs(x - spot.x()), abs(y - spot.y()))
    return QPointF(x, y) if far > RINGS[0] + 1 else None


LOW, HIGH = 220, 700  # pixels at text scale 1: the least and the greatest height
STEPS = 24  # places on an arrow that words keep clear of
GRIP = 12  # pixels around a point within which it is pointed at


class _Points(pg.GraphicsObject):
    """All points, words and arrows in one item's paint."""

    def __init__(self, map_: "WordMap") -> None:
        super().__init__()
        self._map = map_

    def boundingRect(self) -> QRectF:
        low, high = self._map.points.min(0, initial=-1.0), self._map.points.max(0, initial=1.0)
        return QRectF(low[0], low[1], high[0] - low[0], high[1] - low[1])

    def paint(self, painter: Any, *args: Any) -> None:
        map_ = self._map
        theme = map_.bench.appearance.theme
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        self._grid(painter, to_pixels)
        spots = [to_pixels.map(QPointF(x, y)) for x, y in map_.points.tolist()]
        lines: list[QLineF] = []
        if map_.arrows and map_.origin is not None:
            start = to_pixels.map(QPointF(*map_.origin))
            lines = [QLineF(start, spots[i]) for i in sorted(map_.strong)]
            self._arrows(painter, start, lines)
        order = sorted(range(len(spots)), key=lambda i: (i not in map_.strong, i))
        for i in reversed(order):
            here, strong = map_.is_here(i), i in map_.strong
            ring = i == map_.here and map_.hasFocus()
            painter.setPen(QPen(qcolor(theme.focus), 2) if ring else Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.here if here else theme.accent_line if strong else theme.series[0]))
            size = 5.5 if here or strong else 3.5
            painter.drawEllipse(spots[i], size, size)
        view = to_pixels.mapRect(map_.getViewBox().viewRect())
        self._words(painter, order, view, spots, lines)
        painter.restore()

    def _grid(self, painter: Any, to_pixels: Any) -> None:
        """A line at each number that is written at the sides."""
        map_ = self._map
        view = map_.getViewBox().viewRect()
        faint = QColor(map_.bench.appearance.theme.line)
        faint.setAlpha(120)
        painter.setPen(QPen(faint, 1))
        for name in map_.sides:
            for number, _ in map_.side(name).numbers():
                ends = ((number, view.top()), (number, view.bottom()))
                if name == "left":
                    ends = ((view.left(), number), (view.right(), number))
                painter.drawLine(*(to_pixels.map(QPointF(*end)) for end in ends))

    def _arrows(self, painter: Any, start: QPointF, lines: list[QLineF]) -> None:
        theme, fonts = self._map.bench.appearance.theme, self._map.bench.appearance.fonts
        for line in lines:
            draw_arrow(painter, start, line.p2(), qcolor(theme.accent_line))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.muted))
        painter.drawEllipse(start, 3.5, 3.5)
        painter.setFont(fonts.small)
        painter.setPen(qcolor(theme.muted))
        painter.drawText(start + QPointF(6, 14), "origin")

    def _words(self, painter: Any, order: list[int], view: QRectF, spots: list[QPointF], lines: list[QLineF]) -> None:
        """Each word beside its point, or a little way off; without room only the chosen ones, on a ground."""
        map_ = self._map
        theme, fonts = map_.bench.appearance.theme, map_.bench.appearance.fonts
        along = [line.pointAt(k / STEPS) for line in lines for k in range(STEPS)]
        places = LabelPlacement(view, (*spots, *along), 4, len(spots))
        found: list[tuple[int, QRectF, int]] = []
        for i in order:
            strong = i in map_.strong
            if not (strong or view.contains(spots[i])):
                continue
            metrics = QFontMetrics(fonts.ui if strong else fonts.small)
            place, clashes = places.freest(spots[i], metrics.horizontalAdvance(map_.labels[i]) + 2, metrics.height())
            if strong or not clashes:
                places.take(spots[i], place)
            elif not map_.is_here(i):
                continue
            found.append((i, place, clashes))
        ground = QColor(theme.surface)
        ground.setAlpha(215)
        # The word that one is at lies above the others.
        for i, place, clashes in sorted(found, key=lambda one: map_.is_here(one[0])):
            if (end := lead(spots[i], place)) is not None:
                painter.setPen(QPen(qcolor(theme.line_strong), 1))
                painter.drawLine(spots[i], end)
            if clashes:
                painter.fillRect(place, ground)
            strong = i in map_.strong
            painter.setFont(fonts.ui if strong else fonts.small)
            painter.setPen(qcolor(theme.here_text if map_.is_here(i) else theme.text if strong else theme.muted))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, map_.labels[i])


class WordMap(Plot):
    """Points with their words: drag to move, Ctrl+wheel to zoom, click a point for its neighbours.

    With the keyboard: the arrow keys go from point to point, Enter asks for the neighbours, + and − zoom, 0 shows all.
    """

    clicked = Signal(str)  # a word

    def __init__(self, bench: Workbench) -> None:
        self.points: NDArray[np.float64] = np.zeros((0, 2))
        self.labels: Sequence[str] = ()
        self.strong: set[int] = set()
        self.origin: tuple[float, float] | None = None
        self.arrows = False
        self.here: int | None = None
        self.chosen = ""
        super().__init__(bench)
        self._item = _Points(self)
        self.add(self._item)
        self.getViewBox().setAspectLocked(True)
        self.getViewBox().setMouseEnabled(True, True)
        self.getViewBox().sigRangeChanged.connect(self._show_sides)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().sigMouseMoved.connect(self._moved)
        self.scene().sigMouseClicked.connect(self._clicked)
        self._room = 0
        self._shares: tuple[float, ...] = ()
        self.restyle()

    def restyle(self) -> None:
        super().restyle()
        self.setBackground(self.bench.appearance.theme.surface)
        if hasattr(self, "_item"):
            self.give_room(self._room)
            self._item.update()

    def give_room(self, pixels: int) -> None:
        """Be as high as there is room in sight, within limits."""
        self._room = pixels
        px = self.bench.appearance.px
        high = min(max(pixels, px(LOW)), px(HIGH))
        if high != self.maximumHeight():
            self.setFixedHeight(high)
            if len(self.points):
                self.fit_all()

    def show_points(
        self,
        words: Sequence[str],
        points: NDArray[np.float64],
        strong: set[int],
        origin: tuple[float, float] | None,
        shares: Sequence[float],
    ) -> None:
        """Show other words.

        Parameters
        ----------
        points : numpy.ndarray
            (n_words, 2).
        strong : set of int
            Which of them were chosen.
        origin : (float, float), optional
            Where a vector of zeros would be; None where there is no such place.
        shares : sequence of float
            Of the variance, that of each direction; empty where directions mean nothing.
        """
        self._item.prepareGeometryChange()
        self.labels, self.points, self.strong, self.origin, self.here = words, points, strong, origin, None
        self._shares = tuple(shares)
        self.stand(*("left", "bottom") if shares else ())
        each = (f"{words[i]} {point(*place)}" for i, place in enumerate(points.tolist()) if i in strong)
        self.say("Map of words: " + "; ".join(each) + f"; and {len(words) - len(strong)} neighbours")
        self.fit_all()

    def _show_sides(self) -> None:
        """The numbers of the two directions, and how much of the variance lies in each."""
        if self._shares:
            first, second = (f"{share:.0%} of the variance" for share in self._shares)
            (left, right), (low, high) = self.getViewBox().viewRange()
            self.side("bottom").show_numbers(left, right, self.width(), f"first direction, {first}")
            self.side("left").show_numbers(low, high, self.height(), f"second direction, {second}")

    def choose(self, word: str) -> None:
        """Let the word stand out whose neighbours are shown on the page."""
        self.chosen = word
        self._item.update()

    def is_here(self, i: int) -> bool:
        """Whether a point is the one that is pointed at, or its word the chosen one."""
        return i == self.here or self.labels[i] == self.chosen

    def fit_all(self) -> None:
        """Bring all of it into sight."""
        points = self.points
        if self.arrows and self.origin is not None:
            points = np.vstack([points, self.origin])
        low, high = points.min(0), points.max(0)
        room = max(float((high - low).max()) * 0.1, 0.1)
        rect = QRectF(low[0] - room, low[1] - room, high[0] - low[0] + 2 * room, high[1] - low[1] + 2 * room)
        self.getViewBox().setRange(rect, padding=0, disableAutoRange=True)
        self._item.update()

    def zoom(self, factor: float) -> None:
        """Come nearer (below 1) or go away."""
        self.getViewBox().scaleBy((factor, factor))

    def wheelEvent(self, event: Any) -> None:
        """The wheel scrolls the page; with Ctrl it zooms."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            pg.GraphicsView.wheelEvent(self, event)
        else:
            event.ignore()

    # Pointing

    def _near(self, position: Any) -> int | None:
        if not len(self.points):
            return None
        box = self.getViewBox()
        spots = [box.mapViewToScene(QPointF(x, y)) for x, y in self.points.tolist()]
        far = [abs(spot.x() - position.x()) + abs(spot.y() - position.y()) for spot in spots]
        near = int(np.argmin(far))
        return near if far[near] <= GRIP else None

    def _point(self, at: int | None, spot: QPointF | None = None) -> None:
        """Be at a point, or at none."""
        if at == self.here:
            return
        self.here = at
        self.setCursor(Qt.CursorShape.ArrowCursor if at is None else Qt.CursorShape.PointingHandCursor)
        if at is not None:
            x, y = self.points[at].tolist()
            place = spot or self.getViewBox().mapViewToScene(QPointF(x, y))
            told = f"{self.labels[at]} ({written(x, 2)}, {written(y, 2)}): click, or press Enter, for its neighbours"
            QToolTip.showText(self.mapToGlobal(self.mapFromScene(place)), told, self)
        self._item.update()

    def _moved(self, position: Any) -> None:
        self._point(self._near(position), position)

    def _clicked(self, event: Any) -> None:
        near = self._near(event.scenePos())
        if near is not None and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.clicked.emit(self.labels[near])

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self._point(None)

    def walk(self, down: int, across: int) -> None:
        if len(self.points):
            self._point(self._next(np.array((across, -down))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.here is not None:
            self.clicked.emit(self.labels[self.here])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_0):
            self.fit_all() if key == Qt.Key.Key_0 else self.zoom(0.7 if key == Qt.Key.Key_Plus else 1 / 0.7)
        else:
            super().keyPressEvent(event)

    def _next(self, way: NDArray[np.int_]) -> int:
        """The nearest point in a direction; first of all the first one."""
        if self.here is None:
            return 0
        steps = self.points - self.points[self.here]
        ahead = steps @ way
        # What lies far to the side is not what one meant.
        cost = np.where(ahead > 0, np.abs(steps).sum(1) + np.abs(steps - np.outer(ahead, way)).sum(1), np.inf)
        return int(cost.argmin()) if np.isfinite(cost).any() else self.here

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point(None)
