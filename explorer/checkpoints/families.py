"""For each architecture, a table of its switches and of the tensor for each of our nodes.

A field missing in a config has the default of transformers 5.23 (`configuration_*.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import log
from typing import Any

import numpy as np

from explorer.checkpoints.config import Config
from explorer.core.frozen import Frozen
from explorer.core.ops import Array

Switches = dict[str, str | bool | int | float]
Turn = Callable[[Array], Array]
ACTIVATIONS = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_new": "GELU tanh",
    "gelu_pytorch_tanh": "GELU tanh",
    "gelu_python": "GELU",
    "gelu_python_tanh": "GELU tanh",
    "gelu_accurate": "GELU tanh",
    "gelu_fast": "GELU tanh",
    "silu": "SiLU",
    "swish": "SiLU",
    "sigmoid": "sigmoid",
    "linear": "identity",
}
_ROTARY = {
    "default": (),
    "linear": ("factor",),
    "dynamic": ("factor", "original_max_position_embeddings"),
    "llama3": ("factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor"),
    "yarn": (
        *("factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow"),
        *("mscale", "mscale_all_dim", "truncate"),
    ),
}
"""The fields of each type of rotary positions, besides its base."""


def as_it_is(array: Array) -> Array:
    """The `turn` of a tensor that is already in our layout."""
    return array


class Source(Frozen):
    """The tensor of an input, with "{k}" in its name for the layer counted from 0, and how it is converted."""

    tensor: str  # "" for an input without a tensor: a γ of 1, a β of 0
    turn: Turn = as_it_is
    each: int = 0  # how many tensors are stacked, with "{e}" in the name for the number of each; 0 for a single tensor


class Plan(Frozen):
    """A config translated into sizes, switches, and a source for each input.

    Switches and nodes of all layers are named "self.NAME" and "ffn.NAME", those of one stack "encoder.self.NAME", and
    those of one layer "decoder.3.self.NAME". Cross-attention uses the switches of "self" unless it has its own.
    Switches of "input" apply to every sequence.
    """

    d_model: int
    layers: int
    words: int
    switches: Switches
    nodes: dict[str, Source]
    kind: str = "gpt"
    decoder_layers: int = 0  # layers of a decoder whose encoder has another number of them; 0 for the same number
    prefix: str = ""  # the beginning of tensor names, which files of a bare model lack
    head: str = ""  # the beginning of the names of the output's tensors, which an encoder may lack
    # For a tensor that a file may lack, the tensor that then has its numbers.
    otherwise: Mapping[str, str] = field(default_factory=dict)
    written: int = 0  # the size of the decoder's output vocabulary, if it differs from the encoder's


# Conversions of tensors


def transposed(W: Array) -> Array:
    """(d_out, d_in), the layout of stored linear layers, becomes (d_in, d_out)."""
    return W.T


def by_head(n: int) -> Turn:
    """(n · d, d_model) becomes (n, d_model, d); a bias (n · d,) becomes (n, d)."""

    def turn(W: Array) -> Array:
        return W.reshape(n, -1) if W.ndim == 1 else W.reshape(n, -1, W.shape[-1]).swapaxes(-1, -2)

    return turn


def one_of_three(i: int, axis: int, then: Turn) -> Turn:
    """Queries, keys or values out of a tensor that has the three side by side."""
    return lambda array: then(np.split(array, 3, axis)[i])


def interleaved(i: int, heads: int) -> Turn:
    """Queries, keys or values of GPT-NeoX, stored as [head][q, k, v][d]."""

    def turn(array: Array) -> Array:
        own = array.reshape(heads, 3, -1, *array.shape[1:])[:, i]
        return by_head(heads)(own.reshape(-1, *array.shape[1:]))

    return turn


# Parts of several architectures


def linear(nodes: dict[str, Source], node: str, tensor: str, bias: str = "", turn: Turn = transposed) -> None:
    """A layer's weights and, if `bias` names a node, its bias."""
    nodes[node] = Source(f"{tensor}.weight", turn)
    if bias:
        nodes[bias] = Source(f"{tensor}.bias", turn if turn is not transposed else lambda b: b)


def norm_of(nodes: dict[str, Source], block: str, tensor: str, ending: str = "") -> None:
    """The γ and β of a norm."""
    nodes[f"{block}.gamma{ending}"] = Source(f"{tensor}.weight")
    nodes[f"{block}.beta{ending}"] = Source(f"{tensor}.bias")


def norms(nodes: dict[str, Source], final: str, attention: str, net: str) -> None:
    """The last norm of a GPT, and those of the two blocks of a layer."""
    for block, tensor in (("final", final), ("self", attention), ("ffn", net)):
        norm_of(nodes, block, tensor)


def attention_of(nodes: dict[str, Source], block: str, tensors: Sequence[str], heads: int, bias: bool = True) -> None:
    """Queries, keys, values and W_O of an attention, from four tensors."""
    for letter, tensor in zip("QKV", tensors, strict=False):
        linear(nodes, f"{block}.W_{letter}", tensor, f"{block}.b_{letter}" * bias, by_head(heads))
    linear(nodes, f"{block}.W_O", tensors[3], f"{block}.b_O" * bias)


def projections(nodes: dict[str, Source], prefix: str, heads: int, key_heads: int, bias: bool) -> None:
    """Queries, keys and values of all layers, from tensors named q_proj, k_proj and v_proj."""
    for letter, n in (("Q", heads), ("K", key_heads), ("V", key_heads)):
        tensor = f"{prefix}{letter.lower()}_proj"
        linear(nodes, f"self.W_{letter}", tensor, f"self.b_{letter}" if bias else "", by_head(n))


def two_layers(nodes: dict[str, Source], first: str, second: str, turn: Turn = transposed, block: str = "ffn") -> None:
    """The weights and biases of a net that is not gated."""
    for number, name in (("1", first), ("2", second)):
        nodes[f"{block}.W_{number}"] = Source(f"{name}.weight", turn)
        nodes[f"{block}.b_{number}"] = Source(f"{name}.bias")


def everywhere(
    name: str, value: str | bool | int | float, blocks: tuple[str, ...] = ("self", "ffn", "final")
) -> Switches:
    """The same value of a switch in several blocks."""
    return {f"{block}.{name}": value for block in blocks}


def sizes(c: Config, width: str, heads: str, usual: tuple[int, int] = (768, 12)) -> tuple[int, int]:
    """The width of a model and its number of heads, which divides it, from the fields with these names."""
    d, n = c.whole(width, usual[0], most=65536), c.whole(heads, usual[1], most=128)
    if d % n:
        raise c.wrong(f"has {n} heads, which do not divide {d}")
    return d, n


def heads_of(c: Config, width: int) -> tuple[int, int]:
    """The number of heads, and the width of one."""
    n = c.whole("num_attention_heads", most=128)
    if width % n and not c.has("head_dim"):
        raise c.wrong(f"has {n} heads, which do not divide {width}, and says no head_dim")
    return n, c.whole("head_dim", width // n or None, most=16384)


def rotary(c: Config, width: int, part: float, theta: float = 10000.0, odd: bool = False) -> Switches:
    """Rotary positions, from the fields of older or newer configs; `odd`: whether the width may be odd."""
    newer, older = c.fields("rope_parameters"), c.fields("rope_scaling")
    kind = newer.get("rope_type") or older.get("rope_type") or older.get("type") or "default"
    base = c.number("rope_theta", c.number("rotary_emb_base", theta))
    base = c.number("rope_theta", c.number("rope_theta", base, older), newer)
    share = c.number("partial_rotary_factor", c.number("rotary_pct", part))
    share = c.number("partial_rotary_factor", c.number("partial_rotary_factor", share, older), newer)
    found: Switches = {"input.positions": "rotary", "input.rotary_pairs": "halves", "input.rotary_base": base}
    turned = int(width * min(share, 2))
    if share != 1 and (part == 1 or not 0 < turned <= width or (turned % 2 and not odd)):
        raise c.wrong(f"says {share:g} of the {width} dimensions of a head turn, which is not known here")
    if share != 1:
        found["input.rotary_width"] = turned
    scaling = newer if newer.get("rope_type") else older
    if not isinstance(kind, str) or kind not in _ROTARY:
        raise c.wrong(f"says the rotary positions are of the type {str(kind)[:40]!r}, which is not known here")
    for said in (newer, older):
        for name, value in said.items():
            known = (*_ROTARY[kind], "rope_type", "type", "rope_theta", "partial_rotary_factor")
            if name not in known and value is not None:
                raise c.wrong(f"says {str(name)[:40]!r} of the rotary positions, which is not known here")
    match kind:
        case "default":
            return found
        case "linear" | "dynamic":
            room = c.whole("max_position_embeddings", 2048)
            more: Switches = {
                "rotary_scaling": kind,
                "rotary_factor": c.number("factor", 1.0, scaling),
                "rotary_room": room,
            }
        case "yarn":
            more = _yarn(c, scaling)
        case _:
            room = int(c.number("original_max_position_embeddings", 8192, scaling))
            more = {
                "rotary_scaling": "llama 3",
                "rotary_factor": c.number("factor", 8.0, scaling),
                "rotary_room": room,
                "rotary_low": c.number("low_freq_factor", 1.0, scaling),
                "rotary_high": c.number("high_freq_factor", 4.0, scaling),
            }
    return found | {f"input.{name}": value for name, value in more.items()}


def _yarn(c: Config, said: dict[str, Any]) -> Switches:
    """YaRN (Peng et al. 2024): without `attention_factor`, the stretch of rotated vectors follows from the factor."""
    if said.get("factor") is None:
        raise c.wrong("says the rotary positions are of the type 'yarn', but not by which factor")
    factor = c.number("factor", 1.0, said)
    room = int(c.number("original_max_position_embeddings", c.whole("max_position_embeddings", 2048), said))

    def longer(weight: float) -> float:
        return 0.1 * weight * log(factor) + 1 if factor > 1 else 1.0

    both = said.get("mscale") and said.get("mscale_all_dim")
    one, all_ = c.number("mscale", 1.0, said if both else {}), c.number("mscale_all_dim", 1.0, said if both else {})
    if not isinstance(said.get("truncate", True), bool):
        raise c.wrong("says truncate of the rotary positions is neither true nor false")
    return {
        "rotary_scaling": "yarn",
        "rotary_factor": factor,
        "rotary_room": room,
        "rotary_low": c.number("beta_slow", 1.0, said),
        "rotary_high": c.number("beta_fast", 32.0, said),
        "rotary_stretch": c.number("attention_factor", longer(one) / longer(all_) if both else longer(1.0), said),
        "rotary_rounded": said.get("truncate", True),
    }


# Llama and similar models


def llama(
    c: Config,
    by: str = "RMS norm",
    norm: str = "pre",
    activation: str = "hidden_act",
    head_dim: int = 0,
    theta: float = 10000.0,
    epsilon: float = 1e-6,
) -> Plan:
    """Llama (Touvron et al. 2023): RMS norm before each block, rotary positions in halves, SwiGLU, shared key heads."""
    d = c.whole("hidden_size", most=65536)
    heads, width = heads_of(c, d)
    width = c.whole("head_dim", head_dim or width, most=16384)
    key_heads = c.whole("num_key_value_heads", heads, most=128)
    if heads % key_heads:
        raise c.wrong(f"has {heads} heads, which cannot share {key_heads} heads of keys")
    known = {**ACTIVATIONS, "gelu": "GELU tanh"} if activation == "hidden_act" and "γ" in by else ACTIVATIONS
    bias, mlp_bias = c.flag("attention_bias", False), c.flag("mlp_bias", False)
    tied = c.flag("tie_word_embeddings", "γ" in by)
    switches: Switches = {
        **rotary(c, width, 1.0, theta),
        "self.heads": heads,
        "self.d_k": width,
        "self.key_heads": key_heads if key_heads != heads else 0,
        "self.bias": bias,
        "self.bias_O": bias,
        **everywhere("norm", norm, ("self", "ffn")),
        **everywhere("norm_by", by),
        **everywhere("epsilon", c.number("rms_norm_eps", epsilon)),
        "ffn.gated": True,
        "ffn.bias": mlp_bias,
        "ffn.d_ff": c.whole("intermediate_size", most=65536),
        "ffn.activation": c.choice(activation, "gelu_pytorch_tanh" if "γ" in by else "silu", known),
        "output.bias": False,
        "output.tied": tied,
    }
    layer = "model.layers.{k}."
    nodes = {"input.table": Source("model.embed_tokens.weight"), "final.gamma": Source("model.norm.weight")}
    linear(nodes, "output.W", "lm_head")
    projections(nodes, f"{layer}self_attn.", heads, key_heads, bias)
    linear(nodes, "self.W_O", f"{layer}self_attn.o_proj", "self.b_O" if bias else "")
    for node, name in (("1", "up"), ("g", "gate"), ("2", "down")):
        linear(nodes, f"ffn.W_{node}", f"{layer}mlp.{name}_proj", f"ffn.b_{node}" if mlp_bias else "")
    nodes["self.gamma"] = Source(f"{layer}input_layernorm.weight")
    nodes["ffn.gamma"] = Source(f"{layer}post_attention_layernorm.weight")
    layers, words = c.whole("num_hidden_layers", most=1000), c.whole("vocab_size")
    return Plan(d, layers, words, switches, nodes, prefix="model.", head="lm_head")


def mistral(c: Config) -> Plan:
    """Mistral 7B (Jiang et al. 2023): Llama with a sliding window that includes the word itself."""
    plan = llama(c)
    window = c.whole("sliding_window", 4096) if c.has("sliding_window") or "sliding_window" not in c else 0
    return replace(plan, switches={**plan.switches, "self.window": window})


def qwen2(c: Config) -> Plan:
    """Qwen 2 (Yang et al. 2024): Llama with biases for queries, keys and values."""
    plan = llama(c)
    nodes = dict(plan.nodes)
    key_heads = c.whole("num_key_value_heads", int(plan.switches["self.heads"]))
    projections(nodes, "model.layers.{k}.self_attn.", int(plan.switches["self.heads"]), key_heads, bias=True)
    return replace(plan, switches={**plan.switches, **_later_windows(c, plan.layers), "self.bias": True}, nodes=nodes)


def _later_windows(c: Config, layers: int) -> Switches:
    """Qwen's windows: only with `use_sliding_window`, from layer `max_window_layers` on, or in the listed layers."""
    window, first = c.whole("sliding_window", 4096, least=0), c.whole("max_window_layers", 28, least=0)
    kinds = c.words("layer_types")
    if not c.flag("use_sliding_window", False):
        if any(kind == "sliding_attention" for kind in kinds):
            raise c.wrong("says layers of sliding_attention, but not use_sliding_window")
        return {}
    if not window or ("sliding_window" in c and not c.has("sliding_window")):
        raise c.wrong("says use_sliding_window, but not how wide the window is")
    return windows(c, kinds or ["full_attention" if k < first else "sliding_attention" for k in range(layers)], window)


def windows(
    c: Config, kinds: Sequence[str], window: int, names: tuple[str, str] = ("full_attention", "sliding_attention")
) -> Switches:
    """The window of each layer, given the names of layers without and with a window."""
    if len(kinds) != c.whole("num_hidden_layers", len(kinds), most=1000) or not set(names).issuperset(kinds):
        raise c.wrong("does not say of each layer whether it has a window")
    return {f"decoder.{k}.self.window": window if kind == names[1] else 0 for k, kind in enumerate(kinds, 1)}


def qwen3(c: Config) -> Plan:
    """Qwen 3 (Yang et al. 2025): Llama with a norm of queries and keys in each head."""
    plan = llama(c, head_dim=128)
    norms = {f"self.gamma_{x}": Source(f"model.layers.{{k}}.self_attn.{x.lower()}_norm.weight") for x in "QK"}
    switches = {**plan.switches, **_later_windows(c, plan.layers), "self.qk_norm": "each head"}
    return replace(plan, switches=switches, nodes={**plan.nodes, **norms})


def gemma(c: Config) -> Plan:
    """Gemma (2024): Llama with 1 + γ, embeddings times √d_model, GeGLU, and an output tied to the table.

    Its first configs say "gelu" but mean the tanh form, with which it was trained. transformers up to 4.47 and 5.23 use
    that form; the versions between used the exact form, by an error (#49051).
    """
    plan = llama(c, "RMS norm, 1 + γ", head_dim=0 if c.has("head_dim") else 256)
    said = c.choice("hidden_activation", "gelu_pytorch_tanh", ACTIVATIONS)
    if c.has("hidden_activation") and said != plan.switches["ffn.activation"]:
        raise c.wrong("says one activation as hidden_act, and another as hidden_activation")
    return replace(plan, switches={**plan.switches, "input.embedding_scale": True})


def gemma2(c: Config) -> Plan:
    """Gemma 2 (2024): norms on both sides, soft caps, and a window in every other layer, beginning with the first."""
    plan = llama(c, "RMS norm, 1 + γ", "both", "hidden_activation", 0 if c.has("head_dim") else 256)
    c.known("hidden_act")  # in the files of the hub, but ignored
    layer = "model.layers.{k}."
    switches: Switches = {
        **plan.switches,
        "input.embedding_scale": True,
        "self.cap": c.number("attn_logit_softcapping", 50.0 if "attn_logit_softcapping" not in c else 0.0),
        "output.logit_cap": c.number("final_logit_softcapping", 30.0 if "final_logit_softcapping" not in c else 0.0),
        "self.scale_width": c.whole("query_pre_attn_scalar", 256, most=16384),
    }
    kinds = c.words("layer_types") or (["sliding_attention", "full_attention"] * plan.layers)[: plan.layers]
    switches |= windows(c, kinds, c.whole("sliding_window", 4096))
    nodes = {
        **plan.nodes,
        "self.gamma_out": Source(f"{layer}post_attention_layernorm.weight"),
        "ffn.gamma": Source(f"{layer}pre_feedforward_layernorm.weight"),
        "ffn.gamma_out": Source(f"{layer}post_feedforward_layernorm.weight"),
    }
    return replace(plan, switches=switches, nodes=nodes)


def olmo2(c: Config) -> Plan:
    """OLMo 2 (2025): Llama with a norm at the output of each block, and of queries and keys over all heads together."""
    plan = llama(c, norm="output", epsilon=1e-5)
    heads = int(plan.switches["self.heads"])
    key_heads = c.whole("num_key_value_heads", heads)
    layer, nodes = "model.layers.{k}.", dict(plan.nodes)
    del nodes["self.gamma"], nodes["ffn.gamma"]
    nodes["self.gamma_out"] = Source(f"{layer}post_attention_layernorm.weight")
    nodes["ffn.gamma_out"] = Source(f"{layer}post_feedforward_layernorm.weight")
    for letter, n in (("Q", heads), ("K", key_heads)):
        nodes[f"self.gamma_{letter}"] = Source(f"{layer}self_attn.{letter.lower()}_norm.weight", by_head(n))
    return replace(plan, switches={**plan.switches, "self.qk_norm": "all heads"}, nodes=nodes)
