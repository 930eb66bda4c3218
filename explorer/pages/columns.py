"""Boxes in columns, each behind those that it reads from, in as many bands as a page has room for; and ways between.

It knows nothing of models: names, sizes, and who reads from whom.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

ACROSS, DOWN = 26.0, 12.0
"""Between columns, and between boxes of a column."""
SAID = 8.0
"""More than that below a box from outside, below which it is written where it comes from."""
CHANNEL, LANE = 12.0, 7.0
"""Above and below the ways that run between two bands, and between two such ways."""
APART, BESIDE = 9.0, 3.0
"""Between the ways that come into a box, and between their last turns."""
PAGE = 1.6
"""How much wider than high a page is, as a rule."""
MOST_BANDS, WORTH = 3, 1.12
"""And how much larger boxes must be for each band more: a single line is read at once."""
HARDLY = 1.4
"""How much wider than its widest box a column may be, so that two small ones share a line."""

Place = tuple[float, float, float, float]
Point = tuple[float, float]


@dataclass
class _Band:
    """Some columns beside each other."""

    columns: list[list[str]]
    top: float = 0.0
    bottom: float = 0.0
    lefts: list[float] = field(default_factory=list)
    rights: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Layout:
    """Where boxes stand."""

    places: Mapping[str, Place]  # (left, top, width, height)
    ways: tuple[tuple[str, tuple[Point, ...]], ...]  # each with the box that it comes to
    window: tuple[float, float, float, float]  # left, right, top and bottom of all


def laid(
    sizes: Mapping[str, tuple[float, float]],
    reads: Mapping[str, Sequence[str]],
    given: Collection[str],
    outside: Collection[str] = (),
) -> Layout:
    """Lay boxes out.

    Parameters
    ----------
    sizes : mapping of str to (width, height)
        In reading order.
    reads : mapping of str to sequence of str
        The boxes that each reads from.
    given : collection of str
        Those that stand right before what reads them, and below what is computed there.
    outside : collection of str
        Those that stand before all others.
    """
    columns = _columns(list(sizes), reads, given, outside)
    ways = (_cut(columns, sizes, bands) for bands in range(1, MOST_BANDS + 1))
    best = min(ways, key=lambda one: _extent(one, sizes) * WORTH ** (len(one) - 1))
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
    # What is given stands below what is computed in the same column.
    return [sorted(column, key=lambda name: name in given) for column in found]


def _lines(column: Sequence[str], sizes: Mapping[str, tuple[float, float]]) -> list[list[str]]:
    """A column from top to bottom; two small boxes share a line."""
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
    """That of the widest box, or of the two narrowest beside each other if that is hardly more."""
    widths = sorted(sizes[name][0] for name in column)
    both = sum(widths[:2]) + DOWN
    return both if len(widths) > 2 and widths[-1] < both < HARDLY * widths[-1] else widths[-1]


def _height(column: Sequence[str], sizes: Mapping[str, tuple[float, float]]) -> float:
    lines = _lines(column, sizes)
    return sum(max(sizes[name][1] for name in line) for line in lines) + DOWN * (len(lines) - 1)


def _cut(columns: list[list[str]], sizes: Mapping[str, tuple[float, float]], bands: int) -> list[_Band]:
    """So many bands, of about the same width."""
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


def _extent(bands: list[_Band], sizes: Mapping[str, tuple[float, float]]) -> float:
    """How large a page must be to hold them."""
    wide = max(sum(_width(column, sizes) + ACROSS for column in band.columns) for band in bands)
    high = sum(max(_height(column, sizes) for column in band.columns) + 2 * CHANNEL + 3 * LANE for band in bands)
    return max(wide, PAGE * high)


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
        self._places: dict[str, Place] = {}
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
            # What is computed is centred, so that a row of it is one straight line.
            y = -(sum(heights[:computed]) + DOWN * (computed - 1)) / 2
        else:
            wanted = [
                [self._middle(other) for other in self._sizes if name in self._reads[other] and other in self._places]
                for line in lines
                for name in line
            ]
            known = [y for some in wanted for y in some]
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
        """Move what is given beside what reads it, where nothing else stands there."""
        low = float("-inf")
        for line in lines:
            readers = [
                self._middle(other)
                for name in line
                for other in self._sizes
                if name in self._reads[other] and other in self._places and self._at[other][0] == self._at[name][0]
            ]
            for name in line:
                left, y, wide, high = self._places[name]
                wanted = sum(readers) / len(readers) - high / 2 if readers else y
                self._places[name] = left, max(low, wanted), wide, high
            low = max(self._bottom(name) for name in line) + self._below(line)

    def _below(self, line: list[str]) -> float:
        """The room below a line of boxes."""
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
            parents.sort(key=self._height_of_origin)
            # One that comes straight does so; the others above and below it.
            level = [k for k, one in enumerate(parents) if abs(self._exit(one)[-1][1] - self._middle(name)) < 1.0]
            first = max(level, key=lambda k: self._at[parents[k]]) if level else (len(parents) - 1) / 2
            for k, parent in enumerate(parents):
                found.append((name, self._way(parent, name, self._middle(name) + APART * (k - first), k - first)))
        return found

    def _height_of_origin(self, name: str) -> tuple[int, float]:
        return self._at[name][0], self._exit(name)[-1][1]

    def _exit(self, name: str) -> tuple[Point, ...]:
        """How a way leaves a box: to the right, or where another stands there, upwards and then above that."""
        left, top, wide, high = self._places[name]
        b, c = self._at[name]
        others = (self._places[other] for other in self._bands[b].columns[c] if other != name)
        if any(x > left and y < top + high and y + h > top for x, y, _, h in others):
            return (left + wide / 2, top), (left + wide / 2, top - 0.5 * DOWN)
        return ((left + wide, top + high / 2),)

    def _way(self, parent: str, name: str, end: float, place: float) -> tuple[Point, ...]:
        """The corners of a way; `place`: how many others come into the box above it, less those below."""
        (b, c), (b2, c2) = self._at[parent], self._at[name]
        left, top, wide, high = self._places[parent]
        begin = self._exit(parent)
        start = begin[-1]
        band, other = self._bands[b], self._bands[b2]
        last = self._places[name][0], end
        # Those from below turn the nearer to the box the lower they come from, others the higher: none crosses another.
        from_below = b == b2 and start[1] > end
        into = other.lefts[c2] - 0.45 * ACROSS + BESIDE * (place if from_below else -place)
        if b == b2 and c2 > c:
            y = self._free(band, range(c + 1, c2), start[1], end)
            out = band.rights[c] + 0.45 * ACROSS
            turn = () if y == start[1] else ((out, start[1]), (out, y))
            return _straight((*begin, *turn, (into, y), (into, end), last))
        if b2 > b:
            # Of a column, whose lane is the lowest goes down farthest at the right: none crosses another.
            lanes = sorted(y for (to, one), y in self._lanes.items() if to == b2 and self._at[one] == (b, c))
            lane = self._lanes[b2, parent]
            out = band.rights[c] + 0.55 * ACROSS + min(BESIDE * lanes.index(lane), 0.4 * ACROSS)
            if b2 == b + 1:
                return _straight((*begin, (out, start[1]), (out, lane), (into, lane), (into, end), last))
            # Past the bands between, at the left of all.
            first = self._bands[b + 1].top - CHANNEL / 2
            side = -1.2 * ACROSS
            return _straight(
                (*begin, (out, start[1]), (out, first), (side, first), (side, lane), (into, lane), (into, end), last)
            )
        # In one column: from below.
        middle = left + wide / 2
        return _straight(((middle, top + high), (middle, self._places[name][1])))

    def _free(self, band: _Band, columns: range, start: float, end: float) -> float:
        """The height at which one passes some columns, with the smallest detour."""
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
    """Without the corners at which nothing turns."""
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
