"""At the left of the lessons: the chapters of the path with how far one is in each, and the courses."""

from collections.abc import Mapping
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QWidget

from explorer.lessons.loader import Course, chapters, courses
from explorer.ui.lesson.ring import Ring
from explorer.ui.theme import mark
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

SETTING = "course"
"""Under this name the chapter or course is remembered; empty: all lessons."""


class ChapterList(QWidget):
    """A button for each chapter and course; the page lists the lessons of the chosen one in its order."""

    chosen = Signal()

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        px = bench.appearance.px
        self.buttons: dict[str, QPushButton] = {}
        self.rings: dict[str, Ring] = {}
        self._chapters, others = chapters(), courses()
        self._courses: dict[str, Course] = {one.id: one for one in (*self._chapters, *others)}
        self._group = QButtonGroup(self)
        column = column_in(self, spacing=px(2))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(px(8))
        self._grid.setVerticalSpacing(px(2))
        self._grid.setColumnStretch(1, 1)
        column.addLayout(self._grid)
        column.addStretch(1)
        self._add("", "All lessons")
        for number, one in enumerate(self._chapters, start=1):
            self.rings[one.id] = Ring(bench.appearance, f"How far you are in {one.title}")
            self._add(one.id, f"{number}  {one.title}")
        self._grid.addWidget(SteadyLabel("Courses", role="section"), self._grid.rowCount(), 0, 1, 2)
        for one in others:
            self._add(one.id, one.title)
        self.course = self._courses.get(bench.settings.get(SETTING, ""))  # none: all lessons
        self._show()

    def _add(self, id: str, title: str) -> None:
        button = mark(QPushButton(title), tab="true")
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(f"List {title}")
        button.setToolTip(button.accessibleName())
        button.clicked.connect(lambda: self.choose(id))
        self._group.addButton(button)
        self.buttons[id] = button
        row = self._grid.rowCount()
        if id in self.rings:
            self._grid.addWidget(self.rings[id], row, 0)
            self._grid.addWidget(button, row, 1, Qt.AlignmentFlag.AlignLeft)
        else:
            self._grid.addWidget(button, row, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)

    def choose(self, id: str) -> None:
        """List a chapter or a course; empty: all lessons."""
        self._bench.settings.set(SETTING, id)
        self.course = self._courses.get(id)
        self._show()
        self.chosen.emit()

    def show_shares(self, shares: Mapping[str, float]) -> None:
        """Fill the ring of each chapter; `shares`: how far one is in each lesson, by its id."""
        for one in self._chapters:
            self.rings[one.id].show_share(sum(shares.get(id, 0.0) for id in one.lessons) / len(one.lessons))

    @property
    def about(self) -> str:
        """What the chosen chapter or course is about, as rich text; nothing where all are listed."""
        return "" if self.course is None else escape(self.course.paragraph, quote=False).replace("\n\n", "<br><br>")

    def _show(self) -> None:
        self.buttons["" if self.course is None else self.course.id].setChecked(True)
