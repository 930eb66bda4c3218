"""The models against straight-line numpy: one head after the other, one formula after the other, as in the papers."""

from dataclasses import dataclass
from math import erf, pi

import numpy as np
import pytest

from explorer.core.model import Model
from explorer.core.models import build


@dataclass(frozen=True)
class Variant:
    """One way to set all blocks of a model, said once more in the terms of the straight-line functions."""

    switches: dict
    heads: int = 1
    norm: str = "post"
    residual: bool = True
    attention_bias: bool = False
    layer_bias: bool = True
    printed: bool = False
    W_O: bool = True
    ffn: bool = True
    activation: str = "ReLU"
    scale: str = "1/sqrt(d_k)"
    tied: bool = False
    epsilon: float = 1e-5
    with_sigma: bool = False


VARIANTS = {
    "textbook": Variant({}),
    "two heads, biases, exact GELU": Variant(
        {"attention.heads": 2, "attention.bias": True, "ffn.activation": "GELU", "ffn.d_ff": 5},
        heads=2,
        attention_bias=True,
        activation="GELU",
    ),
    "pre-norm, tanh GELU, tied": Variant(
        {"attention.norm": "pre", "ffn.norm": "pre", "ffn.activation": "GELU tanh", "output.tied": True},
        norm="pre",
        activation="GELU tanh",
        tied=True,
    ),
    "as printed: W x, ε with σ, scale d_k": Variant(
        {
            "attention.weights": "W x",
            "ffn.weights": "W x",
            "attention.scale": "1/d_k",
            "attention.epsilon": 0.01,
            "attention.epsilon_in": "sigma",
            "ffn.epsilon": 0.01,
            "ffn.epsilon_in": "sigma",
            "final.epsilon": 0.01,
            "final.epsilon_in": "sigma",
        },
        printed=True,
        scale="1/d_k",
        epsilon=0.01,
        with_sigma=True,
    ),
    "bare: no norm, residual, W_O, bias or scale": Variant(
        {
            "attention.norm": "none",
            "ffn.norm": "none",
            "attention.residual": False,
            "ffn.residual": False,
            "attention.W_O": False,
            "ffn.bias": False,
            "ffn.activation": "sigmoid",
            "attention.scale": "none",
        },
        norm="none",
        residual=False,
        W_O=False,
        layer_bias=False,
        activation="sigmoid",
        scale="none",
    ),
    "no feed-forward": Variant({"ffn.on": False}, ffn=False),
}
D_MODEL = 4


def softmax(z):
    shares = np.exp(z)
    return shares / shares.sum(axis=1, keepdims=True)


def layer_norm(v, block, x, variant):
    rows = []
    for row in x:
        mean = sum(row) / len(row)
        variance = sum((value - mean) ** 2 for value in row) / len(row)
        sigma = variance**0.5 + variant.epsilon if variant.with_sigma else (variance + variant.epsilon) ** 0.5
        rows.append((row - mean) / sigma * v[f"{block}.gamma"] + v[f"{block}.beta"])
    return np.array(rows)


def linear(x, W, b, printed):
    product = np.einsum("oi,ni->no", W, x) if printed else np.einsum("io,ni->no", W, x)
    return product if b is None else product + b


def sublayer(v, block, x, variant, function):
    """A layer inside its residual and norm."""
    inner = layer_norm(v, block, x, variant) if variant.norm == "pre" else x
    result = function(inner)
    if variant.residual:
        result = x + result
    return layer_norm(v, block, result, variant) if variant.norm == "post" else result


def attention(v, block, x, memory, causal, variant):
    outputs = []
    for h in range(variant.heads):
        Q, K, V = (
            linear(
                read,
                v[f"{block}.W_{letter}"][h],
                v[f"{block}.b_{letter}"][h] if variant.attention_bias else None,
                variant.printed,
            )
            for letter, read in (("Q", x), ("K", memory), ("V", memory))
        )
        d_k = D_MODEL // variant.heads
        scores = np.einsum("qc,kc->qk", Q, K) * {"none": 1, "1/d_k": 1 / d_k, "1/sqrt(d_k)": d_k**-0.5}[variant.scale]
        if causal:
            scores[np.triu_indices(len(scores), 1)] = -np.inf
        outputs.append(softmax(scores) @ V)
    concat = np.hstack(outputs)
    return linear(concat, v[f"{block}.W_O"], None, variant.printed) if variant.W_O else concat


def activate(x, kind):
    match kind:
        case "ReLU":
            return np.where(x > 0, x, 0)
        case "sigmoid":
            return np.exp(x) / (1 + np.exp(x))
        case "GELU":
            return np.array([[value * (1 + erf(value / 2**0.5)) / 2 for value in row] for row in x])
        case "GELU tanh":
            return x / 2 * (1 + np.tanh((2 / pi) ** 0.5 * (x + 0.044715 * x**3)))


def feed_forward(v, block, x, variant):
    b_1, b_2 = (v[f"{block}.b_{i}"] if variant.layer_bias else None for i in (1, 2))
    hidden = linear(x, v[f"{block}.W_1"], b_1, variant.printed)
    return linear(activate(hidden, variant.activation), v[f"{block}.W_2"], b_2, variant.printed)


def embedding(v, sequence):
    rows = []
    for position, token in enumerate(v[f"{sequence}.tokens"]):
        angles = [position / 10000 ** (2 * (j // 2) / D_MODEL) for j in range(D_MODEL)]
        PE = [np.cos(angle) if j % 2 else np.sin(angle) for j, angle in enumerate(angles)]
        rows.append(v[f"{sequence}.table"][token] + PE)
    return np.array(rows)


def self_attention(v, block, x, variant, causal=False):
    return sublayer(v, block, x, variant, lambda y: attention(v, block, y, y, causal, variant))


def ffn(v, block, x, variant):
    return sublayer(v, block, x, variant, lambda y: feed_forward(v, block, y, variant)) if variant.ffn else x


def output(v, x, sequence, variant):
    if variant.norm == "pre":
        x = layer_norm(v, "final", x, variant)
    W = v[f"{sequence}.table"].T if variant.tied else v["output.W"]
    probabilities = softmax((x @ W + v["output.b"]) / v["output.temperature"])
    right = [row[word] for row, word in zip(probabilities, v["loss.target"], strict=True)]
    return probabilities, -sum(np.log(right)) / len(right)


def random_inputs(model):
    """Values for all inputs, so that no bias is 0 and no γ is 1."""
    graph, random, given = build(model), np.random.default_rng(5), {}
    for name, node in graph.nodes.items():
        if node.is_input and node.op.initial != "ids":
            given[name] = random.normal(size=graph.shape(name))
    given["output.temperature"] = np.array(0.7)
    return given


def with_variant(model, variant):
    """The model with each "KIND.NAME" of the variant set in all blocks of that kind."""
    for key, value in variant.switches.items():
        kind, name = key.split(".")
        for block, block_kind in model.blocks().items():
            if block_kind == kind:
                model = model.with_switch(block, name, value)
    return model


def check(engine, probabilities, loss, variant):
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(engine.values["output.probabilities"], probabilities, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(engine.values["loss.value"], loss, rtol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_encoder_decoder(compute, variant):
    words = {"source.words": ("a", "b", "c"), "target.words": ("d", "e", "f", "g")}
    model = Model("encoder-decoder", {"source": 3, "target": 4}, words, d_model=D_MODEL, layers=2)
    model = with_variant(model, variant)
    engine = compute(model, random_inputs(model))
    v = engine.values

    x = embedding(v, "source")
    x = self_attention(v, "encoder.1.self", x, variant)
    x = ffn(v, "encoder.1.ffn", x, variant)
    x = self_attention(v, "encoder.2.self", x, variant)
    memory = ffn(v, "encoder.2.ffn", x, variant)
    if variant.norm == "pre":
        memory = layer_norm(v, "encoder.final", memory, variant)

    y = embedding(v, "target")
    for k in (1, 2):
        cross = f"decoder.{k}.cross"
        y = self_attention(v, f"decoder.{k}.self", y, variant, causal=True)
        y = sublayer(v, cross, y, variant, lambda q, at=cross: attention(v, at, q, memory, False, variant))
        y = ffn(v, f"decoder.{k}.ffn", y, variant)
    check(engine, *output(v, y, "target", variant), variant)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_gpt(compute, variant):
    model = Model("gpt", {"input": 4}, {"input.words": ("a", "b", "c")}, d_model=D_MODEL, layers=2)
    model = with_variant(model, variant)
    engine = compute(model, random_inputs(model))
    v = engine.values

    x = embedding(v, "input")
    x = self_attention(v, "decoder.1.self", x, variant, causal=True)
    x = ffn(v, "decoder.1.ffn", x, variant)
    x = self_attention(v, "decoder.2.self", x, variant, causal=True)
    x = ffn(v, "decoder.2.ffn", x, variant)
    check(engine, *output(v, x, "input", variant), variant)


def test_mlp(compute):
    axes = {"input": ("1", "2", "3"), "layer.0": ("x",), "layer.1": ("h1", "h2"), "layer.2": ("y1", "y2", "y3")}
    model = Model("mlp", axes=axes, layers=2).with_switch("layer.1", "activation", "GELU")
    model = model.with_switch("layer.2", "weights", "W x").with_switch("layer.2", "bias", False)
    model = model.with_switch("layer.2", "activation", "sigmoid").with_switch("loss", "loss", "mean squared error")
    random = np.random.default_rng(6)
    given = {n: random.normal(size=build(model).shape(n)) for n, node in build(model).nodes.items() if node.is_input}
    engine = compute(model, given)

    hidden = activate(linear(given["input.X"], given["layer.1.W"], given["layer.1.b"], printed=False), "GELU")
    y = activate(linear(hidden, given["layer.2.W"], None, printed=True), "sigmoid")
    np.testing.assert_allclose(engine.values["layer.2.activation"], y, rtol=1e-12)
    loss = sum((y - given["loss.target"]).ravel() ** 2) / 9
    np.testing.assert_allclose(engine.values["loss.value"], loss, rtol=1e-12)


def test_attention_lesson_with_cosine_and_row_sums(compute):
    axes = {"query": ("a", "b"), "key": ("c", "d", "e"), "feature": ("1", "2"), "value feature": ("3", "4", "5")}
    model = Model("attention", axes=axes)
    for name, value in {"similarity": "cosine", "normalise": "row sum", "scale": "none", "nearest": True}.items():
        model = model.with_switch("attention", name, value)
    Q = np.array([[1.0, 2.0], [3.0, 1.0]])
    K = np.array([[1.0, 0.0], [2.0, 2.0], [1.0, 3.0]])
    V = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [3.0, 3.0, 3.0]])
    engine = compute(model, {"Q": Q, "K": K, "V": V})

    scores = np.array([[q @ k / ((q @ q) ** 0.5 * (k @ k) ** 0.5) for k in K] for q in Q])
    weights = np.array([row / sum(row) for row in scores])
    O = np.array([sum(share * row for share, row in zip(shares, V, strict=True)) for shares in weights])  # noqa: E741
    np.testing.assert_allclose(engine.values["weights"], weights, rtol=1e-12)
    np.testing.assert_allclose(engine.values["output"], O, rtol=1e-12)
    alike = np.array([[o @ row / ((o @ o) ** 0.5 * (row @ row) ** 0.5) for row in V] for o in O])
    assert engine.values["chosen"].tolist() == [int(np.argmax(row)) for row in alike]
