"""The choice of the two weights that the loss is drawn over: two cells in small pictures of all weights."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.core.cell import is_cell_of
from explorer.core.graph import Cell
from explorer.core.numbers import largest_of
from explorer.core.ops import Array
from explorer.lessons.symbols import name_of as _short
from explorer.pages.levels import block_title, matrix_title
from explorer.training.loss_grid import steepest
from explorer.ui.theme import Ramp, paint_signs, qcolor
from explorer.ui.training.parts import FollowsRun
from explorer.ui.widgets.labels import Label, as_tip
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.workbench import Workbench


def name_of(bench: Workbench, cell: Cell, short: bool = False) -> str:
    """The name of a weight as an axis shows it; `short`: of its block only the layer, "Layer 1" or "Encoder 1"."""
    engine = bench.document.engine
    axes = engine.graph.nodes[cell.node].axes
    labels = [(engine.labels(axis), i) for axis, i in zip(axes, cell.index, strict=True)]
    said = " → ".join(names[i][:14] for names, i in labels if len(names) > 1)
    block, name = block_title(engine.graph, cell.node.rpartition(".")[0]), _short(cell.node)
    block = block.partition(":")[0] if short else block
    return f"{block}, " * bool(block) + name + f" [{said}]" * bool(said)  # where an axis is short, its end is kept


SQUARE, WIDE, HIGH = 14, 120, 56
"""Pixels at text scale 1: the largest side of a cell, and the largest width and height of a picture."""
LONG = 24
"""Where a caption has more letters, captions take two lines, so that more pictures stand side by side."""
SIGNS = "→", "↑"
"""The signs on the chosen cells: that of the horizontal axis and that of the vertical one."""


def chosen(bench: Workbench) -> tuple[Cell, ...]:
    """The two weights that the loss is drawn over: the user's choice, kept by `Descent`, or the two steepest."""
    descent, values = bench.descent, bench.document.engine.values
    moves = descent.moves()

    def there(cell: Cell) -> bool:
        return cell.node in moves and is_cell_of(cell.index, values[cell.node].shape)

    if not descent.looked_at or not all(map(there, descent.looked_at)):
        weights = descent.weights()
        # Frozen weights, and last other inputs, only where fewer than two cells move.
        of = [name for name in moves if moves[name]], [name for name in weights if not moves[name]], [*moves]
        found = dict.fromkeys(cell for names in of for cell in steepest(bench.document, names))
        descent.looked_at = tuple(found)[:2]
    return descent.looked_at


class CellPicker(FollowsRun, QWidget):
    """A small picture of each weight. The cell clicked last is the vertical axis, the one before the horizontal."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.cells = chosen(bench)
        px = bench.appearance.px
        column = column_in(self, spacing=px(4))
        column.addWidget(Label("Click two cells: the loss is drawn over them.", "small", wraps=True))
        pictures = QWidget()
        flow = blocks = FlowLayout(pictures, px(20), px(6))
        self.pictures = {name: _Weights(self, bench, name) for name in bench.descent.moves()}
        for (block, caption), picture in zip(self._captions(), self.pictures.values(), strict=True):
            if block:
                flow = FlowLayout(None, px(10), px(6))
                blocks.addWidget(_Block(block, flow))
                blocks.setAlignment(blocks.widgets[-1], Qt.AlignmentFlag.AlignTop)
            holder = QWidget()
            stack = column_in(holder, Label(caption, "small"), spacing=0)
            stack.addWidget(picture, 0, Qt.AlignmentFlag.AlignLeft)
            holder.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            flow.addWidget(holder)
            flow.setAlignment(holder, Qt.AlignmentFlag.AlignTop)
        column.addWidget(pictures)
        self.follow(bench.descent)

    def _captions(self) -> list[tuple[str, str]]:
        """What stands above the pictures: nothing, and matrix and block; or, where that takes too much room, the block
        above the first of its matrices, and the matrix.
        """
        titles = [matrix_title(self._bench.document.engine.graph, name) for name in self.pictures]
        if all(len(title) <= LONG for title in titles):
            return [("", title) for title in titles]
        named = [title.partition(" in ") for title in titles]
        before = ["", *(block for _, _, block in named)]
        return [("" if block == last else block, name) for (name, _, block), last in zip(named, before, strict=False)]

    def hasHeightForWidth(self) -> bool:
        return True  # before the widget is shown its layout does not say so; many weights take several lines

    def choose(self, cell: Cell) -> None:
        """Make a cell the vertical axis, and the former vertical axis the horizontal one."""
        if cell not in self.cells:
            self.cells = (self.cells[-1], cell)
            self._bench.descent.looked_at = self.cells
            self._bench.descent.changed.emit()

    def refresh(self) -> None:
        """Show the current weights, and the two that were chosen here or elsewhere."""
        self.cells = self._bench.descent.looked_at
        values, pictures = self._bench.document.engine.values, list(self.pictures.values())
        if any(name not in values for name in self.pictures):
            return  # the model was replaced; the page follows later
        arrays = [picture.array() for picture in pictures]
        places = _places(self._bench.appearance.theme.diverging_ramp, arrays)
        for picture, array, at in zip(pictures, arrays, places, strict=True):
            picture.follow(array, at)


def _places(ramp: Ramp, arrays: Sequence[Array]) -> list[NDArray[np.intp]]:
    """The indices of the colours of matrices, each as full as its largest number says.

    All at once: for thirty small matrices numpy takes thirty times as long as for a large one.
    """
    with np.errstate(all="ignore"):  # too large steps may have made weights infinite
        shares = [(array / (largest_of(array) or 1.0)).ravel() for array in arrays]
    ends = np.cumsum([array.size for array in arrays])
    parts = np.split(ramp.index(np.concatenate(shares), -1.0, 1.0), ends[:-1])
    return [part.reshape(array.shape) for part, array in zip(parts, arrays, strict=True)]


class _Block(QWidget):
    """The weights of a block below its name: above the first of them it would keep the others at a distance."""

    def __init__(self, title: str, flow: FlowLayout) -> None:
        super().__init__()
        weights = QWidget()
        weights.setLayout(flow)
        column_in(self, Label(title, "small"), weights, spacing=0)

    def hasHeightForWidth(self) -> bool:
        return True  # as for `CellPicker`


class _Weights(QWidget):
    """The cells of one weight matrix, coloured by their numbers."""

    def __init__(self, picker: CellPicker, bench: Workbench, name: str) -> None:
        super().__init__()
        self._picker, self._bench, self._name = picker, bench, name
        self._at = 0
        self._looks: tuple[object, ...] = ()
        self._colours = np.zeros((0, 0), np.intp)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # else Qt would first paint all widgets below it
        rows, columns = self.array().shape
        px = bench.appearance.px
        square = min(px(SQUARE), px(WIDE) / columns, px(HIGH) / rows)
        self.setFixedSize(QSize(max(round(square * columns), px(8)), max(round(square * rows), px(8))))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Cells of {matrix_title(bench.document.engine.graph, name)}")

    def array(self) -> Array:
        """The weights as rows and columns; the matrices of several heads stand below each other."""
        array = np.atleast_2d(self._bench.document.engine.values[self._name])
        return array.reshape(-1, array.shape[-1])

    def _cell(self, place: int) -> Cell:
        shape = self._bench.document.engine.values[self._name].shape
        return Cell(self._name, tuple(int(i) for i in np.unravel_index(place, shape)))

    def place_at(self, point: QPointF) -> int:
        """The index of the cell at a point, counted row by row."""
        rows, columns = self.array().shape
        row = min(max(int(point.y() / self.height() * rows), 0), rows - 1)
        return row * columns + min(max(int(point.x() / self.width() * columns), 0), columns - 1)

    def follow(self, array: Array, colours: NDArray[np.intp]) -> None:
        """Paint anew only if a colour, a sign or the choice differs: most weights keep their colour in a step.

        `colours`: the index of each number's colour on the ramp.
        """
        looks = colours.tobytes(), (array < 0).tobytes(), self._picker.cells
        if looks != self._looks:
            self._looks, self._colours = looks, colours
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._name not in self._bench.document.engine.values:
            return
        painter, theme, array = QPainter(self), self._bench.appearance.theme, self.array()
        rows, columns = array.shape
        wide, high = self.width() / columns, self.height() / rows
        painter.drawImage(self.rect(), theme.diverging_ramp.image(self._colours))
        paint_signs(painter, theme, array, QRectF(self.rect()))
        painter.setPen(qcolor(theme.line_strong))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setFont(self._bench.appearance.fonts.small)
        value = self._bench.document.engine.values[self._name]
        shape = value.shape
        for sign, cell in zip(SIGNS, self._picker.cells, strict=True):
            if cell.node == self._name and is_cell_of(cell.index, shape):
                row, column = divmod(int(np.ravel_multi_index(cell.index, shape)), columns)
                box = QRectF(column * wide, row * high, wide, high)
                painter.setPen(QPen(qcolor(theme.here), 2))
                painter.drawRect(box.adjusted(1, 1, -1, -1))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)
        if self.hasFocus():
            row, column = divmod(self._at, columns)
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRect(QRectF(column * wide, row * high, wide, high).adjusted(1, 1, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._at = self.place_at(event.position())
        self._picker.choose(self._cell(self._at))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, columns = Qt.Key, self.array().shape[1]
        by = {key.Key_Left: -1, key.Key_Right: 1, key.Key_Up: -columns, key.Key_Down: columns}.get(key(event.key()))
        if by is not None:
            if 0 <= self._at + by < self.array().size:
                self._at += by
                self.update()
        elif event.key() in (key.Key_Return, key.Key_Enter, key.Key_Space):
            self._picker.choose(self._cell(self._at))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            below = event.globalPos() + QPointF(0, self.height()).toPoint()
            cell = self._cell(self.place_at(QPointF(event.pos())))
            QToolTip.showText(below, as_tip(name_of(self._bench, cell)), self)
            return True
        return super().event(event)
