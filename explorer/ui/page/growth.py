"""How much larger matrices, pictures and lists are in a large window, with the whole page still visible.

And how large the pictures of attention on a page are: heat maps, and lines between words.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QRect

from explorer.pages import equation
from explorer.pages.arrange import ACROSS as GAP
from explorer.pages.arrange import least_of, scene_of, torn
from explorer.pages.drawing import AttentionLines, HeatMap, WordRoom
from explorer.pages.element import Element, leaves
from explorer.pages.equation import LEAST_SIDE, Size, in_even_lines
from explorer.pages.matrix import Matrix
from explorer.pages.page import DescentPart, Item, Listing, Picture, Row, Stack, maps_alike, parts_beside
from explorer.ui.page.pictures import WordPlace, around_map
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.formula import can_typeset_now

if TYPE_CHECKING:
    from explorer.ui.page.listing import ListingView
    from explorer.ui.page.sharing import Sharing

WIDE = (1.5, 2000, 1150), (1.3, 1700, 1000), (1.15, 1350, 850)
"""(factor, width, height): on a page of at least this size in pixels at text scale 1, all matrices are larger by the
factor. They still have more room than in a smaller window."""
TALL = 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0, 24.0
"""How many times higher than wide the cells of small pictures may be, if a page leaves room below. Cells of a large
model are less than a pixel wide, but each row, which is a word, should be visible.
"""
MAPS = 4.0, 3.2, 2.6, 2.0, 1.6, 1.3
"""How many times larger heat maps and attention lines may be in such room."""
DRAWN = Picture, Listing
PICTURED = 1.15
"""How many times larger a page of small pictures may be: its words and formulas must not outgrow its title."""
EMPTY, MUCH = 0.2, 1.25
"""If more than the share `EMPTY` of the height stays empty, rows may break more, if all is larger by `MUCH` then."""
SLIGHTLY, SMALLER, HIGH = 140, (0.9, 0.8, 0.7, 0.6), 320
"""Pixels at text scale 1 by which a page may be too high and still be made to fit; the factors that then make pictures
smaller; and the least height of a picture for the last factor, with which a lower one would be too small."""


class Growth:
    """Enlarges everything on a page in a large window.

    `sharing`: divides the room of that page.
    """

    def __init__(self, sharing: "Sharing") -> None:
        self._sharing = sharing
        self._wide = self.grown = self.drawn = self.tall = self.maps = 1.0
        self.breaks = False
        """Whether rows that do not fit break before their "=", so that everything can be larger."""
        self._decided: tuple[object, ...] = ()
        """The room and the elements for which the present factors were decided."""

    @property
    def times(self) -> float:
        """The factor by which each matrix is larger than its least size: that of a large window, times `grown` if the
        whole page is visible and leaves room. Pictures and lists have the factor `drawn`, which is larger if matrices
        have no more width.
        """
        return self._wide * self.grown

    def begin(self, room: int, height: int | None) -> bool:
        """Store the size of the window; returns whether larger sizes have to be tried."""
        px, page = self._sharing.px, self._sharing.page
        there = (times for times, across, down in WIDE if room >= px(across) and (height or 0) >= px(down))
        self._wide = next(there, 1.0)
        decides: tuple[object, ...] = ()
        if height is not None and not self._sharing.enlargement.lit:
            # None of this depends on the numbers, because cells must not move.
            late, sizes = page.guesses(), [box.own_size[1:] for box in self._sharing.boxes()]
            lists = [(len(one.lines), len(one.columns)) for one in self._sharing.all if isinstance(one, Listing)]
            decides = room, height, [one.id for one in self._sharing.all], lists, sizes, late, can_typeset_now()
        if decides == self._decided:
            return False
        self._decided, self.grown, self.drawn, self.tall, self.maps, self.breaks = decides, 1.0, 1.0, 1.0, 1.0, False
        return bool(decides)

    def grow(self, room: int, height: int) -> None:
        """Make matrices, pictures and lists as large as possible with the whole page visible and no row on more lines.

        If much of the page would stay empty, rows may take more lines if everything is much larger then. Small pictures
        in place of numbers already have their full width, so their cells become higher. A page that is only slightly
        too high gets smaller pictures, if the whole page is visible then.
        """
        before, high = self._stance(room)
        lines, narrow, whole, torn = before
        if high > height + self._sharing.px(SLIGHTLY):
            return

        def fits(times: float, drawn: float, tall: float, breaks: bool = False, maps: float = 1.0) -> bool:
            if (times, drawn, tall, breaks, maps) == (self.grown, self.drawn, self.tall, self.breaks, self.maps):
                return True  # this is the present layout
            others = maps != self.maps
            self.grown, self.drawn, self.tall, self.breaks, self.maps = times, drawn, tall, breaks, maps
            if others:
                self._sharing.pictures.share(room, height)
            self._sharing.arrange(room, height, low=False)
            (now, lists, sizes, breaks_off), high = self._stance(room)
            seen = all(a <= b for one, other in zip(whole, sizes, strict=True) for a, b in zip(one, other, strict=True))
            roomy = all(lacks <= max(narrow.get(id, 0), 0) for id, lacks in lists.items())
            return (breaks or now == lines) and roomy and seen and breaks_off == torn and high <= height

        if high > height:
            pictures = [one for one in self._sharing.all if _is_drawn(one)]
            are_high = all(isinstance(one, Picture) and one.height >= HIGH for one in pictures)
            smaller = SMALLER if are_high else SMALLER[:-1]
            if not any(fits(1.0, one, 1.0) for one in smaller if pictures):
                fits(1.0, 1.0, 1.0)
            return
        small = [box.small for box in self._sharing.boxes()]
        most = PICTURED if 2 * sum(small) > len(small) else equation.LARGER[0]
        larger = (one for one in self._larger(room, height - high, Matrix) if one <= most)
        alike = next((one for one in larger if fits(one, one, 1.0)), 1.0)
        fits(alike, alike, 1.0)
        free = height - self._stance(room)[1]
        drawn = next((one for one in self._larger(room, free) if one > alike and fits(alike, one, 1.0)), alike)
        maps = MAPS if any(isinstance(one, (HeatMap, AttentionLines)) for one in self._sharing.all) else ()
        if any(fits(alike, drawn, 1.0, maps=one) for one in maps):
            return
        fits(alike, drawn, 1.0)
        breaks = False
        if height - self._stance(room)[1] > EMPTY * height:
            both = [(one, max(one, drawn)) for one in equation.LARGER if most >= one >= MUCH * alike]
            for ways in (both, [(alike, one) for one in equation.LARGER if one >= MUCH * drawn]):
                if breaks:
                    break
                # If a factor fits, all smaller ones do, so bisect: each trial takes some 10 ms.
                at = bisect_left(ways, True, key=lambda way: fits(way[0], way[1], 1.0, True))
                if at < len(ways) and fits(ways[at][0], ways[at][1], 1.0, True):
                    (alike, drawn), breaks = ways[at], True
            fits(alike, drawn, 1.0, breaks)
        talls = TALL if any(box.small for box in self._sharing.boxes()) else TALL[:1]
        higher = bisect_left(talls, True, 1, key=lambda tall: not fits(alike, drawn, tall, breaks))
        fits(alike, drawn, talls[higher - 1], breaks)

    def _larger(self, room: int, free: int, *kinds: type[Element]) -> Iterator[float]:
        """The factors by which pictures, lists and more kinds of elements may grow, from their present room."""
        page, parts = self._sharing.page, []

        def grows(element: Element) -> bool:
            return any(_is_drawn(one) or isinstance(one, kinds) for one in leaves(element))

        for element, place in page.places(room):
            across, down = place.width(), place.height()
            if isinstance(element, Row):
                there = (one for item, one in self._there(element, room) if grows(item.element) and not _is_map(item))
                all_there = reduce(QRect.united, there, QRect())
                # For parts that fill their line, the width that they need, which is less.
                across = sum(self._sharing.px(one.width) for one in parts_beside(element)) or all_there.right() + 1
                down = all_there.height()
            elif isinstance(element, (Matrix, *DRAWN)) and (ask := page.ask(element.id)) is not None:
                across = ask.likes
            if grows(element):
                parts.append((across, down))
        return equation.larger(parts, room, free, self.grown)

    def _stance(self, room: int) -> tuple[tuple[Any, ...], int]:
        """How rows break, how much width lists lack, what of matrices is visible, which terms are torn; the height."""
        page, broken, torn_ = self._sharing.page, [], []
        for row in self._sharing.rows:
            across = page.narrow.get(row.id, room)
            there = list(self._there(row, room))
            pairs = pairwise((item, rect.left()) for item, rect in there)
            broken.append([b <= a and not _is_map(item) for (_, a), (item, b) in pairs])
            torn_.append((least_of(row, page) > room, torn(row, across, page)))
        seen = [(not box.small, box.view.extent.whole, box.form.size) for box in self._sharing.boxes()]
        lists = [one.id for one in self._sharing.all if isinstance(one, Listing)]
        places = page.scene(room).places
        narrow = {
            id: cast("ListingView", page.widgets[id]).whole_width - min(places[id][2], room)
            for id in lists
            if id in places
        }
        end = max((place.bottom() + 1 for _, place in page.places(room)), default=0)
        return (broken, narrow, seen, torn_), end + page.contentsMargins().bottom()

    def _there(self, row: Row, room: int) -> Iterator[tuple[Item, QRect]]:
        """The visible items of a row, each with its place in the part of the page that it stands in."""
        page = self._sharing.page
        places = page.part_scene(page.top_of(row), room).places
        return ((item, QRect(*places[item.element.id])) for item in row.items if item.element.id in places)

    def times_in(self, element: Element) -> float:
        """The factor for the width of an arrangement: the largest of its parts; a single number does not count."""
        numbers = any(isinstance(one, Matrix) and one.values.size > 1 for one in leaves(element))
        matrices = self.times if numbers else 1.0
        return max(self.drawn, matrices) if any(isinstance(one, DRAWN) for one in leaves(element)) else matrices


def _is_drawn(element: Element) -> bool:
    """Whether an element is a picture or a list that may be larger."""
    if isinstance(element, DescentPart):
        return element.part in ("curve", "surface")
    return isinstance(element, DRAWN) and not (isinstance(element, Picture) and element.fills)


def _is_map(item: Item) -> bool:
    """Whether an item is a picture of weights, which may stand beside an equation or below it."""
    return any(isinstance(one, (HeatMap, AttentionLines)) for one in leaves(item.element))


ACROSS, LEAST_MAP, LOWEST_MAP, MOST_MAP, ABOVE_MAP = 16, 300, 190, 520, 415
"""Pixels at text scale 1: between two heat maps; the least width of one beside another; the least and the greatest
height of a map; and the height that small pictures, and the map's own words, take above it.
"""
LEAST_LINES = 180
"""The least width of lines between words beside the element before them, in pixels at text scale 1."""
CELL, LARGEST = 48, 232
"""Pixels at text scale 1, for a heat map that is one of many: the largest cell; and the largest map on paper."""


class WordPictures:
    """Divides the room of a page among its heat maps and lines between words.

    `sharing`: divides the room of that page.
    """

    def __init__(self, sharing: "Sharing") -> None:
        self._sharing = sharing
        self._beside: dict[str, int] = {}
        """The greatest widths in pixels, by id, of lines between words that stand beside other elements."""

    def stand_alike(self, room: int, height: int | None) -> None:
        """Arrange similar heat maps in even lines, all visible together, so that they can be compared."""
        px, rows = self._sharing.px, [(row, maps) for row in self._sharing.rows if (maps := maps_alike(row))]
        tops = {one.id: place.top() for one, place in self._sharing.page.places(room)} if rows else {}
        for row, maps in rows:
            heading = self._sharing.page.head_of(cast(Stack, row.inside[-1]))
            word, across, down, least = around_map(self._sharing.page.bench, maps[0])
            around, gap = Size(across, down + heading.height() + px(6 + self._sharing.page.between_lines)), px(GAP)
            free = Size(room, UNBOUNDED if height is None else max(height - tops.get(row.id, 0), 0))
            most = px(LARGEST) if height is None else px(CELL) * max(maps[0].matrix.array.shape)
            least = max(heading.width(), least)
            each, side = in_even_lines(len(maps), free, gap, word, around, least, px(LEAST_SIDE), most)
            side = max(side, px(CELL))
            self._sharing.page.let_begin(row, frozenset(range(each, len(maps), each)))
            for i, one in enumerate(maps):
                names = word * (i % each == 0)
                place = cast(WordPlace, self._sharing.page.widgets[one.id])
                room_of = WordRoom(side=side, names_rows=bool(names), scaled=not i)
                if place.give(room_of, across + names + side, down + side):
                    self._sharing.page.changed(one.id)

    def share(self, room: int, height: int | None) -> None:
        """Limit each picture of words to the width of the page; two heat maps in a row stand side by side."""
        px = self._sharing.px
        square = px(MOST_MAP) if height is None else max(height - px(ABOVE_MAP), px(LOWEST_MAP))
        in_row: dict[str, int] = {}
        alike = {one.id for row in self._sharing.rows for one in maps_alike(row)}
        for row in self._sharing.rows:
            maps = [item.element.id for item in row.items if isinstance(item.element, HeatMap)]
            if maps:
                self._sharing.break_line(row, self._sharing.stands)
            in_row |= {id: max((room - px(ACROSS) * (len(maps) > 1)) // len(maps), px(LEAST_MAP)) for id in maps}
        for one in self._sharing.all:
            if isinstance(one, (AttentionLines, HeatMap)) and one.id not in alike:
                width = min(in_row.get(one.id, self._beside.get(one.id, room)), room)
                place = cast(WordPlace, self._sharing.page.widgets[one.id])
                if place.give(WordRoom(width, square if one.id in in_row else width, self._sharing.growth.maps)):
                    self._sharing.page.changed(one.id)

    def stand_beside(self, row: Row, room: int) -> None:
        """Make lines between words narrow enough to stand beside the element before them, if there is room."""
        page = self._sharing.page
        for i, one in enumerate(row.inside):
            if not (i and isinstance(one, AttentionLines)):
                continue
            place = cast(WordPlace, page.widgets[one.id])
            before = scene_of(row, room, page.spacing, page).places.get(row.inside[i - 1].id)
            spare = 0 if before is None else room - before[0] - before[2] - self._sharing.px(GAP)
            if self._sharing.px(LEAST_LINES) <= spare < place.wished:
                self._beside[one.id] = spare
            else:
                self._beside.pop(one.id, None)
            if place.give(WordRoom(width := self._beside.get(one.id, room), width, self._sharing.growth.maps)):
                page.changed(one.id)
