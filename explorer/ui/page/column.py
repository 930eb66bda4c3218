"""A column of elements; each is shown by a widget that is kept under the element's id."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QSizePolicy, QWidget

from explorer.pages.controls import Button, Field, Form, TextBox
from explorer.pages.element import Arrangement, Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import Item, Maths, Row, Scheme, Stack
from explorer.pages.steps.of_step import Lit
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.controls import CONTROLS, ControlLine, line_up
from explorer.ui.page.lines import RowLayout, Titled, height_of, row_room
from explorer.ui.page.sharing import Sharing
from explorer.ui.page.surface import Surface
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.workbench import Workbench

NARROW = Maths, Matrix, Scheme, *(kind for kind in CONTROLS if kind is not TextBox)
"""Elements that keep their own width; words, lists and arrangements take the width of the page."""


class Elements(Surface):
    """A column of elements.

    `spacing`: pixels between them.
    """

    down = 12  # pixels at text scale 1 between the lines of a row

    def __init__(self, bench: Workbench, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(bench, parent)
        self.parts: list[QWidget] = []  # the widgets of the top-level elements, from the top down
        self._sharing = Sharing(self)
        self._column = column_in(self, spacing=spacing)

    def minimumSizeHint(self) -> QSize:
        """The width of the widest part; a scroll area asks for the height at its own width.

        Qt would add the height that words take in a narrow column, and the page would end in empty room.
        """
        hint = super().minimumSizeHint()
        return QSize(hint.width(), 0) if self.hasHeightForWidth() else hint

    def _hold(self, element: Arrangement, parent: QWidget) -> QWidget:
        key, *signs = _keys(element)
        if key not in self._holders:
            self._holders[key] = self._holder(element, parent)
        holder = self._holders[key]
        for sign in signs:
            if sign not in self._holders:
                self._holders[sign] = Label("", "operator", holder, align=Qt.AlignmentFlag.AlignCenter)
        return holder

    def _place_all(self) -> None:
        self._sharing.forget()
        _clear(self._column)
        # In this order holders come before their parts.
        parts = (part for one in self.elements for part in leaves(one))
        self._holders = {key: self._holders[key] for part in parts for key in _keys(part)}
        self.parts = [self._place(element) for element in self.elements]
        for element, part in zip(self.elements, self.parts, strict=True):
            self._column.addWidget(part, 0, _alignment(element))
        self._column.addStretch(1)  # else the stretch at the end of a stack would take the rest of the height

    def _place(self, element: Element) -> QWidget:
        """Place the parts of an element, if it is an arrangement; returns the element's widget."""
        if not isinstance(element, Arrangement):
            return self.widgets[element.id]
        holder: Any = self._holders[_key(element)]
        match element:
            case Row():
                self._place_row(element, holder)
            case Stack():
                self._place_stack(element, holder)
            case Scheme():
                self._place_scheme(element, holder)
            case _:
                _clear(holder.layout())
                for widget in (widgets := [self._place(one) for one in element.inside]):
                    holder.layout().addWidget(widget)
                if isinstance(element, Form):
                    line_up([one for one in widgets if isinstance(one, ControlLine)])
        return cast(QWidget, holder)

    def sign_before(self, id: str) -> QWidget | None:
        """The label of the sign between an element and the one before it in its row, if it is shown."""
        sign = self._holders.get(("sign", id))
        return sign if sign is not None and sign.isVisibleTo(self) else None

    def _place_row(self, row: Row, holder: QWidget) -> None:
        layout = cast(RowLayout, holder.layout())
        _clear(layout)
        side = Qt.AlignmentFlag
        beside = side.AlignVCenter if any(isinstance(one, Button) for one in row.inside) else side.AlignTop
        numbers = [isinstance(one, Matrix) and one.values.size == 1 for one in row.inside]
        signs = _signs(row)
        for item, number in zip(row.items, [*numbers[1:], False], strict=True):
            widget, label = self._place(item.element), None
            if item in signs:
                label = cast(Label, self._holders["sign", item.element.id])
                if label.parentWidget() is not holder:
                    label.setParent(holder)  # its element has moved here; with the old row the label would be deleted
                label.setText(item.sign)
                label.show()
            layout.put(widget, item.sign, label, item.yields)
            if isinstance(widget, MatrixBox):
                widget.leads_number = number
            else:
                layout.setAlignment(widget, beside)

    def _place_stack(self, stack: Stack, holder: Titled) -> None:
        _clear(holder.down, 1)
        if stack.control is not None:
            _clear(holder.heading, 1)
            holder.heading.addWidget(self._place(stack.control))
            holder.heading.addStretch()
        holder.inside = [self._place(element) for element in stack.elements]
        for element, widget in zip(stack.elements, holder.inside, strict=True):
            holder.down.addWidget(widget, 0, _alignment(element))
        holder.down.addStretch()

    def _place_scheme(self, scheme: Scheme, holder: QWidget) -> None:
        """Place the right factor above the result, and the left one beside it."""
        grid = cast(QGridLayout, holder.layout())
        _clear(grid)
        start, bottom = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignBottom
        for row, matrix in enumerate((*scheme.above, scheme.result)):
            grid.addWidget(self._place(matrix), row, 1, start | bottom)
        grid.addWidget(self._place(scheme.left), len(scheme.above), 0, start | bottom)

    def _holder(self, element: Arrangement, parent: QWidget) -> QWidget:
        px = self.bench.appearance.px
        if isinstance(element, Stack):
            if element.head is None:
                return Titled(element.title, "section", px(6), parent)
            ink, hollow = self.bench.appearance.theme.head(element.head)
            square = f"<span style='color:{ink}'>{'□' if hollow else '■'}</span>&nbsp; "
            return Titled(f"{square}{element.title}", "strong", px(6), parent)
        holder = QWidget(parent)
        match element:
            case Row():
                RowLayout(holder, row_room(px), px(self.down))
            case Scheme():
                grid = QGridLayout(holder)
                grid.setContentsMargins(0, 0, 0, 0)
                grid.setHorizontalSpacing(0)
                grid.setVerticalSpacing(px(6))
                holder.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            case Form():
                column_in(holder, spacing=px(5))
            case _:
                FlowLayout(holder, horizontal=px(10), vertical=px(6))
        return holder

    def sizes(self) -> list[tuple[object, ...]]:
        """What each element's widget asks for, whether it is hidden, and whether it lacks its picture."""
        return [
            (one.sizeHint(), one.minimumSizeHint(), one.isHidden(), getattr(one, "picture", one) is None)
            for one in self.widgets.values()
        ]

    def share_room(self, width: int, height: int | None = None, drags: bool = False) -> None:
        """Lay out the page in the visible width; even if something is wider, words and switches stay within that width.

        `width`, `height`: the visible size in pixels. Without a height, a picture that fills the page has the height
        that it needs. `drags`: whether another size follows at once; what a step names then keeps its size.
        """
        # Showing a widget makes Qt lay out all its ancestors at once, which would take most of the time while
        # arrangements are tried.
        inside = [layout for holder in self._holders.values() if (layout := holder.layout()) is not None]
        layouts = [self._column, *inside]
        for layout in layouts:
            layout.setEnabled(False)
        try:
            self._sharing.share(width, height, drags)
        finally:
            for layout in layouts:
                layout.setEnabled(True)
        for layout in layouts:  # holders first: they decide how large their parts are
            layout.activate()
        self.fits = True

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
        return [[QRect(one.mapTo(self, QPoint()), one.size()) for one in group] for group in groups]

    def lay_out_again(self, row: Row) -> None:
        """Lay out a row whose elements have other sizes; during a layout of its own Qt would keep its old height."""
        layout = self.layout_of(row)
        layout.invalidate()
        self.tell_around(self.holder_of(row))
        for widget in layout.widgets:
            widget.updateGeometry()
        self._column.invalidate()
        self.updateGeometry()

    def tell_around(self, widget: QWidget) -> None:
        """Report a widget's new size to all its ancestors; Qt would do so only in a later turn."""
        around: QWidget | None = widget
        while around is not None and around is not self:
            around.updateGeometry()
            around = around.parentWidget()

    def box(self, matrix: Matrix) -> MatrixBox:
        """The widget of a matrix."""
        return cast(MatrixBox, self.widgets[matrix.id])

    def holder_of(self, element: Row | Stack) -> QWidget:
        """The widget that holds the elements of an arrangement."""
        return self._holders[_key(element)]

    def part(self, element: Element) -> QWidget:
        """The widget of a top-level element of the page."""
        return self.parts[list(self.elements).index(element)]

    def places(self, width: int, known: Mapping[str, int] | None = None) -> Iterator[tuple[Element, QRect]]:
        """Each top-level element with its place; `known`: the heights of some elements, by id."""
        margins, top = self.contentsMargins(), self.contentsMargins().top()
        for element, part in zip(self.elements, self.parts, strict=True):
            high = known[element.id] if known and element.id in known else height_of(part, width)
            yield element, QRect(margins.left(), top, width, high)
            top += high + self._column.spacing()

    def spans(self) -> Iterator[tuple[int, int]]:
        """The first pixel row and the one after the last, from the top, of each visible element and heading."""
        titles = (one.title for one in self._holders.values() if isinstance(one, Titled) and one.title is not None)
        for widget in (*self.widgets.values(), *titles):
            if widget.isVisibleTo(self):
                top = widget.mapTo(self, QPoint()).y()
                yield top, top + widget.height()

    def height_without(self, picture: QWidget, width: int) -> int:
        """The height of the page without one of its parts."""
        margins = self.contentsMargins()
        taken = margins.top() + margins.bottom() + self._column.spacing() * len(self.parts)
        return taken + sum(height_of(part, width) for part in self.parts if part is not picture)

    def layout_of(self, row: Row) -> RowLayout:
        """The layout of a row."""
        return cast(RowLayout, self.holder_of(row).layout())


def _alignment(element: Element) -> Qt.AlignmentFlag:
    narrow = isinstance(element, NARROW) and not (isinstance(element, Field) and element.hint and not element.gives)
    return Qt.AlignmentFlag.AlignLeft if narrow else Qt.AlignmentFlag(0)


def _key(element: Arrangement) -> object:
    """The key of an arrangement's holder; a stack with another heading needs another holder."""
    return (type(element), element.id, *((element.title, element.width > 0) if isinstance(element, Stack) else ()))


def _keys(element: Element) -> list[object]:
    """The keys of the widgets that an arrangement needs, its holder and signs; other elements need none."""
    own = [_key(element)] if isinstance(element, Arrangement) else []
    return [*own, *(("sign", item.element.id) for item in _signs(element))]


def _signs(element: Element) -> list[Item]:
    """The items of a row that have a label with a sign before them."""
    items = element.items[1:] if isinstance(element, Row) else ()
    return [item for item in items if item.sign and item.holds]


def _clear(layout: QLayout, keep: int = 0) -> None:
    """Remove all items of a layout but the first `keep`; widgets stay where they are until they are placed again.

    `removeWidget` lets Qt delete the items. `takeAt` would leave an item of the widget, and Qt never again asks a
    widget with an older item for its height.
    """
    holder = layout.parentWidget()
    if holder is not None and not isinstance(layout, FlowLayout):
        for widget in holder.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if layout.indexOf(widget) >= keep:
                layout.removeWidget(widget)
    while layout.count() > keep:
        layout.takeAt(keep)
