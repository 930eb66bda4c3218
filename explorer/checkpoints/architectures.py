"""The architectures that can be read, by the `model_type` of their config.

Published models: the switches of each, and the switches that make one of our models a model of that kind.

The switches come from the plans, as when a checkpoint is opened, so they stand in one place.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from explorer.checkpoints import decoders, encoders
from explorer.checkpoints.plans import Config, Plan
from explorer.core.frozen import Frozen
from explorer.core.model import SWITCHES, Model, SwitchValue

_PLANS: tuple[Callable[[Config], Plan], ...] = (
    *(decoders.gpt2, decoders.gpt_neo, decoders.gpt_neox, decoders.opt, decoders.phi, decoders.llama),
    *(decoders.mistral, decoders.mixtral, decoders.qwen2, decoders.qwen3, decoders.qwen3_moe, decoders.gemma),
    *(decoders.gemma2, decoders.gemma3_text, decoders.olmo, decoders.olmo2),
    *(encoders.bert, encoders.distilbert, encoders.roberta, encoders.t5, encoders.marian),
)
ARCHITECTURES = {plan.__name__: plan for plan in _PLANS}


Fields = dict[str, Any]
_SIZES = ("heads", "d_k", "d_v", "d_ff", "room", "scale_width", "rotary_room", "shared", "segments")
"""Switches that are sizes: a model keeps its own values."""
PARTS = {"input": "sequence", "self": "attention", "ffn": "ffn", "final": "last norm", "output": "output"}
"""The parts that a plan names, with the kind of block of each."""
_SEQUENCES = ("input", "source", "target")


class Sizes(Frozen):
    """The sizes of a model."""

    d_model: int
    heads: int
    d_k: int
    d_ff: int
    layers: int
    words: int


class Member(Frozen):
    """A published model."""

    name: str
    year: int
    kind: str  # the `model_type` of its config
    sizes: Sizes  # its own sizes
    fields: Callable[[Sizes], Fields]  # the fields of its config, for any sizes

    def plan(self, sizes: Sizes) -> Plan:
        """The plan of its config, for these sizes."""
        return ARCHITECTURES[self.kind](Config(Path(self.name), self.fields(sizes)))


_SAID = {
    "hidden_size": "d_model",
    "num_attention_heads": "heads",
    "intermediate_size": "d_ff",
    "num_hidden_layers": "layers",
    "vocab_size": "words",
}
"""The names of the sizes in most configs."""


def _saying(s: Sizes, **more: Any) -> Fields:
    """A config with the usual names of sizes."""
    return {field: getattr(s, size) for field, size in _SAID.items()} | more


def _llama(share: int, **more: Any) -> Callable[[Sizes], Fields]:
    """The config of Llama and similar models, in which `share` heads share one head of keys and values."""
    return lambda s: _saying(s, head_dim=s.d_k, num_key_value_heads=_key_heads(s.heads, share), **more)


def _key_heads(heads: int, share: int) -> int:
    """The number of key heads, each shared by `share` heads, or by a few more if that does not divide."""
    return next(n for n in range(max(heads // share, 1), 0, -1) if heads % n == 0)


def _gpt2(s: Sizes) -> Fields:
    return {"n_embd": s.d_model, "n_head": s.heads, "n_inner": s.d_ff, "n_layer": s.layers, "vocab_size": s.words}


def _neox(s: Sizes) -> Fields:
    turned = max(s.d_k // 8 * 2, 2)  # a quarter of the dimensions, in pairs
    return _saying(s, head_dim=s.d_k, rotary_pct=min((turned + 0.5) / s.d_k, 1.0))


def _t5(s: Sizes) -> Fields:
    return {
        "d_model": s.d_model,
        "num_heads": s.heads,
        "d_kv": s.d_k,
        "d_ff": s.d_ff,
        "num_layers": s.layers,
        "num_decoder_layers": s.layers,
        "vocab_size": s.words,
    }


MEMBERS = (
    Member("BERT base", 2018, "bert", Sizes(768, 12, 64, 3072, 12, 30522), _saying),
    Member("GPT-2", 2019, "gpt2", Sizes(768, 12, 64, 3072, 12, 50257), _gpt2),
    Member("T5 small", 2020, "t5", Sizes(512, 8, 64, 2048, 6, 32128), _t5),
    Member("Pythia 160M", 2023, "gpt_neox", Sizes(768, 12, 64, 3072, 12, 50304), _neox),
    Member(
        "Mistral 7B",
        2023,
        "mistral",
        Sizes(4096, 32, 128, 14336, 32, 32000),
        _llama(4, sliding_window=4096, rms_norm_eps=1e-5),
    ),
    Member(
        "Mixtral 8x7B",
        2023,
        "mixtral",
        Sizes(4096, 32, 128, 14336, 32, 32000),
        _llama(4, num_local_experts=8, num_experts_per_tok=2, rope_theta=1e6, rms_norm_eps=1e-5),
    ),
    Member("Gemma 2B", 2024, "gemma", Sizes(2048, 8, 256, 16384, 18, 256000), _llama(8)),
    Member(
        "Llama 3 8B",
        2024,
        "llama",
        Sizes(4096, 32, 128, 14336, 32, 128256),
        _llama(4, rope_theta=500000.0, rms_norm_eps=1e-5),
    ),
    Member("Gemma 2 2B", 2024, "gemma2", Sizes(2304, 8, 256, 9216, 26, 256000), _llama(2)),
    Member(
        "Qwen3 0.6B",
        2025,
        "qwen3",
        Sizes(1024, 16, 128, 3072, 28, 151936),
        _llama(2, rope_theta=1e6, tie_word_embeddings=True),
    ),
)
"""The published models, oldest first."""


def plan_of(kind: str, sizes: Sizes) -> Plan:
    """The plan of an architecture for these sizes, as in the published model that has it, if we know one."""
    fields = next((one.fields for one in MEMBERS if one.kind == kind), _by_any_name)
    return ARCHITECTURES[kind](Config(Path(kind), fields(sizes)))


def _by_any_name(s: Sizes) -> Fields:
    """A config with the names that any architecture has for its sizes."""
    both = {f"{part}_{name}": getattr(s, size) for part in ("encoder", "decoder") for name, size in _OF_PART.items()}
    short = {"dim": s.d_model, "n_heads": s.heads, "n_layers": s.layers, "hidden_dim": s.d_ff, "ffn_dim": s.d_ff}
    both["scale_embedding"] = True  # as all published models of Marian
    return _saying(s, **short, **both) | _t5(s)


_OF_PART = {"layers": "layers", "attention_heads": "heads", "ffn_dim": "d_ff"}


def member(name: str) -> Member:
    """The published model of this name."""
    return next(one for one in MEMBERS if one.name == name)


@cache
def own_switches(one: Member) -> Mapping[str, SwitchValue]:
    """A model's values of all `differing` switches, by part and name, such as "self.norm"."""
    plan = one.plan(one.sizes)
    return {f"{part}.{name}": _chosen(plan, f"decoder.1.{part}", part, name) for part, name in differing()}


@cache
def differing() -> tuple[tuple[str, str], ...]:
    """The switches, as (part, name), in which some model differs from that of 2017; sizes are excluded."""
    plans = [one.plan(one.sizes) for one in MEMBERS]
    return tuple(
        (part, name)
        for part, kind in PARTS.items()
        for name, switch in SWITCHES[kind].items()
        if name not in _SIZES
        and any(_chosen(plan, f"decoder.1.{part}", part, name) != switch.default for plan in plans)
    )


def as_member(one: Member, model: Model) -> Model:
    """A model with the switches of a published one; it keeps its kind, sizes and words.

    Raises `ExplorerError` if its sizes do not fit these switches.
    """
    plan = one.plan(_sizes_of(model))
    for block, part in _parts(model):
        for of, name in differing():
            if of == part and model.has_switch(block, name):
                model = model.with_switch(block, name, _chosen(plan, block, part, name))
    return model


def _chosen(plan: Plan, block: str, part: str, name: str) -> SwitchValue:
    """The value that a plan gives a switch of a block."""
    default = SWITCHES[PARTS[part]][name].default
    return plan.switches.get(f"{block}.{name}", plan.switches.get(f"{part}.{name}", default))


def _parts(model: Model) -> Iterator[tuple[str, str]]:
    """The blocks of a model that a plan names, each with its part."""
    for block in model.blocks():
        last = block.rpartition(".")[2]
        part = "input" if last in _SEQUENCES else "self" if last == "cross" else last
        if part in PARTS:
            yield block, part


def _sizes_of(model: Model) -> Sizes:
    """The sizes of one of our models; those of its first layer stand for all."""
    blocks = [block for block, part in _parts(model) if part == "self"]
    heads = int(model.switch(blocks[0], "heads")) if blocks else 1
    d_k = int(model.switch(blocks[0], "d_k")) if blocks else 0
    nets = [block for block, part in _parts(model) if part == "ffn"]
    d_ff = int(model.switch(nets[0], "d_ff")) if nets else 0
    words = max((len(labels) for axis, labels in model.axes.items() if axis.endswith(".words")), default=1)
    return Sizes(
        model.d_model, heads, d_k or max(model.d_model // heads, 1), d_ff or 4 * model.d_model, model.layers, words
    )
