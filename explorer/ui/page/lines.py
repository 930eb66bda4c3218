"""A row of elements in lines: where it breaks, and which matrices of a line say what their rows are."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from explorer.pages.page import Row
from explorer.ui.matrix.box import MatrixBox

SIGN = 22
"""Pixels at text scale 1 that the operator behind a matrix takes."""
ACROSS_ROW = 10
"""Pixels at text scale 1 between the elements of a row."""


class RowLines:
    """The lines of a row in a width.

    Parameters
    ----------
    boxes : sequence of QWidget
        What shows its elements, one each.
    room : int
        Pixels across.
    px : callable
        Pixels on this screen of pixels at text scale 1.
    """

    def __init__(self, row: Row, boxes: Sequence[QWidget], room: int, px: Callable[[float], int]) -> None:
        self._boxes, self._room = boxes, room
        self._signs = [*(item.sign for item in row.items[1:]), ""]
        self._gap, self._sign = px(ACROSS_ROW), px(SIGN)

    @property
    def width(self) -> int:
        """Pixels across with all on one line."""
        return self._width_of(range(len(self._boxes)), None, False)

    def label(self) -> None:
        """Label the first matrix of each line and those with other rows.

        Headings take two lines where its matrices take fewer lines then. A line may end with a sign: without it the
        rest of the equation would stand there as one by itself, and a false one.
        """
        broken = self._broken(high=False)
        high = False
        if len(broken) > 1:
            narrower = self._broken(high=True)
            high = self._with_numbers(narrower) < self._with_numbers(broken)
            broken = narrower if high else broken
        for line in broken:
            last: QWidget | None = None
            for place in line:
                box = self._boxes[place]
                if isinstance(box, MatrixBox):
                    box.be_high(high)
                    box.show_row_labels(not same_rows(last, box))
                last = box

    def _with_numbers(self, lines: Sequence[Sequence[int]]) -> int:
        """How many lines hold matrices: pictures may stand on lines of their own behind them."""
        return sum(any(isinstance(self._boxes[place], MatrixBox) for place in line) for line in lines)

    def _broken(self, high: bool) -> list[list[int]]:
        """The places of the row in lines: what signs join stays together, if it fits on a line."""
        chains: list[list[int]] = [[]]
        for place, sign in enumerate(self._signs):
            chains[-1].append(place)
            if not (sign or getattr(self._boxes[place], "keeps_next", False)) or self._ends_line(place):
                chains.append([])
        lines: list[list[int]] = [[]]
        x = 0
        for chain in filter(None, chains):
            fits_alone = self._width_of(chain, None, high) <= self._room
            for i, place in enumerate(chain):
                last = self._boxes[lines[-1][-1]] if lines[-1] else None
                together = chain[i:] if fits_alone and i == 0 else [place]
                needed = self._width_of(together, last, high) if i == 0 or not fits_alone else 0
                if x and (x + needed > self._room or self._ends_line(lines[-1][-1])):
                    lines.append([])
                    x, last = 0, None
                x += self._width_of([place], last, high) + self._gap
                lines[-1].append(place)
        return lines

    def _ends_line(self, place: int) -> bool:
        return bool(getattr(self._boxes[place].parentWidget(), "ends_line", False))

    def _width_of(self, places: Sequence[int], last: QWidget | None, high: bool) -> int:
        """Pixels across of some elements of the row behind another one, labels where they are needed."""
        width = -self._gap
        for place in places:
            box = self._boxes[place]
            if isinstance(box, MatrixBox):
                across = box.width_with(not same_rows(last, box), high)
            else:
                across = box.sizeHint().width()
            width += across + self._gap + (self._sign if self._signs[place] else 0)
            last = box
        return width


def same_rows(before: QWidget | None, box: MatrixBox) -> bool:
    """Whether the matrix before, on the same line, says what the rows are."""
    if not isinstance(before, MatrixBox) or before.small or box.small:
        return False
    a, b = before.matrix, box.matrix
    level = before.view.whole and box.view.whole and before.view.times == box.view.times
    return level and (a.axes[0], a.rows) == (b.axes[0], b.rows)
