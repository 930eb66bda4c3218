"""Rows or columns brought to a common measure: shares that add up to one, variance 1, or a root mean square of 1."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from explorer.core.cell import MINUS_INFINITY, Argument, CellBlock, Constant, Index, Operand, Source, Step, step
from explorer.core.ops.base import Array, Op, added, mean, passed, summed_to
from explorer.core.ops.slips import Hidden, Kept, Slip, Surroundings, Then, Turned


@dataclass(frozen=True)
class Softmax(Op):
    """Each row as shares that add up to 1 (Vaswani et al. 2017, equation 1; Goodfellow et al. 2016, equation 6.29).

    The largest entry is subtracted first, which changes nothing but keeps ``exp`` from overflowing. A row that is
    masked whole has nothing to share: its weights are all 0. A row with NaN or +∞ becomes NaN, visibly.
    """

    subscripts = "ik->ij"
    latex = r"\mathrm{softmax}(%s)"
    shares = True
    softens = True

    def forward(self, *parents: Array) -> Array:
        (z,) = parents
        # A row of −∞ has the lowest finite number subtracted, not −∞, so that it gives exp(−∞) = 0 instead of NaN.
        # In every other row the largest entry contributes exp(0) = 1: the sum is at least 1, the second maximum idle.
        shares: Array = z - np.maximum(largest(z), lowest(z.dtype))
        np.exp(shares, out=shares)
        shares /= np.maximum(np.add.reduce(shares, -1, keepdims=True), 1)
        return shares

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # dp_k/dz_j = p_k (δ_kj − p_j), so dL/dz_j = g_j p_j − p_j Σ_k g_k p_k (Goodfellow et al. 2016, §6.2.2.3).
        parts = passed(gradient, value)
        total = np.einsum("...k->...", parts)[..., None]
        return (parts - (value * total if np.isfinite(total).all() else passed(total, value)),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        own = own_place(value.value.shape[-1], cell[-1], at[-1])
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

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if len(around.axes) > 1 and around.shapes[0][-2] > 1:  # nobody goes down a column of one number
            down = Turned(self, (0,), True)
            yield Slip("wrong axis", "if softmax runs down the columns and not along the rows", down)
        if around.axes[-1:] == around.axes[-2:-1] and not around.masked:
            yield Slip("masked", "if what comes later is hidden, which it is not here", Hidden(self))
        yield Slip("no powers", "if each number is divided by the sum, without e to its power", RowShares())
        yield Slip("not divided", "if e to the power is not divided by the sum of the row", Then(Kept(), "exp"))
        yield Slip("no softmax", "before softmax", Kept())


@dataclass(frozen=True)
class SinkSoftmax(Op):
    """Softmax with one more logit in each row, the sink, whose share is thrown away: the rest is less than 1.

    So a head can look at nothing. Parents are the logits, (n_heads, n, m), and a learned sink for each head, (n_heads,)
    (OpenAI, gpt-oss, 2025; the idea is in Xiao et al. 2024).
    """

    subscripts = "hik,h->hij"
    shares = True

    def forward(self, *parents: Array) -> Array:
        z, sink = parents
        lowest = sink[..., :, None, None]
        top = np.maximum(largest(z), lowest)
        powers = np.exp(z - top)
        shares: Array = powers / (powers.sum(-1, keepdims=True) + np.exp(lowest - top))
        return shares

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        parts = passed(gradient, value)
        moved = parts.sum(-1, keepdims=True)
        # The share of the sink is what is missing to 1; it takes from all others.
        left = 1 - value.sum(-1, keepdims=True)
        of_sink = -(moved * left).sum((-2, -1))
        return parts - value * moved, summed_to(parents[1].shape, of_sink)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        if parent == 1:
            row = value[(*at[:-1], slice(None))]
            left = step(
                "subtract", Constant(1.0, "1"), step("sum", row, label="sum of the row"), label="share of the sink"
            )
            return step("negate", step("multiply", value[at], left), label="slope of softmax")
        own = own_place(value.value.shape[-1], cell[-1], at[-1])
        return step("multiply", value[at], step("subtract", own, value[cell]), label="slope of softmax")

    def formula(self, *symbols: str) -> str:
        return r"\frac{e^{%s}}{e^{%s} + \sum_j e^{{%s}_j}}" % (symbols[0], symbols[1], symbols[0])

    def code(self, *names: str) -> str:
        z, sink = names
        lowest = f"(s := {sink}[..., :, None, None])"
        top = f"(top := np.maximum({z}.max(-1, keepdims=True), {lowest}))"
        return f"(e := np.exp({z} - {top})) / (e.sum(-1, keepdims=True) + np.exp(s - top))"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        z, sink = parents
        own, row, low = z[cell], z[(*cell[:-1], slice(None))], sink[cell[-3:-2]]
        top = f"MAX(MAX({row}),{low})"
        return f"EXP({own}-{top})/(SUMPRODUCT(EXP({row}-{top}))+EXP({low}-{top}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        z, sink = parents
        row, low = z[(*cell[:-1], slice(None))], sink[cell[-3:-2]]
        top = step("maximum", step("max", row, label="largest in the row"), low)
        powers = step("exp", step("subtract", row, top), label="e to the power of the difference")
        below = step("sum", powers, label="sum over the row")
        all_of_it = step("add", below, step("exp", step("subtract", low, top)), label="with the sink")
        return step("divide", step("exp", step("subtract", z[cell], top)), all_of_it, label="share")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no sink", "without the sink", WithoutSink())


@dataclass(frozen=True)
class WithoutSink(Op):
    """The softmax of the first parent alone: a slip."""

    def forward(self, *parents: Array) -> Array:
        return Softmax().forward(parents[0])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return Softmax().explain(cell, parents[0])


@lru_cache(maxsize=8)
def lowest(dtype: np.dtype[Any]) -> Any:
    """The lowest finite number of a type."""
    return np.finfo(dtype).min


def largest(z: Array) -> Array:
    """The largest number of each row: (…, n, m) gives (…, n, 1)."""
    m = z.shape[-1]
    if m > 64 or z.size < 4096:
        return np.asarray(np.maximum.reduce(z, -1, keepdims=True))
    # numpy goes through each row by itself. Many short ones take a fifth of the time side by side in columns.
    return np.asarray(z.reshape(-1, m).T.copy().max(0)).reshape(*z.shape[:-1], 1)


@dataclass(frozen=True)
class RowShares(Op):
    """Each row divided by its sum: what the lecture Attention and Transformers calls scaling, though it prints softmax.

    A masked entry, −∞, counts as 0, and a row that adds up to 0 becomes all 0.
    """

    subscripts = "ik->ij"
    shares = True

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
        own = own_place(x.value.shape[-1], cell[-1], at[-1])
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

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("softmax", "if softmax is taken, with e to the power of each", Softmax())
        yield Slip("not divided", "before it is divided by the sum of the row", Kept())


def own_place(n: int, own: int, at: int | slice) -> Constant:
    """δ: 1 at its own place in a line of n, 0 at the others."""
    delta = (np.arange(n) == own).astype(np.int64)[at]
    return Constant(delta, "" if np.ndim(delta) else str(delta))


class Moments(NamedTuple):
    """What each line of a matrix is measured by, for rows (…, n, 1) and for columns (…, 1, d)."""

    mean: Array  # 0 for a norm that does not centre
    centred: Array  # the numbers minus that mean, in the shape of the matrix
    variance: Array  # the mean of their squares
    sigma: Array  # what these are divided by: √(variance + ε), or √variance + ε


@dataclass(frozen=True)
class Norm(Op):
    """Each line of a matrix brought to a common size, then each feature stretched by its γ and moved by its β.

    Parents are the matrix (…, n, d), γ, (d,), and β, (d,), where the norm has one.
    """

    epsilon: float = 1e-5  # the small number that keeps a constant line from dividing by 0
    # Whether ε stands inside the root, sqrt(σ² + ε), as in practice, or is added to σ, as The Math Behind GPT Models
    # does in its scripts for the decoder.
    inside: bool = True
    offset: float = 0.0  # what is added to the learned γ before it stretches: with 1, a γ of 0 changes nothing

    normalises = True
    axis: ClassVar[int] = -1
    """Along which a line runs: -1 for rows, -2 for columns."""
    centres: ClassVar[bool] = True
    """Whether the mean of a line is taken away from it."""
    moves: ClassVar[bool] = True
    """Whether a β moves each feature in the end."""
    aim: ClassVar[str] = "mean 0 and variance 1"
    """What a line is brought to, in a sentence."""
    of_line: ClassVar[str] = ""
    """What a symbol of the line carries in the formula."""
    below: ClassVar[str] = r"\sigma"
    """The symbol of what a line is divided by."""

    @property
    def gamma(self) -> str:
        """What γ begins as, see `Input`: so that at first it changes nothing."""
        return "zeros" if self.offset else "ones"

    def moments(self, x: Array) -> Moments:
        """What each line is measured by: (…, n, 1) for rows, (…, 1, d) for columns."""
        if self.centres:
            middle = mean(x, self.axis)
            centred = x - middle
        else:
            centred = x
            middle = np.zeros((x[..., :1] if self.axis == -1 else x[..., :1, :]).shape, x.dtype)
        variance = mean(centred * centred, self.axis)
        return Moments(middle, centred, variance, self._sigma(variance))

    def _sigma(self, variance: Array) -> Array:
        found: Array = np.sqrt(variance + self.epsilon) if self.inside else np.sqrt(variance) + self.epsilon
        return found

    def _stretch(self, gamma: Array) -> Array:
        return gamma + self.offset if self.offset else gamma

    def forward(self, *parents: Array) -> Array:
        x, gamma, *beta = parents
        line = self.moments(x)
        result: Array = line.centred / line.sigma * self._stretch(gamma)
        return result + beta[0] if beta else result

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # Mean and variance depend on the whole line, so each number of it moves all others (Ioffe & Szegedy 2015, §3).
        x, gamma, *beta = parents
        _, centred, variance, sigma = self.moments(x)
        stretch = self._stretch(gamma)
        unit = centred / sigma  # each line brought to the common size
        # dσ/dvariance = 1 / (2 root), where root is σ itself, or σ without its ε.
        root = sigma if self.inside else np.sqrt(variance)
        along = unit if self.inside else np.divide(centred, root, out=np.zeros_like(unit), where=root != 0)
        # (g − mean of g − along · mean of g · unit) / σ, with g = γ · gradient; without the first mean if none was
        # taken away.
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
        """The mean of the products along each line, in a third of the time of a product and its mean."""
        sums = np.vecdot(a.swapaxes(self.axis, -1), b.swapaxes(self.axis, -1))
        return np.asarray(sums[..., None] / a.shape[self.axis]).swapaxes(self.axis, -1)

    def reading(self, reader: Array, x: Array, *weights: Array) -> tuple[float, Array, float]:
        """What a reader of a normed row reads of the row as it was, with what it is divided by as it is.

        Parameters
        ----------
        reader : numpy.ndarray
            (d,): the normed row times it is a number, such as a logit.
        x : numpy.ndarray
            The row, (d,).
        *weights : numpy.ndarray
            γ, and β where there is one: (d,).

        Returns
        -------
        tuple of float, numpy.ndarray and float
            σ; what reads the row, (d,); and the number that comes from β alone.
        """
        gamma, *beta = weights
        sigma = float(self.moments(x[None]).sigma[0, 0])
        read = self._stretch(gamma) * reader / sigma
        # (part − its mean) · read is part · (read − mean of read): taken off once for all parts.
        return sigma, read - read.mean() if self.centres else read, float(beta[0] @ reader) if beta else 0.0

    def formula(self, *symbols: str) -> str:
        x, gamma, *beta = symbols
        root = rf"{self.below}{self.of_line}"
        divisor = rf"\sqrt{{{root}^2 + \epsilon}}" if self.inside else rf"{root} + \epsilon"
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
        # Each number of a line moves all of it: itself, and the others through the root and through μ.
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
        """What stretches: γ, or 1 + γ."""
        return step("add", Constant(self.offset, f"{self.offset:g}"), gamma[at]) if self.offset else gamma[at]

    def _above(self, x: Source, at: Index, mean: Step | None) -> Argument:
        """What stands above the fraction bar: a number, its mean taken away where this norm centres."""
        return x[at] if mean is None else step("subtract", x[at], mean)

    @property
    def _labels(self) -> tuple[str, str]:
        """Of a number brought to the common size, and of the mean of the squares."""
        return (
            ("with mean 0, variance 1", "variance σ²") if self.centres else ("with root mean square 1", "mean square")
        )

    def _measured(self, x: Source, cell: Index) -> tuple[Step | None, Step, Step]:
        """Mean, root and divisor of the line that a cell is in; with ε inside the root the last two are one."""
        rows = self.axis == -1
        line = x[(*cell[:-1], slice(None)) if rows else (*cell[:-2], slice(None), cell[-1])]
        mean = step("mean", line, label="mean μ" if rows else "mean μ of the column") if self.centres else None
        variance = self._mean_square(line if mean is None else step("subtract", line, mean))
        epsilon = Constant(self.epsilon, f"{self.epsilon:g}".replace("e-0", "e−"))
        if self.inside:
            root = step("sqrt", step("add", variance, epsilon), label="root")
            return mean, root, root
        root = step("sqrt", variance, label="σ" if self.centres else "root mean square")
        return mean, root, step("add", root, epsilon)

    def _mean_square(self, centred: Argument) -> Step:
        return step("mean", step("square", centred), label=self._labels[1])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if self.centres:
            lines, axis = (
                (BatchNorm, "the columns, not the rows")
                if self.axis == -1
                else (LayerNorm, "the rows, not the columns")
            )
            yield Slip("wrong axis", f"if mean and variance are those of {axis}", lines(self.epsilon, self.inside))
        yield Slip("no ε", "without ε", replace(self, epsilon=0.0))
        where = "added to σ" if self.inside else "added inside the root"
        yield Slip("ε elsewhere", f"if ε is {where}", replace(self, inside=not self.inside))
        if self.centres and self.axis == -1 and around.shapes[0][-1] > 1:
            yield Slip("n − 1", "if the variance is divided by n − 1, not by n", OneLess(self.epsilon, self.inside))
        yield Slip("no norm", "before the norm", Kept())


@dataclass(frozen=True)
class LayerNorm(Norm):
    """Each row with mean 0 and variance 1, then stretched by γ and moved by β (Ba et al. 2016, equation 3)."""

    subscripts = "ik,j,j->ij"


@dataclass(frozen=True)
class OneLess(LayerNorm):
    """A layer norm whose variance is divided by n − 1, as that of a sample is: a slip."""

    def moments(self, x: Array) -> Moments:
        found, n = super().moments(x), x.shape[-1]
        variance = found.variance * n / (n - 1)
        return found._replace(variance=variance, sigma=self._sigma(variance))

    def _mean_square(self, centred: Argument) -> Step:
        less = np.size(centred.value) - 1
        squares = step("sum", step("square", centred))
        return step("divide", squares, Constant(less, str(less)), label="variance, divided by n − 1")


@dataclass(frozen=True)
class BatchNorm(Norm):
    """Each column with mean 0 and variance 1 over the rows, then stretched by γ and moved by β (Ioffe & Szegedy 2015).

    Each feature is measured over all examples, where layer norm measures each example over its features.
    """

    subscripts = "kj,j,j->ij"
    axis = -2
    of_line = "_j"


@dataclass(frozen=True)
class RMSNorm(Norm):
    """Each row divided by the root of the mean of its squares, then stretched by γ (Zhang & Sennrich 2019, equation 4).

    No mean is taken away and nothing is added at the end.
    """

    subscripts = "ik,j->ij"
    centres = False
    moves = False
    aim = "a root mean square of 1"
    below = r"\mathrm{RMS}"

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        centred = Centred(self.epsilon, self.inside, self.offset)
        yield Slip("mean taken away", "if the mean is taken away first, as layer norm does", centred)
        yield from super().slips(around)


@dataclass(frozen=True)
class Centred(RMSNorm):
    """An RMS norm that takes the mean away first: a slip."""

    centres = True


NORMS: dict[str, Norm] = {"layer norm": LayerNorm(), "RMS norm": RMSNorm(), "RMS norm, 1 + γ": RMSNorm(offset=1.0)}
"""The norms of a block, by what its switch calls them."""
