"""Vectors in word2vec's binary form: after a line "words dims", each word, a blank, and its numbers as float32."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.words.files.lines import MOST_DIMS, Chunk

LONGEST_WORD = 1000
"""In bytes."""
_BLOCK = 1 << 22


def read(file: Path, stream: IO[bytes], n_words: int, dims: int) -> Iterator[Chunk]:
    """Tables of some thousand words each.

    Parameters
    ----------
    file : pathlib.Path
        Its name in messages.
    stream : file
        Positioned at the beginning.
    n_words, dims : int
        The numbers in the first line.

    Raises
    ------
    ExplorerError
        "vectors-line" or "vectors-truncated"; each word counts as a line.
    """
    if not 1 <= dims <= MOST_DIMS:
        problem = f"{dims} numbers to a word; it may be from 1 to {MOST_DIMS:,}"
        raise ExplorerError("vectors-line", file=file, line=1, problem=problem)
    stream.readline()
    width, found, rest = 4 * dims, 0, b""
    while found < n_words:
        chunk = stream.read(_BLOCK)
        data = rest + chunk
        words: list[bytes] = []
        numbers: list[bytes] = []
        at = 0
        while found + len(words) < n_words:
            blank = data.find(b" ", at, at + LONGEST_WORD + 1)
            if blank < 0 and len(data) - at > LONGEST_WORD:
                raise _bad(file, found + len(words), "no word where one should begin")
            if blank < 0 or blank + 1 + width > len(data):
                break
            # The original program ends each word's numbers with a newline, gensim does not.
            words.append(data[at:blank].lstrip(b"\n"))
            numbers.append(data[blank + 1 : blank + 1 + width])
            at = blank + 1 + width
        rest = data[at:]
        array = np.frombuffer(b"".join(numbers), "<f4").reshape(-1, dims).astype(np.float32, copy=False)
        _check(file, words, array, found)
        found += len(words)
        yield words, array
        if not chunk:
            break
    if found < n_words:
        raise ExplorerError("vectors-truncated", file=file, found=f"{found:,}", wanted=f"{n_words:,}")
    if (rest + stream.read(2)).strip(b"\n"):
        raise _bad(file, found, f"more than the {n_words:,} words of the first line")


def _check(file: Path, words: list[bytes], array: np.ndarray, before: int) -> None:
    finite = np.isfinite(array).all(1)
    if not finite.all():
        raise _bad(file, before + int(np.argmin(finite)), "a number that is not finite")
    for i, word in enumerate(words):
        try:
            spelt = word.decode("utf-8")
        except UnicodeDecodeError:
            spelt = ""
        if not spelt or "\n" in spelt or "\0" in spelt:
            raise _bad(file, before + i, "no word where one should begin")


def _bad(file: Path, word: int, problem: str) -> ExplorerError:
    """The first word counts as line 2, as in the text form."""
    return ExplorerError("vectors-line", file=file, line=word + 2, problem=problem)
