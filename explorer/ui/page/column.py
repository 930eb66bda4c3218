"""Elements below each other, each told to a widget that is kept by the element's id."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, cast

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from explorer.pages.by_hand import Scheme
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.of_step import Lit, names
from explorer.pages.page import Button, Check, Choice, Controls, Descent, Field, Item, Number, Row, Slider, Stack
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.elements import WIDGETS, differing, made_of
from explorer.ui.page.header import HeaderView
from explorer.ui.page.holders import Titled, height_of
from explorer.ui.page.lines import RowLayout, row_room
from explorer.ui.page.sharing import Sharing
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.layouts import FlowLayout, column_in, scroll_area
from explorer.ui.widgets.tree import Gone, inside
from explorer.ui.workbench import Workbench

NARROW = Matrix, Scheme, Button, Check, Choice, Field, Number, Slider
"""What is as wide as it is; words, lists and arrangements take the width of the page."""
Making = Generator[None, None, QWidget]
"""Makes a widget, and gives way after each one that it had to make, or to tell of something else, for it."""


class Elements(QWidget):
    """A column of elements.

    `spacing`: pixels between them.
    """

    down = 12  # pixels at text scale 1 between the lines of a row

    def __init__(self, bench: Workbench, spacing: int) -> None:
        super().__init__()
        self.bench = bench
        # The widgets of all elements that are no mere arrangement of others, by id.
        self.widgets: dict[str, QWidget] = {}
        self._shown: dict[str, Element] = {}
        self._holders: dict[object, QWidget] = {}
        self._before: dict[str, tuple[Element, QWidget]] = {}
        self._holders_before: dict[object, QWidget] = {}
        self._elements: Sequence[Element] | None = None
        self.parts: list[QWidget] = []  # those of the elements themselves, from the top down, whatever stands in them
        self._sharing, self._gone = Sharing(self), Gone(self)
        self._shared = False  # whether the room is shared as all want it
        self._column = column_in(self, spacing=spacing)

    def tell(self, elements: Sequence[Element]) -> None:
        """Show other elements; widgets of those that are the same are left alone."""
        for _ in self.telling(elements):
            pass

    def telling(self, elements: Sequence[Element]) -> Iterator[None]:
        """The same in steps, one for each widget that has to be made; it has to come to its end, out of sight."""
        others = None if self._elements is None else differing(self._elements, elements)
        if others is None:
            yield from self.making(elements)
            return
        self._elements = elements
        # Gradient descent is in motion: it may have gone on where nothing else is different.
        others += [one for one in self._shown.values() if isinstance(one, Descent) and one not in others]
        for element in others:
            self._shown[element.id] = element
            widget: Any = self.widgets[element.id]
            stands_otherwise = widget.tell(element)
            if stands_otherwise or isinstance(widget, HeaderView):
                self._shared = False

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
        self.widgets, self._shown, self._holders, self._shared = {}, {}, {}, False
        self._sharing.forget()
        _clear(self._column)
        parts = []
        for element in elements:
            parts.append((yield from self._widget(element, self)))
        self._elements, self.parts = elements, parts
        for element, part in zip(elements, self.parts, strict=True):
            self._column.addWidget(part, 0, _alignment(element))
        self._column.addStretch(1)  # a stack ends with a stretch of its own, and would share the room
        stay = {*self.widgets.values(), *self._holders.values()}
        before = [*(widget for _, widget in self._before.values()), *self._holders_before.values()]
        gone = [widget for widget in before if widget not in stay]
        self._before, self._holders_before = {}, {}
        for widget in gone:
            widget.hide()
        self._gone.delete(*gone)  # not at once: what asked for other elements may be one of its controls
        for widget in stay.difference(before):
            # On a page in sight Qt shows it a turn later, and until then would count no room for it.
            if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):
                widget.setAttribute(Qt.WidgetAttribute.WA_WState_Hidden, False)
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
            widget.sizeHint()  # dressed and measured in this turn: with all others it would hold up that of laying out
            yield
        elif was != element:
            widget.tell(element)
            yield
        self.widgets[element.id], self._shown[element.id] = widget, element
        return widget

    def _holder(self, key: object, make: Callable[[], QWidget]) -> Any:
        """The widget that holds others: that of before, or a new one."""
        holder = self._holders_before.get(key) or make()
        self._holders[key] = holder
        return holder

    def _row(self, row: Row, parent: QWidget) -> Making:
        holder = self._holder((Row, row.id), lambda: self._in_lines(parent))
        layout: RowLayout = holder.layout()
        _clear(layout)
        side = Qt.AlignmentFlag
        beside = side.AlignVCenter if any(isinstance(one, Button) for one in row.inside) else side.AlignTop
        numbers = [isinstance(one, Matrix) and one.values.size == 1 for one in row.inside]
        for place, (item, number) in enumerate(zip(row.items, [*numbers[1:], False], strict=True)):
            widget = yield from self._widget(item.element, holder)
            layout.put(widget, item.sign, self._sign(item, holder) if place and item.sign and item.holds else None)
            if isinstance(widget, MatrixBox):
                widget.leads_number = number
            else:
                layout.setAlignment(widget, beside)
        return cast(QWidget, holder)

    def _sign(self, item: Item, parent: QWidget) -> QLabel:
        def make() -> QLabel:
            label = mark(QLabel(parent), role="operator")
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            return label

        label: QLabel = self._holder(("sign", item.element.id), make)
        if label.parentWidget() is not parent:  # its element stands in another row now; with the old one it would go
            label.setParent(parent)
        label.setText(item.sign)
        label.show()
        return label

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

    def _in_lines(self, parent: QWidget) -> QWidget:
        holder = QWidget(parent)
        RowLayout(holder, row_room(self.bench.appearance.px), self.bench.appearance.px(self.down))
        return holder

    def _flowing(self, parent: QWidget, across: int, down: int) -> QWidget:
        holder = QWidget(parent)
        FlowLayout(holder, horizontal=self.bench.appearance.px(across), vertical=self.bench.appearance.px(down))
        return holder

    @property
    def fits(self) -> bool:
        """Whether all matrices want the room that they have, and a step names those that it was shared for.

        Qt tells (LayoutRequest) of what else has another size.
        """
        return self._shared

    def share_room(self, width: int, height: int | None = None, drags: bool = False) -> None:
        """Let matrices be as wide as what is in sight; where something is wider, words and switches stay in sight.

        Parameters
        ----------
        width, height : int
            Pixels in sight. Without a height a picture that would fill it is as high as it needs to be.
        drags : bool
            Whether another size will follow at once: what a step names stays as large as it is until then.
        """
        # Each widget that is shown has Qt lay out all that it stands in, at once: while arrangements are tried, that
        # would be most of the time.
        inside = [layout for holder in self._holders.values() if (layout := holder.layout()) is not None]
        layouts = [self._column, *inside]
        for layout in layouts:
            layout.setEnabled(False)
        try:
            self._sharing.share(width, height, drags)
        finally:
            for layout in layouts:
                layout.setEnabled(True)
        for layout in layouts:  # what holds others first: it says how large they are
            layout.activate()
        self._shared = True

    def enlarge(self, lit: Lit) -> None:
        """Let what is named be larger when the room is shared next, and have what it is made of in sight with it."""
        if lit != self._sharing.enlargement.lit:
            self._sharing.enlargement.lit, self._shared = lit, False

    def lit_rects(self) -> list[list[QRect]]:
        """Where that stands which a step names, with the matrices that it is made of and without; none in no light."""
        lit = self._sharing.enlargement.lit
        named = [one for id, one in self.widgets.items() if id in lit.named]
        beside = [one for id, one in self.widgets.items() if id in lit.beside and isinstance(one, MatrixBox)]
        groups = ([*named, *beside], named) if lit else ()
        return [[QRect(one.mapTo(self, QPoint()), one.size()) for one in group] for group in groups]

    def lay_out_again(self, row: Row) -> None:
        """Elements of a row have another size. What changes while its layout is at work would keep its old height."""
        layout = self.layout_of(row)
        layout.invalidate()
        self.tell_around(self.holder_of(row))
        for widget in layout.widgets:
            widget.updateGeometry()
        self._column.invalidate()
        self.updateGeometry()

    def tell_around(self, widget: QWidget) -> None:
        """Tell all that a widget stands in of its size: Qt would do so in a later turn."""
        around: QWidget | None = widget
        while around is not None and around is not self:
            around.updateGeometry()
            around = around.parentWidget()

    def box(self, matrix: Matrix) -> MatrixBox:
        """The widget of a matrix."""
        return cast(MatrixBox, self.widgets[matrix.id])

    def holder_of(self, element: Row | Stack) -> QWidget:
        """What holds the elements of an arrangement."""
        return self._holders[(Row, element.id) if isinstance(element, Row) else _stack_key(element)]

    def part(self, element: Element) -> QWidget:
        """The widget of an element of the page, whatever stands in it."""
        return self.parts[list(self._elements or ()).index(element)]

    def places(self, width: int, known: Mapping[str, int] | None = None) -> Iterator[tuple[Element, QRect]]:
        """Each element of the page, and where it will stand; `known`: how high some are, by their ids."""
        margins, top = self.contentsMargins(), self.contentsMargins().top()
        for element, part in zip(self.elements, self.parts, strict=True):
            high = known[element.id] if known and element.id in known else height_of(part, width)
            yield element, QRect(margins.left(), top, width, high)
            top += high + self._column.spacing()

    def spans(self) -> Iterator[tuple[int, int]]:
        """The first pixel and the one behind the last, from the top, of each element and heading that is there."""
        titles = (one.title for one in self._holders.values() if isinstance(one, Titled) and one.title is not None)
        for widget in (*self.widgets.values(), *titles):
            if widget.isVisibleTo(self):
                top = widget.mapTo(self, QPoint()).y()
                yield top, top + widget.height()

    def height_without(self, picture: QWidget, width: int) -> int:
        """Pixels that all but one of its parts take, one below the other."""
        margins = self.contentsMargins()
        taken = margins.top() + margins.bottom() + self._column.spacing() * len(self.parts)
        return taken + sum(height_of(part, width) for part in self.parts if part is not picture)

    @property
    def elements(self) -> Sequence[Element]:
        """What stands there, from the top down."""
        return self._elements or ()

    def layout_of(self, row: Row) -> RowLayout:
        """What places the elements of a row."""
        return cast(RowLayout, self.holder_of(row).layout())


class ColumnTab(QFrame):
    """A tab of the window that shows one page of elements, and scrolls where they do not fit.

    Who derives from it calls `make` once it knows what to show, and says in `refresh` what that is.

    Parameters
    ----------
    name : str
        For a screen reader.
    spacing, right, inside : int
        Pixels at text scale 1 between two elements, at the right of what scrolls, and within that at its end.
    """

    def __init__(self, bench: Workbench, name: str, spacing: int, right: int, inside: int = 0) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAccessibleName(name)
        self.bench, self._spacing, self._right, self._inside = bench, spacing, right, inside
        self.area = scroll_area(sideways=False)
        self._down = QVBoxLayout(self)
        self._down.addWidget(self.area)
        self._again, self._replaced = later(self, self.make), Gone(self)
        self._worn = True
        """Whether it is in the present look."""

    def refresh(self) -> None:
        """Make the page anew as data, and tell the widgets what is different."""
        raise NotImplementedError(type(self).__name__)

    def restyle(self) -> None:
        """Follow the theme and the text scale: in a turn of its own, or once it is looked at."""
        self._worn = False
        if self.isVisible():
            self.bench.appearance.turns.add(self._again)

    def make(self) -> None:
        """Sizes stand everywhere in a page, so it is made anew."""
        self._worn, px = True, self.bench.appearance.px
        self._down.setContentsMargins(px(24), px(16), px(self._right), px(12))
        if (before := self.area.takeWidget()) is not None:
            self._replaced.delete(before)
        self.elements = Elements(self.bench, px(self._spacing))
        self.elements.setContentsMargins(0, 0, px(self._inside), px(self._inside))
        self.area.setWidget(self.elements)
        self.refresh()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.refresh()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if self._worn:
            self.refresh()
        else:
            self.make()


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
