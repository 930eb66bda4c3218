"""Ctrl+F: finds words on the visible page, and marks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QWidget,
)

from explorer.core.frozen import Frozen
from explorer.ui.appearance import Appearance
from explorer.ui.matrix.view import MatrixView
from explorer.ui.theme import qcolor
from explorer.ui.turns import later
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.inputs import IconButton
from explorer.ui.widgets.labels import Label, icon
from explorer.ui.widgets.tree import inside
from explorer.ui.widgets.written import written_in
from explorer.ui.window.bar import Size
from explorer.ui.window.division import find_bar_in

MOST = 999
"""The most places that are marked."""
WIDTH, AROUND = 210, 2
"""The width of the field in pixels at text scale 1; and pixels around a marked place."""
SHADE, HERE = 0.22, 0.45
"""The opacity of the marks, and of the mark at the present place."""

_ENTER = Qt.Key.Key_Return, Qt.Key.Key_Enter


class Hit(Frozen):
    """A place that contains the searched words."""

    within: QWidget
    rect: QRect  # in that widget
    bring: Callable[[], object] | None = None  # makes the place visible, besides scrolling the page; None: not needed

    def seen(self, over: QWidget) -> QRect:
        """The visible part of the place, in the coordinates of `over`, which lies over the window."""
        if not shiboken6.isValid(self.within) or not self.within.isVisible() or self.rect.isEmpty():
            return QRect()
        rect, widget = self.rect, self.within
        while widget is not over.parentWidget() and (around := widget.parentWidget()) is not None:
            rect = (rect & widget.rect()).translated(widget.pos())
            widget = around
        return rect.translated(-over.pos()) & over.rect()


def hits(wholes: Sequence[QWidget], text: str) -> Iterator[Hit]:
    """The places in some widgets that contain a text, whether in capitals or not, in the order of painting."""
    wanted = folded(text)
    for whole in wholes:
        for line in written_in(whole):
            said = folded(line.text)
            at = said.find(wanted)
            while at >= 0:
                yield Hit(line.within, line.part(at, len(text)))
                at = said.find(wanted, at + len(wanted))
        for formula in inside(whole, Formula):  # a typeset formula consists of lines, not letters
            if formula.isVisible() and wanted in folded(plain(formula.latex())):
                yield Hit(formula, formula.rect())
        for view in inside(whole, MatrixView):
            if view.isVisible():
                yield from _labels_out_of_sight(view, wanted)


def folded(text: str) -> str:
    """A text without capitals and of the same length: ß, which `casefold` would turn into two letters, stays."""
    return "".join(small if len(small := letter.casefold()) == 1 else letter for letter in text)


def plain(latex: str) -> str:
    """A LaTeX formula without braces and backslashes, as people type it in a search."""
    return latex.replace("{", "").replace("}", "").replace("\\", "")


def _labels_out_of_sight(view: MatrixView, wanted: str) -> Iterator[Hit]:
    """The row and column labels that are visible only after scrolling the matrix; `written_in` finds visible ones."""
    port, matrix = view.viewport().rect(), view.matrix
    for number, label in enumerate(matrix.rows):
        at = view.rowViewportPosition(number)
        if wanted in folded(label) and not port.top() <= at <= port.bottom():
            yield Hit(view, QRect(), partial(view.scrollTo, view.table.index(number, 0)))
    for number, label in enumerate(matrix.columns):
        at = view.columnViewportPosition(number)
        if wanted in folded(label) and not port.left() <= at <= port.right():
            yield Hit(view, QRect(), partial(view.scrollTo, view.table.index(0, number)))


class _Marks(QWidget):
    """Lies over the window and marks the found places; the mouse passes through it."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.hits: Sequence[Hit] = ()
        self.at = 0
        self.colour = ""
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for number, hit in enumerate(self.hits):
            rect = hit.seen(self)
            if rect.isEmpty():
                continue
            shade = qcolor(self.colour, HERE if number == self.at else SHADE)
            around = rect.adjusted(-AROUND, -AROUND, AROUND, AROUND)
            painter.fillRect(around, shade)
            if number == self.at:
                painter.setPen(QPen(qcolor(self.colour), 2))
                painter.drawRect(around)


class FindBar(QFrame):
    """A field for the words, the number of matches on the page, buttons to the one before and the next, and to close.

    `whole`: the contents of the window, over which the bar and its marks lie.
    `searched`: returns the parts of the visible page in the order in which they are searched; the bar is in the corner
    of the first part.
    """

    def __init__(self, appearance: Appearance, whole: QWidget, searched: Callable[[], Sequence[QWidget]]) -> None:
        super().__init__(whole)
        self._whole = whole
        self.setObjectName("findBar")
        self.setAccessibleName("Find on this page")
        self._appearance, self._searched = appearance, searched
        self._before: QWidget | None = None
        self._marks = _Marks(whole)
        self._row = QHBoxLayout(self)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find on this page")
        self.field.setAccessibleName("Words to find on this page")
        self.field.textChanged.connect(self._look)
        self.field.installEventFilter(self)
        self._row.addWidget(self.field)
        self.said = Label(role="muted")
        self._row.addWidget(self.said)
        self._buttons = {
            "back": IconButton(lambda: self.go(-1), "Place before (Shift+Enter)"),
            "next": IconButton(lambda: self.go(1), "Next place (Enter)"),
            "close": IconButton(self.close_down, "Close (Esc)"),
        }
        for button in self._buttons.values():
            self._row.addWidget(button)
        self._again = later(self, self._refresh)
        whole.installEventFilter(self)
        appearance.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    @property
    def hits(self) -> Sequence[Hit]:
        """The found places."""
        return self._marks.hits

    @property
    def at(self) -> int:
        """The index of the present place."""
        return self._marks.at

    def open(self) -> None:
        """Show the bar, ready for typing."""
        if self.isHidden():
            self._before = QApplication.focusWidget()
        self.show()
        self._marks.show()
        self.place()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._look()

    def close_down(self) -> None:
        """Hide the bar and all marks, and give the focus back."""
        before, self._before = self._before, None
        if before is not None and shiboken6.isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self._marks.hide()
        self._marks.hits = ()

    def place(self) -> None:
        """Move to the upper right corner of the page, and lay the marks over the window."""
        whole, parts = self._whole, self._searched()
        if self.isHidden() or not parts:
            return
        self._marks.setGeometry(whole.rect())
        self._marks.raise_()
        self.raise_()
        corner, bar = parts[0].mapTo(whole, QPoint()), Size(*self.sizeHint().toTuple())
        page = corner.x(), corner.y(), parts[0].width(), parts[0].height()
        self.setGeometry(QRect(*find_bar_in(page, bar, self._appearance.px)))

    def follow(self) -> None:
        """Search again in a later turn: the page has changed, or another one is visible."""
        if not self.isHidden():
            self._again.start()

    def _refresh(self) -> None:
        """Search again, and stay at the present place."""
        if not self.isHidden():
            at = self.at
            self._find()
            self._marks.at = min(at, max(len(self.hits) - 1, 0))
            self._say()
            self.place()

    def _find(self) -> None:
        text = self.field.text()
        self._marks.hits = list(islice(hits(self._searched(), text), MOST)) if text.strip() else ()

    def _look(self) -> None:
        """Search for the typed text; the first visible place, if there is one, becomes the present place."""
        self._find()
        seen = (k for k, hit in enumerate(self.hits) if not hit.seen(self._marks).isEmpty())
        self._marks.at = next(seen, 0)
        self._bring()

    def go(self, by: int) -> None:
        """Go to the next place, or to the one before; after the last one comes the first."""
        at = self.at
        self._find()  # the page may have moved
        if self.hits:
            self._marks.at = (at + by) % len(self.hits)
        self._bring()

    def _bring(self) -> None:
        if self.hits:
            hit = self.hits[self.at]
            if hit.bring is not None:
                hit.bring()
            _scroll_to(hit)
            if hit.bring is not None:  # only after it is painted its rectangle is known, so search again
                self._again.start()
        self._say()

    def _say(self) -> None:
        count = len(self.hits)
        more = "+" if count == MOST else ""
        words = f"{self.at + 1} of {count}{more}" if count else "not on this page" if self.field.text().strip() else ""
        if words != self.said.text():
            self.said.setText(words)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))
        self.place()
        self._marks.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self.field:
            if event.type() == QEvent.Type.Resize:
                self.follow()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _ENTER:
            self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_down()
        else:
            super().keyPressEvent(event)

    def _restyle(self) -> None:
        px, theme = self._appearance.px, self._appearance.theme
        self._marks.colour = theme.here
        self._row.setContentsMargins(px(8), px(4), px(6), px(4))
        self._row.setSpacing(px(6))
        self.field.setFixedWidth(px(WIDTH))
        for name, button in self._buttons.items():
            button.setIcon(icon(name, theme))
        self.follow()


def _scroll_to(hit: Hit) -> None:
    """Scroll each scroll area around a place so that it is visible."""
    widget = hit.within
    while (port := widget.parentWidget()) is not None:
        area = port.parentWidget()
        if isinstance(area, QScrollArea) and area.widget() is widget:
            middle = hit.within.mapTo(widget, hit.rect.center())
            area.ensureVisible(middle.x(), middle.y(), hit.rect.width() // 2 + 40, hit.rect.height() // 2 + 40)
        widget = port
