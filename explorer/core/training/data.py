"""The data that a model learns from: windows of a text, pairs of sentences, or a table of cases.

Each becomes `Examples`: arrays by the names of the input nodes whose values they are, one example in each row. The
order of the examples depends only on the seed and the step, so a continued run sees the same examples as an
uninterrupted one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path
from unicodedata import category
from zlib import crc32

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, TARGET
from explorer.core.ops import Array
from explorer.core.vocabulary import END, MASK, PAD, START, UNKNOWN, token_ids
from explorer.files import open_file

MOST_BYTES = 20_000_000
LONGEST_WORD = 60
MOST_IN_SENTENCE = 64

Pair = tuple[list[str], list[str]]

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
JOINERS = "\u200c\u200d"
"""Between the letters of a word, as in Persian, and between the parts of an emoji."""


def _token(text: str) -> re.Pattern[str]:
    """Matches a word of the text, or a sign; with the accents and joiners that are characters of their own."""
    if text.isascii():
        return _TOKEN
    marks, token = _with_marks()
    return _TOKEN if marks.isdisjoint(text) else token  # which is several times slower


@lru_cache(1)
def marks_of_letters() -> str:
    """The characters that mark the letter before them, such as accents and vowel signs: all marks of Unicode."""
    ranges = (*range(0x300, 0x1E950), *range(0xE0100, 0xE01F0))
    return "".join(mark for mark in map(chr, ranges) if category(mark).startswith("M"))


@lru_cache(1)
def _with_marks() -> tuple[frozenset[str], re.Pattern[str]]:
    """The characters that belong to another one, and what matches a word or a sign with such characters."""
    marks = marks_of_letters()
    skins, letters = ("".join(map(chr, some)) for some in (range(0x1F3FB, 0x1F400), range(0x1F1E6, 0x1F200)))
    word = rf"\w+(?:(?:[{marks}]|[{JOINERS}]+(?=\w))+\w*)*"
    sign = rf"[^\w\s{JOINERS}][{marks}{skins}]*"
    # An emoji has a colour of skin, or is joined of others; two letters are a flag.
    token = rf"{word}(?:['’]{word})*|[{letters}]{{2}}|{sign}(?:\u200d{sign})*"
    return frozenset(marks + JOINERS + skins + letters), re.compile(token)


def words_of(text: str, lower: bool = True) -> list[str]:
    """The words and punctuation marks of a text, in order.

    Examples
    --------
    >>> words_of("Don't wait, sail!")
    ["don't", 'wait', ',', 'sail', '!']
    """
    if lower:
        text = text.lower()  # which makes a letter and a mark of İ
    return _token(text).findall(text)


def vocabulary(words: Sequence[str], most: int, first: Sequence[str] = (UNKNOWN,)) -> tuple[str, ...]:
    """The most frequent words of a text; of equally frequent ones those that occur first.

    `most`: the largest size of the vocabulary, `first` included.
    `first`: entries that come first in any case. `<unk>` is left out if every word of the text is in the vocabulary.
    """
    shown = (word for word in words if len(word) <= LONGEST_WORD and all(c.isprintable() or c in JOINERS for c in word))
    counts = Counter(word for word in shown if word not in first)
    every = all(word in counts or word in first for word in words)
    if every and len(counts) + len(first) - (UNKNOWN in first) <= most:
        first = [word for word in first if word != UNKNOWN]
    return (*first, *(word for word, _ in counts.most_common(max(most - len(first), 0))))


def read_text(path: Path) -> str:
    """A text file in UTF-8.

    Raises `ExplorerError`: "text-not-read" or "text-not-utf8".
    """
    try:
        with open_file(path) as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise ExplorerError("text-not-read", file=path, reason=reason) from None
    if len(content) > MOST_BYTES:
        raise ExplorerError("text-not-read", file=path, reason=f"it has more than {MOST_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ExplorerError("text-not-utf8", file=path, line=line) from None


def pairs_of(text: str, name: str = "the text", lower: bool = True) -> list[Pair]:
    """Pairs of sentences, one pair in each line, separated by a tab or a vertical bar; empty lines are skipped.

    `name`: the name of the text in errors.
    Raises `ExplorerError`: "text-line", "text-not-read".
    """
    found: list[Pair] = []
    for i, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        sides = [words_of(side, lower) for side in re.split(r"[\t|]", line)]
        if len(sides) != 2 or not all(sides):
            problem, remedy = "is no pair of sentences", "write two sentences with a tab or | between them"
        elif max(map(len, sides)) > MOST_IN_SENTENCE:
            problem, remedy = f"has {max(map(len, sides))} words in a sentence", f"write up to {MOST_IN_SENTENCE}"
        else:
            found.append((sides[0], sides[1]))
            continue
        raise ExplorerError("text-line", file=name, line=i, problem=problem, remedy=remedy)
    if not found:
        raise ExplorerError("text-not-read", file=name, reason="it holds no sentences")
    return found


MOST_JUDGED = 128
"""The most examples that a validation uses, always the same ones."""

MASKED = 0.15
"""The share of the words that are masked, as in BERT."""

_ORDER, _SPLIT, _MASKS = 1, 2, 3  # different numbers, so that no two uses of a seed draw the same sequence


class Examples(Frozen, eq=False):
    """Examples to learn from, and others for validation."""

    # For each input node that an example sets, its values, with the examples along the first axis. Empty for the
    # model's own example: then every step uses the model's inputs unchanged.
    arrays: Mapping[str, Array] = field(default_factory=dict)
    # How many tokens each sequence of an example has; the model must be built with them (`Model.lengths`).
    lengths: Mapping[str, int] = field(default_factory=dict)
    # `training`, `validation`: the numbers of the examples to learn from, and of those to validate with. No example is
    # in both.
    training: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    validation: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    fingerprint: int = 0  # almost certainly different for different data
    as_shown: bool = False  # whether a step reads the model's inputs unchanged: dropout drops nothing

    def batch(self, step: int, size: int, seed: int) -> dict[str, Array]:
        """The inputs of one step: all examples in a random order, which is drawn again for each epoch.

        The last batch of an epoch has the remaining examples, as is usual.

        `step`: counted from 0.
        `size`: the most examples; 0, or at least as many as exist: all of them, in their order.
        Returns arrays (size, …); empty for the model's own example.
        """
        n = len(self.training)
        if not 0 < size < n:
            return self._of(self.training)
        epoch, place = divmod(step, self.batches(size))
        return self._of(self.training[_order(n, seed, epoch)[place * size : (place + 1) * size]])

    def batches(self, size: int) -> int:
        """How many steps an epoch has, in which each example is used once."""
        n = len(self.training)
        return -(-n // size) if 0 < size < n else 1

    def judged(self, size: int) -> Iterator[dict[str, Array]]:
        """The validation examples in batches of up to `size` (0: all at once), the same ones each time.

        If there are more than `MOST_JUDGED`, that many of them, evenly spaced.
        """
        chosen = self.validation
        if len(chosen) > MOST_JUDGED:
            chosen = chosen[np.linspace(0, len(chosen) - 1, MOST_JUDGED).astype(np.int64)]
        size = size or MOST_JUDGED
        for start in range(0, len(chosen), size):
            yield self._of(chosen[start : start + size])

    def split(self, share: float, seed: int) -> "Examples":
        """The same examples with a random share of them set aside for validation: at least one, and not all."""
        n = len(self.training)
        if not share or n < 2:
            return self
        shuffled = np.random.default_rng([seed, _SPLIT]).permutation(self.training)
        aside = min(max(round(share * n), 1), n - 1)
        return replace(self, training=np.sort(shuffled[aside:]), validation=np.sort(shuffled[:aside]))

    def _of(self, chosen: Array) -> dict[str, Array]:
        return {name: array[chosen] for name, array in self.arrays.items()}


OWN, SHOWN = Examples(), Examples(as_shown=True)
"""The model's own example, in training and as a page shows it."""


@lru_cache(maxsize=2)
def _order(n: int, seed: int, epoch: int) -> Array:
    return np.random.default_rng([seed, _ORDER, epoch]).permutation(n)


def windows(tokens: Array, n: int, share: float = 0.0, seed: int = 0, targets: Array | None = None) -> Examples:
    """All windows of n words of a text, each with the words that follow: the next-word examples of a GPT.

    Inputs and targets are (n_windows, n).

    `tokens`: the text as numbers of words, (length,).
    `n`: words in a window.
    `share`: the share of the text for validation: one contiguous part at a random place, cut into windows that do not
    overlap. Training windows that overlap this part are left out, so that no validation text is learned.
    `targets`: the text in the numbers of the output vocabulary, if that is another one.
    Raises `ExplorerError`: "text-too-short".
    """
    span = n + 1  # including the target of the last word
    length = len(tokens)
    least = 2 * span if share else span
    if length < least:
        raise ExplorerError("text-too-short", found=length, window=n, least=least)
    targets = tokens if targets is None else targets
    every, behind = (np.lib.stride_tricks.sliding_window_view(of, n) for of in (tokens[:-1], targets[1:]))
    starts = np.arange(length - n)
    aside = starts[:0]
    if share:
        held = min(max(round(share * length), span), length - span)
        # At least one training window must fit before the part, or else after it.
        last = length - held
        places = np.union1d(np.arange(last - span + 1), np.arange(span, last + 1))
        begin = int(np.random.default_rng([seed, _SPLIT]).choice(places))
        aside = np.arange(begin, begin + held - n, n)
        starts = starts[(starts + n < begin) | (starts >= begin + held)]
    arrays = {"input.tokens": every, TARGET: behind}
    return Examples(arrays, {"input": n}, starts, aside, crc32(tokens.tobytes() + targets.tobytes(), n))


def sentence_pairs(
    pairs: Sequence[Pair], source: Sequence[str], target: Sequence[str], output: Sequence[str] = ()
) -> Examples:
    """Pairs of sentences for an encoder-decoder (Vaswani et al. 2017): it reads one and learns to write the other.

    The decoder reads ``<start> y1 … ym``; its target is ``y1 … ym <end>`` (teacher forcing). Shorter sentences are
    filled up with ``<pad>``: (n_pairs, n_source), and twice (n_pairs, n_target).

    `source`, `target`, `output`: the vocabularies: of the source, of the decoder's input (with `<start>`), and of its
    output (with `<end>`; default: `target`). If sentences differ in length, each needs `<pad>`.
    Raises `ExplorerError`: "word-not-known" if a vocabulary lacks a word and has no `<unk>`.
    """
    written = [[START, *words] for _, words in pairs]
    return whole_sentences(written, target, 0, [read for read, _ in pairs], source, output)


def whole_sentences(
    written: Sequence[Sequence[str]],
    known: Sequence[str],
    judged: int,
    read: Sequence[Sequence[str]] = (),
    source: Sequence[str] = (),
    output: Sequence[str] = (),
) -> Examples:
    """Whole sentences for a decoder, which learns to predict each next word, and `<end>` after the last.

    Shorter sentences are filled up with ``<pad>``.

    `written`: the decoder's input sentences; those of a translator begin with the start word.
    `known`: the decoder's vocabulary, with `<end>` and `<pad>`.
    `judged`: how many of them, the last ones, are for validation.
    `read`, `source`: for a translator: the sentences that the encoder reads, and the encoder's vocabulary.
    """
    decoder = "target" if read else "input"
    arrays = {"source.tokens": _filled(read, source)} if read else {}
    arrays[f"{decoder}.tokens"] = _filled(written, known)
    arrays[TARGET] = _filled([[*words[1:], END] for words in written], output or known)
    return _whole(arrays, judged)


def masked_sentences(sentences: Sequence[Sequence[str]], known: Sequence[str], judged: int, seed: int) -> Examples:
    """Whole sentences for an encoder, which learns to predict masked words, at least one in each sentence.

    Every chosen word becomes ``<mask>``; BERT leaves a tenth of them unchanged and replaces another tenth by other
    words (Devlin et al. 2019, §3.1). Other words have the target ``<pad>``, which is not counted.

    `known`: the vocabulary, with `<mask>` and `<pad>`.
    `judged`: how many of them, the last ones, are for validation.
    `seed`: for the choice of words.
    """
    tokens = _filled(sentences, known)
    mask, pad = (list(known).index(one) for one in (MASK, PAD))
    there = tokens != pad
    lots = np.where(there, np.random.default_rng([seed, _MASKS]).random(tokens.shape), 2)
    masked = (lots < MASKED) | (lots == lots.min(axis=1, keepdims=True))
    arrays = {"input.tokens": np.where(masked, mask, tokens), TARGET: np.where(masked, tokens, pad)}
    return _whole(arrays, judged)


def cases(X: Array, target: Array) -> Examples:
    """A table of cases for an MLP: X (n_cases, n_features), and the target outputs (n_cases, n_outputs)."""
    return _whole({CASES: X, TARGET: target})


def _filled(sentences: Sequence[Sequence[str]], known: Sequence[str]) -> Array:
    """The numbers of the words, one sentence in each row, filled up with `<pad>`."""
    longest = max(map(len, sentences))
    for special in {word for sentence in sentences for word in sentence if word in (START, END)}:
        if special not in known:  # <unk> cannot replace it
            raise ExplorerError("word-not-known", word=special)
    if any(len(sentence) < longest for sentence in sentences) and PAD not in known:
        raise ExplorerError("word-not-known", word=PAD)
    rows = [[*sentence, *(PAD for _ in range(longest - len(sentence)))] for sentence in sentences]
    return token_ids([word for row in rows for word in row], known).reshape(len(rows), longest)


def _whole(arrays: Mapping[str, Array], judged: int = 0) -> Examples:
    """Examples of all rows; the last `judged` of them are for validation."""
    fingerprint = 0
    for array in arrays.values():
        fingerprint = crc32(array.tobytes(), fingerprint)
    lengths = {n.removesuffix(".tokens"): array.shape[1] for n, array in arrays.items() if n.endswith(".tokens")}
    learned, aside = np.split(np.arange(len(arrays[TARGET])), [len(arrays[TARGET]) - judged])
    return Examples(arrays, lengths, learned, aside, fingerprint)
