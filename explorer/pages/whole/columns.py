"""The layout of a diagram: boxes in columns, each after the boxes that it reads from, in one to five bands; and lines.

The layout knows nothing of models, only the names and sizes of boxes, and which box reads from which.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from explorer.core.frozen import Frozen
from explorer.pages.drawing import Rect

ACROSS, DOWN = 26.0, 12.0
"""The distance between columns, and between boxes of a column."""
SAID = 8.0
"""The extra room below a box from outside, for the words below it that name its origin."""
CHANNEL, LANE = 12.0, 7.0
"""The room above and below the lines that run between two bands, and the distance between two such lines."""
APART, BESIDE = 9.0, 3.0
"""The distance between the lines that enter a box, and between their last corners."""
PAGE, PAGE_OF_LARGE = 1.6, 0.5
"""The width of a usual page, divided by its height; the same with large letters, for which a page may scroll."""
MOST_BANDS, MOST_OF_LARGE, WORTH = 3, 5, 1.12
"""The most bands, and the most with large letters; and how many times larger the boxes must become to justify one more:
a single band reads best."""
HARDLY = 1.4
"""The most that a column may be wider than its widest box, as a factor, so that two small boxes share a line."""

Point = tuple[float, float]


@dataclass
class _Band:
    """A part of the diagram from left to right: some columns side by side."""

    columns: list[list[str]]
    top: float = 0.0
    bottom: float = 0.0
    lefts: list[float] = field(default_factory=list)
    rights: list[float] = field(default_factory=list)


class Layout(Frozen):
    """The places of the boxes, and the lines between them."""

    places: Mapping[str, Rect]
    ways: tuple[tuple[str, tuple[Point, ...]], ...]  # (the box that the line leads to, its corners)
    window: tuple[float, float, float, float]  # left, right, top and bottom of all


def laid(
    sizes: Mapping[str, tuple[float, float]],
    reads: Mapping[str, Sequence[str]],
    given: Collection[str],
    outside: Collection[str] = (),
    page: float = PAGE,
) -> Layout:
    """Lay boxes out.

    `sizes`: (width, height) of each box, in reading order.
    `reads`: for each box, the boxes that it reads from.
    `given`: boxes that stand in the column before their first reader, below the computed boxes there.
    `outside`: boxes that stand in front of all others.
    `page`: the width of the page, divided by its height.
    """
    columns = _columns(list(sizes), reads, given, outside)
    most = MOST_OF_LARGE if page == PAGE_OF_LARGE else MOST_BANDS
    ways = (_cut(columns, sizes, bands) for bands in range(1, most + 1))
    best = min(ways, key=lambda one: _extent(one, sizes, page) * WORTH ** (len(one) - 1))
    return _Drawer(best, sizes, reads, given, outside).layout()


def _columns(
    names: Sequence[str], reads: Mapping[str, Sequence[str]], given: Collection[str], outside: Collection[str]
) -> list[list[str]]:
    depths: dict[str, int] = {}
    for name in names:
        start = -1 if name in outside else 0
        depths[name] = start if name in given else 1 + max((depths[p] for p in reads[name]), default=start - 1)
    for name in names:
        after = [depths[other] for other in names if name in reads[other]]
        if name in given and name not in outside and after:
            depths[name] = min(after) - 1
    found = [[name for name in names if depths[name] == depth] for depth in sorted(set(depths.values()))]
    # In each column the given boxes stand below the computed ones.
    return [sorted(column, key=lambda name: name in given) for column in found]


def _lines(column: Sequence[str], sizes: Mapping[str, tuple[float, float]]) -> list[list[str]]:
    """The lines of a column from top to bottom; small boxes share a line."""
    wide = _width(column, sizes)
    lines: list[list[str]] = []
    for name in column:
        beside = lines and sum(sizes[other][0] for other in lines[-1]) + len(lines[-1]) * DOWN + sizes[name][0] <= wide
        if beside:
            lines[-1].append(name)
        else:
            lines.append([name])
    return lines


def _width(column: Sequence[str], sizes: Mapping[str, tuple[float, float]]) -> float:
    """The width of a column: of its widest box, or of its two narrowest boxes side by side if that is little more."""
    widths = sorted(sizes[name][0] for name in column)
    both = sum(widths[:2]) + DOWN
    return both if len(widths) > 2 and widths[-1] < both < HARDLY * widths[-1] else widths[-1]


def _height(column: Sequence[str], sizes: Mapping[str, tuple[float, float]]) -> float:
    lines = _lines(column, sizes)
    return sum(max(sizes[name][1] for name in line) for line in lines) + DOWN * (len(lines) - 1)


def _cut(columns: list[list[str]], sizes: Mapping[str, tuple[float, float]], bands: int) -> list[_Band]:
    """The columns cut into at most `bands` bands of about the same width."""
    widths = [_width(column, sizes) + ACROSS for column in columns]
    room = max(max(widths), sum(widths) / bands)
    while True:
        found, used = [_Band([])], 0.0
        for column, wide in zip(columns, widths, strict=True):
            if used and used + wide > room + 0.5:
                found.append(_Band([]))
                used = 0.0
            found[-1].columns.append(column)
            used += wide
        if len(found) <= bands:
            return found
        room *= 1.05


def _extent(bands: list[_Band], sizes: Mapping[str, tuple[float, float]], page: float) -> float:
    """The width of the page that has room for the bands, or that follows from its height if that is more."""
    wide = max(sum(_width(column, sizes) + ACROSS for column in band.columns) for band in bands)
    high = sum(max(_height(column, sizes) for column in band.columns) + 2 * CHANNEL + 3 * LANE for band in bands)
    return max(wide, page * high)


class _Drawer:
    def __init__(
        self,
        bands: list[_Band],
        sizes: Mapping[str, tuple[float, float]],
        reads: Mapping[str, Sequence[str]],
        given: Collection[str],
        outside: Collection[str],
    ) -> None:
        self._bands, self._sizes, self._reads = bands, sizes, reads
        self._given, self._outside = given, outside
        self._at = {
            name: (b, c)
            for b, band in enumerate(bands)
            for c, column in enumerate(band.columns)
            for name in column
        }  # fmt: skip
        self._places: dict[str, Rect] = {}
        self._lanes: dict[tuple[int, str], float] = {}

    def layout(self) -> Layout:
        top = 0.0
        for b, band in enumerate(self._bands):
            crossing = list(dict.fromkeys(p for p, c in self._edges() if self._at[p][0] < b == self._at[c][0]))
            if b:
                top += 2 * CHANNEL + LANE * max(len(crossing) - 1, 0)
                for k, name in enumerate(crossing):
                    self._lanes[b, name] = top - CHANNEL - LANE * k
            self._place(band, top)
            top = band.bottom
        ways = tuple(self._ways())
        xs = [x for _, points in ways for x, _ in points]
        right = max(place[0] + place[2] for place in self._places.values())
        return Layout(self._places, ways, (min([0.0, *xs]) - 8.0, max([right, *xs]) + 8.0, -8.0, top + 8.0))

    def _edges(self) -> list[tuple[str, str]]:
        return [(parent, name) for name in self._sizes for parent in dict.fromkeys(self._reads[name])]

    # Boxes

    def _place(self, band: _Band, top: float) -> None:
        x = 0.0
        for column in band.columns:
            wide = _width(column, self._sizes)
            band.lefts.append(x)
            band.rights.append(x + wide)
            x += wide + ACROSS
        for k in reversed(range(len(band.columns))):
            self._place_column(band, k)
        every = [name for column in band.columns for name in column]
        lowest = max(self._bottom(name) + SAID * (name in self._outside) for name in every)
        highest = min(self._places[name][1] for name in every)
        for name in every:
            left, y, wide, high = self._places[name]
            self._places[name] = left, y - highest + top, wide, high
        band.top, band.bottom = top, top + lowest - highest

    def _place_column(self, band: _Band, k: int) -> None:
        column = band.columns[k]
        lines = _lines(column, self._sizes)
        heights = [max(self._sizes[name][1] for name in line) for line in lines]
        computed = sum(not (name in self._given or name in self._outside) for name in column)
        if computed:
            # The computed boxes are centred, so that single boxes in adjacent columns are joined by a straight line.
            y = -(sum(heights[:computed]) + DOWN * (computed - 1)) / 2
        else:
            known = [self._middle(other) for other in self._readers(column)]
            y = (sum(known) / len(known) if known else 0.0) - (sum(heights) + DOWN * (len(lines) - 1)) / 2
        for line, high in zip(lines, heights, strict=True):
            wide = sum(self._sizes[name][0] for name in line) + DOWN * (len(line) - 1)
            x = band.lefts[k] + (band.rights[k] - band.lefts[k] - wide) / 2
            for name in line:
                self._places[name] = x, y, *self._sizes[name]
                x += self._sizes[name][0] + DOWN
            y += high + self._below(line)
        if not computed:
            self._align(lines)

    def _align(self, lines: list[list[str]]) -> None:
        """Move each given box to the height of its readers, but keep it below the boxes above it."""
        low = float("-inf")
        for line in lines:
            band = self._at[line[0]][0]
            readers = [self._middle(other) for other in self._readers(line) if self._at[other][0] == band]
            for name in line:
                left, y, wide, high = self._places[name]
                wanted = sum(readers) / len(readers) - high / 2 if readers else y
                self._places[name] = left, max(low, wanted), wide, high
            low = max(self._bottom(name) for name in line) + self._below(line)

    def _readers(self, names: list[str]) -> Iterator[str]:
        """The boxes that read from each of some boxes, as far as they have their places."""
        every = (other for name in names for other in self._sizes if name in self._reads[other])
        return filter(self._places.__contains__, every)

    def _below(self, line: list[str]) -> float:
        return DOWN + SAID * any(name in self._outside for name in line)

    def _middle(self, name: str) -> float:
        return self._places[name][1] + self._places[name][3] / 2

    def _bottom(self, name: str) -> float:
        return self._places[name][1] + self._places[name][3]

    # Ways

    def _ways(self) -> list[tuple[str, tuple[Point, ...]]]:
        edges = self._edges()
        inside: dict[str, list[str]] = {}
        for parent, name in edges:
            inside.setdefault(name, []).append(parent)
        found = []
        for name, parents in inside.items():
            parents.sort(key=lambda one: (self._at[one][0], self._exit(one)[-1][1]))
            # A parent at the height of this box gets a straight line; the other lines enter above and below it.
            level = [k for k, one in enumerate(parents) if abs(self._exit(one)[-1][1] - self._middle(name)) < 1.0]
            first = max(level, key=lambda k: self._at[parents[k]]) if level else (len(parents) - 1) / 2
            for k, parent in enumerate(parents):
                found.append((name, self._way(parent, name, self._middle(name) + APART * (k - first), k - first)))
        return found

    def _exit(self, name: str) -> tuple[Point, ...]:
        """The first points of a line: it leaves its box to the right, or upwards if another box stands at the right."""
        left, top, wide, high = self._places[name]
        b, c = self._at[name]
        others = (self._places[other] for other in self._bands[b].columns[c] if other != name)
        if any(x > left and y < top + high and y + h > top for x, y, _, h in others):
            return (left + wide / 2, top), (left + wide / 2, top - 0.5 * DOWN)
        return ((left + wide, top + high / 2),)

    def _way(self, parent: str, name: str, end: float, place: float) -> tuple[Point, ...]:
        """The corners of a line. `place`: the line's number among those that enter the box; 0 is in the middle."""
        (b, c), (b2, c2) = self._at[parent], self._at[name]
        begin = self._exit(parent)
        start = begin[-1]
        band, other = self._bands[b], self._bands[b2]
        last = self._places[name][0], end
        # The last corner of a line depends on the height it comes from, so that no two lines cross.
        from_below = b == b2 and start[1] > end
        into = other.lefts[c2] - 0.45 * ACROSS + BESIDE * (place if from_below else -place)
        if b == b2:  # in a later column: each box stands behind all that it reads from
            y = self._free(band, range(c + 1, c2), start[1], end)
            out = band.rights[c] + 0.45 * ACROSS
            turn = () if y == start[1] else ((out, start[1]), (out, y))
            return _straight((*begin, *turn, (into, y), (into, end), last))
        # Of the lines from one column, the one with the lowest lane goes down farthest right: no two cross.
        lanes = sorted(y for (to, one), y in self._lanes.items() if to == b2 and self._at[one] == (b, c))
        lane = self._lanes[b2, parent]
        out = band.rights[c] + 0.55 * ACROSS + min(BESIDE * lanes.index(lane), 0.4 * ACROSS)
        if b2 == b + 1:
            return _straight((*begin, (out, start[1]), (out, lane), (into, lane), (into, end), last))
        # The line passes the bands between at their left.
        first = self._bands[b + 1].top - CHANNEL / 2
        side = -1.2 * ACROSS
        return _straight(
            (*begin, (out, start[1]), (out, first), (side, first), (side, lane), (into, lane), (into, end), last)
        )

    def _free(self, band: _Band, columns: range, start: float, end: float) -> float:
        """The height at which a line passes some columns with the smallest detour."""
        boxes = [self._places[name] for c in columns for name in band.columns[c]]
        if not boxes:
            return start
        heights = [start, end]
        for _, top, _, high in boxes:
            heights += [top - 0.5 * DOWN, top + high + 0.5 * DOWN]
        free = [
            y for y in heights if all(not top - 0.4 * DOWN < y < top + high + 0.4 * DOWN for _, top, _, high in boxes)
        ]
        return min(free, key=lambda y: (abs(y - start) + abs(y - end), abs(y - start)))


def _straight(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points without those at which the line does not turn."""
    kept: list[Point] = []
    for point in points:
        if kept and _near(kept[-1], point, 0) and _near(kept[-1], point, 1):
            continue
        if len(kept) > 1 and any(_near(kept[-2], kept[-1], k) and _near(kept[-1], point, k) for k in (0, 1)):
            kept[-1] = point
        else:
            kept.append(point)
    return tuple(kept)


def _near(a: Point, b: Point, k: int) -> bool:
    return abs(a[k] - b[k]) < 0.01
