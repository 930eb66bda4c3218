"""The menu of a matrix: what can be done with the selection, and with the matrix as a whole.

Also the export of a matrix, as text on the clipboard or as a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.ops.weights import write_weights
from explorer.document.commands import SetArray
from explorer.document.state import Writing
from explorer.export.matrix import ENDINGS, FORMATS, LabelledMatrix, save
from explorer.pages.matrix import Matrix
from explorer.pages.view import Cell
from explorer.ui.dialogs import Dialogs
from explorer.ui.errors import show_error
from explorer.ui.matrix.ranges import copy_numbers, write_numbers

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView
    from explorer.ui.workbench import Workbench


def table_of(matrix: Matrix) -> LabelledMatrix:
    """What a matrix shows, with all digits.

    Raises `ExplorerError`: "covered-matrix" if a question asks for some of its numbers.
    """
    if matrix.covered:
        raise ExplorerError("covered-matrix", name=matrix.name)
    # A row has no labels of rows, and a column none of columns.
    rows, columns = (labels if any(labels) else () for labels in (matrix.rows, matrix.columns))
    # Where there is no change or difference, "–" is shown: 0 would mean that nothing differs.
    array = np.full(matrix.array.shape, np.nan) if matrix.nothing else matrix.array
    return LabelledMatrix(matrix.name, matrix.formula, array, rows, columns)


def ways(matrix: Matrix, beside: QWidget, bench: Workbench) -> Iterator[tuple[str, Callable[[], None]]]:
    """What can be done with a whole matrix: the words of each entry, and its act, which reports beside a widget."""
    for name in FORMATS:
        yield f"Copy as {name}", partial(_told, beside, partial(_copy, matrix, name, beside))
    yield "Save as a file …", partial(_told, beside, partial(_save, matrix, beside, bench))


def _copy(matrix: Matrix, name: str, beside: QWidget) -> None:
    table = table_of(matrix)
    said = f"{matrix.name} is on the clipboard as {name}"
    copy_numbers(table.value.size, partial(FORMATS[name], table), beside, said)


def _save(matrix: Matrix, beside: QWidget, bench: Workbench) -> None:
    table = table_of(matrix)
    known = {f"{name} (*{ending})": ending for ending, name in ENDINGS.items()}
    path = Dialogs(beside.window()).to_save_matrix(bench.folder / f"{matrix.name}.tsv", known)
    if path is not None:
        bench.folder = path.parent
        write_numbers(table.value.size, partial(_saved, table, path), lambda said: said, beside)


def _saved(table: LabelledMatrix, path: Path) -> str:
    (written,) = save(table, path)
    return f"{table.name} is in {written}"


def _told(beside: QWidget, act: Callable[[], None]) -> None:
    try:
        act()
    except ExplorerError as error:
        show_error(error, beside)


class MatrixMenu(QMenu):
    """Of an input: copy, paste, fill, and values for all of it; of a computed matrix: copy, paste as pins, release."""

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view, ranges = view, view.editing.ranges
        self._add("Copy", "Ctrl+C", ranges.copy)
        whole = self.addMenu("The whole matrix")
        for words, act in ways(view.matrix, view, view.bench):
            whole.addAction(words, act)
        if not view.matrix.editable:
            self.addAction("Select the row", lambda: view.selectRow(view.currentIndex().row()))
            self._add("Paste and pin", "Ctrl+V", ranges.paste)
            self.addAction("Pin a value by hand\tEnter", lambda: view.edit(view.currentIndex()))
            self.addAction("Release\tDelete", ranges.release)
            self.addAction("Which settings give my numbers …", self._ask_for_settings)
            at = view.currentIndex()
            told = at.isValid() and (at.row(), at.column()) not in view.matrix.covered
            self.addAction("Find inputs for a value …", self._seek).setEnabled(told)
            return
        values = view.matrix.own
        self._add("Cut", "Ctrl+X", ranges.cut)
        self._add("Paste", "Ctrl+V", ranges.paste)
        self._add("Fill down", "Ctrl+D", lambda: ranges.fill(down=True))
        self._add("Fill right", "Ctrl+R", lambda: ranges.fill(down=False))
        self.addSeparator()
        self.addAction("All zeros", lambda: self._set("Zeros", np.broadcast_to(0.0, values.shape)))
        if values.dtype.kind == "f":
            if values.ndim == 2:
                self.addAction("Identity", lambda: self._set("Identity", np.eye(*values.shape)))
            self.addAction("Random numbers", self._randomise)
        self.addAction("The lesson's values", self._reset)

    def _add(self, text: str, keys: str, act: Callable[[], object]) -> None:
        """Add an entry that shows its keys; the matrix handles the keys, not the menu."""
        self.addAction(f"{text}\t{QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)}", act)

    def _ask_for_settings(self) -> None:
        from explorer.ui.matrix.searches import Conventions  # rarely used

        view = self._view
        Conventions(view.bench, view.matrix.name, view.window()).show()

    def _seek(self) -> None:
        from explorer.ui.matrix.searches import SeekDialog  # rarely used

        view, at = self._view, self._view.currentIndex()
        labels = (("row", view.matrix.rows[at.row()]), ("column", view.matrix.columns[at.column()]))
        where = ", ".join(f"{what} {label}" for what, label in labels if label)
        cell = Cell(view.matrix.place.node, view.matrix.index(at.row(), at.column()))
        SeekDialog(view.bench, cell, where, view.window()).show()

    def _set(self, what: str, values: Array | Writing) -> None:
        self._view.editing.do(SetArray(self._view.matrix.name, values, what), 0, 0)

    def _randomise(self) -> None:
        """Set new random numbers of the size that initial weights have."""
        draw = partial(write_weights, random=np.random.default_rng(), initialiser="xavier")
        self._set("Randomise", Writing(self._view.matrix.shape, draw))

    def _reset(self) -> None:
        view = self._view
        lesson, setting = view.bench.lesson, view.bench.document.state.setting
        state = lesson.state(setting if setting in lesson.settings else None)
        values = state.inputs.get(view.matrix.place.node)
        if values is None:
            view.editing.say(ExplorerError("no-lesson-value", name=view.matrix.name), 0, 0)
            return
        head = view.matrix.place.index
        self._set("Reset", values[head] if head and head[0] < len(values) else values)
