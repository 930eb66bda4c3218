"""Gradient descent by hand: a step, many steps, or left to run; and back."""

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from explorer.core.graph import Place
from explorer.core.numbers import written
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.net_picture import net_picture
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.stepper import Stepper
from explorer.ui.workbench import Workbench

CURVE = 340, 260
SURFACE = 330, 440


class DescentPanel(Panel):
    """The controls, the loss on the way, the surface that it goes down, what the model answers, and what moves."""

    def build(self) -> None:
        descent, px = self.bench.descent, self.bench.appearance.px
        if not descent.possible:
            self.page.addWidget(mark(QLabel("This model has no loss, so there is nothing to go down."), role="muted"))
            return
        self.page.addWidget(Stepper(self.bench))
        curve = Later(self._curve, px(CURVE[0]), px(CURVE[1]))
        log = QCheckBox("log scale")
        log.setToolTip("Powers of ten at equal distances: what falls soon lies flat otherwise")
        log.toggled.connect(lambda on: self._run_curve.set_log(on))
        log.setEnabled(False)
        self._log = log
        pictures: list[tuple[str, Later, *tuple[QWidget, ...]]] = [("Loss", curve, log)]
        places = [curve]
        if not descent.quick:
            slow = "A step takes a while in a model of this size, and the loss over two weights would take far longer."
            self.page.addWidget(Note(lambda: f"{slow} The page “Train” trains it in a process of its own."))
        elif sum(np.size(self.bench.document.engine.values[name]) for name in descent.moves()) > 1:
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
        return shapes, self.bench.lesson.id, descent.possible, descent.quick

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

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(bench.appearance.px(20))
        for column, title in enumerate(("Weight", "Length of its gradient")):
            grid.addWidget(mark(QLabel(title), role="small"), 0, column)
        self.boxes: dict[str, QCheckBox] = {}
        self._lengths: dict[str, QLabel] = {}
        for row, name in enumerate(bench.descent.moves(), 1):
            box, label = QCheckBox(name), QLabel()
            box.setToolTip("Freeze it by taking the mark away")
            box.toggled.connect(lambda on, name=name: bench.descent.set_moves(name, on))
            self.boxes[name], self._lengths[name] = box, label
            grid.addWidget(box, row, 0)
            grid.addWidget(label, row, 1, Qt.AlignmentFlag.AlignRight)
        self.refresh()

    def reads(self) -> set[str]:
        """The nodes whose change concerns it: the gradients change with the loss."""
        return {"loss.value"}

    def refresh(self) -> None:
        """Read marks and gradients anew."""
        engine = self._bench.document.engine
        for name, moves in self._bench.descent.moves().items():
            if name not in self.boxes:
                continue
            self.boxes[name].blockSignals(True)
            self.boxes[name].setChecked(moves)
            self.boxes[name].blockSignals(False)
            if not (self._bench.descent.quick or engine.has_gradients):
                self._lengths[name].setText("…")
                self._lengths[name].setToolTip("Takes a while; shown together with “Gradient” above")
                continue
            gradient: Any = engine.gradient(Place(name))
            self._lengths[name].setText(written(float(np.sqrt(np.sum(np.square(gradient)))), 4))

    def restyle(self) -> None:
        """Labels and boxes follow by themselves."""
