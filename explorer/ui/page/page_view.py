"""A page on the screen: the data that `compose.page` makes of the present view."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from explorer.core.graph import Stage
from explorer.pages import compose
from explorer.pages.drawing import Box
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.of_step import Lit
from explorer.pages.page import Page, Picture, Waiting
from explorer.pages.view import Looking, Memo
from explorer.ui.matrix.heading import NUMBERS, THUMB, formula_of
from explorer.ui.page.anchor import InPlace
from explorer.ui.page.column import Elements
from explorer.ui.page.flash import Flash
from explorer.ui.page.gestures import perform
from explorer.ui.page.header import HeaderView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.page.player import PlayerView
from explorer.ui.page.veil import Veil
from explorer.ui.turns import BeforePainting, later
from explorer.ui.widgets.formula import can_typeset_now, typeset
from explorer.ui.workbench import Workbench

MARGIN = 12
"""Pixels at text scale 1 at the right of the page."""
ROUNDS = 24
"""How often the room is shared anew between two changes of the document or the window: pictures come one by one."""
REST = 150
"""Milliseconds for which a window's edge rests at least, until what a step names has its size anew."""
SLOWER = 3
"""Times what sharing takes, that it rests at least: a turn paints, too."""
MANY = 6
"""How many widgets that it lacks a page in sight makes in one turn: each may take 10 ms."""
SIZES = 8
"""How many sizes a page may get of one another: with bars that come and go there are three or four."""


class PageView(QScrollArea):
    """The page of a stage. It follows the document, what is looked at, and nothing else.

    Parameters
    ----------
    waits : bool
        Whether it follows, and shares its room, in a turn of its own: the page that it stands beside does so at once.
    lights : bool
        Whether what is spoken of stands in the light, and what was changed flashes: on paper nothing does.
    """

    scrolled = Signal()  # by hand

    def __init__(
        self, bench: Workbench, stage: Stage, parent: QWidget | None = None, waits: bool = False, lights: bool = True
    ) -> None:
        super().__init__(parent)
        self._waits = waits
        self.bench = bench
        self.stage = stage
        self.page: Page | None = None
        self._memo = Memo()
        self._stale, self._arrives = True, False
        self._looking: Looking | None = None
        self._sizes = 0
        self._shown = self._hidden = self._laying = False
        self._making: Iterator[None] | None = None
        self._formulas: Iterator[str] | None = None  # those still to be typeset
        self._steps: tuple[float, Mapping[str, bool]] | None = None
        self._size, self._rounds = self.size(), 0
        self._settled = later(self, self.share)
        self._sized = BeforePainting(self, self._follow_edge)
        self._rested = QTimer(self, singleShot=True, interval=REST)
        self._rested.timeout.connect(self._rest)
        self._drags = False
        """Whether sizes of the window follow each other: its edge is dragged."""
        self._told = later(self, self._refresh_in_sight)
        px = bench.appearance.px
        self.elements = Elements(bench, px(12))
        self.elements.setContentsMargins(px(20), px(10), px(MARGIN), px(16))
        self._in_place = InPlace(self, self.elements)
        self.veil, self.flash = Veil(self.elements), Flash(self.elements)
        self._lit_for: tuple[object, object] = None, None  # as the light was shared out: the widgets, and whose it was
        self.setWidget(self.elements)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.verticalScrollBar().actionTriggered.connect(self._be_scrolled)
        bench.selection.looked.connect(self._follow_looking)
        bench.descent.changed.connect(self._follow_descent)
        self._lights = lights
        bench.light.changed.connect(self._follow_light)
        self.leaves = False
        """Whether it is still in sight while the page that comes is made: it stays as one saw it."""
        self.in_turns: Callable[[], object] | None = None
        """Called where a page in sight lacks many widgets: it has somebody call `make` in turns, then `refresh`."""
        bench.aside.changed.connect(self._follow_awaited)

    @property
    def header(self) -> HeaderView:
        """What stands on top."""
        header = self.elements.widgets["header"]
        assert isinstance(header, HeaderView)
        return header

    def play(self) -> bool:
        """Play what can be played here, or pause it; returns whether there is anything."""
        players = [widget for widget in self.elements.widgets.values() if isinstance(widget, PlayerView)]
        for player in players:
            player.toggle()
        return bool(players)

    @property
    def is_picture(self) -> bool:
        """Whether a picture fills the page."""
        return self._picture is not None

    @property
    def _picture(self) -> PicturePlace | None:
        widgets = self.elements.widgets.values()
        return next((one for one in widgets if isinstance(one, PicturePlace) and one.fills), None)

    def come_from(self, stages: Sequence[str], focus: bool) -> None:
        """In a picture that fills the page, stand at the box that leads to one of some stages.

        `focus`: whether the keys go there, too.
        """
        picture = self._picture
        if picture is not None and focus:
            picture.fill()
            picture.picture.come_from(stages)

    def take_key(self, event: QKeyEvent) -> bool:
        """Give a key that nothing else takes to the picture that fills the page; returns whether it means something."""
        picture = self._picture.picture if self._picture is not None else None
        return picture is not None and bool(picture.take_key(event))

    def go_out(self) -> bool:
        """Go out to what this is a part of; returns whether there is anything."""
        crumbs = self.page.header.crumbs if self.page is not None else ()
        return bool(crumbs) and perform(self.bench, crumbs[-1].asks, self)

    def begin_at(self, pixels: int) -> None:
        """Scroll to a place that is asked for, with room below the page where it ends before that."""
        self._in_place.begin_at(pixels)

    # Following

    def follow(self) -> None:
        """Show a change of the document: at once, or as soon as the page is in sight; what it changed flashes then."""
        if self._lights and self.isVisible():
            self.flash.await_rest()
        self._follow()

    def _follow(self) -> None:
        self._stale = True
        if self._waits:
            self._told.start()
        else:
            self._refresh_in_sight()

    def _follow_awaited(self) -> None:
        """Show what has been computed beside the window, where this page waits for something."""
        if self._awaited:
            self._arrives = True
            self._follow()

    @property
    def _awaited(self) -> list[str]:
        """The keys of what the page waits for."""
        elements = self.page.elements if self.page is not None else ()
        return [part.id for element in elements for part in leaves(element) if isinstance(part, Waiting)]

    def _follow_looking(self) -> None:
        if self._looking != self.bench.selection.looking:  # else it has been made for that already
            self._follow()

    def _refresh_in_sight(self) -> None:
        if not self.isVisible() or self.leaves:
            return
        if self.in_turns is None:
            self.refresh()
        elif not self.refresh_few():
            self.flash.stop()
            self.in_turns()

    def _follow_light(self) -> None:
        """Let what is spoken of now stand in the light: at once, or once the page comes into sight again."""
        if self._making is None and (self.leaves or self._hidden):
            self._stale = True
        else:
            self._shine()

    def _follow_descent(self) -> None:
        """Show another way of taking steps; the steps themselves are changes of the document.

        Not at once: where an example is opened, the page follows that as well, and is made anew only then.
        """
        if self._stale:
            return
        descent = self.bench.descent
        if (descent.rate, descent.moves()) != self._steps:
            self._stale = True
            self._told.start()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._shown, self._hidden = True, False
        self.refresh()
        if self.is_whole and not self.elements.fits:  # in a place as large as before, Qt tells of no size
            self._sized.ask()

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        self._shown, self._hidden = False, True
        self._in_place.let_go()
        self.flash.stop()
        for key in self._awaited:
            self.bench.aside.leave(key)
            self._stale = True  # it asks again

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._be_scrolled()
        super().wheelEvent(event)

    def _be_scrolled(self, *_: object) -> None:
        self._in_place.let_go()
        self.scrolled.emit()

    @property
    def was_seen(self) -> bool:
        """Whether it has been in sight."""
        return self._shown or self._hidden

    @property
    def is_whole(self) -> bool:
        """Whether all its widgets are there."""
        return self.page is not None and self._making is None

    @property
    def is_settled(self) -> bool:
        """Whether all that stands on it has its place."""
        return self.is_whole and not (self._settled.isActive() or self._drags)

    @property
    def is_stale(self) -> bool:
        """Whether something has changed since it was made."""
        return self._stale

    def make(self, seconds: float = math.inf) -> bool:
        """Make the widgets that a new or stale page lacks, as many as it takes so long for.

        What is in sight stays as it is until all are there. Returns whether they are.
        """
        end = time.perf_counter() + seconds
        if self._stale:
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
        """Stand in the place that it will be shown in: for the one that a new page has it would be laid out in vain.

        To share its room, `share`, takes a turn of its own.
        """
        self._laying = True
        self.setGeometry(place)
        # Qt itself waits until it is shown, or until the window is drawn into a picture.
        QCoreApplication.sendEvent(self, QResizeEvent(place.size(), QSize()))
        port = self.viewport()
        QCoreApplication.sendEvent(port, QResizeEvent(port.size(), QSize()))
        self._laying = False

    def typeset(self, seconds: float) -> bool:
        """Typeset formulas, as many as it takes so long for: else sharing the room, or painting a picture, does so.

        Returns whether all are: those of matrices, and of the picture that fills the page.
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

    def refresh(self) -> None:
        """Make the page anew as data, and tell the widgets what is different: in this turn."""
        self._refresh(math.inf)

    def refresh_few(self) -> bool:
        """The same, unless it lacks many widgets, for `make`; returns whether it has been done."""
        return self._refresh(MANY)

    def _refresh(self, most: float) -> bool:
        """The same, unless it lacks more than so many widgets; returns whether it has been done."""
        if self._stale and self.stage in self.bench.selection.places:  # else it will be taken away
            self._begin()
        return self._making is None or self._end(most)

    def _begin(self) -> None:
        """Make the page anew as data; its widgets are still to come."""
        self._stale, self._rounds = False, 0
        self._looking = self.bench.selection.looking
        view = replace(self.bench.view, memo=self._memo)
        self._steps = (view.steps.rate, view.steps.moves) if view.steps is not None else None
        self.page = compose.page(view, self.stage)
        self._making = self.elements.preparing((self.page.header, *self.page.elements))

    def _end(self, most: float = math.inf) -> bool:
        """Show the page as it is now; returns whether it lacked no more than so many widgets, else nothing is done."""
        assert self.page is not None
        # What comes by itself makes no room above a page that stands at its beginning.
        if not (self._arrives and self.verticalScrollBar().value() == 0):
            self._in_place.hold()
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
        self._in_place.keep()
        return True

    def _shine(self) -> None:
        """Let what is spoken of stand in the light."""
        if self.page is not None and self._making is None and self._lights:
            self._lit_for = self.elements.widgets, self.bench.light.step
            lit = self.bench.light.of(self.page, self.bench.view)
            self.veil.let_through(lit)
            # For a chosen cell nothing moves.
            self.elements.enlarge(Lit() if self.bench.light.step is None else lit)
            if self.isVisible() and not self.elements.fits:
                self._share_room()

    # Room

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        another = self.size() != self._size
        if another:
            self._in_place.let_go()
            self._size, self._rounds = self.size(), 0
        if self._waits:
            self._settled.start()
        elif self._shown:
            self._sized.ask()  # also where only a bar has come or gone
        elif not self._laying and (another or not self.elements.fits):
            self.share()  # on its way into sight; Qt tells of the place in which it was laid out once more

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # What stands on the page has another size.
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            turns = self.bench.appearance.turns
            if self.in_turns is not None and not self.was_seen and not self._rounds:
                pass  # whoever makes it in turns has it share its room in one of them
            elif turns.idle:
                self._settled.start()
            else:
                turns.add(self._settled)  # once for all pictures that come one by one
        if event.type() == QEvent.Type.Resize and watched is self.widget():
            return self._follow_size(watched, event)
        done = bool(super().eventFilter(watched, event))
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._in_place.keep()
        return done

    def _follow_size(self, watched: QObject, event: QEvent) -> bool:
        """Qt gives the page another size as soon as it has one, also where two sizes ask for each other for ever."""
        if self._sizes == SIZES:
            return False
        self._sizes += 1
        try:
            return bool(super().eventFilter(watched, event))
        finally:
            self._sizes -= 1

    def _follow_edge(self) -> None:
        """The window has another size; while more follow, what is named stays as large as it is.

        Where sharing takes long, the next size comes later: it has not come to rest before that.
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
        """Share the room anew: the page is laid out, or something on it has another size.

        Sizes that ask for each other for ever do so only for a while.
        """
        if self._rounds < ROUNDS:
            self._rounds += 1
            self._share_room()

    def _share_room(self) -> None:
        if self.is_whole:  # Qt sends a resize while it is made
            paper = self.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            bar, margins = self.verticalScrollBar(), self.elements.contentsMargins()
            # Room for the bar whether it is there or not: else a row that only just fits would make it come and go.
            right = self.bench.appearance.px(MARGIN) + (0 if paper or bar.isVisibleTo(self) else bar.sizeHint().width())
            if margins.right() != right:
                margins.setRight(right)
                self.elements.setContentsMargins(margins)
            # The bar below is left out too: after another size it often comes, and goes once the room is shared.
            below = self.horizontalScrollBar()
            height = self.viewport().height() + (below.height() if below.isVisibleTo(self) else 0)
            self.elements.share_room(self.viewport().width(), None if paper else height, self._drags)
            if below.isVisibleTo(self) and not below.maximum():  # Qt itself leaves it there until the next size
                self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
                self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)


def _formulas(element: Element) -> Iterator[str]:
    """Those of its matrices, as headings may have them, and of a picture that fills the page."""
    if isinstance(element, Picture) and element.fills:
        yield from (mark.formula for mark in element.drawing.marks if isinstance(mark, Box) and mark.formula)
    for one in leaves(element):
        if isinstance(one, Matrix):
            yield from (formula_of(one, kind) for kind in (NUMBERS, THUMB))
