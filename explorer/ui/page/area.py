"""The middle of the window: the page of the stage that one is at. Pages last seen are kept, and marked."""

from functools import partial

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtGui import QKeyEvent, QPointerEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedWidget, QWidget

from explorer.document.document import Change
from explorer.pages.levels import block_of
from explorer.ui.page.column import Elements
from explorer.ui.page.motion import Motion
from explorer.ui.page.page_view import PageView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.turns import later
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

AT_ONCE = 0.02
"""Seconds of one turn of the event loop in which a new page is made: all of it may take half a second."""
PREPARATIONS = 5
"""Turns between a page that is whole and its sight; see `StageArea._prepare`."""
KEPT = 8
"""How many pages are kept: each hears of all that is pointed at, is dressed for a new look, and takes memory."""


class StageArea(QStackedWidget):
    """Shows the stage that the bench's selection is at, or always the same one, and follows its document.

    A new page is made in turns of the event loop and comes into sight when it is whole; what one saw stays until then.

    Parameters
    ----------
    waits : bool
        See `PageView`.
    always : str
        The name of the stage that it shows wherever the selection is; empty where it goes along.
    """

    shown = Signal()  # a page has come into sight

    def __init__(self, bench: Workbench, waits: bool = False, always: str = "") -> None:
        super().__init__()
        self._bench, self._waits, self._always = bench, waits, always
        self._pages: dict[str, PageView] = {}
        """By their stages; the page last seen is the last one."""
        self._gone = Gone(self)
        self._too_many = later(self, lambda: self._drop(list(self._pages)[:-KEPT]))
        self._at, self._closed = "", False
        self._between = QWidget()
        self.addWidget(self._between)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        if not always:
            bench.selection.stage_changed.connect(self.show_stage)
        bench.appearance.changing.connect(self._forget)
        bench.bridge.acted.connect(self._be_done)
        self._going = ""
        """The stage whose page is to come into sight."""
        self._prepared = 0
        """How many of the acts of `_prepare` are done for it."""
        self._next = later(self, self._go_on)
        self._again = later(self, lambda: self.show_stage(self.stage))
        self.motion = Motion(self, bench, self._elements, self._is_settled)
        """Shows how a page becomes the next one."""

    @property
    def stage(self) -> str:
        """The name of the stage that one is at."""
        return self._always or self._bench.selection.stage

    def page(self) -> PageView:
        """The page of the stage that one is at, whole and in sight."""
        selection = self._bench.selection
        if self.stage not in self._pages:
            places = [place.name for place in selection.places]
            if self.stage not in places:  # of a model that is gone, before the change has been followed
                selection.go_to(places[0])
            self.show_stage(self.stage)
        if self._going:
            self._show()
        return self._pages[self.stage]

    @property
    def makes(self) -> bool:
        """Whether a page is being made, to come into sight when it is whole."""
        return bool(self._going)

    def in_sight(self) -> PageView | None:
        """The page that is in sight, while perhaps another one is made."""
        page = self.currentWidget()
        return page if isinstance(page, PageView) else None

    def _elements(self) -> Elements | None:
        page = self.in_sight()
        return None if page is None else page.elements

    def _is_settled(self) -> bool:
        page = self.in_sight()
        return page is not None and not self._going and page.is_settled and self._bench.appearance.turns.idle

    def show_stage(self, name: str) -> None:
        """Show a stage, in a page made at the first visit; in a picture one stands at the box that one comes from."""
        if self._closed:
            return
        if name not in self._pages:
            stage = next((stage for stage in self._bench.selection.places if stage.name == name), None)
            if stage is None:  # a picture has led to it that does not show yet that the model is another
                return
            page = self._pages[name] = PageView(self._bench, stage, waits=self._waits)
            page.in_turns = partial(self.show_stage, name)
            self.addWidget(page)
        self._pages[name] = self._pages.pop(name)
        self._going = name
        self._prepared = 0
        page = self._pages[name]
        stands = name == self._at or page.size() == self.contentsRect().size()
        if page.is_whole and stands and (not page.is_stale or (name == self._at and page.refresh_few())):
            self._show()
            return
        if (before := self.in_sight()) is not None:
            before.leaves = True
        self._next.start()

    def _go_on(self) -> None:
        """Make some of the page, prepare it, or show it: each in a turn of its own."""
        page = self._pages[self._going]
        if page.stage not in self._bench.selection.places:
            return  # the model is another, and the news of that are still to come: they lead to a page that there is
        made = page.is_whole and not page.is_stale
        stood = self._at == self._going and page.was_seen  # a page in a new look has stood nowhere yet
        first = not self._at and not self._always  # of a window that waits for it
        if made and (first or stood or self._prepared == PREPARATIONS):
            self._show()
            return
        if not made:
            page.make(AT_ONCE)
        elif page.is_settled:  # else it shares its room first, in this turn
            self._prepare(page)
        self._next.start()

    def _prepare(self, page: PageView) -> None:
        """Do the next of what a whole page needs before it is shown: each takes long for a large one."""
        match self._prepared:
            case 0:
                page.lay_out(self.contentsRect())
            case 1 if not page.typeset(AT_ONCE):
                return  # some are left for the next turn
            case 2:
                page.share()
            case 3:  # all parts hear of their sizes: the picture of the page before would tell them as well
                self.grab(QRect(0, 0, 1, 1))
            case 4:
                self.motion.remember()
        self._prepared += 1

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._prepared = 0  # a page that is to come shares the new room in a turn of its own, too

    def _show(self) -> None:
        self._next.stop()
        focus = QApplication.focusWidget()
        inside = focus is not None and self.isAncestorOf(focus)
        name, self._going, self._prepared = self._going, "", 0
        before, self._at = self._at, name
        if before != name:
            self.motion.remember()
        self._pages[name].leaves = False
        self._pages[name].refresh()
        self.setCurrentWidget(self._pages[name])
        self.setUpdatesEnabled(True)
        if before != name:
            block = block_of(self._bench.document.engine.graph, before)
            self._pages[name].come_from((before, *(() if block is None else (block.name,))), inside)
        self._too_many.start()
        self.shown.emit()
        self.motion.begin()

    def follow(self, change: Change) -> None:
        """Show a change; pages out of sight are marked, and those whose stage is gone are dropped."""
        stages = {stage.name: stage for stage in self._bench.selection.places}
        if self.stage != self._at:
            if change.structure:
                self._leave()
            elif (before := self.in_sight()) is not None:
                before.leaves = True  # a step leads to another page: this one need not show its numbers any more
        if change.structure:
            self._drop([name for name, page in self._pages.items() if stages.get(name) != page.stage])
        for page in tuple(self._pages.values()):
            page.follow()
        if change.structure and self.stage not in stages:
            self._bench.selection.go_to(next(iter(stages)))
        elif change.structure:
            self.show_stage(self.stage)

    def begin_motion(self) -> None:
        """Another step is shown, perhaps on the page in sight; a page that is to come begins by itself."""
        if not self._going:
            self.motion.begin()

    def _be_done(self, event: QEvent) -> None:
        """Show what is made of the page in sight at once: what a hand does on it means what the model is now."""
        if self._going and not self._closed and self._pages[self._going] is self.in_sight() and self._is_meant(event):
            self._show()

    def _is_meant(self, event: QEvent) -> bool:
        """Whether a hand does something on the page: else all of it, which may take long, can be made in turns."""
        if isinstance(event, QPointerEvent):
            at = self.mapFromGlobal(event.point(0).globalPosition().toPoint())
            if not self.rect().contains(at):
                return False
        focus = QApplication.focusWidget()  # where keys go, and turns of the wheel that do more than scroll
        has_keys = focus is not None and self.isAncestorOf(focus)
        return has_keys or not isinstance(event, QKeyEvent | QWheelEvent)

    def pause(self) -> None:
        """Make no more of the page of the stage that one is at, until it is to be shown."""
        self._next.stop()

    def close_down(self) -> None:
        """Make no more of any page."""
        self._closed = True
        self._next.stop()
        for place in self.findChildren(PicturePlace):
            place.stop()

    def restyle(self) -> None:
        """Follow the theme and the text scale, in a turn of its own."""
        self._bench.appearance.turns.add(self._again)

    def _forget(self) -> None:
        """A new look is to come: sizes stand everywhere in a page, so it is made anew, and spared to be dressed."""
        self.motion.stop()
        self._drop(list(self._pages))

    def _leave(self) -> None:
        """Take away the page in sight, or the stack would show any of the others, of a graph that is gone."""
        self.setUpdatesEnabled(False)  # what one saw stays until the next page comes
        self.setCurrentWidget(self._between)

    def _drop(self, names: list[str]) -> None:
        if any(self._pages[name] is self.currentWidget() for name in names):
            self._leave()
        if self._going in names:
            self._going = ""
            self._next.stop()
        gone = [self._pages.pop(name) for name in names]
        for page in gone:
            self.removeWidget(page)
        self._gone.delete_one_by_one(*gone)
