"""A page of elements, in which the sizes of matrices, pictures and lists follow from the room in sight."""

from collections.abc import Iterator, Mapping
from typing import cast

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.pages.arrange import ANY, DOWN, Scene, asked, below, head_of, sign_of, title_of
from explorer.pages.controls import Form
from explorer.pages.element import Arrangement, Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import Item, Row, Stack
from explorer.pages.steps.of_step import Lit
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.controls import ControlLine, line_up
from explorer.ui.page.note import Words
from explorer.ui.page.pictures import DescentView, Filling, WordPlace
from explorer.ui.page.sharing import Sharing
from explorer.ui.page.surface import Surface
from explorer.ui.theme import Role, mark
from explorer.ui.widgets.labels import Label
from explorer.ui.workbench import Workbench


class Elements(Surface):
    """A page of elements below each other.

    `spacing`: pixels between them.
    """

    def __init__(self, bench: Workbench, spacing: int, parent: QWidget | None = None) -> None:
        self._wide: tuple[int, int] | None = None
        self.sizes_itself = False
        """Whether it is as large as it needs, since nothing around it decides that."""
        self._guessed: list[str] = []
        """The ids of the pictures whose sizes were guessed when the room was shared."""
        super().__init__(bench, spacing, parent)
        self._sharing = Sharing(self)
        self._tops: dict[str, Element] = {}
        """For each element that shows something, by its id, the top-level element that it is in."""
        self.titled: dict[str, Label] = {}
        """For the first element of a stack, by its id, the title above it."""
        policy = self.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Expanding)
        self.setSizePolicy(policy)

    def _follow_news(self) -> None:
        """Do nothing: the elements get their places by `share_room`, or a turn later."""

    def sizeHint(self) -> QSize:
        """The width that its widest element likes."""
        around = self.contentsMargins()
        return QSize(self._widths()[0] + around.left() + around.right(), self.needs[0] + around.top() + around.bottom())

    def minimumSizeHint(self) -> QSize:
        """The least width of its widest element; a scroll area asks for the height at its own width."""
        around = self.contentsMargins()
        return QSize(self._widths()[1] + around.left() + around.right(), 0)

    def _widths(self) -> tuple[int, int]:
        """The width that the widest element likes, and the least width of the widest."""
        if self._wide is None:
            asks = [
                ask
                for one in self.elements
                if (ask := asked(one, self) if isinstance(one, Arrangement) else self.ask(one.id)) is not None
            ]
            self._wide = max([ask.likes for ask in asks], default=0), max([ask.least for ask in asks], default=0)
        return self._wide

    def _least(self) -> int:
        return self._widths()[1]

    def measure_anew(self) -> None:
        super().measure_anew()
        self._wide = None

    # What `arrange` asks

    @property
    def is_filled(self) -> bool:
        """Whether a picture fills the page in the width in sight."""
        places = self.scene(self.room).places if self._spare else {}
        return any(one.data.id in places for one in self._spare)

    def check(self, box: MatrixBox) -> None:
        """Measure a matrix anew if its form has another size."""
        if self._asks.get(box.matrix.id) != box.asks(self.room):
            self.changed(box.matrix.id)

    def changed(self, id: str) -> None:
        """Measure an element anew: it has another size."""
        self._asks.pop(id, None)
        self._highs.pop(id, None)
        self._forget_part(self._tops[id])

    def _forget_part(self, top: Element) -> None:
        self._scenes.pop(top.id, None)
        self._scenes.pop("", None)
        self._wide = None

    def let_begin(self, row: Row, places: frozenset[int]) -> None:
        """Begin a new line of a row at each of these indices, however much room there is."""
        if self.begins.get(row.id, frozenset()) != places:
            self.begins[row.id] = places
            self._forget_part(self._tops[row.id])

    # Its elements

    def _label(self, element: Arrangement) -> None:
        for id, role in _labels(element).items():
            if id not in self._labels:
                sign = role == "operator"
                self._labels[id] = (
                    Label("", role, self, align=Qt.AlignmentFlag.AlignCenter) if sign else Words("", role, self)
                )

    def _follow_elements(self) -> None:
        super()._follow_elements()
        self._sharing.forget()
        self.measure_anew()
        parts = [(part, top) for top in self.elements for part in leaves(top)]
        self._tops = {part.id: top for part, top in parts}
        self._tops |= {title_of(part): top for part, top in parts if isinstance(part, Stack)}
        self._spare = [one for one in self.widgets.values() if isinstance(one, Filling)]
        self.titled, labels = {}, dict[str, Label]()
        for part, _ in parts:
            labels |= {id: self._labels[id] for id in (_labels(part) if isinstance(part, Arrangement) else ())}
            if isinstance(part, Row):
                for item in _signed(part):
                    labels[sign_of(item.element)].setText(item.sign)
            elif isinstance(part, Stack) and part.title:
                self._name(labels[title_of(part)], part)
            elif isinstance(part, Form):
                controls = (self.widgets[one.id] for one in part.inside)
                line_up([one for one in controls if isinstance(one, ControlLine)])
        self._labels = labels

    def _name(self, title: Label, stack: Stack) -> None:
        square = ""
        if stack.head is not None:
            ink, hollow = self.bench.appearance.theme.head(stack.head)
            square = f"<span style='color:{ink}'>{'□' if hollow else '■'}</span>&nbsp; "
        mark(title, role="section" if stack.head is None else "strong")
        title.say(f"{square}{stack.title}")
        if stack.elements:
            self.titled[stack.elements[0].id] = title

    def sign_before(self, id: str) -> QWidget | None:
        """The label of the sign between an element and the one before it in its row, if it is shown."""
        sign = self._labels.get(f"{id}: sign")
        return sign if sign is not None and sign.isVisibleTo(self) else None

    def head_of(self, stack: Stack) -> QSize:
        """The size of the title of a stack, and of the button behind it."""
        head = head_of(stack, self)
        wide = sum(ask.likes for _, ask in head) + self.px(DOWN) * (len(head) - 1)
        return QSize(max(wide, 0), max((self.high(id, ask.likes) for id, ask in head), default=0))

    def top_of(self, element: Element) -> Element:
        """The top-level element in which an element stands."""
        return self._tops[element.id]

    def hide_stack(self, stack: Stack) -> None:
        """Show nothing of a stack."""
        for one in (title_of(stack), *(part.id for part in leaves(stack))):
            if (widget := self.widgets.get(one) or self._labels.get(one)) is not None:
                widget.hide()
        self.stand()

    # Its room

    def share_room(self, width: int, height: int | None = None, drags: bool = False) -> None:
        """Lay out the page in the visible width; even if something is wider, words and switches stay within that width.

        `width`, `height`: the visible size in pixels. Without a height, a picture that fills the page has the height
        that it needs. `drags`: whether another size follows at once; what a step names then keeps its size.
        """
        self.measure_anew()
        around = self.contentsMargins()
        self.room = max(width - around.left() - around.right(), 0)  # a window may be narrower than its margins
        self.sight = None if height is None else height - around.top() - around.bottom()
        try:
            self._sharing.share(self.room, height, drags)
            self._guessed = self.guesses()
            self._stand()
        finally:
            self.fits = True

    def guesses(self) -> list[str]:
        """The ids of the pictures whose sizes are guessed until they are made."""
        return [id for id, one in self.widgets.items() if isinstance(one, WordPlace | DescentView) and one.guesses]

    def _follow_sizes(self) -> None:
        super()._follow_sizes()
        if self._guessed != (guessed := self.guesses()):
            self._guessed = guessed
            self.restood.emit()

    @property
    def is_enlarged(self) -> bool:
        """Whether it stands so that what a step names is larger than the rest."""
        return self._sharing.enlargement.on

    def _stand(self) -> None:
        if self.sizes_itself:
            if self.room == ANY:  # it has had no room yet
                return
            wide = max(self.room, self._least())
            self.resize(QSize(wide, self.scene(wide).height).grownBy(self.contentsMargins()))
        super()._stand()

    def enlarge(self, lit: Lit) -> None:
        """At the next layout, enlarge the elements that a step names, and keep those that they are made of visible."""
        if lit != self._sharing.enlargement.lit:
            self._sharing.enlargement.lit, self.fits = lit, False

    def lit_rects(self) -> list[list[QRect]]:
        """The rectangles of what a step names, with the matrices it is made of and without; none without a light."""
        lit = self._sharing.enlargement.lit
        named = [one for id, one in self.widgets.items() if id in lit.named]
        beside = [one for id, one in self.widgets.items() if id in lit.beside and isinstance(one, MatrixBox)]
        groups = ([*named, *beside], named) if lit else ()
        return [[one.geometry() for one in group] for group in groups]

    def box(self, matrix: Matrix) -> MatrixBox:
        """The widget of a matrix."""
        return cast(MatrixBox, self.widgets[matrix.id])

    def places(self, width: int, known: Mapping[str, int] | None = None) -> Iterator[tuple[Element, QRect]]:
        """Each top-level element with its place; `known`: the heights of some elements, by id."""
        margins, top = self.contentsMargins(), self.contentsMargins().top()
        for element in self.elements:
            high = known[element.id] if known and element.id in known else self.part_scene(element, width).height
            yield element, QRect(margins.left(), top, width, high)
            top += high + self.spacing * (high > 0)

    def spans(self) -> Iterator[tuple[int, int]]:
        """The first pixel row and the one after the last, from the top, of each visible element and heading."""
        for widget in (*self.widgets.values(), *self.titled.values()):
            if widget.isVisibleTo(self):
                top = widget.mapTo(self, QPoint()).y()
                yield top, top + widget.height()

    def height_without(self, picture: QWidget, width: int) -> int:
        """The height of the page without one of its elements, and what surrounds it."""
        margins = self.contentsMargins()
        others = [self.part_scene(one, width) for one in self.elements if self.widgets.get(one.id) is not picture]
        return margins.top() + margins.bottom() + below([*others, Scene({"": (0, 0, 0, 0)}, 0)], self.spacing).height


def _labels(element: Arrangement) -> dict[str, Role]:
    """The ids of the labels that an arrangement needs, with their roles."""
    if isinstance(element, Row):
        return {sign_of(item.element): "operator" for item in _signed(element)}
    if isinstance(element, Stack) and element.title:
        return {title_of(element): "section" if element.head is None else "strong"}
    return {}


def _signed(row: Row) -> list[Item]:
    """The items of a row that have a label with a sign before them."""
    return [item for item in row.items[1:] if item.sign and item.holds]
