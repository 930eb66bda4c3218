"""The tab "References": the page of the printed numbers, compared once, when it is first looked at."""

from typing import Any

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout

from explorer.core.errors import ExplorerError
from explorer.lessons.printed import PrintedNumber, printed_numbers
from explorer.pages.references import ALL, REFERENCE, ROW, STATUS, references_page
from explorer.pages.view import Cell
from explorer.ui.background import Background
from explorer.ui.errors import show_error
from explorer.ui.page.column import Elements
from explorer.ui.page.listing import ROW_HEIGHT, ListingView
from explorer.ui.turns import later
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

LEAST_LINES = 4
OTHERS = 960
"""Pixels at text scale 1 that the columns before the cause take."""
ABOVE, DETAIL = 175, 100
"""Pixels at text scale 1: above the list, and for its head and what is said of one line below it."""


class ReferencesTab(QFrame):
    """The page "References"."""

    scene_asked = Signal(object)  # PrintedNumber: what computes a number is to be shown

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAccessibleName("References")
        self.bench = bench
        self.rows: tuple[PrintedNumber, ...] = ()
        self._area = scroll_area(sideways=False)  # where not even a few lines fit; the list is cut to the tab
        self._down = QVBoxLayout(self)
        self._down.addWidget(self._area)
        self._listened: ListingView | None = None
        self._wanted: tuple[str, str, Cell] | None = None
        self._worker = Background(self)
        self._worker.failed.connect(self._say)
        bench.selection.looked.connect(self._follow)
        bench.selection.printed_asked.connect(self._ask)
        self._again, self._gone = later(self, self._make), Gone(self)
        self._make()
        self._worker.ask(lambda report: printed_numbers(), self._show)

    def restyle(self) -> None:
        """Follow the theme and the text scale, in a turn of its own."""
        self.bench.appearance.turns.add(self._again)

    def _make(self) -> None:
        """Sizes stand everywhere in a page, so it is made anew."""
        px = self.bench.appearance.px
        self._down.setContentsMargins(px(24), px(16), px(16), px(12))
        if (before := self._area.takeWidget()) is not None:
            self._gone.delete(before)
        self.elements = Elements(self.bench, px(10))
        self._area.setWidget(self.elements)
        self.refresh()

    def refresh(self) -> None:
        """Make the page anew as data, and tell the widgets what is different."""
        choices, px = self.bench.selection.looking.choices, self.bench.appearance.px
        wide = int((self.elements.width() - px(OTHERS)) / px(100) * 100)
        self.elements.tell(references_page(self.rows, choices, self._lines(), wide))
        self.elements.share_room(self.elements.width(), None)
        table = self.list()
        if table is not None and table is not self._listened:
            self._listened = table
            table.selectionModel().currentRowChanged.connect(lambda index, _: self._look_at(index.row()))

    def list(self) -> ListingView | None:
        """The list, once there is one."""
        found = self.elements.widgets.get("numbers")
        return found if isinstance(found, ListingView) else None

    def choose(self, place: int) -> None:
        """Mark the line of a number as the one that was looked at last, and bring it into sight."""
        self.bench.selection.keep(ROW, place)
        table = self.list()
        if table is not None:
            places = list(table.listing.lines.places)  # type: ignore[attr-defined]
            if place in places:
                table.setCurrentIndex(table.table.index(places.index(place), 0))

    def look_for(self, lesson: str, setting: str, cell: Cell) -> None:
        """Go to the line of what is printed for a cell, as soon as there are lines."""
        self._wanted = lesson, setting, cell
        if self.rows:
            self._find()

    def _find(self) -> None:
        if self._wanted is None:
            return
        (lesson, setting, cell), self._wanted = self._wanted, None
        block, _, short = cell.node.rpartition(".")
        names = {(cell.node, cell.index)}
        if cell.index:
            names.add((f"{block}.head.{cell.index[0] + 1}.{short}", cell.index[1:]))
        for place, row in enumerate(self.rows):
            scene = row.scene
            if scene and (scene.lesson, scene.setting) == (lesson, setting) and (scene.node, scene.cell) in names:
                for key in (REFERENCE, STATUS):
                    self.bench.selection.keep(key, ALL)
                self.choose(place)
                return

    def _look_at(self, row: int) -> None:
        table = self.list()
        if table is not None and 0 <= row < len(table.listing.lines):
            self.bench.selection.keep(ROW, table.listing.lines.places[row])  # type: ignore[attr-defined]

    def _show(self, rows: tuple[PrintedNumber, ...]) -> None:
        self.rows = rows
        self.refresh()
        self._find()

    def _say(self, error: ExplorerError) -> None:
        show_error(error, self)

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def _ask(self, place: int) -> None:
        if self.rows:
            self.choose(place)
            self.scene_asked.emit(self.rows[place])

    def _lines(self) -> int:
        """How many lines there is room for below what stands above the list."""
        px = self.bench.appearance.px
        table = self.list()
        # Where it has not been laid out yet, it seems to stand on top.
        above = max(table.mapTo(self, QPoint(0, 0)).y() if table is not None else 0, px(ABOVE))
        room = self.height() - above - px(DETAIL)
        return max(room // px(ROW_HEIGHT), LEAST_LINES)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.refresh()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.refresh()
