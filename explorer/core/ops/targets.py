"""What a model that reads a sentence should say at each of its words."""

from dataclasses import dataclass

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class NextWords(Op):
    """The words shifted by one place: at each word the one behind it, at the last one ``<end>`` (teacher forcing).

    A model that reads ``<start> de nada`` should say ``de nada <end>`` (Williams & Zipser 1989; Sutskever et al. 2014).
    Where a sentence is filled up with ``<pad>``, its last word is the one before these; behind it nothing is to be
    said, so there the right word is ``<pad>`` too, which the loss does not count.
    """

    end: int  # the number of ``<end>`` in the output vocabulary
    # The number that each word of the input vocabulary has in the output vocabulary; empty where all have the same.
    numbers: tuple[int, ...] = ()
    pad: int = -1  # the number of ``<pad>`` in the output vocabulary; -1 where it has none
    whole = True
    latex = r"{%s}_{i+1} , \; \mathrm{end}"

    def forward(self, *parents: Array) -> Array:
        (tokens,) = parents
        own = np.array(self.numbers)[tokens] if self.numbers else tokens
        behind = np.concatenate([own[..., 1:], np.full_like(own[..., :1], self.end)], axis=-1)
        if self.pad < 0:
            return behind
        over = (own == self.pad) | (own == self.end)
        return np.where(over, self.pad, np.where(behind == self.pad, self.end, behind))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def code(self, *names: str) -> str:
        own = f"np.array({list(self.numbers)})[{names[0]}]" if self.numbers else names[0]
        behind = f"np.concatenate([{own}[..., 1:], np.full_like({own}[..., :1], {self.end})], axis=-1)"
        if self.pad < 0:
            return behind
        said = f"np.where((b := {behind}) == {self.pad}, {self.end}, b)"
        return f"np.where(np.isin({own}, [{self.pad}, {self.end}]), {self.pad}, {said})"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (tokens,) = parents
        last = cell[-1] == tokens.shape[-1] - 1
        behind = str(self.end) if last else self._renumbered(tokens[(*cell[:-1], cell[-1] + 1)])
        if self.pad < 0:
            return behind
        own = self._renumbered(tokens[cell])
        return f"IF(OR({own}={self.pad},{own}={self.end}),{self.pad},IF({behind}={self.pad},{self.end},{behind}))"

    def _renumbered(self, token: str) -> str:
        numbers = ",".join(map(str, self.numbers))
        return f"INDEX({{{numbers}}},{token}+1)" if numbers else token

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (tokens,) = parents
        own = tokens[cell]
        if self.pad >= 0 and self._number(own.value) in (self.pad, self.end):
            nothing = Constant(self.pad, f"{self.pad}")
            return step("pick", own, nothing, label="number of <pad>: after <end> and <pad> nothing is to be said")
        if cell[-1] == tokens.value.shape[-1] - 1:
            return step("value", Constant(self.end, f"{self.end}"), label="number of <end>: the sentence is over")
        behind = tokens[(*cell[:-1], cell[-1] + 1)]
        number = self._number(behind.value)
        if number == self.pad:
            over = Constant(self.end, f"{self.end}")
            return step("pick", behind, over, label="number of <end>: only <pad> is after it")
        if not self.numbers:
            return step("value", behind, label="the word after it")
        return step("pick", behind, Constant(number, f"{number}"), label="the word after it, as the output numbers it")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        # The first word is nowhere the next one; that it is <pad> or <end> matters at its own place too.
        before = max(cell[-1] - 1, 0)
        if self.pad >= 0:
            return (*cell[:-1], slice(before, cell[-1] + 1))
        return (*cell[:-1], before if cell[-1] else slice(0, 0))

    def _number(self, token: int) -> int:
        """The output's number of a word."""
        return self.numbers[int(token)] if self.numbers else int(token)
