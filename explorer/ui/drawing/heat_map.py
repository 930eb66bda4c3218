"""The attention weights as a picture: one square for each query and key; a larger weight has a deeper colour."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import exact, significant, written
from explorer.pages.drawing import HeatMap
from explorer.pages.matrix import SHARES
from explorer.pages.view import Cell
from explorer.ui.drawing.word_picture import WordPicture
from explorer.ui.signs import paint_signs
from explorer.ui.theme import qcolor, shares_of
from explorer.ui.workbench import Workbench

SHOWN = {
    "values": "shares",
    "change": "change by the last edit",
    "step": "change at the last step",
    "gradient": "gradient",
    "difference": "difference",
}
MOST_SAID = 12  # the most rows in the description for a screen reader
SMALL = 8  # a square with a shorter side, in pixels, is hard to find


class Legend(QWidget):
    """The colour scale, with the numbers of its lightest and its deepest colour."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.setFont(bench.appearance.fonts.small)
        self._ends = ("", "")
        self._signed = False

    def show_ends(self, low: str, high: str, signed: bool) -> None:
        """Show other words at the ends of the colour scale."""
        if ((low, high), signed) == (self._ends, self._signed):
            return
        self._ends, self._signed = (low, high), signed
        self.setAccessibleName(f"Colours from {low} to {high}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics, px = self.fontMetrics(), self._bench.appearance.px
        return QSize(sum(map(metrics.horizontalAdvance, self._ends)) + px(60), metrics.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._bench.appearance.theme
        px, metrics = self._bench.appearance.px, self.fontMetrics()
        ramp = theme.diverging_ramp if self._signed else theme.sequential_ramp
        low, high = self._ends
        painter.setPen(qcolor(theme.muted))
        base = (self.height() + metrics.ascent() - metrics.descent()) // 2
        left = metrics.horizontalAdvance(low) + px(4)
        bar = QRectF(left + 0.5, self.height() / 2 - px(4) + 0.5, px(50), px(8))
        painter.drawText(0, base, low)
        painter.drawText(QPointF(bar.right() + px(5), base), high)
        colours = QLinearGradient(bar.topLeft(), bar.topRight())
        for place in range(0, 256, 51):
            colours.setColorAt(place / 255, ramp.colors[place])
        painter.setPen(qcolor(theme.line_strong))
        painter.setBrush(colours)
        painter.drawRect(bar)


class HeatMapView(WordPicture):
    """A matrix of weights as an image; pointing at a square points at the cell.

    The image shows the same as the matrices: the weights, their change by the last edit, a gradient, or a difference.
    """

    spoken = "heat map"

    def __init__(self, bench: Workbench, element: HeatMap) -> None:
        super().__init__(bench, element)
        theme = bench.appearance.theme
        self._legend = Legend(bench)
        self.line.insertWidget(0, self._legend)
        self._marked: tuple[object, object] = (None, None)
        self._image = pg.ImageItem()
        self.shares = np.zeros((0, 0))
        """The numbers that the colours show, scaled to 0 (or −1) to 1."""
        self.add(self._image)
        self._frame = pg.QtWidgets.QGraphicsRectItem()
        self._frame.setPen(pg.mkPen(theme.here, width=2))
        self._guides = (pg.QtWidgets.QGraphicsLineItem(), pg.QtWidgets.QGraphicsLineItem())
        for guide in self._guides:
            guide.setPen(pg.mkPen(theme.here_line, width=1))
        for item, height in ((self._guides[0], 9), (self._guides[1], 9), (self._frame, 10)):
            self.add(item, height)
        self.draw()
        bench.selection.pointed.connect(self._follow)
        bench.selection.token_changed.connect(self._follow)

    def draw(self) -> None:
        element, matrix, theme = self.element, self.matrix, self.bench.appearance.theme
        assert isinstance(element, HeatMap)
        if matrix.colours == SHARES:
            low, limit = 0.0, element.full
            end = written(limit, significant(limit, 2)) if limit < 1 else "1"
            ramp = theme.sequential_ramp
            self._legend.show_ends("0", f"≥ {end}" if limit < 1 else end, signed=False)
        else:
            low, limit = -1.0, matrix.limit
            end = written(limit, significant(limit, 2))
            ramp = theme.diverging_ramp
            self._legend.show_ends(f"−{end}", f"+{end}", signed=True)
        self.shares = shares_of(matrix.array if limit == 1.0 else matrix.array / limit, low)
        # Colours instead of a lookup table, of which pyqtgraph would make all 256 colours again for each image.
        self._image.setImage(ramp.table[ramp.index(self.shares, low, 1.0)], autoLevels=False, levels=None)
        shown = "" if matrix.showing == "values" else SHOWN[matrix.showing]
        self.caption(" · ".join(filter(None, (element.title, shown))), element.title)
        self.lay_out(matrix.rows, matrix.columns)
        self._summarize()
        self._mark()

    def _summarize(self) -> None:
        """Describe the picture for a screen reader by the largest number of each row."""
        matrix, shares = self.matrix, self.matrix.colours == SHARES
        array = matrix.array[:MOST_SAID]
        plain = np.nan_to_num(array)
        largest = (plain if shares else np.abs(plain)).argmax(-1).tolist()
        said = [
            f"{row} {'looks most at' if shares else 'most at'} {matrix.columns[k]} ({written(float(line[k]), 3)})"
            for row, line, k in zip(matrix.rows, array, largest, strict=False)
        ]
        self.say(f"Heat map of {SHOWN[matrix.showing]}. " + "; ".join(said))

    # Pointing

    def _square(self, point: QPointF) -> tuple[int, int] | None:
        """The row and column at a point."""
        row, column = int(np.floor(point.y())), int(np.floor(point.x()))
        rows, columns = self._shape
        inside = self.seen.contains(point) and 0 <= row < rows and 0 <= column < columns
        return (row, column) if inside else None

    def _cell(self, row: int, column: int) -> Cell:
        return Cell(self.matrix.place.node, self.matrix.index(row, column))

    def point_at(self, point: QPointF) -> None:
        square = self._square(point)
        if square is not None:
            self.bench.selection.point(self._cell(*square))

    def choose_at(self, point: QPointF) -> None:
        square = self._square(point)
        if square is not None:
            self.bench.selection.choose(self._cell(*square))

    def told_at(self, point: QPointF) -> tuple[str, QRectF]:
        square = self._square(point)
        if square is None:
            return "", QRectF()
        row, column = square
        value = exact(self.matrix.array[row, column])
        return f"{self.matrix.label(row, column)}\n{value}", QRectF(column, row, 1, 1)

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.matrix.colours != SHARES:
            box, (rows, columns) = self.getViewBox(), self._shape
            ends = (box.mapViewToScene(QPointF(x, y)) for x, y in ((0, 0), (columns, rows)))
            painter = QPainter(self.viewport())
            painter.setClipRect(box.sceneBoundingRect())
            paint_signs(painter, self.bench.appearance.theme, self.matrix.array, QRectF(*ends))

    def _pointed(self) -> tuple[int, int] | None:
        """The row and column of the cell pointed at, if it is in this picture."""
        cell, place = self.bench.selection.cell, self.matrix.place
        if cell is None or cell.node != place.node or cell.index[: len(place.index)] != place.index:
            return None
        row, column = cell.index[-2:]
        rows, columns = self._shape  # those of the drawn model; the present one may already be another
        return (row, column) if row < rows and column < columns else None

    def here(self) -> QPointF | None:
        pointed = self._pointed()
        return None if pointed is None else QPointF(pointed[1] + 0.5, pointed[0] + 0.5)

    def walk(self, down: int, across: int) -> None:
        pointed, (rows, columns) = self._pointed(), self._shape
        row, column = (0, 0) if pointed is None else (pointed[0] + down, pointed[1] + across)
        if 0 <= row < rows and 0 <= column < columns:
            self.bench.selection.choose(self._cell(row, column), "arrow")

    def _follow(self, *_: object) -> None:
        """Mark again only if the word or cell pointed at has changed; after an edit, `draw` marks again anyway."""
        if (self.bench.selection.token, self._pointed()) != self._marked:
            self._mark()

    def _mark(self) -> None:
        """Frame the cell pointed at, and mark the words of its row and column, or the lit word."""
        token, pointed = self.bench.selection.token, self._pointed()
        if (token, pointed) != self._marked:
            self.paint_anew()
        self._marked = token, pointed
        self._frame.setVisible(pointed is not None)
        marked: list[list[int]] = [[], []]
        if pointed is None:
            self.describe("")
        else:
            row, column = pointed
            self.describe(f"{self.matrix.label(row, column)}: {exact(self.matrix.array[row, column])}")
            marked = [[row], [column]]
            self.bring(row + 0.5, column + 0.5)
            self._frame.setRect(QRectF(column, row, 1, 1))
            rows, columns = self._shape
            self._guides[0].setLine(0, row + 0.5, columns, row + 0.5)
            self._guides[1].setLine(column + 0.5, 0, column + 0.5, rows)
        if token is not None:
            marked = [[token[1]] if token[0] == axis else [] for axis in self.matrix.axes]
        for side, places in zip(("left", "top"), marked, strict=True):
            self.side(side).mark(places)
        self._guide()

    def look(self, part: QRectF) -> None:
        super().look(part)
        self._guide()

    def _guide(self) -> None:
        """Show lines from the words to the cell pointed at, if its square is small."""
        box, seen = self.getViewBox(), self.seen
        small = min(box.width() / seen.width(), box.height() / seen.height()) < SMALL
        for guide in self._guides:
            guide.setVisible(self._frame.isVisible() and small)
