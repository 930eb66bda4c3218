"""Which query may look at which key."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Constant, Source, Step, step
from explorer.core.ops.base import Array, Op, line, summed_to


@dataclass(frozen=True)
class CausalMask(Op):
    """1 where a token may look (itself and the tokens before it), 0 where it may not (Vaswani et al. 2017, §3.2.3).

    Parameters
    ----------
    n : int
        Number of tokens.
    window : int
        How many tokens back, itself included, each may look: the context window k of L₁ (Radford et al. 2018,
        equation 1). 0: all the way.
    """

    n: int
    window: int = 0
    subscripts = "->ij"
    whole = True

    def forward(self, *parents: Array) -> Array:
        before = np.tri(self.n, dtype=np.int64)
        return before - np.tri(self.n, k=-self.window, dtype=np.int64) if self.window else before

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return ()

    def formula(self, *symbols: str) -> str:
        return rf"[\, i - {self.window} < j \leq i \,]" if self.window else r"[\, j \leq i \,]"

    def code(self, *names: str) -> str:
        before = f"np.tri({self.n}, dtype=np.int64)"
        return f"{before} - np.tri({self.n}, k=-{self.window}, dtype=np.int64)" if self.window else before

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        i, j = cell[-2:]
        before = step("at_least", Constant(i, f"position {i}"), Constant(j, f"position {j}"), label="not after it")
        if not self.window:
            return before
        oldest = Constant(i - self.window, f"position {i} − {self.window}")
        within = step("above", Constant(j, f"position {j}"), oldest, label="within the window")
        return step("multiply", before, within)


@dataclass(frozen=True)
class PaddingMask(Op):
    """1 where the key is a word, 0 where it is ``<pad>``.

    Parameters
    ----------
    pad : int
        Token number of ``<pad>``, or -1 where the vocabulary has none.
    n_queries : int
    """

    pad: int
    n_queries: int
    subscripts = "j->ij"
    whole = True

    def forward(self, *parents: Array) -> Array:
        (tokens,) = parents
        return np.repeat((tokens != self.pad)[..., None, :].astype(np.int64), self.n_queries, axis=-2)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def formula(self, *symbols: str) -> str:
        return r"[\, {%s}_j \neq pad \,]" % symbols[0]

    def code(self, *names: str) -> str:
        return f"np.repeat(({names[0]} != {self.pad})[..., None, :].astype(np.int64), {self.n_queries}, axis=-2)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (tokens,) = parents
        token = tokens[(*cell[:-2], cell[-1])]
        pad = Constant(self.pad, "number of <pad>" if self.pad >= 0 else "there is no <pad>")
        return step("subtract", Constant(1, "1"), step("equal", token, pad, label="is <pad>"))


@dataclass(frozen=True)
class RelatedMask(Op):
    """1 where query and key have something in common, a score above 0, and 0 where they have not.

    So softmax shares among related words only, as the lecture Attention and Transformers does at first.
    """

    subscripts = "ij->ij"
    alters = True
    whole = True

    def forward(self, *parents: Array) -> Array:
        return (parents[0] > 0).astype(np.int64)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def formula(self, *symbols: str) -> str:
        return r"[\, %s > 0 \,]" % symbols[0]

    def code(self, *names: str) -> str:
        return f"({names[0]} > 0).astype(np.int64)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("above", parents[0][cell], Constant(0.0, "0"))


@dataclass(frozen=True)
class Mask(Op):
    """Scaled scores with −∞ where the mask is 0, so that softmax gives those keys nothing."""

    subscripts = "ij,ij->ij"
    alters = True

    def forward(self, *parents: Array) -> Array:
        scaled, mask = parents
        return np.where(mask != 0, scaled, -np.inf).astype(scaled.dtype, copy=False)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        scaled, mask = parents
        return summed_to(scaled.shape, np.where(mask != 0, gradient, 0)), None

    def formula(self, *symbols: str) -> str:
        return r"%s \;\mathrm{where}\; %s = 1, \; \mathrm{else} \; -\infty" % symbols

    def code(self, *names: str) -> str:
        return "np.where({1} != 0, {0}, -np.inf).astype({0}.dtype)".format(*names)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        scaled, mask = parents
        allowed = mask[line(cell, mask.value, *cell[-2:])]
        return step("where", allowed, scaled[cell], Constant(-np.inf, "−∞"))
