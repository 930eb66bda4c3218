"""Parts of a page that follow the run by themselves: the controls of gradient descent, and the curve of the loss."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS
from explorer.pages.page import Trace, Traces
from explorer.pages.training.steps import StepsByHand, steps_page
from explorer.ui.drawing.curves import CurvesView
from explorer.ui.errors import show_error
from explorer.ui.page.column import Elements
from explorer.ui.training.descent import PACES, Descent
from explorer.ui.workbench import Workbench


class FollowsRun(QWidget if TYPE_CHECKING else object):  # type: ignore[misc]
    """Part of a widget that shows a run: it reads it again at each change while it is visible, and when it is shown."""

    def follow(self, descent: Descent) -> None:
        """Show this run from now on."""
        descent.changed.connect(self._follow)

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show where the run is."""
        raise NotImplementedError(type(self).__name__)


class Stepper(FollowsRun, Elements):
    """The page of the steps by hand; all of these on the screen show the same run."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench, bench.appearance.px(8))
        bench.descent.watched_by(self)
        self.follow(bench.descent)
        bench.descent.failed.connect(self._say)
        self.refresh()

    def _say(self, error: ExplorerError) -> None:
        if self.isVisible():
            show_error(error, self.widgets["play"])

    def refresh(self) -> None:
        descent, run = self.bench.descent, self.bench.descent.run
        self.setEnabled(descent.possible)
        if not descent.possible:
            return
        loss = float(self.bench.document.engine.values[LOSS])
        way = None if run is None else (run.begun, descent.at, run.records.at)
        how = descent.kind, descent.rate, descent.at_once, descent.going, descent.pace, PACES
        self.tell(steps_page(StepsByHand(loss, way, descent.edited, *how)))


class RunCurve(FollowsRun, CurvesView):
    """The loss after each step of the bench's run, and a dot at the document's step.

    `goal`: the loss to reach, beside a question that asks for one.
    """

    def __init__(self, bench: Workbench, goal: float | None = None, log: bool = False) -> None:
        super().__init__(bench, Traces("run", (), goal=goal, log=log))
        self.follow(bench.descent)
        self.refresh()

    def set_log(self, on: bool) -> None:
        """Set whether the loss axis is logarithmic."""
        self.tell(replace(self._traces, log=on))

    def refresh(self) -> None:
        descent = self.bench.descent
        if descent.run is not None:
            steps, losses = descent.run.curve()
        elif descent.possible:
            steps, losses = np.zeros(1), np.array([float(self.bench.document.engine.values[LOSS])])
        else:  # the model has no loss: the next page will not have this curve
            return
        here = (descent.at, float(np.interp(descent.at, steps, losses))) if len(steps) else None
        self.tell(replace(self._traces, lines=(Trace("loss", losses, steps),), here=here))
