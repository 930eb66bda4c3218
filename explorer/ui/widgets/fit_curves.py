"""What a net with one input answers, as a curve over its examples, and the straight line of a regression."""

import numpy as np
from PySide6.QtWidgets import QWidget

from explorer.core.engine import Engine
from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.ui.selection import Cell
from explorer.ui.widgets.curves import Curve, Curves, Dot, Drawing
from explorer.ui.widgets.handles import Handles
from explorer.ui.widgets.net_answers import CASES, TARGET, NetAnswers
from explorer.ui.widgets.plot import DRAWABLE
from explorer.ui.workbench import Workbench

POINTS = 301


class FitCurves(Curves, Handles):
    """The examples as points, the net's curve and the line of the linear regression.

    Pointing at an example is pointing at the net's answer to it; dragging it up or down edits its target.

    Parameters
    ----------
    bench : Workbench

    Attributes
    ----------
    trained : Engine or None
        Of a line that is learned from the same examples: ``layer.1.activation`` and ``loss.value``.
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        self.net = NetAnswers(bench)
        self.trained: Engine | None = None
        self._frame = (-1.0, 1.0, -1.0, 1.0)
        super().__init__(bench, self._fit, (), parent)
        self.showGrid(x=False, y=False)  # it takes longer to paint than all the rest
        self.setMouseTracking(True)
        self.setToolTip("Drag an example up or down; point at it for the net's answer")

    def reads(self) -> set[str]:
        return self.net.reads()

    def refresh(self) -> None:
        if self.net.features == 1:  # else another graph: the page is about to be made anew
            super().refresh()

    def _fit(self) -> Drawing:
        values = self.bench.document.engine.values
        x, targets = self.net.cases()[:, 0], self.net.targets()
        y = self.net.answers() if targets is None else targets
        if not self.held:
            self._frame = _around(x, y)
        left, right, low, high = self._frame
        grid = np.linspace(left, right, POINTS)
        curves = [Curve(grid, self.net.over(grid[:, None], self.net.output)[:, 0], "net", series=0)]
        said = [f"net {written(float(values['loss.value']), 4)}"] if "loss.value" in values else []
        if self.net.regression:
            # A straight line is drawn through two of its points.
            ends = [int(np.argmin(x)), int(np.argmax(x))]
            line = values["regression.output"][ends, 0]
            best = "line" if self.trained is None else "best"
            curves.append(Curve(x[ends], line, best, series=1, dashed=True))
            said.append(f"line {written(float(values['regression.loss']), 4)}")
            if self.trained is not None:
                learned = self.trained.values
                curves.append(Curve(x[ends], learned["layer.1.activation"][ends, 0], "line", series=1))
                said.append(f"trained line {written(float(learned['loss.value']), 4)}")
        cell = self.bench.selection.cell
        here = cell.index[0] if cell is not None and cell.node in (self.net.output, TARGET) and cell.index else None
        dots = [Dot(float(a), float(b), series=5, here=i == here) for i, (a, b) in enumerate(zip(x, y, strict=True))]
        # The names of the curves stand at their right ends.
        window = (left, right + 0.06 * (right - left), low, high)
        titles = (self.net.names(CASES, 1)[0], self.net.names(self.net.output, 1)[0])
        return Drawing(curves, dots, titles, window, f"{len(x)} examples. Mean squared error: {', '.join(said)}")

    def places(self) -> Array:
        targets = self.net.targets()
        return np.stack([self.net.cases()[:, 0], self.net.answers() if targets is None else targets], axis=-1)

    def cell_of(self, row: int) -> Cell:
        return Cell(self.net.output, (row, 0))

    def moved_to(self, row: int, x: float, y: float) -> tuple[str, dict[tuple[int, ...], float]]:
        return TARGET, {(row, 0): y}


def _around(x: Array, y: Array) -> tuple[float, float, float, float]:
    """Left, right, bottom and top around the examples, with some room."""
    near = (np.abs(x) < DRAWABLE) & (np.abs(y) < DRAWABLE)
    if not near.any():
        return -1.0, 1.0, -1.0, 1.0
    (left, right), (low, high) = ((float(v[near].min()), float(v[near].max())) for v in (x, y))
    across, up = 0.04 * (right - left) or 1.0, 0.3 * (high - low) or 1.0
    return left - across, right + across, low - up, high + up
