"""Gradient descent by hand: a step, many steps, or left to run; and back."""

import time
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.numbers import significant, written
from explorer.core.training.optimisers import OPTIMISERS
from explorer.document.document import Change
from explorer.document.training import Run, trainable
from explorer.ui.errors import show_error
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.matrix_model import number

SLICE_S = 0.008
"""How long training holds the event loop: half of a frame."""


class DescentPanel(Panel):
    """The rate, the steps, the loss on the way, and each weight's gradient."""

    _run: Run | None = None
    _play: QTimer | None = None
    _curve: Any = None

    def build(self) -> None:
        px = self.bench.appearance.px
        if self._play is not None:
            self._play.stop()
            self._play.deleteLater()
        # The controls of the page before are gone with it.
        self._play, self._run, self._curve = None, None, None
        if LOSS.node not in self.bench.document.engine.graph.nodes:
            self.page.addWidget(mark(QLabel("This model has no loss, so there is nothing to go down."), role="muted"))
            return
        self._play = QTimer(self)
        self._play.timeout.connect(self._slice)
        self.row([("", widget) for widget in self._controls()])
        self._loss = mark(QLabel(), role="strong")
        self.page.addWidget(self._loss)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setAccessibleName("Step of the run to go back to")
        self._slider.setToolTip("Travel through the run")
        self._slider.setMaximumWidth(px(520))
        self._slider.valueChanged.connect(self._travel)
        self.page.addWidget(self._slider)
        curve = Later(self._make_curve, px(520), px(240))
        self.row([("", curve)])
        self.section("What moves")
        self.row([("", self._weights())])
        self.later(curve)
        self._show()

    def structure(self) -> tuple[object, ...]:
        return tuple(trainable(self.bench.document).items()), self.bench.lesson.id

    def _controls(self) -> list[QWidget]:
        self._kind = QComboBox()
        self._kind.addItems(list(OPTIMISERS))
        self._kind.setAccessibleName("Optimiser")
        self._kind.setToolTip("How the gradient becomes a step")
        self._kind.currentTextChanged.connect(self._begin_anew)
        self._rate = QLineEdit("0.1")
        self._rate.setAccessibleName("Learning rate")
        self._rate.setToolTip("Learning rate: what the gradient is multiplied by")
        self._rate.setMaximumWidth(self.bench.appearance.px(80))
        self._rate.editingFinished.connect(self._begin_anew)
        line = QWidget()
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        for title, control in (("Optimiser", self._kind), ("Rate", self._rate)):
            layout.addWidget(mark(QLabel(title), role="small"))
            layout.addWidget(control)
        widgets: list[QWidget] = [line]
        for count in (1, 10, 100, 1000):
            button = QPushButton("One step" if count == 1 else f"{count} steps")
            button.setToolTip(f"Take {count} step{'s' * (count > 1)} down the gradient")
            button.clicked.connect(partial(self._take, count))
            if count == 1:
                mark(button, primary="true")
            widgets.append(button)
        self._playing = QPushButton("Play")
        self._playing.setCheckable(True)
        self._playing.setToolTip("Go on by itself until paused")
        self._playing.toggled.connect(self._toggle)
        return [*widgets, self._playing]

    def _weights(self) -> QWidget:
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(self.bench.appearance.px(20))
        for column, title in enumerate(("Weight", "Length of its gradient")):
            grid.addWidget(mark(QLabel(title), role="small"), 0, column)
        self._moves: dict[str, QCheckBox] = {}
        self._lengths: dict[str, QLabel] = {}
        for row, (name, moved) in enumerate(trainable(self.bench.document).items(), 1):
            box = QCheckBox(name)
            box.setChecked(moved)
            box.setToolTip("Freeze it by taking the mark away")
            box.toggled.connect(self._begin_anew)
            label = QLabel()
            self._moves[name], self._lengths[name] = box, label
            grid.addWidget(box, row, 0)
            grid.addWidget(label, row, 1, Qt.AlignmentFlag.AlignRight)
        return holder

    def _make_curve(self) -> QWidget:
        from explorer.ui.widgets.loss_curve import LossCurve

        self._curve = LossCurve(self.bench)
        self._curve.show_run(self._run)
        return self._curve

    # Going down

    def _begin_anew(self) -> None:
        """Another optimiser, rate or set of weights is another run."""
        self._run = None
        self._show()

    def _running(self) -> Run:
        if self._run is None:
            rate = number(self._rate.text())
            if not 0 < rate < 1e6:
                raise ExplorerError("bad-rate", text=self._rate.text())
            weights = [name for name, box in self._moves.items() if box.isChecked()]
            self._run = Run(self.bench.document, OPTIMISERS[self._kind.currentText()](rate), weights)
        return self._run

    def _take(self, count: int) -> None:
        try:
            run = self._running()
            for _ in range(count):
                run.step()
        except ExplorerError as error:
            self._playing.setChecked(False)
            show_error(error, self._rate)
        self._show()

    def _toggle(self, on: bool) -> None:
        self._playing.setText("Pause" if on else "Play")
        assert self._play is not None
        if on:
            self._play.start(0)
        else:
            self._play.stop()

    def _slice(self) -> None:
        """As many steps as half a frame has room for; the window paints in the other half."""
        until = time.perf_counter() + SLICE_S
        try:
            run = self._running()
            while time.perf_counter() < until:
                run.step()
        except ExplorerError as error:
            self._playing.setChecked(False)
            show_error(error, self._playing)
        self._show()

    def _travel(self, step: int) -> None:
        if self._run is not None and step < len(self._run.moments):
            self._run.travel(step)
            self._show()

    # Showing

    def _refresh(self) -> None:
        super()._refresh()
        self._show()

    def follow(self, change: Change) -> None:
        if change.structure:
            self._run = None
        super().follow(change)

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        if self._play is not None:
            self._playing.setChecked(False)

    def _show(self) -> None:
        engine = self.bench.document.engine
        if LOSS.node not in engine.graph.nodes or self.structure() != self._shown_structure:
            return
        run = self._run
        loss = float(engine.values[LOSS.node])
        assert isinstance(self._loss, QLabel)
        steps = f" after {run.at} step{'s' * (run.at != 1)}" if run else ""
        self._loss.setText(f"Loss {written(loss, significant(loss))}{steps}")
        self._slider.blockSignals(True)
        self._slider.setRange(0, len(run.moments) - 1 if run else 0)
        self._slider.setValue(run.at if run else 0)
        self._slider.blockSignals(False)
        self._slider.setEnabled(run is not None)
        if self._curve is not None:
            self._curve.show_run(run)
        for name, label in self._lengths.items():
            gradient = engine.gradient(Place(name))
            length = float(np.sqrt(np.sum(np.square(gradient)))) if gradient is not None else 0.0
            label.setText(written(length, 4))
