"""Widgets that are gone, and what Python still holds of them."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from explorer.ui.turns import Turns, later


class Gone:
    """Deletes widgets of many parts, and has Python let go of the parts.

    A part and its parts know each other, so that they would stay until Python's collector comes: it held the window for
    up to 0.2 s with a thousand of them. Where the owner is deleted first, the collector has the rest.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[list[QWidget]] = []
        self._hidden: list[QWidget] = []
        self._begin = later(owner, self._delete_hidden)
        self._turns = Turns(owner)
        self._let_go = later(owner, self._forget)

    def delete(self, *widgets: QWidget) -> None:
        """Delete widgets as `deleteLater` does, with all that stands in them."""
        self._watch(widgets)
        for widget in widgets:
            widget.deleteLater()

    def delete_one_by_one(self, *widgets: QWidget) -> None:
        """Delete widgets that are out of sight, in later turns of the event loop, each in one of its own."""
        self._hidden.extend(widgets)
        self._begin.start()

    def _delete_hidden(self) -> None:
        widgets, self._hidden = [widget for widget in self._hidden if isValid(widget)], []
        self._watch(widgets)
        for widget in widgets:
            self._turns.add(later(widget, widget.deleteLater))

    def _watch(self, widgets: Sequence[QWidget]) -> None:
        own = _own() if widgets else []
        for widget in widgets:
            self._waiting.append(_parts(widget, own))
            widget.destroyed.connect(self._let_go.start)  # until then the parts still hear of the end of each other

    def _forget(self) -> None:
        for parts in self._waiting:
            if not isValid(parts[0]):
                _let_go(parts)
        self._waiting = [parts for parts in self._waiting if parts and isValid(parts[0])]


def delete_now(widget: QWidget) -> None:
    """Delete a widget at once, with all that stands in it: there may be no event loop that would do it."""
    parts = _parts(widget, _own())
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete)
    _let_go(parts)


def _own() -> list[QWidget]:
    """The widgets that Python holds something of."""
    return [one for one in QApplication.allWidgets() if vars(one)]


def _parts(widget: QWidget, own: Iterable[QWidget]) -> list[QWidget]:
    return [widget, *(one for one in own if widget.isAncestorOf(one))]


def _let_go(parts: list[QWidget]) -> None:
    for part in parts:
        vars(part).clear()
    parts.clear()
