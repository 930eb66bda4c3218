"""A small Llama as a folder of the Hugging Face hub, made here; and a translator with a tokenizer."""

import json

import numpy as np
from safetensors.numpy import save_file

from explorer.checkpoints.tokenizers.tokenizer import around, from_json, named
from explorer.core.model import Model
from explorer.core.models import build
from explorer.document.state import State

CONFIG = {
    "model_type": "llama",
    "hidden_size": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "intermediate_size": 6,
    "vocab_size": 10,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
}


def weights(d=8, d_ff=6):
    """Its tensors by name, with so many numbers a word and so many hidden units."""
    rng = np.random.default_rng(5)
    shapes = {"model.embed_tokens": (10, d), "model.norm": (d,), "lm_head": (10, d)}
    for k in range(2):
        layer = f"model.layers.{k}."
        shapes |= {f"{layer}self_attn.{x}_proj": (d if x in "qo" else d // 2, d) for x in "qkvo"}
        shapes |= {f"{layer}mlp.{x}_proj": (d_ff, d) for x in ("up", "gate")} | {f"{layer}mlp.down_proj": (d, d_ff)}
        shapes |= {f"{layer}{x}_layernorm": (d,) for x in ("input", "post_attention")}
    return {f"{name}.weight": rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def write(folder, changes=None, tensors=None):
    """Write it into a folder, with other fields of its config, "absent" for none, and other tensors."""
    config = {**CONFIG, **(changes or {})}
    (folder / "config.json").write_text(json.dumps({k: v for k, v in config.items() if v != "absent"}))
    save_file(tensors or weights(), folder / "model.safetensors")
    return folder


def translator():
    """The state of a translator of three pieces: texts end with </s>, and answers begin with <pad>."""
    marks = {"<pad>": 3, "</s>": 4}
    said = {
        "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2, **marks}, "unk_token": "c"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "added_tokens": [{"id": number, "content": mark, "special": True} for mark, number in marks.items()],
        "post_processor": around("", "</s>", marks),
    }
    words = named(from_json(json.dumps(said)), 5)
    axes = {"source.words": words, "target.words": words}
    model = Model("encoder-decoder", {"source": 1, "target": 1}, axes, 4, switches={"loss.loss": "none"})
    return State.of(model, {"target.tokens": np.array([3])})


def check_cells(checkpoint, tensors):
    """Each input's cells are where the model says: in these tensors by name, as arrays. Returns how many it tried."""
    graph, model, tried = build(checkpoint.model), checkpoint.model, 0
    for node in sorted(graph.inputs):
        if not model.in_file(node):
            continue
        array = checkpoint.inputs[node]
        rng = np.random.default_rng(3)
        random = [tuple(rng.integers(0, array.shape).tolist()) for _ in range(8)]
        for index in [(0,) * array.ndim, tuple(n - 1 for n in array.shape), *random]:
            name, _, cell = model.in_file(node, index).partition("[")
            cell = tuple(map(int, cell.removesuffix("]").split(",")))
            assert tensors[name][cell] == array[index], (node, index, name, cell)
            assert model.stored(node).index(cell, array.shape) in (index, (0, *index[1:])), (node, index)
            tried += 1
    return tried
