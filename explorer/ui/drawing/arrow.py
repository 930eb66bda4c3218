"""Arrows, drawn alike everywhere."""

from math import hypot

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

SLIM = 0.45  # half of the head's width, as a part of its length


def draw_arrow(
    painter: QPainter,
    start: QPointF,
    tip: QPointF,
    color: QColor,
    width: float = 2,
    head: float = 9,
    shaft: Qt.PenStyle = Qt.PenStyle.SolidLine,
) -> QPointF:
    """Draw an arrow in pixels.

    Parameters
    ----------
    width, head : float
        Of the shaft, and length of the head.
    shaft : Qt.PenStyle
        Of the shaft; it may be left out.

    Returns
    -------
    QPointF
        The direction, one pixel long; (0, 0) for an arrow too short to have one.
    """
    way = tip - start
    length = hypot(way.x(), way.y())
    painter.setPen(QPen(color, width, shaft))
    painter.drawLine(start, tip)
    if length <= 1:
        return QPointF(0, 0)
    along = way / length
    across = QPointF(-along.y(), along.x()) * head * SLIM
    back = tip - along * head
    painter.setPen(QPen(color, 1))
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([tip, back + across, back - across]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    return along
