"""A question: it is answered before anything is shown, and each wrong answer is named.

Each kind has a widget that takes answers and gives them to the guide; what came of them is said in one way for all.
"""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.core.numbers import written
from explorer.lessons.answers import Verdict
from explorer.lessons.mistakes import Part
from explorer.lessons.practice import Blank, Faded
from explorer.lessons.steps import Choose, MakeSo, Point, Predict, Question
from explorer.pages.view import Cell
from explorer.ui.inspector.derivation_view import DerivationView
from explorer.ui.lesson.enlarged import least_letters
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.words import Words, WordyButton
from explorer.ui.theme import mark
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench

BESIDE = 460
"""Pixels at text scale 1 from which on two derivations stand beside each other."""


class QuestionView(QFrame):
    """The question of the step one is at, its hints, and what came of the answers.

    Parameters
    ----------
    bench : Workbench
    guide : Guide
    """

    def __init__(self, bench: Workbench, guide: Guide, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Question")
        self._bench, self._guide = bench, guide
        self._question: Question | None = None
        self._ask = Words(role="asked")
        self._body: Body | None = None
        self._place = QVBoxLayout()
        self._verdict = VerdictView(bench)
        self._why = Words(role="why")
        self._index = least_letters(bench.appearance)
        self._ask.index = self._why.index = self._index
        self._hints: list[Words] = []
        self._hint_place = QVBoxLayout()
        self._derivation = DerivationView(bench)
        self._more = QPushButton()
        self._more.setToolTip("One hint more; the last one is the whole derivation")
        mark(self._more, link="true")
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._more.clicked.connect(guide.hint)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(bench.appearance.px(6))
        self._column.addWidget(self._ask)
        self._column.addLayout(self._place)
        self._column.addWidget(self._verdict)
        self._column.addWidget(self._why)
        self._column.addLayout(self._hint_place)
        self._column.addWidget(self._derivation)
        self._column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        self._again = QPushButton("Answer again")
        self._again.setToolTip("Forget your answer and ask once more")
        mark(self._again, link="true")
        self._again.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._again.clicked.connect(guide.ask_again)
        self._column.addWidget(self._again, 0, Qt.AlignmentFlag.AlignLeft)
        guide.answered.connect(self._follow)
        self.hide()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._column.setSpacing(self._bench.appearance.px(6))
        self._question = None
        self.show_question()

    def show_question(self) -> None:
        """Show the question of the step one is at, or nothing."""
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
        self._place.addWidget(self._body)
        self._follow()

    def refresh(self) -> None:
        """Follow a change of the document, unless it belongs to another step, whose question is shown next."""
        guide = self._guide
        if self._body is not None and guide.step is not None and guide.walk.step.question is self._question:
            self._body.refresh()

    def outcome(self) -> list[QWidget]:
        """What came of the last answer or hint, in sight, the most important last."""
        parts = (self._derivation, *self._hints, self._why, self._verdict)
        return [part for part in parts if part.isVisible()]

    def _follow(self) -> None:
        """Show what has been answered, and the hints that were asked for."""
        question = self._question
        if question is None or self._body is None:
            return
        guide = self._guide
        done = guide.question is None
        attempt = guide.attempt
        self._body.follow(attempt.verdict, done)
        self._verdict.show_verdict(attempt.verdict)
        self._why.setVisible(done and bool(question.why))
        self._show_hints(attempt.hints, attempt.told, done)
        self._again.setVisible(done and not (attempt.verdict is not None and attempt.verdict.right))

    def _show_hints(self, asked: int, told: bool, done: bool) -> None:
        """The rungs of the ladder that were asked for; the last is how the answer comes about."""
        ladder = self._guide.walk.hints()
        shown = () if done and not told else ladder[-1:] if told else ladder[:asked]
        words = [hint for hint in shown if isinstance(hint, str)]
        rows = [row for hint in shown if not isinstance(hint, str) for _, part in hint for row in part]
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
        self._more.setText("Show how it is computed" if derives else "Another hint" if asked else "Give me a hint")


class Body(QWidget):
    """Takes the answers of one kind of question.

    Parameters
    ----------
    bench : Workbench
    guide : Guide
    question : Question
    """

    def __init__(self, bench: Workbench, guide: Guide, question: Any) -> None:
        super().__init__()
        self.bench, self.guide, self.question = bench, guide, question
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(bench.appearance.px(4))

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        """Show what came of the last answer."""

    def refresh(self) -> None:
        """Follow a change of the document."""


class PredictBody(Body):
    """A number is typed and locked."""

    def __init__(self, bench: Workbench, guide: Guide, question: Predict) -> None:
        super().__init__(bench, guide, question)
        self.field = field_of(question.digits)
        gaps = guide.walk.gaps()
        self._gaps = None if gaps is None else GapsView(bench, gaps)
        if self._gaps is not None:
            self.column.addWidget(self._gaps)
            self._gaps.changed.connect(self._say_whether_typed)
        self.field.returnPressed.connect(self._lock)
        self.button = QPushButton("Lock in")
        mark(self.button, primary="true")
        self.button.setToolTip("Give this number as your answer, and see the right one")
        self.button.clicked.connect(self._lock)
        self.field.textChanged.connect(self._say_whether_typed)
        self.button.setEnabled(False)
        line = QHBoxLayout()
        self.column.addLayout(line)
        line.addWidget(self.field, 1)
        line.addWidget(self.button)

    def number(self) -> float | None:
        """What is typed, if it is a number."""
        return number_in(self.field)

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        self.field.setReadOnly(done)
        self.button.setVisible(not done)
        if self._gaps is not None:
            self._gaps.lock(done)

    def _say_whether_typed(self) -> None:
        whole = self._gaps is None or self._gaps.full
        self.button.setEnabled(self.number() is not None and whole)

    def _lock(self) -> None:
        number = self.number()
        if number is not None and self.button.isEnabled() and not self.field.isReadOnly():
            self.guide.answer(number)


class GapsView(QWidget):
    """A derivation with gaps to be filled in; its result is asked for below it.

    Parameters
    ----------
    bench : Workbench
    gaps : Faded

    Signals
    -------
    changed
        Something was typed.
    """

    changed = Signal()

    def __init__(self, bench: Workbench, gaps: Faded) -> None:
        super().__init__()
        self._bench = bench
        self.fields: list[tuple[QLineEdit, Blank]] = []
        self._said: list[QLabel] = []
        blanks = {(blank.part, blank.row): blank for blank in gaps.blanks[:-1]}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(bench.appearance.px(2))
        grid.setColumnStretch(0, 1)
        line = 0
        for p, (_, rows) in enumerate(gaps.parts):
            for r, row in enumerate(rows):
                words = ": ".join(filter(None, (row.label, row.expression)))
                grid.addWidget(SteadyLabel(escape(words), role="small"), line, 0)
                blank = blanks.get((p, r))
                if blank is not None:
                    field = field_of(blank.digits)
                    field.setFixedWidth(bench.appearance.px(84))
                    field.setPlaceholderText("?")
                    field.textChanged.connect(self.changed)
                    said = QLabel()
                    grid.addWidget(field, line, 1)
                    grid.addWidget(said, line, 2)
                    self.fields.append((field, blank))
                    self._said.append(said)
                elif row.value:
                    number = QLabel(row.value)
                    number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    grid.addWidget(number, line, 1)
                line += 1

    @property
    def full(self) -> bool:
        """Whether there is a number in each gap."""
        return all(number_in(field) is not None for field, _ in self.fields)

    def lock(self, done: bool) -> None:
        """Say of each gap whether it is right; before that, let it be filled in."""
        theme = self._bench.appearance.theme
        for (field, blank), said in zip(self.fields, self._said, strict=True):
            field.setReadOnly(done)
            typed = number_in(field)
            right = typed is not None and blank.judge(typed).right
            shown = "✓" if right else f"✗ {written(blank.value, blank.digits)}"
            ink = theme.accent_text if right else theme.here_text
            said.setText(f"<span style='color:{ink}'>{shown}</span>" if done else "")


def field_of(digits: int) -> QLineEdit:
    """A field for a number with so many decimals."""
    field = QLineEdit()
    field.setAccessibleName("Your number")
    field.setToolTip("Type a number, then Enter")
    field.setPlaceholderText(f"{digits} decimal{'s' * (digits != 1)}" if digits else "whole number")
    return field


def number_in(field: QLineEdit) -> float | None:
    """What is typed in a field, if it is a number."""
    try:
        number = float(field.text().strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


class ChooseBody(Body):
    """One of a few answers is chosen; a wrong one is said to be wrong, and why."""

    def __init__(self, bench: Workbench, guide: Guide, question: Choose) -> None:
        super().__init__(bench, guide, question)
        self.buttons = [WordyButton(bench) for _ in question.choices]
        for i, (button, choice) in enumerate(zip(self.buttons, question.choices, strict=True)):
            button.say(choice.text, guide.numbers)
            button.setToolTip("Give this answer")
            button.clicked.connect(partial(guide.answer, i))
            self.column.addWidget(button)

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        tried = self.guide.attempt.tried
        for i, (button, choice) in enumerate(zip(self.buttons, self.question.choices, strict=True)):
            wrong = i in tried and not choice.right
            sign = "✗ " if wrong else "✓ " if choice.right and done else ""
            button.say(f"{sign}{choice.text}", self.guide.numbers)
            mark(button, answer="wrong" if wrong else "right" if choice.right and done else "")
            button.setEnabled(not done and not wrong)
            button.keep_height()


class PointBody(Body):
    """A word, a cell or a head is clicked."""

    WHERE: ClassVar[dict[str, str]] = {
        "token": "Click a word at the top.",
        "cell": "Click a number in the matrix.",
        "head": "Choose a head above the page.",
    }

    def __init__(self, bench: Workbench, guide: Guide, question: Point) -> None:
        super().__init__(bench, guide, question)
        self._say = SteadyLabel(self.WHERE[question.at], role="small")
        self.column.addWidget(self._say)
        selection = bench.selection
        if question.at == "token":
            selection.token_chosen.connect(self._token)
        elif question.at == "head":
            selection.head_changed.connect(self._head)
        else:
            selection.chosen.connect(self._cell)

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        self._say.setVisible(not done)

    @property
    def _asks(self) -> bool:
        """Whether it is still asked: when the step was left, this goes in a later turn of the event loop."""
        return self.guide.question is self.question

    def _token(self) -> None:
        token = self.bench.selection.chosen_token
        if token is not None and token[0] == self.question.axis and self._asks:
            self.guide.answer((token[1],))

    def _head(self, head: int | None) -> None:
        if head is not None and self._asks:
            self.guide.answer((head,))

    def _cell(self, cell: Cell) -> None:
        if not self._asks:
            return
        place = self.guide.walk.engine(self.guide.walk.at).graph.place(self.question.node)
        if cell.node == place.node and cell.index[: len(place.index)] == place.index:
            self.guide.answer(cell.index[len(place.index) :])


class MakeBody(Body):
    """Numbers are changed in the model until a goal is reached."""

    def __init__(self, bench: Workbench, guide: Guide, question: MakeSo) -> None:
        super().__init__(bench, guide, question)
        self._say = SteadyLabel(role="small")
        self.column.addWidget(self._say)
        self.refresh()

    def refresh(self) -> None:
        if self.guide.question is self.question:
            self.guide.look_whether_made()
        graph = self.guide.walk.engine(self.guide.walk.at).graph
        symbols = dict.fromkeys(graph.nodes[graph.place(name).node].symbol for name in self.question.allowed)
        allowed = " or ".join(f"<b>{escape(one)}</b>" for one in symbols) or "any teal number"
        few = {
            0: "" if self.question.allowed else " By hand, or by learning.",
            1: " One number may be changed.",
            2: " Two numbers may be changed.",
        }
        most = few.get(self.question.edits, f" {self.question.edits} numbers may be changed.")
        self._say.setText(f"Change {allowed} on the page.{most}")


class VerdictView(QWidget):
    """What came of an answer: right or not, which mistake it was, and both derivations side by side.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._sentence = SteadyLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(bench.appearance.px(4))
        column.addWidget(self._sentence)
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        column.addLayout(self._both)
        self._sides = [_Side(bench, title) for title in ("How one gets your number", "How it is computed")]
        for side in self._sides:
            self._both.addWidget(side, 1)
        self.hide()

    def show_verdict(self, verdict: Verdict | None) -> None:
        """Say what came of the last answer; nothing where there is none."""
        self.setVisible(verdict is not None)
        if verdict is None:
            return
        theme = self._bench.appearance.theme
        ink, sign = (theme.accent_text, "✓") if verdict.right else (theme.here_text, "✗")
        self._sentence.setText(f"<b style='color:{ink}'>{sign}</b> {escape(verdict.sentence)}")
        theirs = () if verdict.mistake is None else verdict.mistake.derivation
        for side, parts in zip(self._sides, (theirs, () if verdict.right else verdict.derivation), strict=True):
            side.setVisible(bool(parts))
            side.show_parts(parts)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() >= self._bench.appearance.px(BESIDE)
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if self._both.direction() != way:
            self._both.setDirection(way)


class _Side(QWidget):
    """One of two derivations."""

    def __init__(self, bench: Workbench, title: str) -> None:
        super().__init__()
        self._title = SteadyLabel(escape(title), role="section")
        self._rows = DerivationView(bench)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._title)
        column.addWidget(self._rows)
        column.addStretch(1)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show the rows of a derivation."""
        self._rows.show_rows([row for _, rows in parts for row in rows])


BODIES: dict[type, type[Body]] = {Predict: PredictBody, Choose: ChooseBody, Point: PointBody, MakeSo: MakeBody}
