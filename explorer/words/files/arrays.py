"""Vectors stored as arrays, in safetensors or numpy's .npz, never with pickled objects."""

import lzma
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from explorer.container import DAMAGED, Container, DamagedError
from explorer.core.errors import ExplorerError
from explorer.files import open_file
from explorer.words.files.lines import MOST_DIMS, Chunk

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
