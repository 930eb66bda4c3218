"""What gradient descent moves: a list of weights to freeze, with the length of each one's gradient."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from explorer.core.numbers import written
from explorer.core.training.optimisers import length
from explorer.ui.theme import mark
from explorer.ui.training.moves import WeightBoxes
from explorer.ui.workbench import Workbench

MOVING, ARROW = 340, 30
"""Pixels: of the whole, and of the arrow that opens a block."""


class Moving(WeightBoxes):
    """The inputs that a gradient can move, how long the gradient of each is, and which of them are frozen."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self.lengths: dict[str, QLabel] = {}  # for each input, and each block
        titles = (mark(QLabel(title), role="small") for title in ("Weight", "Length of its gradient"))
        self._list.addWidget(self._row(*titles))
        self.add(list(bench.descent.moves()))
        self.setFixedWidth(bench.appearance.px(MOVING))
        bench.descent.changed.connect(self._follow)
        self.refresh()

    def line(self, name: str) -> QWidget:
        """A box, and the length of the gradient of its weight."""
        return self._row(self.boxes[name], *self.beside(name))

    def beside(self, *names: str) -> Sequence[QWidget]:
        """The length of the gradient of each."""
        labels = [QLabel() for _ in names]
        for name, label in zip(names, labels, strict=True):
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            label.setAccessibleName(f"Length of the gradient of {name}")
            self.lengths[name] = label
        return labels

    def _row(self, left: QWidget, right: QWidget) -> QWidget:
        holder = QWidget()
        line = QHBoxLayout(holder)
        line.setContentsMargins(0, 0, self._bench.appearance.px(ARROW), 0)
        line.addWidget(left)
        line.addStretch(1)
        line.addWidget(right)
        return holder

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Read marks and gradients anew."""
        engine, moves = self._bench.document.engine, self._bench.descent.moves()
        if moves.keys() != self.boxes.keys():
            return  # of another model now; the page follows
        self.show_marks()
        if not (self._bench.descent.quick or engine.has_gradients):
            for label in self.lengths.values():
                _say(label, "…")
            return
        gradients = engine.gradients().several(moves)
        for name, label in self.lengths.items():
            inside = [one for one in gradients if one == name or one.rpartition(".")[0] == name]
            _say(label, written(length(gradients[one] for one in inside), 4))


def _say(label: QLabel, number: str) -> None:
    """Write a number. Of a fixed size, that grows only: else the whole page would be laid out anew at each step."""
    label.setText(number)
    room = label.minimumSize().expandedTo(label.sizeHint())
    if room != label.minimumSize():
        label.setFixedSize(room)
