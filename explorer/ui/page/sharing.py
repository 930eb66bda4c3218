"""How the room of a page is shared among its elements: how wide each is, and what stands there as a small picture."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QRect

from explorer.pages import equation
from explorer.pages.by_hand import Scheme
from explorer.pages.drawing import AttentionLines, HeatMap
from explorer.pages.element import Element, leaves
from explorer.pages.equation import Room, side_by_side
from explorer.pages.matrix import Matrix
from explorer.pages.of_step import Lit
from explorer.pages.page import Listing, Picture, Row, Stack
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.controls import ChoiceView
from explorer.ui.page.descent import DescentPart
from explorer.ui.page.elements import Drawn
from explorer.ui.page.header import HeaderView
from explorer.ui.page.holders import Titled, height_of
from explorer.ui.page.lines import ACROSS_ROW, SIGN, THUMB, RowLayout, let_stand, let_stand_below, row_room, width_of
from explorer.ui.page.note import NoteLabel, SectionLabel
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.page.player import PlayerView
from explorer.ui.page.thumbnails import (
    NONE,
    Part,
    Stands,
    Taken,
    first_matrices,
    first_whole,
    map_in_sight,
    matrices_of,
    rows_to_map,
    weights_of,
)
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.formula import can_typeset_now
from explorer.ui.widgets.labels import let_end, line_of

if TYPE_CHECKING:
    from explorer.ui.page.column import Elements
    from explorer.ui.page.fitted_table import FittedTable

LOW_PAGE, HIGH_PAGE = 350, 700
"""Pixels at text scale 1 in sight, below which sentence and switches wait until they are asked for; and from which on
there is room for the heat map with the weights: between them, for the weights.
"""
BETWEEN = 24
"""Pixels at text scale 1 between parts of a page that stand beside each other."""
HEAD = 24
"""Pixels at text scale 1 that the heading of a matrix takes."""
PART = 0.22
"""Of the height in sight, what a row may take that can be small pictures instead."""
ACROSS, LEAST_MAP, MOST_MAP, ABOVE_MAP = 16, 300, 520, 415
"""Pixels at text scale 1: between two heat maps; what one beside another has at least, and any at most; what small
pictures, and a map's own words, take above it.
"""
TIMES, LARGE, SMALL = (2.0, 1.7, 1.4, 1.2, 1.0), 1.4, 0.5
"""How many times larger what a step names may be than the rest, the largest that fits first; more than `LARGE` only
where it takes no more than `SMALL` of what is in sight."""
WIDE = (1.5, 2000, 1150), (1.3, 1700, 1000), (1.15, 1350, 850)
"""In a large window all matrices are so many times larger: where a page has so many pixels across and down at text
scale 1, so that they have more room than in a smaller window all the same."""


@dataclass(frozen=True)
class _Way:
    """A way that what is named may stand."""

    times: float  # how many times larger some of it is
    larger: Collection[str]  # which of it
    small: Mapping[str, Collection[int] | None]  # see `Stands`
    wanted: Collection[str]  # what is to be in sight at once


class Sharing:
    """Shares the room of a page."""

    def __init__(self, page: "Elements") -> None:
        self.page = page
        self._stands = Stands({})
        """How rows stand so that what matters is in sight."""
        self._decided: tuple[object, ...] = ()
        """What that was decided for."""
        self._for_named = False
        """Whether they stand so for what a step of a lesson names."""
        self._known: dict[str, int] = {}
        """How high what holds no matrix is, by its id, while ways to stand are tried."""
        self._waits = False
        """Whether it is decided later what stands how."""
        self._rows: dict[str, object] = {}
        """How rows stand that have been tried, by their ids."""
        self._tried: tuple[object, ...] = ()
        """The way to stand that was tried last."""
        self.lit = Lit()
        """What a step names, which is larger, and what that is made of."""
        self._times = self._usual = 1.0
        """How many times larger than the other matrices, and how large these are."""
        self._grown = 1.0
        """How much larger than that matrices and pictures are of a page that is in sight whole all the same."""
        self._grown_for: tuple[object, ...] = ()
        """What that was decided for."""
        self._larger: Collection[str] = ()
        """Which of what it names are so much larger."""
        self._measured: dict[object, Taken] = {}
        """The room that parts take in one width: with another height of the window nothing is measured anew."""
        self._narrow: dict[str, int] = {}
        """Pixels across of the rows, by id, that stand in a stack of a width of its own."""
        self._all: list[Element] = []
        """What stands on the page, and all that stands in it, in reading order."""
        self._around: dict[str, Row] = {}
        """The row of stacks in one of which a row stands, by its id."""
        self._in_rows: set[str] = set()
        """The matrices, by their ids, that stand in rows, which make them smaller where that is needed."""
        self._lined_up: set[str] = set()
        """The matrices, by their ids, that stand above, below or beside a product's result, column under column."""

    def _px(self, pixels: float) -> int:
        """Pixels on this screen of pixels at text scale 1; the page may be dressed in another look for paper."""
        return self.page.bench.appearance.px(pixels)

    def forget(self) -> None:
        """Decide anew: the page was arranged anew."""
        self._stands, self._decided = Stands({}), ()

    def share(self, width: int, height: int | None, drags: bool) -> None:
        """See `Elements.share_room`."""
        self._waits = drags and self._for_named
        margins = self.page.contentsMargins()
        room = max(width - margins.left() - margins.right(), 0)  # a window may be all margin
        low = height is not None and height < self._px(LOW_PAGE)
        if isinstance(header := self.page.widgets.get("header"), HeaderView):
            header.fit(room, low or self.lit.quiet)  # what can be switched is asked for there, too
        usual = 1.0 if height is None else self._usual_in(room, height)
        self._all = [part for element in self.page.elements for part in leaves(element)]
        rows = [element for element in self._all if isinstance(element, Row)]
        self._around = {row.id: outer for outer in rows for row in _rows(outer)}
        key = self._grows_for(room, height) if usual > 1 and not self.lit else ()
        if key != self._grown_for:
            self._grown = 1.0
        self._usual = usual * self._grown
        self._arrange(rows, room, height, low)
        if key and key != self._grown_for and not self._for_named and height is not None:
            self._grow(rows, room, height, usual)
        self._grown_for = key
        for widget in self.page.widgets.values():
            if isinstance(widget, MatrixBox):
                widget.stand()
        self._share_between_pictures(room, height)
        words = [part for part in self.page.parts if isinstance(part, (SectionLabel, NoteLabel, HeaderView))]
        filling = [widget for widget in self.page.widgets.values() if isinstance(widget, Drawn) and widget.fills]
        others = [p.minimumSizeHint().width() for p in self.page.parts if p not in words and p not in filling]
        beyond = max([room, *others]) - room
        for part in words:
            let_end(part, beyond + (max(room - line_of(part), 0) if isinstance(part, NoteLabel) else 0))
        for picture in filling:
            taken = self.page.height_without(picture, room)
            picture.give_room(room, None if height is None else height - taken)

    def _arrange(self, rows: Sequence[Row], room: int, height: int | None, low: bool) -> None:
        """Say of all that stands on the page how large it is, and what is a small picture."""
        sign = self._px(SIGN) + self._px(ACROSS_ROW) if any(item.sign for row in rows for item in row.items) else 0
        crossing = [element for element in self._all if isinstance(element, Scheme)]
        lined_up = self._lined_up = {one.id for scheme in crossing for one in scheme.inside}
        in_rows = self._in_rows = {one.id for row in rows for one in matrices_of(row)}
        alone = {one.id for one in self.page.elements if isinstance(one, Matrix)}
        for id, widget in self.page.widgets.items():
            if isinstance(widget, MatrixBox):
                widget.give_room(room - sign)
                if id not in in_rows:
                    widget.be_times(self._times_of(id))
                    widget.stand_alone()
                if id not in lined_up:
                    widget.stand_in_line(0, 0)
                if id in alone:  # in a row before, another one may have said what its rows are
                    widget.be(labelled=True)
                if id not in in_rows:
                    widget.tell_size()
            elif isinstance(widget, (ChoiceView, NoteLabel, PlayerView)):
                widget.be_no_wider(room)
        self._narrow = {}
        widths = {id: across for row in rows for id, across in self._beside(row, room).items()}
        for stack in (one for one in self._all if isinstance(one, Stack) and one.width):
            wanted = self._px(stack.width * self._grows_in(stack))
            across = widths.get(stack.id, max(min(wanted, room), 0))
            self.page.holder_of(stack).setFixedWidth(across)
            self._narrow |= {row.id: across for row in leaves(stack) if isinstance(row, Row)}
            self._let_be(stack.elements, across)
            for note in (self.page.widgets.get(one.id) for one in stack.elements):
                if isinstance(note, NoteLabel):
                    let_end(note, max(across - line_of(note), 0))
        for widget in self.page.widgets.values():
            if isinstance(widget, DescentPart):
                widget.be_no_wider(room)
            elif isinstance(widget, Drawn) and widget.be_no_wider(room, self._grown):
                self.page.tell_around(widget)
        self._let_be(self.page.elements, room)
        for scheme in crossing:
            self._line_up(scheme)
        for row in rows:
            self.share_line(row, room, height, self._stands.small.get(row.id))
        self._bring_into_sight(room, height, low)

    def _grows_for(self, room: int, height: int | None) -> tuple[object, ...]:
        """What it is decided for how much larger all is: nothing that changes with numbers, or cells would move."""
        boxes = self._boxes_of_all()
        late = [widget.picture is None for widget in self.page.widgets.values() if isinstance(widget, PicturePlace)]
        return room, height, [one.id for one in self._all], [box.own_size[1:] for box in boxes], late, can_typeset_now()

    def _grow(self, rows: Sequence[Row], room: int, height: int, usual: float) -> None:
        """Let matrices and pictures be as large as leaves the page in sight whole, with no row on more lines."""
        before, _ = self._stance(rows, room)
        grow = {one.id for one in self._all if isinstance(one, Matrix) or (isinstance(one, Picture) and not one.fills)}
        parts = []
        for element, place in self.page.places(room):
            across = place.width()
            if isinstance(element, Row):
                across = max((rect.right() + 1 for _, rect in self.page.layout_of(element).places(place)), default=0)
            elif isinstance(element, (Matrix, Picture)):
                across = self.page.part(element).sizeHint().width()
            if not grow.isdisjoint(one.id for one in leaves(element)):
                parts.append((across, place.height()))
        for times in equation.larger(parts, room, height - self._stance(rows, room)[1]):
            self._grown, self._usual = times, usual * times
            self._arrange(rows, room, height, False)
            stance, high = self._stance(rows, room)
            if stance == before and high <= height:
                return
        if self._grown > 1:
            self._grown, self._usual = 1.0, usual
            self._arrange(rows, room, height, False)

    def _stance(self, rows: Sequence[Row], room: int) -> tuple[object, int]:
        """How rows are broken into lines, and what is a small picture; and where the page ends."""
        broken = []
        for row in rows:
            layout = self.page.layout_of(row)
            lefts = [rect.left() for _, rect in layout.places(QRect(0, 0, self._narrow.get(row.id, room), 0))]
            broken.append([b <= a for a, b in pairwise(lefts)])
            broken.append([layout.minimumSize().width() > room])
        small = [(box.small, box.view.extent.whole, box.form.size) for box in self._boxes_of_all()]
        return (broken, small), max((place.bottom() for _, place in self.page.places(room)), default=0)

    def _grows_in(self, element: Element) -> float:
        """How much larger an arrangement of a width of its own is: as what grows in it."""
        return self._grown if any(isinstance(one, (Matrix, Picture)) for one in leaves(element)) else 1.0

    def _boxes_of_all(self) -> list[MatrixBox]:
        return [self.page.box(one) for one in self._all if isinstance(one, Matrix)]

    def _beside(self, row: Row, room: int) -> dict[str, int]:
        """How wide parts of a page are that stand beside each other: together they fill their line, if not too wide."""
        parts = [one for one in row.inside if isinstance(one, Stack) and one.width and not one.title]
        if len(parts) < max(len(row.items), 2):
            return {}
        wide = side_by_side(
            [self._px(one.width * self._grows_in(row)) for one in parts], Room(room, self._px(BETWEEN), 0)
        )
        return dict(zip((one.id for one in parts), wide, strict=True))

    def _let_be(self, elements: Sequence[Element], room: int) -> None:
        """Let tables below each other be as high as they are in their room: Qt would lay it out with what they were."""
        for widget in (self.page.widgets.get(one.id) for one in elements if isinstance(one, Listing)):
            if widget is not None:
                cast("FittedTable", widget).be_no_wider(room)

    def _bring_into_sight(self, room: int, height: int | None, low: bool) -> None:
        """Let small pictures stand for what is in the way as the page begins; without a height nothing is."""
        if height is not None and self._brings_named(room, height):
            return
        elements = self.page.elements
        parts = [] if height is None else first_matrices(elements) if low else rows_to_map(elements)
        inside = [one for part in parts for one in leaves(part.element)]
        if not low and any(isinstance(one, Matrix) and one.open is not None and not one.named for one in inside):
            return  # somebody looks closer: nothing else moves for that
        rows = [row for part in parts for row in part.rows]
        # Sizes that do not change with what is small: else it would be decided for ever.
        boxes = [self.page.box(one) for row in rows for one in matrices_of(row)]
        sizes = [(box.view.across(1.0, box.form), box.usual.height, box.own_size) for box in boxes]
        maps = [self.page.widgets[one.id].sizeHint().toTuple() for one in inside if isinstance(one, HeatMap)]
        where = {one.id: place for one, place in self.page.places(room)}
        top = where[parts[0].element.id].top() if parts and low else 0
        decided = (room, low, sizes, maps), height, top
        if self._decided == decided:
            return
        if self._decided[:1] != decided[:1]:
            self._measured = {}

        def stand(part: Part, stands: Stands) -> None:
            for row in part.rows:
                self._break_line(row, stands.breaks)
                self.share_line(row, room, height, stands.small.get(row.id, None if row.folds else ()))

        def measure(part: Part, stands: Stands) -> Taken:
            breaks = stands.breaks and any(map(weights_of, part.rows))
            way = part.element.id, breaks, *(stands.small.get(row.id, height) for row in part.rows)
            if way not in self._measured:
                stand(part, stands)
                self._measured[way] = self._taken(part.element, room)
            return self._measured[way]

        gone = set(self._stands.small) - {row.id for row in rows}
        for row in (one for one in self._all if isinstance(one, Row) and one.id in gone):
            stand(Part(row, (row,)), Stands({}))
        where = {one.id: place for one, place in self.page.places(room)}
        places = [where[part.element.id] for part in parts]
        gaps = [at.top() - end for at, end in zip(places, (0, *(one.bottom() + 1 for one in places)), strict=False)]
        if height is None or not parts:
            self._stands = Stands({})
        elif low:
            self._stands = first_whole(parts, gaps, height, measure)
        else:
            self._stands = map_in_sight(parts, gaps, height, height >= self._px(HIGH_PAGE), measure)
        reached: set[str] = set()
        for part in parts:
            stand(part, self._stands)
            reached |= measure(part, self._stands).reach.keys()
        wanted = (one.id for row in rows for one in row.inside if isinstance(one, (Matrix, HeatMap)))
        self._decided = decided if reached.issuperset(wanted) else ()  # some may be still to come

    def _brings_named(self, room: int, height: int) -> bool:
        """Let matrices that are wanted in sight at once be as large as fits; small pictures stand between them.

        Returns whether there are such matrices, which nothing else makes room for: those that stand in the light, or
        several that a step names.
        """
        matrices = [one for one in self._all if isinstance(one, Matrix)]
        lit = {one.id for one in matrices if one.id in self.lit.named}
        named = lit or {one.id for one in matrices if one.named and one.open}
        rows = [row for row in self._all if isinstance(row, Row) and matrices_of(row)]
        if len(named) < (1 if lit else 2):
            if self._for_named:
                self._stands, self._decided, self._for_named = Stands({}), (), False
                self._times, self._larger = 1.0, ()
                for row in rows:
                    self._break_line(row, False)
                    self.share_line(row, room, height, None if row.folds else ())
            return False
        self._for_named = True
        boxes = [self.page.box(one) for one in matrices]

        def decides() -> tuple[object, ...]:
            # Nothing that changes with numbers: nobody's cell moves while he edits it.
            sizes = [(box.own_size[1:], box.view.extent.whole) for box in boxes]
            return room, height, self.lit, named, sizes, can_typeset_now()

        waits = self._waits and self._decided[2:4] == (self.lit, named)
        if waits or self._decided == decides():
            return True
        self._rows = {}
        self._known = {
            one.id: place.height()
            for one, place in self.page.places(room)
            if not any(isinstance(part, Matrix) for part in leaves(one))
        }
        breaks: Set[str] | None = None
        self._tried = ()
        shown = [one for one in matrices if one.id in named]
        never, fair = self._cut(shown, rows, named, room, height) if lit else set(), None
        for way in self._ways(rows, named, bool(lit), room, height):
            if way.times > 1 and never & set(way.larger):
                continue
            if way.times > 1 and breaks is None:
                breaks = self._stand_named(rows, replace(way, times=1.0), room, height, named)[1]
            high, begin = self._stand_named(rows, way, room, height, named)
            broken = breaks is not None and (
                len(begin) > len(breaks) or any(one in way.wanted for one in begin - breaks)
            )
            if high < height and not broken:
                if not lit or not self._are_cut(shown) - never:
                    break
                fair = fair or (way if way.times <= 1 else None)
        else:  # not all of it can be whole
            if fair is not None:
                self._stand_named(rows, fair, room, height, named)
        self._decided = decides()
        return True

    def _cut(
        self, shown: Sequence[Matrix], rows: Sequence[Row], named: Collection[str], room: int, height: int
    ) -> set[str]:
        """The ids of those that are not whole even where each is no larger than usual and all others are small."""
        small = {row.id: [i for i, one in enumerate(matrices_of(row)) if one.id not in named] for row in rows}
        self._stand_named(rows, _Way(1 / self._usual, named, small, named), room, height, named)
        return self._are_cut(shown)

    def _are_cut(self, shown: Sequence[Matrix]) -> set[str]:
        boxes = [self.page.box(one) for one in shown]
        return {box.matrix.id for box in boxes if box.small or not box.view.extent.whole}

    def _stand_named(
        self,
        rows: Sequence[Row],
        way: "_Way",
        room: int,
        height: int,
        named: Collection[str],
    ) -> tuple[int, set[str]]:
        """Let what is named be so many times larger, and some matrices be small pictures.

        Returns the pixels down that what is wanted in sight takes together; and which matrices, in rows with what is
        named, begin another line: an equation that stood on one line is not broken for it.
        """
        wanted, tried = way.wanted, (way.times, set(way.larger), way.small)
        if tried != self._tried:  # two ways may differ in what is wanted in sight alone
            self._tried = tried
            self._times, self._larger, self._stands = way.times, way.larger, Stands(way.small)
            for one in (one for one in self._all if isinstance(one, Matrix)):
                self.page.box(one).be_times(self._times_of(one.id))
                if one.id not in self._in_rows:
                    self.page.box(one).stand_alone()
                    self.page.box(one).tell_size()
            for row in rows:
                # A row that stands so is left alone; in one of several beside each other it depends on the others.
                how = way.small[row.id], [self._times_of(one.id) for one in matrices_of(row)]
                if self._rows.get(row.id) != how or row.id in self._around:
                    self._rows[row.id] = how
                    self._break_line(row, False)
                    self.share_line(row, room, height, way.small[row.id])
        row_of = {one.id: row.id for row in rows for one in matrices_of(row)}
        whose = {row_of[id] for id in named if id in row_of}
        wide = (self.page.layout_of(row).minimumSize().width() for row in rows if row.id in whose)
        if way.times > 1 and max(wide, default=0) > room:  # the page would scroll sideways for it
            return UNBOUNDED, set()
        places = self.page.places(room, self._known)
        there: dict[str, list[QRect]] = {}
        begin, before = set(), dict.fromkeys(whose, -1)
        for part, rect in (found for one, place in places for found in self._places(one, place)):
            if part.id in wanted:
                there.setdefault(part.name if isinstance(part, Matrix) else part.id, []).append(rect)
            if (row_id := row_of.get(part.id, "")) in whose:
                if rect.left() <= before[row_id]:
                    begin.add(part.id)
                before[row_id] = rect.left()
        # Some stand there twice: the one that is near the others counts.
        around = [rects[0] for rects in there.values() if len(rects) == 1] or [one for one, *_ in there.values()][:1]
        middle = sum(one.center().y() for one in around) // max(len(around), 1)
        found = [min(rects, key=lambda one: abs(one.center().y() - middle)) for rects in there.values()]
        high = max((one.bottom() for one in found), default=0) - min((one.top() for one in found), default=0)
        return high, begin

    def _ways(self, rows: Sequence[Row], named: Collection[str], lit: bool, room: int, height: int) -> Iterator["_Way"]:
        """How large what is named may be, what is a small picture for it, and what is in sight then; the best first.

        With what it is made of beside it, the rest as usual or small; or by itself. Where there is no room for all that
        is named to be so large, the one that is asked is.
        """
        around = {*named, *self.lit.beside}

        def but(kept: Collection[str]) -> dict[str, list[int]]:
            return {row.id: [i for i, one in enumerate(matrices_of(row)) if one.id not in kept] for row in rows}

        rest, dark = but(named), but(around)
        usual: dict[str, Collection[int] | None] = {
            row.id: NONE if not (lit and row.folds) else dark[row.id] if len(rest[row.id]) < len(row.items) else None
            for row in rows
        }
        if not lit:
            yield from (_Way(1.0, (), small, named) for small in (usual, rest))
            return
        boxes = [self.page.box(one) for one in self._all if isinstance(one, Matrix) and one.id in named]
        for box in boxes:
            box.be_times(self._usual)
        sizes = {box.matrix.id: (box.view.extent.width, box.view.extent.height) for box in boxes}
        heroes: list[Collection[str]] = [named, self.lit.hero] if 0 < len(self.lit.hero) < len(named) else [named]
        for times in TIMES:
            fit = [
                larger
                for larger in heroes
                if self._may_be(times, [sizes[one] for one in larger if one in sizes], room, height)
            ]
            for larger in fit if times > 1 else fit[:1]:
                yield _Way(times, larger, usual, around)
                yield _Way(times, larger, dark, around)
            if times <= LARGE:
                yield from (_Way(times, larger, rest, named) for larger in (fit if times > 1 else heroes[:1]))
        if self._usual > 1:
            yield from (_Way(1 / self._usual, named, small, some) for small, some in ((dark, around), (rest, named)))

    def _may_be(self, times: float, sizes: Sequence[tuple[int, int]], room: int, height: int) -> bool:
        """Whether matrices of some sizes may be so many times larger."""
        area = sum(width * high for width, high in sizes)
        fit = all(times * width <= room and times * high <= height for width, high in sizes)
        return fit and (times <= LARGE or area * times**2 <= SMALL * room * height)

    def _times_of(self, id: str) -> float:
        """How many times larger a matrix is than usual; one that others are lined up with is not."""
        return self._usual * (self._times if id in self._larger and id not in self._lined_up else 1.0)

    def _usual_in(self, room: int, height: int) -> float:
        """How many times larger than at its least matrices are on a page of so many pixels."""
        wide = (times for times, across, down in WIDE if room >= self._px(across) and height >= self._px(down))
        return next(wide, 1.0)

    def _taken(self, element: Element, room: int) -> Taken:
        """The room that a part of the page takes as it stands now."""
        place = QRect(0, 0, room, height_of(self.page.part(element), room))
        reach = {one.id: (rect.top(), rect.bottom()) for one, rect in self._places(element, place)}
        return Taken(place.height(), reach)

    def _places(self, element: Element, place: QRect) -> Iterator[tuple[Element, QRect]]:
        """Where the matrices and heat maps of a part of the page will stand, in reading order."""
        match element:
            case Matrix() | HeatMap():
                yield element, place
            case Row(items=items):
                layout = self.page.layout_of(element)
                rects = {id(one.widget()): rect for one, rect in layout.places(place)}  # of what is there
                for item, widget in zip(items, layout.widgets, strict=True):
                    if id(widget) in rects:
                        yield from self._places(item.element, rects[id(widget)])
            case Stack(elements=elements):
                holder = cast(Titled, self.page.holder_of(element))
                for one, inside in zip(elements, holder.places(place), strict=True):
                    yield from self._places(one, inside)

    def _break_line(self, row: Row, on: bool) -> None:
        """Let the line end before the weights that a map draws, and nowhere else, whatever room they have there."""
        places = [i for i, one in enumerate(row.inside) if isinstance(one, Matrix)]
        weights = weights_of(row) if on else None
        self.page.layout_of(row).let_begin(places[weights] if weights else None)

    def share_line(self, row: Row, room: int, height: int | None = None, fold: Collection[int] | None = None) -> None:
        """Fold a row that would take too much, and say in each of its lines only once what the rows are.

        Parameters
        ----------
        room, height : int
            Pixels in sight.
        fold : collection of int
            Which of its matrices are folded in any case, and no other.
        """
        room = self._narrow.get(row.id, room)
        layout = self.page.layout_of(row)
        matrices = _boxes(layout)
        for box in matrices:
            box.be_times(self._times_of(box.matrix.id))
        # Not to and fro in one go: each time a box is folded it asks for a layout, which would ask for this.
        if fold is not None:
            for i, box in enumerate(matrices):
                box.be_tight(i in fold)
        elif row.folds and height is not None and matrices:
            # Of the numbers by themselves, whether they are in sight or not: else it would go to and fro.
            gap = self._px(ACROSS_ROW)
            pairs = zip((None, *matrices), matrices, strict=False)
            labels = [b.usual.label_room * (not a or a.matrix.rows != b.matrix.rows) for a, b in pairs]
            wide = sum(labels) + sum(box.view.across(1.0, box.form) + gap for box in matrices)
            high = max(box.usual.height for box in matrices) + self._px(HEAD)
            for box in matrices:
                box.be_tight(wide > room or high > height * PART)
        outer = self._around.get(row.id)
        beside = _rows(outer) if outer else [row]
        others = [box for one in beside for box in _boxes(self.page.layout_of(one))]
        pictures = {box.matrix.array.shape for box in others if not box.fits}
        for box in matrices:
            box.be_like_others(box.matrix.array.shape in pictures)
        # Stacks that share a line are narrower than they would be: in them each matrix has its labels.
        if outer and self._is_full(outer, room):
            let_stand_below(layout)
        else:
            let_stand(layout, row_room(self._px, room), self._px(THUMB))
        new = [box.tell_size() for box in matrices]
        if any(new):
            self.page.lay_out_again(row)

    def _is_full(self, outer: Row, room: int) -> bool:
        """Whether stacks share a line on which each has less than its width."""
        gaps = self._px(ACROSS_ROW) * (len(outer.items) - 1)
        widths = [self._widths(one) for one in outer.inside]
        return sum(wide for wide, _ in widths) + gaps > room >= sum(least for _, least in widths) + gaps

    def _widths(self, element: Element) -> tuple[int, int]:
        """Pixels across of what stands in a row: on one line, and at least; whatever labels are shown now."""
        rows = [one for one in element.elements if isinstance(one, Row)] if isinstance(element, Stack) else []
        if not rows:
            widget = self.page.holder_of(element) if isinstance(element, Stack) else self.page.widgets[element.id]
            width = widget.sizeHint().width()
            return width, width
        widths = [width_of(self.page.layout_of(row), row_room(self._px)) for row in rows]
        return max(wide for wide, _ in widths), max(single for _, single in widths)

    def _line_up(self, scheme: Scheme) -> None:
        """Let the columns of the result stand below those of the right factor; its rows are named at the left."""
        boxes = [cast(MatrixBox, self.page.widgets[one.id]) for one in (*scheme.above, scheme.result)]
        for box in (*boxes, cast(MatrixBox, self.page.widgets[scheme.left.id])):
            box.be(tight=False, labelled=box is not boxes[-1])
        width, labels = max(box.view.extent.own for box in boxes), max(box.view.extent.label_room for box in boxes[:-1])
        for box in boxes:
            box.stand_in_line(width, labels)
            box.tell_size()

    def _share_between_pictures(self, room: int, height: int | None) -> None:
        """No picture of words is wider than the page; two heat maps in a row stand beside each other."""
        px = self._px
        square = px(MOST_MAP) if height is None else max(height - px(ABOVE_MAP), px(LEAST_MAP))
        in_row: dict[str, int] = {}
        for row in (one for one in self._all if isinstance(one, Row)):
            maps = [item.element.id for item in row.items if isinstance(item.element, HeatMap)]
            in_row |= {id: max((room - px(ACROSS) * (len(maps) > 1)) // len(maps), px(LEAST_MAP)) for id in maps}
        for one in self._all:
            if isinstance(one, (AttentionLines, HeatMap)):
                width = min(in_row.get(one.id, room), room)
                cast(PicturePlace, self.page.widgets[one.id]).be_at_most(width, square if one.id in in_row else width)


def _boxes(layout: RowLayout) -> list[MatrixBox]:
    return [widget for widget in layout.widgets if isinstance(widget, MatrixBox)]


def _rows(outer: Row) -> list[Row]:
    """The rows that stand in stacks beside each other, such as one of each head."""
    stacks = [one for one in outer.inside if isinstance(one, Stack)]
    return [row for stack in stacks for row in stack.elements if isinstance(row, Row)]
