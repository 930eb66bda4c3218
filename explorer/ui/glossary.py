"""The glossary in the right column: where it stands, which term is under the pointer, and which are in sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QApplication, QTableView, QWidget
from shiboken6 import isValid

from explorer.lessons.glossary import Term, glossary
from explorer.pages.drawing import Box, Drawing, Words
from explorer.pages.gestures import Ask, ForGlossary
from explorer.pages.page import Picture
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page.column_tab import HEIGHT, SideColumn
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.theme import NODE
from explorer.ui.turns import later
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.tree import widget_at

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

HEADING = 60
"""Letters of a heading at most. A click anywhere on one means its first term."""


def term_at(window: QWidget, place: QPoint) -> Term | None:
    """The term under a point of a window: of a symbol, or of the word in a label that is there."""
    widget = widget_at(window, place)
    if widget is None:
        return None
    node = widget.property(NODE)
    own = glossary().of_node(node) if node else None
    if not (isinstance(widget, Label) and widget.text()):
        return own
    under = letter_at(widget, widget.mapFrom(window, place))
    if under.link:
        return None  # it leads elsewhere
    word = _word_of(under)
    if own is None or word is None:
        return own or word
    named = under.text.split(" · ")[0]  # the node's name: "weights" above A are no parameters
    return own if under.at < len(named) else word


def _word_of(under: Letter) -> Term | None:
    heading = _is_heading(under.text)
    found = list(glossary().found_in(under.text, heading))
    pointed = next((one.term for one in found if one.start <= under.at < one.end), None)
    return pointed or (found[0].term if found and heading else None)


class Letter(NamedTuple):
    """The letter under a point."""

    text: str  # the words of the label, without marks
    at: int  # the number of the letter; −1 where there is none
    link: bool  # whether it is in a link


def letter_at(label: Label, place: QPoint) -> Letter:
    """What stands under a point of a label."""
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(label.font())
    if _is_rich(label):
        document.setHtml(label.text())
    else:
        document.setPlainText(label.text())
    room = label.contentsRect()
    if label.wordWrap():
        document.setTextWidth(room.width())
    down = 0 if label.alignment() & Qt.AlignmentFlag.AlignTop else (room.height() - document.size().height()) / 2
    point = (place - room.topLeft()).toPointF()
    point.setY(point.y() - down)
    layout = document.documentLayout()
    at = layout.hitTest(point, Qt.HitTestAccuracy.ExactHit)
    return Letter(document.toPlainText(), at, bool(layout.anchorAt(point)))


def _is_rich(label: Label) -> bool:
    return label.textFormat() == Qt.TextFormat.RichText or "</" in label.text()


def terms_in_sight(window: QWidget, but: QWidget) -> list[Term]:
    """Every term and symbol that stands in a window now, but in one part of it.

    They are in the order of the alphabet; behind them are those that begin with no letter, such as the name of a text.
    """
    known, found = glossary(), {}
    seen = [one for one in QApplication.allWidgets() if one.isVisible() and window.isAncestorOf(one)]
    seen = [one for one in seen if not but.isAncestorOf(one)]
    for name in (str(widget.property(NODE) or "") for widget in seen):
        if term := known.of_node(name):
            found[term.name] = term
    for text, rich in _texts(seen):
        for term in _terms_in(text, rich):
            found[term.name] = term
    return sorted(found.values(), key=lambda term: (not term.name[0].isalpha(), term.name.lower()))


@lru_cache(maxsize=2048)
def _terms_in(text: str, rich: bool) -> tuple[Term, ...]:
    """The terms in a text. Kept: most words stay when another page comes, and to lay out each takes long."""
    if rich:
        document = QTextDocument()
        document.setHtml(text)
        text = document.toPlainText()
    return tuple(one.term for one in glossary().found_in(text, _is_heading(text)))


def _is_heading(text: str) -> bool:
    """Whether words are a heading, not a sentence or a question, in which a "row" is no example."""
    return len(text) <= HEADING and not text.rstrip().endswith((".", "?", "!"))


def _texts(widgets: Sequence[QWidget]) -> Iterator[tuple[str, bool]]:
    """What labels, buttons, the headings of lists and pictures say, and whether it has marks."""
    for widget in widgets:
        if isinstance(widget, PicturePlace) and isinstance(widget.data, Picture):
            yield from ((one, False) for one in _written(widget.data.drawing))
        if isinstance(widget, Label) and widget.text():
            yield widget.text(), _is_rich(widget)
        elif isinstance(widget, QAbstractButton):
            yield widget.text(), False
        elif isinstance(widget, QTableView) and not isinstance(widget, MatrixView):
            model = widget.model()
            for column in range(model.columnCount() if widget.horizontalHeader().isVisible() else 0):
                yield str(model.headerData(column, Qt.Orientation.Horizontal) or ""), False


def _written(drawing: Drawing) -> Iterator[str]:
    """The titles of blocks in a picture, and the words beside them, but not those of a sentence."""
    for mark in drawing.marks:
        if isinstance(mark, Box):
            yield mark.title
        elif isinstance(mark, Words) and mark.token is None:
            yield mark.text


class Glossary(SideColumn):
    """An entry: what a term means, its formula, where to see it, and the example that explains it."""

    grown = Signal()  # it was shown or hidden, or wants another height

    def __init__(self, window: MainWindow) -> None:
        closes = QAction("Close the glossary", window, toolTip="Close the glossary (Esc)")
        closes.triggered.connect(self.close_down)
        super().__init__(window.bench, "glossary", "Glossary", closes, "×", window)
        self.hide()
        self._worn, self.within = False, (20, 8, 10, 8)  # it is made when it is first asked for
        self._window = window
        self.term: Term | None = None
        self._before: QWidget | None = None
        """What had the keys before it was opened by them."""
        self._typed = ""
        self._in_sight: Sequence[Term] = ()
        self._again_in_sight, self._places = later(self, self.follow), later(self, self.grown.emit)
        self.bench.selection.asked.connect(self._do)
        window.area.shown.connect(self._again_in_sight.start)
        window.actions_.glossary.triggered.connect(self.open)

    def open(self) -> None:
        """Show all terms in sight, and the entry of the matrix that takes the keys; then the field takes them."""
        focus = QApplication.focusWidget()
        if not self._has_keys:
            self._before = focus
        self.define(glossary().of_node(focus.matrix.name) if isinstance(focus, MatrixView) else None)
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def define(self, term: Term | None) -> None:
        """Show an entry in the right column, and links to those of all terms in sight."""
        self.term, self._in_sight, self._typed = term, terms_in_sight(self._window, self), ""
        self.show()
        self.grown.emit()  # which gives it a width
        (self.refresh if self._worn else self.make)()
        self.grown.emit()
        self.area.verticalScrollBar().setValue(0)

    def define_at(self, place: QPoint) -> bool:
        """Show the entry of the term under a point of the window; returns whether there is one."""
        term = term_at(self._window, place)
        if term is not None:
            self.define(term)
        return term is not None

    def make(self) -> None:
        """Build the page again; whoever comes to it by keys comes to its field."""
        super().make()
        self.setFocusProxy(self.elements.widgets["find"])

    def refresh(self) -> None:
        """Show what there is to say; that may take another height."""
        from explorer.pages.surfaces.references import glossary_page  # rarely used

        self._stand_clear()
        self.show_elements(glossary_page(self.term, self._typed, self._in_sight, self.bench.selection.stops))
        self._places.start()

    def _stand_clear(self) -> None:
        """Begin below the button in the corner where the heading would reach it."""
        px, (left, top, *others) = self.bench.appearance.px, self.within
        title = self.elements.ask("title")
        reaches = title is not None and px(left) + title.likes > self._corner.x()
        self.elements.setContentsMargins(*map(px, (left, top + HEIGHT * reaches, *others)))

    def close_down(self) -> None:
        """The right column as it was; its keys go back to what had them before."""
        if self.isVisible():
            had_keys, before, self._before = self._has_keys, self._before, None
            self.hide()
            self.grown.emit()
            if before is None or not isValid(before) or not before.isVisible():
                before = self._window
            if had_keys:
                before.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def _has_keys(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_down()
        else:
            super().keyPressEvent(event)

    def follow(self) -> None:
        """Another page is in sight: it has other terms, and more of them once its pictures have come."""
        if self.isVisible():
            self._in_sight = terms_in_sight(self._window, self)
            self.refresh()
            if not (turns := self.bench.appearance.turns).idle:
                turns.add(self._again_in_sight)

    def needs(self) -> int:
        """The height in pixels that it needs, with the line below it."""
        line = self.height() - self.contentsRect().height()
        return 0 if self.area.widget() is None else self.elements.sizeHint().height() + line

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if isinstance(gesture, ForGlossary):
            match gesture.act, gesture.value:
                case "define", name:
                    self.define(glossary().of(name))
                case "find", typed:
                    self._typed = typed
                    self.refresh()
                case "take", _:
                    if found := glossary().near(self._typed):
                        self.define(found[0])
                case "stage", stage:
                    self._window.go_to_stage(stage)
                case "lesson", (lesson, kinds):
                    self._open_at(lesson, kinds)

    def _open_at(self, lesson: str, kinds: Sequence[str]) -> None:
        """Open an example at the first stage of the first of some kinds that it has."""
        bench = self._window.bench
        if lesson != bench.lesson.id:
            self._window.files.open_lesson(lesson)
            bench.bridge.flush()
        stops = bench.selection.stops
        stage = next((one.name for kind in kinds for one in stops if one.kind == kind), None)
        if stage is not None and lesson == bench.lesson.id:
            self._window.go_to_stage(stage)
