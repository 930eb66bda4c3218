"""The matrix view: a table that is as large as its matrix and shows which cells made the one pointed at."""

from itertools import product
from operator import getitem
from typing import TypeAlias

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLineEdit, QSizePolicy, QTableView, QWidget

from explorer.core.cell import Index
from explorer.core.graph import Cell
from explorer.document.state import unread
from explorer.pages.levels import matrix_title
from explorer.pages.matrix import Matrix
from explorer.ui.matrix.editing import CellEditing, CellEditor
from explorer.ui.matrix.form import MAP, MOST_ROWS, SIZES, Extent, Form, Letters, extent
from explorer.ui.matrix.model import Labels, MatrixModel, ModelIndex, paint_cells
from explorer.ui.selection import Coming
from explorer.ui.theme import qcolor
from explorer.ui.workbench import Workbench

Trigger: TypeAlias = QAbstractItemView.EditTrigger
Move: TypeAlias = QAbstractItemView.CursorAction
ScrollHint: TypeAlias = QAbstractItemView.ScrollHint
WIDTH = 630
"""The width of a matrix before it is given room, in pixels at text scale 1."""


class MatrixView(QTableView):
    """The table of one matrix."""

    relit = Signal()  # other cells of it are pointed at, read or fed

    def __init__(self, bench: Workbench, matrix: Matrix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.matrix = matrix
        self.table = MatrixModel(bench, matrix)
        self.table.setParent(self)
        self._reads: list[Index] = []
        self._fed: list[Index] = []
        self.pointed: tuple[int, int] | None = None
        """The row and column of the cell pointed at."""
        self._by: Coming = "tab"
        """How the person comes to the next cell, if not by a click."""
        self._most_width = 0
        self._all_letters: dict[tuple[float, float, bool], Letters] = {}
        room = bench.appearance.px(WIDTH)
        self.form = Form(room, room)
        """The form that it is to take; `measure` applies it."""
        self._extents: dict[Form, Extent] = {}
        self._stood: Extent | None = None
        self.letters = self.figures = self.letters_in(self.form)
        """The letters that it is painted with, and those of its numbers."""
        self.editing = CellEditing(self)
        self.setAcceptDrops(True)
        self.setHorizontalHeader(Labels(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(Labels(Qt.Orientation.Vertical, self))
        self.setModel(self.table)  # after the headers: Qt's own would ask for all labels
        self.setItemDelegate(CellEditor(self))
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
        for bar in (self.setVerticalScrollBarPolicy, self.setHorizontalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the page has one; the small picture moves the visible part
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.entered.connect(lambda index: self.point(index.row(), index.column()))
        selection = bench.selection
        selection.pointed.connect(self._light)
        selection.token_changed.connect(self._update_labels)
        self.measure()
        self._light(selection.cell)

    # What it shows

    def tell(self, matrix: Matrix) -> bool:
        """Show another matrix, or the same with other numbers.

        Returns whether it has been measured again.
        """
        was, self.matrix = self.matrix, matrix
        if was.name != matrix.name:
            self._say_name()
            self.editing.end_drag()
        if was.array.shape != matrix.array.shape:
            self._reset(was, matrix)
        else:
            self.table.tell(matrix)
        relabelled = (was.rows, was.columns) != (matrix.rows, matrix.columns)
        if relabelled or was.spot != matrix.spot:
            self._update_labels()
        another, moved = was.place.node != matrix.place.node, was.place.index != matrix.place.index
        if moved and not another:
            self.bench.selection.go_on(was.place, matrix.place)
        if relabelled or another or moved or (was.turned, was.kept) != (matrix.turned, matrix.kept):
            self._light(self.bench.selection.cell)
        measured = relabelled or self.letters.needed(matrix) > self._most_width
        # Shorter numbers make nothing narrower: a cell must not move while it is edited.
        if not measured:
            self._extents = {form: found for form, found in self._extents.items() if form == self.form}
        else:
            self._extents = {}
            self._stood = None
            self.measure()
        return measured

    def _reset(self, was: Matrix, matrix: Matrix) -> None:
        """Take over another shape; the current cell stays, and so does what is being typed there."""
        current = self.currentIndex()
        typed = self.editing.typed(current)
        self.table.beginResetModel()
        self.table.matrix = matrix
        self.table.endResetModel()
        place = self.selectionModel()
        with QSignalBlocker(place):  # the person has not gone to another cell
            index = self.table.index(current.row(), current.column())
            place.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        at = index.row(), index.column()
        if typed and index.isValid() and (was.name, was.label(*at)) == (matrix.name, matrix.label(*at)):
            super().edit(index, Trigger.AllEditTriggers, None)  # type: ignore[call-overload]
            self.editing.type_on(index, *typed)

    def newest(self, row: int, column: int) -> float:
        """A number of an input after the latest act, with which a large model may still be computing."""
        matrix, wanted = self.matrix, self.bench.document.wanted
        node, head = matrix.place.node, matrix.place.index
        array = unread(wanted.inputs).get(node) if matrix.editable else None
        if array is None or array.shape[len(head) :] != matrix.shape:
            return float(matrix.values[row, column])
        return float(wanted.number(node, matrix.index(row, column)))

    def right_of(self, text: str) -> int:
        """Pixels between a number and its cell's right edge, so that decimal points are aligned below the label."""
        column, figures = self.form.column, self.figures
        behind = self.matrix.behind(text) if self.matrix.aligned else 0
        spare = 0
        if column:  # the column is wider than it has to be
            spare = max(column - figures.needed(self.matrix), 0) // 2
            if self.matrix.values.dtype.kind == "f" and not self.matrix.has_negative:
                spare += figures.across("−") // 2  # no number needs the room of a minus sign
        return figures.padding + spare + (figures.across("0" * behind) if behind else 0)

    def letters_in(self, form: Form, size: float = 0.0) -> Letters:
        """The letters of a form, or of another size in it."""
        of = size or form.size, form.times, form.upright
        if of not in self._all_letters:
            self._all_letters[of] = Letters(self.bench.appearance, *of)
        return self._all_letters[of]

    @property
    def extent(self) -> Extent:
        """Its size in its present form."""
        return self.extent_in(self.form)

    def extent_in(self, form: Form) -> Extent:
        """Its size in a form."""
        if form not in self._extents:
            beside = self.bench.appearance.px(MAP)
            self._extents[form] = extent(self.matrix, form, self.letters_in(form), beside)
        return self._extents[form]

    def px(self, pixels: float) -> int:
        """Pixels at text scale 1, converted to this screen, and enlarged with the matrix."""
        return self.bench.appearance.px(pixels * self.form.times)

    def measure(self) -> None:
        """Apply the form."""
        form, found, letters = self.form, self.extent, self.letters_in(self.form)
        larger = form._replace(times=form.times * form.figures)
        self.figures = letters if form.figures == 1 else self.letters_in(larger)
        if letters is not self.letters or found != self._stood:
            self.letters, self._stood = letters, found
            self._stand(found)

    def _stand(self, found: Extent) -> None:
        self._most_width = self.letters.least(self.matrix)
        across, down = self.horizontalHeader(), self.verticalHeader()
        bars = self.horizontalScrollBar(), self.verticalScrollBar()
        first = [
            round(bar.value() / max(part.defaultSectionSize(), 1))
            for bar, part in zip(bars, (across, down), strict=True)
        ]
        for header, size, room in ((across, found.across, found.top), (down, found.down, found.left)):
            header.setDefaultSectionSize(size)
            if header.isHidden() != (room <= 0):  # Qt lays the table out again each time that it is asked
                header.setVisible(room > 0)
        down.setFixedWidth(found.left)
        across.setFixedHeight(found.top)
        self.setFixedSize(found.width, found.height)
        self.updateGeometries()  # Qt itself waits until it is shown, but the visible part is chosen before that
        for bar, cells, size in zip(bars, first, (found.across, found.down), strict=True):
            bar.setValue(cells * size)  # Qt keeps the pixels: after an edit the cell stood beside what was seen
        self._say_name()

    @property
    def title(self) -> str:
        """Which matrix it is, and where: "Q of head 2 in Encoder 1: Self-attention"."""
        return matrix_title(self.bench.document.engine.graph, self.matrix.name)

    def _say_name(self) -> None:
        """Say which matrix it is, and its size, for a screen reader."""
        rows, columns = len(self.matrix.rows), len(self.matrix.columns)
        self.setAccessibleName(
            f"Matrix {self.title}, {rows} row{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}"
        )

    def scrollTo(self, index: ModelIndex, hint: ScrollHint = ScrollHint.EnsureVisible) -> None:
        """Scroll to a cell. Qt would also signal that a resting mouse has entered the cell that came below it."""
        was = self.blockSignals(True)
        super().scrollTo(index, hint)
        self.blockSignals(was)

    # Its sizes in a form

    def turned(self, form: Form) -> Form:
        """The form with its column labels written upwards, if only then the page has room for all columns.

        Also if it has room for all in no form, and a step speaks of the matrix: then more columns are in sight.
        """
        form = form._replace(upright=False)
        if not form.shrinks or self._fits_somehow(form):
            return form
        smallest = self.letters_in(form, SIZES[-1])
        # With short labels nothing would be gained.
        upright = smallest.measured(self.matrix)[0] > smallest.least(self.matrix)
        turned = form._replace(upright=True)
        return turned if upright and (self.matrix.named or self._fits_somehow(turned)) else form

    def _fits_somehow(self, form: Form) -> bool:
        return any(self.fits(size, form) for size in SIZES)

    def across(self, size: float, form: Form) -> int:
        """The width of all columns with letters of this size, without the row labels."""
        return len(self.matrix.columns) * max(self.letters_in(form, size).measured(self.matrix)[0], form.least[0])

    def labels_across(self, size: float, form: Form) -> int:
        """The width of the row labels then."""
        return max(self.letters_in(form, size).measured(self.matrix)[1], form.least[1])

    def fits(self, size: float, form: Form) -> bool:
        """Whether all rows and columns are visible then, in the room of the page."""
        across = self.labels_across(size, form) + self.across(size, form)
        return len(self.matrix.rows) <= MOST_ROWS and across <= form.given

    def sizeHint(self) -> QSize:
        return self.size()

    def focusNextPrevChild(self, forward: bool) -> bool:
        # Tab goes from cell to cell, and on from the last one. Qt asks this before it sends the key.
        return self.editing.step(1 if forward else -1) or super().focusNextPrevChild(forward)

    # Looking

    def point(self, row: int, column: int) -> None:
        self.bench.selection.point(self.matrix.cell_at(row, column))

    def take_click(self, index: ModelIndex) -> None:
        """Choose a cell that was clicked, even if it was the current one before."""
        if index.isValid():
            self.bench.selection.choose(self.matrix.cell_at(index.row(), index.column()))

    def lit_cells(self, rows: range, columns: range) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Among some rows and columns, the cells that made the one pointed at, and those that it feeds."""
        if not (self._reads or self._fed):
            return [], []
        return self._cells(self._reads, rows, columns), self._cells(self._fed, rows, columns)

    def _cells(self, patterns: list[Index], rows: range, columns: range) -> list[tuple[int, int]]:
        """The cells, in reading order, among some rows and columns, that indices of the node's whole array refer to."""
        matrix, head = self.matrix, self.matrix.place.index
        found: set[tuple[int, int]] = set()
        for pattern in patterns:
            if len(pattern) == len(head) + len(matrix.shape) and all(map(_means, pattern, head)):
                down, across = (0, 0, *pattern[len(head) :])[-2:]
                down, across = (across, down) if matrix.turned else (down, across)
                if matrix.kept is not None:
                    shown = ((r, c) for r, c in product(rows, columns))
                    found.update(at for at in shown if all(map(_means, (down, across), map(getitem, matrix.kept, at))))
                    continue
                found.update(product(_along(down, rows), _along(across, columns)))
        return sorted(found)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible cells here: Qt would ask a delegate for each."""
        painter = QPainter(self.viewport())
        paint_cells(self, painter, *self.cells_in(event.rect()))
        if self._stood is not None and self._stood.cut:
            self._mark_cut(painter)
        painter.end()

    def cell_rect(self, row: int, column: int) -> QRect:
        """The rectangle of a cell in the viewport."""
        left, top = self.columnViewportPosition(column), self.rowViewportPosition(row)
        return QRect(left + 1, top + 1, self.columnWidth(0) - 2, self.rowHeight(0) - 2)

    def cells_in(self, area: QRect) -> tuple[range, range]:
        """The rows and columns that lie in an area of the viewport, wholly or partly."""
        rows = range(max(self.rowAt(area.top()), 0), len(self.matrix.rows))
        columns = range(max(self.columnAt(area.left()), 0), len(self.matrix.columns))
        last_row, last_column = self.rowAt(area.bottom()), self.columnAt(area.right())
        rows = rows if last_row < 0 else range(rows.start, last_row + 1)
        return rows, columns if last_column < 0 else range(columns.start, last_column + 1)

    def _mark_cut(self, painter: QPainter) -> None:
        """Draw a dashed line at each edge where rows or columns go on."""
        area, across, down = self.viewport().rect(), self.horizontalScrollBar(), self.verticalScrollBar()
        thick = self.bench.appearance.px(1)
        painter.setPen(QPen(qcolor(self.bench.appearance.theme.text), thick, Qt.PenStyle.DashLine))
        area.adjust(thick // 2, thick // 2, -thick // 2, -thick // 2)
        edges = (
            (across.value() > 0, area.topLeft(), area.bottomLeft()),
            (across.value() < across.maximum(), area.topRight(), area.bottomRight()),
            (down.value() > 0, area.topLeft(), area.topRight()),
            (down.value() < down.maximum(), area.bottomLeft(), area.bottomRight()),
        )
        for beyond, start, end in edges:
            if beyond:
                painter.drawLine(start, end)

    def band(self, axis: int, section: int) -> int | None:
        """The head that a row or column of joined heads comes from."""
        heads, labels = self.matrix.bands[axis], (self.matrix.rows, self.matrix.columns)[axis]
        return section * heads // len(labels) if heads else None

    def lit(self, axis: int, section: int) -> bool:
        """Whether a label is that of the token looked at, of the cell pointed at, or of what is spoken of."""
        token = self.bench.selection.token
        if token is not None:
            return token == (self.matrix.axes[axis], section)
        if self.pointed is None:
            spot, labels = self.matrix.spot, (self.matrix.rows, self.matrix.columns)[axis]
            return spot is not None and section in spot[axis] and len(spot[axis]) < len(labels)
        return len(self.matrix.shape) > 1 - axis and self.pointed[axis] == section

    def _light(self, cell: Cell | None) -> None:
        node, selection = self.matrix.place.node, self.bench.selection
        pointed = self.matrix.at(cell.index) if cell is not None and self.matrix.holds(cell) else None
        reads = selection.reads.get(node, []) if cell is not None else []
        fed = selection.fed.get(node, []) if cell is not None else []
        if (pointed, reads, fed) != (self.pointed, self._reads, self._fed):
            self.pointed, self._reads, self._fed = pointed, reads, fed
            self.relit.emit()
            self.viewport().update()
            self._update_labels()

    def _update_labels(self) -> None:
        for header in (self.horizontalHeader(), self.verticalHeader()):
            if header.isVisible():
                header.viewport().update()

    def point_at_label(self, way: int, section: int) -> None:
        """Light up the token of a row's label (way 0), or of a column's, everywhere."""
        axis = self.matrix.axes[way]
        self.bench.selection.set_token((axis, section) if section >= 0 and axis else None)

    # Moving between cells

    def moveCursor(self, action: Move, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """With Ctrl an arrow goes to the edge, as in a spreadsheet."""
        index = self.currentIndex()
        last = self.table.rowCount() - 1, self.table.columnCount() - 1
        edges = {
            Move.MoveUp: (0, index.column()),
            Move.MoveDown: (last[0], index.column()),
            Move.MoveLeft: (index.row(), 0),
            Move.MoveRight: (index.row(), last[1]),
        }
        if modifiers & Qt.KeyboardModifier.ControlModifier and action in edges and index.isValid():
            return self.table.index(*edges[action])
        return super().moveCursor(action, modifiers)

    def selectionCommand(self, index: ModelIndex, event: QEvent | None = None) -> QItemSelectionModel.SelectionFlag:
        """With Shift a key extends the selection, with Ctrl or without."""
        if isinstance(event, QKeyEvent) and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return QItemSelectionModel.SelectionFlag.SelectCurrent
        return super().selectionCommand(index, event)

    def currentChanged(self, current: ModelIndex, previous: ModelIndex) -> None:
        super().currentChanged(current, previous)
        self.editing.end_stroke()
        if current.isValid():
            self.bench.selection.choose(self.matrix.cell_at(current.row(), current.column()), self._by)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def focusOutEvent(self, event: QEvent) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self.editing.end_stroke()

    # Editing: every way ends in a command

    def edit(self, index: ModelIndex, trigger: Trigger = Trigger.AllEditTriggers, event: QEvent | None = None) -> bool:  # type: ignore[override]
        """Open the editor; on a computed cell only after Enter or F2, and then it pins."""
        wanted = bool(trigger & self.editTriggers()) or trigger == Trigger.AllEditTriggers
        if wanted and index.isValid() and not self.editing.may_open(index, trigger, event):
            return False
        opened = bool(super().edit(index, trigger, event))  # type: ignore[arg-type]
        if opened:  # keys may have moved here without choosing this cell
            self.bench.selection.choose(self.matrix.cell_at(index.row(), index.column()), "arrow")
        return opened

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.editing.key_pressed(event):
            self._by = "arrow"
            super().keyPressEvent(event)
            self._by = "tab"

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Type what a screen keyboard or dictation gives at once: Qt opens the editor, but drops that."""
        super().inputMethodEvent(event)
        given, editor = event.commitString(), self.indexWidget(self.currentIndex())
        if given and isinstance(editor, QLineEdit) and not editor.isModified():
            editor.insert(given)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.editing.wheel_turned(event):
            event.accept()
        elif not self.extent.whole and abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)  # scrolls to other columns: the page itself never scrolls sideways
        else:
            event.ignore()  # the page scrolls

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.editing.pin_pressed(event):
            self.setDragEnabled(self.editing.ranges.may_lift(event))  # else the mouse selects
            super().mousePressEvent(event)
            self.editing.mouse_pressed(event)
            self.take_click(self.indexAt(event.position().toPoint()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.editing.mouse_moved(event):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.editing.mouse_released()
        super().mouseReleaseEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self.editing.ranges.offered(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self.editing.ranges.offered(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.editing.ranges.dropped(event)

    def startDrag(self, actions: Qt.DropAction) -> None:
        self.editing.ranges.lift()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.currentIndex().isValid():  # the menu key, without a current cell
            self.setCurrentIndex(self.table.index(0, 0))
        from explorer.ui.matrix.menu import MatrixMenu

        menu = MatrixMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())  # not exec: the page may be built again meanwhile, which deletes the menu


def _means(part: int | slice, i: int) -> bool:
    return bool(_along(part, range(i, i + 1)))


def _along(part: int | slice, places: range) -> range:
    """Those of some places along an axis to which a part of an index refers."""
    if isinstance(part, int):
        return range(part, part + (part in places))
    return places if part == slice(None) else range(max(part.start, places.start), min(part.stop, places.stop))
