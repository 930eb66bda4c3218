"""A text as a sequence of word numbers; the vocabulary is its most frequent words.

A word is a run of letters in lower case, with apostrophes inside it (*don't*); everything else, also digits and
hyphens, separates words. A possessive 's is removed (*bear's* is *bear*). A line, in the books one paragraph, is a
context: words of different lines are not counted together. Words outside the vocabulary are removed from the sequence,
as in the GloVe authors' own program.

Co-occurrence: how often, and how close, each word occurs near each other word (Pennington et al. 2014, section 3). Two
words d places apart in a line add 1/d to their count, in both directions. Sums are integers in a unit that divides all
of 1, 1/2, …, 1/window, so they are exact and do not depend on the order of counting.
"""

import gzip
import itertools
import lzma
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import lcm
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.progress import Meter, Report
from explorer.core.training.data import JOINERS, marks_of_letters
from explorer.files import open_file

BREAK = -1
"""The number in the stream that separates two lines."""

_LETTERS = r"[^\W\d_]+"
_WORD = re.compile(rf"{_LETTERS}(?:'{_LETTERS})*|\n")
_POSSESSIVE = re.compile(r"'[sS]\b")
_BLOCK = 1 << 22
_SMALL, _TIGHTEST = 100_000_000, 100
"""Bytes that a file may always unpack to; a larger file may unpack to so many times its packed size."""
LEAST_DISTINCT = 2


class Corpus(Frozen):
    """A text as word numbers."""

    words: tuple[str, ...]  # the vocabulary, the most frequent word first
    stream: NDArray[np.int32]  # the number of each word of the text, `BREAK` between lines, (n,), int32


def tokens(text: str, lower: bool = True) -> list[str]:
    r"""The words of a text, with "\n" between its lines; `lower`: in lower case."""
    plain = _POSSESSIVE.sub("", (text.lower() if lower else text).replace("’", "'"))
    if plain.isascii():
        return _WORD.findall(plain)
    marks, word = _with_marks()
    return (_WORD if marks.isdisjoint(plain) else word).findall(plain)


@lru_cache(1)
def _with_marks() -> tuple[frozenset[str], re.Pattern[str]]:
    """The marks and joiners of letters, as in Hindi and Persian, and what matches a word with such characters."""
    marks, letters = marks_of_letters(), _LETTERS
    word = rf"{letters}(?:(?:[{marks}]|[{JOINERS}]+(?={letters}))+(?:{letters})?)*"
    return frozenset(marks + JOINERS), re.compile(rf"{word}(?:'{word})*|\n")


def from_text(text: str, n_words: int, least: int = 1) -> Corpus:
    """A text as word numbers.

    `n_words`: the largest size of the vocabulary.
    `least`: how often a word must occur to be in the vocabulary.

    Raises `ExplorerError`: "too-little-text".
    """
    return _corpus([text], n_words, least, "Your text")


def from_files(files: Sequence[Path], n_words: int, least: int = 1, report: Report | None = None) -> Corpus:
    """Text files, plain or compressed by gzip or xz, as word numbers.

    `n_words`, `least`: see `from_text`.
    Raises an `ExplorerError`: "text-not-read", "text-not-utf8" or "too-little-text".
    """
    return _corpus(_blocks(files, report), n_words, least, ", ".join(map(str, files)))


def _corpus(blocks: Iterable[str], n_words: int, least: int, name: str) -> Corpus:
    # Each new word gets the next number at its first look-up.
    numbers: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    numbers["\n"]
    parts = []
    for block in blocks:
        found = tokens(block)
        parts.append(np.fromiter(map(numbers.__getitem__, found), np.int32, len(found)))
    spelt = list(numbers)
    counts = np.zeros(len(spelt), np.int64)
    for part in parts:
        counts += np.bincount(part, minlength=len(spelt))
    kept = [i for i in range(1, len(spelt)) if counts[i] >= least]
    kept = sorted(kept, key=lambda i: (-counts[i], spelt[i]))[:n_words]
    if len(kept) < LEAST_DISTINCT:
        raise ExplorerError("too-little-text", file=name, found=len(kept), least=least)

    outside = -2
    new = np.full(len(spelt), outside, np.int32)
    new[0] = BREAK
    new[kept] = np.arange(len(kept))
    for i, part in enumerate(parts):
        renumbered = new[part]
        parts[i] = renumbered[renumbered != outside]
    return Corpus(tuple(spelt[i] for i in kept), np.concatenate(parts))


def _blocks(files: Sequence[Path], report: Report | None) -> Iterator[str]:
    """The text of all files in blocks of some megabytes that end between words."""
    try:
        meter = Meter("reading", sum(file.stat().st_size for file in files), report)
    except OSError as error:
        raise ExplorerError("text-not-read", file=error.filename, reason=error.strerror or error) from None
    before = 0
    for file in files:
        line, text = 1, ""
        try:
            most = max(_SMALL, _TIGHTEST * file.stat().st_size)
            with open_file(file) as raw, _opened(raw) as stream:
                for block in _words(stream, most):
                    try:
                        text = block.decode("utf-8")
                    except UnicodeDecodeError as error:
                        where = line + block.count(b"\n", 0, error.start)
                        raise ExplorerError("text-not-utf8", file=file, line=where) from None
                    line += block.count(b"\n")
                    yield text
                    meter(before + raw.tell())
            if text and not text.endswith("\n"):  # the end of a file ends its last line, with or without a newline
                yield "\n"
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ExplorerError("text-not-read", file=file, reason=reason) from None
        before += file.stat().st_size


def _words(stream: IO[bytes], most: int) -> Iterator[bytes]:
    """The content of a stream, cut after lines or blanks, because a single line may be as long as the file.

    Raises OSError if it has more bytes than `most`, or a word that is impossibly long.
    """
    rest, size, ahead = b"", 0, stream.read(_BLOCK)
    while ahead:
        block, size = rest + ahead, size + len(ahead)
        ahead = stream.read(_BLOCK)
        end = max(block.rfind(b"\n"), block.rfind(b" ")) + 1 if ahead else len(block)
        if size > most:
            raise OSError(f"it would unpack to more than {most / 1e6:,.0f} MB")
        if not end and len(block) > _BLOCK:
            raise OSError(f"it has a word of more than {_BLOCK:,} bytes")
        if end:
            yield block[:end]
        rest = block[end:]


def _opened(raw: IO[bytes]) -> IO[bytes]:
    """The stream of a plain, gzip or xz file."""
    start = raw.read(6)
    raw.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    if start == b"\xfd7zXZ\x00":
        return cast(IO[bytes], lzma.LZMAFile(cast(Any, raw)))
    return raw


WIDEST = 20
"""The largest window; with a larger one the exact sums of a large text could exceed 64 bits."""
_CHUNK = 1 << 20
_CELLS = 100_000_000
"""How many sums the compiled version holds at a time (800 MB); for further sums it reads the text again."""


class Counts(Frozen):
    """The co-occurrence counts of all pairs of words that occur together; each unordered pair once."""

    n_words: int
    # `rows`, `columns`: the two words, ``rows >= columns``, (n_pairs,), int32; sorted by row, then column.
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]  # X_ij = X_ji, (n_pairs,), float64

    def table(self, words: Sequence[int]) -> NDArray[np.float64]:
        """The counts of some words with each other, (n, n)."""
        place = {word: i for i, word in enumerate(words)}
        of = np.full(self.n_words, -1)
        of[list(place)] = list(place.values())
        inside = (of[self.rows] >= 0) & (of[self.columns] >= 0)
        rows, columns = of[self.rows[inside]], of[self.columns[inside]]
        table = np.zeros((len(place), len(place)))
        table[rows, columns] = table[columns, rows] = self.values[inside]
        return table


def count(corpus: Corpus, window: int, report: Report | None = None, fast: bool = False) -> Counts:
    """Count the pairs of words of a text.

    `window`: the largest distance of two words, in places, 1 to `WIDEST`.
    `fast`: use numba; the counts are the same.
    """
    if not 1 <= window <= WIDEST:
        raise ValueError(f"a window of {window}")
    one = lcm(*range(1, window + 1))
    units = np.array([0, *(one // d for d in range(1, window + 1))], np.int64)
    sums = _compiled(corpus, units, report) if fast else _sorted(corpus, units, report)
    rows, columns, totals = sums
    # A pair of equal words was counted once, but occurs in both directions.
    return Counts(len(corpus.words), rows, columns, totals * np.where(rows == columns, 2, 1) / one)


Sums = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


def _sorted(corpus: Corpus, units: NDArray[np.int64], report: Report | None) -> Sums:
    """With numpy: the pairs of each piece of text as sorted keys, merged into the earlier ones."""
    n, window = len(corpus.words), len(units) - 1
    stream = corpus.stream.astype(np.int64)
    lines = np.cumsum(stream == BREAK)
    meter = Meter("counting", len(stream), report)
    keys, totals = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for start in range(0, len(stream), _CHUNK):
        found, weights = [keys], [totals]
        for d in range(1, window + 1):
            earlier = slice(start, max(start, min(start + _CHUNK, len(stream) - d)))
            later = slice(earlier.start + d, earlier.stop + d)
            a, b = stream[earlier], stream[later]
            beside = (lines[earlier] == lines[later]) & (a != BREAK) & (b != BREAK)
            a, b = a[beside], b[beside]
            found.append(np.maximum(a, b) * n + np.minimum(a, b))
            weights.append(np.full(len(a), units[d]))
        keys, place = np.unique(np.concatenate(found), return_inverse=True)
        # float64 holds integers up to 2**53 exactly.
        totals = np.bincount(place, np.concatenate(weights), len(keys)).astype(np.int64)
        meter(min(start + _CHUNK, len(stream)))
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32), totals


def _compiled(corpus: Corpus, units: NDArray[np.int64], report: Report | None) -> Sums:
    """With numba: a triangle of sums, in bands of rows that fit into memory."""
    from explorer.words.loops import add_pairs

    n = len(corpus.words)
    bands, first = [], 0
    while first < n:
        last = first + 1
        while last < n and _cells(last + 1) - _cells(first) <= _CELLS:
            last += 1
        bands.append((first, last))
        first = last
    parts: list[Sums] = []
    step = 1 << 23
    meter = Meter("counting", len(corpus.stream) * len(bands), report)
    for band, (first, last) in enumerate(bands):
        sums = np.zeros(_cells(last) - _cells(first), np.int64)
        for start in range(0, len(corpus.stream), step):
            stop = min(start + step, len(corpus.stream))
            add_pairs(corpus.stream, start, stop, units, first, last, sums)
            meter(band * len(corpus.stream) + stop)
        where = np.flatnonzero(sums)
        ends = np.array([_cells(row + 1) - _cells(first) for row in range(first, last)])
        rows = np.searchsorted(ends, where, side="right")
        columns = where - np.concatenate(([0], ends))[rows]
        parts.append(((rows + first).astype(np.int32), columns.astype(np.int32), sums[where]))
    every = list(zip(*parts, strict=True))
    return np.concatenate(every[0]), np.concatenate(every[1]), np.concatenate(every[2])


def _cells(row: int) -> int:
    """How many cells of the triangle lie before a row."""
    return row * (row + 1) // 2
