"""The kinds of elements that a page consists of, as data.

At the end, functions on the row of a matrix that a page is about, and on the words of passages and notes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from html import escape, unescape
from typing import Any, Literal

import numpy as np

from explorer.core import derivation
from explorer.core.graph import Cell, Place
from explorer.core.ops import Array
from explorer.pages.controls import Button, Check, Choice, Switches
from explorer.pages.drawing import Drawing, HeatMap, Strips
from explorer.pages.element import Arrangement, Data, Element, Made
from explorer.pages.gestures import Gesture
from explorer.pages.matrix import Matrix
from explorer.pages.view import View

WORDS, NUMBER, BAR, HEAT, RING = "words", "number", "bar", "heat", "ring"


class Page(Data):
    """The page of one stage."""

    stage: str  # name of the stage
    header: "Header"
    elements: tuple[Element, ...]  # from top to bottom

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes whose cells the page shows; of a long list only the lines in sight at first count."""
        return frozenset(_nodes(self.elements))


class Header(Element):
    """The header of a page."""

    title: str
    sentence: str  # what happens on this stage, in one sentence, with the marks of a `Note`
    # The choices of the layer, of the head, and of the layout of products; buttons.
    choices: tuple[Choice | Check | Button, ...] = ()
    switches: Switches | None = None  # the switches of the stage's block that belong to this stage
    crumbs: tuple[Button, ...] = ()  # links to the parts of the model around the stage, the outermost first
    short: str = ""  # the title without what the crumbs and the choices already say


class Section(Element):
    """A heading on the page."""

    text: str


class Note(Element):
    """A text of one or more sentences, often about the present numbers."""

    # ``<b>`` marks what counts, ``<i>`` quoted words, ``<mark>`` the place that the page is about; any other ``<``,
    # ``>`` and ``&`` is escaped (`html.escape`).
    text: str
    wide: bool = True  # whether it takes the width of the page; else it is as wide as its words
    wrong: bool = False  # whether it is an error message
    selects: bool = False  # whether its words can be selected, to be copied
    role: Literal["note", "", "muted"] = "note"  # how it looks: small and pale, as other words, or only pale


class Passage(Element):
    """Words that wrap, and that may lead elsewhere. Without words it is hidden, but keeps its place.

    Unlike a `Note` it does not move what stands around it while only its numbers change.
    """

    # With the marks of a `Note`, and ``<muted>``, paler, ``<good>``, ``<wrong>``, and links that `lead` or `linked`
    # (of the glossary) has made.
    text: str
    # How it looks.
    role: (
        Literal["", "strong", "small", "muted", "aside", "group", "section", "heading", "document", "title"]
        | Literal["code", "error", "asked", "why", "hint", "here"]
    ) = ""
    leads: tuple[Gesture, ...] = ()  # the gestures of its links
    plain: bool = False  # whether its text has no marks at all, which is laid out much faster
    node: str = ""  # the node that it is about: a click on it asks the glossary for that
    spoken: str = ""  # the words for a screen reader, where those of the text would have marks


class Image(Element):
    """A picture that is drawn already, a `QPixmap`."""

    pixmap: Any


class Maths(Element):
    """A formula in LaTeX; an empty one is hidden, but keeps its place."""

    latex: str
    node: str = ""  # as of a `Passage`


class Derivation(Element):
    """Rows of arithmetic, and their results; without rows it is hidden, but keeps its place."""

    rows: tuple[derivation.Row, ...]


class Waiting(Element):
    """Stands in for elements whose numbers a thread is still computing: the progress, and a button that stops the work.

    Its id is the key of `View.awaited`; the widget follows the work by itself.
    """

    what: str  # what is being computed, the beginning of a sentence
    stopped: bool = False  # whether somebody stopped the work: then the button starts it again


def waiting(view: View, key: str, what: str) -> Waiting:
    """The element that stands in for a result that `View.awaited` does not have yet."""
    return Waiting(key, what, view.aside is not None and view.aside.stopped(key))


class Item(Data):
    """An element in a row, with the operator sign before it: "×", "=", "→", or none."""

    sign: str
    element: Element
    holds: bool = True  # whether the sign is true of the numbers shown; else its place is left empty
    yields: bool = False  # whether it becomes a small picture first if room is short: its numbers tell nothing more


class Row(Arrangement):
    """Elements side by side, on as many lines as it takes."""

    items: tuple[Item, ...]
    # Whether matrices that would take too much of the screen are small pictures, until the reader asks for the numbers.
    folds: bool = False

    @staticmethod
    def of(id: str, elements: Iterable[Element]) -> "Row":
        """A row without signs between its elements."""
        return Row(id, tuple([Item("", one) for one in elements]))

    @property
    def inside(self) -> tuple[Element, ...]:
        return tuple([item.element for item in self.items])


class Stack(Arrangement):
    """Elements one below the other under a small heading, such as a picture with its note and controls."""

    title: str
    elements: tuple[Element, ...]
    width: int = 0  # in pixels at text scale 1; 0: as wide as its contents
    head: int | None = None  # the head, from 0, whose mark stands before the title and over its part of joined heads
    control: Button | None = None  # a button after the title

    @property
    def inside(self) -> tuple[Element, ...]:
        return self.elements if self.control is None else (self.control, *self.elements)


class Scheme(Arrangement):
    """A product in Falk's scheme, for computing by hand: in each cell a row at the left meets a column above."""

    left: Matrix  # the left factor, beside the result
    above: tuple[Matrix, ...]  # above the result: the right factor, and below that a bias added to each row
    result: Matrix

    @property
    def inside(self) -> tuple[Element, ...]:
        return (self.left, *self.above, self.result)


COLUMN = 660
"""The width of each of two parts that stand side by side in a window of 1920 pixels, in pixels at text scale 1."""
WIDE, NARROW = 900, 620
"""The widths of two parts that stand side by side in a window of 2560 pixels: a list with its picture, and a list."""


def beside(*parts: tuple[int, tuple[Element, ...]]) -> Row:
    """Parts of a page side by side if there is room, else one below the other.

    `parts`: for each its width in pixels at text scale 1, and its elements, the heading first.
    """
    stacks = [Stack(f"part of {inside[0].id}", "", inside, width) for width, inside in parts]
    return Row.of(f"from {parts[0][1][0].id}", stacks)


def parts_beside(row: Row) -> tuple[Stack, ...]:
    """The parts in a row that `beside` made; () for any other row."""
    parts = tuple(one for one in row.inside if isinstance(one, Stack) and one.width and not one.title)
    return parts if len(parts) == len(row.items) > 1 else ()


def maps_alike(row: Row) -> tuple[HeatMap, ...]:
    """The heat maps of a row that has several, each in a stack of its own, and nothing else; () for any other row."""
    stacks = [one.elements for one in row.inside if isinstance(one, Stack)]
    maps = tuple(one for inside in stacks for one in inside if isinstance(one, HeatMap))
    return maps if len(maps) == len(stacks) == len(row.items) > 1 else ()


class Card(Data):
    """A card: what there is to choose, and what can be done with it."""

    id: str  # as of an element
    title: str
    buttons: tuple[Button, ...]  # at the right, below each other
    words: str = ""  # rich text below the title
    said: str = ""  # smaller rich text below that
    share: float | None = None  # how much of it is done, as a ring; None: no ring
    # What makes the small picture at the left, a `QImage` with its description, when the card is first visible.
    image: Made[Any] | None = None


class Cards(Element):
    """Cards of the same width in rows."""

    across: int  # cards in a row
    cards: tuple[Card, ...]
    shown: int  # how many cards are visible, counted from the first; the widgets of the others are kept


class Column(Data):
    """A column of a listing."""

    title: str
    # `WORDS` (left-aligned), `NUMBER` (right-aligned digits), `BAR`, `HEAT` (digits on a colour), or `RING` (a ring of
    # which a share from 0 to 1 is filled).
    kind: str = WORDS
    # The width of bars in pixels at text scale 1; for words, their largest width if that is more than the usual one.
    width: int = 160
    # The numbers at the two ends of a bar; 0 lies between them or at one of them.
    reach: tuple[float, float] = (0.0, 1.0)
    # Whether bars and grounds have the two colours of signs, from −1 to 1, instead of the colour of shares, 0 to 1.
    signed: bool = False
    names: bool = False  # whether names of quantities in its words are typeset; not for words of a text


def numeric(*titles: str) -> tuple[Column, ...]:
    """Columns of right-aligned numbers."""
    return tuple(Column(title, NUMBER) for title in titles)


def signed_reach(numbers: Array) -> tuple[float, float]:
    """The numbers at the two ends of bars that show these numbers, of any sign."""
    finite = numbers[np.isfinite(numbers)]
    low, high = min(float(finite.min(initial=0)), 0.0), max(float(finite.max(initial=0)), 0.0)
    return (low, high) if high > low else (0.0, 1.0)


FLAT = 0.25
"""If no share is larger, the scale of the bars ends at the largest share: on a scale to 1 all bars would look alike."""


def reach_of(shares: Array) -> tuple[float, float]:
    """The numbers at the two ends of the bars of shares."""
    largest = float(np.nan_to_num(shares, nan=0.0, posinf=1.0, neginf=0.0).max(initial=0.0))
    return 0.0, largest if 0 < largest < FLAT else 1.0


class Entry(Data):
    """The contents of one column of a line."""

    text: str  # for a bar: the same in words
    value: float = 0.0  # the number that a bar or a colour shows
    tip: str = ""  # the tooltip, such as the number in full
    muted: bool = False  # whether the words are paler; for `HEAT`, whether the ground is grey
    off: bool = False  # whether a bar is hatched, because its unit is switched off
    # Of a check box before the words, toggled by a click or the space bar: 1 checked, 0 not, between them partly.
    tick: float | None = None
    leads: Gesture | None = None  # the gesture of a click
    # The gesture of choosing another word of `Listing.vocabulary`; its value is the index of the word.
    choose: Gesture | None = None


class Line(Data):
    """A line of a listing."""

    entries: tuple[Entry, ...]  # one for each column
    cell: Cell | None = None  # the cell of a node that the line is about
    here: bool = False  # whether the page is about this line, such as the chosen word
    strong: bool = False  # whether it is a sum or a heading

    @staticmethod
    def of(*entries: Entry | str, cell: Cell | None = None, here: bool = False, strong: bool = False) -> "Line":
        """A line of entries; a string becomes an entry with only this text."""
        return Line(tuple(Entry(one) if isinstance(one, str) else one for one in entries), cell, here, strong)


class Lines(Data, Sequence[Line]):
    """Lines of a listing that are made on demand: for a large vocabulary only the lines in sight are."""

    n: int
    make: Callable[..., Line]  # the function of `reads` and a row, counted from 0, that gives the line of that row
    reads: tuple[object, ...]

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, row: Any) -> Any:
        rows = range(self.n)[row]
        return self.make(*self.reads, rows) if isinstance(rows, int) else [self[one] for one in rows]


class Listing(Element):
    """Lines of words, numbers and bars."""

    name: str  # for a screen reader
    columns: tuple[Column, ...]
    # For a large vocabulary these are `Lines`, made on demand; two are equal if they would make the same lines.
    lines: Sequence[Line]
    most: int = 12  # lines in sight at first
    vocabulary: tuple[str, ...] = ()  # the words that `Entry.choose` chooses from
    order: str = ""  # names the order of the lines: when it changes, the list scrolls back to the top
    labels: tuple[str, ...] = ()  # a label before each line, which stays in sight; () for a list without labels
    letters: int = 24  # the most letters of a label; a longer one is cut
    # Whether the list has its own scroll bar, on a page that has none. Else the other lines are shown on request.
    scrolls: bool = False
    key: str = ""  # the key that shows the other lines, named beside their number


# Pictures


class Picture(Element):
    """A drawing with its size on the page, in pixels at text scale 1."""

    made: Drawing | Made[Drawing]  # the drawing, or a function that makes it when it is first needed
    width: int
    height: int
    fills: bool = False  # whether it fills the page's room in sight; then `height` is its least height
    spare: bool = False  # whether it is shown only if the page has that height to spare
    card: bool = False  # whether it stands on a card, whose background it then has

    @cached_property
    def drawing(self) -> Drawing:
        """The drawing, made now if it is not made yet."""
        return self.made if isinstance(self.made, Drawing) else self.made()


class Trace(Data):
    """A curve of what is measured again and again."""

    name: str  # "train", "validation", "decoder.1.ffn"
    y: Array  # (n,)
    x: Array | None = None  # (n,): after how many steps; 0, 1, 2, … if not given


class Traces(Element):
    """Curves over the steps of a run, with the size of the plot in pixels at text scale 1."""

    lines: tuple[Trace, ...]
    width: int = 0
    height: int = 0
    here: tuple[float, float] | None = None  # the steps and the value of a dot
    until: float = 0.0  # the least end of the axis of steps
    # `below`, `beside`: the titles of the axes.
    below: str = "steps"
    beside: str = "loss"
    log: bool = False  # whether powers of ten have equal distances
    goal: float | None = None  # a number that is to be reached: a dashed line across


class DescentPart(Element):
    """A part of gradient descent, whose widget follows the run by itself while the page stays the same."""

    # "steps" (the controls), "curve", "surface", "cells" (to choose the surface's two weights), or "curve of a goal"
    # (beside a question).
    part: str
    about: tuple[object, ...] = field(default=())  # its identity: the widget is made anew when this differs
    width: int = 0
    height: int = 0
    all_from: int = 0  # the page width, in pixels at text scale 1, from which on it takes all of it; 0: never
    goal: float | None = None  # of "curve of a goal": the loss to reach
    log: bool = False  # of a curve: as of `Traces`


def _nodes(data: object) -> Iterator[str]:
    if isinstance(data, Cell | Place | Strips):
        yield data.node
    elif isinstance(data, Listing):
        yield from _nodes(tuple(data.lines[: data.most]))
    elif isinstance(data, Picture):
        yield from _nodes(data.drawing)
    elif isinstance(data, tuple):
        for part in data:
            if part.__class__ is not str:  # skip words: a large model has 50,257 of them, in several tuples
                yield from _nodes(part)
    elif isinstance(data, Data):
        for name in data.__dataclass_fields__:
            yield from _nodes(getattr(data, name))


def lead(number: int, words: str) -> str:
    """Words of a `Passage` that lead to the gesture of this number."""
    return f"<a href='{number}'>{escape(words)}</a>"


def paragraphs(texts: Iterable[str]) -> str:
    """Texts of a `Passage` as paragraphs of one."""
    return "".join(f"<p style='margin: 0 0 8px 0'>{text}</p>" for text in texts)


def said(words: str) -> str:
    """The text of a note without its marks, for a screen reader."""
    return unescape(re.sub("<[^>]*>", "", words))
