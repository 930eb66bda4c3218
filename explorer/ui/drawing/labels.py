"""Where words stand in a picture: none on another or on a dot, and on a line only where it cannot be helped."""

from collections.abc import Iterable, Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from explorer.core.ops import Array


class Room:
    """The room for words in a picture, all in pixels.

    Parameters
    ----------
    bounds : QRectF
        Words stay within.
    dots : numpy.ndarray
        (n, 2): middles of the dots that words keep clear of.
    radius : float
        Of the dots.
    lines : numpy.ndarray
        (n, 2): points along the lines that words had better keep clear of.
    """

    def __init__(self, bounds: QRectF, dots: Array, radius: float, lines: Array) -> None:
        self._bounds = bounds
        self._taken = np.hstack([dots - radius, dots + radius])
        near = (
            (lines[:, 0] >= bounds.left())
            & (lines[:, 0] <= bounds.right())
            & (lines[:, 1] >= bounds.top())
            & (lines[:, 1] <= bounds.bottom())
        )
        self._lines = lines[near]

    def take(self, rect: QRectF) -> None:
        """Let nothing else stand here."""
        box = [[rect.left(), rect.top(), rect.right(), rect.bottom()]]
        self._taken = np.vstack([self._taken, box])

    def find(self, wanted: Iterable[QRectF]) -> QRectF | None:
        """Take the first of the wanted places that is free, or the one that lines cross least; None where none is."""
        best, fewest = None, np.inf
        for rect in wanted:
            if not self._bounds.contains(rect) or self._is_taken(rect):
                continue
            crossed = self._crossed(rect)
            if crossed < fewest:
                best, fewest = rect, crossed
            if not crossed:
                break
        if best is not None:
            self.take(best)
        return best

    def _is_taken(self, rect: QRectF) -> bool:
        taken = self._taken
        return bool(
            (
                (taken[:, 0] < rect.right())
                & (taken[:, 2] > rect.left())
                & (taken[:, 1] < rect.bottom())
                & (taken[:, 3] > rect.top())
            ).any()
        )

    def _crossed(self, rect: QRectF) -> int:
        x, y = self._lines.T
        return int(((x > rect.left()) & (x < rect.right()) & (y > rect.top()) & (y < rect.bottom())).sum())

    def within(self, rect: QRectF) -> QRectF:
        """The place, moved so far that it does not reach beyond the picture."""
        bounds, moved = self._bounds, QRectF(rect)
        moved.moveLeft(max(min(rect.left(), bounds.right() - rect.width()), bounds.left()))
        moved.moveTop(max(min(rect.top(), bounds.bottom() - rect.height()), bounds.top()))
        return moved


def around(at: QPointF, width: float, height: float, gap: float) -> list[QRectF]:
    """Places beside a dot: right, left, above, below, and off its corners."""
    x, y, near = at.x(), at.y(), 0.7 * gap
    corners = (
        (x + gap, y - height / 2),
        (x - gap - width, y - height / 2),
        (x - width / 2, y - gap - height),
        (x - width / 2, y + gap),
        (x + near, y + near),
        (x - near - width, y + near),
        (x + near, y - near - height),
        (x - near - width, y - near - height),
    )
    return [QRectF(left, top, width, height) for left, top in corners]


def along(at: QPointF, way: QPointF, width: float, height: float, gap: float) -> QRectF:
    """The place whose edge lies so many pixels from a point in a direction, which is one pixel long."""
    reach = abs(way.x()) * width / 2 + abs(way.y()) * height / 2
    middle = at + way * (gap + reach)
    return QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)


def stacked(rect: QRectF, most: int) -> list[QRectF]:
    """A place, those above it, and those below it."""
    steps = range(1, most + 1)
    return [rect.translated(0, k * rect.height()) for k in (0, *(-k for k in steps), *steps)]


def together(spots: Sequence[QPointF], near: float) -> list[list[int]]:
    """Which of some points lie on each other: groups of their numbers."""
    found: list[tuple[QPointF, list[int]]] = []
    for i, spot in enumerate(spots):
        for first, members in found:
            if (first - spot).manhattanLength() < near:
                members.append(i)
                break
        else:
            found.append((spot, [i]))
    return [members for _, members in found]
