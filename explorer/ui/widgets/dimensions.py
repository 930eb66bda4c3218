"""Which two numbers of each vector a picture of a plane draws."""

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from explorer.core.ops import Array
from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import SpinBox
from explorer.ui.workbench import Workbench


class Dimensions(QWidget):
    """Two boxes: the dimension drawn across, and the one drawn upwards.

    Parameters
    ----------
    bench : Workbench
    vectors : numpy.ndarray
        (n_words, d), d ≥ 2: one begins with the first two dimensions or, where these do not tell the words apart, with
        those that do most.
    what : str
        The picture's name, for a screen reader.
    """

    changed = Signal()

    def __init__(self, bench: Workbench, vectors: Array, what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(bench.appearance.px(5))
        self._boxes = []
        for title, value in zip(("across", "up"), _telling(vectors), strict=True):
            box = SpinBox(minimum=1, maximum=vectors.shape[1], value=value + 1)
            box.setAccessibleName(f"{what}: dimension {title}")
            box.setToolTip("Which number of each vector to draw")
            box.valueChanged.connect(self.changed)
            for widget in (mark(QLabel(title), role="small"), box):
                line.addWidget(widget)
            self._boxes.append(box)
        line.addStretch()
        if vectors.shape[1] == 2:
            self.hide()  # there is nothing to choose

    @property
    def pair(self) -> list[int]:
        """The two dimensions, counted from 0."""
        return [box.value() - 1 for box in self._boxes]


def _telling(vectors: Array) -> tuple[int, int]:
    """The two dimensions to begin with."""
    with np.errstate(all="ignore"):
        spread = np.nan_to_num(np.ptp(vectors, axis=0)) if len(vectors) else np.zeros(vectors.shape[1])
    if spread[:2].any() or not spread.any():
        return 0, 1
    first, second = sorted(np.argsort(-spread, kind="stable")[:2].tolist())
    return first, second
