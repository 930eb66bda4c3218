"""Divides the room of a page among its elements: how wide each one is, and which matrices become small pictures."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, cast
from weakref import proxy

from PySide6.QtCore import QRect

from explorer.pages.arrange import ACROSS, SIGN, asked, own_size, room_in
from explorer.pages.drawing import HeatMap
from explorer.pages.element import Element, leaves
from explorer.pages.equation import Room, side_by_side
from explorer.pages.matrix import Matrix
from explorer.pages.page import Listing, Row, Scheme, Stack, parts_beside
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.heading import LOW_ROW
from explorer.ui.page import emphasis, lines
from explorer.ui.page.growth import Growth, WordPictures
from explorer.ui.page.header import HeaderView

if TYPE_CHECKING:
    from explorer.ui.page.column import Elements
    from explorer.ui.page.listing import ListingView

LOW_PAGE, HIGH_PAGE = 350, 700
"""Visible heights in pixels at text scale 1: on a page lower than the first, sentence and switches are hidden until the
reader opens them; from the second on, there is room for the weights and the heat map; between them, for the weights.
"""
BETWEEN = 24
"""Pixels at text scale 1 between parts of a page that stand beside each other."""
HEAD = 24
"""The height of a matrix's heading, in pixels at text scale 1."""
MOST_LINED = 64
"""Pictures in place of numbers stand below each other only if they have at most this many rows."""
PART, MUCH = 0.22, 0.5
"""Greatest shares of the visible height: of a row that can be small pictures instead; of pictures below each other."""
LEAST_CELL = 5
"""The least width of a cell, in pixels at text scale 1, in a picture that is narrow so that others stand beside it."""


class Sharing:
    """Divides the room of a page among its elements."""

    def __init__(self, page: "Elements") -> None:
        self.page = page
        own = proxy(self)  # a cycle of references would keep a deleted page until the collector runs
        self.growth, self.enlargement, self.pictures = Growth(own), emphasis.Enlargement(own), WordPictures(own)
        self.stands = emphasis.Stands({})
        """How rows are arranged so that the important matrices are visible."""
        self._decided: tuple[object, ...] = ()
        """The sizes for which `stands` was decided, unless `Enlargement` has set it."""
        self._measured: dict[object, emphasis.Taken] = {}
        """The room that parts take in the present width; a change of the height alone measures nothing again."""
        self.all: list[Element] = []
        """The elements of the page, and those inside them, in reading order."""
        self.rows: list[Row] = []
        """The rows among `all`."""
        self.around: dict[str, Row] = {}
        """For a row inside a stack, by its id: the row that holds the stack."""
        self.in_rows: set[str] = set()
        """The ids of the matrices in rows; a row makes its matrices smaller if needed."""
        self._sign = 0
        """The width in pixels that is kept beside a matrix for a sign at the beginning of its line."""
        self._lined_up: set[str] = set()
        """The ids of the matrices in schemes of a product, whose columns are aligned below each other."""

    def px(self, pixels: float) -> int:
        """Pixels at text scale 1, converted to this screen; on paper the page may have another look."""
        return self.page.bench.appearance.px(pixels)

    def forget(self) -> None:
        """Decide again: the page has other elements."""
        self.stands, self._decided = emphasis.Stands({}), ()
        self.enlargement.forget()

    def share(self, room: int, height: int | None, drags: bool) -> None:
        """Divide a width, and the height in sight; see `Elements.share_room`."""
        self.enlargement.waits = drags and self.enlargement.on
        low = height is not None and height < self.px(LOW_PAGE)
        if isinstance(header := self.page.widgets.get("header"), HeaderView):
            header.fit(room, low or self.enlargement.lit.quiet)  # a quiet light also hides the switches
        self.all = [part for element in self.page.elements for part in leaves(element)]
        self.rows = [element for element in self.all if isinstance(element, Row)]
        self.around = {row.id: outer for outer in self.rows for row in _rows(outer)}
        boxes = self.boxes()
        for box in boxes:
            box.see_look()
        self.pictures.stand_alike(room, height)
        may_grow = self.growth.begin(room, height)
        if may_grow:  # pictures of words may still have the larger factor from before
            self.pictures.share(room, height)
        self.arrange(room, height, low)
        lasts = self.page.bench.appearance.lasts  # otherwise sizes are tried once the text scale is final
        may_grow = may_grow and lasts and not low and not self.enlargement.on and height is not None
        # A picture takes the rest of the height; if that is too little for it, everything else may be larger.
        if may_grow and height is not None and not self.page.is_filled:
            self.growth.grow(room, height)
        for box in boxes:
            box.stand()
        self.pictures.share(room, height)

    def arrange(self, room: int, height: int | None, low: bool) -> None:
        """Set the size of everything on the page, and which matrices are small pictures."""
        rows = self.rows
        sign = self.px(SIGN) + self.px(ACROSS) if any(item.sign for row in rows for item in row.items) else 0
        self._sign = sign
        crossing = [element for element in self.all if isinstance(element, Scheme)]
        lined_up = self._lined_up = {one.id for scheme in crossing for one in scheme.inside}
        in_rows = self.in_rows = {one.id for row in rows for one in emphasis.matrices_of(row)}
        alone = {one.id for one in self.page.elements if isinstance(one, Matrix)}
        widths = {id: across for row in rows for id, across in self._beside(row, room).items()}
        fixed = [one for one in self.all if isinstance(one, Stack) and one.width]
        stacks = {
            one.id: widths.get(one.id, max(min(self.px(one.width * self.growth.times_in(one)), room), 0))
            for one in fixed
        }
        narrow = {one.id: stacks[stack.id] for stack in fixed for one in leaves(stack)}
        if (stacks, narrow) != (self.page.fixed, self.page.narrow):
            self.page.fixed, self.page.narrow = stacks, narrow
            self.page.measure_anew()
        for box in self.boxes():
            id = box.matrix.id
            wide, in_row = max(narrow.get(id, room) - sign, 0), id in in_rows
            box.be(
                given=wide,
                room=wide,
                times=box.form.times if in_row else self.times_of(id),
                tall=self.growth.tall,
                # Before, it may have been in a row in which another matrix named its rows.
                labelled=box.form.labelled or id in alone,
                least=box.form.least if id in lined_up else (0, 0),
            )
            if not in_row:
                box.form = box.sizes.alone(box.form)
                self.page.check(box)
        for one in self.all:
            if isinstance(one, Listing):
                view = cast("ListingView", self.page.widgets[one.id])
                view.be_times(max(self.growth.drawn, 1.0))
                self.page.changed(one.id)
        if self.page.drawn != self.growth.drawn:
            self.page.drawn = self.growth.drawn
            for one in self.all:
                if own_size(one) is not None:
                    self.page.changed(one.id)
        for scheme in crossing:
            self._line_up(scheme)
        for row in rows:
            self.share_line(row, room, height, self.stands.small.get(row.id, None if row.folds else ()))
        self._bring_into_sight(room, height, low)

    def boxes(self) -> list[MatrixBox]:
        """The widgets of all matrices, in reading order."""
        return [self.page.box(one) for one in self.all if isinstance(one, Matrix)]

    def _beside(self, row: Row, room: int) -> dict[str, int]:
        """The widths of the parts of a row that fill their line together, by id; none for other rows."""
        parts = parts_beside(row)
        if not parts:
            return {}
        room_, px = Room(room, self.px(BETWEEN), 0), self.px
        least = [px(one.width * self.growth.times_in(one)) for one in parts]
        # With one of them a little wider and another a little narrower, a sum may keep all its numbers.
        whole = [max(wide, self._unbroken(one)) for wide, one in zip(least, parts, strict=True)]
        fits = sum(whole) + room_.gap * (len(whole) - 1) <= room
        wide = side_by_side(whole if fits else least, room_)
        return dict(zip((one.id for one in parts), wide, strict=True))

    def _unbroken(self, part: Stack) -> int:
        """The least width in which no equation of a part breaks but before its "=", with all numbers."""
        rows = [one for one in leaves(part) if isinstance(one, Row) and any(item.sign for item in one.items)]
        for box in (box for row in rows for box in lines.boxes(self.page, row)):
            box.be(times=self.times_of(box.matrix.id))
        return max((lines.least_of(self.page, row, room_in(0, self.page)) for row in rows), default=0)

    def _bring_into_sight(self, room: int, height: int | None, low: bool) -> None:
        """Turn matrices at the top into small pictures if they hide more important ones; without a height none."""
        if height is not None and self.enlargement.brings(room, height):
            return
        if not any(isinstance(one, (Matrix, HeatMap)) for one in self.all):
            return  # nothing to bring into sight; measuring the switches of thirty layers would take 0.1 s
        elements = self.page.elements
        parts = [] if height is None else emphasis.first_matrices(elements) if low else emphasis.rows_to_map(elements)
        inside = [one for part in parts for one in leaves(part.element)]
        if not low and any(isinstance(one, Matrix) and one.open is not None and not one.named for one in inside):
            return  # the reader has asked for the numbers or the picture of a matrix: nothing else moves for that
        rows = [row for part in parts for row in part.rows]
        # Sizes that do not depend on which matrices are small, or the decision would change itself.
        boxes = [self.page.box(one) for row in rows for one in emphasis.matrices_of(row)]
        sizes = [(box.view.across(1.0, box.form), box.usual.height, box.own_size) for box in boxes]
        maps = [self.page.widgets[one.id].sizeHint().toTuple() for one in inside if isinstance(one, HeatMap)]
        where = {one.id: place for one, place in self.page.places(room)}
        top = where[parts[0].element.id].top() if parts else 0
        decided = (room, low, sizes, maps), height, top
        if self._decided == decided:
            return
        if self._decided[:1] != decided[:1]:
            self._measured = {}

        def stand(part: emphasis.Part, stands: emphasis.Stands) -> None:
            for row in part.rows:
                self.break_line(row, stands)
                self.share_line(row, room, height, stands.small.get(row.id, None if row.folds else ()))

        def measure(part: emphasis.Part, stands: emphasis.Stands) -> emphasis.Taken:
            breaks = stands.breaks and any(emphasis.weights_of(row) is not None for row in part.rows)
            way = part.element.id, breaks, *(stands.small.get(row.id, height) for row in part.rows)
            if way not in self._measured:
                stand(part, stands)
                self._measured[way] = self._taken(part.element, room)
            return self._measured[way]

        gone = set(self.stands.small) - {row.id for row in rows}
        for row in (one for one in self.rows if one.id in gone):
            stand(emphasis.Part(row, (row,)), emphasis.Stands({}))
        where = {one.id: place for one, place in self.page.places(room)}
        places = [where[part.element.id] for part in parts]
        gaps = [at.top() - end for at, end in zip(places, (0, *(one.bottom() + 1 for one in places)), strict=False)]
        if height is None or not parts:
            self.stands = emphasis.Stands({})
        elif low:
            self.stands = emphasis.first_whole(parts, gaps, height, measure)
        else:
            self.stands = emphasis.map_in_sight(parts, gaps, height, height >= self.px(HIGH_PAGE), measure)
        reached: set[str] = set()
        for part in parts:
            stand(part, self.stands)
            reached |= measure(part, self.stands).reach.keys()
        wanted = (one.id for row in rows for one in row.inside if isinstance(one, (Matrix, HeatMap)))
        self._decided = decided if reached.issuperset(wanted) else ()  # decide again if elements are still missing

    def times_of(self, id: str) -> float:
        """The factor by which a matrix is larger than its least size; an aligned one is never enlarged for a step."""
        return self.growth.times * (1.0 if id in self._lined_up else self.enlargement.times_of(id))

    def _taken(self, element: Element, room: int) -> emphasis.Taken:
        reach = {one.id: (rect.top(), rect.bottom()) for one, rect in self.places(element, room)}
        boxes = [self.page.box(one) for one in leaves(element) if isinstance(one, Matrix)]
        pictures = frozenset(box.matrix.id for box in boxes if box.small and not box.form.tight)
        return emphasis.Taken(self.page.part_scene(element, room).height, reach, pictures)

    def places(self, element: Element, room: int) -> Iterator[tuple[Element, QRect]]:
        """The matrices and heat maps of a part of the page with their places in it, in reading order."""
        places = self.page.part_scene(element, room).places
        for one in leaves(element):
            if isinstance(one, (Matrix, HeatMap)) and one.id in places:
                yield one, QRect(*places[one.id])

    def break_line(self, row: Row, stands: emphasis.Stands | None = None) -> None:
        """Begin a line before the weights that a map draws, however much room there is; or before the map, if it
        replaces the weights or is enlarged. With None, lines end only where they are full.
        """
        places = [i for i, one in enumerate(row.inside) if isinstance(one, Matrix)]
        weights = emphasis.weights_of(row) if stands is not None and stands.breaks else None
        begins: Sequence[int] = (places[weights],) if weights else ()
        instead = weights is not None and stands is not None and weights in (stands.small.get(row.id) or ())
        if instead or self.growth.maps > 1:
            begins = [i for i, one in enumerate(row.inside) if isinstance(one, HeatMap)][:1]
        self.page.let_begin(row, frozenset(begins))

    def share_line(self, row: Row, room: int, height: int | None = None, fold: Collection[int] | None = None) -> None:
        """Lay out a row: turn its matrices into small pictures if it needs too much room; name rows once in each line.

        `room`, `height`: the visible width and height in pixels. `fold`: the indices of the matrices that become small
        pictures; no others do. None: the row decides by itself.
        """
        room = self.page.narrow.get(row.id, room)
        matrices = lines.boxes(self.page, row)
        for box in matrices:
            box.be(times=self.times_of(box.matrix.id))
        # Each box is changed at most once, because each change asks for a layout, which calls this method again.
        if fold is not None:
            for i, box in enumerate(matrices):
                box.be(tight=i in fold)
        elif row.folds and height is not None and matrices:
            # Decided by the sizes of the numbers, even if pictures replace them, or the decision would alternate.
            gap = self.px(ACROSS)
            pairs = zip((None, *matrices), matrices, strict=False)
            labels = [b.usual.label_room * (not a or a.matrix.rows != b.matrix.rows) for a, b in pairs]
            wide = sum(labels) + sum(box.view.across(1.0, box.form) + gap for box in matrices)
            high = max(box.usual.height for box in matrices) + self.px(HEAD)
            for box in matrices:
                box.be(tight=wide > room or high > height * PART)
        outer = self.around.get(row.id)
        near = _rows(outer) if outer else [row]
        others = [box for one in near for box in lines.boxes(self.page, one)]
        pictures = {box.matrix.array.shape for box in others if not box.fits}
        for box in matrices:
            box.be(alike=box.matrix.array.shape in pictures and not box.matrix.editable)
        lined = self._labels_of_lines(row, matrices, room)
        for box in matrices:
            box.be(lined=lined)
        beside = bool(lined) and self._stand_narrow(matrices, room, height)
        if matrices and emphasis.weights_of(row) is None:
            begins: Sequence[int] = range(len(row.items)) if lined and not beside else ()
            if self.growth.breaks and not lined:
                begins = lines.halves_of(self.page, row, room_in(room, self.page))
            self.page.let_begin(row, frozenset(begins))
        # In stacks that are narrowed to share a line, each matrix has its own labels.
        if outer and not parts_beside(outer) and self._is_full(outer, room):
            for box in matrices:  # it is not known which of them share a line
                box.form = box.sizes.in_row(box.form, 0, True)
        else:
            lines.let_stand(self.page, row, room_in(room, self.page), self.px(lines.THUMB))
        for box in matrices:
            self.page.check(box)
        self.pictures.stand_beside(row, room)

    def _labels_of_lines(self, row: Row, boxes: Sequence[MatrixBox], room: int) -> int:
        """The width of the row labels if the row's pictures in place of numbers stand below each other; else 0.

        They do if each number is computed from those above it, as in a sum, and they do not fit side by side.
        """
        columns = {box.matrix.array.shape[1] for box in boxes}
        shapes = [box.matrix.array.shape for box in boxes]
        alike = len(columns) == 1 and len(set(shapes)) < len(shapes) == len(row.items) and shapes[0][0] <= MOST_LINED
        product = any(item.sign == "×" for item in row.items)  # the columns of a product are not those of its factors
        if (
            not alike
            or product
            or min(columns) == 1
            or row.id in self.page.narrow
            or any(box.fits or box.form.tight for box in boxes)
            or any(box.matrix.named and box.matrix.open for box in boxes)  # its numbers need the width of a line
        ):
            return 0
        if not all(box.form.shrinks for box in boxes):  # a slide has set their sizes
            return 0
        for box in boxes:
            if box.form.lined:
                wide = max(room - self._sign, 0)
                box.be(lined=0, given=wide, room=wide)
        parts = [box.sizes.part(box.form, room, self.px(lines.THUMB)) for box in boxes]
        free = room - parts[0].labels[-1] - sum(one.widths[-1] + self.px(SIGN + ACROSS) for one in parts)
        return 0 if free >= 0 else max(1, *(box.view.extent.label_room for box in boxes))

    def _stand_narrow(self, boxes: Sequence[MatrixBox], room: int, height: int | None) -> bool:
        """Put pictures that would be too high below each other side by side, if their cells are wide enough.

        Returns whether they stand side by side.
        """
        rows, columns = boxes[0].matrix.array.shape
        high = len(boxes) * (self.px(HEAD + self.page.between_lines) + rows * self.px(LOW_ROW * self.growth.times))
        each = (room - (len(boxes) - 1) * self.px(SIGN + 2 * ACROSS)) // len(boxes)
        narrow = (each - boxes[0].form.lined) / columns
        if height is None or high <= MUCH * height or narrow < self.px(LEAST_CELL):
            return False
        for box in boxes:
            box.be(given=each, room=each)
        return True

    def _is_full(self, outer: Row, room: int) -> bool:
        """Whether stacks share a line and are narrower there than they want to be."""
        gaps = self.px(ACROSS) * (len(outer.items) - 1)
        widths = [self._widths(one) for one in outer.inside]
        return sum(wide for wide, _ in widths) + gaps > room >= sum(least for _, least in widths) + gaps

    def _widths(self, element: Element) -> tuple[int, int]:
        """The wanted width (on one line) and the least width of an element in a row, whatever labels are shown now."""
        rows = [one for one in element.elements if isinstance(one, Row)] if isinstance(element, Stack) else []
        if not rows:
            ask = asked(element, self.page)
            width = 0 if ask is None else ask.likes
            return width, width
        widths = [lines.width_of(self.page, row, room_in(0, self.page)) for row in rows]
        return max(wide for wide, _ in widths), max(single for _, single in widths)

    def _line_up(self, scheme: Scheme) -> None:
        """Align the columns of the result with those of the right factor above it; the left factor names its rows."""
        boxes = [cast(MatrixBox, self.page.widgets[one.id]) for one in (*scheme.above, scheme.result)]
        for box in (*boxes, cast(MatrixBox, self.page.widgets[scheme.left.id])):
            box.be(tight=False, labelled=box is not boxes[-1])
        width, labels = max(box.view.extent.own for box in boxes), max(box.view.extent.label_room for box in boxes[:-1])
        for box in boxes:
            box.be(least=(width, labels))
            self.page.check(box)


def _rows(outer: Row) -> list[Row]:
    """The rows in stacks beside each other, such as one for each head."""
    stacks = [one for one in outer.inside if isinstance(one, Stack)]
    return [row for stack in stacks for row in stack.elements if isinstance(row, Row)]
