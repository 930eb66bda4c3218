"""Rows of words, numbers and bars, for a listing."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from explorer.ui.selection import Cell

ModelIndex = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()

WORDS, NUMBER, BAR, HEAT = "words", "number", "bar", "heat"
LONGEST = 24
"""Letters of a label or a title."""
_SIDES = {NUMBER: Qt.AlignmentFlag.AlignRight, HEAT: Qt.AlignmentFlag.AlignHCenter}


@dataclass(frozen=True)
class Column:
    """A column of a listing.

    Parameters
    ----------
    title : str
    kind : str
        `WORDS` (left-aligned), `NUMBER` (right-aligned figures), `BAR`, or `HEAT` (figures on the colour of a number
        between -1 and 1).
    width : int
        Of a bar, in pixels at text scale 1.
    """

    title: str
    kind: str = WORDS
    width: int = 160


class Rows(QAbstractTableModel):
    """What a listing shows. It keeps no number: subclasses read the engine in `read` and hold what they read.

    A row may stand out: `here` says which (the chosen word), `strong` which are bold (a sum), `off` which are hatched
    and pale (a unit that is switched off).
    """

    columns: tuple[Column, ...] = ()
    name = "List"
    labels: tuple[str, ...] = ()
    """What stands before each row and stays in sight; () for a list without."""

    def read(self) -> None:
        """Take over what the engine holds now."""

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError(type(self).__name__)

    def text(self, row: int, column: int) -> str:
        """What stands in a cell; of a bar, the words that say the same."""
        raise NotImplementedError(type(self).__name__)

    def value(self, row: int, column: int) -> float:
        """The number that a bar or a colour shows."""
        return 0.0

    def reach(self, column: int) -> tuple[float, float]:
        """The numbers at the two ends of a bar column; 0 lies between them or at one of them."""
        return 0.0, 1.0

    def here(self, row: int) -> bool:
        """Whether it is the row that it is about."""
        return False

    def strong(self, row: int) -> bool:
        """Whether it is a sum or a heading."""
        return False

    def off(self, row: int, column: int) -> bool:
        """Whether a bar is hatched."""
        return False

    def muted(self, row: int, column: int) -> bool:
        """Whether the words stand back."""
        return False

    def link(self, row: int, column: int) -> bool:
        """Whether a click leads somewhere."""
        return False

    def cell(self, row: int) -> Cell | None:
        """The cell of a node that the row is about."""
        return None

    def editable(self, row: int, column: int) -> bool:
        """Whether a person may change what stands there."""
        return False

    # Qt's questions

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else self.count()

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self.editable(index.row(), index.column()) else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        down = orientation == Qt.Orientation.Vertical
        texts = self.labels if down else [column.title for column in self.columns]
        if section >= len(texts):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return texts[section] if len(texts[section]) <= LONGEST else texts[section][: LONGEST - 1] + "…"
            case Qt.ItemDataRole.ToolTipRole if len(texts[section]) > LONGEST:
                return texts[section]
            case Qt.ItemDataRole.TextAlignmentRole:
                kind = NUMBER if down else self.columns[section].kind
                return _SIDES.get(kind, Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def data(self, index: ModelIndex, role: int = 0) -> Any:
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return self.text(row, column)
            case Qt.ItemDataRole.ToolTipRole:
                return self.tip(row, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                label = self.labels[row] if self.labels else ""
                return f"{label} {self.columns[column].title} {self.text(row, column)}".strip()
            case _:
                return None

    def tip(self, row: int, column: int) -> str:
        """What a tooltip says."""
        return self.text(row, column)
