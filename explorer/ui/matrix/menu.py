"""The menu of a matrix: what can be done with the selection, and with the matrix as a whole.

Also what it opens: the export of a matrix, as text on the clipboard or as a file; the dialog that asks which settings
give the numbers that a text prints; and the one in which gradient descent looks for inputs that give a cell a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPixmap, QResizeEvent
from PySide6.QtWidgets import QDialog, QListWidget, QMenu, QPlainTextEdit, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError, cut, require_cell
from explorer.core.graph import Cell, Root
from explorer.core.model import SWITCHES
from explorer.core.ops import Array
from explorer.core.ops.weights import write_weights
from explorer.core.progress import Progress, Report
from explorer.document.commands import Replace, SetArray
from explorer.document.state import State, Writing
from explorer.export.matrix import ENDINGS, FORMATS, LabelledMatrix, save
from explorer.lessons.conventions import Convention, Finding, conventions, print_of
from explorer.pages.gestures import Ask, ForSeek
from explorer.pages.levels import block_title
from explorer.pages.matrix import Matrix
from explorer.pages.model.seek import search_for, seek_page
from explorer.sentences import sentence
from explorer.training.goal_seek import MOST_STEPS, Sought, command, seek
from explorer.ui.background import Background
from explorer.ui.dialogs import Dialogs
from explorer.ui.errors import show_done, show_error
from explorer.ui.matrix.ranges import claim, copy_numbers, write_numbers
from explorer.ui.page.column import Elements
from explorer.ui.theme import Role, mark
from explorer.ui.widgets.inputs import PushButton, be_as_large
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.widgets.tree import delete_now
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView
    from explorer.ui.workbench import Workbench


SHARP = 3
"""The pixels of a copied picture for each pixel of the screen, along each side."""


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
        whole.addAction("Copy as a picture", self._copy_picture)
        if not view.matrix.editable:
            self.addAction("Select the row", lambda: view.selectRow(view.currentIndex().row()))
            self._add("Paste and pin", "Ctrl+V", ranges.paste)
            self.addAction("Pin a value by hand\tEnter", lambda: view.edit(view.currentIndex()))
            self.addAction("Release\tDelete", ranges.release)
            asked = view.bench, view.matrix.name, view.window()
            self.addAction("Which settings give my numbers …", lambda: Conventions(*asked).show())
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

    def _copy_picture(self) -> None:
        """Put the matrix with its heading on the clipboard, sharp enough for a slide of one's own.

        It is made anew: on the page its rows may be named by the matrix before it.
        """
        from explorer.ui.matrix.box import MatrixBox

        view, bench = self._view, self._view.bench
        box = MatrixBox(bench, view.matrix, view.window())
        box.form = view.form._replace(labelled=True, least=(0, 0), tight=False)
        box.stand()
        box.hide_links()
        box.resize(box.sizeHint())
        picture = QPixmap(box.size() * SHARP)
        picture.setDevicePixelRatio(SHARP)
        picture.fill(bench.appearance.theme.page)  # the matrix itself is transparent: it would be pasted black
        box.render(picture)
        delete_now(box)
        claim()
        QGuiApplication.clipboard().setPixmap(picture)
        show_done(f"{view.matrix.name} is on the clipboard as a picture", view)

    def _add(self, text: str, keys: str, act: Callable[[], object]) -> None:
        """Add an entry that shows its keys; the matrix handles the keys, not the menu."""
        self.addAction(f"{text}\t{QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)}", act)

    def _seek(self) -> None:
        view, at = self._view, self._view.currentIndex()
        labels = (("row", view.matrix.rows[at.row()]), ("column", view.matrix.columns[at.column()]))
        where = ", ".join(f"{what} {label}" for what, label in labels if label)
        SeekDialog(view.bench, view.matrix.cell_at(at.row(), at.column()), where, view.window()).show()

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


_LONGEST = 80  # letters of a label for undo


class Conventions(QDialog):
    """A person pastes numbers; the settings that give them are listed, the likeliest first, and can be opened.

    `node`: the name of the node, or of the head's slice of one, that the numbers are of.
    """

    def __init__(self, bench: Workbench, node: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Which settings give my numbers?")
        self._bench, self._node = bench, node
        self._state: State | None = None
        self._found: tuple[Convention, ...] = ()
        self._background = Background(self)
        self._background.busy.connect(self._wait)
        self._background.failed.connect(lambda error: self._say(sentence(error), "error"))
        px = bench.appearance.px
        column = QVBoxLayout(self)
        column.setContentsMargins(px(18), px(18), px(18), px(14))
        column.setSpacing(px(10))
        what = f"What does your text give for {node}? Paste its numbers; “?” stands for one that you do not have."
        column.addWidget(Label(what, wraps=True))
        self.numbers = mark(QPlainTextEdit(), role="code")
        self.numbers.setAccessibleName(f"Numbers of {node}")
        self.numbers.setTabChangesFocus(True)
        self.numbers.setPlaceholderText("0.15 0.32 0.53\n0.10 0.20 0.70")
        column.addWidget(self.numbers, 1)
        self.search = PushButton("Find", self._search, look="primary", keys=True)
        column.addWidget(self.search, 0, Qt.AlignmentFlag.AlignRight)
        self.told = Label(role="muted", wraps=True)
        self.told.hide()
        column.addWidget(self.told)
        self.ways = QListWidget()
        self.ways.setAccessibleName("Settings that give the numbers")
        self.ways.setWordWrap(True)
        self.ways.itemActivated.connect(self._open)
        self.ways.hide()
        column.addWidget(self.ways, 1)
        self.open_ = PushButton("Open with this setting", self._open, keys=True)
        self.open_.hide()
        column.addWidget(self.open_, 0, Qt.AlignmentFlag.AlignRight)
        be_as_large(self, px(520), px(420))

    def _search(self) -> None:
        state = self._bench.document.state
        try:
            one = print_of(state, self._node, self.numbers.toPlainText())
        except ExplorerError as error:
            self._say(sentence(error), "error")
            return
        self._state = state

        def search(report: Report) -> Finding:
            return conventions(state, [one], told=lambda tried: report(Progress("seeking", tried, 0)))

        self._background.ask(search, self._show)

    def _wait(self, busy: bool) -> None:
        self.search.setEnabled(not busy)
        if busy:
            self._say("Trying settings; this may take ten seconds.", "muted")

    def _show(self, answer: Finding) -> None:
        self._found = answer.found
        self.ways.clear()
        self.ways.addItems([_words(one) for one in answer.found])
        self.ways.setVisible(bool(answer.found))
        self.open_.setVisible(bool(answer.found))
        if answer.found:
            self.ways.setCurrentRow(0)
            self.ways.setFocus()
            self._say("The likeliest stands first.", "muted")
        else:
            asked = "Are the numbers of the inputs those of the text?"
            self._say(f"No setting that was tried gives these numbers. {asked}", "error")

    def _open(self) -> None:
        if not 0 <= self.ways.currentRow() < len(self._found):
            return
        if self._bench.document.wanted is not self._state:
            self._say("The model has changed since; find the settings again.", "error")
            return
        chosen = self._found[self.ways.currentRow()]
        self._bench.document.do(Replace(chosen.state, cut(f"Set {_words(chosen)}", _LONGEST)))
        self.accept()

    def _say(self, words: str, role: Role) -> None:
        mark(self.told, role=role).setText(words)
        self.told.setVisible(bool(words))


def _words(way: Convention) -> str:
    """A found setting in the words of the window: "Scale: none (Encoder 1: Self-attention)"."""
    blocks, said = way.state.model.blocks(), []
    for name, value in way.changed.items():
        block, _, short = name.rpartition(".")
        said.append(f"{SWITCHES[blocks[block]][short].title}: {_value(value)} ({block_title(way.state.graph, block)})")
    said += [way.slip] * bool(way.slip)
    said += [f"rounded to {way.rounded} decimals on the way"] * (way.rounded is not None)
    return "; ".join(said) or "as it is now"


def _value(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


WIDE, HIGH = 560, 480
"""Pixels at text scale 1."""


class SeekDialog(QDialog):
    """A person types a value, and chooses what may change; the result is one step of undo.

    `where`: the cell in words, "row friend, column Emma".
    """

    def __init__(self, bench: Workbench, cell: Cell, where: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Find inputs for a value")
        self._bench, px = bench, bench.appearance.px
        document = bench.document
        self.search = search_for(document.state, document.engine, Root(cell.node, cell.index), where)
        self._background = Background(self)
        self._background.failed.connect(self._say)
        self._background.progressed.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(18), px(18), px(18), px(14))
        self._area = scroll_area(sideways=False)
        column.addWidget(self._area)
        self.elements = Elements(bench, px(10))
        self._area.setWidget(self.elements)
        bench.selection.asked.connect(self._do)
        bench.bridge.changed.connect(self._follow)
        be_as_large(self, px(WIDE), px(HIGH))
        self._show()
        self.elements.widgets["wish"].setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in the field asks for the search by itself; a dialog would press a button as well.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if not isinstance(gesture, ForSeek) or not self.isAncestorOf(at):
            return
        try:
            match gesture.act:
                case "find":
                    self._find()
                case "stop":
                    self._background.stop()
                    self.search = replace(self.search, busy=False, stopped=True)
                case "use":
                    self._use()
                case _:
                    self.search = self.search.do(gesture.act, gesture.value)
        except ExplorerError as error:
            show_error(error, at)
            return
        self._show()

    def _follow(self, *_: object) -> None:
        """Say the present number: the model is edited beside the dialog."""
        self.search = self.search.now(self._bench.document.engine)
        self._show()

    def _find(self) -> None:
        search = self.search
        if search.busy or not search.chosen:
            return
        state, root = self._bench.document.state, search.root
        wished = search.wished, search.changes
        if root.node not in state.graph.nodes:
            raise ExplorerError("seek-stale")
        require_cell(root.node, root.cell, state.graph.shape(root.node))
        self.search = replace(search, state=state, busy=True, steps=0, stopped=False, found=None)

        def work(report: Report) -> Sought:
            return seek(state, root, *wished, lambda step: report(Progress("seeking", step, MOST_STEPS)))

        self._background.ask(work, self._found)

    def _tell(self, progress: Progress) -> None:
        self.search = replace(self.search, steps=int(progress.done))
        self._show()

    def _found(self, found: Sought) -> None:
        self.search = replace(self.search, busy=False, found=found)
        self._show()

    def _say(self, error: ExplorerError) -> None:
        self.search = replace(self.search, busy=False)
        self._show()
        show_error(error, self)

    def _use(self) -> None:
        found = self.search.found
        assert found is not None
        if self._bench.document.wanted is not self.search.state:
            self.search = replace(self.search, found=None)
            raise ExplorerError("seek-stale")
        self._bench.document.do(command(found, self.search.name))
        self.accept()

    def _show(self) -> None:
        self.elements.tell(seek_page(self.search))
        self.elements.share_room(self._area.viewport().width(), None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.elements.share_room(self._area.viewport().width(), None)
