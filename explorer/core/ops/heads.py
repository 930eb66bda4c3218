"""All heads of an attention at one look."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Argument, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op
from explorer.core.ops.linear import beside, stacked
from explorer.core.ops.normalise import RMSNorm, own_place
from explorer.core.ops.slips import Kept, Slip, Surroundings


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


@dataclass(frozen=True)
class HeadsNorm(Op):
    """Queries or keys measured in all heads together: RMS norm of each word's numbers in all of them (OLMo 2, 2025).

    Parents are (…, n_heads, n, d) and γ, (n_heads, d).
    """

    epsilon: float = 1e-6
    subscripts = "gkj,hc->hij"

    @property
    def _norm(self) -> RMSNorm:
        return RMSNorm(self.epsilon)

    def forward(self, *parents: Array) -> Array:
        x, gamma = parents
        return stacked(self._norm.forward(beside(x), gamma.ravel()), x.shape[-3]).copy()

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, gamma = parents
        of_x, of_gamma = self._norm.backward(beside(gradient), beside(value), beside(x), gamma.ravel())
        assert of_x is not None
        assert of_gamma is not None
        return stacked(of_x, x.shape[-3]), of_gamma.reshape(gamma.shape)

    def _root(self, x: Source, cell: Index) -> Step:
        """The root of the mean square of a word's numbers in all heads."""
        *lead, _, i, _ = cell
        h, d = x.value.shape[-3], x.value.shape[-1]
        squares = [
            step("sum", step("square", x[(*lead, head, i, slice(None))]), label=f"squares of head {head + 1}")
            for head in range(h)
        ]
        total = step("sum_of", *squares, label="sum of the squares") if h > 1 else squares[0]
        mean = step("divide", total, Constant(float(h * d), str(h * d)), label="mean square")
        epsilon = Constant(self.epsilon, f"{self.epsilon:g}".replace("e-0", "e−"))
        return step("sqrt", step("add", mean, epsilon), label="root")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, gamma = parents
        unit = step("divide", x[cell], self._root(x, cell), label="with root mean square 1")
        return step("multiply", unit, gamma[cell[-3], cell[-1]], label="times γ")

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, gamma = parents
        h, d = x.value.shape[-3], x.value.shape[-1]
        if parent == 1:
            stretch = gamma[cell]
            if not stretch.value:
                return super().derivative(parent, cell, at, value, *parents)
            return step("divide", value[at], stretch, label="before γ")
        root = self._root(x, cell)
        below = step("multiply", Constant(float(h * d), str(h * d)), root)
        of_root = step("divide", x[cell], below, label="slope of the root")
        unit = step("divide", x[at], root, label="with root mean square 1")
        own = own_place(d, cell[-1], at[-1]) if at[-3] == cell[-3] else own_place(d, -1, at[-1])
        apart = step("subtract", own, step("multiply", unit, of_root))
        slope = step("multiply", apart, gamma[at[-3], at[-1]])
        return step("divide", slope, root, label="slope of the norm")

    def formula(self, *symbols: str) -> str:
        return rf"\frac{{{symbols[0]}}}{{\sqrt{{\mathrm{{RMS}}_{{all \, heads}}^2 + \epsilon}}}} \, {symbols[1]}"

    def code(self, *names: str) -> str:
        x, gamma = names
        wide = f"(w := {x}.swapaxes(-3, -2).reshape(*{x}.shape[:-3], {x}.shape[-2], -1))"
        normed = f"({self._norm.code(wide, f'{gamma}.ravel()').replace(f'({wide} * {wide})', '(w * w)')})"
        return f"{normed}.reshape(*w.shape[:-1], {x}.shape[-3], -1).swapaxes(-3, -2).copy()"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        x, gamma = parents
        *lead, _, i, _ = cell
        h, d = x.shape[-3], x.shape[-1]
        squares = "+".join(f"SUMSQ({x[(*lead, head, i, slice(None))]})" for head in range(h))
        return f"{x[cell]}/SQRT(({squares})/{h * d}+{self.epsilon})*{gamma[cell[-3], cell[-1]]}"

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if parent == 1:
            return (*(slice(None),) * (len(shape) - 3), cell[0], slice(None), cell[1])
        return (*cell[:-3], slice(None), cell[-2], slice(None))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no norm", "before the norm", Kept())
