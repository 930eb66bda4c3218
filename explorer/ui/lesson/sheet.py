"""A step by itself, as presenter mode and hand-outs show it: words, what it names, how the number comes about."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from explorer.core.explain import operands
from explorer.lessons.steps import MakeSo, Point, Predict, Step
from explorer.pages.covering import asked_cell
from explorer.pages.inspected import inspected
from explorer.pages.of_step import elements_of, first_cell, right_cells
from explorer.pages.view import Cell, Covered, View
from explorer.ui.inspector.derivation_view import DerivationView
from explorer.ui.lesson.enlarged import least_letters
from explorer.ui.lesson.lines import FULL, LEAST, LIKED, Lines, least_width_of, rows_of, width_of
from explorer.ui.lesson.room import Needs, column_height, height_at, shared
from explorer.ui.lesson.spot import spot_box, spot_rect
from explorer.ui.lesson.words import Words
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.page.elements import Drawn
from explorer.ui.page.listing import ListingView
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.layouts import column_in, scroll_area
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench
from explorer.words.vectors import Vectors

TURNS = 6
"""Turns of the event loop in which all that stands on a new sheet gets its size."""
ACROSS, DOWN, GAP = 10, 6, 8
"""Pixels at text scale 1 between matrices beside each other, between lines of them, and between the parts."""
AIRY = 22
"""Pixels at text scale 1 that a row of numbers is high where there is room for all of them."""
SLACK = 8
"""Pixels of air at the end of a part, that need not be in sight."""
LEAST_PICTURE = 0.4
"""Of the height: a picture at least."""
SPARED = 10.5
"""What it may cost to show a way to a number that need not be shown: less than a row of numbers."""


class StepSheet(QFrame):
    """A step in large. It follows the document: an edit is made in it as on the page.

    Parameters
    ----------
    bench : Workbench
        In the look of the sheet.
    open_ : bool
        Whether numbers are shown that a question still covers, as a lecturer sees them.
    vectors : Vectors, optional
        Those of the Words tab, for steps that look there.
    """

    def __init__(self, bench: Workbench, open_: bool = False, vectors: Vectors | None = None) -> None:
        super().__init__()
        self.setObjectName("page")
        self.bench = bench
        self.step: Step | None = None
        self.vectors = vectors
        self._open = open_
        self._alone = self._leads = self._unasked = self._all_terms = False
        self._turns = 0
        self._lesson = self._time = ""
        self._numbers: Mapping[str, str] = {}
        px = bench.appearance.px
        self._place = ""
        self._number = mark(QLabel(), role="small")
        self._title = mark(QLabel(), role="title")
        self._title.setWordWrap(True)
        self._words = Words(role="sheet")
        self._words.index = least_letters(bench.appearance)
        self.question: QWidget | None = None
        self._is_open: Callable[[], bool] = bool
        self._gaps: QWidget | None = None
        self.elements = Elements(bench, px(8))
        self.elements.down = DOWN
        self._name = SteadyLabel(role="small")
        self._formula = Formula(em=1.1)
        self._derivation = DerivationView(bench)
        self._derivation.columns = 2
        self._derivation.more_wanted.connect(lambda: self.write_all(True))
        shown, said, way = QWidget(), QWidget(), QWidget()
        column = column_in(shown, self.elements)
        column.addStretch(1)
        self._led = led = QVBoxLayout(way)
        led.setContentsMargins(0, 0, 0, 0)
        led.setSpacing(px(5))
        for part in (self._name, self._formula, self._derivation):
            led.addWidget(part)
        led.addStretch(1)
        left = QVBoxLayout(said)
        left.setContentsMargins(0, 0, px(4), 0)
        left.setSpacing(px(8))
        left.addWidget(self._words)
        self._below_words = QVBoxLayout()
        left.addLayout(self._below_words)
        left.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(px(14), px(6), px(14), px(5))
        whole.setSpacing(px(4))
        top = QHBoxLayout()
        whole.addLayout(top)
        top.addWidget(self._title, 1)
        top.addWidget(self._number, 0, Qt.AlignmentFlag.AlignTop)
        self._middle = QWidget()
        """Holds the three parts, each of which has a place of its own in it."""
        whole.addWidget(self._middle, 1)
        self._said, self._shown, self._way = (_scrolled(part, self._middle) for part in (said, shown, way))
        self._settled = later(self, self.share_room)
        for content in (shown, said, way):
            content.installEventFilter(self)
        bench.bridge.changed.connect(self.refresh)
        bench.selection.looked.connect(self.refresh)
        bench.selection.pointed.connect(self._derive)
        bench.selection.chosen.connect(self._derive)

    def ask(self, question: QWidget, is_open: Callable[[], bool]) -> None:
        """Let a question stand below the words.

        `is_open`: whether it is still to be answered.
        """
        self.question, self._is_open = question, is_open
        self._below_words.addWidget(question)

    def fill_in(self, gaps: QWidget | None) -> None:
        """Let a derivation with gaps stand where it is shown how a number comes about, or none."""
        if gaps is self._gaps:
            return
        if self._gaps is not None:
            self._led.removeWidget(self._gaps)
            self._gaps.hide()
            self._gaps.deleteLater()
        self._gaps = gaps
        if gaps is not None:
            self._led.insertWidget(0, gaps)
            gaps.show()
        self._derive()

    # What it shows

    def tell(self, step: Step, number: int, of: int, lesson: str, numbers: Mapping[str, str]) -> None:
        """Show a step: the one of that number, counted from 0, of so many."""
        self.step, self._numbers = step, numbers
        self._turns, self._leads = TURNS, False
        self._alone, self._all_terms = self._alone and not self._all_terms, False
        self.elements.setMinimumHeight(0)  # which a picture that filled the sheet before has left
        self._lesson, self._place = lesson, f"{number + 1} / {of}"  # said when the room is shared
        self._title.setText(escape(step.title, quote=False))
        self._words.say(step.words, numbers)
        self.refresh()
        for area in (self._said, self._shown, self._way):
            area.verticalScrollBar().setValue(0)

    def say_time(self, time: str) -> None:
        """Show a clock beside the number of the step."""
        if time != self._time:
            self._time = time
            self._say_where()

    def write_all(self, all_: bool) -> None:
        """Give the room of the words to a sum or list that was too long for its place; or share the room again."""
        self._all_terms = all_
        self.refresh()
        self.stand_alone(all_)

    @property
    def all_terms(self) -> bool:
        """Whether all terms of a sum are written out, however long it is."""
        return self._all_terms

    def stand_alone(self, alone: bool) -> None:
        """Give all the room to what the step names, or share it with the words again."""
        self._alone = alone
        self.share_room()

    @property
    def alone(self) -> bool:
        """Whether the words stand back."""
        return self._alone

    def refresh(self, *_: object) -> None:
        """Show the numbers of now."""
        if self.step is None:
            return
        view = self._view()
        elements = elements_of(view, self.step, self.vectors, self._all_terms)
        self.elements.tell(elements)
        self._shown.setVisible(bool(elements))
        self._derive()
        self._settled.start()

    def _view(self) -> View:
        view = self.bench.view
        looking = replace(view.looking, large=least_letters(self.bench.appearance) > 0)
        return replace(view, looking=replace(looking, covered=Covered()) if self._open else looking)

    def _derive(self, *_: object) -> None:
        """Show how the number comes about that is pointed at, or the first one that the step names.

        A number that is given comes from nowhere: who changes one sees what it does to the one that the step names.
        """
        if self.step is None:
            return
        view, selection = self._view(), self.bench.selection
        cell, about = selection.cell, None
        if (not self._leads and cell != selection.kept) or self._is_to_be_pointed_at:
            cell = None  # a table that makes room under the mouse would be gone before the click
        for one in (cell, None if self._asks else first_cell(view, self.step)):
            if one is None or one.node not in view.nodes or view.looking.hides(one):
                continue
            cell, about = one, inspected(view, one, {})
            if about is not None and about.parts:
                break
        parts = about.parts if about is not None else ()
        filled_in = self._gaps is not None and not self._gaps.isHidden()
        self._leads = bool(parts) or filled_in
        self._unasked = not filled_in and self._nobody_asks_for(cell)
        for part in (self._name, self._formula, self._derivation):
            part.setVisible(bool(parts) and not filled_in)
        self._settled.start()
        if about is None or not parts:
            return
        self._name.setText(f"<b>{escape(about.name)}</b> [{escape(about.where)}]")
        if about.formula and about.formula != self._formula.latex():
            self._formula.set_latex(about.formula)
        # A matrix has it as its heading.
        headed = any(box.matrix.place.node == cell.node for box in self._boxes) if cell is not None else False
        self._formula.setVisible(bool(about.formula) and not headed and not filled_in)
        self._derivation.show_rows([row for _, rows in parts for row in rows])

    @property
    def _is_to_be_pointed_at(self) -> bool:
        """Whether somebody is just looking for the right cell."""
        return self._asks and self.step is not None and isinstance(self.step.question, Point)

    def _nobody_asks_for(self, cell: Cell | None) -> bool:
        """Whether the way to a number need not be shown: somebody pointed at it because that was the right answer."""
        return self.step is not None and cell in right_cells(self.bench.view, self.step.question)

    # Room

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._settled.start()
        return bool(super().eventFilter(watched, event))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_room()

    def arrange(self) -> None:
        """Share the room at once, and again until all that is new has its size.

        In the room of the step before, a question would be squeezed until the next turn.
        """
        self._turns = TURNS
        self.ensurePolished()
        self.share_room()

    def share_room(self) -> None:
        """Give words, numbers and the way to a number such places that as little as can be has to be scrolled to."""
        if self.step is None:
            return
        if self._turns:  # labels know their heights only when they have their widths and fonts, one inside the other
            self._turns -= 1
            self._settled.start()
        px = self.bench.appearance.px
        self._say_where()
        for picture in self._filling:
            picture.least = 0  # a class cannot scroll: all of it is seen, however small
        width, height, gap = self._middle.width(), self._middle.height(), px(GAP)
        shows, leads = not self._shown.isHidden(), self._leads
        needs = self._needs()
        places = shared(width, height, gap, needs, not self._alone, shows, leads)
        if leads and self._unasked:
            without = shared(width, height, gap, needs, not self._alone, shows, False)
            if places.cost > without.cost + SPARED:  # what surrounds the right answer is worth more
                leads, places = False, without
        self._way.setVisible(leads)
        numbers, way = places.numbers, places.way
        self._said.setVisible(not self._alone)
        self._said.setGeometry(places.words)
        self._derivation.write_at_most(places.terms)
        if shows:
            self._shown.setGeometry(numbers)
            lines = self._lines(numbers.width())
            alone = len(self._boxes) == len(self.elements.widgets)
            lines.share(numbers.height() if alone else min(numbers.height(), lines.height(FULL)))
            # Only a picture takes its height from its place; as on a low page, matrices would be folded.
            self.elements.share_room(numbers.width(), numbers.height() if self._filling else None)
            lines.say_all()
            needed = _height_of(self._shown) + px(2)
            if leads and way.x() == numbers.x() and way.y() > numbers.y():  # below it, without a gap or an overlap
                bottom = way.y() + way.height()
                numbers.setHeight(max(min(needed, bottom - gap), 0))
                way.setTop(numbers.y() + numbers.height() + gap)
                way.setHeight(max(bottom - way.y(), 0))
                self._shown.setGeometry(numbers)
        if leads:
            self._way.setGeometry(way)
        _scroll_where_needed(self._said, needs.words(places.words.width()))
        _scroll_where_needed(self._shown, _height_of(self._shown))
        _scroll_where_needed(self._way, needs.way(way.width(), places.terms))
        box, shown = spot_box(self.elements), self._shown.widget()
        if box is not None and shown is not None:
            rect = spot_rect(box)
            at = box.mapTo(shown, rect.center())
            self._shown.ensureVisible(at.x(), at.y(), rect.width() // 2 + px(8), rect.height() // 2 + px(8))
        self._show_what_is_meant()

    def _show_what_is_meant(self) -> None:
        """Of a matrix that is not whole, bring what is pointed at, asked for or spoken of into sight."""
        question = self.step.question if self.step is not None else None
        asked, graph = None, self.bench.view.graph
        if isinstance(question, Predict):
            asked = asked_cell(graph, question)
        elif isinstance(question, MakeSo) and (place := graph.find(question.conditions[0].node)) is not None:
            goal = question.conditions[0]
            cell = (*goal.cell, int(goal.number)) if goal.sign == "argmax" else goal.cell
            asked = Cell(place.node, place.index + cell)
        elif self.step is not None:
            asked = first_cell(self.bench.view, self.step)
        read = self._read_by(asked)
        meant: dict[str, int] = {}
        """The row and column of what is asked for, or else spoken of, in matrices that share an axis with its own."""
        for box in self._boxes:
            spot = box.matrix.spot or ((), ())
            meant |= {axis: named[0] for axis, named in zip(box.matrix.axes, spot, strict=True) if named}
        for box in self._boxes:
            if asked is not None and asked.node == box.matrix.place.node:
                meant |= dict(zip(box.matrix.axes, box.matrix.at(asked.index), strict=True))
        for box in self._boxes:
            matrix, table = box.matrix, box.view
            reads, _ = table.lit_cells(range(len(matrix.rows)), range(len(matrix.columns)))
            at = table.pointed_cell() or next(iter(reads), None)
            if at is None and asked is not None and asked.node == matrix.place.node:
                at = matrix.at(asked.index)
            if at is None and matrix.place.node in read:
                at = matrix.at(read[matrix.place.node])
            if at is None and (isinstance(question, Predict) or matrix.spot is None):
                spot = matrix.spot or ((), ())
                row, column = (
                    meant[axis] if axis in meant else next(iter(named), 0)
                    for axis, named in zip(matrix.axes, spot, strict=True)
                )
                at = row, column
            if at is not None:
                table.scrollTo(table.table.index(*at))

    def _read_by(self, cell: Cell | None) -> dict[str, tuple[int, ...]]:
        """Of each node that a number is computed from, the first cell that is read."""
        derived = None if cell is None else self.bench.view.engine.explain(cell.node, cell.index)
        cells: dict[str, tuple[int, ...]] = {}
        for operand in operands(derived) if derived is not None else ():
            cells.setdefault(operand.node, tuple(i if isinstance(i, int) else i.start or 0 for i in operand.index))
        return cells

    def _say_where(self) -> None:
        """Say beside the title which step of which lesson it is; where there is no room, only which step."""
        title, number = QFontMetrics(self._title.font()), QFontMetrics(self._number.font())
        place = " · ".join(filter(None, (self._place, self._time)))
        whole = f"{self._lesson} · {place}"
        needed = title.horizontalAdvance(self._title.text()) + number.horizontalAdvance(whole)
        fits = needed < self._middle.width() - self.bench.appearance.px(GAP)
        self._number.setText(escape(whole if fits else place, quote=False))

    def _needs(self) -> Needs:
        """What the parts need in the widths that they may get."""
        boxes, px = self._boxes, self.bench.appearance.px
        asked = [] if self.question is None else [self.question]
        way: list[QWidget] = [self._name, self._formula, *([] if self._gaps is None else [self._gaps])]
        lists = [one for one in self.elements.widgets.values() if isinstance(one, ListingView)]
        filling, slack = self._filling, px(2)
        other = 0 if filling else self.elements.minimumSizeHint().width()  # a picture is as large as its place

        def words(width: int) -> int:
            return column_height([self._words, *asked], width - px(4), px(8)) + slack

        def below() -> int:
            """Matrices below a picture."""
            return sum(box.whole_size(rows_of(box, LEAST), False).height() + px(DOWN) for box in boxes)

        def numbers(width: int) -> tuple[int, int, int, int]:
            if filling:
                needed = below() + round(LEAST_PICTURE * self._middle.height())
                return needed, needed, needed, needed
            if not boxes or len(boxes) < len(self.elements.widgets):
                needed = height_at(self.elements, width)
                return needed + slack, needed + slack, needed, needed
            lines = self._lines(width)
            heights = lines.airy, *(lines.height(much) for much in (FULL, LIKED, LEAST))
            most, full, liked, least = (height + slack for height in heights)
            return most, full, liked, least

        def led(width: int, terms: int) -> int:
            derived = 0 if self._derivation.isHidden() else px(5) + self._derivation.height_with(width, terms)
            return column_height(way, width, px(5)) + derived + slack

        said = self._said.widget()
        return Needs(
            words,
            0 if said is None else said.minimumSizeHint().width(),
            numbers,
            max([*map(width_of, boxes), *(one.whole_width for one in lists)], default=other),
            max([*map(least_width_of, boxes), *(one.shares_line for one in lists)], default=other),
            led,
            0 if self._derivation.isHidden() or self._all_terms else self._derivation.longest,
            lambda width, height: min((one.scale_in(width, max(height - below(), 1)) for one in filling), default=0.0),
        )

    def _lines(self, width: int) -> Lines:
        px = self.bench.appearance.px
        return Lines(self._boxes, width, px(ACROSS), px(DOWN), px(AIRY))

    @property
    def _boxes(self) -> list[MatrixBox]:
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, MatrixBox)]

    @property
    def _filling(self) -> list[Drawn]:
        """The pictures that take all of their place."""
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, Drawn) and widget.fills]

    @property
    def _asks(self) -> bool:
        """Whether something is asked that is answered before it is shown how a number comes about."""
        return self.step is not None and not isinstance(self.step.question, MakeSo) and self._is_open()


def _height_of(area: QScrollArea) -> int:
    """Pixels that what scrolls in an area needs at its width."""
    content = area.widget()
    layout = None if content is None else content.layout()
    if layout is None:
        return 0
    return layout.heightForWidth(area.width()) if layout.hasHeightForWidth() else layout.minimumSize().height()


def _scroll_where_needed(area: QScrollArea, needed: int) -> None:
    """Let what needs more room than there is scroll. A bar that need not be there would narrow the room, and stay."""
    content, fits = area.widget(), needed <= area.height() + SLACK
    policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
    if area.verticalScrollBarPolicy() != policy:
        area.setVerticalScrollBarPolicy(policy)
    if content is not None:
        content.setMinimumHeight(0 if fits else needed)


def _scrolled(content: QWidget, parent: QWidget) -> QScrollArea:
    area = scroll_area(parent)
    area.setWidget(content)
    return area
