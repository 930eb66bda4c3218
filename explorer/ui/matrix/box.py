"""A matrix as it stands on a page: formula, name and shape above, the table below."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.document.commands import Release
from explorer.pages.arrange import Ask
from explorer.pages.equation import EASY, Part
from explorer.pages.matrix import Matrix, open_key, symbol_of
from explorer.ui.matrix.form import ALONE, BESIDE, LEAST_COLUMNS, MAP, PLACE, SIZES, Extent, Form, Shape, places
from explorer.ui.matrix.heading import (
    LOW,
    NUMBERS,
    PICTURE,
    THUMB,
    Heading,
    SmallPicture,
    formula_of,
    in_lines,
    words_of,
)
from explorer.ui.matrix.view import MatrixView
from explorer.ui.turns import do_later, later
from explorer.ui.workbench import Workbench

WAYS = *(SIZES[0],) * EASY, *SIZES[1:], SIZES[-1]
"""The letter size of each way in which a matrix can stand in a row: usual, with the heading on one line or on two, then
smaller; in the last way the words above the formula take two lines, too."""
TIGHT, TIGHTER = 72, 48
"""Greatest widths of a small picture in a heading, in pixels at text scale 1, if an equation is too long."""
TIGHT_WAYS = 3
"""How many ways of such a heading are tried beside numbers: all but the last one."""
BETWEEN, BELOW = 6, 2
"""Pixels at text scale 1: between neighbours inside a matrix's box, and below its heading."""


LEAST_FORMULA, LEAST_SYMBOL = 60, 15
"""In less width (pixels at text scale 1) a formula beside long names of rows, or a symbol beside a small picture, would
be too small to be read.
"""

LINE = 0.9
"""The share of a line that a matrix takes that a step names, if it is wider than a line; the rest is for its sign."""


class MatrixBox(QWidget):
    """A matrix with its heading.

    Its size follows from its form (`shape_in`) and not from widgets, so that arrangements can be tried. The widgets
    take the form in `stand`.
    """

    def __init__(self, bench: Workbench, matrix: Matrix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.view = MatrixView(bench, matrix, self)
        self._between, self._below = bench.appearance.px(BETWEEN), bench.appearance.px(BELOW)
        self._heading = Heading(self.view, self._between, self)
        # In a later turn: the signal may come in the middle of a layout, which asked for the size.
        self._heading.formula.sized.connect(later(self, self.stand).start)
        self._heading.caption.linkActivated.connect(self._followed)
        self._small = SmallPicture(self.view, self)
        self._small.opened.connect(self._open)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._shapes: dict[Form, Shape] = {}
        self._parts: dict[object, Part] = {}
        self._taken: dict[object, Form] = {}
        self._now: tuple[Form, Shape] | None = None
        self._look: object = None
        """What the sizes of headings depend on besides words and forms."""
        self._stood: Shape | None = None
        self._besides = _besides_numbers(matrix)
        self._told: tuple[object, ...] = ()
        self.stand()

    @property
    def matrix(self) -> Matrix:
        return self.view.matrix

    @property
    def form(self) -> Form:
        """The form that it is to take."""
        return self.view.form

    @form.setter
    def form(self, form: Form) -> None:
        if form.tight and self.matrix.array.size == 1:
            shape = self.shape_in(form := form._replace(led=0))
            wide = shape.heads[0].width()
            form = form._replace(led=(wide - shape.extent.cells) * (wide > form.room))
        self.view.form = form

    @property
    def usual(self) -> Extent:
        """The extent of its table with letters of the usual size in the room of the page."""
        return self.view.extent_in(self._usual(self.form))

    @staticmethod
    def _usual(form: Form) -> Form:
        return form._replace(room=form.given, size=SIZES[0])

    @property
    def wants(self) -> tuple[object, ...]:
        """What its place beside others depends on; while this is the same, the page need not be laid out again."""
        extent, matrix = self.view.extent, self.matrix
        return extent, self.shape.size, matrix.axes, matrix.rows, matrix.named

    @property
    def small(self) -> bool:
        """Whether a small picture replaces the numbers: in the heading, or below it if they are many."""
        return self.shape.small

    def place_of(self, row: int, column: int) -> QRect:
        """The rectangle of a cell in this widget, on the table or in the small picture; empty if it is not visible."""
        view = self.view
        shown = self._small if self.small else view.viewport()
        if self.small:
            (rows, columns), box = self.matrix.array.shape, self._small.cells()
            wide, high = box.width() / columns, box.height() / rows
            cell = QRectF(box.left() + column * wide, row * high, wide, high).toAlignedRect()
        else:
            cell = view.cell_rect(row, column)
        return cell.intersected(shown.rect()).translated(shown.mapTo(self, QPoint()))

    @property
    def folded(self) -> bool:
        """Whether no form shows all of its numbers: then it does not name its rows."""
        return self.shape.folded

    @property
    def fits(self) -> bool:
        """Whether the page has room for all of its numbers."""
        return self.shape.fits

    @property
    def own_size(self) -> tuple[object, ...]:
        """What its size depends on, besides room and neighbours; the size for values also holds for changes."""
        formula = self._heading.formula.size_of(formula_of(self.matrix, NUMBERS))
        return formula.toTuple(), self.matrix.open, self.matrix.array.shape

    def tell(self, matrix: Matrix) -> bool:
        """Show another matrix, or the same with other numbers.

        Returns whether its place beside others may change.
        """
        besides = _besides_numbers(matrix)
        other, self._besides = besides != self._besides, besides
        wanted = self.wants if other else ()
        measured = self.view.tell(matrix)
        if other or measured:
            self._forget()
            if other:  # other words: their labels may need to be written upwards, or no longer
                self.form = self.view.turned(self.form)
            self.stand()
        elif len(self._shapes) > 1 or self._parts:  # see `MatrixView.tell`
            self._shapes, self._parts, self._taken = {self.form: self.shape}, {}, {}
        return measured or (other and wanted != self.wants)

    # Its form: a change of the form moves nothing before `stand`

    def give_room(self, pixels: int) -> None:
        """Take at most so many pixels across; a matrix with more columns shows a part of them."""
        self._see_look()
        if (pixels, pixels) != self.form[:2]:
            self.form = self.view.turned(self.form._replace(given=pixels, room=pixels))

    def be_at_most(self, high: int) -> None:
        """Take at most so many pixels down, without a small picture of the whole: so a class sees what is meant."""
        high -= self.shape.head(self.form.above).height() + self._below
        self.form = self.form._replace(high=max(high, 0))

    def be_times(self, times: float) -> None:
        """Enlarge cells, letters and formula by a factor, but not the words beside the formula."""
        if times != self.form.times:
            self.form = self.view.turned(self.form._replace(times=times))

    def stand_alone(self) -> None:
        """Outside a row: take the largest letters that leave all columns visible."""
        view = self.view
        form = self.form.apart if self.form.shrinks else self.form
        fit = (size for size in SIZES if form.shrinks and view.fits(size, form))
        self.form = form._replace(size=next(fit, SIZES[0]))

    def be(self, **how: Any) -> None:
        """Change some fields of its form."""
        if (form := self.form._replace(**how)) != self.form:
            self.form = form

    def part(self, room: int, thumb: int) -> Part:
        """The widths that it can have in a row, whatever its present form.

        `room`: width of the row in pixels; `thumb`: greatest width of a small picture in an equation.
        """
        form = self._usual(self.form).apart
        key = form, room, thumb
        if key not in self._parts:
            self._parts[key] = self._part(form, room, thumb)
        return self._parts[key]

    def _part(self, form: Form, room: int, thumb: int) -> Part:
        view = self.view
        if form.tight and self._shut:
            ways = tuple(self._folded_across(kind, form._replace(small=most)) for kind, most in self._tight_ways)
            return Part(ways, picture=True, tight=True)
        extent = view.extent_in(form)
        if form.tight and self.matrix.array.size == 1:
            return Part((self.shape_in(form).head(False).width(),), picture=True)  # it is never smaller
        picture, shrunk = (self._small.wanted(ALONE, extent, form, form.given, most)[0].width() for most in (0, thumb))
        symbol, (rows, columns) = min(self._heads(THUMB, form._replace(narrow=True))), self.matrix.array.shape
        small, least = max(symbol, shrunk), max(symbol, min(shrunk, self._bench.appearance.px(TIGHT)))
        roomy = min(self._bench.appearance.px(LOW) * columns // rows, picture) if self._shut else 0
        if self._shut and self.folded:
            low, high = self._heads(PICTURE, form)
            heads = [low, *[min(low, high)] * len(WAYS[2:]), min(self._heads(PICTURE, form._replace(narrow=True)))]
            words = self._small.wanted(ALONE, extent, form._replace(labelled=True), form.given)[1]
            bare = picture - words * form.labelled
            widths = tuple(max(head, bare) for head in heads)
            return Part(widths, (words,), small=small, roomy=roomy, picture=True, least=small)
        low, high = self._heads(NUMBERS, form)
        if not form.shrinks or self.folded:
            scrolls = 0 if extent.whole else LEAST_COLUMNS * extent.own + self._bench.appearance.px(MAP)
            cells = self._cells_width(form)
            if scrolls and form.shrinks and self.matrix.named and not self._shut:
                cells, scrolls = max(cells, round(room * LINE) - extent.label_room), 0
            two = max(low, cells), max(min(low, high), cells)
            return Part(two, (extent.label_room,), max(high, extent.label_room + scrolls) * bool(scrolls))
        narrow = form._replace(narrow=True, size=WAYS[-1])
        heads = [low, *(min(low, high) for _ in WAYS[2:]), min(self._heads(NUMBERS, narrow))]
        # A size that does not show all columns counts as one for which there is no room.
        beyond = [0 if view.fits(size, form) else room + 1 for size in WAYS]
        numbers = [view.across(size, form) for size in WAYS]
        widths = tuple(map(max, heads, numbers, beyond))
        column = view.across(SIZES[-1], form) // len(self.matrix.columns)
        scrolled = max(min(low, high), view.labels_across(SIZES[-1], form) + LEAST_COLUMNS * column)
        labels = tuple(view.labels_across(size, form) for size in WAYS)
        small, least = (small, least) if self._shut else (scrolled, scrolled)
        if self.matrix.named and not self._shut:  # a line may break, so that all of it is in sight, or most
            small = least = 0 if min(beyond) == 0 else max(scrolled, round(room * LINE))
        return Part(widths, labels, small, roomy=roomy, least=least, loses=self.matrix.array.size)

    @property
    def _tight_ways(self) -> list[tuple[str, int]]:
        """The headings that it may have in a row if a small picture replaces the numbers, the widest first: the kind of
        each, and the greatest width of the picture in pixels.
        """
        px = self._bench.appearance.px
        return [(NUMBERS, 0), (THUMB, 0), (THUMB, px(TIGHT)), (THUMB, px(TIGHTER))]

    def take(self, way: int, labels: bool, small: int = 0, spare: int = 0) -> None:
        """Take one of the `WAYS` to stand in a row.

        `labels`: whether its rows are labelled. `small`, `spare`: greatest width in pixels as a small picture, or if it
        scrolls; 0: its numbers are visible. And the pixels that are free on its line.
        """
        key = self.form, way, labels, small, spare
        if key not in self._taken:
            self._taken[key] = self._in_row(*key)
        self.form = self._taken[key]

    def _in_row(self, form: Form, way: int, labels: bool, small: int, spare: int) -> Form:
        """The form that `take` sets; `form`: the form before."""
        shut, folded = self._shut, self.shape_in(form).folded
        tight = form.tight and shut
        form = form._replace(
            size=WAYS[way] if form.shrinks else SIZES[0],
            room=small + spare if small and not shut else form.given,
            labelled=labels,
            small=self._tight_ways[min(way, 3)][1] if tight else small if shut else 0,
            short=way > 0 and tight,
            narrow=way == len(WAYS) - 1 or bool(small and shut and not tight),
        )
        if form.shrinks and not shut and self.view.extent_in(form).width > form.room:  # wider by its least columns
            form = form._replace(size=SIZES[-1])
        alone = shut and folded
        low, high = self._heads(THUMB if form.small else PICTURE if alone else NUMBERS, form)
        if form.shrinks and not tight:  # a slide has already decided whether the heading takes two lines
            extent = self.view.extent_in(form)
            wide = self._small.wanted(ALONE, extent, form, form.given)[0].width() if alone else self._cells_width(form)
            above = high < low and (low > form.small if form.small else way > 0 and low > wide)
            form = form._replace(above=above)
        return form

    # Its size in a form

    @property
    def shape(self) -> Shape:
        """Its layout and its sizes in its present form."""
        form = self.view.form
        if self._now is None or self._now[0] is not form:  # to look the form up takes most of the time
            self._now = form, self.shape_in(form)
        return self._now[1]

    def shape_in(self, form: Form) -> Shape:
        """Its layout and its sizes in a form."""
        if form not in self._shapes:
            self._shapes[form] = self._shape(form)
        return self._shapes[form]

    def _see_look(self) -> None:
        """Forget all sizes if fonts have changed, or formulas can be typeset now: before, their sizes were guessed."""
        look = self._heading.look()
        if look != self._look:
            self._look = look
            self._forget()

    def _forget(self) -> None:
        self._shapes, self._parts, self._taken, self._stood, self._now = {}, {}, {}, None, None
        self.form = self.form  # a single number may have more room now, or less

    def _shape(self, form: Form) -> Shape:
        view, shut = self.view, self._shut
        extent, usual = view.extent_in(form), self._usual(form)
        fits = view.extent_in(usual).whole or any(view.fits(size, usual) for size in SIZES)
        inline, folded = form.tight and self.matrix.array.size == 1, form.tight and shut
        alone = shut and not folded and (not extent.whole or form.alike or max(form.small, form.lined) > 0)
        where = PLACE if folded else ALONE if alone else "" if extent.whole else BESIDE
        picture, names = self._small.wanted(where, extent, form, form.room, form.small) if where else (QSize(), 0)
        kind = THUMB if (folded and form.short) or (alone and form.small) else PICTURE if alone else NUMBERS
        formula, room = formula_of(self.matrix, kind), self._room(kind, form, folded)
        words = self._words(kind, form, room)
        begins = 0 if folded else names if alone else extent.left
        # The heading has its size for values, whatever is shown: so nothing moves.
        most = max(room - (picture.width() + self._between) * folded, self._bench.appearance.px(LEAST_SYMBOL) * folded)
        bare = self.matrix.array.size == 1 or (folded and formula == symbol_of(formula))
        sign = self._heading.of_change(formula) * bare
        left = begins + sign
        if inline:  # beside its number
            most = max(room + sign - left - extent.width - self._between, self._bench.appearance.px(LEAST_FORMULA))
        first, last = self._heading.formula.size_of(formula, form.times, most), self._heading.size_of(words)
        behind = extent.width if inline else picture.width()
        if (form.led or folded) and left + first.width() + self._between + behind > form.room:
            px = self._bench.appearance.px
            if inline:  # a change, whose sign has no room then, has a smaller formula
                left = begins
            else:
                whole = left + self._between + self._heading.formula.width_of(formula, form.times)
                behind = min(behind, max(form.room - whole, px(TIGHTER)))
                picture = self._small.wanted(where, extent, form, form.room, behind)[0]
                behind = picture.width()
            most = max(form.room - left - self._between - behind, px(LEAST_SYMBOL))
            first = self._heading.formula.size_of(formula, form.times, most)
            first = QSize(min(first.width(), most), first.height())
        if inline:
            last = QSize(extent.width, extent.height)
        elif folded:
            last = picture
        wide = max(first.width(), last.width())
        if not (inline or folded) and left + wide > form.room:  # above the words of the rows, too
            begins, left = 0, sign
        low = QSize(left + first.width() + self._between + last.width(), max(first.height(), last.height()))
        high = QSize(left + wide, first.height() + last.height())
        heads = low, low if inline or folded else high
        head = heads[form.above or low.width() > form.room]
        never = inline or folded or (form.alike and shut) or not fits
        if inline or folded:
            size, base, side = head, None, (head.width(), head.height() // 2)
        elif alone:
            base = head.height() + self._below
            size = QSize(max(head.width(), picture.width()), base + picture.height())
            side = picture.width(), base + picture.height() // 2
        else:
            beside = (picture.width() + self._between) * (where == BESIDE and not extent.map_above)
            top = head.height() + self._below + (picture.height() + self._below) * extent.map_above
            size = QSize(max(head.width(), extent.width + beside), top + extent.height)
            base = top + extent.top
            side = extent.width + beside, (base + size.height()) // 2
        small = where, picture, names, begins
        return Shape(form, extent, fits, never, inline, *small, kind, words, most, heads, size, base, side)

    def _heads(self, kind: str, form: Form) -> tuple[int, int]:
        """The widths of the heading on one line, and on two, with the words of a kind of heading."""
        room = self._room(kind, form)
        return self._heading.widths(self.matrix, kind, self._words(kind, form, room), form.times, room)

    def _folded_across(self, kind: str, form: Form) -> int:
        """The width of a heading in which a small picture replaces the numbers."""
        formula = formula_of(self.matrix, kind)
        picture = self._small.wanted(PLACE, self.view.extent_in(form), form, form.room, form.small)[0].width()
        room = max(form.room - picture - self._between, self._bench.appearance.px(LEAST_SYMBOL))
        more = self._heading.of_change(formula) * (formula == symbol_of(formula))
        return min(self._heading.formula.width_of(formula, form.times), room) + more + form.room - room

    @property
    def _shut(self) -> bool:
        """Whether its numbers have not been asked for."""
        return not self.matrix.open and self.matrix.array.size > 1

    def _cells_width(self, form: Form) -> int:
        """The width of the numbers and of the map beside them, without the row labels."""
        extent = self.view.extent_in(form)
        if extent.whole or extent.map_above:
            return extent.cells
        return extent.cells + self._small.wanted(BESIDE, extent, form, form.room)[0].width() + self._between

    def _room(self, kind: str, form: Form, small: bool = False) -> int:
        """The width for the heading, which begins where the numbers begin."""
        least = min(form.room, self._bench.appearance.px(LEAST_FORMULA))
        if small or kind != NUMBERS:
            left = form.room - form.lined * (kind == PICTURE)
            return left if left >= least else form.room  # it begins at the left edge then
        left = form.room - max(self.view.extent_in(form).label_room, form.least[1])
        left -= self._heading.of_change(formula_of(self.matrix, kind)) * (self.matrix.array.size == 1)
        return max(left, least)

    def _words(self, kind: str, form: Form, room: int) -> str:
        """The words beside the formula, for values."""
        look, matrix, most = self._bench.appearance, self.matrix, room
        folds = bool(matrix.open) and (form.tight or not self.view.extent_in(form).whole)
        if form.narrow:  # on one line only where that makes it no wider
            below = self._cells_width(form) if kind == NUMBERS else form.small
            room = min(room, max(self._heading.formula.width_of(formula_of(matrix, kind), form.times), below))
        return in_lines(words_of(matrix, kind, look.theme, folds), QFontMetrics(look.fonts.small), room, most)

    def whole_size(self, rows: int, above: bool) -> QSize:
        """Its size with so many low rows, all columns and the labels of both, whatever is visible now.

        `above`: whether its heading takes two lines.
        """
        head, extent = self.shape.head(above), self.view.extent
        across = max(head.width(), extent.left + extent.all) + extent.label_room - extent.left
        return QSize(across, head.height() + self._below + extent.top + rows * extent.low)

    def sizeHint(self) -> QSize:
        """The size of its form."""
        return self.shape.size

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # Taking the form

    def asks(self, room: int) -> Ask:
        """What its form asks for: neither less nor more."""
        shape = self.shape
        wide = shape.size.width()
        return Ask(wide, wide, base=shape.base, side=shape.side, small=shape.small)

    def height_at(self, width: int) -> int:
        """The height of its form in pixels, at any width."""
        return self.shape.size.height()

    def hide_links(self) -> None:
        """Show no links in the heading: in a picture and on paper nothing can be clicked."""
        self._heading.hide_links()

    def stand(self) -> None:
        """Give all widgets in it their form: numbers, a small picture in their place, or both."""
        self._see_look()
        shape = self.shape
        if shape is self._stood:
            return
        self._stood = shape
        self.view.measure()
        if shape.where:
            self._small.stand(shape.where, shape.picture, shape.left * shape.small)
        for part, shown in ((self._small, bool(shape.where)), (self.view, not shape.small)):
            if part.isHidden() == shown:  # not each time, since Qt then styles a table
                part.setVisible(shown)
        self._heading.tell(self.matrix, shape)
        formula, words = self._heading.formula, self._heading.caption
        at = places(shape, formula.sizeHint(), words.sizeHint(), self._between, self._below)
        formula.setGeometry(at.formula)
        words.setGeometry(at.words)
        self._small.move(at.picture)
        self.view.move(at.numbers)
        if self._told != (told := (shape.size, shape.base, shape.side)):
            self._told = told
            self.updateGeometry()

    def go_to(self, row: int, column: int, then: Callable[[], object]) -> None:
        """Give a cell the keys, among its numbers, which nobody has chosen by that; `then`: called when it has them."""
        if self.small:
            rows, columns = self.matrix.array.shape
            self._open(QPointF((column + 0.5) / columns, (row + 0.5) / rows), then)
            return
        with QSignalBlocker(self.view.selectionModel()):
            self.view.setCurrentIndex(self.view.table.index(row, column))
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        then()

    def _open(self, at: QPointF, then: Callable[[], object] | None = None) -> None:
        """Show the numbers, scrolled to a place in the picture; with the keys the cell there is the current one.

        `then`: the cell there gets the keys in any case, and this is called.
        """
        # Qt would give the focus to the next picture when this one is hidden.
        had_keys = then is not None or self._small.hasFocus()
        self._bench.selection.keep(open_key(self.matrix.id), True)

        def look() -> None:
            if had_keys:  # else the first cell would be, far from what is seen, and take what is typed
                (rows, columns), table = self.matrix.array.shape, self.view.table
                row, column = (min(max(int(part * n), 0), n - 1) for part, n in ((at.y(), rows), (at.x(), columns)))
                self.view.setCurrentIndex(table.index(row, column))
            self._small.look_at(at)
            if had_keys:
                self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            if then is not None:
                then()

        do_later(self, look)

    def _followed(self, link: str) -> None:
        if link in ("small", "numbers"):
            self._bench.selection.keep(open_key(self.matrix.id), link == "numbers")
        else:
            self._bench.document.do(Release(self.matrix.name))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.view.setFocus(Qt.FocusReason.MouseFocusReason)


def _besides_numbers(matrix: Matrix) -> tuple[object, ...]:
    """All that a box shows or depends on, except the numbers themselves, which their view measures."""
    power = matrix.power if matrix.showing != "values" else 0
    said = matrix.name, matrix.formula, matrix.usual, matrix.title, matrix.shape, matrix.turned, matrix.showing, power
    marks = matrix.editable, matrix.ours, matrix.pins is None, matrix.open, matrix.named
    return *said, *marks, matrix.axes, matrix.rows
