"""A drawing on the screen: it paints the data, lights what is pointed at, and asks for the edits of a drag."""

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.pages import pointing
from explorer.pages.drawing import Arrow, Axis, Box, Dot, Drawing, Image, Mark, Strips, drawable
from explorer.pages.gestures import Edit
from explorer.ui.drawing.images import ramp_of, steps_of
from explorer.ui.drawing.marks import Marks
from explorer.ui.drawing.plot import ARROWS, Key, Plot
from explorer.ui.drawing.spoken import install
from explorer.ui.drawing.strokes import kept
from explorer.ui.errors import show_error
from explorer.ui.selection import Coming
from explorer.ui.theme import MASKED
from explorer.ui.turns import later
from explorer.ui.widgets.formula import AGAIN, is_loaded
from explorer.ui.widgets.labels import Label
from explorer.ui.workbench import Workbench

GRIP = 14  # the greatest distance of the mouse from a point that it grips, in pixels at text scale 1
EMPTY = (-1.0, 1.0, -1.0, 1.0)
"""The window of a drawing whose own window cannot be drawn."""


class DrawingView(Plot):
    """The widget of a drawing.

    Pointing at a mark points at its cell, or lights its word, everywhere; a click chooses it. Some marks can be
    dragged; a drag is one step to undo. The arrow keys go from cell to cell.
    """

    _awaited: Callable[[], Drawing] | None = None

    def __init__(self, bench: Workbench, drawing: Drawing) -> None:
        install()
        super().__init__(bench)
        self.drawing = drawing
        self.extent = EMPTY
        self._images: list[tuple[Image, pg.ImageItem]] = []
        self._marks = Marks(bench, drawing, (self.side("bottom"), self.side("left")))
        self.add(self._marks, 5)
        self._held: Edit | None = None
        self._stroke: object = None
        self._said: Label | None = None
        self._asked: QPointF | None = None
        """The point that the words of the drawing's probe are about."""
        self._typeset = later(self, self._load_formulas)
        self._show(None)
        bench.selection.pointed.connect(self._follow)
        bench.selection.token_changed.connect(self._follow)

    def tell(self, drawing: Drawing) -> None:
        """Show another drawing; only what differs is updated. While a mark is dragged, the drawing's window stays."""
        if (drawing := kept(self.drawing, drawing)) is self.drawing:
            return
        before, self.drawing = self.drawing, drawing
        # During a motion, only the region that changes is painted in each frame.
        region = None if self._held is not None or self._images else self._marks.changed(drawing)
        if region is None:
            self.paint_anew()
            self._show(before)
            return
        self._marks.tell(drawing, all_=False)
        self.say(drawing.summary)
        self._follow()
        self.viewport().update(region)

    def tell_in_sight(self, make: Callable[[], Drawing]) -> None:
        """Show another drawing; it is made once the widget is visible, or a screen reader asks for it."""
        self._awaited = make
        if not self.visibleRegion().isEmpty():
            self.catch_up()

    def catch_up(self) -> None:
        """Make and show the awaited drawing, if there is one."""
        if self._awaited is not None:
            make, self._awaited = self._awaited, None
            self.tell(make())

    def _show(self, before: Drawing | None) -> None:
        drawing = self.drawing
        if before is None or (drawing.down, drawing.square) != (before.down, before.square):
            self.getViewBox().invertY(drawing.down)
            self.getViewBox().setAspectLocked(drawing.square)
        self._show_images()
        self._show_probe(drawing)
        if self._held is None:
            self._frame(_window_of(drawing))
        self._show_sides()
        self._marks.tell(drawing)
        policy = Qt.FocusPolicy.TabFocus if self.walked else Qt.FocusPolicy.NoFocus
        if policy != self.focusPolicy():
            self.setFocusPolicy(policy)
        self.say(drawing.summary)
        self._follow()

    @property
    def walked(self) -> bool:
        """Whether arrow keys go from place to place."""
        cells = any(all(pointing.shape_of(one)) for one in self.drawing.grids)
        return cells or any(map(pointing.leads, self.drawing.marks))

    def _frame(self, window: tuple[float, float, float, float]) -> None:
        """Show a window of the plane: left, right, bottom, top."""
        if window != self.extent:
            self.extent = window
            left, right, bottom, top = window
            rect = QRectF(left, bottom, right - left, top - bottom)
            self.getViewBox().setRange(rect, padding=0.0, disableAutoRange=True)

    def _show_images(self) -> None:
        wanted = [one for one in self.drawing.marks if isinstance(one, Image)]
        while len(self._images) > len(wanted):
            self.getViewBox().removeItem(self._images.pop()[1])
        for i, image in enumerate(wanted):
            if i == len(self._images):
                item = pg.ImageItem()
                self.add(item, -1)
                self._images.append((image, item))
            elif image == self._images[i][0]:
                continue
            item = self._images[i][1]
            self._images[i] = image, item
            self._paint_into(item, image)
        if wanted:
            self.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, any(image.smooth for image in wanted))

    def _paint_into(self, item: pg.ImageItem, image: Image) -> None:
        ramp = ramp_of(self.bench.appearance.theme, image)
        steps = steps_of(image, ramp, image.array)
        # Several numbers on one pixel are averaged: picking one of them would show waves that are not in the data.
        item.setAutoDownsample(not image.smooth)
        item.setLookupTable(ramp.table, update=False)
        item.setImage(np.where(steps == MASKED, 0, steps), autoLevels=False, levels=(0, 256))
        item.setRect(QRectF(*image.place))

    # The sides

    def _show_sides(self) -> None:
        x, y = self.drawing.x, self.drawing.y
        across = "top" if self.drawing.down and x.labels is not None else "bottom"
        sides = (*("left",) * _stands(y), *(across,) * _stands(x))
        self.stand(*sides)
        window, length = self.extent, self.getViewBox()
        room = self.viewport().height() - 2.5 * self.fontMetrics().height()
        if "left" in sides:
            self._show_side("left", y, window[2:], length.height() if length.height() > 1 else room)
        beside = self.side("left").minimumWidth() if "left" in sides else 0
        if across in sides:
            self._show_side(across, x, window[:2], max(self.viewport().width() - beside, 1))

    def _show_side(self, side: str, axis: Axis, ends: tuple[float, float], room: float) -> None:
        if axis.labels is not None:
            self.side(side).show_words(axis.labels, room, axis.most, axis.title)
        else:
            self.side(side).show_numbers(ends[0], ends[1], room, axis.title, axis.short)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_held"):  # pyqtgraph's constructor resizes the widget before `_held` exists
            self._show_sides()
            self._place_probe()

    # Words about the place under the mouse

    def _show_probe(self, drawing: Drawing) -> None:
        if (drawing.probe is None) == (self._said is None):
            if self._asked is not None:  # the words about that point may have changed
                self._ask(self._asked)
            return
        if drawing.probe is None:
            assert self._said is not None
            self._said.deleteLater()
            self._said = self._asked = None
        else:
            self._said = Label(drawing.probe.invitation, "small", self, plain=True)
            self._said.show()
        high = 0 if self._said is None else self._said.sizeHint().height()
        self.grid.setContentsMargins(0, 0, 0, high)
        self._place_probe()

    def _place_probe(self) -> None:
        if self._said is not None:
            high = self._said.sizeHint().height()
            self._said.setGeometry(0, self.height() - high, self.width(), high)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.catch_up()
        self._marks.exposed = list(event.region())  # type: ignore[call-overload]
        super().paintEvent(event)
        self._marks.exposed = []  # so that everything is painted when the drawing is rendered to paper
        if self._marks.blocks.formulas.missing:
            self._typeset.start()

    def _load_formulas(self) -> None:
        if not is_loaded():
            self._typeset.start(AGAIN)
            return
        self._marks.blocks.formulas.missing = False
        self._marks.update()

    # Following the selection

    def _follow(self, *_: object) -> None:
        """Light the marks and labels of what is pointed at, and describe it for a screen reader."""
        selection = self.bench.selection
        self._marks.follow()
        sides = (("left", self.drawing.y), ("top" if self.drawing.down else "bottom", self.drawing.x))
        marked: list[list[int]] = [[], []]
        said = ""
        for one in self.drawing.grids:
            square = pointing.square_of(one, selection.cell)
            if square is not None:
                said = pointing.of_square(self.drawing, one, *square).replace("\n", ": ")
                if isinstance(one, Image):
                    at = pointing.labels_at(self.drawing, one, *square)
                    marked = [[k] if k is not None else [] for k in at]
        for (side, axis), places in zip(sides, marked, strict=True):
            if axis.labels:
                if axis.token and selection.token is not None and selection.token[0] == axis.token:
                    places = [selection.token[1]]
                self.side(side).mark([i for i in places if i < len(axis.labels)])
        self.describe(self.said(said))

    def said(self, square: str) -> str:
        """What there is to say about the chosen square or, where none is, about the mark that is lit."""
        lit = min(self._marks.lit, default=None)
        if square or lit is None:
            return square
        return pointing.of_mark(self.drawing, self.drawing.marks[lit]).replace("\n", "; ")

    # The boxes that lead somewhere, for the keys and for a screen reader

    @property
    def place(self) -> int | None:
        """The index of the box that has the focus."""
        return next((k for k, i in enumerate(self.drawing.boxes) if i == self._marks.here), None)

    def on_screen(self, box: Box) -> QRect:
        """The rectangle of a box on the screen."""
        left, top, wide, high = box.place
        rect = QRectF(self.pixel(left, top), self.pixel(left + wide, top + high)).normalized().toRect()
        return QRect(self.mapToGlobal(rect.topLeft()), rect.size())

    # Places in pixels

    def _near(self, position: QPointF) -> int | None:
        """The number of the dot or arrow under the mouse."""
        numbers, places = self._marks.found.targets
        found = self._nearest(places, position) if numbers else None
        return None if found is None else numbers[found]

    def _nearest(self, places: Array, position: QPointF) -> int | None:
        """The index of the place nearest to the mouse; None if none is near enough."""
        left, right, bottom, top = self.extent
        a, b = self.pixel(left, bottom), self.pixel(right, top)
        with np.errstate(all="ignore"):
            x = a.x() + (places[:, 0] - left) / (right - left) * (b.x() - a.x())
            y = a.y() + (places[:, 1] - bottom) / (top - bottom) * (b.y() - a.y())
            distances = np.nan_to_num(np.hypot(x - position.x(), y - position.y()), nan=np.inf)
        best = int(distances.argmin())
        return best if distances[best] <= self.bench.appearance.px(GRIP) else None

    def square_at(self, position: QPointF) -> tuple[Image | Strips, tuple[int, int]] | None:
        """The image or strips under the mouse, with the row and column of the number there."""
        point = self.at(position)
        for one in reversed(self.drawing.grids):
            rows, columns = pointing.shape_of(one)
            if isinstance(one, Strips):
                places = np.stack([array.ravel() for array in pointing.points_of(one)], axis=-1)
                found = self._nearest(places, position) if len(places) else None
                if found is not None:
                    return one, divmod(found, columns)
                continue
            left, bottom, width, height = one.place
            row = (point.y() - bottom) / height * one.array.shape[0]
            column = (point.x() - left) / width * one.array.shape[1]
            if 0 <= row < rows and 0 <= column < columns:
                return one, (int(row), int(column))
        return None

    # The mouse is handled here, since pyqtgraph's own events for its items take longer than painting the picture

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        near = self._near(event.position())
        if near is not None:
            mark = self.drawing.marks[near]
            self._choose(mark)
            drag = mark.drag if isinstance(mark, Dot | Arrow) else None
            if isinstance(drag, Edit):
                self._held, self._stroke = drag, object()
                self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        elif (found := self.square_at(event.position())) is not None:
            self.bench.selection.choose(pointing.cell_of(found[0], *found[1]))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._drag(self.at(event.position()))
            return
        self._ask(self.at(event.position()))
        near = self._near(event.position())
        mark = self.drawing.marks[near] if near is not None else None
        held = isinstance(mark, Dot | Arrow) and mark.drag is not None
        self.viewport().setCursor(Qt.CursorShape.OpenHandCursor if held else Qt.CursorShape.ArrowCursor)
        if mark is not None:
            self._point(mark)
            return
        self.bench.selection.set_token(None)
        found = self.square_at(event.position())
        if found is not None:
            self.bench.selection.point(pointing.cell_of(found[0], *found[1]))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._held = None
            self.viewport().unsetCursor()
            self._frame(_window_of(self.drawing))
            self._show_sides()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Handle the second click as a click, which releases the word that the first chose."""
        self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bench.selection.set_token(None)
        self.bench.selection.leave()

    def _drag(self, point: QPointF) -> None:
        assert self._held is not None
        self._ask(point)
        try:
            self.bench.document.do(self._held.at((point.x(), point.y())).command(self._stroke))  # type: ignore[attr-defined]
        except ExplorerError as error:
            show_error(error, self)

    def _ask(self, point: QPointF) -> None:
        if self.drawing.probe is not None and self._said is not None:
            self._asked = point
            self._said.setText(self.drawing.probe.said(point.x(), point.y()))

    def _point(self, mark: Mark) -> None:
        cell, token = pointing.means(mark)
        self.bench.selection.set_token(token)
        if cell is not None:
            self.bench.selection.point(cell)

    def _choose(self, mark: Mark, by: Coming = "click") -> None:
        selection, (cell, token) = self.bench.selection, pointing.means(mark)
        if token is not None:
            again = by == "click" and token == selection.chosen_token
            selection.choose_token(None if again else token, by)
        if cell is not None:
            selection.choose(cell, by)

    def told_at(self, position: QPointF) -> tuple[str, QRect]:
        near = self._near(position)
        if near is not None:
            mark = self.drawing.marks[near]
            assert isinstance(mark, Dot | Arrow)
            middle = self.pixel(*pointing.place_of(mark)).toPoint()
            reach = self.bench.appearance.px(GRIP)
            return pointing.of_mark(self.drawing, mark), QRect(
                middle - QPoint(reach, reach), middle + QPoint(reach, reach)
            )
        found = self.square_at(position)
        if found is not None:
            one, (row, column) = found
            if isinstance(one, Image):
                rect = self._marks.square(one, row, column).toAlignedRect()
            else:
                rect = QRect(position.toPoint() - QPoint(8, 8), position.toPoint() + QPoint(8, 8))
            return pointing.of_square(self.drawing, one, row, column), rect
        # In a drawing with a probe, each place has words of its own, and a hint would hide them.
        movable = any(isinstance(mark, Dot | Arrow) and mark.drag is not None for mark in self.drawing.marks)
        hint = "A point here can be dragged" if movable and self.drawing.probe is None else ""
        here = position.toPoint()
        return hint, QRect(here, here + QPoint(12, 12))

    # The keys

    def come_from(self, stages: Sequence[str]) -> None:
        """Take the focus, at the box that leads to one of these stages."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def means(self, event: QKeyEvent) -> bool:
        """Whether a key does something here."""
        return Key(event.key()) in ARROWS

    def take_key(self, event: QKeyEvent) -> bool:
        """Handle a key that no other widget has used, and take the focus; returns whether the key means something."""
        if self.hasFocus() or not self.means(event):
            return False
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.keyPressEvent(event)
        return True

    def walk(self, down: int, across: int) -> None:
        cell, lies = pointing.beside(self.drawing, self.bench.selection.cell, down, across)
        if cell is not None:
            self.bench.selection.choose(cell, "arrow")
        elif not lies:
            self._walk_marks(down, across)

    def _walk_marks(self, down: int, across: int) -> None:
        """Go from one dot or arrow to the next, in the order of the marks."""
        numbers, _ = self._marks.found.targets
        here = next((k for k, i in enumerate(numbers) if i in self._marks.lit), None)
        k = 0 if here is None else here + down + across
        if 0 <= k < len(numbers):
            self._choose(self.drawing.marks[numbers[k]], "arrow")


def _stands(axis: Axis) -> bool:
    """Whether an axis has anything to write along its side."""
    return axis.labels != () or bool(axis.title)


def _window_of(drawing: Drawing) -> tuple[float, float, float, float]:
    """The window of a drawing, or `EMPTY` if it cannot be drawn."""
    left, right, first, second = drawing.window
    bottom, top = min(first, second), max(first, second)
    if not (drawable(left, right, bottom, top) and left < right and bottom < top and isfinite(right - left)):
        return EMPTY
    return left, right, bottom, top
