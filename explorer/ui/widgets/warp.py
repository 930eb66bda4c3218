"""What a matrix does to the plane: a square grid before, and the same grid after, with the words on it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.widgets.plot import DRAWABLE, Plot
from explorer.ui.workbench import Workbench

LINES = 9  # in each direction
MANY = 40  # words that are written at most


class _Grid(pg.GraphicsObject):
    """The grid's lines and the words, in one item's paint."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.matrix: Array = np.eye(2)
        self.span = 1.0
        self.reach = 1.0
        self.points: Array = np.zeros((0, 2))
        self.labels: Sequence[str] = ()
        self.here: int | None = None

    def boundingRect(self) -> QRectF:
        return QRectF(-self.reach, -self.reach, 2 * self.reach, 2 * self.reach)

    def paint(self, painter: Any, *args: Any) -> None:
        theme, fonts = self._bench.appearance.theme, self._bench.appearance.fonts
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        ticks = np.linspace(-self.span, self.span, LINES)

        for which, color in ((0, theme.series[0]), (1, theme.series[2])):
            for tick in ticks:
                axis = not np.isclose(tick, 0)
                painter.setPen(QPen(qcolor(color), 1 if axis else 2))
                ends = [(tick, -self.span), (tick, self.span)] if which else [(-self.span, tick), (self.span, tick)]
                with np.errstate(all="ignore"):
                    laid = np.array(ends) @ self.matrix
                if (np.abs(laid) < DRAWABLE).all():
                    painter.drawLine(*(to_pixels.map(QPointF(*end)) for end in laid.tolist()))
        drawable = np.flatnonzero((np.abs(self.points) < DRAWABLE).all(-1)).tolist()
        spots = {i: to_pixels.map(QPointF(*self.points[i].tolist())) for i in drawable}
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.here))
        for spot in spots.values():
            painter.drawEllipse(spot, self.dot, self.dot)
        painter.setFont(fonts.small)
        painter.setPen(qcolor(theme.text))
        self._write(painter, spots, to_pixels.mapRect(self.getViewBox().viewRect()))
        painter.restore()

    @property
    def dot(self) -> float:
        """Pixels from the middle of a dot to its edge: many are small."""
        return 4.0 if len(self.labels) <= MANY else 2.0

    def _write(self, painter: Any, spots: Mapping[int, QPointF], bounds: QRectF) -> None:
        """Words beside their dots, where there is room; the word that is looked at comes first."""
        metrics, gap, r = painter.fontMetrics(), self.dot + 3, self.dot
        taken = [QRectF(spot.x() - r, spot.y() - r, 2 * r, 2 * r) for spot in spots.values()]
        written = 0
        for i in sorted(spots, key=lambda i: i != self.here):
            width, height = metrics.horizontalAdvance(self.labels[i]), metrics.height()
            x, y = spots[i].x(), spots[i].y()
            for left, top in (
                (x + gap, y - height / 2),
                (x - gap - width, y - height / 2),
                (x - width / 2, y - gap - height),
                (x - width / 2, y + gap),
                (x + r, y + r),
                (x - r - width, y + r),
                (x + r, y - r - height),
                (x - r - width, y - r - height),
            ):
                box = QRectF(left, top, width, height)
                if bounds.contains(box) and not any(box.intersects(other) for other in taken):
                    taken.append(box)
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.labels[i])
                    written += 1
                    break
            if written >= MANY:
                break


class Warp(Plot):
    """The plane of two input dimensions as a weight matrix lays it into the plane of its first two output dimensions.

    Parameters
    ----------
    bench : Workbench
    weights, vectors, result : str
        Nodes, or heads' slices: W_Q, the vectors it is applied to, and what comes out.
    after : bool
        Draw the plane behind the matrix, or the one before it.
    """

    def __init__(
        self, bench: Workbench, weights: str, vectors: str, result: str, after: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, weights, parent)
        self._vectors, self._result, self._after = vectors, result, after
        self._grid = _Grid(bench)
        self.addItem(self._grid)
        self.setAspectLocked(True)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        bench.selection.token_changed.connect(self._mark)
        self.restyle()
        self.refresh()

    def reads(self) -> set[str]:
        place = self.bench.document.engine.graph.place
        return {*super().reads(), place(self._vectors).node, place(self._result).node}

    def show_head(self, of_head: Callable[[str], str]) -> None:
        """Draw the same matrix of another head."""
        letter = self.name[-1]
        self.name, self._result = of_head(f"W_{letter}"), of_head(letter)
        self.refresh()

    def refresh(self) -> None:
        """Read the matrix and the words anew."""
        engine = self.bench.document.engine
        graph = engine.graph
        before = engine.value(graph.place(self._vectors))
        grid = self._grid
        grid.prepareGeometryChange()
        block = graph.place(self.name).node.rpartition(".")[0]
        transposed = self.bench.document.state.model.switch(block, "weights") == "W x"
        weights = engine.value(graph.place(self.name))
        matrix = (weights.T if transposed else weights)[:2, :2]
        shown = engine.value(graph.place(self._result)) if self._after else before
        grid.matrix = matrix if self._after else np.eye(2)
        grid.points = shown[:, :2]
        grid.labels = engine.labels(graph.axes_of(graph.place(self._vectors))[0])
        grid.span = _reach(before[:, :2], 1.0)
        with np.errstate(all="ignore"):  # as in the engine
            corners = np.array([[1, 1], [1, -1]]) * grid.span @ grid.matrix
        grid.reach = 1.25 * _reach(np.vstack([corners, grid.points]), 0.5)
        box = QRectF(-grid.reach, -grid.reach, 2 * grid.reach, 2 * grid.reach)
        self.getViewBox().setRange(box, padding=0, disableAutoRange=True)
        self._axis = graph.axes_of(graph.place(self._vectors))[0]
        self._mark()
        self.say(f"The plane {'behind' if self._after else 'before'} {self.name}, with {len(grid.labels)} words on it")
        grid.update()

    def _mark(self) -> None:
        """Write the word that one looks at, whatever else stands there."""
        token = self.bench.selection.token
        self._grid.here = token[1] if token is not None and token[0] == self._axis else None
        self._grid.update()


def _reach(array: Array, least: float) -> float:
    """The largest of the numbers that can be drawn."""
    sizes = np.abs(array)
    return float(sizes[sizes < DRAWABLE].max(initial=least))
