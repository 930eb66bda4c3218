"""A document as plain text that a person can post into a chat or a forum; text around it is ignored."""

import re
import zlib
from base64 import b64decode, b64encode
from dataclasses import replace
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING

from explorer.core.errors import ExplorerError
from explorer.document.state import State
from explorer.document.storage import read, write

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BEGIN, END = "----- Transformer Explorer document -----", "----- end of the document -----"
MOST_TEXT, MOST_UNPACKED, WIDTH = 200_000, 20_000_000, 100
"""The most characters of a document as text, the most bytes that they may unpack to, and the width of a line."""
NAME = "The text"
_AT_ONCE = 2**16
"""Bytes that are compressed before the length is checked again."""


def as_text(state: State, title: str) -> str:
    """A document as lines of plain text between two marks: the bytes of its file, compressed.

    Raises `ExplorerError`: "too-large-for-text" or "not-saved".
    """
    if sum(array.nbytes for array in state.inputs.values()) > MOST_UNPACKED:
        raise _too_large()
    stream = _Packed()
    write(replace(state, optimiser=None), title, stream, NAME)  # whose memory is twice as large as the weights
    text = b64encode(stream.whole()).decode()
    if len(text) > MOST_TEXT:
        raise _too_large()
    return "\n".join((BEGIN, *wrap(text, WIDTH), END, ""))


class _Packed(BytesIO):
    """Compresses what is written to it, and stops at the longest allowed text: a large model would take minutes."""

    def __init__(self) -> None:
        super().__init__()
        self._packing = zlib.compressobj(9)

    def write(self, data: "ReadableBuffer", /) -> int:
        parts = memoryview(data).cast("B")
        for begin in range(0, len(parts), _AT_ONCE):
            super().write(self._packing.compress(parts[begin : begin + _AT_ONCE]))
            if self.tell() > MOST_TEXT:
                raise _too_large()
        return len(parts)

    def whole(self) -> bytes:
        """All that was written, compressed."""
        super().write(self._packing.flush())
        return self.getvalue()


def _too_large() -> ExplorerError:
    return ExplorerError("too-large-for-text", limit=f"{MOST_TEXT:,}")


def from_text(text: str) -> tuple[State, str]:
    """The document in a text, with its title; a chat may have added words around it, or quotation marks to its lines.

    Raises `ExplorerError`: "no-document-in-text", or those of `storage.read`.
    """
    _, begin, rest = text.partition(BEGIN)
    packed, end, _ = rest.partition(END)
    if not begin or not end:
        raise ExplorerError("no-document-in-text")
    if len(packed) > 2 * MOST_TEXT:
        raise ExplorerError("document-wrong", file=NAME, problem="it is too long")
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(b64decode(re.sub(r"[\s>|]+", "", packed), validate=True), MOST_UNPACKED)
    except (ValueError, zlib.error):
        raise ExplorerError("document-wrong", file=NAME, problem="it is damaged") from None
    if not unpacking.eof:
        raise ExplorerError("document-wrong", file=NAME, problem="it is not whole, or too large")
    return read(BytesIO(data), NAME)[:2]
