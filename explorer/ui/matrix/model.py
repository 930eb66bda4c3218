"""A matrix as a table model of Qt, and how its cells and its labels are painted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, repeat
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHeaderView, QToolTip

from explorer.core.numbers import exact, written
from explorer.core.ops import Array
from explorer.pages.matrix import COVERED, SHARES, SIGNED, Matrix
from explorer.ui.theme import Ramp, Theme, qcolor, shares_of
from explorer.ui.widgets.labels import as_tip
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView

ModelIndex = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
Flag = Qt.ItemFlag
FLAGS = Flag.ItemIsEnabled | Flag.ItemIsSelectable | Flag.ItemIsEditable | Flag.ItemIsDragEnabled
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
        return FLAGS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        labels = self.matrix.columns if orientation == Qt.Orientation.Horizontal else self.matrix.rows
        return labels[section] if section < len(labels) else None

    def data(self, index: ModelIndex, role: int = 0) -> Any:
        row, column, matrix = index.row(), index.column(), self.matrix
        selection = self._bench.selection
        played = selection.unfinished and selection.cell == matrix.cell_at(row, column)
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
                return RIGHT
            case _:
                return None


ABOVE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
UPWARDS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Labels(QHeaderView):
    """Row or column labels, painted plainly; the token that is looked at stands out."""

    def __init__(self, orientation: Qt.Orientation, view: MatrixView) -> None:
        super().__init__(orientation, view)
        self._view, self._across = view, orientation == Qt.Orientation.Horizontal
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(8)
        self.setSectionsClickable(True)  # a click selects the row or column
        self.setMouseTracking(True)

    @property
    def _labels(self) -> Sequence[str]:
        return self._view.matrix.columns if self._across else self._view.matrix.rows

    def sizeHint(self) -> QSize:
        """The size that the view has set; Qt would ask for two hundred labels again and again while a page is built."""
        return self.minimumSize()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible labels here: Qt would ask the style for each."""
        view, horizontal, labels = self._view, self._across, self._labels
        if not (horizontal or view.form.labelled):
            return  # only the room is needed: a matrix above has the labels
        theme, px = view.bench.appearance.theme, view.px
        area = event.rect()
        first, last = (
            self.visualIndexAt(at)
            for at in ((area.left(), area.right()) if horizontal else (area.top(), area.bottom()))
        )
        first, last = max(first, 0), last if last >= 0 else len(labels) - 1
        size, thick = self.defaultSectionSize(), px(3)
        painter = QPainter(self.viewport())
        metrics = QFontMetrics(view.letters.bold_small)
        painter.setFont(view.letters.small)
        painter.setPen(qcolor(theme.muted))
        for section in range(first, last + 1):
            at = self.sectionViewportPosition(section)
            if horizontal:
                rect, where = QRect(at, 0, size, self.height() - 3), ABOVE
            else:
                rect, where = QRect(0, at, self.width() - px(8), size), RIGHT
            band = view.band(int(horizontal), section)
            if band is not None:
                ink, hollow = theme.head(band)
                if horizontal:
                    line = QRect(rect.left() + 1, rect.bottom() - 1, rect.width() - 2, thick)
                else:
                    line = QRect(rect.right() + thick, rect.top() + 1, thick, rect.height() - 2)
                painter.fillRect(line, qcolor(ink))
                if hollow:
                    painter.fillRect(line.adjusted(1, 1, -1, -1), qcolor(theme.page))
            upright = horizontal and view.letters.upright
            if upright:
                painter.save()
                painter.translate(at, self.height() - 4)
                painter.rotate(-90)
                rect, where = QRect(0, 0, self.height() - 4, size), UPWARDS
            text = metrics.elidedText(labels[section], Qt.TextElideMode.ElideRight, rect.width())
            if view.lit(int(horizontal), section):
                painter.setFont(view.letters.bold_small)
                painter.setPen(qcolor(theme.here_text))
                painter.drawText(rect, where, text)
                painter.setFont(view.letters.small)
                painter.setPen(qcolor(theme.muted))
            else:
                painter.drawText(rect, where, text)
            if upright:
                painter.restore()
        painter.end()

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the full text of a cut label below the matrix, not over its numbers."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            section, labels = self.logicalIndexAt(event.pos()), self._labels
            if 0 <= section < len(labels) and self._is_cut(section, labels[section]):
                port = self._view.viewport()
                QToolTip.showText(port.mapToGlobal(QPoint(0, port.height() - 12)), as_tip(labels[section]), port)
            return True
        return bool(super().viewportEvent(event))

    def _is_cut(self, section: int, label: str) -> bool:
        room = self.width() - self._view.px(8)
        if self._across:
            room = self.height() - 4 if self._view.letters.upright else self.sectionSize(section)
        return QFontMetrics(self._view.letters.bold_small).horizontalAdvance(label) > room

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._view.point_at_label(int(self._across), self.logicalIndexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._view.bench.selection.set_token(None)


PALE = 24  # steps on a colour map: a cell that is so near to the page's own colour gets an outline
PIN = 8  # pixels of the corner that marks a pinned cell and lets it go
MIDDLE = 127.5
Paint = tuple[QColor, QColor, QColor | None]
"""Colours of a cell: ground, ink and edge."""
MASKED = written(-np.inf, 0)


def paint_cells(view: MatrixView, painter: QPainter, rows: range, columns: range) -> None:
    """Paint the cells in some rows and columns.

    All in one pass: with a delegate of Qt each cell takes six times as long, most of it to ask for what is the same for
    all. Square corners are exact at every scale, and a filled rectangle takes half as long as a rounded one.
    """
    matrix, figures = view.matrix, view.figures
    plain = figures.number
    height, width = view.rowHeight(0) - 2, view.columnWidth(0) - 2
    tops = [view.rowViewportPosition(row) + 1 for row in rows]
    lefts = [view.columnViewportPosition(column) + 1 for column in columns]
    pointed, right, aligned = view.pointed, view.right_of("0"), matrix.aligned
    theme = view.bench.appearance.theme
    paints, hatch = _paints(matrix, theme, rows, columns), QBrush(qcolor(theme.hatch), Qt.BrushStyle.BDiagPattern)
    texts = iter(matrix.texts(rows, columns))
    painter.setFont(plain)
    pen = None
    for i, row in enumerate(rows):
        top = tops[i]
        for j, column in enumerate(columns):
            left, (ground, ink, edge) = lefts[j], next(paints)
            if edge is None:
                painter.fillRect(left, top, width, height, ground)
            else:
                painter.fillRect(left, top, width, height, edge)
                painter.fillRect(left + 1, top + 1, width - 2, height - 2, ground)
            if ink is not pen:
                painter.setPen(ink)
                pen = ink
            text = next(texts)
            if text == MASKED:  # below the number: lines across it would make it hard to read
                painter.fillRect(left, top, width, height, hatch)
            if aligned:
                right = view.right_of(text)
            if (row, column) == pointed:
                text = COVERED if view.bench.selection.unfinished else text
                painter.setFont(figures.bold)
                painter.drawText(left, top, width - right, height, RIGHT, text)
                painter.setFont(plain)
            else:
                painter.drawText(left, top, width - right, height, RIGHT, text)
    _paint_marks(view, painter, rows, columns, pointed)


def _paints(matrix: Matrix, theme: Theme, rows: range, columns: range) -> Iterator[Paint]:
    """Ground, ink and edge of each cell in reading order; no edge if the ground is strong enough."""
    array = matrix.array[rows.start : rows.stop, columns.start : columns.stop]
    wrong = qcolor(theme.error_soft), qcolor(theme.error), qcolor(theme.error)
    if matrix.editable and matrix.showing == "values":
        names = theme.cell_editable_bg, theme.cell_editable_text, theme.cell_editable_border
    else:
        names = theme.cell_computed_bg, theme.cell_computed_text, theme.cell_computed_border
    ground, ink, edge = map(qcolor, names)
    plain = ground, ink, edge
    ramp, places = steps(matrix, theme, array)
    if ramp is None:
        if array.dtype.kind == "f" and np.isnan(array).any():
            return (wrong if value != value else plain for value in array.ravel().tolist())
        return repeat(plain, array.size)
    middle = 0.0 if matrix.colours == SHARES else MIDDLE

    return iter(
        [
            wrong
            if value != value
            else plain
            if matrix.colours == SIGNED and abs(value) == inf
            else (ramp.colors[step], ramp.text[step], edge if abs(step - middle) <= PALE else None)
            for value, step in zip(array.ravel().tolist(), places.ravel().tolist(), strict=True)
        ]
    )


def steps(matrix: Matrix, theme: Theme, array: Array, plain: bool = False) -> tuple[Ramp | None, Array]:
    """The colour map of a matrix, and each number's step on it; None if it has none.

    With `plain`, a matrix without colours gets those of signed numbers.
    """
    with np.errstate(all="ignore"):
        if matrix.colours == SHARES:
            return theme.sequential_ramp, (shares_of(array) * 255).astype(int)
        if matrix.colours == SIGNED or plain:
            return theme.diverging_ramp, ((shares_of(array / matrix.limit, -1.0) + 1) * MIDDLE).astype(int)
    return None, array


def _paint_marks(
    view: MatrixView, painter: QPainter, rows: range, columns: range, pointed: tuple[int, int] | None
) -> None:
    """Paint the marks of single cells: pointed at, read, fed, pinned, selected, and the one with the focus."""
    matrix, theme = view.matrix, view.bench.appearance.theme
    rect = view.cell_rect
    reads, fed = view.lit_cells(rows, columns)
    for cell in reads:
        _frame(painter, rect(*cell), theme.here_line)
    if pointed is not None and pointed[0] in rows and pointed[1] in columns:
        _frame(painter, rect(*pointed), theme.here)
    for cell in fed:
        place = rect(*cell)
        painter.fillRect(place.left() + 4, place.bottom() - 3, place.width() - 8, 2, qcolor(theme.here_line))
    for row, column in matrix.covered:
        if row in rows and column in columns:
            painter.fillRect(rect(row, column), qcolor(theme.here_soft))
            painter.setPen(qcolor(theme.here_text))
            painter.drawText(rect(row, column), Qt.AlignmentFlag.AlignCenter, COVERED)
    for first_row, last_row, first_column, last_column in spots(matrix) if matrix.spot else ():
        whole = rect(first_row, first_column).united(rect(last_row, last_column))
        _frame(painter, whole.adjusted(-1, -1, 1, 1), theme.here)
    if matrix.pins is not None:
        # With an edge of its own: on a strong background its colour alone is hard to see.
        painter.setPen(QPen(qcolor(theme.surface), 1))
        painter.setBrush(qcolor(theme.accent_line))
        pins = matrix.pins[rows.start : rows.stop, columns.start : columns.stop]
        for i, j in np.argwhere(pins).tolist():
            corner = rect(rows[i], columns[j]).topLeft()
            painter.drawPolygon([corner, corner + QPoint(PIN, 0), corner + QPoint(0, PIN)])
    if not view.currentIndex().isValid():
        return
    if view.editing.ranges.several:
        chosen_rows, chosen_columns = view.editing.ranges.selected()
        shade = qcolor(theme.focus, 0.16)
        for row in range(max(rows.start, chosen_rows.start), min(rows.stop, chosen_rows.stop)):
            for column in range(max(columns.start, chosen_columns.start), min(columns.stop, chosen_columns.stop)):
                painter.fillRect(rect(row, column), shade)
    if view.hasFocus():
        index = view.currentIndex()
        _frame(painter, rect(index.row(), index.column()).adjusted(-1, -1, 1, 1), theme.focus)  # around the others


def spots(matrix: Matrix) -> Iterator[tuple[int, int, int, int]]:
    """The spot that is spoken of, as blocks: first and last row, first and last column. Neighbours share a frame."""
    if matrix.spot is not None:
        rows, columns = (list(_runs(numbers)) for numbers in matrix.spot)
        yield from ((*down, *across) for down in rows for across in columns)


def _runs(numbers: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The first and the last number of each run of consecutive numbers."""
    for _, run in groupby(enumerate(sorted(set(numbers))), lambda one: one[1] - one[0]):
        places = [number for _, number in run]
        yield places[0], places[-1]


def _frame(painter: QPainter, rect: QRect, color: str) -> None:
    """Draw a frame of two pixels just inside a cell."""
    painter.setPen(QPen(qcolor(color), 2, j=Qt.PenJoinStyle.MiterJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(1, 1, -1, -1))
