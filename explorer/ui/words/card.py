"""One part of the tab: a quiet card with a title, a sentence, and what belongs to it.

What the parts of the tab share: the vectors that are loaded, and the words that one is at.

Fields for words: what is typed is completed from the vocabulary, and a misspelt word gets suggestions.

Questions to the vectors, asked so that the window is not held up.
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from PySide6.QtCore import QObject, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import (
    QCompleter,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.ui.background import Background
from explorer.ui.theme import mark
from explorer.ui.widgets.labels import Prose
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.workbench import Workbench
from explorer.words.progress import Report
from explorer.words.vectors import Vectors

MOST_WORDS = 8
MOST_FIRST = 50
FIRST = ("screen", "rock", "remote", "king", "queen", "man", "woman", "river")


class TabState(QObject):
    """The vectors, the words in the look-up, and the one word whose neighbours are shown."""

    changed = Signal()  # other vectors
    words_changed = Signal()  # other words in the look-up
    word_changed = Signal()  # another word
    # Pair of numpy.ndarray, pair of str, QWidget: two vectors whose cosine is to be seen as arithmetic, what they are
    # called, and the part that shows it.
    cosine_asked = Signal(object, object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.vectors: Vectors | None = None
        self.words: list[str] = []
        self.word = ""
        self._asked = False

    def load(self, vectors: Vectors) -> None:
        """Take other vectors; the words that they have stay."""
        self.vectors = vectors
        kept = [word for word in self.words if word in vectors]
        self.words = kept if self._asked and len(kept) > 1 else self.pick(FIRST, 5)
        self.word = self.word if self.word in self.words else self.words[0] if self.words else ""
        self.changed.emit()

    def pick(self, wanted: Sequence[str], n: int) -> list[str]:
        """Up to n of the wanted words that the vectors have; their most frequent ones, if they have too few."""
        assert self.vectors is not None
        found = [word for word in wanted if word in self.vectors]
        norms, names = self.vectors.norms[:MOST_FIRST], self.vectors.words[:MOST_FIRST]
        # A vector of zeros has no cosine, and a comma is no good example.
        others = [word for word, norm in zip(names, norms, strict=True) if norm > 0 and word[:1].isalnum()]
        found += [word for word in others if word not in found]
        return (found or names)[:n]

    def look_up(self, words: Sequence[str]) -> None:
        """Put other words beside each other."""
        self._asked = True
        self.words = list(dict.fromkeys(words))
        if self.words and self.word not in self.words:
            self.go_to(self.words[0])
        self.words_changed.emit()

    def go_to(self, word: str) -> None:
        """Ask for a word's neighbours; it joins the others in the look-up."""
        self._asked = True
        if word != self.word:
            self.word = word
            self.word_changed.emit()
        if word not in self.words:
            self.words = [*self.words, word][-MOST_WORDS:]
            self.words_changed.emit()


class Card(QFrame):
    """A part of the page that follows the vectors.

    `about`: a sentence below the title.
    """

    title = ""
    short = ""
    """The title on the link to it, if another one."""
    needs_vectors = True

    def __init__(self, bench: Workbench, state: TabState, about: str = "") -> None:
        super().__init__()
        self.bench, self.state = bench, state
        self.setAccessibleName(self.title)
        mark(self, card="true")
        self.page = QVBoxLayout(self)
        self._title = label(self.title, "document")
        self.page.addWidget(self._title)
        self.intro = label(about, "small", wrap=True)
        self.page.addWidget(self.intro)
        self.intro.setVisible(bool(about))
        self._space()

    @property
    def vectors(self) -> Vectors:
        """Those that are loaded."""
        assert self.state.vectors is not None
        return self.state.vectors

    def load(self) -> None:
        """Show other vectors."""

    def give_room(self, pixels: int) -> None:
        """Learn how much of the page is in sight at once."""

    def resay(self) -> None:
        """Write again what has colours in it."""

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._space()
        if self.needs_vectors and self.state.vectors is not None:
            self.resay()

    def line(self, *parts: QWidget | str) -> QWidget:
        """Controls and words between them, left to right, on as many lines as it takes."""
        holder = QWidget()
        flow = FlowLayout(holder, self.bench.appearance.px(8), self.bench.appearance.px(6))
        for part in parts:
            flow.addWidget(label(part, "muted") if isinstance(part, str) else part)
        self.page.addWidget(holder)
        for part in parts:
            if isinstance(part, QWidget) and isinstance(offers := getattr(part, "offers", None), QWidget):
                self.page.addWidget(offers)
        return holder

    def row(self, *parts: QWidget) -> QWidget:
        """Pictures and lists beside each other, all beginning at the top."""
        holder = QWidget()
        flow = FlowLayout(holder, self.bench.appearance.px(28), self.bench.appearance.px(14))
        for part in parts:
            flow.addWidget(part)
            flow.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        self.page.addWidget(holder)
        return holder

    def _space(self) -> None:
        px = self.bench.appearance.px
        self.page.setContentsMargins(px(18), px(13), px(18), px(16))
        self.page.setSpacing(px(9))


def label(text: str, role: str = "", wrap: bool = False) -> QLabel:
    """Words on a card."""
    widget = Prose(text) if wrap else QLabel(text)
    return mark(widget, role=role) if role else widget


def here(bench: Workbench, word: str) -> str:
    """A word that stands out, in rich text."""
    return f"<b style='color:{bench.appearance.theme.here_text}'>{escape(word)}</b>"


def column(*parts: QWidget, spacing: int = 6) -> QWidget:
    """Widgets below each other."""
    holder = QWidget()
    layout = column_in(holder, spacing=spacing)
    for part in parts:
        layout.addWidget(part)
    layout.addStretch()
    return holder


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


AT_ONCE = 4_000_000
"""Numbers in a table up to which one search takes some milliseconds, less than a thread would add to it."""


class Search(Background):
    """What one card asks; the newest question overtakes those before it.

    A small table is searched at once. A large one is searched beside the window: of a million words, each search would
    hold it up for a frame or more.
    """

    def search(
        self, vectors: Vectors, work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool = False
    ) -> None:
        """Do the work, which raises no error that a person can cause, and give its result to `then`.

        Parameters
        ----------
        vectors : Vectors
            What is searched.
        work : callable
            Given a `Report`, to call between two searches. It holds no widget.
        then : callable
            Given the result, in the window's thread.
        slow : bool
            Beside the window in any case.
        """
        if slow or vectors.array.size > AT_ONCE:
            self.ask(work, then)
        else:
            self.stop()
            then(work(lambda progress: None))
