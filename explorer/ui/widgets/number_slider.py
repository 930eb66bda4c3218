"""Sliders for a number that is set by feel: each step is a factor."""

from math import log10

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from explorer.core.errors import ExplorerError
from explorer.document.commands import SetCells
from explorer.ui.errors import show_error
from explorer.ui.workbench import Workbench

DECADE = 50  # steps from 1 to 10


class FactorSlider(QSlider):
    """From one power of ten to another, on a scale of factors.

    Parameters
    ----------
    bench : Workbench
    title : str
        For a screen reader and the tooltip.
    low, high : int
        The powers of ten at the ends.
    width : int
        Pixels at text scale 1.

    Signals
    -------
    moved : float
        A person has set it to this number.
    """

    moved = Signal(float)

    def __init__(
        self, bench: Workbench, title: str, low: int, high: int, width: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._bench = bench
        self._width = width
        self.setRange(low * DECADE, high * DECADE)
        self.setPageStep(DECADE // 5)
        self.setAccessibleName(title)
        self.setToolTip(f"{title}: drag, or the arrow keys; Home and End for {10.0**low:g} and {10.0**high:g}")
        self.valueChanged.connect(lambda place: self.moved.emit(float(f"{10 ** (place / DECADE):.2g}")))
        self.restyle()

    def show_number(self, number: float) -> None:
        """Stand at a number; beyond the ends, at the end."""
        low, high = self.minimum(), self.maximum()
        place = round(DECADE * log10(number)) if 0 < number < float("inf") else low
        self.blockSignals(True)
        self.setValue(min(max(place, low), high))
        self.blockSignals(False)

    def restyle(self) -> None:
        """Follow the text scale."""
        self.setFixedWidth(self._bench.appearance.px(self._width))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless one has gone to the slider."""
        if not self.hasFocus():
            event.ignore()
            return
        super().wheelEvent(event)


class NumberSlider(FactorSlider):
    """An input node that is one number, from 0.1 to 10. A drag, or a key held down, is one step of undo.

    Parameters
    ----------
    bench : Workbench
    name : str
        Of the node.
    title : str
    """

    def __init__(self, bench: Workbench, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(bench, title, -1, 1, 260, parent)
        self._name = name
        self._stroke: object = None
        self.sliderPressed.connect(self._begin)
        self.sliderReleased.connect(self._end)
        self.moved.connect(self._set)
        self.refresh()

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return {self._name}

    def refresh(self) -> None:
        """Show what the model has."""
        self.show_number(float(self._bench.document.engine.values[self._name]))

    def _begin(self) -> None:
        self._stroke = object()

    def _end(self) -> None:
        self._stroke = None

    def _set(self, value: float) -> None:
        try:
            self._bench.document.do(SetCells(self._name, {(): value}, self._stroke))
        except ExplorerError as error:
            show_error(error, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat() or self._stroke is None:
            self._begin()
        super().keyPressEvent(event)
