"""What the reader looks at: the stage, the layer and head for all panels, the cell pointed at, the token.

`Light`: which parts of a page are lit while the rest is faint.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import lt
from types import MappingProxyType
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from explorer.core.cell import Index, Step, operands
from explorer.core.graph import Cell, Graph, Place, Stage
from explorer.document.document import Document
from explorer.lessons.schema import Step as LessonStep
from explorer.pages.levels import LAYER, places, stops
from explorer.pages.page import Page
from explorer.pages.steps.of_step import ELSEWHERE, Lit, lit_by_cell, lit_by_step
from explorer.pages.surfaces.inspector import PLAYED, derivation, played, played_key
from explorer.pages.view import Covered, Looking, Spot, View, row_of

Coming = Literal["click", "arrow", "tab"]
"""How the person came to a cell: by a click on it; by an arrow key or a link from elsewhere, which may only pass it; or
by Tab, which goes on past it."""


class Selection(QObject):
    """The one place that stores what is looked at. It holds no number of the model."""

    stage_changed = Signal(str)
    head_changed = Signal(object)  # the head, counted from 0, or None for the mean over the heads
    # The `Cell` pointed at, or None. What it reads and feeds is in `reads` and `fed` by then.
    pointed = Signal(object)
    derived = Signal(object)  # the same cell is pointed at as before, but its numbers may have changed
    chosen = Signal(object, str)  # a `Cell` was chosen, and how: a `Coming`
    token_changed = Signal()  # `token` has changed
    token_chosen = Signal(str)  # `chosen_token` has changed, and how: a `Coming`
    # `showing` has changed: all matrices show "values", "change" (by the last edit), "step" (by the last step of
    # gradient descent), "gradient" or "difference".
    showing_changed = Signal()
    looked = Signal()  # `looking` has changed, so pages may change, too
    redraws = Signal()  # another layer is about to be drawn, all in other places
    printed_asked = Signal(int)  # asks what computes a printed number: its index in `printed_numbers`
    lesson_asked = Signal(str)  # asks for a lesson of the program, by its id
    asked = Signal(object, object)  # an `Ask`, and the widget that it comes from
    reference_asked = Signal()  # asks where the references print the cell pointed at

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.stage = ""
        self.showing = "values"
        self.head = 0
        self.averaged = False
        self.cell: Cell | None = None
        self.token: tuple[str, int] | None = None
        self.explained: Step | None = None
        """The derivation of that cell."""
        self.reads: Mapping[str, list[Index]] = {}
        self.fed: Mapping[str, list[Index]] = {}
        self.unfinished = False  # whether the cell's derivation is being played and has not reached its number yet
        self.kept: Cell | None = None  # the chosen cell, which is pointed at again when the mouse leaves another one
        self.chosen_token: tuple[str, int] | None = None  # the token that stays lit when the mouse leaves
        self._choices: dict[str, Any] = {}
        self._spot: Spot | None = None
        self._covered = Covered()
        self._several = 0
        self._looked, self._shown = False, ""
        self._places: tuple[Graph | None, tuple[Stage, ...]] = (None, ())
        for signal in (self.head_changed, self.showing_changed, self.token_chosen):
            signal.connect(self._look)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Make several choices as one: the signals for the stage and for `looking` are emitted after the last one."""
        self._several += 1
        try:
            yield
        finally:
            self._several -= 1
            self._show()
            if self._looked:
                self._look()

    @property
    def chooses_several(self) -> bool:
        """Whether several choices are being made as one, as the program makes them and no person."""
        return self._several > 0

    def _show(self) -> None:
        if not self._several and self._shown != self.stage:
            self._shown = self.stage
            self.stage_changed.emit(self.stage)

    def _look(self, *_: object) -> None:
        self._looked = self._several > 0
        if not self._several:
            self.looked.emit()

    @property
    def looking(self) -> Looking:
        """All choices that pages depend on."""
        choices = MappingProxyType(dict(self._choices))
        of = self.showing, self.head, self.averaged, self.chosen_token
        return Looking(*of, choices, self._spot, self._covered)

    def speak_of(self, spot: Spot | None, covered: Covered | None = None) -> None:
        """Light the spot that a step of a lesson is about, and cover the cells that its question asks for."""
        covered = covered or Covered()
        if (spot, covered) != (self._spot, self._covered):
            self._spot, self._covered = spot, covered
            self._let_go_of_covered()
            self._look()

    def _let_go_of_covered(self) -> None:
        if any(cell is not None and self.looking.hides(cell) for cell in (self.cell, self.kept)):
            self.forget()

    def keep(self, key: str, value: Any) -> None:
        """Store a choice that was made on a page (see `Keep`)."""
        if self._choices.get(key) != value:
            if key == LAYER:
                self.redraws.emit()
            self._choices[key] = value
            if key.startswith(PLAYED) and self.cell is not None:  # only the explanation of the cell depends on it
                self._explain(self.cell)
                self.pointed.emit(self.cell)
            else:
                self._look()

    def let_go(self, beginning: str) -> None:
        """Delete the choices whose keys begin with `beginning`, so that their defaults hold again."""
        found = [key for key in self._choices if key.startswith(beginning)]
        for key in found:
            del self._choices[key]
        if found:
            self._look()

    @property
    def stops(self) -> tuple[Stage, ...]:
        """The stages one can go to: the graph's in reading order, then the pages about all of the model."""
        return stops(self._document.engine.graph)

    @property
    def places(self) -> tuple[Stage, ...]:
        """All stages that have a page: the stops, and the blocks between the whole model and its stages."""
        graph = self._document.engine.graph
        if graph is not self._places[0]:
            self._places = graph, places(graph)
        return self._places[1]

    def go_to(self, stage: str) -> None:
        """Show a stage."""
        self.stage = stage
        self._show()

    def set_head(self, head: int | None) -> None:
        """Show another head everywhere; with None the mean over the heads, where there is one."""
        if (None if self.averaged else self.head) != head:
            self.head, self.averaged = (self.head if head is None else head), head is None
            self.head_changed.emit(head)

    def show(self, what: str) -> None:
        """Show the values, or another kind that `showing_changed` lists, in all matrices."""
        if what != self.showing:
            self.showing = what
            self._let_go_of_covered()
            self.showing_changed.emit()
            self.refresh()

    def point(self, cell: Cell) -> None:
        """Point at a cell with the mouse."""
        if cell != self.cell and self._exists(cell) and not self.looking.hides(cell):
            self.cell = cell
            self._explain(cell)
            self.pointed.emit(cell)

    def choose(self, cell: Cell, by: Coming = "click") -> None:
        """Choose a cell: it is pointed at again when the mouse leaves another one."""
        self.kept = cell
        self.point(cell)
        self.chosen.emit(cell, by)

    def go_on(self, was: Place, now: Place) -> None:
        """Choose the same cell of another head, if the chosen one is in the head that a matrix showed before."""
        chosen = self.kept
        if chosen is None or chosen.node != was.node or chosen.index[:1] != was.index:
            return
        self.kept = Cell(now.node, (*now.index, *chosen.index[1:]))
        if self.cell == chosen:
            self.point(self.kept)
        self._let_go_of_covered()

    def leave(self) -> None:
        """The mouse has left: point at the chosen cell; without one the last cell stays, so that it can be read."""
        if self.kept is not None:
            self.point(self.kept)

    def forget(self) -> None:
        """Point at nothing, as at the start."""
        self.kept = self.cell = self.explained = None
        self.reads, self.fed, self.unfinished = {}, {}, False
        self.pointed.emit(None)

    def let_go_but(self, nodes: Callable[[], Collection[str]]) -> None:
        """Stop pointing at a cell whose node is not among `nodes()`, the visible ones.

        `nodes` is called only if a cell is pointed at: a page of a large model has a thousand parts.
        """
        spoken_of = {cell.node for cell in (self.cell, self.kept) if cell is not None}
        if spoken_of and not spoken_of.issubset(nodes()):
            self.forget()

    def choose_token(self, token: tuple[str, int] | None, by: Coming = "click") -> None:
        """Keep a token lit when the mouse leaves it, until another, or None, is chosen."""
        chosen, self.chosen_token = self.chosen_token, token
        if token is not None:
            self._choices[row_of(token[0])] = token[1]
        self.set_token(token)
        if token != chosen:
            self.token_chosen.emit(by)

    def set_token(self, token: tuple[str, int] | None) -> None:
        """Light up a token (its axis and its index there) everywhere; with None, the chosen one."""
        token = token or self.chosen_token
        if token != self.token:
            self.token = token
            self.token_changed.emit()

    def refresh(self) -> None:
        """Follow a change of the model: cells and tokens that no longer exist are dropped."""
        before = self.cell, self.reads, self.fed, self.unfinished
        self.kept, self.cell = (None if cell and not self._exists(cell) else cell for cell in (self.kept, self.cell))
        if not self._has_token(self.chosen_token):
            self.chosen_token = None
        self.set_token(self.token if self._has_token(self.token) else None)
        if self.cell is not None:
            self._explain(self.cell)
        same = before == (self.cell, self.reads, self.fed, self.unfinished)
        (self.derived if same else self.pointed).emit(self.cell)

    def _exists(self, cell: Cell) -> bool:
        value = self._document.engine.values.get(cell.node)
        if value is None or len(cell.index) != value.ndim:
            return False
        return all(map(lt, cell.index, value.shape))

    def _has_token(self, token: tuple[str, int] | None) -> bool:
        return token is not None and token[1] < len(self._document.engine.graph.axes.get(token[0], ()))

    def _explain(self, cell: Cell) -> None:
        engine = self._document.engine
        self.explained = derivation(engine, cell, self.showing)
        self.unfinished = False
        reads: dict[str, list[Index]] = {}
        for node, index in self._read(cell, self.explained) if self.explained else ():
            reads.setdefault(node, []).append(index)
        self.reads = reads
        self.fed = {child: [index] for child, index in engine.feeds(cell.node, cell.index).items()}

    def _read(self, cell: Cell, explained: Step) -> Sequence[tuple[str, Index]]:
        """The cells that a cell's derivation reads; while it is played, those that its present row reads."""
        if played_key(cell) in self._choices:
            row, self.unfinished = played(View.of(self._document, self.looking), cell, explained)
            if row is not None:
                return row.reads
        return [(operand.node, operand.index) for operand in operands(explained)]


class Light(QObject):
    """Decides what is lit: what a lesson's step is about; without a step the chosen cell, if the light is on."""

    changed = Signal()  # other parts are lit, or the light was switched on or off

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self._selection = selection
        self.step: LessonStep | None = None
        """The present step of a lesson, if there is one."""
        self._told = True
        self._on = {True: True, False: False}  # whether the light is on, with a step and without one
        selection.chosen.connect(self._follow_cell)
        selection.pointed.connect(self._follow_cell)
        self._cell = selection.kept

    @property
    def on(self) -> bool:
        """Whether the light is on now."""
        return self._on[self.step is not None]

    def switch(self, on: bool) -> None:
        """Switch the light on or off, with a step and without one separately."""
        if on != self.on:
            self._on[self.step is not None] = on
            self.changed.emit()

    def lead(self, step: LessonStep | None) -> None:
        """Follow another step, or none, and announce it."""
        if step is not self.step or not self._told:
            self.step, self._told = step, True
            self.changed.emit()

    def be_about_to_lead(self, step: LessonStep) -> None:
        """Follow another step without announcing it: its page is built in its light, and laid out only once."""
        if step is not self.step:
            self.step, self._told = step, False

    def _follow_cell(self, *_: object) -> None:
        if self._selection.kept != self._cell:
            self._cell = self._selection.kept
            if self.step is None and self.on:
                self.changed.emit()

    def of(self, page: Page, view: View) -> Lit:
        """The parts of a page that are lit."""
        if not self.on:
            return Lit()
        if self.step is not None:
            place = self.step.look.stage
            return lit_by_step(page, view, self.step) if page.stage == ELSEWHERE.get(place, place) else Lit()
        return Lit() if self._cell is None else lit_by_cell(page, view, self._cell)
