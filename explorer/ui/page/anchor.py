"""What is under the pointer stays there, whatever comes and goes above it: who presses it again hits it again."""

from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtWidgets import QScrollArea, QWidget

from explorer.ui.page.column import Elements
from explorer.ui.page.holders import height_of
from explorer.ui.page.picture_place import PicturePlace


class InPlace:
    """Scrolls a page so that the element under the pointer stands still while others change.

    Where there is nothing to scroll, the page gets room above its first element, or below its last.
    """

    def __init__(self, page: QScrollArea, elements: Elements) -> None:
        self._page, self._elements = page, elements
        self._held: tuple[QWidget, int] | None = None
        """What is under the pointer, and how far below the top of what is in sight."""
        self._above = self._below = 0
        """Pixels of the room that was added."""
        self._moves = False

    def hold(self) -> None:
        """Remember what is under the pointer: the page is about to change."""
        if self._held is None or not self._is_there(self._held[0]):
            there = [one for one in self._elements.widgets.values() if one.underMouse() and one.isVisible()]
            # A picture that fills the page has the room that is left: with room below it, it would have less and less.
            there = [one for one in there if not (isinstance(one, PicturePlace) and one.fills)]
            self._held = (there[0], self._height(there[0])) if there else None

    def keep(self) -> None:
        """Bring what was under the pointer back to its place; what the pointer has left is let go."""
        if self._held is None or self._moves:
            return
        widget, wanted = self._held
        if not self._is_there(widget):
            self._held = None
            return
        self._moves = True
        try:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            if down := self._height(widget) - wanted:
                self._scroll(down)
        finally:
            self._moves = False

    def let_go(self) -> None:
        """Hold nothing, and take back the room that was added."""
        self._held = None
        self._add(0, 0)

    def begin_at(self, pixels: int) -> None:
        """Let the page begin so many pixels from its top, whatever is under the pointer."""
        self._held = None
        self._scroll(pixels - self._page.verticalScrollBar().value())

    def _is_there(self, widget: QWidget) -> bool:
        return widget in self._elements.widgets.values() and widget.isVisible() and widget.underMouse()

    def _height(self, widget: QWidget) -> int:
        return widget.mapTo(self._page.viewport(), QPoint()).y()

    def _scroll(self, down: int) -> None:
        """Scroll down so many pixels, up where they are negative, with no more added room than that takes."""
        bar, in_sight = self._page.verticalScrollBar(), self._page.viewport().height()
        page = height_of(self._elements, self._elements.width()) - self._above - self._below
        place = bar.value() + down - self._above
        self._add(max(-place, 0), max(place + in_sight - page, 0) if place > 0 else 0)
        bar.setValue(place + self._above)

    def _add(self, above: int, below: int) -> None:
        if (above, below) == (self._above, self._below):
            return
        margins = self._elements.contentsMargins()
        margins.setTop(margins.top() + above - self._above)
        margins.setBottom(margins.bottom() + below - self._below)
        self._above, self._below = above, below
        self._elements.setContentsMargins(margins)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
