"""How the rows of a listing are painted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from explorer.ui.colour import qcolor
from explorer.ui.theme import Theme
from explorer.ui.widgets.rows import BAR, HEAT, NUMBER, ModelIndex

if TYPE_CHECKING:
    from explorer.ui.widgets.listing import Listing


class RowPainter(QStyledItemDelegate):
    """Paints words, numbers, bars, and numbers on their colours."""

    def __init__(self, view: Listing) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        view = self._view
        rows, theme = view.rows, view.bench.appearance.theme
        row, column = index.row(), index.column()
        rect: QRect = option.rect
        here, kind = rows.here(row), rows.columns[column].kind
        pointed = view.pointed is not None and rows.cell(row) == view.pointed
        if here or pointed:
            painter.fillRect(rect.adjusted(0, 1, 0, -1), qcolor(theme.here_soft))
        if kind == BAR:
            self._bar(painter, rect, row, column, here or pointed)
        elif kind == HEAT:
            self._heat(painter, rect.adjusted(1, 1, -1, -1), row, column)
            if view.hasFocus() and view.currentIndex() == index:
                painter.setPen(QPen(qcolor(theme.focus), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(rect.adjusted(2, 2, -2, -2))
            return
        else:
            self._words(painter, rect, row, column, here or pointed)
        if view.hasFocus() and view.currentIndex().row() == row:
            painter.setPen(QPen(qcolor(theme.focus), 2))
            y = rect.top() + 1, rect.bottom()
            for edge in y:
                painter.drawLine(rect.left(), edge, rect.right(), edge)

    def _words(self, painter: QPainter, rect: QRect, row: int, column: int, here: bool) -> None:
        view = self._view
        rows, theme = view.rows, view.bench.appearance.theme
        text = rows.text(row, column)
        number = rows.columns[column].kind == NUMBER
        if rows.editable(row, column):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(qcolor(theme.cell_editable_border), 1))
            painter.setBrush(qcolor(theme.cell_editable_bg))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)
            ink = theme.cell_editable_text
        elif text == "NaN":
            ink = theme.error
        elif rows.link(row, column):
            ink = theme.link
        else:
            ink = theme.here_text if here else theme.muted if rows.muted(row, column) else theme.text
        painter.setPen(qcolor(ink))
        painter.setFont(view.font_of(row, number, here))
        inner = rect.adjusted(view.padding, 0, -view.padding, 0)
        side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, side | Qt.AlignmentFlag.AlignVCenter, elided)

    def _heat(self, painter: QPainter, rect: QRect, row: int, column: int) -> None:
        view, ramp = self._view, self._view.bench.appearance.theme.diverging_ramp
        place = int((min(max(view.rows.value(row, column), -1.0), 1.0) + 1) * 127.5)
        painter.fillRect(rect, ramp.colors[place])
        painter.setFont(view.font_of(row, True, False))
        painter.setPen(ramp.text[place])
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, view.rows.text(row, column))

    def _bar(self, painter: QPainter, rect: QRect, row: int, column: int, here: bool) -> None:
        view = self._view
        rows, theme = view.rows, view.bench.appearance.theme
        low, high = rows.reach(column)
        value = rows.value(row, column)
        inner = QRectF(rect).adjusted(view.padding, 5, -view.padding, -4)
        width = inner.width() / ((high - low) or 1.0)
        width = width if np.isfinite(width) else 0.0  # of the smallest numbers there are
        zero = inner.left() - low * width
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if np.isfinite(value):
            value = min(max(value, low), high)
            bar = QRectF(min(zero, zero + value * width), inner.top(), abs(value) * width, inner.height())
            color = bar_color(theme, value, signed=low < 0, here=here)
            if rows.off(row, column):
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
