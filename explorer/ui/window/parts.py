"""The tabs of a window, folding parts of it, scrolling all of it, docks with stages, and layouts for fewer sizes.

Parts fold away by a button, by a key, or if there is too little room. Stages can stand in windows of their own
(docks). Of many sizes of a window in one turn of the event loop, only the first and the last are laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QLayout,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from explorer.core.graph import Stage
from explorer.document.document import Change
from explorer.settings import Settings
from explorer.ui.files import Files
from explorer.ui.lesson.letters import in_look
from explorer.ui.page.area import StageArea
from explorer.ui.page.page_view import PageView
from explorer.ui.turns import later
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.window import lesson_bar
from explorer.ui.window.top_bar import Tab
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.classroom import ClassTab
    from explorer.ui.references import ReferencesTab
    from explorer.ui.training.tab import TrainingTab
    from explorer.ui.window.comparison import Comparison
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.opening import OpeningPage
    from explorer.ui.words import WordsTab


class Folds:
    """Which parts are folded: by the user, which is stored, or for lack of room.

    `actions`: what folds each part, by the name under which its state is stored.
    `share`: called when the user has folded a part, or unfolded it.
    """

    def __init__(self, actions: dict[str, QAction], settings: Settings, share: Callable[[], None]) -> None:
        self._actions, self._settings, self._share = actions, settings, share
        self._tight: dict[str, bool] = {}
        for name, fold in actions.items():
            fold.setChecked(settings.get(name, False))
            fold.toggled.connect(partial(self._remember, name))

    def _remember(self, name: str, on: bool) -> None:
        if not self._tight.get(name):  # a choice made while there is too little room is not stored
            self._settings.set(name, on)
        self._share()

    def fold_where_tight(self, tight: dict[str, bool]) -> None:
        """Fold the parts for which there is too little room, until there is more; their buttons unfold them."""
        for name, now in tight.items():
            if now != self._tight.get(name, False):
                fold = self._actions[name]
                with QSignalBlocker(fold):
                    fold.setChecked(now or self._settings.get(name, False))
        self._tight = tight


class Rolling(QScrollArea):
    """All of a window; it scrolls if the window is too low for it."""

    _least = 0

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        # Of what is seen of the content. Not asked of `viewport`, see `MainWindow._share_width`.
        self._room = QSize()
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def be_at_least(self, height: int) -> None:
        """Give the content at least this height in pixels."""
        self._least = height
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._room = event.size()
        self._fit()

    def _fit(self) -> None:
        # Not by `setWidgetResizable`: the content would be as high as it likes to be, not as low as it may be.
        if self._room.isValid() and (content := self.widget()):
            content.resize(self._room.width(), max(self._room.height(), self._least))


class _Dock(QDockWidget):
    closed = Signal()  # by its button, a key or the window manager

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class Docks:
    """The docks of a window, each with the page of a stage."""

    def __init__(self, bench: Workbench, window: QMainWindow) -> None:
        self._bench, self._window, self._gone = bench, window, Gone(window)
        self._open: dict[QDockWidget, tuple[Stage, StageArea]] = {}

    @property
    def pages(self) -> list[PageView]:
        """The visible pages of the docks."""
        return [page for _, area in self._open.values() if (page := area.in_sight()) is not None]

    def open(self, stage: Stage) -> QDockWidget:
        """Show a stage in a dock."""
        area = StageArea(self._bench, always=stage.name)
        dock = _Dock(stage.where, self._window)
        dock.setWidget(area)
        dock.topLevelChanged.connect(lambda floats: self._bench.bridge.goes_before(dock) if floats else None)
        dock.closed.connect(lambda: self._close(dock))
        self._open[dock] = stage, area
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.setFloating(True)
        px, room, corner = self._bench.appearance.px, self._window.screen().availableGeometry(), self._window.pos()
        size = QSize(px(900), px(700)).boundedTo(self._window.size()).boundedTo(room.size())
        left, top = corner.x() + self._window.width() - size.width() - px(40), corner.y() + px(80)
        at = QPoint(min(left, room.right() - size.width()), min(top, room.bottom() - size.height()))
        dock.setGeometry(QRect(QPoint(max(at.x(), room.left()), max(at.y(), room.top())), size))
        dock.show()
        area.show_stage(stage.name)
        return dock

    def follow(self, change: Change) -> None:
        """Show a change of the document; a dock whose stage is gone is closed."""
        for dock, (stage, area) in list(self._open.items()):
            if change.structure and stage not in self._bench.selection.places:
                self._close(dock)
            else:
                area.follow(change)

    def restyle(self) -> None:
        """Follow the theme and the text scale, each dock in a turn of its own."""
        for _, area in self._open.values():
            area.restyle()

    def _close(self, dock: QDockWidget) -> None:
        if dock in self._open:  # a window may be closed more than once
            self._open.pop(dock)[1].close_down()
            self._window.removeDockWidget(dock)
            self._gone.delete(dock)


class Sizes:
    """Limits the layouts after a window's ``resizeEvent``: dragging its corner sends many sizes at once.

    Laying out each of fifteen sizes blocked the window for half a second.

    `window`: a widget with a layout. `fit`: divides the window's size among its parts.
    """

    def __init__(self, window: QWidget, fit: Callable[[], None]) -> None:
        self._window, self._fit = window, fit
        self._fitted = window.size()
        self._turn = later(window, self._end)

    @property
    def _layout(self) -> QLayout:
        layout = self._window.layout()
        assert layout is not None
        return layout

    def follow(self) -> None:
        """Follow a change of the window's size."""
        if not self._turn.isActive():
            self._share()
        if self._window.isVisible():
            self._wait()

    def _share(self) -> None:
        self._fitted = self._window.size()
        self._fit()

    def _wait(self) -> None:
        """Lay out nothing more in this turn."""
        self._layout.setEnabled(False)
        self._turn.start()

    def _end(self) -> None:
        another = self._window.size() != self._fitted
        self._layout.setEnabled(True)
        if another:
            self._share()
        self._layout.invalidate()  # because requests for a layout were ignored while it was disabled
        self._layout.activate()
        if another:
            self._wait()  # further sizes may come before this turn ends


class SideBySide(QSplitter):
    """One page, or two side by side.

    `area`: the page of the open example. `action`: shows the other page, or closes it.
    """

    def __init__(self, bench: Workbench, files: Files, area: StageArea, action: QAction) -> None:
        super().__init__()
        self._bench, self._files, self._action, self._gone = bench, files, action, Gone(self)
        self.setAccessibleName("Page, and what is compared with it")
        self.setChildrenCollapsible(False)
        self.comparison: Comparison | None = None
        self.own = QWidget()
        self.own.setSizePolicy(area.sizePolicy())
        self.addWidget(self.own)
        above = column_in(self.own, spacing=0)
        self._said = Label(role="strong", plain=True, wraps=True)
        self._said.setContentsMargins(bench.appearance.px(20), 0, 0, 0)
        self._said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._said.hide()
        above.addWidget(self._said)
        above.addWidget(area, 1)
        action.toggled.connect(self.compare)

    @property
    def pages(self) -> list[QWidget]:
        """The pages, from left to right."""
        return [self.own] if self.comparison is None else [self.own, self.comparison]

    def compare(self, on: bool) -> None:
        """Show another example or setting beside this one, or close it."""
        if on and self.comparison is None:
            from explorer.ui.window.comparison import Comparison

            self.comparison = Comparison(self._bench, self._files)
            self.comparison.closed.connect(self._action.trigger)
            self.comparison.bar_height.connect(self._said.setFixedHeight)
            self.addWidget(self.comparison)
            self.setSizes([1, 1])
            self.follow()
        elif not on and self.comparison is not None:
            gone, self.comparison = self.comparison, None
            gone.close_down()
            self._gone.delete(gone)
        self._said.setVisible(on)

    def follow(self) -> None:
        """Write the name of the example above its page, as the page beside it has one."""
        setting = self._bench.lesson.settings.get(self._bench.document.state.setting)
        self._said.setText(f"{self._bench.lesson.title}{': ' + setting.title if setting else ''}")

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        if self.comparison is not None:
            self.comparison.restyle()


class Tabs(QStackedWidget):
    """The tabs below the bars of a window: a `Tab`, or the opening page, is visible.

    `first`: the tab that exists from the start. The others are made when they are first shown: few users open them all.
    """

    def __init__(self, window: MainWindow, first: QWidget) -> None:
        super().__init__()
        self._window, self.first = window, first
        self.bench = in_look(window.bench, window.bench.appearance)
        """A workbench for all tabs but the first, because printing shows them in another look."""
        self.words: WordsTab | None = None
        self.training: TrainingTab | None = None
        self.references: ReferencesTab | None = None
        self.classroom: ClassTab | None = None
        self.opening: OpeningPage | None = None
        """The opening page; None once the user has left it."""
        self.addWidget(first)

    @property
    def shows_first(self) -> bool:
        """Whether the tab of the model is visible."""
        return self.currentWidget() is self.first

    def named(self, name: Tab) -> QWidget:
        """The tab of that name."""
        match name:
            case "Train":
                return self._training()
            case "Words":
                return self._words()
            case "References":
                return self._references()
            case "Class":
                return self.of_class()
            case "Lessons":
                return self._window.lessons.tab()
        return self.first

    def _training(self) -> TrainingTab:
        if self.training is None:
            from explorer.ui.training.tab import TrainingTab

            self.training = TrainingTab(self.bench, self)
            self.addWidget(self.training)
        return self.training

    def _words(self) -> WordsTab:
        if self.words is None:
            from explorer.ui.words import WordsTab

            self.words = WordsTab(self.bench)
            self.words.sent.connect(self._go_to_words)
            self.addWidget(self.words)
        return self.words

    def read_vectors(self) -> None:
        """Read the vectors of the tab "Words" before it is wanted, in the background."""
        self._words().read()

    def _go_to_words(self, stage: str) -> None:
        # First, because otherwise a page of the earlier example would be made, for a stage that no longer exists.
        self._window.bench.bridge.flush()
        self._window.go_to_stage(stage)

    def _references(self) -> ReferencesTab:
        if self.references is None:
            from explorer.ui.references import ReferencesTab

            self.references = ReferencesTab(self.bench)
            self.references.scene_asked.connect(lambda number: lesson_bar.show_scene(self._window, number))
            self.addWidget(self.references)
        return self.references

    def of_class(self) -> ClassTab:
        """The tab "Class", with sheets and answers."""
        if self.classroom is None:
            from explorer.ui.classroom import ClassTab

            self.classroom = ClassTab(self.bench, self._window.files)
            self.addWidget(self.classroom)
        return self.classroom

    def open_for_class(self, paths: Sequence[Path]) -> None:
        """Show a sheet to fill in, or the answers of a class, from their files."""
        tab = self.of_class()
        self._window.show_tab("Class")
        with self._window.files.telling():
            tab.open_files(paths)

    def open_vectors(self, path: Path) -> None:
        """Show word vectors from their file."""
        words = self._words()
        self._window.show_tab("Words")
        words.open_file(path)

    def may_close(self) -> bool:
        """Whether closing the window loses nothing in a tab, or the user agrees to lose it."""
        return self.classroom is None or self.classroom.may_leave()

    def close_down(self) -> None:
        """End the training run."""
        if self.training is not None:
            self.training.close_down()

    def restyle(self) -> None:
        """Follow theme and text scale: the visible tab now or soon, each other tab when it is next shown.

        This includes the glossary that may stand beside them.
        """
        for tab in (self.words, self.training, self.references, self.classroom, self.opening, self._window.terms):
            if tab is not None:
                tab.restyle()
