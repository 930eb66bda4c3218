"""A line below the top bar that says how much of a model is read, where that takes longer than a second."""

from PySide6.QtCore import QTimer

from explorer.ui.appearance import Appearance
from explorer.ui.background import Background
from explorer.ui.window.notice import Notice
from explorer.words.progress import Progress

PATIENCE_MS = 1000


class Reading(Notice):
    """Says how far the reading of a model has come, and stops it. What was open before stays open.

    `reader`: what reads.
    """

    def __init__(self, reader: Background, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._reader, self._progress = reader, Progress("", 0, 0)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
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
        self.ask(self._sentence(), {"Stop": self._reader.stop})

    def _say(self, progress: Progress) -> None:
        self._progress = progress
        if not self.isHidden():
            self.say(self._sentence())

    def _sentence(self) -> str:
        one = self._progress
        if not one.total:
            return "Reading a model …"
        return f"Reading {one.what}: {one.done / 1e6:,.0f} of {one.total / 1e6:,.0f} million numbers"
