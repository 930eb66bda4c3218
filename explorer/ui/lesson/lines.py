"""How large matrices beside each other can be in a place, reckoned before they get it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.lines import same_rows

MOST_ROWS = 30
"""Rows of a matrix in sight at most."""
MANY = 6
"""Matrices of which all ways to stand in lines are tried at most; of more, all in one line or each in its own."""


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
        self._width, self._across, self._down = width, across, down
        self._low = boxes[0].view.extent.low if boxes else 0
        self._airy = max(airy, self._low)
        self.high = False
        """Whether the headings take two lines: where there are fewer lines of matrices then."""
        self.lines = _broken(boxes, width, across, False)
        if len(self.lines) > 1 and len(narrower := _broken(boxes, width, across, True)) < len(self.lines):
            self.lines, self.high = narrower, True

    @property
    def height(self) -> int:
        """Pixels that all of them are high, with low rows."""
        return sum(self._heights) + self._down * (len(self.lines) - 1)

    @property
    def widest(self) -> int:
        """Pixels across of the widest line."""
        return max((self._taken(line) for line in self.lines), default=0)

    def _taken(self, line: Sequence[MatrixBox], column: int = 0) -> int:
        """Pixels that a line takes, with columns at least so wide: a heading may be wider than its columns."""
        taken = self._across * (len(line) - 1)
        for i, box in enumerate(line):
            grown = len(box.matrix.columns) * max(column - box.view.extent.own, 0)
            room = box.view.extent.label_room * (not same_rows(line[i - 1] if i else None, box))
            taken += max(_across(line, i, self._is_high(box)), room + box.view.extent.all + grown)
        return taken

    def share(self, height: int) -> None:
        """Let rows be as high, and columns as wide, as there is room for; else few rows are in sight."""
        if not self.lines:
            return
        # Where not all has room, each line has its part of it.
        short = min(height / max(self.height, 1), 1.0)
        columns = [self._column_in(line) for line in self.lines]
        widths = [
            [min(wide, round(STRETCH * box.view.extent.own)) for box in line]
            for wide, line in zip(columns, self.lines, strict=True)
        ]
        most = min(self._airy, round(TALL * max(wide for some in widths for wide in some)))
        spare = min(max(height - self.height, 0), max(most - self._low, 0) * self._rows)
        row = self._low + spare // self._rows
        figures = self._figures(row, [wide for some in widths for wide in some])
        for line, high, some in zip(self.lines, self._heights, widths, strict=True):
            for box, wide in zip(line, some, strict=True):
                box.be(above=self._is_high(box), row=row, column=wide, figures=figures)
                box.be_at_most(round(short * high) + (row - self._low) * rows_of(box))
                box.stand()

    def _figures(self, row: int, widths: Sequence[int]) -> float:
        """How many times larger than letters numbers are in cells of that height, and, one by one, of those widths."""
        boxes = [box for line in self.lines for box in line]
        wide = (across / box.view.letters.needed(box.matrix) for box, across in zip(boxes, widths, strict=True))
        return max(min(FILLED * min(row / self._low, *wide), MOST_FIGURES), 1.0)

    def _column_in(self, line: Sequence[MatrixBox]) -> int:
        """Pixels that a column is wide where all of a line share what is free."""
        own = max(box.view.extent.own for box in line)
        if any(box.view.extent.own != own for box in line):
            own = min(box.view.extent.own for box in line)
        most = round(STRETCH * own)
        return own + bisect_right(range(own + 1, most + 1), self._width - self._across, key=partial(self._taken, line))

    @property
    def _rows(self) -> int:
        """Rows of all lines of matrices, which stand below each other."""
        return sum(max(map(rows_of, line)) for line in self.lines)

    def say_all(self) -> None:
        """Let headings that are wider than the line take two lines."""
        boxes = [box for line in self.lines for box in line]
        for box in boxes:
            if self._is_high(box) or len(boxes) == 1:  # of more, the row they stand in says that they take one
                box.be(above=self._is_high(box))
                box.stand()

    def _is_high(self, box: MatrixBox) -> bool:
        return self.high or box.heading_width(False) > self._width

    @property
    def _heights(self) -> list[int]:
        return [max(box.whole_size(rows_of(box), self._is_high(box)).height() for box in line) for line in self.lines]


FILLED, MOST_FIGURES = 0.75, 2.4
"""Of a cell's height and width, what its number takes where a slide has room; and how many times larger than letters
numbers are at most."""
STRETCH, TALL = 4.5, 2.0
"""How many times wider than it has to be a column is at most; and how many times as high as it is wide a cell."""


def sizes(boxes: Sequence[MatrixBox], across: int, down: int) -> list[tuple[int, int]]:
    """Pixels across and down that matrices take, with low rows: one pair for each way to stand in lines.

    `across`, `down`: pixels between two matrices, and between two lines.
    """
    found = []
    for breaks in _ways(len(boxes)):
        lines = [boxes[a:b] for a, b in zip((0, *breaks), (*breaks, len(boxes)), strict=True)]
        for high in (False, True):
            widths = [sum(_across(line, i, high) for i in range(len(line))) + across * len(line) for line in lines]
            heights = [max(box.whole_size(rows_of(box), high).height() for box in line) for line in lines]
            found.append((max(widths), sum(heights) + down * (len(lines) - 1)))
    return found


def rows_of(box: MatrixBox) -> int:
    """How many rows of a matrix are in sight at most."""
    return min(len(box.matrix.rows), MOST_ROWS)


def _ways(count: int) -> Iterator[tuple[int, ...]]:
    """Behind which of so many matrices a line ends."""
    if count > MANY:
        yield from ((), tuple(range(1, count)))
        return
    for lines in range(count):
        yield from combinations(range(1, count), lines)


def _across(line: Sequence[MatrixBox], place: int, high: bool) -> int:
    """Pixels that a matrix of a line takes, with its labels where the one before has not said them."""
    box, last = line[place], line[place - 1] if place else None
    return box.whole_size(0, high).width() - box.view.extent.label_room * same_rows(last, box)


def _broken(boxes: Sequence[MatrixBox], width: int, gap: int, high: bool) -> list[list[MatrixBox]]:
    lines: list[list[MatrixBox]] = []
    free = 0
    for box in boxes:
        whole = box.whole_size(0, high).width()
        last = lines[-1][-1] if lines else None
        across = min(whole - box.view.extent.label_room * same_rows(last, box), width)
        if across > free:
            lines.append([])
            free, across = width, min(whole, width)
        lines[-1].append(box)
        free -= across + gap
    return lines
