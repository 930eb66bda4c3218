"""The loss surface, and small pictures of all weights in which a click chooses each of its two weights."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.core.cell import is_cell_of
from explorer.core.numbers import largest_of, quantity
from explorer.core.ops import Array
from explorer.pages.levels import matrix_title
from explorer.pages.training.loss_grid import FIRST, steepest
from explorer.ui.selection import Cell
from explorer.ui.signs import paint_signs
from explorer.ui.theme import qcolor
from explorer.ui.training.loss_surface import LossSurface, name_of
from explorer.ui.widgets.labels import Label, SteadyLabel, as_tip
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.workbench import Workbench

SQUARE, WIDE, HIGH = 14, 120, 56
"""Pixels at text scale 1: the largest side of a cell, and the largest width and height of a picture."""
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


class CellPicker(QWidget):
    """A small picture of each weight. The cell clicked last is the vertical axis, the one before the horizontal."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.cells = chosen(bench)
        px = bench.appearance.px
        column = column_in(self, spacing=px(4))
        column.addWidget(Label("Click two cells: the loss is drawn over them.", "small"))
        pictures = QWidget()
        flow = FlowLayout(pictures, px(10), px(6))
        self.pictures = {name: _Weights(self, bench, name) for name in bench.descent.moves()}
        for name, picture in self.pictures.items():
            holder = QWidget()
            stack = column_in(holder, Label(name, "small"), spacing=0)
            stack.addWidget(picture, 0, Qt.AlignmentFlag.AlignLeft)
            holder.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            flow.addWidget(holder)
            flow.setAlignment(holder, Qt.AlignmentFlag.AlignTop)
        column.addWidget(pictures)
        bench.descent.changed.connect(self._follow)

    def hasHeightForWidth(self) -> bool:
        return True  # before the widget is shown its layout does not say so; many weights take several lines

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def choose(self, cell: Cell) -> None:
        """Make a cell the vertical axis, and the former vertical axis the horizontal one."""
        if cell not in self.cells:
            self.cells = (self.cells[-1], cell)
            self._bench.descent.looked_at = self.cells
            self._bench.descent.changed.emit()

    def _follow(self) -> None:
        """Show the current weights, and the two that were chosen here or elsewhere, if this widget is visible."""
        if self.isVisible():
            self.cells = self._bench.descent.looked_at
            for picture in self.pictures.values():
                picture.follow()


class _Weights(QWidget):
    """The cells of one weight matrix, coloured by their numbers."""

    def __init__(self, picker: CellPicker, bench: Workbench, name: str) -> None:
        super().__init__()
        self._picker, self._bench, self._name = picker, bench, name
        self._at = 0
        self._looks: tuple[object, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # else Qt would first paint all widgets below it
        rows, columns = self._array().shape
        px = bench.appearance.px
        square = min(px(SQUARE), px(WIDE) / columns, px(HIGH) / rows)
        self.setFixedSize(QSize(max(round(square * columns), px(8)), max(round(square * rows), px(8))))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Cells of {matrix_title(bench.document.engine.graph, name)}")

    def _array(self) -> Array:
        """The weights as rows and columns; the matrices of several heads stand below each other."""
        array = np.atleast_2d(self._bench.document.engine.values[self._name])
        return array.reshape(-1, array.shape[-1])

    def _cell(self, place: int) -> Cell:
        shape = self._bench.document.engine.values[self._name].shape
        return Cell(self._name, tuple(int(i) for i in np.unravel_index(place, shape)))

    def place_at(self, point: QPointF) -> int:
        """The index of the cell at a point, counted row by row."""
        rows, columns = self._array().shape
        row = min(max(int(point.y() / self.height() * rows), 0), rows - 1)
        return row * columns + min(max(int(point.x() / self.width() * columns), 0), columns - 1)

    def follow(self) -> None:
        """Paint anew only if a colour, a sign or the choice differs: most weights keep their colour in a step."""
        if self._name not in self._bench.document.engine.values:
            return  # the model was replaced; the page follows later
        array = self._array()
        looks = self._places(array).tobytes(), (array < 0).tobytes(), self._picker.cells
        if looks != self._looks:
            self._looks = looks
            self.update()

    def _places(self, array: Array) -> NDArray[np.intp]:
        """The index of each weight's colour in the ramp."""
        with np.errstate(all="ignore"):  # too large steps may have made weights infinite
            return self._bench.appearance.theme.diverging_ramp.index(array / (largest_of(array) or 1.0), -1.0, 1.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._name not in self._bench.document.engine.values:
            return
        painter, theme, array = QPainter(self), self._bench.appearance.theme, self._array()
        rows, columns = array.shape
        wide, high = self.width() / columns, self.height() / rows
        painter.drawImage(self.rect(), theme.diverging_ramp.image(self._places(array)))
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
        key, columns = Qt.Key, self._array().shape[1]
        by = {key.Key_Left: -1, key.Key_Right: 1, key.Key_Up: -columns, key.Key_Down: columns}.get(key(event.key()))
        if by is not None:
            self._at = min(max(self._at + by, 0), self._array().size - 1)
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


class SurfaceView(QWidget):
    """The surface, and a sentence about it."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.plot = LossSurface(bench, chosen(bench))
        self._words = SteadyLabel(role="small")
        column_in(self, self.plot, self._words, spacing=bench.appearance.px(4)).setStretch(0, 1)
        self.plot.asked.connect(self._say)
        self.plot.drawn.connect(self._say)
        bench.descent.changed.connect(self._follow)
        self._say()

    def hasHeightForWidth(self) -> bool:
        return False  # its place sets the height: a sentence of more lines leaves less to the surface

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _follow(self) -> None:
        """Follow the model, the run and the chosen weights, if this widget is visible."""
        if not self.isVisible():
            return
        if self.plot.cells != (cells := self._bench.descent.looked_at):
            self.plot.show_cells(cells)
        self.plot.refresh()

    def _say(self, asked: str = "") -> None:
        """Write the loss at the mouse or, without one, what the picture shows."""
        after = f"after {quantity(self.plot.steps_of_losses, 'step')}" if self._bench.descent.run else "now"
        about = (
            f"The bluer, the higher the loss. All other weights are as they are {after}. A click moves these two there."
            if self.plot.is_drawn
            else f"Being computed: the loss at {FIRST} places first. Each takes a pass through the model."
        )
        self._words.setText(f"{asked}. A click moves the two weights there." if asked else about)
