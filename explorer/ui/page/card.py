"""Cards in rows, for choosing one of several things."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from explorer.pages.element import Made
from explorer.pages.page import Card, Cards
from explorer.ui.page.controls import ButtonView
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.formula import AGAIN, is_loaded
from explorer.ui.widgets.labels import Label, Ring, SteadyLabel
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

IMAGE = 150, 84
"""The size of a card's picture in pixels at text scale 1."""


class Miniature(Label):
    """The small picture of a card: drawn in a turn of its own once its place is visible."""

    def __init__(self, bench: Workbench, parent: QWidget) -> None:
        super().__init__(parent=parent, align=Qt.AlignmentFlag.AlignCenter)
        px, self._turns = bench.appearance.px, bench.appearance.turns
        self.made: Made[QImage | None] | None = None
        self.is_drawn = False
        self._drawing = later(self, self._draw)
        self.setFixedSize(px(IMAGE[0]), px(IMAGE[1]))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.made is not None and not self.is_drawn:
            self._turns.add(self._drawing)

    def _draw(self) -> None:
        if not is_loaded():  # drawing formulas now would load the typesetter, which blocks the window for 0.3 s
            self._drawing.start(AGAIN)
        else:
            self.fill()

    def fill(self) -> None:
        """Draw the picture, if it is not there yet."""
        if self.is_drawn:
            return
        image = self.made() if self.made is not None else None
        self.is_drawn = True
        if image is None:
            self.clear()
        else:
            ratio, ways = self.devicePixelRatioF(), Qt.TransformationMode.SmoothTransformation
            small = image.scaled(self.size() * ratio, Qt.AspectRatioMode.KeepAspectRatio, ways)
            small.setDevicePixelRatio(ratio)
            self.setPixmap(QPixmap.fromImage(small))
            self.setAccessibleName(image.text("Description"))


class CardView(QFrame):
    """A card: its picture, its title and words, and its buttons at the right."""

    def __init__(self, bench: Workbench, card: Card, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, card="true")
        px = bench.appearance.px
        self.image = Miniature(bench, self)
        self._title = SteadyLabel(role="strong", parent=self)
        self._words = SteadyLabel(role="muted", parent=self)
        self._said = SteadyLabel(role="small", parent=self)  # wraps long text
        self.ring = Ring(bench.appearance, f"How far you are in {card.title}", parent=self)
        self.buttons = {one.id: ButtonView(bench, one, self) for one in card.buttons}
        whole = QHBoxLayout(self)
        whole.setContentsMargins(px(16), px(10), px(12), px(10))
        whole.setSpacing(px(16))
        whole.addWidget(self.image)
        words, line, ways = QVBoxLayout(), QHBoxLayout(), QVBoxLayout()
        whole.addLayout(words, 1)
        words.setSpacing(px(2))
        words.addWidget(self._title)
        words.addWidget(self._words)
        words.addLayout(line)
        line.setSpacing(px(12))
        line.addWidget(self.ring)
        line.addWidget(self._said, 1)
        whole.addLayout(ways)
        ways.setSpacing(0)
        ways.addStretch()
        for button in self.buttons.values():
            ways.addWidget(button)
        ways.addStretch()
        self.tell(card)

    def tell(self, card: Card) -> None:
        """Show another card with the same buttons."""
        self.setAccessibleName(card.title)
        self._title.setText(escape(card.title, quote=False))
        self._words.setText(card.words)
        self._said.setText(card.said)
        self.ring.setHidden(card.share is None)
        self.ring.show_share(card.share or 0.0)
        for one in card.buttons:
            self.buttons[one.id].tell(one)
        if self.image.made != card.image:
            self.image.made, self.image.is_drawn = card.image, False
        self.image.update()


class CardsView(QWidget):
    """Cards in rows."""

    def __init__(self, bench: Workbench, cards: Cards, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench, self.cards, self._gone = bench, dict[str, CardView](), Gone(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(bench.appearance.px(8))
        self.tell(cards)

    def tell(self, cards: Cards) -> None:
        known, self.cards = self.cards, {}
        for place, card in enumerate(cards.cards):
            self.cards[card.id] = view = known.pop(card.id, None) or CardView(self._bench, card, self)
            view.tell(card)
            if place < cards.shown:
                self._grid.addWidget(view, *divmod(place, cards.across))  # this removes it from its former cell
            if view.isHidden() != (place >= cards.shown):
                view.setVisible(place < cards.shown)
        for view in known.values():
            view.hide()
        self._gone.delete(*known.values())
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(column < cards.across))
