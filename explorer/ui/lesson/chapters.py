"""At the left of the lessons: the chapters of the path, a ring for how far one is in each, and the courses."""

from collections.abc import Mapping
from html import escape

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QSizePolicy, QWidget

from explorer.lessons.loader import Course, chapters, courses
from explorer.ui.appearance import Appearance
from explorer.ui.theme import mark, qcolor
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

WIDE, LINE, FILLS_MS = 22, 3.5, 700


class Ring(QWidget):
    """A ring of which a share is filled; a whole one has a tick inside.

    `size`: pixels at text scale 1.
    """

    def __init__(self, appearance: Appearance, name: str, size: int = WIDE) -> None:
        super().__init__()
        self._appearance = appearance
        self.share = self._shown = 0.0
        self._filling = QVariantAnimation(self)
        self._filling.setDuration(FILLS_MS)
        self._filling.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._filling.valueChanged.connect(self._be)
        self.setFixedSize(appearance.px(size), appearance.px(size))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """As large as it is: what stands below it begins there."""
        return self.minimumSize()

    def show_share(self, share: float, fills: bool = False) -> None:
        """Show how far one is, from 0 to 1. `fills`: from nothing, before one's eyes, unless little should move."""
        self.share = share
        self.setAccessibleDescription(f"{share:.0%}")
        self.setToolTip(f"{share:.0%} gone through")
        self._filling.stop()
        if fills and self._appearance.moves:
            self._filling.setStartValue(0.0)
            self._filling.setEndValue(share)
            self._filling.start()
        else:
            self._be(share)

    def _be(self, share: object) -> None:
        self._shown = float(share)  # type: ignore[arg-type]
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        thick = LINE * self._appearance.scale
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        around = QRectF(self.rect()).adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2)
        painter.setPen(QPen(qcolor(theme.line), thick))
        painter.drawEllipse(around)
        if self._shown > 0:
            painter.setPen(QPen(qcolor(theme.accent), thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawArc(around, 90 * 16, -round(360 * 16 * self._shown))
        if self._shown >= 1:
            painter.setPen(qcolor(theme.accent_text))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), "✓")
        painter.end()


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
