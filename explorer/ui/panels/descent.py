"""Gradient descent by hand: a step, many steps, or left to run; and back."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.core.gradients import LOSS
from explorer.core.numbers import written
from explorer.core.training.optimisers import length
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark
from explorer.ui.training.moves import MOST, Block
from explorer.ui.widgets.net_picture import net_picture
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.stepper import Stepper
from explorer.ui.workbench import Workbench

CURVE = 340, 260
SURFACE = 330, 440
MOVING, ARROW = 400, 30
SLOW = (
    "A step takes a while in a model of this size, and the loss over two weights some more; you can go on working. The "
    "page “Train” trains it in a process of its own."
)
FIRST = "The gradients are being computed."


class DescentPanel(Panel):
    """The controls, the loss on the way, the surface that it goes down, what the model answers, and what moves."""

    def build(self) -> None:
        descent, px = self.bench.descent, self.bench.appearance.px
        if not descent.possible:
            self.page.addWidget(mark(QLabel("This model has no loss, so there is nothing to go down."), role="muted"))
            return
        self.page.addWidget(Stepper(self.bench))
        curve = Later(self._curve, px(CURVE[0]), px(CURVE[1]))
        log = QCheckBox("Log scale")
        log.setToolTip("Powers of ten at equal distances: what falls soon lies flat otherwise")
        log.toggled.connect(lambda on: self._run_curve.set_log(on))
        log.setEnabled(False)
        self._log = log
        pictures: list[tuple[str, Later, *tuple[QWidget, ...]]] = [("Loss", curve, log)]
        places = [curve]
        if not descent.quick:
            self.page.addWidget(Note(lambda: SLOW if self._ready() else f"{SLOW} {FIRST}"))
        if self._ready() and sum(np.size(self.bench.document.engine.values[name]) for name in descent.moves()) > 1:
            surface = Later(self._surface, px(SURFACE[0]), px(SURFACE[1]))
            pictures.append(("Loss over two weights", surface))
            places.append(surface)
        if (picture := net_picture(self.bench)) is not None:
            answers = Later(picture.make, px(picture.width), px(picture.height))
            pictures.append((picture.title, answers))
            places.append(answers)
        self.row([("", self.titled(*parts)) for parts in pictures])
        self.section("What moves")
        moving = Moving(self.bench)
        self.row([("", moving)])
        self.follows(moving)
        self.later(*places)

    def structure(self) -> tuple[object, ...]:
        descent, values = self.bench.descent, self.bench.document.engine.values
        shapes = {name: values[name].shape for name in descent.moves()}
        return shapes, self.bench.lesson.id, descent.possible, descent.quick, self._ready()

    def _construct(self) -> None:
        self._want_gradients(True)
        super()._construct()

    def showEvent(self, event: Any) -> None:
        self._want_gradients(True)
        super().showEvent(event)

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        self._want_gradients(False)

    def _want_gradients(self, on: bool) -> None:
        """Of a large model they are computed in the background while the page is in sight."""
        self.bench.document.show_gradients(on and not self.bench.descent.quick, "the page of gradient descent")

    def _ready(self) -> bool:
        """Whether nobody has to wait for gradients."""
        document = self.bench.document
        return self.bench.descent.quick or document.engine.has_gradients or not document.computing

    def _curve(self) -> QWidget:
        from explorer.ui.widgets.loss_curve import RunCurve

        self._run_curve = RunCurve(self.bench)
        self._log.setEnabled(True)
        return self._run_curve

    def _surface(self) -> QWidget:
        from explorer.ui.widgets.surface_view import SurfaceView

        return SurfaceView(self.bench)


class Moving(QWidget):
    """The inputs that a gradient can move, how long the gradient of each is, and which of them are frozen.

    Many stand block by block.

    Parameters
    ----------
    bench : Workbench

    Attributes
    ----------
    boxes : dict of str to QCheckBox
        For each of the inputs.
    blocks : dict of str to Block
    lengths : dict of str to QLabel
        For each input, and each block.
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(bench.appearance.px(2))
        self.boxes: dict[str, QCheckBox] = {}
        self.blocks: dict[str, Block] = {}
        self.lengths: dict[str, QLabel] = {}
        self._reading = False
        moves = bench.descent.moves()
        of_block: dict[str, list[str]] = {}
        for name in moves:
            self.boxes[name] = box = QCheckBox(name)
            box.setAccessibleName(name)
            box.setToolTip("Freeze it by taking the mark away")
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
            self.blocks[block] = made = Block(bench, block, boxes, [self._length(name) for name in (block, *names)])
            made.changed.connect(lambda names=tuple(names): self._set(names))
            column.addWidget(made)
        self.setFixedWidth(bench.appearance.px(MOVING))
        bench.descent.changed.connect(self._follow)
        self.refresh()

    def _length(self, name: str) -> QLabel:
        self.lengths[name] = label = QLabel()
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

    def reads(self) -> set[str]:
        """The nodes whose change concerns it: the gradients change with the loss."""
        return {LOSS.node}

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
                label.setText("…")
            return
        gradients = engine.gradients().several(moves)
        for name, label in self.lengths.items():
            inside = [one for one in gradients if one == name or one.rpartition(".")[0] == name]
            label.setText(written(length(gradients[one] for one in inside), 4))

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        for block in self.blocks.values():
            block.restyle()
