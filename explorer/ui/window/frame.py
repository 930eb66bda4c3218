"""What a window has before its other parts are made: its tabs, scrolling all of it, and layouts for fewer sizes.

Of many sizes of a window in one turn of the event loop, only the first and the last are laid out. The module imports
little, because the program imports it before its first picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QScrollArea, QStackedWidget, QWidget

from explorer.ui.turns import later

if TYPE_CHECKING:
    from explorer.ui.classroom import ClassTab
    from explorer.ui.references import ReferencesTab
    from explorer.ui.training.tab import TrainingTab
    from explorer.ui.window.awaiting import AwaitingPage
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.opening import OpeningPage
    from explorer.ui.window.top_bar import Tab
    from explorer.ui.words import WordsTab


TOO_LOW = 290
"""Pixels at text scale 1: in a lower window, which does not hold the words of a step below its bars, all scrolls."""


class Rolling(QScrollArea):
    """All of a window; it scrolls if the window is too low for it."""

    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._size = QSize()
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def has_size(self) -> bool:
        """Whether the window has given it a size."""
        return self._size.isValid()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.size() != self._size:  # otherwise only its scroll bar has come or gone
            self._size = self.size()
            self.resized.emit()


class Sizes:
    """Limits the layouts after a window's ``resizeEvent``: dragging its corner sends many sizes at once.

    Laying out each of fifteen sizes blocked the window for half a second.

    `window`: a widget with a layout. `fit`: is called for each size that is laid out.
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


class Tabs(QStackedWidget):
    """The tabs below the bars of a window: a `Tab`, or the opening page, is visible.

    `first` is the tab of the model. The others are made when they are first shown: few users open them all.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window, self.first = window, QWidget()
        self.bench = copy(window.bench)
        """A workbench for all tabs but the first, because printing shows them in another look."""
        self.words: WordsTab | None = None
        self.training: TrainingTab | None = None
        self.references: ReferencesTab | None = None
        self.classroom: ClassTab | None = None
        self.opening: OpeningPage | AwaitingPage | None = None
        """What stands alone in the window at first; None once it is left."""
        self.addWidget(self.first)

    @property
    def shows_first(self) -> bool:
        """Whether the tab of the model is visible."""
        return self.currentWidget() is self.first

    def show_opening(self, awaits: str = "") -> None:
        """Show the opening page or, with the name of a file that is being opened, a page that says so."""
        if awaits:
            from explorer.ui.window.awaiting import AwaitingPage

            self.opening = AwaitingPage(self._window, awaits)
        else:
            from explorer.ui.window.opening import OpeningPage

            self.opening = OpeningPage(self._window)
        self.addWidget(self.opening)
        self.setCurrentWidget(self.opening)

    def named(self, name: Tab) -> QWidget:
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
            from explorer.ui.window.lesson_bar import show_scene

            self.references = ReferencesTab(self.bench)
            self.references.scene_asked.connect(lambda number: show_scene(self._window, number))
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
