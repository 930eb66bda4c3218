"""Drawings as data: marks in a window of coordinates, with the cell each mark stands for and the gesture of its drag.

Also pictures of attention: heat maps, lines, and sentences with lines between their words.
"""

import re
from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from math import inf

import numpy as np

from explorer.core.graph import Cell, Place
from explorer.core.ops import Array
from explorer.pages.element import Data, Element
from explorer.pages.gestures import Gesture
from explorer.pages.matrix import SIGNED, Matrix

DRAWABLE = 1e30
"""Numbers of this size or more cannot be drawn: their squares overflow on the way to pixels."""

Rect = tuple[float, float, float, float]
"""Left, bottom (in a drawing that counts down: top), width, height."""

TEXT, MUTED, LINE, ACCENT, HERE, ERROR = "text", "muted", "line", "accent", "here", "error"
"""Inks, by what they mean; "series 0" to "series 5" tell lines apart."""


def series(k: int) -> str:
    """The ink of the k-th of several lines."""
    return f"series {k % 6}"


def drawable(*numbers: float) -> bool:
    """Whether all numbers are small enough to be drawn (`DRAWABLE`)."""
    return all(abs(number) < DRAWABLE for number in numbers)


def reach(array: Array, least: float) -> float:
    """The largest absolute value among the numbers that can be drawn, but not less than `least`.

    Where all numbers are much smaller, as in large models, `least` is divided by 5, as often as needed: else the points
    would all fall on a single dot.
    """
    sizes = np.abs(array)
    largest = float(sizes[sizes < DRAWABLE].max(initial=0.0))
    while 0 < largest < least / 5:
        least /= 5
    return max(largest, least)


def extent(points: Array) -> tuple[Array, Array]:
    """The least and the largest x and y of the points, (n, 2), that can be drawn; the origin if there are none."""
    near = points[(np.abs(points) < DRAWABLE).all(1)]
    return (near.min(0), near.max(0)) if len(near) else (np.zeros(2), np.zeros(2))


class Mark(Data):
    """One thing in a drawing. Coordinates are those of the drawing's window, unless a mark says otherwise.

    A cell that makes a mark orange may have fewer indices than its node has axes: then every cell whose index begins
    with these makes the mark orange, such as all cells of a row.
    """

    faint: float = field(default=0.0, kw_only=True)  # in a drawing with zoom: 0 fully drawn, to 1 not computed yet


class Image(Mark):
    """A matrix as coloured squares; not finite numbers are drawn as 0."""

    array: Array  # (rows, columns); the engine's own array where possible
    # `low`, `high`: the numbers at the ends of the colour map; a signed map goes from −high to high.
    high: float
    low: float = 0.0
    colours: str = SIGNED  # `SHARES` or `SIGNED`
    # The first row lies at its beginning.
    place: Rect = (0.0, 0.0, 1.0, 1.0)
    node: Place | None = None  # the node whose cells the squares are
    # How many rows and columns belong to the node; the rest is computed for the picture only. (0, 0): all.
    own: tuple[int, int] = (0, 0)
    smooth: bool = False  # whether colours are interpolated: the array samples a continuous function
    token: str = ""  # the axis whose words the rows are: the row of a lit word is framed
    across: str = ""  # the axis whose words the columns are: the column of a lit word is framed, too


class Curve(Mark):
    """A line through points."""

    x: Array
    y: Array
    name: str = ""  # written at its right end
    ink: str = series(5)
    dashed: bool = False
    width: float = 1.8  # pixels


class Segments(Mark):
    """Straight lines that belong together: a grid, level lines."""

    ends: Array  # (n, 2, 2): start and end of each, as (x, y)
    ink: str = LINE
    width: float = 1.0
    dashed: bool = False
    token: str = ""  # the axis whose words the lines are: those of a lit word are orange
    whose: Array | None = None  # (n,): for each line, the index of its word along that axis


class Band(Mark):
    """A rectangle: a frame, a block."""

    place: Rect
    ink: str = LINE
    filled: bool = True  # filled, or framed
    width: float = 2.0


class Dot(Mark):
    """A point that stands for a number of the model."""

    x: float
    y: float
    name: str = ""  # written beside it if there is room; dots at the same place share one label
    ink: str = series(0)
    hollow: bool = False  # drawn as a ring: the unit is switched off
    cell: Cell | None = None  # pointing at it is pointing at this cell; it is orange while the cell is pointed at
    also: tuple[Cell, ...] = ()  # other cells that make it orange
    # (axis, index): the word that the dot stands for: the dot is orange while the word is lit, and pointing lights it.
    token: tuple[str, int] | None = None
    drag: Gesture | None = None  # the gesture of dragging it; the gesture gets the new place as its value
    inside: str = ""  # text in the dot, which is then a large disc
    below: str = ""  # text below the dot
    share: float | None = None  # a share from 0 to 1 whose colour fills the dot, instead of the ink
    signed: bool = False  # whether `share` is from −1 to 1 and has a colour of the signed map
    wrong: bool = False  # whether it has a red ring, and a cross after the text below


class Strips(Mark):
    """The numbers of each row, or column, of a matrix as points on a line, a band of mean ± σ, and a mark at the mean.

    Strip i lies between y = i and y = i + 1. Its band is orange while its word is lit or the reader points at one of
    its cells; then the point of that cell is orange, too.
    """

    node: str  # whose numbers they are
    array: Array  # (rows, columns); the engine's own
    # `mean`, `sigma`: (n_strips,).
    mean: Array
    sigma: Array
    axis: int = 0  # which axis of the array runs over the strips: 0 its rows, 1 its columns
    token: str = ""  # the axis whose words the strips are


class Arrow(Mark):
    """An arrow, named at its tip."""

    start: tuple[float, float]
    tip: tuple[float, float]
    name: str = ""
    ink: str = MUTED
    width: float = 1.2  # of the shaft, in pixels; 0: only the head, because another mark draws the shaft
    token: tuple[str, int] | None = None  # (axis, index): the word of the arrow, which is orange while the word is lit
    # (axis, index): other words that make it orange: where this word of the vocabulary stands in a sentence.
    also: tuple[tuple[str, int], ...] = ()
    cells: tuple[Cell, ...] = ()  # cells that make it orange; pointing at the tip means pointing at the first cell
    drag: Gesture | None = None  # what dragging the tip asks for
    dashed: bool = False


class Arc(Mark):
    """The angle between two directions from the origin, as an arc with words."""

    # Degrees, counterclockwise: `start` from the x axis, `turn` from there to the end of the arc.
    start: float
    turn: float
    text: str = ""
    ink: str = MUTED


class Words(Mark):
    """Words at a place; they move a little to avoid other marks, and have a patch of ground behind them on an image."""

    x: float
    y: float
    text: str
    ink: str = MUTED
    fixed: bool = False  # whether they stay at their place even over other marks
    # Which part of fixed words is at the place: 0 their left end, 0.5 their middle, 1 their right end.
    align: float = 0.5
    # (axis, index): the word of a sentence that is written: orange while it is lit, and pointing at it lights it.
    token: tuple[str, int] | None = None
    size: float = 12.0  # the height of a line of fixed words in a drawing with zoom, in coordinates of the window
    strong: bool = False
    # The most width of fixed words in a drawing with zoom, in coordinates of the window; 0: no limit.
    room: float = 0.0
    on: float | None = None  # the `share` of the box that fixed words stand on: its colour decides their ink


class Box(Mark):
    """A box that leads somewhere, such as a block of a model.

    The size of its words follows the zoom of the drawing; words that do not fit are left out.
    """

    place: Rect
    name: str  # what a screen reader says of it, also when arrow keys reach it
    title: str = ""  # written at its top
    note: str = ""  # a number or a shape, written at its bottom
    tip: str = ""  # its tooltip
    leads: Gesture | None = None  # the gesture of a click, or of Enter
    share: float | None = None  # a share from 0 to 1 whose colour its ground has
    folded: bool = False  # whether it stands for several like it, drawn behind it
    # Whether other boxes stand inside: then its ground is that of the page, and its title stands at the left.
    around: bool = False
    menu: tuple[tuple[str, Gesture], ...] = ()  # (words, gesture): its context menu
    off: bool = False  # whether it is switched off
    # LaTeX below the title. If it is a string, even an empty one, title and note share the first line.
    formula: str | None = None
    ink: str = TEXT  # of the title
    after: tuple[int, ...] = ()  # indices, among the marks, of the boxes that it reads from: arrow keys follow them
    letters: float = 1.0  # the size of its letters, as a multiple of those of other boxes
    briefly: str = ""  # its title where the whole one has no room; "": that is cut


def lines_of(formula: str) -> float:
    """The height of a formula in lines of a box: a fraction is not readable in the height of one line."""
    return (2.2 if r"\sqrt" in formula else 1.6) if r"\frac" in formula else 1.0


_FUNCTION = re.compile(r"\\(arccos|argmax|log|max|min|cos|sin)\b")
_ARRANGED = re.compile(r"\\(frac|sqrt|text|mathrm|operatorname|left|right)")
_SCRIPT = re.compile(r"[_^](\{[^{}]*\}|.)")
_WORD = re.compile(r"[a-z]{3,}")
_COMMAND = re.compile(r"\\[a-z]+", re.IGNORECASE)


def ems_of(latex: str) -> float:
    """The approximate width of a formula in ems, for its layout before it is typeset.

    The widths of letters, scripts, operators with their spaces and brackets are fitted to the formulas of all examples.
    """
    plain = _ARRANGED.sub(" ", _FUNCTION.sub(r" \1 ", latex))
    plain = _COMMAND.sub("x", plain)  # a command such as \langle draws one sign
    scripts = sum(c.isalnum() for found in _SCRIPT.finditer(plain) for c in found.group(1))
    plain = _SCRIPT.sub("", plain)
    upright = sum(map(len, _WORD.findall(plain)))  # "softmax": narrower than as many symbols
    letters, operators = sum(map(str.isalnum, plain)) - upright, sum(c in "=+-·/×" for c in plain)
    return 0.58 * letters + 0.42 * upright + 0.46 * scripts + 1.7 * operators + 0.38 * sum(c in "()[]|," for c in plain)


class FlowLine(Mark):
    """A line with corners along which numbers flow, with an arrowhead at its end."""

    points: tuple[tuple[float, float], ...]  # (x, y)
    ink: str = MUTED
    width: float = 1.5  # pixels
    head: bool = True


class Bars(Mark):
    """A list of words with a bar each, such as the most probable next words. Higher bars have larger words."""

    place: Rect
    words: tuple[str, ...]
    values: tuple[float, ...]  # from 0 to `full`
    cells: tuple[Cell, ...] = ()  # the cell of each bar: pointing at the bar means pointing at the cell
    full: float = 1.0  # the value of the longest possible bar
    before: tuple[float, ...] = ()  # the values before the last edit, if the edit changed them


class Axis(Data):
    """One side of a drawing."""

    title: str = ""
    # One for each unit, in its middle; None: numbers. No labels at all: ``()``.
    labels: tuple[str, ...] | None = None
    most: int = 24  # the most labels that are written; of more, only some
    token: str = ""  # the axis of tokens, if the labels are its words: a lit word stands out
    grid: bool = False
    short: str = ""  # the title in fewer words, where a side of numbers is too short for it


class Probe(Data):
    """The text that a drawing shows about the place that the reader points at."""

    invitation: str  # shown while the reader points at nothing: "Point anywhere to ask the net."

    def said(self, x: float, y: float) -> str:
        """The text about one place."""
        raise NotImplementedError(type(self).__name__)


class Drawing(Data):
    """Marks in a window."""

    marks: tuple[Mark, ...]  # later marks are drawn above earlier ones
    # Left, right, bottom and top. While a mark is dragged, a renderer keeps the window of the start of the drag.
    window: tuple[float, float, float, float]
    summary: str  # the drawing in words, for a screen reader
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    # Whether y counts downwards, as the rows of a matrix do; an x axis with labels then stands on top.
    down: bool = False
    square: bool = False  # whether both axes have the same scale
    probe: Probe | None = None
    # Whether the wheel, + and − zoom, and dragging moves the drawing; words grow with the zoom. Zooming in until a box
    # fills the view performs the box's gesture (`Box.leads`).
    zoom: bool = False
    # In a drawing with zoom: the gesture of zooming out when the whole drawing is already in sight.
    out: Gesture | None = None

    @cached_property
    def boxes(self) -> dict[int, Box]:
        """The boxes that lead somewhere, by their numbers among the marks."""
        return {i: mark for i, mark in enumerate(self.marks) if isinstance(mark, Box) and mark.leads is not None}

    @cached_property
    def grids(self) -> tuple[Image | Strips, ...]:
        """The images and strips whose numbers are cells."""
        cells = (one for one in self.marks if isinstance(one, Image | Strips))
        return tuple(one for one in cells if isinstance(one, Strips) or one.node is not None)


def zoomed(marks: Iterable[Mark], window: tuple[float, float, float, float], summary: str) -> Drawing:
    """A drawing with zoom and without sides, in which y counts downwards."""
    bare = Axis(labels=())
    return Drawing(tuple(marks), window, summary, bare, bare, down=True, square=True, zoom=True)


LONG = 24
"""With at most this many words, the colours of shares go from 0 to 1, so that pictures can be compared."""


class WordRoom(Data):
    """The room that a page gives a picture of words; lengths in pixels."""

    width: float = inf  # the most of the whole picture
    square: float = inf  # the most of the longer side of a heat map, without its words
    larger: float = 1.0  # how many times farther apart than needed words stand, if they are few
    # Of one of several heat maps that are compared; 0: it is alone.
    side: int = 0  # its longer side, without its words
    # The first of a line alone names the rows; all have one scale of colours, which stands above the first.
    names_rows: bool = True
    scaled: bool = True


class HeatMap(Element):
    """Attention weights as a picture: a square for each query and key; larger shares have deeper colours."""

    matrix: Matrix
    title: str = ""
    full: float = 1.0  # the share at which the colour is deepest; below 1 where many words share


class AttentionLines(Element):
    """Attention weights as lines from each query to each key; larger shares have thicker lines.

    The lines always show the weights, even while matrices show changes or gradients.
    """

    matrix: Matrix  # its `values` are the weights
    title: str = ""
    # (name of a node, axes): nodes whose cells light up words here, and the axes of their rows and columns.
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()


class VectorStrips(Element):
    """The vectors of words, one below the other: a row of bars for each, all on one scale."""

    words: tuple[str, ...]
    array: Array  # (n_words, dims)
    notes: tuple[str, ...]  # the text behind each row
    here: str  # the highlighted word
    dimension: int  # the highlighted dimension; -1 for none
    points: Gesture  # gets the dimension under the pointer, or that of the arrow keys
    follows: tuple[Gesture | None, ...]  # the gesture of a click on each word
    row: int = 56  # the height of a row in pixels at text scale 1


class WordMap(Element):
    """Words as points in a plane, which can be moved and zoomed."""

    words: tuple[str, ...]
    points: Array  # (n_words, 2)
    chosen: int  # so many of the words, the first ones, were chosen: they stand out
    origin: tuple[float, float] | None = None  # the place of a vector of zeros, if it has one
    shares: tuple[float, ...] = ()  # the share of the variance of each direction; () if directions mean nothing
    arrows: bool = False  # whether the chosen ones are arrows from the origin
    here: str = ""  # the word that the page looks at
    follows: Gesture | None = None  # gets the word of a clicked point
    height: int = 0  # in pixels at text scale 1


class SentenceRow(Data):
    """One row of words: the sentence that is read, that should be said, or that is said."""

    title: str
    axis: str
    words: tuple[str, ...]


class Sentences(Element):
    """Rows of words, one above the other. Rows that are too long stand side by side, or take several lines."""

    rows: tuple[SentenceRow, ...]  # with `weights`, the first is the source
    weights: Matrix | None  # cross-attention weights, drawn as lines between target and source
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (name of a node, axes): as in `AttentionLines`
