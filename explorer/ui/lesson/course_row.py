"""Which lessons are listed: all of them, or those of a course in its order."""

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from explorer.lessons.course import Course, courses
from explorer.ui.theme import mark
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench

SETTING = "course"
"""Under this name the course is remembered; empty: all lessons."""


class CourseRow(QWidget):
    """A button for each course, and what the chosen one is about."""

    chosen = Signal()

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        px = bench.appearance.px
        self._about = SteadyLabel(role="muted")
        self.buttons: dict[str, QPushButton] = {}
        self._courses: dict[str, Course] = {one.id: one for one in courses()}
        column = column_in(self, spacing=px(4))
        row = QHBoxLayout()
        row.setSpacing(px(4))
        column.addLayout(row)
        group = QButtonGroup(self)
        for id, title in {"": "All lessons", **{one.id: one.title for one in self._courses.values()}}.items():
            button = mark(QPushButton(title), tab="true")
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(f"List {title}")
            button.setToolTip(button.accessibleName())
            button.clicked.connect(lambda _, id=id: self.choose(id))
            group.addButton(button)
            row.addWidget(button)
            self.buttons[id] = button
        row.addStretch()
        column.addWidget(self._about)
        self.course = self._courses.get(bench.settings.get(SETTING, ""))  # none: all lessons
        self._show()

    def choose(self, id: str) -> None:
        """List a course; empty: all lessons."""
        self._bench.settings.set(SETTING, id)
        self.course = self._courses.get(id)
        self._show()
        self.chosen.emit()

    def _show(self) -> None:
        self.buttons["" if self.course is None else self.course.id].setChecked(True)
        self._about.setText("" if self.course is None else escape(self.course.paragraph).replace("\n\n", "<br><br>"))
        self._about.setVisible(self.course is not None)
