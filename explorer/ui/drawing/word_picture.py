"""The bases of pictures that can be zoomed, and of those of queries and keys: words at the sides, and a caption."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QRegion, QTransform, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from explorer.pages.drawing import AttentionLines, HeatMap, WordRoom
from explorer.ui.drawing.plot import Layer, Plot
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

MOST_IN_SIGHT = 24
"""At most this many words can all be read at once; with more, the reader can zoom in."""
WORD = 26  # pixels at text scale 1 that a word takes if there is room
MOST = 520  # the greatest width and height in pixels at text scale 1 of the picture without its words
MOST_BESIDE = 260  # the greatest width in pixels at text scale 1 to which columns grow so that words fit side by side
FEWEST = 6  # the fewest words that are visible when zoomed in
FAR_ENOUGH = 4
"""Pixels after which a press becomes a drag."""


class ZoomPlot(Plot):
    """A picture of which a part may be shown larger.

    Ctrl and the wheel zoom, dragging moves the visible part, a double click shows all. Without Ctrl the wheel scrolls
    the page. On the keyboard: arrows, plus, minus and 0.
    """

    step = 1.5
    """The factor of one step of the wheel."""
    zooms = True
    """Whether Ctrl and the wheel zoom now."""
    _pressed: QPointF | None = None
    _dragged = False

    @property
    def whole(self) -> QRectF:
        """The whole picture, in its units."""
        raise NotImplementedError(type(self).__name__)

    def zoom(self, factor: float | None = None, at: QPointF | None = None) -> None:
        """Zoom in (a factor above 1) or out; the point `at`, or the middle, stays where it is. None shows all."""
        self.look(self.whole if factor is None else self.nearer(factor, at))

    @property
    def seen(self) -> QRectF:
        """The visible part, in units of the picture."""
        rect: QRectF = self.getViewBox().viewRect()
        return rect

    def nearer(self, factor: float, at: QPointF | None = None) -> QRectF:
        """The part to show for a zoom (a factor above 1: in); the point `at`, or the middle, stays where it is."""
        seen = self.seen
        at = seen.center() if at is None else at
        return QRectF(at - (at - seen.topLeft()) / factor, seen.size() / factor)

    def look(self, part: QRectF) -> None:
        """Show a part, moved into the picture."""
        raise NotImplementedError(type(self).__name__)

    # The mouse is handled here, since pyqtgraph's own events for its items take longer than painting the picture

    def point_at(self, point: QPointF) -> None:
        """Point at the place under the mouse, in the picture's units."""
        raise NotImplementedError(type(self).__name__)

    def choose_at(self, point: QPointF) -> None:
        """Choose the place that was clicked."""
        raise NotImplementedError(type(self).__name__)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.position()
        if self._pressed is None:
            self.point_at(self.at(here))
        elif self._dragged or (here - self._pressed).manhattanLength() >= FAR_ENOUGH:
            self._dragged = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            by = self.at(self._pressed) - self.at(here)
            self._pressed = here
            self.look(self.seen.translated(by))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked, self._pressed = self._pressed is not None and not self._dragged, None
        self.viewport().unsetCursor()
        if clicked:
            self.choose_at(self.at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.zoom()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and self.zooms:
            self.zoom(self.step ** (event.angleDelta().y() / 120), self.at(event.position()))
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.text():
            case "+" | "=":
                self.zoom(self.step, self.middle())
            case "-" | "−":
                self.zoom(1 / self.step, self.middle())
            case "0":
                self.zoom()
            case _:
                super().keyPressEvent(event)

    def middle(self) -> QPointF | None:
        """The place pointed at, around which keys zoom; None: the middle of what is visible."""
        return None


class WordPicture(ZoomPlot):
    """A picture with the queries at its left side; if there are many words, buttons zoom, too."""

    other_side = "top"
    """The side with the keys of the attention."""
    spoken = "picture"

    def __init__(self, bench: Workbench, element: HeatMap | AttentionLines, parent: QWidget | None = None) -> None:
        super().__init__(bench, parent)
        self.element = element
        self.matrix = element.matrix
        self.room = WordRoom()
        self.layer = Layer(self)
        self.add(self.layer, 9)
        self._shape = (0, 0)
        self._laid_out: tuple[object, ...] | None = None
        """What the size was computed for: the words, the head above them, and the room."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.getViewBox().invertY(True)
        self.stand("left", self.other_side)
        self.says_when_to_paint()
        self.head = QWidget(self)
        lines = column_in(self.head, spacing=0)
        self._caption = Label(role="small")
        # A longer caption, for a change or a gradient, must not make the picture wider.
        self._caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        lines.addWidget(self._caption)
        self.line = QHBoxLayout()
        lines.addLayout(self.line)
        self.line.addStretch()
        acts: tuple[tuple[str, str, Callable[[], None]], ...] = (
            ("−", "Look from farther away (−)", lambda: self.zoom(1 / self.step)),
            ("+", "Look closer (+, or Ctrl and the wheel; drag to move)", lambda: self.zoom(self.step)),
            ("all", "Show all words (0, or a double click)", self.zoom),
        )
        self._buttons = [
            PushButton(sign, act, hint, look="link", name=f"{hint.partition(' (')[0]}: {self.spoken}")
            for sign, hint, act in acts
        ]
        for button in self._buttons:
            self.line.addWidget(button)

    # Content and size

    def tell(self, element: HeatMap | AttentionLines) -> None:
        """Show another element: other weights, or their changes or gradients."""
        if element is not self.element:
            self.element, self.matrix = element, element.matrix
            self.paint_anew()
            self.draw()

    def draw(self) -> None:
        """Show the present element."""
        raise NotImplementedError(type(self).__name__)

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        """Paint in pixels over the picture; `to_pixels` converts its units."""
        raise NotImplementedError(type(self).__name__)

    def paint_anew(self) -> None:
        # Without the head, whose buttons take long to paint; it repaints itself if it has changed. Nor the whole scene:
        # Qt would then repaint the view with the head.
        self.viewport().update(QRegion(self.viewport().rect()) - QRegion(self.head.geometry()))

    def lay_out(self, rows: Sequence[str], columns: Sequence[str]) -> None:
        """Take the size that these words need; if their number has changed, show the whole picture."""
        head, said = self.head.sizeHint(), self._caption.text()
        if (rows, columns, head, said, self.room) == self._laid_out:
            return
        px, beside, most = self.bench.appearance.px, self.other_side != "top", inf
        for button in self._buttons:
            button.setVisible(max(len(rows), len(columns)) > MOST_IN_SIGHT)
        self.line.setSpacing(px(2))
        left, other = self.side("left"), self.side(self.other_side)
        for _ in range(2):  # how large the picture is depends on how wide the words are, and they on how high it is
            high = self.area(rows, columns).height()
            left.show_words(rows if self.room.names_rows else (), high, across=most)
            if beside:
                other.show_words(columns, high, across=most)
                most = self.most_words()
        area = self.area(rows, columns)
        across = area.width() + left.minimumWidth() + px(10) + (other.minimumWidth() if beside else 0)
        across = max(round(across), self.head.sizeHint().width())
        self._fit_caption(across)
        head = self.head.sizeHint()
        self._laid_out = rows, columns, head, said, self.room
        margins = (0, head.height() + px(4), px(10), px(10))
        if margins != self.grid.getContentsMargins():
            self.grid.setContentsMargins(*margins)
        if not beside:
            other.show_words(columns, across - left.minimumWidth() - px(10))
        down = area.height() + head.height() + px(14) + (0 if beside else other.minimumHeight())
        self.setFixedSize(across, round(down))
        if (len(rows), len(columns)) != self._shape:
            self._shape = len(rows), len(columns)
            whole = self.whole
            ends = {"xMax": whole.width(), "yMax": whole.height()}
            least = {"minXRange": min(FEWEST, whole.width()), "minYRange": min(FEWEST, whole.height())}
            self.getViewBox().setLimits(xMin=0, yMin=0, **ends, **least)
            self.look(whole)

    def give(self, room: WordRoom) -> None:
        """Take as much room."""
        if room != self.room:
            self.room = room
            self.draw()

    def most_words(self) -> float:
        """The greatest width in pixels of the words at each side, if they leave the picture too little room."""
        return inf

    def area(self, rows: Sequence[str], columns: Sequence[str]) -> QSize:
        """The size of the picture without its words."""
        px, room = self.bench.appearance.px, self.room
        if room.side:
            each = room.side / max(len(rows), len(columns), 1)
            return QSize(round(each * max(len(columns), 1)), round(each * max(len(rows), 1)))
        free = room.width - self.side("left").minimumWidth() - px(10)
        most = min(free, room.square, self.bench.appearance.scale * MOST)
        across, down = (round(min(px(WORD * room.larger) * max(len(n), 1), most)) for n in (columns, rows))
        # If there are few words, columns are made as wide as the words above them.
        metrics = QFontMetrics(self.bench.appearance.fonts.small)
        beside = len(columns) * (round(max(map(metrics.horizontalAdvance, columns), default=0) * 1.1) + px(10))
        return QSize(beside if across < beside <= min(px(MOST_BESIDE), free) else across, down)

    @property
    def zooms(self) -> bool:  # type: ignore[override]
        """Whether there are more words than can be read at once."""
        return max(self._shape) > MOST_IN_SIGHT

    def caption(self, text: str, title: str = "") -> None:
        """Set the caption; its beginning `title` stays on one line if the page is wide enough for it."""
        advance = QFontMetrics(self.bench.appearance.fonts.small).horizontalAdvance(title)
        self._caption.setMinimumWidth(int(min(advance + bool(title), self.room.width)))  # a label rounds up
        self._caption.setText(text)
        self._caption.setVisible(bool(text))

    def _fit_caption(self, across: int) -> None:
        """Let a caption that is wider than the picture take several lines."""
        metrics, text = QFontMetrics(self.bench.appearance.fonts.small), self._caption.text()
        wraps = metrics.horizontalAdvance(text) > across
        lines = metrics.boundingRect(0, 0, across, 0, Qt.TextFlag.TextWordWrap.value, text).height()
        self._caption.setWordWrap(wraps)
        self._caption.setFixedHeight(lines if wraps else metrics.height())

    # Zoom

    @property
    def whole(self) -> QRectF:
        """The whole picture, in rows and columns."""
        rows, columns = self._shape
        return QRectF(0, 0, max(columns, 1), max(rows, 1))

    def look(self, part: QRectF) -> None:
        """Show a part, moved into the picture, and enlarged if it has less than `FEWEST` words."""
        box = self.getViewBox()
        self.layer.cover(self.whole)
        box.setRange(part, padding=0)
        # Several words on one pixel are averaged, instead of picking one of them.
        dense = min(box.height() / self.seen.height(), box.width() / self.seen.width()) < 1
        self.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, dense)
        self.paint_anew()

    def bring(self, row: float, column: float) -> None:
        """Scroll to a place that is pointed at elsewhere."""
        seen = self.seen
        edge = seen.adjusted(-0.5, -0.5, 0.5, 0.5)
        if not edge.contains(QPointF(column, row)) and self.whole.contains(QPointF(column, row)):
            seen.moveCenter(QPointF(column, row))
            self.look(seen)

    def said_at(self, point: QPointF) -> tuple[str, QRectF]:
        """The words about a place, and the part of the picture that they are about, both in its units."""
        raise NotImplementedError(type(self).__name__)

    def told_at(self, position: QPointF) -> tuple[str, QRect]:
        text, of = self.said_at(self.at(position))
        corners = self.pixel(of.left(), of.top()), self.pixel(of.right(), of.bottom())
        return text, QRect(*(corner.toPoint() for corner in corners))

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if hasattr(self, "head"):  # pyqtgraph's constructor resizes the widget before `head` exists
            self.head.setGeometry(0, 0, self.width(), self.head.sizeHint().height())
