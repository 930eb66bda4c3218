"""Where the words that the model reads stand in their bar: a pure function of a width and of the sizes of its parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from explorer.core.frozen import Frozen
from explorer.pages.equation import Rect
from explorer.ui.window.bar import Size

APART, MOST_APART = 20, 30
"""Pixels beside a sequence at text scale 1, and the most, because large letters need the room."""
GAP, DOWN = 6, 4
"""Pixels at text scale 1 between the parts of a sequence, and between lines; and above and below all."""
LEAST_NAMED = 160
"""In less width (pixels at text scale 1) a sequence has no title, which would leave the words no room."""
LEAST_WORDS = 4
"""With less width for the words, in their heights, a sequence has fewer other parts, as in a low window."""

Px = Callable[[float], int]
"""Converts pixels at text scale 1 to those of the screen."""


class Line(Frozen):
    """The sizes of the parts of a sequence, in pixels."""

    title: Size
    counted: Size  # the title with the number of words, which it has if they scroll
    words: Size  # all of them
    arrow: Size | None  # each of the two buttons that scroll; None: a field for all words stands there
    buttons: Mapping[str, Size]  # those at its right
    at_start: bool = True  # whether no words are out of sight at the left
    at_end: bool = False  # whether none are at the right, although they scroll

    def parts(self, low: bool, scrolls: bool, named: bool = True) -> dict[str, Size]:
        """What of it is shown, from left to right; `low`: only what is of use now, to leave the words room."""
        counts = scrolls and not low
        shown = {"counted" if counts else "title": self.counted if counts else self.title} if named else {}
        if scrolls and self.arrow and not (low and self.at_start):
            shown["back"] = self.arrow
        shown["words"] = self.words
        if scrolls and self.arrow and not (low and self.at_end):
            shown["next"] = self.arrow
        return shown | {name: size for name, size in self.buttons.items() if not (low and name == ADDS)}


ADDS = "adds"
"""The button that adds a word, which the other one can do, too."""


class Lines(NamedTuple):
    """The bar in some width: its height, and where each sequence stands, its parts, and the links behind them."""

    height: int
    sequences: list[Rect]
    parts: list[dict[str, Rect]]  # within the sequence; what has no rectangle is not shown
    links: list[Rect]


def lines_in(width: int, lines: Sequence[Line], links: Sequence[Size], low: bool, px: Px) -> Lines:
    """The bar in this width: the sequences side by side if there is room. In a low window they always share a line."""
    apart, n = min(px(APART), MOST_APART), max(len(lines), 1)
    room = width - 2 * apart
    most = (width - (n + 1) * apart) // n if low else room
    placed = [_placed(line, most, low, px) for line in lines]
    sizes = [size for size, _ in placed] + [Size(min(link.width, room), link.height) for link in links]
    rects: list[Rect] = []
    x, top = apart, px(DOWN)
    rows: list[list[tuple[int, Size]]] = [[]]
    for size in sizes:
        if rows[-1] and x + size.width > apart + room:
            rows.append([])
            x = apart
        rows[-1].append((x, size))
        x += size.width + apart
    for row in rows:
        high = max((size.height for _, size in row), default=0)
        rects += [(x, top + (high - size.height) // 2, *size) for x, size in row]
        top += high + px(GAP)
    return Lines(top - px(GAP) + px(DOWN), rects[: len(lines)], [parts for _, parts in placed], rects[len(lines) :])


def _placed(line: Line, most: int, low: bool, px: Px) -> tuple[Size, dict[str, Rect]]:
    """The size of a sequence that may be so wide, and the places of its parts."""
    gap, named = px(GAP), not low or most >= px(LEAST_NAMED)
    parts = line.parts(low, False, named)
    if (wide := _width(parts, gap)) > most:
        wide, parts = most, line.parts(low, True, named)
    words = wide - _width(parts | {"words": Size(0, 0)}, gap)
    if not low and words < min(line.words.width, LEAST_WORDS * line.words.height):
        return _placed(line, most, True, px)
    parts["words"] = Size(max(words, 0), line.words.height)
    high, x = max(size.height for size in parts.values()), 0
    rects: dict[str, Rect] = {}
    for name, size in parts.items():
        rects[name] = (x, (high - size.height) // 2, *size)
        x += size.width + gap
    return Size(wide, high), rects


def _width(parts: Mapping[str, Size], gap: int) -> int:
    return sum(size.width for size in parts.values()) + gap * (len(parts) - 1)
