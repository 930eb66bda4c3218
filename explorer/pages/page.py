"""The elements of a page.

Which row of a matrix a page is about: the token that was chosen, or another one; and its name in a sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from typing import Any

import numpy as np

from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.core.switches import SwitchValue
from explorer.pages.drawing import Drawing, HeatMap, Strips
from explorer.pages.element import Arrangement, Data, Element, Made
from explorer.pages.gestures import ChooseToken, Gesture
from explorer.pages.view import Cell, View

WORDS, NUMBER, BAR, HEAT = "words", "number", "bar", "heat"


@dataclass(frozen=True, eq=False)
class Page(Data):
    """What stands on one stage."""

    stage: str  # name of the stage
    header: "Header"
    elements: tuple[Element, ...]  # from top to bottom

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes of which it shows cells; of a long list the first lines say which."""
        return frozenset(_nodes(self.elements))


@dataclass(frozen=True, eq=False)
class Header(Element):
    """The head of a page."""

    title: str
    sentence: str  # what happens here, in one sentence
    # The layer, and the head, that all pages look at; how products are laid out.
    choices: tuple["Choice | Check", ...] = ()
    switches: "Switches | None" = None  # those of the stage's block that belong here
    crumbs: tuple["Button", ...] = ()  # what the stage is in, from the outermost: ways back
    short: str = ""  # the title without what the crumbs and the choices say


@dataclass(frozen=True, eq=False)
class Section(Element):
    """A heading on the page."""

    text: str


@dataclass(frozen=True, eq=False)
class Note(Element):
    """A sentence that says what the numbers are now."""

    # With ``<b>`` around what counts, ``<i>`` around words spoken of, ``<mark>`` around the place one is at; other
    # ``<``, ``>`` and ``&`` are escaped (`html.escape`).
    text: str
    wide: bool = True  # whether it takes the width of the page; else it is as wide as its words


@dataclass(frozen=True, eq=False)
class Waiting(Element):
    """The place of what is computed beside the window: how far that has come, and a button that stops it.

    Its id is the key of `View.awaited`; the widget follows the work by itself.
    """

    what: str  # what is being computed, as a sentence begins
    stopped: bool = False  # whether somebody has stopped it: then the button begins it anew


def waiting(view: View, key: str, what: str) -> Waiting:
    """The place of what `View.awaited` has not come to yet."""
    return Waiting(key, what, view.aside is not None and view.aside.stopped(key))


@dataclass(frozen=True, eq=False)
class Item(Data):
    """An element in a row, behind an operator sign: "×", "=", "→", or none."""

    sign: str
    element: Element
    holds: bool = True  # whether the sign is true of what the matrices show; else its place is left free
    yields: bool = False  # whether it is the first to be a small picture where room is short: its numbers say no more


@dataclass(frozen=True, eq=False)
class Row(Arrangement):
    """Elements side by side, on as many lines as it takes."""

    items: tuple[Item, ...]
    # Whether its matrices are small pictures, until one looks closer, where they would take too much of the screen.
    folds: bool = False

    @property
    def inside(self) -> tuple[Element, ...]:
        return tuple([item.element for item in self.items])


@dataclass(frozen=True, eq=False)
class Stack(Arrangement):
    """Elements below each other under a small heading: a picture and what belongs to it."""

    title: str
    elements: tuple[Element, ...]
    width: int = 0  # pixels at text scale 1 that it takes; 0: as many as it needs
    ink: str = ""  # of a square before the title, as of the bands in the heading of a joined matrix; empty: none
    control: "Button | None" = None  # what stands behind the title

    @property
    def inside(self) -> tuple[Element, ...]:
        return self.elements if self.control is None else (self.control, *self.elements)


COLUMN = 660
"""Pixels at text scale 1 that one of two parts takes which stand beside each other in a window of 1920 pixels."""
WIDE, NARROW = 900, 620
"""And the two parts of a page that stand beside each other in one of 2560 pixels: a list with its picture, and a list.
"""


def beside(*parts: tuple[int, tuple[Element, ...]]) -> Row:
    """Parts of a page beside each other where there is room, else below each other.

    `parts`: how wide each is, in pixels at text scale 1, and what stands in it, its heading first.
    """
    stacks = [Stack(f"part of {inside[0].id}", "", inside, width) for width, inside in parts]
    return Row(f"from {parts[0][1][0].id}", tuple(Item("", stack) for stack in stacks))


def parts_beside(row: Row) -> tuple[Stack, ...]:
    """The parts of a page that stand in a row of such; none of another row."""
    parts = tuple(one for one in row.inside if isinstance(one, Stack) and one.width and not one.title)
    return parts if len(parts) == len(row.items) > 1 else ()


def maps_alike(row: Row) -> tuple[HeatMap, ...]:
    """The heat maps of a row of several like ones, each below a heading of its own; none of another row."""
    stacks = [one.elements for one in row.inside if isinstance(one, Stack)]
    maps = tuple(one for inside in stacks for one in inside if isinstance(one, HeatMap))
    return maps if len(maps) == len(stacks) == len(row.items) > 1 else ()


@dataclass(frozen=True, eq=False)
class Column(Data):
    """A column of a listing."""

    title: str
    # `WORDS` (left-aligned), `NUMBER` (right-aligned figures), `BAR`, or `HEAT` (figures on the colour of a number
    # between −1 and 1).
    kind: str = WORDS
    # Of a bar, in pixels at text scale 1; words take so many at most, or as many as words have everywhere.
    width: int = 160
    # The numbers at the two ends of a bar; 0 lies between them or at one of them.
    reach: tuple[float, float] = (0.0, 1.0)
    signed: bool = False  # whether its bars have the colours of signs, rather than that of shares
    names: bool = False  # whether its words may hold names of quantities, which are set; a word of a text is not


FLAT = 0.25
"""Shares of which none is larger have bars that go as far as the largest: at a scale to 1 all would be alike."""


def reach_of(shares: Array) -> tuple[float, float]:
    """The numbers at the two ends of the bars of shares."""
    largest = float(np.nan_to_num(shares, nan=0.0, posinf=1.0, neginf=0.0).max(initial=0.0))
    return 0.0, largest if 0 < largest < FLAT else 1.0


@dataclass(frozen=True, eq=False)
class Entry(Data):
    """What stands in one column of a line."""

    text: str  # of a bar, the words that say the same
    value: float = 0.0  # the number that a bar or a colour shows
    tip: str = ""  # the whole truth, where the text is rounded
    muted: bool = False  # whether the words stand back; of a `HEAT`, whether its ground is grey
    off: bool = False  # whether a bar is hatched: a unit that is switched off
    leads: Gesture | None = None  # what a click asks for
    # What choosing another word of `Listing.vocabulary` asks for; its value is the word's number.
    choose: Gesture | None = None


@dataclass(frozen=True, eq=False)
class Line(Data):
    """A line of a listing."""

    entries: tuple[Entry, ...]  # one for each column
    cell: Cell | None = None  # the cell of a node that the line is about
    here: bool = False  # whether it is the one that the page is about: the chosen word
    strong: bool = False  # whether it is a sum or a heading

    @staticmethod
    def of(*entries: Entry | str, cell: Cell | None = None, here: bool = False, strong: bool = False) -> "Line":
        """A line in which words stand for an entry that has nothing else."""
        return Line(tuple(Entry(one) if isinstance(one, str) else one for one in entries), cell, here, strong)


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
    """Lines of words, numbers and bars."""

    name: str  # for a screen reader
    columns: tuple[Column, ...]
    # Of a large vocabulary `Lines`, which make each when it is asked for, and are equal while they make the same.
    lines: Sequence[Line]
    most: int = 12  # lines in sight at first
    vocabulary: tuple[str, ...] = ()  # the words that `Entry.choose` chooses from
    order: str = ""  # by what the lines are sorted: with another order one begins at the top again
    labels: tuple[str, ...] = ()  # what stands before each line and stays in sight; () for a list without
    # Whether the others come by its own scroll bar: on a page that has none. Else they come when they are asked for.
    scrolls: bool = False
    key: str = ""  # the one that asks for the others, said beside how many there are


# Pictures


@dataclass(frozen=True, eq=False)
class Picture(Element):
    """A drawing with its size on the page, in pixels at text scale 1."""

    made: Drawing | Made[Drawing]  # the drawing, or what makes it as soon as somebody looks
    width: int
    height: int
    fills: bool = False  # whether it takes all the room that the page has in sight; then its height is the least
    spare: bool = False  # whether it stands there only where the page leaves it that height

    @cached_property
    def drawing(self) -> Drawing:
        """What is drawn."""
        return self.made if isinstance(self.made, Drawing) else self.made()


# Controls


@dataclass(frozen=True, eq=False)
class Choice(Element):
    """One of a few; of many, a list."""

    title: str  # said before it
    options: tuple[str, ...]
    chosen: int
    # One for each option; or a single one, which is given the number of the option as its value.
    asks: tuple[Gesture, ...]
    tip: str = ""


@dataclass(frozen=True, eq=False)
class Number(Element):
    """A whole number to choose, in a box."""

    # `before`, `after`: said before and behind the box.
    before: str
    value: int
    least: int
    most: int
    asks: Gesture
    tip: str = ""  # its name for a screen reader, too
    after: str = ""
    on: bool = True  # whether it can be used now
    drags: bool = False  # whether a slider stands beside it


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
    """Words to click: a button for something to do, a link for a page to go to."""

    text: str
    asks: Gesture
    tip: str = ""
    name: str = ""
    on: bool = True  # whether it can be used now
    primary: bool = False  # whether its page is there for it: at most one of a page


@dataclass(frozen=True, eq=False)
class TextBox(Element):
    """Lines of text to type or paste; `asks` is given what stands there."""

    title: str  # its name for a screen reader, too
    value: str
    asks: Gesture
    most: int  # letters that are taken


@dataclass(frozen=True, eq=False)
class Field(Element):
    """A line of text to type; `asks` is given what stands there, `enters` is what Enter asks for."""

    title: str  # said before it
    value: str
    asks: Gesture
    enters: Gesture
    most: int  # letters that are taken
    on: bool = True  # whether it can be typed in now


@dataclass(frozen=True, eq=False)
class Slider(Element):
    """A number from a tenth to ten, in even steps of its logarithm; below it stand 0.1, 1 and 10."""

    title: str  # its name for a screen reader
    value: float
    asks: Gesture


@dataclass(frozen=True, eq=False)
class Player(Element):
    """Plays something that has steps: a button, a slider through it, how fast it goes, and what it has come to."""

    value: int  # steps taken, 0 to as many as there are
    steps: tuple[str, ...]  # what each of them does
    asks: Gesture  # given the number of steps
    said: str = ""  # what it has come to; at its end, what else one can do
    # `plays`, `key`: what it is that is played, and the key that does it.
    plays: str = "one pass through the model"
    key: str = "Space"
    slow: float = 1.0  # how many times longer than usual a step takes


@dataclass(frozen=True, eq=False)
class Controls(Arrangement):
    """Controls side by side, on as many lines as it takes."""

    controls: tuple[Element, ...]

    @property
    def inside(self) -> tuple[Element, ...]:
        return self.controls


@dataclass(frozen=True, eq=False)
class Switches(Element):
    """Switches of a block: what the references, the papers and practice decide differently."""

    # `block`, `kind`: the block's path, and its kind: a key of `SWITCHES`.
    block: str
    kind: str
    values: tuple[tuple[str, SwitchValue], ...]  # (name, value): those in sight, in order
    more: tuple[tuple[str, SwitchValue], ...] = ()  # (name, value): those that "More switches" brings
    several: int = 1  # how many blocks of this kind there are, where "Set everywhere" is offered; else 1


@dataclass(frozen=True, eq=False)
class Descent(Element):
    """A part of gradient descent, which is in motion while the page stands: it follows the run by itself."""

    # "steps" (the controls), "curve" (with its choice of a scale), "surface", "cells" (where its two are chosen) or
    # "weights" (what moves).
    part: str
    about: tuple[object, ...] = field(default=())  # what makes it another one: it is made anew when this differs
    width: int = 0
    height: int = 0
    all_from: int = 0  # pixels at text scale 1 of a page from which on it takes all of the width; 0: never


def _nodes(data: object) -> Iterator[str]:
    if isinstance(data, Cell | Place | Strips):
        yield data.node
    elif isinstance(data, Listing):
        yield from _nodes(tuple(data.lines[: data.most]))
    elif isinstance(data, Picture):
        yield from _nodes(data.drawing)
    elif isinstance(data, tuple):
        for part in data:
            if part.__class__ is not str:  # of a large model, the names of 50,257 words, several times
                yield from _nodes(part)
    elif isinstance(data, Data):
        for name in data.__dataclass_fields__:
            yield from _nodes(getattr(data, name))


def row_choice(view: View, axis: str, what: str = "Position", last: bool = False) -> Choice:
    """A choice between the rows of an axis. Choosing one is choosing the token, everywhere.

    Parameters
    ----------
    what : str
        Said before it: "Position", "Case".
    last : bool
        Whether one begins with the last row instead of the first.
    """
    tip = f"{what}: which row to look at"
    return Choice(f"row of {axis}", what, view.labels(axis), view.row(axis, last), (ChooseToken(axis),), tip)


def where_said(view: View, word: str) -> str:
    """Where a word of the output belongs: after a word that is read, or, of an encoder, in its place."""
    return f"{'At' if view.state.model.kind == 'encoder' else 'After'} “{word}”"


def said(words: str) -> str:
    """The words of a note without its marks, for a screen reader."""
    return unescape(re.sub("<[^>]*>", "", words))
