"""What stands in the light on a page, while the rest of it is faint."""

from PySide6.QtCore import QObject, Signal

from explorer.lessons.steps import Step
from explorer.pages.of_step import ELSEWHERE, Lit, lit_by_cell, lit_by_step
from explorer.pages.page import Page
from explorer.pages.view import View
from explorer.ui.selection import Selection


class Light(QObject):
    """The light of a step of a lesson; where nobody is led, that of the chosen cell, for who switches it on.

    `selection`: where the chosen cell is kept.
    """

    changed = Signal()  # something else stands in it, or it was switched

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self._selection = selection
        self.step: Step | None = None
        """The step that leads, if one does."""
        self._told = True
        self._on = {True: True, False: False}  # whether it is on, where a step leads and elsewhere
        selection.chosen.connect(self._follow_cell)
        selection.pointed.connect(self._follow_cell)
        self._cell = selection.kept

    @property
    def on(self) -> bool:
        """Whether it is switched on here."""
        return self._on[self.step is not None]

    def switch(self, on: bool) -> None:
        """Switch it on or off, where a step leads or elsewhere."""
        if on != self.on:
            self._on[self.step is not None] = on
            self.changed.emit()

    def lead(self, step: Step | None) -> None:
        """A step leads from now on, or none."""
        if step is not self.step or not self._told:
            self.step, self._told = step, True
            self.changed.emit()

    def be_about_to_lead(self, step: Step) -> None:
        """A step will lead: a page that is made anew for it is made in its light, and has its room shared only once."""
        if step is not self.step:
            self.step, self._told = step, False

    def _follow_cell(self, *_: object) -> None:
        if self._selection.kept != self._cell:
            self._cell = self._selection.kept
            if self.step is None and self.on:
                self.changed.emit()

    def of(self, page: Page, view: View) -> Lit:
        """What of a page stands in the light."""
        if not self.on:
            return Lit()
        if self.step is not None:
            place = self.step.look.stage
            return lit_by_step(page, view, self.step) if page.stage == ELSEWHERE.get(place, place) else Lit()
        return Lit() if self._cell is None else lit_by_cell(page, view, self._cell)
