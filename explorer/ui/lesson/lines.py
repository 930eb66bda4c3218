"""How high matrices beside each other are in a width, reckoned before they get it."""

from collections.abc import Sequence

from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.lines import same_rows

LEAST_ROWS, FEW_ROWS, MOST_ROWS, LEAST_COLUMNS = 1, 5, 8, 3
"""Rows of a matrix in sight at least, as many as are rather all in sight, and at most of one with twice as many or
more; columns in sight at least."""
LEAST, LIKED, FULL = range(3)
"""How much of matrices is in sight: a row of each, all of those with few rows, or all that may be."""


class Lines:
    """Matrices in lines of a width, as a row of a page puts them.

    Parameters
    ----------
    across, down : int
        Pixels between two matrices, and between two lines.
    airy : int
        Pixels that a row is high where there is room.
    """

    def __init__(self, boxes: Sequence[MatrixBox], width: int, across: int, down: int, airy: int) -> None:
        self._width, self._down = width, down
        self._low = boxes[0].view.least_row if boxes else 0
        self._airy = max(airy, self._low)
        self.high = False
        """Whether the headings take two lines: where there are fewer lines of matrices then."""
        self.lines = _broken(boxes, width, across, False)
        if len(self.lines) > 1 and len(narrower := _broken(boxes, width, across, True)) < len(self.lines):
            self.lines, self.high = narrower, True

    def height(self, much: int) -> int:
        """Pixels that all of them are high, with so much of each: `LEAST`, `LIKED` or `FULL`."""
        return sum(self._heights(much)) + self._down * (len(self.lines) - 1)

    @property
    def airy(self) -> int:
        """Pixels that all of them are high where there is room for rows that are not low."""
        return self.height(FULL) + (self._airy - self._low) * self._rows

    def share(self, height: int) -> None:
        """Let as many rows be in sight as there is room for, of each at least a few; what is left makes rows higher."""
        if not self.lines:
            return
        spare = min(height, self.airy) - self.height(FULL)
        row = self._low + max(spare // self._rows, 0)
        heights = self._heights(LEAST)
        free = max(height - self.height(LEAST), 0)
        for much in (LIKED, FULL):
            wanted = [full - high for full, high in zip(self._heights(much), heights, strict=True)]
            for given, i in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
                more = min(wanted[i], free // (len(wanted) - given))
                free -= more
                heights[i] += more
        for line, high in zip(self.lines, heights, strict=True):
            for box in line:
                box.be_high(self._is_high(box))
                box.view.let_rows_be(row)
                box.be_at_most(high + (row - self._low) * rows_of(box, FULL))

    @property
    def _rows(self) -> int:
        """Rows of all lines of matrices, which stand below each other."""
        return sum(max(rows_of(box, FULL) for box in line) for line in self.lines)

    def say_all(self) -> None:
        """Let headings that are wider than the line take two lines."""
        boxes = [box for line in self.lines for box in line]
        for box in boxes:
            if self._is_high(box) or len(boxes) == 1:  # of more, the row they stand in says that they take one
                box.be_high(self._is_high(box))

    def _is_high(self, box: MatrixBox) -> bool:
        return self.high or box.heading_width(False) > self._width

    def _heights(self, much: int) -> list[int]:
        return [
            max(box.whole_size(rows_of(box, much), self._is_high(box)).height() for box in line) for line in self.lines
        ]


def width_of(box: MatrixBox) -> int:
    """Pixels that all columns of a matrix take."""
    return box.whole_size(0, False).width()


def least_width_of(box: MatrixBox) -> int:
    """Pixels that a few columns of a matrix take, with the labels of its rows, and its heading."""
    few = min(len(box.matrix.columns), LEAST_COLUMNS) * box.view.horizontalHeader().defaultSectionSize()
    return max(box.view.label_room + few, box.heading_width(True))


def rows_of(box: MatrixBox, much: int) -> int:
    """How many rows of a matrix are in sight: `LEAST`, `LIKED` or `FULL`."""
    rows = len(box.matrix.rows)
    if much == FULL or (much == LIKED and rows <= FEW_ROWS):
        return MOST_ROWS if rows > 2 * MOST_ROWS else rows
    return min(rows, LEAST_ROWS)


def _broken(boxes: Sequence[MatrixBox], width: int, gap: int, high: bool) -> list[list[MatrixBox]]:
    lines: list[list[MatrixBox]] = []
    free = 0
    for box in boxes:
        whole = box.whole_size(0, high).width()
        last = lines[-1][-1] if lines else None
        across = min(whole - box.view.label_room * same_rows(last, box), width)
        if across > free:
            lines.append([])
            free, across = width, min(whole, width)
        lines[-1].append(box)
        free -= across + gap
    return lines
