"""Models that others trained, on made-up weights of the true shapes: what opening, words and edits take."""

import gc
import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from benchmarks.measure import Measurement, compared, timed
from explorer.core.decoder import Decoder
from explorer.core.engine import Engine
from explorer.core.ops import Array
from explorer.document.continuation import decoder_of
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.document_lesson import opened
from explorer.pages.compose import page
from explorer.pages.view import View

PROMPT, READ, WRITTEN = 32, 24, 200
OPENING_S, MORE_MB, FLAT_MB = 2.0, 400.0, 8.0
"""What opening may take besides reading all bytes once, and what may be held besides the weights as float32."""
CACHED, WHOLE = 1.3, 1.2
_BLOCK = 1_000_003
"""Numbers that are drawn; the weights are these again and again."""

Shapes = dict[str, tuple[int, ...]]


def gpt2(d: int = 768, layers: int = 12, words: int = 50257) -> tuple[dict[str, Any], Shapes]:
    """The config and the tensors of GPT-2 small."""
    shapes: Shapes = {"wte.weight": (words, d), "wpe.weight": (1024, d)}
    for k in range(layers):
        shapes |= {f"h.{k}.ln_{i}.{x}": (d,) for i in (1, 2) for x in ("weight", "bias")}
        for name, wide, out in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, 4 * d)):
            shapes |= {f"h.{k}.{name}.weight": (wide, out), f"h.{k}.{name}.bias": (out,)}
        shapes |= {f"h.{k}.mlp.c_proj.weight": (4 * d, d), f"h.{k}.mlp.c_proj.bias": (d,)}
    shapes |= {f"ln_f.{x}": (d,) for x in ("weight", "bias")}
    heads = d // 64 or 1
    config = {"model_type": "gpt2", "n_embd": d, "n_head": heads, "n_layer": layers, "vocab_size": words}
    return config | {"n_positions": 1024}, shapes


def llama(
    kind: str, d: int, heads: int, key_heads: int, d_k: int, d_ff: int, layers: int, words: int
) -> tuple[dict[str, Any], Shapes]:
    """The config and the tensors of Llama and its kin, with one table for both ends."""
    shapes: Shapes = {"model.embed_tokens.weight": (words, d), "model.norm.weight": (d,)}
    for k in range(layers):
        at = f"model.layers.{k}."
        for letter, n in (("q", heads), ("k", key_heads), ("v", key_heads)):
            shapes[f"{at}self_attn.{letter}_proj.weight"] = n * d_k, d
        shapes |= {f"{at}self_attn.o_proj.weight": (d, heads * d_k), f"{at}mlp.down_proj.weight": (d, d_ff)}
        shapes |= {f"{at}mlp.{x}_proj.weight": (d_ff, d) for x in ("gate", "up")}
        shapes |= {f"{at}{x}_layernorm.weight": (d,) for x in ("input", "post_attention")}
        shapes |= {f"{at}self_attn.{x}_norm.weight": (d_k,) for x in "qk"} if kind == "qwen3" else {}
    config = {"model_type": kind, "hidden_size": d, "num_attention_heads": heads, "num_key_value_heads": key_heads}
    config |= {"head_dim": d_k, "intermediate_size": d_ff, "num_hidden_layers": layers, "vocab_size": words}
    return config | {"tie_word_embeddings": True, "rms_norm_eps": 1e-6, "rope_theta": 1e6}, shapes


MODELS: dict[str, Callable[[], tuple[dict[str, Any], Shapes]]] = {
    "GPT-2 small": gpt2,
    "SmolLM2-135M": lambda: llama("llama", 576, 9, 3, 64, 1536, 30, 49152),
    "Qwen3-0.6B": lambda: llama("qwen3", 1024, 16, 8, 128, 3072, 28, 151936),
}


def written(folder: Path, config: Mapping[str, Any], shapes: Shapes) -> Path:
    """A folder of the hub with made-up weights: GPT-2 in float32, others in bfloat16, as they are on the hub."""
    wide = config["model_type"] == "gpt2"
    drawn = np.random.default_rng(0).standard_normal(_BLOCK, dtype=np.float32) * np.float32(0.02)
    header, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + prod(shape) * (4 if wide else 2)
        header[name] = {"dtype": "F32" if wide else "BF16", "shape": list(shape), "data_offsets": [begin, end]}
    said = json.dumps(header).encode()
    (folder / "config.json").write_text(json.dumps(config))
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(said).to_bytes(8, "little") + said)
        for name, shape in shapes.items():
            numbers = np.resize(drawn, prod(shape))
            numbers = numbers + 1 if len(shape) == 1 and "bias" not in name else numbers
            file.write(numbers.tobytes() if wide else (numbers.view(np.uint32) >> 16).astype(np.uint16).tobytes())
    return folder


# By hand


class StraightLine:
    """GPT-2, Llama or Qwen 3 as one would write them by hand, with a cache; it reads one word, or several, further."""

    def __init__(self, state: State, config: Mapping[str, Any], room: int) -> None:
        self.v, self.config, self.n = state.used, config, 0
        first = self.v["decoder.1.self.W_K"]
        self.layers = state.model.layers
        self.cache = np.zeros((self.layers, 2, len(first), room, first.shape[-1]), np.float32)
        half = np.arange(first.shape[-1] // 2)
        angles = np.arange(room)[:, None] / 1e6 ** (half / len(half))
        self.cos, self.sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _norm(self, x: Array, block: str, ending: str = "") -> Array:
        gamma = self.v[f"{block}.gamma{ending}"]
        if self.config["model_type"] == "gpt2" and not ending:
            away = x - x.mean(-1, keepdims=True)
            return (
                away / np.sqrt((away * away).mean(-1, keepdims=True) + np.float32(1e-5)) * gamma
                + self.v[f"{block}.beta"]
            )
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-6)) * gamma

    def _turned(self, x: Array, at: slice) -> Array:
        half, cos, sin = x.shape[-1] // 2, self.cos[at], self.sin[at]
        one, other = x[..., :half], x[..., half:]
        return np.concatenate([one * cos - other * sin, other * cos + one * sin], -1)

    def read(self, words: list[int]) -> Array:
        """The logits behind the words, (n_words,)."""
        v, plain = self.v, self.config["model_type"] == "gpt2"
        at = slice(self.n, self.n + len(words))
        x = v["input.table"][words]
        if plain:
            x = x + v["input.places"][at]
        hidden = np.where(np.tri(len(words), at.stop, at.start, dtype=bool), np.float32(0), np.float32(-np.inf))
        for layer in range(1, self.layers + 1):
            block, (K, V) = f"decoder.{layer}.self", self.cache[layer - 1]
            read = self._norm(x, block)
            made = [read @ v[f"{block}.W_{letter}"] for letter in "QKV"]
            if plain:
                made = [one + v[f"{block}.b_{letter}"][:, None] for one, letter in zip(made, "QKV", strict=True)]
            Q, key, value = made
            if self.config["model_type"] == "qwen3":
                Q, key = self._norm(Q, block, "_Q"), self._norm(key, block, "_K")
            if not plain:
                Q, key = self._turned(Q, at), self._turned(key, at)
            K[:, at], V[:, at] = key, value
            of_group = Q.reshape(len(K), -1, Q.shape[-1])  # the heads that share one of keys
            scores = (of_group @ K[:, : at.stop].mT * np.float32(Q.shape[-1] ** -0.5)).reshape(len(Q), len(words), -1)
            scores = scores + hidden
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            heads = (shares.reshape(len(K), -1, at.stop) @ V[:, : at.stop]).reshape(Q.shape)
            said = heads.swapaxes(0, 1).reshape(len(words), -1) @ v[f"{block}.W_O"]
            x = x + (said + v[f"{block}.b_O"] if plain else said)
            block = f"decoder.{layer}.ffn"
            read = self._norm(x, block)
            h = read @ v[f"{block}.W_1"]
            if plain:
                h = h + v[f"{block}.b_1"]
                a = 0.5 * h * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (h + 0.044715 * (h * h * h))))
                x = x + (a @ v[f"{block}.W_2"] + v[f"{block}.b_2"])
            else:
                gate = read @ v[f"{block}.W_g"]
                x = x + (gate / (1 + np.exp(-gate)) * h) @ v[f"{block}.W_2"]
        self.n = at.stop
        logits: Array = self._norm(x, "final") @ v["input.table"].T
        return logits[-1]


# Measuring


class Large:
    """One of them, opened."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.config, shapes = MODELS[name]()
        with TemporaryDirectory() as kept:
            folder = written(Path(kept), self.config, shapes)
            file, held_before = folder / "model.safetensors", held()
            # What a person waits: tensors are read side by side. What others on the machine take, both are kept from.
            self.reading = timed(lambda: np.fromfile(file, np.uint8))
            busy = process_time()
            self.opening = timed(lambda: self._open(folder))
            self.worked = process_time() - busy
        self.held = held() - held_before
        self.weights = sum({id(one): one.nbytes for one in self.state.inputs.values()}.values()) / 2**20

    def _open(self, folder: Path) -> None:
        _, self.state = opened(folder)
        self.document = Document(self.state)
        page(View.of(self.document), self.state.graph.stages[0])

    def both(self, room: int) -> tuple[Decoder, StraightLine]:
        """A decoder with a cache, and the same by hand; they say the same."""
        decoder, straight = decoder_of(self.state, room), StraightLine(self.state, self.config, room)
        words = list(range(PROMPT))
        np.testing.assert_allclose(decoder.read(words), straight.read(words), rtol=1e-3, atol=1e-4)
        return decoder, straight


def held() -> float:
    """MB that this process holds and that are no pages of files; 0 where that cannot be asked."""
    gc.collect()
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0.0
    return next(float(row.split()[1]) for row in status.read_text().splitlines() if row.startswith("RssAnon")) / 1024


def opening(large: Callable[[], Large]) -> Measurement:
    """From a folder to its first page."""
    one = large()
    name, limit = f"{one.name} opened to its first page", OPENING_S + one.reading
    detail = f"{one.worked:.1f} s of processor time"
    return Measurement(name, one.opening, "s", limit, "2 s and reading its bytes once", detail)


def memory(large: Callable[[], Large]) -> Measurement:
    """What it holds once it is open."""
    one = large()
    detail = f"its weights are {one.weights:,.0f} MB"
    return Measurement(f"{one.name} held", one.held, "MB", one.weights + MORE_MB, "weights as float32 + 400 MB", detail)


def cached_word(large: Callable[[], Large]) -> Measurement:
    """A word that is read with the cache, behind a prompt."""
    decoder, straight = large().both(PROMPT + READ)

    def read_on(one: Decoder | StraightLine) -> None:
        one.n = PROMPT
        for word in range(READ):
            one.read([word])

    return compared(
        f"{large().name}, {READ} words one by one behind {PROMPT}",
        lambda: read_on(decoder),
        lambda: read_on(straight),
        CACHED,
        "straight-line numpy with a cache",
        pairs=9,
        warm_up=1,
    )


def prompt(large: Callable[[], Large]) -> Measurement:
    """A prompt that is read at once."""
    decoder, straight = large().both(PROMPT)
    words = list(range(PROMPT))

    def read(one: Decoder | StraightLine) -> None:
        one.n = 0
        one.read(words)

    return compared(
        f"{large().name}, a prompt of {PROMPT} words",
        lambda: read(decoder),
        lambda: read(straight),
        WHOLE,
        "straight-line numpy",
        pairs=9,
        warm_up=1,
    )


def edit(large: Callable[[], Large]) -> Measurement:
    """How many of the nodes that an edit in a layer recomputes stand in front of it: none may."""
    one = large()
    layer = one.state.model.layers // 2
    start = Engine()
    start.update(one.state.graph, one.state.used, {})
    name = f"decoder.{layer}.self.W_O"
    weights = one.state.inputs[name] + np.float32(1)
    found = start.update(one.state.graph, {**one.state.used, name: weights}, {}).recomputed
    order = {node: i for i, node in enumerate(one.state.graph.nodes)}
    before = sum(order[node] < order[name] for node in found)
    detail = f"{len(found)} of {len(order)} nodes recomputed"
    return Measurement(f"{one.name}, an edit in layer {layer}", before, "nodes", 0, "none before the layer", detail)


def grown(large: Callable[[], Large]) -> Measurement:
    """By how much memory grows while words are written, besides the cache.

    They are written twice: the system gives the cache its pages when they are first written to.
    """
    decoder, _ = large().both(PROMPT + WRITTEN)
    before = 0.0
    for _ in range(2):
        decoder.n, before = PROMPT, held()
        for word in range(WRITTEN):
            decoder.read([word])
    name = f"{large().name}, memory over {WRITTEN} written words"
    return Measurement(name, max(held() - before, 0.0), "MB", FLAT_MB, "none", "in the cache of as many")


def figures() -> Iterator[Callable[[], Measurement]]:
    """All of them, of one model after the other; each is made when it is first measured."""
    for name in MODELS:
        large = lru_cache(1)(partial(Large, name))
        for measure in (opening, memory, cached_word, prompt, edit, grown):
            made = partial(measure, large)
            made.__name__ = f"{measure.__name__.replace('_', ' ')} of {name}"  # type: ignore[attr-defined]
            yield made
