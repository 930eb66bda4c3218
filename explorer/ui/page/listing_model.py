"""A listing as a table model of Qt, and the titles of its columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from explorer.pages.page import HEAT, NUMBER, Line, Lines, Listing
from explorer.ui.theme import qcolor
from explorer.ui.widgets.names import broken, draw_named, set_names, wide
from explorer.ui.workbench import Workbench

ModelIndex = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
LONGEST = 24  # letters of a label, or of a word of a title
SIDES = {NUMBER: Qt.AlignmentFlag.AlignRight, HEAT: Qt.AlignmentFlag.AlignHCenter}


@dataclass(frozen=True, eq=False)
class PartOfLines(Lines):
    """Some columns of the lines of a listing.

    `shown`: how many of the lines.
    """

    lines: Sequence[Line]
    columns: tuple[int, ...]
    shown: int

    def __len__(self) -> int:
        return self.shown

    def line(self, row: int) -> Line:
        line = self.lines[row]
        return replace(line, entries=tuple(line.entries[column] for column in self.columns))


# Python adds up flags of Qt slowly, and they are asked for with each cell that is painted.
READ = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
CHANGED = READ | Qt.ItemFlag.ItemIsEditable


class ListingModel(QAbstractTableModel):
    """A listing as a table model of Qt. A line is made when it is first asked for, and kept."""

    def __init__(self, listing: Listing) -> None:
        super().__init__()
        self.listing = listing
        self._lines: dict[int, Line] = {}

    def tell(self, listing: Listing) -> None:
        """Pass on another listing."""
        sizes = [(len(one.lines), len(one.columns)) for one in (self.listing, listing)]
        if sizes[0] != sizes[1]:
            self.beginResetModel()
        self.listing, self._lines = listing, {}
        if sizes[0] != sizes[1]:
            self.endResetModel()
        elif listing.lines:
            last = self.index(len(listing.lines) - 1, len(listing.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(listing.columns) - 1)

    def line(self, row: int) -> Line:
        """A line of the listing."""
        line = self._lines.get(row)
        if line is None:
            line = self._lines[row] = self.listing.lines[row]
        return line

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.listing.lines)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.listing.columns)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        return READ if self.line(index.row()).entries[index.column()].choose is None else CHANGED

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        down, columns = orientation == Qt.Orientation.Vertical, self.listing.columns
        texts = self.listing.labels if down else [column.title for column in columns]
        if section >= len(texts):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cut_label(texts[section]) if down else title_of(texts[section])
            case Qt.ItemDataRole.ToolTipRole if len(texts[section]) > LONGEST:
                return texts[section]
            case Qt.ItemDataRole.TextAlignmentRole:
                side = SIDES.get(NUMBER if down else columns[section].kind, Qt.AlignmentFlag.AlignLeft)
                wrap = 0 if down else Qt.TextFlag.TextWordWrap.value
                return (side | Qt.AlignmentFlag.AlignVCenter).value | wrap
            case _:
                return None

    def data(self, index: ModelIndex, role: int = 0) -> Any:
        entry = self.line(index.row()).entries[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return entry.text
            case Qt.ItemDataRole.ToolTipRole:
                return entry.tip or entry.text
            case Qt.ItemDataRole.AccessibleTextRole:
                label = self.listing.labels[index.row()] if self.listing.labels else ""
                return f"{label} {self.listing.columns[index.column()].title} {entry.text}".strip()
            case _:
                return None


class Titles(QHeaderView):
    """The titles of columns; names in them are set."""

    def __init__(self, bench: Workbench, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._bench = bench

    def sizeHint(self) -> QSize:
        """As high as it is: Qt would ask for all titles each time that something on the list has another size."""
        return QSize(0, self.minimumHeight())

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        title = str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")
        if set_names(title) == title:
            super().paintSection(painter, rect, section)
            return
        appearance = self._bench.appearance
        painter.setFont(appearance.fonts.small)
        painter.setPen(qcolor(appearance.theme.muted))
        place = self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        inside = rect.adjusted(appearance.px(4), 0, -appearance.px(4), 0)
        lines = broken(title, inside.width(), partial(wide, painter.font()))
        high = painter.fontMetrics().height()
        for i, line in enumerate(lines):
            draw_named(painter, inside.translated(0, (2 * i + 1 - len(lines)) * high // 2), place, line)


def cut_label(text: str) -> str:
    """A label, or a word of a title, with an ellipsis where it is too long."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def title_of(title: str) -> str:
    """The title of a column: it goes on in the next line, so only a word that is too long by itself is cut."""
    return " ".join(map(cut_label, title.split(" ")))
