"""The letters of a matrix, the forms that it can take, and its sizes in them: no widget moves to compute these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QFont, QFontMetrics

from explorer.pages.matrix import Matrix
from explorer.ui.appearance import Appearance
from explorer.ui.widgets.labels import FIGURES

SIZES = 1.0, 0.9, 0.8
"""Sizes of a matrix's letters relative to the usual size; the smaller ones are for an equation too long for its line.
At the last size figures are 10.6 pixels high at text scale 1: smaller ones cannot be read.
"""
LEAST_LABEL = 0.9
"""The least relative size of labels, which are small already."""
CELL_HEIGHT, CELL_PADDING, LEAST_WIDTH, MOST_LABEL, CUT_LABEL = 26, 5, 40, 130, 60
"""Pixels at text scale 1; the last: the widest label above a column in large text, where a class needs the columns."""
LOW_CELL, CLOSE = 16, 3
"""Height of a row, and padding, in pixels at text scale 1, where numbers stand close together."""
LONG_LABEL, FEW_LABEL = 84, 110
"""The widest label above a column, in pixels at text scale 1: usually; and in large text, with few columns."""
FEW = 8  # up to so many columns, `FEW_LABEL` holds
MEASURED = 400  # the first labels, from which the room for all is measured


class Letters:
    """The letters in one size.

    `size`: one of `SIZES`.
    `times`: how many times larger than others on its page.
    `upright`: whether the labels of the columns are read upwards, so that a long one makes no column wider.
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
        """The least height of a row in pixels."""
        self._times = times
        self._widths: dict[str, int] = {}
        self._of: Matrix | None = None
        self._columns = self._labels = 0

    def across(self, text: str) -> int:
        """The width of a number in pixels, kept by its pattern of figures and signs: there are few patterns."""
        pattern = text.translate(FIGURES)
        if pattern not in self._widths:
            self._widths[pattern] = QFontMetrics(self.bold).horizontalAdvance(pattern)
        return self._widths[pattern]

    def needed(self, matrix: Matrix) -> int:
        """The width of the widest number; figures have one width, so it is one of the longest, or one figure shorter.

        It is the same whatever the matrix shows, so that no column moves with a change or a gradient.
        """
        texts = matrix.widest
        longest, widths, most = max(map(len, texts)), self._widths, 0
        for pattern in {text.translate(FIGURES) for text in texts if len(text) >= longest - 1}:
            most = max(most, widths[pattern] if pattern in widths else self.across(pattern))
        return most + 2 * self.padding

    def least(self, matrix: Matrix) -> int:
        """The width in pixels that a column needs for its numbers."""
        return max(self.needed(matrix), self._px(LEAST_WIDTH * self._size))

    def measured(self, matrix: Matrix) -> tuple[int, int]:
        """The widths in pixels of a column, and of the row labels if they are shown."""
        if matrix is not self._of:
            rows, columns = len(matrix.rows), len(matrix.columns)
            label = QFontMetrics(self.bold_small).height() if self.upright else self._widest(matrix.columns) + 6
            most = ((FEW_LABEL if columns <= FEW else CUT_LABEL) if self._is_large else LONG_LABEL) * self._label_size
            most *= 1 + (columns == 1)  # a single column makes nothing else narrower
            beside = MOST_LABEL * self._times * (1 + (rows == 1))  # the label of a single row may be a sentence
            left = self._widest(matrix.rows)
            # In large text the heading says what a single row is.
            said = any(matrix.rows[:MEASURED]) and not (self._is_large and rows == 1 < columns)
            self._columns = max(self.least(matrix), min(label, self._px(most)))
            self._labels = min(left, self._px(beside)) + self._px(12 * self._times) if said else 0
            self._of = matrix
        return self._columns, self._labels

    def above(self, matrix: Matrix) -> int:
        """The height of the column labels in pixels."""
        if not any(matrix.columns[:MEASURED]):
            return 0
        if self.upright:
            return min(self._widest(matrix.columns), self._px(LONG_LABEL * self._label_size)) + 8
        return QFontMetrics(self.bold_small).height() + 4

    def _widest(self, labels: Sequence[str]) -> int:
        """The width of the longest label; of labels that differ only in their figures, one is measured."""
        metrics = QFontMetrics(self.bold_small)
        return max(map(metrics.horizontalAdvance, _patterns(tuple(labels[:MEASURED]))), default=0)


@lru_cache(maxsize=64)
def _patterns(labels: tuple[str, ...]) -> frozenset[str]:
    """The labels with one figure for all figures; kept, since they are measured in many sizes."""
    return frozenset(label.translate(FIGURES) for label in labels)


LEAST_COLUMNS = 2
"""Columns for which a matrix wants room: beside others in a row, and beside a small picture of the whole."""
MOST_ROWS, LENS = 16, 8
"""Up to so many rows all are visible; of more rows, so many, with a small picture of the whole above or beside them."""
MAP = 132
"""Greatest width of a small picture beside the numbers, in pixels at text scale 1."""
PLACE, ALONE, BESIDE = "in the heading", "in place of the numbers", "beside the numbers"
"""Where a small picture stands."""


class Form(NamedTuple):
    """What the layout of a matrix depends on besides its contents; lengths are in pixels."""

    given: int  # width of the page
    room: int  # width that it may take now
    times: float = 1.0  # factor for cells, letters and formula, relative to others on its page
    size: float = 1.0  # of its letters: one of `SIZES`
    upright: bool = False  # whether its column labels are written upwards
    labelled: bool = True  # whether its rows are labelled
    least: tuple[int, int] = (0, 0)  # least widths of a column and of the row labels, to match others above or below
    high: int | None = None  # greatest height, without a small picture of the whole: on a slide
    row: int = 0  # least height of a row
    column: int = 0  # least width of a column
    figures: float = 1.0  # factor for its numbers, relative to its letters: on a slide, in large cells
    tall: float = 1.0  # height divided by width of the cells of a small picture in place of the numbers
    # The form of the whole, with its heading.
    tight: bool = False  # whether a small picture replaces its numbers until they are asked for
    alike: bool = False  # whether it is a small picture, like neighbours whose numbers do not fit
    small: int = 0  # greatest width of a small picture that replaces its numbers; 0: none has to
    # For a small picture above or below others with as many columns, all of one width: the width of the row labels
    # before it. 0: it does not stand so.
    lined: int = 0
    above: bool = False  # whether the words stand above the formula
    short: bool = False  # whether its heading in an equation says no more than it must
    narrow: bool = False  # whether its words take two lines, whatever room they have
    led: int = 0  # width of what stands before a single number whose label has too little room; 0: it has enough

    @property
    def shrinks(self) -> bool:
        """Whether its letters may become smaller; on a slide its size is already set."""
        return self.high is None and not (self.row or self.column)

    @property
    def apart(self) -> Form:
        """The form without what a place in a row has set."""
        return self._replace(small=0, above=False, short=False, narrow=False)


class Extent(NamedTuple):
    """How large the table is; all but `rows` and `columns` in pixels."""

    # `own`, `low`: width of a column and height of a row by themselves; `all`: width of all columns, visible or not.
    own: int
    low: int
    all: int
    label_room: int  # width of the row labels if they are shown
    # `left`, `top`: room for the labels of rows and columns now; `across`, `down`: size of a cell.
    left: int
    top: int
    across: int
    down: int
    # `rows`, `columns`: how many are visible.
    rows: int
    columns: int
    whole: bool  # whether all of the matrix is visible, or nothing stands for the rest
    cut: bool  # whether a class sees only a part of it
    # Whether its small picture stands above it: not all columns are visible, and there are no fewer than rows.
    map_above: bool

    @property
    def cells(self) -> int:
        """The width of the visible cells."""
        return self.columns * self.across

    @property
    def width(self) -> int:
        return self.left + self.cells

    @property
    def height(self) -> int:
        return self.top + self.rows * self.down


def extent(matrix: Matrix, form: Form, letters: Letters, beside: int) -> Extent:
    """The size of a matrix in a form.

    `letters`: those of the form; `beside`: width in pixels of a small picture beside the numbers.
    """
    rows, columns = len(matrix.rows), len(matrix.columns)
    own, label_room = letters.measured(matrix)
    if form.led:
        own = max(letters.least(matrix), min(own, form.room - form.led))
    across, down = max(own, form.least[0], form.column), max(form.row, letters.row)
    label_room = min(label_room, max(form.room - across, across // 2))  # the names of rows leave room for one column
    left, top = max(label_room if form.labelled else 0, form.least[1]), letters.above(matrix)
    # Without the room for row labels, shown or not: else a matrix before it would change this.
    room = form.room - max(label_room, form.least[1])
    tall = columns < rows
    if form.high is None and tall and (rows > MOST_ROWS or columns * across > room):
        tall = LEAST_COLUMNS * across <= room - beside  # else the small picture stands above the numbers
        room -= beside * tall
    shown_columns = min(columns, max(room // across, 1))
    shown_rows = rows if rows <= MOST_ROWS else LENS
    if form.high is not None:
        shown_rows = min(rows, max((form.high - top) // down, 1))
    all_in_sight = shown_rows == rows and shown_columns == columns
    # With a greatest height, as on a slide, no small picture stands beside the numbers.
    whole = form.high is not None or all_in_sight
    map_above = not whole and shown_columns < columns and not tall
    cut = whole and not all_in_sight
    all_ = columns * max(own, form.least[0])
    inside = label_room, left, top, across, down, shown_rows, shown_columns
    return Extent(own, letters.row, all_, *inside, whole, cut, map_above)


class Shape(NamedTuple):
    """The layout of a matrix in a form, and the sizes of its parts; lengths are in pixels."""

    form: Form
    extent: Extent
    fits: bool  # whether the page has room for all of its numbers
    # Whether no form shows all of its numbers: then it does not name its rows.
    folded: bool
    inline: bool  # whether a single number stands in the heading
    where: str  # where a small picture is: `PLACE`, `ALONE` or `BESIDE`; empty if there is none
    picture: QSize
    names: int  # width of the row labels inside the picture, before its cells
    begins: int  # where the heading begins
    # Of the heading: its kind, its words for values, and the greatest width of its formula; 0: no limit.
    kind: str
    words: str
    most: int
    heads: tuple[QSize, QSize]  # sizes of the heading: with the words beside the formula, and above it
    size: QSize
    base: int | None  # from the top to the first row of cells: matrices beside each other have theirs at one height
    side: tuple[int, int]  # the middle of the right side of its numbers, or of the picture in their place

    @property
    def small(self) -> bool:
        """Whether a picture replaces the numbers: in the heading, or below it if they are many."""
        return self.where in (PLACE, ALONE)

    @property
    def left(self) -> int:
        """The width of the row labels before the numbers, or before the cells of a picture in their place."""
        return self.names if self.small else self.extent.left

    @property
    def leads(self) -> bool:
        """Whether a picture or a number stands in the heading, behind the symbol."""
        return self.inline or self.where == PLACE

    @property
    def above(self) -> bool:
        """Whether the words stand above the formula, also because both together are too wide; never above a picture."""
        return not self.leads and (self.form.above or self.heads[0].width() > self.form.room)

    def head(self, above: bool) -> QSize:
        """The size of the heading on one line, if it fits, or on two."""
        return self.heads[above or self.heads[0].width() > self.form.room]


class Places(NamedTuple):
    """Where the parts of a matrix stand, in pixels from its corner; what its shape hides may be anywhere."""

    formula: QRect
    words: QRect
    picture: QPoint
    numbers: QPoint


def places(shape: Shape, formula: QSize, words: QSize, between: int, below: int) -> Places:
    """The places of the parts of a matrix in a shape.

    `formula`, `words`: the sizes of both in the heading; `between`, `below`: pixels between the parts of the heading,
    and below it.
    """
    head, extent, left = shape.head(shape.form.above), shape.extent, shape.begins

    def middle(size: QSize, top: int = 0) -> int:
        return top + (head.height() - top - size.height()) // 2

    if shape.leads:  # what stands behind the symbol keeps its place: a longer symbol grows to the left
        behind = QSize(extent.width, extent.height) if shape.inline else shape.picture
        at = QPoint(head.width() - behind.width(), middle(behind))
        left = max(at.x() - between - formula.width(), left)
        return Places(QRect(QPoint(left, middle(formula)), formula), QRect(), at, at)
    if shape.above:
        said, symbol = QPoint(left, 0), QPoint(left, middle(formula, words.height()))
    else:
        said, symbol = QPoint(left + formula.width() + between, middle(words)), QPoint(left, middle(formula))
    top, numbers = head.height() + below, 0
    if shape.where != BESIDE:
        picture = QPoint(0, top)
    elif extent.map_above:  # it begins where the numbers do
        picture, numbers = QPoint(extent.left, top), shape.picture.height() + below
    else:
        picture = QPoint(extent.width + between, top + extent.height - shape.picture.height())
    return Places(QRect(symbol, formula), QRect(said, words), picture, QPoint(0, top + numbers))
