"""The curve of the loss of the document's run, which follows the run by itself."""

from dataclasses import replace

import numpy as np

from explorer.core.graph import LOSS
from explorer.pages.page import Trace, Traces
from explorer.ui.drawing.curves import CurvesView
from explorer.ui.training.descent import FollowsRun
from explorer.ui.workbench import Workbench


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
