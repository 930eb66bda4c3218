"""The tokens that are not words of a sentence, and the numbers that tokens go by."""

from collections.abc import Iterable, Sequence

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.vocabulary import Vocabulary

START, END, PAD, UNKNOWN, MASK = "<start>", "<end>", "<pad>", "<unk>", "<mask>"
MOST_TOKENS = 512
"""In a sequence that somebody types, or that a model writes."""
_LONGEST = 60
"""Characters of a word in a message."""


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
