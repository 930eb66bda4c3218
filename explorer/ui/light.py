"""The light on a page: which parts are lit while the rest is faint."""

from PySide6.QtCore import QObject, Signal

from explorer.lessons.steps import Step
from explorer.pages.page import Page
from explorer.pages.steps.of_step import ELSEWHERE, Lit, lit_by_cell, lit_by_step
from explorer.pages.view import View
from explorer.ui.selection import Selection


class Light(QObject):
    """Decides what is lit: what a lesson's step is about; without a step the chosen cell, if the light is switched on.

    `selection`: it stores the chosen cell.
    """

    changed = Signal()  # other parts are lit, or the light was switched on or off

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self._selection = selection
        self.step: Step | None = None
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

    def lead(self, step: Step | None) -> None:
        """Follow another step, or none, and announce it."""
        if step is not self.step or not self._told:
            self.step, self._told = step, True
            self.changed.emit()

    def be_about_to_lead(self, step: Step) -> None:
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
