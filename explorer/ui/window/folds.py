"""The buttons that fold a part of the window away, and bring it back."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from explorer.ui.theme import mark


def fold_button(fold: QAction, sign: str, parent: QWidget | None = None) -> QPushButton:
    """A quiet button with an arrow; it does what the action does, and says the same.

    Parameters
    ----------
    fold : QAction
    sign : str
        An arrow to where the part goes, or comes from.
    """
    button = QPushButton(sign, parent)
    mark(button, link="true")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(fold.toolTip())
    button.setAccessibleName(fold.text())
    button.clicked.connect(fold.trigger)
    return button
