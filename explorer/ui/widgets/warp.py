"""What a matrix does to the plane, and what attention does to words: a grid before and after, words that are moved."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.widgets.arrow import draw_arrow
from explorer.ui.widgets.dimensions import Dimensions
from explorer.ui.widgets.plot import DRAWABLE, Plot
from explorer.ui.workbench import Workbench

LINES = 9  # in each direction
MANY = 40  # words that are written at most


class _Words(pg.GraphicsObject):
    """Words at their places, over a grid's lines or with arrows to them, in one item's paint."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.matrix: Array | None = None
        self.span = 1.0
        self.box = QRectF(-1, -1, 2, 2)
        self.starts: Array | None = None
        self.points: Array = np.zeros((0, 2))
        self.labels: Sequence[str] = ()
        self.here: int | None = None

    def boundingRect(self) -> QRectF:
        return self.box

    def paint(self, painter: Any, *args: Any) -> None:
        theme, fonts = self._bench.appearance.theme, self._bench.appearance.fonts
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        if self.matrix is not None:
            self._draw_grid(painter, to_pixels, self.matrix)
        drawable = np.flatnonzero((np.abs(self.points) < DRAWABLE).all(-1)).tolist()
        spots = {i: to_pixels.map(QPointF(*self.points[i].tolist())) for i in drawable}
        if self.starts is not None:
            for i, spot in spots.items():
                if (np.abs(self.starts[i]) < DRAWABLE).all():
                    start = to_pixels.map(QPointF(*self.starts[i].tolist()))
                    draw_arrow(painter, start, spot, qcolor(theme.here if i == self.here else theme.muted), 1.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.here))
        for spot in spots.values() if self.starts is None else ():
            painter.drawEllipse(spot, self.dot, self.dot)
        painter.setFont(fonts.small)
        painter.setPen(qcolor(theme.text))
        self._write(painter, spots, to_pixels.mapRect(self.getViewBox().viewRect()))
        painter.restore()

    def _draw_grid(self, painter: Any, to_pixels: Any, matrix: Array) -> None:
        """The lines of a square grid where the matrix lays them."""
        theme = self._bench.appearance.theme
        for which, color in ((0, theme.series[0]), (1, theme.series[2])):
            for tick in np.linspace(-self.span, self.span, LINES):
                painter.setPen(QPen(qcolor(color), 2 if np.isclose(tick, 0) else 1))
                ends = [(tick, -self.span), (tick, self.span)] if which else [(-self.span, tick), (self.span, tick)]
                with np.errstate(all="ignore"):
                    laid = np.array(ends) @ matrix
                if (np.abs(laid) < DRAWABLE).all():
                    painter.drawLine(*(to_pixels.map(QPointF(*end)) for end in laid.tolist()))

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


class _WordPlane(Plot):
    """A plane of two dimensions with words on it.

    Parameters
    ----------
    bench : Workbench
    name : str
        The node, or head's slice, that is drawn.
    dimensions : Dimensions
        Which of its dimensions.
    """

    def __init__(self, bench: Workbench, name: str, dimensions: Dimensions, parent: QWidget | None = None) -> None:
        super().__init__(bench, name, parent)
        self.dimensions = dimensions
        self._names: tuple[str, ...] = ()
        self.picture = _Words(bench)
        self.addItem(self.picture)
        self.setAspectLocked(True)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        dimensions.changed.connect(self.refresh)
        bench.selection.token_changed.connect(self._mark)

    def array(self, name: str) -> Array:
        """The numbers of a node or a head's slice."""
        engine = self.bench.document.engine
        return engine.value(engine.graph.place(name))

    def frame(self, shown: str, box: QRectF) -> None:
        """Show a part of the plane, with the words of a node's rows, and its dimensions where they have names."""
        graph, picture = self.bench.document.engine.graph, self.picture
        rows, columns = graph.axes_of(graph.place(shown))
        labels = self.bench.document.engine.labels
        picture.labels, self._axis = labels(rows), rows
        picture.box = box
        self.getViewBox().setRange(box, padding=0, disableAutoRange=True)
        names = tuple(labels(columns)[j] for j in self.dimensions.pair)
        if names != self._names:  # an axis takes longer than the picture
            self._names = names
            for side, name in zip(("bottom", "left"), names, strict=True):
                self.setLabel(side, name)
                self.getAxis(side).showLabel(not name.isdigit())
        self._mark()
        picture.update()

    def _mark(self) -> None:
        """Write the word that one looks at, whatever else stands there."""
        token = self.bench.selection.token
        self.picture.here = token[1] if token is not None and token[0] == self._axis else None
        self.picture.update()


class Warp(_WordPlane):
    """The plane of two input dimensions as a weight matrix lays it into a plane of two output dimensions.

    Parameters
    ----------
    bench : Workbench
    weights, vectors, result : str
        Nodes, or heads' slices: W_Q, the vectors it is applied to, and what comes out.
    before : Dimensions
        Those of the vectors.
    behind : Dimensions, optional
        Those of what comes out; left out, the plane before the matrix is drawn.
    """

    def __init__(
        self,
        bench: Workbench,
        weights: str,
        vectors: str,
        result: str,
        before: Dimensions,
        behind: Dimensions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(bench, weights, behind or before, parent)
        self._vectors, self._result, self._before, self._after = vectors, result, before, behind is not None
        if self._after:
            before.changed.connect(self.refresh)
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
        graph, picture = self.bench.document.engine.graph, self.picture
        picture.prepareGeometryChange()
        block = graph.place(self.name).node.rpartition(".")[0]
        transposed = self.bench.document.state.model.switch(block, "weights") == "W x"
        weights, before = self.array(self.name), self.array(self._vectors)[:, self._before.pair]
        matrix = weights.T if transposed else weights
        shown = self._result if self._after else self._vectors
        picture.matrix = matrix[np.ix_(self._before.pair, self.dimensions.pair)] if self._after else np.eye(2)
        picture.points = self.array(shown)[:, self.dimensions.pair]
        picture.span = _reach(before, 1.0)
        with np.errstate(all="ignore"):  # as in the engine
            corners = np.array([[1, 1], [1, -1]]) * picture.span @ picture.matrix
        reach = 1.25 * _reach(np.vstack([corners, picture.points]), 0.5)
        self.frame(shown, QRectF(-reach, -reach, 2 * reach, 2 * reach))
        words = len(picture.labels)
        self.say(f"The plane {'behind' if self._after else 'before'} {self.name}, with {words} words on it")


class Moved(_WordPlane):
    """Where attention moves each word: an arrow from its value, a row of V, to its output, a row of A V.

    Parameters
    ----------
    bench : Workbench
    values, output : str
        Nodes, or heads' slices; both have a row for each word.
    dimensions : Dimensions
    """

    def __init__(
        self, bench: Workbench, values: str, output: str, dimensions: Dimensions, parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, output, dimensions, parent)
        self._values = values
        self.restyle()
        self.refresh()

    def reads(self) -> set[str]:
        return {*super().reads(), self.bench.document.engine.graph.place(self._values).node}

    def show_head(self, of_head: Callable[[str], str]) -> None:
        """Draw another head's."""
        self.name, self._values = of_head("output"), of_head("V")
        self.refresh()

    def refresh(self) -> None:
        """Read values and outputs anew."""
        picture = self.picture
        picture.prepareGeometryChange()
        picture.starts = self.array(self._values)[:, self.dimensions.pair]
        picture.points = self.array(self.name)[:, self.dimensions.pair]
        both = np.vstack([picture.starts, picture.points])
        near = both[(np.abs(both) < DRAWABLE).all(-1)] if len(both) else both
        low, high = (near.min(0), near.max(0)) if len(near) else (np.zeros(2), np.zeros(2))
        half = max(float((high - low).max()) * 0.75, 0.5)
        x, y = ((low + high) / 2).tolist()
        self.frame(self.name, QRectF(x - half, y - half, 2 * half, 2 * half))
        with np.errstate(all="ignore"):
            ways = zip(picture.labels[:12], picture.starts.tolist(), picture.points.tolist(), strict=False)
            said = (f"{word} from ({a:.2f}, {b:.2f}) to ({c:.2f}, {d:.2f})" for word, (a, b), (c, d) in ways)
            self.say("Attention moves " + "; ".join(said))


def _reach(array: Array, least: float) -> float:
    """The largest of the numbers that can be drawn."""
    sizes = np.abs(array)
    return float(sizes[sizes < DRAWABLE].max(initial=least))
