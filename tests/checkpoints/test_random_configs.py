"""Decoders with configs at random: their numbers are those of a pass that knows nothing of the program."""

import numpy as np
import pytest
from computed import values_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checkpoints.decoder import KINDS, logits, shapes

GEMMA2 = ("gemma2", "gemma3_text")


@st.composite
def configs(draw, kind):
    """A config as its authors could have written it: in old names or new, with what may be left out, left out."""
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    heads, of_head, layers = pick(2, 4, 6), pick(4, 6, 8), pick(1, 2, 3)
    d = heads * of_head if kind in ("olmo", "olmo2") else pick(heads * of_head, 8, 10)
    found = {
        "model_type": kind,
        "hidden_size": d,
        "num_attention_heads": heads,
        "num_key_value_heads": pick(*(n for n in range(1, heads + 1) if heads % n == 0)),
        "head_dim": of_head,
        "num_hidden_layers": layers,
        "intermediate_size": pick(5, 8),
        "vocab_size": 11,
        "max_position_embeddings": pick(6, 8, 64),
        "rms_norm_eps": pick(1e-6, 1e-2),
        "tie_word_embeddings": draw(st.booleans()),
        "hidden_activation" if kind in GEMMA2 else "hidden_act": (
            "gelu_pytorch_tanh" if kind.startswith("gemma") else pick("silu", "gelu", "relu")
        ),
    }
    if draw(st.booleans()):
        del found["rms_norm_eps"]
    if d == heads * of_head and not kind.startswith(("gemma", "qwen3")) and draw(st.booleans()):
        del found["head_dim"]
    found |= draw(rotary(kind))
    if kind in ("llama", "olmo2", "gemma", "qwen3"):
        found["attention_bias"] = draw(st.booleans())
    if kind == "llama":
        found["mlp_bias"] = draw(st.booleans())
    if kind == "olmo":
        found["clip_qkv"] = pick(None, 1.5)
    if kind == "mistral":
        found["sliding_window"] = pick(None, 2, 5)
    if kind in ("qwen2", "qwen3"):
        found |= {"use_sliding_window": draw(st.booleans()), "sliding_window": 3, "max_window_layers": pick(0, 1, 2)}
    if kind in GEMMA2:
        found |= {"sliding_window": pick(2, 3, 5), "query_pre_attn_scalar": pick(4, 16, 256)}
        if kind == "gemma3_text":
            found |= pick({}, {"sliding_window_pattern": 3}, {"_sliding_window_pattern": 2})
        if draw(st.booleans()):
            found["layer_types"] = [pick("sliding_attention", "full_attention") for _ in range(layers)]
        found["final_logit_softcapping"] = pick(2.0, 30.0) if kind == "gemma2" else pick(None, 5.0)
    if kind == "gemma2":
        found["attn_logit_softcapping"] = pick(None, 3.0, 50.0)
    if kind == "mixtral":
        found |= {"num_local_experts": 4, "num_experts_per_tok": pick(1, 2), "sliding_window": None}
    if kind == "qwen3_moe":
        found |= {"num_experts": 4, "num_experts_per_tok": pick(1, 2, 3), "norm_topk_prob": draw(st.booleans())}
        found |= {
            "moe_intermediate_size": pick(3, 7),
            "mlp_only_layers": pick([], [0]),
            "decoder_sparse_step": pick(1, 2),
        }
    return found


@st.composite
def rotary(draw, kind):
    """What a config says of rotary positions: in `rope_parameters`, or in the older fields."""
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    scaled = {"rope_type": pick("default", "linear", "dynamic", "llama3", "yarn")}
    if scaled["rope_type"] != "default":
        scaled["factor"] = pick(1.5, 4.0)
    if scaled["rope_type"] == "llama3":
        scaled |= {"low_freq_factor": pick(0.5, 1.0), "high_freq_factor": pick(2.0, 4.0)}
        scaled["original_max_position_embeddings"] = pick(8, 64)
    if scaled["rope_type"] == "yarn":
        may = {"original_max_position_embeddings": 16, "beta_fast": 4.0, "beta_slow": 0.5, "truncate": False}
        may |= {"attention_factor": 1.3}
        scaled |= {name: value for name, value in may.items() if draw(st.booleans())}
        scaled |= pick({}, {"mscale": 1.2, "mscale_all_dim": 0.7})
    base, near = pick(100.0, 10000.0, 500000.0), pick(50.0, 10000.0)
    if not draw(st.booleans()):
        own = kind == "gemma3_text"  # a layer with a window turns by a base of its own
        old = {"rope_theta": base, "rope_local_base_freq": near} if own else pick({}, {"rope_theta": base})
        if scaled["rope_type"] == "default":
            return old
        named = {pick("type", "rope_type"): scaled.pop("rope_type"), **pick({}, {"rope_theta": None})}
        return old | {"rope_scaling": scaled | named}
    everywhere = {**scaled, "rope_theta": base}
    if kind != "gemma3_text":
        return {"rope_parameters": everywhere}
    windowed = {"rope_type": "default", "rope_theta": near}
    return {"rope_parameters": {"full_attention": everywhere, "sliding_attention": windowed}}


def check(made_with_notices, config, seed, n):
    checkpoint, w = made_with_notices(config, shapes(config))
    ids = np.random.default_rng(seed).integers(0, config["vocab_size"], n)
    ours = values_of(checkpoint, ids)[1]["output.logits"]
    np.testing.assert_allclose(ours, logits(config, w, ids), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_config_at_random(made_with_notices, kind):
    @settings(max_examples=10)
    @given(configs(kind), st.integers(0, 99), st.integers(2, 12))
    def holds(config, seed, n):
        check(made_with_notices, config, seed, n)

    holds()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_configs_at_random(made_with_notices, kind):
    @settings(max_examples=300, derandomize=False)
    @given(configs(kind), st.integers(0, 99), st.integers(2, 12))
    def holds(config, seed, n):
        check(made_with_notices, config, seed, n)

    holds()
