"""Errors in words, at the place where they were made."""

import shiboken6
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QToolTip, QWidget

from explorer.core.errors import ExplorerError
from explorer.ui.later import do_later

SHOWN_MS = 6000


def show_error(error: ExplorerError, widget: QWidget, rect: QRect | None = None) -> None:
    """Say what went wrong beside `rect` of `widget`, and to a screen reader."""
    place = rect or widget.rect()

    def show() -> None:
        if not shiboken6.isValid(widget):
            return
        below = widget.mapToGlobal(place.bottomLeft() + QPoint(0, 2))
        QToolTip.showText(below, f"⚠ {error}", widget, place, SHOWN_MS)

    # Behind all that the event still does: an editor that closes moves the focus, and that hides every tooltip.
    do_later(widget, show)
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, str(error)))
