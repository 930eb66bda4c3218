"""Message boxes in the program's own look: no picture of the system's stands in them, nor on their buttons."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from explorer import PROGRAM


def message_box(text: str, parent: QWidget | None = None) -> QMessageBox:
    """A box that says one thing; its buttons are still to be added."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, PROGRAM, text, parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # the name of a file may look like HTML
    return box
