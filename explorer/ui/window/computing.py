"""A word in the bar that says that something is computed or written beside the window."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QSizePolicy

from explorer.ui.background import Background
from explorer.ui.theme import mark

INDENT = 12
PATIENCE_MS = 100
"""What is over sooner seems to come at once (Nielsen 1993); a word that flashes up would only disturb."""


class Computing(QLabel):
    """The word “Computing …”, while that lasts longer than one would not notice. It takes the room that is left over.

    Parameters
    ----------
    background : Background
        What computes.
    writer : Background, optional
        What writes a file; the word is then “Writing …”.
    """

    def __init__(self, background: Background, writer: Background | None = None) -> None:
        super().__init__()
        mark(self, role="small")
        # At the right: beside the tabs it would look like one.
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
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
