"""The end of a lesson: what has been learned, what there is to revisit, and the next lesson, in this order."""

from functools import partial
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from explorer.lessons.progress import REVISIT, RIGHT, Outcome
from explorer.lessons.schema import Lesson
from explorer.lessons.steps import Predict, Step
from explorer.ui.lesson.room import column_height
from explorer.ui.lesson.words import SentenceButton, WordyButton
from explorer.ui.theme import Role
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Ring, SteadyLabel
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

RING = 44
"""Pixels at text scale 1 of the ring that fills."""
MOST, FEW = 6, 2
"""So many steps are named at most of those whose questions were answered rightly, and of those to revisit unasked."""


class FinishView(QWidget):
    """Stands in the panel of the step behind the last one."""

    step_wanted = Signal(str)  # the step of this id is to be seen again
    lesson_wanted = Signal(str)  # the lesson of this id is to be opened

    def __init__(self, bench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("The end of the lesson")
        self._bench = bench
        self.steps: dict[str, PushButton] = {}
        """The buttons that lead to the steps to revisit, by their ids."""
        self.next: PushButton | None = None
        """Leads to the next lesson, where there is one."""
        self._column = column_in(self)
        self._parts: list[QWidget] = []
        self.fold: SentenceButton | None = None
        """Shows the steps to revisit, or hides them."""
        self.ring: Ring | None = None
        """Fills as the end is reached."""
        self.hide()

    def tell(self, lesson: Lesson, found: Outcome, behind: Lesson | None) -> None:
        """Show what came of a lesson, and the one to go on with."""
        for part in self._parts:
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts, self.steps, self.next, self.fold = [], {}, None, None
        self._column.setSpacing(self._bench.appearance.px(5))
        self.ring = Ring(self._bench.appearance, f"How far you are in {lesson.title}", RING)
        self._add(self.ring)
        self.ring.show_share(found.share, fills=True)
        self._say("The end of this lesson" if found.revisit and not found.is_whole else "Lesson finished", "heading")
        if found.right:
            self._say("What you have learned", "section")
            if lesson.teaches:
                self._say(f"{lesson.teaches[:1].upper()}{lesson.teaches[1:]}.")
            self._list_right(lesson, found)
            self._say(f"{found.said}.", "muted")
        if revisit := found.revisit:
            self._fold(f"{len(revisit)} to revisit", len(revisit) <= FEW)
            titles = {step.id: f"{place}  {step.title}" for place, step in enumerate(lesson.steps, start=1)}
            for id, why in revisit.items():
                self._offer(id, titles[id], REVISIT[why], len(revisit) <= FEW)
        if behind is not None:
            self._say("The next lesson", "section")
            self._say(f"{behind.title}{behind.lasts}")
            act, tip = partial(self.lesson_wanted.emit, behind.id), f"Begin the next lesson: {behind.title}"
            self.next = PushButton("Begin it ▸", act, tip, look="primary", name=tip)
            self._add(self.next)

    def _list_right(self, lesson: Lesson, found: Outcome) -> None:
        """Name the steps whose questions were answered rightly, but those for practice, which bring nothing new."""
        right = [step for step in lesson.steps if found.of[step.id] in RIGHT and not _is_practice(step)]
        shown = right if len(right) <= MOST + 1 else right[:MOST]
        lines = [f"✓ {step.title}{' (with a hint)' * (found.of[step.id] == 'hint')}" for step in shown]
        if shown is not right:
            lines.append(f"… and {len(right) - MOST} more")
        self._say("\n".join(lines))

    def _say(self, text: str, role: Role = "") -> None:
        self._add(SteadyLabel(escape(text, quote=False).replace("\n", "<br>"), role=role))

    def _fold(self, said: str, open_: bool) -> None:
        """A heading that shows and hides the steps below it: many would push the next lesson out of sight."""
        fold = self.fold = SentenceButton(look="link")
        fold.setToolTip("Show or hide these steps")
        fold.setCheckable(True)

        def show(on: bool) -> None:
            fold.say(f"{said} {'▾' if on else '▸'}")
            fold.setAccessibleName(said)
            for button in self.steps.values():
                button.setVisible(on)

        fold.toggled.connect(show)
        fold.setChecked(open_)
        show(open_)
        self._add(fold)
        self._column.setAlignment(fold, Qt.AlignmentFlag.AlignLeft)

    def _offer(self, id: str, title: str, why: str, shown: bool) -> None:
        """A button that leads to a step."""
        button = self.steps[id] = WordyButton(self._bench)
        button.words.setText(f"{escape(title, quote=False)} · {why}")
        button.setAccessibleName(f"Go to step {title}, {why}")
        button.setToolTip("Go to this step")
        button.clicked.connect(lambda: self.step_wanted.emit(id))
        self._add(button)
        button.setVisible(shown)

    def _add(self, part: QWidget) -> None:
        self._column.addWidget(part)
        part.show()  # a layout does so in a later turn
        self._parts.append(part)

    def height_at(self, width: int) -> int:
        """Pixels that it is high in a width."""
        return column_height(self._parts, width, self._column.spacing())


def _is_practice(step: Step) -> bool:
    """Whether a step lets somebody do the same by himself."""
    return isinstance(step.question, Predict) and step.question.fresh
