"""What gradient descent moves: a list of weights to freeze, with the length of each one's gradient."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from explorer.core.numbers import written
from explorer.core.training.optimisers import length
from explorer.ui.theme import mark
from explorer.ui.training.moves import MOST, BlockBox
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

MOVING, ARROW = 340, 30
"""Pixels: of the whole, and of the arrow that opens a block."""


class Moving(QWidget):
    """The inputs that a gradient can move, how long the gradient of each is, and which of them are frozen.

    Many stand block by block.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        column = column_in(self, spacing=bench.appearance.px(2))
        self.boxes: dict[str, QCheckBox] = {}  # for each of the inputs
        self.blocks: dict[str, BlockBox] = {}
        self.lengths: dict[str, QLabel] = {}  # for each input, and each block
        self._reading = False
        moves = bench.descent.moves()
        of_block: dict[str, list[str]] = {}
        for name in moves:
            self.boxes[name] = box = QCheckBox(name)
            box.setAccessibleName(name)
            box.setToolTip("Take the mark away to freeze it")
            box.toggled.connect(lambda on, name=name: self._set([name]))
            of_block.setdefault(name.rpartition(".")[0] if len(moves) > MOST else name, []).append(name)
        column.addWidget(
            self._row(mark(QLabel("Weight"), role="small"), mark(QLabel("Length of its gradient"), role="small"))
        )
        for block, names in of_block.items():
            if len(names) == 1:
                column.addWidget(self._row(self.boxes[names[0]], self._length(names[0])))
                continue
            boxes = [self.boxes[name] for name in names]
            self.blocks[block] = made = BlockBox(bench, block, boxes, [self._length(name) for name in (block, *names)])
            made.changed.connect(lambda names=tuple(names): self._set(names))
            column.addWidget(made)
        self.setFixedWidth(bench.appearance.px(MOVING))
        bench.descent.changed.connect(self._follow)
        self.refresh()

    def _length(self, name: str) -> QLabel:
        self.lengths[name] = label = QLabel()
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        label.setAccessibleName(f"Length of the gradient of {name}")
        return label

    def _row(self, left: QWidget, right: QWidget) -> QWidget:
        holder = QWidget()
        line = QHBoxLayout(holder)
        line.setContentsMargins(0, 0, self._bench.appearance.px(ARROW), 0)
        line.addWidget(left)
        line.addStretch(1)
        line.addWidget(right)
        return holder

    def _set(self, names: Sequence[str]) -> None:
        if not self._reading:
            for name, on in [(name, self.boxes[name].isChecked()) for name in names]:
                self._bench.descent.set_moves(name, on)

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
        self._reading = True
        for name, moved in moves.items():
            self.boxes[name].setChecked(moved)
        self._reading = False
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
