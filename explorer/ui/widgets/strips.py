"""Distributions: the numbers of each row as dots on a strip, with their mean and how far they spread."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.selection import Cell
from explorer.ui.widgets.plot import DRAWABLE, Picture
from explorer.ui.workbench import Workbench

STRIP, LEAST, MOST = 28, 120, 760  # pixels


def height_of(strips: int) -> int:
    """Pixels, at text scale 1, that a picture of so many strips is high."""
    return min(max(40 + strips * STRIP, LEAST), MOST)


@dataclass(frozen=True)
class Strip:
    """What the strips show.

    Parameters
    ----------
    node : str
    numbers : numpy.ndarray
        (n_strips, n_numbers)
    mean, sigma : numpy.ndarray
        (n_strips,)
    labels : sequence of str
    axis : int
        Which axis of the node runs over the strips: 0 its rows, 1 its columns.
    """

    node: str
    numbers: Array
    mean: Array
    sigma: Array
    labels: Sequence[str]
    axis: int


class _Strips(pg.GraphicsObject):
    """All dots, bands and means in one item's paint."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.strip: Strip | None = None
        self.bounds = QRectF()
        self.here: int | None = None
        self.cell: tuple[int, int] | None = None

    def boundingRect(self) -> QRectF:
        return self.bounds

    def paint(self, painter: Any, *args: Any) -> None:
        strip, theme = self.strip, self._bench.appearance.theme
        if strip is None:
            return
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        height = abs(to_pixels.map(QPointF(0, 1)).y() - to_pixels.map(QPointF(0, 0)).y())
        size = min(max(height * 0.28, 1.5), 8.0)
        dots = QColor(theme.series[0])
        dots.setAlphaF(1.0 if strip.numbers.shape[1] <= 16 else 0.45)
        for i, numbers in enumerate(strip.numbers):
            mean, sigma = float(strip.mean[i]), float(strip.sigma[i])
            if abs(mean) + sigma < DRAWABLE:
                low, high = (to_pixels.map(QPointF(mean + side * sigma, i + 0.5)) for side in (-1, 1))
                band = QRectF(low.x(), low.y() - height * 0.36, high.x() - low.x(), height * 0.72)
                painter.fillRect(band, qcolor(theme.here_soft if i == self.here else theme.line))
            points = [to_pixels.map(QPointF(x, i + 0.5)) for x in numbers[np.abs(numbers) < DRAWABLE].tolist()]
            pen = QPen(dots, size)
            pen.setCapStyle(pen.capStyle().RoundCap)
            painter.setPen(pen)
            painter.drawPoints(points)
            if abs(mean) < DRAWABLE:
                middle = to_pixels.map(QPointF(mean, i + 0.5))
                painter.setPen(QPen(qcolor(theme.here if i == self.here else theme.text), 2))
                painter.drawLine(middle - QPointF(0, height * 0.36), middle + QPointF(0, height * 0.36))
        if self.cell is not None:
            row, column = self.cell
            if row < strip.numbers.shape[0] and column < strip.numbers.shape[1]:
                x = float(strip.numbers[row, column])
                if abs(x) < DRAWABLE:
                    painter.setPen(QPen(qcolor(theme.here), 2))
                    painter.setBrush(qcolor(theme.here))
                    painter.drawEllipse(to_pixels.map(QPointF(x, row + 0.5)), size * 0.75, size * 0.75)
        painter.restore()


class Strips(Picture):
    """A strip for each row (or column): dots, a line at the mean, a band of ± σ.

    Parameters
    ----------
    bench : Workbench
    read : callable
        Gives what to show, from the engine.
    reads : iterable of str
        The nodes whose change concerns it.
    """

    def __init__(
        self, bench: Workbench, read: Callable[[], Strip], reads: Iterable[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, read, reads, parent)
        self._strips = _Strips(bench)
        self.addItem(self._strips)
        self.invertY(True)
        self.showAxes((True, False, False, True), showValues=(True, False, False, True))
        self.getAxis("bottom").enableAutoSIPrefix(False)
        self.showGrid(x=True, alpha=0.12)
        bench.selection.pointed.connect(self._mark)
        bench.selection.token_changed.connect(self._mark)
        self.refresh()
        self.restyle()

    def refresh(self) -> None:
        """Read the numbers anew. The strips have one scale, which holds all that is finite."""
        strip = self._read()
        item = self._strips
        item.prepareGeometryChange()
        item.strip = strip
        with np.errstate(all="ignore"):
            seen = np.concatenate([strip.numbers.ravel(), strip.mean - strip.sigma, strip.mean + strip.sigma])
        finite = seen[np.abs(seen) < DRAWABLE]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 1.0)
        room = (high - low) * 0.06 or 1.0
        item.bounds = QRectF(low - room, 0, high - low + 2 * room, len(strip.labels))
        self.ticks("left", strip.labels, most=40)
        self.setFixedHeight(self.bench.appearance.px(height_of(len(strip.labels))))
        self.getViewBox().setRange(item.bounds, padding=0.0, disableAutoRange=True)
        each = [
            f"{label}: mean {written(m, 3)}, σ {written(s, 3)}"
            for label, m, s in zip(strip.labels[:12], strip.mean.tolist(), strip.sigma.tolist(), strict=False)
        ]
        self.say(f"Distribution of {strip.node}. " + "; ".join(each))
        self._mark()

    def restyle(self) -> None:
        super().restyle()
        self._strips.update()

    def _mark(self, *_: object) -> None:
        item, selection = self._strips, self.bench.selection
        strip = item.strip
        assert strip is not None
        graph = self.bench.document.engine.graph
        item.here = item.cell = None
        cell: Cell | None = selection.cell
        node = graph.nodes.get(strip.node)
        if node is not None and selection.token is not None and selection.token[0] == node.axes[strip.axis]:
            item.here = selection.token[1]
        elif cell is not None and cell.node == strip.node:
            item.here = cell.index[strip.axis]
            item.cell = (cell.index[strip.axis], cell.index[1 - strip.axis])
        item.update()
