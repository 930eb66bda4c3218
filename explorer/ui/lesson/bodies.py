"""The widgets in which questions are answered, one for each kind; they give the answers to the guide.

Also a derivation with gaps to be filled in, and the field in which a number is typed.
"""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLineEdit, QScrollArea, QWidget

from explorer.core.derivation import Row
from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, Node, Place
from explorer.core.numbers import read_answer, written
from explorer.lessons.answers import Answer, Verdict, place_named
from explorer.lessons.schema import Choose, MakeSo, Point, Predict
from explorer.lessons.symbols import formula_html
from explorer.lessons.walk import Blank, Faded
from explorer.pages.view import Cell
from explorer.ui.errors import show_error
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.letters import SentenceButton, WordyButton, column_height, least_letters
from explorer.ui.selection import Coming
from explorer.ui.theme import mark
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.workbench import Workbench

AROUND = 28
"""Pixels from the text of a field to its edges, both sides together."""
WIDE = 460
"""Greatest width of the lines, in pixels at text scale 1: numbers far from their names are read in the wrong line."""


class GapsView(QWidget):
    """A derivation with gaps to be filled in; its result is asked for below it."""

    changed = Signal()  # something was typed

    def __init__(self, bench: Workbench, gaps: Faded) -> None:
        super().__init__()
        self._bench = bench
        self.fields: list[tuple[QLineEdit, Blank]] = []
        self._said: list[Label] = []
        self._gaps = gaps
        blanks = {(blank.part, blank.row): blank for blank in gaps.blanks[:-1]}
        self._lines: list[tuple[SteadyLabel, QWidget | None]] = []
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        large = least_letters(bench.appearance) > 0  # a class, where each pixel counts
        grid.setVerticalSpacing(0 if large else bench.appearance.px(2))
        grid.setColumnStretch(0, 1)
        for p, (_, rows) in enumerate(gaps.parts):
            for r, row in enumerate(rows):
                what, line = SteadyLabel(_told(row), role="small"), len(self._lines)
                grid.addWidget(what, line, 0)
                number: QWidget | None = None
                if (blank := blanks.get((p, r))) is not None:
                    number = field = field_of(blank.digits)
                    field.setAccessibleName(f"Your number, {_named(row)}")
                    field.setFixedWidth(bench.appearance.px(84 if large else 70))  # its size hint does not say that
                    mark(field, tight=str(large).lower())
                    field.setPlaceholderText("?")
                    field.textChanged.connect(self.changed)
                    self.fields.append((field, blank))
                    self._said.append(Label())
                    grid.addWidget(self._said[-1], line, 2)
                elif row.value:
                    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    number = Label(row.value, "sheet" if large else "", align=right)
                if number is not None:
                    grid.addWidget(number, line, 1)
                self._lines.append((what, number))

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        labels = [number.sizeHint().width() for _, number in self._lines if isinstance(number, Label)]
        across = max([*labels, *(field.minimumWidth() for field, _ in self.fields)], default=0)
        behind = max((said.sizeHint().width() for said in self._said), default=0)
        words = min(width, self._bench.appearance.px(WIDE)) - across - behind - 2 * self._grid.horizontalSpacing()
        heights = (
            max(what.height_at(words), number.sizeHint().height() if number else 0) for what, number in self._lines
        )
        return sum(heights) + self._grid.verticalSpacing() * (len(self._lines) - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grid.setContentsMargins(0, 0, max(self.width() - self._bench.appearance.px(WIDE), 0), 0)

    @property
    def empty(self) -> bool:
        """Whether no gap is filled."""
        return not any(field.text() for field, _ in self.fields)

    def mark(self, answered: bool, done: bool) -> None:
        """Mark each gap as right or wrong, once something was answered; at the end also show the right number."""
        theme = self._bench.appearance.theme
        for (field, blank), said in zip(self.fields, self._said, strict=True):
            typed = number_in(field)
            right = typed is not None and blank.judge(typed).right
            field.setReadOnly(done)
            shown = "✓" if right else f"✗ {written(blank.value, blank.digits)}" if done else "✗"
            ink = theme.accent_text if right else theme.here_text
            said.setText(f"<span style='color:{ink}'>{shown}</span>" if done or answered else "")
            spoken = "right" if right else f"wrong, it is {written(blank.value, blank.digits)}" if done else "wrong"
            field.setAccessibleDescription(spoken if done or answered else "")
        rows = [row for _, part in (self._gaps.whole if done else self._gaps.parts) for row in part]
        for row, (what, number) in zip(rows, self._lines, strict=True):
            what.setText(_told(row))
            if isinstance(number, Label):
                number.setText(row.value)


def _told(row: Row) -> str:
    """A row without its value, as HTML: of a term that has only a number as its name, the arithmetic says all."""
    numbered = row.kind == "term" and row.label.removeprefix(f"{row.noun} ").isdecimal()
    return escape((row.expression if numbered else "") or _named(row), quote=False)


def _named(row: Row) -> str:
    """A row without its value."""
    return ": ".join(filter(None, (row.label, row.expression)))


class NumberField(QLineEdit):
    """A field for a number; typing brings it into sight. While nothing is typed, undo and redo act on the model."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        confirms = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)  # what comes next is read from its beginning
        around = self.parentWidget() if event.text() and not confirms else None
        while around is not None:
            if isinstance(around, QScrollArea):
                around.ensureWidgetVisible(self, 0, 0)
            around = around.parentWidget()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and not self.text():
            meant = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            return not any(map(event.matches, meant)) and bool(super().event(event))
        return bool(super().event(event))

    @property
    def shares_line(self) -> int:
        """See `FlowLayout`: it may be as narrow as its hint, to stand beside a button."""
        return self.fontMetrics().horizontalAdvance(self.placeholderText()) + AROUND


def field_of(digits: int) -> QLineEdit:
    """A field for a number with so many decimals."""
    field = NumberField()
    field.setAccessibleName("Your number")
    field.setToolTip("Type a number, then Enter")
    field.setPlaceholderText(f"{digits} decimal{'s' * (digits != 1)}" if digits else "whole number")
    return field


def number_in(field: QLineEdit) -> float | None:
    """The number that is typed in a field; None if it is no number."""
    try:
        return read_answer(field.text())
    except ExplorerError:
        return None


FIELD = 200
"""Width of a field for a number, on a slide, in pixels at text scale 1."""
CURVE = 150
"""Height of the curve of the loss, in pixels at text scale 1."""

ADDED = "That was added in this step, so it is no answer. <b>Reset</b> shows again what is asked about."


class Body(QWidget):
    """Takes the answers of one kind of question."""

    passed = Signal()  # Enter was pressed after the answer was given

    def __init__(self, bench: Workbench, guide: Guide, question: Any) -> None:
        super().__init__()
        self.bench, self.guide, self.question = bench, guide, question
        self.large = least_letters(bench.appearance) > 0
        """Whether a class sees it: then what is settled is hidden to make room."""
        self.column = column_in(self, spacing=bench.appearance.px(4))

    def give(self, answer: Answer) -> None:
        """Answer the question, if it is still that of the present step: a key may come before the next one is shown."""
        if self.guide.question is self.question:
            self.guide.answer(answer)

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        """Show the outcome of the last answer."""

    def refresh(self) -> None:
        """Follow a change of the document."""

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return column_height(self.parts, width, self.column.spacing())

    @property
    def parts(self) -> list[QWidget]:
        """The widgets in it, from the top down."""
        return []


class PredictBody(Body):
    """Takes a number that is typed and locked in."""

    def __init__(self, bench: Workbench, guide: Guide, question: Predict) -> None:
        super().__init__(bench, guide, question)
        self.field = field_of(question.digits)
        gaps = guide.walk.gaps()
        self.gaps = None if gaps is None else GapsView(bench, gaps)
        if self.gaps is not None and not self.large:  # a class sees it in place of the derivation
            self.column.addWidget(self.gaps)
        for place, field in enumerate(self.fields):
            field.setText(guide.attempt.typed.get(place, ""))
            field.textEdited.connect(partial(guide.attempt.typed.__setitem__, place))
            field.returnPressed.connect(self._go_on)
        self.button = SentenceButton("Lock in", look="primary")
        self.button.setToolTip("Give this number as your answer")
        self.button.clicked.connect(self._lock)
        self.field.textChanged.connect(self._say_whether_typed)
        if self.gaps is not None:
            self.gaps.changed.connect(self._say_whether_typed)
        self.button.setEnabled(False)
        self._line = QWidget()
        line = FlowLayout(self._line)  # in large letters the button stands below
        line.addWidget(self.field)
        line.addWidget(self.button)
        if self.large:  # else it would be as wide as the screen
            self.field.setFixedWidth(bench.appearance.px(FIELD))
        self.column.addWidget(self._line)

    @property
    def fields(self) -> list[QLineEdit]:
        """The fields that are to be filled in, in order."""
        return [*(field for field, _ in (self.gaps.fields if self.gaps is not None else ())), self.field]

    def be_typed_in(self) -> bool:
        """Give the focus to the first field without a number; returns whether there is one."""
        field = next((field for field in self.fields if number_in(field) is None), None)
        if field is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)
        return field is not None

    def _go_on(self) -> None:
        if self.field.isReadOnly():
            self.passed.emit()
        elif not self._refuses() and not self.be_typed_in():
            self._lock()

    def _refuses(self) -> bool:
        """Say which typed text is no number, and give its field the focus; returns whether there is one."""
        for field in self.fields:
            try:
                if field.text().strip():
                    read_answer(field.text())
            except ExplorerError as error:
                field.setFocus(Qt.FocusReason.OtherFocusReason)
                show_error(error, field)
                return True
        return False

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        self.field.setReadOnly(done)
        for place, field in enumerate(self.fields):  # it may have been typed on the slide, or beside the page
            if field.text() != (typed := self.guide.attempt.typed.get(place, field.text())):
                field.setText(typed)
        self.field.setVisible(not (done and self.large and number_in(self.field) is None))
        self.button.setVisible(not done)
        if verdict is not None and not done:
            if self.button.hasFocus():
                self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            self.field.selectAll()  # so that typing replaces it
        self._say_whether_typed()
        if self.gaps is not None:
            self.gaps.mark(verdict is not None, done)
            self.gaps.setVisible(not (done and self.large and self.gaps.empty))

    @property
    def parts(self) -> list[QWidget]:
        return [self._line] if self.gaps is None or self.large else [self.gaps, self._line]

    def _say_whether_typed(self) -> None:
        typed = all(field.text().strip() for field in self.fields)
        self.button.setEnabled(typed and number_in(self.field) not in self.guide.attempt.tried)

    def _lock(self) -> None:
        number = number_in(self.field)
        if not self._refuses() and number is not None and self.button.isEnabled() and not self.field.isReadOnly():
            self.give(number)


class ChooseBody(Body):
    """Takes one of a few choices; a wrong one is marked as wrong."""

    def __init__(self, bench: Workbench, guide: Guide, question: Choose) -> None:
        super().__init__(bench, guide, question)
        shown = {i: WordyButton(bench) for i in guide.walk.order(guide.walk.at)}
        for i, button in shown.items():
            button.say(question.choices[i].text, guide.numbers)
            button.setToolTip("Give this answer")
            button.clicked.connect(partial(self.give, i))
            self.column.addWidget(button)
        self.buttons = [shown[i] for i in range(len(shown))]
        """The buttons in the order of the choices in the lesson's file; they stand in another order."""

    def height_at(self, width: int) -> int:
        return self._abreast(width) or super().height_at(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stand()

    def _abreast(self, width: int) -> int:
        """The height of the answers if they stand side by side, so that a class sees more of the rest; 0 if not."""
        there, gap = [button for button in self.buttons if not button.isHidden()], self.column.spacing()
        each = (width - gap * (len(there) - 1)) // max(len(there), 1)
        high = max((button.height_at(each) for button in there), default=0)
        return high if self.large and high < column_height([*there], width, gap) else 0

    def _stand(self) -> None:
        abreast = self._abreast(self.width())
        for button in self.buttons:
            button.least = abreast
            button.keep_height()
        way = QBoxLayout.Direction.LeftToRight if abreast else QBoxLayout.Direction.TopToBottom
        if self.column.direction() != way:
            self.column.setDirection(way)

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        tried = self.guide.attempt.tried
        for i, (button, choice) in enumerate(zip(self.buttons, self.question.choices, strict=True)):
            wrong = i in tried and not choice.right
            sign, answer = ("✗ ", "wrong") if wrong else ("✓ ", "right") if choice.right and done else ("", "")
            button.say(f"{sign}{choice.text}", self.guide.numbers)
            for part in (button, button.words.label):  # Qt matches the ancestors of a label only when it is polished
                mark(part, answer=answer)
            button.setEnabled(not done and not wrong)
            button.setVisible(not (done and self.large) or wrong or choice.right)
            button.keep_height()
        self._stand()

    @property
    def parts(self) -> list[QWidget]:
        return [*self.buttons]


class PointBody(Body):
    """Takes a word, a cell or a head that is clicked."""

    WHERE: ClassVar[dict[str, str]] = {
        "token": "Click a word at the top.",
        "cell": "Click a number in the matrix.",
        "head": "Choose a head above the page.",
    }
    ON_SLIDE: ClassVar[dict[str, str]] = {"token": "Click a word.", "head": "Click a head."}

    def __init__(self, bench: Workbench, guide: Guide, question: Point) -> None:
        super().__init__(bench, guide, question)
        self._where = (self.WHERE | self.ON_SLIDE if self.large else self.WHERE)[question.at]
        self._say = SteadyLabel(self._where, role="small")
        self.column.addWidget(self._say)
        self._places = QWidget()
        """On a slide, which has no bars of the window: a button for each word or head."""
        line = FlowLayout(self._places, bench.appearance.px(6), bench.appearance.px(6))
        self.buttons = [PushButton(name) for name in self._names()] if self.large else []
        for place, button in enumerate(self.buttons):
            button.clicked.connect(partial(self._take_place, (place,), "click"))
            line.addWidget(button)
        self.column.addWidget(self._places)
        self._places.setVisible(bool(self.buttons))
        self._take = SentenceButton()
        self._take.setToolTip("Give this as your answer")
        self._take.clicked.connect(lambda: self.give(self._at))
        self.column.addWidget(self._take)
        self._take.hide()
        self._at: tuple[int, ...] = ()
        """The cell, or the word, that was reached last."""
        selection = bench.selection
        if question.at == "token":
            selection.token_chosen.connect(self._token)
        elif question.at == "head":
            selection.head_changed.connect(self._head)
        else:
            selection.chosen.connect(self._cell)

    def _names(self) -> Sequence[str]:
        """The words or the heads, one of which is the answer; none where it is a number of a matrix."""
        graph = self._engine.graph
        match self.question.at:
            case "token":
                return self._engine.labels(self.question.axis)
            case "head":
                count = graph.n_heads.get(self.question.node, 0) or max(graph.n_heads.values(), default=1)
                return [f"Head {head + 1}" for head in range(count)]
        return ()

    def follow(self, verdict: Verdict | None, done: bool) -> None:
        self._say.setVisible(not done)
        self._places.setVisible(not done and bool(self.buttons))
        for place, button in enumerate(self.buttons):
            button.setEnabled((place,) not in self.guide.attempt.tried)
        self._take.hide()

    @property
    def parts(self) -> list[QWidget]:
        return [self._say, self._places, self._take]

    @property
    def _asks(self) -> bool:
        """Whether the question is still open: when its step is left, this widget is deleted in a later turn.

        What the program chooses is no answer: what a step looks at, or what a document was saved with.
        """
        return self.guide.question is self.question and not self.bench.selection.chooses_several

    def _token(self, by: Coming) -> None:
        token = self.bench.selection.chosen_token
        if token is not None and token[0] == self.question.axis and self._asks:
            self._take_place((token[1],), by)

    def _head(self, head: int | None) -> None:
        if head is not None and self._asks:
            self._take_place((head,), "click")

    def _cell(self, cell: Cell, by: Coming) -> None:
        if not self._asks:  # the walk may already be another one, perhaps with another model
            return
        place = self._engine.graph.place(self.question.node)
        if cell.node == place.node and cell.index[: len(place.index)] == place.index:
            self._take_place(cell.index[len(place.index) :], by)
        elif by == "click":
            now = self.bench.document.engine.graph  # a switch may have added the clicked node in this step
            self._say.setText(elsewhere(now.nodes[cell.node], cell, self._engine.graph.nodes[place.node], place))

    @property
    def _engine(self) -> Engine:
        return self.guide.walk.engine(self.guide.walk.at)

    def _take_place(self, place: tuple[int, ...], by: Coming) -> None:
        """Take a place that was clicked as the answer; offer one that keys have reached."""
        if not self._was_there(place):
            self._take.hide()
            self._say.setText(ADDED)
            return
        self._say.setText(self._where)
        self._at = place
        if by == "click":
            self.give(place)
        else:
            self._take.say(f"Answer: {place_named(self.question, place, self._engine)}")
            self._take.show()

    def _was_there(self, place: tuple[int, ...]) -> bool:
        """Whether the step began with a place: a word or a head may have been added in it."""
        question, engine = self.question, self._engine
        if question.at == "token":
            sizes: tuple[int, ...] = (len(engine.labels(question.axis)),)
        elif not question.node:
            return True
        else:
            sizes = engine.value(engine.graph.place(question.node)).shape
        return all(i < size for i, size in zip(place, sizes, strict=False))


def elsewhere(clicked: Node, cell: Cell, meant: Node, asked: Place) -> str:
    """A sentence: the cell is in another table than the one that is asked for, so it is no answer."""
    name = f"<b>{formula_html(meant.symbol)}</b>"
    head = "" if asked.head is None else f" of head {asked.head + 1}"
    if cell.node == asked.node:
        return f"That is head {cell.index[0] + 1}. Click a number in {name}{head}."
    if clicked.symbol == meant.symbol:
        return f"That is another {name}. Click a number in {name}{head} of this step."
    return f"That number is in <b>{formula_html(clicked.symbol)}</b>. Click a number in {name}{head}."


class MakeBody(Body):
    """Takes changes of numbers in the model, until a goal is reached."""

    def __init__(self, bench: Workbench, guide: Guide, question: MakeSo) -> None:
        super().__init__(bench, guide, question)
        self._say = SteadyLabel(role="small")
        self.column.addWidget(self._say)
        self._curve: list[QWidget] = []
        """The loss of the run, beside the question, so that it is seen to fall. A goal for the loss is a line."""
        if guide.step is not None and guide.step.look.element == "steps":
            from explorer.ui.training.loss_curve import RunCurve

            goals = [one.number for one in question.conditions if one.node == LOSS and one.sign in ("<", "<=")]
            self._curve.append(QWidget())
            column_in(self._curve[0], RunCurve(bench, goal=min(goals, default=None)))
            self._curve[0].setFixedHeight(bench.appearance.px(CURVE))
            self.column.addWidget(self._curve[0])
        self.refresh()

    @property
    def parts(self) -> list[QWidget]:
        return [self._say, *self._curve]

    def height_at(self, width: int) -> int:
        curves = [curve.maximumHeight() + self.column.spacing() for curve in self._curve]  # its hint is not its height
        return self._say.height_at(width) + sum(curves)

    def refresh(self) -> None:
        if self.guide.question is self.question:
            self.guide.look_whether_made()
        graph = self.guide.walk.engine(self.guide.walk.at).graph
        symbols = dict.fromkeys(graph.nodes[graph.place(name).node].symbol for name in self.question.allowed)
        allowed = " or ".join(f"<b>{formula_html(one)}</b>" for one in symbols) or "any teal number"
        most, few = self.question.edits, {1: "One number", 2: "Two numbers"}
        free = "" if self.question.allowed else " By hand, or by learning."
        most = f" {few.get(most, f'{most} numbers')} may be changed." if most else free
        self._say.setText(f"Change {allowed} on the page.{most}")


BODIES: dict[type, type[Body]] = {Predict: PredictBody, Choose: ChooseBody, Point: PointBody, MakeSo: MakeBody}
