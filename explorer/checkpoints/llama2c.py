"""llama2.c's files (karpathy/llama2.c, export.py version 0): seven sizes, then the weights of a Llama as float32.

Its tokenizer is a file of its own: the longest piece, and of each piece its score, its length and its bytes.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np

from explorer.checkpoints.tokenizers.of_folder import around
from explorer.checkpoints.tokenizers.pieces import named
from explorer.checkpoints.tokenizers.sentencepiece import BYTE, CONTROL, NORMAL, UNKNOWN, Piece, by_merges, put_together
from explorer.checkpoints.tokenizers.text_patterns import wrong
from explorer.checkpoints.tokenizers.tokenizer import Tokenizer
from explorer.checkpoints.tokenizers.tokenizer_json import from_fields
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Array

_HEADER = struct.Struct("<7i")
_MOST = 2**24
_MARKS = {"<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL}


def model_of(file: Path, tokenizer: Tokenizer, dtype: str = "float32") -> tuple[Model, dict[str, Array]]:
    """The model of a file, and its inputs.

    Raises `ExplorerError`: "checkpoint" where the file is not what its sizes say.
    """
    size = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(_HEADER.size)
    if len(head) < _HEADER.size:
        raise _wrong(file, "is too short for a file of llama2.c")
    d, hidden, layers, heads, key_heads, words, room = _HEADER.unpack(head)
    tied, words = words > 0, abs(words)  # a negative vocabulary means weights of its own for the output
    if not all(0 < one < _MOST for one in (d, hidden, layers, heads, key_heads, words, room)):
        raise _wrong(file, "is no file of llama2.c: a size of it is none")
    if d % heads or heads % key_heads or (d // heads) % 2:
        raise _wrong(file, f"has {heads} heads and {key_heads} of keys, which do not fit {d} numbers a word")
    d_k = d // heads
    shapes = {
        "table": (words, d),
        "self.gamma": (layers, d),
        "self.W_Q": (layers, heads, d_k, d),
        "self.W_K": (layers, key_heads, d_k, d),
        "self.W_V": (layers, key_heads, d_k, d),
        "self.W_O": (layers, d, d),
        "ffn.gamma": (layers, d),
        "ffn.W_g": (layers, hidden, d),
        "ffn.W_2": (layers, d, hidden),
        "ffn.W_1": (layers, hidden, d),
        "final.gamma": (d,),
        "angles": (room, d_k),
        **({} if tied else {"output.W": (words, d)}),
    }
    numbers = sum(int(np.prod(shape, dtype=object)) for shape in shapes.values())
    if size != _HEADER.size + 4 * numbers:
        raise _wrong(file, f"has {size:,} bytes, not the {_HEADER.size + 4 * numbers:,} that its sizes come to")
    flat, at, arrays = np.fromfile(file, "<f4", offset=_HEADER.size), 0, dict[str, Array]()
    for name, shape in shapes.items():
        n = int(np.prod(shape))
        arrays[name], at = flat[at : at + n].reshape(shape).astype(dtype), at + n
    model = _model(d, hidden, layers, heads, key_heads, tied, tokenizer, words, dtype)
    inputs = {
        "input.tokens": np.zeros(1, np.int64),
        "input.table": arrays["table"],
        "final.gamma": arrays["final.gamma"],
    }
    for k in range(layers):
        for name, array in arrays.items():
            if name.startswith(("self.", "ffn.")):
                # Weights are stored (out, in).
                own = array[k] if array[k].ndim == 1 else array[k].swapaxes(-1, -2)
                inputs[f"decoder.{k + 1}.{name}"] = np.ascontiguousarray(own)
    if not tied:
        inputs["output.W"] = np.ascontiguousarray(arrays["output.W"].T)
    inputs["output.temperature"] = np.ones((), dtype)
    graph = build(model)
    assert all(inputs[name].shape == graph.shape(name) for name in inputs if name != "input.tokens")
    return model, inputs


def _model(
    d: int,
    hidden: int,
    layers: int,
    heads: int,
    key_heads: int,
    tied: bool,
    tokenizer: Tokenizer,
    words: int,
    dtype: str,
) -> Model:
    switches: dict[str, Any] = {
        "input.lookup": "index",
        "input.positions": "rotary",
        "final.norm_by": "RMS norm",
        "output.bias": False,
        "output.tied": tied,
        "loss.loss": "none",
    }
    for k in range(1, layers + 1):
        block = {"norm": "pre", "norm_by": "RMS norm"}
        own = {"heads": heads, "d_k": d // heads, "key_heads": key_heads if key_heads != heads else 0}
        net = {"gated": True, "bias": False, "d_ff": hidden, "activation": "SiLU"}
        switches |= {f"decoder.{k}.self.{name}": value for name, value in {**block, **own}.items()}
        switches |= {f"decoder.{k}.ffn.{name}": value for name, value in {**block, **net}.items()}
    model = Model("gpt", {"input": 1}, {"input.words": named(tokenizer, words)}, d, layers, dtype=dtype)
    for path, value in switches.items():
        block_path, _, name = path.rpartition(".")
        model = model.with_switch(block_path, name, value)
    return model


def tokenizer_of(file: Path) -> Tokenizer:
    """The tokenizer of a file beside the model's.

    Raises `ExplorerError`: "tokenizer" where it is none.
    """
    raw, at, pieces = file.read_bytes(), 4, list[Piece]()
    while at < len(raw):
        if len(raw) - at < 8:
            raise wrong("is cut short")
        score, length = struct.unpack_from("<fi", raw, at)
        if not 0 < length <= len(raw) - at - 8:
            raise wrong("has a piece that is longer than the file")
        written = raw[at + 8 : at + 8 + length].decode(errors="replace")
        at += 8 + length
        number = len(pieces)
        text = written.strip("\n") if written.strip() in _MARKS and number < 3 else written.replace(" ", "▁")
        kind = _MARKS.get(text, NORMAL) if number < 3 else BYTE if number < 259 else NORMAL
        pieces.append((text, score, kind))
    if len(pieces) < 259:
        raise wrong("has fewer pieces than there are bytes")
    # A text has a blank before it, and <s> before that.
    before: list[dict[str, Any]] = [{"type": "Prepend", "prepend": "▁"}]
    blanks = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    said = put_together(by_merges(pieces), pieces, [*before, blanks], True)
    said["post_processor"] = around("<s>", "", {"<s>": 1})
    return from_fields(said)


def _wrong(file: Path, problem: str) -> ExplorerError:
    return ExplorerError("checkpoint", file=str(file), problem=problem)
