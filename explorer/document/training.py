"""Gradient descent on a document: every step is an edit of its weights, and a run is one step to undo."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.parameters import parameters
from explorer.core.training.optimisers import Optimiser
from explorer.document.commands import Replace, SetInputs
from explorer.document.document import Document
from explorer.document.state import State, frozen

MOST_STEPS = 20_000


@dataclass(frozen=True, eq=False)
class Moment:
    """Where a run has been: a state, its loss, and what the optimiser remembers there."""

    state: State
    loss: float
    optimiser: Optimiser


class Run:
    """Steps of one optimiser, with all states on the way, so that one can travel back.

    Parameters
    ----------
    document : Document
    optimiser : Optimiser
    weights : collection of str
        The inputs that move; the others are frozen.

    Attributes
    ----------
    moments : list of Moment
        The beginning, and what came of each step.
    at : int
        After how many steps the document is.

    Raises
    ------
    ExplorerError
        "no-loss" where there is nothing to go down.
    """

    def __init__(self, document: Document, optimiser: Optimiser, weights: Collection[str]) -> None:
        self._document = document
        self._stroke = object()
        self.weights = tuple(weights)
        self.moments = [Moment(document.state, loss_of(document), optimiser)]
        self.at = 0

    def step(self) -> None:
        """One step from where the document is now; a weight that was edited meanwhile is gone on from.

        Raises
        ------
        ExplorerError
            "diverged" where a gradient is no finite number, "run-too-long": nothing has happened then.
        """
        document = self._document
        if self.at >= MOST_STEPS:
            raise ExplorerError("run-too-long", limit=MOST_STEPS)
        inputs = document.state.inputs
        gradients = document.engine.gradients().several(self.weights)
        if not all(np.isfinite(gradient).all() for gradient in gradients.values()):
            raise ExplorerError("diverged", step=self.at)
        optimiser = self.moments[self.at].optimiser.copy()
        moved = optimiser.step({name: inputs[name] for name in gradients}, gradients)
        arrays = {name: frozen(array.astype(inputs[name].dtype)) for name, array in moved.items()}
        document.do(SetInputs(arrays, f"Gradient descent, {self.at + 1} steps", self._stroke))
        # Who has travelled back and goes on from there takes another way than before.
        del self.moments[self.at + 1 :]
        self.moments.append(Moment(document.state, loss_of(document), optimiser))
        self.at += 1

    def travel(self, step: int) -> None:
        """Go to where the run was after so many steps."""
        if step != self.at:
            self.at = step
            self._document.do(Replace(self.moments[step].state, f"Gradient descent, {step} steps", self._stroke))


def loss_of(document: Document) -> float:
    """The loss of a document.

    Raises
    ------
    ExplorerError
        "no-loss"
    """
    value = document.engine.values.get(LOSS.node)
    if value is None:
        raise ExplorerError("no-loss")
    return float(value)


def trainable(document: Document) -> dict[str, bool]:
    """The inputs that a gradient can move, in reading order, and whether training moves them if nobody says otherwise.

    That is the model's weights; where a lesson has none, such as the logits of one word, all of them.
    """
    graph = document.engine.graph
    above = set(graph.inputs_of(LOSS.node)) if LOSS.node in graph.nodes else set()
    names = [
        n for n in graph.nodes if n in above and document.engine.values[n].dtype.kind == "f" and n != "loss.target"
    ]
    weights = {one.name for block in parameters(graph, document.state.model) for one in block.weights}
    # A lesson without weights, such as the logits of one word, moves what it has; a temperature or a scale is a choice.
    none = weights.isdisjoint(names)
    return {name: name in weights or (none and bool(graph.shape(name))) for name in names}
