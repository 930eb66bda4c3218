"""The pixels of a picture as an array: to ask Qt for them one by one takes most of a second for a page."""

import numpy as np
from PySide6.QtGui import QImage


def pixels(image):
    """The pixels of a `QImage` as 0xAARRGGBB, (height, width)."""
    image = image.convertToFormat(QImage.Format.Format_ARGB32)
    lines = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return lines[:, : image.width()].copy()


def colours(pixels):
    """How many pixels have each colour, by its name without how much it covers."""
    found, counts = np.unique(pixels & 0xFFFFFF, return_counts=True)
    return {f"#{colour:06x}": int(count) for colour, count in zip(found, counts, strict=True)}
