"""Straight lines of numpy that models are held against, and the shapes of their tensors."""

from math import erf

import numpy as np

IDS = [3, 1, 7, 7, 9]
D, HEADS, WORDS = 8, 2, 10


def linear(x, w, name):
    bias = w.get(f"{name}.bias", 0)
    return x @ w[f"{name}.weight"].T + bias


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


def softmax(x):
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def layer_norm(x, gamma, beta, epsilon):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) * gamma + beta


def normed(x, w, name, epsilon):
    return layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"], epsilon)


def rms_norm(x, gamma, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * gamma


def turned(x, theta):
    """Rotary positions, in halves; x (n, d)."""
    half = x.shape[1] // 2
    angles = np.arange(len(x))[:, None] / theta ** (np.arange(half) / half)
    one, other = x[:, :half], x[:, half:]
    return np.hstack([one * np.cos(angles) - other * np.sin(angles), other * np.cos(angles) + one * np.sin(angles)])


def attended(q, k, v, heads, seen, scale, change=lambda head: head):
    """All heads side by side; q, k (n, heads · d), `seen` what may be looked at or what is added to the scores."""
    found = []
    for head, (a, b, c) in enumerate(
        zip(*(np.split(x, heads, 1) for x in (q, k, v)), strict=True),
    ):
        scores = change(a) @ change(b).T * scale
        scores = np.where(seen, scores, -np.inf) if seen.dtype == bool else scores + seen[head]
        found.append(softmax(scores) @ c)
    return np.hstack(found)


CAUSAL = np.tri(len(IDS)) > 0
EVERY = np.ones((len(IDS), len(IDS)), bool)


def same(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-11)


def weights_of(names, ending="weight"):
    return {f"{name}.{ending}": shape for name, shape in names.items()}


def with_bias(names):
    return weights_of(names) | {f"{name}.bias": shape[:1] for name, shape in names.items()}


LLAMA = {
    "hidden_size": D,
    "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS,
    "num_hidden_layers": 2,
    "intermediate_size": 6,
    "vocab_size": WORDS,
}


def llama_shapes(net, norms=("input_layernorm", "post_attention_layernorm"), last=("norm",)):
    shapes = {"model.embed_tokens": (WORDS, D), "lm_head": (WORDS, D), **{f"model.{name}": (D,) for name in last}}
    for k in range(2):
        layer = f"model.layers.{k}."
        shapes |= {f"{layer}self_attn.{x}_proj": (D, D) for x in "qkvo"} | {f"{layer}{name}": (D,) for name in norms}
        shapes |= {f"{layer}{name}": shape for name, shape in net(k).items()}
    return weights_of(shapes)


T5_ATTENTIONS = {"encoder": ("SelfAttention",), "decoder": ("SelfAttention", "EncDecAttention")}


def t5(many):
    """The config of a T5 with gated nets and an output of its own, and the shapes of its tensors.

    `many`: the number of layers of each stack.
    """
    shapes = {"shared": (WORDS, D), "lm_head": (WORDS, D)}
    for stack, attentions in T5_ATTENTIONS.items():
        shapes[f"{stack}.final_layer_norm"] = (D,)
        shapes[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias"] = (4, HEADS)
        for k in range(many[stack]):
            layer = f"{stack}.block.{k}.layer."
            for i, name in enumerate(attentions):
                shapes |= {f"{layer}{i}.{name}.{x}": (D, 6) if x == "o" else (6, D) for x in "qkvo"}
            net = f"{layer}{len(attentions)}.DenseReluDense."
            shapes |= {f"{net}wi_0": (5, D), f"{net}wi_1": (5, D), f"{net}wo": (D, 5)}
            shapes |= {f"{layer}{i}.layer_norm": (D,) for i in range(len(attentions) + 1)}
    config = {"model_type": "t5", "d_model": D, "num_heads": HEADS, "d_kv": 3, "d_ff": 5}
    config |= {"num_layers": many["encoder"], "num_decoder_layers": many["decoder"], "vocab_size": WORDS}
    config |= {"relative_attention_num_buckets": 4, "relative_attention_max_distance": 8, "tie_word_embeddings": False}
    return config | {"feed_forward_proj": "gated-gelu"}, shapes
