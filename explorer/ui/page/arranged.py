"""Elements at the rectangles that `pages/arrange.py` computes. It asks their widgets only how large their words are."""

from collections.abc import Sequence
from math import inf

from PySide6.QtCore import QEvent, QRect, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget, QWidgetItem

from explorer.pages.arrange import Ask, Scene, arrange
from explorer.pages.element import Element
from explorer.ui.page.answers import height_at
from explorer.ui.page.surface import Surface
from explorer.ui.workbench import Workbench


class Arranged(Surface):
    """A page of elements below each other, which knows its height at any width before it is shown.

    `spacing`: pixels between two elements.
    """

    grown = Signal()  # its height at its width is another one

    def __init__(self, bench: Workbench, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(bench, parent)
        self.px, self.spacing = bench.appearance.px, spacing
        self._scenes: dict[int, Scene] = {}
        """The places at the widths that were asked for."""
        self._high = -1
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    # What `arrange` asks

    def ask(self, id: str) -> Ask | None:
        """See `Metrics`."""
        widget = self.widgets[id]
        if widget.isHidden():
            return None
        widget.ensurePolished()
        item = QWidgetItem(widget)
        share, fewer = int(getattr(widget, "shares_line", 0)), getattr(widget, "fewer", ())
        return Ask(item.sizeHint().width(), item.minimumSize().width(), share, fewer)

    def high(self, id: str, width: int) -> int:
        """See `Metrics`."""
        return height_at(self.widgets[id], width)

    # Its places

    def tell(self, elements: Sequence[Element], most: float = inf) -> bool:
        """Show other elements, at their places."""
        done = super().tell(elements, most)
        self.stand()
        return done

    def scene(self, width: int) -> Scene:
        """The places of the elements in a width."""
        if width not in self._scenes:
            self._scenes[width] = arrange(self.elements, width, self.spacing, self)
        return self._scenes[width]

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        around = self.contentsMargins()
        return self.scene(width - around.left() - around.right()).height + around.top() + around.bottom()

    def stand(self) -> None:
        """Put the elements into their places, because what they show has another size."""
        self._scenes = {}
        room = self.contentsRect()
        scene = self.scene(room.width())
        for id, place in scene.places.items():
            widget = self.widgets[id]
            widget.setGeometry(QRect(*place).translated(room.topLeft()))
            widget.show()  # Qt would show a new one a turn later
        if scene.height != self._high:
            self._high = scene.height
            self.updateGeometry()
            self.grown.emit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a widget has another size
            self.stand()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.stand()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.height_at(width)

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.height_at(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)
