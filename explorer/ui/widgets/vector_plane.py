"""Two vectors to drag in a plane, with the shadow of one on the other."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from explorer.core.errors import ExplorerError
from explorer.core.graph import Place
from explorer.document.commands import SetCells
from explorer.ui.colour import qcolor
from explorer.ui.errors import show_error
from explorer.ui.widgets.arrow import draw_arrow
from explorer.ui.widgets.plot import DRAWABLE, Plot
from explorer.ui.workbench import Workbench

GRIP = 14  # pixels around a tip within which it is gripped


class _Picture(pg.GraphicsObject):
    """The arrows x and y, the shadow x_p of x on y, and the rest x_o at right angles to it."""

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
        found = {name: self._plane.point(name) for name in self._plane.drawn}
        points = {name: QPointF(x, y) for name, (x, y) in found.items() if abs(x) + abs(y) < DRAWABLE}
        if "x_p" in points and "x" in points:
            for start, end, colour in ((origin, points["x_p"], theme.here), (points["x_p"], points["x"], theme.muted)):
                painter.setPen(QPen(qcolor(colour), 2, Qt.PenStyle.DashLine))
                painter.drawLine(to_pixels.map(start), to_pixels.map(end))
        for name, colour in (("y", theme.series[2]), ("x", theme.accent_line), ("x_p", theme.here)):
            if name in points:
                tip = to_pixels.map(points[name])
                # x_p lies on y: its shaft would hide it.
                shaft = Qt.PenStyle.NoPen if name == "x_p" else Qt.PenStyle.SolidLine
                along = draw_arrow(painter, to_pixels.map(origin), tip, qcolor(colour), 2.5, 11, shaft)
                painter.drawText(tip + along * 16 - QPointF(5, -5), name)
        painter.restore()


class VectorPlane(Plot):
    """x and y as arrows whose tips can be dragged; every drag is one undo step.

    Parameters
    ----------
    bench : Workbench
    """

    drawn = ("x", "y", "x_p", "x_o")

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(bench, "x", parent)
        self.words = ("y", "x_p", "x_o")
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

    def point(self, name: str) -> tuple[float, float]:
        """The first two numbers of a vector."""
        row = self.bench.document.engine.value(Place(name))[0]
        return float(row[0]), float(row[1])

    def refresh(self) -> None:
        """Read the vectors anew; while one is held the frame stays where it is."""
        points = np.array([self.point(name) for name in self.drawn])
        self._picture.prepareGeometryChange()
        if self._held is None:
            finite = points[np.abs(points) < DRAWABLE]
            self.reach = 1.3 * float(np.abs(finite).max(initial=1.0))
            self.getViewBox().setRange(
                QRectF(-self.reach, -self.reach, 2 * self.reach, 2 * self.reach), padding=0, disableAutoRange=True
            )
        self.say(
            "Vectors: " + "; ".join(f"{n} ({a:.2f}, {b:.2f})" for n, (a, b) in zip(self.drawn, points, strict=True))
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
            tip = self.mapFromScene(self.getViewBox().mapViewToScene(QPointF(*self.point(name))))
            distance = float(np.hypot(tip.x() - mouse.x(), tip.y() - mouse.y()))
            if distance <= GRIP:
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
