"""Two vectors to drag in a plane, with the shadow of one on the other."""

from collections.abc import Mapping
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.document.commands import SetCells
from explorer.ui.colour import qcolor
from explorer.ui.errors import show_error
from explorer.ui.widgets.arrow import draw_arrow
from explorer.ui.widgets.plot import DRAWABLE, Plot
from explorer.ui.workbench import Workbench

GRIP = 14  # pixels at text scale 1 around a tip within which it is gripped
NARROW = 60.0  # degrees
ARC, BESIDE = 34.0, 7.0  # pixels: of the angle's arc, and between a place and its name


class _Picture(pg.GraphicsObject):
    """The arrows x and y, the angle between them, the shadow x_p of x on y, and the rest x_o at right angles to it."""

    def __init__(self, plane: "VectorPlane") -> None:
        super().__init__()
        self._plane = plane

    def boundingRect(self) -> QRectF:
        reach = self._plane.reach
        return QRectF(-reach, -reach, 2 * reach, 2 * reach)

    def paint(self, painter: Any, *args: Any) -> None:
        theme, fonts = self._plane.bench.appearance.theme, self._plane.bench.appearance.fonts
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        painter.setFont(fonts.ui)
        origin = QPointF(0, 0)
        found = self._plane.tips
        points = {name: QPointF(x, y) for name, (x, y) in found.items() if abs(x) + abs(y) < DRAWABLE}
        if {"x", "y", "x_p"} <= points.keys():
            for start, end, colour in ((origin, points["x_p"], theme.text), (points["x_p"], points["x"], theme.muted)):
                painter.setPen(QPen(qcolor(colour), 2, Qt.PenStyle.DashLine))
                painter.drawLine(to_pixels.map(start), to_pixels.map(end))
            middle = (to_pixels.map(points["x_p"]) + to_pixels.map(points["x"])) / 2
            if abs(found["x_o"][0]) + abs(found["x_o"][1]) > self._plane.reach / 10:
                # Along y, and away from it where the rest is all of x.
                along = to_pixels.map(points["y"]) - to_pixels.map(origin)
                ahead = QPointF.dotProduct(points["x_p"], points["y"]) > 0
                self._write(painter, "x_o", middle, along if ahead else -along, theme.muted)
        self._draw_angle(painter, to_pixels, points)
        for name, colour in (("y", theme.series[0]), ("x", theme.accent_line), ("x_p", theme.text)):
            if name in points and not (name == "x_p" and points[name].isNull()):
                tip = to_pixels.map(points[name])
                # x_p lies on y: its shaft would hide it.
                shaft = Qt.PenStyle.NoPen if name == "x_p" else Qt.PenStyle.SolidLine
                along = draw_arrow(painter, to_pixels.map(origin), tip, qcolor(colour), 2.5, 11, shaft)
                # Away from the rest, and so from y.
                way = tip - to_pixels.map(points["x"]) if name == "x_p" and "x" in points else along
                self._write(painter, name, tip, way, colour)
        painter.restore()

    def _write(self, painter: Any, text: str, at: QPointF, way: QPointF, colour: str) -> None:
        """Write a name beside a place, in a direction."""
        length, metrics = hypot(way.x(), way.y()) or 1.0, painter.fontMetrics()
        width, height = metrics.horizontalAdvance(text), metrics.height()
        middle = at + way * ((self._plane.bench.appearance.px(BESIDE) + width / 2) / length)
        painter.setPen(qcolor(colour))
        box = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_angle(self, painter: Any, to_pixels: Any, points: Mapping[str, QPointF]) -> None:
        """α as an arc from y to x, where both have a direction."""
        short = [name for name in ("x", "y") if name not in points or points[name].isNull()]
        if short or not np.isfinite(self._plane.angle):
            return
        theme, origin = self._plane.bench.appearance.theme, to_pixels.map(QPointF(0, 0))
        # Degrees from the right, counted against the clock, as Qt draws arcs.
        start, end = (degrees(atan2(points[name].y(), points[name].x())) for name in ("y", "x"))
        turn = (end - start + 180) % 360 - 180
        arc = self._plane.bench.appearance.px(ARC)
        box = QRectF(origin.x() - arc, origin.y() - arc, 2 * arc, 2 * arc)
        painter.setPen(QPen(qcolor(theme.muted), 1.5))
        painter.drawArc(box, round(16 * start), round(16 * turn))
        # Between narrow ones there is no room for the number: it stands on the other side.
        middle = radians(start + turn / 2 + 180 * (abs(turn) < NARROW))
        way = QPointF(cos(middle), -sin(middle))
        away = way * arc * (abs(turn) >= NARROW)
        self._write(painter, f"α {written(self._plane.angle, 1)}°", origin + away, way, theme.muted)


class VectorPlane(Plot):
    """x and y as arrows whose tips can be dragged; every drag is one undo step.

    Parameters
    ----------
    bench : Workbench
    """

    drawn = ("x", "y", "x_p", "x_o")

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(bench, "x", parent)
        self.words = ("y", "x_p", "x_o", "angle")
        self.reach = 1.0
        self._held: str | None = None
        self._stroke: object = None
        self._picture = _Picture(self)
        self.addItem(self._picture)
        self.setAspectLocked(True)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self.showGrid(x=True, y=True, alpha=0.15)
        self.setMouseTracking(True)
        self.setToolTip("Drag the tip of x or y")
        self.restyle()
        self.refresh()

    def refresh(self) -> None:
        """Read the vectors anew; while one is held the frame stays where it is."""
        values = self.bench.document.engine.values
        points = np.array([values[name][0, :2] for name in self.drawn], dtype=float)
        self.tips = {name: (x, y) for name, (x, y) in zip(self.drawn, points.tolist(), strict=True)}
        self.angle = float(values["angle"].item())
        self._picture.prepareGeometryChange()
        if self._held is None:
            finite = points[np.abs(points) < DRAWABLE]
            self.reach = 1.3 * float(np.abs(finite).max(initial=1.0))
            self.getViewBox().setRange(
                QRectF(-self.reach, -self.reach, 2 * self.reach, 2 * self.reach), padding=0, disableAutoRange=True
            )
        self.say(
            "Vectors: "
            + "; ".join(f"{n} ({a:.2f}, {b:.2f})" for n, (a, b) in zip(self.drawn, points, strict=True))
            + f"; angle {written(self.angle, 1)}°"
        )
        self._picture.update()

    def _at(self, event: Any) -> QPointF:
        point: QPointF = self.getViewBox().mapSceneToView(self.mapToScene(event.position().toPoint()))
        return point

    def _near(self, event: Any) -> str | None:
        """The vector whose tip is under the mouse."""
        mouse = event.position()
        found = []
        for name in ("x", "y"):
            tip = self.mapFromScene(self.getViewBox().mapViewToScene(QPointF(*self.tips[name])))
            distance = float(np.hypot(tip.x() - mouse.x(), tip.y() - mouse.y()))
            if distance <= self.bench.appearance.px(GRIP):
                found.append((distance, name))
        return min(found)[1] if found else None

    def mousePressEvent(self, event: Any) -> None:
        self._held = self._near(event) if event.button() == Qt.MouseButton.LeftButton else None
        self._stroke = object()

    def mouseMoveEvent(self, event: Any) -> None:
        if self._held is None:
            near = self._near(event)
            self.setCursor(Qt.CursorShape.OpenHandCursor if near else Qt.CursorShape.ArrowCursor)
            return
        point = self._at(event)
        # Hundredths: finer than a pixel, and numbers that can be read.
        cells: dict[tuple[int, ...], float] = {(0, 0): round(point.x(), 2), (0, 1): round(point.y(), 2)}
        try:
            self.bench.document.do(SetCells(self._held, cells, self._stroke))
        except ExplorerError as error:
            show_error(error, self)

    def mouseReleaseEvent(self, event: Any) -> None:
        self._held = None
        self.refresh()
