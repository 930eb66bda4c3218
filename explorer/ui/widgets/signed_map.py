"""A matrix of signed numbers as a picture: blue below zero, ochre above, the page's own ground at zero."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import exact
from explorer.core.ops import Array
from explorer.ui.selection import Cell
from explorer.ui.widgets.plot import Picture
from explorer.ui.workbench import Workbench


@dataclass(frozen=True)
class Sheet:
    """What a map shows.

    Parameters
    ----------
    node : str
        The node that the numbers belong to, as far as its own shape reaches.
    array : numpy.ndarray
    rows, columns : sequence of str
        Labels.
    own : tuple of int
        How many rows and columns the node itself has; (0, 0) where the numbers are none of its own.
    titles : tuple of str
        What runs down, and what runs across.
    summary : str
        The picture in words.
    """

    node: str
    array: Array
    rows: Sequence[str]
    columns: Sequence[str]
    own: tuple[int, int]
    titles: tuple[str, str]
    summary: str


class SignedMap(Picture):
    """A square for each number; the model's own part is framed where more is drawn.

    Parameters
    ----------
    bench : Workbench
    read : callable
        Gives what to show, from the engine.
    reads : iterable of str
        The nodes whose change concerns it.

    Attributes
    ----------
    limit : float
        The size from which on a colour is full.
    """

    walked = True

    def __init__(
        self, bench: Workbench, read: Callable[[], Sheet], reads: Iterable[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, read, reads, parent)
        # Of several numbers on one pixel their mean, not any one of them: that would draw waves that are not there.
        self._image = pg.ImageItem(autoDownsample=True)
        self.addItem(self._image)
        self._frame, self._own = pg.QtWidgets.QGraphicsRectItem(), pg.QtWidgets.QGraphicsRectItem()
        for rectangle in (self._own, self._frame):
            rectangle.setZValue(10)
            self.getViewBox().addItem(rectangle, ignoreBounds=True)
        self.invertY(True)
        self.showAxes((True, True, False, False), showValues=(True, True, False, False))
        self.scene().sigMouseMoved.connect(self._moved)
        bench.selection.pointed.connect(self._mark)
        self.refresh()
        self.restyle()

    def refresh(self) -> None:
        """Read the numbers anew. Colours are centred on zero and full at the largest of them."""
        self.sheet = sheet = self._read()
        array = sheet.array
        self.limit = limit = float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) or 1.0
        # As shares of the largest: pyqtgraph takes the difference of the levels, which may be more than float64 holds.
        shares = np.clip(np.nan_to_num(array / limit), -1.0, 1.0)
        self._image.setImage(shares, autoLevels=False, levels=(-1.0, 1.0))
        height, width = array.shape
        self.setLabel("left", sheet.titles[0])
        self.setLabel("top", sheet.titles[1])
        self.ticks("left", sheet.rows, most=12)
        self.ticks("top", sheet.columns, most=10)
        self.getViewBox().setRange(QRectF(0, 0, width, height), padding=0.01, disableAutoRange=True)
        own_rows, own_columns = sheet.own
        self._own.setVisible(0 < own_rows * own_columns < array.size)
        self._own.setRect(QRectF(0, 0, min(own_columns, width), min(own_rows, height)))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if all(sheet.own) else Qt.FocusPolicy.NoFocus)
        self.say(sheet.summary)
        self._mark(self.bench.selection.cell)

    def restyle(self) -> None:
        super().restyle()
        theme = self.bench.appearance.theme
        self._image.setLookupTable(theme.diverging_ramp.table)
        self._frame.setPen(pg.mkPen(theme.here, width=2))
        self._own.setPen(pg.mkPen(theme.text, width=2))

    def _moved(self, position: Any) -> None:
        if not self.sceneBoundingRect().contains(position):
            return
        point = self.getViewBox().mapSceneToView(position)
        row, column = int(np.floor(point.y())), int(np.floor(point.x()))
        if 0 <= row < self.sheet.own[0] and 0 <= column < self.sheet.own[1]:
            self.bench.selection.point(Cell(self.sheet.node, (row, column)))

    def walk(self, down: int, across: int) -> None:
        cell, (rows, columns) = self.bench.selection.cell, self.sheet.own
        row, column = 0, 0
        if cell is not None and cell.node == self.sheet.node:
            row, column = cell.index[-2] + down, cell.index[-1] + across
        if 0 <= row < rows and 0 <= column < columns:
            self.bench.selection.choose(Cell(self.sheet.node, (row, column)))
            said = f"{self.sheet.rows[row]} → {self.sheet.columns[column]}"
            self.tell(f"{said}: {exact(self.sheet.array[row, column])}")

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def _mark(self, cell: Cell | None) -> None:
        here = cell is not None and cell.node == self.sheet.node
        self._frame.setVisible(here)
        if cell is not None and here:
            row, column = cell.index[-2:]
            self._frame.setRect(QRectF(column, row, 1, 1))
