"""The controls of gradient descent, which follow the run by themselves."""

from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS
from explorer.pages.training.steps import StepsByHand, steps_page
from explorer.ui.errors import show_error
from explorer.ui.page.column import Elements
from explorer.ui.training.descent import PACES, FollowsRun
from explorer.ui.workbench import Workbench


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
