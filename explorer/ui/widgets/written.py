"""What is written in a widget, and where.

It is found by painting the widget on a device that keeps the words and paints nothing: so all painted words are found,
those of labels, tables and pictures, and of any new widget.
"""

from collections.abc import Iterable, Iterator
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

from explorer.ui.widgets.names import UNSEEN
from explorer.ui.widgets.tree import inside

_RESOLUTION = 65536
"""In how many parts Qt asks for the pixels of a unit."""


class Written(NamedTuple):
    """Words in one font, on one line."""

    text: str
    within: QWidget  # the widget in which they are written
    place: QRectF  # in pixels of that widget
    font: QFont

    def part(self, start: int, length: int) -> QRect:
        """The rectangle of some of the letters."""
        metrics = QFontMetricsF(self.font)
        whole = metrics.horizontalAdvance(self.text) or 1.0
        left = metrics.horizontalAdvance(self.text[:start]) / whole
        right = metrics.horizontalAdvance(self.text[: start + length]) / whole
        place = self.place
        rect = QRectF(place.left() + left * place.width(), place.top(), (right - left) * place.width(), place.height())
        return rect.toAlignedRect()


class _Listener(QPaintEngine):
    """Receives words that are painted, and ignores everything else."""

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.heard: list[tuple[str, QRectF, QFont]] = []
        self._transform = QTransform()
        self._joins = False
        """Whether the last words were the invisible sign in a name (see `names`): its index is still to come."""

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
        rect = self._transform.mapRect(QRectF(at.x(), at.y() - item.ascent(), item.width(), high))
        unseen = item.text() == "_" and 0 < item.font().pixelSize() <= UNSEEN
        if self.heard and (unseen or self._joins):
            text, place, font = self.heard.pop()
            self.heard.append((text + item.text(), place.united(rect), font))
        else:
            self.heard.append((item.text(), rect, item.font()))
        self._joins = unseen

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
    """All words painted in a visible widget, also in parts that are scrolled out of sight."""
    areas = [area for area in inside(whole, QScrollArea) if area.isVisible()]
    for page in (whole, *(page for area in areas if (page := area.widget()) is not None)):
        # The content of a scroll area inside it is painted separately, as a whole.
        ports = [one.viewport() for one in areas if page.isAncestorOf(one)]
        scrolled = [QRectF(port.mapTo(page, QPoint()), port.size()) for port in ports]
        for text, place, font in _painted(page):
            if text.strip() and not any(port.contains(place.center()) for port in scrolled):
                yield Written(text, page, place, font)


def words_at(window: QWidget, places: Iterable[QRect]) -> list[QRect]:
    """The rectangles of words at some places of a window, as it looks now; nothing else is painted."""
    region = QRegion()
    for place in places:
        region += place
    return [one.toAlignedRect() for text, one, _ in _painted(window, region & window.rect()) if text.strip()]


def _painted(page: QWidget, region: QRegion | None = None) -> list[tuple[str, QRectF, QFont]]:
    region = region or QRegion()  # empty means all of it
    device = _Device(page.size())
    painter = QPainter(device)
    try:
        # Not the widget's own method: a picture has a different `render`.
        QWidget.render(page, painter, region.boundingRect().topLeft(), region, QWidget.RenderFlag.DrawChildren)
    finally:
        painter.end()
    return device.listener.heard
