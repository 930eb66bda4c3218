"""The attention weights as a picture: one square for each query and key, deeper the larger the share."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from explorer.ui.selection import Cell
from explorer.ui.widgets.plot import Plot
from explorer.ui.workbench import Workbench


class HeatMap(Plot):
    """A node of shares as an image; pointing at a square is pointing at the cell.

    Parameters
    ----------
    bench : Workbench
    name : str
        Of a node or head's slice with rows and columns.
    """

    def __init__(self, bench: Workbench, name: str, parent: QWidget | None = None) -> None:
        super().__init__(bench, name, parent)
        self._image = pg.ImageItem()
        self.addItem(self._image)
        self._frame = pg.QtWidgets.QGraphicsRectItem()
        self._frame.setZValue(10)
        self.getViewBox().addItem(self._frame, ignoreBounds=True)
        self.invertY(True)
        self.showAxes((True, True, False, False), showValues=(True, True, False, False))
        self.scene().sigMouseMoved.connect(self._moved)
        bench.selection.pointed.connect(self._mark)
        self.restyle()
        self.refresh()

    def refresh(self) -> None:
        """Read the values anew. The range of colours is fixed from 0 to 1, so that pictures can be compared."""
        engine = self.bench.document.engine
        self._place = place = engine.graph.place(self.name)
        array = engine.value(place)
        rows, columns = (engine.labels(axis) for axis in engine.graph.axes_of(place))
        self._image.setImage(np.clip(np.nan_to_num(array), 0.0, 1.0), autoLevels=False, levels=(0.0, 1.0))
        self.ticks("left", rows)
        self.ticks("top", columns)
        self.fit(len(rows))
        self.getViewBox().setRange(QRectF(0, 0, len(columns), len(rows)), padding=0.01, disableAutoRange=True)
        strongest = [
            f"{row} looks most at {columns[int(np.argmax(shares))]} ({np.max(shares):.3f})"
            for row, shares in zip(rows, array, strict=True)
        ]
        self.say("Attention heat map. " + "; ".join(strongest[:12]))
        self._mark(self.bench.selection.cell)

    def restyle(self) -> None:
        super().restyle()
        theme = self.bench.appearance.theme
        self._image.setLookupTable(theme.sequential_ramp.table)
        self._frame.setPen(pg.mkPen(theme.here, width=2))

    def _moved(self, position: Any) -> None:
        if not self.sceneBoundingRect().contains(position):
            return
        point = self.getViewBox().mapSceneToView(position)
        row, column = int(np.floor(point.y())), int(np.floor(point.x()))
        rows, columns = self._image.image.shape
        if 0 <= row < rows and 0 <= column < columns:
            self.bench.selection.point(Cell(self._place.node, (*self._place.index, row, column)))

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def _mark(self, cell: Cell | None) -> None:
        place = self._place  # as drawn: the graph may be another already
        here = cell is not None and cell.node == place.node and cell.index[: len(place.index)] == place.index
        self._frame.setVisible(here)
        if cell is not None and here:
            row, column = cell.index[-2:]
            self._frame.setRect(QRectF(column, row, 1, 1))
