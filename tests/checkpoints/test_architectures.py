"""Architectures of which no folder is given: against straight lines of numpy, written from their papers and configs."""

import re
from pathlib import Path

import numpy as np
import pytest
from computed import values_of

from explorer.checkpoints.architectures import ARCHITECTURES
from explorer.checkpoints.decoders import gpt_neo
from explorer.checkpoints.hugging_face import NO_TOKENIZER
from explorer.checkpoints.plans import Config
from explorer.cli import main
from explorer.core.errors import ExplorerError
from tests.checkpoints import decoder
from tests.checkpoints.lines import (
    CAUSAL,
    EVERY,
    HEADS,
    IDS,
    LLAMA,
    T5_ATTENTIONS,
    WORDS,
    D,
    attended,
    gelu,
    gelu_tanh,
    linear,
    normed,
    rms_norm,
    same,
    t5,
    turned,
    weights_of,
    with_bias,
)
from tests.samples import each


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("width", [D, 5])
def test_opt_without_a_last_norm(made, before, bias, width):
    top = "model.decoder."
    shapes = weights_of({f"{top}embed_tokens": (WORDS, width), f"{top}embed_positions": (18, D)})
    shapes |= weights_of({f"{top}project_in": (D, width), f"{top}project_out": (width, D)}) if width != D else {}
    for k in range(2):
        layer = f"{top}layers.{k}."
        of = {f"{layer}self_attn.{x}": (D, D) for x in ("q_proj", "k_proj", "v_proj", "out_proj")}
        of |= {f"{layer}fc1": (6, D), f"{layer}fc2": (D, 6)}
        shapes |= with_bias(of) if bias else weights_of(of)
        shapes |= with_bias({f"{layer}{x}_layer_norm": (D,) for x in ("self_attn", "final")})
    config = {"model_type": "opt", "hidden_size": D, "word_embed_proj_dim": width, "num_attention_heads": HEADS}
    config |= {"num_hidden_layers": 2, "ffn_dim": 6, "vocab_size": WORDS, "max_position_embeddings": 16}
    config |= {"do_layer_norm_before": before, "_remove_final_layer_norm": True, "enable_bias": bias}
    checkpoint, w = made(config, shapes)
    x = w[f"{top}embed_tokens.weight"][IDS]
    x = x if width == D else linear(x, w, f"{top}project_in")
    x = x + w[f"{top}embed_positions.weight"][2 : 2 + len(IDS)]
    for k in range(2):
        layer = f"{top}layers.{k}."
        name = f"{layer}self_attn_layer_norm"
        read = normed(x, w, name, 1e-5) if before else x
        q, key, v = (linear(read, w, f"{layer}self_attn.{letter}_proj") for letter in "qkv")
        x = x + linear(attended(q, key, v, HEADS, CAUSAL, (D // HEADS) ** -0.5), w, f"{layer}self_attn.out_proj")
        x = x if before else normed(x, w, name, 1e-5)
        name = f"{layer}final_layer_norm"
        read = normed(x, w, name, 1e-5) if before else x
        x = x + linear(np.maximum(linear(read, w, f"{layer}fc1"), 0), w, f"{layer}fc2")
        x = x if before else normed(x, w, name, 1e-5)
    x = x if width == D else linear(x, w, f"{top}project_out")
    same(values_of(checkpoint, IDS)[1]["output.logits"], x @ w[f"{top}embed_tokens.weight"].T)


ROBERTA = {
    **{"Q": "attention.self.query", "K": "attention.self.key", "V": "attention.self.value"},
    **{"O": "attention.output.dense", "norm": "attention.output.LayerNorm", "1": "intermediate.dense"},
    **{"2": "output.dense", "last": "output.LayerNorm", "layers": "roberta.encoder.layer.", "top": "roberta."},
    **{"dense": "lm_head.dense", "head": "lm_head.layer_norm", "bias": "lm_head.bias"},
}
DISTILBERT = {
    **{"Q": "attention.q_lin", "K": "attention.k_lin", "V": "attention.v_lin", "O": "attention.out_lin"},
    **{"norm": "sa_layer_norm", "1": "ffn.lin1", "2": "ffn.lin2", "last": "output_layer_norm"},
    **{"layers": "distilbert.transformer.layer.", "top": "distilbert.", "dense": "vocab_transform"},
    **{"head": "vocab_layer_norm", "bias": "vocab_projector.bias"},
}
ENCODERS = {
    "roberta": (
        ROBERTA,
        {"hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": 2, "intermediate_size": 6}
        | {"type_vocab_size": 1, "layer_norm_eps": 1e-5, "hidden_act": "gelu", "pad_token_id": 1},
        [2, 3, 1, 4, 1],  # the third and the last are padding
    ),
    "distilbert": (
        DISTILBERT,
        {"dim": D, "n_heads": HEADS, "n_layers": 2, "hidden_dim": 6, "sinusoidal_pos_embds": False, "pad_token_id": 0},
        [0, 1, 2, 3, 4],
    ),
}


@pytest.mark.parametrize("kind", ENCODERS)
def test_kin_of_bert(made, kind):
    of, config, places = ENCODERS[kind]
    epsilon = config.get("layer_norm_eps", 1e-12)
    at = f"{of['top']}embeddings."
    shapes = weights_of({f"{at}word_embeddings": (WORDS, D), f"{at}position_embeddings": (16, D)})
    segments = f"{at}token_type_embeddings.weight"
    shapes |= {segments: (1, D)} if kind == "roberta" else {}
    shapes |= with_bias({f"{at}LayerNorm": (D,), of["dense"]: (D, D), of["head"]: (D,)}) | {of["bias"]: (WORDS,)}
    for k in range(2):
        layer = f"{of['layers']}{k}."
        own = {of[x]: (D, D) for x in "QKVO"} | {of["1"]: (6, D), of["2"]: (D, 6), of["norm"]: (D,), of["last"]: (D,)}
        shapes |= with_bias({layer + name: shape for name, shape in own.items()})
    config = {**config, "model_type": kind, "vocab_size": WORDS, "max_position_embeddings": 16}
    checkpoint, w = made(config, shapes)
    ids = [3, 2, 1, 7, 1]
    x = w[f"{at}word_embeddings.weight"][ids] + w[f"{at}position_embeddings.weight"][places]
    x = normed(x + (w[segments][0] if kind == "roberta" else 0), w, f"{at}LayerNorm", epsilon)
    for k in range(2):
        layer = f"{of['layers']}{k}."
        q, key, v = (linear(x, w, layer + of[letter]) for letter in "QKV")
        said = linear(attended(q, key, v, HEADS, EVERY, (D // HEADS) ** -0.5), w, layer + of["O"])
        x = normed(x + said, w, layer + of["norm"], epsilon)
        x = normed(x + linear(gelu(linear(x, w, layer + of["1"])), w, layer + of["2"]), w, layer + of["last"], epsilon)
    x = normed(gelu(linear(x, w, of["dense"])), w, of["head"], epsilon)
    logits = x @ w[f"{at}word_embeddings.weight"].T + w[of["bias"]]
    same(values_of(checkpoint, ids)[1]["output.logits"], logits)


def test_t5_with_gates_and_an_output_of_its_own(made):
    many = {"encoder": 1, "decoder": 2}
    config, shapes = t5(many)
    checkpoint, w = made(config, weights_of(shapes))
    source, target = [3, 1, 7, 9], [0, 4, 2]

    def bias(stack, n):
        # Buckets by hand. Encoder: 2 for each direction, of which one is exact: distance 0, and all others.
        # Decoder: 4 backward, of which 2 are exact; distance 2 is the first of the others.
        table = w[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
        behind = {"encoder": lambda d: 0 if d == 0 else 1 if d < 0 else 3, "decoder": lambda d: min(max(-d, 0), 2)}
        found = np.array([[[table[behind[stack](j - i), h] for j in range(n)] for i in range(n)] for h in range(HEADS)])
        return found if stack == "encoder" else np.where(np.tri(n) > 0, found, -np.inf)

    def stack_of(stack, ids, memory=None):
        x, seen = w["shared.weight"][ids], bias(stack, len(ids))
        for k in range(many[stack]):
            layer = f"{stack}.block.{k}.layer."
            for i, name in enumerate(T5_ATTENTIONS[stack]):
                read = rms_norm(x, w[f"{layer}{i}.layer_norm.weight"], 1e-6)
                q = linear(read, w, f"{layer}{i}.{name}.q")
                key, v = (linear(memory if i else read, w, f"{layer}{i}.{name}.{letter}") for letter in "kv")
                added = np.zeros((HEADS, len(ids), len(memory))) if i else seen
                x = x + linear(attended(q, key, v, HEADS, added, 1), w, f"{layer}{i}.{name}.o")
            i = len(T5_ATTENTIONS[stack])
            read, net = rms_norm(x, w[f"{layer}{i}.layer_norm.weight"], 1e-6), f"{layer}{i}.DenseReluDense."
            opened_ = gelu_tanh(linear(read, w, f"{net}wi_0")) * linear(read, w, f"{net}wi_1")
            x = x + linear(opened_, w, f"{net}wo")
        return rms_norm(x, w[f"{stack}.final_layer_norm.weight"], 1e-6)

    logits = stack_of("decoder", target, stack_of("encoder", source)) @ w["lm_head.weight"].T
    same(values_of(checkpoint, source, target)[1]["output.logits"], logits)


def test_an_output_with_weights_of_its_own_is_read_although_the_config_ties_it(made_with_notices):
    config = {**LLAMA, "model_type": "llama", "max_position_embeddings": 64, "hidden_act": "silu"}
    untied = {**config, "tie_word_embeddings": False}
    checkpoint, w = made_with_notices({**config, "tie_word_embeddings": True}, decoder.shapes(untied))
    assert checkpoint.notices == (
        "its output has weights of its own, although its config says that they are those of the words",
        NO_TOKENIZER,
    )
    same(values_of(checkpoint, IDS)[1]["output.logits"], decoder.logits(untied, w, IDS))


NEO = {"model_type": "gpt_neo", "hidden_size": D, "num_heads": HEADS, "num_layers": 3, "vocab_size": WORDS}
LOCAL = {"attention_types": [[["local"], 1], [["global", "local"], 1]]}


def test_phi_turns_half_of_a_head_and_its_net_stands_beside_the_attention(made):
    shapes = {"model.embed_tokens.weight": (WORDS, D)}
    of_layer = {f"self_attn.{name}": (D, D) for name in ("q_proj", "k_proj", "v_proj", "dense")}
    of_layer |= {"input_layernorm": (D,), "mlp.fc1": (6, D), "mlp.fc2": (D, 6)}
    biased = {f"model.layers.{k}.{name}": shape for k in range(2) for name, shape in of_layer.items()}
    shapes |= with_bias({**biased, "model.final_layernorm": (D,), "lm_head": (WORDS, D)})
    checkpoint, w = made({**LLAMA, "model_type": "phi", "partial_rotary_factor": 0.5}, shapes)
    x = w["model.embed_tokens.weight"][IDS]
    for k in range(2):
        of = f"model.layers.{k}."
        read = normed(x, w, f"{of}input_layernorm", 1e-5)
        q, key, v = (linear(read, w, f"{of}self_attn.{letter}_proj") for letter in "qkv")
        half = lambda head: np.hstack([turned(head[:, :2], 10000.0), head[:, 2:]])  # noqa: E731
        heads = attended(q, key, v, HEADS, CAUSAL, (D // HEADS) ** -0.5, half)
        net = linear(gelu_tanh(linear(read, w, f"{of}mlp.fc1")), w, f"{of}mlp.fc2")
        x = x + linear(heads, w, f"{of}self_attn.dense") + net
    same(
        values_of(checkpoint, IDS)[1]["output.logits"],
        linear(normed(x, w, "model.final_layernorm", 1e-5), w, "lm_head"),
    )


@each(
    ("said", "windows"),
    [
        ({}, [0, 2, 0]),
        (LOCAL, [2, 0, 2]),
        ({"attention_layers": ["local", "global", "local"]}, [2, 0, 2]),
        ({**LOCAL, "attention_layers": ["local", "local", "local"]}, None),
        ({"attention_types": [[["global"], 2]]}, None),
        ({"attention_types": [["global", "x"]]}, None),
        ({"attention_types": [[["global", "mixed"], 1], [["local"], 1]]}, None),
        ({"attention_types": [[["local"] * 1000, 1000]] * 2500}, None),
        ({"layer_norm_epsilon": 10**400}, None),
    ],
)
def test_which_layers_of_gpt_neo_are_local(said, windows):
    config = Config(Path("config.json"), {**NEO, "window_size": 2, **said})
    if windows is None:
        with pytest.raises(ExplorerError) as refused:
            gpt_neo(config)
        assert refused.value.id.startswith("checkpoint")
    else:
        switches = gpt_neo(config).switches
        assert [switches[f"decoder.{k}.self.window"] for k in (1, 2, 3)] == windows


@each(
    ("kind", "said"),
    [
        ("gemma", {"use_bidirectional_attention": True}),
        ("llama", {"layer_types": ["full_attention", "sliding_attention"]}),
        ("llama", {"rope_parameters": {"full_attention": {"rope_type": "default"}}}),
        ("llama", {"rope_scaling": {"type": "linear", "factor": 2.0, "mrope_section": [1]}}),
        ("bert", {"position_embedding_type": "relative_key"}),
        ("gemma2", {"layer_types": ["full_attention"]}),
        ("gemma3_text", {"use_bidirectional_attention": True}),
        ("gemma3_text", {"attn_logit_softcapping": 50.0}),
        ("gemma3_text", {"rope_parameters": {"full_attention": 5}}),
        ("gemma3_text", {"rope_parameters": {"full_attention": {}, "sliding_attention": {"rope_type": "yarn"}}}),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True, "scale_attn_weights": False}),
        ("gemma", {"hidden_act": "relu", "hidden_activation": "gelu_pytorch_tanh"}),
        ("llama", {"partial_rotary_factor": 0.5}),
        ("phi", {"partial_rotary_factor": 1e308}),
        ("llama", {"rope_scaling": {"rope_type": ["yarn"], "factor": 2.0}}),
        ("t5", {"relative_attention_num_buckets": 32, "relative_attention_max_distance": 15}),
        ("t5", {"relative_attention_num_buckets": 2}),
        ("phi", {"hidden_size": 12, "partial_rotary_factor": 0.5}),  # three of six dimensions cannot be pairs
        ("llama", {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "truncate": "no"}}),
    ],
)
def test_what_would_give_other_numbers_is_refused_by_name(kind, said):
    names = {"gpt2": {"n_embd": D, "n_head": HEADS, "n_layer": 2}}
    config = Config(Path("config.json"), {**names.get(kind, LLAMA), "vocab_size": WORDS, **said})

    def read():
        ARCHITECTURES[kind](config)
        config.check_rest()

    with pytest.raises(ExplorerError) as refused:
        read()
    assert refused.value.id.startswith("checkpoint")


def test_the_help_names_each_architecture(capsys):
    assert main(["show", "--help"]) == 0
    assert set(ARCHITECTURES) <= set(re.findall(r"\w+", capsys.readouterr().out)), "see resources/commands.toml"
