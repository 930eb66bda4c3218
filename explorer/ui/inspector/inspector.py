"""The inspector: what the stage is for; for the cell pointed at, its computation, its numpy code, and what it feeds."""

from collections.abc import Iterable
from html import escape
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.core.nudge import Check, check_cell
from explorer.core.numbers import alone, written
from explorer.lessons.glossary import LINK, glossary
from explorer.lessons.loader import errata
from explorer.pages.about import answers
from explorer.pages.inspection import Fed, Inspected, Printed, inspected, printed_at
from explorer.pages.page import Player
from explorer.ui.background import Background
from explorer.ui.glossary import follow_links, with_terms
from explorer.ui.inspector.derivation_view import DerivationView
from explorer.ui.page.note import rich
from explorer.ui.page.player import PlayerView
from explorer.ui.selection import Cell
from explorer.ui.theme import NODE, mark
from explorer.ui.turns import do_once_painted, later
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in, scroll_area
from explorer.ui.window.parts import fold_button
from explorer.ui.workbench import Workbench

NUDGED = 10
"""Decimals of the losses beside a nudged cell: only late decimals differ."""

LEAST = 28
"""Its least height in pixels at text scale 1: a question of a lesson above it needs the room more."""
HINTS = (
    "Point at a number to see how it is computed. <b>Teal</b> numbers (“editable”) can be changed: type, drag, "
    "or turn the wheel.",
    "Type on a computed number to hold it at your value; Delete computes it again. A right click fills a matrix.",
    "F6 goes to the next part of the window, Ctrl+Page Down to the next stage. Esc shows these words again.",
)


class Inspector(QFrame):
    """Formula, derivation, numpy code, what it feeds, and what the reference prints, for one cell.

    `fold`: hides the column, as the button in its corner does.
    """

    def __init__(self, bench: Workbench, fold: QAction) -> None:
        super().__init__()
        self.setObjectName("inspector")
        self._bench = bench
        self.shown: Inspected | None = None
        # From the outside in: Qt styles all that is inside again each time that a widget gets a parent.
        self._scroll = scroll = scroll_area(self, sideways=False)
        self._content = content = QWidget()
        self._viewport = scroll.viewport()
        scroll.setWidget(content)
        self._title = SteadyLabel(parent=content)
        self._value = SteadyLabel(role="small", parent=content)
        self._value.label.setTextFormat(Qt.TextFormat.PlainText)  # rich text takes Qt ten times as long
        self._formula = Formula(parent=content, em=1.4)
        self._check = QPushButton("Check this cell", content)
        self._check.setToolTip(
            "Change the cell a little in both directions, and compare the slope of the loss with the gradient"
        )
        self._check.clicked.connect(self._check_cell)
        self._checked = SteadyLabel(parent=content)
        self._heading = SteadyLabel(role="section", parent=content)
        self._how = SteadyLabel(role="small", parent=content)
        self._plays = QWidget(content)
        column_in(self._plays)
        self.player: PlayerView | None = None
        """Plays the derivation of the cell; made for the first cell that has one."""
        self._derived = QVBoxLayout()
        self._derivations: list[tuple[SteadyLabel, DerivationView]] = []
        self._numpy_heading = _section("numpy", content)
        self._code = SteadyLabel(role="code", parent=content)
        self._code.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._feeds_heading = _section("Feeds", content)
        self._feeds = SteadyLabel(parent=content)
        links = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self._feeds.label.setTextInteractionFlags(links)
        self._feeds.label.linkActivated.connect(self._go)
        self._about, self._explained = SteadyLabel(parent=content), ""
        follow_links(self._about, lambda link: bench.selection.defined.emit(link.removeprefix(LINK)))
        self._printed_heading = SteadyLabel(role="section", parent=content)
        follow_links(self._printed_heading, lambda _: bench.selection.reference_asked.emit())
        self._printed = SteadyLabel(parent=content)
        self._notes = SteadyLabel(role="small", parent=content)
        self._notes.label.setTextInteractionFlags(links)
        self._notes.label.linkActivated.connect(self._fold)
        self._folded = True
        self._slips = SteadyLabel(parent=content)
        self._errata = SteadyLabel(parent=content)
        follow_links(self._errata, bench.selection.lesson_asked.emit)
        self._hint = SteadyLabel(_paragraphs(HINTS), role="muted", parent=content)
        self._page = QVBoxLayout(content)
        self._page.addWidget(self._about)
        top: tuple[QWidget, ...] = (self._title, self._value, self._formula, self._check)
        for widget in top:
            left = Qt.AlignmentFlag.AlignLeft if widget is self._check else Qt.AlignmentFlag(0)
            self._page.addWidget(widget, 0, left)
        above: tuple[QWidget, ...] = (self._checked, self._heading, self._how, self._plays)
        for widget in above:
            self._page.addWidget(widget)
        self._page.addLayout(self._derived)
        for widget in (
            self._numpy_heading,
            self._code,
            self._feeds_heading,
            self._feeds,
            self._printed_heading,
            self._printed,
            self._notes,
            self._slips,
            self._errata,
            self._hint,
        ):
            self._page.addWidget(widget)
        self._page.addStretch()
        column_in(self, scroll)
        self._folds = fold_button(fold, "»", self)  # in the corner: a line of its own would take room
        self._folds.raise_()
        self._worker = Background(self)
        bench.selection.pointed.connect(self.show_cell)
        bench.selection.derived.connect(self.show_cell)
        bench.selection.stage_changed.connect(self._explain)
        bench.selection.stage_changed.connect(self._look_up)
        self._again = later(self, self._dress)
        self._dress()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        px = self._bench.appearance.px
        self._folds.setGeometry(self.width() - px(38), px(2), px(28), px(22))
        self._fit_formula()

    def _fit_formula(self) -> None:
        """Limit the formula to the column's width: a wider one would widen everything, and numbers would be cut."""
        margins, bar = self._page.contentsMargins(), self._scroll.verticalScrollBar().sizeHint().width()
        self._formula.be_no_wider(max(self.width() - margins.left() - margins.right() - bar, 1))

    def restyle(self) -> None:
        """Follow the theme and the text scale, in a turn of its own: laying out its words takes long."""
        self._bench.appearance.turns.add(self._again)

    def _dress(self) -> None:
        px = self._bench.appearance.px
        self._scroll.setMinimumHeight(px(LEAST))
        self._page.setContentsMargins(px(20), px(16), px(10), px(16))
        self._page.setSpacing(px(5))
        self._fit_formula()
        for _, view in self._derivations:
            view.restyle()
        self.shown = None
        self._explained = ""
        self._bench.bridge.flush()  # the cell may belong to the model before
        self.show_cell(self._bench.selection.cell)

    def show_cell(self, cell: Cell | None) -> None:
        """Show another cell, or the same with other numbers."""
        selection = self._bench.selection
        about = None if cell is None else inspected(self._bench.view, cell, selection.fed, selection.explained)
        if about is not None and about == self.shown:
            return
        self.shown = about
        if about is None:
            self._show_nothing()
        else:
            self._show(about)

    def _show_nothing(self) -> None:
        parts = (self._title, self._value, self._formula, self._heading, self._how, self._numpy_heading, self._code)
        for part in (*parts, self._feeds_heading, self._feeds, self._check, self._checked, self._plays):
            part.hide()
        self._show_derivations(())
        self._explain()
        self._about.show()
        self._hint.show()
        self._look_up()

    def _explain(self, *_: object) -> None:
        """Say what the stage is for; this is visible while no cell is pointed at."""
        selection, graph = self._bench.selection, self._bench.document.engine.graph
        told = next((answers(stage, graph) for stage in selection.places if stage.name == selection.stage), ())
        said = _paragraphs(f"<b>{one.question}</b><br>{one.text}" for one in told)
        if said == self._explained:
            return  # its terms are links now: setting the text without them would cause a layout at each edit
        self._explained = said
        self._about.setText(said)
        if glossary.cache_info().currsize:
            self._link_terms()
        else:
            do_once_painted(self, self._link_terms)

    def _link_terms(self) -> None:
        """Turn terms in the text about the stage into links to their entries; the glossary is read from a file."""
        if "<a " not in (text := self._about.text()):
            self._about.setText(with_terms(text, self._bench.appearance.theme))

    def _show(self, about: Inspected) -> None:
        theme = self._bench.appearance.theme
        self._about.hide()
        self._hint.hide()
        self._checked.hide()
        for label in (self._title.label, self._formula):
            label.setProperty(NODE, about.cell.node)
        self._title.setText(f"<b>{about.name}</b> <span style='color:{theme.muted}'>[{escape(about.where)}]</span>")
        self._value.setText(about.value)
        if about.formula and about.formula != self._formula.latex():
            self._formula.set_latex(about.formula)
        self._heading.setText(about.heading)
        self._how.setText(about.how)
        self._show_player(about.player)
        self._show_derivations(about.parts)
        self._code.setText(about.code)
        self._feeds.setText("<br>".join(map(self._said, about.feeds)))
        self._show_printed(about.printed)
        parts: tuple[tuple[QWidget, object], ...] = (
            (self._title, True),
            (self._value, True),
            (self._formula, about.formula),
            (self._check, about.checkable),
            (self._heading, True),
            (self._how, about.how),
            (self._numpy_heading, about.code),
            (self._code, about.code),
            (self._feeds_heading, about.feeds),
            (self._feeds, about.feeds),
        )
        for part, there in parts:
            part.setVisible(bool(there))
        if self._page.activate():  # now: else the scroll bar would follow in a second paint
            QCoreApplication.sendPostedEvents(self._viewport, QEvent.Type.LayoutRequest)

    def _show_player(self, player: Player | None) -> None:
        """Offer to play the derivation; a player of another cell is paused."""
        if player is not None and self.player is None:
            self.player = PlayerView(self._bench, player, self._plays)
            self.player.be_no_wider(0)  # its words stand below it
            layout = self._plays.layout()
            assert layout is not None
            layout.addWidget(self.player)
        elif player is not None and self.player is not None and player != self.player.player:
            if player.asks != self.player.player.asks:
                self.player.pause()
            self.player.tell(player)
        self._plays.setVisible(player is not None)

    def play(self) -> bool:
        """Play the derivation of the visible cell, or pause it; returns whether there is one."""
        if self.shown is None or self.shown.player is None or self.player is None:
            return False
        self._bench.selection.choose(self.shown.cell, "arrow")  # the mouse may leave the cell during that
        self.player.toggle()
        return True

    def _show_derivations(self, parts: Any) -> None:
        while len(self._derivations) < len(parts):
            name, view = SteadyLabel(role="small", parent=self._content), DerivationView(self._bench, self._content)
            self._derived.addWidget(name)
            self._derived.addWidget(view)
            self._derivations.append((name, view))
        for i, (label, view) in enumerate(self._derivations):
            label.setVisible(i < len(parts) and bool(parts[i][0]))
            view.setVisible(i < len(parts))
            if i < len(parts):
                label.setText(parts[i][0])
                view.show_rows(parts[i][1])

    # What the printed text says

    def _look_up(self, *_: object) -> None:
        """Show later what the text prints at the stage: this is read from files, and the page is shown before."""
        do_once_painted(self, self._show_printed_at_stage)

    def _show_printed_at_stage(self) -> None:
        if self._bench.selection.cell is None:
            self._show_printed(printed_at(self._bench.view, self._bench.selection.stage))

    def _show_printed(self, printed: Printed) -> None:
        theme = self._bench.appearance.theme
        said, slips = ([rich(part, theme) for part in parts] for parts in (printed.said, printed.slips))
        heading = f"In the printed text ({self._bench.lesson.reference})"
        if self._bench.selection.cell is not None:  # a link to its line in the list of all printed numbers
            heading = f"<a href='references' style='color:{theme.link}'>{heading}</a>"
        self._printed_heading.setText(heading)
        self._printed.setText(_paragraphs(said))
        self._slips.setText(_paragraphs(slips))
        notes = f"{'▸' if self._folded else '▾'} {len(slips)} note{'s' * (len(slips) != 1)} on the printed text"
        self._notes.setText(f"<a href='slips' style='color:{theme.muted}; text-decoration:none'>{notes}</a>")
        self._printed_heading.setVisible(bool(said or slips))
        self._printed.setVisible(bool(said))
        self._notes.setVisible(bool(slips))
        self._slips.setVisible(bool(slips) and not self._folded)
        here = self._bench.lesson
        lesson = errata().get(here.reference, "") if said or slips else ""
        self._errata.setText(f"<a href='{lesson}' style='color:{theme.link}'>What the printed example gets wrong</a>")
        self._errata.setVisible(bool(lesson) and lesson != here.id)

    def _fold(self, _: str) -> None:
        """Open or close the notes on slips; they stay so from stage to stage."""
        self._folded = not self._folded
        if self.shown is None:
            self._show_printed_at_stage()
        else:
            self._show_printed(self.shown.printed)

    # What it feeds

    def _said(self, fed: Fed) -> str:
        theme = self._bench.appearance.theme
        path, _, short = fed.node.rpartition(".")
        onward = "" if fed.cell is None else f" {fed.cell.node} {','.join(map(str, fed.cell.index))}"
        return (
            f"<a href='{fed.stage}{onward}' style='color:{theme.link}'>{short}</a> "
            f"<span style='color:{theme.muted}'>{path} · {fed.what}</span>"
        )

    def _go(self, where: str) -> None:
        stage, *cell = where.split(" ")
        self._bench.selection.go_to(stage)
        if cell:
            node, index = cell
            self._bench.selection.choose(Cell(node, tuple(int(i) for i in index.split(",") if i)), "arrow")

    # Checking a gradient

    def _check_cell(self) -> None:
        """Nudge the cell both ways, and compare the slope of the loss with the gradient."""
        cell = self._bench.selection.cell
        if cell is None:
            return
        now = self._bench.view.engine  # whatever happens to the model meanwhile
        if self._bench.descent.quick:
            self._show_check(check_cell(now, cell.node, cell.index), cell)
            return
        self._checked.setText("The loss is being computed on both sides …")
        self._checked.show()

        def done(check: Check) -> None:
            if cell == self._bench.selection.cell and self._checked.isVisible():
                self._show_check(check, cell)

        self._worker.ask(lambda report: check_cell(now, cell.node, cell.index), done)

    def _show_check(self, check: Check, cell: Cell) -> None:
        value = float(self._bench.document.engine.values[cell.node][cell.index])
        lines = [
            ("this cell", "loss"),
            (f"{alone(value, 5)} − h", written(check.below, NUDGED)),
            (f"{alone(value, 5)} + h", written(check.above, NUDGED)),
            ("difference ÷ 2h", written(check.slope, NUDGED)),
            ("gradient", f"<b>{written(check.gradient, NUDGED)}</b>"),
        ]
        cells = "".join(f"<tr><td>{left}&nbsp;&nbsp;</td><td align='right'>{right}</td></tr>" for left, right in lines)
        self._checked.setText(f"<table>{cells}</table>{self._agreement(check)}")
        self._checked.show()

    def _agreement(self, check: Check) -> str:
        """Say in words how far slope and gradient agree."""
        h = f"h is {written(check.h, 2)}"
        theme = self._bench.appearance.theme
        if check.agrees:
            return f"{h}. <span style='color:{theme.accent_text}'>✓ {check.agreement()}</span>"
        return f"{h}. {check.agreement()}."


def _paragraphs(texts: Iterable[str]) -> str:
    """Rich texts as paragraphs."""
    return "".join(f"<p style='margin: 0 0 8px 0'>{text}</p>" for text in texts)


def _section(text: str, parent: QWidget) -> QLabel:
    label = mark(QLabel(text, parent), role="section")
    return label
