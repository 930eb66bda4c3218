"""The loss surface with the choice of its two weights."""

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from explorer.ui.selection import Cell
from explorer.ui.training.cell_picker import CellPicker
from explorer.ui.training.loss_grid import steepest
from explorer.ui.training.loss_surface import LossSurface, within
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench

HEIGHT = 270


class SurfaceView(QWidget):
    """The weights to point at, the surface, and words about it. Two are suggested; the choice stays with the bench."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        descent, px = bench.descent, bench.appearance.px
        if not descent.looked_at or not all(map(self._there, descent.looked_at)):
            descent.looked_at = steepest(bench.document, [name for name, moves in descent.moves().items() if moves])
        self.picker = CellPicker(bench, descent.looked_at)
        self.picker.chosen.connect(self._choose)
        self.plot = LossSurface(bench, descent.looked_at)
        self.plot.setFixedHeight(px(HEIGHT))
        self._words = SteadyLabel(role="small")
        column_in(self, self.plot, self._words, self.picker, spacing=px(4))
        self.plot.asked.connect(self._say)
        self.plot.drawn.connect(self._say)
        descent.changed.connect(self._follow)
        self._say()

    def hasHeightForWidth(self) -> bool:
        return True  # also before it is shown, when its layout does not know yet: many weights take many lines

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _follow(self) -> None:
        """Follow the model and the run while in sight."""
        if self.isVisible():
            self.plot.refresh()
            self.picker.refresh()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.plot.restyle()

    def _there(self, cell: Cell) -> bool:
        moves = cell.node in self._bench.descent.moves()
        return moves and within(self._bench.document.engine.values.get(cell.node), cell.index)

    def _choose(self, cells: Sequence[Cell]) -> None:
        self._bench.descent.looked_at = tuple(cells)
        self.plot.show_cells(self._bench.descent.looked_at)

    def _say(self, asked: str = "") -> None:
        """The loss where the mouse is; else what the picture is."""
        after = f"after {self.plot.steps_of_losses:,} steps" if self._bench.descent.run else "now"
        about = f"Deeper is a higher loss. All other weights are as they are {after}. A click moves these two there."
        self._words.setText(f"{asked}. A click moves the two weights there." if asked else about)
