"""The sizes of a matrix in all forms: what it takes in a row, and where its parts are. No widget moves for that."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics

from explorer.pages.equation import EASY, Part
from explorer.pages.matrix import symbol_of
from explorer.ui.matrix.form import ALONE, BESIDE, LEAST_COLUMNS, MAP, PLACE, SIZES, Form, Shape
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

WAYS = *(SIZES[0],) * EASY, *SIZES[1:], SIZES[-1]
"""The letter size of each way in which a matrix can stand in a row: usual, with the heading on one line or on two, then
smaller; in the last way the words above the formula take two lines, too."""
TIGHT, TIGHTER = 72, 48
"""Greatest widths of a small picture in a heading, in pixels at text scale 1, if an equation is too long."""
TIGHT_WAYS = 3
"""How many ways of such a heading are tried beside numbers: all but the last one."""
LEAST_FORMULA, LEAST_SYMBOL = 60, 15
"""In less width (pixels at text scale 1) a formula beside long names of rows, or a symbol beside a small picture, would
be too small to be read.
"""

LINE = 0.9
"""The share of a line that a matrix takes that a step names, if it is wider than a line; the rest is for its sign."""


def usual(form: Form) -> Form:
    """A form with letters of the usual size in the room of the page."""
    return form._replace(room=form.given, size=SIZES[0])


class Sizes:
    """The sizes of a matrix, each computed once until it has other contents or another look.

    `view`, `heading`, `small`: measure its numbers, its formula and words, and its small picture.
    `between`, `below`: pixels between its parts, and below its heading.
    """

    def __init__(self, view: MatrixView, heading: Heading, small: SmallPicture, between: int, below: int) -> None:
        self._view, self._heading, self._small, self._between, self._below = view, heading, small, between, below
        self._look = view.bench.appearance
        self.shapes: dict[Form, Shape] = {}
        self.parts: dict[object, Part] = {}
        self.taken: dict[object, Form] = {}

    def forget(self) -> None:
        """Compute all of them again."""
        self.shapes, self.parts, self.taken = {}, {}, {}

    def led(self, form: Form) -> Form:
        """The form in which a single number with too little room for its label knows what stands before it."""
        if not form.tight or self._view.matrix.array.size > 1:
            return form
        shape = self.shape(form := form._replace(led=0))
        wide = shape.heads[0].width()
        return form._replace(led=(wide - shape.extent.cells) * (wide > form.room))

    def shape(self, form: Form) -> Shape:
        """Its layout and its sizes in a form."""
        if form not in self.shapes:
            self.shapes[form] = self._shape(form)
        return self.shapes[form]

    def part(self, form: Form, room: int, thumb: int) -> Part:
        """The widths that it can have in a row, whatever a row has set in its form.

        `room`: width of the row in pixels; `thumb`: greatest width of a small picture in an equation.
        """
        form = usual(form).apart
        key = form, room, thumb
        if key not in self.parts:
            self.parts[key] = self._part(form, room, thumb)
        return self.parts[key]

    def _part(self, form: Form, room: int, thumb: int) -> Part:
        view = self._view
        if form.tight and self._shut:
            ways = tuple(self._folded_across(kind, form._replace(small=most)) for kind, most in self._tight_ways)
            return Part(ways, picture=True, tight=True)
        extent = view.extent_in(form)
        if form.tight and self._view.matrix.array.size == 1:
            return Part((self.shape(form).head(False).width(),), picture=True)  # it is never smaller
        picture, shrunk = (self._small.wanted(ALONE, extent, form, form.given, most)[0].width() for most in (0, thumb))
        symbol, (rows, columns) = min(self._heads(THUMB, form._replace(narrow=True))), self._view.matrix.array.shape
        small, least = max(symbol, shrunk), max(symbol, min(shrunk, self._look.px(TIGHT)))
        roomy = min(self._look.px(LOW) * columns // rows, picture) if self._shut else 0
        if self._shut and self.shape(form).folded:
            low, high = self._heads(PICTURE, form)
            heads = [low, *[min(low, high)] * len(WAYS[2:]), min(self._heads(PICTURE, form._replace(narrow=True)))]
            words = self._small.wanted(ALONE, extent, form._replace(labelled=True), form.given)[1]
            bare = picture - words * form.labelled
            widths = tuple(max(head, bare) for head in heads)
            return Part(widths, (words,), small=small, roomy=roomy, picture=True, least=small)
        low, high = self._heads(NUMBERS, form)
        if not form.shrinks or self.shape(form).folded:
            scrolls = 0 if extent.whole else LEAST_COLUMNS * extent.own + self._look.px(MAP)
            cells = self._cells_width(form)
            if scrolls and form.shrinks and self._view.matrix.named and not self._shut:
                cells, scrolls = max(cells, round(room * LINE) - extent.label_room), 0
            two = max(low, cells), max(min(low, high), cells)
            return Part(two, (extent.label_room,), max(high, extent.label_room + scrolls) * bool(scrolls))
        narrow = form._replace(narrow=True, size=WAYS[-1])
        heads = [low, *(min(low, high) for _ in WAYS[2:]), min(self._heads(NUMBERS, narrow))]
        # A size that does not show all columns counts as one for which there is no room.
        beyond = [0 if view.fits(size, form) else room + 1 for size in WAYS]
        numbers = [view.across(size, form) for size in WAYS]
        widths = tuple(map(max, heads, numbers, beyond))
        column = view.across(SIZES[-1], form) // len(self._view.matrix.columns)
        scrolled = max(min(low, high), view.labels_across(SIZES[-1], form) + LEAST_COLUMNS * column)
        labels = tuple(view.labels_across(size, form) for size in WAYS)
        small, least = (small, least) if self._shut else (scrolled, scrolled)
        if self._view.matrix.named and not self._shut:  # a line may break, so that all of it is in sight, or most
            small = least = 0 if min(beyond) == 0 else max(scrolled, round(room * LINE))
        return Part(widths, labels, small, roomy=roomy, least=least, loses=self._view.matrix.array.size)

    @property
    def _tight_ways(self) -> list[tuple[str, int]]:
        """The headings that it may have in a row if a small picture replaces the numbers, the widest first: the kind of
        each, and the greatest width of the picture in pixels.
        """
        px = self._look.px
        return [(NUMBERS, 0), (THUMB, 0), (THUMB, px(TIGHT)), (THUMB, px(TIGHTER))]

    def alone(self, form: Form) -> Form:
        """Its form outside a row: with the largest letters that leave all columns visible."""
        if not form.shrinks:
            return form._replace(size=SIZES[0])
        form = form.apart
        return form._replace(size=next((size for size in SIZES if self._view.fits(size, form)), SIZES[0]))

    def at_most(self, form: Form, high: int) -> Form:
        """Its form in so many pixels down, without a small picture of the whole: so a class sees what is meant."""
        return form._replace(high=max(high - self.shape(form).head(form.above).height() - self._below, 0))

    def in_row(self, form: Form, way: int, labels: bool, small: int = 0, spare: int = 0) -> Form:
        """Its form in one of the `WAYS` to stand in a row.

        `labels`: whether its rows are labelled. `small`, `spare`: greatest width in pixels as a small picture, or if it
        scrolls; 0: its numbers are visible. And the pixels that are free on its line.
        """
        key = form, way, labels, small, spare
        if key not in self.taken:
            self.taken[key] = self._in_row(*key)
        return self.taken[key]

    def _in_row(self, form: Form, way: int, labels: bool, small: int, spare: int) -> Form:
        shut, folded = self._shut, self.shape(form).folded
        tight = form.tight and shut
        form = form._replace(
            size=WAYS[way] if form.shrinks else SIZES[0],
            room=small + spare if small and not shut else form.given,
            labelled=labels,
            small=self._tight_ways[min(way, 3)][1] if tight else small if shut else 0,
            short=way > 0 and tight,
            narrow=way == len(WAYS) - 1 or bool(small and shut and not tight),
        )
        if form.shrinks and not shut and self._view.extent_in(form).width > form.room:  # wider by its least columns
            form = form._replace(size=SIZES[-1])
        alone = shut and folded
        low, high = self._heads(THUMB if form.small else PICTURE if alone else NUMBERS, form)
        if form.shrinks and not tight:  # a slide has already decided whether the heading takes two lines
            extent = self._view.extent_in(form)
            wide = self._small.wanted(ALONE, extent, form, form.given)[0].width() if alone else self._cells_width(form)
            above = high < low and (low > form.small if form.small else way > 0 and low > wide)
            form = form._replace(above=above)
        return form

    def _shape(self, form: Form) -> Shape:
        view, shut = self._view, self._shut
        extent, plain = view.extent_in(form), usual(form)
        fits = view.extent_in(plain).whole or any(view.fits(size, plain) for size in SIZES)
        inline, folded = form.tight and self._view.matrix.array.size == 1, form.tight and shut
        alone = shut and not folded and (not extent.whole or form.alike or max(form.small, form.lined) > 0)
        where = PLACE if folded else ALONE if alone else "" if extent.whole else BESIDE
        picture, names = self._small.wanted(where, extent, form, form.room, form.small) if where else (QSize(), 0)
        kind = THUMB if (folded and form.short) or (alone and form.small) else PICTURE if alone else NUMBERS
        formula, room = formula_of(self._view.matrix, kind), self._room(kind, form, folded)
        words = self._words(kind, form, room)
        begins = 0 if folded else names if alone else extent.left
        # The heading has its size for values, whatever is shown: so nothing moves.
        most = max(room - (picture.width() + self._between) * folded, self._look.px(LEAST_SYMBOL) * folded)
        bare = self._view.matrix.array.size == 1 or (folded and formula == symbol_of(formula))
        sign = self._heading.of_change(formula) * bare
        left = begins + sign
        if inline:  # beside its number
            most = max(room + sign - left - extent.width - self._between, self._look.px(LEAST_FORMULA))
        first, last = self._heading.formula.size_of(formula, form.times, most), self._heading.size_of(words)
        behind = extent.width if inline else picture.width()
        if (form.led or folded) and left + first.width() + self._between + behind > form.room:
            px = self._look.px
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
        return self._heading.widths(self._view.matrix, kind, self._words(kind, form, room), form.times, room)

    def _folded_across(self, kind: str, form: Form) -> int:
        """The width of a heading in which a small picture replaces the numbers."""
        formula = formula_of(self._view.matrix, kind)
        picture = self._small.wanted(PLACE, self._view.extent_in(form), form, form.room, form.small)[0].width()
        room = max(form.room - picture - self._between, self._look.px(LEAST_SYMBOL))
        more = self._heading.of_change(formula) * (formula == symbol_of(formula))
        return min(self._heading.formula.width_of(formula, form.times), room) + more + form.room - room

    @property
    def _shut(self) -> bool:
        """Whether its numbers have not been asked for."""
        return not self._view.matrix.open and self._view.matrix.array.size > 1

    def _cells_width(self, form: Form) -> int:
        """The width of the numbers and of the map beside them, without the row labels."""
        extent = self._view.extent_in(form)
        if extent.whole or extent.map_above:
            return extent.cells
        return extent.cells + self._small.wanted(BESIDE, extent, form, form.room)[0].width() + self._between

    def _room(self, kind: str, form: Form, small: bool = False) -> int:
        """The width for the heading, which begins where the numbers begin."""
        least = min(form.room, self._look.px(LEAST_FORMULA))
        if small or kind != NUMBERS:
            left = form.room - form.lined * (kind == PICTURE)
            return left if left >= least else form.room  # it begins at the left edge then
        left = form.room - max(self._view.extent_in(form).label_room, form.least[1])
        left -= self._heading.of_change(formula_of(self._view.matrix, kind)) * (self._view.matrix.array.size == 1)
        return max(left, least)

    def _words(self, kind: str, form: Form, room: int) -> str:
        """The words beside the formula, for values."""
        look, matrix, most = self._look, self._view.matrix, room
        folds = bool(matrix.open) and (form.tight or not self._view.extent_in(form).whole)
        if form.narrow:  # on one line only where that makes it no wider
            below = self._cells_width(form) if kind == NUMBERS else form.small
            room = min(room, max(self._heading.formula.width_of(formula_of(matrix, kind), form.times), below))
        return in_lines(words_of(matrix, kind, look.theme, folds), QFontMetrics(look.fonts.small), room, most)
