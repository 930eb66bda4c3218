"""Widgets that hold others on a page: below a heading, or before a sign."""

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QSizePolicy, QWidget

from explorer.ui.matrix.box import MatrixBox
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout


class Titled(QWidget):
    """Elements below a heading; where a row or a list is among them, as narrow as it must be to stand beside others."""

    def __init__(self) -> None:
        super().__init__()
        self.heading = QHBoxLayout()

    @property
    def shares_line(self) -> int:
        """See `FlowLayout`."""
        layout = cast(QLayout, self.layout())
        widgets = [item.widget() for i in range(layout.count()) if (item := layout.itemAt(i)) is not None]
        inside = [widget for widget in widgets if widget is not None]
        least = [int(getattr(one, "shares_line", 0)) for one in inside]
        if self.minimumWidth() or not (any(least) or any(isinstance(one.layout(), FlowLayout) for one in inside)):
            return 0
        return max(share or one.minimumSizeHint().width() for share, one in zip(least, inside, strict=True))


class Signed(QWidget):
    """A widget, and the operator sign between it and the next one, with which it stays on a line if they fit."""

    keeps_next = True

    def __init__(self, widget: QWidget, across: int) -> None:
        super().__init__()
        self.holds = widget
        self.sign = QLabel()
        mark(self.sign, role="operator")
        self.sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sign.setFixedWidth(across)  # whatever the sign: with another one no matrix moves
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(widget)
        layout.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def baseline(self) -> int | None:
        """Where the first row of the matrix is."""
        return self.holds.baseline() if isinstance(self.holds, MatrixBox) else 0
