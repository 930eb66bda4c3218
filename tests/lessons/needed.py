"""Folders of random weights in the shapes of the models that lessons need, made here."""

import json
import re
from math import prod
from pathlib import Path

import numpy as np

from explorer.lessons.loader import lesson_files
from explorer.lessons.reading import read

NARROW = 8  # numbers of a head


def gpt2(d, d_ff, heads, layers, words):
    """The config of GPT-2, and the shapes of its tensors."""
    shapes = {"wte.weight": (words, d), "wpe.weight": (64, d)}
    for k in range(layers):
        at = f"h.{k}."
        shapes |= {f"{at}ln_{i}.{x}": (d,) for i in (1, 2) for x in ("weight", "bias")}
        for name, wide, out in (
            ("attn.c_attn", d, 3 * d),
            ("attn.c_proj", d, d),
            ("mlp.c_fc", d, d_ff),
            ("mlp.c_proj", d_ff, d),
        ):
            shapes |= {f"{at}{name}.weight": (wide, out), f"{at}{name}.bias": (out,)}
    shapes |= {f"ln_f.{x}": (d,) for x in ("weight", "bias")}
    config = {"model_type": "gpt2", "n_embd": d, "n_head": heads, "n_layer": layers, "n_inner": d_ff}
    return config | {"vocab_size": words, "n_positions": 64}, shapes


def gpt_neox(d, d_ff, heads, layers, words):
    """The same of GPT-NeoX, as the Pythias are."""
    shapes = {"gpt_neox.embed_in.weight": (words, d), "embed_out.weight": (words, d)}
    for k in range(layers):
        at = f"gpt_neox.layers.{k}."
        norms = ("input_layernorm", "post_attention_layernorm")
        shapes |= {f"{at}{name}.{x}": (d,) for name in norms for x in ("weight", "bias")}
        for name, out, wide in (
            ("attention.query_key_value", 3 * d, d),
            ("attention.dense", d, d),
            ("mlp.dense_h_to_4h", d_ff, d),
            ("mlp.dense_4h_to_h", d, d_ff),
        ):
            shapes |= {f"{at}{name}.weight": (out, wide), f"{at}{name}.bias": (out,)}
    shapes |= {f"gpt_neox.final_layer_norm.{x}": (d,) for x in ("weight", "bias")}
    config = {"model_type": "gpt_neox", "hidden_size": d, "num_attention_heads": heads, "num_hidden_layers": layers}
    config |= {"intermediate_size": d_ff, "vocab_size": words, "rotary_pct": 0.25, "use_parallel_residual": True}
    return config, shapes


SHAPES = {"gpt2": gpt2, "gpt_neox": gpt_neox}


def narrow(id: str, folder: Path, **changes: object) -> Path:
    """The file of a lesson, written anew for a narrow model of few words, without a hash."""
    text = lesson_files()[id].read_text("utf-8")
    sizes = read(lesson_files()[id]).data["checkpoint"]["sizes"]
    small = {"d_model": sizes["heads"] * NARROW, "d_ff": 24, "words": 300, **changes}
    for name, size in small.items():
        text = re.sub(rf'^{name} = (\d+|"[0-9a-f]+")$', f"{name} = {json.dumps(size)}", text, flags=re.M)
    if "sha256" not in changes:
        text = re.sub(r"^(bytes|sha256) = .*\n", "", text, flags=re.M)
    file = folder / f"{id}.lesson.toml"
    file.write_text(text, "utf-8")
    return file


def written(file: Path, folder: Path, seed: int = 3, **changes: object) -> Path:
    """A folder with random weights in the shapes that a lesson's file names, and a tokenizer with its words.

    `changes`: other sizes.
    """
    top = read(file)
    said = top.data["checkpoint"]
    sizes = {**said["sizes"], **changes}
    config, shapes = SHAPES[str(said["kind"])](
        sizes["d_model"], sizes["d_ff"], sizes["heads"], sizes["layers"], sizes["words"]
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    rng, header, end = np.random.default_rng(seed), {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * prod(shape)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [begin, end]}
    raw = json.dumps(header).encode()
    with (folder / "model.safetensors").open("wb") as stream:
        stream.write(len(raw).to_bytes(8, "little") + raw)
        for shape in shapes.values():
            stream.write((rng.standard_normal(shape, np.float32) * np.float32(0.2)).tobytes())
    tables = [*said_in(top), *range(256)]
    pieces = [piece.replace("␣", "Ġ") if isinstance(piece, str) else f"<{piece}>" for piece in tables]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = {"version": "1.0", "pre_tokenizer": level, "decoder": level}
    tokenizer |= {"model": {"type": "BPE", "vocab": vocabulary, "merges": []}, "added_tokens": []}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder


def said_in(top) -> list[str]:
    """The words of a lesson's texts, each once."""
    tables = [*top.data["settings"].values(), *top.data["step"]]
    return list(dict.fromkeys(word for table in tables for words in table.get("tokens", {}).values() for word in words))
