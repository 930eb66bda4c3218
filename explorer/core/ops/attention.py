"""The similarity of queries and keys, and the weighted sum of the values.

Ops that combine all heads of an attention stand here, too.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Operand, Source, Step, step
from explorer.core.numbers import with_power
from explorer.core.ops.base import Kept, Op, Slip, Surroundings, Then, Turned, line, product, summed_to
from explorer.core.ops.linear import beside, stacked
from explorer.core.ops.normalise import RMSNorm
from explorer.core.ops.shares import own_place


def together(x: Array, sharing: int) -> Array:
    """The rows of heads that share keys, one below the other: (…, n_heads, n, d) to (…, n_heads / s, s · n, d)."""
    if sharing == 1:
        return x
    *lead, h, n, d = x.shape
    return x.reshape(*lead, h // sharing, sharing * n, d)


def apart(x: Array, sharing: int) -> Array:
    """The inverse of `together`: (…, n_heads / s, s · n, d) to (…, n_heads, n, d)."""
    if sharing == 1:
        return x
    *lead, h, n, d = x.shape
    return x.reshape(*lead, h * sharing, n // sharing, d)


def together_code(x: str, sharing: int) -> str:
    """`together` as numpy code."""
    return x if sharing == 1 else f"{x}.reshape(*{x}.shape[:-3], {x}.shape[-3] // {sharing}, -1, {x}.shape[-1])"


def apart_code(made: str, x: str, sharing: int) -> str:
    """`apart`, applied to a result computed from the rows of x, as numpy code."""
    return made if sharing == 1 else f"({made}).reshape(*{x}.shape[:-1], -1)"


def shared(cell: Index, sharing: int) -> Index:
    """The cell with its head replaced by the head of keys or values that this head uses."""
    head = cell[-3] if sharing > 1 else 0
    assert isinstance(head, int)
    return (*cell[:-3], head // sharing, *cell[-2:]) if sharing > 1 else cell


def fanned(fed: Index, cell: tuple[int, ...], sharing: int) -> Index:
    """The cells that a cell of a head of keys or values feeds: those in all heads that share it."""
    if sharing == 1:
        return fed
    first = cell[-3] * sharing
    return (*fed[:-3], slice(first, first + sharing), *fed[-2:])


class Scores(Op):
    """Each query compared with each key: dot product (Vaswani et al. 2017, §3.2.1) or cosine.

    Parents are the queries (…, n_queries, d_k) and the keys (…, n_keys, d_k); the result is (…, n_queries, n_keys).
    If several heads share a head of keys, the queries are (…, n_heads, n_queries, d_k) and the keys (…, n_heads /
    `sharing`, n_keys, d_k) (Ainslie et al. 2023; with one head of keys Shazeer 2019).
    """

    # "dot" or "cosine". The cosine with a zero vector, which has no direction, is 0.
    similarity: str = "dot"
    columns: bool = False  # whether each token is a column of the matrices, (d_k, n_tokens), not a row
    sharing: int = 1  # how many query heads share one key head
    across = 1
    signed = True

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "ci,cj->ij" if self.columns else "ic,jc->ij"

    def forward(self, *parents: Array) -> Array:
        Q, K = (p.mT for p in parents) if self.columns else parents
        Q = together(Q, self.sharing)
        scores: Array = Q @ K.mT
        if self.similarity == "dot":
            return apart(scores, self.sharing)
        lengths = np.sqrt((Q * Q).sum(-1))[..., :, None] * np.sqrt((K * K).sum(-1))[..., None, :]
        cosines: Array = np.divide(scores, lengths, out=np.zeros_like(scores), where=lengths != 0)
        return apart(cosines, self.sharing)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        Q, K = (p.mT for p in parents) if self.columns else parents
        Q, gradient, value = (together(one, self.sharing) for one in (Q, gradient, value))
        if self.similarity == "dot":
            # S = Q Kᵀ: (…, n_queries, n_keys)
            dQ, dK = product(gradient, K, 0), product(gradient.mT, Q, 0)
        else:
            # c = q · k / (|q| |k|): dc/dq = k / (|q| |k|) − c q / |q|². A zero vector has no direction to change.
            q, k = (Q * Q).sum(-1, keepdims=True), (K * K).sum(-1, keepdims=True)
            lengths = np.sqrt(q) * np.sqrt(k).mT
            share = np.divide(gradient, lengths, out=np.zeros_like(gradient), where=lengths != 0)
            turned = gradient * value
            dQ, dK = product(share, K, 0), product(share.mT, Q, 0)
            dQ -= np.divide(Q * turned.sum(-1, keepdims=True), q, out=np.zeros_like(dQ), where=q != 0)
            dK -= np.divide(K * turned.sum(-2)[..., None], k, out=np.zeros_like(dK), where=k != 0)
        dQ = apart(dQ, self.sharing)
        if self.columns:
            dQ, dK = dQ.mT, dK.mT
        return summed_to(parents[0].shape, dQ), summed_to(parents[1].shape, dK)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        # The derivative by a number of a query is the number in the same column of each key, and vice versa.
        other, tokens = parents[1 - parent], at[-1 - parent]
        numbers = (cell[-2], tokens) if self.columns else (tokens, cell[-1])
        where = at if parent else shared(at, self.sharing)
        met = other[line(where, other.value, *numbers)]
        if self.similarity == "dot":
            return met
        n = other.value.shape[-1 if self.columns else -2]
        names = ("length of q", "length of k")
        own = step("norm", self._vector(parents[parent], cell, cell[-1 if self.columns else -2]), label=names[parent])
        each = [step("norm", self._vector(other, where, i)) for i in np.arange(n)[tokens].ravel().tolist()]
        if not (own.value and all(one.value for one in each)):
            return super().derivative(parent, cell, at, value, *parents)  # for a vector without a direction
        name = names[1 - parent]
        lengths = step("row", *each, label=name) if isinstance(tokens, slice) else replace(each[0], label=name)
        turned = step("multiply", value[at], step("divide", parents[parent][cell], own))
        return step("divide", step("subtract", step("divide", met, lengths), turned), own, label="slope of the cosine")

    def _vector(self, matrix: Source, cell: Index, token: int) -> Operand:
        """The query or key vector of a token."""
        return matrix[line(cell, matrix.value, *((slice(None), token) if self.columns else (token, slice(None))))]

    def formula(self, *symbols: str) -> str:
        Q, K = symbols
        dot = rf"{Q}^\top {K}" if self.columns else rf"{Q} \, {K}^\top"
        q, k = (symbol[:1].lower() + symbol[1:] for symbol in symbols)  # a row of each
        return dot if self.similarity == "dot" else rf"\frac{{{dot}}}{{\| {q} \| \, \| {k} \|}}"

    def code(self, *names: str) -> str:
        Q, K = (f"{n}.mT" for n in names) if self.columns else names
        rows = together_code(Q, self.sharing)
        dot = f"{rows} @ {names[1] if self.columns else K + '.mT'}"
        if self.similarity == "dot":
            return apart_code(dot, Q, self.sharing)
        length = f"np.sqrt(({rows} ** 2).sum(-1))[..., :, None] * np.sqrt(({K} ** 2).sum(-1))[..., None, :]"
        cosine = f"np.divide(s := {dot}, n := {length}, out=np.zeros_like(s), where=n != 0)"
        return apart_code(cosine, Q, self.sharing)

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        lines = ((slice(None), i) if self.columns else (i, slice(None)) for i in cell[-2:])
        cells = cell, shared(cell, self.sharing)
        q, k = (p[line(at, p, *own)] for at, p, own in zip(cells, parents, lines, strict=True))
        if self.similarity == "dot":
            return f"SUMPRODUCT({q},{k})"
        return f"IF(SUMSQ({q})*SUMSQ({k})=0,0,SUMPRODUCT({q},{k})/SQRT(SUMSQ({q}))/SQRT(SUMSQ({k})))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        Q, K = parents
        i, j = cell[-2:]
        q, k = self._vector(Q, cell, i), self._vector(K, shared(cell, self.sharing), j)
        dot = step("dot", q, k, label="sum of the products")
        if self.similarity == "dot":
            return dot
        lengths = step("multiply", step("norm", q, label="length of q"), step("norm", k, label="length of k"))
        return step("divide", dot, lengths, label="cosine") if lengths.value else step("multiply", dot, lengths)

    def factors(self) -> tuple[bool, bool] | None:
        return (self.columns, not self.columns) if self.similarity == "dot" else None

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        fed = super().feeds(parent, cell, parent_shape, shape)
        return fed if parent == 0 else fanned(fed, cell, self.sharing)

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        dot = self.similarity == "dot"
        if around.square(1):
            lines = (
                "column times row, not column times column" if self.columns else "row times column, not row times row"
            )
            how = "also transposed" if self.columns else "not transposed"
            yield Slip("not transposed", f"if K is {how}: {lines}", Turned(self, (1,)))
        if not around.scaled and around.name == "scores" and dot:
            width = around.shapes[0][-2 if self.columns else -1]
            divided = Then(self, "divide", float(np.sqrt(width)), f"√{width}")
            yield Slip("scaled", "if the scores are divided by √dₖ, which is not done here", divided)
        said = "divided by the lengths of both vectors" if dot else "not divided by the lengths"
        other = "cosine" if dot else "dot"
        yield Slip(other, f"if the dot product is {said}", replace(self, similarity=other))


class WeightedSum(Op):
    """The sums of V's rows, weighted by the attention weights (Vaswani et al. 2017, equation 1).

    Parents are the weights (…, n_queries, n_keys) and V (…, n_keys, d_v); the result is (…, n_queries, d_v). If several
    heads share a head of values, the weights are (…, n_heads, n_queries, n_keys) and V (…, n_heads / `sharing`, n_keys,
    d_v).
    """

    sharing: int = 1  # how many heads of weights share one head of values

    subscripts = "ik,kj->ij"
    latex = r"%s \, %s"
    across = 1

    def forward(self, *parents: Array) -> Array:
        weights, V = parents
        product: Array = together(weights, self.sharing) @ V
        return apart(product, self.sharing)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        weights, V = parents
        gradient = together(gradient, self.sharing)
        of_weights = product(gradient, V.mT, 0)
        of_V = product(together(weights, self.sharing).mT, gradient, 1)
        return summed_to(weights.shape, apart(of_weights, self.sharing)), summed_to(V.shape, of_V)

    def code(self, *names: str) -> str:
        weights, V = names
        return apart_code(f"{together_code(weights, self.sharing)} @ {V}", weights, self.sharing)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        weights, V = parents
        if parent == 0:
            return V[line(shared(at, self.sharing), V.value, cell[-1], at[-1])]
        return weights[line(at, weights.value, at[-2], cell[-2])]

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        weights, V = parents
        i, j = cell[-2:]
        shares = weights[line(cell, weights.value, i, slice(None))]
        column = V[line(shared(cell, self.sharing), V.value, slice(None), j)]
        return step("dot", shares, column, label="weighted sum")

    def factors(self) -> tuple[bool, bool] | None:
        return False, False

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        fed = super().feeds(parent, cell, parent_shape, shape)
        return fed if parent == 0 else fanned(fed, cell, self.sharing)

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if around.square(0):
            yield Slip("row for column", "if a column of the weights is taken for the row", Turned(self, (0,)))


class HeadMean(Op):
    """The mean over the heads: (…, n_heads, n, m) becomes (…, n, m).

    A common summary of where the heads of a layer attend together. The model does not read it, because each head's
    weights apply to that head's own values.
    """

    subscripts = "hij->ij"
    latex = r"\frac{1}{h} \sum_{k=1}^{h} {%s}_k"
    expression = "{0}.mean(-3)"
    shares = True

    def forward(self, *parents: Array) -> Array:
        (heads,) = parents
        return np.add.reduce(heads, -3) / heads.shape[-3]

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        (heads,) = parents
        return (np.repeat(gradient[..., None, :, :] / heads.shape[-3], heads.shape[-3], axis=-3),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        n = parents[0].value.shape[-3]
        return step("divide", Constant(1.0, "1"), Constant(float(n), f"{n} heads"))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (heads,) = parents
        return step("mean", heads[(*cell[:-2], slice(None), *cell[-2:])], label="mean over the heads")


class HeadsNorm(Op):
    """Queries or keys normalised over all heads together: RMS norm of each word's numbers in all heads (OLMo 2, 2025).

    Parents are (…, n_heads, n, d) and γ, (n_heads, d).
    """

    epsilon: float = 1e-6
    subscripts = "gkj,hc->hij"

    @property
    def _norm(self) -> RMSNorm:
        return RMSNorm(self.epsilon)

    def forward(self, *parents: Array) -> Array:
        x, gamma = parents
        return stacked(self._norm.forward(beside(x), gamma.ravel()), x.shape[-3]).copy()

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        x, gamma = parents
        of_x, of_gamma = self._norm.backward(beside(gradient), beside(value), beside(x), gamma.ravel())
        assert of_x is not None
        assert of_gamma is not None
        return stacked(of_x, x.shape[-3]), of_gamma.reshape(gamma.shape)

    def _root(self, x: Source, cell: Index) -> Step:
        """The root of the mean square of a word's numbers in all heads."""
        *lead, _, i, _ = cell
        h, d = x.value.shape[-3], x.value.shape[-1]
        squares = [
            step("sum", step("square", x[(*lead, head, i, slice(None))]), label=f"squares of head {head + 1}")
            for head in range(h)
        ]
        total = step("sum_of", *squares, label="sum of the squares") if h > 1 else squares[0]
        mean = step("divide", total, Constant(float(h * d), str(h * d)), label="mean square")
        epsilon = Constant(self.epsilon, with_power(f"{self.epsilon:g}"))
        return step("sqrt", step("add", mean, epsilon), label="root")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, gamma = parents
        unit = step("divide", x[cell], self._root(x, cell), label="with root mean square 1")
        return step("multiply", unit, gamma[cell[-3], cell[-1]], label="times γ")

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, gamma = parents
        h, d = x.value.shape[-3], x.value.shape[-1]
        if parent == 1:
            stretch = gamma[cell]
            if not stretch.value:
                return super().derivative(parent, cell, at, value, *parents)
            return step("divide", value[at], stretch, label="before γ")
        root = self._root(x, cell)
        below = step("multiply", Constant(float(h * d), str(h * d)), root)
        of_root = step("divide", x[cell], below, label="slope of the root")
        unit = step("divide", x[at], root, label="with root mean square 1")
        own = own_place(d, cell[-1], at[-1]) if at[-3] == cell[-3] else own_place(d, -1, at[-1])
        apart = step("subtract", own, step("multiply", unit, of_root))
        slope = step("multiply", apart, gamma[at[-3], at[-1]])
        return step("divide", slope, root, label="slope of the norm")

    def formula(self, *symbols: str) -> str:
        return rf"\frac{{{symbols[0]}}}{{\sqrt{{\mathrm{{RMS}}_{{all \, heads}}^2 + \varepsilon}}}} \, {symbols[1]}"

    def code(self, *names: str) -> str:
        x, gamma = names
        wide = f"(w := {x}.swapaxes(-3, -2).reshape(*{x}.shape[:-3], {x}.shape[-2], -1))"
        normed = f"({self._norm.code(wide, f'{gamma}.ravel()').replace(f'({wide} * {wide})', '(w * w)')})"
        return f"{normed}.reshape(*w.shape[:-1], {x}.shape[-3], -1).swapaxes(-3, -2).copy()"

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if parent == 1:
            return (*(slice(None),) * (len(shape) - 3), cell[0], slice(None), cell[1])
        return (*cell[:-3], slice(None), cell[-2], slice(None))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no norm", "before the norm", Kept())
