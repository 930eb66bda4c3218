"""One card of the tab "Words"."""

from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QVBoxLayout

from explorer.pages.words.card import Card
from explorer.ui.page.column import Elements
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench


class FramedCard(QFrame):
    """A framed card: a title, and below it the elements of the card's page."""

    def __init__(self, bench: Workbench, card: Card) -> None:
        super().__init__()
        self.bench, self.card, self._wide = bench, card, 0
        self.setAccessibleName(card.title)
        mark(self, card="true")
        self.heading = mark(QLabel(card.title), role="document")
        self._down = QVBoxLayout(self)
        self._down.addWidget(self.heading)
        self._replaced, self._tells, self._focused = Gone(self), False, ""
        self._shares = later(self, self._share)
        self.make()

    def make(self) -> None:
        """Make the widgets anew, because all of them depend on the text scale; the keyboard focus is remembered."""
        px = self.bench.appearance.px
        self._down.setContentsMargins(px(18), px(13), px(18), px(16))
        self._down.setSpacing(px(9))
        focused = QApplication.focusWidget()
        self._focused = focused.accessibleName() if focused is not None and self.isAncestorOf(focused) else ""
        if (before := getattr(self, "elements", None)) is not None:
            self._down.removeWidget(before)
            before.hide()
            self._replaced.delete(before)
        self.elements = Elements(self.bench, px(9))
        self._down.addWidget(self.elements)

    def refresh(self) -> bool:
        """Compute the page and update the widgets that differ; returns whether the set of elements has changed.

        A call during a refresh does nothing: a removed widget loses the focus, which may emit a gesture.
        """
        if self._tells:
            return False
        self._tells, before = True, self.elements.widgets.keys()
        try:
            self.elements.tell(self.card.page())
            if not self.elements.fits:
                self.elements.share_room(self._room())
            self.elements.give_focus(self._focused)
            self._focused = ""
        finally:
            self._tells = False
        return before != self.elements.widgets.keys()

    def be_wide(self, pixels: int) -> None:
        """Set the width that the card asks its layout for, in pixels."""
        if pixels != self._wide:
            self._wide = pixels
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._wide, super().sizeHint().height())

    def widget(self, id: str) -> Any:
        """The widget of an element."""
        return self.elements.widgets[id]

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() == self.width():
            return
        if self.visibleRegion().isEmpty():  # invisible cards later, one a turn: all in one turn would block the window
            self.bench.appearance.turns.add(self._shares)
        else:
            self._share()

    def _share(self) -> None:
        self.elements.share_room(self._room())

    def _room(self) -> int:
        margins = self._down.contentsMargins()
        return self.width() - margins.left() - margins.right()
