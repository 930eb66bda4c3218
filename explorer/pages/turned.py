"""Turning a part of a model off, by holding what it puts out at 0 or at its mean, and on again."""

import numpy as np

from explorer.core.ops import Array
from explorer.document.commands import PinCells, Release
from explorer.pages.gestures import Do, Edit, Hold
from explorer.pages.view import View


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
    held = np.broadcast_to(mean, view.engine.value(view.graph.place(name)).shape)
    return Do(PinCells(name, {cell: float(number) for cell, number in np.ndenumerate(held)}))
