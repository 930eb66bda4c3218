"""All steps of a lesson as small pictures, drawn one in each turn of the event loop."""

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from explorer.core.errors import ExplorerError
from explorer.lessons.prose import numbers_of
from explorer.lessons.walk import Walk
from explorer.sentences import sentence
from explorer.ui.appearance import Appearance
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.presenter_look import HEIGHT, SCALE, WIDTH
from explorer.ui.lesson.sheet import StepSheet
from explorer.ui.lesson.step_pictures import lay_out, step_off_screen
from explorer.ui.theme import Theme
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

COLUMNS, GAP = 3, 12
TITLE = 2
"""Lines of a title: enough for the longest one in the program's lessons."""
Key = Qt.Key


class Pictures:
    """Draws any steps of a lesson, without going to them.

    Parameters
    ----------
    appearance : Appearance
        The program's look.
    walk : Walk
        The student's way through the lesson, with the numbers drawn for this student.
    """

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
                step, steps = self.lesson.steps[number], len(self.lesson.steps)
                sheet = StepSheet(bench)
                column_in(window, sheet)
                numbers = numbers_of(step, bench.document.engine)
                sheet.tell(step, number, steps, self.lesson.title, numbers, self._walk.before(number))
                lay_out(window, QSize(WIDTH, HEIGHT))
                sheet.share_room()
                QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # before it a picture has no size
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
        """Follow the theme."""
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
            return True
        if key in (Key.Key_Return, Key.Key_Enter, Key.Key_Space):
            self._choose()
            return True
        return False

    def _choose(self, *_: object) -> None:
        row = self.currentRow()
        self._close()
        self.chosen.emit(row)

    def _close(self) -> None:
        self._timer.stop()
        self.hide()
        window = self.window()
        window.setFocus(Qt.FocusReason.OtherFocusReason)

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
        ratio = self.devicePixelRatioF()
        small = picture.scaled(
            self.iconSize() * ratio, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        small.setDevicePixelRatio(ratio)
        item.setIcon(QIcon(small))
