"""The words of a model: their numbers, the tokens that are no words, and the pieces of a tokenizer."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array


class Tokenizer(Protocol):
    """What takes a text apart into numbered pieces, and puts them together again."""

    @property
    def source(self) -> str:
        """What the tokenizer is made of, as text, such as its tokenizer.json."""
        ...

    def encode(self, text: str, marks: bool = True) -> list[int]:
        """The numbers of the pieces of a text; with `marks` also of those that stand before and behind every text."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of pieces, without the marks that are no part of it."""
        ...


class Vocabulary(tuple[str, ...]):
    """The pieces of a tokenizer, each in letters that can be seen, by number; no two are shown alike."""

    tokenizer: Tokenizer

    def __new__(cls, pieces: Iterable[str], tokenizer: Tokenizer) -> "Vocabulary":
        """The pieces by number."""
        made = super().__new__(cls, pieces)
        made.tokenizer = tokenizer
        return made

    def pieces_of(self, text: str, whole: bool = True) -> list[str]:
        """A text in pieces: with the marks before and behind it, where it is a whole one and not a part of a text.

        Raises `ExplorerError`: "tokenizer".
        """
        if not whole and text.startswith(" ") and self._begins_with_blank:
            text = text[1:]  # which the tokenizer will put there
        return [self[number] for number in self.tokenizer.encode(text, whole) if number < len(self)]

    @cached_property
    def end(self) -> str:
        """The mark of the end of a text, as this tokenizer has it; `<end>` where it has none that is known."""
        return next((mark for mark in (END, *ENDS) if mark in self), END)

    @cached_property
    def _begins_with_blank(self) -> bool:
        """Whether the tokenizer puts a blank before a text that has none."""
        first = self.tokenizer.encode("a", False)[:1]
        return bool(first) and self[first[0]].startswith("␣")

    def text_of(self, pieces: Sequence[str]) -> str:
        """The text of pieces."""
        numbers = {piece: number for number, piece in enumerate(self)}
        return self.tokenizer.decode([numbers[piece] for piece in pieces if piece in numbers])


START, END, PAD, UNKNOWN, MASK = "<start>", "<end>", "<pad>", "<unk>", "<mask>"
ENDS = "</s>", "<|endoftext|>", "<|end_of_text|>", "<eos>", "<|im_end|>", "[SEP]"
"""What tokenizers of others call the end of a text."""
MOST_TOKENS = 512
"""In a sequence that somebody types, or that a model writes."""
_LONGEST = 60
"""Characters of a word in a message."""


def end_of(words: tuple[str, ...]) -> str:
    """What stands behind the last word of a text, in a vocabulary."""
    return words.end if isinstance(words, Vocabulary) else END


def is_mark(token: str) -> bool:
    """Whether a token is no word, such as ``<end>`` or ``<es>``."""
    return len(token) > 2 and token[0] == "<" and token[-1] == ">"


def with_words(vocabulary: tuple[str, ...], words: Iterable[str]) -> tuple[str, ...]:
    """The vocabulary, and behind it those words that it lacks; the same tuple where it lacks none.

    A vocabulary may have 50,000 words, and an edit of one word waits for this.
    """
    lacking = dict.fromkeys(words)
    for word in lacking.keys() & set(vocabulary):
        del lacking[word]
    if not lacking:
        return vocabulary
    more = (*vocabulary, *lacking)
    return Vocabulary(more, vocabulary.tokenizer) if isinstance(vocabulary, Vocabulary) else more


def are_numbers(vocabulary: Sequence[str]) -> bool:
    """Whether the words are the numbers of words: those of a model whose tokenizer is not there."""
    n = len(vocabulary)
    return n > 1 and all(vocabulary[i] == str(i) for i in (0, n // 2, n - 1))


def read_as(says: Sequence[str], reads: Sequence[str]) -> Sequence[int]:
    """The number that a model reads a word by, for each word that it says; -1 where it reads no such word."""
    if says == reads:
        return range(len(says))
    numbers = {word: i for i, word in enumerate(reads)}
    return [numbers.get(word, -1) for word in says]


def token_ids(words: Sequence[str], vocabulary: Sequence[str]) -> Array:
    """The number of each word in a vocabulary, (n,); that of `<unk>` for the words it lacks.

    Raises `ExplorerError`: "word-not-known" where it has no `<unk>` either.
    """
    ids = {word: i for i, word in enumerate(vocabulary)}
    unknown = ids.get(UNKNOWN)
    if unknown is None:
        for word in words:
            if word not in ids:
                raise ExplorerError("word-not-known", word=word[:_LONGEST])
    return np.array([ids.get(word, unknown) for word in words], dtype=np.int64)
