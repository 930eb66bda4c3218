"""How the rows of a listing are painted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from explorer.pages.page import BAR, HEAT, NUMBER, Column, Entry
from explorer.ui.theme import Theme, qcolor
from explorer.ui.widgets.names import draw_named, wide

if TYPE_CHECKING:
    from explorer.ui.page.listing import ListingView

LEFT, RIGHT = (
    (side | Qt.AlignmentFlag.AlignVCenter).value for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
)
"""Where words and numbers stand in their cells."""


class RowPainter(QStyledItemDelegate):
    """Paints words, numbers, bars, and numbers on their colours."""

    def __init__(self, view: ListingView) -> None:
        super().__init__(view)
        self._view = view

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        view = self._view
        row, theme = index.row(), view.bench.appearance.theme
        line, column = view.table.line(row), view.listing.columns[index.column()]
        entry, rect = line.entries[index.column()], option.rect
        here = line.here or (view.pointed is not None and line.cell == view.pointed)
        if here:
            painter.fillRect(rect.adjusted(0, 1, 0, -1), qcolor(theme.here_soft))
        if row and view.is_spread:  # one reads across from line to line
            painter.fillRect(rect.left(), rect.top(), rect.width(), 1, qcolor(theme.line))
        if column.kind == BAR:
            self._bar(painter, rect, column, entry, here)
        elif column.kind == HEAT:
            self._heat(painter, rect.adjusted(1, 1, -1, -1), row, entry)
            if view.hasFocus() and view.currentIndex() == index:
                painter.setPen(QPen(qcolor(theme.focus), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(rect.adjusted(2, 2, -2, -2))
            return
        else:
            self._words(painter, rect, column, entry, here, view.font_of(row, column.kind == NUMBER, here))
        if view.hasFocus() and view.currentIndex().row() == row:
            painter.setPen(QPen(qcolor(theme.focus), 2))
            y = rect.top() + 1, rect.bottom()
            for edge in y:
                painter.drawLine(rect.left(), edge, rect.right(), edge)

    def _words(self, painter: QPainter, rect: QRect, column: Column, entry: Entry, here: bool, font: QFont) -> None:
        view, text = self._view, entry.text
        theme = view.bench.appearance.theme
        if entry.choose is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(qcolor(theme.cell_editable_border), 1))
            painter.setBrush(qcolor(theme.cell_editable_bg))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)
            ink = theme.cell_editable_text
        elif text == "NaN":
            ink = theme.error
        elif entry.leads is not None:
            ink = theme.link
        else:
            ink = theme.here_text if here else theme.muted if entry.muted else theme.text
        painter.setPen(qcolor(ink))
        painter.setFont(font)
        inner = rect.adjusted(view.padding, 0, -view.padding, 0)
        place = RIGHT if column.kind == NUMBER else LEFT
        lines, metrics = view.lines_of(column, text, font, inner.width()), painter.fontMetrics()
        for i, one in enumerate(lines):
            # What is too long even so is one word; a name that is set is narrower than as it is typed.
            over = (wide(font, one) if column.names else metrics.horizontalAdvance(one)) > inner.width()
            elided = metrics.elidedText(one, Qt.TextElideMode.ElideRight, inner.width()) if over else one
            on = inner.translated(0, (2 * i + 1 - len(lines)) * metrics.lineSpacing() // 2)
            (draw_named if column.names else QPainter.drawText)(painter, on, place, elided)
            # That it leads somewhere is not said by its colour alone.
            if entry.leads is not None and entry.choose is None:
                indent = metrics.horizontalAdvance(elided[: -len(elided.lstrip())])
                width = round(wide(font, elided)) if column.names else metrics.horizontalAdvance(elided)
                left = (on.right() + 1 - width if column.kind == NUMBER else on.left()) + indent
                line = on.center().y() + (metrics.ascent() - metrics.descent()) // 2 + 3
                painter.setPen(QPen(qcolor(ink), 1, Qt.PenStyle.DotLine))
                painter.drawLine(left, line, left + width - indent, line)
                painter.setPen(qcolor(ink))

    def _heat(self, painter: QPainter, rect: QRect, row: int, entry: Entry) -> None:
        theme = self._view.bench.appearance.theme
        ramp = theme.diverging_ramp
        place = int((min(max(entry.value, -1.0), 1.0) + 1) * 127.5)
        painter.fillRect(rect, qcolor(theme.line) if entry.muted else ramp.colors[place])
        painter.setFont(self._view.font_of(row, True, False))
        painter.setPen(qcolor(theme.text) if entry.muted else ramp.text[place])
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, entry.text)

    def _bar(self, painter: QPainter, rect: QRect, column: Column, entry: Entry, here: bool) -> None:
        view, value = self._view, entry.value
        theme, (low, high) = view.bench.appearance.theme, column.reach
        inner = QRectF(rect).adjusted(view.padding, 5, -view.padding, -4)
        width = inner.width() / ((high - low) or 1.0)
        width = width if np.isfinite(width) else 0.0  # of the smallest numbers there are
        zero = inner.left() - low * width
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if np.isfinite(value):
            value = min(max(value, low), high)
            bar = QRectF(min(zero, zero + value * width), inner.top(), abs(value) * width, inner.height())
            color = bar_color(theme, value, signed=low < 0, here=here)
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


def bar_color(theme: Theme, value: float, signed: bool, here: bool) -> QColor:
    """Orange where one is; else the colour map's own colour for a share, or for a positive or a negative number."""
    if here:
        return qcolor(theme.here)
    if not signed:
        return theme.sequential_ramp.colors[160]
    return theme.diverging_ramp.colors[230 if value >= 0 else 25]
