"""The editor that a cell opens, and the cell's tooltip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from explorer.ui.matrix.model import ModelIndex

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView

Key, Modifier = Qt.Key, Qt.KeyboardModifier
CLOSER = 12  # pixels of the sixteen that Qt leaves between a place and its tooltip


class CellEditor(QStyledItemDelegate):
    """Opens the editor of a cell; `painter` paints the cells."""

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view = view

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: ModelIndex
    ) -> bool:
        """The tooltip below the matrix: the numbers that one looks at stay in sight."""
        if event.type() != QEvent.Type.ToolTip or not index.isValid():
            return bool(super().helpEvent(event, view, option, index))
        rect: QRect = option.rect
        corner = view.viewport().mapToGlobal(QPoint(rect.left(), view.viewport().height() - CLOSER))
        QToolTip.showText(corner, index.data(Qt.ItemDataRole.ToolTipRole), view.viewport(), option.rect)
        return True

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: ModelIndex) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        editor.setFont(self._view.figures.number)
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
