"""Elements below each other, each told to a widget that is kept by the element's id."""

from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.pages.element import Element
from explorer.pages.matrix import Matrix
from explorer.pages.page import (
    Button,
    Check,
    Choice,
    Controls,
    Descent,
    Header,
    Number,
    Row,
    Slider,
    Stack,
    Switches,
)
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.elements import WIDGETS, Drawn
from explorer.ui.page.header import HeaderView
from explorer.ui.page.note import NoteLabel, SectionLabel
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.workbench import Workbench

SIGN = 48
"""Pixels at text scale 1 that the operator before a matrix takes."""
NARROW = Matrix, Button, Check, Choice, Number, Slider
"""What is as wide as it is; words, lists and arrangements take the width of the page."""


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
    """

    def __init__(self, bench: Workbench, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.widgets: dict[str, QWidget] = {}
        self._shown: dict[str, Element] = {}
        self._before: dict[str, tuple[Element, Any]] = {}
        self._elements: Sequence[Element] | None = None
        self._content: QWidget | None = None
        self._spacing = spacing
        self._page = QVBoxLayout(self)
        self._page.setContentsMargins(0, 0, 0, 0)

    def tell(self, elements: Sequence[Element]) -> None:
        """Show other elements; widgets of those that are the same are left alone."""
        was, self._elements = self._elements, elements
        if was is None or list(map(_made_of, was)) != list(map(_made_of, elements)):
            self._build(elements)
            return
        for element in (leaf for one in elements for leaf in _leaves(one)):
            # Gradient descent is in motion: it may have gone on where nothing else is different.
            if isinstance(element, Descent) or self._shown[element.id] != element:
                self._shown[element.id] = element
                widget: Any = self.widgets[element.id]
                widget.tell(element)

    def _build(self, elements: Sequence[Element]) -> None:
        """Arrange the elements; a widget that shows the same element as before is taken over."""
        focused = _name_of_focused(self)
        self._before = {id: (self._shown[id], widget) for id, widget in self.widgets.items()}
        self.widgets, self._shown = {}, {}
        content = QWidget()
        self._column = column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self._spacing)
        for element in elements:
            column.addWidget(self._widget(element), 0, _alignment(element))
        column.addStretch()
        self._before = {}
        if self._content is not None:
            self._page.removeWidget(self._content)
            self._content.hide()
            self._content.deleteLater()  # not at once: what asked for other elements may be one of its controls
        self._content = content
        self._page.addWidget(content)
        if focused:
            again = next((w for w in content.findChildren(QWidget) if w.accessibleName() == focused), None)
            if again is not None:
                again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _widget(self, element: Element) -> QWidget:
        match element:
            case Row():
                return self._row(element)
            case Stack():
                return self._stack(element)
            case Controls():
                return self._controls(element)
        widget: Any
        was, widget = self._before.get(element.id, (None, None))
        if was is None or _made_of(was) != _made_of(element):
            widget = WIDGETS[type(element)](self.bench, element)
        elif was != element:
            widget.tell(element)
        self.widgets[element.id], self._shown[element.id] = widget, element
        return widget

    def _row(self, row: Row) -> QWidget:
        px = self.bench.appearance.px
        holder = QWidget()
        flow = FlowLayout(holder, horizontal=px(14), vertical=px(14))
        for item in row.items:
            widget = self._widget(item.element)
            shown = _Signed(item.sign, widget, px(8)) if item.sign else widget
            flow.addWidget(shown)
            matrix = isinstance(widget, MatrixBox)
            flow.setAlignment(shown, Qt.AlignmentFlag.AlignBaseline if matrix else Qt.AlignmentFlag.AlignTop)
        return holder

    def _stack(self, stack: Stack) -> QWidget:
        px = self.bench.appearance.px
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(6))
        if stack.title:
            ink = self.bench.appearance.theme.series[int(stack.ink[-1])] if stack.ink else ""
            square = f"<span style='color:{ink}'>■</span>&nbsp; " if ink else ""
            column.addWidget(mark(QLabel(f"{square}{stack.title}"), role="strong" if ink else "section"))
        for element in stack.elements:
            column.addWidget(self._widget(element), 0, _alignment(element))
        column.addStretch()
        if stack.width:
            holder.setFixedWidth(px(stack.width))
        return holder

    def _controls(self, controls: Controls) -> QWidget:
        px = self.bench.appearance.px
        holder = QWidget()
        flow = FlowLayout(holder, horizontal=px(18), vertical=px(6))
        for control in controls.controls:
            flow.addWidget(self._widget(control))
        return holder

    def share_room(self, width: int, height: int | None = None) -> None:
        """Let matrices be as wide as what is in sight; where something is wider, words and switches stay in sight.

        Parameters
        ----------
        width, height : int
            Pixels in sight. Without a height a picture that would fill it is as high as it needs to be.
        """
        margins = self.contentsMargins()
        room = width - margins.left() - margins.right()
        for widget in self.widgets.values():
            if isinstance(widget, MatrixBox):
                widget.give_room(room - self.bench.appearance.px(SIGN))
        items = (self._column.itemAt(i) for i in range(self._column.count()))
        parts = [item.widget() for item in items if item is not None]
        words = [part for part in parts if isinstance(part, (SectionLabel, NoteLabel, HeaderView))]
        filling = [widget for widget in self.widgets.values() if isinstance(widget, Drawn) and widget.fills]
        others = [p.minimumSizeHint().width() for p in parts if p is not None and p not in words and p not in filling]
        beyond = max([room, *others]) - room
        for part in words:
            inside = part.contentsMargins()
            if inside.right() != beyond:
                inside.setRight(beyond)
                part.setContentsMargins(inside)
        for part in words:
            if isinstance(part, HeaderView):
                part.fit(room)
        for picture in filling:
            taken = self._others(picture, room)
            picture.give_room(room, None if height is None else height - taken)
            # Else Qt asks for the height that the words would take in a narrow column.
            self.setMinimumHeight(taken + picture.minimumHeight())

    def _others(self, picture: Drawn, width: int) -> int:
        """Pixels that all but a picture take, one below the other."""
        margins = self.contentsMargins()
        items = [item for i in range(self._column.count()) if (item := self._column.itemAt(i)) is not None]
        taken = margins.top() + margins.bottom() + self._spacing * (len(items) - 1)
        for item in items:
            if item.widget() is not picture:
                taken += item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
        return taken


def _made_of(element: Element) -> tuple[object, ...]:
    """How an element is arranged, whatever it shows."""
    match element:
        case Row():
            return element.id, *((item.sign, _made_of(item.element)) for item in element.items)
        case Stack():
            return element.id, element.title, element.width, *map(_made_of, element.elements)
        case Controls():
            return element.id, *map(_made_of, element.controls)
    return type(element), element.id, *_controls_of(element)


def _controls_of(element: Element) -> tuple[object, ...]:
    """Which controls a header or a bar of switches has: with others it is another widget."""
    match element:
        case Header(choices=choices, switches=switches, crumbs=crumbs):
            return (
                *(choice.id for choice in choices),
                *(crumb.text for crumb in crumbs),
                *(_controls_of(switches) if switches else ()),
            )
        case Switches():
            named = tuple(tuple(name for name, _ in some) for some in (element.values, element.more))
            return element.block, element.kind, named, element.several
    return ()


def _leaves(element: Element) -> Iterator[Element]:
    """The elements that have widgets of their own, in reading order."""
    match element:
        case Row():
            inside: Sequence[Element] = [item.element for item in element.items]
        case Stack():
            inside = element.elements
        case Controls():
            inside = element.controls
        case _:
            yield element
            return
    for part in inside:
        yield from _leaves(part)


def _alignment(element: Element) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignLeft if isinstance(element, NARROW) else Qt.AlignmentFlag(0)


def _name_of_focused(within: QWidget) -> str:
    """The name of the control that has the keys: a switch that makes the page anew keeps them."""
    widget = QApplication.focusWidget()
    return widget.accessibleName() if widget is not None and within.isAncestorOf(widget) else ""


class _Signed(QWidget):
    """A widget behind its operator sign."""

    def __init__(self, sign: str, widget: QWidget, spacing: int) -> None:
        super().__init__()
        self._widget = widget
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(spacing)
        layout.addWidget(mark(QLabel(sign), role="operator"), 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def baseline(self) -> int:
        """Where the first row of the matrix is."""
        return self._widget.baseline() if isinstance(self._widget, MatrixBox) else 0
