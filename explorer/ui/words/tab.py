"""The word-similarity tab: parts as cards on one page. Nothing heavy is imported before it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.turns import do_later, later
from explorer.ui.widgets.layouts import FlowLayout, scroll_area
from explorer.ui.widgets.tree import inside
from explorer.ui.words.card import TabState
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.words.card import Card

PAIRS = {5: 1020, 7: 1800, 10: 1800}
"""Two parts that stand beside each other: how many parts there are with the second, and the pixels at text scale 1 from
which on there is room for both."""


class WordsTab(QFrame):
    """The page "Words"."""

    sent = Signal(str)  # words went into the model; the stage where they can be seen

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAccessibleName("Words")
        self.bench = bench
        self.state = TabState(self)
        self.cards: list[Card] = []
        self._next: Callable[[Workbench, TabState], Card] | None = None
        self._bar = QWidget()
        self._links = FlowLayout(self._bar, 2, 2)
        self._area = scroll_area()
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(0)
        self._title = mark(QLabel("Words"), role="title")
        self._layout.addWidget(self._title)
        self._layout.addWidget(self._bar)
        self._layout.addWidget(self._area, 1)
        self._restyled, self._worn = later(self, self._restyle), True
        self._asked: list[str] = []
        self._spoken_of: Card | None = None
        bar = self._area.verticalScrollBar()
        bar.actionTriggered.connect(self._be_left)
        bar.rangeChanged.connect(self._stay)  # what stands above it may still grow
        self._space()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if not self._worn:
            self._restyle()
        if not self.cards:
            self._build()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._give_room()

    def _give_room(self) -> None:
        for card in self.cards:
            card.give_room(self._area.viewport().height())

    def restyle(self) -> None:
        """Follow the theme and the text scale: in a turn of its own, or once it is looked at."""
        self._worn = False
        if self.isVisible():
            self.bench.appearance.turns.add(self._restyled)

    def _restyle(self) -> None:
        self._worn = True
        self._space()
        for part in inside(self, QWidget):  # one search for all cards: it goes through every widget that there is
            if restyle := getattr(part, "restyle", None):
                restyle()
        self._give_room()

    def card(self, kind: type) -> Any:
        """The part of a kind."""
        return next(card for card in self.cards if isinstance(card, kind))

    def _build(self) -> None:
        """The first part. The others come one a turn: all of them together would hold the window up."""
        from explorer.ui.words.vectors_card import VectorsCard

        content = CardsPage()
        self._page = QVBoxLayout(content)
        self._page.addStretch(1)
        self.vectors_card = VectorsCard(self.bench, self.state)
        self._add(self.vectors_card)
        self._space_page()
        self._area.setWidget(content)
        self.state.changed.connect(self._load)
        self.vectors_card.start_default()
        self._coming = _kinds()
        self._next = next(self._coming, None)
        do_later(self, self._add_next)

    def _add_next(self) -> None:
        assert self._next is not None
        self._add(self._next(self.bench, self.state))
        self._next = next(self._coming, None)
        if self._next is None:
            self._link_up()
        else:
            do_later(self, self._add_next)

    def _add(self, card: Card) -> None:
        self._page.insertWidget(self._page.count() - 1, card)
        self.cards.append(card)
        card.give_room(self._area.viewport().height())
        if self.state.vectors is not None:
            self._load_card(card)
        elif card.needs_vectors and card is not self.vectors_card:
            card.hide()
        if (wide := PAIRS.get(len(self.cards))) is not None:
            place = self._page.indexOf(self.cards[-2])
            self._page.insertWidget(place, TwoCards(self.bench, wide, *self.cards[-2:]))

    def _load(self) -> None:
        for card in self.cards:
            self._load_card(card)
        self._speak()

    def _load_card(self, card: Card) -> None:
        if card.needs_vectors:
            card.load()
        card.setVisible(True)

    def _link_up(self) -> None:
        """All parts are there: a row of links, one to each."""
        from explorer.ui.words.cosine import CosineCard
        from explorer.ui.words.send import SendCard

        self.card(SendCard).sent.connect(self.sent)
        self.card(CosineCard).back.connect(self.go_to)
        self.state.cosine_asked.connect(self._show_cosine)
        for card in self.cards:
            button = mark(QPushButton(card.short or card.title), link="true")
            button.setAccessibleName(f"Go to: {card.title}")
            button.setToolTip(card.title)
            button.clicked.connect(lambda _=False, card=card: self.go_to(card))
            self._links.addWidget(button)
            button.show()  # at once, so that they take their room from the rest now
        self._layout.activate()
        self._give_room()
        self._speak()

    def _show_cosine(self, pair: Any, names: tuple[str, str], asker: Card) -> None:
        """A cosine that stands somewhere on the page, product by product."""
        from explorer.ui.words.cosine import CosineCard

        card = self.card(CosineCard)
        try:
            card.show_pair(pair, names, asker)
        except ExplorerError as error:
            show_error(error, asker)
            return
        self.go_to(card)
        card.way_back.setFocus()

    def speak_of(self, asked: str) -> None:
        """Show what a step of a lesson speaks of, as soon as it is there: the neighbours of a word, or an analogy.

        It stays in sight until somebody scrolls.
        """
        from explorer.pages.words import asked_words

        self._asked = asked_words(asked)
        self._speak()

    def _speak(self) -> None:
        vectors, words = self.state.vectors, self._asked
        if vectors is None or self._next is not None or not words:
            return
        self._asked = []
        if not all(word in vectors for word in words):
            return
        from explorer.ui.words.analogy import AnalogyCard
        from explorer.ui.words.neighbours import NeighboursCard

        if len(words) == 3:
            self._spoken_of = analogy = self.card(AnalogyCard)
            analogy.begin_with(words)
        else:
            self._spoken_of = self.card(NeighboursCard)
            self.state.go_to(words[0])
        self._stay()

    def _stay(self) -> None:
        if self._spoken_of is not None:
            self._scroll_to(self._spoken_of)

    def _be_left(self) -> None:
        """Whoever scrolls or goes to another part has seen it."""
        self._spoken_of = None

    def go_to(self, card: QWidget) -> None:
        """Scroll to a part."""
        self._be_left()
        self._scroll_to(card)

    def _scroll_to(self, card: QWidget) -> None:
        content = self._area.widget()
        assert content is not None
        place = card.mapTo(content, QPoint(0, 0)).y()
        self._area.verticalScrollBar().setValue(max(place - self.bench.appearance.px(8), 0))

    def _space(self) -> None:
        px = self.bench.appearance.px
        # The links have room around their words, which begin below the title's.
        self._layout.setContentsMargins(px(16), px(14), 0, 0)
        self._title.setContentsMargins(px(8), 0, 0, 0)
        if self.cards:
            self._space_page()

    def _space_page(self) -> None:
        px = self.bench.appearance.px
        self._page.setContentsMargins(px(8), px(8), px(16), px(24))
        self._page.setSpacing(px(12))


def _kinds() -> Iterator[Callable[[Workbench, TabState], Card]]:
    """The other parts in their order, each imported when it is its turn; the map's pyqtgraph takes the longest."""
    from explorer.ui.words.strips import LookupCard

    yield LookupCard
    from explorer.ui.words.cosine import CosineCard

    yield CosineCard
    from explorer.ui.words.neighbours import NeighboursCard, OddCard

    yield NeighboursCard
    yield OddCard
    from explorer.ui.words.analogy import AnalogyCard

    yield AnalogyCard
    from explorer.ui.words.matrix import MatrixCard

    yield MatrixCard
    from explorer.ui.words.map_card import MapCard

    yield MapCard
    from explorer.ui.words.send import SendCard

    yield SendCard
    from explorer.ui.words.own_text import OwnTextCard

    yield OwnTextCard
    from explorer.ui.words.vectors_card import OriginsCard

    yield OriginsCard


class CardsPage(QWidget):
    """All parts below each other.

    Words that wrap are highest where they are narrow. That is not the least height of the page, which would end in
    empty space: it is as high as its width makes it.
    """

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)


class TwoCards(QWidget):
    """Two cards beside each other where there is room for both, else below each other.

    `wide`: pixels at text scale 1 that are room for both.
    """

    def __init__(self, bench: Workbench, wide: int, first: QWidget, second: QWidget) -> None:
        super().__init__()
        self._bench, self._wide, self._both = bench, wide, (first, second)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        for card in (first, second):
            self._box.addWidget(card, 1, Qt.AlignmentFlag.AlignTop)  # no higher than it is
        self.restyle()

    def restyle(self) -> None:
        """Follow the text scale."""
        self._box.setSpacing(self._bench.appearance.px(12))
        self._turn()

    def minimumSizeHint(self) -> QSize:
        """No wider than one of them: it turns before that is too narrow for both."""
        widest = max(card.minimumSizeHint().width() for card in self._both)
        return QSize(widest, self._box.minimumSize().height())

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        wide = self.width() >= self._bench.appearance.px(self._wide)
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._box.direction() != direction:
            self._box.setDirection(direction)
