"""How much there is to see of a node: its shape, how much of it moved, or how much the loss depends on it."""

import numpy as np

from explorer.core.errors import written_shape
from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.pages.view import View

RELATIVE = {"change": "Δ", "step": "Δ", "difference": "≠"}
LEAST_POWER, POWERS = -4.0, 5.0
"""A ten-thousandth has the palest colour, and ten the deepest."""
LARGE = 1e100
"""The square of a number beyond may be none that a computer can write."""


def amount(view: View, name: str) -> tuple[str, float | None]:
    """What is written at a node, and how deep its colour is: from 0 to 1, None where it has none.

    Values have their shape. Changes and differences are told as parts of what stood there before, gradients as they
    are; both are coloured by their power of ten.
    """
    showing = view.looking.showing
    if view.values[name].dtype.kind != "f" and showing != "values":
        same = not view.changed(name)[0] and not view.is_new(name)
        return ("", 0.0) if same or showing != "change" else ("changed", 1.0)
    if showing in RELATIVE:
        if showing == "change" and view.is_new(name):
            return "new", 1.0
        part = relative(view, name)
        if not part:
            return "same", 0.0
        return f"{RELATIVE[showing]} {_short(100 * part)} %", depth(part)
    if showing == "gradient" and LOSS.node in view.nodes:
        size = length(view.shown(Place(name)))
        return f"∂L {_short(size)}", depth(size)
    return written_shape(view.values[name].shape), None


def relative(view: View, name: str) -> float:
    """How long what is shown of a node is, relative to what it changed from."""
    place = Place(name)
    shown, now = view.shown(place), view.engine.value(place)
    with np.errstate(all="ignore"):
        before = length(now - shown)
    size = length(shown)
    return size / before if before else float(size > 0)


def length(array: Array) -> float:
    """The root of the sum of the squares of the finite numbers; of very large ones the squares are not."""
    finite = array[np.isfinite(array)].astype(float)
    most = float(np.abs(finite).max(initial=0.0))
    unit = most if most > LARGE else 1.0
    return unit * float(np.sqrt(((finite / unit) ** 2).sum()))


def depth(number: float) -> float:
    """The place of a size on the map of shares."""
    return float(np.clip((np.log10(number) - LEAST_POWER) / POWERS, 0.0, 1.0)) if number > 0 else 0.0


def _short(number: float) -> str:
    """Two or three digits."""
    return written(number, 0 if number >= 10 else 1 if number >= 1 else 2)
