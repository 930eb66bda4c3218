"""A drawing: marks in a window of numbers. What each mark stands for, and what dragging it asks for, is data too."""

from dataclasses import dataclass, field

import numpy as np

from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.pages.element import Data
from explorer.pages.gestures import Gesture
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
    """The largest size among the numbers that can be drawn, and not less than `least`."""
    sizes = np.abs(array)
    return float(sizes[sizes < DRAWABLE].max(initial=least))


@dataclass(frozen=True, eq=False)
class Mark(Data):
    """Something drawn. Coordinates are numbers of the drawing's window, unless a mark says otherwise.

    A cell that makes a mark orange may have fewer indices than its node has axes: then all cells do that begin so, such
    as those of a row.

    Parameters
    ----------
    faint : bool
        In a drawing with zoom, whether it is not there yet.
    """

    faint: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, eq=False)
class Image(Mark):
    """A matrix as coloured squares; not finite numbers are drawn as 0.

    Parameters
    ----------
    array : numpy.ndarray
        (rows, columns); the engine's own array where it is one.
    low, high : float
        The numbers at the ends of the colour map; a signed map goes from −high to high.
    colours : str
        `SHARES` or `SIGNED`.
    place : tuple of float
        Left, bottom (in a drawing that counts down: top), width, height. The first row lies there.
    node : Place or None
        Whose cell each square is.
    own : tuple of int
        How many rows and columns belong to the node; the rest was computed further for the picture. (0, 0): all.
    smooth : bool
        Whether colours run into each other: the array is taken from something without steps.
    token : str
        The axis whose words the rows are: the row of a lit word is framed.
    across : str
        The axis whose words the columns are: the column of a lit word is framed, too.
    """

    array: Array
    high: float
    low: float = 0.0
    colours: str = SIGNED
    place: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    node: Place | None = None
    own: tuple[int, int] = (0, 0)
    smooth: bool = False
    token: str = ""
    across: str = ""


@dataclass(frozen=True, eq=False)
class Curve(Mark):
    """A line through points.

    Parameters
    ----------
    x, y : numpy.ndarray
    name : str
        Written at its right end.
    ink : str
    dashed : bool
    width : float
        Pixels.
    """

    x: Array
    y: Array
    name: str = ""
    ink: str = series(5)
    dashed: bool = False
    width: float = 1.8


@dataclass(frozen=True, eq=False)
class Segments(Mark):
    """Straight lines that belong together: a grid, level lines.

    Parameters
    ----------
    ends : numpy.ndarray
        (n, 2, 2): start and end of each, as (x, y).
    token : str
        The axis whose words the lines are: those of a lit word are orange.
    whose : numpy.ndarray or None
        (n,): the place of each line's word along that axis.
    """

    ends: Array
    ink: str = LINE
    width: float = 1.0
    dashed: bool = False
    token: str = ""
    whose: Array | None = None


@dataclass(frozen=True, eq=False)
class Band(Mark):
    """A rectangle: a spread around a mean, a frame, a block.

    Parameters
    ----------
    place : tuple of float
        Left, bottom (in a drawing that counts down: top), width, height.
    ink : str
    filled : bool
        Filled faintly, or framed.
    """

    place: tuple[float, float, float, float]
    ink: str = LINE
    filled: bool = True
    width: float = 2.0


@dataclass(frozen=True, eq=False)
class Dot(Mark):
    """A point that stands for a number of the model.

    Parameters
    ----------
    x, y : float
    name : str
        Written beside it, where there is room; dots that lie on each other are named together.
    ink : str
    hollow : bool
        Switched off.
    cell : Cell or None
        Pointing at it is pointing at this cell; it is orange while the cell is pointed at.
    also : tuple of Cell
        Other cells that make it orange.
    token : (axis, place) or None
        The word that it is: orange while that is lit, and pointing at it lights that.
    drag : Gesture or None
        What dragging it asks for; the gesture gets the place as its value.
    inside : str
        Written in it: it is drawn as a large disc.
    below : str
        Written below it.
    share : float or None
        Its place on the map of shares, which fills it, in place of the ink.
    wrong : bool
        Ringed in red, with a cross behind what is written below.
    """

    x: float
    y: float
    name: str = ""
    ink: str = series(0)
    hollow: bool = False
    cell: Cell | None = None
    also: tuple[Cell, ...] = ()
    token: tuple[str, int] | None = None
    drag: Gesture | None = None
    inside: str = ""
    below: str = ""
    share: float | None = None
    wrong: bool = False


@dataclass(frozen=True, eq=False)
class Strips(Mark):
    """The numbers of each row, or column, of a matrix as points on a line, a band of mean ± σ, and a mark at the mean.

    Strip i lies between y = i and y = i + 1. Its band is orange while its word is lit, or one of its cells is pointed
    at; the point of that cell is, too.

    Parameters
    ----------
    node : str
        Whose numbers they are.
    array : numpy.ndarray
        (rows, columns); the engine's own.
    mean, sigma : numpy.ndarray
        (n_strips,)
    axis : int
        Which axis of the array runs over the strips: 0 its rows, 1 its columns.
    token : str
        The axis whose words the strips are.
    """

    node: str
    array: Array
    mean: Array
    sigma: Array
    axis: int = 0
    token: str = ""


@dataclass(frozen=True, eq=False)
class Arrow(Mark):
    """An arrow, named at its tip.

    Parameters
    ----------
    start, tip : tuple of float
    name : str
    ink : str
    width : float
        Of the shaft, in pixels; 0: only the head is drawn, as something else lies there.
    token : (axis, place) or None
        The word that it is about: orange while that is lit.
    also : tuple of (axis, place)
        Other words that make it orange: those of a sentence that are this one of the vocabulary.
    cells : tuple of Cell
        Cells that make it orange; pointing at the tip is pointing at the first.
    drag : Gesture or None
        What dragging the tip asks for.
    dashed : bool
    """

    start: tuple[float, float]
    tip: tuple[float, float]
    name: str = ""
    ink: str = MUTED
    width: float = 1.2
    token: tuple[str, int] | None = None
    also: tuple[tuple[str, int], ...] = ()
    cells: tuple[Cell, ...] = ()
    drag: Gesture | None = None
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Arc(Mark):
    """The angle between two directions from the origin, as an arc with words.

    Parameters
    ----------
    start, turn : float
        Degrees, against the clock, from the x axis; and how far it goes from there.
    text : str
    """

    start: float
    turn: float
    text: str = ""
    ink: str = MUTED


@dataclass(frozen=True, eq=False)
class Words(Mark):
    """Words at a place; moved a little where something is in the way, and on a patch of the page where an image is.

    Parameters
    ----------
    fixed : bool
        Whether they stay where they are, whatever is in the way.
    align : float
        Which part of fixed words is at the place: 0 their left end, 0.5 their middle, 1 their right end.
    token : (axis, place) or None
        The word that they are: orange while that is lit, and pointing at them lights it.
    size : float
        Of fixed words in a drawing with zoom: how high a line is, in numbers of the window.
    strong : bool
    room : float
        Of fixed words in a drawing with zoom: how wide they may be, in numbers of the window; 0: as wide as they are.
    """

    x: float
    y: float
    text: str
    ink: str = MUTED
    fixed: bool = False
    align: float = 0.5
    token: tuple[str, int] | None = None
    size: float = 12.0
    strong: bool = False
    room: float = 0.0


@dataclass(frozen=True, eq=False)
class Box(Mark):
    """A part of a whole that one can go to: a block of a model.

    Its words are written in a size that goes with the zoom of the drawing; what does not fit is left out.

    Parameters
    ----------
    place : tuple of float
        Left, bottom (in a drawing that counts down: top), width, height.
    name : str
        What it is for a screen reader, and what arrow keys come to.
    title : str
        Written at its top.
    note : str
        A number or a shape, written at its bottom.
    tip : str
        What a tooltip says of it.
    leads : Gesture or None
        What a click, or Enter, asks for.
    share : float or None
        Its place on the map of shares, which colours its ground.
    folded : bool
        Whether others like it lie behind it.
    around : bool
        Whether others stand in it: then its ground is that of the page, and its title stands at the left.
    menu : tuple of (words, gesture)
        What a right click offers.
    off : bool
        Whether it is switched off.
    formula : str or None
        LaTeX, written below the title. With it, if only an empty one, title and note share the first line.
    ink : str
        Of the title.
    after : tuple of int
        The numbers of the boxes, among the marks, that it reads from: arrow keys follow them.
    letters : float
        How many times larger than those of other boxes its letters are.
    """

    place: tuple[float, float, float, float]
    name: str
    title: str = ""
    note: str = ""
    tip: str = ""
    leads: Gesture | None = None
    share: float | None = None
    folded: bool = False
    around: bool = False
    menu: tuple[tuple[str, Gesture], ...] = ()
    off: bool = False
    formula: str | None = None
    ink: str = TEXT
    after: tuple[int, ...] = ()
    letters: float = 1.0


@dataclass(frozen=True, eq=False)
class FlowLine(Mark):
    """A line along which numbers flow, round its corners, with a head at its end.

    Parameters
    ----------
    points : tuple of (x, y)
    ink : str
    width : float
        Pixels.
    head : bool
    """

    points: tuple[tuple[float, float], ...]
    ink: str = MUTED
    width: float = 1.5
    head: bool = True


@dataclass(frozen=True, eq=False)
class Bars(Mark):
    """Words with a bar each, below each other: the likeliest next words. The higher the bars, the larger the words.

    Parameters
    ----------
    place : tuple of float
        As of `Box`.
    words : tuple of str
    values : tuple of float
        From 0 to `full`.
    cells : tuple of Cell
        What pointing at each points at.
    full : float
        The value of a bar as long as there is room.
    before : tuple of float
        The values before the last edit, if that has changed them.
    """

    place: tuple[float, float, float, float]
    words: tuple[str, ...]
    values: tuple[float, ...]
    cells: tuple[Cell, ...] = ()
    full: float = 1.0
    before: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Axis(Data):
    """One side of a drawing.

    Parameters
    ----------
    title : str
    labels : tuple of str or None
        One for each unit, in its middle; None: numbers. No labels at all: ``()``.
    most : int
        Labels, of which only as many are written as can be read.
    token : str
        The axis of tokens that the labels are, if they are words: a lit word stands out.
    grid : bool
    """

    title: str = ""
    labels: tuple[str, ...] | None = None
    most: int = 24
    token: str = ""
    grid: bool = False


@dataclass(frozen=True, eq=False)
class Probe(Data):
    """What there is to be said of any place of a drawing.

    Parameters
    ----------
    invitation : str
        Said while one points at nothing: "Point anywhere to ask the net."
    """

    invitation: str

    def said(self, x: float, y: float) -> str:
        """Of one place."""
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True, eq=False)
class Drawing(Data):
    """Marks in a window.

    Parameters
    ----------
    marks : tuple of Mark
        The later above the earlier.
    window : tuple of float
        Left, right, bottom and top. While a mark is dragged, a renderer keeps the one with which the drag began.
    summary : str
        The drawing in words, for a screen reader.
    x, y : Axis
    down : bool
        Whether y counts downwards, as the rows of a matrix do; an x axis with labels then stands on top.
    square : bool
        Whether a unit is as long across as it is up.
    probe : Probe or None
    zoom : bool
        Whether one can look closer, by the wheel or + and −, and move about by dragging; words grow along. Who comes
        so close to a box that it fills the view goes where it leads.
    out : Gesture or None
        In a drawing with zoom, what looking from still farther away asks for, where all of it is in sight.
    """

    marks: tuple[Mark, ...]
    window: tuple[float, float, float, float]
    summary: str
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    down: bool = False
    square: bool = False
    probe: Probe | None = None
    zoom: bool = False
    out: Gesture | None = None
