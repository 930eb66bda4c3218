"""How a matrix may stand, and how large its table is then, reckoned from what is in it: no widget moves for it."""

from typing import NamedTuple

from PySide6.QtCore import QSize

from explorer.pages.matrix import Matrix
from explorer.ui.matrix.letters import Letters

LEAST_COLUMNS = 2
"""Columns in sight whatever the room."""
MOST_ROWS, LENS = 16, 8
"""Rows up to which all are in sight, and those in sight of more: then a small picture stands above the numbers."""
MAP = 132
"""Pixels at text scale 1 across that a small picture beside the numbers takes at most."""
PLACE, ALONE, BESIDE = "in the heading", "in place of the numbers", "beside the numbers"
"""Where a small picture stands."""


class Form(NamedTuple):
    """What the place of a matrix depends on besides what is in it; lengths are pixels."""

    given: int  # across that the page has
    room: int  # across that it may take now
    times: float = 1.0  # how many times larger than others on its page: cells, letters and formula
    size: float = 1.0  # of its letters: one of `SIZES`
    upright: bool = False  # whether the labels of its columns are read upwards
    labelled: bool = True  # whether it says what its rows are
    least: tuple[int, int] = (0, 0)  # of a column and of the labels of its rows, which others above or below have
    high: int | None = None  # down that it takes at most, without a small picture of the whole: on a slide
    row: int = 0  # of a row at least
    column: int = 0  # of a column at least
    figures: float = 1.0  # how many times larger than its letters its numbers are: on a slide, in large cells
    tall: float = 1.0  # how many times higher than wide the cells are of a small picture in place of the numbers
    # How it stands as a whole, with its heading.
    tight: bool = False  # whether a small picture stands for its numbers, until someone asks for them
    alike: bool = False  # whether it is a small picture as its neighbours are whose numbers do not fit
    small: int = 0  # across that a small picture takes at most which stands for its numbers; 0: none has to
    # Before a small picture which stands above or below others of as many columns, as wide as these: of the words of
    # their rows. 0: it does not.
    lined: int = 0
    above: bool = False  # whether the words stand above the formula
    short: bool = False  # whether its heading in an equation says no more than it must
    narrow: bool = False  # whether its words take two lines, whatever room they have

    @property
    def shrinks(self) -> bool:
        """Whether its letters may be smaller; a slide has given it its size already."""
        return self.high is None and not (self.row or self.column)


class Extent(NamedTuple):
    """How large the table is; all but `rows` and `columns` in pixels."""

    # `own`, `low`: of a column and of a row by themselves; `all`: of all columns, in sight or not.
    own: int
    low: int
    all: int
    label_room: int  # of the labels of the rows where they are shown
    # `left`, `top`: of the labels of rows and columns now; `across`, `down`: of a cell.
    left: int
    top: int
    across: int
    down: int
    # `rows`, `columns`: in sight.
    rows: int
    columns: int
    whole: bool  # whether all of the matrix is in sight, or nothing stands for the rest
    cut: bool  # whether a class sees only a part of it
    # Whether it has more columns than are in sight, and more than rows: so its small picture is low.
    map_above: bool

    @property
    def cells(self) -> int:
        """Pixels that the cells take across."""
        return self.columns * self.across

    @property
    def width(self) -> int:
        return self.left + self.cells

    @property
    def height(self) -> int:
        return self.top + self.rows * self.down


def extent(matrix: Matrix, form: Form, letters: Letters, beside: int) -> Extent:
    """How large a matrix is in a form.

    `letters`: those of the form; `beside`: pixels across that a small picture beside the numbers takes.
    """
    rows, columns = len(matrix.rows), len(matrix.columns)
    own, label_room = letters.measured(matrix)
    across, down = max(own, form.least[0], form.column), max(form.row, letters.row)
    left, top = max(label_room if form.labelled else 0, form.least[1]), letters.above(matrix)
    # Behind the labels of its rows, whether they are shown or not: else what stands before it would change this.
    room = form.room - max(label_room, form.least[1])
    if form.high is None and columns < rows and (rows > MOST_ROWS or columns * across > room):
        room -= beside
    shown_columns = min(columns, max(LEAST_COLUMNS, room // across))
    shown_rows = rows if rows <= MOST_ROWS else LENS
    if form.high is not None:
        shown_rows = min(rows, max((form.high - top) // down, 1))
    all_in_sight = shown_rows == rows and shown_columns == columns
    # Where little is to be in sight, no small picture stands beside it.
    whole = form.high is not None or all_in_sight
    map_above = not whole and shown_columns < columns and rows <= columns
    cut = whole and not all_in_sight
    all_ = columns * max(own, form.least[0])
    inside = label_room, left, top, across, down, shown_rows, shown_columns
    return Extent(own, letters.row, all_, *inside, whole, cut, map_above)


class Shape(NamedTuple):
    """How a matrix stands in a form, and how large all of it is; lengths are pixels."""

    form: Form
    extent: Extent
    fits: bool  # whether all of its numbers can be in sight in the room that the page has
    # Whether not all are in sight however it stands: then it does not say what its rows are.
    folded: bool
    inline: bool  # whether a single number stands in the heading
    where: str  # that a small picture is: `PLACE`, `ALONE` or `BESIDE`; empty where there is none
    picture: QSize
    names: int  # pixels in it before its cells, for the words of its rows
    # Of the heading: its kind, its words for values, and pixels across that its formula takes at most; 0: any.
    kind: str
    words: str
    most: int
    heads: tuple[QSize, QSize]  # with the words beside the formula, and above it
    size: QSize
    base: int | None  # from the top to the first row of cells: matrices beside each other have theirs at one height
    side: tuple[int, int]  # the middle of the right side of its numbers, or of the picture in their place

    @property
    def small(self) -> bool:
        """Whether a picture stands for the numbers: in the heading, or below it where they are many."""
        return self.where in (PLACE, ALONE)

    @property
    def left(self) -> int:
        """Pixels before the numbers, or a picture in their place, for the words of the rows."""
        return self.names if self.small else self.extent.left

    @property
    def leads(self) -> bool:
        """Whether picture or number stand in the heading, behind the symbol."""
        return self.inline or self.where == PLACE

    @property
    def above(self) -> bool:
        """Whether the words stand above the formula: also where both are wider than the room; never above a picture."""
        return not self.leads and (self.form.above or self.heads[0].width() > self.form.room)

    def head(self, above: bool) -> QSize:
        """Of the heading on one line, if it has room, or on two."""
        return self.heads[above or self.heads[0].width() > self.form.room]
