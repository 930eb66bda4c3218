"""Files of llama2.c (karpathy/llama2.c, export.py): seven sizes, then the weights of a Llama.

Version 0 has float32 weights, each kind layer by layer. Versions 1 and 2 begin with "ak42" and a header of 256 bytes,
and have the norms first; in version 2 all other weights are bytes, with one factor for each group of them (Q8_0).

The sizes become fields of a config.json, and tensors get the names of the hub, so that the same table serves as for a
folder. The tokenizer is a separate file: the length of the longest piece, then the score, length and bytes of each.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from explorer.checkpoints.architectures import ARCHITECTURES
from explorer.checkpoints.checkpoint import (
    F32,
    HEAD,
    Checkpoint,
    Tensor,
    Told,
    Type,
    check_no_text,
    damaged,
    put_together,
    wrong,
)
from explorer.checkpoints.plans import OTHER, Config
from explorer.checkpoints.tokenizers.fields import wrong as wrong_tokenizer
from explorer.checkpoints.tokenizers.sentencepiece import BYTE, CONTROL, NORMAL, UNKNOWN, Piece, by_scores
from explorer.checkpoints.tokenizers.tokenizer import MOST_SOURCE, Tokenizer, around, from_fields, named
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.files import open_file

_SIZES = struct.Struct("<7i")
_MAGIC, _HEADER = b"24ka", 256  # "ak42" as a number, its lowest byte first
_MOST = 2**24
_MARKS = {"<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL}
_PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x04")
_LAYER = "model.layers.{k}."
_ANGLES = "rotary_emb"  # in version 0, twice; ignored


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
    def config(self) -> dict[str, Any]:
        """The sizes as fields of a config.json."""
        return {
            "hidden_size": self.d,
            "intermediate_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.key_heads,
            "vocab_size": self.words,
            "tie_word_embeddings": self.tied,
            "rms_norm_eps": 1e-5,
        }

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The tensors of the file, in its order, with "{k}" in the names of those that each layer has."""
        d, key_width = self.d, self.d // self.heads * self.key_heads
        before = {f"{_LAYER}input_layernorm.weight": (d,)}
        above = {f"{_LAYER}post_attention_layernorm.weight": (d,)}
        last: dict[str, tuple[int, ...]] = {"model.norm.weight": (d,)}
        table: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (self.words, d)}
        rows = {"q": d, "k": key_width, "v": key_width, "o": d}
        attention = {f"{_LAYER}self_attn.{letter}_proj.weight": (n, d) for letter, n in rows.items()}
        net = {
            f"{_LAYER}mlp.gate_proj.weight": (self.hidden, d),
            f"{_LAYER}mlp.down_proj.weight": (d, self.hidden),
            f"{_LAYER}mlp.up_proj.weight": (self.hidden, d),
        }
        own: dict[str, tuple[int, ...]] = {} if self.tied else {"lm_head.weight": (self.words, d)}
        if self.version:
            return {**before, **above, **last, **table, **attention, **net, **own}
        angles = {_ANGLES: (self.room, d // self.heads)}
        return {**table, **before, **attention, **above, **net, **last, **angles, **own}

    def tensors(self, file: Path) -> Iterator[tuple[str, Tensor]]:
        """The tensors by name, each layer's by itself, and where each lies in the file."""
        at = self.begin
        for name, shape in self.shapes.items():
            for k in range(self._times(name)):
                tensor = Tensor(file, self._type(name), shape, at)
                yield name.format(k=k), tensor
                at += tensor.width

    @property
    def end(self) -> int:
        """How many bytes the file has; no tensor is made for it, as a header may claim millions of layers."""
        blocks = ((self._type(name), prod(shape) * self._times(name)) for name, shape in self.shapes.items())
        return self.begin + sum(n // type.numbers * type.bytes for type, n in blocks)

    def _times(self, name: str) -> int:
        return self.layers if "{k}" in name else 1

    def _type(self, name: str) -> Type:
        grouped = self.group and "norm" not in name
        return _grouped(prod(self.shapes[name]), self.group) if grouped else F32


def _grouped(n: int, group: int) -> Type:
    """The type of a tensor of version 2: all its n bytes with a sign, then one float32 for each group of them."""
    return Type("Q8", n, n + 4 * (n // group), partial(_multiplied, n, group))


def _multiplied(n: int, group: int, raw: Array) -> Array:
    numbers = raw[:, :n].view(np.int8).reshape(-1, group)
    return (numbers * np.ascontiguousarray(raw[:, n:]).view("<f4").reshape(-1, 1)).reshape(-1, n)


def opened(
    file: str | Path, dtype: str = "", tokenizer: str | Path | None = None, told: Told | None = None
) -> Checkpoint:
    """The model of a file; the tokenizer beside it names its words.

    `dtype`, `told`: as in `explorer.checkpoints.opened`.
    `tokenizer`: its file; default: a file "tok*" in the same folder with as many pieces as the model has words.
    Raises `ExplorerError`: "checkpoint" if the file does not fit its header; "tokenizer" if the given one is none.
    """
    file = Path(file)
    form = _form(file)
    notices = []
    found = _beside(file, form.words) if tokenizer is None else tokenizer_of(Path(tokenizer))
    if found is None:
        notices.append("no tokenizer for it lies beside it (tok*.bin): words are the numbers of the pieces")
    elif len(found.pieces) != form.words:
        notices.append(f"the tokenizer has {len(found.pieces):,} pieces, and the model {form.words:,} words")
    plan = ARCHITECTURES["llama"](Config(file, form.config))
    # Pairs that turn together are neighbours in its queries and keys.
    plan = replace(plan, switches={**plan.switches, "input.rotary_pairs": "neighbours"})
    tensors = {name: tensor for name, tensor in form.tensors(file) if name != _ANGLES}
    made = put_together(file, "llama2.c", plan, tensors, dtype, told)
    model = replace(made.model, called={}, room=form.room)  # the file names no tensors
    if found is not None:
        model = replace(model, axes={"input.words": named(found, form.words)})
    return replace(made, model=model, notices=(*notices, *made.notices), architecture="llama")


def _form(file: Path) -> _Form:
    """The sizes in a file's header, all checked."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(_HEADER)
    check_no_text(file, head[:HEAD])
    if head.startswith(_PICKLES):
        raise wrong(
            file,
            "is a pickle, which can run code when it is opened",
            "convert it elsewhere, to safetensors or by export.py",
        )
    version, at = 0, 0
    if head.startswith(_MAGIC) and len(head) == _HEADER:
        version, at = int.from_bytes(head[4:8], "little"), 8
        if version not in (1, 2):
            problem = f"is a file of llama2.c of version {version} (versions 0, 1 and 2 are known here)"
            raise wrong(file, problem, "export it anew as one of these")
    if len(head) < _SIZES.size + at:
        raise damaged(file, "is too short for a file of llama2.c")
    d, hidden, layers, heads, key_heads, words, room = _SIZES.unpack_from(head, at)
    group = int.from_bytes(head[37:41], "little") if version == 2 else 0
    # In version 0 a negative vocabulary means that the output has its own weights; later versions have a byte for it.
    tied, words = (head[36] == 1 if version else words > 0), (words if version else abs(words))
    if not all(0 < one < _MOST for one in (d, hidden, layers, heads, key_heads, words, room)):
        raise wrong(file, "is no model of llama2.c: its first numbers are no sizes of one", OTHER)
    if d % heads or heads % key_heads or (d // heads) % 2:
        raise damaged(file, f"has {heads} heads and {key_heads} of keys, which do not fit {d} numbers a word")
    if version and head[36] > 1:
        raise damaged(file, "does not say whether its output has weights of its own")
    if version == 2 and (group < 1 or d % group or hidden % group):
        raise damaged(file, f"has groups of {group} weights, which do not divide its rows of {d} and of {hidden}")
    begin = _HEADER if version else _SIZES.size
    form = _Form(version, begin, d, hidden, layers, heads, key_heads, words, room, tied, group)
    if size != form.end:
        raise damaged(file, f"has {size:,} bytes, not the {form.end:,} that its sizes come to")
    return form


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
        with open_file(file) as stream:
            raw = stream.read(MOST_SOURCE + 1)
    except OSError as error:
        raise wrong_tokenizer(f"{file} cannot be read: {error.strerror or error}") from None
    if len(raw) > MOST_SOURCE:
        raise wrong_tokenizer(f"is larger than the {MOST_SOURCE // 1_000_000} MB that are read")
    at, pieces = 4, list[Piece]()
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
