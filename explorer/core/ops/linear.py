"""Matrix products, sums and joins."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Argument, Index, Source, Step, step
from explorer.core.ops.base import Array, Op, added, line, summed_to


@dataclass(frozen=True)
class MatMul(Op):
    """The matrix product ``x W``; with `transposed`, ``W x`` for each row x, as some references print it.

    One product serves the projections to Q, K and V, W_O, the layers of a feed-forward net and one-hot × table. A bias,
    where there is one, is the third parent.
    """

    transposed: bool = False

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "ic,jc,j->ij" if self.transposed else "ic,cj,j->ij"

    def forward(self, *parents: Array) -> Array:
        x, W = parents[0], parents[1]
        product: Array = x @ (W.mT if self.transposed else W)
        return product + parents[2][..., None, :] if len(parents) == 3 else product

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, W = parents[0], parents[1]
        # With y = x W, (…, n, d_out): dL/dx = dL/dy Wᵀ and dL/dW = xᵀ dL/dy (Goodfellow et al. 2016, §6.5.6).
        of_x = summed_to(x.shape, gradient @ (W if self.transposed else W.mT))
        rows, of_rows = x, gradient
        if W.ndim == 2:  # one matrix for all rows of all batches: one product
            rows, of_rows = x.reshape(-1, x.shape[-1]), gradient.reshape(-1, gradient.shape[-1])
        of_W = summed_to(W.shape, of_rows.mT @ rows if self.transposed else rows.mT @ of_rows)
        if len(parents) == 2:
            return of_x, of_W
        return of_x, of_W, summed_to(parents[2].shape, gradient.sum(-2))

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, W = parents[0], parents[1]
        match parent:
            case 0:  # a number of x meets a row of W: each result the number in its own column
                weights = (at[-1], cell[-1]) if self.transposed else (cell[-1], at[-1])
                return W[line(at, W.value, *weights)]
            case 1:  # a weight meets a column of x: each result the number in its own row
                return x[line(at, x.value, at[-2], cell[-1] if self.transposed else cell[-2])]
            case _:
                return added(at, value)

    def formula(self, *symbols: str) -> str:
        W = symbols[1] + (r"^\top" if self.transposed else "")
        return rf"{symbols[0]} \, {W}" + (f" + {symbols[2]}" if len(symbols) == 3 else "")

    def code(self, *names: str) -> str:
        W = names[1] + (".mT" if self.transposed else "")
        return f"{names[0]} @ {W}" + (f" + {names[2]}[..., None, :]" if len(names) == 3 else "")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, W = parents[0], parents[1]
        i, j = cell[-2:]
        column = (j, slice(None)) if self.transposed else (slice(None), j)
        product = step(
            "dot", x[line(cell, x.value, i, slice(None))], W[line(cell, W.value, *column)], label="sum of the products"
        )
        if len(parents) == 2:
            return product
        bias = parents[2]
        return step("add", product, bias[(*line(cell, bias.value[..., None, :], 0, j)[:-2], j)], label="plus the bias")


@dataclass(frozen=True)
class Add(Op):
    """The element-wise sum: embeddings plus positions, and every residual connection (He et al. 2016)."""

    subscripts = "ij,ij->ij"

    def forward(self, *parents: Array) -> Array:
        a, b = parents
        return np.add(a, b)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        a, b = parents
        return summed_to(a.shape, gradient), summed_to(b.shape, gradient)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return "%s + %s" % symbols

    def code(self, *names: str) -> str:
        return "%s + %s" % names

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        a, b = parents
        return step("add", a[line(cell, a.value, *cell[-2:])], b[line(cell, b.value, *cell[-2:])])


@dataclass(frozen=True)
class Bias(Op):
    """The same vector added to each row."""

    subscripts = "ij,j->ij"
    alters = True

    def forward(self, *parents: Array) -> Array:
        x, b = parents
        return np.add(x, b)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return gradient, summed_to(parents[1].shape, gradient)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return "%s + %s" % symbols

    def code(self, *names: str) -> str:
        return "%s + %s" % names

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, b = parents
        return step("add", x[cell], b[cell[-1]])


@dataclass(frozen=True)
class Concat(Op):
    """The heads' outputs side by side: (n_heads, n, d_v) becomes (n, n_heads · d_v) (Vaswani et al. 2017, §3.2.2)."""

    alters = True

    def forward(self, *parents: Array) -> Array:
        (heads,) = parents
        h, n, d_v = heads.shape[-3:]
        # The copy: with one head or one row, reshape alone would give a view of the parent.
        return heads.swapaxes(-3, -2).copy().reshape(*heads.shape[:-3], n, h * d_v)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        h, _, d_v = parents[0].shape[-3:]
        # Back into heads: (n, n_heads · d_v) becomes (n_heads, n, d_v).
        return (gradient.reshape(*gradient.shape[:-1], h, d_v).swapaxes(-3, -2),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return r"\mathrm{concat}({%s}_1, \dots, {%s}_h)" % (symbols[0], symbols[0])

    def code(self, *names: str) -> str:
        return "np.concatenate([{0}[..., h, :, :] for h in range({0}.shape[-3])], axis=-1)".format(*names)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (heads,) = parents
        head, column = divmod(cell[-1], heads.value.shape[-1])
        return step("value", heads[(*cell[:-2], head, cell[-2], column)], label=f"head {head + 1}, column {column + 1}")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        *batch, head, row, column = cell
        return (*batch, row, head * parent_shape[-1] + column)
