"""Paints the images of a drawing with zoom: coloured squares, with their numbers where these can be read."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter, QPen

from explorer.core.frozen import Frozen
from explorer.core.numbers import FINEST, strongest_in
from explorer.core.ops import Array
from explorer.pages.drawing import Box, Drawing, Image
from explorer.pages.matrix import SHARES
from explorer.ui.drawing.strokes import Pixels
from explorer.ui.theme import MASKED, NO_NUMBER, Ramp, Theme, letters_for, paint_numbers, paint_signs, qcolor
from explorer.ui.workbench import Workbench

TIGHT = 9.0
"""Squares with a lower side, in pixels, have no room for numbers."""
FEW = 12
"""The most rows and columns of a small matrix."""


def ramp_of(theme: Theme, image: Image) -> Ramp:
    """The colour map of an image."""
    return theme.sequential_ramp if image.colours == SHARES else theme.diverging_ramp


def steps_of(image: Image, ramp: Ramp, numbers: Array) -> Array:
    """The step of each number of an image on its colour map; NaN has that of 0, or of the lowest share.

    Numbers are first divided by the size of the range, because the difference of its ends may overflow float64.
    """
    low = image.low if image.colours == SHARES else -image.high
    size = max(abs(low), abs(image.high)) or 1.0
    steps = ramp.index(numbers / size, low / size, image.high / size)
    steps[steps == NO_NUMBER] = _zero(image)
    steps[numbers == -np.inf] = MASKED
    return steps


def _looks_alike(before: Image, image: Image) -> bool:
    """Whether two images have the same colours, at any places: an image that only moves is not coloured again."""
    if before is image:
        return True
    if (before.high, before.low, before.colours, before.smooth) != (image.high, image.low, image.colours, image.smooth):
        return False
    return before.array is image.array or np.array_equal(squares_of(before), squares_of(image), equal_nan=True)


def squares_of(image: Image) -> Array:
    """The numbers that an image is coloured from, at most `FINEST`²; comparing two large tables takes half a second."""
    return image.array if image.array.size <= FINEST * FINEST else strongest_in(image.array, FINEST)


class _Coloured(Frozen, eq=False):
    """An image as it was last painted."""

    image: Image
    ramp: Ramp
    colours: Array  # the step of each number on the ramp, counted from `_zero`
    most: tuple[int, int]  # rows and columns that there were pixels for
    painted: QImage


class Images:
    """Paints images, each coloured again only where it looks different."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._kept: dict[int, _Coloured] = {}
        """The images as last painted, by the numbers of their marks."""
        self._few: Sequence[Image] = ()
        self._figures: QFont | None = None
        """The font of the numbers of all small matrices; None if those of one do not fit."""

    def tell(self, drawing: Drawing) -> None:
        """Store the small matrices of another drawing, if it has boxes with formulas."""
        self._kept = {number: kept for number, kept in self._kept.items() if number < len(drawing.marks)}
        boxed = any(isinstance(mark, Box) and mark.formula is not None for mark in drawing.marks)
        images = (mark for mark in drawing.marks if isinstance(mark, Image)) if boxed else ()
        self._few = [image for image in images if max(image.array.shape) <= FEW]

    def agree(self, pixels: Pixels) -> None:
        """Let all small matrices show their numbers in one size, or none: one follows numbers from box to box."""
        fonts = [self._letters(one, pixels.rect(*one.place)) for one in self._few]
        found = [font for font in fonts if font is not None]
        self._figures = min(found, key=QFont.pixelSize, default=None) if len(found) == len(fonts) else None

    def _letters(self, image: Image, rect: QRectF) -> QFont | None:
        """The font for the numbers of an image; None if they do not fit."""
        (rows, columns), appearance = image.array.shape, self._bench.appearance
        size = rect.width() / max(columns, 1), rect.height() / max(rows, 1)
        if image.smooth or not image.array.size or min(size) < TIGHT:
            return None
        return letters_for(appearance.fonts.number, image.array, *size, appearance.scale)

    def paint(self, painter: QPainter, number: int, image: Image, rect: QRectF) -> None:
        """Paint the image that is mark `number`; it is coloured again only if its numbers or the theme have changed.

        A pixel that several numbers share shows the strongest: a mean of their colours would be grey.
        """
        kept, ramp = self._kept.get(number), ramp_of(self._bench.appearance.theme, image)
        rows, columns = image.array.shape
        fine = painter.deviceTransform().m11()  # pixels of the screen for each pixel of the window
        across, down = max(round(rect.width() * fine), 1), max(round(rect.height() * fine), 1)
        dense = (across < columns or down < rows) and not image.smooth
        most = (down, across) if dense else (FINEST, FINEST)
        alike = kept is not None and kept.ramp is ramp and _looks_alike(kept.image, image)
        colours = kept.colours if kept and alike else _strengths(image, ramp)
        if kept and alike and kept.most == most:
            painted = kept.painted
        else:
            painted = ramp.image(strongest_in(colours, *most) + _zero(image))
            if dense:  # scaled once and not at each paint
                painted = painted.scaled(across, down)
        # If both look alike, keep the newer one, because the next paint compares with the identical object.
        self._kept[number] = _Coloured(image, ramp, colours, most, painted)
        hints = QPainter.RenderHint
        painter.setRenderHint(hints.SmoothPixmapTransform, image.smooth)
        # Antialiasing would take ten times as long, and change only the edges, which a line covers.
        painter.setRenderHint(hints.Antialiasing, False)
        painter.drawImage(rect, painted)
        painter.setRenderHint(hints.Antialiasing)
        if not self._numbers(painter, image, rect):
            self.signs(painter, image, rect)
        painter.setPen(QPen(qcolor(self._bench.appearance.theme.line_strong), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)

    def _numbers(self, painter: QPainter, image: Image, rect: QRectF) -> bool:
        """Write the numbers of an image if its squares have room for them; returns whether they were written."""
        rows, columns = image.array.shape
        if image.smooth or min(rect.width() / columns, rect.height() / rows) < TIGHT:
            return False
        if max(rows, columns) <= FEW and self._few and self._figures is None:
            return False
        appearance = self._bench.appearance
        ramp = ramp_of(appearance.theme, image)
        steps = steps_of(image, ramp, image.array)
        letters = self._figures if any(one is image for one in self._few) else None
        font, scale = appearance.fonts.number, appearance.scale
        return paint_numbers(painter, font, image.array, steps, ramp, rect, scale, letters)

    def signs(self, painter: QPainter, image: Image, rect: QRectF) -> None:
        """Mark the numbers of an image that are below 0."""
        if image.colours != SHARES and not image.smooth:
            paint_signs(painter, self._bench.appearance.theme, image.array, rect)


def _strengths(image: Image, ramp: Ramp) -> Array:
    """How many steps from its zero each number of an image is on the ramp."""
    return (steps_of(image, ramp, squares_of(image)) - _zero(image)).astype(np.int16)


def _zero(image: Image) -> int:
    """The step of a ramp from which the strength of a colour is counted."""
    return 0 if image.colours == SHARES else 128
