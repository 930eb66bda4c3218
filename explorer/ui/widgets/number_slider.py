"""A slider for a number that is set by feel: each step is a factor."""

from math import log10

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QSlider

from explorer.ui.workbench import Workbench

DECADE = 50  # steps from 1 to 10


class FactorSlider(QSlider):
    """From one power of ten to another, on a scale of factors.

    Parameters
    ----------
    title : str
        For a screen reader and the tooltip.
    low, high : int
        The powers of ten at the ends.
    width : int
        Pixels at text scale 1.
    """

    moved = Signal(float)  # a person has set it to this number
    key_begins = Signal()  # a key has been pressed; while it is held down and repeats, this does not come again

    def __init__(self, bench: Workbench, title: str, low: int, high: int, width: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(low * DECADE, high * DECADE)
        self.setPageStep(DECADE // 5)
        self.setAccessibleName(title)
        self.setToolTip(f"{title}: drag, or the arrow keys; Home and End for {10.0**low:g} and {10.0**high:g}")
        self.valueChanged.connect(lambda place: self.moved.emit(float(f"{10 ** (place / DECADE):.2g}")))
        self.setFixedWidth(bench.appearance.px(width))

    def show_number(self, number: float) -> None:
        """Stand at a number; beyond the ends, at the end."""
        low, high = self.minimum(), self.maximum()
        place = round(DECADE * log10(number)) if 0 < number < float("inf") else low
        with QSignalBlocker(self):
            self.setValue(min(max(place, low), high))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self.key_begins.emit()
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless one has gone to the slider."""
        if not self.hasFocus():
            event.ignore()
            return
        super().wheelEvent(event)
