"""Widgets that are gone, and what Python still holds of them."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from explorer.ui.turns import later


class Gone:
    """Deletes widgets of many parts, and has Python let go of the parts.

    A part and its parts know each other, so that they would stay until Python's collector comes: it held the window for
    up to 0.2 s with a thousand of them.

    `owner`: where it is deleted before, the collector has the rest.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[list[QWidget]] = []
        self._let_go = later(owner, self._forget)

    def delete(self, *widgets: QWidget) -> None:
        """Delete widgets as `deleteLater` does, with all that stands in them."""
        own = [one for one in QApplication.allWidgets() if vars(one)] if widgets else []
        for widget in widgets:
            self._waiting.append([widget, *(one for one in own if widget.isAncestorOf(one))])
            widget.destroyed.connect(self._let_go.start)  # until then the parts still hear of the end of each other
            widget.deleteLater()

    def _forget(self) -> None:
        gone = [parts for parts in self._waiting if not isValid(parts[0])]
        self._waiting = [parts for parts in self._waiting if isValid(parts[0])]
        for part in (part for parts in gone for part in parts):
            vars(part).clear()
