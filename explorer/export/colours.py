"""Colours as numbers: contrast, and perceptually even colour maps that begin with the colour of the ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


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
    # The worst ground has equal contrast with black and white, and there the ratio is sqrt(21) = 4.58.
    return "#000000" if contrast(rgb, "#000000") >= contrast(rgb, "#ffffff") else "#ffffff"


# Nine equidistant colours of CET-CBD1 and two of CET-CBL2 (its purest blue in the middle, and one on its dark side), by
# Peter Kovesi, CC BY 4.0, as pyqtgraph ships them; a test compares. They are written out because importing pyqtgraph
# takes 0.4 s, and the first paint should not wait for that.
CBD1 = ("#3a90fe", "#7ca6fc", "#a8bef9", "#cdd6f5", "#ededec", "#e2d6b9", "#d1bd84", "#bda64f", "#a89008")
CBL2_BLUE, CBL2_DEEP = "#017ae4", "#10396b"
CALM = 0.85
"""The part of the maps' chroma that is kept: pure colours would be louder than the accent on a quiet page."""


def components(color: str | Sequence[int]) -> list[int]:
    """Red, green and blue, 0 to 255, from ``"#rrggbb"`` or from a row of an array."""
    if isinstance(color, str):
        return [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return [int(c) for c in color[:3]]


def _linear(color: str | Sequence[int]) -> NDArray[np.float64]:
    c = np.array(components(color)) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


# OKLab (Björn Ottosson, 2020): equal distances in it look equal, so a straight line in it gives even steps.
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
    """A colour in OKLab, where equal distances look equal: lightness, green to red, blue to yellow."""
    return _LAB @ np.cbrt(_LMS @ _linear(color))


def srgb(lab: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Colours in OKLab, (n, 3), as red, green and blue, (n, 3)."""
    linear = np.clip((np.linalg.solve(_LMS, np.linalg.solve(_LAB, lab.T) ** 3)).T, 0, 1)
    srgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(srgb * 255).astype(np.uint8)


def diverging(surface: str) -> NDArray[np.uint8]:
    """256 colours for signed values, (256, 3): the two arms of CET-CBD1, with the surface in the middle."""
    arm = np.array([oklab(c) for c in CBD1])
    t = np.linspace(-1.0, 1.0, 256)
    reach = np.abs(t)[:, None]
    ground = oklab(surface)
    neutral = arm[len(arm) // 2]
    # CBD1 has nearly constant lightness and fades into grey. Here the middle must be the colour of the page, so the
    # lightness changes linearly from the surface to the ends of the arms; hue and chroma come from the map.
    lab = np.stack([np.interp(t, np.linspace(-1.0, 1.0, len(arm)), arm[:, k]) for k in range(3)], axis=1)
    lab[:, 1:] += (1 - reach) * (ground - neutral)[1:]
    lab[:, 0] = ground[0] + np.abs(t) * (arm[0, 0] - ground[0])
    lab[:, 1:] *= CALM
    return srgb(lab)


def sequential(surface: str, dark: bool = False) -> NDArray[np.uint8]:
    """256 colours for shares of 1, (256, 3): the blue arm of CET-CBL2, from the surface to deep blue.

    `dark`: whether the surface is dark; then the map ends in bright blue.
    """
    ground, blue = oklab(surface), oklab(CBL2_BLUE)
    end = blue + 0.45 * (oklab("#ffffff") - blue) if dark else oklab(CBL2_DEEP)
    # The map passes through the purest blue of the arm, so that its middle is saturated. That blue is placed where it
    # lies on the straight line of lightness, so that equal steps of probability look equal.
    knee = (blue[0] - ground[0]) / (end[0] - ground[0])
    stops = np.stack([ground, blue, end])
    stops[1:, 1:] *= CALM
    p = np.linspace(0.0, 1.0, 256)
    return srgb(np.stack([np.interp(p, [0.0, knee, 1.0], stops[:, k]) for k in range(3)], axis=1))
