"""Which marks of a drawing with zoom lie in sight: the others need not be painted."""

import numpy as np
from PySide6.QtCore import QRectF

from explorer.core.ops import Array
from explorer.pages.drawing import Band, Bars, Box, Drawing, FlowLine, Image, Mark, Segments, Words
from explorer.ui.drawing.pixels import Pixels

AROUND = 20.0
"""Numbers of the window that a mark may reach beyond its place: sheets behind a box, the head of a way, a disc."""
WIDEST = 20.0
"""Pixels that a letter may be wide."""


class Sight:
    """Where the marks of a drawing are."""

    def __init__(self, drawing: Drawing) -> None:
        self._places = np.array([_extent(mark) for mark in drawing.marks], dtype=float).reshape(-1, 4)
        self._words = np.array([len(m.text) * WIDEST if isinstance(m, Words) else 0.0 for m in drawing.marks])

    def numbers(self, pixels: Pixels, bounds: QRectF) -> list[int]:
        """The marks in sight, the lower before the higher."""
        left, right = (pixels.across * self._places[:, k] + pixels.left for k in (0, 1))
        top, bottom = (pixels.up * self._places[:, k] + pixels.top for k in (2, 3))
        wide, high = self._words, np.where(self._words > 0, WIDEST, 0.0)
        seen = (right + wide >= bounds.left()) & (left - wide <= bounds.right())
        seen &= (np.maximum(top, bottom) + high >= bounds.top()) & (np.minimum(top, bottom) - high <= bounds.bottom())
        found: list[int] = np.flatnonzero(seen).tolist()
        return found


def _extent(mark: Mark) -> tuple[float, float, float, float]:
    """Left, right, top and bottom; of what is always in sight, all of the plane."""
    match mark:
        case Box(place=place) | Bars(place=place) | Image(place=place) | Band(place=place):
            left, top, wide, high = place
            return left - AROUND, left + wide + AROUND, top - AROUND, top + high + AROUND
        case FlowLine(points=points) if points:
            return _around(np.array(points))
        case Segments(ends=ends) if len(ends):
            return _around(ends.reshape(-1, 2))
        case Words(token=None):
            return mark.x, mark.x, mark.y, mark.y
    return -np.inf, np.inf, -np.inf, np.inf  # of words of a sentence it depends on the others which are written


def _around(points: Array) -> tuple[float, float, float, float]:
    (left, top), (right, bottom) = points.min(0), points.max(0)
    return float(left) - AROUND, float(right) + AROUND, float(top) - AROUND, float(bottom) + AROUND
