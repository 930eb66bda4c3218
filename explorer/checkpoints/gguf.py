"""GGUF files (ggml-org/ggml, docs/gguf.md): named facts, then tensors, of which many are quantised.

The facts of an architecture become fields of a config.json, and tensors get the names of the hub, so that the same
tables serve as for a folder. Nothing in a file is trusted: each length is checked against the size of the file.
"""

import mmap
import re
import struct
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from explorer.checkpoints.architectures import ARCHITECTURES
from explorer.checkpoints.checkpoint import (
    HEAD,
    Checkpoint,
    Tensor,
    Told,
    check_no_text,
    check_places,
    damaged,
    put_together,
    written,
    wrong,
)
from explorer.checkpoints.ggml import TYPES, UNREAD
from explorer.checkpoints.plans import OTHER, Config, Plan, room_said
from explorer.checkpoints.tokenizers.fields import wrong as wrong_tokenizer
from explorer.checkpoints.tokenizers.sentencepiece import BYTE, CONTROL, NORMAL, UNKNOWN, USER, by_scores
from explorer.checkpoints.tokenizers.steps import LLAMA_3, QWEN_2
from explorer.checkpoints.tokenizers.tokenizer import Tokenizer, around, from_fields, with_pieces
from explorer.core.errors import ExplorerError

MAGIC = b"GGUF"
MOST_FACTS, MOST_TENSORS, MOST_AXES = 10_000, 100_000, 4
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9

_TENSORS = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_NORMS_ON_BOTH_SIDES = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_ARCHITECTURES = {**{kind: kind for kind in ("llama", "qwen2", "qwen3", "gemma", "gemma2")}, "gemma3": "gemma3_text"}
"""The architectures that are read, each with its `model_type` in a config."""
_BOTH_SIDES = ("gemma2", "gemma3")
_FIELDS = {
    "embedding_length": "hidden_size",
    "block_count": "num_hidden_layers",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "rope.freq_base": "rope_theta",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
    "attention.sliding_window": "sliding_window",
    "attention.sliding_window_pattern": "sliding_window_pattern",
    "rope.freq_base_swa": "rope_local_base_freq",
}
_CHANGES_NOTHING = ("context_length", "vocab_size", "rope.scaling.original_context_length", "rope.scaling.finetuned")


def opened(file: str | Path, dtype: str = "", told: Told | None = None) -> Checkpoint:
    """The model of a file.

    `dtype`, `told`: as in `explorer.checkpoints.opened`.
    Raises an `ExplorerError`: "checkpoint" if it cannot be opened, with what is wrong.
    """
    file = Path(file)
    facts, found = _Reader(file).all()
    if type(parts := facts.get("split.count")) is int and parts > 1:
        problem = f"is one of {parts} parts of a model, which are read here only in one file"
        raise wrong(file, problem, "join them with `llama-gguf-split --merge`")
    kind = facts.get("general.architecture")
    if kind is None:
        raise damaged(file, "does not say of which architecture it is")
    if not isinstance(kind, str) or kind not in _ARCHITECTURES:
        known = ", ".join(_ARCHITECTURES)
        raise wrong(
            file, f"is of the architecture {written(str(kind))}, which is not known here (known are {known})", OTHER
        )
    named = {_name(kind, name): tensor for name, tensor in found.items() if name != "rope_freqs.weight"}
    config = Config(file, _config(file, kind, facts, named))
    plan = ARCHITECTURES[_ARCHITECTURES[kind]](config)
    config.check_rest()
    switches = {  # the file stores γ as the factor itself: 1 + γ
        name: "RMS norm" if value == "RMS norm, 1 + γ" else value for name, value in plan.switches.items()
    }
    if kind == "llama":  # its queries and keys are stored in another order: pairs are neighbours
        switches["input.rotary_pairs"] = "neighbours"
    if "rope_freqs.weight" in found:
        switches |= _longer(file, plan, found["rope_freqs.weight"])
    try:
        made = put_together(file, f"{kind}, GGUF", replace(plan, switches=switches), named, dtype, told)
    except ExplorerError as error:
        error.fields["problem"] = _as_in_file(kind, error.fields["problem"]).replace("its config", "its header")
        raise
    own = {_name(kind, name): name for name in found}
    called = {
        node: replace(one, tensor=own.get(one.tensor.replace("{k}", "0"), "").replace("blk.0.", "blk.{k}."))
        for node, one in made.model.called.items()
    }
    made = replace(made, model=replace(made.model, called=called))
    types = sorted({one.type.name for one in found.values()} - {"F32"})
    notices = [_as_in_file(kind, notice) for notice in made.notices]
    notices += [f"its weights are stored as {', '.join(types)}"] if types else []
    if "tokenizer.ggml.model" in facts:
        model, said = with_pieces(made.model, lambda axis, n: tokenizer_of(facts))
    else:
        model, said = made.model, "it has no tokenizer: words are the numbers of the pieces"
    notices += [said] if said else []
    model = replace(model, room=room_said(facts.get(f"{kind}.context_length")))
    return replace(made, model=model, notices=tuple(notices), architecture=_ARCHITECTURES[kind])


def _config(file: Path, kind: str, facts: Mapping[str, Any], named: Mapping[str, Tensor]) -> dict[str, Any]:
    """The facts as fields of a config.json."""
    own = {name.removeprefix(f"{kind}."): fact for name, fact in facts.items() if name.startswith(f"{kind}.")}
    fields = {field: own.pop(name) for name, field in _FIELDS.items() if name in own}
    table = named.get("model.embed_tokens.weight")
    if table is None or len(table.shape) != 2:
        raise damaged(file, "lacks the tensor token_embd.weight, or has it in another form")
    fields["vocab_size"] = table.shape[0]
    fields["tie_word_embeddings"] = "lm_head.weight" not in named
    if kind != "qwen2":  # it always has them
        fields["attention_bias"] = "model.layers.0.self_attn.q_proj.bias" in named
    if kind == "llama":
        fields["mlp_bias"] = "model.layers.0.mlp.up_proj.bias" in named
        if fields.pop("sliding_window", 0):
            raise wrong(file, "says attention.sliding_window, which is not known here for llama", OTHER)
    else:
        fields["hidden_activation" if kind in _BOTH_SIDES else "hidden_act"] = (
            "gelu_pytorch_tanh" if kind.startswith("gemma") else "silu"
        )
    width = fields.get("head_dim")
    for name in ("attention.value_length", "rope.dimension_count"):
        heads, d = fields.get("num_attention_heads"), fields.get("hidden_size")
        usual = width or (d // heads if type(heads) is int and type(d) is int and heads > 0 else 0)
        if own.pop(name, usual) != usual:
            raise wrong(file, f"says {name} is not the width of a head, which is not known here", OTHER)
    if kind in _BOTH_SIDES:  # as in llama.cpp: the largest models use d_model / heads, others the width of a head
        layers = fields.get("num_hidden_layers")
        fields["query_pre_attn_scalar"] = {46: 144, 62: 168}.get(layers, width or 256) if type(layers) is int else 256
        fields["layer_types"] = None
    scaling = own.pop("rope.scaling.type", "none")
    factor = own.pop("rope.scaling.factor", own.pop("rope.scale_linear", None))
    if scaling == "linear" or (factor not in (None, 1.0) and scaling == "none"):
        fields["rope_scaling"] = {"type": "linear", "factor": factor}
    elif scaling == "yarn":
        room = own.pop("rope.scaling.original_context_length", own.get("context_length"))
        fields["rope_scaling"] = {"type": "yarn", "factor": factor, "original_max_position_embeddings": room}
    elif scaling != "none":
        raise wrong(file, f"says rope.scaling.type is {written(str(scaling))}, which is not known here", OTHER)
    if own.pop("attention.causal", True) is False:  # a model that makes vectors of texts
        raise wrong(file, "says that its words look ahead (attention.causal is false), which is not known here", OTHER)
    for name, fact in own.items():
        if name not in _CHANGES_NOTHING and fact not in (0, False, None):
            said = written(f"{kind}.{name}")
            raise wrong(file, f"says {said}, which is not known here and may change the numbers", OTHER)
    return fields


def _longer(file: Path, plan: Plan, tensor: Tensor) -> dict[str, str | float | int]:
    """Llama 3's factors for longer texts: the file lists one number for each pair; this finds the rule behind them.

    By the rule, a pair that turns s times in `room` words has 1 / factor = share + (1 - share) / most, with a share
    that grows from 0 at s = low to 1 at s = high.
    """
    given = tensor.read("float64").ravel()
    width, base = int(plan.switches["self.d_k"]), float(plan.switches["input.rotary_base"])
    waves = 2 * np.pi * base ** (np.arange(0, width, 2) / width)
    if given.shape != waves.shape or not np.isfinite(given).all() or (given < 1).any():
        raise wrong(file, "has rope_freqs.weight in a form that is not known here", OTHER)
    most, low, high = float(given.max()), 1.0, 4.0
    if most == 1:
        return {}
    share = (1 / given - 1 / most) / (1 - 1 / most)
    within = (share > 1e-6) & (share < 1 - 1e-6)
    rooms = waves * (low + share * (high - low))  # the room that each pair between the two ends implies
    if within.any():
        room = float(np.median(rooms[within]))
    else:  # any room between the last unchanged pair and the first fully changed one
        ends = (rooms[share > 0.5].max(initial=1), rooms[share < 0.5].min(initial=np.inf))
        room = float(min(np.sqrt(ends[0] * ends[1]), 2**40))
    for words in (8192, round(room)):
        part = np.clip((words / waves - low) / (high - low), 0, 1)
        if np.allclose(given, 1 / ((1 - part) / most + part), rtol=1e-5):
            break
    else:
        raise wrong(file, "has rope_freqs.weight by another rule than Llama 3's, which is not known here", OTHER)
    return {
        "input.rotary_scaling": "llama 3",
        "input.rotary_factor": most,
        "input.rotary_room": words,
        "input.rotary_low": low,
        "input.rotary_high": high,
    }


def _named(kind: str) -> dict[str, str]:
    """The hub's name of each tensor, without its layer."""
    return {**_TENSORS, **_NORMS_ON_BOTH_SIDES} if kind in _BOTH_SIDES else _TENSORS


def _as_in_file(kind: str, text: str) -> str:
    """A sentence in which tensors have the names of the file in the place of the hub's."""
    own = {hub: name for name, hub in _named(kind).items()}
    name = re.compile(rf"(?:model\.layers\.(\d+)\.)?\b({'|'.join(map(re.escape, own))})\.(weight|bias)\b")

    def in_file(found: re.Match[str]) -> str:
        layer, hub, end = found.groups()
        return f"{'' if layer is None else f'blk.{layer}.'}{own[hub]}.{end}"

    return name.sub(in_file, text)


def _name(kind: str, name: str) -> str:
    """The hub's name of a tensor; the file's own name if it is not a known tensor."""
    known = _named(kind)
    parts = name.split(".")
    if len(parts) == 4 and parts[0] == "blk" and parts[2] in known:
        return f"model.layers.{parts[1]}.{known[parts[2]]}.{parts[3]}"
    return f"{known[parts[0]]}.{parts[1]}" if len(parts) == 2 and parts[0] in known else name


class _Reader:
    """Reads a file from its first byte up to the tensors."""

    def __init__(self, file: Path) -> None:
        self._file, self._at = file, 4
        self._size = file.stat().st_size

    def all(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """All facts and all tensors."""
        if self._size < 24:
            raise damaged(self._file, "is too short for a GGUF file")
        with self._file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            self._raw = raw
            try:
                return self._all()
            except struct.error:
                raise damaged(self._file, "is cut short") from None
            finally:
                del self._raw

    def _all(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        if self._raw[:4] != MAGIC:
            check_no_text(self._file, bytes(self._raw[:HEAD]))
            raise damaged(self._file, "is no GGUF file, though its name ends in .gguf")
        version = self._number("<I")
        if version in (2 << 24, 3 << 24):
            problem = "is GGUF for computers that store the highest byte of a number first (big-endian), not read here"
            raise wrong(self._file, problem, "get the usual file of this model, which is little-endian")
        if version not in (2, 3):
            raise wrong(
                self._file, f"is GGUF of version {version} (versions 2 and 3 are known here)", "get a newer file"
            )
        n_tensors, n_facts = self._number("<Q"), self._number("<Q")
        if n_tensors > MOST_TENSORS or n_facts > MOST_FACTS:
            raise damaged(self._file, "has more tensors or facts than a model can have")
        facts: dict[str, Any] = {}
        for _ in range(n_facts):
            name = self._text()
            if name in facts:
                raise damaged(self._file, f"says {written(name)} twice")
            facts[name] = self._fact()
        said = [self._tensor() for _ in range(n_tensors)]
        step = facts.get("general.alignment", 32)
        if type(step) is not int or not 1 <= step <= 2**20 or step & (step - 1):
            raise damaged(self._file, "says general.alignment is no power of two")
        begin = -(-self._at // step) * step
        found: dict[str, Tensor] = {}
        for name, kind, shape, offset in said:
            tensor = Tensor(self._file, TYPES[kind], shape, begin + offset)
            if name in found:
                raise damaged(self._file, f"has the tensor {written(name)} twice")
            if offset % step or tensor.begin + tensor.width > 2**62:
                raise damaged(self._file, f"has no room for the tensor {written(name)} of its shape")
            found[name] = tensor
        check_places(self._file, found.values(), begin, self._size)
        return facts, found

    def _tensor(self) -> tuple[str, int, tuple[int, ...], int]:
        name, axes = self._text(), self._number("<I")
        if axes > MOST_AXES:
            raise damaged(self._file, f"has the tensor {written(name)} with {axes} axes")
        shape = tuple(self._number("<Q") for _ in range(axes))[::-1]  # the file lists the fastest axis first
        kind, offset = self._number("<I"), self._number("<Q")
        if kind not in TYPES:
            known = ", ".join(one.name for one in TYPES.values())
            said = UNREAD.get(kind, f"type {kind}")
            problem = f"has {written(name)} as {said}, which is not read here (known are {known})"
            raise wrong(self._file, problem, "get it in one of these")
        if any(n > 2**48 for n in shape) or (shape[-1] if shape else 1) % TYPES[kind].numbers:
            raise damaged(self._file, f"has {written(name)} in a shape that does not fit its type")
        return name, kind, shape, offset

    def _fact(self) -> Any:
        kind = self._number("<I")
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._number(self._form(kind))
        kind, n = self._number("<I"), self._number("<Q")
        if kind == _STRING:
            if n > (self._size - self._at) // 8:
                raise damaged(self._file, "is cut short, or has a list that is longer than the file")
            return [self._text() for _ in range(n)]
        form = self._form(kind)
        width = struct.calcsize(form)
        if n > (self._size - self._at) // width:
            raise damaged(self._file, "is cut short, or has a list that is longer than the file")
        found = np.frombuffer(self._raw[self._at : self._at + n * width], form).tolist()
        self._at += n * width
        return found

    def _form(self, kind: int) -> str:
        if kind not in _NUMBERS:
            raise damaged(self._file, f"has a fact of a type that is not known here ({kind})")
        return _NUMBERS[kind]

    def _number(self, form: str) -> Any:
        (found,) = struct.unpack_from(form, self._raw, self._at)
        self._at += struct.calcsize(form)
        return float(str(np.float32(found))) if form == "<f" else found  # 1e-5, and not 9.99999974738e-06

    def _text(self) -> str:
        n = self._number("<Q")
        if n > self._size - self._at:
            raise damaged(self._file, "is cut short, or has a text that is longer than the file")
        found = self._raw[self._at : self._at + n].decode(errors="replace")
        self._at += n
        return found


# The tokenizer in the facts

_KINDS = (NORMAL, UNKNOWN, CONTROL, USER, 5, BYTE)
_PATTERNS = {
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3", "dbrx", "smaug-bpe"), LLAMA_3),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "stablelm2"), QWEN_2),
}
_AS_GPT_2 = ("gpt-2", "olmo", "mpt", "phi-2", "jina-es", "jina-de")
_BY_DIGITS = ("smollm", "starcoder", "refact", "command-r")
_BEGIN_BY_DEFAULT = ("llama-bpe", "llama3", "llama-v3")
_USUAL = {"bos": 1, "eos": 2}  # the defaults of SentencePiece
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False}


def tokenizer_of(facts: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer in the facts of a file.

    Raises `ExplorerError`: "tokenizer" if it is inconsistent, or of an unknown kind.
    """
    own = {name.removeprefix("tokenizer.ggml."): fact for name, fact in facts.items()}
    pieces, kinds = own.get("tokens"), own.get("token_type")
    if not isinstance(pieces, list) or not all(isinstance(one, str) for one in pieces):
        raise wrong_tokenizer("has no pieces")
    kinds = kinds if isinstance(kinds, list) else [NORMAL] * len(pieces)
    if len(kinds) != len(pieces) or not all(kind in _KINDS for kind in kinds):
        raise wrong_tokenizer("does not say of each piece what it is")
    match own.get("model"):
        case "llama":
            said = _by_scores(own, pieces, kinds)
        case "gpt2":
            said = _by_bytes(own, pieces, kinds)
        case other:
            raise wrong_tokenizer(f"is of the kind {str(other)[:40]!r}, which is not known here")
    numbers = {piece: number for number, piece in enumerate(pieces)}
    by_default = own["model"] == "llama" or (own.get("pre") in _BEGIN_BY_DEFAULT and "bos_token_id" in own)
    before, behind = (
        _mark(own, pieces, mark) if own.get(f"add_{mark}_token", default) is True else ""
        for mark, default in (("bos", by_default), ("eos", False))
    )
    said["post_processor"] = around(before, behind, numbers)
    return from_fields(said)


def _mark(own: Mapping[str, Any], pieces: list[str], mark: str) -> str:
    number = own.get(f"{mark}_token_id", _USUAL[mark] if own["model"] == "llama" else None)
    if type(number) is not int or not 0 <= number < len(pieces):
        raise wrong_tokenizer(f"does not say which piece is its {mark}")
    return pieces[number]


def _by_scores(own: Mapping[str, Any], pieces: list[str], kinds: list[int]) -> dict[str, Any]:
    """SentencePiece's byte pairs, as in Llama 1 and 2 and Gemma."""
    scores = own.get("scores")
    if not isinstance(scores, list) or len(scores) != len(pieces):
        raise wrong_tokenizer("does not have a score for each piece")
    return by_scores(list(zip(pieces, scores, kinds, strict=True)), own.get("add_space_prefix", True) is True)


def _by_bytes(own: Mapping[str, Any], pieces: list[str], kinds: list[int]) -> dict[str, Any]:
    """Byte-level byte pairs; the file only names the rule that splits a text into words."""
    merges, cuts = own.get("merges"), own.get("pre", "gpt-2")
    if not isinstance(merges, list) or not all(isinstance(one, str) for one in merges):
        raise wrong_tokenizer("has no merges")
    without = {**_BYTE_LEVEL, "use_regex": False}
    if cuts in _AS_GPT_2:
        first: dict[str, Any] = {**_BYTE_LEVEL, "use_regex": True}
    elif cuts in _BY_DIGITS:
        digits = {"type": "Digits", "individual_digits": True}
        first = {"type": "Sequence", "pretokenizers": [digits, {**_BYTE_LEVEL, "use_regex": True}]}
    elif isinstance(cuts, str) and cuts in _PATTERNS:
        split = {"type": "Split", "pattern": {"Regex": _PATTERNS[cuts]}, "behavior": "Isolated", "invert": False}
        first = {"type": "Sequence", "pretokenizers": [split, without]}
    else:
        raise wrong_tokenizer(f"cuts a text into words as {str(cuts)[:40]!r} does, which is not known here")
    return {
        "model": {
            "type": "BPE",
            "vocab": {piece: number for number, piece in enumerate(pieces)},
            "merges": merges,
            "ignore_merges": cuts in _BEGIN_BY_DEFAULT,
        },
        "pre_tokenizer": first,
        "decoder": {**_BYTE_LEVEL, "use_regex": True},
        "added_tokens": [
            {"id": number, "content": piece, "special": kind == CONTROL}
            for number, (piece, kind) in enumerate(zip(pieces, kinds, strict=True))
            if kind in (CONTROL, USER)
        ],
    }
