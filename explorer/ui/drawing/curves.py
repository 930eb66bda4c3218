"""Curves of training: losses, gradient norms and other numbers that are measured at many steps."""

from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QGraphicsEllipseItem

from explorer.core.ops import Array
from explorer.pages.drawing import DRAWABLE
from explorer.pages.page import Trace, Traces
from explorer.ui.drawing.plot import Plot
from explorer.ui.theme import qcolor
from explorer.ui.widgets.labels import Label
from explorer.ui.workbench import Workbench

MOST_POINTS = 1500
"""A longer curve is cut into stretches, and only the lowest and highest point of each is drawn."""

GRAIN = 0.1
"""The ends of the axes are rounded to this fraction of a power of ten; else each step would lay out the axes again."""

SHAPES = {"o": "●", "s": "■", "t1": "▲", "d": "◆", "t": "▼", "p": "⬟", "star": "★", "h": "⬢"}
"""The shapes that tell lines apart, beside their colours: pyqtgraph's name of each, and its character."""
WHOLE = str.maketrans({" ": "\u00a0", "-": "\u2011"})
"""Blanks and hyphens at which no line ends, so that a name stays beside its shape."""
DOT = 9
"""Diameter in pixels of the dot that marks the document's step."""
STRETCHES = 5
"""The horizontal axis is divided into this many parts; each line has one shape in each part."""

MOST_THICK = 100
"""A curve of more points is one pixel wide: with two, Qt takes five times as long (32 ms for four of 470 points)."""


class _Dot(QGraphicsEllipseItem):
    """The dot at the document's step; pyqtgraph's own `ScatterPlotItem` takes 4 ms of each frame for one dot."""

    def paint(self, painter: QPainter, *args: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        super().paint(painter, *args)


class CurvesView(Plot):
    """Several curves over the steps, and a dot at the document's step."""

    def __init__(self, bench: Workbench, traces: Traces) -> None:
        super().__init__(bench)
        self._traces = traces
        self._goal = pg.PlotCurveItem()
        self.add(self._goal, 3)
        self.extent = QRectF()
        self._items: list[pg.PlotCurveItem] = []
        self._dot = _Dot(-DOT / 2, -DOT / 2, DOT, DOT)
        self._dot.setFlag(_Dot.GraphicsItemFlag.ItemIgnoresTransformations)
        self._dot.setPen(QPen(Qt.PenStyle.NoPen))
        self.add(self._dot, 5)
        # No cache: with it, an exported SVG would show the whole atlas of shapes, squeezed, in place of each shape.
        self._shapes = pg.ScatterPlotItem(size=8, pen=None, useCache=False)
        self.add(self._shapes, 4)
        self._spots: list[tuple[int, float, float]] = []
        self.names = Label("", "small", self, wraps=True)
        """The names of the lines, if there are several."""
        self.nothing = Label("", "muted", self, wraps=True, align=Qt.AlignmentFlag.AlignCenter)
        """The text of an empty picture."""
        self.stand("left", "bottom")
        self.says_when_to_paint()
        self.restyle()

    def restyle(self) -> None:
        super().restyle()
        self.setBackground(None)  # transparent, because some curves stand on cards
        self.viewport().setAutoFillBackground(False)
        self.viewport().update()
        self._dot.setBrush(qcolor(self.bench.appearance.theme.here))
        self._write_names()
        self._spots = []  # so that the shapes are drawn again in the new colours
        self._draw()

    def tell(self, traces: Traces) -> None:
        """Draw other curves; the position of a curve among them decides its colour and its shape."""
        self._traces = traces
        self._draw()

    def _draw(self) -> None:
        self.side("left").log = self._traces.log
        self.paint_inside()
        self._match_items()
        finite: list[Array] = []
        end = 10.0
        for place, (line, item) in enumerate(zip(self._traces.lines, self._items, strict=True)):
            x, y = _thinned(_steps(line), self._scaled(line.y))
            width = 2 if len(x) <= MOST_THICK else 1
            item.setData(x, y, pen=pg.mkPen(self._color(place), width=width), connect="finite")
            finite.append(y[np.isfinite(y)])
            end = max(end, float(x[-1]) if len(x) else 0.0)
        numbers = np.concatenate(finite) if finite else np.zeros(0)
        self._say(numbers.size > 0)
        if not numbers.size:
            zeros = any(len(line.y) and not np.any(line.y) for line in self._traces.lines)
            self.nothing.setText("All are 0." if zeros else f"No {self._traces.below} yet: each is drawn here.")
            self.extent = QRectF()
            self._show_sides()
            self._tell_apart()
            self._dot.hide()
            return
        goal = self._scaled(np.array([] if self._traces.goal is None else [self._traces.goal]))
        numbers = np.concatenate([numbers, goal[np.isfinite(goal)]])
        low, high = float(numbers.min()), float(numbers.max())
        if self._traces.log:
            low, high = np.floor(low / GRAIN) * GRAIN, np.ceil(high / GRAIN) * GRAIN
        else:
            low, high = -_above(-low), _above(high)
        right = self._traces.until if self._traces.until >= end else _above(end)
        box = QRectF(0, low, right, (high - low) or 1.0)
        if box != self.extent:
            self.extent = box
            self.getViewBox().setRange(box, padding=0.03, disableAutoRange=True)
        if not len(goal):
            self._goal.setData(np.zeros(0), np.zeros(0))
        else:
            pen = pg.mkPen(self.bench.appearance.theme.muted, width=1, style=Qt.PenStyle.DashLine)
            self._goal.setData(np.array([0.0, right]), np.repeat(goal, 2), pen=pen)
        self._show_sides()
        self._tell_apart()
        self._mark()

    def _tell_apart(self) -> None:
        """If there are several lines, put shapes on each, at places that stay during a run; one on a lone point."""
        spots, several = [], len(self._traces.lines)
        for place, line in enumerate(self._traces.lines if several > 1 else ()):
            x = _steps(line)
            if len(x) == 1:
                spots.append((place, float(x[0]), float(self._scaled(line.y)[0])))
                continue
            parts = (np.arange(STRETCHES) + (place + 0.5) / several) / STRETCHES
            at = np.searchsorted(x, self.extent.right() * parts)
            at = at[at < len(x)]
            spots += [(place, x, y) for x, y in zip(x[at].tolist(), self._scaled(line.y[at]).tolist(), strict=True)]
        spots = [spot for spot in spots if np.isfinite(spot[2])]
        self._shapes.setVisible(bool(spots))
        if spots != self._spots:  # `setData` takes 3 ms
            self._spots = spots
            self._shapes.setData(
                [x for _, x, _ in spots],
                [y for _, _, y in spots],
                symbol=[_shape(place) for place, _, _ in spots],
                brush=[pg.mkBrush(self._color(place)) for place, _, _ in spots],
            )

    def _show_sides(self) -> None:
        """Write the titles of both axes and, unless the picture is empty, their numbers."""
        traces, box = self._traces, self.extent
        self.nothing.setVisible(box.isNull())
        if box.isNull():
            self.side("bottom").show_words((), self.width(), title=traces.below)
            self.side("left").show_words((), self.height(), title=traces.beside)
        else:
            self.side("bottom").show_numbers(box.left(), box.right(), self.width(), traces.below)
            self.side("left").show_numbers(box.top(), box.bottom(), self.height(), traces.beside)

    def _match_items(self) -> None:
        """Make one item for each line, and write the names of the lines if they have changed."""
        names = [line.name for line in self._traces.lines]
        if [item.name() for item in self._items] == names:
            return
        for item in self._items:
            self.getViewBox().removeItem(item)
        self._items = [pg.PlotCurveItem(name=name) for name in names]
        for item in self._items:
            self.add(item)
        self._write_names()

    def _write_names(self) -> None:
        several = len(self._traces.lines) > 1
        whole = (escape(line.name.translate(WHOLE)) for line in self._traces.lines)
        names = (
            f"<span style='color:{self._color(place)}'>{SHAPES[_shape(place)]}\u00a0{name}</span>"
            for place, name in enumerate(whole)
        )
        self.names.setText("\u00a0\u00a0 ".join(names) if several else "")
        self.names.setVisible(several)
        self._place_names()

    def _place_names(self) -> None:
        high = self.names.heightForWidth(self.width()) if len(self._traces.lines) > 1 else 0
        self.names.setGeometry(0, 0, self.width(), high)
        self.grid.setContentsMargins(0, high, 0, 0)

    def _color(self, place: int) -> str:
        """A line's colour. Lines beyond the theme's colours repeat them darker, or lighter in the dark theme."""
        theme = self.bench.appearance.theme
        color = QColor(theme.series[place % len(theme.series)])
        if place >= len(theme.series):
            color = color.lighter(150) if theme.dark else color.darker(180)
        return color.name()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "names"):  # pyqtgraph's constructor resizes the widget before `names` exists
            self._place_names()
            self.nothing.setGeometry(self.rect())
            self._show_sides()

    def _mark(self) -> None:
        steps, value = self._traces.here or (np.nan, np.nan)
        value = float(self._scaled(np.array([value]))[0])
        # A dot far outside the axes would crash Qt's painter.
        within = self.extent.top() <= value <= self.extent.bottom() and steps <= self.extent.right()
        self._dot.setVisible(within)
        if within:
            self._dot.setPos(steps, value)

    def _scaled(self, values: Array) -> Array:
        """The numbers as they are drawn, logarithms on a log axis; NaN for those that cannot be drawn."""
        values = np.where(np.abs(values) < DRAWABLE, values, np.nan)
        if not self._traces.log:
            return values
        with np.errstate(all="ignore"):
            return np.where(values > 0, np.log10(values), np.nan)

    def _say(self, anything: bool) -> None:
        below, beside, said = self._traces.below, self._traces.beside, []
        for line in self._traces.lines:
            if len(line.y):
                said.append(f"{line.name} from {line.y[0]:.4g} to {line.y[-1]:.4g} after {_steps(line)[-1]:g} {below}")
        said += [] if self._traces.goal is None else [f"wanted: {self._traces.goal:g}"]
        self.say(f"Curves of {beside}: {'; '.join(said)}" if anything else f"Curves of {beside}: no {below} yet")


def _steps(line: Trace) -> Array:
    """Where the points of a line are on the horizontal axis."""
    return np.arange(len(line.y)) if line.x is None else np.asarray(line.x)


def _shape(place: int) -> str:
    """The shape of the line at a position; after the last shape they repeat."""
    return tuple(SHAPES)[place % len(SHAPES)]


def _above(number: float) -> float:
    """A number rounded up to a multiple of `GRAIN` in log10; 0 for one that is not above 0."""
    return float(10 ** (np.ceil(np.log10(number) / GRAIN - 1e-9) * GRAIN)) if number > 0 else 0.0


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """A long curve reduced to the lowest and highest point of each stretch, in order."""
    stretch = -(-len(y) // (MOST_POINTS // 2))
    if stretch <= 2:
        return x, y
    whole = len(y) // stretch * stretch
    rows, starts = y[:whole].reshape(-1, stretch), np.arange(0, whole, stretch)
    lowest = starts + np.where(np.isnan(rows), np.inf, rows).argmin(1)
    highest = starts + np.where(np.isnan(rows), -np.inf, rows).argmax(1)
    keep = np.unique(np.concatenate([[0], lowest, highest, np.arange(whole, len(y)), [len(y) - 1]]))
    return x[keep], y[keep]
