"""Elements at the rectangles that `pages/arrange.py` computes. It asks their widgets only how large their words are."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from math import inf

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget, QWidgetItem

from explorer.pages.arrange import ANY, Ask, Scene, filled, picture_size, scene_of
from explorer.pages.element import Element
from explorer.ui.page.elements import Filling
from explorer.ui.page.surface import Surface
from explorer.ui.workbench import Workbench


class Arranged(Surface):
    """A page of elements below each other, which knows its height at any width before it is shown.

    `spacing`: pixels between two elements.
    """

    grown = Signal()  # its height at its width is another one
    restood = Signal()  # what stands on it has taken another size by itself, and so all has new places

    between_lines = 12  # pixels at text scale 1 between the lines of a row

    def __init__(self, bench: Workbench, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(bench, parent)
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
        if (size := self._picture_size(id)) is not None and size[0]:
            return Ask(size[0], size[0], most=size[0])
        widget.ensurePolished()
        item = QWidgetItem(widget)
        likes, share = item.sizeHint().width(), int(getattr(widget, "shares_line", 0))
        return Ask(likes, item.minimumSize().width(), share, getattr(widget, "fewer", ()), item.maximumSize().width())

    def high(self, id: str, width: int) -> int:
        """See `Metrics`."""
        highs = self._highs[id]
        if width not in highs:
            highs[width] = self._measured_high(id, width)
        return highs[width]

    def _measured_high(self, id: str, width: int) -> int:
        widget = self.widgets.get(id) or self._labels.get(id)
        if widget is None:
            return 0
        size = self._picture_size(id)
        # Pictures of all weights are as high as they need, whatever their part states.
        return height_of(widget, width) if size is None or not size[1] or widget.hasHeightForWidth() else size[1]

    def _picture_size(self, id: str) -> tuple[int, int] | None:
        return picture_size(self._shown[id][0], self.narrow.get(id, self.room), self) if id in self._shown else None

    # Its places

    def _follow_elements(self) -> None:
        self._stood = None

    def tell(self, elements: Sequence[Element], most: float = inf) -> bool:
        """Show other elements, at their places."""
        done = super().tell(elements, most)
        self.stand()
        return done

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
                highs[id] = self._highs[id].get(wide, high), {wide: self._measured_high(id, wide)}
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


def height_of(widget: QWidget, width: int) -> int:
    """The height in pixels of a widget in this width."""
    if (own := getattr(widget, "height_at", None)) is not None:
        return int(own(width))
    item = QWidgetItem(widget)
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
