"""Combo and spin boxes for a page that scrolls: a wheel that turns over one of them scrolls the page."""

from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget


class ComboBox(QComboBox):
    """A choice; it opens by a click or by the keyboard."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def event(self, event: QEvent) -> bool:
        """A letter goes to the choice that begins with it, though it may be a shortcut of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
            if plain and event.text().isalpha():
                event.accept()
                return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        # As Qt does it, but words for which there is no room end in dots.
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        style, box = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(style, option, box, self).width() + 2  # which its own width counts on
        words: Any = option
        words.currentText = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        painter.drawComplexControl(style, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

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
