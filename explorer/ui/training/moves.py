"""Which weights move in training, and which are frozen; where there are many, block by block.

What gradient descent moves: a list of weights to freeze, with the length of each one's gradient.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.core.training.optimisers import length
from explorer.core.training.trainer import trainable
from explorer.ui.theme import mark
from explorer.ui.widgets.labels import icon
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.names import NamedBox
from explorer.ui.workbench import Workbench

MOST = 8
"""So many weights stand below each other; of more, each block is a line that opens."""


class WeightBoxes(QWidget):
    """A box for each of some weights; without its mark a weight is frozen."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._list = column_in(self, spacing=bench.appearance.px(2))
        self.boxes: dict[str, QCheckBox] = {}
        self.blocks: dict[str, BlockBox] = {}  # where there are many weights: those blocks that have more than one
        self._showing = False

    def add(self, names: Sequence[str]) -> None:
        """Add a box for each of some weights, all of a block behind one."""
        of_block: dict[str, list[str]] = {}
        for name in names:
            self.boxes[name] = box = NamedBox(name)
            box.setAccessibleName(name)
            box.setToolTip("Clear the box to freeze it")
            box.toggled.connect(lambda _, name=name: self._set([name]))
            of_block.setdefault(name.rpartition(".")[0] if len(names) > MOST else name, []).append(name)
        for block, inside in of_block.items():
            if len(inside) == 1:
                self._list.addWidget(self.line(inside[0]))
                continue
            boxes = [self.boxes[name] for name in inside]
            self.blocks[block] = made = BlockBox(self._bench, block, boxes, self.beside(block, *inside))
            made.changed.connect(lambda inside=inside: self._set(inside))
            self._list.addWidget(made)

    def line(self, name: str) -> QWidget:
        """What stands in the line of a weight whose block has no other."""
        return self.boxes[name]

    def beside(self, *names: str) -> Sequence[QWidget]:
        """What stands beside a block and each of its weights."""
        return ()

    def _set(self, names: Sequence[str]) -> None:
        if not self._showing:
            for name, on in [(name, self.boxes[name].isChecked()) for name in names]:
                self._bench.descent.set_moves(name, on)

    def show_marks(self) -> None:
        """Show which of them move, as another page may have set it."""
        self._showing = True
        for name, moves in self._bench.descent.moves().items():
            if name in self.boxes:
                self.boxes[name].setChecked(moves)
        self._showing = False


class Moves(WeightBoxes):
    """The weights that training usually moves."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self.follow()
        bench.descent.changed.connect(self.show_marks)

    def follow(self) -> None:
        """List the weights of the model as it is now."""
        state = self._bench.document.state
        names = [name for name, usual in trainable(state.graph, state.model).items() if usual]
        if names != list(self.boxes):
            while (item := self._list.takeAt(0)) is not None:
                if (widget := item.widget()) is not None:
                    widget.hide()
                    widget.deleteLater()
            self.boxes, self.blocks = {}, {}
            self.add(names)
        self.show_marks()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._list.setSpacing(self._bench.appearance.px(2))
        for block in self.blocks.values():
            block.restyle()


class BlockBox(QWidget):
    """A box for a whole block, and behind an arrow one for each of its weights.

    Parameters
    ----------
    name : str
        Path of the block.
    weights : sequence of QCheckBox
        The boxes of its weights, with their whole names.
    beside : sequence of QWidget, optional
        What stands beside the block's box, and beside each of its weights.
    """

    changed = Signal()

    def __init__(
        self, bench: Workbench, name: str, weights: Sequence[QCheckBox], beside: Sequence[QWidget] = ()
    ) -> None:
        super().__init__()
        self._bench, self._weights = bench, weights
        self.all = QCheckBox(name)
        self.all.setAccessibleName(name)
        self.all.setToolTip(f"Freeze all of {name} by taking the mark away")
        self.all.clicked.connect(self._set_all)
        self.open = QToolButton()
        self.open.setCheckable(True)
        self.open.setAutoRaise(True)
        self.open.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.open.setAccessibleName(f"Weights of {name}")
        self.open.toggled.connect(self._open)
        self._inside = QWidget()
        inside = QVBoxLayout(self._inside)
        for i, box in enumerate(weights, 1):
            box.setText(box.text().rpartition(".")[2])
            box.toggled.connect(self._follow)
            _add_line(inside, box, *beside[i : i + 1])
        column = QVBoxLayout(self)
        for layout in (column, inside):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        _add_line(column, self.all, *beside[:1], self.open)
        column.addWidget(self._inside)
        self._inside.hide()
        self.restyle()
        self._follow()

    def _open(self, on: bool) -> None:
        self._inside.setVisible(on)
        self.restyle()

    def _set_all(self) -> None:
        on = self.all.checkState() != Qt.CheckState.Unchecked
        for box in self._weights:
            with QSignalBlocker(box):
                box.setChecked(on)
        self._follow()
        self.changed.emit()

    def _follow(self) -> None:
        """All, none, or some of them move."""
        moving = sum(box.isChecked() for box in self._weights)
        states = Qt.CheckState
        self.all.setCheckState(
            states.Checked if moving == len(self._weights) else states.PartiallyChecked if moving else states.Unchecked
        )

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        px, is_open = self._bench.appearance.px, self.open.isChecked()
        self.open.setIcon(icon("chevron-up" if is_open else "chevron-down", self._bench.appearance.theme, "muted"))
        self.open.setToolTip("Hide the weights" if is_open else "Show the weights one by one")
        inside = self._inside.layout()
        assert inside is not None
        inside.setContentsMargins(px(22), 0, self.open.sizeHint().width(), px(4))
        inside.setSpacing(px(2))


def _add_line(column: QVBoxLayout, box: QCheckBox, *beside: QWidget) -> None:
    """Put a box below the others, and at its right what stands beside it."""
    line = QHBoxLayout()
    column.addLayout(line)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(0)
    line.addWidget(box)
    line.addStretch(1)
    for widget in beside:
        line.addWidget(widget)


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
        inside: dict[str, list[Array]] = {name: [] for name in self.lengths}
        for name, gradient in engine.gradients().several(moves).items():
            for one in (name, name.rpartition(".")[0]):
                if one in inside:
                    inside[one].append(gradient)
        for name, label in self.lengths.items():
            _say(label, written(length(inside[name]), 4))


_ALIKE = str.maketrans("123456789", "0" * 9)


def _say(label: QLabel, number: str) -> None:
    """Write a number. Of a fixed size, that grows only: else the whole page would be laid out anew at each step."""
    alike = number.translate(_ALIKE) == label.text().translate(_ALIKE)  # all digits are as wide
    label.setText(number)
    if alike:
        return
    room = label.minimumSize().expandedTo(label.sizeHint())
    if room != label.minimumSize():
        label.setFixedSize(room)
