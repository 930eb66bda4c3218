"""One step of gradient descent on a document: an edit of its weights, and what the optimiser remembers of it."""

import sys
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.training.optimisers import Optimiser
from explorer.document.commands import SetInputs
from explorer.document.document import Document
from explorer.document.state import State, frozen


@dataclass(frozen=True, eq=False)
class Moment:
    """Where a run has been.

    Parameters
    ----------
    state : State
    optimiser : Optimiser
        With what it remembers there.
    """

    state: State
    optimiser: Optimiser

    def bytes(self, weights: Collection[str]) -> int:
        """What it takes that the moment before, from which those weights have moved, does not share."""
        inputs = self.state.inputs
        arrays = [inputs[name] for name in weights]
        for table in self.optimiser.memory.values():
            for entry in table.values():
                arrays += [
                    part for part in (entry if isinstance(entry, tuple) else (entry,)) if hasattr(part, "nbytes")
                ]
        each = sys.getsizeof(np.zeros(0))
        return sum(array.nbytes + each for array in arrays) + sys.getsizeof(inputs)


@dataclass(frozen=True)
class Way:
    """How steps are taken.

    Parameters
    ----------
    rate : float
        The learning rate.
    weights : tuple of str
        The inputs that move.
    """

    rate: float
    weights: tuple[str, ...]


def step_from(document: Document, before: Optimiser, way: Way, at: int, stroke: object) -> tuple[SetInputs, Optimiser]:
    """The edit that is a document's next step, which is not taken, and what the optimiser remembers behind it.

    Parameters
    ----------
    document : Document
    before : Optimiser
        With what it remembers here; it is not changed.
    way : Way
    at : int
        How many steps have been taken.
    stroke : object
        What the steps of a run have in common (see `UndoHistory.record`).

    Raises
    ------
    ExplorerError
        "diverged" where a gradient is no finite number.
    """
    inputs = document.state.inputs
    gradients = document.engine.gradients().several(way.weights)
    if not all(np.isfinite(gradient).all() for gradient in gradients.values()):
        raise ExplorerError("diverged", step=at)
    optimiser = before.copy()
    optimiser.rate = way.rate
    moved = optimiser.step({name: inputs[name] for name in gradients}, gradients)
    arrays: dict[str, Array] = {n: frozen(array.astype(inputs[n].dtype, copy=False)) for n, array in moved.items()}
    return SetInputs(arrays, label(at + 1), stroke), optimiser


def label(steps: int) -> str:
    """As undo names so many steps."""
    return f"Gradient descent, {steps} step{'s' * (steps != 1)}"
