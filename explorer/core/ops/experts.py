"""Mixture of experts: several nets; a router chooses a few of them for each word."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from explorer.core.cell import Argument, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op, passed
from explorer.core.ops.slips import Kept, Slip, Surroundings


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
        kept = np.where(self.chosen(shares), shares, 0).astype(shares.dtype, copy=False)
        return kept / kept.sum(-1, keepdims=True) if self.again else kept

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
        own = (np.arange(shares.value.shape[-1]) == cell[-1]).astype(np.int64)[at[-1]]
        if not chosen[cell]:
            nothing = np.zeros_like(own)
            return Constant(nothing, "" if np.ndim(nothing) else "0")
        if not self.again:
            return Constant(own, "" if np.ndim(own) else str(own))
        total = self._total(shares, cell)
        apart = step("subtract", Constant(own, "" if np.ndim(own) else str(own)), value[at])
        slope = step("divide", apart, total, label="slope of the share")
        row: Any = (*cell[:-1], slice(None))
        open_ = chosen[row].astype(np.int64)[at[-1]]
        return step("multiply", slope, Constant(open_, "" if np.ndim(open_) else str(open_)))

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
        kept = f"np.where({chosen}, {p}, 0).astype({p}.dtype, copy=False)"
        return f"(kept := {kept}) / kept.sum(-1, keepdims=True)" if self.again else kept

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
        among = step("at_least", own, last)
        chosen = bool(self.chosen(shares.value)[cell])
        if bool(among.value) != chosen:  # of equal ones the first are taken
            return step("multiply", own, Constant(float(chosen), f"{int(chosen)}, of equal shares the first"))
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
        mixed: Array = np.einsum("...kij,...ik->...ij", said, shares)
        return mixed

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
