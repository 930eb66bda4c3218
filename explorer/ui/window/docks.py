"""Stages in windows of their own, which can stand beside the others."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from explorer.core.node import Stage
from explorer.document.document import Change
from explorer.ui.page.page_view import PageView
from explorer.ui.workbench import Workbench


class Docks:
    """The docks of a window, each with the page of a stage.

    Parameters
    ----------
    bench : Workbench
    window : QMainWindow

    Attributes
    ----------
    pages : dict of QDockWidget to PageView
        Those that are open.
    """

    def __init__(self, bench: Workbench, window: QMainWindow) -> None:
        self._bench, self._window = bench, window
        self.pages: dict[QDockWidget, PageView] = {}

    def open(self, stage: Stage) -> QDockWidget:
        """Show a stage in a dock."""
        page = PageView(self._bench, stage)
        dock = QDockWidget(f"{stage.group}: {stage.title}", self._window)
        dock.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dock.setWidget(page)
        dock.topLevelChanged.connect(lambda floats: self._bench.bridge.goes_before(dock) if floats else None)
        dock.destroyed.connect(lambda: self.pages.pop(dock, None))
        self.pages[dock] = page
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
        """Follow the theme and the text scale: sizes stand everywhere in a page, so it is made anew."""
        for dock, page in list(self.pages.items()):
            fresh = PageView(self._bench, page.stage)
            dock.setWidget(fresh)
            page.deleteLater()
            self.pages[dock] = fresh

    def _close(self, dock: QDockWidget) -> None:
        self.pages.pop(dock, None)
        self._window.removeDockWidget(dock)
        dock.deleteLater()
