"""Choosing a word of a vocabulary in a cell: type a part of it, or pick it from the list."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    QStringListModel,
    Qt,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QListView, QStyleOptionViewItem, QWidget

from explorer.core.errors import ExplorerError, nearest
from explorer.ui.errors import show_error
from explorer.ui.page.gestures import perform
from explorer.ui.page.listing_model import RowPainter
from explorer.ui.widgets.inputs import ComboBox


class WordChooser(RowPainter):
    """Paints a listing, and makes the editor with which a word of the vocabulary is chosen."""

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        box = ComboBox(parent)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        # A vocabulary may have 50,000 words, so they are not measured, and only visible entries are laid out.
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        entries = QListView()
        entries.setUniformItemSizes(True)
        box.setView(entries)
        box.setModel(QStringListModel(list(self._view.listing.vocabulary), box))
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
        """End the choice, but only once: Enter on a word of the list calls this twice."""
        if not box.property("done"):
            box.setProperty("done", True)
            self.commitData.emit(box)
            self.closeEditor.emit(box)

    def setEditorData(self, editor: QWidget, index: QModelIndex | QPersistentModelIndex) -> None:
        """Show the present word, unless something was typed: an update of the page must not remove it."""
        assert isinstance(editor, QComboBox)
        line = editor.lineEdit()
        assert line is not None
        if line.isModified():
            return
        with QSignalBlocker(editor):
            editor.setCurrentIndex(editor.findText(index.data(Qt.ItemDataRole.EditRole), Qt.MatchFlag.MatchExactly))
        line.selectAll()

    def setModelData(
        self, editor: QWidget, model: QAbstractItemModel, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        assert isinstance(editor, QComboBox)
        text, view, words = editor.currentText().strip(), self._view, self._view.listing.vocabulary
        first, at = (words.index(text) if text in words else -1), editor.currentIndex()
        if not (0 <= at < len(words) and words[at] == text):  # it was typed: two words of the list may be equal
            at = first
        if text == index.data(Qt.ItemDataRole.EditRole) and at == first:
            return
        choose = view.table.line(index.row()).entries[index.column()].choose
        assert choose is not None
        if at >= 0:
            perform(view.bench, choose.at(at), view.viewport(), rect=view.visualRect(index))
        else:
            near = nearest(text, list(words))
            error = ExplorerError("unknown-word", word=text, vectors="the output vocabulary", near=near)
            show_error(error, view.viewport(), view.visualRect(index))

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Keep the editor open when the popup of its list takes the focus, and at Enter, which `_done` handles."""
        if isinstance(editor, QComboBox):
            if event.type() == QEvent.Type.FocusOut and editor.view().isVisible():
                return False
            entering = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if entering and event.type() == QEvent.Type.KeyPress:
                return False
        return super().eventFilter(editor, event)
