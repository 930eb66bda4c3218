"""A file of plain arrays and one JSON manifest, each with a checksum: documents, training runs, word vectors.

It is a safetensors file, so every safetensors reader can read the arrays: the length of a JSON header in 8 bytes, the
header, then the arrays, one after another. Its metadata hold the manifest and the CRC-32 of each array, and the CRC-32
of these two. So no flipped bit can change a number unnoticed. Nothing is compressed, and no size is trusted that is
larger than the file.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from math import isfinite, prod
from typing import Any, BinaryIO, NamedTuple, NoReturn
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_BYTES = 8_000_000_000
MOST_HEADER = 32_000_000
MOST_TABLES, MOST_VALUES, MOST_DEPTH = 300_000, 3_000_000, 50
"""The most opening brackets and the most commas in a JSON text, counted before it is parsed, because one byte can
become a hundred in memory; and the deepest nesting."""
DTYPES = {
    "BOOL": "bool",
    **{f"I{8 * n}": f"int{8 * n}" for n in (1, 2, 4, 8)},
    **{f"U{8 * n}": f"uint{8 * n}" for n in (1, 2, 4, 8)},
    **{f"F{8 * n}": f"float{8 * n}" for n in (2, 4, 8)},
}
"""numpy's names of number types, by their names in safetensors."""
DAMAGED = "it is damaged"
NOT_WHOLE = f"{DAMAGED}, or not whole"
FOREIGN = "it was not written by this program"

_CODES = {name: code for code, name in DTYPES.items()}
_OURS, _SUM, _METADATA = "explorer", "crc32", "__metadata__"
_MOST_AXES = 8


class DamagedError(Exception):
    """The message says what is wrong with a file."""


class Form(NamedTuple):
    """The type and shape that a file states for an array, before the array is read."""

    dtype: str  # numpy's name
    shape: tuple[int, ...]


def form_of(array: Array) -> Form:
    """The type and shape of an array."""
    return Form(_named(array.dtype), array.shape)


@cache  # numpy makes the name anew each time, which took a third of the time of writing a file of many small arrays
def _named(dtype: np.dtype[Any]) -> str:
    return dtype.name


Told = Callable[[int, int], None]
"""Called now and then with the bytes done and the total; it may raise to stop."""


def write(
    stream: BinaryIO,
    manifest: Mapping[str, Any],
    arrays: Mapping[str, Array],
    told: Told = lambda done, total: None,
) -> None:
    """Write a file. The same content gives the same bytes.

    `manifest`: anything that JSON can hold, with finite numbers only.
    """
    # The widest numbers first, so that each array is aligned to its number width.
    names = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {_METADATA: {}}
    sums, at = {}, 0
    both = 2 * sum(array.nbytes for array in arrays.values())  # read twice: for a checksum, to be written
    for name in names:
        told(at, both)
        form, end = form_of(arrays[name]), at + arrays[name].nbytes
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
    """An open file. Its header is read and checked at once; each array is read on demand.

    `stream`: file open for reading bytes.
    Raises a `DamagedError` if it is not a file of this kind, or not complete.
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
        self.forms: dict[str, Form] = {}  # the arrays in the file
        self._starts: dict[str, int] = {}
        end = self._take(header, 8 + length)
        if end != size:
            raise DamagedError(NOT_WHOLE)
        self.metadata = metadata  # all metadata of the file
        # `manifest`: its JSON content; None in a safetensors file of another program.
        self.manifest, self._sums = _ours(metadata)
        if self._sums is not None and self._sums.keys() != self.forms.keys():
            raise DamagedError(DAMAGED)

    def _take(self, header: dict[str, Any], at: int) -> int:
        """Read the arrays' places from the header; they must lie one after another. Returns where they end."""
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

        Raises `DamagedError` if it is not the array that was written.
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
    """The content of a JSON text from outside. Its size in memory is limited before it is parsed.

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
    if level:  # Python parses thousands of levels, but can neither write nor walk through them
        raise DamagedError(DAMAGED)
    return found


def _below(found: Any) -> Iterable[Any]:
    """The values in a dict or list of JSON; empty for others."""
    return found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    """A number that can be written again: JSON has no infinity, but Python reads 1e999 as infinity."""
    number = float(digits)
    return number if isfinite(number) else _refuse(digits)


def _are_numbers(found: object, most: int) -> bool:
    """Whether it is a short list of whole numbers that can be lengths."""
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
