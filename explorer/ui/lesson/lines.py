"""How large matrices side by side can be in a given room, computed before they are laid out."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.lines import same_rows

MOST_ROWS = 30
"""The most visible rows of a matrix."""
MANY = 6
"""For at most this many matrices, all ways to break them into lines are tried; for more, one line, or one for each."""


class Lines:
    """Matrices broken into lines of a given width, as in a row of a page.

    Parameters
    ----------
    across, down : int
        Pixels between two matrices, and between two lines.
    airy : int
        The height of a row in pixels if there is room.
    """

    def __init__(self, boxes: Sequence[MatrixBox], width: int, across: int, down: int, airy: int) -> None:
        self._width, self._across, self._down = width, across, down
        self._low = boxes[0].view.extent.low if boxes else 0
        self._airy = max(airy, self._low)
        self.high = False
        """Whether the headings take two lines, because the matrices then fit into fewer lines."""
        self.lines = _broken(boxes, width, across, False)
        if len(self.lines) > 1 and len(narrower := _broken(boxes, width, across, True)) < len(self.lines):
            self.lines, self.high = narrower, True

    @property
    def height(self) -> int:
        """The height in pixels of all lines, with rows of the least height."""
        return sum(self._heights) + self._down * (len(self.lines) - 1)

    @property
    def widest(self) -> int:
        """The width in pixels of the widest line."""
        return max((self._taken(line) for line in self.lines), default=0)

    def _taken(self, line: Sequence[MatrixBox], column: int = 0) -> int:
        """The width of a line with columns of at least this width: a heading may be wider than its columns."""
        taken = self._across * (len(line) - 1)
        for i, box in enumerate(line):
            grown = len(box.matrix.columns) * max(column - box.view.extent.own, 0)
            room = box.view.extent.label_room * (not same_rows(line[i - 1] if i else None, box))
            taken += max(_across(line, i, self._is_high(box)), room + box.view.extent.all + grown)
        return taken

    def share(self, height: int) -> None:
        """Make rows and columns as large as fits into a height; if even the smallest do not fit, show fewer rows."""
        if not self.lines:
            return
        # If not all lines fit, each gets its share of the height.
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
        """How many times larger than letters numbers are, in cells of height `row` and of `widths`, one per matrix."""
        boxes = [box for line in self.lines for box in line]
        wide = (across / box.view.letters.needed(box.matrix) for box, across in zip(boxes, widths, strict=True))
        return max(min(FILLED * min(row / self._low, *wide), MOST_FIGURES), 1.0)

    def _column_in(self, line: Sequence[MatrixBox]) -> int:
        """The width of a column if all columns of a line share the free width."""
        own = max(box.view.extent.own for box in line)
        if any(box.view.extent.own != own for box in line):
            own = min(box.view.extent.own for box in line)
        most = round(STRETCH * own)
        return own + bisect_right(range(own + 1, most + 1), self._width - self._across, key=partial(self._taken, line))

    @property
    def _rows(self) -> int:
        """The number of rows below each other, in all lines of matrices."""
        return sum(max(map(rows_of, line)) for line in self.lines)

    def say_all(self) -> None:
        """Let headings that are wider than the line take two lines."""
        boxes = [box for line in self.lines for box in line]
        for box in boxes:
            if self._is_high(box) or len(boxes) == 1:  # a row has already set one line for several matrices
                box.be(above=self._is_high(box))
                box.stand()

    def _is_high(self, box: MatrixBox) -> bool:
        return self.high or box.heading_width(False) > self._width

    @property
    def _heights(self) -> list[int]:
        return [max(box.whole_size(rows_of(box), self._is_high(box)).height() for box in line) for line in self.lines]


FILLED, MOST_FIGURES = 0.75, 2.4
"""The share of a cell's height and width that its number fills if a slide has room; and how many times larger than
letters numbers may be."""
STRETCH, TALL = 4.5, 2.0
"""How many times wider than needed a column may be; and how many times higher than wide a cell."""


def sizes(boxes: Sequence[MatrixBox], across: int, down: int) -> list[tuple[int, int]]:
    """The width and height in pixels of all matrices, with rows of the least height, for each way to break them.

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
    """The most rows of a matrix that are visible."""
    return min(len(box.matrix.rows), MOST_ROWS)


def _ways(count: int) -> Iterator[tuple[int, ...]]:
    """The ways to break `count` matrices into lines, each as the positions at which a line ends."""
    if count > MANY:
        yield from ((), tuple(range(1, count)))
        return
    for lines in range(count):
        yield from combinations(range(1, count), lines)


def _across(line: Sequence[MatrixBox], place: int, high: bool) -> int:
    """The width of a matrix in a line, without its row labels if the matrix before it has the same labels."""
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
