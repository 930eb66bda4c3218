"""A slider for a single number that is set by feel: each step is a factor, 1 in the middle."""

from math import log10

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from explorer.core.errors import ExplorerError
from explorer.document.commands import SetCells
from explorer.ui.errors import show_error
from explorer.ui.workbench import Workbench

DECADE = 50  # steps from 1 to 10


class NumberSlider(QSlider):
    """From 0.1 to 10, on a scale of factors. A drag, or a key held down, is one step of undo.

    Parameters
    ----------
    bench : Workbench
    name : str
        An input node that is one number.
    title : str
        For a screen reader and the tooltip.
    """

    def __init__(self, bench: Workbench, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._bench = bench
        self._name = name
        self._stroke: object = None
        self.setRange(-DECADE, DECADE)
        self.setPageStep(DECADE // 5)
        self.setFixedWidth(bench.appearance.px(260))
        self.setAccessibleName(title)
        self.setToolTip(f"{title}: drag, or the arrow keys; Home and End for 0.1 and 10")
        self.sliderPressed.connect(self._begin)
        self.sliderReleased.connect(self._end)
        self.valueChanged.connect(self._set)
        self.refresh()

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return {self._name}

    def refresh(self) -> None:
        """Show what the model has; beyond the ends, the end."""
        value = float(self._bench.document.engine.values[self._name])
        place = round(DECADE * log10(value)) if 0 < value < float("inf") else -DECADE
        self.blockSignals(True)
        self.setValue(min(max(place, -DECADE), DECADE))
        self.blockSignals(False)

    def restyle(self) -> None:
        """Follow the text scale."""
        self.setFixedWidth(self._bench.appearance.px(260))

    def _begin(self) -> None:
        self._stroke = object()

    def _end(self) -> None:
        self._stroke = None

    def _set(self, place: int) -> None:
        value = float(f"{10 ** (place / DECADE):.2g}")
        try:
            self._bench.document.do(SetCells(self._name, {(): value}, self._stroke))
        except ExplorerError as error:
            show_error(error, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat() or self._stroke is None:
            self._begin()
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless one has gone to the slider."""
        if not self.hasFocus():
            event.ignore()
            return
        super().wheelEvent(event)
