"""What a screen reader finds in a drawing: each box as a child of its own, with its name and summary."""

from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import ref

import shiboken6
from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget

from explorer.pages.drawing import Box

if TYPE_CHECKING:
    from explorer.ui.drawing.view import DrawingView

Text = QAccessible.Text
_GIVEN: list["_Whole"] = []
"""All interfaces given to Qt, with their blocks, kept alive: Qt has plain pointers to them until the program ends."""


class _Block(QAccessibleInterface):
    """The box with index `place` among a drawing's boxes that lead somewhere."""

    def __init__(self, view: "DrawingView", place: int) -> None:
        super().__init__()
        self._known, self._place = ref(view), place

    @property
    def _view(self) -> "DrawingView | None":
        """The drawing's widget, as long as it exists."""
        view = self._known()
        return view if view is not None and shiboken6.isValid(view) else None

    @property
    def _box(self) -> Box | None:
        boxes = list(self._view.drawing.boxes.values()) if self._view is not None else ()
        return boxes[self._place] if self._place < len(boxes) else None

    def isValid(self) -> bool:
        return self._box is not None

    def _nothing(self, *_: Any) -> Any:
        return None

    object = child = childAt = setText = _nothing

    def window(self) -> Any:
        return self._view.window().windowHandle() if self._view is not None else None

    def parent(self) -> Any:
        return QAccessible.queryAccessibleInterface(self._view) if self._view is not None else None

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def text(self, kind: Text) -> str:
        box = self._box
        if box is None or kind not in (Text.Name, Text.Description):
            return ""
        return box.name if kind == Text.Name else box.tip.replace("\n", ", ")

    def rect(self) -> QRect:
        box, view = self._box, self._view
        return QRect() if box is None or view is None else view.on_screen(box)

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Button

    def state(self) -> QAccessible.State:
        state, view = QAccessible.State(), self._view
        if view is None or self._box is None:
            state.invalid = True
        else:
            state.focusable = True
            state.focused = view.hasFocus() and view.place == self._place
        return state


class _Whole(QAccessibleWidget):
    """A drawing with its blocks."""

    def __init__(self, view: "DrawingView") -> None:
        super().__init__(view, QAccessible.Role.Grouping)
        self._blocks: list[_Block] = []

    def text(self, kind: Text) -> str:
        view: Any = self.object()
        view.catch_up()
        return super().text(kind)

    def childCount(self) -> int:
        drawing = getattr(self.object(), "drawing", None)  # none while the view is being made, when Qt already asks
        return 0 if drawing is None else len(drawing.boxes)

    def child(self, index: int) -> Any:
        view: Any = self.object()
        while len(self._blocks) < self.childCount():
            self._blocks.append(_Block(view, len(self._blocks)))
        return self._blocks[index] if 0 <= index < self.childCount() else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return next((k for k, block in enumerate(self._blocks) if block is child), -1)

    def childAt(self, x: int, y: int) -> Any:
        found = (k for k in reversed(range(self.childCount())) if self.child(k).rect().contains(x, y))
        return next(map(self.child, found), None)

    def focusChild(self) -> Any:
        place = getattr(self.object(), "place", None)
        return None if place is None else self.child(place)


def _made(key: str, found: QObject) -> QAccessibleInterface | None:
    from explorer.ui.drawing.view import DrawingView

    if not isinstance(found, DrawingView):
        return None
    _GIVEN.append(_Whole(found))
    return _GIVEN[-1]


@cache
def install() -> None:
    """Make Qt ask this module for the accessible interfaces of drawings; done once for the whole program."""
    QAccessible.installFactory(_made)


def tell_focus(view: "DrawingView", place: int) -> None:
    """Tell a screen reader that the block with index `place` has got the focus."""
    if QAccessible.isActive():
        event = QAccessibleEvent(view, QAccessible.Event.Focus)
        event.setChild(place)
        QAccessible.updateAccessibility(event)
