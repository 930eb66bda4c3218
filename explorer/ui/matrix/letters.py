"""The letters of a matrix in one size, and how much room numbers and labels in them take."""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetrics

from explorer.pages.matrix import Matrix
from explorer.ui.appearance import Appearance
from explorer.ui.widgets.labels import FIGURES

SIZES = 1.0, 0.9, 0.8
"""How large the letters of a matrix are, of their usual size: where an equation is too long for its line, smaller. With
the last one the figures are 10.6 pixels high at text scale 1: smaller ones nobody reads.
"""
LEAST_LABEL = 0.9
"""The same of labels at least, which are small already."""
CELL_HEIGHT, CELL_PADDING, LEAST_WIDTH, MOST_LABEL, CUT_LABEL = 26, 5, 40, 130, 60
"""Pixels at text scale 1; the last one: of a long label above a column, where a class would see fewer columns."""
LOW_CELL, CLOSE = 16, 3
"""Pixels at text scale 1 that a row is high, and the padding, where numbers stand close."""
LONG_LABEL, FEW_LABEL = 84, 110
"""Pixels at text scale 1 of a label above a column; and where a class sees all of few columns."""
FEW = 8  # columns of which a class sees all of long labels
MEASURED = 400  # labels that the room for all is taken from


class Letters:
    """The letters in one size.

    Parameters
    ----------
    size : float
        One of `SIZES`.
    times : float
        How many times larger than others on its page.
    upright : bool
        Whether the labels of the columns are read upwards, so that a long one makes no column wider.
    """

    def __init__(self, look: Appearance, size: float, times: float, upright: bool = False) -> None:
        self.upright = upright
        self._px, self._is_large, self._size = look.px, look.close, size * times
        self._label_size = max(size, LEAST_LABEL) * times
        self.number, self.small = QFont(look.fonts.number), QFont(look.fonts.small)
        for font, least in ((self.number, 0.0), (self.small, LEAST_LABEL)):
            font.setPointSizeF(font.pointSizeF() * max(size, least) * times)
        self.bold, self.bold_small = QFont(self.number), QFont(self.small)
        for font in (self.bold, self.bold_small):
            font.setBold(True)
        close = CLOSE - 1 if upright and size < 1 else CLOSE  # there each pixel counts
        self.padding = look.px((close if self._is_large or size < 1 else CELL_PADDING) * times)
        self.row = look.px((LOW_CELL if self._is_large else CELL_HEIGHT) * self._size)
        """Pixels that a row is high at least."""
        self._times = times
        self._widths: dict[str, int] = {}
        self._of: Matrix | None = None
        self._columns = self._labels = 0

    def across(self, text: str) -> int:
        """Pixels that a number takes: asked for again and again, while few numbers have signs at other places."""
        pattern = text.translate(FIGURES)
        if pattern not in self._widths:
            self._widths[pattern] = QFontMetrics(self.bold).horizontalAdvance(pattern)
        return self._widths[pattern]

    def needed(self, matrix: Matrix) -> int:
        """Pixels the widest number takes; figures are of one width, so it is one of the longest, or one shorter.

        It is the same whatever the matrix shows, so that with a change or a gradient no column moves.
        """
        texts = matrix.widest
        longest, widths, most = max(map(len, texts)), self._widths, 0
        for pattern in {text.translate(FIGURES) for text in texts if len(text) >= longest - 1}:
            most = max(most, widths[pattern] if pattern in widths else self.across(pattern))
        return most + 2 * self.padding

    def least(self, matrix: Matrix) -> int:
        """Pixels that a column takes for its numbers."""
        return max(self.needed(matrix), self._px(LEAST_WIDTH * self._size))

    def measured(self, matrix: Matrix) -> tuple[int, int]:
        """Pixels that a column takes, and the labels of the rows where they are shown."""
        if matrix is not self._of:
            rows, columns = len(matrix.rows), len(matrix.columns)
            label = QFontMetrics(self.bold_small).height() if self.upright else self._widest(matrix.columns) + 6
            most = ((FEW_LABEL if columns <= FEW else CUT_LABEL) if self._is_large else LONG_LABEL) * self._label_size
            most *= 1 + (columns == 1)  # a single one makes nothing else narrower
            beside = MOST_LABEL * self._times * (1 + (rows == 1))  # that of a single one may be a sentence
            left = self._widest(matrix.rows)
            # Of a single row the heading says it.
            said = any(matrix.rows[:MEASURED]) and not (self._is_large and rows == 1 < columns)
            self._columns = max(self.least(matrix), min(label, self._px(most)))
            self._labels = min(left, self._px(beside)) + self._px(12 * self._times) if said else 0
            self._of = matrix
        return self._columns, self._labels

    def above(self, matrix: Matrix) -> int:
        """Pixels that the labels of the columns take above them."""
        if not any(matrix.columns[:MEASURED]):
            return 0
        if self.upright:
            return min(self._widest(matrix.columns), self._px(LONG_LABEL * self._label_size)) + 8
        return QFontMetrics(self.bold_small).height() + 4

    def _widest(self, labels: Sequence[str]) -> int:
        """Pixels of the longest label; of those of which only the figures differ, one is measured."""
        metrics = QFontMetrics(self.bold_small)
        return max(map(metrics.horizontalAdvance, _patterns(tuple(labels[:MEASURED]))), default=0)


@lru_cache(maxsize=64)
def _patterns(labels: tuple[str, ...]) -> frozenset[str]:
    """The labels with one figure for all: they are asked for in letters of many sizes."""
    return frozenset(label.translate(FIGURES) for label in labels)
