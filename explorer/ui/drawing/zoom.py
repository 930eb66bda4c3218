"""The widget of a drawing with zoom: the wheel, dragging, and keys that go from box to box."""

from collections.abc import Sequence
from functools import partial
from math import hypot

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QMenu

from explorer.core.graph import Cell
from explorer.core.numbers import exact
from explorer.pages.drawing import Bars, Box, Dot, Drawing, Image
from explorer.pages.gestures import GoTo
from explorer.pages.pointing import cell_of
from explorer.ui.drawing.blocks import DISC
from explorer.ui.drawing.plot import Key
from explorer.ui.drawing.spoken import tell_focus
from explorer.ui.drawing.view import EMPTY, DrawingView
from explorer.ui.drawing.word_picture import ZoomPlot
from explorer.ui.page.gestures import perform
from explorer.ui.workbench import Workbench

FILLS = 0.8
"""If a box fills this share of the width or height of the view, zooming in further opens the box."""
RESISTANCE = 2
"""After this many steps of the wheel that zoom out while the whole drawing is visible, its page is left."""
CLOSEST = 16.0
ASIDE = 2.5
"""The weight of a distance to the side, relative to one ahead, when an arrow key looks for the next box."""
ENTER = (Key.Key_Return, Key.Key_Enter)


class ZoomedView(ZoomPlot, DrawingView):
    """The widget of a drawing with zoom.

    The wheel, or + and −, zoom; dragging moves; a double click, or 0, shows all. A click on a box opens it, and so do
    Enter on the box with the focus, and zooming in until the box fills the view. Zooming out further when the whole
    drawing is visible leaves the drawing.
    """

    step = 1.25

    def __init__(self, bench: Workbench, drawing: Drawing) -> None:
        self._away = 0.0
        super().__init__(bench, drawing)

    @property
    def whole(self) -> QRectF:
        left, right, bottom, top = self.extent
        return QRectF(left, bottom, right - left, top - bottom)

    @property
    def near(self) -> bool:
        """Whether only a part of the drawing is visible."""
        return self.extent is not EMPTY and not self.seen.adjusted(-1, -1, 1, 1).contains(self.whole)

    def _frame(self, window: tuple[float, float, float, float]) -> None:
        """Take the window of another drawing; if only a part is visible, the visible part stays."""
        if window != self.extent:
            near = self.near
            self.extent = window
            if not near:
                self.zoom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "extent"):  # pyqtgraph's constructor resizes the widget before `extent` exists
            self.zoom()

    def zoom(self, factor: float | None = None, at: QPointF | None = None) -> None:
        whole = self.whole
        part = whole if factor is None else self.nearer(factor, at)
        if part.width() >= whole.width() and part.height() >= whole.height():
            self.look(whole)
        elif part.width() * CLOSEST >= whole.width() or part.height() * CLOSEST >= whole.height():
            self.look(part)

    def look(self, part: QRectF) -> None:
        """Show a part, moved so that it does not leave the drawing."""
        whole, held = self.whole, QRectF(part)
        if part.width() < whole.width():
            held.moveLeft(min(max(part.left(), whole.left()), whole.right() - part.width()))
        else:
            held.moveLeft(whole.center().x() - part.width() / 2)
        if part.height() < whole.height():
            held.moveTop(min(max(part.top(), whole.top()), whole.bottom() - part.height()))
        else:
            held.moveTop(whole.center().y() - part.height() / 2)
        box = self.getViewBox()
        box.setRange(held, padding=0.0, disableAutoRange=True)
        box.updateMatrix()  # now: during the next paint it would cause a second paint

    @property
    def walked(self) -> bool:
        return True

    def _show_images(self) -> None:
        """Leave the images to `Marks`, which paints them with the boxes that they are in."""

    # The mouse

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._raise(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom, or go into a box or out of the drawing; the page does not scroll."""
        steps = event.angleDelta().y() / 120
        event.accept()
        if steps < 0 and not self.near:
            self._away -= steps
            if self._away >= RESISTANCE:
                self._away = 0.0
                if self.drawing.out is not None:
                    perform(self.bench, self.drawing.out, self)
            return
        self._away = 0.0
        box = self._box_at(event.position())
        if steps > 0 and box is not None and self._fills(box):
            self._marks.here = box
            self._enter()
            return
        self.zoom(self.step**steps, self.at(event.position()))

    def _fills(self, number: int) -> bool:
        """Whether a box fills the view; False for a frame around others, which zooming in does not open."""
        box, seen = self.drawing.marks[number], self.seen
        if not isinstance(box, Box) or box.around:
            return False
        _, _, wide, high = box.place
        return wide >= FILLS * seen.width() or high >= FILLS * seen.height()

    def point_at(self, point: QPointF) -> None:
        selection, position = self.bench.selection, self.pixel(point.x(), point.y())
        box = self._box_at(position)
        self._raise(box)
        token = self._word_at(position)
        cell = self._cell_at(position)
        found = self.square_at(position)
        if found is not None and isinstance(found[0], Image):
            one, (row, _) = found
            token = (one.token, row) if one.token else token
        selection.set_token(token)
        if cell is not None:
            selection.point(cell)
        means = box is not None or token is not None or cell is not None
        shape = Qt.CursorShape.PointingHandCursor if means else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def choose_at(self, point: QPointF) -> None:
        """Choose the word or the number that was clicked, and open the box."""
        selection, position = self.bench.selection, self.pixel(point.x(), point.y())
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
        point = self.at(position)
        return next((i for i, box in reversed(self.drawing.boxes.items()) if QRectF(*box.place).contains(point)), None)

    def _word_at(self, position: QPointF) -> tuple[str, int] | None:
        found = [(rect, token) for rect, token in self._marks.blocks.spots if rect.contains(position)]
        nearest = min(found, key=lambda one: abs(one[0].center().y() - position.y()), default=None)
        return None if nearest is None else nearest[1]

    def _cell_at(self, position: QPointF) -> Cell | None:
        """The cell of an image, of bars or of a neuron under the mouse."""
        found = self.square_at(position)
        if found is not None:
            return cell_of(found[0], *found[1])
        point = self.at(position)
        for mark in self.drawing.marks:
            if isinstance(mark, Dot) and mark.cell is not None:
                if hypot(mark.x - point.x(), mark.y - point.y()) <= DISC:
                    return mark.cell
            elif isinstance(mark, Bars) and QRectF(*mark.place).contains(point):
                k = int((point.y() - mark.place[1]) / mark.place[3] * len(mark.words))
                return mark.cells[k] if k < len(mark.cells) else None
        return None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the box at a place or, by a key, of the box with the focus."""
        position = None if event.reason() == QContextMenuEvent.Reason.Keyboard else QPointF(event.pos())
        number = self._marks.here if position is None else self._box_at(position)
        box = self.drawing.marks[number] if number is not None else None
        if not isinstance(box, Box) or not box.menu:
            return
        menu = QMenu(self)
        menu.setAccessibleName(box.name)
        for words, gesture in box.menu:
            menu.addAction(words, partial(perform, self.bench, gesture, self))
        menu.aboutToHide.connect(menu.deleteLater)
        at = self.pixel(*_middle(box)).toPoint() if position is None else position.toPoint()
        menu.popup(self.mapToGlobal(at))

    def told_at(self, position: QPointF) -> tuple[str, QRect]:
        found, box = self.square_at(position), self._box_at(position)
        here = position.toPoint()
        if found is not None and isinstance(found[0], Image):
            rect = self._marks.square(found[0], *found[1]).toAlignedRect()
            title, _, summary = self._tip(box).partition("\n")
            return "\n".join(filter(None, (title, self._told_of(found[0], *found[1]), summary))), rect
        return self._tip(box), QRect(here, here + QPoint(12, 12))

    def _told_of(self, image: Image, row: int, column: int) -> str:
        """The labels of a number, and the number in full."""
        view, number = self.bench.view, exact(image.array[row, column])
        if image.node is None or image.node.node not in view.nodes:
            return number
        if view.looking.showing == "difference" and view.other(image.node) is None:
            number = "–"  # as in its matrix: 0 would mean that nothing differs
        axes = view.graph.axes_of(image.node)[-2:]
        return f"{' → '.join(view.labels(axis)[i] for axis, i in zip(axes, (row, column), strict=False))}: {number}"

    def _tip(self, box: int | None) -> str:
        mark = self.drawing.marks[box] if box is not None else None
        return mark.tip if isinstance(mark, Box) else ""

    # The keys

    @property
    def rings_a_part(self) -> bool:
        return self._marks.here is not None

    def means(self, event: QKeyEvent) -> bool:
        return super().means(event) or event.text() in tuple("+=-−0") or event.key() in ENTER

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            self._enter()
        else:
            super().keyPressEvent(event)

    def said(self, square: str) -> str:
        """The name and summary of the box with the focus, or what there is to say about the chosen square."""
        mark = self.drawing.marks[self._marks.here] if self._marks.here is not None else None
        return f"{mark.name}. {mark.tip}".replace("\n", ", ") if isinstance(mark, Box) else square

    def _enter(self) -> None:
        mark = self.drawing.marks[self._marks.here] if self._marks.here is not None else None
        if isinstance(mark, Box) and mark.leads is not None:
            perform(self.bench, mark.leads, self)

    def walk(self, down: int, across: int) -> None:
        """Move the focus along an edge of the graph: right to a box that reads the present one, left to one it reads.

        Up and down, and from a box without edges, it moves to the nearest box in that direction; without a focus, to
        the first box.
        """
        boxes = {i: QRectF(*box.place) for i, box in self.drawing.boxes.items()}
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
        boxes, here = self.drawing.boxes, self._marks.here
        if across > 0:
            return [i for i, box in boxes.items() if here in box.after]
        return [i for i in boxes[here].after if i in boxes] if here in boxes else []

    def come_from(self, stages: Sequence[str]) -> None:
        super().come_from(stages)
        boxes = self.drawing.boxes.items()
        led = [(i, box) for i, box in boxes if isinstance(box.leads, GoTo) and box.leads.value in stages]
        if led:  # of several boxes, the one that was opened
            i, box = next((one for one in led if one[0] == self._marks.here), led[0])
            self._stand_at(i, QRectF(*box.place))

    def _stand_at(self, best: int, place: QRectF) -> None:
        self._marks.here = best
        if self.near and not self.seen.contains(place):
            seen = self.seen
            seen.moveCenter(place.center())
            self.look(seen)
        self._marks.update()
        self.describe(self.said(""))
        if (at := self.place) is not None:
            tell_focus(self, at)


def _middle(box: Box) -> tuple[float, float]:
    left, top, width, height = box.place
    return left + width / 2, top + height / 2
