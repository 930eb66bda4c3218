"""The tab "Lessons": the list of lessons; their files are read and their images drawn while it is already visible."""

import os
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from explorer.core.errors import ExplorerError
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.own_lessons import FOLDER, yours
from explorer.lessons.progress import LessonProgress, ProgressFolder
from explorer.lessons.schema import Lesson
from explorer.pages.gestures import Ask, ForLessons
from explorer.pages.surfaces.lessons import COURSE, Shelf, lessons_page
from explorer.ui.background import Background
from explorer.ui.lesson.step_pictures import beginning
from explorer.ui.page.card import IMAGE
from explorer.ui.page.column_tab import ColumnTab
from explorer.ui.saving import LESSON_FILES, Recent
from explorer.ui.workbench import Workbench

LARGEST = 3
"""Images are drawn this many times larger than needed, so that larger text needs no new images."""
AT_ONCE = 10
"""How many lessons are read on the thread before they are shown; the largest takes 0.2 s to read."""


class LessonsTab(ColumnTab):
    """The tab "Lessons": all lessons, easier ones first.

    `progress`: returns the user's progress in a lesson; `folder`: where it is kept, None if it is not kept.
    """

    def __init__(
        self,
        bench: Workbench,
        progress: Callable[[Lesson], LessonProgress],
        folder: ProgressFolder | None,
        parent: QWidget,
    ) -> None:
        super().__init__(bench, "Lessons", 8, 0, 16, parent)
        self._progress, self._folder = progress, folder
        self.shelf = Shelf(bench.settings.get(COURSE, ""))
        largest = QSize(*IMAGE) * (LARGEST * self.devicePixelRatioF())
        # Larger text needs no new images; on paper the look is another one.
        drawn = cache(lambda lesson, theme: beginning(bench.appearance, lesson, largest))
        self.shelf.draw = lambda lesson: drawn(lesson, bench.appearance.theme)
        self._reader = Background(self)
        bench.selection.asked.connect(self._do)
        self.make()

    def refresh(self) -> None:
        room = self.room - self.elements.contentsMargins().right()
        self.show_elements(lessons_page(self.shelf, int(room / self.bench.appearance.scale)))

    def showEvent(self, event: QShowEvent) -> None:
        self.shelf.typed = ""  # a search is over once the tab was left
        self.read()
        super().showEvent(event)
        self.elements.widgets["search"].setFocus(Qt.FocusReason.OtherFocusReason)

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if isinstance(gesture, ForLessons) and self.shelf.do(gesture.act, gesture.value):
            if gesture.act == "course":
                self.bench.settings.set(COURSE, self.shelf.course)
            self.refresh()

    def show_recording(self, steps: int | None) -> None:
        """Show how many steps have been recorded; None: nothing is being recorded."""
        self.shelf.recorded = steps
        if self.isVisible():  # else when it is shown
            self.refresh()

    # Reading

    @property
    def is_whole(self) -> bool:
        """Whether all lessons have been read."""
        return not self._reader.at_work

    def read(self) -> None:
        """Read in the background the contents of each lesson and the progress in it, also of the user's own lessons."""
        folder, files = self.bench.settings.folder, Recent(self.bench.settings, LESSON_FILES).paths
        self.shelf.yours = {str(file): title for file, title in yours(folder and folder / FOLDER, files).items()}
        self._read_next([*self.shelf.yours, *self.shelf.ours])  # as they stand in the list

    def _read_next(self, ids: Sequence[str]) -> None:
        some, others = ids[:AT_ONCE], ids[AT_ONCE:]
        if some:
            self._reader.ask(lambda _: [_read(id) for id in some], partial(self._take, some, others))
        else:
            self.shelf.look_back(self._folder)
            self.refresh()

    def _take(self, ids: Sequence[str], others: Sequence[str], lessons: Sequence[Lesson | None]) -> None:
        """Show lessons that have been read, all in one update."""
        for id, lesson in zip(ids, lessons, strict=True):
            if lesson is not None:
                self.shelf.known[id] = lesson, self._progress(lesson)
        self.refresh()
        self._read_next(others)


def _read(id: str) -> Lesson | None:
    """A lesson; None for a file of the user that has become invalid since it was listed."""
    try:
        return load(id) if id in lesson_files() else _of_file(id, os.stat(id).st_mtime_ns)
    except (ExplorerError, OSError):
        return None


@lru_cache(maxsize=64)
def _of_file(file: str, changed: int) -> Lesson:
    """A user's lesson as its file is since a point in time: its picture is drawn once for each."""
    return load(file)
