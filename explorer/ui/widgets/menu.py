"""Menus that may be higher than the screen."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu


class Menu(QMenu):
    """A menu in which the first press of Up shows the last entry, too: Qt chooses it and leaves it out of sight."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Up and self.activeAction() is None:
            entries = (action for action in self.actions() if action.isEnabled() and not action.isSeparator())
            first = next(entries, None)
            if first is not None:
                self.setActiveAction(first)  # from here Up goes round to the last one, and scrolls there
        super().keyPressEvent(event)
