"""A list of rows with words, numbers and bars; of 50,000 rows only those in sight are painted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from explorer.ui.colour import qcolor
from explorer.ui.selection import Cell
from explorer.ui.theme import Theme
from explorer.ui.workbench import Workbench

ModelIndex = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
ROW_HEIGHT, PADDING, MOST_TEXT = 26, 5, 260
LEAST_WIDTH = 300
MEASURED = 200  # rows that the width of all is taken from

WORDS, NUMBER, BAR = "words", "number", "bar"


@dataclass(frozen=True)
class Column:
    """A column of a listing.

    Parameters
    ----------
    title : str
    kind : str
        `WORDS` (left-aligned), `NUMBER` (right-aligned figures) or `BAR`.
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

    def read(self) -> None:
        """Take over what the engine holds now."""

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError(type(self).__name__)

    def text(self, row: int, column: int) -> str:
        """What stands in a cell; of a bar, the words that say the same."""
        raise NotImplementedError(type(self).__name__)

    def value(self, row: int, column: int) -> float:
        """The number that a bar shows."""
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
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.columns[section].title
            case Qt.ItemDataRole.TextAlignmentRole:
                right = self.columns[section].kind == NUMBER
                side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
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
                return f"{self.columns[column].title} {self.text(row, column)}".strip()
            case _:
                return None

    def tip(self, row: int, column: int) -> str:
        """What a tooltip says."""
        return self.text(row, column)


class RowPainter(QStyledItemDelegate):
    """Paints words, numbers and bars."""

    def __init__(self, view: Listing) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        view = self._view
        rows, theme = view.rows, view.bench.appearance.theme
        row, column = index.row(), index.column()
        rect: QRect = option.rect
        here, kind = rows.here(row), rows.columns[column].kind
        pointed = view.pointed is not None and rows.cell(row) == view.pointed
        if here or pointed:
            painter.fillRect(rect.adjusted(0, 1, 0, -1), qcolor(theme.here_soft))
        if kind == BAR:
            self._bar(painter, rect, row, column, here or pointed)
        else:
            self._words(painter, rect, row, column, here or pointed)
        if view.hasFocus() and view.currentIndex().row() == row:
            painter.setPen(QPen(qcolor(theme.focus), 2))
            y = rect.top() + 1, rect.bottom()
            for edge in y:
                painter.drawLine(rect.left(), edge, rect.right(), edge)

    def _words(self, painter: QPainter, rect: QRect, row: int, column: int, here: bool) -> None:
        view = self._view
        rows, theme = view.rows, view.bench.appearance.theme
        text = rows.text(row, column)
        number = rows.columns[column].kind == NUMBER
        if rows.editable(row, column):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(qcolor(theme.cell_editable_border), 1))
            painter.setBrush(qcolor(theme.cell_editable_bg))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)
            ink = theme.cell_editable_text
        elif text == "NaN":
            ink = theme.error
        elif rows.link(row, column):
            ink = theme.link
        else:
            ink = theme.here_text if here else theme.muted if rows.muted(row, column) else theme.text
        painter.setPen(qcolor(ink))
        painter.setFont(view.font_of(row, number, here))
        inner = rect.adjusted(view.padding, 0, -view.padding, 0)
        side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, side | Qt.AlignmentFlag.AlignVCenter, elided)

    def _bar(self, painter: QPainter, rect: QRect, row: int, column: int, here: bool) -> None:
        view = self._view
        rows, theme = view.rows, view.bench.appearance.theme
        low, high = rows.reach(column)
        value = rows.value(row, column)
        inner = QRectF(rect).adjusted(view.padding, 5, -view.padding, -4)
        width = inner.width() / ((high - low) or 1.0)
        zero = inner.left() - low * width
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if np.isfinite(value) and np.isfinite(width):
            value = min(max(value, low), high)
            bar = QRectF(min(zero, zero + value * width), inner.top(), abs(value) * width, inner.height())
            color = bar_color(theme, value, signed=low < 0, here=here)
            if rows.off(row, column):
                painter.setPen(QPen(qcolor(theme.muted), 1))
                painter.setBrush(QBrush(qcolor(theme.muted), Qt.BrushStyle.BDiagPattern))
                painter.drawRect(bar)
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawRoundedRect(bar.adjusted(0, 0, 1, 0) if value else bar, 2, 2)
        painter.setPen(QPen(qcolor(theme.line_strong), 1))
        painter.drawLine(round(zero), rect.top(), round(zero), rect.bottom())


def bar_color(theme: Theme, value: float, signed: bool, here: bool) -> QColor:
    """Orange where one is; else the colour map's own colour for a share, or for a positive or a negative number."""
    if here:
        return qcolor(theme.here)
    if not signed:
        return theme.sequential_ramp.colors[160]
    return theme.diverging_ramp.colors[230 if value >= 0 else 25]


class Listing(QTableView):
    """Rows on a page.

    Parameters
    ----------
    bench : Workbench
    rows : Rows
    reads : sequence of str
        The nodes whose change concerns it.
    most : int
        Rows in sight at once.

    Signals
    -------
    followed : int
        The row whose link was clicked, or that Enter was pressed in.
    """

    followed = Signal(int)

    def __init__(
        self, bench: Workbench, rows: Rows, reads: Iterable[str] = (), most: int = 12, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.bench = bench
        self.rows = rows
        rows.setParent(self)
        self._reads = set(reads)
        self._most = most
        self.pointed: Cell | None = None
        rows.read()
        self.setModel(rows)
        self.setItemDelegate(RowPainter(self))
        self.setAccessibleName(rows.name)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(8)
        header.setVisible(any(column.title for column in rows.columns))
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.entered.connect(self._point)
        self.clicked.connect(lambda index: self._follow(index.row(), index.column()))
        bench.selection.pointed.connect(self._mark)
        self.restyle()

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return self._reads

    def refresh(self) -> None:
        """Read the engine anew; the place one is at stays."""
        count = self.rows.rowCount()
        self.rows.read()
        if self.rows.rowCount() != count:
            self.rows.beginResetModel()
            self.rows.endResetModel()
        elif count:
            self.rows.dataChanged.emit(self.rows.index(0, 0), self.rows.index(count - 1, len(self.rows.columns) - 1))
        self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.rows.columns) - 1)
        self._measure()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        fonts = self.bench.appearance.fonts
        self._fonts = {
            (number, bold): _weighed(fonts.number if number else fonts.ui, bold)
            for number in (False, True)
            for bold in (False, True)
        }
        self.padding = self.bench.appearance.px(PADDING)
        self._measure()
        self.viewport().update()

    def font_of(self, row: int, number: bool, here: bool) -> QFont:
        """The font of a cell."""
        return self._fonts[number, here or self.rows.strong(row)]

    def _measure(self) -> None:
        """Make the columns as wide as their texts, and the list as high as its rows, up to a size to take in."""
        px, count = self.bench.appearance.px, self.rows.rowCount()
        header = self.horizontalHeader()
        header_metrics = QFontMetrics(_weighed(self.bench.appearance.fonts.small, True))
        width = 0
        for i, column in enumerate(self.rows.columns):
            if column.kind == BAR:
                own = px(column.width)
            else:
                plain, bold = (QFontMetrics(self._fonts[column.kind == NUMBER, weight]) for weight in (False, True))
                # A row about a cell is bold while one points at it.
                widths = (
                    (bold if self.rows.strong(row) or self.rows.cell(row) else plain).horizontalAdvance(text)
                    for row in range(min(count, MEASURED))
                    if (text := self.rows.text(row, i))
                )
                own = max(widths, default=0) + 2 * self.padding + 2
                own = min(own, px(MOST_TEXT))
            own = max(own, header_metrics.horizontalAdvance(column.title) + px(14))
            header.resizeSection(i, own)
            width += own
        height = px(ROW_HEIGHT)
        self.verticalHeader().setDefaultSectionSize(height)
        top = header_metrics.height() + px(8) if header.isVisibleTo(self) else 0
        header.setFixedHeight(top)
        shown = min(count, self._most)
        bar = self.style().pixelMetric(self.style().PixelMetric.PM_ScrollBarExtent) + 2
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(always if count > shown else never)
        self._whole = QSize(width + (bar if count > shown else 0), top + max(shown, 1) * height)
        self.setMaximumWidth(self._whole.width())
        self.setMinimumWidth(min(self._whole.width(), LEAST_WIDTH))
        self._fit()

    def sizeHint(self) -> QSize:
        return self._whole

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where the page is too narrow for all columns, the rest scrolls: leave room for the bar."""
        narrow = self.width() < self._whole.width()
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setHorizontalScrollBarPolicy(always if narrow else never)
        bar = self.style().pixelMetric(self.style().PixelMetric.PM_ScrollBarExtent) + 2
        self.setFixedHeight(self._whole.height() + (bar if narrow else 0))

    # Looking

    def _follow(self, row: int, *columns: int) -> None:
        if any(self.rows.link(row, column) for column in columns):
            self.followed.emit(row)

    def _point(self, index: ModelIndex) -> None:
        cell = self.rows.cell(index.row())
        if cell is not None:
            self.bench.selection.point(cell)

    def _mark(self, cell: Cell | None) -> None:
        if cell != self.pointed:
            self.pointed = cell
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def focusInEvent(self, event: Any) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.rows.rowCount():
            self.setCurrentIndex(self.rows.index(0, 0))
        self.viewport().update()

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def currentChanged(self, current: ModelIndex, previous: ModelIndex) -> None:
        super().currentChanged(current, previous)
        self.viewport().update()
        cell = self.rows.cell(current.row()) if current.isValid() else None
        if cell is not None and self.hasFocus():
            self.bench.selection.choose(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        entering = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid()
        if entering and self.state() != QAbstractItemView.State.EditingState:
            column = next((c for c in range(len(self.rows.columns)) if self.rows.editable(index.row(), c)), None)
            if column is not None:
                self.setCurrentIndex(self.rows.index(index.row(), column))
                self.edit(self.currentIndex())
                return
            self._follow(index.row(), *range(len(self.rows.columns)))
        super().keyPressEvent(event)


def _weighed(font: QFont, bold: bool) -> QFont:
    copy = QFont(font)
    copy.setBold(bold)
    return copy
