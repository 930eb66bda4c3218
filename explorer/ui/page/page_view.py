"""A page on the screen: it shows the data that `compose.page` makes of the present view."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from explorer.core.graph import Stage
from explorer.pages import compose
from explorer.pages.drawing import Box
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import Page, Picture, Waiting
from explorer.pages.steps.of_step import Lit
from explorer.pages.view import Looking, Memo
from explorer.ui.matrix.heading import NUMBERS, THUMB, formula_of
from explorer.ui.page.column import Elements
from explorer.ui.page.gestures import perform
from explorer.ui.page.header import HeaderView
from explorer.ui.page.overlays import Flash, Veil
from explorer.ui.page.pictures import Filling
from explorer.ui.page.player import PlayerView
from explorer.ui.turns import BeforePainting, Bridge, later
from explorer.ui.widgets.formula import can_typeset_now, typeset
from explorer.ui.workbench import Workbench

Place = tuple[str, float]
"""The id of the first visible element, and how much of its height is above the visible part."""


class InPlace:
    """Scrolls a page so that the element under the pointer stays in its place while others change.

    If the page cannot scroll that far, it gets empty room above its first element, or below its last; not after a key,
    which acts wherever the pointer rests.
    """

    def __init__(self, page: QScrollArea, elements: Elements, bridge: Bridge) -> None:
        self._page, self._elements, self._bridge = page, elements, bridge
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
            there = [one for one in there if not isinstance(one, Filling)]
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
            QCoreApplication.sendPostedEvents(self._elements, QEvent.Type.LayoutRequest)
            down = self._height(widget) - wanted
            if self._bridge.by_keys and not self._read:
                self._add(0, 0)
                down = self._height(widget) - wanted
            if self._read or self._bridge.by_keys:  # without added room: the whole page may fit in the window now
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
        page = self._elements.height() - self._above - self._below
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


BEGIN, MARGIN = 20, 12
"""The left and the right margin of the page in pixels at text scale 1."""
NARROW, LESS = 200, 0.4
"""In a narrower page (pixels at text scale 1) the margins are this part as wide: its numbers need the room."""
ROUNDS = 24
"""The most layouts of a page between two changes of the document or the window; each picture that arrives needs one."""
REST = 150
"""Milliseconds for which a window's edge must rest before what a step names gets a new size."""
SLOWER = 3
"""The edge must also rest for this many times the duration of a layout, because the turn also paints."""
MANY = 6
"""The most missing widgets that a visible page makes in one turn; each may take 10 ms."""


class PageView(QScrollArea):
    """The page of a stage. It follows only the document and the selection.

    `waits`: whether it follows changes and is laid out in a turn of its own, because a page beside it does so at once.
    `lights`: whether what a step names is lit, and changed cells flash; neither on paper.
    """

    scrolled = Signal()  # the user has scrolled

    def __init__(
        self, bench: Workbench, stage: Stage, parent: QWidget | None = None, waits: bool = False, lights: bool = True
    ) -> None:
        super().__init__(parent)
        self._waits = waits
        self.bench = bench
        self.stage = stage
        self.page: Page | None = None
        self._memo = Memo()
        self.is_stale = True
        """Whether something has changed since the page was built."""
        self._arrives = False
        self._looking: Looking | None = None
        self._shown = self._hidden = False
        self._making: Iterator[None] | None = None
        self._formulas: Iterator[str] | None = None  # those still to be typeset
        self._steps: tuple[float, Mapping[str, bool]] | None = None
        self._size, self._rounds = self.size(), 0
        self._shared_for: tuple[object, ...] | None = None
        """The room of the last layout; None if something on the page has another size since."""
        self._settled = later(self, self.share)
        self._sized = BeforePainting(self, self._follow_edge)
        self._rested = QTimer(self, singleShot=True, interval=REST)
        self._rested.timeout.connect(self._rest)
        self._drags = False
        """Whether the window's edge is being dragged, so that many sizes follow each other."""
        self._told = later(self, self._refresh_in_sight)
        px = bench.appearance.px
        self.elements = Elements(bench, px(12))
        self.elements.sizes_itself = True
        self.elements.restood.connect(self._follow_sizes)
        self.elements.setContentsMargins(px(BEGIN), px(10), px(MARGIN), px(16))
        self.in_place = InPlace(self, self.elements, self.bench.bridge)
        self.veil, self.flash = Veil(self.elements), Flash(self.elements)
        self._lit_for: tuple[object, object] = None, None  # the widgets and the step for which the light was last set
        self.setWidget(self.elements)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.verticalScrollBar().actionTriggered.connect(self._be_scrolled)
        bench.selection.looked.connect(self._follow_looking)
        bench.descent.changed.connect(self._follow_descent)
        self._lights = lights
        bench.light.changed.connect(self._follow_light)
        self.leaves = False
        """Whether it is not updated: the next page is being built, or another window lies over this one."""
        self.in_turns: Callable[[], object] | None = None
        """Called if a visible page lacks many widgets; it must call `make` in several turns, and then `refresh`."""
        bench.aside.changed.connect(self._follow_awaited)

    @property
    def header(self) -> HeaderView:
        """The header of the page."""
        header = self.elements.widgets["header"]
        assert isinstance(header, HeaderView)
        return header

    def play(self) -> bool:
        """Play the players of the page, or pause them; returns whether there are any."""
        players = [widget for widget in self.elements.widgets.values() if isinstance(widget, PlayerView)]
        for player in players:
            player.toggle()
        return bool(players)

    @property
    def is_picture(self) -> bool:
        """Whether a picture fills the page."""
        return self._picture is not None

    @property
    def _picture(self) -> Filling | None:
        widgets = self.elements.widgets.values()
        return next((one for one in widgets if isinstance(one, Filling)), None)

    def come_from(self, stages: Sequence[str]) -> None:
        """In a picture that fills the page, select the box that leads to one of these stages."""
        picture = self._picture
        if picture is not None:
            picture.fill()
            picture.picture.come_from(stages)

    def take_key(self, event: QKeyEvent) -> bool:
        """Give an unused key to the picture that fills the page; returns whether the picture uses it."""
        picture = self._picture.picture if self._picture is not None else None
        return picture is not None and bool(picture.take_key(event))

    def go_out(self) -> bool:
        """Go to the stage around this one; returns whether there is one."""
        crumbs = self.page.header.crumbs if self.page is not None else ()
        return bool(crumbs) and perform(self.bench, crumbs[-1].asks, self)

    def go_back(self, place: Place) -> None:
        """Scroll to what was read in another look, and keep it there until something is done."""
        self.in_place.go_back(*place)
        self.bench.bridge.acted.connect(self.in_place.let_go, Qt.ConnectionType.SingleShotConnection)
        self.scrolled.emit()

    # Following

    def follow(self) -> None:
        """Show a change of the document, at once or when the page is next shown; if visible, changed cells flash."""
        if self._lights and self.isVisible() and not self.leaves:
            self.flash.await_rest()
        self._follow()

    def _follow(self) -> None:
        self.is_stale = True
        if self._waits:
            self._told.start()
        else:
            self._refresh_in_sight()

    def _follow_awaited(self) -> None:
        """Show a result from the background, if this page waits for one."""
        if self._awaited:
            self._arrives = True
            self._follow()

    @property
    def _awaited(self) -> list[str]:
        elements = self.page.elements if self.page is not None else ()
        return [part.id for element in elements for part in leaves(element) if isinstance(part, Waiting)]

    def _follow_looking(self) -> None:
        if self._looking != self.bench.selection.looking:  # otherwise the page already shows these choices
            self._follow()

    def _refresh_in_sight(self) -> None:
        if not self.isVisible() or self.leaves:
            return
        if self.in_turns is None:
            self.refresh()
        elif not self.refresh(MANY):
            self.flash.stop()
            self.in_turns()

    def _follow_light(self) -> None:
        """Follow a change of the light: at once, or when the page is next shown."""
        if self._making is None and (self.leaves or self._hidden):
            self.is_stale = True
        else:
            self._shine()

    def _follow_descent(self) -> None:
        """Show other settings of gradient descent; its steps are changes of the document.

        In a later turn, so that a page that also follows the opening of an example is built only once.
        """
        if self.is_stale:
            return
        descent = self.bench.descent
        if (descent.rate, descent.moves()) != self._steps:
            self.is_stale = True
            self._told.start()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._shown, self._hidden = True, False
        self.refresh()
        if self.is_whole and not self.elements.fits:  # Qt sends no resize if the size is the same as before
            self._sized.ask()

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        self._shown, self._hidden = False, True
        self.in_place.let_go()
        self.flash.stop()
        for key in self._awaited:
            self.bench.aside.leave(key)
            self.is_stale = True  # when it is next shown, the page asks for the result again

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._be_scrolled()
        super().wheelEvent(event)

    def _be_scrolled(self, *_: object) -> None:
        self.in_place.let_go()
        self.scrolled.emit()

    @property
    def was_seen(self) -> bool:
        """Whether the page has been shown before."""
        return self._shown or self._hidden

    @property
    def is_whole(self) -> bool:
        """Whether all widgets of the page exist."""
        return self.page is not None and self._making is None

    @property
    def is_settled(self) -> bool:
        """Whether the layout of the page is complete."""
        return self.is_whole and not (self._settled.isActive() or self._drags)

    def make(self, seconds: float = math.inf) -> bool:
        """Make the widgets that a new or stale page lacks, for at most `seconds`.

        The visible page stays as it is until all are made. Returns whether all are made.
        """
        end = time.perf_counter() + seconds
        if self.is_stale:
            self._begin()
            if time.perf_counter() >= end:
                return False
        while self._making is not None:
            if next(self._making, self) is self:
                self._end()
            if time.perf_counter() >= end:
                break
        return self._making is None

    def lay_out(self, place: QRect) -> None:
        """Lay out the page in the place in which it will be shown."""
        self.setGeometry(place)
        self.share()

    def typeset(self, seconds: float) -> bool:
        """Typeset formulas for at most `seconds`; otherwise the layout, or painting a picture, would typeset them.

        Returns whether all formulas of the matrices and of the picture that fills the page are typeset.
        """
        end = time.perf_counter() + seconds
        if self._formulas is None:
            elements = self.page.elements if self.page is not None and can_typeset_now() else ()
            self._formulas = (latex for element in elements for latex in _formulas(element))
        for latex in self._formulas:
            typeset(latex)
            if time.perf_counter() >= end:
                return False
        self._formulas = None
        return True

    def refresh(self, most: float = math.inf) -> bool:
        """Build the page's data again, and update the widgets that differ, in this turn; returns whether it was done.

        It is not if more than `most` widgets are missing, which `make` can make in several turns.
        """
        if self.is_stale and self.stage in self.bench.selection.places:  # a page without a stage will be deleted
            self._begin()
        return self._making is None or self._end(most)

    def _begin(self) -> None:
        """Build the page's data again; its widgets are made afterwards."""
        self.is_stale, self._rounds = False, 0
        self._looking = self.bench.selection.looking
        view = replace(self.bench.view, memo=self._memo)
        self._steps = (view.steps.rate, view.steps.moves) if view.steps is not None else None
        self.page = compose.page(view, self.stage)
        self._making = self.elements.preparing((self.page.header, *self.page.elements))

    def _end(self, most: float = math.inf) -> bool:
        """Show the page's data. Returns False, and does nothing, if more than `most` widgets are missing."""
        assert self.page is not None
        # When a result from the background arrives, a page that is scrolled to its top stays there.
        if not (self._arrives and self.verticalScrollBar().value() == 0):
            self.in_place.hold()
        if not self.elements.tell((self.page.header, *self.page.elements), most):
            return False
        self._making, self._arrives = None, False
        others = self._lit_for[0] is not self.elements.widgets
        if others:
            self.flash.stop()
        if others or self._lit_for[1] is not self.bench.light.step:
            self._shine()
        if self.isVisible() and not self.elements.fits:
            self._share_room()
        self.in_place.keep()
        return True

    def _shine(self) -> None:
        if self.page is not None and self._making is None and self._lights:
            self._lit_for = self.elements.widgets, self.bench.light.step
            lit = self.bench.light.of(self.page, self.bench.view)
            self.veil.let_through(lit)
            # Only a step enlarges what it names; a chosen cell does not.
            self.elements.enlarge(Lit() if self.bench.light.step is None else lit)
            if self.isVisible() and not self.elements.fits:
                self._share_room()

    # Room

    def resizeEvent(self, event: Any) -> None:  # of the viewport, also if only a bar was shown or hidden
        super().resizeEvent(event)
        another = self.size() != self._size
        if another:
            self.in_place.let_go()
            self._size, self._rounds = self.size(), 0
        if not another and self.elements.fits:
            return
        if self._waits:
            self._settled.start()
        elif self._shown:
            self._sized.ask()
        else:
            self.share()  # before the page is shown; Qt may send the same size again

    def _follow_sizes(self) -> None:
        """Lay out the page for what on it has taken another size by itself."""
        self._shared_for, turns = None, self.bench.appearance.turns
        if self.in_turns is not None and not self.was_seen and not self._rounds:
            pass  # the code that makes it in turns also lays it out in one of them
        elif turns.idle:
            self._settled.start()
        else:
            turns.add(self._settled)  # one timer serves all pictures, which arrive one at a time
        self.in_place.keep()

    def _follow_edge(self) -> None:
        """Lay out the page for another size of the window; while more sizes follow, what a step names keeps its size.

        After a long layout the next size arrives later, so the edge must rest longer before it counts as at rest.
        """
        self._drags = self._rested.isActive()
        begun = time.perf_counter()
        self.share()
        self._rested.start(max(REST, round(1000 * SLOWER * (time.perf_counter() - begun))))

    def _rest(self) -> None:
        if self._drags:
            self._drags = False
            self.share()

    def share(self) -> None:
        """Lay out the page again, because the page, or something on it, has another size.

        This is done at most `ROUNDS` times, because sizes could cause each other for ever; and not if no size is new.
        """
        if self._rounds < ROUNDS and self.is_whole and not (self.elements.fits and self._shared_for == self._room()):
            self._rounds += 1
            self._share_room()
            self.in_place.keep()

    def _room(self) -> tuple[int, int | None, bool]:
        """The room of the page, whichever bars there are now: its width, its height, and whether the edge is dragged.

        The room of the vertical bar is kept even if it is hidden: a row that only just fits would make it come and go.
        """
        across, down = self.maximumViewportSize().toTuple()
        drags = self._drags and self.elements.is_enlarged
        if self.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff:  # on paper
            return across, None, drags
        return across - self.verticalScrollBar().sizeHint().width(), down, drags

    def _share_room(self) -> None:
        if self.is_whole:  # Qt also sends a resize while the page is being built
            self._shared_for = self._room()
            self._set_margins(self._shared_for[0])
            self.elements.share_room(*self._shared_for)
            below = self.horizontalScrollBar()
            if below.isVisibleTo(self) and not below.maximum():  # Qt would leave the bar visible until the next resize
                self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
                self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def _set_margins(self, across: int) -> None:
        px, margins = self.bench.appearance.px, self.elements.contentsMargins()
        part = LESS if across < px(NARROW) else 1.0
        begin, end = px(BEGIN * part), px(MARGIN * part)
        if (margins.left(), margins.right()) != (begin, end):
            margins.setLeft(begin)
            margins.setRight(end)
            self.elements.setContentsMargins(margins)


def _formulas(element: Element) -> Iterator[str]:
    """The formulas of an element: those in the headings of its matrices, or those of a picture that fills the page."""
    if isinstance(element, Picture) and element.fills:
        yield from (mark.formula for mark in element.drawing.marks if isinstance(mark, Box) and mark.formula)
    for one in leaves(element):
        if isinstance(one, Matrix):
            yield from (formula_of(one, kind) for kind in (NUMBERS, THUMB))
