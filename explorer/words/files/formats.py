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
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from explorer import container
from explorer.core.errors import ExplorerError
from explorer.files import open_file, whole_file, write_npz
from explorer.words.files import arrays, lines
from explorer.words.progress import Meter, Report
from explorer.words.vectors import Vectors

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
        return arrays.read_npz(file)
    if arrays.is_safetensors(start, size):
        return arrays.read_safetensors(file)
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
