"""What stands above and beside the numbers of a matrix: its formula with words, and a small picture of the whole.

In the picture each cell is a coloured square, and a frame is around those whose numbers are visible.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from operator import is_

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontInfo,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.errors import written_shape
from explorer.core.numbers import SQUARES, strongest_in
from explorer.core.ops import Array
from explorer.pages.matrix import SHARES, Matrix, symbol_of
from explorer.ui.matrix.form import ALONE, BESIDE, MAP, MOST_ROWS, PLACE, Extent, Form, Shape
from explorer.ui.matrix.model import steps
from explorer.ui.matrix.view import MatrixView
from explorer.ui.theme import MASKED, NODE, Theme, paint_signs, qcolor
from explorer.ui.widgets.formula import Formula, can_typeset_now
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.names import document_of, set_names

NUMBERS, PICTURE, THUMB = "of numbers", "of a small picture", "of a small picture in an equation"
"""The kinds of headings."""
NOT_PRINTED = "Chosen for this program: the text prints none"
SIGN = 36
"""Pixels at text scale 1 for ∂L/∂ before a symbol, in a heading that has only the width for values."""
BRACKETS = 14
"""Pixels at text scale 1 for the brackets around a symbol that is a fraction."""
LEAST_PART = 0.5
"""A formula that would be drawn at less than this part of its size could not be read: its symbol stands alone."""
MIDDLE_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TAG = re.compile("<[^>]*>")
_BLANK = re.compile(" (?![^<]*>)")  # not within a tag
_LINK = re.compile("( · |<br>)?<a href='([^']*)'[^>]*>[^<]*</a>")
_EDITABLE = re.compile("( · |<br>)?<span[^>]*>editable</span>")


class _Caption(Label):
    """The words beside a formula. They appear with it: "3×4" alone would be a heading that names nothing."""

    def __init__(self, formula: Formula, parent: QWidget) -> None:
        super().__init__(role="small", parent=parent)
        self._formula = formula
        self.setTextFormat(Qt.TextFormat.RichText)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._formula.waits:
            super().paintEvent(event)


class Heading:
    """The formula of a matrix, and the words beside or above it.

    `view`: shows the numbers; `between`: pixels between the two; `box`: the widget that both stand in.
    """

    def __init__(self, view: MatrixView, between: int, box: QWidget) -> None:
        self._view, self._appearance, self._between = view, view.bench.appearance, between
        self.formula = Formula(parent=box, em=1.15)
        self.formula.setCursor(Qt.CursorShape.WhatsThisCursor)
        self.caption = _Caption(self.formula, box)
        self._sizes: dict[object, QSize] = {}

    def look(self) -> object:
        """What its sizes depend on besides words and forms."""
        self.caption.ensurePolished()
        self.formula.ensurePolished()
        return can_typeset_now(), self.caption.font().key(), self.formula.font().key()

    def size_of(self, words: str) -> QSize:
        """The size of words beside the formula."""
        font = self.caption.font()
        key = words, font.key()
        if key not in self._sizes:
            size = document_of(words, font).size()
            self._sizes[key] = QSize(ceil(size.width()), ceil(size.height()))
        return self._sizes[key]

    def widths(self, matrix: Matrix, kind: str, words: str, times: float, room: int) -> tuple[int, int]:
        """The widths of a heading on one line, and on two, with the words of its kind.

        `times`: how many times larger than usual the formula is; `room`: the greatest width of the formula in pixels.
        """
        said = _widest_line(words, QFontMetrics(self.caption.font())) + 2
        formula = formula_of(matrix, kind)
        symbol = min(self.formula.width_of(formula, times), max(room, 1))
        more = self.of_change(formula) * (matrix.array.size == 1)
        return more + symbol + self._between + said, more + max(symbol, said)

    def of_change(self, formula: str) -> int:
        """Pixels for the sign of a change before a symbol: narrow numbers below it may leave no room for the sign."""
        return self._appearance.px(SIGN + BRACKETS * ("/" in formula))

    def tell(self, matrix: Matrix, shape: Shape) -> QSize:
        """Show the heading of a matrix in its present shape; returns the size of its formula."""
        self.caption.setVisible(not shape.leads)
        words = shape.words if matrix.showing == "values" else _words_of_change(matrix)
        head = shape.head(shape.form.above)
        most = shape.most
        if matrix.showing != "values" and shape.kind != THUMB and not shape.inline:
            # The heading has its size for values: a gradient's symbol is smaller in it, since else its end is cut.
            beside = 0 if shape.above else self._between + self.size_of(words).width()
            most = min(most, max(head.width() - shape.begins - beside, self._appearance.px(SIGN)))
        tiny = 0 < most < LEAST_PART * self.formula.width_of(matrix.formula, shape.form.times)
        latex = symbol_of(matrix.formula) if tiny or shape.kind == THUMB else matrix.formula
        self.formula.set_latex(latex, shape.form.times)
        if words != self.caption.text():
            self.caption.setText(words)
        if self.formula.property(NODE) != matrix.name:
            self.formula.setToolTip(set_names(self._view.title))
            for part in (self.formula, self.caption):
                part.setProperty(NODE, matrix.name)
        return self.formula.size_of(latex, shape.form.times, most)

    def hide_links(self) -> None:
        """Leave out what one can do there; of numbers that are given it still says so."""
        said = _LINK.sub(lambda link: f"{link[1] or ''}given" if link[2] == "release" else "", self.caption.text())
        self.caption.setText(_EDITABLE.sub("", said))


def formula_of(matrix: Matrix, kind: str) -> str:
    """The formula for a matrix's values in a kind of heading."""
    usual = matrix.usual or matrix.formula
    return symbol_of(usual) if kind == THUMB else usual


def words_of(matrix: Matrix, kind: str, theme: Theme, folds: bool) -> list[str]:
    """The words beside the formula for values; a small picture in an equation has room for its shape and links only.

    `folds`: whether there is a link back to the small picture.
    """
    shape = _shape(matrix) if matrix.shape or not matrix.title else ""
    words = [shape] if kind == THUMB else [matrix.title, shape]
    if matrix.editable and kind != THUMB:
        words.append(f"<span style='color:{theme.accent_text}'>editable</span>")
    if matrix.ours and kind != THUMB:
        words.append(f"<span style='color:{theme.accent_text}' title='{NOT_PRINTED}'>not printed</span>")
    if matrix.pins is not None:
        words.append(f"<a href='release' style='color:{theme.link}'>given, release</a>")
    if kind != NUMBERS:
        words.append(f"<a href='numbers' style='color:{theme.link}'>numbers</a>")
    if folds:
        words.append(f"<a href='small' style='color:{theme.link}'>small</a>")
    return list(filter(None, words))


def _words_of_change(matrix: Matrix) -> str:
    """The words beside the formula of a change or gradient: the power of ten that scales its numbers, or the shape."""
    power = str(matrix.power).translate(RAISED)
    return f"<b>× 10{power}</b>" if matrix.power else _shape(matrix) * (matrix.array.size > 1)


def in_lines(words: Sequence[str], metrics: QFontMetrics, room: int, most: int) -> str:
    """The words on one line; or, if that is too wide, on two lines that are as narrow as possible.

    A line that is wider than the page, as in large text, breaks at its blanks.

    `room`, `most`: the widths in pixels up to which one line is preferred, and of the page.
    """
    line = " · ".join(words)
    if len(words) > 1 and _wide(line, metrics) > room:
        broken = [" · ".join(words[:n]) + "<br>" + " · ".join(words[n:]) for n in range(1, len(words))]
        line = min(broken, key=lambda words: _widest_line(words, metrics))
    return "<br>".join(part for one in line.split("<br>") for part in _broken(one, metrics, most))


def _broken(line: str, metrics: QFontMetrics, most: int) -> Iterator[str]:
    """A line in parts that are no wider than this, if its words allow it; a tag stays whole."""
    if _wide(line, metrics) <= most:
        yield line
        return
    part = ""
    for word in _BLANK.split(line):
        longer = f"{part} {word}" if part else word
        if part and _wide(longer, metrics) > most:
            yield part
            longer = word
        part = longer
    yield part


def _wide(words: str, metrics: QFontMetrics) -> int:
    return metrics.horizontalAdvance(_TAG.sub("", words))


def _widest_line(words: str, metrics: QFontMetrics) -> int:
    return max(_wide(line, metrics) for line in words.split("<br>"))


def _shape(matrix: Matrix) -> str:
    """The shape without spaces: a heading should not be wider than its numbers."""
    shape = matrix.shape[::-1] if matrix.turned else matrix.shape
    return written_shape(shape).replace(" ", "") if shape else "one number"


LOW, WIDE = 40, 132
"""Greatest height and width of the picture in a heading, in pixels at text scale 1."""
HIGH = 150
"""Its greatest height elsewhere, in pixels at text scale 1."""
SQUARE, STRIP, LEAST = 12, 20, 6
"""Sizes of a cell in pixels at text scale 1: the largest; the largest in a strip that leaves no room for a neighbour;
and the least into which a frame fits.
"""
TALL, LOW_ROW = 44, 12
"""Heights of a cell in pixels at text scale 1: the greatest, if it may be higher than wide; and the least with a word
before it.
"""
READABLE = 0.8
"""The share of `LOW_ROW` that a row must have so that its word can be read."""
THIN = 4
"""With so many times more rows than columns, or columns than rows, the cells of a picture are no squares."""
BEFORE = 8
"""Pixels at text scale 1 between the word of a row and its cells."""
MARKED = 4096
"""Up to so many cells, those that are pointed at and read are marked."""


def joined(cells: Iterable[QRect]) -> list[QRect]:
    """Cells in reading order, those side by side or one below the other as one: frames around each would hide all."""
    found: list[QRect] = []
    for cell in cells:
        both = found[-1].united(cell) if found else cell
        if found and both.width() * both.height() == found[-1].width() * found[-1].height() + 1:
            found[-1] = both
        else:
            found.append(cell)
    return found


class SmallPicture(QWidget):
    """Stands in place of the numbers, which a click brings back; or beside them, as a map that moves the visible part.

    `view`: shows the numbers.
    """

    # QPointF: the numbers are asked for; where the picture was clicked, as shares of its width and height.
    opened = Signal(QPointF)

    def __init__(self, view: MatrixView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._image: QImage | None = None
        self._of: tuple[object, ...] = ()
        self._stands, self._left = BESIDE, 0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for bar in (view.horizontalScrollBar(), view.verticalScrollBar()):
            bar.valueChanged.connect(self._follow)
        view.relit.connect(self._follow)

    def _follow(self, *_: int) -> None:
        self.update()

    def wanted(self, where: str, extent: Extent, form: Form, room: int, most: int = 0) -> tuple[QSize, int]:
        """Its size in one of the places `PLACE`, `ALONE` and `BESIDE`, and the width of the row words before its cells.

        Words that could not be read, or are no names, have no width, as in the other places than `ALONE`.

        `extent`, `form`: of the numbers. `room`, `most`: widths that the matrix, and a picture in place of the numbers,
        may have in pixels; 0: any for the picture.
        """
        rows, columns = self._view.matrix.array.shape
        px, times = self._view.bench.appearance.px, form.times
        words = 0
        if where == ALONE and form.lined:
            low = min(px(LOW_ROW * times), max(px(HIGH * times) / rows, 1.0))
            high = px((TALL if rows > 1 else STRIP) * times)
            wide, down = (room - form.lined) / columns, max(low, min(low * form.tall, high))
            size = QSize(form.lined + round(columns * min(wide, px(STRIP * times))), round(rows * down))
            return size, form.lined
        if where == PLACE:
            wide, high = min(px(WIDE), most or px(WIDE)), px(LOW)
        elif where == ALONE:
            # As narrow if a matrix before it names the rows: else that matrix would change this.
            words = extent.label_room * (not most and has_words(self._view.matrix))
            wide, high = min(room - words, most or room), px(HIGH)
        elif extent.map_above and rows <= MOST_ROWS:  # it only serves to choose the visible columns
            return QSize(extent.cells, px(STRIP)), 0
        elif extent.map_above:
            wide, high = extent.cells, px(HIGH)
        else:
            wide, high = px(MAP), extent.rows * extent.down
        strip = where == ALONE and not most and 2 * columns * px(SQUARE) > wide
        square = min(high / rows, wide / columns, px(STRIP if strip else SQUARE))
        least, across, down = px(8), square, square
        if where == ALONE:
            down = max(square, min(square * form.tall, px(TALL * times), px(HIGH * times) / rows))
        # A strip of a few pixels shows nothing: a long one, or one of tiny cells, is widened, to a square at most.
        if where != BESIDE and rows > columns and (rows >= THIN * columns or square < 1):
            across = max(square, min(px(STRIP), high / columns, wide / columns))
        elif where == ALONE and columns >= THIN * rows:
            down = max(down, min(px(STRIP), px(LOW) / rows))
        left = words * (form.labelled and down >= READABLE * px(LOW_ROW))
        return QSize(left + max(round(columns * across), least), max(round(rows * down), least)), left

    def stand(self, where: str, size: QSize, left: int) -> None:
        """Stand in place of the numbers, or beside them: above if not all columns are visible, else at the right.

        `left`: width of the row words before its cells; 0: they are not shown.
        """
        self._stands, self._left = where, left
        if size != self.size() or size != self.minimumSize():
            self.setFixedSize(size)
        name = f"{self._view.title}, {written_shape(self._view.matrix.shape)}"
        alone = where != BESIDE
        said = "Click for the numbers" if alone else "Drag over it to choose the numbers in sight"
        self.setAccessibleName(f"Small picture of {name}")
        self.setToolTip(set_names(f"{name}\n{said}"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if alone else Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(where != BESIDE)
        self.setCursor(Qt.CursorShape.PointingHandCursor if alone else Qt.CursorShape.CrossCursor)
        self.update()

    def cells(self) -> QRectF:
        """Where its cells are, without the words before them."""
        return QRectF(self.rect()).adjusted(self._left, 0, 0, 0)

    def _picture(self) -> QImage:
        """The colours of all cells."""
        matrix, theme = self._view.matrix, self._view.bench.appearance.theme
        of = (matrix.array, matrix.full, matrix.colours, matrix.covered, theme)
        if self._image is None or not all(map(is_, of, self._of)):
            strongest = strongest_in(matrix.array, SQUARES)
            ramp, places = steps(matrix, theme, strongest, plain=True)
            assert ramp is not None
            places = np.where(strongest == -np.inf, MASKED, places)
            colours, (height, width) = ramp.all[places], places.shape
            for row, column in matrix.covered:
                at = row * height // matrix.array.shape[0], column * width // matrix.array.shape[1]
                colours[at] = qcolor(theme.here_soft).getRgb()
            self._image = QImage(colours.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
            self._of = of
        return self._image

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, view = QPainter(self), self._view
        theme = view.bench.appearance.theme
        box = self.cells()
        self._paint_words(painter, box)
        painter.drawImage(box, self._picture())
        painter.setPen(qcolor(theme.accent_line if view.matrix.editable else theme.line_strong))
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        if view.matrix.nothing:  # as in its numbers: white would mean that nothing differs
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "–")
        if view.matrix.colours != SHARES:
            paint_signs(painter, theme, _uncovered(view.matrix), box)
        rows, columns = view.matrix.array.shape
        across, down = box.width() / columns, box.height() / rows
        if rows * columns <= MARKED:
            painter.setPen(QPen(qcolor(theme.here), 2))
            tiny = min(across, down) <= LEAST
            inside = -1 if tiny else 1  # a frame inside would hide the cell
            reads = view.lit_cells(range(rows), range(columns))[0]
            places = [QRect(column, row, 1, 1) for row, column in reads]
            pointed = [QRect(view.pointed[1], view.pointed[0], 1, 1)] if view.pointed else []
            for place in (*(joined(places) if tiny else places), *pointed):
                cell = QRectF(box.left() + place.x() * across, place.y() * down, 0, 0)
                cell.setSize(QSizeF(place.width() * across, place.height() * down))
                painter.drawRect(cell.adjusted(inside, inside, -inside, -inside) & box.adjusted(1, 1, -1, -1))
        if self._stands == BESIDE:
            painter.setPen(QPen(qcolor(theme.here), 2))
            painter.drawRect(self._in_sight().adjusted(1, 1, -1, -1))
        if self.hasFocus():
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))

    def _paint_words(self, painter: QPainter, box: QRectF) -> None:
        """Paint the words of the rows, in letters that fit, if they can be read."""
        view, px = self._view, self._view.bench.appearance.px
        rows, room = view.matrix.rows, self._left - px(BEFORE)
        down = box.height() / max(len(rows), 1)
        if room <= 0 or down < READABLE * px(LOW_ROW):
            return
        plain, strong = QFont(view.letters.small), QFont(view.letters.bold_small)
        for font in (plain, strong):
            font.setPixelSize(min(QFontInfo(font).pixelSize(), max(int(down) - 1, 1)))
        theme, metrics = view.bench.appearance.theme, QFontMetrics(strong)
        for row, word in enumerate(rows):
            lit = view.lit(0, row)
            painter.setFont(strong if lit else plain)
            painter.setPen(qcolor(theme.here_text if lit else theme.muted))
            said = metrics.elidedText(word, Qt.TextElideMode.ElideRight, room)
            place = QRectF(0, row * down, room, down)
            # A sign may reach below the line, as the one for a blank does; below the last one the picture ends.
            reach = (down - metrics.height()) / 2 + metrics.ascent() + metrics.tightBoundingRect(said).bottom() + 1
            place.translate(0, min(self.height() - place.top() - reach, 0))
            painter.drawText(place, MIDDLE_RIGHT | Qt.TextFlag.TextDontClip, said)

    def _in_sight(self) -> QRectF:
        """The part of the picture whose numbers are visible."""
        view, (rows, columns) = self._view, self._view.matrix.array.shape
        wide, high = columns * view.columnWidth(0), rows * view.rowHeight(0)
        left, top = view.horizontalScrollBar().value(), view.verticalScrollBar().value()
        sight = view.viewport().size()
        parts = left / wide, top / high, min(sight.width() / wide, 1.0), min(sight.height() / high, 1.0)
        size = self.size()
        x, y, width, height = (part * of for part, of in zip(parts, (size.width(), size.height()) * 2, strict=True))
        # For a very large matrix it would be too small to see.
        return QRectF(min(x, size.width() - 7), min(y, size.height() - 7), max(width, 7), max(height, 7))

    def look_at(self, part: QPointF) -> None:
        """Scroll the numbers to a place, given in shares of the picture; no number is cut at an edge."""
        view, (rows, columns) = self._view, self._view.matrix.array.shape
        sight = view.viewport().size()
        was = view.blockSignals(True)  # a resting mouse enters no cell by that: see `MatrixView.scrollTo`
        for bar, along, count, cell, seen in (
            (view.horizontalScrollBar(), part.x(), columns, view.columnWidth(0), sight.width()),
            (view.verticalScrollBar(), part.y(), rows, view.rowHeight(0), sight.height()),
        ):
            bar.setValue(round(along * count - seen / cell / 2) * cell)
        view.blockSignals(was)

    def _part(self, event: QMouseEvent) -> QPointF:
        box = self.cells()
        return QPointF((event.position().x() - box.left()) / box.width(), event.position().y() / box.height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._stands == BESIDE:
            self.look_at(self._part(event))
        else:
            self.opened.emit(self._part(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._stands == BESIDE:
            self.look_at(self._part(event))
        else:
            part, (rows, columns) = self._part(event), self._view.matrix.array.shape
            if 0 <= part.x() < 1 and 0 <= part.y() < 1:
                self._view.point(int(part.y() * rows), int(part.x() * columns))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self._stands != BESIDE:
            self._view.bench.selection.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.opened.emit(QPointF())
        else:
            super().keyPressEvent(event)


def has_words(matrix: Matrix) -> bool:
    """Whether its rows have names, few enough to be read beside a small picture, that are not just numbers."""
    return 1 < len(matrix.rows) <= MOST_ROWS and not all(name.isdigit() for name in matrix.rows)


def _uncovered(matrix: Matrix) -> Array:
    """The numbers, with NaN for those that a question covers: their signs would give them away."""
    if not matrix.covered:
        return matrix.array
    array = matrix.array.astype(float)
    array[tuple(np.array(list(matrix.covered)).T)] = np.nan
    return array
