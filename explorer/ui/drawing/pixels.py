"""From the numbers of a drawing to pixels."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTransform

from explorer.core.ops import Array

FAR = 1e6
"""Pixels: what lies farther off is drawn there."""


class Pixels:
    """Where the numbers of a drawing are painted.

    `transform`: from the numbers to pixels, without turning or shearing.
    """

    def __init__(self, transform: QTransform) -> None:
        self.key = transform.m11(), transform.m22(), transform.dx(), transform.dy()
        self.across, self.up, self.left, self.top = self.key

    def xy(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Many points."""
        with np.errstate(all="ignore"):
            across = np.clip(x * self.across + self.left, -FAR, FAR)
            return across, np.clip(y * self.up + self.top, -FAR, FAR)

    def point(self, x: float, y: float) -> QPointF:
        """One point."""
        across, up = x * self.across + self.left, y * self.up + self.top
        return QPointF(min(max(across, -FAR), FAR), min(max(up, -FAR), FAR))

    def rect(self, left: float, bottom: float, width: float, height: float) -> QRectF:
        """A rectangle."""
        return QRectF(self.point(left, bottom), self.point(left + width, bottom + height)).normalized()
