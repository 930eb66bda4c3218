"""The labels of a matrix's rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView

from explorer.ui.colour import qcolor

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView


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
        """The view fixes the size; Qt would ask for two hundred labels, again and again while a page is made."""
        return self.minimumSize()

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        view = self._view
        appearance = view.bench.appearance
        horizontal = self.orientation() == Qt.Orientation.Horizontal
        here = view.lit(0 if not horizontal else 1, section)
        font = appearance.fonts.small
        painter.save()
        painter.setFont(view.bold_small if here else font)
        painter.setPen(qcolor(appearance.theme.here_text if here else appearance.theme.muted))
        text = (view.matrix.columns if horizontal else view.matrix.rows)[section]
        if horizontal:
            where = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
            rect = rect.adjusted(0, 0, 0, -3)
        else:
            where = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            rect = rect.adjusted(0, 0, -appearance.px(8), 0)
        band = view.band(0 if not horizontal else 1, section)
        if band is not None:
            color = qcolor(appearance.theme.series[band % len(appearance.theme.series)])
            thick = appearance.px(3)
            if horizontal:
                painter.fillRect(rect.left() + 1, rect.bottom() - 1, rect.width() - 2, thick, color)
            else:
                painter.fillRect(rect.right() + appearance.px(3), rect.top() + 1, thick, rect.height() - 2, color)
        metrics = painter.fontMetrics()
        painter.drawText(rect, where, metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width()))
        painter.restore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._view.point_at_label(self.orientation(), self.logicalIndexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._view.bench.selection.set_token(None)
