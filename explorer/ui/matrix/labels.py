"""The labels of a matrix's rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QToolTip

from explorer.ui.theme import qcolor

if TYPE_CHECKING:
    from explorer.ui.matrix.view import MatrixView

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
        """The view fixes the size; Qt would ask for two hundred labels, again and again while a page is made."""
        return self.minimumSize()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the labels in sight, in place of Qt, which asks the style for each."""
        view, horizontal = self._view, self.orientation() == Qt.Orientation.Horizontal
        if not (horizontal or view.form.labelled):
            return  # the room alone is wanted: a matrix above has labels there
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
        """A label that is cut is said in full below the matrix, not over its numbers."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            section = self.logicalIndexAt(event.pos())
            labels = (
                self._view.matrix.columns if self.orientation() == Qt.Orientation.Horizontal else self._view.matrix.rows
            )
            if 0 <= section < len(labels) and self._is_cut(section, labels[section]):
                port = self._view.viewport()
                QToolTip.showText(port.mapToGlobal(QPoint(0, port.height() - 12)), labels[section], port)
            return True
        return bool(super().viewportEvent(event))

    def _is_cut(self, section: int, label: str) -> bool:
        """Whether some of a label is not in sight."""
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
