"""The widgets within a widget: found, read, and let go.

The widgets within another one, so that PySide lets each go with Qt.

Widgets that are gone, and what Python still holds of them.

What is written in a widget, and where: it is painted for a device that keeps the words and paints nothing.

So whatever paints words is found: labels, the tables of matrices, pictures, and what is still to be invented.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, QRectF, QSize
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
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from shiboken6 import isValid

from explorer.ui.turns import Turns, later
from explorer.ui.widgets.names import UNSEEN

_Widget = TypeVar("_Widget", bound=QWidget)


def inside(whole: QWidget, kind: type[_Widget]) -> list[_Widget]:
    """All widgets of a kind within another one, in reading order: from the top down, then from left to right.

    `findChildren`, `childAt` and `nextInFocusChain` would make them, for PySide, children of the widget that is asked,
    also those that Qt made, such as scroll bars. Of the end of these PySide does not hear: what stood at such an
    address next passed for two objects, and the program crashed; or a whole window was taken for deleted with a button
    (PySide 6.11.3). Ask `findChildren` for classes of our own only.
    """
    widgets = (one for one in QApplication.allWidgets() if isinstance(one, kind) and one is not whole)
    found = [one for one in widgets if whole.isAncestorOf(one)]
    return sorted(found, key=lambda one: one.mapTo(whole, QPoint()).toTuple()[::-1])


def widget_at(whole: QWidget, place: QPoint) -> QWidget | None:
    """The innermost widget in sight at a point of another one; of two that overlap, the upper one."""
    for one in reversed(whole.children()):  # each a child of `whole` for PySide as well
        if isinstance(one, QWidget) and one.isVisible() and not one.isWindow() and one.geometry().contains(place):
            return widget_at(one, one.mapFromParent(place)) or one
    return None


class Gone:
    """Deletes widgets of many parts, and has Python let go of the parts.

    A part and its parts know each other, so that they would stay until Python's collector comes: it held the window for
    up to 0.2 s with a thousand of them. Where the owner is deleted first, the collector has the rest.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[list[QWidget]] = []
        self._hidden: list[QWidget] = []
        self._begin = later(owner, self._delete_hidden)
        self._turns = Turns(owner)
        self._let_go = later(owner, self._forget)

    def delete(self, *widgets: QWidget) -> None:
        """Delete widgets as `deleteLater` does, with all that stands in them."""
        self._watch(widgets)
        for widget in widgets:
            widget.deleteLater()

    def delete_one_by_one(self, *widgets: QWidget) -> None:
        """Delete widgets that are out of sight, in later turns of the event loop, each in one of its own."""
        self._hidden.extend(widgets)
        self._begin.start()

    def _delete_hidden(self) -> None:
        widgets, self._hidden = [widget for widget in self._hidden if isValid(widget)], []
        self._watch(widgets)
        for widget in widgets:
            self._turns.add(later(widget, widget.deleteLater))

    def _watch(self, widgets: Sequence[QWidget]) -> None:
        own = _own() if widgets else []
        for widget in widgets:
            self._waiting.append(_parts(widget, own))
            widget.destroyed.connect(self._let_go.start)  # until then the parts still hear of the end of each other

    def _forget(self) -> None:
        for parts in self._waiting:
            if not isValid(parts[0]):
                _let_go(parts)
        self._waiting = [parts for parts in self._waiting if parts and isValid(parts[0])]


def delete_now(widget: QWidget) -> None:
    """Delete a widget at once, with all that stands in it: there may be no event loop that would do it."""
    parts = _parts(widget, _own())
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete)
    _let_go(parts)


def _own() -> list[QWidget]:
    """The widgets that Python holds something of."""
    return [one for one in QApplication.allWidgets() if vars(one)]


def _parts(widget: QWidget, own: Iterable[QWidget]) -> list[QWidget]:
    return [widget, *(one for one in own if widget.isAncestorOf(one))]


def _let_go(parts: list[QWidget]) -> None:
    for part in parts:
        vars(part).clear()
    parts.clear()


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
        self._joins = False
        """Whether the last words were the sign in a name that nobody sees (see `names`): its index is still to come."""

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
    """All words that are painted in a widget in sight, also in those parts that scrolling would bring."""
    areas = [area for area in inside(whole, QScrollArea) if area.isVisible()]
    for page in (whole, *(page for area in areas if (page := area.widget()) is not None)):
        # What lies in a scroll area within it is painted for itself, as a whole.
        ports = [one.viewport() for one in areas if page.isAncestorOf(one)]
        scrolled = [QRectF(port.mapTo(page, QPoint()), port.size()) for port in ports]
        for text, place, font in _painted(page):
            if text.strip() and not any(port.contains(place.center()) for port in scrolled):
                yield Written(text, page, place, font)


def words_at(window: QWidget, places: Iterable[QRect]) -> list[QRect]:
    """Where words stand in the places of a window, as it is seen now; nothing else is painted."""
    region = QRegion()
    for place in places:
        region += place
    return [one.toAlignedRect() for text, one, _ in _painted(window, region & window.rect()) if text.strip()]


def _painted(page: QWidget, region: QRegion | None = None) -> list[tuple[str, QRectF, QFont]]:
    region = region or QRegion()  # all of it
    device = _Device(page.size())
    painter = QPainter(device)
    try:
        # Not the widget's own: a picture has another one.
        QWidget.render(page, painter, region.boundingRect().topLeft(), region, QWidget.RenderFlag.DrawChildren)
    finally:
        painter.end()
    return device.listener.heard
