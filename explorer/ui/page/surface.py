"""A page on the screen: each element has a widget, at the rectangle that `pages/arrange.py` computes."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import inf
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QSizePolicy, QTableView, QWidget, QWidgetItem

from explorer.pages.arrange import ANY, Ask, Scene, filled, own_size, picture_size, scene_of
from explorer.pages.element import Arrangement, Element, leaves
from explorer.pages.page import DescentPart
from explorer.pages.steps.of_step import names
from explorer.ui.page.elements import WIDGETS, differing, made_of
from explorer.ui.page.header import HeaderView
from explorer.ui.page.pictures import Filling
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
    """Elements below each other, which know their height at any width before they are shown.

    A widget is kept under its element's id as long as elements of this id are shown. It is asked only how large its
    words are.

    `spacing`: pixels between two elements.
    """

    grown = Signal()  # its height at its width is another one
    restood = Signal()  # what stands on it has taken another size by itself, and so all has new places

    between_lines = 12  # pixels at text scale 1 between the lines of a row

    def __init__(self, bench: Workbench, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        # The widgets of all elements that are no arrangements, by id.
        self.widgets: dict[str, QWidget] = {}
        self._shown: dict[str, tuple[Element, QWidget]] = {}  # the same widgets, each with the element that it shows
        self._stated: set[str] = set()  # the ids of the pictures that state a size of their own
        self._ahead: dict[str, tuple[Element, QWidget]] = {}  # hidden widgets, made for elements that are shown next
        self._labels: dict[str, Label] = {}
        """The titles of stacks, and the signs before elements of rows, by their ids (`pages/arrange.py`)."""
        self.elements: Sequence[Element] = ()
        """The top-level elements, from the top down."""
        self.fits = False
        """Whether the layout suits the sizes of all matrices, and what a step names; Qt reports all other changes."""
        self._gone = Gone(self)
        self.px, self.spacing = bench.appearance.px, spacing
        # See `Metrics`.
        self.room, self.fixed, self.begins = ANY, dict[str, int](), dict[str, Collection[int]]()
        self.sight: int | None = None
        self.drawn = 1.0
        self.narrow: dict[str, int] = {}
        """The widths of the places of elements in stacks of a width of their own, by id; others have `room`."""
        self._asks: dict[str, Ask | None] = {}
        self._highs: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._scenes: defaultdict[str, dict[int, Scene]] = defaultdict(dict)
        """The places in each top-level element, by its id, and in all, by "", at the widths that were asked for."""
        self._stood: tuple[Scene, QPoint] | None = None
        """Where everything stands, and the corner that it stands from."""
        self._spare: list[Filling] = []
        """The pictures that fill the page; one is hidden where the page has no room to spare."""
        self.needs = 0, 0
        """Its height at its width, and its least width."""
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    # Its elements

    def _label(self, element: Arrangement) -> None:
        """Make the labels that an arrangement lacks."""

    def _follow_elements(self) -> None:
        """Follow other elements, whose widgets all exist."""
        self._stood = None

    def _follow_news(self) -> None:
        """Follow what was told, the same elements or others."""
        self.stand()

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

    def tell(self, elements: Sequence[Element], most: float = inf) -> bool:
        """Show other elements, at their places; widgets of unchanged elements are left alone.

        If more than `most` widgets are missing, does nothing and returns False.
        """
        others = differing(self.elements, elements)
        if others is None:
            if most < inf and sum(self._found(part) is None for part in _parts(elements)) > most:
                return False
            for _ in self.preparing(elements):
                pass
            self._arrange(elements)
            self._follow_news()
            return True
        self.elements = elements
        # The parts of gradient descent change by themselves, so they are told even if their elements are equal.
        told = {one.id for one in others}  # compared by id: `_shown` still has the elements of the earlier model
        others += [one for id, (one, _) in self._shown.items() if isinstance(one, DescentPart) and id not in told]
        for element in others:
            was: Any = self._shown[element.id][0]
            now: Any = element
            widget: Any = self.widgets[element.id]
            self._shown[element.id] = element, widget
            stands_otherwise = widget.tell(element)
            if element.id in self._stated and (was.width, was.height) != (now.width, now.height):
                stands_otherwise = True
            if stands_otherwise or isinstance(widget, HeaderView):
                self.fits = False
        self._follow_news()
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
        self._stated = {id for id, (element, _) in shown.items() if any(own_size(element) or ())}
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

    # What `arrange` asks

    @property
    def down(self) -> int:
        """See `Metrics`."""
        return self.px(self.between_lines)

    def ask(self, id: str) -> Ask | None:
        """See `Metrics`."""
        if id not in self._asks:
            self._asks[id] = self.measured(id)
        return self._asks[id]

    def measured(self, id: str) -> Ask | None:
        """What an element asks for now."""
        widget = self.widgets.get(id) or self._labels.get(id)
        if widget is None or (widget.isHidden() and widget not in self._spare):
            return None
        if (own := getattr(widget, "asks", None)) is not None:
            ask: Ask = own(self.narrow.get(id, self.room))
            return ask
        if id in self._stated and (across := self._picture_size(id)[0]):
            return Ask(across, across, most=across)
        widget.ensurePolished()
        item = QWidgetItem(widget)
        likes, share = item.sizeHint().width(), int(getattr(widget, "shares_line", 0))
        return Ask(likes, item.minimumSize().width(), share, getattr(widget, "fewer", ()), item.maximumSize().width())

    def high(self, id: str, width: int) -> int:
        """See `Metrics`."""
        highs = self._highs[id]
        if width not in highs:
            widget = self.widgets.get(id) or self._labels.get(id)
            if id in self._stated:
                highs[width] = self._picture_height(id, width)
            else:
                highs[width] = 0 if widget is None else height_of(widget, width)
        return highs[width]

    def _picture_height(self, id: str, width: int) -> int:
        """The height of a picture that states a size; those of all weights are as high as they need all the same."""
        widget = self.widgets[id]
        stated = 0 if widget.hasHeightForWidth() else self._picture_size(id)[1]
        return stated or height_of(widget, width)

    def _picture_size(self, id: str) -> tuple[int, int]:
        return picture_size(self._shown[id][0], self.narrow.get(id, self.room), self) or (0, 0)

    # Its places

    def measure_anew(self) -> None:
        """Forget all sizes."""
        self._asks.clear()
        self._highs.clear()
        self._scenes.clear()

    def scene(self, width: int) -> Scene:
        """The places of the elements in a width."""
        scenes = self._scenes[""]
        if width not in scenes:
            self._least()  # asks all of them: a page has many elements that show nothing now
            shown = [one for one in self.elements if self._asks.get(one.id, one) is not None]
            scenes[width] = filled(shown, [self.part_scene(one, width) for one in shown], width, self.spacing, self)
        return scenes[width]

    def part_scene(self, element: Element, width: int) -> Scene:
        """The places in a top-level element, from its top."""
        scenes = self._scenes[element.id]
        if width not in scenes:
            scenes[width] = scene_of(element, width, self.spacing, self)
        return scenes[width]

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        around = self.contentsMargins()
        return self.scene(width - around.left() - around.right()).height + around.top() + around.bottom()

    def stand(self) -> None:
        """Put the elements into their places, because what they show has another size."""
        self.measure_anew()
        self._stand()

    def _stand(self) -> None:
        room = self.contentsRect()
        scene, corner = self.scene(room.width()), room.topLeft()
        if self._stood == (scene, corner):
            return
        self._stood = scene, corner
        for id, place in scene.places.items():
            if (widget := self.widgets.get(id) or self._labels.get(id)) is not None:
                widget.setGeometry(QRect(*place).translated(corner))
                widget.show()  # Qt would show a new one a turn later
        for id, label in self._labels.items():
            if id not in scene.places:  # a comma at the beginning of a line
                label.hide()
        for widget in self._spare:
            widget.setVisible(widget.data.id in scene.places)
        needs = scene.height, self._least()
        if needs != self.needs:
            self.needs = needs
            self.updateGeometry()
            self.grown.emit()

    def _least(self) -> int:
        return 0

    def _follow_sizes(self) -> None:
        """Put all into new places if something has another size by itself."""
        asks = {id: self.measured(id) for id in self._asks}
        highs = {}
        for id, (_, _, wide, high) in (self._stood[0].places if self._stood is not None else {}).items():
            widget = self.widgets.get(id) or self._labels.get(id)
            if widget is not None and id in self._highs:
                now = self._picture_height(id, wide) if id in self._stated else height_of(widget, wide)
                highs[id] = self._highs[id].get(wide, high), {wide: now}
        if asks == self._asks and all(was in now.values() for was, now in highs.values()):
            return
        before = self._stood
        self.measure_anew()
        self._asks |= asks  # what was measured is not measured again
        self._highs |= {id: now for id, (_, now) in highs.items()}
        self._stand()
        if self._stood != before:
            self.restood.emit()

    def event(self, event: QEvent) -> bool:
        # A widget may have another size, which it cannot report while its page is hidden.
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._follow_sizes()
        elif event.type() == QEvent.Type.ContentsRectChange:  # its margins
            self._stand()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stand()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.height_at(width)

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.height_at(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


def _parts(elements: Iterable[Element]) -> list[Element]:
    return [part for one in elements for part in leaves(one) if not isinstance(part, Arrangement)]


def height_of(widget: QWidget, width: int) -> int:
    """The height in pixels of a widget in this width."""
    if (own := getattr(widget, "height_at", None)) is not None:
        return int(own(width))
    item = QWidgetItem(widget)
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
