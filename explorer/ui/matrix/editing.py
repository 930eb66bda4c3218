"""Editing the cells of a matrix as in a spreadsheet: by typing, keys, wheel or drag. Each ends in one command.

Also the editor that a cell opens, and the cell's tooltip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QKeySequence, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import read_number
from explorer.document.commands import Command, PinCells, Release, SetCells
from explorer.ui.errors import show_error
from explorer.ui.matrix.model import PIN, ModelIndex
from explorer.ui.matrix.ranges import Ranges

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView

Key, Modifier = Qt.Key, Qt.KeyboardModifier
NAME = "matrixName"
"""The property of an editor that says which matrix its number is of."""
CLOSER = 12  # pixels to take off the sixteen that Qt leaves between a place and its tooltip


class CellEditor(QStyledItemDelegate):
    """Opens the editor of a cell; `painter` paints the cells."""

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view = view

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: ModelIndex
    ) -> bool:
        """Show the tooltip below the matrix, so that it does not cover the numbers."""
        if event.type() != QEvent.Type.ToolTip or not index.isValid():
            return bool(super().helpEvent(event, view, option, index))
        rect: QRect = option.rect
        corner = view.viewport().mapToGlobal(QPoint(rect.left(), view.viewport().height() - CLOSER))
        QToolTip.showText(corner, index.data(Qt.ItemDataRole.ToolTipRole), view.viewport(), option.rect)
        return True

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: ModelIndex) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        editor.setFont(self._view.figures.number)
        editor.setAccessibleName(f"{self._view.title} {self._view.matrix.label(index.row(), index.column())}")
        return editor

    def setEditorData(self, editor: QWidget, index: ModelIndex) -> None:
        """Show the number of the cell; what was typed stays while numbers come, but not if another head does."""
        assert isinstance(editor, QLineEdit)
        name = self._view.matrix.name
        if not editor.isModified() or editor.property(NAME) != name:
            editor.setProperty(NAME, name)
            editor.setText(index.data(Qt.ItemDataRole.EditRole))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: ModelIndex) -> None:
        assert isinstance(editor, QLineEdit)
        if editor.isModified():
            self._view.editing.enter(index, editor.text())

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Enter and Tab accept a typed number and go on, as in a spreadsheet; other text stays, to be corrected.

        A number with more digits than the cell has room for is seen from its first digit.
        """
        if event.type() == QEvent.Type.FocusIn and isinstance(editor, QLineEdit) and editor.hasSelectedText():
            editor.setSelection(len(editor.text()), -len(editor.text()))  # the view has put the cursor at the end
        if not (
            isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and isinstance(editor, QLineEdit)
        ):
            return super().eventFilter(editor, event)
        key, modifiers, view = event.key(), event.modifiers(), self._view
        if key not in (Key.Key_Return, Key.Key_Enter, Key.Key_Tab, Key.Key_Backtab):
            return super().eventFilter(editor, event)
        everywhere = bool(modifiers & Modifier.ControlModifier)
        typed = everywhere or editor.isModified()
        if not typed or view.editing.enter(view.currentIndex(), editor.text(), everywhere):
            self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.RevertModelCache)
            if key in (Key.Key_Tab, Key.Key_Backtab):
                view.editing.step(-1 if key == Key.Key_Backtab else 1)
            elif not everywhere:
                view.editing.go_down(-1 if modifiers & Modifier.ShiftModifier else 1)
        return True


DRAG_PIXELS = 6  # for one step of a drag
Trigger: TypeAlias = QAbstractItemView.EditTrigger


def step_of(modifiers: Qt.KeyboardModifier) -> float:
    """How far one notch of the wheel or one key moves a number: 0.1, with Shift 0.01, with Ctrl 1."""
    if modifiers & Modifier.ShiftModifier:
        return 0.01
    return 1.0 if modifiers & Modifier.ControlModifier else 0.1


class CellEditing:
    """Edits that a person makes in the cells of one view."""

    def __init__(self, view: MatrixView) -> None:
        self._view = view
        self.ranges = Ranges(view, self)
        self._drag: tuple[int, int, QPoint, float, float] | None = None
        """Row and column of the dragged cell; where on the screen the drag began, with which number and step."""
        self._stroke: object = None
        self._turned = 0.0  # parts of a notch that a fine wheel has turned
        self._turning = False

    def do(self, command: Command, row: int, column: int) -> bool:
        """Run a command; an error is shown at the cell and changes nothing."""
        try:
            self._view.bench.document.do(command)
        except ExplorerError as error:
            self.say(error, row, column)
            return False
        return True

    def say(self, error: ExplorerError, row: int, column: int) -> None:
        """Show an error at a cell; it names the matrix as its heading does, not by its path."""
        matrix = self._view.matrix
        if error.fields.get("name") in (matrix.name, matrix.place.node):
            heading = matrix.title or matrix.name.rpartition(".")[2]
            error = ExplorerError(error.id, **{**error.fields, "name": heading})
        rect: QRect = self._view.visualRect(self._view.table.index(row, column))
        show_error(error, self._view.viewport(), rect)

    def set(self, cells: dict[tuple[int, ...], float], row: int, column: int, stroke: object = None) -> bool:
        """Set cells of an input, or pin those of a computed matrix; errors are said at the given cell."""
        matrix = self._view.matrix
        command = SetCells(matrix.name, cells, stroke) if self._view.matrix.editable else PinCells(matrix.name, cells)
        return self.do(command, row, column)

    # Typing

    def may_open(self, index: ModelIndex, trigger: Trigger, event: QEvent | None) -> bool:
        """Whether the editor opens: on an input always, on a computed cell only after Enter, F2 or its menu entry."""
        if self._view.matrix.editable or trigger in (Trigger.EditKeyPressed, Trigger.AllEditTriggers):
            return True
        typed = trigger == Trigger.AnyKeyPressed and isinstance(event, QKeyEvent) and event.text().strip()
        if typed or trigger == Trigger.DoubleClicked:
            name = self._view.matrix.name
            self.say(ExplorerError("computed-cell", name=name), index.row(), index.column())
        return False

    def enter(self, index: ModelIndex, text: str, everywhere: bool = False) -> bool:
        """Set a cell from typed text, or pin a computed one; text that is no number is reported and changes nothing.

        `everywhere`: whether to set all selected cells.
        Returns whether it could be done.
        """
        row, column = index.row(), index.column()
        try:
            value = read_number(text)
        except ExplorerError as error:
            self.say(error, row, column)
            return False
        if everywhere:
            return self.ranges.set_all(value)
        return self.set({self._view.matrix.cell(row, column): value}, row, column)

    def typed(self, index: ModelIndex) -> tuple[str, int] | None:
        """What is typed in the open editor of a cell, and where its cursor is; None if nothing is."""
        editor = self._view.indexWidget(index)
        if not isinstance(editor, QLineEdit) or not editor.isModified():
            return None
        return editor.text(), editor.cursorPosition()

    def type_on(self, index: ModelIndex, text: str, cursor: int) -> None:
        """Show what was typed in an editor that was opened again."""
        editor = self._view.indexWidget(index)
        if isinstance(editor, QLineEdit):
            editor.setText(text)
            editor.setCursorPosition(cursor)
            editor.setModified(True)

    def key_pressed(self, event: QKeyEvent) -> bool:
        """Handle a key; returns whether it was one of ours."""
        view, index = self._view, self._view.currentIndex()
        if not index.isValid() or view.state() == QAbstractItemView.State.EditingState:
            return False
        key, modifiers = event.key(), event.modifiers()
        for sequence, act in (
            (QKeySequence.StandardKey.Copy, self.ranges.copy),
            (QKeySequence.StandardKey.Cut, self.ranges.cut),
            (QKeySequence.StandardKey.Paste, self.ranges.paste),
            (QKeySequence("Ctrl+D"), lambda: self.ranges.fill(down=True)),
            (QKeySequence("Ctrl+R"), lambda: self.ranges.fill(down=False)),
        ):
            if isinstance(sequence, QKeySequence.StandardKey):
                meant = event.matches(sequence)
            else:
                meant = QKeySequence(event.keyCombination()) == sequence
            if meant:
                act()
                return True
        if modifiers & Modifier.AltModifier and key in (Key.Key_Up, Key.Key_Down) and self._view.matrix.editable:
            # A key that is held down is one stroke; pressed again, it begins another.
            if not event.isAutoRepeat():
                self._stroke = None
            self._nudge(index, (1 if key == Key.Key_Up else -1) * self._unit(modifiers))
            return True
        if key in (Key.Key_Return, Key.Key_Enter):
            view.edit(index)
            return True
        if key in (Key.Key_Delete, Key.Key_Backspace):
            if self._view.matrix.editable:
                self.ranges.set_all(0.0)
            else:
                self.ranges.release()
            return True
        return key == Key.Key_Space and self.turn_over(index)

    def step(self, by: int) -> bool:
        """Go to the next cell in reading order; False behind the last, where Tab leaves the matrix."""
        view, index = self._view, self._view.currentIndex()
        columns = view.table.columnCount()
        place = index.row() * columns + index.column() + by
        if not 0 <= place < columns * view.table.rowCount():
            return False
        view.setCurrentIndex(view.table.index(*divmod(place, columns)))
        return True

    def go_down(self, by: int) -> None:
        """Go to the row below, or above."""
        view, index = self._view, self._view.currentIndex()
        row = min(max(index.row() + by, 0), view.table.rowCount() - 1)
        view.setCurrentIndex(view.table.index(row, index.column()))

    # Nudging

    def _unit(self, modifiers: Qt.KeyboardModifier) -> float:
        return 1.0 if self._view.matrix.values.dtype.kind == "i" else step_of(modifiers)

    def _nudge(self, index: ModelIndex, by: float) -> None:
        """Move a number by a step, rounded so that steps of 0.1 stay tenths."""
        row, column = index.row(), index.column()
        # The newest value: what is painted may be a few keys behind.
        value = round(self._view.newest(row, column) + by, 10)
        self._move_to(value, row, column)

    def _move_to(self, value: float, row: int, column: int) -> None:
        """Set a number as a step of the present stroke, or of a new one if something else was done since its last step:
        a stroke takes in what is between its steps, and undo would take all of it back at once.
        """
        if self._stroke is None or self._stroke is not self._view.bench.document.history.stroke:
            self._stroke = object()
        self.set({self._view.matrix.cell(row, column): value}, row, column, self._stroke)

    def end_stroke(self) -> None:
        """End the stroke: the next edit is an undo step of its own."""
        self._stroke, self._turned, self._turning = None, 0.0, False

    def wheel_turned(self, event: QWheelEvent) -> bool:
        """Handle a turn of the wheel; returns whether it was meant for a cell."""
        view, index = self._view, self._view.currentIndex()
        # Only for the current cell: otherwise the wheel scrolls the page. Once it turns, it stays with that cell until
        # the mouse is moved: wider numbers may move the cell away from under the mouse.
        here = self._turning or index == view.indexAt(event.position().toPoint())
        if not (self._view.matrix.editable and index.isValid() and here and view.hasFocus()):
            return False
        self._turning = True
        self._turned += event.angleDelta().y() / 120 or event.angleDelta().x() / 120
        notches = int(self._turned)
        self._turned -= notches
        if notches:
            self._nudge(index, notches * self._unit(event.modifiers()))
        return True

    def turn_over(self, index: ModelIndex) -> bool:
        """Open a closed cell of a mask drawn by hand, or close it. False where the matrix is no such mask."""
        view = self._view
        if not (self._view.matrix.editable and view.matrix.name.rpartition(".")[2] == "mask"):
            return False
        row, column = index.row(), index.column()
        self.set({view.matrix.cell(row, column): float(not view.newest(row, column))}, row, column)
        return True

    def mouse_pressed(self, event: QMouseEvent) -> None:
        """Note a press, which may begin a drag."""
        self.end_stroke()
        index = self._view.indexAt(event.position().toPoint())
        # With Shift or Ctrl a drag selects, as in any table.
        selecting = event.modifiers() & (Modifier.ShiftModifier | Modifier.ControlModifier)
        if (
            self._view.matrix.editable
            and index.isValid()
            and event.button() == Qt.MouseButton.LeftButton
            and not selecting
        ):
            start = self._view.newest(index.row(), index.column())
            # On the screen: wider numbers, or another part of the page, may move the matrix during the drag.
            at, unit = event.globalPosition().toPoint(), self._unit(event.modifiers())
            self._drag = index.row(), index.column(), at, start, unit

    def mouse_moved(self, event: QMouseEvent) -> bool:
        """Handle a move of the mouse; returns whether a cell is being dragged."""
        if self._drag is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self._turning = False
            return False
        row, column, origin, start, unit = self._drag
        if unit != (now := self._unit(event.modifiers())):  # Shift or Ctrl came or went: from here in its steps
            self._drag = row, column, event.globalPosition().toPoint(), self._view.newest(row, column), now
            return True
        moved = event.globalPosition().toPoint() - origin
        steps = int((moved.x() - moved.y()) / DRAG_PIXELS)
        if self._stroke is None and steps:
            self._stroke = object()
            self._view.setCursor(Qt.CursorShape.SizeAllCursor)
        if self._stroke is not None:
            value = round(start + steps * unit, 10) if steps else start
            self._move_to(value, row, column)
        return True

    def mouse_released(self) -> None:
        """End a drag, or a click, which opens or closes a cell of a mask."""
        if self._drag is not None and self._stroke is None:
            self.turn_over(self._view.table.index(*self._drag[:2]))
        self.end_drag()

    def end_drag(self) -> None:
        """End a drag: the mouse was released, or another head stands here now, whose number is another."""
        self._drag = None
        self._view.unsetCursor()
        self.end_stroke()

    # Pins

    def pin_pressed(self, event: QMouseEvent) -> bool:
        """Release a pinned cell if its corner was pressed; returns whether it was released."""
        view, at = self._view, event.position().toPoint()
        index = view.indexAt(at)
        if not index.isValid() or not view.matrix.pinned(index.row(), index.column()):
            return False
        if event.button() != Qt.MouseButton.LeftButton:  # the right one opens the menu of the cell
            return False
        way = at - view.visualRect(index).topLeft()
        if way.x() + way.y() > PIN + 2:
            return False
        cell = view.matrix.cell(index.row(), index.column())
        return self.do(Release(view.matrix.name, (cell,)), index.row(), index.column())
