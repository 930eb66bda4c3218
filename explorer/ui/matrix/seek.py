"""The dialog in which gradient descent looks for inputs that give a cell a value."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.gradients import Root
from explorer.document.state import State
from explorer.pages.gestures import Ask, ForSeek
from explorer.pages.seek import search_for, seek_page
from explorer.pages.view import Cell
from explorer.training.goal_seek import Sought, command, seek
from explorer.ui.background import Background
from explorer.ui.errors import show_error
from explorer.ui.page.column import Elements
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.workbench import Workbench
from explorer.words.progress import Report

WIDE, HIGH = 560, 480
"""Pixels at text scale 1."""


class SeekDialog(QDialog):
    """A value is typed, and what may change is chosen; what is found is one step of undo.

    `where`: the cell in words, "row friend, column Emma".
    """

    def __init__(self, bench: Workbench, cell: Cell, where: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Find inputs for a value")
        self._bench, px = bench, bench.appearance.px
        document = bench.document
        self.search = search_for(document.state, document.engine, Root(cell.node, cell.index), where)
        self._background = Background(self)
        self._background.failed.connect(self._say)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(18), px(14), px(14), px(14))
        self._area = scroll_area(sideways=False)
        column.addWidget(self._area)
        self.elements = Elements(bench, px(10))
        self._area.setWidget(self.elements)
        bench.selection.asked.connect(self._do)
        self.resize(px(WIDE), px(HIGH))
        self._show()
        self.elements.widgets["wish"].setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in the field asks for the search by itself; a dialog would press a button as well.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if not isinstance(gesture, ForSeek) or not self.isAncestorOf(at):
            return
        try:
            match gesture.act:
                case "find":
                    self._find()
                case "use":
                    self._use()
                case _:
                    self.search = self.search.do(gesture.act, gesture.value)
        except ExplorerError as error:
            show_error(error, at)
            return
        self._show()

    def _find(self) -> None:
        search = self.search
        if search.busy or not search.chosen:
            return
        wished = search.wished
        changes: list[tuple[str, tuple[int, ...]]] = [(name, ()) for name in search.inputs if name in search.chosen]
        state = self._bench.document.state
        self.search = replace(search, state=state, busy=True, found=None)
        self._background.ask(partial(_sought, state, search.root, wished, changes), self._found)

    def _found(self, found: Sought) -> None:
        self.search = replace(self.search, busy=False, found=found)
        self._show()

    def _say(self, error: ExplorerError) -> None:
        self.search = replace(self.search, busy=False)
        self._show()
        show_error(error, self)

    def _use(self) -> None:
        found = self.search.found
        assert found is not None
        if self._bench.document.wanted is not self.search.state:
            self.search = replace(self.search, found=None)
            raise ExplorerError("seek-stale")
        self._bench.document.do(command(found, self.search.name))
        self.accept()

    def _show(self) -> None:
        self.elements.tell(seek_page(self.search))
        self.elements.share_room(self._area.viewport().width(), None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.elements.share_room(self._area.viewport().width(), None)


def _sought(state: State, root: Root, wished: float, changes: list[tuple[str, tuple[int, ...]]], _: Report) -> Sought:
    return seek(state, root, wished, changes)
