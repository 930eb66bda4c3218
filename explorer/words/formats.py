"""Files of word vectors, recognised by their content.

==================  ===================================================================================================
GloVe text          a word and its numbers in each line, separated by single blanks
word2vec text       the same after a first line "words dims"
word2vec binary     that line, then for each word its bytes, a blank, and its numbers as little-endian float32
any of these, gzip
safetensors         "vectors" (n, dims) of floats, or of int8 with "scales" (n,); "words": UTF-8 bytes, newlines between
.npz                "vectors" (n, dims) and "words", an array of n texts
==================  ===================================================================================================

Nothing is unpickled, because a pickle can run any program when it is opened.

In text only a blank (U+0020) separates a word from its numbers: words of real files contain no-break and other spaces,
and a few even contain U+0020, so each line is read from its right end.

Formats in which vectors are written:

======================  ==============================================================================================
``.txt``                GloVe's own text: a word and its numbers in each line
``.safetensors``        "vectors" (n, dims) and "words" (bytes: UTF-8, a newline between two words)
``.int8.safetensors``   the same, "vectors" as int8 with "scales" (n,): a quarter of the size
``.npz``                "vectors" and "words" as numpy arrays
======================  ==============================================================================================
"""

import gzip
import lzma
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from explorer import container
from explorer.container import DAMAGED, Container, DamagedError
from explorer.core.errors import ExplorerError
from explorer.core.numbers import quantity
from explorer.core.progress import Meter, Report
from explorer.files import open_file, whole_file, write_npz
from explorer.words.vectors import Vectors

LARGEST = 8_000_000_000
"""In bytes, unpacked. The largest set offered for download has 0.8 GB, Stanford's largest 5.7 GB unpacked."""
MOST_DIMS = 10_000
MOST_WORDS = 10_000_000
"""Three times as many as in the largest sets; a small archive could unpack to far more."""
LONGEST_LINE, LONGEST_WORD = 1 << 20, 1000
"""In bytes."""
_BLOCK = 1 << 22
_HEADER = re.compile(rb"(\d{1,12})[ \t]+(\d{1,12})[ \t\r]*\n")
_SMALL, _TIGHTEST = 100_000_000, {"vectors": 20, "words": 200}
"""Bytes that an unpacked array may always have; larger ones have a limit relative to their packed size."""
_ROWS = 1 << 16
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError, EOFError, ValueError),
    *(SyntaxError, TypeError, LookupError, AttributeError, MemoryError, OverflowError, RuntimeError, UserWarning),
)
"""The exceptions of numpy and zipfile for archives that are damaged, encrypted, or claim more than they hold."""


class WordBatch(NamedTuple):
    """Some words of a table, in UTF-8, with their vectors, (n, dims), float32."""

    words: list[bytes]
    array: NDArray[np.float32]


def is_safetensors(start: bytes, size: int) -> bool:
    """Whether a file with this beginning starts with the length of a JSON header and that header."""
    length = int.from_bytes(start[:8], "little")
    return start[8:9] == b"{" and 2 <= length <= size - 8


def read_safetensors(file: Path) -> Iterator[WordBatch]:
    """The tensors "vectors", "words" and, for whole numbers, "scales".

    Raises `ExplorerError`: "vectors-arrays".
    """
    try:
        with open_file(file) as stream:
            tensors = Container(stream)
            shapes = {name: list(form.shape) for name, form in tensors.forms.items()}
            _need(file, set(shapes))
            shape = shapes["vectors"]
            if len(shape) == 2 and shape[0] * shape[1] * 4 > LARGEST:
                raise _too_large(file, shape[0] * shape[1] * 4)
            found = {name: tensors.array(name) for name in ("vectors", "words", "scales") if name in shapes}
    except DamagedError as error:
        raise _bad(file, f"it cannot be read ({error})") from None
    words = found["words"]
    if words.dtype != np.uint8 or words.ndim != 1:
        raise _bad(file, "'words' must be the bytes of the words, a newline between two")
    # Counted before splitting: newlines alone would become as many objects.
    _as_many(file, words.tobytes().count(b"\n") + 1, found["vectors"])
    return _blocks(file, words.tobytes().split(b"\n"), found["vectors"], found.get("scales"))


def read_npz(file: Path) -> Iterator[WordBatch]:
    """The arrays "vectors" and "words".

    Raises `ExplorerError`: "vectors-arrays" or "vectors-unknown".
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = {one.filename: one for one in archive.infolist()}
        sizes = {name: one.file_size for name, one in members.items()}
        if not any(name.endswith(".npy") for name in sizes):
            raise ExplorerError("vectors-unknown", file=file, what="a zip archive; unpack it and open a file in it")
        _need(file, {name.removesuffix(".npy") for name in sizes})
        if sum(sizes.values()) > LARGEST:
            raise _too_large(file, sum(sizes.values()))
        for name, most in _TIGHTEST.items():
            member = members[f"{name}.npy"]
            if member.file_size > max(_SMALL, most * member.compress_size):
                raise _bad(file, f"'{name}' is packed so tightly that it holds next to nothing")
        vectors, words = read_members(file, ("vectors", "words"))
    except UNREADABLE as error:
        if "allow_pickle" in str(error):
            raise _bad(file, "it holds Python objects, which could run any program") from None
        # zipfile's messages are for people; numpy's messages about a header may quote Python objects.
        said = isinstance(error, zipfile.BadZipFile | RuntimeError | MemoryError) and str(error)
        raise _bad(file, f"it cannot be read ({said[:80] if said else DAMAGED})") from None
    if words.dtype.kind not in "US" or words.ndim != 1:
        raise _bad(file, "'words' must be a list of texts")
    _as_many(file, len(words), vectors)
    try:
        # A word that is not UTF-8 is refused below, with its number.
        spelt = [word.encode("utf-8", "surrogatepass") if isinstance(word, str) else word for word in words.tolist()]
    except (ValueError, SystemError):  # numpy raises these for a number that is no character
        raise _bad(file, "'words' holds what is no text") from None
    return _blocks(file, spelt, vectors, None)


def read_members(file: Path, names: Iterable[str]) -> list[NDArray[Any]]:
    """Arrays of an .npz file by name, without Python objects; the archive's checksums are verified.

    Raises OSError, or one of `UNREADABLE`.
    """
    found = []
    with zipfile.ZipFile(file) as archive:
        for name in names:
            with archive.open(f"{name}.npy") as member:
                found.append(npy.read_array(member, allow_pickle=False))
                if member.read(1):  # reading to the end verifies the checksum
                    raise ValueError(f"'{name}' is longer than its array")
    return found


def _need(file: Path, names: set[str]) -> None:
    if missing := sorted({"vectors", "words"} - names):
        known = ", ".join(sorted(names)[:5]) or "nothing"
        raise _bad(file, f"there is no '{missing[0]}' in it, but {known}")


def _as_many(file: Path, n_words: int, vectors: NDArray[Any]) -> None:
    if vectors.ndim != 2 or not 1 <= vectors.shape[1] <= MOST_DIMS:
        raise _bad(file, f"'vectors' has shape {vectors.shape}; it must be words × numbers")
    if n_words != len(vectors):
        raise _bad(file, f"it has {n_words:,} words but {len(vectors):,} vectors")


def _blocks(file: Path, words: list[bytes], vectors: NDArray[Any], scales: NDArray[Any] | None) -> Iterator[WordBatch]:
    if vectors.dtype.kind != "f" and (vectors.dtype != np.int8 or scales is None):
        raise _bad(file, f"'vectors' holds {vectors.dtype}; it must be floats, or int8 with 'scales'")
    if scales is not None and (scales.shape != (len(vectors),) or scales.dtype.kind != "f"):
        raise _bad(file, "'scales' must be one float for each vector")
    for i, word in enumerate(words):
        if not _is_word(word):
            raise _bad(file, f"word {i + 1} is empty or not text in UTF-8")
    for i in range(0, len(words), _ROWS):
        array = vectors[i : i + _ROWS].astype(np.float32)
        if scales is not None:
            array *= scales[i : i + _ROWS, None].astype(np.float32)
        finite = np.isfinite(array).all(1)
        if not finite.all():
            raise _bad(file, f"vector {i + int(np.argmin(finite)) + 1} holds a number that is not finite")
        yield WordBatch(words[i : i + _ROWS], array)


def _bad(file: Path, problem: str) -> ExplorerError:
    return ExplorerError("vectors-arrays", file=file, problem=problem)


# Reading a file of any kind

SAMPLE = 1 << 16
ZIP, GZIP, NPY = b"PK\x03\x04", b"\x1f\x8b", b"\x93NUMPY"
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
OTHERS = {b"\xfd7zXZ": "an xz archive", b"BZh": "a bzip2 archive", b"7z\xbc\xaf": "a 7z archive", b"%PDF": "a PDF"}
OTHERS |= dict.fromkeys(UTF16_MARKS, "text in UTF-16; save it as UTF-8")


def blocks(file: Path, report: Report | None = None) -> Iterator[WordBatch]:
    """The table in a file, in batches of some thousand words.

    `report`: called with the number of bytes read.

    Raises `ExplorerError`: "vectors-not-read", "vectors-too-large", "vectors-pickle", "vectors-unknown",
    "vectors-line", "vectors-truncated", "vectors-arrays".
    """
    some = False
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise _too_large(file, size)
        with open_file(file) as raw:
            meter = Meter("parsing", size, report)
            for batch in _table(file, raw, size):
                some = some or bool(batch.words)
                yield batch
                meter(min(raw.tell(), size))
    except OSError as error:
        raise ExplorerError("vectors-not-read", file=file, reason=error.strerror or error) from None
    if not some:
        raise ExplorerError("vectors-unknown", file=file, what="empty")


def _table(file: Path, raw: IO[bytes], size: int) -> Iterator[WordBatch]:
    start = raw.read(SAMPLE)
    raw.seek(0)
    if not start:
        raise ExplorerError("vectors-unknown", file=file, what="empty")
    if start.startswith(ZIP):
        return read_npz(file)
    if is_safetensors(start, size):
        return read_safetensors(file)
    if start.startswith(GZIP):
        return _unpacked(file, raw)
    return _stream(file, raw, start)


def _unpacked(file: Path, raw: IO[bytes]) -> Iterator[WordBatch]:
    """The table in a gzip file."""
    try:
        with gzip.GzipFile(fileobj=raw) as packed:
            stream = cast(IO[bytes], packed)
            start = stream.read(SAMPLE)
            if start.startswith((ZIP, GZIP)):
                raise ExplorerError("vectors-unknown", file=file, what="an archive in an archive")
            stream.seek(0)
            yield from _stream(file, stream, start)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        reason = "it ends before the end of its archive" if isinstance(error, EOFError) else "its archive is damaged"
        raise ExplorerError("vectors-not-read", file=file, reason=reason) from None


def _stream(file: Path, stream: IO[bytes], start: bytes) -> Iterator[WordBatch]:
    """The table in a file that is not, or no longer, compressed."""
    if start.startswith(b"\x80") and start[1:2] in b"\x02\x03\x04\x05":
        raise ExplorerError("vectors-pickle", file=file)
    if start.startswith(NPY):
        raise ExplorerError("vectors-unknown", file=file, what="a single numpy array without words")
    for magic, what in OTHERS.items():
        if start.startswith(magic):
            raise ExplorerError("vectors-unknown", file=file, what=what)
    if start.startswith(UTF8_MARK):  # some editors begin a text with it
        start = start[len(UTF8_MARK) :]
        stream.read(len(UTF8_MARK))
    match = _HEADER.match(start)
    if match is None:
        if b"\0" in start:
            raise ExplorerError("vectors-unknown", file=file, what="binary data of another kind")
        return _read_text(file, stream)
    n_words, dims = int(match[1]), int(match[2])
    size = n_words * dims * 4
    if size > LARGEST:
        raise _too_large(file, size)
    if _is_text_below(start, dims):
        return _read_text(file, stream, (n_words, dims))
    return _read_binary(file, stream, n_words, dims)


def _too_large(file: Path, size: float, more: str = "") -> ExplorerError:
    said, limit = (f"{number / 1e9:.1f} GB" for number in (size, LARGEST))
    return ExplorerError("vectors-too-large", file=file, size=f"{more}{said}", limit=limit)


def _is_text_below(start: bytes, dims: int) -> bool:
    """Whether a word2vec file has its numbers as text below the header, not in binary form."""
    below = start.partition(b"\n")[2]
    line, newline, _ = below.partition(b"\n")
    if b"\0" in below:
        return False
    if _numbers(line.rstrip().rsplit(b" ", dims)[1:], dims) is not None:
        return True
    # `_read_text` will report a wrong text line; binary numbers would contain other bytes.
    return bool(newline) and all(0x20 <= byte < 0x7F or byte == 0x0D for byte in line)


def _read_text(file: Path, stream: IO[bytes], promised: tuple[int, int] | None = None) -> Iterator[WordBatch]:
    """Tables of some thousand lines each; `promised`: the numbers in the first line, which is then skipped.

    Raises `ExplorerError`: "vectors-line", "vectors-truncated" or "vectors-too-large".
    """
    line, found, rest, size = 1, 0, b"", 0
    dims = promised[1] if promised else 0
    if promised:
        stream.readline()
        line = 2
        if not 1 <= dims <= MOST_DIMS:
            raise _bad_line(file, 1, _width_limit(dims))
    while True:
        chunk = stream.read(_BLOCK)
        size += len(chunk)
        if size > LARGEST:
            raise _too_large(file, LARGEST, "more than ")
        *whole, rest = (rest + chunk).split(b"\n")
        if not chunk and rest:
            whole.append(rest)
        elif len(rest) > LONGEST_LINE:
            raise _bad_line(file, line + len(whole), f"longer than {LONGEST_LINE:,} bytes")
        if whole:
            dims = dims or _first_width(file, whole[0])
            batch = _parse(file, whole, line, dims)
            line += len(whole)
            found += len(batch.words)
            if promised and found > promised[0]:
                raise _bad_line(file, promised[0] + 2, f"more words than the {promised[0]:,} of the first line")
            if found > MOST_WORDS:
                raise _bad_line(file, MOST_WORDS + 1 + bool(promised), f"more than {MOST_WORDS:,} words")
            yield batch
        if not chunk:
            break
    if promised and found < promised[0]:
        raise ExplorerError("vectors-truncated", file=file, found=f"{found:,}", wanted=f"{promised[0]:,}")


def _first_width(file: Path, first: bytes) -> int:
    """How many numbers the first line has: everything after its first word."""
    if not first.strip():
        raise _bad_line(file, 1, "empty")
    parts = first.rstrip(b" \r").split(b" ")[1:]
    if not parts or _numbers(parts, len(parts)) is None:
        raise _bad_line(file, 1, f"not a word and its numbers: '{_shown(first)}'")
    if len(parts) > MOST_DIMS:
        raise _bad_line(file, 1, _width_limit(len(parts)))
    return len(parts)


def _parse(file: Path, whole: list[bytes], first: int, dims: int) -> WordBatch:
    """The words and numbers of some lines; regular lines are parsed together, which is ten times as fast."""
    if whole and all(line.count(b" ") == dims for line in whole):
        parts = [line.partition(b" ") for line in whole]
        array = _numbers([part[2] for part in parts], dims * len(parts))
        words = [part[0] for part in parts]
        if array is not None and all(words) and _is_utf8(words):
            return WordBatch(words, array.reshape(-1, dims))
    words, vectors = [], []
    for i, line in enumerate(whole):
        # Only the last line of a file may be empty.
        if not line.strip(b"\r") and i == len(whole) - 1:
            continue
        word, vector = _parse_line(file, line, first + i, dims)
        words.append(word)
        vectors.append(vector)
    return WordBatch(words, np.array(vectors, np.float32).reshape(-1, dims))


def _parse_line(file: Path, line: bytes, number: int, dims: int) -> tuple[bytes, NDArray[np.float32]]:
    bare = line.rstrip(b" \r")
    if not bare:
        raise _bad_line(file, number, "empty")
    word, *parts = bare.rsplit(b" ", dims)
    vector = _numbers(parts, dims)
    if vector is not None and word and _is_utf8([word]):
        # An extra number would otherwise become part of the word.
        extra = word.split(b" ")[1:]
        if not extra or _numbers(extra, len(extra)) is None:
            return word, vector
    parts = bare.split(b" ")[1:]
    if not _is_utf8([bare]):
        raise _bad_line(file, number, "not text in UTF-8")
    if _numbers(parts, len(parts)) is not None and len(parts) != dims:
        raise _bad_line(file, number, f"{quantity(len(parts), 'number')}, where there should be {dims}")
    wrong = next((part for part in parts if _numbers([part], 1) is None), None)
    if wrong is None:
        raise _bad_line(file, number, f"not a word and {dims} numbers: '{_shown(bare)}'")
    raise _bad_line(file, number, f"'{_shown(wrong)}' is not a finite number")


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


def _is_word(word: bytes) -> bool:
    return word != b"" and b"\n" not in word and _is_utf8([word])


def _read_binary(file: Path, stream: IO[bytes], n_words: int, dims: int) -> Iterator[WordBatch]:
    """The same of the binary form; in errors each word counts as a line, the first as line 2, as in the text form."""
    if not 1 <= dims <= MOST_DIMS:
        raise _bad_line(file, 1, _width_limit(dims))
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
                raise _bad_line(file, found + len(words) + 2, "no word where one should begin")
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
        yield WordBatch(words, array)
        if not chunk:
            break
    if found < n_words:
        raise ExplorerError("vectors-truncated", file=file, found=f"{found:,}", wanted=f"{n_words:,}")
    if (rest + stream.read(2)).strip(b"\n"):
        raise _bad_line(file, found + 2, f"more than the {n_words:,} words of the first line")


def _check_words(file: Path, words: list[bytes], array: np.ndarray, before: int) -> None:
    finite = np.isfinite(array).all(1)
    if not finite.all():
        raise _bad_line(file, before + int(np.argmin(finite)) + 2, "a number that is not finite")
    for i, word in enumerate(words):
        if not _is_word(word) or b"\0" in word:
            raise _bad_line(file, before + i + 2, "no word where one should begin")


def _bad_line(file: Path, line: int, problem: str) -> ExplorerError:
    return ExplorerError("vectors-line", file=file, line=line, problem=problem)


def _width_limit(dims: int) -> str:
    return f"{dims} numbers to a word; it may be from 1 to {MOST_DIMS:,}"


def _shown(text: bytes) -> str:
    plain = text.decode("utf-8", "replace")
    plain = "".join(c if c.isprintable() else "�" for c in plain)
    return plain if len(plain) <= 40 else plain[:40] + "…"


# Writing

FORMAT = "explorer-vectors"
ENDINGS = (".txt", ".int8.safetensors", ".safetensors", ".npz")


def check(out: Path) -> None:
    """Check that vectors can be written to a file of this name.

    Raises `ExplorerError`: "unknown-ending".
    """
    if not out.name.lower().endswith(ENDINGS):
        raise ExplorerError("unknown-ending", file=out, known=", ".join(ENDINGS))


def save(vectors: Vectors, out: Path) -> None:
    """Write the vectors; the file appears under its name only when it is complete.

    Raises `ExplorerError`: "unknown-ending" or "not-written".
    """
    check(out)
    ending = next(ending for ending in ENDINGS if out.name.lower().endswith(ending))
    with whole_file(out) as stream:
        match ending:
            case ".txt":
                for word, vector in zip(vectors.words, vectors.array, strict=True):
                    # The shortest digits that give the same float32 when they are read.
                    stream.write(f"{word} {' '.join(map(str, vector))}\n".encode())
            case ".npz":
                write_npz(stream, {"vectors": vectors.array, "words": np.array(list(vectors.words))})
            case _:
                named: dict[str, NDArray[np.generic]] = {"vectors": np.asarray(vectors.array)}
                if ending.startswith(".int8"):
                    named["vectors"], named["scales"] = to_int8(vectors.array)
                named["words"] = np.frombuffer(vectors.words.text[1:-1], np.uint8)
                container.write(stream, {"format": FORMAT}, named)


def to_int8(array: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Each vector as integers from -127 to 127 times its own scale."""
    scales = np.abs(array).max(1) / np.float32(127)
    return np.rint(array / np.where(scales, scales, 1)[:, None]).astype(np.int8), scales
