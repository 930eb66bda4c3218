"""All parts of the window that belong to lessons, connected with it in one place."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QRect, Qt
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from explorer.core.errors import ExplorerError
from explorer.lessons.loader import load
from explorer.lessons.schema import Lesson
from explorer.pages.gestures import Ask, ForLessons
from explorer.pages.steps.of_step import ELSEWHERE
from explorer.sentences import sentence
from explorer.ui.actions import RECORD
from explorer.ui.dialogs import progress_of
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.panel import PanelColumn, StepPanel
from explorer.ui.lesson.question import BothDerivations
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.turns import OneATurn, later
from explorer.ui.widgets.tree import Gone
from explorer.ui.window.awaiting import AwaitingPage
from explorer.ui.window.token_bar import axes_of_words

if TYPE_CHECKING:
    from explorer.ui.lesson.lecturer import Speaker
    from explorer.ui.lesson.presenter import Presenter
    from explorer.ui.lesson.recorder import LessonWatcher, Recorder
    from explorer.ui.lesson.tab import LessonsTab
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.top_bar import Tab

FIRST = "start-here"
"""The lesson to begin with."""
ARRIVAL, PATIENCE = 1000, 6000
"""Milliseconds for which a page that was just shown may still scroll: while the mouse is on it, and otherwise."""
MARGIN = 40
"""Pixels at text scale 1 at the right of the cells that a step names, on a page that is wider than the window."""
WORDS = 41
"""Height of the bar of words, in pixels at text scale 1, until it has been shown."""


class LessonParts(QObject):
    """The guide, its panel, and their connections to the window.

    `aside`, `outside`: the columns beside the stage, and beside the other tabs.
    """

    def __init__(self, window: MainWindow, aside: PanelColumn, outside: PanelColumn) -> None:
        super().__init__(window)
        self._window, self._bench = window, window.bench
        self._aside, self._outside = aside, outside
        self.guide = Guide(window.bench, self)
        self.panel = StepPanel(window.bench, self.guide)
        self.panel.lessons_wanted.connect(self.show_lessons)
        aside.take(self.panel)
        self.both: BothDerivations | None = None
        """The two derivations side by side; made at the first answer that has two."""
        self.guide.answered.connect(self._make_both)
        self._found = later(self, self.scroll_to_spot)
        window.area.shown.connect(self._arrive)
        window.actions_.compare.toggled.connect(self._stay_in_sight)
        self._arriving = QElapsedTimer()
        self._watched: QWidget | None = None
        self.guide.stepped.connect(self._follow_step)
        self.guide.tab_wanted.connect(self._go_to)
        self.guide.showing_wanted.connect(self._show)
        steps, self._actions = OneATurn(self), window.actions_
        for action, act in (
            (self._actions.next_step, lambda: steps.do(self.panel.go_on)),
            (self._actions.previous_step, lambda: steps.do(self.panel.go_back)),
            (self._actions.present, self.open_presenter),
            (self._actions.hand_out, self.save_hand_out),
            (self._actions.record_lesson, self.record),
        ):
            action.triggered.connect(act)
        self._bench.selection.lesson_asked.connect(lambda id: self.begin(id, False))
        self._bench.selection.asked.connect(self._do)
        self._tab: LessonsTab | None = None
        self._window.files.lesson_opened.connect(self.go_on)
        self._window.files.lessons_kept.connect(self._list_anew)
        self._watched_lesson = ""
        """The id of the lesson whose file is watched; a saved file does not replace a document opened since."""
        self.presenter: Presenter | None = None
        self.speaker: Speaker | None = None
        self._swapped, self._gone = False, Gone(self)
        self._mixed: tuple[Lesson | None, bool] = (None, False)
        """A lesson, and whether it has models that read words and models that do not."""
        self._bar_height = 0
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.connect(self._share_screens)  # such as a projector
        app.screenRemoved.connect(self._share_screens)
        app.focusWindowChanged.connect(self._see_whether_covered)
        self.guide.leaving.connect(self._see_whether_covered)
        self._follow_step()

    def _make_both(self) -> None:
        if self.both is None and self.guide.attempt.compared is not None:
            self.both = BothDerivations(self._bench, self.guide, self.panel, self._window.whole, self._named_in)
            self.panel.ended.connect(self.both.hide)

    @cached_property
    def recorder(self) -> Recorder:
        """Records what the person does as a lesson."""
        from explorer.ui.lesson.recorder import Recorder  # rarely used

        recorder = Recorder(self._bench, self._window.files, self._window.recording, self)
        recorder.changed.connect(self._show_recording)
        return recorder

    @cached_property
    def _watcher(self) -> LessonWatcher:
        from explorer.ui.lesson.recorder import LessonWatcher

        watcher = LessonWatcher(self)
        watcher.saved.connect(self._reload)
        return watcher

    # The page of lessons

    def tab(self) -> LessonsTab:
        """The page of lessons."""
        if self._tab is None:
            from explorer.ui.lesson.tab import LessonsTab

            tabs, guide = self._window.tabs, self.guide
            self._tab = LessonsTab(tabs.bench, guide.progress, guide.folder, tabs)
            self._show_recording()
            tabs.addWidget(self._tab)
        return self._tab

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if isinstance(gesture, ForLessons):
            match gesture.act, gesture.value:
                case "begin" | "begin anew" as act, id:
                    self.begin(id, act == "begin anew")
                case "ask again", (lesson, step):
                    self.ask_again(lesson, step)
                case "revisit", step:
                    self.panel.revisit(step)
                case "unfold", on:
                    self.panel.unfold(on)
                case "record", _:
                    self.record()
                case "remove", file:
                    self._window.files.remove_lesson(Path(file))
                case "bundle", _:
                    self._window.files.bundle_lessons()

    def _list_anew(self) -> None:
        if self._tab is not None:
            self._tab.read()

    def show_lessons(self) -> None:
        """Go to the page of lessons."""
        self._window.show_tab("Lessons")

    def begin_first(self) -> None:
        """Open the first lesson, where it was left."""
        self.begin(FIRST, False)

    def begin(self, id: str, anew: bool) -> None:
        """Open a lesson, at its beginning or where it was left; a lesson without steps is an example to explore."""
        files = self._window.files
        with files.telling():  # the lesson's file may be gone, or progress cannot be written
            lesson = load(id)
            if files.may_leave():
                if anew:
                    self.guide.forget(lesson.id)  # not `id`, which is the path of the file for a lesson by others
                files.begin_lesson(lesson, file=_file(id))

    def ask_again(self, id: str, step: str) -> None:
        """Open a lesson at a step, and ask its question again."""
        files = self._window.files
        with files.telling():  # the lesson's file may be gone
            lesson = load(id)
            steps = [one.id for one in lesson.steps]
            if step not in steps:  # its author has taken it out since it was listed
                self.begin(id, False)
            elif files.may_leave():
                again = partial(self.guide.ask_again, steps.index(step))
                files.begin_lesson(lesson, lambda: self.panel.go(again), _file(id))

    def record(self) -> None:
        """Start recording or, while recording, stop and save the lesson."""
        if self.recorder.is_on:
            self.recorder.stop()
        else:
            self.recorder.start()
            if self.recorder.is_on:
                self._window.show_tab("Pipeline")

    def _show_recording(self) -> None:
        """Show in the menu, and on the page of lessons, whether something is being recorded."""
        recording = self.recorder.recording
        self._actions.record_lesson.setText(RECORD if recording is None else "Stop recording, and save the lesson …")
        if self._tab is not None:
            self._tab.show_recording(None if recording is None else len(recording))

    def go_on(self, file: Path | None = None) -> None:
        """Continue the steps of the opened lesson from where it was left; without steps, only show the first page."""
        self._watcher.watch(file)
        self._watched_lesson = self._bench.document.wanted.lesson
        self.panel.say("")
        if not self._bench.lesson.steps:  # with steps, this would build the example's first page in vain
            self._bench.bridge.flush()
        awaits = self._bench.awaits_model
        stays = awaits and isinstance(self._window.tabs.opening, AwaitingPage)  # until that model is computed
        if not stays and (awaits or not self._bench.lesson.steps):
            self._window.show_tab("Pipeline")
        self.begin_steps()

    def begin_steps(self, *_: object) -> None:
        """Go to the step at which the opened lesson was left, once the lesson's model is computed."""
        if not self._bench.await_model(self.begin_steps) and self._bench.lesson.steps:
            self.guide.prepare(lambda: self.panel.go(self.guide.enter))

    def open_presenter(self) -> None:
        """Show the present step, or the first one, in full screen."""
        if not self.guide.steps:
            return
        if self.guide.at is None:
            self.panel.go(self.guide.next)
        if self.presenter is None:
            from explorer.ui.lesson.presenter import Presenter

            selection = self._bench.selection
            if selection.kept is None:
                selection.forget()  # what the mouse has only passed over
            else:
                selection.leave()
            self.guide.ask_class()
            self.presenter = Presenter(self._bench, self.guide)
            self.presenter.addAction(self._window.actions_.theme)  # shortcuts of the main window do not work in it
            self.presenter.left.connect(self._forget_presenter)
            self.presenter.swap_wanted.connect(self._swap_screens)
            if any(step.look.stage == "words" for step in self.guide.steps):
                self._window.tabs.read_vectors()  # which takes seconds: a class would wait before an empty slide
        self._share_screens()

    def _share_screens(self, *_: object) -> None:
        """If there is a second screen, show the class's window on it, and the lecturer's on the main window's."""
        if self.presenter is None:
            return
        screens = QGuiApplication.screens()
        own = self._window.screen()
        others = [screen for screen in screens if screen is not own]
        theirs = others[0] if others else own
        if self._swapped and others:
            own, theirs = theirs, own
        _put_on(self.presenter, theirs)
        if others:
            if self.speaker is None:
                from explorer.ui.lesson.lecturer import Speaker

                self.speaker = Speaker(self._bench, self.guide, self.presenter)
                self.presenter.beside = self.speaker
            _put_on(self.speaker, own)
            self.speaker.activateWindow()
        elif self.speaker is not None:
            self.presenter.beside = None
            self.speaker.hide()
            self._gone.delete(self.speaker)
            self.speaker = None

    def _see_whether_covered(self) -> None:
        """Let the page rest while a window of presenter mode lies over it, unless the person has come back to it."""
        window, over = self._window, (self.presenter, self.speaker)
        full = [one for one in over if one is not None and one.isFullScreen() and not one.isMinimized()]
        covers = any(one.screen() is window.screen() for one in full)
        window.area.be_covered(covers and not window.isActiveWindow())

    def _swap_screens(self) -> None:
        self._swapped = not self._swapped
        self._share_screens()

    def save_hand_out(self) -> None:
        """Ask for a file, and write the lesson for paper: steps with pictures and questions, then the answers."""
        from explorer.ui.lesson import handout

        lesson, files = self.guide.lesson, self._window.files
        path = files.dialogs.to_hand_out(self._bench.folder / f"{lesson.id}.pdf") if lesson.steps else None
        if path is None:
            return
        drawn = []
        with files.telling(), progress_of("Drawing the steps …", self._window) as goes_on:
            for part in handout.parts(lesson, self._bench.appearance):
                drawn.append(part)
                if not goes_on(len(drawn), len(lesson.steps)):
                    return
            handout.save(path, lesson, drawn)
            self._bench.folder = path.parent

    # Lessons that are being written

    def _reload(self, file: Path) -> None:
        """Load the lesson's changed file: continue in the same step, or say what is wrong with the file."""
        try:
            lesson = load(file)
        except ExplorerError as error:
            self.panel.say(sentence(error))
            return
        self.panel.say("")
        if not self._is_watched:
            return
        if lesson.needed is None:
            self._take(lesson)
        else:
            self._window.files.read_needed(lesson, file, self._take)

    @property
    def _is_watched(self) -> bool:
        """Whether the open document is that of the lesson whose file is watched."""
        return self._bench.document.wanted.lesson == self._watched_lesson

    def _take(self, lesson: Lesson) -> None:
        if lesson.steps and self._is_watched:
            self._watched_lesson = lesson.id
            self.panel.go(lambda: self.guide.take(lesson))

    def _forget_presenter(self) -> None:
        self.guide.uncover()
        if self.presenter is not None:
            for window in (self.presenter, self.speaker):
                if window is not None:
                    window.hide()
                    self._gone.delete(window)
            self.presenter = self.speaker = None
            self._see_whether_covered()
            self._window.activateWindow()  # so that the main window gets the next key, such as F5

    def close_down(self) -> None:
        """End presenter mode."""
        if self.presenter is not None:
            self.presenter.leave()

    # Following

    def follow(self) -> None:
        """Show a change of the document."""
        self.guide.follow()
        self.panel.refresh()
        self._stay_level()

    def show_tab(self, tab: Tab) -> None:
        """Put the panel, and the glossary, beside the tab that is shown now."""
        (self._aside if tab in ("Pipeline", "Lessons") else self._outside).take(self.panel)
        (self._aside if tab == "Pipeline" else self._outside).take(self._window.terms)
        if tab != "Lessons":  # there it is not seen
            self.panel.show_tab(tab)

    def _follow_step(self) -> None:
        self._stay_level()
        walks = self.guide.at is not None
        self._bench.light.lead(self.guide.step)
        self._actions.next_step.setEnabled(walks)
        self._actions.previous_step.setEnabled(walks)
        if walks:
            self._arrive()

    def _stay_level(self) -> None:
        """Keep the panel where it is when the bar of words disappears, in a lesson on models with and without words."""
        bar, lesson = self._window.tokens, self.guide.lesson
        if not bar.isHidden():
            self._bar_height = bar.sizeHint().height()
        if self._mixed[0] is not lesson and self.guide.at is not None:
            settings = {step.setting for step in lesson.steps if step.setting}
            self._mixed = lesson, len({bool(axes_of_words(lesson.state(one).graph)) for one in settings}) > 1
        gap = self._mixed == (lesson, True) and self.guide.at is not None and bar.isHidden()
        begins = gap * (self._bar_height or self._bench.appearance.px(WORDS))
        if begins != self._aside.begins:
            self._aside.begins = begins
            self._aside.stand()

    def _arrive(self) -> None:
        """Scroll to what the step names on the page that is shown now, soon and while the page is laid out."""
        if self.guide.at is not None:
            self._arriving.start()
            self._found.start()
            self._watch_layout()

    def _stay_in_sight(self) -> None:
        """Keep in sight what the step names, because a comparison has begun or ended and the page has another width."""
        page = self._window.area.in_sight()
        if page is not None and page.elements.lit_rects():
            self._arrive()

    def _go_to(self, tab: Tab) -> None:
        self._window.show_tab(tab)
        if tab == "Words":
            self._look_up()

    def _look_up(self) -> None:
        """Show the word of the step on the tab "Words", as soon as the tab has loaded its vectors."""
        tab, step = self._window.tabs.words, self.guide.step
        if tab is None or step is None or not step.look.word:
            return
        if tab.state.vectors is None:
            tab.loaded.connect(self._look_up, Qt.ConnectionType.UniqueConnection)
        tab.speak_of(step.look.word)
        self.guide.vectors = tab.state.vectors
        for window in (self.presenter, self.speaker):
            if window is not None and window.sheet is not None:
                window.sheet.vectors = tab.state.vectors
                window.sheet.refresh()

    def _show(self, what: str) -> None:
        showing = self._window.top_bar.showing
        showing.show_in_matrices(what)
        showing.follow()

    def _watch_layout(self) -> None:
        """Keep what the step names in sight for a while, because parts above it may still change their heights."""
        page = self._window.area.in_sight()
        whole = page.widget() if page is not None else None
        if whole is not None and whole is not self._watched:
            if self._watched is not None and isValid(self._watched):
                self._watched.removeEventFilter(self)
            self._watched = whole
            whole.installEventFilter(self)
            if page is not None:
                page.scrolled.connect(self._be_left, Qt.ConnectionType.UniqueConnection)

    def _be_left(self) -> None:
        """Stop scrolling to what the step names, because the reader has scrolled."""
        self._arriving.invalidate()
        self._found.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and self._arriving.isValid() and not self.guide.changed:
            pointed_at = isinstance(watched, QWidget) and watched.underMouse()
            if self._arriving.elapsed() < (ARRIVAL if pointed_at else PATIENCE):
                self._found.start()
        return False

    def _named_in(self, over: QWidget) -> QRect:
        """The rectangle, in a widget, of the cells that the step names, with the heading of their matrix."""
        from explorer.ui.lesson.spot import spot_box, spot_rect

        page = self._window.area.in_sight()
        box = None if page is None or not page.isVisible() else spot_box(page.elements)
        if box is None:
            return QRect()
        rect = spot_rect(box)
        return QRect(box.mapTo(over, rect.topLeft()), rect.size())

    def scroll_to_spot(self) -> None:
        """Scroll the page so that what the step names, asks for, or wants changed is visible.

        On a page that the reader has gone to alone, what the step names may stand anywhere, such as at the end: it
        begins as any page does, unless something may be changed there.
        """
        if self._window.area.makes:
            return  # the visible page is still the old one, which must not scroll
        step, page = self.guide.step, self._window.area.in_sight()
        if step is None or page is None or page.isHidden() or page.is_picture:
            return
        from explorer.ui.lesson import spot  # the first page names no cells

        place, graph = step.look.stage, self._bench.view.graph
        here = page.page is not None and page.page.stage == ELSEWHERE.get(place, place)
        factors = spot.factor_rects(page.elements, step.question) if here else []
        wanted = [*page.elements.lit_rects(), factors, *spot.wanted_rects(page.elements, graph, step, here)]
        boxes = [one for one in page.elements.widgets.values() if isinstance(one, MatrixBox)]
        spot.scroll_to_meant([box for box in boxes if not (box.view.extent.whole or box.small)], self._bench.view, step)
        if not here and not any(wanted):
            return
        spans = [[(rect.top(), rect.bottom() + 1) for rect in rects] for rects in wanted]
        page.in_place.begin_at(spot.begin(page.elements.spans(), spans, page.viewport().height()))
        rect = next((rects[0] for rects in reversed(wanted) if rects), QRect())
        across = rect.right() + self._bench.appearance.px(MARGIN) - page.viewport().width()
        page.horizontalScrollBar().setValue(min(max(across, 0), max(rect.left(), 0)))


def _put_on(window: QWidget, screen: QScreen) -> None:
    if window.screen() is not screen and window.isFullScreen():
        window.showNormal()  # a full-screen window does not move to another screen
    window.setScreen(screen)
    window.setGeometry(screen.geometry())
    window.showFullScreen()


def _file(id: str) -> Path | None:
    """The file of a lesson that is listed by its path; None: it comes with the program."""
    return Path(id) if id.endswith(".toml") else None
