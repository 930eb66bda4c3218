"""What configs and files of one architecture may say or leave out: variants that no given folder has."""

import json
from pathlib import Path

import numpy as np
import pytest
from computed import values_of
from safetensors.numpy import save_file

from explorer.checkpoints.architectures import ARCHITECTURES
from explorer.checkpoints.checkpoint import F32, Tensor
from explorer.checkpoints.hugging_face import MOST_TENSORS, NO_TOKENIZER, _parts, opened
from explorer.checkpoints.plans import Config
from explorer.core.errors import ExplorerError
from tests.checkpoints.lines import (
    CAUSAL,
    HEADS,
    IDS,
    LLAMA,
    WORDS,
    D,
    linear,
    llama_shapes,
    rms_norm,
    softmax,
    weights_of,
    with_bias,
)
from tests.checkpoints.small import check_cells


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("gemma", {"hidden_act": "gelu"}),  # so do transformers until 4.47 and, after an error, 5.23 again
        ("gemma", {"hidden_act": "gelu", "hidden_activation": "gelu_pytorch_tanh"}),
        ("gemma2", {"hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh"}),
        ("llama", {"is_llama_config": True, "transformers.js_config": {"dtype": "q4"}, "rope_interleaved": False}),
        ("llama", {"unsloth_fixed": True, "_attn_implementation_autoset": True}),
        ("bert", {"directionality": "bidi", "pooler_type": "first_token_transform", "pooler_fc_size": 768}),
    ],
)
def test_what_configs_of_the_hub_say_besides_is_no_trouble(kind, said):
    config = Config(Path("config.json"), {**LLAMA, "head_dim": 4, **said})
    plan = ARCHITECTURES[kind](config)
    config.known("head_dim")
    config.known("num_key_value_heads")
    config.check_rest()
    assert plan.switches["ffn.activation"] == {"llama": "SiLU", "bert": "GELU"}.get(kind, "GELU tanh")


@pytest.mark.parametrize("place", ["rope_scaling", "rope_parameters"])
def test_a_base_beside_the_type_of_rotary_positions_counts(place):
    """Within `rope_scaling` it was taken for known, and 10000 was used."""
    said = {"rope_type": "default", "rope_theta": 500000.0}
    plan = ARCHITECTURES["llama"](Config(Path("config.json"), {**LLAMA, place: said}))
    assert plan.switches["input.rotary_base"] == 500000.0


def net_of_llama(k):
    return {f"mlp.{x}_proj": (D, 6) if x == "down" else (6, D) for x in ("gate", "up", "down")}


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "rope_theta": 100.0}


@pytest.mark.parametrize(
    ("said", "ends", "longer"),
    [
        # 8 dimensions, 16 words: of a pair i the angle is m / 100^(i/4). 8 dim · ln(16 / 2π·turns) / 2 ln 100.
        ({}, (0, 1), 0.1 * np.log(4) + 1),
        ({"truncate": False}, (0, 0.8117), 0.1 * np.log(4) + 1),
        ({"beta_fast": 1.0, "beta_slow": 0.1, "attention_factor": 1.5}, (0, 3), 1.5),
        ({"mscale": 2.0, "mscale_all_dim": 1.0}, (0, 1), (0.2 * np.log(4) + 1) / (0.1 * np.log(4) + 1)),
    ],
)
def test_yarn_turns_fast_pairs_as_before_and_slow_ones_less(made, said, ends, longer):
    config = {**LLAMA, "num_attention_heads": 1, "num_key_value_heads": 1, "model_type": "llama"}
    config["rope_parameters"] = YARN | said
    both = ("input_layernorm", "post_attention_layernorm")
    checkpoint, w = made(config, llama_shapes(net_of_llama, both))
    first, last = ends
    angles = []
    for i in range(4):
        share = min(max((i - first) / (last - first), 0), 1)
        angles.append(100.0 ** (-i / 4) * (1 - share + share / 4))

    def turn(x):
        turns = np.exp(1j * np.arange(len(x))[:, None] * angles) * longer
        made_ = (x[:, :4] + 1j * x[:, 4:]) * turns
        return np.hstack([made_.real, made_.imag])

    x = w["model.embed_tokens.weight"][IDS]
    read = rms_norm(x, w["model.layers.0.input_layernorm.weight"], 1e-6)
    q, key = (turn(linear(read, w, f"model.layers.0.self_attn.{letter}_proj")) for letter in "qk")
    weights = softmax(np.where(CAUSAL, q @ key.T * D**-0.5, -np.inf))
    ours = values_of(checkpoint, IDS)[1]["decoder.1.self.weights"][0]
    np.testing.assert_allclose(ours, weights, rtol=1e-4 if said.get("truncate") is False else 1e-10)


@pytest.mark.parametrize("kind", ["llama", "gpt_neox", "opt"])
def test_a_bare_folder_has_the_numbers_of_the_whole_one(made_with_notices, tmp_path, kind):
    if kind == "llama":
        config, top = {**LLAMA, "tie_word_embeddings": True}, "model."
        shapes = llama_shapes(net_of_llama, ("input_layernorm", "post_attention_layernorm"))
        del shapes["lm_head.weight"]
    elif kind == "gpt_neox":
        config = {**LLAMA, "tie_word_embeddings": True, "rotary_pct": 0.5}
        del config["num_key_value_heads"]
        top, shapes = "gpt_neox.", with_bias({"gpt_neox.final_layer_norm": (D,)})
        shapes["gpt_neox.embed_in.weight"] = (WORDS, D)
        for k in range(2):
            own = {"input_layernorm": (D,), "post_attention_layernorm": (D,), "attention.dense": (D, D)}
            own |= {"attention.query_key_value": (3 * D, D), "mlp.dense_h_to_4h": (6, D), "mlp.dense_4h_to_h": (D, 6)}
            shapes |= with_bias({f"{top}layers.{k}.{name}": shape for name, shape in own.items()})
    else:
        config = {"hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": 1, "ffn_dim": 6}
        config |= {"vocab_size": WORDS, "max_position_embeddings": 16}
        top, own = "model.", {f"self_attn.{x}": (D, D) for x in ("q_proj", "k_proj", "v_proj", "out_proj")}
        own |= {"fc1": (6, D), "fc2": (D, 6), "self_attn_layer_norm": (D,), "final_layer_norm": (D,)}
        shapes = with_bias({f"model.decoder.layers.0.{name}": shape for name, shape in own.items()})
        shapes |= with_bias({"model.decoder.final_layer_norm": (D,)})
        shapes |= weights_of({"model.decoder.embed_tokens": (WORDS, D), "model.decoder.embed_positions": (18, D)})
    whole, w = made_with_notices({**config, "model_type": kind}, shapes)
    save_file(
        {name.removeprefix(top): array.astype(np.float32) for name, array in w.items()}, tmp_path / "model.safetensors"
    )
    bare = opened(tmp_path, "float64")
    assert whole.notices == bare.notices == (NO_TOKENIZER,)
    np.testing.assert_array_equal(*(values_of(one, IDS)[1]["output.logits"] for one in (whole, bare)))
    assert check_cells(whole, w)
    assert check_cells(bare, {name.removeprefix(top): array for name, array in w.items()})


@pytest.mark.parametrize("kind", ["mixtral", "qwen3_moe"])
def test_experts_in_one_tensor_are_those_that_stand_by_themselves(made, tmp_path, kind):
    mixtral = kind == "mixtral"
    top = "block_sparse_moe." if mixtral else "mlp."
    names = ("w1", "w3", "w2") if mixtral else ("gate_proj", "up_proj", "down_proj")

    def shapes(k):
        own = {} if mixtral else {"self_attn.q_norm": (D // HEADS,), "self_attn.k_norm": (D // HEADS,)}
        nets = {f"{top}experts.{e}.{x}": (D, 6) if x == names[2] else (6, D) for e in range(3) for x in names}
        return own | nets | {f"{top}gate": (3, D)}

    config = {**LLAMA, "model_type": kind, "num_local_experts": 3, "num_experts_per_tok": 2}
    config |= {"sliding_window": None} if mixtral else {"moe_intermediate_size": 6}
    apart, w = made(config, llama_shapes(shapes))
    fused = {name: array.astype(np.float32) for name, array in w.items() if ".experts." not in name}
    for k in range(2):
        layer = f"model.layers.{k}."
        first, second, last = (
            np.stack([w[f"{layer}{top}experts.{e}.{x}.weight"] for e in range(3)]).astype(np.float32) for x in names
        )
        fused[f"{layer}mlp.experts.gate_up_proj"] = np.concatenate([first, second], axis=1)
        fused[f"{layer}mlp.experts.down_proj"] = last
        fused[f"{layer}mlp.gate.weight"] = fused.pop(f"{layer}{top}gate.weight")
    save_file(fused, tmp_path / "model.safetensors")
    together = opened(tmp_path, "float64")
    assert together.notices == (NO_TOKENIZER,)
    np.testing.assert_array_equal(*(values_of(one, IDS)[1]["output.logits"] for one in (apart, together)))
    assert apart.model.in_file("decoder.2.ffn.W_2") == f"model.layers.1.{top}experts.{{e}}.{names[2]}.weight"
    assert together.model.in_file("decoder.2.ffn.W_2") == "model.layers.1.mlp.experts.down_proj"
    assert check_cells(apart, w)
    assert check_cells(together, fused)


def test_a_tensor_of_more_experts_than_there_can_be_is_no_experts():
    """Without a number in it, it takes no byte of the file: to take two million of them apart held the program."""

    def tensor(*shape):
        return Tensor(Path("model.safetensors"), F32, shape, 0)

    top = "model.layers.{}.mlp.experts.gate_up_proj".format
    assert not _parts("mixtral", {top(0): tensor(2_000_000, 2, 0)})
    assert len(_parts("mixtral", {top(0): tensor(256, 2, 0)})) == 512
    many = {top(layer): tensor(256, 2, 0) for layer in range(300)}
    assert len(_parts("qwen3_moe", many)) <= MOST_TENSORS + 512


def marian_shapes():
    shapes = {"model.shared.weight": (WORDS, D), "final_logits_bias": (1, WORDS)}
    for stack, attentions in (("encoder", ("self_attn",)), ("decoder", ("self_attn", "encoder_attn"))):
        layer = f"model.{stack}.layers.0."
        for name in attentions:
            own = {f"{layer}{name}.{x}": (D, D) for x in ("q_proj", "k_proj", "v_proj", "out_proj")}
            shapes |= with_bias(own | {f"{layer}{name}_layer_norm": (D,)})
        shapes |= with_bias({f"{layer}fc1": (6, D), f"{layer}fc2": (D, 6), f"{layer}final_layer_norm": (D,)})
    return shapes


def test_marian_may_write_other_words_than_it_reads(made, tmp_path):
    """Of tables that are cut after seven words, the logits are the first seven."""
    config = {"model_type": "marian", "d_model": D, "vocab_size": WORDS, "decoder_start_token_id": 6}
    for stack in ("encoder", "decoder"):
        config |= {f"{stack}_layers": 1, f"{stack}_attention_heads": HEADS, f"{stack}_ffn_dim": 6}
    whole, w = made(config, marian_shapes())
    split = {name: array.astype(np.float32) for name, array in w.items()}
    shared, bias = split.pop("model.shared.weight"), split.pop("final_logits_bias")
    split |= {"model.encoder.embed_tokens.weight": shared, "model.decoder.embed_tokens.weight": shared[:7].copy()}
    split["final_logits_bias"] = bias[:, :7].copy()
    save_file(split, tmp_path / "model.safetensors")
    said = {**config, "share_encoder_decoder_embeddings": False, "decoder_vocab_size": 7}
    (tmp_path / "config.json").write_text(json.dumps(said))
    cut = opened(tmp_path, "float64")
    assert cut.notices == (NO_TOKENIZER,)
    assert cut.inputs["target.tokens"].tolist() == [6]
    of_whole, of_cut = (values_of(one, [3, 9, 8], [6, 1, 2])[1]["output.logits"] for one in (whole, cut))
    np.testing.assert_allclose(of_cut, of_whole[:, :7], rtol=1e-12)
    (tmp_path / "config.json").write_text(json.dumps({**config, "decoder_vocab_size": 7}))
    with pytest.raises(ExplorerError) as error:
        opened(tmp_path)
    assert "one table" in error.value.fields["problem"]


def test_where_a_folder_has_one_file_and_an_index_the_file_is_read(made, tmp_path):
    config = {**LLAMA, "model_type": "llama"}
    shapes = llama_shapes(net_of_llama, ("input_layernorm", "post_attention_layernorm"))
    checkpoint, _ = made(config, shapes)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "gone.safetensors"}}))
    again = opened(tmp_path, "float64")
    np.testing.assert_array_equal(again.inputs["input.table"], checkpoint.inputs["input.table"])


@pytest.mark.parametrize(
    ("said", "activation", "gated"),
    [
        ("relu", "ReLU", False),
        ("gated-gelu", "GELU tanh", True),  # in the files of T5 v1.1 it means the other one
        ("gelu", "GELU", False),
        ("gated-gelu_pytorch_tanh", "GELU tanh", True),
        ("gated-silu", "SiLU", True),
    ],
)
def test_the_net_of_t5_is_any_activation_with_gates_or_without(said, activation, gated):
    switches = ARCHITECTURES["t5"](Config(Path("config.json"), {"feed_forward_proj": said})).switches
    assert (switches["ffn.activation"], switches["ffn.gated"]) == (activation, gated)
    other = {"feed_forward_proj": said, "dense_act_fn": "silu", "is_gated_act": not gated}
    switches = ARCHITECTURES["t5"](Config(Path("config.json"), other)).switches
    assert (switches["ffn.activation"], switches["ffn.gated"]) == ("SiLU", not gated)


def test_a_window_may_be_wider_than_any_matrix(made):
    config = {**LLAMA, "model_type": "mistral", "sliding_window": 131072}
    shapes = llama_shapes(net_of_llama, ("input_layernorm", "post_attention_layernorm"))
    checkpoint, _ = made(config, shapes)
    assert checkpoint.model.switch("decoder.2.self", "window") == 131072
    weights = values_of(checkpoint, IDS)[1]["decoder.1.self.weights"]
    np.testing.assert_array_equal(weights > 0, [CAUSAL, CAUSAL])
