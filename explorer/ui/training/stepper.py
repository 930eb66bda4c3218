"""The controls of gradient descent: how to step, one step, many, play, how fast, pause, and back."""

from functools import partial
from math import inf

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QLineEdit, QSlider, QSpinBox, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS
from explorer.core.numbers import alone, live, quantity, read_number
from explorer.core.training.recipe import OPTIMISERS
from explorer.ui.errors import show_error
from explorer.ui.training.descent import PACES, FollowsRun
from explorer.ui.widgets.inputs import ComboBox, FactorSlider, PushButton, SpinBox
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.widgets.layouts import FlowLayout, column_in, row_in
from explorer.ui.workbench import Workbench

LOWEST, HIGHEST = -4, 1  # powers of ten of the rate
MOST_AT_ONCE, AT_ONCE = 100_000, 100


class Stepper(FollowsRun, QWidget):
    """Optimiser, learning rate, steps, and a slider through the run; all of these on the screen show the same run."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._descent = descent = bench.descent
        px = bench.appearance.px
        page = column_in(self, spacing=px(8))
        page.addWidget(self._line([self._optimiser(), self._learning_rate()]))
        page.addWidget(self._line([*self._buttons(), *self._playing()]))
        self.loss = SteadyLabel(role="strong")
        page.addWidget(self.loss)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Step of the run to go back to")
        self.slider.setToolTip("Travel through the run: drag, or the arrow keys; Home for its beginning")
        self.slider.valueChanged.connect(descent.travel)
        tip = "Give the model the weights from before the run"
        self.over = PushButton("Start over", descent.start_over, tip, keys=True)
        way = QWidget()
        way.setMaximumWidth(px(520))
        row_in(way, self.slider, self.over, spacing=px(10))
        page.addWidget(way)
        descent.watched_by(self)
        self.follow(descent)
        descent.failed.connect(self._say)
        self.refresh()

    def _line(self, widgets: list[QWidget]) -> QWidget:
        holder = QWidget()
        flow = FlowLayout(holder, self._bench.appearance.px(10), self._bench.appearance.px(8))
        for widget in widgets:
            flow.addWidget(widget)
        return holder

    def _named(self, title: str, *controls: QWidget) -> QWidget:
        holder = QWidget()
        row_in(holder, Label(title, "small"), *controls).setContentsMargins(0, 0, self._bench.appearance.px(8), 0)
        return holder

    def _optimiser(self) -> QWidget:
        self.kind = ComboBox()
        self.kind.addItems(list(OPTIMISERS))
        self.kind.setAccessibleName("Optimiser")
        self.kind.setToolTip("The rule that makes a step from the gradient")
        self.kind.textActivated.connect(self._descent.set_kind)
        return self._named("Optimiser", self.kind)

    def _learning_rate(self) -> QWidget:
        self.rate_slider = FactorSlider(self._bench, "Learning rate", LOWEST, HIGHEST, 110)
        self.rate_slider.moved.connect(self._descent.set_rate)
        self.rate = QLineEdit()
        self.rate.setAccessibleName("Learning rate, typed")
        self.rate.setToolTip("Learning rate: what the gradient is multiplied by")
        self.rate.setFixedWidth(self._bench.appearance.px(72))
        self.rate.editingFinished.connect(self._type_rate)
        return self._named("Rate", self.rate_slider, self.rate)

    def _buttons(self) -> list[QWidget]:
        descent, tip = self._descent, "Take one step down the gradient"
        self.back = PushButton("Back", lambda: descent.travel(descent.at - 1), "One step back", keys=True)
        self.one = PushButton("One step", partial(descent.take, 1), tip, look="primary", keys=True)
        self.many = SpinBox()
        self.many.setRange(1, MOST_AT_ONCE)
        self.many.setValue(AT_ONCE)
        self.many.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        self.many.setAccessibleName("How many steps")
        self.many.setToolTip("How many steps to take")
        tip = "Take this many steps down the gradient"
        self.go = PushButton("steps", lambda: descent.take(self.many.value()), tip, name="Take these steps", keys=True)
        several = QWidget()
        row_in(several, self.many, self.go, spacing=self._bench.appearance.px(2))
        return [self.back, self.one, several]

    def _playing(self) -> list[QWidget]:
        run, tip = self._descent, "Take steps until it is paused"
        self.play = PushButton("Play", lambda: run.stop() if run.going else run.play(), tip, keys=True)
        self.play.ensurePolished()
        self.play.setText("Pause")
        self.play.setMinimumWidth(self.play.sizeHint().width())  # or what stands behind it would move
        self.slower = PushButton("Slower", partial(run.go_faster, -1), "Play slower", keys=True)
        self.faster = PushButton("Faster", partial(run.go_faster, 1), "Play faster", keys=True)
        self.speed = Label(role="small", align=Qt.AlignmentFlag.AlignCenter)
        self.speed.setAccessibleName("How fast it plays")
        self.speed.ensurePolished()
        self.speed.setMinimumWidth(max(self.speed.fontMetrics().horizontalAdvance(_said(pace)) for pace in PACES))
        return [self.play, self.slower, self.faster, self.speed]

    def _type_rate(self) -> None:
        if self.rate.text() == self._rate_text():
            return
        try:
            self._descent.set_rate(read_number(self.rate.text()))
        except ExplorerError as error:
            show_error(error, self.rate)
            self.rate.setText(self._rate_text())

    def _rate_text(self) -> str:
        return alone(self._descent.rate, 6)

    def _say(self, error: ExplorerError) -> None:
        if self.isVisible():
            show_error(error, self.play)

    # Showing

    def refresh(self) -> None:
        descent, run = self._descent, self._descent.run
        self.setEnabled(descent.possible)
        if not descent.possible:
            return
        self.kind.setCurrentText(descent.kind)
        self.rate_slider.show_number(descent.rate)
        if not self.rate.hasFocus() or not self.rate.isModified():
            self.rate.setText(self._rate_text())
        self.play.setText("Pause" if descent.going else "Play")
        self.speed.setText(_said(descent.pace))
        self.slower.setEnabled(descent.pace > PACES[0])
        self.faster.setEnabled(descent.pace < PACES[-1])
        begun = run.begun if run else 0
        self.back.setEnabled(descent.at > begun)
        self.over.setEnabled(run is not None and run.records.at > begun)
        with QSignalBlocker(self.slider):
            self.slider.setRange(begun, run.records.at if run else 0)
            self.slider.setValue(descent.at)
        self.slider.setEnabled(run is not None)
        loss = float(self._bench.document.engine.values[LOSS])
        steps = f" after {quantity(descent.at, 'step')}" if run else ""
        edited = ", then edited" if descent.edited else ""
        self.loss.setText(f"Loss {live(loss)}{steps}{edited}")


def _said(pace: float) -> str:
    return "as fast as it goes" if pace == inf else f"{pace:g} step{'s' * (pace != 1)} a second"
