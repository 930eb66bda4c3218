"""Elements below each other, each told to a widget that is kept by the element's id."""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from typing import Any, cast

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from explorer.pages.by_hand import Scheme
from explorer.pages.element import Element, leaves
from explorer.pages.excerpt import names
from explorer.pages.matrix import Matrix
from explorer.pages.page import (
    Button,
    Check,
    Choice,
    Controls,
    Descent,
    Number,
    Row,
    Slider,
    Stack,
)
from explorer.pages.word_pictures import AttentionLines, HeatMap
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.controls import ChoiceView
from explorer.ui.page.descent import DescentPart
from explorer.ui.page.elements import WIDGETS, Drawn, made_of
from explorer.ui.page.first_matrices import FirstMatrices
from explorer.ui.page.header import HeaderView
from explorer.ui.page.holders import Signed, Titled, height_of
from explorer.ui.page.late import Late
from explorer.ui.page.lines import ACROSS_ROW, SIGN, RowLines
from explorer.ui.page.map_in_sight import MapInSight
from explorer.ui.page.note import NoteLabel, SectionLabel
from explorer.ui.page.player import PlayerView
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.inside import inside
from explorer.ui.workbench import Workbench

LOW_PAGE, HIGH_PAGE = 350, 700
"""Pixels at text scale 1 in sight, below which sentence and switches wait until they are asked for; and from which on
there is room for the heat map with the weights: between them, for the weights.
"""
HEAD = 24
"""Pixels at text scale 1 that the heading of a matrix takes."""
PART = 0.22
"""Of the height in sight, what a row may take that can be small pictures instead."""
ACROSS, LEAST_MAP, MOST_MAP, ABOVE_MAP = 16, 300, 520, 415
"""Pixels at text scale 1: between two heat maps; what one beside another has at least, and any at most; what small
pictures, and a map's own words, take above it.
"""
ARRANGED = Row, Stack, Controls, Scheme
NARROW = Matrix, Scheme, Button, Check, Choice, Number, Slider
"""What is as wide as it is; words, lists and arrangements take the width of the page."""
Making = Generator[None, None, QWidget]
"""Makes a widget, and gives way after each one that it had to make for it."""


class Elements(QWidget):
    """A column of elements.

    Parameters
    ----------
    bench : Workbench
    spacing : int
        Pixels between them.

    Attributes
    ----------
    widgets : dict of str to QWidget
        The widgets of all elements that are no mere arrangement of others, by id.
    down : int
        Pixels at text scale 1 between the lines of a row.
    """

    down = 12

    def __init__(self, bench: Workbench, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.widgets: dict[str, QWidget] = {}
        self._shown: dict[str, Element] = {}
        self._holders: dict[object, QWidget] = {}
        self._before: dict[str, tuple[Element, QWidget]] = {}
        self._holders_before: dict[object, QWidget] = {}
        self._elements: Sequence[Element] | None = None
        self._parts: list[QWidget] = []  # from the top down
        self._first_matrices = FirstMatrices(self)
        self._map_in_sight = MapInSight(self)
        self._shared: list[object] | None = None  # what was wanted when the room was shared
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(spacing)

    def tell(self, elements: Sequence[Element]) -> None:
        """Show other elements; widgets of those that are the same are left alone."""
        was = self._elements
        if was is None or list(map(made_of, was)) != list(map(made_of, elements)):
            for _ in self.making(elements):
                pass
            return
        self._elements = elements
        for element in (leaf for one in elements for leaf in leaves(one) if not isinstance(leaf, ARRANGED)):
            # Gradient descent is in motion: it may have gone on where nothing else is different.
            if isinstance(element, Descent) or self._shown[element.id] != element:
                self._shown[element.id] = element
                widget: Any = self.widgets[element.id]
                widget.tell(element)
                if isinstance(widget, HeaderView):
                    self._shared = None

    def named(self, name: str) -> QWidget | None:
        """The widget of the element of that name, or of the first in it."""
        parts = (part for one in self._elements or () for part in leaves(one) if name.casefold() in names(part))
        return next((self.widgets[one.id] for part in parts for one in leaves(part) if one.id in self.widgets), None)

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest part; a scroll area asks for the height in its own width.

        Qt would add the height that words take in a narrow column, and the page would end in white.
        """
        hint = super().minimumSizeHint()
        return QSize(hint.width(), 0) if self.hasHeightForWidth() else hint

    def making(self, elements: Sequence[Element]) -> Iterator[None]:
        """Arrange other elements, one widget each time that it is asked to go on; it has to come to its end.

        A widget that stays has the same parent: it keeps the keys, and a drag goes on. A new one is made in its place
        at once: Qt dresses all that is in a widget anew whenever it gets another parent.
        """
        focused = QApplication.focusWidget()
        self._before = {id: (self._shown[id], widget) for id, widget in self.widgets.items()}
        self._holders_before = self._holders
        self.widgets, self._shown, self._holders, self._shared = {}, {}, {}, None
        self._first_matrices.forget()
        self._map_in_sight.forget()
        _clear(self._column)
        parts = []
        for element in elements:
            parts.append((yield from self._widget(element, self)))
        self._elements, self._parts = elements, parts
        for element, part in zip(elements, self._parts, strict=True):
            self._column.addWidget(part, 0, _alignment(element))
        self._column.addStretch(1)  # a stack ends with a stretch of its own, and would share the room
        stay = {*self.widgets.values(), *self._holders.values()}
        before = [*(widget for _, widget in self._before.values()), *self._holders_before.values()]
        gone = [widget for widget in before if widget not in stay]
        self._before, self._holders_before = {}, {}
        for widget in gone:
            widget.hide()
            widget.deleteLater()  # not at once: what asked for other elements may be one of its controls
        if focused is not None and any(widget is focused or widget.isAncestorOf(focused) for widget in gone):
            self._focus(focused.accessibleName())

    def _focus(self, name: str) -> None:
        """Give the keys to the control of a name: a switch that makes its own bar anew keeps them."""
        there = set(self.widgets.values())
        named = (one for one in inside(self, QWidget) if name and one.accessibleName() == name)
        again = next((one for one in named if one in there or any(of.isAncestorOf(one) for of in there)), None)
        if again is not None:
            again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _widget(self, element: Element, parent: QWidget) -> Making:
        match element:
            case Row():
                return (yield from self._row(element, parent))
            case Stack():
                return (yield from self._stack(element, parent))
            case Controls():
                return (yield from self._controls(element, parent))
            case Scheme():
                return (yield from self._scheme(element, parent))
        widget: Any
        was, widget = self._before.get(element.id, (None, None))
        if was is None or made_of(was) != made_of(element):
            widget = WIDGETS[type(element)](self.bench, element, parent)
            yield
        elif was != element:
            widget.tell(element)
        self.widgets[element.id], self._shown[element.id] = widget, element
        return widget

    def _holder(self, key: object, make: Callable[[], QWidget]) -> Any:
        """The widget that holds others: that of before, or a new one."""
        holder = self._holders_before.get(key) or make()
        self._holders[key] = holder
        return holder

    def _row(self, row: Row, parent: QWidget) -> Making:
        holder = self._holder((Row, row.id), lambda: self._flowing(parent, ACROSS_ROW, self.down))
        _clear(holder.layout())
        signs = [*(item.sign for item in row.items[1:]), ""]
        numbers = [isinstance(one, Matrix) and one.values.size == 1 for one in row.inside]
        for item, sign, number in zip(row.items, signs, [*numbers[1:], False], strict=True):
            # A sign stays with what stands before it: no line begins with one.
            signed = self._signed(item.element, sign, holder) if sign else None
            shown = widget = yield from self._widget(item.element, signed or holder)
            if signed is not None:
                signed.hold(widget)
                shown = signed
            holder.layout().addWidget(shown)
            matrix = isinstance(widget, MatrixBox)
            if isinstance(widget, MatrixBox):
                widget.leads_number = number
            holder.layout().setAlignment(shown, Qt.AlignmentFlag.AlignBaseline if matrix else Qt.AlignmentFlag.AlignTop)
        return cast(QWidget, holder)

    def _signed(self, element: Element, sign: str, parent: QWidget) -> Signed:
        signed: Signed = self._holder((Signed, element.id), lambda: Signed(self.bench.appearance.px(SIGN), parent))
        signed.sign.setText(sign)
        return signed

    def _stack(self, stack: Stack, parent: QWidget) -> Making:
        holder = self._holder(_stack_key(stack), lambda: self._titled(stack, parent))
        _clear(holder.layout(), 1)
        if stack.control is not None:
            _clear(holder.heading, 1)
            holder.heading.addWidget((yield from self._widget(stack.control, holder)))
            holder.heading.addStretch()
        inside = []
        for element in stack.elements:
            inside.append((yield from self._widget(element, holder)))
        holder.inside = inside
        for element, widget in zip(stack.elements, inside, strict=True):
            holder.layout().addWidget(widget, 0, _alignment(element))
        holder.layout().addStretch()
        return cast(QWidget, holder)

    def _scheme(self, scheme: Scheme, parent: QWidget) -> Making:
        """The right factor above the result, and the left one beside it."""
        holder = self._holder((Scheme, scheme.id), lambda: self._crossing(parent))
        grid: QGridLayout = holder.layout()
        _clear(grid)
        start, bottom = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignBottom
        for row, matrix in enumerate((*scheme.above, scheme.result)):
            grid.addWidget((yield from self._widget(matrix, holder)), row, 1, start | bottom)
        grid.addWidget((yield from self._widget(scheme.left, holder)), len(scheme.above), 0, start | bottom)
        return cast(QWidget, holder)

    def _crossing(self, parent: QWidget) -> QWidget:
        holder, px = QWidget(parent), self.bench.appearance.px
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(px(6))
        holder.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        return holder

    def _titled(self, stack: Stack, parent: QWidget) -> QWidget:
        px = self.bench.appearance.px
        ink = self.bench.appearance.theme.series[int(stack.ink[-1])] if stack.ink else ""
        square = f"<span style='color:{ink}'>■</span>&nbsp; " if ink else ""
        holder = Titled(f"{square}{stack.title}", "strong" if ink else "section", px(6), parent)
        if stack.width:
            holder.setFixedWidth(px(stack.width))
        return holder

    def _controls(self, controls: Controls, parent: QWidget) -> Making:
        holder = self._holder((Controls, controls.id), lambda: self._flowing(parent, 10, 6))
        _clear(holder.layout())
        for control in controls.controls:
            holder.layout().addWidget((yield from self._widget(control, holder)))
        return cast(QWidget, holder)

    def _flowing(self, parent: QWidget, across: int, down: int) -> QWidget:
        holder = QWidget(parent)
        FlowLayout(holder, horizontal=self.bench.appearance.px(across), vertical=self.bench.appearance.px(down))
        return holder

    @property
    def fits(self) -> bool:
        """Whether all matrices want the room that they have; Qt tells (LayoutRequest) of what else has another size."""
        return self._shared == self._wanted()

    def _wanted(self) -> list[object]:
        return [widget.wants for widget in self.widgets.values() if isinstance(widget, MatrixBox)]

    def share_room(self, width: int, height: int | None = None) -> None:
        """Let matrices be as wide as what is in sight; where something is wider, words and switches stay in sight.

        Parameters
        ----------
        width, height : int
            Pixels in sight. Without a height a picture that would fill it is as high as it needs to be.
        """
        # Each widget that is shown has Qt lay out all that it stands in, at once: while arrangements are tried, that
        # would be most of the time.
        layouts = [self._column, *(cast(QLayout, holder.layout()) for holder in self._holders.values())]
        for layout in layouts:
            layout.setEnabled(False)
        try:
            self._share(width, height)
        finally:
            for layout in layouts:
                layout.setEnabled(True)
        for layout in layouts:  # what holds others first: it says how large they are
            layout.activate()
        self._shared = self._wanted()

    def _share(self, width: int, height: int | None) -> None:
        margins = self.contentsMargins()
        room = max(width - margins.left() - margins.right(), 0)  # a window may be all margin
        low = height is not None and height < self.bench.appearance.px(LOW_PAGE)
        if isinstance(header := self.widgets.get("header"), HeaderView):
            header.fit(room, low)
        signed = any(item.sign for row in self._all() if isinstance(row, Row) for item in row.items)
        sign = self.bench.appearance.px(SIGN) if signed else 0
        crossing = [element for element in self._all() if isinstance(element, Scheme)]
        lined_up = {one.id for scheme in crossing for one in scheme.inside}
        alone = {one.id for one in self._elements or () if isinstance(one, Matrix)}
        for id, widget in self.widgets.items():
            if isinstance(widget, MatrixBox):
                widget.give_room(room - sign)
                if id not in lined_up:
                    widget.stand_in_line(0, 0)
                if id in alone:  # in a row before, another one may have said what its rows are
                    widget.show_row_labels(True)
            elif isinstance(widget, (ChoiceView, DescentPart, Drawn, NoteLabel, PlayerView)):
                widget.be_no_wider(room)
        for stack in (one for one in self._all() if isinstance(one, Stack) and one.width):
            self._holders[_stack_key(stack)].setFixedWidth(max(min(self.bench.appearance.px(stack.width), room), 0))
        for scheme in crossing:
            self._line_up(scheme)
        for row in (one for one in self._all() if isinstance(one, Row)):
            self.share_line(row, room, height, self._map_in_sight.folded.get(row.id))
        self._first_matrices.share(self._elements or (), room, height if height is not None and low else 0)
        high = height is not None and height >= self.bench.appearance.px(HIGH_PAGE)
        self._map_in_sight.share(self._elements or (), room, 0 if height is None or low else height, high)
        self._share_between_pictures(room, height)
        words = [part for part in self._parts if isinstance(part, (SectionLabel, NoteLabel, HeaderView))]
        filling = [widget for widget in self.widgets.values() if isinstance(widget, Drawn) and widget.fills]
        others = [p.minimumSizeHint().width() for p in self._parts if p not in words and p not in filling]
        beyond = max([room, *others]) - room
        for part in words:
            inside = part.contentsMargins()
            if inside.right() != beyond:
                inside.setRight(beyond)
                part.setContentsMargins(inside)
        for picture in filling:
            taken = self._others(picture, room)
            picture.give_room(room, None if height is None else height - taken)

    def box(self, matrix: Matrix) -> MatrixBox:
        """The widget of a matrix."""
        return cast(MatrixBox, self.widgets[matrix.id])

    def end_line(self, matrix: Matrix, on: bool) -> None:
        """Let the line end behind a matrix that a sign joins with the next one, whether that has room there or not."""
        signed = self.box(matrix).parentWidget()
        if isinstance(signed, Signed) and signed.ends_line != on:
            signed.ends_line = on
            signed.updateGeometry()

    def holder_of(self, element: Row | Stack) -> QWidget:
        """What holds the elements of an arrangement."""
        return self._holders[(Row, element.id) if isinstance(element, Row) else _stack_key(element)]

    def place_of(self, element: Element, width: int) -> QRect:
        """Where an element of the page will stand."""
        margins, spacing = self.contentsMargins(), self._column.spacing()
        at = list(self._elements or ()).index(element)
        above = sum(height_of(part, width) + spacing for part in self._parts[:at])
        return QRect(margins.left(), margins.top() + above, width, height_of(self._parts[at], width))

    def _all(self) -> list[Element]:
        return [part for element in self._elements or () for part in leaves(element)]

    def _line_up(self, scheme: Scheme) -> None:
        """Let the columns of the result stand below those of the right factor; its rows are named at the left."""
        boxes = [cast(MatrixBox, self.widgets[one.id]) for one in (*scheme.above, scheme.result)]
        for box in (*boxes, cast(MatrixBox, self.widgets[scheme.left.id])):
            box.be_tight(False)
            box.show_row_labels(box is not boxes[-1])
        width, labels = max(box.view.own_width for box in boxes), max(box.view.label_room for box in boxes[:-1])
        for box in boxes:
            box.stand_in_line(width, labels)

    def share_line(self, row: Row, room: int, height: int | None = None, fold: Collection[int] | None = None) -> None:
        """Fold a row that would take too much, and say in each of its lines only once what the rows are.

        Parameters
        ----------
        row : Row
        room, height : int
            Pixels in sight.
        fold : collection of int
            Which of its matrices are folded in any case, and no other.
        """
        holder = self._holders[Row, row.id]
        layout = cast(FlowLayout, holder.layout())
        boxes = self._boxes(row)
        matrices = [box for box in boxes if isinstance(box, MatrixBox)]
        before = [box.sizeHint() for box in matrices]
        # Not to and fro in one go: each time a box is folded it asks for a layout, which would ask for this.
        if fold is not None:
            for i, box in enumerate(matrices):
                box.be_tight(i in fold)
        elif row.folds and height is not None and matrices:
            # Of the numbers by themselves, whether they are in sight or not: else it would go to and fro.
            gap = self.bench.appearance.px(ACROSS_ROW)
            pairs = zip((None, *matrices), matrices, strict=False)
            labels = [b.view.label_room * (not a or a.matrix.rows != b.matrix.rows) for a, b in pairs]
            wide = sum(labels) + sum(box.view.width_without_labels() + gap for box in matrices)
            high = max(box.view.height() for box in matrices) + self.bench.appearance.px(HEAD)
            for box in matrices:
                box.be_tight(wide > room or high > height * PART)
        beside = [box for one in self._beside(row) for box in self._boxes(one) if isinstance(box, MatrixBox)]
        pictures = {box.matrix.array.shape for box in beside if not box.view.whole}
        for box in matrices:
            box.be_picture(box.matrix.array.shape in pictures)
        # Stacks that share a line are narrower than they would be: in them each matrix has its labels.
        RowLines(row, boxes, 0 if self._is_narrower(row, room) else room, self.bench.appearance.px).label()
        if before != [box.sizeHint() for box in matrices]:
            # What changes while its layout is at work would keep the height that was asked for before.
            layout.invalidate()
            around: QWidget | None = holder
            while around is not None and around is not self:
                around.updateGeometry()
                around = around.parentWidget()
            for widget in layout.widgets:
                widget.updateGeometry()
            self._column.invalidate()
            self.updateGeometry()

    def _boxes(self, row: Row) -> list[QWidget]:
        layout = cast(FlowLayout, self.holder_of(row).layout())
        return [one.holds if isinstance(one, Signed) else one for one in layout.widgets]

    def _around(self, row: Row) -> Row | None:
        """The row of stacks in one of which a row stands."""
        outer = (one for one in self._all() if isinstance(one, Row))
        return next((o for o in outer if any(isinstance(s, Stack) and row in s.elements for s in o.inside)), None)

    def _beside(self, row: Row) -> list[Row]:
        """The row, and the rows in the stacks beside its own: such as one of each head."""
        if (outer := self._around(row)) is None:
            return [row]
        return [
            one for stack in outer.inside if isinstance(stack, Stack) for one in stack.elements if isinstance(one, Row)
        ]

    def _is_narrower(self, row: Row, room: int) -> bool:
        """Whether a row stands in a stack that has less than its width because it shares a line with others."""
        if (outer := self._around(row)) is None:
            return False
        gaps = self.bench.appearance.px(ACROSS_ROW) * (len(outer.items) - 1)
        widths = [self._widths(one) for one in outer.inside]
        return sum(wide for wide, _ in widths) + gaps > room >= sum(least for _, least in widths) + gaps

    def _widths(self, element: Element) -> tuple[int, int]:
        """Pixels across of what stands in a row: on one line, and at least; whatever labels are shown now."""
        rows = [one for one in element.elements if isinstance(one, Row)] if isinstance(element, Stack) else []
        if not rows:
            width = (
                (self.holder_of(element) if isinstance(element, Stack) else self.widgets[element.id]).sizeHint().width()
            )
            return width, width
        px, boxes = self.bench.appearance.px, [self._boxes(row) for row in rows]
        lines = (RowLines(row, some, 0, px).width for row, some in zip(rows, boxes, strict=True))
        single = (
            one.width_with(True) if isinstance(one, MatrixBox) else one.sizeHint().width()
            for some in boxes
            for one in some
        )
        return max(lines), max(single)

    def _others(self, picture: Drawn, width: int) -> int:
        """Pixels that all but a picture take, one below the other."""
        margins = self.contentsMargins()
        taken = margins.top() + margins.bottom() + self._column.spacing() * len(self._parts)
        taken += sum(height_of(part, width) for part in self._parts if part is not picture)
        return taken

    def _share_between_pictures(self, room: int, height: int | None) -> None:
        """No picture of words is wider than the page; two heat maps in a row stand beside each other."""
        px = self.bench.appearance.px
        square = px(MOST_MAP) if height is None else max(height - px(ABOVE_MAP), px(LEAST_MAP))
        in_row: dict[str, int] = {}
        for row in (one for one in self._all() if isinstance(one, Row)):
            maps = [item.element.id for item in row.items if isinstance(item.element, HeatMap)]
            in_row |= {id: max((room - px(ACROSS) * (len(maps) > 1)) // len(maps), px(LEAST_MAP)) for id in maps}
        for one in self._all():
            if isinstance(one, (AttentionLines, HeatMap)):
                width = min(in_row.get(one.id, room), room)
                cast(Late, self.widgets[one.id]).be_at_most(width, square if one.id in in_row else width)


def _alignment(element: Element) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignLeft if isinstance(element, NARROW) else Qt.AlignmentFlag(0)


def _stack_key(stack: Stack) -> object:
    """Under which the widget that holds a stack's elements is kept: another heading or width needs another one."""
    return Stack, stack.id, stack.title, stack.width


def _clear(layout: QLayout, keep: int = 0) -> None:
    """Take everything out of a layout but its first items; widgets stay where they are until they are put again.

    Qt itself takes widgets out, and deletes their items: of a widget that has an older item, which `takeAt` leaves, Qt
    never again asks how high it is.
    """
    holder = layout.parentWidget()
    if holder is not None and not isinstance(layout, FlowLayout):
        for widget in holder.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if layout.indexOf(widget) >= keep:
                layout.removeWidget(widget)
    while layout.count() > keep:
        layout.takeAt(keep)
