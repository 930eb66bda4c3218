"""The inspector: what the stage is for; for the cell pointed at, its computation, its numpy code, and what it feeds."""

from dataclasses import replace
from typing import Any, cast

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QWidget

from explorer.core.engine import Check, check_cell
from explorer.core.graph import Cell
from explorer.pages.gestures import Ask, ForInspector
from explorer.pages.surfaces.inspector import (
    CHECKING,
    Inspected,
    Told,
    check_said,
    inspected,
    inspector_page,
    printed_at,
)
from explorer.ui.background import Background
from explorer.ui.page.column_tab import SideColumn
from explorer.ui.page.player import PlayerView
from explorer.ui.turns import do_once_painted
from explorer.ui.workbench import Workbench

LEAST = 28
"""Its least height in pixels at text scale 1: a question of a lesson above it needs the room more."""


class Inspector(SideColumn):
    """The column at the right of the page of a stage.

    `fold`: hides the column, as the button in its corner does.
    """

    def __init__(self, bench: Workbench, fold: QAction) -> None:
        super().__init__(bench, "inspector", "About what is pointed at", fold, "»")
        self.told = Told()
        self._begins = False
        """Whether it begins to play, or is paused, just now."""
        self._worker = Background(self)
        selection = bench.selection
        selection.pointed.connect(self.show_cell)
        selection.derived.connect(self.show_cell)
        selection.stage_changed.connect(self._go_along)
        selection.asked.connect(self._do)
        self.make()

    def make(self) -> None:
        """Build the page again, for the model that there is now."""
        self.bench.bridge.flush()  # the cell may belong to the model before
        self.told = replace(self.told, about=self._inspected(self.bench.selection.cell))
        self.area.setMinimumHeight(self.bench.appearance.px(LEAST))
        super().make()

    def refresh(self, *_: object) -> None:
        """Show what there is to tell."""
        selection, graph = self.bench.selection, self.bench.document.engine.graph
        stage = next((one for one in selection.places if one.name == selection.stage), None)
        self.show_elements(inspector_page(graph, stage, self.told, self.bench.lesson))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_cell(self.bench.selection.cell)

    def be_asked(self, asked: bool) -> None:
        """Say nothing of the stage while a question is open that this may answer."""
        if asked != self.told.asked:
            self._tell(asked=asked)

    def _go_along(self) -> None:
        if self.isVisible():
            self.refresh()
            self._look_up()

    def show_cell(self, cell: Cell | None, hidden: bool = False) -> None:
        """Show another cell, or the same with other numbers; while it is hidden only if it plays, or on demand."""
        if not (hidden or self.isVisible() or self._plays):
            return
        about = self._inspected(cell)
        if about is None or about != self.told.about:
            self._tell(about=about, checked="", met=self.told.met or about is not None)
        if about is None:
            self._look_up()

    def _inspected(self, cell: Cell | None) -> Inspected | None:
        selection = self.bench.selection
        return None if cell is None else inspected(self.bench.view, cell, selection.fed, selection.explained)

    def _tell(self, **what: Any) -> None:
        self.told = replace(self.told, **what)
        self.refresh()

    @property
    def _plays(self) -> bool:
        player = self.elements.widgets.get("cell")
        return self._begins or (isinstance(player, PlayerView) and player.playing)

    @property
    def player(self) -> PlayerView:
        """Plays the derivation of the cell."""
        return cast(PlayerView, self.elements.widgets["cell"])

    def play(self) -> bool:
        """Play the derivation of the cell pointed at, or pause it; returns whether there is one."""
        self.show_cell(self.bench.selection.cell, hidden=True)
        about = self.told.about
        if about is None or about.player is None:
            return False
        self.bench.selection.choose(about.cell, "arrow")  # the mouse may leave the cell during that
        self._begins = True
        self.player.toggle()
        self._begins = False
        return True

    def _look_up(self, *_: object) -> None:
        """Say later what the text prints at the stage, and which terms have entries: this is read from files."""
        do_once_painted(self, self._look_up_now)

    def _look_up_now(self) -> None:
        if self.bench.selection.cell is None:
            told = replace(self.told, printed=printed_at(self.bench.view, self.bench.selection.stage), linked=True)
            if told != self.told:
                self._tell(printed=told.printed, linked=True)

    # What is asked

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if isinstance(gesture, ForInspector):
            match gesture.act:
                case "check":
                    self._check()
                case "notes":
                    self._tell(notes=not self.told.notes)
                case "source":
                    self.bench.selection.reference_asked.emit()

    def _check(self) -> None:
        """Nudge the cell both ways, and compare the slope of the loss with the gradient."""
        cell, now = self.bench.selection.cell, self.bench.view.engine  # whatever happens to the model meanwhile
        if cell is None:
            return

        def done(check: Check) -> None:
            if cell == self.bench.selection.cell and self.told.checked:
                self._tell(checked=check_said(check, float(now.values[cell.node][cell.index])))

        self._tell(checked=CHECKING)
        if self.bench.descent.quick:
            done(check_cell(now, cell.node, cell.index))
        else:
            self._worker.ask(lambda report: check_cell(now, cell.node, cell.index), done)
