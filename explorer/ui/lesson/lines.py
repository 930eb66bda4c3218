"""How high matrices beside each other are in a width, reckoned before they get it."""

from collections.abc import Sequence

from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.lines import same_rows

LEAST_ROWS, MOST_ROWS, LEAST_COLUMNS = 1, 8, 3
"""Rows of a matrix in sight at least, and at most of one with twice as many or more; columns in sight at least."""


class Lines:
    """Matrices in lines of a width, as a row of a page puts them.

    Parameters
    ----------
    boxes : sequence of MatrixBox
    width : int
    across, down : int
        Pixels between two matrices, and between two lines.
    """

    def __init__(self, boxes: Sequence[MatrixBox], width: int, across: int, down: int) -> None:
        self._width, self._down = width, down
        self.high = False
        """Whether the headings take two lines: where there are fewer lines of matrices then."""
        self.lines = _broken(boxes, width, across, False)
        if len(self.lines) > 1 and len(narrower := _broken(boxes, width, across, True)) < len(self.lines):
            self.lines, self.high = narrower, True

    def height(self, least: bool) -> int:
        """Pixels that all of them are high: in full, or with few rows of each."""
        return sum(self._heights(least)) + self._down * (len(self.lines) - 1)

    def share(self, height: int) -> None:
        """Let as many rows be in sight as there is room for, of each at least a few."""
        least, full = self._heights(True), self._heights(False)
        free = max(height - self.height(True), 0)
        for i, line in enumerate(self.lines):
            more = min(full[i] - least[i], free // (len(self.lines) - i))
            free -= more
            for box in line:
                box.be_high(self._is_high(box))
                box.be_at_most(least[i] + more)

    def say_all(self) -> None:
        """Let headings that are wider than the line take two lines."""
        boxes = [box for line in self.lines for box in line]
        for box in boxes:
            if self._is_high(box) or len(boxes) == 1:  # of more, the row they stand in says that they take one
                box.be_high(self._is_high(box))

    def _is_high(self, box: MatrixBox) -> bool:
        return self.high or box.heading_width(False) > self._width

    def _heights(self, least: bool) -> list[int]:
        return [
            max(box.whole_size(rows_of(box, least), self._is_high(box)).height() for box in line) for line in self.lines
        ]


def width_of(box: MatrixBox) -> int:
    """Pixels that all columns of a matrix take."""
    return box.whole_size(0, False).width()


def least_width_of(box: MatrixBox) -> int:
    """Pixels that a few columns of a matrix take, with the labels of its rows, and its heading."""
    few = min(len(box.matrix.columns), LEAST_COLUMNS) * box.view.horizontalHeader().defaultSectionSize()
    return max(box.view.label_room + few, box.heading_width(True))


def rows_of(box: MatrixBox, least: bool) -> int:
    """How many rows of a matrix are in sight, where there is room, or at least."""
    rows = len(box.matrix.rows)
    return min(rows, LEAST_ROWS if least else MOST_ROWS if rows > 2 * MOST_ROWS else rows)


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
