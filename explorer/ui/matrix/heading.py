"""The heading of a matrix: its formula, the words beside or above it, and the sizes of both."""

import re
from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QTextDocument
from PySide6.QtWidgets import QGridLayout, QWidget

from explorer.core.errors import written_shape
from explorer.pages.matrix import Matrix, symbol_of
from explorer.ui.matrix.form import Shape
from explorer.ui.matrix.view import MatrixView
from explorer.ui.theme import NODE, Theme
from explorer.ui.widgets.formula import Formula, can_typeset_now
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.names import set_names

NUMBERS, PICTURE, THUMB = "of numbers", "of a small picture", "of a small picture in an equation"
"""The kinds of headings."""
NOT_PRINTED = "Chosen for this program: the text prints none"
SIGN = 36
"""Pixels at text scale 1 for ∂L/∂ before a symbol, in a heading that has only the width for values."""
BRACKETS = 14
"""Pixels at text scale 1 for the brackets around a symbol that is a fraction."""
MIDDLE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
MIDDLE_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TAG = re.compile("<[^>]*>")
_LINK = re.compile("( · |<br>)?<a href='([^']*)'[^>]*>[^<]*</a>")


class Heading(QWidget):
    """A formula, and words beside or above it, or a small picture or a number in place of the words.

    `view`: shows the numbers; `between`: pixels between its parts.
    """

    def __init__(self, view: MatrixView, between: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._view, self._appearance, self._between = view, view.bench.appearance, between
        self.formula = Formula(parent=self, em=1.15)
        self.formula.setCursor(Qt.CursorShape.WhatsThisCursor)
        self.caption = Label(role="small", parent=self)
        self.caption.setTextFormat(Qt.TextFormat.RichText)
        self._sizes: dict[object, QSize] = {}
        self._words_above = False
        """Whether the words stand above the formula."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(between)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)  # a shorter formula, of a change, moves nothing then
        self._grid.addWidget(self.formula, 0, 0, MIDDLE)
        self._grid.addWidget(self.caption, 0, 1, MIDDLE)

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
            document = QTextDocument()
            document.setDocumentMargin(0)
            document.setDefaultFont(font)
            document.setHtml(words)
            size = document.size()
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

    def holds(self, widget: QWidget) -> bool:
        """Whether a widget stands in the heading, behind the symbol."""
        return self._grid.indexOf(widget) >= 0

    def hold(self, widget: QWidget) -> None:
        """Put a small picture or a number behind the symbol."""
        if not self.holds(widget):
            self._grid.addWidget(widget, 0, 1, MIDDLE)

    def tell(self, matrix: Matrix, shape: Shape) -> None:
        """Show the heading of a matrix in its present shape."""
        self._lead(shape.leads)
        self.formula.be_times(shape.form.times)
        self.formula.be_no_wider(shape.most)
        self.formula.set_latex(symbol_of(matrix.formula) if shape.kind == THUMB else matrix.formula)
        words = shape.words if matrix.showing == "values" else _words_of_change(matrix)
        if words != self.caption.text():
            self.caption.setText(words)
        if self._grid.contentsMargins().left() != shape.left:
            self._grid.setContentsMargins(shape.left, 0, 0, 0)
        if self._words_above != shape.above:
            self._words_above = shape.above
            for part in (self.caption, self.formula):
                self._grid.removeWidget(part)
            self._grid.addWidget(self.caption, *((0, 0) if shape.above else (0, 1)), MIDDLE)
            self._grid.addWidget(self.formula, int(shape.above), 0, MIDDLE_RIGHT if shape.leads else MIDDLE)
        head = shape.head(shape.form.above)
        if not self.minimumSize() == self.maximumSize() == head:
            self.setFixedSize(head)
        if self.formula.property(NODE) != matrix.name:
            self.formula.setToolTip(set_names(self._view.title))
            for part in (self.formula, self.caption):
                part.setProperty(NODE, matrix.name)

    def hide_links(self) -> None:
        """Leave out what a click would do; of numbers that are given it still says so."""
        said = _LINK.sub(lambda link: f"{link[1] or ''}given" if link[2] == "release" else "", self.caption.text())
        self.caption.setText(said)

    def _lead(self, on: bool) -> None:
        """Put the symbol right before a picture or a number: a longer symbol grows to the left."""
        self.caption.setVisible(not on)
        if self._grid.columnStretch(0) != on:
            self._grid.setColumnStretch(0, int(on))
            self._grid.setColumnStretch(1, int(not on))
            self._grid.setAlignment(self.formula, MIDDLE_RIGHT if on else MIDDLE)


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


def in_lines(words: Sequence[str], metrics: QFontMetrics, room: int) -> str:
    """The words on one line; or, if that is too wide, on two lines that are as narrow as possible."""
    line = " · ".join(words)
    if len(words) < 2 or metrics.horizontalAdvance(_TAG.sub("", line)) <= room:
        return line
    broken = [" · ".join(words[:n]) + "<br>" + " · ".join(words[n:]) for n in range(1, len(words))]
    return min(broken, key=lambda words: _widest_line(words, metrics))


def _widest_line(words: str, metrics: QFontMetrics) -> int:
    """The width in pixels of the widest line."""
    return max(metrics.horizontalAdvance(_TAG.sub("", line)) for line in words.split("<br>"))


def _shape(matrix: Matrix) -> str:
    """The shape without spaces: a heading should not be wider than its numbers."""
    shape = matrix.shape[::-1] if matrix.turned else matrix.shape
    return written_shape(shape).replace(" ", "") if shape else "one number"
