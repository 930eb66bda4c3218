"""The elements of a page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from explorer.core.switches import SwitchValue
from explorer.pages.drawing import Drawing
from explorer.pages.element import Data, Element, Made
from explorer.pages.gestures import Gesture
from explorer.pages.view import Cell

WORDS, NUMBER, BAR, HEAT = "words", "number", "bar", "heat"


@dataclass(frozen=True, eq=False)
class Page(Data):
    """What stands on one stage.

    Parameters
    ----------
    stage : str
        Name of the stage.
    header : Header
    elements : tuple of Element
        From top to bottom.
    """

    stage: str
    header: "Header"
    elements: tuple[Element, ...]


@dataclass(frozen=True, eq=False)
class Header(Element):
    """The head of a page.

    Parameters
    ----------
    title : str
    sentence : str
        What happens here, in one sentence.
    choices : tuple of Choice or Check
        The layer, and the head, that all pages look at; how products are laid out.
    switches : Switches or None
        Those of the stage's block that belong here.
    crumbs : tuple of Button
        What the stage is in, from the outermost: ways back.
    short : str
        The title without what the crumbs and the choices say.
    """

    title: str
    sentence: str
    choices: tuple["Choice | Check", ...] = ()
    switches: "Switches | None" = None
    crumbs: tuple["Button", ...] = ()
    short: str = ""


@dataclass(frozen=True, eq=False)
class Section(Element):
    """A heading on the page."""

    text: str


@dataclass(frozen=True, eq=False)
class Note(Element):
    """A sentence that says what the numbers are now.

    Parameters
    ----------
    text : str
        With ``<b>`` around what counts, ``<i>`` around words spoken of, ``<mark>`` around the place one is at; other
        ``<``, ``>`` and ``&`` are escaped (`html.escape`).
    wide : bool
        Whether it takes the width of the page; else it is as wide as its words.
    """

    text: str
    wide: bool = True


@dataclass(frozen=True, eq=False)
class Item(Data):
    """An element in a row, behind an operator sign: "×", "=", "→", or none."""

    sign: str
    element: Element


@dataclass(frozen=True, eq=False)
class Row(Element):
    """Elements side by side, on as many lines as it takes.

    Parameters
    ----------
    items : tuple of Item
    folds : bool
        Whether its matrices are small pictures, until one looks closer, where they would take too much of the screen.
    """

    items: tuple[Item, ...]
    folds: bool = False

    @property
    def inside(self) -> tuple[Element, ...]:
        return tuple(item.element for item in self.items)


@dataclass(frozen=True, eq=False)
class Stack(Element):
    """Elements below each other under a small heading: a picture and what belongs to it.

    Parameters
    ----------
    title : str
    elements : tuple of Element
    width : int
        Pixels at text scale 1 that it takes; 0: as many as it needs.
    ink : str
        Of a square before the title, as of the bands in the heading of a joined matrix; empty: none.
    control : Button or None
        What stands behind the title.
    """

    title: str
    elements: tuple[Element, ...]
    width: int = 0
    ink: str = ""
    control: "Button | None" = None

    @property
    def inside(self) -> tuple[Element, ...]:
        return self.elements if self.control is None else (self.control, *self.elements)


@dataclass(frozen=True, eq=False)
class Column(Data):
    """A column of a listing.

    Parameters
    ----------
    title : str
    kind : str
        `WORDS` (left-aligned), `NUMBER` (right-aligned figures), `BAR`, or `HEAT` (figures on the colour of a number
        between −1 and 1).
    width : int
        Of a bar, in pixels at text scale 1; words take so many at most, or as many as words have everywhere.
    reach : tuple of float
        The numbers at the two ends of a bar; 0 lies between them or at one of them.
    """

    title: str
    kind: str = WORDS
    width: int = 160
    reach: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Entry(Data):
    """What stands in one column of a line.

    Parameters
    ----------
    text : str
        Of a bar, the words that say the same.
    value : float
        The number that a bar or a colour shows.
    tip : str
        The whole truth, where the text is rounded.
    muted : bool
        Whether the words stand back.
    off : bool
        Whether a bar is hatched: a unit that is switched off.
    leads : Gesture or None
        What a click asks for.
    choose : Gesture or None
        What choosing another word of `Listing.vocabulary` asks for; its value is the word's number.
    """

    text: str
    value: float = 0.0
    tip: str = ""
    muted: bool = False
    off: bool = False
    leads: Gesture | None = None
    choose: Gesture | None = None


@dataclass(frozen=True, eq=False)
class Line(Data):
    """A line of a listing.

    Parameters
    ----------
    entries : tuple of Entry
        One for each column.
    cell : Cell or None
        The cell of a node that the line is about.
    here : bool
        Whether it is the one that the page is about: the chosen word.
    strong : bool
        Whether it is a sum or a heading.
    """

    entries: tuple[Entry, ...]
    cell: Cell | None = None
    here: bool = False
    strong: bool = False


class Lines(Data, Sequence[Line]):
    """Lines of a listing that are made when they are asked for; of a large vocabulary, only those in sight."""

    def line(self, row: int) -> Line:
        """The line of a row, counted from 0."""
        raise NotImplementedError(type(self).__name__)

    def __getitem__(self, row: Any) -> Any:
        rows = range(len(self))[row]
        return self.line(rows) if isinstance(rows, int) else [self.line(one) for one in rows]


@dataclass(frozen=True, eq=False)
class Listing(Element):
    """Lines of words, numbers and bars.

    Parameters
    ----------
    name : str
        For a screen reader.
    columns : tuple of Column
    lines : sequence of Line
        Of a large vocabulary `Lines`, which make each when it is asked for, and are equal while they make the same.
    most : int
        Lines in sight at first.
    vocabulary : tuple of str
        The words that `Entry.choose` chooses from.
    labels : tuple of str
        What stands before each line and stays in sight; () for a list without.
    order : str
        By what the lines are sorted: with another order one begins at the top again.
    scrolls : bool
        Whether the others come by its own scroll bar: on a page that has none. Else they come when they are asked for.
    key : str
        The one that asks for the others, said beside how many there are.
    """

    name: str
    columns: tuple[Column, ...]
    lines: Sequence[Line]
    most: int = 12
    vocabulary: tuple[str, ...] = ()
    order: str = ""
    labels: tuple[str, ...] = ()
    scrolls: bool = False
    key: str = ""


# Pictures


@dataclass(frozen=True, eq=False)
class Picture(Element):
    """A drawing with its size on the page, in pixels at text scale 1.

    Parameters
    ----------
    made : Drawing or Made
        The drawing, or what makes it as soon as somebody looks.
    width, height : int
    fills : bool
        Whether it takes all the room that the page has in sight; then its height is the least.
    """

    made: Drawing | Made[Drawing]
    width: int
    height: int
    fills: bool = False

    @cached_property
    def drawing(self) -> Drawing:
        """What is drawn."""
        return self.made if isinstance(self.made, Drawing) else self.made()


# Controls


@dataclass(frozen=True, eq=False)
class Choice(Element):
    """One of a few; of many, a list.

    Parameters
    ----------
    title : str
        Said before it.
    options : tuple of str
    chosen : int
    asks : tuple of Gesture
        One for each option; or a single one, which is given the number of the option as its value.
    tip : str
    """

    title: str
    options: tuple[str, ...]
    chosen: int
    asks: tuple[Gesture, ...]
    tip: str = ""


@dataclass(frozen=True, eq=False)
class Number(Element):
    """A whole number to choose, in a box.

    Parameters
    ----------
    before, after : str
        Said before and behind the box.
    value, least, most : int
    asks : Gesture
    tip : str
        Its name for a screen reader, too.
    on : bool
        Whether it can be used now.
    drags : bool
        Whether a slider stands beside it.
    """

    before: str
    value: int
    least: int
    most: int
    asks: Gesture
    tip: str = ""
    after: str = ""
    on: bool = True
    drags: bool = False


@dataclass(frozen=True, eq=False)
class Check(Element):
    """A choice between yes and no; `on`: whether it can be made now."""

    text: str
    value: bool
    asks: Gesture
    tip: str = ""
    on: bool = True


@dataclass(frozen=True, eq=False)
class Button(Element):
    """Words to click."""

    text: str
    asks: Gesture
    tip: str = ""
    name: str = ""


@dataclass(frozen=True, eq=False)
class TextBox(Element):
    """Lines of text to type or paste; `asks` is given what stands there.

    Parameters
    ----------
    title : str
        Its name for a screen reader, too.
    value : str
    asks : Gesture
    most : int
        Letters that are taken.
    """

    title: str
    value: str
    asks: Gesture
    most: int


@dataclass(frozen=True, eq=False)
class Slider(Element):
    """A number from a tenth to ten, in even steps of its logarithm; below it stand 0.1, 1 and 10.

    Parameters
    ----------
    title : str
        Its name for a screen reader.
    value : float
    asks : Gesture
    """

    title: str
    value: float
    asks: Gesture


@dataclass(frozen=True, eq=False)
class Player(Element):
    """Plays something that has steps: a button, a slider through it, how fast it goes, and what it has come to.

    Parameters
    ----------
    value : int
        Steps taken, 0 to as many as there are.
    steps : tuple of str
        What each of them does.
    asks : Gesture
        Given the number of steps.
    backward : bool
        Whether it goes from the end to the beginning, as gradients do.
    said : str
        What it has come to; at its end, what else one can do.
    """

    value: int
    steps: tuple[str, ...]
    asks: Gesture
    backward: bool = False
    said: str = ""


@dataclass(frozen=True, eq=False)
class Controls(Element):
    """Controls side by side, on as many lines as it takes."""

    controls: tuple[Element, ...]

    @property
    def inside(self) -> tuple[Element, ...]:
        return self.controls


@dataclass(frozen=True, eq=False)
class Switches(Element):
    """Switches of a block: what the references, the papers and practice decide differently.

    Parameters
    ----------
    block, kind : str
        The block's path, and its kind: a key of `SWITCHES`.
    values : tuple of (name, value)
        Those in sight, in order.
    more : tuple of (name, value)
        Those that "More switches" brings.
    several : int
        How many blocks of this kind there are, where "Set everywhere" is offered; else 1.
    """

    block: str
    kind: str
    values: tuple[tuple[str, SwitchValue], ...]
    more: tuple[tuple[str, SwitchValue], ...] = ()
    several: int = 1


@dataclass(frozen=True, eq=False)
class Descent(Element):
    """A part of gradient descent, which is in motion while the page stands: it follows the run by itself.

    Parameters
    ----------
    part : str
        "steps" (the controls), "curve" (with its choice of a scale), "surface" or "weights" (what moves).
    about : tuple
        What makes it another one: it is made anew when this differs.
    """

    part: str
    about: tuple[object, ...] = field(default=())
    width: int = 0
    height: int = 0
