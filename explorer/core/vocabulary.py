"""The words of a model: their numbers, the marks that are not words, and the pieces of a tokenizer."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array


class Tokenizer(Protocol):
    """Splits a text into numbered pieces and joins pieces into a text."""

    @property
    def source(self) -> str:
        """The tokenizer's description as text, such as its tokenizer.json."""
        ...

    def encode(self, text: str, marks: bool = True) -> list[int]:
        """The numbers of the pieces of a text; `marks` adds those of the marks before and after a whole text."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of pieces, without marks."""
        ...

    def is_mark(self, number: int) -> bool:
        """Whether a piece is a mark, not part of a text."""
        ...


class Vocabulary(tuple[str, ...]):
    """The pieces of a tokenizer in visible characters, by number; no two look the same."""

    tokenizer: Tokenizer

    def __new__(cls, pieces: Iterable[str], tokenizer: Tokenizer) -> "Vocabulary":
        """The pieces in the order of their numbers."""
        made = super().__new__(cls, pieces)
        made.tokenizer = tokenizer
        return made

    def pieces_of(self, text: str, whole: bool = True) -> list[str]:
        """A text in pieces; a whole text, not part of one, has the tokenizer's marks before and after it.

        Raises `ExplorerError`: "tokenizer".
        """
        if not whole and text.startswith(" ") and self._adds_blank:
            text = text[1:]  # the tokenizer adds it again
        return [self[number] for number in self.tokenizer.encode(text, whole) if number < len(self)]

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The tokenizer's marks at which a text is over; `<end>` if none of the known marks is in it.

        The first one ends a whole text; the others, of a model that was trained on dialogues, what one side says. Gemma
        and Qwen have `</s>`, too, as an ordinary piece of HTML.
        """
        there = [mark for mark in (END, *ENDS, *TURN_ENDS) if mark in self]
        marks = [mark for mark in there if mark == END or self.tokenizer.is_mark(self.index(mark))]
        return tuple(marks or there[:1] or [END])

    @cached_property
    def never(self) -> tuple[int, ...]:
        """The numbers of the marks that no text has: the padding, which Marian may say (`bad_words_ids`)."""
        return tuple(i for i in [self.index(PAD)] if self.tokenizer.is_mark(i)) if PAD in self else ()

    @cached_property
    def _adds_blank(self) -> bool:
        """Whether the tokenizer adds a blank before every text, also before one that begins with a blank."""
        alone, behind = (self.tokenizer.encode(text, False) for text in ("a", " a"))
        return alone != behind and any(self[number].startswith("␣") for number in alone[:1] if number < len(self))

    def text_of(self, pieces: Sequence[str]) -> str:
        """The text of pieces."""
        numbers = {piece: number for number, piece in enumerate(self)}
        return self.tokenizer.decode([numbers[piece] for piece in pieces if piece in numbers])


START, END, PAD, UNKNOWN, MASK = "<start>", "<end>", "<pad>", "<unk>", "<mask>"
ENDS = "</s>", "<|endoftext|>", "<|end_of_text|>", "<eos>", "<｜end␣of␣sentence｜>", "[SEP]"
TURN_ENDS = "<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>"
"""The marks of published tokenizers at which a text is over, and those at which one side of a dialogue has spoken."""
MOST_TOKENS = 512
"""In a sequence that a person types or a model writes."""
_LONGEST = 60
"""Characters of a word in a message."""


def end_mark(words: tuple[str, ...]) -> str:
    """The mark after the last word of a text, in a vocabulary."""
    return end_marks(words)[0]


def end_marks(words: tuple[str, ...]) -> tuple[str, ...]:
    """The marks of a vocabulary at which a text is over; the first is the mark after its last word."""
    return words.ends if isinstance(words, Vocabulary) else (END,)


def is_mark(token: str) -> bool:
    """Whether a token is a mark and not a word, such as ``<end>`` or ``<es>``."""
    return len(token) > 2 and token[0] == "<" and token[-1] == ">"


def with_words(vocabulary: tuple[str, ...], words: Iterable[str]) -> tuple[str, ...]:
    """The vocabulary with the missing words appended; the same tuple if none is missing.

    It must be fast: a vocabulary may have 50,000 words, and each edit of a word waits for it.
    """
    lacking = dict.fromkeys(words)
    for word in lacking.keys() & set(vocabulary):
        del lacking[word]
    if not lacking:
        return vocabulary
    more = (*vocabulary, *lacking)
    return Vocabulary(more, vocabulary.tokenizer) if isinstance(vocabulary, Vocabulary) else more


def are_numbers(vocabulary: Sequence[str]) -> bool:
    """Whether the words are only numbers: the vocabulary of a model without its tokenizer."""
    n = len(vocabulary)
    return n > 1 and all(vocabulary[i] == str(i) for i in (0, n // 2, n - 1))


def read_as(says: Sequence[str], reads: Sequence[str]) -> Sequence[int]:
    """For each word that a model can say, the number by which it reads the word; -1 if it cannot read it."""
    if says == reads:
        return range(len(says))
    numbers = {word: i for i, word in enumerate(reads)}
    return [numbers.get(word, -1) for word in says]


def token_ids(words: Sequence[str], vocabulary: Sequence[str]) -> Array:
    """The number of each word in a vocabulary, (n,); that of `<unk>` for missing words.

    Raises `ExplorerError`: "word-not-known" if `<unk>` is missing, too.
    """
    ids = {word: i for i, word in enumerate(vocabulary)}
    unknown = ids.get(UNKNOWN)
    if unknown is None:
        for word in words:
            if word not in ids:
                raise ExplorerError("word-not-known", word=word[:_LONGEST])
    return np.array([ids.get(word, unknown) for word in words], dtype=np.int64)
