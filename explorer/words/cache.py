"""A cache of parsed vector files: plain arrays that are opened at once as memory maps.

An entry is a folder named after the file's path, size and time of change; a changed file is parsed again. Each parsing
also deletes useless entries: those of deleted or changed files, and those left by a killed parsing.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from time import time
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from explorer import paths
from explorer.container import DamagedError, parsed
from explorer.core.errors import ExplorerError
from explorer.core.progress import Report
from explorer.files import open_file
from explorer.words import formats
from explorer.words.formats import WordBatch
from explorer.words.vectors import Vectors, Words, lengths

VERSION = 2
"""Version of an entry's content; a file with an entry of another version is parsed again."""
_HEADER = 128
_ARRAYS = ("vectors", "norms", "starts", "hashes", "order")
_FILES = ("words.txt", *(f"{name}.npy" for name in _ARRAYS))
_DAY = 86_400.0
"""In seconds; no parsing takes that long."""


class Entry(NamedTuple):
    """A parsed file: its path, and the folder of its arrays."""

    file: str
    folder: Path


def folder() -> Path:
    """The folder of the entries: in the user's cache or, if that cannot be written, a temporary folder."""
    mine = paths.own("cache") / "vectors"
    try:
        mine.mkdir(parents=True, exist_ok=True)
        return mine if os.access(mine, os.W_OK) else paths.passing()
    except OSError:
        return paths.passing()


def load(file: Path, report: Report | None = None, name: str = "", cache: Path | None = None) -> Vectors:
    """The vectors of a file, from the cache if the file was parsed before.

    `report`: called with the progress of parsing; if it raises, nothing is kept.
    `name`: the name of the table; default: the file's name.
    `cache`: another folder for the entries.

    Raises `ExplorerError`: see `formats.blocks`; "not-written" if the disk has no room for the arrays.
    """
    name, cache = name or file.name, cache or folder()
    try:
        open_file(file).close()
        facts = file.stat()
    except OSError as error:
        raise ExplorerError("vectors-not-read", file=file, reason=error.strerror or error) from None
    source: dict[str, Any] = {
        "version": VERSION,
        "file": str(file.resolve()),
        "size": facts.st_size,
        "changed": facts.st_mtime_ns,
    }
    entry = cache / sha256(json.dumps(source).encode()).hexdigest()[:20]
    found = _open(entry, source, name)
    if found is None:
        _keep(formats.blocks(file, report), entry, source)
        _tidy(cache, source["file"], entry)
        found = _open(entry, source, name)
    if found is None:
        raise ExplorerError("vectors-not-read", file=file, reason="it changed while it was read")
    return found


def entries(cache: Path | None = None) -> list[Entry]:
    """All entries of the cache."""
    every = sorted((cache or folder()).glob("*/source.json"))
    return [Entry(str(_read(path).get("file", "")), path.parent) for path in every]


def _open(entry: Path, source: dict[str, Any], name: str) -> Vectors | None:
    """The vectors of an entry; None if the file has changed since, or the entry is damaged."""
    kept = _read(entry / "source.json")
    if {**kept, **source} != kept:
        return None
    try:
        if kept.get("checksums") != _checksums(entry):
            return None
        text = (entry / "words.txt").read_bytes()
        # Plain arrays over the mapped memory, because indexing numpy's memmap class is slow.
        array, norms, *index = (np.asarray(npy.open_memmap(entry / f"{part}.npy", mode="r")) for part in _ARRAYS)
    except (OSError, ValueError):
        return None
    return Vectors(name, Words(text, *index), array, norms)


def _checksums(folder: Path) -> dict[str, int]:
    """The CRC-32 of each file: 0.1 s for 150 MB, which a first search would read anyway."""
    sums = {}
    for name in _FILES:
        with (folder / name).open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
            sums[name] = crc32(content)
    return sums


def _read(path: Path) -> dict[str, Any]:
    try:
        source = parsed(path.read_bytes())
    except (OSError, DamagedError):
        return {}
    return source if isinstance(source, dict) else {}


def _keep(blocks: Iterable[WordBatch], entry: Path, source: dict[str, Any]) -> None:
    """Write an entry into a temporary folder, then move it to its place."""
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix="part-", dir=entry.parent))
    except OSError as error:
        raise ExplorerError("not-written", file=error.filename, reason=error.strerror or error) from None
    try:
        norms: list[NDArray[np.float32]] = []
        words = Words.of(_written(blocks, part / "vectors.npy", norms))
        arrays = {"norms": np.concatenate(norms), "starts": words.starts, "hashes": words.hashes, "order": words.order}
        for name, array in arrays.items():
            np.save(part / f"{name}.npy", np.asarray(array))
        (part / "words.txt").write_bytes(words.text)
        (part / "source.json").write_text(json.dumps({**source, "checksums": _checksums(part)}), "utf-8")
        _put(part, entry, source)
    except OSError as error:
        raise ExplorerError("not-written", file=error.filename or part, reason=error.strerror or error) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _put(part: Path, entry: Path, source: dict[str, Any]) -> None:
    try:
        os.replace(part, entry)
    except OSError:
        # Another process was quicker, or the folder there is damaged.
        if _open(entry, source, "") is None:
            shutil.rmtree(entry, ignore_errors=True)
            os.replace(part, entry)


def _tidy(cache: Path, file: str, kept: Path) -> None:
    """Delete useless entries except `kept`; open tables stay readable if the system allows deleting open files."""
    of_no_use = [entry.folder for entry in entries(cache) if entry.file == file or not os.path.exists(entry.file)]
    of_no_use += [part for part in cache.glob("part-*") if _is_old(part)]
    for one in of_no_use:
        if one != kept:
            shutil.rmtree(one, ignore_errors=True)


def _is_old(part: Path) -> bool:
    try:
        return time() - part.stat().st_mtime > _DAY
    except OSError:  # another process was quicker
        return False


def _written(blocks: Iterable[WordBatch], file: Path, norms: list[NDArray[np.float32]]) -> Iterator[bytes]:
    """The words of a table; while they are read, the vectors go into an .npy file and their lengths into a list."""
    rows, dims = 0, 0
    with file.open("wb") as stream:
        stream.write(bytes(_HEADER))
        for words, array in blocks:
            array.astype("<f4", copy=False).tofile(stream)
            norms.append(lengths(array))
            rows, dims = rows + len(array), array.shape[1]
            yield from words
        # The number of rows is known only now; the header has room for it.
        stream.seek(0)
        npy.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (rows, dims)})
        if stream.tell() != _HEADER:
            raise RuntimeError("the header of an .npy file has another size than expected")
