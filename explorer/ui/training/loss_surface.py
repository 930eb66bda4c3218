"""The loss over two weights as a contour map, with the path of gradient descent on it.

The losses are those for other values of two weights, with all else unchanged: on a coarse grid first, then finer.
Small pictures of all weights let a click choose each of the two.
"""

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QPainter,
    QPen,
    QPolygonF,
    QTransform,
)
from PySide6.QtWidgets import QGraphicsItem, QWidget

from explorer.core.cell import is_cell_of
from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.core.numbers import live, quantity, with_power, written
from explorer.core.ops import Array
from explorer.document.commands import SetInputs
from explorer.document.state import State
from explorer.pages.drawing import DRAWABLE, extent
from explorer.pages.stages.net_answers import between_points, level_lines
from explorer.training.loss_grid import LossGrid, Window, around, levels, moved
from explorer.ui.background import Background
from explorer.ui.drawing.plot import PixelItem, Plot
from explorer.ui.errors import show_error
from explorer.ui.theme import qcolor
from explorer.ui.training.cell_picker import chosen, name_of
from explorer.ui.training.descent import SLICE_S
from explorer.ui.training.parts import FollowsRun
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

MOST_PLACES = 100
"""The most points of the path that are drawn."""
PART_S = 0.2
"""Seconds that the background computes before the surface is drawn again."""
PATIENCE_S = 0.25
"""Seconds that a surface which is no longer right stays, if a coarser one would take its place until the next is whole:
that one looks like another landscape, and flickered at each step.
"""
NAMES_APART = 34  # horizontal pixels between the numbers on two contour lines


class _Way(PixelItem):
    """The numbers on the contour lines, the path and the current point, painted by one item, in pixels."""

    def __init__(self, surface: "LossSurface") -> None:
        super().__init__()
        self._surface = surface
        self._placed: list[tuple[QRectF, str]] = []
        self._lines: list[tuple[float, Array]] | None = None  # the lines that `_placed` is for; compared by identity
        self._placed_for: tuple[object, ...] = ()

    def boundingRect(self) -> QRectF:
        return self._surface.frame

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        surface, theme = self._surface, self._surface.bench.appearance.theme
        self._numbers(painter, to_pixels)
        near: Array = np.all(np.abs(surface.way) < DRAWABLE, axis=1)
        spots = to_pixels.map(QPolygonF([QPointF(x, y) for x, y in surface.way[near].tolist()]))
        gone = max(int(near[: surface.gone + 1].sum()) - 1, 0)
        painter.setPen(QPen(qcolor(theme.text), 2))
        painter.drawPolyline(spots.mid(0, gone + 1))
        painter.setPen(QPen(qcolor(theme.muted), 1.4, Qt.PenStyle.DotLine))
        painter.drawPolyline(spots.mid(gone))
        painter.setPen(QPen(qcolor(theme.text), 1.6))
        painter.setBrush(qcolor(theme.page))
        if near.any():
            painter.drawEllipse(spots.first(), 4, 4)
        if np.all(np.abs(surface.here) < DRAWABLE):
            painter.setPen(QPen(qcolor(theme.page), 1.5))
            painter.setBrush(qcolor(theme.here))
            painter.drawEllipse(to_pixels.map(QPointF(*surface.here)), 6, 6)

    def _numbers(self, painter: QPainter, to_pixels: QTransform) -> None:
        """Paint the loss of each contour line where there is room for the number."""
        surface, theme = self._surface, self._surface.bench.appearance.theme
        painter.setFont(surface.bench.appearance.fonts.small)
        placed_for = to_pixels, surface.frame, painter.font()
        if self._lines is not surface.lines or self._placed_for != placed_for:
            self._lines, self._placed_for = surface.lines, placed_for
            self._placed = list(self._places(painter.fontMetrics(), to_pixels))
        ground = qcolor(theme.page, 0.88)
        for box, text in self._placed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(qcolor(theme.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _places(self, metrics: QFontMetrics, to_pixels: QTransform) -> Iterator[tuple[QRectF, str]]:
        """The box of each number on its contour line, and the number."""
        whole = to_pixels.mapRect(self._surface.frame).adjusted(4, 4, -4, -4)
        here = (
            to_pixels.map(QPointF(*self._surface.here)) if np.all(np.abs(self._surface.here) < DRAWABLE) else QPointF()
        )
        taken = [QRectF(here.x() - 8, here.y() - 8, 16, 16)]  # a number there would be covered by the point
        for level, pieces in self._surface.lines:
            text = with_power(f"{level:g}")
            box = QRectF(metrics.boundingRect(text)).adjusted(-3, -1, 3, 1)
            for point in pieces[:: max(1, len(pieces) // 12), 0]:
                box.moveCenter(to_pixels.map(QPointF(*map(float, point))))
                around = box.adjusted(-NAMES_APART, -6, NAMES_APART, 6)
                if whole.contains(box) and not any(around.intersects(other) for other in taken):
                    taken.append(QRectF(box))
                    yield taken[-1], text
                    break


class LossSurface(Plot):
    """The surface: a deeper colour is a higher loss. A click sets the two weights to the values at the mouse.

    The losses are computed in slices of the event loop, on the coarsest grid first. During a run only that grid is
    computed, because each step moves the other weights and so changes the whole surface. The losses of a large model
    are computed in the background, after the steps.
    `cells`: cells of inputs: that of the horizontal axis and that of the vertical one.
    """

    asked = Signal(str)  # the loss where the mouse is, in words
    drawn = Signal()  # the surface was drawn anew

    def __init__(self, bench: Workbench, cells: Sequence[Cell]) -> None:
        super().__init__(bench)
        self.cells = tuple(cells)
        self.lines: list[tuple[float, Array]] = []
        self.way: Array = np.zeros((0, 2))
        self.gone, self.steps_of_losses = 0, 0
        self.here = (0.0, 0.0)
        self.frame = QRectF(0, 0, 1, 1)
        self._window: Window | None = None
        self.losses: LossGrid | None = None
        self._undrawn: LossGrid | None = None  # the grid that has become finer since it was drawn
        self._drawn: tuple[Window, int] | None = None  # of the surface on the screen: its window, points along a side
        self._since: float | None = None  # when the surface on the screen stopped being right
        self._stroke: object = None
        self._image = pg.ImageItem()
        # During a run the path changes each frame, the surface some times a second, and that is the slowest to paint.
        self._image.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self._contour = pg.PlotCurveItem(connect="pairs")
        self._marks = _Way(self)
        for depth, item in enumerate((self._image, self._contour, self._marks)):
            self.add(item, depth)
        self.stand("left", "bottom")
        self.says_when_to_paint()
        self.setCursor(Qt.CursorShape.CrossCursor)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)
        self._worker = Background(self)
        self._at_work: LossGrid | None = None
        self.restyle()
        self.refresh()

    @property
    def is_drawn(self) -> bool:
        """Whether a surface is drawn; the first one takes some time in a large model."""
        return self._image.image is not None

    def show_cells(self, cells: Sequence[Cell]) -> None:
        """Draw the loss over other weights."""
        self.cells, self._window, self.losses = tuple(cells), None, None
        self.refresh()

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        self._timer.stop()
        if self._at_work is not None:
            # The thread may still be computing its part, so this grid must not be used further.
            self._worker.stop()
            self._at_work = self.losses = None

    def refresh(self) -> None:
        """Follow the run and the weights; begin a new grid if this one no longer fits the document."""
        if not self._are_in(self.bench.document.state):
            self._timer.stop()  # the model was replaced; the page follows later
            return
        engine = self.bench.document.engine
        self.here = tuple(float(engine.values[cell.node][cell.index]) for cell in self.cells)  # type: ignore[assignment]
        self.way, self.gone = self._path()
        self._window = around(*extent(np.vstack([self.way, [self.here]])), self._window)
        undrawn, playing = self._undrawn, self.bench.descent.playing
        if undrawn is not None and undrawn is self.losses and (playing or self._is_better(undrawn)):
            self._draw_surface(undrawn)
            if playing:
                return
        busy = playing and self.losses is not None and not len(self.losses.x)
        if self.losses is None or self.losses.window != self._window or not (busy or self.losses.fits()):
            self.losses = LossGrid(self.bench.document, self.cells, self._window)
            self.steps_of_losses = self.bench.descent.at
            self._since = perf_counter() if self._since is None else self._since
            if not self.is_drawn:
                self._look_at(self._window)  # the axes at once: the surface comes later
        if self.isVisible() and not self.losses.whole:
            if not self.bench.descent.quick:
                self._compute(self.losses)
            elif self.bench.descent.playing:
                self._slice()
            else:
                self._timer.start()
        self._draw_way()

    def _are_in(self, state: State) -> bool:
        """Whether the two cells are inputs: a switch removes inputs, and another model may compute the node."""
        inputs = state.used_unread
        return all(cell.node in inputs and is_cell_of(cell.index, inputs[cell.node].shape) for cell in self.cells)

    def _path(self) -> tuple[Array, int]:
        """The path of the run in these two weights, (n, 2), and the index of the point that the document is at."""
        run = self.bench.descent.run
        if run is None:
            return np.zeros((0, 2)), 0
        steps, way = run.path([(cell.node, cell.index) for cell in self.cells], MOST_PLACES)
        place = int(np.searchsorted(steps, run.at))
        if not self.bench.descent.edited and (place == len(steps) or steps[place] != run.at):
            way = np.insert(way, place, self.here, axis=0)
        return way, place

    def _slice(self) -> None:
        """Compute for one slice; during a run for a quarter of a slice."""
        grid, playing = self.losses, self.bench.descent.playing
        if grid is None or not self._are_in(self.bench.document.state):
            self._timer.stop()
            return
        if grid.more(perf_counter() + (SLICE_S / 4 if playing else SLICE_S), coarse=playing):
            self._undrawn = grid
        if self._undrawn is grid and not playing and self._is_better(grid):  # in a run a frame computes or draws
            self._draw_surface(grid)
        if grid.whole or playing:
            self._timer.stop()  # during a run `refresh` calls this method once for each step shown

    def _is_better(self, grid: LossGrid) -> bool:
        """Whether a grid is worth drawing now: it is as fine as what is on the screen, or that was wrong for long."""
        late = self._since is not None and perf_counter() > self._since + PATIENCE_S
        return late or self._drawn is None or self._drawn[0] != grid.window or len(grid.x) >= self._drawn[1]

    def _compute(self, grid: LossGrid) -> None:
        """Compute a grid in the background, part by part, while no step and no other pass is computed."""
        elsewhere = self.bench.descent.going or self.bench.document.computing
        if grid is self._at_work or grid.whole or elsewhere or not self.isVisible():
            return
        self._at_work = grid
        self._worker.run(lambda: grid.more(perf_counter() + PART_S), lambda: self._computed(grid))

    def _computed(self, grid: LossGrid) -> None:
        self._at_work = None
        if grid is self.losses:
            if grid.surface.size:
                self._draw_surface(grid)
            self._compute(grid)

    # Drawing

    def _draw_way(self) -> None:
        if self.bench.descent.playing:
            self.paint_inside()
        else:
            self.paint_anew()
        self._marks.prepareGeometryChange()
        self._marks.update()
        self._describe()

    def _draw_surface(self, grid: LossGrid) -> None:
        self._undrawn = self._since = None
        self._drawn = grid.window, len(grid.x)
        self.paint_anew()
        surface = grid.surface
        self._look_at(grid.window)
        self.lines = [(level, level_lines(surface, grid.x, grid.y, level, thin=False)) for level in levels(surface)]
        pieces = np.concatenate([lines.reshape(-1, 2) for _, lines in self.lines] or [np.zeros((0, 2))])
        self._contour.setData(pieces[:, 0], pieces[:, 1])
        finite = surface[np.isfinite(surface)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        heights = np.where(np.isfinite(surface), surface, high)
        if low > 0 and high / low > 8:
            heights, low, high = np.log(heights), float(np.log(low)), float(np.log(high))
        between = between_points(len(heights))
        self._image.setImage(
            between @ heights @ between.T, autoLevels=False, levels=(low, high if high > low else low + 1)
        )
        self._image.setRect(self.frame)
        self._draw_way()
        self.drawn.emit()

    def _look_at(self, window: Window) -> None:
        """Show a window: set the range of the view and write the axes."""
        self.frame = QRectF(window.left, window.bottom, window.right - window.left, window.top - window.bottom)
        self.getViewBox().setRange(self.frame, padding=0.0, disableAutoRange=True)
        across, up = (name_of(self.bench, cell) for cell in self.cells)
        beside, above = (name_of(self.bench, cell, short=True) for cell in self.cells)
        self.side("bottom").show_numbers(window.left, window.right, self.width(), across, beside)
        self.side("left").show_numbers(window.bottom, window.top, self.height(), up, above)

    def restyle(self) -> None:
        super().restyle()
        theme = self.bench.appearance.theme
        # Without the darkest part of the ramp, on which the path and the lines could not be seen.
        self._image.setLookupTable(theme.sequential_ramp.table[:150])
        self._contour.setPen(pg.mkPen(theme.muted, width=1))
        self.viewport().update()

    def _describe(self) -> None:
        across, up = (name_of(self.bench, cell) for cell in self.cells)
        x, y = (written(number, 3) for number in self.here)
        if self.losses is None or not self.losses.surface.size:
            self.say(f"Loss over {across} and {up}: being computed")
            return
        low, high = float(self.losses.surface.min()), float(self.losses.surface.max())
        self.say(
            f"Loss over {across} and {up}, from {written(low, 3)} to {written(high, 3)}; "
            f"now at {x} and {y}, after {quantity(self.bench.descent.at, 'step')}"
        )

    # The mouse

    def _at(self, event: Any) -> tuple[float, float] | None:
        point = self.at(event.position())
        if self._window is None or not self._window.contains(point.x(), point.y()):
            return None
        # Rounded to a step finer than a pixel, so that the numbers are short.
        decimals = max(0, 3 - int(np.ceil(np.log10(self._window.right - self._window.left))))
        return round(point.x(), decimals), round(point.y(), decimals)

    def mousePressEvent(self, event: Any) -> None:
        self._stroke = object()
        if event.button() == Qt.MouseButton.LeftButton:
            self._move_to(self._at(event))

    def mouseMoveEvent(self, event: Any) -> None:
        point = self._at(event)
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_to(point)
        if point is not None and self.losses is not None and self.bench.descent.quick:
            loss = self.losses.at(*point)
            x, y = (written(number, 3) for number in point)
            self.asked.emit(f"Loss at {x} and {y}: {live(loss, 4)}")

    def mouseReleaseEvent(self, event: Any) -> None:
        pass

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.asked.emit("")

    def _move_to(self, point: tuple[float, float] | None) -> None:
        document = self.bench.document
        if point is None or not self._are_in(document.wanted):
            return
        arrays = moved(document.wanted.inputs, self.cells, point)
        for array in arrays.values():
            array.flags.writeable = False
        try:
            document.do(SetInputs(arrays, "Move two weights on the loss surface", self._stroke))
        except ExplorerError as error:
            show_error(error, self)


class SurfaceView(FollowsRun, QWidget):
    """The surface, and a sentence about it."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.plot = LossSurface(bench, chosen(bench))
        self._words = SteadyLabel(role="small")
        column_in(self, self.plot, self._words, spacing=bench.appearance.px(4)).setStretch(0, 1)
        self.plot.asked.connect(self._say)
        self.plot.drawn.connect(self._say)
        self.follow(bench.descent)
        self._say()

    def hasHeightForWidth(self) -> bool:
        return False  # its place sets the height: a sentence of more lines leaves less to the surface

    def refresh(self) -> None:
        """Follow the model, the run and the chosen weights."""
        if self.plot.cells != (cells := self._bench.descent.looked_at):
            self.plot.show_cells(cells)
        self.plot.refresh()

    def _say(self, asked: str = "") -> None:
        """Write the loss at the mouse or, without one, what the picture shows."""
        after = f"after {quantity(self.plot.steps_of_losses, 'step')}" if self._bench.descent.run else "now"
        about = (
            f"The bluer, the higher the loss. All other weights are as they are {after}. A click moves these two there."
            if self.plot.is_drawn
            else "Being computed: the loss at each place takes a pass through the model."
        )
        self._words.setText(f"{asked}. A click moves the two weights there." if asked else about)
