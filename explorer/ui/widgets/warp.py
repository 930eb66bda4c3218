"""What a matrix does to the plane: a square grid before, and the same grid after, with the words on it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.widgets.plot import Plot
from explorer.ui.workbench import Workbench

LINES = 9  # in each direction


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
                if np.isfinite(laid).all():
                    painter.drawLine(*(to_pixels.map(QPointF(*end)) for end in laid.tolist()))
        painter.setFont(fonts.small)
        for label, point in zip(self.labels, self.points.tolist(), strict=True):
            if np.isfinite(point).all():
                spot = to_pixels.map(QPointF(*point))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(qcolor(theme.here))
                painter.drawEllipse(spot, 4, 4)
                painter.setPen(qcolor(theme.text))
                width = painter.fontMetrics().horizontalAdvance(label)
                right = spot.x() + 7 + width < painter.device().width()
                painter.drawText(spot + QPointF(7 if right else -7 - width, 4), label)
        painter.restore()


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
        grid.reach = 1.15 * _reach(np.vstack([corners, grid.points]), 0.5)
        box = QRectF(-grid.reach, -grid.reach, 2 * grid.reach, 2 * grid.reach)
        self.getViewBox().setRange(box, padding=0, disableAutoRange=True)
        self.say(f"The plane {'behind' if self._after else 'before'} {self.name}, with {len(grid.labels)} words on it")
        grid.update()


def _reach(array: Array, least: float) -> float:
    """The largest of the finite numbers; those near the end of what float64 holds could not be drawn."""
    sizes = np.abs(array)
    return float(sizes[sizes < 1e305].max(initial=least))
