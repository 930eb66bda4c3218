"""A step by itself, as presenter mode and hand-outs show it: words, what it names, how the number comes about."""

from collections.abc import Mapping
from dataclasses import replace
from html import escape

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from explorer.lessons.steps import Predict, Step
from explorer.pages import compose
from explorer.pages.element import Element, leaves
from explorer.pages.excerpt import excerpt, matrix_of
from explorer.pages.header import WHOLE
from explorer.pages.inspected import inspected
from explorer.pages.matrix import Matrix
from explorer.pages.page import Item, Page, Row
from explorer.pages.view import Cell, View
from explorer.pages.words import named
from explorer.ui.inspector.derivation_view import DerivationView
from explorer.ui.later import later
from explorer.ui.lesson.enlarged import least_letters
from explorer.ui.lesson.spot import spot_box, spot_rect
from explorer.ui.lesson.words import Words
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.page.elements import Drawn
from explorer.ui.theme import mark
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench
from explorer.words.vectors import Vectors

WORDS = 0.39
"""Of the width: the words, where what the step names has room beside them."""
TURNS = 12
"""Turns of the event loop in which all that stands on a new sheet gets its size."""
NARROW = 0.47
"""Of the width: what the step names has at least, where its words need more room."""
ACROSS, DOWN = 10, 12
"""Pixels at text scale 1 between matrices beside each other, and between lines of them."""
FEW = 28
"""Numbers of what a question is computed from that are shown with it at most."""
MATRICES = 0.35, 0.62
"""Of the height: matrices at least and at most, where the way to a number stands below them."""
ELSEWHERE = {"model": WHOLE, "train": "model.descent"}
"""Pages for the places that are no stages of the graph."""
LOW = 0.42
"""Of the height: the words at most, where they stand above what the step names."""


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
        self._alone = self._broad = False
        self._turns = 0
        self._numbers: Mapping[str, str] = {}
        px = bench.appearance.px
        self._where = QLabel()
        mark(self._where, role="small")
        self._number = QLabel()
        mark(self._number, role="small")
        self._title = QLabel()
        mark(self._title, role="title")
        self._title.setWordWrap(True)
        self._words = Words(role="sheet")
        self._words.index = least_letters(bench.appearance)
        self.below_words = QVBoxLayout()
        """Where a question stands."""
        self.elements = Elements(bench, px(8))
        self._name = SteadyLabel(role="small")
        self._formula = Formula(em=1.1)
        self._derivation = DerivationView(bench)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(5))
        for part in (self.elements, self._name, self._formula, self._derivation):
            column.addWidget(part)
        column.addStretch(1)
        self._shown = _scrolled(shown)
        said = QWidget()
        left = QVBoxLayout(said)
        left.setContentsMargins(0, 0, px(4), 0)
        left.setSpacing(px(8))
        left.addWidget(self._words)
        left.addLayout(self.below_words)
        left.addStretch(1)
        self._said = _scrolled(said)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(px(20), px(8), px(20), px(8))
        whole.setSpacing(px(5))
        top = QHBoxLayout()
        whole.addLayout(top)
        top.addWidget(self._where)
        top.addStretch()
        top.addWidget(self._number)
        whole.addWidget(self._title)
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        whole.addLayout(self._middle, 1)
        self._middle.setSpacing(px(16))
        self._middle.addWidget(self._said)
        self._middle.addWidget(self._shown, 1)
        self._settled = later(self, self.share_room)
        for content in (shown, said):
            content.installEventFilter(self)
        bench.bridge.changed.connect(self.refresh)
        bench.selection.looked.connect(self.refresh)
        bench.selection.pointed.connect(self._derive)

    # What it shows

    def tell(self, step: Step, number: int, of: int, lesson: str, numbers: Mapping[str, str]) -> None:
        """Show a step: the one of that number, counted from 0, of so many."""
        self.step, self._numbers, self._broad = step, numbers, False
        self._turns = TURNS
        self.elements.setMinimumHeight(0)  # which a picture that filled the sheet before has left
        self._where.setText(escape(lesson))
        self._number.setText(f"{number + 1} / {of}")
        self._title.setText(escape(step.title))
        self._words.say(step.words, numbers)
        self.refresh()
        self._said.verticalScrollBar().setValue(0)
        self._shown.verticalScrollBar().setValue(0)

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
        elements = elements_of(view, self.step, self.vectors)
        self.elements.tell(elements)
        if elements and self._shown.isHidden():
            _free(self._said, width=True)  # all the width was its own, and the window would grow
        self._shown.setVisible(bool(elements))
        self._derive()
        self._settled.start()

    def _view(self) -> View:
        view = self.bench.view
        looking = replace(view.looking, large=least_letters(self.bench.appearance) > 0)
        return replace(view, looking=replace(looking, covered={}) if self._open else looking)

    def _derive(self, *_: object) -> None:
        """Show how the number comes about that is pointed at, or the first one that the step names."""
        if self.step is None:
            return
        view = self._view()
        cell = self.bench.selection.cell or first_cell(view, self.step)
        known = cell is not None and cell.node in view.nodes
        hidden = known and cell is not None and cell.index in view.looking.covered.get(cell.node, ())
        about = inspected(view, cell, {}) if cell is not None and known and not hidden else None
        parts = about.parts if about is not None else ()
        for part in (self._name, self._formula, self._derivation):
            part.setVisible(bool(parts))
        if about is None or not parts:
            return
        self._name.setText(f"<b>{escape(about.name)}</b> [{escape(about.where)}]")
        if about.formula and about.formula != self._formula.latex():
            self._formula.set_latex(about.formula)
        # A matrix has it as its heading.
        headed = any(box.matrix.place.node == cell.node for box in self._boxes) if cell is not None else False
        self._formula.setVisible(bool(about.formula) and not headed)
        self._derivation.show_rows([row for _, rows in parts for row in rows])

    # Room

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._settled.start()
        return bool(super().eventFilter(watched, event))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_room()

    def share_room(self) -> None:
        """Let words and numbers stand beside each other, or above each other where the numbers need the width."""
        if self.step is None:
            return
        if self._turns:  # labels know their heights only when they have their widths and fonts, one inside the other
            self._turns -= 1
            self._settled.start()
        px = self.bench.appearance.px
        width, height = self._middle.geometry().width(), self._middle.geometry().height()
        beside = round(width * (1 - WORDS)) - px(16)
        for picture in self._filling:
            picture.least = 0  # a class cannot scroll: all of it is seen, however small
        bar = self._shown.verticalScrollBar().sizeHint().width()
        shows = not self._shown.isHidden()
        self._share_height(height)
        self.elements.share_room(beside - bar, height if self._filling else round(height * 0.9))
        needed = self.elements.minimumSizeHint().width()
        widest = max((box.view.width_of_all for box in self._boxes), default=needed)
        above = shows and self.step.question is None and (widest > beside or self._larger_below(width, beside, height))
        self._broad = self._broad or (_height_of(self._said) > height and not above)
        if self._broad:  # words and a question that would not be in sight whole
            beside = max(min(beside, needed + bar), round(width * NARROW))
        self._said.setVisible(not self._alone)
        direction = QBoxLayout.Direction.TopToBottom if above else QBoxLayout.Direction.LeftToRight
        if self._middle.direction() != direction:
            self._middle.setDirection(direction)
        content = self._said.widget()
        assert content is not None
        if above:
            wanted = content.sizeHint().height()
            self._said.setFixedHeight(min(wanted, round(height * LOW)))
            _free(self._said, width=True)
        else:
            _free(self._said, height=True)
            self._said.setFixedWidth(max(width - beside - px(16), 0) if shows else width)
        if above or self._alone:
            room = height if self._alone else height - self._said.height() - px(16)
            self._share_height(room)
            self.elements.share_room(width - bar, room)
        for area in (self._said, self._shown):
            _keep_height(area)
        box, shown = spot_box(self.elements), self._shown.widget()
        if box is not None and shown is not None:
            rect = spot_rect(box)
            at = box.mapTo(shown, rect.center())
            self._shown.ensureVisible(at.x(), at.y(), rect.width() // 2 + px(8), rect.height() // 2 + px(8))

    def _share_height(self, height: int) -> None:
        """Let all matrices be in sight, and some of how a number comes about; each scrolls to what is spoken of."""
        boxes, px, wide = self._boxes, self.bench.appearance.px, max(self._shown.viewport().width(), 1)
        lines, across = 1, 0
        for box in boxes:
            across += box.sizeHint().width() + px(ACROSS)
            if across > wide + px(ACROSS) and across > box.sizeHint().width() + px(ACROSS):
                lines, across = lines + 1, box.sizeHint().width() + px(ACROSS)
        room = height - px(DOWN) * (lines - 1)
        below = [one for one in (self._name, self._formula, self._derivation) if one.isVisibleTo(self)]
        if below and not self._alone:
            heights = (
                one.heightForWidth(wide) if one.hasHeightForWidth() else one.sizeHint().height() for one in below
            )
            taken = sum(heights) + px(5) * len(below)
            room = min(max(room - taken, round(MATRICES[0] * height)), round(MATRICES[1] * height))
        for box in boxes:
            box.be_at_most(room // lines)

    @property
    def _boxes(self) -> list[MatrixBox]:
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, MatrixBox)]

    @property
    def _filling(self) -> list[Drawn]:
        """The pictures that take all of their place."""
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, Drawn) and widget.fills]

    def _larger_below(self, width: int, beside: int, height: int) -> bool:
        """Whether a picture is larger below the words than beside them."""
        below = round(height * (1 - LOW))
        return any(one.scale_in(width, below) > one.scale_in(beside, height) for one in self._filling)


def elements_of(view: View, step: Step, vectors: Vectors | None = None) -> tuple[Element, ...]:
    """What a step names, of the page that it looks at; on the Words tab words near that one, if they are there."""
    look = step.look
    if look.stage == "words":
        listing = named(vectors, look.word) if vectors is not None and look.word else None
        return () if listing is None else (listing,)
    name = ELSEWHERE.get(look.stage, look.stage)
    stage = next((stage for stage in compose.stops(view.graph) if stage.name == name), None)
    if stage is None:
        return ()
    page = compose.page(view, stage)
    if look.stage == "train":
        return excerpt(page, view.graph, title="curve")
    shown = excerpt(page, view.graph, look.node, look.element)
    if isinstance(step.question, Predict):  # whose number has to be seen when it is revealed
        asked = matrix_of(page, view.graph, step.question.node)
        if asked is not None and all(asked.id != part.id for one in shown for part in leaves(one)):
            shown = (*shown, asked)
        if not _leads_to(view, look.node, step.question.node):
            shown = (*_operands(page, view, step.question.node, shown), *shown)
    matrices = [one for one in shown if isinstance(one, Matrix)]
    if len(matrices) < 2 or len(matrices) < len(shown):
        return shown
    return (Row("named", tuple(Item("", one) for one in matrices)),)  # beside each other where there is room


def _leads_to(view: View, node: str, asked: str) -> bool:
    """Whether a node is among what another one is computed from."""
    graph = view.graph
    place = graph.place(asked)
    return bool(node) and node != asked and graph.place(node).node in graph.ancestors(place.node)


def _operands(page: Page, view: View, node: str, shown: tuple[Element, ...]) -> list[Element]:
    """What the number that is asked for is computed from, where that is little: it has to be seen, too."""
    place = view.graph.place(node)
    names = [view.of_head(parent, place.head) for parent in view.nodes[place.node].parents]
    found = [matrix for name in names if (matrix := matrix_of(page, view.graph, name)) is not None]
    there = {part.id for one in shown for part in leaves(one)}
    fresh = list({matrix.id: matrix for matrix in found if matrix.id not in there}.values())
    return [*fresh] if sum(matrix.values.size for matrix in fresh) <= FEW else []


def first_cell(view: View, step: Step) -> Cell | None:
    """The first of the cells that a step names one by one."""
    look = step.look
    place = view.graph.find(look.node) if look.node else None
    if place is None or not (look.rows or look.columns):
        return None
    axes = len(view.graph.axes_of(place))
    rows, columns = (look.rows or (0,)), (look.columns or (0,))
    return Cell(place.node, place.index + (rows[0], columns[0])[:axes]) if axes <= 2 else None


def _height_of(area: QScrollArea) -> int:
    """Pixels that what scrolls in an area needs."""
    content = area.widget()
    layout = None if content is None else content.layout()
    return 0 if layout is None else layout.minimumSize().height()


def _keep_height(area: QScrollArea) -> None:
    """Let what scrolls be as high as it needs to be: an area does not hear of all that its content asks for."""
    content, height = area.widget(), _height_of(area)
    if content is not None and content.minimumHeight() != height:
        content.setMinimumHeight(height)


def _scrolled(content: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area


def _free(widget: QWidget, width: bool = False, height: bool = False) -> None:
    """Take back a fixed size."""
    if width:
        widget.setMinimumWidth(0)
        widget.setMaximumWidth(16777215)
    if height:
        widget.setMinimumHeight(0)
        widget.setMaximumHeight(16777215)
