"""Choosing a word of a vocabulary in a cell: type a part of it, or pick it from the list."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QListView, QStyleOptionViewItem, QWidget

from explorer.core.errors import ExplorerError, nearest
from explorer.ui.errors import show_error
from explorer.ui.widgets.boxes import ComboBox
from explorer.ui.widgets.listing import Listing
from explorer.ui.widgets.row_painter import RowPainter
from explorer.ui.widgets.rows import ModelIndex


class WordChooser(RowPainter):
    """Paints a listing whose words can be chosen.

    Parameters
    ----------
    view : Listing
    words : callable
        The vocabulary, as it is now.
    choose : callable
        ``choose(row, word)``: gives a row the word of that number.
    """

    def __init__(self, view: Listing, words: Callable[[], tuple[str, ...]], choose: Callable[[int, int], None]) -> None:
        super().__init__(view)
        self._vocabulary = words
        self._choose = choose

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: ModelIndex) -> QWidget:
        box = ComboBox(parent)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        # A vocabulary may have 50,000 words: nothing is measured, and only what is in sight is laid out.
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        entries = QListView()
        entries.setUniformItemSizes(True)
        box.setView(entries)
        box.setModel(QStringListModel(list(self._vocabulary()), box))
        completer = box.completer() or QCompleter(box)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        box.setAccessibleName("Right word")
        box.activated.connect(lambda: self._done(box))
        line = box.lineEdit()
        assert line is not None
        line.returnPressed.connect(lambda: self._done(box))
        return box

    def _done(self, box: QComboBox) -> None:
        """End the choice, once: Enter on a word of the list says it twice."""
        if not box.property("done"):
            box.setProperty("done", True)
            self.commitData.emit(box)
            self.closeEditor.emit(box)

    def setEditorData(self, editor: QWidget, index: ModelIndex) -> None:
        assert isinstance(editor, QComboBox)
        editor.blockSignals(True)
        editor.setCurrentIndex(editor.findText(index.data(Qt.ItemDataRole.EditRole), Qt.MatchFlag.MatchExactly))
        editor.blockSignals(False)
        line = editor.lineEdit()
        assert line is not None
        line.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: ModelIndex) -> None:
        assert isinstance(editor, QComboBox)
        text = editor.currentText().strip()
        if text == index.data(Qt.ItemDataRole.EditRole):
            return
        words = self._vocabulary()
        try:
            if text not in words:
                near = nearest(text, list(words))
                raise ExplorerError("unknown-word", word=text, vectors="the output vocabulary", near=near)
            self._choose(index.row(), words.index(text))
        except ExplorerError as error:
            show_error(error, self._view.viewport(), self._view.visualRect(index))

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """The popup of the list takes the focus, which does not end the choice; Enter ends it in `_done`."""
        if isinstance(editor, QComboBox):
            if event.type() == QEvent.Type.FocusOut and editor.view().isVisible():
                return False
            entering = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if entering and event.type() == QEvent.Type.KeyPress:
                return False
        return super().eventFilter(editor, event)
