"""Widgets that hold others on a page: below a heading, or before a sign."""

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget, QWidgetItem

from explorer.ui.matrix.box import MatrixBox
from explorer.ui.theme import mark
from explorer.ui.widgets.layouts import FlowLayout


class _Column(QVBoxLayout):
    """A column that knows how narrow its widget stays: Qt asks how high it is in all the width that there would be."""

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(min(width, cast(QWidget, self.parentWidget()).maximumWidth()))


class Titled(QWidget):
    """Elements below a heading; where a row or a list is among them, as narrow as it must be to stand beside others.

    Parameters
    ----------
    role : str
        Of the title: see `theme`.
    spacing : int
        Pixels between the elements.
    """

    def __init__(self, title: str, role: str, spacing: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.inside: list[QWidget] = []
        """What stands below the heading."""
        column = _Column(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(spacing)
        self.heading = QHBoxLayout()
        column.addLayout(self.heading)
        self.title = mark(QLabel(title, self), role=role) if title else None
        if self.title is not None:
            self.heading.addWidget(self.title)

    def places(self, place: QRect) -> Iterator[QRect]:
        """Where what is inside will stand, as high as it needs to be."""
        spacing = cast(QVBoxLayout, self.layout()).spacing()
        y = place.top() + (self.heading.sizeHint().height() + spacing if self.title is not None else 0)
        for widget in self.inside:
            yield (one := QRect(place.left(), y, place.width(), height_of(widget, place.width())))
            y += one.height() + spacing

    @property
    def shares_line(self) -> int:
        """See `FlowLayout`."""
        least = [int(getattr(one, "shares_line", 0)) for one in self.inside]
        if self.minimumWidth() or not (any(least) or any(isinstance(one.layout(), FlowLayout) for one in self.inside)):
            return 0
        return max(share or one.minimumSizeHint().width() for share, one in zip(least, self.inside, strict=True))


def height_of(widget: QWidget, width: int) -> int:
    """Pixels that a widget is high in a column of a width."""
    item = QWidgetItem(widget)
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()


class Signed(QWidget):
    """A widget, and the operator sign between it and the next one, with which it stays on a line if they fit.

    `across`: pixels that the sign takes.
    """

    keeps_next = True
    holds: QWidget  # the widget before the sign

    def __init__(self, across: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.ends_line = False
        self.sign = mark(QLabel(self), role="operator")
        self.sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._across = across
        self._level: int | None = None
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, across, 0)  # whatever the sign: with another one no matrix moves
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def hold(self, widget: QWidget) -> None:
        """Put a widget before the sign, in place of the one of before."""
        if self._line.indexOf(widget) < 0:
            if self._line.count() > 0:
                self._line.removeWidget(self.holds)
            self.holds = widget
            self._line.addWidget(widget)

    def baseline(self) -> int | None:
        """Where the first row of the matrix is."""
        return self.holds.baseline() if isinstance(self.holds, MatrixBox) else 0

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and self._line.count():
            self._place()
        return bool(done)

    @property
    def level(self) -> int:
        """Pixels from the first row of the numbers to their middle, where the sign would stand by itself."""
        return self._side().y() - (self.baseline() or 0)

    def level_with(self, pixels: int) -> None:
        """Let the sign stand so many pixels below the first row, as the others on its line."""
        self._level = pixels
        self._place()

    def _side(self) -> QPoint:
        if isinstance(self.holds, MatrixBox):
            return self.holds.side()
        return QPoint(self.holds.width(), self.height() // 2)

    def _place(self) -> None:
        """Put the sign close behind the numbers, however wide their heading is."""
        side, base = self._side(), self.baseline()
        down = side.y() if self._level is None or base is None else base + self._level
        high = self.sign.sizeHint().height()
        self.sign.setGeometry(side.x(), down - high // 2, self._across, high)
