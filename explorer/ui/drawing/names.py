"""Finds places for the words of a drawing without zoom.

No word lies on another word or on a dot; a word lies on a curve, a line or an arrow only if there is no better place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, hypot, radians, sin

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetrics

from explorer.core.ops import Array
from explorer.pages.drawing import LINE, MUTED, TEXT, Arc, Arrow, Curve, Dot, Drawing, Mark, Segments, Words, drawable
from explorer.ui.drawing.strokes import Pixels
from explorer.ui.workbench import Workbench


class Room:
    """The room for words in a picture, all in pixels.

    `bounds`: the rectangle that words stay in.
    `dots`: (n, 2): middles of the dots that words keep clear of.
    `radius`: the radius of the dots.
    `lines`: (n, 2): points along the lines that words keep clear of if they can.
    """

    def __init__(self, bounds: QRectF, dots: Array, radius: float, lines: Array) -> None:
        self._bounds, self._radius = bounds, radius
        self._taken, self._lines = np.empty((0, 4)), np.empty((0, 2))
        self.add(dots, lines)

    def add(self, dots: Array, lines: Array) -> None:
        """Add dots and lines that words keep clear of from now on."""
        bounds = self._bounds
        near = (
            (lines[:, 0] >= bounds.left())
            & (lines[:, 0] <= bounds.right())
            & (lines[:, 1] >= bounds.top())
            & (lines[:, 1] <= bounds.bottom())
        )
        self._taken = np.vstack([self._taken, np.hstack([dots - self._radius, dots + self._radius])])
        self._lines = np.vstack([self._lines, lines[near]])

    def take(self, rect: QRectF) -> None:
        """Reserve a place."""
        box = [[rect.left(), rect.top(), rect.right(), rect.bottom()]]
        self._taken = np.vstack([self._taken, box])

    def find(self, wanted: Sequence[QRectF]) -> QRectF | None:
        """Take the first wanted place that no line crosses, or the one crossed least; None if all are taken."""
        places = np.array([(rect.left(), rect.top(), rect.right(), rect.bottom()) for rect in wanted]).reshape(-1, 4)
        best, fewest = None, np.inf
        for i in np.flatnonzero(~self._are_taken(places)).tolist():
            if not self._bounds.contains(wanted[i]):
                continue
            crossed = self._crossed(wanted[i])
            if crossed < fewest:
                best, fewest = wanted[i], crossed
            if not crossed:
                break
        if best is not None:
            self.take(best)
        return best

    def _are_taken(self, places: Array) -> Array:
        """For each of some places, (n, 4), whether a word or a dot takes it: (n,)."""
        left, top, right, bottom = places.T[..., None]
        taken = self._taken.T
        return ((taken[0] < right) & (taken[2] > left) & (taken[1] < bottom) & (taken[3] > top)).any(axis=1)

    def _crossed(self, rect: QRectF) -> int:
        x, y = self._lines.T
        return int(((x > rect.left()) & (x < rect.right()) & (y > rect.top()) & (y < rect.bottom())).sum())

    def within(self, rect: QRectF) -> QRectF:
        """The place, moved into the picture."""
        bounds, moved = self._bounds, QRectF(rect)
        moved.moveLeft(max(min(rect.left(), bounds.right() - rect.width()), bounds.left()))
        moved.moveTop(max(min(rect.top(), bounds.bottom() - rect.height()), bounds.top()))
        return moved


def around(at: QPointF, width: float, height: float, gap: float) -> list[QRectF]:
    """Places beside a dot: at its right, at its left, above, below, and diagonally off it."""
    x, y, near = at.x(), at.y(), 0.7 * gap
    corners = (
        (x + gap, y - height / 2),
        (x - gap - width, y - height / 2),
        (x - width / 2, y - gap - height),
        (x - width / 2, y + gap),
        (x + near, y + near),
        (x - near - width, y + near),
        (x + near, y - near - height),
        (x - near - width, y - near - height),
    )
    return [QRectF(left, top, width, height) for left, top in corners]


def along(at: QPointF, way: QPointF, width: float, height: float, gap: float) -> QRectF:
    """The place whose edge is `gap` pixels away from a point in the direction `way`, a vector of length 1."""
    reach = abs(way.x()) * width / 2 + abs(way.y()) * height / 2
    middle = at + way * (gap + reach)
    return QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)


def stacked(rect: QRectF, most: int) -> list[QRectF]:
    """A place, then `most` places above it, then `most` places below it."""
    steps = range(1, most + 1)
    return [rect.translated(0, k * rect.height()) for k in (0, *(-k for k in steps), *steps)]


def together(spots: Sequence[QPointF], near: float) -> list[list[int]]:
    """Groups of points closer than `near` to each other, each group as indices."""
    found: list[tuple[QPointF, list[int]]] = []
    for i, spot in enumerate(spots):
        for first, members in found:
            if (first - spot).manhattanLength() < near:
                members.append(i)
                break
        else:
            found.append((spot, [i]))
    return [members for _, members in found]


RADIUS, SMALL, DISC = 4.5, 2.5, 12.0
"""Radii in pixels at text scale 1: of a dot, of one of many dots, and of a disc with words in it."""
MANY = 60
"""With more dots than this all are small, and only the first `MANY` have names."""
MOST_NAMES, MOST_AT_ONE = 40, 3
"""The most names of dots in a picture, and in a group of dots that lie on each other."""
BESIDE = 7.0
FAINT = MUTED, LINE
"""Inks of marks in the background."""
THICK = 2.0
"""An arrow wider than this, in pixels, has a larger head, and its drawing larger words."""
ARC, NARROW, VERY_NARROW = 34.0, 60.0, 30.0
"""The radius of an arc in pixels at text scale 1; the angles in degrees below which only one letter, or none, fits."""
FEW_LINES = 4
"""More segments than this are a grid, on which words may stand."""
STEP = 6.0
"""Pixels between the points of a line that words keep clear of."""


@dataclass
class Label:
    """Words with their place; `members`: the numbers of the marks that they belong to."""

    text: str
    rect: QRectF
    ink: str
    members: tuple[int, ...] = ()
    wanted: bool = True


class Names:
    """The words of a drawing, laid out again only if the drawing or its place on the screen changes."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self.laid: list[Label] = []
        self._drawing: Drawing | None = None
        self._place: tuple[object, ...] = ()
        self._pixels: Pixels

    def all(self, drawing: Drawing, pixels: Pixels, bounds: QRectF, many: bool) -> list[Label]:
        """All words with their places, which do not change when another mark is lit."""
        place = pixels.key, bounds.width(), bounds.height()
        if self._drawing is not drawing or self._place != place:
            self._drawing, self._place, self._pixels = drawing, place, pixels
            self.laid = list(self._lay_out(drawing, bounds, many))
        return self.laid

    def font(self, drawing: Drawing) -> QFont:
        """The font of a drawing's words."""
        fonts = self._bench.appearance.fonts
        thick = any(isinstance(mark, Arrow) and mark.width > THICK for mark in drawing.marks)
        return fonts.ui if thick else fonts.small

    def _px(self, pixels: float) -> float:
        return pixels * self._bench.appearance.scale

    def _lay_out(self, drawing: Drawing, bounds: QRectF, many: bool) -> Iterator[Label]:
        marks = list(enumerate(drawing.marks))
        metrics = QFontMetrics(self.font(drawing))
        room = self._room(drawing, bounds, many)
        curves = [m for _, m in marks if isinstance(m, Curve) and m.name and drawable(m.x[-1], m.y[-1])]
        # From the lowest curve up: a name without room moves up, like the curves above it.
        for curve in sorted(curves, key=lambda curve: float(curve.y[-1])):
            yield self._at_end(curve, room, metrics)
        for _, mark in marks:  # words with only one possible place come first
            if isinstance(mark, Dot) and mark.below and drawable(mark.x, mark.y):
                yield self._below(mark, room, bounds.bottom(), metrics)
        for _, mark in marks:
            match mark:
                case Arc() if mark.text:
                    yield self._of_arc(mark, room, metrics)
                case Words() if mark.text and drawable(mark.x, mark.y) and not drawing.zoom:
                    yield self._of_words(mark, room, metrics)
        named = [(i, m) for i, m in marks if isinstance(m, Arrow) and m.name and drawable(*m.start, *m.tip)]
        strong, faint = ([one for one in named if (one[1].ink in FAINT) is is_faint] for is_faint in (False, True))
        # Names of arrows in front come first and may lie on arrows in the background, whose names keep clear of all.
        for i, arrow in strong:
            yield self._at_tip(i, arrow, room, metrics)
        room.add(*self._arrows([m for _, m in marks if isinstance(m, Arrow) and m.ink in FAINT]))
        for i, arrow in faint[: max(MANY - len(strong), 0)]:
            yield self._at_tip(i, arrow, room, metrics)
        yield from self._beside_dots(drawing, room, metrics, many)

    def _room(self, drawing: Drawing, bounds: QRectF, many: bool) -> Room:
        """The room for words: the picture without its dots; words keep clear of curves and arrows if they can."""
        dots = [m for m in drawing.marks if isinstance(m, Dot) and drawable(m.x, m.y)]
        strong = [m for m in drawing.marks if isinstance(m, Arrow) and m.ink not in FAINT]
        heads, shafts = self._arrows(strong)
        places = np.array([(m.x, m.y) for m in dots], dtype=float).reshape(-1, 2)
        x, y = self._pixels.xy(places[:, 0], places[:, 1])
        lines, ends = [shafts], []
        for mark in drawing.marks:
            if isinstance(mark, Curve):
                across, up = self._pixels.xy(mark.x, mark.y)
                lines.append(np.stack([across, up], axis=-1)[np.isfinite(across) & np.isfinite(up)])
            elif isinstance(mark, Segments) and len(mark.ends) <= FEW_LINES:  # more lines are a grid
                ends += [(*start, *end) for start, end in mark.ends.tolist() if drawable(*start, *end)]
        lines.append(self._points_along(ends))
        radius = DISC if any(map(is_disc, dots)) else SMALL if many else RADIUS
        return Room(bounds, np.vstack([np.stack([x, y], axis=-1), heads]), self._px(radius), np.vstack(lines))

    def _arrows(self, arrows: Sequence[Arrow]) -> tuple[Array, Array]:
        """The tips of arrows, (n, 2), and points along them, (m, 2), in pixels."""
        tips = np.array([one.tip for one in arrows if drawable(*one.tip)], dtype=float).reshape(-1, 2)
        there = [one for one in arrows if one.width and drawable(*one.start, *one.tip)]
        heads = np.stack(self._pixels.xy(tips[:, 0], tips[:, 1]), axis=-1)
        return heads, self._points_along([(*one.start, *one.tip) for one in there])

    def _points_along(self, ends: Sequence[tuple[float, ...]]) -> Array:
        """Points along lines in pixels, (n, 2); the ends of the lines are in units of the picture."""
        across, up = self._pixels.xy(*np.array(ends, dtype=float).reshape(-1, 2, 2).transpose(2, 0, 1))
        return _along(np.stack([across, up], axis=-1))

    def _at_end(self, curve: Curve, room: Room, metrics: QFontMetrics) -> Label:
        end = self._pixels.point(float(curve.x[-1]), float(curve.y[-1]))
        width, height = metrics.horizontalAdvance(curve.name), metrics.height()
        first = room.within(QRectF(end.x() + 6, end.y() - height / 2, width, height))
        # Move it up until nothing is in the way; if there is no room above, down. By one line it also avoids curves.
        far = (place for place in stacked(first, 20) if room.find([place]) is not None)
        return Label(curve.name, room.find(stacked(first, 1)) or next(far, first), curve.ink)

    def _of_arc(self, arc: Arc, room: Room, metrics: QFontMetrics) -> Label:
        # Between narrow directions there is room for only one letter, and between very narrow ones for none; then the
        # words stand on the other side.
        beyond = abs(arc.turn) < VERY_NARROW
        text = arc.text.partition(" ")[0] if not beyond and abs(arc.turn) < NARROW else arc.text
        middle = radians(arc.start + arc.turn / 2 + 180 * beyond)
        way = QPointF(cos(middle), -sin(middle))
        at = self._pixels.point(0, 0) + way * (0 if beyond else self._px(ARC))
        width, height = metrics.horizontalAdvance(text), metrics.height()
        rect = along(at, way, width, height, self._px(BESIDE))
        room.take(rect)
        return Label(text, rect, arc.ink)

    def _below(self, dot: Dot, room: Room, bottom: float, metrics: QFontMetrics) -> Label:
        text = f"{dot.below} ✗" if dot.wrong else dot.below
        middle, width = self._pixels.point(dot.x, dot.y), metrics.horizontalAdvance(text) + 2
        radius = self._px(DISC if is_disc(dot) else RADIUS)
        rect = QRectF(middle.x() - width / 2, middle.y() + radius + 4, width, metrics.height())
        if rect.bottom() > bottom:  # the words would be cut, so they go above the dot
            rect.moveBottom(middle.y() - radius - 4)
        room.take(rect)
        return Label(text, rect, "error" if dot.wrong else TEXT)

    def _of_words(self, words: Words, room: Room, metrics: QFontMetrics) -> Label:
        at, width, height = (
            self._pixels.point(words.x, words.y),
            metrics.horizontalAdvance(words.text),
            metrics.height(),
        )
        rect = QRectF(at.x() - width / 2, at.y() - height / 2, width, height)
        if words.fixed:
            room.take(rect)
        else:
            wanted = [rect, *around(at, width, height, self._px(BESIDE)), *stacked(rect, 4)]
            rect = room.find(wanted) or room.within(rect)
        return Label(words.text, rect, words.ink)

    def _at_tip(self, i: int, arrow: Arrow, room: Room, metrics: QFontMetrics) -> Label:
        start, tip = self._pixels.point(*arrow.start), self._pixels.point(*arrow.tip)
        width, height, gap = metrics.horizontalAdvance(arrow.name), metrics.height(), self._px(BESIDE)
        way = tip - start
        length = hypot(way.x(), way.y())
        way = way / length if length else QPointF(1, 0)
        ahead = along(tip, way, width, height, gap)
        right, left, *others = around(tip, width, height, gap)
        beside = [right, left] if way.x() >= 0 else [left, right]
        wanted = [ahead, *beside, *others]
        if not arrow.width:  # an arrow without a shaft lies on another arrow, so its name goes beside that
            normal = QPointF(-way.y(), way.x())
            wanted = [along(tip, side, width, height, gap) for side in (normal, -normal)] + others
        rect = room.find(wanted)
        # Names in the background may not be farther away, where they would seem to belong to another arrow.
        if rect is None and arrow.ink not in FAINT:
            rect = room.find(stacked(beside[0], 4))
        ink = TEXT if arrow.ink == MUTED else arrow.ink
        return Label(arrow.name, rect or beside[0], ink, (i,), rect is not None)

    def _beside_dots(self, drawing: Drawing, room: Room, metrics: QFontMetrics, many: bool) -> Iterator[Label]:
        dots = [(i, m) for i, m in enumerate(drawing.marks) if isinstance(m, Dot) and m.name and drawable(m.x, m.y)]
        dots = dots[:MANY]
        radius = self._px(SMALL if many else RADIUS)
        spots = [self._pixels.point(dot.x, dot.y) for _, dot in dots]
        left = MOST_NAMES
        for group in together(spots, 2 * radius):
            members = tuple(dots[k][0] for k in group)
            text = named(drawing.marks, members)
            wanted = around(spots[group[-1]], metrics.horizontalAdvance(text), metrics.height(), radius + 3)
            rect = room.find(wanted) if left else None
            left -= rect is not None
            yield Label(text, rect or room.within(wanted[2]), TEXT, members, rect is not None)


def is_disc(dot: Dot) -> bool:
    """Whether a dot is large, with words in it or below it."""
    return bool(dot.inside or dot.below)


def named(marks: Sequence[Mark], members: Sequence[int]) -> str:
    """The names of dots that lie on each other."""
    names = list(dict.fromkeys(mark.name for mark in (marks[i] for i in members) if isinstance(mark, Dot)))
    if len(names) > 1:  # names with a comma get brackets, so that it is clear where a name ends
        names = [f"({name})" if "," in name else name for name in names]
    more = f" +{len(names) - MOST_AT_ONE}" if len(names) > MOST_AT_ONE else ""
    return ", ".join(names[:MOST_AT_ONE]) + more


def _along(ends: Array) -> Array:
    """Points along lines with these ends, (n_lines, 2, 2): (n, 2)."""
    way = ends[:, 1] - ends[:, 0]
    counts = np.minimum((np.hypot(*way.T) / STEP).astype(int) + 2, 400)
    whose = np.repeat(np.arange(len(ends)), counts)
    nth = np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)
    return ends[whose, 0] + way[whose] * (nth / (counts[whose] - 1))[:, None]
