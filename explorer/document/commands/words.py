"""The words of a sequence, the vectors sent with them, and the words of a vocabulary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.models.targets import READ, follows_words, next_words
from explorer.core.ops import Array
from explorer.document.commands.base import Command
from explorer.document.commands.cells import input_place
from explorer.document.commands.switches import SetSwitch
from explorer.document.state import State, frozen

MAX_TOKENS = 512
MAX_TOKEN_LENGTH = 64


@dataclass(frozen=True)
class SetTokens(Command):
    """Give a sequence other words. A word that the vocabulary lacks gets a row of its own in the table.

    Targets that were typed, but are the next words of the sentence, are those of the new sentence from now on.

    Parameters
    ----------
    sequence : str
        "source", "target" or "input".
    words : sequence of str
    """

    sequence: str
    words: Sequence[str]

    @property
    def label(self) -> str:
        return f"Set {self.sequence} to “{' '.join(self.words)}”"

    def apply(self, state: State) -> State:
        sequence, model = self.sequence, state.model
        if sequence not in state.graph.sequences:
            known = ", ".join(state.graph.sequences) or "none"
            raise ExplorerError("unknown-sequence", name=sequence, known=known)
        checked_words(sequence, self.words, MAX_TOKENS)
        axis = state.graph.sequences[sequence]
        vocabulary = list(model.axes[axis])
        known_words = {word: i for i, word in enumerate(vocabulary)}
        for word in self.words:
            if word not in known_words:
                known_words[word] = len(vocabulary)
                vocabulary.append(word)
        ids = frozen(np.array([known_words[word] for word in self.words], dtype=np.int64))
        if same_bytes(ids, state.inputs[f"{sequence}.tokens"]):
            return state
        if sequence == READ.get(model.kind) and _are_next_words(state):
            state = SetSwitch("loss", "targets", "next word").apply(state)
            model = state.model
        inputs = {**state.inputs, f"{sequence}.tokens": ids}
        if len(vocabulary) == len(model.axes[axis]) and len(ids) == model.lengths[sequence]:
            return replace(state, inputs=inputs)
        axes = {**model.axes, axis: tuple(vocabulary)}
        lengths = {**model.lengths, sequence: len(ids)}
        return state.rebuilt(replace(model, axes=axes, lengths=lengths), inputs)


def _are_next_words(state: State) -> bool:
    """Whether the right words are typed, but the same as if they followed the sentence."""
    target = state.inputs.get("loss.target")
    if target is None or "loss.target" not in state.graph.nodes or follows_words(state.model):
        return False
    try:
        following = next_words(state.model)
    except ExplorerError:
        return False
    return same_bytes(following.forward(state.inputs[f"{READ[state.model.kind]}.tokens"]), target)


@dataclass(frozen=True, eq=False)
class SendWords(Command):
    """Give a sequence words together with their vectors: its tokens, and their rows of its embedding table.

    Where the vectors are wider or narrower than the model, it becomes as wide as they are; weights that no longer fit
    start anew.

    Parameters
    ----------
    sequence : str
        "source", "target" or "input".
    words : sequence of str
    vectors : numpy.ndarray
        (n_words, d_model); of a word that stands there twice the last one counts.
    """

    sequence: str
    words: Sequence[str]
    vectors: Array

    @property
    def label(self) -> str:
        return f"Send “{' '.join(self.words)}” to {self.sequence}"

    def apply(self, state: State) -> State:
        after = SetTokens(self.sequence, self.words).apply(state)
        name, width = f"{self.sequence}.table", self.vectors.shape[1]
        if width != after.model.d_model:
            axes = {axis: labels for axis, labels in after.model.axes.items() if axis != "d_model"}
            after = after.rebuilt(replace(after.model, d_model=width, axes=axes), after.inputs)
        rows = {word: i for i, word in enumerate(after.model.axes[after.graph.sequences[self.sequence]])}
        table = after.inputs[input_place(after, name).node].copy()
        table[[rows[word] for word in self.words]] = self.vectors
        return replace(after, inputs={**after.inputs, name: frozen(table)})


@dataclass(frozen=True, eq=False)
class AddWords(Command):
    """Give vocabularies more words, behind those that they have; their weights start as others do.

    Parameters
    ----------
    words : mapping of str to sequence of str
        For each vocabulary axis, such as "input.words", words that it shall have.
    """

    words: Mapping[str, Sequence[str]]

    @property
    def label(self) -> str:
        return "Take the words of the text into the vocabulary"

    def apply(self, state: State) -> State:
        axes = dict(state.model.axes)
        for axis, words in self.words.items():
            axes[axis] = tuple(dict.fromkeys((*axes[axis], *words)))
        if axes == state.model.axes:
            return state
        return state.rebuilt(replace(state.model, axes=axes), state.inputs)


def checked_words(sequence: str, words: Sequence[str], most: int | None) -> Sequence[str]:
    """The words, if they can be the tokens of a sequence.

    Raises
    ------
    ExplorerError
        "empty-tokens", "too-many-tokens" or "bad-token".
    """
    if not words:
        raise ExplorerError("empty-tokens", sequence=sequence)
    if most is not None and len(words) > most:
        raise ExplorerError("too-many-tokens", sequence=sequence, limit=most, given=len(words))
    for word in words:
        if not word or len(word) > MAX_TOKEN_LENGTH or not word.isprintable() or " " in word:
            raise ExplorerError("bad-token", token=word[:MAX_TOKEN_LENGTH], limit=MAX_TOKEN_LENGTH)
    return words
