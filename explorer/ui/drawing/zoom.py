"""The mouse and the keys in a drawing with zoom: the wheel, dragging, and keys that go from box to box.

And what a screen reader finds there: each box as a child of its own, with its name and summary.
"""

from collections.abc import Sequence
from functools import cache, partial
from math import hypot
from typing import TYPE_CHECKING, Any
from weakref import ref

import shiboken6
from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QAccessibleWidget, QMenu

from explorer.core.graph import Cell
from explorer.core.numbers import exact
from explorer.pages.drawing import Bars, Box, Dot, Drawing, Image
from explorer.pages.gestures import GoTo
from explorer.ui.drawing.blocks import DISC
from explorer.ui.drawing.marks import Marks
from explorer.ui.drawing.pointing import cell_of
from explorer.ui.page.gestures import perform

if TYPE_CHECKING:
    from explorer.ui.drawing.view import DrawingView

STEP = 1.25
"""The factor of one step of the wheel."""
FILLS = 0.8
"""If a box fills this share of the width or height of the view, zooming in further opens the box."""
RESISTANCE = 2
"""After this many steps of the wheel that zoom out while the whole drawing is visible, its page is left."""
CLOSEST = 16.0
ASIDE = 2.5
"""The weight of a distance to the side, relative to one ahead, when an arrow key looks for the next box."""


class Closer:
    """Handles the mouse and the keys in a drawing with zoom.

    The wheel, or + and −, zoom; dragging moves; a double click, or 0, shows all. A click on a box opens it, and so do
    Enter on the box with the focus, and zooming in until the box fills the view. Zooming out further when the whole
    drawing is visible leaves the drawing.
    """

    def __init__(self, view: "DrawingView", marks: Marks) -> None:
        self._view, self._marks = view, marks
        self._whole = QRectF()
        self._away = 0.0
        self._found: tuple[Drawing | None, list[tuple[int, Box]]] = (None, [])

    @property
    def boxes(self) -> list[tuple[int, Box]]:
        """The boxes that lead somewhere, each with its number among the marks."""
        drawing = self._view.drawing
        if self._found[0] is not drawing:
            boxes = [(i, m) for i, m in enumerate(drawing.marks) if isinstance(m, Box) and m.leads is not None]
            self._found = drawing, boxes
        return self._found[1]

    @property
    def place(self) -> int | None:
        """The index of the box that has the focus."""
        return next((k for k, (i, _) in enumerate(self.boxes) if i == self._marks.here), None)

    def on_screen(self, box: Box) -> QRect:
        """The rectangle of a box on the screen."""
        left, top, wide, high = box.place
        rect = QRectF(self._view.pixel(left, top), self._view.pixel(left + wide, top + high)).normalized().toRect()
        return QRect(self._view.mapToGlobal(rect.topLeft()), rect.size())

    def tell(self, window: tuple[float, float, float, float]) -> None:
        """Take the window of another drawing; if only a part is visible, the visible part stays."""
        left, right, bottom, top = window
        whole = QRectF(left, bottom, right - left, top - bottom)
        if whole != self._whole:
            near = self.near
            self._whole = whole
            if not near:
                self.show_all()

    @property
    def near(self) -> bool:
        """Whether only a part of the drawing is visible."""
        return not self._whole.isEmpty() and not self._view.seen.adjusted(-1, -1, 1, 1).contains(self._whole)

    def resize(self) -> None:
        """Show all of the drawing again, in the new size of the picture."""
        if not self._whole.isEmpty():
            self.show_all()

    def show_all(self) -> None:
        """Show the whole drawing."""
        self._look(self._whole)

    def _look(self, part: QRectF) -> None:
        box = self._view.getViewBox()
        box.setRange(part, padding=0.0, disableAutoRange=True)
        box.updateMatrix()  # now: during the next paint it would cause a second paint

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom in (a factor above 1) or out; the point `at`, or the middle, stays where it is."""
        part, whole = self._view.nearer(factor, at), self._whole
        if part.width() >= whole.width() and part.height() >= whole.height():
            self.show_all()
        elif part.width() * CLOSEST >= whole.width() or part.height() * CLOSEST >= whole.height():
            self.look(part)

    def look(self, part: QRectF) -> None:
        """Show a part, moved so that it does not leave the drawing."""
        whole, held = self._whole, QRectF(part)
        if part.width() < whole.width():
            held.moveLeft(min(max(part.left(), whole.left()), whole.right() - part.width()))
        else:
            held.moveLeft(whole.center().x() - part.width() / 2)
        if part.height() < whole.height():
            held.moveTop(min(max(part.top(), whole.top()), whole.bottom() - part.height()))
        else:
            held.moveTop(whole.center().y() - part.height() / 2)
        self._look(held)

    # The mouse

    def leave(self) -> None:
        """Forget the box under the mouse, which has left the drawing."""
        self._raise(None)

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom, or go into a box or out of the drawing; the page does not scroll."""
        steps = event.angleDelta().y() / 120
        event.accept()
        if steps < 0 and not self.near:
            self._away -= steps
            if self._away >= RESISTANCE:
                self._away = 0.0
                self.go_out()
            return
        self._away = 0.0
        box = self._box_at(event.position())
        if steps > 0 and box is not None and self._fills(box):
            self._marks.here = box
            self._enter()
            return
        self.zoom(STEP**steps, self._view.at(event.position()))

    def _fills(self, number: int) -> bool:
        """Whether a box fills the view; False for a frame around others, which zooming in does not open."""
        box, seen = self._view.drawing.marks[number], self._view.seen
        if not isinstance(box, Box) or box.around:
            return False
        _, _, wide, high = box.place
        return wide >= FILLS * seen.width() or high >= FILLS * seen.height()

    def go_out(self) -> bool:
        """Leave the drawing by its gesture `out`; returns whether it has one."""
        out = self._view.drawing.out
        if out is not None:
            perform(self._view.bench, out, self._view)
        return out is not None

    def point(self, position: QPointF) -> None:
        """Point at what is under the mouse."""
        selection = self._view.bench.selection
        box = self._box_at(position)
        self._raise(box)
        token = self._word_at(position)
        cell = self._cell_at(position)
        found = self._view.square_at(position)
        if found is not None and isinstance(found[0], Image):
            one, (row, _) = found
            token = (one.token, row) if one.token else token
        selection.set_token(token)
        if cell is not None:
            selection.point(cell)
        means = box is not None or token is not None or cell is not None
        shape = Qt.CursorShape.PointingHandCursor if means else Qt.CursorShape.ArrowCursor
        self._view.viewport().setCursor(shape)

    def click(self, position: QPointF) -> None:
        """Choose the word or the number under the mouse, and open the box."""
        selection = self._view.bench.selection
        token, cell, box = self._word_at(position), self._cell_at(position), self._box_at(position)
        if token is not None:
            selection.choose_token(None if token == selection.chosen_token else token)
            return
        if cell is not None:
            selection.choose(cell)
        if box is not None:
            self._marks.here = box
            self._enter()

    def _raise(self, box: int | None) -> None:
        if box != self._marks.under:
            self._marks.under = box
            self._marks.update()

    def _box_at(self, position: QPointF) -> int | None:
        """The number of the box under the mouse that leads somewhere; of nested boxes, the innermost."""
        point = self._view.at(position)
        return next((i for i, box in reversed(self.boxes) if QRectF(*box.place).contains(point)), None)

    def _word_at(self, position: QPointF) -> tuple[str, int] | None:
        found = [(rect, token) for rect, token in self._marks.blocks.spots if rect.contains(position)]
        nearest = min(found, key=lambda one: abs(one[0].center().y() - position.y()), default=None)
        return None if nearest is None else nearest[1]

    def _cell_at(self, position: QPointF) -> Cell | None:
        """The cell of an image, of bars or of a neuron under the mouse."""
        found = self._view.square_at(position)
        if found is not None:
            return cell_of(found[0], *found[1])
        point = self._view.at(position)
        for mark in self._view.drawing.marks:
            if isinstance(mark, Dot) and mark.cell is not None:
                if hypot(mark.x - point.x(), mark.y - point.y()) <= DISC:
                    return mark.cell
            elif isinstance(mark, Bars) and QRectF(*mark.place).contains(point):
                k = int((point.y() - mark.place[1]) / mark.place[3] * len(mark.words))
                return mark.cells[k] if k < len(mark.cells) else None
        return None

    def offer(self, position: QPointF | None) -> None:
        """Open the menu of the box at a place, or of the box with the focus."""
        number = self._marks.here if position is None else self._box_at(position)
        box = self._view.drawing.marks[number] if number is not None else None
        if not isinstance(box, Box) or not box.menu:
            return
        menu = QMenu(self._view)
        menu.setAccessibleName(box.name)
        for words, gesture in box.menu:
            menu.addAction(words, partial(perform, self._view.bench, gesture, self._view))
        menu.aboutToHide.connect(menu.deleteLater)
        at = self._view.pixel(*_middle(box)).toPoint() if position is None else position.toPoint()
        menu.popup(self._view.mapToGlobal(at))

    def told_at(self, position: QPointF) -> tuple[str, QRect]:
        """The tooltip for a place, and the part of the picture that it is about."""
        found, box = self._view.square_at(position), self._box_at(position)
        here = position.toPoint()
        if found is not None and isinstance(found[0], Image):
            rect = self._marks.square(found[0], *found[1]).toAlignedRect()
            title, _, summary = self._tip(box).partition("\n")
            return "\n".join(filter(None, (title, self._told_of(found[0], *found[1]), summary))), rect
        return self._tip(box), QRect(here, here + QPoint(12, 12))

    def _told_of(self, image: Image, row: int, column: int) -> str:
        """The labels of a number, and the number in full."""
        view, number = self._view.bench.view, exact(image.array[row, column])
        if image.node is None or image.node.node not in view.nodes:
            return number
        if view.looking.showing == "difference" and view.other(image.node) is None:
            number = "–"  # as in its matrix: 0 would mean that nothing differs
        axes = view.graph.axes_of(image.node)[-2:]
        return f"{' → '.join(view.labels(axis)[i] for axis, i in zip(axes, (row, column), strict=False))}: {number}"

    def _tip(self, box: int | None) -> str:
        mark = self._view.drawing.marks[box] if box is not None else None
        return mark.tip if isinstance(mark, Box) else ""

    # The keys

    def means(self, event: QKeyEvent) -> bool:
        """Whether `key` handles a key."""
        return event.text() in ("+", "=", "-", "−", "0") or event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)

    def key(self, event: QKeyEvent) -> bool:
        """Zoom, or open the box with the focus; returns whether the key meant that."""
        match event.text():
            case "+" | "=":
                self.zoom(STEP)
            case "-" | "−":
                self.zoom(1 / STEP)
            case "0":
                self.show_all()
            case _ if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._enter()
            case _:
                return False
        return True

    def said(self) -> str:
        """The name and summary of the box with the focus, for a screen reader."""
        mark = self._view.drawing.marks[self._marks.here] if self._marks.here is not None else None
        return f"{mark.name}. {mark.tip}".replace("\n", ", ") if isinstance(mark, Box) else ""

    def _enter(self) -> None:
        mark = self._view.drawing.marks[self._marks.here] if self._marks.here is not None else None
        if isinstance(mark, Box) and mark.leads is not None:
            perform(self._view.bench, mark.leads, self._view)

    def walk(self, down: int, across: int) -> None:
        """Move the focus along an edge of the graph: right to a box that reads the present one, left to one it reads.

        Up and down, and from a box without edges, it moves to the nearest box in that direction; without a focus, to
        the first box.
        """
        boxes = {i: QRectF(*box.place) for i, box in self.boxes}
        here = boxes.get(self._marks.here) if self._marks.here is not None else None
        if here is None:
            best = min(boxes, key=lambda i: (boxes[i].left(), boxes[i].top()), default=None)
        else:
            start = here.center()

            def far(i: int) -> float:
                way = boxes[i].center() - start
                ahead, aside = (way.x() * across, way.y()) if across else (way.y() * down, way.x())
                return ahead + ASIDE * abs(aside) if ahead > 1.0 else float("inf")

            if across and any(self._edges(way) for way in (1, -1)):
                # Boxes are in the order of computation: the focus goes into a block, and not past it to the sum.
                edges = self._edges(across)
                best = (min if across > 0 else max)(edges, default=None)
            else:
                best = min(boxes, key=far)
                if far(best) == float("inf"):
                    return
        if best is None:
            return
        self._stand_at(best, boxes[best])

    def _edges(self, across: int) -> list[int]:
        """The numbers of the boxes that read the box with the focus (right), or that it reads (left)."""
        boxes, here = dict(self.boxes), self._marks.here
        if across > 0:
            return [i for i, box in boxes.items() if here in box.after]
        return [i for i in boxes[here].after if i in boxes] if here in boxes else []

    def come_from(self, stages: Sequence[str]) -> None:
        """Move the focus to the box that leads to one of these stages."""
        led = [(i, box) for i, box in self.boxes if isinstance(box.leads, GoTo) and box.leads.value in stages]
        if led:  # of several boxes, the one that was opened
            i, box = next((one for one in led if one[0] == self._marks.here), led[0])
            self._stand_at(i, QRectF(*box.place))

    def _stand_at(self, best: int, place: QRectF) -> None:
        self._marks.here = best
        if self.near and not self._view.seen.contains(place):
            seen = self._view.seen
            seen.moveCenter(place.center())
            self.look(seen)
        self._marks.update()
        self._view.describe(self.said())
        if (at := self.place) is not None:
            tell_focus(self._view, at)


def _middle(box: Box) -> tuple[float, float]:
    left, top, width, height = box.place
    return left + width / 2, top + height / 2


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
        boxes = self._view.closer.boxes if self._view is not None else []
        return boxes[self._place][1] if self._place < len(boxes) else None

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
        return QRect() if box is None or view is None else view.closer.on_screen(box)

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Button

    def state(self) -> QAccessible.State:
        state, view = QAccessible.State(), self._view
        if view is None or self._box is None:
            state.invalid = True
        else:
            state.focusable = True
            state.focused = view.hasFocus() and view.closer.place == self._place
        return state


class _Whole(QAccessibleWidget):
    """A drawing with its blocks."""

    def __init__(self, view: "DrawingView") -> None:
        super().__init__(view, QAccessible.Role.Grouping)
        self._blocks: list[_Block] = []

    @property
    def _closer(self) -> "Closer | None":
        return getattr(self.object(), "closer", None)  # None while the view is being made, when Qt already asks

    def text(self, kind: Text) -> str:
        view: Any = self.object()
        if self._closer is not None:
            view.catch_up()
        return super().text(kind)

    def childCount(self) -> int:
        return len(self._closer.boxes) if self._closer is not None else 0

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
        place = self._closer.place if self._closer is not None else None
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
