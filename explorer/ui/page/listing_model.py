"""A listing as a table model of Qt, the titles of its columns, and how its rows are painted and edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QObject,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    QStringListModel,
    Qt,
)
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QHeaderView,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from explorer.core.errors import ExplorerError, nearest
from explorer.pages.page import BAR, HEAT, NUMBER, RING, Column, Entry, Line, Lines, Listing
from explorer.ui.errors import show_error
from explorer.ui.matrix.model import NO_INDEX, ModelIndex
from explorer.ui.page.gestures import perform
from explorer.ui.theme import Theme, qcolor
from explorer.ui.widgets.inputs import ComboBox
from explorer.ui.widgets.labels import as_tip, draw_ring
from explorer.ui.widgets.names import broken, draw_named, set_names, wide
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.page.listing import ListingView

TICK = 14
"""The width of a check box, in pixels at text scale 1."""
RING_SIZE = 18
"""The diameter of a ring, in pixels at text scale 1."""
LONGEST = 24  # the most letters of a word of a title
SIDES = {NUMBER: Qt.AlignmentFlag.AlignRight, HEAT: Qt.AlignmentFlag.AlignHCenter}


def part_of_line(lines: Sequence[Line], columns: tuple[int, ...], row: int) -> Line:
    """A line of a listing with only some of its columns."""
    line = lines[row]
    return replace(line, entries=tuple(line.entries[column] for column in columns))


# Computed once, because combining Qt's flags in Python is slow and each painted cell needs them.
READ = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
TICKS = Qt.CheckState.Unchecked, Qt.CheckState.PartiallyChecked, Qt.CheckState.Checked
CHANGED, TICKED = READ | Qt.ItemFlag.ItemIsEditable, READ | Qt.ItemFlag.ItemIsUserCheckable


class ListingModel(QAbstractTableModel):
    """A listing as a table model of Qt. A line is made when it is first asked for, and kept."""

    def __init__(self, listing: Listing) -> None:
        super().__init__()
        self.listing = listing
        self._lines: dict[int, Line] = {}

    def tell(self, listing: Listing) -> None:
        sizes = [(len(one.lines), len(one.columns)) for one in (self.listing, listing)]
        if sizes[0] != sizes[1]:
            self.beginResetModel()
        changed = self._changed(listing) if sizes[0] == sizes[1] else []
        titles, self.listing, self._lines = self.listing.columns, listing, {}
        if sizes[0] != sizes[1]:
            self.endResetModel()
        elif changed and listing.lines:
            last = self.index(len(listing.lines) - 1, changed[-1])
            self.dataChanged.emit(self.index(0, changed[0]), last)
        if listing.columns != titles:  # painting the titles again takes a turn of its own
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(listing.columns) - 1)

    def _changed(self, listing: Listing) -> list[int]:
        """The columns to paint again; in a training run only numbers change, and typeset names are slow to paint."""
        was, count = self.listing, len(listing.columns)
        if isinstance(listing.lines, Lines) or was.columns != listing.columns or was.labels != listing.labels:
            return list(range(count))
        # Only the lines in `_lines` can have been painted.
        lines = [(line, listing.lines[row]) for row, line in self._lines.items()]
        if any((one.cell, one.here, one.strong) != (other.cell, other.here, other.strong) for one, other in lines):
            return list(range(count))
        return [at for at in range(count) if any(one.entries[at] != other.entries[at] for one, other in lines)]

    def line(self, row: int) -> Line:
        """A line of the listing."""
        line = self._lines.get(row)
        if line is None:
            line = self._lines[row] = self.listing.lines[row]
        return line

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.listing.lines)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.listing.columns)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        entry = self.line(index.row()).entries[index.column()]
        return CHANGED if entry.choose is not None else READ if entry.tick is None else TICKED

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        down, columns = orientation == Qt.Orientation.Vertical, self.listing.columns
        texts = self.listing.labels if down else [column.title for column in columns]
        if section >= len(texts):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cut_label(texts[section], self.listing.letters) if down else title_of(texts[section])
            case Qt.ItemDataRole.ToolTipRole if len(texts[section]) > (self.listing.letters if down else LONGEST):
                return texts[section]
            case Qt.ItemDataRole.TextAlignmentRole:
                side = SIDES.get(NUMBER if down else columns[section].kind, Qt.AlignmentFlag.AlignLeft)
                if down:
                    return (side | Qt.AlignmentFlag.AlignVCenter).value
                return (side | Qt.AlignmentFlag.AlignBottom).value | Qt.TextFlag.TextWordWrap.value
            case _:
                return None

    def data(self, index: ModelIndex, role: int = 0) -> Any:
        entry = self.line(index.row()).entries[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return entry.text
            case Qt.ItemDataRole.CheckStateRole if entry.tick is not None:
                return TICKS[(entry.tick > 0) + (entry.tick >= 1)]
            case Qt.ItemDataRole.ToolTipRole:
                return as_tip(entry.tip or entry.text)
            case Qt.ItemDataRole.AccessibleTextRole:
                label = self.listing.labels[index.row()] if self.listing.labels else ""
                return f"{label} {self.listing.columns[index.column()].title} {entry.text}".strip()
            case _:
                return None


class Titles(QHeaderView):
    """The titles of columns; names in them are typeset."""

    def __init__(self, bench: Workbench, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._bench = bench

    def sizeHint(self) -> QSize:
        """The present height; Qt's own hint measures all titles each time that something in the list is resized."""
        return QSize(0, self.minimumHeight())

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        title = str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")
        if set_names(title) == title:
            super().paintSection(painter, rect, section)
            return
        appearance = self._bench.appearance
        painter.setFont(appearance.fonts.small)
        painter.setPen(qcolor(appearance.theme.muted))
        place = self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        inside = rect.adjusted(appearance.px(4), 0, -appearance.px(4), -appearance.px(2))
        lines = broken(title, inside.width(), partial(wide, painter.font()))
        high = painter.fontMetrics().height()
        for i, line in enumerate(lines):
            draw_named(painter, inside.translated(0, (i + 1 - len(lines)) * high), place, line)


def cut_label(text: str, most: int) -> str:
    """A label, or a word of a title, cut with an ellipsis if it has more letters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def title_of(title: str) -> str:
    """The title of a column: it may wrap, so only a single word that is too long is cut."""
    return " ".join(cut_label(word, LONGEST) for word in title.split(" "))


LEFT, RIGHT = (
    (side | Qt.AlignmentFlag.AlignVCenter).value for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
)
"""How words and numbers are aligned in their cells."""


class RowPainter(QStyledItemDelegate):
    """Paints the cells of a listing (words, numbers, bars, rings, numbers on coloured cells), and edits one."""

    def __init__(self, view: ListingView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        view = self._view
        row, theme = index.row(), view.bench.appearance.theme
        line, column = view.table.line(row), view.listing.columns[index.column()]
        entry, rect = line.entries[index.column()], option.rect
        here = line.here or (view.pointed is not None and line.cell == view.pointed)
        if here:
            painter.fillRect(rect.adjusted(0, 1, 0, -1), qcolor(theme.here_soft))
        if row and view.is_spread:  # a thin line above each row guides the eye
            painter.fillRect(rect.left(), rect.top(), rect.width(), 1, qcolor(theme.line))
        if column.kind == BAR:
            self._bar(painter, rect, column, entry, here)
        elif column.kind == RING:
            self._ring(painter, rect, entry)
        elif column.kind == HEAT:
            self._heat(painter, rect.adjusted(1, 1, -1, -1), row, column, entry)
            if view.hasFocus() and view.currentIndex() == index:
                painter.setPen(QPen(qcolor(theme.focus), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(rect.adjusted(2, 2, -2, -2))
            return
        else:
            self._words(painter, rect, column, entry, here, row)
        if view.hasFocus() and view.currentIndex().row() == row:
            painter.setPen(QPen(qcolor(theme.focus), 2))
            y = rect.top() + 1, rect.bottom()
            for edge in y:
                painter.drawLine(rect.left(), edge, rect.right(), edge)

    def _words(self, painter: QPainter, rect: QRect, column: Column, entry: Entry, here: bool, row: int) -> None:
        view, text, number = self._view, entry.text, column.kind == NUMBER
        font = view.font_of(row, number, here)
        theme = view.bench.appearance.theme
        if entry.choose is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(qcolor(theme.cell_editable_border), 1))
            painter.setBrush(qcolor(theme.cell_editable_bg))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)
            ink = theme.cell_editable_text
        elif text == "NaN":
            ink = theme.error
        elif entry.leads is not None and entry.tick is None:
            ink = theme.link
        else:
            ink = theme.here_text if here else theme.muted if entry.muted else theme.text
        painter.setPen(qcolor(ink))
        painter.setFont(font)
        inner = rect.adjusted(view.padding, 0, -view.padding, 0)
        if entry.tick is not None:
            inner.setLeft(inner.left() + painter.fontMetrics().horizontalAdvance(text[: -len(text.lstrip())]))
            self._tick(painter, inner, entry.tick)
            inner.setLeft(inner.left() + view.tick_room)
            text = text.lstrip()
        place = RIGHT if number else LEFT
        lines, metrics = view.lines_of(column, text, font, inner.width()), painter.fontMetrics()
        if len(lines) * metrics.lineSpacing() > rect.height():  # a line that is pointed at has no room for bold letters
            font = view.font_of(row, number, False)
            painter.setFont(font)
            lines, metrics = view.lines_of(column, text, font, inner.width()), painter.fontMetrics()
        for i, one in enumerate(lines):
            # A line that is still too long is a single word; a typeset name is narrower than its plain text.
            over = (wide(font, one) if column.names else metrics.horizontalAdvance(one)) > inner.width()
            elided = metrics.elidedText(one, Qt.TextElideMode.ElideRight, inner.width()) if over else one
            on = inner.translated(0, (2 * i + 1 - len(lines)) * metrics.lineSpacing() // 2)
            (draw_named if column.names else QPainter.drawText)(painter, on, place, elided)
            # Colour must not be the only sign of a link.
            if entry.leads is not None and entry.choose is None and entry.tick is None:
                indent = metrics.horizontalAdvance(elided[: -len(elided.lstrip())])
                width = round(wide(font, elided)) if column.names else metrics.horizontalAdvance(elided)
                left = (on.right() + 1 - width if number else on.left()) + indent
                line = on.center().y() + (metrics.ascent() - metrics.descent()) // 2 + 3
                painter.setPen(QPen(qcolor(ink), 1, Qt.PenStyle.DotLine))
                painter.drawLine(left, line, left + width - indent, line)
                painter.setPen(qcolor(ink))

    def _tick(self, painter: QPainter, rect: QRect, tick: float) -> None:
        """Paint a box that looks like a `QCheckBox`: ticked, empty, or with a dash."""
        theme, side = self._view.bench.appearance.theme, self._view.bench.appearance.px(TICK)
        box = QRectF(rect.left() + 0.5, rect.center().y() - side // 2 + 0.5, side, side)
        ways = ((0.24, 0.52), (0.43, 0.71), (0.77, 0.31)) if tick >= 1 else ((0.26, 0.5), (0.74, 0.5))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(theme.accent if tick else theme.muted), 1))
        painter.setBrush(qcolor(theme.accent if tick else theme.surface))
        painter.drawRoundedRect(box, side / 4, side / 4)
        if tick:
            painter.setPen(QPen(qcolor(theme.surface), side / 7, c=Qt.PenCapStyle.RoundCap))
            painter.drawPolyline([QPointF(box.left() + x * side, box.top() + y * side) for x, y in ways])
        painter.restore()

    def _heat(self, painter: QPainter, rect: QRect, row: int, column: Column, entry: Entry) -> None:
        theme = self._view.bench.appearance.theme
        ramp, least = (theme.diverging_ramp, -1.0) if column.signed else (theme.sequential_ramp, 0.0)
        place = int(ramp.index(entry.value, least, 1.0))
        painter.fillRect(rect, qcolor(theme.line) if entry.muted else ramp.colors[place])
        painter.setFont(self._view.font_of(row, True, False))
        painter.setPen(qcolor(theme.text) if entry.muted else ramp.text[place])
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, entry.text)

    def _ring(self, painter: QPainter, rect: QRect, entry: Entry) -> None:
        appearance = self._view.bench.appearance
        side = min(appearance.px(RING_SIZE), rect.height() - 2)
        place = QRectF(rect.left() + self._view.padding, rect.center().y() - side // 2, side, side)
        painter.setFont(appearance.fonts.small)
        draw_ring(painter, place, entry.value, appearance)

    def _bar(self, painter: QPainter, rect: QRect, column: Column, entry: Entry, here: bool) -> None:
        view, value = self._view, entry.value
        theme, (low, high) = view.bench.appearance.theme, column.reach
        inner = QRectF(rect).adjusted(view.padding, 5, -view.padding, -4)
        width = inner.width() / ((high - low) or 1.0)
        width = width if np.isfinite(width) else 0.0  # not finite if `high - low` is almost 0
        zero = inner.left() - low * width
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if np.isfinite(value):
            value = min(max(value, low), high)
            bar = QRectF(min(zero, zero + value * width), inner.top(), abs(value) * width, inner.height())
            color = bar_color(theme, value, signed=column.signed, here=here)
            if entry.off:
                painter.setPen(QPen(qcolor(theme.muted), 1))
                painter.setBrush(QBrush(qcolor(theme.muted), Qt.BrushStyle.BDiagPattern))
                painter.drawRect(bar)
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawRoundedRect(bar.adjusted(0, 0, 1, 0) if value else bar, 2, 2)
        painter.setPen(QPen(qcolor(theme.line_strong), 1))
        painter.drawLine(round(zero), rect.top(), round(zero), rect.bottom())

    # Choosing a word of a vocabulary in a cell: type a part of it, or pick it from the list

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: ModelIndex) -> QWidget:
        box = ComboBox(parent)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        # A vocabulary may have 50,000 words, so they are not measured, and only visible entries are laid out.
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        entries = QListView()
        entries.setUniformItemSizes(True)
        box.setView(entries)
        box.setModel(QStringListModel(list(self._view.listing.vocabulary), box))
        completer = box.completer() or QCompleter(box)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        box.setAccessibleName("Right word")
        box.activated.connect(lambda: self._done(box))
        line = box.lineEdit()
        assert line is not None
        line.returnPressed.connect(lambda: self._done(box))
        return box

    def _done(self, box: QComboBox) -> None:
        """End the choice, but only once: Enter on a word of the list calls this twice."""
        if not box.property("done"):
            box.setProperty("done", True)
            self.commitData.emit(box)
            self.closeEditor.emit(box)

    def setEditorData(self, editor: QWidget, index: ModelIndex) -> None:
        """Show the present word, unless something was typed: an update of the page must not remove it."""
        assert isinstance(editor, QComboBox)
        line = editor.lineEdit()
        assert line is not None
        if line.isModified():
            return
        with QSignalBlocker(editor):
            editor.setCurrentIndex(editor.findText(index.data(Qt.ItemDataRole.EditRole), Qt.MatchFlag.MatchExactly))
        line.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: ModelIndex) -> None:
        assert isinstance(editor, QComboBox)
        text, view, words = editor.currentText().strip(), self._view, self._view.listing.vocabulary
        first, at = (words.index(text) if text in words else -1), editor.currentIndex()
        if not (0 <= at < len(words) and words[at] == text):  # it was typed: two words of the list may be equal
            at = first
        if text == index.data(Qt.ItemDataRole.EditRole) and at == first:
            return
        choose = view.table.line(index.row()).entries[index.column()].choose
        assert choose is not None
        if at >= 0:
            perform(view.bench, choose.at(at), view.viewport(), rect=view.visualRect(index))
        else:
            near = nearest(text, list(words))
            error = ExplorerError("unknown-word", word=text, vectors="the output vocabulary", near=near)
            show_error(error, view.viewport(), view.visualRect(index))

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Keep the editor open when the popup of its list takes the focus, and at Enter, which `_done` handles."""
        if isinstance(editor, QComboBox):
            if event.type() == QEvent.Type.FocusOut and editor.view().isVisible():
                return False
            entering = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if entering and event.type() == QEvent.Type.KeyPress:
                return False
        return super().eventFilter(editor, event)


def bar_color(theme: Theme, value: float, signed: bool, here: bool) -> QColor:
    """The colour of a bar: orange for the present line; else that of a share, a positive or a negative number."""
    if here:
        return qcolor(theme.here)
    if not signed:
        return theme.sequential_ramp.colors[160]
    return theme.diverging_ramp.colors[230 if value >= 0 else 25]
