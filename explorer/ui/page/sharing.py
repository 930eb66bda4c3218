"""How the room of a page is divided among its elements: how wide each is, and what becomes a small picture."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, cast
from weakref import proxy

from PySide6.QtCore import QRect

from explorer.pages.by_hand import Scheme
from explorer.pages.drawing import HeatMap
from explorer.pages.element import Element, leaves
from explorer.pages.equation import Room, side_by_side
from explorer.pages.matrix import Matrix
from explorer.pages.page import Listing, Row, Stack, parts_beside
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.small import LOW_ROW
from explorer.ui.page.controls import ChoiceView
from explorer.ui.page.descent import DescentPart
from explorer.ui.page.elements import Drawn, Sized
from explorer.ui.page.enlargement import Enlargement
from explorer.ui.page.growth import Growth
from explorer.ui.page.header import HeaderView
from explorer.ui.page.holders import Titled, height_of
from explorer.ui.page.lines import (
    ACROSS_ROW,
    SIGN,
    THUMB,
    RowLayout,
    halves_of,
    let_stand,
    let_stand_below,
    row_room,
    width_of,
)
from explorer.ui.page.note import NoteLabel, SectionLabel
from explorer.ui.page.player import PlayerView
from explorer.ui.page.thumbnails import (
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
from explorer.ui.page.word_pictures import WordPictures
from explorer.ui.widgets.labels import let_end, line_of

if TYPE_CHECKING:
    from explorer.ui.page.column import Elements
    from explorer.ui.page.fitted_table import FittedTable
    from explorer.ui.page.listing import ListingView

LOW_PAGE, HIGH_PAGE = 350, 700
"""Visible heights in pixels at text scale 1: below the first, sentence and switches are hidden until they are asked
for; from the second on there is room for the heat map with the weights; between them, for the weights only.
"""
BETWEEN = 24
"""Pixels at text scale 1 between parts of a page that stand beside each other."""
HEAD = 24
"""The height of a matrix's heading, in pixels at text scale 1."""
MOST_LINED = 64
"""The most rows of pictures that may stand below each other: with more, the pictures are too high for it."""
PART, MUCH = 0.22, 0.5
"""Shares of the visible height: for a row that can be small pictures instead; for pictures below each other."""
LEAST_CELL = 5
"""The least width of a cell, in pixels at text scale 1, in a picture that is narrow so that others stand beside it."""


class Sharing:
    """Divides the room of a page among its elements."""

    def __init__(self, page: "Elements") -> None:
        self.page = page
        own = proxy(self)  # a cycle of references would keep a deleted page until the collector runs
        self.growth, self.enlargement, self.pictures = Growth(own), Enlargement(own), WordPictures(own)
        self.stands = Stands({})
        """How rows stand so that what matters is visible."""
        self._decided: tuple[object, ...] = ()
        """What `stands` was decided for, unless it is for what a step names."""
        self._measured: dict[object, Taken] = {}
        """The room that parts take in one width: at another height of the window nothing is measured again."""
        self.all: list[Element] = []
        """The elements of the page, and those inside them, in reading order."""
        self.rows: list[Row] = []
        """The rows among them."""
        self._narrow: dict[str, int] = {}
        """The width in pixels of each element, by id, that is in a stack with a width of its own."""
        self.around: dict[str, Row] = {}
        """For a row inside a stack, by its id: the row that holds the stack."""
        self.in_rows: set[str] = set()
        """The ids of the matrices in rows, which make them smaller where needed."""
        self._sign = 0
        """Pixels by which a matrix is narrower than the page, for a sign at the beginning of its line."""
        self._lined_up: set[str] = set()
        """The ids of the matrices in schemes of a product, which are aligned column under column."""

    def px(self, pixels: float) -> int:
        """Pixels at text scale 1, converted to this screen; on paper the page may have another look."""
        return self.page.bench.appearance.px(pixels)

    def forget(self) -> None:
        """Decide again: the page has other elements."""
        self.stands, self._decided = Stands({}), ()
        self.enlargement.forget()

    def share(self, width: int, height: int | None, drags: bool) -> None:
        """See `Elements.share_room`."""
        self.enlargement.waits = drags and self.enlargement.on
        margins = self.page.contentsMargins()
        room = max(width - margins.left() - margins.right(), 0)  # a window may be narrower than its margins
        low = height is not None and height < self.px(LOW_PAGE)
        if isinstance(header := self.page.widgets.get("header"), HeaderView):
            header.fit(room, low or self.enlargement.lit.quiet)  # there, too, switches are hidden until asked for
        self.all = [part for element in self.page.elements for part in leaves(element)]
        self.rows = [element for element in self.all if isinstance(element, Row)]
        self.around = {row.id: outer for outer in self.rows for row in _rows(outer)}
        self.pictures.stand_alike(room, height)
        may_grow = self.growth.begin(room, height)
        if may_grow:  # pictures of words may have grown since the last time
            self.pictures.share(room, height)
        self.arrange(room, height, low)
        lasts = self.page.bench.appearance.lasts  # else it is tried once the text scale is final
        may_grow = may_grow and lasts and not low and not self.enlargement.on and height is not None
        # At full width there would be fewer lines of words, and more room left. A picture takes what is left; if that
        # is too little for it, everything else may be larger.
        if not self._fill(room, height) and may_grow and height is not None:
            self.growth.grow(room, height)
        for widget in self.page.widgets.values():
            if isinstance(widget, MatrixBox):
                widget.stand()
        self.pictures.share(room, height)
        self._fill(room, height)

    def _fill(self, room: int, height: int | None) -> bool:
        """Let pictures take the room that is left; returns whether one does."""
        taken = [(one, self.page.height_without(one, room)) for one in self._end_lines(room)]
        there = [one.give_room(room, None if height is None else height - high) for one, high in taken]
        return any(there)

    def _end_lines(self, room: int) -> list[Drawn]:
        """Limit lines of words to a readable length; returns the pictures that take the room that is left."""
        words = [part for part in self.page.parts if isinstance(part, (SectionLabel, NoteLabel, HeaderView))]
        filling = [widget for widget in self.page.widgets.values() if isinstance(widget, Drawn) and widget.fills]
        others = [p.minimumSizeHint().width() for p in self.page.parts if p not in words and p not in filling]
        beyond = max([room, *others]) - room
        for part in words:
            let_end(part, beyond + (max(room - line_of(part), 0) if isinstance(part, NoteLabel) else 0))
        return filling

    def arrange(self, room: int, height: int | None, low: bool) -> None:
        """Set how large everything on the page is, and what is a small picture."""
        rows = self.rows
        sign = self.px(SIGN) + self.px(ACROSS_ROW) if any(item.sign for row in rows for item in row.items) else 0
        self._sign = sign
        crossing = [element for element in self.all if isinstance(element, Scheme)]
        lined_up = self._lined_up = {one.id for scheme in crossing for one in scheme.inside}
        in_rows = self.in_rows = {one.id for row in rows for one in matrices_of(row)}
        alone = {one.id for one in self.page.elements if isinstance(one, Matrix)}
        widths = {id: across for row in rows for id, across in self._beside(row, room).items()}
        stacks = {
            one.id: widths.get(one.id, max(min(self.px(one.width * self.growth.times_in(one)), room), 0))
            for one in self.all
            if isinstance(one, Stack) and one.width
        }
        self._narrow = {
            one.id: stacks[stack.id]
            for stack in self.all
            if isinstance(stack, Stack) and stack.width
            for one in leaves(stack)
        }
        for id, widget in self.page.widgets.items():
            if isinstance(widget, MatrixBox):
                widget.give_room(max(self._narrow.get(id, room) - sign, 0))
                widget.be(tall=self.growth.tall)
                if id not in in_rows:
                    widget.be_times(self.times_of(id))
                    widget.stand_alone()
                if id not in lined_up:
                    widget.stand_in_line(0, 0)
                if id in alone:  # in an earlier row, another matrix may have named its rows
                    widget.be(labelled=True)
                if id not in in_rows and widget.tell_size():
                    self.page.tell_around(widget)
        for one in self.all:
            if isinstance(one, Listing):
                cast("ListingView", self.page.widgets[one.id]).be_times(max(self.growth.drawn, 1.0))
        for stack in (one for one in self.all if isinstance(one, Stack) and one.width):
            across = stacks[stack.id]
            self.page.holder_of(stack).setFixedWidth(across)
            self._let_be(stack.elements, across)
            for note in (self.page.widgets.get(one.id) for one in stack.elements):
                if isinstance(note, NoteLabel):
                    let_end(note, max(across - line_of(note), 0))
        for id, widget in self.page.widgets.items():
            if isinstance(widget, (ChoiceView, NoteLabel, PlayerView)):
                widget.be_no_wider(self._narrow.get(id, room))
            elif isinstance(widget, DescentPart | Sized) and widget.be_no_wider(room, self.growth.drawn):
                self.page.tell_around(widget)
        self._let_be(self.page.elements, room)
        for scheme in crossing:
            self._line_up(scheme)
        for row in rows:
            self.share_line(row, room, height, self.stands.small.get(row.id))
        self._bring_into_sight(room, height, low)

    def boxes(self) -> list[MatrixBox]:
        """The widgets of all matrices, in reading order."""
        return [self.page.box(one) for one in self.all if isinstance(one, Matrix)]

    def _beside(self, row: Row, room: int) -> dict[str, int]:
        """The widths of parts of a page beside each other, by id: together they fill their line, if not too wide."""
        parts = parts_beside(row)
        if not parts:
            return {}
        wide = side_by_side(
            [self.px(one.width * self.growth.times_in(row)) for one in parts], Room(room, self.px(BETWEEN), 0)
        )
        return dict(zip((one.id for one in parts), wide, strict=True))

    def _let_be(self, elements: Sequence[Element], room: int) -> None:
        """Let tables below each other take the height for their width: Qt would lay them out with their old heights."""
        for widget in (self.page.widgets.get(one.id) for one in elements if isinstance(one, Listing)):
            if widget is not None:
                cast("FittedTable", widget).be_no_wider(room)

    def _bring_into_sight(self, room: int, height: int | None, low: bool) -> None:
        """Turn what is in the way at the top of the page into small pictures; without a height, nothing."""
        if height is not None and self.enlargement.brings(room, height):
            return
        if not any(isinstance(one, (Matrix, HeatMap)) for one in self.all):
            return  # nothing to bring into sight: asking the switches of thirty layers for their height takes 0.1 s
        elements = self.page.elements
        parts = [] if height is None else first_matrices(elements) if low else rows_to_map(elements)
        inside = [one for part in parts for one in leaves(part.element)]
        if not low and any(isinstance(one, Matrix) and one.open is not None and not one.named for one in inside):
            return  # the person looks closer at a matrix: nothing else moves for that
        rows = [row for part in parts for row in part.rows]
        # Sizes that do not depend on what is small: else the decision would never end.
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
                self.break_line(row, stands)
                self.share_line(row, room, height, stands.small.get(row.id, None if row.folds else ()))

        def measure(part: Part, stands: Stands) -> Taken:
            breaks = stands.breaks and any(weights_of(row) is not None for row in part.rows)
            way = part.element.id, breaks, *(stands.small.get(row.id, height) for row in part.rows)
            if way not in self._measured:
                stand(part, stands)
                self._measured[way] = self._taken(part.element, room)
            return self._measured[way]

        gone = set(self.stands.small) - {row.id for row in rows}
        for row in (one for one in self.rows if one.id in gone):
            stand(Part(row, (row,)), Stands({}))
        where = {one.id: place for one, place in self.page.places(room)}
        places = [where[part.element.id] for part in parts]
        gaps = [at.top() - end for at, end in zip(places, (0, *(one.bottom() + 1 for one in places)), strict=False)]
        if height is None or not parts:
            self.stands = Stands({})
        elif low:
            self.stands = first_whole(parts, gaps, height, measure)
        else:
            self.stands = map_in_sight(parts, gaps, height, height >= self.px(HIGH_PAGE), measure)
        reached: set[str] = set()
        for part in parts:
            stand(part, self.stands)
            reached |= measure(part, self.stands).reach.keys()
        wanted = (one.id for row in rows for one in row.inside if isinstance(one, (Matrix, HeatMap)))
        self._decided = decided if reached.issuperset(wanted) else ()  # some elements may not be there yet

    def times_of(self, id: str) -> float:
        """By what factor a matrix is larger than at its least; one that is aligned with others has the usual factor."""
        return self.growth.times * (1.0 if id in self._lined_up else self.enlargement.times_of(id))

    def room_of(self, row: Row, room: int) -> int:
        """The width of a row in pixels, on a page that is `room` pixels wide."""
        return self._narrow.get(row.id, room)

    def _taken(self, element: Element, room: int) -> Taken:
        """The room that a part of the page takes at present."""
        place = QRect(0, 0, room, height_of(self.page.part(element), room))
        reach = {one.id: (rect.top(), rect.bottom()) for one, rect in self.places(element, place)}
        boxes = [self.page.box(one) for one in leaves(element) if isinstance(one, Matrix)]
        pictures = frozenset(box.matrix.id for box in boxes if box.small and not box.form.tight)
        return Taken(place.height(), reach, pictures)

    def places(self, element: Element, place: QRect) -> Iterator[tuple[Element, QRect]]:
        """Where the matrices and heat maps of a part of the page will stand, in reading order."""
        match element:
            case Matrix() | HeatMap():
                yield element, place
            case Row(items=items):
                layout = self.page.layout_of(element)
                rects = {id(one.widget()): rect for one, rect in layout.places(place)}  # of the visible items
                for item, widget in zip(items, layout.widgets, strict=True):
                    if id(widget) in rects:
                        yield from self.places(item.element, rects[id(widget)])
            case Stack(elements=elements):
                holder = cast(Titled, self.page.holder_of(element))
                for one, inside in zip(elements, holder.places(place), strict=True):
                    yield from self.places(one, inside)

    def break_line(self, row: Row, stands: Stands | None = None) -> None:
        """Begin a line before the weights that a map draws, whatever room they have; or before the map, if it replaces
        the weights or is larger. With None, lines end only where they are full.
        """
        places = [i for i, one in enumerate(row.inside) if isinstance(one, Matrix)]
        weights = weights_of(row) if stands is not None and stands.breaks else None
        begins: Sequence[int] = (places[weights],) if weights else ()
        instead = weights is not None and stands is not None and weights in (stands.small.get(row.id) or ())
        if instead or self.growth.maps > 1:
            begins = [i for i, one in enumerate(row.inside) if isinstance(one, HeatMap)][:1]
        self.page.layout_of(row).let_begin(begins)

    def share_line(self, row: Row, room: int, height: int | None = None, fold: Collection[int] | None = None) -> None:
        """Fold a row that would take too much room, and name the rows only once in each of its lines.

        Parameters
        ----------
        room, height : int
            Visible pixels.
        fold : collection of int
            The indices of the matrices to fold; no other is folded.
        """
        room = self.room_of(row, room)
        layout = self.page.layout_of(row)
        matrices = _boxes(layout)
        for box in matrices:
            box.be_times(self.times_of(box.matrix.id))
        # Each box is folded once at most: each time it asks for a layout, which would call this again.
        if fold is not None:
            for i, box in enumerate(matrices):
                box.be_tight(i in fold)
        elif row.folds and height is not None and matrices:
            # Decided by the numbers alone, visible or not: else the decision would alternate.
            gap = self.px(ACROSS_ROW)
            pairs = zip((None, *matrices), matrices, strict=False)
            labels = [b.usual.label_room * (not a or a.matrix.rows != b.matrix.rows) for a, b in pairs]
            wide = sum(labels) + sum(box.view.across(1.0, box.form) + gap for box in matrices)
            high = max(box.usual.height for box in matrices) + self.px(HEAD)
            for box in matrices:
                box.be_tight(wide > room or high > height * PART)
        outer = self.around.get(row.id)
        near = _rows(outer) if outer else [row]
        others = [box for one in near for box in _boxes(self.page.layout_of(one))]
        pictures = {box.matrix.array.shape for box in others if not box.fits}
        for box in matrices:
            box.be_like_others(box.matrix.array.shape in pictures)
        lined = self._labels_of_lines(row, matrices, room)
        for box in matrices:
            box.be(lined=lined)
        beside = bool(lined) and self._stand_narrow(matrices, room, height)
        if matrices and weights_of(row) is None:
            begins: Sequence[int] = range(len(row.items)) if lined and not beside else ()
            if self.growth.breaks and not lined:
                begins = halves_of(layout, row_room(self.px, room))
            layout.let_begin(begins)
        # In stacks that share a line and are narrower for it, each matrix has its own labels.
        if outer and not parts_beside(outer) and self._is_full(outer, room):
            let_stand_below(layout)
        else:
            let_stand(layout, row_room(self.px, room), self.px(THUMB))
        new = [box.tell_size() for box in matrices]
        if any(new):
            self.page.lay_out_again(row)
        self.pictures.stand_beside(row, room)

    def _labels_of_lines(self, row: Row, boxes: Sequence[MatrixBox], room: int) -> int:
        """The width of the row labels, if pictures in place of numbers stand below each other; else 0.

        They do if a number of one is made of those above it, as in a sum, and they do not fit side by side.
        """
        columns = {box.matrix.array.shape[1] for box in boxes}
        shapes = [box.matrix.array.shape for box in boxes]
        alike = len(columns) == 1 and len(set(shapes)) < len(shapes) == len(row.items) and shapes[0][0] <= MOST_LINED
        product = any(item.sign == "×" for item in row.items)  # its columns are not those of the matrices before it
        if (
            not alike
            or product
            or min(columns) == 1
            or row.id in self._narrow
            or any(box.fits or box.form.tight for box in boxes)
        ):
            return 0
        if not all(box.form.shrinks for box in boxes):  # a slide has given them their sizes
            return 0
        for box in boxes:
            if box.form.lined:
                box.be(lined=0)
                box.give_room(max(room - self._sign, 0))
        parts = self.page.layout_of(row).parts(lambda box: cast(MatrixBox, box).part(room, self.px(THUMB)))
        free = room - parts[0].labels[-1] - sum(one.widths[-1] + self.px(SIGN + ACROSS_ROW) for one in parts)
        return 0 if free >= 0 else max(1, *(box.view.extent.label_room for box in boxes))

    def _stand_narrow(self, boxes: Sequence[MatrixBox], room: int, height: int | None) -> bool:
        """Put pictures that would be too high below each other side by side, if their cells are wide enough.

        Returns whether they do.
        """
        rows, columns = boxes[0].matrix.array.shape
        high = len(boxes) * (self.px(HEAD + self.page.down) + rows * self.px(LOW_ROW * self.growth.times))
        each = (room - (len(boxes) - 1) * self.px(SIGN + 2 * ACROSS_ROW)) // len(boxes)
        narrow = (each - boxes[0].form.lined) / columns
        if height is None or high <= MUCH * height or narrow < self.px(LEAST_CELL):
            return False
        for box in boxes:
            box.give_room(each)
        return True

    def _is_full(self, outer: Row, room: int) -> bool:
        """Whether stacks share a line on which each is narrower than it wants to be."""
        gaps = self.px(ACROSS_ROW) * (len(outer.items) - 1)
        widths = [self._widths(one) for one in outer.inside]
        return sum(wide for wide, _ in widths) + gaps > room >= sum(least for _, least in widths) + gaps

    def _widths(self, element: Element) -> tuple[int, int]:
        """The widths of an element in a row: on one line, and at least; whatever labels are shown now."""
        rows = [one for one in element.elements if isinstance(one, Row)] if isinstance(element, Stack) else []
        if not rows:
            widget = self.page.holder_of(element) if isinstance(element, Stack) else self.page.widgets[element.id]
            width = widget.sizeHint().width()
            return width, width
        widths = [width_of(self.page.layout_of(row), row_room(self.px)) for row in rows]
        return max(wide for wide, _ in widths), max(single for _, single in widths)

    def _line_up(self, scheme: Scheme) -> None:
        """Align the columns of the result with those of the right factor above it; its rows are named at the left."""
        boxes = [cast(MatrixBox, self.page.widgets[one.id]) for one in (*scheme.above, scheme.result)]
        for box in (*boxes, cast(MatrixBox, self.page.widgets[scheme.left.id])):
            box.be(tight=False, labelled=box is not boxes[-1])
        width, labels = max(box.view.extent.own for box in boxes), max(box.view.extent.label_room for box in boxes[:-1])
        for box in boxes:
            box.stand_in_line(width, labels)
            box.tell_size()


def _boxes(layout: RowLayout) -> list[MatrixBox]:
    return [widget for widget in layout.widgets if isinstance(widget, MatrixBox)]


def _rows(outer: Row) -> list[Row]:
    """The rows in stacks beside each other, such as one for each head."""
    stacks = [one for one in outer.inside if isinstance(one, Stack)]
    return [row for stack in stacks for row in stack.elements if isinstance(row, Row)]
