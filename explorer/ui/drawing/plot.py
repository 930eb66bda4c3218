"""The base of all pyqtgraph pictures: no frame, no menu, the theme's colours; the wheel scrolls the page."""

from typing import Any
from weakref import proxy

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QFrame, QGraphicsGridLayout, QGraphicsItem, QSizePolicy, QToolTip, QWidget

from explorer.ui.drawing.side import Side
from explorer.ui.theme import qcolor
from explorer.ui.widgets.labels import as_tip
from explorer.ui.workbench import Workbench

# An image's first index is its row, as in a matrix. With a rate limit, the last of several quick moves would be lost.
pg.setConfigOptions(imageAxisOrder="row-major", antialias=True, mouseRateLimit=0)


class PixelItem(pg.GraphicsObject):
    """A part of a picture that is painted in pixels, not in units of the picture: letters and dots have fixed sizes."""

    def paint(self, painter: QPainter, *args: Any) -> None:
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()  # cosmetic pens would be too thin on a display of high density, and on paper
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_in(painter, to_pixels)
        painter.restore()

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        """Paint in pixels; `to_pixels` converts units of the picture."""
        raise NotImplementedError(type(self).__name__)


class Layer(PixelItem):
    """Lets a view paint over the whole of its picture, by its method `paint_in`."""

    def __init__(self, view: Any) -> None:
        super().__init__()
        self._view, self._place = proxy(view), QRectF()

    def cover(self, place: QRectF) -> None:
        """Take the place of the whole picture."""
        self.prepareGeometryChange()
        self._place = place

    def boundingRect(self) -> QRectF:
        return self._place

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        self._view.paint_in(painter, to_pixels)


Key = Qt.Key
ARROWS = {Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0), Key.Key_Left: (0, -1), Key.Key_Right: (0, 1)}

PLACES = {"left": (1, 0), "right": (1, 2), "top": (0, 1), "bottom": (2, 1)}
EDGE = 2
"""Pixels at the edge of the picture over which the lines of its sides are drawn."""


class Plot(pg.GraphicsView):
    """A view with sides, on the page's background. pyqtgraph's own plot builds menus, which takes most of the time."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=bench.appearance.theme.page)
        self.bench = bench
        self.sides: tuple[str, ...] = ()
        self._sides: dict[str, Side] = {}
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0.0)
        whole = pg.GraphicsWidget()
        self.grid = QGraphicsGridLayout()
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.setSpacing(0)
        self.grid.addItem(self._box, 1, 1)
        self.grid.setRowStretchFactor(1, 100)
        self.grid.setColumnStretchFactor(1, 100)
        whole.setLayout(self.grid)
        self.setCentralItem(whole)
        self.enableMouse(False)
        self.setCacheMode(self.CacheModeFlag.CacheNone)  # a cache would keep the background of an earlier theme
        self.viewport().setAutoFillBackground(False)  # on paper, filling would use the background of the window's theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        for part in (self, self.viewport()):
            part.setAcceptDrops(False)  # so that the window gets a dropped file

    def getViewBox(self) -> pg.ViewBox:
        """The view box that holds the picture."""
        return self._box

    def add(self, item: QGraphicsItem, height: int = 0) -> None:
        """Add an item to the picture; an item of greater height lies above the others."""
        item.setZValue(height)
        self._box.addItem(item, ignoreBounds=True)

    def side(self, name: str) -> Side:
        """A side: "left", "right", "top" or "bottom"."""
        if name not in self._sides:
            side = self._sides[name] = Side(self.bench, name)
            side.linkToView(self._box)
            side.setVisible(name in self.sides)
            self.grid.addItem(side, *PLACES[name])
        return self._sides[name]

    def stand(self, *sides: str) -> None:
        """Show these sides, and no others."""
        if sides != self.sides:
            self.sides = sides
            for name in {*self._sides, *sides}:
                (self.side(name).show if name in sides else self.side(name).hide)()

    def restyle(self) -> None:
        self.setBackground(self.bench.appearance.theme.page)
        for side in self._sides.values():
            side.restyle()

    def says_when_to_paint(self) -> None:
        """Repaint only where `paint_anew` or `paint_inside` say so, or if a side changes; not for each changed item.

        Sides take as long to paint as everything between them, and seldom change during a training run.
        """
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        self._box.sigResized.connect(lambda _: self.viewport().update())

    def paint_anew(self) -> None:
        """Repaint the whole plot with the next picture of the window; called before items are changed.

        Otherwise each scene collects the changes of its items in a turn of its own, and makes the window paint again.
        """
        self.scene().update()
        self.viewport().update()

    def paint_inside(self) -> None:
        """Repaint the part between the sides, in a plot that `says_when_to_paint`."""
        inside = self.mapFromScene(self._box.sceneBoundingRect()).boundingRect()
        self.viewport().update(inside.adjusted(EDGE, EDGE, -EDGE, -EDGE))

    def say(self, summary: str) -> None:
        """Describe the picture in words, for a screen reader."""
        if summary != self.accessibleName():
            self.setAccessibleName(summary)

    def describe(self, words: str) -> None:
        """Describe the place pointed at, for a screen reader."""
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def at(self, position: QPointF) -> QPointF:
        """A position in the widget, in units of the picture."""
        point: QPointF = self.getViewBox().mapSceneToView(self.mapToScene(position.toPoint()))
        return point

    def pixel(self, x: float, y: float) -> QPointF:
        """The position in the widget of a point of the picture."""
        return QPointF(self.mapFromScene(self.getViewBox().mapViewToScene(QPointF(x, y))))

    def told_at(self, position: QPointF) -> tuple[str, QRect] | None:
        """The tooltip for a place in the widget, and the part of the picture that it is about; None: it has none."""
        return None

    def viewportEvent(self, event: QEvent) -> bool:
        told = self.told_at(QPointF(event.pos())) if event.type() == QEvent.Type.ToolTip else None  # type: ignore[attr-defined]
        if told is None:
            return bool(super().viewportEvent(event))
        # The tooltip is below and to the right, so that it does not cover what it describes.
        corner = self.mapToGlobal(told[1].bottomRight() + QPoint(4, 0))
        QToolTip.showText(corner, as_tip(told[0]), self.viewport(), told[1])
        return True

    def wheelEvent(self, event: Any) -> None:
        """Ignore the wheel, so that the page scrolls."""
        event.ignore()

    # The keys

    @property
    def rings_a_part(self) -> bool:
        """Whether the picture itself shows a ring around its part with the focus."""
        return False

    def walk(self, down: int, across: int) -> None:
        """Point at the next place, in the direction `down` and `across`, each −1, 0 or 1."""
        raise NotImplementedError(type(self).__name__)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        arrow = ARROWS.get(Key(event.key()))
        if arrow is not None and self.focusPolicy() != Qt.FocusPolicy.NoFocus:
            self.walk(*arrow)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus() and not self.rings_a_part:
            painter = QPainter(self.viewport())
            painter.setPen(QPen(qcolor(self.bench.appearance.theme.focus), 2))
            inside = self.mapFromScene(self.getViewBox().sceneBoundingRect()).boundingRect()
            painter.drawRect(inside.adjusted(-2, -2, 2, 2) & self.viewport().rect().adjusted(1, 1, -1, -1))
