"""A sentence on the page that says what the numbers are now."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from explorer.ui.theme import mark


class Note(QLabel):
    """Words that follow the model.

    Parameters
    ----------
    words : callable
        Reads the engine and gives the sentence, rich text allowed.
    reads : iterable of str
        The nodes whose change concerns it.
    wrap : bool
        Whether it may break into lines; it then takes the width that it is given.
    """

    def __init__(
        self, words: Callable[[], str], reads: Iterable[str] = (), wrap: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._reads = set(reads)
        mark(self, role="note")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(wrap)
        if wrap:
            self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.refresh()

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return self._reads

    def refresh(self) -> None:
        """Say what is now."""
        self.setText(self._words())

    def restyle(self) -> None:
        """Colours in the words follow the theme."""
        self.refresh()
