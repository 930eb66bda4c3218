"""Stages in windows of their own, which can stand beside the others."""

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow

from explorer.core.graph import Stage
from explorer.document.document import Change
from explorer.ui.page.page_view import PageView
from explorer.ui.turns import later
from explorer.ui.widgets.gone import Gone
from explorer.ui.workbench import Workbench


class Docks:
    """The docks of a window, each with the page of a stage."""

    def __init__(self, bench: Workbench, window: QMainWindow) -> None:
        self._bench, self._window, self._gone = bench, window, Gone(window)
        self.pages: dict[QDockWidget, PageView] = {}  # those that are open
        self._again: dict[QDockWidget, QTimer] = {}

    def open(self, stage: Stage) -> QDockWidget:
        """Show a stage in a dock."""
        page = PageView(self._bench, stage)
        dock = QDockWidget(f"{stage.group}: {stage.title}", self._window)
        dock.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dock.setWidget(page)
        dock.topLevelChanged.connect(lambda floats: self._bench.bridge.goes_before(dock) if floats else None)
        dock.destroyed.connect(lambda: self._forget(dock))
        self.pages[dock], self._again[dock] = page, later(dock, partial(self._make, dock))
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.setFloating(True)
        dock.resize(self._bench.appearance.px(900), min(self._window.height(), self._bench.appearance.px(700)))
        corner = self._window.frameGeometry().topRight()
        dock.move(corner.x() - dock.width() - self._bench.appearance.px(40), corner.y() + self._bench.appearance.px(80))
        dock.show()
        return dock

    def follow(self, change: Change) -> None:
        """Show a change of the document; a dock whose stage is gone is closed."""
        if change.structure:
            for dock, page in list(self.pages.items()):
                if page.stage not in self._bench.selection.places:
                    self._close(dock)
        for page in tuple(self.pages.values()):
            page.follow()

    def restyle(self) -> None:
        """Follow the theme and the text scale, each dock in a turn of its own."""
        for again in self._again.values():
            self._bench.appearance.turns.add(again)

    def _make(self, dock: QDockWidget) -> None:
        """Sizes stand everywhere in a page, so it is made anew."""
        page = self.pages[dock]
        self.pages[dock] = PageView(self._bench, page.stage)
        dock.setWidget(self.pages[dock])
        self._gone.delete(page)

    def _forget(self, dock: QDockWidget) -> None:
        self.pages.pop(dock, None)
        self._again.pop(dock, None)

    def _close(self, dock: QDockWidget) -> None:
        self._forget(dock)
        self._window.removeDockWidget(dock)
        self._gone.delete(dock)
