"""Keeps the element under the pointer in its place when others change, so that a second click hits the same control."""

from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtWidgets import QScrollArea, QWidget

from explorer.ui.page.column import Elements
from explorer.ui.page.lines import height_of
from explorer.ui.page.picture_place import PicturePlace

Place = tuple[str, float]
"""The id of the first visible element, and how much of its height is above the visible part."""


class InPlace:
    """Scrolls a page so that the element under the pointer stays in its place while others change.

    If the page cannot scroll that far, it gets empty room above its first element, or below its last.
    """

    def __init__(self, page: QScrollArea, elements: Elements) -> None:
        self._page, self._elements = page, elements
        self._held: tuple[QWidget, int] | None = None
        """The element under the pointer, and its distance in pixels from the top of the visible part."""
        self._read = False
        """Whether it was read there in another look: it is held until something is done, wherever the pointer is."""
        self._begun = 0
        """Where a step let the visible part begin."""
        self._above = self._below = 0
        """The heights in pixels of the added empty room."""
        self._moves = False

    def hold(self) -> None:
        """Remember the element under the pointer, before the page changes."""
        if self._held is None or not self._is_there(self._held[0]):
            there = [one for one in self._elements.widgets.values() if one.underMouse() and one.isVisible()]
            # A picture that fills the page takes the rest of the height: room added below would make it smaller.
            there = [one for one in there if not (isinstance(one, PicturePlace) and one.fills)]
            self._held = (there[0], self._height(there[0])) if there else None

    def keep(self) -> None:
        """Scroll the remembered element back to its place; if the pointer has left it, forget it."""
        if self._held is None or self._moves:
            return
        widget, wanted = self._held
        if not self._is_there(widget):
            self._held = None
            return
        self._moves = True
        try:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            down = self._height(widget) - wanted
            if self._read:  # without added room: the whole page may fit in the window now
                bar = self._page.verticalScrollBar()
                bar.setValue(bar.value() + down)
            elif down:
                self._scroll(down)
        finally:
            self._moves = False

    def let_go(self) -> None:
        """Forget the remembered element, and remove the added room."""
        self._held, self._read = None, False
        self._add(0, 0)

    def begin_at(self, pixels: int) -> None:
        """Scroll so that the visible part begins `pixels` below the page's top, whatever is under the pointer."""
        self._held, self._read = None, False
        self._scroll(pixels - self._page.verticalScrollBar().value())
        self._begun = self._page.verticalScrollBar().value()

    def place(self) -> Place | None:
        """What the reader has scrolled to; None at the top, and where a step let the page begin."""
        if self._page.verticalScrollBar().value() in (0, self._begun):
            return None
        parts = ((id, one.height(), self._height(one)) for id, one in self._elements.widgets.items() if one.isVisible())
        return next(((id, -top / high) for id, high, top in parts if top + high > 0), None)

    def go_back(self, id: str, part: float) -> None:
        """Begin the visible part where it began in another look, and keep it there while pictures arrive."""
        if (widget := self._elements.widgets.get(id)) is not None:
            self._held, self._read = (widget, round(-part * widget.height())), True
            self.keep()

    def _is_there(self, widget: QWidget) -> bool:
        there = widget in self._elements.widgets.values() and widget.isVisible()
        return there and (self._read or widget.underMouse())

    def _height(self, widget: QWidget) -> int:
        return widget.mapTo(self._page.viewport(), QPoint()).y()

    def _scroll(self, down: int) -> None:
        """Scroll by `down` pixels, upwards if negative, with as little added room as possible."""
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
