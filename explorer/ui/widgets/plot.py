"""What all pyqtgraph pictures share: no frame, no menu, the theme's colours, and a summary in words."""

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from explorer.ui.theme import Theme
from explorer.ui.workbench import Workbench

# An image's first index is its row, as in a matrix.
pg.setConfigOptions(imageAxisOrder="row-major", antialias=True)


class Plot(pg.PlotWidget):
    """A plot on the page's own ground.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        self.bench = bench
        self.hideButtons()
        self.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseEnabled(False, False)
        self.getPlotItem().setContentsMargins(0, 0, 0, 0)

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        appearance = self.bench.appearance
        theme: Theme = appearance.theme
        self.setBackground(theme.page)
        for side in ("left", "right", "top", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.line_strong)
            axis.setTextPen(theme.muted)
            axis.setStyle(tickFont=appearance.fonts.small, tickLength=0)

    def ticks(self, side: str, labels: Sequence[str], at: float = 0.5, most: int = 24) -> None:
        """Write labels along a side, one for each unit; of many only as many as can be read."""
        every = max(1, -(-len(labels) // most))
        self.getAxis(side).setTicks([[(i + at, label[:14]) for i, label in enumerate(labels) if i % every == 0]])

    def say(self, summary: str) -> None:
        """The picture in words, for a screen reader."""
        self.setAccessibleName(summary)

    def wheelEvent(self, event: Any) -> None:
        """Leave the wheel to the page."""
        event.ignore()
