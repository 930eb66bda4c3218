"""Rows or columns brought to a common measure: shares that add up to one, or mean 0 and variance 1."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from explorer.core.cell_block import MINUS_INFINITY, CellBlock
from explorer.core.explain import Argument, Constant, Index, Operand, Source, Step, step
from explorer.core.ops.base import Array, Op, added, mean, passed, summed_to


@dataclass(frozen=True)
class Softmax(Op):
    """Each row as shares that add up to 1 (Vaswani et al. 2017, equation 1; Goodfellow et al. 2016, equation 6.29).

    The largest entry is subtracted first, which changes nothing but keeps ``exp`` from overflowing. A row that is
    masked whole has nothing to share: its weights are all 0. A row with NaN or +∞ becomes NaN, visibly.
    """

    subscripts = "ik->ij"
    latex = r"\mathrm{softmax}(%s)"

    def forward(self, *parents: Array) -> Array:
        (z,) = parents
        # A row of −∞ has the lowest finite number subtracted, not −∞, so that it gives exp(−∞) = 0 instead of NaN.
        # In every other row the largest entry contributes exp(0) = 1: the sum is at least 1, the second maximum idle.
        shares: Array = z - np.maximum(largest(z), np.finfo(z.dtype).min)
        np.exp(shares, out=shares)
        shares /= np.maximum(shares.sum(-1, keepdims=True), 1)
        return shares

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # dp_k/dz_j = p_k (δ_kj − p_j), so dL/dz_j = g_j p_j − p_j Σ_k g_k p_k (Goodfellow et al. 2016, §6.2.2.3).
        parts = passed(gradient, value)
        return (parts - value * np.einsum("...k->...", parts)[..., None],)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        own = _own(value.value.shape[-1], cell[-1], at[-1])
        return step("multiply", value[at], step("subtract", own, value[cell]), label="slope of softmax")

    def code(self, *names: str) -> str:
        z = names[0]
        top = f"np.maximum({z}.max(-1, keepdims=True), np.finfo({z}.dtype).min)"
        return f"(e := np.exp({z} - {top})) / np.maximum(e.sum(-1, keepdims=True), 1)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (z,) = parents
        own, row = z[cell], z[(*cell[:-1], slice(None))]
        share = f"EXP({own}-MAX({row}))/SUMPRODUCT(EXP({row}-MAX({row})))"
        return f"IF(MAX({row})={MINUS_INFINITY},0,{share})" if z.masked else share

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        z = parents[0]
        row = z[(*cell[:-1], slice(None))]
        if np.all(np.isneginf(row.value)):
            return step("value", Constant(0.0, "every key is masked: nothing to share"))
        top = step("max", row, label="largest in the row")
        powers = step("exp", step("subtract", row, top), label="e to the power of the difference")
        own = step("exp", step("subtract", z[cell], top))
        return step("divide", own, step("sum", powers, label="sum over the row"), label="share")


def largest(z: Array) -> Array:
    """The largest number of each row: (…, n, m) gives (…, n, 1)."""
    m = z.shape[-1]
    if m > 64 or z.size < 4096:
        return np.asarray(z.max(-1, keepdims=True))
    # numpy goes through each row by itself. Many short ones take a fifth of the time side by side in columns.
    return np.asarray(z.reshape(-1, m).T.copy().max(0)).reshape(*z.shape[:-1], 1)


@dataclass(frozen=True)
class RowShares(Op):
    """Each row divided by its sum: what the lecture Attention and Transformers calls scaling, though it prints softmax.

    A masked entry, −∞, counts as 0, and a row that adds up to 0 becomes all 0.
    """

    subscripts = "ik->ij"

    def forward(self, *parents: Array) -> Array:
        x = np.where(np.isneginf(parents[0]), 0, parents[0])
        total = x.sum(-1, keepdims=True)
        shares: Array = np.divide(x, total, out=np.zeros_like(x), where=total != 0)
        return shares

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # y_k = x_k / s: dy_k/dx_j = (δ_kj − y_k) / s. What is masked, or in a row without a sum, changes nothing.
        masked = np.isneginf(parents[0])
        total = np.where(masked, 0, parents[0]).sum(-1, keepdims=True)
        apart = gradient - (gradient * value).sum(-1, keepdims=True)
        return (np.divide(apart, total, out=np.zeros_like(apart), where=(total != 0) & ~masked),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        (x,) = parents
        total = self._total(x[(*cell[:-1], slice(None))])
        if total.value == 0 or np.isneginf(x.value[cell]):
            return added(at, value, 0)
        own = _own(x.value.shape[-1], cell[-1], at[-1])
        return step("divide", step("subtract", own, value[at]), total, label="slope of the share")

    def formula(self, *symbols: str) -> str:
        return r"\frac{%s}{\sum_j {%s}_j}" % (symbols[0], symbols[0])

    def code(self, *names: str) -> str:
        x = f"x := np.where(np.isneginf({names[0]}), 0, {names[0]})"
        return f"np.divide({x}, s := x.sum(-1, keepdims=True), out=np.zeros_like(x), where=s != 0)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (x,) = parents
        own, row = x[cell], x[(*cell[:-1], slice(None))]
        total = f'SUMIF({row},">{MINUS_INFINITY}")'
        return f"IF(OR({own}={MINUS_INFINITY},{total}=0),0,{own}/{total})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (x,) = parents
        own, total = x[cell], self._total(x[(*cell[:-1], slice(None))])
        if total.value == 0:
            return step("value", Constant(0.0, "the row adds up to 0: nothing to share"))
        return step("divide", step("unmasked", own) if np.isneginf(own.value) else own, total, label="share")

    def _total(self, row: Operand) -> Step:
        masked = np.isneginf(row.value).any()
        return step("sum", step("unmasked", row) if masked else row, label="sum over the row")


def _own(n: int, own: int, at: int | slice) -> Constant:
    """δ: 1 at its own place in a line of n, 0 at the others."""
    delta = (np.arange(n) == own).astype(np.int64)[at]
    return Constant(delta, "" if np.ndim(delta) else str(delta))


class Moments(NamedTuple):
    """What each line of a matrix is measured by, for rows (…, n, 1) and for columns (…, 1, d)."""

    mean: Array
    centred: Array  # the numbers minus the mean of their line, in the shape of the matrix
    variance: Array
    sigma: Array  # what these are divided by: √(variance + ε), or √variance + ε


@dataclass(frozen=True)
class Norm(Op):
    """Each line of a matrix with mean 0 and variance 1, then each feature stretched by its γ and moved by its β."""

    epsilon: float = 1e-5  # the small number that keeps a constant line from dividing by 0
    # Whether ε stands inside the root, sqrt(σ² + ε), as in practice, or is added to σ, as The Math Behind GPT Models
    # does in its scripts for the decoder.
    inside: bool = True

    axis: ClassVar[int]
    """Along which a line runs: -1 for rows, -2 for columns."""
    of_line: ClassVar[str]
    """What a symbol of the line carries in the formula."""

    def moments(self, x: Array) -> Moments:
        """What each line is measured by: (…, n, 1) for rows, (…, 1, d) for columns."""
        middle = mean(x, self.axis)
        centred = x - middle
        variance = mean(centred * centred, self.axis)
        sigma = np.sqrt(variance + self.epsilon) if self.inside else np.sqrt(variance) + self.epsilon
        return Moments(middle, centred, variance, sigma)

    def forward(self, *parents: Array) -> Array:
        x, gamma, beta = parents
        line = self.moments(x)
        result: Array = line.centred / line.sigma * gamma + beta
        return result

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # Mean and variance depend on the whole line, so each number of it moves all others (Ioffe & Szegedy 2015, §3).
        x, gamma, beta = parents
        _, centred, variance, sigma = self.moments(x)
        unit = centred / sigma  # each line with mean 0 and variance 1
        # dσ/dvariance = 1 / (2 root), where root is σ itself, or σ without its ε.
        root = sigma if self.inside else np.sqrt(variance)
        along = unit if self.inside else np.divide(centred, root, out=np.zeros_like(unit), where=root != 0)
        # (g − mean of g − along · mean of g · unit) / σ, with g = γ · gradient.
        of_x = gradient * gamma
        stretch = self._mean_product(of_x, unit)
        of_x -= self._mean_product(gradient, np.broadcast_to(gamma, gradient.shape))
        of_x -= along * stretch
        of_x /= sigma
        d = x.shape[-1]
        of_gamma = np.einsum("nd,nd->d", gradient.reshape(-1, d), unit.reshape(-1, d))
        return of_x, of_gamma, summed_to(beta.shape, gradient)

    def _mean_product(self, a: Array, b: Array) -> Array:
        """The mean of the products along each line, in a third of the time of a product and its mean."""
        sums = np.vecdot(a.swapaxes(self.axis, -1), b.swapaxes(self.axis, -1))
        return np.asarray(sums[..., None] / a.shape[self.axis]).swapaxes(self.axis, -1)

    def formula(self, *symbols: str) -> str:
        x, gamma, beta = symbols
        sigma = rf"\sqrt{{\sigma{self.of_line}^2 + \epsilon}}" if self.inside else rf"\sigma{self.of_line} + \epsilon"
        return rf"\frac{{{x} - \mu{self.of_line}}}{{{sigma}}} \, {gamma} + {beta}"

    def code(self, *names: str) -> str:
        x, gamma, beta = names
        variance = f"(c * c).mean({self.axis}, keepdims=True)"
        sigma = f"np.sqrt({variance} + {self.epsilon})" if self.inside else f"(np.sqrt({variance}) + {self.epsilon})"
        return f"(c := {x} - {x}.mean({self.axis}, keepdims=True)) / {sigma} * {gamma} + {beta}"

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, gamma, beta = parents
        if parent == 2:
            return added(at, value)
        if parent == 1:
            if not gamma.value[cell]:
                return super().derivative(parent, cell, at, value, *parents)
            return step("divide", step("subtract", value[at], beta[cell]), gamma[cell], label="before γ and β")
        # Each number of a line moves all of it: itself, and the others through the root and through μ.
        mean, root, divisor = self._measured(x, cell)
        n = x.value.shape[self.axis]
        of_mean = step("divide", Constant(1, "1"), Constant(n, str(n)), label="slope of μ")
        away = step("subtract", x[cell], mean)
        of_root: Argument = Constant(0, "0")
        if root.value:
            below = step("multiply", Constant(n, str(n)), root)
            of_root = step("divide", away, below, label="slope of the root" if self.inside else "slope of σ")
        unit = step("divide", step("subtract", x[at], mean), divisor, label="with mean 0, variance 1")
        own = _own(n, cell[self.axis], at[self.axis])
        apart = step("subtract", step("subtract", own, step("multiply", unit, of_root)), of_mean)
        slope = step("multiply", apart, gamma[at[-1]])
        return step("divide", slope, divisor, label="slope of the norm")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        x, gamma, beta = parents
        of_line = x[(*cell[:-1], slice(None)) if self.axis == -1 else (*cell[:-2], slice(None), cell[-1])]
        sigma = f"SQRT(VARP({of_line})+{self.epsilon})" if self.inside else f"(STDEVP({of_line})+{self.epsilon})"
        return f"({x[cell]}-AVERAGE({of_line}))/{sigma}*{gamma[cell[-1]]}+{beta[cell[-1]]}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, gamma, beta = parents
        mean, _, divisor = self._measured(x, cell)
        unit = step("divide", step("subtract", x[cell], mean), divisor, label="with mean 0, variance 1")
        stretched = step("multiply", unit, gamma[cell[-1]], label="times γ")
        return step("add", stretched, beta[cell[-1]], label="plus β")

    def _measured(self, x: Source, cell: tuple[int, ...]) -> tuple[Step, Step, Step]:
        """Mean, root and divisor of the line that a cell is in; with ε inside the root the last two are one."""
        rows = self.axis == -1
        line = x[(*cell[:-1], slice(None)) if rows else (*cell[:-2], slice(None), cell[-1])]
        mean = step("mean", line, label="mean μ" if rows else "mean μ of the column")
        variance = step("mean", step("square", step("subtract", line, mean)), label="variance σ²")
        epsilon = Constant(self.epsilon, f"{self.epsilon:g}".replace("e-0", "e−"))
        if self.inside:
            root = step("sqrt", step("add", variance, epsilon), label="root")
            return mean, root, root
        root = step("sqrt", variance, label="σ")
        return mean, root, step("add", root, epsilon)


@dataclass(frozen=True)
class LayerNorm(Norm):
    """Each row with mean 0 and variance 1, then stretched by γ and moved by β (Ba et al. 2016, equation 3)."""

    subscripts = "ik,j,j->ij"
    axis = -1
    of_line = ""


@dataclass(frozen=True)
class BatchNorm(Norm):
    """Each column with mean 0 and variance 1 over the rows, then stretched by γ and moved by β (Ioffe & Szegedy 2015).

    Each feature is measured over all examples, where layer norm measures each example over its features.
    """

    subscripts = "kj,j,j->ij"
    axis = -2
    of_line = "_j"
