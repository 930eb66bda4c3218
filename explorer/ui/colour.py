"""Colours as numbers: contrast, even ramps, and the perceptual maps that the themes bend to their surface."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtGui import QColor


@lru_cache(maxsize=256)
def qcolor(value: str) -> QColor:
    """The `QColor` of ``"#rrggbb"``. Shared: copy before changing it."""
    return QColor(value)


def luminance(color: str | Sequence[int]) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""
    r, g, b = _linear(color)
    return float(0.2126 * r + 0.7152 * g + 0.0722 * b)


def contrast(a: str | Sequence[int], b: str | Sequence[int]) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def text_on(rgb: str | Sequence[int]) -> str:
    """Black or white, whichever can be read better on `rgb`: 4.5 : 1 or more on any colour."""
    # The worst ground is the one where both are equally far, and there the ratio is sqrt(21) = 4.58.
    return "#000000" if contrast(rgb, "#000000") >= contrast(rgb, "#ffffff") else "#ffffff"


# Nine equidistant colours of CET-CBD1 and two of CET-CBL2 (its purest blue in the middle, and one on its dark side), by
# Peter Kovesi, CC BY 4.0, as pyqtgraph ships them; a test compares. Written out because importing pyqtgraph takes
# 0.4 s, which the first paint should not wait for.
CBD1 = ("#3a90fe", "#7ca6fc", "#a8bef9", "#cdd6f5", "#ededec", "#e2d6b9", "#d1bd84", "#bda64f", "#a89008")
CBL2_BLUE, CBL2_DEEP = "#017ae4", "#10396b"
CALM = 0.85
"""Part of the maps' chroma that is kept: on a quiet page the pure colours are louder than the accent."""


class Ramp:
    """256 colours, with the colour of the writing on each: for an image's lookup table and for cells."""

    def __init__(self, rgb: NDArray[np.uint8], text: str, error_color: str) -> None:
        error = tuple(_bytes(error_color))
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


def _bytes(color: str | Sequence[int]) -> list[int]:
    if isinstance(color, str):
        return [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return [int(c) for c in color[:3]]


def _linear(color: str | Sequence[int]) -> NDArray[np.float64]:
    c = np.array(_bytes(color)) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


# OKLab (Björn Ottosson, 2020): equal distances in it look equal, so a straight line in it is an even ramp.
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklab(color: str) -> NDArray[np.float64]:
    """A colour where equal distances look equal: lightness, green to red, blue to yellow."""
    return _LAB @ np.cbrt(_LMS @ _linear(color))


def srgb(lab: NDArray[np.float64]) -> NDArray[np.uint8]:
    """From OKLab, (n, 3), to red, green and blue."""
    linear = np.clip((np.linalg.solve(_LMS, np.linalg.solve(_LAB, lab.T) ** 3)).T, 0, 1)
    srgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(srgb * 255).astype(np.uint8)
