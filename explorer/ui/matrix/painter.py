"""How a cell is painted, and the editor it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from explorer.pages.matrix import SHARES, SIGNED
from explorer.ui.colour import qcolor
from explorer.ui.matrix.model import ModelIndex

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView

Key, Modifier = Qt.Key, Qt.KeyboardModifier
PALE = 24  # steps of a colour map from the page's own colour: nearer to it a cell has an outline
NEAR = 4  # rows between a cell and the end of its matrix, below which its tooltip then stands
CLOSER = 12  # pixels of the sixteen that Qt leaves between a place and its tooltip
PIN = 8  # pixels of the corner that marks a pinned cell and lets it go


class CellPainter(QStyledItemDelegate):
    """Paints a cell and opens its editor.

    The stock delegate takes six times as long, most of it in asking the style for what is the same in each cell. Square
    corners are exact at every scale, and a filled rectangle takes half as long as a rounded one.
    """

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        view = self._view
        matrix, theme = view.matrix, view.bench.appearance.theme
        row, column = index.row(), index.column()
        value = matrix.array[row, column]
        rect: QRect = option.rect.adjusted(1, 1, -1, -1)
        pointed, read, fed = view.marks(row, column)

        if matrix.editable and matrix.showing == "values":
            ground, edge, ink = theme.cell_editable_bg, theme.cell_editable_border, theme.cell_editable_text
        else:
            ground, edge, ink = theme.cell_computed_bg, theme.cell_computed_border, theme.cell_computed_text
        ground_color, ink_color = qcolor(ground), qcolor(ink)
        if value != value:
            ground_color, ink_color, edge = qcolor(theme.error_soft), qcolor(theme.error), theme.error
        elif matrix.colours == SHARES:
            i = int(min(max(value, 0.0), 1.0) * 255)
            ground_color, ink_color = theme.sequential_ramp.colors[i], theme.sequential_ramp.text[i]
            edge = "" if i > PALE else edge
        elif matrix.colours == SIGNED and np.isfinite(value):
            i = int((min(max(value / (matrix.limit), -1.0), 1.0) + 1) * 127.5)
            ground_color, ink_color = theme.diverging_ramp.colors[i], theme.diverging_ramp.text[i]
            edge = "" if abs(i - 127.5) > PALE else edge

        if edge:
            painter.fillRect(rect, qcolor(edge))
            painter.fillRect(rect.adjusted(1, 1, -1, -1), ground_color)
        else:
            painter.fillRect(rect, ground_color)
        if value == -np.inf:
            painter.fillRect(rect, QBrush(qcolor(theme.hatch), Qt.BrushStyle.BDiagPattern))
        if pointed or read:
            self._frame(painter, rect, theme.here if pointed else theme.here_line)
        if view.hasFocus() and view.currentIndex() == index:
            self._frame(painter, option.rect, theme.focus)  # around the other
        if fed:
            painter.fillRect(rect.left() + 4, rect.bottom() - 3, rect.width() - 8, 2, qcolor(theme.here_line))
        if matrix.pinned(row, column):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.accent_line))
            corner = rect.topLeft()
            painter.drawPolygon([corner, corner + QPoint(PIN, 0), corner + QPoint(0, PIN)])
        painter.setPen(ink_color)
        painter.setFont(view.bold if pointed else view.bench.appearance.fonts.number)
        painter.drawText(
            rect.adjusted(0, 0, -view.padding, 0),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            matrix.text(row, column),
        )
        if option.state & QStyle.StateFlag.State_Selected and view.editing.ranges.several:
            shade = QColor(theme.focus)
            shade.setAlpha(40)
            painter.fillRect(rect, shade)

    @staticmethod
    def _frame(painter: QPainter, rect: QRect, color: str) -> None:
        """Two pixels around a cell, within it."""
        painter.setPen(QPen(qcolor(color), 2, j=Qt.PenJoinStyle.MiterJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: ModelIndex
    ) -> bool:
        """The tooltip below and to the right of its cell, or below the matrix: what one looks at stays in sight."""
        if event.type() != QEvent.Type.ToolTip or not index.isValid():
            return bool(super().helpEvent(event, view, option, index))
        rect: QRect = option.rect
        end = view.viewport().height() - 1
        below = end if end - rect.bottom() <= NEAR * rect.height() else rect.bottom()
        corner = view.viewport().mapToGlobal(QPoint(rect.right(), below - CLOSER))
        QToolTip.showText(corner, index.data(Qt.ItemDataRole.ToolTipRole), view.viewport(), option.rect)
        return True

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: ModelIndex) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        editor.setFont(self._view.bench.appearance.fonts.number)
        editor.setAccessibleName(f"{self._view.matrix.name} {self._view.matrix.label(index.row(), index.column())}")
        return editor

    def setEditorData(self, editor: QWidget, index: ModelIndex) -> None:
        assert isinstance(editor, QLineEdit)
        editor.setText(index.data(Qt.ItemDataRole.EditRole))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: ModelIndex) -> None:
        assert isinstance(editor, QLineEdit)
        self._view.editing.enter(index, editor.text())

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Enter and Tab take what is typed and go on, as in a spreadsheet; what is no number stays to be mended."""
        if not (
            isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and isinstance(editor, QLineEdit)
        ):
            return super().eventFilter(editor, event)
        key, modifiers, view = event.key(), event.modifiers(), self._view
        if key not in (Key.Key_Return, Key.Key_Enter, Key.Key_Tab, Key.Key_Backtab):
            return super().eventFilter(editor, event)
        everywhere = bool(modifiers & Modifier.ControlModifier)
        if view.editing.enter(view.currentIndex(), editor.text(), everywhere):
            self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.RevertModelCache)
            if key in (Key.Key_Tab, Key.Key_Backtab):
                view.editing.step(-1 if key == Key.Key_Backtab else 1)
            elif not everywhere:
                view.editing.go_down(-1 if modifiers & Modifier.ShiftModifier else 1)
        return True
