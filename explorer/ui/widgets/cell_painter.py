"""How a cell is painted, and the editor it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QEvent, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from explorer.ui.colour import qcolor
from explorer.ui.widgets.matrix_model import SHARES, SIGNED, ModelIndex

if TYPE_CHECKING:
    from explorer.ui.widgets.matrix_view import MatrixView

ROUND = 3
PIN = 8  # pixels of the corner that marks a pinned cell and lets it go


class CellPainter(QStyledItemDelegate):
    """Paints a cell and opens its editor.

    The stock delegate takes six times as long, most of it in asking the style for what is the same in each cell.
    """

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        view = self._view
        model, theme = view.matrix, view.bench.appearance.theme
        row, column = index.row(), index.column()
        value = view.array[row, column]
        rect: QRect = option.rect.adjusted(1, 1, -1, -1)
        pointed, read, fed = view.marks(row, column)

        if model.editable and model.showing == "values":
            ground, edge, ink = theme.cell_editable_bg, theme.cell_editable_border, theme.cell_editable_text
        else:
            ground, edge, ink = theme.cell_computed_bg, theme.cell_computed_border, theme.cell_computed_text
        ground_color, ink_color = qcolor(ground), qcolor(ink)
        if value != value:
            ground_color, ink_color, edge = qcolor(theme.error_soft), qcolor(theme.error), theme.error
        elif model.shown_as == SHARES:
            i = int(min(max(value, 0.0), 1.0) * 255)
            ground_color, ink_color = theme.sequential_ramp.colors[i], theme.sequential_ramp.text[i]
        elif model.shown_as == SIGNED and np.isfinite(value):
            i = int((min(max(value / (model.limit or 1.0), -1.0), 1.0) + 1) * 127.5)
            ground_color, ink_color = theme.diverging_ramp.colors[i], theme.diverging_ramp.text[i]

        painter.setPen(QPen(qcolor(edge), 1))
        painter.setBrush(ground_color)
        painter.drawRoundedRect(rect, ROUND, ROUND)
        if value == -np.inf:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QBrush(qcolor(theme.hatch), Qt.BrushStyle.BDiagPattern))
            painter.drawRoundedRect(rect, ROUND, ROUND)
        if pointed or read:
            painter.setPen(QPen(qcolor(theme.here if pointed else theme.here_line), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), ROUND, ROUND)
        if fed:
            painter.fillRect(rect.left() + 4, rect.bottom() - 3, rect.width() - 8, 2, qcolor(theme.here_line))
        if model.pinned(row, column):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.accent_line))
            corner = rect.topLeft()
            painter.drawPolygon([corner, corner + QPoint(PIN, 0), corner + QPoint(0, PIN)])
        painter.setPen(ink_color)
        painter.setFont(view.bold if pointed else view.bench.appearance.fonts.number)
        painter.drawText(
            rect.adjusted(0, 0, -view.padding, 0),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            model.text(row, column),
        )
        selected = option.state & QStyle.StateFlag.State_Selected and len(view.selectedIndexes()) > 1
        if selected:
            shade = QColor(theme.focus)
            shade.setAlpha(40)
            painter.fillRect(rect, shade)
        if view.hasFocus() and view.currentIndex() == index:
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), ROUND, ROUND)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: ModelIndex
    ) -> bool:
        """The tooltip below and to the right of its cell, so that the cell's row and column stay in sight."""
        if event.type() != QEvent.Type.ToolTip or not index.isValid():
            return bool(super().helpEvent(event, view, option, index))
        corner = view.viewport().mapToGlobal(option.rect.bottomRight())
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
        if self._view.matrix.fits and editor.text() != index.data(Qt.ItemDataRole.EditRole):
            self._view.editing.enter(index.row(), index.column(), editor.text())
