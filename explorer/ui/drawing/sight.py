"""Which marks of a drawing with zoom lie in sight: the others need not be painted."""

from dataclasses import fields
from itertools import zip_longest
from math import isinf

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QRegion

from explorer.core.ops import Array
from explorer.pages.drawing import Band, Bars, Box, Drawing, FlowLine, Image, Mark, Segments, Words
from explorer.ui.drawing.pixels import Pixels

AROUND = 20.0
"""Numbers of the window that a mark may reach beyond its place: sheets behind a box, the head of a way, a disc."""
WIDEST = 20.0
"""Pixels that a letter may be wide."""
BESIDES = tuple(one.name for one in fields(Drawing) if one.name not in ("marks", "summary"))
"""What a drawing is besides its marks, and their words."""


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


def changed(before: Drawing, after: Drawing, pixels: Pixels) -> QRegion | None:
    """Where a drawing with zoom looks otherwise than before, in pixels; None where more differs than some marks."""
    if not after.zoom or any(getattr(before, name) != getattr(after, name) for name in BESIDES):
        return None
    marks = [
        mark
        for one, other in zip_longest(before.marks, after.marks)
        if one is not other and one != other
        for mark in (one, other)
        if mark is not None
    ]
    region = QRegion()
    for mark in marks:
        left, right, top, bottom = (mark.x, mark.x, mark.y, mark.y) if isinstance(mark, Words) else _extent(mark)
        if isinf(left):
            return None
        wide, high = (len(mark.text) * WIDEST, WIDEST) if isinstance(mark, Words) else (0.0, 0.0)
        place = pixels.rect(left, top, right - left, bottom - top)
        region += place.adjusted(-wide, -high, wide, high).toAlignedRect()
    return region


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
