"""The glossary in the window: what its entries are asked about, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QBoxLayout

from explorer.lessons.glossary import Term, glossary
from explorer.lessons.loader import load
from explorer.ui.glossary.pointing import term_of_focus, terms_in_sight
from explorer.ui.turns import do_later, later
from explorer.ui.widgets import UNBOUNDED

if TYPE_CHECKING:
    from explorer.ui.glossary.panel import GlossaryPanel
    from explorer.ui.window.main_window import MainWindow


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
            from explorer.ui.glossary.panel import GlossaryPanel

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
            panel.setFixedHeight(min(panel.wanted_height(), window.pages.height() // 2))
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
