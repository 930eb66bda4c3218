"""A config.json, read with a check of each field, becomes a plan; and parts that plans of several architectures have.

A plan says which switches an architecture has, and which tensor each of our nodes. A field missing in a config has the
default of transformers 5.23 (`configuration_*.py`).
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
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
MOST_BYTES = 10_000_000
AGAIN, CORRECT = "get the file again", "correct it, or get the file again"
OTHER = "choose another model"
OTHER_TYPE = "get the model in float16, bfloat16 or float32, or as a GGUF file"
TOGETHER = "get its config.json and its weights again, both of the same model"
"""What people can do about a problem."""
_MOST = sys.float_info.max
_CHANGES_NOTHING = (
    *("_name_or_path", "architectures", "auto_map", "dtype", "torch_dtype", "model_type", "transformers_version"),
    *("use_cache", "pretraining_tp", "task_specific_params", "id2label", "label2id", "return_dict", "problem_type"),
    *("gradient_checkpointing", "is_decoder", "is_encoder_decoder", "add_cross_attention"),
    *("cross_attention_hidden_size", "n_ctx", "max_position_embeddings", "max_sequence_length"),
    *("vocab_size", "finetuning_task", "use_bfloat16"),
    *("reorder_and_upcast_attn", "embed_dim", "prefix", "language", "tokenizer_class", "cache_implementation"),
    *("partial_rotary_factor", "rope_theta", "rope_scaling", "rope_parameters", "max_window_layers", "name_or_path"),
    # In files of SmolLM 2 and older ones of BERT; other tools write them into files of Llama and similar models.
    *("is_llama_config", "directionality", "model_max_length", "_attn_implementation_autoset", "_num_labels"),
    *("_attn_implementation", "attn_implementation", "chunk_size_feed_forward", "torchscript", "tie_weights_"),
    # How texts are generated, in older files.
    *("max_length", "min_length", "do_sample", "early_stopping", "num_beams", "num_beam_groups", "temperature"),
    *("top_k", "top_p", "typical_p", "repetition_penalty", "length_penalty", "diversity_penalty", "bad_words_ids"),
    *("no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "num_return_sequences", "remove_invalid_values"),
    *("suppress_tokens", "begin_suppress_tokens", "exponential_decay_length_penalty"),
)
_ENDINGS = (
    *("_token_id", "_dropout", "_dropout_prob", "dropout_rate", "_pdrop", "_range", "_std", "_factor_init"),
    *("layerdrop", "dropout", "_first_dropout"),
)
_BEGINNINGS = (
    *("summary_", "output_", "initializer_", "init_", "initializer_factor", "router_aux", "torch_", "classifier_"),
    *("pooler_", "transformers.js", "unsloth_"),
)


class Config:
    """The fields of a config.json.

    Raises `ExplorerError`: "checkpoint" if the file is not a config, or if a field that is read is wrong.
    """

    _fields: dict[str, Any]

    def __init__(self, file: Path, fields: dict[str, Any] | None = None) -> None:
        """`fields`: the content, if the file need not be read."""
        self._file, self._asked = file, set[str]()
        if fields is not None:
            self._fields = fields
            return
        try:
            if file.stat().st_size > MOST_BYTES:
                raise self.wrong("is larger than a config can be", AGAIN)
            found = json.loads(file.read_bytes())
        except json.JSONDecodeError as error:
            raise self.wrong(f"is no JSON: see line {error.lineno}, column {error.colno}") from None
        except RecursionError:
            raise self.wrong("is nested too deep") from None
        except ValueError:  # letters that are not UTF-8, or a number of thousands of digits
            raise self.wrong("has letters or numbers that cannot be read") from None
        if not isinstance(found, dict):
            raise self.wrong("is a list, not fields with names")
        self._fields = found

    def wrong(self, problem: str, remedy: str = CORRECT) -> ExplorerError:
        """The error for this problem of the file, with what people can do."""
        return ExplorerError("checkpoint", file=str(self._file), problem=problem, remedy=remedy)

    def unknown(self, problem: str, more: str = "") -> ExplorerError:
        """The error for what a file says rightly, but the program does not know."""
        return self.wrong(f"{problem}, which is not known here{more}", OTHER)

    def has(self, *names: str) -> bool:
        """Whether one of these fields has a value other than null."""
        return any(self._fields.get(name) is not None for name in names)

    @property
    def room(self) -> int:
        """How many words a text has that the model was made for; 0 if it is not said."""
        return room_said(self._fields.get("max_position_embeddings"))

    def __contains__(self, name: str) -> bool:
        """Whether the field exists, even if it is null."""
        return name in self._fields

    def known(self, name: str) -> None:
        """Mark a field as known, whatever its value."""
        self._asked.add(name)

    def is_one_of(self, name: str, known: dict[str, str]) -> bool:
        """Whether a field has one of the known values."""
        found = self._fields.get(name)
        return isinstance(found, str) and found in known

    def _get(self, name: str) -> Any:
        self._asked.add(name)
        return self._fields.get(name)

    def whole(self, name: str, default: int | None = None, least: int = 1, most: int = 2**24) -> int:
        """A whole number; required if there is no default."""
        found = self._get(name)
        if found is None:
            if default is None:
                raise self.wrong(f"does not say {name}")
            return default
        if type(found) is not int or not least <= found <= most:
            raise self.wrong(f"says {name} is {_short(found)}, not a whole number from {least} to {most}")
        return found

    def number(self, name: str, default: float, within: "dict[str, Any] | None" = None) -> float:
        """A number above 0."""
        found = self._get(name) if within is None else within.get(name)
        if found is None:
            return default
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 < found <= _MOST:
            raise self.wrong(f"says {name} is {_short(found)}, not a number above 0")
        return float(found)

    def _checked(self, name: str, right: Callable[[Any], bool], needed: str) -> Any:
        """A field; None if it is absent or null."""
        found = self._get(name)
        if found is not None and not right(found):
            raise self.wrong(f"says {name} is {_short(found)}, not {needed}")
        return found

    def flag(self, name: str, default: bool) -> bool:
        """A truth value."""
        found = self._checked(name, lambda found: isinstance(found, bool), "true or false")
        return default if found is None else bool(found)

    def choice(self, name: str, default: str, known: dict[str, str]) -> str:
        """One of the known words, translated into our name."""
        found = self._get(name)
        word = default if found is None else found
        if not isinstance(word, str) or word not in known:
            raise self.unknown(f"says {name} is {_short(word)}", f" (known are {', '.join(known)})")
        return known[word]

    def fields(self, name: str) -> dict[str, Any]:
        """The fields inside a field; empty if it is absent."""
        return self._checked(name, lambda found: isinstance(found, dict), "fields with names") or {}

    def lists(self, name: str, default: list[Any], of: type = object, needed: str = "a list") -> list[Any]:
        """A list, by default of any values."""

        def right(found: Any) -> bool:
            return isinstance(found, list) and (of is object or all(type(one) is of for one in found))

        found = self._checked(name, right, needed)
        return default if found is None else found

    def words(self, name: str) -> list[str]:
        """A list of words; empty if it is absent."""
        return self.lists(name, [], str, "a list of words")

    def wholes(self, name: str) -> list[int]:
        """A list of whole numbers; empty if it is absent."""
        return self.lists(name, [], int, "a list of whole numbers")

    def fixed(self, name: str, value: Any) -> None:
        """Check a field of which only one value is supported."""
        found = self._get(name)
        if found is not None and found != value:
            raise self.unknown(f"says {name} is {_short(found)}", f" (only {_short(value)} is)")

    def check_rest(self) -> None:
        """Check that no unread field can change the numbers."""
        for name, value in self._fields.items():
            known = name in self._asked or name in _CHANGES_NOTHING
            known = known or name.endswith(_ENDINGS) or name.startswith(_BEGINNINGS)
            if name == "layer_types" and isinstance(value, list):  # of a model without windows
                known = known or all(kind == "full_attention" for kind in value)
            if not known and value not in (None, False, [], {}):
                raise self.unknown(f"says {_short(name)} is {_short(value)}", " and may change the numbers")


def room_said(found: Any) -> int:
    """How many words a text has, as a file says it; 0 if it says none, or more than any text has."""
    return found if type(found) is int and 0 < found < 2**32 else 0


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


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

    def varied(self, switches: Switches, nodes: Mapping[str, Source] | None = None) -> "Plan":
        """The plan with some switches and nodes changed or added."""
        return replace(self, switches={**self.switches, **switches}, nodes={**self.nodes, **(nodes or {})})


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
        return own if array.ndim == 1 else own.swapaxes(-1, -2)

    return turn


# Parts of several architectures


def linear(nodes: dict[str, Source], node: str, tensor: str, bias: str = "", turn: Turn = transposed) -> None:
    """A layer's weights and, if `bias` names a node, its bias."""
    nodes[node] = Source(f"{tensor}.weight", turn)
    if bias:
        nodes[bias] = Source(f"{tensor}.bias", turn if turn is not transposed else as_it_is)


def norm_of(nodes: dict[str, Source], block: str, tensor: str, ending: str = "") -> None:
    """The γ and β of a norm."""
    nodes[f"{block}.gamma{ending}"] = Source(f"{tensor}.weight")
    nodes[f"{block}.beta{ending}"] = Source(f"{tensor}.bias")


def norms(nodes: dict[str, Source], final: str, attention: str, net: str) -> None:
    """The last norm of a GPT, and those of the two blocks of a layer."""
    for block, tensor in (("final", final), ("self", attention), ("ffn", net)):
        norm_of(nodes, block, tensor)


def attention_of(
    nodes: dict[str, Source], block: str, tensors: Sequence[str], heads: int, biases: str = "QKVO", key_heads: int = 0
) -> None:
    """Queries, keys, values and W_O of an attention, from as many tensors; `biases`: which of them have one."""
    for letter, tensor in zip("QKVO", tensors, strict=False):
        turn = transposed if letter == "O" else by_head(key_heads or heads if letter in "KV" else heads)
        linear(nodes, f"{block}.W_{letter}", tensor, f"{block}.b_{letter}" if letter in biases else "", turn)


def two_layers(nodes: dict[str, Source], first: str, second: str, turn: Turn = transposed, block: str = "ffn") -> None:
    """The weights and biases of a net that is not gated."""
    for number, tensor in (("1", first), ("2", second)):
        linear(nodes, f"{block}.W_{number}", tensor, f"{block}.b_{number}", turn)


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
        raise c.unknown(f"says something of the rotary positions of {of}")
    kind = newer.get("rope_type") or older.get("rope_type") or older.get("type") or "default"
    base = c.number("rope_theta", c.number("rotary_emb_base", theta))
    base = c.number("rope_theta", c.number("rope_theta", base, older), newer)
    share = c.number("partial_rotary_factor", c.number("rotary_pct", part))
    share = c.number("partial_rotary_factor", c.number("partial_rotary_factor", share, older), newer)
    found: Switches = {"input.positions": "rotary", "input.rotary_pairs": "halves", "input.rotary_base": base}
    turned = int(width * min(share, 2))
    if share == 1 and width % 2:
        raise c.wrong(f"has heads of {width} numbers, of which all turn in pairs")
    if share != 1 and (part == 1 or not 0 < turned <= width or (turned % 2 and not odd)):
        raise c.unknown(f"says {share:g} of the {width} dimensions of a head turn")
    if share != 1:
        found["input.rotary_width"] = turned
    scaling = newer if newer.get("rope_type") else older
    if not isinstance(kind, str) or kind not in _ROTARY:
        raise c.unknown(f"says the rotary positions are of the type {str(kind)[:40]!r}")
    for said in (newer, older):
        for name, value in said.items():
            known = (*_ROTARY[kind], "rope_type", "type", "rope_theta", "partial_rotary_factor")
            if name not in known and value is not None:
                raise c.unknown(f"says {str(name)[:40]!r} of the rotary positions")
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
