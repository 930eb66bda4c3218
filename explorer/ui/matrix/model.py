"""A matrix as a table model of Qt: it passes every question on to the matrix."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from explorer.core.numbers import exact
from explorer.pages.matrix import Matrix
from explorer.pages.view import Cell
from explorer.ui.workbench import Workbench

ModelIndex = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
PLAYED = "This number comes when its derivation has been played."


class MatrixModel(QAbstractTableModel):
    """The table of one matrix.

    `bench`: its view is asked for the tooltips of cells.
    """

    def __init__(self, bench: Workbench, matrix: Matrix) -> None:
        super().__init__()
        self._bench = bench
        self.matrix = matrix

    def tell(self, matrix: Matrix) -> None:
        """Show other numbers, in as many rows and columns."""
        self.matrix = matrix
        rows, columns = matrix.array.shape
        # Not `index`, which asks how many rows and columns there are.
        self.dataChanged.emit(self.createIndex(0, 0), self.createIndex(rows - 1, columns - 1))

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.matrix.rows)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.matrix.columns)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        labels = self.matrix.columns if orientation == Qt.Orientation.Horizontal else self.matrix.rows
        return labels[section] if section < len(labels) else None

    def data(self, index: ModelIndex, role: int = 0) -> Any:
        row, column, matrix = index.row(), index.column(), self.matrix
        selection = self._bench.selection
        played = selection.unfinished and selection.cell == Cell(matrix.place.node, matrix.index(row, column))
        if played:
            matrix = replace(matrix, covered=frozenset([(row, column)]))
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return matrix.text(row, column)
            case Qt.ItemDataRole.EditRole:
                return "" if (row, column) in matrix.covered else exact(matrix.values[row, column])
            case Qt.ItemDataRole.ToolTipRole if played:
                return PLAYED
            case Qt.ItemDataRole.ToolTipRole:
                return matrix.told(self._bench.view, row, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                return matrix.spoken(row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None
