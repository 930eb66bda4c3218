"""A small picture of a matrix: a coloured square for each cell, and a frame around those whose numbers are in sight."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.ops import Array
from explorer.core.shapes import written_shape
from explorer.ui.colour import qcolor
from explorer.ui.matrix.painter import steps
from explorer.ui.matrix.view import MatrixView

MOST = 256
"""Squares across and down; of a larger matrix each stands for the strongest of several cells."""
LOW, WIDE = 40, 132
"""Pixels at text scale 1 that the picture takes in place of the numbers."""
HIGH = 150
"""Pixels at text scale 1 down that it takes at most above the numbers."""
SQUARE = 12
"""Pixels at text scale 1 of a cell at most."""


class SmallPicture(QWidget):
    """It stands for the numbers, which a click brings; or beside them, as a map on which one moves what is in sight.

    Parameters
    ----------
    view : MatrixView
        The numbers.

    Signals
    -------
    opened
        The numbers are asked for.
    """

    opened = Signal()

    def __init__(self, view: MatrixView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._image: QImage | None = None
        self._of: tuple[object, ...] = ()
        self._alone = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for bar in (view.horizontalScrollBar(), view.verticalScrollBar()):
            bar.valueChanged.connect(self._follow)
        view.bench.selection.pointed.connect(self._follow)

    def _follow(self, _: object) -> None:
        """Mark what is pointed at, and what is in sight."""
        self.update()

    def stand(self, alone: bool) -> None:
        """Stand for the numbers, or beside them: above those with more columns than are in sight, else at the right."""
        self._alone = alone
        view = self._view
        rows, columns = view.matrix.array.shape
        px = view.bench.appearance.px
        if alone:
            wide, high = px(WIDE), px(LOW)
        elif view.wide:
            wide, high = view.width_without_labels(), px(HIGH)
        else:
            wide, high = px(WIDE), view.height() - view.labels_height
        square = min(high / rows, wide / columns, px(SQUARE))
        least = px(8)
        size = QSize(max(round(columns * square), least), max(round(rows * square), least))
        if size != self.size() or size != self.minimumSize():
            self.setFixedSize(size)
        name = f"{self._view.matrix.name}, {written_shape(self._view.matrix.shape)}"
        said = "Click for the numbers" if alone else "Drag over it to choose the numbers in sight"
        self.setAccessibleName(f"Small picture of {name}")
        self.setToolTip(f"{name}\n{said}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if alone else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if alone else Qt.CursorShape.CrossCursor)
        self.update()

    def _picture(self) -> QImage:
        """The colours of all cells."""
        matrix, theme = self._view.matrix, self._view.bench.appearance.theme
        of = (matrix.array, matrix.colours, theme)
        if self._image is None or any(a is not b for a, b in zip(of, self._of, strict=True)):
            ramp, places = steps(matrix, theme, _strongest(matrix.array), plain=True)
            assert ramp is not None
            colours = np.ascontiguousarray(ramp.table[places])
            height, width = places.shape
            self._image = QImage(colours.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
            self._of = of
        return self._image

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, view = QPainter(self), self._view
        theme = view.bench.appearance.theme
        box = QRectF(self.rect())
        painter.drawImage(box, self._picture())
        painter.setPen(qcolor(theme.accent_line if view.matrix.editable else theme.line_strong))
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        rows, columns = view.matrix.array.shape
        across, down = box.width() / columns, box.height() / rows
        if rows * columns <= MOST:
            pointed = view.pointed_cell()
            painter.setPen(QPen(qcolor(theme.here), 2))
            for row, column in (*view.lit_cells(range(rows), range(columns))[0], *([pointed] if pointed else [])):
                painter.drawRect(QRectF(column * across, row * down, across, down).adjusted(1, 1, -1, -1))
        if not self._alone:
            painter.setPen(QPen(qcolor(theme.here), 2))
            painter.drawRect(self._in_sight().adjusted(1, 1, -1, -1))
        if self.hasFocus():
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))

    def _in_sight(self) -> QRectF:
        """Where on the picture the cells are whose numbers are in sight."""
        view, (rows, columns) = self._view, self._view.matrix.array.shape
        wide, high = columns * view.columnWidth(0), rows * view.rowHeight(0)
        left, top = view.horizontalScrollBar().value(), view.verticalScrollBar().value()
        sight = view.viewport().size()
        parts = left / wide, top / high, min(sight.width() / wide, 1.0), min(sight.height() / high, 1.0)
        size = self.size()
        x, y, width, height = (part * of for part, of in zip(parts, (size.width(), size.height()) * 2, strict=True))
        # Of a very large matrix it would be less than one can see.
        return QRectF(min(x, size.width() - 7), min(y, size.height() - 7), max(width, 7), max(height, 7))

    def _look_at(self, at: QPointF) -> None:
        """Let the numbers in sight be those around a place."""
        view, (rows, columns) = self._view, self._view.matrix.array.shape
        sight = view.viewport().size()
        for bar, part, whole, seen in (
            (view.horizontalScrollBar(), at.x() / self.width(), columns * view.columnWidth(0), sight.width()),
            (view.verticalScrollBar(), at.y() / self.height(), rows * view.rowHeight(0), sight.height()),
        ):
            bar.setValue(round(part * whole - seen / 2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._alone:
            self.opened.emit()
        else:
            self._look_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._alone:
            self._look_at(event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.opened.emit()
        else:
            super().keyPressEvent(event)


def _strongest(array: Array) -> Array:
    """A matrix of at most `MOST` rows and columns: of cells that share a square, that which is farthest from 0."""
    for axis in (0, 1):
        n = array.shape[axis]
        if n > MOST:
            starts = np.linspace(0, n, MOST, endpoint=False).astype(int)
            high, low = np.maximum.reduceat(array, starts, axis), np.minimum.reduceat(array, starts, axis)
            array = np.where(high >= -low, high, low)
    return array
