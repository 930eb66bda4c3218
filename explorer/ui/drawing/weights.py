"""The attention weights as pictures: a square, or a line, for each query and key.

A larger weight has a deeper colour, or a thicker line.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize
from PySide6.QtGui import QLinearGradient, QPainter, QPaintEvent, QTransform
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import exact, largest_of, significant, written
from explorer.core.ops import Array
from explorer.pages.drawing import AttentionLines, HeatMap
from explorer.pages.matrix import SHARES
from explorer.pages.pointing import lines_between, lit_ends, strongest
from explorer.ui.drawing.strokes import draw_weights, paint_square
from explorer.ui.drawing.word_picture import MOST, MOST_IN_SIGHT, WORD, WordPicture
from explorer.ui.selection import Coming
from explorer.ui.theme import paint_signs, qcolor, shares_of
from explorer.ui.widgets.labels import be_there
from explorer.ui.workbench import Workbench

SHOWN = {
    "values": "shares",
    "change": "change by the last edit",
    "step": "change at the last step",
    "gradient": "gradient",
    "difference": "difference",
}
SHORT = {"change": "Δ edit", "step": "Δ step"}
"""What is shown as the bar of the window names it: above a narrow picture, the whole name would be cut."""
MOST_SAID = 12  # the most rows in the description for a screen reader


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
        self._legend = Legend(bench)
        stays = self._legend.sizePolicy()
        stays.setRetainSizeWhenHidden(True)  # pictures beside each other have their squares at one height
        self._legend.setSizePolicy(stays)
        self.line.insertWidget(0, self._legend)
        self._marked: tuple[object, tuple[int, int] | None] = (None, None)
        """The word that is lit, and the square that is framed."""
        self._image = pg.ImageItem()
        self.shares = np.zeros((0, 0))
        """The numbers that the colours show, scaled to 0 (or −1) to 1."""
        self.add(self._image)
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
            least, most = ("≤ ", "≥ ") if limit < largest_of(matrix.array) else ("", "")
            self._legend.show_ends(f"{least}−{end}", f"{most}+{end}", signed=True)
        be_there(self._legend, self.room.scaled)
        self.shares = shares_of(matrix.array if limit == 1.0 else matrix.array / limit, low)
        # Colours instead of a lookup table, of which pyqtgraph would make all 256 colours again for each image.
        self._image.setImage(ramp.table[ramp.index(self.shares, low, 1.0)], autoLevels=False, levels=None)
        shown = "" if matrix.showing == "values" else matrix.nothing or SHORT.get(matrix.showing, SHOWN[matrix.showing])
        self.caption(" · ".join(filter(None, (element.title, shown))), element.title)
        self.lay_out(matrix.rows, matrix.columns)
        self._summarize()
        self._mark()

    def _summarize(self) -> None:
        """Describe the picture for a screen reader by the largest number of each row."""
        matrix, shares = self.matrix, self.matrix.colours == SHARES
        if matrix.nothing:
            self.say(f"Heat map of {SHOWN[matrix.showing]}: {matrix.nothing}")
            return
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
        row, column = int(np.floor(point.y())), int(np.floor(point.x()))
        rows, columns = self._shape
        inside = self.seen.contains(point) and 0 <= row < rows and 0 <= column < columns
        return (row, column) if inside else None

    def point_at(self, point: QPointF) -> None:
        square = self._square(point)
        if square is not None:
            self.bench.selection.point(self.matrix.cell_at(*square))

    def choose_at(self, point: QPointF) -> None:
        square = self._square(point)
        if square is not None:
            self.bench.selection.choose(self.matrix.cell_at(*square))

    def said_at(self, point: QPointF) -> tuple[str, QRectF]:
        square = self._square(point)
        if square is None:
            return "", QRectF()
        row, column = square
        return f"{self.matrix.label(row, column)}\n{self._number(row, column)}", QRectF(column, row, 1, 1)

    def _number(self, row: int, column: int) -> str:
        """A number in full, or why there is none."""
        return self.matrix.nothing or exact(self.matrix.array[row, column])

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def _pointed(self) -> tuple[int, int] | None:
        """The row and column of the cell pointed at, if it is in this picture."""
        cell = self.bench.selection.cell
        if cell is None or not self.matrix.holds(cell):
            return None
        row, column = cell.index[-2:]
        rows, columns = self._shape  # those of the drawn model; the present one may already be another
        return (row, column) if row < rows and column < columns else None

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        """Paint a dash on each number below 0, and a frame around the cell pointed at."""
        theme, whole = self.bench.appearance.theme, to_pixels.mapRect(self.whole)
        if self.matrix.colours != SHARES:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            paint_signs(painter, theme, self.matrix.array, whole)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._marked[1] is not None:
            row, column = self._marked[1]
            paint_square(painter, theme, to_pixels.mapRect(QRectF(column, row, 1, 1)), whole)

    def middle(self) -> QPointF | None:
        pointed = self._pointed()
        return None if pointed is None else QPointF(pointed[1] + 0.5, pointed[0] + 0.5)

    def walk(self, down: int, across: int) -> None:
        pointed, (rows, columns) = self._pointed(), self._shape
        row, column = (0, 0) if pointed is None else (pointed[0] + down, pointed[1] + across)
        if 0 <= row < rows and 0 <= column < columns:
            self.bench.selection.choose(self.matrix.cell_at(row, column), "arrow")

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
        marked: list[list[int]] = [[], []]
        if pointed is None:
            self.describe("")
        else:
            row, column = pointed
            self.describe(f"{self.matrix.label(row, column)}: {self._number(row, column)}")
            marked = [[row], [column]]
            self.bring(row + 0.5, column + 0.5)
        if token is not None:
            marked = [[token[1]] if token[0] == axis else [] for axis in self.matrix.axes]
        for side, places in zip(("left", "top"), marked, strict=True):
            self.side(side).mark(places)


MOST_NAMED = 8  # the most words that are named for one word of a long text
WIDTH, CLOSE_WIDTH, LEAST_WIDTH = 210, 104, 36
"""Pixels at text scale 1 between the columns of words: usual; on a slide, where the words matter more; and least."""


class AttentionLinesView(WordPicture):
    """Lines between two columns of words: the queries at the left, the keys at the right."""

    other_side = "right"
    spoken = "lines"

    def __init__(self, bench: Workbench, element: AttentionLines) -> None:
        super().__init__(bench, element)
        self.query: int | None = None
        self.key: int | None = None
        self._at_right = False
        self._spread = 0
        self._usual = bench.appearance.px(CLOSE_WIDTH if bench.appearance.close else WIDTH)
        self.draw()
        bench.selection.pointed.connect(self._mark)
        bench.selection.token_changed.connect(self._mark)

    def draw(self) -> None:
        """Show the weights, even if the matrices show something else; the caption says so."""
        matrix = self.matrix
        self._shares, self._words = np.nan_to_num(matrix.values), (matrix.rows, matrix.columns)
        self._many = max(self._shares.shape) > MOST_IN_SIGHT  # too many words for all lines
        what = "" if matrix.showing == "values" else "the weights themselves"
        if self._many:
            what = ", ".join(filter(None, (what, "the strongest of each word")))
        self.caption(" · ".join(filter(None, (self.element.title, what))))
        self.lay_out(matrix.rows, matrix.columns)
        self.say(f"Lines from {len(matrix.rows)} queries to {len(matrix.columns)} keys, thick by attention weight")
        self._mark()

    def shown(self) -> tuple[Array, Array]:
        """The indices of the queries and of the keys between which lines are drawn."""
        return lines_between(self._shares, self._many, self.query, self.key)

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        queries, keys = self.shown()
        left, right = to_pixels.map(QPointF(0, 0)), to_pixels.map(QPointF(1, 0))
        unit = to_pixels.map(QPointF(0, 1)).y() - left.y()
        starts, ends = (left.y() + (queries + 0.5) * unit).tolist(), (right.y() + (keys + 0.5) * unit).tolist()
        lines = [QLineF(left.x(), start, right.x(), end) for start, end in zip(starts, ends, strict=True)]
        pale = (0.15, 0.4) if self._many else (0.08, 0.0)
        shares, here = self._shares[queries, keys], (self.query, self.key)
        draw_weights(painter, self.bench.appearance.theme, lines, (queries, keys), shares, here, pale, unit)

    def area(self, rows: Sequence[str], columns: Sequence[str]) -> QSize:
        px, most = self.bench.appearance.px, self.bench.appearance.scale * MOST
        down = min(px(WORD * self.room.larger) * max(len(rows), len(columns), 1), most)
        return QSize(self._between, round(down))

    def most_words(self) -> float:
        least = self.bench.appearance.px(LEAST_WIDTH)
        if self.room.width - self._beside >= least:
            return inf
        return (self.room.width - least - self.bench.appearance.px(10)) / 2  # smaller letters leave room for the lines

    def spread(self, width: int) -> None:
        """Take this width, if it is more than usual and there is room; the columns of words then stand farther apart.

        The width stays until the next call, because after each change of size the page divides its room again.
        """
        if width != self._spread:
            self._spread, self._laid_out = width, None
            self.draw()

    @property
    def grown(self) -> int:
        """By how many pixels the lines are wider than usual."""
        return max(self._between - self._usual, 0)

    @property
    def wished(self) -> int:
        """The picture's width in pixels if there is room."""
        return self._usual + self._beside

    @property
    def _beside(self) -> int:
        """The width of the words in pixels."""
        return self.side("left").minimumWidth() + self.side("right").minimumWidth() + self.bench.appearance.px(10)

    @property
    def _between(self) -> int:
        """The width of the lines in pixels."""
        most = max(self.room.width - self._beside, self.bench.appearance.px(LEAST_WIDTH))
        return round(min(max(self._usual, self._spread - self._beside), most))

    @property
    def whole(self) -> QRectF:
        return QRectF(0, 0, 1, max(*self._shape, 1))

    # Pointing

    def _word(self, point: QPointF) -> tuple[int, int] | None:
        """The side (0: queries, 1: keys) and the index of the word at a point."""
        side, i = int(point.x() > 0.5), int(np.floor(point.y()))
        return (side, i) if 0 <= i < len(self._words[side]) else None

    def point_at(self, point: QPointF) -> None:
        word = self._word(point)
        self._at_right = word is not None and word[0] == 1
        self.bench.selection.set_token((self.matrix.axes[word[0]], word[1]) if word else None)
        self._mark()

    def choose_at(self, point: QPointF, by: Coming = "click") -> None:
        word = self._word(point)
        self.bench.selection.choose_token((self.matrix.axes[word[0]], word[1]) if word else None, by)
        self._mark()

    def said_at(self, point: QPointF) -> tuple[str, QRectF]:
        word = self._word(point)
        if word is None:
            return "", QRectF()
        side, i = word
        shares = self._shares[i] if side == 0 else self._shares[:, i]
        lines = [f"{self._words[1 - side][k]} {exact(shares[k])}" for k in strongest(shares, MOST_NAMED)]
        said = f"{self._words[side][i]} {'looks at' if side == 0 else 'is looked at by'}"
        return "\n".join([said, *lines]), QRectF(0.5 * side, i, 0.5, 1)

    def walk(self, down: int, across: int) -> None:
        if across:
            self._at_right = across > 0
        side, token = int(self._at_right), self.bench.selection.chosen_token
        i = token[1] + down if token is not None and token[0] in self.matrix.axes else 0
        i = min(max(i, 0), len(self._words[side]) - 1)
        place = QPointF(0.25 + 0.5 * side, i + 0.5)
        self.bring(place.y(), place.x())
        self.choose_at(place, "arrow")

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self._at_right = False
        self.bench.selection.set_token(None)

    def _mark(self, *_: object) -> None:
        element, shape = self.element, self._shares.shape
        assert isinstance(element, AttentionLines)
        token, cell = self.bench.selection.token, self.bench.selection.cell
        query, key = lit_ends(token, cell, element.lights, self.matrix.axes, shape, self._at_right)
        if (query, key) != (self.query, self.key):
            self.paint_anew()
        self.query, self.key = query, key
        named: list[list[int]] = [[] if query is None else [query], [] if key is None else [key]]
        if self._many and query is not None:
            named[1] += strongest(self._shares[query], MOST_NAMED)
        elif self._many and key is not None:
            named[0] += strongest(self._shares[:, key], MOST_NAMED)
        across, word = (0.25, query) if query is not None else (0.75, key)
        self.describe("" if word is None else self.said_at(QPointF(across, word + 0.5))[0])
        for side, places in zip(("left", "right"), named, strict=True):
            self.side(side).mark(tuple(dict.fromkeys(places)))
