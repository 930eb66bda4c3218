"""A matrix as it stands on a page: formula, name and shape above, the table below."""

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from explorer.document.commands import Release
from explorer.lessons.symbols import name_of
from explorer.pages.equation import EASY, Part
from explorer.pages.matrix import Matrix, open_key, symbol_of
from explorer.ui.matrix.heading import (
    NUMBERS,
    PICTURE,
    THUMB,
    HeadingLayout,
    in_lines,
    widest_line,
    words_of,
    words_of_change,
)
from explorer.ui.matrix.letters import SIZES
from explorer.ui.matrix.small import ALONE, BESIDE, PLACE, SmallPicture
from explorer.ui.matrix.view import LEAST_COLUMNS, MAP, MatrixView
from explorer.ui.theme import NODE, mark
from explorer.ui.turns import do_later, later
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.formula import Formula, can_typeset_now
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.names import set_names
from explorer.ui.workbench import Workbench

SIGN = 36
"""Pixels at text scale 1 that ∂L/∂ takes before a symbol whose heading is no longer than that of its values."""
BRACKETS = 14
"""The same of the brackets around a symbol that is a fraction."""
WAYS = (SIZES[0],) * EASY + SIZES[1:]
"""The size of the letters in each way to stand in a row: as usual, the heading on one line or on two, then smaller."""
MIDDLE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
MIDDLE_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MatrixBox(QWidget):
    """A matrix with its heading."""

    def __init__(self, bench: Workbench, matrix: Matrix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.view = MatrixView(bench, matrix, self)
        self._heading = QWidget(self)
        self._formula = Formula(parent=self._heading, em=1.15)
        # In a turn of its own: it may be in the middle of a layout, which asked for the size.
        self._formula.sized.connect(later(self, self._show_heading).start)
        self._formula.setCursor(Qt.CursorShape.WhatsThisCursor)
        self._caption = mark(QLabel(self._heading), role="small")
        self._caption.setTextFormat(Qt.TextFormat.RichText)
        self._caption.linkActivated.connect(self._followed)
        self._small = SmallPicture(self.view, self)
        self._small.opened.connect(self._open)
        self._sizes: dict[object, QSize] = {}
        self._head = HeadingLayout(self._heading, self._sizes)
        self._head.setContentsMargins(0, 0, 0, 0)
        self._head.setHorizontalSpacing(bench.appearance.px(6))
        self._head.setVerticalSpacing(0)
        self._head.setColumnStretch(1, 1)  # with a shorter formula, of a change, nothing moves
        self._head.addWidget(self._formula, 0, 0, MIDDLE)
        self._head.addWidget(self._caption, 0, 1, MIDDLE)
        self._column = column_in(self, spacing=bench.appearance.px(2))
        self._column.addWidget(self._heading, 0, Qt.AlignmentFlag.AlignLeft)
        self._above = QHBoxLayout()
        self._column.addLayout(self._above)
        self._above.addStretch()
        self._beside = QHBoxLayout()
        self._column.addLayout(self._beside)
        self._beside.setSpacing(bench.appearance.px(6))
        self._beside.addWidget(self.view, 0, Qt.AlignmentFlag.AlignTop)
        self._beside.addWidget(self._small, 0, Qt.AlignmentFlag.AlignBottom)
        self._beside.addStretch()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._tight = self._is_folded = self._is_picture = self._is_inline = self._high = False
        self._is_small = self._is_short = self._alike = False
        self.leads_number = False
        """Whether a single number is the next one in its row."""
        self._words_above = False
        """Whether the words stand above the formula."""
        self._told = QSize()
        self._given = self.view.room
        self._stood: tuple[object, ...] = ()
        self._usual_heads: tuple[QSize, ...] = ()
        self._formula_size: tuple[object, ...] = ()
        self._measured: tuple[object, ...] = ()
        self._stand()

    @property
    def matrix(self) -> Matrix:
        """What is shown."""
        return self.view.matrix

    @property
    def wants(self) -> tuple[object, ...]:
        """What its place beside others depends on; while that is the same, the room need not be shared anew."""
        view, matrix = self.view, self.matrix
        rest = self._told, matrix.axes, matrix.rows, matrix.named
        return view.own_width, view.label_room, view.width_without_labels(), view.height(), *rest

    @property
    def small(self) -> bool:
        """Whether a small picture stands for the numbers: in the heading, or below it where they are many."""
        return self._is_folded or self._is_picture

    def place_of(self, row: int, column: int) -> QRect:
        """Where a cell is in it, in pixels, on the table or in the small picture; empty where it is not in sight."""
        view = self.view
        shown = self._small if self.small else view.viewport()
        if self.small:
            rows, columns = self.matrix.array.shape
            wide, high = shown.width() / columns, shown.height() / rows
            cell = QRectF(column * wide, row * high, wide, high).toAlignedRect()
        else:
            left, top = view.columnViewportPosition(column), view.rowViewportPosition(row)
            cell = QRect(left, top, view.columnWidth(0), view.rowHeight(0)).adjusted(1, 1, -1, -1)
        return cell.intersected(shown.rect()).translated(shown.mapTo(self, QPoint()))

    @property
    def folded(self) -> bool:
        """Whether not all of its numbers are in sight however it stands: then it does not say what its rows are."""
        return self._is_folded or self._is_inline or (self._alike and self._shut) or not self.fits

    @property
    def fits(self) -> bool:
        """Whether all of its numbers can be in sight in the room that the page has."""
        return self.view.whole or any(self.view.fits(size, self._given) for size in SIZES)

    @property
    def keeps_next(self) -> bool:
        """Whether the next one stays on its line: a number would be lost on one of its own below small pictures."""
        return self.small and self.leads_number

    @property
    def own_size(self) -> tuple[object, ...]:
        """What its size depends on but for the room and its neighbours; changes have that of the values."""
        if self._formula.latex() == (self.matrix.usual or self.matrix.formula):
            self._formula_size = self._formula.sizeHint().toTuple()
        return self._formula_size, self.matrix.open, self.matrix.array.shape

    def tell(self, matrix: Matrix) -> bool:
        """Show another matrix, or the same with other numbers.

        Returns whether its place beside others may depend on it.
        """
        other = _besides_numbers(matrix) != _besides_numbers(self.view.matrix)
        wanted = self.wants if other else ()
        measured = self.view.tell(matrix)
        if other or measured:
            self._stand()
        return measured or (other and wanted != self.wants)

    def give_room(self, pixels: int) -> None:
        """Be no wider than so many pixels; of what has more columns a part is in sight."""
        self._given = pixels
        turned = self.view.turn_labels(pixels)
        if turned or pixels != self.view.room:
            self.view.give_room(pixels)
            self._stand()

    def be_at_most(self, high: int) -> None:
        """Be no higher than so many pixels: see `MatrixView.be_at_most`."""
        self.view.be_at_most(max(high - self._head_size(self._high).height() - self._column.spacing(), 0))
        self._stand()

    def be_tight(self, on: bool) -> None:
        """Let a small picture stand for the numbers, until someone asks for them."""
        if on != self._tight:
            self._tight = on
            self._stand()

    def be_like_others(self, on: bool) -> None:
        """Be a small picture as its neighbours are whose numbers do not fit, unless it is there to be edited."""
        self._alike = on and not self.matrix.editable

    def part(self, room: int, thumb: int) -> Part:
        """How wide it can be in a row, whatever it is now.

        `room`: pixels across that the row has; `thumb`: those that a small picture takes at most in an equation.
        """
        view = self.view
        view.give_room(self._given)
        if self._is_folded:
            return Part((self._folded_across(NUMBERS), self._folded_across(THUMB)))
        if self._is_inline:
            return Part((self._head_size(False).width(),))
        picture, shrunk = (self._small.wanted(ALONE, most).width() for most in (0, thumb))
        small = max(min(self._heads(THUMB)), shrunk)
        if self._shut and self.folded:
            low, high = self._heads(PICTURE)
            return Part((max(low, picture), max(min(low, high), picture)), small=small)
        low, high = self._heads(NUMBERS)
        if not view.shrinks or self.folded:
            scrolls = 0 if view.whole else LEAST_COLUMNS * view.own_width + self._bench.appearance.px(MAP)
            two = max(low, self._cells_width), max(min(low, high), self._cells_width)
            return Part(two, (view.label_room,), max(high, view.label_room + scrolls) * bool(scrolls))
        heads = low, *(min(low, high) for _ in WAYS[1:])
        # Where not all columns would be in sight, it is as if it had no room at all.
        least = [0 if view.fits(size, self._given) else room + 1 for size in WAYS]
        widths = tuple(max(head, view.across(size), no) for head, size, no in zip(heads, WAYS, least, strict=True))
        column = view.across(SIZES[-1]) // len(self.matrix.columns)
        scrolled = max(min(low, high), view.labels_across(SIZES[-1]) + LEAST_COLUMNS * column)
        return Part(widths, tuple(map(view.labels_across, WAYS)), small if self._shut else scrolled)

    def take(self, way: int, labels: bool, small: int = 0, spare: int = 0) -> None:
        """Stand in a row in a way of `WAYS`.

        Parameters
        ----------
        labels : bool
            Whether it says what its rows are.
        small, spare : int
            Pixels across that it takes at most as a small picture, or where it scrolls; 0: its numbers are in sight.
            And those that are free on its line.
        """
        view, shut = self.view, self._shut
        self._is_small, self._small.most = bool(small) and shut, small
        view.be_of_size(WAYS[way] if view.shrinks else SIZES[0])
        view.give_room(small + spare if small and not shut else self._given)
        if labels != view.labelled:
            view.show_row_labels(labels)
        low, high = self._heads(THUMB if self._is_small else NUMBERS)
        self._high = high < low and (self._is_small or (way > 0 and low > self._cells_width))
        self._is_short = way > 0 and self._is_folded
        if self._stands_now != self._stood:
            self._stand()

    def be_times(self, times: float) -> None:
        """Be so many times larger than others on its page: cells, letters and formula, not the words beside it."""
        if self.view.be_times(times):
            self._formula.be_times(times)
            self.view.turn_labels(self._given)
            self._stand()

    def stand_alone(self) -> None:
        """In no row: have letters as large as lets all columns be in sight."""
        view = self.view
        fit = (size for size in SIZES if view.shrinks and view.fits(size, self._given))
        if view.be_of_size(next(fit, SIZES[0])):
            self._stand()

    def _heads(self, kind: str) -> tuple[int, int]:
        """Pixels across of the heading on one line, and on two, with what a kind of heading says."""
        formula, metrics = self._formula_of(kind), QFontMetrics(self._caption.font())
        said = widest_line(self._words(kind), metrics) + 2
        symbol = min(self._formula.width_of(formula), max(self._room, 1))
        return symbol + self._head.horizontalSpacing() + said, max(symbol, said)

    def _folded_across(self, kind: str) -> int:
        """Pixels across of a heading in which a small picture stands for the numbers."""
        formula = self._formula_of(kind)
        room = max(self._room - self._small.minimumWidth() - self._head.horizontalSpacing(), 1)
        more = self._bench.appearance.px(SIGN + BRACKETS * ("/" in formula)) * (formula == symbol_of(formula))
        return min(self._formula.width_of(formula), room) + more + self._room - room

    def _formula_of(self, kind: str) -> str:
        usual = self.matrix.usual or self.matrix.formula
        return symbol_of(usual) if kind == THUMB else usual

    @property
    def _kind(self) -> str:
        """Of its heading."""
        if self._is_folded:
            return THUMB if self._is_short else NUMBERS
        return (THUMB if self._is_small else PICTURE) if self._is_picture else NUMBERS

    @property
    def _stands_now(self) -> tuple[object, ...]:
        """All that decides how it stands but for what is in it."""
        view = self.view
        sizes = view.letters, view.labelled, view.room, view.whole, self._small.most
        return *sizes, self._is_small, self._is_short, self._alike, self._tight, self._high

    @property
    def _shut(self) -> bool:
        """Whether nobody asked for its numbers."""
        return not self.matrix.open and self.matrix.array.size > 1

    @property
    def _cells_width(self) -> int:
        """Pixels that the numbers take with the map beside them, without the labels of the rows."""
        view = self.view
        beside = 0 if view.whole or view.map_above else self._small.wanted(BESIDE).width() + self._beside.spacing()
        return view.width_without_labels() + beside

    def stand_in_line(self, width: int, labels: int) -> None:
        """See `MatrixView.stand_in_line`."""
        if self.view.stand_in_line(width, labels):
            self._stand()

    def show_row_labels(self, on: bool) -> None:
        """Show the labels of the rows, or leave them to the matrix before, which has the same."""
        if on != self.view.labelled:
            self.view.show_row_labels(on)
            self._show_heading()

    def be_high(self, on: bool) -> None:
        """Let the words stand above the formula: so the heading is less wide."""
        if on != self._high:
            self._high = on
            self._show_heading()

    def heading_width(self, high: bool) -> int:
        """Pixels that its heading takes across on one line, or on two."""
        return self._head_size(high).width()

    def whole_size(self, rows: int, high: bool) -> QSize:
        """What it takes with so many low rows, all columns and the labels of both, whatever is in sight now.

        `high` says whether its heading takes two lines.
        """
        head, view = self._head_size(high), self.view
        labels = view.label_room - view.labels_width
        height = view.labels_height + rows * view.least_row
        across = max(head.width(), view.width_of_all) + labels
        return QSize(across, head.height() + self._column.spacing() + height)

    def baseline(self) -> int | None:
        """Pixels from the top to the first row of cells: matrices beside each other have theirs at one height."""
        if self._is_folded or self._is_inline:
            return None
        if self._is_picture:
            return self._head_size(self._high).height() + self._column.spacing()
        map_height = self._small.minimumHeight() + self._column.spacing() if self.view.map_above else 0
        return self._head_size(self._high).height() + self._column.spacing() + map_height + self.view.labels_height

    def side(self) -> QPoint:
        """The middle of the right side of its numbers, or of the picture in their place: a sign stands behind it."""
        size, top = self.sizeHint(), self.baseline()
        if top is None:
            return QPoint(size.width(), size.height() // 2)
        if self._is_picture:
            return QPoint(self._small.width(), top + self._small.height() // 2)
        beside = 0 if self.view.whole or self.view.map_above else self._small.width() + self._beside.spacing()
        return QPoint(self.view.width() + beside, (top + size.height()) // 2)

    def sizeHint(self) -> QSize:
        """As its parts are now: a layout would tell what they were when it was last asked."""
        return self._size(self._high)

    def _size(self, high: bool) -> QSize:
        head = self._head_size(high)
        if self._is_folded or self._is_inline:
            return head
        gap, view, small = self._column.spacing(), self.view.size(), self._small.minimumSize()
        if self._is_picture:
            return QSize(max(head.width(), small.width()), head.height() + gap + small.height())
        above = small.height() + gap if self.view.map_above else 0
        beside = 0 if self.view.whole or self.view.map_above else small.width() + self._beside.spacing()
        return QSize(max(head.width(), view.width() + beside), head.height() + gap + above + view.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _head_size(self, high: bool) -> QSize:
        """Of the heading with what stands in it now; to ask its layout anew would have the page laid out anew."""
        if high:
            return self._usual_heads[1] if self._usual_heads else self._live_head(True)
        low = self._usual_heads[0] if self._usual_heads else self._live_head(False)
        return low if low.width() <= self.view.room else self._head_size(True)

    def _is_high(self, asked: bool) -> bool:
        """Whether the words stand above the formula."""
        return asked or (self._usual_heads or (self._live_head(False),))[0].width() > self.view.room

    def _live_head(self, high: bool) -> QSize:
        # While the room is shared it is asked for hundreds of times.
        asked = high, self._is_folded, self._is_inline, can_typeset_now()
        if asked not in self._sizes:
            self._sizes[asked] = self._measured_head(high)
        return self._sizes[asked]

    def _measured_head(self, high: bool) -> QSize:
        last = self._caption.sizeHint()
        if self._is_folded or self._is_inline:
            last = self._small.minimumSize() if self._is_folded else self.view.size()
        first, left = self._formula.sizeHint(), self._head.contentsMargins().left()
        if high and not (self._is_folded or self._is_inline):
            return QSize(left + max(first.width(), last.width()), first.height() + last.height())
        across = first.width() + self._head.horizontalSpacing() + last.width()
        return QSize(left + across, max(first.height(), last.height()))

    def _stand(self) -> None:
        """Show the numbers, a small picture in their place, or both where not all numbers are in sight."""
        self._stood = self._stands_now
        closed, whole = self._shut, self.view.whole
        self._be_inline(self._tight and self.matrix.array.size == 1)
        as_picture = not whole or self._alike or self._is_small
        self._is_folded, self._is_picture = closed and self._tight, closed and as_picture and not self._tight
        if self.small or not whole:
            self._small.stand(PLACE if self._is_folded else ALONE if self._is_picture else BESIDE)
            above = self.view.map_above and not self.small
            side = self._head if self._is_folded else self._above if above else self._beside
            if side.indexOf(self._small) < 0:
                if isinstance(side, QGridLayout):
                    side.addWidget(self._small, 0, 1, MIDDLE)
                else:
                    side.insertWidget(1, self._small, 0, Qt.AlignmentFlag.AlignBottom)
        self._small.setVisible(self.small or not whole)
        self._lead(self._is_folded or self._is_inline)
        self.view.setVisible(not self.small)
        self._show_heading()

    def _lead(self, on: bool) -> None:
        """Let the symbol stand close before a picture or a number; where it may become longer is before it."""
        self._caption.setVisible(not on)
        if self._head.columnStretch(0) != on:
            self._head.setColumnStretch(0, int(on))
            self._head.setColumnStretch(1, int(not on))  # with a shorter formula, of a change, nothing moves
            self._head.setAlignment(self._formula, MIDDLE_RIGHT if on else MIDDLE)

    def _be_inline(self, on: bool) -> None:
        """Let a single number stand beside its formula, as small pictures do."""
        if on != self._is_inline:
            self._is_inline = on
            if on:
                self._head.addWidget(self.view, 0, 1, MIDDLE)
            else:
                self._beside.insertWidget(0, self.view, 0, Qt.AlignmentFlag.AlignTop)

    def _open(self, at: QPointF) -> None:
        """Show the numbers, those around a place of the picture first."""
        had_keys = self._small.hasFocus()  # which Qt would give to the next picture when this one goes
        self._bench.selection.keep(open_key(self.matrix.id), True)

        def look() -> None:
            self._small.look_at(at)
            if had_keys:
                self.view.setFocus(Qt.FocusReason.OtherFocusReason)

        do_later(self, look)

    def _show_heading(self) -> None:
        """Say what the numbers are. The heading is as large as that of the values, whatever is shown: nothing moves."""
        matrix = self.matrix
        if matrix.usual or matrix.array.size == 1 or self._is_folded:
            self._measure_usual(self._formula_of(self._kind))
        elif self._usual_heads:
            self._usual_heads, self._measured = (), ()
            self._heading.setMinimumSize(0, 0)
            self._heading.setMaximumSize(UNBOUNDED, UNBOUNDED)
        words = self._words(self._kind) if matrix.showing == "values" else words_of_change(matrix)
        self._say(symbol_of(matrix.formula) if self._kind == THUMB else matrix.formula, words)
        if self._words_above != (above := self._is_high(self._high)):
            self._words_above = above
            for part in (self._caption, self._formula):
                self._head.removeWidget(part)
            leads = self._is_folded or self._is_inline
            self._head.addWidget(self._caption, *((0, 0) if above else (0, 1)), MIDDLE)
            self._head.addWidget(self._formula, int(above), 0, MIDDLE_RIGHT if leads else MIDDLE)
        if self.sizeHint() != self._told:
            self._told = self.sizeHint()
            self.updateGeometry()
        if self._formula.property(NODE) != matrix.name:
            self._formula.setToolTip(set_names(name_of(matrix.name) if "." not in matrix.name else matrix.name))
            for part in (self._formula, self._caption):
                part.setProperty(NODE, matrix.name)

    def _measure_usual(self, formula: str) -> None:
        """Be as large as the heading of the values; measured only once: each text that is tried asks for a layout."""
        words = self._words(self._kind)
        left = 0 if self.small else self.view.labels_width
        beside = self._small.minimumSize() if self._is_folded else self.view.size() if self._is_inline else None
        # Before it is polished it has another font, and before formulas can be typeset they are guessed.
        parts, is_polished = (self._caption, self._formula), Qt.WidgetAttribute.WA_WState_Polished
        polished = (part.testAttribute(is_polished) for part in parts)
        measured = formula, words, left, beside, self.view.room, self.view.times, can_typeset_now(), *polished
        if measured != self._measured:
            self._measured = measured
            self._say(formula, words)
            bare = self.matrix.array.size == 1 or (self._is_folded and formula == symbol_of(formula))
            sign = SIGN + BRACKETS * ("/" in formula)
            more = QSize(self._bench.appearance.px(sign) * bare, 0)  # numbers give no room
            self._usual_heads = self._live_head(False) + more, self._live_head(True) + more
        size = self._head_size(self._high)
        if not self._heading.minimumSize() == self._heading.maximumSize() == size:
            self._heading.setFixedSize(size)

    @property
    def _room(self) -> int:
        """Pixels for the heading, which begins where the numbers do."""
        return self.view.room - (0 if self.small else max(self.view.label_room, self.view.labels_width))

    def _words(self, kind: str) -> str:
        """Beside the formula of values."""
        look, matrix = self._bench.appearance, self.matrix
        folds = bool(matrix.open) and (self._tight or not self.view.whole)
        return in_lines(words_of(matrix, kind, look.theme, folds), QFontMetrics(look.fonts.small), self._room)

    def _say(self, formula: str, words: str) -> None:
        picture = self._small.minimumWidth() + self._head.horizontalSpacing() if self._is_folded else 0
        self._formula.be_no_wider(max(self._room - picture, 0))
        if self._formula.latex() != formula:
            self._formula.set_latex(formula)
        if words != self._caption.text():
            self._caption.setText(words)
        left = 0 if self.small else self.view.labels_width
        if self._head.contentsMargins().left() != left:
            self._head.setContentsMargins(left, 0, 0, 0)

    def _followed(self, link: str) -> None:
        if link in ("small", "numbers"):
            self._bench.selection.keep(open_key(self.matrix.id), link == "numbers")
        else:
            self._bench.document.do(Release(self.matrix.name))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.view.setFocus(Qt.FocusReason.MouseFocusReason)


def _besides_numbers(matrix: Matrix) -> tuple[object, ...]:
    """What a box says and depends on but for the numbers themselves, which their view measures."""
    power = matrix.power if matrix.showing != "values" else 0
    said = matrix.name, matrix.formula, matrix.usual, matrix.title, matrix.shape, matrix.turned, matrix.showing, power
    marks = matrix.editable, matrix.ours, matrix.pins is None, matrix.open, matrix.named
    return *said, *marks, matrix.axes, matrix.rows
