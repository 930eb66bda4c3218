"""A drawing: marks in a window of numbers. What each mark stands for, and what dragging it asks for, is data too.

Pictures of words: who looks at whom, and what is read and said.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.pages.element import Data, Element
from explorer.pages.gestures import Gesture
from explorer.pages.matrix import Matrix
from explorer.pages.view import Cell

DRAWABLE = 1e30
"""Numbers beyond cannot be drawn: their squares overflow on the way to pixels."""

SHARES, SIGNED = "shares", "signed"
TEXT, MUTED, LINE, ACCENT, HERE, ERROR = "text", "muted", "line", "accent", "here", "error"
"""Inks, by what they mean; "series 0" to "series 5" tell lines apart."""


def series(k: int) -> str:
    """The ink of the k-th of several lines."""
    return f"series {k % 6}"


def drawable(*numbers: float) -> bool:
    """Whether numbers can be drawn at all: a picture's arithmetic overflows before the numbers do."""
    return all(abs(number) < DRAWABLE for number in numbers)


def reach(array: Array, least: float) -> float:
    """The largest size among the numbers that can be drawn, and not less than `least`.

    Where all are much smaller, as in large models, `least` is a fifth, or a fifth of that: they would be a single dot.
    """
    sizes = np.abs(array)
    largest = float(sizes[sizes < DRAWABLE].max(initial=0.0))
    while 0 < largest < least / 5:
        least /= 5
    return max(largest, least)


@dataclass(frozen=True, eq=False)
class Mark(Data):
    """Something drawn. Coordinates are numbers of the drawing's window, unless a mark says otherwise.

    A cell that makes a mark orange may have fewer indices than its node has axes: then all cells do that begin so, such
    as those of a row.
    """

    faint: float = field(default=0.0, kw_only=True)  # in a drawing with zoom: from 0 to 1, 1 not there yet


@dataclass(frozen=True, eq=False)
class Image(Mark):
    """A matrix as coloured squares; not finite numbers are drawn as 0."""

    array: Array  # (rows, columns); the engine's own array where it is one
    # `low`, `high`: the numbers at the ends of the colour map; a signed map goes from −high to high.
    high: float
    low: float = 0.0
    colours: str = SIGNED  # `SHARES` or `SIGNED`
    # Left, bottom (in a drawing that counts down: top), width, height. The first row lies there.
    place: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    node: Place | None = None  # whose cell each square is
    # How many rows and columns belong to the node; the rest was computed further for the picture. (0, 0): all.
    own: tuple[int, int] = (0, 0)
    smooth: bool = False  # whether colours run into each other: the array is taken from something without steps
    token: str = ""  # the axis whose words the rows are: the row of a lit word is framed
    across: str = ""  # the axis whose words the columns are: the column of a lit word is framed, too


@dataclass(frozen=True, eq=False)
class Curve(Mark):
    """A line through points."""

    x: Array
    y: Array
    name: str = ""  # written at its right end
    ink: str = series(5)
    dashed: bool = False
    width: float = 1.8  # pixels


@dataclass(frozen=True, eq=False)
class Segments(Mark):
    """Straight lines that belong together: a grid, level lines."""

    ends: Array  # (n, 2, 2): start and end of each, as (x, y)
    ink: str = LINE
    width: float = 1.0
    dashed: bool = False
    token: str = ""  # the axis whose words the lines are: those of a lit word are orange
    whose: Array | None = None  # (n,): the place of each line's word along that axis


@dataclass(frozen=True, eq=False)
class Band(Mark):
    """A rectangle: a spread around a mean, a frame, a block."""

    place: tuple[float, float, float, float]  # left, bottom (in a drawing that counts down: top), width, height
    ink: str = LINE
    filled: bool = True  # filled faintly, or framed
    width: float = 2.0


@dataclass(frozen=True, eq=False)
class Dot(Mark):
    """A point that stands for a number of the model."""

    x: float
    y: float
    name: str = ""  # written beside it, where there is room; dots that lie on each other are named together
    ink: str = series(0)
    hollow: bool = False  # switched off
    cell: Cell | None = None  # pointing at it is pointing at this cell; it is orange while the cell is pointed at
    also: tuple[Cell, ...] = ()  # other cells that make it orange
    # (axis, place): the word that it is: orange while that is lit, and pointing at it lights that.
    token: tuple[str, int] | None = None
    drag: Gesture | None = None  # what dragging it asks for; the gesture gets the place as its value
    inside: str = ""  # written in it: it is drawn as a large disc
    below: str = ""  # written below it
    share: float | None = None  # its place on the map of shares, which fills it, in place of the ink
    signed: bool = False  # whether that place is from −1 to 1, on the map of numbers with a sign
    wrong: bool = False  # ringed in red, with a cross behind what is written below


@dataclass(frozen=True, eq=False)
class Strips(Mark):
    """The numbers of each row, or column, of a matrix as points on a line, a band of mean ± σ, and a mark at the mean.

    Strip i lies between y = i and y = i + 1. Its band is orange while its word is lit, or one of its cells is pointed
    at; the point of that cell is, too.
    """

    node: str  # whose numbers they are
    array: Array  # (rows, columns); the engine's own
    # `mean`, `sigma`: (n_strips,).
    mean: Array
    sigma: Array
    axis: int = 0  # which axis of the array runs over the strips: 0 its rows, 1 its columns
    token: str = ""  # the axis whose words the strips are


@dataclass(frozen=True, eq=False)
class Arrow(Mark):
    """An arrow, named at its tip."""

    start: tuple[float, float]
    tip: tuple[float, float]
    name: str = ""
    ink: str = MUTED
    width: float = 1.2  # of the shaft, in pixels; 0: only the head is drawn, as something else lies there
    token: tuple[str, int] | None = None  # (axis, place): the word that it is about: orange while that is lit
    # (axis, place): other words that make it orange: those of a sentence that are this one of the vocabulary.
    also: tuple[tuple[str, int], ...] = ()
    cells: tuple[Cell, ...] = ()  # cells that make it orange; pointing at the tip is pointing at the first
    drag: Gesture | None = None  # what dragging the tip asks for
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Arc(Mark):
    """The angle between two directions from the origin, as an arc with words."""

    # `start`, `turn`: degrees, against the clock, from the x axis; and how far it goes from there.
    start: float
    turn: float
    text: str = ""
    ink: str = MUTED


@dataclass(frozen=True, eq=False)
class Words(Mark):
    """Words at a place; moved a little where something is in the way, and on a patch of the page where an image is."""

    x: float
    y: float
    text: str
    ink: str = MUTED
    fixed: bool = False  # whether they stay where they are, whatever is in the way
    # Which part of fixed words is at the place: 0 their left end, 0.5 their middle, 1 their right end.
    align: float = 0.5
    # (axis, place): the word that they are: orange while that is lit, and pointing at them lights it.
    token: tuple[str, int] | None = None
    size: float = 12.0  # of fixed words in a drawing with zoom: how high a line is, in numbers of the window
    strong: bool = False
    # Of fixed words in a drawing with zoom: how wide they may be, in numbers of the window; 0: as wide as they are.
    room: float = 0.0


@dataclass(frozen=True, eq=False)
class Box(Mark):
    """A part of a whole that one can go to: a block of a model.

    Its words are written in a size that goes with the zoom of the drawing; what does not fit is left out.
    """

    place: tuple[float, float, float, float]  # left, bottom (in a drawing that counts down: top), width, height
    name: str  # what it is for a screen reader, and what arrow keys come to
    title: str = ""  # written at its top
    note: str = ""  # a number or a shape, written at its bottom
    tip: str = ""  # what a tooltip says of it
    leads: Gesture | None = None  # what a click, or Enter, asks for
    share: float | None = None  # its place on the map of shares, which colours its ground
    folded: bool = False  # whether others like it lie behind it
    # Whether others stand in it: then its ground is that of the page, and its title stands at the left.
    around: bool = False
    menu: tuple[tuple[str, Gesture], ...] = ()  # (words, gesture): what a right click offers
    off: bool = False  # whether it is switched off
    # LaTeX, written below the title. With it, if only an empty one, title and note share the first line.
    formula: str | None = None
    ink: str = TEXT  # of the title
    after: tuple[int, ...] = ()  # the numbers of the boxes, among the marks, that it reads from: arrow keys follow them
    letters: float = 1.0  # how many times larger than those of other boxes its letters are


def lines_of(formula: str) -> float:
    """How many lines of a box a formula is high: one with a fraction could not be read in a single one."""
    return (2.2 if r"\sqrt" in formula else 1.6) if r"\frac" in formula else 1.0


_FUNCTION = re.compile(r"\\(arccos|argmax|log|max|min|cos|sin)\b")
_ARRANGED = re.compile(r"\\(frac|sqrt|text|mathrm|operatorname|left|right)")
_SCRIPT = re.compile(r"[_^](\{[^{}]*\}|.)")
_WORD = re.compile(r"[a-z]{3,}")
_COMMAND = re.compile(r"\\[a-z]+", re.IGNORECASE)


def ems_of(latex: str) -> float:
    """About how many ems a formula takes across, for its place before it is typeset.

    The widths of letters, of scripts, of operators with their spaces and of brackets are those that fit the formulas of
    all examples best.
    """
    plain = _ARRANGED.sub(" ", _FUNCTION.sub(r" \1 ", latex))
    plain = _COMMAND.sub("x", plain)  # a command such as langle is one sign
    scripts = sum(c.isalnum() for found in _SCRIPT.finditer(plain) for c in found.group(1))
    plain = _SCRIPT.sub("", plain)
    upright = sum(map(len, _WORD.findall(plain)))  # "softmax": narrower than as many symbols
    letters, operators = sum(map(str.isalnum, plain)) - upright, sum(c in "=+-·/×" for c in plain)
    return 0.58 * letters + 0.42 * upright + 0.46 * scripts + 1.7 * operators + 0.38 * sum(c in "()[]|," for c in plain)


@dataclass(frozen=True, eq=False)
class FlowLine(Mark):
    """A line along which numbers flow, round its corners, with a head at its end."""

    points: tuple[tuple[float, float], ...]  # (x, y)
    ink: str = MUTED
    width: float = 1.5  # pixels
    head: bool = True


@dataclass(frozen=True, eq=False)
class Bars(Mark):
    """Words with a bar each, below each other: the likeliest next words. The higher the bars, the larger the words."""

    place: tuple[float, float, float, float]  # as of `Box`
    words: tuple[str, ...]
    values: tuple[float, ...]  # from 0 to `full`
    cells: tuple[Cell, ...] = ()  # what pointing at each points at
    full: float = 1.0  # the value of a bar as long as there is room
    before: tuple[float, ...] = ()  # the values before the last edit, if that has changed them


@dataclass(frozen=True, eq=False)
class Axis(Data):
    """One side of a drawing."""

    title: str = ""
    # One for each unit, in its middle; None: numbers. No labels at all: ``()``.
    labels: tuple[str, ...] | None = None
    most: int = 24  # labels, of which only as many are written as can be read
    token: str = ""  # the axis of tokens that the labels are, if they are words: a lit word stands out
    grid: bool = False


@dataclass(frozen=True, eq=False)
class Probe(Data):
    """What there is to be said of any place of a drawing."""

    invitation: str  # said while one points at nothing: "Point anywhere to ask the net."

    def said(self, x: float, y: float) -> str:
        """Of one place."""
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True, eq=False)
class Drawing(Data):
    """Marks in a window."""

    marks: tuple[Mark, ...]  # the later above the earlier
    # Left, right, bottom and top. While a mark is dragged, a renderer keeps the one with which the drag began.
    window: tuple[float, float, float, float]
    summary: str  # the drawing in words, for a screen reader
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    # Whether y counts downwards, as the rows of a matrix do; an x axis with labels then stands on top.
    down: bool = False
    square: bool = False  # whether a unit is as long across as it is up
    probe: Probe | None = None
    # Whether one can look closer, by the wheel or + and −, and move about by dragging; words grow along. Who comes so
    # close to a box that it fills the view goes where it leads.
    zoom: bool = False
    # In a drawing with zoom, what looking from still farther away asks for, where all of it is in sight.
    out: Gesture | None = None


LONG = 24
"""Words up to which the colours of shares go from 0 to 1, so that pictures can be compared."""


@dataclass(frozen=True, eq=False)
class HeatMap(Element):
    """Attention weights as a picture: a square for each query and key, deeper the larger the share."""

    matrix: Matrix
    title: str = ""
    full: float = 1.0  # the share at which the colour is deepest; below 1 where many words share


@dataclass(frozen=True, eq=False)
class AttentionLines(Element):
    """Who looks at whom: a line from each query to each key, thicker for a larger share, whatever matrices show."""

    matrix: Matrix  # its `values` are the weights
    title: str = ""
    # (name of a node, axes): nodes whose cells light up words here, with the axes of their rows and columns.
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, eq=False)
class SentenceRow(Data):
    """One row of words: what is read, what should be said, what is said."""

    title: str
    axis: str
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sentences(Element):
    """Rows of words above each other. Where one is too long, they stand beside each other, or take several lines."""

    rows: tuple[SentenceRow, ...]  # with `weights`, the first is the source
    weights: Matrix | None  # attention of the target to the source, drawn as lines between the two
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (name of a node, axes): as of `AttentionLines`
