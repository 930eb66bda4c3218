"""Architectures of which no folder is given: against straight lines of numpy, written from their papers and configs."""

import json
from math import erf
from pathlib import Path

import numpy as np
import pytest
from computed import values_of
from safetensors.numpy import save_file

from explorer.checkpoints.architectures import FAMILIES
from explorer.checkpoints.config import Config
from explorer.checkpoints.gpts import gpt_neo
from explorer.checkpoints.hugging_face import opened
from explorer.core.errors import ExplorerError

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


@pytest.fixture
def made(made_with_notices):
    """A folder opened of which there is nothing to say, with the numbers that went into it."""

    def make(config, shapes):
        checkpoint, w = made_with_notices(config, shapes)
        assert checkpoint.notices == ()
        return checkpoint, w

    return make


@pytest.fixture
def made_with_notices(tmp_path):
    """A folder opened, with the numbers that went into it."""

    def make(config, shapes):
        rng = np.random.default_rng(8)
        found = {name: rng.normal(0, 0.6, shape).astype(np.float32) for name, shape in shapes.items()}
        (tmp_path / "config.json").write_text(json.dumps(config))
        save_file(found, tmp_path / "model.safetensors")
        checkpoint = opened(tmp_path, "float64")
        return checkpoint, {name: array.astype(np.float64) for name, array in found.items()}

    return make


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


def llama_line(w, norm, net, theta, qk=lambda x, layer, letter: x, projected=lambda x: x):
    x = w["model.embed_tokens.weight"][IDS]
    for k in range(2):
        layer = f"model.layers.{k}."
        read = norm(x, f"{layer}input_layernorm")
        q, key, v = (projected(linear(read, w, f"{layer}self_attn.{letter}_proj")) for letter in "qkv")
        q, key = (qk(one, layer, letter) for one, letter in ((q, "q"), (key, "k")))
        heads = attended(q, key, v, HEADS, CAUSAL, (D // HEADS) ** -0.5, lambda head: turned(head, theta))
        x = x + linear(heads, w, f"{layer}self_attn.o_proj")
        x = x + net(norm(x, f"{layer}post_attention_layernorm"), layer, k)
    return norm(x, "model.norm") @ w["lm_head.weight"].T


def gated(x, w, gate, up, down):
    return linear(silu(linear(x, w, gate)) * linear(x, w, up), w, down)


def mixed(x, w, router, nets, chosen, again):
    """Row by row: the best experts, each with its share."""
    shares, said = softmax(linear(x, w, router)), np.zeros_like(x)
    for i, row in enumerate(x):
        best = np.argsort(-shares[i], kind="stable")[:chosen]
        whole = shares[i][best].sum() if again else 1
        for e in best:
            said[i] += shares[i][e] / whole * gated(row[None], w, *(name.format(e=e) for name in nets))[0]
    return said


def test_mixtral(made):
    moe = "block_sparse_moe."

    def shapes(k):
        nets = {f"{moe}experts.{e}.{x}": (D, 6) if x == "w2" else (6, D) for e in range(4) for x in ("w1", "w2", "w3")}
        return {f"{moe}gate": (4, D), **nets}

    config = {**LLAMA, "model_type": "mixtral", "num_local_experts": 4, "sliding_window": None}
    checkpoint, w = made(config, llama_shapes(shapes))

    def net(x, layer, k):
        names = [f"{layer}{moe}experts.{{e}}.{x}" for x in ("w1", "w3", "w2")]
        return mixed(x, w, f"{layer}{moe}gate", names, 2, True)

    logits = llama_line(w, lambda x, name: rms_norm(x, w[f"{name}.weight"], 1e-5), net, 1e6)
    same(values_of(checkpoint, IDS)[1]["output.logits"], logits)


@pytest.mark.parametrize("again", [True, False])
def test_qwen3_with_experts_in_some_layers(made, again):
    def shapes(k):
        own = {"self_attn.q_norm": (D // HEADS,), "self_attn.k_norm": (D // HEADS,)}
        names = ("gate_proj", "up_proj", "down_proj")
        if k == 0:
            return own | {f"mlp.{x}": (D, 6) if x == "down_proj" else (6, D) for x in names}
        nets = {f"mlp.experts.{e}.{x}": (D, 5) if x == "down_proj" else (5, D) for e in range(4) for x in names}
        return own | nets | {"mlp.gate": (4, D)}

    config = {**LLAMA, "model_type": "qwen3_moe", "num_experts": 4, "num_experts_per_tok": 3}
    config |= {"moe_intermediate_size": 5, "mlp_only_layers": [0], "norm_topk_prob": again}
    checkpoint, w = made(config, llama_shapes(shapes))

    def net(x, layer, k):
        if k == 0:
            return gated(x, w, *(f"{layer}mlp.{name}_proj" for name in ("gate", "up", "down")))
        names = [f"{layer}mlp.experts.{{e}}.{name}_proj" for name in ("gate", "up", "down")]
        return mixed(x, w, f"{layer}mlp.gate", names, 3, again)

    def qk(x, layer, letter):
        gamma = w[f"{layer}self_attn.{letter}_norm.weight"]
        return np.hstack([rms_norm(head, gamma, 1e-6) for head in np.split(x, HEADS, 1)])

    logits = llama_line(w, lambda x, name: rms_norm(x, w[f"{name}.weight"], 1e-6), net, 1e4, qk)
    same(values_of(checkpoint, IDS)[1]["output.logits"], logits)


@pytest.mark.parametrize("most", [None, 0.8])
def test_olmo(made, most):
    def shapes(k):
        return {f"mlp.{x}_proj": (D, 6) if x == "down" else (6, D) for x in ("gate", "up", "down")}

    checkpoint, w = made({**LLAMA, "model_type": "olmo", "clip_qkv": most}, llama_shapes(shapes, (), ()))

    def net(x, layer, k):
        return gated(x, w, *(f"{layer}mlp.{name}_proj" for name in ("gate", "up", "down")))

    cut = (lambda x: x) if most is None else lambda x: np.minimum(np.maximum(x, -most), most)
    logits = llama_line(w, lambda x, name: layer_norm(x, 1, 0, 1e-5), net, 1e4, projected=cut)
    same(values_of(checkpoint, IDS)[1]["output.logits"], logits)


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
    shapes = {"shared": (WORDS, D), "lm_head": (WORDS, D)}
    parts = {"encoder": ("SelfAttention",), "decoder": ("SelfAttention", "EncDecAttention")}
    many = {"encoder": 1, "decoder": 2}
    for stack, attentions in parts.items():
        shapes[f"{stack}.final_layer_norm"] = (D,)
        shapes[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias"] = (4, HEADS)
        for k in range(many[stack]):
            layer = f"{stack}.block.{k}.layer."
            for i, name in enumerate(attentions):
                shapes |= {f"{layer}{i}.{name}.{x}": (D, 6) if x == "o" else (6, D) for x in "qkvo"}
            net = f"{layer}{len(attentions)}.DenseReluDense."
            shapes |= {f"{net}wi_0": (5, D), f"{net}wi_1": (5, D), f"{net}wo": (D, 5)}
            shapes |= {f"{layer}{i}.layer_norm": (D,) for i in range(len(attentions) + 1)}
    config = {"model_type": "t5", "d_model": D, "num_heads": HEADS, "d_kv": 3, "d_ff": 5, "num_layers": 1}
    config |= {"num_decoder_layers": 2, "vocab_size": WORDS, "feed_forward_proj": "gated-gelu"}
    config |= {"relative_attention_num_buckets": 4, "relative_attention_max_distance": 8, "tie_word_embeddings": False}
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
            for i, name in enumerate(parts[stack]):
                read = rms_norm(x, w[f"{layer}{i}.layer_norm.weight"], 1e-6)
                q = linear(read, w, f"{layer}{i}.{name}.q")
                key, v = (linear(memory if i else read, w, f"{layer}{i}.{name}.{letter}") for letter in "kv")
                added = np.zeros((HEADS, len(ids), len(memory))) if i else seen
                x = x + linear(attended(q, key, v, HEADS, added, 1), w, f"{layer}{i}.{name}.o")
            i = len(parts[stack])
            read, net = rms_norm(x, w[f"{layer}{i}.layer_norm.weight"], 1e-6), f"{layer}{i}.DenseReluDense."
            opened_ = gelu_tanh(linear(read, w, f"{net}wi_0")) * linear(read, w, f"{net}wi_1")
            x = x + linear(opened_, w, f"{net}wo")
        return rms_norm(x, w[f"{stack}.final_layer_norm.weight"], 1e-6)

    logits = stack_of("decoder", target, stack_of("encoder", source)) @ w["lm_head.weight"].T
    same(values_of(checkpoint, source, target)[1]["output.logits"], logits)


def test_an_output_with_weights_of_its_own_is_read_although_the_config_ties_it(made_with_notices):
    def shapes(k):
        return {f"mlp.{x}_proj": (D, 6) if x == "down" else (6, D) for x in ("gate", "up", "down")}

    config = {**LLAMA, "model_type": "llama", "tie_word_embeddings": True}
    both = ("input_layernorm", "post_attention_layernorm")
    checkpoint, w = made_with_notices(config, llama_shapes(shapes, both))
    assert checkpoint.notices == (
        "its output has weights of its own, although its config says that they are those of the words",
    )

    def net(x, layer, k):
        return gated(x, w, *(f"{layer}mlp.{name}_proj" for name in ("gate", "up", "down")))

    logits = llama_line(w, lambda x, name: rms_norm(x, w[f"{name}.weight"], 1e-6), net, 1e4)
    same(values_of(checkpoint, IDS)[1]["output.logits"], logits)


NEO = {"model_type": "gpt_neo", "hidden_size": D, "num_heads": HEADS, "num_layers": 3, "vocab_size": WORDS}
LOCAL = {"attention_types": [[["local"], 1], [["global", "local"], 1]]}


@pytest.mark.parametrize(
    ("said", "windows"),
    [
        ({}, [0, 2, 0]),
        (LOCAL, [2, 0, 2]),
        ({"attention_layers": ["local", "global", "local"]}, [2, 0, 2]),
        ({**LOCAL, "attention_layers": ["local", "local", "local"]}, None),
        ({"attention_types": [[["global"], 2]]}, None),
        ({"attention_types": [["global", "x"]]}, None),
        ({"attention_types": [[["global", "mixed"], 1], [["local"], 1]]}, None),
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


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("gemma", {"use_bidirectional_attention": True}),
        ("llama", {"layer_types": ["full_attention", "sliding_attention"]}),
        ("llama", {"rope_parameters": {"full_attention": {"rope_type": "default"}}}),
        ("llama", {"rope_scaling": {"type": "linear", "factor": 2.0, "mrope_section": [1]}}),
        ("bert", {"position_embedding_type": "relative_key"}),
        ("gemma2", {"layer_types": ["full_attention"]}),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True, "scale_attn_weights": False}),
        ("gemma", {"hidden_act": "relu", "hidden_activation": "gelu_pytorch_tanh"}),
        ("llama", {"partial_rotary_factor": 0.5}),
        ("gpt_neox", {"hidden_size": 12, "rotary_pct": 0.5}),  # three of six dimensions cannot be pairs
        ("llama", {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "truncate": "no"}}),
    ],
)
def test_what_would_give_other_numbers_is_refused_by_name(kind, said):
    names = {"gpt2": {"n_embd": D, "n_head": HEADS, "n_layer": 2}}
    config = Config(Path("config.json"), {**names.get(kind, LLAMA), "vocab_size": WORDS, **said})

    def read():
        FAMILIES[kind](config)
        config.check_rest()

    with pytest.raises(ExplorerError) as refused:
        read()
    assert refused.value.id.startswith("checkpoint")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("gemma", {"hidden_act": "gelu", "hidden_activation": "gelu_pytorch_tanh"}),
        ("gemma2", {"hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh"}),
        ("llama", {"is_llama_config": True, "transformers.js_config": {"dtype": "q4"}, "rope_interleaved": False}),
        ("llama", {"unsloth_fixed": True, "_attn_implementation_autoset": True}),
        ("bert", {"directionality": "bidi", "pooler_type": "first_token_transform", "pooler_fc_size": 768}),
    ],
)
def test_what_configs_of_the_hub_say_besides_is_no_trouble(kind, said):
    config = Config(Path("config.json"), {**LLAMA, "head_dim": 4, **said})
    plan = FAMILIES[kind](config)
    config.known("head_dim")
    config.known("num_key_value_heads")
    config.check_rest()
    assert plan.switches["ffn.activation"] == {"llama": "SiLU", "bert": "GELU"}.get(kind, "GELU tanh")


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
    assert whole.notices == bare.notices == ()
    np.testing.assert_array_equal(*(values_of(one, IDS)[1]["output.logits"] for one in (whole, bare)))
