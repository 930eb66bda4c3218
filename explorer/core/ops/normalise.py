"""Rows or columns brought to a common measure: shares that add up to one, or mean 0 and variance 1."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from explorer.core.explain import Argument, Constant, Index, Operand, Source, Step, step
from explorer.core.ops.base import Array, Op, added, passed, summed_to


@dataclass(frozen=True)
class Softmax(Op):
    """Each row as shares that add up to 1 (Vaswani et al. 2017, equation 1; Goodfellow et al. 2016, equation 6.29).

    The largest entry is subtracted first, which changes nothing but keeps ``exp`` from overflowing. A row that is
    masked whole has nothing to share: its weights are all 0. A row with NaN or +∞ becomes NaN, visibly.
    """

    subscripts = "ik->ij"

    def forward(self, *parents: Array) -> Array:
        (z,) = parents
        # A row of −∞ has the lowest finite number subtracted, not −∞, so that it gives exp(−∞) = 0 instead of NaN.
        # In every other row the largest entry contributes exp(0) = 1: the sum is at least 1, the second maximum idle.
        e = np.exp(z - np.maximum(z.max(-1, keepdims=True), np.finfo(z.dtype).min))
        shares: Array = e / np.maximum(e.sum(-1, keepdims=True), 1)
        return shares

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # dp_k/dz_j = p_k (δ_kj − p_j), so dL/dz_j = g_j p_j − p_j Σ_k g_k p_k (Goodfellow et al. 2016, §6.2.2.3).
        parts = passed(gradient, value)
        return (parts - value * parts.sum(-1, keepdims=True),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        own = np.zeros(value.value.shape[-1], dtype=np.int64)  # δ: 1 in the cell's own column
        own[cell[-1]] = 1
        delta = own[at[-1]]
        return step("multiply", value[at], step("subtract", Constant(delta, ""), value[cell]), label="slope of softmax")

    def formula(self, *symbols: str) -> str:
        return r"\mathrm{softmax}(%s)" % symbols[0]

    def code(self, *names: str) -> str:
        z = names[0]
        top = f"np.maximum({z}.max(-1, keepdims=True), np.finfo({z}.dtype).min)"
        return f"(e := np.exp({z} - {top})) / np.maximum(e.sum(-1, keepdims=True), 1)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        z = parents[0]
        row = z[(*cell[:-1], slice(None))]
        if np.all(np.isneginf(row.value)):
            return step("value", Constant(0.0, "every key is masked: nothing to share"))
        top = step("max", row, label="largest in the row")
        powers = step("exp", step("subtract", row, top), label="e to the power of the difference")
        own = step("exp", step("subtract", z[cell], top))
        return step("divide", own, step("sum", powers, label="sum over the row"), label="share")


@dataclass(frozen=True)
class RowShares(Op):
    """Each row divided by its sum. A masked entry, −∞, counts as 0, and a row that adds up to 0 becomes all 0."""

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

    def formula(self, *symbols: str) -> str:
        return r"\frac{%s}{\sum_j {%s}_j}" % (symbols[0], symbols[0])

    def code(self, *names: str) -> str:
        x = f"x := np.where(np.isneginf({names[0]}), 0, {names[0]})"
        return f"np.divide({x}, s := x.sum(-1, keepdims=True), out=np.zeros_like(x), where=s != 0)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (x,) = parents
        row, own = x[(*cell[:-1], slice(None))], x[cell]
        masked = np.isneginf(row.value).any()
        total = step("sum", step("unmasked", row) if masked else row, label="sum over the row")
        if total.value == 0:
            return step("value", Constant(0.0, "the row adds up to 0: nothing to share"))
        return step("divide", step("unmasked", own) if masked else own, total, label="share")


class Moments(NamedTuple):
    """Mean, variance and divisor of each row, (…, n, 1), and the rows around their means, (…, n, d)."""

    mean: Array
    centred: Array
    variance: Array
    sigma: Array


def through_norm(
    gradient: Array, moments: Moments, axis: int, inside: bool, gamma: Array, beta: Array
) -> tuple[Array, Array, Array]:
    """The gradients of x, γ and β, given that of γ · (x − μ) / σ + β (Ioffe & Szegedy 2015, §3).

    Mean and variance depend on the whole line, so each number of it moves all the others.

    Parameters
    ----------
    gradient : numpy.ndarray
        (…, n, d)
    moments : Moments
    axis : int
        Along which they were taken: −1 for rows, −2 for columns.
    inside : bool
        Whether σ is sqrt(variance + ε); else it is sqrt(variance) + ε.
    gamma, beta : numpy.ndarray
        (d,)
    """
    unit = moments.centred / moments.sigma  # each line with mean 0 and variance 1
    of_unit = gradient * gamma
    # dσ/dvariance = 1 / (2 root), where root is σ itself, or σ without its ε.
    root = moments.sigma if inside else np.sqrt(moments.variance)
    along = unit if inside else np.divide(moments.centred, root, out=np.zeros_like(unit), where=root != 0)
    stretch = (of_unit * unit).mean(axis, keepdims=True)
    of_x = (of_unit - of_unit.mean(axis, keepdims=True) - along * stretch) / moments.sigma
    return of_x, summed_to(gamma.shape, gradient * unit), summed_to(beta.shape, gradient)


@dataclass(frozen=True)
class LayerNorm(Op):
    """Each row with mean 0 and variance 1, then stretched by γ and moved by β (Ba et al. 2016, equation 3).

    Parameters
    ----------
    epsilon : float
        The small number that keeps a constant row from dividing by 0.
    inside : bool
        Whether ε stands inside the root, sqrt(σ² + ε), as in practice, or is added to σ, as The Math Behind GPT Models
        does in its scripts for the decoder.
    """

    epsilon: float = 1e-5
    inside: bool = True
    subscripts = "ik,j,j->ij"

    def forward(self, *parents: Array) -> Array:
        x, gamma, beta = parents
        row = self.moments(x)
        result: Array = row.centred / row.sigma * gamma + beta
        return result

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, gamma, beta = parents
        return through_norm(gradient, self.moments(x), -1, self.inside, gamma, beta)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, gamma, beta = (p.value for p in parents)
        if parent == 2:
            return added(at, value)
        if parent == 1:
            row = self.moments(x)
            return Operand(value.name, at, (row.centred / row.sigma)[at], "derivative")
        # The row as often as it has numbers; the identity then asks each copy for one cell of the result.
        d = x.shape[-1]
        copies, one_each = np.repeat(x[(*cell[:-1], None)], d, axis=0), np.eye(d, dtype=x.dtype)
        of_row = self.backward(one_each, copies, copies, gamma, beta)[0]
        assert of_row is not None
        return Operand(value.name, at, of_row[at[-1], cell[-1]], "derivative")

    def moments(self, x: Array) -> "Moments":
        """What each row is measured by."""
        mean = x.mean(-1, keepdims=True)
        centred = x - mean
        variance = (centred * centred).mean(-1, keepdims=True)
        sigma = np.sqrt(variance + self.epsilon) if self.inside else np.sqrt(variance) + self.epsilon
        return Moments(mean, centred, variance, sigma)

    def formula(self, *symbols: str) -> str:
        x, gamma, beta = symbols
        sigma = r"\sqrt{\sigma^2 + \epsilon}" if self.inside else r"\sigma + \epsilon"
        return rf"\frac{{{x} - \mu}}{{{sigma}}} \, {gamma} + {beta}"

    def code(self, *names: str) -> str:
        x, gamma, beta = names
        variance = "(c * c).mean(-1, keepdims=True)"
        sigma = f"np.sqrt({variance} + {self.epsilon})" if self.inside else f"(np.sqrt({variance}) + {self.epsilon})"
        return f"(c := {x} - {x}.mean(-1, keepdims=True)) / {sigma} * {gamma} + {beta}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, gamma, beta = parents
        row = x[(*cell[:-1], slice(None))]
        mean = step("mean", row, label="mean μ")
        variance = step("mean", step("square", step("subtract", row, mean)), label="variance σ²")
        epsilon = Constant(self.epsilon, f"{self.epsilon:g}".replace("e-0", "e−"))
        if self.inside:
            sigma = step("sqrt", step("add", variance, epsilon), label="root")
        else:
            sigma = step("add", step("sqrt", variance, label="σ"), epsilon)
        unit = step("divide", step("subtract", x[cell], mean), sigma, label="with mean 0, variance 1")
        stretched = step("multiply", unit, gamma[cell[-1]], label="times γ")
        return step("add", stretched, beta[cell[-1]], label="plus β")


@dataclass(frozen=True)
class BatchNorm(Op):
    """Each column with mean 0 and variance 1 over the rows, then stretched by γ and moved by β (Ioffe & Szegedy 2015).

    Each feature is measured over all examples, where layer norm measures each example over its features.

    Parameters
    ----------
    epsilon : float
        The small number that keeps a constant column from dividing by 0.
    inside : bool
        Whether ε stands inside the root, sqrt(σ² + ε), or is added to σ.
    """

    epsilon: float = 1e-5
    inside: bool = True
    subscripts = "kj,j,j->ij"

    def forward(self, *parents: Array) -> Array:
        x, gamma, beta = parents
        column = self.moments(x)
        result: Array = column.centred / column.sigma * gamma + beta
        return result

    def moments(self, x: Array) -> Moments:
        """What each column is measured by: (…, 1, d), and the columns around their means, (…, n, d)."""
        mean = x.mean(-2, keepdims=True)
        centred = x - mean
        variance = (centred * centred).mean(-2, keepdims=True)
        sigma = np.sqrt(variance + self.epsilon) if self.inside else np.sqrt(variance) + self.epsilon
        return Moments(mean, centred, variance, sigma)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, gamma, beta = parents
        return through_norm(gradient, self.moments(x), -2, self.inside, gamma, beta)

    def formula(self, *symbols: str) -> str:
        x, gamma, beta = symbols
        sigma = r"\sqrt{\sigma_j^2 + \epsilon}" if self.inside else r"\sigma_j + \epsilon"
        return rf"\frac{{{x} - \mu_j}}{{{sigma}}} \, {gamma} + {beta}"

    def code(self, *names: str) -> str:
        x, gamma, beta = names
        variance = "(c * c).mean(-2, keepdims=True)"
        sigma = f"np.sqrt({variance} + {self.epsilon})" if self.inside else f"(np.sqrt({variance}) + {self.epsilon})"
        return f"(c := {x} - {x}.mean(-2, keepdims=True)) / {sigma} * {gamma} + {beta}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, gamma, beta = parents
        column = x[(*cell[:-2], slice(None), cell[-1])]
        mean = step("mean", column, label="mean μ of the column")
        variance = step("mean", step("square", step("subtract", column, mean)), label="variance σ²")
        epsilon = Constant(self.epsilon, f"{self.epsilon:g}".replace("e-0", "e−"))
        if self.inside:
            sigma = step("sqrt", step("add", variance, epsilon), label="root")
        else:
            sigma = step("add", step("sqrt", variance, label="σ"), epsilon)
        unit = step("divide", step("subtract", x[cell], mean), sigma, label="with mean 0, variance 1")
        stretched = step("multiply", unit, gamma[cell[-1]], label="times γ")
        return step("add", stretched, beta[cell[-1]], label="plus β")
