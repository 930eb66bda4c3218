"""Vectors as strips of bars, one below the other."""

from typing import Any

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.core.numbers import exact
from explorer.pages.drawing import VectorStrips
from explorer.ui.page.gestures import perform
from explorer.ui.theme import qcolor
from explorer.ui.widgets.labels import as_tip
from explorer.ui.workbench import Workbench

BARS, LEAST, WORD = 240, 40, 50  # pixels at text scale 1: the width of the bars, their least, and that of the words


class VectorStripsView(QWidget):
    """Strips of bars; the mouse points at a dimension, and so do the arrow keys."""

    def __init__(self, bench: Workbench, strips: VectorStrips, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.strips = strips
        self._row: int | None = None  # the row whose word the keys have followed last
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Point at a bar, or use the arrow keys; click a word for its neighbours")
        self.tell(strips)

    def tell(self, strips: VectorStrips) -> None:
        """Show other words, or another dimension."""
        if (strips.words, strips.here) != (self.strips.words, self.strips.here):
            self._row = None
        self.strips = strips
        said = "; ".join(f"{word}, {note}" for word, note in zip(strips.words, strips.notes, strict=True))
        self.setAccessibleName(f"Vectors as bars: {said}")
        fonts, px = self._bench.appearance.fonts, self._bench.appearance.px
        ui, small = QFontMetrics(fonts.ui), QFontMetrics(fonts.small)
        self._words = min(max((ui.horizontalAdvance(f"{w} ") for w in strips.words), default=0) + px(16), px(190))
        self._right = max((small.horizontalAdvance(note) for note in strips.notes), default=0) + px(18)
        self._height = px(strips.row)
        self.setFixedHeight(max(len(strips.words), 1) * self._height)
        self.setMinimumWidth(min(self._words, px(WORD)) + self._right + px(LEAST))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._words + self._right + self._bench.appearance.px(BARS), self.height())

    @property
    def _left(self) -> int:
        """Pixels of the words; long ones are cut where the bars would have no room."""
        return min(self._words, self.width() - self._right - self._bench.appearance.px(LEAST))

    def _bars(self) -> tuple[float, float]:
        """The left end of the bars, and the width of one bar, in pixels."""
        room = self.width() - self._left - self._right
        return float(self._left), room / self.strips.array.shape[1]

    def paintEvent(self, event: Any) -> None:
        appearance = self._bench.appearance
        theme, fonts = appearance.theme, appearance.fonts
        painter = QPainter(self)
        left, step = self._bars()
        low, high = float(self.strips.array.min(initial=0.0)), float(self.strips.array.max(initial=0.0))
        spread = (high - low) or 1.0
        up, down = theme.diverging_ramp.colors[230], theme.diverging_ramp.colors[25]
        gap = 2.0 if step > 12 else 1.0 if step > 3 else 0.0
        middle_left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for i, word in enumerate(self.strips.words):
            top = i * self._height
            here = word == self.strips.here
            if here:
                painter.fillRect(0, top + 1, self._left - 6, self._height - 2, qcolor(theme.here_soft))
            painter.setFont(fonts.bold.ui if here else fonts.ui)
            painter.setPen(qcolor(theme.here_text if here else theme.text))
            words = painter.fontMetrics().elidedText(word, Qt.TextElideMode.ElideRight, self._left - 14)
            painter.drawText(QRectF(4, top, self._left - 10, self._height), middle_left, words)
            reach = self._height - 8
            zero = top + 4 + high / spread * reach
            if self.strips.dimension >= 0:
                spot = QRectF(left + self.strips.dimension * step - 1, top, step + 2 - gap, self._height)
                painter.fillRect(spot, qcolor(theme.here_soft))
            for d, value in enumerate(self.strips.array[i].tolist()):
                size = value / spread * reach
                bar = QRectF(left + d * step, zero - max(size, 0), step - gap, abs(size))
                painter.fillRect(bar, qcolor(theme.here) if d == self.strips.dimension else up if value >= 0 else down)
            painter.setPen(QPen(qcolor(theme.line_strong), 1))
            painter.drawLine(round(left), round(zero), round(left + step * self.strips.array.shape[1]), round(zero))
            painter.setFont(fonts.small)
            painter.setPen(qcolor(theme.muted))
            place = QRectF(self.width() - self._right + 12, top, self._right - 12, self._height)
            painter.drawText(place, middle_left, self.strips.notes[i])
        if self.hasFocus():
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    # Pointing

    def _point(self, dimension: int) -> None:
        if dimension != self.strips.dimension:
            perform(self._bench, self.strips.points.at(dimension), self)

    def _follow(self, row: int) -> None:
        if (gesture := self.strips.follows[row]) is not None:
            perform(self._bench, gesture, self)

    def _at(self, x: float) -> int:
        left, step = self._bars()
        dimension = int((x - left) // step)
        return dimension if 0 <= dimension < self.strips.array.shape[1] and self.strips.words else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._at(event.position().x()))
        over = event.position().x() < self._left
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self._point(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        row = int(event.position().y() // self._height)
        if event.position().x() < self._left and 0 <= row < len(self.strips.words):
            self._follow(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        dims = self.strips.array.shape[1]
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is not None and self.strips.words:
            self._point(min(max(self.strips.dimension + step, 0), dims - 1))
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.strips.words:
            words, by = self.strips.words, 1 if event.key() == Qt.Key.Key_Down else -1
            at = words.index(self.strips.here) if self.strips.here in words else 0
            at = at if self._row is None else self._row
            rows = [(at + by * k) % len(words) for k in range(1, len(words) + 1)]
            self._row = next((row for row in rows if self.strips.follows[row] is not None), at)
            self._follow(self._row)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self._point(-1)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            dimension, row = self._at(event.pos().x()), event.pos().y() // self._height
            if dimension >= 0 and row < len(self.strips.words):
                value = exact(self.strips.array[row, dimension])
                told = f"{self.strips.words[row]}, dimension {dimension + 1}: {value}"
                QToolTip.showText(event.globalPos(), as_tip(told), self)
                return True
        return super().event(event)
