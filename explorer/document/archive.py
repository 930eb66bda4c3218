"""A zip archive that holds one JSON document and plain arrays, read with suspicion.

The arrays are numpy's own ``.npy``, without pickled objects. Nothing is ever unpacked onto the disk.
"""

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from math import prod
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np

from explorer.core.ops import Array
from explorer.document.state import frozen

MOST_BYTES = 2_000_000_000
MOST_DOCUMENT = 32_000_000
MOST_MEMBERS = 20_000
DOCUMENT = "document.json"
DTYPES = ("bool", "int64", "float32", "float64")

_NOT_OURS = "it is not a document of this program"
_DAMAGED = "it is damaged"
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, OverflowError, LookupError)
_END = struct.Struct("<4s4H2LH")
_ZIP64 = b"PK\x06\x07"
_LONGEST_ENTRY = 400
_HEADER = re.compile(rb"\{'descr': '([<|][a-z][0-9])', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \} *\n")
_LONGEST_HEADER = 1024


class DamagedError(Exception):
    """What is wrong with an archive, or with what it holds, in words."""


class Form(NamedTuple):
    """What an array is said to be, before it is read.

    Parameters
    ----------
    dtype : str
        One of `DTYPES`.
    shape : tuple of int
    """

    dtype: str
    shape: tuple[int, ...]


# Writing


def write(stream: BinaryIO, document: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write an archive. The same content gives the same bytes: nothing is compressed, and no time is kept.

    Parameters
    ----------
    stream : file open for writing bytes
    document : mapping
        What JSON can hold.
    arrays : mapping of str to numpy.ndarray
        By name of member, without the ending.
    """
    with zipfile.ZipFile(stream, "w", allowZip64=False) as archive:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)
        archive.writestr(_member(DOCUMENT), text.encode())
        for name in sorted(arrays):
            with archive.open(_member(f"{name}.npy"), "w") as member:
                _write_array(member, arrays[name])


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, 0o644 << 16  # the same on every system
    return info


def _write_array(stream: Any, array: Array) -> None:
    little = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    np.lib.format.write_array(stream, little, version=(1, 0), allow_pickle=False)


# Reading


class Archive:
    """An archive that is open. What it says of its sizes is checked before anything is read into memory.

    Parameters
    ----------
    stream : file open for reading bytes

    Raises
    ------
    DamagedError
        Where it is no archive of this kind.
    """

    def __init__(self, stream: BinaryIO) -> None:
        size = stream.seek(0, os.SEEK_END)
        if size > MOST_BYTES:
            raise DamagedError(f"it has {size:,} bytes; a document may have up to {MOST_BYTES:,}")
        _check_ends(stream, size)
        try:
            self._zip = zipfile.ZipFile(stream)
            infos = self._zip.infolist()
        except _BROKEN:
            raise DamagedError(_DAMAGED) from None
        self._infos = {info.filename: info for info in infos}
        if len(self._infos) != len(infos):
            raise DamagedError("it holds two parts of one name")
        for info in infos:
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DamagedError(f"'{_cut(info.filename)}' in it is encrypted, or packed in an unknown way")
        total = sum(info.file_size for info in infos)
        if total > MOST_BYTES:
            raise DamagedError(f"unpacked it would have {total:,} bytes; a document may have up to {MOST_BYTES:,}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()

    @property
    def names(self) -> set[str]:
        """The arrays it holds, without their ending.

        Raises
        ------
        DamagedError
            Where it holds anything else.
        """
        others = self._infos.keys() - {DOCUMENT}
        for name in others:
            if not name.endswith(".npy"):
                raise DamagedError(f"it holds '{_cut(name)}', which no document does")
        return {name.removesuffix(".npy") for name in others}

    def document(self) -> Any:
        """What the JSON document says.

        Raises
        ------
        DamagedError
        """
        if DOCUMENT not in self._infos:
            raise DamagedError(_NOT_OURS)
        try:
            return json.loads(self._bytes(DOCUMENT, 0, MOST_DOCUMENT).decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise DamagedError(f"{DOCUMENT} in it is damaged") from None

    def array(self, name: str, form: Form) -> Array:
        """An array, closed against writing.

        Parameters
        ----------
        name : str
            Without the ending.
        form : Form
            What it has to be; nothing is read where its size alone shows that it is not.

        Raises
        ------
        DamagedError
        """
        dtype = np.dtype(form.dtype).newbyteorder("<")
        size = prod(form.shape) * dtype.itemsize
        data = self._bytes(f"{name}.npy", size, size + _LONGEST_HEADER)
        start = 10 + int.from_bytes(data[8:10], "little")
        # Not read by numpy, which evaluates the header as Python and has many ways to stumble over a damaged one.
        header = _HEADER.fullmatch(data, 10, start)
        shape = ", ".join(map(str, form.shape)) + "," * (len(form.shape) == 1)
        if data[:8] != b"\x93NUMPY\x01\x00" or header is None or header[1].decode() != dtype.str:
            raise DamagedError(f"'{name}' in it is damaged, or not an array of {form.dtype}")
        if header[2].decode() != shape or len(data) != start + size:
            raise DamagedError(f"'{name}' in it has not the shape that {DOCUMENT} says")
        array = np.frombuffer(data, dtype, offset=start).reshape(form.shape)
        # A copy lies in memory as any other array does: the bits of a product may depend on it.
        return frozen(array.astype(form.dtype, order="C", copy=True))

    def _bytes(self, member: str, least: int, most: int) -> bytes:
        info = self._infos[member]
        if not least <= info.file_size <= most:
            raise DamagedError(f"'{member}' in it has {info.file_size:,} bytes, which is not the size it should have")
        try:
            with self._zip.open(info) as stream:
                # Never more than is declared, however much a packed part would come to.
                data = stream.read(info.file_size)
        except _BROKEN:
            data = b""
        if len(data) != info.file_size:
            raise DamagedError(f"'{member}' in it is damaged")
        return data


def _check_ends(stream: BinaryIO, size: int) -> None:
    """See that the list of members is at the end, and of a length that can be read at once."""
    stream.seek(0)
    if stream.read(4) != b"PK\x03\x04":
        raise DamagedError(_NOT_OURS)
    room = _END.size + 20  # in front, where an archive of more than 4 GB has something
    stream.seek(max(size - room, 0))
    tail = stream.read(room)
    if len(tail) < room or tail.startswith(_ZIP64):
        raise DamagedError(_DAMAGED)
    signature, _, _, _, members, length, start, comment = _END.unpack(tail[-_END.size :])
    if signature != b"PK\x05\x06" or comment or start + length != size - _END.size:
        raise DamagedError(f"{_DAMAGED}, or not whole")
    if members > MOST_MEMBERS or length > MOST_MEMBERS * _LONGEST_ENTRY:
        raise DamagedError(f"it has {members:,} parts; a document may have up to {MOST_MEMBERS:,}")


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _cut(text: str) -> str:
    return ascii(text[:80])[1:-1]
