"""Which term or symbol stands under the pointer, and which stand anywhere in sight."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QTableView, QWidget

from explorer.lessons.glossary import Term, glossary
from explorer.ui.matrix.view import MatrixView
from explorer.ui.theme import NODE
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.inside import widget_at

HEADING = 60
"""Letters of a heading at most. A click anywhere on one means its first term."""


def term_at(window: QWidget, place: QPoint) -> Term | None:
    """The term under a point of a window: of a symbol, or of the word in a label that is there."""
    widget = widget_at(window, place)
    if widget is None:
        return None
    if (node := widget.property(NODE)) and (isinstance(widget, Formula) or not _word_at(window, widget, place)):
        return glossary().of_node(node)
    return _word_at(window, widget, place)


def _word_at(window: QWidget, widget: QWidget, place: QPoint) -> Term | None:
    if not isinstance(widget, QLabel) or not widget.text():
        return None
    under = letter_at(widget, widget.mapFrom(window, place))
    if under.link:
        return None  # it leads elsewhere
    heading = _is_heading(under.text)
    found = list(glossary().found_in(under.text, heading))
    pointed = next((one.term for one in found if one.start <= under.at < one.end), None)
    return pointed or (found[0].term if found and heading else None)


class Letter(NamedTuple):
    """The letter under a point."""

    text: str  # the words of the label, without marks
    at: int  # the number of the letter; −1 where there is none
    link: bool  # whether it is in a link


def letter_at(label: QLabel, place: QPoint) -> Letter:
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


def _is_rich(label: QLabel) -> bool:
    return label.textFormat() == Qt.TextFormat.RichText or "</" in label.text()


def terms_in_sight(window: QWidget, but: QWidget) -> list[Term]:
    """Every term and symbol that stands in a window now, but in one part of it, in the order of the alphabet."""
    known, found = glossary(), {}
    seen = [one for one in QApplication.allWidgets() if one.isVisible() and window.isAncestorOf(one)]
    seen = [one for one in seen if not but.isAncestorOf(one)]
    for name in (str(widget.property(NODE) or "") for widget in seen):
        if term := known.of_node(name):
            found[term.name] = term
    for text, rich in _texts(seen):
        for term in _terms_in(text, rich):
            found[term.name] = term
    return sorted(found.values(), key=lambda term: term.name.lower())


def term_of_focus() -> Term | None:
    """The term of the matrix that takes the keys now."""
    focus = QApplication.focusWidget()
    return glossary().of_node(focus.matrix.name) if isinstance(focus, MatrixView) else None


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
    """What labels, buttons and the headings of lists say, and whether it has marks."""
    for widget in widgets:
        if isinstance(widget, QLabel) and widget.text():
            yield widget.text(), _is_rich(widget)
        elif isinstance(widget, QAbstractButton):
            yield widget.text(), False
        elif isinstance(widget, QTableView) and not isinstance(widget, MatrixView):
            model = widget.model()
            for column in range(model.columnCount() if widget.horizontalHeader().isVisible() else 0):
                yield str(model.headerData(column, Qt.Orientation.Horizontal) or ""), False
