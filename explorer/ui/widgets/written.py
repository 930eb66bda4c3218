"""What is written in a widget, and where: it is painted for a device that keeps the words and paints nothing.

So whatever paints words is found: labels, the tables of matrices, pictures, and what is still to be invented.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, QSize
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QRegion,
    QTextItem,
    QTransform,
)
from PySide6.QtWidgets import QScrollArea, QWidget

from explorer.ui.widgets.inside import inside

_RESOLUTION = 65536
"""In how many parts Qt asks for the pixels that a unit has."""


class Written(NamedTuple):
    """Words in one font on one line."""

    text: str
    within: QWidget  # in which they are written
    place: QRectF  # in pixels of that widget
    font: QFont

    def part(self, start: int, length: int) -> QRect:
        """Where some of the letters are."""
        metrics = QFontMetricsF(self.font)
        whole = metrics.horizontalAdvance(self.text) or 1.0
        left = metrics.horizontalAdvance(self.text[:start]) / whole
        right = metrics.horizontalAdvance(self.text[: start + length]) / whole
        place = self.place
        rect = QRectF(place.left() + left * place.width(), place.top(), (right - left) * place.width(), place.height())
        return rect.toAlignedRect()


class _Listener(QPaintEngine):
    """Hears of words, and of nothing else that is painted."""

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.heard: list[tuple[str, QRectF, QFont]] = []
        self._transform = QTransform()

    def begin(self, device: QPaintDevice) -> bool:
        self.setActive(True)
        return True

    def end(self) -> bool:
        self.setActive(False)
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, state: QPaintEngineState) -> None:
        if state.state() & QPaintEngine.DirtyFlag.DirtyTransform:
            self._transform = state.transform()

    def drawTextItem(self, at: Any, item: QTextItem) -> None:
        high = item.ascent() + item.descent()
        rect = QRectF(at.x(), at.y() - item.ascent(), item.width(), high)
        self.heard.append((item.text(), self._transform.mapRect(rect), item.font()))

    def _nothing(self, *_: Any, **__: Any) -> None:
        pass

    drawEllipse = drawImage = drawLines = drawPath = drawPixmap = drawPoints = drawPolygon = _nothing
    drawRects = drawTiledPixmap = _nothing


class _Device(QPaintDevice):
    def __init__(self, size: QSize) -> None:
        super().__init__()
        self.listener = _Listener()
        metric = QPaintDevice.PaintDeviceMetric
        self._metrics = {
            metric.PdmWidth: size.width(),
            metric.PdmHeight: size.height(),
            metric.PdmDpiX: 96,
            metric.PdmDpiY: 96,
            metric.PdmPhysicalDpiX: 96,
            metric.PdmPhysicalDpiY: 96,
            metric.PdmDepth: 32,
            metric.PdmDevicePixelRatio: 1,
            metric.PdmDevicePixelRatioScaled: _RESOLUTION,
        }

    def paintEngine(self) -> QPaintEngine:
        return self.listener

    def metric(self, which: QPaintDevice.PaintDeviceMetric) -> int:
        return self._metrics.get(which, 0)


def written_in(whole: QWidget) -> Iterator[Written]:
    """All words that are painted in a widget in sight, also in those parts that scrolling would bring."""
    areas = [area for area in inside(whole, QScrollArea) if area.isVisible()]
    for page in (whole, *(page for area in areas if (page := area.widget()) is not None)):
        # What lies in a scroll area within it is painted for itself, as a whole.
        ports = [one.viewport() for one in areas if page.isAncestorOf(one)]
        scrolled = [QRectF(port.mapTo(page, QPoint()), port.size()) for port in ports]
        for text, place, font in _painted(page):
            if text.strip() and not any(port.contains(place.center()) for port in scrolled):
                yield Written(text, page, place, font)


def _painted(page: QWidget) -> list[tuple[str, QRectF, QFont]]:
    device = _Device(page.size())
    painter = QPainter(device)
    try:
        # Not the widget's own: a picture has another one.
        QWidget.render(page, painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    finally:
        painter.end()
    return device.listener.heard
