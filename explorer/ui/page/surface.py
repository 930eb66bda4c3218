"""Elements, each shown by a widget that is kept under the element's id; `Arranged` places the widgets."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QWidget

from explorer.pages.arrange import own_size
from explorer.pages.element import Arrangement, Element, leaves
from explorer.pages.page import DescentPart
from explorer.pages.steps.of_step import names
from explorer.ui.page.elements import WIDGETS, differing, made_of
from explorer.ui.page.header import HeaderView
from explorer.ui.widgets.inputs import reached, tab_through
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.tree import Gone, inside
from explorer.ui.workbench import Workbench


class Keys(NamedTuple):
    """What takes the keys on a page, so that it takes them again on the page that is built anew in another look."""

    name: str = ""  # for a screen reader
    # The link in words, or what is selected in a field: the element, the first letter there, and how many there are.
    selected: tuple[str, int, int] | None = None
    cell: tuple[int, int] | None = None  # of a table


class Surface(QWidget):
    """The widgets of some elements."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        # The widgets of all elements that are no arrangements, by id.
        self.widgets: dict[str, QWidget] = {}
        self._shown: dict[str, tuple[Element, QWidget]] = {}  # the same widgets, each with the element that it shows
        self._ahead: dict[str, tuple[Element, QWidget]] = {}  # hidden widgets, made for elements that are shown next
        self._labels: dict[str, Label] = {}
        """The titles of stacks, and the signs before elements of rows, by their ids (`pages/arrange.py`)."""
        self.elements: Sequence[Element] = ()
        """The top-level elements, from the top down."""
        self.fits = False
        """Whether the layout suits the sizes of all matrices, and what a step names; Qt reports all other changes."""
        self._gone = Gone(self)

    def _label(self, element: Arrangement) -> None:
        """Make the labels that an arrangement lacks."""

    def _follow_elements(self) -> None:
        """Follow other elements, whose widgets all exist."""

    def preparing(self, elements: Sequence[Element]) -> Iterator[None]:
        """Make the widgets that other elements lack, one at each step of the iteration.

        The visible widgets stay as they are until `tell`.
        """
        for element in (part for one in elements for part in leaves(one)):
            if isinstance(element, Arrangement):
                self._label(element)
            elif self._found(element) is None:
                widget = WIDGETS[type(element)](self.bench, element, self)
                widget.sizeHint()  # styles and measures it now: doing so for all widgets in one turn would take long
                self._ahead[element.id] = element, widget
                yield

    def _found(self, element: Element) -> tuple[Element, Any] | None:
        """The widget that exists for an element, visible or made ahead, with the element that it shows."""
        for one in (self._shown.get(element.id), self._ahead.get(element.id)):
            if one is not None and made_of(one[0]) == made_of(element):
                return one
        return None

    def tell(self, elements: Sequence[Element], most: float = math.inf) -> bool:
        """Show other elements; widgets of unchanged elements are left alone.

        If more than `most` widgets are missing, does nothing and returns False.
        """
        others = differing(self.elements, elements)
        if others is None:
            if most < math.inf and sum(self._found(part) is None for part in _parts(elements)) > most:
                return False
            for _ in self.preparing(elements):
                pass
            self._arrange(elements)
            return True
        self.elements = elements
        # The parts of gradient descent change by themselves, so they are told even if their elements are equal.
        told = {one.id for one in others}  # compared by id: `_shown` still has the elements of the earlier model
        others += [one for id, (one, _) in self._shown.items() if isinstance(one, DescentPart) and id not in told]
        for element in others:
            was, widget = self._shown[element.id][0], self.widgets[element.id]
            self._shown[element.id] = element, widget
            stands_otherwise = cast(Any, widget).tell(element) or own_size(was) != own_size(element)
            if stands_otherwise or isinstance(widget, HeaderView):
                self.fits = False
        return True

    def named(self, name: str) -> QWidget | None:
        """The widget of the element with this name, or of the first element in it."""
        parts = (part for one in self.elements for part in leaves(one) if name.casefold() in names(part))
        return next((self.widgets[one.id] for part in parts for one in leaves(part) if one.id in self.widgets), None)

    def _arrange(self, elements: Sequence[Element]) -> None:
        """Show other elements, whose widgets all exist. One that stays keeps the focus, and a drag continues."""
        focused = QApplication.focusWidget()
        before = [*self.widgets.values(), *(widget for _, widget in self._ahead.values()), *self._labels.values()]
        shown: dict[str, tuple[Element, QWidget]] = {}
        for element in _parts(elements):
            found = self._found(element)
            assert found is not None
            was, widget = found
            if was != element:
                widget.tell(element)
            shown[element.id] = element, widget
        new = {widget for _, widget in self._ahead.values()}
        self._shown, self._ahead = shown, {}
        self.widgets, self.fits = {id: widget for id, (_, widget) in shown.items()}, False
        self.elements = elements
        self._follow_elements()
        stay = {*self.widgets.values(), *self._labels.values()}
        gone = dict.fromkeys(widget for widget in before if widget not in stay)
        for widget in gone:
            widget.hide()
        # Deleted in a later turn: one of these controls may have caused the change.
        self._gone.delete(*gone)
        for widget in stay:
            # On a visible page Qt shows a new widget one turn later; until then the layout would give it no room.
            if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):
                widget.setAttribute(Qt.WidgetAttribute.WA_WState_Hidden, False)
        if len(new) < len(shown):  # else all were made in reading order
            there = [widget for _, widget in shown.values()]
            for place, widget in enumerate(there):
                if widget in new:
                    before = next((keys for one in there[:place][::-1] if (keys := reached(one))), [])
                    tab_through(*before[-1:], widget)
        if focused is not None and any(widget is focused or widget.isAncestorOf(focused) for widget in gone):
            self.setFocus(Qt.FocusReason.OtherFocusReason)  # else Qt gives the keys to any control of the window
            self.give_focus(focused.accessibleName())

    def keys(self) -> Keys:
        """What takes the keys here."""
        focused = QApplication.focusWidget()
        if focused is None or not self.isAncestorOf(focused):
            return Keys()
        around = focused.parentWidget()
        if around is not None and isinstance(table := around.parentWidget(), QTableView):
            focused = table  # in which the editor of a cell stands
        at = focused.currentIndex() if isinstance(focused, QTableView) else None
        selected = None
        if isinstance(focused, Label | QLineEdit) and (words := focused.selectedText()):
            there = (id for id, one in self.widgets.items() if one is focused or one.isAncestorOf(focused))
            selected = next(((id, focused.selectionStart(), len(words)) for id in there), None)
        return Keys(focused.accessibleName(), selected, (at.row(), at.column()) if at else None)

    def give_keys(self, keys: Keys) -> None:
        """Give the keys to what took them on the page that stood here before."""
        self.give_focus(keys.name, keys.cell)
        id, first, count = keys.selected or ("", 0, 0)
        for one in (self.widgets[id], *self.widgets[id].findChildren(QWidget)) if id in self.widgets else ():
            if isinstance(one, Label | QLineEdit):
                one.setFocus(Qt.FocusReason.OtherFocusReason)
                one.setSelection(first, count)

    def give_focus(self, name: str, cell: tuple[int, int] | None = None) -> None:
        """Focus the control of this name, so that a switch that rebuilds its own bar keeps the focus.

        `cell`: of a table, its row and column.
        """
        there = set(self.widgets.values())
        if not name:
            return
        named = (one for one in inside(self, QWidget) if one.accessibleName() == name and one.focusPolicy().value)
        again = next((one for one in named if one in there or any(of.isAncestorOf(one) for of in there)), None)
        if again is None:
            return
        if cell is not None and isinstance(again, QTableView):
            with QSignalBlocker(again.selectionModel()):  # the person has not gone to another cell
                again.setCurrentIndex(again.model().index(*cell))
        again.setFocus(Qt.FocusReason.OtherFocusReason)


def _parts(elements: Iterable[Element]) -> list[Element]:
    return [part for one in elements for part in leaves(one) if not isinstance(part, Arrangement)]
