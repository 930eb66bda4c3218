"""Which query may attend to which key."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from explorer.core.cell import MINUS_INFINITY, Argument, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op, line, passed, summed_to
from explorer.core.ops.slips import Kept, Slip, Surroundings


class CausalMask(Op):
    """1 where a token may attend (to itself and earlier tokens), 0 elsewhere (Vaswani et al. 2017, §3.2.3)."""

    n: int  # number of tokens
    # How many tokens back, itself included, each may attend: the context window k of L₁ (Radford et al. 2018, equation
    # 1). 0: to the first.
    window: int = 0
    subscripts = "->ij"
    whole = True

    @property
    def reach(self) -> int:
        return self.window or self.n

    def forward(self, *parents: Array) -> Array:
        return self.rows(slice(0, self.n))

    def rows(self, at: slice) -> Array:
        """Some rows of the mask, with the columns up to the last of them: (at.stop − at.start, at.stop)."""
        n, first = at.stop - at.start, at.start
        before = np.tri(n, at.stop, first, dtype=np.int64)
        return before - np.tri(n, at.stop, first - self.window, dtype=np.int64) if self.window else before

    def formula(self, *symbols: str) -> str:
        return rf"[\, i - {self.window} < j \leq i \,]" if self.window else r"[\, j \leq i \,]"

    def code(self, *names: str) -> str:
        before = f"np.tri({self.n}, dtype=np.int64)"
        return f"{before} - np.tri({self.n}, k=-{self.window}, dtype=np.int64)" if self.window else before

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"IF({self.condition(cell)},1,0)"

    def condition(self, cell: tuple[int, ...]) -> str:
        """The condition on the positions of query and key, counted from 1, in a spreadsheet."""
        i, j = (place + 1 for place in cell[-2:])
        return f"AND({j}<={i},{j}>{i - self.window})" if self.window else f"{j}<={i}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        i, j = cell[-2:]
        before = step("at_least", Constant(i, f"position {i}"), Constant(j, f"position {j}"), label="not after it")
        if not self.window:
            return before
        oldest = Constant(i - self.window, f"position {i} − {self.window}")
        within = step("above", Constant(j, f"position {j}"), oldest, label="within the window")
        return step("multiply", before, within)


class PaddingMask(Op):
    """1 where the key is a word, 0 where it is ``<pad>``."""

    pad: int  # token number of ``<pad>``, or -1 if the vocabulary has none
    n_queries: int
    subscripts = "j->ij"
    whole = True
    latex = r"[\, {%s}_j \neq pad \,]"
    across = 0

    def forward(self, *parents: Array) -> Array:
        (tokens,) = parents
        return np.repeat((tokens != self.pad)[..., None, :].astype(np.int64), self.n_queries, axis=-2)

    def code(self, *names: str) -> str:
        return f"np.repeat(({names[0]} != {self.pad})[..., None, :].astype(np.int64), {self.n_queries}, axis=-2)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (tokens,) = parents
        return f"IF({tokens[(*cell[:-2], cell[-1])]}={self.pad},0,1)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (tokens,) = parents
        token = tokens[(*cell[:-2], cell[-1])]
        pad = Constant(self.pad, "number of <pad>" if self.pad >= 0 else "there is no <pad>")
        return step("subtract", Constant(1, "1"), step("equal", token, pad, label="is <pad>"))

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        return replace(self, n_queries=at.stop - at.start).forward(*parents)


class CausalPaddingMask(Op):
    """Both masks at once, for a decoder with targets of different lengths: no later key, no ``<pad>``."""

    pad: int  # token number of ``<pad>``, or -1 if the vocabulary has none
    n: int  # number of tokens
    window: int = 0  # as in `CausalMask`
    subscripts = "j->ij"
    whole = True
    across = 0

    @property
    def causal(self) -> CausalMask:
        """The part that does not depend on the words."""
        return CausalMask(self.n, self.window)

    @property
    def reach(self) -> int:
        return self.causal.reach

    @property
    def _both(self) -> tuple[CausalMask, PaddingMask]:
        return self.causal, PaddingMask(self.pad, self.n)

    def forward(self, *parents: Array) -> Array:
        causal, padding = self._both
        return causal.forward() * padding.forward(*parents)

    def formula(self, *symbols: str) -> str:
        causal, padding = self._both
        return rf"{causal.formula()} \times {padding.formula(*symbols)}"

    def code(self, *names: str) -> str:
        causal, padding = self._both
        return f"({causal.code()}) * {padding.code(*names)}"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        causal, padding = self._both
        return f"IF({causal.condition(cell)},{padding.sheet(cell, *parents)},0)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        causal, padding = self._both
        return step("multiply", causal.explain(cell), padding.explain(cell, *parents))

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        causal, padding = self._both
        return causal.rows(at) * padding.forward_rows(at, *parents)


class RelatedMask(Op):
    """1 where query and key are related, which means a score above 0; 0 elsewhere.

    So softmax gives shares to related words only, as the lecture Attention and Transformers does at first.
    """

    subscripts = "ij->ij"
    alters = True
    whole = True
    latex = r"[\, %s > 0 \,]"
    expression = "({0} > 0).astype(np.int64)"

    def forward(self, *parents: Array) -> Array:
        return (parents[0] > 0).astype(np.int64)

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"IF({parents[0][cell]}>0,1,0)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("above", parents[0][cell], Constant(0.0, "0"))


class Mask(Op):
    """Scaled scores with −∞ where the mask is 0, so that softmax gives these keys a weight of 0."""

    # Whether the scores are stacked over heads that all have the same mask: (…, n_heads, n, m) and (…, n, m).
    heads: bool = False
    alters = True
    latex = r"%s \;\mathrm{where}\; %s = 1, \; \mathrm{else} \; -\infty"
    expression = "np.where({1} != 0, {0}, -np.inf).astype({0}.dtype)"
    hides = True
    signed = True

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "hij,ij->hij" if self.heads else "ij,ij->ij"

    def forward(self, *parents: Array) -> Array:
        scaled = parents[0]
        return np.where(self._seen(parents[1]), scaled, -np.inf).astype(scaled.dtype, copy=False)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return summed_to(parents[0].shape, passed(gradient, self._seen(parents[1]))), None

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        mask = parents[1]
        allowed = mask[line(self._without_head(at), mask.value, *at[-2:])]
        return step("where", allowed, Constant(1, "1"), Constant(0, "0"), label="slope of the mask")

    def _without_head(self, cell: Index) -> Index:
        return (*cell[:-3], *cell[-2:]) if self.heads else cell

    def _seen(self, mask: Array) -> Array:
        """Which keys are not masked, with an axis for the heads."""
        seen: Array = mask != 0
        return seen[..., None, :, :] if self.heads else seen

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        scaled, mask = parents
        allowed = mask[line(self._without_head(cell), mask, *cell[-2:])]
        return f"IF({allowed}=0,{MINUS_INFINITY},{scaled[cell]})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        scaled, mask = parents
        allowed = mask[line(self._without_head(cell), mask.value, *cell[-2:])]
        return step("where", allowed, scaled[cell], Constant(-np.inf, "−∞"))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no mask", "without the mask: words that come later, or are hidden, are looked at too", Kept())
