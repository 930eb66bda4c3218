"""What a word costs that a model writes: with the key-value cache against straight-line numpy, and without it."""

from collections.abc import Callable

import numpy as np

from benchmarks.core import gpt_state
from benchmarks.measure import Measurement, compared, quartiles, timed
from benchmarks.straight_line import layer_norm, softmax
from explorer.core.decoder import Decoder, Decoding
from explorer.core.ops import Array
from explorer.document.state import State

LAYERS, HEADS, D_MODEL, WORDS, ROOM = 4, 8, 256, 1000, 512
READ = 64
"""Words that one run reads."""
LENGTHS = (32, 128, 480)
LIMIT = 1.3


class StraightLine:
    """The same model as one would write it by hand, with a cache of keys and values for a fixed number of words."""

    def __init__(self, state: State, layers: int) -> None:
        v = state.used
        self.v, self.n = v, 0
        shape = (layers, 2, v["decoder.1.self.W_Q"].shape[0], state.model.lengths["input"], 0)
        d_k = v["decoder.1.self.W_Q"].shape[-1]
        self.cache = np.zeros((*shape[:-1], d_k), np.float32)
        self.layers, self.scale = layers, np.asarray(1 / np.sqrt(d_k), np.float32)
        self.lowest = np.finfo(np.float32).min

    def read(self, word: int) -> Array:
        """The logits behind one more word, (n_words,)."""
        v, n, lowest = self.v, self.n, self.lowest
        x = v["input.table"][word][None] + v["input.PE"][n : n + 1]
        for layer in range(1, self.layers + 1):
            block = f"decoder.{layer}.self"
            K, V = self.cache[layer - 1]
            normed = layer_norm(x, v[f"{block}.gamma"], v[f"{block}.beta"])
            Q = normed @ v[f"{block}.W_Q"] + v[f"{block}.b_Q"][..., None, :]
            K[:, n : n + 1] = normed @ v[f"{block}.W_K"] + v[f"{block}.b_K"][..., None, :]
            V[:, n : n + 1] = normed @ v[f"{block}.W_V"] + v[f"{block}.b_V"][..., None, :]
            scores = Q @ K[:, : n + 1].mT * self.scale  # the new word may look at all words so far
            weights = softmax(scores, lowest)
            x = x + (weights @ V[:, : n + 1]).swapaxes(-3, -2).reshape(1, -1) @ v[f"{block}.W_O"]

            block = f"decoder.{layer}.ffn"
            normed = layer_norm(x, v[f"{block}.gamma"], v[f"{block}.beta"])
            h = normed @ v[f"{block}.W_1"] + v[f"{block}.b_1"][..., None, :]
            a = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi).astype(h.dtype) * (h + 0.044715 * (h * h * h))))
            x = x + (a @ v[f"{block}.W_2"] + v[f"{block}.b_2"][..., None, :])
        normed = layer_norm(x, v["final.gamma"], v["final.beta"])
        self.n += 1
        logits: Array = (normed @ v["output.W"] + v["output.b"][..., None, :])[0]
        return logits


def both(layers: int, heads: int, d_model: int, room: int, words: int) -> tuple[Decoder, StraightLine]:
    """A decoder with a cache, and the same by hand."""
    state = gpt_state(layers, heads, d_model, room, words)
    return Decoder(state.model, state.graph, state.used), StraightLine(state, layers)


def cached_word() -> Measurement:
    """A word that is read with the cache."""
    decoder, straight = both(LAYERS, HEADS, D_MODEL, READ, WORDS)

    def ours() -> None:
        decoder.n = 0
        for word in range(READ):
            decoder.read([word])

    def theirs() -> None:
        straight.n = 0
        for word in range(READ):
            straight.read(word)

    return compared(
        f"{READ} words read one by one with the cache, {LAYERS} layers, d_model {D_MODEL}",
        ours,
        theirs,
        limit=LIMIT,
        against="the same steps in straight-line numpy, with a cache",
        pairs=200,
        warm_up=3,
    )


def growth() -> Measurement:
    """How much longer a word takes far behind than near the beginning, with the cache and without."""
    state = gpt_state(LAYERS, HEADS, D_MODEL, ROOM, WORDS)
    found: dict[bool, list[float]] = {}
    for cache in (True, False):
        found[cache] = []
        for length in LENGTHS:
            decoder = Decoder(state.model, state.graph, state.used, cache)
            decoder.read([1] * length)

            def word(decoder: Decoder = decoder, length: int = length) -> None:
                decoder.n = length
                Decoding().probabilities(decoder.read([2]))

            word()
            times = [timed(word) for _ in range(40 if cache else 8)]
            found[cache].append(quartiles(times)[1])
    said = [
        f"behind {n} words {1 / a:,.0f} a second with it, {1 / b:,.0f} without"
        for n, a, b in zip(LENGTHS, found[True], found[False], strict=True)
    ]
    grown = found[True][-1] / found[True][0]
    name = f"a cached word behind {LENGTHS[-1]} words"
    return Measurement(name, grown, "×", None, f"one behind {LENGTHS[0]}", "; ".join(said))


def figures() -> list[Callable[[], Measurement]]:
    """All of them, each to be called."""
    return [cached_word, growth]
