"""Messages in the window that do not interrupt: a question, what is being computed, how much is read.

`Notice` is a line below the top bar with a message that the user may answer at any time. `Computing` is a word in the
bar while something is computed or written in the background. `Working` is a line below the top bar that
shows the progress of work that takes longer than a second.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy

from explorer.core.numbers import percent
from explorer.core.progress import Progress
from explorer.document.document import Document
from explorer.pages.levels import act_title
from explorer.ui.appearance import Appearance
from explorer.ui.background import Background
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label

if TYPE_CHECKING:
    from explorer.ui.page.area import StageArea


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
        appearance.changed.connect(self._restyle)
        self._restyle()

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

    def _restyle(self) -> None:
        px = self._appearance.px
        self._row.setContentsMargins(px(24), px(6), px(16), px(6))
        self._row.setSpacing(px(16))


INDENT = 12
PATIENCE_MS, OPENING_MS = 100, 400
"""Work that takes less time seems to happen at once (Nielsen 1993); a word that flashes up would only disturb. The
second is for a page: the list of stages already shows where one goes."""


class Computing(Label):
    """The word “Computing …”, shown if the work takes long enough to be noticed. It takes the rest of the bar's width.

    `background`: runs the computations. `writer`: writes a file; the word is then “Writing …”. `area`: shows pages;
    while it makes one, the word is “Opening …”.
    """

    def __init__(
        self, background: Background, writer: Background | None = None, area: "StageArea | None" = None
    ) -> None:
        # Aligned to the right, because beside the tabs it would look like a tab.
        super().__init__(role="small", align=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setIndent(INDENT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Computing")
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._say)
        self._opens = QTimer(self, singleShot=True, interval=OPENING_MS)
        self._opens.timeout.connect(self._say)
        self._background, self._writer, self._area = background, writer, area
        self._of_page = False
        """Whether the word is about a page."""
        for one in filter(None, (background, writer)):
            one.busy.connect(self._follow)
        if area is not None:
            area.begun.connect(self._follow)
            area.shown.connect(self._follow)

    def _follow(self) -> None:
        opens = self._area is not None and self._area.opens
        if self.text() and not (opens if self._of_page else self._works):
            self.clear()
            self.setToolTip("")
        for goes_on, patience in ((self._works, self._patience), (opens, self._opens)):
            if not goes_on:
                patience.stop()
            elif not self.text() and not patience.isActive():
                patience.start()

    @property
    def _works(self) -> bool:
        return self._background.at_work or (self._writer is not None and self._writer.at_work)

    def _say(self) -> None:
        self._of_page = not self._works
        if self._background.at_work:
            whole, tip = "Computing …", "The numbers are being computed; you can go on working"
        elif self._writer is not None and self._writer.at_work:
            whole, tip = "Writing …", "The file is being written; you can go on working"
        else:
            whole, tip = "Opening …", "The page is being made; until then the one before stays"
        room = self.width() - INDENT
        self.setText(whole if self.fontMetrics().horizontalAdvance(whole) <= room else "…")
        self.setToolTip(tip)


READING_MS = 1000


class Working(Notice):
    """Shows how far work in the background is, with a button to stop; what is open stays as it is until then.

    `says`: puts its progress into words. `stop`: stops it, if `background` alone cannot.
    """

    def __init__(
        self,
        background: Background,
        appearance: Appearance,
        says: Callable[[Progress], str],
        stop: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(appearance)
        self._says, self._stop, self._progress = says, stop or background.stop, Progress("", 0, 0)
        self._patience = QTimer(self, singleShot=True, interval=READING_MS)
        self._patience.timeout.connect(self._ask)
        background.busy.connect(self._follow)
        background.progressed.connect(self._show)

    def _follow(self, busy: bool) -> None:
        if busy:
            self._progress = Progress("", 0, 0)
            self._patience.start()
        else:
            self._patience.stop()
            self.hide()

    def _ask(self) -> None:
        self.ask(self._says(self._progress), {"Stop": self._stop})

    def _show(self, progress: Progress) -> None:
        self._progress = progress
        if not self.isHidden():
            self.say(self._says(progress))


def said_of_reading(now: Progress) -> str:
    """How much of a model has been read."""
    if not now.total:
        return "Reading a model …"
    return f"Reading {now.what}: {now.done / 1e6:,.0f} of {now.total / 1e6:,.0f} million numbers"


def said_of_saving(now: Progress) -> str:
    """How much of a large document has been written."""
    return f"Saving {now.what}: {percent(now.done / now.total)}" if now.total else "Saving …"


def said_of_writing(now: Progress) -> str:
    """How many words a large model has written."""
    return f"Writing on: {now.done:,.0f} of {now.total:,.0f} words" if now.total else "Writing on …"


class Passing(Working):
    """Shows the progress of an act on a large model, with a button to stop; the old values stay until it is done.

    `background`: runs the document's computations.
    """

    def __init__(self, document: Document, background: Background, appearance: Appearance) -> None:
        super().__init__(background, appearance, self._sentence, document.stop)
        self._document = document
        self._looks = QTimer(self, interval=PATIENCE_MS)
        self._looks.timeout.connect(lambda: self.say(self._sentence(self._progress)))

    def _follow(self, busy: bool) -> None:
        self._looks.stop()
        super()._follow(busy)

    def _ask(self) -> None:
        if self._document.wanted is not self._document.state:  # otherwise only gradients are computed
            super()._ask()
            self._looks.start()

    def _sentence(self, _: Progress) -> str:
        history = self._document.history
        act = act_title(history.present, history.undo_label or "")
        return f"Computing, {percent(self._document.progress)} done" + (f": {act}" if act else "")
