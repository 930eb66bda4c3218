"""A text as a sequence of word numbers; the vocabulary is its most frequent words.

A word is a run of letters in lower case, with apostrophes inside it (*don't*); everything else, also digits and
hyphens, separates words. A possessive 's is removed (*bear's* is *bear*). A line, in the books one paragraph, is a
context: words of different lines are not counted together. Words outside the vocabulary are removed from the sequence,
as in the GloVe authors' own program.
"""

import gzip
import lzma
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.training.data import JOINERS, marks_of_letters
from explorer.files import open_file
from explorer.words.progress import Meter, Report

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

    Parameters
    ----------
    n_words : int
        The largest size of the vocabulary.
    least : int
        How often a word must occur to be in the vocabulary.

    Raises
    ------
    ExplorerError
        "too-little-text".
    """
    return _corpus([text], n_words, least, "the text")


def from_files(files: Sequence[Path], n_words: int, least: int = 1, report: Report | None = None) -> Corpus:
    """Text files, plain or compressed by gzip or xz, as word numbers.

    `n_words`, `least`: see `from_text`.
    Raises an `ExplorerError`: "text-not-read", "text-not-utf8" or "too-little-text".
    """
    return _corpus(_blocks(files, report), n_words, least, ", ".join(map(str, files)))


def _corpus(blocks: Iterable[str], n_words: int, least: int, name: str) -> Corpus:
    # Each new word gets the next number at its first look-up.
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
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
