"""The glossary in the right column: the entry that was asked for, and links to those of what is in sight."""

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from explorer.lessons.glossary import LINK, Term, glossary, linked
from explorer.lessons.loader import titles
from explorer.pages.header import full_title
from explorer.ui.theme import Theme, mark
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.icons import icon
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench

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
