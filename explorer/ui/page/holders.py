"""A widget that holds other widgets of a page below a heading."""

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget, QWidgetItem

from explorer.ui.theme import Role
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import FlowLayout


class _Column(QVBoxLayout):
    """A column that respects the maximum width of its widget; Qt asks for its height at the full available width."""

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(min(width, cast(QWidget, self.parentWidget()).maximumWidth()))


class Titled(QWidget):
    """Elements below a heading; if a row or a list is among them, it can become narrower to stand beside others.

    Parameters
    ----------
    role : str
        The role of the title.
    spacing : int
        Pixels between the elements.
    """

    def __init__(self, title: str, role: Role, spacing: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.inside: list[QWidget] = []
        """The widgets below the heading."""
        self.down = _Column(self)
        self.down.setContentsMargins(0, 0, 0, 0)
        self.down.setSpacing(spacing)
        self.heading = QHBoxLayout()
        self.down.addLayout(self.heading)
        self.title = Label(title, role, self) if title else None
        self._whole = 0
        """The width of the heading on one line, in pixels."""
        if self.title is not None:
            self.heading.addWidget(self.title)

    def be_no_wider(self, pixels: int) -> None:
        """Wrap the heading if it is wider than `pixels`."""
        if self.title is None:
            return
        if not (wrapped := self.title.wordWrap()):
            self._whole = self.title.sizeHint().width()
        if wrapped != (self._whole > pixels):
            self.title.setWordWrap(not wrapped)

    def places(self, place: QRect) -> Iterator[QRect]:
        """The places of the widgets inside, each as high as it needs to be."""
        spacing = self.down.spacing()
        head = self.heading.heightForWidth(place.width()) if self.heading.hasHeightForWidth() else 0
        head = max(head, self.heading.sizeHint().height())
        y = place.top() + (head + spacing if self.title is not None else 0)
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
    """The height in pixels of a widget in a column of this width."""
    item = QWidgetItem(widget)
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
