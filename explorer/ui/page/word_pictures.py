"""How large the pictures of attention on a page are: heat maps, and lines between words."""

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QRect

from explorer.pages.drawing import AttentionLines, HeatMap
from explorer.pages.equation import LEAST_SIDE, Size, in_even_lines
from explorer.pages.page import Row, Stack, maps_alike
from explorer.ui.page.elements import around_map
from explorer.ui.page.holders import Titled
from explorer.ui.page.lines import ACROSS_ROW
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.widgets import UNBOUNDED

if TYPE_CHECKING:
    from explorer.ui.page.sharing import Sharing

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
            heading = cast(Titled, self._sharing.page.holder_of(cast(Stack, row.inside[-1]))).heading.sizeHint()
            word, across, down, least = around_map(self._sharing.page.bench, maps[0])
            around, gap = Size(across, down + heading.height() + px(6 + self._sharing.page.down)), px(ACROSS_ROW)
            free = Size(room, UNBOUNDED if height is None else max(height - tops.get(row.id, 0), 0))
            most = px(LARGEST) if height is None else px(CELL) * max(maps[0].matrix.array.shape)
            least = max(heading.width(), least)
            each, side = in_even_lines(len(maps), free, gap, word, around, least, px(LEAST_SIDE), most)
            side = max(side, px(CELL))
            self._sharing.page.layout_of(row).let_begin(range(each, len(maps), each))
            for i, one in enumerate(maps):
                names = word * (i % each == 0)
                place = cast(PicturePlace, self._sharing.page.widgets[one.id])
                if place.be_one_of_many(side, bool(names), across + names + side, down + side):
                    self._sharing.page.tell_around(place)

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
                place = cast(PicturePlace, self._sharing.page.widgets[one.id])
                if place.be_at_most(width, square if one.id in in_row else width, self._sharing.growth.maps):
                    self._sharing.page.tell_around(place)

    def stand_beside(self, row: Row, room: int) -> None:
        """Make lines between words narrow enough to stand beside the element before them, if there is room."""
        layout = self._sharing.page.layout_of(row)
        for i, one in enumerate(row.inside):
            if not (i and isinstance(one, AttentionLines)):
                continue
            place = cast(PicturePlace, layout.widgets[i])
            rects = {id(item.widget()): rect for item, rect in layout.places(QRect(0, 0, room, 0))}
            before = rects.get(id(layout.widgets[i - 1]))
            spare = 0 if before is None else room - before.right() - 1 - self._sharing.px(ACROSS_ROW)
            if self._sharing.px(LEAST_LINES) <= spare < place.wished:
                self._beside[one.id] = spare
            else:
                self._beside.pop(one.id, None)
            if place.be_at_most(width := self._beside.get(one.id, room), width, self._sharing.growth.maps):
                self._sharing.page.tell_around(place)
