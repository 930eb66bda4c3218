"""The tab "Words": shows its cards on one page, asks for files, and does long searches on a thread.

Large modules are imported only when the tab is first shown.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMargins, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QFrame, QVBoxLayout, QWidget
from shiboken6 import isValid

from explorer.core.errors import ExplorerError
from explorer.core.progress import Progress, Report
from explorer.document.document import Change
from explorer.pages.equation import in_lines
from explorer.pages.page import Passage
from explorer.pages.words.card import ForWords, Screen, Shared, WordsCard
from explorer.sentences import sentence
from explorer.ui.background import Background
from explorer.ui.dialogs import let_files_have_room
from explorer.ui.errors import show_error
from explorer.ui.page.column import Elements
from explorer.ui.page.column_tab import ScrollPlace
from explorer.ui.page.surface import Keys
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import Menu, PushButton, tab_through
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import FlowLayout, scroll_area
from explorer.ui.widgets.tree import Gone, inside
from explorer.ui.workbench import Workbench

AROUND = 18, 13, 18, 16
"""Pixels at text scale 1 inside a card: at the left, above, at the right, below."""


class FramedCard(QFrame):
    """A framed card: a title, and below it the elements of the card's page."""

    grown = Signal()  # it needs another height at its width

    def __init__(self, bench: Workbench, card: WordsCard, parent: QWidget) -> None:
        super().__init__(parent)
        self.bench, self.card = bench, card
        self.setAccessibleName(card.title)
        mark(self, card="true")
        self._replaced, self._tells, self._keys = Gone(self), False, Keys()
        self._shares = later(self, self._share)
        self._held = False
        self._most = self._shared = 0
        """The pixels of the page that are in sight, and those that its elements share now."""
        self.make()

    def hold(self) -> None:
        """Keep the size until the widgets are made anew: to lay out all of them once more would block the window."""
        self._held = True

    def make(self) -> None:
        """Make the widgets anew, because all of them depend on the text scale; the keyboard focus is remembered."""
        self._held, self._shared = False, 0
        if (before := getattr(self, "elements", None)) is not None:
            self._keys = before.keys()
            before.hide()
            self._replaced.delete(before)
        self.elements = Elements(self.bench, self.bench.appearance.px(9), self)
        self.elements.setGeometry(self._inside())
        self.elements.grown.connect(self.grown)
        self.elements.show()

    def refresh(self) -> bool:
        """Compute the page and update the widgets that differ; returns whether the set of elements has changed.

        A call during a refresh does nothing: a removed widget loses the focus, which may emit a gesture.
        """
        if self._tells:
            return False
        self._tells, before = True, self.elements.widgets.keys()
        try:
            self.elements.tell((Passage("title of the card", self.card.title, "document"), *self.card.page()))
            if not self.elements.fits:
                self._share()
            self.elements.give_keys(self._keys)
            self._keys = Keys()
        finally:
            self._tells = False
        return before != self.elements.widgets.keys()

    def size_at(self, width: int) -> tuple[int, int]:
        """Its width in a place of so many pixels, where it is no narrower than its widest element; and its height."""
        if self._held:
            return self.width(), self.height()
        across, down = (self.size() - self._inside().size()).toTuple()
        wide = max(width, self.elements.minimumSizeHint().width() + across)
        return wide, self.elements.height_at(wide - across) + down

    def stand(self, place: QRect, most: int) -> None:
        """Take a place on a page of which so many pixels are in sight."""
        self.setGeometry(place)
        if self._held:
            return
        self._most = most
        self.elements.setGeometry(self._inside())
        if self._room == self._shared:
            return
        if self.visibleRegion().isEmpty():  # invisible cards later, one a turn: all in one turn would block the window
            self.bench.appearance.turns.add(self._shares)
        else:
            self._share()

    def _inside(self) -> QRect:
        self.ensurePolished()  # its frame takes some pixels
        return self.contentsRect().marginsRemoved(QMargins(*map(self.bench.appearance.px, AROUND)))

    @property
    def _room(self) -> int:
        return self._inside().width() - max(self.width() - self._most, 0)

    def _share(self) -> None:
        if not self._held:
            self._shared = self._room
            self.elements.share_room(self._room)

    def widget(self, id: str) -> Any:
        return self.elements.widgets[id]


AT_ONCE = 4_000_000
"""A table of at most this many numbers is searched at once: that takes milliseconds, less than using a thread costs."""
ABOUT = "Words that are used in a similar way have similar lists of numbers, their vectors. Here one can compare them."
LOW = 250
"""On a page lower than this, in pixels at text scale 1, a menu leads to the cards."""
KINDS = "Word vectors (*.txt *.gz *.vec *.bin *.safetensors *.npz);;All files (*)"


class WordsTab(QFrame, Screen):
    """The page "Words"."""

    loaded = Signal()  # other vectors were loaded
    sent = Signal(str)  # words were put into the model; the stage that shows them

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAccessibleName("Words")
        self.bench = bench
        self.state = Shared(self)
        self._works: dict[str, Background] = {}
        self.cards: list[FramedCard] = []
        self._file: Path | None = None  # vectors to be read once the card has nothing else to do
        self._coming: Iterator[Callable[[Shared], WordsCard]] = iter(())
        self._whole = False
        """Whether all cards have been made."""
        self._stale: dict[FramedCard, bool] = {}
        """The cards that have changed; True if all their widgets are to be made anew."""
        self._bar = QWidget()
        self._links = FlowLayout(self._bar, 2, 2)
        self._goes = PushButton("Go to a card  ▾", tip="All cards of this page", look="link", name="Go to a card")
        self._menu = Menu(self._goes)
        self._goes.setMenu(self._menu)
        self._goes.hide()
        self._links.addWidget(self._goes)
        self._area, self._page = scroll_area(), QWidget()
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(0)
        self._title = Label("Words", "title")
        self._about = Label(ABOUT, "muted", wraps=True)
        self._layout.addWidget(self._title)
        self._layout.addWidget(self._about)
        self._layout.addWidget(self._bar)
        self._layout.addWidget(self._area, 1)
        self._next = later(self, self._go_on)
        self._learns = QTimer(self, singleShot=True)
        self._learns.timeout.connect(self._learn)
        self._asked: list[str] = []
        self._spoken_of: FramedCard | None = None
        self._focus: tuple[QWidget | None, ...] = ()
        """The widgets with the keyboard focus before and after work during which the card "Vectors" is disabled."""
        self._arranged = False
        """Whether elements of a card were added or removed since the Tab order was set."""
        self._stands = later(self, self._stand)
        bar = self._area.verticalScrollBar()
        bar.actionTriggered.connect(self._be_left)
        bar.rangeChanged.connect(self._stands.start)  # a scroll bar that appears takes some width
        self._place_read = ScrollPlace(bench, self._area)
        bar.rangeChanged.connect(self._stay)  # cards above the one in sight may still grow
        bench.selection.asked.connect(self._do)
        bench.bridge.changed.connect(self._follow)
        bench.appearance.changed.connect(self.restyle)
        self._space()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.read()
        self._catch_up()
        self._next.start()

    def read(self) -> None:
        """Begin to read the vectors that all cards need, if that has not begun."""
        if not self.cards:
            self._build()

    def hideEvent(self, event: Any) -> None:
        """Stop the training on the reader's own text, which nobody sees now."""
        super().hideEvent(event)
        if self._learns.isActive():
            self._learns.stop()
            self.state.cards["own text"].stop()
            self.tell(self.state.cards["own text"])

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._fit()
        self._stand()

    def _fit(self) -> None:
        """On a low page leave the height to the cards: a menu leads to them in place of lines of links."""
        low = self.height() < self.bench.appearance.px(LOW)
        self._about.setVisible(not low)
        self._goes.setVisible(low and self._whole)
        for link in self._links.widgets:
            if link is not self._goes:
                link.setVisible(not low)

    def restyle(self) -> None:
        """Follow the theme and the text scale: each card in a turn of its own, once the tab is visible."""
        self._place_read.hold()
        self._space()
        self._fit()
        self._stale = dict.fromkeys(self.cards, True)
        for view in self.cards:
            view.hold()
        # The screen keeps its picture until all are made anew: they would all be painted with what they had before.
        self._area.setUpdatesEnabled(not (self.cards and self.isVisible()))
        self._next.start()

    @property
    def is_whole(self) -> bool:
        """Whether all cards are made, and show what they should."""
        return not (self._next.isActive() or self._stands.isActive())

    def open_file(self, path: Path) -> None:
        """Read vectors from a file, after those that are being read."""
        self._file = path
        self._next.start()

    def view(self, card: WordsCard) -> FramedCard:
        """The widget of a card."""
        return next(view for view in self.cards if view.card is card)

    # The cards are made one a turn: making all in one turn would block the window

    def _build(self) -> None:
        """Make the first card, and load the vectors that all other cards need."""
        from explorer.pages.words import cards

        self._coming = iter(cards(self.bench.document))
        self._area.setWidget(self._page)
        self._add(next(self._coming))
        vectors: Any = self.state.cards["vectors"]
        vectors.start_default()
        self.tell(vectors)

    def _add(self, kind: Callable[[Shared], WordsCard]) -> None:
        card = kind(self.state)
        if self.state.vectors is not None:
            card.load()
        view = FramedCard(self.bench, card, self._page)
        view.grown.connect(self._stands.start)
        self.cards.append(view)
        view.show()
        self._stand()
        self._show(view)

    def _go_on(self) -> None:
        """If the tab is visible, show one card that has changed, or make the next card."""
        if not self.isVisible():
            return
        vectors: Any = self.state.cards["vectors"]
        if self._file is not None and not vectors.doing:
            path, self._file = self._file, None
            vectors.open_file(path)
            self.tell(vectors)
        if self._stale:
            self._show(next(iter(self._stale)))
        elif (kind := next(self._coming, None)) is not None:
            self._add(kind)
        else:
            if not self._whole:
                self._link_up()
            self._stand()
            self._speak()
            if self._arranged and not self._stale:
                self._order()
            return
        self._next.start()

    def _link_up(self) -> None:
        """Make the row of links to the cards, once all cards are made."""
        self._whole = True
        for view in self.cards:
            act, title = partial(self.go_to, view), view.card.title
            button = PushButton(view.card.short or title, act, title, look="link", name=f"Go to: {title}", keys=True)
            self._links.addWidget(button)
            self._menu.addAction(title, act)
        self._fit()  # at once, so that the layout gives them their room now
        self._layout.activate()

    def _stand(self) -> None:
        """Let cards stand side by side where the page is wide enough, and make the map as high as the visible area."""
        px, sight = self.bench.appearance.px, self._area.viewport()
        wide, high = sight.width() - px(24), round(sight.height() / px(100) * 100)
        there = [view for view in self.cards if not view.isHidden()]
        half = (wide - px(12)) // 2
        sizes = [view.size_at(half if 0 < px(view.card.beside) <= wide else wide) for view in there]
        places = in_lines(sizes, wide, px(12))
        for view, place in zip(there, places, strict=True):
            view.stand(QRect(*place).translated(px(8), px(8)), wide)
        right, bottom = (max((at[i] + at[i + 2] for at in places), default=0) for i in (0, 1))
        self._page.setMinimumSize(right + px(24), bottom + px(32))
        card: Any = self.state.cards.get("map")
        if card is not None and card.room != high:
            card.room = high
            self.tell(card)

    def tell(self, card: WordsCard) -> None:  # shows it in a later turn
        for view in self.cards:
            if view.card is card:
                self._stale.setdefault(view, False)
                self._next.start()

    def _show(self, view: FramedCard) -> None:
        now = QApplication.focusWidget()
        if self._stale.pop(view, False):
            view.make()
        others, hidden = view.refresh(), view.isHidden()
        self._arranged |= others
        self._area.setUpdatesEnabled(not any(self._stale.values()))
        view.setVisible(self.state.vectors is not None or not view.card.needs_vectors)
        if others or hidden != view.isHidden():
            self._stand()
        if self._focus and not self.state.cards["vectors"].searches:
            before, since = self._focus
            # A reader who has moved the focus elsewhere meanwhile keeps it there.
            stays = now is not None and now is not since and not self.cards[0].isAncestorOf(now)
            if before is not None and isValid(before) and not stays:
                before.setFocus()
            self._focus = ()

    def _order(self) -> None:
        """Let the key Tab follow the reading order of the cards; Qt's own order is that in which widgets were made."""
        self._arranged = False
        tab = Qt.FocusPolicy.TabFocus
        takes = [one for one in inside(self, QWidget) if one.focusPolicy() & tab and one.focusProxy() is None]
        tab_through(*(one for part in (self._bar, *self.cards) for one in takes if part.isAncestorOf(one)))

    # Gestures

    def _do(self, gesture: object, at: QWidget) -> None:
        if not isinstance(gesture, ForWords):
            return
        card = self.state.cards[gesture.card]
        if gesture.act == "cosine" and self.view(card) in self._stale:
            return  # the clicked list is out of date: it is about to show other vectors
        wrong = [entry.wrong for entry in card.fields.values()]
        focus = QApplication.focusWidget()
        try:
            self._do_on(card, gesture)
        except ExplorerError as error:
            show_error(error, at)
        view = self.view(card)
        self._show(view)
        if gesture.card == "vectors" and card.searches and gesture.act != "cancel":
            self._focus = focus, QApplication.focusWidget()
        for before, (id, entry) in zip(wrong, card.fields.items(), strict=True):
            if entry.wrong is not None and entry.wrong is not before:
                view.widget(f"{id} field").be_wrong()
                break
        if gesture.card == "own text":
            self._go_on_learning(card)

    def _do_on(self, card: Any, gesture: ForWords) -> None:
        match gesture.act:
            case "open a file":
                let_files_have_room(self)
                name, _ = QFileDialog.getOpenFileName(self, "Open word vectors", str(self.bench.folder), KINDS)
                if name:
                    self.bench.folder = Path(name).parent
                    card.open_file(Path(name))
            case "send":
                if (command := card.command()) is not None:
                    self.bench.document.do(command)
                    card.say_sent(command)
                    self.sent.emit(f"{command.sequence}.embedding")
            case "look up":
                if (found := card.look_up()) is not None:
                    lesson, label = found
                    self.bench.open_state(lesson, lesson.state(), label)
                    self.sent.emit("attention")
            case "zoom":
                self.view(card).widget("map").zoom(gesture.value)
            case _:
                card.do(gesture.act, gesture.value, gesture.field)

    def _learn(self) -> None:
        card: Any = self.state.cards["own text"]
        if card.learn():
            self._show(self.view(card))
        self._go_on_learning(card)

    def _go_on_learning(self, card: Any) -> None:
        if not card.learns:
            self._learns.stop()
        elif not self._learns.isActive():
            self._learns.start(card.pace)

    # The methods of `Screen`

    def say(self, error: ExplorerError) -> str:
        return sentence(error)

    def search(self, card: WordsCard, work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool) -> None:
        if slow or card.vectors.array.size > AT_ONCE:
            self._background(card).ask(work, then)
        else:
            self.stop(card)
            super().search(card, work, then, slow)

    def stop(self, card: WordsCard) -> None:
        self._background(card).stop()

    def load(self) -> None:
        self.loaded.emit()

    def _background(self, card: WordsCard) -> Background:
        if card.name not in self._works:
            self._works[card.name] = background = Background(self)
            background.progressed.connect(partial(self._hear, card))
            background.failed.connect(partial(self._fail, card))
        return self._works[card.name]

    def _hear(self, card: WordsCard, now: Progress) -> None:
        card.hear(now)
        self.tell(card)

    def _fail(self, card: WordsCard, error: ExplorerError) -> None:
        card.fail(error)
        self.tell(card)
        show_error(error, self.view(card))

    # The model

    def _follow(self, change: Change) -> None:
        """React to a change of the document: vectors from the model's own table follow the model."""
        if self.cards:
            vectors: Any = self.state.cards["vectors"]
            vectors.hear_of(change)
            self._catch_up()
            for name in ("vectors", "send") if change.structure else ():
                if name in self.state.cards:
                    self.tell(self.state.cards[name])

    def _catch_up(self) -> None:
        """If the tab is visible, load the model's own table again; else later, so that edits elsewhere stay fast."""
        vectors: Any = self.state.cards["vectors"]
        if vectors.stale and self.isVisible():
            vectors.take_table(vectors.table)

    # Scrolling

    def seek(self, card: WordsCard, id: str = "") -> None:
        view = self.view(card)
        self._show(view)
        self.go_to(view)
        if id:
            view.widget(id).setFocus()

    def speak_of(self, asked: str) -> None:
        """Scroll to what a step of a lesson is about, once it is made: the neighbours of a word, or an analogy.

        That card stays in sight until the reader scrolls.
        """
        from explorer.pages.words.neighbours import asked_words

        self._asked = asked_words(asked)
        self._speak()

    def _speak(self) -> None:
        vectors, words = self.state.vectors, self._asked
        if vectors is None or not self._whole or not words:
            return
        self._asked = []
        if not all(word in vectors for word in words):
            return
        card: Any = self.state.cards["analogy" if len(words) == 3 else "neighbours"]
        if len(words) == 3:
            card.begin_with(words)
            self.tell(card)
        else:
            self.state.go_to(words[0])
        self._spoken_of = self.view(card)
        self._stay()

    def _stay(self) -> None:
        if self._spoken_of is not None:
            self._scroll_to(self._spoken_of)

    def _be_left(self) -> None:
        """Stop keeping a card in sight: the reader has scrolled, or has gone to another card."""
        self._spoken_of = None

    def go_to(self, card: QWidget) -> None:
        """Scroll to a card."""
        self._be_left()
        self._scroll_to(card)

    def _scroll_to(self, card: QWidget) -> None:
        content = self._area.widget()
        assert content is not None
        place = card.mapTo(content, QPoint(0, 0)).y()
        self._area.verticalScrollBar().setValue(max(place - self.bench.appearance.px(8), 0))

    def _space(self) -> None:
        px = self.bench.appearance.px
        # The margins of the links let their words begin below those of the title.
        self._layout.setContentsMargins(px(16), px(14), 0, 0)
        for said in (self._title, self._about):
            said.setContentsMargins(px(8), 0, px(8), 0)
