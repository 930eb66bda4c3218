"""The matrix view: a table that paints colour and number itself, is edited by typing, keys, wheel and drag, and shows
which cells made the one pointed at.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QBrush, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.core.explain import Index
from explorer.ui.errors import show_error
from explorer.ui.selection import Cell
from explorer.ui.theme import qcolor
from explorer.ui.widgets.matrix_model import SHARES, SIGNED, MatrixModel, number
from explorer.ui.workbench import Workbench

CELL_HEIGHT, CELL_PADDING, LEAST_WIDTH, MOST_LABEL = 30, 7, 46, 130
MOST_ROWS, MOST_COLUMNS = 12, 12
SURVEYED = 200  # cells that the width of all is taken from
DRAG_PIXELS = 6  # for one step of a drag
ROUND = 3

ModelIndex = QModelIndex | QPersistentModelIndex


def step_of(modifiers: Qt.KeyboardModifier) -> float:
    """How far one notch of the wheel or one key moves a number: 0.1, with Shift 0.01, with Ctrl 1."""
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return 0.01
    return 1.0 if modifiers & Qt.KeyboardModifier.ControlModifier else 0.1


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

        if model.editable:
            ground, edge, ink = theme.cell_editable_bg, theme.cell_editable_border, theme.cell_editable_text
        else:
            ground, edge, ink = theme.cell_computed_bg, theme.cell_computed_border, theme.cell_computed_text
        ground_color, ink_color = qcolor(ground), qcolor(ink)
        if value != value:
            ground_color, ink_color, edge = qcolor(theme.error_soft), qcolor(theme.error), theme.error
        elif model.coloring == SHARES:
            i = int(min(max(value, 0.0), 1.0) * 255)
            ground_color, ink_color = theme.sequential_ramp.colors[i], theme.sequential_ramp.text[i]
        elif model.coloring == SIGNED and np.isfinite(value):
            i = int((value / (model.limit or 1.0) + 1) * 127.5)
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
            painter.drawPolygon([corner, corner + QPoint(8, 0), corner + QPoint(0, 8)])
        painter.setPen(ink_color)
        painter.setFont(view.bold if pointed else view.bench.appearance.fonts.number)
        painter.drawText(
            rect.adjusted(0, 0, -view.padding, 0),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            model.text(row, column),
        )
        if view.hasFocus() and view.currentIndex() == index:
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), ROUND, ROUND)

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
        if editor.text() != index.data(Qt.ItemDataRole.EditRole):
            self._view.enter(index.row(), index.column(), editor.text())


class Labels(QHeaderView):
    """Row or column labels, painted plainly; the token that is looked at stands out."""

    def __init__(self, orientation: Qt.Orientation, view: MatrixView) -> None:
        super().__init__(orientation, view)
        self._view = view
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(8)
        self.setSectionsClickable(False)
        self.setMouseTracking(True)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        view = self._view
        appearance = view.bench.appearance
        horizontal = self.orientation() == Qt.Orientation.Horizontal
        here = view.lit(0 if not horizontal else 1, section)
        font = appearance.fonts.small
        painter.save()
        painter.setFont(view.bold_small if here else font)
        painter.setPen(qcolor(appearance.theme.here_text if here else appearance.theme.muted))
        text = str(view.matrix.headerData(section, self.orientation(), Qt.ItemDataRole.DisplayRole))
        if horizontal:
            where = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
            rect = rect.adjusted(0, 0, 0, -3)
        else:
            where = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            rect = rect.adjusted(0, 0, -appearance.px(8), 0)
        band = view.band(0 if not horizontal else 1, section)
        if band is not None:
            color = qcolor(appearance.theme.series[band % len(appearance.theme.series)])
            thick = appearance.px(3)
            if horizontal:
                painter.fillRect(rect.left() + 1, rect.bottom() - 1, rect.width() - 2, thick, color)
            else:
                painter.fillRect(rect.right() + appearance.px(3), rect.top() + 1, thick, rect.height() - 2, color)
        metrics = painter.fontMetrics()
        painter.drawText(rect, where, metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width()))
        painter.restore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._view.point_at_label(self.orientation(), self.logicalIndexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._view.bench.selection.set_token(None)


class MatrixView(QTableView):
    """One matrix.

    Parameters
    ----------
    bench : Workbench
    name : str
        Of a node or a head's slice.
    """

    def __init__(self, bench: Workbench, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.matrix = MatrixModel(bench.document, name)
        self.matrix.setParent(self)
        self.array = self.matrix.array()
        self._reads: list[Index] = []
        self._fed: list[Index] = []
        self._pointed: tuple[int, ...] | None = None
        self._drag: tuple[int, int, QPoint, float] | None = None
        self._stroke: object = None
        self._turned = 0.0  # parts of a notch that a fine wheel has turned
        self._turning = False
        self._most_width = self._left = 0
        self.setModel(self.matrix)
        self.setItemDelegate(CellPainter(self))
        self.setHorizontalHeader(Labels(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(Labels(Qt.Orientation.Vertical, self))
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setTabKeyNavigation(False)
        self.entered.connect(lambda index: self.bench.selection.point(self._cell(index.row(), index.column())))
        selection = bench.selection
        selection.pointed.connect(self._light)
        selection.token_changed.connect(self._light_token)
        self.restyle()

    # Following the model and the look

    def show_node(self, name: str) -> None:
        """Show another node or slice."""
        self.matrix.show(name)
        self._measure()

    def reset(self) -> None:
        """Follow a change of shape or labels."""
        super().reset()
        if hasattr(self, "_most_width"):
            self.array = self.matrix.array()

    def rebuild(self) -> None:
        """Read name, shape and labels anew from the graph; the current cell stays."""
        current = self.currentIndex()
        row, column = current.row(), current.column()
        self.matrix.show(self.matrix.name)
        self._measure()
        place = self.selectionModel()
        place.blockSignals(True)  # nobody has gone anywhere
        place.setCurrentIndex(self.matrix.index(row, column), QItemSelectionModel.SelectionFlag.ClearAndSelect)
        place.blockSignals(False)

    def refresh(self) -> None:
        """Follow a change of values."""
        self.array = self.matrix.array()
        self.matrix.tell()
        if self._needed_width() > self._most_width:
            self._measure()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        fonts = self.bench.appearance.fonts
        self.bold, self.bold_small = fonts.number.__class__(fonts.number), fonts.small.__class__(fonts.small)
        self.bold.setBold(True)
        self.bold_small.setBold(True)
        self.padding = self.bench.appearance.px(CELL_PADDING)
        self._measure()
        self.viewport().update()

    def _needed_width(self) -> int:
        """Pixels the widest number takes."""
        metrics = QFontMetrics(self.bold)
        return max(metrics.horizontalAdvance(text) for text in self.matrix.texts(SURVEYED)) + 2 * self.padding

    def _measure(self) -> None:
        """Make the view as large as its matrix, up to a size that still can be taken in."""
        appearance = self.bench.appearance
        self.array = self.matrix.array()
        metrics = self.fontMetrics()
        rows, columns = self.matrix.rowCount(), self.matrix.columnCount()
        labels = [str(self.matrix.headerData(i, Qt.Orientation.Vertical)) for i in range(min(rows, 400))]
        heads = [str(self.matrix.headerData(i, Qt.Orientation.Horizontal)) for i in range(min(columns, 400))]
        self._most_width = max(self._needed_width(), appearance.px(LEAST_WIDTH))
        label_width = max((metrics.horizontalAdvance(h) for h in heads), default=0) + 6
        width = max(self._most_width, min(label_width, appearance.px(84)))
        height = appearance.px(CELL_HEIGHT)
        across, down = self.horizontalHeader(), self.verticalHeader()
        for header, size in ((across, width), (down, height)):
            header.setDefaultSectionSize(size)
        left = max((metrics.horizontalAdvance(label) for label in labels), default=0)
        left = min(left, appearance.px(MOST_LABEL)) + appearance.px(12) if any(labels) else 0
        self._left = left
        down.setFixedWidth(left)
        down.setVisible(left > 0)
        top = metrics.height() + 4 if any(heads) else 0
        across.setFixedHeight(top)
        across.setVisible(top > 0)
        shown_rows, shown_columns = min(rows, MOST_ROWS), min(columns, MOST_COLUMNS)
        bar = self.style().pixelMetric(self.style().PixelMetric.PM_ScrollBarExtent) + 2
        self.setFixedSize(
            left + shown_columns * width + (bar if rows > shown_rows else 0),
            top + shown_rows * height + (bar if columns > shown_columns else 0),
        )
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(always if rows > shown_rows else never)
        self.setHorizontalScrollBarPolicy(always if columns > shown_columns else never)
        node = self.matrix.name
        self.setAccessibleName(f"Matrix {node}, {rows} rows, {columns} columns")

    def sizeHint(self) -> QSize:
        return self.size()

    @property
    def labels_width(self) -> int:
        """Pixels that the row labels take at the left."""
        return self._left

    # Looking

    def _cell(self, row: int, column: int) -> Cell:
        return Cell(self.matrix.place.node, self.matrix.place.index + self.matrix.cell(row, column))

    def marks(self, row: int, column: int) -> tuple[bool, bool, bool]:
        """Whether the cell is the one pointed at, one that made it, one that it feeds."""
        if not (self._reads or self._fed or self._pointed is not None):
            return False, False, False
        index = self.matrix.place.index + self.matrix.cell(row, column)
        return index == self._pointed, _within(index, self._reads), _within(index, self._fed)

    def band(self, axis: int, section: int) -> int | None:
        """The head that a row or column of joined heads comes from."""
        name = self.matrix.axes[axis]
        axes = self.bench.document.engine.graph.axes
        heads = axes.get(f"{name.removesuffix('.concat')}.heads", ()) if name.endswith(".concat") else ()
        return section * len(heads) // len(axes[name]) if len(heads) > 1 else None

    def lit(self, axis: int, section: int) -> bool:
        """Whether a label is that of the token looked at, or of the cell pointed at."""
        token = self.bench.selection.token
        if token is not None:
            return token == (self.matrix.axes[axis], section)
        if self._pointed is None:
            return False
        own = self._pointed[len(self.matrix.place.index) :]
        return len(own) > 1 - axis and own[axis - 2 if len(own) == 2 else 0] == section

    def _light(self, cell: Cell | None) -> None:
        node, selection = self.matrix.place.node, self.bench.selection
        head = self.matrix.place.index
        pointed = None
        if cell is not None and cell.node == node and cell.index[: len(head)] == head:
            pointed = cell.index
        reads = selection.reads.get(node, []) if cell is not None else []
        fed = selection.fed.get(node, []) if cell is not None else []
        if (pointed, reads, fed) != (self._pointed, self._reads, self._fed):
            self._pointed, self._reads, self._fed = pointed, reads, fed
            self.viewport().update()
            self._update_labels()

    def _light_token(self) -> None:
        self._update_labels()

    def _update_labels(self) -> None:
        for header in (self.horizontalHeader(), self.verticalHeader()):
            if header.isVisible():
                header.viewport().update()

    def point_at_label(self, orientation: Qt.Orientation, section: int) -> None:
        """Light up the token of a label everywhere."""
        axis = self.matrix.axes[0 if orientation == Qt.Orientation.Vertical else 1]
        self.bench.selection.set_token((axis, section) if section >= 0 and axis else None)

    def currentChanged(self, current: ModelIndex, previous: ModelIndex) -> None:
        super().currentChanged(current, previous)
        self._end_stroke()
        if current.isValid():
            self.bench.selection.choose(self._cell(current.row(), current.column()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def focusOutEvent(self, event: QEvent) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self._end_stroke()

    def _end_stroke(self) -> None:
        self._stroke, self._turned, self._turning = None, 0.0, False

    # Editing: all four ways end in the same command

    def enter(self, row: int, column: int, text: str) -> None:
        """Set a cell from typed text; what is not a number is said at the place and changes nothing."""
        try:
            self.matrix.set_number(row, column, number(text))
        except ExplorerError as error:
            show_error(error, self.viewport(), self.visualRect(self.matrix.index(row, column)))

    def nudge(self, row: int, column: int, by: float, stroke: object) -> None:
        """Move a cell's number by a step, rounded so that steps of 0.1 stay tenths."""
        value = float(self.matrix.array()[row, column])  # the newest: what is painted may be a few keys behind
        self._set(row, column, round(value + by, 10), stroke)

    def _set(self, row: int, column: int, value: float, stroke: object) -> None:
        try:
            self.matrix.set_number(row, column, value, stroke)
        except ExplorerError as error:
            show_error(error, self.viewport(), self.visualRect(self.matrix.index(row, column)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and index.isValid() and self.matrix.editable:
            sign = 1 if event.key() == Qt.Key.Key_Up else -1
            # A key held down is one stroke; pressed again, another.
            if not event.isAutoRepeat() or self._stroke is None:
                self._stroke = object()
            self.nudge(index.row(), index.column(), sign * self._unit(event.modifiers()), self._stroke)
            return
        entering = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid() and self.matrix.editable
        if entering and self.state() != QAbstractItemView.State.EditingState:
            self.edit(index)
            return
        super().keyPressEvent(event)

    def _unit(self, modifiers: Qt.KeyboardModifier) -> float:
        return 1.0 if self.array.dtype.kind == "i" else step_of(modifiers)

    def wheelEvent(self, event: QWheelEvent) -> None:
        index = self.currentIndex()
        # Only the cell one has gone to: the wheel must stay free for scrolling the page. Once it turns, it stays with
        # that cell until the mouse is moved: wider numbers may move the cell from under the mouse.
        here = self._turning or index == self.indexAt(event.position().toPoint())
        if self.matrix.editable and index.isValid() and here and self.hasFocus():
            self._turning = True
            if self._stroke is None:
                self._stroke = object()
            self._turned += event.angleDelta().y() / 120 or event.angleDelta().x() / 120
            notches = int(self._turned)
            self._turned -= notches
            if notches:
                self.nudge(index.row(), index.column(), notches * self._unit(event.modifiers()), self._stroke)
            event.accept()
            return
        bars = (self.verticalScrollBar(), self.horizontalScrollBar())
        if any(bar.maximum() > 0 for bar in bars):
            super().wheelEvent(event)
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._end_stroke()
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        # With Shift or Ctrl a drag selects, as in any table.
        selecting = event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        if self.matrix.editable and index.isValid() and event.button() == Qt.MouseButton.LeftButton and not selecting:
            start = float(self.array[index.row(), index.column()])
            self._drag = (index.row(), index.column(), event.position().toPoint(), start)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self._turning = False
            super().mouseMoveEvent(event)
            return
        row, column, origin, start = self._drag
        moved = event.position().toPoint() - origin
        steps = int((moved.x() - moved.y()) / DRAG_PIXELS)
        if self._stroke is None:
            if not steps:
                return
            self._stroke = object()
            self.setCursor(Qt.CursorShape.SizeAllCursor)
        value = round(start + steps * self._unit(event.modifiers()), 10) if steps else start
        self._set(row, column, value, self._stroke)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None and self._stroke is not None:
            self.unsetCursor()
        self._drag = None
        self._end_stroke()
        super().mouseReleaseEvent(event)


def _within(index: tuple[int, ...], patterns: list[Index]) -> bool:
    return any(
        len(pattern) == len(index) and all(isinstance(p, slice) or p == i for p, i in zip(pattern, index, strict=True))
        for pattern in patterns
    )
