"""The glossary in the right column: the entry that was asked for, and links to those of what is in sight.

Which term or symbol stands under the pointer, and which stand anywhere in sight.

The glossary in the window: what its entries are asked about, and where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.lessons.glossary import LINK, Term, glossary, linked
from explorer.lessons.loader import load, titles
from explorer.pages.header import full_title
from explorer.ui.matrix.view import MatrixView
from explorer.ui.theme import NODE, Theme, mark
from explorer.ui.turns import do_later, later
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.labels import SteadyLabel, icon
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.widgets.tree import widget_at
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow


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


STAGE, LESSON = "stage:", "lesson:"
"""What links to a stage of the open model, and to an example, begin with."""


class GlossaryPanel(QFrame):
    """An entry: what the term means, its formula, where to see it, and the example that explains it."""

    changed = Signal()  # it says something else: it may take another height
    left = Signal()  # it was closed
    lesson_asked = Signal(str, tuple)  # an example, and the kind of stage to go to there
    stage_asked = Signal(str)  # a stage of the open model

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.setObjectName("glossary")
        self.setAccessibleName("Glossary")
        self._bench = bench
        self.term: Term | None = None
        self._in_sight: Sequence[Term] = ()
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a term")
        self.search.setAccessibleName("Find a term in the glossary")
        self.search.textChanged.connect(self._show_list)
        self.search.returnPressed.connect(self._take_first)
        self._close = QToolButton()
        self._close.setAutoRaise(True)
        self._close.setAccessibleName("Close the glossary")
        self._close.setToolTip("Close the glossary (Esc)")
        self._close.clicked.connect(self.left)
        top = QHBoxLayout()
        top.addWidget(mark(QLabel("Glossary"), role="group"))
        top.addWidget(self.search, 1)
        top.addWidget(self._close)
        self._name = SteadyLabel(role="strong")
        self._says = self._linking(SteadyLabel())
        self._formula = Formula(em=1.25)
        self._where = self._linking(SteadyLabel(role="small"))
        self._listed = self._linking(SteadyLabel(role="small"))
        self._page = QVBoxLayout()
        content = QWidget()
        content.setLayout(self._page)
        for widget in (self._name, self._says, self._formula, self._where, self._listed):
            self._page.addWidget(widget)
        self._page.addStretch()
        self._scroll = scroll_area(sideways=False)
        self._scroll.setWidget(content)
        self._down = QVBoxLayout(self)
        self._down.addLayout(top)
        self._down.addWidget(self._scroll, 1)
        self.restyle()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        px = self._bench.appearance.px
        self._down.setContentsMargins(px(20), px(10), px(8), px(8))
        self._page.setContentsMargins(0, 0, px(12), 0)
        self._page.setSpacing(px(5))
        self._close.setIcon(icon("close", self._bench.appearance.theme))
        self._fit_formula()
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_formula()

    def _fit_formula(self) -> None:
        """Draw the formula smaller where it would be wider than the words; or these would be cut, too."""
        around, bar = self._down.contentsMargins(), self._scroll.verticalScrollBar().sizeHint().width()
        room = self.width() - around.left() - around.right() - bar - self._page.contentsMargins().right()
        self._formula.be_no_wider(max(room, 0))

    def show_term(self, term: Term | None, in_sight: Sequence[Term]) -> None:
        """Show an entry, if one was asked for, and links to all terms in sight."""
        self.term, self._in_sight = term, in_sight
        self.search.clear()
        self._show()
        self._scroll.verticalScrollBar().setValue(0)

    def wanted_height(self) -> int:
        """Pixels that all of it takes at its present width."""
        margins = self._down.contentsMargins()
        top = self.search.sizeHint().height() + self._down.spacing()
        return margins.top() + top + self._page.sizeHint().height() + margins.bottom()

    def list_terms(self, in_sight: Sequence[Term]) -> None:
        """Link to other terms: another page is in sight."""
        self._in_sight = in_sight
        self._show_list()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        term, theme = self.term, self._bench.appearance.theme
        for part in (self._name, self._says, self._formula, self._where):
            part.setVisible(term is not None)
        if term is not None:
            self._name.setText(escape(term.name, quote=False))
            self._says.setText(with_terms(escape(term.says, quote=False), theme, {term.name}))
            self._formula.setVisible(bool(term.formula))
            self._formula.set_latex(term.formula)
            self._where.setText(self._places(term))
        self._show_list()

    def _places(self, term: Term) -> str:
        """Where to see it in the open model, and what explains it."""
        theme, seen = self._bench.appearance.theme, []
        for kind in term.stages:
            stage = next((one for one in self._bench.selection.stops if one.kind == kind), None)
            if stage is not None:
                seen.append(_link(f"{STAGE}{stage.name}", full_title(stage), theme))
        explained = _link(f"{LESSON}{term.lesson}", titles()[term.lesson], theme)
        lines = [f"See it here: {', '.join(seen)}"] if seen else []
        also = ", ".join(escape(one) for one in term.also if one not in term.name)
        lines += [f"Explained in: {explained}"] + ([f"Also written: {also}"] if also else [])
        return "<br>".join(lines)

    def _show_list(self) -> None:
        typed, theme = self.search.text().strip(), self._bench.appearance.theme
        terms = glossary().near(typed) if typed else self._in_sight
        links = " · ".join(_link(f"{LINK}{one.name}", one.name, theme) for one in terms)
        heading = f"With “{escape(typed)}”" if typed else "On this page"
        nothing = "nothing. Try another word." if typed else ""
        self._listed.setText(f"<b>{heading}</b>: {links or nothing}" if links or nothing else "")
        self.changed.emit()

    def _take_first(self) -> None:
        """Open the first entry of what was typed."""
        if found := glossary().near(self.search.text()):
            self.show_term(found[0], self._in_sight)

    def _linking(self, label: SteadyLabel) -> SteadyLabel:
        follow_links(label, self._follow)
        return label

    def _follow(self, link: str) -> None:
        if link.startswith(STAGE):
            self.stage_asked.emit(link.removeprefix(STAGE))
        elif link.startswith(LESSON) and self.term is not None:
            self.lesson_asked.emit(link.removeprefix(LESSON), self.term.stages)
        else:
            self.show_term(glossary().of(link.removeprefix(LINK)), self._in_sight)


def follow_links(label: SteadyLabel, follow: Callable[[str], None]) -> None:
    """Let the links of a label work, by mouse and by keys."""
    links = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
    label.label.setTextInteractionFlags(links)
    label.label.linkActivated.connect(follow)


def with_terms(html: str, theme: Theme, once: set[str] | None = None) -> str:
    """Rich text in which each term leads to its entry, in the ink of the words around it."""
    return linked(html, once).replace(f'<a href="{LINK}', f'<a style="color:{theme.text}" href="{LINK}')


def _link(to: str, words: str, theme: Theme) -> str:
    return f'<a href="{escape(to)}" style="color:{theme.link}">{escape(words)}</a>'


class Terms(QObject):
    """Opens the glossary in the right column when a term is asked for.

    Parameters
    ----------
    above : QBoxLayout
        The right column of the pages of stages.
    beside : QBoxLayout
        Where it stands on other pages: at their right.
    """

    def __init__(self, window: MainWindow, above: QBoxLayout, beside: QBoxLayout) -> None:
        super().__init__(window)
        self._window, self._above, self._beside = window, above, beside
        self.panel: GlossaryPanel | None = None  # none before anybody has asked
        selection = window.bench.selection
        selection.defined.connect(lambda name: self.define(glossary().of(name)))
        self._again = later(self, self.follow)
        window.area.shown.connect(self._again.start)
        window.actions_.glossary.triggered.connect(self.show)

    @property
    def is_open(self) -> bool:
        """Whether it is in sight."""
        return self.panel is not None and self.panel.isVisible()

    def show(self) -> None:
        """Show all terms in sight, and the entry of the matrix that takes the keys; then the list takes them."""
        term = term_of_focus()
        self.define(term)
        assert self.panel is not None
        self.panel.search.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def define(self, term: Term | None) -> None:
        """Show an entry in the right column, and links to those of all terms in sight."""
        if self.panel is None:
            self.panel = GlossaryPanel(self._window.bench)
            self.panel.left.connect(self.close)
            self.panel.stage_asked.connect(self._window.go_to_stage)
            self.panel.lesson_asked.connect(self._open_at)
            self.panel.changed.connect(lambda: do_later(self, self.place))
        self.panel.show_term(term, terms_in_sight(self._window, self.panel))
        self.place()
        self.panel.show()
        self.place()

    def close(self) -> None:
        """The right column as it was."""
        if self.panel is not None and self.is_open:
            self.panel.hide()
            self.place()
            self._window.setFocus(Qt.FocusReason.OtherFocusReason)

    def follow(self) -> None:
        """Another page is in sight: it has other terms."""
        if self.panel is not None and self.is_open:
            self.panel.list_terms(terms_in_sight(self._window, self.panel))
            self.place()

    def place(self) -> None:
        """Above the inspector; on a page without one, beside what stands there."""
        panel, window = self.panel, self._window
        if panel is None:
            return
        closed = panel.isHidden()
        panel.setFixedWidth(window.inspector.width())
        if window.top_bar.page == 0:
            panel.setFixedHeight(min(panel.wanted_height(), window.tabs.height() // 2))
            if self._above.indexOf(panel) != 0:  # else the page would be laid out twice
                self._above.insertWidget(0, panel)
        else:
            panel.setMinimumHeight(0)
            panel.setMaximumHeight(UNBOUNDED)
            if self._beside.indexOf(panel) < 0:
                self._beside.addWidget(panel)
        panel.setHidden(closed)  # Qt hides what gets another place
        # Three things are too many for one column: the step that one is at goes before the cell.
        window.inspector.setHidden(not closed and not window.lessons.panel.isHidden())
        window.lessons.panel.fit()

    def _open_at(self, lesson: str, kinds: Sequence[str]) -> None:
        """Open an example at the first stage of the first of some kinds that it has."""
        bench = self._window.bench
        if lesson != bench.lesson.id:
            self._window.files.open_lesson(load(lesson))
            bench.bridge.flush()
        stops = bench.selection.stops
        stage = next((one.name for kind in kinds for one in stops if one.kind == kind), None)
        if stage is not None and lesson == bench.lesson.id:
            self._window.go_to_stage(stage)
