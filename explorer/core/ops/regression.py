"""The straight line that fits best: linear regression, in which nothing has to be trained."""

from dataclasses import dataclass

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Argument, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class Slope(Op):
    """Covariance by variance: the slope of the line with the least squared error (Goodfellow et al. 2016, §5.1.4).

    Parents are x (n, c) and y (n, m); each column of x is held against each of y by itself, (c, m). Where x is the same
    in all examples no line is the best, and the slope is NaN.
    """

    subscripts = "ic,ij->cj"

    def forward(self, *parents: Array) -> Array:
        x, y = (p - p.mean(-2, keepdims=True) for p in parents)
        slopes: Array = (x[..., :, None] * y[..., None, :]).sum(-3) / (x * x).sum(-2)[..., None]
        return slopes

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, y = (p - p.mean(-2, keepdims=True) for p in parents)
        # w = Σ x y / Σ x²: dw/dy = x / Σ x² and dw/dx = (y − 2 w x) / Σ x². That the means move with a number changes
        # nothing, because x and y around their means add up to 0.
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


@dataclass(frozen=True)
class Intercept(Op):
    """Where a line through the means of x and y, with the given slopes, stands at x = 0.

    Parents are x (n, c), y (n, m) and the slopes (c, m); the result is (m,).
    """

    subscripts = "ic,ij,cj->j"
    expression = "{1}.mean(-2) - ({0}.mean(-2)[..., None] * {2}).sum(-2)"

    def forward(self, *parents: Array) -> Array:
        x, y, slopes = parents
        start: Array = y.mean(-2) - (x.mean(-2)[..., None] * slopes).sum(-2)
        return start

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

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        x, y, slopes = parents
        *lead, j = cell
        rises = (f"-AVERAGE({x[(*lead, slice(None), c)]})*{slopes[(*lead, c, j)]}" for c in range(x.shape[-1]))
        return f"AVERAGE({y[(*lead, slice(None), j)]}){''.join(rises)}"

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
