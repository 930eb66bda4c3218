"""Files of llama2.c (karpathy/llama2.c, export.py): seven sizes, then the weights of a Llama.

Version 0 has float32 weights, each kind layer by layer. Versions 1 and 2 begin with "ak42" and a header of 256 bytes,
and have the norms first; in version 2 all other weights are bytes, with one factor for each group of them (Q8_0).

The tokenizer is a separate file: the length of the longest piece, then the score, length and bytes of each piece.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from explorer.checkpoints.checkpoint import MOST_PRECISE, Checkpoint, counted_from_0, model_of, wrong
from explorer.checkpoints.plans import Plan
from explorer.checkpoints.tokenizers.fields import wrong as wrong_tokenizer
from explorer.checkpoints.tokenizers.sentencepiece import BYTE, CONTROL, NORMAL, UNKNOWN, Piece, by_scores
from explorer.checkpoints.tokenizers.tokenizer import MOST_SOURCE, Tokenizer, around, from_fields, named
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.models.ends import TEMPERATURE
from explorer.core.ops import Array

_SIZES = struct.Struct("<7i")
_MAGIC, _HEADER = b"24ka", 256  # "ak42" as a number, its lowest byte first
_MOST = 2**24
_MARKS = {"<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL}
_PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x04")
_NORMS = ("self.gamma", "ffn.gamma", "final.gamma")


class _Form(Frozen):
    """The header of a file."""

    version: int
    begin: int  # the place of the first weight
    d: int
    hidden: int
    layers: int
    heads: int
    key_heads: int
    words: int
    room: int
    tied: bool
    group: int = 0  # number of weights that share one factor; 0 for float32

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The arrays of the file, in its order. Weights are stored (out, in)."""
        d, layers, d_k = self.d, self.layers, self.d // self.heads
        before, above = {"self.gamma": (layers, d)}, {"ffn.gamma": (layers, d)}
        last: dict[str, tuple[int, ...]] = {"final.gamma": (d,)}
        table: dict[str, tuple[int, ...]] = {"table": (self.words, d)}
        attention = {
            "self.W_Q": (layers, self.heads, d_k, d),
            "self.W_K": (layers, self.key_heads, d_k, d),
            "self.W_V": (layers, self.key_heads, d_k, d),
            "self.W_O": (layers, d, d),
        }
        net = {
            "ffn.W_g": (layers, self.hidden, d),
            "ffn.W_2": (layers, d, self.hidden),
            "ffn.W_1": (layers, self.hidden, d),
        }
        own: dict[str, tuple[int, ...]] = {} if self.tied else {"output.W": (self.words, d)}
        if self.version:
            return {**before, **above, **last, **table, **attention, **net, **own}
        angles = {"angles": (self.room, d_k)}  # ignored
        return {**table, **before, **attention, **above, **net, **last, **angles, **own}

    def width(self, name: str) -> int:
        """How many bytes an array takes."""
        n = prod(self.shapes[name])
        return 4 * n if not self.group or name in _NORMS else n + 4 * (n // self.group)


def opened(file: str | Path, dtype: str = "", tokenizer: str | Path | None = None) -> Checkpoint:
    """The model of a file; the tokenizer beside it names its words.

    Parameters
    ----------
    dtype : str
        "float64" or "float32"; default: float64 for models of up to `MOST_PRECISE` numbers.
    tokenizer : str or Path, optional
        The tokenizer's file; default: a file "tok*" in the same folder with as many pieces as the model has words.

    Raises
    ------
    ExplorerError
        "checkpoint" if the file does not fit its header; "tokenizer" if the given tokenizer is not one.
    """
    file = Path(file)
    form = _form(file)
    notices = []
    found = _beside(file, form.words) if tokenizer is None else tokenizer_of(Path(tokenizer))
    if found is None:
        notices.append("no tokenizer for it lies beside it (tok*.bin): words are the numbers of the pieces")
    elif len(found.pieces) != form.words:
        notices.append(f"the tokenizer has {len(found.pieces):,} pieces, and the model {form.words:,} words")
    dtype = dtype or ("float64" if sum(map(prod, form.shapes.values())) <= MOST_PRECISE else "float32")
    model, inputs = _put_together(file, form, found, dtype)
    return Checkpoint(file, "llama2.c", model, inputs, tuple(notices), "llama")


def _form(file: Path) -> _Form:
    """The sizes in a file's header, all checked."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(_HEADER)
    if head.startswith(_PICKLES):
        raise wrong(file, "is a pickle, which can run code when it is opened: it is not read here")
    version, at = 0, 0
    if head.startswith(_MAGIC) and len(head) == _HEADER:
        version, at = int.from_bytes(head[4:8], "little"), 8
        if version not in (1, 2):
            raise wrong(file, f"is a file of llama2.c of version {version}; versions 0, 1 and 2 are known here")
    if len(head) < _SIZES.size + at:
        raise wrong(file, "is too short for a file of llama2.c")
    d, hidden, layers, heads, key_heads, words, room = _SIZES.unpack_from(head, at)
    group = int.from_bytes(head[37:41], "little") if version == 2 else 0
    # In version 0 a negative vocabulary means that the output has its own weights; later versions have a byte for it.
    tied, words = (head[36] == 1 if version else words > 0), (words if version else abs(words))
    if not all(0 < one < _MOST for one in (d, hidden, layers, heads, key_heads, words, room)):
        raise wrong(file, "is no model of llama2.c: its first numbers are no sizes of one")
    if d % heads or heads % key_heads or (d // heads) % 2:
        raise wrong(file, f"has {heads} heads and {key_heads} of keys, which do not fit {d} numbers a word")
    if version and head[36] > 1:
        raise wrong(file, "does not say whether its output has weights of its own")
    if version == 2 and (group < 1 or d % group or hidden % group):
        raise wrong(file, f"has groups of {group} weights, which do not divide its rows of {d} and of {hidden}")
    begin = _HEADER if version else _SIZES.size
    form = _Form(version, begin, d, hidden, layers, heads, key_heads, words, room, tied, group)
    needed = begin + sum(map(form.width, form.shapes))
    if size != needed:
        raise wrong(file, f"has {size:,} bytes, not the {needed:,} that its sizes come to")
    return form


def _arrays(file: Path, form: _Form, dtype: str) -> Iterator[tuple[str, Array]]:
    """The arrays of a file, one after another."""
    at = form.begin
    for name, shape in form.shapes.items():
        n, width = prod(shape), form.width(name)
        if width == 4 * n:
            yield name, np.fromfile(file, "<f4", n, offset=at).reshape(shape).astype(dtype)
        else:
            # For each layer, or for a single matrix, first the bytes and then the factors.
            parts = shape[0] if name.startswith(("self.", "ffn.")) else 1
            raw = np.fromfile(file, np.int8, width, offset=at).reshape(parts, -1)
            numbers = raw[:, : n // parts].reshape(-1, form.group)
            factors = np.ascontiguousarray(raw[:, n // parts :]).view("<f4").reshape(-1, 1)
            yield name, (numbers * factors).reshape(shape).astype(dtype)
        at += width


def _put_together(file: Path, form: _Form, tokenizer: Tokenizer | None, dtype: str) -> tuple[Model, dict[str, Array]]:
    words = counted_from_0(form.words) if tokenizer is None else named(tokenizer, form.words)
    model = _model(form, words, dtype)
    try:
        build(model)  # its weights are as large as the file
    except ExplorerError:
        raise wrong(file, "has sizes that are beyond what is read here") from None
    inputs: dict[str, Array] = {"input.tokens": np.zeros(1, np.int64), TEMPERATURE: np.ones((), dtype)}
    for name, array in _arrays(file, form, dtype):
        if name.startswith(("self.", "ffn.")):
            for k in range(form.layers):
                own = array[k] if array[k].ndim == 1 else array[k].swapaxes(-1, -2)
                inputs[f"decoder.{k + 1}.{name}"] = np.ascontiguousarray(own)
        elif name == "output.W":
            inputs[name] = np.ascontiguousarray(array.T)
        elif name != "angles":
            inputs["input.table" if name == "table" else name] = array
    return model, inputs


def _model(form: _Form, words: tuple[str, ...], dtype: str) -> Model:
    heads, key_heads = form.heads, form.key_heads
    switches: dict[str, Any] = {
        "input.positions": "rotary",
        **dict.fromkeys(("self.norm", "ffn.norm"), "pre"),
        **dict.fromkeys(("self.norm_by", "ffn.norm_by", "final.norm_by"), "RMS norm"),
        "self.heads": heads,
        "self.d_k": form.d // heads,
        "self.key_heads": key_heads if key_heads != heads else 0,
        "ffn.gated": True,
        "ffn.bias": False,
        "ffn.d_ff": form.hidden,
        "ffn.activation": "SiLU",
        "output.bias": False,
        "output.tied": form.tied,
    }
    model = model_of(Plan(form.d, form.layers, form.words, switches, {}), dtype)
    return replace(model, axes={"input.words": words})


def _beside(file: Path, words: int) -> Tokenizer | None:
    """The tokenizer beside a file that has this many pieces; None if there is none."""
    # First a file whose name has the number, then the shortest name: tok512.bin, tokenizer.bin.
    there = [one for one in file.parent.glob("tok*.bin") if one.is_file() and not one.samefile(file)]
    for one in sorted(there, key=lambda one: (str(words) not in one.name, len(one.name), one.name)):
        try:
            found = tokenizer_of(one)
        except ExplorerError:
            continue
        if len(found.pieces) == words:
            return found
    return None


def tokenizer_of(file: Path) -> Tokenizer:
    """The tokenizer in a file.

    Raises `ExplorerError`: "tokenizer" if it is not one.
    """
    try:
        if file.stat().st_size > MOST_SOURCE:
            raise wrong_tokenizer(f"is larger than the {MOST_SOURCE // 1_000_000} MB that are read")
        raw, at, pieces = file.read_bytes(), 4, list[Piece]()
    except OSError as error:
        raise wrong_tokenizer(f"{file} cannot be read: {error.strerror}") from None
    while at < len(raw):
        if len(raw) - at < 8:
            raise wrong_tokenizer("is cut short")
        score, length = struct.unpack_from("<fi", raw, at)
        if not 0 < length <= len(raw) - at - 8:
            raise wrong_tokenizer("has a piece that is longer than the file")
        written = raw[at + 8 : at + 8 + length].decode(errors="replace")
        at += 8 + length
        number = len(pieces)
        text = written.strip("\n") if written.strip() in _MARKS and number < 3 else written.replace(" ", "▁")
        kind = _MARKS.get(text, NORMAL) if number < 3 else BYTE if number < 259 else NORMAL
        pieces.append((text, score, kind))
    if len(pieces) < 259:
        raise wrong_tokenizer("has fewer pieces than there are bytes")
    said = by_scores(pieces)
    said["post_processor"] = around("<s>", "", {"<s>": 1})
    return from_fields(said)
