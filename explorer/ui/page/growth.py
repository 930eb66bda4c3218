"""How much larger matrices, pictures and lists are in a large window, with the whole page still visible."""

from bisect import bisect_left
from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QRect

from explorer.pages import equation
from explorer.pages.drawing import AttentionLines, HeatMap
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import DescentPart, Item, Listing, Picture, Row, parts_beside
from explorer.ui.page.descent import DescentView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.widgets.formula import can_typeset_now

if TYPE_CHECKING:
    from explorer.ui.page.fitted_table import FittedTable
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
            places = [one for one in page.widgets.values() if isinstance(one, PicturePlace | DescentView)]
            late, sizes = [one.picture is None for one in places], [box.own_size[1:] for box in self._sharing.boxes()]
            decides = room, height, [one.id for one in self._sharing.all], sizes, late, can_typeset_now()
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
                there = (one for item, one in self._there(element, place) if grows(item.element) and not _is_map(item))
                all_there = reduce(QRect.united, there, QRect())
                # For parts that fill their line, the width that they need, which is less.
                across = sum(self._sharing.px(one.width) for one in parts_beside(element)) or all_there.right() + 1
                down = all_there.height()
            elif isinstance(element, (Matrix, *DRAWN)):
                across = page.part(element).sizeHint().width()
            if grows(element):
                parts.append((across, down))
        return equation.larger(parts, room, free, self.grown)

    def _stance(self, room: int) -> tuple[tuple[Any, ...], int]:
        """How rows break, how much width lists lack, what of matrices is visible, which terms are torn; the height."""
        page, broken, torn = self._sharing.page, [], []
        widths: dict[str, int] = {}
        for row in self._sharing.rows:
            layout = page.layout_of(row)
            across = self._sharing.room_of(row, room)
            there = list(self._there(row, QRect(0, 0, across, 0)))
            # A list in a row gets its width from the row, once that is laid out.
            widths |= {part.id: rect.width() for item, rect in there for part in leaves(item.element)}
            places = pairwise((item, rect.left()) for item, rect in there)
            broken.append([b <= a and not _is_map(item) for (_, a), (item, b) in places])
            torn.append((layout.minimumSize().width() > room, layout.torn(across)))
        seen = [(not box.small, box.view.extent.whole, box.form.size) for box in self._sharing.boxes()]
        lists = [
            (one.id, cast("FittedTable", page.widgets[one.id])) for one in self._sharing.all if isinstance(one, Listing)
        ]
        narrow = {id: one.whole_width - min(widths.get(id, one.width()), room) for id, one in lists}
        end = max((place.bottom() + 1 for _, place in page.places(room)), default=0)
        return (broken, narrow, seen, torn), end + page.contentsMargins().bottom()

    def _there(self, row: Row, place: QRect) -> Iterator[tuple[Item, QRect]]:
        """The visible items of a row with their places."""
        layout = self._sharing.page.layout_of(row)
        items = {id(widget): item for widget, item in zip(layout.widgets, row.items, strict=True)}
        return ((items[id(one.widget())], rect) for one, rect in layout.places(place))

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
