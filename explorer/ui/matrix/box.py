"""A matrix as it stands on a page: formula, name and shape above, the table below."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.document.commands import Release
from explorer.pages.arrange import Ask
from explorer.pages.matrix import Matrix, open_key
from explorer.ui.matrix.form import Extent, Form, Shape, places
from explorer.ui.matrix.heading import NUMBERS, Heading, SmallPicture, formula_of
from explorer.ui.matrix.sizes import Sizes, usual
from explorer.ui.matrix.view import MatrixView
from explorer.ui.turns import do_later, later
from explorer.ui.workbench import Workbench

BETWEEN, BELOW = 6, 2
"""Pixels at text scale 1: between neighbours inside a matrix's box, and below its heading."""


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
        self.sizes = Sizes(self.view, self._heading, self._small, self._between, self._below)
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
        self.view.form = self.sizes.led(form)

    @property
    def usual(self) -> Extent:
        """The extent of its table with letters of the usual size in the room of the page."""
        return self.view.extent_in(usual(self.form))

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
        elif len(self.sizes.shapes) > 1 or self.sizes.parts:  # see `MatrixView.tell`
            shape = self.shape
            self.sizes.forget()
            self.sizes.shapes[self.form] = shape
        return measured or (other and wanted != self.wants)

    def be(self, **how: Any) -> None:
        """Change some fields of its form; nothing moves before `stand`."""
        was, form = self.form, self.form._replace(**how)
        if form != was:
            self.form = form if form[:3] == was[:3] else self.view.turned(form)

    # Its size in a form

    @property
    def shape(self) -> Shape:
        """Its layout and its sizes in its present form."""
        form = self.view.form
        if self._now is None or self._now[0] is not form:  # to look the form up takes most of the time
            self._now = form, self.sizes.shape(form)
        return self._now[1]

    def see_look(self) -> None:
        """Forget all sizes if fonts have changed, or formulas can be typeset now: before, their sizes were guessed."""
        look = self._heading.look()
        if look != self._look:
            self._look = look
            self._forget()

    def _forget(self) -> None:
        self.sizes.forget()
        self._stood = self._now = None
        self.form = self.form  # a single number may have more room now, or less

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
        self.see_look()
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
        size = self._heading.tell(self.matrix, shape)
        formula, words = self._heading.formula, self._heading.caption
        at = places(shape, size, words.sizeHint(), self._between, self._below)
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
