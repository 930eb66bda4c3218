"""The middle of the window: the panel of the stage that one is at. Panels that were seen are kept, and marked."""

import shiboken6
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from explorer.document.document import Change
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.registry import panel_for
from explorer.ui.workbench import Workbench


class StageArea(QStackedWidget):
    """Shows the stage that the bench's selection is at, and follows its document.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._panels: dict[str, Panel] = {}
        self._between = QWidget()
        self.addWidget(self._between)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        bench.selection.stage_changed.connect(self.show_stage)
        bench.appearance.changing.connect(self._forget_hidden)

    def panel(self) -> Panel:
        """The panel that is in sight."""
        return self._panels[self._bench.selection.stage]

    def show_stage(self, name: str) -> None:
        """Show a stage, in a panel made at the first visit."""
        if name not in self._panels:
            stage = next(stage for stage in self._bench.selection.stops if stage.name == name)
            self._panels[name] = panel_for(self._bench, stage)
            self.addWidget(self._panels[name])
        self.setCurrentWidget(self._panels[name])

    def follow(self, change: Change) -> None:
        """Show a change; panels out of sight are marked, and those whose stage is gone are dropped."""
        stages = {stage.name: stage for stage in self._bench.selection.stops}
        if change.structure:
            self._drop([name for name, panel in self._panels.items() if stages.get(name) != panel.stage])
        for panel in tuple(self._panels.values()):
            panel.follow(change)
        if change.structure and self._bench.selection.stage not in stages:
            self._bench.selection.go_to(next(iter(stages)))
        elif change.structure:
            self.show_stage(self._bench.selection.stage)

    def restyle(self) -> None:
        """Follow the theme and the text scale: sizes stand everywhere in a panel, so it is made anew."""
        self._drop(list(self._panels))
        self.show_stage(self._bench.selection.stage)

    def _forget_hidden(self) -> None:
        """With all stages open a new look would take seconds; those out of sight are made anew when they are shown."""
        for name, panel in list(self._panels.items()):
            if panel is not self.currentWidget():
                self.removeWidget(self._panels.pop(name))
                shiboken6.delete(panel)  # at once: deleteLater would come too late to spare it

    def _drop(self, names: list[str]) -> None:
        if any(self._panels[name] is self.currentWidget() for name in names):
            # Or the stack would show any of the others, of a graph that is gone.
            self.setCurrentWidget(self._between)
        for name in names:
            panel = self._panels.pop(name)
            self.removeWidget(panel)
            panel.deleteLater()
