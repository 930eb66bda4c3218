"""A file of plain arrays and one JSON manifest, each with a checksum: documents, runs of training, word vectors.

It is a safetensors file, so that any reader of those can take the arrays out: the length of a JSON header in 8 bytes,
the header, the arrays one behind the other. Its metadata hold the manifest and the CRC-32 of each array, and the CRC-32
of these. So no flipped bit is taken for another number. Nothing is unpacked, and no size is believed that the file
does not have.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from math import isfinite, prod
from typing import Any, BinaryIO, NamedTuple, NoReturn
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_BYTES = 8_000_000_000
MOST_HEADER = 32_000_000
MOST_TABLES, MOST_VALUES, MOST_DEPTH = 300_000, 3_000_000, 50
"""Brackets and commas in a JSON text, counted before it is read: one byte can become a hundred in memory; and how deep
one in another they may stand."""
DTYPES = {
    "BOOL": "bool",
    **{f"I{8 * n}": f"int{8 * n}" for n in (1, 2, 4, 8)},
    **{f"U{8 * n}": f"uint{8 * n}" for n in (1, 2, 4, 8)},
    **{f"F{8 * n}": f"float{8 * n}" for n in (2, 4, 8)},
}
"""numpy's names of the types of numbers, by those that safetensors has."""
DAMAGED = "it is damaged"
NOT_WHOLE = f"{DAMAGED}, or not whole"
FOREIGN = "it was not written by this program"

_CODES = {name: code for code, name in DTYPES.items()}
_OURS, _SUM, _METADATA = "explorer", "crc32", "__metadata__"
_MOST_AXES = 8


class DamagedError(Exception):
    """What is wrong with a file, in words."""


class Form(NamedTuple):
    """What an array is said to be, before it is read."""

    dtype: str  # numpy's name
    shape: tuple[int, ...]


Told = Callable[[int, int], None]
"""Called now and then with how many bytes are done of how many; it may raise to stop."""


def write(
    stream: BinaryIO,
    manifest: Mapping[str, Any],
    arrays: Mapping[str, Array],
    told: Told = lambda done, total: None,
) -> None:
    """Write a file. The same content gives the same bytes.

    Parameters
    ----------
    stream : file open for writing bytes
    manifest : mapping
        What JSON can hold, numbers that are not finite excepted.
    """
    # The widest numbers first, so that each array begins where numbers of its width may.
    names = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {_METADATA: {}}
    sums, at = {}, 0
    both = 2 * sum(array.nbytes for array in arrays.values())  # they are summed up, then written
    for name in names:
        told(at, both)
        form, end = Form(arrays[name].dtype.name, arrays[name].shape), at + arrays[name].nbytes
        header[name] = {"dtype": _CODES[form.dtype], "shape": form.shape, "data_offsets": [at, end]}
        sums[name], at = _checksum(name, form, _bytes(arrays[name])), end
    ours = _json({"manifest": manifest, "checksums": sums})
    header[_METADATA] = {_OURS: ours, _SUM: f"{crc32(ours.encode()):08x}"}
    text = _json(header).encode()
    text += b" " * (-len(text) % 8)
    stream.write(len(text).to_bytes(8, "little") + text)
    for name in names:
        told(at, both)
        stream.write(_bytes(arrays[name]))
        at += arrays[name].nbytes


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def _bytes(array: Array) -> memoryview:
    little = np.asarray(array, array.dtype.newbyteorder("<"), order="C")
    return little.reshape(-1).view(np.uint8).data


def _checksum(name: str, form: Form, data: memoryview) -> int:
    return crc32(data, crc32(f"{name} {form.dtype} {form.shape}".encode()))


class Container:
    """A file that is open. Its header is read and checked; arrays are read when they are asked for.

    Parameters
    ----------
    stream : file open for reading bytes

    Raises
    ------
    DamagedError
        Where it is no file of this kind, or not whole.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        size = stream.seek(0, os.SEEK_END)
        if size > MOST_BYTES:
            raise DamagedError(f"it has {size:,} bytes; up to {MOST_BYTES:,} can be opened")
        stream.seek(0)
        length = int.from_bytes(stream.read(8), "little")
        begins = stream.read(1) == b"{"
        if not begins or length < 2 or length > max(size - 8, MOST_HEADER):
            raise DamagedError(FOREIGN)
        if length > MOST_HEADER:
            raise DamagedError(f"its header has {length:,} bytes; up to {MOST_HEADER:,} can be read")
        if length > size - 8:
            raise DamagedError(NOT_WHOLE)
        header = parsed(b"{" + stream.read(length - 1))
        metadata = header.pop(_METADATA, {}) if isinstance(header, dict) else None
        if not isinstance(metadata, dict):
            raise DamagedError(FOREIGN)
        self.forms: dict[str, Form] = {}  # the arrays there are
        self._starts: dict[str, int] = {}
        end = self._take(header, 8 + length)
        if end != size:
            raise DamagedError(NOT_WHOLE)
        self.metadata = metadata  # what else there is in such a file
        # `manifest`: what JSON says there; None in a safetensors file that another program wrote.
        self.manifest, self._sums = _ours(metadata)
        if self._sums is not None and self._sums.keys() != self.forms.keys():
            raise DamagedError(DAMAGED)

    def _take(self, header: dict[str, Any], at: int) -> int:
        """Take what the header says of the arrays, which have to lie one behind the other. Returns where they end."""
        start, spans = at, []
        for name, said in header.items():
            if not isinstance(said, dict) or said.keys() != {"dtype", "shape", "data_offsets"}:
                raise DamagedError(DAMAGED)
            dtype, shape, offsets = said["dtype"], said["shape"], said["data_offsets"]
            if not _are_numbers(shape, _MOST_AXES) or not _are_numbers(offsets, 2) or len(offsets) != 2:
                raise DamagedError(DAMAGED)
            if not isinstance(dtype, str) or dtype not in DTYPES:
                raise DamagedError(f"'{name[:80]}' in it holds numbers of another kind")
            self.forms[name] = form = Form(DTYPES[dtype], tuple(shape))
            if prod(n for n in shape if n) > MOST_BYTES:
                raise DamagedError(DAMAGED)
            spans.append((*offsets, prod(form.shape) * np.dtype(form.dtype).itemsize, name))
        for first, last, size, name in sorted(spans):
            if start + first != at or last - first != size:
                raise DamagedError(DAMAGED)
            self._starts[name] = at
            at += size
        return at

    def array(self, name: str) -> Array:
        """An array, closed against writing.

        Raises `DamagedError` where it is not the one that was written.
        """
        form = self.forms[name]
        array = np.empty(form.shape, np.dtype(form.dtype).newbyteorder("<"))
        data = array.reshape(-1).view(np.uint8)
        self._stream.seek(self._starts[name])
        whole = self._stream.readinto(data.data) == data.nbytes if data.nbytes else True  # type: ignore[attr-defined]
        if not whole or (form.dtype == "bool" and data.nbytes and data.max() > 1):
            raise DamagedError(DAMAGED)
        if self._sums is not None and _checksum(name, form, data.data) != self._sums[name]:
            raise DamagedError(f"{DAMAGED}: the numbers of '{name[:80]}' are not those that were written")
        array = array.astype(form.dtype, copy=False)
        array.flags.writeable = False
        return array


def parsed(text: bytes) -> Any:
    """What a JSON text from outside says. How much it would become is bounded before it is read.

    Raises `DamagedError`.
    """
    if len(text) > MOST_HEADER or text.count(b"[") + text.count(b"{") > MOST_TABLES or text.count(b",") > MOST_VALUES:
        raise DamagedError("it says more than could be read")
    try:
        found = json.loads(text.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise DamagedError(DAMAGED) from None
    level = [found]
    for _ in range(MOST_DEPTH):
        level = [one for above in level for one in _below(above) if isinstance(one, dict | list)]
    if level:  # Python reads thousands of levels, and can neither write nor walk through them
        raise DamagedError(DAMAGED)
    return found


def _below(found: Any) -> Iterable[Any]:
    """What lies in a table or list of JSON."""
    return found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    """A number that can be written again: JSON has no infinity, but 1e999 is read as one."""
    number = float(digits)
    return number if isfinite(number) else _refuse(digits)


def _are_numbers(found: object, most: int) -> bool:
    """Whether it is a short list of whole numbers that could be lengths."""
    return isinstance(found, list) and len(found) <= most and all(type(n) is int and 0 <= n < 2**40 for n in found)


def _ours(metadata: dict[str, Any]) -> tuple[Any, dict[str, Any] | None]:
    """The manifest and the checksums of a file that this program wrote."""
    if _OURS not in metadata and _SUM not in metadata:
        return None, None
    text, said = metadata.get(_OURS), metadata.get(_SUM)
    if not isinstance(text, str):
        raise DamagedError(DAMAGED)
    content = text.encode("utf-8", "surrogatepass")
    if said != f"{crc32(content):08x}":
        raise DamagedError(f"{DAMAGED}: it does not say what was written")
    found = parsed(content)
    if not isinstance(found, dict) or not isinstance(found.get("checksums"), dict) or "manifest" not in found:
        raise DamagedError(DAMAGED)
    return found["manifest"], found["checksums"]
