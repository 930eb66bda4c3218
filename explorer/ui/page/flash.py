"""The cells that an edit has changed flash for a moment; a larger change flashes more strongly."""

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt, QTimer, QVariantAnimation
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import SQUARES
from explorer.core.ops import Array
from explorer.pages.matrix import Part, strengths
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements

TIME, FRAME = 400, 40
"""Milliseconds that a flash lasts, and between two of its frames."""
REST = 120
"""Milliseconds without a change before the flash begins, so that nothing flashes during a drag or a training run."""
DEEPEST = 0.6
"""The greatest opacity of the colour over a cell."""


class Flash(QWidget):
    """Lies over a page, and lets mouse and keys through. The next edit ends the flash; with less motion there is none.

    The widget is never hidden, because Qt asks for a new layout whenever a widget on a page is shown or hidden.
    """

    def __init__(self, elements: Elements) -> None:
        super().__init__(elements)
        self._elements = elements
        self._found: list[tuple[MatrixBox, Part, Array]] = []
        """For each flashing matrix its visible part, and the strength for each cell, or square of a small picture."""
        self.left = 0.0
        """The remaining strength, from 1 to 0."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._rests = QTimer(self, singleShot=True, interval=REST)
        self._rests.timeout.connect(self.begin)
        self._fades = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=TIME)
        self._fades.valueChanged.connect(self._fade)
        self._fades.finished.connect(self.stop)

    @property
    def flashes(self) -> bool:
        """Whether something flashes now."""
        return bool(self._found)

    def await_rest(self) -> None:
        """Flash once there was no change for `REST` milliseconds."""
        self.stop()
        if self._elements.bench.appearance.moves:
            self._rests.start()

    def begin(self) -> None:
        """Flash the visible cells that the last edit has changed."""
        if not self._elements.isVisible():
            return
        view = self._elements.bench.view
        for box in (one for one in self._elements.widgets.values() if isinstance(one, MatrixBox)):
            if box.visibleRegion().isEmpty():
                continue
            rows, columns = box.view.cells_in(box.view.viewport().rect())
            part = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
            found = strengths(view, box.matrix, most=SQUARES) if box.small else strengths(view, box.matrix, part)
            if found is not None:
                self._found.append((box, part, found))
        if self._found:
            self.left = 1.0
            self.setGeometry(self._elements.rect())
            self.raise_()
            self.update(self.region())
            self._fades.start()

    def stop(self) -> None:
        """End the flash."""
        self._rests.stop()
        self._fades.stop()
        if self._found:
            self.update(self.region())
            self._found.clear()
        self.left = 0.0

    def _fade(self, left: float) -> None:
        if self.left - left >= FRAME / TIME:
            self.left = left
            self.update(self.region())

    def region(self) -> QRegion:
        """The region that flashes."""
        region = QRegion()
        for box, *_ in self._found:
            region += QRect(box.mapTo(self._elements, QPoint()), box.size())
        return region

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, colour = QPainter(self), QColor(self._elements.bench.appearance.theme.here)
        for box, part, found in self._found:
            painter.setOpacity(DEEPEST * self.left)
            at = box.mapTo(self._elements, QPoint())
            if box.small:
                (rows, columns), (last, end) = found.shape, box.matrix.array.shape
                squares = np.full((rows, columns, 4), colour.getRgb(), np.uint8)
                squares[..., 3] = np.rint(255 * found)
                image = QImage(squares.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
                painter.drawImage(box.place_of(0, 0).united(box.place_of(last - 1, end - 1)).translated(at), image)
                continue
            for row, column in zip(*found.nonzero(), strict=True):
                cell = box.place_of(part[0].start + int(row), part[1].start + int(column))
                if not cell.isEmpty():
                    colour.setAlphaF(float(found[row, column]))
                    painter.fillRect(cell.translated(at), colour)
