"""The window: the map at the left, the stage in the middle, the inspector at the right, the tokens at the top."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QScrollArea, QWidget

from explorer.core.errors import ExplorerError
from explorer.document.document import Change
from explorer.lessons.schema import Lesson
from explorer.ui.errors import show_done, show_error
from explorer.ui.files import Files
from explorer.ui.turns import do_later, do_once_painted, later
from explorer.ui.widgets.labels import app_icon
from explorer.ui.widgets.tree import Gone, inside
from explorer.ui.window.frame import TOO_LOW, Rolling, Sizes, Tabs
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.actions import Actions
    from explorer.ui.glossary import Glossary
    from explorer.ui.inspector import Inspector
    from explorer.ui.lesson.panel import PanelColumn
    from explorer.ui.lesson.parts import LessonParts
    from explorer.ui.page.area import StageArea
    from explorer.ui.page.page_view import PageView
    from explorer.ui.saving import Recovery
    from explorer.ui.widgets.inputs import PushButton
    from explorer.ui.window.find import FindBar
    from explorer.ui.window.lesson_bar import LessonBar
    from explorer.ui.window.notice import Notice, Passing, Working
    from explorer.ui.window.panes import Docks, Folds, Places, SideBySide
    from explorer.ui.window.pipeline_map import PipelineMap
    from explorer.ui.window.token_bar import TokenBar
    from explorer.ui.window.top_bar import Tab, TopBar

SCROLLS = Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End
"""The keys that scroll the visible tab."""
AGAIN = 40
"""Pixels at text scale 1 that stay in sight when a page scrolls by its height: a line that was cut is whole next."""

HELD_MS = 1500
"""The most milliseconds for which the screen keeps its picture in an old look."""
RESTED_MS = 250
"""Milliseconds without a change of size after which the text scale follows; during a drag nothing is restyled."""


class MainWindow(QMainWindow):
    """The main window of the program.

    `opening`: begin with the opening page alone, which is sooner on the screen; the other parts are made after that.
    `awaits`: begin with a page that says that a file of this name is being opened.
    """

    # The parts, made by `complete`:
    actions_: Actions
    notice: Notice
    recording: Notice
    reading: Working
    passing: Passing
    saving: Working
    writing: Working
    recovery: Recovery
    folds: Folds
    top_bar: TopBar
    tokens: TokenBar
    map: PipelineMap
    area: StageArea
    sides: SideBySide
    docks: Docks
    places: Places
    aside: PanelColumn
    outside: PanelColumn
    inspector: Inspector
    lesson_bar: LessonBar
    lessons: LessonParts
    terms: Glossary
    brings_right: PushButton
    brings_bottom: PushButton

    def __init__(self, bench: Workbench, opening: bool = False, awaits: str = "") -> None:
        super().__init__()
        self.bench = bench
        self.files = Files(bench, self)
        self.found: FindBar | None = None
        """The bar that finds words on the page; made at its first use."""
        self._gone = Gone(self)
        self.setWindowIcon(app_icon(bench.appearance.theme))
        self.setMinimumSize(QSize(900, 560))
        # From the outside in, because Qt styles all children of a widget again whenever it gets a parent.
        self._rolls = Rolling(self)
        self.setCentralWidget(self._rolls)
        self.whole = QWidget()
        self._rolls.setWidget(self.whole)
        self._rolls.resized.connect(self._resized)
        self.tabs = Tabs(self)
        self.tabs.setParent(self.whole)
        self._polished = later(self, self.stand)
        self._shows = QTimer(self, singleShot=True)
        self._shows.timeout.connect(lambda: self.setUpdatesEnabled(True))
        self._grow = later(self, lambda: bench.appearance.grow_with(self.width(), self.height()))
        self._grows = later(self, lambda: bench.appearance.turns.add(self._grow))
        self._sizes = Sizes(self, self._fit)
        self._is_complete = self._led = False
        if opening or awaits:
            self.tabs.show_opening(awaits)
            do_once_painted(self, self.complete)
        else:
            self.complete()

    def complete(self) -> MainWindow:
        """Make the other parts, unless they are there; returns the window."""
        if not self._is_complete:
            from explorer.ui.window.assembly import make_parts  # here, because it imports much

            make_parts(self)
            self._is_complete = True
            self._connect()
            self._open(self.bench.lesson)
            self.top_bar.follow()
            self.stand()
            if self.tabs.opening is not None:
                self.area.pause()  # building pages would make the motion of the opening page stutter
                self._tell_opening()
        return self

    def show_opening(self) -> None:
        """Show the opening page in place of the one that has said that a file is being opened."""
        gone = self.tabs.opening
        assert gone is not None
        self.files.await_file("")
        self.tabs.show_opening()
        self._tell_opening()
        self._gone.delete(gone)

    def _tell_opening(self) -> None:
        """Tell the page that stands alone of changes: after the window, which first takes what another example has."""
        assert self.tabs.opening is not None
        self.bench.bridge.changed.connect(self.tabs.opening.follow)
        self.bench.selection.stage_changed.connect(self.tabs.opening.leave)

    def _connect(self) -> None:
        bench, actions, lessons, files = self.bench, self.actions_, self.lessons, self.files
        actions.play_cell.triggered.connect(lambda: self.inspector.play())
        actions.compare.toggled.connect(lambda _: self.stand())
        self.area.shown.connect(self._let_go)
        self.area.shown.connect(self._show_look)
        self.top_bar.tab_chosen.connect(self.show_tab)
        bench.selection.reference_asked.connect(self._show_reference)
        bench.bridge.changed.connect(self.follow)
        lessons.guide.stepped.connect(self._give_way)
        for changed in (lessons.guide.stepped, lessons.guide.answered):
            changed.connect(self._follow_question)
        self.lesson_bar.steps.clicked.connect(lessons.begin_steps)
        lessons.guide.leaving.connect(self.area.motion.remember)
        lessons.guide.stepped.connect(self.area.begin_motion)
        for action in vars(actions).values():
            if isinstance(action, QAction) and action not in actions.moving:
                action.triggered.connect(self.area.motion.stop)  # the motion's event filter gets no keys of shortcuts
        bench.background.busy.connect(self._follow_history)
        bench.background.failed.connect(self._say_failed)
        files.beside = self._beside
        files.session_opened.connect(self._restore)
        files.shared.connect(self._say_shared)
        files.for_class.connect(self.tabs.open_for_class)
        files.vectors.connect(self.tabs.open_vectors)
        files.refreshed.connect(actions.refresh)
        files.done.connect(lambda text: show_done(text, self.top_bar.title))
        bench.appearance.changing.connect(self._hold)
        bench.appearance.changed.connect(self._restyle)
        bench.appearance.switched.connect(self._follow_motion)
        self._follow_motion()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys that no widget has used.

        Esc releases a cell or goes out, Backspace shows all, Space plays; Page Up, Page Down, Home and End scroll.
        """
        self.complete()
        if event.key() == Qt.Key.Key_Escape:
            if self.terms.isVisible():
                self.terms.close_down()
            elif self.tabs.shows_first and (self.bench.selection.cell is None or self.page().is_picture):
                self.page().go_out()  # to the stage around it; on a page of matrices, Esc only releases a cell
            self.bench.selection.forget()
        elif event.key() == Qt.Key.Key_Backspace:
            self.actions_.whole.trigger()
        elif (self.tabs.shows_first and self._page_takes(event)) or self._scrolls(event):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _page_takes(self, event: QKeyEvent) -> bool:
        """Let the visible page handle a key; returns whether it did."""
        page = self.area.in_sight()
        return page is not None and (page.take_key(event) or (event.key() == Qt.Key.Key_Space and page.play()))

    def _scrolls(self, event: QKeyEvent) -> bool:
        """Scroll the largest part of the visible tab that scrolls, if a key does that; returns whether it did."""
        key = event.key()
        if key not in SCROLLS or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        bars = {one: one.verticalScrollBar() for one in inside(self.tabs, QScrollArea) if one.isVisible()}
        areas = [area for area, bar in bars.items() if bar.maximum()]
        if not areas:
            return False
        bar = bars[max(areas, key=lambda area: area.width() * area.height())]
        by = bar.pageStep() - min(self.bench.appearance.px(AGAIN), bar.pageStep() // 4)
        places = bar.value() - by, bar.value() + by, bar.minimum(), bar.maximum()
        bar.setValue(places[SCROLLS.index(key)])
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the glossary entry of the term or symbol under a click that no widget has used."""
        left, terms = event.button() == Qt.MouseButton.LeftButton, self.complete().terms
        if not (left and terms.define_at(event.position().toPoint())):
            super().mousePressEvent(event)

    def go_to_stage(self, stage: str) -> None:
        """Show a stage, also if another tab is visible."""
        self.bench.selection.go_to(stage)
        self.show_tab("Pipeline")

    # The pages

    def show_tab(self, tab: Tab) -> None:
        """Show a tab; each but the first is made when it is first shown."""
        self.complete()
        if self.tabs.opening is not None:
            gone, self.tabs.opening = self.tabs.opening, None
            self.files.await_file("")
            self.top_bar.show()
            self.stand()  # a window that scrolls is only as high as a page needs
            self.area.show_stage(self.bench.selection.stage)
            self._gone.delete(gone)
        coming, layout = self.tabs.named(tab), self.tabs.layout()
        assert layout is not None
        focus = QApplication.focusWidget()
        if coming is not self.tabs.currentWidget() and focus is not None and self.tabs.isAncestorOf(focus):
            # Otherwise Qt would give the focus of the old tab to the next button, with a focus ring.
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        # Parts beside the page are hidden first, with the layout of the tabs off, so that each tab is laid out once.
        layout.setEnabled(coming is self.tabs.currentWidget())
        self.top_bar.show_tab(tab)
        self.lessons.show_tab(tab)
        self.stand()
        layout.setEnabled(True)
        self.tabs.setCurrentWidget(coming)
        do_later(self, self.terms.follow)

    def show_palette(self) -> None:
        """Open the command palette, where the user types a place to go to, or an act."""
        from explorer.ui.window.command_palette import CommandPalette

        CommandPalette(self).open_over()

    def find_words(self) -> None:
        """Open the bar for words to find on the visible page."""
        if self.found is None:
            from explorer.ui.window.find import FindBar

            self.found = FindBar(self.bench.appearance, self.whole, self._searched)
            self.area.shown.connect(self.found.follow)
            self.tabs.currentChanged.connect(self.found.follow)
        self.found.open()

    def _searched(self) -> list[QWidget]:
        if (tab := self.tabs.currentWidget()) is not None and not self.tabs.shows_first:
            return [tab]
        return [*self.sides.pages, self.tokens, self.aside]

    # Lessons

    def new_model(self) -> None:
        """Ask for a new model and open it."""
        from explorer.ui.new_model import NewModel

        dialog = NewModel(self.bench, self)
        if dialog.exec() and dialog.lesson is not None:
            self.files.open_lesson(dialog.lesson)
        dialog.deleteLater()

    def _open(self, lesson: Lesson) -> None:
        self._shown = lesson
        self.top_bar.open(lesson)
        names, guide = [stage.name for stage in self.bench.selection.stops], self.lessons.guide
        led = guide.stage if guide.lesson is lesson else ""  # the stage of the present step, shown at once
        stage = next((one for one in (led, lesson.start_stage) if one in names), names[0])
        if not led:
            self.bench.selection.set_head(lesson.start_head - 1)
        self.bench.selection.go_to(stage)

    def _show_reference(self) -> None:
        from explorer.ui.window.lesson_bar import show_reference

        show_reference(self)

    # Following

    def _let_go(self) -> None:
        """Release a chosen cell that is on none of the visible pages, after another page is shown."""
        pages = (self.area.in_sight(), *self.docks.pages)
        self.bench.selection.let_go_but(lambda: {node for one in pages if one and one.page for node in one.page.nodes})

    def _follow_motion(self) -> None:
        """Animate docks that leave the window or return only if motion is allowed."""
        self.setAnimated(self.bench.appearance.moves)

    def _say_shared(self, path: Path) -> None:
        text = f"“{path.name}” is open in another window, too. Whoever saves last replaces what the other has saved."
        self.notice.ask(text, {"Save as another file …": self.files.save_as, "Go on": lambda: None})

    def _say_failed(self, error: ExplorerError) -> None:
        self.top_bar.showing.stay()
        show_error(error, self.top_bar.title)

    def _restore(self, beside: Mapping[str, Any]) -> None:
        """Restore the view with which the file was saved; in a visible window, after its content is shown."""
        from explorer.ui.view_state import restore

        if self.isVisible():
            self.bench.appearance.turns.add(later(self, lambda: restore(self, beside), once=True))
        else:
            restore(self, beside)

    def _beside(self) -> dict[str, Any]:
        from explorer.ui.view_state import kept

        return kept(self)

    def _follow_history(self) -> None:
        """Update the actions after a new act, which can be undone although its numbers are not computed yet."""
        self.actions_.refresh()
        self.files.refresh()

    def follow(self, change: Change) -> None:
        """Show a change of the document, once for each turn of the event loop."""
        with self.bench.selection.at_once():  # otherwise the old page would show the change first
            self._follow(change)

    def _follow(self, change: Change) -> None:
        opened = self.bench.lesson is not self._shown
        if opened:
            self._open(self.bench.lesson)
        if change.structure and self.map.stops != self.bench.selection.stops:
            self.map.rebuild()
        else:
            self.map.follow()
        self.tokens.follow(change)
        self.top_bar.follow()  # before the inspector, which would look for gradients that no longer exist
        self.bench.selection.refresh()
        self.lessons.follow()
        self.area.follow(change)
        self.docks.follow(change)
        self.actions_.refresh()
        self.sides.follow()
        self.lesson_bar.follow()
        if self.found is not None:
            self.found.follow()
        if change.structure or opened:  # other changes do not change the width of any part
            self.stand()

    def page(self) -> PageView:
        """The page of the present stage."""
        return self.area.page()

    def undock(self) -> QDockWidget:
        """Show the present stage in a window of its own, which can stand beside the others."""
        return self.docks.open(self.page().stage)

    def _hold(self) -> None:
        """Keep the picture on the screen until the window has its new look: parts are made and laid out in turns."""
        if self.isVisible():
            self.setUpdatesEnabled(False)
            self._shows.start(HELD_MS)

    def _restyle(self) -> None:
        self.actions_.restyle()  # they are no objects of Qt, and would follow the look beyond the window's end
        self._polished.start()  # in a later turn, when the bars know their new widths
        if not self.tabs.shows_first or self.area.rests:
            self._show_look()  # without a page that is made anew

    def _show_look(self) -> None:
        if self._shows.isActive():
            self._shows.start(0)  # after the layout

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._sizes.follow()

    def _fit(self) -> None:
        if self.isVisible():
            self.bench.appearance.await_rest(self.width(), self.height())
            self._grows.start(RESTED_MS)  # counts after the turn of this layout, even if a page takes long
        else:
            self._grow.start()

    def _resized(self) -> None:
        if self._is_complete:
            self.lesson_bar.refresh()
        self.stand()

    def _give_way(self) -> None:
        """Divide the width again when the steps of a lesson begin or end."""
        if self._led != (self.lessons.guide.step is not None):
            self.stand()

    def _follow_question(self) -> None:
        question = self.lessons.guide.question
        self.inspector.be_asked(question is not None and not question.made)

    def stand(self) -> None:
        """Put each part in its place, once the window has a size."""
        if not self._rolls.has_size:
            return
        if self._is_complete:
            size, scrolls = self._rolls.size(), self._rolls.height() < self.bench.appearance.px(TOO_LOW)
            if scrolls:
                size.setWidth(size.width() - self._rolls.verticalScrollBar().sizeHint().width())
            self._led = self.lessons.guide.step is not None
            self.places.stand(size, scrolls)
        else:
            self.whole.resize(self._rolls.size())
            self.tabs.resize(self._rolls.size())

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.bench.bridge.goes_before(self)
        if not (self._is_complete and self.lessons.panel.take_keys()):
            # Otherwise the first button would have a focus ring before any key is pressed.
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def dragEnterEvent(self, event: Any) -> None:
        self.files.drag(event)

    def dropEvent(self, event: Any) -> None:
        self.files.drop(event)

    def closeEvent(self, event: Any) -> None:
        self.complete()
        # A hidden window does not ask, because nobody would see the question.
        if self.isVisible() and not (
            self.files.may_close() and self.tabs.may_close() and self.lessons.recorder.may_close()
        ):
            event.ignore()
            return
        self.recovery.close()
        self.files.claim.release()
        self.sides.compare(False)
        self.lessons.close_down()
        self.tabs.close_down()
        self.bench.bridge.close()
        self.bench.document.close()
        super().closeEvent(event)
