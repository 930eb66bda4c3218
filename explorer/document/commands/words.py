"""Commands for the words of a sequence, their vectors, and the words of a vocabulary.

And for continuing the text of a decoder.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import takewhile
from unicodedata import category

import numpy as np

from explorer.core.decoder import Decoding, write
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOGITS, PROBABILITIES, TARGET
from explorer.core.models.ends import DECODER_READS, TEMPERATURE, follows_words
from explorer.core.ops import Array
from explorer.core.training.data import JOINERS
from explorer.core.vocabulary import MOST_TOKENS, are_numbers, end_marks, text_of, with_words
from explorer.document.commands.model import Command, SetSwitch, input_place
from explorer.document.continuation import (
    decoder_of,
    ends_of,
    ids_of,
    never_of,
    output_words,
    positions,
    room_of,
    sequence_of,
)
from explorer.document.state import State, read_only

MOST_TOKEN_LENGTH = 64
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}


class SetTokens(Command):
    """Give a sequence other words. A word missing in the vocabulary gets a new row in the table.

    A text may be longer than the learned positions of a model that was made here: they get new rows, too.

    Typed targets belong to the sentence for which they were typed. If they are its next words (whatever comes after its
    last word), or if the new sentence has another length, the targets become the next words of the new sentence.
    """

    sequence: str  # "source", "target" or "input"
    words: Sequence[str]

    @property
    def label(self) -> str:
        # Pieces show their blanks; a word may begin with that sign only among pieces.
        pieces = any(word.startswith("␣") for word in self.words)
        text = text_of(self.words).strip() if pieces else " ".join(self.words)
        return f"Set {self.sequence} to “{text}”"

    def apply(self, state: State) -> State:
        sequence, model = self.sequence, state.model
        if sequence not in state.graph.sequences:
            known = ", ".join(state.graph.sequences) or "none"
            raise ExplorerError("unknown-sequence", name=sequence, known=known)
        checked_words(sequence, self.words, MOST_TOKENS)
        if 0 < (room := room_of(model, sequence)) < len(self.words):
            raise ExplorerError("no-positions", limit=room)
        axis = state.graph.sequences[sequence]
        if tuple(self.words) == state.graph.labels(sequence, state.inputs):
            return state
        if sequence == DECODER_READS.get(model.kind) and _typed_for(state, len(self.words)):
            state = SetSwitch("loss", "targets", "next word").apply(state)
            model = state.model
        vocabulary = with_words(model.axes[axis], self.words)
        # A checkpoint without words: our own models look words up by one-hot rows by default.
        of_others = model.has_switch(sequence, "lookup") and model.switch(sequence, "lookup") == "index"
        if vocabulary is not model.axes[axis] and are_numbers(model.axes[axis]) and of_others:
            word = next(word for word in self.words if word not in set(model.axes[axis]))
            raise ExplorerError("not-a-number-of-a-word", word=word, last=len(model.axes[axis]) - 1)
        said = set(self.words)
        numbers = {word: i for i, word in enumerate(vocabulary) if word in said}
        ids = read_only(np.array([numbers[word] for word in self.words], dtype=np.int64))
        said_now = state.with_inputs({f"{sequence}.tokens": ids})
        if vocabulary is model.axes[axis] and len(ids) == model.lengths[sequence]:
            return said_now
        axes = {**model.axes, axis: vocabulary}
        lengths = {**model.lengths, sequence: len(ids)}
        return said_now.rebuilt(replace(model, axes=axes, lengths=lengths))


def _typed_for(state: State, n: int) -> bool:
    """Whether the targets are typed and fit only the present sentence, so that a new one of n words needs others."""
    target, model = state.inputs.get(TARGET), state.model
    if TARGET not in state.graph.nodes or target is None or target.ndim != 1 or follows_words(model):
        return False
    read = DECODER_READS[model.kind]
    words = model.axes[f"{read}.words"]
    said = model.axes.get("output.words") or words
    behind = [words[i] for i in state.inputs[f"{read}.tokens"][1:]]
    return n != len(target) or (bool(behind) and [said[i] for i in target[:-1]] == behind)


class SendWords(Command, eq=False):
    """Give a sequence words together with their vectors: its tokens, and their rows in its embedding table.

    If the vectors have another width than the table, it gets theirs, and so does the model unless its table has a width
    of its own; weights that no longer fit start again.
    """

    sequence: str  # "source", "target" or "input"
    words: Sequence[str]
    vectors: Array  # (n_words, d_model); for a repeated word the last vector counts

    @property
    def label(self) -> str:
        return f"Send “{' '.join(self.words)}” to {self.sequence}"

    def apply(self, state: State) -> State:
        after = SetTokens(self.sequence, self.words).apply(state)
        name, width = f"{self.sequence}.table", self.vectors.shape[1]
        if width != after.graph.shape(input_place(after, name).node)[-1]:
            if after.model.switch(self.sequence, "table_width"):
                after = after.rebuilt(after.model.with_switch(self.sequence, "table_width", width))
            else:
                axes = {axis: labels for axis, labels in after.model.axes.items() if axis != "d_model"}
                after = after.rebuilt(replace(after.model, d_model=width, axes=axes))
        rows = {word: i for i, word in enumerate(after.graph.vocabulary(self.sequence))}
        vectors = zip(self.words, self.vectors, strict=True)
        return after.edited(input_place(after, name).node, *(((rows[word],), vector) for word, vector in vectors))


class AddWords(Command, eq=False):
    """Append words to vocabularies; their weights get starting values."""

    words: Mapping[str, Sequence[str]]  # for each vocabulary axis, such as "input.words", the words that it must have

    @property
    def label(self) -> str:
        return "Take the words of the text into the vocabulary"

    def apply(self, state: State) -> State:
        axes = dict(state.model.axes)
        for axis, words in self.words.items():
            axes[axis] = with_words(axes[axis], words)
        if axes == state.model.axes:
            return state
        return state.rebuilt(replace(state.model, axes=axes))


def checked_words(sequence: str, words: Sequence[str], most: int | None) -> Sequence[str]:
    """The words, checked as tokens of a sequence.

    Raises `ExplorerError`: "empty-tokens", "too-many-tokens" or "bad-token".
    """
    if not words:
        raise ExplorerError("empty-tokens", sequence=sequence)
    if most is not None and len(words) > most:
        raise ExplorerError("too-many-tokens", sequence=sequence, limit=most, given=len(words))
    for word in words:
        if not is_word(word):
            # An invisible character is shown by its number.
            seen = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in word[:MOST_TOKEN_LENGTH])
            raise ExplorerError("bad-token", token=seen, limit=MOST_TOKEN_LENGTH)
    return words


def is_word(word: str) -> bool:
    """Whether a text can be a token: visible characters, and joiners of letters and emoji between them."""
    seen = [c for c in word if c not in JOINERS]
    return bool(seen) and len(word) <= MOST_TOKEN_LENGTH and _HIDDEN.isdisjoint(map(category, seen))


class WriteOn(Command):
    """Let the model write words after the present ones, up to its end-of-text mark.

    The temperature is the model's (`output.temperature`); pinned cells stay pinned.
    """

    behind: int  # how many of the present words are kept
    n: int = 1  # the most words to write
    choice: Decoding = field(default_factory=Decoding)  # its temperature is ignored

    @property
    def label(self) -> str:
        return "Append a word" if self.n == 1 else "Write on"

    def apply(self, state: State) -> State:
        return self.written(state)

    def written(self, state: State, told: Callable[[int, int], None] = lambda done, total: None) -> State:
        """As `apply`, on any thread; `told` is called with the words written and the total, and may raise to stop."""
        sequence = sequence_of(state)
        words = list(state.graph.labels(sequence, state.inputs)[: self.behind])
        reads = state.graph.vocabulary(sequence)
        if len(words) >= MOST_TOKENS:
            raise ExplorerError("too-many-tokens", sequence=sequence, limit=MOST_TOKENS, given=len(words) + 1)
        if len(words) >= (most := positions(state, sequence)):
            raise ExplorerError("no-positions", limit=most)
        if state.pins:  # those of the words behind go with these words
            state = SetTokens(sequence, words).apply(state)
        said: list[str] = []
        told(0, self.n)
        for word in self._said(state, words):
            said.append(word)
            told(len(said), self.n)
        ends = end_marks(output_words(state))
        new = list(takewhile(lambda word: word not in ends and word in reads, said))
        if not new:
            raise (
                ExplorerError("text-ends", end=said[0]) if said[0] in ends else ExplorerError("not-read", word=said[0])
            )
        return SetTokens(sequence, [*words, *new]).apply(state)

    def _said(self, state: State, words: list[str]) -> Iterator[str]:
        """The chosen words, one after another."""
        n = min(self.n, positions(state, sequence_of(state)) - len(words))
        temperature = float(state.inputs[TEMPERATURE]) if TEMPERATURE in state.inputs else 1.0
        choice = replace(self.choice, temperature=temperature, never=never_of(state))
        sequence = sequence_of(state)
        if not state.pins:
            ids = ids_of(words, state.graph.vocabulary(sequence))
            decoder = decoder_of(state, len(words), n)
            says = output_words(state)
            yield from (says[step.chosen] for step in write(decoder, ids, n, choice, ends_of(state)))
            return
        for _ in range(n):
            state = SetTokens(sequence, words).apply(state)
            values = fresh(state.graph, state.used, state.pins).values
            chances = choice.probabilities(values[LOGITS][-1])
            if state.graph.nodes[PROBABILITIES].op.softens:  # these, or what they are made of, may be pinned
                shares = values[PROBABILITIES][-1].astype(np.float64)
                shares = np.where(np.isfinite(shares), shares, 0.0)
                chances = choice.left(shares)
            # A new sentence may extend the output vocabulary, if the targets are its own next words.
            said = output_words(state)[choice.word(chances, len(words))]
            yield said
            if said in end_marks(output_words(state)) or said not in state.graph.vocabulary(sequence):
                return
            words = [*words, said]
