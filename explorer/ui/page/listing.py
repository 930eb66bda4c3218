"""A list of lines with words, numbers and bars; even of 50,000 lines, only the visible ones are made and painted.

It shows all its lines on the page; on a narrow page its columns become narrower.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QSizePolicy, QTableView, QWidget

from explorer.core.graph import Cell
from explorer.export.matrix import separated
from explorer.pages.columns import Widths, divided, fitted
from explorer.pages.page import BAR, HEAT, NUMBER, RING, WORDS, Column, Entry, Line, Lines, Listing
from explorer.ui.matrix.model import ModelIndex
from explorer.ui.matrix.ranges import claim
from explorer.ui.page.gestures import perform
from explorer.ui.page.listing_model import (
    RING_SIZE,
    TICK,
    ListingModel,
    RowPainter,
    Titles,
    cut_label,
    part_of_line,
    title_of,
)
from explorer.ui.selection import Coming
from explorer.ui.turns import do_later
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.names import broken, wide
from explorer.ui.widgets.tree import show_current
from explorer.ui.workbench import Workbench

ROW_HEIGHT, PADDING, MOST_TEXT = 26, 5, 260
LOW_ROW = 21
"""The height of a line in a look with close lines, in pixels at text scale 1."""
LEAST_WIDTH = 300
LEAST_BAR, LEAST_WORDS = 50, 140
"""Least widths of a bar and of words on a narrow page, in pixels at text scale 1."""
MOST_BAR = 3
"""How many times longer than usual a bar may be on a wide page."""
MOST_LETTERS = 1.3
"""How many times larger than usual letters may be, so that they are not larger than headings."""
GAP = 8
"""Pixels at text scale 1 above the columns that stand below the others."""
FEW_MORE = 2
"""If at most this many lines would be hidden, they are shown: the button "more" takes as much room."""
MORE = 4
"""By which factor the number of shown lines grows after "more"."""
MOST_KEPT = 4096  # the most texts whose broken lines are cached
MEASURED = 200  # lines from which the width of all is computed


class ListingView(QTableView):
    """A listing, which knows its whole size.

    On a narrow page the columns that do not fit at their least widths stand below, each time after the first column
    again, in lists of their own, for which the list above has measured the widths (`given`).
    """

    def __init__(
        self,
        bench: Workbench,
        listing: Listing,
        parent: QWidget | None = None,
        given: Sequence[Widths] | None = None,
    ) -> None:
        super().__init__(parent)
        self._given, self._columns = given, list[Widths]()
        self._beside = self._body = self._below = 0
        """Pixels: the width beside the columns, the height of the lines, and the height below them."""
        self._metrics: QFontMetrics | None = None
        """The metrics of the titles' font; None without titles."""
        self._fitted = 0
        """The width in pixels that the columns were last fitted to; 0 before the first time."""
        self._waits = given is not None
        """Whether its width will be set soon, so that fitting the columns now would be in vain."""
        self._opened = 0
        """How many lines the user has asked for with "more", if not all are shown."""
        self._rest: list[ListingView] = []
        """Lists, one below the other, of the columns that do not fit beside the others."""
        self._rest_of: tuple[object, ...] = ()
        """The data that these lists were made from."""
        self._part = ""  # how many of the lines are shown
        self._more = PushButton("", tip="Show more lines", parent=self, look="link")
        self._more.clicked.connect(lambda: self._open(MORE * max(self.listing.most, self._opened)))
        self.bench = bench
        self._by: Coming = "tab"
        """How the user has come to the current line, if not by a click."""
        self._row = 0
        self.is_spread = False
        """Whether its lines are higher than they need to be."""
        self._times = 1.0
        self._lines_of: dict[tuple[str, bool, str, int], list[str]] = {}
        """Cached lines of texts, by text, whether it has names, font and width in pixels."""
        self._fonts = self._letters()
        self.padding = bench.appearance.px(PADDING)
        self.tick_room = bench.appearance.px(TICK + 8)
        """The width in pixels of a check box before the words."""
        self.table = ListingModel(listing)
        self.table.setParent(self)
        self.pointed: Cell | None = bench.selection.cell
        self.setHorizontalHeader(Titles(bench, self))
        self.setModel(self.table)
        self.setItemDelegate(RowPainter(self))
        for header in (self.verticalHeader(), self.horizontalHeader()):
            header.setSectionsClickable(False)
            header.setHighlightSections(False)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(8)
        self.setCornerButtonEnabled(False)
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.entered.connect(self._point)
        self.clicked.connect(lambda index: self._follow(index.row(), index.column()))
        bench.selection.pointed.connect(self._mark)
        self._measure()

    @property
    def listing(self) -> Listing:
        """The listing that is shown."""
        return self.table.listing

    def tell(self, listing: Listing) -> None:
        """Show another listing; the current line stays."""
        was, at = self.listing, self.currentIndex()
        self.table.tell(listing)
        if at.row() >= 0 and not self.currentIndex().isValid() and was.columns == listing.columns:
            self.setCurrentIndex(self.table.index(min(at.row(), len(listing.lines) - 1), at.column()))
        if was.order != listing.order:
            self._opened = 0
            self.scrollToTop()
        self._measure()

    def be_times(self, times: float) -> None:
        """Make lines higher by a factor, and letters larger by it up to `MOST_LETTERS`; titles stay as they are."""
        if times == self._times:
            return
        self._times = times
        self._fonts = self._letters()
        self._measure()

    def _letters(self) -> dict[tuple[bool, bool], QFont]:
        found = {}
        for bold, fonts in enumerate((self.bench.appearance.fonts, self.bench.appearance.fonts.bold)):
            for number, font in enumerate(map(QFont, (fonts.ui, fonts.number))):
                font.setPointSizeF(font.pointSizeF() * min(self._times, MOST_LETTERS))
                found[bool(number), bool(bold)] = font
        return found

    def font_of(self, row: int, number: bool, here: bool) -> QFont:
        """The font of a cell."""
        return self._fonts[number, here or self.table.line(row).strong]

    @property
    def grown(self) -> int:
        """The total height in pixels of all shown lines beyond what they need."""
        return (self.verticalHeader().defaultSectionSize() - self._least_row) * self._shown

    def grow(self, pixels: int) -> None:
        """Make the shown lines higher by `pixels` in total, to at most four times their need, to fill a slide."""
        row = self._least_row + min(pixels // max(self._shown, 1), 3 * self._least_row)
        if row != self._row and not self.goes_on:
            self._row = row
            self._measure()

    @property
    def _least_row(self) -> int:
        return self._px(LOW_ROW if self.bench.appearance.close else ROW_HEIGHT)

    def _px(self, pixels: float) -> int:
        """Pixels at text scale 1, converted to this screen, and larger by the present factor."""
        return self.bench.appearance.px(pixels * self._times)

    @property
    def _shown(self) -> int:
        """How many lines are shown: all if only few would be hidden, and a click would be needed to see them."""
        there, most = len(self.listing.lines), max(self.listing.most, self._opened)
        return there if there <= most + FEW_MORE * (not self.listing.scrolls) else most

    @property
    def row_height(self) -> int:
        """The height of a line in pixels."""
        return self.verticalHeader().defaultSectionSize()

    @property
    def height_without_lines(self) -> int:
        """The height in pixels of all but the lines."""
        return self.minimumHeight() - self._body

    def hide_links(self) -> None:
        """Offer no more lines: on paper nothing can be clicked."""
        self._more.setText(self._part)
        self._more.setEnabled(False)

    def _measure(self) -> None:
        """Make the columns as wide as their texts, and the list as high as the lines that it shows."""
        px, count, columns = self.bench.appearance.px, len(self.listing.lines), self.listing.columns
        self.setAccessibleName(self.listing.name)
        header, side = self.horizontalHeader(), self.verticalHeader()
        titled = any(column.title for column in columns)
        header.setVisible(titled)
        side.setVisible(bool(self.listing.labels))
        metrics = QFontMetrics(self.bench.appearance.fonts.bold.small)
        labels = (cut_label(one, self.listing.letters) for one in self.listing.labels)
        beside = max((metrics.horizontalAdvance(one) + px(14) for one in labels), default=0)
        side.setFixedWidth(beside)
        widths = self._widths(metrics)
        height, shown = max(self._least_row, self._row), self._shown
        self.is_spread = height > self._least_row
        if side.defaultSectionSize() != height:  # Qt paints all lines again even if the height stays the same
            side.setDefaultSectionSize(height)
        scrolls = self.listing.scrolls and count > shown
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if self.verticalScrollBarPolicy() != (always if scrolls else never):  # setting the same one lays out the bars
            self.setVerticalScrollBarPolicy(always if scrolls else never)
        beside += scrolls * self._bar_width()
        self._more.setVisible(count > shown and not scrolls)
        key = f" ({self.listing.key})" if self.listing.key else ""
        self._part = f"{shown} of {count:,}"
        self._more.setText(f"{self._part} · more{key}")
        below = self._more.sizeHint().height() if self._more.isVisibleTo(self) else 0
        takes = widths, beside, max(shown, 1) * height, below
        same = takes == (self._columns, self._beside, self._body, self._below)
        self._columns, self._beside, self._body, self._below = takes
        self._metrics = metrics if titled else None
        if not self._waits:
            self.setMaximumWidth(self.whole_width + sum(column.most - column.wanted for column in widths))
        self._fit()
        if not same:  # if only numbers have changed, the page must not be laid out again
            self.updateGeometry()
        if not self._waits:
            self.setMinimumWidth(min(self.whole_width, LEAST_WIDTH))

    def _widths(self, metrics: QFontMetrics) -> list[Widths]:
        """The widths of each column; `metrics`: those of the titles' font."""
        px, columns = self.bench.appearance.px, self.listing.columns
        if self._given is not None:
            return list(self._given)
        lines = [self.table.line(row) for row in range(min(len(self.listing.lines), MEASURED))]
        heats = [i for i, column in enumerate(columns) if column.kind == HEAT]
        # All columns with numbers on coloured cells have one width.
        heat = self._width_of(lines, heats, columns[heats[0]]) if heats else 0
        widths: list[Widths] = []
        for i, column in enumerate(columns):
            said, least = title_of(column.title), 0
            longest = max(map(metrics.horizontalAdvance, said.split()), default=0) + px(14)
            if column.kind == BAR:
                own, tight = px(column.width), px(LEAST_BAR)
            elif column.kind == RING:
                own = tight = px(RING_SIZE) + 2 * self.padding
            else:
                own = tight = heat if column.kind == HEAT else self._width_of(lines, [i], column)
                least = px(LEAST_WORDS) if column.kind == WORDS else own
            wanted, tight = max(own, metrics.horizontalAdvance(said) + px(14)), max(min(own, tight), longest)
            most = MOST_BAR * wanted if column.kind == BAR else wanted
            least = max(min(tight, least or tight), longest)
            widths.append(Widths(wanted, min(tight, wanted), least, said, most))
        return widths

    @property
    def whole_width(self) -> int:
        """The width that all columns want, in pixels."""
        return self._beside + sum(column.wanted for column in self._columns)

    @property
    def shares_line(self) -> int:
        """The least width in pixels that it takes beside other elements on a line; no words are cut off."""
        return self._beside + sum(column.tight for column in self._columns)

    def sizeHint(self) -> QSize:
        return QSize(self.whole_width, self.minimumHeight())

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self.width() != self._fitted:  # not if only the height differs, which `_fit` itself changes
            self._fitted = self.width()
            self._fit()

    def height_at(self, width: int) -> int:
        """The height in pixels of a place of this width, which it takes at once to measure its lines."""
        if width != self._fitted:
            self._fitted = width
            self.resize(width, self.height())  # Qt sends the resize of a hidden widget later
            self._fit()
        return self.minimumHeight()

    def _bar_width(self) -> int:
        # The style's own width of a bar is that of small text.
        return max(self.verticalScrollBar().sizeHint().width(), self.horizontalScrollBar().sizeHint().height()) + 2

    def _fit(self) -> None:
        if self._waits:
            return
        room, first, parts = self.width() - self._beside, len(self._columns), list[tuple[int, ...]]()
        least = self._least_widths(room)
        if self._fitted and not (self._given or self.listing.scrolls):
            there, *parts = divided(least, room, 0 if self.listing.labels else 1)
            first = len(there)
        below = self._below + self._go_on_below(first, parts)
        widths = fitted(self._columns[:first], least[:first], room)
        over = sum(widths) - room
        header = self.horizontalHeader()
        for i, width in enumerate(widths):
            if header.sectionSize(i) != width:
                header.resizeSection(i, width)
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if self.horizontalScrollBarPolicy() != (always if over > 0 else never):
            self.setHorizontalScrollBarPolicy(always if over > 0 else never)
        top = self._top(widths)
        if header.height() != top or header.minimumHeight() != top:
            header.setFixedHeight(top)
        self.setFixedHeight(top + self._body + self._break_lines() + below + (over > 0) * self._bar_width())
        self._hold_below()

    def _least_widths(self, room: int) -> list[int]:
        """The least width of each column; words in the first break sooner where no other would have room beside it."""
        least, words = [column.least for column in self._columns], self.listing.columns[:1]
        if len(least) < 2 or least[0] + max(least[1:]) <= room or words[0].kind != WORDS:
            return least
        texts = {line.entries[0].text for line in map(self.table.line, range(min(len(self.listing.lines), MEASURED)))}
        across = QFontMetrics(self._fonts[False, True]).horizontalAdvance
        longest = max((across(word) for text in texts for word in text.split()), default=0) + 2 * self.padding + 2
        return [max(min(least[0], room - max(least[1:])), min(longest, least[0])), *least[1:]]

    def _top(self, widths: Sequence[int]) -> int:
        if self._metrics is None:
            return 0
        wrap = Qt.TextFlag.TextWordWrap
        high, above = self._metrics.height(), self.bench.appearance.px(8)
        for column, width in zip(self._columns, widths, strict=False):
            if width < column.wanted:
                room = QRect(0, 0, max(width - above, 1), 10 * high)
                high = max(high, self._metrics.boundingRect(room, wrap, column.title).height())
        return high + above

    def lines_of(self, column: Column, text: str, font: QFont, room: int) -> list[str]:
        """The lines into which the words of a cell are broken; a number stays on one line."""
        if column.kind != WORDS:
            return [text]
        key = text, column.names, font.key(), room
        if key not in self._lines_of:  # this is called for each size that a layout tries, and at each painting
            if len(self._lines_of) >= MOST_KEPT:
                self._lines_of.clear()
            across = partial(wide, font) if column.names else QFontMetrics(font).horizontalAdvance
            self._lines_of[key] = broken(text, room, across)
        return self._lines_of[key]

    def _lines_in(self, column: Column, entry: Entry, font: QFont, room: int) -> list[str]:
        """The same for the words of a cell, which stand behind its box if it has one."""
        text = entry.text
        if entry.tick is not None:
            text = text.lstrip()
            room -= self.tick_room + QFontMetrics(font).horizontalAdvance(entry.text[: -len(text)])
        return self.lines_of(column, text, font, room)

    def _break_lines(self) -> int:
        """Make lines high enough for words that wrap in the present column widths; returns the additional pixels."""
        if not self._fitted:
            return 0  # the width is not known yet
        side, header, count = self.verticalHeader(), self.horizontalHeader(), len(self.listing.lines)
        words = [i for i, column in enumerate(self.listing.columns) if column.kind == WORDS]
        rooms = {i: header.sectionSize(i) - 2 * self.padding for i in words if not self.isColumnHidden(i)}
        usual, more = side.defaultSectionSize(), 0
        spacing = QFontMetrics(self._fonts[False, False]).lineSpacing()
        for row in range(min(count, MEASURED)):
            line = self.table.line(row)
            font = self._fonts[False, line.strong or line.here]
            taken = (self._lines_in(self.listing.columns[i], line.entries[i], font, rooms[i]) for i in rooms)
            high = usual + spacing * (max(map(len, taken), default=1) - 1)
            if side.sectionSize(row) != high:
                side.resizeSection(row, high)
            more += (high - usual) * (row < self._shown)
        return 0 if self.listing.scrolls else more

    def _go_on_below(self, at: int, parts: Sequence[tuple[int, ...]]) -> int:
        """Show the columns from `at` on below the others, a list for each part; returns the pixels that they take."""
        for column in range(len(self._columns)):
            if self.isColumnHidden(column) != (column >= at):
                self.setColumnHidden(column, column >= at)
        whole, shown = self.listing, self._shown
        of = parts, shown, self._times
        if of != self._rest_of[1:] or whole is not self._rest_of[0]:
            self._rest_of = whole, *of
            for i, columns in enumerate(parts):
                titles = tuple(whole.columns[one] for one in columns)
                lines = Lines(shown, part_of_line, (whole.lines, columns))
                part = replace(whole, columns=titles, lines=lines, most=shown)
                widths = [self._columns[one] for one in columns]
                if i == len(self._rest):
                    self._rest.append(ListingView(self.bench, part, self, widths))
                else:
                    self._rest[i]._given, self._rest[i]._waits = widths, True
                    self._rest[i].tell(part)
                self._rest[i].be_times(self._times)
        for i, rest in enumerate(self._rest):
            if i < len(parts):
                rest._waits, rest._fitted = False, 0
                rest.height_at(self.width())
            rest.setVisible(i < len(parts))
        return sum(map(self._taken_by, self.goes_on))

    @property
    def goes_on(self) -> "list[ListingView]":
        """The visible lists below this one, with the columns that do not fit."""
        return [rest for rest in self._rest if rest.isVisibleTo(self)]

    def _taken_by(self, rest: "ListingView") -> int:
        return rest.minimumHeight() + self.bench.appearance.px(GAP)

    def _width_of(self, lines: Sequence[Line], columns: Sequence[int], column: Column) -> int:
        """The width in pixels that the widest text of some columns needs."""
        fonts = (self._fonts[column.kind != WORDS, weight] for weight in (False, True))
        plain, bold = (partial(wide, one) if column.names else QFontMetrics(one).horizontalAdvance for one in fonts)
        # A row about a cell is bold while the cell is pointed at. A set, because many lines share few different words.
        texts = {
            (bool(line.strong or line.here or line.cell), line.entries[at].text) for line in lines for at in columns
        }
        widths = (ceil((bold if weight else plain)(text)) for weight, text in texts if text)
        ticked = any(line.entries[at].tick is not None for line in lines for at in columns)
        most = max(MOST_TEXT, column.width) if column.kind == WORDS else MOST_TEXT
        return min(max(widths, default=0) + 2 * self.padding + 2 + ticked * self.tick_room, self._px(most))

    def updateGeometries(self) -> None:
        super().updateGeometries()
        self._hold_below()

    def _hold_below(self) -> None:
        """Place the other columns, and the button for more lines, below the lines."""
        below = self._more.sizeHint().height() if self._more.isVisibleTo(self) else 0
        if below != self._below:  # the button has got its font since
            self._below = below
            self._fit()
            return
        taken = below
        for rest in reversed(self.goes_on):
            rest.move(0, self.height() - taken - rest.minimumHeight())
            taken += self._taken_by(rest)
        margins = self.viewportMargins()
        if margins.bottom() != taken:
            margins.setBottom(taken)
            self.setViewportMargins(margins)
        self._more.setGeometry(0, self.height() - below, self._more.sizeHint().width(), below)

    def _open(self, rows: int) -> None:
        self._opened = max(self._opened, rows)
        self._measure()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.listing.scrolls:
            super().wheelEvent(event)
        else:
            event.ignore()  # the page scrolls

    # Mouse and keys

    def _follow(self, row: int, *columns: int) -> None:
        for column in columns:
            leads = self.table.line(row).entries[column].leads
            if leads is not None:
                perform(self.bench, leads, self)
                return

    def _point(self, index: QModelIndex) -> None:
        line, shape = self.table.line(index.row()), Qt.CursorShape
        leads = line.entries[index.column()].leads
        self.viewport().setCursor(shape.ArrowCursor if leads is None else shape.PointingHandCursor)
        if line.cell is not None:
            self.bench.selection.point(line.cell)

    def _mark(self, cell: Cell | None) -> None:
        if cell != self.pointed:
            self.pointed = cell
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()

    def focusInEvent(self, event: Any) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.listing.lines:
            self.setCurrentIndex(self.table.index(0, 0))
        self.viewport().update()

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def currentChanged(self, current: ModelIndex, previous: ModelIndex) -> None:
        super().currentChanged(current, previous)
        self.viewport().update()
        if current.row() >= max(self.listing.most, self._opened) and not self.listing.scrolls:
            self._open(current.row() + self.listing.most)
        if current.isValid() and self.hasFocus():
            do_later(self, lambda: show_current(self, 0, 2 * self.visualRect(self.currentIndex()).height()))
        cell = self.table.line(current.row()).cell if current.isValid() else None
        if cell is not None and self.hasFocus():
            self.bench.selection.choose(cell, self._by)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        entries = self.table.line(index.row()).entries if index.isValid() else ()
        entering = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and entries
        if entering and self.state() != QAbstractItemView.State.EditingState:
            column = next((i for i, entry in enumerate(entries) if entry.choose is not None), None)
            if column is not None:
                self.setCurrentIndex(self.table.index(index.row(), column))
                self.edit(self.currentIndex())
                return
            # Enter follows the link of the current column, if it has one, or else the first link of the line.
            self._follow(index.row(), index.column(), *range(len(entries)))
        ticked = [i for i, entry in enumerate(entries) if entry.tick is not None]
        if event.key() == Qt.Key.Key_Space and ticked:
            self._follow(index.row(), *ticked)
            return
        if event.matches(QKeySequence.StandardKey.Copy) and entries:
            # A spreadsheet reads no number with a true minus sign.
            texts = (
                entry.text.replace("−", "-") if column.kind in (NUMBER, HEAT) else entry.text
                for column, entry in zip(self.listing.columns, entries, strict=True)
                if column.kind != BAR
            )
            claim()
            QGuiApplication.clipboard().setText(separated([texts], "\t").removesuffix("\n"))
            return
        self._by = "arrow"
        super().keyPressEvent(event)
        self._by = "tab"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        cell = self.table.line(index.row()).cell if index.isValid() else None
        if cell is not None:
            self.bench.selection.choose(cell)
