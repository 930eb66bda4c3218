"""A choice between a few things, all of them in sight."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSizePolicy, QWidget

from explorer.ui.theme import mark
from explorer.ui.widgets.layouts import row_in


class Segments(QWidget):
    """Buttons in a row, one of them pressed.

    `spoken`: what is chosen, for a screen reader: "Head".
    """

    def __init__(self, titles: Sequence[str], spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.group = QButtonGroup(self)  # emits ``idClicked`` with the place of the button that a person pressed
        layout = row_in(self, spacing=0)
        last = len(titles) - 1
        for i, title in enumerate(titles):
            place = "only" if not last else "first" if i == 0 else "last" if i == last else "middle"
            button = mark(QPushButton(title), segment=place)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(f"{spoken} {title}")
            button.setToolTip(f"{spoken} {title}")
            self.group.addButton(button, i)
            layout.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def choose(self, place: int) -> None:
        """Show which one is chosen."""
        button = self.group.button(place)
        if button is not None:
            button.setChecked(True)
