"""How alike queries and keys are, and what the answer is made of."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Source, Step, step
from explorer.core.ops.base import Array, Op, line


@dataclass(frozen=True)
class Scores(Op):
    """Each query with each key: dot product (Vaswani et al. 2017, §3.2.1) or cosine.

    Parameters
    ----------
    similarity : str
        "dot" or "cosine". The cosine with a zero vector, which has no direction, is 0.
    columns : bool
        The matrices are stored with a token a column, (d_k, n_tokens), instead of a token a row.
    """

    similarity: str = "dot"
    columns: bool = False

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "ci,cj->ij" if self.columns else "ic,jc->ij"

    def forward(self, *parents: Array) -> Array:
        Q, K = (p.mT for p in parents) if self.columns else parents
        scores: Array = Q @ K.mT
        if self.similarity == "dot":
            return scores
        lengths = np.sqrt((Q * Q).sum(-1))[..., :, None] * np.sqrt((K * K).sum(-1))[..., None, :]
        cosines: Array = np.divide(scores, lengths, out=np.zeros_like(scores), where=lengths != 0)
        return cosines

    def formula(self, *symbols: str) -> str:
        Q, K = symbols
        dot = rf"{Q}^\top {K}" if self.columns else rf"{Q} \, {K}^\top"
        return dot if self.similarity == "dot" else rf"\frac{{{dot}}}{{\| q \| \, \| k \|}}"

    def code(self, *names: str) -> str:
        Q, K = (f"{n}.mT" for n in names) if self.columns else names
        dot = f"{Q} @ {names[1] if self.columns else K + '.mT'}"
        if self.similarity == "dot":
            return dot
        length = f"np.sqrt(({Q} ** 2).sum(-1))[..., :, None] * np.sqrt(({K} ** 2).sum(-1))[..., None, :]"
        return f"np.divide(s := {dot}, n := {length}, out=np.zeros_like(s), where=n != 0)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        Q, K = parents
        i, j = cell[-2:]
        q = Q[line(cell, Q.value, *((slice(None), i) if self.columns else (i, slice(None))))]
        k = K[line(cell, K.value, *((slice(None), j) if self.columns else (j, slice(None))))]
        dot = step("dot", q, k, label="sum of the products")
        if self.similarity == "dot":
            return dot
        lengths = step("multiply", step("norm", q, label="length of q"), step("norm", k, label="length of k"))
        return step("divide", dot, lengths, label="cosine") if lengths.value else step("multiply", dot, lengths)


@dataclass(frozen=True)
class WeightedSum(Op):
    """The rows of V in the shares that the weights give (Vaswani et al. 2017, equation 1)."""

    subscripts = "ik,kj->ij"

    def forward(self, *parents: Array) -> Array:
        weights, V = parents
        product: Array = weights @ V
        return product

    def formula(self, *symbols: str) -> str:
        return r"%s \, %s" % symbols

    def code(self, *names: str) -> str:
        return "%s @ %s" % names

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        weights, V = parents
        i, j = cell[-2:]
        shares = weights[line(cell, weights.value, i, slice(None))]
        return step("dot", shares, V[line(cell, V.value, slice(None), j)], label="weighted sum")
