"""The document format of version 1: a zip archive of ``document.json`` and one ``.npy`` file for each array.

Such files are still read, after careful checks, but no longer written. Nothing is unpacked onto the disk.
"""

import os
import re
import struct
import zipfile
import zlib
from typing import Any, BinaryIO

import numpy as np

from explorer.container import DAMAGED, FOREIGN, MOST_HEADER, NOT_WHOLE, Array, DamagedError, Form, parsed

START = b"PK\x03\x04"
MOST_BYTES = 2_000_000_000
MOST_MEMBERS = 20_000
_DOCUMENT = "document.json"
_DTYPES = {"|b1": "bool", "<i8": "int64", "<f4": "float32", "<f8": "float64"}
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, OverflowError, LookupError)
_END = struct.Struct("<4s4H2LH")
_HEADER = re.compile(rb"\{'descr': '(...)', 'fortran_order': False, 'shape': \(((?:[0-9]+, )*(?:[0-9]+,?)?)\), \} *\n")
_LONGEST_HEADER = 1024
_LONGEST_ENTRY = 400


class Archive:
    """An open archive with the interface of a `Container`: its document is converted into a manifest of today.

    Parameters
    ----------
    stream : file open for reading bytes

    Raises
    ------
    DamagedError
    """

    def __init__(self, stream: BinaryIO) -> None:
        size = stream.seek(0, os.SEEK_END)
        if size > MOST_BYTES:
            raise DamagedError(f"it has {size:,} bytes; a document may have up to {MOST_BYTES:,}")
        _check_end(stream, size)
        try:
            self._zip = zipfile.ZipFile(stream)
            infos = self._zip.infolist()
        except _BROKEN:
            raise DamagedError(DAMAGED) from None
        self._infos = {info.filename: info for info in infos}
        if len(self._infos) != len(infos) or sum(info.file_size for info in infos) > MOST_BYTES:
            raise DamagedError(DAMAGED)
        if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in infos):
            raise DamagedError("it is packed in an unknown way")
        if _DOCUMENT not in self._infos:
            raise DamagedError(FOREIGN)
        if self._infos[_DOCUMENT].file_size > MOST_HEADER:
            raise DamagedError("it says more than could be read")
        document = parsed(self._bytes(_DOCUMENT))
        names = [name.removesuffix(".npy") for name in self._infos if name.endswith(".npy")]
        self._headers = {name: self._header(name) for name in names}
        self.forms = {name: form for name, (form, _) in self._headers.items()}
        self.manifest = _as_now(document) if isinstance(document, dict) else document

    def array(self, name: str) -> Array:
        """An array, closed against writing.

        Raises `DamagedError`.
        """
        form, start = self._headers[name]
        dtype = np.dtype(form.dtype).newbyteorder("<")
        # A copy has the memory layout of any other array: the bits of a product may depend on it.
        array = np.frombuffer(self._bytes(f"{name}.npy"), dtype, offset=start).reshape(form.shape).astype(form.dtype)
        array.flags.writeable = False
        return array

    def _header(self, name: str) -> tuple[Form, int]:
        """The form of an array, and where its data begin. Numpy is not used: it would evaluate the header as Python."""
        data = self._bytes(f"{name}.npy", 10 + _LONGEST_HEADER)
        start = 10 + int.from_bytes(data[8:10], "little")
        header = _HEADER.fullmatch(data, 10, start)
        dtype = _DTYPES.get(header[1].decode("latin-1")) if header is not None else None
        if data[:8] != b"\x93NUMPY\x01\x00" or header is None or dtype is None or len(header[2]) > 100:
            raise DamagedError(f"'{ascii(name[:80])[1:-1]}' in it is damaged, or not an array")
        form = Form(dtype, tuple(map(int, re.findall(rb"[0-9]+", header[2]))))
        size = np.dtype(dtype).itemsize
        for n in form.shape:
            size *= n
        if start + size != self._infos[f"{name}.npy"].file_size:
            raise DamagedError(f"'{ascii(name[:80])[1:-1]}' in it has another size than it says")
        return form, start

    def _bytes(self, member: str, most: int | None = None) -> bytes:
        """The bytes of a member, or its first `most` bytes; never more than its declared size."""
        info = self._infos[member]
        wanted = info.file_size if most is None else min(info.file_size, most)
        try:
            with self._zip.open(info) as stream:
                data = stream.read(wanted)
        except _BROKEN:
            data = b""
        if len(data) != wanted:
            raise DamagedError(f"'{ascii(member[:80])[1:-1]}' in it is damaged")
        return data


def _as_now(document: dict[str, Any]) -> dict[str, Any]:
    """The content of a version-1 document as a manifest of one state; errors in it are found later."""
    manifest = {key: document.get(key) for key in ("format", "version", "title")}
    state = {key: value for key, value in document.items() if key not in manifest}
    for part in ("inputs", "run", "beyond"):
        if isinstance(found := state.get(part), dict):
            state[part] = {name: f"{part}/{name}" for name in found}
    if isinstance(found := state.get("pins"), dict):
        state["pins"] = {name: [f"pins/{name}.cells", f"pins/{name}.values"] for name in found}
    return {**manifest, "states": [state], "labels": [""], "now": 0, "session": {}}


def _check_end(stream: BinaryIO, size: int) -> None:
    """Check that the list of members is at the end of the file and short enough to be read at once."""
    stream.seek(max(size - _END.size, 0))
    tail = stream.read(_END.size)
    if len(tail) < _END.size:
        raise DamagedError(DAMAGED)
    signature, _, _, _, members, length, start, comment = _END.unpack(tail)
    if signature != b"PK\x05\x06" or comment or start + length != size - _END.size:
        raise DamagedError(NOT_WHOLE)
    if members > MOST_MEMBERS or length > MOST_MEMBERS * _LONGEST_ENTRY:
        raise DamagedError(f"it has {members:,} parts; a document may have up to {MOST_MEMBERS:,}")
