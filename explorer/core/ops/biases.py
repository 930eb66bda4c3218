"""Positions as numbers added to the scores, by distance; and rows of a table of positions."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from explorer.core.cell import Argument, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op, added
from explorer.core.ops.slips import Slip, Surroundings


def slopes(n_heads: int) -> Array:
    """The slope of each head of ALiBi, (n_heads,): 2^(−8/n), 2^(−16/n), … for n heads, n a power of two.

    For another number of heads: the slopes for the next smaller power of two, then every other slope for the next
    larger power (Press et al. 2022, §3 and their code).
    """
    power = 2 ** int(np.log2(n_heads))
    first = 2.0 ** (-8 / power * np.arange(1, power + 1))
    between = 2.0 ** (-4 / power * np.arange(1, 2 * (n_heads - power), 2))
    return np.concatenate([first, between])


class ALiBi(Op):
    """Minus slope × distance for each head, added to the scores (Press et al. 2022, equation in §3).

    A query at place i loses slope · |i − j| for the key at place j: distant keys count less, with a different slope in
    each head. Nothing is learned. The result is (n_heads, n_queries, n_keys).
    """

    n_heads: int
    n: int  # number of tokens
    dtype: str = "float64"
    subscripts = "->hij"
    signed = True

    def forward(self, *parents: Array) -> Array:
        distance = np.abs(np.arange(self.n)[:, None] - np.arange(self.n))
        return np.asarray(-slopes(self.n_heads)[:, None, None] * distance, dtype=self.dtype)

    def formula(self, *symbols: str) -> str:
        return r"- m_h \, | i - j |"

    def code(self, *names: str) -> str:
        each = f"np.array({slopes(self.n_heads).tolist()!r})"
        distance = f"np.abs(np.arange({self.n})[:, None] - np.arange({self.n}))"
        return f"np.asarray(-{each}[:, None, None] * {distance}, dtype='{self.dtype}')"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        head, i, j = cell[-3:]
        return f"-{slopes(self.n_heads)[head]:.17g}*{abs(i - j)}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        head, i, j = cell[-3:]
        slope = float(slopes(self.n_heads)[head])
        distance = Constant(float(abs(i - j)), f"distance {abs(i - j)}")
        return step("negate", step("multiply", Constant(slope, f"{slope:g}"), distance, label="slope × distance"))


def bucket(distance: int, buckets: int, most: int, both: bool) -> int:
    """The bucket of a distance, key minus query, as T5 counts them (Raffel et al. 2020, §2.1 and their code).

    Half of the buckets hold one distance each, the others intervals that grow by powers up to `most`; larger ones share
    the last bucket. With `both`, half of all buckets are for keys after the query; without, these share bucket 0.
    """
    first = 0
    if both:
        buckets //= 2
        first = buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    if not 0 < exact < most:  # no interval grows by a power then
        return first + buckets - 1
    grown = exact + int(np.log(distance / exact) / np.log(most / exact) * (buckets - exact))
    return first + min(grown, buckets - 1)


class RelativeBias(Op):
    """A learned number for each head and each bucket of distances, added to the scores (Raffel et al. 2020).

    The parent is the table, (n_buckets, n_heads); the result is (n_heads, n_queries, n_keys).
    """

    # `n_queries`, `n_keys`: numbers of tokens.
    n_queries: int
    n_keys: int
    buckets: int
    most: int  # the distance from which on all distances share a bucket
    both: bool  # whether keys after the query have buckets of their own
    subscripts = "kh->hij"
    alters = True
    signed = True

    def _buckets(self) -> Array:
        """The bucket of each pair, (n_queries, n_keys)."""
        known = {d: bucket(d, self.buckets, self.most, self.both) for d in range(-self.n_queries, self.n_keys)}
        return np.array([[known[j - i] for j in range(self.n_keys)] for i in range(self.n_queries)], dtype=np.int64)

    def forward(self, *parents: Array) -> Array:
        found: Array = parents[0][self._buckets()].transpose(2, 0, 1).copy()
        return found

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        of_table = np.zeros_like(parents[0])
        np.add.at(of_table, self._buckets(), gradient.transpose(1, 2, 0))
        return (of_table,)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        same = (self._buckets() == cell[-2]).astype(np.int64)[at[-2:]]
        return Constant(same, "" if np.ndim(same) else str(same))

    def formula(self, *symbols: str) -> str:
        return r"{%s}_{b(j - i), h}" % symbols[0]

    def code(self, *names: str) -> str:
        which = self._buckets().tolist()
        return f"{names[0]}[np.array({which!r})].transpose(2, 0, 1).copy()"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        head, i, j = cell[-3:]
        return parents[0][bucket(j - i, self.buckets, self.most, self.both), head]

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        head, i, j = cell[-3:]
        which = bucket(j - i, self.buckets, self.most, self.both)
        return step("value", parents[0][which, head], label=f"distance {j - i}: bucket {which}")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        # Pairs of one bucket do not form a rectangle; for several pairs the index takes in all cells.
        pairs = np.argwhere(self._buckets() == cell[-2])
        head = cell[-1]
        if len(pairs) == 1:
            return (head, *(int(i) for i in pairs[0]))
        return (head, slice(0, 0), slice(0, 0)) if not len(pairs) else (head, slice(None), slice(None))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if self.both:
            sentence = "if all buckets are for earlier words, as in a decoder"
            yield Slip("one direction", sentence, replace(self, both=False))


class FirstRows(Op):
    """The first n rows of a longer table, (room, d): the learned positions of a model (Gehring et al. 2017)."""

    n: int
    first: int = 0  # the row of the first position
    subscripts = "kj->ij"
    alters = True

    def forward(self, *parents: Array) -> Array:
        return parents[0][self.first : self.first + self.n].copy()

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        of_table = np.zeros_like(parents[0])
        of_table[self.first : self.first + self.n] = gradient
        return (of_table,)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return r"{%s}_{i}" % symbols[0] if not self.first else r"{%s}_{i + %d}" % (symbols[0], self.first)

    def code(self, *names: str) -> str:
        return f"{names[0]}[{self.first}:{self.first + self.n}].copy()"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return parents[0][self.first + cell[-2], cell[-1]]

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("value", parents[0][self.first + cell[-2], cell[-1]], label=f"position {cell[-2]}")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        row = cell[-2] - self.first
        return (row if 0 <= row < self.n else slice(0, 0), cell[-1])


class CountedPlaces(Op):
    """For each word its row in a table of positions; only words count, padding does not (RoBERTa, Liu et al. 2019)."""

    pad: int  # the token number of the padding, and the row of all padding; the first word has the next row
    subscripts = "k->i"
    whole = True
    across = 0

    def forward(self, *parents: Array) -> Array:
        words = parents[0] != self.pad
        places: Array = np.cumsum(words, axis=-1, dtype=np.int64) * words + self.pad
        return places

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        return self.forward(*parents)[..., at]

    def formula(self, *symbols: str) -> str:
        return rf"{self.pad} + |\{{ k \leq i : {{{symbols[0]}}}_k \neq {self.pad} \}}|"

    def code(self, *names: str) -> str:
        (t,) = names
        return f"np.cumsum({t} != {self.pad}, axis=-1, dtype=np.int64) * ({t} != {self.pad}) + {self.pad}"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (tokens,) = parents
        *lead, i = cell
        words = "+".join(f"IF({tokens[(*lead, k)]}={self.pad},0,1)" for k in range(i + 1))
        return f"IF({tokens[cell]}={self.pad},{self.pad},{self.pad}+{words})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (tokens,) = parents
        *lead, i = cell
        pad = Constant(self.pad, f"{self.pad}, the padding")
        counted = [
            step("subtract", Constant(1, "1"), step("equal", tokens[(*lead, k)], pad, label="is padding"))
            for k in range(i + 1)
        ]
        so_far = step("sum_of", *counted, label="words so far")
        return step("add", pad, step("multiply", so_far, counted[-1], label="0 for padding itself"))

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        return (*cell[:-1], slice(cell[-1], None))
