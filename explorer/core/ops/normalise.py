"""Norms: rows or columns scaled to variance 1, or to a root mean square of 1."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Source, Step, step
from explorer.core.numbers import with_power
from explorer.core.ops.base import Kept, Op, Slip, Surroundings, added, mean, passed, summed_to
from explorer.core.ops.shares import own_place


class Moments(NamedTuple):
    """The statistics of each line of a matrix: (…, n, 1) for rows and (…, 1, d) for columns."""

    mean: Array  # 0 for a norm that does not centre
    centred: Array  # the numbers minus that mean, in the shape of the matrix
    variance: Array  # the mean of their squares
    sigma: Array  # the divisor: √(variance + ε), or √variance + ε


class Norm(Op):
    """Each line of a matrix scaled to a common size, then each feature multiplied by its γ, plus its β.

    Parents are the matrix (…, n, d), γ, (d,), and β, (d,), if the norm has one.
    """

    epsilon: float = 1e-5  # a small number, so that a constant line is not divided by 0
    # Whether ε is inside the root, sqrt(σ² + ε), as in practice, or is added to σ, as in the scripts for the decoder of
    # The Math Behind GPT Models.
    inside: bool = True
    offset: float = 0.0  # added to the learned γ: with 1, a γ of 0 changes nothing

    normalises = True
    axis: ClassVar[int] = -1
    """The axis of a line: -1 for rows, -2 for columns."""
    centres: ClassVar[bool] = True
    """Whether the mean of a line is subtracted from it."""
    moves: ClassVar[bool] = True
    """Whether a β is added to each feature at the end."""
    aim: ClassVar[str] = "mean 0 and variance 1"
    """What the norm gives a line, as words of a sentence."""
    of_line: ClassVar[str] = ""
    """The index that symbols of a line carry in the formula."""
    below: ClassVar[str] = r"\sigma"
    """The symbol of the divisor of a line."""

    @property
    def gamma(self) -> str:
        """The starting value of γ, see `Input`, with which it changes nothing."""
        return "zeros" if self.offset else "ones"

    def moments(self, x: Array) -> Moments:
        """The statistics of each line: (…, n, 1) for rows, (…, 1, d) for columns."""
        if self.centres:
            middle = mean(x, self.axis)
            centred = x - middle
        else:
            centred = x
            middle = np.zeros((x[..., :1] if self.axis == -1 else x[..., :1, :]).shape, x.dtype)
        variance = mean(centred * centred, self.axis)
        return Moments(middle, centred, variance, self._sigma(variance))

    def _sigma(self, variance: Array) -> Array:
        return np.sqrt(variance + self.epsilon) if self.inside else np.sqrt(variance) + self.epsilon

    def _stretch(self, gamma: Array) -> Array:
        return gamma + self.offset if self.offset else gamma

    def forward(self, *parents: Array) -> Array:
        x, gamma, *beta = parents
        line = self.moments(x)
        result: Array = line.centred / line.sigma * self._stretch(gamma)
        return result + beta[0] if beta else result

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # Mean and variance depend on the whole line, so each number changes all others (Ioffe & Szegedy 2015, §3).
        x, gamma, *beta = parents
        _, centred, variance, sigma = self.moments(x)
        stretch = self._stretch(gamma)
        unit = centred / sigma  # each line scaled to the common size
        # dσ/dvariance = 1 / (2 root), where root is σ itself, or σ without ε.
        root = sigma if self.inside else np.sqrt(variance)
        along = unit if self.inside else np.divide(centred, root, out=np.zeros_like(unit), where=root != 0)
        # (g − mean of g − along · mean of g · unit) / σ, with g = γ · gradient; without the first mean for a norm that
        # does not centre.
        of_x = gradient * stretch
        pull = self._mean_product(of_x, unit)
        if self.centres:
            of_x -= self._mean_product(gradient, np.broadcast_to(stretch, gradient.shape))
        of_x -= along * pull
        of_x /= sigma
        d = x.shape[-1]
        of_gamma = np.einsum("nd,nd->d", gradient.reshape(-1, d), unit.reshape(-1, d))
        if not np.isfinite(np.vdot(of_gamma, of_gamma)):
            of_gamma = passed(gradient, unit).reshape(-1, d).sum(0)
        return of_x, of_gamma, *(summed_to(b.shape, gradient) for b in beta)

    def _mean_product(self, a: Array, b: Array) -> Array:
        """The mean of the products along each line, in a third of the time of a product followed by a mean."""
        sums = np.vecdot(a.swapaxes(self.axis, -1), b.swapaxes(self.axis, -1))
        return np.asarray(sums[..., None] / a.shape[self.axis]).swapaxes(self.axis, -1)

    def reading(self, reader: Array, x: Array, *weights: Array) -> tuple[float, Array, float]:
        """The vector that gives on the row before the norm what `reader` gives after it, with the divisor held fixed.

        `reader`: (d,): its dot product with the normed row is a number, such as a logit.
        `x`: the row, (d,).
        `*weights`: γ, and β if there is one: (d,).
        Returns σ; the vector to apply to the row, (d,); and the contribution of β.
        """
        gamma, *beta = weights
        sigma = float(self.moments(x[None]).sigma[0, 0])
        read = self._stretch(gamma) * reader / sigma
        # (part − its mean) · read is part · (read − mean of read), so it is subtracted here once for all parts.
        return sigma, read - read.mean() if self.centres else read, float(beta[0] @ reader) if beta else 0.0

    def formula(self, *symbols: str) -> str:
        x, gamma, *beta = symbols
        root = rf"{self.below}{self.of_line}"
        divisor = rf"\sqrt{{{root}^2 + \varepsilon}}" if self.inside else rf"{root} + \varepsilon"
        above = rf"{x} - \mu{self.of_line}" if self.centres else x
        stretch = rf"({self.offset:g} + {gamma})" if self.offset else gamma
        return rf"\frac{{{above}}}{{{divisor}}} \, {stretch}" + "".join(f" + {b}" for b in beta)

    def code(self, *names: str) -> str:
        x, gamma, *beta = names
        if self.centres:
            centred, c = f"(c := {x} - {x}.mean({self.axis}, keepdims=True))", "c"
        else:
            centred, c = x, x
        variance = f"({c} * {c}).mean({self.axis}, keepdims=True)"
        sigma = f"np.sqrt({variance} + {self.epsilon})" if self.inside else f"(np.sqrt({variance}) + {self.epsilon})"
        stretch = f"({gamma} + {self.offset})" if self.offset else gamma
        return f"{centred} / {sigma} * {stretch}" + "".join(f" + {b}" for b in beta)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, gamma, *beta = parents
        if parent == 2:
            return added(at, value)
        if parent == 1:
            stretch = self._factor(gamma, cell[-1])
            if not stretch.value:
                return super().derivative(parent, cell, at, value, *parents)
            above = step("subtract", value[at], beta[0][cell]) if beta else value[at]
            return step("divide", above, stretch, label="before γ and β" if beta else "before γ")
        mean, root, divisor = self._measured(x, cell)
        # Each number of a line changes all of the line: itself directly, the others through the root and through μ.
        n = x.value.shape[self.axis]
        of_root: Argument = Constant(0, "0")
        if root.value:
            below = step("multiply", Constant(n, str(n)), root)
            label = "slope of the root" if self.inside or not self.centres else "slope of σ"
            of_root = step("divide", self._above(x, cell, mean), below, label=label)
        unit = step("divide", self._above(x, at, mean), divisor, label=self._labels[0])
        own = own_place(n, cell[self.axis], at[self.axis])
        apart = step("subtract", own, step("multiply", unit, of_root))
        if self.centres:
            apart = step("subtract", apart, step("divide", Constant(1, "1"), Constant(n, str(n)), label="slope of μ"))
        slope = step("multiply", apart, self._factor(gamma, at[-1]))
        return step("divide", slope, divisor, label="slope of the norm")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        x, gamma, *beta = parents
        of_line = x[(*cell[:-1], slice(None)) if self.axis == -1 else (*cell[:-2], slice(None), cell[-1])]
        variance = f"VARP({of_line})" if self.centres else f"SUMSQ({of_line})/{x.shape[self.axis]}"
        deviation = f"STDEVP({of_line})" if self.centres else f"SQRT({variance})"
        sigma = f"SQRT({variance}+{self.epsilon})" if self.inside else f"({deviation}+{self.epsilon})"
        above = f"({x[cell]}-AVERAGE({of_line}))" if self.centres else x[cell]
        stretch = f"({gamma[cell[-1]]}+{self.offset:g})" if self.offset else gamma[cell[-1]]
        return f"{above}/{sigma}*{stretch}" + "".join(f"+{b[cell[-1]]}" for b in beta)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, gamma, *beta = parents
        mean, _, divisor = self._measured(x, cell)
        unit = step("divide", self._above(x, cell, mean), divisor, label=self._labels[0])
        label = f"times {self.offset:g} + γ" if self.offset else "times γ"
        result = step("multiply", unit, self._factor(gamma, cell[-1]), label=label)
        return step("add", result, beta[0][cell[-1]], label="plus β") if beta else result

    def _factor(self, gamma: Source, at: int | slice) -> Argument:
        """The factor of the line: γ, or 1 + γ."""
        return step("add", Constant(self.offset, f"{self.offset:g}"), gamma[at]) if self.offset else gamma[at]

    def _above(self, x: Source, at: Index, mean: Step | None) -> Argument:
        """The numerator: a number, minus the mean if this norm centres."""
        return x[at] if mean is None else step("subtract", x[at], mean)

    @property
    def _labels(self) -> tuple[str, str]:
        """Labels for a number scaled to the common size, and for the mean of the squares."""
        if self.centres:
            return "with mean 0, variance 1", "variance σ²"
        return "with root mean square 1", "mean square"

    def _measured(self, x: Source, cell: Index) -> tuple[Step | None, Step, Step]:
        """Mean, root and divisor of the line of a cell; with ε inside the root, root and divisor are the same."""
        rows = self.axis == -1
        line = x[(*cell[:-1], slice(None)) if rows else (*cell[:-2], slice(None), cell[-1])]
        mean = step("mean", line, label="mean μ" if rows else "mean μ of the column") if self.centres else None
        variance = self._mean_square(line if mean is None else step("subtract", line, mean))
        epsilon = Constant(self.epsilon, with_power(f"{self.epsilon:g}"))
        if self.inside:
            root = step("sqrt", step("add", variance, epsilon), label="root")
            return mean, root, root
        root = step("sqrt", variance, label="σ" if self.centres else "root mean square")
        return mean, root, step("add", root, epsilon)

    def _mean_square(self, centred: Argument) -> Step:
        return step("mean", step("square", centred), label=self._labels[1])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if self.centres:
            rows, how = self.axis == -1, (self.epsilon, self.inside, self.offset)
            lines, axis = (BatchNorm, "the columns, not the rows") if rows else (LayerNorm, "the rows, not the columns")
            yield Slip("wrong axis", f"if mean and variance are those of {axis}", lines(self.epsilon, self.inside))
            undivided: type[Norm] = UndividedRows if rows else UndividedColumns
            by_variance: type[Norm] = RowsByVariance if rows else ColumnsByVariance
            yield Slip("not divided", "if the mean is subtracted and nothing is divided", undivided(*how))
            yield Slip("by variance", "if one divides by the variance, not by its root", by_variance(*how))
        yield Slip("no ε", "without ε", replace(self, epsilon=0.0))
        where = "added to σ" if self.inside else "added inside the root"
        yield Slip("ε elsewhere", f"if ε is {where}", replace(self, inside=not self.inside))
        if self.centres and self.axis == -1 and around.shapes[0][-1] > 1:
            yield Slip("n − 1", "if the variance is divided by n − 1, not by n", OneLess(self.epsilon, self.inside))
        yield Slip("no norm", "before the norm", Kept())


class LayerNorm(Norm):
    """Each row with mean 0 and variance 1, then multiplied by γ, plus β (Ba et al. 2016, equation 3)."""

    subscripts = "ik,j,j->ij"


class OneLess(LayerNorm):
    """A layer norm whose variance is divided by n − 1, as for a sample: a slip."""

    def moments(self, x: Array) -> Moments:
        found, n = super().moments(x), x.shape[-1]
        variance = found.variance * n / (n - 1)
        return found._replace(variance=variance, sigma=self._sigma(variance))

    def _mean_square(self, centred: Argument) -> Step:
        less = np.size(centred.value) - 1
        squares = step("sum", step("square", centred))
        return step("divide", squares, Constant(less, str(less)), label="variance, divided by n − 1")


class BatchNorm(Norm):
    """Each column with mean 0 and variance 1 over the rows, then multiplied by γ, plus β (Ioffe & Szegedy 2015).

    Each feature is normalised over all examples; layer norm normalises each example over its features.
    """

    subscripts = "kj,j,j->ij"
    axis = -2
    of_line = "_j"


class Undivided(Norm):
    """Each line minus its mean, then times γ, plus β, with no division between: a slip."""

    def moments(self, x: Array) -> Moments:
        found = super().moments(x)
        return found._replace(sigma=np.ones_like(found.sigma))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, gamma, *beta = parents
        centred = step("subtract", x[cell], self._measured(x, cell)[0] or Constant(0.0, "0"), label="minus the mean")
        result = step("multiply", centred, self._factor(gamma, cell[-1]), label="times γ")
        return step("add", result, beta[0][cell[-1]], label="plus β") if beta else result


class UndividedRows(Undivided, LayerNorm):
    """`Undivided`, of rows."""


class UndividedColumns(Undivided, BatchNorm):
    """`Undivided`, of columns."""


class ByVariance(Norm):
    """A norm that divides by the variance, not by its root: a slip."""

    def _sigma(self, variance: Array) -> Array:
        return variance + self.epsilon

    @property
    def _labels(self) -> tuple[str, str]:
        return "divided by the variance", super()._labels[1]

    def _measured(self, x: Source, cell: Index) -> tuple[Step | None, Step, Step]:
        mean, root, _ = super()._measured(x, cell)
        below = root.arguments[0]
        if not self.inside:
            below = step("add", below, Constant(self.epsilon, with_power(f"{self.epsilon:g}")))
        assert isinstance(below, Step)
        return mean, below, below


class RowsByVariance(ByVariance, LayerNorm):
    """`ByVariance`, of rows."""


class ColumnsByVariance(ByVariance, BatchNorm):
    """`ByVariance`, of columns."""


class RMSNorm(Norm):
    """Each row divided by the root of the mean of its squares, then times γ (Zhang & Sennrich 2019, equation 4).

    No mean is subtracted and nothing is added at the end.
    """

    subscripts = "ik,j->ij"
    centres = False
    moves = False
    aim = "a root mean square of 1"
    below = r"\mathrm{RMS}"

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        centred = LayerNorm(self.epsilon, self.inside, self.offset)
        yield Slip("mean subtracted", "if the mean is subtracted first, as layer norm does", centred)
        yield from super().slips(around)


NORMS: dict[str, Norm] = {"layer norm": LayerNorm(), "RMS norm": RMSNorm(), "RMS norm, 1 + γ": RMSNorm(offset=1.0)}
"""The norms of a block, by their name in the switch."""
