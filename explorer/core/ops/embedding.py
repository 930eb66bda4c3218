"""From a token's number to its vector."""

from dataclasses import dataclass

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Argument, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class OneHot(Op):
    """Token numbers as rows with a 1 in the column of the word and 0 elsewhere."""

    n_words: int  # size of the vocabulary
    dtype: str = "float64"  # of the result
    subscripts = "i->ij"
    latex = r"[\, {%s}_i = j \,]"

    def forward(self, *parents: Array) -> Array:
        (tokens,) = parents
        rows: Array = (tokens[..., None] == np.arange(self.n_words)).astype(self.dtype)
        return rows

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def code(self, *names: str) -> str:
        return f"({names[0]}[..., None] == np.arange({self.n_words})).astype('{self.dtype}')"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"IF({parents[0][cell[:-1]]}={cell[-1]},1,0)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (tokens,) = parents
        return step("equal", tokens[cell[:-1]], Constant(cell[-1], f"word {cell[-1]}"))


@dataclass(frozen=True)
class LookUp(Op):
    """The row of the table that each token's number names: the same as one-hot × table, without the zeros."""

    subscripts = "i,kj->ij"
    looks_up = 1
    expression = "np.take({1}, {0}, axis=0)"

    def forward(self, *parents: Array) -> Array:
        tokens, table = parents
        return np.take(table, tokens, axis=0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        tokens, table = parents
        # Each place of a word adds its gradient to the word's row, (n_words, d_model). Number by number, which
        # `np.add.at` does six times as fast as row by row.
        d = table.shape[-1]
        of_table = np.zeros(table.size, table.dtype)
        np.add.at(of_table, (tokens[..., None] * d + np.arange(d)).ravel(), gradient.ravel())
        return None, of_table.reshape(table.shape)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        word = cell[0]
        return step("equal", parents[0][at[:-1]], Constant(word, f"word {word}"))

    def formula(self, *symbols: str) -> str:
        return r"%s [\, {%s}_i \,]" % (symbols[1], symbols[0])

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        tokens, table = parents
        return f"INDEX({table[:, cell[-1]]},{tokens[cell[:-1]]}+1)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        tokens, table = parents
        row = tokens[cell[:-1]]
        return step("pick", row, table[int(row.value), cell[-1]], label="from the row of the word")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if parent == 0:
            return (*cell, slice(None))
        return (*(slice(None) for _ in shape[:-1]), cell[1])
