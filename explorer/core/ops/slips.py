"""Ops with a mistake in them: what a student computes who leaves something out, or takes rows for columns.

Each op names its own in `Op.slips`, and they are computed like any other op: nobody lists wrong numbers.
"""

from dataclasses import dataclass, replace

import numpy as np

from explorer.core.cell import FUNCTIONS, Argument, Constant, Operand, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class Surroundings:
    """What stands around an op where somebody may slip."""

    name: str  # the last part of the node's name
    axes: tuple[str, ...]  # the node's
    shapes: tuple[tuple[int, ...], ...]  # the parents'
    scaled: bool = False  # whether the scores of its block are
    masked: bool = False  # the same

    def square(self, parent: int) -> bool:
        """Whether the rows of a parent could be taken for its columns."""
        shape = self.shapes[parent]
        return len(shape) > 1 and shape[-1] == shape[-2]


@dataclass(frozen=True)
class Slip:
    """A mistake in one op: a short name, a sentence behind "That is what comes out", and the op that makes it."""

    name: str
    sentence: str
    op: Op


@dataclass(frozen=True)
class Kept(Op):
    """One parent as it is: the step was left out."""

    parent: int = 0
    alters = True

    def forward(self, *parents: Array) -> Array:
        return parents[self.parent].copy()

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("value", parents[self.parent][cell])


@dataclass(frozen=True)
class Fewer(Op):
    """An op without its last parent, such as the bias."""

    op: Op

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(*parents[:-1])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, *parents[:-1])


@dataclass(frozen=True)
class Then(Op):
    """An op, and something more done to what comes out."""

    op: Op
    function: str  # a key of `FUNCTIONS`
    number: float | None = None  # its second argument, if it takes one; `text` is how that is written
    text: str = ""

    def forward(self, *parents: Array) -> Array:
        more = () if self.number is None else (self.number,)
        return np.asarray(FUNCTIONS[self.function](self.op.forward(*parents), *more))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        more = () if self.number is None else (Constant(self.number, self.text),)
        return step(self.function, self.op.explain(cell, *parents), *more)


@dataclass(frozen=True)
class Turned(Op):
    """An op that reads some of its parents with rows for columns, and perhaps gives its result so."""

    op: Op
    which: tuple[int, ...]  # the parents that are transposed
    result: bool = False  # whether the result is transposed back

    def forward(self, *parents: Array) -> Array:
        value = self.op.forward(*(p.mT if i in self.which else p for i, p in enumerate(parents)))
        return np.ascontiguousarray(value.mT) if self.result else value

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        turned = [Source(p.name, p.value.mT) if i in self.which else p for i, p in enumerate(parents)]
        names = {parents[i].name for i in self.which}
        return _back(self.op.explain((*cell[:-2], *cell[:-3:-1]) if self.result else cell, *turned), names)


def _back(last: Step, names: set[str]) -> Step:
    """A derivation whose cells of some nodes are named where they stand in truth, not transposed."""

    def one(argument: Argument) -> Argument:
        if isinstance(argument, Step):
            return replace(argument, arguments=tuple(map(one, argument.arguments)))
        if isinstance(argument, Operand) and argument.node in names:
            *lead, i, j = argument.index
            return replace(argument, index=(*lead, j, i))
        return argument

    return replace(last, arguments=tuple(map(one, last.arguments)))


@dataclass(frozen=True)
class Hidden(Op):
    """An op that hides what comes later, as a causal mask does, where nothing is masked."""

    op: Op

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(self._hidden(parents[0]))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, Source(parents[0].name, self._hidden(parents[0].value)))

    def _hidden(self, scores: Array) -> Array:
        return np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
