"""Bare painting: the smallest Qt code that shows what a window shows, which is what the window's time is compared with.

What stands in a window is taken from its own painting, so it is right for every page: each text with its place, font
and colour, each image, each filled rectangle, each outline. A bare window of the same size then paints just that, in
one widget, in a plain loop; numbers are formatted anew each time, as after an edit.
"""

from time import perf_counter, thread_time
from typing import Any, TypeAlias

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QFont,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QTextItem,
    QTransform,
)
from PySide6.QtWidgets import QApplication, QWidget

Metric: TypeAlias = QPaintDevice.PaintDeviceMetric


class Paints(QObject):
    """Counts how often windows are painted.

    It looks at windows only: to hear of each event of each widget costs Python a millisecond an edit, which would be
    added to the window's time and not to that of bare painting, which has one widget.

    Parameters
    ----------
    window : QWidget
        The first one to look at.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self.count = 0
        self.watch(window)

    def watch(self, window: QWidget) -> None:
        """Look at one more window."""
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.UpdateRequest  # Qt paints all that has changed in it then
        return False


QUIET_S = 0.008
"""After so long with nothing to do there is nothing left to paint."""
BUSY_S = 0.0005
"""A turn of the event loop that takes longer has done something."""


def settle(app: QApplication, paints: Paints) -> tuple[float, int]:
    """Run the event loop until nothing is left to paint.

    Returns
    -------
    float
        The time (`time.perf_counter`) when the last window was painted.
    int
        How often that was.
    """
    before, painted_at = paints.count, perf_counter()
    # In time of this thread: on a busy machine any turn may take long by the clock.
    busy_at = now = thread_time()
    while now - busy_at < QUIET_S:
        started, seen = now, paints.count
        app.processEvents()
        now = thread_time()
        if paints.count != seen:
            painted_at, busy_at = perf_counter(), now
        elif now - started > BUSY_S:
            busy_at = now
    return painted_at, paints.count - before


class Bare(QWidget):
    """A window that shows what another one shows, and does nothing else.

    Parameters
    ----------
    app : QApplication
    paints : Paints
    window : QWidget
        In sight.
    """

    def __init__(self, app: QApplication, paints: Paints, window: QWidget) -> None:
        super().__init__()
        self._app, self._paints, self._window = app, paints, window
        paints.watch(self)
        self.marks = seen(window)
        self._random = np.random.default_rng(0)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.resize(window.size())
        self.show()
        self.repaint()  # not settled: a run may go on in the other window

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        numbers = iter(self._random.standard_normal(len(self.marks)).tolist())
        for kind, *what in self.marks:
            match kind:
                case "number":
                    spot, font, pen = what
                    painter.setFont(font)
                    painter.setPen(pen)
                    painter.drawText(spot, f"{next(numbers):.2f}")
                case "text":
                    spot, font, pen, text = what
                    painter.setFont(font)
                    painter.setPen(pen)
                    painter.drawText(spot, text)
                case "image":
                    painter.drawImage(*what)
                case "rectangle":
                    painter.fillRect(*what)
                case "path":
                    pen, brush, path = what
                    painter.setPen(pen)
                    painter.setBrush(brush)
                    painter.drawPath(path)

    def painted(self) -> float:
        """Seconds from asking for a new picture until it is there."""
        start = perf_counter()
        self.update()
        painted_at, count = settle(self._app, self._paints)
        assert count, "the bare window was not painted"
        return painted_at - start

    def frame(self, work_s: float) -> float:
        """Seconds of a frame: so much other work, then a new picture; nothing else has its turn meanwhile."""
        start = perf_counter()
        while perf_counter() < start + work_s:
            pass
        self.repaint()
        return perf_counter() - start


def seen(window: QWidget) -> list[tuple[Any, ...]]:
    """What a window paints: ("text", place, font, pen, words) and the like, in the order of painting."""
    device = _Notebook(window)
    window.render(device)
    return device.engine.marks


class _Notebook(QPaintDevice):
    """A device of a widget's size that writes down what is painted on it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._widget = widget
        self.engine = _Pencil(QRectF(widget.rect()))

    def paintEngine(self) -> QPaintEngine:
        return self.engine

    def metric(self, which: Metric) -> int:
        widget = self._widget
        known = {
            Metric.PdmWidth: widget.width(),
            Metric.PdmHeight: widget.height(),
            Metric.PdmDpiX: widget.logicalDpiX(),
            Metric.PdmDpiY: widget.logicalDpiY(),
            Metric.PdmPhysicalDpiX: widget.physicalDpiX(),
            Metric.PdmPhysicalDpiY: widget.physicalDpiY(),
            Metric.PdmDepth: 32,
            Metric.PdmDevicePixelRatio: 1,
            Metric.PdmDevicePixelRatioScaled: int(QPaintDevice.devicePixelRatioFScale()),
        }
        return known.get(which, 0)


class _Pencil(QPaintEngine):
    """Writes down what Qt asks a paint engine for; what is invisible or out of sight is left out."""

    def __init__(self, room: QRectF) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.marks: list[tuple[Any, ...]] = []
        self._room, self._pen, self._brush, self._turned = room, QPen(), QBrush(), QTransform()

    def begin(self, device: QPaintDevice) -> bool:
        return True

    def end(self) -> bool:
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, state: QPaintEngineState) -> None:
        changed, flag = state.state(), QPaintEngine.DirtyFlag
        if changed & flag.DirtyPen:
            self._pen = QPen(state.pen())
        if changed & flag.DirtyBrush:
            self._brush = QBrush(state.brush())
        if changed & flag.DirtyTransform:
            self._turned = QTransform(state.transform())

    def drawTextItem(self, spot: Any, item: QTextItem) -> None:
        place, text, font = self._turned.map(spot), item.text(), QFont(item.font())
        if self._room.contains(place):
            pen = QPen(self._pen)
            self.marks.append(("number", place, font, pen) if _is_number(text) else ("text", place, font, pen, text))

    def drawPixmap(self, place: Any, pixmap: Any, part: Any) -> None:
        self.drawImage(place, pixmap.toImage(), part)

    def drawImage(self, place: Any, image: QImage, part: Any, flags: Any = None) -> None:
        at = self._turned.mapRect(place)
        if self._room.intersects(at):
            self.marks.append(("image", at, image.copy(part.toRect())))

    def drawRects(self, rects: Any, *count: int) -> None:
        for one in rects if isinstance(rects, (list, tuple)) else [rects]:
            at = self._turned.mapRect(QRectF(one))
            filled = self._brush.style() != Qt.BrushStyle.NoBrush and self._brush.color().alpha() > 0
            if filled and self._room.intersects(at):
                self.marks.append(("rectangle", at, self._brush))

    def drawPath(self, path: QPainterPath) -> None:
        at = self._turned.map(path)
        if self._room.intersects(at.boundingRect().adjusted(-1, -1, 1, 1)):  # a level line has no height
            self.marks.append(("path", QPen(self._pen), QBrush(self._brush), at))

    def drawPolygon(self, points: Any, *rest: Any) -> None:
        path = QPainterPath()
        path.addPolygon(points)
        self.drawPath(path)

    def drawLines(self, lines: Any, *count: int) -> None:
        path = QPainterPath()
        for line in lines if isinstance(lines, (list, tuple)) else [lines]:
            path.moveTo(QPointF(line.p1()))
            path.lineTo(QPointF(line.p2()))
        self.drawPath(path)

    def drawEllipse(self, place: Any) -> None:
        path = QPainterPath()
        path.addEllipse(QRectF(place))
        self.drawPath(path)

    def drawPoints(self, points: Any, *count: int) -> None:
        pass

    def drawTiledPixmap(self, place: Any, pixmap: Any, start: Any) -> None:
        pass


def _is_number(text: str) -> bool:
    try:
        float(text.replace("−", "-").partition("×")[0])
    except ValueError:
        return False
    return True
