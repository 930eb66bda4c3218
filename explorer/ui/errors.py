"""Errors in words, at the place where they were made."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QToolTip, QWidget

from explorer.core.errors import ExplorerError

SHOWN_MS = 6000


def show_error(error: ExplorerError, widget: QWidget, rect: QRect | None = None) -> None:
    """Say what went wrong beside `rect` of `widget`, and to a screen reader."""
    rect = rect or widget.rect()
    QToolTip.showText(widget.mapToGlobal(rect.bottomLeft() + QPoint(0, 2)), f"⚠ {error}", widget, rect, SHOWN_MS)
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, str(error)))
