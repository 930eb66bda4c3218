"""Stages in windows of their own, which can stand beside the others."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from explorer.core.node import Stage
from explorer.document.document import Change
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.registry import panel_for
from explorer.ui.workbench import Workbench


class Docks:
    """The docks of a window, each with the panel of a stage.

    Parameters
    ----------
    bench : Workbench
    window : QMainWindow

    Attributes
    ----------
    panels : dict of QDockWidget to Panel
        Those that are open.
    """

    def __init__(self, bench: Workbench, window: QMainWindow) -> None:
        self._bench, self._window = bench, window
        self.panels: dict[QDockWidget, Panel] = {}

    def open(self, stage: Stage) -> QDockWidget:
        """Show a stage in a dock."""
        panel = panel_for(self._bench, stage)
        dock = QDockWidget(f"{stage.group}: {stage.title}", self._window)
        dock.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dock.setWidget(panel)
        dock.topLevelChanged.connect(lambda floats: self._bench.bridge.goes_before(dock) if floats else None)
        dock.destroyed.connect(lambda: self.panels.pop(dock, None))
        self.panels[dock] = panel
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.resize(self._bench.appearance.px(560), self._window.height())
        return dock

    def follow(self, change: Change) -> None:
        """Show a change of the document; a dock whose stage is gone is closed."""
        if change.structure:
            for dock, panel in list(self.panels.items()):
                if panel.stage not in self._bench.selection.stops:
                    self._close(dock)
        for panel in tuple(self.panels.values()):
            panel.follow(change)

    def restyle(self) -> None:
        """Follow the theme and the text scale: sizes stand everywhere in a panel, so it is made anew."""
        for dock, panel in list(self.panels.items()):
            fresh = panel_for(self._bench, panel.stage)
            dock.setWidget(fresh)
            panel.deleteLater()
            self.panels[dock] = fresh

    def _close(self, dock: QDockWidget) -> None:
        self.panels.pop(dock, None)
        self._window.removeDockWidget(dock)
        dock.deleteLater()
