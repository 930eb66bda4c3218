"""What shows the sign of a number on a coloured square where no number stands: not the colour alone."""

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from explorer.core.ops import Array
from explorer.ui.colour import qcolor
from explorer.ui.theme import Theme

LEAST, MANY = 4, 4096
"""Pixels of a square that a dash fits into; squares that are too many to be looked at one by one."""
INK = 0.6
"""How much of the ink of words a dash has."""


def paint_signs(painter: QPainter, theme: Theme, array: Array, rect: QRectF) -> None:
    """Put a dash on each square of a picture whose number is below 0.

    Parameters
    ----------
    painter : QPainter
        In pixels.
    array : numpy.ndarray
        (rows, columns).
    rect : QRectF
        Where the picture is.
    """
    rows, columns = array.shape
    if not 0 < array.size <= MANY or min(rect.width() / columns, rect.height() / rows) < LEAST:
        return
    across, down = rect.width() / columns, rect.height() / rows
    half = max(min(across, down) / 4, 1.0)
    with np.errstate(invalid="ignore"):
        below = np.argwhere((array < 0) & np.isfinite(array)).tolist()
    middles = ((rect.left() + (column + 0.5) * across, rect.top() + (row + 0.5) * down) for row, column in below)
    ink = QColor(qcolor(theme.text))
    ink.setAlphaF(INK)
    painter.setPen(QPen(ink, 1.0))
    painter.drawLines([QLineF(x - half, y, x + half, y) for x, y in middles])
