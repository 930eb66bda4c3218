"""What a person sets or clicks on a page, as data: choices, numbers, buttons, fields, and how they stand together."""

from collections.abc import Callable, Sequence

from explorer.core.model import SwitchValue
from explorer.pages.element import Arrangement, Element
from explorer.pages.gestures import ChooseToken, Gesture
from explorer.pages.view import View

MOST_LETTERS = 1_000_000
"""A limit so large that a too long text is not cut, but counted and refused later."""


class Choice(Element):
    """A choice of one option among several; many options stand in a drop-down list."""

    title: str  # the words before it
    options: tuple[str, ...]
    chosen: int
    # A gesture for each option; or a single gesture, which gets the index of the option as its value.
    asks: tuple[Gesture, ...]
    tip: str = ""  # without a title also its name for a screen reader
    listed: bool = False  # whether even a few options stand in a drop-down list
    on: bool = True  # whether it is enabled
    name: str = ""  # its name for a screen reader, if that is longer than its title


class Number(Element):
    """A whole number to choose, in a box."""

    # `before`, `after`: the words before and after the box.
    before: str
    value: int
    least: int
    most: int
    asks: Gesture
    tip: str = ""
    after: str = ""
    on: bool = True  # whether it can be used now
    drags: bool = False  # whether a slider stands beside it
    slides: bool = False  # whether a long slider stands in place of the box
    name: str = ""  # its name for a screen reader, if that is not the tip
    auto: str = ""  # what stands in place of the least number
    does: "Button | None" = None  # a button behind it, which does something with it


class Check(Element):
    """A check box; `on`: whether it is enabled; `name`: its name for a screen reader, if that is not the text."""

    text: str
    value: bool
    asks: Gesture
    tip: str = ""
    on: bool = True
    name: str = ""


class Button(Element):
    """Words to click: a button that does something, or a link to a page."""

    text: str  # empty: the button is hidden, but keeps its place in the Tab order
    asks: Gesture
    tip: str = ""
    name: str = ""
    on: bool = True  # whether it can be used now
    primary: bool = False  # whether it is the main action of its page; at most one on a page or a card
    link: bool = False  # whether it looks like a link
    wraps: bool = False  # whether its words go on in another line where they do not fit
    keys: bool = False  # whether also a click gives it the keyboard focus
    shorter: tuple[str, ...] = ()  # what stands on it where there is less room, the longest first
    longest: str = ""  # the longest words that it has at times: it keeps their room, so that nothing beside it moves


class Menu(Element):
    """A button that opens a menu of actions."""

    text: str
    entries: tuple[tuple[str, Gesture], ...]
    tip: str = ""
    on: bool = True  # whether it is enabled
    link: bool = False  # whether it looks like a link
    here: int | None = None  # the entry with a tick: they name places, one of which is shown
    shorter: tuple[str, ...] = ()  # as of a `Button`


class ProgressBar(Element):
    """A progress bar."""

    name: str  # its name for a screen reader
    share: float | None  # from 0 to 1; None if that is unknown
    wide: bool = False  # whether it is as wide as its place


class Ring(Element):
    """A ring that fills up to a share, before one's eyes."""

    name: str  # its name for a screen reader
    share: float  # from 0 to 1


class TextBox(Element):
    """A box for several lines of typed or pasted text; `asks` gets the text as its value."""

    title: str  # also its name for a screen reader
    value: str
    asks: Gesture
    most: int  # the most letters that are accepted
    height: int = 96  # in pixels at text scale 1


class Field(Element):
    """A box for one line of text; `asks` gets the text as its value, `enters` is the gesture of the key Enter.

    Without `asks`, what is typed is nobody's until Enter, or until the field is left: then `enters` gets it.
    """

    title: str  # the words before it
    value: str
    asks: Gesture | None
    enters: Gesture
    most: int = 32767  # the most letters that are accepted
    on: bool = True  # whether it is enabled
    tip: str = ""
    width: int = 200  # the least width, in pixels at text scale 1
    leaves: bool = False  # whether leaving the field does the same as Enter
    number: bool = False  # whether it is for a number, which stands at the right, as in the box of a `Number`
    # The placeholder; with one, the title is for a screen reader only and the field is as wide as the page.
    hint: str = ""
    gives: bool = False  # whether `width` is the greatest width, and it is narrower on a narrow page
    # Returns the words that begin with a given text, and takes the most that it returns; None for no completion.
    complete: Callable[[str, int], Sequence[str]] | None = None
    wrong: str = ""  # the error in what is typed, for a screen reader
    name: str = ""  # its name for a screen reader, if that is longer than its title
    powers: tuple[int, int] | None = None  # of ten, at the ends of a slider before the box, which gives a number


class Slider(Element):
    """A slider for a number from 0.1 to 10 on a logarithmic scale, with 0.1, 1 and 10 written below."""

    title: str  # its name for a screen reader
    value: float
    asks: Gesture


class Player(Element):
    """Plays something step by step: a button, a slider over the steps, the speed, and a sentence on the step.

    Without steps it is hidden, but keeps its place.
    """

    value: int  # how many steps have been taken
    steps: tuple[str, ...]  # the name of each step
    asks: Gesture  # gets the number of steps as its value
    said: str = ""  # a sentence on the present step; at the end, on what else the reader can do
    # `plays`, `key`: what is played, in words, and the key that plays it.
    plays: str = "one pass through the model"
    key: str = "Space"
    slow: float = 1.0  # the duration of a step, as a multiple of the usual one


class Controls(Arrangement):
    """Controls side by side, on as many lines as they need."""

    controls: tuple[Element, ...]

    @property
    def inside(self) -> tuple[Element, ...]:
        return self.controls


class Spread(Controls):
    """Controls on one line as wide as the page, with shorter words where these would be cut."""

    shares: tuple[int, ...] = ()  # of the width, for each; without, they are as wide as their words
    right: int = 0  # how many of the last ones stand at the right end


class Form(Controls):
    """Controls one below the other, aligned after the longest of their titles."""


class Switches(Element):
    """Switches of a block: points in which the references, the papers and practice differ."""

    # `block`, `kind`: the path of the block, and its kind, which is a key of `SWITCHES`.
    block: str
    kind: str
    values: tuple[tuple[str, SwitchValue], ...]  # (name, value): the switches in sight, in order
    more: tuple[tuple[str, SwitchValue], ...] = ()  # (name, value): the switches that "More switches" shows
    several: int = 1  # the number of blocks of this kind, if "Set everywhere" is offered; else 1
    width: str = "d_k"  # what the scale divides by, as the formula has it: a number if that is no width of a key
    where: str = ""  # the title of the block, for a screen reader
    unfolded: bool = False  # whether `more` are shown
    everywhere: bool = False  # whether "Set everywhere" is ticked, and can be seen
    example: str = ""  # the example that both are kept for


def row_choice(view: View, axis: str, what: str = "Position", last: bool = False) -> Choice:
    """The choice of a row of an axis. It chooses the same token on all pages.

    `what`: the word before it: "Position", "Case".
    `last`: whether the last row is chosen at first, instead of the first one.
    """
    tip = f"{what}: which row to look at"
    return Choice(f"row of {axis}", what, view.labels(axis), view.row(axis, last), (ChooseToken(axis),), tip)
