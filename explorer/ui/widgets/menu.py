"""Menus that are no higher than the window, and scroll where they would be."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget


class Menu(QMenu):
    """A menu that stays within the window it was opened from.

    In one that scrolls, the first press of Up shows the last entry, too: Qt chooses it and leaves it out of sight.
    """

    def __init__(self, parent: QWidget, title: str = "") -> None:
        super().__init__(title, parent)
        self._within = parent
        self.aboutToShow.connect(self._stay_within)

    def _stay_within(self) -> None:
        self.setMaximumHeight(self._within.window().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Up and self.activeAction() is None:
            entries = (action for action in self.actions() if action.isEnabled() and not action.isSeparator())
            first = next(entries, None)
            if first is not None:
                self.setActiveAction(first)  # from here Up goes round to the last one, and scrolls there
        super().keyPressEvent(event)
