"""Curves with points on them: sine and cosine, an activation, −log p."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.theme import Theme
from explorer.ui.widgets.plot import DRAWABLE, Picture
from explorer.ui.workbench import Workbench

MOST_NAMES = 16  # points that are named
MOST_AT_ONE = 3  # names of points that lie on each other
RADIUS, SMALL = 4.5, 2.5
MOST_LARGE = 60  # points; more of them are drawn small


@dataclass(frozen=True)
class Curve:
    """A line through numbers.

    Parameters
    ----------
    x, y : numpy.ndarray
    name : str
        Written at its right end.
    series : int
        Which of the theme's colours.
    dashed : bool
    """

    x: Array
    y: Array
    name: str = ""
    series: int = 5
    dashed: bool = False


@dataclass(frozen=True)
class Dot:
    """A number of the model on a curve; hollow where it is switched off, orange where one is."""

    x: float
    y: float
    name: str = ""
    series: int = 0
    hollow: bool = False
    here: bool = False


@dataclass(frozen=True)
class Drawing:
    """What a picture of curves shows.

    Parameters
    ----------
    curves : sequence of Curve
    dots : sequence of Dot
    titles : tuple of str
        Below and beside the axes.
    window : tuple of float
        Left, right, bottom and top.
    summary : str
        The picture in words.
    """

    curves: Sequence[Curve]
    dots: Sequence[Dot]
    titles: tuple[str, str]
    window: tuple[float, float, float, float]
    summary: str


def within(*numbers: float) -> bool:
    """Whether numbers can be drawn at all: a picture's arithmetic overflows before the numbers do."""
    return all(abs(number) < DRAWABLE for number in numbers)


class _Dots(pg.GraphicsObject):
    """All dots and all names in one item's paint, in pixels."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.drawing: Drawing | None = None
        self._axes = QRectF()

    def boundingRect(self) -> QRectF:
        if self.drawing is None:
            return QRectF()
        left, right, bottom, top = self.drawing.window
        return QRectF(left, bottom, right - left, top - bottom)

    def paint(self, painter: Any, *args: Any) -> None:
        drawing = self.drawing
        if drawing is None:
            return
        theme = self._bench.appearance.theme
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        painter.setFont(self._bench.appearance.fonts.small)
        self._axes = to_pixels.mapRect(self.boundingRect())
        taken: list[QRectF] = []
        # From below: a name whose place is taken goes above, as its curve does.
        for curve in sorted(drawing.curves, key=lambda curve: float(curve.y[-1])):
            if curve.name and _near(curve.x[-1]) and _near(curve.y[-1]):
                end = to_pixels.map(QPointF(float(curve.x[-1]), float(curve.y[-1])))
                self._write(painter, curve.name, end + QPointF(6, 0), theme.series[curve.series % 6], taken, left=True)
        self._draw(painter, to_pixels, theme)
        if len(drawing.dots) <= MOST_NAMES:
            for spot, dots in self._together(drawing.dots, to_pixels):
                more = f" +{len(dots) - MOST_AT_ONE}" if len(dots) > MOST_AT_ONE else ""
                text = ", ".join(dot.name for dot in dots[:MOST_AT_ONE]) + more
                color = theme.here_text if dots[0].here else theme.text
                above = self._px(RADIUS + 3) + painter.fontMetrics().height() / 2
                self._write(painter, text, spot - QPointF(0, above), color, taken)
        painter.restore()

    def _px(self, pixels: float) -> float:
        """Pixels at the text scale."""
        return pixels * self._bench.appearance.scale

    def _together(self, dots: Sequence[Dot], to_pixels: Any) -> list[tuple[QPointF, list[Dot]]]:
        """The dots that have names, those that lie on each other together; the one that one is at comes first."""
        found: list[tuple[QPointF, list[Dot]]] = []
        for dot in sorted(dots, key=lambda dot: not dot.here):
            if not (dot.name and _near(dot.x) and _near(dot.y)):
                continue
            spot = to_pixels.map(QPointF(dot.x, dot.y))
            for i, (last, there) in enumerate(found):
                if (last - spot).manhattanLength() < self._px(2 * RADIUS):
                    found[i] = spot, [*there, dot]
                    break
            else:
                found.append((spot, [dot]))
        return found

    def _draw(self, painter: Any, to_pixels: Any, theme: Theme) -> None:
        assert self.drawing is not None
        for dot in sorted(self.drawing.dots, key=lambda dot: dot.here):
            if not (_near(dot.x) and _near(dot.y)):
                continue
            color = qcolor(theme.here if dot.here else theme.series[dot.series % 6])
            painter.setPen(QPen(color, 1.5))
            painter.setBrush(qcolor(theme.page) if dot.hollow else color)
            small = len(self.drawing.dots) > MOST_LARGE and not dot.here
            radius = self._px(SMALL if small else RADIUS + 1.5 * dot.here)
            painter.drawEllipse(to_pixels.map(QPointF(dot.x, dot.y)), radius, radius)

    def _write(self, painter: Any, text: str, at: QPointF, color: str, taken: list[QRectF], left: bool = False) -> None:
        """Write a name at a place, or above it until nothing is in the way; where the axes end, below it."""
        metrics, axes = painter.fontMetrics(), self._axes
        width, height = metrics.horizontalAdvance(text), metrics.height()
        place = QRectF(at.x() - (0 if left else width / 2), at.y() - height / 2, width, height)
        # What reaches beyond the axes is cut.
        place.moveLeft(max(min(place.left(), axes.right() - width), axes.left()))
        place.moveTop(max(min(place.top(), axes.bottom() - height), axes.top()))
        steps = range(1, 2 * len(taken) + 1)  # each may be in the way twice
        moved = (place.translated(0, by * height) for by in (0, *(-k for k in steps), *steps))
        free = (p for p in moved if axes.contains(p) and not any(p.intersects(other) for other in taken))
        place = next(free, place)
        taken.append(place)
        ground = QColor(self._bench.appearance.theme.page)
        ground.setAlphaF(0.7)  # a line may run behind the name
        painter.fillRect(place, ground)
        painter.setPen(qcolor(color))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


class Curves(Picture):
    """Curves and the model's numbers on them.

    Parameters
    ----------
    bench : Workbench
    draw : callable
        Gives what to show, from the engine.
    reads : iterable of str
        The nodes whose change concerns it.
    """

    def __init__(
        self, bench: Workbench, draw: Callable[[], Drawing], reads: Iterable[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, draw, reads, parent)
        self._lines: list[Any] = []
        self._dots = _Dots(bench)
        self._dots.setZValue(5)
        self.addItem(self._dots)
        self.showGrid(x=True, y=True, alpha=0.12)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        bench.selection.pointed.connect(self._mark)
        self.refresh()
        self.restyle()

    def _mark(self) -> None:
        """Another cell is pointed at: its dot is another one."""
        # A hidden page may stand on nodes that a switch has taken away.
        if self.isVisible() and self._reads <= self.bench.document.engine.graph.nodes.keys():
            self.refresh()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._mark()

    def refresh(self) -> None:
        """Read the numbers anew."""
        drawing = self._read()
        if not within(*drawing.window):
            drawing = replace(drawing, window=(-1.0, 1.0, -1.0, 1.0))
        self.drawing = drawing
        while len(self._lines) > len(drawing.curves):
            self.removeItem(self._lines.pop())
        while len(self._lines) < len(drawing.curves):
            self._lines.append(self.plot(connect="finite"))
        for line, curve in zip(self._lines, drawing.curves, strict=True):
            line.setData(np.where(_near(curve.x), curve.x, np.nan), np.where(_near(curve.y), curve.y, np.nan))
        left, right, bottom, top = drawing.window
        self.getViewBox().setRange(QRectF(left, bottom, right - left, top - bottom), padding=0.0, disableAutoRange=True)
        self.setLabel("bottom", drawing.titles[0])
        self.setLabel("left", drawing.titles[1])
        self._dots.prepareGeometryChange()
        self._dots.drawing = drawing
        self._dots.update()
        self.say(drawing.summary)
        self._color()

    def restyle(self) -> None:
        super().restyle()
        self._color()
        self._dots.update()

    def _color(self) -> None:
        theme = self.bench.appearance.theme
        for line, curve in zip(self._lines, self.drawing.curves, strict=True):
            style = Qt.PenStyle.DashLine if curve.dashed else Qt.PenStyle.SolidLine
            line.setPen(pg.mkPen(theme.series[curve.series % 6], width=1.6, style=style))


def _near(value: Any) -> Any:
    """Whether a number, or each of an array, can be drawn: it is finite, and not too far off."""
    return np.abs(value) < DRAWABLE
