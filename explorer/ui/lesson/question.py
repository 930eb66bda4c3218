"""A question: it is answered before anything is shown, and each wrong answer is named.

Each kind has a widget that takes answers (`bodies.py`); their outcome is shown in one way for all.
The derivations of a mistake and of the right number can stand side by side over the page.
"""

from collections.abc import Callable, Mapping, Sequence
from html import escape

import numpy as np
from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from explorer.lessons.answers import Verdict
from explorer.lessons.mistakes import Part
from explorer.lessons.schema import Choose, Point, Predict, Question
from explorer.lessons.walk import Attempt
from explorer.ui.lesson.bodies import BODIES, Body, GapsView, PredictBody
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.letters import SentenceButton, Words, column_height, height_at, least_letters
from explorer.ui.page.note import DerivationView
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import PushButton, tab_through
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in, row_in
from explorer.ui.workbench import Workbench

OURS = "How it is computed"
MORE = {1: "One more try.", 2: "Two more tries."}


def theirs(typed: float) -> str:
    """The title above the derivation of a number that a person typed."""
    return f"How one gets {typed:.12g}".replace("-", "−")


class VerdictView(QWidget):
    """The outcome of an answer: right or not, which mistake it was, and how the number is computed.

    If it is known how the wrong number comes about, both derivations can be shown side by side over the page; a class
    sees the right one beside the question anyway.
    """

    def __init__(self, bench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._bench = bench
        self._sentence = Words()
        self._sentence.index = least_letters(bench.appearance)
        self._large = self._sentence.index > 0
        self.both = SentenceButton("Both derivations side by side")
        self.both.setToolTip("Show side by side how one gets your number and how the right number is computed")
        self.side = DerivationSide(bench)
        self._column = column = column_in(self, self._sentence, spacing=bench.appearance.px(4))
        column.addWidget(self.both, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.side)
        self.hide()

    def show_attempt(self, attempt: Attempt, numbers: Mapping[str, str] | None, counts: bool, derived: bool) -> None:
        """Show the outcome of the last answer; nothing if there is none.

        `numbers`: what replaces braces, if the sentence is Markdown and no plain text; `counts`: whether to say how
        many tries are left; `derived`: whether the derivation of the number is shown already.
        """
        verdict = attempt.verdict
        self.setVisible(verdict is not None)
        if verdict is None:
            return
        theme = self._bench.appearance.theme
        ink, sign = (theme.accent_text, "✓") if verdict.right else (theme.here_text, "✗")
        sign = f"<b style='color:{ink}'>{sign}</b>"
        hinted = "With a hint." if verdict.right and attempt.hints else ""
        more = MORE.get(attempt.tries_left, "") if counts else ""
        said = " ".join(filter(None, (verdict.said(attempt.done), hinted, more)))
        if numbers is None:
            self._sentence.setText(f"{sign} {escape(said)}")
            self._sentence.label.setAccessibleName(said)
        else:
            self._sentence.say(said, numbers, sign)
        compared, title, parts = attempt.compared, OURS, verdict.derivation
        if self._large:
            title, parts = ("", ()) if compared is None else (theirs(compared[0]), compared[1])
        if verdict.right or not attempt.done or (not self._large and (compared is not None or derived)):
            parts = ()
        self.both.setVisible(compared is not None and not self._large)
        self.side.setVisible(bool(parts))
        self.side.tell(title, parts)

    @property
    def spoken(self) -> str:
        """What a screen reader says of it."""
        return self._sentence.label.accessibleName()

    @property
    def line(self) -> int:
        """The height in pixels of a sentence on one line."""
        return self._sentence.label.fontMetrics().height()

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return column_height([self._sentence, self.both, self.side], width, self._column.spacing())


class DerivationSide(QWidget):
    """A derivation with its title."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.title, self.rows = SteadyLabel(role="section"), DerivationView(bench)
        column_in(self, self.title, self.rows, spacing=0).addStretch(1)

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return self.title.height_at(width) + height_at(self.rows, width)

    def tell(self, title: str, parts: Sequence[Part]) -> None:
        """Show the rows of a derivation."""
        self.title.setText(escape(title))
        self.rows.show_rows([row for _, rows in parts for row in rows])


WIDE, HIGH, LEAST = 880, 0.7, 160
"""Greatest width in pixels at text scale 1; greatest share of the page's height; and least useful height in pixels."""
SCROLL = 16
"""Pixels at text scale 1 for a scroll bar."""


class BothDerivations(QFrame):
    """Lies over the page, at the left of the panel, so that nothing moves; it goes with the step, or when it is closed.

    `over`: the widget that it lies over; `named`: returns where in it the cells are that the step names, which stay
    visible.
    """

    def __init__(
        self, bench: Workbench, guide: Guide, panel: QWidget, over: QWidget, named: Callable[[QWidget], QRect]
    ) -> None:
        super().__init__(over)
        self.setAccessibleName("Both derivations")
        mark(self, card="true")
        self._bench, self._guide, self._panel, self._over, self._named = bench, guide, panel, over, named
        self._verdict: Verdict | None = None
        tip = "Back to the page; a link below your answer shows this again"
        self.close_button = PushButton("✕", self.hide, tip, look="link", name="Close both derivations")
        self._content = content = QWidget()
        self._beside = row_in(content)
        self.sides = DerivationSide(bench), DerivationSide(bench)
        for side in self.sides:
            self._beside.addWidget(side, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        self._whole = QHBoxLayout(self)
        self._whole.addWidget(scroll, 1)
        self._whole.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._placed = later(self, self.place)
        for watched in (over, panel):
            watched.installEventFilter(self)
        guide.answered.connect(self._follow)
        guide.stepped.connect(self._follow)
        guide.both_wanted.connect(self.open)
        self.hide()
        self._follow()

    def open(self) -> None:
        """Show how the wrong number and the right one come about, if both are known and the question is closed."""
        attempt = self._guide.attempt
        if attempt.compared is None or attempt.verdict is None:
            self.hide()
            return
        typed, wrong = attempt.compared
        self.sides[0].tell(theirs(typed), wrong)
        self.sides[1].tell(OURS, attempt.verdict.derivation)
        self.show()
        self.raise_()
        self.place()

    def _follow(self) -> None:
        verdict = None if self._guide.step is None else self._guide.attempt.verdict
        if verdict is not self._verdict:  # once closed, it stays closed until another answer is given
            self._verdict = verdict
            self.open()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._placed.start()
        return False

    def restyle(self) -> None:
        """Follow the text scale."""
        for side in self.sides:
            side.rows.restyle()
        self._placed.start()

    def place(self) -> None:
        """Move to the left of the panel, below what the step names, or above it if there is no room below."""
        if self.isHidden():
            return
        if not self._panel.isVisible():
            self.hide()
            return
        px = self._bench.appearance.px
        margin = px(8)
        self._whole.setContentsMargins(px(14), margin, margin, margin)
        self._whole.setSpacing(0)
        self._beside.setSpacing(px(28))
        corner = self._panel.mapTo(self._over, self._panel.rect().topLeft())
        right, top, bottom = corner.x() - margin, corner.y() + margin, self._over.height() - margin
        width = min(px(WIDE), right - margin)
        inside = self._whole.contentsMargins()
        across = width - inside.left() - inside.right() - self.close_button.sizeHint().width() - px(SCROLL)
        each = (across - self._beside.spacing()) // 2
        needed = max(side.height_at(each) for side in self.sides)
        self._content.setMinimumHeight(needed)
        named = self._named(self._over)
        height = min(needed + inside.top() + inside.bottom() + 2, round(HIGH * (bottom - top)))
        below, above = bottom - margin - named.bottom(), named.top() - margin - top
        if height > max(below, above) >= px(LEAST):  # scrolling is better than covering the number that was asked for
            height = max(below, above)
        y = top if below < height <= above else bottom - height
        self.setGeometry(right - width, y, width, height)


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
        for rows in (self._derivation, self._verdict.side.rows):
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
        if self.behind is not None:
            tab_through(self.behind, self._body)
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

    def said(self) -> list[str]:
        """What a screen reader is told of the answers and hints so far: the outcome, the reason, the hints."""
        shown = [self._verdict.spoken] if not self._verdict.isHidden() else []
        shown += [words.label.accessibleName() for words in (self._why, *self._hints) if not words.isHidden()]
        if not self._derivation.isHidden():
            shown.append(self._derivation.accessibleDescription())
        return shown

    def _follow(self) -> None:
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
