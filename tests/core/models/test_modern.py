"""What changed since 2017: each switch against straight-line numpy, and its gradients against central differences."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.decoder import Decoder
from explorer.core.engine import Root, fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import Place
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Input
from explorer.lessons.loader import load
from tests.core.models.straight import Straight
from tests.samples import each

WORDS = tuple("abcdefg")
LLAMA = {
    "input.positions": "rotary",
    "input.rotary_pairs": "halves",
    "self.key_heads": 2,
    "self.norm": "pre",
    "self.norm_by": "RMS norm",
    "ffn.norm": "pre",
    "ffn.norm_by": "RMS norm",
    "ffn.gated": True,
    "ffn.activation": "SiLU",
    "ffn.bias": False,
    "final.norm_by": "RMS norm",
    "output.bias": False,
}
CASES = {
    "Llama": LLAMA,
    "one head of keys": {**LLAMA, "self.key_heads": 1, "input.rotary_pairs": "neighbours"},
    "Llama 3": {
        **LLAMA,
        "input.rotary_base": 500.0,
        "input.rotary_scaling": "llama 3",
        "input.rotary_factor": 8.0,
        "input.rotary_room": 16,
    },
    "rotary, linear": {**LLAMA, "input.rotary_scaling": "linear", "input.rotary_factor": 4.0},
    "rotary, dynamic": {
        **LLAMA,
        "self.d_k": 6,
        "input.rotary_scaling": "dynamic",
        "input.rotary_factor": 2.0,
        "input.rotary_room": 3,
    },
    "rotary, YaRN": {
        **LLAMA,
        "self.d_k": 6,
        "input.rotary_base": 100.0,
        "input.rotary_scaling": "yarn",
        "input.rotary_factor": 4.0,
        "input.rotary_room": 32,
        "input.rotary_stretch": 1.2,
    },
    "GPT-2": {
        "input.positions": "own",
        "input.room": 12,
        "self.bias": True,
        "self.bias_O": True,
        "self.norm": "pre",
        "ffn.norm": "pre",
        "ffn.activation": "GELU tanh",
        "output.tied": True,
        "output.bias": False,
    },
    "GPT-2, scale by layer": {"self.scale_layer": True, "input.positions": "own", "input.first": 2},
    "GPT-NeoX": {
        "input.positions": "rotary",
        "input.rotary_pairs": "halves",
        "input.rotary_width": 2,
        "self.bias": True,
        "self.norm": "pre",
        "ffn.norm": "pre",
        "ffn.reads": "beside attention",
        "ffn.activation": "GELU",
    },
    "Phi": {
        "self.norm": "pre",
        "ffn.norm": "pre",
        "ffn.reads": "beside attention, its norm",
        "input.positions": "none",
    },
    "Gemma 2": {
        **LLAMA,
        "input.embedding_scale": True,
        "self.norm": "both",
        "self.norm_by": "RMS norm, 1 + γ",
        "self.scale_width": 24,
        "self.cap": 4.0,
        "self.window": 3,
        "ffn.norm": "both",
        "ffn.norm_by": "RMS norm, 1 + γ",
        "ffn.activation": "GELU tanh",
        "final.norm_by": "RMS norm, 1 + γ",
        "output.logit_cap": 6.0,
        "output.tied": True,
    },
    "Gemma 3": {
        **LLAMA,
        "self.norm_by": "RMS norm, 1 + γ",
        "self.qk_norm": "each head",
        "input.rotary_base": 1e6,
        "input.rotary_scaling": "linear",
        "input.rotary_factor": 8.0,
        "decoder.1.self.window": 3,
        "decoder.1.self.rotary_base": 100.0,
    },
    "OLMo 2": {**LLAMA, "self.norm": "output", "ffn.norm": "output", "self.qk_norm": "all heads", "self.key_heads": 0},
    "Qwen 3": {**LLAMA, "self.qk_norm": "each head", "self.d_k": 6},
    "QK-norm by layer norm": {"self.qk_norm": "each head", "input.positions": "none"},
    "ALiBi": {"input.positions": "ALiBi", "self.norm": "pre", "ffn.norm": "pre", "input.embedding_norm": True},
    "T5": {
        "input.positions": "relative",
        "input.buckets": 6,
        "input.bucket_most": 8,
        "self.scale": "none",
        "self.norm": "pre",
        "self.norm_by": "RMS norm",
        "ffn.norm": "pre",
        "ffn.norm_by": "RMS norm",
        "final.norm_by": "RMS norm",
        "output.output_scale": True,
        "output.tied": True,
    },
    "sink": {**LLAMA, "self.sink": True},
    "Marian": {
        "input.positions": "sines first",
        "input.embedding_scale": True,
        "self.bias": True,
        "ffn.activation": "SiLU",
    },
    "BERT's embeddings and head": {
        "input.segments": 2,
        "input.positions": "own",
        "input.embedding_norm": True,
        "output.head": "GELU",
        "output.tied": True,
    },
    "Mixtral": {**LLAMA, "ffn.experts": 4, "ffn.chosen": 2},
    "experts, shares as they are, one shared": {
        **LLAMA,
        "ffn.experts": 3,
        "ffn.chosen": 1,
        "ffn.chosen_again": False,
        "ffn.shared": 5,
    },
    "experts, balanced": {**LLAMA, "ffn.experts": 4, "ffn.chosen": 2, "loss.balance": 0.5},
    "experts, plain": {"ffn.experts": 3, "ffn.norm": "pre", "self.norm": "pre", "input.positions": "none"},
    "8 bits": {**LLAMA, "self.quantised": "8 bits", "ffn.quantised": "8 bits", "self.quantised_block": 4},
    "4 bits": {**LLAMA, "ffn.quantised": "4 bits", "ffn.quantised_block": 3, "ffn.experts": 2},
}


def made(switches, n=7, layers=2, dtype="float64"):
    model = Model("gpt", {"input": n}, {"input.words": WORDS}, d_model=8, layers=layers, seed=4, dtype=dtype)
    model = model.with_switch("input", "lookup", "index")
    for layer in range(1, layers + 1):
        model = model.with_switch(f"decoder.{layer}.self", "heads", 4).with_switch(f"decoder.{layer}.ffn", "d_ff", 10)
    for path, value in switches.items():
        block, _, name = path.rpartition(".")
        blocks = [f"decoder.{k}.{block}" for k in range(1, layers + 1)] if block in ("self", "ffn") else [block]
        for one in blocks:
            model = model.with_switch(one, name, value)
    graph = build(model)
    rng = np.random.default_rng(11)
    inputs = {}
    for name, node in graph.nodes.items():
        if isinstance(node.op, Input):
            shape = graph.shape(name)
            most = 2 if name.endswith("segments") else len(WORDS)
            inputs[name] = rng.integers(0, most, shape) if node.op.whole else rng.normal(0, 0.8, shape).astype(dtype)
    inputs["output.temperature"] = np.ones((), dtype)
    return model, graph, inputs


@each("name", CASES)
def test_each_model_has_the_numbers_of_straight_line_numpy(name):
    model, graph, inputs = made(CASES[name])
    values = fresh(graph, inputs, {}).values
    straight = Straight(model, inputs)
    logits = straight.logits()
    assert np.isfinite(logits).all()
    np.testing.assert_allclose(values["output.logits"], logits, rtol=1e-12, atol=1e-12 * np.abs(logits).max())
    for node, expected in straight.kept.items():
        np.testing.assert_allclose(values[node], expected, rtol=1e-12, atol=1e-14, err_msg=node)


@each("name", [name for name in CASES if "bits" not in name])
def test_gradients_agree_with_central_differences(name):
    _, graph, inputs = made(CASES[name])
    engine = fresh(graph, inputs, {})
    root = Root("loss.value")
    random = np.random.default_rng(3)
    for weight in (n for n, node in graph.nodes.items() if node.is_input and inputs[n].dtype.kind == "f"):
        if weight == "output.temperature":
            continue
        gradient = engine.gradient(Place(weight), root)
        cell = tuple(int(random.integers(0, size)) for size in inputs[weight].shape)
        slopes = []
        for h in (1e-5, -1e-5):
            moved = inputs[weight].copy()
            moved[cell] += h
            slopes.append(float(fresh(graph, {**inputs, weight: moved}, {}).values["loss.value"]))
        slope = (slopes[0] - slopes[1]) / 2e-5
        assert gradient[cell] == pytest.approx(slope, rel=1e-5, abs=1e-8), (weight, cell)


def test_the_gradient_of_a_weight_in_few_bits_is_that_of_what_is_left_of_it():
    _, graph, inputs = made(CASES["8 bits"])
    engine = fresh(graph, inputs, {})
    for short in ("self.W_Q", "ffn.W_2"):
        of_W, of_left = (engine.gradient(Place(f"decoder.1.{short}{end}"), Root("loss.value")) for end in ("", "_left"))
        np.testing.assert_array_equal(of_W, of_left)
        assert np.abs(of_W).max() > 0


@each("name", [name for name in CASES if "dynamic" not in name])
def test_a_decoder_with_a_cache_reads_on_to_the_same_numbers(name):
    model, graph, inputs = made(CASES[name], n=7)
    values = fresh(graph, inputs, {}).values
    decoder = Decoder(model, graph, inputs)
    ids = inputs["input.tokens"]
    decoder.read(ids[:3])
    for i in range(3, 7):
        logits = decoder.read(ids[i : i + 1])
        np.testing.assert_allclose(logits, values["output.logits"][i], rtol=1e-10, atol=1e-11)


def test_the_cache_holds_the_shared_heads_only():
    sizes = {}
    for key_heads in (4, 2, 1):
        model, graph, inputs = made({**LLAMA, "self.key_heads": key_heads})
        decoder = Decoder(model, graph, inputs)
        decoder.read(inputs["input.tokens"])
        sizes[key_heads] = decoder.bytes
    assert sizes[4] == 2 * sizes[2] == 4 * sizes[1] == 2 * 2 * 7 * 8 * 8  # layers, K and V, words, d_model, bytes


def test_heads_that_keys_do_not_divide_are_refused():
    with pytest.raises(ExplorerError) as error:
        made({"self.key_heads": 3})
    assert error.value.id == "key-heads-do-not-divide"
    with pytest.raises(ExplorerError) as error:
        made({"ffn.experts": 2, "ffn.chosen": 3})
    assert error.value.id == "too-many-chosen"


def test_the_loss_takes_the_balance_of_all_layers_times_its_switch():
    _, plain, inputs = made(CASES["Mixtral"])
    _, balanced, _ = made(CASES["experts, balanced"])
    before, after = (fresh(graph, inputs, {}).values for graph in (plain, balanced))
    balances = sum(float(after[f"decoder.{k}.ffn.balance"]) for k in (1, 2))
    assert float(after["loss.value"]) == pytest.approx(float(before["loss.value"]) + 0.5 * balances, rel=1e-14)
    np.testing.assert_array_equal(after["output.logits"], before["output.logits"])
    # Without experts there is nothing to balance.
    _, graph, inputs = made({**LLAMA, "loss.balance": 0.5})
    assert len(graph.nodes["loss.value"].parents) == 3


def test_the_loss_takes_the_balance_of_decoder_layers_that_the_encoder_lacks():
    state = load("you-are-welcome").state("textbook")
    experts = {f"decoder.{k}.ffn.{name}": value for k in (1, 2, 3) for name, value in (("experts", 4), ("chosen", 2))}
    model = replace(state.model, behind=3, switches={**state.model.switches, **experts, "loss.balance": 0.5})
    parents = build(model).nodes["loss.value"].parents
    assert [name for name in parents if name.endswith("balance")] == [f"decoder.{k}.ffn.balance" for k in (1, 2, 3)]


@pytest.mark.parametrize(
    ("norm", "read"), [("pre", "decoder.1.self.norm"), ("both", "decoder.1.self.norm"), ("post", "input.H")]
)
def test_a_net_beside_the_attention_never_reads_what_the_attention_has_said(norm, read):
    """The norm of a block of 2017 is behind it: a net that read it would not stand beside it."""
    switches = {"decoder.1.ffn.reads": "beside attention, its norm", "decoder.1.self.norm": norm}
    graph = build(Model("gpt", {"input": 3}, {"input.words": ("a", "b")}, switches=switches))
    assert graph.nodes["decoder.1.ffn.hidden"].parents[0] == read
