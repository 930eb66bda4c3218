"""The parts of a training run: settings, steps that share their settings, and points that the run has reached."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer
from explorer.document.deferred import unread
from explorer.document.state import State
from explorer.training.preparation import Prepared
from explorer.training.recipes import Material


class Settings(Frozen, eq=False):
    """The settings of training steps."""

    material: Material  # what the model learns from
    recipe: Recipe  # `recipe.steps` is counted from the beginning of the run


class Stretch(Frozen, eq=False):
    """Steps that share settings and examples."""

    settings: Settings
    prepared: Prepared

    @property
    def from_document(self) -> bool:
        """Whether the examples are those of the document itself."""
        return self.settings.material.kind not in ("text", "pairs")

    @property
    def as_shown(self) -> bool:
        """Whether the loss of a step is the loss that the document shows."""
        examples, batch = self.prepared.examples, self.settings.recipe.batch
        whole = not 0 < batch < len(examples.training) and not len(examples.validation)
        return self.from_document and whole and not self.settings.recipe.dropout

    def fits(self, state: State, weights: Mapping[str, Array]) -> bool:
        """Whether a document still has the model and the example of these steps; weights may differ."""
        begun, apart = self.prepared.document, () if self.from_document else self.prepared.examples.arrays
        lengths = self.prepared.examples.lengths
        now, then = (replace(m, lengths={**m.lengths, **lengths}) for m in (state.model, begun.model))
        given, inputs = unread(begun.inputs), unread(state.inputs)
        return (
            now == then
            and state.pins.keys() == begun.pins.keys()
            and all(state.pins[name] is pin for name, pin in begun.pins.items())
            and all(inputs.get(n) is a for n, a in given.items() if n not in weights and n not in apart)
        )


class Point(Frozen, eq=False):
    """A point that a run has reached."""

    trainer: Trainer
    stretch: Stretch  # that of the next step
    # The document at this point, if the trainer did not make it: at the beginning, and after an edit.
    state: State | None = None

    @cached_property
    def bytes(self) -> int:
        """The memory that it does not share with the point before."""
        arrays = [*(self.trainer.weights[name] for name in self.trainer.moving)]
        arrays += self.trainer.optimiser.remembered()
        each, tables = sys.getsizeof(np.zeros(0)), (self.trainer.weights, vars(self.trainer))
        return sum(a.nbytes + each for a in arrays) + sum(map(sys.getsizeof, tables))


def same_material(one: Material, other: Material) -> bool:
    """Whether both are the same material; tables are compared by identity, not by numbers."""
    if one.X is not other.X or one.target is not other.target:
        return False
    return replace(one, X=None, target=None).__dict__ == replace(other, X=None, target=None).__dict__
