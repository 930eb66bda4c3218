"""The lecturer's own screen: the present step, the next step, notes, the clock, and used and planned times."""

from collections.abc import Mapping
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.lessons import prose
from explorer.lessons.steps import Choose, Step
from explorer.sentences import sentence
from explorer.ui.lesson.clock import minutes
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.overview import Pictures
from explorer.ui.lesson.presenter import Presenter
from explorer.ui.lesson.presenter_look import Enlarged, in_look, scale_for
from explorer.ui.lesson.sheet import StepSheet
from explorer.ui.turns import later
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.widgets.layouts import row_in, scroll_area
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

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
        self.clock = Label(role="title")
        self.times = SteadyLabel()
        self.notes = SteadyLabel()
        self._next_title = SteadyLabel(role="section")
        self._next = Label(plain=True, align=Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._frozen = Label("The class sees a frozen picture (F)", "here")
        side = QWidget()
        column = QVBoxLayout(side)
        self._asked = SteadyLabel()
        for part in (self.clock, self._frozen, self.times, SteadyLabel("Notes", role="section"), self.notes):
            column.addWidget(part)
        column.addWidget(self._asked)
        column.addWidget(self._next_title)
        column.addWidget(self._next)
        column.addStretch(1)
        scroll = scroll_area()
        scroll.setWidget(side)
        across = row_in(self)
        across.addLayout(self._here, round(100 * SHARE))
        across.addWidget(scroll, round(100 * (1 - SHARE)))
        self._drawing = later(self, self._draw_next)
        presenter.clock.ticked.connect(self._tell_time)
        presenter.covered.connect(self._tell_time)
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rebuild()

    def _rebuild(self) -> None:
        """Build the slide of the present step again, in the size of the window."""
        if self.width() < 2:
            return
        self._look.dress(max(SHARE * scale_for(self.width(), self.height()), 1.0))
        if self.sheet is not None:
            self._here.removeWidget(self.sheet)
            self.sheet.hide()
            self._gone.delete(self.sheet)
        self.sheet = StepSheet(self.bench, open_=True, vectors=self._guide.vectors)
        self._here.addWidget(self.sheet)
        self._follow()

    def _follow(self) -> None:
        """Show the present step, its notes, and the next step."""
        guide = self._guide
        step, at = guide.step, guide.at
        if step is None or at is None or self.sheet is None:
            return
        self.sheet.tell(step, at, len(guide.steps), guide.lesson.title, guide.numbers, guide.before)
        said = prose.html(step.notes, guide.numbers) if step.notes else "None for this step."
        if step.slide:  # the class reads a shorter text
            said += f"<p><b>In full:</b></p>{prose.html(step.words, guide.numbers)}"
        self.notes.setText(said)
        self._asked.setVisible(step.question is not None)
        self._asked.setText(_asked(step, guide.numbers))
        last = at + 1 == len(guide.steps)
        self._next_title.setText("This is the last step" if last else f"Next: {escape(guide.steps[at + 1].title)}")
        self._next.clear()
        if not last:
            self._drawing.start()
        self._tell_time()

    def _draw_next(self) -> None:
        """Draw the next step as a small picture."""
        at = self._guide.at
        if at is None or at + 1 >= len(self._guide.steps):
            return
        if self._pictures.lesson is not self._guide.lesson:
            self._pictures = Pictures(self._program.appearance, self._guide.walk)
        try:
            picture = self._pictures.step(at + 1)
        except ExplorerError as error:
            self._next.setText(sentence(error))
            return
        ratio = self.devicePixelRatioF()
        room = QSize(round(self.width() * (1 - SHARE) * 0.9), self.height()) * ratio
        small = picture.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
        small.setDevicePixelRatio(ratio)
        self._next.setPixmap(small)

    def _tell_time(self) -> None:
        """Show the clock, and the times of this step and of all steps, used and planned."""
        guide, clock = self._guide, self._presenter.clock
        step, at = guide.step, guide.at
        if step is None or at is None:
            return
        self.clock.setText(minutes(clock.seconds) + ("" if clock.runs else "  (T starts the clock)"))
        self._frozen.setVisible(self._presenter.frozen)
        planned = sum(one.minutes for one in guide.steps[:at])
        rows = [
            ("This step", clock.used_in(step.id), step.minutes),
            ("Up to here", sum(clock.used_in(one.id) for one in guide.steps[: at + 1]), planned + step.minutes),
            ("All steps", clock.seconds, sum(one.minutes for one in guide.steps) or guide.lesson.minutes),
        ]
        cells = "".join(
            f"<tr><td>{name}&nbsp;&nbsp;</td><td align='right'>{minutes(used)}&nbsp;&nbsp;</td>"
            f"<td align='right'>{minutes(60 * plan) if plan else '–'}</td></tr>"
            for name, used, plan in rows
        )
        self.times.setText(f"<table><tr><td></td><td>used&nbsp;&nbsp;</td><td>planned</td></tr>{cells}</table>")


def _asked(step: Step, numbers: Mapping[str, str]) -> str:
    """The question for the class, and its right choice; a right number is visible in the step itself."""
    question = step.question
    if question is None:
        return ""
    said = f"<b>Asked:</b> {prose.html(question.ask, numbers)}"
    if isinstance(question, Choose):
        said += "".join(f"✓ {prose.html(one.text, numbers)}" for one in question.choices if one.right)
    return said.replace("<p>", "").replace("</p>", "<br>").removesuffix("<br>")
