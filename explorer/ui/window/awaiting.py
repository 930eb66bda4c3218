"""The page of a window that was started with a large file, until that file is read."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from explorer.ui.turns import do_later
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import column_in

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow


class AwaitingPage(QFrame):
    """Says which file is being opened; the bars above it say how far that is. If it fails, the opening page follows.

    The document has to begin with some model, which nobody opened: it is not shown, and undo does not lead to it.
    `window`: the main window. `name`: of the file.
    """

    def __init__(self, window: "MainWindow", name: str) -> None:
        super().__init__()
        self._window, self._bench = window, window.bench
        self._first, self._lesson = window.bench.document.state, window.bench.lesson
        self.setObjectName("page")
        self.setAccessibleName("Page")
        window.files.await_file(name)
        self.said = Label(f"Opening {name} …", "lead", plain=True, wraps=True, align=Qt.AlignmentFlag.AlignCenter)
        column_in(self, self.said)
        for background in (window.files.reader, window.bench.background):
            background.busy.connect(self._follow_work)

    def follow(self, *_: object) -> None:
        """Show the model as soon as it is there."""
        if self._bench.lesson is not self._lesson:
            self.leave()

    def leave(self, *_: object) -> None:
        """Show the model, also when a stage is chosen meanwhile."""
        if self._window.tabs.opening is self:
            self._window.show_tab("Pipeline")

    def least_height(self, width: int) -> int:
        """The height in pixels that it needs where it scrolls anyway."""
        return self.said.heightForWidth(width)

    def _follow_work(self, goes_on: bool) -> None:
        if not goes_on:
            do_later(self, self._look)  # in between, what was read is opened

    def _look(self) -> None:
        """Give way to the opening page if the file was not opened."""
        stands = self._window.tabs.opening is self and not self._window.files.reader.at_work
        if stands and self._bench.document.wanted is self._first:
            self._window.show_opening()
