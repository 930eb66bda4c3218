"""What a click, a drag or a typed number on a page asks for, as data: a view never acts by itself.

Turning a part of a model off, by holding what it puts out at 0 or at its mean, and on again.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.core.ops import Array
from explorer.core.switches import SwitchValue
from explorer.document.commands import Command, PinCells, Release, SetCells, SetSwitch
from explorer.pages.view import View


@dataclass(frozen=True)
class Gesture:
    """Something to be asked of the document, or of what is looked at.

    A control knows its gesture but for the value that a person sets: `at` gives the gesture with it.
    """

    def at(self, value: Any) -> "Gesture":
        """The gesture with the value that was set."""
        return replace(self, value=value)  # type: ignore[call-arg]


@dataclass(frozen=True)
class Edit(Gesture):
    """An edit of the document.

    A drag makes many edits that are one step to undo; `command` is given what they have in common.
    """

    def command(self, stroke: object = None) -> Command:
        """What the document is asked to do."""
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True)
class Do(Edit):
    """A command that is known as it stands: "Switch the head off"."""

    act: Command

    def command(self, stroke: object = None) -> Command:
        return self.act


@dataclass(frozen=True)
class SetNumber(Edit):
    """One cell of an input gets a number; with `pinned`, one of a computed node is held at it."""

    node: str
    cell: tuple[int, ...]
    value: float = 0.0
    pinned: bool = False

    def command(self, stroke: object = None) -> Command:
        return (PinCells if self.pinned else SetCells)(self.node, {self.cell: self.value}, stroke)


@dataclass(frozen=True)
class Hold(Edit):
    """All cells of a computed node, or of a head's slice of it, are held at one number, or at one for each column."""

    node: str
    shape: tuple[int, ...]  # of the node or slice
    value: float | tuple[float, ...] = 0.0

    def command(self, stroke: object = None) -> Command:
        held = np.broadcast_to(self.value, self.shape)
        return PinCells(self.node, {cell: float(number) for cell, number in np.ndenumerate(held)}, stroke)


@dataclass(frozen=True)
class MoveTo(Edit):
    """A point that is dragged sets the cells that are its coordinates; a coordinate without a cell stays."""

    # `x`, `y`: (name of an input, cell).
    x: tuple[str, tuple[int, ...]] | None
    y: tuple[str, tuple[int, ...]] | None
    value: tuple[float, float] = (0.0, 0.0)  # where it was dragged to

    def command(self, stroke: object = None) -> Command:
        cells = [(*where, number) for where, number in zip((self.x, self.y), self.value, strict=True) if where]
        (node,) = {node for node, _, _ in cells}
        # Hundredths: finer than a pixel, and numbers that can be read.
        return SetCells(node, {cell: round(number, 2) for _, cell, number in cells}, stroke)


@dataclass(frozen=True)
class Switch(Edit):
    """A switch of a block is set, or that of all blocks of its kind."""

    block: str
    name: str
    value: SwitchValue = ""
    everywhere: bool = False

    def command(self, stroke: object = None) -> Command:
        return SetSwitch(self.block, self.name, self.value, self.everywhere)


@dataclass(frozen=True)
class Keep(Gesture):
    """A choice that belongs to the page, not to the model: which dimensions are drawn, whether a list is sorted."""

    key: str
    value: Any = None


@dataclass(frozen=True)
class ChooseToken(Gesture):
    """A place of a sequence is looked at, everywhere; `value` is the place."""

    axis: str
    value: int = 0


@dataclass(frozen=True)
class ChooseHead(Gesture):
    """Another head is looked at, everywhere; None is the mean over the heads."""

    value: int | None = 0


@dataclass(frozen=True)
class ShowPrinted(Gesture):
    """What computes a number that a reference prints is shown; `value` is its place in `printed_numbers`."""

    value: int = 0


@dataclass(frozen=True)
class OpenLesson(Gesture):
    """A lesson that comes with the program is opened; `value` is its id."""

    value: str = ""


@dataclass(frozen=True)
class Ask(Gesture):
    """Something is asked of a part of the window that is no stage; `act` names it."""

    act: str
    value: Any = None


@dataclass(frozen=True)
class ForClass(Ask):
    """Of the exercise sheet, or the class, that is open."""


@dataclass(frozen=True)
class ForPoll(Ask):
    """Of the poll that a class takes part in."""


@dataclass(frozen=True)
class ForSeek(Ask):
    """Of the search for inputs that give a cell a value."""


@dataclass(frozen=True)
class GoTo(Gesture):
    """Another stage is shown; what is to be kept for its page is kept first."""

    value: str = ""
    keep: Keep | None = None


def is_off(view: View, name: str) -> bool:
    """Whether all numbers of a node, or of a head's slice of one, are held at 0."""
    return _held(view, name, np.zeros(()))


def is_averaged(view: View, name: str, mean: Array) -> bool:
    """Whether every row of a node, or of a head's slice of one, is held at the mean."""
    return _held(view, name, mean)


def _held(view: View, name: str, at: Array) -> bool:
    place = view.graph.place(name)
    pin = view.engine.pins.get(place.node)
    if pin is None or pin.cells.shape != view.values[place.node].shape:
        return False
    values = pin.values[place.index]
    return bool(pin.cells[place.index].all() and (values == at.astype(values.dtype)).all())


def turn(view: View, name: str) -> Edit:
    """What turns a part off, or on again."""
    return Do(Release(name)) if is_off(view, name) else Hold(name, view.engine.value(view.graph.place(name)).shape)


def average(view: View, name: str, mean: Array) -> Edit:
    """What holds every row of a part at the mean, or lets it be computed again."""
    if is_averaged(view, name, mean):
        return Do(Release(name))
    return Hold(name, view.engine.value(view.graph.place(name)).shape, tuple(mean.tolist()))
