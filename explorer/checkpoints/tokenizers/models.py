"""How a part of a text is split into pieces: the `model` of a tokenizer.json (tokenizers 0.23)."""

from collections.abc import Mapping
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from explorer.checkpoints.tokenizers.fields import ANOTHER_TEXT, Fields, wrong
from explorer.core.frozen import Frozen

MOST_PIECES = 2_000_000
MOST_ID = 2**24
MOST_SCORE = 1e30
MOST_WAYS = 64
"""The most merges for each piece; several merges may make the same piece: in Gemma two or three."""
_LONGEST_PIECE = 1000


class BytePairs(Frozen, eq=False):
    """Byte-pair encoding (Sennrich et al. 2016): of all neighbouring pairs, the merge learned first is done first."""

    vocabulary: Mapping[str, int]
    merges: Mapping[tuple[int, int], tuple[int, int]]  # two piece numbers → the rank of the merge, the new piece
    unknown: int | None = None
    fuses_unknown: bool = False  # whether neighbouring unknown characters become one piece
    bytes_instead: bool = False  # whether an unknown character is replaced by its bytes, such as <0xC3>
    whole_first: bool = False  # whether a part that is itself a piece is never split
    prefix: str = ""  # before each character except the first
    ending: str = ""  # after the last character

    def ids(self, text: str) -> list[int]:
        """The numbers of the pieces of a part of a text."""
        if self.whole_first and text in self.vocabulary:
            return [self.vocabulary[text]]
        return self._merged(self._letters(text))

    def steps(self, text: str) -> list[list[int]]:
        """The numbers of the pieces before the first merge, and after each merge."""
        found = [self._letters(text)]
        while True:
            now = found[-1]
            pairs = [(self.merges[pair], i) for i, pair in enumerate(pairwise(now)) if pair in self.merges]
            if not pairs:
                return found
            (_, made), i = min(pairs)
            found.append([*now[:i], made, *now[i + 2 :]])

    def _letters(self, text: str) -> list[int]:
        found, unknown = list[int](), False
        for i, c in enumerate(text):
            letter = (self.prefix if i else "") + c + (self.ending if i == len(text) - 1 else "")
            known = self.vocabulary.get(letter)
            instead = bytes_of(letter, self.vocabulary) if self.bytes_instead and known is None else None
            if known is not None or instead is not None:
                found.extend([known] if known is not None else instead or [])
                unknown = False
            elif self.unknown is not None:
                if not (unknown and self.fuses_unknown):
                    found.append(self.unknown)
                unknown = True
        return found

    def _merged(self, ids: list[int]) -> list[int]:
        """The pieces after all merges; the merge learned first comes first, and of equal ones the leftmost."""
        n, merges = len(ids), self.merges
        before, behind = list(range(-1, n - 1)), list(range(1, n + 1))
        waiting = [(*found, i) for i in range(n - 1) if (found := merges.get((ids[i], ids[i + 1])))]
        heapify(waiting)
        while waiting:
            _, made, i = heappop(waiting)
            j = behind[i] if ids[i] >= 0 else n
            # The entry may be outdated: its pieces may have been merged with others since.
            if j >= n or merges.get((ids[i], ids[j]), (0, -1))[1] != made:
                continue
            ids[i], ids[j] = made, -1
            behind[i] = behind[j]
            if behind[i] < n:
                before[behind[i]] = i
            for left, right in ((before[i], i), (i, behind[i])):
                if left >= 0 and right < n and (found := merges.get((ids[left], ids[right]))):
                    heappush(waiting, (*found, left))
        return [number for number in ids if number >= 0]


def bytes_of(text: str, vocabulary: Mapping[str, int]) -> list[int] | None:
    """The pieces of the bytes of a text; None if some are missing."""
    found = [vocabulary.get(f"<0x{byte:02X}>") for byte in text.encode(errors="replace")]
    return None if None in found else [number for number in found if number is not None]


class WordPieces(Frozen, eq=False):
    """WordPiece (Schuster & Nakajima 2012; BERT): from the left, always the longest piece."""

    vocabulary: Mapping[str, int]
    unknown: int
    prefix: str = "##"  # of pieces that do not begin a word
    longest_word: int = 100  # a longer word counts as unknown

    def ids(self, text: str) -> list[int]:
        """The numbers of the pieces of a part of a text; only the unknown piece for a word that cannot be split."""
        if len(text) > self.longest_word:
            return [self.unknown]
        found, begin = list[int](), 0
        while begin < len(text):
            before = self.prefix if begin else ""
            ends = (end for end in range(len(text), begin, -1) if before + text[begin:end] in self.vocabulary)
            end = next(ends, None)
            if end is None:
                return [self.unknown]
            found.append(self.vocabulary[before + text[begin:end]])
            begin = end
        return found


class Unigram(Frozen, eq=False):
    """Unigram (Kudo 2018): of all ways to split a text the most probable, by the log-probabilities of the pieces."""

    vocabulary: Mapping[str, int]
    scores: Mapping[str, float]  # of the pieces that texts may contain; marks have none
    unknown: int | None
    bytes_instead: bool = False

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(piece) for piece in self.scores if piece})

    @cached_property
    def _unknown_score(self) -> float:
        return min(self.scores.values(), default=0.0) - 10.0

    def best(self, text: str) -> list[tuple[str, float]]:
        """The pieces of the most probable split (Viterbi) with their scores; neighbouring unknown text is one piece."""
        n = len(text)
        score, begins, known = [-inf] * (n + 1), [0] * (n + 1), [True] * (n + 1)
        score[0] = type(self._unknown_score)(0)
        reached = [True] + [False] * n
        for i in range(n):
            for length in self._lengths:
                if i + length > n:
                    break
                own = self.scores.get(text[i : i + length])
                if own is None:
                    continue
                if not reached[i + length] or score[i] + own > score[i + length]:
                    score[i + length], begins[i + length] = score[i] + own, i
                    known[i + length], reached[i + length] = True, True
            if not reached[i + 1] or score[i] + self._unknown_score > score[i + 1]:
                score[i + 1], begins[i + 1], known[i + 1] = score[i] + self._unknown_score, i, False
        found, end = list[tuple[str, float]](), n
        together = ""
        while end:
            piece = text[begins[end] : end]
            if not known[end] or self.vocabulary.get(piece) == self.unknown:
                together = piece + together
            else:
                if together:
                    found.append((together, self._unknown_score))
                    together = ""
                found.append((piece, self.scores[piece]))
            end = begins[end]
        if together:
            found.append((together, self._unknown_score))
        return found[::-1]

    def ids(self, text: str) -> list[int]:
        """The numbers of the pieces of a part of a text."""
        found = list[int]()
        for piece, _ in self.best(text):
            known = self.vocabulary.get(piece)
            instead = bytes_of(piece, self.vocabulary) if known is None and self.bytes_instead else None
            if known is not None:
                found.append(known)
            elif instead is not None:
                found.extend(instead)
            elif self.unknown is not None:
                found.append(self.unknown)
            else:
                raise wrong(f"has no piece for {piece[:20]!r}, and none for what it does not know", ANOTHER_TEXT)
        return found


class WholeWords(Frozen, eq=False):
    """Each part is a whole piece, or unknown."""

    vocabulary: Mapping[str, int]
    unknown: int

    def ids(self, text: str) -> list[int]:
        """The number of the part."""
        return [self.vocabulary.get(text, self.unknown)]


PieceModel = BytePairs | WordPieces | Unigram | WholeWords
"""A vocabulary, and the rule by which its pieces are chosen."""

# Reading them


def piece_model(said: Fields) -> PieceModel:
    """The piece model that a file describes.

    Raises `ExplorerError`: "tokenizer".
    """
    kind = said.text("type", default="") or ("BPE" if said.get("merges") is not None else "")
    match kind:
        case "BPE":
            return _byte_pairs(said)
        case "WordPiece":
            known = vocabulary_of(said.get("vocab"))
            prefix = said.text("continuing_subword_prefix", default="##")
            longest = said.whole("max_input_chars_per_word", 10_000, 100)
            return WordPieces(known, _known(known, said.text("unk_token", default="[UNK]")), prefix, longest)
        case "Unigram":
            return _unigram(said)
        case "WordLevel":
            known = vocabulary_of(said.get("vocab"))
            return WholeWords(known, _known(known, said.text("unk_token", default="<unk>")))
        case other:
            raise wrong(f"has pieces of the kind {other!r}, which is not known here")


def vocabulary_of(said: Any) -> dict[str, int]:
    """The number of each piece.

    Raises `ExplorerError`: "tokenizer" if the numbers are invalid.
    """
    if not isinstance(said, dict) or len(said) > MOST_PIECES:
        raise wrong("has no vocabulary that can be one")
    for piece, number in said.items():
        if type(number) is not int or not 0 <= number < MOST_ID:
            raise wrong(f"gives {piece[:40]!r} a number that is none")
    return said


def merges_of(said: Any, vocabulary: Mapping[str, int], prefix: str = "") -> dict[tuple[int, int], tuple[int, int]]:
    """The merges from a list of pairs, or of lines with two pieces each.

    Raises `ExplorerError`: "tokenizer" if a merge uses or makes something that is not a piece.
    """
    if not isinstance(said, list) or len(said) > MOST_PIECES:
        raise wrong("has no list of merges that can be one")
    if len(said) > MOST_WAYS * (len(vocabulary) + MOST_WAYS):
        raise wrong(f"has {len(said):,} merges, far more than {len(vocabulary):,} pieces can be made in")
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for rank, merge in enumerate(said):
        pair = merge.split(" ") if isinstance(merge, str) else merge
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            raise wrong(f"has a merge that is no pair of pieces, the {rank + 1}. of its list")
        left, right = pair
        ids = vocabulary.get(left), vocabulary.get(right), vocabulary.get(left + right[len(prefix) :])
        if None in ids:
            raise wrong(f"merges {left[:30]!r} and {right[:30]!r}, but has not all of these pieces")
        found[ids[0], ids[1]] = rank, ids[2]  # type: ignore[index, assignment]
    return found


def _byte_pairs(said: Fields) -> BytePairs:
    if said.get("dropout"):
        raise wrong("leaves out merges at random (dropout), so that nobody can say what it would do")
    known = vocabulary_of(said.get("vocab"))
    around = ("continuing_subword_prefix", "end_of_word_suffix")
    prefix, ending = (said.text(name) if said.get(name) else "" for name in around)
    unknown = _known(known, said.text("unk_token")) if said.get("unk_token") else None
    fuses, falls, whole = (said.flag(name, False) for name in ("fuse_unk", "byte_fallback", "ignore_merges"))
    return BytePairs(known, merges_of(said.get("merges"), known, prefix), unknown, fuses, falls, whole, prefix, ending)


def _unigram(said: Fields) -> Unigram:
    listed = said.get("vocab")
    if not isinstance(listed, list) or len(listed) > MOST_PIECES:
        raise wrong("has no vocabulary that can be one")
    for one in listed:
        if not (isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) and len(one[0]) <= _LONGEST_PIECE):
            raise wrong("has a piece that is no text with a score")
        if one[1] is None:
            continue
        if isinstance(one[1], bool) or not isinstance(one[1], (int, float)) or not abs(one[1]) <= MOST_SCORE:
            raise wrong(f"has the piece {one[0][:40]!r} with a score that is no number")
    unknown = None if said.get("unk_id") is None else said.whole("unk_id", max(len(listed) - 1, 0))
    known = {piece: i for i, (piece, _) in enumerate(listed)}
    if said.get("numbers") is not None:  # our own extension: Marian's pieces have the numbers of another list
        known = vocabulary_of(said.get("numbers"))
        unknown = _known(known, "<unk>")
    scores = {piece: float(score) for piece, score in listed if score is not None}
    if said.flag("single", False):  # our own extension: SentencePiece itself adds in float32
        scores = {piece: np.float32(score) for piece, score in scores.items()}  # type: ignore[misc]
    return Unigram(known, scores, unknown, said.flag("byte_fallback", False))


def _known(vocabulary: Mapping[str, int], piece: str) -> int:
    if piece not in vocabulary:
        raise wrong(f"has no piece {piece[:40]!r}, which it says stands for what is unknown")
    return vocabulary[piece]
