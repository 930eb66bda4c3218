"""What comes again: questions of other days, and a quiet list of what to come back to."""

from collections.abc import Mapping
from datetime import date
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.lessons.progress import ProgressFolder
from explorer.lessons.schema import Lesson
from explorer.ui.theme import mark
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in, row_in
from explorer.ui.workbench import Workbench

LINE, ASK = 28, 32
"""Pixels at text scale 1 that a line of words is high, and one with a button."""
MOST = 6
"""So many lines the quiet list has at most."""
WHY = {"wrong": "the last answer was not right", "hints": "with hints", "skipped": "skipped"}


class AgainCard(QFrame):
    """Stands above the lessons while there is something to say.

    `folder`: where progress is kept, if it is.
    """

    wanted = Signal(str, str)  # the question of this lesson and this step is to be asked once more

    def __init__(self, bench: Workbench, folder: ProgressFolder | None) -> None:
        super().__init__()
        mark(self, card="true")
        self._folder, self._px = folder, bench.appearance.px
        self._count = 0
        self.buttons: list[QPushButton] = []
        whole = QVBoxLayout(self)
        whole.setContentsMargins(self._px(16), self._px(6), self._px(12), self._px(6))
        whole.setSpacing(self._px(2))
        self.fold = mark(QPushButton(), link="true")
        self.fold.setCheckable(True)
        self.fold.setToolTip("Show or hide the questions to come back to")
        self.fold.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.fold.toggled.connect(self._unfold)
        top = QWidget()
        top.setMinimumHeight(self._px(LINE))  # a style sheet lets a link be as low as its edges, and the page does so
        beside = row_in(top)
        beside.addWidget(self.fold)
        beside.addStretch()
        self._lines = QWidget()
        self._column = column_in(self._lines, spacing=self._px(2))
        whole.addWidget(top)
        whole.addWidget(self._lines)
        self._lines.hide()
        self.hide()

    def show_lessons(self, lessons: Mapping[str, Lesson]) -> None:
        """Say what comes again of the given lessons, which are named by their ids."""
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.buttons = []
        due, others = self._found(lessons)
        if due:
            self._heading("Once more, from other days")
        for lesson, step in due:
            self._line(lessons[lesson], step, "")
        if others:
            self._heading("To come back to")
        for lesson, step, why in others[:MOST]:
            self._line(lessons[lesson], step, WHY[why])
        if len(others) > MOST:
            self._column.addWidget(SteadyLabel(f"… and {len(others) - MOST} more", role="muted"))
        self._count = len(due) + len(others)
        self._unfold(self.fold.isChecked())
        self.setVisible(bool(self.buttons))

    def _unfold(self, open_: bool) -> None:
        """Show the questions, or only how many there are."""
        self.fold.setText(f"{self._count} to revisit {'▾' if open_ else '▸'}")
        self.fold.setAccessibleName(f"{self._count} to revisit")
        self._lines.setVisible(open_)

    def _found(self, lessons: Mapping[str, Lesson]) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
        """The questions that come again today, and what else there is to come back to."""
        if self._folder is None:
            return [], []
        steps = {id: tuple(step.id for step in lesson.steps if step.question) for id, lesson in lessons.items()}
        try:
            due = [one for one in self._folder.due(date.today()) if one[1] in steps.get(one[0], ())]
        except ExplorerError:  # nothing can be written: then nothing comes again
            due = []
        others = [(one.lesson, one.step, one.why) for one in self._folder.come_back(steps) if one.why in WHY]
        return due, [one for one in others if one[:2] not in due]

    def _heading(self, text: str) -> None:
        if self._column.count():
            self._column.addSpacing(self._px(8))
        self._column.addWidget(SteadyLabel(text, role="strong"))

    def _line(self, lesson: Lesson, id: str, why: str) -> None:
        title = next(step.title for step in lesson.steps if step.id == id)
        button = QPushButton("Ask me")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(f"Ask me once more: {title}, of {lesson.title}")
        button.setToolTip(button.accessibleName())
        button.clicked.connect(lambda: self.wanted.emit(lesson.id, id))
        said = f"{escape(title)} · {escape(lesson.title)}" + (f" · {why}" if why else "")
        line = QWidget()
        line.setMinimumHeight(self._px(ASK))  # or the layout would cut the letters of the button
        across = row_in(line, spacing=self._px(12))
        across.addWidget(SteadyLabel(said, role="muted"), 1)
        across.addWidget(button)
        self._column.addWidget(line)
        self.buttons.append(button)
