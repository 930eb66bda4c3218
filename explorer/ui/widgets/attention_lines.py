"""Who looks at whom: a line from each query to each key, the thicker the larger its share."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.theme import Theme
from explorer.ui.widgets.plot import Plot
from explorer.ui.workbench import Workbench

MOST_PIXELS = 9.0
LEAST_SHARE = 0.01
MOST_LINES = 2000


class _Lines(pg.GraphicsObject):
    """All lines in one item's paint."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: Array = np.zeros((0, 0))
        self.query: int | None = None
        self.key: int | None = None
        self.theme: Theme | None = None

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, 1, max(self.weights.shape, default=0))

    def paint(self, painter: Any, *args: Any) -> None:
        if self.theme is None or not self.weights.size:
            return
        # Not a cosmetic pen: on a display of high density, and in a picture, that is too thin.
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        chosen = self.query is not None or self.key is not None
        shares = np.nan_to_num(self.weights)
        # Of a long text only the strongest: more lines than that are a grey mat, and take longer than a frame.
        least = LEAST_SHARE
        if shares.size > MOST_LINES:
            least = max(least, float(np.partition(shares, -MOST_LINES, axis=None)[-MOST_LINES]))
        rows, columns = np.nonzero(shares >= least)
        plain, here = qcolor(self.theme.series[2]), qcolor(self.theme.here)
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
            share = min(float(self.weights[i, j]), 1.0)
            meant = (self.query is None or i == self.query) and (self.key is None or j == self.key)
            color = (here if chosen else plain).__class__(here if chosen and meant else plain)
            color.setAlphaF((0.25 + 0.65 * share) if meant else 0.08)
            painter.setPen(QPen(color, 0.5 + share * MOST_PIXELS, c=Qt.PenCapStyle.FlatCap))
            painter.drawLine(to_pixels.map(QPointF(0, i + 0.5)), to_pixels.map(QPointF(1, j + 0.5)))
        painter.restore()


class AttentionLines(Plot):
    """Queries at the left, keys at the right.

    Parameters
    ----------
    bench : Workbench
    name : str
        Of a node or head's slice of attention weights.
    """

    def __init__(self, bench: Workbench, name: str, parent: QWidget | None = None) -> None:
        super().__init__(bench, name, parent)
        self._lines = _Lines()
        self.addItem(self._lines)
        self.invertY(True)
        self.showAxes((True, False, True, False), showValues=(True, False, True, False))
        bench.selection.pointed.connect(self._mark)
        bench.selection.token_changed.connect(self._mark)
        self.restyle()
        self.refresh()

    def refresh(self) -> None:
        """Read the weights anew."""
        engine = self.bench.document.engine
        self._place = place = engine.graph.place(self.name)
        self._axes = engine.graph.axes_of(place)
        queries, keys = (engine.labels(axis) for axis in self._axes)
        self._lines.prepareGeometryChange()
        self._lines.weights = engine.value(place)
        self.ticks("left", queries)
        self.ticks("right", keys)
        height = max(len(queries), len(keys))
        self.fit(height)
        self.getViewBox().setRange(QRectF(0, 0, 1, height), padding=0.0, disableAutoRange=True)
        self.say(f"Lines from {len(queries)} queries to {len(keys)} keys, thick by attention weight")
        self._mark()

    def restyle(self) -> None:
        super().restyle()
        theme = self.bench.appearance.theme
        self._lines.theme = theme
        for side in ("left", "right"):
            self.getAxis(side).setPen(theme.page)
        self._lines.update()

    def _mark(self, *_: object) -> None:
        selection, graph = self.bench.selection, self.bench.document.engine.graph
        place, axes = self._place, self._axes  # as drawn: the graph may be another already
        query = key = None
        if selection.token is not None:
            axis, i = selection.token
            query, key = (i, None) if axis == axes[0] else (None, i) if axis == axes[1] else (None, None)
        elif selection.cell is not None and selection.cell.node.rpartition(".")[0] == place.node.rpartition(".")[0]:
            node, index = selection.cell.node, selection.cell.index
            for axis, i in zip(graph.nodes[node].axes[-2:], index[-2:], strict=False):
                if axis == axes[0] and query is None:
                    query = i
                elif axis == axes[1]:
                    key = i
        self._lines.query, self._lines.key = query, key
        self._lines.update()
