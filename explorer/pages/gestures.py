"""Gestures: what a click, a drag or a typed number on a page asks for, as data. A page itself never acts.

Also gestures that switch a part of a model off, by pinning its output to 0 or to its mean, and on again.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.graph import Cell, Stage, name_of_head
from explorer.core.model import SwitchValue
from explorer.core.numbers import quantity, significant
from explorer.core.ops import Array
from explorer.document.commands import Command, PinCells, Release, SetCells, SetSwitch
from explorer.pages.view import View


class Gesture(Frozen):
    """A request to the document, or to the view of it.

    A control holds a gesture without the value that the person sets; `at` returns the gesture with that value.
    """

    def at(self, value: Any) -> "Gesture":
        """The gesture with the value that was set."""
        return replace(self, value=value)  # type: ignore[call-arg]


class Edit(Gesture):
    """An edit of the document.

    A drag makes many edits that undo takes back as one; `stroke` is the same object for all of them.
    """

    def command(self, stroke: object = None) -> Command:
        """The command for the document."""
        raise NotImplementedError(type(self).__name__)


class Do(Edit):
    """A gesture that is one fixed command, such as "Switch the head off"."""

    act: Command

    def command(self, stroke: object = None) -> Command:
        return self.act


class SetNumber(Edit):
    """Sets one cell of an input to a number; with `pinned`, pins a cell of a computed node to it."""

    node: str
    cell: tuple[int, ...]
    value: float = 0.0
    pinned: bool = False

    def command(self, stroke: object = None) -> Command:
        return (PinCells if self.pinned else SetCells)(self.node, {self.cell: self.value}, stroke)


class Hold(Edit):
    """Pins all cells of a computed node, or of a head's slice of it, to one number, or to one for each column."""

    node: str
    shape: tuple[int, ...]  # of the node or slice
    value: float | tuple[float, ...] = 0.0

    def command(self, stroke: object = None) -> Command:
        held = np.broadcast_to(self.value, self.shape)
        return PinCells(self.node, {cell: float(number) for cell, number in np.ndenumerate(held)}, stroke)


class MoveTo(Edit):
    """Moves a dragged point: sets the cells of its coordinates; a coordinate without a cell stays."""

    # `x`, `y`: (name of an input, cell).
    x: tuple[str, tuple[int, ...]] | None
    y: tuple[str, tuple[int, ...]] | None
    decimals: tuple[int, int] = (2, 2)  # of each coordinate: see `decimals_in`
    value: tuple[float, float] = (0.0, 0.0)  # where it was dragged to

    def command(self, stroke: object = None) -> Command:
        places = zip((self.x, self.y), self.value, self.decimals, strict=True)
        cells = [(*where, round(number, decimals)) for where, number, decimals in places if where]
        (node,) = {node for node, _, _ in cells}
        return SetCells(node, {cell: number for _, cell, number in cells}, stroke)


def decimals_in(window: tuple[float, float, float, float]) -> tuple[int, int]:
    """The decimals of a point that is dragged in a window of a drawing: easy to read, and about as fine as a pixel."""
    left, right, bottom, top = window
    across, up = (max(significant(size / 2, 2), 2) for size in (right - left, top - bottom))
    return across, up


class Switch(Edit):
    """Sets a switch of a block, or with `everywhere` of all blocks of its kind."""

    block: str
    name: str
    value: SwitchValue = ""
    everywhere: bool = False

    def command(self, stroke: object = None) -> Command:
        return SetSwitch(self.block, self.name, self.value, self.everywhere)


class Keep(Gesture):
    """A choice that belongs to the page, not to the model: which dimensions are drawn, whether a list is sorted."""

    key: str
    value: Any = None


class ChooseToken(Gesture):
    """Chooses the word of a sequence that all pages look at; `value` is its index."""

    axis: str
    value: int = 0


class ChooseHead(Gesture):
    """Chooses the head that all pages look at; None is the mean over the heads."""

    value: int | None = 0


class ShowPrinted(Gesture):
    """Shows the cell that computes a number printed in a reference; `value` is its index in `printed_numbers`."""

    value: int = 0


class OpenLesson(Gesture):
    """Opens a lesson that comes with the program; `value` is its id."""

    value: str = ""


class Ask(Gesture):
    """A request to a part of the window that is no stage; `act` names what it shall do."""

    act: str
    value: Any = None


class ForClass(Ask):
    """A request to the open exercise sheet or class."""


class ForPoll(Ask):
    """A request to the poll that a class takes part in."""


class Move(Gesture):
    """Lets gradient descent move some inputs, or freezes them."""

    names: tuple[str, ...]
    value: bool = True


class Descend(Gesture):
    """Takes steps of gradient descent by hand, travels on their way, or sets how they are taken."""

    act: str  # the name of a method of the window's `Descent`; `value` is what it takes, or None
    value: Any = None


class ForTraining(Ask):
    """A request to the page "Train"."""


class ForLessons(Ask):
    """Of the list of lessons."""


class ForSteps(Ask):
    """To go to another step of a lesson, or to begin one again."""


class ForQuestion(Ask):
    """To the question of a step; `place` says of what is typed in which of its fields."""

    place: int = 0


class ForGlossary(Ask):
    """Of the glossary in the right column."""


class ForInspector(Ask):
    """Of the inspector."""


class ForSeek(Ask):
    """A request to the search for inputs that give a cell a wanted value."""


class ForNewModel(Ask):
    """To set a field of the form for a new model; or the key Enter in one, "make"."""


class GoTo(Gesture):
    """Goes to another stage; `keep` is applied first, for the page of that stage, and `cell` is chosen there."""

    value: str = ""
    keep: Keep | None = None
    cell: Cell | None = None


OFF = np.zeros(())
"""What a part is held at that is switched off; else it may be held at its mean, a number for each column."""


def is_held(view: View, name: str, at: Array = OFF) -> bool:
    """Whether every row of a node, or of a head's slice of one, is pinned to these numbers: to 0 if it is off."""
    place = view.graph.place(name)
    pin = view.engine.pins.get(place.node)
    if pin is None or pin.cells.shape != view.values[place.node].shape:
        return False
    values = pin.values[place.index]
    return bool(pin.cells[place.index].all() and (values == at.astype(values.dtype)).all())


def what_is_off(view: View, stage: Stage) -> str:
    """What of a stage is switched off, for the list of stages: "off", "2 heads off", or "" for nothing."""
    heads: set[int] = set()
    for name in view.engine.pins.keys() & view.graph.nodes.keys():
        if view.graph.nodes[name].stage == stage.name:
            if is_held(view, name):
                return "off"
            count = range(view.graph.n_heads.get(name, 0))
            heads.update(head for head in count if is_held(view, name_of_head(name, head)))
    return f"{quantity(len(heads), 'head')} off" if heads else ""


def hold(view: View, name: str, at: Array = OFF) -> Edit:
    """The gesture that pins every row of a part to these numbers, or releases it if it is pinned so."""
    if is_held(view, name, at):
        return Do(Release(name))
    return Hold(name, view.value(name).shape, tuple(at.tolist()) if at.ndim else 0.0)
