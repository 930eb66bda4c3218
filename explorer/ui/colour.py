"""Colours as Qt takes them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtGui import QColor

from explorer.export.colours import components, contrast, text_on


@lru_cache(maxsize=256)
def qcolor(value: str) -> QColor:
    """The `QColor` of ``"#rrggbb"``. Shared: copy before changing it."""
    return QColor(value)


def shares_of(array: NDArray[Any], low: float = 0.0) -> NDArray[Any]:
    """Numbers held between `low` and 1, for a ramp of colours; what is no number is 0."""
    shares = np.minimum(np.maximum(array, low), 1.0)
    shares[np.isnan(shares)] = 0.0
    return shares


class Ramp:
    """256 colours, with the colour of the writing on each: for an image's lookup table and for cells."""

    def __init__(self, rgb: NDArray[np.uint8], text: str, error_color: str) -> None:
        error = tuple(components(error_color))
        rows = np.vstack([rgb, np.array([error], dtype=np.uint8)])
        self._rgba = np.hstack([rows, np.full((len(rows), 1), 255, dtype=np.uint8)])
        self._rgba.setflags(write=False)
        self.table = self._rgba[:256]  # uint8, (256, 4), read-only: for ``ImageItem.setLookupTable``
        # `colors`, `text`: the ground and the writing on it as `QColor`, 257 of each: the last is for NaN.
        self.colors = [QColor(*map(int, row)) for row in rows]
        # The theme's own ink where it is dark or light enough; in the middle of the scale black or white.
        self.text = [QColor(text if contrast(text, row) >= 4.5 else text_on(row)) for row in rows.tolist()]

    def index(self, values: ArrayLike, low: float, high: float) -> NDArray[np.intp]:
        """Where each value falls between `low` and `high`: 0 to 255, held at the ends, and 256 for NaN."""
        values = np.asarray(values, dtype=float)
        with np.errstate(invalid="ignore", over="ignore"):
            place = np.clip(np.rint((values - low) / (high - low) * 255), 0, 255)
        return np.where(np.isnan(values), 256, place).astype(np.intp)
