"""Where the words of a map stand: beside their points, and not on each other."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

RINGS = (7.0, 20.0, 34.0)
"""Pixels between a point and its word: the first that has room. Beyond the first ring, a line leads to the point."""
_ALONG = (0.4, 0.65, 0.9)
"""Places on such a line that are looked at."""
_SLANT = 0.7
_WAYS = np.array([(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)], float)
_REACH = np.where(np.abs(_WAYS).sum(1) > 1, _SLANT, 1.0)[:, None] * _WAYS


class LabelPlacement:
    """Rectangles of a picture that are taken.

    Parameters
    ----------
    view : QRectF
        The picture; a word is to lie inside.
    spots : sequence of QPointF
        Points that are to stay free, with `around` pixels on each side.
    words : int
        How many will be placed at most.
    """

    def __init__(self, view: QRectF, spots: Sequence[QPointF], around: float, words: int) -> None:
        self._low, self._high = np.array([view.left(), view.top()]), np.array([view.right(), view.bottom()])
        self._n = len(spots)
        # Left, top, right and bottom, a column for each.
        self._taken = np.empty((4, self._n + words * (1 + len(_ALONG))))
        centres = np.array([(spot.x(), spot.y()) for spot in spots], float).reshape(-1, 2).T
        self._taken[:2, : self._n], self._taken[2:, : self._n] = centres - around, centres + around

    def take(self, spot: QPointF, place: QRectF) -> None:
        """Let nothing else stand where a word does, nor on the line to its point."""
        self._add(place.left(), place.top(), place.right(), place.bottom())
        if (end := lead(spot, place)) is not None:
            for along in _ALONG:
                on = spot + (end - spot) * along
                self._add(on.x(), on.y(), on.x(), on.y())

    def _add(self, *sides: float) -> None:
        self._taken[:, self._n] = sides
        self._n += 1

    def freest(self, spot: QPointF, wide: float, high: float) -> tuple[QRectF, int]:
        """The nearest place for a word where nothing is in its way, else one with the least; and how much that is."""
        size, at = np.array([wide, high]), np.array([spot.x(), spot.y()])
        best, fewest = QRectF(), 10 * self._n
        for ring in RINGS:
            # The middle of the word is as far from the point as half of its size and the ring.
            first = at + _WAYS * (size / 2) + _REACH * ring - size / 2
            last = first + size
            clashes = self._meets(first, last)
            clashes += ((first < self._low) | (last > self._high)).any(1)
            if ring > RINGS[0]:
                end = np.clip(at, first, last)
                for along in _ALONG:
                    on = at + (end - at) * along
                    clashes += self._meets(on, on)
            i = int(clashes.argmin())
            if clashes[i] < fewest:
                best, fewest = QRectF(first[i, 0], first[i, 1], wide, high), int(clashes[i])
            if not fewest:
                break
        return best, fewest

    def _meets(self, first: NDArray[np.float64], last: NDArray[np.float64]) -> NDArray[np.int_]:
        """How many taken places each of some rectangles overlaps, (n,)."""
        left, top, right, bottom = self._taken[:, : self._n]
        x, y, x_end, y_end = first[:, :1], first[:, 1:], last[:, :1], last[:, 1:]
        return np.asarray(((x < right) & (x_end > left) & (y < bottom) & (y_end > top)).sum(1))


def lead(spot: QPointF, place: QRectF) -> QPointF | None:
    """Where a line from a point to its word ends; None where the word stands beside the point."""
    x = min(max(spot.x(), place.left()), place.right())
    y = min(max(spot.y(), place.top()), place.bottom())
    far = max(abs(x - spot.x()), abs(y - spot.y()))
    return QPointF(x, y) if far > RINGS[0] + 1 else None
