"""A table of word vectors, and the same table as a gensim object."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from explorer.core.errors import ExplorerError, cut, some

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_COMMON = 20_000
_ROWS = 1 << 16


class Words(Sequence[str]):
    """The words of a table in order; a million words take 20 bytes each and open at once.

    `text`: all words in UTF-8, with a newline before each and after the last.
    `starts`: where each word begins in `text`, and where a word after the last would begin, (n + 1,), int64.
    `hashes`, `order`: the CRC-32 of all words in rising order, and the place of each word with that CRC-32, (n,),
    uint32.
    """

    def __init__(
        self, text: bytes, starts: NDArray[np.int64], hashes: NDArray[np.uint32], order: NDArray[np.uint32]
    ) -> None:
        self.text, self.starts, self.hashes, self.order = text, starts, hashes, order

    @staticmethod
    def of(words: Iterable[bytes]) -> "Words":
        """The words, given as UTF-8 without newlines."""
        every = list(words)
        lengths = np.fromiter(map(len, every), np.int64, len(every))
        starts = np.concatenate(([1], 1 + np.cumsum(lengths + 1)))
        sums = np.fromiter(map(crc32, every), np.uint32, len(every))
        order = np.argsort(sums, kind="stable").astype(np.uint32)
        return Words(b"\n" + b"".join(word + b"\n" for word in every), starts, sums[order], order)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            first, last, step = place.indices(len(self))
            if step != 1 or last <= first:
                return [self[i] for i in range(first, last, step)]
            return self.text[self.starts[first] : self.starts[last] - 1].decode("utf-8").split("\n")
        at = range(len(self))[place]
        return self.text[self.starts[at] : self.starts[at + 1] - 1].decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        return iter(self[:])

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) >= 0

    def find(self, word: str) -> int:
        """The place of a word, the first one if it occurs twice; -1 if it is missing."""
        spelt = word.encode("utf-8", "replace")
        wanted = crc32(spelt)
        at = int(np.searchsorted(self.hashes, np.uint32(wanted)))
        while at < len(self.hashes) and self.hashes[at] == wanted:
            place = int(self.order[at])
            if self.text[self.starts[place] : self.starts[place + 1] - 1] == spelt:
                return place
            at += 1
        return -1

    def starting(self, start: str, limit: int) -> list[str]:
        """The first words, in the table's order, with this beginning."""
        wanted, at = b"\n" + start.encode("utf-8", "replace"), 0
        found: list[str] = []
        if "\n" in start:
            return []
        while len(found) < limit and (at := self.text.find(wanted, at)) >= 0 and at < len(self.text) - 1:
            found.append(self[bisect_right(self.starts, at)])
            at += 1
        return found


class _Places(Mapping[str, int]):
    """From word to place, like gensim's `key_to_index`, without a dictionary of a million words."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def __getitem__(self, word: str) -> int:
        place = self.words.find(word) if isinstance(word, str) else -1
        if place < 0:
            raise KeyError(word)
        return place

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)


class Vectors:
    """Words and their vectors.

    `name`: the name of the table in a choice of several.
    `words`: the most frequent first, if the file has this order.
    `array`: (n_words, dims), float32; may be a memory map.
    `norms`: the length of each vector, (n_words,), float32.
    """

    def __init__(self, name: str, words: Words, array: NDArray[np.float32], norms: NDArray[np.float32]) -> None:
        self.name, self.words, self.array, self.norms = name, words, array, norms

    @staticmethod
    def of(name: str, words: Iterable[str], array: NDArray[np.floating]) -> "Vectors":
        """A table in memory."""
        table = np.ascontiguousarray(array, np.float32)
        return Vectors(name, Words.of(word.encode("utf-8") for word in words), table, lengths(table))

    @property
    def dims(self) -> int:
        """The number of numbers in a vector."""
        return self.array.shape[1]

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def rank(self, word: str) -> int:
        """The word's place in the table, counted from 0; the word in lower case is tried, too.

        Raises `ExplorerError`: "unknown-word".
        """
        for spelt in (word, word.lower()):
            if (place := self.words.find(spelt)) >= 0:
                return place
        raise self.refusal([word])

    def spelt(self, word: str) -> str:
        """The word as the table spells it."""
        return self.words[self.rank(word)]

    def all_spelt(self, words: Sequence[str]) -> list[str]:
        """The words as the table spells them.

        Raises `ExplorerError`: "unknown-word" or "unknown-words".
        """
        if unknown := self.unknown(words):
            raise self.refusal(unknown)
        return [self.spelt(word) for word in words]

    def unknown(self, words: Iterable[str]) -> list[str]:
        """Those of the words that have no vector, also not in lower case, each once."""
        return [word for word in dict.fromkeys(words) if word not in self and word.lower() not in self]

    def refusal(self, unknown: Sequence[str]) -> ExplorerError:
        """The error of one or more words that have no vector: one sentence for all."""
        vectors = f"the vectors '{self.name}'"
        if len(unknown) == 1:
            near = "".join(self.suggest(unknown[0], 1))
            return ExplorerError("unknown-word", word=unknown[0], vectors=vectors, near=near)
        *others, last = (f"'{cut(word)}'" for word in unknown)
        return ExplorerError("unknown-words", words=f"{some(others)} and {last}", vectors=vectors)

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        return np.asarray(self.array[self.rank(word)])

    def norm(self, word: str) -> float:
        """The length of a word's vector."""
        return float(self.norms[self.rank(word)])

    def complete(self, start: str, limit: int = 10) -> list[str]:
        """The most frequent words with this beginning; capitals also find words in lower case."""
        found = self.words.starting(start, limit) if start else self.words[:limit]
        return found or self.words.starting(start.lower(), limit)

    def suggest(self, word: str, limit: int = 3) -> list[str]:
        """Words that a misspelt word may mean: those one typing error away, most frequent first, else similar ones."""
        word = word.lower()[:40]
        # Any letter is one slip away from a sign that is none, so for a single sign nothing is near.
        others = _one_slip(word) if len(word) > 1 or word.isalpha() else ()
        near = {place for other in others if (place := self.words.find(other)) >= 0}
        if near:
            return [self.words[place] for place in sorted(near)[:limit]]
        from difflib import get_close_matches

        return get_close_matches(word, self.words[:_COMMON], limit, cutoff=0.8)

    @cached_property
    def keyed(self) -> "KeyedVectors":
        """The table as gensim's `KeyedVectors` with the same arrays; gensim is imported at the first use."""
        from gensim.models import KeyedVectors

        keyed = KeyedVectors(self.dims)
        keyed.vectors = self.array
        # A vector of zeros has no direction: its cosines become 0, not a division by zero.
        keyed.norms = np.where(self.norms > 0, self.norms, np.float32(1)) if not np.all(self.norms) else self.norms
        keyed.index_to_key = self.words
        keyed.key_to_index = _Places(self.words)
        keyed.next_index = len(self)
        return keyed


def lengths(array: NDArray[np.float32]) -> NDArray[np.float32]:
    """The length of each vector, without a second table in memory."""
    parts = [np.linalg.norm(array[i : i + _ROWS], axis=1) for i in range(0, len(array), _ROWS)]
    return np.concatenate([np.zeros(0, np.float32), *parts])


def _one_slip(word: str) -> set[str]:
    """The words that result if a letter is left out, swapped with the next one, replaced or inserted."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    near = {a + b[1:] for a, b in cuts if b}
    near |= {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    near |= {a + c + b[1:] for a, b in cuts if b for c in _LETTERS}
    near |= {a + c + b for a, b in cuts for c in _LETTERS}
    return near - {"", word}
