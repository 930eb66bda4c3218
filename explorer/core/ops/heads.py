"""All heads of an attention at one look."""

from dataclasses import dataclass

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Argument, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class HeadMean(Op):
    """The mean over the heads: (…, n_heads, n, m) becomes (…, n, m).

    A usual summary of what the heads of a layer look at together. The model does not read it: each head's weights meet
    that head's own values.
    """

    subscripts = "hij->ij"
    latex = r"\frac{1}{h} \sum_{k=1}^{h} {%s}_k"
    expression = "{0}.mean(-3)"
    shares = True

    def forward(self, *parents: Array) -> Array:
        (heads,) = parents
        average: Array = np.add.reduce(heads, -3) / heads.shape[-3]
        return average

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        (heads,) = parents
        return (np.repeat(gradient[..., None, :, :] / heads.shape[-3], heads.shape[-3], axis=-3),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        n = parents[0].value.shape[-3]
        return step("divide", Constant(1.0, "1"), Constant(float(n), f"{n} heads"))

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (heads,) = parents
        return f"AVERAGE({heads[(*cell[:-2], slice(None), *cell[-2:])]})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (heads,) = parents
        return step("mean", heads[(*cell[:-2], slice(None), *cell[-2:])], label="mean over the heads")
