"""A list of rows with words, numbers and bars; of 50,000 rows only those in sight are painted."""

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QSizePolicy, QWidget

from explorer.ui.selection import Cell
from explorer.ui.widgets.fitted_table import FittedTable
from explorer.ui.widgets.row_painter import RowPainter
from explorer.ui.widgets.rows import BAR, HEAT, WORDS, ModelIndex, Rows
from explorer.ui.workbench import Workbench

ROW_HEIGHT, PADDING, MOST_TEXT = 26, 5, 260
LEAST_WIDTH = 300
MEASURED = 200  # rows that the width of all is taken from


class Listing(FittedTable):
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
        self._shape = rows.rowCount(), len(rows.columns)
        self.setModel(rows)
        self.setItemDelegate(RowPainter(self))
        self.setAccessibleName(rows.name)
        for header in (self.verticalHeader(), self.horizontalHeader()):
            header.setSectionsClickable(False)
            header.setHighlightSections(False)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(8)
        self.setCornerButtonEnabled(False)
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
        before, count = self._shape, self.rows.rowCount()
        self.rows.read()
        self._shape = count, width = self.rows.rowCount(), len(self.rows.columns)
        if self._shape != before:
            self.rows.beginResetModel()
            self.rows.endResetModel()
        elif count:
            self.rows.dataChanged.emit(self.rows.index(0, 0), self.rows.index(count - 1, width - 1))
        self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, width - 1)
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
        header, side = self.horizontalHeader(), self.verticalHeader()
        header.setVisible(any(column.title for column in self.rows.columns))
        side.setVisible(bool(self.rows.labels))
        header_metrics = QFontMetrics(_weighed(self.bench.appearance.fonts.small, True))
        labels = (str(self.rows.headerData(i, Qt.Orientation.Vertical)) for i in range(len(self.rows.labels)))
        width = max((header_metrics.horizontalAdvance(label) + px(14) for label in labels), default=0)
        side.setFixedWidth(width)
        heat, heats = 0, [i for i, column in enumerate(self.rows.columns) if column.kind == HEAT]
        for i, column in enumerate(self.rows.columns):
            if column.kind == BAR:
                own = px(column.width)
            elif column.kind == HEAT and heat:
                own = heat  # the cells of a square are alike
            else:
                plain, bold = (QFontMetrics(self._fonts[column.kind != WORDS, weight]) for weight in (False, True))
                # A row about a cell is bold while one points at it.
                rows = self.rows
                widths = (
                    (bold if rows.strong(row) or rows.here(row) or rows.cell(row) else plain).horizontalAdvance(text)
                    for row in range(min(count, MEASURED))
                    for at in (heats if column.kind == HEAT else (i,))
                    if (text := self.rows.text(row, at))
                )
                own = heat = min(max(widths, default=0) + 2 * self.padding + 2, px(MOST_TEXT))
            title = str(self.rows.headerData(i, Qt.Orientation.Horizontal))
            own = max(own, header_metrics.horizontalAdvance(title) + px(14))
            header.resizeSection(i, own)
            width += own
        height = px(ROW_HEIGHT)
        side.setDefaultSectionSize(height)
        top = header_metrics.height() + px(8) if header.isVisibleTo(self) else 0
        header.setFixedHeight(top)
        shown = min(count, self._most)
        scrolls = count > shown
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(always if scrolls else never)
        width += scrolls * self.bar_width()
        self.setMinimumWidth(min(width, LEAST_WIDTH))
        self.set_whole(QSize(width, top + max(shown, 1) * height))

    # Looking

    def _follow(self, row: int, *columns: int) -> None:
        if any(self.rows.link(row, column) for column in columns):
            self.followed.emit(row)

    def _point(self, index: ModelIndex) -> None:
        shape = Qt.CursorShape
        leads = self.rows.link(index.row(), index.column())
        self.viewport().setCursor(shape.PointingHandCursor if leads else shape.ArrowCursor)
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
