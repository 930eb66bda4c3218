"""A plan says which switches an architecture has, and which tensor each of our nodes; and the parts that several have.

A field missing in a config has the default of transformers 5.23 (`configuration_*.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
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


def rotary(c: Config, width: int, part: float, theta: float = 10000.0, odd: bool = False, of: str = "") -> Switches:
    """Rotary positions, from the fields of older or newer configs.

    `odd`: whether the width may be odd. `of`: the kind of layers, where a config says them of each kind.
    """
    newer, older = c.fields("rope_parameters"), c.fields("rope_scaling")
    newer = newer.get(of, newer)
    if not isinstance(newer, dict):
        raise c.wrong(f"says of the rotary positions of {of} something that is not known here")
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


def windows(
    c: Config, kinds: Sequence[str], window: int, names: tuple[str, str] = ("full_attention", "sliding_attention")
) -> Switches:
    """The window of each layer, given the names of layers without and with a window."""
    if len(kinds) != c.whole("num_hidden_layers", len(kinds), most=1000) or not set(names).issuperset(kinds):
        raise c.wrong("does not say of each layer whether it has a window")
    return {f"decoder.{k}.self.window": window if kind == names[1] else 0 for k, kind in enumerate(kinds, 1)}


def without_weights() -> dict[str, Source]:
    """The sources of norms without γ and β."""
    return {f"{block}.{x}": Source("") for block in ("self", "ffn", "final") for x in ("gamma", "beta")}
