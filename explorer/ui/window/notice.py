"""Messages in the window that do not interrupt: a question, what is being computed, how much is read.

`Notice` is a line below the top bar with a message that the user may answer at any time. `Computing` is a word in the
bar while something is computed or written in the background. `Reading` and the classes derived from it are lines below
the top bar that show the progress of work that takes longer than a second.
"""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy

from explorer.core.numbers import percent
from explorer.document.document import Document
from explorer.pages.levels import act_title
from explorer.ui.appearance import Appearance
from explorer.ui.background import Background
from explorer.ui.saving import Saver
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label
from explorer.words.progress import Progress


class Notice(QFrame):
    """One sentence with buttons, shown until a button is pressed. A newer sentence replaces it."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._appearance = appearance
        self._text = Label(plain=True, wraps=True)  # the name of a file may look like HTML
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._text, 1)
        self.buttons: dict[str, PushButton] = {}
        self.hide()
        self.restyle()

    def ask(self, text: str, answers: Mapping[str, Callable[[], object]]) -> None:
        """Show a sentence with a button for each answer; `answers`: the words on each button, and its act."""
        self._text.setText(text)
        for button in self.buttons.values():
            button.deleteLater()
        self.buttons = {}
        for words, act in answers.items():
            self.buttons[words] = PushButton(words, partial(self._answer, act))
            self._row.addWidget(self.buttons[words])
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def say(self, text: str) -> None:
        """Change the sentence; the answers stay."""
        self._text.setText(text)

    def _answer(self, act: Callable[[], object]) -> None:
        self.hide()
        act()

    @property
    def text(self) -> str:
        """The sentence; empty if none is shown."""
        return "" if self.isHidden() else self._text.text()

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._appearance.px
        self._row.setContentsMargins(px(24), px(6), px(16), px(6))
        self._row.setSpacing(px(16))


INDENT = 12
PATIENCE_MS = 100
"""Work that takes less time seems to happen at once (Nielsen 1993); a word that flashes up would only disturb."""


class Computing(Label):
    """The word “Computing …”, shown if the work takes long enough to be noticed. It takes the rest of the bar's width.

    Parameters
    ----------
    background : Background
        Runs the computations.
    writer : Background, optional
        Writes a file; the word is then “Writing …”.
    """

    def __init__(self, background: Background, writer: Background | None = None) -> None:
        # Aligned to the right, because beside the tabs it would look like a tab.
        super().__init__(role="small", align=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setIndent(INDENT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Computing")
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._say)
        self._background, self._writer = background, writer
        for one in filter(None, (background, writer)):
            one.busy.connect(self._follow)

    def _follow(self) -> None:
        if not self._background.at_work and not (self._writer and self._writer.at_work):
            self._patience.stop()
            self.clear()
            self.setToolTip("")
        elif not self.text() and not self._patience.isActive():
            self._patience.start()

    def _say(self) -> None:
        computes = self._background.at_work
        whole, what = ("Computing …", "The numbers are") if computes else ("Writing …", "The file is")
        room = self.width() - INDENT
        self.setText(whole if self.fontMetrics().horizontalAdvance(whole) <= room else "…")
        self.setToolTip(f"{what} being {'computed' if computes else 'written'}; you can go on working")


READING_MS = 1000


class Reading(Notice):
    """Shows how much of a model has been read, with a button to stop; the open document stays open until then.

    `reader`: reads the model.
    """

    def __init__(self, reader: Background, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._stop, self._progress = reader.stop, Progress("", 0, 0)
        self._patience = QTimer(self, singleShot=True, interval=READING_MS)
        self._patience.timeout.connect(self._ask)
        reader.busy.connect(self._follow)
        reader.progressed.connect(self._say)

    def _follow(self, busy: bool) -> None:
        if busy:
            self._progress = Progress("", 0, 0)
            self._patience.start()
        else:
            self._patience.stop()
            self.hide()

    def _ask(self) -> None:
        self.ask(self._sentence(), {"Stop": self._stop})

    def _say(self, progress: Progress) -> None:
        self._progress = progress
        if not self.isHidden():
            self.say(self._sentence())

    def _sentence(self) -> str:
        one = self._progress
        if not one.total:
            return "Reading a model …"
        return f"Reading {one.what}: {one.done / 1e6:,.0f} of {one.total / 1e6:,.0f} million numbers"


class Saving(Reading):
    """Shows how much of a large document has been written, with a button to stop.

    `saver`: writes the document.
    """

    def __init__(self, saver: Saver, appearance: Appearance) -> None:
        super().__init__(saver.background, appearance)
        self._stop = saver.stop

    def _sentence(self) -> str:
        one = self._progress
        return f"Saving {one.what}: {percent(one.done / one.total)}" if one.total else "Saving …"


class Passing(Reading):
    """Shows the progress of an act on a large model, with a button to stop; the old values stay until it is done.

    `background`: runs the document's computations.
    """

    def __init__(self, document: Document, background: Background, appearance: Appearance) -> None:
        super().__init__(background, appearance)
        self._document, self._stop = document, document.stop
        self._looks = QTimer(self, interval=PATIENCE_MS)
        self._looks.timeout.connect(lambda: self.say(self._sentence()))

    def _follow(self, busy: bool) -> None:
        self._looks.stop()
        super()._follow(busy)

    def _ask(self) -> None:
        if self._document.wanted is not self._document.state:  # otherwise only gradients are computed
            super()._ask()
            self._looks.start()

    def _sentence(self) -> str:
        history = self._document.history
        act = act_title(history.present, history.undo_label or "")
        return f"Computing, {percent(self._document.progress)} done" + (f": {act}" if act else "")


class Writing(Reading):
    """Shows how many words a large model has written, with a button to stop; the old text stays until it is done."""

    def _sentence(self) -> str:
        one = self._progress
        return f"Writing on: {one.done:,.0f} of {one.total:,.0f} words" if one.total else "Writing on …"
