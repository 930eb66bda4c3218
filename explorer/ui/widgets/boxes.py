"""Combo and spin boxes for a page that scrolls: a wheel that turns over one of them scrolls the page."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget


class ComboBox(QComboBox):
    """A choice; it opens by a click or by the keyboard."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class SpinBox(QSpinBox):
    """A whole number; the wheel turns it once one has gone to it."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless one has gone to the box."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
