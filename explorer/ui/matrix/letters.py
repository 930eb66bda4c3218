"""The letters of a matrix in one size, the room that numbers and labels need in them, and the labels themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QToolTip

from explorer.pages.matrix import Matrix
from explorer.ui.appearance import Appearance
from explorer.ui.theme import qcolor
from explorer.ui.widgets.labels import FIGURES, as_tip

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView

SIZES = 1.0, 0.9, 0.8
"""Sizes of a matrix's letters relative to the usual size; the smaller ones are for an equation too long for its line.
At the last size figures are 10.6 pixels high at text scale 1: smaller ones cannot be read.
"""
LEAST_LABEL = 0.9
"""The least relative size of labels, which are small already."""
CELL_HEIGHT, CELL_PADDING, LEAST_WIDTH, MOST_LABEL, CUT_LABEL = 26, 5, 40, 130, 60
"""Pixels at text scale 1; the last: the widest label above a column in large text, where a class needs the columns."""
LOW_CELL, CLOSE = 16, 3
"""Height of a row, and padding, in pixels at text scale 1, where numbers stand close together."""
LONG_LABEL, FEW_LABEL = 84, 110
"""The widest label above a column, in pixels at text scale 1: usually; and in large text, with few columns."""
FEW = 8  # up to so many columns, `FEW_LABEL` holds
MEASURED = 400  # the first labels, from which the room for all is measured


class Letters:
    """The letters in one size.

    Parameters
    ----------
    size : float
        One of `SIZES`.
    times : float
        How many times larger than others on its page.
    upright : bool
        Whether the labels of the columns are read upwards, so that a long one makes no column wider.
    """

    def __init__(self, look: Appearance, size: float, times: float, upright: bool = False) -> None:
        self.upright = upright
        self._px, self._is_large, self._size = look.px, look.close, size * times
        self._label_size = max(size, LEAST_LABEL) * times
        self.number, self.small = QFont(look.fonts.number), QFont(look.fonts.small)
        for font, least in ((self.number, 0.0), (self.small, LEAST_LABEL)):
            font.setPointSizeF(font.pointSizeF() * max(size, least) * times)
        self.bold, self.bold_small = QFont(self.number), QFont(self.small)
        for font in (self.bold, self.bold_small):
            font.setBold(True)
        close = CLOSE - 1 if upright and size < 1 else CLOSE  # there each pixel counts
        self.padding = look.px((close if self._is_large or size < 1 else CELL_PADDING) * times)
        self.row = look.px((LOW_CELL if self._is_large else CELL_HEIGHT) * self._size)
        """The least height of a row in pixels."""
        self._times = times
        self._widths: dict[str, int] = {}
        self._of: Matrix | None = None
        self._columns = self._labels = 0

    def across(self, text: str) -> int:
        """The width of a number in pixels, kept by its pattern of figures and signs: there are few patterns."""
        pattern = text.translate(FIGURES)
        if pattern not in self._widths:
            self._widths[pattern] = QFontMetrics(self.bold).horizontalAdvance(pattern)
        return self._widths[pattern]

    def needed(self, matrix: Matrix) -> int:
        """The width of the widest number; figures have one width, so it is one of the longest, or one figure shorter.

        It is the same whatever the matrix shows, so that no column moves with a change or a gradient.
        """
        texts = matrix.widest
        longest, widths, most = max(map(len, texts)), self._widths, 0
        for pattern in {text.translate(FIGURES) for text in texts if len(text) >= longest - 1}:
            most = max(most, widths[pattern] if pattern in widths else self.across(pattern))
        return most + 2 * self.padding

    def least(self, matrix: Matrix) -> int:
        """The width in pixels that a column needs for its numbers."""
        return max(self.needed(matrix), self._px(LEAST_WIDTH * self._size))

    def measured(self, matrix: Matrix) -> tuple[int, int]:
        """The widths in pixels of a column, and of the row labels if they are shown."""
        if matrix is not self._of:
            rows, columns = len(matrix.rows), len(matrix.columns)
            label = QFontMetrics(self.bold_small).height() if self.upright else self._widest(matrix.columns) + 6
            most = ((FEW_LABEL if columns <= FEW else CUT_LABEL) if self._is_large else LONG_LABEL) * self._label_size
            most *= 1 + (columns == 1)  # a single column makes nothing else narrower
            beside = MOST_LABEL * self._times * (1 + (rows == 1))  # the label of a single row may be a sentence
            left = self._widest(matrix.rows)
            # In large text the heading says what a single row is.
            said = any(matrix.rows[:MEASURED]) and not (self._is_large and rows == 1 < columns)
            self._columns = max(self.least(matrix), min(label, self._px(most)))
            self._labels = min(left, self._px(beside)) + self._px(12 * self._times) if said else 0
            self._of = matrix
        return self._columns, self._labels

    def above(self, matrix: Matrix) -> int:
        """The height of the column labels in pixels."""
        if not any(matrix.columns[:MEASURED]):
            return 0
        if self.upright:
            return min(self._widest(matrix.columns), self._px(LONG_LABEL * self._label_size)) + 8
        return QFontMetrics(self.bold_small).height() + 4

    def _widest(self, labels: Sequence[str]) -> int:
        """The width of the longest label; of labels that differ only in their figures, one is measured."""
        metrics = QFontMetrics(self.bold_small)
        return max(map(metrics.horizontalAdvance, _patterns(tuple(labels[:MEASURED]))), default=0)


@lru_cache(maxsize=64)
def _patterns(labels: tuple[str, ...]) -> frozenset[str]:
    """The labels with one figure for all figures; kept, since they are measured in many sizes."""
    return frozenset(label.translate(FIGURES) for label in labels)


ABOVE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
UPWARDS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
BESIDE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Labels(QHeaderView):
    """Row or column labels, painted plainly; the token that is looked at stands out."""

    def __init__(self, orientation: Qt.Orientation, view: MatrixView) -> None:
        super().__init__(orientation, view)
        self._view = view
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(8)
        self.setSectionsClickable(True)  # a click selects the row or column
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        """The size that the view has set; Qt would ask for two hundred labels again and again while a page is built."""
        return self.minimumSize()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible labels here: Qt would ask the style for each."""
        view, horizontal = self._view, self.orientation() == Qt.Orientation.Horizontal
        if not (horizontal or view.form.labelled):
            return  # only the room is needed: a matrix above has the labels
        theme, px = view.bench.appearance.theme, view.px
        labels = view.matrix.columns if horizontal else view.matrix.rows
        area = event.rect()
        first, last = (
            self.visualIndexAt(at)
            for at in ((area.left(), area.right()) if horizontal else (area.top(), area.bottom()))
        )
        first, last = max(first, 0), last if last >= 0 else len(labels) - 1
        size, thick = self.defaultSectionSize(), px(3)
        painter = QPainter(self.viewport())
        metrics = QFontMetrics(view.letters.bold_small)
        painter.setFont(view.letters.small)
        painter.setPen(qcolor(theme.muted))
        for section in range(first, last + 1):
            at = self.sectionViewportPosition(section)
            if horizontal:
                rect, where = QRect(at, 0, size, self.height() - 3), ABOVE
            else:
                rect, where = QRect(0, at, self.width() - px(8), size), BESIDE
            band = view.band(int(horizontal), section)
            if band is not None:
                color = qcolor(theme.series[band % len(theme.series)])
                if horizontal:
                    painter.fillRect(rect.left() + 1, rect.bottom() - 1, rect.width() - 2, thick, color)
                else:
                    painter.fillRect(rect.right() + thick, rect.top() + 1, thick, rect.height() - 2, color)
            upright = horizontal and view.letters.upright
            if upright:
                painter.save()
                painter.translate(at, self.height() - 4)
                painter.rotate(-90)
                rect, where = QRect(0, 0, self.height() - 4, size), UPWARDS
            text = metrics.elidedText(labels[section], Qt.TextElideMode.ElideRight, rect.width())
            if view.lit(int(horizontal), section):
                painter.setFont(view.letters.bold_small)
                painter.setPen(qcolor(theme.here_text))
                painter.drawText(rect, where, text)
                painter.setFont(view.letters.small)
                painter.setPen(qcolor(theme.muted))
            else:
                painter.drawText(rect, where, text)
            if upright:
                painter.restore()
        painter.end()

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the full text of a cut label below the matrix, not over its numbers."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            section = self.logicalIndexAt(event.pos())
            labels = (
                self._view.matrix.columns if self.orientation() == Qt.Orientation.Horizontal else self._view.matrix.rows
            )
            if 0 <= section < len(labels) and self._is_cut(section, labels[section]):
                port = self._view.viewport()
                QToolTip.showText(port.mapToGlobal(QPoint(0, port.height() - 12)), as_tip(labels[section]), port)
            return True
        return bool(super().viewportEvent(event))

    def _is_cut(self, section: int, label: str) -> bool:
        """Whether a label is cut off."""
        if self.orientation() == Qt.Orientation.Vertical:
            room = self.width() - self._view.px(8)
        else:
            room = self.height() - 4 if self._view.letters.upright else self.sectionSize(section)
        return QFontMetrics(self._view.letters.bold_small).horizontalAdvance(label) > room

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._view.point_at_label(self.orientation(), self.logicalIndexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._view.bench.selection.set_token(None)
