"""What stands in the light on a page, while the rest of it is faint."""

from PySide6.QtCore import QObject, Signal

from explorer.lessons.steps import Step
from explorer.pages.of_step import ELSEWHERE, lit_by_cell, lit_by_step
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
        self._step: Step | None = None
        self._on = {True: True, False: False}  # whether it is on, where a step leads and elsewhere
        selection.chosen.connect(self._follow_cell)
        selection.pointed.connect(self._follow_cell)
        self._cell = selection.kept

    @property
    def on(self) -> bool:
        """Whether it is switched on here."""
        return self._on[self._step is not None]

    def switch(self, on: bool) -> None:
        """Switch it on or off, where a step leads or elsewhere."""
        if on != self.on:
            self._on[self._step is not None] = on
            self.changed.emit()

    def lead(self, step: Step | None) -> None:
        """A step leads from now on, or none."""
        if step is not self._step:
            self._step = step
            self.changed.emit()

    def _follow_cell(self, *_: object) -> None:
        if self._selection.kept != self._cell:
            self._cell = self._selection.kept
            if self._step is None and self.on:
                self.changed.emit()

    def of(self, page: Page, view: View) -> frozenset[str]:
        """The ids of the elements of a page that stand in the light; empty where all of it does."""
        if not self.on:
            return frozenset()
        if self._step is not None:
            place = self._step.look.stage
            return lit_by_step(page, view, self._step) if page.stage == ELSEWHERE.get(place, place) else frozenset()
        return frozenset() if self._cell is None else lit_by_cell(page, view, self._cell)
