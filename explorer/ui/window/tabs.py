"""The tabs of a window; each but the first is made when it is first shown, because few users open all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QWidget

from explorer.ui.lesson.presenter_look import in_look
from explorer.ui.window import lesson_bar
from explorer.ui.window.top_bar import Tab

if TYPE_CHECKING:
    from explorer.ui.classroom.tab import ClassTab
    from explorer.ui.references import ReferencesTab
    from explorer.ui.training.tab import TrainingTab
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.opening import OpeningPage
    from explorer.ui.words import WordsTab


class Tabs(QStackedWidget):
    """The tabs below the bars of a window: a `Tab`, or the opening page, is visible.

    Parameters
    ----------
    window : MainWindow
        The window of the tabs.
    first : QWidget
        The tab that exists from the start.
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

    def _go_to_words(self, stage: str) -> None:
        """Go to the stage that shows words that were sent into the model."""
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
            from explorer.ui.classroom.tab import ClassTab

            self.classroom = ClassTab(self.bench, self._window.files)
            self.addWidget(self.classroom)
        return self.classroom

    def open_for_class(self, paths: Sequence[Path]) -> None:
        """Show a sheet to fill in, or the answers of a class, from their files."""
        tab = self.of_class()
        self._window.show_tab("Class")
        with self._window.files.telling():
            tab.open_files(paths)

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
