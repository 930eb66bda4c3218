"""Writing on behind the words of a decoder."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.generation import Choice, write
from explorer.core.vocabulary import END, MOST_TOKENS
from explorer.document.commands.base import Command
from explorer.document.commands.words import SetTokens
from explorer.document.continuation import decoder_of, end_of, ids_of, output_words, sequence_of
from explorer.document.state import State

TEMPERATURE = "output.temperature"


@dataclass(frozen=True)
class WriteOn(Command):
    """Let the model write words behind those that stand there, up to `<end>`.

    The temperature is that of the model (`output.temperature`); where cells are pinned they stay so.
    """

    behind: int  # how many of the words that stand there are kept
    n: int = 1  # how many words to write, at most
    choice: Choice = field(default_factory=Choice)  # its temperature is not read

    @property
    def label(self) -> str:
        return "Append a word" if self.n == 1 else "Write on"

    def apply(self, state: State) -> State:
        sequence = sequence_of(state)
        words = list(state.graph.labels(sequence, state.inputs)[: self.behind])
        reads = state.graph.axes[state.graph.sequences[sequence]]
        said = list(self._said(state, words))
        new = list(takewhile(lambda word: word != END and word in reads, said))
        if not new:
            raise ExplorerError("text-ends", end=END) if said[0] == END else ExplorerError("not-read", word=said[0])
        return SetTokens(sequence, [*words, *new]).apply(state)

    def _said(self, state: State, words: list[str]) -> Iterator[str]:
        """The words that are chosen, one after the other."""
        n = min(self.n, MOST_TOKENS - len(words))
        temperature = float(state.inputs[TEMPERATURE]) if TEMPERATURE in state.inputs else 1.0
        choice = Choice(self.choice.greedy, temperature, self.choice.top_k, self.choice.top_p, self.choice.seed)
        sequence = sequence_of(state)
        if not state.pins:
            ids = ids_of(words, state.graph.axes[state.graph.sequences[sequence]])
            decoder = decoder_of(state, len(words) + n)
            says = output_words(state)
            yield from (says[step.chosen] for step in write(decoder, ids, n, choice, end_of(state)))
            return
        for _ in range(n):
            state = SetTokens(sequence, words).apply(state)
            logits = fresh(state.graph, state.used, state.pins).values["output.logits"][-1]
            # Another sentence may bring another vocabulary: where its own words are the right ones.
            said = output_words(state)[choice.word(choice.probabilities(logits), len(words))]
            yield said
            if said == END or said not in state.graph.axes[state.graph.sequences[sequence]]:
                return
            words = [*words, said]
