"""The page "Train": the settings of training, the run, and live pictures of its progress."""

import time
from itertools import cycle
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QFrame, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.model import SWITCHES
from explorer.core.training.data import read_text
from explorer.core.training.recipe import FIRST, Recipe
from explorer.core.vocabulary import tokens_of
from explorer.document.commands import SetSwitch, SetTokens
from explorer.document.continuation import as_read
from explorer.document.document import Change
from explorer.pages.gestures import Ask, ForTraining
from explorer.pages.page import Stack
from explorer.pages.stages.net_answers import Net
from explorer.pages.training.pictures import PICTURES, Room, Sight, Watch, pictures_page, sequence_of
from explorer.pages.training.settings import PACES, Plan, RunProgress, foot_page, learned_from, run_page, settings_page
from explorer.sentences import sentence
from explorer.training.diagnosis import Diagnosis
from explorer.training.preparation import RunSettings
from explorer.ui.dialogs import let_files_have_room
from explorer.ui.errors import show_error
from explorer.ui.page.column import Elements
from explorer.ui.page.column_tab import ScrollPlace
from explorer.ui.page.header import HeaderView
from explorer.ui.training.division import Division, divided, margins
from explorer.ui.turns import BeforePainting, later
from explorer.ui.widgets.layouts import Reports, put, scroll_area
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

ANOTHER_START = {"initialiser", "validation", "seed", "source", "text", "window", "shipped"}
"""Settings whose change begins a new run; the others may change during a run."""
SHOW_S = 0.02
"""Seconds between two redrawn pictures during a run, each time of the next picture."""


class TrainingTab(QFrame):
    """The page "Train": the settings at the left, the run and its pictures beside them, and messages below.

    `parent`: its final parent, as for `LessonsTab`.
    """

    def __init__(self, bench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAccessibleName("Train")
        self.bench, self.descent = bench, bench.descent
        self._shown_at = 0.0
        self._opened, self._begins = bench.document.state.lesson, self._recipe
        self._worn, self._going = True, bench.descent.going
        self.plan, self.problem = Plan(self._begins), ""
        self.pace = next(iter(PACES))
        self.descent.set_least(PACES[self.pace])
        self._of: tuple[str, str] | None = None
        """The kind of model and the lesson that the plan was made for."""
        self._found: Diagnosis | None = None
        self.watch, self._turns = Watch(), cycle(PICTURES)
        self._drawn: dict[str, Stack | None] = {}
        """The data of each picture as last drawn."""
        self._unfolded = False
        """Whether the settings are shown although the page is narrow."""
        self._area = scroll_area(self, sideways=False)
        self._area.setObjectName("sidebar")
        self._page, right = scroll_area(self), QWidget()
        self._page.setWidget(right)
        self._asked = BeforePainting(self, self._place)
        self._reports = Reports(self, self._asked.ask)
        # Messages stand below the pictures, so that nothing above moves when they appear or disappear.
        self._foot = QFrame(self)
        self._foot.setObjectName("foot")
        self._foot.setAccessibleName("How training goes")
        self._right, self._below = QVBoxLayout(right), QVBoxLayout(self._foot)
        self._gone, self._again = Gone(self), later(self, self._restyle_in_sight)
        self._places_read = [ScrollPlace(bench, area) for area in (self._area, self._page)]
        self._pages: list[Elements] = []
        self._right.addStretch(1)
        self._make_pages()
        self._stood, self._down = self._divided(), 0
        """The places of the parts; and the height in pixels that pictures may have, which stays when messages come."""
        bench.selection.asked.connect(self._do)
        bench.selection.looked.connect(self._say)
        bench.descent.failed.connect(self._fail)
        bench.descent.changed.connect(self._follow_run)
        bench.bridge.changed.connect(self.follow)
        bench.appearance.changed.connect(self.restyle)
        self._follow_example()
        self._stand()

    def _make_pages(self) -> None:
        """Make the widgets of the four parts anew: settings, controls, pictures, messages; all have fixed sizes."""
        px, before = self.bench.appearance.px, self._pages
        self._pages = [Elements(self.bench, px(8)) for _ in range(4)]
        self.settings, self.controls, self.pictures, self.foot = self._pages
        for place in self._places_read if before else ():
            place.hold()
        self.settings.setContentsMargins(px(20), px(10), px(12), px(16))
        self._area.takeWidget()
        self._area.setWidget(self.settings)
        left, right = margins(px)
        self._right.setContentsMargins(left, px(16), right, px(20))
        self._right.setSpacing(px(10))
        self._below.setContentsMargins(left, px(10), right, px(10))
        for column, page in ((self._right, self.pictures), (self._right, self.controls), (self._below, self.foot)):
            column.insertWidget(0, page)
        for page in before:
            page.hide()
        self._gone.delete(*before)

    def control(self, name: str) -> Any:
        """The widget of a control of the run, by the name of its element."""
        header = self.controls.widgets["header"]
        assert isinstance(header, HeaderView)
        return header.choices[name]

    # Gestures

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if not isinstance(gesture, ForTraining):
            return
        match gesture.act:
            case "train":
                self._play(not self.descent.going)
            case "one":
                self._set(self.plan.do("typed"))
                self.problem = ""
                self.descent.take(1, self._chosen)
            case "over":
                self._start_over()
            case "help":
                self._help()
            case "pace":
                self.pace = str(gesture.value)
                self.descent.set_least(PACES[self.pace])
            case "fold":
                self._unfolded = bool(gesture.value)
                self._stand()
            case "open":
                self._open(at)
            case "watch":
                self.watch.weight = list(self.descent.weights())[int(gesture.value)]
            case "log":
                self.watch.log = bool(gesture.value)
            case "words":
                self.watch.type(str(gesture.value), self.bench.view)
            case "try":
                self._try(at)
            case act:
                if not (names := self.plan.do(act, gesture.value)):
                    return  # a number is still being typed
                self._set(names)
                self._check()
        self.show_run()

    def _chosen(self) -> RunSettings:
        return self.plan.settings(self.bench.view, self.bench.lesson, self.descent.frozen, self.descent.also)

    def _set(self, names: frozenset[str]) -> None:
        """Apply changed settings: end the run, or let its next step use them."""
        if names:
            (self.descent.end if names & ANOTHER_START else self.descent.use_settings)()
            self.problem = ""

    def _check(self) -> None:
        """Say at once which setting no run could have."""
        try:
            self._chosen()
        except ExplorerError as error:
            self.problem = sentence(error)

    def _start_over(self) -> None:
        self.descent.start_over()
        self.problem = ""

    def _play(self, on: bool) -> None:
        if on:
            self._set(self.plan.do("typed"))
            self.problem = ""
            self.descent.play(self._chosen)
        else:
            self.descent.stop()

    def _try(self, at: QWidget) -> None:
        view, sequence = self.bench.view, sequence_of(self.bench.view)
        if sequence is None or (tried := self.watch.to_try(view)) is None:
            return
        try:
            words = tokens_of(tried, view.graph.vocabulary(sequence))
            self.bench.document.do(SetTokens(sequence, as_read(view.state, sequence, words)))
        except ExplorerError as error:
            show_error(error, at)
            return
        self.watch.keep(view)

    def _open(self, at: QWidget) -> None:
        kinds = "Text (*.txt *.tsv);;All files (*)"
        let_files_have_room(self)
        file, _ = QFileDialog.getOpenFileName(self, "Open a text", str(self.bench.folder), kinds)
        if not file:
            return
        self.bench.folder = Path(file).parent
        try:
            self.plan.take(read_text(Path(file)))
        except ExplorerError as error:
            show_error(error, at)
            return
        self._set(frozenset(("text",)))

    @property
    def _recipe(self) -> Recipe:
        """The first settings of training for the open example."""
        lesson, setting = self.bench.lesson, self.bench.document.state.setting
        return lesson.training_in(setting if setting in lesson.settings else None) or FIRST

    @property
    def _learns(self) -> str:
        """The other setting of the open lesson that learns from any random start; "" if there is none."""
        learns = self.bench.lesson.learns
        return "" if learns == self.bench.document.state.setting else learns

    def _help(self) -> None:
        """Apply the remedy of the diagnosis, and train on or anew."""
        found = self._found
        if found is None:
            return
        if found.starts_over:
            self._start_over()
        if found.opens:
            self.bench.open(self.bench.lesson, found.opens)
            self._follow_example()
        elif found.switch is not None:
            name, value = found.switch
            model = self.bench.document.state.model
            has = [block for block, kind in model.blocks().items() if name in SWITCHES[kind]]
            if model.kind == "mlp" and name == "activation":
                has = has[:-1]  # the last layer gives the answers and keeps its activation
            for block in has:
                self.bench.document.do(SetSwitch(block, name, value))
        elif found.setting is not None:
            self._set(self.plan.do(*found.setting))
        self.control("train").setFocus()  # the pressed button disappears
        self._play(True)

    def _follow_run(self) -> None:
        """React to the run: it was started or stopped, here or on another page, or a process has taken steps."""
        was, self._going = self._going, self.descent.going
        if was and not self._going:
            self.show_run()
        elif self._going:
            self._show_soon()
        else:
            self._say()

    def _fail(self, error: ExplorerError) -> None:
        self.problem = sentence(error)
        self._say()

    # Showing

    def follow(self, change: Change) -> None:
        """Show a change of the document."""
        self._follow_example()
        if self.descent.going and not change.structure:
            self._show_soon()
        else:
            self.show_run()

    def _follow_example(self) -> None:
        """Take over the first settings of another example, and the text that its model reads."""
        before, begun = self._opened, self._begins
        self._opened, self._begins = self.bench.document.state.lesson, self._recipe
        if before != self._opened or begun != self._begins:
            self.problem = ""
            self.plan.begin(self._begins)
        of = self.bench.document.state.model.kind, self.bench.lesson.id
        if of != self._of:
            self._of = of
            self.plan.learn(self.bench.view)

    def _show_soon(self) -> None:
        """Show the progress and draw one picture, unless that was done within the last `SHOW_S` seconds.

        To draw all pictures at once would take longer than a frame.
        """
        if time.perf_counter() - self._shown_at > SHOW_S:
            self._say(next(self._turns))
            self._shown_at = time.perf_counter()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if not self._worn:
            self._restyle()
        self.show_run()

    def show_run(self) -> None:
        """Bring everything on the page up to date."""
        self._say(*PICTURES)

    @property
    def progress(self) -> RunProgress:
        """The state of the run."""
        descent, document = self.descent, self.bench.document
        speed, beside = descent.speed if descent.playing else 0.0, descent.process is not None
        of = document, descent.run, descent.going, beside, descent.steps, speed, self.plan.source, self._learns
        return RunProgress(*of, descent.quick, descent.line, self._begins)

    def _say(self, *pictures: str) -> None:
        """Compute the data of all parts, with only the named pictures, and update the widgets that differ."""
        self._follow_example()  # `looked` may be emitted before the change that brings another model
        if not (self.isVisible() and self._worn):
            return
        progress, view, folded = self.progress, self.bench.view, self._stood.folded
        weights = self.descent.weights()
        self._found = progress.diagnosis()
        says = folded and progress.is_new and progress.possible
        learned = learned_from(self.plan, view) if says else ""
        self.settings.tell(settings_page(self.plan, view, self.bench.lesson, weights))
        self.controls.tell(run_page(progress, self.pace, self._unfolded if self._stood.narrow else None))
        self.foot.tell(foot_page(self.problem, learned, self._found))
        self._foot.setVisible(bool(self.foot.elements))
        self.pictures.setVisible(progress.possible)
        if progress.possible:
            sight = Sight(progress, view, self.watch, tuple(weights), self._room)
            self._drawn |= {name: PICTURES[name](sight) for name in (pictures if self._drawn else PICTURES)}
            self.pictures.tell(pictures_page([one for one in self._drawn.values() if one is not None], self._room))
        for page in self._pages:
            if not page.fits:
                self._share(page)

    def restyle(self) -> None:
        """Follow the theme and the text scale: in a turn of its own, or when the page is next shown."""
        self._worn = False
        if self.isVisible():
            self.setUpdatesEnabled(False)  # the screen keeps its picture until all is made anew
            self.bench.appearance.turns.add(self._again)

    def _restyle_in_sight(self) -> None:
        if self.isVisible() and not self._worn:
            self._restyle()

    def _restyle(self) -> None:
        self.setUpdatesEnabled(True)
        self._worn, keys = True, [page.keys() for page in self._pages]
        self._make_pages()
        self._stand()
        for page, had in zip(self._pages, keys, strict=True):
            page.give_keys(had)

    def close_down(self) -> None:
        """End the run: the window is being closed."""
        self.descent.close()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self._worn:  # else all is made anew before it is shown
            self._stand()

    @property
    def _room(self) -> Room:
        scale, view = self.bench.appearance.scale, self.bench.view
        is_surface = Net(view).features == 2
        return Room(self._stood.rooms[0] / scale, self._down / scale, view.state.model.kind == "mlp", is_surface)

    def _divided(self) -> Division:
        bar = self._page.verticalScrollBar().sizeHint().width()
        foot = None if self._foot.isHidden() else self._foot.heightForWidth
        return divided(self.width(), self.height(), self.bench.appearance.px, bar, self._unfolded, foot)

    def _place(self) -> None:
        """Put the parts into their places."""
        self._stood = stood = self._divided()
        for part, rect in ((self._area, stood.settings), (self._page, stood.run), (self._foot, stood.foot)):
            put(part, rect)

    def _stand(self) -> None:
        """Put the parts into their places, and what they show into the widths that these have."""
        self._place()
        self._down = self._stood.run[3]
        self.show_run()
        for page in self._pages:
            self._share(page)
        self._area.setVisible(not self._stood.folded)  # what is hidden would not take the height of its contents

    def _share(self, page: Elements) -> None:
        page.share_room(self._stood.rooms[page is self.settings])
        page.updateGeometry()  # it may need less width now, which it does not report
