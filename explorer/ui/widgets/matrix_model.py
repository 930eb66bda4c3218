"""A node, or a head's slice of it, as a table model. It keeps no number: every question is passed to the engine."""

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from explorer.core.derivation import only_rounding
from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.numbers import decimals_of, exact, largest_of, significant, written
from explorer.core.ops import Argmax, Array, HeadMean, Mask, RowShares, Scale, Scores, Sinusoidal, Softmax
from explorer.document.document import Document

ModelIndex = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()

SHARES, SIGNED, PLAIN = "shares", "signed", "plain"
CALM = 1.3
ROUNDING = "0, but for rounding: what it adds up cancels"
NEW = "new with the last edit: there is nothing that it changed from"
ALONE = "the model that is compared with has no matrix of this name and shape"


class MatrixModel(QAbstractTableModel):
    """The table of one node. A vector is one row, a single number one cell.

    Parameters
    ----------
    document : Document
    name : str
        Of a node or a head's slice.
    """

    def __init__(self, document: Document, name: str) -> None:
        super().__init__()
        self._document = document
        self.name = name
        self.place = Place("")
        self.coloring = PLAIN
        self.editable = False
        self.showing = "values"
        self.reference: Document | None = None
        self.last_step: Callable[[Place], Array] | None = None
        self.decimals = 2
        self.limit = 1.0
        self._nothing = ""
        self._texts: dict[tuple[int, int], str] = {}
        self._rows: tuple[str, ...] = ()
        self._columns: tuple[str, ...] = ()
        self.axes: tuple[str, str] = ("", "")
        self._names: tuple[str, ...] = ()
        self._names_axis = ""
        self.reload()

    # What it shows

    def show(self, name: str) -> None:
        """Show another node or slice."""
        self.beginResetModel()
        self.name = name
        self.reload()
        self.endResetModel()

    def reload(self) -> None:
        """Take over name, shape and labels; between `beginResetModel` and `endResetModel` when in use."""
        self.graph = graph = self._document.engine.graph
        self.place = graph.place(self.name)
        node = graph.nodes[self.place.node]
        self.editable = node.is_input
        match node.op:
            case Softmax() | RowShares() | HeadMean():
                self.coloring = SHARES
            case Scores() | Scale() | Mask() | Sinusoidal():
                self.coloring = SIGNED
            case _:
                self.coloring = PLAIN
        self._names_axis = graph.nodes[node.parents[0]].axes[-1] if isinstance(node.op, Argmax) else ""
        axes = graph.axes_of(self.place)[-2:]
        rows, columns = ("", "", *axes)[-2:]
        self.axes = (rows, columns)
        self.refresh()

    def refresh(self) -> None:
        """Follow a change of the values; the shape is the same."""
        self._texts.clear()
        engine = self._document.engine
        # Qt may paint between an edit and its news, when the engine may have a matrix of another shape already.
        self._shown = array = self.array()
        self._nothing = self._why_nothing()
        self._rows = engine.labels(self.axes[0]) if self.axes[0] else ("",)
        self._columns = engine.labels(self.axes[1]) if self.axes[1] else ("",)
        self._names = engine.labels(self._names_axis) if self._names_axis else ()
        self.decimals = decimals_of(array)
        if self.showing != "values":
            # A gradient, or a change, is small; one digit of it would say little.
            largest = largest_of(array)
            self.decimals = max(self.decimals, significant(largest, 3)) if 1e-5 < largest < 0.1 else self.decimals
        if self.shown_as == SIGNED:
            # The largest number stops short of the full colour, which is loud on a quiet page.
            self.limit = CALM * largest_of(array) or 1.0

    def tell(self) -> None:
        """Tell the views that the values are others."""
        self.refresh()
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def own(self) -> Array:
        """The values in the node's or slice's own shape."""
        return self._document.engine.value(self.place)

    def values(self) -> Array:
        """The values as rows and columns."""
        return np.atleast_2d(self.own())

    def newest(self) -> Array:
        """The values of an input as the newest act has them, which a large model may still be computing with."""
        array = self._document.wanted.inputs.get(self.place.node) if self.editable else None
        fits = array is not None and array.shape == self._document.engine.values[self.place.node].shape
        return np.atleast_2d(array[self.place.index]) if array is not None and fits else self.values()

    def array(self) -> Array:
        """What is shown, as rows and columns: values, what the last edit or step changed, gradient, or difference."""
        match self.showing:
            case "change":
                return np.atleast_2d(self._document.difference(self.place))
            case "step" if self.last_step is not None:
                return np.atleast_2d(self.last_step(self.place))
            case "gradient":
                return np.atleast_2d(self._gradient())
            case "difference":
                return np.atleast_2d(self._apart())
            case _:
                return self.values()

    def _gradient(self) -> Array:
        """How the loss changes with each of these numbers; 0 where it does not, or where there is no loss."""
        engine = self._document.engine
        gradient = engine.gradient(self.place) if LOSS.node in engine.graph.nodes else None
        return np.zeros(self.own().shape) if gradient is None else gradient

    def _why_nothing(self) -> str:
        """Why there is no change or difference to show, where there is nothing to compare with."""
        if self.showing == "change" and self._document.is_new(self.place.node):
            return NEW
        return ALONE if self.showing == "difference" and self._beside() is None else ""

    def _beside(self) -> Array | None:
        """The values of the same name in the reference, if it has them in the same shape."""
        if self.reference is None or self.place.node not in self.reference.engine.graph.nodes:
            return None
        heads = self.reference.engine.graph.n_heads(self.place.node)
        if self.place.head is not None and (heads is None or self.place.head >= heads):
            return None
        other = self.reference.engine.value(self.place)
        return other if other.shape == self.own().shape else None

    def _apart(self) -> Array:
        """These values minus those of the same name in the reference; 0 where that has none of the same shape."""
        own, other = self.own(), self._beside()
        if other is None:
            return np.zeros(own.shape)
        with np.errstate(invalid="ignore"):
            apart: Array = np.where(own == other, 0.0, own - other)
        return apart

    def cell(self, row: int, column: int) -> tuple[int, ...]:
        """The index in the node's or slice's own shape."""
        return ((), (column,), (row, column))[sum(map(bool, self.axes))]

    def text(self, row: int, column: int) -> str:
        """The number as it is written in the table."""
        text = self._texts.get((row, column))
        if text is None:
            value = self._shown[row, column].item()
            if self._nothing:
                text = "–"
            elif self.showing != "values":
                sign = "+" if value > 0 else ""
                text = f"{sign}{written(value, self.decimals)}" if value else "·"
            else:
                # The column of the largest number is the name of that column to a reader.
                text = self._names[value] if self._names else written(value, self.decimals)
            self._texts[row, column] = text
        return text

    def texts(self, at_most: int) -> list[str]:
        """The numbers as they are written; of a large matrix the largest, the smallest and some of the first."""
        array = self._shown
        if array.size <= at_most:
            return [self.text(r, c) for r in range(array.shape[0]) for c in range(array.shape[1])]
        places = {int(array.argmax()), int(array.argmin()), *range(at_most)}
        return [self.text(*divmod(place, array.shape[1])) for place in places]

    @property
    def shown_as(self) -> str:
        """How the cells are coloured: a change is signed whatever it is a change of."""
        return self.coloring if self.showing == "values" else SIGNED

    def pinned(self, row: int, column: int) -> bool:
        """Whether the cell is held at a value typed by hand."""
        pin = self._document.engine.pins.get(self.place.node)
        if pin is None:
            return False
        index = self.place.index + self.cell(row, column)
        return all(i < n for i, n in zip(index, pin.cells.shape, strict=True)) and bool(pin.cells[index])

    def label(self, row: int, column: int) -> str:
        """Both labels of a cell, for words."""
        return " → ".join(filter(None, (self._rows[row], self._columns[column])))

    # Qt's questions

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        labels = self._columns if orientation == Qt.Orientation.Horizontal else self._rows
        return labels[section] if section < len(labels) else None

    @property
    def fits(self) -> bool:
        """Whether it shows the present graph: out of sight, or before it has been told, it may be another."""
        return self.graph is self._document.engine.graph

    def data(self, index: ModelIndex, role: int = 0) -> Any:
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(row, column)
            case Qt.ItemDataRole.EditRole:
                return exact(self.values()[row, column]) if self.fits else self.text(row, column)
            case Qt.ItemDataRole.ToolTipRole:
                return self._told(row, column) if self.fits else self.text(row, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self.label(row, column)}: {self.text(row, column)}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def _told(self, row: int, column: int) -> str:
        """The number in full, and before the last edit, where that changed it."""
        now = exact(self.values()[row, column])
        if self._nothing:
            return f"{now}\n{self._nothing}"
        change = np.atleast_2d(self._document.difference(self.place))[row, column]
        if only_rounding(self._document.engine, self.place.node, self.place.index + self.cell(row, column)):
            now = f"{now}\n{ROUNDING}"
        return f"{now}\nchanged by {exact(change)}" if change else now
