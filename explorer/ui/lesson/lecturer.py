"""What a lecturer has in presenter mode: a clock, all steps as small pictures, and on a screen of his own the present
step, the next one, notes, and used and planned times.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QIcon, QKeyEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.lessons import prose
from explorer.lessons.walk import Walk
from explorer.pages.element import Element
from explorer.pages.page import Image, Passage
from explorer.sentences import sentence
from explorer.teaching.notes import Times, notes_page
from explorer.ui.appearance import Appearance
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.letters import HEIGHT, SCALE, WIDTH, Enlarged, in_look, scale_for
from explorer.ui.lesson.sheet import StepSheet
from explorer.ui.lesson.step_pictures import lay_out, step_off_screen
from explorer.ui.page.surface import Surface
from explorer.ui.theme import Theme
from explorer.ui.turns import later
from explorer.ui.widgets.layouts import column_in, row_in, scroll_area
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.lesson.presenter import Presenter


class Clock(QObject):
    """Measures how long a lecturer has been presenting, in total and in each step; it can be stopped."""

    ticked = Signal()  # a second has passed, or the clock was started or stopped

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._since = QElapsedTimer()
        self._before = 0
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self.ticked)
        self.step = ""
        self.used: dict[str, float] = {}

    @property
    def runs(self) -> bool:
        """Whether the clock is running."""
        return self._timer.isActive()

    @property
    def seconds(self) -> float:
        """The seconds for which the clock has run in total."""
        return (self._before + (self._since.elapsed() if self.runs else 0)) / 1000

    def toggle(self) -> None:
        """Start the clock, or stop it."""
        if self.runs:
            self._note()
            self._before += self._since.elapsed()
            self._timer.stop()
        else:
            self._since.start()
            self._marked = self.seconds
            self._timer.start()
        self.ticked.emit()

    def at(self, step: str) -> None:
        """Count the time from now on for another step."""
        self._note()
        self.step = step

    def used_in(self, step: str) -> float:
        """The seconds used in a step."""
        now = self.seconds - self._marked if self.runs and step == self.step else 0.0
        return self.used.get(step, 0.0) + now

    _marked = 0.0

    def _note(self) -> None:
        if self.runs:
            now = self.seconds
            self.used[self.step] = self.used.get(self.step, 0.0) + now - self._marked
            self._marked = now


COLUMNS, GAP = 3, 12
TITLE = 2
"""Lines of a title: enough for the longest one in the program's lessons."""
Key = Qt.Key


class Pictures:
    """Draws any steps of a lesson, without going to them, with the numbers drawn for the student of a walk."""

    def __init__(self, appearance: Appearance, walk: Walk) -> None:
        self._appearance, self._walk, self.lesson = appearance, walk, walk.lesson
        self._drawn: dict[tuple[int, Theme], QPixmap] = {}

    def step(self, number: int) -> QPixmap:
        """The picture of a step, `WIDTH` by `HEIGHT` pixels large.

        Raises `ExplorerError` if the step cannot be shown.
        """
        drawn = number, self._appearance.theme
        if drawn not in self._drawn:
            state = self._walk.state(number)
            with step_off_screen(self._appearance, self.lesson, number, state, SCALE) as (window, bench):
                sheet = StepSheet(bench)
                sheet.await_answer()
                column_in(window, sheet)
                numbers = prose.numbers_of(self.lesson.steps[number], bench.document.engine)
                sheet.tell(self.lesson, number, numbers, self._walk.before(number))
                lay_out(window, QSize(WIDTH, HEIGHT))
                sheet.settle()
                self._drawn[drawn] = window.grab()
        return self._drawn[drawn]


class Overview(QListWidget):
    """The small pictures; this list covers the whole window."""

    chosen = Signal(int)  # a step was chosen, counted from 0

    def __init__(self, bench: Workbench, guide: Guide, parent: QWidget) -> None:
        super().__init__(parent)
        self._bench, self._guide = bench, guide
        self._pictures: Pictures | None = None
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setWordWrap(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # else it would narrow the columns later
        self.setAccessibleName("All steps")
        self.itemClicked.connect(self._choose)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._draw_next)
        bench.appearance.changed.connect(self._restyle)
        self.hide()

    def open(self) -> None:
        """Show the pictures, with the present step selected."""
        lesson = self._guide.lesson
        if self._pictures is None or self._pictures.lesson is not lesson:
            self._pictures = Pictures(self._bench.appearance, self._guide.walk)
            self.clear()
            for i, step in enumerate(lesson.steps):
                QListWidgetItem(f"{i + 1}  {step.title}", self)
        self.setCurrentRow(self._guide.at or 0)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible():
            self._share_width()

    def _restyle(self) -> None:
        if self.isVisible():
            self._share_width()

    def _share_width(self) -> None:
        """Let the columns fill the width, and draw the pictures again in that size."""
        width = (self.viewport().width() - 1) // COLUMNS
        picture = QSize(width - 2 * GAP, (width - 2 * GAP) * HEIGHT // WIDTH)
        cell = QSize(width, picture.height() + GAP + (TITLE + 1) * self.fontMetrics().lineSpacing())
        blank = QPixmap(picture)
        blank.fill(self._bench.appearance.theme.surface)
        self.setIconSize(picture)
        self.setGridSize(cell)
        for i in range(self.count()):
            self.item(i).setIcon(QIcon(blank))
            self.item(i).setSizeHint(cell - QSize(GAP, GAP))
        self._next = 0
        self._timer.start()

    def key_pressed(self, event: QKeyEvent) -> bool:
        """Enter goes to the step, Esc and D close the list; other keys, such as arrows, are left to the list."""
        key = event.key()
        if key in (Key.Key_Escape, Key.Key_D):
            self._close()
        elif key in (Key.Key_Return, Key.Key_Enter, Key.Key_Space):
            self._choose()
        else:
            return False
        return True

    def _choose(self, *_: object) -> None:
        row = self.currentRow()
        self._close()
        self.chosen.emit(row)

    def _close(self) -> None:
        self._timer.stop()
        self.hide()
        self.window().setFocus(Qt.FocusReason.OtherFocusReason)

    def _draw_next(self) -> None:
        assert self._pictures is not None
        if self._next >= self.count():
            self._timer.stop()
            return
        item, step = self.item(self._next), self._next
        self._next += 1
        try:
            picture = self._pictures.step(step)
        except ExplorerError as error:
            item.setToolTip(sentence(error))
            return
        item.setIcon(QIcon(_scaled(picture, self.iconSize(), self.devicePixelRatioF())))


def _scaled(picture: QPixmap, room: QSize, ratio: float) -> QPixmap:
    """A picture as large as fits into a room, for a screen with `ratio` pixels to each of the window."""
    small = picture.scaled(room * ratio, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
    small.setDevicePixelRatio(ratio)
    return small


SHARE = 0.62
"""The share of the width for the present step, in which the lecturer can also edit."""


class Speaker(QWidget):
    """The lecturer's window, with the same keys as the class's window.

    `presenter`: the class's window, which handles the keys and has the clock.
    """

    def __init__(self, bench: Workbench, guide: Guide, presenter: Presenter) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle("Notes – Transformer Explorer")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.addActions(presenter.actions())
        self._program, self._guide, self._presenter = bench, guide, presenter
        self._pictures = Pictures(bench.appearance, guide.walk)
        self._look = Enlarged(bench.appearance, self, 1.0)
        self.bench = in_look(bench, self._look)
        self._here = QVBoxLayout()
        self.sheet: StepSheet | None = None
        self._side = scroll_area()
        self._told = Enlarged(bench.appearance, self._side, 1.0)  # the slide fits its place; what is told may scroll
        self.page = Surface(in_look(bench, self._told), 0)
        """Clock, times, notes and the next step."""
        self._votes = False
        """Whether a class can vote on the question of the step."""
        self._picture: Element | None = None
        """The picture of the next step, or why there is none."""
        across = row_in(self)
        across.addLayout(self._here, round(100 * SHARE))
        across.addWidget(self._side, round(100 * (1 - SHARE)))
        self._drawing, self._voting = later(self, self._draw_next), later(self, self._show_votes)
        for changed in (presenter.clock.ticked, presenter.covered, presenter.poll.told):
            changed.connect(self._tell)
        presenter.poll.told.connect(self._voting.start)
        guide.stepped.connect(self._follow)
        guide.stepped.connect(self.setFocus)  # so that typed keys answer the question and change no cell
        self._again, self._gone = later(self, self._rebuild), Gone(self)
        bench.appearance.changed.connect(self._restyle)

    def _restyle(self) -> None:
        """Follow the program's look, in a turn of its own."""
        self._program.appearance.turns.add(self._again)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._presenter.take_keys_of(self)
        # Else Qt gives it to the first matrix, which chooses a cell of its own, and the class sees that in a frame.
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End presenter mode: what it tells the lecturer would be told to nobody."""
        super().closeEvent(event)
        self._presenter.leave()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rebuild()

    def _rebuild(self) -> None:
        """Build the slide of the present step again, in the size of the window."""
        if self.width() < 2:
            return
        scale = max(SHARE * scale_for(self.width(), self.height()), 1.0)
        self._look.dress(scale)
        self._told.dress(max(scale, self._program.appearance.scale))
        if self.sheet is not None:
            self._here.removeWidget(self.sheet)
            self.sheet.hide()
            self._gone.delete(self.sheet)
        self.sheet = StepSheet(self.bench, open_=True, vectors=self._guide.vectors)
        self._here.addWidget(self.sheet)
        if self._side.takeWidget() is not None:
            self._gone.delete(self.page)
        px = self._told.px
        self.page = Surface(in_look(self._program, self._told), px(8))
        self.page.setContentsMargins(px(9), px(9), px(9), px(9))
        self._side.setWidget(self.page)
        self._follow()

    def _follow(self) -> None:
        guide = self._guide
        step, at = guide.step, guide.at
        if step is None or at is None or self.sheet is None:
            return
        self._side.verticalScrollBar().setValue(0)
        self.sheet.tell(guide.lesson, at, guide.numbers, guide.before)
        self._picture, self._votes = None, self._presenter.poll.of_step() is not None
        if at + 1 < len(guide.steps):
            self._drawing.start()
        self._tell()

    def _draw_next(self) -> None:
        at = self._guide.at
        if at is None or at + 1 >= len(self._guide.steps):
            return
        if self._pictures.lesson is not self._guide.lesson:
            self._pictures = Pictures(self._program.appearance, self._guide.walk)
        try:
            picture = self._pictures.step(at + 1)
        except ExplorerError as error:
            self._picture = Passage("trouble", escape(sentence(error)))
        else:
            room = QSize(round(self.width() * (1 - SHARE) * 0.9), self.height())
            self._picture = Image("next", _scaled(picture, room, self.devicePixelRatioF()))
        self._tell()

    def _tell(self) -> None:
        """Show clock, times, notes, question or votes, and the next step."""
        guide, presenter = self._guide, self._presenter
        if guide.step is None or guide.at is None or self.sheet is None:
            return
        times = Times(presenter.clock.seconds, presenter.clock.runs, presenter.clock.used_in)
        page = notes_page(guide.walk, guide.numbers, times, presenter.frozen, presenter.poll.poll, self._votes)
        self.page.tell((*page, *([] if self._picture is None else [self._picture])))

    def _show_votes(self) -> None:
        """Bring the votes into sight, below notes that may be long."""
        if self._presenter.poll.poll is not None:
            self._side.ensureWidgetVisible(self.page.widgets["asked"])
