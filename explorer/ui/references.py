"""The tab "References": the printed numbers, compared with ours once, when the tab is first shown."""

from PySide6.QtCore import Signal

from explorer.core.graph import Cell, name_of_head
from explorer.lessons.printed_numbers import PrintedNumber, printed_numbers
from explorer.pages.surfaces.references import ALL, REFERENCE, ROW, STATUS, places_in, references_page
from explorer.ui.background import Background
from explorer.ui.errors import show_error
from explorer.ui.page.column_tab import ColumnTab
from explorer.ui.page.listing import ROW_HEIGHT, ListingView
from explorer.ui.workbench import Workbench

LEAST_LINES = 4
OTHERS = 960
"""Pixels at text scale 1 that the columns before the cause take."""
AROUND = 275
"""Pixels at text scale 1 that all but the lines may take, before there is a list."""


class ReferencesTab(ColumnTab):
    """The page "References"."""

    scene_asked = Signal(object)  # PrintedNumber: show what computes this number

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench, "References", 10, 16)  # it scrolls where not even a few lines fit
        self.rows: tuple[PrintedNumber, ...] = ()
        self._listened: ListingView | None = None
        self._fitted = 0
        """How many lines fit."""
        self._wanted: tuple[str, str, Cell] | None = None
        self._worker = Background(self)
        self._worker.failed.connect(lambda error: show_error(error, self))
        bench.selection.looked.connect(self._follow)
        bench.selection.printed_asked.connect(self._ask)
        self.make()
        self._worker.ask(lambda report: printed_numbers(), self._show)

    def refresh(self) -> None:
        choices, px = self.bench.selection.looking.choices, self.bench.appearance.px
        room = self.room
        wide = int((room - px(OTHERS)) / px(100) * 100)
        for _ in range(2):  # what stands around the list has its height only once it is laid out
            lines = self._lines(room)
            self.show_elements(references_page(self.rows, choices, lines, wide))
            if self._lines(room) == lines:
                break
        table = self.list()
        if table is not None and lines != self._fitted:
            self._fitted = lines
            if table.currentIndex().isValid():  # what is told of a line needs room, which may be that of this line
                table.scrollTo(table.currentIndex())
        if table is not None and table is not self._listened:
            self._listened = table
            table.selectionModel().currentRowChanged.connect(lambda index, _: self._look_at(index.row()))

    def list(self) -> ListingView | None:
        """The list, once there is one."""
        found = self.elements.widgets.get("numbers")
        return found if isinstance(found, ListingView) else None

    def choose(self, place: int) -> None:
        """Select the line of a number, and scroll to it."""
        self.bench.selection.keep(ROW, place)
        table = self.list()
        if table is not None:
            places = places_in(table.listing)
            if place in places:
                table.setCurrentIndex(table.table.index(places.index(place), 0))

    def look_for(self, lesson: str, setting: str, cell: Cell) -> None:
        """Go to the line of the number printed for a cell, as soon as the list is computed."""
        self._wanted = lesson, setting, cell
        if self.rows:
            self._find()

    def _find(self) -> None:
        if self._wanted is None:
            return
        (lesson, setting, cell), self._wanted = self._wanted, None
        names = {(cell.node, cell.index)}
        if cell.index:
            names.add((name_of_head(cell.node, cell.index[0]), cell.index[1:]))
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
            self.bench.selection.keep(ROW, places_in(table.listing)[row])

    def _show(self, rows: tuple[PrintedNumber, ...]) -> None:
        self.rows = rows
        self.refresh()
        self._find()

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def _ask(self, place: int) -> None:
        if self.rows:
            self.choose(place)
            self.scene_asked.emit(self.rows[place])

    def _lines(self, room: int) -> int:
        """How many lines fit beside all else that stands here, in this width: only the list scrolls then."""
        px, table = self.bench.appearance.px, self.list()
        margins = self.contentsMargins() + self._down.contentsMargins()
        high = self.height() - margins.top() - margins.bottom()
        if table is None:
            return max((high - px(AROUND)) // px(ROW_HEIGHT), LEAST_LINES)
        high -= self.elements.height_without(table, room) + table.height_without_lines
        return max(high // table.row_height, LEAST_LINES)
