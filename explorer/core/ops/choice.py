"""From numbers to a decision."""

from dataclasses import dataclass

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Constant, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class Argmax(Op):
    """The column of the largest number in each row; the first, where several are equally large: greedy decoding."""

    subscripts = "ik->i"
    whole = True
    latex = r"\mathrm{argmax}_j \; {%s}_{ij}"
    expression = "np.argmax({0}, axis=-1)"
    picks = True

    def forward(self, *parents: Array) -> Array:
        columns: Array = np.argmax(parents[0], axis=-1)
        return columns

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        row = parents[0][(*cell, slice(None))]
        return f"MATCH(MAX({row}),{row},0)-1"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("argmax", parents[0][(*cell, slice(None))], label="column of the largest")


@dataclass(frozen=True)
class Threshold(Op):
    """1 where a number is at least the threshold, 0 where it is less: the step of the perceptron (Rosenblatt 1958)."""

    threshold: float = 0.5
    subscripts = "ij->ij"
    alters = True

    def forward(self, *parents: Array) -> Array:
        return (parents[0] >= self.threshold).astype(parents[0].dtype)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def formula(self, *symbols: str) -> str:
        return rf"[\, {symbols[0]} \geq {self.threshold:g} \,]"

    def code(self, *names: str) -> str:
        return f"({names[0]} >= {self.threshold}).astype({names[0]}.dtype)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"IF({parents[0][cell]}>={self.threshold},1,0)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("at_least", parents[0][cell], Constant(self.threshold, f"{self.threshold:g}"))
