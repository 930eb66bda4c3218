"""Ranges of cells as in a spreadsheet: selection, copy and paste, fill. Each ends in one command.

Selected numbers of a computed matrix can be dragged onto another matrix, also of another document. A few numbers are
written directly, many in the background, and no more than can be pasted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from io import StringIO
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import proxy

import numpy as np
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDrag, QDropEvent, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from explorer.core.errors import ExplorerError
from explorer.core.numbers import exact, read_number
from explorer.core.ops import Array
from explorer.document.commands import Release, SetArray
from explorer.document.state import Writing
from explorer.pages.matrix import COVERED, Matrix
from explorer.ui.background import Background
from explorer.ui.errors import show_done, show_error

if TYPE_CHECKING:
    from explorer.ui.matrix.editing import CellEditing
    from explorer.ui.matrix.view import MatrixView


class Ranges:
    """The selected cells of one view.

    `editing`: that of the view.
    """

    def __init__(self, view: MatrixView, editing: CellEditing) -> None:
        self._view = view
        self._editing: CellEditing = proxy(editing)  # a proxy: two objects that hold each other would not be freed

    def release(self) -> None:
        """Release the pinned cells of the selection: they are computed again."""
        matrix = self._view.matrix
        rows, columns = self.selected()
        if matrix.pins is None:
            return
        held = matrix.pins[rows.start : rows.stop, columns.start : columns.stop]
        cells = tuple(matrix.cell(rows[r], columns[c]) for r, c in np.argwhere(held).tolist())
        if cells:
            self._editing.do(Release(matrix.name, cells), rows[0], columns[0])

    def selected(self) -> tuple[range, range]:
        """The rows and columns that are selected."""
        # Not the selected cells: in a large matrix they may be a million.
        parts = self._view.selectionModel().selection().toList()
        if not parts:
            index = self._view.currentIndex()
            return range(index.row(), index.row() + 1), range(index.column(), index.column() + 1)
        return (
            range(min(part.top() for part in parts), max(part.bottom() for part in parts) + 1),
            range(min(part.left() for part in parts), max(part.right() for part in parts) + 1),
        )

    @property
    def several(self) -> bool:
        """Whether more than one cell is selected."""
        rows, columns = self.selected()
        return len(rows) * len(columns) > 1

    def copy(self) -> bool:
        """Copy the selected numbers, as they are shown but with all digits, as tab-separated text.

        Returns False, and shows an error, if they are too many.
        """
        rows, columns = self.selected()
        try:
            copy_numbers(
                len(rows) * len(columns), partial(_as_text, self._view.matrix, rows, columns), self._view.viewport()
            )
        except ExplorerError as error:
            self._editing.say(error, rows[0], columns[0])
            return False
        return True

    def text(self) -> str:
        """The selected numbers, as they are shown but with all digits, as tab-separated text.

        Raises `ExplorerError`: "copy-too-large".
        """
        rows, columns = self.selected()
        check_count(len(rows) * len(columns))
        return _as_text(self._view.matrix, rows, columns)

    def may_lift(self, event: QMouseEvent) -> bool:
        """Whether a press is on selected numbers of a computed matrix, so that a drag takes these along."""
        index, (rows, columns) = self._view.indexAt(event.position().toPoint()), self.selected()
        plain = event.button() == Qt.MouseButton.LeftButton and not event.modifiers() and not self._view.matrix.editable
        return plain and index.isValid() and index.row() in rows and index.column() in columns

    def lift(self) -> None:
        """Drag the selected numbers, as text, to where the mouse is released."""
        data = QMimeData()
        try:
            data.setText(self.text())
        except ExplorerError as error:
            show_error(error, self._view.viewport())
            return
        drag = QDrag(self._view)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)

    def offered(self, event: QDropEvent) -> bool:
        """Accept numbers that are dragged over the view, if they can be dropped there."""
        fits = _has_numbers(event) and self._view.indexAt(event.position().toPoint()).isValid()
        event.setDropAction(Qt.DropAction.CopyAction if fits else event.dropAction())
        event.setAccepted(fits)
        return fits

    def dropped(self, event: QDropEvent) -> None:
        """Put dropped numbers into the cells, from the one under the mouse on."""
        if self.offered(event):
            self._view.clearSelection()
            self._view.setCurrentIndex(self._view.indexAt(event.position().toPoint()))
            self.put(event.mimeData().text())

    def cut(self) -> None:
        """Copy the selection, then set it to 0."""
        if self._is_ours() and self.copy():
            self.set_all(0.0)

    def set_all(self, value: float) -> bool:
        """Set the selection to one number, or pin it there."""
        rows, columns = self.selected()
        matrix = self._view.matrix
        if matrix.editable:
            return self._set_block(rows, columns, np.full((len(rows), len(columns)), value))
        cells = {matrix.cell(r, c): value for r in rows for c in columns}
        return self._editing.set(cells, rows[0], columns[0])

    def paste(self) -> None:
        """Set cells to the table of numbers on the clipboard: all, or none. Computed cells are pinned there.

        If the selection has a multiple of the table's rows or columns, the table is repeated: one number fills all
        cells.
        """
        self.put(QGuiApplication.clipboard().text())

    def put(self, text: str) -> None:
        """Set the selection, and cells to its right and below it, to a table of numbers; see `paste`."""
        rows, columns = self.selected()
        view = self._view
        try:
            table = np.array(parsed(text, view.matrix.name))
            sizes = zip((rows, columns), table.shape, strict=True)
            times = [len(part) // n if len(part) % n == 0 else 1 for part, n in sizes]
            height, width = view.table.rowCount() - rows[0], view.table.columnCount() - columns[0]
            if table.shape[0] > height or table.shape[1] > width:
                given = "{} × {}".format(*table.shape)
                raise ExplorerError("paste-too-large", given=given, room=f"{height} × {width}")
        except ExplorerError as error:
            self._editing.say(error, rows[0], columns[0])
            return
        self._set_block(rows, columns, np.tile(table, times))

    def fill(self, down: bool) -> None:
        """Copy the selection's first row, or column, into the others; a single one gets the row or column before it."""
        if not self._is_ours():
            return
        rows, columns = self.selected()
        row, column = rows[0], columns[0]
        if down:
            row -= len(rows) == 1 and row > 0
            first = np.array([[self._view.newest(row, column) for column in columns]])
        else:
            column -= len(columns) == 1 and column > 0
            first = np.array([[self._view.newest(row, column)] for row in rows])
        self._set_block(rows, columns, np.broadcast_to(first, (len(rows), len(columns))))

    def _is_ours(self) -> bool:
        """Whether the matrix is an input; if not, an error is shown."""
        if not self._view.matrix.editable:
            index = self._view.currentIndex()
            self._editing.say(ExplorerError("computed-cell", name=self._view.matrix.name), index.row(), index.column())
        return self._view.matrix.editable

    def _set_block(self, rows: range, columns: range, values: Array) -> bool:
        """Set cells from a row and a column on, or pin computed ones: all of them, or none."""
        matrix, row, column = self._view.matrix, rows[0], columns[0]
        if values.size == 1 or matrix.values.dtype.kind != "f" or not matrix.editable:
            cells = {matrix.cell(row + r, column + c): v for (r, c), v in np.ndenumerate(values)}
            return self._editing.set(cells, row, column)

        def into(array: Array) -> None:
            shown = np.atleast_2d(array).T if matrix.turned else np.atleast_2d(array)
            shown[row : row + values.shape[0], column : column + values.shape[1]] = values

        what = f"Set {values.size} cells of"
        return self._editing.do(SetArray(matrix.name, Writing(matrix.shape, into), what), row, column)


def _as_text(matrix: Matrix, rows: range, columns: range) -> str:
    """Numbers as they are shown but with all digits, as tab-separated text."""

    def number(row: int, column: int) -> str:
        if matrix.nothing:
            return matrix.text(row, column)
        asked = (row, column) in matrix.covered  # by a question
        return COVERED if asked else exact(matrix.array[row, column]).replace("−", "-")

    return "\n".join("\t".join(number(row, column) for column in columns) for row in rows)


def parsed(text: str, name: str = "") -> Sequence[Sequence[float]]:
    """A table of numbers, as spreadsheets, Python, Markdown and CSV have them; labels of rows and columns are left out.

    `name`: that of the matrix; where it stands in the corner, the first row and the first column are labels.
    Raises `ExplorerError`: "paste-empty", "paste-uneven", "paste-too-long", "bad-number" or "number-too-large".
    """
    if not text.strip():
        raise ExplorerError("paste-empty")
    lines = _cells_in(text)
    if len({len(line) for line in lines}) > 1:
        raise ExplorerError("paste-uneven")
    if len(lines) * len(lines[0]) > MOST_PASTED:
        raise ExplorerError("paste-too-long", limit=MOST_PASTED)
    (corner, *head), *below = lines
    if head and below and not _is_number(corner):
        ours = corner == name
        columns = ours or not all(map(_is_number, head)) or head == [str(j + 1) for j in range(len(head))]
        rows = ours or not all(_is_number(label) for label, *_ in below)
        lines = [line[rows:] for line in lines[columns:]]
    return [[read_number(cell) for cell in line] for line in lines]


_ROW = re.compile(r"\[([^\[\]]*)\]")
"""A row of a printed array, or of a list."""
_GROUPS = re.compile(r"[-−]?\d{1,3}([ ,]\d{3})+(\.\d*)?")
"""What may be a single number of several thousands."""
_RULE = re.compile(r"[\s|:-]+")
"""The line below the head of a Markdown table."""


def _cells_in(text: str) -> list[list[str]]:
    """The texts of the cells of a table, by rows."""
    import csv  # the first picture does not need it

    lines = [line.strip() for line in text.splitlines() if line.strip()]
    tabs = "\t" in text
    if not tabs:
        # numpy, PyTorch, lists, JSON; in what is copied here, comments name rows and columns.
        code = "\n".join(line for line in lines if not line.startswith("#"))
        rows = [[cell for cell in re.split(r"[\s,]+", row) if cell] for row in _ROW.findall(code)]
        if rows and all(_is_number(cell) or cell == "..." for row in rows for cell in row):  # no label, such as [CLS]
            return rows
        if all(line[0] == line[-1] == "|" and len(line) > 2 for line in lines):
            return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if not _RULE.fullmatch(line)]
        if all(map(_is_number, text.split())) and not any(map(_GROUPS.fullmatch, lines)):
            return [line.split() for line in lines]
    # A single comma in a line may be the point of a number.
    behind = [line.split(",")[1:] for line in lines if not tabs and not _GROUPS.fullmatch(line)]
    commas = any(len(parts) > 1 or any("." in part or part.startswith(" ") for part in parts) for parts in behind)
    kind: dict[str, Any] = {"delimiter": ",", "skipinitialspace": True} if commas else {"delimiter": "\t"}
    try:
        return list(csv.reader(StringIO(text.rstrip("\r\n")), **kind))
    except csv.Error:
        raise ExplorerError("paste-uneven") from None


def _is_number(text: str) -> bool:
    try:
        read_number(text)
    except ExplorerError as error:
        return error.id != "bad-number"
    return True


def _has_numbers(event: QDropEvent) -> bool:
    """Whether text is dropped; a file, which has one too, is left to the window, which opens it."""
    return event.mimeData().hasText() and not event.mimeData().hasUrls()


MOST_PASTED = 1_000_000
"""The most numbers that are copied or pasted: more would take minutes, and the memory of several models."""
AT_ONCE = 20_000
"""The most numbers that are written directly, in one turn of the event loop, which takes 20 to 50 ms then."""

NEWEST, _COPIES = "newestCopy", count()
"""The property of the clipboard with the number of the latest copy, and the numbers of copies."""


def claim() -> int:
    """Note that something is copied now: numbers that are still being written give way. Returns its number."""
    number = next(_COPIES)
    QGuiApplication.clipboard().setProperty(NEWEST, number)
    return number


def copy_numbers(numbers: int, text: Callable[[], str], beside: QWidget, said: str = "") -> None:
    """Put numbers on the clipboard; `numbers` says how many.

    `text`: writes the numbers; many are written on another thread, so it must hold no widget.
    `beside`: the widget at which it is said when they are there.

    Raises `ExplorerError`: "copy-too-large".
    """
    check_count(numbers)
    clipboard, number = QGuiApplication.clipboard(), claim()

    def take(found: str) -> str:
        if clipboard.property(NEWEST) != number:
            return ""  # something else was copied while these were written
        clipboard.setText(found)
        return said

    write_numbers(numbers, text, take, beside)


def check_count(numbers: int) -> None:
    """Raise `ExplorerError` "copy-too-large" if there are more numbers than can be copied."""
    if numbers > MOST_PASTED:
        raise ExplorerError("copy-too-large", limit=f"{MOST_PASTED:,}")


def write_numbers(numbers: int, text: Callable[[], str], take: Callable[[str], str], beside: QWidget) -> None:
    """Write numbers as text, and give the text to `take`, which returns what is to be said then.

    `numbers`, `text`, `beside`: as for `copy_numbers`.
    """
    if numbers <= AT_ONCE:
        _say(take(text()), beside)
        return
    window = beside.window()
    worker = Background(window)  # the page may be gone before the numbers are written

    def done(found: str) -> None:
        worker.deleteLater()
        _say(take(found), beside if isValid(beside) else window)

    worker.failed.connect(lambda error: show_error(error, beside if isValid(beside) else window))
    worker.ask(lambda _report: text(), done)


def _say(said: str, beside: QWidget) -> None:
    if said:
        show_done(said, beside)
