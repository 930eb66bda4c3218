"""Matrix products, sums and concatenation.

And linear regression: the best straight line, computed without training.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import (
    Elementwise,
    Fewer,
    Kept,
    Op,
    Slip,
    Surroundings,
    Turned,
    added,
    line,
    passed,
    product,
    summed_to,
)


def beside(heads: Array) -> Array:
    """The columns of all heads side by side: (…, n_heads, n, d) becomes (…, n, n_heads · d)."""
    *lead, h, n, d = heads.shape
    return heads.swapaxes(-3, -2).reshape(*lead, n, h * d)


def stacked(wide: Array, h: int) -> Array:
    """Back into h heads: (…, n, n_heads · d) becomes (…, n_heads, n, d)."""
    return wide.reshape(*wide.shape[:-1], h, -1).swapaxes(-3, -2)


def rows(x: Array) -> Array:
    """All rows of a batch in one matrix: (…, n, d) becomes (all rows, d)."""
    return x.reshape(-1, x.shape[-1])


class MatMul(Op):
    """The matrix product ``x W``; with `transposed`, ``W x`` for each row x, as some references print it.

    It serves for the projections to Q, K and V, W_O, the layers of a feed-forward net and one-hot × table. The third
    parent, if there is one, is a bias.
    """

    transposed: bool = False  # whether W is (d_out, d_in), not (d_in, d_out)
    # Whether weights and biases are stacked over heads, which all read the same rows: (…, n, d_in) and (n_heads, d_in,
    # d_k) make (…, n_heads, n, d_k).
    heads: bool = False
    projects = True

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        if self.heads:
            return "ic,hjc,hj->hij" if self.transposed else "ic,hcj,hj->hij"
        return "ic,jc,j->ij" if self.transposed else "ic,cj,j->ij"

    def forward(self, *parents: Array) -> Array:
        x, W = parents[0], parents[1].mT if self.transposed else parents[1]
        if x.ndim > 2 and self._shared(parents):
            # One product for all rows of the batch.
            product = rows(x) @ (beside(W) if self.heads else W)
            if len(parents) == 3:
                product += parents[2].ravel()
            wide = product.reshape(*x.shape[:-1], -1)
            return stacked(wide, len(W)) if self.heads else wide
        product = (x[..., None, :, :] if self.heads and x.ndim > 2 else x) @ W
        return product + parents[2][..., None, :] if len(parents) == 3 else product

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return self.backward_to([True] * len(parents), gradient, value, *parents)

    def backward_to(
        self, wanted: Sequence[bool], gradient: Array, value: Array, *parents: Array
    ) -> tuple[Array | None, ...]:
        x, W = parents[0], parents[1].mT if self.transposed else parents[1]
        found: list[Array | None] = [None] * len(parents)
        # One product for all rows of the batch, as in `forward`.
        together = self._shared(parents) and (x.ndim > 2 or not self.heads)
        of_rows = rows(beside(gradient) if self.heads else gradient) if together else gradient
        # With y = x W, (…, n, d_out): dL/dx = dL/dy Wᵀ and dL/dW = xᵀ dL/dy (Goodfellow et al. 2016, §6.5.6).
        if wanted[0] and together:
            found[0] = product(of_rows, (beside(W) if self.heads else W).mT, 0).reshape(x.shape)
        elif wanted[0]:
            each = product(gradient, W.mT, 0)
            found[0] = summed_to(x.shape, each.sum(-3) if self.heads else each)
        if wanted[1]:
            if together:
                of_W = product(rows(x).mT, of_rows, 1)
                of_W = stacked(of_W, len(W)) if self.heads else of_W
            else:
                of_W = summed_to(W.shape, product((x[..., None, :, :] if self.heads else x).mT, gradient, 1))
            found[1] = of_W.mT if self.transposed else of_W
        if len(parents) == 3 and wanted[2]:
            b, of_b = parents[2], np.add.reduce(of_rows, axis=-2)
            found[2] = of_b.reshape(b.shape) if of_b.size == b.size else summed_to(b.shape, of_b)
        return tuple(found)

    def _shared(self, parents: tuple[Array, ...]) -> bool:
        """Whether the weights have no leading axes: then all sentences of a batch share them."""
        _, W, *b = parents
        return W.ndim == 2 + self.heads and (not b or b[0].ndim == 1 + self.heads)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, W = parents[0], parents[1]
        lead, head = self._lead(at)
        match parent:
            case 0:  # a number of x times a row of W: each result gets the weight in its own column
                weights = (at[-1], cell[-1]) if self.transposed else (cell[-1], at[-1])
                return W[line(lead, W.value, *head, *weights)]
            case 1:  # a weight times a column of x: each result gets the number in its own row
                return x[line(lead, x.value, at[-2], cell[-1] if self.transposed else cell[-2])]
            case _:
                return added(at, value)

    def _lead(self, cell: Index) -> tuple[Index, Index]:
        """The index of a cell of the result without its head; and the head, or nothing."""
        return ((*cell[:-3], *cell[-2:]), cell[-3:-2]) if self.heads else (cell, ())

    def formula(self, *symbols: str) -> str:
        W = symbols[1] + (r"^\top" if self.transposed else "")
        return rf"{symbols[0]} \, {W}" + (f" + {symbols[2]}" if len(symbols) == 3 else "")

    def code(self, *names: str) -> str:
        W = names[1] + (".mT" if self.transposed else "")
        return f"{names[0]} @ {W}" + (f" + {names[2]}[..., None, :]" if len(names) == 3 else "")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, W = parents[0], parents[1]
        lead, head = self._lead(cell)
        i, j = cell[-2:]
        column = (j, slice(None)) if self.transposed else (slice(None), j)
        row = x[line(lead, x.value, i, slice(None))]
        product = step("dot", row, W[line(lead, W.value, *head, *column)], label="sum of the products")
        if len(parents) == 2:
            return product
        bias = parents[2]
        return step("add", product, bias[line(lead, bias.value, *head, j)], label="plus the bias")

    def matrix(self, W: Array) -> Array:
        return W.mT if self.transposed else W

    def factors(self) -> tuple[bool, bool] | None:
        return False, self.transposed

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if around.square(1):
            taken, right = ("column", "row") if self.transposed else ("row", "column")
            sentence = f"if a {taken} of the weights is taken for the {right}"
            yield Slip("row for column", sentence, Turned(self, (1,)))
        if len(around.shapes) == 3:
            yield Slip("no bias", "without the bias", Fewer(self))


class Add(Elementwise):
    """The element-wise sum: embeddings plus positions, and every residual connection (He et al. 2016)."""

    subscripts = "ij,ij->ij"
    latex = "%s + %s"
    function, sign = "add", "+"
    adds = True

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        a, b = parents
        return summed_to(a.shape, gradient), summed_to(b.shape, gradient)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if around.name not in _ADDED:
            yield Slip("no residual", "without the residual, which is what went in", Kept(1))
            yield Slip("residual alone", "if what was computed is not added to what went in", Kept(0))
            return
        name, alone = _ADDED[around.name]
        yield Slip(f"no {name}", f"without the {name}", Kept(0))
        yield Slip(f"{name} alone", f"if the {name} {alone} taken alone", Kept(1))


_ADDED = {
    "H": ("positions", "are"),
    "biased": ("biases by distance", "are"),
    "with_segments": ("segments", "are"),
    "together": ("shared expert", "is"),
}
"""What a sum that is no residual adds, by the last part of the node's name."""


class Multiply(Elementwise):
    """The element-wise product."""

    subscripts = "ij,ij->ij"
    latex = r"%s \odot %s"
    function, sign = "multiply", "*"

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        a, b = parents
        return summed_to(a.shape, passed(gradient, b)), summed_to(b.shape, passed(gradient, a))

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        other = parents[1 - parent]
        return other[line(at, other.value, *at[-2:])]

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("not multiplied", "if nothing is multiplied", Kept())
        yield Slip("not multiplied", "if nothing is multiplied", Kept(1))
        yield Slip("added", "if the numbers are added, not multiplied", Add())


class Dropout(Multiply):
    """The element-wise product with a mask: 0 for each dropped number (Srivastava et al. 2014).

    Training draws the mask, the second parent, at random; in use it is 1 everywhere.
    """

    drawn = 1
    alters = True  # the mask beside it is drawn, and computed by nothing

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("not multiplied", "if nothing is multiplied", Kept())


class Concat(Op):
    """The heads' outputs side by side: (n_heads, n, d_v) becomes (n, n_heads · d_v) (Vaswani et al. 2017, §3.2.2)."""

    alters = True
    expression = "np.concatenate([{0}[..., h, :, :] for h in range({0}.shape[-3])], axis=-1)"
    joins_heads = True

    def forward(self, *parents: Array) -> Array:
        (heads,) = parents
        h, n, d_v = heads.shape[-3:]
        # A copy, because with one head or one row reshape alone would give a view of the parent.
        return heads.swapaxes(-3, -2).copy().reshape(*heads.shape[:-3], n, h * d_v)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (stacked(gradient, parents[0].shape[-3]),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return r"\mathrm{concat}({%s}_1, \dots, {%s}_h)" % (symbols[0], symbols[0])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (heads,) = parents
        head, column = divmod(cell[-1], heads.value.shape[-1])
        return step("value", heads[(*cell[:-2], head, cell[-2], column)], label=f"head {head + 1}, column {column + 1}")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        *batch, head, row, column = cell
        return (*batch, row, head * parent_shape[-1] + column)


class Slope(Op):
    """Covariance divided by variance: the slope of the least-squares line (Goodfellow et al. 2016, §5.1.4).

    Parents are x (n, c) and y (n, m); each column of x is paired with each column of y, (c, m). If x is the same in all
    examples there is no best line, and the slope is NaN.
    """

    subscripts = "ic,ij->cj"

    def forward(self, *parents: Array) -> Array:
        x, y = (p - p.mean(-2, keepdims=True) for p in parents)
        return (x[..., :, None] * y[..., None, :]).sum(-3) / (x * x).sum(-2)[..., None]

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, y = (p - p.mean(-2, keepdims=True) for p in parents)
        # w = Σ x y / Σ x²: dw/dy = x / Σ x² and dw/dx = (y − 2 w x) / Σ x². The change of the means has no effect,
        # because x and y minus their means sum to 0.
        share = gradient / (x * x).sum(-2)[..., None]
        return y @ share.mT - 2 * x * (share * value).sum(-1)[..., None, :], x @ share

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        if any(isinstance(part, slice) for part in at):
            return super().derivative(parent, cell, at, value, *parents)
        lead, row = cell[:-2], cell[-2]
        x, y = (
            step("subtract", p[(*lead, row, i)], _mean(p, lead, i, name), label=f"{name} minus its mean")
            for p, i, name in zip(parents, at[-2:], "xy", strict=True)
            if isinstance(i, int)
        )
        line = _around_mean(parents[0], lead, int(at[-2]), "x")  # type: ignore[arg-type]
        squares = step("sum", step("square", line), label="sum of the squares of x")
        if parent == 1:
            return step("divide", x, squares, label="slope of the slope")
        twice = step("multiply", Constant(2, "2"), step("multiply", value[at], x))
        return step("divide", step("subtract", y, twice), squares, label="slope of the slope")

    def formula(self, *symbols: str) -> str:
        x, y = (rf"({{{s}}}_i - \overline{{{s}}})" for s in symbols)
        return rf"\frac{{\sum_i {x} {y}}}{{\sum_i {x}^2}}"

    def code(self, *names: str) -> str:
        x, y = ("({0} := {1} - {1}.mean(-2, keepdims=True))".format(*pair) for pair in zip("xy", names, strict=True))
        return f"({x}[..., :, None] * {y}[..., None, :]).sum(-3) / (x * x).sum(-2)[..., None]"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        x, y = (p[(*cell[:-2], slice(None), i)] for p, i in zip(parents, cell[-2:], strict=True))
        return f"SLOPE({y},{x})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, y = (
            _around_mean(parent, cell[:-2], column, name)
            for parent, column, name in zip(parents, cell[-2:], "xy", strict=True)
        )
        squares = step("sum", step("square", x), label="sum of the squares of x")
        return step("divide", step("dot", x, y, label="sum of the products"), squares, label="slope")


class Intercept(Op):
    """The value at x = 0 of the line with the given slopes through the means of x and y.

    Parents are x (n, c), y (n, m) and the slopes (c, m); the result is (m,).
    """

    subscripts = "ic,ij,cj->j"
    expression = "{1}.mean(-2) - ({0}.mean(-2)[..., None] * {2}).sum(-2)"

    def forward(self, *parents: Array) -> Array:
        x, y, slopes = parents
        return y.mean(-2) - (x.mean(-2)[..., None] * slopes).sum(-2)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, _, slopes = parents
        n, each = x.shape[-2], gradient[..., None, :]
        of_x = -(each @ slopes.mT) / n
        of_slopes = -x.mean(-2)[..., None] * each
        return np.repeat(of_x, n, axis=-2), np.repeat(each / n, n, axis=-2), of_slopes

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, _, slopes = parents
        n = Constant(x.value.shape[-2], f"{x.value.shape[-2]}")
        match parent:
            case 0:
                return step("divide", step("negate", slopes[(*at[:-1], cell[-1], at[-1])]), n)
            case 1:
                return step("divide", Constant(1, "1"), n)
            case _:
                return step("negate", _mean(x, cell[:-2], cell[-2], "x"))

    def formula(self, *symbols: str) -> str:
        return r"\overline{%s} - \overline{%s} \, %s" % (symbols[1], symbols[0], symbols[2])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, y, slopes = parents
        lead, j = cell[:-1], cell[-1]
        rises = [
            step("multiply", _mean(x, lead, c, "x"), slopes[(*lead, c, j)], label="slope times mean x")
            for c in range(x.value.shape[-1])
        ]
        rise = rises[0] if len(rises) == 1 else step("sum_of", *rises, label="together")
        return step("subtract", _mean(y, lead, j, "y"), rise, label="at x = 0")


def _mean(numbers: Source, lead: tuple[int, ...], column: int, name: str) -> Step:
    return step("mean", numbers[(*lead, slice(None), column)], label=f"mean of {name}")


def _around_mean(numbers: Source, lead: tuple[int, ...], column: int, name: str) -> Step:
    line = numbers[(*lead, slice(None), column)]
    return step("subtract", line, _mean(numbers, lead, column, name), label=f"{name} minus its mean")
