"""One decoder in numpy, written from the papers and from what configs of the Hugging Face hub mean: eleven kinds of it.

It shares nothing with the program: what both say is right, or wrong in the same way twice.
"""

import math

import numpy as np

from tests.checkpoints.lines import gelu, gelu_tanh, layer_norm, linear, rms_norm, silu, softmax

KINDS = (
    *("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2"),
    *("gemma3_text", "olmo", "olmo2", "mixtral", "qwen3_moe"),
)
ACTIVATIONS = {"silu": silu, "gelu": gelu, "gelu_pytorch_tanh": gelu_tanh, "relu": lambda x: np.maximum(x, 0)}
BEFORE, AFTER = "input_layernorm", "post_attention_layernorm"
BEFORE_NET, AFTER_NET = "pre_feedforward_layernorm", "post_feedforward_layernorm"
NORMS = {
    "olmo": (),
    "olmo2": (AFTER, AFTER_NET),
    **dict.fromkeys(("gemma2", "gemma3_text"), (BEFORE, AFTER, BEFORE_NET, AFTER_NET)),
}
"""The norms of a layer; of other kinds, one before the attention and one before the net."""
EPSILON, BASE = {"mixtral": 1e-5, "olmo2": 1e-5}, {"mixtral": 1e6}
"""What a config means that says no ε of its norms, or no base of its rotary positions; else 1e-6 and 10 000."""
HEAD_NORMS = ("qwen3", "qwen3_moe", "gemma3_text")
"""Kinds with a norm of each head's queries and keys."""


def sizes(config):
    """d_model, heads, heads of keys, d_head."""
    d, heads = config["hidden_size"], config["num_attention_heads"]
    return d, heads, config["num_key_value_heads"], config.get("head_dim", d // heads)


def has_experts(config, k):
    """Whether the net of layer k is many."""
    if config["model_type"] == "mixtral":
        return True
    every = (k + 1) % config.get("decoder_sparse_step", 1) == 0
    return config["model_type"] == "qwen3_moe" and k not in config["mlp_only_layers"] and every


def experts(config):
    """Of a model with experts: where their tensors are, and how its gate, up and down are called."""
    if config["model_type"] == "mixtral":
        return "block_sparse_moe.", ("w1", "w3", "w2")
    return "mlp.", ("gate_proj", "up_proj", "down_proj")


def shapes(config):
    """Its tensors by name."""
    kind, ff, words = config["model_type"], config["intermediate_size"], config["vocab_size"]
    d, heads, few, of_head = sizes(config)
    found = {"model.embed_tokens.weight": (words, d)}
    found |= {} if kind == "olmo" else {"model.norm.weight": (d,)}
    found |= {} if config["tie_word_embeddings"] else {"lm_head.weight": (words, d)}
    for k in range(config["num_hidden_layers"]):
        layer, attention = f"model.layers.{k}.", f"model.layers.{k}.self_attn."
        for letter, shape in {"q": (heads, d), "k": (few, d), "v": (few, d), "o": (d, heads)}.items():
            found[f"{attention}{letter}_proj.weight"] = tuple(n if n == d else n * of_head for n in shape)
            if config.get("attention_bias") or (kind == "qwen2" and letter != "o"):
                found[f"{attention}{letter}_proj.bias"] = found[f"{attention}{letter}_proj.weight"][:1]
        if kind in HEAD_NORMS:
            found |= {f"{attention}{x}_norm.weight": (of_head,) for x in "qk"}
        if kind == "olmo2":
            found |= {f"{attention}q_norm.weight": (heads * of_head,), f"{attention}k_norm.weight": (few * of_head,)}
        found |= {f"{layer}{norm}.weight": (d,) for norm in NORMS.get(kind, (BEFORE, AFTER))}
        nets, hidden = {f"{layer}mlp.{{}}.weight": ("gate_proj", "up_proj", "down_proj")}, ff
        if has_experts(config, k):
            place, names = experts(config)
            hidden = config.get("moe_intermediate_size", ff)
            found[f"{layer}{place}gate.weight"] = (4, d)
            nets = {f"{layer}{place}experts.{e}.{{}}.weight": names for e in range(4)}
        for where, (gate, up, down) in nets.items():
            found |= {where.format(gate): (hidden, d), where.format(up): (hidden, d), where.format(down): (d, hidden)}
            if config.get("mlp_bias"):
                for name in (gate, up, down):
                    found[where.format(name).replace("weight", "bias")] = found[where.format(name)][:1]
    return found


def window(config, k):
    """How many words the attention of layer k sees, or 0 for all."""
    kind, width, layers = config["model_type"], config.get("sliding_window") or 0, config.get("layer_types")
    if layers is not None:
        return width if layers[k] == "sliding_attention" else 0
    if kind in ("gemma2", "gemma3_text"):
        usual = {"gemma2": 2, "gemma3_text": config.get("_sliding_window_pattern", 6)}[kind]
        return width if (k + 1) % config.get("sliding_window_pattern", usual) else 0
    if kind in ("qwen2", "qwen3"):
        return width if config["use_sliding_window"] and k >= config["max_window_layers"] else 0
    return width if kind == "mistral" else 0


def frequencies(config, n, near):
    """Radians that each pair of a head turns from word to word, and the factor of what is turned.

    `n`: the number of words; `near`: whether it is a layer with a window. Su et al. 2021; scaled: Chen et al. 2023
    (linear), NTK-aware (dynamic), Llama 3, Peng et al. 2023 (YaRN).
    """
    d, said = sizes(config)[3], config.get("rope_parameters")
    if said is None:
        said = {
            **config.get("rope_scaling", {}),
            "rope_theta": config.get("rope_theta", BASE.get(config["model_type"], 1e4)),
        }
        if near and config["model_type"] == "gemma3_text":
            said = {"rope_theta": config["rope_local_base_freq"]}
    elif "full_attention" in said:
        said = said["sliding_attention" if near else "full_attention"]
    base, kind, factor = said["rope_theta"], said.get("rope_type", said.get("type", "default")), said.get("factor", 1)
    longest, of_pair = config["max_position_embeddings"], np.arange(0, d, 2) / d
    turns = base**-of_pair
    if kind == "linear":
        return turns / factor, 1
    if kind == "dynamic":
        longer = factor * max(n, longest) / longest - (factor - 1)
        return (base * longer ** (d / (d - 2))) ** -of_pair, 1
    longest = said.get("original_max_position_embeddings", longest)
    if kind == "llama3":
        rounds = longest * turns / (2 * math.pi)  # how often a pair turns round in the text that was trained on
        low, high = said["low_freq_factor"], said["high_freq_factor"]
        fast = np.clip((rounds - low) / (high - low), 0, 1)
        return turns / factor * (1 - fast) + turns * fast, 1
    if kind == "yarn":
        pair = lambda rounds: d * math.log(longest / (2 * math.pi * rounds)) / (2 * math.log(base))  # noqa: E731
        first, last = pair(said.get("beta_fast", 32)), pair(said.get("beta_slow", 1))
        if said.get("truncate", True):
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, d - 1)
        slow = np.clip((np.arange(d // 2) - first) / (last - first if last != first else 0.001), 0, 1)
        grown = lambda by: 0.1 * by * math.log(factor) + 1 if factor > 1 else 1  # noqa: E731
        usual = grown(said["mscale"]) / grown(said["mscale_all_dim"]) if "mscale" in said else grown(1)
        return turns / factor * slow + turns * (1 - slow), said.get("attention_factor", usual)
    return turns, 1


def logits(config, w, ids):
    """What the model says of the word after each; `w`: its tensors by name."""
    kind, d = config["model_type"], config["hidden_size"]
    epsilon = config.get("rms_norm_eps", EPSILON.get(kind, 1e-6))
    one_more = 1 if kind.startswith("gemma") else 0  # a Gemma's γ is stored as the distance from 1

    def norm(x, name):
        gamma = 1 if kind == "olmo" else one_more + w[f"{name}.weight"]
        return layer_norm(x, 1, 0, 1e-5) if kind == "olmo" else rms_norm(x, gamma, epsilon)

    x = w["model.embed_tokens.weight"][ids] * (math.sqrt(d) if one_more else 1)
    for k in range(config["num_hidden_layers"]):
        layer = f"model.layers.{k}."
        read = x if kind == "olmo2" else norm(x, f"{layer}{BEFORE}")
        said = attention(config, w, read, k, norm)
        x = x + (norm(said, f"{layer}{AFTER}") if AFTER_NET in NORMS.get(kind, ()) else said)
        before_net = BEFORE_NET if BEFORE_NET in NORMS.get(kind, ()) else AFTER
        said = net(config, w, x if kind == "olmo2" else norm(x, f"{layer}{before_net}"), k)
        x = x + (norm(said, f"{layer}{AFTER_NET}") if AFTER_NET in NORMS.get(kind, ()) else said)
    words = w["model.embed_tokens.weight" if config["tie_word_embeddings"] else "lm_head.weight"]
    return capped(norm(x, "model.norm") @ words.T, config.get("final_logit_softcapping"))


def capped(x, most):
    return x if most is None else most * np.tanh(x / most)


def attention(config, w, x, k, norm):
    """All heads of layer k, after W_O."""
    kind, name = config["model_type"], f"model.layers.{k}.self_attn."
    _, heads, few, of_head = sizes(config)
    q, key, v = (linear(x, w, f"{name}{letter}_proj") for letter in "qkv")
    if (most := config.get("clip_qkv")) is not None:
        q, key, v = (np.clip(one, -most, most) for one in (q, key, v))
    if kind == "olmo2":
        q, key = norm(q, f"{name}q_norm"), norm(key, f"{name}k_norm")
    width, position = window(config, k), np.arange(len(x))
    behind = position[:, None] - position
    seen = (behind >= 0) & (behind < (width or len(x)))
    turns, factor = frequencies(config, len(x), width > 0)
    angle = np.tile(position[:, None] * turns, 2)
    swap = np.roll(np.eye(of_head), of_head // 2, axis=1) * np.repeat([1, -1], of_head // 2)[:, None]
    turned = lambda one: factor * (one * np.cos(angle) + one @ swap * np.sin(angle))  # noqa: E731
    scale = config.get("query_pre_attn_scalar", of_head) ** -0.5
    found = []
    for head in range(heads):
        mine, its = (slice(i * of_head, (i + 1) * of_head) for i in (head, head // (heads // few)))
        one, other = q[:, mine], key[:, its]
        if kind in HEAD_NORMS:
            one, other = norm(one, f"{name}q_norm"), norm(other, f"{name}k_norm")
        scores = capped(turned(one) @ turned(other).T * scale, config.get("attn_logit_softcapping"))
        found.append(softmax(np.where(seen, scores, -np.inf)) @ v[:, its])
    return linear(np.hstack(found), w, f"{name}o_proj")


def net(config, w, x, k):
    """The feed-forward net of layer k, or the experts that its router takes."""
    act = ACTIVATIONS[config.get("hidden_activation", config.get("hidden_act"))]

    def gated(x, gate, up, down):
        return linear(act(linear(x, w, gate)) * linear(x, w, up), w, down)

    layer = f"model.layers.{k}."
    if not has_experts(config, k):
        return gated(x, *(f"{layer}mlp.{name}_proj" for name in ("gate", "up", "down")))
    place, names = experts(config)
    shares, said = softmax(linear(x, w, f"{layer}{place}gate")), np.zeros_like(x)
    for i, row in enumerate(x):
        best = np.argsort(-shares[i])[: config["num_experts_per_tok"]]
        whole = shares[i][best].sum() if config.get("norm_topk_prob", True) else 1
        for e in best:
            said[i] += shares[i][e] / whole * gated(row, *(f"{layer}{place}experts.{e}.{name}" for name in names))
    return said
