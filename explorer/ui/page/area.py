"""The middle of the window: the page of the present stage. Recent pages are kept, and marked when out of date."""

from functools import partial

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPointerEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedWidget, QWidget

from explorer.document.document import Change
from explorer.lessons.schema import Step
from explorer.pages.levels import block_of
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page.column import Elements
from explorer.ui.page.overlays import Motion
from explorer.ui.page.page_view import MANY, PageView, Place
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.page.surface import Keys
from explorer.ui.turns import do_later, later
from explorer.ui.widgets.tree import Gone, show_current
from explorer.ui.workbench import Workbench

AT_ONCE = 0.02
"""Seconds spent on a new page in one turn of the event loop; the whole page may take half a second."""
PREPARATIONS = 4
"""Turns between the completion of a page and showing it; see `StageArea._prepare`."""
KEPT = 8
"""How many pages are kept: each one follows the pointer and takes memory."""


class StageArea(QStackedWidget):
    """Shows the page of the selected stage, or always the same page, and follows the document.

    A new page is built over several turns of the event loop; the old one stays until the new one is complete.

    `waits`: see `PageView`. `always`: the name of the stage that is always shown; "" for the selected one.
    """

    begun = Signal()  # a page is being built, in turns
    shown = Signal()  # another page is visible now

    def __init__(self, bench: Workbench, waits: bool = False, always: str = "") -> None:
        super().__init__()
        self._bench, self._waits, self._always = bench, waits, always
        self._pages: dict[str, PageView] = {}
        """The pages by the names of their stages; the most recently shown page comes last."""
        self._gone = Gone(self)
        self._too_many = later(self, lambda: self._drop(list(self._pages)[:-KEPT]))
        self._at, self._closed = "", False
        self._covered = False
        """Whether another window lies over this one."""
        self._keys = Keys()
        """What had the keys before a new look."""
        self._read: tuple[str, Step | None, Place] | None = None
        """What was read before a new look: on which page, and in which step."""
        self._between = QWidget()
        self.addWidget(self._between)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        if not always:
            bench.selection.stage_changed.connect(self.show_stage)
        bench.selection.redraws.connect(self._redraw)
        bench.appearance.changing.connect(self._forget)
        bench.appearance.changed.connect(self._restyle)
        bench.bridge.acted.connect(self._be_done)
        self._going = ""
        """The stage whose page is to be shown next."""
        self._prepared = 0
        """How many steps of `_prepare` are done for this page."""
        self._next = later(self, self._go_on)
        self._again = later(self, lambda: self.show_stage(self.stage))
        self._yields = False
        """Whether something else had a turn of its own when this last wanted one."""
        self.motion = Motion(self, bench, self._elements, self._is_settled)
        """Animates the change from one page to the next."""

    @property
    def stage(self) -> str:
        """The name of the stage to show."""
        return self._always or self._bench.selection.stage

    def page(self) -> PageView:
        """The page of the stage to show, complete and visible."""
        selection = self._bench.selection
        if self.stage not in self._pages:
            places = [place.name for place in selection.places]
            if self.stage not in places:  # of an earlier model: the change has not been handled yet
                selection.go_to(places[0])
            self.show_stage(self.stage)
        if self._going or self._pages[self.stage].leaves:
            self._going = self._going or self.stage
            self._show()
        return self._pages[self.stage]

    @property
    def makes(self) -> bool:
        """Whether a page is being built, to be shown once it is complete."""
        return bool(self._going)

    @property
    def opens(self) -> bool:
        """Whether a page is being built for the one who looks at this area."""
        return self.makes and not self._covered

    @property
    def rests(self) -> bool:
        """Whether no page is made, since it is not in sight: it is closed, hidden, or another window lies over it."""
        return self._closed or self._covered or not self.isVisible()

    def in_sight(self) -> PageView | None:
        """The page that is visible, while another one may be under construction."""
        page = self.currentWidget()
        return page if isinstance(page, PageView) else None

    def _elements(self) -> Elements | None:
        page = self.in_sight()
        return None if page is None else page.elements

    def _is_settled(self) -> bool:
        page = self.in_sight()
        return page is not None and not self._going and page.is_settled and self._bench.appearance.turns.idle

    def show_stage(self, name: str) -> None:
        """Show a stage; its page is built at the first visit. A picture selects the box of the stage before."""
        if self._closed:
            return
        if name not in self._pages:
            stage = next((stage for stage in self._bench.selection.places if stage.name == name), None)
            if stage is None:  # the click was on a picture that still shows the earlier model
                return
            page = self._pages[name] = PageView(self._bench, stage, waits=self._waits)
            page.in_turns = partial(self.show_stage, name)
            self.addWidget(page)
        self._pages[name] = self._pages.pop(name)
        self._going = name
        self._prepared = 0
        page = self._pages[name]
        stands = not self._covered and (name == self._at or page.size() == self.contentsRect().size())
        if page.is_whole and stands and (not page.is_stale or (name == self._at and page.refresh(MANY))):
            self._show()
            return
        if (before := self.in_sight()) is not None:
            before.leaves = True
        if not self._covered:
            self._next.start()
            self.begun.emit()

    def be_covered(self, on: bool) -> None:
        """Rest while another window lies over this one; then show what has come meanwhile."""
        if on == self._covered:
            return
        self._covered = self.motion.held = on
        if not on:
            self.show_stage(self.stage)
            return
        self._next.stop()
        if (page := self.in_sight()) is not None:
            page.leaves = True

    def _go_on(self) -> None:
        """Build a part of the page, prepare it, or show it: each in a turn of its own."""
        yielded, self._yields = self._yields, not (self.isVisible() or self._bench.appearance.turns.idle)
        if self._yields or yielded:  # nobody sees this area: what is in sight comes first
            self._next.start()
            return
        page = self._pages[self._going]
        if page.stage not in self._bench.selection.places:
            return  # the model has changed; `follow` will be called soon, and goes to a stage that exists
        made = page.is_whole and not page.is_stale
        stood = self._at == self._going and page.was_seen  # False for a page in a new look, not laid out yet
        first = not self._at and not self._always  # the window waits for its first page
        if made and (first or stood or self._prepared == PREPARATIONS):
            self._show()
            return
        if not made:
            page.make(AT_ONCE)
        elif page.is_settled:  # else it is laid out first, in this turn
            self._prepare(page)
        self._next.start()

    def _prepare(self, page: PageView) -> None:
        """Do the next thing that a complete page needs before it is shown: each takes long for a large page."""
        match self._prepared:
            case 0 if not page.typeset(AT_ONCE):
                return  # some formulas are left for the next turn
            case 1:
                page.lay_out(self.contentsRect())
            case 2:  # sends all parts their sizes, which otherwise `motion.remember` would do
                self.grab(QRect(0, 0, 1, 1))
            case 3:
                self.motion.remember()
        self._prepared += 1

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._prepared = 0  # the next page is laid out again for the new size, in a turn of its own

    def _show(self) -> None:
        self._next.stop()
        focus = QApplication.focusWidget()
        inside = focus is not None and self.isAncestorOf(focus)
        left, choice = self.in_sight(), ""
        if focus is not None and left is not None and left.header.isAncestorOf(focus):
            choice = focus.accessibleName()
        name, self._going, self._prepared = self._going, "", 0
        before, self._at = self._at, name
        if before != name:
            self.motion.remember()
        self._pages[name].leaves = False
        self._pages[name].refresh()
        self.setCurrentWidget(self._pages[name])
        self.setUpdatesEnabled(True)
        if before != name and inside:
            block = block_of(self._bench.document.engine.graph, before)
            self._pages[name].come_from((before, *(() if block is None else (block.name,))))
            self._pages[name].elements.give_focus(choice)  # of the layer: the next one is a key away
        elif self.hasFocus():
            self._pages[name].elements.give_keys(self._keys)
        self._too_many.start()
        self.shown.emit()
        read, self._read = self._read, None
        if read is not None and read[:2] == (name, self._bench.light.step):
            self._pages[name].go_back(read[2])
        self.motion.begin()

    def follow(self, change: Change) -> None:
        """Show a change; hidden pages are marked, and those whose stage is gone are deleted."""
        stages = {stage.name: stage for stage in self._bench.selection.places}
        if self.stage != self._at:
            if change.structure:
                self._leave()
            elif (before := self.in_sight()) is not None:
                before.leaves = True  # a step goes to another page: the visible one need not show the new numbers
        if change.structure:
            self._drop([name for name, page in self._pages.items() if stages.get(name) != page.stage])
        for page in tuple(self._pages.values()):
            page.follow()
        if change.structure and self.stage not in stages:
            self._bench.selection.go_to(next(iter(stages)))
        elif change.structure:
            self.show_stage(self.stage)

    def begin_motion(self) -> None:
        """Begin the motion of a step on the visible page; a page that is being built begins it when it is shown."""
        if not self._going:
            self.motion.begin()

    def _redraw(self) -> None:
        """Let one picture of the whole become another, as one page becomes the next."""
        if (page := self.in_sight()) is not None and page.is_picture:
            self.motion.remember()
            do_later(self, self.begin_motion)

    def _be_done(self, event: QEvent) -> None:
        """Complete the visible page at once, if the user acts on it: the act refers to the present model."""
        if self._going and not self.rests and self._pages[self._going] is self.in_sight() and self._is_meant(event):
            self._show()

    def _is_meant(self, event: QEvent) -> bool:
        """Whether an event acts on the page; if not, the page can still be built over several turns."""
        if isinstance(event, QPointerEvent):
            at = self.mapFromGlobal(event.point(0).globalPosition().toPoint())
            if not self.rect().contains(at):
                return False
        focus = QApplication.focusWidget()  # gets keys, and wheel events that do more than scroll
        has_keys = focus is not None and self.isAncestorOf(focus)
        return has_keys or not isinstance(event, QKeyEvent | QWheelEvent)

    def bring_into_sight(self, name: str, keys: tuple[int, ...] | None = None) -> None:
        """Scroll to the matrix of a node or slice, once its page is shown.

        `keys`: the cell that gets the keys, as an index in the node's whole array; if the matrix is a picture, its
        numbers around that cell are shown.
        """

        def bring() -> None:
            page = self.page()
            boxes = (box for box in page.elements.widgets.values() if isinstance(box, MatrixBox) and box.isVisible())
            box = next((box for box in boxes if box.matrix.name == name), None)
            if box is not None:
                page.ensureWidgetVisible(box)
            if box is not None and keys is not None:
                row, column = box.matrix.at(keys)
                box.go_to(max(row, 0), max(column, 0), partial(show, page, box.view))

        def show(page: PageView, view: MatrixView) -> None:
            page.in_place.let_go()  # what lies under a resting mouse stays where it is only while nobody goes elsewhere
            show_current(view, view.width(), 2 * view.rowHeight(0))

        if self.makes:
            self.shown.connect(bring, Qt.ConnectionType.SingleShotConnection)
        else:
            do_later(self, bring)

    def pause(self) -> None:
        """Stop building the page until a stage is shown again."""
        self._next.stop()

    def close_down(self) -> None:
        """Stop building any page."""
        self._closed = True
        self._next.stop()
        for place in self.findChildren(PicturePlace):
            place.stop()

    def _restyle(self) -> None:
        self._bench.appearance.turns.add(self._again)

    def _forget(self) -> None:
        """Delete all pages before a new look: most of their sizes are fixed, so pages are built again instead."""
        self.motion.stop()
        if (page := self.in_sight()) is not None:
            place = page.in_place.place()
            self._read = None if place is None else (page.stage.name, self._bench.light.step, place)
        self._drop(list(self._pages))

    def _leave(self) -> None:
        """Hide the visible page before it is removed: the stack would then show another page, of an earlier graph."""
        if (page := self.in_sight()) is not None and (keys := page.elements.keys()).name:
            self._keys = keys
            self.setFocus(Qt.FocusReason.OtherFocusReason)  # else Qt gives the keys to any control
        self.setUpdatesEnabled(False)  # the screen keeps its picture until the next page comes
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
