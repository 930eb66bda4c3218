"""Dragging selected numbers of a computed matrix onto another one, of another document too: there they are pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QDrag, QDropEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView


class Lifting:
    """What is taken up from one view, and laid down on it."""

    def __init__(self, view: MatrixView) -> None:
        self._view = view
        self._from: QPoint | None = None
        view.setAcceptDrops(True)

    def pressed(self, event: QMouseEvent) -> bool:
        """Whether selected numbers of a computed matrix were pressed, which may become a drag: they stay selected."""
        view, at = self._view, event.position().toPoint()
        index = view.indexAt(at)
        if view.matrix.editable or event.button() != Qt.MouseButton.LeftButton or event.modifiers():
            return False
        rows, columns = view.editing.ranges.selected()
        self._from = at if index.row() in rows and index.column() in columns and index.isValid() else None
        return self._from is not None

    def moved(self, event: QMouseEvent) -> bool:
        """Whether numbers are being taken along."""
        if self._from is None:
            return False
        if (event.position().toPoint() - self._from).manhattanLength() >= QApplication.startDragDistance():
            self._from = None
            drag = QDrag(self._view)
            drag.setMimeData(self.taken())
            drag.exec(Qt.DropAction.CopyAction)
        return True

    def released(self) -> None:
        """A press that was no drag is a click on a cell."""
        if self._from is not None:
            index, self._from = self._view.indexAt(self._from), None
            self._view.clearSelection()
            self._view.setCurrentIndex(index)

    def taken(self) -> QMimeData:
        """The selected numbers as they travel."""
        data = QMimeData()
        data.setText(self._view.editing.ranges.text())
        return data

    def offered(self, event: QDropEvent) -> None:
        """Numbers are held over the view: say whether they can be laid down there."""
        if event.mimeData().hasText() and self._view.indexAt(event.position().toPoint()).isValid():
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
        else:
            event.ignore()

    def dropped(self, event: QDropEvent) -> None:
        """Lay numbers down from the cell under the mouse on."""
        index = self._view.indexAt(event.position().toPoint())
        if not index.isValid() or not event.mimeData().hasText():
            event.ignore()
            return
        self._view.clearSelection()
        self._view.setCurrentIndex(index)
        self._view.editing.ranges.put(event.mimeData().text())
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
