"""A line of text whose last word is completed from a vocabulary."""

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

OFFERED = 8
_BREAK = re.compile(r"[\s,;]+")


class WordLine(QLineEdit):
    """A line whose last word is completed, where `complete` gives words that begin so, and how many at most."""

    written = Signal()  # by a person, or taken over from what is offered

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.complete: Callable[[str, int], Sequence[str]] | None = None
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(self)
        self._completer.setMaxVisibleItems(OFFERED)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self._completer.activated.connect(self._insert)
        self.textEdited.connect(self._offer)
        self.textEdited.connect(lambda _: self.written.emit())

    def _start(self) -> tuple[int, str]:
        """Where the word begins that the cursor stands behind, and what there is of it."""
        before = self.text()[: self.cursorPosition()]
        last = max((match.end() for match in _BREAK.finditer(before)), default=0)
        return last, before[last:]

    def _offer(self) -> None:
        _, start = self._start()
        found = list(self.complete(start, OFFERED)) if self.complete is not None and start else []
        if not found or found == [start]:
            self._popup.hide()
            return
        self._model.setStringList(found)
        self._completer.complete()

    def _insert(self, word: str) -> None:
        at, start = self._start()
        text = self.text()
        self.setText(text[:at] + word + text[at + len(start) :])
        self.setCursorPosition(at + len(word))
        self.written.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # With a word picked in the list, Enter takes it over; only the next one asks. The list has a current row
            # from the beginning, but nothing is picked before an arrow key selects it.
            if popup.isVisible() and popup.selectionModel().hasSelection():
                event.ignore()
                return
            popup.hide()
        super().keyPressEvent(event)
