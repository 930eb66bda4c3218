"""Ops with a mistake in them: what a student computes who leaves something out, or confuses rows and columns.

Each op names its own slips in `Op.slips`. They are computed like any op, so wrong numbers need not be listed.
"""

from dataclasses import replace

import numpy as np

from explorer.core.cell import FUNCTIONS, Argument, Constant, Operand, Source, Step, step
from explorer.core.frozen import Frozen
from explorer.core.ops.base import Array, Op


class Surroundings(Frozen):
    """The surroundings of an op, on which possible mistakes depend."""

    name: str  # the last part of the node's name
    axes: tuple[str, ...]  # of the node
    shapes: tuple[tuple[int, ...], ...]  # of the parents
    scaled: bool = False  # whether the scores of its block are scaled
    masked: bool = False  # whether the scores of its block are masked

    def square(self, parent: int) -> bool:
        """Whether a parent is square, so that rows and columns can be confused."""
        shape = self.shapes[parent]
        return len(shape) > 1 and shape[-1] == shape[-2]


class Slip(Frozen):
    """A mistake in one op: a short name, a sentence that follows "That is what comes out", and the op that makes it."""

    name: str
    sentence: str
    op: Op


class Kept(Op):
    """One parent unchanged: the step was left out."""

    parent: int = 0
    alters = True

    def forward(self, *parents: Array) -> Array:
        return parents[self.parent].copy()

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("value", parents[self.parent][cell])


class Fewer(Op):
    """An op applied without its last parent, such as the bias."""

    op: Op

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(*parents[:-1])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, *parents[:-1])


class Then(Op):
    """An op followed by one more function of its result."""

    op: Op
    function: str  # a key of `FUNCTIONS`
    number: float | None = None  # its second argument, if it takes one; `text` is its written form
    text: str = ""

    def forward(self, *parents: Array) -> Array:
        more = () if self.number is None else (self.number,)
        return np.asarray(FUNCTIONS[self.function](self.op.forward(*parents), *more))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        more = () if self.number is None else (Constant(self.number, self.text),)
        return step(self.function, self.op.explain(cell, *parents), *more)


class Turned(Op):
    """An op that reads some of its parents transposed, and may transpose its result, too."""

    op: Op
    which: tuple[int, ...]  # the parents that are transposed
    result: bool = False  # whether the result is transposed back

    def forward(self, *parents: Array) -> Array:
        value = self.op.forward(*(p.mT if i in self.which else p for i, p in enumerate(parents)))
        return np.ascontiguousarray(value.mT) if self.result else value

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        turned = [Source(p.name, p.value.mT) if i in self.which else p for i, p in enumerate(parents)]
        names = {parents[i].name for i in self.which}
        last = self.op.explain((*cell[:-2], *cell[:-3:-1]) if self.result else cell, *turned)
        return _back(last, names, ("row", "column") if self.result else ("", ""))


def _back(last: Step, names: set[str], renamed: tuple[str, str]) -> Step:
    """A derivation in which cells of some nodes, read transposed, get their true indices and labels again."""
    seen: dict[int, Step] = {}  # by identity: a step that is used twice stays one, and is shown once

    def step_of(step: Step) -> Step:
        if id(step) not in seen:
            arguments = tuple(map(one, step.arguments))
            seen[id(step)] = replace(step, arguments=arguments, label=step.label.replace(*renamed))
        return seen[id(step)]

    def one(argument: Argument) -> Argument:
        if isinstance(argument, Step):
            return step_of(argument)
        if isinstance(argument, Operand) and argument.node in names:
            *lead, i, j = argument.index
            return replace(argument, index=(*lead, j, i))
        return argument

    return step_of(last)


class Hidden(Op):
    """An op with a causal mask that does not belong there."""

    op: Op

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(self._hidden(parents[0]))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, Source(parents[0].name, self._hidden(parents[0].value)))

    def _hidden(self, scores: Array) -> Array:
        return np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
