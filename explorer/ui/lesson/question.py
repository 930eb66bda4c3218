"""The page of a step with its question: each number, choice and place that is given is judged by the guide.

Over the page of the stage, the derivations of a mistake and of the right number can stand side by side.
"""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.core.numbers import read_answer
from explorer.lessons.answers import Answer, Verdict
from explorer.lessons.schema import Point, Predict
from explorer.pages.element import Element
from explorer.pages.gestures import Ask, ForQuestion
from explorer.pages.right_column import both_beside
from explorer.pages.steps.question import (
    ADDED,
    OURS,
    Asking,
    elsewhere,
    gaps_of,
    number_in,
    question_page,
    side,
    theirs,
    was_there,
)
from explorer.ui.errors import show_error
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.letters import least_letters
from explorer.ui.page.answers import BlankView, OptionView
from explorer.ui.page.note import DerivationView, PassageView
from explorer.ui.page.surface import Surface
from explorer.ui.selection import Coming
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import PushButton, tab_through
from explorer.ui.workbench import Workbench

BETWEEN = 5
"""Pixels at text scale 1 between two elements."""


class StepPage(Surface):
    """The question of the present step, below what else stands on its page.

    `gaps`: where a derivation with gaps stands, if that is another place than the question.
    """

    passed = Signal()  # Enter was pressed after the answer was given

    def __init__(
        self, bench: Workbench, guide: Guide, gaps: Surface | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, bench.appearance.px(BETWEEN), parent)
        self._guide, self._apart = guide, gaps
        self._asking: Asking | None = None
        self._above: tuple[Element, ...] = ()
        self.behind: QWidget | None = None
        """The widget from which Tab leads to the first control of the question."""
        selection = bench.selection
        selection.asked.connect(self._do)
        selection.token_chosen.connect(self._token)
        selection.head_changed.connect(self._head)
        selection.chosen.connect(self._cell)

    # Showing

    def show_step(self, *above: Element, asks: bool = True) -> None:
        """Show other elements and below them the question of the present step, if it has one and `asks`."""
        guide, step, self._above, self._asking = self._guide, self._guide.step, above, None
        if asks and step is not None and step.question is not None:
            self._asking = Asking(guide.walk, guide.attempt, guide.numbers, least_letters(self.bench.appearance))
            if self._asking.question.made:
                guide.look_whether_made()
        focus = QApplication.focusWidget()
        self.follow()
        if self.behind is not None:
            tab_through(self.behind, *self.widgets.values())
            if isinstance(focus, OptionView) and focus in self.widgets.values():
                self.behind.setFocus(Qt.FocusReason.OtherFocusReason)  # it is an answer to another question now

    def say_first(self, element: Element) -> None:
        """Show another first element; the rest stays as it is."""
        self._above = element, *self._above[1:]
        self.tell((element, *self.elements[1:]))

    def refresh(self) -> None:
        """Follow a change of the document, unless it belongs to another step, whose question is shown next."""
        asking, guide = self._asking, self._guide
        if asking is None or guide.step is None or self._is_left:
            return
        if asking.question.made:
            guide.look_whether_made()
        if asking.edited != (edited := self._is_edited(asking)):
            asking.edited = edited
            self._show()

    def follow(self) -> None:
        """Show the outcome of the last answer, or another hint."""
        if self._is_left:
            return
        asking, guide, lock = self._asking, self._guide, self.widgets.get("lock")
        again = asking is not None and asking.attempt.verdict is not None and guide.question is not None
        if asking is not None:
            asking.done, asking.reached, asking.edited = guide.question is None, None, self._is_edited(asking)
            self._leave_wrong_option(asking)
        if again and lock is not None and lock.hasFocus():
            self.fields[-1].setFocus(Qt.FocusReason.OtherFocusReason)
        self._show()
        if again and self.fields:
            self.fields[-1].selectAll()  # so that typing replaces it

    def _leave_wrong_option(self, asking: Asking) -> None:
        """Give the focus from a wrong option to the next one that is left: from the last, Qt would go to the stages."""
        options = {id: one for id, one in self.widgets.items() if isinstance(one, OptionView)}
        wrong = {f"choice {i}" for i in asking.attempt.tried}
        at = next((k for k, (id, one) in enumerate(options.items()) if one.hasFocus() and id in wrong), None)
        if at is not None and not asking.done:
            left = [one for id, one in (*options.items(), *options.items())[at:] if id not in wrong]
            left[0].setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def _is_left(self) -> bool:
        """Whether one is already at another step or in another lesson, which is shown next.

        An edit on the way there may be judged, and keys may still come to this page.
        """
        asking, walk = self._asking, self._guide.walk
        return asking is not None and (asking.walk.lesson is not walk.lesson or asking.step is not walk.step)

    def _show(self) -> None:
        asking = self._asking
        if self._is_left:
            return
        self.tell((*self._above, *(() if asking is None else question_page(asking))))
        if self._apart is not None:
            gaps = () if asking is None else gaps_of(asking)
            self._apart.tell(gaps)
            self._apart.setVisible(bool(gaps))
            self.setVisible(asking is not None)

    def _is_edited(self, asking: Asking) -> bool:
        """Whether a student has changed the model, and so sees other numbers than those that an answer is judged by."""
        question, guide = asking.question, self._guide
        if not (isinstance(question, Predict | Point) and question.node and guide.changed) or asking.letters:
            return False
        now, began = self.bench.document.engine, guide.walk.engine(guide.walk.at)
        place, was = now.graph.find(question.node), began.value(began.graph.place(question.node))
        return place is None or not np.array_equal(now.value(place), was, equal_nan=True)

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        high, asking = super().height_at(width), self._asking
        if asking is not None and asking.letters and asking.question.made and asking.attempt.verdict is None:
            high += self.px(BETWEEN) + QFontMetrics(self.bench.appearance.fonts.ui).height()  # else each edit moved it
        return high

    def outcome(self) -> list[QWidget]:
        """What the last answer or hint has brought, the most important widget first."""
        order = "verdict", "why", "hint", "derivation"
        found = (one for begins in order for id, one in self.widgets.items() if id.split()[0] == begins)
        return [one for one in found if not one.isHidden()]

    def said(self) -> list[str]:
        """What a screen reader is told of the answers and hints so far: the outcome, the reason, the hints."""
        labels = (one.label if isinstance(one, PassageView) else one for one in self.outcome())
        return [one.accessibleDescription() or one.accessibleName() for one in labels]

    # Answering

    @property
    def fields(self) -> list[BlankView]:
        """The fields for numbers, that of the asked number last."""
        return [one for one in self._there if isinstance(one, BlankView)]

    @property
    def _there(self) -> list[QWidget]:
        return [*(() if self._apart is None else self._apart.widgets.values()), *self.widgets.values()]

    def be_typed_in(self) -> bool:
        """Give the focus to the first field that is to be filled in; returns whether there is one.

        If a number is typed in each, it may be locked in, or replaced by typing another one.
        """
        fields = self.fields
        if not fields or self._guide.question is None:
            return False
        if not self._goes_to_gap():
            fields[-1].setFocus(Qt.FocusReason.OtherFocusReason)
            fields[-1].selectAll()
        return True

    def _goes_to_gap(self) -> bool:
        """Give the focus to the first field without a number; returns whether there is one."""
        field = next((one for one in self.fields if number_in(one.text()) is None), None)
        if field is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)
        return field is not None

    def _do(self, gesture: Ask, at: QWidget) -> None:
        asking, guide = self._asking, self._guide
        if asking is None or not isinstance(gesture, ForQuestion) or at not in self._there:
            return  # it was asked for elsewhere, or by a part that is shown no more
        match gesture.act:
            case "type":
                asking.attempt.typed[gesture.place] = gesture.value
                self._show()
            case "enter" if guide.question is None:
                self.passed.emit()
            case "enter" | "lock" if not self._refuses() and not self._goes_to_gap():
                self._give(read_answer(asking.typed[-1]))
            case "give":
                self._give(gesture.value)
            case "hint":
                guide.hint()
            case "both":
                guide.both_wanted.emit()
            case "ask again":
                guide.ask_again()
                self.be_typed_in()

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

    def _give(self, answer: Answer) -> None:
        """Answer the question, if it is still that of the present step: a key may come before the next one is shown."""
        if self._asking is not None and self._guide.question is self._asking.question:
            self._guide.answer(answer)

    # Pointing at a place

    def _pointing(self, at: str) -> Asking | None:
        """The question, if a word, a cell or a head is still to be pointed at.

        What the program chooses is no answer: what a step looks at, or what a document was saved with.
        """
        asking = self._asking
        if asking is None or self._guide.question is not asking.question or self.bench.selection.chooses_several:
            return None
        return asking if isinstance(asking.question, Point) and asking.question.at == at else None

    def _token(self, by: Coming) -> None:
        token, asking = self.bench.selection.chosen_token, self._pointing("token")
        if token is not None and asking is not None and token[0] == asking.question.axis:
            self._take_place(asking, (token[1],), by)

    def _head(self, head: int | None) -> None:
        asking = self._pointing("head")
        if head is not None and asking is not None:
            self._take_place(asking, (head,), "click")

    def _cell(self, cell: Cell, by: Coming) -> None:
        asking = self._pointing("cell")
        if asking is None:  # the walk may already be another one, perhaps with another model
            return
        began = asking.walk.engine(asking.walk.at).graph
        place = began.place(asking.question.node)
        if cell.node == place.node and cell.index[: len(place.index)] == place.index:
            self._take_place(asking, cell.index[len(place.index) :], by)
        elif by == "click":
            now = self.bench.document.engine.graph  # a switch may have added the clicked node in this step
            asking.missed = elsewhere(now.nodes[cell.node], cell, began.nodes[place.node], place)
            self._show()

    def _take_place(self, asking: Asking, place: tuple[int, ...], by: Coming) -> None:
        """Take a place that was clicked as the answer; offer one that keys have reached."""
        there = was_there(asking, place)
        asking.missed = "" if there else ADDED
        asking.reached = place if there and by != "click" else None
        self._show()
        if there and by == "click":
            self._give(place)


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
        self.sides = Surface(bench, 0, content), Surface(bench, 0, content)
        self._scrolls = QScrollArea(self)
        self._scrolls.setFrameShape(QFrame.Shape.NoFrame)
        self._scrolls.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scrolls.setWidget(content)
        self.close_button.setParent(self)
        self._placed = later(self, self.place)
        for watched in (over, panel):
            watched.installEventFilter(self)
        guide.answered.connect(self._follow)
        guide.stepped.connect(self._follow)
        guide.both_wanted.connect(self.open)
        bench.appearance.changed.connect(self._restyle)
        self.hide()
        self._follow()

    def open(self) -> None:
        """Show how the wrong number and the right one come about, if both are known and the question is closed."""
        attempt = self._guide.attempt
        if attempt.compared is None or attempt.verdict is None:
            self.hide()
            return
        typed, wrong = attempt.compared
        self.sides[0].tell(side("side", theirs(typed), wrong))
        self.sides[1].tell(side("side", OURS, attempt.verdict.derivation))
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

    def _restyle(self) -> None:
        for one in self.sides:
            for widget in one.widgets.values():
                if isinstance(widget, DerivationView):
                    widget.restyle()
        self._placed.start()

    def place(self) -> None:
        """Take the place at the left of the panel."""
        if self.isHidden():
            return
        if not self._panel.isVisible():
            self.hide()
            return
        named = self._named(self._over)
        places = both_beside(
            self._panel.mapTo(self._over, QPoint()).toTuple(),
            self._over.height(),
            (named.x(), named.y(), named.width(), named.height()),
            self.close_button.sizeHint().toTuple(),
            self._scrolls.verticalScrollBar().sizeHint().width(),
            lambda width: max(one.height_at(width) for one in self.sides),
            self._bench.appearance.px,
        )
        self.setGeometry(*places.card)
        self.close_button.setGeometry(*places.close)
        self._scrolls.setGeometry(*places.scrolls)
        for one, (x, y, width, height) in zip(self.sides, places.sides, strict=True):
            one.setGeometry(x, y, width, height)
            self._content.resize(x + width, height)
