"""A table that stands on a page as large as it is; where the page is too narrow for it, it scrolls sideways."""

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QTableView, QWidget


class FittedTable(QTableView):
    """A table that says how large it is as a whole.

    Parameters
    ----------
    parent : QWidget, optional
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = QSize(0, 0)

    def set_whole(self, size: QSize) -> None:
        """Take so much room, and not more."""
        self._whole = size
        self.setMaximumWidth(size.width())
        self._fit()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self._whole

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._fit()

    def bar_width(self) -> int:
        """How thick a scroll bar is."""
        return self.style().pixelMetric(self.style().PixelMetric.PM_ScrollBarExtent) + 2

    def _fit(self) -> None:
        """Where the page is too narrow for all columns, the rest scrolls: leave room for the bar."""
        narrow = self.width() < self._whole.width()
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setHorizontalScrollBarPolicy(always if narrow else never)
        self.setFixedHeight(self._whole.height() + narrow * self.bar_width())
