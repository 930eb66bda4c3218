"""A page on the screen: the data that `compose.page` makes of the present view, told to widgets that are kept by id."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from explorer.core.node import Stage
from explorer.pages import compose
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
    Page,
    Row,
    Slider,
    Stack,
    Switches,
)
from explorer.ui.later import later
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.elements import WIDGETS
from explorer.ui.page.header import HeaderView
from explorer.ui.page.note import NoteLabel, SectionLabel
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.workbench import Workbench

SIGN = 48
"""Pixels at text scale 1 that the operator before a matrix takes."""


class PageView(QScrollArea):
    """The page of a stage. It follows the document, what is looked at, and nothing else.

    Parameters
    ----------
    bench : Workbench
    stage : Stage
    """

    def __init__(self, bench: Workbench, stage: Stage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.stage = stage
        self.page: Page | None = None
        self.widgets: dict[str, QWidget] = {}
        """The widgets of all elements that are no mere arrangement of others, by id."""
        self._shown: dict[str, Element] = {}
        self._before: dict[str, tuple[Element, Any]] = {}
        self._stale = True
        self._steps: tuple[float, Mapping[str, bool]] | None = None
        self._settled = later(self, self._share_room)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bench.selection.looked.connect(self.follow)
        bench.descent.changed.connect(self._follow_descent)

    @property
    def header(self) -> HeaderView:
        """What stands on top."""
        header = self.widgets["header"]
        assert isinstance(header, HeaderView)
        return header

    # Following

    def follow(self) -> None:
        """Show what there is now: at once, or as soon as the page is in sight."""
        self._stale = True
        if self.isVisible():
            self.refresh()

    def _follow_descent(self) -> None:
        """Show another way of taking steps; the steps themselves are changes of the document."""
        descent = self.bench.descent
        if (descent.rate, descent.moves()) != self._steps:
            self.follow()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Make the page anew as data, and tell the widgets what is different."""
        if not self._stale or self.stage not in self.bench.selection.stops:
            return  # a page whose stage is gone is taken away
        self._stale = False
        view = self.bench.view
        self._steps = (view.steps.rate, view.steps.moves) if view.steps is not None else None
        page = compose.page(view, self.stage)
        was, self.page = self.page, page
        if was is None or _made_of(was) != _made_of(page):
            self._build(page)
        else:
            for element in _leaves(page):
                self._tell(element)

    def _tell(self, element: Element) -> None:
        # Gradient descent is in motion: it may have gone on where nothing else is different.
        if isinstance(element, Descent) or self._shown[element.id] != element:
            self._shown[element.id] = element
            widget: Any = self.widgets[element.id]
            widget.tell(element)

    # Building

    def _build(self, page: Page) -> None:
        """Arrange the elements; a widget that shows the same element as before is taken over."""
        px = self.bench.appearance.px
        focused = _name_of_focused(self)
        self._before = {id: (self._shown[id], widget) for id, widget in self.widgets.items()}
        self.widgets, self._shown = {}, {}
        content = QWidget()
        self._content = column = QVBoxLayout(content)
        column.setContentsMargins(px(24), px(16), px(16), px(20))
        column.setSpacing(px(12))
        for element in (page.header, *page.elements):
            column.addWidget(self._widget(element), 0, _alignment(element))
        column.addStretch()
        self._before = {}
        old = self.takeWidget()
        if old is not None:
            old.deleteLater()  # not at once: what asked for another page may be one of its controls
        self.setWidget(content)
        if self.isVisible():
            self._share_room()
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

    # Room

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self.page is not None:  # Qt sends one while it is made
            self._share_room()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # What stands on the page has another size.
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._settled.start()
        return bool(super().eventFilter(watched, event))

    def _share_room(self) -> None:
        """Let matrices be as wide as what is in sight; where something is wider, words and switches stay in sight."""
        if self.page is None:
            return
        room = self.viewport().width() - self.bench.appearance.px(24 + 16)
        for widget in self.widgets.values():
            if isinstance(widget, MatrixBox):
                widget.give_room(room - self.bench.appearance.px(SIGN))
        items = (self._content.itemAt(i) for i in range(self._content.count()))
        parts = [item.widget() for item in items if item is not None]
        words = [part for part in parts if isinstance(part, (SectionLabel, NoteLabel, HeaderView))]
        others = [part.minimumSizeHint().width() for part in parts if part is not None and part not in words]
        beyond = max([room, *others]) - room
        for part in words:
            margins = part.contentsMargins()
            if margins.right() != beyond:
                margins.setRight(beyond)
                part.setContentsMargins(margins)
        self.header.fit(room)


def _made_of(element: Page | Element) -> tuple[object, ...]:
    """How the elements of a page are arranged, whatever they show."""
    match element:
        case Page():
            return tuple(map(_made_of, (element.header, *element.elements)))
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
        case Header(choices=choices, switches=switches):
            return (*(choice.id for choice in choices), *(_controls_of(switches) if switches else ()))
        case Switches():
            named = tuple(tuple(name for name, _ in some) for some in (element.values, element.more))
            return element.block, element.kind, named, element.several
    return ()


def _leaves(element: Page | Element) -> list[Element]:
    """The elements that have widgets of their own, in reading order."""
    match element:
        case Page():
            return [leaf for part in (element.header, *element.elements) for leaf in _leaves(part)]
        case Row():
            return [leaf for item in element.items for leaf in _leaves(item.element)]
        case Stack():
            return [leaf for part in element.elements for leaf in _leaves(part)]
        case Controls():
            return [leaf for part in element.controls for leaf in _leaves(part)]
    return [element]


def _alignment(element: Element) -> Qt.AlignmentFlag:
    """Controls and matrices are as wide as they are; words and listings take the width of the page."""
    own = isinstance(element, (Matrix, Button, Check, Choice, Number, Slider))
    return Qt.AlignmentFlag.AlignLeft if own else Qt.AlignmentFlag(0)


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
