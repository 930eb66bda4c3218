"""Vectors as strips of bars, one below the other.

Words beside each other: each word's vector as a strip of bars, with its length and its rank.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.core.numbers import exact, written
from explorer.ui.theme import qcolor
from explorer.ui.words.card import MOST_WORDS, Card, TabState, WordField, label
from explorer.ui.workbench import Workbench

ROW, BARS = 56, 240  # pixels at text scale 1: the height of a row, the least width of its bars


class VectorStrips(QWidget):
    """A row of bars for each word, all on one scale; point at a dimension, or walk with the arrow keys.

    `row`: pixels of a row at text scale 1.
    """

    pointed = Signal(int)  # the dimension that is looked at; -1 for none
    clicked = Signal(int)  # the row of a word

    def __init__(self, bench: Workbench, row: int = ROW) -> None:
        super().__init__()
        self._bench, self._high = bench, row
        self.words: list[str] = []
        self.array: NDArray[np.float32] = np.zeros((0, 1), np.float32)
        self.notes: list[str] = []
        self.here = ""
        self.dimension = -1
        self._row = 0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Point at a bar, or use the arrow keys; click a word for its neighbours")

    def show_words(self, words: list[str], array: NDArray[np.float32], notes: list[str], here: str) -> None:
        """Show words with their vectors, (n_words, dims), and what is said behind each."""
        self.words, self.array, self.notes, self.here = words, array, notes, here
        self._row = min(self._row, max(len(words) - 1, 0))
        self.dimension = self.dimension if self.dimension < array.shape[1] else -1
        said = "; ".join(f"{word}, {note}" for word, note in zip(words, notes, strict=True))
        self.setAccessibleName(f"Vectors as bars: {said}")
        self.restyle()

    def restyle(self) -> None:
        """Follow the text scale."""
        fonts, px = self._bench.appearance.fonts, self._bench.appearance.px
        ui, small = QFontMetrics(fonts.ui), QFontMetrics(fonts.small)
        self._left = min(max((ui.horizontalAdvance(f"{w} ") for w in self.words), default=0) + px(16), px(190))
        self._right = max((small.horizontalAdvance(note) for note in self.notes), default=0) + px(18)
        self._height = px(self._high)
        self.setFixedHeight(max(len(self.words), 1) * self._height)
        self.setMinimumWidth(self._left + self._right + px(BARS))
        self.update()

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def _bars(self) -> tuple[float, float]:
        """Where the bars begin, and how wide one is."""
        room = self.width() - self._left - self._right
        return float(self._left), room / self.array.shape[1]

    def paintEvent(self, event: Any) -> None:
        appearance = self._bench.appearance
        theme, fonts = appearance.theme, appearance.fonts
        painter = QPainter(self)
        left, step = self._bars()
        low, high = float(self.array.min(initial=0.0)), float(self.array.max(initial=0.0))
        spread = (high - low) or 1.0
        up, down = theme.diverging_ramp.colors[230], theme.diverging_ramp.colors[25]
        gap = 2.0 if step > 12 else 1.0 if step > 3 else 0.0
        middle_left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for i, word in enumerate(self.words):
            top = i * self._height
            here = word == self.here
            if here:
                painter.fillRect(0, top + 1, self._left - 6, self._height - 2, qcolor(theme.here_soft))
            font = fonts.ui
            font.setBold(here)
            painter.setFont(font)
            font.setBold(False)
            painter.setPen(qcolor(theme.here_text if here else theme.text))
            words = painter.fontMetrics().elidedText(word, Qt.TextElideMode.ElideRight, self._left - 14)
            painter.drawText(QRectF(4, top, self._left - 10, self._height), middle_left, words)
            reach = self._height - 8
            zero = top + 4 + high / spread * reach
            if self.dimension >= 0:
                spot = QRectF(left + self.dimension * step - 1, top, step + 2 - gap, self._height)
                painter.fillRect(spot, qcolor(theme.here_soft))
            for d, value in enumerate(self.array[i].tolist()):
                size = value / spread * reach
                bar = QRectF(left + d * step, zero - max(size, 0), step - gap, abs(size))
                painter.fillRect(bar, qcolor(theme.here) if d == self.dimension else up if value >= 0 else down)
            painter.setPen(QPen(qcolor(theme.line_strong), 1))
            painter.drawLine(round(left), round(zero), round(left + step * self.array.shape[1]), round(zero))
            painter.setFont(fonts.small)
            painter.setPen(qcolor(theme.muted))
            place = QRectF(self.width() - self._right + 12, top, self._right - 12, self._height)
            painter.drawText(place, middle_left, self.notes[i])
        if self.hasFocus():
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    # Pointing

    def _point(self, dimension: int) -> None:
        if dimension != self.dimension:
            self.dimension = dimension
            self.update()
            self.pointed.emit(dimension)

    def _at(self, x: float) -> int:
        left, step = self._bars()
        dimension = int((x - left) // step)
        return dimension if 0 <= dimension < self.array.shape[1] and self.words else -1

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
        if event.position().x() < self._left and 0 <= row < len(self.words):
            self.clicked.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        dims = self.array.shape[1]
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is not None and self.words:
            self._point(min(max(self.dimension + step, 0), dims - 1))
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.words:
            at = self.words.index(self.here) if self.here in self.words else 0
            self.clicked.emit((at + (1 if event.key() == Qt.Key.Key_Down else -1)) % len(self.words))
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self._point(-1)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            dimension, row = self._at(event.pos().x()), event.pos().y() // self._height
            if dimension >= 0 and row < len(self.words):
                value = exact(self.array[row, dimension])
                QToolTip.showText(event.globalPos(), f"{self.words[row]}, dimension {dimension + 1}: {value}", self)
                return True
        return super().event(event)


class LookupCard(Card):
    """Words of one's choice beside each other."""

    title = "Look up words"
    short = "Look up"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "A word is a list of numbers. A single number has no meaning; all together say near which other "
            "words the word stands."
        )
        super().__init__(bench, state, about)
        self.field = WordField(bench, state, f"Up to {MOST_WORDS} words", 420)
        self.field.entered.connect(self._look_up)
        self.line("Words", self.field)
        self.strips = VectorStrips(bench)
        self.strips.clicked.connect(lambda row: state.go_to(self.strips.words[row]))
        self.strips.pointed.connect(self._say)
        self.page.addWidget(self.strips)
        self.said = label(" ", "small", wrap=True)
        self.page.addWidget(self.said)
        state.words_changed.connect(self.load)
        state.word_changed.connect(self.load)

    def load(self) -> None:
        vectors, words = self.vectors, self.state.words
        self.field.set(words)
        ranks = [vectors.rank(word) for word in words]
        array = np.asarray(vectors.array[ranks])
        notes = [f"norm {written(float(vectors.norms[r]), 2)} · rank {r + 1:,}" for r in ranks]
        self.strips.show_words(words, array, notes, self.state.word)
        self._say(self.strips.dimension)

    def _look_up(self) -> None:
        words = self.field.words(1, MOST_WORDS)
        if words is not None:
            self.state.look_up(words)

    def _say(self, dimension: int) -> None:
        if dimension < 0:
            self.said.setText(
                "Norm: the length of the vector. Rank: the place of the word in the table; most tables begin "
                "with frequent words."
            )
            return
        values = self.strips.array[:, dimension].tolist()
        each = ", ".join(f"{word} {written(value, 3)}" for word, value in zip(self.strips.words, values, strict=True))
        self.said.setText(f"Dimension {dimension + 1}: {each}")
