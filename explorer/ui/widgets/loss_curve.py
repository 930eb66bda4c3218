"""The loss after each step of a run."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from explorer.core.gradients import LOSS
from explorer.document.training import Run
from explorer.ui.widgets.plot import Plot
from explorer.ui.workbench import Workbench


class LossCurve(Plot):
    """The curve, and a dot where the document is.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(bench, LOSS.node, parent)
        self._curve = pg.PlotDataItem()
        self._dot = pg.ScatterPlotItem(size=9)
        self.addItem(self._curve)
        self.addItem(self._dot)
        self.setLabel("bottom", "steps")
        self.setLabel("left", "loss")
        self.restyle()
        self.show_run(None)

    def show_run(self, run: Run | None) -> None:
        """Draw a run as far as it has come."""
        losses = np.array([moment.loss for moment in run.moments]) if run else np.zeros(0)
        finite = losses[np.isfinite(losses)]
        if run is None or not finite.size:
            self._curve.setData([], [])
            self._dot.setData([], [])
            self.say("Loss: no steps yet")
            return
        theme = self.bench.appearance.theme
        self._curve.setData(np.arange(len(losses)), losses, pen=pg.mkPen(theme.series[0], width=2), connect="finite")
        self._dot.setData([run.at], [run.moments[run.at].loss], brush=pg.mkBrush(theme.here), pen=None)
        top = float(finite.max()) * 1.05 or 1.0
        box = QRectF(0, 0, max(len(losses) - 1, 10), top)
        self.getViewBox().setRange(box, padding=0.03, disableAutoRange=True)
        self.say(f"Loss from {finite[0]:.4g} down to {finite[-1]:.4g} in {len(losses) - 1} steps")

    def refresh(self) -> None:
        """The panel shows the run; there is nothing to read from the graph."""
