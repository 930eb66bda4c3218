"""Fields for words: what is typed is completed from the vocabulary, and a misspelt word gets suggestions."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QPushButton, QWidget

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.layouts import column_in
from explorer.ui.words.card import label
from explorer.ui.words.tab_state import TabState
from explorer.ui.workbench import Workbench

OFFERED = 8
LEAST = 130
"""Pixels at text scale 1 that a line has at least: on a narrow page a long one is cut, and scrolls while one types."""
_BREAK = re.compile(r"[\s,;]+")


class _Line(QLineEdit):
    """A line whose last word is completed."""

    wanted = Signal()

    def __init__(self, state: TabState) -> None:
        super().__init__()
        self._state = state
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(self)
        self._completer.setMaxVisibleItems(OFFERED)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self._completer.activated.connect(self._insert)
        self.textEdited.connect(self._offer)

    def _start(self) -> tuple[int, str]:
        """Where the word begins that the cursor stands behind, and what there is of it."""
        before = self.text()[: self.cursorPosition()]
        last = max((match.end() for match in _BREAK.finditer(before)), default=0)
        return last, before[last:]

    def _offer(self) -> None:
        _, start = self._start()
        vectors = self._state.vectors
        found = vectors.complete(start, OFFERED) if vectors is not None and start else []
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # With a word picked in the list, Enter takes it over; only the next one asks. The list has a current row
            # from the beginning, but nothing is picked before an arrow key selects it.
            if popup.isVisible() and popup.selectionModel().hasSelection():
                event.ignore()
                return
            popup.hide()
            self.wanted.emit()
            return
        super().keyPressEvent(event)


class WordField(QWidget):
    """A line for a word, or for several. Where a word is not known, `offers` says so and has suggestions.

    Parameters
    ----------
    spoken : str
        What is asked for, for a screen reader and the tooltip.
    width : int
        Pixels at text scale 1.
    split : str
        What stands between two entries: a blank, or "," where an entry may have several words.
    """

    entered = Signal()  # Enter was pressed, and all words are known

    def __init__(self, bench: Workbench, state: TabState, spoken: str, width: int = 150, split: str = "") -> None:
        super().__init__()
        self._bench, self._state, self._width, self._split = bench, state, width, split
        self._typed = False
        self.edit = _Line(state)
        self.edit.setAccessibleName(spoken)
        self.edit.setToolTip(f"{spoken}; press Enter")
        self.edit.setPlaceholderText(spoken)
        self.edit.wanted.connect(self.entered)
        self.edit.textEdited.connect(self._note)
        self.setFocusProxy(self.edit)
        self.offers = QWidget()
        self._flow = FlowLayout(self.offers, 4, 2)
        column_in(self, self.edit)
        self.offers.hide()
        self.restyle()

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._bench.appearance.px
        self.edit.setMinimumWidth(px(min(self._width, LEAST)))
        self.edit.setMaximumWidth(px(self._width))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """As wide as it is to be; a line itself would ask for some letters."""
        return QSize(self._bench.appearance.px(self._width), super().sizeHint().height())

    def keeps(self) -> bool:
        """Whether a person has typed what stands here, and the vectors have all of it."""
        vectors = self._state.vectors
        return self._typed and vectors is not None and all(word in vectors for word in self.entries())

    def _note(self) -> None:
        self._typed = True
        self.offers.hide()

    def text(self) -> str:
        """What stands in the line."""
        return self.edit.text().strip()

    def entries(self) -> list[str]:
        """What was typed, piece by piece."""
        text = self.edit.text()
        if self._split:
            return [part.strip() for part in text.split(self._split) if part.strip()]
        known = self._state.vectors or ()
        # A comma may be a word itself, in a model's own table.
        parts = (part if part in known else [p for p in _BREAK.split(part) if p] for part in text.split())
        return [word for part in parts for word in ([part] if isinstance(part, str) else part)]

    def set(self, words: Sequence[str] | str) -> None:
        """Write words into the line."""
        between = f"{self._split} " if self._split else " "
        self.edit.setText(words if isinstance(words, str) else between.join(words))
        self._typed = False
        self._suggest("", [])

    def words(self, least: int = 1, most: int = 1000) -> list[str] | None:
        """The words as the vocabulary spells them; None where one is not known, which is said then."""
        vectors = self._state.vectors
        if vectors is None:
            return None
        found: list[str] = []
        for word in self.entries():
            try:
                found.append(vectors.spelt(word))
            except ExplorerError as error:
                self._suggest(word, vectors.suggest(word, 4), error)
                return None
        self._suggest("", [])
        if not least <= len(found) <= most:
            need = "one word" if most == 1 else f"{least} to {most} words"
            self.fail(ExplorerError("words-wanted", wanted=need, given=len(found)))
            return None
        return found

    def fail(self, error: ExplorerError) -> None:
        """Say here what is wrong, until something else is typed."""
        self._suggest("", [], error)

    def _suggest(self, word: str, near: Sequence[str], error: ExplorerError | None = None) -> None:
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if error is not None:
            said = sentence(ExplorerError(error.id, **{**error.fields, "near": ""}))
            self._flow.addWidget(label(f"⚠ {said}", "error"))
            self.edit.setFocus()
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.edit, sentence(error)))
        if near:
            self._flow.addWidget(label("Did you mean", "muted"))
        for other in near:
            button = mark(QPushButton(other), link="true")
            button.setToolTip(f"Put “{other}” in the place of “{word}”")
            button.clicked.connect(lambda _=False, other=other: self._replace(word, other))
            self._flow.addWidget(button)
        self.offers.setVisible(error is not None)

    def _replace(self, word: str, other: str) -> None:
        self.edit.setText(
            re.sub(rf"(?<![^\s,;]){re.escape(word)}(?![^\s,;])", lambda _: other, self.edit.text(), count=1)
        )
        self.edit.setFocus()
        self.entered.emit()
