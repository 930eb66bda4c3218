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
from explorer.files import open_file, whole_file, write_npz
from explorer.words.files import lines
from explorer.words.files.lines import MOST_DIMS, Chunk
from explorer.words.progress import Meter, Report
from explorer.words.vectors import Vectors

_LARGEST = 8_000_000_000
_SMALL, _TIGHTEST = 100_000_000, {"vectors": 20, "words": 200}
"""Bytes that an unpacked array may always have; larger ones have a limit relative to their packed size."""
_ROWS = 1 << 16
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError, EOFError, ValueError),
    *(SyntaxError, TypeError, LookupError, AttributeError, MemoryError, OverflowError, RuntimeError, UserWarning),
)
"""The exceptions of numpy and zipfile for archives that are damaged, encrypted, or claim more than they hold."""


def is_safetensors(start: bytes, size: int) -> bool:
    """Whether a file with this beginning starts with the length of a JSON header and that header."""
    length = int.from_bytes(start[:8], "little")
    return start[8:9] == b"{" and 2 <= length <= size - 8


def read_safetensors(file: Path) -> Iterator[Chunk]:
    """The tensors "vectors", "words" and, for whole numbers, "scales".

    Raises `ExplorerError`: "vectors-arrays".
    """
    try:
        with open_file(file) as stream:
            tensors = Container(stream)
            shapes = {name: list(form.shape) for name, form in tensors.forms.items()}
            _need(file, set(shapes), {"vectors", "words"}, shapes.get("vectors", []))
            found = {name: tensors.array(name) for name in ("vectors", "words", "scales") if name in shapes}
    except DamagedError as error:
        raise _bad(file, f"it cannot be read ({error})") from None
    words = found["words"]
    if words.dtype != np.uint8 or words.ndim != 1:
        raise _bad(file, "'words' must be the bytes of the words, a newline between two")
    # Counted before splitting: newlines alone would become as many objects.
    _as_many(file, words.tobytes().count(b"\n") + 1, found["vectors"])
    return _blocks(file, words.tobytes().split(b"\n"), found["vectors"], found.get("scales"))


def read_npz(file: Path) -> Iterator[Chunk]:
    """The arrays "vectors" and "words".

    Raises `ExplorerError`: "vectors-arrays" or "vectors-unknown".
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = {one.filename: one for one in archive.infolist()}
        sizes = {name: one.file_size for name, one in members.items()}
        if not any(name.endswith(".npy") for name in sizes):
            raise ExplorerError("vectors-unknown", file=file, what="a zip archive; unpack it and open a file in it")
        _need(file, {name.removesuffix(".npy") for name in sizes}, {"vectors", "words"}, [])
        if sum(sizes.values()) > _LARGEST:
            size, limit = f"{sum(sizes.values()) / 1e9:.1f} GB", f"{_LARGEST / 1e9:.1f} GB"
            raise ExplorerError("vectors-too-large", file=file, size=size, limit=limit)
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


def _need(file: Path, names: set[str], wanted: set[str], shape: list[int]) -> None:
    if missing := sorted(wanted - names):
        known = ", ".join(sorted(names)[:5]) or "nothing"
        raise _bad(file, f"there is no '{missing[0]}' in it, but {known}")
    if shape and len(shape) == 2 and shape[0] * shape[1] * 4 > _LARGEST:
        size, limit = f"{shape[0] * shape[1] * 4 / 1e9:.1f} GB", f"{_LARGEST / 1e9:.1f} GB"
        raise ExplorerError("vectors-too-large", file=file, size=size, limit=limit)


def _as_many(file: Path, n_words: int, vectors: NDArray[Any]) -> None:
    if vectors.ndim != 2 or not 1 <= vectors.shape[1] <= MOST_DIMS:
        raise _bad(file, f"'vectors' has shape {vectors.shape}; it must be words × numbers")
    if n_words != len(vectors):
        raise _bad(file, f"it has {n_words:,} words but {len(vectors):,} vectors")


def _blocks(file: Path, words: list[bytes], vectors: NDArray[Any], scales: NDArray[Any] | None) -> Iterator[Chunk]:
    if vectors.dtype.kind != "f" and (vectors.dtype != np.int8 or scales is None):
        raise _bad(file, f"'vectors' holds {vectors.dtype}; it must be floats, or int8 with 'scales'")
    if scales is not None and (scales.shape != (len(vectors),) or scales.dtype.kind != "f"):
        raise _bad(file, "'scales' must be one float for each vector")
    for i, word in enumerate(words):
        try:
            spelt = word.decode("utf-8")
        except UnicodeDecodeError:
            spelt = ""
        if not spelt or "\n" in spelt:
            raise _bad(file, f"word {i + 1} is empty or not text in UTF-8")
    for i in range(0, len(words), _ROWS):
        array = vectors[i : i + _ROWS].astype(np.float32)
        if scales is not None:
            array *= scales[i : i + _ROWS, None].astype(np.float32)
        finite = np.isfinite(array).all(1)
        if not finite.all():
            raise _bad(file, f"vector {i + int(np.argmin(finite)) + 1} holds a number that is not finite")
        yield words[i : i + _ROWS], array


def _bad(file: Path, problem: str) -> ExplorerError:
    return ExplorerError("vectors-arrays", file=file, problem=problem)


LARGEST_FILE = 8_000_000_000
"""In bytes. The largest set offered for download has 0.8 GB, Stanford's largest 5.7 GB unpacked."""

SAMPLE = 1 << 16
ZIP, GZIP, NPY = b"PK\x03\x04", b"\x1f\x8b", b"\x93NUMPY"
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
OTHERS = {b"\xfd7zXZ": "an xz archive", b"BZh": "a bzip2 archive", b"7z\xbc\xaf": "a 7z archive", b"%PDF": "a PDF"}
OTHERS |= dict.fromkeys(UTF16_MARKS, "text in UTF-16; save it as UTF-8")


class WordBatch(NamedTuple):
    """Some words of a table, in UTF-8, with their vectors, (n, dims), float32."""

    words: list[bytes]
    array: NDArray[np.float32]


def blocks(file: Path, report: Report | None = None) -> Iterator[WordBatch]:
    """The table in a file, in batches of some thousand words.

    `report`: called with the number of bytes read.

    Raises `ExplorerError`: "vectors-not-read", "vectors-too-large", "vectors-pickle", "vectors-unknown",
    "vectors-line", "vectors-truncated", "vectors-arrays".
    """
    some = False
    try:
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise ExplorerError("vectors-too-large", file=file, size=_gigabytes(size), limit=_gigabytes(LARGEST_FILE))
        with open_file(file) as raw:
            meter = Meter("parsing", size, report)
            for words, array in _table(file, raw, size):
                some = some or bool(words)
                yield WordBatch(words, array)
                meter(min(raw.tell(), size))
    except OSError as error:
        raise ExplorerError("vectors-not-read", file=file, reason=error.strerror or error) from None
    if not some:
        raise ExplorerError("vectors-unknown", file=file, what="empty")


def _table(file: Path, raw: IO[bytes], size: int) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
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


def _unpacked(file: Path, raw: IO[bytes]) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
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


def _stream(file: Path, stream: IO[bytes], start: bytes) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
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
    header = lines.header(start)
    if header is None:
        if b"\0" in start:
            raise ExplorerError("vectors-unknown", file=file, what="binary data of another kind")
        return lines.read(file, stream, LARGEST_FILE)
    n_words, dims = header
    size = n_words * dims * 4
    if size > LARGEST_FILE:
        raise ExplorerError("vectors-too-large", file=file, size=_gigabytes(size), limit=_gigabytes(LARGEST_FILE))
    if lines.is_text_below(start, dims):
        return lines.read(file, stream, LARGEST_FILE, header)
    return lines.read_binary(file, stream, n_words, dims)


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


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
