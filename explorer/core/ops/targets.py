"""What a model that reads a sentence should say at each of its words."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class NextWords(Op):
    """The words shifted by one place: at each word the one behind it, at the last one ``<end>`` (teacher forcing).

    A model that reads ``<start> de nada`` should say ``de nada <end>`` (Williams & Zipser 1989; Sutskever et al. 2014).

    Parameters
    ----------
    end : int
        The number of ``<end>`` in the output vocabulary.
    numbers : tuple of int
        The number that each word of the input vocabulary has in the output vocabulary; empty where all have the same.
    """

    end: int
    numbers: tuple[int, ...] = ()
    whole = True

    def forward(self, *parents: Array) -> Array:
        (tokens,) = parents
        behind = np.array(self.numbers)[tokens[..., 1:]] if self.numbers else tokens[..., 1:]
        return np.concatenate([behind, np.full_like(tokens[..., :1], self.end)], axis=-1)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (None,)

    def formula(self, *symbols: str) -> str:
        return r"{%s}_{i+1} , \; \mathrm{end}" % symbols[0]

    def code(self, *names: str) -> str:
        (tokens,) = names
        behind = f"np.array({list(self.numbers)})[{tokens}[..., 1:]]" if self.numbers else f"{tokens}[..., 1:]"
        return f"np.concatenate([{behind}, np.full_like({tokens}[..., :1], {self.end})], axis=-1)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (tokens,) = parents
        if cell[-1] == tokens.value.shape[-1] - 1:
            return step("value", Constant(self.end, f"{self.end}"), label="number of <end>: the sentence is over")
        behind = tokens[(*cell[:-1], cell[-1] + 1)]
        if not self.numbers:
            return step("value", behind, label="the word behind it")
        number = self.numbers[int(behind.value)]
        return step("pick", behind, Constant(number, f"{number}"), label="the word behind it, as the output numbers it")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        # The first word is nowhere the next one.
        return (*cell[:-1], cell[-1] - 1 if cell[-1] else slice(0, 0))
