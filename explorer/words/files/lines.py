"""Vectors as text, a word and its numbers in each line, with or without a first line "words dims".

Also in word2vec's binary form: after that line each word, a blank, and its numbers as float32.

Only a blank (U+0020) separates a word from its numbers: words of real files contain no-break and other spaces, and a
few even contain U+0020, so each line is read from its right end.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from explorer.core.errors import ExplorerError

MOST_DIMS = 10_000
MOST_WORDS = 10_000_000
"""Three times as many as in the largest sets; a small archive could unpack to far more."""
LONGEST_LINE = 1 << 20
_BLOCK = 1 << 22
_HEADER = re.compile(rb"(\d{1,12})[ \t]+(\d{1,12})[ \t\r]*\n")

Chunk = tuple[list[bytes], NDArray[np.float32]]


def header(start: bytes) -> tuple[int, int] | None:
    """The numbers of words and of dimensions in the first line of a word2vec file; None for other files."""
    match = _HEADER.match(start)
    return (int(match[1]), int(match[2])) if match else None


def is_text_below(start: bytes, dims: int) -> bool:
    """Whether a word2vec file has its numbers as text below the header, not in binary form."""
    below = start.partition(b"\n")[2]
    line, newline, _ = below.partition(b"\n")
    if b"\0" in below:
        return False
    if _numbers(line.rstrip().rsplit(b" ", dims)[1:], dims) is not None:
        return True
    # `read` will report a wrong text line; binary numbers would contain other bytes.
    return bool(newline) and all(0x20 <= byte < 0x7F or byte == 0x0D for byte in line)


def read(file: Path, stream: IO[bytes], largest: int, promised: tuple[int, int] | None = None) -> Iterator[Chunk]:
    """Tables of some thousand lines each.

    Parameters
    ----------
    file : pathlib.Path
        Its name in messages.
    stream : file
        Positioned at the beginning.
    largest : int
        The most bytes of the text, unpacked.
    promised : (int, int), optional
        The numbers in the first line; that line is then skipped.

    Raises
    ------
    ExplorerError
        "vectors-line", "vectors-truncated" or "vectors-too-large".
    """
    line, found, rest, size = 1, 0, b"", 0
    dims = promised[1] if promised else 0
    if promised:
        stream.readline()
        line = 2
        if not 1 <= dims <= MOST_DIMS:
            raise _bad(file, 1, _width_limit(dims))
    while True:
        chunk = stream.read(_BLOCK)
        size += len(chunk)
        if size > largest:
            limit = f"{largest / 1e9:.1f} GB"
            raise ExplorerError("vectors-too-large", file=file, size=f"more than {limit}", limit=limit)
        *whole, rest = (rest + chunk).split(b"\n")
        if not chunk and rest:
            whole.append(rest)
        elif len(rest) > LONGEST_LINE:
            raise _bad(file, line + len(whole), f"longer than {LONGEST_LINE:,} bytes")
        if whole:
            dims = dims or _first_width(file, whole[0])
            words, array = _parse(file, whole, line, dims)
            line += len(whole)
            found += len(words)
            if promised and found > promised[0]:
                raise _bad(file, line, f"more words than the {promised[0]:,} of the first line")
            if found > MOST_WORDS:
                raise _bad(file, line, f"more than {MOST_WORDS:,} words")
            yield words, array
        if not chunk:
            break
    if promised and found < promised[0]:
        raise ExplorerError("vectors-truncated", file=file, found=f"{found:,}", wanted=f"{promised[0]:,}")


def _first_width(file: Path, first: bytes) -> int:
    """How many numbers the first line has: everything after its first word."""
    if not first.strip():
        raise _bad(file, 1, "empty")
    parts = first.rstrip(b" \r").split(b" ")[1:]
    if not parts or _numbers(parts, len(parts)) is None:
        raise _bad(file, 1, f"not a word and its numbers: '{_shown(first)}'")
    if len(parts) > MOST_DIMS:
        raise _bad(file, 1, _width_limit(len(parts)))
    return len(parts)


def _parse(file: Path, whole: list[bytes], first: int, dims: int) -> Chunk:
    """The words and numbers of some lines; regular lines are parsed together, which is ten times as fast."""
    if whole and all(line.count(b" ") == dims for line in whole):
        parts = [line.partition(b" ") for line in whole]
        array = _numbers([part[2] for part in parts], dims * len(parts))
        words = [part[0] for part in parts]
        if array is not None and all(words) and _is_utf8(words):
            return words, array.reshape(-1, dims)
    words, vectors = [], []
    for i, line in enumerate(whole):
        # Only the last line of a file may be empty.
        if not line.strip(b"\r") and i == len(whole) - 1:
            continue
        word, vector = _parse_line(file, line, first + i, dims)
        words.append(word)
        vectors.append(vector)
    return words, np.array(vectors, np.float32).reshape(-1, dims)


def _parse_line(file: Path, line: bytes, number: int, dims: int) -> tuple[bytes, NDArray[np.float32]]:
    bare = line.rstrip(b" \r")
    if not bare:
        raise _bad(file, number, "empty")
    word, *parts = bare.rsplit(b" ", dims)
    vector = _numbers(parts, dims)
    if vector is not None and word and _is_utf8([word]):
        # An extra number would otherwise become part of the word.
        extra = word.split(b" ")[1:]
        if not extra or _numbers(extra, len(extra)) is None:
            return word, vector
    parts = bare.split(b" ")[1:]
    if not _is_utf8([bare]):
        raise _bad(file, number, "not text in UTF-8")
    if _numbers(parts, len(parts)) is not None and len(parts) != dims:
        raise _bad(file, number, f"{len(parts)} numbers, where there should be {dims}")
    wrong = next((part for part in parts if _numbers([part], 1) is None), None)
    if wrong is None:
        raise _bad(file, number, f"not a word and {dims} numbers: '{_shown(bare)}'")
    raise _bad(file, number, f"'{_shown(wrong)}' is not a finite number")


def _numbers(parts: list[bytes], n: int) -> NDArray[np.float32] | None:
    """Exactly n finite numbers, or None."""
    try:
        with np.errstate(over="ignore"):
            # numpy stops at text that is not a number, with a warning at most; then the 0 at the end is missing.
            numbers = np.fromstring(b" ".join([*parts, b"0"]), np.float32, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return numbers[:-1] if len(numbers) == n + 1 and np.isfinite(numbers).all() else None


def _is_utf8(words: list[bytes]) -> bool:
    try:
        b" ".join(words).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


LONGEST_WORD = 1000
"""In bytes."""


def read_binary(file: Path, stream: IO[bytes], n_words: int, dims: int) -> Iterator[Chunk]:
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
        "vectors-line" or "vectors-truncated"; each word counts as a line, the first one as line 2, as in the text form.
    """
    if not 1 <= dims <= MOST_DIMS:
        raise _bad(file, 1, _width_limit(dims))
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
                raise _bad(file, found + len(words) + 2, "no word where one should begin")
            if blank < 0 or blank + 1 + width > len(data):
                break
            # The original program ends each word's numbers with a newline, gensim does not.
            words.append(data[at:blank].lstrip(b"\n"))
            numbers.append(data[blank + 1 : blank + 1 + width])
            at = blank + 1 + width
        rest = data[at:]
        array = np.frombuffer(b"".join(numbers), "<f4").reshape(-1, dims).astype(np.float32, copy=False)
        _check_words(file, words, array, found)
        found += len(words)
        yield words, array
        if not chunk:
            break
    if found < n_words:
        raise ExplorerError("vectors-truncated", file=file, found=f"{found:,}", wanted=f"{n_words:,}")
    if (rest + stream.read(2)).strip(b"\n"):
        raise _bad(file, found + 2, f"more than the {n_words:,} words of the first line")


def _check_words(file: Path, words: list[bytes], array: np.ndarray, before: int) -> None:
    finite = np.isfinite(array).all(1)
    if not finite.all():
        raise _bad(file, before + int(np.argmin(finite)) + 2, "a number that is not finite")
    for i, word in enumerate(words):
        try:
            spelt = word.decode("utf-8")
        except UnicodeDecodeError:
            spelt = ""
        if not spelt or "\n" in spelt or "\0" in spelt:
            raise _bad(file, before + i + 2, "no word where one should begin")


def _bad(file: Path, line: int, problem: str) -> ExplorerError:
    return ExplorerError("vectors-line", file=file, line=line, problem=problem)


def _width_limit(dims: int) -> str:
    return f"{dims} numbers to a word; it may be from 1 to {MOST_DIMS:,}"


def _shown(text: bytes) -> str:
    plain = text.decode("utf-8", "replace")
    plain = "".join(c if c.isprintable() else "�" for c in plain)
    return plain if len(plain) <= 40 else plain[:40] + "…"
