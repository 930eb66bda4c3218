"""The dialog for a new model."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.progress import Report
from explorer.lessons.document_lesson import drawn
from explorer.lessons.schema import Lesson
from explorer.pages.gestures import Ask, ForNewModel
from explorer.pages.model.new_model import FIRST, TITLES, field_of, lesson_of, new_model_page
from explorer.sentences import sentence
from explorer.ui.background import Background
from explorer.ui.page.column import Elements
from explorer.ui.theme import mark
from explorer.ui.turns import do_later
from explorer.ui.widgets.inputs import reached
from explorer.ui.widgets.layouts import column_in, scroll_area
from explorer.ui.workbench import Workbench

FRAME = 60
"""Pixels of the screen's height that the frame of the dialog may take."""


class NewModel(QDialog):
    """The form for sizes and sentences of a new model; `lesson` is the result, once the dialog is accepted."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New model")
        self.lesson: Lesson | None = None
        self.typed, self.problem = dict(FIRST), ("", "")  # the field that the problem is about, and what it says
        self._bench, px = bench, bench.appearance.px
        self._background = Background(self)
        self._background.busy.connect(self._wait)
        self._background.failed.connect(self._say_problem)
        # Large letters on a small screen: the form scrolls, the buttons stay.
        self.area, self.elements = scroll_area(sideways=False), Elements(bench, px(8))
        self.area.setWidget(self.elements)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.make = mark(self.buttons.addButton("Make it", QDialogButtonBox.ButtonRole.AcceptRole), primary="true")
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        column_in(self, self.area, self.buttons, spacing=px(12)).setContentsMargins(px(18), px(18), px(18), px(14))
        self.make.setDefault(True)  # now that it is in the dialog: else Enter does nothing after a click on it
        bench.selection.asked.connect(self._do)
        self.elements.tell(new_model_page(self.typed))
        wide = min(px(460), self.screen().availableSize().width() - px(10))
        self.setMinimumWidth(wide)
        # On a low screen it gives way, or the buttons would be below the screen.
        others = self.buttons.sizeHint().height() + px(44) + FRAME
        self.area.setMinimumHeight(min(px(150), max(self.screen().availableSize().height() - others, px(30))))
        self._be_high(self.elements.height_at(wide - px(36)) + px(100))
        reached(self.elements)[0].setFocus()

    def _be_high(self, pixels: int) -> None:
        """Set the height, limited by the screen; beyond that the form scrolls."""
        most = self.screen().availableGeometry().height() - FRAME
        self.resize(self.width(), min(pixels, most))

    def _do(self, gesture: Ask, at: QWidget) -> None:
        # The key Enter in a field presses the default button, as it does anywhere in the dialog.
        if isinstance(gesture, ForNewModel) and gesture.act != "make" and self.isAncestorOf(at):
            self.typed[gesture.act] = gesture.value
            self._show()

    def _show(self) -> None:
        self.elements.tell(new_model_page(self.typed, *self.problem))
        self.elements.share_room(self.area.viewport().width())

    def _make(self) -> None:
        """Make the model, or say what does not fit; what was typed stays."""
        try:
            self.lesson = lesson_of(self.typed)
        except ExplorerError as error:
            self._say_problem(error)
            return
        if self.lesson.model.dtype == "float32":
            self._draw(self.lesson)
        else:
            self.accept()

    def _say_problem(self, error: ExplorerError) -> None:
        """Say below a field what is wrong with it, in the dialog's own words."""
        wrong, before = field_of(error, self.typed), self.elements.needs[0]
        if "sequence" in error.fields:
            error = ExplorerError(error.id, **{**error.fields, "sequence": TITLES[wrong]})
        self.problem = wrong, sentence(error)
        self._show()
        self._be_high(self.height() + self.elements.needs[0] - before)
        reached(self.elements.widgets[wrong])[0].setFocus(Qt.FocusReason.TabFocusReason)  # selects the text in it
        problem = self.elements.widgets["problem"]
        do_later(self, lambda: self.area.ensureWidgetVisible(problem))  # once the lines have moved

    def _draw(self, lesson: Lesson) -> None:
        """Draw the random weights of a large model in the background."""
        title = self.windowTitle()

        def work(report: Report) -> Lesson:
            try:
                return drawn(lesson)
            except MemoryError as error:
                raise ExplorerError("not-computed", what=title, why=error) from error

        self.lesson = None
        self._background.ask(work, self._take)

    def _take(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.accept()

    def _wait(self, on: bool) -> None:
        """While the weights are drawn, only Cancel can be pressed."""
        self.area.setEnabled(not on)
        self.make.setEnabled(not on)
        self.make.setText("Drawing the weights …" if on else "Make it")

    def done(self, result: int) -> None:
        self._background.stop()
        super().done(result)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.elements.share_room(self.area.viewport().width())
