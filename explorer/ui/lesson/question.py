"""A question: it is answered before anything is shown, and each wrong answer is named.

Each kind has a widget that takes answers (`bodies.py`); their outcome is shown in one way for all.
"""

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from explorer.lessons.steps import Choose, Point, Predict, Question
from explorer.ui.lesson.bodies import BODIES, Body, PredictBody
from explorer.ui.lesson.gaps import GapsView
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.presenter_look import least_letters
from explorer.ui.lesson.room import column_height
from explorer.ui.lesson.verdict import VerdictView
from explorer.ui.lesson.words import SentenceButton, Words
from explorer.ui.page.note import DerivationView
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

EDITED = "The question is about the numbers with which this step began. <b>Reset</b> shows them again."


class QuestionView(QFrame):
    """The question of the present step, its hints, and the outcome of the answers."""

    followed = Signal()  # the outcome of an answer is shown
    passed = Signal()  # Enter was pressed after the answer was given

    def __init__(self, bench: Workbench, guide: Guide, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Question")
        self._bench, self._guide = bench, guide
        self._question: Question | None = None
        self.behind: QWidget | None = None
        """The widget from which Tab leads to the first control of the question."""
        self._index = least_letters(bench.appearance)
        self._ask = Words(role="asked", parent=self)
        self._edited = SteadyLabel(EDITED, role="small", parent=self)
        self._edited.hide()
        self._body: Body | None = None
        self._place = QVBoxLayout()
        self._verdict = VerdictView(bench, self)
        self._verdict.both.clicked.connect(guide.both_wanted)
        self._why = Words(role="why", parent=self)
        self._ask.index = self._why.index = self._index
        self._hints: list[Words] = []
        self._hint_place = QVBoxLayout()
        self._derivation = DerivationView(bench, self)
        self._more = SentenceButton("", self)
        self._more.setToolTip("One more hint; the last one is the whole derivation")
        self._more.clicked.connect(guide.hint)
        self._column = column_in(self, spacing=bench.appearance.px(6))
        self._top = QHBoxLayout()
        self._column.addLayout(self._top)
        self._top.addWidget(self._ask, 1)
        self._column.addWidget(self._edited)
        self._column.addLayout(self._place)
        # Above the hints, so that it stays under the pointer; for a class it stands beside the question.
        if self._index:
            self._top.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        else:
            self._column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self._verdict)
        self._column.addWidget(self._why)
        self._column.addLayout(self._hint_place)
        self._column.addWidget(self._derivation)
        self._again = SentenceButton("Answer again", self)
        self._again.setToolTip("Forget your answer and ask once more")
        self._again.clicked.connect(guide.ask_again)
        self._again.clicked.connect(self.be_typed_in)
        self._column.addWidget(self._again, 0, Qt.AlignmentFlag.AlignLeft)
        guide.answered.connect(self._follow)
        self.hide()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._column.setSpacing(self._bench.appearance.px(6))
        for rows in (self._derivation, self._verdict):
            rows.restyle()
        self._question = None
        self.show_question()

    def be_typed_in(self) -> bool:
        """Give the focus to the first field that is to be filled in; returns whether there is one.

        If a number is typed in each, it may be locked in, or replaced by typing another one.
        """
        body = self._body
        if not isinstance(body, PredictBody) or self._guide.question is None:
            return False
        if not body.be_typed_in():
            body.field.setFocus(Qt.FocusReason.OtherFocusReason)
            body.field.selectAll()
        return True

    def show_question(self) -> None:
        """Show the question of the present step, or nothing."""
        step = self._guide.step
        question = None if step is None else step.question
        self.setVisible(question is not None)
        if self._body is not None:
            self._place.removeWidget(self._body)
            self._body.hide()
            self._body.deleteLater()
            self._body = None
        self._question = question
        if question is None:
            return
        self._ask.say(question.ask, self._guide.numbers)
        self._why.say(question.why, self._guide.numbers)
        self._body = BODIES[type(question)](self._bench, self._guide, question)
        self._body.passed.connect(self.passed)
        self._place.addWidget(self._body)
        self._body.show()  # the layout would do so in a later turn
        before = self.behind
        for control in (*self._body.findChildren(QLineEdit), *self._body.findChildren(PushButton)):
            if before is not None:  # created last, but not standing last
                self.setTabOrder(before, control)
                before = control
        self._follow()

    def refresh(self) -> None:
        """Follow a change of the document, unless it belongs to another step, whose question is shown next."""
        guide = self._guide
        if self._body is not None and guide.step is not None and guide.walk.step.question is self._question:
            self._body.refresh()
            self._say_whether_edited()

    @property
    def gaps(self) -> GapsView | None:
        """The derivation with gaps, if there is one to fill in."""
        return self._body.gaps if isinstance(self._body, PredictBody) else None

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        body = [] if self._body is None else [self._body]
        parts = [self._edited, *body, self._verdict, self._why, *self._hints, self._derivation, self._again]
        if not self._index:
            return column_height([self._ask, *parts, self._more], width, self._column.spacing())
        more = 0 if self._more.isHidden() else self._more.sizeHint().width() + max(self._top.spacing(), 0)
        asked = max(self._ask.height_at(width - more), column_height([self._more], width, 0))
        asked += self._column.spacing() + column_height(parts, width, self._column.spacing())
        if self._question is not None and self._question.made and self._verdict.isHidden():
            asked += self._column.spacing() + self._verdict.line  # else each change of a number would move the slide
        return asked

    def outcome(self) -> list[QWidget]:
        """The visible outcome of the last answer or hint, the most important widget last."""
        parts = (self._derivation, *self._hints, self._why, self._verdict)
        return [part for part in parts if part.isVisible()]

    def _follow(self) -> None:
        """Show the outcome of the answers, and the hints that were asked for."""
        question = self._question
        if question is None or self._body is None:
            return
        guide = self._guide
        done = guide.question is None
        attempt = guide.attempt
        self._say_whether_edited()
        self._body.follow(attempt.verdict, done)
        numbers = guide.numbers if isinstance(question, Choose) else None
        counts, derived = isinstance(question, Predict | Point), self.gaps is not None
        self._verdict.show_attempt(attempt, numbers, counts, derived)
        wrong = attempt.verdict is not None and not attempt.verdict.right
        whys = [question.why]
        if isinstance(question, Choose):
            whys = [*(hint for hint in guide.walk.told() if isinstance(hint, str) and (attempt.told or wrong)), *whys]
            self._why.say("\n\n".join(filter(None, whys)), guide.numbers)
        self._why.setVisible(done and any(whys))
        self._show_hints(attempt.hints, attempt.told, done)
        self._again.setVisible(done and (wrong if self._index else wrong or attempt.verdict is None))
        self.followed.emit()

    def _say_whether_edited(self) -> None:
        """Tell a student who has changed the model, and so sees other numbers, by which ones an answer is judged."""
        question, guide = self._question, self._guide
        edited = False
        if isinstance(question, Predict | Point) and question.node and guide.changed and not self._index:
            now, began = self._bench.document.engine, guide.walk.engine(guide.walk.at)
            place, was = now.graph.find(question.node), began.value(began.graph.place(question.node))
            edited = place is None or not np.array_equal(now.value(place), was, equal_nan=True)
        self._edited.setVisible(edited)

    def _show_hints(self, asked: int, told: bool, done: bool) -> None:
        """Show the hints that were asked for; the last one is the derivation of the answer."""
        walk = self._guide.walk
        ladder = walk.hints()
        shown = walk.told() if told and not isinstance(self._question, Choose) else () if done else ladder[:asked]
        words = [hint for hint in shown if isinstance(hint, str)]
        rows = [row for hint in shown if not isinstance(hint, str) for _, part in hint for row in part]
        if told and self._index:  # a class sees the derivation beside the question
            rows = []
        while len(self._hints) < len(words):
            self._hints.append(Words(role="hint"))
            self._hints[-1].index = self._index
            self._hint_place.addWidget(self._hints[-1])
        for i, label in enumerate(self._hints):
            label.setVisible(i < len(words))
            if i < len(words):
                label.say(words[i], self._guide.numbers)
        self._derivation.setVisible(bool(rows))
        self._derivation.show_rows(rows)
        self._more.setVisible(not done and asked < len(ladder))
        derives = asked + 1 == len(ladder) and not isinstance(ladder[-1], str)
        self._more.say("Show how it is computed" if derives else "Another hint" if asked else "Give me a hint")
