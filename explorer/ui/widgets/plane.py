"""Vectors as arrows in the plane of two dimensions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QWidget

from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.theme import Theme
from explorer.ui.widgets.arrow import draw_arrow
from explorer.ui.widgets.plot import DRAWABLE, Plot
from explorer.ui.workbench import Workbench


class _Arrows(pg.GraphicsObject):
    """Arrows from the origin with their words, all in one item's paint."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.points: Array = np.zeros((0, 2))
        self.labels: Sequence[str] = ()
        self.strong: set[int] = set()
        self.here: int | None = None

    def boundingRect(self) -> QRectF:
        near = self.points[np.abs(self.points) < DRAWABLE]
        reach = float(np.abs(near).max(initial=1.0)) * 1.4
        return QRectF(-reach, -reach, 2 * reach, 2 * reach)

    def paint(self, painter: Any, *args: Any) -> None:
        appearance = self._bench.appearance
        theme: Theme = appearance.theme
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        painter.setFont(appearance.fonts.small)
        metrics = painter.fontMetrics()
        origin = to_pixels.map(QPointF(0, 0))
        taken: list[QRectF] = []
        for i, (x, y) in enumerate(self.points.tolist()):
            if not abs(x) + abs(y) < DRAWABLE:
                continue
            color = qcolor(theme.here if i == self.here else theme.accent_line if i in self.strong else theme.muted)
            tip = to_pixels.map(QPointF(x, y))
            draw_arrow(painter, origin, tip, color, 2 if i in self.strong else 1.2)
            width = metrics.horizontalAdvance(self.labels[i])
            left = tip.x() + 6 if tip.x() >= origin.x() else tip.x() - 6 - width
            place = QRectF(left, tip.y() - metrics.height() / 2, width, metrics.height())
            while any(place.intersects(other) for other in taken):
                place.translate(0, metrics.height())
            taken.append(place)
            painter.setPen(qcolor(theme.here_text if i == self.here else theme.text))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self.labels[i])
        painter.restore()


class Plane(Plot):
    """The rows of a matrix in two of its dimensions.

    Parameters
    ----------
    bench : Workbench
    name : str
        Of a node with one vector a row.
    axis : str
        The sequence whose words stand out.
    """

    def __init__(self, bench: Workbench, name: str, axis: str = "", parent: QWidget | None = None) -> None:
        super().__init__(bench, name, parent)
        self._axis = axis
        self.words = (f"{axis}.tokens",) if axis else ()
        self.dimensions = (0, 1)
        self._arrows = _Arrows(bench)
        self.addItem(self._arrows)
        self.setAspectLocked(True)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self.showGrid(x=True, y=True, alpha=0.15)
        bench.selection.token_changed.connect(self._mark)
        bench.selection.pointed.connect(self._mark)
        self.restyle()
        self.refresh()

    def set_dimensions(self, x: int, y: int) -> None:
        """Look along two other dimensions."""
        self.dimensions = (x, y)
        self.refresh()

    def refresh(self) -> None:
        """Read the vectors anew."""
        engine = self.bench.document.engine
        self._place = place = engine.graph.place(self.name)
        self._axis_of_rows, _ = axes = engine.graph.axes_of(place)
        array = engine.value(place)
        rows, columns = (engine.labels(axis) for axis in axes)
        x, y = (min(d, array.shape[1] - 1) for d in self.dimensions)
        arrows = self._arrows
        arrows.prepareGeometryChange()
        arrows.points = array[:, (x, y)]
        arrows.labels = rows
        words = set(engine.labels(self._axis)) if self._axis else set(rows)
        arrows.strong = {i for i, row in enumerate(rows) if row in words}
        finite = arrows.points[np.abs(arrows.points) < DRAWABLE]
        reach = float(np.abs(finite).max(initial=0.5)) * 1.3
        self.getViewBox().setRange(QRectF(-reach, -reach, 2 * reach, 2 * reach), disableAutoRange=True)
        self.setLabel("bottom", f"dimension {columns[x]}")
        self.setLabel("left", f"dimension {columns[y]}")
        places = (f"{row} ({a:.2f}, {b:.2f})" for row, (a, b) in zip(rows, arrows.points[:12], strict=False))
        self.say(f"{self.name} in a plane: " + "; ".join(places))
        self._mark()

    def restyle(self) -> None:
        super().restyle()
        self._arrows.update()

    def _mark(self, *_: object) -> None:
        engine, selection = self.bench.document.engine, self.bench.selection
        rows = self._axis_of_rows  # as drawn: the graph may be another already
        here: int | None = None
        if selection.token is not None:
            axis, i = selection.token
            if axis == rows:
                here = i
            elif engine.graph.sequences.get(axis) == rows:
                here = int(engine.values[f"{axis}.tokens"][i])
        elif selection.cell is not None and selection.cell.node == self._place.node:
            here = selection.cell.index[-2]
        self._arrows.here = here
        self._arrows.update()
