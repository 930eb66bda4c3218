"""Where elements below each other stand, in pixels: for the same width and sizes of words, the same rectangles."""

from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple, Protocol

from explorer.pages.controls import Button, Controls, Ring, Spread
from explorer.pages.element import Arrangement, Element
from explorer.pages.equation import Rect
from explorer.pages.steps.question import Grid, Options

NARROW = Button, Ring
"""Elements that are as wide as they like to be, at the left; others take the width of the page."""
ACROSS, DOWN, COLUMNS, CHOICES = 10, 6, 6, 4
"""Pixels between controls on a line, between such lines, between columns (at any text scale), between options."""


class Ask(NamedTuple):
    """What an element asks for, in pixels; heights are asked for with a width."""

    likes: int
    least: int = 0
    share: int = 0  # the least width beside others on a line; 0: it always takes the width that it likes
    fewer: tuple[int, ...] = ()  # the widths of its shorter texts, the longest first


class Metrics(Protocol):
    """The sizes of what elements show in one look."""

    def px(self, pixels: float) -> int:
        """Pixels at text scale 1, converted to this screen."""

    def ask(self, id: str) -> Ask | None:
        """What an element asks for; None if it shows nothing now."""

    def high(self, id: str, width: int) -> int:
        """The height of an element in a width."""


class Scene(NamedTuple):
    """The places of the elements that show something, by id, and the height of all."""

    places: dict[str, Rect]
    height: int


def arrange(elements: Sequence[Element], width: int, between: int, metrics: Metrics) -> Scene:
    """Elements below each other in a width, with `between` pixels between two that show something."""
    return _below([_scene(one, width, between, metrics) for one in elements], between)


def _below(scenes: Sequence[Scene], between: int) -> Scene:
    places, y = dict[str, Rect](), 0
    for scene in scenes:
        if scene.places:
            y += between if places else 0
            places |= _moved(scene, 0, y)
            y += scene.height
    return Scene(places, y)


def _moved(scene: Scene, x: int, y: int) -> dict[str, Rect]:
    return {id: (left + x, top + y, wide, high) for id, (left, top, wide, high) in scene.places.items()}


def _scene(element: Element, width: int, between: int, metrics: Metrics) -> Scene:
    """An element, at the origin."""
    match element:
        case Spread():
            return _spread(element, width, between, metrics)
        case Options():
            return _options(element, width, metrics)
        case Grid():
            return _grid(element, width, metrics)
        case Controls():
            return _flow(element.inside, width, metrics)
        case Arrangement():
            raise NotImplementedError(type(element).__name__)
    ask = metrics.ask(element.id)
    if ask is None:
        return Scene({}, 0)
    wide = min(width, ask.likes) if isinstance(element, NARROW) else width
    high = metrics.high(element.id, wide)
    return Scene({element.id: (0, 0, wide, high)}, high)


def _options(options: Options, width: int, metrics: Metrics) -> Scene:
    """Options below each other, or side by side and equally high where they may and that is lower."""
    gap, n = metrics.px(CHOICES), len(options.options)
    column = arrange(options.options, width, gap, metrics)
    each = (width - gap * (n - 1)) // max(n, 1)
    high = max((metrics.high(one.id, each) for one in options.options), default=0)
    if not options.abreast or not 0 < high < column.height:
        return column
    ends = [(width - gap * (n - 1)) * i // n + gap * i for i in range(n + 1)]
    lefts = zip(options.options, ends, ends[1:], strict=False)
    return Scene({one.id: (left, 0, end - gap - left, high) for one, left, end in lefts}, high)


def _grid(grid: Grid, width: int, metrics: Metrics) -> Scene:
    """Elements in columns, the first as wide as those behind it let it be; a button stands at the top of its row.

    Those of a single row stand below each other where the first would have the smaller part of the width.
    """
    rows = [[(one, ask) for one in row if (ask := metrics.ask(one.id)) is not None] for row in grid.rows]
    behind = [max(row[i][1].likes for row in rows if len(row) > i) for i in range(1, max(map(len, rows)))]
    room = min(width, metrics.px(grid.most) or width) - sum(COLUMNS + wide for wide in behind)
    if len(rows) == 1 and room < sum(behind):
        return arrange(grid.inside, width, metrics.px(DOWN), metrics)
    lines: list[Scene] = []
    for row in rows:
        parts, x = list[tuple[Element, int, int]](), 0  # each with its left end and its width
        for i, ((one, ask), wide) in enumerate(zip(row, (room, *behind), strict=False)):
            across = min(wide, ask.likes) if i else wide
            parts.append((one, x + (wide - across if i == 1 else 0), across))
            x += wide + COLUMNS
        lines.append(_line(parts, metrics, Button))
    return _below(lines, 0 if grid.close else metrics.px(2))


def _flow(elements: Sequence[Element], width: int, metrics: Metrics) -> Scene:
    """Elements side by side, on another line where one is full; some are narrower if that brings all onto one line."""
    gap = metrics.px(ACROSS)
    asks = [(one, ask) for one in elements if (ask := metrics.ask(one.id)) is not None]
    wides = [max(min(ask.likes, width), ask.least) for _, ask in asks]
    gaps, sharing = gap * (len(asks) - 1), sum(ask.share > 0 for _, ask in asks)
    least = [ask.share or wide for (_, ask), wide in zip(asks, wides, strict=True)]
    if sharing and sum(wides) + gaps > width >= sum(least) + gaps:
        left = (width - gaps - sum(least)) // sharing
        wides = [wide + left * (ask.share > 0) for (_, ask), wide in zip(asks, least, strict=True)]
    lines, x = [list[tuple[Element, int, int]]()], 0
    for (one, _), wide in zip(asks, wides, strict=True):
        if lines[-1] and x + wide > width:
            lines.append([])
            x = 0
        lines[-1].append((one, x, wide))
        x += wide + gap
    return _below([_line(line, metrics) for line in lines], metrics.px(DOWN))


def _spread(spread: Spread, width: int, gap: int, metrics: Metrics) -> Scene:
    """Elements on one line: as wide as the longest texts that have room together, or as their shares of the width."""
    asks = [(one, ask) for one in spread.inside if (ask := metrics.ask(one.id)) is not None]
    room = width - gap * (len(asks) - 1)
    if spread.shares:
        least = [min((ask.likes, *ask.fewer)) for _, ask in asks]
        tight = [wide * sum(spread.shares) > room * share for wide, share in zip(least, spread.shares, strict=True)]
        free = room - sum(wide for wide, cut in zip(least, tight, strict=True) if cut)
        shares = [0 if cut else share for cut, share in zip(tight, spread.shares, strict=True)]
        ends = [round(free * sum(shares[:i]) / max(sum(shares), 1)) for i in range(len(asks) + 1)]
        wides = [wide if cut else b - a for wide, cut, (a, b) in zip(least, tight, pairwise(ends), strict=True)]
    else:
        ways = zip_longest(*((ask.likes, *ask.fewer) for _, ask in asks))
        for way in ways:
            wides = [ask.likes if wide is None else wide for (_, ask), wide in zip(asks, way, strict=True)]
            if sum(wides) <= room:
                break
    parts, x = list[tuple[Element, int, int]](), 0
    for i, ((one, _), wide) in enumerate(zip(asks, wides, strict=True)):
        if i == len(asks) - spread.right:
            x += max(room - sum(wides), 0)
        parts.append((one, x, wide))
        x += wide + gap
    return _line(parts, metrics)


def _line(parts: Sequence[tuple[Element, int, int]], metrics: Metrics, at_top: type | tuple[()] = ()) -> Scene:
    """Elements, each with its left end and its width, at the middle of their line, or at its top."""
    highs = [metrics.high(one.id, wide) for one, _, wide in parts]
    high = max(highs, default=0)
    return Scene(
        {
            one.id: (x, 0 if isinstance(one, at_top) else (high - own) // 2, wide, own)
            for (one, x, wide), own in zip(parts, highs, strict=True)
        },
        high,
    )
