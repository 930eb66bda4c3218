"""From a token's number to its vector, and from numbers back to a token.

And the targets of a model that predicts the next word.
"""

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Op, added


class OneHot(Op):
    """Token numbers as rows with a 1 in the column of the word and 0 elsewhere."""

    n_words: int  # size of the vocabulary
    dtype: str = "float64"  # of the result
    subscripts = "i->ij"
    latex = r"[\, {%s}_i = j \,]"

    def forward(self, *parents: Array) -> Array:
        return (parents[0][..., None] == np.arange(self.n_words)).astype(self.dtype)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def code(self, *names: str) -> str:
        return f"({names[0]}[..., None] == np.arange({self.n_words})).astype('{self.dtype}')"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("equal", parents[0][cell[:-1]], Constant(cell[-1], f"word {cell[-1]}"))


class LookUp(Op):
    """The row of the table with each token's number: the same as one-hot × table, without the zeros."""

    subscripts = "i,kj->ij"
    looks_up = 1
    expression = "np.take({1}, {0}, axis=0)"

    def forward(self, *parents: Array) -> Array:
        tokens, table = parents
        return np.take(table, tokens, axis=0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        tokens, table = parents
        # Each occurrence of a word adds its gradient to the word's row, (n_words, d_model). It is done number by
        # number, which `np.add.at` does six times as fast as row by row.
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
        return step("pick", row, table[int(row.value), cell[-1]], label="from the row with this number")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if parent == 0:
            return (*cell, slice(None))
        return (*(slice(None) for _ in shape[:-1]), cell[1])


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
        return np.cumsum(words, axis=-1, dtype=np.int64) * words + self.pad

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        return self.forward(*parents)[..., at]

    def formula(self, *symbols: str) -> str:
        return rf"{self.pad} + |\{{ k \leq i : {{{symbols[0]}}}_k \neq {self.pad} \}}|"

    def code(self, *names: str) -> str:
        (t,) = names
        return f"np.cumsum({t} != {self.pad}, axis=-1, dtype=np.int64) * ({t} != {self.pad}) + {self.pad}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        *lead, i = cell
        pad = Constant(self.pad, f"{self.pad}, the padding")
        counted = [
            step("subtract", Constant(1, "1"), step("equal", parents[0][(*lead, k)], pad, label="is padding"))
            for k in range(i + 1)
        ]
        so_far = step("sum_of", *counted, label="words so far")
        return step("add", pad, step("multiply", so_far, counted[-1], label="0 for padding itself"))

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        return (*cell[:-1], slice(cell[-1], None))


class NextWords(Op):
    """The words shifted by one place: the target of each word is the next one, of the last ``<end>`` (teacher forcing).

    A model that reads ``<start> de nada`` should say ``de nada <end>`` (Williams & Zipser 1989; Sutskever et al. 2014).
    If a sentence is filled up with ``<pad>``, the target of its last word is ``<end>``; from there on the targets are
    ``<pad>``, which the loss does not count. The first word is no such filling: T5 begins with ``<pad>``, OPT with its
    end mark.
    """

    end: int  # the number in the output vocabulary of ``<end>``, or of a tokenizer's own end mark
    # The number of each input word in the output vocabulary; empty if all have the same numbers.
    numbers: tuple[int, ...] = ()
    pad: int = -1  # the number of ``<pad>`` in the output vocabulary; -1 if it has none
    whole = True
    latex = r"{%s}_{i+1} , \; \mathrm{end}"

    def forward(self, *parents: Array) -> Array:
        (tokens,) = parents
        own = np.array(self.numbers)[tokens] if self.numbers else tokens
        behind = np.concatenate([own[..., 1:], np.full_like(own[..., :1], self.end)], axis=-1)
        if self.pad < 0:
            return behind
        over = (own == self.pad) | (own == self.end)
        over[..., :1] = False
        return np.where(over, self.pad, np.where(behind == self.pad, self.end, behind))

    def code(self, *names: str) -> str:
        own = f"np.array({list(self.numbers)})[{names[0]}]" if self.numbers else names[0]
        behind = f"np.concatenate([{own}[..., 1:], np.full_like({own}[..., :1], {self.end})], axis=-1)"
        if self.pad < 0:
            return behind
        said = f"np.where((b := {behind}) == {self.pad}, {self.end}, b)"
        over = f"np.isin({own}, [{self.pad}, {self.end}]) & (np.arange({names[0]}.shape[-1]) > 0)"
        return f"np.where({over}, {self.pad}, {said})"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (tokens,) = parents
        last = cell[-1] == tokens.shape[-1] - 1
        behind = str(self.end) if last else self._renumbered(tokens[(*cell[:-1], cell[-1] + 1)])
        if self.pad < 0:
            return behind
        said, own = f"IF({behind}={self.pad},{self.end},{behind})", self._renumbered(tokens[cell])
        return f"IF(OR({own}={self.pad},{own}={self.end}),{self.pad},{said})" if cell[-1] else said

    def _renumbered(self, token: str) -> str:
        numbers = ",".join(map(str, self.numbers))
        return f"INDEX({{{numbers}}},{token}+1)" if numbers else token

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (tokens,) = parents
        own = tokens[cell]
        if self.pad >= 0 and cell[-1] and self._number(own.value) in (self.pad, self.end):
            nothing = Constant(self.pad, f"{self.pad}")
            return step("pick", own, nothing, label="number of <pad>: after the end nothing is to be said")
        if cell[-1] == tokens.value.shape[-1] - 1:
            return step("value", Constant(self.end, f"{self.end}"), label="number of the end mark: the text is over")
        behind = tokens[(*cell[:-1], cell[-1] + 1)]
        number = self._number(behind.value)
        if number == self.pad:
            over = Constant(self.end, f"{self.end}")
            return step("pick", behind, over, label="number of the end mark: only <pad> is after it")
        if not self.numbers:
            return step("value", behind, label="the word after it")
        return step("pick", behind, Constant(number, f"{number}"), label="the word after it, as the output numbers it")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if not cell[-1]:  # the first word is no word's next word
            return (*cell[:-1], slice(0, 0))
        # Whether a further one is <pad> or <end> also decides its own target.
        return (*cell[:-1], slice(cell[-1] - 1, cell[-1] + 1) if self.pad >= 0 else cell[-1] - 1)

    def _number(self, token: int) -> int:
        """The number of a word in the output vocabulary."""
        return self.numbers[int(token)] if self.numbers else int(token)


class Argmax(Op):
    """The column of the largest number in each row, the first of equal ones: greedy decoding."""

    subscripts = "ik->i"
    whole = True
    latex = r"\mathrm{argmax}_j \; {%s}_{ij}"
    expression = "np.argmax({0}, axis=-1)"
    picks = True

    def forward(self, *parents: Array) -> Array:
        return np.argmax(parents[0], axis=-1)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("argmax", parents[0][(*cell, slice(None))], label="column of the largest")


class Threshold(Op):
    """1 where a number is at least the threshold, 0 where it is smaller: the perceptron's step (Rosenblatt 1958)."""

    threshold: float = 0.5
    subscripts = "ij->ij"
    alters = True

    def forward(self, *parents: Array) -> Array:
        return (parents[0] >= self.threshold).astype(parents[0].dtype)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def formula(self, *symbols: str) -> str:
        return rf"[\, {symbols[0]} \geq {self.threshold:g} \,]"

    def code(self, *names: str) -> str:
        return f"({names[0]} >= {self.threshold}).astype({names[0]}.dtype)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("at_least", parents[0][cell], Constant(self.threshold, f"{self.threshold:g}"))
