"""The widgets within a widget: found, and deleted together with what Python still holds of them.

They are found so that PySide releases each of them together with Qt.
"""

import gc
from collections.abc import Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint
from PySide6.QtWidgets import QApplication, QButtonGroup, QLayout, QScrollArea, QTableView, QWidget
from shiboken6 import isValid

from explorer.ui.turns import Turns, later

_Widget = TypeVar("_Widget", bound=QWidget)


def inside(whole: QWidget, kind: type[_Widget]) -> list[_Widget]:
    """All widgets of a kind within another one, in reading order: from the top down, then from left to right.

    With `findChildren`, `childAt` and `nextInFocusChain`, PySide would take widgets for children of the asked widget,
    even those that Qt made, such as scroll bars. PySide does not learn when these are deleted: the next object at such
    an address passed for two objects, and the program crashed; or a whole window was taken for deleted with a button
    (PySide 6.11.3). Call `findChildren` only with classes of our own.
    """
    widgets = (one for one in QApplication.allWidgets() if isinstance(one, kind) and one is not whole)
    found = [one for one in widgets if whole.isAncestorOf(one)]
    return sorted(found, key=lambda one: one.mapTo(whole, QPoint()).toTuple()[::-1])


def around(widget: QWidget | None, kind: type[_Widget]) -> _Widget | None:
    """The innermost widget of a kind that a widget stands in."""
    while widget is not None:
        widget = widget.parentWidget()
        if isinstance(widget, kind):
            return widget
    return None


def show_current(table: QTableView, beside: int, below: int) -> None:
    """Scroll the page around a table to its current cell; so many pixels beside it, above and below are seen, too."""
    page = around(table, QScrollArea)
    content = page.widget() if page is not None else None
    if page is not None and content is not None and table.currentIndex().isValid():
        at = table.viewport().mapTo(content, table.visualRect(table.currentIndex()).center())
        page.ensureVisible(at.x(), at.y(), beside, below)


def widget_at(whole: QWidget, place: QPoint) -> QWidget | None:
    """The innermost visible widget at a point of another one; of two that overlap, the upper one."""
    for one in reversed(whole.children()):  # for PySide, too, each is a child of `whole`
        if isinstance(one, QWidget) and one.isVisible() and not one.isWindow() and one.geometry().contains(place):
            return widget_at(one, one.mapFromParent(place)) or one
    return None


class Gone:
    """Deletes widgets that have many parts, and makes Python release the parts.

    A part and its own parts refer to each other, so they would stay until Python's collector runs: with a thousand of
    them it blocked the window for up to 0.2 s. If the owner is deleted first, the rest is left to the collector.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[list[QWidget]] = []
        self._hidden: list[QWidget] = []
        self._begin = later(owner, self._delete_hidden)
        self._turns = Turns(owner)
        self._let_go = later(owner, self._forget)

    def delete(self, *widgets: QWidget) -> None:
        """Delete widgets as `deleteLater` does, with everything in them."""
        self._watch(widgets)
        for widget in widgets:
            widget.deleteLater()

    def delete_one_by_one(self, *widgets: QWidget) -> None:
        """Delete hidden widgets in later turns of the event loop, each in a turn of its own."""
        self._hidden.extend(widgets)
        self._begin.start()

    def _delete_hidden(self) -> None:
        widgets, self._hidden = [widget for widget in self._hidden if isValid(widget)], []
        self._watch(widgets)
        for widget in widgets:
            self._turns.add(later(widget, widget.deleteLater))

    def _watch(self, widgets: Sequence[QWidget]) -> None:
        for widget in widgets:
            self._waiting.append(_parts(widget))
            widget.destroyed.connect(self._let_go.start)  # until then the parts must learn of each other's deletion

    def _forget(self) -> None:
        for parts in self._waiting:
            if not isValid(parts[0]):
                _let_go(parts)
        self._waiting = [parts for parts in self._waiting if parts and isValid(parts[0])]


def delete_now(widget: QWidget) -> None:
    """Delete a widget at once, with everything in it: there may be no event loop to do it."""
    parts = _parts(widget)
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete)
    _let_go(parts)


def _parts(widget: QWidget) -> list[QWidget]:
    """A widget, and the widgets in it that have Python attributes.

    Found are those that PySide knows as parts, as it tells Python's collector, and those that attributes hold. Qt's own
    lists name them all, but for each widget that Qt made, half of them, PySide would make an object and throw it away.
    To look through all objects of PySide took 10 ms at first, and 50 ms after an hour.
    """
    found, seen = [widget], {id(widget)}
    waiting: list[Any] = [widget]
    while waiting:
        at = waiting.pop()
        held = [one for one in vars(at).values() if type(one) in (list, dict)]
        for one in gc.get_referents(at, vars(at), *held):
            if not isinstance(one, (QWidget, QLayout, QButtonGroup)) or id(one) in seen or not isValid(one):
                continue
            seen.add(id(one))
            if not isinstance(one, QWidget):
                waiting.append(one)
            elif widget.isAncestorOf(one):
                found.append(one)
                waiting.append(one)
    return found


def _let_go(parts: list[QWidget]) -> None:
    for part in parts:
        vars(part).clear()
    parts.clear()
