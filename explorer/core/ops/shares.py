"""Rows turned into shares that sum to 1: softmax, with or without a sink, and plain division; and what shares choose.

In a mixture of experts there are several nets, and a router chooses a few of them for each word by its shares.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.core.cell import MINUS_INFINITY, Argument, Array, CellBlock, Constant, Index, Operand, Source, Step, step
from explorer.core.ops.base import Fewer, Hidden, Kept, Op, Slip, Surroundings, Then, Turned, added, passed, summed_to


class Softmax(Op):
    """Each row as shares that sum to 1 (Vaswani et al. 2017, equation 1; Goodfellow et al. 2016, equation 6.29).

    The largest entry is subtracted first; this does not change the result but keeps ``exp`` from overflowing. In a
    fully masked row all weights are 0. A row with NaN or +∞ becomes NaN.
    """

    subscripts = "ik->ij"
    latex = r"\mathrm{softmax}(%s)"
    shares = True
    softens = True

    def forward(self, *parents: Array) -> Array:
        (z,) = parents
        # From a row of −∞ the lowest finite number is subtracted, not −∞: it then gives exp(−∞) = 0, not NaN. In every
        # other row the largest entry gives exp(0) = 1: the sum is at least 1; the second maximum has no effect.
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
        share = super().sheet(cell, z)
        return f"IF(MAX({z[(*cell[:-1], slice(None))]})={MINUS_INFINITY},0,{share})" if z.masked else share

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
        if len(around.axes) > 1 and around.shapes[0][-2] > 1:  # nobody runs down columns of a single row
            down = Turned(self, (0,), True)
            yield Slip("wrong axis", "if softmax runs down the columns and not along the rows", down)
        if around.axes[-1:] == around.axes[-2:-1] and not around.masked:
            yield Slip("masked", "if what comes later is hidden, which it is not here", Hidden(self))
        yield Slip("no powers", "if each number is divided by the sum, without e to its power", RowShares())
        yield Slip("not divided", "if e to the power is not divided by the sum of the row", Then(Kept(), "exp"))
        yield Slip("no softmax", "before softmax", Kept())


class SinkSoftmax(Op):
    """Softmax with one more logit in each row, the sink, whose share is dropped: the other shares sum to less than 1.

    So a head can attend to nothing. Parents are the logits, (n_heads, n, m), and a learned sink for each head,
    (n_heads,) (OpenAI, gpt-oss, 2025; the idea is in Xiao et al. 2024).
    """

    subscripts = "hik,h->hij"
    shares = True

    def forward(self, *parents: Array) -> Array:
        z, sink = parents
        lowest = sink[..., :, None, None]
        top = np.maximum(largest(z), lowest)
        powers = np.exp(z - top)
        return powers / (powers.sum(-1, keepdims=True) + np.exp(lowest - top))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        parts = passed(gradient, value)
        moved = parts.sum(-1, keepdims=True)
        # The sink's share is 1 minus the sum of the row; a larger sink makes all others smaller.
        left = 1 - value.sum(-1, keepdims=True)
        of_sink = -(moved * left).sum((-2, -1))
        return parts - value * moved, summed_to(parents[1].shape, of_sink)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        if parent == 1:
            row = value[(*at[:-1], slice(None))]
            others = step("sum", row, label="sum of the row")
            left = step("subtract", Constant(1.0, "1"), others, label="share of the sink")
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

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        z, sink = parents
        row, low = z[(*cell[:-1], slice(None))], sink[cell[-3:-2]]
        top = step("maximum", step("max", row, label="largest in the row"), low)
        powers = step("exp", step("subtract", row, top), label="e to the power of the difference")
        below = step("sum", powers, label="sum over the row")
        all_of_it = step("add", below, step("exp", step("subtract", low, top)), label="with the sink")
        return step("divide", step("exp", step("subtract", z[cell], top)), all_of_it, label="share")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no sink", "without the sink", Fewer(Softmax()))


@lru_cache(maxsize=8)
def lowest(dtype: np.dtype[Any]) -> Any:
    """The lowest finite number of a type."""
    return np.finfo(dtype).min


def largest(z: Array) -> Array:
    """The largest number of each row: (…, n, m) gives (…, n, 1)."""
    m = z.shape[-1]
    if m > 64 or z.size < 4096:
        return np.asarray(np.maximum.reduce(z, -1, keepdims=True))
    # numpy reduces each row by itself. Many short rows, transposed into columns, take a fifth of the time.
    return np.asarray(z.reshape(-1, m).T.copy().max(0)).reshape(*z.shape[:-1], 1)


class RowShares(Op):
    """Each row divided by its sum: the lecture Attention and Transformers calls this scaling, though it prints softmax.

    A masked entry, −∞, counts as 0; a row whose sum is 0 becomes all 0.
    """

    subscripts = "ik->ij"
    shares = True

    def forward(self, *parents: Array) -> Array:
        x = np.where(np.isneginf(parents[0]), 0, parents[0])
        total = x.sum(-1, keepdims=True)
        return np.divide(x, total, out=np.zeros_like(x), where=total != 0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # y_k = x_k / s: dy_k/dx_j = (δ_kj − y_k) / s. Masked entries, and rows whose sum is 0, have slope 0.
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
    """δ: 1 at place `own` in a line of n, 0 elsewhere."""
    return _zeros_and_ones(np.arange(n) == own, at)


def _zeros_and_ones(line: Array, at: int | slice) -> Constant:
    found = line.astype(np.int64)[at]
    return Constant(found, "" if np.ndim(found) else str(found))


class Route(Op):
    """The k largest shares of each word, all others 0: the experts that are used for it (Shazeer et al. 2017, §2.1).

    The parent is the router's shares, (n, n_experts). Of equal shares the first is taken.
    """

    k: int
    again: bool = True  # whether the chosen shares are divided by their sum, so that they sum to 1 again (Mixtral)
    subscripts = "ik->ij"
    shares = True

    def chosen(self, shares: Array) -> Array:
        """Which experts are chosen, in the shape of the shares."""
        order = np.argsort(-shares, axis=-1, kind="stable")[..., : self.k]
        chosen = np.zeros(shares.shape, dtype=np.bool_)
        np.put_along_axis(chosen, order, True, axis=-1)
        return chosen

    def forward(self, *parents: Array) -> Array:
        (shares,) = parents
        chosen = self.chosen(shares)
        kept = np.where(chosen, shares, 0).astype(shares.dtype, copy=False)
        if not self.again:
            return kept
        # Shares that are pinned may sum to 0: an expert that is not chosen still gets nothing.
        return np.where(chosen, kept / kept.sum(-1, keepdims=True), 0).astype(shares.dtype, copy=False)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # A small step does not change which experts are chosen, so only the chosen ones pass a gradient on.
        (shares,) = parents
        chosen = self.chosen(shares)
        if not self.again:
            return (passed(gradient, chosen),)
        total = np.where(chosen, shares, 0).sum(-1, keepdims=True)
        away = gradient - (gradient * value).sum(-1, keepdims=True)
        return (np.where(chosen, away / total, 0),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        (shares,) = parents
        chosen = self.chosen(shares.value)
        n, row = shares.value.shape[-1], cell[:-1]
        if not chosen[cell]:
            return _zeros_and_ones(np.zeros(n), at[-1])
        own = own_place(n, cell[-1], at[-1])
        if not self.again:
            return own
        slope = step("divide", step("subtract", own, value[at]), self._total(shares, cell), label="slope of the share")
        return step("multiply", slope, _zeros_and_ones(chosen[row], at[-1]))

    def _total(self, shares: Source, cell: Index) -> Step:
        row: Any = (*cell[:-1], slice(None))
        chosen = np.flatnonzero(self.chosen(shares.value)[row])
        return step("sum_of", *(shares[(*cell[:-1], int(i))] for i in chosen), label="sum of the chosen")

    def formula(self, *symbols: str) -> str:
        kept = r"\mathrm{top}_{%d} \, {%s}" % (self.k, symbols[0])
        return rf"\frac{{{kept}}}{{\sum_j {kept}}}" if self.again else kept

    def code(self, *names: str) -> str:
        (p,) = names
        order = f"np.argsort(-{p}, axis=-1, kind='stable')[..., :{self.k}]"
        chosen = f"({order}[..., None, :] == np.arange({p}.shape[-1])[:, None]).any(-1)"
        like = f".astype({p}.dtype, copy=False)"
        if not self.again:
            return f"np.where({chosen}, {p}, 0){like}"
        share = f"(kept := np.where(chosen, {p}, 0){like}) / kept.sum(-1, keepdims=True)"
        return f"np.where((chosen := {chosen}), {share}, 0){like}"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (shares,) = parents
        row, own = shares[(*cell[:-1], slice(None))], shares[cell]
        # Its rank among the shares: after larger ones, and after equal ones in earlier columns.
        equal = "".join(f"+1*({shares[(*cell[:-1], j)]}={own})" for j in range(cell[-1]))
        largest = "+".join(f"LARGE({row},{i + 1})" for i in range(min(self.k, shares.shape[-1])))
        share = f"{own}/({largest})" if self.again else own
        return f"IF(SUMPRODUCT(1*({row}>{own})){equal}<{self.k},{share},0)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (shares,) = parents
        row, own = shares[(*cell[:-1], slice(None))], shares[cell]
        k = min(self.k, shares.value.shape[-1])
        last = step("kth", row, Constant(float(k), str(k)), label="the last that is chosen")
        among: Argument = step("at_least", own, last)
        chosen = bool(self.chosen(shares.value)[cell])
        if bool(among.value) != chosen:  # of equal ones the first are taken; nothing is at least as large as a NaN
            equal = own.value == last.value
            why = "of equal shares the first are chosen" if equal else "a share that is no number comes last"
            among = Constant(float(chosen), why)
        share = step("divide", own, self._total(shares, cell), label="share among the chosen") if self.again else own
        return step("where", among, share, Constant(0.0, "0"), label="share" if chosen else "not among the chosen")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        sentence = (
            "if the chosen shares are not divided by their sum" if self.again else "if they are divided by their sum"
        )
        yield Slip("sum", sentence, replace(self, again=not self.again))
        yield Slip("all experts", "if all experts work, not only the chosen ones", Kept())


class Mixture(Op):
    """The experts' outputs, weighted by their shares: (n_experts, n, d) and (n, n_experts) make (n, d)."""

    subscripts = "kij,ik->ij"
    latex = r"\sum_e {%s}_e \, {%s}_{i e}"
    expression = "np.einsum('...kij,...ik->...ij', {0}, {1})"

    def forward(self, *parents: Array) -> Array:
        said, shares = parents
        return np.einsum("...kij,...ik->...ij", said, shares)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        said, shares = parents
        return (
            np.einsum("...ij,...ik->...kij", gradient, shares),
            np.einsum("...ij,...kij->...ik", gradient, said),
        )

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        said, shares = parents
        if parent == 0:
            return shares[(*cell[:-3], cell[-2], cell[-3])]
        return said[(*cell[:-2], cell[-1], cell[-2], at[-1])]

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        said, shares = parents
        *lead, i, j = cell
        return "+".join(f"{said[(*lead, k, i, j)]}*{shares[(*lead, i, k)]}" for k in range(shares.shape[-1]))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        said, shares = parents
        *lead, i, j = cell
        return step("dot", said[(*lead, slice(None), i, j)], shares[(*lead, i, slice(None))], label="weighted sum")


class Balance(Op):
    """How evenly the experts are used: n_experts · Σ_e f_e p_e (Fedus et al. 2022, equation 4).

    f_e is the share of the words that choose expert e, p_e the mean of the router's shares for it. The result is k if
    all experts are used equally, and larger otherwise. Parents are the router's shares and the chosen ones, (n,
    n_experts) each; f is a count and passes no gradient on.
    """

    def forward(self, *parents: Array) -> Array:
        shares, routed = parents
        used, said = self._means(shares, routed)
        return np.asarray((used * said).sum(-1) * shares.shape[-1])

    def _means(self, shares: Array, routed: Array) -> tuple[Array, Array]:
        """The vectors f and p, (n_experts,) each, over all words of all sentences."""
        n = shares.shape[-1]
        return (routed > 0).reshape(-1, n).mean(0).astype(shares.dtype), shares.reshape(-1, n).mean(0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        shares, routed = parents
        used, _ = self._means(shares, routed)
        slope = used * (shares.shape[-1] ** 2 / shares.size)
        return np.broadcast_to(gradient * slope, shares.shape).astype(shares.dtype), None

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        shares, routed = parents
        n, e = shares.value.shape[-2:]
        used = self._used(routed, cell[-1])
        return step("divide", step("multiply", used, Constant(float(e), f"{e} experts")), Constant(float(n), str(n)))

    def _used(self, routed: Source, expert: int) -> Step:
        return step("mean", step("above", routed[:, expert], Constant(0, "0")), label="f, how often it is chosen")

    def formula(self, *symbols: str) -> str:
        return r"n_{experts} \sum_e f_e({%s}) \, \frac{1}{n} \sum_i {%s}_{i e}" % (symbols[1], symbols[0])

    def code(self, *names: str) -> str:
        p, r = names
        rows = f"reshape(-1, {p}.shape[-1]).mean(0)"
        return f"np.asarray((({r} > 0).{rows}.astype({p}.dtype) * {p}.{rows}).sum(-1) * {p}.shape[-1])"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        shares, routed = parents
        n, e = shares.shape[-2:]
        terms = []
        for k in range(e):
            column, chosen = shares[slice(None), k], routed[slice(None), k]
            terms.append(f"({n}-COUNTIF({chosen},0))/{n}*AVERAGE({column})")
        return f"({'+'.join(terms)})*{e}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        shares, routed = parents
        e = shares.value.shape[-1]
        terms = [
            step("multiply", self._used(routed, k), step("mean", shares[:, k], label="p"), label=f"expert {k + 1}")
            for k in range(e)
        ]
        total = step("sum_of", *terms, label="sum over the experts")
        return step("multiply", total, Constant(float(e), f"{e} experts"), label="balance")
