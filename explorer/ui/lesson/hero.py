"""What a step names, as large as its place: matrices in lines, pictures, a list, gradient descent."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from explorer.pages.drawing import AttentionLines
from explorer.pages.element import Element
from explorer.ui.lesson.letters import Fitted, in_look
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.page.lines import same_rows
from explorer.ui.page.listing import ListingView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.page.pictures import DescentView, Filling
from explorer.ui.page.surface import height_of
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import delete_now
from explorer.ui.workbench import Workbench

MOST_ROWS = 30
"""The most visible rows of a matrix."""
MANY = 6
"""For at most this many matrices, all ways to break them into lines are tried; for more, one line, or one for each."""


class Lines:
    """Matrices broken into lines of a given width, as in a row of a page.

    `across`, `down`: pixels between two matrices, and between two lines; `airy`: the height of a row if there is room.
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
                form = box.form._replace(above=self._is_high(box), row=row, column=wide, figures=figures)
                box.form = box.sizes.at_most(form, round(short * high) + (row - self._low) * rows_of(box))
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
        return self.high or box.shape.head(False).width() > self._width

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


ACROSS, DOWN = 10, 6
"""Pixels at text scale 1 between matrices beside each other, and between lines of them."""
AIRY, AIRIER = 52, 100
"""Pixels at text scale 1: the height of a row where there is room is `AIRY` + `AIRIER` / number of rows."""
MOST, SHARE, EDGE = 2.6, 0.985, 4
"""Greatest size relative to the scale of the words; share of the size that would fill a place, since letters have whole
pixels; and pixels that stay free at its edge."""
MUCH = 1000, 500
"""The size of a place in which pictures are compared."""


class Hero(QWidget):
    """The elements that a step names, in a look of their own: its scale is chosen so that they fill a place.

    `bench`: in the look of the sheet.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._look = Fitted(bench.appearance, self, bench.appearance.scale)
        self._fitted_bench = in_look(bench, self._look)
        self.elements = Elements(self._fitted_bench, bench.appearance.px(8))
        self.elements.between_lines = DOWN
        self._column = column_in(self, self.elements)
        self._column.addStretch(1)
        self._across = 1
        self._filled = 0.0, QSize()
        """The scale and the place of the last filling."""

    @property
    def scale(self) -> float:
        """Its present text scale."""
        return self._look.scale

    def make_anew(self, scale: float) -> None:
        """Build the same elements in another size: a matrix measures its letters only once."""
        before = self.elements
        self._column.removeWidget(before)
        before.hide()
        before.setParent(None)  # else it would be styled once more
        shown: Sequence[Element] = before.elements
        delete_now(before)
        self._look.dress(scale)
        self.elements = Elements(self._fitted_bench, self._look.px(8))
        self.elements.between_lines = DOWN
        self._column.insertWidget(0, self.elements)
        self.elements.tell(shown)
        self.elements.show()  # with all in it: a widget added to a visible one is shown a turn later

    # Its parts

    @property
    def boxes(self) -> list[MatrixBox]:
        """Its matrices."""
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, MatrixBox)]

    @property
    def pictures(self) -> list[PicturePlace]:
        """The drawings with a size of their own, if nothing else stands beside the matrices."""
        found = [
            one for one in self.elements.widgets.values() if isinstance(one, PicturePlace) and one not in self.filling
        ]
        return found if len(found) + len(self.boxes) == len(self.elements.widgets) else []

    @property
    def filling(self) -> list[Filling]:
        """The pictures that fill their place."""
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, Filling)]

    @property
    def rest(self) -> list[QWidget]:
        """All that is neither a matrix nor a picture that fills its place, such as the parts of gradient descent."""
        others = (*self.boxes, *self.filling)
        return [one for one in self.elements.widgets.values() if one not in others]

    @property
    def listing(self) -> ListingView | None:
        """The list that it shows, if it shows nothing else."""
        alone = next(iter(self.elements.widgets.values())) if len(self.elements.widgets) == 1 else None
        return alone if isinstance(alone, ListingView) else None

    # Its size

    def scale_in(self) -> Callable[[int, int], float]:
        """Returns a function from a width and a height to the scale at which all that the step names fits."""
        base, now, px = self._bench.appearance.scale, self.scale, self._look.px
        boxes, filling = self.boxes, self.filling
        if filling:
            below = sum(box.whole_size(rows_of(box), False).height() + px(DOWN) for box in boxes)
            most = min(one.scale_in(*MUCH) for one in filling)  # its letters are small already: its size counts more
            return lambda width, height: min(
                base * (one.scale_in(width, max(height - below, 1)) / most) ** 2 for one in filling
            )
        if boxes and len(boxes) == len(self.elements.widgets):
            taken = sizes(boxes, px(ACROSS), px(DOWN))
        elif self._lines_between_words and not boxes:
            taken = [self._of_pictures]
        elif boxes and self.pictures:
            wide, high = self._of_pictures
            taken = [
                one
                for across, down in sizes(boxes, px(ACROSS), px(DOWN))
                for one in ((across + wide, max(down, high)), (max(across, wide), down + px(DOWN) + high))
            ]
        else:
            grown = self._grown
            taken = [(across, self.elements.height_at(across) - grown) for across in self._widths()]
        # A list whose letters would be smaller than the words gets shorter bars, and titles on several lines.
        tight = None if self.listing is None else self.listing.shares_line
        close = [] if tight is None else [(tight, self.elements.height_at(tight) - self._grown)]

        def fitted(sizes: Sequence[tuple[int, int]], width: int, height: int) -> float:
            fits = (min((width - EDGE) / across, (height - EDGE) / max(down, 1)) for across, down in sizes)
            return now * SHARE * max(fits, default=0.0)

        def scale(width: int, height: int) -> float:
            return max(min(fitted(taken, width, height), MOST * base), min(fitted(close, width, height), base))

        return scale

    def scale_of_rest(self, width: int, height: int) -> float:
        """The scale at which the rest takes at most half of a place."""
        now, most = self.scale, self._bench.appearance.scale
        wide, high = 0, 0
        for one in self.rest:
            if one.isHidden():
                continue
            if isinstance(one, PicturePlace | DescentView) and (ask := self.elements.ask(one.data.id)) is not None:
                wide, high = max(wide, ask.least), high + self.elements.high(one.data.id, ask.likes)
            else:
                wide, high = max(wide, one.minimumSizeHint().width()), high + height_of(one, width)
        return min(now * min((width - EDGE) / max(wide, 1), 0.5 * height / max(high, 1)), most)

    @property
    def _grown(self) -> int:
        """Pixels by which matrices beside something else, or the lines of a list, are higher than needed."""
        if self.listing is not None:
            return self.listing.grown
        lines = self._lines(self._across).lines
        return sum(rows_of(line[0]) * (line[0].view.rowHeight(0) - line[0].view.extent.low) for line in lines)

    def _widths(self) -> list[int]:
        """Widths to try for what is no matrix, in pixels of the present scale."""
        least = max(self.elements.minimumSizeHint().width(), 1)
        lists = [one for one in self.elements.widgets.values() if isinstance(one, ListingView)]
        whole = max([least, self.elements.sizeHint().width(), *(one.whole_width for one in lists)])
        if lists:  # with less, the words in it would be cut
            return [whole]
        return sorted({least, whole, *(round(least + (whole - least) * k / 4) for k in (1, 2, 3))})

    def _lines(self, width: int) -> Lines:
        px = self._look.px
        rows = max((len(box.matrix.rows) for box in self.boxes), default=1)
        return Lines(self.boxes, width, px(ACROSS), px(DOWN), px(AIRY + AIRIER / rows))

    @property
    def _of_pictures(self) -> tuple[int, int]:
        """Width and height of the pictures side by side, in pixels."""
        sizes = list[tuple[int, int]]()
        for one in self.pictures:
            id = one.data.id
            if one.picture is None:
                one.fill()  # an empty place does not know how large its picture will be
                self.elements.changed(id)
            ask = self.elements.ask(id)
            across = 0 if ask is None else ask.likes
            sizes.append((across, self.elements.high(id, across)))
        grown = sum(one.picture.grown for one in self._lines_between_words)
        wide = sum(across + self._look.px(ACROSS) for across, _ in sizes) - grown
        return wide, max(high for _, high in sizes)

    @property
    def _lines_between_words(self) -> list[PicturePlace]:
        """Of the drawings, those of attention lines, whose words may stand farther apart."""
        return [one for one in self.pictures if isinstance(one.data, AttentionLines)]

    def _free_of_pictures(self, place: QSize) -> QSize:
        """The room for the matrices in a place: beside the drawings if all fits so, else above them."""
        if not self.pictures or self.filling:
            return place
        px, (wide, high) = self._look.px, self._of_pictures
        fits = (across + wide <= place.width() for across, _ in sizes(self.boxes, px(ACROSS), px(DOWN)))
        return place - (QSize(wide, 0) if any(fits) else QSize(0, high + px(DOWN)))

    def fill(self, place: QSize) -> float:
        """Fill a place. Returns the factor by which it is too small; 1 or less if all fits."""
        self._across = max(place.width(), 1)
        free = self._free_of_pictures(place)
        lines = self._lines(free.width())
        alone = len(self.boxes) == len(self.elements.widgets)
        if alone or self.pictures:
            lines.share(free.height())
        elif lines.lines and not self.filling:  # what stands beside them keeps its height, and rows get the rest
            lines.share(lines.height + max(place.height() - EDGE - self.high + self._grown, 0))
        else:
            lines.share(min(place.height(), lines.height))
        # Only a picture gets a height: with one, matrices would be folded as on a low page.
        self.elements.share_room(place.width(), place.height() if self.filling else None)
        lines.say_all()
        if self.filling:
            return 0.0
        if (one := self.listing) is not None:
            before = one.grown
            one.grow(max(place.height() - EDGE - self.high + before, 0))
            if one.grown != before:  # at once: else it would be cut at the height that it had in the place before
                self.elements.stand()
                self._column.activate()
        high = lines.height if alone else self.high - EDGE
        if self.pictures and not alone:  # what is cut beside them takes no more than it was given
            high = max(high, place.height() - free.height() + lines.height)
            below = free.width() == place.width()
            for picture in self._lines_between_words:
                # Beside them matrices have what is free; alone, they take it.
                picture.picture.spread((lines.widest or place.width() - EDGE) if below else 0)
        # The page breaks lines that are exactly full; what it needs is known once it was laid out in this size.
        filled, self._filled = self._filled, (self.scale, place)
        if alone and filled == self._filled and self.high > place.height() + EDGE:
            high = max(high, self.high)
        return max(high / max(place.height(), 1), lines.widest / max(free.width(), 1))

    @property
    def high(self) -> int:
        """The height in pixels that it needs at the width of its place."""
        column = self._column
        return column.heightForWidth(self._across) if column.hasHeightForWidth() else column.minimumSize().height()
