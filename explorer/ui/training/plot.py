"""What all pyqtgraph pictures share: no frame, no menu, the theme's colours, and a summary in words."""

from functools import partial
from typing import Any

import pyqtgraph as pg
import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from explorer.ui.theme import Theme
from explorer.ui.workbench import Workbench

# An image's first index is its row, as in a matrix. With a rate limit, the last move of a quick hand would be lost.
pg.setConfigOptions(imageAxisOrder="row-major", antialias=True, mouseRateLimit=0)

DRAWABLE = 1e30
"""Numbers beyond cannot be drawn: their squares overflow on the way to pixels."""


class Axis(pg.AxisItem):
    """An axis whose numbers have a true minus sign."""

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]


class Plot(pg.PlotWidget):
    """A plot on the page's own ground.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        axes = {side: Axis(side) for side in ("left", "bottom", "right", "top")}
        super().__init__(parent, enableMenu=False, axisItems=axes)
        item = self.getPlotItem()
        # pyqtgraph makes a menu for each plot, also where none is shown, and gives it no parent. Held by a ring of
        # references alone, it would be for Python's collector to delete, on any thread and amid any repolishing.
        self.destroyed.connect(partial(_delete, item.ctrlMenu, item.stateGroup))
        self.bench = bench
        for side in ("right", "top"):
            self.hideAxis(side)
        self.hideButtons()
        self.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseEnabled(False, False)
        for part in (self, self.viewport()):
            part.setAcceptDrops(False)  # a file is dropped on the window
        item.setContentsMargins(0, 0, 0, 0)

    def refresh(self) -> None:
        """Read the numbers anew."""
        raise NotImplementedError(type(self).__name__)

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
            axis.label.setFont(appearance.fonts.ui)
            if axis.label.isVisible():
                axis.showLabel()  # with room for it in its new size

    def say(self, summary: str) -> None:
        """The picture in words, for a screen reader."""
        self.setAccessibleName(summary)

    def wheelEvent(self, event: Any) -> None:
        """Leave the wheel to the page."""
        event.ignore()


def _delete(*objects: QObject) -> None:
    for one in objects:
        if shiboken6.isValid(one):
            shiboken6.delete(one)
