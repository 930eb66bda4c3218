"""Where the parts of a window stand: pure functions of its size, and of the sizes of what stands in them."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from explorer.core.frozen import Frozen
from explorer.pages.equation import Rect
from explorer.ui.window.bar import Size

High = Callable[[int], int]
"""The height of a part at a width, in pixels."""

INSPECTOR, INSPECTOR_PART, INSPECTOR_PART_OF_LARGE = 290, 0.27, 0.35
"""The width of the right column in pixels at text scale 1; its greatest share of the width beside the list of stages;
and the same in large text.
"""
STRIP = 16
"""The height of the strip in place of the folded bottom bar, in pixels at text scale 1."""
NARROW, LOW = 800, 440
"""In a narrower window the right column is folded, in a lower one the bottom bar (pixels at text scale 1)."""
TAUGHT = 960
"""In a narrower window (pixels at text scale 1), the step of a lesson has the share of large text: with few words in a
line its question would be out of sight.
"""
LEAST_HEIGHT = 300
"""Pixels at text scale 1: in a window that scrolls, all is so high."""
GUIDED, COMPARED = 1400, 1500
"""Pixels at text scale 1: in a window narrower than `GUIDED`, the list of stages is folded during a lesson or a
comparison; in one narrower than `COMPARED`, the right column is folded during a comparison.
"""
NARROWEST, WIDEST, RAIL = 160, 226, 46
"""Pixels at text scale 1: the least and the greatest width of the list with titles; and that with numbers only."""
TITLED = 880
"""In a narrower window (pixels at text scale 1), the list has numbers only, since titles would be cut."""
LEAST_ROW, MOST_ROW = 17, 35
"""The least and the greatest height of a row of the list in pixels at text scale 1; rows share its height."""
AROUND, AROUND_TITLES, AROUND_NUMBERS = 6, (8, 4), (2, 2)
"""Pixels at text scale 1 above the rows and below them; and at their left and right, with titles and without."""
ACROSS, DOWN, TOP, BESIDE, BELOW = 800, 420, 56, 20, 24
"""The most width and height of the command palette, and its distance from the top, in pixels at text scale 1; and the
least pixels beside it and below it.
"""
FROM_EDGE = 12
"""Pixels at text scale 1 from the bar that finds words to the right edge of the page; half of them are above it."""


class Window(Frozen):
    """The size of a window in pixels without its scroll bar, its text scale, and what it is used for."""

    width: int
    height: int
    scale: float
    scrolls: bool = False  # because it is too low
    leads: bool = False  # through the steps of a lesson
    compares: bool = False  # two pages side by side

    def px(self, pixels: float) -> int:
        """Pixels at this text scale."""
        return round(pixels * self.scale)

    @property
    def is_low(self) -> bool:
        """Whether it has no room for the bottom bar, or for words in several lines."""
        return self.height < self.px(LOW)

    @property
    def tight(self) -> dict[str, bool]:
        """For which parts there is too little room, by the names of `Folds`."""
        # In a lesson or a comparison, the page is more important than the list of stages.
        needs_page = self.leads or self.compares
        return {
            "list folded": needs_page and self.width < self.px(GUIDED),
            "right column folded": self.width < self.px(COMPARED if self.compares else NARROW),
            "bottom bar folded": self.is_low,
        }

    @property
    def may_have_titles(self) -> bool:
        """Whether it is wide enough for a list of stages with titles."""
        return self.width >= self.px(TITLED)


class Parts(Frozen):
    """What stands in a window, and the sizes of that, in pixels."""

    bars: Mapping[str, High]  # those on top that are shown
    words: High | None  # of the words that the model reads; None: there are none
    below: High | None  # of the bar below the page; None: it is folded, or a lesson leads
    titles: int  # the width of the list of stages with its titles; 0: it has numbers only
    brings_right: Size  # of the button that brings the right column back; without a width it is not shown
    brings_bottom: int  # the width of the button that brings the bar below the page back; 0: it is not shown
    aside: bool  # whether the column beside the page is shown
    outside: bool  # whether the column beside any other tab is
    least: High | None = None  # of the only page, if nothing else is shown


class Division(NamedTuple):
    """The height of what stands in a window, in pixels, and the rectangles of its parts."""

    height: int
    rects: dict[str, Rect]  # a part that others stand in comes before them


def divided(window: Window, parts: Parts) -> Division:
    """The places of a window's parts. What is not shown has a place, too, in which it may be shown next."""
    px, width, high = window.px, window.width, window.height
    if window.scrolls:
        high = max(px(LEAST_HEIGHT), parts.least(width) if parts.least else 0)
    rects: dict[str, Rect] = {}
    top = 0
    for name, bar in parts.bars.items():
        rects[name] = (0, top, width, bar(width))
        top += rects[name][3]
    tall = max(high - top, 0)
    stages = min(max(parts.titles, px(NARROWEST)), px(WIDEST)) if parts.titles else px(RAIL)
    large = width < px(TAUGHT if window.leads and not window.compares else NARROW)
    column = min(px(INSPECTOR), int((width - stages) * (INSPECTOR_PART_OF_LARGE if large else INSPECTOR_PART)))
    tab = width - column * parts.outside
    words = parts.words(tab) if parts.words else 0
    rects |= {"tabs": (0, top, tab, tall), "outside": (tab, top, column, tall), "tokens": (0, top, tab, words)}
    top, tall = top + words, max(tall - words, 0)
    button, end = parts.brings_right, tab - parts.brings_right.width
    aside = end - column * parts.aside
    page = max(aside - stages, 0)
    rects |= {"brings right": (end, top, *button), "aside": (aside, top, column, tall)}
    rects |= {"stages": (0, top, stages, tall), "page": (stages, top, page, tall)}
    below, strip = parts.below(page) if parts.below else 0, px(STRIP) * bool(parts.brings_bottom)
    bottom = top + tall - strip
    rects["sides"] = (stages, top, page, max(bottom - below - top, 0))
    rects["lesson bar"] = (stages, bottom - below, page, below)
    rects["brings bottom"] = (stages + page - parts.brings_bottom, bottom, parts.brings_bottom, strip)
    return Division(high, rects)


def rows_of_stages(
    room: Size, highs: Sequence[float], px: Callable[[float], int], titled: bool, scroll_bar: int
) -> tuple[Size, list[Rect]]:
    """The size of the list of stages, and the rectangles of its rows: as low as needed to show the whole list.

    `highs`: the height of each, 1 for a stage. `scroll_bar`: the width of one, which stands there if that is not
    enough. `px`: converts pixels at text scale 1 to those of the screen.
    """
    stage = min(max(int((room.height - 2 * px(AROUND)) / max(sum(highs), 1)), px(LEAST_ROW)), px(MOST_ROW))
    tall = [min(int(high * stage), px(MOST_ROW)) for high in highs]
    tops = list(accumulate(tall, initial=px(AROUND)))
    high = tops[-1] + px(AROUND)
    left, right = map(px, AROUND_TITLES if titled else AROUND_NUMBERS)
    width = room.width - scroll_bar * (high > room.height)
    return Size(width, high), [(left, y, width - left - right, down) for y, down in zip(tops, tall, strict=False)]


def palette_in(window: Window, around: int, rows: int, about: int) -> tuple[Rect, int]:
    """The rectangle of the command palette, as high as its rows as far as there is room, and its second column's width.

    `around`: the height of all but its rows. `about`: the width that the second column needs; it has at most a half,
    because a name comes before what it is of.
    """
    width = min(window.px(ACROSS), window.width - 2 * BESIDE)
    high = min(around + rows, window.px(DOWN), window.height - window.px(TOP) - BELOW)
    return ((window.width - width) // 2, window.px(TOP), width, high), min(about, width // 2)


def find_bar_in(page: Rect, bar: Size, px: Callable[[float], int]) -> Rect:
    """The rectangle of the bar that finds words: in the upper right corner of the page, and never beyond the left edge
    of the window.
    """
    x, y, width, _ = page
    return max(x + width - bar.width - px(FROM_EDGE), 0), y + px(FROM_EDGE) // 2, *bar
