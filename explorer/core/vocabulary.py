"""The words of a model: their numbers, the marks that are not words, and pieces of words by byte-pair encoding.

A text is bytes. The most frequent pair of neighbouring pieces becomes one new piece, and so on; the ordered list of
these merges is the whole encoding (Sennrich et al. 2016), beginning with bytes as GPT-2 does. A new word is split into
smaller pieces, at worst into bytes, so no word is unknown. A merge never crosses the border of a word; a blank belongs
to the word after it.

A model that reads pieces has them as its vocabulary: the 256 bytes, then the piece that each merge made, in order. Each
piece is made by exactly one merge, so the merges follow from the pieces (`merges_of`) and are not stored.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
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
    def mask(self) -> str:
        """The tokenizer's mark of masked words; "" if it has none."""
        return next((mark for mark in MASKS if mark in self and self.tokenizer.is_mark(self.index(mark))), "")

    def with_own_mask(self, text: str) -> str:
        """A text in which masked words have the mark of this tokenizer, if it has one: BERT's is not RoBERTa's."""
        for mark in MASKS if self.mask else ():
            text = text.replace(mark, self.mask)
        return text

    @cached_property
    def _adds_blank(self) -> bool:
        """Whether the tokenizer adds a blank before every text, also before one that begins with a blank."""
        alone, behind = (self.tokenizer.encode(text, False) for text in ("a", " a"))
        return alone != behind and any(self[number].startswith("␣") for number in alone[:1] if number < len(self))

    def text_of(self, pieces: Sequence[str]) -> str:
        """The text of pieces; of the tokenizer's marks only those of masked words, which a person types, are in it."""
        numbers = {piece: number for number, piece in enumerate(self)}
        text, masks = "", [i for i, piece in enumerate(pieces) if piece in MASKS and piece in numbers]
        for begin, end in pairwise([-1, *masks, len(pieces)]):
            part = self.tokenizer.decode([numbers[one] for one in pieces[begin + 1 : end] if one in numbers])
            text += f" {part}" if begin >= 0 and part[:1].isalnum() else part
            if end < len(pieces):
                text += f"{' ' * (text[-1:] not in ('', ' '))}{pieces[end]}"
        return text


START, END, PAD, UNKNOWN, MASK = "<start>", "<end>", "<pad>", "<unk>", "<mask>"
MASKS = MASK, "[MASK]"
"""The marks, ours or a published tokenizer's, in whose place an encoder says the word that was there."""
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


# Byte-pair encoding

Pieces = tuple[bytes, ...]

BYTES: Pieces = tuple(bytes([byte]) for byte in range(256))
_WORD = re.compile(r" ?\w+| ?[^\w\s]+|\s+")
NEW_LINE = "⏎"
LONGEST = 60
"""The most characters of a piece as it is shown: a line of hundreds of signs is no piece, and no file would hold it."""
_SEEN = {" ": "␣", "\n": NEW_LINE}


class Merge(Frozen):
    """One step of learning: two pieces become one."""

    left: bytes
    right: bytes
    count: int = 0  # how often the pair occurred when it was merged; 0 if unknown

    @property
    def piece(self) -> bytes:
        """The new piece."""
        return self.left + self.right


def words(text: str) -> list[bytes]:
    """The words of a text as bytes, each with the blank before it: no merge crosses their borders."""
    return [word.encode() for word in _WORD.findall(text)]


def learn(text: str, n: int) -> list[Merge]:
    """The first n merges that a text teaches; fewer if no pair occurs twice.

    Of equally frequent pairs the one that occurred first is merged. A pair is not merged if its bytes together already
    are a piece, made of two other pieces, or would be a piece of more than `LONGEST` characters.
    """
    times = Counter(words(text))
    pieces: dict[bytes, Pieces] = {word: _bytes(word) for word in times}
    counts: Counter[tuple[bytes, bytes]] = Counter()
    where: dict[tuple[bytes, bytes], dict[bytes, None]] = defaultdict(dict)

    def count(word: bytes, sign: int) -> None:
        for pair in pairwise(pieces[word]):
            counts[pair] += sign * times[word]
            where[pair][word] = None

    for word in times:
        count(word, 1)
    made = set(BYTES)
    merges: list[Merge] = []
    while len(merges) < n and counts:
        (left, right), most = max(counts.items(), key=lambda one: one[1])
        if most < 2:
            break
        if left + right in made or len(label(left + right)) > LONGEST:
            counts.pop((left, right))
            continue
        merges.append(Merge(left, right, most))
        made.add(left + right)
        for word in where.pop((left, right)):
            count(word, -1)
            pieces[word] = merged(pieces[word], left, right)
            count(word, 1)
    return merges


def merged(word: Pieces, left: bytes, right: bytes) -> Pieces:
    """A word in which each such pair is one piece; pairs are taken from the left."""
    found: list[bytes] = []
    for piece in word:
        if found and found[-1] == left and piece == right:
            found[-1] = left + right
        else:
            found.append(piece)
    return tuple(found)


def steps(word: bytes, merges: Sequence[Merge]) -> list[tuple[int, Pieces]]:
    """How a word is encoded: its bytes, then its pieces after each merge that changes it, with the merge's number."""
    return _steps(word, _numbers(merges))


def encode(text: str, merges: Sequence[Merge]) -> list[bytes]:
    """The pieces of a text."""
    each, numbers = words(text), _numbers(merges)
    known = {word: _steps(word, numbers)[-1][1] for word in dict.fromkeys(each)}
    return [piece for word in each for piece in known[word]]


def _bytes(word: bytes) -> Pieces:
    return tuple(word[i : i + 1] for i in range(len(word)))


def _numbers(merges: Sequence[Merge]) -> dict[tuple[bytes, bytes], int]:
    return {(merge.left, merge.right): number for number, merge in enumerate(merges)}


def _steps(word: bytes, numbers: dict[tuple[bytes, bytes], int]) -> list[tuple[int, Pieces]]:
    now = _bytes(word)
    found = [(-1, now)]
    while pairs := [pair for pair in pairwise(now) if pair in numbers]:
        first = min(pairs, key=numbers.__getitem__)  # in order: later merges use the pieces of earlier ones
        now = merged(now, *first)
        found.append((numbers[first], now))
    return found


# Pieces as the vocabulary of a model


def piece_numbers(merges: Sequence[Merge]) -> dict[bytes, int]:
    """The number of each piece: the 256 bytes, then the piece that each merge made."""
    return {piece: i for i, piece in enumerate((*BYTES, *(merge.piece for merge in merges)))}


def label(piece: bytes) -> str:
    """A piece as visible characters: a blank as ␣, a part of a character as its bytes, such as <0xC3>."""
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "<0x" in text or not all(c in _SEEN or (c.isprintable() and c not in _SEEN.values()) for c in text):
        return "".join(f"<0x{byte:02X}>" for byte in piece)
    return "".join(_SEEN.get(c, c) for c in text)


def piece_of(shown: str) -> bytes:
    """The piece that a label stands for."""
    if shown.startswith("<0x"):
        return bytes.fromhex("".join(re.findall("<0x(..)>", shown)))
    for c, seen in _SEEN.items():
        shown = shown.replace(seen, c)
    return shown.encode()


def labels(merges: Sequence[Merge]) -> tuple[str, ...]:
    """The pieces as labels of a model's vocabulary; `<end>` may follow them."""
    return tuple(map(label, piece_numbers(merges)))


_BYTE_LABELS = tuple(map(label, BYTES))


def are_pieces(known: Sequence[str]) -> bool:
    """Whether a vocabulary consists of pieces: it begins with the bytes, or belongs to a tokenizer."""
    return isinstance(known, Vocabulary) or tuple(known[: len(BYTES)]) == _BYTE_LABELS


def unit(known: Sequence[str]) -> str:
    """The name of one token of a vocabulary: "word", or "piece"."""
    return "piece" if are_pieces(known) else "word"


@lru_cache(4)
def merges_of(known: tuple[str, ...]) -> tuple[Merge, ...]:
    """The merges that made a vocabulary of pieces: each piece consists of two earlier ones."""
    merges: list[Merge] = []
    numbers: dict[tuple[bytes, bytes], int] = {}
    for i, shown in enumerate(known[len(BYTES) :]):
        if shown == END:  # it follows the pieces
            break
        left, *rest = _steps(piece_of(shown), numbers)[-1][1]
        merges.append(Merge(left, b"".join(rest)))
        numbers[left, b"".join(rest)] = i
    return tuple(merges)


def pieces_of(text: str, known: tuple[str, ...]) -> list[str]:
    """A text in the pieces of a vocabulary.

    Raises `ExplorerError`: "tokenizer" if the vocabulary's own tokenizer cannot split the text.
    """
    if isinstance(known, Vocabulary):
        return known.pieces_of(text)
    return list(map(label, encode(text, merges_of(known))))


def tokens_of(text: str, known: tuple[str, ...], whole: bool = True) -> list[str]:
    """A typed text as tokens of a vocabulary: split into pieces if it has pieces, otherwise at blanks.

    A piece may be typed as it is shown, with ␣ for a blank. `whole`: a whole text, not a part of one.
    """
    if isinstance(known, Vocabulary):
        return [text] if not whole and text in known else known.pieces_of(text.replace(_SEEN[" "], " "), whole)
    return pieces_of(text.replace(_SEEN[" "], " "), known) if are_pieces(known) else text.split()


def typed(words: Sequence[str], known: Sequence[str]) -> str:
    """Tokens as a person would type them."""
    if isinstance(known, Vocabulary):
        return known.text_of(words)
    return text_of(words) if are_pieces(known) else " ".join(words)


def text_of(shown: Sequence[str]) -> str:
    """The text that pieces spell."""
    return b"".join(piece_of(one) for one in shown if one != END).decode(errors="replace")
