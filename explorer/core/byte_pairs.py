"""Byte-pair encoding: from text to pieces of words (Sennrich et al. 2016), beginning with bytes as GPT-2 does.

A text is bytes. The pair of pieces that stands side by side most often becomes one new piece, and so on; the list of
these merges, in order, is all there is to the encoding. A word that was never seen falls into smaller pieces, at worst
into bytes, so nothing is unknown. No merge goes across words: a blank belongs to the word behind it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Pieces = tuple[bytes, ...]

_WORD = re.compile(r" ?\w+| ?[^\w\s]+|\s+")


@dataclass(frozen=True)
class Merge:
    """One step of learning: two pieces become one.

    Parameters
    ----------
    left, right : bytes
    count : int
        How often they stood side by side when they were merged.
    """

    left: bytes
    right: bytes
    count: int

    @property
    def piece(self) -> bytes:
        """The new piece."""
        return self.left + self.right


def words(text: str) -> list[bytes]:
    """The words of a text with the blanks before them, as bytes: what merges stay within."""
    return [word.encode() for word in _WORD.findall(text)]


def learn(text: str, n: int) -> list[Merge]:
    """The first n merges that a text teaches; fewer, where no pair stands twice.

    Of pairs that are equally frequent the one that came first is merged.
    """
    pieces: dict[Pieces, int] = Counter(tuple(bytes([byte]) for byte in word) for word in words(text))
    merges: list[Merge] = []
    while len(merges) < n:
        counts: Counter[tuple[bytes, bytes]] = Counter()
        for word, times in pieces.items():
            for pair in pairwise(word):
                counts[pair] += times
        if not counts or max(counts.values()) < 2:
            break
        (left, right), count = max(counts.items(), key=lambda one: one[1])
        merges.append(Merge(left, right, count))
        joined: Counter[Pieces] = Counter()
        for word, times in pieces.items():
            joined[merged(word, left, right)] += times
        pieces = joined
    return merges


def merged(word: Pieces, left: bytes, right: bytes) -> Pieces:
    """A word with each such pair made one piece, from the left."""
    found: list[bytes] = []
    for piece in word:
        if found and found[-1] == left and piece == right:
            found[-1] = left + right
        else:
            found.append(piece)
    return tuple(found)


def steps(word: bytes, merges: Sequence[Merge]) -> list[tuple[int, Pieces]]:
    """How a word is encoded: its bytes, and what it is after each merge that changes it, with the merge's number."""
    now: Pieces = tuple(bytes([byte]) for byte in word)
    found = [(-1, now)]
    for number, merge in enumerate(merges):
        after = merged(now, merge.left, merge.right)
        if after != now:
            now = after
            found.append((number, now))
    return found


def encode(text: str, merges: Sequence[Merge]) -> list[bytes]:
    """The pieces of a text."""
    return [piece for word in words(text) for piece in steps(word, merges)[-1][1]]


def vocabulary(merges: Sequence[Merge]) -> dict[bytes, int]:
    """The number of each piece: the 256 bytes, then what each merge made."""
    found = {bytes([byte]): byte for byte in range(256)}
    for merge in merges:
        found.setdefault(merge.piece, len(found))
    return found
