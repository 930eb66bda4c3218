"""Writing on the coloured squares of a picture: numbers, as large as fits, or a dash for a number below 0."""

from math import ceil, floor

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from explorer.core.numbers import decimals_of, in_table
from explorer.core.ops import Array
from explorer.ui.theme import Ramp, Theme, qcolor

LEAST, MANY = 4, 4096
"""The least side, in pixels, of a square with a dash; the most squares that get dashes."""
INK = 0.6
"""The opacity of a dash."""
SMALLEST, LARGEST, PART = 9, 19, 0.5
"""The least and the greatest height of a number's letters, in pixels, and their share of a square's height."""
BESIDE, MOST = 5.0, 3000
"""Pixels left free beside a number; the most visible squares whose numbers are written."""
NEARLY = "≈ 0"
"""A number that would be written as 0, in a square, which has no room for 5×10⁻⁷."""


def letters_for(font: QFont, array: Array, across: float, down: float, scale: float = 1.0) -> QFont | None:
    """The font for the numbers of an array, which grows with the squares that they stand in.

    None if the longest number does not fit into a square.

    Parameters
    ----------
    across, down : float
        Pixels of a square.
    scale : float
        Of the text around the picture: numbers that would be too small beside that text are not written.
    """
    smallest = round(SMALLEST * max(scale, 1.0))
    if across < 2 * smallest or down < smallest + BESIDE:
        return None
    decimals = decimals_of(array)
    least = 0.5 * 10.0**-decimals
    numbers = [NEARLY if 0 < abs(one) < least else in_table(one, decimals) for one in map(float, array.flat)]
    longest = max(numbers, key=len)
    letters = QFont(font)
    letters.setPixelSize(int(min(max(PART * down, smallest), LARGEST * max(scale, 1.0))))
    wide = QFontMetricsF(letters).horizontalAdvance(longest)
    if wide + BESIDE > across:
        letters.setPixelSize(max(int(letters.pixelSize() * (across - BESIDE) / wide), 1))
    return letters if letters.pixelSize() >= smallest else None


def paint_numbers(
    painter: QPainter,
    font: QFont,
    array: Array,
    shown: Array,
    ends: tuple[float, float],
    ramp: Ramp,
    rect: QRectF,
    scale: float = 1.0,
) -> bool:
    """Write the number of each visible square, if all of them fit; returns whether they were written.

    Parameters
    ----------
    painter : QPainter
        In pixel coordinates.
    font : QFont
        Of the numbers; its size follows the squares.
    array : numpy.ndarray
        (rows, columns): the numbers.
    shown, ends, ramp : numpy.ndarray, (float, float), Ramp
        (rows, columns): the numbers as they are coloured; the ends of the colour map; and the map, which has a readable
        ink for each colour.
    rect : QRectF
        Where the picture is.
    scale : float
        Of the text around the picture: numbers that would be too small beside that text are not written.
    """
    rows, columns = array.shape
    if not array.size:
        return False
    across, down = rect.width() / columns, rect.height() / rows
    seen = QRectF(painter.window()) & rect
    if seen.isEmpty():
        return False
    first, last = floor((seen.top() - rect.top()) / down), min(ceil((seen.bottom() - rect.top()) / down), rows)
    left, right = floor((seen.left() - rect.left()) / across), min(ceil((seen.right() - rect.left()) / across), columns)
    if (last - first) * (right - left) > MOST:
        return False
    part = array[first:last, left:right]
    letters = letters_for(font, part, across, down, scale)
    if letters is None:
        return False
    decimals = decimals_of(array)
    least = 0.5 * 10.0**-decimals
    texts = [
        [NEARLY if 0 < abs(one) < least else in_table(float(one), decimals) for one in row] for row in part.tolist()
    ]
    inks = ramp.index(shown[first:last, left:right], *ends)
    painter.setFont(letters)
    for i, row in enumerate(texts, first):
        for j, text in enumerate(row, left):
            painter.setPen(ramp.text[int(inks[i - first, j - left])])
            square = QRectF(rect.left() + j * across, rect.top() + i * down, across, down)
            painter.drawText(square, Qt.AlignmentFlag.AlignCenter, text)
    return True


def paint_signs(painter: QPainter, theme: Theme, array: Array, rect: QRectF) -> None:
    """Put a dash on each square of a picture whose number is below 0.

    Parameters
    ----------
    painter : QPainter
        In pixel coordinates.
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
    below = [places.tolist() for places in ((array < 0) & (array > -np.inf)).nonzero()]
    left, top = rect.left() + 0.5 * across, rect.top() + 0.5 * down
    middles = [(left + column * across, top + row * down) for row, column in zip(*below, strict=True)]
    ink = QColor(qcolor(theme.text))
    ink.setAlphaF(INK)
    painter.setPen(QPen(ink, 1.0))
    painter.drawLines([QLineF(x - half, y, x + half, y) for x, y in middles])
