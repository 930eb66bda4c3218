"""The widgets within another one, so that PySide lets each go with Qt."""

from typing import TypeVar

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QWidget

_Widget = TypeVar("_Widget", bound=QWidget)


def inside(whole: QWidget, kind: type[_Widget]) -> list[_Widget]:
    """All widgets of a kind within another one, in reading order: from the top down, then from left to right.

    `findChildren`, `childAt` and `nextInFocusChain` would make them, for PySide, children of the widget that is asked,
    also those that Qt made, such as scroll bars. Of the end of these PySide does not hear: what stood at such an
    address next passed for two objects, and the program crashed; or a whole window was taken for deleted with a button
    (PySide 6.11.3). Ask `findChildren` for classes of our own only.
    """
    widgets = (one for one in QApplication.allWidgets() if isinstance(one, kind) and one is not whole)
    found = [one for one in widgets if whole.isAncestorOf(one)]
    return sorted(found, key=lambda one: one.mapTo(whole, QPoint()).toTuple()[::-1])


def widget_at(whole: QWidget, place: QPoint) -> QWidget | None:
    """The innermost widget in sight at a point of another one; of two that overlap, the upper one."""
    for one in reversed(whole.children()):  # each a child of `whole` for PySide as well
        if isinstance(one, QWidget) and one.isVisible() and not one.isWindow() and one.geometry().contains(place):
            return widget_at(one, one.mapFromParent(place)) or one
    return None
